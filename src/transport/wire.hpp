#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/result.hpp"
#include "transport/bytes.hpp"
#include "transport/detail/wire_types.hpp"

// Messages are plain structs that list their members:
//
//   struct Attach {
//     std::string path;
//     std::vector<Extent> extents;
//     static constexpr auto fields = std::tuple{&Attach::path, &Attach::extents};
//   };
//   Bytes bytes = pack(attach);
//   Result<Attach> again = unpack<Attach>(bytes);
//
// Members are integers, enums, bool, double, weir::Quantity, std::string, std::vector, std::array,
// std::optional and such structs. Numbers are little-endian at their full width, so that a vector of structs
// without padding is copied as memory (docs/formats/message.md). An enum for which `bool is_known(E)` is
// declared beside it is refused where that says no. A value has exactly one encoding: unpack() accepts
// nothing that pack() would not have written.
namespace weir::transport {

namespace detail {

// How many bytes a value takes, so that they are allocated once.
template <class T>
std::size_t packed_size(const T& value) {
  if constexpr (std::same_as<T, std::string>) {
    return least_size<T>() + value.size();
  } else if constexpr (kIsVector<T> || kIsArray<T>) {
    std::size_t size = kIsVector<T> ? least_size<T>() : 0;
    if constexpr (is_solid<typename T::value_type>())
      return size + value.size() * sizeof(typename T::value_type);
    for (const auto& item : value) size += packed_size(item);
    return size;
  } else if constexpr (kIsOptional<T>) {
    return 1 + (value ? packed_size(*value) : 0);
  } else if constexpr (Listed<T>) {
    return std::apply([&](auto... member) { return (std::size_t{0} + ... + packed_size(value.*member)); },
                      T::fields);
  } else {
    return least_size<T>();
  }
}

// Writes to where packed_size() bytes are free.
class Packer {
 public:
  explicit Packer(std::byte* out) : at_(out) {}

  template <class T>
  void put(const T& value) {
    if constexpr (Plain<T> || CheckedEnum<T>) {
      memory(&value, sizeof value);
    } else if constexpr (std::same_as<T, bool>) {
      *at_++ = static_cast<std::byte>(value);
    } else if constexpr (std::same_as<T, std::string>) {
      count(value.size());
      memory(value.data(), value.size());
    } else if constexpr (kIsVector<T>) {
      count(value.size());
      elements(value);
    } else if constexpr (kIsArray<T>) {
      elements(value);
    } else if constexpr (kIsOptional<T>) {
      put(value.has_value());
      if (value) put(*value);
    } else {
      static_assert(Listed<T>, "a message's member must be of a type that wire.hpp names");
      std::apply([&](auto... member) { (put(value.*member), ...); }, T::fields);
    }
  }

  const std::byte* end() const { return at_; }

 private:
  void memory(const void* from, std::size_t bytes) {
    if (bytes == 0) return;
    std::memcpy(at_, from, bytes);
    at_ += bytes;
  }
  void count(std::size_t items) {
    WEIR_CHECK(items <= ~std::uint32_t{0}, "a message with {} items in a row", items);
    put(static_cast<std::uint32_t>(items));
  }
  template <class Row>
  void elements(const Row& row) {
    if (is_memory<typename Row::value_type>()) {
      memory(row.data(), row.size() * sizeof(typename Row::value_type));
    } else {
      for (const auto& item : row) put(item);
    }
  }

  std::byte* at_;
};

// After the first thing that is wrong it reads nothing more.
class Unpacker {
 public:
  explicit Unpacker(ByteSpan in) : in_(in) {}

  template <class T>
  bool get(T& value) {
    if constexpr (Plain<T>) {
      return memory(&value, sizeof value);
    } else if constexpr (CheckedEnum<T>) {
      return memory(&value, sizeof value) && (is_known(value) || wrong(sizeof value, "an unknown kind"));
    } else if constexpr (std::same_as<T, bool>) {
      std::uint8_t byte = 0;
      if (!memory(&byte, 1)) return false;
      value = byte == 1;
      return byte <= 1 || wrong(1, "neither no nor yes");
    } else if constexpr (std::same_as<T, std::string>) {
      std::uint32_t size = 0;
      if (!count(size, 1)) return false;
      value.assign(reinterpret_cast<const char*>(in_.data()) + at_, size);
      at_ += size;
      return true;
    } else if constexpr (kIsVector<T>) {
      return vector(value);
    } else if constexpr (kIsArray<T>) {
      return elements(value);
    } else if constexpr (kIsOptional<T>) {
      bool there = false;
      if (!get(there)) return false;
      value.reset();
      return !there || get(value.emplace());
    } else {
      static_assert(Listed<T>, "a message's member must be of a type that wire.hpp names");
      return std::apply([&](auto... member) { return (true && ... && get(value.*member)); }, T::fields);
    }
  }

  bool finish() { return at_ == in_.size() || wrong(0, "more bytes than the message has"); }
  Error error() const { return {Errc::bad_data, fmt::format("message, byte {}: {}", at_, why_)}; }

 private:
  bool wrong(std::size_t back, const char* why) {
    at_ -= back;
    why_ = why;
    return false;
  }
  bool memory(void* to, std::size_t bytes) {
    if (in_.size() - at_ < bytes) return wrong(0, "it ends too early");
    std::memcpy(to, in_.data() + at_, bytes);
    at_ += bytes;
    return true;
  }
  // A count of items of at least `each` bytes, so that it cannot exceed what follows: safe to allocate for.
  bool count(std::uint32_t& items, std::size_t each) {
    if (!memory(&items, sizeof items)) return false;
    return items <= (in_.size() - at_) / each || wrong(sizeof items, "a count beyond its end");
  }
  template <class T>
  bool vector(std::vector<T>& row) {
    static_assert(least_size<T>() > 0, "a count of items that take no bytes proves nothing");
    std::uint32_t items = 0;
    if (!count(items, least_size<T>())) return false;
    if constexpr (std::same_as<T, std::byte>) {  // unlike resize(), touches the memory once
      row.assign(in_.begin() + static_cast<std::ptrdiff_t>(at_),
                 in_.begin() + static_cast<std::ptrdiff_t>(at_ + items));
      at_ += items;
      return true;
    } else {
      row.clear();
      row.resize(items);
      return elements(row);
    }
  }
  template <class Row>
  bool elements(Row& row) {
    if (row.empty()) return true;
    if (is_memory<typename Row::value_type>())
      return memory(static_cast<void*>(row.data()), row.size() * sizeof(typename Row::value_type));
    for (auto& item : row)
      if (!get(item)) return false;
    return true;
  }

  ByteSpan in_;
  std::size_t at_ = 0;
  const char* why_ = "";
};

}  // namespace detail

template <class M>
Bytes pack(const M& message) {
  Bytes bytes(detail::packed_size(message));
  detail::Packer out(bytes.data());
  out.put(message);
  WEIR_CHECK(out.end() == bytes.data() + bytes.size());
  return bytes;
}

// Every length is checked against what is there before anything is allocated; trailing bytes are refused.
template <class M>
Result<M> unpack(ByteSpan bytes) {
  M message{};
  detail::Unpacker in(bytes);
  if (!in.get(message) || !in.finish()) return in.error();
  return message;
}

}  // namespace weir::transport
