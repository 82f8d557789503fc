#include "consistency/policy.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include "base/check.hpp"
#include "base/file.hpp"

namespace weir::consistency {
namespace {

constexpr std::string_view kFirstLine = "# weir policy 1";
constexpr std::string_view kBlanks = " \t\r";
constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 28;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// What a row's name promises: posix-lock is posix by other means.
const Model* model_behind(std::string_view name) { return find_model(name == "posix-lock" ? "posix" : name); }

Result<PolicyRow> row_of(std::string_view line) {
  const std::size_t end = line.find_first_of(kBlanks);
  const std::string_view model = line.substr(0, end);
  const std::string_view pattern = end == std::string_view::npos ? "" : trimmed(line.substr(end));
  if (model_behind(model) == nullptr)
    return Error{Errc::bad_data, fmt::format("no model '{}'", model)}.with_remedy(
        "models are " + list_of_models() + ", posix-lock");
  if (pattern.empty())
    return Error{Errc::bad_data, fmt::format("'{}' without a pattern", model)}.with_remedy(
        "write the model, a blank and the pattern of names it is for");
  return PolicyRow{std::string(pattern), std::string(model)};
}

}  // namespace

Result<FilePolicy> FilePolicy::parse(std::string_view text, std::string_view file) {
  FilePolicy policy;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    if (line.starts_with("# weir policy ") && line != kFirstLine)
      return Error{Errc::unsupported, "a policy of another version"}.in(file).with_remedy(
          "make it anew with 'weir check --policy'");
    if (line.empty() || line.front() == '#') continue;
    auto row = row_of(line);
    if (!row) return row.error().in(fmt::format("line {}", number)).in(file);
    policy.rows_.push_back(*std::move(row));
  }
  return policy;
}

Result<FilePolicy> FilePolicy::read(const std::filesystem::path& path) {
  const auto text = read_text(path, kLargestFile);
  if (!text) return text.error();
  return parse(*text, path.string());
}

void FilePolicy::add(std::string_view pattern, std::string_view model) {
  WEIR_CHECK(find_model(model) != nullptr, "no model {}", model);
  rows_.push_back({std::string(pattern), std::string(model)});
}

const PolicyRow* FilePolicy::row_for(std::string_view file) const {
  const std::string name(file);
  for (const PolicyRow& row : rows_)
    if (fnmatch(row.pattern.c_str(), name.c_str(), 0) == 0) return &row;
  return nullptr;
}

const Model* FilePolicy::model_of(std::string_view file) const {
  const PolicyRow* const row = row_for(file);
  return row == nullptr ? nullptr : model_behind(row->model);
}

std::string FilePolicy::text() const {
  std::string text(kFirstLine);
  text += '\n';
  for (const PolicyRow& row : rows_) text += fmt::format("{:<8} {}\n", row.model, row.pattern);
  return text;
}

std::string exact_pattern(std::string_view name) {
  std::string pattern;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    // A line can hold neither: any one character stands there.
    if (c == '\n' || (i + 1 == name.size() && kBlanks.find(c) != std::string_view::npos)) {
      pattern += '?';
      continue;
    }
    if (c == '*' || c == '?' || c == '[' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern;
}

}  // namespace weir::consistency
