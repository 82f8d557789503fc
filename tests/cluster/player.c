/* A process on the burst-buffer file system that does what it is told, a command a line on standard input, an
 * answer a line: "ok VALUE" or "error ERRNO". The commands are in obey(). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "weir/burst.h"

static weir_fs* fs;
static weir_file* file;

static void answer(long long value) {
  if (value < 0)
    printf("error %d\n", errno);
  else
    printf("ok %lld\n", value);
}

static void open_file(void) {
  const char* const path = strtok(NULL, " ");
  const char* const model = strtok(NULL, " ");
  int flags = O_RDWR | O_CREAT;
  for (const char* how; (how = strtok(NULL, " ")) != NULL;) {
    if (strcmp(how, "append") == 0) flags |= O_APPEND;
    if (strcmp(how, "excl") == 0) flags |= O_EXCL;
    if (strcmp(how, "trunc") == 0) flags |= O_TRUNC;
    if (strcmp(how, "old") == 0) flags &= ~O_CREAT;
  }
  /* "-": as the job's policy says */
  file = weir_open(fs, path, flags, 0644, strcmp(model, "-") == 0 ? NULL : model);
  answer(file == NULL ? -1 : 0);
}

static void fill(void) {
  const long long offset = atoll(strtok(NULL, " "));
  const size_t bytes = (size_t)atoll(strtok(NULL, " "));
  char* const buffer = malloc(bytes);
  memset(buffer, strtok(NULL, " ")[0], bytes);
  answer(weir_pwrite(file, buffer, bytes, offset));
  free(buffer);
}

/* COUNT pieces of BYTES each, one every STRIDE bytes, of one letter each, in no order. */
static void scatter(void) {
  const long long stride = atoll(strtok(NULL, " "));
  const size_t bytes = (size_t)atoll(strtok(NULL, " "));
  const long long count = atoll(strtok(NULL, " "));
  char* const buffer = malloc(bytes);
  long long written = 0;
  for (long long i = 0; i < count; ++i) {
    const long long piece = i * 7919 % count; /* a prime */
    memset(buffer, 'a' + (int)(piece % 26), bytes);
    const ssize_t done = weir_pwrite(file, buffer, bytes, piece * stride);
    if (done < 0) break;
    written += done;
  }
  answer(written == count * (long long)bytes ? written : -1);
  free(buffer);
}

static void read_text(void) {
  const long long offset = atoll(strtok(NULL, " "));
  const size_t bytes = (size_t)atoll(strtok(NULL, " "));
  char* const buffer = calloc(bytes + 1, 1);
  const ssize_t got = weir_pread(file, buffer, bytes, offset);
  if (got < 0) {
    answer(-1);
  } else {
    for (ssize_t i = 0; i < got; ++i)
      if (buffer[i] == '\0') buffer[i] = '.';
    printf("ok %s\n", buffer);
  }
  free(buffer);
}

static int obey(char* line) {
  const char* const word = strtok(line, " ");
  struct stat status;
  if (word == NULL) return 0;
  if (strcmp(word, "open") == 0) {
    open_file();
  } else if (strcmp(word, "write") == 0) {
    const long long offset = atoll(strtok(NULL, " "));
    const char* const text = strtok(NULL, "");
    answer(weir_pwrite(file, text, strlen(text), offset));
  } else if (strcmp(word, "append") == 0) {
    const char* const text = strtok(NULL, "");
    answer(weir_write(file, text, strlen(text)));
  } else if (strcmp(word, "fill") == 0) {
    fill();
  } else if (strcmp(word, "scatter") == 0) {
    scatter();
  } else if (strcmp(word, "read") == 0) {
    read_text();
  } else if (strcmp(word, "sync") == 0) {
    answer(weir_fsync(file));
  } else if (strcmp(word, "attach") == 0) {
    answer(weir_attach_file(file));
  } else if (strcmp(word, "query") == 0) {
    answer(weir_query_file(file, NULL, NULL));
  } else if (strcmp(word, "lock") == 0) {
    const long long offset = atoll(strtok(NULL, " "));
    answer(weir_lock(file, offset, (size_t)atoll(strtok(NULL, " ")), WEIR_LOCK_EXCLUSIVE));
  } else if (strcmp(word, "release") == 0) {
    answer(weir_release_file(file));
  } else if (strcmp(word, "flush") == 0) {
    answer(weir_flush(file));
  } else if (strcmp(word, "close") == 0) {
    answer(weir_close(file));
  } else if (strcmp(word, "size") == 0) {
    answer(weir_fstat(file, &status) == 0 ? (long long)status.st_size : -1);
  } else if (strcmp(word, "truncate") == 0) {
    answer(weir_ftruncate(file, atoll(strtok(NULL, " "))));
  } else if (strcmp(word, "unlink") == 0) {
    answer(weir_unlink(fs, strtok(NULL, " ")));
  } else if (strcmp(word, "rename") == 0) {
    const char* const from = strtok(NULL, " ");
    answer(weir_rename(fs, from, strtok(NULL, " ")));
  } else if (strcmp(word, "client") == 0) {
    printf("ok %llu\n", (unsigned long long)weir_fs_client(fs));
  } else if (strcmp(word, "exit") == 0) {
    exit(0); /* without a word to the file system */
  } else if (strcmp(word, "quit") == 0) {
    _exit(0); /* not even exit handlers run */
  } else if (strcmp(word, "end") == 0) {
    return 1;
  } else {
    printf("unknown %s\n", word);
  }
  return 0;
}

int main(void) {
  char line[4096];
  fs = weir_fs_connect(NULL);
  answer(fs == NULL ? -1 : 0);
  fflush(stdout);
  if (fs == NULL) return 1;
  while (fgets(line, sizeof line, stdin) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    if (obey(line)) break;
    fflush(stdout);
  }
  return weir_fs_disconnect(fs) == 0 ? 0 : 1;
}
