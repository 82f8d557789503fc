#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cwchar>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/uio.h>
#include <utime.h>

struct io_uring;  // of liburing.h, which a build may lack

#include "calls/call.hpp"
#include "capture/held_threads.hpp"
#include "capture/lane.hpp"
#include "capture/memory_names.hpp"
#include "capture/process.hpp"
#include "capture/scratch.hpp"
#include "capture/treatment.hpp"
#include "intercept/unchecked.hpp"
#include "trace/shape.hpp"

namespace weir::capture {

// The descriptor under a stream or a directory, or -1.
inline int descriptor_of(FILE* stream) { return fileno(stream); }
inline int descriptor_of(DIR* directory) { return dirfd(directory); }
inline int descriptor_of(const void* /*of another kind*/) { return -1; }

inline std::size_t length_of(const char* text) { return std::strlen(text); }
inline std::size_t length_of(const wchar_t* text) { return std::wcslen(text); }

// Bytes that stand for an iovec array: its lengths as they are.
std::string_view lengths_of(const iovec* vectors, int count, char* scratch, std::size_t room);
// What waits in the ring to be submitted: operation, descriptor, offset and length of each, 8 bytes a number,
// as far as there is room. How many bytes that is; and how many it takes.
std::size_t submissions_of(const struct io_uring* ring, char* scratch, std::size_t room);
std::size_t bytes_of_submissions(const struct io_uring* ring);

// Errors of a call that had read what its arguments point to. With any other it may have stopped before:
// unlinkat() looks at its flags first, readv() at its descriptor.
constexpr bool comes_after_reading(int error) {
  return error == ENOENT || error == EEXIST || error == ENOTDIR || error == EACCES || error == EAGAIN ||
         error == EINTR;
}

// One call from before the real function to its record. Everything that depends on the call alone is decided
// while compiling.
template <Call C, class R, class... Args>
class Recording {
 public:
  static constexpr std::size_t kCount = sizeof...(Args);
  static constexpr trace::Shape kShape = trace::make_shape(arguments(C), info(C).result);
  static constexpr bool kLeaves = info(C).leaves;

