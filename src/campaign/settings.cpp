#include "campaign/settings.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "base/unique_fd.hpp"
#include "base/units.hpp"

namespace weir::campaign {
namespace {

namespace fs = std::filesystem;

struct Named {
  Setting setting;
  std::string_view name;
};
constexpr std::array kNames = {
    Named{Setting::cpu_frequency, "cpu_frequency"},
    Named{Setting::governor, "governor"},
    Named{Setting::turbo, "turbo"},
    Named{Setting::io_scheduler, "io_scheduler"},
    Named{Setting::queue_depth, "queue_depth"},
    Named{Setting::trim, "trim"},
};

Error lacks(const fs::path& file, std::string_view why) {
  return Error{Errc::lacking, std::string(why)}.in(file.string());
}

// sysfs files are written whole, in one call, and say at once whether the kernel takes the value.
Result<void> write_setting(const fs::path& file, std::string_view value) {
  UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  const ssize_t written = fd.get() < 0 ? -1 : ::write(fd.get(), value.data(), value.size());
  if (written == static_cast<ssize_t>(value.size())) return {};
  return lacks(file, fmt::format("cannot be set to '{}': {}", value, std::generic_category().message(errno)))
      .with_remedy("run as root where the machine allows it, or take the factor out of the grid");
}

Result<std::string> read_setting(const fs::path& file) {
  auto text = read_text(file, 1 << 16);
  if (!text) return lacks(file, text.error().message());
  while (text->ends_with('\n') || text->ends_with(' ')) text->pop_back();
  // A list of choices shows the one in force in brackets: "none [mq-deadline] kyber".
  const auto from = text->find('[');
  const auto to = text->find(']');
  if (from != std::string::npos && to != std::string::npos && from < to)
    return text->substr(from + 1, to - from - 1);
  return *std::move(text);
}

std::vector<fs::path> processors(const fs::path& root) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(root / "sys/devices/system/cpu", ignored)) {
    const std::string name = entry.path().filename();
    if (name.size() > 3 && name.starts_with("cpu") &&
        name.find_first_not_of("0123456789", 3) == std::string::npos)
      found.push_back(entry.path() / "cpufreq");
  }
  std::ranges::sort(found);
  return found;
}

// "2.4G" and "2400000000" are Hz; the kernel counts kHz.
Result<std::string> kilohertz(std::string_view level) {
  char* end = nullptr;
  const std::string text(level);
  const double number = std::strtod(text.c_str(), &end);
  const std::string_view unit = end;
  const double factor = unit.starts_with('G')   ? 1e9
                        : unit.starts_with('M') ? 1e6
                        : unit.starts_with('k') ? 1e3
                                                : 1;
  if (end == text.c_str() || !(number > 0))
    return Error{Errc::usage, fmt::format("cpu_frequency '{}' is not a frequency", level)}.with_remedy(
        "write 2.4G or 2400M");
  return fmt::format("{:.0f}", number * factor / 1000);
}

Json journal_json(const std::vector<std::pair<std::string, std::string>>& old) {
  Json files = Json::array();
  for (const auto& [file, value] : old) files.push_back({{"file", file}, {"value", value}});
  return files;
}

}  // namespace

std::optional<Setting> setting_named(std::string_view name) {
  for (const Named& known : kNames)
    if (known.name == name) return known.setting;
  return std::nullopt;
}

std::vector<std::string> setting_names() {
  std::vector<std::string> names;
  for (const Named& known : kNames) names.emplace_back(known.name);
  return names;
}

fs::path settings_journal(const fs::path& store) { return store.string() + ".settings"; }

Result<std::size_t> restore_settings(const fs::path& journal) {
  std::error_code missing;
  if (!fs::exists(journal, missing)) return std::size_t{0};
  const auto text = read_text(journal, 1 << 24);
  if (!text) return text.error();
  const auto files = parse_json(*text);
  if (!files || !files->is_array())
    return Error{Errc::bad_data, "is not a list of settings"}.in(journal.string());
  std::size_t restored = 0;
  std::optional<Error> failed;
  // The last change is undone first.
  for (auto entry = files->rbegin(); entry != files->rend(); ++entry) {
    if (!entry->is_object() || !entry->contains("file") || !entry->contains("value") ||
        !(*entry)["file"].is_string() || !(*entry)["value"].is_string())
      return Error{Errc::bad_data, "an entry without file and value"}.in(journal.string());
    const auto done =
        write_setting((*entry)["file"].get<std::string>(), (*entry)["value"].get<std::string>());
    if (done)
      ++restored;
    else if (!failed)
      failed = done.error();
  }
  if (failed) return failed->in(journal.string());
  fs::remove(journal, missing);
  return restored;
}

Settings::Settings(fs::path root, fs::path directory, fs::path journal)
    : root_(std::move(root)), directory_(std::move(directory)), journal_(std::move(journal)) {}

Settings::~Settings() {
  if (const auto done = restore(); !done) warn("settings are not restored: {}", done.error().text());
}

Result<fs::path> Settings::queue_file(std::string_view name) const {
  struct stat info {};
  if (::stat(directory_.c_str(), &info) != 0)
    return Error::from_errno(errno, "cannot look at it").in(directory_.string());
  fs::path device = root_ / fmt::format("sys/dev/block/{}:{}", major(info.st_dev), minor(info.st_dev));
  std::error_code missing;
  if (!fs::exists(device, missing))
    return lacks(device, fmt::format("{} is not on a block device", directory_.string()))
        .with_remedy("take the factor out of the grid, or write to a local disk");
  if (fs::exists(device / "partition", missing)) device = fs::canonical(device, missing).parent_path();
  return device / "queue" / name;
}

