#include "proxy/compare.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>

#include "base/json.hpp"
#include "proxy/canonical.hpp"
#include "proxy/own_calls.hpp"

namespace weir::proxy {
namespace {

constexpr std::size_t kMostKept = 20;

// The calls of one stream, or of one thread in it, that count, in their order.
class Calls {
 public:
  Calls(const trace::TraceFile& trace, std::size_t process, std::size_t stream,
        std::optional<std::uint64_t> thread, OwnCalls& own, Canonical& canonical)
      : reader_(trace, process, stream),
        stream_(stream),
        thread_(thread),
        own_(&own),
        canonical_(&canonical) {}

  bool next(std::string& text) {
    while (reader_.next(record_)) {
      if (thread_ && record_.thread != *thread_) continue;
      if (record_.depth > 0) ++inner;
      if (!own_->is_made(record_, stream_) || canonical_->is_elsewhere(record_)) continue;
      text = canonical_->text(record_);
      return true;
    }
    return false;
  }
  const trace::Record& record() const { return record_; }
  const std::optional<Error>& error() const { return reader_.error(); }

  std::uint64_t inner = 0;

 private:
  trace::RecordReader reader_;
  trace::Record record_;
  std::size_t stream_;
  std::optional<std::uint64_t> thread_;
  OwnCalls* own_;
  Canonical* canonical_;
};

// What a thread did, in a few bytes: to find its counterpart.
struct Digest {
  std::size_t stream = 0;
  std::optional<std::uint64_t> thread;  // none: all of the stream
  std::uint64_t calls = 0;
  std::uint64_t hash = 0;
};

// A stream of the original is a thread of the proxy, whichever threads it is of. In what the proxy left, one
// thread may have taken over the stream of another that had ended.
enum class Parts : std::uint8_t { streams, threads };

Result<std::vector<std::optional<std::uint64_t>>> parts_of(const trace::TraceFile& trace, std::size_t process,
                                                           std::size_t stream, Parts parts) {
  std::vector<std::optional<std::uint64_t>> found;
  if (parts == Parts::streams) return found = {std::nullopt};
  trace::RecordReader reader(trace, process, stream);
  trace::Record record;
  while (reader.next(record))
    if (std::find(found.begin(), found.end(), record.thread) == found.end())
      found.emplace_back(record.thread);
  if (reader.error()) return *reader.error();
  return found;
}

Result<std::vector<Digest>> digest(const trace::TraceFile& trace, std::size_t process,
                                   const std::string& root, Parts parts) {
  std::vector<Digest> found;
  const trace::ProcessInfo& about = trace.processes()[process];
  OwnCalls own(about.rank >= 0);
  for (std::size_t i = 0; i < about.streams.size(); ++i) {
    const auto threads = parts_of(trace, process, i, parts);
    if (!threads) return threads.error();
    for (const auto& thread : *threads) {
      Canonical canonical(root);
      Calls calls(trace, process, i, thread, own, canonical);
      Digest one{i, thread, 0, 0};
      std::string text;
      while (calls.next(text)) {
        ++one.calls;
        one.hash = one.hash * 0x9E3779B97F4A7C15U + std::hash<std::string>()(text);
      }
      if (calls.error()) return *calls.error();
      if (one.calls > 0) found.push_back(one);
    }
  }
  return found;
}

// Threads take their streams in the order in which they begin: equal ones belong together, then those left in
// their order.
std::vector<std::pair<const Digest*, const Digest*>> pair_up(const std::vector<Digest>& a,
                                                             const std::vector<Digest>& b) {
  std::vector<std::pair<const Digest*, const Digest*>> pairs;
  std::vector<bool> taken(b.size());
  std::vector<const Digest*> left;
  for (const Digest& one : a) {
    std::size_t at = 0;
    while (at < b.size() && (taken[at] || b[at].hash != one.hash || b[at].calls != one.calls)) ++at;
    if (at == b.size()) {
      left.push_back(&one);
    } else {
      taken[at] = true;
      pairs.emplace_back(&one, &b[at]);
    }
  }
  std::size_t at = 0;
  for (const Digest* one : left) {
    while (at < b.size() && taken[at]) ++at;
    pairs.emplace_back(one, at < b.size() ? &b[at++] : nullptr);
  }
  for (; at < b.size(); ++at)
    if (!taken[at]) pairs.emplace_back(nullptr, &b[at]);
  return pairs;
}

std::string root_of(const trace::TraceFile& made, const CompareOptions& options) {
  std::string root = options.root;
  if (root.empty()) {
    root = "proxy.root";
    const Json& facts = made.facts();
    if (facts.contains("command") && facts["command"].is_array())
      for (std::size_t i = 0; i + 1 < facts["command"].size(); ++i)
        if (facts["command"][i] == "--root" && facts["command"][i + 1].is_string())
          root = facts["command"][i + 1].get<std::string>();
  }
  std::filesystem::path path = root;
  if (path.is_relative() && !made.processes().empty())
    path = std::filesystem::path(made.processes()[0].directory) / path;
  return path.lexically_normal().string();
}

class Comparer {
 public:
  Comparer(const trace::TraceFile& original, const trace::TraceFile& made, std::string root)
      : original_(original), made_(made), root_(std::move(root)) {}

