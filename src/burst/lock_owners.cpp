#include "burst/lock_owners.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace weir::burst {
namespace {

using namespace std::chrono_literals;

constexpr auto kPause = 20ms;

template <class Body, class Run>
void answer(ByteSpan body, Respond& respond, const Run& run) {
  const auto request = transport::unpack<Body>(body);
  if (!request) return std::move(respond).blame(encode_failure(kNoMessage));
  const auto outcome = run(*request);
  std::move(respond)(outcome ? encode_answer(outcome.body) : encode_failure(outcome.error));
}

}  // namespace

LockOwners::LockOwners(Home self, Layout layout, lock::Options options, LockPorts& ports)
    : self_(self), options_(options), ports_(ports), nodes_(layout.servers) {}

// --- lives ---

void LockOwners::start(std::uint64_t life) {
  life_ = life;
  if (life_ == 1) return;
  awaited_ = static_cast<std::uint32_t>(nodes_.size());
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) ask_node(node);
}

void LockOwners::ask_node(std::uint32_t node) {
  ask<LockOwnerStarted>(ports_, {node, self_.worker}, {self_.server, life_},
                        [this, node](const Outcome<NodeTokens>& outcome) {
                          if (!outcome) return ports_.after(kPause, [this, node] { ask_node(node); });
                          nodes_[node] = outcome.body.epoch;
                          for (const FileTokens& held : outcome.body.files) {
                            auto& said = said_[held.file];
                            for (const lock::Token& token : held.tokens) said.push_back({node, token});
                          }
                          if (--awaited_ == 0) all_have_said();
                        });
}

// Who holds tokens says so once more over its link, in the order of what else it has to say.
void LockOwners::all_have_said() {
  for (const auto& [file, tokens] : said_)
    if (has_file_(file))
      files_.emplace(file, std::make_unique<FileOwner>(
                               lock::LockOwner(options_, life_, tokens, std::span<const lock::NodeId>{})));
  said_.clear();
}

// The tokens of its earlier lives are free: what was written under them is flushed.
Outcome<OwnerLife> LockOwners::node_started(const LockNodeStarted& request) {
  if (request.node >= nodes_.size()) return {EPROTO, {}};
  if (awaited_ > 0) return {EAGAIN, {}};
  if (const int error = begin_(); error != 0) return {error, {}};
  if (request.epoch > nodes_[request.node]) {
    nodes_[request.node] = request.epoch;
    for (const auto& [file, held] : files_) {
      if (std::ranges::find(request.but, file) != request.but.end()) continue;
      lock::ToNodes out;
      held->owner.node_gone(request.node, request.epoch - 1, out);
      send(file, out);
    }
  }
  return {0, {life_}};
}

// --- messages ---

Outcome<Nothing> LockOwners::receive(const LockToOwner& request) {
  if (request.node >= nodes_.size()) return {EPROTO, {}};
  if (awaited_ > 0) return {EAGAIN, {}};
  if (!has_file_(request.file)) {
    files_.erase(request.file);
    return {ESTALE, {}};
  }
  if (request.stamp.agent_epoch < nodes_[request.node]) return {0, {}};  // said before it died
  auto& held = files_[request.file];
  if (!held) held = std::make_unique<FileOwner>(lock::LockOwner(options_, life_));
  lock::ToNodes out;
  held->owner.receive(request.node, request.stamp, unwrap(request), out);
  send(request.file, out);
  return {0, {}};
}

// A node that does not hear of it does when it says something about the file.
void LockOwners::file_gone(FileId file) {
  const auto held = files_.extract(file);
  if (held.empty()) return;
  for (const lock::NodeId node : held.mapped()->owner.nodes())
    ask<LockFileGone>(ports_, {node, self_.worker}, {file}, [](const Outcome<Nothing>&) {});
}

void LockOwners::send(FileId file, const lock::ToNodes& messages) {
  for (const lock::ToNode& message : messages)
    ask(ports_, {message.node, self_.worker}, wrap(file, message.stamp, message.message),
        [this, file](const Outcome<Nothing>& outcome) {
          if (!outcome) resend_soon(file);
        });
}

void LockOwners::resend_soon(FileId file) {
  const auto found = files_.find(file);
  if (found == files_.end() || std::exchange(found->second->resending, true)) return;
  ports_.after(kPause, [this, file] {
    const auto again = files_.find(file);
    if (again == files_.end()) return;
    again->second->resending = false;
    lock::ToNodes out;
    again->second->owner.resend(out);
    send(file, out);
  });
}

bool LockOwners::handle(const Header& header, ByteSpan body, Respond& respond) {
  switch (header.kind) {
    case Kind::lock_node_started:
      return answer<LockNodeStarted>(body, respond, [&](const auto& it) { return node_started(it); }), true;
    case Kind::lock_to_owner:
      return answer<LockToOwner>(body, respond, [&](const auto& it) { return receive(it); }), true;
    default:
      return false;
  }
}

}  // namespace weir::burst
