#include "capture/hdf5/library.hpp"

#include "capture/hdf5/predefined.hpp"

namespace weir::capture {
namespace {

using Object = std::int64_t;  // hid_t since HDF5 1.10

// Numbers of H5I_type_t.
constexpr int kDatatype = 3;
constexpr int kDataspace = 4;
constexpr int kDataset = 5;

std::int64_t rank_of_dataset(Object dataset) {
  static const auto space_of = library_function<Object (*)(Object)>("H5Dget_space");
  static const auto rank_of_space = library_function<int (*)(Object)>("H5Sget_simple_extent_ndims");
  static const auto close = library_function<int (*)(Object)>("H5Sclose");
  if (space_of == nullptr || rank_of_space == nullptr || close == nullptr) return -1;
  const Object space = space_of(dataset);
  if (space < 0) return -1;
  const int rank = rank_of_space(space);
  close(space);
  return rank;
}

std::int64_t rank_of(std::int64_t object, std::int64_t) {
  static const auto type_of = library_function<int (*)(Object)>("H5Iget_type");
  static const auto rank_of_space = library_function<int (*)(Object)>("H5Sget_simple_extent_ndims");
  static const auto rank_of_type = library_function<int (*)(Object)>("H5Tget_array_ndims");
  const int type = type_of == nullptr ? -1 : type_of(object);
  if (type == kDataspace && rank_of_space != nullptr) return rank_of_space(object);
  if (type == kDatatype && rank_of_type != nullptr) return rank_of_type(object);
  return type == kDataset ? rank_of_dataset(object) : -1;
}

const char* name_of(Role role, std::int64_t object, std::string_view argument) {
  if (object < 0) return "";
  if (object > 0) return nullptr;
  if (role == Role::property) return "H5P_DEFAULT";
  if (role == Role::space) return "H5S_ALL";
  return argument == "es_id" ? "H5ES_NONE" : "H5E_DEFAULT";
}

bool owns(Role role) {
  return role == Role::object || role == Role::property || role == Role::space || role == Role::datatype;
}

constinit ObjectLibrary library(
    {.owns = owns, .name_of = name_of, .predefined = predefined_hdf5_object, .rank_of = rank_of});

}  // namespace

ObjectLibrary& hdf5_library() { return library; }

}  // namespace weir::capture
