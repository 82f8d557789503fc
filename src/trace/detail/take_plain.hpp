#pragma once

#include <cstring>
#include <string_view>

#include "base/result.hpp"

namespace weir::trace::detail {

// The next value of a definition, as the recorder stored it. An error that says `what` is too short.
template <class T>
Result<T> take_plain(std::string_view& from, const char* what) {
  T value{};
  if (from.size() < sizeof value) return Error{Errc::bad_data, std::string(what) + " is too short"};
  std::memcpy(&value, from.data(), sizeof value);
  from.remove_prefix(sizeof value);
  return value;
}

}  // namespace weir::trace::detail
