#pragma once

// What all proxy applications have in common. `weir proxy` puts this text at the head of the program it
// writes, and `weir replay` is compiled with it: so it needs nothing but the C library.

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <deque>
#include <initializer_list>
#include <mutex>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace weir_proxy {

using i64 = std::int64_t;

struct Stream;

// Something that must be there before the program begins: what it opens without having made it.
struct Need {
  enum Kind : char { directory, file, link };
  Kind kind;
  const char* path;      // as the program knew it, absolute
  i64 size;              // of a file; of a link the length of its target
  const i64* line_ends;  // where a file has a newline, for those that read it line by line
  std::size_t lines;
};

// What happens in a stream beside its calls, before the call of this number.
struct Action {
  enum Kind : char {
    set_end,     // offsets of handle `id` are counted from `value`
    set_number,  // number `part` of name template `id` was `value`
    inherit,     // handle `id` was not opened by the program: descriptor `value`, file `name` where it is one
    publish,     // handle `id`, just opened, is used by other streams too: they know it as `part`
    take,        // what another stream published as `part` is handle `id` here
    release,     // this stream no longer uses what it took as `part`
    await_released,  // `value` streams must have released `part`
    start,           // stream `id` begins
    join,            // stream `id` has ended
    child,           // the next fork makes process `id` of the plan
  };
  i64 before;
  Kind kind;
  int id;
  int part;
  i64 value;
  const char* name;
};

struct Column {
  int slot;
  const i64* values;
  i64 count;
};

struct StreamPlan {
  void (*run)(Stream&);
  const Column* columns;
  int column_count;
  const Action* actions;
  int action_count;
};

struct ProcessPlan {
  i64 rank;
  i64 world_size;
  const char* directory;
  const StreamPlan* streams;
  int stream_count;
  const int* own_slots;  // values of words that follow no rule
  const i64* own_words;
  int own_count;
};

struct Plan {
  const ProcessPlan* processes;
  int process_count;
  const Need* needs;
  int need_count;
  const char* const* templates;
  const std::size_t* template_lengths;
  int template_count;
  const char* const* calls;  // what each signature is, for people
  int handles;               // symbolic ids are below this
  int shared_handles;        // by several streams of a process
  int column_slots;
  int own_slots;
  i64 filled;  // bytes of written data that are not zero
};

struct Options {
  std::string root;
  bool original = false;
  bool output = false;
  double think = 0;  // factor on the recorded gaps
};

// An open file, stream or directory, by the number it had in the recorded program.
struct Handle {
  int fd = -1;
  FILE* stream = nullptr;
  DIR* directory = nullptr;
  bool own = false;       // opened by a call of the program
  bool left_out = false;  // its calls are not made
};

// One that several streams use.
struct SharedHandle {
  Handle handle;
  std::atomic<bool> published{false};
  std::atomic<i64> released{0};
};

// The process. Everything it does for itself goes past the C library, by raw system calls: whoever traces a
// proxy sees the calls of the recorded program and no others.
struct World {
  Options options;
  const Plan* plan = nullptr;
  const ProcessPlan* process = nullptr;
  i64 rank = 0;
  std::atomic<bool> outside{false};  // before MPI_Init or after MPI_Finalize
  int report_to = 2;
  int depth = 0;  // of the working directory, below the root
  std::deque<SharedHandle> shared;
  std::vector<std::thread> threads;
  std::vector<std::vector<i64>> mappings;  // recorded address, length, real address
  std::mutex lock;
  char* source = nullptr;   // what is written comes from here
  char* sink = nullptr;     // what is read goes there
  char* windows = nullptr;  // memory that others may look into
  std::atomic<i64> calls{0};
  std::atomic<i64> differing{0};
  std::vector<std::string> told;
  std::vector<i64> children;
};

inline World world;

constexpr std::size_t kOutBytes = std::size_t{1} << 24;  // for each argument that a call writes to
constexpr int kOutArguments = 28;

