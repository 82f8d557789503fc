#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "proxy/data_arguments.hpp"
#include "proxy/dynamic_call.hpp"
#include "proxy/mpi/constants.hpp"
#include "proxy/runtime/mpi_world.hpp"
#include "trace/record.hpp"

namespace weir::proxy::mpi {

// One call of MPI as it was recorded, or of a library for data that uses it: its arguments, the call, and
// what it leaves.
class OneCall {
 public:
  OneCall(weir_proxy::Stream& stream, const trace::Record& record);

  void make();

 private:
  void add(std::size_t at);
  void add_object(std::size_t at);
  void add_objects(std::size_t at);
  void add_file(std::size_t at);
  void add_status(std::size_t at);
  void add_numbers(std::size_t at);
  void add_number(std::size_t at);
  void add_name(std::size_t at);
  void add_text(std::size_t at);
  void add_path(std::size_t at);
  void add_nothing(std::size_t at);
  // A handle by value, or where one stands.
  void add_handle(std::size_t at, Handle& handle);
  void put_number(std::size_t at, std::size_t item, std::int64_t value);
  std::size_t bytes_of_number(std::size_t at) const;

  void wait_as_recorded();
  void wait_for_message();
  void check(std::int64_t got);

  const Argument& about(std::size_t at) const { return record_.function->arguments[at]; }
  const trace::Value& value(std::size_t at) const { return record_.arguments[at]; }
  void* out(std::size_t at) { return stream_.out(static_cast<int>(at)); }

  weir_proxy::Stream& stream_;
  const trace::Record& record_;
  const bool of_mpi_;
  DynamicCall call_;
  DataArguments::Steps after_;
  DataArguments data_;
  MPI_Request* requests_ = nullptr;
  int request_count_ = 0;
};

// "MPI_Comm" of "const MPI_Comm*".
std::string_view item_type(std::string_view type);
bool is_address(std::string_view type);

}  // namespace weir::proxy::mpi
