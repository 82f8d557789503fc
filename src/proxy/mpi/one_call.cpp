#include "proxy/mpi/one_call.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>

#include "calls/call.hpp"

namespace weir::proxy::mpi {

using trace::ListItem;
using trace::Value;
using weir_proxy::world;

namespace {

// Addresses are beyond this, displacements and sizes are not.
constexpr std::int64_t kAddresses = std::int64_t{1} << 40;

// Objects by their number in the trace; each type has numbers of its own, requests each thread.
Handle& object(std::string_view type, Role role, std::int64_t id) {
  using Pool = weir_proxy::Pool<Handle>;
  using Pools = std::map<std::string, Pool, std::less<>>;
  static Pools shared;
  static std::mutex lock;
  thread_local Pools own;
  const std::lock_guard guard(lock);
  Pools& pools = role == Role::request ? own : shared;
  return pools.try_emplace(std::string(type), null_of(type)).first->second(id);
}

}  // namespace

std::string_view item_type(std::string_view type) {
  if (type.starts_with("const ")) type.remove_prefix(6);
  return type.substr(0, type.find_first_of(" *"));
}

bool is_address(std::string_view type) {
  return type.ends_with('*') || type.find("(*)") != std::string_view::npos;
}

OneCall::OneCall(weir_proxy::Stream& stream, const trace::Record& record)
    : stream_(stream),
      record_(record),
      of_mpi_(record.function->layer.starts_with("mpi")),
      data_(stream, record, call_, after_) {}

void OneCall::make() {
  const trace::Function& function = *record_.function;
  const auto known = find_call(function.name);
  for (std::size_t i = 0; i < function.arguments.size(); ++i) {
    if (i + 1 == function.arguments.size() && known && info(*known).variadic) call_.begin_variable();
    add(i);
  }
  wait_as_recorded();
  std::int64_t got = 0;
  if (!call_.make(function.name, function.result_type, got)) {
    stream_.differs(static_cast<int>(record_.signature), "is not there");
    return;
  }
  for (const auto& one : after_) one();
  if (of_mpi_)
    check(got);
  else
    data_.check(got);
}

void OneCall::add(std::size_t at) {
  const Role role = about(at).role;
  if (role == Role::varargs) return;
  const bool is_object = (record_.function->objects >> at & 1U) != 0;
  if (!of_mpi_ && !(is_object && about(at).type.find("MPI_") != std::string_view::npos)) return data_.add(at);
  if (role == Role::file && item_type(about(at).type) == "MPI_File") return add_file(at);
  if (is_object || role == Role::request) return add_object(at);
  if (role == Role::status) return add_status(at);
  switch (value(at).kind) {
    case Value::Kind::list:
      return add_numbers(at);
    case Value::Kind::path:
      return add_path(at);
    case Value::Kind::text:
      if (trace::names_memory(role, value(at).text)) return add_nothing(at);
      return role == Role::text ? add_text(at) : add_name(at);
    case Value::Kind::null:
      return call_.add_pointer(nullptr);
    case Value::Kind::number:
      return add_number(at);
    default:
      return add_nothing(at);
  }
}

void OneCall::add_handle(std::size_t at, Handle& handle) {
  if (is_address(about(at).type))
    call_.add_pointer(&handle);
  else
    call_.add(about(at).type, value_of(about(at).type, handle));
}

void OneCall::add_object(std::size_t at) {
  const std::string_view type = item_type(about(at).type);
  if (value(at).kind == Value::Kind::list) return add_objects(at);
  if (value(at).kind == Value::Kind::object) {
    Handle& made = object(type, about(at).role, value(at).number);
    if (about(at).role == Role::request) {
      requests_ = reinterpret_cast<MPI_Request*>(&made);
      request_count_ = 1;
    }
    if (type == "MPI_Comm" && about(at).direction != Direction::out)
      weir_proxy::known_comm(*reinterpret_cast<MPI_Comm*>(&made));
    return add_handle(at, made);
  }
  if (value(at).kind == Value::Kind::absent && record_.function->name == "MPI_Comm_idup")
    return call_.add_pointer(weir_proxy::later_comm());
  auto* const given = static_cast<Handle*>(out(at));
  *given = null_of(type);
  if (value(at).kind == Value::Kind::text) *given = find_object(value(at).text).value_or(*given);
  // A communicator that means nothing here, such as peer_comm beside the leader: any will do.
  const bool by_value = !is_address(about(at).type);
  if (by_value && value(at).kind == Value::Kind::absent && about(at).role == Role::communicator)
    *given = Handle::of(MPI_COMM_WORLD);
  add_handle(at, *given);
}

void OneCall::add_objects(std::size_t at) {
  const std::string_view type = item_type(about(at).type);
  const std::size_t size = bytes_of_handle(type);
  auto* const list = static_cast<unsigned char*>(out(at));
  const auto& items = value(at).items;
  for (std::size_t i = 0; i < items.size(); ++i) {
    Handle given = null_of(type);
    if (items[i].kind == ListItem::Kind::name) given = find_object(items[i].text).value_or(given);
    if (items[i].kind == ListItem::Kind::number) {
      Handle& known = object(type, about(at).role, items[i].number);
      given = known;
      if (about(at).direction != Direction::in)
        after_.emplace_back([&known, list, i, size] { std::memcpy(known.bytes, list + i * size, size); });
    }
    std::memcpy(list + i * size, given.bytes, size);
  }
  if (about(at).role == Role::request) {
    requests_ = reinterpret_cast<MPI_Request*>(list);
    request_count_ = static_cast<int>(items.size());
  }
  call_.add_pointer(list);
}

void OneCall::add_file(std::size_t at) {
  const Value& given = value(at);
  if (given.kind == Value::Kind::handle || given.kind == Value::Kind::opened)
    return add_handle(at, object("MPI_File", Role::file, given.handle));
  auto* const none = static_cast<Handle*>(out(at));
  *none = null_of("MPI_File");
  add_handle(at, *none);
}

void OneCall::add_status(std::size_t at) {
  const bool is_read = about(at).direction != Direction::out;
  if (item_type(about(at).type) != "MPI_Status") return call_.add_pointer(out(at));  // as Fortran has it
  if (is_read) return call_.add_pointer(&weir_proxy::last_status);
  if (value(at).kind != Value::Kind::list)
    after_.emplace_back(
        [from = static_cast<const MPI_Status*>(out(at))] { weir_proxy::last_status = *from; });
  call_.add_pointer(out(at));
}

std::size_t OneCall::bytes_of_number(std::size_t at) const {
  const std::string_view type = item_type(about(at).type);
  return type == "MPI_Aint" || type == "MPI_Offset" || type == "MPI_Count" ? sizeof(std::int64_t)
                                                                           : sizeof(std::int32_t);
}

void OneCall::put_number(std::size_t at, std::size_t item, std::int64_t value) {
  const std::size_t size = bytes_of_number(at);
  unsigned char* const to = static_cast<unsigned char*>(out(at)) + item * size;
  const auto narrow = static_cast<std::int32_t>(value);
  std::memcpy(to, size == sizeof narrow ? static_cast<const void*>(&narrow) : &value, size);
}

void OneCall::add_numbers(std::size_t at) {
  std::int64_t lowest = 0;
  if (about(at).role == Role::displacement)
    for (const ListItem& item : value(at).items)
      if (item.number > kAddresses) lowest = lowest == 0 ? item.number : std::min(lowest, item.number);
  for (std::size_t i = 0; i < value(at).items.size(); ++i) {
    const ListItem& item = value(at).items[i];
    std::int64_t number =
        item.kind == ListItem::Kind::name ? find_number(item.text).value_or(0) : item.number;
    if (lowest > 0 && number >= lowest) number += reinterpret_cast<std::int64_t>(world.windows) - lowest;
    if (about(at).direction != Direction::out) put_number(at, i, number);
  }
  call_.add_pointer(out(at));
}

void OneCall::add_number(std::size_t at) {
  const std::int64_t number = value(at).number;
  const bool by_value = !is_address(about(at).type);
  if (about(at).name == "keyval") {
    int& made = weir_proxy::keyval(number);
    if (by_value) return call_.add("int", made);
    return call_.add_pointer(&made);
  }
  if (about(at).role == Role::whence) return call_.add("int", weir_proxy::whence(number));
  if (by_value)
    return call_.add(about(at).type,
                     about(at).role == Role::displacement ? weir_proxy::memory_at(number) : number);
  if (about(at).direction != Direction::out) put_number(at, 0, number);
  call_.add_pointer(out(at));
}

// A rank, a tag or an address that has a name.
void OneCall::add_name(std::size_t at) {
  const std::string_view name = value(at).text;
  if (const auto address = find_address(name)) return call_.add_pointer(*address);
  const std::int64_t number = find_number(name).value_or(0);
  if (!is_address(about(at).type)) return call_.add(about(at).type, number);
  put_number(at, 0, number);
  call_.add_pointer(out(at));
}

void OneCall::add_text(std::size_t at) {
  auto* const to = static_cast<char*>(out(at));
  if (about(at).direction == Direction::in) {
    std::memcpy(to, value(at).text.data(), value(at).text.size());
    to[value(at).text.size()] = '\0';
  }
  call_.add_pointer(to);
}

void OneCall::add_path(std::size_t at) {
  std::string& name = stream_.names[at];
  name = value(at).text;
  weir_proxy::put_under_root(name);
  call_.add_pointer(name.c_str());
}

void OneCall::add_nothing(std::size_t at) {
  const Argument& argument = about(at);
  const bool is_const = argument.type.starts_with("const ");
  if (argument.role == Role::function) return call_.add_pointer(find_function(item_type(argument.type)));
  if (!is_address(argument.type)) return call_.add(argument.type, 0);
  if (argument.name.find("weights") != std::string_view::npos)
    return call_.add_pointer(*find_address("MPI_UNWEIGHTED"));
  if (argument.role == Role::buffer) {
    if (record_.function->name == "MPI_Free_mem") return call_.add_pointer(weir_proxy::allocated_memory());
    if (argument.direction == Direction::in && !is_const) return call_.add_pointer(world.windows);
    return call_.add_pointer(is_const ? world.source : world.sink);
  }
  if (argument.name == "baseptr") return call_.add_pointer(weir_proxy::new_memory());
  if (argument.name == "argv" || argument.name == "argvs")
    return call_.add_pointer(argument.direction == Direction::inout ? weir_proxy::arguments() : nullptr);
  call_.add_pointer(out(at));
}

// Calls that tell which requests are over tell the same if those are over that were.
void OneCall::wait_as_recorded() {
  const std::string& name = record_.function->name;
  if (name == "MPI_Iprobe" || name == "MPI_Improbe") return wait_for_message();
  const auto known = find_call(name);
  const bool asks = name == "MPI_Request_get_status";
  if (requests_ == nullptr || (!asks && (!known || !info(*known).completes))) return;
  std::vector<std::int64_t> over;
  bool some = asks || name.find("Test") != std::string::npos;
  for (std::size_t i = 0; i < record_.arguments.size(); ++i) {
    const Value& told = value(i);
    if (about(i).name == "flag" && told.kind == Value::Kind::number && told.number == 0) return;
    if (about(i).name == "index" && told.kind == Value::Kind::number) over.push_back(told.number);
    if (about(i).name == "indices" && told.kind == Value::Kind::list)
      for (const ListItem& item : told.items) over.push_back(item.number);
  }
  some = some || !over.empty();
  if (some) weir_proxy::wait_until_over(requests_, request_count_, over.data(), over.size());
}

void OneCall::wait_for_message() {
  const auto number = [&](std::size_t at) {
    const Value& given = value(at);
    return static_cast<int>(given.kind == Value::Kind::text ? find_number(given.text).value_or(0)
                                                            : given.number);
  };
  if (value(3).kind != Value::Kind::number || value(3).number == 0) return;
  Handle comm = value(2).kind == Value::Kind::object
                    ? object("MPI_Comm", Role::communicator, value(2).number)
                    : find_object(value(2).text).value_or(Handle::of(MPI_COMM_WORLD));
  MPI_Comm asked;
  std::memcpy(&asked, comm.bytes, sizeof(MPI_Comm));
  weir_proxy::wait_for_message(number(0), number(1), asked);
}

void OneCall::check(std::int64_t got) {
  const trace::Function& function = *record_.function;
  const auto signature = static_cast<int>(record_.signature);
  const Value& wanted = record_.result;
  if (wanted.kind == Value::Kind::failed)
    stream_.check_failed(signature, got != 0, weir_proxy::error_class(static_cast<int>(got)), wanted.number);
  else if (wanted.kind == Value::Kind::object && function.makes_object)
    object(function.result_type, function.result, wanted.number) = handle_of(function.result_type, got);
  else if (wanted.kind == Value::Kind::number && function.result_type == "int")
    stream_.check(signature, got, wanted.number);
}

}  // namespace weir::proxy::mpi
