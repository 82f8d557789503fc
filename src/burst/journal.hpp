#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace weir::burst {

// What a process must remember beyond its death: typed records in the order in which they were committed. One
// file, one writer; every byte is described in docs/formats/burst-journal.md.
//
// What commit() has returned for outlives the process, however it ends; the machine only after sync().
// Records of one commit() come back together or not at all.
class Journal {
 public:
  using Replay = std::function<void(std::uint32_t type, ByteSpan body)>;

  // Replays what is there, in order; a file that is not there is begun. A commit that was cut off at the end
  // by a crash is removed (cut_bytes() says how much). Damage before the end is an error that says what could
  // be saved, and leaves the file alone; so is a journal that another process has open.
  static Result<Journal> open(const std::filesystem::path& path, const Replay& replay);

  // Puts a record into the next commit().
  void add(std::uint32_t type, ByteSpan body);
  // Some room is taken from the device ahead of need, and not all may use all of it: on a device that others
  // have filled, nothing could be freed otherwise.
  enum class Room {
    plain,   // leaves some for the others
    drains,  // what must be noted before space can come back
    frees,   // what brings it back
  };
  // One write for all that was added. On an error (no space) none of it is in the journal, which stays
  // usable.
  Result<void> commit(Room room = Room::plain);
  Result<void> append(std::uint32_t type, ByteSpan body) {
    add(type, body);
    return commit();
  }
  // What is committed outlives the machine.
  Result<void> sync();

  // Replaces all records by those that `state` adds: the same state in fewer. Synced before it takes the old
  // one's place; on an error that one stays. What was added and not committed is dropped.
  using Add = std::function<void(std::uint32_t type, ByteSpan body)>;
  Result<void> replace(const std::function<void(const Add&)>& state);

  std::uint64_t size_bytes() const { return end_; }
  std::uint64_t records() const {
    return sequence_;
  }  // since the journal was begun, also those replaced since
  std::uint64_t cut_bytes() const { return cut_bytes_; }  // by open()

 private:
  Journal(UniqueFd fd, std::filesystem::path path) : fd_(std::move(fd)), path_(std::move(path)) {}
  Result<void> load(const Replay& replay);
  // Room for bytes up to `end`; false where the device has none.
  bool reserve(std::uint64_t end, Room room);
  Error failed(int error_number, std::string_view what) const;

  UniqueFd fd_;
  std::filesystem::path path_;
  std::uint64_t end_ = 0;       // of the last commit
  std::uint64_t reserved_ = 0;  // the device has given room up to here
  bool can_reserve_ = true;
  std::uint64_t sequence_ = 0;  // of the last record
  std::uint64_t cut_bytes_ = 0;
  std::uint64_t added_records_ = 0;
  std::size_t last_added_ = 0;  // where the last of them begins in added_
  std::vector<std::byte> added_;
};

// What can be read of a journal, damaged or not.
struct Salvage {
  std::uint64_t records = 0;        // replayed
  std::uint64_t damaged_bytes = 0;  // skipped in the middle
  std::uint64_t cut_bytes = 0;      // at the end, of a commit that never returned
  std::uint64_t lost_records = 0;   // missing between whole ones, by their numbers
  std::uint64_t first_damage = 0;   // byte of the file; with damaged_bytes
  std::uint64_t end = 0;            // of the last whole commit
  std::uint64_t sequence = 0;       // of its last record
};
// Replays the whole commits of a journal's bytes; an error only where the header is not one.
Result<Salvage> salvage_journal(ByteSpan file, const Journal::Replay& replay);
Result<Salvage> salvage_journal(const std::filesystem::path& path, const Journal::Replay& replay);

}  // namespace weir::burst
