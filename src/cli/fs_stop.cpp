#include <array>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <memory>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/units.hpp"
#include "cli/fs.hpp"

namespace weir::cli {
namespace {

struct Options {
  std::string job;
  bool discard = false;
};

// Everything that is published goes to the backing directory; so many bytes.
Result<std::uint64_t> flush_all(burst::Session& session) {
  const burst::Layout layout = session.job().layout();
  std::uint64_t bytes = 0;
  for (std::uint32_t server = 0; server < layout.servers; ++server)
    for (std::uint32_t worker = 0; worker < layout.workers; ++worker) {
      const auto flushed = session.ask({server, worker}, burst::FlushAll{});
      if (!flushed)
        return Error{Errc::io,
                     fmt::format("server {} cannot flush: {}", server, std::strerror(flushed.error))}
            .in(session.job().backing.string())
            .with_remedy("the data stays buffered; mend the cause and say it again");
      bytes += flushed.body.bytes;
    }
  return bytes;
}

struct Opened {
  std::string file;
  burst::Job job;
  std::unique_ptr<burst::Session> session;
};

// A server that ends takes away what it put beside the job file, last of all.
void wait_for_the_end(const Opened& opened) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  for (std::uint32_t i = 0; i < opened.job.servers.size();) {
    if (!std::filesystem::exists(burst::addresses_beside(opened.file, i)))
      ++i;
    else if (std::chrono::steady_clock::now() > deadline)
      return;
    else
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

Result<Opened> open_job(const std::string& given) {
  const auto path = job_file(given);
  if (!path) return path.error();
  auto job = burst::Job::read(*path);
  if (!job) return job.error();
  auto session = talk_to(*job);
  if (!session) return session.error().in(*path);
  return Opened{*path, std::move(*job), std::move(*session)};
}

Result<int> flush(const Options& options, Output& out) {
  const auto opened = open_job(options.job);
  if (!opened) return opened.error();
  const auto bytes = flush_all(*opened->session);
  if (!bytes) return bytes.error();
  out.print("{} flushed to {}\n", format_bytes(Bytes(*bytes)), opened->job.backing.string());
  return 0;
}

Result<int> stop(const Options& options, Output& out) {
  const auto opened = open_job(options.job);
  if (!opened) return opened.error();
  if (!options.discard) {
    const auto bytes = flush_all(*opened->session);
    if (!bytes) return bytes.error();
    out.print("{} flushed to {}\n", format_bytes(Bytes(*bytes)), opened->job.backing.string());
  }
  // The one that we speak through goes last.
  const auto count = static_cast<std::uint32_t>(opened->job.servers.size());
  const std::uint32_t own = opened->session->node();
  for (std::uint32_t i = 1; i <= count; ++i)
    if (const auto asked = opened->session->ask({(own + i) % count, 0}, burst::Stop{.remove = true}); !asked)
      return Error{Errc::io, fmt::format("server {} does not answer", (own + i) % count)};
  wait_for_the_end(*opened);
  out.print("job {} has ended\n", opened->job.id);
  return 0;
}

Run define_flush(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_job_option(app, options->job);
  return [options](Output& out) { return flush(*options, out); };
}

Run define_stop(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_job_option(app, options->job);
  app.add_flag("--discard", options->discard, "do not flush: what is only buffered is lost");
  return [options](Output& out) { return stop(*options, out); };
}

constexpr std::array kStopExamples = {
    Example{"weir fs stop --job job.json", "flush, then end the servers"},
};
constexpr std::array kFlushExamples = {
    Example{"weir fs flush --job job.json",
            "everything published is in the backing directory, and goes on being served"},
};

}  // namespace

const Command kFsStop = {
    .name = "stop",
    .summary = "flush everything and end the servers",
    .examples = kStopExamples,
    .define = define_stop,
};

const Command kFsFlush = {
    .name = "flush",
    .summary = "write what is buffered to the backing directory",
    .examples = kFlushExamples,
    .define = define_flush,
};

}  // namespace weir::cli
