#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "burst/backing.hpp"
#include "burst/file_protocol.hpp"
#include "burst/lock_protocol.hpp"
#include "burst/name_protocol.hpp"
#include "burst/server_protocol.hpp"
#include "burst/shadows.hpp"
#include "burst/shard_state.hpp"
#include "burst/space_protocol.hpp"
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
  // `drains`: space can come back only when they are kept.
  virtual int keep(const std::vector<Change>& changes, bool drains) = 0;
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
  // While it is set clients change nothing: EROFS. What other servers ask for is done.
  void set_sealed(bool sealed) { sealed_ = sealed; }
  // More of a file are told in several answers.
  void set_most_extents(std::size_t extents) { most_extents_ = extents; }
  // Longer ones are refused: EMSGSIZE, and nothing is changed.
  void set_longest_answer(std::size_t bytes) { longest_answer_ = bytes; }
  // While starting: what the journal holds.
  void recover(const Change& change) { state_.apply(change); }

  const ShardState& state() const { return state_; }
  std::uint64_t bytes_flushed() const { return bytes_flushed_; }
  const Shadows& shadows() const { return shadows_; }
  std::uint64_t bytes_published() const { return bytes_published_; }
  // Flushes every file; `done` gets the first errno and the bytes written.
  void flush_all(std::function<void(Outcome<Flushed>)> done);

 private:
  using Changes = std::vector<Change>;
  // An answer that is not there yet.
  template <class Answer>
  using Then = std::function<void(Outcome<Answer>)>;
  // The same with changes that are kept together with the answer, in one commit: who asks again after a death
  // in between would be told that there is no such name.
  using End = std::function<void(Outcome<Nothing>, Changes)>;

  template <class Body>
  void at_once(const Header& header, ByteSpan body, Respond respond,
               Outcome<typename Body::Answer> (Shard::*run)(const Header&, const Body&, Changes&));
  template <class Body>
  void later(const Header& header, ByteSpan body, Respond respond,
             void (Shard::*run)(const Header&, const Body&, Then<typename Body::Answer>));
  template <class Body>
  void at_the_end(const Header& header, ByteSpan body, Respond respond,
                  void (Shard::*run)(const Header&, const Body&, End));
  // What was answered before, to one who asks again.
  Bytes answer_again(const Header& header, ByteSpan body, const Bytes& before) const;
  template <class Answer>
  Bytes conclude(const Header& header, Changes changes, const Outcome<Answer>& outcome);
  int commit(const Changes& changes, bool drains = false);

  // names.cpp
  Outcome<Opened> open(const Header& header, const Open& request, Changes& changes);
  Outcome<Stated> stat_name(const Header& header, const StatName& request, Changes& changes);
  Outcome<Names> list_names(const Header& header, const ListNames& request, Changes& changes);
  void unlink(const Header& header, const Unlink& request, End end);
  void rename(const Header& header, const Rename& request, End end);
  void check_name(const Header& header, const CheckName& request, Then<Nothing> then);
  void put_name(const Header& header, const PutName& request, Then<PathWasSet> then);
  void link_name(const Header& header, const LinkName& request, Then<Nothing> then);
  // The file behind a name: known, or taken over from the backing directory.
  Outcome<FileId> look_up(const std::string& path, Changes& changes);
  void drop(FileId file, const std::string& path, Then<Nothing> then);

  // files.cpp
  Outcome<Opened> open_file(const Header& header, const OpenFile& request, Changes& changes);
  Outcome<Nothing> close_file(const Header& header, const CloseFile& request, Changes& changes);
  Outcome<Attached> attach(const Header& header, const Attach& request, Changes& changes);
  Outcome<Appended> append(const Header& header, const Append& request, Changes& changes);
  void tell_extents(const FileState& file, Opened& answer) const;
  Outcome<Queried> query(const Header& header, const Query& request, Changes& changes);
  Outcome<Nothing> detach(const Header& header, const Detach& request, Changes& changes);
  Outcome<Nothing> truncate(const Header& header, const Truncate& request, Changes& changes);
  Outcome<Nothing> set_attributes(const Header& header, const SetAttributes& request, Changes& changes);
  Outcome<Reserved> reserve(const Header& header, const ReserveEnd& request, Changes& changes);
  Outcome<Stated> stat_file(const Header& header, const StatFile& request, Changes& changes);
  Outcome<Nothing> client_gone(const Header& header, const ClientGone& request, Changes& changes);
  bool allows(const FileState& file, std::uint32_t access) const;
  // Whether opening it this way is a change, or may lead to some, that nobody takes in.
  bool is_closed_to(bool truncate, std::uint32_t access) const;
  Outcome<Opened> opened(FileId id, const FileState& file, bool truncate, bool want_extents,
                         std::uint64_t client, Changes& changes);
  static Stated stated(FileId id, const FileState& file);
  template <class Request>
  bool has_sane_pieces(const Request& request) const;
  void let_go(FileId id, const FileState& file, Changes& changes);
  void close_once(FileId id, const FileState& file, std::uint64_t client, Changes& changes);

  // links.cpp
  Outcome<PathWasSet> set_path(const Header& header, const SetPath& request, Changes& changes);
  Outcome<Nothing> add_name(const Header& header, const AddName& request, Changes& changes);
  Outcome<Nothing> drop_name(const Header& header, const DropName& request, Changes& changes);
  // A rename in the backing directory, done now or by a server that died before it could write that down.
  int rename_behind(const std::string& from, const std::string& to) const;

  // verify.cpp
  Outcome<Nothing> note_write(const Header& header, const NoteWrite& request, Changes& changes);
  Outcome<NewestSeen> ask_newest(const Header& header, const AskNewest& request, Changes& changes);
  Outcome<Nothing> report_read(const Header& header, const ReportRead& request, Changes& changes);
  Outcome<Verdict> ask_verdict(const Header& header, const AskVerdict& request, Changes& changes);
  Outcome<Nothing> mark_clean(const Header& header, const MarkClean& request, Changes& changes);

  // give_up.cpp
  void give_up(const Header& header, const GiveUp& request, Then<StillNeeded> then);
  Outcome<StillNeeded> give_up_now(const GiveUp& request);

  // locks.cpp
  Outcome<Nothing> lock_flush(const Header& header, const LockFlush& request, Changes& changes);

  // flush.cpp
  void flush(const Header& header, const Flush& request, Then<Flushed> then);
  void flush_file(FileId id, Then<Flushed> then);
  // While its bytes are on their way to the backing file, that keeps its name, length and attributes.
  bool is_flushing(FileId id) const { return flushes_.contains(id); }
  void start_flush(FileId id);
  int put_other_names(FileId id) const;
  void end_flush(FileId id, Outcome<Flushed> outcome);

  Layout layout_;
  Home self_;
  const Backing& backing_;
  std::string private_folder_;
  ShardPorts& ports_;
  ShardState state_;
  Shadows shadows_;
  std::set<std::string> moving_;  // names that a rename is about to change
  // Names that are being put, what they were and the file; with those who wait for it.
  std::map<std::tuple<std::string, std::string, FileId>, std::vector<Then<PathWasSet>>> putting_;
  // Flushes under way, and those who wait for the next one of the same file.
  struct FlushTurn {
    std::vector<Then<Flushed>> now;
    std::vector<Then<Flushed>> next;
    std::vector<Place> places;  // that agents are reading
  };
  std::unordered_map<FileId, FlushTurn> flushes_;
  // Epoch and number of the last flush of a file from each node's tokens.
  std::unordered_map<FileId, std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>>> flushed_by_;
  bool sealed_ = false;
  std::size_t most_extents_ = ~std::size_t{0};
  std::size_t longest_answer_ = transport::kLongestMessage;
  std::uint64_t bytes_flushed_ = 0;
  std::uint64_t bytes_published_ = 0;
};

}  // namespace weir::burst
