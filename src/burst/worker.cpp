#include "burst/worker.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "burst/server.hpp"

namespace weir::burst {
namespace {

using namespace std::chrono_literals;

// Writing back takes as long as the disk does.
constexpr std::chrono::hours kFlushPatience{1};

bool waits_for_a_disk(Kind kind) {
  return kind == Kind::write_back || kind == Kind::flush || kind == Kind::flush_all;
}

std::string private_folder(const Job& job) { return fmt::format(".weir-{}", job.id); }

}  // namespace

Worker::Worker(Server& server, std::uint32_t number)
    : server_(server),
      number_(number),
      shard_(server.job().layout(), {server.number(), number}, server.backing(), private_folder(server.job()),
             *this) {}

Worker::~Worker() { stop(); }

Result<void> Worker::recover() {
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
  if (!header || header->client != client || header->to_server >= server_.job().servers.size())
    return std::move(respond)(encode_failure(EPROTO));
  if (header->to_server == server_.number()) return run(*header, rest, std::move(respond));
  auto kept = std::make_shared<Respond>(std::move(respond));
  const auto patience = waits_for_a_disk(header->kind)
                            ? Clock::duration(kFlushPatience)
                            : Clock::duration(std::chrono::milliseconds(server_.job().limit_ms));
  ask_peer(
      {header->to_server, number_}, std::make_shared<const Bytes>(request), Clock::now() + patience,
      [kept](Result<Bytes> answer) { std::move (*kept)(answer ? std::move(*answer) : encode_failure(EIO)); });
}

void Worker::handle(const Bytes& request, Respond respond) {
  ByteSpan rest(request);
  const auto header = decode_header(rest);
  if (!header || header->to_server != server_.number()) return std::move(respond)(encode_failure(EPROTO));
  run(*header, rest, std::move(respond));
}

void Worker::run(const Header& header, ByteSpan body, Respond respond) {
  switch (header.kind) {
    case Kind::segment:
      return give_segment(header, body, std::move(respond));
    case Kind::fetch:
      return fetch(body, std::move(respond));
    case Kind::write_back:
      return write_back(body, std::move(respond));
    case Kind::flush_all:
      return flush_all(std::move(respond));
    case Kind::stats:
      return std::move(respond)(encode_answer(counters()));
    case Kind::stop: {
      const auto request = transport::unpack<Stop>(body);
      std::move(respond)(encode_answer(Nothing{}));
      return server_.stop_asked(request && request->remove);
    }
    default:
      return shard_.handle(header, body, std::move(respond));
  }
}

void Worker::give_segment(const Header& header, ByteSpan body, Respond respond) {
  const auto request = transport::unpack<GrantSegment>(body);
  if (!request) return std::move(respond)(encode_failure(EPROTO));
  const auto granted = server_.agent().grant(header.client, *request);
  std::move(respond)(granted ? encode_answer(granted.body) : encode_failure(granted.error));
}

void Worker::fetch(ByteSpan body, Respond respond) {
  const auto request = transport::unpack<Fetch>(body);
  if (!request) return std::move(respond)(encode_failure(EPROTO));
  const auto content = server_.agent().fetch(*request);
  std::move(respond)(content ? encode_answer(content.body) : encode_failure(content.error));
}

void Worker::write_back(ByteSpan body, Respond respond) {
  auto request = transport::unpack<WriteBack>(body);
  if (!request) return std::move(respond)(encode_failure(EPROTO));
  auto kept = std::make_shared<Respond>(std::move(respond));
  server_.agent().write_back(std::move(*request), [this, kept](const Outcome<Flushed>& outcome) {
    loop_.post([kept, outcome] {
      std::move (*kept)(outcome ? encode_answer(outcome.body) : encode_failure(outcome.error));
    });
  });
}

void Worker::flush_all(Respond respond) {
  auto kept = std::make_shared<Respond>(std::move(respond));
  shard_.flush_all([kept](const Outcome<Flushed>& outcome) {
    std::move (*kept)(outcome ? encode_answer(outcome.body) : encode_failure(outcome.error));
  });
}

Counters Worker::counters() const {
  Counters all;
  constexpr std::array kNamed = {std::pair{Kind::open, "open"},         std::pair{Kind::open_file, "open"},
                                 std::pair{Kind::close_file, "close"},  std::pair{Kind::attach, "attach"},
                                 std::pair{Kind::query, "query"},       std::pair{Kind::detach, "detach"},
                                 std::pair{Kind::truncate, "truncate"}, std::pair{Kind::reserve, "reserve"},
                                 std::pair{Kind::stat_name, "stat"},    std::pair{Kind::stat_file, "stat"},
                                 std::pair{Kind::unlink, "unlink"},     std::pair{Kind::rename, "rename"},
                                 std::pair{Kind::flush, "flush"}};
  for (const auto& [kind, name] : kNamed)
    all.rows.push_back({fmt::format("rpcs.{}", name), shard_.handled(kind)});
  std::uint64_t extents = 0;
  for (const auto& [id, file] : shard_.state().files()) extents += file.published.size();
  all.rows.push_back({"files", shard_.state().files().size()});
  all.rows.push_back({"extents", extents});
  all.rows.push_back({"bytes.flushed", shard_.bytes_flushed()});
  if (number_ == 0) {
    const Agent::Counts counts = server_.agent().counts();
    all.rows.push_back({"bytes.buffered", counts.buffered_bytes});
    all.rows.push_back({"bytes.spilled", counts.spilled_bytes});
    all.rows.push_back({"bytes.peer_read", counts.fetched_bytes});
    all.rows.push_back({"bytes.written_back", counts.written_back_bytes});
    all.rows.push_back({"segments", counts.segments});
  }
  return all;
}

void Worker::send(Home to, Bytes request, std::function<void(Result<Bytes>)> done) {
  if (to.server != server_.number()) {
    ByteSpan rest(request);
    const auto header = decode_header(rest);
    const auto patience = header && waits_for_a_disk(header->kind)
                              ? Clock::duration(kFlushPatience)
                              : Clock::duration(std::chrono::milliseconds(server_.job().limit_ms));
    return ask_peer(to, std::make_shared<const Bytes>(std::move(request)), Clock::now() + patience,
                    std::move(done));
  }
  Worker& there = server_.worker(to.worker);
  there.loop_.post([this, &there, request = std::move(request), done = std::move(done)] {
    there.handle(request, Respond([this, done](Bytes* answer) {
                   Result<Bytes> result = answer != nullptr
                                              ? Result<Bytes>(std::move(*answer))
                                              : Result<Bytes>(Error{Errc::io, "the request was dropped"});
                   loop_.post([done, result = std::move(result)] { done(result); });
                 }));
  });
}

void Worker::ask_peer(Home to, std::shared_ptr<const Bytes> request, Clock::time_point deadline,
                      std::function<void(Result<Bytes>)> done) {
  ByteSpan rest(*request);
  const auto header = decode_header(rest);
  const Clock::duration left = deadline - Clock::now();
  const Clock::duration limit =
      header && waits_for_a_disk(header->kind)
          ? left
          : std::min<Clock::duration>(left, std::chrono::milliseconds(server_.job().again_ms));
  const std::uint32_t end = to.server * server_.job().workers + to.worker;
  fabric_->call(end, *request, limit,
                [this, to, request, deadline, done = std::move(done)](Result<Bytes> answer) mutable {
                  constexpr auto kPause = 5ms;
                  if (answer || Clock::now() + kPause >= deadline) return done(std::move(answer));
                  loop_.after(kPause, [this, to, request, deadline, done = std::move(done)] {
                    ask_peer(to, request, deadline, done);
                  });
                });
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

int Worker::keep(const std::vector<Change>& changes) {
  if (journal_->size_bytes() > shorten_at_) shorten_journal();
  for (const Change& change : changes)
    journal_->add(static_cast<std::uint32_t>(change.index()), encode_change(change));
  const auto kept = journal_->commit();
  if (kept) return 0;
  return kept.error().code() == Errc::full ? ENOSPC : EIO;
}

std::int64_t Worker::now_ns() const { return weir::Clock::wall().count; }

}  // namespace weir::burst
