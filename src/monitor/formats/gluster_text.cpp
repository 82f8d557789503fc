#include <array>
#include <cctype>

#include "monitor/detail/formats.hpp"
#include "monitor/detail/text.hpp"
#include "monitor/formats/gluster_calls.hpp"

namespace weir::monitor::detail {
namespace {

// "%-LATENCY AVERAGE ns LEAST ns GREATEST ns CALLS NAME"; microseconds before version 10.
bool put_call_row(std::string_view rest, Sink& sink) {
  std::array<std::string_view, 9> words;
  for (auto& word : words) word = next_word(rest);
  const auto mean = real(words[1]);
  const auto calls = whole(words[7]);
  const double unit = words[2] == "ns" ? 1e-9 : words[2] == "us" ? 1e-6 : 0;
  if (!real(words[0]) || !mean || unit == 0 || !calls || !next_word(rest).empty()) return false;
  return put_gluster_call(words[8], number(*calls), *mean * unit, sink);
}

// "No. of Reads: N N N": requests by size.
bool put_block_row(std::string_view rest, std::string_view stem, Sink& sink) {
  double sum = 0;
  for (std::string_view word; !(word = next_word(rest)).empty();) {
    const auto count = whole(word);
    if (!count) return false;
    sum += number(*count);
  }
  sink.add({stem, "_operations"}, sum);
  return true;
}

// "Data Read: N bytes"
bool put_bytes_row(std::string_view rest, std::string_view stem, Sink& sink) {
  const auto bytes = whole(next_word(rest));
  if (!bytes || next_word(rest) != "bytes") return false;
  sink.put({stem, "_bytes"}, number(*bytes));
  return true;
}

bool take(std::string_view& line, std::string_view prefix) {
  if (!line.starts_with(prefix)) return false;
  line.remove_prefix(prefix.size());
  return true;
}

bool put_row(std::string_view row, Sink& sink) {
  if (take(row, "No. of Reads:")) return put_block_row(row, "read", sink);
  if (take(row, "No. of Writes:")) return put_block_row(row, "write", sink);
  if (take(row, "Data Read:")) return put_bytes_row(row, "read", sink);
  if (take(row, "Data Written:")) return put_bytes_row(row, "write", sink);
  if (!row.empty() && std::isdigit(static_cast<unsigned char>(row.front())) != 0)
    return put_call_row(row, sink);
  return true;  // headings and rules
}

}  // namespace

// Bricks with cumulative statistics; those of the last interval ("Interval 3 Stats:") are left alone.
void parse_gluster_text(std::string_view text, std::string_view /*instance*/, Sink& sink) {
  bool brick = false, cumulative = false;
  for (std::string_view line; next_line(text, line);) {
    std::string_view row = trimmed(line);
    if (take(row, "Brick:")) {
      const std::string_view name = trimmed(row);
      if (name.empty()) sink.damaged(line);
      brick = !name.empty() && sink.source("gluster:", name);
      cumulative = false;
    } else if (row == "Cumulative Stats:") {
      cumulative = true;
    } else if (row.starts_with("Interval ") && row.ends_with("Stats:")) {
      cumulative = false;
    } else if (brick && cumulative && !put_row(row, sink)) {
      sink.damaged(line);
    }
  }
}

}  // namespace weir::monitor::detail
