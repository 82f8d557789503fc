// Lives of agents and owners: who knows of whose.
#include <algorithm>
#include <cerrno>
#include <utility>

#include "burst/lock_agents.hpp"

namespace weir::burst {
namespace {

using namespace std::chrono_literals;
using lock::Actions;
using lock::Token;

constexpr auto kPause = 20ms;     // before something that failed is tried again
constexpr auto kLookLater = 1ms;  // whether clients are still at work

}  // namespace

void LockAgents::start() {
  if (seats_.life() == 1) return;
  quiet_ = false;
  wait_for_clients();
}

// Those that were in the middle of a write when the last life ended come to its end; then nothing is written
// any more that the flush would miss.
void LockAgents::wait_for_clients() {
  for (const std::uint64_t client : seats_.board().clients())
    if (!seats_.has(client)) seats_.board().clear(client);
  for (const std::uint64_t client : seats_.clients()) seats_.let_go(client);
  if (!seats_.board().all_users().empty()) return ports_.after(kLookLater, [this] { wait_for_clients(); });
  flusher_.flush_all([this] {
    quiet_ = true;
    for (const std::uint64_t client : seats_.clients()) end_seat(client);
    keep_holds();
    for (std::uint32_t server = 0; server < owners_.size(); ++server) meet(server);
  });
}

// What clients hold they go on holding.
void LockAgents::keep_holds() {
  for (const std::uint64_t client : seats_.clients())
    for (const lock::HoldTable::Hold& hold : seats_.holds(client)) {
      const FileId file{hold.file};
      if (is_sane(file, hold.token.blocks)) owners_[file.home().server].kept[file].push_back({client, hold});
    }
}

std::vector<Token> LockAgents::tokens_of(const std::vector<Kept>& kept) {
  std::vector<Token> tokens;
  for (const Kept& one : kept) tokens.push_back(one.hold.token);
  return tokens;
}

// Until the owner knows of this life it keeps the tokens of the one before for us: nobody else has them.
void LockAgents::meet(std::uint32_t server) {
  if (!quiet_ || std::exchange(owners_[server].asking, true)) return;
  LockNodeStarted message{.node = self_.server, .epoch = seats_.life(), .but = {}};
  for (const auto& [file, kept] : owners_[server].kept) message.but.push_back(file);
  ask(ports_, {server, self_.worker}, message, [this, server](const Outcome<OwnerLife>& outcome) {
    owners_[server].asking = false;
    if (!outcome) return ports_.after(kPause, [this, server] { meet(server); });
    met(server, outcome.body.epoch);
  });
}

void LockAgents::met(std::uint32_t server, std::uint64_t epoch) {
  Owner& owner = owners_[server];
  owner.known = true;
  owner.epoch = std::max(owner.epoch, epoch);
  for (const auto& [file, kept] : std::exchange(owner.kept, {})) {
    auto& locks = files_[file];
    locks = std::make_unique<FileLocks>(file, lock::LockAgent(self_.server, options_, seats_.life(), 0));
    locks->agent.adopt(tokens_of(kept));
    Actions hello;
    locks->agent.owner_restarted(owner.epoch, hello);
    carry_out(*locks, std::move(hello));
    for (const Kept& one : kept)
      acquire(*locks,
              {.client = one.client,
               .blocks = one.hold.token.blocks,
               .mode = one.hold.token.mode,
               .hold = one.hold.number,
               .respond = std::make_shared<Respond>(),
               .granted = [this, file = file, one](const lock::LocalGrant& grant) {
                 find(file)->holds.emplace(grant.id, Hold{one.client, one.hold.number, one.hold.token});
               }});
  }
  for (const auto& work : std::exchange(owner.waiting, {})) work();
}

void LockAgents::with(FileId file, std::function<void(FileLocks&)> work) {
  Owner& owner = owners_[file.home().server];
  if (!owner.known) {
    owner.waiting.push_back([this, file, work = std::move(work)] { with(file, work); });
    return meet(file.home().server);
  }
  auto& locks = files_[file];
  if (!locks)
    locks = std::make_unique<FileLocks>(file,
                                        lock::LockAgent(self_.server, options_, seats_.life(), owner.epoch));
  work(*locks);
}

void LockAgents::owner_started(std::uint64_t /*client*/, const LockOwnerStarted& request,
                               std::shared_ptr<Respond> respond) {
  if (request.server >= owners_.size()) return std::move(*respond)(encode_failure(EPROTO));
  // What was written under tokens of an earlier life is not flushed yet: the owner must not give them away.
  if (!quiet_) return std::move(*respond)(encode_failure(EAGAIN));
  Owner& owner = owners_[request.server];
  owner.epoch = std::max(owner.epoch, request.epoch);
  NodeTokens answer{.epoch = owner.known || !owner.kept.empty() ? seats_.life() : 0, .files = {}};
  for (const auto& [file, kept] : owner.kept) answer.files.push_back({file, tokens_of(kept)});
  std::vector<FileId> of_owner;
  for (const auto& [file, locks] : files_)
    if (file.home().server == request.server) of_owner.push_back(file);
  for (const FileId file : of_owner) answer.files.push_back({file, find(file)->agent.tokens()});
  std::move (*respond)(encode_answer(answer));
  for (const FileId file : of_owner) {
    FileLocks* const locks = find(file);
    if (locks == nullptr) continue;
    Actions actions;
    locks->agent.owner_restarted(request.epoch, actions);
    carry_out(*locks, std::move(actions));
  }
}

}  // namespace weir::burst
