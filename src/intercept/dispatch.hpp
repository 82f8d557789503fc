#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "calls/call.hpp"
#include "intercept/guard.hpp"
#include "intercept/real.hpp"

namespace weir {

// One intercepted call from entry to exit. Inside it the thread does the handler's own work, whose I/O goes
// straight to the real functions; on the way out, also when a cancelled thread unwinds, errno and the guard
// are put right.
class OpenCall {
 public:
  [[gnu::always_inline]] OpenCall(Guard& guard, std::uintptr_t frame)
      : guard_(guard), frame_(frame), before_(guard.open(frame)), errno_(errno) {}
  [[gnu::always_inline]] ~OpenCall() {
    guard_.close(before_);
    errno = errno_;
  }
  OpenCall(const OpenCall&) = delete;
  OpenCall& operator=(const OpenCall&) = delete;

  // 0 for a call the program made itself, 1 for a call made inside that one, and so on.
  std::uint32_t depth() const { return Guard::depth_of(before_); }
  void set_errno(int value) { errno_ = value; }

 private:
  template <Call, class>
  friend class RealCall;

  Guard& guard_;
  const std::uintptr_t frame_;
  const std::uint32_t before_;
  int errno_;  // what the program will see: as it was on entry until the real call or the handler says
               // otherwise
};

namespace detail {

// A variadic C function must be called as one: the row's last argument goes where its '...' is.
template <class R, class Tuple, std::size_t... Fixed>
auto variadic_pointer(std::index_sequence<Fixed...>) -> R (*)(std::tuple_element_t<Fixed, Tuple>..., ...);

template <Call C, class R, class... Args>
auto real_pointer() {
  if constexpr (info(C).variadic)
    return decltype(variadic_pointer<R, std::tuple<Args...>>(
        std::make_index_sequence<sizeof...(Args) - 1>())){};
  else
    return static_cast<R (*)(Args...)>(nullptr);
}

}  // namespace detail

// The real function as a handler sees it. Calling it puts the thread back to the program's side for that
// time: errno is the program's own, and calls made inside are intercepted one level deeper. Not noexcept: a
// thread cancelled inside unwinds through here. May be called any number of times, also none.
template <Call C, class Signature>
class RealCall;

template <Call C, class R, class... Args>
class RealCall<C, R(Args...)> {
 public:
  using Pointer = decltype(detail::real_pointer<C, R, Args...>());

  RealCall(Pointer real, OpenCall& open) : real_(real), open_(open) {}

  [[gnu::always_inline]] R operator()(Args... args) const {
    const Outside<info(C).leaves> outside(open_);
    return real_(args...);
  }

  // The same, but as if it had not been intercepted: calls made inside are not one level deeper.
  R unseen(Args... args) const {
    const Outside<true> outside(open_);
    return real_(args...);
  }

  // The same without going back to the program's side: what the library does inside is not intercepted, nor
  // counted among what passed by unhandled, and errno is left to it.
  [[gnu::always_inline]] R quietly(Args... args) const {
    const Uncounted uncounted(open_.guard_);
    return real_(args...);
  }

  // A function of the handler's that does the whole call in place of the real one, called in the same way:
  // what it calls is intercepted like what the real one calls through the functions it is given.
  RealCall by(Pointer other) const { return RealCall(other, open_); }

  // Another function called in the same way, for a handler that makes this call by other means.
  template <Call Other, class Signature>
  RealCall<Other, Signature> instead() const {
    using Found = RealCall<Other, Signature>;
    return Found(reinterpret_cast<typename Found::Pointer>(real_address(info(Other).symbol)), open_);
  }

  std::uint32_t depth() const { return open_.depth(); }
  // What the program finds in errno, for a handler that answers in place of the real function.
  void set_errno(int value) const { open_.set_errno(value); }
  int error() const { return open_.errno_; }

 private:
  // Calls that do not come back when they succeed are closed before they are made: after vfork the parent
  // goes on in the memory its child left, and must find its own state there.
  template <bool kClosed>
  class Outside {
   public:
    [[gnu::always_inline]] explicit Outside(OpenCall& open) : open_(open) {
      errno = open_.errno_;
      if constexpr (kClosed)
        open_.guard_.close(open_.before_);
      else
        open_.guard_.leave_own_work(open_.before_);
    }
    [[gnu::always_inline]] ~Outside() {
      if constexpr (kClosed)
        open_.guard_.open(open_.frame_);
      else
        open_.guard_.resume_own_work(open_.before_);
      open_.errno_ = errno;
    }
    Outside(const Outside&) = delete;
    Outside& operator=(const Outside&) = delete;

   private:
    OpenCall& open_;
  };

  class Uncounted {
   public:
    [[gnu::always_inline]] explicit Uncounted(Guard& guard) : guard_(guard), passed_(guard.passed()) {}
    [[gnu::always_inline]] ~Uncounted() { guard_.set_passed(passed_); }
    Uncounted(const Uncounted&) = delete;
    Uncounted& operator=(const Uncounted&) = delete;

   private:
    Guard& guard_;
    const std::uint64_t passed_;
  };

  Pointer real_;
  OpenCall& open_;
};

template <class Handler, Call C, Symbol S, class Signature>
struct Dispatch;

template <class Handler, Call C, Symbol S, class R, class... Args>
struct Dispatch<Handler, C, S, R(Args...)> {
  static_assert(info(S).call == C, "this name belongs to another call");
  static_assert(sizeof...(Args) == arguments(C).size(), "a shim passes what its row says");

  // Inlined into the shim, whose stack frame stands for the call.
  [[gnu::always_inline]] static R run(std::uintptr_t frame, Args... args) {
    using Real = RealCall<C, R(Args...)>;
    const auto real = reinterpret_cast<typename Real::Pointer>(real_address(S));
    Guard& guard = Guard::current();
    if (!guard.may_enter(frame)) [[unlikely]]
      return real(args...);
    OpenCall open(guard, frame);
    return Handler::template around<C>(Real(real, open), args...);
  }
};

}  // namespace weir
