#include "expected_counts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

namespace weir {
namespace {

namespace fs = std::filesystem;

// What a line says after "// counts:", in a script "# counts:".
std::optional<std::string> after_mark(const std::string& line, std::string_view mark) {
  for (const std::string_view comment : {"// ", "# "}) {
    const std::string whole = std::string(comment) + std::string(mark);
    if (line.starts_with(whole)) return line.substr(whole.size());
  }
  return std::nullopt;
}

Result<ExpectedCount> parse_word(const std::string& word) {
  const std::size_t sign = word.find('=');
  if (sign == std::string::npos || sign == 0)
    return Error{Errc::bad_data, fmt::format("'{}' is no count", word)};
  ExpectedCount made;
  made.at_least = word[sign - 1] == '>';
  made.what = word.substr(0, made.at_least ? sign - 1 : sign);
  const char* const end = word.data() + word.size();
  const auto parsed = std::from_chars(word.data() + sign + 1, end, made.value);
  if (parsed.ec != std::errc() || parsed.ptr != end)
    return Error{Errc::bad_data, fmt::format("'{}' ends in no number", word)};
  if (made.what != "depth" && made.what != "processes" && !find_call(made.what))
    return Error{Errc::bad_data, fmt::format("'{}' is not in the tables", made.what)};
  return made;
}

std::uint64_t measured(const std::string& what, const CallCounts& counts) {
  if (what == "processes") return counts.processes;
  if (what == "depth") {
    std::uint64_t deepest = 0;
    for (const auto& by_depth : counts.calls)
      for (std::uint64_t depth = 0; depth < CallCounts::kDepths; ++depth)
        if (by_depth[depth] != 0) deepest = std::max(deepest, depth);
    return deepest;
  }
  std::uint64_t total = 0;
  for (const auto& at_depth : counts.calls[static_cast<std::size_t>(*find_call(what))]) total += at_depth;
  return total;
}

}  // namespace

std::vector<std::string> all_programs(const fs::path& sources) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(sources)) {
    const fs::path& path = entry.path();
    const bool source = path.extension() == ".c" || path.extension() == ".cpp" || path.extension() == ".sh";
    if (source && !path.stem().string().starts_with("lib")) names.push_back(path.stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<fs::path> find_source(const fs::path& sources, const std::string& program) {
  for (const char* const extension : {".c", ".cpp", ".sh"})
    if (fs::exists(sources / (program + extension))) return sources / (program + extension);
  return std::nullopt;
}

Result<std::vector<ExpectedCount>> read_expected(const fs::path& source) {
  std::vector<ExpectedCount> expected;
  std::ifstream in(source);
  bool inside = false;  // a long list goes on over the comment's next lines; the format guard wraps it
  for (std::string line; std::getline(in, line);) {
    const auto counts = after_mark(line, "counts:");
    const auto more = inside && !counts ? after_mark(line, "") : counts;
    inside = more.has_value();
    if (!more) continue;
    std::istringstream words(*more);
    for (std::string word; words >> word;) {
      auto made = parse_word(word);
      if (!made) return made.error();
      expected.push_back(std::move(*made));
    }
  }
  if (expected.empty()) return Error{Errc::bad_data, "has no line '// counts: ...'"};
  return expected;
}

std::vector<std::string> never_expected(const fs::path& sources) {
  std::array<bool, kCallCount> expected{};
  for (const std::string& program : all_programs(sources)) {
    const auto counts = read_expected(*find_source(sources, program));
    if (!counts) continue;
    for (const ExpectedCount& count : *counts)
      if (const auto call = find_call(count.what); call && count.value != 0)
        expected[static_cast<std::size_t>(*call)] = true;
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kCallCount; ++i) {
    const auto call = static_cast<Call>(i);
    const Layer layer = info(call).layer;
    const bool has_shim = call != Call::vfork;  // a recorder's own, written by hand (tests/capture has it)
    if (!expected[i] && has_shim && (layer == Layer::posix || layer == Layer::stdio))
      names.emplace_back(name(call));
  }
  return names;
}

std::vector<std::string> read_needs(const fs::path& source) {
  std::vector<std::string> needs;
  std::ifstream in(source);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(after_mark(line, "needs:").value_or(""));
    for (std::string word; words >> word;) needs.push_back(word);
  }
  return needs;
}

std::string unmet(const std::vector<ExpectedCount>& expected, const CallCounts& counts) {
  std::string text;
  for (const ExpectedCount& e : expected) {
    const std::uint64_t seen = measured(e.what, counts);
    const bool met = e.at_least ? seen >= e.value : seen == e.value;
    if (!met)
      text += fmt::format("  {}: counted {}, expected {}{}\n", e.what, seen, e.at_least ? "at least " : "",
                          e.value);
  }
  return text;
}

void load(std::string_view bytes, CallCounts& counts) {
  static_assert(sizeof(CallCounts) == sizeof(std::uint64_t) * (kCallCount * CallCounts::kDepths + 1));
  const auto next = [&] {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data(), sizeof value);
    bytes.remove_prefix(sizeof value);
    return value;
  };
  for (auto& by_depth : counts.calls)
    for (auto& at_depth : by_depth) at_depth = next();
  counts.processes = next();
}

}  // namespace weir
