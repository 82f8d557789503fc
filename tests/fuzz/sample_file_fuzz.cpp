// Feeds arbitrary bytes to the reader of measurement files. The first byte chooses the query, so that one
// corpus reaches every format and both ways of treating problems.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "stats/sample_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  weir::stats::SampleQuery query;
  const unsigned choice = data[0];
  if ((choice & 1u) != 0) query.column = (choice & 2u) != 0 ? "t" : "1";
  if ((choice & 4u) != 0) query.group = {(choice & 8u) != 0 ? "g" : "2"};
  if ((choice & 16u) != 0 && query.column.empty()) query.wide = "t";
  query.strict = (choice & 32u) != 0;
  if ((choice & 64u) != 0) query.delimiter = ' ';
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto samples = weir::stats::parse_samples(bytes, "fuzz", query);
  if (samples)
    for (const auto& group : samples->groups)
      if (group.values.empty()) __builtin_trap();
  return 0;
}
