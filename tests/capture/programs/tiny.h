/* For programs that make calls on purpose and look at none of their results: the drivers do. */
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define IGNORE(call)            \
  do {                          \
    if ((call) == 0) errno = 0; \
  } while (0)

/* A small generator with the same numbers everywhere (Knuth's MMIX constants). */
static inline uint32_t next_random(uint64_t* state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33);
}
