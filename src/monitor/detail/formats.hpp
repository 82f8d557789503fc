#pragma once

#include <string_view>

#include "monitor/detail/sink.hpp"
#include "monitor/parsers.hpp"

// One parser a format, each in a file of its own under formats/. All take the text and the instance it is of
// (see monitor/parsers.hpp).
namespace weir::monitor::detail {

void parse_diskstats(std::string_view text, std::string_view instance, Sink& sink);
void parse_block_stat(std::string_view text, std::string_view instance, Sink& sink);
void parse_mountstats(std::string_view text, std::string_view instance, Sink& sink);
void parse_llite(std::string_view text, std::string_view instance, Sink& sink);
void parse_osc(std::string_view text, std::string_view instance, Sink& sink);
void parse_obdfilter(std::string_view text, std::string_view instance, Sink& sink);
void parse_mmpmon(std::string_view text, std::string_view instance, Sink& sink);
void parse_infiniband(std::string_view text, std::string_view instance, Sink& sink);
void parse_blkio_bytes(std::string_view text, std::string_view instance, Sink& sink);
void parse_blkio_operations(std::string_view text, std::string_view instance, Sink& sink);
void parse_io_stat(std::string_view text, std::string_view instance, Sink& sink);
void parse_gluster_text(std::string_view text, std::string_view instance, Sink& sink);
void parse_gluster_xml(std::string_view text, std::string_view instance, Sink& sink);
void parse_pressure(std::string_view text, std::string_view instance, Sink& sink);
void parse_processor(std::string_view text, std::string_view instance, Sink& sink);

using Parser = void (*)(std::string_view text, std::string_view instance, Sink& sink);
Parser parser_of(Format format);

}  // namespace weir::monitor::detail
