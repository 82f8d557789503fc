#include <array>
#include <optional>

#include "monitor/detail/formats.hpp"
#include "monitor/detail/text.hpp"

namespace weir::monitor::detail {
namespace {

struct Field {
  std::string_view key;
  std::string_view name;
};

// Bytes and calls are the application's: GPFS counts what its page pool answers too. IBM Storage Scale,
// "Display I/O statistics per mounted file system".
constexpr std::array<Field, 8> kFields = {{
    {"_br_", "application_read_bytes"},
    {"_bw_", "application_write_bytes"},
    {"_oc_", "open_operations"},
    {"_cc_", "close_operations"},
    {"_rdc_", "application_read_operations"},
    {"_wc_", "application_write_operations"},
    {"_dir_", "readdir_operations"},
    {"_iu_", "inode_update_operations"},
}};

struct Record {
  std::string_view node, file_system;
  std::array<std::optional<std::uint64_t>, kFields.size()> values;
  std::optional<std::uint64_t> status, seconds, microseconds;
};

// Keys and values in turn. False when a number is none.
bool read_record(std::string_view rest, Record& record) {
  const auto numeric = [](std::string_view value, std::optional<std::uint64_t>& into) {
    into = whole(value);
    return into.has_value();
  };
  for (;;) {
    const std::string_view key = next_word(rest);
    if (key.empty()) return true;
    const std::string_view value = next_word(rest);
    bool good = !value.empty();
    if (key == "_nn_") record.node = value;
    if (key == "_fs_") record.file_system = value;
    if (key == "_rc_") good = numeric(value, record.status);
    if (key == "_t_") good = numeric(value, record.seconds);
    if (key == "_tu_") good = numeric(value, record.microseconds);
    for (std::size_t i = 0; i < kFields.size(); ++i)
      if (key == kFields[i].key) good = numeric(value, record.values[i]);
    if (!good) return false;
  }
}

}  // namespace

// A record a line. fs_io_s gives one for each mounted file system, io_s one for the node; a text with several
// answers to one request is read in order and the last counts.
void parse_mmpmon(std::string_view text, std::string_view /*instance*/, Sink& sink) {
  for (std::string_view line; next_line(text, line);) {
    std::string_view rest = line;
    const std::string_view kind = next_word(rest);
    if (kind.empty()) continue;
    const bool of_node = kind == "_io_s_";
    if (!of_node && kind != "_fs_io_s_") {
      if (kind.front() != '_') sink.damaged(line);
      continue;
    }
    Record record;
    const bool good = read_record(rest, record) && !record.node.empty() && record.status == 0U &&
                      record.values[0] && record.values[1] && (of_node || !record.file_system.empty());
    std::array<char, 256> instance{};
    const std::size_t length = record.node.size() + 1 + record.file_system.size();
    if (!good || length > instance.size()) {
      sink.damaged(line);
      continue;
    }
    auto* end = std::copy(record.node.begin(), record.node.end(), instance.data());
    if (!of_node) {
      *end++ = '/';
      end = std::copy(record.file_system.begin(), record.file_system.end(), end);
    }
    if (!sink.source(of_node ? "gpfs-node:" : "gpfs:",
                     {instance.data(), static_cast<std::size_t>(end - instance.data())}))
      continue;
    for (std::size_t i = 0; i < kFields.size(); ++i)
      if (record.values[i]) sink.put({kFields[i].name}, number(*record.values[i]));
    if (record.seconds)
      sink.put({"snapshot_seconds"}, number(*record.seconds) + number(record.microseconds.value_or(0)) / 1e6);
  }
}

}  // namespace weir::monitor::detail
