#pragma once

#include <string>

#include <sys/socket.h>

#include "base/result.hpp"

namespace weir::transport::detail {

// "127.0.0.1:4711", "[::1]:4711": a number, not a name; who starts servers knows it.
struct InetAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;

  static Result<InetAddress> parse(const std::string& text);
  static InetAddress from(const sockaddr_storage& storage);
  std::string text() const;
  bool is_any() const;  // 0.0.0.0 or ::
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

// The network device that has the address: "lo", "eth0". An error when none has.
Result<std::string> device_of(const InetAddress& address);

}  // namespace weir::transport::detail
