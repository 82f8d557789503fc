#ifdef WEIR_HAVE_UCX

#include "transport/detail/ucx_worker.hpp"

#include <cstdlib>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <ucs/debug/log_def.h>

namespace weir::transport::detail {

namespace {

// UCX says on standard output that a peer went away, which is no news here: callers get it as an error.
ucs_log_func_rc_t keep_quiet(const char* /*file*/, unsigned /*line*/, const char* /*function*/,
                             ucs_log_level_t level, const ucs_log_component_config_t* /*component*/,
                             const char* /*message*/, va_list /*arguments*/) {
  return level <= UCS_LOG_LEVEL_FATAL || std::getenv("WEIR_UCX_LOG_LEVEL") != nullptr
             ? UCS_LOG_FUNC_RC_CONTINUE
             : UCS_LOG_FUNC_RC_STOP;
}

struct ConfigDeleter {
  void operator()(ucp_config_t* config) const { ucp_config_release(config); }
};
using Config = std::unique_ptr<ucp_config_t, ConfigDeleter>;

// Sets what nobody has set under our own prefix.
Result<void> set_default(const Config& config, const char* name, const std::string& value) {
  if (std::getenv(fmt::format("WEIR_UCX_{}", name).c_str()) != nullptr) return {};
  const ucs_status_t status = ucp_config_modify(config.get(), name, value.c_str());
  if (status != UCS_OK) return ucx_error(status, fmt::format("cannot set {}={}", name, value));
  return {};
}

// All transports would include shared memory, which UCX also takes between network namespaces of one machine,
// where it does not work. UCX listens on every device that it uses, so that must be the one of the address
// only.
Result<Config> read_config(const InetAddress& listen) {
  ucp_config_t* raw = nullptr;
  const ucs_status_t status = ucp_config_read("WEIR", nullptr, &raw);
  if (status != UCS_OK) return ucx_error(status, "cannot read the settings WEIR_UCX_*");
  Config config(raw);
  if (auto set = set_default(config, "CM_REUSEADDR", "y"); !set)
    return set.error();  // a restart needs its port
  const bool own_transports = std::getenv("WEIR_UCX_TLS") != nullptr;
  if (auto set = set_default(config, "TLS", "tcp"); !set) return set.error();
  if (!own_transports && !listen.is_any()) {
    const auto device = device_of(listen);
    if (!device) return device.error();
    if (auto set = set_default(config, "NET_DEVICES", *device); !set) return set.error();
  }
  return config;
}

}  // namespace

Error ucx_error(ucs_status_t status, std::string_view what) {
  return {Errc::io, fmt::format("UCX: {}: {}", what, ucs_status_string(status))};
}

Result<std::unique_ptr<UcxWorker>> UcxWorker::make(const InetAddress& listen) {
  static std::once_flag once;
  std::call_once(once, [] { ucs_log_push_handler(keep_quiet); });
  std::unique_ptr<UcxWorker> made(new UcxWorker(listen));
  if (auto started = made->start(); !started) return started.error();
  return made;
}

Result<void> UcxWorker::start() {
  const auto config = read_config(listen_);
  if (!config) return config.error();
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES;
  params.features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;
  ucs_status_t status = ucp_init(&params, config->get(), &context_);
  if (status != UCS_OK)
    return ucx_error(status, "cannot start").in(listen_.text()).with_remedy("is its network device up?");
  ucp_worker_params_t worker_params{};
  worker_params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  worker_params.thread_mode = UCS_THREAD_MODE_SERIALIZED;  // made in one thread, used in another
  status = ucp_worker_create(context_, &worker_params, &worker_);
  if (status != UCS_OK) return ucx_error(status, "cannot make a worker");
  status = ucp_worker_get_efd(worker_, &descriptor_);
  if (status != UCS_OK) return ucx_error(status, "the transport cannot sleep");
  return {};
}

UcxWorker::~UcxWorker() {
  if (listener_ != nullptr) ucp_listener_destroy(listener_);
  if (worker_ != nullptr) ucp_worker_destroy(worker_);
  if (context_ != nullptr) ucp_cleanup(context_);
}

Result<void> UcxWorker::on_message(ucp_am_recv_callback_t callback, void* argument) {
  ucp_am_handler_param_t params{};
  params.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
                      UCP_AM_HANDLER_PARAM_FIELD_ARG | UCP_AM_HANDLER_PARAM_FIELD_FLAGS;
  params.id = kMessage;
  params.cb = callback;
  params.arg = argument;
  params.flags = UCP_AM_FLAG_WHOLE_MSG;
  const ucs_status_t status = ucp_worker_set_am_recv_handler(worker_, &params);
  if (status != UCS_OK) return ucx_error(status, "no active messages");
  return {};
}

Result<void> UcxWorker::on_connection(ucp_listener_conn_callback_t callback, void* argument) {
  ucp_listener_params_t params{};
  params.field_mask = UCP_LISTENER_PARAM_FIELD_SOCK_ADDR | UCP_LISTENER_PARAM_FIELD_CONN_HANDLER;
  params.sockaddr.addr = listen_.get();
  params.sockaddr.addrlen = listen_.length;
  params.conn_handler.cb = callback;
  params.conn_handler.arg = argument;
  ucs_status_t status = ucp_listener_create(worker_, &params, &listener_);
  if (status != UCS_OK) return ucx_error(status, "cannot listen").in(listen_.text());
  ucp_listener_attr_t attributes{};
  attributes.field_mask = UCP_LISTENER_ATTR_FIELD_SOCKADDR;
  status = ucp_listener_query(listener_, &attributes);
  if (status != UCS_OK) return ucx_error(status, "cannot learn the port");
  address_ = InetAddress::from(attributes.sockaddr).text();
  return {};
}

}  // namespace weir::transport::detail

#endif
