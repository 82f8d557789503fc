#include <algorithm>
#include <cstdint>

#include "cli/dump_format.hpp"
#include "trace/record_text.hpp"

namespace weir::cli {
namespace {

using Buffer = fmt::memory_buffer;

void append_padded(Buffer& out, std::uint64_t number, std::size_t width, char pad) {
  const fmt::format_int digits(number);
  for (std::size_t i = digits.size(); i < width; ++i) out.push_back(pad);
  out.append(digits.data(), digits.data() + digits.size());
}

// Seconds with nine digits behind the point: nothing is rounded.
void append_seconds(Buffer& out, std::uint64_t nanoseconds, std::size_t width) {
  append_padded(out, nanoseconds / 1'000'000'000, width, ' ');
  out.push_back('.');
  append_padded(out, nanoseconds % 1'000'000'000, 9, '0');
}

std::size_t digits_of(std::uint64_t number) { return fmt::format_int(number).size(); }

class TextFormat : public DumpFormat {
 public:
  TextFormat(const trace::TraceFile& trace, const TextColumns& columns) : columns_(columns) {
    const bool timed = trace.timing() != trace::TimingMode::off;
    columns_.time = columns_.time && timed;
    columns_.duration = columns_.duration && timed;
    process_width_ = digits_of(trace.processes().empty() ? 0 : trace.processes().size() - 1);
    std::int64_t last = 0;
    for (const trace::ProcessInfo& process : trace.processes()) {
      thread_width_ = std::max(thread_width_, digits_of(static_cast<std::uint64_t>(process.number)));
      for (const trace::StreamInfo& stream : process.streams)
        for (const trace::BlockInfo& block : stream.blocks) last = std::max(last, block.last_end_ns);
    }
    time_width_ = digits_of(static_cast<std::uint64_t>(last) / 1'000'000'000);
  }

  void begin(Buffer&) override {}
  void end(Buffer&) override {}

  void add(Buffer& out, const trace::Records::Item& item) override {
    const trace::Record& record = *item.record;
    if (columns_.time) {
      const bool early = record.start_ns < 0;  // before the first process was seen whole
      append_seconds(out, early ? 0 : static_cast<std::uint64_t>(record.start_ns), time_width_);
      gap(out);
    }
    if (columns_.process) {
      append_padded(out, item.process, process_width_, ' ');
      gap(out);
    }
    if (columns_.thread) {
      append_padded(out, record.thread, thread_width_, ' ');
      gap(out);
    }
    for (std::uint32_t i = 0; i < record.depth; ++i) gap(out);
    trace::append_call(out, record, {.names = columns_.names});
    const std::size_t before = out.size();
    add_text(out, " = ");
    const std::size_t result = out.size();
    trace::append_result(out, record);
    if (out.size() == result) out.resize(before);
    if (columns_.duration && record.result.kind != trace::Value::Kind::unfinished) {
      add_text(out, " <");
      append_seconds(out, record.duration_ns, 1);
      out.push_back('>');
    }
    out.push_back('\n');
  }

 private:
  static void add_text(Buffer& out, std::string_view text) {
    out.append(text.data(), text.data() + text.size());
  }
  static void gap(Buffer& out) { add_text(out, "  "); }

  TextColumns columns_;
  std::size_t process_width_ = 1;
  std::size_t thread_width_ = 1;
  std::size_t time_width_ = 1;
};

}  // namespace

std::unique_ptr<DumpFormat> text_format(const trace::TraceFile& trace, const TextColumns& columns) {
  return std::make_unique<TextFormat>(trace, columns);
}

}  // namespace weir::cli
