/* Data in every kind of memory: what it says on standard output is what `weir trace --buffers` has to call
 * it. */
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static char variable[64];
static int file;

static void put(const void* memory, const char* expected) {
  if (pwrite(file, memory, 8, 0) == 8) printf("%s\n", expected);
}

static void* churn(void* unused) {
  (void)unused;
  for (int i = 0; i < 20000; ++i) {
    char* const memory = malloc((size_t)(i % 500) + 1);
    char* const more = realloc(memory, (size_t)(i % 3000) + 8);
    if (i % 1000 == 0 && write(file, more, 8) != 8) abort();
    free(more);
  }
  return NULL;
}

int main(void) {
  file = open("data", O_RDWR | O_CREAT | O_TRUNC, 0644);
  char* unused[50];
  for (int i = 0; i < 50; ++i) unused[i] = malloc(100);
  char* const first = malloc(1000);
  char* second = calloc(10, 100);
  put(first, "heap#0+0");
  put(first + 64, "heap#0+64");
  put(second + 8, "heap#1+8");
  second = realloc(second, 1 << 20);
  put(second + 100000, "heap#1+100000");
  free(first);
  void* aligned = NULL;
  if (posix_memalign(&aligned, 4096, 8192) != 0) return 1;
  put((char*)aligned + 4096, "heap#0+4096");
  char* const array = reallocarray(NULL, 10, 100);
  put(array, "heap#2+0");
  char* const other = aligned_alloc(64, 128);
  put(other + 128 - 8, "heap#3+120");
  put(variable, "buffers+*");
  char local[64] = "12345678";
  put(local, "stack-*");
  char* const mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  put(mapped, "memory#0");
  put(mapped, "memory#0");
  put(mapped + 8, "memory#1");
  for (int i = 0; i < 100; ++i) {
    char* const again = malloc(300);
    put(again, "heap#4+0");
    free(again);
  }
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    put(second, "heap#1+0");
    fflush(stdout);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  for (int i = 0; i < 50; ++i) free(unused[i]);
  free(array), free(other), free(aligned), free(second);
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, churn, NULL);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  return 0;
}
