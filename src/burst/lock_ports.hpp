#pragma once

#include <chrono>
#include <functional>

#include "burst/lock_protocol.hpp"

namespace weir::burst {

// What the lock managers need of the worker around them; all in its thread.
class LockPorts {
 public:
  virtual ~LockPorts() = default;
  // A request to another worker, here or elsewhere. `done` runs once, later.
  virtual void send(Home to, Bytes request, std::function<void(Result<Bytes>)> done) = 0;
  virtual void after(std::chrono::nanoseconds delay, std::function<void()> work) = 0;
};

// Asks `to`, and tells the outcome; EIO where no answer came.
template <class Body>
void ask(LockPorts& ports, Home to, const Body& body,
         std::function<void(const Outcome<typename Body::Answer>&)> done) {
  ports.send(to, encode_request({.to_server = to.server}, body),
             [done = std::move(done)](const Result<Bytes>& answer) {
               done(decode_answer<typename Body::Answer>(answer));
             });
}

}  // namespace weir::burst
