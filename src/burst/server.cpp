#include "burst/server.hpp"

#include <future>
#include <utility>

#include <fmt/format.h>

#include "burst/buffer_facts.hpp"
#include "burst/server_protocol.hpp"
#include "burst/space_protocol.hpp"

namespace weir::burst {

Server::Server(Job job, std::uint32_t number, Backing backing)
    : job_(std::move(job)), number_(number), backing_(std::move(backing)), agent_(job_, number_, backing_) {}

Result<std::unique_ptr<Server>> Server::make(const Job& job, std::uint32_t number,
                                             const MakeFabric& make_fabric) {
  if (number >= job.servers.size())
    return Error{Errc::usage, fmt::format("the job has no server {}", number)};
  auto backing = Backing::open(job.backing);
  if (!backing) return backing.error();
  const JobServer& own = job.servers[number];
  for (const auto& folder : {own.directory, segments_of(own), placeholders_of(own), spill_of(job, number)}) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return Error::from_errno(error.value(), "cannot make the directory").in(folder.string());
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, error);
  }
  for (const auto& folder : {own.directory, spill_of(job, number)})
    if (auto written = BufferFacts{job, number}.write(folder); !written) return written.error();
  std::unique_ptr<Server> server(new Server(job, number, std::move(*backing)));
  auto host = transport::Host::listen({.socket = socket_of(own).string(),
                                       .secret = job.secret,
                                       .version = kProtocolVersion,
                                       .workers = job.workers,
                                       .area_bytes = 0});
  if (!host) return host.error();
  server->host_ = std::move(*host);
  for (std::uint32_t i = 0; i < job.workers; ++i) {
    server->workers_.push_back(std::make_unique<Worker>(*server, i));
    Worker& worker = *server->workers_.back();
    if (auto recovered = worker.recover(); !recovered) return recovered.error();
    auto fabric = make_fabric(worker.loop());
    if (!fabric) {
      if (own.addresses.empty()) server->remove_files();  // of a job that has never begun
      return fabric.error();
    }
    worker.set_fabric(std::move(*fabric));
    worker.loop().add(server->host_->source(i));
    server->host_->serve(i, [&worker](std::uint64_t client, const Bytes& request, Respond respond) {
      worker.from_client(client, request, std::move(respond));
    });
  }
  Server* const raw = server.get();
  Worker& first = *raw->workers_.front();
  raw->collector_ = std::make_unique<Collector>(
      Collector::Options{job.layout(), number, std::chrono::milliseconds(job.limit_ms)},
      raw->job_.servers[number], raw->agent_, first, first.loop());
  raw->grants_ = std::make_unique<Grants>(raw->job_, raw->agent_.store(), *raw->collector_, first.loop());
  raw->host_->on_join([raw](std::uint64_t client, pid_t) {
    raw->collector_->joined(client);
    for (const auto& worker : raw->workers_) worker->client_joined(client);
  });
  // Those who had files open at its end no longer have; what it published stays.
  raw->host_->on_leave([raw](std::uint64_t client) {
    raw->collector_->left(client);
    for (const auto& worker : raw->workers_) worker->client_left(client);
  });
  return server;
}

Server::~Server() {
  stop();
  agent_.finish();
}

std::vector<std::string> Server::addresses() const {
  std::vector<std::string> list;
  for (const auto& worker : workers_) list.push_back(worker->fabric().address());
  return list;
}

void Server::start(const std::vector<std::vector<std::string>>& addresses) {
  std::vector<std::string> ends;
  for (const auto& of_server : addresses) ends.insert(ends.end(), of_server.begin(), of_server.end());
  for (std::uint32_t i = 0; i < workers_.size(); ++i)
    workers_[i]->fabric().set_peers(ends, number_ * job_.workers + i);
  running_ = true;
  for (const auto& worker : workers_) worker->start();
}

void Server::stop() {
  if (!std::exchange(running_, false)) return;
  for (const auto& worker : workers_) worker->stop();
}

Outcome<Flushed> Server::flush_all() {
  Outcome<Flushed> total{0, {}};
  for (std::uint32_t i = 0; i < workers_.size(); ++i) {
    std::promise<Outcome<Flushed>> promise;
    workers_[i]->send(
        {number_, i}, encode_request({.to_server = number_}, FlushAll{}),
        [&](const Result<Bytes>& answer) { promise.set_value(decode_answer<Flushed>(answer)); });
    const auto one = promise.get_future().get();
    total.body.bytes += one.body.bytes;
    if (total.error == 0) total.error = one.error;
  }
  return total;
}

void Server::remove_files() {
  std::error_code ignored;
  const auto& own = job_.servers[number_].directory;
  std::filesystem::remove_all(own, ignored);
  std::filesystem::remove(own.parent_path(), ignored);  // once it is empty
  std::filesystem::remove_all(spill_of(job_, number_), ignored);
  const auto folder = spill_of(job_, number_).parent_path();
  std::filesystem::remove_all(folder / "locks", ignored);
  std::filesystem::remove(folder, ignored);  // once it is empty
}

}  // namespace weir::burst
