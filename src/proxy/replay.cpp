#include "proxy/replay.hpp"

#include <cstring>
#include <map>
#include <optional>

#include "calls/call.hpp"
#include "proxy/dynamic_call.hpp"
#include "proxy/runtime/fit.hpp"
#include "proxy/runtime/memory.hpp"
#include "proxy/runtime/start.hpp"
#include "trace/own_signatures.hpp"

namespace weir::proxy {
namespace {

using trace::Record;
using trace::Value;
using weir_proxy::world;
using ProxyStream = weir_proxy::Stream;

// Makes records of one stream, given as the program saw them.
class Maker {
 public:
  Maker(ProxyStream& stream, const trace::Tables& tables) : stream_(stream), tables_(tables) {}

  void make(const Record& record, std::int64_t gap_ns) {
    stream_.begin(gap_ns);
    if (!why_not(*record.function).empty()) return;
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

 private:
  bool passes() {
    for (std::size_t i = 0; i < record_->arguments.size(); ++i) {
      const Value& value = record_->arguments[i];
      if (value.kind == Value::Kind::handle) {
        if (stream_.handle(value.handle).left_out) return false;
      } else if (value.kind == Value::Kind::path &&
                 record_->function->arguments[i].direction == Direction::in) {
        if (weir_proxy::tells_of_machine(std::string(value.text).c_str())) return false;
      }
    }
    return true;
  }

  void call() {
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

  static bool is_one_of(std::string_view name, auto... names) { return ((name == names) || ...); }

  void add(DynamicCall& made, std::size_t at) {
    const Argument& about = record_->function->arguments[at];
    const Value& value = record_->arguments[at];
    const bool is_pointer = about.type.ends_with('*');
    const bool is_const = about.type.starts_with("const ");
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

  const void* line(std::string_view type, std::int64_t length) {
    if (type.find("wchar_t") != std::string_view::npos) return stream_.wide_line(length);
    return stream_.line(length);
  }

  const void* path(std::size_t at) {
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

  const void* text(std::size_t at) {
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

  void add_nothing(DynamicCall& made, std::size_t at) {
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
  static int take_all() { return 1; }
  static int do_nothing() { return 0; }

  void add_varargs(DynamicCall& made, std::size_t at) {
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
        made.add_real(fit_->real(i));
      else if (fit_->kind(i) == 's')
        made.add_pointer(fit_->text(i));
      else if (fit_->kind(i) == 'n')
        made.add_pointer(stream_.out(20));
      else
        made.add("long", fit_->integer(i));
    }
  }

  void differs(const std::string& how) { stream_.differs(static_cast<int>(record_->signature), how); }

  void check(std::int64_t got) {
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

  bool opened(std::int64_t got) {
    const trace::Function& function = *record_->function;
    const std::uint32_t id = record_->result.handle;
    if (function.result_type.find("FILE") != std::string::npos)
      return weir_proxy::opened(stream_, id, reinterpret_cast<FILE*>(got));
    if (function.result_type.ends_with('*'))
      return weir_proxy::opened(stream_, id, reinterpret_cast<DIR*>(got));
    return weir_proxy::opened(stream_, id, static_cast<int>(got));
  }

  void open_pair(std::size_t at) {
    const int* const ends = static_cast<int*>(stream_.out(static_cast<int>(at)));
    weir_proxy::opened(stream_, record_->arguments[at].handle, ends[0]);
    const trace::Signature& signature = tables_.signatures[record_->signature];
    weir_proxy::opened(stream_, static_cast<std::int64_t>(signature.words[signature.parts[at].word + 1]),
                       ends[1]);
  }

  ProxyStream& stream_;
  const trace::Tables& tables_;
  const Record* record_ = nullptr;
  std::string recorded_name_;
  std::string format_;
  std::optional<weir_proxy::Fit> fit_;
};

// The plan as the runtime has it; points into the other one.
class RunningPlan {
 public:
  explicit RunningPlan(const Plan& plan) : plan_(plan) {
    const ProcessPlan& process = plan.processes.front();
    for (const StreamPlan& stream : process.streams) {
      std::vector<weir_proxy::Action>& actions = actions_.emplace_back();
      for (const Action& one : stream.actions) add_action(one, actions);
      streams_.push_back({&run_stream, nullptr, 0, actions.data(), static_cast<int>(actions.size())});
    }
    for (const auto& [path, need] : plan.needs)
      needs_.push_back({static_cast<weir_proxy::Need::Kind>(need.kind), path.c_str(), need.size,
                        need.line_ends.data(), need.line_ends.size()});
    for (const trace::Signature& one : plan.trace->tables().signatures)
      calls_.push_back(plan.trace->tables().functions[one.function].name.c_str());
    const trace::ProcessInfo& about = plan.trace->processes()[process.process];
    process_ = {about.rank,
                about.world_size,
                about.directory.c_str(),
                streams_.data(),
                static_cast<int>(streams_.size()),
                nullptr,
                nullptr,
                0};
    made = {&process_,
            1,
            needs_.data(),
            static_cast<int>(needs_.size()),
            nullptr,
            nullptr,
            0,
            calls_.data(),
            static_cast<int>(plan.handles),
            static_cast<int>(plan.shared_handles),
            0,
            0,
            std::min<std::int64_t>(plan.largest_write + 8, 64 << 20)};
    current = this;
  }

  weir_proxy::Plan made{};

 private:
  static void add_action(const Action& one, std::vector<weir_proxy::Action>& actions) {
    using Kind = weir_proxy::Action;
    static const std::map<std::string, Kind::Kind> kKinds = {{"inherit", Kind::inherit},
                                                             {"publish", Kind::publish},
                                                             {"take", Kind::take},
                                                             {"release", Kind::release},
                                                             {"await_released", Kind::await_released},
                                                             {"start", Kind::start},
                                                             {"join", Kind::join}};
    const auto kind = kKinds.find(one.kind);
    if (kind == kKinds.end()) return;  // records hold offsets and names as they were
    actions.push_back({static_cast<std::int64_t>(one.before), kind->second, static_cast<int>(one.id),
                       static_cast<int>(one.part), one.value, one.name.empty() ? nullptr : one.name.c_str()});
  }

  static void run_stream(ProxyStream& stream) {
    const auto number = static_cast<std::size_t>(stream.plan - current->streams_.data());
    const ProcessPlan& process = current->plan_.processes.front();
    trace::RecordReader reader(*current->plan_.trace, process.process, process.streams[number].stream);
    Maker maker(stream, current->plan_.trace->tables());
    Record record;
    std::int64_t last_end = 0;
    while (reader.next(record)) {
      if (record.depth > 0) continue;
      maker.make(record, last_end != 0 ? record.start_ns - last_end : 0);
      last_end = record.start_ns + static_cast<std::int64_t>(record.duration_ns);
    }
  }

  static inline RunningPlan* current = nullptr;
  const Plan& plan_;
  std::deque<std::vector<weir_proxy::Action>> actions_;
  std::vector<weir_proxy::StreamPlan> streams_;
  std::vector<weir_proxy::Need> needs_;
  std::vector<const char*> calls_;
  weir_proxy::ProcessPlan process_{};
};

}  // namespace

Result<int> replay(const Plan& plan, const ReplayOptions& options) {
  if (plan.has_ranks)
    return Error{Errc::lacking, "holds MPI calls, and weir itself has no MPI"}
        .in(plan.trace->path().string())
        .with_remedy("write a program with 'weir proxy' and compile it with mpicxx");
  RunningPlan running(plan);
  world.options = {options.root, options.original, options.output, options.think};
  return weir_proxy::run_process(weir_proxy::prepare(running.made));
}

}  // namespace weir::proxy
