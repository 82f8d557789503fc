#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace weir::proxy::mpi {

// A handle as memory has it, whatever its width: pointers with Open MPI, numbers with MPICH. Its address is
// that of the handle.
struct Handle {
  alignas(std::uint64_t) unsigned char bytes[sizeof(std::uint64_t)] = {};

  template <class T>
  static Handle of(T value) {
    // NOLINTBEGIN(bugprone-sizeof-expression): that the handle is a pointer is what is kept
    static_assert(sizeof(T) <= sizeof bytes);
    Handle made;
    std::memcpy(made.bytes, &value, sizeof(T));
    // NOLINTEND(bugprone-sizeof-expression)
    return made;
  }
};

// Of a type such as "MPI_Comm".
std::size_t bytes_of_handle(std::string_view type);
// As a number that a call is given by value.
std::int64_t value_of(std::string_view type, const Handle& handle);
Handle handle_of(std::string_view type, std::int64_t value);

Handle null_of(std::string_view type);
// What a name stands for: MPI_COMM_WORLD; MPI_ANY_SOURCE; MPI_IN_PLACE. Empty if it is none of MPI's.
std::optional<Handle> find_object(std::string_view name);
std::optional<std::int64_t> find_number(std::string_view name);
std::optional<const void*> find_address(std::string_view name);

// A function in place of the program's, of a type such as "MPI_User_function": it does nothing.
const void* find_function(std::string_view type);

}  // namespace weir::proxy::mpi
