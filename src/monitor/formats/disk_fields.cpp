#include "monitor/formats/disk_fields.hpp"

#include "monitor/detail/text.hpp"

namespace weir::monitor::detail {
namespace {

constexpr double kSector = 512;  // in these files, whatever the device's own
constexpr double kTwoTo32 = 4294967296.0;
// Counts are the kernel's unsigned long. Times are printed as 32 bits of milliseconds on every kernel
// (block/genhd.c, diskstats_show()) and wrap after 49.7 days of waiting.
constexpr double kWordWraps = sizeof(unsigned long) == 4 ? kTwoTo32 : 0;

void put_count(Sink& sink, std::string_view name, std::uint64_t count) {
  sink.put({name}, number(count), {.wraps_at = kWordWraps});
}
void put_bytes(Sink& sink, std::string_view name, std::uint64_t sectors) {
  sink.put({name}, number(sectors) * kSector, {.wraps_at = kWordWraps * kSector});
}
void put_time(Sink& sink, std::string_view name, std::uint64_t milliseconds) {
  sink.put({name}, number(milliseconds) / 1e3, {.wraps_at = kTwoTo32 / 1e3});
}

}  // namespace

std::optional<DiskFields> read_disk_fields(std::string_view numbers) {
  DiskFields fields;
  while (fields.count < fields.values.size()) {
    const std::string_view word = next_word(numbers);
    if (word.empty()) break;
    const auto value = whole(word);
    if (!value) return std::nullopt;
    fields.values[fields.count++] = *value;
  }
  if (fields.count != 11 && fields.count != 15 && fields.count != 17) return std::nullopt;
  return fields;
}

void put_disk_fields(const DiskFields& fields, Sink& sink) {
  const auto& at = fields.values;
  put_count(sink, "read_operations", at[0]);
  put_count(sink, "read_merges", at[1]);
  put_bytes(sink, "read_bytes", at[2]);
  put_time(sink, "read_seconds", at[3]);
  put_count(sink, "write_operations", at[4]);
  put_count(sink, "write_merges", at[5]);
  put_bytes(sink, "write_bytes", at[6]);
  put_time(sink, "write_seconds", at[7]);
  sink.put({"in_flight"}, number(at[8]), {.total = false});
  put_time(sink, "busy_seconds", at[9]);
  put_time(sink, "queue_seconds", at[10]);
  if (fields.count < 15) return;
  put_count(sink, "discard_operations", at[11]);
  put_count(sink, "discard_merges", at[12]);
  put_bytes(sink, "discard_bytes", at[13]);
  put_time(sink, "discard_seconds", at[14]);
  if (fields.count < 17) return;
  put_count(sink, "flush_operations", at[15]);
  put_time(sink, "flush_seconds", at[16]);
}

}  // namespace weir::monitor::detail
