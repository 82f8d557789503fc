#include "transport/detail/inet_address.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

namespace weir::transport::detail {

namespace {

Error not_an_address(const std::string& text) {
  return Error{Errc::usage, fmt::format("'{}' is no address with a port", text)}.with_remedy(
      "write 10.0.0.1:4711 or [fe80::1]:4711; port 0 is any");
}

// Copies: what the storage holds may not be touched through another type.
sockaddr_in as_v4(const sockaddr_storage& storage) {
  sockaddr_in v4{};
  std::memcpy(&v4, &storage, sizeof v4);
  return v4;
}
sockaddr_in6 as_v6(const sockaddr_storage& storage) {
  sockaddr_in6 v6{};
  std::memcpy(&v6, &storage, sizeof v6);
  return v6;
}

bool is_loopback(const InetAddress& address) {
  if (address.storage.ss_family == AF_INET)
    return (ntohl(as_v4(address.storage).sin_addr.s_addr) >> 24U) == 127;
  const in6_addr host = as_v6(address.storage).sin6_addr;
  return IN6_IS_ADDR_LOOPBACK(&host);
}

bool same_host(const InetAddress& address, const sockaddr* other) {
  if (other == nullptr || other->sa_family != address.storage.ss_family) return false;
  sockaddr_storage copy{};
  if (other->sa_family == AF_INET) {
    std::memcpy(&copy, other, sizeof(sockaddr_in));
    return as_v4(copy).sin_addr.s_addr == as_v4(address.storage).sin_addr.s_addr;
  }
  std::memcpy(&copy, other, sizeof(sockaddr_in6));
  const in6_addr one = as_v6(copy).sin6_addr, two = as_v6(address.storage).sin6_addr;
  return std::memcmp(&one, &two, sizeof one) == 0;
}

}  // namespace

Result<InetAddress> InetAddress::parse(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return not_an_address(text);
  std::uint16_t port = 0;
  const auto [end, problem] = std::from_chars(text.data() + colon + 1, text.data() + text.size(), port);
  if (problem != std::errc() || end != text.data() + text.size()) return not_an_address(text);
  std::string host = text.substr(0, colon);
  InetAddress address;
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    if (::inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), &v6.sin6_addr) != 1)
      return not_an_address(text);
    address.length = sizeof v6;
    std::memcpy(&address.storage, &v6, sizeof v6);
  } else {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    if (::inet_pton(AF_INET, host.c_str(), &v4.sin_addr) != 1) return not_an_address(text);
    address.length = sizeof v4;
    std::memcpy(&address.storage, &v4, sizeof v4);
  }
  return address;
}

InetAddress InetAddress::from(const sockaddr_storage& storage) {
  InetAddress address;
  address.storage = storage;
  address.length = storage.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  return address;
}

std::string InetAddress::text() const {
  std::array<char, INET6_ADDRSTRLEN> host{};
  if (storage.ss_family == AF_INET) {
    const sockaddr_in v4 = as_v4(storage);
    ::inet_ntop(AF_INET, &v4.sin_addr, host.data(), host.size());
    return fmt::format("{}:{}", host.data(), ntohs(v4.sin_port));
  }
  const sockaddr_in6 v6 = as_v6(storage);
  ::inet_ntop(AF_INET6, &v6.sin6_addr, host.data(), host.size());
  return fmt::format("[{}]:{}", host.data(), ntohs(v6.sin6_port));
}

bool InetAddress::is_any() const {
  if (storage.ss_family == AF_INET) return as_v4(storage).sin_addr.s_addr == htonl(INADDR_ANY);
  const in6_addr host = as_v6(storage).sin6_addr;
  return IN6_IS_ADDR_UNSPECIFIED(&host);
}

Result<std::string> device_of(const InetAddress& address) {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return Error::from_errno(errno, "cannot list the network devices");
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(list, ::freeifaddrs);
  for (const ifaddrs* item = list; item != nullptr; item = item->ifa_next) {
    // All of 127.0.0.0/8 belongs to the loopback device, which lists one address of it.
    const bool loopback = (item->ifa_flags & IFF_LOOPBACK) != 0 && is_loopback(address);
    if (loopback || same_host(address, item->ifa_addr)) return std::string(item->ifa_name);
  }
  return Error{Errc::usage,
               fmt::format("no network device of this machine has the address {}", address.text())};
}

}  // namespace weir::transport::detail
