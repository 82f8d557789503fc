#include "intercept/variadic.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace weir {
namespace {

// As a shim does it: the named arguments, then whatever came in '...'.
long fcntl_value(int fd, int command, ...) {
  va_list rest;
  va_start(rest, command);
  const long value = take_last<Call::fcntl>(rest, fd, command);
  va_end(rest);
  return value;
}
long ioctl_value(int fd, unsigned long request, ...) {
  va_list rest;
  va_start(rest, request);
  const long value = take_last<Call::ioctl>(rest, fd, request);
  va_end(rest);
  return value;
}
void* mremap_address(void* old, std::size_t size, std::size_t new_size, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  void* const address = take_last<Call::mremap>(rest, old, size, new_size, flags);
  va_end(rest);
  return address;
}
std::vector<std::string> strings(const char* first, ...) {
  va_list rest;
  va_start(rest, first);
  std::vector<char*> made(count_strings(first, rest) + 1);
  va_end(rest);
  va_start(rest, first);
  collect_strings(made.data(), first, rest);
  va_end(rest);
  EXPECT_EQ(made.back(), nullptr);
  return {made.begin(), made.end() - 1};
}

constexpr long kStale = 0x5555'5555'5555'5555;  // what a register may hold when nothing was passed

TEST(Variadic, FcntlReadsWhatItsCommandTakes) {
  flock lock{};
  EXPECT_EQ(fcntl_value(3, F_GETFL, kStale), 0);
  EXPECT_EQ(fcntl_value(3, F_DUPFD, -1), -1);
  EXPECT_EQ(fcntl_value(3, F_SETFL, kStale), static_cast<int>(kStale)) << "an int has 32 bits";
  EXPECT_EQ(fcntl_value(3, F_SETLK, &lock), reinterpret_cast<long>(&lock));
  EXPECT_EQ(fcntl_value(3, 123456, kStale), kStale) << "unknown commands get all there is";
}

TEST(Variadic, IoctlReadsNothingWhereNothingIsTaken) {
  int ready = 0;
  EXPECT_EQ(ioctl_value(3, FIOCLEX, kStale), 0);
  EXPECT_EQ(ioctl_value(3, FICLONE, 7), 7);
  EXPECT_EQ(ioctl_value(3, FIONREAD, &ready), reinterpret_cast<long>(&ready));
}

TEST(Variadic, MremapHasANewAddressOnlyWhenItIsFixed) {
  int place = 0;
  EXPECT_EQ(mremap_address(nullptr, 1, 2, MREMAP_MAYMOVE, kStale), nullptr);
  EXPECT_EQ(mremap_address(nullptr, 1, 2, MREMAP_MAYMOVE | MREMAP_FIXED, &place), &place);
}

TEST(Variadic, AListOfStringsEndsAtItsNullPointer) {
  const char* const end = nullptr;
  EXPECT_TRUE(strings(nullptr).empty());
  EXPECT_EQ(strings("a", "b", "c", "d", "e", "f", "g", "h", end),
            (std::vector<std::string>{"a", "b", "c", "d", "e", "f", "g", "h"}));
}

}  // namespace
}  // namespace weir
