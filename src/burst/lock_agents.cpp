#include "burst/lock_agents.hpp"

#include <cerrno>
#include <utility>

#include "base/log.hpp"

namespace weir::burst {
namespace {

using namespace std::chrono_literals;
using lock::Actions;
using lock::Blocks;
using lock::BlockSet;
using lock::Token;

constexpr auto kPause = 20ms;     // before something that failed is tried again
constexpr auto kLong = 100ms;     // for others to give up a token; twice that at most
constexpr auto kLookSoon = 20us;  // whether an access is over
constexpr auto kLookLater = 1ms;
constexpr int kSoonLooks = 50;
// A client that has not taken what was entered for it after so many looks has given up waiting, or may ask
// again.
constexpr int kUntakenLooks = 300;

}  // namespace

LockAgents::LockAgents(Home self, Layout layout, lock::Options options, std::filesystem::path folder,
                       LockPorts& ports)
    : self_(self),
      options_(options),
      ports_(ports),
      seats_(std::move(folder), layout, self),
      flusher_(self, seats_, ports),
      owners_(layout.servers) {}

LockAgents::FileLocks* LockAgents::find(FileId file) {
  const auto found = files_.find(file);
  return found == files_.end() ? nullptr : found->second.get();
}

bool LockAgents::is_sane(FileId file, Blocks blocks) const {
  return file.home().server < owners_.size() && file.home().worker == self_.worker && !blocks.empty();
}

// --- what the file's manager wants done ---

void LockAgents::carry_out(FileLocks& locks, Actions actions) {
  const FileId file = locks.file;
  for (const auto& [stamp, message] : actions.to_owner) send(locks, stamp, message);
  for (const auto& [node, question] : actions.asks)
    ask<LockAsk>(ports_, {node, self_.worker}, {file, question},
                 [this, file](const Outcome<Nothing>& outcome) {
                   if (!outcome) resend_soon(file);
                 });
  if (locks.agent.holds_others_up()) let_others_pass_soon(file);
  for (const lock::Reclaim& reclaim : actions.reclaims) locks.reclaims.emplace(reclaim.id, reclaim);
  for (const Token& token : actions.lost) {
    warn("a token of file {:#x} was given to another node", file.value);
    if (seats_.begun()) seats_.board().withdraw(file.value, token.blocks);
  }
  for (const lock::LocalGrant& grant : actions.granted) {
    const auto waiting = locks.waiting.find(grant.id);
    if (waiting == locks.waiting.end()) {
      unpin(file, grant.id);
      continue;
    }
    const auto granted = std::move(waiting->second.granted);
    locks.waiting.erase(waiting);
    granted(grant);
  }
  for (const lock::Reclaim& reclaim : actions.reclaims) this->reclaim(file, reclaim.id);
}

void LockAgents::send(FileLocks& locks, const lock::Stamp& stamp, const lock::ToOwner& message) {
  const FileId file = locks.file;
  ask(ports_, file.home(), wrap(file, self_.server, stamp, message),
      [this, file](const Outcome<Nothing>& outcome) {
        if (outcome.error == ESTALE) return forget(file);
        if (!outcome) resend_soon(file);
      });
}

void LockAgents::resend_soon(FileId file) {
  FileLocks* const locks = find(file);
  if (locks == nullptr || std::exchange(locks->resending, true)) return;
  ports_.after(kPause, [this, file] {
    FileLocks* const again = find(file);
    if (again == nullptr) return;
    again->resending = false;
    Actions actions;
    again->agent.resend(actions);
    carry_out(*again, std::move(actions));
  });
}

void LockAgents::let_others_pass_soon(FileId file) {
  FileLocks* const locks = find(file);
  if (locks == nullptr || std::exchange(locks->passing, true)) return;
  ports_.after(kLong, [this, file] {
    FileLocks* const again = find(file);
    if (again == nullptr) return;
    again->passing = false;
    Actions actions;
    again->agent.let_others_pass(actions);
    carry_out(*again, std::move(actions));
  });
}

// The owner has no such file any more: nobody will ask for its tokens.
void LockAgents::forget(FileId file) {
  const auto found = files_.find(file);
  if (found == files_.end()) return;
  const auto locks = std::move(found->second);
  files_.erase(found);
  if (seats_.begun()) seats_.board().withdraw(file.value, {0, lock::kLastBlock});
  std::erase_if(entering_, [&](const auto& entry) { return entry.second.first == file; });
  for (const auto& [id, waiting] : locks->waiting)
    if (*waiting.respond) std::move (*waiting.respond)(encode_failure(ESTALE));
  const lock::Counters& counted = locks->agent.counters();
  counters_.fresh += counted.fresh;
  counters_.local += counted.local;
  counters_.conflict += counted.conflict;
}

// Only what is neither about to leave nor held by one client for itself.
void LockAgents::publish(FileLocks& locks, const Token& token) {
  if (!seats_.begun()) return;
  BlockSet free;
  free.add(token.blocks);
  for (const auto& [id, reclaim] : locks.reclaims) free.remove(reclaim.blocks);
  for (const auto& [id, hold] : locks.holds) free.remove(hold.token.blocks);
  for (const Blocks& run : free.runs()) seats_.board().publish(locks.file.value, {run, token.mode});
}

void LockAgents::reclaim(FileId file, std::uint64_t id) {
  FileLocks* const locks = find(file);
  if (locks == nullptr || !locks->reclaims.contains(id)) return;
  const lock::Reclaim what = locks->reclaims.at(id);
  if (!seats_.begun()) return yield(file, id);
  seats_.board().withdraw(file.value, what.blocks, what.keeps_shared);
  wait_unused(file, what.blocks, what.keeps_shared, 0, [this, file, id, modified = what.modified] {
    if (!modified) return yield(file, id);
    flusher_.flush(file, [this, file, id] { yield(file, id); });
  });
}

void LockAgents::yield(FileId file, std::uint64_t id) {
  FileLocks* const locks = find(file);
  if (locks == nullptr) return;
  locks->reclaims.erase(id);
  Actions actions;
  locks->agent.reclaimed(id, actions);
  carry_out(*locks, std::move(actions));
}

// The worker's thread does not wait: it looks again.
void LockAgents::wait_unused(FileId file, Blocks blocks, bool keeps_shared, int looks,
                             std::function<void()> done) {
  if (!seats_.begun() || !seats_.board().in_use(file.value, blocks, keeps_shared)) return done();
  if (looks > kUntakenLooks)
    for (const std::uint64_t client : seats_.board().users(file.value, blocks, keeps_shared))
      for (const std::uint32_t slot : seats_.board().slots_of(client)) seats_.board().end_untaken(slot);
  ports_.after(
      looks < kSoonLooks ? std::chrono::nanoseconds(kLookSoon) : std::chrono::nanoseconds(kLookLater),
      [this, file, blocks, keeps_shared, looks, done = std::move(done)] {
        wait_unused(file, blocks, keeps_shared, looks + 1, done);
      });
}

// --- messages ---

void LockAgents::from_owner(std::uint64_t /*client*/, const LockFromOwner& request,
                            std::shared_ptr<Respond> respond) {
  std::move (*respond)(encode_answer(Nothing{}));
  FileLocks* const locks = find(request.file);
  if (locks == nullptr) return;
  Actions actions;
  locks->agent.receive(request.stamp, unwrap(request), actions);
  carry_out(*locks, std::move(actions));
}

void LockAgents::asked(std::uint64_t /*client*/, const LockAsk& request, std::shared_ptr<Respond> respond) {
  std::move (*respond)(encode_answer(Nothing{}));
  FileLocks* const locks = find(request.file);
  if (locks == nullptr) return;
  if (seats_.begun())
    seats_.board().recent_use(request.file.value, [&](lock::ClientId client, Blocks blocks) {
      locks->agent.note_use(client, blocks);
    });
  Actions actions;
  locks->agent.receive(request.ask, actions);
  carry_out(*locks, std::move(actions));
}

void LockAgents::file_gone(std::uint64_t /*client*/, const LockFileGone& request,
                           std::shared_ptr<Respond> respond) {
  std::move (*respond)(encode_answer(Nothing{}));
  forget(request.file);
}

template <class Body>
void LockAgents::decoded(const Header& header, ByteSpan body, Respond& respond,
                         void (LockAgents::*run)(std::uint64_t, const Body&, std::shared_ptr<Respond>)) {
  const auto request = transport::unpack<Body>(body);
  if (!request) return std::move(respond).blame(encode_failure(kNoMessage));
  (this->*run)(header.client, *request, std::make_shared<Respond>(std::move(respond)));
}

bool LockAgents::handle(const Header& header, ByteSpan body, Respond& respond) {
  switch (header.kind) {
    case Kind::lock_seat:
      return decoded<TakeSeat>(header, body, respond, &LockAgents::take_seat), true;
    case Kind::lock_enter:
      return decoded<LockEnter>(header, body, respond, &LockAgents::enter), true;
    case Kind::lock_look:
      return decoded<LockLook>(header, body, respond, &LockAgents::look), true;
    case Kind::lock_hold:
      return decoded<LockHold>(header, body, respond, &LockAgents::hold), true;
    case Kind::lock_release:
      return decoded<LockRelease>(header, body, respond, &LockAgents::release), true;
    case Kind::lock_drain:
      return decoded<LockDrain>(header, body, respond, &LockAgents::drain_file), true;
    case Kind::lock_owner_started:
      return decoded<LockOwnerStarted>(header, body, respond, &LockAgents::owner_started), true;
    case Kind::lock_from_owner:
      return decoded<LockFromOwner>(header, body, respond, &LockAgents::from_owner), true;
    case Kind::lock_ask:
      return decoded<LockAsk>(header, body, respond, &LockAgents::asked), true;
    case Kind::lock_file_gone:
      return decoded<LockFileGone>(header, body, respond, &LockAgents::file_gone), true;
    default:
      return false;
  }
}

lock::Counters LockAgents::counters() const {
  lock::Counters sum = counters_;
  for (const auto& [file, locks] : files_) {
    const lock::Counters& counted = locks->agent.counters();
    sum.fresh += counted.fresh;
    sum.local += counted.local;
    sum.conflict += counted.conflict;
  }
  sum.local += seats_.local_accesses();
  return sum;
}

}  // namespace weir::burst
