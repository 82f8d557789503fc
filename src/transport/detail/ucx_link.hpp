#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>

#include <ucp/api/ucp.h>

#include "base/result.hpp"
#include "transport/bytes.hpp"
#include "transport/detail/inet_address.hpp"

// Only for ucx_*.cpp.
namespace weir::transport::detail {

enum class UcxKind : std::uint32_t { hello = 1, hello_answer, request, answer, unanswered };

// The header of every message; `call` is the asker's.
struct UcxHeader {
  UcxKind kind = UcxKind::hello;
  std::uint32_t unused = 0;
  std::uint64_t call = 0;
};
static_assert(sizeof(UcxHeader) == 16);

// One connection to a peer, made by us (to call) or by it (to be called). Owns the endpoint.
class UcxLink {
 public:
  // ending: the peer was told why, and is heard no more.
  enum class State { greeting, ready, ending, broken };

  // Told by UCX's progress when the connection ends; nothing may be destroyed then.
  using OnError = void (*)(void* argument, ucp_ep_h endpoint, ucs_status_t status);

  UcxLink(std::uint64_t number, bool outbound) : number_(number), outbound_(outbound) {}
  UcxLink(const UcxLink&) = delete;
  UcxLink& operator=(const UcxLink&) = delete;
  ~UcxLink();  // drops what is under way

  Result<void> connect(ucp_worker_h worker, const InetAddress& to, OnError on_error, void* argument);
  Result<void> accept(ucp_worker_h worker, ucp_conn_request_h request, OnError on_error, void* argument);
  // False when the connection is broken; then nobody else tells.
  bool send(UcxKind kind, std::uint64_t call, Bytes bytes);
  // Sends what is under way, then ends; the request to wait for, or null.
  ucs_status_ptr_t close_gently();

  std::uint64_t number() const { return number_; }
  bool is_outbound() const { return outbound_; }
  ucp_ep_h endpoint() const { return endpoint_; }

  State state = State::greeting;
  std::uint32_t peer = 0;  // known of an inbound one once it is ready
  std::string address;     // of an outbound one's peer
  std::chrono::steady_clock::time_point last_heard;
  struct Waiting {
    std::uint64_t call;
    Bytes bytes;
  };
  std::deque<Waiting> waiting;  // requests until the peer has answered the greeting

 private:
  Result<void> create(ucp_worker_h worker, ucp_ep_params_t& params, OnError on_error, void* argument);

  std::uint64_t number_;
  bool outbound_;
  ucp_ep_h endpoint_ = nullptr;
};

}  // namespace weir::transport::detail
