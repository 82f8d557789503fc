#include "transport/ucx_fabric.hpp"

#ifdef WEIR_HAVE_UCX

#include <cstring>
#include <deque>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <ucp/api/ucp.h>

#include "base/check.hpp"
#include "transport/detail/pending_calls.hpp"
#include "transport/detail/ucx_greeting.hpp"
#include "transport/detail/ucx_link.hpp"
#include "transport/detail/ucx_worker.hpp"
#include "transport/wire.hpp"

namespace weir::transport {

namespace {

using detail::InetAddress;
using detail::UcxGreeting;
using detail::UcxHeader;
using detail::UcxKind;
using detail::UcxLink;
using detail::UcxVerdict;
using detail::UcxWorker;
using Clock = std::chrono::steady_clock;

class UcxFabricImpl;

// A message on its way in: what UCX writes to until it says that it is done.
struct Incoming {
  UcxFabricImpl* fabric;
  std::uint64_t link;
  UcxHeader header;
  Bytes bytes;
};

class UcxFabricImpl final : public UcxFabric {
 public:
  UcxFabricImpl(Loop& loop, const UcxOptions& options, std::unique_ptr<UcxWorker> worker)
      : loop_(loop),
        options_(options),
        worker_(std::move(worker)),
        alive_(std::make_shared<UcxFabricImpl*>(this)),
        pending_(loop, [this](std::uint32_t to, Clock::time_point since) { notice_silence(to, since); }) {}
  ~UcxFabricImpl() override;
  Result<void> open();

  bool poll() override;
  int descriptor() const override { return worker_->descriptor(); }
  bool arm() override;
  bool expects_more() const override { return !pending_.empty(); }

  std::string address() const override { return worker_->address(); }
  void set_peers(std::vector<std::string> addresses, std::uint32_t self) override;
  void serve(Handler handler) override { handler_ = std::move(handler); }
  void call(std::uint32_t to, Bytes request, std::chrono::nanoseconds limit, Done done) override;
  Counts counts() const override { return counts_; }

 private:
  using Links = std::map<std::uint64_t, std::unique_ptr<UcxLink>>;

  // From UCX's progress: only note what happened.
  static ucs_status_t on_message(void* self, const void* header, std::size_t header_length, void* data,
                                 std::size_t length, const ucp_am_recv_param_t* param);
  static void on_received(void* request, ucs_status_t status, std::size_t length, void* incoming);
  static void on_connection(ucp_conn_request_h request, void* self);
  static void on_error(void* self, ucp_ep_h endpoint, ucs_status_t status);
  ucs_status_t receive(UcxLink& link, const UcxHeader& header, void* data, std::size_t length,
                       const ucp_am_recv_param_t* param);

  // After it.
  bool handle_noted();
  void admit(ucp_conn_request_h request);
  void handle(Incoming message);
  void handle_hello(UcxLink& link, const Bytes& bytes);
  void handle_hello_answer(UcxLink& link, const Bytes& bytes);
  void handle_request(std::uint32_t from, std::uint64_t link, std::uint64_t call, Bytes request);
  void respond(std::uint64_t link, std::uint64_t call, Bytes* answer, bool blames);

  UcxLink* find(std::uint64_t number);
  UcxLink& outbound(std::uint32_t to);
  UcxLink& add_link(bool outbound);
  void send(UcxLink& link, UcxKind kind, std::uint64_t call, Bytes bytes);
  void refuse(UcxLink& link);
  void end(UcxLink& link);
  void mark_broken(UcxLink& link, std::string_view why);
  void drop_broken();
  void notice_silence(std::uint32_t to, Clock::time_point since);
  void close_all();

  Loop& loop_;
  UcxOptions options_;
  std::unique_ptr<UcxWorker> worker_;
  std::shared_ptr<UcxFabricImpl*> alive_;  // what answers and timers ask whether the fabric is still there
  detail::PendingCalls pending_;
  Handler handler_;
  std::vector<std::string> peers_;
  std::uint32_t self_ = 0;
  Counts counts_;

