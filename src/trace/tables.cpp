#include "trace/tables.hpp"

#include <cstring>

#include "base/compress.hpp"
#include "trace/format.hpp"

namespace weir::trace {
namespace {

// Views into the strings, which stay where they are when the function is moved.
void point_arguments(Function& function, const std::vector<std::pair<Role, Direction>>& kinds) {
  function.arguments.clear();
  for (std::size_t i = 0; i < kinds.size(); ++i)
    function.arguments.push_back({function.names_and_types[2 * i], function.names_and_types[2 * i + 1],
                                  kinds[i].first, kinds[i].second, 1});
  function.shape = make_shape(function.arguments, function.result);
  function.moves = direction(function);
}

}  // namespace

Function describe(Call call) {
  const CallInfo& row = info(call);
  Function function;
  function.name = row.name;
  function.means = name(row.means);
  function.layer = name(row.layer);
  function.result_type = row.result_type;
  function.result = row.result;
  function.opens = row.opens;
  function.closes = row.closes;
  std::vector<std::pair<Role, Direction>> kinds;
  for (const Argument& argument : arguments(call)) {
    function.names_and_types.emplace_back(argument.name);
    function.names_and_types.emplace_back(argument.type);
    kinds.emplace_back(argument.role, argument.direction);
  }
  point_arguments(function, kinds);
  return function;
}

void put_functions(ByteWriter& out, const std::vector<Function>& functions) {
  ByteWriter plain;
  plain.varint(functions.size());
  for (const Function& function : functions) {
    plain.string(function.name);
    plain.string(function.means);
    plain.string(function.layer);
    plain.string(function.result_type);
    plain.string(name(function.result));
    plain.u8(static_cast<std::uint8_t>((function.opens ? 1 : 0) | (function.closes ? 2 : 0)));
    plain.varint(function.arguments.size());
    for (const Argument& argument : function.arguments) {
      plain.string(argument.name);
      plain.string(argument.type);
      plain.string(name(argument.role));
      plain.string(name(argument.direction));
    }
  }
  put_packed(out, plain.view(), 9);
}

Result<std::vector<Function>> take_functions(ByteReader& packed) {
  const auto plain = take_packed(packed, kMostTableBytes);
  if (!plain) return plain.error();
  ByteReader in(*plain);
  const auto count = in.count(7);
  if (!count) return count.error();
  std::vector<Function> functions;
  for (std::uint64_t i = 0; i < *count; ++i) {
    Function function;
    for (std::string* const text :
         {&function.name, &function.means, &function.layer, &function.result_type}) {
      const auto read = in.string();
      if (!read) return read.error();
      *text = *read;
    }
    const auto role = in.string();
    if (!role) return role.error();
    function.result = find_role(*role).value_or(Role::value);  // a newer Weir's role: shown as a plain value
    const auto flags = in.u8();
    if (!flags) return flags.error();
    function.opens = (*flags & 1) != 0;
    function.closes = (*flags & 2) != 0;
    const auto arguments = in.count(4);
    if (!arguments) return arguments.error();
    if (*arguments > Head::kArguments) return Error{Errc::bad_data, "a function with too many arguments"};
    std::vector<std::pair<Role, Direction>> kinds;
    for (std::uint64_t k = 0; k < *arguments; ++k) {
      std::string_view fields[4];
      for (std::string_view& field : fields) {
        const auto read = in.string();
        if (!read) return read.error();
        field = *read;
      }
      function.names_and_types.emplace_back(fields[0]);
      function.names_and_types.emplace_back(fields[1]);
      const Direction direction = fields[3] == "out"     ? Direction::out
                                  : fields[3] == "inout" ? Direction::inout
                                                         : Direction::in;
      kinds.emplace_back(find_role(fields[2]).value_or(Role::value), direction);
    }
    functions.push_back(std::move(function));
    point_arguments(functions.back(), kinds);
  }
  return functions;
}

void put_strings(ByteWriter& out, const std::vector<std::string>& strings) {
  ByteWriter plain;
  plain.varint(strings.size());
  for (const std::string& text : strings) plain.string(text);
  put_packed(out, plain.view(), 9);
}

Result<std::vector<std::string>> take_strings(ByteReader& packed) {
  const auto plain = take_packed(packed, kMostTableBytes);
  if (!plain) return plain.error();
  ByteReader in(*plain);
  const auto count = in.count(1);
  if (!count) return count.error();
  std::vector<std::string> strings;
  strings.reserve(*count);
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto text = in.string();
    if (!text) return text.error();
    strings.emplace_back(*text);
  }
  return strings;
}

void put_signatures(ByteWriter& out, const std::vector<Signature>& signatures) {
  ByteWriter plain;
  plain.varint(signatures.size());
  for (const Signature& signature : signatures) {
    plain.varint(signature.words.size());
    const std::size_t head = Head::words(signature.parts.size() - 1);
    for (std::size_t i = 0; i < signature.words.size(); ++i) {
      if (i < head)
        plain.varint(signature.words[i]);
      else
        plain.signed_varint(static_cast<std::int64_t>(signature.words[i]));
    }
  }
  put_packed(out, plain.view(), 9);
}

Result<void> take_signatures(ByteReader& packed, Tables& tables) {
  const auto plain = take_packed(packed, kMostTableBytes);
  if (!plain) return plain.error();
  ByteReader in(*plain);
  const auto count = in.count(2);
  if (!count) return count.error();
  std::vector<std::uint64_t> words;
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto length = in.count(1);
    if (!length) return length.error();
    words.clear();
    std::size_t head = 1;
    for (std::uint64_t k = 0; k < *length; ++k) {
      if (k < head) {
        const auto word = in.varint();
        if (!word) return word.error();
        words.push_back(*word);
        const std::uint32_t function = Head::function(words[0]);
        if (k == 0 && function < tables.functions.size())
          head = Head::words(tables.functions[function].arguments.size());
      } else {
        const auto word = in.signed_varint();
        if (!word) return word.error();
        words.push_back(static_cast<std::uint64_t>(*word));
      }
    }
    auto signature = parse_signature(words, tables.functions, tables.numbers_in, tables.texts.size());
    if (!signature) return signature.error();
    tables.signatures.push_back(std::move(*signature));
  }
  return {};
}

Result<void> count_template_numbers(Tables& tables) {
  tables.numbers_in.clear();
  for (const std::string& name_template : tables.templates) {
    const auto count = count_numbers(name_template);
    if (!count) return count.error();
    tables.numbers_in.push_back(static_cast<std::uint32_t>(*count));
  }
  return {};
}

}  // namespace weir::trace