  explicit Recording(Args... args) : args_(args...) {
    for_each([&](auto index) {
      constexpr std::size_t i = index;
      if constexpr (kTreatment<i> == Treatment::descriptor || kTreatment<i> == Treatment::directory)
        before_[i] = Process::current().handles().find(static_cast<int>(std::get<i>(args_)));
      else if constexpr (kTreatment<i> == Treatment::object)
        before_[i] = Process::current().handles().find(std::get<i>(args_));
    });
    for_each([&](auto index) {
      constexpr std::size_t i = index;
      if constexpr (kTreatment<i> == Treatment::ring) keep_submissions(std::get<i>(args_));
    });
    if constexpr (info(C).closes && kShape.handle != trace::Shape::kNone) {
      constexpr auto i = static_cast<std::size_t>(kShape.handle);
      if constexpr (kTreatment<i> == Treatment::object)
        if (std::get<i>(args_) != nullptr) under_ = descriptor_of(std::get<i>(args_));
    }
    if constexpr (kDuplicatesTo) replaced_[0] = Process::current().handles().find(std::get<1>(args_));
    if constexpr (joins_thread(C))  // while the name is still its
      thread_ = Process::current().threads().find(std::get<0>(args_));
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

  // Before a call that may not come back.
  void record_leaving(Lane& lane, std::uint32_t depth, Tick now) {
    Draft draft;
    draft.begin(static_cast<std::uint32_t>(C), depth, kCount);
    unchecked_ = true;
    put_arguments(lane, draft, false);
    draft.put_result(trace::Encoding::unfinished);
    finish(lane, draft, now, now, false);
  }

  void record(Lane& lane, std::uint32_t depth, Tick begin, Tick end, R result, int error) {
    Draft draft;
    draft.begin(static_cast<std::uint32_t>(C), depth, kCount);
    const bool failed = is_failure(result);
    suspect_ = failed && !comes_after_reading(error);
    draft.result = result_ = number(result);
    update_closed(failed, error);
    put_arguments(lane, draft, failed);
    put_result(lane, draft, result, failed, error);
    finish(lane, draft, begin, end, !failed);
  }

  // Keeps the table of open handles right when the call itself is not recorded.
  void follow(R result, int error) {
    const bool failed = is_failure(result);
    update_closed(failed, error);
    if constexpr (kMayOpen)
      if (!failed && opens_now() && !Lane::in_vforked_child()) open_handle(result);
  }

 private:
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

  // Whether the call has put something where it was told to: those that return an error number have not
  // when it is one, nor has a wait that found no child.
  bool has_written() const {
    if constexpr (waits_for_child(C) && !is(C, "waitid"))
      return result_ > 0;
    else
      return result_ == 0;
  }

  const pthread_attr_t* settings_of_thread() const {
    if constexpr (is(C, "pthread_create"))
      return std::get<1>(args_);
    else
      return nullptr;
  }

  void put_arguments(Lane& lane, Draft& draft, bool failed) {
    for_each([&](auto index) { put_argument<index>(lane, draft, failed); });
  }

  template <std::size_t I>
  void put_argument(Lane& lane, Draft& draft, [[maybe_unused]] bool failed) {
    using trace::Encoding;
    constexpr Treatment how = kTreatment<I>;
    const auto value = std::get<I>(args_);
    draft.values[I] = number(value);
    if constexpr (how == Treatment::number) {
      draft.put(I, Encoding::literal, static_cast<std::uint64_t>(draft.values[I]));
    } else if constexpr (how == Treatment::changing || how == Treatment::thread) {
      if constexpr (how == Treatment::thread) {
        draft.values[I] = thread_;
        if (draft.result == 0) Process::current().threads().joined(value, thread_);
      }
      draft.put(I, Encoding::column);
      draft.columns = true;
    } else if constexpr (how == Treatment::descriptor || how == Treatment::directory) {
      put_descriptor<I>(lane, draft, failed);
    } else if constexpr (how == Treatment::offset) {
      put_offset<I>(lane, draft);
    } else if constexpr (how == Treatment::nothing) {
      draft.put(I, Encoding::absent);
    } else {
      if (value == nullptr) {
        draft.values[I] = nothing<I>();
        draft.put(I, Encoding::null);
        return;
      }
      // Of nothing that was asked for, a call need not look at the offset either.
      const bool suspect = suspect_ || (how == Treatment::offset_pointer && draft.result == 0);
      if (suspect && !can_be_read<I>(value)) [[unlikely]] {
        draft.values[I] = nothing<I>();
        draft.put(I, Encoding::absent);
        return;
      }
      if constexpr (how == Treatment::object) {
        put_object<I>(lane, draft);
      } else if constexpr (how == Treatment::path) {
        draft.put(I, Encoding::path);
        const std::string_view path =
            unchecked_ ? copied(value, scratch_, sizeof scratch_) : std::string_view(value);
        lane.put_path(path, draft);
      } else if constexpr (how == Treatment::text) {
        const std::string_view text =
            unchecked_ ? copied(value, scratch_, sizeof scratch_) : std::string_view(value);
        draft.put(I, Encoding::text, lane.number_of_text(text));
      } else if constexpr (how == Treatment::texts) {
        const std::span<char> room = lane.list_room().first(trace::live::kLongestText);
        draft.put(I, Encoding::text,
                  number_of(joined(const_cast<char* const*>(value), room.data(), room.size()), room, lane));
      } else if constexpr (how == Treatment::lengths) {
        const auto count = static_cast<int>(draft_count());
        const std::span<char> room = lane.list_room();
        draft.put(I, Encoding::text,
                  number_of(lengths_of(value, count, room.data(), room.size()), room, lane));
      } else if constexpr (how == Treatment::times) {
        using Time = std::remove_cv_t<std::remove_pointer_t<decltype(value)>>;
        constexpr std::size_t bytes = std::is_same_v<Time, utimbuf> ? sizeof(Time) : 2 * sizeof(Time);
        draft.put(I, Encoding::text, lane.number_of_text({reinterpret_cast<const char*>(value), bytes}));
      } else if constexpr (how == Treatment::string) {
        // What a read left there is nobody's.
        if (failed && !std::is_const_v<std::remove_pointer_t<Arg<I>>>) {
          draft.put(I, Encoding::absent);
          return;
        }
        draft.values[I] = static_cast<std::int64_t>(length_of(value));
        draft.put(I, Encoding::literal, static_cast<std::uint64_t>(draft.values[I]));
      } else if constexpr (how == Treatment::ring) {
        if (submissions_.kept < submissions_.all) lane.count_cut();
        draft.put(I, Encoding::text, lane.number_of_list({submissions_.bytes, submissions_.kept}));
      } else if constexpr (how == Treatment::request) {
        const AskedFor asked = asked_for(*value, lane, failed);
        draft.put(I, Encoding::text,
                  lane.number_of_text({reinterpret_cast<const char*>(&asked), sizeof asked}));
      } else if constexpr (how == Treatment::requests) {
        draft.put(I, Encoding::text, number_of(requests_of(value, lane, failed), lane.list_room(), lane));
      } else if constexpr (how == Treatment::offset_pointer) {
        const std::int64_t moved = failed || draft.result < 0 ? 0 : draft.result;
        draft.values[I] = static_cast<std::int64_t>(*value) - moved;
        put_offset<I>(lane, draft);
      } else if constexpr (how == Treatment::memory) {
        put_memory(I, value, lane, draft);
      } else if constexpr (how == Treatment::address) {
        draft.put(I, Encoding::column);
        draft.columns = true;
      } else if constexpr (how == Treatment::written || how == Treatment::new_thread) {
        if (failed || !has_written()) {
          draft.put(I, Encoding::absent);
          return;
        }
        if constexpr (how == Treatment::new_thread)
          draft.values[I] = is_detached(settings_of_thread()) ? HeldThreads::last_number
                                                              : Process::current().threads().begun(*value);
        else if constexpr (std::is_same_v<Arg<I>, siginfo_t*>)
          draft.values[I] = value->si_pid;
        else
          draft.values[I] = *value;
        draft.put(I, Encoding::column);
        draft.columns = true;
      } else if constexpr (how == Treatment::new_pair) {
        if (failed || Lane::in_vforked_child()) {
          draft.put(I, Encoding::absent);
          return;
        }
        Handles& handles = Process::current().handles();
        const Handle first = handles.open(value[0], left_out_);
        const Handle second = handles.open(value[1], left_out_);
        lane.opened(first);
        lane.opened(second);
        draft.put(I, Encoding::opened_pair, first.id);
        draft.words[draft.count++] = second.id;
        draft.pair[0] = value[0];
        draft.pair[1] = value[1];
        draft.columns = true;
      } else {
        draft.put(I, Encoding::absent);
      }
    }
  }

  // What an asynchronous request asks for: descriptor, operation, offset, length and where it stands.
  using AskedFor = std::array<std::int64_t, 5>;

  static AskedFor asked_for(const aiocb& request, Lane& lane, bool failed) {
    Handle handle = Process::current().handles().find(request.aio_fildes);
    if (!handle.known() && !failed && !Lane::in_vforked_child())
      handle = Process::current().handles().open(request.aio_fildes, false);
    if (handle.known()) lane.id_of(handle, request.aio_fildes);
    return {request.aio_fildes, request.aio_lio_opcode, request.aio_offset,
            static_cast<std::int64_t>(request.aio_nbytes), number(&request)};
  }

  // A list that fills its room had more to it, or nearly so.
  static std::uint32_t number_of(std::string_view list, std::span<const char> room, Lane& lane) {
    if (list.size() + sizeof(AskedFor) > room.size()) lane.count_cut();
    return lane.number_of_list(list);
  }

  struct Submissions {
    Scratch<char, 4096> memory;
    const char* bytes = nullptr;
    std::size_t kept = 0;
    std::size_t all = 0;
  };

  // They are gone from the ring when the call returns.
  void keep_submissions(const io_uring* ring) {
    submissions_.all = bytes_of_submissions(ring);
    const std::size_t room = std::min(submissions_.all, Lane::kLongestList);
    char* const memory = submissions_.memory.make(room);
    if (memory == nullptr) return;
    submissions_.bytes = memory;
    submissions_.kept = submissions_of(ring, memory, room);
  }

  // As many as there is room for; one that asks for nothing is kept as such, so that none is missed.
  std::string_view requests_of(aiocb* const* list, Lane& lane, bool failed) {
    const std::span<char> room = lane.list_room();
    std::size_t used = 0;
    for (std::int64_t i = 0; i < draft_count() && used + sizeof(AskedFor) <= room.size(); ++i) {
      const bool asks = list[i] != nullptr && list[i]->aio_lio_opcode != LIO_NOP;
      const AskedFor asked = asks ? asked_for(*list[i], lane, failed) : AskedFor{-1, LIO_NOP, 0, 0, 0};
      std::memcpy(room.data() + used, &asked, sizeof asked);
      used += sizeof asked;
    }
    return {room.data(), used};
  }

  // Whether what put_argument() would read of an argument is there.
  template <std::size_t I>
  bool can_be_read(Arg<I> value) const {
    constexpr Treatment how = kTreatment<I>;
    if constexpr (how == Treatment::path || how == Treatment::text) {
      return readable_text(value);
    } else if constexpr (how == Treatment::lengths) {
      const std::int64_t count = draft_count();
      return count <= 0 || readable(value, std::min(static_cast<std::size_t>(count),
                                                    Lane::kLongestList / sizeof(std::uint64_t)) *
                                               sizeof(iovec));
    } else if constexpr (how == Treatment::times || how == Treatment::request ||
                         how == Treatment::offset_pointer) {
      using Target = std::remove_cv_t<std::remove_pointer_t<Arg<I>>>;
      constexpr bool pair = how == Treatment::times && !std::is_same_v<Target, utimbuf>;
      return readable(value, (pair ? 2 : 1) * sizeof(Target));
    } else if constexpr (how == Treatment::requests) {
      const std::int64_t count = draft_count();
      if (count <= 0) return true;
      const auto items = std::min(static_cast<std::size_t>(count), Lane::kLongestList / sizeof(AskedFor));
      if (!readable(value, items * sizeof *value)) return false;
      return std::all_of(value, value + items,
                         [](const aiocb* one) { return one == nullptr || readable(one, sizeof *one); });
    } else {
      return true;
    }
  }

  template <std::size_t I>
  static constexpr std::int64_t nothing() {
    return trace::value_of_nothing(arguments(C)[I]);
  }

  template <std::size_t I>
  void put_descriptor(Lane& lane, Draft& draft, bool failed) {
    using trace::Encoding;
    const int descriptor = static_cast<int>(std::get<I>(args_));
    Handle handle = before_[I];
    // By its number alone, beside one that is wanted; but for a directory, which a name needs.
    if (handle.ignored && kTreatment<I> == Treatment::descriptor) {
      draft.values[I] = trace::Shape::kNoHandle;
      draft.put(I, Encoding::literal, static_cast<std::uint64_t>(static_cast<std::int64_t>(descriptor)));
      return;
    }
    if (!handle.known()) {
      // A number that is no descriptor, or one that is not the same any more.
      constexpr bool gone = info(C).closes || (kDuplicatesTo && I == 1);
      if (gone || failed || descriptor < 0 || descriptor >= Handles::kDescriptors ||
          Lane::in_vforked_child()) {
        draft.values[I] = trace::Shape::kNoHandle;
        draft.put(I, Encoding::literal, static_cast<std::uint64_t>(static_cast<std::int64_t>(descriptor)));
        return;
      }
      handle = Process::current().handles().open(descriptor, false);
    }
    constexpr bool is_open = !info(C).closes && !(kDuplicatesTo && I == 1);
    draft.values[I] = lane.id_of(handle, is_open ? descriptor : -1);
    draft.put(I, Encoding::handle, static_cast<std::uint64_t>(draft.values[I]));
  }

  template <std::size_t I>
  void put_object(Lane& lane, Draft& draft) {
    const auto value = std::get<I>(args_);
    Handle handle = before_[I];
    if (handle.ignored) {
      draft.values[I] = trace::Shape::kNoHandle;
      draft.put(I, trace::Encoding::absent);
      return;
    }
    if (!handle.known()) {
      if (info(C).closes || Lane::in_vforked_child()) {
        draft.values[I] = trace::Shape::kNoHandle;
        draft.put(I, trace::Encoding::absent);
        return;
      }
      handle = Process::current().handles().open(value, false);
      if (!handle.known()) {
        draft.values[I] = trace::Shape::kNoHandle;
        draft.put(I, trace::Encoding::absent);
        return;
      }
    }
    int descriptor = -1;
    if constexpr (!info(C).closes) descriptor = lane.knows(handle) ? -1 : descriptor_of(value);
    draft.values[I] = lane.id_of(handle, descriptor);
    draft.put(I, trace::Encoding::handle, static_cast<std::uint64_t>(draft.values[I]));
  }

  template <std::size_t I>
  void put_offset(Lane& lane, Draft& draft) {
    using trace::Encoding;
    const std::int64_t offset = draft.values[I];
    constexpr std::int8_t of = kShape.handle_of[I];
    if constexpr (of != trace::Shape::kNone && static_cast<std::size_t>(of) < I) {
      if (whence() == 0) {
        const std::int64_t base = lane.end_of(draft.values[of]);
        draft.put(I, Encoding::distance,
                  static_cast<std::uint64_t>(offset) - static_cast<std::uint64_t>(base));
        return;
      }
    }
    draft.put(I, Encoding::literal, static_cast<std::uint64_t>(offset));
  }

  std::int64_t whence() const {
    if constexpr (kShape.whence != trace::Shape::kNone)
      return number(std::get<static_cast<std::size_t>(kShape.whence)>(args_));
    else
      return 0;
  }
  std::int64_t draft_count() const {
    if constexpr (kShape.items != trace::Shape::kNone)
      return number(std::get<static_cast<std::size_t>(kShape.items)>(args_));
    else
      return 0;
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

  void put_result(Lane& lane, Draft& draft, R result, bool failed, int error) {
    using trace::Encoding;
    if constexpr (std::is_same_v<R, std::nullptr_t>) {  // void
      draft.put_result(Encoding::absent);
    } else {
      if (failed) {
        draft.put_result(Encoding::failed, static_cast<std::uint64_t>(static_cast<std::int64_t>(error)));
        return;
      }
      if constexpr (kMayOpen) {
        if (opens_now()) {
          put_opened(lane, draft, result);
          return;
        }
      }
      if constexpr (std::is_pointer_v<R>) {
        if constexpr (maps_memory(C)) {
          draft.put_result(Encoding::column);
          draft.columns = true;
        } else {
          draft.put_result(Encoding::absent);
        }
      } else if constexpr (kShape.result == Role::character) {
        draft.put_result(Encoding::absent);
      } else if constexpr (is(C, "fork") || (waits_for_child(C) && !is(C, "waitid"))) {
        draft.put_result(Encoding::column);
        draft.columns = true;
      } else {
        if (draft.result == trace::asked_for(kShape, draft.values)) {
          draft.put_result(Encoding::full);
          return;
        }
        if constexpr (kShape.result == Role::offset && kShape.handle != trace::Shape::kNone) {
          const std::int64_t base = lane.end_of(draft.values[kShape.handle]);
          draft.put_result(Encoding::distance,
                           static_cast<std::uint64_t>(draft.result) - static_cast<std::uint64_t>(base));
        } else {
          draft.put_result(Encoding::literal, static_cast<std::uint64_t>(draft.result));
        }
      }
    }
  }

  static constexpr bool kOpensArgument = [] {
    for (const Argument& argument : arguments(C))
      if ((argument.role == Role::file || argument.role == Role::ring) &&
          argument.direction == Direction::out)
        return true;
    return false;
  }();
  static constexpr bool kMayOpen =
      (info(C).opens && !kOpensArgument && (std::is_pointer_v<R> || std::is_integral_v<R>)) || kMayDuplicate;

  void put_opened(Lane& lane, Draft& draft, R result) {
    const Handle handle = Lane::in_vforked_child() ? Handle{} : open_handle(result);
    if (handle.ignored) {  // the call ended what was there before; what is there now is not looked at
      if constexpr (std::is_pointer_v<R>)
        draft.put_result(trace::Encoding::absent);
      else
        draft.put_result(trace::Encoding::literal, static_cast<std::uint64_t>(draft.result));
      return;
    }
    if (!handle.known()) {  // more than can be kept
      draft.put_result(trace::Encoding::column);
      draft.columns = true;
      return;
    }
    if (surprising_) lane.surprise(static_cast<int>(draft.result));
    lane.opened(handle);
    if constexpr (std::is_pointer_v<R>) {
      draft.result = descriptor_of(result);
    }
    draft.put_result(trace::Encoding::opened, handle.id);
    draft.columns = true;
  }

  static void finish(Lane& lane, Draft& draft, Tick begin, Tick end, bool succeeded) {
    const std::uint32_t symbol = lane.symbol_of(draft);
    lane.begin_change();
    if (succeeded)
      trace::advance(kShape, draft.values, draft.result,
                     [&](std::int64_t id) -> std::int64_t& { return lane.end_of(id); });
    lane.keep_numbers(draft);
    lane.append(symbol, draft, begin, end);
  }

  std::tuple<Args...> args_;
  std::array<Handle, kCount> before_;
  int under_ = -1;
  static constexpr bool kSubmits = [] {
    for (const Argument& argument : arguments(C))
      if (argument.role == Role::ring) return true;
    return false;
  }();
  struct Nothing {};
  [[no_unique_address]] std::conditional_t<kSubmits, Submissions, Nothing> submissions_;
  std::int64_t result_ = 0;
  std::int64_t thread_ = 0;  // that is joined
  bool suspect_ = false;     // the call failed, perhaps before it looked at what its arguments point to
  bool unchecked_ = false;
  enum class OpenedName : std::uint8_t { none, wanted, left_out };
  OpenedName opened_name_ = OpenedName::none;  // where names are chosen among
  bool left_out_ = false;
  bool surprising_ = false;
  std::array<Handle, kDuplicatesTo ? 1 : 0> replaced_;  // that a descriptor is duplicated onto
  char scratch_[kLeaves ? 4096 : 1];
};

}  // namespace weir::capture
