// Streams of wide characters.
// counts: fgetwc=4 fputwc=4 ungetwc=1 fgetws=2 fputws=2 getwchar=2 putwchar=2 fwprintf=1 vfwprintf=1
// wprintf=1 vwprintf=1 fwscanf=1 vfwscanf=1 wscanf=1 vwscanf=1 __isoc99_fwscanf=1 __isoc99_vfwscanf=1
// __isoc99_wscanf=1 __isoc99_vwscanf=1 depth=0
#include <wchar.h>

#include "tiny.h"

extern int old_fwscanf(FILE*, const wchar_t*, ...) __asm__("fwscanf");
extern int old_vfwscanf(FILE*, const wchar_t*, va_list) __asm__("vfwscanf");
extern int old_wscanf(const wchar_t*, ...) __asm__("wscanf");
extern int old_vwscanf(const wchar_t*, va_list) __asm__("vwscanf");
extern int __isoc99_fwscanf(FILE*, const wchar_t*, ...);
extern int __isoc99_vfwscanf(FILE*, const wchar_t*, va_list);
extern int __isoc99_wscanf(const wchar_t*, ...);
extern int __isoc99_vwscanf(const wchar_t*, va_list);

static int take(int which, FILE* stream, const wchar_t* format, ...) {
  va_list values;
  va_start(values, format);
  int result = 0;
  switch (which) {
    case 0:
      result = vfwprintf(stream, format, values);
      break;
    case 1:
      result = vwprintf(format, values);
      break;
    case 2:
      result = old_vfwscanf(stream, format, values);
      break;
    case 3:
      result = __isoc99_vfwscanf(stream, format, values);
      break;
    case 4:
      result = old_vwscanf(format, values);
      break;
    default:
      result = __isoc99_vwscanf(format, values);
      break;
  }
  va_end(values);
  return result;
}

int main(void) {
  FILE* const file = fopen("wide", "w+");
  MUST(file != NULL);
  TELL(fputwc(L'a', file));
  TELL(putwc(L'b', file));
  TELL(fputwc_unlocked(L'c', file));
  TELL(putwc_unlocked(L'd', file));
  TELL(fputws(L" words", file));
  TELL(fputws_unlocked(L" more\n", file));
  TELL(fwprintf(file, L"%d %d\n", 1, 2));
  TELL(take(0, file, L"%d %d\n", 3, 4));
  rewind(file);
  TELL(fgetwc(file));
  TELL(getwc(file));
  TELL(fgetwc_unlocked(file));
  TELL(getwc_unlocked(file));
  TELL(ungetwc(L'!', file));
  wchar_t text[32];
  TELL(fgetws(text, 4, file) == text);
  TELL(fgetws_unlocked(text, 32, file) == text);
  int number = 0;
  TELL(old_fwscanf(file, L"%d", &number));
  TELL(__isoc99_fwscanf(file, L"%d", &number));
  TELL(take(2, file, L"%d", &number));
  TELL(take(3, file, L"%d", &number));
  say("%d\n", number);
  TELL(fclose(file));
  file == NULL ? 0 : freopen("wide", "r", stdin);
  TELL(getwchar());
  TELL(getwchar_unlocked());
  TELL(old_wscanf(L"%*ls %d", &number));
  TELL(__isoc99_wscanf(L"%d", &number));
  TELL(take(4, NULL, L"%d", &number));
  TELL(take(5, NULL, L"%d", &number));
  TELL(putwchar(L'w'));
  TELL(putwchar_unlocked(L'\n'));
  TELL(wprintf(L"%ls\n", L"wide"));
  TELL(take(1, NULL, L"%d\n", 5));
  return 0;
}
