#include "trace/process_info.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <utility>

#include "base/compress.hpp"

namespace weir::trace {
namespace {

const Error kContradiction{Errc::bad_data, "the list of processes contradicts itself"};

// How the table calls them.
constexpr std::array kPieceTypes = {Section::block, Section::state, Section::timing};
// Of all processes, names and arguments: a file may say that each of many has the same long ones. So much in
// any case, and so much for each byte of the table.
constexpr std::uint64_t kMostNameBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kNameBytesPerByte = 256;

// A column is a zigzag per value: its difference to the one before, modulo 2^64.
class ColumnOut {
 public:
  explicit ColumnOut(ByteWriter& out) : out_(out) {}
  void add(std::uint64_t value) {
    out_.signed_varint(static_cast<std::int64_t>(value - before_));
    before_ = value;
  }
  void add(std::int64_t value) { add(static_cast<std::uint64_t>(value)); }
  void add(std::uint32_t value) { add(std::uint64_t{value}); }

 private:
  ByteWriter& out_;
  std::uint64_t before_ = 0;
};

// Distinct things, numbered as they first come.
template <class T>
class Numbered {
 public:
  std::uint64_t number(const T& one) {
    const auto [found, fresh] = numbers_.try_emplace(one, list_.size());
    if (fresh) list_.push_back(&found->first);
    return found->second;
  }
  const std::vector<const T*>& list() const { return list_; }

 private:
  std::map<T, std::uint64_t> numbers_;
  std::vector<const T*> list_;
};

std::uint64_t piece_code(std::uint32_t piece) { return piece == BlockInfo::kNoPiece ? 0 : piece + 1ULL; }

class TableWriter {
 public:
  explicit TableWriter(const ProcessTable& table) : table_(table) {
    for (const ProcessInfo& process : table.processes)
      for (const StreamInfo& stream : process.streams) {
        streams_.push_back({&process, &stream});
        for (const BlockInfo& block : stream.blocks) blocks_.push_back(&block);
      }
  }

  void write(ByteWriter& out) {
    ByteWriter body;
    put_processes(body);
    put_streams(body);
    put_blocks(body);

    out.varint(strings_.list().size());
    for (const std::string* const text : strings_.list()) out.string(*text);
    out.varint(lists_.list().size());
    for (const auto* const list : lists_.list()) {
      out.varint(list->size());
      for (const std::uint64_t text : *list) out.varint(text);
    }
    out.varint(table_.pieces.size());
    ColumnOut types(out);
    for (const Piece& piece : table_.pieces)
      types.add(static_cast<std::uint64_t>(std::find(kPieceTypes.begin(), kPieceTypes.end(), piece.type) -
                                           kPieceTypes.begin()));
    ColumnOut lengths(out);
    for (const Piece& piece : table_.pieces) lengths.add(piece.bytes);
    out.bytes(body.view());
  }

 private:
  struct Place {
    const ProcessInfo* process;
    const StreamInfo* stream;
  };

  template <class Items, class Field>
  static void put_column(ByteWriter& out, const Items& items, Field&& field) {
    ColumnOut column(out);
    for (const auto& item : items) column.add(std::invoke(field, item));
  }

