#include "transport/detail/connection.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/moved_up.hpp"
#include "transport/detail/handshake.hpp"
#include "transport/detail/layout.hpp"
#include "transport/detail/parcel.hpp"
#include "transport/detail/socket_path.hpp"
#include "transport/wire.hpp"

namespace weir::transport::detail {

namespace {

using Clock = std::chrono::steady_clock;

Error refusal(const Welcome& answer, const ChannelOptions& options) {
  switch (answer.verdict) {
    case Verdict::wrong_secret:
      return {Errc::unreadable, "the server refuses this client: another job's secret"};
    case Verdict::wrong_version:
      if (answer.version == options.version)
        return Error{Errc::unsupported,
                     fmt::format("the server speaks another protocol of the channel, this client {}",
                                 kChannelProtocol)}
            .with_remedy("install one version of Weir on all nodes");
      return {Errc::unsupported,
              fmt::format("the server has version {}, this client {}", answer.version, options.version)};
    case Verdict::number_in_use:
      return {Errc::usage, fmt::format("client {} is connected already", options.resume)};
    case Verdict::no_memory:
      return {Errc::full, "the server has no memory for another client"};
    default:
      return {Errc::bad_data, "the server did not understand this client's greeting"};
  }
}

// Nothing when no server is there, or not any more.
Result<std::optional<UniqueFd>> try_connect(const SocketPath& address) {
  UniqueFd socket = moved_up(UniqueFd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)));
  if (!socket) return Error::from_errno(errno, "cannot make a socket");
  int done = 0;
  do {
    done = ::connect(socket.get(), address.get(), sizeof address.address);
  } while (done != 0 && errno == EINTR);
  if (done == 0) return std::optional(std::move(socket));
  if (errno == ENOENT || errno == ECONNREFUSED || errno == EAGAIN) return std::optional<UniqueFd>();
  return Error::from_errno(errno, "cannot connect to the server");
}

Result<void> check_user(int socket) {
  ucred who{};
  socklen_t length = sizeof who;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &length) != 0 || who.uid != ::geteuid())
    return Error{Errc::unreadable, "the socket is another user's"};
  return {};
}

// Nothing when the server ended the connection without a word: it was shutting down, and another may follow.
Result<std::optional<Parcel>> await_answer(int socket, Clock::time_point deadline) {
  for (;;) {
    auto parcel = receive_parcel(socket);
    if (!parcel && parcel.error().code() == Errc::io) return std::optional<Parcel>();
    if (!parcel || *parcel) return parcel;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return Error{Errc::io, "the server did not answer in time"};
    pollfd item{.fd = socket, .events = POLLIN, .revents = 0};
    ::poll(&item, 1, static_cast<int>(std::min<std::int64_t>(left, 60'000)));
  }
}

Result<Connection> take_in(UniqueFd socket, Parcel parcel, const ChannelOptions& options) {
  const auto answer = unpack<Welcome>(parcel.bytes);
  if (!answer || answer->magic != kChannelMagic)
    return Error{Errc::bad_data, "what answers there is no server of Weir"};
  if (answer->verdict != Verdict::welcome) return refusal(*answer, options);
  const std::size_t expected = 2 + std::size_t{answer->workers} + answer->regions.size();
  if (parcel.descriptors.size() != expected || answer->workers < 1 || answer->workers > kMostWorkers)
    return Error{Errc::bad_data, "the server's welcome is damaged"};
  Connection made;
  auto from = parcel.descriptors.begin();
  auto memory =
      Mapping::map((from++)->get(), sizeof(ClientMemory) + answer->area_bytes, Mapping::Access::write);
  if (!memory) return memory.error();
  auto page = Mapping::map((from++)->get(), sizeof(HostMemory), Mapping::Access::read);
  if (!page) return page.error();
  for (unsigned worker = 0; worker < answer->workers; ++worker)
    made.bells.push_back(moved_up(std::move(*from++)));
  for (const std::uint64_t bytes : answer->regions) {
    auto region = Mapping::map((from++)->get(), bytes, Mapping::Access::write);
    if (!region) return region.error();
    made.regions.push_back(std::move(*region));
  }
  made.socket = std::move(socket);
  made.client = answer->client;
  made.memory = std::move(*memory);
  made.page = std::move(*page);
  return made;
}

// Nothing when there is no server (any more).
Result<std::optional<Connection>> try_once(const SocketPath& address, const ChannelOptions& options,
                                           Clock::time_point deadline) {
  auto socket = try_connect(address);
  if (!socket) return socket.error();
  if (!*socket) return std::optional<Connection>();
  if (auto good = check_user((*socket)->get()); !good) return good.error();
  Hello hello;
  hello.version = options.version;
  hello.secret = options.secret.bytes;
  hello.resume = options.resume;
  if (!send_parcel((*socket)->get(), pack(hello), {})) return std::optional<Connection>();
  auto parcel = await_answer((*socket)->get(), deadline);
  if (!parcel) return parcel.error();
  if (!*parcel) return std::optional<Connection>();
  auto made = take_in(std::move(**socket), std::move(**parcel), options);
  if (!made) return made.error();
  return std::optional(std::move(*made));
}

}  // namespace

Result<Connection> make_connection(const ChannelOptions& options, std::chrono::nanoseconds limit) {
  const auto address = SocketPath::make(options.socket);
  if (!address) return address.error();
  const auto deadline =
      Clock::now() + std::min<std::chrono::nanoseconds>(limit, std::chrono::hours(24 * 365));
  timespec pause{.tv_sec = 0, .tv_nsec = 500'000};
  for (;;) {
    auto made = try_once(*address, options, deadline);
    if (!made) return made.error().in(options.socket);
    if (*made) return std::move(**made);
    if (Clock::now() >= deadline) return Error{Errc::io, "no server is there"}.in(options.socket);
    ::nanosleep(&pause, nullptr);
    pause.tv_nsec = std::min(pause.tv_nsec * 2, 20'000'000L);
  }
}

}  // namespace weir::transport::detail
