// What the node's clients ask for.
#include <cerrno>
#include <limits>
#include <utility>

#include "burst/lock_agents.hpp"

namespace weir::burst {
namespace {

using namespace std::chrono_literals;
using lock::Actions;
using lock::Blocks;
using lock::Mode;

constexpr auto kPause = 20ms;     // before something that failed is tried again
constexpr auto kLookLater = 1ms;  // whether clients are still at work

}  // namespace

void LockAgents::take_seat(std::uint64_t client, const TakeSeat& /*request*/,
                           std::shared_ptr<Respond> respond) {
  const auto seat = seats_.take(client);
  std::move (*respond)(seat ? encode_answer(seat.body) : encode_failure(seat.error));
}

lock::LocalId LockAgents::acquire(FileLocks& locks, Waiting waiting) {
  const lock::LocalId id = ++last_id_;
  const auto [client, blocks, mode] = std::tuple{waiting.client, waiting.blocks, waiting.mode};
  locks.waiting.emplace(id, std::move(waiting));
  Actions actions;
  locks.agent.acquire(id, client, blocks, mode, actions);
  carry_out(locks, std::move(actions));
  return id;
}

void LockAgents::unpin(FileId file, lock::LocalId id) {
  FileLocks* const locks = find(file);
  if (locks == nullptr) return;
  Actions actions;
  locks->agent.release(id, actions);
  carry_out(*locks, std::move(actions));
}

// What the client was waiting for with this slot it waits for no longer.
void LockAgents::stop_entering(std::uint32_t slot) {
  const auto before = entering_.find(slot);
  if (before == entering_.end()) return;
  if (FileLocks* const locks = find(before->second.first)) locks->waiting.erase(before->second.second);
  entering_.erase(before);
}

void LockAgents::enter(std::uint64_t client, const LockEnter& request, std::shared_ptr<Respond> respond) {
  if (!seats_.owns(client, request.slot)) return std::move(*respond)(encode_failure(EPROTO));
  // A client that asks again, because an answer was lost or late, may have been entered before.
  stop_entering(request.slot);
  if (!seats_.board().end_untaken(request.slot)) return std::move(*respond)(encode_failure(EPROTO));
  if (request.blocks.empty()) return std::move(*respond)(encode_answer(Nothing{}));
  if (!is_sane(request.file, request.blocks)) return std::move(*respond)(encode_failure(EPROTO));
  const auto granted = [this, request, respond](const lock::LocalGrant& grant) {
    entering_.erase(request.slot);
    publish(*find(request.file), grant.token);
    seats_.board().enter_for(request.slot, request.file.value, request.blocks, Mode::exclusive);
    std::move (*respond)(encode_answer(Nothing{}));
    unpin(request.file, grant.id);
  };
  with(request.file, [this, client, request, respond, granted](FileLocks& locks) {
    entering_[request.slot] = {request.file, last_id_ + 1};
    acquire(locks, {.client = client,
                    .blocks = request.blocks,
                    .mode = Mode::exclusive,
                    .hold = 0,
                    .respond = respond,
                    .granted = granted});
  });
}

void LockAgents::look(std::uint64_t client, const LockLook& request, std::shared_ptr<Respond> respond) {
  const bool to_the_end = request.end >= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  Blocks blocks =
      lock::blocks_of(request.begin, request.begin < request.end ? request.end - request.begin : 0);
  if (to_the_end) blocks.end = lock::kLastBlock;
  if (!is_sane(request.file, blocks)) return std::move(*respond)(encode_failure(EPROTO));
  with(request.file, [this, client, request, blocks, respond = std::move(respond)](FileLocks& locks) {
    acquire(locks, {.client = client,
                    .blocks = blocks,
                    .mode = Mode::shared,
                    .hold = 0,
                    .respond = respond,
                    .granted = [this, request, respond](const lock::LocalGrant& grant) {
                      publish(*find(request.file), grant.token);
                      flusher_.flush(request.file, [this, request, respond, id = grant.id] {
                        ask<Query>(ports_, request.file.home(), {request.file, request.begin, request.end},
                                   [this, request, respond, id](const Outcome<Queried>& outcome) {
                                     std::move (*respond)(outcome ? encode_answer(outcome.body)
                                                                  : encode_failure(outcome.error));
                                     unpin(request.file, id);
                                   });
                      });
                    }});
  });
}

void LockAgents::hold(std::uint64_t client, const LockHold& request, std::shared_ptr<Respond> respond) {
  if (!is_sane(request.file, request.blocks)) return std::move(*respond)(encode_failure(EPROTO));
  with(request.file, [this, client, request, respond = std::move(respond)](FileLocks& locks) {
    for (const auto& [id, held] : locks.holds)  // asked again
      if (held.client == client && held.number == request.number)
        return std::move(*respond)(encode_answer(Nothing{}));
    acquire(locks,
            {.client = client,
             .blocks = request.blocks,
             .mode = request.mode,
             .hold = request.number,
             .respond = respond,
             .granted = [this, client, request, respond](const lock::LocalGrant& grant) {
               FileLocks& held = *find(request.file);
               if (!seats_.note_hold(client,
                                     {request.number, request.file.value, {request.blocks, request.mode}})) {
                 std::move (*respond)(encode_failure(ENOLCK));
                 return unpin(request.file, grant.id);
               }
               held.holds.emplace(grant.id, Hold{client, request.number, {request.blocks, request.mode}});
               // The others here ask the agent from now on, and wait.
               const bool shared = request.mode == Mode::shared;
               if (seats_.begun()) seats_.board().withdraw(request.file.value, request.blocks, shared);
               wait_unused(request.file, request.blocks, shared, 0,
                           [respond] { std::move (*respond)(encode_answer(Nothing{})); });
             }});
  });
}

void LockAgents::release(std::uint64_t client, const LockRelease& request, std::shared_ptr<Respond> respond) {
  std::move (*respond)(encode_answer(Nothing{}));
  if (!is_sane(request.file, {0, 1})) return;
  seats_.drop_hold(client, request.number);
  for (auto& [file, kept] : owners_[request.file.home().server].kept)
    std::erase_if(kept,
                  [&](const Kept& one) { return one.client == client && one.hold.number == request.number; });
  FileLocks* const locks = find(request.file);
  if (locks == nullptr) return;
  std::vector<lock::LocalId> ended;
  for (const auto& [id, hold] : locks->holds)
    if (hold.client == client && hold.number == request.number) ended.push_back(id);
  // One that its client no longer waits for is let go as soon as it is there.
  for (auto& [id, waiting] : locks->waiting)
    if (waiting.client == client && waiting.hold == request.number)
      waiting.granted = [this, file = request.file](const lock::LocalGrant& grant) { unpin(file, grant.id); };
  for (const lock::LocalId id : ended) {
    locks->holds.erase(id);
    unpin(request.file, id);
  }
}

void LockAgents::drain_file(std::uint64_t /*client*/, const LockDrain& request,
                            std::shared_ptr<Respond> respond) {
  const auto done = [respond = std::move(respond)] { std::move (*respond)(encode_answer(Nothing{})); };
  if (request.file)
    flusher_.flush(request.file, done);
  else
    flusher_.flush_all(done);
}

// Those that write now come to their end; the worker's thread looks again and does not wait.
void LockAgents::stop_writing(std::function<void(int)> done) {
  seats_.set_closed(true);
  wait_for_writers(std::move(done));
}

void LockAgents::wait_for_writers(std::function<void(int)> done) {
  if (!seats_.is_closed()) return done(ECANCELED);
  if (seats_.anybody_writes())
    return ports_.after(kLookLater, [this, done = std::move(done)] { wait_for_writers(done); });
  flusher_.flush_all([done = std::move(done)] { done(0); });
}

void LockAgents::client_gone(std::uint64_t client) {
  std::vector<FileId> files;
  for (const auto& [file, locks] : files_) files.push_back(file);
  for (const FileId file : files) {
    FileLocks& locks = *find(file);
    std::erase_if(locks.waiting, [&](const auto& entry) { return entry.second.client == client; });
    std::erase_if(entering_, [&](const auto& entry) { return seats_.owns(client, entry.first); });
    std::erase_if(locks.holds, [&](const auto& entry) { return entry.second.client == client; });
    Actions actions;
    locks.agent.client_gone(client, actions);
    carry_out(locks, std::move(actions));
  }
  end_seat(client);
}

// A connection can end before its process does, or for another reason: the ring tells.
void LockAgents::end_seat(std::uint64_t client) {
  if (!seats_.has(client) || !quiet_) return;
  if (!seats_.let_go(client)) return ports_.after(kPause, [this, client] { end_seat(client); });
  flusher_.flush_all([this, client] {
    if (!seats_.is_dirty(client)) seats_.remove(client);
  });
}

}  // namespace weir::burst
