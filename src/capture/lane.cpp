#include "capture/lane.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/checksum.hpp"
#include "capture/memory.hpp"
#include "capture/process.hpp"
#include "intercept/guard.hpp"

namespace weir::capture {

[[gnu::tls_model("initial-exec")]] thread_local constinit Lane* Lane::thread_lane = nullptr;

namespace {

namespace live = trace::live;
using live::Definition;
using live::HeaderWord;
using trace::Encoding;

constexpr std::size_t kLongestText = 16 * 1024;
constexpr std::uint16_t kMostPerSize = 128;  // signatures that differ only in positions
constexpr std::uint16_t kMostPerCall = 512;  // signatures that differ only in positions and sizes

// "name<number>" without the C library's formatting.
char* put_text(char* at, std::string_view text) {
  std::memcpy(at, text.data(), text.size());
  return at + text.size();
}
char* put_number(char* at, std::uint64_t number, int base = 10) {
  return std::to_chars(at, at + 20, number, base).ptr;
}

// The program's limit on the size of files holds for ours too, and comes with a signal that would end the
// program. To be called with signals blocked.
void take_back_signal() {
  const std::uint64_t signals = std::uint64_t{1} << (SIGXFSZ - 1);
  const timespec at_once{};
  syscall(SYS_rt_sigtimedwait, &signals, nullptr, &at_once, sizeof signals);
}

bool write_all(int fd, const void* bytes, std::size_t size, std::uint64_t at) {
  const auto* from = static_cast<const char*>(bytes);
  while (size > 0) {
    const long written = syscall(SYS_pwrite64, fd, from, size, at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EFBIG) take_back_signal();
    if (written <= 0) return false;
    from += written;
    size -= static_cast<std::size_t>(written);
    at += static_cast<std::uint64_t>(written);
  }
  return true;
}

// Space that is really there: a mapped page without it would end the program with SIGBUS.
bool reserve(int fd, std::size_t bytes) {
  if (syscall(SYS_fallocate, fd, 0, 0L, bytes) == 0) return true;
  if (errno == EFBIG) {
    take_back_signal();
    return false;
  }
  if (errno != EOPNOTSUPP && errno != ENOSYS) return false;
  static constexpr char zeros[16 * 1024] = {};
  for (std::size_t at = 0; at < bytes; at += sizeof zeros)
    if (!write_all(fd, zeros, std::min(sizeof zeros, bytes - at), at)) return false;
  return true;
}

// The name behind a descriptor, up to 4096 bytes; its length.
std::size_t name_of_descriptor(int descriptor, char* to) {
  char link[40];
  char* const end = put_number(put_text(link, "/proc/self/fd/"), static_cast<std::uint64_t>(descriptor));
  *end = '\0';
  const long found = syscall(SYS_readlinkat, AT_FDCWD, link, to, 4096L);
  return found > 0 ? static_cast<std::size_t>(found) : 0;
}

// Takes ".", ".." and doubled slashes out of an absolute name, by letters alone; its new length.
std::size_t normalized(char* name, std::size_t length) {
  std::size_t to = 0;
  for (std::size_t at = 0; at < length;) {
    std::size_t end = at + 1;  // name[at] is a slash
    while (end < length && name[end] != '/') ++end;
    const std::string_view part(name + at + 1, end - at - 1);
    if (part == "..") {
      while (to > 0 && name[--to] != '/') {
      }
    } else if (!part.empty() && part != ".") {
      std::memmove(name + to, name + at, end - at);
      to += end - at;
    }
    at = end;
  }
  if (to == 0) name[to++] = '/';
  return to;
}

live::HandleKind kind_of(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG:
      return live::HandleKind::file;
    case S_IFDIR:
      return live::HandleKind::directory;
    case S_IFIFO:
      return live::HandleKind::pipe;
    case S_IFSOCK:
      return live::HandleKind::socket;
    case S_IFCHR:
    case S_IFBLK:
      return live::HandleKind::device;
    default:
      return live::HandleKind::other;
  }
}

}  // namespace

