#pragma once

namespace weir::capture {

// Whether this thread is inside a call of a library that waits for what was begun on a file. A library that
// asks again and again whether it is done (Open MPI spins on aio_error) would fill the trace with that.
[[gnu::tls_model("initial-exec")]] extern thread_local constinit bool completing;

class Completing {
 public:
  explicit Completing(bool is_true) : before_(completing) { completing = is_true; }
  ~Completing() { completing = before_; }
  Completing(const Completing&) = delete;
  Completing& operator=(const Completing&) = delete;

 private:
  bool before_;
};

}  // namespace weir::capture
