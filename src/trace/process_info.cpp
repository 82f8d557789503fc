#include "trace/process_info.hpp"

#include <limits>

namespace weir::trace {
namespace {

// Reads fields one after the other and keeps the first error.
class Fields {
 public:
  explicit Fields(ByteReader& in) : in_(in) {}

  std::uint64_t number() { return take(in_.varint(), std::uint64_t{0}); }
  std::int64_t signed_number() { return take(in_.signed_varint(), std::int64_t{0}); }
  std::string text() { return std::string(take(in_.string(), std::string_view())); }
  std::uint64_t count(std::uint64_t bytes_each) { return take(in_.count(bytes_each), std::uint64_t{0}); }

  bool failed() const { return !error_.has_value(); }
  const Result<void>& status() const { return error_; }

 private:
  template <class T, class U>
  U take(const Result<T>& result, U otherwise) {
    if (failed()) return otherwise;
    if (!result) {
      error_ = result.error();
      return otherwise;
    }
    return static_cast<U>(*result);
  }

  ByteReader& in_;
  Result<void> error_;
};

BlockInfo take_block(Fields& in) {
  BlockInfo block;
  block.offset = in.number();
  block.bytes = in.number();
  block.timing_bytes = in.number();
  block.first_record = in.number();
  block.records = in.number();
  block.first_start_ns = in.signed_number();
  block.last_end_ns = in.signed_number();
  return block;
}

StreamInfo take_stream(Fields& in) {
  StreamInfo stream;
  stream.records = in.number();
  stream.lost = in.number();
  stream.unseen = in.number();
  stream.changed = in.number();
  stream.damaged = in.number();
  stream.first_grammar = in.number();
  const std::uint64_t parts = in.count(1);
  for (std::uint64_t i = 0; i < parts && !in.failed(); ++i) stream.part_records.push_back(in.number());
  const std::uint64_t blocks = in.count(7);
  for (std::uint64_t i = 0; i < blocks && !in.failed(); ++i) stream.blocks.push_back(take_block(in));
  return stream;
}

// Sums that decoding relies on: blocks and parts cover the records without gaps.
Result<void> check(const StreamInfo& stream) {
  const Error bad{Errc::bad_data, "the list of processes contradicts itself"};
  std::uint64_t sum = 0;
  for (const std::uint64_t records : stream.part_records)
    if (__builtin_add_overflow(sum, records, &sum)) return bad;
  if (sum != stream.records) return bad;
  std::uint64_t next = 0;
  for (const BlockInfo& block : stream.blocks) {
    if (block.first_record != next || block.records == 0) return bad;
    if (__builtin_add_overflow(next, block.records, &next)) return bad;
  }
  if (next != stream.records) return bad;
  return {};
}

}  // namespace

void put_processes(ByteWriter& out, const std::vector<ProcessInfo>& processes) {
  out.varint(processes.size());
  for (const ProcessInfo& process : processes) {
    out.signed_varint(process.number);
    out.signed_varint(process.parent_number);
    out.signed_varint(process.parent);
    out.string(process.program);
    out.string(process.directory);
    out.string(process.host);
    out.varint(process.arguments.size());
    for (const std::string& argument : process.arguments) out.string(argument);
    out.signed_varint(process.start_ns);
    out.varint(process.streams.size());
    for (const StreamInfo& stream : process.streams) {
      out.varint(stream.records);
      out.varint(stream.lost);
      out.varint(stream.unseen);
      out.varint(stream.changed);
      out.varint(stream.damaged);
      out.varint(stream.first_grammar);
      out.varint(stream.part_records.size());
      for (const std::uint64_t records : stream.part_records) out.varint(records);
      out.varint(stream.blocks.size());
      for (const BlockInfo& block : stream.blocks) {
        out.varint(block.offset);
        out.varint(block.bytes);
        out.varint(block.timing_bytes);
        out.varint(block.first_record);
        out.varint(block.records);
        out.signed_varint(block.first_start_ns);
        out.signed_varint(block.last_end_ns);
      }
    }
  }
}

Result<std::vector<ProcessInfo>> take_processes(ByteReader& reader) {
  Fields in(reader);
  std::vector<ProcessInfo> processes;
  const std::uint64_t count = in.count(9);
  for (std::uint64_t i = 0; i < count && !in.failed(); ++i) {
    ProcessInfo process;
    process.number = in.signed_number();
    process.parent_number = in.signed_number();
    process.parent = in.signed_number();
    process.program = in.text();
    process.directory = in.text();
    process.host = in.text();
    const std::uint64_t arguments = in.count(1);
    for (std::uint64_t k = 0; k < arguments && !in.failed(); ++k) process.arguments.push_back(in.text());
    process.start_ns = in.signed_number();
    const std::uint64_t streams = in.count(8);
    for (std::uint64_t k = 0; k < streams && !in.failed(); ++k) {
      process.streams.push_back(take_stream(in));
      if (in.failed()) break;
      if (const auto good = check(process.streams.back()); !good) return good.error();
    }
    if (process.parent < -1 || process.parent >= static_cast<std::int64_t>(count))
      return Error{Errc::bad_data, "a process whose parent is not there"};
    processes.push_back(std::move(process));
  }
  if (in.failed()) return in.status().error();
  return processes;
}

}  // namespace weir::trace
