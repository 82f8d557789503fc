#pragma once

#include <array>
#include <functional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "burst/backing.hpp"
#include "burst/shard_state.hpp"
#include "transport/respond.hpp"

namespace weir::burst {

using transport::Respond;

// What a shard needs of the server around it.
class ShardPorts {
 public:
  virtual ~ShardPorts() = default;
  // A request to another worker, here or elsewhere. `done` runs once, later, in the shard's thread.
  virtual void send(Home to, Bytes request, std::function<void(Result<Bytes>)> done) = 0;
  // Writes changes down, all or none; an errno, zero when they are kept.
  virtual int keep(const std::vector<Change>& changes) = 0;
  virtual std::int64_t now_ns() const = 0;  // since 1970
};

// One worker's share of the names and files, and what it answers. One thread only.
//
// A request that changes something is turned into changes; these are kept by the journal and only then
// done and answered. The shard waits for nobody: where another worker must do its part first, the rest
// follows when that has answered.
class Shard {
 public:
  // `private_folder`: in the backing directory, for what has lost its name.
  Shard(Layout layout, Home self, const Backing& backing, std::string private_folder, ShardPorts& ports)
      : layout_(layout),
        self_(self),
        backing_(backing),
        private_folder_(std::move(private_folder)),
        ports_(ports) {}

  void handle(const Header& header, ByteSpan body, Respond respond);
  // While starting: what the journal holds.
  void recover(const Change& change) { state_.apply(change); }

  const ShardState& state() const { return state_; }
  // Requests so far, by kind.
  std::uint64_t handled(Kind kind) const { return handled_[static_cast<std::size_t>(kind)]; }
  std::uint64_t bytes_flushed() const { return bytes_flushed_; }
  // Flushes every file; `done` gets the first errno and the bytes written.
  void flush_all(std::function<void(Outcome<Flushed>)> done);

 private:
  using Changes = std::vector<Change>;
  // An answer that is not there yet.
  template <class Answer>
  using Then = std::function<void(Outcome<Answer>)>;

  template <class Body>
  void at_once(const Header& header, ByteSpan body, Respond respond,
               Outcome<typename Body::Answer> (Shard::*run)(const Header&, const Body&, Changes&));
  template <class Body>
  void later(const Header& header, ByteSpan body, Respond respond,
             void (Shard::*run)(const Header&, const Body&, Then<typename Body::Answer>));
  template <class Answer>
  Bytes conclude(const Header& header, Changes changes, const Outcome<Answer>& outcome);
  int commit(const Changes& changes);

  // names.cpp
  Outcome<Opened> open(const Header& header, const Open& request, Changes& changes);
  Outcome<Stated> stat_name(const Header& header, const StatName& request, Changes& changes);
  Outcome<Names> list_names(const Header& header, const ListNames& request, Changes& changes);
  void unlink(const Header& header, const Unlink& request, Then<Nothing> then);
  void rename(const Header& header, const Rename& request, Then<Nothing> then);
  void put_name(const Header& header, const PutName& request, Then<Nothing> then);
  // The file behind a name: known, or taken over from the backing directory.
  Outcome<FileId> look_up(const std::string& path, Changes& changes);
  void drop(FileId file, const std::string& path, Then<Nothing> then);

  // files.cpp
  Outcome<Opened> open_file(const Header& header, const OpenFile& request, Changes& changes);
  Outcome<Nothing> close_file(const Header& header, const CloseFile& request, Changes& changes);
  Outcome<Attached> attach(const Header& header, const Attach& request, Changes& changes);
  Outcome<Queried> query(const Header& header, const Query& request, Changes& changes);
  Outcome<Nothing> detach(const Header& header, const Detach& request, Changes& changes);
  Outcome<Nothing> truncate(const Header& header, const Truncate& request, Changes& changes);
  Outcome<Reserved> reserve(const Header& header, const ReserveEnd& request, Changes& changes);
  Outcome<Stated> stat_file(const Header& header, const StatFile& request, Changes& changes);
  Outcome<Nothing> set_path(const Header& header, const SetPath& request, Changes& changes);
  Outcome<Nothing> drop_name(const Header& header, const DropName& request, Changes& changes);
  Outcome<Nothing> client_gone(const Header& header, const ClientGone& request, Changes& changes);
  Outcome<Opened> opened(FileId id, const FileState& file, bool truncate, bool want_extents,
                         std::uint64_t client, Changes& changes);
  static Stated stated(FileId id, const FileState& file);
  void let_go(FileId id, const FileState& file, Changes& changes);
  void close_once(FileId id, const FileState& file, std::uint64_t client, Changes& changes);

  // flush.cpp
  void flush(const Header& header, const Flush& request, Then<Flushed> then);
  void flush_file(FileId id, Then<Flushed> then);
  void start_flush(FileId id);
  void end_flush(FileId id, Outcome<Flushed> outcome);

  Layout layout_;
  Home self_;
  const Backing& backing_;
  std::string private_folder_;
  ShardPorts& ports_;
  ShardState state_;
  std::set<std::string> moving_;  // names that a rename is about to change
  // Flushes under way, and those who wait for the next one of the same file.
  struct FlushTurn {
    std::vector<Then<Flushed>> now;
    std::vector<Then<Flushed>> next;
  };
  std::unordered_map<FileId, FlushTurn> flushes_;
  std::uint64_t bytes_flushed_ = 0;
  std::array<std::uint64_t, 64> handled_{};
};

}  // namespace weir::burst
