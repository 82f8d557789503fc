#include "base/file.hpp"

#include <array>
#include <cerrno>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "base/interrupt.hpp"
#include "base/nearest.hpp"

namespace weir {
namespace {

namespace fs = std::filesystem;

std::string nearest_sibling(const fs::path& path) {
  std::vector<std::string> names;
  std::error_code ignored;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (auto entry = fs::directory_iterator(folder, ignored); !ignored && entry != fs::directory_iterator();
       entry.increment(ignored))
    names.push_back(entry->path().filename().string());
  return nearest(path.filename().string(), names).value_or("");
}

Error open_error(const fs::path& path, int error_number, int flags) {
  if (error_number != ENOENT)
    return Error::from_errno(error_number, (flags & O_ACCMODE) == O_RDONLY ? "cannot read" : "cannot write")
        .in(path.string());
  const Error missing = Error{Errc::not_found, "no such file"}.in(path.string());
  const std::string guess = nearest_sibling(path);
  return guess.empty()
             ? missing
             : missing.with_remedy(fmt::format("did you mean {}", (path.parent_path() / guess).string()));
}

int retry_open(const fs::path& path, int flags, mode_t mode) {
  int fd = -1;
  do fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  while (fd < 0 && errno == EINTR);
  return fd;
}

}  // namespace

Result<UniqueFd> open_file(const fs::path& path, int flags, mode_t mode) {
  UniqueFd fd(retry_open(path, flags, mode));
  if (!fd) return open_error(path, errno, flags);
  return fd;
}

Result<void> write_all(int fd, ByteSpan bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Error::from_errno(errno, "cannot write");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

Result<std::string> read_text(const fs::path& path, std::uint64_t limit) {
  const bool from_stdin = path == "-";
  UniqueFd owned;
  if (!from_stdin) {
    auto opened = open_file(path, O_RDONLY);
    if (!opened) return opened.error();
    owned = std::move(*opened);
  }
  const int fd = from_stdin ? STDIN_FILENO : owned.get();
  const std::string shown = from_stdin ? "standard input" : path.string();

  std::string text;
  struct stat facts {};
  if (::fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode)) {
    if (static_cast<std::uint64_t>(facts.st_size) > limit)
      return Error{Errc::too_big, fmt::format("{} bytes, at most {} are read", facts.st_size, limit)}.in(
          shown);
    text.reserve(static_cast<std::size_t>(facts.st_size) + 1);
  }
  std::array<char, 1 << 16> block;
  for (;;) {
    const ssize_t got = ::read(fd, block.data(), block.size());
    if (got < 0 && errno == EINTR) {
      if (auto asked = check_interrupt(); !asked) return asked.error().in(shown);
      continue;
    }
    if (got < 0) {
      const Error error = Error::from_errno(errno, "cannot read").in(shown);
      return error.code() == Errc::io ? Error{Errc::unreadable, error.message()}.in(shown) : error;
    }
    if (got == 0) return text;
    if (text.size() + static_cast<std::size_t>(got) > limit)
      return Error{Errc::too_big, fmt::format("more than {} bytes", limit)}.in(shown);
    text.append(block.data(), static_cast<std::size_t>(got));
  }
}

AtomicFile::AtomicFile(UniqueFd fd, fs::path temporary, fs::path target)
    : fd_(std::move(fd)), temporary_(std::move(temporary)), target_(std::move(target)) {}

AtomicFile::~AtomicFile() {
  if (fd_) ::unlink(temporary_.c_str());
}

Result<AtomicFile> AtomicFile::create(const fs::path& path, mode_t mode) {
  // A link is followed, so that the file it points to is replaced and the link stays.
  std::error_code not_a_link;
  const fs::path target = fs::is_symlink(path, not_a_link) ? fs::weakly_canonical(path, not_a_link) : path;
  std::error_code ignored;
  if (fs::is_directory(target, ignored))
    return Error{Errc::unreadable, "is a directory"}.in(path.string()).with_remedy("give the name of a file");

  // Process id and a counter keep two writers of one file apart; O_EXCL catches what a dead one left.
  for (int attempt = 0;; ++attempt) {
    const fs::path temporary = fmt::format("{}.{}.{}.tmp", target.string(), ::getpid(), attempt);
    UniqueFd fd(retry_open(temporary, O_WRONLY | O_CREAT | O_EXCL, mode));
    if (fd) return AtomicFile(std::move(fd), temporary, target);
    if (errno == ENOENT)
      return Error{Errc::not_found, "the directory does not exist"}
          .in(path.string())
          .with_remedy("create it first");
    if (errno != EEXIST || attempt == 100) return Error::from_errno(errno, "cannot write").in(path.string());
  }
}

Result<void> AtomicFile::commit() {
  const auto failed = [this](std::string_view what) {
    return Error::from_errno(errno, what).in(target_.string());
  };
  struct stat old {};
  if (::stat(target_.c_str(), &old) == 0) ::fchmod(fd_.get(), old.st_mode & 07777);
  if (::fsync(fd_.get()) != 0) return failed("cannot write");
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) return failed("cannot replace");
  fd_.reset();

  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  const UniqueFd directory(retry_open(folder, O_RDONLY | O_DIRECTORY, 0));
  // Some file systems cannot sync a directory (EINVAL); the rename itself has happened.
  if (directory && ::fsync(directory.get()) != 0 && errno != EINVAL)
    return failed("cannot sync the directory");
  return {};
}

Result<void> replace_file(const fs::path& path, ByteSpan bytes, mode_t mode) {
  auto file = AtomicFile::create(path, mode);
  if (!file) return file.error();
  if (auto written = file->write(bytes); !written) return written.error().in(path.string());
  return file->commit();
}

}  // namespace weir
