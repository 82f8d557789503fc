#include "proxy/canonical.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "calls/call.hpp"
#include "trace/spelling.hpp"

namespace weir::proxy {

using trace::Value;

bool tells_outcome(const trace::Function& function) {
  const auto call = find_call(function.name);
  return (call && info(*call).completes) || function.name == "MPI_Iprobe" || function.name == "MPI_Improbe" ||
         function.name == "MPI_Request_get_status" || function.name == "MPI_Win_test";
}

std::uint64_t Canonical::number_of(std::string_view kind, std::int64_t id) {
  const auto [at, is_new] = numbers_.try_emplace({std::string(kind), id}, 0);
  if (is_new) at->second = next_[std::string(kind)]++;
  return at->second;
}

std::string_view Canonical::below_root(std::string_view path) const {
  if (!root_.empty() && path.starts_with(root_) &&
      (path.size() == root_.size() || path[root_.size()] == '/')) {
    path.remove_prefix(root_.size());
    if (path.empty()) return "/";
  }
  return path;
}

bool Canonical::is_elsewhere(const trace::Record& record) {
  if (root_.empty()) return false;
  const bool elsewhere =
      std::any_of(record.arguments.begin(), record.arguments.end(), [&](const Value& value) {
        if (value.kind == Value::Kind::handle) return elsewhere_.contains(value.handle);
        return value.kind == Value::Kind::path && value.text.starts_with('/') &&
               !value.text.starts_with("/dev/") && below_root(value.text).size() == value.text.size();
      });
  if (record.function->closes)
    for (const Value& value : record.arguments)
      if (value.kind == Value::Kind::handle) elsewhere_.erase(value.handle);
  if (record.result.kind == Value::Kind::opened) {
    if (elsewhere)
      elsewhere_.insert(record.result.handle);
    else
      elsewhere_.erase(record.result.handle);
  }
  return elsewhere;
}

void Canonical::put_value(const trace::Function& function, const Argument& about, const Value& value) {
  constexpr std::int64_t kAddress = std::int64_t{1} << 40;
  const auto put = [&](auto format, const auto&... given) {
    fmt::format_to(std::back_inserter(out_), fmt::runtime(format), given...);
  };
  const auto put_number = [&](std::int64_t number) {
    const bool may_be_address = about.role == Role::displacement || about.role == Role::buffer ||
                                about.role == Role::value || about.role == Role::varargs;
    if (may_be_address && (number > kAddress || number < -kAddress))
      out_ += "address";
    else
      put("{}", number);
  };
  const bool is_object = trace::is_object(function.layer, about.role);
  const auto put_object = [&](std::int64_t id) {
    put("{}#{}", name(about.role), number_of(name(about.role), id));
  };
  switch (value.kind) {
    case Value::Kind::number:
      // Addresses and the like in out arguments are the machine's.
      put_number(value.number);
      break;
    case Value::Kind::text:
      if (trace::names_memory(about.role, value.text))
        out_ += "...";  // a proxy has its own
      else
        put("\"{}\"", value.text);
      break;
    case Value::Kind::path:
      if (about.direction == Direction::inout)
        out_ += "made up";
      else
        put("\"{}\"", below_root(value.text));
      break;
    case Value::Kind::handle:
      put("file#{}", number_of("file", value.handle));
      break;
    case Value::Kind::opened:
      numbers_.erase({"file", value.handle});
      put("new file#{}", number_of("file", value.handle));
      break;
    case Value::Kind::pair:
      out_ += "new pair";
      break;
    case Value::Kind::failed:
      put("failed {}", value.number);
      break;
    case Value::Kind::object:
      put_object(value.number);
      break;
    case Value::Kind::status:
      put("from {} tag {}", value.number, value.second);
      break;
    case Value::Kind::list:
      out_ += '[';
      for (const trace::ListItem& item : value.items) {
        if (item.kind == trace::ListItem::Kind::name)
          put("{}, ", item.text);
        else if (item.kind == trace::ListItem::Kind::nothing)
          out_ += "nothing, ";
        else if (item.kind == trace::ListItem::Kind::list)
          put("{}: ", item.number);
        else if (is_object || about.role == Role::request)
          put_object(item.number), out_ += ", ";
        else
          put_number(item.number), out_ += ", ";
      }
      out_ += ']';
      break;
    case Value::Kind::null:
      out_ += "NULL";
      break;
    case Value::Kind::unfinished:
      out_ += "unfinished";
      break;
    case Value::Kind::absent:
      out_ += "...";
      break;
  }
}

std::string Canonical::text(const trace::Record& record) {
  const trace::Function& function = *record.function;
  out_ = function.name;
  out_ += '(';
  for (std::size_t i = 0; i < record.arguments.size(); ++i) {
    if (i > 0) out_ += ", ";
    put_value(function, function.arguments[i], record.arguments[i]);
  }
  out_ += ") = ";
  const Argument result{"", function.result_type, function.result, Direction::out, {}, 1};
  const bool is_process = function.means == "fork" || function.means == "vfork";
  if (is_process && record.result.kind == Value::Kind::number)
    out_ += record.result.number == 0 ? "0" : "process";
  else
    put_value(function, result, record.result);
  return out_;
}

}  // namespace weir::proxy
