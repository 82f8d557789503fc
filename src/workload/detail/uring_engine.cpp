#ifdef WEIR_HAVE_URING

#include <cerrno>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <liburing.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/unique_fd.hpp"
#include "workload/detail/file_loop.hpp"
#include "workload/detail/memory.hpp"

namespace weir::workload::detail {
namespace {

class Ring {
 public:
  Ring() = default;
  Ring(Ring&& other) noexcept : ring_(other.ring_), open_(std::exchange(other.open_, false)) {}
  Ring& operator=(Ring&&) = delete;
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  ~Ring() {
    if (open_) io_uring_queue_exit(&ring_);
  }

  static Result<Ring> make(unsigned depth) {
    // One thread submits, and completions are run when it waits for them: without interrupting it and without
    // locks. Kernels before 6.1 know less and are asked for less.
    constexpr unsigned kFlags[] = {IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
                                   IORING_SETUP_COOP_TASKRUN, 0};
    Ring ring;
    int error = 0;
    for (const unsigned flags : kFlags) {
      error = -io_uring_queue_init(depth, &ring.ring_, flags);
      if (error != EINVAL) break;
    }
    if (error == 0) {
      ring.open_ = true;
      return ring;
    }
    const Error why = Error::from_errno(error, "cannot set up io_uring");
    return Error{error == EMFILE || error == ENFILE ? why.code() : Errc::lacking, why.message()}.with_remedy(
        "the kernel, a container or /proc/sys/kernel/io_uring_disabled forbids it: use engine posix");
  }

  io_uring* get() { return &ring_; }

 private:
  io_uring ring_{};
  bool open_ = false;
};

// Whether a request on the file may finish while it is submitted. Where the file system cannot promise not to
// wait (tmpfs), the kernel's workers do every request, and to try it first is lost time.
bool may_finish_at_once(int fd) {
  const UniqueFd readable(::open(fmt::format("/proc/self/fd/{}", fd).c_str(), O_RDONLY | O_CLOEXEC));
  std::byte byte{};
  const iovec vector{&byte, 1};
  return !readable || ::preadv2(readable.get(), &vector, 1, 0, RWF_NOWAIT) >= 0 || errno != EOPNOTSUPP;
}

// One request in flight.
struct Slot {
  std::span<std::byte> buffer;
  std::uint64_t at = 0;  // offset of its record
  std::size_t done = 0;  // bytes of it moved so far
  Tick begin;
  bool reading = false;
  bool syncing = false;  // the record is written, its fsync is under way
};

// Keeps `depth` records in flight, and asks the kernel once for all that is to be submitted.
template <Mode M>
class UringWorker final : public FileLoop<UringWorker<M>, M> {
  using Loop = FileLoop<UringWorker, M>;
  friend Loop;
  using Loop::file_number_;
  using Loop::kShape;
  using Loop::opening_;
  using Loop::size_;
  using Loop::task_;

 public:
  UringWorker(Task task, Ring ring, Memory buffers)
      : Loop(std::move(task)), buffers_(std::move(buffers)), ring_(std::move(ring)), slots_(task_.job.depth) {
    std::vector<iovec> vectors;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      slots_[i].buffer = buffers_.part(i * aligned_up(size_), size_);
      task_.pattern(Generation::written).fill(slots_[i].buffer, 0);
      vectors.push_back({slots_[i].buffer.data(), size_});
    }
    // Spares the kernel the look-up of pages at every request; where memory may not be locked it goes
    // without.
    fixed_buffers_ =
        io_uring_register_buffers(ring_.get(), vectors.data(), static_cast<unsigned>(vectors.size())) == 0;
    const int none = -1;
    fixed_file_ = io_uring_register_files(ring_.get(), &none, 1) == 0;
  }

 private:
  Result<void> open_file() {
    auto fd = open_for(opening_);
    if (!fd) return fd.error();
    fd_.reset(*fd);
    if (fixed_file_ && io_uring_register_files_update(ring_.get(), 0, &*fd, 1) != 1)
      return error_of(EIO, "cannot give it to io_uring", opening_);
    return {};
  }

  Result<void> close_file() {
    const int none = -1;
    if (fixed_file_ && io_uring_register_files_update(ring_.get(), 0, &none, 1) != 1)
      return error_of(EIO, "cannot take it from io_uring", opening_);
    if (::close(fd_.release()) != 0) return error_of(errno, "cannot close", opening_);
    return {};
  }

  int sync_file() { return ::fsync(fd_.get()) == 0 ? 0 : errno; }

