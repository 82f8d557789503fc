#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace weir::consistency {

// What a process does to a file that a model may give a meaning to. One word stands for all calls that do the
// same: `open` for creat() and openat(), `close` for close_range() and for what happens when a process ends.
enum class Operation : std::uint8_t {
  write,      // each write by itself, when it is complete
  open,       // open() and its like
  close,      // close() and its like, the end of the process
  fopen,      // a stream is opened
  fclose,     // a stream is closed
  fflush,     // a stream is flushed
  fsync,      // fsync()
  fdatasync,  // fdatasync()
  sync,       // sync(), syncfs(): all files
  msync,      // of a mapping
  mpi_open,   // MPI_File_open
  mpi_close,  // MPI_File_close
  mpi_sync,   // MPI_File_sync
  laminate,   // the file is made read-only for good (chmod without write permission, UnifyFS)
};

inline constexpr std::size_t kOperations = 14;

std::string_view name(Operation operation);  // as model files write it
std::optional<Operation> find_operation(std::string_view name);
// All names, for an error message: "write, open, close, ...".
std::string list_of_operations();

// A set of operations.
class Operations {
 public:
  constexpr Operations() = default;
  constexpr Operations(std::initializer_list<Operation> list) {
    for (const Operation one : list) add(one);
  }

  constexpr void add(Operation one) { bits_ |= bit(one); }
  constexpr bool has(Operation one) const { return (bits_ & bit(one)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr std::uint32_t bits() const { return bits_; }
  constexpr Operations without(Operation one) const {
    Operations rest = *this;
    rest.bits_ &= ~bit(one);
    return rest;
  }
  friend constexpr bool operator==(const Operations&, const Operations&) = default;

 private:
  static constexpr std::uint32_t bit(Operation one) { return std::uint32_t{1} << static_cast<unsigned>(one); }

  std::uint32_t bits_ = 0;
};

}  // namespace weir::consistency
