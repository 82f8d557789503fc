#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>

#include "burst/backing.hpp"
#include "burst/segment_reader.hpp"

namespace weir::burst {

// Bytes of segments become bytes of a file in the backing directory, which is made if it is missing, at least
// as long as its attributes say afterwards, and synced, its name too. 0 or errno: ESTALE when a segment is
// gone.
struct FileToWrite {
  std::string path;
  Attributes attributes;    // it gets them
  bool in_backing = false;  // was written out before, its name with it
};
int write_out(const Backing& backing, const FileToWrite& file, std::span<const Extent> extents,
              SegmentReader& segments);

// A file of the backing directory gets these names too, in place of what has them, synced. 0 or errno.
int put_links(const Backing& backing, const std::string& file, const std::set<std::string>& names);

}  // namespace weir::burst
