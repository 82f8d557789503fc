// Every call on a stream, also on the standard ones.
// counts: fopen=5 fdopen=2 freopen=2 fclose>=4 fcloseall=1 fileno=2 tmpfile=2 fread=2 fwrite=2 fgets=2
// fputs=3 fgetc=5 fputc=5 ungetc=1 getw=1 putw=1 getline=1 getdelim=2 fflush=3 _flushlbf=1 __fpurge=1
// fseek=1 fseeko=2 ftell=1 ftello=2 rewind=3 fgetpos=2 fsetpos=2 setvbuf=1 setbuf=1 setbuffer=1
// setlinebuf=1 fprintf=1 vfprintf=1 dprintf=1 vdprintf=1 fscanf=1 vfscanf=2 __isoc99_fscanf=1
// __isoc99_vfscanf=1 printf>=1 vprintf=1 puts=1 putchar=2 getchar=2 scanf=1 vscanf=1 __isoc99_scanf=1
// __isoc99_vscanf=1 gets=1 perror=1 setmntent=2 getmntent=1 getmntent_r=2 addmntent=1 endmntent=2 __uflow=1
// __overflow=1 depth=0
#include <fcntl.h>
#include <mntent.h>
#include <stdio_ext.h>

#include "tiny.h"

// By their own names: the header puts others in their place, or declares them no more.
extern int old_fscanf(FILE*, const char*, ...) __asm__("fscanf");
extern int old_vfscanf(FILE*, const char*, va_list) __asm__("vfscanf");
extern int old_vfscanf2(FILE*, const char*, va_list) __asm__("__vfscanf");
extern int old_scanf(const char*, ...) __asm__("scanf");
extern int old_vscanf(const char*, va_list) __asm__("vscanf");
extern int __isoc99_fscanf(FILE*, const char*, ...);
extern int __isoc99_vfscanf(FILE*, const char*, va_list);
extern int __isoc99_scanf(const char*, ...);
extern int __isoc99_vscanf(const char*, va_list);
extern char* gets(char*);
extern ssize_t __getdelim(char**, size_t*, int, FILE*);
extern FILE* __setmntent(const char*, const char*);
extern int __endmntent(FILE*);
extern struct mntent* __getmntent_r(FILE*, struct mntent*, char*, int);

// Some of these are macros or put into the program by the compiler; through a pointer they are calls.
#define CALL(name) (*(__typeof__(&name) volatile[]){&name}[0])

static int take(int which, FILE* stream, const char* format, ...) {
  va_list values;
  va_start(values, format);
  int result = 0;
  switch (which) {
    case 0:
      result = vfprintf(stream, format, values);
      break;
    case 1:
      result = vdprintf(fileno_unlocked(stream), format, values);
      break;
    case 2:
      result = old_vfscanf(stream, format, values);
      break;
    case 3:
      result = old_vfscanf2(stream, format, values);
      break;
    case 4:
      result = __isoc99_vfscanf(stream, format, values);
      break;
    case 5:
      result = CALL(vprintf)(format, values);
      break;
    case 6:
      result = old_vscanf(format, values);
      break;
    default:
      result = __isoc99_vscanf(format, values);
      break;
  }
  va_end(values);
  return result;
}

static void lines_and_characters(void) {
  FILE* const file = fopen("lines", "w+");
  MUST(file != NULL);
  TELL(fputs("first line\n", file));
  TELL(fputs_unlocked("second line\n", file));
  TELL(CALL(fputc)('a', file));
  TELL(CALL(putc)('b', file));
  TELL(CALL(fputc_unlocked)('c', file));
  TELL(CALL(putc_unlocked)('d', file));
  TELL(CALL(putc)('\n', file));
  TELL(putw(0x64636261, file));
  TELL(CALL(fwrite)("x,y,zz", 1, 6, file));
  TELL(CALL(fwrite_unlocked)("end", 3, 1, file));
  rewind(file);
  char text[64];
  TELL(fgets(text, sizeof text, file) == text);
  TELL(fgets_unlocked(text, sizeof text, file) == text);
  say("%s", text);
  TELL(CALL(fgetc)(file));
  TELL(CALL(getc)(file));
  TELL(CALL(fgetc_unlocked)(file));
  TELL(CALL(getc_unlocked)(file));
  TELL(ungetc('!', file));
  TELL(CALL(getc)(file));
  char* line = NULL;
  size_t size = 0;
  TELL(CALL(getline)(&line, &size, file));
  TELL(getw(file));
  TELL(CALL(getdelim)(&line, &size, ',', file));
  TELL(__getdelim(&line, &size, ',', file));
  say("%s\n", line);
  free(line);
  TELL(CALL(fread)(text, 1, 2, file));
  TELL(CALL(fread_unlocked)(text, 1, 64, file));
  TELL(fclose(file));
}

