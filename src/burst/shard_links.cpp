#include <fmt/format.h>

#include "burst/shard.hpp"

// Which names a file has. The backing directory has all of them or, before the first flush, none.
namespace weir::burst {

int Shard::rename_behind(const std::string& from, const std::string& to) const {
  const int error = backing_.rename(from, to);
  return error == ENOENT && backing_.stat(to) ? 0 : error;
}

Outcome<PathWasSet> Shard::set_path(const Header& /*header*/, const SetPath& request, Changes& changes) {
  const FileState* const file = state_.find(request.file);
  if (file == nullptr) return {ESTALE, {}};
  if (file->has_name(request.path)) return {0, {.has_both = file->has_name(request.from)}};
  if (is_flushing(request.file)) return {kAskAgain, {}};
  const bool is_other = file->other_names.contains(request.from);
  if (file->in_backing) {
    const int error = rename_behind(is_other ? request.from : file->path, request.path);
    if (error != 0) return {error, {}};
  }
  if (is_other) {
    changes.emplace_back(NameTaken{request.file, request.from});
    changes.emplace_back(NameAdded{request.file, request.path});
  } else {
    changes.emplace_back(PathSet{request.file, request.path, true});
  }
  return {0, {}};
}

// The owner of the name keeps others from it meanwhile. A file that was made to have no name gets its first;
// one that has lost its last is on its way out.
Outcome<Nothing> Shard::add_name(const Header& /*header*/, const AddName& request, Changes& changes) {
  const FileState* const file = state_.find(request.file);
  if (file == nullptr) return {ENOENT, {}};
  if (file->has_name(request.path)) return {EEXIST, {}};
  if (is_flushing(request.file)) return {kAskAgain, {}};
  if (!file->named) {
    const std::string_view path = file->path;
    if (file->in_backing || !path.substr(path.rfind('/') + 1).starts_with(kUnnamed)) return {ENOENT, {}};
    changes.emplace_back(PathSet{request.file, request.path, true});
    return {0, {}};
  }
  if (file->in_backing)
    if (const int error = backing_.link(file->path, request.path); error != 0) return {error, {}};
  changes.emplace_back(NameAdded{request.file, request.path});
  return {0, {}};
}

// Somebody may have renamed the file meanwhile: then it keeps its name. Who has it open still reads what the
// backing directory has of it, so with its last name that goes to a place of its own.
Outcome<Nothing> Shard::drop_name(const Header& /*header*/, const DropName& request, Changes& changes) {
  const FileState* const file = state_.find(request.file);
  if (file == nullptr || !file->has_name(request.path)) return {0, {}};
  if (is_flushing(request.file)) return {kAskAgain, {}};
  const bool is_last = file->other_names.empty();
  const bool hides = is_last && !file->opens.empty();
  const std::string hidden = fmt::format("{}/unlinked-{}", private_folder_, request.file.value);
  if (file->in_backing) {
    const int error = hides ? backing_.rename(request.path, hidden) : backing_.unlink(request.path);
    if (error != 0 && error != ENOENT) return {error, {}};
  }
  if (hides) {
    changes.emplace_back(PathSet{request.file, file->in_backing ? hidden : file->path, false});
  } else if (is_last) {
    changes.emplace_back(FileGone{request.file});
  } else if (file->path != request.path) {
    changes.emplace_back(NameTaken{request.file, request.path});
  } else {
    const std::string next = *file->other_names.begin();
    changes.emplace_back(NameTaken{request.file, next});
    changes.emplace_back(PathSet{request.file, next, true});
  }
  return {0, {}};
}

}  // namespace weir::burst
