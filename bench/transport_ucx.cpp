// The fabric, and UCX alone with the same settings as its reference.
#include <atomic>
#include <cstring>
#include <memory>

#include <arpa/inet.h>
#include <ucp/api/ucp.h>

#include "transport/loop.hpp"
#include "transport/ucx_fabric.hpp"
#include "transport_bench.hpp"

namespace {

using namespace std::chrono_literals;

void must(ucs_status_t status, const char* what) {
  if (status != UCS_OK) stop(std::string(what) + ": " + ucs_status_string(status));
}

// A worker that counts the messages that came, and one endpoint.
struct Raw {
  ucp_context_h context = nullptr;
  ucp_worker_h worker = nullptr;
  ucp_ep_h endpoint = nullptr;
  ucp_conn_request_h knocking = nullptr;
  int received = 0;
  std::vector<std::byte> bulk = std::vector<std::byte>(std::size_t{4} << 20U);

  explicit Raw(bool namespaces, const char* device) {
    ucp_config_t* config = nullptr;
    must(ucp_config_read("WEIR", nullptr, &config), "config");
    must(ucp_config_modify(config, "TLS", "tcp"), "TLS");
    must(ucp_config_modify(config, "NET_DEVICES", namespaces ? device : "lo"), "NET_DEVICES");
    ucp_params_t params{};
    params.field_mask = UCP_PARAM_FIELD_FEATURES;
    params.features = UCP_FEATURE_AM;
    must(ucp_init(&params, config, &context), "init");
    ucp_worker_params_t worker_params{};
    must(ucp_worker_create(context, &worker_params, &worker), "worker");
    ucp_am_handler_param_t handler{};
    handler.field_mask =
        UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
    handler.id = 1;
    handler.cb = on_message;
    handler.arg = this;
    must(ucp_worker_set_am_recv_handler(worker, &handler), "handler");
  }

  static ucs_status_t on_message(void* self, const void* /*header*/, std::size_t /*header_length*/,
                                 void* data, std::size_t length, const ucp_am_recv_param_t* param) {
    auto& raw = *static_cast<Raw*>(self);
    if ((param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0) {
      if (length != 0) std::memcpy(raw.bulk.data(), data, length);
      ++raw.received;
      return UCS_OK;
    }
    ucp_request_param_t receive{};
    receive.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    receive.cb.recv_am = [](void* request, ucs_status_t, std::size_t, void* argument) {
      ucp_request_free(request);
      ++static_cast<Raw*>(argument)->received;
    };
    receive.user_data = self;
    if (ucp_am_recv_data_nbx(raw.worker, data, raw.bulk.data(), length, &receive) == nullptr) ++raw.received;
    return UCS_INPROGRESS;
  }
  void send(std::size_t size) {
    static const std::uint64_t header[2] = {};
    const ucp_request_param_t params{};
    const ucs_status_ptr_t request =
        ucp_am_send_nbx(endpoint, 1, header, sizeof header, bulk.data(), size, &params);
    if (!UCS_PTR_IS_PTR(request)) return;
    while (ucp_request_check_status(request) == UCS_INPROGRESS) ucp_worker_progress(worker);
    ucp_request_free(request);
  }
  void await(int count) {
    while (received < count) ucp_worker_progress(worker);
  }
};

sockaddr_in to_address(const std::string& text) {
  sockaddr_in address{};
  const std::size_t colon = text.find(':');
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(text.substr(colon + 1))));
  ::inet_pton(AF_INET, text.substr(0, colon).c_str(), &address.sin_addr);
  return address;
}

