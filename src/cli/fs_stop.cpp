#include <array>
#include <cstring>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/units.hpp"
#include "burst/space_protocol.hpp"
#include "cli/fs.hpp"

namespace weir::cli {
namespace {

struct Options {
  std::string job;
  bool discard = false;
  bool release = false;
};

// Buffer space goes back to the device; so many bytes.
Result<std::uint64_t> reclaim(burst::Session& session, burst::Reclaim how) {
  std::uint64_t bytes = 0;
  for (std::uint32_t server = 0; server < session.job().servers.size(); ++server) {
    const auto answer = session.ask({server, 0}, burst::AskReclaim{how});
    if (!answer) return Error{Errc::io, fmt::format("server {}: {}", server, std::strerror(answer.error))};
    bytes += answer.body.bytes;
  }
  return bytes;
}

Result<int> flush(const Options& options, Output& out) {
  const auto opened = open_job(options.job);
  if (!opened) return opened.error();
  const auto bytes = flush_all(*opened->session);
  if (!bytes) return bytes.error();
  out.print("{} flushed to {}\n", format_bytes(Bytes(*bytes)), opened->job.backing.string());
  const auto freed =
      reclaim(*opened->session, options.release ? burst::Reclaim::flushed : burst::Reclaim::unused);
  if (!freed) return freed.error();
  if (*freed > 0) out.print("{} of the buffer are free again\n", format_bytes(Bytes(*freed)));
  return 0;
}

Result<int> stop(const Options& options, Output& out) {
  const auto opened = open_job(options.job);
  if (!opened) return opened.error();
  if (!options.discard) {
    const auto bytes = flush_for_good(*opened->session);
    if (!bytes) return bytes.error();
    out.print("{} flushed to {}\n", format_bytes(Bytes(*bytes)), opened->job.backing.string());
  }
  if (auto ended = stop_servers(*opened->session, opened->file); !ended) return ended.error();
  out.print("job {} has ended\n", opened->job.id);
  return 0;
}

Run define_flush(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_job_option(app, options->job);
  app.add_flag("--release", options->release,
               "and give the buffer's space back: what was flushed is read from the backing directory");
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
    Example{"weir fs flush --release", "and the buffer has room for the next step"},
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
