#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace weir::capture {

template <class T>
concept Complete = requires { sizeof(T); };

// An argument as the program passed it: a value, or the address of items. A pointer to a structure that only
// its library knows (MPI_Comm of Open MPI) is a value.
template <class T>
struct Passed {
  using Target = std::remove_cv_t<std::remove_pointer_t<T>>;
  static constexpr bool kIsValue = !std::is_pointer_v<T> || (std::is_class_v<Target> && !Complete<Target>);
  using Item = std::conditional_t<kIsValue, T, Target>;

  static T value(T argument) { return argument; }
  static bool is_null(T argument) { return argument == nullptr; }
  static auto item(T argument, std::size_t i) { return argument[i]; }
  static std::string_view text(T argument) {
    return {reinterpret_cast<const char*>(argument), std::strlen(reinterpret_cast<const char*>(argument))};
  }
  static const void* address(T argument) { return argument; }
};

// Rows of items (int ranges[][3]), one behind the other.
template <class T, std::size_t N>
struct Passed<T (*)[N]> {
  static constexpr bool kIsValue = false;
  using Item = std::remove_cv_t<T>;

  static bool is_null(const void* argument) { return argument == nullptr; }
  static Item item(T (*argument)[N], std::size_t i) { return argument[i / N][i % N]; }
  static const void* address(const void* argument) { return argument; }
};

}  // namespace weir::capture
