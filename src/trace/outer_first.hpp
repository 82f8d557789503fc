#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace_file.hpp"

namespace weir::trace {

// The records of one stream with each call before the calls made inside it; a stream has them in the order in
// which they ended. More than kMostKept calls inside one are given in that order, before it.
class OuterFirst {
 public:
  static constexpr std::size_t kMostKept = 4096;

  explicit OuterFirst(RecordReader reader) : reader_(std::move(reader)) {}

  // The next record, valid until the one after it; null at the end, or when something is damaged.
  const Record* next();
  // The working directory at the record last given.
  std::string_view directory() const { return directory_; }
  const std::optional<Error>& error() const { return reader_.error(); }
  bool skip_damage() { return reader_.skip_damage(); }

 private:
  // A record that outlives the reader's next one.
  struct Kept {
    Record record;
    std::vector<Value> arguments;
    std::vector<ListItem> items;  // their names stay where the trace has them
    std::string texts;
    std::string directory;
  };

  void keep();
  const Record* give();

  RecordReader reader_;
  Record record_;
  std::string_view directory_;
  std::vector<Kept> kept_;          // in the order of the stream; reused
  std::size_t count_ = 0;           // of these in use
  std::vector<std::size_t> order_;  // in which they are given
  std::size_t given_ = 0;
  struct Open {
    std::uint32_t depth;
    std::size_t begin;  // where it stands in `order_`, with all that was made inside it
  };
  std::vector<Open> open_;
  bool complete_ = false;  // what is kept is being given
};

}  // namespace weir::trace
