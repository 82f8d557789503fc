#pragma once

#include <span>
#include <vector>

#include "burst/client/file.hpp"

namespace weir::burst {

// One read: finds for each byte whose it is (own unpublished, then seen, then the backing file, then zero)
// and brings it.
class FileReader {
 public:
  FileReader(FileSystem& system, File& file) : system_(system), file_(file) {}

  // `seen`: whose the bytes were; none of the backing file's.
  Transfer read(std::span<std::byte> into, std::uint64_t offset, std::vector<Extent>* seen = nullptr);
  // The file will presumably be read from its beginning to its end; whether anything was to be done for that.
  bool expect();
  // Brings the bytes of these extents; `into` begins at byte `offset` of the file. ESTALE when a place is
  // gone.
  int bring(const std::vector<Extent>& extents, std::span<std::byte> into, std::uint64_t offset);

 private:
  struct Plan {
    std::uint64_t bytes = 0;  // that there are to read
    std::vector<Extent> buffered;
    std::vector<Span> holes;
    std::vector<Extent> ahead;  // what the next reads will bring
  };
  Plan plan(std::uint64_t length, std::uint64_t offset);
  // Whose the bytes are; the file's mutex is held.
  void assign(Span bytes, Plan& plan);
  std::vector<Extent> look_ahead(Span bytes);
  int fill_holes(const std::vector<Span>& holes, std::span<std::byte> into, std::uint64_t offset);
  int bring_from_peers(std::uint32_t node, const std::vector<Extent>& extents, std::span<std::byte> into,
                       std::uint64_t offset);

  FileSystem& system_;
  File& file_;
};

}  // namespace weir::burst
