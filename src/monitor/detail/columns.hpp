#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "monitor/counters.hpp"
#include "monitor/detail/sink.hpp"

namespace weir::monitor::detail {

// All counters of a watch, reading after reading. Texts come in the same order every time, so that the
// counter a parser names next is nearly always the one after the last: found by comparing, without a table or
// memory.
class Columns final : public Sink {
 public:
  // A text begins. `from_zero`: a counter that was not there at the first reading counts from 0 (files leave
  // out lines of what has not happened yet), else from the value it is first seen with.
  void begin_text(bool from_zero, const std::function<bool(std::string_view)>* wanted);
  // Lines of the text begun last that could not be read.
  std::uint64_t damaged_here() const { return damaged_here_; }
  const std::string& first_damaged() const { return first_damaged_; }

  // All texts have been read: `changes` gets what each counter changed by since the last time, in
  // `counters()`'s order. The first time gives nothing but the start.
  void end_reading(std::vector<double>& changes);

  // Changes over all readings; levels as their mean.
  std::vector<Counter> counters() const;
  // "disk:sda: write_bytes fell from 9000 to 12, ...", "disk:sdb: gone ...": one line a source.
  std::vector<std::string> troubles() const;
  std::size_t size() const { return columns_.size(); }

  bool source(std::string_view kind, std::string_view instance) override;
  void put(Word name, double value, Traits traits) override;
  void add(Word name, double value, Traits traits) override;
  void damaged(std::string_view line) override;

 private:
  struct Column {
    std::string source;
    std::string name;
    Traits traits;
    std::uint64_t reading = 0;  // that it was last seen in
    double value = 0;           // there
    double last = 0;            // the one before, for differences
    double sum = 0;
    std::uint64_t count = 0;            // of readings, for means
    double fell_from = 0, fell_to = 0;  // the first fall
    bool known = false;                 // `last` is a value to compare with
  };

  bool is_current(const Column& column, Word name) const;
  Column* find(Word name, Traits traits);
  static double difference(Column& column);

  std::vector<Column> columns_;
  std::size_t next_ = 0;  // where the next counter is expected
  std::uint64_t reading_ = 1;
  std::string_view kind_, instance_;
  const std::function<bool(std::string_view)>* wanted_ = nullptr;
  bool from_zero_ = false;
  std::uint64_t damaged_here_ = 0;
  std::string first_damaged_;
};

}  // namespace weir::monitor::detail
