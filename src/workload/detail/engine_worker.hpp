#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "workload/detail/fault_guard.hpp"
#include "workload/detail/memory.hpp"
#include "workload/detail/worker.hpp"

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
class EngineWorker final : public Worker {
 public:
  EngineWorker(Task task, Engine engine, Memory buffers)
      : task_(std::move(task)),
        engine_(std::move(engine)),
        buffers_(std::move(buffers)),
        opening_(opening_of(task_)),
        size_(task_.job.record_size.count),
        out_(buffers_.part(0, size_)),
        in_(buffers_.part(aligned_up(size_), size_)) {
    task_.pattern(Generation::written).fill(out_, 0);
  }

  Result<void> run(Lane& lane) override {
    if constexpr (M == Mode::open_write_close) return run_many_files(lane);
    if (auto opened = open(lane); !opened) return opened;
    auto order = task_.order<kShape.order>();
    const std::uint64_t all = task_.records();
    const std::uint64_t flush_after = task_.job.flush_every.count / size_;
    const std::uint64_t batch = M == Mode::aggregate_write && flush_after != 0 ? flush_after : all;
    for (std::uint64_t done = 0; done < all;) {
      const std::uint64_t now = std::min(batch, all - done);
      if (const Trouble trouble = guarded_move(lane, order, now)) return error_of(trouble, opening_);
      if (lane.told_to_stop()) return {};
      done += now;
      if constexpr (M == Mode::aggregate_write)
        if (done < all)
          if (auto flushed = flush(lane, done); !flushed) return flushed;
    }
    return close(lane, wants_final_sync());
  }

 private:
  static constexpr Shape kShape = shape_of(M);

  // OWC: every record is a file of its own.
  Result<void> run_many_files(Lane& lane) {
    RecordOrder<Order::same> always_first(1, 1, 0);
    for (std::uint64_t i = 0; i < task_.records() && !lane.told_to_stop(); ++i) {
      opening_.file = task_.file_of(i);
      file_number_ = i;
      if (auto opened = open(lane); !opened) return opened;
      if (const Trouble trouble = guarded_move(lane, always_first, 1)) return error_of(trouble, opening_);
      if (auto closed = close(lane, wants_final_sync()); !closed) return closed;
    }
    return {};
  }

  Result<void> open(Lane& lane) {
    const Tick before = Clock::now();
    auto opened = engine_.open(opening_);
    lane.opening += (Clock::now() - before).count;
    return opened;
  }

  Result<void> close(Lane& lane, bool sync) {
    const Tick before = Clock::now();
    if (const int error = sync ? engine_.sync() : 0; error != 0)
      return error_of(error, "cannot make it durable", opening_);
    if (const int error = engine_.close(); error != 0) return error_of(error, "cannot close", opening_);
    lane.closing += (Clock::now() - before).count;
    return {};
  }

  Result<void> flush(Lane& lane, std::uint64_t done) {
    if (task_.job.flush == Flush::fsync) {
      if (const int error = engine_.sync(); error != 0) return error_of(error, "cannot flush", opening_);
    } else if (task_.job.flush == Flush::reopen) {
      if (auto closed = close(lane, false); !closed) return closed;
      opening_.position = task_.begin() + done * size_;
      return open(lane);
    }
    return {};
  }

  bool wants_final_sync() const {
    if constexpr (kShape.moves == Moves::read) return false;
    return task_.job.sync_at_end || task_.job.flush == Flush::fsync;
  }

  template <class Records>
  Trouble guarded_move(Lane& lane, Records& order, std::uint64_t count) {
    if constexpr (!Engine::kMayFault) return move(lane, order, count);
    Trouble trouble;
    if (with_fault_guard([&] { trouble = move(lane, order, count); })) return trouble;
    return {Trouble::Kind::fault, kShape.moves != Moves::read, 0, at_, {}};
  }

  template <class Records>
  Trouble move(Lane& lane, Records& order, std::uint64_t count) {
    const bool verify = task_.job.verify;
    const bool sync_each = task_.job.sync == Sync::fsync;
    const DataPattern written = task_.pattern(Generation::written, file_number_);
    const DataPattern prepared = task_.pattern(Generation::prepared);
    const Coin coin = task_.coin();
    const std::uint64_t begin = opening_.begin;
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
    }
    return {};
  }

  Task task_;
  Engine engine_;
  Memory buffers_;
  Opening opening_;
  std::uint64_t size_;
  std::span<std::byte> out_, in_;
  std::uint64_t file_number_ = 0;
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
