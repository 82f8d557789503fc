#include "transport/own_address.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>

#include "transport/detail/inet_address.hpp"

namespace weir::transport {
namespace {

using detail::InetAddress;

struct Own {
  std::string device;
  InetAddress address;
};

bool is_link_local(const InetAddress& address) {
  const auto bytes = address.host_bytes();
  return bytes.size() == 16 && bytes[0] == 0xfe && (bytes[1] & 0xc0U) == 0x80;
}

// Of devices that are up, IPv4 first. Addresses of one link only make sense together with their device.
Result<std::vector<Own>> own_addresses() {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return Error::from_errno(errno, "cannot list the network devices");
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(list, ::freeifaddrs);
  std::vector<Own> all;
  for (const ifaddrs* item = list; item != nullptr; item = item->ifa_next) {
    const auto address = InetAddress::from(item->ifa_addr);
    if (address && (item->ifa_flags & IFF_UP) != 0 && !is_link_local(*address))
      all.push_back({item->ifa_name, *address});
  }
  std::ranges::stable_sort(all, {}, [](const Own& one) { return one.address.host_bytes().size(); });
  return all;
}

// "10.2.0.0/16"
struct Range {
  InetAddress first;
  unsigned bits = 0;

  bool holds(const InetAddress& address) const {
    const auto one = first.host_bytes(), two = address.host_bytes();
    if (one.size() != two.size()) return false;
    const auto same = [&](unsigned bit) {
      return ((static_cast<unsigned>(one[bit / 8]) ^ two[bit / 8]) >> (7 - bit % 8) & 1U) == 0;
    };
    for (unsigned bit = 0; bit < bits; ++bit)
      if (!same(bit)) return false;
    return true;
  }
};

Result<Range> parse_range(const std::string& text) {
  const std::size_t slash = text.find('/');
  Range range;
  const auto [end, problem] = std::from_chars(text.data() + slash + 1, text.data() + text.size(), range.bits);
  auto first = InetAddress::of_host(text.substr(0, slash));
  if (!first || problem != std::errc() || end != text.data() + text.size() ||
      range.bits > 8 * first->host_bytes().size())
    return Error{Errc::usage, fmt::format("'{}' is no range of addresses", text)}.with_remedy(
        "write 10.2.0.0/16, or a device such as ib0");
  range.first = *first;
  return range;
}

std::string list_of(const std::vector<Own>& some) {
  std::vector<std::string> texts;
  for (const Own& one : some) texts.push_back(fmt::format("{} ({})", one.address.host_text(), one.device));
  return fmt::format("{}", fmt::join(texts, ", "));
}

Result<std::string> own_address_in(const std::string& network, const std::vector<Own>& own) {
  std::optional<Range> range;
  if (network.find('/') != std::string::npos) {
    auto parsed = parse_range(network);
    if (!parsed) return parsed.error();
    range = *parsed;
  }
  for (const Own& one : own)
    if (range ? range->holds(one.address) : one.device == network) return one.address.host_text();
  return Error{Errc::usage, fmt::format("no address of this machine is in the network {}", network)}
      .with_remedy(fmt::format("it has {}", list_of(own)));
}

Result<std::vector<InetAddress>> look_up(const std::string& name) {
  addrinfo* list = nullptr;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;  // each address once
  if (const int failed = ::getaddrinfo(name.c_str(), nullptr, &hints, &list); failed != 0)
    return Error{Errc::usage, fmt::format("'{}' leads to no address: {}", name, ::gai_strerror(failed))};
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(list, ::freeaddrinfo);
  std::vector<InetAddress> all;
  for (const addrinfo* item = list; item != nullptr; item = item->ai_next)
    if (const auto address = InetAddress::from(item->ai_addr)) all.push_back(*address);
  return all;
}

}  // namespace

Result<std::string> own_address(const std::string& host, const std::string& network) {
  if (const auto address = InetAddress::of_host(host)) {
    if (network.empty()) return address->host_text();
    return Error{Errc::usage,
                 fmt::format("'{}' is an address: there is no network {} to pick", host, network)}
        .with_remedy("give hosts by their names, or leave the network out");
  }
  const auto own = own_addresses();
  if (!own) return own.error();
  if (!network.empty()) return own_address_in(network, *own);
  const auto named = look_up(host);
  if (!named) return named.error();
  std::optional<InetAddress> loopback;
  for (const InetAddress& address : *named) {
    if (address.is_loopback()) {
      loopback = address;
      continue;
    }
    if (std::ranges::any_of(*own, [&](const Own& one) { return one.address.is_same_host(address); }))
      return address.host_text();
  }
  if (!loopback)
    return Error{Errc::usage, fmt::format("'{}' is {}, which is not this machine", host,
                                          named->empty() ? "nothing" : named->front().host_text())}
        .with_remedy(fmt::format("this one has {}", list_of(*own)));
  if (host == "localhost") return loopback->host_text();
  std::vector<Own> others = *own;
  std::erase_if(others, [](const Own& one) { return one.address.is_loopback(); });
  if (others.size() == 1) return others.front().address.host_text();
  return Error{Errc::usage,
               fmt::format("'{}' is {} here, which other machines do not reach", host, loopback->host_text())}
      .with_remedy(others.empty() ? "this machine has no other address"
                                  : fmt::format("pick a --network; it has {}", list_of(others)));
}

bool is_only_here(const std::string& address) {
  auto parsed = InetAddress::of_host(address);
  if (!parsed)
    if (const auto with_port = InetAddress::parse(address)) parsed = *with_port;
  return parsed && !parsed->is_loopback() && !parsed->is_any() && detail::device_of(*parsed);
}

}  // namespace weir::transport
