#pragma once

#include <cstdint>
#include <utility>

#include "base/check.hpp"
#include "workload/job.hpp"

namespace weir::workload::detail {

// In which order the records of a worker's part are visited. Each is visited once, except in `same`.
enum class Order : std::uint8_t { forward, backward, strided, shuffled, same };
enum class Moves : std::uint8_t { read, write, both };
// How the place of a record is said: by the position of the stream, by seeking, in the call itself.
enum class Placing : std::uint8_t { stream, seek, explicit_offset };

// What a mode means to an engine.
struct Shape {
  Order order;
  Moves moves;
  Placing placing;
  bool existing;  // works on files that are there, made and filled before the measured time
};

// As IOzone's throughput tests do it: plain reads and writes follow the stream, everything out of order
// seeks first, pread and pwrite say the offset. The patterns begin with no file.
constexpr Shape shape_of(Mode mode) {
  switch (mode) {
    case Mode::initial_write:
    case Mode::fwrite:
    case Mode::aggregate_write:
    case Mode::open_write_close:
    case Mode::metadata:
      return {Order::forward, Moves::write, Placing::stream, false};
    case Mode::rewrite:
      return {Order::forward, Moves::write, Placing::stream, true};
    case Mode::read:
    case Mode::reread:
    case Mode::fread:
      return {Order::forward, Moves::read, Placing::stream, true};
    case Mode::random_read:
      return {Order::shuffled, Moves::read, Placing::seek, true};
    case Mode::random_write:
      return {Order::shuffled, Moves::write, Placing::seek, true};
    case Mode::mixed:
      return {Order::shuffled, Moves::both, Placing::seek, true};
    case Mode::reverse_read:
      return {Order::backward, Moves::read, Placing::seek, true};
    case Mode::stride_read:
      return {Order::strided, Moves::read, Placing::seek, true};
    case Mode::pwrite:
      return {Order::forward, Moves::write, Placing::explicit_offset, false};
    case Mode::pread:
      return {Order::forward, Moves::read, Placing::explicit_offset, true};
    case Mode::write_seek:
      return {Order::same, Moves::write, Placing::seek, false};
  }
  return {};
}

// Calls f.template operator()<M>() for the mode, so that a loop knows it while compiling.
template <class F>
decltype(auto) with_mode(Mode mode, F&& f) {
  switch (mode) {
    case Mode::initial_write:
      return f.template operator()<Mode::initial_write>();
    case Mode::rewrite:
      return f.template operator()<Mode::rewrite>();
    case Mode::read:
      return f.template operator()<Mode::read>();
    case Mode::reread:
      return f.template operator()<Mode::reread>();
    case Mode::random_read:
      return f.template operator()<Mode::random_read>();
    case Mode::random_write:
      return f.template operator()<Mode::random_write>();
    case Mode::mixed:
      return f.template operator()<Mode::mixed>();
    case Mode::reverse_read:
      return f.template operator()<Mode::reverse_read>();
    case Mode::stride_read:
      return f.template operator()<Mode::stride_read>();
    case Mode::fwrite:
      return f.template operator()<Mode::fwrite>();
    case Mode::fread:
      return f.template operator()<Mode::fread>();
    case Mode::pwrite:
      return f.template operator()<Mode::pwrite>();
    case Mode::pread:
      return f.template operator()<Mode::pread>();
    case Mode::open_write_close:
      return f.template operator()<Mode::open_write_close>();
    case Mode::write_seek:
      return f.template operator()<Mode::write_seek>();
    case Mode::aggregate_write:
      return f.template operator()<Mode::aggregate_write>();
    case Mode::metadata:
      return f.template operator()<Mode::metadata>();
  }
  WEIR_CHECK(false, "no such mode");
}

}  // namespace weir::workload::detail
