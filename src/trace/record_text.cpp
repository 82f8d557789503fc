#include "trace/record_text.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include <fcntl.h>

#include "trace/spelling.hpp"

namespace weir::trace {
namespace {

// Texts that are numbers of 8 bytes each: lengths of buffers; descriptor, operation, offset, length and
// address of an asynchronous request; operation, descriptor, offset and length of what was submitted to a
// ring.
bool is_numbers(const Function& function, const Argument& argument) {
  if (argument.role == Role::request) return !is_object(function.layer, argument.role);
  return argument.role == Role::vector || argument.role == Role::ring;
}

// Texts that are names of what is predefined, MPI_COMM_WORLD, MPI_ANY_SOURCE, or of memory.
bool is_name(const Function& function, const Argument& argument) {
  return argument.role == Role::rank || argument.role == Role::tag || argument.role == Role::buffer ||
         is_object(function.layer, argument.role);
}

using Buffer = fmt::memory_buffer;

void append(Buffer& out, std::string_view text) { out.append(text.data(), text.data() + text.size()); }

void append_number(Buffer& out, std::int64_t value) {
  const fmt::format_int digits(value);
  out.append(digits.data(), digits.data() + digits.size());
}

void append_hex(Buffer& out, std::int64_t value) {
  fmt::format_to(fmt::appender(out), "{:#x}", static_cast<std::uint64_t>(value));
}

void append_handle(Buffer& out, std::int64_t descriptor, std::string_view name) {
  if (descriptor >= 0) append_number(out, descriptor);
  if (name.empty()) {
    if (descriptor < 0) out.push_back('?');
    return;
  }
  const bool made_up = name.size() > 2 && name.front() == '<' && name.back() == '>';  // "<pipe>"
  if (!made_up) out.push_back('<');
  append_escaped(out, name);
  if (!made_up) out.push_back('>');
}

// "comm#3"
void append_object(Buffer& out, Role role, std::int64_t id) {
  append(out, role == Role::communicator ? std::string_view("comm") : name(role));
  out.push_back('#');
  append_number(out, id);
}

template <class Items, class Each>
void append_items(Buffer& out, const Items& items, Each&& each) {
  out.push_back('[');
  bool first = true;
  for (const auto& item : items) {
    if (!first) append(out, ", ");
    first = false;
    each(item);
  }
  out.push_back(']');
}

// The same for items of which some may be lists themselves.
template <class Each>
void append_list(Buffer& out, std::span<const ListItem> items, Each&& each) {
  out.push_back('[');
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) append(out, ", ");
    if (items[i].kind == ListItem::Kind::list) {
      const auto inside = items.subspan(i + 1, static_cast<std::size_t>(items[i].number));
      append_items(out, inside, each);
      i += inside.size();
    } else {
      each(items[i]);
    }
  }
  out.push_back(']');
}

void append_value(Buffer& out, const Function& function, const Argument& argument, std::int64_t value) {
  switch (argument.role) {
    case Role::mode:
      return append_mode(out, value);
    case Role::whence:
      return append_whence(out, value);
    case Role::directory:
      return value == AT_FDCWD ? append(out, "AT_FDCWD") : append_number(out, value);
    case Role::buffer:
      return append_hex(out, value);
    case Role::flags:
      if (append_symbol(out, function.means, argument.name, value)) return;
      return value == 0 ? out.push_back('0') : append_hex(out, static_cast<std::uint32_t>(value));
    case Role::command:
      if (append_symbol(out, function.means, argument.name, value)) return;
      return value > 0xff ? append_hex(out, value) : append_number(out, value);
    default:
      return append_number(out, value);
  }
}

