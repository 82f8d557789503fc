// An allocator of the program's own that takes its memory with mmap, from the very first instruction on.
// counts: mmap>=1 munmap>=1 fopen=1 fclose=1
#include <sys/mman.h>

#include "tiny.h"

enum { kHead = 16 };

void* malloc(size_t size) {
  char* const made = mmap(NULL, size + kHead, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made == MAP_FAILED) return NULL;
  *(size_t*)(void*)made = size;
  return made + kHead;
}
void free(void* memory) {
  if (memory == NULL) return;
  char* const made = (char*)memory - kHead;
  munmap(made, *(size_t*)(void*)made + kHead);
}
void* calloc(size_t count, size_t size) { return malloc(count * size); }
void* realloc(void* old, size_t size) {
  void* const made = malloc(size);
  if (old == NULL || made == NULL) return made;
  const size_t had = *(size_t*)(void*)((char*)old - kHead);
  memcpy(made, old, had < size ? had : size);
  free(old);
  return made;
}

int main(void) {
  char* volatile memory = malloc(100);
  MUST(memory != NULL);
  memory = realloc(memory, 200);
  free(memory);
  FILE* const file = fopen("text", "w");
  MUST(file != NULL && fputs("text\n", file) >= 0 && fclose(file) == 0);
  say("done\n");
  return 0;
}
