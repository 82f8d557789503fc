#pragma once

#include <dlfcn.h>
#include <link.h>

#include "proxy/runtime/memory.hpp"
#include "proxy/runtime/start.hpp"

namespace weir_proxy {

// A function of the HDF5 library itself, past whoever intercepts it. The library's handles are 64 bits wide.
template <class Function>
Function* find_in_hdf5(const char* name) {
  static void* const library = [] {
    void* found = nullptr;
    dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* to) {
          const char* const file = std::strrchr(object->dlpi_name, '/');
          if (file == nullptr || std::strncmp(file, "/libhdf5", 8) != 0 ||
              std::strstr(file, "_hl") != nullptr)
            return 0;
          *static_cast<void**>(to) = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
          return 1;
        },
        &found);
    return found;
  }();
  return library != nullptr ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
}

// Whether data of this type is behind addresses: texts and lists of any length, references.
inline bool has_addresses(i64 type) {
  static auto* const is_text = find_in_hdf5<int(i64)>("H5Tis_variable_str");
  static auto* const has_class = find_in_hdf5<int(i64, int)>("H5Tdetect_class");
  constexpr int kReference = 7;
  constexpr int kList = 9;
  if (is_text == nullptr || has_class == nullptr) return false;
  return is_text(type) > 0 || has_class(type, kList) > 0 || has_class(type, kReference) > 0;
}

// What is written as data of this type: no text and no list, where others are any bytes.
inline void* data_of(i64 type) {
  if (!has_addresses(type)) return world.source;
  static char* const nothing = reserve_most();
  return nothing;
}

// A value that no other call was given: the members of an enumeration must differ.
inline void* new_value(Stream& stream, int argument) {
  static std::atomic<i64> last{0};
  return stream.out_of<i64>(argument, ++last);
}

}  // namespace weir_proxy
