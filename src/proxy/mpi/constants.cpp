#include "proxy/mpi/constants.hpp"

#include <array>
#include <map>
#include <string>
#include <utility>

#include <mpi.h>

#include "proxy/runtime/mpi_world.hpp"

namespace weir::proxy::mpi {
namespace {

template <class T, std::size_t N>
std::optional<T> find_in(const std::array<std::pair<std::string_view, T>, N>& list, std::string_view name) {
  for (const auto& [known, value] : list)
    if (known == name) return value;
  return std::nullopt;
}

const std::map<std::string, Handle, std::less<>>& objects() {
  static const std::map<std::string, Handle, std::less<>> all = {
#define WEIR_MPI_OBJECT(role, object) {#object, Handle::of(object)},
#include "calls/mpi_objects.def"
  };
  return all;
}

void do_nothing() {}

}  // namespace

std::size_t bytes_of_handle(std::string_view type) {
  return type == "MPI_File" ? sizeof(MPI_File) : sizeof(MPI_Comm);
}

std::int64_t value_of(std::string_view type, const Handle& handle) {
  if (bytes_of_handle(type) == sizeof(std::int32_t)) {
    std::int32_t value = 0;
    std::memcpy(&value, handle.bytes, sizeof value);
    return value;
  }
  std::int64_t value = 0;
  std::memcpy(&value, handle.bytes, sizeof value);
  return value;
}

Handle handle_of(std::string_view type, std::int64_t value) {
  if (bytes_of_handle(type) == sizeof(std::int32_t)) return Handle::of(static_cast<std::int32_t>(value));
  return Handle::of(value);
}

Handle null_of(std::string_view type) {
  static const std::array<std::pair<std::string_view, Handle>, 10> kNulls = {{
      {"MPI_Comm", Handle::of(MPI_COMM_NULL)},
      {"MPI_Group", Handle::of(MPI_GROUP_NULL)},
      {"MPI_Datatype", Handle::of(MPI_DATATYPE_NULL)},
      {"MPI_Info", Handle::of(MPI_INFO_NULL)},
      {"MPI_Op", Handle::of(MPI_OP_NULL)},
      {"MPI_Win", Handle::of(MPI_WIN_NULL)},
      {"MPI_Request", Handle::of(MPI_REQUEST_NULL)},
      {"MPI_Errhandler", Handle::of(MPI_ERRHANDLER_NULL)},
      {"MPI_Message", Handle::of(MPI_MESSAGE_NULL)},
      {"MPI_File", Handle::of(MPI_FILE_NULL)},
  }};
  return find_in(kNulls, type).value_or(Handle());
}

std::optional<Handle> find_object(std::string_view name) {
  const auto found = objects().find(name);
  return found == objects().end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::int64_t> find_number(std::string_view name) {
  static const std::array<std::pair<std::string_view, std::int64_t>, 5> kNumbers = {
      {{"MPI_PROC_NULL", MPI_PROC_NULL},
       {"MPI_ANY_SOURCE", MPI_ANY_SOURCE},
       {"MPI_ROOT", MPI_ROOT},
       {"MPI_UNDEFINED", MPI_UNDEFINED},
       {"MPI_ANY_TAG", MPI_ANY_TAG}}};
  return find_in(kNumbers, name);
}

std::optional<const void*> find_address(std::string_view name) {
  static const std::array<std::pair<std::string_view, const void*>, 3> kAddresses = {
      {{"MPI_IN_PLACE", MPI_IN_PLACE},
       {"MPI_UNWEIGHTED", MPI_UNWEIGHTED},
       {"MPI_WEIGHTS_EMPTY", MPI_WEIGHTS_EMPTY}}};
  return find_in(kAddresses, name);
}

const void* find_function(std::string_view type) {
  const auto address = [](auto* function) { return reinterpret_cast<const void*>(function); };
  static const std::array<std::pair<std::string_view, const void*>, 12> kFunctions = {
      {{"MPI_Comm_copy_attr_function", address(MPI_COMM_NULL_COPY_FN)},
       {"MPI_Comm_delete_attr_function", address(MPI_COMM_NULL_DELETE_FN)},
       {"MPI_Type_copy_attr_function", address(MPI_TYPE_NULL_COPY_FN)},
       {"MPI_Type_delete_attr_function", address(MPI_TYPE_NULL_DELETE_FN)},
       {"MPI_Win_copy_attr_function", address(MPI_WIN_NULL_COPY_FN)},
       {"MPI_Win_delete_attr_function", address(MPI_WIN_NULL_DELETE_FN)},
       {"MPI_Copy_function", address(MPI_COMM_NULL_COPY_FN)},
       {"MPI_Delete_function", address(MPI_COMM_NULL_DELETE_FN)},
       {"MPI_Comm_errhandler_function", address(&weir_proxy::ignore_error<MPI_Comm>)},
       {"MPI_Handler_function", address(&weir_proxy::ignore_error<MPI_Comm>)},
       {"MPI_Win_errhandler_function", address(&weir_proxy::ignore_error<MPI_Win>)},
       {"MPI_File_errhandler_function", address(&weir_proxy::ignore_error<MPI_File>)}}};
  return find_in(kFunctions, type).value_or(address(&do_nothing));
}

}  // namespace weir::proxy::mpi
