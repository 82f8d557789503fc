#include "burst/grants.hpp"

#include <cerrno>
#include <utility>

namespace weir::burst {

void Grants::ask(std::uint64_t client, const GrantSegment& request, transport::Respond respond) {
  collector_.told(client, request.use);
  const auto waiting = std::make_shared<Waiting>();
  waiting->client = client;
  waiting->number = static_cast<std::uint32_t>(request.number);
  waiting->bytes = request.bytes;
  waiting->respond = std::move(respond);
  const auto granted = store_.make(client, waiting->number, request.bytes);
  if (granted.error != ENOSPC) {
    answer(*waiting, granted);
    return collector_.made_one(how_far());
  }
  // The client waits no longer than the job's limit, and it must be answered before.
  const std::chrono::milliseconds patience(job_.limit_ms / 2);
  waiting->until = Clock::now() + patience;
  loop_.after(patience, [this, waiting] { give_up_waiting(*waiting); });
  wait_for_room(waiting);
}

void Grants::wait_for_room(const std::shared_ptr<Waiting>& waiting) {
  collector_.collect(how_far(), [this, waiting](std::uint64_t bytes) {
    if (!waiting->respond) return;
    const auto granted = store_.make(waiting->client, waiting->number, waiting->bytes);
    if (granted.error != ENOSPC) return answer(*waiting, granted);
    // Others may have been quicker; where nothing came back, nothing will.
    if (bytes > 0 && Clock::now() < waiting->until) return wait_for_room(waiting);
    give_up_waiting(*waiting);
  });
}

void Grants::give_up_waiting(Waiting& waiting) {
  if (!waiting.respond) return;
  Outcome<GrantedSegment> granted{ENOSPC, {}};
  if (job_.when_full == WhenFull::spill)
    granted = store_.spill(waiting.client, waiting.number, waiting.bytes);
  if (!granted) granted.error = ENOSPC;  // wherever it could have been
  answer(waiting, granted);
}

void Grants::answer(Waiting& waiting, const Outcome<GrantedSegment>& granted) {
  std::move(waiting.respond)(granted ? encode_answer(granted.body) : encode_failure(granted.error));
}

}  // namespace weir::burst
