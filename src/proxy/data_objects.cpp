#include "proxy/data_objects.hpp"

#include <array>

#include <dlfcn.h>

namespace weir::proxy {
namespace {

struct Predefined {
  const char* variable;
  std::string_view name;
};

constexpr std::array kPredefined = {
#define WEIR_HDF5_OBJECT(variable, name) Predefined{#variable, #name},
#include "calls/hdf5_objects.def"
};

}  // namespace

std::optional<std::int64_t> data_object(std::string_view name) {
  if (name == "H5P_DEFAULT" || name == "H5S_ALL" || name == "H5E_DEFAULT" || name == "H5ES_NONE") return 0;
  for (const Predefined& one : kPredefined) {
    if (one.name != name) continue;
    // As the macros do it: the variables are set when the library has begun.
    static auto* const begin = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "H5open"));
    if (begin == nullptr || begin() < 0) return std::nullopt;
    const void* const place = dlsym(RTLD_DEFAULT, one.variable);
    if (place == nullptr) return std::nullopt;
    return *static_cast<const std::int64_t*>(place);
  }
  return std::nullopt;
}

}  // namespace weir::proxy
