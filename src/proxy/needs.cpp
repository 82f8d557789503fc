#include "proxy/needs.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>

#include <fcntl.h>

#include "proxy/own_calls.hpp"
#include "trace/records.hpp"

namespace weir::proxy {
namespace {

using trace::Record;
using trace::Value;

const Value* find(const Record& record, std::string_view name) {
  for (std::size_t i = 0; i < record.arguments.size(); ++i)
    if (record.function->arguments[i].name == name) return &record.arguments[i];
  return nullptr;
}

std::int64_t number(const Record& record, std::string_view name) {
  const Value* const value = find(record, name);
  return value != nullptr && value->kind == Value::Kind::number ? value->number : 0;
}

bool is_one_of(std::string_view name, auto... names) { return ((name == names) || ...); }

// The same name written in one way.
std::string plain(std::string_view name, std::string_view under) {
  std::filesystem::path path(name);
  if (path.is_relative()) path = std::filesystem::path(under) / path;
  std::string made = path.lexically_normal().string();
  while (made.size() > 1 && made.back() == '/') made.pop_back();
  return made;
}

constexpr std::int64_t kCreateMode = 1;  // MPI_MODE_CREATE in both libraries

// Size of the items of a predefined datatype; derived ones are taken for large.
std::int64_t size_of_type(const Value* type) {
  constexpr std::int64_t kLarge = 64;
  if (type == nullptr || type->kind != Value::Kind::text) return kLarge;
  if (is_one_of(type->text, "MPI_BYTE", "MPI_CHAR", "MPI_PACKED")) return 1;
  if (is_one_of(type->text, "MPI_INT", "MPI_FLOAT", "MPI_UNSIGNED")) return 4;
  return 16;
}

class Finder {
 public:
  explicit Finder(Plan& plan) : plan_(plan) {}

  void add(std::size_t process, const Record& record, std::string_view directory) {
    follow_paths(record, directory);
    follow_data(process, record);
  }

 private:
  struct State {
    bool exists = false;       // by a call of the program, or because it is needed
    std::int64_t written = 0;  // as far as the program has written
  };
  struct Position {
    std::int64_t at = 0;
    bool at_end = false;   // of a file whose size is not known yet
    bool appends = false;  // writes go to the end, wherever it is
  };

  Need& need(const std::string& path, Need::Kind kind) {
    const auto [at, is_new] = plan_.needs.try_emplace(path);
    if (is_new) at->second.kind = kind;
    if (kind == Need::Kind::directory) at->second.kind = kind;
    files_[path].exists = true;
    return at->second;
  }
  void exists(const std::string& path, Need::Kind kind) {
    // Something that was only looked at may turn out to be a directory.
    if (const auto known = plan_.needs.find(path);
        known != plan_.needs.end() && kind == Need::Kind::directory)
      known->second.kind = kind;
    if (path == "/" || files_[path].exists) return;
    need_parent(path);
    need(path, kind);
  }
  void need_parent(const std::string& path) {
    const std::string parent = std::filesystem::path(path).parent_path().string();
    if (parent != "/" && !parent.empty()) exists(parent, Need::Kind::directory);
  }
  void made(const std::string& path, bool empty) {
    need_parent(path);
    files_[path].exists = true;
    if (empty) files_[path].written = 0;
  }

  static bool creates_file(std::string_view name) {
    return name == "H5Fcreate" || name.starts_with("nc_create") || name.starts_with("nc__create") ||
           name == "ncmpi_create";
  }

  // How a call needs the name it is given.
  void follow_path(const Record& record, std::string_view argument, const std::string& path) {
    const std::string_view name = record.function->means;
    if (record.failed()) {
      if (record.result.number == EEXIST && argument != "target")
        exists(path, name.starts_with("mkdir") ? Need::Kind::directory : Need::Kind::file);
      if (record.result.number == EISDIR) exists(path, Need::Kind::directory);
      return;
    }
    const std::int64_t flags = number(record, "flags");
    const Value* const mode = find(record, "mode");
    const std::string_view stdio_mode = mode != nullptr && mode->kind == Value::Kind::text ? mode->text : "";
    const bool opens = name == "open" || name == "openat";
    if (is_one_of(name, "mkdir", "mkdirat", "mknod", "mknodat", "mkfifo", "mkfifoat", "symlink", "symlinkat",
                  "creat") ||
        argument == "newpath" || (opens && (flags & O_CREAT) != 0) || stdio_mode.starts_with('w') ||
        stdio_mode.starts_with('a') ||
        (name == "MPI_File_open" && (number(record, "amode") & kCreateMode) != 0) || creates_file(name)) {
      made(path,
           (flags & O_TRUNC) != 0 || stdio_mode.starts_with('w') || name == "creat" || creates_file(name));
    } else if (is_one_of(name, "opendir", "chdir", "scandir", "rmdir", "chroot") ||
               (opens && (flags & O_DIRECTORY) != 0)) {
      exists(path, Need::Kind::directory);
    } else if (name == "readlink" || name == "readlinkat") {
      if (!files_[path].exists) need(path, Need::Kind::link).size = record.result.number;
    } else {
      exists(path, Need::Kind::file);
    }
    if (is_one_of(name, "unlink", "unlinkat", "rmdir", "remove", "MPI_File_delete") ||
        (name.starts_with("rename") && argument == "path"))
      files_[path] = {};
  }

