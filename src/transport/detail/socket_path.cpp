#include "transport/detail/socket_path.hpp"

#include <cstring>
#include <string>

#include <fcntl.h>
#include <fmt/format.h>

#include "base/file.hpp"

namespace weir::transport::detail {

Result<SocketPath> SocketPath::make(const std::filesystem::path& path) {
  SocketPath made;
  made.address.sun_family = AF_UNIX;
  constexpr std::size_t kRoom = sizeof made.address.sun_path - 1;
  std::string name = path.string();
  if (name.empty()) return Error{Errc::usage, "a socket needs a path"};
  if (name.size() > kRoom) {
    auto directory = open_file(path.has_parent_path() ? path.parent_path() : ".", O_PATH | O_DIRECTORY);
    if (!directory) return directory.error();
    made.directory = std::move(*directory);
    name = fmt::format("/proc/self/fd/{}/{}", made.directory.get(), path.filename().string());
  }
  if (name.size() > kRoom)
    return Error{Errc::usage,
                 fmt::format("{}: the name of a socket must be shorter", path.filename().string())}
        .with_remedy("give it fewer than 80 characters; the directory's path may be longer");
  std::memcpy(made.address.sun_path, name.c_str(), name.size() + 1);
  return made;
}

}  // namespace weir::transport::detail
