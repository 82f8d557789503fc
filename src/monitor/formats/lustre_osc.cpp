#include "monitor/detail/formats.hpp"
#include "monitor/formats/lustre_lines.hpp"

namespace weir::monitor::detail {
namespace {

void put(const LustreLine& line, Sink& sink) {
  if (line.name == "read_bytes") return put_lustre_bytes(line, "read", sink);
  if (line.name == "write_bytes") return put_lustre_bytes(line, "write", sink);
  if (line.name == "ost_read") return put_lustre_time(line, "read", sink);
  if (line.name == "ost_write") return put_lustre_time(line, "write", sink);
  put_lustre_call(line, sink);
}

}  // namespace

// RPCs from this client to one target: what crosses the network. ost_read and ost_write hold their time.
void parse_osc(std::string_view text, std::string_view instance, Sink& sink) {
  if (sink.source("lustre-osc:", instance)) parse_lustre(text, sink, put);
}

}  // namespace weir::monitor::detail
