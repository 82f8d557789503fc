#include "trace/summary.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "base/parallel.hpp"
#include "trace/bytes_inside.hpp"
#include "trace/nesting.hpp"
#include "trace/records.hpp"

namespace weir::trace {
namespace {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
using Files = std::unordered_map<std::string, Tally, TextHash, std::equal_to<>>;

// What was made inside other calls, of one piece of a stream.
struct CallsInside {
  Nesting calls;
  BytesInside bytes;
};

struct Sums {
  Tally total;
  std::vector<Tally> functions;
  std::vector<std::map<std::int64_t, std::uint64_t>> errors;
  Files files;
  std::set<std::uint64_t> threads;
  std::vector<std::string> damage;
  CallsInside inside;
};

class Adder {
 public:
  Adder(const TraceFile& trace, Sums& sums) : trace_(trace), sums_(sums) {
    const std::size_t functions = trace.tables().functions.size();
    sums.functions.resize(functions);
    sums.errors.resize(functions);
  }

  void add(const Record& record, const std::string& directory) {
    const auto number = static_cast<std::size_t>(record.function - trace_.tables().functions.data());
    Tally one;
    one.calls = 1;
    one.time_ns = one.shortest_ns = one.longest_ns = record.duration_ns;
    if (record.moves != 0) {
      const std::uint64_t bytes = bytes_moved(record);
      (record.moves < 0 ? one.read_bytes : one.written_bytes) = bytes;
    }
    if (record.failed()) {
      one.failed = 1;
      ++sums_.errors[number][record.result.number];
    }
    sums_.functions[number].add(one);
    sums_.inside.calls.add(number, record.depth, {1, one.time_ns, one.read_bytes + one.written_bytes});
    sums_.inside.bytes.add(number, record.depth, {one.read_bytes, one.written_bytes});
    if (record.thread != thread_ || sums_.threads.empty()) {
      thread_ = record.thread;
      sums_.threads.insert(thread_);
    }
    if (const std::string_view file = absolute_file(record, directory, made_); !file.empty())
      tally_of(file).add(one);
    if (record.depth > 0) one.time_ns = 0;
    sums_.total.add(one);
  }

 private:
  // Most records are about the same file as the one before.
  Tally& tally_of(std::string_view file) {
    if (last_ != nullptr && last_->first == file) return last_->second;
    auto found = sums_.files.find(file);
    if (found == sums_.files.end()) found = sums_.files.emplace(std::string(file), Tally{}).first;
    last_ = &*found;
    return last_->second;
  }

  const TraceFile& trace_;
  Sums& sums_;
  std::uint64_t thread_ = 0;
  std::string made_;
  Files::value_type* last_ = nullptr;
};

Result<void> read_task(const TraceFile& trace, const Stretch& task, const SummaryOptions& options,
                       Sums& sums) {
  Adder adder(trace, sums);
  const std::unique_ptr<Onlooker> onlooker = options.beside ? options.beside(task) : nullptr;
  auto read = read_stretch(trace, task, {options.salvage, options.advance}, sums.damage,
                           [&](const Record& record, const std::string& directory) {
                             adder.add(record, directory);
                             if (onlooker != nullptr) onlooker->see(record);
                           });
  if (onlooker != nullptr) onlooker->end();
  return read;
}

struct InsideOthers {
  CallPairs pairs;
  std::vector<BytesInside::Bytes> bytes;  // by function
};

// The pieces of each stream in their order.
InsideOthers join_pieces(const std::vector<Stretch>& tasks, std::vector<CallsInside>& pieces,
                         std::size_t functions) {
  InsideOthers all;
  all.bytes.resize(functions);
  CallsInside stream;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    stream.calls.join(std::move(pieces[i].calls));
    stream.bytes.join(std::move(pieces[i].bytes));
    if (i + 1 < tasks.size() && tasks[i + 1].process == tasks[i].process &&
        tasks[i + 1].stream == tasks[i].stream)
      continue;
    for (const auto& [pair, inside] : stream.calls.pairs()) all.pairs[pair].add(inside);
    for (const auto& [function, bytes] : stream.bytes.functions()) all.bytes[function].add(bytes);
    stream = CallsInside();
  }
  return all;
}

std::vector<PairTally> named_pairs(const CallPairs& pairs, const std::vector<Function>& functions) {
  std::vector<PairTally> made;
  for (const auto& [pair, inside] : pairs)
    made.push_back({functions[pair.first].name, functions[pair.second].name, inside.calls, inside.time_ns,
                    inside.bytes});
  std::sort(made.begin(), made.end(), [](const PairTally& a, const PairTally& b) {
    if (a.time_ns != b.time_ns) return a.time_ns > b.time_ns;
    if (a.calls != b.calls) return a.calls > b.calls;
    return std::tie(a.caller, a.callee) < std::tie(b.caller, b.callee);
  });
  return made;
}

}  // namespace

