#pragma once

#include <cstdio>
#include <cstring>
#include <tuple>
#include <type_traits>

#include <fcntl.h>

#include "base/clock.hpp"
#include "capture/slices/counters.hpp"
#include "capture/slices/kind.hpp"
#include "capture/slices/scope.hpp"

namespace weir {

// Counts a call in the slice of the wall clock in which it ends; nothing else is kept of it but where the
// descriptor's next write would go on.
struct SliceHandler {
  template <Call C, class Real, class... Args>
  static auto around(Real real, Args... args) {
    using capture::SliceCounters;
    using trace::slices::Operation;
    constexpr auto kind = capture::slice_kind(C);
    if constexpr (!kind && !capture::moves_descriptor(C)) {
      return real(args...);
    } else {
      if (!SliceCounters::counting()) [[unlikely]]
        return real(args...);
      if constexpr (!kind) {
        return followed<C>(real, args...);
      } else if constexpr (kind->operation == Operation::open || kind->operation == Operation::names) {
        return opened<C>(real, args...);
      } else if constexpr (kind->operation == Operation::close) {
        return closed<C>(real, args...);
      } else {
        return moved<C>(real, args...);
      }
    }
  }

 private:
  using Counters = capture::SliceCounters;
  using Operation = trace::slices::Operation;

  template <std::size_t At, class... Args>
  static auto argument(Args... args) {
    return std::get<At>(std::make_tuple(args...));
  }

  static int number_of(int fd) { return fd; }
  static int number_of(std::FILE* stream) { return stream == nullptr ? -1 : ::fileno(stream); }

  // Calls that only move a descriptor, or make one of another kind.
  template <Call C, class Real, class... Args>
  static auto followed(Real real, Args... args) {
    using R = decltype(real(args...));
    if constexpr (std::is_void_v<R>) {
      real(args...);
      sought<C>(args...);
    } else {
      const R result = real(args...);
      if constexpr (info(C).opens)
        forget(result);
      else if constexpr (name(info(C).means) == "fcntl")
        forget_copy(result, args...);
      else if constexpr (name(info(C).means) == "lseek")
        put_at(argument<find_argument(C, "fd")>(args...), result);
      else if (result == 0)
        sought<C>(args...);
      return result;
    }
  }

  template <Call C, class Real, class... Args>
  static auto opened(Real real, Args... args) {
    using R = decltype(real(args...));
    const bool counted = capture::SliceScope::everything() || names_inside<C>(args...);
    const std::int64_t begin = Clock::wall().count;
    if constexpr (std::is_void_v<R>) {
      real(args...);
      if (counted) add<C>(begin, 0);
    } else {
      const R result = real(args...);
      if constexpr (info(C).opens) forget(result);
      if (counted) add<C>(begin, 0);
      return result;
    }
  }

  // Whether the first name that the call is given lies where calls count.
  template <Call C, class... Args>
  static bool names_inside(Args... args) {
    constexpr std::size_t path = argument_of<Args...>(C, Role::path);
    constexpr std::size_t directory = argument_of<Args...>(C, Role::directory);
    if constexpr (path < sizeof...(Args)) {
      int at = AT_FDCWD;
      if constexpr (directory < sizeof...(Args))
        if constexpr (std::is_same_v<decltype(argument<directory>(args...)), int>)
          at = argument<directory>(args...);
      if constexpr (std::is_same_v<decltype(argument<path>(args...)), const char*>)
        return capture::SliceScope::holds(at, argument<path>(args...));
    }
    return false;
  }

  // The first argument of that role; as many as there are when there is none.
  template <class... Args>
  static constexpr std::size_t argument_of(Call call, Role role) {
    const auto all = arguments(call);
    for (std::size_t i = 0; i < all.size() && i < sizeof...(Args); ++i)
      if (all[i].role == role) return i;
    return sizeof...(Args);
  }

  template <Call C, class Real, class... Args>
  static auto closed(Real real, Args... args) {
    using R = decltype(real(args...));
    const int fd = number_of(argument<capture::descriptor_argument(C)>(args...));
    // Another thread may have the number as soon as it is free.
    std::uint64_t files = 0, writes = 0, bytes = 0;
    const bool file = Counters::is_file(fd);
    if (capture::Descriptor* const known = Counters::descriptor(fd)) {
      if (known->writes() > 0 && known->in_one_go()) {
        files = 1;
        writes = known->writes();
        bytes = known->bytes();
      }
      known->forget();
    }
    const std::int64_t begin = Clock::wall().count;
    const R result = real(args...);
    if constexpr (info(C).opens) forget(result);
    if (file) add<C>(begin, 0);
    if (file && files > 0) {
      constexpr auto layer = capture::slice_kind(C)->layer;
      Counters::add_more(layer, Operation::whole, files, bytes);
      Counters::add_more(layer, Operation::whole_write, writes, bytes);
    }
    return result;
  }

