#include "semantics/timeline.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>

#include "base/parallel.hpp"
#include "semantics/detail/host_clocks.hpp"

namespace weir::semantics {
namespace {

using detail::HostClocks;
using trace::Record;

// Every bin of one row.
using Grid = std::array<std::vector<Timeline::Cell>, kCallKinds>;

struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// From the tables: no record is read for it.
Range range_of(const trace::TraceFile& trace, const HostClocks& clocks) {
  Range range{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
  for (std::uint32_t p = 0; p < trace.processes().size(); ++p)
    for (const trace::StreamInfo& stream : trace.processes()[p].streams)
      for (const trace::BlockInfo& block : stream.blocks) {
        range.begin = std::min(range.begin, clocks.of(p).at(block.first_start_ns));
        range.end = std::max(range.end, clocks.of(p).at(block.last_end_ns));
      }
  return range;
}

std::vector<Timeline::Row> make_rows(const trace::TraceFile& trace, std::size_t most) {
  std::vector<std::uint32_t> order(trace.processes().size());
  std::iota(order.begin(), order.end(), 0U);
  const auto key = [&](std::uint32_t process) {
    const std::int64_t rank = trace.processes()[process].rank;
    return rank < 0 ? std::numeric_limits<std::int64_t>::max() : rank;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  const std::size_t share = std::max<std::size_t>(1, (order.size() + most - 1) / most);
  std::vector<Timeline::Row> rows((order.size() + share - 1) / share);
  for (std::size_t i = 0; i < order.size(); ++i) rows[i / share].processes.push_back(order[i]);
  return rows;
}

class Binner {
 public:
  Binner(const trace::TraceFile& trace, const Timeline& timeline, const std::vector<CallKind>& kinds,
         const detail::ProcessClock& clock)
      : functions_(trace.tables().functions.data()), timeline_(timeline), kinds_(kinds), clock_(clock) {
    for (auto& cells : grid_) cells.resize(timeline.bins);
  }

  void add(const Record& record) {
    auto& cells =
        grid_[static_cast<std::size_t>(kinds_[static_cast<std::size_t>(record.function - functions_)])];
    const std::int64_t start = clock_.at(record.start_ns) - timeline_.begin_ns;
    const std::size_t bin = bin_of(start);
    ++cells[bin].calls;
    if (record.moves != 0) cells[bin].bytes += bytes_moved(record);
    if (record.depth == 0) spread(cells, bin, start, static_cast<std::int64_t>(record.duration_ns));
  }
  const Grid& grid() const { return grid_; }

 private:
  std::size_t bin_of(std::int64_t time) const {
    return static_cast<std::size_t>(
        std::clamp<std::int64_t>(time / timeline_.bin_ns, 0, static_cast<std::int64_t>(timeline_.bins) - 1));
  }
  void spread(std::vector<Timeline::Cell>& cells, std::size_t first, std::int64_t start,
              std::int64_t duration) const {
    const std::int64_t end = start + duration;
    const std::int64_t from = static_cast<std::int64_t>(first) * timeline_.bin_ns;
    if (start >= from && end <= from + timeline_.bin_ns) {  // as most are
      cells[first].time_ns += static_cast<std::uint64_t>(duration);
      return;
    }
    const std::size_t last = bin_of(end);
    for (std::size_t bin = first; bin <= last; ++bin) {
      const std::int64_t bin_from = static_cast<std::int64_t>(bin) * timeline_.bin_ns;
      const std::int64_t inside = std::min(end, bin_from + timeline_.bin_ns) - std::max(start, bin_from);
      cells[bin].time_ns += static_cast<std::uint64_t>(std::max<std::int64_t>(0, inside));
    }
  }

  const trace::Function* functions_;
  const Timeline& timeline_;
  const std::vector<CallKind>& kinds_;  // by function
  const detail::ProcessClock& clock_;
  Grid grid_;
};

bool is_empty(const Timeline::Cell& cell) { return cell.calls == 0 && cell.time_ns == 0; }

void add_to(Timeline::Cell& cell, const Timeline::Cell& more) {
  cell.calls += more.calls;
  cell.time_ns += more.time_ns;
  cell.bytes += more.bytes;
}

// Adds a piece of a row to the row.
void join(std::vector<Timeline::Cell>& row, const std::vector<Timeline::Cell>& piece) {
  if (row.empty()) row.resize(piece.size());
  for (std::size_t i = 0; i < piece.size(); ++i) add_to(row[i], piece[i]);
}

void drop_empty(std::vector<Timeline::Cell>& cells) {
  std::vector<Timeline::Cell> kept;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (is_empty(cells[i])) continue;
    kept.push_back(cells[i]);
    kept.back().bin = static_cast<std::uint32_t>(i);
  }
  cells = std::move(kept);
}

// Two bins become one.
void halve(Timeline& timeline) {
  for (Timeline::Row& row : timeline.rows)
    for (auto& cells : row.of_kinds) {
      std::vector<Timeline::Cell> kept;
      for (Timeline::Cell cell : cells) {
        cell.bin /= 2;
        if (!kept.empty() && kept.back().bin == cell.bin)
          add_to(kept.back(), cell);
        else
          kept.push_back(cell);
      }
      cells = std::move(kept);
    }
  timeline.bins = (timeline.bins + 1) / 2;
  timeline.bin_ns *= 2;
}

std::size_t cell_count(const Timeline& timeline) {
  std::size_t sum = 0;
  for (const Timeline::Row& row : timeline.rows)
    for (const auto& cells : row.of_kinds) sum += cells.size();
  return sum;
}

// Libraries above the C library say in a function's name what it does with the data.
std::optional<CallKind> library_moves(const trace::Function& function) {
  const auto has = [&](std::string_view word) { return function.name.find(word) != std::string::npos; };
  if (function.layer == "mpiio" || function.layer == "hdf5") {
    if (has("write")) return CallKind::write;
    if (has("read")) return CallKind::read;
  } else if (function.layer == "netcdf" || function.layer == "pnetcdf") {
    if (has("put_var")) return CallKind::write;
    if (has("get_var")) return CallKind::read;
  }
  return std::nullopt;
}

}  // namespace

std::string_view name(CallKind kind) {
  constexpr std::array<std::string_view, kCallKinds> names = {"read", "write", "metadata", "communication",
                                                              "other"};
  return names[static_cast<std::size_t>(kind)];
}

CallKind kind_of(const trace::Function& function) {
  const int moves = direction(function);
  if (moves != 0) return moves < 0 ? CallKind::read : CallKind::write;
  if (const auto moving = library_moves(function)) return *moving;
  if (function.layer == "mpi") return CallKind::communication;
  const bool about_files =
      function.layer != "posix" || function.opens || function.closes ||
      std::any_of(function.arguments.begin(), function.arguments.end(), [](const Argument& argument) {
        return argument.role == Role::file || argument.role == Role::path ||
               argument.role == Role::directory || argument.role == Role::stream;
      });
  return about_files ? CallKind::metadata : CallKind::other;
}

class TimelineMaker::State {
 public:
  State(const trace::TraceFile& trace, const TimelineOptions& options)
      : trace_(trace), most_cells_(options.most_cells), clocks_(trace), row_of_(trace.processes().size()) {
    for (const trace::Function& function : trace.tables().functions) kinds_.push_back(kind_of(function));
    timeline_.rows = make_rows(trace, std::max<std::size_t>(1, options.most_rows));
    for (std::size_t i = 0; i < timeline_.rows.size(); ++i)
      for (const std::uint32_t process : timeline_.rows[i].processes) row_of_[process] = i;
    const Range range = range_of(trace, clocks_);
    if (range.begin > range.end || trace.timing() == trace::TimingMode::off) return;
    timeline_.begin_ns = range.begin;
    const std::int64_t span = std::max<std::int64_t>(1, range.end - range.begin);
    // All bins are held while records are read.
    constexpr std::size_t kMostHeld = std::size_t{1} << 18;
    const std::size_t most_bins =
        std::clamp<std::size_t>(kMostHeld / timeline_.rows.size(), 1, options.most_bins);
    timeline_.bin_ns = span / static_cast<std::int64_t>(most_bins) + 1;
    timeline_.bins = static_cast<std::size_t>(span / timeline_.bin_ns + 1);
  }

