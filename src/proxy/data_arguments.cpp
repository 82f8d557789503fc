#include "proxy/data_arguments.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "calls/call.hpp"
#include "proxy/call_writer.hpp"
#include "proxy/data_objects.hpp"
#include "proxy/runtime/hdf5_world.hpp"

namespace weir::proxy {

using trace::ListItem;
using trace::Value;
using weir_proxy::world;

namespace {

constexpr std::int64_t kNone = -1;  // no object, no request, for all of them

// In place of functions of the program.
int do_nothing() { return 0; }

bool is_address(std::string_view type) {
  return type.ends_with('*') || type.find("(*)") != std::string_view::npos;
}

// Objects by their number in the trace: one row of numbers for each library, and one of requests for each
// thread.
std::int64_t& object(std::string_view layer, Role role, std::int64_t id) {
  using Pool = weir_proxy::Pool<std::int64_t>;
  using Pools = std::map<std::string, Pool, std::less<>>;
  static Pools shared;
  static std::mutex lock;
  thread_local Pools own;
  const std::lock_guard guard(lock);
  Pools& pools = role == Role::request ? own : shared;
  return pools.try_emplace(std::string(layer), kNone).first->second(id);
}

}  // namespace

std::size_t bytes_of_item(std::string_view type) {
  constexpr std::array<std::string_view, 15> kWide = {
      "hid_t",     "hsize_t", "hssize_t",   "haddr_t", "size_t",    "ssize_t",       "off_t",
      "ptrdiff_t", "double",  "MPI_Offset", "long",    "long long", "unsigned long", "unsigned long long",
      "int64_t"};
  constexpr std::array<std::string_view, 5> kNarrow = {"char", "signed char", "unsigned char", "hbool_t",
                                                       "bool"};
  const auto among = [type](const auto& list) {
    return std::find(list.begin(), list.end(), type) != list.end();
  };
  if (among(kWide)) return sizeof(std::int64_t);
  if (among(kNarrow)) return 1;
  return type == "short" || type == "unsigned short" ? sizeof(std::int16_t) : sizeof(std::int32_t);
}

void DataArguments::put_number(std::size_t at, std::size_t item, std::int64_t number) {
  const std::size_t size = bytes_of_item(base_type(about(at).type));
  std::memcpy(static_cast<unsigned char*>(out(at)) + item * size, &number,
              size);  // the lower bytes are first
}

std::int64_t DataArguments::number_at(std::size_t at, std::size_t item) {
  const std::size_t size = bytes_of_item(base_type(about(at).type));
  const unsigned char* const from = static_cast<unsigned char*>(out(at)) + item * size;
  if (size == sizeof(std::int32_t)) {
    std::int32_t narrow = 0;
    std::memcpy(&narrow, from, sizeof narrow);
    return narrow;
  }
  std::int64_t number = 0;
  std::memcpy(&number, from, size);
  return number;
}

void DataArguments::add(std::size_t at) {
  const Role role = about(at).role;
  if (role == Role::varargs) return;
  if ((record_.function->objects >> at & 1U) != 0) return add_object(at);
  switch (value(at).kind) {
    case Value::Kind::list:
      return add_numbers(at);
    case Value::Kind::path:
      return add_path(at);
    case Value::Kind::text:
      if (role == Role::text) return add_text(at);
      return role == Role::buffer ? add_nothing(at) : add_real(at);
    case Value::Kind::null:
      return call_.add_pointer(nullptr);
    case Value::Kind::number:
      return add_number(at);
    default:
      return add_nothing(at);
  }
}

std::int64_t DataArguments::number_of(std::size_t at) const {
  if (value(at).kind == Value::Kind::object)
    return object(record_.function->layer, about(at).role, value(at).number);
  if (value(at).kind == Value::Kind::text) return data_object(value(at).text).value_or(kNone);
  return kNone;
}

void DataArguments::add_object(std::size_t at) {
  if (value(at).kind == Value::Kind::list) return add_objects(at);
  if (value(at).kind == Value::Kind::null) return call_.add_pointer(nullptr);
  if (!is_address(about(at).type)) return call_.add(about(at).type, number_of(at));
  put_number(at, 0, number_of(at));
  if (value(at).kind == Value::Kind::object && about(at).direction != Direction::in)
    after_.emplace_back(
        [this, at] { object(record_.function->layer, about(at).role, value(at).number) = number_at(at, 0); });
  call_.add_pointer(out(at));
}

void DataArguments::add_objects(std::size_t at) {
  const auto& items = value(at).items;
  for (std::size_t i = 0; i < items.size(); ++i) {
    std::int64_t given = kNone;
    if (items[i].kind == ListItem::Kind::name) given = data_object(items[i].text).value_or(kNone);
    if (items[i].kind == ListItem::Kind::number) {
      std::int64_t& known = object(record_.function->layer, about(at).role, items[i].number);
      given = known;
      if (about(at).direction != Direction::in)
        after_.emplace_back([this, &known, at, i] { known = number_at(at, i); });
    }
    put_number(at, i, given);
  }
  call_.add_pointer(out(at));
}

void DataArguments::add_numbers(std::size_t at) {
  if (has_addresses_of_lists(about(at))) return add_lists(at);
  std::size_t i = 0;
  if (about(at).direction != Direction::out)
    for (const ListItem& item : value(at).items)
      if (item.kind != ListItem::Kind::list) put_number(at, i++, item.number);
  call_.add_pointer(out(at));
}

// Numbers in lists of lists have 8 bytes in all libraries.
void DataArguments::add_lists(std::size_t at) {
  std::vector<weir_proxy::i64> values;
  for (const ListItem& item : value(at).items)
    values.push_back(item.kind == ListItem::Kind::nothing ? -1 : item.number);
  call_.add_pointer(stream_.lists<weir_proxy::i64>(static_cast<int>(at), values.data(), values.size()));
}

void DataArguments::add_number(std::size_t at) {
  if (!is_address(about(at).type)) return call_.add(about(at).type, value(at).number);
  if (about(at).direction != Direction::out) put_number(at, 0, value(at).number);
  call_.add_pointer(out(at));
}

// Those are kept as people write them.
void DataArguments::add_real(std::size_t at) {
  const double number = std::strtod(std::string(value(at).text).c_str(), nullptr);
  if (!is_address(about(at).type)) return call_.add_real(about(at).type, number);
  if (about(at).direction != Direction::out) {
    const auto narrow = static_cast<float>(number);
    const bool is_narrow = base_type(about(at).type) == "float";
    std::memcpy(out(at), is_narrow ? static_cast<const void*>(&narrow) : &number,
                is_narrow ? sizeof narrow : sizeof number);
  }
  call_.add_pointer(out(at));
}

void DataArguments::add_path(std::size_t at) {
  if (about(at).direction != Direction::in) return call_.add_pointer(out(at));
  std::string& name = stream_.names[at];
  name = value(at).text;
  weir_proxy::put_under_root(name);
  call_.add_pointer(name.c_str());
}

void DataArguments::add_text(std::size_t at) {
  auto* const to = static_cast<char*>(out(at));
  if (about(at).direction == Direction::in) {
    std::memcpy(to, value(at).text.data(), value(at).text.size());
    to[value(at).text.size()] = '\0';
  }
  call_.add_pointer(to);
}

void DataArguments::add_nothing(std::size_t at) {
  const Argument& argument = about(at);
  const bool is_const = argument.type.starts_with("const ");
  if (argument.role == Role::stream) return call_.add_pointer(stderr);
  if (argument.role == Role::function && !argument.type.ends_with('*'))
    return call_.add_pointer(reinterpret_cast<const void*>(&do_nothing));
  if (!is_address(argument.type)) return call_.add(argument.type, 0);
  if (record_.function->name == "H5Tenum_insert")
    return call_.add_pointer(weir_proxy::new_value(stream_, static_cast<int>(at)));
  if (const auto count = count_of_places(*record_.function, at)) {
    char* const data = argument.direction == Direction::in ? world.source : world.sink;
    return call_.add_pointer(stream_.places(static_cast<int>(at), value(*count).number,
                                            argument.role == Role::buffer ? data : nullptr));
  }
  if (argument.role != Role::buffer) return call_.add_pointer(out(at));
  if (argument.direction == Direction::in && !is_const) return call_.add_pointer(world.windows);
  if (const auto type = type_of_data(*record_.function, at))
    return call_.add_pointer(weir_proxy::data_of(number_of(*type)));
  call_.add_pointer(is_const ? world.source : world.sink);
}

void DataArguments::check(std::int64_t got) {
  const trace::Function& function = *record_.function;
  const auto signature = static_cast<int>(record_.signature);
  const Value& wanted = record_.result;
  const auto known = find_call(function.name);
  const bool by_code = known && info(*known).failure == Failure::nonzero;
  if (wanted.kind == Value::Kind::failed)
    stream_.check_failed(signature, by_code ? got != 0 : got < 0, by_code ? got : wanted.number,
                         wanted.number);
  else if (wanted.kind == Value::Kind::object && function.makes_object)
    object(function.layer, function.result, wanted.number) = got;
  else if (wanted.kind == Value::Kind::number && !is_address(function.result_type))
    stream_.check(signature, got, wanted.number);
}

}  // namespace weir::proxy
