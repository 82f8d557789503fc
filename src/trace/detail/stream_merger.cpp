#include "trace/detail/stream_merger.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/compress.hpp"
#include "trace/detail/process_merger.hpp"
#include "trace/format.hpp"

namespace weir::trace::detail {
namespace {

// A grammar this large is closed and another begun: memory stays bounded for any length.
constexpr std::size_t kMostGrammarBytes = std::size_t{64} << 20;

Error damaged(const char* why) { return Error{Errc::bad_data, why}; }

std::uint64_t two_words(std::span<const std::uint32_t> words) {
  return words[0] | static_cast<std::uint64_t>(words[1]) << 32;
}

}  // namespace

std::int64_t first_seen(const LaneHeader& lane, double nanoseconds_per_tick) {
  const auto began = static_cast<std::int64_t>(lane[live::HeaderWord::first_monotonic]);
  const std::uint64_t first = lane[live::HeaderWord::first_tick];
  const std::uint64_t start = lane[live::HeaderWord::start_tick];
  if (start > first) return began;
  const double before = static_cast<double>(first - start) * nanoseconds_per_tick;
  if (before >= static_cast<double>(began)) return began;  // no process is older than the machine's uptime
  return began - std::llround(before);
}

StreamMerger::StreamMerger(ProcessMerger& process, const LaneFile& lane)
    : process_(process),
      timed_(lane.timed()),
      first_tick_(lane.header(live::HeaderWord::first_tick)),
      first_ns_(static_cast<std::int64_t>(lane.header(live::HeaderWord::first_monotonic)) -
                process.settings().origin_monotonic),
      replay_(process.tables().tables(), process.info().number),
      timing_encoder_(process.settings().timing) {
  info_.lost = lane.header(live::HeaderWord::lost);
  info_.unseen = lane.header(live::HeaderWord::unseen);
}

std::int64_t StreamMerger::nanoseconds(std::uint64_t tick) const {
  const auto ticks = static_cast<std::int64_t>(tick - first_tick_);
  return first_ns_ + std::llround(static_cast<double>(ticks) * process_.settings().nanoseconds_per_tick);
}

Result<void> StreamMerger::take(std::span<const std::uint32_t> words) {
  std::int64_t columns[live::kMostColumns];
  while (!words.empty()) {
    const std::uint32_t word = words.front();
    words = words.subspan(1);
    const live::EntryKind kind = live::kind_of(word);
    if (kind == live::EntryKind::definition) {
      const std::size_t bytes = live::bytes_of(word);
      const std::size_t length = (bytes + 3) / 4;
      if (length > words.size()) return damaged("a definition goes beyond its frame");
      const std::string_view payload(reinterpret_cast<const char*>(words.data()), bytes);
      if (const auto done = define(live::definition_of(word), payload); !done) return done.error();
      words = words.subspan(length);
      continue;
    }
    if (kind != live::EntryKind::record && kind != live::EntryKind::long_record)
      return damaged("an entry of a kind that is not known");
    const bool is_long = kind == live::EntryKind::long_record;
    const std::size_t time_words = timed_ ? (is_long ? 4 : 2) : 0;
    const std::size_t column_count = live::columns_of(word);
    if (time_words + 2 * column_count > words.size()) return damaged("a record goes beyond its frame");
    std::uint64_t gap = 0;
    std::uint64_t duration = 0;
    if (timed_) {
      gap = is_long ? two_words(words) : words[0];
      duration = is_long ? two_words(words.subspan(2)) : words[1];
    }
    for (std::size_t i = 0; i < column_count; ++i)
      columns[i] = static_cast<std::int64_t>(two_words(words.subspan(time_words + 2 * i)));
    words = words.subspan(time_words + 2 * column_count);
    if (const auto done = add_record(live::symbol_of(word), {columns, column_count}, gap, duration); !done)
      return done.error();
  }
  return {};
}

Result<void> StreamMerger::define(live::Definition type, std::string_view payload) {
  switch (type) {
    case live::Definition::text:
      texts_.push_back(process_.tables().text(payload));
      return {};
    case live::Definition::name_template: {
      const auto number = process_.tables().name_template(payload);
      if (!number) return number.error();
      templates_.push_back(*number);
      return {};
    }
    case live::Definition::signature: {
      if (payload.size() % sizeof(std::uint64_t) != 0) return damaged("a signature of half a word");
      std::vector<std::uint64_t> words(payload.size() / sizeof(std::uint64_t));
      if (!words.empty()) std::memcpy(words.data(), payload.data(), payload.size());
      const auto number = process_.tables().signature(words, texts_, templates_);
      if (!number) return number.error();
      signatures_.push_back(*number);
      return {};
    }
    case live::Definition::clock:
      if (payload.size() != sizeof last_end_) return damaged("a clock of a strange length");
      std::memcpy(&last_end_, payload.data(), sizeof last_end_);
      return {};
    case live::Definition::process:
      return describe_process(payload);
    case live::Definition::thread:
      return set_thread(payload);
    case live::Definition::rank:
      return process_.set_rank(payload);
    case live::Definition::communicator:
      return process_.add_communicator(payload);
    case live::Definition::surprise:
      if (payload.size() != sizeof(std::int32_t)) return damaged("a surprise of a strange length");
      ++info_.changed;
      break;
    case live::Definition::restart:
      texts_.clear();
      templates_.clear();
      signatures_.clear();
      break;
    default:
      break;
  }
  Event event{type, info_.records + symbols_.size(), std::string(payload)};
  if (const auto done = replay_.apply(event); !done) return done.error();
  events_.push_back(std::move(event));
  return {};
}

Result<void> StreamMerger::describe_process(std::string_view payload) {
  std::string fields[4];
  for (std::string& field : fields) {
    std::uint32_t length = 0;
    if (payload.size() < sizeof length) break;
    std::memcpy(&length, payload.data(), sizeof length);
    payload.remove_prefix(sizeof length);
    if (length > payload.size()) return damaged("a process whose description is too short");
    field = payload.substr(0, length);
    payload.remove_prefix(length);
  }
  ProcessInfo& process = process_.info();
  process.program = fields[0];
  process.directory = fields[1];
  for (std::string_view rest = fields[2]; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find('\0'));
    process.arguments.emplace_back(one);
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
  }
  process.host = fields[3];
  return {};
}

