#include "burst/worker.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "burst/server.hpp"

namespace weir::burst {
namespace {

std::string private_folder(const Job& job) { return fmt::format(".weir-{}", job.id); }

}  // namespace

Worker::Worker(Server& server, std::uint32_t number)
    : server_(server),
      number_(number),
      shard_(server.job().layout(), {server.number(), number}, server.backing(), private_folder(server.job()),
             *this),
      lock_owners_({server.number(), number}, server.job().layout(), server.job().locks, *this),
      lock_agents_({server.number(), number}, server.job().layout(), server.job().locks,
                   locks_of(server.job().servers[server.number()], number), *this) {
  shard_.set_most_extents(server.job().most_extents);
  lock_owners_.on_find([this](FileId file) { return shard_.state().find(file) != nullptr; });
  lock_owners_.on_first_use([this] { return lock_agents_.begin() ? 0 : ENOSPC; });
}

Worker::~Worker() {
  stop();
  life_.reset();
}

Result<void> Worker::recover() {
  if (auto recovered = lock_agents_.recover(); !recovered) return recovered.error();
  const auto path = journal_of(server_.job().servers[server_.number()], number_);
  std::optional<Error> bad;
  auto journal = Journal::open(path, [&](std::uint32_t type, ByteSpan body) {
    auto change = decode_change(type, body);
    if (change)
      shard_.recover(*change);
    else if (!bad)
      bad = change.error().in(path.string());
  });
  if (!journal) return journal.error();
  if (bad) return *bad;
  journal_.emplace(std::move(*journal));
  if (journal_->size_bytes() > kShortJournal) shorten_journal();
  return {};
}

void Worker::set_fabric(std::unique_ptr<transport::Fabric> fabric) {
  fabric_ = std::move(fabric);
  fabric_->serve([this](std::uint32_t /*from*/, const Bytes& request, Respond respond) {
    handle(request, std::move(respond));
  });
  loop_.add(*fabric_);
}

void Worker::start() {
  loop_.post([this] {
    lock_owners_.start(lock_agents_.life());
    lock_agents_.start();
  });
  thread_ = std::thread([this] { loop_.run(); });
}

void Worker::stop() {
  if (!thread_.joinable()) return;
  loop_.stop();
  thread_.join();
}

void Worker::from_client(std::uint64_t client, const Bytes& request, Respond respond) {
  ByteSpan rest(request);
  const auto header = decode_header(rest);
  // A client that speaks in another's name would be answered in its place.
  if (!header || header->client != client || header->to_server >= server_.job().servers.size() ||
      is_between_servers(header->kind))
    return std::move(respond).blame(encode_failure(kNoMessage));
  if (header->to_server == server_.number()) return run(*header, rest, std::move(respond));
  auto kept = std::make_shared<Respond>(std::move(respond));
  ask_peer({header->to_server, number_}, request, client, [kept](Result<Bytes> answer) {
    if (!answer) return std::move(*kept)(encode_failure(decode_answer<Nothing>(answer).error));
    ByteSpan status(*answer);
    if (decode_status(status) == kNoMessage) return std::move(*kept).blame(std::move(*answer));
    std::move (*kept)(std::move(*answer));
  });
}

void Worker::client_joined(std::uint64_t client) {
  loop_.post([this, client] { left_.erase(client); });
}

// Messages to a worker of another server go by one way and arrive in their order: a seal or an open that came
// after this would stay for ever.
void Worker::client_left(std::uint64_t client) {
  loop_.post([this, client] {
    left_.insert(client);
    loop_.after(std::chrono::milliseconds(server_.job().limit_ms), [this, client] { left_.erase(client); });
    for (std::uint32_t server = 0; server < server_.job().layout().servers; ++server)
      send({server, number_}, encode_request({.to_server = server}, ClientGone{client}),
           [](const Result<Bytes>&) {});
  });
}

void Worker::handle(const Bytes& request, Respond respond) {
  ByteSpan rest(request);
  const auto header = decode_header(rest);
  if (!header || header->to_server != server_.number())
    return std::move(respond).blame(encode_failure(kNoMessage));
  // A client's, passed on unread: its own server drops it for what is in there.
  if (header->client != 0 && !is_between_servers(header->kind)) respond.forgive();
  run(*header, rest, std::move(respond));
}

void Worker::run(const Header& header, ByteSpan body, Respond respond) {
  ++handled_[static_cast<std::uint8_t>(header.kind)];
  switch (header.kind) {
    case Kind::segment:
      return give_segment(header, body, std::move(respond));
    case Kind::fetch:
      return fetch(body, std::move(respond));
    case Kind::write_back:
      return write_back(body, std::move(respond));
    case Kind::log_use:
    case Kind::reclaim:
      return about_space(header, body, std::move(respond));
    case Kind::flush_all:
      return flush_all(std::move(respond));
    case Kind::seal:
      return seal(header, body, std::move(respond));
    case Kind::stats:
      return std::move(respond)(encode_answer(counters()));
    case Kind::stop: {
      const auto request = transport::unpack<Stop>(body);
      if (!request) return std::move(respond).blame(encode_failure(kNoMessage));
      std::move(respond)(encode_answer(Nothing{}));
      return server_.stop_asked(request->remove);
    }
    case Kind::client_gone:
      if (const auto gone = transport::unpack<ClientGone>(body)) {
        lock_agents_.client_gone(gone->client);
        if (gone->client == sealed_by_) lift_seal();
      }
      return shard_.handle(header, body, std::move(respond));
    default:
      if (lock_agents_.handle(header, body, respond) || lock_owners_.handle(header, body, respond)) return;
      return shard_.handle(header, body, std::move(respond));
  }
}

void Worker::give_segment(const Header& header, ByteSpan body, Respond respond) {
  const auto request = transport::unpack<GrantSegment>(body);
  if (!request) return std::move(respond).blame(encode_failure(kNoMessage));
  // Clients ask the first worker; the others have no part in it.
  if (number_ != 0) return std::move(respond)(encode_failure(EPROTO));
  server_.grants().ask(header.client, *request, std::move(respond));
}

void Worker::about_space(const Header& header, ByteSpan body, Respond respond) {
  if (number_ != 0) return std::move(respond)(encode_failure(EPROTO));
  Collector& collector = server_.collector();
  if (header.kind == Kind::log_use) {
    const auto use = transport::unpack<LogUse>(body);
    if (!use) return std::move(respond).blame(encode_failure(kNoMessage));
    collector.told(header.client, *use);
    return std::move(respond)(encode_answer(Nothing{}));
  }
  const auto request = transport::unpack<AskReclaim>(body);
  if (!request) return std::move(respond).blame(encode_failure(kNoMessage));
  auto kept = std::make_shared<Respond>(std::move(respond));
  collector.collect(request->how,
                    [kept](std::uint64_t bytes) { std::move (*kept)(encode_answer(Reclaimed{bytes})); });
}

void Worker::fetch(ByteSpan body, Respond respond) {
  const auto request = transport::unpack<Fetch>(body);
  if (!request) return std::move(respond).blame(encode_failure(kNoMessage));
  const auto content = server_.agent().fetch(*request);
  std::move(respond)(encode_outcome(content));
}

void Worker::write_back(ByteSpan body, Respond respond) {
  auto request = transport::unpack<WriteBack>(body);
  if (!request) return std::move(respond).blame(encode_failure(kNoMessage));
  auto kept = std::make_shared<Respond>(std::move(respond));
  server_.agent().write_back(std::move(*request), [this, kept](const Outcome<Flushed>& outcome) {
    loop_.post([kept, outcome] { std::move (*kept)(encode_outcome(outcome)); });
  });
}

void Worker::flush_all(Respond respond) {
  auto kept = std::make_shared<Respond>(std::move(respond));
  drain_nodes([this, kept](int error) {
    if (error != 0) return std::move(*kept)(encode_failure(error));
    shard_.flush_all([kept](const Outcome<Flushed>& outcome) { std::move (*kept)(encode_outcome(outcome)); });
  });
}

// What was written under tokens comes in until the answer: agents of other nodes may be behind.
void Worker::seal(const Header& header, ByteSpan body, Respond respond) {
  const auto request = transport::unpack<Seal>(body);
  if (!request) return std::move(respond).blame(encode_failure(kNoMessage));
  if (header.client == 0) return std::move(respond)(encode_failure(EPROTO));
  if (sealed_by_ != 0 && sealed_by_ != header.client) return std::move(respond)(encode_failure(EBUSY));
  if (request->lift) {
    lift_seal();
    return std::move(respond)(encode_answer(Sealed{}));
  }
  if (sealed_by_ == 0) sealed_since_ns_ = now_ns();
  sealed_by_ = header.client;
  shard_.set_sealed(true);
  auto kept = std::make_shared<Respond>(std::move(respond));
  lock_agents_.stop_writing([kept, since = sealed_since_ns_](int error) {
    std::move (*kept)(encode_outcome(Outcome<Sealed>{error, {since}}));
  });
}

void Worker::lift_seal() {
  sealed_by_ = 0;
  shard_.set_sealed(false);
  lock_agents_.go_on_writing();
}

void Worker::drain_nodes(std::function<void(int)> done) {
  struct Under {
    std::uint32_t left = 0;
    int error = 0;
  };
  auto under = std::make_shared<Under>();
  under->left = server_.job().layout().servers;
  for (std::uint32_t node = 0; node < server_.job().layout().servers; ++node)
    ask<LockDrain>(*this, {node, number_}, {}, [under, done](const Outcome<Nothing>& outcome) {
      if (!outcome) under->error = outcome.error;
      if (--under->left == 0) done(under->error);
    });
}

Counters Worker::counters() const {
  Counters all;
  std::map<std::string_view, std::uint64_t> by_name;
  for (std::size_t kind = 0; kind < handled_.size(); ++kind)
    if (const auto name = name_of(static_cast<Kind>(kind)); !name.empty()) by_name[name] += handled_[kind];
  for (const auto& [name, count] : by_name) all.rows.push_back({fmt::format("rpcs.{}", name), count});
  std::uint64_t extents = 0;
  for (const auto& [id, file] : shard_.state().files()) extents += file.published.size();
  all.rows.push_back({"files", shard_.state().files().size()});
  all.rows.push_back({"extents", extents});
  all.rows.push_back({"bytes.flushed", shard_.bytes_flushed()});
  all.rows.push_back({"bytes.published", shard_.bytes_published()});
  if (!shard_.shadows().empty()) {
    all.rows.push_back({"verify.checked_reads", shard_.shadows().verdict().checked});
    all.rows.push_back({"verify.stale_reads", shard_.shadows().verdict().stale});
  }
  const lock::Counters locks = lock_agents_.counters();
  all.rows.push_back({"locks.new", locks.fresh});
  all.rows.push_back({"locks.local", locks.local});
  all.rows.push_back({"locks.conflict", locks.conflict});
  if (number_ == 0) {
    const Agent::Counts counts = server_.agent().counts();
    const SegmentStore::Counts space = server_.agent().store().counts();
    all.rows.push_back({"bytes.buffered", space.buffered_bytes});
    all.rows.push_back({"bytes.spilled", space.spilled_bytes});
    all.rows.push_back({"bytes.reclaimed", space.freed_bytes});
    all.rows.push_back({"bytes.peer_read", counts.fetched_bytes});
    all.rows.push_back({"bytes.written_back", counts.written_back_bytes});
    all.rows.push_back({"segments", space.segments});
  }
  return all;
}

void Worker::send(Home to, Bytes request, std::function<void(Result<Bytes>)> done) {
  if (to.server != server_.number()) return ask_peer(to, std::move(request), 0, std::move(done));
  Worker& there = server_.worker(to.worker);
  there.loop_.post([this, &there, request = std::move(request), done = std::move(done)] {
    there.handle(request, Respond([this, done, life = std::weak_ptr(life_)](Bytes* answer, bool /*blames*/) {
                   if (life.expired()) return;
                   Result<Bytes> result = answer != nullptr
                                              ? Result<Bytes>(std::move(*answer))
                                              : Result<Bytes>(Error{Errc::io, "the request was dropped"});
                   loop_.post([done, result = std::move(result)] { done(result); });
                 }));
  });
}

void Worker::ask_peer(Home to, Bytes request, std::uint64_t client, std::function<void(Result<Bytes>)> done) {
  ByteSpan rest(request);
  const auto header = decode_header(rest);
  const bool is_slow = header && waits_for_a_disk(header->kind);
  const std::chrono::nanoseconds limit = std::chrono::milliseconds(server_.job().limit_ms);
  const std::chrono::nanoseconds again = std::chrono::milliseconds(server_.job().again_ms);
  asker_.ask(*fabric_, {.to = to.server * server_.job().workers + to.worker,
                        .request = std::move(request),
                        .patience = {.deadline = Clock::now() + (is_slow ? kDiskPatience : limit),
                                     .unreachable_for = limit,
                                     .again = is_slow ? kDiskPatience : again},
                        .is_wanted = [this, client] { return !left_.contains(client); },
                        .done = std::move(done)});
}

// The state in few records in place of all that led to it. Failing is no harm: the long one stays.
void Worker::shorten_journal() {
  const auto shortened = journal_->replace([this](const Journal::Add& add) {
    shard_.state().snapshot([&](const Change& change) {
      add(static_cast<std::uint32_t>(change.index()), encode_change(change));
    });
  });
  if (!shortened) warn("{}", shortened.error().text());
  shorten_at_ = std::max(kShortJournal, 4 * journal_->size_bytes());
}

int Worker::keep(const std::vector<Change>& changes, bool drains) {
  if (journal_->size_bytes() > shorten_at_) shorten_journal();
  for (const Change& change : changes)
    journal_->add(static_cast<std::uint32_t>(change.index()), encode_change(change));
  const bool frees = std::ranges::all_of(changes, brings_space);
  const auto kept = journal_->commit(frees    ? Journal::Room::frees
                                     : drains ? Journal::Room::drains
                                              : Journal::Room::plain);
  if (kept) {
    for (const Change& change : changes)
      if (const auto* const gone = std::get_if<FileGone>(&change)) lock_owners_.file_gone(gone->file);
    return 0;
  }
  return kept.error().code() == Errc::full ? ENOSPC : EIO;
}

std::int64_t Worker::now_ns() const { return weir::Clock::wall().count; }

}  // namespace weir::burst
