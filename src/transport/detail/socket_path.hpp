#pragma once

#include <filesystem>

#include <sys/socket.h>
#include <sys/un.h>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace weir::transport::detail {

// The address of a Unix socket. sockaddr_un has room for 107 characters; a longer path is reached through its
// directory, which stays open for as long as the address is used.
struct SocketPath {
  sockaddr_un address{};
  UniqueFd directory;

  static Result<SocketPath> make(const std::filesystem::path& path);
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
};

}  // namespace weir::transport::detail
