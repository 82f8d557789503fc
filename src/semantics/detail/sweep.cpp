#include "semantics/detail/sweep.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <boost/container/small_vector.hpp>

namespace weir::semantics::detail {
namespace {

constexpr std::uint32_t kNobody = ~std::uint32_t{0};

// A range of bytes that were last written by the same access and read by the same ones since.
struct Cell {
  using Indices = boost::container::small_vector<std::uint32_t, 2>;

  std::int64_t end = 0;
  Indices writers;  // the last one, and those before it that it does not speak for
  Indices readers;  // the last of each thread
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

  // The first cell at or behind a place. Accesses mostly go on where the last one ended.
  Cells::iterator find(std::int64_t at) {
    auto next = near_;
    for (int step = 0; step < 2; ++step) {
      if (next != cells_.begin() && std::prev(next)->first >= at) break;
      if (next == cells_.end() || next->first >= at) return next;
      ++next;
    }
    return cells_.lower_bound(at);
  }

  // Makes `at` a border of cells; gives the first cell at or behind it.
  Cells::iterator cut(std::int64_t at) {
    const auto next = find(at);
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
    judged_ = {};
    const auto cell = near_ = cut(access.begin);
    const auto behind = cell != cells_.end() && cell->first >= access.end ? cell : cut(access.end);
    near_ = behind;  // stays: only what lies before it is taken away
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

  // Neighbouring cells mostly have the same accesses.
  Judgement::Order judge_once(std::uint32_t earlier, std::uint32_t index) {
    for (const Judged& one : judged_.last)
      if (one.earlier == earlier) return one.order;
    Judged& here = judged_.last[judged_.next++ % judged_.last.size()];
    here = {earlier, judge(earlier, index)};
    return here.order;
  }

  void write(std::uint32_t index, Cells::iterator cell, Cells::iterator behind) {
    const Access& access = (*all_)[index];
    std::int64_t from = access.begin;  // not yet given to this access
    auto mine = cells_.end();          // the last cell that is its alone
    while (cell != behind) {
      put(from, cell->first, index, cell, mine);
      from = cell->second.end;
      if (!take_over(cell->second, index)) {
        ++cell;
      } else if (mine != cells_.end() && mine->second.end == cell->first) {
        mine->second.end = from;
        cell = cells_.erase(cell);
      } else {
        mine = cell++;
      }
    }
    put(from, access.end, index, behind, mine);
  }

  // Whether all of the cell is this access's then, and nobody else's.
  bool take_over(Cell& cell, std::uint32_t index) {
    bool stays = false;
    for (const std::uint32_t writer : cell.writers)
      stays = judge_once(writer, index) == Judgement::Order::second || stays;
    for (const std::uint32_t reader : cell.readers) judge_once(reader, index);
    if (stays) return false;  // what was there is newer, times notwithstanding
    keep_lasting(cell.writers, (*all_)[index]);
    keep_lasting(cell.readers, (*all_)[index]);
    cell.writers.push_back(index);
    return cell.writers.size() == 1 && cell.readers.empty();
  }

  void put(std::int64_t begin, std::int64_t end, std::uint32_t writer, Cells::iterator hint,
           Cells::iterator& mine) {
    if (begin >= end) return;
    if (mine != cells_.end() && mine->second.end == begin) {
      mine->second.end = end;
      return;
    }
    mine = cells_.emplace_hint(hint, begin, Cell{});
    mine->second.end = end;
    mine->second.writers.push_back(writer);
  }

  void keep_lasting(Cell::Indices& earlier, const Access& access) const {
    earlier.erase(std::remove_if(earlier.begin(), earlier.end(),
                                 [&](std::uint32_t one) { return !judge_->outlasts((*all_)[one], access); }),
                  earlier.end());
  }

  void read(std::uint32_t index, Cells::iterator cell, Cells::iterator behind) {
    const Access& access = (*all_)[index];
    std::int64_t from = access.begin;
    for (; cell != behind; ++cell) {
      put_reader(from, cell->first, index, cell);
      from = cell->second.end;
      for (const std::uint32_t writer : cell->second.writers) judge_once(writer, index);
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
      if (other.member != access.member || judge_->outlasts(other, access)) continue;
      reader = index;
      return;
    }
    cell.readers.push_back(index);
  }

  struct Found {
    std::array<std::uint32_t, 4> models{};  // by kind
    bool race = false;
  };

  struct Judged {
    std::uint32_t earlier = kNobody;
    Judgement::Order order = Judgement::Order::first;
  };
  struct JudgedLately {
    std::array<Judged, 4> last;
    std::size_t next = 0;
  };

  const std::vector<Access>* all_;
  Judge* judge_;
  Findings* findings_;
  Cells cells_;
  Cells::iterator near_ = cells_.end();
  Found found_;
  JudgedLately judged_;
};

}  // namespace

void sweep(const File& file, Judge& judge, Findings& findings) { Sweep(file, judge, findings).run(); }

}  // namespace weir::semantics::detail
