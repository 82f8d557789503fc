#include "trace/detail/version1.hpp"

#include "base/compress.hpp"
#include "trace/detail/block.hpp"
#include "trace/format.hpp"

namespace weir::trace::detail::version1 {
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

BlockInfo take_block_info(Fields& in, Processes& made) {
  BlockInfo block;
  Piece piece;
  piece.offset = in.number();
  piece.bytes = in.number();
  made.timing_bytes += in.number();
  block.block = static_cast<std::uint32_t>(made.table.pieces.size());
  made.table.pieces.push_back(piece);
  block.first_record = in.number();
  block.records = in.number();
  block.first_start_ns = in.signed_number();
  block.last_end_ns = in.signed_number();
  return block;
}

StreamInfo take_stream(Fields& in, Processes& made) {
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
  for (std::uint64_t i = 0; i < blocks && !in.failed(); ++i)
    stream.blocks.push_back(take_block_info(in, made));
  return stream;
}

}  // namespace

Result<Processes> take_processes(ByteReader& packed) {
  const auto plain = take_packed(packed, kMostTableBytes);
  if (!plain) return plain.error();
  ByteReader reader(*plain);
  Fields in(reader);
  Processes made;
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
      process.streams.push_back(take_stream(in, made));
      if (in.failed()) break;
      if (const auto good = check(process.streams.back()); !good) return good.error();
    }
    if (process.parent < -1 || process.parent >= static_cast<std::int64_t>(count))
      return Error{Errc::bad_data, "a process whose parent is not there"};
    made.table.processes.push_back(std::move(process));
  }
  if (in.failed()) return in.status().error();
  return made;
}

Result<Block> take_block(ByteSpan bytes) {
  ByteReader in(bytes);
  Block block;
  const auto first = in.varint();
  if (!first) return first.error();
  const auto records = in.varint();
  if (!records) return records.error();
  if (*records > kBlockRecords) return Error{Errc::bad_data, "a block of too many records"};
  block.first_record = *first;
  block.records = *records;
  const auto around = take_packed(in, kMostStateBytes);
  if (!around) return around.error();
  ByteReader inner(*around);
  const auto state_bytes = inner.varint();
  if (!state_bytes) return state_bytes.error();
  const auto state = inner.bytes(*state_bytes);
  if (!state) return state.error();
  ByteReader thread_and_rest(*state);
  const auto thread = thread_and_rest.varint();
  if (!thread) return thread.error();
  block.thread = *thread;
  const ByteSpan rest = *thread_and_rest.bytes(thread_and_rest.remaining());
  block.state.assign(rest.begin(), rest.end());
  const auto events = inner.count(3);
  if (!events) return events.error();
  std::uint64_t at = block.first_record;
  for (std::uint64_t i = 0; i < *events; ++i) {
    const auto type = inner.u8();
    if (!type) return type.error();
    const auto step = inner.varint();
    if (!step) return step.error();
    at += *step;
    const auto payload = inner.string();
    if (!payload) return payload.error();
    block.events.push_back({static_cast<live::Definition>(*type), at, std::string(*payload)});
  }
  for (ByteSpan* const part : {&block.columns, &block.timing}) {
    const auto length = in.varint();
    if (!length) return length.error();
    const auto piece = in.bytes(*length);
    if (!piece) return piece.error();
    *part = *piece;
  }
  if (!in.at_end()) return Error{Errc::bad_data, "a block with bytes left over"};
  return block;
}

}  // namespace weir::trace::detail::version1
