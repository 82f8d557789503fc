#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "calls/call.hpp"
#include "trace/encoding.hpp"

namespace weir::trace {

// How a call moves the position from which the next offset of the same handle is counted. Recorder and reader
// both follow it, so it depends on roles alone, which the trace holds.
struct Shape {
  static constexpr std::int8_t kNone = -1;
  static constexpr std::int64_t kNoOffset = INT64_MIN;  // the offset was a null pointer
  static constexpr std::int64_t kNoHandle =
      (1 << 20) - 1;  // stands for a handle that is none: a bad descriptor

  std::array<std::int8_t, Head::kArguments> handle_of{};  // for an offset: its handle's argument, or kNone
  std::int8_t handle = kNone;                             // the first open file or stream among the arguments
  std::int8_t bytes = kNone;
  std::int8_t items = kNone;
  std::int8_t whence = kNone;
  std::int8_t offset = kNone;
  bool has_offset = false;
  Role result = Role::value;
  std::size_t arguments = 0;
};

constexpr bool is_handle(const Argument& argument) {
  return (argument.role == Role::file || argument.role == Role::stream) &&
         argument.direction == Direction::in;
}

// What advance() gets for an argument that was a null pointer or was not kept.
constexpr std::int64_t value_of_nothing(const Argument& argument) {
  if (argument.role == Role::offset) return Shape::kNoOffset;
  return is_handle(argument) ? Shape::kNoHandle : 0;
}

constexpr Shape make_shape(std::span<const Argument> arguments, Role result) {
  Shape shape;
  shape.result = result;
  shape.arguments = arguments.size();
  std::int8_t latest = Shape::kNone;
  for (const Argument& argument : arguments)  // stdio names its stream last
    if (latest == Shape::kNone && argument.role == Role::stream && is_handle(argument))
      latest = static_cast<std::int8_t>(&argument - arguments.data());
  for (std::size_t i = 0; i < arguments.size() && i < Head::kArguments; ++i) {
    const Argument& argument = arguments[i];
    const auto index = static_cast<std::int8_t>(i);
    shape.handle_of[i] = Shape::kNone;
    if (is_handle(argument)) {
      latest = index;
      if (shape.handle == Shape::kNone) shape.handle = index;
    }
    switch (argument.role) {
      case Role::offset:
        shape.handle_of[i] = latest;
        if (shape.offset == Shape::kNone) shape.offset = index;
        shape.has_offset = shape.has_offset || latest != Shape::kNone;
        break;
      case Role::bytes:
        if (shape.bytes == Shape::kNone) shape.bytes = index;
        break;
      case Role::count:
        if (shape.items == Shape::kNone) shape.items = index;
        break;
      case Role::whence:
        shape.whence = index;
        break;
      default:
        break;
    }
  }
  return shape;
}

// What the program asked for, when a result can be compared with it: bytes of read(), items of fread(), the
// position of lseek(SEEK_SET). -1: nothing to compare.
constexpr std::int64_t asked_for(const Shape& shape, const std::int64_t* arguments) {
  if (shape.result == Role::bytes && shape.bytes != Shape::kNone) return arguments[shape.bytes];
  if (shape.result == Role::count && shape.items != Shape::kNone) return arguments[shape.items];
  if (shape.result == Role::offset && shape.offset != Shape::kNone && shape.whence != Shape::kNone &&
      arguments[shape.whence] == 0)
    return arguments[shape.offset];
  return -1;
}

// After a call that did not fail: `arguments` holds each argument as a number (handles as their symbolic
// ids), and end_of(id) is the position that offsets of that handle are counted from.
template <class EndOf>
constexpr void advance(const Shape& shape, const std::int64_t* arguments, std::int64_t result,
                       EndOf&& end_of) {
  const auto plus = [](std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  };
  if (shape.has_offset) {
    if (shape.result == Role::offset) {  // lseek
      if (shape.handle != Shape::kNone) end_of(arguments[shape.handle]) = result;
      return;
    }
    if (shape.whence != Shape::kNone && arguments[shape.whence] != 0) return;  // not SEEK_SET
    std::int64_t moved = 0;
    if (shape.result == Role::bytes)
      moved = result;
    else if (shape.bytes != Shape::kNone)
      moved = arguments[shape.bytes];
    for (std::size_t i = 0; i < shape.arguments; ++i)
      if (shape.handle_of[i] != Shape::kNone && arguments[i] != Shape::kNoOffset)
        end_of(arguments[shape.handle_of[i]]) = plus(arguments[i], moved);
    return;
  }
  if (shape.handle == Shape::kNone) return;
  std::int64_t& end = end_of(arguments[shape.handle]);
  if (shape.result == Role::bytes)
    end = plus(end, result);
  else if (shape.result == Role::offset)  // ftell
    end = result;
  else if (shape.result == Role::count && shape.bytes != Shape::kNone)  // fread
    end = plus(end, static_cast<std::int64_t>(static_cast<std::uint64_t>(result) *
                                              static_cast<std::uint64_t>(arguments[shape.bytes])));
}

}  // namespace weir::trace
