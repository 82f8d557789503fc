#include "cli/output.hpp"

#include <cerrno>
#include <cmath>

#include <fmt/chrono.h>
#include <unistd.h>

#include "base/json.hpp"
#include "base/progress.hpp"
#include "base/terminal.hpp"
#include "base/version.hpp"
#include "campaign/machine_name.hpp"

namespace weir::cli {
namespace {

constexpr std::size_t kBufferSize = std::size_t{1} << 16;
constexpr std::size_t kWidthWithoutTerminal = 120;

}  // namespace

std::string number(double value, int digits) {
  return std::isfinite(value) ? fmt::format("{:.{}g}", value, digits) : "-";
}

std::string date_text(std::time_t when) { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(when)); }

Json made_json(const std::vector<std::string>& command, bool measured) {
  Json made = {{"command", command}, {"weir", build_facts().version}};
  if (measured) {
    made["host"] = campaign::machine_name();
    made["date"] = date_text(std::time(nullptr));
  }
  return made;
}

void Output::write(std::string_view text) {
  if (closed_) return;
  buffer_ += text;
  if (buffer_.size() >= kBufferSize) flush();
}

void Output::json(Json document) {
  if (!command_.empty() && document.contains("schema") && !document.contains("made"))
    document["made"] = made_json(command_, false);
  // Bytes of a file name that are not UTF-8 are shown as U+FFFD rather than losing the answer.
  write(document.dump(2, ' ', false, Json::error_handler_t::replace));
  write("\n");
}

void Output::measured_json(Json document) {
  document["made"] = made_json(command_, true);
  json(std::move(document));
}

void Output::table(const Table& table) { write(table.text(terminal_width(fd_, kWidthWithoutTerminal))); }

Result<void> Output::finish() {
  flush();
  return failed_;
}

bool Output::to_terminal() const { return is_terminal(fd_); }

void Output::flush() {
  const ProgressPause pause;
  std::string_view left = buffer_;
  while (!closed_ && !left.empty()) {
    const ssize_t written = ::write(fd_, left.data(), left.size());
    if (written >= 0) {
      left.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      closed_ = true;
      if (errno != EPIPE) failed_ = Error::from_errno(errno, "cannot write").in("standard output");
    }
  }
  buffer_.clear();
}

}  // namespace weir::cli
