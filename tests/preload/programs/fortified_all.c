// The rest of what _FORTIFY_SOURCE puts in place of other names; fortified_built.c is really built with it.
// counts: __readlink_chk=1 __readlinkat_chk=1 __realpath_chk=1 __getcwd_chk=1 __getwd_chk=1 __fgets_chk=2
// __fread_chk=1 __gets_chk=1 __vfprintf_chk=1 __dprintf_chk=1 __vdprintf_chk=1 __printf_chk=1
// __vprintf_chk=1 __fgetws_chk=2 __fwprintf_chk=1 __vfwprintf_chk=1 __wprintf_chk=1 __vwprintf_chk=1
// depth=0
#include <fcntl.h>
#include <linux/limits.h>
#include <wchar.h>

#include "tiny.h"

extern ssize_t __readlink_chk(const char*, char*, size_t, size_t);
extern ssize_t __readlinkat_chk(int, const char*, char*, size_t, size_t);
extern char* __realpath_chk(const char*, char*, size_t);
extern char* __getcwd_chk(char*, size_t, size_t);
extern char* __getwd_chk(char*, size_t);
extern size_t __fread_unlocked_chk(void*, size_t, size_t, size_t, FILE*);
extern char* __fgets_chk(char*, size_t, int, FILE*);
extern char* __fgets_unlocked_chk(char*, size_t, int, FILE*);
extern char* __gets_chk(char*, size_t);
extern int __vfprintf_chk(FILE*, int, const char*, va_list);
extern int __dprintf_chk(int, int, const char*, ...);
extern int __vdprintf_chk(int, int, const char*, va_list);
extern int __printf_chk(int, const char*, ...);
extern int __vprintf_chk(int, const char*, va_list);
extern wchar_t* __fgetws_chk(wchar_t*, size_t, int, FILE*);
extern wchar_t* __fgetws_unlocked_chk(wchar_t*, size_t, int, FILE*);
extern int __fwprintf_chk(FILE*, int, const wchar_t*, ...);
extern int __vfwprintf_chk(FILE*, int, const wchar_t*, va_list);
extern int __wprintf_chk(int, const wchar_t*, ...);
extern int __vwprintf_chk(int, const wchar_t*, va_list);

static int take(int which, FILE* stream, const void* format, ...) {
  va_list values;
  va_start(values, format);
  int result = 0;
  switch (which) {
    case 0:
      result = __vfprintf_chk(stream, 1, format, values);
      break;
    case 1:
      result = __vdprintf_chk(STDOUT_FILENO, 1, format, values);
      break;
    case 2:
      result = __vprintf_chk(1, format, values);
      break;
    case 3:
      result = __vfwprintf_chk(stream, 1, format, values);
      break;
    default:
      result = __vwprintf_chk(1, format, values);
      break;
  }
  va_end(values);
  return result;
}

int main(void) {
  static char text[PATH_MAX];
  MUST(symlink("target", "link") == 0);
  TELL(__readlink_chk("link", text, 10, sizeof text));
  TELL(__readlinkat_chk(AT_FDCWD, "link", text, 3, sizeof text));
  TELL(__realpath_chk("missing", text, sizeof text) == NULL);
  TELL(__getcwd_chk(text, sizeof text, sizeof text) == text);
  TELL(__getwd_chk(text, sizeof text) == text);
  FILE* const file = fopen("file", "w+");
  TELL(take(0, file, "%d\n%d\n%s\n%s", 1, 2, "three", "four"));
  rewind(file);
  TELL(__fgets_chk(text, sizeof text, 10, file) == text);
  TELL(__fgets_unlocked_chk(text, sizeof text, 10, file) == text);
  TELL(__fread_unlocked_chk(text, sizeof text, 1, 4, file));
  TELL(fclose(file));
  TELL(freopen("file", "r", stdin) == stdin);
  TELL(__gets_chk(text, sizeof text) == text);
  TELL(__dprintf_chk(STDOUT_FILENO, 1, "%s\n", "to a descriptor"));
  TELL(take(1, NULL, "%g\n", 0.5));
  TELL(__printf_chk(1, "%s\n", "formatted"));
  TELL(take(2, NULL, "%d\n", 7));
  FILE* const wide = fopen("wide", "w+");
  TELL(__fwprintf_chk(wide, 1, L"%d\n", 8));
  TELL(take(3, wide, L"%d\n", 9));
  rewind(wide);
  wchar_t words[16];
  TELL(__fgetws_chk(words, 16, 10, wide) == words);
  TELL(__fgetws_unlocked_chk(words, 16, 10, wide) == words);
  TELL(freopen("out", "w", stdout) == stdout);
  TELL(__wprintf_chk(1, L"%d\n", 10));
  TELL(take(4, NULL, L"%d\n", 11));
  return 0;
}
