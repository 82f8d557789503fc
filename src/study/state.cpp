#include "study/state.hpp"

#include <cerrno>
#include <charconv>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/file.hpp"
#include "launch/process.hpp"

namespace weir::study {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "state.json";
constexpr const char* kSchema = "weir.study-state/1";

bool is_text(const std::string& name) {
  try {
    static_cast<void>(Json(name).dump());
    return true;
  } catch (const Json::exception&) {
    return false;
  }
}

// Names are bytes, JSON is text: in a name that is no UTF-8, each byte above ASCII is kept as a NUL, which no
// name has, and two digits.
std::string to_text(const std::string& name) {
  if (is_text(name)) return name;
  std::string made;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      made += c;
    } else {
      made += '\0';
      made += fmt::format("{:02x}", byte);
    }
  }
  return made;
}

std::string from_text(const std::string& text) {
  std::string made;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    const char* const digits = text.data() + i + 1;
    if (text[i] == '\0' && i + 2 < text.size() &&
        std::from_chars(digits, digits + 2, byte, 16).ec == std::errc()) {
      made += static_cast<char>(byte);
      i += 2;
    } else {
      made += text[i];
    }
  }
  return made;
}

// The same document with all its strings, and the names of its fields, as `of` has them.
Json with_strings(const Json& value, std::string (*of)(const std::string&)) {
  if (value.is_string()) return of(value.get_ref<const std::string&>());
  if (!value.is_structured()) return value;
  Json made = value.is_array() ? Json::array() : Json::object();
  for (const auto& [name, one] : value.items()) {
    if (value.is_array())
      made.push_back(with_strings(one, of));
    else
      made[of(name)] = with_strings(one, of);
  }
  return made;
}