  std::uint64_t last_link_ = 0;
  Links links_;
  std::unordered_map<ucp_ep_h, std::uint64_t> link_of_endpoint_;
  std::map<std::uint32_t, std::uint64_t> link_to_;  // the outbound one of each peer
  std::vector<ucp_conn_request_h> knocking_;
  std::deque<Incoming> inbox_;
  struct Broken {
    std::uint64_t link;
    std::string why;
  };
  std::vector<Broken> broken_;
};

constexpr std::chrono::seconds kTimeToGreet{10};

Result<void> UcxFabricImpl::open() {
  if (auto set = worker_->on_message(on_message, this); !set) return set.error();
  return worker_->on_connection(on_connection, this);
}

UcxFabricImpl::~UcxFabricImpl() {
  alive_.reset();
  close_all();
}

void UcxFabricImpl::set_peers(std::vector<std::string> addresses, std::uint32_t self) {
  for (const auto& [to, link] : link_to_)
    if (to >= addresses.size() || to >= peers_.size() || addresses[to] != peers_[to])
      mark_broken(*find(link), "has another address now");
  peers_ = std::move(addresses);
  self_ = self;
}

// ---- What UCX tells ----

ucs_status_t UcxFabricImpl::on_message(void* self, const void* header, std::size_t header_length, void* data,
                                       std::size_t length, const ucp_am_recv_param_t* param) {
  auto& fabric = *static_cast<UcxFabricImpl*>(self);
  const bool has_link = (param->recv_attr & UCP_AM_RECV_ATTR_FIELD_REPLY_EP) != 0;
  const auto found =
      has_link ? fabric.link_of_endpoint_.find(param->reply_ep) : fabric.link_of_endpoint_.end();
  if (found == fabric.link_of_endpoint_.end()) return UCS_OK;
  UcxLink& link = *fabric.find(found->second);
  UcxHeader head;
  if (header_length != sizeof head) {
    fabric.refuse(link);
    return (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0 ? UCS_ERR_INVALID_PARAM : UCS_OK;
  }
  std::memcpy(&head, header, sizeof head);
  return fabric.receive(link, head, data, length, param);
}

ucs_status_t UcxFabricImpl::receive(UcxLink& link, const UcxHeader& header, void* data, std::size_t length,
                                    const ucp_am_recv_param_t* param) {
  const bool is_bulk = (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0;
  // Nobody may make us allocate before having proved itself.
  if (length > kLongestMessage || (link.state != UcxLink::State::ready && (is_bulk || length > 4096))) {
    mark_broken(link, "sent a message that is too long");
    return is_bulk ? UCS_ERR_EXCEEDS_LIMIT : UCS_OK;
  }
  if (!is_bulk) {
    const auto* const bytes = static_cast<const std::byte*>(data);
    inbox_.push_back({this, link.number(), header, Bytes(bytes, bytes + length)});
    return UCS_OK;
  }
  auto incoming = std::make_unique<Incoming>(Incoming{this, link.number(), header, Bytes(length)});
  ucp_request_param_t params{};
  params.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  params.cb.recv_am = on_received;
  params.user_data = incoming.get();
  const ucs_status_ptr_t request =
      ucp_am_recv_data_nbx(worker_->get(), data, incoming->bytes.data(), length, &params);
  if (UCS_PTR_IS_ERR(request)) {
    mark_broken(link, "its message could not be received");
  } else if (request == nullptr) {
    inbox_.push_back(std::move(*incoming));
  } else {
    [[maybe_unused]] Incoming* const theirs = incoming.release();
  }
  return UCS_INPROGRESS;  // the message is UCX's since we asked for it
}

void UcxFabricImpl::on_received(void* request, ucs_status_t status, std::size_t /*length*/, void* incoming) {
  const std::unique_ptr<Incoming> message(static_cast<Incoming*>(incoming));
  ucp_request_free(request);
  // After a failure the endpoint's error handler tells.
  if (status == UCS_OK) message->fabric->inbox_.push_back(std::move(*message));
}

void UcxFabricImpl::on_connection(ucp_conn_request_h request, void* self) {
  static_cast<UcxFabricImpl*>(self)->knocking_.push_back(request);
}

void UcxFabricImpl::on_error(void* self, ucp_ep_h endpoint, ucs_status_t status) {
  auto& fabric = *static_cast<UcxFabricImpl*>(self);
  const auto found = fabric.link_of_endpoint_.find(endpoint);
  if (found != fabric.link_of_endpoint_.end())
    fabric.mark_broken(*fabric.find(found->second), ucs_status_string(status));
}

// ---- The loop's turn ----

bool UcxFabricImpl::poll() {
  constexpr int kAtOnce = 16;  // other sources have their turn too
  bool something = false;
  // What has come is handled before UCX asks the sockets again.
  for (int i = 0; i < kAtOnce && worker_->progress(); ++i) {
    something = true;
    if (!inbox_.empty()) break;
  }
  return handle_noted() || something;
}

bool UcxFabricImpl::arm() { return inbox_.empty() && broken_.empty() && knocking_.empty() && worker_->arm(); }

bool UcxFabricImpl::handle_noted() {
  const bool something = !inbox_.empty() || !broken_.empty() || !knocking_.empty();
  for (const ucp_conn_request_h request : std::exchange(knocking_, {})) admit(request);
  for (std::size_t left = inbox_.size(); left > 0; --left) {
    Incoming message = std::move(inbox_.front());
    inbox_.pop_front();
    handle(std::move(message));
  }
  drop_broken();
  return something;
}

void UcxFabricImpl::admit(ucp_conn_request_h request) {
  UcxLink& link = add_link(false);
  if (!link.accept(worker_->get(), request, on_error, this)) {
    links_.erase(link.number());
    return;
  }
  link_of_endpoint_[link.endpoint()] = link.number();
  loop_.after(kTimeToGreet, [alive = std::weak_ptr(alive_), number = link.number()] {
    const auto fabric = alive.lock();
    if (fabric == nullptr) return;
    UcxLink* const silent = (*fabric)->find(number);
    if (silent != nullptr && silent->state == UcxLink::State::greeting) (*fabric)->refuse(*silent);
  });
}

void UcxFabricImpl::handle(Incoming message) {
  UcxLink* const link = message.link == 0 ? nullptr : find(message.link);
  if (message.link == 0) return handle_request(self_, 0, message.header.call, std::move(message.bytes));
  if (link == nullptr || link->state == UcxLink::State::ending || link->state == UcxLink::State::broken)
    return;
  link->last_heard = Clock::now();
  const bool ready = link->state == UcxLink::State::ready;
  switch (message.header.kind) {
    case UcxKind::hello:
      if (!ready && !link->is_outbound()) return handle_hello(*link, message.bytes);
      break;
    case UcxKind::hello_answer:
      if (!ready && link->is_outbound()) return handle_hello_answer(*link, message.bytes);
      break;
    case UcxKind::request:
      if (ready && !link->is_outbound())
        return handle_request(link->peer, message.link, message.header.call, std::move(message.bytes));
      break;
    case UcxKind::answer:
      if (ready && link->is_outbound()) return pending_.finish(message.header.call, std::move(message.bytes));
      break;
    case UcxKind::unanswered:
      if (ready && link->is_outbound())
        return pending_.finish(
            message.header.call,
            Error{Errc::io, fmt::format("server {} dropped the request unanswered", link->peer)});
      break;
  }
  refuse(*link);
}

void UcxFabricImpl::handle_hello(UcxLink& link, const Bytes& bytes) {
  const auto greeting = unpack<UcxGreeting>(bytes);
  UcxVerdict verdict = UcxVerdict::welcome;
  if (!greeting || greeting->magic != detail::kUcxMagic)
    verdict = UcxVerdict::malformed;
  else if (!Secret{greeting->secret}.equals(options_.secret))
    verdict = UcxVerdict::wrong_secret;
  else if (greeting->protocol != detail::kUcxProtocol || greeting->version != options_.version)
    verdict = UcxVerdict::wrong_version;
  else if (!peers_.empty() && greeting->self >= peers_.size())
    verdict = UcxVerdict::malformed;
  send(link, UcxKind::hello_answer, 0, pack(verdict));
  if (verdict != UcxVerdict::welcome) return end(link);
  link.peer = greeting->self;
  link.state = UcxLink::State::ready;
  ++counts_.connected;
}

void UcxFabricImpl::handle_hello_answer(UcxLink& link, const Bytes& bytes) {
  const auto verdict = unpack<UcxVerdict>(bytes);
  if (!verdict || *verdict != UcxVerdict::welcome)
    return mark_broken(link, verdict ? detail::describe(*verdict) : "did not understand the greeting");
  link.state = UcxLink::State::ready;
  for (UcxLink::Waiting& item : std::exchange(link.waiting, {}))
    if (pending_.has(item.call)) send(link, UcxKind::request, item.call, std::move(item.bytes));
}

void UcxFabricImpl::handle_request(std::uint32_t from, std::uint64_t link, std::uint64_t call,
                                   Bytes request) {
  Respond respond([alive = std::weak_ptr(alive_), link, call](Bytes* answer, bool blames) {
    if (const auto fabric = alive.lock()) (*fabric)->respond(link, call, answer, blames);
  });
  if (handler_) handler_(from, std::move(request), std::move(respond));
}

void UcxFabricImpl::respond(std::uint64_t number, std::uint64_t call, Bytes* answer, bool blames) {
  const bool good = answer != nullptr && answer->size() <= kLongestMessage;
  if (number == 0)  // we asked ourselves
    return pending_.finish(call, good ? Result<Bytes>(std::move(*answer))
                                      : Error{Errc::io, "this server dropped its own request unanswered"});
  UcxLink* const link = find(number);
  if (link == nullptr || link->state != UcxLink::State::ready) return;
  send(*link, good ? UcxKind::answer : UcxKind::unanswered, call, good ? std::move(*answer) : Bytes{});
  if (blames) end(*link);
}

// ---- Calling ----

void UcxFabricImpl::call(std::uint32_t to, Bytes request, std::chrono::nanoseconds limit, Done done) {
  WEIR_CHECK(to < peers_.size(), "no server {} among {}", to, peers_.size());
  WEIR_CHECK(request.size() <= kLongestMessage, "a request of {} bytes", request.size());
  if (to == self_) {
    const std::uint64_t id = pending_.add(to, 0, limit, std::move(done));
    inbox_.push_back({this, 0, {.kind = UcxKind::request, .call = id}, std::move(request)});
    return;
  }
  UcxLink& link = outbound(to);
  const std::uint64_t id = pending_.add(to, link.number(), limit, std::move(done));
  if (link.state == UcxLink::State::ready)
    send(link, UcxKind::request, id, std::move(request));
  else
    link.waiting.push_back({id, std::move(request)});
}

// The connection to a peer, made if there is none. It may be broken from the start: then its calls will be
// told.
UcxLink& UcxFabricImpl::outbound(std::uint32_t to) {
  if (const auto found = link_to_.find(to); found != link_to_.end())
    if (UcxLink& link = *find(found->second); link.state != UcxLink::State::broken) return link;
  UcxLink& link = add_link(true);
  link.peer = to;
  link.address = peers_[to];
  link_to_[to] = link.number();
  const auto address = InetAddress::parse(peers_[to]);
  const auto made =
      address ? link.connect(worker_->get(), *address, on_error, this) : Result<void>(address.error());
  if (!made) {
    mark_broken(link, made.error().text());
    return link;
  }
  link_of_endpoint_[link.endpoint()] = link.number();
  UcxGreeting greeting;
  greeting.version = options_.version;
  greeting.self = self_;
  greeting.secret = options_.secret.bytes;
  send(link, UcxKind::hello, 0, pack(greeting));
  return link;
}

UcxLink* UcxFabricImpl::find(std::uint64_t number) {
  const auto found = links_.find(number);
  return found == links_.end() ? nullptr : found->second.get();
}

UcxLink& UcxFabricImpl::add_link(bool outbound) {
  const std::uint64_t number = ++last_link_;
  return *links_.emplace(number, std::make_unique<UcxLink>(number, outbound)).first->second;
}

void UcxFabricImpl::send(UcxLink& link, UcxKind kind, std::uint64_t call, Bytes bytes) {
  if (!link.send(kind, call, std::move(bytes))) mark_broken(link, "cannot be sent to");
}

// ---- Ends of connections ----

void UcxFabricImpl::refuse(UcxLink& link) {
  if (link.state == UcxLink::State::broken) return;
  ++counts_.refused;
  mark_broken(link, "broke the rules");
}

// What was sent must arrive before the connection ends; a peer that does not go is dropped.
void UcxFabricImpl::end(UcxLink& link) {
  ++counts_.refused;
  if (link.state != UcxLink::State::broken) link.state = UcxLink::State::ending;
  loop_.after(std::chrono::milliseconds(200), [alive = std::weak_ptr(alive_), number = link.number()] {
    const auto fabric = alive.lock();
    UcxLink* const refused = fabric == nullptr ? nullptr : (*fabric)->find(number);
    if (refused != nullptr) (*fabric)->mark_broken(*refused, "was refused");
  });
}

// It ends with drop_broken(), which is not for UCX's progress or for the middle of a call.
void UcxFabricImpl::mark_broken(UcxLink& link, std::string_view why) {
  if (std::exchange(link.state, UcxLink::State::broken) == UcxLink::State::broken) return;
  broken_.push_back({link.number(), std::string(why)});
}

void UcxFabricImpl::drop_broken() {
  for (const Broken& item : std::exchange(broken_, {})) {
    const std::unique_ptr<UcxLink> link = std::move(links_.extract(item.link).mapped());
    link_of_endpoint_.erase(link->endpoint());
    if (!link->is_outbound()) continue;
    ++counts_.lost;
    if (const auto current = link_to_.find(link->peer);
        current != link_to_.end() && current->second == item.link)
      link_to_.erase(current);
    pending_.fail_all_on(
        item.link, Error{Errc::io, fmt::format("server {} at {}: {}", link->peer, link->address, item.why)});
  }
}

// Not a word from the peer during a whole call: the way to it may be cut, and TCP would take its time to
// notice that it is whole again. A new connection notices at once.
void UcxFabricImpl::notice_silence(std::uint32_t to, Clock::time_point since) {
  const auto found = link_to_.find(to);
  if (found == link_to_.end()) return;
  UcxLink& link = *find(found->second);
  if (link.last_heard < since) mark_broken(link, "is silent");
}

// What has been sent should arrive, but a peer that is gone must not hold us up.
void UcxFabricImpl::close_all() {
  constexpr std::chrono::milliseconds kEnough{300};
  std::vector<ucs_status_ptr_t> closing;
  for (auto& [number, link] : links_)
    if (link->state == UcxLink::State::ready)
      if (const ucs_status_ptr_t request = link->close_gently(); UCS_PTR_IS_PTR(request))
        closing.push_back(request);
  link_of_endpoint_.clear();
  links_.clear();
  const auto deadline = Clock::now() + kEnough;
  while (!closing.empty() && Clock::now() < deadline) {
    worker_->progress();
    std::erase_if(closing, [](ucs_status_ptr_t request) {
      if (ucp_request_check_status(request) == UCS_INPROGRESS) return false;
      ucp_request_free(request);
      return true;
    });
  }
  for (const ucs_status_ptr_t request : closing) ucp_request_free(request);
  for (const ucp_conn_request_h request : knocking_) ucp_listener_reject(worker_->listener(), request);
}

}  // namespace

Result<std::unique_ptr<UcxFabric>> UcxFabric::make(Loop& loop, const UcxOptions& options) {
  const auto listen = InetAddress::parse(options.listen);
  if (!listen) return listen.error();
  auto worker = UcxWorker::make(*listen);
  if (!worker) return worker.error();
  auto fabric = std::make_unique<UcxFabricImpl>(loop, options, std::move(*worker));
  if (auto opened = fabric->open(); !opened) return opened.error();
  return std::unique_ptr<UcxFabric>(std::move(fabric));
}

}  // namespace weir::transport

#endif
