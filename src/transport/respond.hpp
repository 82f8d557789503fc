#pragma once

#include <functional>
#include <utility>

#include "transport/bytes.hpp"

namespace weir::transport {

// The one answer to a request. May be kept and called later, in the thread of the loop that brought the
// request. Destroyed without having been called it tells the caller so: an error there, never a hang.
// Harmless when the asker, or the fabric or host that made it, is gone by then.
class Respond {
 public:
  // Gets the answer, or null when there will be none; called exactly once. `blames`: see blame().
  using Sink = std::function<void(Bytes* answer, bool blames)>;

  Respond() = default;
  explicit Respond(Sink sink) : sink_(std::move(sink)) {}
  Respond(Respond&& other) noexcept : sink_(std::exchange(other.sink_, nullptr)) {}
  Respond& operator=(Respond&& other) noexcept {
    if (this != &other) {
      give(nullptr, false);
      sink_ = std::exchange(other.sink_, nullptr);
    }
    return *this;
  }
  Respond(const Respond&) = delete;
  Respond& operator=(const Respond&) = delete;
  ~Respond() { give(nullptr, false); }

  explicit operator bool() const { return sink_ != nullptr; }  // whether an answer is still owed
  void operator()(Bytes answer) && { give(&answer, false); }
  // The answer to bytes that are no request: a client that sends such is dropped by its host.
  void blame(Bytes answer) && { give(&answer, true); }

 private:
  void give(Bytes* answer, bool blames) {
    if (const Sink sink = std::exchange(sink_, nullptr)) sink(answer, blames);
  }

  Sink sink_;
};

}  // namespace weir::transport
