#include "intercept/unchecked.hpp"

#include <cstring>

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace weir {
namespace {

// Two pages of which the second may not be touched: what ends at end() ends where memory does.
class Edge {
 public:
  Edge() {
    pages_ = mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(pages_, MAP_FAILED);
    EXPECT_EQ(mprotect(end(), kPage, PROT_NONE), 0);
  }
  ~Edge() { munmap(pages_, 2 * kPage); }
  Edge(const Edge&) = delete;
  Edge& operator=(const Edge&) = delete;

  char* end() const { return static_cast<char*>(pages_) + kPage; }
  char* put(const char* bytes, std::size_t count) const {
    return static_cast<char*>(std::memcpy(end() - count, bytes, count));
  }

 private:
  static constexpr std::size_t kPage = 4096;
  void* pages_ = nullptr;
};

TEST(Unchecked, ATextThatEndsWithItsPageCanBeRead) {
  const Edge edge;
  const char* const text = edge.put("abc", 4);
  char scratch[64];
  EXPECT_TRUE(readable_text(text));
  EXPECT_EQ(copied(text, scratch, sizeof scratch), "abc");
}

TEST(Unchecked, ATextThatRunsIntoNothingIsReadAsFarAsItGoes) {
  const Edge edge;
  const char* const text = edge.put("abc", 3);
  char scratch[64];
  EXPECT_FALSE(readable_text(text));
  EXPECT_EQ(copied(text, scratch, sizeof scratch), "abc");
  EXPECT_EQ(copied(edge.end(), scratch, sizeof scratch), "");
  EXPECT_EQ(copied(nullptr, scratch, sizeof scratch), "");
}

TEST(Unchecked, ATextIsCutWhereTheRoomEnds) {
  char scratch[4];
  EXPECT_EQ(copied("abcdef", scratch, sizeof scratch), "abcd");
}

TEST(Unchecked, BytesAreReadableUpToTheEdge) {
  const Edge edge;
  EXPECT_TRUE(readable(edge.end() - 1000, 1000));
  EXPECT_FALSE(readable(edge.end() - 1000, 1001));
  EXPECT_TRUE(readable(edge.end(), 0));
}

TEST(Unchecked, TextsAreJoinedUpToANullOrToWhatCannotBeRead) {
  const Edge edge;
  char one[] = "one";
  char two[] = "two";
  char* const list[] = {one, two, nullptr};
  char scratch[64];
  EXPECT_EQ(joined(list, scratch, sizeof scratch), std::string_view("one\0two\0", 8));
  // A list that nothing ends, at the edge of memory.
  char* const* const open_list =
      reinterpret_cast<char* const*>(edge.put(reinterpret_cast<const char*>(list), 2 * sizeof list[0]));
  EXPECT_EQ(joined(open_list, scratch, sizeof scratch), std::string_view("one\0two\0", 8));
  EXPECT_EQ(joined(list, scratch, 6), std::string_view("one\0t\0", 6));
}

}  // namespace
}  // namespace weir
