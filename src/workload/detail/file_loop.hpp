#pragma once

#include <algorithm>
#include <cerrno>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

#include "workload/detail/pace.hpp"
#include "workload/detail/worker.hpp"

namespace weir::workload::detail {

// What a worker does to its file or files in a mode, whatever moves the records: open, move them all or in
// batches with a flush between, close. Compiled for each worker and mode.
//
// Self has
//   Result<void> open_file()                              what opening_ says
//   Result<void> close_file()
//   int sync_file()                                       0 or an errno
//   Result<void> move(Lane&, Records& order, std::uint64_t count)    the next records of the order
template <class Self, Mode M>
class FileLoop : public Worker {
 public:
  Result<void> run(Lane& lane) final {
    if constexpr (M == Mode::open_write_close) return run_many_files(lane);
    if constexpr (M == Mode::metadata) return run_names(lane);
    if (auto opened = open(lane); !opened) return opened;
    auto order = task_.order<kShape.order>();
    const std::uint64_t all = task_.records();
    const std::uint64_t flush_after = task_.job.flush_every.count / size_;
    const std::uint64_t batch = M == Mode::aggregate_write && flush_after != 0 ? flush_after : all;
    for (std::uint64_t done = 0; done < all;) {
      const std::uint64_t now = std::min(batch, all - done);
      if (auto moved = self().move(lane, order, now); !moved) return moved;
      if (lane.told_to_stop()) return {};
      done += now;
      if constexpr (M == Mode::aggregate_write)
        if (done < all)
          if (auto flushed = flush(lane, done); !flushed) return flushed;
    }
    return close(lane, wants_final_sync());
  }

 protected:
  static constexpr Shape kShape = shape_of(M);

  explicit FileLoop(Task task)
      : task_(std::move(task)), opening_(opening_of(task_)), size_(task_.job.record_size.count) {}

  Task task_;
  Opening opening_;
  std::uint64_t size_;             // of a record
  std::uint64_t file_number_ = 0;  // among the files of this worker

 private:
  Self& self() { return static_cast<Self&>(*this); }

  // OWC: every record is a file of its own.
  Result<void> run_many_files(Lane& lane) {
    RecordOrder<Order::same> always_first(1, 1, 0);
    for (std::uint64_t i = 0; i < task_.records() && !lane.told_to_stop(); ++i) {
      opening_.file = task_.file_of(i);
      file_number_ = i;
      if (auto opened = open(lane); !opened) return opened;
      if (auto moved = self().move(lane, always_first, 1); !moved) return moved;
      if (auto closed = close(lane, wants_final_sync()); !closed) return closed;
    }
    return {};
  }

  // What a metadata server sees of many small files; a record counts as one file, not as bytes moved.
  Result<void> run_names(Lane& lane) {
    const Pace pace(task_.job);
    for (std::uint64_t i = 0; i < task_.records() && !lane.told_to_stop(); ++i) {
      opening_.file = task_.file_of(i);
      const Tick before = Clock::now();
      if (auto opened = self().open_file(); !opened) return opened;
      if (auto closed = self().close_file(); !closed) return closed;
      struct stat seen {};
      if (::stat(opening_.file.c_str(), &seen) != 0) return error_of(errno, "cannot look at it", opening_);
      if (::unlink(opening_.file.c_str()) != 0) return error_of(errno, "cannot remove it", opening_);
      const Tick after = Clock::now();
      lane.write.add((after - before).count);
      lane.moved((i + 1) * size_, after);
      pace.wait_for_turn(lane);
    }
    return {};
  }

  Result<void> open(Lane& lane) {
    const Tick before = Clock::now();
    auto opened = self().open_file();
    lane.opening += (Clock::now() - before).count;
    return opened;
  }

  Result<void> close(Lane& lane, bool sync) {
    const Tick before = Clock::now();
    if (const int error = sync ? self().sync_file() : 0; error != 0)
      return error_of(error, "cannot make it durable", opening_);
    auto closed = self().close_file();
    lane.closing += (Clock::now() - before).count;
    return closed;
  }

  Result<void> flush(Lane& lane, std::uint64_t done) {
    if (task_.job.flush == Flush::fsync) {
      if (const int error = self().sync_file(); error != 0) return error_of(error, "cannot flush", opening_);
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
};

}  // namespace weir::workload::detail