[[noreturn]] void serve_raw(const Network& network, const std::function<void(const std::string&)>& ready) {
  Raw raw(network.namespaces, "weir0");
  sockaddr_in address = to_address(network.server);
  ucp_listener_params_t params{};
  params.field_mask = UCP_LISTENER_PARAM_FIELD_SOCK_ADDR | UCP_LISTENER_PARAM_FIELD_CONN_HANDLER;
  params.sockaddr = {reinterpret_cast<const sockaddr*>(&address), sizeof address};
  params.conn_handler.cb = [](ucp_conn_request_h request, void* self) {
    static_cast<Raw*>(self)->knocking = request;
  };
  params.conn_handler.arg = &raw;
  ucp_listener_h listener = nullptr;
  must(ucp_listener_create(raw.worker, &params, &listener), "listener");
  ucp_listener_attr_t attributes{};
  attributes.field_mask = UCP_LISTENER_ATTR_FIELD_SOCKADDR;
  must(ucp_listener_query(listener, &attributes), "listener's address");
  std::memcpy(&address, &attributes.sockaddr, sizeof address);
  const std::string host = std::string(network.server).substr(0, std::string(network.server).find(':'));
  ready(host + ":" + std::to_string(ntohs(address.sin_port)));
  while (raw.knocking == nullptr) ucp_worker_progress(raw.worker);
  ucp_ep_params_t endpoint{};
  endpoint.field_mask =
      UCP_EP_PARAM_FIELD_CONN_REQUEST | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
  endpoint.conn_request = raw.knocking;
  endpoint.err_mode = UCP_ERR_HANDLING_MODE_PEER;
  endpoint.err_handler.cb = [](void*, ucp_ep_h, ucs_status_t) {};
  must(ucp_ep_create(raw.worker, &endpoint, &raw.endpoint), "endpoint");
  for (int count = 1;; ++count) {
    raw.await(count);
    raw.send(0);
  }
}

Latencies measure_raw(const Network& network, const std::string& to, int calls, std::size_t size) {
  Raw raw(network.namespaces, "weir1");
  const sockaddr_in address = to_address(to);
  ucp_ep_params_t endpoint{};
  endpoint.field_mask = UCP_EP_PARAM_FIELD_FLAGS | UCP_EP_PARAM_FIELD_SOCK_ADDR |
                        UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
  endpoint.flags = UCP_EP_PARAMS_FLAGS_CLIENT_SERVER;
  endpoint.sockaddr = {reinterpret_cast<const sockaddr*>(&address), sizeof address};
  endpoint.err_mode = UCP_ERR_HANDLING_MODE_PEER;
  endpoint.err_handler.cb = [](void*, ucp_ep_h, ucs_status_t) {};
  must(ucp_ep_create(raw.worker, &endpoint, &raw.endpoint), "endpoint");
  Latencies times;
  for (int i = -calls / 10 - 5; i < calls; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const int before = raw.received;
    raw.send(size);
    raw.await(before + 1);
    if (i >= 0) times.add(std::chrono::steady_clock::now() - begin);
  }
  return times;
}

[[noreturn]] void serve_fabric(const Network& network, const std::function<void(const std::string&)>& ready) {
  using namespace weir::transport;
  Loop loop;
  auto fabric = UcxFabric::make(loop, {.listen = network.server, .secret = {}, .version = 0});
  if (!fabric) stop(fabric.error().text());
  (*fabric)->serve([](std::uint32_t, Bytes, Respond respond) { std::move(respond)({}); });
  loop.add(**fabric);
  ready((*fabric)->address());
  loop.run();
  std::exit(0);
}

Latencies measure_fabric(const Network& network, const std::string& to, int calls, std::size_t size) {
  using namespace weir::transport;
  Loop loop;
  auto fabric = UcxFabric::make(loop, {.listen = network.client, .secret = {}, .version = 0});
  if (!fabric) stop(fabric.error().text());
  (*fabric)->set_peers({to, (*fabric)->address()}, 1);
  loop.add(**fabric);
  Latencies times;
  int left = calls + calls / 10 + 5;
  const Bytes message(size);
  std::function<void()> call = [&] {
    const auto begin = std::chrono::steady_clock::now();
    (*fabric)->call(0, message, 10s, [&, begin](weir::Result<Bytes> result) {
      if (!result) stop(result.error().text());
      if (left <= calls) times.add(std::chrono::steady_clock::now() - begin);
      if (--left > 0)
        call();
      else
        loop.stop();
    });
  };
  call();
  loop.run();
  return times;
}

}  // namespace

Latencies time_raw_ucx(const Network& network, int calls, std::size_t size) {
  return measure_pair(
      network, [&](const auto& ready) { serve_raw(network, ready); },
      [&](const std::string& to) { return measure_raw(network, to, calls, size); });
}

Latencies time_fabric(const Network& network, int calls, std::size_t size) {
  return measure_pair(
      network, [&](const auto& ready) { serve_fabric(network, ready); },
      [&](const std::string& to) { return measure_fabric(network, to, calls, size); });
}