static void positions(void) {
  FILE* const file = fopen64("positions", "w+");
  MUST(file != NULL);
  setbuf(file, NULL);
  static char room[256];
  TELL(setvbuf(file, room, _IOFBF, sizeof room));
  setlinebuf(file);
  setbuffer(file, room, sizeof room);
  TELL(fprintf(file, "%d %d\n%d %d %d\n", 11, 22, 33, 44, 55));
  TELL(take(0, file, "%s", "text\n"));
  TELL(fflush(file));
  TELL(fflush_unlocked(file));
  TELL(take(1, file, "%s", "past the stream\n"));
  TELL(dprintf(fileno(file), "%s\n", "again"));
  TELL(fseek(file, 0, SEEK_SET));
  fpos_t place;
  fpos64_t place64;
  TELL(fgetpos(file, &place));
  int a = 0;
  int b = 0;
  TELL(old_fscanf(file, "%d", &a));
  TELL(__isoc99_fscanf(file, "%d", &b));
  TELL(fgetpos64(file, &place64));
  TELL(take(2, file, "%d", &a));
  TELL(take(3, file, "%d", &b));
  say("%d %d\n", a, b);
  TELL(take(4, file, "%d", &a));
  TELL(ftell(file));
  TELL(fsetpos(file, &place));
  TELL(ftello(file));
  TELL(fsetpos64(file, &place64));
  TELL(ftello64(file));
  TELL(fseeko(file, 3, SEEK_SET));
  TELL(fseeko64(file, -1, SEEK_END));
  TELL(__uflow(file));
  rewind(file);
  TELL(__overflow(file, 'o'));
  __fpurge(file);
  TELL(fclose(file));
}

static void standard(void) {
  FILE* const words = fopen("words", "w");
  MUST(words != NULL && CALL(fputs)("1 2 3 4 rest\nxyz", words) >= 0 && fclose(words) == 0);
  TELL(freopen("words", "r", stdin) == stdin);
  int number = 0;
  TELL(old_scanf("%d", &number));
  TELL(__isoc99_scanf("%d", &number));
  TELL(take(6, NULL, "%d", &number));
  TELL(take(7, NULL, "%d", &number));
  say("%d\n", number);
  char text[64];
  TELL(gets(text) == text);
  TELL(CALL(getchar)());
  TELL(CALL(getchar_unlocked)());
  TELL(freopen64("missing/words", "r", stdin) == NULL);
  TELL(CALL(puts)("a line"));
  TELL(CALL(putchar)('c'));
  TELL(CALL(putchar_unlocked)('\n'));
  TELL(CALL(printf)("%s %d\n", "formatted", 1));
  TELL(take(5, NULL, "%s %d\n", "formatted", 2));
  _flushlbf();
  TELL(fflush(stdout));
  errno = ENOENT;
  perror("on standard error");
}

static void mounts(void) {
  FILE* const table = setmntent("mounts", "w+");
  MUST(table != NULL);
  TELL(addmntent(table, &(struct mntent){"device", "/place", "kind", "options", 0, 0}));
  CALL(rewind)(table);
  char room[128];
  struct mntent found;
  TELL(getmntent_r(table, &found, room, sizeof room) != NULL);
  say("%s\n", found.mnt_dir);
  TELL(__getmntent_r(table, &found, room, sizeof room) != NULL);
  TELL(getmntent(table) != NULL);
  TELL(endmntent(table));
  TELL(__endmntent(__setmntent("mounts", "r")));
}

int main(void) {
  lines_and_characters();
  positions();
  standard();
  mounts();
  FILE* const unnamed = tmpfile();
  TELL(unnamed != NULL && fclose(unnamed) == 0);
  TELL(tmpfile64() != NULL);
  TELL(fdopen(open("lines", O_RDONLY), "r") != NULL);
  TELL(fdopen(-1, "r") == NULL);
  TELL(fopen("missing/file", "r") == NULL);
  TELL(fopen("left", "w") != NULL);
  TELL(fcloseall());
  return 0;
}
