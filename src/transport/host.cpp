#include "transport/host.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/check.hpp"
#include "transport/detail/bells.hpp"
#include "transport/detail/door.hpp"
#include "transport/detail/layout.hpp"
#include "transport/detail/placement.hpp"
#include "transport/detail/reception.hpp"
#include "transport/detail/roster.hpp"

namespace weir::transport {

namespace {

using detail::Bells;
using detail::Placement;
using detail::Reception;
using detail::Roster;

// One worker's part of the host. The first one keeps the door as well.
class Worker final : public Source {
 public:
  Worker(unsigned number, Roster& roster, Bells& bells, Reception& reception, Placement& placement)
      : number_(number), roster_(roster), bells_(bells), reception_(reception), placement_(placement) {}

  Host::Handler handler;

  bool poll() override;
  int descriptor() const override {
    return number_ == 0 ? reception_.descriptor() : bells_.descriptor(number_);
  }
  bool arm() override;
  bool lost_core(bool often) override { return placement_.lost_core(often); }

 private:
  void follow();

  unsigned number_;
  Roster& roster_;
  Bells& bells_;
  Reception& reception_;
  Placement& placement_;
  Roster::View view_;
  bool armed_ = false;
  unsigned turns_ = 0;
};

// Brings the view up to date.
void Worker::follow() {
  roster_.refresh(number_, view_);
  placement_.forget_caller();
  if (reception_.somebody_leaves()) reception_.attention();
}

bool Worker::poll() {
  bool look = std::exchange(armed_, false);
  if (look) bells_.say_awake(number_);
  placement_.settle();
  bells_.say_seat(number_, placement_.seat());
  if (!roster_.is_current(view_)) follow();
  bool something = false;
  bool condemned = false;
  for (const auto& link : view_.links) {
    something |= link->serve(number_, handler);
    condemned |= link->is_condemned();  // also by an answer that came in between
  }
  if (condemned) reception_.attention();
  // Looking at the door is a system call: after a sleep, when asked to, and now and then under load.
  constexpr unsigned kNowAndThen = 256;
  if (number_ == 0 && (look || reception_.wants_attention() || ++turns_ % kNowAndThen == 0))
    reception_.poll();
  return something;
}

// A client sets its bit and then looks whether the worker sleeps; the worker says that it sleeps and then
// looks for bits: one of the two sees the other.
bool Worker::arm() {
  bells_.say_asleep(number_);
  armed_ = true;
  if (!roster_.is_current(view_) || (number_ == 0 && reception_.wants_attention())) return false;
  for (const auto& link : view_.links)
    if (link->has_ready(number_)) return false;
  return true;
}

}  // namespace

struct Host::Impl {
  Impl(const HostOptions& options, std::unique_ptr<detail::Door> door, Bells the_bells)
      : bells(std::move(the_bells)),
        roster(options.workers),
        placements(options.workers),
        reception(options, std::move(door), roster, bells, placements) {
    for (unsigned worker = 0; worker < options.workers; ++worker)
      workers.push_back(std::make_unique<Worker>(worker, roster, bells, reception, placements[worker]));
  }

  Bells bells;
  Roster roster;
  std::vector<Placement> placements;
  Reception reception;
  std::vector<std::unique_ptr<Worker>> workers;
};

Result<std::unique_ptr<Host>> Host::listen(HostOptions options) {
  if (options.workers < 1 || options.workers > detail::kMostWorkers)
    return Error{Errc::usage,
                 fmt::format("{} workers; a host has 1 to {}", options.workers, detail::kMostWorkers)};
  auto bells = Bells::make(options.workers);
  if (!bells) return bells.error();
  auto door = detail::Door::open(options.socket);
  if (!door) return door.error();
  if (auto watched = (*door)->watch_bell(bells->descriptor(0)); !watched) return watched.error();
  return std::unique_ptr<Host>(
      new Host(std::make_unique<Impl>(options, std::move(*door), std::move(*bells))));
}

Host::Host(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Host::~Host() {
  for (const auto& link : impl_->roster.all()) link->fail_callers();
}

Source& Host::source(unsigned worker) { return *impl_->workers.at(worker); }

void Host::serve(unsigned worker, Handler handler) {
  impl_->workers.at(worker)->handler = std::move(handler);
}

void Host::on_join(std::function<void(std::uint64_t, pid_t)> told) {
  impl_->reception.on_join = std::move(told);
}

void Host::on_leave(std::function<void(std::uint64_t)> told) { impl_->reception.on_leave = std::move(told); }

std::span<std::byte> Host::area(std::uint64_t client) const {
  auto link = impl_->roster.find(client);
  if (link == nullptr) link = impl_->reception.find_leaving(client);
  return link == nullptr ? std::span<std::byte>() : link->area();
}

Result<void> Host::share(UniqueFd region, std::size_t bytes) {
  return impl_->reception.share(std::move(region), bytes);
}

Host::Counts Host::counts() const { return impl_->reception.counts(); }

}  // namespace weir::transport
