#include "semantics/detail/action.hpp"

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
      {"fork", Action::fork},
      {"_Fork", Action::fork},
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

CallInfo call_info(const trace::Function& function) {
  CallInfo info;
  info.in_mpi = function.layer == "mpi" || function.layer == "mpiio";
  if (!is_known(function)) return info;
  find_arguments(function, info);
  const Table& table = info.in_mpi ? mpi_actions() : posix_actions();
  const std::string_view name = function.means;
  if (const auto found = table.find(name); found != table.end()) info.action = found->second;
  info.moves = static_cast<std::int8_t>(info.in_mpi ? mpi_direction(name) : trace::direction(function));
  if (info.in_mpi && info.moves != 0) {
    info.action = name.ends_with("_begin") ? Action::mpi_begin_split : Action::mpi_transfer;
    info.shared = name.find("_shared") != name.npos || name.find("_ordered") != name.npos;
  } else if (info.action == Action::nothing && function.layer == "stdio" && info.moves != 0) {
    info.action = Action::transfer_stream;
  }
  const bool on_data = info.moves != 0 || info.action == Action::open || info.action == Action::open_stream ||
                       info.action == Action::close || info.action == Action::close_stream ||
                       info.action == Action::seek || info.action == Action::seek_stream ||
                       info.action == Action::sync_data || info.action == Action::flush_stream;
  info.metadata = function.layer == "posix" && !on_data && (info.path >= 0 || info.handle >= 0);
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
