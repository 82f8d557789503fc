// Maps and locks files in the directory it is given and prints what each call gave, as calls.c does.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tell.h"

static void mappings(void) {
  say("-- mappings");
  const int fd = open("m", O_RDWR | O_CREAT | O_TRUNC, 0600);
  for (int i = 0; i < 2000; ++i) write(fd, "0123456789", 10);
  char* const shared = mmap(NULL, 20000, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  const char* const copy = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, fd, 4096);
  if (shared == MAP_FAILED || copy == MAP_FAILED) {
    say("mmap failed");
    return;
  }
  say("  %.10s %.4s", shared, copy);
  memcpy(shared + 5000, "MAPPED", 6);
  TELL(msync(shared, 20000, MS_SYNC));
  char bytes[8] = "";
  TELL(pread(fd, bytes, 6, 5000));
  say("  %s", bytes);
  memcpy(shared + 10, "LAST", 4);
  TELL(munmap(shared, 20000));
  TELL(munmap((void*)copy, 8192));
  TELL(pread(fd, bytes, 4, 10));
  say("  %.4s", bytes);
  const int reading = open("m", O_RDONLY);
  TELL_OK(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, reading, 0));
  TELL_OK(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, reading, 1));
  close(reading);
  close(fd);
}

// Mappings that are put over one another, and pages that may not be read.
static void mappings_over_others(void) {
  say("-- mappings over others");
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const int one = open("m1", O_RDWR | O_CREAT | O_TRUNC, 0600);
  const int two = open("m2", O_RDWR | O_CREAT | O_TRUNC, 0600);
  for (size_t i = 0; i < 4 * page; i += 4) {
    write(one, "1111", 4);
    write(two, "2222", 4);
  }
  char* const shared = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_SHARED, one, 0);
  if (shared == MAP_FAILED) {
    say("mmap failed");
    return;
  }
  shared[0] = 'a';
  shared[page] = 'b';
  TELL(mmap(shared + page, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, two, 0) == shared + page);
  TELL(mmap(shared, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, two, 0) == shared);
  shared[1] = 'p';
  shared[page + 1] = 'c';
  shared[2 * page + 1] = 'd';
  TELL(mprotect(shared + 2 * page, page, PROT_NONE));
  TELL(msync(shared, 4 * page, MS_SYNC));
  char bytes[4] = "";
  for (off_t at = 0; at < 4; ++at) {
    TELL(pread(one, bytes, 3, at * (off_t)page));
    say("  %s", bytes);
    TELL(pread(two, bytes, 3, at * (off_t)page));
    say("  %s", bytes);
  }
  char* const closed = mmap(NULL, page, PROT_NONE, MAP_SHARED, two, (off_t)page);
  TELL(fsync(two));
  TELL(mprotect(closed, page, PROT_READ | PROT_WRITE));
  closed[0] = 'e';
  TELL(mprotect(closed, page, PROT_NONE));
  TELL(munmap(shared, 4 * page));
  TELL(munmap(closed, page));
  TELL(pread(two, bytes, 3, (off_t)page));
  say("  %s", bytes);
  close(one);
  close(two);
}

static int try_lock(int command, short type, off_t start, off_t length) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const int fd = open("l", O_RDWR);
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
    const int result = command == -1 ? flock(fd, LOCK_EX | LOCK_NB) : fcntl(fd, command, &lock);
    _exit(result == 0 ? 0 : errno);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

// What a child does with a descriptor that it shares with its parent: it must not wait for a lock of either.
static int write_in_child(int fd, int with_lock) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 3};
    if (with_lock) _exit(fcntl(fd, F_OFD_SETLK, &whole) != 0 || write(fd, "child", 5) != 5);
    if (fcntl(fd, F_GETLK, &whole) != 0) _exit(2);
    if (whole.l_type != F_WRLCK || whole.l_start != 0 || whole.l_len != 0) _exit(3);
    _exit(write(fd, "child", 5) != 5);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void locks(void) {
  say("-- locks");
  const int fd = open("l", O_RDWR | O_CREAT | O_TRUNC, 0600);
  write(fd, "0123456789", 10);
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_END, .l_start = -4, .l_len = 2};
  TELL(fcntl(fd, F_SETLK, &lock));
  TELL(try_lock(F_SETLK, F_WRLCK, 0, 6));
  TELL(try_lock(F_SETLK, F_RDLCK, 6, 1));
  TELL(try_lock(F_SETLK, F_WRLCK, 8, 0));
  TELL(try_lock(F_OFD_SETLK, F_WRLCK, 7, 1));
  lock.l_type = F_UNLCK;
  TELL(fcntl(fd, F_SETLK, &lock));
  TELL(try_lock(F_SETLK, F_WRLCK, 0, 0));
  lock.l_type = F_WRLCK;
  TELL(fcntl(fd, F_GETLK, &lock));
  say("  free %d, asked %d from %d for %d", lock.l_type == F_UNLCK, lock.l_whence, (int)lock.l_start,
      (int)lock.l_len);
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  TELL(fcntl(fd, F_SETLK, &whole));
  TELL(write_in_child(fd, 0));
  whole.l_type = F_UNLCK;
  TELL(fcntl(fd, F_SETLK, &whole));
  TELL(write_in_child(fd, 1));
  whole.l_type = F_UNLCK;
  TELL(fcntl(fd, F_OFD_SETLK, &whole));
  whole = (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 8, .l_len = -3};
  TELL(fcntl(fd, F_SETLK, &whole));
  TELL(try_lock(F_SETLK, F_WRLCK, 7, 1));
  TELL(try_lock(F_SETLK, F_WRLCK, 8, 0));
  whole = (struct flock){.l_type = F_UNLCK, .l_whence = SEEK_SET};
  TELL(fcntl(fd, F_SETLK, &whole));
  whole.l_type = F_WRLCK;
  TELL(fcntl(fd, F_OFD_SETLK, &whole));
  struct flock asked = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 3, .l_len = 1};
  const int other = open("l", O_RDWR);
  TELL(fcntl(other, F_OFD_GETLK, &asked));
  say("  held %d from %d for %d", asked.l_type == F_WRLCK, (int)asked.l_start, (int)asked.l_len);
  TELL(fcntl(other, F_OFD_SETLK, &asked));
  close(fd);
  TELL(flock(other, LOCK_EX));
  TELL(try_lock(-1, 0, 0, 0));
  TELL(flock(other, LOCK_UN));
  TELL(try_lock(-1, 0, 0, 0));
  TELL(lockf(other, F_TLOCK, 5));
  TELL(lockf(other, F_ULOCK, 5));
  close(other);
}

int main(int argc, char** argv) {
  if (argc != 2 || chdir(argv[1]) != 0) return 2;
  setvbuf(stdout, NULL, _IOFBF, 1 << 16);
  mappings();
  mappings_over_others();
  locks();
  return 0;
}