  template <Call C, class Real, class... Args>
  static auto moved(Real real, Args... args) {
    using R = decltype(real(args...));
    constexpr std::size_t at = capture::descriptor_argument(C);
    int fd = -1;
    if constexpr (at < sizeof...(Args)) {
      fd = number_of(argument<at>(args...));
      if (!Counters::is_file(fd)) return real(args...);
    }
    const std::int64_t begin = Clock::wall().count;
    if constexpr (std::is_void_v<R>) {
      real(args...);
      add<C>(begin, 0);
    } else {
      const R result = real(args...);
      const std::uint64_t bytes = bytes_of<C>(result, args...);
      capture::Descriptor* const known = Counters::descriptor(fd);
      constexpr Operation operation = capture::slice_kind(C)->operation;
      if constexpr (operation == Operation::sync) {
        constexpr bool flushes = capture::is_one_of(name(info(C).means), {"fsync", "fdatasync"});
        add<C>(begin, flushes && known != nullptr ? known->flushed() : 0);
      } else {
        add<C>(begin, bytes);
        if (known != nullptr && bytes > 0) placed<C>(*known, bytes, args...);
      }
      return result;
    }
  }

  template <Call C>
  static void add(std::int64_t begin, std::uint64_t bytes) {
    constexpr auto kind = capture::slice_kind(C);
    Counters::add(kind->layer, kind->operation, begin, Clock::wall().count, bytes);
  }

  // Where on the descriptor bytes went to or came from.
  template <Call C, class... Args>
  static void placed(capture::Descriptor& known, std::uint64_t bytes, Args... args) {
    constexpr auto kind = capture::slice_kind(C);
    std::int64_t at = -1;
    constexpr std::size_t offset = find_argument(C, "offset");
    if constexpr (offset < sizeof...(Args))
      if constexpr (std::is_integral_v<decltype(argument<offset>(args...))>) at = argument<offset>(args...);
    if constexpr (kind->operation == Operation::read) {
      if (at < 0) known.read(bytes);
    } else {
      const bool jump = known.wrote(at, bytes);
      if (jump || known.jumped()) Counters::add_more(kind->layer, Operation::jump, jump ? 1 : 0, bytes);
    }
  }

  static void put_at(int fd, std::int64_t position) {
    if (position < 0) return;
    if (capture::Descriptor* const known = Counters::descriptor(fd)) known->sought(position);
  }

  // A stream that was put elsewhere; the end of a file is nowhere that is known.
  template <Call C, class... Args>
  static void sought(Args... args) {
    constexpr std::size_t stream = find_argument(C, "stream");
    if constexpr (stream < sizeof...(Args)) {
      capture::Descriptor* const known = Counters::descriptor(number_of(argument<stream>(args...)));
      if (known == nullptr) return;
      constexpr std::size_t offset = find_argument(C, "offset"), whence = find_argument(C, "whence");
      if constexpr (name(info(C).means) == "rewind") {
        known->sought(0);
      } else if constexpr (offset < sizeof...(Args) && whence < sizeof...(Args)) {
        const std::int64_t by = argument<offset>(args...);
        const int from = argument<whence>(args...);
        known->sought(from == SEEK_SET ? by : from == SEEK_CUR ? known->position() + by : -1);
      } else {
        known->sought(-1);
      }
    }
  }

  template <class R>
  static void forget(R result) {
    int fd = -1;
    if constexpr (std::is_integral_v<R>)
      fd = static_cast<int>(result);
    else if constexpr (std::is_same_v<R, std::FILE*>)
      fd = number_of(result);
    if (capture::Descriptor* const known = Counters::descriptor(fd)) known->forget();
  }

  template <class R, class... Rest>
  static void forget_copy(R result, int /*fd*/, int command, Rest... /*value*/) {
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) forget(result);
  }

  template <Call C, class R, class... Args>
  static std::uint64_t bytes_of(R result, Args... args) {
    constexpr auto kind = capture::slice_kind(C);
    if constexpr (kind->operation != Operation::read && kind->operation != Operation::write) {
      return 0;
    } else if constexpr (name(info(C).means) == "fputs") {
      return result < 0 ? 0 : std::strlen(argument<0>(args...));
    } else if constexpr (std::is_integral_v<R>) {
      if (!(result > 0)) return 0;
      constexpr std::size_t size = find_argument(C, "size");
      if constexpr (info(C).result == Role::count && size < sizeof...(Args))
        return static_cast<std::uint64_t>(result) * argument<size>(args...);
      else
        return static_cast<std::uint64_t>(result);
    } else {
      return 0;
    }
  }
};

using Handler = SliceHandler;

}  // namespace weir
