#include "proxy/own_calls.hpp"

#include "proxy/plan.hpp"

namespace weir::proxy {

using trace::Value;

bool tells_of_machine(std::string_view path) {
  return path.starts_with("/proc/") || path.starts_with("/sys/");
}

bool OwnCalls::is_made(const trace::Record& record, std::size_t stream) {
  const trace::Function& function = *record.function;
  if (record.depth > 0 || !why_not(function).empty()) return false;
  if (function.layer.starts_with("mpi")) {
    if (function.name == "MPI_Init" || function.name == "MPI_Init_thread") outside_ = false;
    const bool made = !outside_ || stream > 0;
    if (function.name == "MPI_Finalize") outside_ = true;
    return made;
  }
  if (function.layer != "posix" && function.layer != "stdio" && function.layer != "uring") return true;
  bool left_out = false;
  bool own_file = false;
  for (std::size_t i = 0; i < record.arguments.size(); ++i) {
    const Value& value = record.arguments[i];
    if (value.kind == Value::Kind::handle) {
      const auto known = handles_.find(value.handle);
      left_out =
          left_out || (known != handles_.end() ? known->second.left_out : tells_of_machine(value.text));
      own_file = own_file || (known != handles_.end() ? known->second.own : false);
    } else if (value.kind == Value::Kind::path && function.arguments[i].direction == Direction::in) {
      left_out = left_out || tells_of_machine(value.text);
      own_file = own_file || !record.failed();
    }
  }
  const bool made = !left_out && (own_file || !outside_ || stream > 0);
  if (function.closes)
    for (const Value& value : record.arguments)
      if (value.kind == Value::Kind::handle) handles_.erase(value.handle);
  if (record.result.kind == Value::Kind::opened) handles_[record.result.handle] = {made, !made};
  return made;
}

}  // namespace weir::proxy