Json inputs_of(const std::vector<std::string>& command) {
  Json made = Json::object();
  for (const std::string& word : command) {
    const auto program = &word == &command.front() ? launch::find_program(word) : std::nullopt;
    std::error_code failed;
    const fs::path path = fs::canonical(program.value_or(word), failed);
    struct stat found {};
    if (failed || ::stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) continue;
    made[path.string()] = {{"size_bytes", found.st_size},
                           {"modified_ns", found.st_mtim.tv_sec * 1'000'000'000 + found.st_mtim.tv_nsec}};
  }
  return made;
}

}  // namespace

Result<State> State::open(const fs::path& directory, const std::vector<std::string>& command,
                          const std::string& asked_directory) {
  State made;
  std::error_code failed;
  const bool there = fs::exists(directory, failed);
  if (there && !fs::is_directory(directory, failed))
    return Error{Errc::usage, "is a file, not a directory"}
        .in(directory.string())
        .with_remedy("give another --out");
  if (there && !fs::exists(directory / kFile, failed) && !fs::is_empty(directory, failed))
    return Error{Errc::usage, "exists already and holds no study"}
        .in(directory.string())
        .with_remedy("give another --out, or remove it");
  fs::create_directories(directory, failed);
  if (failed) return Error::from_errno(failed.value(), "cannot be made").in(directory.string());
  made.directory_ = fs::canonical(directory, failed);
  if (failed) return Error::from_errno(failed.value(), "cannot be found").in(directory.string());
  auto lock = open_file(made.directory_, O_RDONLY | O_DIRECTORY);
  if (!lock) return lock.error();
  if (::flock(lock->get(), LOCK_EX | LOCK_NB) != 0)
    return Error{Errc::usage, "another weir study is at work in it"}
        .in(directory.string())
        .with_remedy("wait for it, or give another --out");
  made.lock_ = *std::move(lock);
  made.command_ = command;
  made.working_directory_ = fs::current_path(failed).string();
  made.asked_directory_ = asked_directory;
  made.inputs = inputs_of(command);
  if (fs::exists(made.directory_ / kFile, failed)) {
    if (const auto read = made.read(); !read) return read.error().in(directory.string());
  } else if (const auto saved = made.save(); !saved) {
    return saved.error();
  }
  return made;
}

Result<void> State::save() const {
  Json document = {{"schema", kSchema},
                   {"command", command_},
                   {"working_directory", working_directory_},
                   {"asked_directory", asked_directory_},
                   {"inputs", inputs},
                   {"traced", traced},
                   {"traced_s", traced_s},
                   {"place", place},
                   {"place_share", place_share},
                   {"outside", outside},
                   {"processes", processes},
                   {"files", files},
                   {"written_bytes", written_bytes},
                   {"original", original},
                   {"removed", removed ? Json(*removed) : Json(nullptr)},
                   {"compared_files", compared_files},
                   {"compared_bytes", compared_bytes},
                   {"workplace", workplace.string()},
                   {"runs", Json::array()}};
  for (const Run& run : runs) document["runs"].push_back(to_json(run));
  const std::string text = with_strings(document, to_text).dump(1);
  return replace_file(directory_ / kFile, as_bytes(text));
}

Result<void> State::read() {
  auto document = this->document(kFile);
  if (!document) return document.error();
  *document = with_strings(*document, from_text);
  if (document->value("schema", "") != kSchema)
    return Error{Errc::unsupported,
                 fmt::format("holds a study of another version ({})", document->value("schema", "none"))}
        .with_remedy("give another --out, or remove it");
  try {
    if (document->at("command").get<std::vector<std::string>>() != command_ ||
        document->at("working_directory").get<std::string>() != working_directory_ ||
        document->at("asked_directory").get<std::string>() != asked_directory_)
      return Error{Errc::usage,
                   fmt::format("holds the study of another command: {} (in {})",
                               fmt::join(document->at("command").get<std::vector<std::string>>(), " "),
                               document->at("working_directory").get<std::string>())}
          .with_remedy("give another --out, or remove it");
    traced = document->at("traced").get<bool>();
    if (traced) {
      const Json now = std::exchange(inputs, document->value("inputs", Json::object()));
      for (const auto& [path, facts] : inputs.items())
        if (now.value(path, Json()) != facts)
          return Error{Errc::usage, fmt::format("holds a study that was begun before {} changed", path)}
              .with_remedy("give another --out, or remove it");
    }
    traced_s = document->at("traced_s").get<double>();
    place = document->at("place").get<std::string>();
    place_share = document->at("place_share").get<double>();
    outside = document->at("outside").get<std::vector<std::string>>();
    processes = document->at("processes").get<std::uint64_t>();
    files = document->at("files").get<std::uint64_t>();
    written_bytes = document->at("written_bytes").get<std::uint64_t>();
    original = document->at("original");
    if (const Json names = document->value("removed", Json()); !names.is_null())
      removed = names.get<std::set<std::string>>();
    compared_files = document->at("compared_files").get<std::uint64_t>();
    compared_bytes = document->at("compared_bytes").get<std::uint64_t>();
    // We hold the lock: nobody is at work in it.
    if (const fs::path left = document->value("workplace", "");
        left.filename().string().starts_with(kWorkplace)) {
      std::error_code ignored;
      fs::remove_all(left, ignored);
    }
    for (const Json& one : document->at("runs")) {
      auto run = run_from_json(one);
      if (!run) return run.error().in(kFile);
      runs.push_back(*std::move(run));
    }
  } catch (const Json::exception& problem) {
    return Error{Errc::bad_data, problem.what()}.in(kFile).with_remedy("remove it, and begin anew");
  }
  return {};
}

bool State::has(const std::string& name) const {
  std::error_code unknown;
  return fs::exists(directory_ / name, unknown);
}

Result<Json> State::document(const std::string& name) const {
  const auto text = read_text(directory_ / name, std::uint64_t{1} << 30);
  if (!text) return text.error();
  auto made = parse_json(*text);
  if (!made) return made.error().in((directory_ / name).string());
  return made;
}

}  // namespace weir::study
