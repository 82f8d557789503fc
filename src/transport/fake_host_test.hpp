#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "base/unique_fd.hpp"
#include "transport/detail/bells.hpp"
#include "transport/detail/futex.hpp"
#include "transport/detail/handshake.hpp"
#include "transport/detail/layout.hpp"
#include "transport/detail/memory.hpp"
#include "transport/detail/parcel.hpp"
#include "transport/detail/socket_path.hpp"
#include "transport/wire.hpp"

// For tests only.
namespace weir::transport {

// A host of one worker and one client that does by hand what Host does, or what it would never do.
class FakeHost {
 public:
  explicit FakeHost(const std::string& path) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    const auto address = detail::SocketPath::make(path).value();
    EXPECT_EQ(::bind(door_.get(), address.get(), sizeof address.address), 0);
    EXPECT_EQ(::listen(door_.get(), 1), 0);
  }

  // Gives the next client this answer, and what belongs to a welcome.
  void greet(detail::Verdict verdict, std::uint32_t version) {
    detail::Welcome answer;
    answer.verdict = verdict;
    answer.version = version;
    client_ = UniqueFd(::accept4(door_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    Bytes hello(1000);
    ASSERT_GT(::recv(client_.get(), hello.data(), hello.size(), 0), 0);
    std::vector<int> descriptors;
    if (verdict == detail::Verdict::welcome) {
      answer.client = answer.workers = 1;
      descriptors = {memory_fd_.get(), bells.page_descriptor(), bells.descriptor(0)};
    }
    ASSERT_TRUE(detail::send_parcel(client_.get(), pack(answer), descriptors));
  }

  // Takes the requests that are there; whether there is one, in the first slot.
  bool take() { return memory().ready[0].set.exchange(0) != 0; }
  detail::SlotHead& head() { return memory().slots[0].head; }
  // The empty answer.
  void answer() {
    head().frame = static_cast<std::uint32_t>(detail::Frame::answer);
    head().total = 0;
    head().length = 0;
    if (head().turn.exchange(detail::kClientsTurn) == detail::kServersTurnWaited)
      detail::futex_wake(head().turn, 1);
  }

  detail::Bells bells = std::move(detail::Bells::make(1).value());

 private:
  detail::ClientMemory& memory() { return mapping_.as<detail::ClientMemory>(); }

  UniqueFd door_{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)};
  UniqueFd client_;
  UniqueFd memory_fd_ = std::move(detail::make_memory("fake-client", sizeof(detail::ClientMemory)).value());
  detail::Mapping mapping_ = std::move(
      detail::Mapping::map(memory_fd_.get(), sizeof(detail::ClientMemory), detail::Mapping::Access::write)
          .value());
};

}  // namespace weir::transport