  void put_processes(ByteWriter& out) {
    const std::vector<ProcessInfo>& all = table_.processes;
    out.varint(all.size());
    put_column(out, all, &ProcessInfo::number);
    put_column(out, all, &ProcessInfo::parent_number);
    put_column(out, all, &ProcessInfo::parent);
    put_column(out, all, [&](const ProcessInfo& one) { return strings_.number(one.program); });
    put_column(out, all, [&](const ProcessInfo& one) { return strings_.number(one.directory); });
    put_column(out, all, [&](const ProcessInfo& one) { return strings_.number(one.host); });
    put_column(out, all, [&](const ProcessInfo& one) {
      std::vector<std::uint64_t> list;
      for (const std::string& argument : one.arguments) list.push_back(strings_.number(argument));
      return lists_.number(list);
    });
    put_column(out, all, &ProcessInfo::start_ns);
    put_column(out, all, &ProcessInfo::rank);
    put_column(out, all, &ProcessInfo::world_size);
    put_column(out, all, [](const ProcessInfo& one) {
      return std::uint64_t{one.clock_at_init ? 1U : 0U} + (one.clock_at_finalize ? 1U : 0U);
    });
    put_column(out, all, &ProcessInfo::class_number);
    put_column(out, all, [](const ProcessInfo& one) { return std::uint64_t{one.communicators.size()}; });
    put_column(out, all, [](const ProcessInfo& one) { return std::uint64_t{one.streams.size()}; });

    ColumnOut at_init(out);
    for (const ProcessInfo& one : all)
      if (one.clock_at_init) at_init.add(*one.clock_at_init);
    ColumnOut drift(out);
    for (const ProcessInfo& one : all)
      if (one.clock_at_finalize)
        drift.add(static_cast<std::uint64_t>(*one.clock_at_finalize) -
                  static_cast<std::uint64_t>(*one.clock_at_init));

    // The first of each process, then the second of each, ...: neighbours resemble each other.
    std::size_t most = 0;
    std::map<std::uint32_t, std::vector<const ProcessInfo*>> classes;
    for (const ProcessInfo& one : all) {
      most = std::max(most, one.communicators.size());
      classes[one.class_number].push_back(&one);
    }
    for (std::size_t k = 0; k < most; ++k) {
      ColumnOut column(out);
      for (const ProcessInfo& one : all)
        if (one.communicators.size() > k) column.add(one.communicators[k]);
    }
    for (const auto& [number, members] : classes)
      for (std::size_t k = 0; k < members.front()->own_words.size(); ++k) {
        ColumnOut column(out);
        for (const ProcessInfo* const one : members) column.add(one->own_words[k]);
      }
  }

  void put_streams(ByteWriter& out) {
    const auto put_field = [&](std::uint64_t StreamInfo::*field) {
      put_column(out, streams_, [=](const Place& place) { return place.stream->*field; });
    };
    const auto put_count = [&](const auto& list) {
      put_column(out, streams_,
                 [&](const Place& place) { return std::uint64_t{std::invoke(list, place.stream).size()}; });
    };
    put_field(&StreamInfo::records);
    put_field(&StreamInfo::lost);
    put_field(&StreamInfo::unseen);
    put_field(&StreamInfo::changed);
    put_field(&StreamInfo::damaged);
    put_count(&StreamInfo::part_records);
    put_count(&StreamInfo::threads);
    put_count(&StreamInfo::blocks);

    ColumnOut parts(out);
    for (const Place& place : streams_)
      for (const std::uint64_t records : place.stream->part_records) parts.add(records);
    const auto put_threads = [&](auto&& field) {
      ColumnOut column(out);
      for (const Place& place : streams_)
        for (const ThreadInfo& thread : place.stream->threads) column.add(field(place, thread));
    };
    put_threads([](const Place&, const ThreadInfo& thread) { return thread.first_record; });
    put_threads([](const Place& place, const ThreadInfo& thread) {
      return thread.number - static_cast<std::uint64_t>(place.process->number);
    });
    put_threads([&](const Place&, const ThreadInfo& thread) { return strings_.number(thread.name); });
  }

  void put_blocks(ByteWriter& out) {
    put_column(out, blocks_, &BlockInfo::records);
    put_column(out, blocks_, [](const BlockInfo* one) { return piece_code(one->block); });
    put_column(out, blocks_, [](const BlockInfo* one) { return piece_code(one->state); });
    put_column(out, blocks_, [](const BlockInfo* one) { return piece_code(one->timing); });
    put_column(out, blocks_, &BlockInfo::first_start_ns);
    put_column(out, blocks_, [](const BlockInfo* one) { return one->last_end_ns - one->first_start_ns; });
    put_column(out, blocks_, [](const BlockInfo* one) { return std::uint64_t{one->numbers.size()}; });
    for (const BlockInfo* const block : blocks_) out.bytes(as_bytes(block->numbers));
  }

  const ProcessTable& table_;
  std::vector<Place> streams_;
  std::vector<const BlockInfo*> blocks_;
  Numbered<std::string> strings_;
  Numbered<std::vector<std::uint64_t>> lists_;
};

// Reads one list after the other and keeps the first error; after it everything is empty.
class TableReader {
 public:
  TableReader(ByteReader& in, std::span<const std::size_t> own_words, std::size_t communicators)
      : in_(in),
        own_words_(own_words),
        communicators_(communicators),
        most_name_bytes_(kMostNameBytes + kNameBytesPerByte * in.remaining()) {}

