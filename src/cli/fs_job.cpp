#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <span>
#include <thread>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/own_files.hpp"
#include "burst/meeting.hpp"
#include "burst/server_protocol.hpp"
#include "burst/space_protocol.hpp"
#include "cli/fs.hpp"
#include "launch/daemon.hpp"
#include "launch/on_hosts.hpp"

namespace weir::cli {

// How one server a host is started: the site's launcher, or nothing but ourselves on this machine.
Result<std::vector<pid_t>> start_servers(const burst::JobPlan& plan, const burst::Job& job,
                                         const std::string& job_path) {
  const auto server = find_own_file("weir-server");
  if (!server) return server.error();
  const auto log = std::filesystem::path(job_path + ".log");
  std::vector<pid_t> started;
  const auto start = [&](const std::vector<std::string>& command) -> Result<void> {
    const auto process = launch::start_daemon(command, log);
    if (!process) return process.error();
    started.push_back(*process);
    return {};
  };
  for (std::size_t i = 0; plan.local > 0 && i < job.servers.size(); ++i)
    if (auto good = start({server->string(), "--job", job_path, "--server", std::to_string(i)}); !good)
      return good.error();
  if (plan.local > 0) return started;
  const auto command = launch::command_on_hosts(plan.hosts, {server->string(), "--job", job_path});
  if (!command)
    return command.error().with_remedy(
        fmt::format("{}, or --prepare the job and start one weir-server --job FILE a host yourself",
                    command.error().remedy()));
  if (auto good = start(*command); !good) return good.error();
  return started;
}

namespace {

// The last line with a word in it of what servers and their launcher have said.
std::string last_words(const std::string& job_path) {
  const auto log = read_text(job_path + ".log");
  if (!log) return "";
  const auto is_word = [](unsigned char letter) { return std::isalnum(letter) != 0; };
  const auto last = std::find_if(log->rbegin(), log->rend(), is_word).base();
  const auto begin = std::find(std::make_reverse_iterator(last), log->rend(), '\n').base();
  return {begin, std::find(last, log->end(), '\n')};
}

bool all_answer(const burst::Job& job) {
  const auto session = talk_to(job);
  return session && std::ranges::all_of(ask_servers(**session), &ServerFacts::answers);
}

}  // namespace

Result<burst::Job> wait_for_servers(const std::string& job_path, const std::vector<pid_t>& processes,
                                    std::uint64_t limit_ms) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(limit_ms);
  for (;; std::this_thread::sleep_for(std::chrono::milliseconds(10))) {
    const bool one_ended = std::ranges::any_of(processes, launch::has_ended);
    const bool too_late = std::chrono::steady_clock::now() > deadline;
    auto job = burst::Job::read(job_path);
    if (!job) return job.error();
    if (job->has_all_addresses() && all_answer(*job)) return job;
    if (const auto why = burst::failure_of_server(job_path, *job)) return *why;
    if (!one_ended && !too_late) continue;
    const std::string why = one_ended
                                ? "what starts the servers has ended"
                                : fmt::format("the servers have not started within {} s", limit_ms / 1000);
    const std::string said = last_words(job_path);
    return Error{Errc::io, fmt::format("{}{}{}", why, said.empty() ? "" : "; said last: ", said)}.with_remedy(
        fmt::format("see {}.log", job_path));
  }
}

namespace {

std::vector<burst::Home> workers_of(const burst::Job& job) {
  std::vector<burst::Home> all;
  const burst::Layout layout = job.layout();
  for (std::uint32_t server = 0; server < layout.servers; ++server)
    for (std::uint32_t worker = 0; worker < layout.workers; ++worker) all.push_back({server, worker});
  return all;
}

Error cannot(const burst::Session& session, burst::Home home, std::string_view what, int error) {
  return Error{Errc::io, fmt::format("server {} cannot {}: {}", home.server, what, std::strerror(error))}
      .in(session.job().backing.string())
      .with_remedy("the data stays buffered; mend the cause and say it again");
}

// What is over when this process ends is over at once: the user may say it again.
void lift_seal(burst::Session& session, std::span<const burst::Home> workers) {
  for (const burst::Home home : workers) session.ask(home, burst::Seal{.lift = true});
}

// Since when each worker has taken nothing in.
Result<std::vector<std::int64_t>> seal(burst::Session& session) {
  const std::vector<burst::Home> workers = workers_of(session.job());
  std::vector<std::int64_t> since;
  for (const burst::Home home : workers) {
    const auto sealed = session.ask(home, burst::Seal{});
    if (!sealed) {
      lift_seal(session, std::span(workers).first(since.size()));
      if (sealed.error == EBUSY) return Error{Errc::usage, "somebody else is about to stop the job"};
      return cannot(session, home, "come to an end", sealed.error);
    }
    since.push_back(sealed.body.since_ns);
  }
  return since;
}

}  // namespace

Result<std::uint64_t> flush_all(burst::Session& session) {
  std::uint64_t bytes = 0;
  for (const burst::Home home : workers_of(session.job())) {
    const auto flushed = session.ask(home, burst::FlushAll{});
    if (!flushed) return cannot(session, home, "flush", flushed.error);
    bytes += flushed.body.bytes;
  }
  return bytes;
}

// A server that was killed and came back meanwhile has taken in what it was given: it is flushed once more.
Result<std::uint64_t> flush_for_good(burst::Session& session) {
  std::uint64_t bytes = 0;
  auto sealed = seal(session);
  while (sealed) {
    const auto flushed = flush_all(session);
    if (!flushed) {
      lift_seal(session, workers_of(session.job()));
      return flushed.error();
    }
    bytes += *flushed;
    auto still = seal(session);
    if (still && *still == *sealed) return bytes;
    sealed = std::move(still);
  }
  return sealed.error();
}

namespace {

// A server that ends takes away what it put beside the job file, last of all.
void wait_for_the_end(const std::string& file, std::size_t servers) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  for (std::uint32_t i = 0; i < servers;) {
    if (!std::filesystem::exists(burst::addresses_beside(file, i)))
      ++i;
    else if (std::chrono::steady_clock::now() > deadline)
      return;
    else
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

// A job that 'weir run' made has its file in the directory itself, where nothing of Weir stays.
void forget(const burst::Job& job, const std::string& job_path) {
  const auto folder = burst::spill_of(job, 0).parent_path();
  if (std::filesystem::path(job_path).parent_path() != folder) return;
  std::error_code ignored;
  std::filesystem::remove(job_path, ignored);
  std::filesystem::remove(job_path + ".log", ignored);
  std::filesystem::remove(runs_beside(job_path), ignored);
  std::filesystem::remove(folder, ignored);
}

}  // namespace

std::string runs_beside(const std::string& job_path) { return job_path + ".runs"; }

Result<void> stop_servers(burst::Session& session, const std::string& job_path) {
  // The one that we speak through goes last.
  const auto count = static_cast<std::uint32_t>(session.job().servers.size());
  const std::uint32_t own = session.node();
  for (std::uint32_t i = 1; i <= count; ++i)
    if (const auto asked = session.ask({(own + i) % count, 0}, burst::Stop{.remove = true}); !asked)
      return Error{Errc::io, fmt::format("server {} does not answer", (own + i) % count)};
  wait_for_the_end(job_path, count);
  forget(session.job(), job_path);
  return {};
}

}  // namespace weir::cli
