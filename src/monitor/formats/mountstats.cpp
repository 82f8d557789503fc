#include <array>
#include <cctype>

#include "monitor/detail/formats.hpp"
#include "monitor/detail/text.hpp"

namespace weir::monitor::detail {
namespace {

template <std::size_t N>
struct Numbers {
  std::array<std::uint64_t, N> at{};
  std::size_t count = 0;
  bool good = true;
};

// Up to N numbers; further words are left alone.
template <std::size_t N>
Numbers<N> numbers(std::string_view rest) {
  Numbers<N> found;
  while (found.count < N) {
    const std::string_view word = next_word(rest);
    if (word.empty()) break;
    const auto value = whole(word);
    if (!value) {
      found.good = false;
      break;
    }
    found.at[found.count++] = *value;
  }
  return found;
}

// "device SERVER:/EXPORT mounted on POINT with fstype nfs4 ..."; anything else gives an empty view.
std::string_view nfs_mount(std::string_view line) {
  for (std::string_view word; word != "on";) {
    word = next_word(line);
    if (word.empty()) return {};
  }
  const std::string_view point = next_word(line);
  if (next_word(line) != "with" || next_word(line) != "fstype") return {};
  const std::string_view type = next_word(line);
  return type == "nfs" || type == "nfs4" ? point : std::string_view{};
}

// normal read, normal written, direct read, direct written, server read, server written, pages.
void put_bytes(std::string_view line, std::string_view rest, Sink& sink) {
  const auto found = numbers<8>(rest);
  if (!found.good || found.count < 6) return sink.damaged(line);
  sink.put({"application_read_bytes"}, number(found.at[0]) + number(found.at[2]));
  sink.put({"application_write_bytes"}, number(found.at[1]) + number(found.at[3]));
  sink.put({"read_bytes"}, number(found.at[4]));
  sink.put({"write_bytes"}, number(found.at[5]));
}

// operations, transmissions, timeouts, bytes sent, bytes received, then milliseconds queued, on the wire and
// in all; newer kernels add errors. Linux net/sunrpc/stats.c, rpc_clnt_show_stats().
void put_operation(std::string_view line, std::string_view operation, std::string_view rest, Sink& sink) {
  const auto found = numbers<9>(rest);
  std::array<char, 32> lower{};
  if (!found.good || found.count < 8 || operation.empty() || operation.size() > lower.size())
    return sink.damaged(line);
  const bool main = operation == "READ" || operation == "WRITE";
  const auto& at = found.at;
  if (at[0] == 0 && !main) return;  // a kernel has seventy of them; who appears later counts from 0
  for (std::size_t i = 0; i < operation.size(); ++i)
    lower[i] = static_cast<char>(std::tolower(static_cast<unsigned char>(operation[i])));
  const std::string_view stem(lower.data(), operation.size());
  sink.add({stem, "_operations"}, number(at[0]));
  sink.add({stem, "_seconds"}, number(at[7]) / 1e3);
  if (main) sink.add({stem, "_network_seconds"}, number(at[6]) / 1e3);
  sink.add({"retransmissions"}, at[1] > at[0] ? number(at[1] - at[0]) : 0);
  sink.add({"timeouts"}, number(at[2]));
  sink.add({"sent_bytes"}, number(at[3]));
  sink.add({"received_bytes"}, number(at[4]));
  if (found.count == 9) sink.add({"errors"}, number(at[8]));
}

}  // namespace

void parse_mountstats(std::string_view text, std::string_view /*instance*/, Sink& sink) {
  bool wanted = false, operations = false;
  for (std::string_view line; next_line(text, line);) {
    std::string_view rest = line;
    const std::string_view first = next_word(rest);
    if (!line.empty() && line.front() != ' ' && line.front() != '\t') {
      const std::string_view mount = nfs_mount(line);
      operations = false;
      wanted = !mount.empty() && sink.source("nfs:", mount);
      if (first != "device" && first != "no") sink.damaged(line);
    } else if (!wanted || first.empty()) {
      continue;
    } else if (first == "bytes:") {
      put_bytes(line, rest, sink);
    } else if (first == "per-op") {
      operations = true;
    } else if (operations) {
      if (first.ends_with(':'))
        put_operation(line, first.substr(0, first.size() - 1), rest, sink);
      else
        sink.damaged(line);
    }
  }
}

}  // namespace weir::monitor::detail