  Result<ProcessTable> read() {
    take_strings();
    take_pieces();
    take_processes();
    take_streams();
    take_blocks();
    if (!in_.at_end()) fail(Error{Errc::bad_data, "the list of processes has bytes left over"});
    if (!status_) return status_.error();
    for (const ProcessInfo& process : table_.processes)
      for (const StreamInfo& stream : process.streams)
        if (const auto good = check(stream); !good) return good.error();
    return std::move(table_);
  }

 private:
  void fail(const Error& error) {
    if (status_) status_ = error;
  }
  void need(bool good) {
    if (!good) fail(kContradiction);
  }

  // Each value takes a byte at least, so a count cannot ask for more memory than the file's own size calls
  // for.
  std::vector<std::uint64_t> column(std::uint64_t count) {
    if (count > in_.remaining()) fail(kContradiction);
    std::vector<std::uint64_t> values;
    if (!status_) return values;
    values.reserve(count);
    std::uint64_t before = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto step = in_.signed_varint();
      if (!step) {
        fail(step.error());
        return {};
      }
      before += static_cast<std::uint64_t>(*step);
      values.push_back(before);
    }
    return values;
  }
  // Numbers below `limit`.
  std::vector<std::uint64_t> column(std::uint64_t count, std::uint64_t limit) {
    auto values = column(count);
    if (std::any_of(values.begin(), values.end(), [&](std::uint64_t value) { return value >= limit; })) {
      need(false);
      values.clear();
    }
    return values;
  }
  std::uint64_t count(std::uint64_t bytes_each) {
    const auto read = in_.count(bytes_each);
    if (!read) {
      fail(read.error());
      return 0;
    }
    return *read;
  }
  // How many all counts come to; none of them can be more than the bytes that are left.
  std::uint64_t sum(const std::vector<std::uint64_t>& counts) {
    std::uint64_t all = 0;
    for (const std::uint64_t count : counts)
      if (count > in_.remaining() || __builtin_add_overflow(all, count, &all)) {
        need(false);
        return 0;
      }
    need(all <= in_.remaining());
    return status_ ? all : 0;
  }

  // Counts a text that is kept once more.
  const std::string& copied(const std::string& text) {
    name_bytes_ += sizeof(std::string) + text.size();
    if (name_bytes_ > most_name_bytes_) fail(Error{Errc::too_big, "the names of all processes are too long"});
    return text;
  }

  void take_strings() {
    const std::uint64_t strings = count(1);
    for (std::uint64_t i = 0; i < strings && status_; ++i) {
      const auto text = in_.string();
      if (!text) return fail(text.error());
      strings_.emplace_back(*text);
    }
    const std::uint64_t lists = status_ ? count(1) : 0;
    for (std::uint64_t i = 0; i < lists && status_; ++i) {
      std::vector<std::uint64_t> list;
      const std::uint64_t length = count(1);
      for (std::uint64_t k = 0; k < length && status_; ++k) {
        const auto text = in_.varint();
        if (!text) return fail(text.error());
        if (*text >= strings_.size()) return need(false);
        list.push_back(*text);
      }
      lists_.push_back(std::move(list));
    }
  }

  void take_pieces() {
    if (!status_) return;
    const std::uint64_t pieces = count(2);
    const auto types = column(pieces, kPieceTypes.size());
    const auto lengths = column(pieces);
    if (!status_) return;
    std::uint64_t offset = 0;
    for (std::size_t i = 0; i < pieces; ++i) {
      table_.pieces.push_back({kPieceTypes[types[i]], offset, lengths[i]});
      if (__builtin_add_overflow(offset, lengths[i], &offset) ||
          __builtin_add_overflow(offset, kSectionHeaderBytes, &offset))
        return need(false);
    }
  }

