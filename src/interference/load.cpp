#include "interference/load.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.hpp"
#include "base/nearest.hpp"

namespace weir::interference {
namespace {

using workload::Mode;
using workload::Sync;

struct Pattern {
  std::string_view name, short_name;
  Mode mode;
  Sync sync;
};

// The source flushes after every chunk, but not in aggregate-write: there small writes are gathered and reach
// the storage in the end anyway. Reads go past the cache, or they would be of memory.
constexpr std::array kPatterns = {
    Pattern{"open_write_close", "owc", Mode::open_write_close, Sync::fsync},
    Pattern{"write_seek", "ws", Mode::write_seek, Sync::fsync},
    Pattern{"aggregate_write", "aw", Mode::aggregate_write, Sync::none},
    Pattern{"aggregate_write_flushed", "awf", Mode::aggregate_write, Sync::fsync},
    Pattern{"read", "rd", Mode::read, Sync::direct},
    Pattern{"metadata", "md", Mode::metadata, Sync::none},
};

}  // namespace

std::vector<std::string> pattern_names() {
  std::vector<std::string> names;
  for (const Pattern& each : kPatterns) names.emplace_back(each.name);
  return names;
}

Result<Load> pattern(std::string_view name) {
  for (const Pattern& each : kPatterns) {
    if (each.name != name && each.short_name != name) continue;
    Load load;
    load.name = each.name;
    load.job.mode = each.mode;
    load.job.sync = each.sync;
    load.job.sync_at_end = false;
    load.job.workers = workload::Workers::processes;
    return load;
  }
  const auto names = pattern_names();
  const auto meant = nearest(name, names);
  return Error{Errc::usage, fmt::format("no pattern '{}'", name)}.with_remedy(
      meant ? fmt::format("did you mean {}?", *meant)
            : fmt::format("there are: {}; a program of your own goes with --command NAME=COMMAND",
                          fmt::join(names, ", ")));
}

Result<Load> command_load(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  const auto plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '-' || c == '.';
  };
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size() ||
      !std::ranges::all_of(name, plain))
    return Error{Errc::usage, fmt::format("'{}' is not NAME=COMMAND", text)}.with_remedy(
        "write for example --command lammps='mpirun -n 2 lmp -in $WEIR_CWD/in.lj'");
  if (pattern(name) || name == "none")
    return Error{Errc::usage, fmt::format("'{}' is the name of a pattern", name)}.with_remedy(
        "call the command something else");
  Load load;
  load.name = name;
  load.command = text.substr(equals + 1);
  return load;
}

Result<double> parse_duty(std::string_view text) {
  double percent = 0;
  const char* const last = text.data() + text.size() - (text.ends_with('%') ? 1 : 0);
  const auto [end, fault] = std::from_chars(text.data(), last, percent);
  if (fault != std::errc() || end != last || !(percent > 0) || percent > 100)
    return Error{Errc::usage, fmt::format("'{}' is no share of the time", text)}.with_remedy(
        "write for example 25%");
  return percent / 100;
}

Json to_json(const Load& load) {
  return {{"name", load.name}, {"command", load.is_command() ? Json(load.command) : Json(nullptr)}};
}

Result<Load> load_from_json(const Json& json) {
  if (!json.is_object() || !json.contains("name") || !json["name"].is_string())
    return Error{Errc::bad_data, "a load has a name"};
  const auto command = json.find("command");
  if (command == json.end() || command->is_null()) return pattern(json["name"].get<std::string>());
  if (!command->is_string()) return Error{Errc::bad_data, "a command is a text"};
  Load load;
  load.name = json["name"].get<std::string>();
  load.command = command->get<std::string>();
  return load;
}

workload::Job Side::job(const std::filesystem::path& storage) const {
  workload::Job job = load.job;
  job.record_size = chunk;
  job.file_size = size;
  job.count = processes;
  job.layout = layout;
  job.duty = duty;
  job.period = period;
  job.directory = storage;
  return job;
}

}  // namespace weir::interference
