#include "study/commands.hpp"

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/interrupt.hpp"
#include "launch/preload.hpp"

namespace weir::study {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNothing = "/dev/null";
constexpr std::size_t kToldLines = 12;

// The last lines of what a program said.
std::string tail(const fs::path& file) {
  const auto text = read_text(file, std::uint64_t{1} << 28);
  if (!text) return {};
  std::string_view rest = *text;
  while (rest.ends_with('\n')) rest.remove_suffix(1);
  std::size_t begin = rest.size();
  for (std::size_t lines = 0; lines < kToldLines && begin > 0; ++lines) {
    const std::size_t before = begin < 2 ? std::string_view::npos : rest.rfind('\n', begin - 2);
    begin = before == std::string_view::npos ? 0 : before + 1;
  }
  return std::string(rest.substr(begin));
}

}  // namespace

Result<void> Commands::document(const std::string& file, std::vector<std::string> words,
                                int most_status) const {
  if (state_.has(file)) return {};
  if (auto go_on = check_interrupt(); !go_on) return go_on;
  words.insert(words.begin(), weir_.string());
  const fs::path made = state_.file(file + ".new"), errors = state_.file(file + ".err");
  const auto status = launch::run_program(words, {}, {.input = kNothing, .output = made, .errors = errors});
  if (!status) return status.error();
  if (launch::interrupted_meanwhile()) return Error{Errc::interrupted, "interrupted"};
  std::error_code failed;
  if (*status > most_status) {
    fs::remove(made, failed);
    return Error{*status == exit_code(Errc::lacking) ? Errc::lacking
                 : *status == 130                    ? Errc::interrupted
                                                     : Errc::bad_data,
                 fmt::format("'{}' ended with status {}: {}", fmt::join(words, " "), *status, tail(errors))};
  }
  fs::remove(errors, failed);
  fs::rename(made, state_.file(file), failed);
  if (failed) return Error::from_errno(failed.value(), "cannot be renamed").in(made.string());
  return {};
}

fs::path Commands::output_of(const std::string& name) const {
  return state_.file("output") / (name + ".out");
}

Result<int> Commands::program(std::vector<std::string> words, const std::string& name) const {
  std::error_code failed;
  fs::create_directories(state_.file("output"), failed);
  words.insert(words.begin(), weir_.string());
  const fs::path out = output_of(name), errors = state_.file("output") / (name + ".err");
  const auto status = launch::run_program(words, {}, {.input = kNothing, .output = out, .errors = errors});
  if (!status) return status.error();
  if (launch::interrupted_meanwhile()) return Error{Errc::interrupted, "interrupted"};
  if (*status != 0) {
    for (const fs::path& said : {out, errors})
      if (const std::string text = tail(said); !text.empty()) tell_(text);
    tell_(fmt::format("{}: ended with status {}; all it said is in {}", name, *status,
                      out.parent_path().string()));
  }
  return *status;
}

Result<void> Commands::page(const std::vector<std::string>& results, const std::string& to,
                            const std::string& title) const {
  std::vector<std::string> words = {weir_.string(), "report"};
  words.insert(words.end(), results.begin(), results.end());
  words.insert(words.end(), {"--out", to, "--title", title});
  const fs::path errors = state_.file("page.err");
  const auto status =
      launch::run_program(words, {}, {.input = kNothing, .output = kNothing, .errors = errors});
  const std::string said = tail(errors);
  std::error_code ignored;
  fs::remove(errors, ignored);
  if (!status) return status.error();
  if (launch::interrupted_meanwhile()) return Error{Errc::interrupted, "interrupted"};
  if (*status != 0) return Error{Errc::bad_data, said};
  return {};
}

}  // namespace weir::study
