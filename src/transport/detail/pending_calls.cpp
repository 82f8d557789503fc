#include "transport/detail/pending_calls.hpp"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/units.hpp"

namespace weir::transport::detail {

PendingCalls::PendingCalls(Loop& loop, OnTimeout on_timeout)
    : loop_(loop), on_timeout_(std::move(on_timeout)) {}

PendingCalls::~PendingCalls() {
  while (!calls_.empty()) finish(calls_.begin()->first, Error{Errc::io, "this end was closed"});
}

std::uint64_t PendingCalls::add(std::uint32_t to, std::uint64_t way, std::chrono::nanoseconds limit,
                                Fabric::Done done) {
  // Never used twice in a process: a fabric made again at the same address must not take answers to its
  // predecessor's calls for its own.
  static std::atomic<std::uint64_t> last_id = 0;
  const std::uint64_t id = ++last_id;
  const TimerId timer = loop_.after(limit, [this, id, limit] { end_by_limit(id, limit); });
  calls_.emplace(id, Call{to, way, std::chrono::steady_clock::now(), timer, std::move(done)});
  return id;
}

void PendingCalls::finish(std::uint64_t id, Result<Bytes> result) {
  const auto found = calls_.extract(id);
  if (found.empty()) return;
  loop_.cancel(found.mapped().timer);
  found.mapped().done(std::move(result));
}

void PendingCalls::end_by_limit(std::uint64_t id, std::chrono::nanoseconds limit) {
  const auto found = calls_.find(id);
  if (found == calls_.end()) return;
  const auto [to, since] = std::pair(found->second.to, found->second.since);
  // First this call, so that what on_timeout does to the others finds it gone.
  finish(id, Error{Errc::io, fmt::format("server {} did not answer within {}", to,
                                         format_duration(Nanoseconds(limit.count())))});
  if (on_timeout_) on_timeout_(to, since);
}

void PendingCalls::fail_all_on(std::uint64_t way, const Error& why) {
  std::vector<std::uint64_t> ids;
  for (const auto& [id, call] : calls_)
    if (call.way == way) ids.push_back(id);
  std::sort(ids.begin(), ids.end());
  for (const std::uint64_t id : ids) finish(id, why);
}

}  // namespace weir::transport::detail
