#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "transport/bytes.hpp"
#include "transport/secret.hpp"

namespace weir::transport {

struct ChannelOptions {
  std::string socket;
  Secret secret;
  std::uint32_t version = 0;
  std::uint64_t resume = 0;  // the client's number of before, after a reconnect
};

// A client process's connection to its node's server. Lives inside applications: prints nothing, throws
// nothing, starts no thread, blocks no signal; its descriptors close on exec and have high numbers. A forked
// child must not use its parent's: calls say so, and destroying it there leaves the parent's connection as it
// is.
class Channel {
 public:
  // Tries until `limit`, also when there is no server yet or any more: one may be about to (re)start.
  // A wrong secret or version is refused at once.
  static Result<std::unique_ptr<Channel>> connect(const ChannelOptions& options,
                                                  std::chrono::nanoseconds limit);
  ~Channel();

  // From any thread; up to 32 at a time, more wait their turn. Errc::io when the server is gone, drops the
  // request unanswered, or `limit` has passed; then the request may or may not have been handled. Never
  // hangs.
  Result<Bytes> call(unsigned worker, ByteSpan request, std::chrono::nanoseconds limit);

  std::uint64_t client() const;
  unsigned workers() const;
  std::span<std::byte> area() const;
  std::span<std::byte> region(unsigned index) const;  // empty when there is none
  bool is_gone() const;                               // the server has ended the connection; connect again
  // What must not be closed behind the channel's back.
  std::vector<int> descriptors() const;

 private:
  struct Impl;
  explicit Channel(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir::transport
