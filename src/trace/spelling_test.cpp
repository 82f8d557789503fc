#include "trace/spelling.hpp"

#include <cerrno>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/json.hpp"

namespace weir::trace {
namespace {

template <class F, class... Args>
std::string text(F&& f, Args&&... args) {
  fmt::memory_buffer out;
  f(out, std::forward<Args>(args)...);
  return to_string(out);
}

TEST(Spelling, OpenFlagsByName) {
  EXPECT_EQ(text(append_open_flags, 0), "O_RDONLY");
  EXPECT_EQ(text(append_open_flags, O_RDWR | O_CREAT), "O_RDWR|O_CREAT");
  EXPECT_EQ(text(append_open_flags, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC),
            "O_WRONLY|O_CREAT|O_TRUNC|O_APPEND|O_CLOEXEC");
}

TEST(Spelling, FlagsThatHoldOthersStandForThem) {
  EXPECT_EQ(text(append_open_flags, O_WRONLY | O_SYNC), "O_WRONLY|O_SYNC");
  EXPECT_EQ(text(append_open_flags, O_WRONLY | O_DSYNC), "O_WRONLY|O_DSYNC");
  EXPECT_EQ(text(append_open_flags, O_RDWR | O_TMPFILE), "O_RDWR|O_TMPFILE");
  EXPECT_EQ(text(append_open_flags, O_DIRECTORY), "O_RDONLY|O_DIRECTORY");
}

TEST(Spelling, UnknownBitsAreNotLost) {
  EXPECT_EQ(text(append_open_flags, 1 | 0x40000000), "O_WRONLY|0x40000000");
  EXPECT_EQ(text(append_open_flags, -1).find("O_ACCMODE|"), 0U);
}

TEST(Spelling, ErrnoModeWhence) {
  const auto error = [](std::string_view layer, std::int64_t number) {
    return text([&](fmt::memory_buffer& out, std::int64_t value) { append_error(out, layer, value); },
                number);
  };
  EXPECT_EQ(error("posix", ENOENT), "ENOENT");
  EXPECT_EQ(error("posix", EAGAIN), "EAGAIN");
  EXPECT_EQ(error("stdio", 99999), "errno 99999");
  EXPECT_EQ(error("posix", -3), "errno -3");
  EXPECT_EQ(error("mpi", 2), "MPI error class 2");
  EXPECT_EQ(text(append_mode, 0644), "0644");
  EXPECT_EQ(text(append_mode, 07), "0007");
  EXPECT_EQ(text(append_mode, 04755), "04755");
  EXPECT_EQ(text(append_whence, SEEK_END), "SEEK_END");
  EXPECT_EQ(text(append_whence, 77), "77");
}

TEST(Spelling, SymbolsOfOtherCalls) {
  const auto symbol = [](std::string_view call, std::string_view argument, std::int64_t value) {
    fmt::memory_buffer out;
    return append_symbol(out, call, argument, value) ? to_string(out) : std::string("-");
  };
  EXPECT_EQ(symbol("mmap", "protection", PROT_READ | PROT_WRITE), "PROT_READ|PROT_WRITE");
  EXPECT_EQ(symbol("mmap", "protection", PROT_NONE), "0");
  EXPECT_EQ(symbol("mmap", "flags", MAP_SHARED), "MAP_SHARED");
  EXPECT_EQ(symbol("access", "mode", F_OK), "F_OK");
  EXPECT_EQ(symbol("access", "mode", R_OK | W_OK), "R_OK|W_OK");
  EXPECT_EQ(symbol("fcntl", "command", F_GETFL), "F_GETFL");
  EXPECT_EQ(symbol("fstatat", "flags", AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH),
            "AT_SYMLINK_NOFOLLOW|AT_EMPTY_PATH");
  EXPECT_EQ(symbol("unlinkat", "flags", AT_REMOVEDIR), "AT_REMOVEDIR");
  EXPECT_EQ(symbol("no_such_call", "flags", 1), "-");
}

TEST(Spelling, QuotedTextIsPrintableAscii7OrUtf8) {
  EXPECT_EQ(text(append_quoted, "plain"), "\"plain\"");
  EXPECT_EQ(text(append_quoted, "a\n\"b\"\\\t\x1b"), R"("a\n\"b\"\\\t\x1b")");
  EXPECT_EQ(text(append_quoted, "größe"), "\"größe\"");
  EXPECT_EQ(text(append_quoted, "\xff\xc3("), "\"\\xff\\xc3(\"");
  EXPECT_EQ(text(append_quoted, "\xed\xa0\x80"), "\"\\xed\\xa0\\x80\"") << "a surrogate is no character";
}

TEST(Spelling, JsonStringsComeBack) {
  for (const std::string_view given : {"plain", "a\"b\\c\n\x01", "größe 𝄞", ""}) {
    const auto parsed = parse_json(text(append_json_string, given));
    ASSERT_TRUE(parsed) << given;
    EXPECT_EQ(parsed->get<std::string>(), given);
  }
  const auto broken = parse_json(text(append_json_string, "a\xff"));
  ASSERT_TRUE(broken);
  EXPECT_EQ(broken->get<std::string>(), "a\xef\xbf\xbd");
}

}  // namespace
}  // namespace weir::trace
