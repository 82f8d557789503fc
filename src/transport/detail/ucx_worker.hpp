#pragma once

#include <memory>
#include <string>

#include <ucp/api/ucp.h>

#include "base/result.hpp"
#include "transport/detail/inet_address.hpp"

// Only for ucx_*.cpp.
namespace weir::transport::detail {

Error ucx_error(ucs_status_t status, std::string_view what);

// The one owner of a UCX context, its worker and its listener: what a fabric needs of UCX before it has
// peers.
class UcxWorker {
 public:
  static Result<std::unique_ptr<UcxWorker>> make(const InetAddress& listen);
  UcxWorker(const UcxWorker&) = delete;
  UcxWorker& operator=(const UcxWorker&) = delete;
  ~UcxWorker();  // endpoints are closed before

  Result<void> on_message(ucp_am_recv_callback_t callback, void* argument);
  Result<void> on_connection(ucp_listener_conn_callback_t callback, void* argument);

  ucp_worker_h get() const { return worker_; }
  ucp_listener_h listener() const { return listener_; }
  const std::string& address() const { return address_; }
  int descriptor() const { return descriptor_; }
  bool progress() { return ucp_worker_progress(worker_) != 0; }
  bool arm() {
    return ucp_worker_arm(worker_) == UCS_OK;
  }  // else something came, or it says so again and again

  // The one kind of active message; what it is stands in its header.
  static constexpr unsigned kMessage = 1;

 private:
  explicit UcxWorker(const InetAddress& listen) : listen_(listen) {}
  Result<void> start();

  InetAddress listen_;
  std::string address_;
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  ucp_listener_h listener_ = nullptr;
  int descriptor_ = -1;
};

}  // namespace weir::transport::detail
