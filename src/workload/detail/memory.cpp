#include "workload/detail/memory.hpp"

#include <cerrno>

#include <fmt/format.h>
#include <sys/mman.h>

#include "base/units.hpp"

namespace weir::workload::detail {

Result<Memory> Memory::allocate(std::size_t size, Kind kind) {
  // Buffers are touched here, so that no page fault falls into the measured time.
  const int flags =
      MAP_ANONYMOUS | (kind == Kind::own ? MAP_PRIVATE | MAP_POPULATE : MAP_SHARED | MAP_NORESERVE);
  void* const begin = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (begin == MAP_FAILED)
    return Error::from_errno(errno, fmt::format("cannot have {} of memory", format_bytes(Bytes(size))))
        .with_remedy("use smaller records, a smaller depth or fewer workers");
  Memory memory;
  memory.begin_ = static_cast<std::byte*>(begin);
  memory.size_ = size;
  return memory;
}

Memory::~Memory() {
  if (begin_ != nullptr) ::munmap(begin_, size_);
}

}  // namespace weir::workload::detail
