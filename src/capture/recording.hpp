#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <cwchar>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>

#include <aio.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/uio.h>
#include <utime.h>

#include "calls/call.hpp"
#include "capture/held_threads.hpp"
#include "capture/lane.hpp"
#include "capture/listed.hpp"
#include "capture/memory_names.hpp"
#include "capture/process.hpp"
#include "capture/subject.hpp"
#include "capture/treatment.hpp"
#include "intercept/unchecked.hpp"
#include "trace/shape.hpp"

namespace weir::capture {

inline std::size_t length_of(const char* text) { return std::strlen(text); }
inline std::size_t length_of(const wchar_t* text) { return std::wcslen(text); }

// One call from before the real function to its record.
template <Call C, class R, class... Args>
class Recording : public Subject<C, R, Args...> {
  using Base = Subject<C, R, Args...>;
  using Base::kCount;
  using Base::kShape;
  static constexpr bool kLeaves = info(C).leaves;
  // The ring that is submitted, where one is.
  static constexpr std::size_t kRing = static_cast<std::size_t>(
      std::ranges::find(Base::kTreatments, Treatment::ring) - Base::kTreatments.begin());

 public:
  explicit Recording(Args... args) : Base(args...) {
    if constexpr (kRing != kCount) submissions_.keep(std::get<kRing>(args_));
    if constexpr (joins_thread(C))  // while the name is still its
      thread_ = Process::current().threads().find(std::get<0>(args_));
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

 private:
  template <std::size_t I>
  using Arg = typename Base::template Arg<I>;
  template <std::size_t I>
  static constexpr Treatment kTreatment = Base::template kTreatment<I>;
  using Base::args_;
  using Base::before_;
  using Base::for_each;
  using Base::is_failure;
  using Base::kDuplicatesTo;
  using Base::kMayOpen;
  using Base::left_out_;
  using Base::number;
  using Base::open_handle;
  using Base::opens_now;
  using Base::surprising_;
  using Base::update_closed;

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
        const std::span<char> room = lane.list_room();
        draft.put(I, Encoding::text, number_of(lengths_of(value, draft_count(), room), room, lane));
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
        draft.put(I, Encoding::text, submissions_.number_in(lane));
      } else if constexpr (how == Treatment::request) {
        const AskedFor asked = asked_for(*value, lane, failed);
        draft.put(I, Encoding::text,
                  lane.number_of_text({reinterpret_cast<const char*>(&asked), sizeof asked}));
      } else if constexpr (how == Treatment::requests) {
        const std::span<char> room = lane.list_room();
        draft.put(I, Encoding::text,
                  number_of(requests_of(value, draft_count(), room, lane, failed), room, lane));
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

  struct Nothing {};
  [[no_unique_address]] std::conditional_t<kRing != kCount, Submissions, Nothing> submissions_;
  std::int64_t result_ = 0;
  std::int64_t thread_ = 0;  // that is joined
  bool suspect_ = false;     // the call failed, perhaps before it looked at what its arguments point to
  bool unchecked_ = false;
  char scratch_[kLeaves ? 4096 : 1];
};

}  // namespace weir::capture
