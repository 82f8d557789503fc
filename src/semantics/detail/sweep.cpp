#include "semantics/detail/sweep.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "semantics/detail/recent.hpp"
#include "semantics/detail/spans.hpp"

namespace weir::semantics::detail {
namespace {

constexpr std::uint32_t kNobody = ~std::uint32_t{0};

class Sweep {
 public:
  Sweep(const File& file, Judge& judge, Findings& findings)
      : all_(&file.accesses),
        judge_(&judge),
        findings_(&findings),
        spans_(file.accesses, judge, cells_),
        reads_(file.members.size()) {}

  void run() {
    for (std::uint32_t i = 0; i < all_->size(); ++i) take(i);
  }

 private:
  // The first cell at or behind a place. Accesses mostly go on where the last one ended.
  Cells::iterator find(std::int64_t at) {
    auto next = near_;
    for (int step = 0; step < 2; ++step) {
      if (next != cells_.end() && next->first == at) return next;
      if (next != cells_.begin() && std::prev(next)->first >= at) break;
      if (next == cells_.end() || next->first > at) return next;
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

  // Likewise for the end of an access that begins at or before a cell.
  Cells::iterator cut_behind(Cells::iterator cell, std::int64_t end) {
    if (cell == cells_.end() || cell->first >= end) return cell;
    return cell->second.end == end ? std::next(cell) : cut(end);
  }

  void take(std::uint32_t index) {
    const Access& access = (*all_)[index];
    found_ = {};
    judged_ = {};
    if (!spans_.empty()) spans_.open(access.begin, access.end, !access.writes());
    const auto cell = near_ = cut(access.begin);
    const auto behind = cut_behind(cell, access.end);
    near_ = behind;  // stays: only what lies before it is taken away
    if (access.at_end() && !access.writes()) rely(index);
    if (!access.at_end() && access.writes() && !relying_.empty()) judge_relying(index);
    access.writes() ? write(index, cell, behind) : read(index, cell, behind);
    for (std::size_t kind = 0; kind < found_.models.size(); ++kind)
      if (found_.models[kind] != 0) findings_->count(static_cast<PairKind>(kind), found_.models[kind]);
    if (found_.race) findings_->count_race();
  }

  // Remembers that an append relies on the end: of each stream of each thread those that no later one, from
  // the same place on or from one before it, speaks for. So they ascend.
  void rely(std::uint32_t index) {
    const Access& access = (*all_)[index];
    auto& list = relying_[{access.member, access.thread, access.delayed(), access.buffer}];
    while (!list.empty() && (*all_)[list.back()].begin >= access.begin) list.pop_back();
    list.push_back(index);
  }

  // Appends come in any order, so that the last one in a cell does not speak for others: what writes there
  // and is no append itself must come after each.
  void judge_relying(std::uint32_t index) {
    const Access& access = (*all_)[index];
    for (const auto& [who, list] : relying_) {
      const auto behind = std::partition_point(
          list.begin(), list.end(), [&](std::uint32_t one) { return (*all_)[one].begin < access.end; });
      if (behind != list.begin() && std::get<0>(who) != access.member) judge_once(*std::prev(behind), index);
    }
  }

  // The later of the two is the one at hand, unless the order says otherwise.
  Judgement::Order judge(std::uint32_t earlier, std::uint32_t index) {
    const Access& one = (*all_)[earlier];
    const Access& other = (*all_)[index];
    const Judgement judgement = judge_->judge(one, other);
    findings_->pair(one, other, judgement);
    const bool turned = judgement.order == Judgement::Order::second;
    found_.turned = found_.turned || turned;
    if (judgement.order == Judgement::Order::unordered)
      found_.race = true;
    else if (judgement.conflicts != 0) {
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
    for (const std::uint32_t reader : cell.readers)
      if ((*all_)[index].at_end() || !(*all_)[reader].at_end()) judge_once(reader, index);
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

  void keep_lasting(Indices& earlier, const Access& access) const {
    earlier.erase(std::remove_if(earlier.begin(), earlier.end(),
                                 [&](std::uint32_t one) { return !judge_->outlasts((*all_)[one], access); }),
                  earlier.end());
  }

  void read(std::uint32_t index, Cells::iterator cell, Cells::iterator behind) {
    const Access& access = (*all_)[index];
    std::int64_t from = access.begin;
    SpansRead read;
    while (cell != behind) {
      put_reader(from, cell->first, index, cell);
      if (Span* const span = spans_.empty() ? nullptr : spans_.find(cell->first); span != nullptr) {
        if (read.cells > 1) pass(read, spans_.make(read.cells_begin, cell->first));
        read_span(*span, index);
        spans_.add_reader(span->readers, index);
        from = span->end;
        pass(read, span);
        cell = cells_.lower_bound(from);
        continue;
      }
      if (read.cells == 0) read.cells_begin = cell->first;
      from = cell->second.end;
      for (const std::uint32_t writer : cell->second.writers) judge_once(writer, index);
      spans_.add_reader(cell->second.readers, index);
      ++cell;
      if (++read.cells == Spans::kCells) pass(read, spans_.make(read.cells_begin, from));
    }
    put_reader(from, access.end, index, behind);
    // What a long read leaves over is a span as well: the next one would go over its cells again.
    if (read.cells > 1 && !read.spans.empty()) pass(read, spans_.make(read.cells_begin, from));
    join_rest(read);
  }

  void put_reader(std::int64_t begin, std::int64_t end, std::uint32_t reader, Cells::iterator hint) {
    if (begin >= end) return;
    Cell& cell = cells_.emplace_hint(hint, begin, Cell{})->second;
    cell.end = end;
    cell.readers.push_back(reader);
  }

  // Spans that a read has covered one behind the other.
  struct SpansRead {
    std::vector<Span*> spans;
    std::size_t cells = 0;  // behind them
    std::int64_t cells_begin = 0;
  };

  void pass(SpansRead& read, Span* span) {
    read.cells = 0;
    while (!read.spans.empty() && read.spans.back()->level <= span->level) {
      Span* const joined = spans_.join(read.spans.back(), span);
      if (joined == nullptr) break;
      read.spans.pop_back();
      span = joined;
    }
    read.spans.push_back(span);
  }

  // Those of a read that are left are of different sizes, the largest first.
  void join_rest(SpansRead& read) {
    while (read.spans.size() > 1) {
      Span* const last = read.spans.back();
      read.spans.pop_back();
      if (Span* const joined = spans_.join(read.spans.back(), last)) read.spans.back() = joined;
    }
  }

  // A thread that reads a span again before its next sync point finds what it found: it comes after all that
  // it came after, and sees no more.
  void read_span(const Span& span, std::uint32_t index) {
    const Access& access = (*all_)[index];
    const bool plain = !access.delayed() && !access.at_end() && !access.truncates();
    const std::uint64_t who = std::uint64_t{access.member} << 32 | access.thread;
    SpanRead& lately = reads_.slot(who, span.number);
    if (plain && lately.span == span.number && lately.who == who && lately.syncs == access.syncs &&
        lately.from_record <= access.record) {
      found_.add(lately.found);
      return;
    }
    const Found before = std::exchange(found_, {});
    judged_ = {};  // what was judged before this span belongs to it as well
    for (const WriterRun& run : span.writers) read_run(span, run, index);
    if (plain && !found_.race && !found_.turned && judge_->last(found_.conflicts()))
      lately = {span.number, who, access.syncs, access.record, found_};
    found_.add(before);
  }

  // The earlier a write of the run, the sooner it is before the read; the later, the sooner behind it.
  void read_run(const Span& span, const WriterRun& run, std::uint32_t index) {
    const Judgement::Order last = judge_once(run.last, index);
    if (last == Judgement::Order::first || run.first == run.last) return;
    if (judge_once(run.first, index) == last) return;
    const auto key = WriterRun::key((*all_)[run.first]);
    if (span.left != nullptr) {
      for (const Span* const part : {span.left.get(), span.right.get()})
        for (const WriterRun& one : part->writers)
          if (WriterRun::key((*all_)[one.first]) == key) read_run(*part, one, index);
      return;
    }
    for (auto cell = cells_.find(span.begin); cell != cells_.end() && cell->first < span.end; ++cell)
      for (const std::uint32_t writer : cell->second.writers)
        if (WriterRun::key((*all_)[writer]) == key) judge_once(writer, index);
  }

  struct Found {
    std::array<std::uint32_t, 4> models{};  // by kind
    bool race = false;
    bool turned = false;  // something came after what stands behind it

    void add(const Found& more) {
      for (std::size_t kind = 0; kind < models.size(); ++kind) models[kind] |= more.models[kind];
      race = race || more.race;
      turned = turned || more.turned;
    }
    std::uint32_t conflicts() const { return models[0] | models[1] | models[2] | models[3]; }
  };

  // What a thread found in a span.
  struct SpanRead {
    std::uint64_t span = 0;  // its number
    std::uint64_t who = 0;
    std::uint32_t syncs = 0;
    std::uint64_t from_record = 0;
    Found found;
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
  Spans spans_;
  Recent<SpanRead> reads_;
  // By member, thread and what holds it back.
  std::map<std::tuple<std::uint32_t, std::uint32_t, bool, std::uint16_t>, std::vector<std::uint32_t>>
      relying_;
  Found found_;
  JudgedLately judged_;
};

}  // namespace

void sweep(const File& file, Judge& judge, Findings& findings) { Sweep(file, judge, findings).run(); }

}  // namespace weir::semantics::detail
