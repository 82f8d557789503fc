#include "burst/journal.hpp"

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/check.hpp"
#include "base/file.hpp"
#include "burst/journal_records.hpp"

namespace weir::burst {
namespace {

namespace fs = std::filesystem;

int write_at(int fd, ByteSpan bytes, std::uint64_t position) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(position));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    position += static_cast<std::uint64_t>(written);
  }
  return 0;
}

Result<void> lock_alone(int fd, const fs::path& path) {
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return {};
  if (errno != EWOULDBLOCK) return Error::from_errno(errno, "cannot lock").in(path.string());
  return Error{Errc::usage, "another process has this journal open"}
      .in(path.string())
      .with_remedy("stop that server first");
}

// What a replacement left behind that did not end.
void remove_left_over(const fs::path& path) {
  const std::string begin = path.filename().string() + ".";
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (const std::string name = entry.path().filename().string();
        name.starts_with(begin) && name.ends_with(".tmp"))
      fs::remove(entry.path(), ignored);
}

// How much is taken at once, and how much is left for others.
constexpr std::uint64_t kStep = std::uint64_t{512} << 10;
constexpr std::uint64_t spare_behind(Journal::Room room) {
  return room == Journal::Room::plain ? 2 * kStep : room == Journal::Room::drains ? kStep : 0;
}

// Where a record begins at or behind `from`; none: the end.
std::size_t next_record(ByteSpan file, std::size_t from) {
  for (std::size_t at = from; at + kRecordHeader <= file.size(); at += 8)
    if (read_record(file.subspan(at))) return at;
  return file.size();
}

}  // namespace

Result<Salvage> salvage_journal(ByteSpan file, const Journal::Replay& replay) {
  const auto first = read_journal_header(file);
  if (!first) return first.error();
  Salvage found;
  found.sequence = *first;
  found.end = kJournalHeader;
  std::vector<JournalRecord> in_commit;  // waits for its end
  std::uint64_t damage_at = 0;  // since the last whole commit: with nothing whole behind it, a torn end
  std::uint64_t damage = 0;
  for (std::size_t at = kJournalHeader; at < file.size();) {
    const auto record = read_record(file.subspan(at));
    if (!record) {
      const std::size_t next = next_record(file, at + 8);
      if (damage == 0) damage_at = at;
      damage += next - at;
      in_commit.clear();  // of which something is missing
      at = next;
      continue;
    }
    at += record->size;
    if (record->begins_commit)
      in_commit.clear();
    else if (in_commit.empty() || record->sequence != in_commit.back().sequence + 1)
      continue;  // the rest of one whose begin is missing
    in_commit.push_back(*record);
    if (!record->ends_commit) continue;
    for (const JournalRecord& whole : in_commit) replay(whole.type, whole.body);
    found.records += in_commit.size();
    in_commit.clear();
    if (found.damaged_bytes == 0) found.first_damage = damage_at;
    found.damaged_bytes += std::exchange(damage, 0);
    found.end = at;
    found.sequence = record->sequence;
  }
  found.cut_bytes = file.size() - found.end;
  found.lost_records = found.sequence - *first - found.records;
  return found;
}

Result<Salvage> salvage_journal(const fs::path& path, const Journal::Replay& replay) {
  const auto text = read_text(path);
  if (!text) return text.error();
  auto found = salvage_journal(as_bytes(*text), replay);
  return found ? found : found.error().in(path.string());
}

Error Journal::failed(int error_number, std::string_view what) const {
  return Error::from_errno(error_number, what).in(path_.string());
}

Result<Journal> Journal::open(const fs::path& path, const Replay& replay) {
  auto fd = open_file(path, O_RDWR | O_CREAT, 0600);
  if (!fd) return fd.error();
  if (auto alone = lock_alone(fd->get(), path); !alone) return alone.error();
  remove_left_over(path);
  Journal journal(std::move(*fd), path);
  if (auto loaded = journal.load(replay); !loaded) return loaded.error();
  return journal;
}

bool Journal::reserve(std::uint64_t end, Room room) {
  const std::uint64_t wanted = end + spare_behind(Room::plain);
  if (!can_reserve_ || wanted <= reserved_) return true;
  const std::uint64_t from = std::max(reserved_, end_);
  for (const std::uint64_t to : {wanted + kStep, wanted}) {
    int done = -1;
    do
      done = ::fallocate(fd_.get(), FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from),
                         static_cast<off_t>(to - from));
    while (done != 0 && errno == EINTR);
    if (done == 0) {
      reserved_ = to;
      return true;
    }
    if (errno == ENOSPC || errno == EDQUOT) continue;
    can_reserve_ = false;  // not on this file system
    return true;
  }
  return end + spare_behind(room) <= reserved_;
}

