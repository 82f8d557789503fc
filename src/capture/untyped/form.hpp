#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "capture/passed.hpp"

namespace weir::capture {

// What is left of an argument's C type when the call is recorded by code that knows only its row.
struct Form {
  enum class Kind : std::uint8_t { integer, real, character, address, other };

  Kind kind = Kind::other;  // of the value, or of what the address points to
  std::uint8_t bytes = 0;   // likewise
  bool is_signed = false;
  bool is_address = false;  // of something that can be looked at
  // Of the numbers that an address points to which the address points to: 0 when they are none.
  std::uint8_t pointed_bytes = 0;
  bool pointed_signed = false;

  // As if the address were one of those it points to.
  constexpr Form pointed() const { return {Kind::integer, pointed_bytes, pointed_signed, true, 0, false}; }
};

template <class T>
constexpr Form form_of() {
  using As = Passed<T>;
  using Item = typename As::Item;
  Form form;
  form.is_address = !As::kIsValue;
  if constexpr (std::is_same_v<Item, char>) {
    form.kind = Form::Kind::character;
  } else if constexpr (std::is_integral_v<Item> || std::is_enum_v<Item>) {
    form.kind = Form::Kind::integer;
    if constexpr (std::is_enum_v<Item>)
      form.is_signed = std::is_signed_v<std::underlying_type_t<Item>>;
    else
      form.is_signed = std::is_signed_v<Item>;
  } else if constexpr (std::is_same_v<Item, float> || std::is_same_v<Item, double>) {
    form.kind = Form::Kind::real;
  } else if constexpr (std::is_pointer_v<Item>) {  // an object of MPI, or of no use in another process
    form.kind = Form::Kind::address;
    using Pointed = std::remove_cv_t<std::remove_pointer_t<Item>>;
    if constexpr (std::is_integral_v<Pointed>) {
      form.pointed_bytes = sizeof(Pointed);
      form.pointed_signed = std::is_signed_v<Pointed>;
    }
  }
  if constexpr (Complete<Item> && !std::is_void_v<Item>)
    form.bytes = sizeof(Item) <= 8 ? static_cast<std::uint8_t>(sizeof(Item)) : 0;
  return form;
}

// A value in 64 bits: integers with their sign, reals as a double's bits, addresses.
template <class T>
std::uint64_t bits_of(T value) {
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<std::uint64_t>(value);
  else if constexpr (std::is_floating_point_v<T>)
    return std::bit_cast<std::uint64_t>(static_cast<double>(value));
  else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>)
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  else
    return 0;
}

// Item i of what `address` points to, in 64 bits.
inline std::uint64_t item_at(const Form& form, std::uint64_t address, std::size_t i) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, reinterpret_cast<const std::byte*>(address) + i * form.bytes, form.bytes);
  if (form.kind == Form::Kind::real && form.bytes == sizeof(float))
    return std::bit_cast<std::uint64_t>(
        static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
  const int unused = 64 - 8 * form.bytes;
  if (form.is_signed && unused > 0 && unused < 64)
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << unused) >> unused);
  return bits;
}

}  // namespace weir::capture
