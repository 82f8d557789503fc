#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "transport/secret.hpp"

// The first message on a connection between servers, and the answer to it.
namespace weir::transport::detail {

constexpr std::uint64_t kUcxMagic = 0x7265767265736377;  // "wcserver"
constexpr std::uint32_t kUcxProtocol = 1;  // of these messages and of the headers in ucx_link.hpp

struct UcxGreeting {
  std::uint64_t magic = kUcxMagic;
  std::uint32_t protocol = kUcxProtocol;
  std::uint32_t version = 0;
  std::uint32_t self = 0;
  std::array<std::byte, Secret::kBytes> secret{};
  static constexpr auto fields = std::tuple{&UcxGreeting::magic, &UcxGreeting::protocol,
                                            &UcxGreeting::version, &UcxGreeting::self, &UcxGreeting::secret};
};

enum class UcxVerdict : std::uint32_t { welcome, malformed, wrong_secret, wrong_version };
constexpr bool is_known(UcxVerdict verdict) { return verdict <= UcxVerdict::wrong_version; }

constexpr std::string_view describe(UcxVerdict verdict) {
  switch (verdict) {
    case UcxVerdict::wrong_secret:
      return "refuses this server: another job's secret";
    case UcxVerdict::wrong_version:
      return "refuses this server: another version";
    default:
      return "did not understand the greeting";
  }
}

}  // namespace weir::transport::detail
