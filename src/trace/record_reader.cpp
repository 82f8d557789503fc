#include <algorithm>

#include <fmt/format.h>

#include "trace/timing/block.hpp"
#include "trace/trace_file.hpp"

namespace weir::trace {

RecordReader::RecordReader(const TraceFile& trace, std::size_t process, std::size_t stream)
    : trace_(&trace),
      process_(&trace.processes()[process]),
      stream_(&process_->streams[stream]),
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
  auto bytes = trace_->read_block(info);
  if (!bytes) return bytes.error();
  bytes_ = std::move(*bytes);
  auto parts = detail::take_block(bytes_);
  if (!parts) return parts.error();
  parts_ = std::move(*parts);
  if (parts_.first_record != info.first_record || parts_.records != info.records)
    return Error{Errc::bad_data, "a block that is another one than the list says"};

  ByteReader state(parts_.state);
  if (const auto restored = replay_.restore(state); !restored) return restored.error();
  ByteReader columns(parts_.columns);
  auto reader = ColumnReader::parse(columns, trace_->tables().signatures, parts_.records);
  if (!reader) return reader.error();
  columns_ = std::move(*reader);

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
  const std::size_t known = trace_->tables().signatures.size();
  if (std::any_of(symbols_.begin(), symbols_.end(), [&](std::uint32_t symbol) { return symbol >= known; }))
    return Error{Errc::bad_data, "a record of a signature that is not there"};

  if (!parts_.timing.empty()) {
    starts_.resize(info.records);
    durations_.resize(info.records);
    ByteReader timing(parts_.timing);
    if (const auto decoded = decode_timing_block(timing, symbols_, {starts_, durations_}); !decoded)
      return decoded.error();
  } else {
    starts_.assign(info.records, 0);
    durations_.assign(info.records, 0);
  }
  at_ = 0;
  event_ = 0;
  return {};
}

bool RecordReader::load() {
  if (error_ || block_ == stream_->blocks.size()) return false;
  const BlockInfo& info = stream_->blocks[block_++];
  const auto loaded = load_block(info);
  return loaded ? true : fail(loaded.error());
}

bool RecordReader::next(Record& record) {
  if (at_ == symbols_.size() && !load()) return false;
  const std::uint64_t index = parts_.first_record + at_;
  while (event_ < parts_.events.size() && parts_.events[event_].before_record <= index)
    if (const auto applied = replay_.apply(parts_.events[event_++]); !applied) return fail(applied.error());
  const std::uint32_t symbol = symbols_[at_];
  const std::uint32_t columns = trace_->tables().signatures[symbol].columns;
  const std::int64_t* values = nullptr;
  if (columns > 0) {
    values = columns_->next(symbol, columns);
    if (values == nullptr) return fail(Error{Errc::bad_data, "a block with too few column values"});
  }
  replay_.apply(symbol, values, &record);
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
    if (at_ < symbols_.size() && parts_.first_record + at_ >= index) return;
    if (at_ == symbols_.size()) {
      if (stream_->blocks[block_].first_record >= index) return;
    }
    if (!next(passed)) return;
  }
}

}  // namespace weir::trace
