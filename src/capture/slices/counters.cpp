#include "capture/slices/counters.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.hpp"

namespace weir::capture {
namespace {

using namespace trace::slices;
using Word = std::atomic<std::uint64_t>;
static_assert(sizeof(Word) == sizeof(std::uint64_t) && Word::is_always_lock_free);

// The file is as long from the start and sparse: a day of slices of a tenth of a second.
constexpr std::size_t kCapacity = 864'000;
constexpr std::size_t kFileBytes = (kHeadWords + kCapacity * kRecordWords) * sizeof(Word);

// One thread at a time; the others wait for a moment.
class Turn {
 public:
  explicit Turn(std::atomic<std::uint32_t>& busy) : busy_(busy) {
    while (busy_.exchange(1, std::memory_order_acquire) != 0) ::sched_yield();
  }
  ~Turn() { busy_.store(0, std::memory_order_release); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  std::atomic<std::uint32_t>& busy_;
};

// Programs that start others and are no part of what is counted: names apart by commas.
bool is_among(const char* names, const char* own) {
  if (names == nullptr) return false;
  const std::size_t length = std::strcspn(own, ".");  // Debian has mpirun.openmpi and mpiexec.hydra
  for (const char* at = names; at != nullptr; at = std::strchr(at, ',')) {
    if (*at == ',') ++at;
    if (std::strncmp(at, own, length) == 0 && (at[length] == ',' || at[length] == '\0')) return true;
  }
  return false;
}

void put_command(char* into) {
  const int fd = ::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  const ssize_t got = ::read(fd, into, kCommandBytes - 1);
  ::close(fd);
  for (ssize_t i = 0; i + 1 < got; ++i)
    if (into[i] == '\0') into[i] = ' ';
}

}  // namespace

constinit std::atomic<SliceCounters::State*> SliceCounters::state_{nullptr};

bool SliceCounters::start() {
  State* state = state_.load(std::memory_order_acquire);
  if (state == nullptr) {
    constexpr std::size_t kMapped = kStateBytes + sizeof(Descriptors);
    void* const page = ::mmap(nullptr, kMapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return false;
    static_assert(sizeof(State) <= kStateBytes);
    State* const fresh = new (page) State;
    // Without it a child would count in its parent's file: then nothing is counted at all.
    if (::madvise(page, kMapped, MADV_WIPEONFORK) != 0) fresh->off.store(1);
    State* none = nullptr;
    if (state_.compare_exchange_strong(none, fresh)) {
      state = fresh;
    } else {
      ::munmap(page, kMapped);
      state = none;
    }
  }
  if (state->off.load(std::memory_order_relaxed) != 0) return false;
  const Turn turn(state->busy);
  if (state->words.load(std::memory_order_acquire) != nullptr) return true;
  if (!open_file(*state)) state->off.store(1);
  return state->off.load() == 0;
}

bool SliceCounters::open_file(State& state) {
  const char* const directory = std::getenv("WEIR_SLICES_DIR");
  const char* const length = std::getenv("WEIR_SLICES_NS");
  if (directory == nullptr || length == nullptr) return false;
  if (is_among(std::getenv("WEIR_SLICES_NOT_IN"), program_invocation_short_name)) return false;
  const std::int64_t slice_ns_given = std::strtoll(length, nullptr, 10);
  if (slice_ns_given < 1'000'000) return false;
  char host_name[kHostBytes] = {};
  ::gethostname(host_name, sizeof host_name - 1);
  const std::int64_t now = Clock::wall().count;
  char path[PATH_MAX];
  // Numbers of processes come again, and exec keeps them.
  const int written =
      std::snprintf(path, sizeof path, "%s/%s.%d.%lld%s", directory, host_name, static_cast<int>(::getpid()),
                    static_cast<long long>(now), kSuffix.data());
  if (written <= 0 || static_cast<std::size_t>(written) >= sizeof path) return false;
  const int fd = ::open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return false;
  void* map = MAP_FAILED;
  if (::ftruncate(fd, static_cast<off_t>(kFileBytes)) == 0)
    map = ::mmap(nullptr, kFileBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  ::close(fd);
  if (map == MAP_FAILED) {
    ::unlink(path);
    return false;
  }
  Word* const words = static_cast<Word*>(map);
  std::memcpy(static_cast<char*>(map) + Head::host * sizeof(Word), host_name, sizeof host_name);
  put_command(static_cast<char*>(map) + Head::command * sizeof(Word));
  words[Head::version].store(kVersion);
  words[Head::slice_ns].store(static_cast<std::uint64_t>(slice_ns_given));
  words[Head::started_ns].store(static_cast<std::uint64_t>(now));
  words[Head::process].store(static_cast<std::uint64_t>(::getpid()));
  words[Head::parent].store(static_cast<std::uint64_t>(::getppid()));
  words[Head::capacity].store(kCapacity);
  words[Head::magic].store(kMagic);
  state.slice_ns = slice_ns_given;
  state.next_ns.store(0);
  state.words.store(words, std::memory_order_release);
  return true;
}

void SliceCounters::advance(State& state, std::int64_t now_ns) {
  const Turn turn(state.busy);
  if (now_ns < state.next_ns.load(std::memory_order_relaxed)) return;
  Word* const words = state.words.load(std::memory_order_relaxed);
  const std::uint64_t number = words[Head::used].load(std::memory_order_relaxed);
  const std::int64_t begin = now_ns / state.slice_ns * state.slice_ns;
  if (number >= kCapacity) {
    words[Head::lost].fetch_add(1, std::memory_order_relaxed);
    state.record.store(nullptr, std::memory_order_release);
  } else {
    Word* const record = words + kHeadWords + number * kRecordWords;
    record[0].store(static_cast<std::uint64_t>(begin), std::memory_order_relaxed);
    words[Head::used].store(number + 1, std::memory_order_release);
    state.record.store(record, std::memory_order_release);
  }
  state.next_ns.store(begin + state.slice_ns, std::memory_order_release);
}

bool SliceCounters::look_at(int fd, Descriptor& known) {
  struct stat seen {};
  const bool file =
      ::fstat(fd, &seen) == 0 && (S_ISREG(seen.st_mode) || S_ISBLK(seen.st_mode)) && SliceScope::holds(fd);
  known.is(file ? Descriptor::file : Descriptor::other);
  return file;
}

}  // namespace weir::capture
