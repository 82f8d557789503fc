#include "capture/lane.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/checksum.hpp"
#include "capture/completing.hpp"
#include "capture/memory.hpp"
#include "capture/process.hpp"
#include "capture/system.hpp"
#include "intercept/guard.hpp"
#include "trace/word_pack.hpp"

// The life of a lane: how a thread gets one, how its tail is sealed, what happens to it around vfork and
// longjmp.
namespace weir::capture {

[[gnu::tls_model("initial-exec")]] thread_local constinit Lane* Lane::thread_lane = nullptr;
[[gnu::tls_model("initial-exec")]] thread_local constinit bool Lane::left_out = false;

[[gnu::tls_model("initial-exec")]] thread_local constinit bool completing = false;

namespace live = trace::live;
using live::Definition;
using live::HeaderWord;

Lane* Lane::prepare() {
  if (left_out) return nullptr;
  const SignalsBlocked blocked;
  Process& process = Process::current();
  if (!process.recording()) return nullptr;
  Lane* lane = thread_lane;
  if (lane != nullptr && lane->alive_ != kAlive) {
    process.after_fork();
    lane = nullptr;
  }
  if (lane != nullptr && lane->watched_) lane = after_vfork(lane);
  if (lane == nullptr) {
    left_out = process.library_threads().has(static_cast<pid_t>(syscall(SYS_gettid)));
    if (left_out) return nullptr;
    lane = process.take_lane();
    if (lane == nullptr) return nullptr;
    thread_lane = lane;
    lane->adopt();
    process.threads().begun(pthread_self());  // it may end before its maker can ask
  }
  if (lane->busy_) lane->mend();
  if (lane->crowded_) lane->restart();
  const auto has_room = [&] { return lane->used_ + kMostRecordWords <= lane->capacity_ || lane->seal(); };
  if (!has_room()) return nullptr;
  if (lane->vfork_.child == 0) return lane;
  lane->record_vfork();
  if (lane->crowded_) lane->restart();
  return has_room() ? lane : nullptr;
}

void Lane::count_lost() {
  if (left_out) return;
  const Lane* const lane = thread_lane;
  if (lane != nullptr && lane->alive_ == kAlive)
    lane->header(HeaderWord::lost).fetch_add(1, std::memory_order_relaxed);
  else
    Process::current().count_lost();
}

void Lane::release() {
  const SignalsBlocked blocked;
  Lane* const lane = thread_lane;
  thread_lane = nullptr;
  if (lane != nullptr && lane->alive_ == kAlive) Process::current().give_back(lane);
}

void Lane::before_vfork() {
  // A lane that is watched already is a child's, or the parent's that has not gone on yet.
  if ((thread_lane == nullptr || thread_lane->watched_) && Process::current().settings().traces(Layer::posix))
    static_cast<void>(prepare());
  Lane* const lane = thread_lane;
  if (lane == nullptr || lane->alive_ != kAlive) return;
  lane->watched_ = true;
  lane->vfork_ = {Clock::now(), {}, 0, Guard::current().depth()};
}

void Lane::record_vfork() {
  Draft draft;
  draft.begin(static_cast<std::uint32_t>(Call::vfork), vfork_.depth, 0);
  draft.result = vfork_.child;
  draft.put_result(trace::Encoding::column);
  draft.columns = true;
  const std::uint32_t symbol = symbol_of(draft);
  begin_change();
  append(symbol, draft, vfork_.begin, vfork_.end);
  vfork_.child = 0;
}

// `lane` is the parent's, or a child's that the parent finds here when it goes on.
Lane* Lane::after_vfork(Lane* lane) {
  Process& process = Process::current();
  const std::int64_t here = syscall(SYS_getpid);
  if (lane->parent_lane_ != nullptr && lane->process_ != here) {
    Lane* const parent = lane->parent_lane_;
    if (parent->process_ == here && process.settings().traces(Layer::posix)) {
      parent->vfork_.end = lane->last_end_;
      parent->vfork_.child = lane->process_;
    }
    process.discard(lane);
    lane = parent;
    thread_lane = parent;
  }
  if (lane->process_ == here) {
    if (lane->parent_lane_ == nullptr) lane->watched_ = false;
    return lane;
  }
  Lane* const child = process.make_lane(0, here, Clock::now());
  if (child == nullptr) return lane;  // better in the wrong place than nowhere
  child->parent_lane_ = lane;
  child->watched_ = true;
  child->adopt();
  thread_lane = child;
  return child;
}

bool Lane::wants(std::string_view path, int directory) {
  const Settings& settings = Process::current().settings();
  char* const scratch = tables_->scratch;
  if (path.starts_with('/')) {
    if (path.size() > sizeof tables_->scratch) return true;
    std::memcpy(scratch, path.data(), path.size());
    return settings.wants({scratch, normalize(scratch, path.size())});
  }
  std::size_t length = 0;
  if (directory == AT_FDCWD) {
    length = Process::current().copy_directory(scratch, 4096);
  } else {
    length = name_of_descriptor(directory, scratch);
  }
  if (length + 1 + path.size() > sizeof tables_->scratch) return true;
  scratch[length++] = '/';
  std::memcpy(scratch + length, path.data(), path.size());
  return settings.wants({scratch, normalize(scratch, length + path.size())});
}

bool Lane::wants(int descriptor) {
  const std::size_t length = name_of_descriptor(descriptor, tables_->scratch);
  const std::string_view name(tables_->scratch, length);
  return name.starts_with('/') ? Process::current().settings().wants(name)
                               : Process::current().settings().wants_nameless();
}

bool Lane::start(std::uint32_t number, std::int64_t process_number, Tick process_start) {
  const Process& process = Process::current();
  process_ = process_number;
  number_ = number;
  timed_ = process.settings().timed();
  char* at = put_text(path_, process.settings().directory());
  at = put_text(at, "/");
  at = put_text(at, live::kFolder);
  at = put_text(at, "/");
  // Sixteen digits, so that names sort by time.
  char digits[20];
  const auto length = static_cast<std::size_t>(put_number(digits, process_start.count, 16) - digits);
  for (std::size_t i = length; i < 16; ++i) *at++ = '0';
  at = put_text(at, {digits, length});
  at = put_text(at, "-");
  at = put_number(at, static_cast<std::uint64_t>(process_));
  at = put_text(at, "-");
  at = put_number(at, number);
  at = put_text(at, live::kSuffix);
  *at = '\0';
  if (!map_file()) return false;

  signatures_.use(&tables_->signatures);
  texts_.use(&tables_->texts);
  templates_.use(&tables_->templates);
  last_symbol_ = SignatureTable::kNone;
  state_ = &header(HeaderWord::state);
  capacity_ = live::kTailWords;
  file_end_ = live::kHeaderBytes + live::kTailBytes;

  const auto set = [&](HeaderWord word, std::uint64_t value) {
    header(word).store(value, std::memory_order_relaxed);
  };
  const auto reading = Calibration::Reading::take();
  set(HeaderWord::version, live::kVersion | (timed_ ? live::kTimed : 0));
  set(HeaderWord::process, static_cast<std::uint64_t>(process_));
  set(HeaderWord::parent, static_cast<std::uint64_t>(syscall(SYS_getppid)));
  set(HeaderWord::lane, number);
  set(HeaderWord::calls, live::kCallTable);
  set(HeaderWord::start_tick, process_start.count);
  set(HeaderWord::first_tick, reading.tick.count);
  set(HeaderWord::first_monotonic, static_cast<std::uint64_t>(reading.monotonic.count));
  set(HeaderWord::first_wall, static_cast<std::uint64_t>(Clock::wall().count));
  set(HeaderWord::last_tick, reading.tick.count);
  set(HeaderWord::last_monotonic, static_cast<std::uint64_t>(reading.monotonic.count));
  header(HeaderWord::magic).store(live::kMagic, std::memory_order_release);
  last_end_ = process_start;
  alive_ = kAlive;
  define_clock();
  if (number == 0) define_process();
  return true;
}

bool Lane::map_file() {
  const long fd = syscall(SYS_openat, AT_FDCWD, path_, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  constexpr std::size_t bytes = live::kHeaderBytes + live::kTailBytes;
  void* memory = MAP_FAILED;
  if (reserve(static_cast<int>(fd), bytes))
    memory = reinterpret_cast<void*>(
        syscall(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L));
  if (memory == MAP_FAILED) syscall(SYS_unlinkat, AT_FDCWD, path_, 0);
  syscall(SYS_close, fd);
  if (memory == MAP_FAILED) return false;
  // A forked child gets its own lane and must not reach this one.
  syscall(SYS_madvise, memory, bytes, MADV_DONTFORK);
  header_ = static_cast<std::atomic<std::uint64_t>*>(memory);
  tail_ = reinterpret_cast<std::uint32_t*>(static_cast<std::byte*>(memory) + live::kHeaderBytes);
  return true;
}

void Lane::adopt() {
  struct {
    std::uint64_t thread;
  } const who{static_cast<std::uint64_t>(syscall(SYS_gettid))};
  char name[16] = {};
  syscall(SYS_prctl, 16 /* PR_GET_NAME */, name, 0L, 0L, 0L);
  define(Definition::thread, &who, sizeof who, std::string_view(name, strnlen(name, sizeof name)));
  passed_ = Guard::current().passed();
}

// A longjmp left a record half made: neither side can know what of it counts.
void Lane::mend() {
  for (std::uint32_t id = 0; id < most_views_; ++id) views_[id].end = 0;
  std::memset(tables_->last_numbers, 0, sizeof tables_->last_numbers[0] * templates_.size());
  define(Definition::reset, nullptr, 0);
  define_clock();
  busy_ = false;
}

bool Lane::seal() {
  if (stopped_) return false;
  if (patience_ > 0) {
    --patience_;
    return false;
  }
  Process& process = Process::current();
  const Locked locked(process.compressing());
  const std::size_t raw = std::size_t{used_} * sizeof *tail_;
  const auto packed = process.compress(tail_, raw);
  using trace::FramePacking;
  const FramePacking how = packed.plain ? FramePacking::plain
                           : timed_     ? FramePacking::words
                                        : FramePacking::zstd;
  const live::FrameHeader frame{
      live::kFrameMagic,
      static_cast<std::uint32_t>(batch_),
      static_cast<std::uint32_t>(raw),
      static_cast<std::uint32_t>(packed.size),
      checksum({static_cast<const std::byte*>(packed.bytes), packed.size}),
      static_cast<std::uint64_t>(how),
  };
  const long fd = syscall(SYS_openat, AT_FDCWD, path_, O_WRONLY | O_CLOEXEC);
  const int reason = errno;
  bool written = fd >= 0;
  if (written) {
    written = write_at(static_cast<int>(fd), &frame, sizeof frame, file_end_) &&
              write_at(static_cast<int>(fd), packed.bytes, packed.size, file_end_ + sizeof frame);
    if (!written) syscall(SYS_ftruncate, fd, file_end_);
    syscall(SYS_close, fd);
  }
  if (!written) {
    // Descriptors come back, space mostly does not; either way the program goes on.
    constexpr std::uint32_t kCallsToWait = 1000;
    if (fd < 0 && (reason == EMFILE || reason == ENFILE))
      patience_ = kCallsToWait;
    else
      stopped_ = true;
    return false;
  }
  file_end_ += sizeof frame + packed.size;
  ++batch_;
  used_ = 0;
  publish();
  const auto reading = Calibration::Reading::take();
  header(HeaderWord::last_tick).store(reading.tick.count, std::memory_order_relaxed);
  header(HeaderWord::last_monotonic)
      .store(static_cast<std::uint64_t>(reading.monotonic.count), std::memory_order_relaxed);
  const std::uint64_t passed = Guard::current().passed();
  header(HeaderWord::unseen).fetch_add(passed - passed_, std::memory_order_relaxed);
  passed_ = passed;
  define_clock();
  return true;
}

void Lane::restart() {
  define(Definition::restart, nullptr, 0);
  signatures_.clear();
  texts_.clear();
  templates_.clear();
  std::memset(tables_->last_numbers, 0, sizeof tables_->last_numbers);
  for (std::uint32_t id = 0; id < most_views_; ++id) views_[id] = {};
  most_views_ = 0;
  directory_generation_ = 0;
  for (KnownName& known : names_) known = {};
  last_symbol_ = SignatureTable::kNone;
  crowded_ = false;
}

}  // namespace weir::capture
