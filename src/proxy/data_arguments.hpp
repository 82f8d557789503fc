#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "proxy/dynamic_call.hpp"
#include "proxy/runtime/world.hpp"
#include "trace/record.hpp"

namespace weir::proxy {

// What a call of HDF5, NetCDF or PnetCDF is given, as it was recorded, and what it leaves behind. Their
// objects are numbers, kept by those they have in the trace; objects of MPI are not added here.
class DataArguments {
 public:
  using Steps = std::vector<std::function<void()>>;

  // Arguments go to `call`; what is to be done behind it is added to `after`.
  DataArguments(weir_proxy::Stream& stream, const trace::Record& record, DynamicCall& call, Steps& after)
      : stream_(stream), record_(record), call_(call), after_(after) {}

  void add(std::size_t at);
  // Compares how the call ended, and keeps the object it made.
  void check(std::int64_t got);

 private:
  void add_object(std::size_t at);
  void add_objects(std::size_t at);
  void add_numbers(std::size_t at);
  void add_lists(std::size_t at);
  void add_number(std::size_t at);
  void add_real(std::size_t at);
  void add_path(std::size_t at);
  void add_text(std::size_t at);
  void add_nothing(std::size_t at);
  void put_number(std::size_t at, std::size_t item, std::int64_t number);
  std::int64_t number_at(std::size_t at, std::size_t item);
  std::int64_t number_of(std::size_t at) const;  // that the object of this argument is

  const Argument& about(std::size_t at) const { return record_.function->arguments[at]; }
  const trace::Value& value(std::size_t at) const { return record_.arguments[at]; }
  void* out(std::size_t at) { return stream_.out(static_cast<int>(at)); }

  weir_proxy::Stream& stream_;
  const trace::Record& record_;
  DynamicCall& call_;
  Steps& after_;
};

// Of a C type ("hsize_t"), where its values stand one behind the other.
std::size_t bytes_of_item(std::string_view type);

}  // namespace weir::proxy
