#pragma once

#include <atomic>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace weir::burst::preload {

// A name below the mount, as the program's call means it.
struct Where {
  bool inside = false;
  std::string name;  // clean, relative to the mount; empty for the mount itself
  mode_t type = 0;   // S_IFMT of what the backing directory has there; zero when it has nothing

  // A name that the file system answers for: a regular file, or none that anybody else knows.
  bool is_file() const;
  bool is_directory() const;
};

// What the kernel calls an open file; empty where that is no path.
std::string path_behind(int fd);

// Whether the last part of a name is followed when it is a symbolic link.
enum class Follow { yes, no };

// Which names are the file system's. The directory is one and the same for the mount and for what is behind
// it, so directories, links and special files are reached by the program's own calls.
class Mount {
 public:
  static Mount& current() { return instance_; }

  // `as_given`: by the name the user knows it by; false when there is no such directory.
  bool start(const char* as_given);
  void stop() { length_ = 0; }
  bool is_on() const { return length_ > 0; }

  // False for names that are surely elsewhere; a few nanoseconds, no system call.
  bool may_hold(const char* path) const {
    if (length_ == 0 || path == nullptr) return false;
    if (*path != '/') return related_.load(std::memory_order_relaxed) || leads_up(path);
    return has_prefix(path, root_, length_) || has_prefix(path, given_, given_length_) || is_unclean(path);
  }
  // The same for a name that is relative to a directory's descriptor.
  bool may_hold(int directory, const char* path) const;

  Where locate(int directory, const char* path, Follow follow) const;
  // Whether the mount lies below this name, or the name below it.
  bool is_met_from(const char* path) const;

  // Adds what the backing directory has in a directory; false and errno.
  bool names_in(const std::string& directory, std::vector<std::string>& names) const;
  // What Weir keeps in the directory for itself.
  static bool is_hidden(std::string_view directory, std::string_view entry) {
    return directory.empty() && entry.starts_with(".weir-");
  }

  // After chdir and its like, and after umask. What a child of vfork changes is its own: that is asked of the
  // kernel.
  void directory_changed();
  void umask_changed(mode_t mask);

  // It may stand for another directory from now on.
  void forget_descriptor(int fd) {
    if (fd >= 0 && fd < kRemembered && relations_[fd].load(std::memory_order_relaxed) != Relation::unknown)
      relations_[fd].store(Relation::unknown, std::memory_order_relaxed);
  }
  int root() const { return root_fd_; }
  std::string absolute(const std::string& name) const;
  std::string_view path() const { return {root_, length_}; }
  dev_t device() const { return device_; }

  mode_t umask() const;

 private:
  static constexpr std::size_t kRoom = 4096;
  static constexpr int kRemembered = 65536;
  enum class Relation : unsigned char { unknown, elsewhere, related };

  // Both absolute; most that differ do so in their first letter.
  static bool has_prefix(const char* path, const char* prefix, std::size_t length) {
    return path[1] == prefix[1] && std::strncmp(path, prefix, length) == 0 &&
           (path[length] == '/' || path[length] == '\0');
  }
  // Whether it holds "..".
  static bool leads_up(const char* path) { return std::strstr(path, "..") != nullptr; }
  // Whether it holds "//", "/./" or "/../": another spelling of a name.
  static bool is_unclean(const char* path);
  bool concerns(std::string_view directory) const;  // the mount lies in it or above it
  // Absolute, without "." and ".." and double slashes.
  bool make_absolute(int directory, std::string_view path, std::string& out) const;
  bool strip(const std::string& absolute, std::string& name) const;
  Where follow_links(std::string name, Follow follow) const;

  char root_[kRoom] = {};
  char given_[kRoom] = {};
  std::size_t length_ = 0;
  std::size_t given_length_ = 0;
  int root_fd_ = -1;
  dev_t device_ = 0;
  std::atomic<mode_t> umask_{022};
  std::atomic<bool> related_{false};  // the working directory, or that of a child of vfork
  mutable std::mutex mutex_;          // guards directory_
  std::string* directory_ = nullptr;
  mutable std::atomic<Relation> relations_[kRemembered] = {};

  static Mount instance_;

 public:
  // Around fork: the child must not find it locked.
  std::mutex& mutex() { return mutex_; }
};

}  // namespace weir::burst::preload