  void take_processes() {
    if (!status_) return;
    const std::uint64_t all = count(14);
    const auto numbers = column(all);
    const auto parent_numbers = column(all);
    const auto parents = column(all);
    const auto programs = column(all, strings_.size());
    const auto directories = column(all, strings_.size());
    const auto hosts = column(all, strings_.size());
    const auto arguments = column(all, lists_.size());
    const auto starts = column(all);
    const auto ranks = column(all);
    const auto sizes = column(all);
    const auto clocks = column(all, 3);
    const auto classes = column(all, own_words_.size());
    const auto communicators = column(all);
    stream_counts_ = column(all);
    if (!status_) return;
    for (std::size_t i = 0; i < all; ++i) {
      ProcessInfo one;
      one.number = static_cast<std::int64_t>(numbers[i]);
      one.parent_number = static_cast<std::int64_t>(parent_numbers[i]);
      one.parent = static_cast<std::int64_t>(parents[i]);
      one.program = copied(strings_[programs[i]]);
      one.directory = copied(strings_[directories[i]]);
      one.host = copied(strings_[hosts[i]]);
      for (const std::uint64_t text : lists_[arguments[i]]) {
        one.arguments.push_back(copied(strings_[text]));
        if (!status_) return;
      }
      one.start_ns = static_cast<std::int64_t>(starts[i]);
      one.rank = static_cast<std::int64_t>(ranks[i]);
      one.world_size = static_cast<std::int64_t>(sizes[i]);
      one.class_number = static_cast<std::uint32_t>(classes[i]);
      if (one.parent < -1 || one.parent >= static_cast<std::int64_t>(all))
        return fail(Error{Errc::bad_data, "a process whose parent is not there"});
      if (one.rank < -1 || one.rank > INT32_MAX)
        return fail(Error{Errc::bad_data, "a process with a rank that cannot be"});
      table_.processes.push_back(std::move(one));
    }
    take_clocks(clocks);
    take_communicators(communicators);
    take_own_words();
  }

  void take_clocks(const std::vector<std::uint64_t>& clocks) {
    const auto at_least = [&](std::uint64_t least) {
      return static_cast<std::uint64_t>(
          std::count_if(clocks.begin(), clocks.end(), [=](std::uint64_t n) { return n >= least; }));
    };
    const auto at_init = column(at_least(1));
    const auto drift = column(at_least(2));
    if (!status_) return;
    std::size_t first = 0;
    std::size_t second = 0;
    for (std::size_t i = 0; i < clocks.size(); ++i) {
      ProcessInfo& one = table_.processes[i];
      if (clocks[i] >= 1) one.clock_at_init = static_cast<std::int64_t>(at_init[first++]);
      if (clocks[i] >= 2)
        one.clock_at_finalize =
            static_cast<std::int64_t>(static_cast<std::uint64_t>(*one.clock_at_init) + drift[second++]);
    }
  }

  void take_communicators(const std::vector<std::uint64_t>& counts) {
    (void)sum(counts);
    const std::uint64_t most = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
    for (std::uint64_t k = 0; k < most && status_; ++k) {
      const auto having = std::count_if(counts.begin(), counts.end(), [=](auto n) { return n > k; });
      const auto list = column(static_cast<std::uint64_t>(having), communicators_);
      if (!status_) return;
      std::size_t next = 0;
      for (std::size_t i = 0; i < counts.size(); ++i)
        if (counts[i] > k)
          table_.processes[i].communicators.push_back(static_cast<std::uint32_t>(list[next++]));
    }
  }

  void take_own_words() {
    std::vector<std::vector<ProcessInfo*>> members(own_words_.size());
    for (ProcessInfo& one : table_.processes) members[one.class_number].push_back(&one);
    for (std::size_t number = 0; number < members.size(); ++number) {
      if (members[number].empty()) continue;
      for (std::size_t k = 0; k < own_words_[number] && status_; ++k) {
        const auto values = column(members[number].size());
        if (!status_) return;
        for (std::size_t i = 0; i < values.size(); ++i) members[number][i]->own_words.push_back(values[i]);
      }
    }
  }

