#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "transport/secret.hpp"

// What a client and its host say to each other before they share memory.
namespace weir::transport::detail {

constexpr std::uint64_t kChannelMagic = 0x6c656e6e61686377;  // "wchannel"
constexpr std::uint32_t kChannelProtocol = 2;  // of the memory in layout.hpp and of these messages

struct Hello {
  std::uint64_t magic = kChannelMagic;
  std::uint32_t protocol = kChannelProtocol;
  std::uint32_t version = 0;
  std::array<std::byte, Secret::kBytes> secret{};
  std::uint64_t resume = 0;
  static constexpr auto fields =
      std::tuple{&Hello::magic, &Hello::protocol, &Hello::version, &Hello::secret, &Hello::resume};
};

enum class Verdict : std::uint32_t {
  welcome,
  malformed,
  wrong_secret,
  wrong_version,
  number_in_use,  // the number to be resumed belongs to a client that is still there
  no_memory,
};

// With it come, when welcome: the client's memory, the host's page, a bell per worker, the shared regions.
struct Welcome {
  std::uint64_t magic = kChannelMagic;
  Verdict verdict = Verdict::welcome;
  std::uint32_t version = 0;  // the host's
  std::uint64_t client = 0;
  std::uint64_t area_bytes = 0;
  std::uint32_t workers = 0;
  std::vector<std::uint64_t> regions;  // their lengths
  static constexpr auto fields =
      std::tuple{&Welcome::magic,      &Welcome::verdict, &Welcome::version, &Welcome::client,
                 &Welcome::area_bytes, &Welcome::workers, &Welcome::regions};
};

}  // namespace weir::transport::detail
