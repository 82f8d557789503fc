#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/units.hpp"

// What the packing template of wire.hpp needs to know of a type.
namespace weir::transport::detail {

static_assert(std::endian::native == std::endian::little, "memory is copied as it is");

template <class T>
concept Listed = requires { T::fields; };
template <class T>
concept Number = (std::integral<T> && !std::same_as<T, bool>) || std::same_as<T, double>;
template <class T>
inline constexpr bool kIsQuantity = false;
template <class Tag, class Rep>
inline constexpr bool kIsQuantity<Quantity<Tag, Rep>> = true;
template <class T>
inline constexpr bool kIsVector = false;
template <class T>
inline constexpr bool kIsVector<std::vector<T>> = true;
template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsArray = false;
template <class T, std::size_t N>
inline constexpr bool kIsArray<std::array<T, N>> = true;
template <class T>
concept Enum = std::is_enum_v<T>;
template <class T>
concept CheckedEnum = Enum<T> && requires(T value) {
  { is_known(value) } -> std::same_as<bool>;
};
// One value of fixed width that is copied as it is.
template <class T>
concept Plain = Number<T> || kIsQuantity<T> || (Enum<T> && !CheckedEnum<T>);

// f<the type of each listed member>().
template <Listed T, class F>
constexpr auto over_types(F f) {
  return std::apply(
      [&]<class... Member>(Member...) {
        return f.template
        operator()<std::remove_cvref_t<decltype(std::declval<T&>().*std::declval<Member>())>...>();
      },
      T::fields);
}

// The least number of bytes that a T takes on the wire.
template <class T>
constexpr std::size_t least_size() {
  if constexpr (Listed<T>)
    return over_types<T>([]<class... M>() { return (std::size_t{0} + ... + least_size<M>()); });
  else if constexpr (kIsArray<T>)
    return std::tuple_size_v<T> * least_size<typename T::value_type>();
  else if constexpr (std::same_as<T, std::string> || kIsVector<T>)
    return sizeof(std::uint32_t);
  else if constexpr (kIsOptional<T> || std::same_as<T, bool>)
    return 1;
  else
    return sizeof(T);
}

// Whether a T in memory has neither padding nor a pattern of bytes that must be refused.
template <class T>
constexpr bool is_solid() {
  if constexpr (Plain<T>)
    return true;
  else if constexpr (kIsArray<T>)
    return is_solid<typename T::value_type>();
  else if constexpr (Listed<T>)
    return std::is_trivially_copyable_v<T> && least_size<T>() == sizeof(T) &&
           over_types<T>([]<class... M>() { return (true && ... && is_solid<M>()); });
  else
    return false;
}

// Whether members are listed as they are declared: then a solid T is on the wire as it is in memory.
// Compilers reduce this to a constant.
template <class T>
bool in_order() {
  if constexpr (Listed<T>) {
    const T probe{};
    const auto* at = reinterpret_cast<const std::byte*>(&probe);
    const auto follows = [&at]<class M>(const M& member) {
      const bool good = reinterpret_cast<const std::byte*>(&member) == at && in_order<M>();
      at += sizeof member;
      return good;
    };
    return std::apply([&](auto... member) { return (true && ... && follows(probe.*member)); }, T::fields);
  } else if constexpr (kIsArray<T>) {
    return in_order<typename T::value_type>();
  } else {
    return true;
  }
}

template <class T>
bool is_memory() {
  if constexpr (is_solid<T>())
    return in_order<T>();
  else
    return false;
}

}  // namespace weir::transport::detail
