#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "burst/client/policy.hpp"
#include "burst/client/read_ahead.hpp"
#include "burst/client/shared_file.hpp"
#include "burst/client/token_desk.hpp"
#include "burst/file_protocol.hpp"

namespace weir::burst {

class FileSystem;

// What read and write give: so many bytes, or an errno.
struct Transfer {
  int error = 0;
  std::uint64_t bytes = 0;
};

// A file that a process has open: the plain calls, which do what the file's policy says, and the primitives
// under them. Any thread may use it. Failures are errno values, zero is success.
class File {
 public:
  // `shared` counts it among those that are coming.
  File(FileSystem& system, std::shared_ptr<SharedFile> shared, const Policy& policy, int flags,
       const Opened& opened);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  Transfer pread(std::span<std::byte> into, std::uint64_t offset);
  Transfer pwrite(ByteSpan bytes, std::uint64_t offset);
  Transfer read(std::span<std::byte> into);  // at the position
  Transfer write(ByteSpan bytes);            // at the position, or at the end if it was opened to append
  Transfer append(ByteSpan bytes, std::uint64_t* where = nullptr);
  int seek(std::int64_t offset, int whence, std::uint64_t& position);
  std::uint64_t tell();
  int stat(Attributes& attributes, std::uint32_t* names = nullptr);
  int truncate(std::uint64_t size) { return resize(size, false); }
  // At least so long; nothing is ever cut.
  int grow(std::uint64_t size) { return resize(size, true); }
  // The owner has cut the file: what this process has of the rest is gone too.
  void was_cut(std::uint64_t size);
  int sync(consistency::Operation operation) { return policy_.on(operation, *this); }
  // Published first if the policy publishes on close; otherwise what was not published is lost with the last
  // open of this process. The file is closed whatever comes back.
  int close();
  // What closing publishes, without closing.
  int publish_as_close();

  // Makes own writes visible; those that are already are left out, and with nothing left no message is sent.
  int attach(Span bytes);
  int attach_all();
  // Looks what others have published.
  int query(Span bytes);
  int query_all();
  // Who has the bytes: as query, told instead of kept.
  int owners(Span bytes, std::vector<Extent>& extents);
  // Own publications are taken back where nobody has published over them.
  int detach(Span bytes);
  // What this process wrote of the file is published and in the backing directory.
  int flush();
  // What `client` has published of these bytes, and nothing else: ENODATA when that is not all of them.
  Transfer read_peer(std::uint64_t client, std::span<std::byte> into, std::uint64_t offset);

  // For eventual consistency.
  int refresh();        // queries when the last look is old
  int publish_later();  // soon, by another thread

  // Whether its writes become visible without the program saying so.
  bool publishes_by_itself() const { return policy_.publishes_on_close(); }

  // Under tokens (file_tokens.cpp).
  int write_by_token(Span bytes);
  int look_by_token(Span bytes, bool anew);
  int drain_tokens();
  int hold_whole(std::uint64_t& number);
  int release_whole(std::uint64_t number);
  // Blocks of the range for this process, until it unlocks them: against other processes, not other threads.
  int lock(Span bytes, lock::Mode mode);
  int unlock(Span bytes);
  int unlock_all();

  FileId id() const { return shared_->id; }
  const Policy& policy() const { return policy_; }
  const std::shared_ptr<SharedFile>& shared() const { return shared_; }
  int flags() const { return flags_; }

 private:
  friend class FileReader;
  friend class SharedFile;

  int resize(std::uint64_t size, bool only_grow);
  Outcome<Queried> ask_owner(Span bytes);
  // An own publication: the file's mutex is held.
  void see(const std::vector<Extent>& newer, std::uint64_t version);
  void see_pushed(const std::vector<Extent>& newer, std::uint64_t pushed_before);
  bool has_looked(Span bytes) const;
  Span to_look_at(Span bytes, int round) const;
  std::uint64_t size_locked() const;
  bool is_in_backing();
  // In verify mode, under a weak model (file_verify.cpp).
  bool is_verified() const;
  int note_write(std::span<const Extent> pieces);
  Transfer read_and_check(std::span<std::byte> into, std::uint64_t offset);

  FileSystem& system_;
  std::shared_ptr<SharedFile> shared_;
  const Policy& policy_;
  int flags_;
  bool closed_ = false;

  // Guarded by the shared file's mutex.
  ExtentMap seen_;
  std::uint64_t looked_version_ = 0;  // of the file, when the newest look was taken
  std::uint64_t seen_newest_ = 0;
  std::uint64_t seen_size_ = 0;
  bool in_backing_ = false;  // when the owner was last asked
  std::chrono::steady_clock::time_point looked_at_;
  ReadAhead ahead_;
  struct ByToken {
    bool is_used = false;
    TokenDesk::Marks marks;  // what was looked up is good as long as they are the same
    lock::BlockSet looked;   // of bytes: what is seen of them is all there is
  };
  ByToken by_token_;

  std::mutex position_mutex_;  // held over a read or write at the position
  std::uint64_t position_ = 0;
};

}  // namespace weir::burst