// Memory that costs nothing until it is used.
inline char* reserve(std::size_t bytes) {
  void* const made = reinterpret_cast<void*>(syscall(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE,
                                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  return made == MAP_FAILED ? nullptr : static_cast<char*>(made);
}

inline char* reserve_most() {
  for (std::size_t bytes = std::size_t{1} << 38; bytes >= (1U << 24); bytes /= 2)
    if (char* const made = reserve(bytes)) return made;
  return nullptr;
}

inline void say(const std::string& text) { syscall(SYS_write, world.report_to, text.data(), text.size()); }

[[noreturn]] inline void stop(const std::string& why) {
  say("proxy: " + why + "\n");
  syscall(SYS_exit_group, 2);
  __builtin_unreachable();
}

// A thread of the recorded program: where its handles' last accesses ended, the last numbers of its file
// names, what is still to come of the values that do not repeat.
struct Stream {
  static constexpr int kNumbers = 6;
  static constexpr i64 kNoHandle = (1 << 20) - 1;

  explicit Stream(const StreamPlan& plan);

  const StreamPlan* plan;
  const Action* action;
  const Action* last_action;
  i64 made = 0;  // calls so far
  i64 next_action = INT64_MAX;
  std::vector<Handle> handles;
  std::vector<i64> ends;
  std::vector<std::array<i64, kNumbers>> numbers;
  std::vector<const i64*> columns;
  std::vector<i64> own;
  char* out_memory = nullptr;
  std::string names[kOutArguments];
  std::string text;
  std::wstring wide_text;
  int next_child = -1;
  struct Kept {
    int name_template;
    i64 values[kNumbers];
  };
  Kept kept[4];
  int kept_count = 0;

  // Before each call: what else is to happen, and the pause the program made here.
  void begin(i64 gap_ns) {
    if (made == next_action) act();
    ++made;
    if (gap_ns > 0 && world.options.think > 0) {
      const auto ns = static_cast<i64>(static_cast<double>(gap_ns) * world.options.think);
      timespec left{ns / 1000000000, ns % 1000000000};
      while (syscall(SYS_nanosleep, &left, &left) != 0 && errno == EINTR) {
      }
    }
    errno = 0;
  }
  void act();

  i64& end(i64 id) {
    const i64 last = static_cast<i64>(ends.size()) - 1;
    return ends[static_cast<std::size_t>(id < 0 || id >= last ? last : id)];
  }
  Handle& handle(i64 id) {
    const i64 last = static_cast<i64>(handles.size()) - 1;
    return handles[static_cast<std::size_t>(id < 0 || id >= last ? last : id)];
  }
  int descriptor(i64 id) { return handle(id).fd; }
  FILE* stream(i64 id) { return handle(id).stream; }
  DIR* directory(i64 id) { return handle(id).directory; }
  i64 column(int slot) { return *columns[static_cast<std::size_t>(slot)]++; }
  i64 own_word(int slot) const { return own[static_cast<std::size_t>(slot)]; }

  // Where a call may write what it returns through its argument of this number.
  void* out(int argument) { return out_memory + static_cast<std::size_t>(argument) * kOutBytes; }
  template <class T>
  T* out_of(int argument, i64 value) {
    T* const at = static_cast<T*>(out(argument));
    *at = static_cast<T>(value);
    return at;
  }
  template <class T>
  T* list(int argument, std::initializer_list<i64> values) {
    T* const at = static_cast<T*>(out(argument));
    std::size_t i = 0;
    for (const i64 value : values) at[i++] = static_cast<T>(value);
    return at;
  }
  // Lists one behind the other, each with its length before it, -1 for one that is not there: their
  // addresses.
  template <class T>
  T** lists(int argument, std::initializer_list<i64> values) {
    return lists<T>(argument, values.begin(), values.size());
  }
  template <class T>
  T** lists(int argument, const i64* values, std::size_t count) {
    T** const addresses = static_cast<T**>(out(argument));
    T* item = static_cast<T*>(static_cast<void*>(addresses + count));  // there are no more lists than values
    std::size_t made_lists = 0;
    for (std::size_t i = 0; i < count; ++made_lists) {
      const i64 length = values[i++];
      addresses[made_lists] = length < 0 ? nullptr : item;
      for (i64 k = 0; k < length && i < count; ++k) *item++ = static_cast<T>(values[i++]);
    }
    return addresses;
  }
  // For data in so many places.
  void** places(int argument, i64 count, char* place) {
    void** const at = static_cast<void**>(out(argument));
    for (i64 i = 0; i < count && i < static_cast<i64>(kOutBytes / sizeof *at); ++i) at[i] = place;
    return at;
  }
  template <class T>
  T* out_object(int argument, T value) {
    T* const at = static_cast<T*>(out(argument));
    *at = value;
    return at;
  }
  template <class T>
  T* objects(int argument, std::initializer_list<T> values) {
    T* const at = static_cast<T*>(out(argument));
    std::copy(values.begin(), values.end(), at);
    return at;
  }
  void* bytes(int argument, const char* from, std::size_t count) {
    return std::memcpy(out(argument), from, count);
  }
  iovec* vectors(int argument, bool writes, std::initializer_list<i64> lengths) {
    auto* const at = static_cast<iovec*>(out(argument));
    std::size_t i = 0;
    for (const i64 length : lengths)
      at[i++] = {writes ? world.source : world.sink, static_cast<std::size_t>(length)};
    return at;
  }

  const char* name_with(int argument, int name_template, const i64* values, int count);
  const char* name(int argument, int name_template, std::initializer_list<i64> differences);
  const char* name_of(int argument, int name_template, std::initializer_list<i64> values);
  void keep_numbers() {
    for (int i = 0; i < kept_count; ++i)
      std::memcpy(numbers[static_cast<std::size_t>(kept[i].name_template)].data(), kept[i].values,
                  sizeof kept[i].values);
    kept_count = 0;
  }
  // Numbers of names that calls inside the library were given.
  void pass_name(int name_template, std::initializer_list<i64> differences);

  // Whether the call is made: see made_again() in names.hpp.
  bool passes(bool failed, const i64* used, std::size_t used_count, const char* const* paths,
              std::size_t path_count);
  bool passes(bool failed, std::initializer_list<i64> used, std::initializer_list<const char*> paths) {
    return passes(failed, used.begin(), used.size(), paths.begin(), paths.size());
  }

  const char* line(i64 length) {
    text.assign(static_cast<std::size_t>(length), 'x');
    if (length > 0) text.back() = '\n';
    return text.c_str();
  }
  const wchar_t* wide_line(i64 length) {
    wide_text.assign(static_cast<std::size_t>(length), L'x');
    if (length > 0) wide_text.back() = L'\n';
    return wide_text.c_str();
  }

  void differs(int signature, const std::string& how);
  // A result that must be this number; one that must be a failure.
  void check(int signature, i64 got, i64 wanted) {
    if (got != wanted)
      differs(signature, std::to_string(got) + " instead of " + std::to_string(wanted) +
                             (got == -1 ? std::string(", ") + std::strerror(errno) : ""));
  }
  void check_failed(int signature, bool failed, i64 error, i64 wanted) {
    if (!failed)
      differs(signature,
              "did not fail as recorded (" + std::string(std::strerror(static_cast<int>(wanted))) + ")");
    else if (error != wanted)
      differs(signature, "failed with " + std::to_string(error) + " instead of " + std::to_string(wanted));
  }
  void check_made(int signature, bool made_it) {
    if (!made_it) differs(signature, std::string("failed: ") + std::strerror(errno));
  }
};

inline bool opened(Stream& stream, i64 id, int fd) {
  stream.handle(id) = {fd, nullptr, nullptr, true, false};
  stream.end(id) = 0;
  return fd >= 0;
}
// fileno() would be seen.
inline bool opened(Stream& stream, i64 id, FILE* made) {
  stream.handle(id) = {made != nullptr ? made->_fileno : -1, made, nullptr, true, false};
  stream.end(id) = 0;
  return made != nullptr;
}
inline bool opened(Stream& stream, i64 id, DIR* made) {
  stream.handle(id) = {-1, nullptr, made, true, false};
  stream.end(id) = 0;
  return made != nullptr;
}

inline void closed(Stream& stream, i64 id) {
  stream.handle(id).own = false;
  stream.handle(id).left_out = false;
}

inline void left_out(Stream& stream, i64 id) {
  stream.handle(id) = {-1, nullptr, nullptr, false, true};
  stream.end(id) = 0;
}

}  // namespace weir_proxy
