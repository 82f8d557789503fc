#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <string>

#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "burst/client/file.hpp"

namespace weir::burst::preload {

// What a call gives: a value, or -1 and errno.
struct Answer {
  long value = 0;
  int error = 0;

  static Answer failed(int error) { return {-1, error}; }
  static Answer of(int error) { return {error == 0 ? 0 : -1, error}; }
};

// What this process has of an open file description whose placeholder it holds, under one or more
// descriptors. The kernel has the rest: numbers, locks, flags, and the position once other processes may move
// it. Never freed, only used again: a thread may still look at it. `fd` is one of its descriptors.
class OpenFile {
 public:
  // Which byte of a placeholder is locked while a shared position is in use: behind every file, and behind
  // what the program locks.
  static constexpr off_t kTurnByte = std::numeric_limits<off_t>::max() - 1;

  Answer read(int fd, const iovec* parts, int count);
  Answer write(int fd, const iovec* parts, int count);
  Answer pread(const iovec* parts, int count, off_t offset);
  Answer pwrite(const iovec* parts, int count, off_t offset);
  // Whatever the flags say; the position follows where it is `moved`.
  Answer write_at_end(int fd, const iovec* parts, int count, bool moved);
  Answer seek(int fd, off_t offset, int whence);
  Answer stat(struct stat& status);
  Answer truncate(off_t size);
  Answer allocate(int mode, off_t offset, off_t length);
  Answer sync(consistency::Operation operation);
  Answer set_attributes(SetAttributes request);
  // Own writes become visible if the model ever makes them so by itself.
  int publish();
  int flush();  // and go to the backing directory

  FileId id() const { return id_; }
  bool can_read() const;
  bool can_write() const;
  // From now on others may move the position: it goes to the kernel.
  void share(int fd);
  void flags_changed(int fd);
  // A descriptor of the file's in the backing directory, for locks between nodes; -1 and errno.
  int lock_file();
  int refer(std::shared_ptr<File>& file);  // connects first where that is still to be done

 private:
  friend class Table;
  friend class Use;

  void begin(FileId id, int flags, std::shared_ptr<File> file, bool shared);
  int end();
  // In a forked child: the connection was its parent's.
  void begin_again();
  static void begin_turns_again();

  // The position for one read or write; given back with where it ends.
  class Turn;
  Answer transfer_in(File& file, const iovec* parts, int count, std::uint64_t offset);
  Answer transfer_out(File& file, const iovec* parts, int count, std::uint64_t offset);
  Answer append(File& file, const iovec* parts, int count, std::uint64_t& end);

  FileId id_;
  std::atomic<int> flags_{0};
  std::mutex opening_;  // guards file_
  std::shared_ptr<File> file_;
  std::atomic<File*> ready_{nullptr};  // the same, once there
  std::mutex turn_;                    // held over a read or write at the position
  std::uint64_t position_ = 0;
  std::atomic<bool> shared_{false};
  std::atomic<int> lock_file_{-1};
  std::atomic<int> users_{0};    // calls that are under way
  std::atomic<int> numbers_{0};  // descriptors
};

}  // namespace weir::burst::preload
