#include "monitor/detail/formats.hpp"
#include "monitor/formats/lustre_lines.hpp"

namespace weir::monitor::detail {
namespace {

void put(const LustreLine& line, Sink& sink) {
  if (line.name == "read_bytes") return put_lustre_bytes(line, "application_read", sink);
  if (line.name == "write_bytes") return put_lustre_bytes(line, "application_write", sink);
  if (line.name == "read") return put_lustre_time(line, "application_read", sink);
  if (line.name == "write") return put_lustre_time(line, "application_write", sink);
  put_lustre_call(line, sink);
}

}  // namespace

// What programs ask of the file system: reads answered from the cache are counted too.
// "read" and "write", where a version has them, hold the time of the calls that read_bytes and write_bytes
// count.
void parse_llite(std::string_view text, std::string_view instance, Sink& sink) {
  if (sink.source("lustre-llite:", instance)) parse_lustre(text, sink, put);
}

}  // namespace weir::monitor::detail
