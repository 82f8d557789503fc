// A program with an allocator of its own that does I/O: it must see no allocation and no call of ours.
// counts: write>=2 open=2 depth=0
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>

#include "tiny.h"

static _Alignas(16) char arena[1 << 20];
static size_t used;
static int allocations;
static int log_fd = -1;

static void* take(size_t size) {
  if (log_fd < 0) log_fd = open("allocations", O_CREAT | O_WRONLY | O_APPEND, 0600);
  if (write(log_fd, "m", 1) != 1) _exit(97);
  ++allocations;
  size_t* const head = (size_t*)(void*)(arena + used);
  used += 16 + ((size + 15) & ~(size_t)15);
  if (used > sizeof arena) _exit(96);
  *head = size;
  return (char*)head + 16;
}
void* malloc(size_t size) { return take(size); }
void* calloc(size_t count, size_t size) { return take(count * size); }
void* realloc(void* old, size_t size) {
  void* const made = take(size);
  if (old != NULL)
    memcpy(made, old, *(size_t*)(void*)((char*)old - 16) < size ? *(size_t*)(void*)((char*)old - 16) : size);
  return made;
}
void free(void* memory) { (void)memory; }

static void* in_thread(void* unused) {
  (void)unused;
  char byte;
  const int zero = open("/dev/zero", O_RDONLY);
  return read(zero, &byte, 1) == 1 ? NULL : "wrong";
}

int main(void) {
  const int at_start = allocations;
  char byte;
  const int zero = openat(AT_FDCWD, "/dev/zero", O_RDONLY);
  MUST(read(zero, &byte, 1) == 1 && pread(zero, &byte, 1, 0) == 1 && lseek(zero, 0, SEEK_SET) == 0);
  say("%d before main, %d since\n", at_start, allocations - at_start);
  pthread_t thread;
  void* result = NULL;
  MUST(pthread_create(&thread, NULL, in_thread, NULL) == 0 && pthread_join(thread, &result) == 0 &&
       result == NULL);
  MUST(malloc(100) != NULL);
  say("%d since\n", allocations - at_start);
  return 0;
}
