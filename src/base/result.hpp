#pragma once

#include <concepts>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/check.hpp"
#include "base/error.hpp"

namespace weir {

// A value or the Error that kept it from being made. The names are std::expected's, which GCC 12 lacks.
//   auto bytes = read_file(path);
//   if (!bytes) return bytes.error().in("trace header");
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  // NOLINTNEXTLINE(google-explicit-constructor): `return value;` and `return error;` are the point.
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
  template <class U = T>
    requires(std::constructible_from<T, U> && !std::same_as<std::remove_cvref_t<U>, Result> &&
             !std::same_as<std::remove_cvref_t<U>, Error>)
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(U&& value) : state_(std::in_place_index<0>, std::forward<U>(value)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  // The value; asking a failed Result for it is a fault of the caller and stops the program.
  T& value() & { return checked(*this); }
  const T& value() const& { return checked(*this); }
  T&& value() && { return std::move(checked(*this)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  template <class U>
  T value_or(U&& otherwise) const& {
    return has_value() ? value() : static_cast<T>(std::forward<U>(otherwise));
  }

  const Error& error() const {
    WEIR_CHECK(!has_value());
    return std::get<1>(state_);
  }

  // f(value) wrapped, or the error passed on.
  template <class F>
  auto transform(F&& f) && -> Result<std::remove_cvref_t<std::invoke_result_t<F, T&&>>> {
    if (!has_value()) return error();
    return std::forward<F>(f)(std::move(*this).value());
  }
  // f(value), which itself returns a Result, or the error passed on.
  template <class F>
  auto and_then(F&& f) && -> std::remove_cvref_t<std::invoke_result_t<F, T&&>> {
    if (!has_value()) return error();
    return std::forward<F>(f)(std::move(*this).value());
  }

 private:
  template <class Self>
  static auto& checked(Self& self) {
    WEIR_CHECK(self.has_value(), "{}", self.error().text());
    return std::get<0>(self.state_);
  }

  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  Result() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): `return error;` is the point.
  Result(Error error) : error_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return error_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  const Error& error() const {
    WEIR_CHECK(!has_value());
    return std::get<1>(error_);
  }

 private:
  std::variant<std::monostate, Error> error_;
};

}  // namespace weir
