#pragma once

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <tuple>
#include <type_traits>
#include <utility>

#include <dirent.h>
#include <fcntl.h>

#include "calls/call.hpp"
#include "capture/lane.hpp"
#include "capture/process.hpp"
#include "capture/treatment.hpp"
#include "intercept/unchecked.hpp"
#include "trace/shape.hpp"

namespace weir::capture {

// The descriptor under a stream or a directory, or -1.
inline int descriptor_of(FILE* stream) { return fileno(stream); }
inline int descriptor_of(DIR* directory) { return dirfd(directory); }
inline int descriptor_of(const void* /*of another kind*/) { return -1; }

// Errors of a call that had read what its arguments point to. With any other it may have stopped before:
// unlinkat() looks at its flags first, readv() at its descriptor.
constexpr bool comes_after_reading(int error) {
  return error == ENOENT || error == EEXIST || error == ENOTDIR || error == EACCES || error == EAGAIN ||
         error == EINTR;
}

// What a call is about: its arguments and the handles they are, which it may open or close, and whether the
// user wants to know of it. Everything that depends on the call alone is decided while compiling.
template <Call C, class R, class... Args>
class Subject {
 public:
  static constexpr std::size_t kCount = sizeof...(Args);
  static constexpr trace::Shape kShape = trace::make_shape(arguments(C), info(C).result);

  explicit Subject(Args... args) : args_(args...) {
    for_each([&](auto index) {
      constexpr std::size_t i = index;
      if constexpr (kTreatment<i> == Treatment::descriptor || kTreatment<i> == Treatment::directory)
        before_[i] = Process::current().handles().find(static_cast<int>(std::get<i>(args_)));
      else if constexpr (kTreatment<i> == Treatment::object)
        before_[i] = Process::current().handles().find(std::get<i>(args_));
    });
    if constexpr (info(C).closes && kShape.handle != trace::Shape::kNone) {
      constexpr auto i = static_cast<std::size_t>(kShape.handle);
      if constexpr (kTreatment<i> == Treatment::object)
        if (std::get<i>(args_) != nullptr) under_ = descriptor_of(std::get<i>(args_));
    }
    if constexpr (kDuplicatesTo) replaced_[0] = Process::current().handles().find(std::get<1>(args_));
  }

  // A handle that another thread or the parent opened is looked at while it is still open.
  void introduce_closing() const {
    if constexpr (kShape.handle != trace::Shape::kNone) {
      constexpr auto i = static_cast<std::size_t>(kShape.handle);
      if (!before_[i].known() || before_[i].ignored) return;
      Lane* const lane = Lane::current();
      if (lane == nullptr || lane->knows(before_[i])) return;
      if constexpr (kTreatment<i> == Treatment::descriptor)
        lane->id_of(before_[i], std::get<i>(args_));
      else
        lane->id_of(before_[i], under_);
    }
  }

  // Whether the user left out all that this call is about, as far as its handles tell.
  bool ignored() const {
    bool found = false;
    for_each([&](auto index) { found = found || before_[index].ignored; });
    return found && !concerns_others();
  }

  // Whether the user wants none of the names of this call. Names that cannot be read are wanted.
  bool names_left_out(Lane& lane, R result, int error) {
    const bool suspect = is_failure(result) && !comes_after_reading(error);
    bool any = false;
    bool wanted = false;
    int directory = AT_FDCWD;
    for_each([&](auto index) {
      constexpr std::size_t i = index;
      if constexpr (kTreatment<i> == Treatment::directory) directory = static_cast<int>(std::get<i>(args_));
      if constexpr (kTreatment<i> == Treatment::path) {
        const auto value = std::get<i>(args_);
        if (value == nullptr || (suspect && !readable_text(value))) return;
        any = true;
        wanted = wanted || lane.wants(value, directory);
        opened_name_ = wanted ? OpenedName::wanted : OpenedName::left_out;
      }
      if constexpr (kTreatment<i> == Treatment::descriptor || kTreatment<i> == Treatment::object) {
        constexpr bool gone = info(C).closes;
        if (before_[i].known()) {
          any = any || before_[i].ignored;
          // What is done to a file that is wanted is wanted, whatever else takes part in it: a copy from
          // elsewhere, or freopen() that puts another file in its place.
          if constexpr (!kHasPath || gone) wanted = wanted || !before_[i].ignored;
          return;
        }
        // Descriptors that came from elsewhere: looked at once, then known as left out.
        if (gone || is_failure(result)) return;
        int descriptor = -1;
        if constexpr (kTreatment<i> == Treatment::descriptor)
          descriptor = std::get<i>(args_);
        else if (std::get<i>(args_) != nullptr)
          descriptor = descriptor_of(std::get<i>(args_));
        if (descriptor < 0) return;
        any = true;
        if (lane.wants(descriptor))
          wanted = true;
        else if (!Lane::in_vforked_child())
          before_[i] = Process::current().handles().open(std::get<i>(args_), true);
      }
    });
    if (replaces_wanted()) wanted = true;
    if (!any && !any_known() && !Process::current().settings().wants_nameless()) any = info(C).opens;
    left_out_ = any && !wanted;
    return left_out_;
  }

  bool any_known() const {
    bool found = false;
    for_each([&](auto index) { found = found || before_[index].known(); });
    return found;
  }

