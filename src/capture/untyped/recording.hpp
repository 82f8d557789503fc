#pragma once

#include <cstdint>
#include <span>

#include "base/clock.hpp"
#include "calls/call.hpp"
#include "capture/draft.hpp"
#include "capture/lane.hpp"
#include "capture/objects.hpp"
#include "capture/scratch.hpp"
#include "capture/untyped/form.hpp"
#include "capture/untyped/library.hpp"

namespace weir::capture {

// One call of an ObjectLibrary, from before the real function to its record. What LibraryRecording decides
// while compiling is decided here from the row, so that a row costs next to no code.
class UntypedRecording {
 public:
  // Made before the real call: what it is given by address and may change is looked at now.
  UntypedRecording(Call call, std::span<const Form> forms, std::span<const std::uint64_t> given);

  void record(Lane& lane, std::uint32_t depth, Tick begin, Tick end, const Form& form, std::uint64_t result);

 private:
  bool is_failure(std::int64_t result) const;
  bool outlives(std::uint64_t result) const;  // what it is to end
  // Beyond which the text that a call writes may not be there; kNone when nothing says so.
  std::size_t room_of_text(std::size_t at) const;
  // How many items argument `at` has; -1 where that cannot be known.
  std::int64_t items(std::size_t at) const;
  std::int64_t rank_of(std::size_t object, std::uint64_t variable) const;
  bool is_list(std::size_t at) const;
  bool is_object(std::size_t at) const;
  bool is_ended(std::size_t at) const;  // by a call that closes or completes it
  Objects::Object object(std::size_t at, std::uint64_t bits, Lane& lane) const;
  Objects::Object new_object(Role role, std::uint64_t bits, Lane& lane) const;

  void put_argument(std::size_t at, Lane& lane, Draft& draft);
  void put_pointed(std::size_t at, Lane& lane, Draft& draft);
  void put_objects(std::size_t at, Lane& lane, Draft& draft);
  void put_numbers(std::size_t at, Lane& lane, Draft& draft);
  void put_lists(std::size_t at, Lane& lane, Draft& draft);
  void put_value(std::size_t at, const Form& form, std::uint64_t bits, Lane& lane, Draft& draft);
  void put_result(const Form& form, std::uint64_t result, Lane& lane, Draft& draft);
  void forget_ended();

  const CallInfo& info_;
  std::span<const Argument> arguments_;
  std::span<const Form> forms_;
  std::span<const std::uint64_t> given_;
  ObjectLibrary& library_;
  // The objects of the one argument that the call may end, before it did.
  std::size_t ending_ = kNone;
  std::size_t before_count_ = 0;
  std::uint64_t* before_ = nullptr;
  Scratch<std::uint64_t, 64> before_memory_;
  bool failed_ = false;
  std::int64_t filled_ = INT64_MAX;  // items that were there for the room it was given

  static constexpr std::size_t kNone = ~std::size_t{0};
};

}  // namespace weir::capture
