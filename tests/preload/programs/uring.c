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

extern struct io_uring_sqe* exported_get_sqe(struct io_uring*) __asm__("io_uring_get_sqe");

// The others, on a ring with nothing in it.
static void rest(struct io_uring* ring, int fd, const struct iovec* room) {
  struct __kernel_timespec soon = {0, 1};
  struct io_uring_cqe* done = NULL;
  const __u64 tag = 7;
  struct io_uring_params params = {0};
  struct io_uring_buf_reg buffers = {0};
  struct io_uring_sync_cancel_reg cancel = {.fd = fd};
  struct io_uring other;
  TELL(exported_get_sqe(ring) != NULL);
  io_uring_prep_nop(ring->sq.sqes + ((ring->sq.sqe_tail - 1) & *ring->sq.kring_mask));
  TELL(io_uring_submit_and_get_events(ring));
  TELL(take(ring));
  TELL(io_uring_get_events(ring));
  TELL(io_uring_submit_and_wait_timeout(ring, &done, 1, &soon, NULL));
  TELL(io_uring_wait_cqes(ring, &done, 1, &soon, NULL));
  TELL(__io_uring_sqring_wait(ring));
  TELL(io_uring_setup(0, &params));
  TELL(io_uring_queue_mmap(-1, &params, &other));
  TELL(io_uring_enter((unsigned)-1, 0, 0, 0, NULL));
  TELL(io_uring_enter2((unsigned)-1, 0, 0, 0, NULL, 8));
  TELL(io_uring_register((unsigned)-1, 0, NULL, 0));
  TELL(io_uring_register_buffers_sparse(ring, 4));
  TELL(io_uring_register_buffers_update_tag(ring, 0, room, &tag, 1));
  TELL(io_uring_unregister_buffers(ring));
  TELL(io_uring_register_buffers_tags(ring, room, &tag, 1));
  TELL(io_uring_register_files_sparse(ring, 4));
  TELL(io_uring_register_files_update(ring, 0, &fd, 1));
  TELL(io_uring_register_files_update_tag(ring, 0, &fd, &tag, 1));
  TELL(io_uring_register_file_alloc_range(ring, 2, 2));
  TELL(io_uring_unregister_files(ring));
  TELL(io_uring_register_files_tags(ring, &fd, &tag, 1));
  TELL(io_uring_register_eventfd(ring, fd));
  TELL(io_uring_register_eventfd_async(ring, -1));
  TELL(io_uring_unregister_eventfd(ring));
  TELL(io_uring_register_ring_fd(ring));
  TELL(io_uring_unregister_ring_fd(ring));
  TELL(io_uring_register_buf_ring(ring, &buffers, 0));
  TELL(io_uring_unregister_buf_ring(ring, 1));
  TELL(io_uring_register_sync_cancel(ring, &cancel));
  TELL(io_uring_ring_dontfork(ring));
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
  rest(&ring, fd, &room);
  io_uring_queue_exit(&ring);
  return 0;
}
