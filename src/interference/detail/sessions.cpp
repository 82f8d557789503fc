#include "interference/detail/sessions.hpp"

#include "consistency/operation.hpp"

namespace weir::interference::detail {
namespace {

using consistency::Operation;
using consistency::Operations;
using semantics::Access;
using semantics::Member;
using semantics::SyncPoint;

constexpr std::uint32_t kOpens = Operations({Operation::open, Operation::fopen, Operation::mpi_open}).bits();
constexpr std::uint32_t kCloses =
    Operations({Operation::close, Operation::fclose, Operation::mpi_close}).bits();
constexpr std::uint32_t kFlushes = Operations({Operation::fsync, Operation::fdatasync, Operation::sync,
                                               Operation::msync, Operation::mpi_sync})
                                       .bits();

bool any(const Member& member, std::uint32_t from, std::uint32_t to, std::uint32_t operations) {
  for (std::uint32_t i = from; i < to && i < member.syncs.size(); ++i)
    if ((member.syncs[i].operations & operations) != 0) return true;
  return false;
}

class Reader {
 public:
  explicit Reader(const Member& member) : member_(&member) {}

  void take(const Access& access, std::vector<Session>& into) {
    if (open_ && any(*member_, syncs_, access.syncs, kOpens | kCloses)) finish(access.syncs, into);
    add(access);
  }
  void end(std::vector<Session>& into) {
    if (open_) finish(static_cast<std::uint32_t>(member_->syncs.size()), into);
  }

 private:
  void add(const Access& access) {
    const auto size = static_cast<std::uint64_t>(access.end - access.begin);
    if (open_ && any(*member_, syncs_, access.syncs, kFlushes)) session_.flushed_bytes += last_size_;
    if (!open_) {
      session_ = {};
      session_.process = member_->process;
      open_ = true;
    }
    if (session_.writes > 0 && access.begin == last_end_) {
      session_.run_sizes.back() += size;
    } else {
      ++session_.runs;
      session_.run_sizes.push_back(size);
    }
    ++session_.writes;
    session_.bytes += size;
    session_.write_sizes.push_back(size);
    last_end_ = access.end;
    last_size_ = size;
    syncs_ = access.syncs;
  }

  void finish(std::uint32_t syncs, std::vector<Session>& into) {
    if (any(*member_, syncs_, syncs, kFlushes)) session_.flushed_bytes += last_size_;
    session_.ended = any(*member_, syncs_, syncs, kCloses);
    session_.whole = {session_.bytes};
    into.push_back(std::move(session_));
    open_ = false;
  }

  const Member* member_;
  Session session_;
  bool open_ = false;
  std::int64_t last_end_ = 0;
  std::uint64_t last_size_ = 0;
  std::uint32_t syncs_ = 0;
};

}  // namespace

std::vector<Session> sessions_of(const semantics::File& file) {
  std::vector<Session> sessions;
  std::vector<Reader> readers;
  for (const Member& member : file.members) readers.emplace_back(member);
  for (const Access& access : file.accesses)
    if (access.writes() && (access.flags & Access::kTruncates) == 0)
      readers[access.member].take(access, sessions);
  for (Reader& reader : readers) reader.end(sessions);
  return sessions;
}

bool flushes(const SyncPoint& sync) { return (sync.operations & kFlushes) != 0; }

bool opens_or_closes(const SyncPoint& sync) { return (sync.operations & (kOpens | kCloses)) != 0; }

}  // namespace weir::interference::detail
