#include "proxy/replay_maker.hpp"

#include <cstring>
#include <vector>

#include "calls/call.hpp"
#include "proxy/plan.hpp"
#include "proxy/runtime/memory.hpp"
#include "proxy/runtime/start.hpp"

namespace weir::proxy {

using trace::Record;
using trace::Value;
using weir_proxy::world;

namespace {

bool is_one_of(std::string_view name, auto... names) { return ((name == names) || ...); }

// In place of functions of the program.
int take_all() { return 1; }
int do_nothing() { return 0; }

}  // namespace

void ReplayMaker::make(const Record& record, std::int64_t gap_ns) {
  stream_.begin(gap_ns);
  if (!why_not(*record.function).empty()) return;
  if (library_ != nullptr && library_->make(stream_, record)) return;
  record_ = &record;
  if (!passes()) {
    if (record.result.kind == Value::Kind::opened) weir_proxy::left_out(stream_, record.result.handle);
  } else {
    call();
  }
  if (record.function->closes && record.result.kind != Value::Kind::opened)
    for (const Value& value : record.arguments)
      if (value.kind == Value::Kind::handle) weir_proxy::closed(stream_, value.handle);
}

bool ReplayMaker::passes() {
  std::vector<std::int64_t> used;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < record_->arguments.size(); ++i) {
    const Value& value = record_->arguments[i];
    if (value.kind == Value::Kind::handle)
      used.push_back(value.handle);
    else if (value.kind == Value::Kind::path && record_->function->arguments[i].direction == Direction::in)
      names.emplace_back(value.text);
  }
  std::vector<const char*> paths;
  for (const std::string& one : names) paths.push_back(one.c_str());
  return stream_.passes(record_->failed(), used.data(), used.size(), paths.data(), paths.size());
}

void ReplayMaker::call() {
  DynamicCall made;
  const trace::Function& function = *record_->function;
  for (std::size_t i = 0; i < function.arguments.size(); ++i) {
    const auto known = find_call(function.name);
    if (i + 1 == function.arguments.size() && known && info(*known).variadic) made.begin_variable();
    add(made, i);
  }
  std::string name = function.name;
  if (!function.arguments.empty() && function.arguments.back().type == "va_list")
    std::erase(name, 'v');  // vprintf's values cannot be made up: its sibling does the same
  if (is_one_of(function.means, "exit", "_exit", "_Exit", "quick_exit")) {
    std::fflush(nullptr);
    _exit(weir_proxy::leave(stream_, record_->arguments[0].number));
  }
  errno = record_->failed() ? static_cast<int>(record_->result.number) : 0;
  std::int64_t got = 0;
  if (!made.make(name, function.result_type, got)) {
    differs("is not there");
    return;
  }
  check(got);
}

void ReplayMaker::add(DynamicCall& made, std::size_t at) {
  const Argument& about = record_->function->arguments[at];
  const Value& value = record_->arguments[at];
  const bool is_pointer = about.type.ends_with('*');
  const int index = static_cast<int>(at);
  if (about.role == Role::varargs) {
    add_varargs(made, at);
    return;
  }
  switch (value.kind) {
    case Value::Kind::null:
      made.add_pointer(nullptr);
      return;
    case Value::Kind::number:
      add_number(made, at);
      return;
    case Value::Kind::handle:
      if (about.type.find("FILE") != std::string_view::npos)
        made.add_pointer(stream_.stream(value.handle));
      else if (is_pointer)
        made.add_pointer(stream_.directory(value.handle));
      else
        made.add("int", stream_.descriptor(value.handle));
      return;
    case Value::Kind::path:
      made.add_pointer(path(at));
      return;
    case Value::Kind::text:
      if (trace::names_memory(about.role, value.text))
        add_nothing(made, at);
      else
        made.add_pointer(text(at));
      return;
    case Value::Kind::pair:
      made.add_pointer(stream_.out(index));
      return;
    default:
      add_nothing(made, at);
      return;
  }
}

void ReplayMaker::add_number(DynamicCall& made, std::size_t at) {
  const Argument& about = record_->function->arguments[at];
  const Value& value = record_->arguments[at];
  const bool is_pointer = about.type.ends_with('*');
  const bool is_const = about.type.starts_with("const ");
  const int index = static_cast<int>(at);
  if (is_pointer && about.role == Role::string)
    made.add_pointer(is_const ? static_cast<const void*>(line(about.type, value.number))
                              : stream_.out(index));
  else if (is_pointer && about.role == Role::offset)
    made.add_pointer(stream_.out_of<std::int64_t>(index, value.number));
  else if (is_pointer)
    made.add_pointer(reinterpret_cast<const void*>(weir_proxy::real_address(value.number)));
  else if (about.name == "value" && is_one_of(record_->function->means, "fcntl", "ioctl"))
    made.add("long", weir_proxy::argument_of_command(stream_, index, value.number));
  else
    made.add(about.type, value.number);
}

const void* ReplayMaker::line(std::string_view type, std::int64_t length) {
  if (type.find("wchar_t") != std::string_view::npos) return stream_.wide_line(length);
  return stream_.line(length);
}

