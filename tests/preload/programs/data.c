// Every way to move data between a file and memory or another file, and to give it room.
// counts: preadv=2 pwritev=2 preadv2=2 pwritev2=2 readv=1 writev=1 lseek=3 sendfile=2 copy_file_range=2
// splice=3 tee=1 vmsplice=1 readahead=1 posix_fadvise=2 fsync=1 fdatasync=1 sync=1 syncfs=1
// sync_file_range=2 truncate=2 ftruncate=1 fallocate=2 posix_fallocate=2 pipe=2 depth=0
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

#include "tiny.h"

static char left[8];
static char right[8];

int main(void) {
  const int fd = open("data", O_CREAT | O_RDWR, 0600);
  const int other = open("other", O_CREAT | O_RDWR, 0600);
  struct iovec out[2] = {{"abcd", 4}, {"efgh", 4}};
  struct iovec in[2] = {{left, 4}, {right, 4}};
  TELL(writev(fd, out, 2));
  TELL(pwritev(fd, out, 2, 8));
  TELL(pwritev64(fd, out, 2, 16));
  TELL(pwritev2(fd, out, 2, 24, 0));
  TELL(pwritev64v2(fd, out, 1, -1, RWF_APPEND));
  TELL(lseek(fd, 0, SEEK_CUR));
  TELL(lseek(fd, 0, SEEK_SET));
  TELL(readv(fd, in, 2));
  TELL(preadv(fd, in, 2, 1));
  TELL(preadv64(fd, in, 2, 2));
  TELL(preadv2(fd, in, 2, 3, 0));
  TELL(preadv64v2(fd, in, 2, 4, RWF_HIPRI | (1 << 30)));
  say("%.4s %.4s\n", left, right);
  TELL(lseek64(fd, 5, SEEK_DATA));

  off_t from = 2;
  TELL(sendfile(other, fd, &from, 6));
  TELL(sendfile64(other, -1, NULL, 6));
  off64_t at = 1;
  off64_t to = 30;
  TELL(copy_file_range(fd, &at, other, &to, 5, 0));
  say("%lld %lld %lld\n", (long long)from, (long long)at, (long long)to);
  TELL(copy_file_range(fd, NULL, -1, NULL, 5, 0));

  int one[2];
  int two[2];
  MUST(pipe(one) == 0 && pipe(two) == 0);
  at = 0;
  TELL(splice(fd, &at, one[1], NULL, 4, 0));
  TELL(tee(one[0], two[1], 4, 0));
  TELL(splice(one[0], NULL, other, NULL, 4, 0));
  TELL(vmsplice(two[1], out, 2, 0));
  TELL(splice(two[0], NULL, -1, NULL, 1, 0));

  TELL(readahead(fd, 0, 10));
  TELL(posix_fadvise(fd, 0, 10, POSIX_FADV_SEQUENTIAL));
  TELL(posix_fadvise64(-1, 0, 10, POSIX_FADV_DONTNEED));
  TELL(fsync(fd));
  TELL(fdatasync(one[0]));
  sync();
  TELL(syncfs(fd));
  TELL(sync_file_range(fd, 0, 4, SYNC_FILE_RANGE_WRITE));
  TELL(sync_file_range(-1, 0, 4, 0));
  TELL(fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 100));
  TELL(fallocate64(-1, 0, 0, 1));
  TELL(posix_fallocate(fd, 0, 64));
  TELL(posix_fallocate64(fd, -1, 1));
  TELL(truncate("data", 20));
  TELL(truncate64("missing", 20));
  TELL(ftruncate64(other, 9));
  return 0;
}
