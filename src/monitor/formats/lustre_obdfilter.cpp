#include "monitor/detail/formats.hpp"
#include "monitor/formats/lustre_lines.hpp"

namespace weir::monitor::detail {
namespace {

void put(const LustreLine& line, Sink& sink) {
  if (line.name == "read_bytes") return put_lustre_bytes(line, "read", sink);
  if (line.name == "write_bytes") return put_lustre_bytes(line, "write", sink);
  if (line.name == "read") return put_lustre_time(line, "read", sink);
  if (line.name == "write") return put_lustre_time(line, "write", sink);
  put_lustre_call(line, sink);
}

}  // namespace

// What one target of this server moves for all its clients.
void parse_obdfilter(std::string_view text, std::string_view instance, Sink& sink) {
  if (sink.source("lustre-obdfilter:", instance)) parse_lustre(text, sink, put);
}

}  // namespace weir::monitor::detail
