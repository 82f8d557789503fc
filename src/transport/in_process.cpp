#include "transport/in_process.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "transport/detail/in_process_net.hpp"
#include "transport/detail/pending_calls.hpp"

namespace weir::transport {

namespace {

using detail::Inbox;
using detail::Message;
using detail::MessageKind;

class InProcessFabric final : public Fabric {
 public:
  InProcessFabric(std::shared_ptr<InProcessNet::State> net, Loop& loop, std::string address)
      : net_(std::move(net)), address_(std::move(address)), pending_(loop) {
    net_->join(address_, &inbox_);
  }
  ~InProcessFabric() override { net_->leave(address_); }

  bool poll() override;
  int descriptor() const override { return inbox_.descriptor(); }
  bool arm() override { return inbox_.arm(); }

  std::string address() const override { return address_; }
  void set_peers(std::vector<std::string> addresses, std::uint32_t self) override {
    peers_ = std::move(addresses);
    self_ = self;
  }
  void serve(Handler handler) override { handler_ = std::move(handler); }
  void call(std::uint32_t to, Bytes request, std::chrono::nanoseconds limit, Done done) override;

 private:
  void handle(Message message);
  void handle_request(Message message);
  void lose(const std::string& address);

  std::shared_ptr<InProcessNet::State> net_;
  std::string address_;
  std::vector<std::string> peers_;
  std::uint32_t self_ = 0;
  Handler handler_;
  Inbox inbox_;
  detail::PendingCalls pending_;
};

bool InProcessFabric::poll() {
  constexpr int kAtOnce = 64;  // other sources have their turn too
  for (int handled = 0; handled < kAtOnce; ++handled) {
    auto message = inbox_.take();
    if (!message) return handled > 0;
    handle(std::move(*message));
  }
  return true;
}

void InProcessFabric::handle(Message message) {
  switch (message.kind) {
    case MessageKind::request:
      return handle_request(std::move(message));
    case MessageKind::answer:
      return pending_.finish(message.call, std::move(message.bytes));
    case MessageKind::unanswered:
      return pending_.finish(
          message.call,
          Error{Errc::io, fmt::format("server {} dropped the request unanswered", message.from)});
    case MessageKind::gone:
      return lose(message.from_address);
  }
}

void InProcessFabric::handle_request(Message message) {
  Respond respond([net = net_, here = address_, to = std::move(message.from_address), self = self_,
                   call = message.call](Bytes* answer, bool blames) {
    net->send(here, to,
              {.kind = answer != nullptr ? MessageKind::answer : MessageKind::unanswered,
               .from = self,
               .from_address = {},
               .call = call,
               .bytes = answer != nullptr ? std::move(*answer) : Bytes{}});
    if (blames && here != to) net->hang_up(here, to);
  });
  if (handler_) handler_(message.from, std::move(message.bytes), std::move(respond));
}

void InProcessFabric::lose(const std::string& address) {
  for (std::size_t i = 0; i < peers_.size(); ++i)
    if (peers_[i] == address)
      pending_.fail_all_on(i, Error{Errc::io, fmt::format("server {} at {} is gone", i, address)});
}

void InProcessFabric::call(std::uint32_t to, Bytes request, std::chrono::nanoseconds limit, Done done) {
  WEIR_CHECK(to < peers_.size(), "no server {} among {}", to, peers_.size());
  const std::uint64_t id = pending_.add(to, to, limit, std::move(done));
  net_->send(address_, peers_[to],
             {.kind = MessageKind::request,
              .from = self_,
              .from_address = {},
              .call = id,
              .bytes = std::move(request)});
}

}  // namespace

InProcessNet::InProcessNet(std::uint64_t seed, Faults faults)
    : state_(std::make_shared<State>(seed, faults)) {}

InProcessNet::~InProcessNet() = default;

std::unique_ptr<Fabric> InProcessNet::make(Loop& loop, std::string address) {
  if (address.empty()) {
    const std::lock_guard lock(state_->mutex);
    address = fmt::format("mem:{}", state_->next_address++);
  }
  return std::make_unique<InProcessFabric>(state_, loop, std::move(address));
}

void InProcessNet::set_faults(Faults faults) {
  const std::lock_guard lock(state_->mutex);
  state_->faults = faults;
}

void InProcessNet::cut(const std::string& one, const std::string& other) {
  const std::lock_guard lock(state_->mutex);
  state_->cuts.insert({{one, other}, {other, one}});
  for (const auto& [at, sender] : {std::pair(one, other), std::pair(other, one)})
    if (const auto found = state_->ends.find(at); found != state_->ends.end())
      found->second->drop_from(sender);
}

void InProcessNet::restore(const std::string& one, const std::string& other) {
  const std::lock_guard lock(state_->mutex);
  state_->cuts.erase({one, other});
  state_->cuts.erase({other, one});
}

InProcessNet::Counts InProcessNet::counts() const {
  const std::lock_guard lock(state_->mutex);
  return state_->counts;
}

}  // namespace weir::transport
