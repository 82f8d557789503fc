#include "transport/detail/inet_address.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
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

// Both families have the port in the same place; bytes may be looked at in any type's storage.
static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));
const std::uint8_t* bytes_at(const InetAddress& address, std::size_t offset) {
  return reinterpret_cast<const std::uint8_t*>(&address.storage) + offset;
}

}  // namespace

Result<InetAddress> InetAddress::parse(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return not_an_address(text);
  std::uint16_t port = 0;
  const auto [end, problem] = std::from_chars(text.data() + colon + 1, text.data() + text.size(), port);
  if (problem != std::errc() || end != text.data() + text.size()) return not_an_address(text);
  const std::string host = text.substr(0, colon);
  auto address =
      (host.find(':') != std::string::npos) == host.starts_with('[') ? of_host(host) : std::nullopt;
  if (!address) return not_an_address(text);
  const std::uint16_t in_order = htons(port);
  std::memcpy(reinterpret_cast<char*>(&address->storage) + offsetof(sockaddr_in, sin_port), &in_order,
              sizeof in_order);
  return *address;
}

std::optional<InetAddress> InetAddress::of_host(const std::string& text) {
  InetAddress address;
  const bool bare = !text.starts_with('[') || !text.ends_with(']');
  const std::string host = bare ? text : text.substr(1, text.size() - 2);
  if (sockaddr_in6 v6{}; ::inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    address.length = sizeof v6;
    std::memcpy(&address.storage, &v6, sizeof v6);
    return address;
  }
  if (sockaddr_in v4{}; bare && ::inet_pton(AF_INET, host.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    address.length = sizeof v4;
    std::memcpy(&address.storage, &v4, sizeof v4);
    return address;
  }
  return std::nullopt;
}

InetAddress InetAddress::from(const sockaddr_storage& storage) {
  InetAddress address;
  address.storage = storage;
  address.length = storage.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  return address;
}

std::optional<InetAddress> InetAddress::from(const sockaddr* given) {
  if (given == nullptr || (given->sa_family != AF_INET && given->sa_family != AF_INET6)) return std::nullopt;
  InetAddress address;
  address.length = given->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  std::memcpy(&address.storage, given, address.length);
  return address;
}

std::string InetAddress::text() const {
  std::uint16_t port = 0;
  std::memcpy(&port, bytes_at(*this, offsetof(sockaddr_in, sin_port)), sizeof port);
  return fmt::format("{}:{}", host_text(), ntohs(port));
}

std::string InetAddress::host_text() const {
  std::array<char, INET6_ADDRSTRLEN> host{};
  ::inet_ntop(storage.ss_family, host_bytes().data(), host.data(), host.size());
  return storage.ss_family == AF_INET ? host.data() : fmt::format("[{}]", host.data());
}

std::span<const std::uint8_t> InetAddress::host_bytes() const {
  if (storage.ss_family == AF_INET)
    return {bytes_at(*this, offsetof(sockaddr_in, sin_addr)), sizeof(in_addr)};
  return {bytes_at(*this, offsetof(sockaddr_in6, sin6_addr)), sizeof(in6_addr)};
}

bool InetAddress::is_any() const {
  return std::ranges::all_of(host_bytes(), [](std::uint8_t byte) { return byte == 0; });
}

bool InetAddress::is_loopback() const {
  if (storage.ss_family == AF_INET) return host_bytes().front() == 127;
  return std::ranges::equal(host_bytes(), std::span(in6addr_loopback.s6_addr));
}

bool InetAddress::is_same_host(const InetAddress& other) const {
  return std::ranges::equal(host_bytes(), other.host_bytes());
}

Result<std::string> device_of(const InetAddress& address) {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return Error::from_errno(errno, "cannot list the network devices");
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(list, ::freeifaddrs);
  for (const ifaddrs* item = list; item != nullptr; item = item->ifa_next) {
    // All of 127.0.0.0/8 belongs to the loopback device, which lists one address of it.
    const bool loopback = (item->ifa_flags & IFF_LOOPBACK) != 0 && address.is_loopback();
    const auto own = InetAddress::from(item->ifa_addr);
    if (loopback || (own && own->is_same_host(address))) return std::string(item->ifa_name);
  }
  return Error{Errc::usage,
               fmt::format("no network device of this machine has the address {}", address.text())};
}

}  // namespace weir::transport::detail
