#include "proxy/dynamic_call.hpp"

#include <algorithm>
#include <array>

#include <dlfcn.h>

namespace weir::proxy {

ffi_type* DynamicCall::type_of(std::string_view type) {
  if (type.ends_with('*') || type.find("(*)") != std::string_view::npos) return &ffi_type_pointer;
  constexpr std::array<std::string_view, 14> kNarrow = {
      "int",    "unsigned int", "mode_t",   "uid_t",     "gid_t",     "key_t",   "pid_t",
      "wint_t", "wchar_t",      "uint32_t", "socklen_t", "clockid_t", "int32_t", "unsigned"};
  if (type == "void") return &ffi_type_void;
  if (type == "double") return &ffi_type_double;
  if (type == "float") return &ffi_type_float;
  // Codes and enumerations of HDF5 (its handles and sizes are called otherwise), types of NetCDF.
  if (type.starts_with("H5") || type == "herr_t" || type == "htri_t" || type == "nc_type")
    return &ffi_type_sint32;
  if (type == "MPI_Fint") return &ffi_type_sint32;
  const bool is_handle = type.starts_with("MPI_") && type != "MPI_Aint" && type != "MPI_Offset" &&
                         type != "MPI_Count" && type != "MPI_File";  // a pointer everywhere
  if (is_handle) return mpi_handle_bytes_ == 4 ? &ffi_type_sint32 : &ffi_type_sint64;
  return std::find(kNarrow.begin(), kNarrow.end(), type) != kNarrow.end() ? &ffi_type_sint32
                                                                          : &ffi_type_sint64;
}

void DynamicCall::add(std::string_view type, std::int64_t value) {
  ffi_type* const made = type_of(type);
  if (made == &ffi_type_double || made == &ffi_type_float) return add_real(type, static_cast<double>(value));
  Slot& slot = values_.emplace_back();
  if (made == &ffi_type_sint32)
    slot.narrow = static_cast<std::int32_t>(value);
  else
    slot.number = value;
  types_.push_back(made);
}

void DynamicCall::add_pointer(const void* value) {
  values_.emplace_back().pointer = value;
  types_.push_back(&ffi_type_pointer);
}

void DynamicCall::add_real(std::string_view type, double value) {
  ffi_type* const made = type_of(type);
  Slot& slot = values_.emplace_back();
  if (made == &ffi_type_float)
    slot.narrow_real = static_cast<float>(value);
  else
    slot.real = value;
  types_.push_back(made);
}

bool DynamicCall::make(const std::string& name, std::string_view result_type, std::int64_t& result) {
  void* const function = dlsym(RTLD_DEFAULT, name.c_str());
  if (function == nullptr) return false;
  ffi_cif call;
  ffi_type* const returned = type_of(result_type);
  const auto count = static_cast<unsigned>(types_.size());
  const ffi_status made = fixed_ < types_.size()
                              ? ffi_prep_cif_var(&call, FFI_DEFAULT_ABI, static_cast<unsigned>(fixed_), count,
                                                 returned, types_.data())
                              : ffi_prep_cif(&call, FFI_DEFAULT_ABI, count, returned, types_.data());
  if (made != FFI_OK) return false;
  std::vector<void*> addresses;
  for (Slot& slot : values_) addresses.push_back(&slot);
  ffi_arg got = 0;
  ffi_call(&call, reinterpret_cast<void (*)()>(function), &got, addresses.data());
  result = returned == &ffi_type_sint32 ? static_cast<std::int32_t>(got) : static_cast<std::int64_t>(got);
  return true;
}

}  // namespace weir::proxy
