#pragma once

#include <string_view>

#include "monitor/counters.hpp"

namespace weir::monitor {

// The texts that are understood.
enum class Format {
  diskstats,         // /proc/diskstats: 14, 18 or 20 fields
  block_stat,        // /sys/block/NAME/stat: 11, 15 or 17 fields
  mountstats,        // /proc/self/mountstats: NFS, 8 or 9 columns an operation
  lustre_llite,      // llite/*/stats: what programs ask of a mount, cache included
  lustre_osc,        // osc/*/stats: RPCs of this client to one target
  lustre_obdfilter,  // obdfilter/*/stats: what a target of this server does
  mmpmon,            // GPFS: mmpmon -p, the requests fs_io_s and io_s
  infiniband,        // ports/N/counters/*: a line "FILE CONTENT" each
  blkio_bytes,       // control group version 1: blkio.throttle.io_service_bytes
  blkio_operations,  // likewise: blkio.throttle.io_serviced
  io_stat,           // control group version 2: io.stat
  gluster_text,      // gluster volume profile NAME info
  gluster_xml,       // the same with --xml
  pressure,          // /proc/pressure/*
  processor,         // /proc/stat
};
inline constexpr std::size_t kFormats = 15;

std::string_view name(Format format);

// The counters in `text`. `instance` is the part of the source's name that the text does not hold: the disk
// ("sda" of block_stat), the mount or target (Lustre), adapter and port (InfiniBand), the resource ("io" of
// pressure). A line whose numbers are missing, negative, too large or no numbers is skipped as a whole and
// counted as damaged; lines of no interest are passed over.
Parsed parse(Format format, std::string_view text, std::string_view instance = {});

}  // namespace weir::monitor
