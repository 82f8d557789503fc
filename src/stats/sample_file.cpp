#include "stats/sample_file.hpp"

#include <utility>

#include "stats/detail/byte_source.hpp"
#include "stats/detail/formats.hpp"
#include "stats/detail/line_reader.hpp"
#include "stats/detail/text_lines.hpp"

namespace weir::stats {
namespace {

Result<Samples> read_text(std::unique_ptr<detail::ByteSource> bytes, const SampleQuery& query) {
  if (!query.wide.empty() && !query.column.empty())
    return Error{Errc::usage, "a column and a wide prefix exclude each other"};
  auto text = detail::as_text(std::move(bytes));
  if (!text) return text.error();
  detail::LineReader reader(std::move(*text));
  detail::TextLines lines(reader);
  if (auto looked = lines.look_ahead(1); !looked) return looked.error();
  const std::string_view first = lines.ahead(0);
  if (first.empty()) return Error{Errc::bad_data, "is empty"};
  return first[first.find_first_not_of(" \t")] == '{' ? detail::read_json_lines(lines, query)
                                                      : detail::read_delimited(lines, query);
}

Result<Samples> named(Result<Samples> samples, const std::string& name) {
  if (!samples) return samples.error().in(name);
  samples->source = name;
  return samples;
}

}  // namespace

Result<Samples> read_samples(const std::string& path, const SampleQuery& query) {
  const std::string name = path == "-" ? "standard input" : path;
  auto bytes = detail::open_bytes(path);
  if (!bytes) return bytes.error();  // names the path itself
  return named(read_text(std::move(*bytes), query), name);
}

Result<Samples> parse_samples(std::string_view bytes, const std::string& name, const SampleQuery& query) {
  return named(read_text(detail::bytes_in_memory(bytes), query), name);
}

}  // namespace weir::stats