Lane* Lane::prepare() {
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
    lane = process.take_lane();
    if (lane == nullptr) return nullptr;
    thread_lane = lane;
    lane->adopt();
  }
  if (lane->busy_) lane->mend();
  if (lane->crowded_) lane->restart();
  if (lane->used_ + kMostRecordWords > lane->capacity_ && !lane->seal()) return nullptr;
  return lane;
}

void Lane::count_lost() {
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
  if (Lane* const lane = thread_lane; lane != nullptr && lane->alive_ == kAlive) lane->watched_ = true;
}

// `lane` is the parent's, or a child's that the parent finds here when it goes on.
Lane* Lane::after_vfork(Lane* lane) {
  Process& process = Process::current();
  const std::int64_t here = syscall(SYS_getpid);
  if (lane->parent_lane_ != nullptr && lane->process_ != here) {
    Lane* const parent = lane->parent_lane_;
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
    return settings.wants({scratch, normalized(scratch, path.size())});
  }
  std::size_t length = 0;
  if (directory == AT_FDCWD) {
    const std::string_view here = Process::current().directory();
    length = std::min<std::size_t>(here.size(), 4096);
    std::memcpy(scratch, here.data(), length);
  } else {
    length = name_of_descriptor(directory, scratch);
  }
  if (length + 1 + path.size() > sizeof tables_->scratch) return true;
  scratch[length++] = '/';
  std::memcpy(scratch + length, path.data(), path.size());
  return settings.wants({scratch, normalized(scratch, length + path.size())});
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
  Process& process = Process::current();
  const Locked locked(process.compressing());
  const std::size_t raw = std::size_t{used_} * sizeof *tail_;
  const auto packed = process.compress(tail_, raw);
  const live::FrameHeader frame{
      live::kFrameMagic,
      static_cast<std::uint32_t>(batch_),
      static_cast<std::uint32_t>(raw),
      static_cast<std::uint32_t>(packed.size),
      checksum({static_cast<const std::byte*>(packed.bytes), packed.size}),
      packed.plain ? std::uint64_t{1} : 0,
  };
  const long fd = syscall(SYS_openat, AT_FDCWD, path_, O_WRONLY | O_CLOEXEC);
  bool written = fd >= 0;
  if (written) {
    written = write_all(static_cast<int>(fd), &frame, sizeof frame, file_end_) &&
              write_all(static_cast<int>(fd), packed.bytes, packed.size, file_end_ + sizeof frame);
    if (!written) syscall(SYS_ftruncate, fd, file_end_);
    syscall(SYS_close, fd);
  }
  if (!written) {
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
  last_symbol_ = SignatureTable::kNone;
  crowded_ = false;
}

void Lane::check_crowded() {
  // One record needs at most a few texts, templates and signatures.
  const std::size_t bytes = signatures_.bytes_used() + (texts_.size() + templates_.size()) * 64;
  crowded_ = texts_.size() + 32 > TextTable::kMostTexts || templates_.size() + 8 > TextTable::kMostTexts ||
             !signatures_.has_room(4 * SignatureTable::kLongest) ||
             signatures_.size() + 8 > SignatureTable::kMostSignatures ||
             (bytes > Process::current().memory_per_lane() && signatures_.size() > 64);
}

void Lane::define(Definition type, const void* first, std::size_t first_bytes, std::string_view rest) {
  if (stopped_) return;
  const std::size_t bytes = first_bytes + rest.size();
  const std::size_t words = 1 + (bytes + 3) / 4;
  if (used_ + words + kMostRecordWords > capacity_ && !seal()) return;
  std::uint32_t* const at = tail_ + used_;
  *at = live::definition_word(type, static_cast<std::uint32_t>(bytes));
  at[words - 1] = words > 1 ? 0 : *at;
  auto* const to = reinterpret_cast<char*>(at + 1);
  if (first_bytes > 0) std::memcpy(to, first, first_bytes);
  if (!rest.empty()) std::memcpy(to + first_bytes, rest.data(), rest.size());
  used_ += static_cast<std::uint32_t>(words);
  publish();
}

void Lane::define_clock() { define(Definition::clock, &last_end_.count, sizeof last_end_.count); }

void Lane::define_process() {
  char* const scratch = tables_->scratch;
  constexpr std::size_t room = sizeof tables_->scratch;
  std::size_t used = 0;
  const auto put = [&](auto&& fill) {
    std::uint32_t length = 0;
    if (used + sizeof length <= room) {
      length = static_cast<std::uint32_t>(fill(scratch + used + sizeof length, room - used - sizeof length));
      std::memcpy(scratch + used, &length, sizeof length);
      used += sizeof length + length;
    }
  };
  const auto read_link = [](const char* path, char* to, std::size_t most) {
    const long length = syscall(SYS_readlinkat, AT_FDCWD, path, to, std::min<std::size_t>(most, 4096));
    return length > 0 ? static_cast<std::size_t>(length) : std::size_t{0};
  };
  put([&](char* to, std::size_t most) { return read_link("/proc/self/exe", to, most); });
  put([&](char* to, std::size_t most) {
    const std::string_view directory = Process::current().directory();
    const std::size_t length = std::min(most, directory.size());
    std::memcpy(to, directory.data(), length);
    return length;
  });
  put([&](char* to, std::size_t most) {
    const long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return std::size_t{0};
    const long length = syscall(SYS_read, fd, to, most > 128 ? most - 128 : 0);
    syscall(SYS_close, fd);
    return length > 0 ? static_cast<std::size_t>(length) : std::size_t{0};
  });
  put([&](char* to, std::size_t most) {
    if (most < 65 || gethostname(to, 64) != 0) return std::size_t{0};
    return strnlen(to, 64);
  });
  define(Definition::process, scratch, used);
}

void Lane::define_directory() {
  directory_generation_ = Process::current().directory_generation();
  define(Definition::directory, nullptr, 0, Process::current().directory());
}

void Lane::introduce(Handle handle, int descriptor, const char* name) {
  const SignalsBlocked blocked;
  live::HandleDefinition about{};
  about.id = handle.id;
  about.descriptor = descriptor;
  char* const scratch = tables_->scratch;
  std::size_t length = 0;
  if (descriptor >= 0) {
    struct stat seen {};
    if (syscall(SYS_newfstatat, descriptor, "", &seen, AT_EMPTY_PATH) == 0) {
      about.kind = static_cast<std::uint32_t>(kind_of(seen.st_mode));
      about.device = seen.st_dev;
      about.inode = seen.st_ino;
    }
    const long flags = syscall(SYS_fcntl, descriptor, F_GETFL);
    about.flags = flags >= 0 ? static_cast<std::uint32_t>(flags) : 0;
    const long position = syscall(SYS_lseek, descriptor, 0L, SEEK_CUR);
    about.position = position >= 0 ? position : 0;
    length = name_of_descriptor(descriptor, scratch);
  } else if (name != nullptr) {
    length = std::min<std::size_t>(std::strlen(name), 4096);
    std::memcpy(scratch, name, length);
  }
  define(Definition::handle, &about, sizeof about, {scratch, length});
  views_[handle.id] = {about.position, handle.generation};
  most_views_ = std::max(most_views_, handle.id + 1);
}

void Lane::surprise(int descriptor) {
  const SignalsBlocked blocked;
  define(Definition::surprise, &descriptor, sizeof descriptor);
}

std::uint32_t Lane::number_of_text(std::string_view text) {
  if (text.size() > kLongestText) text = text.substr(0, kLongestText);
  std::uint32_t number = texts_.find(text);
  if (number != TextTable::kNone) return number;
  const SignalsBlocked blocked;
  define(Definition::text, nullptr, 0, text);
  number = texts_.add(text);
  check_crowded();
  return number;
}

void Lane::put_path(std::string_view name, Draft& draft) {
  if (directory_generation_ != Process::current().directory_generation() && !name.starts_with('/')) {
    const SignalsBlocked blocked;
    define_directory();
  }
  trace::NameTemplate& split = tables_->name;
  const std::int64_t process = process_;
  std::uint32_t number = TextTable::kNone;
  split.split(name, process, true);
  if (split.has_numbers_to_widen()) {
    number = templates_.find(split.bytes());
    if (number == TextTable::kNone) split.split(name, process, false);
  }
  if (number == TextTable::kNone) number = templates_.find(split.bytes());
  if (number == TextTable::kNone) {
    const SignalsBlocked blocked;
    define(Definition::name_template, nullptr, 0, split.bytes());
    number = templates_.add(split.bytes());
    check_crowded();
  }
  draft.words[draft.count++] = number;
  Draft::Name& kept = draft.names[draft.name_count++];
  kept.name_template = number;
  kept.numbers = static_cast<std::uint32_t>(split.numbers().size());
  for (std::size_t i = 0; i < kept.numbers; ++i) {
    kept.values[i] = split.numbers()[i];
    draft.words[draft.count++] =
        static_cast<std::uint64_t>(kept.values[i] - tables_->last_numbers[number][i]);
  }
}

std::uint32_t Lane::add_signature(const Draft& draft) {
  const SignalsBlocked blocked;
  define(Definition::signature, draft.words, draft.count * sizeof draft.words[0]);
  const std::uint32_t number = signatures_.add(draft.words, draft.count);
  check_crowded();
  return number;
}

// Not what came last time. A call whose values went to the columns before most likely does so again: then
// only a few signatures are looked at, which lie in the cache, and not a place in a large table. Now and then
// it is looked up as it is, in case the program has become regular.
std::uint32_t Lane::unforeseen_symbol_of(Draft& draft) {
  std::uint8_t& holes = holes_[draft.function()];
  if (holes != kExact && (++misses_ & 63) != 0) {
    Draft holed;
    draft.holed(holes == kSizes, holed);
    std::uint32_t found = signatures_.guess(holed.words, holed.count, last_symbol_);
    if (found == SignatureTable::kNone) found = signatures_.find(holed.words, holed.count);
    if (found != SignatureTable::kNone) {
      draft.assign(holed);
      return found;
    }
  }
  holes = kExact;
  const std::uint32_t found = signatures_.find(draft.words, draft.count);
  return found != SignatureTable::kNone ? found : new_symbol_of(draft);
}

// A loop whose offsets advance evenly has one signature; one that jumps about would have as many as calls.
// So only so many signatures are made of calls that differ in a position alone, or in positions and sizes;
// beyond that the values that differ go to the columns.
std::uint32_t Lane::new_symbol_of(Draft& draft) {
  Draft sizes;
  draft.holed(true, sizes);
  if (sizes.count == draft.count) return add_signature(draft);  // nothing in it can change
  const std::uint32_t all = signatures_.pattern_of(sizes.words, sizes.count);
  const bool few = signatures_.count_of(all) < kMostPerCall;

  Draft positions;
  draft.holed(false, positions);
  const bool has_positions = positions.count != draft.count;
  Draft* best = &draft;
  if (has_positions) {
    const std::uint32_t same_size = signatures_.pattern_of(positions.words, positions.count);
    if (!few || signatures_.count_of(same_size) >= kMostPerSize) {
      best = &positions;
    } else {
      signatures_.one_more_of(same_size);
    }
  }
  if (best != &draft || !few) {
    std::uint32_t found = SignatureTable::kNone;
    if (best != &draft) found = signatures_.find(positions.words, positions.count);
    if (found == SignatureTable::kNone && !few) {
      best = &sizes;
      found = signatures_.find(sizes.words, sizes.count);
    }
    if (best != &draft) holes_[draft.function()] = best == &sizes ? kSizes : kPositions;
    draft.assign(*best);
    if (found != SignatureTable::kNone) return found;
  }
  signatures_.one_more_of(all);
  return add_signature(draft);
}

}  // namespace weir::capture
