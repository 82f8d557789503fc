#ifdef WEIR_HAVE_UCX

#include "transport/detail/ucx_link.hpp"

#include <memory>
#include <utility>

#include "transport/detail/ucx_worker.hpp"

namespace weir::transport::detail {

namespace {

// What UCX reads from until it says that it is done.
struct Outgoing {
  UcxHeader header;
  Bytes bytes;
};

void on_sent(void* request, ucs_status_t /*status: the error handler of the endpoint tells*/,
             void* outgoing) {
  delete static_cast<Outgoing*>(outgoing);
  ucp_request_free(request);
}

}  // namespace

UcxLink::~UcxLink() {
  if (endpoint_ == nullptr) return;
  ucp_request_param_t params{};
  params.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
  params.flags = UCP_EP_CLOSE_FLAG_FORCE;
  const ucs_status_ptr_t request = ucp_ep_close_nbx(endpoint_, &params);
  if (UCS_PTR_IS_PTR(request)) ucp_request_free(request);  // freed when it is done
}

Result<void> UcxLink::create(ucp_worker_h worker, ucp_ep_params_t& params, OnError on_error, void* argument) {
  params.field_mask |= UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
  params.err_mode = UCP_ERR_HANDLING_MODE_PEER;
  params.err_handler.cb = on_error;
  params.err_handler.arg = argument;
  const ucs_status_t status = ucp_ep_create(worker, &params, &endpoint_);
  if (status != UCS_OK) return ucx_error(status, "cannot connect");
  last_heard = std::chrono::steady_clock::now();
  return {};
}

Result<void> UcxLink::connect(ucp_worker_h worker, const InetAddress& to, OnError on_error, void* argument) {
  ucp_ep_params_t params{};
  params.field_mask = UCP_EP_PARAM_FIELD_FLAGS | UCP_EP_PARAM_FIELD_SOCK_ADDR;
  params.flags = UCP_EP_PARAMS_FLAGS_CLIENT_SERVER;
  params.sockaddr.addr = to.get();
  params.sockaddr.addrlen = to.length;
  return create(worker, params, on_error, argument);
}

Result<void> UcxLink::accept(ucp_worker_h worker, ucp_conn_request_h request, OnError on_error,
                             void* argument) {
  ucp_ep_params_t params{};
  params.field_mask = UCP_EP_PARAM_FIELD_CONN_REQUEST;
  params.conn_request = request;
  return create(worker, params, on_error, argument);
}

bool UcxLink::send(UcxKind kind, std::uint64_t call, Bytes bytes) {
  auto outgoing = std::make_unique<Outgoing>(Outgoing{{.kind = kind, .call = call}, std::move(bytes)});
  ucp_request_param_t params{};
  params.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS;
  params.flags = UCP_AM_SEND_FLAG_REPLY;  // so that the other side learns on which connection it came
  params.cb.send = on_sent;
  params.user_data = outgoing.get();
  const ucs_status_ptr_t request =
      ucp_am_send_nbx(endpoint_, UcxWorker::kMessage, &outgoing->header, sizeof outgoing->header,
                      outgoing->bytes.data(), outgoing->bytes.size(), &params);
  if (UCS_PTR_IS_ERR(request)) return false;
  if (request != nullptr) [[maybe_unused]]
    Outgoing* const theirs = outgoing.release();
  return true;
}

ucs_status_ptr_t UcxLink::close_gently() {
  ucp_request_param_t params{};
  return ucp_ep_close_nbx(std::exchange(endpoint_, nullptr), &params);
}

}  // namespace weir::transport::detail

#endif
