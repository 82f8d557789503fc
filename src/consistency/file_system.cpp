#include "consistency/file_system.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace weir::consistency {
namespace {

FileSystem plain(std::string name, std::string title, std::string_view model) {
  return {std::move(name), std::move(title), *find_model(model), {}};
}

// Two overlapping accesses of one process may take effect in either order.
FileSystem unordered(FileSystem system, std::string note) {
  system.model.own_order = false;
  system.note = std::move(note);
  return system;
}

FileSystem relaxed_names(FileSystem system) {
  system.model.strong_names = false;
  system.note = "data as under posix; creating, renaming, removing and resizing may be seen late";
  return system;
}

FileSystem also_publishes(FileSystem system, Operation operation, std::string note) {
  system.model.publish.add(operation);
  system.note = std::move(note);
  return system;
}

// Overlapping writes are undefined, but what was brought to the servers before is there.
FileSystem orangefs(std::string name) {
  FileSystem system =
      unordered(plain(std::move(name), "OrangeFS (PVFS2)", "posix"),
                "overlapping writes are undefined, also of one process, unless fsync or close "
                "lies between");
  for (const Operation one : {Operation::fsync, Operation::fdatasync, Operation::close, Operation::fclose,
                              Operation::mpi_sync, Operation::mpi_close})
    system.model.publish.add(one);
  return system;
}

std::vector<FileSystem> make() {
  return {
      plain("local", "a local file system (ext4, XFS, tmpfs)", "posix"),
      plain("lustre", "Lustre", "posix"),
      plain("gpfs", "GPFS (Spectrum Scale)", "posix"),
      plain("beegfs", "BeeGFS", "posix"),
      relaxed_names(plain("gekkofs", "GekkoFS", "posix")),
      relaxed_names(plain("batchfs", "BatchFS", "posix")),
      orangefs("orangefs"),
      orangefs("pvfs2"),
      also_publishes(plain("unifyfs", "UnifyFS", "commit"), Operation::laminate,
                     "laminating a file (chmod without write permission) publishes it too"),
      plain("bscfs", "BSCFS", "commit"),
      plain("symphonyfs", "SymphonyFS", "commit"),
      unordered(plain("burstfs", "BurstFS", "commit"),
                "a read may return either of two writes of its own process that no commit separates"),
      plain("nfs", "NFS", "session"),
      plain("afs", "AFS", "session"),
      plain("ime", "DDN IME", "session"),
      plain("gfarm", "Gfarm/BB", "session"),
      unordered(plain("plfs", "PLFS", "eventual"), "overlapping writes are undefined, also of one process"),
      plain("echofs", "echofs", "eventual"),
      plain("marfs", "MarFS", "eventual"),
      plain("weir-posix", "Weir's burst file system, --consistency posix", "posix"),
      plain("weir-posix-lock", "Weir's burst file system, --consistency posix-lock", "posix"),
      plain("weir-commit", "Weir's burst file system, --consistency commit", "commit"),
      plain("weir-session", "Weir's burst file system, --consistency session", "session"),
      plain("weir-eventual", "Weir's burst file system, --consistency eventual", "eventual"),
  };
}

const std::vector<FileSystem>& table() {
  static const std::vector<FileSystem> list = make();
  return list;
}

}  // namespace

std::span<const FileSystem> file_systems() { return table(); }

const FileSystem* find_file_system(std::string_view name) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  for (const FileSystem& one : table())
    if (std::equal(one.name.begin(), one.name.end(), name.begin(), name.end(), same)) return &one;
  return nullptr;
}

std::string list_of_file_systems() {
  std::string list;
  for (const FileSystem& one : table()) {
    if (!list.empty()) list += ", ";
    list += one.name;
  }
  return list;
}

}  // namespace weir::consistency
