#pragma once

#include <memory>
#include <utility>

#include "workload/detail/fault_guard.hpp"
#include "workload/detail/file_loop.hpp"
#include "workload/detail/memory.hpp"

namespace weir::workload::detail {

// The loop of engines with one operation at a time, compiled for each engine and mode: what the mode means is
// known to the compiler, and an operation costs a call of the engine and two readings of the clock.
//
// An Engine has
//   static constexpr bool kMayFault          whether moving a record may end in SIGBUS
//   Result<void> open(const Opening&)
//   int read<Placing>(std::byte*, std::size_t, std::uint64_t offset)     0, an errno or kEndsEarly
//   int write<Placing>(const std::byte*, std::size_t, std::uint64_t offset)
//   int sync_record(std::uint64_t offset, std::size_t)                   makes one written record durable
//   int sync()                                                           all that was written
//   int close()
template <class Engine, Mode M>
class EngineWorker final : public FileLoop<EngineWorker<Engine, M>, M> {
  using Loop = FileLoop<EngineWorker, M>;
  friend Loop;
  using Loop::file_number_;
  using Loop::kShape;
  using Loop::opening_;
  using Loop::size_;
  using Loop::task_;

 public:
  EngineWorker(Task task, Engine engine, Memory buffers)
      : Loop(std::move(task)),
        engine_(std::move(engine)),
        buffers_(std::move(buffers)),
        out_(buffers_.part(0, size_)),
        in_(buffers_.part(aligned_up(size_), size_)) {
    task_.pattern(Generation::written).fill(out_, 0);
  }

 private:
  Result<void> open_file() { return engine_.open(opening_); }
  Result<void> close_file() {
    if (const int error = engine_.close(); error != 0) return error_of(error, "cannot close", opening_);
    return {};
  }
  int sync_file() { return engine_.sync(); }

  template <class Records>
  Result<void> move(Lane& lane, Records& order, std::uint64_t count) {
    if (const Trouble trouble = guarded_move(lane, order, count)) return error_of(trouble, opening_);
    return {};
  }

  template <class Records>
  Trouble guarded_move(Lane& lane, Records& order, std::uint64_t count) {
    if constexpr (!Engine::kMayFault) return move_each(lane, order, count);
    Trouble trouble;
    if (with_fault_guard([&] { trouble = move_each(lane, order, count); })) return trouble;
    return {Trouble::Kind::fault, kShape.moves != Moves::read, 0, at_, {}};
  }

  template <class Records>
  Trouble move_each(Lane& lane, Records& order, std::uint64_t count) {
    const bool verify = task_.job.verify;
    const bool sync_each = task_.job.sync == Sync::fsync;
    const DataPattern written = task_.pattern(Generation::written, file_number_);
    const DataPattern prepared = task_.pattern(Generation::prepared);
    const Coin coin = task_.coin();
    const std::uint64_t begin = opening_.begin;
    const Pace pace(task_.job);
    std::uint64_t moved = lane.bytes();
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t record = order.next();
      const std::uint64_t at = begin + record * size_;
      if constexpr (Engine::kMayFault) at_ = at;
      const bool reading = kShape.moves == Moves::read || (kShape.moves == Moves::both && coin.reads(record));
      int error = 0;
      Tick before, after;
      if (reading) {
        before = Clock::now();
        error = engine_.template read<kShape.placing>(in_.data(), size_, at);
        after = Clock::now();
        lane.read.add((after - before).count);
      } else {
        if (verify)
          written.fill(out_, at);
        else
          written.stamp(out_, at);
        before = Clock::now();
        error = engine_.template write<kShape.placing>(out_.data(), size_, at);
        if (sync_each && error == 0) error = engine_.sync_record(at, size_);
        after = Clock::now();
        lane.write.add((after - before).count);
      }
      if (error != 0) [[unlikely]]
        return {
            error == kEndsEarly ? Trouble::Kind::ends_early : Trouble::Kind::failed, !reading, error, at, {}};
      if (verify && reading)
        if (const auto found = prepared.compare(in_, at))
          return {Trouble::Kind::differs, false, 0, at, *found};
      moved += size_;
      lane.moved(moved, after);
      if (lane.told_to_stop()) [[unlikely]]
        break;
      pace.wait_for_turn(lane);
    }
    return {};
  }

  Engine engine_;
  Memory buffers_;
  std::span<std::byte> out_, in_;
  volatile std::uint64_t at_ = 0;  // where a fault happened
};

template <class Engine>
Result<std::unique_ptr<Worker>> make_engine_worker(const Task& task) {
  auto buffers = Memory::allocate(2 * aligned_up(task.job.record_size.count));
  if (!buffers) return buffers.error();
  return with_mode(task.job.mode, [&]<Mode M>() -> std::unique_ptr<Worker> {
    return std::make_unique<EngineWorker<Engine, M>>(task, Engine{}, std::move(*buffers));
  });
}

}  // namespace weir::workload::detail
