// Asynchronous I/O of the C library.
// counts: aio_read=2 aio_write=2 aio_fsync=2 aio_error>=2 aio_return=5 aio_suspend=2 aio_cancel=2
// lio_listio=2 depth=0
#include <aio.h>
#include <fcntl.h>

#include "tiny.h"

static char text[16];

static ssize_t finish(struct aiocb* cb) {
  const struct aiocb* const list[] = {cb};
  while (aio_error(cb) == EINPROGRESS) aio_suspend(list, 1, NULL);
  return aio_return(cb);
}

int main(void) {
  const int fd = open("data", O_CREAT | O_RDWR, 0600);
  struct aiocb put = {.aio_fildes = fd, .aio_buf = "asynchronous", .aio_nbytes = 12, .aio_offset = 3};
  const struct aiocb* const list[] = {&put, NULL};
  TELL(aio_write(&put));
  TELL(aio_suspend(list, 2, NULL));
  TELL(aio_return(&put));
  struct aiocb flush = {.aio_fildes = fd};
  TELL(aio_fsync(O_SYNC, &flush));
  while (aio_error(&flush) == EINPROGRESS) continue;
  TELL(aio_return(&flush));
  struct aiocb get = {.aio_fildes = fd, .aio_buf = text, .aio_nbytes = 5, .aio_offset = 3};
  TELL(aio_read(&get));
  const struct timespec long_time = {50, 0};
  const struct aiocb* const wanted[] = {&get};
  TELL(aio_suspend64((const struct aiocb64* const*)(const void*)wanted, 1, &long_time));
  TELL(aio_error64((const struct aiocb64*)(const void*)&get));
  TELL(aio_return64((struct aiocb64*)(void*)&get));
  say("%s\n", text);
  struct aiocb* both[] = {&put, &get};
  put.aio_lio_opcode = LIO_WRITE;
  get.aio_lio_opcode = LIO_READ;
  TELL(lio_listio(LIO_WAIT, both, 2, NULL));
  say("%zd %zd\n", aio_return(&put), aio_return(&get));
  TELL(lio_listio64(77, NULL, 0, NULL));
  TELL(aio_write64((struct aiocb64*)(void*)&put));
  while (aio_error(&put) == EINPROGRESS) continue;
  TELL(aio_read64((struct aiocb64*)(void*)&get));
  while (aio_error(&get) == EINPROGRESS) continue;
  TELL(aio_fsync64(-1, (struct aiocb64*)(void*)&flush));
  TELL(aio_cancel(fd, NULL));
  TELL(aio_cancel64(-1, NULL));
  (void)finish;
  return 0;
}