  bool has_bins() const { return timeline_.bins > 0; }
  Binner binner(std::size_t process) const {
    return {trace_, timeline_, kinds_, clocks_.of(static_cast<std::uint32_t>(process))};
  }
  void put(std::size_t process, const Grid& grid) {
    const std::lock_guard guard(lock_);
    for (std::size_t k = 0; k < kCallKinds; ++k) join(timeline_.rows[row_of_[process]].of_kinds[k], grid[k]);
  }
  Timeline take() {
    for (Timeline::Row& row : timeline_.rows)
      for (auto& cells : row.of_kinds) drop_empty(cells);
    while (cell_count(timeline_) > most_cells_ && timeline_.bins > 16) halve(timeline_);
    return std::move(timeline_);
  }

 private:
  const trace::TraceFile& trace_;
  std::size_t most_cells_;
  HostClocks clocks_;
  std::vector<CallKind> kinds_;      // by function
  std::vector<std::size_t> row_of_;  // by process
  std::mutex lock_;
  Timeline timeline_;
};

TimelineMaker::TimelineMaker(const trace::TraceFile& trace, const TimelineOptions& options)
    : state_(std::make_unique<State>(trace, options)) {}
TimelineMaker::~TimelineMaker() = default;

std::unique_ptr<trace::Onlooker> TimelineMaker::onlooker(const trace::Stretch& stretch) {
  class Binning : public trace::Onlooker {
   public:
    Binning(State& state, std::size_t process)
        : state_(state), process_(process), binner_(state.binner(process)) {}
    void see(const Record& record) override { binner_.add(record); }
    void end() override { state_.put(process_, binner_.grid()); }

   private:
    State& state_;
    std::size_t process_;
    Binner binner_;
  };
  return state_->has_bins() ? std::make_unique<Binning>(*state_, stretch.process) : nullptr;
}

Timeline TimelineMaker::take() { return state_->take(); }

Result<Timeline> make_timeline(const trace::TraceFile& trace, const TimelineOptions& options) {
  TimelineMaker maker(trace, options);
  const std::vector<trace::Stretch> tasks = trace::stretches(trace);
  std::map<std::size_t, std::vector<std::string>> damage;  // by task: in the order of the trace
  std::map<std::size_t, Error> failures;
  std::mutex lock;
  parallel_for(
      tasks.size(),
      [&](std::size_t i) {
        const auto onlooker = maker.onlooker(tasks[i]);
        if (onlooker == nullptr) return;
        std::vector<std::string> passed;
        const auto read =
            read_stretch(trace, tasks[i], {options.salvage, options.advance}, passed,
                         [&](const Record& record, const std::string&) { onlooker->see(record); });
        onlooker->end();
        const std::lock_guard guard(lock);
        if (!read) failures.emplace(i, read.error());
        if (!passed.empty()) damage[i] = std::move(passed);
      },
      options.threads);
  if (!failures.empty()) return failures.begin()->second;
  Timeline timeline = maker.take();
  for (auto& [task, texts] : damage)
    timeline.damage.insert(timeline.damage.end(), texts.begin(), texts.end());
  return timeline;
}

}  // namespace weir::semantics
