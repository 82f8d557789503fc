#pragma once

#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "trace/format.hpp"
#include "trace/replay.hpp"

namespace weir::trace {

// The tables as bytes of their sections. Functions come first: signatures are checked against them.
void put_functions(ByteWriter& out, const std::vector<Function>& functions);
Result<std::vector<Function>> take_functions(ByteReader& in);

void put_strings(ByteWriter& out, const std::vector<std::string>& strings);
Result<std::vector<std::string>> take_strings(ByteReader& in);

void put_signatures(ByteWriter& out, const std::vector<Signature>& signatures);
// With functions, texts and templates in place; as a version of the format has them.
Result<void> take_signatures(ByteReader& in, Tables& tables, std::uint32_t version = kFormatVersion);

// Per class the signatures behind the own numbers of its processes.
using Classes = std::vector<std::vector<std::uint32_t>>;
void put_classes(ByteWriter& out, const Classes& classes);
Result<Classes> take_classes(ByteReader& in, std::size_t signatures);

Result<void> count_template_numbers(Tables& tables);

// The function behind an id of this build's call table.
Function describe(Call call);

}  // namespace weir::trace
