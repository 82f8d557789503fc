#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/compress.hpp"
#include "trace/detail/version1.hpp"
#include "trace/timing/block.hpp"
#include "trace/trace_file.hpp"

namespace weir::trace {
namespace {

Event thread_event(std::uint64_t before_record, std::uint64_t thread) {
  return {live::Definition::thread, before_record,
          std::string(reinterpret_cast<const char*>(&thread), sizeof thread)};
}

}  // namespace

RecordReader::RecordReader(const TraceFile& trace, std::size_t process, std::size_t stream)
    : trace_(&trace),
      process_(&trace.processes()[process]),
      stream_(&process_->streams[stream]),
      signatures_(trace.signatures_of(process)),
      replay_(trace.tables(), process_->number) {}

RecordReader::RecordReader(RecordReader&&) noexcept = default;
RecordReader& RecordReader::operator=(RecordReader&&) noexcept = default;
RecordReader::~RecordReader() = default;

bool RecordReader::fail(Error error) {
  const BlockInfo& block = stream_->blocks[block_ - 1];
  error_ =
      std::move(error)
          .in(fmt::format("records {} to {}", block.first_record, block.first_record + block.records - 1))
          .in(trace_->path().string());
  symbols_.clear();
  at_ = 0;
  return false;
}

Result<void> RecordReader::load_block(const BlockInfo& info) {
  first_record_ = info.first_record;
  const auto loaded = trace_->version() == 1 ? load_first_version(info) : load_pieces(info);
  if (!loaded) return loaded.error();
  at_ = 0;
  event_ = 0;
  return {};
}

Result<void> RecordReader::load_first_version(const BlockInfo& info) {
  const auto bytes = trace_->read_piece(info.block);
  if (!bytes) return bytes.error();
  auto block = detail::version1::take_block(*bytes);
  if (!block) return block.error();
  if (block->first_record != info.first_record || block->records != info.records)
    return Error{Errc::bad_data, "a block that is another one than the list says"};
  ByteReader state(block->state);
  if (const auto restored = replay_.restore(state, signatures_->templates); !restored)
    return restored.error();
  events_ = std::move(block->events);
  events_.insert(events_.begin(), thread_event(info.first_record, block->thread));
  if (const auto loaded = load_columns(block->columns, info.records); !loaded) return loaded.error();
  if (const auto loaded = load_symbols(info); !loaded) return loaded.error();
  return load_times(block->timing);
}

Result<void> RecordReader::load_pieces(const BlockInfo& info) {
  const auto bytes = trace_->read_piece(info.block);
  if (!bytes) return bytes.error();
  auto block = detail::take_block(*bytes, info.first_record, info.numbers);
  if (!block) return block.error();
  if (block->records != info.records)
    return Error{Errc::bad_data, "a block that is another one than the list says"};
  if (info.state != BlockInfo::kNoPiece) {
    const auto packed = trace_->read_piece(info.state);
    if (!packed) return packed.error();
    ByteReader in(*packed);
    const auto plain = take_packed(in, detail::kMostStateBytes);
    if (!plain) return plain.error();
    ByteReader state(*plain);
    if (const auto restored = replay_.restore(state, signatures_->templates); !restored)
      return restored.error();
  } else {
    replay_ = Replay(trace_->tables(), process_->number);
  }
  events_ = std::move(block->events);
  add_threads(info);
  descriptors_ = std::move(block->numbers);
  if (const auto loaded = load_columns(block->columns, info.records); !loaded) return loaded.error();
  if (const auto loaded = load_symbols(info); !loaded) return loaded.error();
  if (info.timing == BlockInfo::kNoPiece) return load_times({});
  const auto timing = trace_->read_piece(info.timing);
  if (!timing) return timing.error();
  return load_times(*timing);
}

// Threads as events: the one that the block begins with, and those that come in it.
void RecordReader::add_threads(const BlockInfo& info) {
  std::vector<Event> threads;
  for (const ThreadInfo& thread : stream_->threads) {
    if (thread.first_record >= info.first_record + info.records) break;
    if (thread.first_record <= info.first_record) threads.clear();
    threads.push_back(thread_event(std::max(thread.first_record, info.first_record), thread.number));
  }
  std::vector<Event> all;
  all.reserve(threads.size() + events_.size());
  std::merge(std::make_move_iterator(threads.begin()), std::make_move_iterator(threads.end()),
             std::make_move_iterator(events_.begin()), std::make_move_iterator(events_.end()),
             std::back_inserter(all),
             [](const Event& a, const Event& b) { return a.before_record < b.before_record; });
  events_ = std::move(all);
}

Result<void> RecordReader::load_columns(ByteSpan columns, std::uint64_t records) {
  ByteReader in(columns);
  auto reader = ColumnReader::parse(in, signatures_->columns, records);
  if (!reader) return reader.error();
  if (!in.at_end()) return Error{Errc::bad_data, "a block with bytes left over"};
  columns_ = std::move(*reader);
  return {};
}

Result<void> RecordReader::load_symbols(const BlockInfo& info) {
  // The part whose grammar holds these records.
  if (grammar_ == nullptr || info.first_record < part_begin_) {
    part_ = 0;
    part_begin_ = 0;
    grammar_.reset();
  }
  while (part_ < stream_->part_records.size() &&
         info.first_record >= part_begin_ + stream_->part_records[part_]) {
    part_begin_ += stream_->part_records[part_++];
    grammar_.reset();
  }
  if (part_ == stream_->part_records.size()) return Error{Errc::bad_data, "records without a grammar"};
  if (grammar_ == nullptr) {
    grammar_ = std::make_unique<grammar::Grammar>(trace_->grammars().member(stream_->first_grammar + part_));
    cursor_ = std::make_unique<grammar::Cursor>(*grammar_);
  }
  const std::uint64_t within = info.first_record - part_begin_;
  if (within > grammar_->length() || info.records > grammar_->length() - within)
    return Error{Errc::bad_data, "a grammar that is too short"};
  if (cursor_->position() != within) cursor_->seek(within);
  symbols_.resize(info.records);
  cursor_->read(symbols_);
  const std::size_t known = signatures_->list.size();
  if (std::any_of(symbols_.begin(), symbols_.end(), [&](std::uint32_t symbol) { return symbol >= known; }))
    return Error{Errc::bad_data, "a record of a signature that is not there"};
  return {};
}

Result<void> RecordReader::load_times(ByteSpan timing) {
  starts_.assign(symbols_.size(), 0);
  durations_.assign(symbols_.size(), 0);
  if (timing.empty()) return {};
  ByteReader in(timing);
  return decode_timing_block(in, symbols_, {starts_, durations_});
}

bool RecordReader::load() {
  if (error_ || block_ == stream_->blocks.size()) return false;
  const BlockInfo& info = stream_->blocks[block_++];
  const auto loaded = load_block(info);
  return loaded ? true : fail(loaded.error());
}

// What a record brings: of its columns, and of the descriptors that stand apart. Null when there are no more.
const std::int64_t* RecordReader::values_of(const Signature& signature, std::uint32_t symbol) {
  const std::uint32_t in_columns = signatures_->columns[symbol];
  const std::int64_t* columns = values_.data();
  if (in_columns > 0) {
    columns = columns_->next(symbol, in_columns);
    if (columns == nullptr || in_columns == signature.columns) return columns;
  }
  std::size_t count = 0;
  bool enough = true;
  for_each_value(
      signature, [&] { values_[count++] = *columns++; },
      [&] { enough = descriptors_.next(values_[count++]) && enough; });
  return enough ? values_.data() : nullptr;
}

bool RecordReader::next(Record& record) {
  if (at_ == symbols_.size() && !load()) return false;
  const std::uint64_t index = first_record_ + at_;
  while (event_ < events_.size() && events_[event_].before_record <= index)
    if (const auto applied = replay_.apply(events_[event_++]); !applied) return fail(applied.error());
  const std::uint32_t symbol = symbols_[at_];
  const OwnSignature& own = signatures_->list[symbol];
  const std::int64_t* values = nullptr;
  if (own.signature->columns > 0) {
    values = values_of(*own.signature, symbol);
    if (values == nullptr) return fail(Error{Errc::bad_data, "a block with too few column values"});
  }
  replay_.apply(own, values, &record);
  record.index = index;
  record.start_ns = starts_[at_];
  record.duration_ns = durations_[at_];
  ++at_;
  return true;
}

bool RecordReader::skip_damage() {
  error_.reset();
  symbols_.clear();
  at_ = 0;
  return block_ < stream_->blocks.size();
}

void RecordReader::seek_time(std::int64_t time_ns) {
  error_.reset();
  symbols_.clear();
  at_ = 0;
  block_ = 0;
  while (block_ < stream_->blocks.size() && stream_->blocks[block_].last_end_ns < time_ns) ++block_;
}

void RecordReader::seek_record(std::uint64_t index) {
  error_.reset();
  symbols_.clear();
  at_ = 0;
  block_ = 0;
  while (block_ < stream_->blocks.size() &&
         stream_->blocks[block_].first_record + stream_->blocks[block_].records <= index)
    ++block_;
  Record passed;
  while (block_ < stream_->blocks.size() || at_ < symbols_.size()) {
    if (at_ < symbols_.size() && first_record_ + at_ >= index) return;
    if (at_ == symbols_.size()) {
      if (stream_->blocks[block_].first_record >= index) return;
    }
    if (!next(passed)) return;
  }
}

}  // namespace weir::trace
