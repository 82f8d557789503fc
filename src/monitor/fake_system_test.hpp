#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/scratch_dir.hpp"

namespace weir::monitor::test {

// A tree with files of /proc and /sys as a test wants them.
class FakeSystem {
 public:
  std::filesystem::path root() const { return scratch_.path(); }

  // Replaces the content of a file in place, as counters change: who has it open reads the new content.
  void write(const std::string& path, std::string_view text) const {
    std::filesystem::create_directories((root() / path).parent_path());
    std::ofstream(root() / path, std::ios::trunc) << text;
  }
  void folder(const std::string& path) const { std::filesystem::create_directories(root() / path); }
  void remove(const std::string& path) const { std::filesystem::remove_all(root() / path); }
  // `at` becomes a link to `target` (both within the tree).
  void link(const std::string& at, const std::string& target) const {
    std::filesystem::create_directories((root() / at).parent_path());
    std::filesystem::create_directory_symlink(root() / target, root() / at);
  }

  // A disk with its number, as sysfs shows it.
  void disk(const std::string& name, const std::string& number, std::string_view stat) const {
    write("sys/devices/block/" + name + "/stat", stat);
    link("sys/block/" + name, "sys/devices/block/" + name);
    link("sys/class/block/" + name, "sys/devices/block/" + name);
    link("sys/dev/block/" + number, "sys/devices/block/" + name);
  }
  void partition(const std::string& disk, const std::string& name, const std::string& number) const {
    write("sys/devices/block/" + disk + "/" + name + "/partition", "1\n");
    link("sys/class/block/" + name, "sys/devices/block/" + disk + "/" + name);
    link("sys/dev/block/" + number, "sys/devices/block/" + disk + "/" + name);
  }
  void mounts(std::string_view lines) const { write("proc/self/mountinfo", lines); }

 private:
  ScratchDir scratch_;
};

// Numbers of a disk with so many sectors read and written.
inline std::string disk_stat(int read, int written) {
  return "1 0 " + std::to_string(read) + " 1 1 0 " + std::to_string(written) + " 1 0 1 1 0 0 0 0 0 0\n";
}

}  // namespace weir::monitor::test