  void follow_paths(const Record& record, std::string_view directory) {
    std::string_view under = directory;
    for (std::size_t i = 0; i < record.arguments.size(); ++i) {
      const Value& value = record.arguments[i];
      const Argument& about = record.function->arguments[i];
      if (about.role == Role::directory && value.kind == Value::Kind::handle) under = value.text;
      if (value.kind != Value::Kind::path || about.direction == Direction::out || value.text.empty())
        continue;
      const std::string path = plain(value.text, under);
      if (tells_of_machine(path)) continue;
      if (about.direction == Direction::inout)
        made(path, true);
      else
        follow_path(record, about.name, path);
    }
  }

  // As far as this the file was there to be read.
  void readable(const std::string& path, std::int64_t end) {
    if (end <= files_[path].written) return;
    Need& needed = need(path, Need::Kind::file);
    needed.size = std::max(needed.size, end);
  }

  void follow_data(std::size_t process, const Record& record) {
    const trace::Function& function = *record.function;
    if (record.result.kind == Value::Kind::opened)
      positions_[{process, record.result.handle}] = {0, false, opens_to_append(record)};
    const Value* handle = nullptr;
    for (const Value& value : record.arguments)
      if (value.kind == Value::Kind::handle && handle == nullptr) handle = &value;
    if (handle == nullptr || record.failed()) return;
    const bool is_file = handle->text.starts_with('/');
    if (!is_file && handle->number != 0) return;
    const std::string path = is_file ? std::string(handle->text) : kInput;
    if (tells_of_machine(path) || path.starts_with("/dev/")) return;
    Position& position = positions_[{process, handle->handle}];
    if (seeks(record, path, position)) return;
    if (function.moves == 0 && function.means != "mmap") return;
    const Value* const offset = find(record, "offset");
    const bool at_offset = offset != nullptr && offset->kind == Value::Kind::number;
    std::int64_t from = at_offset ? offset->number : position.at;
    if (position.appends && function.moves > 0) from = end_of(path);
    const std::int64_t moved = bytes_of(record);
    if (!at_offset) position.at = from + moved;
    if (function.moves > 0) {
      files_[path].written = std::max(files_[path].written, from + moved);
      return;
    }
    if (moved > 0) readable(path, from + moved);
    const bool line = function.means == "getline" || function.means == "getdelim" ||
                      (function.means == "fgets" && moved < number(record, "size") - 1);
    if (line && moved > 0 && from + moved > files_[path].written) {
      std::vector<std::int64_t>& ends = plan_.needs[path].line_ends;
      if (ends.empty() || ends.back() < from + moved - 1) ends.push_back(from + moved - 1);
    }
  }

  static bool opens_to_append(const Record& record) {
    const Value* const mode = find(record, "mode");
    return (number(record, "flags") & O_APPEND) != 0 ||
           (mode != nullptr && mode->kind == Value::Kind::text && mode->text.starts_with('a'));
  }

  std::int64_t end_of(const std::string& path) {
    const auto needed = plan_.needs.find(path);
    return std::max(files_[path].written, needed != plan_.needs.end() ? needed->second.size : 0);
  }

  static std::int64_t bytes_of(const Record& record) {
    const trace::Function& function = *record.function;
    if (function.layer == "mpiio") return number(record, "count") * size_of_type(find(record, "datatype"));
    if (function.means == "mmap") return number(record, "length");
    if (function.means == "fgets") return number(record, "buf");
    if (function.result == Role::character) return 1;
    return static_cast<std::int64_t>(trace::least_moved(record));
  }

  bool seeks(const Record& record, const std::string& path, Position& position) {
    const trace::Function& function = *record.function;
    const std::int64_t whence = number(record, "whence");
    const std::int64_t offset = number(record, "offset");
    if (function.means == "lseek" || function.means == "ftell" || function.means == "ftello") {
      const bool tells_size = function.means == "lseek" ? whence == 2 : position.at_end;
      if (tells_size) readable(path, record.result.number - (function.means == "lseek" ? offset : 0));
      position.at = record.result.number;
      position.at_end = false;
      return true;
    }
    if (function.means == "fseek" || function.means == "fseeko" || function.means == "MPI_File_seek") {
      position.at_end = whence == 2;
      if (whence == 0) position.at = offset;
      if (whence == 1) position.at += offset;
      return true;
    }
    if (function.means == "rewind") position.at = 0;
    return function.means == "rewind";
  }

  Plan& plan_;
  std::map<std::string, State> files_;
  std::map<std::pair<std::size_t, std::uint32_t>, Position> positions_;
};

}  // namespace

Result<void> find_needs(Plan& plan) {
  Finder finder(plan);
  std::map<std::size_t, OwnCalls> own;
  for (const ProcessPlan& one : plan.processes)
    own.emplace(one.process, OwnCalls(plan.trace->processes()[one.process].rank >= 0));
  trace::Records records(*plan.trace, {});
  trace::Records::Item item;
  while (records.next(item)) {
    const auto at = own.find(item.process);
    if (at == own.end()) continue;
    if (at->second.is_made(*item.record, item.stream)) finder.add(item.process, *item.record, item.directory);
  }
  if (records.error()) return *records.error();
  return {};
}

}  // namespace weir::proxy
