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

#define WEIR_TYPE(name) \
  Predefined { "H5T_" #name "_g", "H5T_" #name }
#define WEIR_CLASS(name) \
  Predefined { "H5P_CLS_" #name "_ID_g", "H5P_" #name }
#define WEIR_LIST(name) \
  Predefined { "H5P_LST_" #name "_ID_g", "H5P_" #name "_DEFAULT" }

constexpr std::array kPredefined = {
    WEIR_TYPE(C_S1),
    WEIR_TYPE(FORTRAN_S1),
    WEIR_TYPE(IEEE_F32BE),
    WEIR_TYPE(IEEE_F32LE),
    WEIR_TYPE(IEEE_F64BE),
    WEIR_TYPE(IEEE_F64LE),
    WEIR_TYPE(NATIVE_B16),
    WEIR_TYPE(NATIVE_B32),
    WEIR_TYPE(NATIVE_B64),
    WEIR_TYPE(NATIVE_B8),
    WEIR_TYPE(NATIVE_DOUBLE),
    WEIR_TYPE(NATIVE_FLOAT),
    WEIR_TYPE(NATIVE_HADDR),
    WEIR_TYPE(NATIVE_HBOOL),
    WEIR_TYPE(NATIVE_HERR),
    WEIR_TYPE(NATIVE_HSIZE),
    WEIR_TYPE(NATIVE_HSSIZE),
    WEIR_TYPE(NATIVE_INT16),
    WEIR_TYPE(NATIVE_INT32),
    WEIR_TYPE(NATIVE_INT64),
    WEIR_TYPE(NATIVE_INT8),
    WEIR_TYPE(NATIVE_INT_FAST16),
    WEIR_TYPE(NATIVE_INT_FAST32),
    WEIR_TYPE(NATIVE_INT_FAST64),
    WEIR_TYPE(NATIVE_INT_FAST8),
    WEIR_TYPE(NATIVE_INT_LEAST16),
    WEIR_TYPE(NATIVE_INT_LEAST32),
    WEIR_TYPE(NATIVE_INT_LEAST64),
    WEIR_TYPE(NATIVE_INT_LEAST8),
    WEIR_TYPE(NATIVE_INT),
    WEIR_TYPE(NATIVE_LDOUBLE),
    WEIR_TYPE(NATIVE_LLONG),
    WEIR_TYPE(NATIVE_LONG),
    WEIR_TYPE(NATIVE_OPAQUE),
    WEIR_TYPE(NATIVE_SCHAR),
    WEIR_TYPE(NATIVE_SHORT),
    WEIR_TYPE(NATIVE_UCHAR),
    WEIR_TYPE(NATIVE_UINT16),
    WEIR_TYPE(NATIVE_UINT32),
    WEIR_TYPE(NATIVE_UINT64),
    WEIR_TYPE(NATIVE_UINT8),
    WEIR_TYPE(NATIVE_UINT_FAST16),
    WEIR_TYPE(NATIVE_UINT_FAST32),
    WEIR_TYPE(NATIVE_UINT_FAST64),
    WEIR_TYPE(NATIVE_UINT_FAST8),
    WEIR_TYPE(NATIVE_UINT_LEAST16),
    WEIR_TYPE(NATIVE_UINT_LEAST32),
    WEIR_TYPE(NATIVE_UINT_LEAST64),
    WEIR_TYPE(NATIVE_UINT_LEAST8),
    WEIR_TYPE(NATIVE_UINT),
    WEIR_TYPE(NATIVE_ULLONG),
    WEIR_TYPE(NATIVE_ULONG),
    WEIR_TYPE(NATIVE_USHORT),
    WEIR_TYPE(STD_B16BE),
    WEIR_TYPE(STD_B16LE),
    WEIR_TYPE(STD_B32BE),
    WEIR_TYPE(STD_B32LE),
    WEIR_TYPE(STD_B64BE),
    WEIR_TYPE(STD_B64LE),
    WEIR_TYPE(STD_B8BE),
    WEIR_TYPE(STD_B8LE),
    WEIR_TYPE(STD_I16BE),
    WEIR_TYPE(STD_I16LE),
    WEIR_TYPE(STD_I32BE),
    WEIR_TYPE(STD_I32LE),
    WEIR_TYPE(STD_I64BE),
    WEIR_TYPE(STD_I64LE),
    WEIR_TYPE(STD_I8BE),
    WEIR_TYPE(STD_I8LE),
    WEIR_TYPE(STD_REF_DSETREG),
    WEIR_TYPE(STD_REF_OBJ),
    WEIR_TYPE(STD_U16BE),
    WEIR_TYPE(STD_U16LE),
    WEIR_TYPE(STD_U32BE),
    WEIR_TYPE(STD_U32LE),
    WEIR_TYPE(STD_U64BE),
    WEIR_TYPE(STD_U64LE),
    WEIR_TYPE(STD_U8BE),
    WEIR_TYPE(STD_U8LE),
    WEIR_TYPE(UNIX_D32BE),
    WEIR_TYPE(UNIX_D32LE),
    WEIR_TYPE(UNIX_D64BE),
    WEIR_TYPE(UNIX_D64LE),
    WEIR_TYPE(VAX_F32),
    WEIR_TYPE(VAX_F64),
    WEIR_CLASS(ATTRIBUTE_ACCESS),
    WEIR_CLASS(ATTRIBUTE_CREATE),
    WEIR_CLASS(DATASET_ACCESS),
    WEIR_CLASS(DATASET_CREATE),
    WEIR_CLASS(DATASET_XFER),
    WEIR_CLASS(DATATYPE_ACCESS),
    WEIR_CLASS(DATATYPE_CREATE),
    WEIR_CLASS(FILE_ACCESS),
    WEIR_CLASS(FILE_CREATE),
    WEIR_CLASS(FILE_MOUNT),
    WEIR_CLASS(GROUP_ACCESS),
    WEIR_CLASS(GROUP_CREATE),
    WEIR_CLASS(LINK_ACCESS),
    WEIR_CLASS(LINK_CREATE),
    WEIR_CLASS(OBJECT_COPY),
    WEIR_CLASS(OBJECT_CREATE),
    WEIR_CLASS(ROOT),
    WEIR_CLASS(STRING_CREATE),
    WEIR_LIST(ATTRIBUTE_ACCESS),
    WEIR_LIST(ATTRIBUTE_CREATE),
    WEIR_LIST(DATASET_ACCESS),
    WEIR_LIST(DATASET_CREATE),
    WEIR_LIST(DATASET_XFER),
    WEIR_LIST(DATATYPE_ACCESS),
    WEIR_LIST(DATATYPE_CREATE),
    WEIR_LIST(FILE_ACCESS),
    WEIR_LIST(FILE_CREATE),
    WEIR_LIST(FILE_MOUNT),
    WEIR_LIST(GROUP_ACCESS),
    WEIR_LIST(GROUP_CREATE),
    WEIR_LIST(LINK_ACCESS),
    WEIR_LIST(LINK_CREATE),
    WEIR_LIST(OBJECT_COPY),
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
