// What a process is charged with, and when.
//
// Reads are charged when they are sent to the device; what the page cache answers is not counted. They
// compare with the device's reads as they are.
//
// Buffered writes are charged when a page becomes dirty, not when it is written: the device sees the bytes
// later, perhaps after the run has ended, and written by a kernel thread that nobody is. Direct writes are
// charged when they are sent. A dirty page that is cut off before it was written (a benchmark that removes
// its file) is "cancelled"; written minus cancelled is therefore what the device has seen or will see, and
// the right side to compare with. It follows that
//   - the program's own count may exceed the device's: the rest is still in memory. The difference is then no
//     traffic of others, and judge() takes reads and writes apart so that it cannot hide others' reads;
//   - what was dirty before the run began, whoever wrote it, reaches the device during the run and is in
//   nobody's
//     count. It disturbs the run like any other traffic and is judged as such. Who does not want to be
//     disturbed by his own preparations or by his last run calls sync() before the watch starts;
//   - journals and inodes are written by kernel threads and charged to nobody (see
//   Limits::metadata_per_flush).
//
// A child's count is added to its parent's when the parent waits for it (Linux kernel/exit.c,
// wait_task_zombie()), so that ranks under a launcher under this process arrive here in the end. Children
// that still run are asked themselves.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/folders.hpp"
#include "monitor/detail/text.hpp"
#include "monitor/watch.hpp"

namespace weir::monitor {
namespace {

namespace fs = std::filesystem;
using detail::next_line;
using detail::next_word;

constexpr int kDeepest = 64;
constexpr std::size_t kMost = 100'000;

std::optional<Traffic> parse_io(std::string_view text) {
  std::optional<std::uint64_t> read, written, cancelled;
  Bytes asked_to_read, asked_to_write;
  for (std::string_view line; next_line(text, line);) {
    const std::string_view key = next_word(line);
    const auto value = detail::whole(next_word(line));
    if (key == "rchar:") asked_to_read = Bytes(value.value_or(0));
    if (key == "wchar:") asked_to_write = Bytes(value.value_or(0));
    if (key == "read_bytes:") read = value;
    if (key == "write_bytes:") written = value;
    if (key == "cancelled_write_bytes:") cancelled = value;
  }
  if (!read || !written || !cancelled) return std::nullopt;
  return Traffic{.read = Bytes(*read),
                 .written = Bytes(*written - std::min(*written, *cancelled)),
                 .asked_to_read = asked_to_read,
                 .asked_to_write = asked_to_write};
}

// Adds the living children of a process, and theirs.
void add_children(const fs::path& proc, const fs::path& process, int depth, std::size_t& seen, Traffic& sum) {
  for (const std::string& thread : names_in(process / "task")) {
    const auto children = read_text(process / "task" / thread / "children", 1 << 20);
    if (!children) continue;
    std::string_view rest = *children;
    for (std::string_view pid; !(pid = next_word(rest)).empty();) {
      if (!detail::whole(pid) || depth >= kDeepest || ++seen > kMost) continue;
      const fs::path child = proc / pid;
      const auto text = read_text(child / "io", 1 << 16);  // not readable: it has ended, or is another user's
      const auto traffic = text ? parse_io(*text) : std::nullopt;
      if (!traffic) continue;
      sum.read += traffic->read;
      sum.written += traffic->written;
      sum.asked_to_read += traffic->asked_to_read;
      sum.asked_to_write += traffic->asked_to_write;
      add_children(proc, child, depth + 1, seen, sum);
    }
  }
}

Bytes difference(Bytes now, Bytes before) { return now > before ? now - before : Bytes(0); }

Result<Traffic> traffic_below(const fs::path& root, const std::string& process) {
  const fs::path self = root / "proc" / process;
  const auto text = read_text(self / "io", 1 << 16);
  if (!text)
    return text.error().with_remedy("a kernel with CONFIG_TASK_IO_ACCOUNTING counts a process's traffic");
  auto traffic = parse_io(*text);
  if (!traffic)
    return Error{Errc::bad_data, "no read_bytes, write_bytes, cancelled_write_bytes"}.in(
        (self / "io").string());
  std::size_t seen = 0;
  add_children(root / "proc", self, 0, seen, *traffic);
  return *traffic;
}

}  // namespace

Traffic Traffic::since(const Traffic& earlier) const {
  return {.read = difference(read, earlier.read),
          .written = difference(written, earlier.written),
          .asked_to_read = difference(asked_to_read, earlier.asked_to_read),
          .asked_to_write = difference(asked_to_write, earlier.asked_to_write)};
}

Result<Traffic> own_traffic(const fs::path& root) { return traffic_below(root, "self"); }

Result<Traffic> traffic_of(int process, const fs::path& root) {
  return traffic_below(root, fmt::to_string(process));
}

}  // namespace weir::monitor
