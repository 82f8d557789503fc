#pragma once

#include <optional>
#include <string_view>
#include <tuple>

#include <mpi.h>

#include "base/clock.hpp"
#include "capture/mpi/pmpi.hpp"
#include "capture/slices/counters.hpp"

namespace weir {

// Counts calls of MPI-IO in slices. What they do to files is counted by the C library's shims besides, in a
// layer of its own.
struct MpiSliceHandler {
  template <Call C, class Real, class... Args>
  static auto around(Real real, Args... args) {
    constexpr auto operation = kind(C);
    if constexpr (!operation) {
      return real(args...);
    } else {
      using capture::SliceCounters;
      if (!SliceCounters::counting()) [[unlikely]]
        return real(args...);
      const std::int64_t begin = Clock::wall().count;
      const int result = real(args...);
      SliceCounters::add(trace::slices::Layer::mpiio, *operation, begin, Clock::wall().count,
                         result == MPI_SUCCESS ? bytes_of<C>(args...) : 0);
      return result;
    }
  }

 private:
  using Operation = trace::slices::Operation;

  static constexpr std::optional<Operation> kind(Call call) {
    const std::string_view called = name(info(call).means);
    // The second half of a call in two: the first has its bytes.
    if (called.ends_with("_end")) return std::nullopt;
    if (called == "MPI_File_open") return Operation::open;
    if (called == "MPI_File_close") return Operation::close;
    if (called == "MPI_File_sync") return Operation::sync;
    if (called == "MPI_File_delete") return Operation::names;
    for (const std::string_view read : {"MPI_File_read", "MPI_File_iread"})
      if (called.starts_with(read)) return Operation::read;
    for (const std::string_view write : {"MPI_File_write", "MPI_File_iwrite"})
      if (called.starts_with(write)) return Operation::write;
    return std::nullopt;
  }

  template <Call C, class... Args>
  static std::uint64_t bytes_of(Args... args) {
    constexpr std::size_t count = find_argument(C, "count"), type = find_argument(C, "datatype");
    if constexpr (count < sizeof...(Args) && type < sizeof...(Args)) {
      const auto all = std::make_tuple(args...);
      int size = 0;
      const auto type_size = WEIR_PMPI(Type_size);
      if (type_size == nullptr || type_size(std::get<type>(all), &size) != MPI_SUCCESS || size <= 0) return 0;
      const auto items = std::get<count>(all);
      return items > 0 ? static_cast<std::uint64_t>(items) * static_cast<std::uint64_t>(size) : 0;
    } else {
      return 0;
    }
  }
};

using Handler = MpiSliceHandler;

}  // namespace weir
