#include "trace/detail/partial_bytes.hpp"

#include <algorithm>

#include "base/compress.hpp"
#include "calls/call.hpp"
#include "trace/encoding.hpp"
#include "trace/tables.hpp"

namespace weir::trace::detail {
namespace {

const Error kContradiction{Errc::bad_data, "what was merged while the program ran contradicts itself"};

template <class T, class Put>
void put_list(ByteWriter& out, const std::vector<T>& list, Put&& put) {
  out.varint(list.size());
  for (const T& one : list) put(one);
}

void put_class(ByteWriter& out, const SignatureClass& one) {
  out.u8(one.ranked ? 1 : 0);
  std::uint32_t before = 0;
  put_list(out, one.begins, [&](std::uint32_t begin) { out.varint(begin - std::exchange(before, begin)); });
  put_list(out, one.words, [&](std::uint64_t word) { out.varint(word); });
  for (const WordKind kind : one.kinds) out.u8(static_cast<std::uint8_t>(kind));
  put_list(out, one.lines, [&](const SignatureClass::Line& line) {
    out.varint(line.word);
    out.signed_varint(line.slope);
  });
  out.varint(one.members.size());
  for (std::size_t i = 0; i < one.members.size(); ++i) {
    out.varint(one.members[i]);
    out.signed_varint(one.ranks[i]);
  }
  put_list(out, one.owns, [&](const SignatureClass::Own& own) {
    out.varint(own.word);
    for (const std::uint64_t value : own.values) out.varint(value);
  });
}

// What ProcessInfo does not hold.
void put_process(ByteWriter& out, const PartialProcess& process) {
  out.u64(process.start_tick);
  for (const auto& stream : process.grammars)
    for (const std::uint32_t number : stream) out.varint(number);
  put_list(out, process.warnings, [&](const std::string& text) { out.string(text); });
  out.varint(process.pieces.size());
  for (const StoredPiece& piece : process.pieces) {
    out.varint(piece.offset);
    out.u64(piece.key.sum);
    out.u64(piece.key.other_sum);
  }
  put_list(out, process.lanes, [&](const CoveredLane& lane) {
    out.varint(lane.state);
    out.varint(lane.lost);
    out.varint(lane.unseen);
  });
}

ProcessTable table_of(const Partial& partial) {
  ProcessTable table;
  for (const PartialProcess& process : partial.processes) {
    const auto first = static_cast<std::uint32_t>(table.pieces.size());
    for (const StoredPiece& piece : process.pieces)
      table.pieces.push_back({piece.key.type, 0, piece.key.bytes});
    table.processes.push_back(process.info);
    for (StreamInfo& stream : table.processes.back().streams)
      for (BlockInfo& block : stream.blocks)
        for (std::uint32_t* const piece : {&block.state, &block.block, &block.timing})
          if (*piece != BlockInfo::kNoPiece) *piece += first;
  }
  return table;
}

// Reads one thing after the other and keeps the first error.
class Taking {
 public:
  explicit Taking(ByteReader& in) : in_(in) {}

  Result<Partial> partial() {
    take_pools();
    take_classes();
    take_processes();
    need(in_.at_end());
    if (!status_) return status_.error();
    for (SignatureClass& one : made_.classes) set_hash(one, made_);
    return std::move(made_);
  }

 private:
  void fail(const Error& error) {
    if (status_) status_ = error;
  }
  void need(bool good) {
    if (!good) fail(kContradiction);
  }
  template <class T>
  T take(const Result<T>& read) {
    if (read && status_) return *read;
    if (!read) fail(read.error());
    return T{};
  }
  std::uint64_t varint() { return take(in_.varint()); }
  std::uint64_t count(std::uint64_t bytes_each) { return take(in_.count(bytes_each)); }
  std::uint32_t below(std::size_t limit) {
    const std::uint64_t value = varint();
    need(value < limit);
    return status_ ? static_cast<std::uint32_t>(value) : 0;
  }

  void take_pools() {
    const auto fill = [&](Pool<std::string>& pool) {
      auto texts = take_strings(in_);
      if (!texts) return fail(texts.error());
      for (std::string& text : *texts) {
        const std::uint64_t hash = hash_of(text);
        const std::size_t before = pool.size();
        need(pool.add(std::move(text), hash) == before);
      }
    };
    fill(made_.texts);
    if (status_) fill(made_.templates);
    for (std::uint64_t left = status_ ? count(1) : 0; left > 0 && status_; --left) {
      auto grammar = grammar::Grammar::parse(in_);
      if (!grammar) return fail(grammar.error());
      const std::uint64_t hash = grammar->hash();
      const std::size_t before = made_.grammars.size();
      need(made_.grammars.add(std::move(*grammar), hash) == before);
    }
    if (!status_) return;
    auto communicators = take_communicators(in_);
    if (!communicators) return fail(communicators.error());
    for (Communicator& one : *communicators) {
      const std::uint64_t hash = hash_of(one);
      const std::size_t before = made_.communicators.size();
      need(made_.communicators.add(std::move(one), hash) == before);
    }
  }

  void take_classes() {
    for (std::uint64_t left = status_ ? count(6) : 0; left > 0 && status_; --left) {
      SignatureClass one;
      take_class(one);
      if (status_) made_.classes.push_back(std::move(one));
    }
  }

