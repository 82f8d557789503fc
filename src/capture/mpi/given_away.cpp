#include <type_traits>

#include "capture/mpi/communicators.hpp"
#include "capture/mpi/library.hpp"
#include "capture/untyped/library.hpp"

// Objects of MPI that programs give to other libraries: a communicator to HDF5, a datatype to PnetCDF.
namespace weir::capture::mpi {
namespace {

template <class Handle>
Handle handle_of(std::uint64_t bits) {
  if constexpr (std::is_pointer_v<Handle>)
    return reinterpret_cast<Handle>(bits);
  else
    return static_cast<Handle>(bits);
}

Objects::Object find(Role role, std::uint64_t given, Lane& lane) {
  if (!library().ready()) return {};
  const std::uint64_t bits = bits_of(handle_of<MPI_Comm>(given));  // all of MPI's handles are alike
  const Objects::Object found = library().objects.find(role, bits);
  if (found.used) return found;
  if (role != Role::communicator) return library().objects.add(role, bits);
  take_note_of(handle_of<MPI_Comm>(given), &lane);
  return library().objects.find(role, bits);
}

Objects::Object add(Role role, std::uint64_t given, Lane& lane) {
  if (role == Role::communicator || !library().ready()) return find(role, given, lane);
  return library().objects.add(role, bits_of(handle_of<MPI_Comm>(given)));
}

constexpr MpiObjects kOffered{find, add};

[[gnu::constructor(102)]] void offer_objects() { mpi_objects.store(&kOffered, std::memory_order_release); }

}  // namespace
}  // namespace weir::capture::mpi
