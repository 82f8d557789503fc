#include "capture/process.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/caller.hpp"
#include "trace/word_pack.hpp"

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

namespace weir::capture {

constinit Process Process::instance_;

namespace {

namespace live = trace::live;

constexpr int kLevel = -1;  // fast: a merge packs it better, when nobody waits
constexpr std::size_t kPackedBytes =
    std::max<std::size_t>(ZSTD_COMPRESSBOUND(live::kTailBytes), trace::most_packed_bytes(live::kTailWords));

pthread_key_t end_of_thread;
bool have_key = false;

void thread_ends(void* /*lane*/) { Lane::release(); }

// Early, so that the start does not fall into the program's first call; but not before the real functions are
// known (intercept/shim.hpp).
[[gnu::constructor(102)]] void start_early() { Process::current().recording(); }

}  // namespace

bool Process::recording() {
  const State state = state_.load(std::memory_order_acquire);
  if (state == State::recording) [[likely]]
    return true;
  if (state == State::ending) return !called_by_mpi();
  if (state == State::off) return false;
  start();
  return state_.load(std::memory_order_acquire) == State::recording;
}

void Process::start() {
  const SignalsBlocked blocked;
  State expected = State::unborn;
  if (!state_.compare_exchange_strong(expected, State::starting)) {
    while (state_.load(std::memory_order_acquire) == State::starting) sched_yield();
    return;
  }
  Clock::choose_source();
  bool works = settings_.read() && handles_.start();
  if (works) {
    child_environment_.read(environ);
    have_key = pthread_key_create(&end_of_thread, thread_ends) == 0;
    number_ = syscall(SYS_getpid);
    start_tick_ = Clock::now();
    directory_changed();
    map_losses();
    workspace_bytes_ = ZSTD_estimateCCtxSize(kLevel);
    workspace_ = map_memory(workspace_bytes_ + kPackedBytes);
    works = workspace_ != nullptr;
  }
  state_.store(works ? State::recording : State::off, std::memory_order_release);
}

void Process::end_begins() {
  State expected = State::recording;
  instance_.state_.compare_exchange_strong(expected, State::ending);
}

void Process::watch_exit() {
  static constinit std::atomic<bool> watching{false};
  if (!watching.exchange(true)) std::atexit(&Process::end_begins);
}

void Process::free_in_children(SpinLock& lock) {
  const std::size_t at = spin_lock_count_.fetch_add(1);
  if (at < kSpinLocks) spin_locks_[at] = &lock;
}

void Process::after_fork() {
  number_ = syscall(SYS_getpid);
  start_tick_ = Clock::now();
  handles_.after_fork();
  lanes_lock_.reset();
  directory_lock_.reset();
  compressing_.reset();
  for (SpinLock* const lock : spin_locks_)
    if (lock != nullptr) lock->reset();
  free_count_ = 0;
  lane_count_ = 0;
}

Lane* Process::make_lane(std::uint32_t lane_number, std::int64_t process, Tick process_start) {
  auto* const memory = static_cast<std::byte*>(map_memory(kAllBytes));
  if (memory == nullptr) return nullptr;
  Lane* const lane = new (memory) Lane;
  lane->tables_ = new (memory + kLaneBytes) Lane::Tables;
  lane->views_ = reinterpret_cast<Lane::View*>(memory + kLaneBytes + kTableBytes);
  if (lane->start(lane_number, process, process_start)) return lane;
  unmap_memory(memory, kAllBytes);
  return nullptr;
}

void Process::discard(Lane* lane) {
  unmap_memory(lane->header_, live::kHeaderBytes + live::kTailBytes);
  unmap_memory(lane, kAllBytes);
}

void Process::map_losses() {
  char path[4096 + 16];
  char* at = path;
  for (const std::string_view part : {std::string_view(settings_.directory()), std::string_view("/"),
                                      live::kFolder, std::string_view("/"), live::kLossFile}) {
    std::memcpy(at, part.data(), part.size());
    at += part.size();
  }
  *at = '\0';
  const long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  void* const memory = reinterpret_cast<void*>(
      syscall(SYS_mmap, nullptr, sizeof *lost_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L));
  syscall(SYS_close, fd);
  if (memory != MAP_FAILED) lost_ = static_cast<std::atomic<std::uint64_t>*>(memory);
}

Lane* Process::take_lane() {
  const Locked locked(lanes_lock_);
  // Where there was no room, there is none at the next call either: now and then it is tried again.
  constexpr std::uint32_t kTryEvery = 1000;
  if (free_count_ == 0 && --tries_left_ > 0) return nullptr;
  tries_left_ = 1;
  Lane* lane = nullptr;
  if (free_count_ > 0) {
    lane = free_lanes_[--free_count_];
  } else {
    lane = make_lane(lane_count_, number_, start_tick_);
    if (lane == nullptr) {
      tries_left_ = kTryEvery;
      return nullptr;
    }
    ++lane_count_;
  }
  if (have_key) pthread_setspecific(end_of_thread, lane);
  return lane;
}

void Process::give_back(Lane* lane) {
  const Locked locked(lanes_lock_);
  if (free_count_ < kLanes) free_lanes_[free_count_++] = lane;
}

std::size_t Process::copy_directory(char* to, std::size_t room) {
  const Locked locked(directory_lock_);
  const std::size_t length = directory_length_ < room ? directory_length_ : room;
  std::memcpy(to, directory_, length);
  return length;
}

void Process::directory_changed() {
  const Locked locked(directory_lock_);
  const long length = syscall(SYS_getcwd, directory_, sizeof directory_);
  directory_length_ = length > 0 ? static_cast<std::size_t>(length) - 1 : 0;
  directory_generation_.fetch_add(1, std::memory_order_release);
}

// Times hardly repeat, and to look for what does takes longer than all else that a record costs: with them
// words are only shortened.
Process::Compressed Process::compress(const void* bytes, std::size_t size) {
  auto* const out = static_cast<std::byte*>(workspace_) + workspace_bytes_;
  if (settings_.timed()) {
    const std::size_t packed =
        trace::pack_words({static_cast<const std::uint32_t*>(bytes), size / sizeof(std::uint32_t)}, out);
    return packed < size ? Compressed{out, packed, false} : Compressed{bytes, size, true};
  }
  ZSTD_CCtx* const context = ZSTD_initStaticCCtx(workspace_, workspace_bytes_);
  if (context != nullptr) {
    const std::size_t packed = ZSTD_compressCCtx(context, out, kPackedBytes, bytes, size, kLevel);
    if (ZSTD_isError(packed) == 0 && packed < size) return {out, packed, false};
  }
  return {bytes, size, true};
}

std::uint64_t Process::memory_per_lane() const {
  const std::uint64_t lanes = lane_count_ > 0 ? lane_count_ : 1;
  return settings_.memory() / lanes;
}

}  // namespace weir::capture
