// libweir-buffers.so: stands before the C library's allocation functions and knows what memory an address is.
// It allocates nothing itself and calls the next allocator in line, whichever that is.

#include <cerrno>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>

#include "capture/allocations.hpp"
#include "capture/preload/buffers/stack.hpp"

namespace weir::capture {
namespace {

struct Real {
  void* (*malloc)(std::size_t) = nullptr;
  void* (*calloc)(std::size_t, std::size_t) = nullptr;
  void* (*realloc)(void*, std::size_t) = nullptr;
  void* (*memalign)(std::size_t, std::size_t) = nullptr;
  void* (*aligned_alloc)(std::size_t, std::size_t) = nullptr;
  int (*posix_memalign)(void**, std::size_t, std::size_t) = nullptr;
  void (*free)(void*) = nullptr;
};

template <class F>
void find_next(F& function, const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  std::memcpy(&function, &found, sizeof function);
}

// What dlsym() itself asks for while the real functions are being looked up. It is never given back.
class FirstBytes {
 public:
  void* take(std::size_t bytes) {
    const std::size_t begin = (used_ + 15) / 16 * 16;
    if (begin > sizeof bytes_ || bytes > sizeof bytes_ - begin) return nullptr;
    used_ = begin + bytes;
    return bytes_ + begin;
  }
  bool has(const void* address) const {
    return address >= static_cast<const void*>(bytes_) &&
           address < static_cast<const void*>(bytes_ + sizeof bytes_);
  }

 private:
  alignas(16) std::byte bytes_[8192] = {};
  std::size_t used_ = 0;
};

thread_local bool is_looking_up [[gnu::tls_model("initial-exec")]] = false;
thread_local bool is_inside [[gnu::tls_model("initial-exec")]] = false;  // this thread holds the lock
constinit FirstBytes first_bytes;

const Real& real() {
  static const Real found = [] {
    is_looking_up = true;
    Real made;
    find_next(made.malloc, "malloc");
    find_next(made.calloc, "calloc");
    find_next(made.realloc, "realloc");
    find_next(made.memalign, "memalign");
    find_next(made.aligned_alloc, "aligned_alloc");
    find_next(made.posix_memalign, "posix_memalign");
    find_next(made.free, "free");
    is_looking_up = false;
    return made;
  }();
  return found;
}

struct Known {
  std::mutex mutex;
  Allocations allocations;
  Allocations elsewhere;  // mapped memory and the like, by the addresses that were asked for
};

// Never destroyed: programs free memory to the very end.
Known& known() {
  alignas(Known) static std::byte room[sizeof(Known)];
  static Known& made = *[] {
    auto* const one = new (room) Known;
    pthread_atfork([] { known().mutex.lock(); }, [] { known().mutex.unlock(); },
                   [] { known().mutex.unlock(); });
    return one;
  }();
  return made;
}

class Holding {
 public:
  Holding() {
    known().mutex.lock();
    is_inside = true;
  }
  ~Holding() {
    is_inside = false;
    known().mutex.unlock();
  }
  Holding(const Holding&) = delete;
  Holding& operator=(const Holding&) = delete;
  Allocations* operator->() const { return &known().allocations; }
};

void* entered(void* memory, std::size_t bytes) {
  if (memory != nullptr && !is_inside) Holding()->add(memory, bytes);
  return memory;
}

std::size_t written(int length) { return length > 0 ? static_cast<std::size_t>(length) : 0; }

// A program's or a library's own variables: by the file they came from.
std::size_t name_of_variable(const void* address, char* text, std::size_t room) {
  Dl_info found{};
  if (dladdr(address, &found) == 0 || found.dli_fname == nullptr) return 0;
  const char* const slash = std::strrchr(found.dli_fname, '/');
  const char* const name = slash == nullptr ? found.dli_fname : slash + 1;
  const auto offset = static_cast<const char*>(address) - static_cast<const char*>(found.dli_fbase);
  return written(std::snprintf(text, room, "%.32s+%td", name, offset));
}

}  // namespace
}  // namespace weir::capture

using weir::capture::Allocations;

// The compiler hides what is not said to be shown.
#pragma GCC visibility push(default)
extern "C" {

std::size_t weir_name_of_memory(const void* address, char* text, std::size_t room) {
  using namespace weir::capture;
  if (is_inside || room < 64) return 0;  // a signal's handler, in the middle of an allocation
  {
    const Holding holding;
    const Allocations::Place place = holding->find(address);
    if (place.known())
      return written(std::snprintf(text, room, "heap#%" PRIu32 "+%" PRIu64, place.id, place.displacement));
  }
  if (const std::uint64_t depth = depth_on_stack(address))
    return written(std::snprintf(text, room, "stack-%" PRIu64, depth));
  if (const std::size_t length = name_of_variable(address, text, room)) return length;
  const Holding holding;
  Allocations& elsewhere = known().elsewhere;
  if (!elsewhere.find(address).known()) elsewhere.add(address, 0);
  return written(std::snprintf(text, room, "memory#%" PRIu32, elsewhere.find(address).id));
}

void* malloc(std::size_t bytes) {
  using namespace weir::capture;
  if (is_looking_up) return first_bytes.take(bytes);
  return entered(real().malloc(bytes), bytes);
}

void* calloc(std::size_t count, std::size_t bytes) {
  using namespace weir::capture;
  if (is_looking_up) return first_bytes.take(count * bytes);  // zero from the start
  return entered(real().calloc(count, bytes), count * bytes);
}

void free(void* memory) {
  using namespace weir::capture;
  if (memory == nullptr || first_bytes.has(memory)) return;
  if (!is_inside) Holding()->remove(memory);
  real().free(memory);
}

void* realloc(void* memory, std::size_t bytes) {
  using namespace weir::capture;
  if (memory == nullptr) return malloc(bytes);
  if (first_bytes.has(memory)) {
    void* const made = malloc(bytes);
    if (made != nullptr) std::memcpy(made, memory, bytes);  // what lies behind it is readable: the same array
    return made;
  }
  if (is_inside) return real().realloc(memory, bytes);
  // Taken out first: once it is free, another thread may get the same address.
  const std::size_t before = malloc_usable_size(memory);
  const std::uint32_t id = Holding()->remove(memory, true);
  void* const made = real().realloc(memory, bytes);
  if (made != nullptr) {
    Holding()->add(made, bytes, id);
  } else if (bytes != 0) {
    Holding()->add(memory, before, id);
  } else {
    Holding()->free_id(id);
  }
  return made;
}

void* reallocarray(void* memory, std::size_t count, std::size_t bytes) {
  std::size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) {
    errno = ENOMEM;
    return nullptr;
  }
  return realloc(memory, all);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  using namespace weir::capture;
  const int error = real().posix_memalign(memory, alignment, bytes);
  if (error == 0) entered(*memory, bytes);
  return error;
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  using namespace weir::capture;
  return entered(real().aligned_alloc(alignment, bytes), bytes);
}

void* memalign(std::size_t alignment, std::size_t bytes) {
  using namespace weir::capture;
  return entered(real().memalign(alignment, bytes), bytes);
}

}  // extern "C"
#pragma GCC visibility pop
