#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.hpp"
#include "base/nearest.hpp"
#include "workload/job.hpp"

namespace weir::workload {
namespace {

template <class E>
struct Word {
  E value;
  std::string_view text;
};

template <class E>
Word(E, const char*) -> Word<E>;  // Clang 16 does not find it by itself

template <class E>
struct Words;

template <>
struct Words<Mode> {
  static constexpr std::array all = {
      Word{Mode::initial_write, "initial_write"},
      Word{Mode::rewrite, "rewrite"},
      Word{Mode::read, "read"},
      Word{Mode::reread, "reread"},
      Word{Mode::random_read, "random_read"},
      Word{Mode::random_write, "random_write"},
      Word{Mode::mixed, "mixed"},
      Word{Mode::reverse_read, "reverse_read"},
      Word{Mode::stride_read, "stride_read"},
      Word{Mode::fwrite, "fwrite"},
      Word{Mode::fread, "fread"},
      Word{Mode::pwrite, "pwrite"},
      Word{Mode::pread, "pread"},
      Word{Mode::open_write_close, "open_write_close"},
      Word{Mode::write_seek, "write_seek"},
      Word{Mode::aggregate_write, "aggregate_write"},
      Word{Mode::metadata, "metadata"},
  };
};
template <>
struct Words<Engine> {
  static constexpr std::array all = {Word{Engine::posix, "posix"}, Word{Engine::stdio, "stdio"},
                                     Word{Engine::mmap, "mmap"}, Word{Engine::uring, "uring"},
                                     Word{Engine::mpiio, "mpiio"}};
};
template <>
struct Words<Workers> {
  static constexpr std::array all = {Word{Workers::threads, "threads"}, Word{Workers::processes, "processes"},
                                     Word{Workers::mpi, "mpi"}};
};
template <>
struct Words<Layout> {
  static constexpr std::array all = {Word{Layout::per_worker, "per_worker"}, Word{Layout::shared, "shared"}};
};
template <>
struct Words<Sync> {
  static constexpr std::array all = {Word{Sync::none, "none"}, Word{Sync::fsync, "fsync"},
                                     Word{Sync::osync, "osync"}, Word{Sync::direct, "direct"}};
};
template <>
struct Words<Cache> {
  static constexpr std::array all = {Word{Cache::warm, "warm"}, Word{Cache::cold, "cold"}};
};
template <>
struct Words<Flush> {
  static constexpr std::array all = {Word{Flush::none, "none"}, Word{Flush::fsync, "fsync"},
                                     Word{Flush::reopen, "reopen"}};
};

template <class E>
std::string_view word_of(E value) {
  for (const auto& word : Words<E>::all)
    if (word.value == value) return word.text;
  return "?";
}

Error unfit(std::string_view value, std::string_view remedy) {
  return Error{Errc::usage, fmt::format("'{}' is no value for it", value)}.with_remedy(remedy);
}

template <class E>
  requires std::is_enum_v<E>
Result<void> parse(std::string_view text, E& into) {
  std::vector<std::string_view> known;
  for (const auto& word : Words<E>::all) {
    if (word.text == text) {
      into = word.value;
      return {};
    }
    known.push_back(word.text);
  }
  return unfit(text, fmt::format("there are: {}", fmt::join(known, ", ")));
}

template <std::unsigned_integral N>
  requires(!std::same_as<N, bool>)
Result<void> parse(std::string_view text, N& into) {
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), into);
  if (failed != std::errc{} || end != text.data() + text.size() || text.empty())
    return unfit(text, fmt::format("give a whole number from 0 to {}", std::numeric_limits<N>::max()));
  return {};
}

Result<void> parse(std::string_view text, double& into) {
  double number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc{} || end != text.data() + text.size() || !std::isfinite(number))
    return unfit(text, "give a number such as 0.5");
  into = number;
  return {};
}

Result<void> parse(std::string_view text, bool& into) {
  if (text != "true" && text != "false") return unfit(text, "there are: true, false");
  into = text == "true";
  return {};
}

Result<void> parse(std::string_view text, Bytes& into) {
  auto bytes = parse_bytes(text);
  if (!bytes) return bytes.error();
  into = *bytes;
  return {};
}

