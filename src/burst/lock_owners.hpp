#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "burst/lock/owner.hpp"
#include "burst/lock_ports.hpp"
#include "transport/respond.hpp"

namespace weir::burst {

using transport::Respond;

// The global side of the tokens, for the files that one worker owns: a lock::LockOwner per file. One thread.
//
// Tokens are not in the journal: in a new life the owner asks every node what it holds, and until all of them
// have said so it neither grants nor takes back anything. A node that stays away keeps its tokens.
class LockOwners {
 public:
  LockOwners(Home self, Layout layout, lock::Options options, LockPorts& ports);

  // `life`: the number of this one. Later ones than the first ask the nodes.
  void start(std::uint64_t life);
  // Whether the owner still has the file.
  void on_find(std::function<bool(FileId)> has_file) { has_file_ = std::move(has_file); }
  // Called before the first token is granted: this life must have a number that the next one finds.
  void on_first_use(std::function<int()> begin) { begin_ = std::move(begin); }

  // The file's tokens are nothing any more, here and on the nodes.
  void file_gone(FileId file);
  std::size_t files() const { return files_.size(); }  // that tokens were asked for of

  // False when the kind is none of an owner's.
  bool handle(const Header& header, ByteSpan body, Respond& respond);

 private:
  struct FileOwner {
    explicit FileOwner(lock::LockOwner with) : owner(std::move(with)) {}
    lock::LockOwner owner;
    bool resending = false;
  };

  Outcome<OwnerLife> node_started(const LockNodeStarted& request);
  Outcome<Nothing> receive(const LockToOwner& request);
  void ask_node(std::uint32_t node);
  void all_have_said();
  void send(FileId file, const lock::ToNodes& messages);
  void resend_soon(FileId file);

  Home self_;
  lock::Options options_;
  LockPorts& ports_;
  std::function<bool(FileId)> has_file_;
  std::function<int()> begin_;
  std::uint64_t life_ = 1;
  std::uint32_t awaited_ = 0;                                      // nodes that have not said what they hold
  std::vector<std::uint64_t> nodes_;                               // their lives, as far as known
  std::unordered_map<FileId, std::vector<lock::HeldToken>> said_;  // while they are awaited
  std::unordered_map<FileId, std::unique_ptr<FileOwner>> files_;
};

}  // namespace weir::burst
