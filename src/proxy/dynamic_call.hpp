#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include <ffi.h>

namespace weir::proxy {

// A call of a function that is known by its name and the C types of its arguments only.
class DynamicCall {
 public:
  void add(std::string_view type, std::int64_t value);
  void add_pointer(const void* value);
  // Of type double or float.
  void add_real(std::string_view type, double value);
  // What follows is passed in place of '...'.
  void begin_variable() { fixed_ = types_.size(); }

  // Handles of MPI (MPI_Comm) are as wide as this; there are none in a program without MPI.
  static void set_mpi_handles(std::size_t bytes) { mpi_handle_bytes_ = bytes; }

  // False if there is no such function. The result as a number; a pointer as its address.
  bool make(const std::string& name, std::string_view result_type, std::int64_t& result);

 private:
  static ffi_type* type_of(std::string_view type);

  static inline std::size_t mpi_handle_bytes_ = 8;

  union Slot {
    std::int64_t number;
    std::int32_t narrow;
    const void* pointer;
    double real;
    float narrow_real;
  };

  std::vector<ffi_type*> types_;
  std::deque<Slot> values_;
  std::size_t fixed_ = SIZE_MAX;
};

}  // namespace weir::proxy