  Result<void> compare_process(std::size_t a, std::size_t b) {
    const auto first = digest(original_, a, "", Parts::streams);
    if (!first) return first.error();
    const auto second = digest(made_, b, root_, Parts::threads);
    if (!second) return second.error();
    OwnCalls own_a(original_.processes()[a].rank >= 0);
    OwnCalls own_b(made_.processes()[b].rank >= 0);
    ++out.processes;
    for (const auto& [one, other] : pair_up(*first, *second))
      if (const auto done = compare_stream(a, b, one, other, own_a, own_b); !done) return done.error();
    return {};
  }

  Comparison out;

 private:
  Result<void> compare_stream(std::size_t a, std::size_t b, const Digest* one, const Digest* other,
                              OwnCalls& own_a, OwnCalls& own_b) {
    Canonical canonical_a("");
    Canonical canonical_b(root_);
    std::optional<Calls> left;
    std::optional<Calls> right;
    if (one != nullptr) left.emplace(original_, a, one->stream, one->thread, own_a, canonical_a);
    if (other != nullptr) right.emplace(made_, b, other->stream, other->thread, own_b, canonical_b);
    const std::int64_t rank = original_.processes()[a].rank;
    std::string text_a;
    std::string text_b;
    for (std::uint64_t call = 0;; ++call) {
      const bool has_a = left && left->next(text_a);
      const bool has_b = right && right->next(text_b);
      if (!has_a && !has_b) break;
      out.calls += has_a ? 1 : 0;
      if (has_a && has_b && text_a == text_b) {
        ++out.same;
        continue;
      }
      if (has_a && has_b && left->record().function->name == right->record().function->name &&
          tells_outcome(*left->record().function)) {
        ++out.outcomes;
        continue;
      }
      ++out.differing;
      if (out.first.size() < kMostKept)
        out.first.push_back({rank, one != nullptr ? one->stream : other->stream, call, has_a ? text_a : "",
                             has_b ? text_b : ""});
    }
    for (auto* const calls : {&left, &right})
      if (*calls && (*calls)->error()) return *(*calls)->error();
    out.inner_original += left ? left->inner : 0;
    out.inner_made += right ? right->inner : 0;
    return {};
  }

  const trace::TraceFile& original_;
  const trace::TraceFile& made_;
  std::string root_;
};

// The processes that are compared: ranks by their rank, else the first of each.
std::vector<std::size_t> compared(const trace::TraceFile& trace) {
  std::vector<std::size_t> found;
  const auto processes = trace.processes();
  const bool ranks =
      std::any_of(processes.begin(), processes.end(), [](const auto& one) { return one.rank >= 0; });
  for (std::size_t i = 0; i < processes.size(); ++i)
    if (ranks ? processes[i].rank == static_cast<std::int64_t>(found.size())
              : found.empty() && processes[i].records() > 0)
      found.push_back(i);
  return found;
}

}  // namespace

Result<Comparison> compare(const trace::TraceFile& original, const trace::TraceFile& made,
                           const CompareOptions& options) {
  const std::vector<std::size_t> a = compared(original);
  const std::vector<std::size_t> b = compared(made);
  if (a.size() != b.size())
    return Error{Errc::bad_data, "has " + std::to_string(b.size()) + " processes and the original " +
                                     std::to_string(a.size())}
        .in(made.path().string());
  Comparer comparer(original, made, root_of(made, options));
  for (std::size_t i = 0; i < a.size(); ++i)
    if (const auto done = comparer.compare_process(a[i], b[i]); !done) return done.error();
  return std::move(comparer.out);
}

}  // namespace weir::proxy
