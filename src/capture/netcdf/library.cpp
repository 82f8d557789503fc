#include "capture/netcdf/library.hpp"

namespace weir::capture {
namespace {

constexpr std::int64_t kGlobal = -1;  // NC_GLOBAL: the file's own attributes

using VariableDimensions = int (*)(int, int, int*);

std::int64_t rank_by(VariableDimensions ask, std::int64_t file, std::int64_t variable) {
  if (variable == kGlobal) return -1;
  int rank = -1;
  if (ask == nullptr || ask(static_cast<int>(file), static_cast<int>(variable), &rank) != 0) return -1;
  return rank;
}

const char* no_names(Role, std::int64_t, std::string_view) { return nullptr; }
const char* nothing_predefined(std::int64_t) { return nullptr; }
const char* name_of_request(Role role, std::int64_t object, std::string_view) {
  return role == Role::request && object == -1 ? "" : nullptr;  // NC_REQ_NULL
}

std::int64_t rank_in_netcdf(std::int64_t file, std::int64_t variable) {
  static const auto ask = library_function<VariableDimensions>("nc_inq_varndims");
  return rank_by(ask, file, variable);
}
std::int64_t rank_in_pnetcdf(std::int64_t file, std::int64_t variable) {
  static const auto ask = library_function<VariableDimensions>("ncmpi_inq_varndims");
  return rank_by(ask, file, variable);
}

constinit ObjectLibrary netcdf({.owns = [](Role role) { return role == Role::object; },
                                .name_of = no_names,
                                .predefined = nothing_predefined,
                                .rank_of = rank_in_netcdf});
constinit ObjectLibrary pnetcdf({.owns =
                                     [](Role role) { return role == Role::object || role == Role::request; },
                                 .name_of = name_of_request,
                                 .predefined = nothing_predefined,
                                 .rank_of = rank_in_pnetcdf});

}  // namespace

ObjectLibrary& netcdf_library() { return netcdf; }
ObjectLibrary& pnetcdf_library() { return pnetcdf; }

}  // namespace weir::capture
