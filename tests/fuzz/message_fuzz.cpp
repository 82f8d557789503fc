// Feeds arbitrary bytes to the decoder of messages: one message with a member of every kind that wire.hpp
// knows, and the greetings of clients and servers. What is accepted must pack to the same bytes again: a
// value has one encoding.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "transport/detail/handshake.hpp"
#include "transport/detail/ucx_greeting.hpp"
#include "transport/wire.hpp"

namespace {

using namespace weir::transport;

enum class Kind : std::uint8_t { one, two };
bool is_known(Kind kind) { return kind <= Kind::two; }

struct Extent {
  std::uint64_t begin = 0, length = 0;
  std::uint32_t log = 0, node = 0;
  static constexpr auto fields = std::tuple{&Extent::begin, &Extent::length, &Extent::log, &Extent::node};
};
struct Padded {
  std::uint32_t a = 0;
  std::uint8_t b = 0;
  static constexpr auto fields = std::tuple{&Padded::a, &Padded::b};
};
struct Everything {
  Kind kind = Kind::one;
  bool yes = false;
  std::int16_t small = 0;
  double real = 0;
  weir::Offset offset;
  std::string text;
  Bytes bytes;
  std::array<Padded, 2> two{};
  std::optional<Extent> maybe;
  std::vector<Extent> extents;
  std::vector<Padded> padded;
  std::vector<std::optional<std::vector<std::string>>> nested;
  static constexpr auto fields =
      std::tuple{&Everything::kind,   &Everything::yes,     &Everything::small,  &Everything::real,
                 &Everything::offset, &Everything::text,    &Everything::bytes,  &Everything::two,
                 &Everything::maybe,  &Everything::extents, &Everything::padded, &Everything::nested};
};

template <class M>
void check(weir::ByteSpan bytes) {
  const auto message = unpack<M>(bytes);
  if (!message) return;
  const Bytes again = pack(*message);
  if (!std::equal(again.begin(), again.end(), bytes.begin(), bytes.end())) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const weir::ByteSpan bytes = std::as_bytes(std::span(data, size));
  check<Everything>(bytes);
  check<detail::Hello>(bytes);
  check<detail::Welcome>(bytes);
  check<detail::UcxGreeting>(bytes);
  return 0;
}
