#include "semantics/detail/sweep.hpp"

#include <array>
#include <map>

#include <boost/container/small_vector.hpp>

namespace weir::semantics::detail {
namespace {

constexpr std::uint32_t kNobody = ~std::uint32_t{0};

// A range of bytes that were last written by the same access and read by the same ones since.
struct Cell {
  std::int64_t end = 0;
  std::uint32_t writer = kNobody;
  boost::container::small_vector<std::uint32_t, 2> readers;  // the last of each thread
};

class Sweep {
 public:
  Sweep(const File& file, Judge& judge, Findings& findings)
      : all_(&file.accesses), judge_(&judge), findings_(&findings) {}

  void run() {
    for (std::uint32_t i = 0; i < all_->size(); ++i) take(i);
  }

 private:
  using Cells = std::map<std::int64_t, Cell>;

  // Makes `at` a border of cells; gives the first cell at or behind it.
  Cells::iterator cut(std::int64_t at) {
    auto next = cells_.lower_bound(at);
    if (next != cells_.end() && next->first == at) return next;
    if (next == cells_.begin()) return next;
    const auto before = std::prev(next);
    if (before->second.end <= at) return next;
    Cell rest = before->second;
    before->second.end = at;
    return cells_.emplace_hint(next, at, std::move(rest));
  }

  void take(std::uint32_t index) {
    const Access& access = (*all_)[index];
    found_ = {};
    last_writer_ = kNobody;
    last_reader_ = kNobody;
    const auto cell = cut(access.begin);
    const auto behind = cell != cells_.end() && cell->first >= access.end ? cell : cut(access.end);
    access.writes() ? write(index, cell, behind) : read(index, cell, behind);
    for (std::size_t kind = 0; kind < found_.models.size(); ++kind)
      if (found_.models[kind] != 0) findings_->count(static_cast<PairKind>(kind), found_.models[kind]);
    if (found_.race) findings_->count_race();
  }

  // The later of the two is the one at hand, unless the order says otherwise.
  Judgement::Order judge(std::uint32_t earlier, std::uint32_t index) {
    const Access& one = (*all_)[earlier];
    const Access& other = (*all_)[index];
    const Judgement judgement = judge_->judge(one, other);
    findings_->pair(one, other, judgement);
    if (judgement.order == Judgement::Order::unordered)
      found_.race = true;
    else if (judgement.conflicts != 0) {
      const bool turned = judgement.order == Judgement::Order::second;
      const PairKind kind = Findings::kind_of(turned ? other : one, turned ? one : other);
      found_.models[static_cast<std::size_t>(kind)] |= judgement.conflicts;
    }
    return judgement.order;
  }

  Judgement::Order judge_writer(std::uint32_t writer, std::uint32_t index) {
    if (writer != last_writer_) {
      last_writer_ = writer;
      last_order_ = judge(writer, index);
    }
    return last_order_;
  }

  void write(std::uint32_t index, Cells::iterator cell, Cells::iterator behind) {
    const Access& access = (*all_)[index];
    std::int64_t from = access.begin;  // not yet given to this access
    while (cell != behind) {
      bool stays = false;
      if (cell->second.writer != kNobody)
        stays = judge_writer(cell->second.writer, index) == Judgement::Order::second;
      for (const std::uint32_t reader : cell->second.readers) {
        if (reader == last_reader_) continue;
        judge(reader, index);
        last_reader_ = reader;
      }
      if (stays) {  // what was there is newer, times notwithstanding
        put(from, cell->first, index, cell);
        from = cell->second.end;
        ++cell;
      } else {
        cell = cells_.erase(cell);
      }
    }
    put(from, access.end, index, behind);
  }

  void put(std::int64_t begin, std::int64_t end, std::uint32_t writer, Cells::iterator hint) {
    if (begin >= end) return;
    Cell& cell = cells_.emplace_hint(hint, begin, Cell{})->second;
    cell.end = end;
    cell.writer = writer;
  }

  void read(std::uint32_t index, Cells::iterator cell, Cells::iterator behind) {
    const Access& access = (*all_)[index];
    std::int64_t from = access.begin;
    for (; cell != behind; ++cell) {
      put_reader(from, cell->first, index, cell);
      from = cell->second.end;
      if (cell->second.writer != kNobody) judge_writer(cell->second.writer, index);
      add_reader(cell->second, index);
    }
    put_reader(from, access.end, index, behind);
  }

  void put_reader(std::int64_t begin, std::int64_t end, std::uint32_t reader, Cells::iterator hint) {
    if (begin >= end) return;
    Cell& cell = cells_.emplace_hint(hint, begin, Cell{})->second;
    cell.end = end;
    cell.readers.push_back(reader);
  }

  // A thread's last read is the one that others must come after.
  void add_reader(Cell& cell, std::uint32_t index) {
    const Access& access = (*all_)[index];
    for (std::uint32_t& reader : cell.readers) {
      const Access& other = (*all_)[reader];
      if (other.member != access.member || other.thread != access.thread || other.delayed()) continue;
      reader = index;
      return;
    }
    cell.readers.push_back(index);
  }

  struct Found {
    std::array<std::uint32_t, 4> models{};  // by kind
    bool race = false;
  };

  const std::vector<Access>* all_;
  Judge* judge_;
  Findings* findings_;
  Cells cells_;
  Found found_;
  std::uint32_t last_writer_ = kNobody;
  Judgement::Order last_order_ = Judgement::Order::first;
  std::uint32_t last_reader_ = kNobody;
};

}  // namespace

void sweep(const File& file, Judge& judge, Findings& findings) { Sweep(file, judge, findings).run(); }

}  // namespace weir::semantics::detail
