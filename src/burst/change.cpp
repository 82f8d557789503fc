#include "burst/change.hpp"

#include <array>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace weir::burst {
namespace {

template <std::size_t... I>
Result<Change> decode_as(std::uint64_t type, ByteSpan body, std::index_sequence<I...> /*types*/) {
  using Decode = Result<Change> (*)(ByteSpan);
  static constexpr std::array<Decode, sizeof...(I)> kDecode = {[](ByteSpan bytes) -> Result<Change> {
    auto change = transport::unpack<std::variant_alternative_t<I, Change>>(bytes);
    if (!change) return change.error();
    return Change(std::move(*change));
  }...};
  if (type >= kDecode.size())
    return Error{Errc::unsupported, fmt::format("journal record of type {}, newer than this program", type)};
  return kDecode[type](body);
}

}  // namespace

bool brings_space(const Change& change) {
  return std::visit(
      []<class T>(const T& one) {
        if constexpr (std::is_same_v<T, OpenCount>) return one.count == 0;
        return std::is_same_v<T, WrittenBack> || std::is_same_v<T, GivenUp> || std::is_same_v<T, FileGone> ||
               std::is_same_v<T, NameGone> || std::is_same_v<T, PathSet> || std::is_same_v<T, Resized> ||
               std::is_same_v<T, Withdrawn> || std::is_same_v<T, ClientForgotten> ||
               std::is_same_v<T, Answered>;
      },
      change);
}

Bytes encode_change(const Change& change) {
  return std::visit([](const auto& one) { return transport::pack(one); }, change);
}

Result<Change> decode_change(std::uint64_t type, ByteSpan body) {
  return decode_as(type, body, std::make_index_sequence<std::variant_size_v<Change>>{});
}

}  // namespace weir::burst
