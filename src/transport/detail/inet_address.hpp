#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <sys/socket.h>

#include "base/result.hpp"

namespace weir::transport::detail {

// "127.0.0.1:4711", "[::1]:4711": numbers, not names; own_address() finds them.
struct InetAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;

  static Result<InetAddress> parse(const std::string& text);
  static std::optional<InetAddress> of_host(const std::string& text);  // without a port, which is 0 then
  static InetAddress from(const sockaddr_storage& storage);
  static std::optional<InetAddress> from(const sockaddr* address);  // none if it is of another family
  std::string text() const;
  std::string host_text() const;                     // without the port
  std::span<const std::uint8_t> host_bytes() const;  // 4 or 16
  bool is_any() const;                               // 0.0.0.0 or ::
  bool is_loopback() const;
  bool is_same_host(const InetAddress& other) const;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

// The network device that has the address: "lo", "eth0". An error when none has.
Result<std::string> device_of(const InetAddress& address);

}  // namespace weir::transport::detail
