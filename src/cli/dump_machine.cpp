#include <cstdint>
#include <map>
#include <set>

#include "base/json.hpp"
#include "cli/dump_format.hpp"
#include "trace/record_text.hpp"
#include "trace/spelling.hpp"

namespace weir::cli {
namespace {

using Buffer = fmt::memory_buffer;
using trace::append_json_string;
using trace::Value;

void append(Buffer& out, std::string_view text) { out.append(text.data(), text.data() + text.size()); }

template <class Number>
void append_number(Buffer& out, Number number) {
  const fmt::format_int digits(number);
  out.append(digits.data(), digits.data() + digits.size());
}

void append_arguments(Buffer& out, const trace::Record& record) {
  out.push_back('{');
  bool first = true;
  for (std::size_t i = 0; i < record.arguments.size(); ++i) {
    const std::size_t before = out.size();
    if (!first) append(out, ", ");
    append_json_string(out, record.function->arguments[i].name);
    append(out, ": ");
    if (append_json_argument(out, *record.function, record.function->arguments[i], record.arguments[i]))
      first = false;
    else
      out.resize(before);
  }
  out.push_back('}');
}

void append_errno(Buffer& out, const trace::Record& record) {
  out.push_back('"');
  trace::append_error(out, record.function->layer, record.result.number);
  out.push_back('"');
}

// A failure is -1, or null where the function returns a pointer.
void append_json_result(Buffer& out, const trace::Record& record) {
  const Value& result = record.result;
  const bool pointer = record.function->result_type.ends_with('*');
  if (result.kind == Value::Kind::failed)
    append(out, pointer ? "null" : "-1");
  else if (result.kind == Value::Kind::opened && !pointer)
    append_number(out, result.number);
  else if (!append_json_argument(
               out, *record.function,
               {"", record.function->result_type, record.function->result, Direction::out, {}, 1}, result))
    append(out, "null");
}

// A line per record is written by hand: a tree of values for each would cost more than all the rest.
class JsonFormat : public DumpFormat {
 public:
  explicit JsonFormat(const trace::TraceFile& trace)
      : trace_(trace), timed_(trace.timing() != trace::TimingMode::off) {}

  void begin(Buffer& out) override {
    Json head = json_document("dump");
    head["records"] = trace_.records();
    head["timing"] = name(trace_.timing());
    head["facts"] = trace_.facts();
    head["processes"] = Json::array();
    for (const trace::ProcessInfo& process : trace_.processes())
      head["processes"].push_back({{"pid", process.number},
                                   {"rank", process.rank < 0 ? Json(nullptr) : Json(process.rank)},
                                   {"parent", process.parent < 0 ? Json(nullptr) : Json(process.parent)},
                                   {"program", process.program},
                                   {"arguments", process.arguments},
                                   {"directory", process.directory},
                                   {"host", process.host},
                                   {"start_ns", process.start_ns},
                                   {"records", process.records()}});
    append(out, head.dump(-1, ' ', false, Json::error_handler_t::replace));
    out.push_back('\n');
  }
  void end(Buffer&) override {}

  void add(Buffer& out, const trace::Records::Item& item) override {
    const trace::Record& record = *item.record;
    append(out, "{\"process\": ");
    append_number(out, item.process);
    append(out, ", \"thread\": ");
    append_number(out, record.thread);
    append(out, ", \"stream\": ");
    append_number(out, item.stream);
    append(out, ", \"index\": ");
    append_number(out, record.index);
    append(out, ", \"depth\": ");
    append_number(out, record.depth);
    if (timed_) {
      append(out, ", \"start_ns\": ");
      append_number(out, record.start_ns);
      append(out, ", \"duration_ns\": ");
      append_number(out, record.duration_ns);
    } else {
      append(out, ", \"start_ns\": null, \"duration_ns\": null");
    }
    append(out, ", \"layer\": ");
    append_json_string(out, record.function->layer);
    append(out, ", \"function\": ");
    append_json_string(out, record.function->name);
    append(out, ", \"arguments\": ");
    append_arguments(out, record);
    append(out, ", \"result\": ");
    append_json_result(out, record);
    append(out, ", \"errno\": ");
    if (record.failed() && record.result.number != 0)  // at the end of a file fgets() leaves errno alone
      append_errno(out, record);
    else
      append(out, "null");
    if (record.result.kind == Value::Kind::unfinished) append(out, ", \"unfinished\": true");
    append(out, ", \"file\": ");
    if (const auto file = absolute_file(record, item.directory, made_); !file.empty())
      append_json_string(out, file);
    else
      append(out, "null");
    append(out, ", \"moved_bytes\": ");
    append_number(out, bytes_moved(record));
    append(out, "}\n");
  }

