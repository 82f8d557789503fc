#include "consistency/operation.hpp"

namespace weir::consistency {
namespace {

constexpr std::array<std::string_view, kOperations> kNames = {
    "write",     "open", "close", "fopen",         "fclose",         "fflush",        "fsync",
    "fdatasync", "sync", "msync", "MPI_File_open", "MPI_File_close", "MPI_File_sync", "laminate"};

}  // namespace

std::string_view name(Operation operation) { return kNames[static_cast<std::size_t>(operation)]; }

std::optional<Operation> find_operation(std::string_view wanted) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == wanted) return static_cast<Operation>(i);
  return std::nullopt;
}

std::string list_of_operations() {
  std::string list;
  for (const std::string_view one : kNames) {
    if (!list.empty()) list += ", ";
    list += one;
  }
  return list;
}

}  // namespace weir::consistency
