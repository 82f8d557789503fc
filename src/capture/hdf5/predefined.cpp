#include "capture/hdf5/predefined.hpp"

#include <array>
#include <atomic>

#include "intercept/real.hpp"

namespace weir::capture {
namespace {

// A variable of the library that holds the object, set when the library is first used.
struct Predefined {
  const char* variable;
  const char* name;  // as programs write it
};

constexpr std::array kPredefined = {
#define WEIR_HDF5_OBJECT(variable, name) Predefined{#variable, #name},
#include "calls/hdf5_objects.def"
};

using Object = std::int64_t;  // hid_t since HDF5 1.10

constinit std::array<std::atomic<const Object*>, kPredefined.size()> places{};

const Object* place_of(std::size_t i) {
  const Object* found = places[i].load(std::memory_order_acquire);
  if (found == nullptr) {
    found = static_cast<const Object*>(search_variable(kPredefined[i].variable));
    places[i].store(found, std::memory_order_release);
  }
  return found;
}

}  // namespace

const char* predefined_hdf5_object(std::int64_t object) {
  for (std::size_t i = 0; i < kPredefined.size(); ++i)
    if (const Object* const place = place_of(i); place != nullptr && *place == object)
      return kPredefined[i].name;
  return nullptr;
}

}  // namespace weir::capture
