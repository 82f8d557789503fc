#include "semantics/detail/action.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include "semantics/detail/known_call.hpp"

namespace weir::semantics::detail {
namespace {

using Table = std::unordered_map<std::string_view, Action>;

const Table& posix_actions() {
  static const Table table = {
      {"open", Action::open},
      {"openat", Action::open},
      {"creat", Action::open},
      {"mkstemp", Action::open},
      {"mkostemp", Action::open},
      {"mkstemps", Action::open},
      {"mkostemps", Action::open},
      {"fopen", Action::open_stream},
      {"tmpfile", Action::open_stream},
      {"fdopen", Action::make_stream},
      {"freopen", Action::reopen},
      {"dup", Action::duplicate},
      {"dup2", Action::duplicate},
      {"dup3", Action::duplicate},
      {"close", Action::close},
      {"fclose", Action::close_stream},
      {"close_range", Action::close_numbers},
      {"closefrom", Action::close_numbers},
      {"fcloseall", Action::close_streams},
      {"read", Action::transfer},
      {"write", Action::transfer},
      {"readv", Action::transfer},
      {"writev", Action::transfer},
      {"dprintf", Action::transfer},
      {"vdprintf", Action::transfer},
      {"pread", Action::transfer_at},
      {"pwrite", Action::transfer_at},
      {"preadv", Action::transfer_at},
      {"pwritev", Action::transfer_at},
      {"preadv2", Action::transfer_at},
      {"pwritev2", Action::transfer_at},
      {"aio_read", Action::begin_request},
      {"aio_write", Action::begin_request},
      {"lio_listio", Action::begin_requests},
      {"aio_return", Action::end_request},
      {"aio_error", Action::end_request},
      {"sendfile", Action::copy},
      {"copy_file_range", Action::copy},
      {"splice", Action::copy},
      {"lseek", Action::seek},
      {"fseek", Action::seek_stream},
      {"fseeko", Action::seek_stream},
      {"ftell", Action::tell_stream},
      {"ftello", Action::tell_stream},
      {"rewind", Action::rewind_stream},
      {"fsetpos", Action::lose_position},
      {"ungetc", Action::push_back},
      {"ungetwc", Action::push_back},
      {"fflush", Action::flush_stream},
      {"setvbuf", Action::set_buffer},
      {"setbuf", Action::set_buffer},
      {"fcntl", Action::control},
      {"fsync", Action::sync_data},
      {"fdatasync", Action::sync_data},
      {"sync", Action::sync_all},
      {"syncfs", Action::sync_all},
      {"truncate", Action::truncate_name},
      {"ftruncate", Action::truncate},
      {"fallocate", Action::allocate},
      {"posix_fallocate", Action::allocate},
      {"mmap", Action::map},
      {"munmap", Action::unmap},
      {"msync", Action::sync_map},
      {"mremap", Action::move_map},
      {"fork", Action::fork},
      {"_Fork", Action::fork},
      {"vfork", Action::vfork},
      {"execve", Action::replace_program},
      {"execv", Action::replace_program},
      {"execvp", Action::replace_program},
      {"execvpe", Action::replace_program},
      {"execl", Action::replace_program},
      {"execle", Action::replace_program},
      {"execlp", Action::replace_program},
      {"fexecve", Action::replace_program},
      {"execveat", Action::replace_program},
      {"rename", Action::rename},
      {"renameat", Action::rename},
      {"renameat2", Action::rename},
      {"link", Action::link},
      {"linkat", Action::link},
      {"symlink", Action::soft_link},
      {"symlinkat", Action::soft_link},
      {"unlink", Action::remove_name},
      {"unlinkat", Action::remove_name},
      {"remove", Action::remove_name},
      {"rmdir", Action::remove_name},
      {"mkdir", Action::make_directory},
      {"mkdirat", Action::make_directory},
      {"stat", Action::look_up},
      {"lstat", Action::look_up},
      {"fstatat", Action::look_up},
      {"statx", Action::look_up},
      {"access", Action::look_up},
      {"faccessat", Action::look_up},
      {"euidaccess", Action::look_up},
      {"opendir", Action::list_names},
      {"scandir", Action::list_names},
      {"chmod", Action::change_mode},
      {"fchmod", Action::change_mode},
      {"fchmodat", Action::change_mode},
  };
  return table;
}

const Table& mpi_actions() {
  static const Table table = {
      {"MPI_File_open", Action::mpi_open},
      {"MPI_File_close", Action::mpi_close},
      {"MPI_File_sync", Action::mpi_sync},
      {"MPI_File_set_view", Action::mpi_view},
      {"MPI_File_seek", Action::mpi_seek},
      {"MPI_File_get_position", Action::mpi_tell},
      {"MPI_File_set_size", Action::mpi_resize},
      {"MPI_File_preallocate", Action::nothing},
      {"MPI_File_delete", Action::mpi_delete},
      {"MPI_Wait", Action::mpi_complete},
      {"MPI_Waitany", Action::mpi_complete},
      {"MPI_Waitall", Action::mpi_complete},
      {"MPI_Waitsome", Action::mpi_complete},
      {"MPI_Test", Action::mpi_complete},
      {"MPI_Testany", Action::mpi_complete},
      {"MPI_Testall", Action::mpi_complete},
      {"MPI_Testsome", Action::mpi_complete},
      {"MPI_Request_get_status", Action::mpi_complete},
      {"MPI_Type_free", Action::free_type},
      {"MPI_Type_commit", Action::nothing},
      {"MPI_Type_contiguous", Action::make_type},
      {"MPI_Type_vector", Action::make_type},
      {"MPI_Type_create_hvector", Action::make_type},
      {"MPI_Type_hvector", Action::make_type},
      {"MPI_Type_indexed", Action::make_type},
      {"MPI_Type_create_hindexed", Action::make_type},
      {"MPI_Type_hindexed", Action::make_type},
      {"MPI_Type_create_indexed_block", Action::make_type},
      {"MPI_Type_create_hindexed_block", Action::make_type},
      {"MPI_Type_create_struct", Action::make_type},
      {"MPI_Type_struct", Action::make_type},
      {"MPI_Type_create_subarray", Action::make_type},
      {"MPI_Type_create_darray", Action::make_type},
      {"MPI_Type_create_resized", Action::make_type},
      {"MPI_Type_dup", Action::make_type},
  };
  return table;
}

// MPI_File_iwrite_at_all: whether data goes to the file (1), from it (-1), or it is another call.
int mpi_direction(std::string_view name) {
  constexpr std::string_view prefix = "MPI_File_";
  if (!name.starts_with(prefix)) return 0;
  name.remove_prefix(prefix.size());
  if (name.starts_with('i')) name.remove_prefix(1);
  if (name.ends_with("_end")) return 0;  // the access was told by the first part
  if (name.starts_with("read")) return -1;
  return name.starts_with("write") ? 1 : 0;
}

void find_arguments(const trace::Function& function, CallInfo& info) {
  for (std::size_t i = 0; i < function.arguments.size(); ++i) {
    const auto at = static_cast<std::int8_t>(i);
    const auto first = [at](std::int8_t& place) {
      if (place < 0) place = at;
    };
    switch (function.arguments[i].role) {
      case Role::file:
      case Role::stream:
        first(info.handle);
        break;
      case Role::path:
        info.path < 0 ? info.path = at : info.second_path = at;
        break;
      case Role::directory:
        info.directory < 0 ? info.directory = at : info.second_directory = at;
        break;
      case Role::offset:
        first(info.offset);
        break;
      case Role::flags:
        first(info.flags);
        break;
      case Role::count:
        first(info.count);
        break;
      case Role::datatype:
        first(info.datatype);
        break;
      default:
        break;
    }
  }
}

Library library_of(std::string_view layer) {
  if (layer == "mpi" || layer == "mpiio") return Library::mpi;
  if (layer == "hdf5") return Library::hdf5;
  if (layer == "netcdf") return Library::netcdf;
  return layer == "pnetcdf" ? Library::pnetcdf : Library::none;
}

// What asks about a file or changes it otherwise than by its data.
bool is_metadata_of_mpiio(std::string_view name) {
  constexpr std::array<std::string_view, 10> kNames = {
      "MPI_File_delete",        "MPI_File_set_size",     "MPI_File_preallocate", "MPI_File_get_size",
      "MPI_File_get_group",     "MPI_File_get_amode",    "MPI_File_set_info",    "MPI_File_get_info",
      "MPI_File_set_atomicity", "MPI_File_get_atomicity"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

// What makes, opens, asks about or removes objects in a file, and their attributes. Opening and closing the
// file itself, its flushes and the data of datasets are none; property lists, types and spaces live in
// memory.
bool is_metadata_of_hdf5(std::string_view name) {
  constexpr std::array<std::string_view, 7> kObjects = {"H5A", "H5D", "H5F", "H5G", "H5L", "H5O", "H5R"};
  constexpr std::array<std::string_view, 13> kOthers = {
      "H5Fcreate",          "H5Fopen",       "H5Fclose",       "H5Fflush",
      "H5Freopen",          "H5Dread",       "H5Dwrite",       "H5Dread_multi",
      "H5Dwrite_multi",     "H5Dread_chunk", "H5Dwrite_chunk", "H5Dget_access_plist",
      "H5Dget_create_plist"};
  if (name.size() < 4 || std::find(kObjects.begin(), kObjects.end(), name.substr(0, 3)) == kObjects.end())
    return false;
  return std::find(kOthers.begin(), kOthers.end(), name) == kOthers.end() && name[3] >= 'a' && name[3] <= 'z';
}

CallInfo call_info(const trace::Function& function) {
  CallInfo info;
  info.in_mpi = function.layer == "mpi" || function.layer == "mpiio";
  info.library = library_of(function.layer);
  info.opens_ring = function.layer == "uring" && function.opens;
  if (!is_known(function)) return info;
  find_arguments(function, info);
  const Table& table = info.in_mpi ? mpi_actions() : posix_actions();
  const std::string_view name = function.means;
  if (const auto found = table.find(name); found != table.end()) info.action = found->second;
  info.moves = static_cast<std::int8_t>(info.in_mpi ? mpi_direction(name) : trace::direction(function));
  if (info.in_mpi && info.moves != 0) {
    info.action = name.ends_with("_begin") ? Action::mpi_begin_split : Action::mpi_transfer;
    info.shared = name.find("_shared") != name.npos || name.find("_ordered") != name.npos;
  } else if (function.layer == "mpiio" && name.ends_with("_end")) {
    info.action = Action::mpi_end_split;
  } else if (info.action == Action::nothing && function.layer == "stdio" && info.moves != 0) {
    info.action = Action::transfer_stream;
  }
  const bool on_data = info.moves != 0 || info.action == Action::open || info.action == Action::open_stream ||
                       info.action == Action::close || info.action == Action::close_stream ||
                       info.action == Action::seek || info.action == Action::seek_stream ||
                       info.action == Action::sync_data || info.action == Action::flush_stream;
  if (function.layer == "posix") info.metadata = !on_data && (info.path >= 0 || info.handle >= 0);
  if (function.layer == "mpiio") info.metadata = is_metadata_of_mpiio(name);
  if (function.layer == "hdf5") info.metadata = is_metadata_of_hdf5(name);
  return info;
}

}  // namespace

std::vector<CallInfo> call_infos(const std::vector<trace::Function>& functions) {
  std::vector<CallInfo> infos;
  infos.reserve(functions.size());
  for (const trace::Function& function : functions) infos.push_back(call_info(function));
  return infos;
}

}  // namespace weir::semantics::detail
