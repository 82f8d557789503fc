// Names that older programs import, and names that no header declares: the same functions.
// counts: __xstat=2 __fxstat=2 __lxstat=2 __fxstatat=2 __xmknod=1 __xmknodat=1 open=2 close=3 read=1
// write>=2 pread=1 pwrite=1 lseek=1 fcntl=1 dup2=1 pipe=1 fork=1 statfs=1 fopen=1 fdopen=1 fclose=2 fread=1
// fwrite=1 fgets=1 fputs=1 fgetc=1 fputc=1 ungetc=1 fflush=1 ftell=1 fgetpos=2 fsetpos=2 setvbuf=1
// setbuffer=1 fprintf=1 vfprintf=1 printf=1 puts=1 gets=1 popen=1 pclose=1 depth=0
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#include "tiny.h"

extern int __xstat(int, const char*, struct stat*);
extern int __xstat64(int, const char*, struct stat*);
extern int __fxstat(int, int, struct stat*);
extern int __fxstat64(int, int, struct stat*);
extern int __lxstat(int, const char*, struct stat*);
extern int __lxstat64(int, const char*, struct stat*);
extern int __fxstatat(int, int, const char*, struct stat*, int);
extern int __fxstatat64(int, int, const char*, struct stat*, int);
extern int __xmknod(int, const char*, mode_t, dev_t*);
extern int __xmknodat(int, int, const char*, mode_t, dev_t*);
extern int __open(const char*, int, ...);
extern int __open64(const char*, int, ...);
extern int __close(int);
extern ssize_t __read(int, void*, size_t);
extern ssize_t __write(int, const void*, size_t);
extern ssize_t __pread64(int, void*, size_t, off_t);
extern ssize_t __pwrite64(int, const void*, size_t, off_t);
extern off_t __lseek(int, off_t, int);
extern int __fcntl(int, int, ...);
extern int __dup2(int, int);
extern int __pipe(int*);
extern pid_t __fork(void);
extern int __statfs(const char*, struct statfs*);
extern FILE* _IO_fopen(const char*, const char*);
extern FILE* _IO_fdopen(int, const char*);
extern int _IO_fclose(FILE*);
extern size_t _IO_fread(void*, size_t, size_t, FILE*);
extern size_t _IO_fwrite(const void*, size_t, size_t, FILE*);
extern char* _IO_fgets(char*, int, FILE*);
extern int _IO_fputs(const char*, FILE*);
extern int _IO_getc(FILE*);
extern int _IO_putc(int, FILE*);
extern int _IO_ungetc(int, FILE*);
extern int _IO_fflush(FILE*);
extern long _IO_ftell(FILE*);
extern int _IO_fgetpos(FILE*, fpos_t*);
extern int _IO_fgetpos64(FILE*, fpos_t*);
extern int _IO_fsetpos(FILE*, const fpos_t*);
extern int _IO_fsetpos64(FILE*, const fpos_t*);
extern int _IO_setvbuf(FILE*, char*, int, size_t);
extern void _IO_setbuffer(FILE*, char*, size_t);
extern int _IO_fprintf(FILE*, const char*, ...);
extern int _IO_vfprintf(FILE*, const char*, va_list);
extern int _IO_printf(const char*, ...);
extern int _IO_puts(const char*);
extern char* _IO_gets(char*);
extern FILE* _IO_popen(const char*, const char*);

static int print(FILE* stream, const char* format, ...) {
  va_list values;
  va_start(values, format);
  const int result = _IO_vfprintf(stream, format, values);
  va_end(values);
  return result;
}

// Answers are collected and told at the end, so that the calls of say() do not mix with the counted ones.
static char told[4096];
static size_t length;
#define NOTE(call)                                                                                          \
  do {                                                                                                      \
    errno = 0;                                                                                              \
    const long long noted = (long long)(call);                                                              \
    length +=                                                                                               \
        (size_t)snprintf(told + length, sizeof told - length, "%s: %lld, errno %d\n", #call, noted, errno); \
  } while (0)

int main(void) {
  char text[32] = {0};
  struct stat seen;
  dev_t device = 0;
  const int fd = __open("file", O_CREAT | O_RDWR, 0640);
  NOTE(__open64("missing", O_RDONLY));
  NOTE(__write(fd, "hello\n", 6));
  NOTE(__pwrite64(fd, "J", 1, 0));
  NOTE(__pread64(fd, text, 5, 0));
  NOTE(__lseek(fd, 1, SEEK_SET));
  NOTE(__read(fd, text, 4));
  NOTE(__fcntl(fd, F_GETFD));
  NOTE(__dup2(fd, 9));
  int ends[2];
  NOTE(__pipe(ends));
  NOTE(__xstat(1, "file", &seen));
  NOTE(seen.st_mode);
  NOTE(__xstat64(1, "missing", &seen));
  NOTE(__fxstat(1, fd, &seen));
  NOTE(__fxstat64(1, -1, &seen));
  NOTE(__lxstat(1, "file", &seen));
  NOTE(__lxstat64(1, "missing", &seen));
  NOTE(__fxstatat(1, AT_FDCWD, "file", &seen, 0));
  NOTE(__fxstatat64(1, -1, "file", &seen, 0));
  NOTE(__xmknod(0, "node", S_IFREG | 0600, &device));
  NOTE(__xmknodat(0, AT_FDCWD, "missing/node", S_IFREG | 0600, &device));
  struct statfs system;
  NOTE(__statfs(".", &system));
  const pid_t child = __fork();
  if (child == 0) _exit(3);
  int status = 0;
  NOTE(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3);

  FILE* const file = _IO_fopen("stream", "w+");
  fpos_t start;
  NOTE(_IO_setvbuf(file, NULL, _IOFBF, 512));
  _IO_setbuffer(file, NULL, 0);
  NOTE(_IO_fgetpos(file, &start));
  NOTE(_IO_fputs("line\n", file));
  NOTE(_IO_putc('c', file));
  NOTE(_IO_fwrite("12345\n", 1, 6, file));
  NOTE(_IO_fprintf(file, "%d\n", 42));
  NOTE(print(file, "%s\n", "text"));
  NOTE(_IO_fflush(file));
  NOTE(_IO_fsetpos(file, &start));
  NOTE(_IO_fgets(text, sizeof text, file) == text);
  NOTE(_IO_getc(file));
  NOTE(_IO_ungetc('d', file));
  NOTE(_IO_fread(text, 1, 3, file));
  NOTE(_IO_ftell(file));
  NOTE(_IO_fgetpos64(file, &start));
  NOTE(_IO_fsetpos64(file, &start));
  NOTE(_IO_fclose(file));
  NOTE(_IO_fclose(_IO_fdopen(fd, "r")));
  NOTE(__close(9));
  NOTE(__close(ends[0]));
  NOTE(__close(ends[1]));
  FILE* const shell = _IO_popen("exit 4", "r");
  NOTE(pclose(shell));
  NOTE(_IO_gets(text) == NULL);
  NOTE(_IO_puts("a line"));
  NOTE(_IO_printf("%d\n", 5));
  for (size_t at = 0; at < length; at += 2048)
    MUST(write(STDOUT_FILENO, told + at, length - at < 2048 ? length - at : 2048) > 0);
  return 0;
}