  void take_streams() {
    if (!status_) return;
    const std::uint64_t all = sum(stream_counts_);
    const auto records = column(all);
    const auto lost = column(all);
    const auto unseen = column(all);
    const auto changed = column(all);
    const auto damaged = column(all);
    const auto parts = column(all);
    const auto threads = column(all);
    block_counts_ = column(all);
    const auto part_records = column(sum(parts));
    const std::uint64_t thread_count = sum(threads);
    const auto first_records = column(thread_count);
    const auto thread_numbers = column(thread_count);
    const auto thread_names = column(thread_count, strings_.size());
    if (!status_) return;
    std::size_t next = 0;
    std::size_t part = 0;
    std::size_t thread = 0;
    for (std::size_t p = 0; p < table_.processes.size(); ++p)
      for (std::uint64_t s = 0; s < stream_counts_[p] && status_; ++s, ++next) {
        StreamInfo stream;
        stream.records = records[next];
        stream.lost = lost[next];
        stream.unseen = unseen[next];
        stream.changed = changed[next];
        stream.damaged = damaged[next];
        stream.first_grammar = part;
        for (std::uint64_t k = 0; k < parts[next]; ++k) stream.part_records.push_back(part_records[part++]);
        for (std::uint64_t k = 0; k < threads[next]; ++k, ++thread)
          stream.threads.push_back(
              {first_records[thread],
               thread_numbers[thread] + static_cast<std::uint64_t>(table_.processes[p].number),
               copied(strings_[thread_names[thread]])});
        table_.processes[p].streams.push_back(std::move(stream));
      }
  }

  void take_blocks() {
    if (!status_) return;
    const std::uint64_t all = sum(block_counts_);
    const std::uint64_t codes = table_.pieces.size() + 1;
    const auto records = column(all);
    const auto blocks = column(all, codes);
    const auto states = column(all, codes);
    const auto timings = column(all, codes);
    const auto starts = column(all);
    const auto spans = column(all);
    const auto number_bytes = column(all);
    if (!status_) return;
    const auto piece = [&](std::uint64_t code, Section type) {
      if (code == 0) return BlockInfo::kNoPiece;
      need(table_.pieces[code - 1].type == type);
      return static_cast<std::uint32_t>(code - 1);
    };
    std::size_t stream_index = 0;
    std::size_t next = 0;
    for (ProcessInfo& process : table_.processes)
      for (StreamInfo& stream : process.streams) {
        std::uint64_t first = 0;
        for (std::uint64_t k = 0; k < block_counts_[stream_index] && status_; ++k, ++next) {
          BlockInfo block;
          block.first_record = first;
          block.records = records[next];
          need(!__builtin_add_overflow(first, block.records, &first));
          block.block = piece(blocks[next], Section::block);
          block.state = piece(states[next], Section::state);
          block.timing = piece(timings[next], Section::timing);
          need(block.block != BlockInfo::kNoPiece);
          block.first_start_ns = static_cast<std::int64_t>(starts[next]);
          block.last_end_ns = static_cast<std::int64_t>(starts[next] + spans[next]);
          const auto bytes = in_.bytes(number_bytes[next]);
          if (!bytes) return fail(bytes.error());
          block.numbers = as_text(*bytes);
          stream.blocks.push_back(std::move(block));
        }
        ++stream_index;
      }
  }

  ByteReader& in_;
  const std::span<const std::size_t> own_words_;
  const std::size_t communicators_;
  const std::uint64_t most_name_bytes_;
  Result<void> status_;
  ProcessTable table_;
  std::vector<std::string> strings_;
  std::vector<std::vector<std::uint64_t>> lists_;  // of strings
  std::uint64_t name_bytes_ = 0;
  std::vector<std::uint64_t> stream_counts_;
  std::vector<std::uint64_t> block_counts_;
};

}  // namespace

Result<void> check(const StreamInfo& stream) {
  std::uint64_t sum = 0;
  for (const std::uint64_t records : stream.part_records)
    if (__builtin_add_overflow(sum, records, &sum)) return kContradiction;
  if (sum != stream.records) return kContradiction;
  std::uint64_t next = 0;
  for (const BlockInfo& block : stream.blocks) {
    if (block.first_record != next || block.records == 0) return kContradiction;
    if (__builtin_add_overflow(next, block.records, &next)) return kContradiction;
  }
  if (next != stream.records) return kContradiction;
  return {};
}

void put_processes(ByteWriter& out, const ProcessTable& table) {
  ByteWriter plain;
  TableWriter(table).write(plain);
  put_packed(out, plain.view(), 9);
}

Result<ProcessTable> take_processes(ByteReader& packed, std::span<const std::size_t> own_words,
                                    std::size_t communicators) {
  const auto plain = take_packed(packed, kMostTableBytes);
  if (!plain) return plain.error();
  ByteReader in(*plain);
  return TableReader(in, own_words, communicators).read();
}

}  // namespace weir::trace
