#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "burst/lock/agent.hpp"
#include "burst/lock_flusher.hpp"
#include "burst/lock_ports.hpp"
#include "burst/lock_seats.hpp"
#include "transport/respond.hpp"

namespace weir::burst {

using transport::Respond;

// The node's side of the tokens, for the files of one worker: requests of local clients, tokens on the board,
// and what other nodes ask for. A lock::LockAgent per file decides, this carries it out. One thread.
//
// A token leaves in this order: off the board, no access to its blocks going on, what was written under it
// known to the owner, then yielded. An agent in a new life first sees to what its clients wrote under the
// tokens of the one before, and then tells every owner that it holds nothing.
class LockAgents {
 public:
  LockAgents(Home self, Layout layout, lock::Options options, std::filesystem::path folder, LockPorts& ports);

  // While starting: what an earlier life left.
  Result<void> recover() { return seats_.recover(); }
  // In the worker's thread, once it runs.
  void start();
  std::uint64_t life() const { return seats_.life(); }
  Result<void> begin() { return seats_.begin(); }

  // False when the kind is none of an agent's.
  bool handle(const Header& header, ByteSpan body, Respond& respond);
  void client_gone(std::uint64_t client);
  // Nothing more is written under the node's tokens (EROFS), and what has been is known to the owners: then
  // `done` gets zero. ECANCELED when go_on_writing() came first.
  void stop_writing(std::function<void(int)> done);
  void go_on_writing() { seats_.set_closed(false); }

  lock::Counters counters() const;
  std::size_t files() const { return files_.size(); }  // that tokens are held of, or were

 private:
  // What a client waits for.
  struct Waiting {
    std::uint64_t client = 0;
    lock::Blocks blocks;
    lock::Mode mode = lock::Mode::shared;
    std::uint64_t hold = 0;  // its number, if it is one
    std::shared_ptr<Respond> respond;
    std::function<void(const lock::LocalGrant&)> granted;
  };
  struct Hold {
    std::uint64_t client = 0;
    std::uint64_t number = 0;
    lock::Token token;
  };
  struct FileLocks {
    FileLocks(FileId id, lock::LockAgent with) : file(id), agent(std::move(with)) {}
    FileId file;
    lock::LockAgent agent;
    std::map<lock::LocalId, Waiting> waiting;
    std::map<lock::LocalId, Hold> holds;
    std::map<std::uint64_t, lock::Reclaim> reclaims;
    bool resending = false;
    bool passing = false;  // others are let pass soon
  };
  struct Kept {  // of the life before: who holds what of a file
    std::uint64_t client = 0;
    lock::HoldTable::Hold hold;
  };
  struct Owner {
    std::map<FileId, std::vector<Kept>> kept;  // until it is known
    bool known = false;                        // it knows of this life
    bool asking = false;                       // whether it does
    std::uint64_t epoch = 1;
    std::vector<std::function<void()>> waiting;
  };

  template <class Body>
  void decoded(const Header& header, ByteSpan body, Respond& respond,
               void (LockAgents::*run)(std::uint64_t client, const Body&, std::shared_ptr<Respond>));
  void take_seat(std::uint64_t client, const TakeSeat& request, std::shared_ptr<Respond> respond);
  void enter(std::uint64_t client, const LockEnter& request, std::shared_ptr<Respond> respond);
  void look(std::uint64_t client, const LockLook& request, std::shared_ptr<Respond> respond);
  void hold(std::uint64_t client, const LockHold& request, std::shared_ptr<Respond> respond);
  void release(std::uint64_t client, const LockRelease& request, std::shared_ptr<Respond> respond);
  void drain_file(std::uint64_t client, const LockDrain& request, std::shared_ptr<Respond> respond);
  void from_owner(std::uint64_t client, const LockFromOwner& request, std::shared_ptr<Respond> respond);
  void asked(std::uint64_t client, const LockAsk& request, std::shared_ptr<Respond> respond);
  void file_gone(std::uint64_t client, const LockFileGone& request, std::shared_ptr<Respond> respond);
  void owner_started(std::uint64_t client, const LockOwnerStarted& request, std::shared_ptr<Respond> respond);

  bool is_sane(FileId file, lock::Blocks blocks) const;
  FileLocks* find(FileId file);
  // Runs `work` with the file's locks once its owner knows of this life.
  void with(FileId file, std::function<void(FileLocks&)> work);
  void meet(std::uint32_t server);
  void met(std::uint32_t server, std::uint64_t epoch);
  void keep_holds();
  static std::vector<lock::Token> tokens_of(const std::vector<Kept>& kept);
  void wait_for_clients();
  void wait_for_writers(std::function<void(int)> done);
  lock::LocalId acquire(FileLocks& locks, Waiting waiting);
  void stop_entering(std::uint32_t slot);
  void carry_out(FileLocks& locks, lock::Actions actions);
  void send(FileLocks& locks, const lock::Stamp& stamp, const lock::ToOwner& message);
  void resend_soon(FileId file);
  void let_others_pass_soon(FileId file);
  void reclaim(FileId file, std::uint64_t id);
  void yield(FileId file, std::uint64_t id);
  void wait_unused(FileId file, lock::Blocks blocks, bool keeps_shared, int looks,
                   std::function<void()> done);
  void publish(FileLocks& locks, const lock::Token& token);
  void unpin(FileId file, lock::LocalId id);
  void forget(FileId file);
  void end_seat(std::uint64_t client);

  Home self_;
  lock::Options options_;
  LockPorts& ports_;
  LockSeats seats_;
  LockFlusher flusher_;
  std::vector<Owner> owners_;
  bool quiet_ =
      true;  // nobody works under tokens of an earlier life, and what was written under them is flushed
  std::unordered_map<FileId, std::unique_ptr<FileLocks>> files_;
  std::map<std::uint32_t, std::pair<FileId, lock::LocalId>> entering_;  // by slot
  lock::LocalId last_id_ = 0;
  lock::Counters counters_;  // of files that are gone
};

}  // namespace weir::burst
