// Peers that speak UCX and break the rules above it: the fabric drops them and serves the others.
#include "transport/ucx_fabric.hpp"

#ifdef WEIR_HAVE_UCX

#include <cstring>
#include <functional>
#include <string>

#include <gtest/gtest.h>
#include <ucp/api/ucp.h>

#include "base/random.hpp"
#include "transport/detail/ucx_greeting.hpp"
#include "transport/detail/ucx_link.hpp"
#include "transport/detail/ucx_worker.hpp"
#include "transport/ucx_server_test.hpp"
#include "transport/wire.hpp"

namespace weir::transport {
namespace {

using detail::InetAddress;
using detail::UcxGreeting;
using detail::UcxHeader;
using detail::UcxKind;
using detail::UcxLink;
using detail::UcxWorker;

// One connection to a fabric, on which anything can be sent.
class Stranger {
 public:
  explicit Stranger(const std::string& to)
      : worker_(std::move(UcxWorker::make(InetAddress::parse("127.0.0.1:0").value()).value())) {
    EXPECT_TRUE(worker_->on_message(on_message, this));
    EXPECT_TRUE(link_.connect(worker_->get(), InetAddress::parse(to).value(), on_error, this));
  }
  void send(UcxKind kind, Bytes bytes) { EXPECT_TRUE(link_.send(kind, 1, std::move(bytes))); }
  void greet(const Secret& secret) {
    send(UcxKind::hello, pack(UcxGreeting{.self = 1, .secret = secret.bytes}));
    wait_for([this] { return answers_ > 0; });
  }
  // A message whose header has another length.
  void send_with(Bytes header) {
    static const std::byte none{};
    ucp_request_param_t params{};
    params.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    params.flags = UCP_AM_SEND_FLAG_REPLY;
    const ucs_status_ptr_t request = ucp_am_send_nbx(link_.endpoint(), UcxWorker::kMessage, header.data(),
                                                     header.size(), &none, 1, &params);
    ASSERT_FALSE(UCS_PTR_IS_ERR(request));
    if (request == nullptr) return;
    wait_for([&] { return ucp_request_check_status(request) != UCS_INPROGRESS; });
    ucp_request_free(request);
  }
  void wait_until_dropped() {
    wait_for([this] { return dropped_; });
  }

 private:
  static ucs_status_t on_message(void* self, const void* /*header*/, std::size_t /*header_length*/,
                                 void* /*data*/, std::size_t /*length*/,
                                 const ucp_am_recv_param_t* /*param*/) {
    ++static_cast<Stranger*>(self)->answers_;
    return UCS_OK;
  }
  static void on_error(void* self, ucp_ep_h /*endpoint*/, ucs_status_t /*status*/) {
    static_cast<Stranger*>(self)->dropped_ = true;
  }
  void wait_for(const std::function<bool()>& come) {
    while (!come()) worker_->progress();
  }

  std::unique_ptr<UcxWorker> worker_;
  UcxLink link_{1, true};
  int answers_ = 0;
  bool dropped_ = false;
};

class UcxHostile : public testing::Test {
 protected:
  UcxHostile() : server_(options_), good_(options_) {
    const std::vector<std::string> addresses{server_.fabric->address(), good_.fabric->address()};
    server_.set_peers(addresses, 0);
    good_.set_peers(addresses, 1);
    kept_ = good_.begin_call(0, to_bytes("keep"), std::chrono::hours(1));
  }
  static UcxOptions with_secret() {
    UcxOptions options;
    options.secret = Secret::make();
    return options;
  }
  // The stranger is dropped, and nobody else: what they asked before is still answered.
  void expect_dropped(Stranger& stranger) {
    stranger.wait_until_dropped();
    EXPECT_EQ(server_.counts().refused, ++dropped_);
    const auto answer = good_.call(0, to_bytes("x"));
    ASSERT_TRUE(answer) << answer.error().text();
    EXPECT_EQ(good_.counts().lost, 0U);
  }
  void TearDown() override {
    server_.thread.run([&] {
      for (Respond& respond : server_.kept) std::move(respond)(to_bytes("late"));
    });
    EXPECT_TRUE(kept_.get());
  }

  const UcxOptions options_ = with_secret();
  UcxServer server_;
  UcxServer good_;
  std::future<Result<Bytes>> kept_;
  std::uint64_t dropped_ = 0;
};

TEST_F(UcxHostile, WhoDoesNotGreetProperlyIsDropped) {
  Random random(9);
  const Bytes proper = pack(UcxGreeting{.self = 1, .secret = options_.secret.bytes});
  for (std::size_t length = 0; length < proper.size(); length += 5) {
    SCOPED_TRACE(length);
    Stranger cut(server_.fabric->address());
    cut.send(UcxKind::hello, Bytes(proper.begin(), proper.begin() + static_cast<std::ptrdiff_t>(length)));
    expect_dropped(cut);
  }
  for (const UcxKind kind : {UcxKind::hello, UcxKind::hello_answer, UcxKind::request, UcxKind::answer,
                             UcxKind::unanswered, static_cast<UcxKind>(99)}) {
    SCOPED_TRACE(static_cast<int>(kind));
    Stranger stranger(server_.fabric->address());
    Bytes bytes(random.below(200));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    stranger.send(kind, bytes);
    expect_dropped(stranger);
  }
}

TEST_F(UcxHostile, WhoBreaksTheRulesAfterTheGreetingIsDropped) {
  for (const UcxKind kind : {UcxKind::hello, UcxKind::hello_answer, UcxKind::answer, UcxKind::unanswered,
                             static_cast<UcxKind>(99)}) {
    SCOPED_TRACE(static_cast<int>(kind));
    Stranger stranger(server_.fabric->address());
    stranger.greet(options_.secret);
    stranger.send(kind, to_bytes("no message"));
    expect_dropped(stranger);
  }
}

TEST_F(UcxHostile, WhoseHeaderHasAnotherLengthIsDropped) {
  for (const std::size_t length : {1U, 15U, 17U, 64U}) {
    SCOPED_TRACE(length);
    Stranger stranger(server_.fabric->address());
    if (length > sizeof(UcxHeader)) stranger.greet(options_.secret);
    stranger.send_with(Bytes(length));
    expect_dropped(stranger);
  }
}

TEST_F(UcxHostile, WhoseRequestIsBlamedIsDropped) {
  Stranger stranger(server_.fabric->address());
  stranger.greet(options_.secret);
  stranger.send(UcxKind::request, to_bytes("no message"));
  stranger.send(UcxKind::request, to_bytes("another one, not heard any more"));
  expect_dropped(stranger);
}

}  // namespace
}  // namespace weir::transport

#endif
