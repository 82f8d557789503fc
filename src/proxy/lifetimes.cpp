#include "proxy/lifetimes.hpp"

#include <algorithm>
#include <array>

#include "proxy/needs.hpp"

namespace weir::proxy {

using trace::Value;

void Lifetimes::begin_stream(std::size_t stream) {
  stream_ = stream;
  spans_.resize(std::max(spans_.size(), stream + 1));
}

void Lifetimes::open(const trace::Record& record, std::uint64_t call, std::int64_t id) {
  if (const auto at = current_.find(id); at != current_.end()) {
    segments_.push_back(at->second);
    current_.erase(at);
  }
  Segment made;
  made.stream = stream_;
  made.id = id;
  made.opens = true;
  made.first_call = made.last_call = call;
  made.first_ns = made.last_ns = record.start_ns + static_cast<std::int64_t>(record.duration_ns);
  current_.emplace(id, std::move(made));
}

void Lifetimes::use(const trace::Record& record, std::uint64_t call, const Value& value, bool closes) {
  const auto id = static_cast<std::int64_t>(value.handle);
  auto at = current_.find(id);
  // Another file behind the same number: it was closed and opened elsewhere.
  if (at != current_.end() && !at->second.opens && at->second.name != value.text) {
    segments_.push_back(at->second);
    current_.erase(at);
    at = current_.end();
  }
  if (at == current_.end()) {
    Segment made;
    made.stream = stream_;
    made.id = id;
    made.first_call = call;
    made.first_ns = record.start_ns;
    made.descriptor = value.number;
    made.name = value.text;
    at = current_.emplace(id, std::move(made)).first;
  }
  Segment& now = at->second;
  now.last_call = call;
  now.last_ns = record.start_ns;
  if (!closes) return;
  now.closes = true;
  segments_.push_back(now);
  current_.erase(at);
}

void Lifetimes::add(const trace::Record& record, std::uint64_t call) {
  const trace::Function& function = *record.function;
  Span& span = spans_[stream_];
  span.first_ns = std::min(span.first_ns, record.start_ns);
  span.last_ns = std::max(span.last_ns, record.start_ns + static_cast<std::int64_t>(record.duration_ns));
  if (stream_ == 0) main_starts_.push_back(record.start_ns);
  for (const Value& value : record.arguments)
    if (value.kind == Value::Kind::handle && value.handle < trace::Shape::kNoHandle)
      use(record, call, value, function.closes && !record.failed());
  if (record.result.kind == Value::Kind::opened) open(record, call, record.result.handle);
  for (const Value& value : record.arguments)
    if (value.kind == Value::Kind::opened) open(record, call, value.handle);
}

void Lifetimes::end_stream() {
  for (auto& [id, segment] : current_) segments_.push_back(std::move(segment));
  current_.clear();
}

// Threads begin before the first call of the main thread that was not yet made when they began, and have
// ended before the first that was made when they had ended.
void Lifetimes::start_and_join(ProcessPlan& process, bool timed) const {
  const auto first_from = [&](std::int64_t time) {
    return static_cast<std::uint64_t>(std::lower_bound(main_starts_.begin(), main_starts_.end(), time) -
                                      main_starts_.begin());
  };
  for (std::size_t i = 1; i < process.streams.size(); ++i) {
    if (process.streams[i].calls == 0) continue;
    Action start{.before = timed ? first_from(spans_[i].first_ns) : 0,
                 .kind = "start",
                 .id = static_cast<std::int64_t>(i)};
    Action join{
        .before = timed ? std::max(first_from(spans_[i].last_ns), start.before) : process.streams[0].calls,
        .kind = "join",
        .id = static_cast<std::int64_t>(i)};
    process.streams[0].actions.push_back(std::move(start));
    process.streams[0].actions.push_back(std::move(join));
  }
}

std::uint32_t Lifetimes::finish(ProcessPlan& process, bool timed) {
  std::stable_sort(segments_.begin(), segments_.end(), [&](const Segment& a, const Segment& b) {
    return timed ? a.first_ns < b.first_ns : a.first_call < b.first_call && a.stream == b.stream;
  });
  // The order of those before one call: what lets others go on comes first.
  const auto order_of = [](const Action& action) {
    constexpr std::array kOrder = {"publish", "release", "start",          "set_end", "set_number",
                                   "inherit", "take",    "await_released", "join"};
    return std::find(kOrder.begin(), kOrder.end(), action.kind) - kOrder.begin();
  };
  struct Open {
    const Segment* by = nullptr;  // the last opening
    std::int64_t shared = -1;     // its number, if others use it
    std::int64_t users = 0;
  };
  std::uint32_t shared = 0;
  std::map<std::int64_t, Open> handles;
  for (const Segment& one : segments_) {
    Open& open = handles[one.id];
    std::vector<Action>& actions = process.streams[one.stream].actions;
    if (one.opens) {
      open = {.by = &one};
      continue;
    }
    const bool by_other = open.by != nullptr && open.by->stream != one.stream &&
                          (!timed || !open.by->closes || open.by->last_ns >= one.first_ns);
    if (by_other) {
      std::vector<Action>& opener = process.streams[open.by->stream].actions;
      if (open.shared < 0) {
        open.shared = shared++;
        opener.push_back(
            {.before = open.by->first_call + 1, .kind = "publish", .id = one.id, .part = open.shared});
      }
      actions.push_back({.before = one.first_call, .kind = "take", .id = one.id, .part = open.shared});
      actions.push_back({.before = one.last_call + 1, .kind = "release", .id = one.id, .part = open.shared});
      if (open.by->closes)
        opener.push_back({.before = open.by->last_call,
                          .kind = "await_released",
                          .id = one.id,
                          .part = open.shared,
                          .value = ++open.users});
      continue;
    }
    open = {};
    actions.push_back({.before = one.first_call,
                       .kind = "inherit",
                       .id = one.id,
                       .value = one.descriptor,
                       .name = one.name.starts_with('/') && !one.name.starts_with("/dev/") ? one.name
                               : one.descriptor == 0 ? std::string(kInput)
                                                     : std::string()});
  }
  start_and_join(process, timed);
  for (StreamPlan& stream : process.streams)
    std::stable_sort(stream.actions.begin(), stream.actions.end(), [&](const Action& a, const Action& b) {
      return a.before != b.before ? a.before < b.before : order_of(a) < order_of(b);
    });
  return shared;
}

}  // namespace weir::proxy