const void* ReplayMaker::path(std::size_t at) {
  const Argument& about = record_->function->arguments[at];
  std::string& name = stream_.names[at];
  name = record_->arguments[at].text;
  weir_proxy::put_under_root(name);
  if (about.direction == Direction::in) return name.c_str();
  if (about.direction == Direction::out) return stream_.out(static_cast<int>(at));
  recorded_name_ = name;
  const bool has_suffix = record_->arguments.size() > 1 && record_->function->arguments[1].name == "suffix";
  return weir_proxy::to_be_made(name.c_str(), has_suffix ? record_->arguments[1].number : 0);
}

const void* ReplayMaker::text(std::size_t at) {
  const Argument& about = record_->function->arguments[at];
  const std::string_view given = record_->arguments[at].text;
  const int index = static_cast<int>(at);
  if (about.role == Role::vector) {
    auto* const vectors = static_cast<iovec*>(stream_.out(index));
    const bool writes = record_->function->name.find("write") != std::string::npos;
    for (std::size_t i = 0; i * 8 + 8 <= given.size(); ++i) {
      std::uint64_t length = 0;
      std::memcpy(&length, given.data() + i * 8, sizeof length);
      vectors[i] = {writes ? world.source : world.sink, length};
    }
    return vectors;
  }
  if (about.role != Role::time && !about.type.starts_with("const ")) return stream_.out(index);
  std::memcpy(stream_.out(index), given.data(), given.size());
  static_cast<char*>(stream_.out(index))[given.size()] = '\0';
  return stream_.out(index);
}

void ReplayMaker::add_nothing(DynamicCall& made, std::size_t at) {
  const Argument& about = record_->function->arguments[at];
  const bool is_pointer = about.type.ends_with('*') || about.type.find("(*)") != std::string_view::npos;
  if (!is_pointer) {
    made.add(about.type, about.role == Role::character ? 'x' : 0);
  } else if (record_->failed() && record_->result.number == EFAULT) {
    made.add_pointer(weir_proxy::bad_address());
  } else if (about.type.find("(*)") != std::string_view::npos) {
    made.add_pointer(reinterpret_cast<const void*>(about.name == "select" ? &take_all : &do_nothing));
  } else if (about.role == Role::buffer && about.type != "char**") {
    made.add_pointer(about.type.starts_with("const ") ? world.source : world.sink);
  } else {
    std::memset(stream_.out(static_cast<int>(at)), 0, 16);
    made.add_pointer(stream_.out(static_cast<int>(at)));
  }
}
void ReplayMaker::add_varargs(DynamicCall& made, std::size_t at) {
  made.begin_variable();
  if (record_->function->name.find("scanf") != std::string::npos) {
    for (int i = 12; i < 24; ++i) made.add_pointer(stream_.out(i));
    return;
  }
  const Value& format = record_->arguments[at - 1];
  format_ = format.kind == Value::Kind::text ? format.text : "%s";
  fit_.emplace(format_.c_str(), record_->failed() ? 0 : record_->result.number);
  for (std::size_t i = 0; i < fit_->size(); ++i) {
    if (fit_->kind(i) == 'f')
      made.add_real("double", fit_->real(i));
    else if (fit_->kind(i) == 's')
      made.add_pointer(fit_->text(i));
    else if (fit_->kind(i) == 'n')
      made.add_pointer(stream_.out(20));
    else
      made.add("long", fit_->integer(i));
  }
}

void ReplayMaker::differs(const std::string& how) {
  stream_.differs(static_cast<int>(record_->signature), how);
}

void ReplayMaker::check(std::int64_t got) {
  const trace::Function& function = *record_->function;
  const bool is_pointer = function.result_type.ends_with('*');
  const Value& wanted = record_->result;
  const auto signature = static_cast<int>(record_->signature);
  const bool failed = got == -1 || (is_pointer && got == 0);
  if (wanted.kind == Value::Kind::failed) {
    stream_.check_failed(signature, failed, errno, wanted.number);
  } else if (wanted.kind == Value::Kind::opened) {
    stream_.check_made(signature, opened(got));
    if (!recorded_name_.empty()) weir_proxy::rename_quietly(stream_.names[0], recorded_name_);
    recorded_name_.clear();
  } else if (is_pointer) {
    stream_.check_made(signature, !failed);
    if (wanted.kind == Value::Kind::number) weir_proxy::map_address(wanted.number, got);
  } else if (wanted.kind == Value::Kind::number) {
    stream_.check(signature, got, wanted.number);
  }
  for (std::size_t i = 0; i < record_->arguments.size(); ++i)
    if (record_->arguments[i].kind == Value::Kind::pair && got == 0) open_pair(i);
}

bool ReplayMaker::opened(std::int64_t got) {
  const trace::Function& function = *record_->function;
  const std::uint32_t id = record_->result.handle;
  if (function.result_type.find("FILE") != std::string::npos)
    return weir_proxy::opened(stream_, id, reinterpret_cast<FILE*>(got));
  if (function.result_type.ends_with('*'))
    return weir_proxy::opened(stream_, id, reinterpret_cast<DIR*>(got));
  return weir_proxy::opened(stream_, id, static_cast<int>(got));
}

void ReplayMaker::open_pair(std::size_t at) {
  const int* const ends = static_cast<int*>(stream_.out(static_cast<int>(at)));
  weir_proxy::opened(stream_, record_->arguments[at].handle, ends[0]);
  const trace::Signature& signature = tables_.signatures[record_->signature];
  weir_proxy::opened(stream_, static_cast<std::int64_t>(signature.words[signature.parts[at].word + 1]),
                     ends[1]);
}

}  // namespace weir::proxy
