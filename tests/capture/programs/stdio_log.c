/* Stdio calls of every kind. After each, what was called, with what and what came back goes to the file named
   by the first argument as a line of JSON, by system calls that a trace does not see. */
#include <stdarg.h>
#include <sys/syscall.h>

#include "tiny.h"

static int log_fd;

/* Called with errno as the call left it; `failed` says whether it means anything. */
static void say(const char* function, int failed, const char* result, const char* format, ...) {
  const char* error = "null";
  if (failed)
    error = errno == ENOENT   ? "\"ENOENT\""
            : errno == EBADF  ? "\"EBADF\""
            : errno == EINVAL ? "\"EINVAL\""
                              : "\"?\"";
  char rest[1000];
  va_list values;
  va_start(values, format);
  vsnprintf(rest, sizeof rest, format, values);
  va_end(values);
  char line[2000];
  const int length =
      snprintf(line, sizeof line, "{\"function\":\"%s\",\"arguments\":{%s},\"result\":%s,\"errno\":%s}\n",
               function, rest, result, error);
  syscall(SYS_write, log_fd, line, (size_t)length);
}

static const char* n(long value) {
  static char texts[8][32];
  static int next;
  char* text = texts[next++ % 8];
  snprintf(text, 32, "%ld", value);
  return text;
}

static FILE* log_fopen(const char* path, const char* mode) {
  FILE* f = fopen(path, mode);
  say("fopen", !f, f ? n(f->_fileno) : "null", "\"path\":\"%s\",\"mode\":\"%s\"", path, mode);
  return f;
}

static void log_fclose(FILE* f) {
  const int fd = f->_fileno;
  const int result = fclose(f);
  say("fclose", result != 0, n(result), "\"stream\":%d", fd);
}

static void log_fwrite(FILE* f, size_t size, size_t items) {
  static const char data[5000];
  const size_t result = fwrite(data, size, items, f);
  say("fwrite", 0, n((long)result), "\"size\":%zu,\"items\":%zu,\"stream\":%d", size, items, f->_fileno);
}

static void log_fread(FILE* f, size_t size, size_t items) {
  static char data[5000];
  const size_t result = fread(data, size, items, f);
  say("fread", 0, n((long)result), "\"size\":%zu,\"items\":%zu,\"stream\":%d", size, items, f->_fileno);
}

static void log_fseek(FILE* f, long offset, int whence) {
  const int result = fseek(f, offset, whence);
  say("fseek", result != 0, n(result), "\"stream\":%d,\"offset\":%ld,\"whence\":%d", f->_fileno, offset,
      whence);
}

static void log_ftell(FILE* f) {
  const long result = ftell(f);
  say("ftell", result < 0, n(result), "\"stream\":%d", f->_fileno);
}

/* The trace keeps how long the text is, and nothing of it at the end of the file. */
static void log_fgets(FILE* f, int size) {
  char line[300];
  const char* result = fgets(line, size, f);
  say("fgets", 0, "null", "\"buf\":%s,\"size\":%d,\"stream\":%d", result ? n((long)strlen(line)) : "null",
      size, f->_fileno);
}

static void log_fputs(FILE* f, const char* text) {
  const int result = fputs(text, f);
  say("fputs", result < 0, n(result), "\"buf\":%zu,\"stream\":%d", strlen(text), f->_fileno);
}

static void log_fprintf(FILE* f, const char* text, long number) {
  const int result = fprintf(f, "%s = %ld;", text, number);
  say("fprintf", result < 0, n(result), "\"stream\":%d,\"format\":\"%%s = %%ld;\"", f->_fileno);
}

static void log_fflush(FILE* f) {
  const int result = fflush(f);
  say("fflush", result != 0, n(result), "\"stream\":%s", f ? n(f->_fileno) : "null");
}

static void log_getline(FILE* f) {
  char* line = NULL;
  size_t size = 0;
  ssize_t (*volatile function)(char**, size_t*, FILE*) = getline; /* or the header makes it __getdelim */
  const ssize_t result = function(&line, &size, f);
  say("getline", 0, n(result), "\"stream\":%d", f->_fileno);
  free(line);
}

