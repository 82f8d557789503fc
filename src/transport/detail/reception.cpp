#include "transport/detail/reception.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <sys/random.h>

#include "transport/detail/parcel.hpp"
#include "transport/wire.hpp"

namespace weir::transport::detail {

Reception::Reception(const HostOptions& options, std::unique_ptr<Door> door, Roster& roster, Bells& bells,
                     std::vector<Placement>& placements)
    : options_(options), door_(std::move(door)), roster_(roster), bells_(bells), placements_(placements) {}

void Reception::attention() {
  attention_ = true;
  bells_.ring_if_asleep(0);
}

void Reception::poll() {
  if (attention_.exchange(false)) drop_condemned();
  door_->poll([this](Door::Visitor visitor) { greet(std::move(visitor)); },
              [this](std::uint64_t client) { begin_leave(client); });
  if (!leaving_.empty()) finish_leaves();
}

void Reception::greet(Door::Visitor visitor) {
  const auto hello = unpack<Hello>(visitor.hello);
  if (!hello || hello->magic != kChannelMagic) return refuse(visitor, Verdict::malformed);
  if (!Secret{hello->secret}.equals(options_.secret)) return refuse(visitor, Verdict::wrong_secret);
  if (hello->protocol != kChannelProtocol || hello->version != options_.version)
    return refuse(visitor, Verdict::wrong_version);
  // Who reconnects at once may be here before the end of its old connection has been noticed.
  if (hello->resume != 0 && (is_leaving(hello->resume) || door_->is_over(hello->resume))) {
    parked_.push_back(std::move(visitor));
    return;
  }
  if (hello->resume != 0 && roster_.find(hello->resume) != nullptr)
    return refuse(visitor, Verdict::number_in_use);
  welcome(std::move(visitor), *hello);
}

void Reception::refuse(const Door::Visitor& visitor, Verdict verdict) {
  ++refused_;
  Welcome answer;
  answer.verdict = verdict;
  answer.version = options_.version;
  // Whether it arrives or not, the connection ends.
  [[maybe_unused]] const auto sent = send_parcel(visitor.socket.get(), pack(answer), {});
}

void Reception::welcome(Door::Visitor visitor, const Hello& hello) {
  const std::uint64_t number = hello.resume != 0 ? hello.resume : new_number();
  const pid_t pid = visitor.pid;
  const int socket = visitor.socket.get();
  const auto link = ClientLink::make(number, placements_, options_.area_bytes);
  if (!link) return refuse(visitor, Verdict::no_memory);
  if (!door_->keep(number, std::move(visitor))) return;
  roster_.add(*link);
  ++joined_;
  if (on_join) on_join(number, pid);
  if (!send_welcome(socket, **link)) door_->shut(number);
}

Result<void> Reception::send_welcome(int socket, const ClientLink& link) {
  Welcome answer;
  answer.version = options_.version;
  answer.client = link.number();
  answer.area_bytes = options_.area_bytes;
  answer.workers = options_.workers;
  std::vector<int> descriptors{link.memory_descriptor(), bells_.page_descriptor()};
  for (unsigned worker = 0; worker < options_.workers; ++worker)
    descriptors.push_back(bells_.descriptor(worker));
  for (const Region& region : regions_) {
    answer.regions.push_back(region.bytes);
    descriptors.push_back(region.fd.get());
  }
  return send_parcel(socket, pack(answer), descriptors);
}

// At random: a client of a server that was restarted may come back with its old number at any time.
std::uint64_t Reception::new_number() const {
  std::uint64_t number = 0;
  while (number == 0 || roster_.find(number) != nullptr || is_leaving(number)) {
    if (::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) number = 0;
  }
  return number;
}

bool Reception::is_leaving(std::uint64_t client) const { return find_leaving(client) != nullptr; }

std::shared_ptr<ClientLink> Reception::find_leaving(std::uint64_t client) const {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(leaving_.begin(), leaving_.end(), [client](const Leaving& leaving) {
    return leaving.link->number() == client;
  });
  return found == leaving_.end() ? nullptr : found->link;
}

void Reception::begin_leave(std::uint64_t client) {
  auto link = roster_.find(client);
  if (link->is_condemned()) ++condemned_;
  {
    const std::lock_guard lock(mutex_);
    leaving_.push_back({std::move(link), ~std::uint64_t{0}});
  }
  ++leaving_count_;  // before the roster changes: who follows it then calls for attention
  leaving_.back().version = roster_.remove(client);
  for (unsigned worker = 0; worker < options_.workers; ++worker) bells_.ring_if_asleep(worker);
  attention_ = true;  // come back once this worker has followed too
}

void Reception::finish_leaves() {
  for (std::size_t i = 0; i < leaving_.size();) {
    if (!roster_.all_have_seen(leaving_[i].version)) {
      ++i;
      continue;
    }
    if (on_leave) on_leave(leaving_[i].link->number());
    const std::lock_guard lock(mutex_);
    leaving_.erase(leaving_.begin() + static_cast<std::ptrdiff_t>(i));
    --leaving_count_;
  }
  for (Door::Visitor& visitor : std::exchange(parked_, {})) greet(std::move(visitor));
}

void Reception::drop_condemned() {
  for (const auto& link : roster_.all())
    if (link->is_condemned()) door_->shut(link->number());
}

Result<void> Reception::share(UniqueFd region, std::size_t bytes) {
  if (2 + options_.workers + regions_.size() >= kMostDescriptors)
    return Error{Errc::too_big, fmt::format("more than {} shared regions", regions_.size())};
  regions_.push_back({std::move(region), bytes});
  return {};
}

Host::Counts Reception::counts() const {
  return {.joined = joined_, .refused = refused_ + door_->turned_away(), .condemned = condemned_};
}

}  // namespace weir::transport::detail