 private:
  const trace::TraceFile& trace_;
  const bool timed_;
  std::string made_;
};

class CsvFormat : public DumpFormat {
 public:
  explicit CsvFormat(const trace::TraceFile& trace)
      : trace_(trace), timed_(trace.timing() != trace::TimingMode::off) {}

  void begin(Buffer& out) override {
    append(
        out,
        "process,pid,thread,depth,start_ns,duration_ns,layer,function,file,offset,moved_bytes,result,errno,"
        "call\n");
  }
  void end(Buffer&) override {}

  void add(Buffer& out, const trace::Records::Item& item) override {
    const trace::Record& record = *item.record;
    append_number(out, item.process);
    out.push_back(',');
    append_number(out, trace_.processes()[item.process].number);
    out.push_back(',');
    append_number(out, record.thread);
    out.push_back(',');
    append_number(out, record.depth);
    out.push_back(',');
    if (timed_) append_number(out, record.start_ns);
    out.push_back(',');
    if (timed_) append_number(out, record.duration_ns);
    out.push_back(',');
    append_cell(out, record.function->layer);
    out.push_back(',');
    append_cell(out, record.function->name);
    out.push_back(',');
    append_cell(out, absolute_file(record, item.directory, made_));
    out.push_back(',');
    if (record.function->shape.offset != trace::Shape::kNone) {
      const Value& offset = record.arguments[static_cast<std::size_t>(record.function->shape.offset)];
      if (offset.kind == Value::Kind::number) append_number(out, offset.number);
    }
    out.push_back(',');
    append_number(out, bytes_moved(record));
    out.push_back(',');
    switch (record.result.kind) {
      case Value::Kind::number:
      case Value::Kind::opened:
        append_number(out, record.result.number);
        break;
      case Value::Kind::failed:
        append(out, "-1");
        break;
      case Value::Kind::object:
      case Value::Kind::text:
        call_.clear();
        append_result(call_, record);
        append_cell(out, {call_.data(), call_.size()});
        break;
      default:
        break;
    }
    out.push_back(',');
    if (record.failed() && record.result.number != 0)
      trace::append_error(out, record.function->layer, record.result.number);
    out.push_back(',');
    call_.clear();
    append_call(call_, record);
    append_cell(out, {call_.data(), call_.size()});
    out.push_back('\n');
  }

 private:
  // RFC 4180.
  static void append_cell(Buffer& out, std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) return append(out, text);
    out.push_back('"');
    for (const char c : text) {
      if (c == '"') out.push_back('"');
      out.push_back(c);
    }
    out.push_back('"');
  }

  const trace::TraceFile& trace_;
  const bool timed_;
  Buffer call_;
  std::string made_;
};

// The trace event format of Chrome, which Perfetto reads too. Its processes are the system's: a program that
// replaced another goes on in the same one. The same number on another host is made another number.
class PerfettoFormat : public DumpFormat {
 public:
  explicit PerfettoFormat(const trace::TraceFile& trace) : trace_(trace) {
    std::map<std::int64_t, std::string> host_of;
    for (std::size_t i = 0; i < trace.processes().size(); ++i) {
      const trace::ProcessInfo& process = trace.processes()[i];
      const bool same = host_of.emplace(process.number, process.host).first->second == process.host;
      numbers_.push_back(same ? process.number : kBeyondProcesses + static_cast<std::int64_t>(i));
    }
  }

