#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "transport/bytes.hpp"
#include "transport/respond.hpp"
#include "transport/source.hpp"

namespace weir::transport {

// Messages between servers. One Fabric belongs to one worker's Loop: it is made for that loop, added to it by
// its owner, and used and destroyed in the loop's thread (or before it runs, or after).
class Fabric : public Source {
 public:
  // A peer whose request is blamed (respond.hpp) gets the answer and loses its connection: its other calls
  // here end like those to a server that is gone, and its next call connects anew.
  using Handler = std::function<void(std::uint32_t from, Bytes request, Respond respond)>;
  using Done = std::function<void(Result<Bytes>)>;

  // Where this end listens: "127.0.0.1:4711".
  virtual std::string address() const = 0;
  // The index is the server's number. May be called again when addresses have changed.
  virtual void set_peers(std::vector<std::string> addresses, std::uint32_t self) = 0;
  virtual void serve(Handler handler) = 0;
  // `done` is called exactly once, in the loop's thread and never from within call(): with the answer, or
  // with Errc::io after `limit`, when the peer is gone or refuses, or when the request was dropped there
  // unanswered. After an error the request may or may not have been handled. Calling oneself works too.
  virtual void call(std::uint32_t to, Bytes request, std::chrono::nanoseconds limit, Done done) = 0;
};

}  // namespace weir::transport
