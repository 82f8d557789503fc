#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "stats/detail/byte_source.hpp"

namespace weir::stats::detail {

// Cuts a source into lines. A line may be long (a wide row of many runs) but not longer than kLongestLine.
class LineReader {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{256} << 20;

  explicit LineReader(std::unique_ptr<ByteSource> source);

  // The next line without its end (\n or \r\n), valid until the next call; false at the end of the input.
  // A zero byte is an Error: the input is no text.
  Result<bool> next(std::string_view& line);
  std::size_t number() const { return number_; }  // of the line last returned, from 1

 private:
  Result<bool> fill();

  std::unique_ptr<ByteSource> source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t number_ = 0;
  bool ended_ = false;
};

}  // namespace weir::stats::detail
