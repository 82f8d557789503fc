#pragma once

#include <cerrno>

#include <fcntl.h>
#include <pthread.h>

#include "base/uncancelled.hpp"
#include "burst/preload/descriptors.hpp"
#include "burst/preload/mappings.hpp"
#include "burst/preload/reply.hpp"
#include "burst/preload/transfer.hpp"

// Calls on open files.
namespace weir::burst::preload {

using consistency::Operation;

template <>
struct Reply<Call::read> {
  static ssize_t run(auto real, int fd, void* buf, size_t count) {
    const Use file = Use::cancelled_before(fd);
    if (!file) [[likely]]
      return real(fd, buf, count);
    const iovec part{buf, count};
    return give<ssize_t>(real, file->read(fd, &part, 1));
  }
};

template <>
struct Reply<Call::write> {
  static ssize_t run(auto real, int fd, const void* buf, size_t count) {
    const Use file = Use::cancelled_before(fd);
    if (!file) [[likely]]
      return real(fd, buf, count);
    const iovec part{const_cast<void*>(buf), count};
    return give<ssize_t>(real, file->write(fd, &part, 1));
  }
};

template <>
struct Reply<Call::pread> {
  static ssize_t run(auto real, int fd, void* buf, size_t count, off_t offset) {
    const Use file = Use::cancelled_before(fd);
    if (!file) [[likely]]
      return real(fd, buf, count, offset);
    const iovec part{buf, count};
    return give<ssize_t>(real, file->pread(&part, 1, offset));
  }
};

template <>
struct Reply<Call::pwrite> {
  static ssize_t run(auto real, int fd, const void* buf, size_t count, off_t offset) {
    const Use file = Use::cancelled_before(fd);
    if (!file) [[likely]]
      return real(fd, buf, count, offset);
    const iovec part{const_cast<void*>(buf), count};
    return give<ssize_t>(real, file->pwrite(&part, 1, offset));
  }
};

// The C library has looked whether it fits.
template <>
struct Reply<Call::__read_chk> {
  static ssize_t run(auto real, int fd, void* buf, size_t count, size_t room) {
    if (!Table::has(fd) || count > room) return real(fd, buf, count, room);
    const Use file = Use::cancelled_before(fd);
    const iovec part{buf, count};
    return file ? give<ssize_t>(real, file->read(fd, &part, 1)) : real(fd, buf, count, room);
  }
};

template <>
struct Reply<Call::__pread_chk> {
  static ssize_t run(auto real, int fd, void* buf, size_t count, off_t offset, size_t room) {
    const Use file = Use::cancelled_before(fd);
    if (!file || count > room) return real(fd, buf, count, offset, room);
    const iovec part{buf, count};
    return give<ssize_t>(real, file->pread(&part, 1, offset));
  }
};

template <>
struct Reply<Call::readv> {
  static ssize_t run(auto real, int fd, const iovec* iov, int count) {
    const Use file = Use::cancelled_before(fd);
    return file ? give<ssize_t>(real, file->read(fd, iov, count)) : real(fd, iov, count);
  }
};

template <>
struct Reply<Call::writev> {
  static ssize_t run(auto real, int fd, const iovec* iov, int count) {
    const Use file = Use::cancelled_before(fd);
    return file ? give<ssize_t>(real, file->write(fd, iov, count)) : real(fd, iov, count);
  }
};

template <>
struct Reply<Call::preadv> {
  static ssize_t run(auto real, int fd, const iovec* iov, int count, off_t offset) {
    const Use file = Use::cancelled_before(fd);
    return file ? give<ssize_t>(real, file->pread(iov, count, offset)) : real(fd, iov, count, offset);
  }
};

template <>
struct Reply<Call::pwritev> {
  static ssize_t run(auto real, int fd, const iovec* iov, int count, off_t offset) {
    const Use file = Use::cancelled_before(fd);
    return file ? give<ssize_t>(real, file->pwrite(iov, count, offset)) : real(fd, iov, count, offset);
  }
};

// The flags ask for haste or for safety; an offset of -1 is the position.
template <>
struct Reply<Call::preadv2> {
  static ssize_t run(auto real, int fd, const iovec* iov, int count, off_t offset, int flags) {
    const Use file = Use::cancelled_before(fd);
    if (!file) return real(fd, iov, count, offset, flags);
    return give<ssize_t>(real, offset == -1 ? file->read(fd, iov, count) : file->pread(iov, count, offset));
  }
};

template <>
struct Reply<Call::pwritev2> {
  static ssize_t run(auto real, int fd, const iovec* iov, int count, off_t offset, int flags) {
    const Use file = Use::cancelled_before(fd);
    if (!file) return real(fd, iov, count, offset, flags);
    Answer done;
    if ((flags & RWF_APPEND) != 0)
      done = offset < -1 ? Answer::failed(EINVAL) : file->write_at_end(fd, iov, count, offset == -1);
    else
      done = offset == -1 ? file->write(fd, iov, count) : file->pwrite(iov, count, offset);
    if (done.error == 0 && (flags & (RWF_SYNC | RWF_DSYNC)) != 0)
      if (const Answer synced = file->sync(Operation::fdatasync); synced.error != 0) done = synced;
    return give<ssize_t>(real, done);
  }
};

template <>
struct Reply<Call::lseek> {
  static off_t run(auto real, int fd, off_t offset, int whence) {
    const Use file(fd);
    return file ? give<off_t>(real, file->seek(fd, offset, whence)) : real(fd, offset, whence);
  }
};

template <Operation O>
struct SyncReply {
  static int run(auto real, int fd) {
    const Use file = Use::cancelled_before(fd);
    if (!file) return real(fd);
    if (Mappings::any()) Mappings::current().write_back(file->id());
    return give(real, file->sync(O));
  }
};

template <>
struct Reply<Call::fsync> : SyncReply<Operation::fsync> {};
template <>
struct Reply<Call::fdatasync> : SyncReply<Operation::fdatasync> {};

template <>
struct Reply<Call::sync> {
  static void run(auto real) {
    sync_all();
    real();
  }
};

template <>
struct Reply<Call::syncfs> {
  static int run(auto real, int fd) {
    if (!Table::has(fd)) return real(fd);
    sync_all();
    return 0;
  }
};

template <>
struct Reply<Call::sync_file_range> {
  static int run(auto real, int fd, off64_t offset, off64_t length, unsigned flags) {
    return Table::has(fd) ? 0 : real(fd, offset, length, flags);
  }
};

template <>
struct Reply<Call::readahead> {
  static ssize_t run(auto real, int fd, off64_t offset, size_t count) {
    return Table::has(fd) ? 0 : real(fd, offset, count);
  }
};

template <>
struct Reply<Call::posix_fadvise> {
  static int run(auto real, int fd, off_t offset, off_t length, int advice) {
    return Table::has(fd) ? 0 : real(fd, offset, length, advice);
  }
};

template <>
struct Reply<Call::ftruncate> {
  static int run(auto real, int fd, off_t length) {
    const Use file(fd);
    return file ? give(real, file->truncate(length)) : real(fd, length);
  }
};

template <>
struct Reply<Call::fallocate> {
  static int run(auto real, int fd, int mode, off_t offset, off_t length) {
    const Use file = Use::cancelled_before(fd);
    return file ? give(real, file->allocate(mode, offset, length)) : real(fd, mode, offset, length);
  }
};

// Gives its error back, and leaves errno alone.
template <>
struct Reply<Call::posix_fallocate> {
  static int run(auto real, int fd, off_t offset, off_t length) {
    const Use file(fd);
    return file ? file->allocate(0, offset, length).error : real(fd, offset, length);
  }
};

template <>
struct Reply<Call::sendfile> {
  static ssize_t run(auto real, int out, int in, off_t* offset, size_t count) {
    if (!Table::has(out) && !Table::has(in)) return real(out, in, offset, count);
    const Uncancelled work;
    return give<ssize_t>(real, copy_bytes(in, offset, out, nullptr, count));
  }
};

template <>
struct Reply<Call::copy_file_range> {
  static ssize_t run(auto real, int in, off64_t* in_offset, int out, off64_t* out_offset, size_t count,
                     unsigned flags) {
    if (!Table::has(out) && !Table::has(in)) return real(in, in_offset, out, out_offset, count, flags);
    ::pthread_testcancel();
    return give<ssize_t>(
        real, flags != 0 ? Answer::failed(EINVAL) : copy_bytes(in, in_offset, out, out_offset, count));
  }
};

template <>
struct Reply<Call::splice> {
  static ssize_t run(auto real, int in, off64_t* in_offset, int out, off64_t* out_offset, size_t count,
                     unsigned flags) {
    if (!Table::has(out) && !Table::has(in)) return real(in, in_offset, out, out_offset, count, flags);
    ::pthread_testcancel();
    return give<ssize_t>(real, copy_bytes(in, in_offset, out, out_offset, std::min(count, kPipeBytes)));
  }
};

template <>
struct Reply<Call::mmap> {
  static void* run(auto real, void* address, size_t length, int protection, int flags, int fd, off_t offset) {
    if ((flags & MAP_ANONYMOUS) != 0 || !Table::has(fd)) {
      if (Mappings::any() && (flags & MAP_FIXED) != 0) Mappings::current().forget(address, length);
      return real(address, length, protection, flags, fd, offset);
    }
    const Use file(fd);
    if (!file) return real(address, length, protection, flags, fd, offset);
    const Answer mapped = Mappings::current().map(*file, address, length, protection, flags, offset);
    if (mapped.error != 0) real.set_errno(mapped.error);
    return reinterpret_cast<void*>(mapped.value);
  }
};

template <>
struct Reply<Call::munmap> {
  static int run(auto real, void* address, size_t length) {
    if (Mappings::any()) Mappings::current().forget(address, length);
    return real(address, length);
  }
};

template <>
struct Reply<Call::msync> {
  static int run(auto real, void* address, size_t length, int flags) {
    if (Mappings::any())
      if (const int error = Mappings::current().write_back(address, length); error != 0)
        return give(real, Answer::failed(error));
    return real(address, length, flags);
  }
};

// The copy cannot grow in its place.
template <>
struct Reply<Call::mremap> {
  static void* run(auto real, void* address, size_t length, size_t new_length, int flags, void* new_address) {
    if (!Mappings::any() || !Mappings::current().covers(address, length))
      return real(address, length, new_length, flags, new_address);
    real.set_errno(ENOMEM);
    return MAP_FAILED;
  }
};

template <>
struct Reply<Call::aio_read> {
  static int run(auto real, aiocb* request) {
    if (!Table::has(request->aio_fildes)) return real(request);
    transfer_now(*request, LIO_READ);
    return real.by(&notify_of)(request);
  }
};
template <>
struct Reply<Call::aio_write> {
  static int run(auto real, aiocb* request) {
    if (!Table::has(request->aio_fildes)) return real(request);
    transfer_now(*request, LIO_WRITE);
    return real.by(&notify_of)(request);
  }
};
template <>
struct Reply<Call::aio_fsync> {
  static int run(auto real, int operation, aiocb* request) {
    if (!Table::has(request->aio_fildes)) return real(operation, request);
    sync_now(*request);
    return real.by(&notify_of_sync)(operation, request);
  }
};
template <>
struct Reply<Call::lio_listio> {
  static int run(auto real, int mode, aiocb* const* list, int count, sigevent* event) {
    for (int i = 0; i < count; ++i)
      if (list[i] != nullptr && list[i]->aio_lio_opcode != LIO_NOP && Table::has(list[i]->aio_fildes)) {
        transfer_list(list, count);
        return real.by(&notify_of_list)(mode, list, count, event);
      }
    return real(mode, list, count, event);
  }
};

}  // namespace weir::burst::preload
