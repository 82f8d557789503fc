#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <getopt.h>
#include <unistd.h>

#include "base/log.hpp"
#include "base/version.hpp"
#include "burst/meeting.hpp"
#include "burst/server.hpp"
#include "burst/server_fabric.hpp"
#include "burst/this_node.hpp"
#include "transport/ucx_fabric.hpp"

// weir-server: one node's part of the burst-buffer file system. `weir fs start` starts it; by hand, or
// through mpirun or srun with one process a node:   weir-server --job FILE [--server N]
namespace {

using weir::Errc;
using weir::Error;
using weir::Result;
using weir::burst::Job;
using weir::burst::Server;

constexpr const char* kHelp = R"(Usage: weir-server --job FILE [--server N]

One node's server of the burst-buffer file system. 'weir fs start' writes the job file and starts the servers;
where a launcher starts one process a node, the file comes from 'weir fs start --prepare':

  srun --ntasks-per-node 1 weir-server --job job.json

  --job FILE    the job, as 'weir fs start' wrote it
  --server N    which of its servers; else the one of this host, else the launcher's rank (Open MPI, PMI, Slurm)
)";

struct Arguments {
  std::string job;
  std::optional<std::uint32_t> server;
};

Result<Arguments> parse(int argc, char** argv) {
  constexpr std::array<option, 4> kOptions = {option{"job", required_argument, nullptr, 'j'},
                                              option{"server", required_argument, nullptr, 's'},
                                              option{"help", no_argument, nullptr, 'h'}, option{}};
  Arguments arguments;
  for (;;) {
    switch (::getopt_long(argc, argv, "", kOptions.data(), nullptr)) {
      case -1:
        if (arguments.job.empty())
          return Error{Errc::usage, "--job is missing"}.with_remedy("see weir-server --help");
        return arguments;
      case 'j':
        arguments.job = optarg;
        break;
      case 's':
        arguments.server = static_cast<std::uint32_t>(std::strtoul(optarg, nullptr, 10));
        break;
      case 'h':
        fmt::print("{}", kHelp);
        std::exit(0);
      default:
        return Error{Errc::usage, "wrong options"}.with_remedy("see weir-server --help");
    }
  }
}

// Launchers number processes in an order of their own, so the host says more than the rank.
Result<std::uint32_t> number_of(const Arguments& arguments, const Job& job) {
  const auto check = [&](std::uint32_t number) -> Result<std::uint32_t> {
    if (number < job.servers.size()) return number;
    return Error{Errc::usage, fmt::format("the job has servers 0 to {}", job.servers.size() - 1)};
  };
  if (arguments.server) return check(*arguments.server);
  if (const auto here = weir::burst::servers_of_this_host(job); here.size() == 1) return here.front();
  if (const auto rank = weir::burst::rank_of_launcher()) return check(*rank);
  return weir::burst::server_of_this_node(job);
}

// The job's `number`th server, from its start to its end.
Result<int> run_server(const std::string& file, const Job& job, std::uint32_t number) {
  // Before any thread starts, so that all of them leave these to the wait below.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);

  std::uint32_t worker = 0;
  auto server = Server::make(job, number, [&](weir::transport::Loop& loop) {
    return weir::burst::make_server_fabric(job, number, worker++, loop);
  });
  if (!server) {
    weir::burst::tell_failure(file, job, number, server.error());
    return server.error();
  }
  auto whole = weir::burst::meet(file, job, number, (*server)->addresses());
  if (!whole) {
    if (job.servers[number].addresses.empty()) (*server)->remove_files();  // of a job that has never begun
    return whole.error();
  }

  std::atomic<bool> remove = false;
  const pthread_t main_thread = ::pthread_self();
  (*server)->on_stop_asked([&](bool and_remove) {
    remove = and_remove;
    ::pthread_kill(main_thread, SIGUSR1);
  });
  std::vector<std::vector<std::string>> addresses;
  for (const auto& one : whole->servers) addresses.push_back(one.addresses);
  (*server)->start(addresses);
  weir::info("server {} of job {} runs at {}", number, whole->id, fmt::join((*server)->addresses(), ", "));

  int signal = 0;
  while (sigwait(&signals, &signal) != 0) {
  }
  int status = 0;
  if (signal != SIGUSR1) {
    // Whoever ends the job wants its data.
    const auto flushed = (*server)->flush_all();
    if (!flushed) {
      weir::log(weir::LogLevel::error, "cannot flush: {}; 'weir fs recover' brings the data out",
                std::strerror(flushed.error));
      status = 4;
    }
  }
  (*server)->stop();
  if (remove) (*server)->remove_files();
  std::error_code ignored;
  std::filesystem::remove(weir::burst::addresses_beside(file, number), ignored);
  return status;
}

Result<int> serve(int argc, char** argv) {
  const auto arguments = parse(argc, argv);
  if (!arguments) return arguments.error();
  const auto job = Job::read(arguments->job);
  if (!job) return job.error();
  const auto number = number_of(*arguments, *job);
  if (!number) return number.error();
  return run_server(arguments->job, *job, *number);
}

}  // namespace

int main(int argc, char** argv) {
  weir::transport::forget_foreign_ucx_settings();
  const auto status = serve(argc, argv);
  if (status) return *status;
  fmt::print(stderr, "weir-server: {}\n", status.error().text());
  return weir::exit_code(status.error().code());
}
