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
void predefine(Role kind, Handle handle, const char* name, std::int32_t rank = -1) {
  const std::uint64_t bits = bits_behind(handle);
  const bool is_null = std::string_view(name).ends_with("_NULL");
  if (bits == 0 && !is_null) return;
  library().objects.predefine(kind, bits, is_null ? "" : name, rank);
}

}  // namespace

void predefine_objects() {
#define WEIR_NAME(kind, object) predefine(Role::kind, object, #object)
  WEIR_NAME(communicator, MPI_COMM_NULL);
  WEIR_NAME(communicator, MPI_COMM_WORLD);
  predefine(Role::communicator, MPI_COMM_SELF, "MPI_COMM_SELF", 0);
  WEIR_NAME(group, MPI_GROUP_NULL);
  WEIR_NAME(group, MPI_GROUP_EMPTY);
  WEIR_NAME(window, MPI_WIN_NULL);
  WEIR_NAME(info, MPI_INFO_NULL);
  WEIR_NAME(info, MPI_INFO_ENV);
  WEIR_NAME(object, MPI_ERRHANDLER_NULL);
  WEIR_NAME(object, MPI_ERRORS_ARE_FATAL);
  WEIR_NAME(object, MPI_ERRORS_RETURN);
  WEIR_NAME(object, MPI_MESSAGE_NULL);
  WEIR_NAME(object, MPI_MESSAGE_NO_PROC);
  WEIR_NAME(operation, MPI_OP_NULL);
  WEIR_NAME(operation, MPI_MAX);
  WEIR_NAME(operation, MPI_MIN);
  WEIR_NAME(operation, MPI_SUM);
  WEIR_NAME(operation, MPI_PROD);
  WEIR_NAME(operation, MPI_LAND);
  WEIR_NAME(operation, MPI_BAND);
  WEIR_NAME(operation, MPI_LOR);
  WEIR_NAME(operation, MPI_BOR);
  WEIR_NAME(operation, MPI_LXOR);
  WEIR_NAME(operation, MPI_BXOR);
  WEIR_NAME(operation, MPI_MAXLOC);
  WEIR_NAME(operation, MPI_MINLOC);
  WEIR_NAME(operation, MPI_REPLACE);
  WEIR_NAME(operation, MPI_NO_OP);
  WEIR_NAME(datatype, MPI_DATATYPE_NULL);
  WEIR_NAME(datatype, MPI_BYTE);
  WEIR_NAME(datatype, MPI_PACKED);
  WEIR_NAME(datatype, MPI_CHAR);
  WEIR_NAME(datatype, MPI_SHORT);
  WEIR_NAME(datatype, MPI_INT);
  WEIR_NAME(datatype, MPI_LONG);
  WEIR_NAME(datatype, MPI_LONG_LONG_INT);
  WEIR_NAME(datatype, MPI_FLOAT);
  WEIR_NAME(datatype, MPI_DOUBLE);
  WEIR_NAME(datatype, MPI_LONG_DOUBLE);
  WEIR_NAME(datatype, MPI_SIGNED_CHAR);
  WEIR_NAME(datatype, MPI_UNSIGNED_CHAR);
  WEIR_NAME(datatype, MPI_UNSIGNED_SHORT);
  WEIR_NAME(datatype, MPI_UNSIGNED);
  WEIR_NAME(datatype, MPI_UNSIGNED_LONG);
  WEIR_NAME(datatype, MPI_UNSIGNED_LONG_LONG);
  WEIR_NAME(datatype, MPI_WCHAR);
  WEIR_NAME(datatype, MPI_FLOAT_INT);
  WEIR_NAME(datatype, MPI_DOUBLE_INT);
  WEIR_NAME(datatype, MPI_LONG_DOUBLE_INT);
  WEIR_NAME(datatype, MPI_LONG_INT);
  WEIR_NAME(datatype, MPI_SHORT_INT);
  WEIR_NAME(datatype, MPI_2INT);
  WEIR_NAME(datatype, MPI_INT8_T);
  WEIR_NAME(datatype, MPI_INT16_T);
  WEIR_NAME(datatype, MPI_INT32_T);
  WEIR_NAME(datatype, MPI_INT64_T);
  WEIR_NAME(datatype, MPI_UINT8_T);
  WEIR_NAME(datatype, MPI_UINT16_T);
  WEIR_NAME(datatype, MPI_UINT32_T);
  WEIR_NAME(datatype, MPI_UINT64_T);
  WEIR_NAME(datatype, MPI_AINT);
  WEIR_NAME(datatype, MPI_OFFSET);
  WEIR_NAME(datatype, MPI_COUNT);
  WEIR_NAME(datatype, MPI_C_BOOL);
  WEIR_NAME(datatype, MPI_C_FLOAT_COMPLEX);
  WEIR_NAME(datatype, MPI_C_DOUBLE_COMPLEX);
  WEIR_NAME(datatype, MPI_C_LONG_DOUBLE_COMPLEX);
  WEIR_NAME(datatype, MPI_CXX_BOOL);
  WEIR_NAME(datatype, MPI_CXX_FLOAT_COMPLEX);
  WEIR_NAME(datatype, MPI_CXX_DOUBLE_COMPLEX);
  WEIR_NAME(datatype, MPI_CXX_LONG_DOUBLE_COMPLEX);
  WEIR_NAME(datatype, MPI_CHARACTER);
  WEIR_NAME(datatype, MPI_LOGICAL);
  WEIR_NAME(datatype, MPI_INTEGER);
  WEIR_NAME(datatype, MPI_INTEGER1);
  WEIR_NAME(datatype, MPI_INTEGER2);
  WEIR_NAME(datatype, MPI_INTEGER4);
  WEIR_NAME(datatype, MPI_INTEGER8);
  WEIR_NAME(datatype, MPI_REAL);
  WEIR_NAME(datatype, MPI_REAL4);
  WEIR_NAME(datatype, MPI_REAL8);
  WEIR_NAME(datatype, MPI_REAL16);
  WEIR_NAME(datatype, MPI_DOUBLE_PRECISION);
  WEIR_NAME(datatype, MPI_COMPLEX);
  WEIR_NAME(datatype, MPI_COMPLEX8);
  WEIR_NAME(datatype, MPI_COMPLEX16);
  WEIR_NAME(datatype, MPI_COMPLEX32);
  WEIR_NAME(datatype, MPI_DOUBLE_COMPLEX);
  WEIR_NAME(datatype, MPI_2REAL);
  WEIR_NAME(datatype, MPI_2DOUBLE_PRECISION);
  WEIR_NAME(datatype, MPI_2INTEGER);
#undef WEIR_NAME
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
