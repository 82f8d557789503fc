#include "burst/lock_protocol.hpp"

namespace weir::burst {
namespace {

// Puts a state machine's message into the part of `to` that it is for.
struct ToOwnerWrapper {
  LockToOwner& to;
  void operator()(const lock::Nothing& /*none*/) const {}
  void operator()(const lock::Hello& hello) const { to.said = Said::hello, to.hello = hello; }
  void operator()(const lock::Request& request) const { to.said = Said::request, to.request = request; }
  void operator()(const lock::Yield& yield) const { to.said = Said::yield, to.yield = yield; }
};
struct FromOwnerWrapper {
  LockFromOwner& to;
  void operator()(const lock::Nothing& /*none*/) const {}
  void operator()(const lock::Welcome& welcome) const { to.said = Said::welcome, to.welcome = welcome; }
  void operator()(const lock::Grant& grant) const { to.said = Said::grant, to.grant = grant; }
  void operator()(const lock::Conflict& conflict) const { to.said = Said::conflict, to.conflict = conflict; }
};

}  // namespace

LockToOwner wrap(FileId file, std::uint32_t node, const lock::Stamp& stamp, const lock::ToOwner& message) {
  LockToOwner wrapped;
  wrapped.file = file;
  wrapped.node = node;
  wrapped.stamp = stamp;
  std::visit(ToOwnerWrapper{wrapped}, message);
  return wrapped;
}

LockFromOwner wrap(FileId file, const lock::Stamp& stamp, const lock::FromOwner& message) {
  LockFromOwner wrapped;
  wrapped.file = file;
  wrapped.stamp = stamp;
  std::visit(FromOwnerWrapper{wrapped}, message);
  return wrapped;
}

lock::ToOwner unwrap(const LockToOwner& message) {
  switch (message.said) {
    case Said::hello:
      return message.hello;
    case Said::request:
      return message.request;
    case Said::yield:
      return message.yield;
    default:
      return lock::Nothing{};
  }
}

lock::FromOwner unwrap(const LockFromOwner& message) {
  switch (message.said) {
    case Said::welcome:
      return message.welcome;
    case Said::grant:
      return message.grant;
    case Said::conflict:
      return message.conflict;
    default:
      return lock::Nothing{};
  }
}

}  // namespace weir::burst
