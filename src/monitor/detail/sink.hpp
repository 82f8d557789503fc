#pragma once

#include <string_view>

namespace weir::monitor::detail {

// A counter's name in two parts, so that "open" + "_operations" needs no memory of its own.
struct Word {
  std::string_view stem;
  std::string_view ending = {};

  bool is(std::string_view name) const {
    return name.size() == stem.size() + ending.size() && name.starts_with(stem) && name.ends_with(ending);
  }
};

struct Traits {
  bool total = true;
  double wraps_at = 0;
};

// Where a parser puts what it finds. One kind keeps everything (parse()), another compares with the last
// reading and allocates nothing: the same parsers serve both.
class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;

  // The following counters are of `kind` + `instance` ("disk:" + "sda"). False: they are not wanted.
  virtual bool source(std::string_view kind, std::string_view instance) = 0;
  // The value, replacing an earlier one of the same text.
  virtual void put(Word name, double value, Traits traits = {}) = 0;
  // The value, added to an earlier one of the same text.
  virtual void add(Word name, double value, Traits traits = {}) = 0;
  virtual void damaged(std::string_view line) = 0;
};

}  // namespace weir::monitor::detail