static void log_setvbuf(FILE* f, int mode, size_t size) {
  const int result = setvbuf(f, NULL, mode, size);
  say("setvbuf", result != 0, n(result), "\"stream\":%d,\"buf\":null,\"mode\":%d,\"size\":%zu", f->_fileno,
      mode, size);
}

static FILE* log_freopen(const char* path, const char* mode, FILE* f) {
  const int fd = f->_fileno;
  f = freopen(path, mode, f);
  say("freopen", !f, f ? n(f->_fileno) : "null", "\"path\":\"%s\",\"mode\":\"%s\",\"stream\":%d", path, mode,
      fd);
  return f;
}

int main(int count, char** words) {
  if (count < 2) return 2;
  const int raw = (int)syscall(SYS_openat, AT_FDCWD, words[1], O_WRONLY | O_CREAT | O_TRUNC, 0600);
  log_fd = (int)syscall(SYS_dup3, raw, 900, O_CLOEXEC);
  syscall(SYS_close, raw);

  FILE* f = log_fopen("text", "w+");
  log_setvbuf(f, _IOFBF, 1024);
  for (int i = 0; i < 100; ++i) {
    log_fputs(f, i % 2 == 0 ? "a line\n" : "another, longer line\n");
    log_fprintf(f, "value", i * i * i);
    log_fputs(f, "\n");
  }
  log_ftell(f);
  log_fflush(f);
  log_fseek(f, 0, SEEK_SET);
  for (int i = 0; i < 20; ++i) {
    log_fgets(f, 5 + i);
    log_getline(f);
    if (i % 4 == 0) log_ftell(f);
  }
  log_fseek(f, -10, SEEK_END);
  log_fgets(f, 100);
  log_fgets(f, 100); /* the end of the file, or the rest of it */
  log_fgets(f, 100);
  log_getline(f); /* -1 */
  log_fseek(f, -1, SEEK_SET);
  rewind(f);
  say("rewind", 0, "null", "\"stream\":%d", f->_fileno);
  log_fclose(f);

  log_fopen("missing", "r");
  log_fopen("text", "no mode");
  f = log_fopen("binary", "wb+");
  for (size_t i = 0; i < 60; ++i) log_fwrite(f, 8, i);
  log_fwrite(f, 0, 10);
  log_fwrite(f, 5000, 1);
  log_fflush(f);
  log_fseek(f, 3, SEEK_SET);
  for (size_t i = 0; i < 40; ++i) log_fread(f, 16, i * 3);
  log_fseek(f, -20, SEEK_END);
  log_fread(f, 7, 10); /* two, and a part of one */
  log_fread(f, 1, 10); /* none */
  f = log_freopen("binary", "a", f);
  log_fwrite(f, 1, 10);
  log_ftell(f);
  log_fclose(f);

  f = log_fopen("text", "r");
  log_fwrite(f, 1, 1); /* not open for writing */
  log_fputs(f, "no");
  f = log_freopen("missing/below", "r", f);

  f = tmpfile();
  say("tmpfile", !f, n(f->_fileno), "");
  log_fputs(f, "temporary");
  log_fflush(NULL);
  log_fclose(f);

  const int fd = open("by_number", O_RDWR | O_CREAT, 0600);
  say("open", 0, n(fd), "\"path\":\"by_number\",\"flags\":%d,\"mode\":%d", O_RDWR | O_CREAT, 0600);
  f = fdopen(fd, "r+");
  say("fdopen", !f, n(f->_fileno), "\"fd\":%d,\"mode\":\"r+\"", fd);
  log_fputs(f, "12 words");
  log_fseek(f, 0, SEEK_SET);
  int value = 0;
  const int items = fscanf(f, "%d", &value);
  say("__isoc99_fscanf", 0, n(items), "\"stream\":%d,\"format\":\"%%d\"", f->_fileno);
  const off_t at = ftello(f);
  say("ftello", 0, n(at), "\"stream\":%d", f->_fileno);
  const int sought = fseeko(f, 1, SEEK_CUR);
  say("fseeko", 0, n(sought), "\"stream\":%d,\"offset\":1,\"whence\":1", f->_fileno);
  const int number = fileno(f);
  say("fileno", 0, n(number), "\"stream\":%d", f->_fileno);
  log_fclose(f);
  return 0;
}
