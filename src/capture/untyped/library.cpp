#include "capture/untyped/library.hpp"

#include "capture/hdf5/library.hpp"
#include "capture/netcdf/library.hpp"

namespace weir::capture {

constinit std::atomic<const MpiObjects*> mpi_objects{nullptr};

Objects::Object ObjectLibrary::find(Role role, std::int64_t object, std::string_view argument) {
  const auto bits = static_cast<std::uint64_t>(object);
  if (const char* const name = ways_.name_of(role, object, argument)) {
    Objects::Object known;
    known.bits = bits;
    known.name = name;
    known.used = true;
    return known;
  }
  const Role kind = kind_of(role);
  const Objects::Object found = objects_.find(kind, bits);
  if (found.used) return found;
  const char* const name = ways_.predefined(object);
  if (name == nullptr) return objects_.add(kind, bits);
  objects_.predefine(kind, bits, name);
  return objects_.find(kind, bits);
}

Objects::Object ObjectLibrary::add(Role role, std::int64_t object) {
  return objects_.add(kind_of(role), static_cast<std::uint64_t>(object));
}

void ObjectLibrary::remove(Role role, std::int64_t object) {
  objects_.remove(kind_of(role), static_cast<std::uint64_t>(object));
}

ObjectLibrary& library_of(Layer layer) {
  if (layer == Layer::hdf5) return hdf5_library();
  return layer == Layer::netcdf ? netcdf_library() : pnetcdf_library();
}

}  // namespace weir::capture