void append_argument(Buffer& out, const Function& function, const Argument& argument, const Value& value) {
  switch (value.kind) {
    case Value::Kind::null:
      return append(out, "NULL");
    case Value::Kind::number:
      return append_value(out, function, argument, value.number);
    case Value::Kind::path:
      return append_quoted(out, value.text);
    case Value::Kind::object:
      return append_object(out, argument.role, value.number);
    case Value::Kind::status:
      fmt::format_to(fmt::appender(out), "{{{}, {}}}", value.number, value.second);
      return;
    case Value::Kind::list:
      return append_list(out, value.items, [&](const ListItem& item) {
        if (item.kind == ListItem::Kind::nothing) return append(out, "NULL");
        if (item.kind == ListItem::Kind::name) return append_escaped(out, item.text);
        if (is_object(function.layer, argument.role)) return append_object(out, argument.role, item.number);
        append_number(out, item.number);
      });
    case Value::Kind::text:
      if (is_name(function, argument)) return append_escaped(out, value.text);
      if (is_numbers(function, argument))
        return append_items(out, split_lengths(value.text), [&](std::uint64_t length) {
          append_number(out, static_cast<std::int64_t>(length));
        });
      if (argument.role == Role::time)
        return append_items(out, split_times(argument, value.text), [&](std::int64_t time) {
          fmt::format_to(fmt::appender(out), "{}.{:09}", time / 1'000'000'000, time % 1'000'000'000);
        });
      if (is_list(argument))
        return append_items(out, split_list(value.text),
                            [&](std::string_view text) { append_quoted(out, text); });
      return append_quoted(out, value.text);
    case Value::Kind::handle:
    case Value::Kind::opened:
      return append_handle(out, value.number, value.text);
    case Value::Kind::pair:
      fmt::format_to(fmt::appender(out), "[{}, {}]", value.number, value.second);
      return;
    case Value::Kind::absent:
    case Value::Kind::failed:
    case Value::Kind::unfinished:
      break;
  }
  append(out, "…");
}

// open() takes a mode only when it may create: otherwise there is none, whatever stands in its place.
bool is_left_out(const Record& record, std::size_t index) {
  const Function& function = *record.function;
  if (function.arguments[index].role != Role::mode ||
      (function.means != "open" && function.means != "openat"))
    return false;
  for (std::size_t i = 0; i < index; ++i)
    if (function.arguments[i].role == Role::flags)
      return (record.arguments[i].number & O_CREAT) == 0 &&
             (record.arguments[i].number & O_TMPFILE) != O_TMPFILE;
  return false;
}

}  // namespace

bool is_list(const Argument& argument) {
  return std::count_if(argument.type.begin(), argument.type.end(),
                       [](char c) { return c == '*' || c == '['; }) >= 2;
}

std::vector<std::string_view> split_list(std::string_view text) {
  std::vector<std::string_view> items;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find('\0'));
    items.push_back(one);
    text.remove_prefix(std::min(text.size(), one.size() + 1));
  }
  return items;
}

std::vector<std::uint64_t> split_lengths(std::string_view text) {
  std::vector<std::uint64_t> lengths(text.size() / sizeof(std::uint64_t));
  if (!lengths.empty()) std::memcpy(lengths.data(), text.data(), lengths.size() * sizeof lengths[0]);
  return lengths;
}

std::vector<std::int64_t> split_times(const Argument& argument, std::string_view text) {
  std::vector<std::int64_t> words(text.size() / sizeof(std::int64_t));
  if (!words.empty()) std::memcpy(words.data(), text.data(), words.size() * sizeof words[0]);
  const auto nanoseconds = [](std::int64_t seconds, std::int64_t rest) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(seconds) * 1'000'000'000U +
                                     static_cast<std::uint64_t>(rest));
  };
  std::vector<std::int64_t> times;
  if (argument.type.find("utimbuf") != std::string_view::npos) {
    for (const std::int64_t seconds : words) times.push_back(nanoseconds(seconds, 0));
    return times;
  }
  const std::int64_t scale = argument.type.find("timeval") != std::string_view::npos ? 1000 : 1;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2)
    times.push_back(nanoseconds(words[i], static_cast<std::int64_t>(static_cast<std::uint64_t>(words[i + 1]) *
                                                                    static_cast<std::uint64_t>(scale))));
  return times;
}

