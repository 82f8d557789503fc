#include "capture/mpi/predefined.hpp"

#include <cstdint>
#include <string_view>

#include <mpi.h>

#include "capture/mpi/library.hpp"
#include "intercept/real.hpp"

// Open MPI's predefined objects are variables of its library, which may be loaded later or not at all: their
// names take the place of their addresses. MPICH's are numbers.
#ifdef OPEN_MPI
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global) #global
#endif

namespace weir::capture::mpi {
namespace {

[[maybe_unused]] std::uint64_t bits_behind(const char* variable) {
  return reinterpret_cast<std::uint64_t>(search_variable(variable));
}
[[maybe_unused]] std::uint64_t bits_behind(int handle) { return static_cast<std::uint32_t>(handle); }
[[maybe_unused]] std::uint64_t bits_behind(const void* handle) {
  return reinterpret_cast<std::uint64_t>(handle);
}

template <class Handle>
void predefine(Role kind, Handle handle, const char* name) {
  const std::uint64_t bits = bits_behind(handle);
  const bool is_null = std::string_view(name).ends_with("_NULL");
  if (bits == 0 && !is_null) return;
  const std::int32_t rank = std::string_view(name) == "MPI_COMM_SELF" ? 0 : -1;
  library().objects.predefine(kind, bits, is_null ? "" : name, rank);
}

}  // namespace

void predefine_objects() {
#define WEIR_MPI_OBJECT(kind, object) predefine(Role::kind, object, #object);
#include "calls/mpi_objects.def"
}

const char* name_of_rank(int rank) {
  switch (rank) {
    case MPI_PROC_NULL:
      return "MPI_PROC_NULL";
    case MPI_ANY_SOURCE:
      return "MPI_ANY_SOURCE";
    case MPI_ROOT:
      return "MPI_ROOT";
    case MPI_UNDEFINED:
      return "MPI_UNDEFINED";
    default:
      return nullptr;
  }
}

const char* name_of_tag(int tag) { return tag == MPI_ANY_TAG ? "MPI_ANY_TAG" : nullptr; }

bool is_no_weights(const void* address) {
#ifdef OPEN_MPI
  return address == MPI_UNWEIGHTED || address == MPI_WEIGHTS_EMPTY;
#else
  for (const char* const variable : {"MPI_UNWEIGHTED", "MPI_WEIGHTS_EMPTY"})
    if (const auto* const value = static_cast<void* const*>(search_variable(variable)))
      if (*value == address) return true;
  return false;
#endif
}

}  // namespace weir::capture::mpi