Result<void> StreamMerger::set_thread(std::string_view payload) {
  ThreadInfo thread;
  if (payload.size() < sizeof thread.number) return damaged("a thread is too short");
  std::memcpy(&thread.number, payload.data(), sizeof thread.number);
  thread.name = payload.substr(sizeof thread.number);
  thread.first_record = info_.records + symbols_.size();
  info_.threads.push_back(std::move(thread));
  return {};
}

Result<void> StreamMerger::add_record(std::uint32_t symbol, std::span<const std::int64_t> columns,
                                      std::uint64_t gap, std::uint64_t duration) {
  if (symbol >= signatures_.size()) return damaged("a record of a signature that is not there");
  const std::uint32_t known = signatures_[symbol];
  const Signature& signature = process_.tables().tables().signatures[known];
  if (signature.columns != columns.size()) return damaged("a record with the wrong number of columns");
  const std::uint32_t number = process_.own_number(known);
  replay_.apply({&signature, signature.words.data(), 0, number}, columns.data(), nullptr);
  if (signature.columns > signature.descriptors && signature.descriptors > 0) {
    std::int64_t kept[live::kMostColumns];
    std::size_t count = 0;
    for_each_value(
        signature,
        [&] {
          kept[count++] = columns.front();
          columns = columns.subspan(1);
        },
        [&] {
          descriptors_.add(columns.front());
          columns = columns.subspan(1);
        });
    columns_.add(number, {kept, count});
  } else if (signature.descriptors > 0) {
    for (const std::int64_t descriptor : columns) descriptors_.add(descriptor);
  } else if (!columns.empty()) {
    columns_.add(number, columns);
  }
  sequitur_.push(number);
  symbols_.push_back(number);
  if (timed_) {
    const std::uint64_t begin = last_end_ + gap;
    last_end_ = begin + duration;
    const std::int64_t start = nanoseconds(begin);
    starts_.push_back(start);
    durations_.push_back(
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, nanoseconds(last_end_) - start)));
  }
  if (symbols_.size() == kBlockRecords) {
    if (const auto done = flush_block(); !done) return done.error();
    if (sequitur_.memory_bytes() > kMostGrammarBytes) close_part();
  }
  return {};
}

Result<void> StreamMerger::flush_block() {
  if (symbols_.empty()) return {};
  const auto& add_piece = process_.settings().add_piece;
  BlockInfo about;
  about.first_record = info_.records;
  about.records = symbols_.size();
  if (state_.size() > 0) {
    ByteWriter packed;
    put_packed(packed, state_.view(), 9);
    const auto piece = add_piece(Section::state, packed.view());
    if (!piece) return piece.error();
    about.state = *piece;
  }

  ByteWriter columns;
  columns_.finish(columns);
  OwnNumbers numbers;
  ByteWriter block;
  put_block(block, about.records, about.first_record, events_, columns.view(), numbers);
  numbers.append(descriptors_);
  about.numbers = numbers.packed();
  const auto piece = add_piece(Section::block, block.view());
  if (!piece) return piece.error();
  about.block = *piece;

  if (timed_ && process_.settings().timing.mode != TimingMode::off) {
    TimingOptions options = process_.settings().timing;
    options.error_of_signature = process_.errors();
    timing_encoder_ = TimingEncoder(options);
    ByteWriter timing;
    const auto done = timing_encoder_.encode({starts_, durations_, symbols_}, timing);
    if (!done) return done.error();
    const auto times = add_piece(Section::timing, timing.view());
    if (!times) return times.error();
    about.timing = *times;
  }
  if (timed_) {
    about.first_start_ns = *std::min_element(starts_.begin(), starts_.end());
    for (std::size_t i = 0; i < starts_.size(); ++i)
      about.last_end_ns = std::max(about.last_end_ns, starts_[i] + static_cast<std::int64_t>(durations_[i]));
  }
  info_.blocks.push_back(std::move(about));
  info_.records += symbols_.size();
  symbols_.clear();
  starts_.clear();
  durations_.clear();
  events_.clear();
  descriptors_.clear();
  state_ = ByteWriter();
  replay_.save(state_, process_.own_templates());
  return {};
}

void StreamMerger::close_part() {
  const std::uint64_t length = sequitur_.length();
  if (length == 0) return;
  process_.add_grammar(sequitur_.finish());
  info_.part_records.push_back(length);
}

Result<StreamInfo> StreamMerger::finish() {
  if (const auto done = flush_block(); !done) return done.error();
  close_part();
  return std::move(info_);
}

}  // namespace weir::trace::detail
