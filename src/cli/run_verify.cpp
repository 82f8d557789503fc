#include "cli/run_verify.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/units.hpp"
#include "consistency/policy.hpp"

namespace weir::cli {
namespace {

using burst::Missing;
using burst::Origin;
using burst::StaleRead;

constexpr std::size_t kMostPrinted = 20;

std::string model_name(const burst::Job& job, const std::string& path) {
  const auto rows = consistency::FilePolicy::parse(job.policy, "the job's policy");
  const auto* const row = rows ? rows->row_for((job.mount / path).string()) : nullptr;
  return row != nullptr ? row->model : job.model;
}

std::string_view name_of(Missing missing) {
  switch (missing) {
    case Missing::publish:
      return "publish";
    case Missing::look:
      return "look";
    case Missing::order:
      return "order";
  }
  return "";
}

// Calls that would have done it; none where no call does.
std::vector<std::string_view> calls_for(const StaleRead& read, const std::string& model_name) {
  const auto* const model = consistency::find_model(model_name);
  if (model == nullptr) return {read.missing == Missing::look ? "weir_query" : "weir_attach"};
  const consistency::Model& kept = consistency::offered_by_burst(*model);
  const consistency::Operations& wanted = read.missing == Missing::look ? kept.see : kept.publish;
  std::vector<std::string_view> calls;
  for (std::size_t i = 0; i < consistency::kOperations; ++i)
    if (const auto one = static_cast<consistency::Operation>(i); wanted.has(one))
      calls.push_back(consistency::name(one));
  return calls;
}

std::string people_say(const Origin& who) {
  const std::string process = who.process == 0 ? fmt::format("a process of node {}", who.node)
                                               : fmt::format("process {}", who.process);
  return who.rank < 0 ? process : fmt::format("rank {} ({})", who.rank, process);
}

std::string what_is_missing(const StaleRead& read, const std::string& model) {
  const auto calls = calls_for(read, model);
  const std::string list = calls.empty() ? "nothing" : fmt::format("{}", fmt::join(calls, "/"));
  switch (read.missing) {
    case Missing::publish:
      return calls.empty() ? fmt::format("not published yet: no call of {} does", model)
                           : fmt::format("missing: {} by the writer", list);
    case Missing::look:
      return calls.empty() ? fmt::format("not seen yet: no call of {} asks for it", model)
                           : fmt::format("missing: {} by the reader after that", list);
    case Missing::order:
      return "an older write was published after it";
  }
  return {};
}

Json json_of(const Origin& who) {
  return {{"node", who.node},
          {"pid", who.process == 0 ? Json(nullptr) : Json(who.process)},
          {"rank", who.rank < 0 ? Json(nullptr) : Json(who.rank)}};
}

Result<burst::Verdict> ask_all(burst::Session& session, const burst::AskVerdict& question) {
  burst::Verdict all;
  const burst::Layout layout = session.job().layout();
  for (std::uint32_t server = 0; server < layout.servers; ++server)
    for (std::uint32_t worker = 0; worker < layout.workers; ++worker) {
      auto one = session.ask({server, worker}, question);
      if (!one)
        return Error{Errc::io, fmt::format("server {} does not tell what it verified: {}", server,
                                           std::strerror(one.error))};
      all.checked += one.body.checked;
      all.stale += one.body.stale;
      std::ranges::move(one.body.reads, std::back_inserter(all.reads));
    }
  return all;
}

}  // namespace

Result<burst::Verdict> verdict_of(burst::Session& session) { return ask_all(session, {}); }

Result<void> begin_verifying(burst::Session& session) {
  if (const auto told = ask_all(session, {.begin_anew = true}); !told) return told.error();
  return {};
}
Json verdict_json(const burst::Verdict& verdict, const burst::Job& job) {
  Json reads = Json::array();
  for (const StaleRead& read : verdict.reads) {
    const std::string model = model_name(job, read.path);
    reads.push_back({{"file", (job.mount / read.path).string()},
                     {"model", model},
                     {"begin_bytes", read.bytes.begin},
                     {"end_bytes", read.bytes.end},
                     {"reader", json_of(read.reader)},
                     {"writer", read.writer ? json_of(*read.writer) : Json(nullptr)},
                     {"missing", name_of(read.missing)},
                     {"calls", calls_for(read, model)},
                     {"times", read.times}});
  }
  return {{"checked_reads", verdict.checked}, {"stale_reads", verdict.stale}, {"stale", reads}};
}

void print_verdict(const burst::Verdict& verdict, const burst::Job& job) {
  if (verdict.stale == 0) {
    fmt::print(stderr, "weir run: {} reads under weak models verified: each got what posix would give\n",
               format_count(verdict.checked));
    return;
  }
  fmt::print(stderr, "weir run: {} of {} reads under weak models were stale:\n", format_count(verdict.stale),
             format_count(verdict.checked));
  for (std::size_t i = 0; i < std::min(kMostPrinted, verdict.reads.size()); ++i) {
    const StaleRead& read = verdict.reads[i];
    const std::string model = model_name(job, read.path);
    const std::string writer = read.writer ? fmt::format("written by {}", people_say(*read.writer))
                                           : std::string("whose length another process had changed");
    fmt::print(stderr, "  {}: bytes {} to {}, read by {} under {}, {}; {}{}\n",
               (job.mount / read.path).string(), read.bytes.begin, read.bytes.end - 1,
               people_say(read.reader), model, writer, what_is_missing(read, model),
               read.times > 1 ? fmt::format(" ({} times)", read.times) : "");
  }
  if (verdict.reads.size() > kMostPrinted)
    fmt::print(stderr, "  and {} more pairs of reader and writer; --json lists them\n",
               verdict.reads.size() - kMostPrinted);
}

}  // namespace weir::cli