  void begin(Buffer& out) override {
    append(out, "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [");
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      const trace::ProcessInfo& process = trace_.processes()[i];
      const std::string_view program = process.program;
      start(out);
      append(out, "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": ");
      append_number(out, numbers_[i]);
      append(out, ", \"args\": {\"name\": ");
      append_json_string(out, program.substr(program.rfind('/') + 1));
      append(out, "}}");
      start(out);
      append(out, "{\"ph\": \"M\", \"name\": \"process_sort_index\", \"pid\": ");
      append_number(out, numbers_[i]);
      append(out, ", \"args\": {\"sort_index\": ");
      append_number(out, i);
      append(out, "}}");
    }
  }
  void end(Buffer& out) override { append(out, "\n]}\n"); }

  void add(Buffer& out, const trace::Records::Item& item) override {
    const trace::Record& record = *item.record;
    const std::int64_t number = numbers_[item.process];
    if (named_.emplace(number, record.thread).second) {
      start(out);
      append(out, "{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": ");
      append_number(out, number);
      append(out, ", \"tid\": ");
      append_number(out, record.thread);
      append(out, ", \"args\": {\"name\": \"thread\"}}");
    }
    start(out);
    append(out, "{\"ph\": \"X\", \"name\": ");
    append_json_string(out, record.function->name);
    append(out, ", \"cat\": ");
    append_json_string(out, record.function->layer);
    append(out, ", \"pid\": ");
    append_number(out, number);
    append(out, ", \"tid\": ");
    append_number(out, record.thread);
    append(out, ", \"ts\": ");
    append_microseconds(out, record.start_ns < 0 ? 0 : static_cast<std::uint64_t>(record.start_ns));
    append(out, ", \"dur\": ");
    append_microseconds(out, record.duration_ns);
    append(out, ", \"args\": {\"call\": ");
    text_.clear();
    append_call(text_, record);
    append_json_string(out, {text_.data(), text_.size()});
    append(out, ", \"result\": ");
    text_.clear();
    append_result(text_, record);
    append_json_string(out, {text_.data(), text_.size()});
    if (const auto file = absolute_file(record, item.directory, made_); !file.empty()) {
      append(out, ", \"file\": ");
      append_json_string(out, file);
    }
    if (const std::uint64_t bytes = bytes_moved(record); bytes > 0) {
      append(out, ", \"moved_bytes\": ");
      append_number(out, bytes);
    }
    append(out, "}}");
  }

 private:
  static constexpr std::int64_t kBeyondProcesses = std::int64_t{1} << 22;  // the kernel's largest number

  void start(Buffer& out) {
    append(out, any_ ? ",\n" : "\n");
    any_ = true;
  }
  static void append_microseconds(Buffer& out, std::uint64_t nanoseconds) {
    append_number(out, nanoseconds / 1000);
    const std::uint64_t rest = nanoseconds % 1000;
    out.push_back('.');
    out.push_back(static_cast<char>('0' + rest / 100));
    out.push_back(static_cast<char>('0' + rest / 10 % 10));
    out.push_back(static_cast<char>('0' + rest % 10));
  }

  const trace::TraceFile& trace_;
  std::vector<std::int64_t> numbers_;
  std::set<std::pair<std::int64_t, std::uint64_t>> named_;
  bool any_ = false;
  Buffer text_;
  std::string made_;
};

}  // namespace

std::unique_ptr<DumpFormat> json_format(const trace::TraceFile& trace) {
  return std::make_unique<JsonFormat>(trace);
}
std::unique_ptr<DumpFormat> csv_format(const trace::TraceFile& trace) {
  return std::make_unique<CsvFormat>(trace);
}
std::unique_ptr<DumpFormat> perfetto_format(const trace::TraceFile& trace) {
  return std::make_unique<PerfettoFormat>(trace);
}

}  // namespace weir::cli
