#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "calls/call.hpp"
#include "capture/lane.hpp"
#include "capture/memory_names.hpp"
#include "capture/objects.hpp"
#include "capture/passed.hpp"
#include "capture/process.hpp"
#include "capture/put.hpp"
#include "trace/shape.hpp"

namespace weir::capture {

// One call of a library with objects of its own, such as MPI or HDF5, from before the real function to its
// record. Everything that depends on the call alone is decided while compiling.
//
// A Library has
//   static Objects& objects()
//   static Role kind_of(Role)                     which pool an object of that role belongs to
//   static std::uint64_t bits_of(T)               an object as the table keeps it
//   static Objects::Object meet(Role, T, Lane&)   one that was met without having been seen made
//   class Extra<Recording>                        what else there is to it: requests, statuses, ranks
template <class Library, Call C, class R, class... Args>
class LibraryRecording {
 public:
  static constexpr std::size_t kCount = sizeof...(Args);
  static constexpr trace::Shape kShape = trace::make_shape(arguments(C), info(C).result);
  template <std::size_t I>
  using Arg = std::tuple_element_t<I, std::tuple<Args...>>;
  template <std::size_t I>
  using As = Passed<Arg<I>>;
  using Tuple = std::tuple<Args...>;

  explicit LibraryRecording(Args... args) : args_(args...), extra_(*this) {
    for_each([&](auto index) {
      constexpr std::size_t i = index;
      if constexpr (kIsFile<i>)
        find_file<i>();
      else if constexpr (kIsSingleObject<i> && argument<i>().direction == Direction::inout)
        if (!As<i>::is_null(std::get<i>(args_)))
          before_[i] = find_object(argument<i>().role, As<i>::item(std::get<i>(args_), 0));
      if constexpr (kIsNumberInout<i>)
        if (!As<i>::is_null(std::get<i>(args_)))
          number_before_ = static_cast<std::int64_t>(As<i>::item(std::get<i>(args_), 0));
    });
    extra_.before();
  }

  // What the real function gets: the program's arguments, some of them replaced.
  const Tuple& passed() const { return args_; }
  Tuple& args() { return args_; }

  static bool is_failure(R result) {
    if constexpr (!std::is_integral_v<R> || !kSaysWhetherItFailed)
      return false;
    else if constexpr (info(C).failure == Failure::nonzero)
      return result != 0;
    else
      return result < 0;
  }

  void record(Lane& lane, std::uint32_t depth, Tick begin, Tick end, R result, bool returned = true) {
    Draft draft;
    draft.begin(static_cast<std::uint32_t>(C), depth, kCount);
    failed_ = !returned || is_failure(result);
    extra_.after(lane, failed_);
    for_each([&](auto index) { put_argument<index>(lane, draft); });
    if (!returned)
      draft.put_result(trace::Encoding::unfinished);
    else
      put_result(lane, draft, result);
    const std::uint32_t symbol = lane.symbol_of(draft);
    lane.begin_change();
    if (!failed_)
      trace::advance(kShape, draft.values, draft.result,
                     [&](std::int64_t id) -> std::int64_t& { return lane.end_of(id); });
    lane.keep_numbers(draft);
    lane.append(symbol, draft, begin, end);
    if (returned) forget_closed();
    extra_.done(lane, failed_);
  }

  // Without a record: what the call made or ended is known all the same.
  void follow(Lane& lane, R result) {
    failed_ = is_failure(result);
    extra_.after(lane, failed_);
    forget_closed();
    extra_.done(lane, failed_);
  }

  bool has_failed() const { return failed_; }
  bool completes_files() const { return extra_.completes_files(); }
  // Values that the call only reads are there before it; what it writes is there when it did not fail.
  template <std::size_t I>
  bool is_there() const {
    if constexpr (kIsOut<I>)
      if (failed_ || !extra_.template is_set<I>()) return false;
    return extra_.template is_significant<I>();
  }

