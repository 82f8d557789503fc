#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "transport/bytes.hpp"

namespace weir::transport::detail {

// A message on a Unix socket (SOCK_SEQPACKET) with descriptors.
struct Parcel {
  Bytes bytes;
  std::vector<UniqueFd> descriptors;
};

constexpr std::size_t kMostDescriptors = 253;  // the kernel's SCM_MAX_FD
constexpr std::size_t kLongestParcel = 16384;

// All of it or an error; neither blocks nor raises SIGPIPE.
Result<void> send_parcel(int socket, ByteSpan bytes, std::span<const int> descriptors);
// Nothing when there is none yet. The end of the connection is an Errc::io, one too long an Errc::bad_data.
Result<std::optional<Parcel>> receive_parcel(int socket);

}  // namespace weir::transport::detail