  // Keeps the table of open handles right when the call itself is not recorded.
  void follow(R result, int error) {
    const bool failed = is_failure(result);
    update_closed(failed, error);
    if constexpr (kMayOpen)
      if (!failed && opens_now() && !Lane::in_vforked_child()) open_handle(result);
  }

 protected:
  template <std::size_t I>
  using Arg = std::tuple_element_t<I, std::tuple<Args...>>;
  template <std::size_t I>
  static constexpr Treatment kTreatment = treatment<C, I, Arg<I>>();

  template <class F>
  static void for_each(F&& f) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (f(std::integral_constant<std::size_t, I>()), ...);
    }(std::make_index_sequence<kCount>());
  }

  static constexpr bool kDuplicatesTo = is_one_of(C, "dup2", "dup3");
  static constexpr bool kMayDuplicate = is(C, "fcntl");
  static constexpr auto kTreatments = []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<Treatment, kCount>{treatment<C, I, Arg<I>>()...};
  }(std::make_index_sequence<kCount>());
  static constexpr bool kHasPath = [] {
    for (const Treatment one : kTreatments)
      if (one == Treatment::path) return true;
    return false;
  }();
  // The handle that what the call opens is made from, where it is not made from a name.
  static constexpr std::size_t kSource = [] {
    std::size_t at = 0;
    for (const Treatment one : kTreatments) {
      if (one == Treatment::descriptor || one == Treatment::object ||
          (one == Treatment::directory && !kHasPath))
        break;
      ++at;
    }
    return at;
  }();

  static constexpr bool kOpensArgument = [] {
    for (const Argument& argument : arguments(C))
      if ((argument.role == Role::file || argument.role == Role::ring) &&
          argument.direction == Direction::out)
        return true;
    return false;
  }();
  static constexpr bool kMayOpen =
      (info(C).opens && !kOpensArgument && (std::is_pointer_v<R> || std::is_integral_v<R>)) || kMayDuplicate;

  template <class T>
  static std::int64_t number(T value) {
    if constexpr (std::is_pointer_v<T>)
      return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(value));
    else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>)
      return static_cast<std::int64_t>(value);
    else
      return 0;
  }

  static bool is_failure(R result) {
    if constexpr (std::is_pointer_v<R>)
      return result == nullptr || (maps_memory(C) && number(result) == -1);
    else if constexpr (std::is_signed_v<R>)
      return result == -1;
    else
      return false;
  }

  bool opens_now() const {
    if constexpr (kMayDuplicate)
      return std::get<1>(args_) == F_DUPFD || std::get<1>(args_) == F_DUPFD_CLOEXEC;
    else
      return info(C).opens;
  }

  // Linux frees a descriptor even when close() reports a failure, but for a number that never was one.
  void update_closed(bool failed, int error) {
    if constexpr (info(C).closes && kShape.handle != trace::Shape::kNone) {
      constexpr auto i = static_cast<std::size_t>(kShape.handle);
      if ((failed && error == EBADF) || Lane::in_vforked_child()) return;
      Handles& handles = Process::current().handles();
      if constexpr (kTreatment<i> == Treatment::object) {
        handles.close(std::get<i>(args_), before_[i]);
        if (under_ >= 0) handles.close(under_, handles.find(under_));
      } else if constexpr (kTreatment<i> == Treatment::descriptor) {
        handles.close(std::get<i>(args_), before_[i]);
      }
    }
  }

  Handle open_handle(R result) {
    Handle replaced;
    Handles& handles = Process::current().handles();
    if constexpr (std::is_pointer_v<R>) return handles.open(result, is_left_out(), &replaced);
    const Handle handle = handles.open(static_cast<int>(number(result)), is_left_out(), &replaced);
    surprising_ = replaced.known() && !kDuplicatesTo;
    return handle;
  }

  // Whether the name that is being opened, or what is duplicated, was left out by the user.
  bool is_left_out() const {
    if (opened_name_ != OpenedName::none) return opened_name_ == OpenedName::left_out;
    if constexpr (kSource != kCount) return before_[kSource].ignored;
    return left_out_;
  }

  std::tuple<Args...> args_;
  std::array<Handle, kCount> before_;
  int under_ = -1;           // the descriptor of a stream or directory that is closed
  bool left_out_ = false;    // by the user
  bool surprising_ = false;  // a descriptor that was open already has been opened

 private:
  enum class OpenedName : std::uint8_t { none, wanted, left_out };

  // Whether the call ends a handle that the user wants to know of by putting another in its place.
  bool replaces_wanted() const {
    if constexpr (kDuplicatesTo)
      return replaced_[0].known() && !replaced_[0].ignored && std::get<0>(args_) != std::get<1>(args_);
    else
      return false;
  }

  // Whether the call is about something besides the handles that were left out: a name, or a handle that is
  // wanted or not known yet. A directory only says where a name is looked for.
  bool concerns_others() const {
    bool found = replaces_wanted();
    for_each([&](auto index) {
      constexpr Treatment how = kTreatment<index>;
      if constexpr (how == Treatment::path)
        found = found || std::get<index>(args_) != nullptr;
      else if constexpr (how == Treatment::descriptor || how == Treatment::object)
        found = found || (!before_[index].ignored && (!kHasPath || info(C).closes));
    });
    return found;
  }

  OpenedName opened_name_ = OpenedName::none;           // where names are chosen among
  std::array<Handle, kDuplicatesTo ? 1 : 0> replaced_;  // that a descriptor is duplicated onto
};

}  // namespace weir::capture