Result<void> Journal::load(const Replay& replay) {
  const auto text = read_text(path_);
  if (!text) return text.error();
  ByteSpan file = as_bytes(*text);
  // A process that died while it began the journal committed nothing.
  if (file.size() < kJournalHeader) {
    cut_bytes_ = file.size();
    const std::vector<std::byte> header = journal_header(0);
    if (const int error = write_at(fd_.get(), header, 0); error != 0) {
      if (file.empty()) ::ftruncate(fd_.get(), 0);
      return failed(error, "cannot begin the journal");
    }
    end_ = kJournalHeader;
    static_cast<void>(reserve(end_, Room::plain));
    return {};
  }
  // Damage is looked for first: a state half replayed would be nobody's state.
  const auto found = salvage_journal(file, [](std::uint32_t, ByteSpan) {});
  if (!found) return found.error().in(path_.string());
  if (found->damaged_bytes != 0 || found->lost_records != 0)
    return Error{Errc::bad_data, fmt::format("damaged at byte {}: {} records are whole, {} are lost",
                                             found->damaged_bytes != 0 ? found->first_damage : found->end,
                                             found->records, found->lost_records)}
        .in(path_.string())
        .with_remedy("restore the file, or save what is whole with weir fs recover");
  static_cast<void>(salvage_journal(file, replay));
  if (found->cut_bytes != 0 && ::ftruncate(fd_.get(), static_cast<off_t>(found->end)) != 0)
    return failed(errno, "cannot cut the unfinished end");
  end_ = found->end;
  sequence_ = found->sequence;
  cut_bytes_ = found->cut_bytes;
  static_cast<void>(reserve(end_, Room::plain));
  return {};
}

void Journal::add(std::uint32_t type, ByteSpan body) {
  WEIR_CHECK(body.size() <= kLongestRecord, "record of {} bytes", body.size());
  last_added_ = added_.size();
  add_record(added_, type, ++sequence_, body, added_records_++ == 0);
}

Result<void> Journal::commit(Room room) {
  if (added_.empty()) return {};
  end_commit(std::span(added_).subspan(last_added_));
  int error = reserve(end_ + added_.size(), room) ? 0 : ENOSPC;
  const bool tried = error == 0;
  if (tried) error = write_at(fd_.get(), added_, end_);
  if (error == 0) end_ += added_.size();
  if (error != 0) sequence_ -= added_records_;
  if (error != 0 && tried) {
    // If this fails too, the next commit writes over it; a restart before that cuts it off.
    static_cast<void>(::ftruncate(fd_.get(), static_cast<off_t>(end_)));
    reserved_ = end_;
  }
  added_.clear();
  added_records_ = 0;
  if (error != 0) return failed(error, "cannot write");
  return {};
}

Result<void> Journal::sync() {
  if (::fdatasync(fd_.get()) != 0) return failed(errno, "cannot sync");
  return {};
}

Result<void> Journal::replace(const std::function<void(const Add&)>& state) {
  constexpr std::size_t kAtOnce = std::size_t{1} << 20;
  sequence_ -= std::exchange(added_records_, 0);
  added_.clear();
  auto file = AtomicFile::create(path_, 0600);
  if (!file) return file.error();
  // One commit, so that a reader has all of the state. Written in steps, always but for the last record.
  std::uint64_t sequence = sequence_;
  std::uint64_t size = kJournalHeader;
  Result<void> written = file->write(journal_header(sequence_));
  std::vector<std::byte> bytes;
  std::size_t last = 0;
  state([&](std::uint32_t type, ByteSpan body) {
    if (!written) return;
    if (bytes.size() >= kAtOnce) {
      written = file->write(bytes);
      size += bytes.size();
      bytes.clear();
    }
    last = bytes.size();
    ++sequence;
    add_record(bytes, type, sequence, body, sequence == sequence_ + 1);
  });
  if (written && !bytes.empty()) {
    end_commit(std::span(bytes).subspan(last));
    written = file->write(bytes);
    size += bytes.size();
  }
  if (!written) return written.error().in(path_.string());
  if (auto committed = file->commit(); !committed) return committed.error();
  fd_.reset();  // nothing may go to the old one any more
  auto fd = open_file(path_, O_RDWR);
  if (!fd) return fd.error();
  if (auto alone = lock_alone(fd->get(), path_); !alone) return alone.error();
  fd_ = std::move(*fd);
  end_ = reserved_ = size;
  sequence_ = sequence;
  static_cast<void>(reserve(end_, Room::plain));
  return {};
}

}  // namespace weir::burst
