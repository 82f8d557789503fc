#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "semantics/access.hpp"
#include "semantics/detail/cells.hpp"
#include "semantics/detail/judge.hpp"

namespace weir::semantics::detail {

// Writes between the same two sync points of a thread, in the cells of a span. What comes after one of them
// comes after all before it, and they are published together: the last one mostly speaks for all.
struct WriterRun {
  std::uint32_t first = 0;  // index of the access
  std::uint32_t last = 0;

  static auto key(const Access& access) {
    return std::tuple(access.member, access.thread, access.syncs, access.delayed(), access.buffer,
                      access.at_end(), access.truncates());
  }
};

// Many cells side by side that a read went over: who wrote them, as runs, and who read all of them since.
// Another read of all of them looks at the runs instead of the cells. Two that have most runs in common make
// one above them.
struct Span {
  std::uint64_t number = 0;  // no other has or had it
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::uint32_t level = 0;
  std::uint64_t apart_from = 0;    // the span behind it with which it has little in common
  std::vector<WriterRun> writers;  // by their keys
  Indices readers;                 // not in the cells yet
  std::unique_ptr<Span> left;      // none where cells are next
  std::unique_ptr<Span> right;
};

// The spans of a file; they never overlap. They are made by reads, and taken apart where anything else
// happens to their cells.
class Spans {
 public:
  static constexpr std::size_t kCells = 64;  // of the smallest

  Spans(const std::vector<Access>& all, const Judge& judge, Cells& cells)
      : all_(&all), judge_(&judge), cells_(&cells) {}

  bool empty() const { return spans_.empty(); }
  // Takes apart what an access to these bytes changes: a read only those that it does not cover.
  void open(std::int64_t begin, std::int64_t end, bool reads);
  // The span that begins there, or null.
  Span* find(std::int64_t begin);
  // Makes one of the cells in a range, which have no gaps.
  Span* make(std::int64_t begin, std::int64_t end);
  // Joins neighbours; null where that would not save much.
  Span* join(Span* left, Span* right);
  // A thread's last read is the one that others must come after; one that only asked where the end is does
  // not speak for one that read.
  void add_reader(Indices& readers, std::uint32_t index) const;

 private:
  void take_apart(std::unique_ptr<Span> span);
  void sort(std::vector<WriterRun>& runs) const;

  const std::vector<Access>* all_;
  const Judge* judge_;
  Cells* cells_;
  std::uint64_t made_ = 0;
  std::map<std::int64_t, std::unique_ptr<Span>> spans_;  // by their beginnings
};

}  // namespace weir::semantics::detail
