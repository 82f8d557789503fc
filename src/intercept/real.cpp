#include "intercept/real.hpp"

#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <link.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weir {

namespace detail {

constinit std::array<std::atomic<void*>, kSymbolCount> real_functions{};

namespace {

// Raw system calls: write() would come back to us.
void say(const char* text) { static_cast<void>(syscall(SYS_write, STDERR_FILENO, text, std::strlen(text))); }

[[noreturn]] void stop_without(const char* name) {
  say("weir: no loaded library has '");
  say(name);
  say("', which this program calls\n");
  std::abort();
}

}  // namespace

void* find_real_now(Symbol symbol) {
  void* const found = search_real(info(symbol).real_name);
  if (found == nullptr) stop_without(info(symbol).real_name);
  real_functions[static_cast<std::size_t>(symbol)].store(found, std::memory_order_release);
  return found;
}

}  // namespace detail

namespace {

// The object this code was linked into.
const void* own_base() {
  Dl_info here{};
  return dladdr(reinterpret_cast<const void*>(&detail::real_functions), &here) != 0 ? here.dli_fbase
                                                                                    : nullptr;
}

const void* base_of(void* address) {
  Dl_info there{};
  return dladdr(address, &there) != 0 ? there.dli_fbase : nullptr;
}

// A library opened with RTLD_LOCAL finds our shims first and its own functions only through its own handle.
void* search_every_object(const char* name) {
  void* const program = dlopen(nullptr, RTLD_LAZY | RTLD_NOLOAD);
  link_map* map = nullptr;
  if (program == nullptr || dlinfo(program, RTLD_DI_LINKMAP, &map) != 0) return nullptr;
  const void* const ours = own_base();
  void* found = nullptr;
  for (; map != nullptr && found == nullptr; map = map->l_next) {
    if (map->l_name == nullptr || *map->l_name == '\0') continue;
    void* const object = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
    if (object == nullptr) continue;
    found = dlsym(object, name);
    if (found != nullptr && base_of(found) == ours) found = nullptr;
    dlclose(object);
  }
  dlclose(program);
  return found;
}

void* search_next(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) static_cast<void>(dlerror());  // the program must not find our failure
  return found;
}

}  // namespace

void* search_real(const char* name) {
  void* const next = search_next(name);
  if (next != nullptr) return next;
  void* const found = search_every_object(name);
  static_cast<void>(dlerror());
  return found;
}

void* search_variable(const char* name) {
  void* found = dlsym(RTLD_DEFAULT, name);
  if (found == nullptr) found = search_every_object(name);
  static_cast<void>(dlerror());
  return found;
}

bool is_loaded(std::string_view library) {
  const auto has_name = [](dl_phdr_info* object, std::size_t, void* wanted) {
    std::string_view name = object->dlpi_name;
    name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0
    return name.starts_with(*static_cast<const std::string_view*>(wanted)) ? 1 : 0;
  };
  return dl_iterate_phdr(has_name, &library) != 0;
}

void find_layer_now(Layer layer) {
  for (std::size_t i = 0; i < kSymbolCount; ++i) {
    const SymbolInfo& symbol = info(static_cast<Symbol>(i));
    if (info(symbol.call).layer != layer) continue;
    void* const found = search_next(symbol.real_name);
    if (found != nullptr) detail::real_functions[i].store(found, std::memory_order_release);
  }
}

}  // namespace weir