Result<void> parse(std::string_view text, Nanoseconds& into) {
  auto time = parse_duration(text);
  if (!time) return time.error();
  into = *time;
  return {};
}

Result<void> parse(std::string_view text, std::optional<Engine>& into) {
  if (text == "default") {
    into.reset();
    return {};
  }
  Engine engine{};
  if (auto fine = parse(text, engine); !fine)
    return fine.error().with_remedy(fine.error().remedy() + ", default");
  into = engine;
  return {};
}

Result<void> parse(std::string_view text, std::filesystem::path& into) {
  if (text.empty() || text.find('\0') != std::string_view::npos) return unfit(text, "name a directory");
  into = text;
  return {};
}

template <class E>
  requires std::is_enum_v<E>
Json shown(E value) {
  return word_of(value);
}
Json shown(const std::optional<Engine>& engine) { return engine ? word_of(*engine) : "default"; }
Json shown(Bytes bytes) { return bytes.count; }
Json shown(Nanoseconds time) { return static_cast<double>(time.count) * 1e-9; }
Json shown(const std::filesystem::path& path) { return path.string(); }
template <class N>
  requires std::is_arithmetic_v<N>
Json shown(N number) {
  return number;
}

// One field of a Job: its name, how it is read and shown.
struct Field {
  std::string_view name;
  Result<void> (*set)(Job&, std::string_view);
  Json (*get)(const Job&);
};

template <auto Member>
constexpr Field field(std::string_view name) {
  return {name, [](Job& job, std::string_view text) { return parse(text, job.*Member); },
          [](const Job& job) { return shown(job.*Member); }};
}

constexpr std::array kFields = {
    field<&Job::mode>("mode"),
    field<&Job::engine>("engine"),
    field<&Job::workers>("workers"),
    field<&Job::count>("count"),
    field<&Job::file_size>("file_size"),
    field<&Job::record_size>("record_size"),
    field<&Job::layout>("layout"),
    field<&Job::sync>("sync"),
    field<&Job::cache>("cache"),
    field<&Job::flush>("flush"),
    field<&Job::flush_every>("flush_every"),
    field<&Job::stride>("stride"),
    field<&Job::depth>("depth"),
    field<&Job::read_share>("read_share"),
    field<&Job::period>("period"),
    field<&Job::duty>("duty"),
    field<&Job::sync_at_end>("sync_at_end"),
    field<&Job::verify>("verify"),
    field<&Job::keep>("keep"),
    field<&Job::seed>("seed"),
    field<&Job::directory>("directory"),
};

}  // namespace

std::string_view name(Mode mode) { return word_of(mode); }
std::string_view name(Engine engine) { return word_of(engine); }
std::string_view name(Workers workers) { return word_of(workers); }
std::string_view name(Layout layout) { return word_of(layout); }
std::string_view name(Sync sync) { return word_of(sync); }
std::string_view name(Cache cache) { return word_of(cache); }
std::string_view name(Flush flush) { return word_of(flush); }

Result<void> set_field(Job& job, std::string_view field, std::string_view value) {
  std::vector<std::string> known;
  for (const Field& each : kFields) {
    if (each.name == field) {
      auto done = each.set(job, value);
      if (!done) return done.error().in(field);
      return {};
    }
    known.emplace_back(each.name);
  }
  const auto meant = nearest(field, known);
  return Error{Errc::usage, fmt::format("a job has no field '{}'", field)}.with_remedy(
      meant ? fmt::format("did you mean {}?", *meant) : fmt::format("there are: {}", fmt::join(known, ", ")));
}

Json to_json(const Job& job) {
  Json json = Json::object();
  for (const Field& each : kFields) json[std::string(each.name)] = each.get(job);
  return json;
}

Result<Job> job_from_json(const Json& json) {
  if (!json.is_object()) return Error{Errc::bad_data, "a job is an object with fields"};
  Job job;
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string() && !value.is_number() && !value.is_boolean())
      return Error{Errc::bad_data, "a field is a text, a number, true or false"}.in(key);
    auto done = set_field(job, key, value.is_string() ? value.get<std::string>() : value.dump());
    if (!done) return done.error();
  }
  return job;
}

}  // namespace weir::workload
