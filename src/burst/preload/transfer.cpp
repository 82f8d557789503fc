#include "burst/preload/transfer.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <memory>
#include <vector>

#include <pthread.h>
#include <unistd.h>

#include "base/uncancelled.hpp"
#include "burst/preload/mappings.hpp"
#include "burst/preload/table.hpp"

namespace weir::burst::preload {
namespace {

Answer plain(ssize_t result) { return result < 0 ? Answer::failed(errno) : Answer{result, 0}; }

Answer read_some(int fd, const off_t* offset, void* buffer, std::size_t count) {
  const iovec part{buffer, count};
  if (const Use file(fd); file)
    return offset != nullptr ? file->pread(&part, 1, *offset) : file->read(fd, &part, 1);
  return plain(offset != nullptr ? ::pread(fd, buffer, count, *offset) : ::read(fd, buffer, count));
}

Answer write_some(int fd, const off_t* offset, const void* buffer, std::size_t count) {
  const iovec part{const_cast<void*>(buffer), count};
  if (const Use file(fd); file)
    return offset != nullptr ? file->pwrite(&part, 1, *offset) : file->write(fd, &part, 1);
  return plain(offset != nullptr ? ::pwrite(fd, buffer, count, *offset) : ::write(fd, buffer, count));
}

// What was read and could not be written is given back to the position.
void give_back(int fd, off_t bytes) {
  if (const Use file(fd); file)
    file->seek(fd, -bytes, SEEK_CUR);
  else
    ::lseek(fd, -bytes, SEEK_CUR);
}

void complete(aiocb& request, const Answer& answer) {
  request.__return_value = answer.value;
  request.__error_code = answer.error;
}

// A thread of its own, as POSIX says: the one that asked may hold what the function wants.
void start_thread(const sigevent& event) {
  auto what = std::make_unique<sigevent>(event);
  const auto run = [](void* given) -> void* {
    const std::unique_ptr<sigevent> told(static_cast<sigevent*>(given));
    ::pthread_detach(::pthread_self());
    told->sigev_notify_function(told->sigev_value);
    return nullptr;
  };
  pthread_t thread{};
  if (::pthread_create(&thread, event.sigev_notify_attributes, run, what.get()) == 0)
    static_cast<void>(what.release());
  else
    event.sigev_notify_function(event.sigev_value);
}

void notify(const sigevent& event) {
  if (event.sigev_notify == SIGEV_SIGNAL)
    ::sigqueue(::getpid(), event.sigev_signo, event.sigev_value);
  else if (event.sigev_notify == SIGEV_THREAD && event.sigev_notify_function != nullptr)
    start_thread(event);
}

Answer transfer(aiocb& request, int operation) {
  auto* const buffer = const_cast<void*>(request.aio_buf);
  return operation == LIO_READ
             ? read_some(request.aio_fildes, &request.aio_offset, buffer, request.aio_nbytes)
             : write_some(request.aio_fildes, &request.aio_offset, buffer, request.aio_nbytes);
}

}  // namespace

Answer copy_bytes(int in, off_t* in_offset, int out, off_t* out_offset, std::size_t count) {
  constexpr std::size_t kStep = std::size_t{1} << 20;
  if ((in_offset != nullptr && *in_offset < 0) || (out_offset != nullptr && *out_offset < 0))
    return Answer::failed(EINVAL);
  std::vector<std::byte> buffer(std::min(count, kStep));
  long total = 0;
  Uncancelled work(false);
  while (count > 0) {
    const Answer got = read_some(in, in_offset, buffer.data(), std::min(count, buffer.size()));
    if (got.error != 0) return total > 0 ? Answer{total, 0} : got;
    if (got.value == 0) break;
    work.begin();
    const Answer put = write_some(out, out_offset, buffer.data(), static_cast<std::size_t>(got.value));
    const long moved = put.error != 0 ? 0 : put.value;
    if (moved < got.value && in_offset == nullptr) give_back(in, got.value - moved);
    if (put.error != 0) return total > 0 ? Answer{total, 0} : put;
    if (in_offset != nullptr) *in_offset += moved;
    if (out_offset != nullptr) *out_offset += moved;
    total += moved;
    count -= static_cast<std::size_t>(moved);
    if (moved < got.value) break;
  }
  return {total, 0};
}

void transfer_now(aiocb& request, int operation) {
  const Uncancelled work;
  complete(request, transfer(request, operation));
}

void sync_now(aiocb& request) {
  const Use file(request.aio_fildes);
  complete(request, file ? file->sync(consistency::Operation::fsync) : Answer::failed(EBADF));
}

void transfer_list(aiocb* const* list, int count) {
  for (int i = 0; i < count; ++i)
    if (list[i] != nullptr && list[i]->aio_lio_opcode != LIO_NOP)
      transfer_now(*list[i], list[i]->aio_lio_opcode);
}

int notify_of(aiocb* request) {
  notify(request->aio_sigevent);
  return 0;
}

int notify_of_sync(int /*operation*/, aiocb* request) { return notify_of(request); }

int notify_of_list(int mode, aiocb* const* list, int count, sigevent* event) {
  bool failed = false;
  for (int i = 0; i < count; ++i) {
    if (list[i] == nullptr || list[i]->aio_lio_opcode == LIO_NOP) continue;
    failed = failed || list[i]->__error_code != 0;
    notify_of(list[i]);
  }
  if (mode == LIO_NOWAIT && event != nullptr) notify(*event);
  if (mode != LIO_WAIT || !failed) return 0;  // who does not wait learns it from each request
  errno = EIO;
  return -1;
}

void sync_all() {
  Mappings::current().write_back_all();
  Table::current().for_each([](OpenFile& file, int) { file.sync(consistency::Operation::sync); });
}

}  // namespace weir::burst::preload
