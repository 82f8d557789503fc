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
  Respond(Respond&& other) noexcept
      : sink_(std::exchange(other.sink_, nullptr)), forgives_(other.forgives_) {}
  Respond& operator=(Respond&& other) noexcept {
    if (this != &other) {
      give(nullptr, false);
      sink_ = std::exchange(other.sink_, nullptr);
      forgives_ = other.forgives_;
    }
    return *this;
  }
  Respond(const Respond&) = delete;
  Respond& operator=(const Respond&) = delete;
  ~Respond() { give(nullptr, false); }

  explicit operator bool() const { return sink_ != nullptr; }  // whether an answer is still owed
  void operator()(Bytes answer) && { give(&answer, false); }
  // The answer to bytes that are no request: a client that sends such is dropped by its host, a server by the
  // fabric.
  void blame(Bytes answer) && { give(&answer, true); }
  // From now on blames nobody: who passes on what others wrote does not answer for it.
  void forgive() { forgives_ = true; }

 private:
  void give(Bytes* answer, bool blames) {
    if (const Sink sink = std::exchange(sink_, nullptr)) sink(answer, blames && !forgives_);
  }

  Sink sink_;
  bool forgives_ = false;
};

}  // namespace weir::transport
