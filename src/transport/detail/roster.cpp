#include "transport/detail/roster.hpp"

#include <algorithm>
#include <utility>

namespace weir::transport::detail {

void Roster::add(std::shared_ptr<ClientLink> link) {
  const std::lock_guard lock(mutex_);
  links_.push_back(std::move(link));
  ++version_;
}

std::uint64_t Roster::remove(std::uint64_t client) {
  const std::lock_guard lock(mutex_);
  std::erase_if(links_, [client](const auto& link) { return link->number() == client; });
  return ++version_;
}

std::shared_ptr<ClientLink> Roster::find(std::uint64_t client) const {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(links_.begin(), links_.end(),
                                  [client](const auto& link) { return link->number() == client; });
  return found == links_.end() ? nullptr : *found;
}

Roster::Links Roster::all() const {
  const std::lock_guard lock(mutex_);
  return links_;
}

void Roster::refresh(unsigned worker, View& view) {
  Links old;  // the last reference to a client may be here: freed outside of the lock
  {
    const std::lock_guard lock(mutex_);
    view.version = version_;
    old = std::exchange(view.links, links_);
  }
  seen_[worker] = view.version;
}

bool Roster::all_have_seen(std::uint64_t version) const {
  return std::all_of(seen_.begin(), seen_.end(), [version](const auto& seen) { return seen >= version; });
}

}  // namespace weir::transport::detail
