#include "base/checksum.hpp"

#include <string>

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(Checksum, IsXxh3) {
  // XXH3_64bits of the empty input, as given in the xxHash specification's test vectors.
  EXPECT_EQ(checksum({}), 0x2d06800538d394c2u);
}

TEST(Checksum, PiecesGiveTheSameAsTheWhole) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += static_cast<char>(i * 7);
  Checksum pieces(3);
  for (std::size_t at = 0; at < text.size(); at += 617)
    pieces.update(as_bytes(std::string_view(text).substr(at, 617)));
  EXPECT_EQ(pieces.value(), checksum(as_bytes(text), 3));
}

TEST(Checksum, OneFlippedBitShows) {
  std::string text(100, 'a');
  const auto before = checksum(as_bytes(text));
  text[50] ^= 1;
  EXPECT_NE(checksum(as_bytes(text)), before);
}

}  // namespace
}  // namespace weir
