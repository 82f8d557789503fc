// Submissions through liburing. Where the kernel gives no ring, the answers are the same and the calls few.
// counts: io_uring_queue_init=1 io_uring_queue_init_params>=1
#include <fcntl.h>
#include <liburing.h>

#include "tiny.h"

static int take(struct io_uring* ring) {
  struct io_uring_cqe* done = NULL;
  if (io_uring_wait_cqe(ring, &done) != 0) return -1;
  const int result = done->res;
  io_uring_cqe_seen(ring, done);
  return result;
}

int main(void) {
  struct io_uring ring;
  struct io_uring_params params = {0};
  TELL(io_uring_queue_init_params(0, &ring, &params));
  const int made = io_uring_queue_init(8, &ring, 0);
  say("ring: %d\n", made);
  if (made != 0) return 0;
  const int fd = open("data", O_CREAT | O_RDWR, 0600);
  char text[16] = {0};
  const struct iovec room = {text, sizeof text};
  TELL(io_uring_register_files(&ring, &fd, 1));
  TELL(io_uring_register_buffers(&ring, &room, 1));
  io_uring_prep_write(io_uring_get_sqe(&ring), fd, "by the ring", 11, 0);
  TELL(io_uring_submit(&ring));
  say("written %d\n", take(&ring));
  io_uring_prep_read(io_uring_get_sqe(&ring), fd, text, 6, 3);
  TELL(io_uring_submit_and_wait(&ring, 1));
  say("read %d %s\n", take(&ring), text);
  struct __kernel_timespec soon = {0, 1};
  struct io_uring_cqe* done = NULL;
  TELL(io_uring_wait_cqe_timeout(&ring, &done, &soon));
  TELL(io_uring_peek_batch_cqe(&ring, &done, 1));
  TELL(io_uring_unregister_files(&ring));
  TELL(io_uring_unregister_buffers(&ring));
  io_uring_queue_exit(&ring);
  return 0;
}