  template <std::size_t I>
  static constexpr const Argument& argument() {
    return arguments(C)[I];
  }
  template <class F>
  static void for_each(F&& f) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (f(std::integral_constant<std::size_t, I>()), ...);
    }(std::make_index_sequence<kCount>());
  }

  // How many items an array has; -1 where that cannot be known, or they are not to be looked at.
  template <std::size_t I>
  std::int64_t items() const {
    constexpr Items many = argument<I>().many;
    if constexpr (many.many == Many::one) {
      return static_cast<std::int64_t>(argument<I>().items);
    } else if constexpr (many.many == Many::argument) {
      return static_cast<std::int64_t>(As<many.of>::value(std::get<many.of>(args_))) * many.factor;
    } else if constexpr (many.many == Many::pointed) {
      if (failed_ || As<many.of>::is_null(std::get<many.of>(args_))) return -1;
      return static_cast<std::int64_t>(As<many.of>::item(std::get<many.of>(args_), 0));
    } else if constexpr (many.many == Many::sum || many.many == Many::last) {
      const std::int64_t count = items<many.of>();
      if (count < 0 || !extra_.template is_significant<many.of>() ||
          As<many.of>::is_null(std::get<many.of>(args_)))
        return -1;
      std::int64_t total = 0;
      for (std::int64_t k = 0; k < count; ++k) {
        const auto one = static_cast<std::int64_t>(
            As<many.of>::item(std::get<many.of>(args_), static_cast<std::size_t>(k)));
        total = many.many == Many::sum ? total + one : one;
      }
      return total;
    } else {
      return Extra::template count<many.many>(As<many.of>::value(std::get<many.of>(args_)));
    }
  }

  // Good until the next one is looked for.
  template <class T>
  static const Objects::Object& find_object(Role role, T object) {
    return Library::objects().find(Library::kind_of(role), Library::bits_of(object));
  }
  template <class T>
  static Objects::Object known_object(Role role, T object, Lane& lane) {
    const Objects::Object& found = find_object(role, object);
    if (found.used) [[likely]]
      return found;
    return Library::meet(role, object, lane);
  }

 private:
  using Extra = typename Library::template Extra<LibraryRecording>;
  friend Extra;

  template <std::size_t I>
  static constexpr bool kIsFile = argument<I>().role == Role::file;
  // A number that the call changes: a position in a buffer, a key that ends. It is recorded as it was given.
  template <std::size_t I>
  static constexpr bool kIsNumberInout = [] {
    if constexpr (As<I>::kIsValue)
      return false;
    else
      return argument<I>().direction == Direction::inout && argument<I>().many.many == Many::one &&
             !is_library_object(argument<I>().role) && std::is_integral_v<typename As<I>::Item>;
  }();
  template <std::size_t I>
  static constexpr bool kIsSingleObject =
      is_library_object(argument<I>().role) && !As<I>::kIsValue && argument<I>().many.many == Many::one;

  template <std::size_t I>
  static constexpr bool kIsOut = argument<I>().direction != Direction::in;

  template <std::size_t I>
  auto given() const {
    return std::get<I>(args_);
  }

  template <std::size_t I>
  void find_file() {
    if constexpr (argument<I>().direction != Direction::out) {
      if constexpr (As<I>::kIsValue)
        file_key_ = reinterpret_cast<const void*>(Library::bits_of(As<I>::value(given<I>())));
      else
        file_key_ = reinterpret_cast<const void*>(Library::bits_of(As<I>::item(given<I>(), 0)));
      file_ = Process::current().handles().find(file_key_);
    }
  }

  template <std::size_t I>
  void put_argument(Lane& lane, Draft& draft) {
    using trace::Encoding;
    constexpr Role role = argument<I>().role;
    draft.values[I] = trace::value_of_nothing(argument<I>());
    if constexpr (Extra::template handles<I>()) {
      extra_.template put<I>(lane, draft);
    } else if constexpr (kIsFile<I>) {
      put_file<I>(lane, draft);
    } else if constexpr (As<I>::kIsValue) {
      if constexpr (is_library_object(role)) {
        if (extra_.template is_significant<I>())
          put_object(I, known_object(role, As<I>::value(given<I>()), lane), lane, draft);
        else
          draft.put(I, Encoding::absent);
      } else if constexpr (role == Role::function || role == Role::varargs ||
                           !(std::is_integral_v<typename As<I>::Item> ||
                             std::is_enum_v<typename As<I>::Item>)) {
        draft.put(I, Encoding::absent);
      } else {
        draft.values[I] = static_cast<std::int64_t>(As<I>::value(given<I>()));
        if constexpr (role == Role::offset)
          put_offset<I>(lane, draft);
        else
          put_number<I>(draft);
      }
    } else {
      if (As<I>::is_null(given<I>())) {
        draft.put(I, Encoding::null);
        return;
      }
      put_pointed<I>(lane, draft);
    }
  }

  template <std::size_t I>
  void put_pointed(Lane& lane, Draft& draft) {
    using trace::Encoding;
    constexpr Role role = argument<I>().role;
    using Item = typename As<I>::Item;
    if constexpr (role == Role::buffer) {
      put_memory(I, As<I>::address(given<I>()), lane, draft);
    } else if constexpr (role == Role::function) {
      draft.put(I, Encoding::absent);
    } else if constexpr (kIsOut<I> && role != Role::text && !std::is_integral_v<Item> &&
                         !is_library_object(role)) {
      draft.put(I, Encoding::absent);
    } else if constexpr ((role == Role::path || role == Role::text) && std::is_same_v<Item, char>) {
      if (!is_there<I>()) {
        draft.put(I, Encoding::absent);
      } else if constexpr (role == Role::path) {
        draft.put(I, Encoding::path);
        lane.put_path(As<I>::text(given<I>()), draft);
      } else {
        draft.put(I, Encoding::text, lane.number_of_text(As<I>::text(given<I>())));
      }
    } else if constexpr (is_library_object(role)) {
      put_objects<I>(lane, draft);
    } else if constexpr (std::is_integral_v<Item>) {
      put_numbers<I>(lane, draft);
    } else {
      draft.put(I, Encoding::absent);
    }
  }

  template <std::size_t I>
  void put_numbers(Lane& lane, Draft& draft) {
    using trace::Encoding;
    constexpr bool is_list = argument<I>().many.many != Many::one || argument<I>().items > 1;
    if constexpr (kIsNumberInout<I>) {
      draft.values[I] = number_before_;
      put_number<I>(draft);
    } else if (!is_there<I>()) {
      draft.put(I, Encoding::absent);
    } else if constexpr (!is_list) {
      draft.values[I] = static_cast<std::int64_t>(As<I>::item(given<I>(), 0));
      put_number<I>(draft);
    } else {
      const std::int64_t count = items<I>();
      if (count < 0) {
        draft.put(I, Encoding::absent);
        return;
      }
      ListText list(lane.list_room());
      for (std::int64_t k = 0; k < count; ++k)
        list.put_number(static_cast<std::int64_t>(As<I>::item(given<I>(), static_cast<std::size_t>(k))));
      put_list(I, list, lane, draft);
    }
  }

  template <std::size_t I>
  void put_objects(Lane& lane, Draft& draft) {
    using trace::Encoding;
    if constexpr (argument<I>().many.many == Many::one) {
      if constexpr (argument<I>().direction == Direction::inout) {
        put_object(I, before_[I], lane, draft);
      } else if (!is_there<I>()) {
        draft.put(I, Encoding::absent);
      } else {
        put_object(I, made_or_known<I>(As<I>::item(given<I>(), 0), lane), lane, draft);
      }
    } else {
      const std::int64_t count = is_there<I>() ? items<I>() : -1;
      if (count < 0) {
        draft.put(I, Encoding::absent);
        return;
      }
      ListText list(lane.list_room());
      for (std::int64_t k = 0; k < count; ++k)
        put_item(list, made_or_known<I>(As<I>::item(given<I>(), static_cast<std::size_t>(k)), lane));
      put_list(I, list, lane, draft);
    }
  }

  template <std::size_t I, class T>
  Objects::Object made_or_known(T object, Lane& lane) {
    constexpr Role role = argument<I>().role;
    if constexpr (info(C).opens && argument<I>().direction == Direction::out) {
      const Objects::Object found = find_object(role, object);
      if (found.used && found.name != nullptr) return found;
      if constexpr (role == Role::communicator)
        return known_object(role, object, lane);  // made known by those who agreed on it
      else
        return Library::objects().add(Library::kind_of(role), Library::bits_of(object));
    } else {
      return known_object(role, object, lane);
    }
  }

  template <std::size_t I>
  void put_number(Draft& draft) {
    // Addresses do not repeat from run to run.
    constexpr std::int64_t kLargest = std::int64_t{1} << 40;
    if (argument<I>().role == Role::displacement &&
        (draft.values[I] > kLargest || draft.values[I] < -kLargest)) {
      draft.put(I, trace::Encoding::column);
      draft.columns = true;
      return;
    }
    draft.put(I, trace::Encoding::literal, static_cast<std::uint64_t>(draft.values[I]));
  }

  template <std::size_t I>
  void put_offset(Lane& lane, Draft& draft) {
    constexpr std::int8_t of = kShape.handle_of[I];
    if constexpr (of != trace::Shape::kNone && static_cast<std::size_t>(of) < I) {
      bool from_start = true;
      if constexpr (kShape.whence != trace::Shape::kNone)
        from_start = Extra::whence(As<kShape.whence>::value(given<kShape.whence>())) == 0;
      if (from_start) {
        const std::int64_t base = lane.end_of(draft.values[of]);
        draft.put(I, trace::Encoding::distance,
                  static_cast<std::uint64_t>(draft.values[I]) - static_cast<std::uint64_t>(base));
        return;
      }
    }
    draft.put(I, trace::Encoding::literal, static_cast<std::uint64_t>(draft.values[I]));
  }

  template <std::size_t I>
  void put_file(Lane& lane, Draft& draft) {
    using trace::Encoding;
    Handle handle = file_;
    if constexpr (argument<I>().direction == Direction::out) {
      if (failed_) {
        draft.put(I, Encoding::absent);
        return;
      }
      const auto* const key = reinterpret_cast<const void*>(Library::bits_of(As<I>::item(given<I>(), 0)));
      handle = Process::current().handles().open(key, false);
      if (!handle.known()) {
        draft.put(I, Encoding::absent);
        return;
      }
      lane.opened(handle);
      draft.values[I] = -1;  // there is no descriptor
      draft.put(I, Encoding::opened, handle.id);
      draft.columns = true;
    } else {
      if (!handle.known()) {
        draft.put(I, Encoding::null);
        return;
      }
      draft.values[I] = lane.id_of(handle, -1);
      draft.put(I, Encoding::handle, static_cast<std::uint64_t>(draft.values[I]));
    }
  }

  void put_result(Lane& lane, Draft& draft, R result) {
    using trace::Encoding;
    if constexpr (std::is_integral_v<R>) draft.result = static_cast<std::int64_t>(result);
    if (failed_) {
      draft.put_result(Encoding::failed, static_cast<std::uint64_t>(Extra::error_of(draft.result)));
    } else if constexpr (is_library_object(info(C).result)) {
      const Objects::Object made =
          info(C).opens ? Library::objects().add(Library::kind_of(info(C).result), Library::bits_of(result))
                        : known_object(info(C).result, result, lane);
      if (made.name == nullptr)
        draft.put_result(Encoding::literal, made.id);
      else
        draft.put_result(Encoding::absent);
    } else if constexpr (!std::is_integral_v<R>) {
      draft.put_result(Encoding::absent);
    } else if constexpr (kSaysWhetherItFailed) {
      draft.put_result(Encoding::literal, static_cast<std::uint64_t>(draft.result));
    } else {  // an address, or a handle as another language has it
      draft.put_result(Encoding::column);
      draft.columns = true;
    }
  }

  // Results of MPI are error codes, but for a few functions that cannot fail.
  static constexpr bool kSaysWhetherItFailed =
      info(C).failure != Failure::nonzero || info(C).result_type == "int";

  void forget_closed() {
    if constexpr (info(C).closes) {
      if (failed_) return;
      for_each([&](auto index) {
        constexpr std::size_t i = index;
        if constexpr (kIsFile<i>)
          Process::current().handles().close(file_key_, file_);
        else if constexpr (is_library_object(argument<i>().role) && !As<i>::kIsValue &&
                           argument<i>().direction == Direction::inout)
          Library::objects().remove(Library::kind_of(argument<i>().role), before_[i].bits);
        else if constexpr (is_library_object(argument<i>().role) && As<i>::kIsValue &&
                           info(C).failure == Failure::negative)
          Library::objects().remove(Library::kind_of(argument<i>().role),
                                    Library::bits_of(As<i>::value(given<i>())));
      });
    }
  }

  Tuple args_;
  // Objects that the call is given by address and may end. Most calls have none.
  static constexpr bool kHasBefore = [] {
    for (const Argument& one : arguments(C))
      if (is_library_object(one.role) && one.direction == Direction::inout) return true;
    return false;
  }();
  std::array<Objects::Object, kHasBefore ? kCount : 0> before_{};
  std::int64_t number_before_ = 0;  // no call has two
  Handle file_;                     // the one it is about: no call has two
  const void* file_key_ = nullptr;
  bool failed_ = false;
  Extra extra_;
};

}  // namespace weir::capture