void Tally::add(const Tally& other) {
  calls += other.calls;
  failed += other.failed;
  read_bytes += other.read_bytes;
  written_bytes += other.written_bytes;
  time_ns += other.time_ns;
  shortest_ns = std::min(shortest_ns, other.shortest_ns);
  longest_ns = std::max(longest_ns, other.longest_ns);
}

Result<Summary> summarize(const TraceFile& trace, const SummaryOptions& options) {
  const std::vector<Stretch> tasks = stretches(trace);
  const auto& functions = trace.tables().functions;
  Sums all;
  all.functions.resize(functions.size());
  all.errors.resize(functions.size());
  Summary summary;
  summary.processes.resize(trace.processes().size());
  std::vector<std::set<std::uint64_t>> threads(trace.processes().size());
  std::map<std::size_t, std::vector<std::string>> damage;  // by task: in the order of the trace
  std::map<std::size_t, Error> failures;
  std::vector<CallsInside> pieces(tasks.size());
  std::mutex lock;

  parallel_for(
      tasks.size(),
      [&](std::size_t i) {
        Sums sums;
        const auto read = read_task(trace, tasks[i], options, sums);
        const std::lock_guard guard(lock);
        if (!read) {
          failures.emplace(i, read.error());
          return;
        }
        all.total.add(sums.total);
        for (std::size_t f = 0; f < functions.size(); ++f) {
          all.functions[f].add(sums.functions[f]);
          for (const auto& [error, count] : sums.errors[f]) all.errors[f][error] += count;
        }
        while (!sums.files.empty()) {
          auto node = sums.files.extract(sums.files.begin());
          const auto [place, fresh, rest] = all.files.insert(std::move(node));
          if (!fresh) place->second.add(rest.mapped());
        }
        summary.processes[tasks[i].process].tally.add(sums.total);
        threads[tasks[i].process].merge(sums.threads);
        pieces[i] = std::move(sums.inside);
        if (!sums.damage.empty()) damage[i] = std::move(sums.damage);
      },
      options.threads);
  if (!failures.empty()) return failures.begin()->second;

  const auto [pairs, bytes_inside] = join_pieces(tasks, pieces, functions.size());
  std::vector<std::uint64_t> time_inside(functions.size());
  for (const auto& [pair, inside] : pairs) {
    time_inside[pair.first] += inside.time_ns;
    if (functions[pair.first].layer != functions[pair.second].layer)
      summary.layers[functions[pair.first].layer].inside_ns += inside.time_ns;
  }
  summary.pairs = named_pairs(pairs, functions);
  std::vector<std::uint64_t> signatures(functions.size());
  for (const auto& signature : trace.tables().signatures)
    if (signature.function < signatures.size()) ++signatures[signature.function];

  summary.total = all.total;
  for (std::size_t f = 0; f < functions.size(); ++f) {
    Tally& tally = all.functions[f];
    if (tally.calls == 0) continue;
    // What libraries above the C library moved is what the calls inside them did; the total has it once.
    const std::string& layer = functions[f].layer;
    if (layer != "posix" && layer != "stdio" && layer != "uring") {
      tally.read_bytes = bytes_inside[f].read;
      tally.written_bytes = bytes_inside[f].written;
    }
    summary.functions.push_back({functions[f].name, functions[f].layer, all.functions[f],
                                 std::move(all.errors[f]), time_inside[f], signatures[f]});
    summary.layers[functions[f].layer].tally.add(all.functions[f]);
  }
  std::sort(summary.functions.begin(), summary.functions.end(), [](const auto& a, const auto& b) {
    if (a.tally.time_ns != b.tally.time_ns) return a.tally.time_ns > b.tally.time_ns;
    if (a.tally.calls != b.tally.calls) return a.tally.calls > b.tally.calls;
    return a.name < b.name;
  });
  for (auto& [name, tally] : all.files) summary.files.push_back({name, tally});
  std::sort(summary.files.begin(), summary.files.end(),
            [](const FileTally& a, const FileTally& b) { return a.name < b.name; });
  for (std::size_t p = 0; p < threads.size(); ++p) summary.processes[p].threads = threads[p].size();
  for (auto& [task, texts] : damage) summary.damage.insert(summary.damage.end(), texts.begin(), texts.end());
  return summary;
}

}  // namespace weir::trace