  // Moves the next `count` records of the order. Requests that are under way when something fails are waited
  // for: the kernel must not write into buffers that are gone.
  template <class Records>
  Result<void> move(Lane& lane, Records& order, std::uint64_t count) {
    const DataPattern written = task_.pattern(Generation::written, file_number_);
    const DataPattern prepared = task_.pattern(Generation::prepared);
    const Coin coin = task_.coin();
    if (!flags_known_) {
      flags_known_ = true;
      if (fixed_file_) flags_ |= IOSQE_FIXED_FILE;
      if (!may_finish_at_once(fd_.get())) flags_ |= IOSQE_ASYNC;
    }
    free_.clear();
    for (std::uint32_t i = 0; i < slots_.size(); ++i) free_.push_back(i);
    Trouble trouble;
    moved_ = lane.bytes();
    std::uint64_t started = 0;
    std::size_t in_flight = 0;
    while (started < count || in_flight != 0) {
      for (; started < count && !free_.empty(); ++started, ++in_flight) {
        const std::uint32_t index = free_.back();
        free_.pop_back();
        begin(index, order.next(), coin, written);
      }
      const int submitted = io_uring_submit_and_wait(ring_.get(), 1);
      if (submitted < 0 && submitted != -EINTR && submitted != -EAGAIN && submitted != -EBUSY)
        return error_of(-submitted, "cannot submit to io_uring", opening_);
      const Tick now = Clock::now();
      unsigned head = 0;
      unsigned seen = 0;
      io_uring_cqe* entry = nullptr;
      io_uring_for_each_cqe(ring_.get(), head, entry) {
        ++seen;
        const auto index = static_cast<std::uint32_t>(io_uring_cqe_get_data64(entry));
        if (!advance(index, entry->res, lane, now, prepared, trouble)) continue;
        free_.push_back(index);
        --in_flight;
      }
      io_uring_cq_advance(ring_.get(), seen);
      if (trouble || lane.told_to_stop()) [[unlikely]]
        count = started;
    }
    if (trouble) return error_of(trouble, opening_);
    return {};
  }

  void begin(std::uint32_t index, std::uint64_t record, const Coin& coin, const DataPattern& written) {
    Slot& slot = slots_[index];
    slot.at = opening_.begin + record * size_;
    slot.done = 0;
    slot.syncing = false;
    slot.reading = kShape.moves == Moves::read || (kShape.moves == Moves::both && coin.reads(record));
    if (!slot.reading) {
      if (task_.job.verify)
        written.fill(slot.buffer, slot.at);
      else
        written.stamp(slot.buffer, slot.at);
    }
    slot.begin = Clock::now();
    queue(index);
  }

  // Puts what is left of a slot's record into the submission queue. There is an entry for every slot.
  void queue(std::uint32_t index) {
    Slot& slot = slots_[index];
    io_uring_sqe* const entry = io_uring_get_sqe(ring_.get());
    std::byte* const bytes = slot.buffer.data() + slot.done;
    const auto length = static_cast<unsigned>(size_ - slot.done);
    const int fd = fixed_file_ ? 0 : fd_.get();
    const auto number = static_cast<int>(index);
    if (slot.syncing)
      io_uring_prep_fsync(entry, fd, 0);
    else if (slot.reading && fixed_buffers_)
      io_uring_prep_read_fixed(entry, fd, bytes, length, slot.at + slot.done, number);
    else if (slot.reading)
      io_uring_prep_read(entry, fd, bytes, length, slot.at + slot.done);
    else if (fixed_buffers_)
      io_uring_prep_write_fixed(entry, fd, bytes, length, slot.at + slot.done, number);
    else
      io_uring_prep_write(entry, fd, bytes, length, slot.at + slot.done);
    io_uring_sqe_set_flags(entry, flags_);
    io_uring_sqe_set_data64(entry, index);
  }

  // What a completion means for its slot; true when the slot is free again.
  bool advance(std::uint32_t index, int result, Lane& lane, Tick now, const DataPattern& prepared,
               Trouble& trouble) {
    Slot& slot = slots_[index];
    if (result == -EINTR || result == -EAGAIN) {
      queue(index);
      return false;
    }
    if (result < 0) {
      trouble = {Trouble::Kind::failed, !slot.reading, -result, slot.at, {}};
      return true;
    }
    if (!slot.syncing) {
      if (result == 0) {
        trouble = {Trouble::Kind::ends_early, !slot.reading, 0, slot.at, {}};
        return true;
      }
      slot.done += static_cast<std::size_t>(result);
      slot.syncing = slot.done == size_ && !slot.reading && task_.job.sync == Sync::fsync;
      if (slot.done < size_ || slot.syncing) [[unlikely]] {
        queue(index);
        return false;
      }
    }
    (slot.reading ? lane.read : lane.write).add((now - slot.begin).count);
    moved_ += size_;
    lane.moved(moved_, now);
    if (slot.reading && task_.job.verify)
      if (const auto found = prepared.compare(slot.buffer, slot.at))
        trouble = {Trouble::Kind::differs, false, 0, slot.at, *found};
    return true;
  }

  Memory buffers_;
  Ring ring_;  // goes before its buffers do
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  UniqueFd fd_;
  bool fixed_buffers_ = false;
  bool fixed_file_ = false;
  bool flags_known_ = false;
  unsigned flags_ = 0;  // of every request
  std::uint64_t moved_ = 0;
};

}  // namespace

Result<std::unique_ptr<Worker>> make_uring_worker(const Task& task) {
  auto ring = Ring::make(task.job.depth);
  if (!ring) return ring.error();
  auto buffers = Memory::allocate(task.job.depth * aligned_up(task.job.record_size.count));
  if (!buffers) return buffers.error();
  return with_mode(task.job.mode, [&]<Mode M>() -> std::unique_ptr<Worker> {
    return std::make_unique<UringWorker<M>>(task, std::move(*ring), std::move(*buffers));
  });
}

}  // namespace weir::workload::detail

#endif  // WEIR_HAVE_URING
