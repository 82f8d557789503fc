#include "transport/detail/door.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.hpp"
#include "transport/detail/parcel.hpp"
#include "transport/detail/socket_path.hpp"

namespace weir::transport::detail {

namespace {

constexpr std::uint64_t kListener = 0;
constexpr std::uint64_t kBell = 1;
constexpr std::size_t kMostVisitors = 64;  // connected and silent; the oldest goes first

Result<void> make_private_directory(const std::filesystem::path& directory) {
  if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
    return Error::from_errno(errno, "cannot make the socket's directory").in(directory.string());
  struct stat status {};
  if (::stat(directory.c_str(), &status) != 0)
    return Error::from_errno(errno, "cannot look at the socket's directory").in(directory.string());
  if (status.st_uid != ::geteuid() || (status.st_mode & 077U) != 0)
    return Error{Errc::unreadable, "the socket's directory is open to others"}
        .in(directory.string())
        .with_remedy("use one of your own with mode 0700");
  return {};
}

// Held for as long as the server lives: who has it may replace the socket. One that was killed has it until
// the kernel has taken its memory back.
Result<UniqueFd> lock_socket(const std::string& path) {
  constexpr auto kDying = std::chrono::seconds(2);
  auto lock = open_file(path + ".lock", O_RDWR | O_CREAT, 0600);
  if (!lock) return lock.error();
  const auto deadline = std::chrono::steady_clock::now() + kDying;
  while (::flock(lock->get(), LOCK_EX | LOCK_NB) != 0) {
    if (std::chrono::steady_clock::now() >= deadline)
      return Error{Errc::io, "a server is running there already"}.in(path);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return lock;
}

// A descriptor that becomes readable when the process ends; none where the kernel has no such thing.
UniqueFd watch_process(pid_t pid) {
#ifdef SYS_pidfd_open
  if (pid > 0) return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
#endif
  return UniqueFd();
}

}  // namespace

Result<std::unique_ptr<Door>> Door::open(const std::string& path) {
  std::unique_ptr<Door> door(new Door);
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  if (auto made = make_private_directory(directory.empty() ? "." : directory); !made) return made.error();
  auto lock = lock_socket(path);
  if (!lock) return lock.error();
  door->lock_ = std::move(*lock);
  door->epoll_ = UniqueFd(::epoll_create1(EPOLL_CLOEXEC));
  if (!door->epoll_) return Error::from_errno(errno, "cannot make an epoll");
  if (auto bound = door->bind(path); !bound) return bound.error().in(path);
  return door;
}

Result<void> Door::bind(const std::string& path) {
  const auto address = SocketPath::make(path);
  if (!address) return address.error();
  listener_ = UniqueFd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener_) return Error::from_errno(errno, "cannot make a socket");
  ::unlink(path.c_str());  // we hold the lock: what is there was left behind
  if (::bind(listener_.get(), address->get(), sizeof address->address) != 0)
    return Error::from_errno(errno, "cannot bind the socket");
  path_ = path;
  if (::chmod(path.c_str(), 0600) != 0) return Error::from_errno(errno, "cannot close the socket to others");
  if (::listen(listener_.get(), SOMAXCONN) != 0) return Error::from_errno(errno, "cannot listen");
  if (!watch(listener_.get(), kListener)) return Error::from_errno(errno, "cannot watch the socket");
  return {};
}

Door::~Door() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

bool Door::watch(int fd, std::uint64_t id) const {
  epoll_event event{.events = EPOLLIN | EPOLLRDHUP, .data = {.u64 = id}};
  return ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

Result<void> Door::watch_bell(int bell) {
  if (!watch(bell, kBell)) return Error::from_errno(errno, "cannot watch a bell");
  return {};
}

void Door::accept_all() {
  for (;;) {
    UniqueFd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket)
      admit(std::move(socket));
    else if (errno != EINTR && errno != ECONNABORTED)
      return;  // no more, or no descriptors left: then the visitor waits
  }
}

void Door::admit(UniqueFd socket) {
  ucred who{};
  socklen_t length = sizeof who;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &who, &length) != 0 || who.uid != ::geteuid()) {
    ++turned_away_;
    return;
  }
  const auto is_silent = [](const auto& item) { return !item.second.client; };
  if (std::count_if(connections_.begin(), connections_.end(), is_silent) >=
      static_cast<std::ptrdiff_t>(kMostVisitors)) {
    connections_.erase(std::find_if(connections_.begin(), connections_.end(), is_silent));
    ++turned_away_;
  }
  const std::uint64_t id = kBell + ++last_id_;
  if (!watch(socket.get(), id)) return;
  connections_.emplace(id, Connection{{std::move(socket), who.pid, {}}, {}, {}});
}

void Door::hear_visitor(Connections::iterator visitor, const Greet& greet) {
  auto parcel = receive_parcel(visitor->second.visitor.socket.get());
  if (parcel && !*parcel) return;
  Visitor who = std::move(visitor->second.visitor);
  connections_.erase(visitor);
  if (!parcel) {
    ++turned_away_;
    return;
  }
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, who.socket.get(), nullptr);
  who.hello = std::move((*parcel)->bytes);
  greet(std::move(who));
}

void Door::poll(const Greet& greet, const Gone& gone) {
  std::array<epoll_event, 64> events;
  const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) {
    const std::uint64_t id = events[static_cast<std::size_t>(i)].data.u64;
    if (id == kListener) accept_all();
    const auto found = connections_.find(id);  // not there: the bell, or gone since the kernel told
    if (found == connections_.end()) continue;
    if (found->second.client) {  // a client has no more to say here than that it goes
      const std::uint64_t client = *found->second.client;
      connections_.erase(found);
      gone(client);
    } else {
      hear_visitor(found, greet);
    }
  }
}

Result<void> Door::keep(std::uint64_t client, Visitor visitor) {
  const std::uint64_t id = kBell + ++last_id_;
  Connection connection{std::move(visitor), {}, client};
  connection.process = watch_process(connection.visitor.pid);
  if (!watch(connection.visitor.socket.get(), id) ||
      (connection.process && !watch(connection.process.get(), id)))
    return Error::from_errno(errno, "cannot watch a client");
  connections_.emplace(id, std::move(connection));
  return {};
}

bool Door::is_over(std::uint64_t client) const {
  return std::any_of(connections_.begin(), connections_.end(), [client](const auto& item) {
    std::byte byte{};
    return item.second.client == client &&
           ::recv(item.second.visitor.socket.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
  });
}

void Door::shut(std::uint64_t client) {
  for (const auto& [id, connection] : connections_)
    if (connection.client == client) ::shutdown(connection.visitor.socket.get(), SHUT_RDWR);
}

}  // namespace weir::transport::detail
