#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/dynamic_call.hpp"
#include "proxy/replay_library.hpp"
#include "proxy/runtime/fit.hpp"
#include "trace/record.hpp"
#include "trace/tables.hpp"

namespace weir::proxy {

// Makes the records of one stream, given as the program saw them.
class ReplayMaker {
 public:
  // Without a library its calls are none that can be made.
  ReplayMaker(weir_proxy::Stream& stream, const trace::Tables& tables, ReplayLibrary* library)
      : stream_(stream), tables_(tables), library_(library) {}

  void make(const trace::Record& record, std::int64_t gap_ns);

 private:
  bool passes();
  void call();
  void add(DynamicCall& made, std::size_t at);
  void add_number(DynamicCall& made, std::size_t at);
  void add_nothing(DynamicCall& made, std::size_t at);
  void add_varargs(DynamicCall& made, std::size_t at);
  const void* line(std::string_view type, std::int64_t length);
  const void* path(std::size_t at);
  const void* text(std::size_t at);
  void differs(const std::string& how);
  void check(std::int64_t got);
  bool opened(std::int64_t got);
  void open_pair(std::size_t at);

  weir_proxy::Stream& stream_;
  const trace::Tables& tables_;
  ReplayLibrary* library_;
  const trace::Record* record_ = nullptr;
  std::string recorded_name_;
  std::string format_;
  std::optional<weir_proxy::Fit> fit_;
};

}  // namespace weir::proxy
