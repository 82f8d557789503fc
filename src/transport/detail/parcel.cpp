#include "transport/detail/parcel.hpp"

#include <cerrno>
#include <cstring>

#include <sys/socket.h>
#include <sys/uio.h>

#include "base/check.hpp"

namespace weir::transport::detail {

namespace {

constexpr std::size_t kControlBytes = CMSG_SPACE(sizeof(int) * kMostDescriptors);

iovec to_iovec(ByteSpan bytes) {
  return {.iov_base = const_cast<std::byte*>(bytes.data()), .iov_len = bytes.size()};  // sendmsg() only reads
}

void take_descriptors(msghdr& header, std::vector<UniqueFd>& into) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof fd, sizeof fd);
      into.emplace_back(fd);
    }
  }
}

}  // namespace

Result<void> send_parcel(int socket, ByteSpan bytes, std::span<const int> descriptors) {
  WEIR_CHECK(bytes.size() <= kLongestParcel && descriptors.size() <= kMostDescriptors);
  alignas(cmsghdr) std::byte control[kControlBytes] = {};
  iovec part = to_iovec(bytes);
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (!descriptors.empty()) {
    header.msg_control = control;
    header.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* const rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size_bytes());
  }
  ssize_t sent = 0;
  do {
    sent = ::sendmsg(socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  if (sent < 0) return Error::from_errno(errno, "cannot send to the other side");
  return {};
}

Result<std::optional<Parcel>> receive_parcel(int socket) {
  alignas(cmsghdr) std::byte control[kControlBytes];
  std::byte buffer[kLongestParcel];
  iovec part{.iov_base = buffer, .iov_len = sizeof buffer};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  ssize_t got = 0;
  do {
    got = ::recvmsg(socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got < 0 && errno == EAGAIN) return std::optional<Parcel>();
  if (got < 0) return Error::from_errno(errno, "cannot receive from the other side");
  Parcel parcel;
  take_descriptors(header, parcel.descriptors);  // first, so that nothing that came stays open
  if (got == 0) return Error{Errc::io, "the other side has closed the connection"};
  if ((header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0)
    return Error{Errc::bad_data, "a message of the other side was too long"};
  parcel.bytes.assign(buffer, buffer + got);
  return std::optional<Parcel>(std::move(parcel));
}

}  // namespace weir::transport::detail
