#include "burst/meeting.hpp"

#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/json.hpp"

namespace weir::burst {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kBetweenLooks{5};

std::optional<Error> failure_of(const std::filesystem::path& job_file, const Job& job, std::uint32_t server) {
  const auto arrival = arrival_of(job_file, job, server);
  if (!arrival || arrival->failure.empty()) return std::nullopt;
  return Error{Errc::io,
               fmt::format("server {} on {}: {}", server, job.servers[server].host, arrival->failure)};
}

Result<void> tell(const std::filesystem::path& job_file, const Job& job, std::uint32_t server, Json told) {
  told["id"] = job.id;
  told["told_ns"] = std::chrono::system_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  return replace_file(addresses_beside(job_file, server), as_bytes(told.dump()), 0600);
}

// Whether it is still worth waiting for the others.
class Patience {
 public:
  Patience(const std::filesystem::path& job_file, const Job& job) : file_(job_file), job_(job) {
    for (std::uint32_t i = 0; i < job_.servers.size(); ++i) told_before_.push_back(told_ns(i));
  }

  Result<void> look() {
    const auto now = Clock::now();
    if (now > deadline_)
      return Error{Errc::io,
                   fmt::format("the servers have not come together within {} s", job_.limit_ms / 1000)};
    if (const auto there = Job::read(file_); there && there->id != job_.id)
      return Error{Errc::usage, fmt::format("job {} has this file now", there->id)}.in(file_.string());
    if (std::filesystem::exists(file_)) seen_at_ = now;
    if (now > seen_at_ + kReplaced) return Error{Errc::not_found, "the job file is gone"}.in(file_.string());
    for (std::uint32_t i = 0; i < job_.servers.size(); ++i)
      if (told_ns(i) != told_before_[i])
        if (const auto why = failure_of(file_, job_, i)) return *why;
    return {};
  }

 private:
  static constexpr std::chrono::seconds kReplaced{1};  // a file that is being replaced is there again by then

  std::int64_t told_ns(std::uint32_t server) const {
    const auto arrival = arrival_of(file_, job_, server);
    return arrival ? arrival->told_ns : 0;
  }

  const std::filesystem::path& file_;
  const Job& job_;
  Clock::time_point deadline_ = Clock::now() + std::chrono::milliseconds(job_.limit_ms);
  Clock::time_point seen_at_ = Clock::now();
  std::vector<std::int64_t> told_before_;  // failures of an earlier start, mostly: that server may come yet
};

// Server 0: the job with the addresses of all, once they are there.
std::optional<Job> gather(const std::filesystem::path& job_file, Job job) {
  for (std::uint32_t i = 0; i < job.servers.size(); ++i) {
    const auto arrival = arrival_of(job_file, job, i);
    if (!arrival || arrival->addresses.empty()) return std::nullopt;
    job.servers[i].addresses = arrival->addresses;
  }
  return job;
}

// The others: the file once it is whole. Of before a restart it may be so already, our old addresses in it.
std::optional<Job> gathered(const std::filesystem::path& job_file, const Job& job, std::uint32_t server,
                            const std::vector<std::string>& own) {
  auto whole = Job::read(job_file);
  if (!whole || whole->id != job.id || !whole->has_all_addresses()) return std::nullopt;
  if (whole->servers[server].addresses != own) return std::nullopt;
  return std::move(*whole);
}

}  // namespace

std::optional<Arrival> arrival_of(const std::filesystem::path& job_file, const Job& job,
                                  std::uint32_t server) {
  const auto text = read_text(addresses_beside(job_file, server), std::uint64_t{1} << 20);
  const auto told = text ? parse_json(*text) : Result<Json>(text.error());
  if (!told || !told->is_object() || told->value("id", Json()) != job.id) return std::nullopt;
  try {
    Arrival arrival{told->value("addresses", std::vector<std::string>{}), told->value("failure", ""),
                    told->value("told_ns", std::int64_t{0})};
    if (arrival.failure.empty() && arrival.addresses.size() != job.workers) return std::nullopt;
    return arrival;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

void tell_failure(const std::filesystem::path& job_file, const Job& job, std::uint32_t server,
                  const Error& error, const std::vector<std::string>& own) {
  if (const auto there = Job::read(job_file); !there || there->id != job.id) return;
  if (const auto before = arrival_of(job_file, job, server);
      before && !before->addresses.empty() && before->addresses != own)
    return;
  // Where it cannot be written nobody hears of it: they wait for their limit, and the log has it.
  [[maybe_unused]] const auto told = tell(job_file, job, server, {{"failure", error.text()}});
}

std::optional<Error> failure_of_server(const std::filesystem::path& job_file, const Job& job) {
  for (std::uint32_t i = 0; i < job.servers.size(); ++i)
    if (auto why = failure_of(job_file, job, i)) return why;
  return std::nullopt;
}

Result<Job> meet(const std::filesystem::path& job_file, const Job& job, std::uint32_t server,
                 const std::vector<std::string>& own) {
  if (auto told = tell(job_file, job, server, {{"addresses", own}}); !told) return told.error();
  const auto failed = [&](const Error& error) {
    tell_failure(job_file, job, server, error, own);
    return error;
  };
  for (Patience patience(job_file, job);; std::this_thread::sleep_for(kBetweenLooks)) {
    auto whole = server == 0 ? gather(job_file, job) : gathered(job_file, job, server, own);
    if (whole && server == 0)
      if (auto written = whole->write(job_file); !written) return failed(written.error());
    if (whole) return std::move(*whole);
    if (auto more = patience.look(); !more) return failed(more.error());
  }
}

void forget_arrivals(const std::filesystem::path& job_file, std::size_t servers) {
  std::error_code ignored;
  for (std::uint32_t i = 0; i < servers; ++i) std::filesystem::remove(addresses_beside(job_file, i), ignored);
}

}  // namespace weir::burst