  void take_class(SignatureClass& one) {
    one.ranked = take(in_.u8()) != 0;
    std::uint64_t begin = 0;
    for (std::uint64_t left = count(1); left > 0 && status_; --left) {
      begin += varint();
      need(begin <= UINT32_MAX && (one.begins.empty() ? begin == 0 : begin > one.begins.back()));
      one.begins.push_back(static_cast<std::uint32_t>(begin));
    }
    for (std::uint64_t left = count(2); left > 0 && status_; --left) one.words.push_back(varint());
    need(one.begins.empty() ? one.words.empty() : one.begins.back() < one.words.size());
    for (std::size_t i = 0; i < one.words.size() && status_; ++i) {
      const std::uint8_t kind = take(in_.u8());
      need(kind <= static_cast<std::uint8_t>(WordKind::free));
      one.kinds.push_back(static_cast<WordKind>(kind));
      if (one.kinds[i] == WordKind::text) need(one.words[i] < made_.texts.size());
      if (one.kinds[i] == WordKind::name) need(one.words[i] < made_.templates.size());
    }
    for (const std::uint32_t at : one.begins)
      if (status_) need(one.kinds[at] == WordKind::fixed && Head::function(one.words[at]) < kCallCount);
    take_varying(one);
  }

  void take_varying(SignatureClass& one) {
    const auto word_behind = [&](const auto& list) {
      const std::uint32_t word = below(one.words.size());
      need(status_ && one.kinds[word] == WordKind::free && (list.empty() || word > list.back().word));
      return word;
    };
    for (std::uint64_t left = count(2); left > 0 && status_; --left) {
      const std::uint32_t word = word_behind(one.lines);
      one.lines.push_back({word, take(in_.signed_varint())});
    }
    const std::uint64_t members = count(2);
    need(members > 0);
    for (std::uint64_t i = 0; i < members && status_; ++i) {
      one.members.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(varint(), UINT32_MAX)));
      one.ranks.push_back(take(in_.signed_varint()));
    }
    for (std::uint64_t left = count(1); left > 0 && status_; --left) {
      SignatureClass::Own own{word_behind(one.owns), {}};
      for (std::uint64_t i = 0; i < members && status_; ++i) own.values.push_back(varint());
      one.owns.push_back(std::move(own));
    }
    need(one.ranked || (one.lines.empty() && one.owns.empty()));
  }

  void take_processes() {
    if (!status_) return;
    const std::vector<std::size_t> no_own_words(made_.classes.size());
    auto table = trace::take_processes(in_, no_own_words, made_.communicators.size());
    if (!table) return fail(table.error());
    std::size_t first = 0;
    for (ProcessInfo& info : table->processes) {
      PartialProcess process;
      process.info = std::move(info);
      first += take_process(process, std::span(table->pieces).subspan(first), first);
      if (!status_) return;
      made_.processes.push_back(std::move(process));
    }
    need(first == table->pieces.size());
    check_members();
  }

  // How many of the pieces are its own.
  std::size_t take_process(PartialProcess& process, std::span<const Piece> pieces, std::size_t first) {
    process.start_tick = take(in_.u64());
    for (const StreamInfo& stream : process.info.streams) {
      auto& numbers = process.grammars.emplace_back();
      for (std::size_t k = 0; k < stream.part_records.size() && status_; ++k) {
        numbers.push_back(below(made_.grammars.size()));
        need(status_ && made_.grammars[numbers.back()].length() == stream.part_records[k]);
      }
    }
    for (std::uint64_t left = count(1); left > 0 && status_; --left)
      process.warnings.emplace_back(take(in_.string()));
    const std::uint64_t own = count(17);
    need(own <= pieces.size());
    for (std::uint64_t i = 0; i < own && status_; ++i) {
      StoredPiece piece;
      piece.offset = varint();
      piece.key = {pieces[i].type, pieces[i].bytes, take(in_.u64()), take(in_.u64())};
      process.pieces.push_back(piece);
    }
    for (std::uint64_t left = count(3); left > 0 && status_; --left)
      process.lanes.push_back({varint(), varint(), varint()});
    need(process.lanes.size() == process.info.streams.size());
    for (StreamInfo& stream : process.info.streams)
      for (BlockInfo& block : stream.blocks)
        for (std::uint32_t* const piece : {&block.state, &block.block, &block.timing}) {
          if (*piece == BlockInfo::kNoPiece) continue;
          need(*piece >= first && *piece - first < own);
          *piece -= static_cast<std::uint32_t>(first);
        }
    return own;
  }

  // Each process is a member of its class, and of no other.
  void check_members() {
    std::vector<bool> seen(made_.processes.size());
    std::size_t all = 0;
    for (std::size_t i = 0; i < made_.classes.size() && status_; ++i)
      for (std::size_t k = 0; k < made_.classes[i].members.size() && status_; ++k, ++all) {
        const std::uint32_t member = made_.classes[i].members[k];
        need(member < seen.size() && !seen[member]);
        if (!status_) return;
        seen[member] = true;
        const ProcessInfo& info = made_.processes[member].info;
        need(info.class_number == i && info.rank == made_.classes[i].ranks[k]);
      }
    need(all == seen.size());
  }

  ByteReader& in_;
  Result<void> status_;
  Partial made_;
};

}  // namespace

void put_partial(ByteWriter& out, const Partial& partial) {
  put_strings(out, partial.texts.list());
  put_strings(out, partial.templates.list());
  put_list(out, partial.grammars.list(), [&](const grammar::Grammar& one) { one.serialize(out); });
  put_communicators(out, partial.communicators.list());
  put_list(out, partial.classes, [&](const SignatureClass& one) { put_class(out, one); });
  put_processes(out, table_of(partial));
  for (const PartialProcess& process : partial.processes) put_process(out, process);
}

Result<Partial> take_partial(ByteReader& in) { return Taking(in).partial(); }

}  // namespace weir::trace::detail