Result<std::vector<Settings::Change>> Settings::changes(Setting setting, std::string_view level) const {
  std::vector<Change> wanted;
  std::error_code missing;
  switch (setting) {
    case Setting::cpu_frequency: {
      const auto value = kilohertz(level);
      if (!value) return value.error();
      for (const fs::path& cpu : processors(root_)) {
        // The kernel refuses a minimum above the maximum at any moment: widen, then narrow.
        const auto most = read_setting(cpu / "scaling_max_freq");
        const bool rises = most && std::strtod(most->c_str(), nullptr) < std::strtod(value->c_str(), nullptr);
        const std::array<const char*, 2> order = rises ? std::array{"scaling_max_freq", "scaling_min_freq"}
                                                       : std::array{"scaling_min_freq", "scaling_max_freq"};
        for (const char* name : order) wanted.push_back({cpu / name, *value});
      }
      if (wanted.empty()) return lacks(root_ / "sys/devices/system/cpu", "shows no processor");
      return wanted;
    }
    case Setting::governor:
      for (const fs::path& cpu : processors(root_))
        wanted.push_back({cpu / "scaling_governor", std::string(level)});
      if (wanted.empty()) return lacks(root_ / "sys/devices/system/cpu", "shows no processor");
      return wanted;
    case Setting::turbo: {
      if (level != "on" && level != "off")
        return Error{Errc::usage, fmt::format("turbo '{}'", level)}.with_remedy("give on or off");
      const fs::path intel = root_ / "sys/devices/system/cpu/intel_pstate/no_turbo";
      if (fs::exists(intel, missing)) return std::vector<Change>{{intel, level == "on" ? "0" : "1"}};
      return std::vector<Change>{{root_ / "sys/devices/system/cpu/cpufreq/boost", level == "on" ? "1" : "0"}};
    }
    case Setting::io_scheduler:
    case Setting::queue_depth: {
      const auto file = queue_file(setting == Setting::io_scheduler ? "scheduler" : "nr_requests");
      if (!file) return file.error();
      return std::vector<Change>{{*file, std::string(level)}};
    }
    case Setting::trim:
      if (level != "true" && level != "false")
        return Error{Errc::usage, fmt::format("trim '{}'", level)}.with_remedy("give true or false");
      return wanted;
  }
  return wanted;
}

Result<void> Settings::check(Setting setting, std::string_view level) const {
  const auto wanted = changes(setting, level);
  if (!wanted) return wanted.error();
  for (const Change& change : *wanted) {
    if (::access(change.file.c_str(), W_OK) == 0) continue;
    return lacks(change.file, fmt::format("cannot be written: {}", std::generic_category().message(errno)))
        .with_remedy("run as root where the machine allows it, or take the factor out of the grid");
  }
  return {};
}

Result<void> Settings::keep_old_value(const fs::path& file) {
  const bool kept = std::ranges::any_of(old_, [&](const Change& change) { return change.file == file; });
  if (kept) return {};
  auto value = read_setting(file);
  if (!value) return value.error();
  old_.push_back({file, *std::move(value)});
  std::vector<std::pair<std::string, std::string>> all;
  for (const Change& change : old_) all.emplace_back(change.file.string(), change.value);
  return replace_file(journal_, as_bytes(journal_json(all).dump(1)));
}

Result<void> Settings::set(Setting setting, std::string_view level) {
  if (setting == Setting::trim) {
    const auto known = changes(setting, level);
    if (!known) return known.error();
    trim_ = level == "true";
    return {};
  }
  if (const auto guarded = start_guardian(); !guarded) return guarded.error();
  const auto wanted = changes(setting, level);
  if (!wanted) return wanted.error();
  for (const Change& change : *wanted) {
    const auto now = read_setting(change.file);
    if (!now) return now.error();
    if (*now == change.value) continue;
    if (const auto kept = keep_old_value(change.file); !kept) return kept.error();
    if (const auto written = write_setting(change.file, change.value); !written) return written.error();
  }
  return {};
}

Result<void> Settings::before_run() const {
  if (!trim_) return {};
  UniqueFd fd(::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  fstrim_range range{.start = 0, .len = ~0ULL, .minlen = 0};
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg): ioctl's own way.
  if (fd.get() < 0 || ::ioctl(fd.get(), FITRIM, &range) != 0)
    return lacks(directory_, fmt::format("cannot be trimmed: {}", std::generic_category().message(errno)))
        .with_remedy("TRIM needs root and a device that takes it; take trim out of the grid");
  return {};
}

Result<void> Settings::start_guardian() {
  if (guardian_) return {};
  auto guardian = launch::Guardian::start([journal = journal_] { (void)restore_settings(journal); });
  if (!guardian) return guardian.error();
  guardian_ = *std::move(guardian);
  return {};
}

Result<void> Settings::restore() {
  Result<void> outcome;
  if (!old_.empty()) {
    const auto restored = restore_settings(journal_);
    if (restored)
      old_.clear();
    else
      outcome = restored.error();
  }
  guardian_.reset();
  return outcome;
}

}  // namespace weir::campaign
