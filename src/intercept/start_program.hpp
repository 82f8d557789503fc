#pragma once

#include <cstddef>
#include <tuple>

#include <unistd.h>

#include "calls/call.hpp"
#include "intercept/child_environment.hpp"
#include "intercept/dispatch.hpp"

namespace weir {

// Which argument of the call is the environment of the program it starts; their number when none is.
constexpr std::size_t environment_argument(Call call) {
  const auto all = arguments(call);
  std::size_t at = 0;
  while (at < all.size() && all[at].name != "envp") ++at;
  return at;
}

// Makes the call as the program asked, except that a program it starts finds the library in its environment.
template <Call C, class Real, class... Args>
[[gnu::always_inline]] inline auto start_program(const ChildEnvironment& ours, Real real, Args... args) {
  constexpr std::size_t kAt = environment_argument(C);
  constexpr bool kByPath = C == Call::execv || C == Call::execl;  // in the environment of this process
  constexpr bool kByName = C == Call::execvp || C == Call::execlp;
  if constexpr (kAt < sizeof...(Args)) {
    auto given = std::make_tuple(args...);
    if (const std::size_t room = ours.room_for(std::get<kAt>(given)); room > 0)
      std::get<kAt>(given) = ours.completed(std::get<kAt>(given), __builtin_alloca(room));
    return std::apply(real, given);
  } else if constexpr (kByPath || kByName) {
    const std::size_t room = ours.room_for(environ);
    if (room == 0) return real(args...);
    constexpr Call kOther = kByPath ? Call::execve : Call::execvpe;
    const auto other = real.template instead<kOther, int(const char*, char* const*, char* const*)>();
    return other(args..., ours.completed(environ, __builtin_alloca(room)));
  } else {
    return real(args...);
  }
}

}  // namespace weir