void append_call(Buffer& out, const Record& record, const TextStyle& style) {
  const Function& function = *record.function;
  append(out, function.name);
  out.push_back('(');
  bool first = true;
  for (std::size_t i = 0; i < record.arguments.size(); ++i) {
    if (is_left_out(record, i)) continue;
    if (!first) append(out, ", ");
    first = false;
    if (style.names && record.arguments[i].kind != Value::Kind::absent) {
      append(out, function.arguments[i].name);
      out.push_back('=');
    }
    append_argument(out, function, function.arguments[i], record.arguments[i]);
  }
  out.push_back(')');
}

void append_result(Buffer& out, const Record& record) {
  const Function& function = *record.function;
  const Value& result = record.result;
  switch (result.kind) {
    case Value::Kind::failed:
      if (!function.layer.starts_with("mpi") && !function.layer.ends_with("netcdf"))
        append(out, function.result_type.ends_with('*') && function.means != "mmap" ? "NULL " : "-1 ");
      if (result.number == 0)  // the end of a file, of a directory
        out.resize(out.size() - 1);
      else
        append_error(out, function.layer, result.number);
      return;
    case Value::Kind::unfinished:
      return append(out, "? <unfinished>");
    case Value::Kind::absent:
      if (function.result_type == "void") return;
      break;
    default:
      break;
  }
  append_argument(out, function, {"", function.result_type, function.result, Direction::out, {}, 1}, result);
}

namespace {

// A list of them has source and tag one behind the other, or nothing twice.
void append_json_statuses(Buffer& out, std::span<const ListItem> items) {
  out.push_back('[');
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    if (i > 0) append(out, ", ");
    if (items[i].kind == ListItem::Kind::nothing)
      append(out, "null");
    else
      fmt::format_to(fmt::appender(out), "{{\"source\": {}, \"tag\": {}}}", items[i].number,
                     items[i + 1].number);
  }
  out.push_back(']');
}

}  // namespace

bool append_json_argument(Buffer& out, const Function& function, const Argument& argument,
                          const Value& value) {
  const auto append_json_object = [&](std::int64_t id) {
    out.push_back('"');
    append_object(out, argument.role, id);
    out.push_back('"');
  };
  switch (value.kind) {
    case Value::Kind::object:
      append_json_object(value.number);
      return true;
    case Value::Kind::status:
      fmt::format_to(fmt::appender(out), "{{\"source\": {}, \"tag\": {}}}", value.number, value.second);
      return true;
    case Value::Kind::list:
      if (argument.role == Role::status) {
        append_json_statuses(out, value.items);
        return true;
      }
      append_list(out, value.items, [&](const ListItem& item) {
        if (item.kind == ListItem::Kind::nothing) return append(out, "null");
        if (item.kind == ListItem::Kind::name) return append_json_string(out, item.text);
        if (is_object(function.layer, argument.role)) return append_json_object(item.number);
        append_number(out, item.number);
      });
      return true;
    case Value::Kind::null:
      append(out, "null");
      return true;
    case Value::Kind::number:
      append_number(out, value.number);
      return true;
    case Value::Kind::path:
      append_json_string(out, value.text);
      return true;
    case Value::Kind::text:
      if (is_numbers(function, argument))
        append_items(out, split_lengths(value.text),
                     [&](std::uint64_t length) { fmt::format_to(fmt::appender(out), "{}", length); });
      else if (argument.role == Role::time)
        append_items(out, split_times(argument, value.text),
                     [&](std::int64_t time) { append_number(out, time); });
      else if (is_list(argument))
        append_items(out, split_list(value.text),
                     [&](std::string_view text) { append_json_string(out, text); });
      else
        append_json_string(out, value.text);
      return true;
    case Value::Kind::handle:
    case Value::Kind::opened:
      append(out, "{\"descriptor\": ");
      if (value.number < 0)
        append(out, "null");
      else
        append_number(out, value.number);
      append(out, ", \"name\": ");
      append_json_string(out, value.text);
      out.push_back('}');
      return true;
    case Value::Kind::pair:
      fmt::format_to(fmt::appender(out), "[{}, {}]", value.number, value.second);
      return true;
    case Value::Kind::absent:
    case Value::Kind::failed:
    case Value::Kind::unfinished:
      break;
  }
  return false;
}

}  // namespace weir::trace
