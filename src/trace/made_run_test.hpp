#pragma once

// Runs made by hand for tests: lanes as a recorder leaves them, with times, threads and processes as the test
// says, so that what is read back is known to the byte.

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/check.hpp"
#include "base/checksum.hpp"
#include "base/zigzag.hpp"
#include "calls/call.hpp"
#include "trace/encoding.hpp"
#include "trace/list_text.hpp"
#include "trace/live.hpp"
#include "trace/merge.hpp"

namespace weir::trace::made {

// An argument or a result as the recorder writes it down.
struct Part {
  Encoding encoding = Encoding::absent;
  std::vector<std::uint64_t> words;
  std::vector<std::int64_t> columns;
  std::string text;  // of a text or a path
};

inline Part absent() { return {}; }
inline Part null() { return {Encoding::null, {}, {}, {}}; }
inline Part literal(std::int64_t value) {
  return {Encoding::literal, {static_cast<std::uint64_t>(value)}, {}, {}};
}
inline Part handle(std::uint32_t id) { return {Encoding::handle, {id}, {}, {}}; }
inline Part distance(std::int64_t bytes) {
  return {Encoding::distance, {static_cast<std::uint64_t>(bytes)}, {}, {}};
}
inline Part text(std::string_view text) { return {Encoding::text, {}, {}, std::string(text)}; }
inline Part path(std::string_view name) { return {Encoding::path, {}, {}, std::string(name)}; }
inline Part column(std::int64_t value) { return {Encoding::column, {}, {value}, {}}; }
inline Part full() { return {Encoding::full, {}, {}, {}}; }
inline Part failed(int error) { return {Encoding::failed, {static_cast<std::uint64_t>(error)}, {}, {}}; }
inline Part opened(std::uint32_t id, int descriptor) { return {Encoding::opened, {id}, {descriptor}, {}}; }
inline Part opened_pair(std::uint32_t first, std::uint32_t second, int descriptor, int other) {
  return {Encoding::opened_pair, {first, second}, {descriptor, other}, {}};
}
inline Part unfinished() { return {Encoding::unfinished, {}, {}, {}}; }
inline Part relative(std::int64_t distance) {
  return {Encoding::relative, {static_cast<std::uint64_t>(distance)}, {}, {}};
}
// A name whose template has numbers: the differences to its last ones.
inline Part path(std::string_view name_template, const std::vector<std::int64_t>& differences) {
  Part part{Encoding::path, {}, {}, std::string(name_template)};
  for (const std::int64_t one : differences) part.words.push_back(static_cast<std::uint64_t>(one));
  return part;
}
// Source and tag, the source as it is or counted from the caller's own rank.
inline Part status(Encoding encoding, std::int32_t source, std::int32_t tag) {
  return {encoding,
          {static_cast<std::uint64_t>(static_cast<std::uint32_t>(source)) << 32 |
           static_cast<std::uint32_t>(tag)},
          {},
          {}};
}
// The items of a list one after the other: list(item(3) + relative_item(-1) + name_item("MPI_INT") +
// null_item()).
inline std::string list_item(ListMark mark, std::uint64_t rest) {
  ByteWriter out;
  out.varint(rest << 2 | static_cast<std::uint64_t>(mark));
  return std::string(as_text(out.view()));
}
inline std::string item(std::int64_t value) { return list_item(ListMark::number, zigzag(value)); }
inline std::string relative_item(std::int64_t value) { return list_item(ListMark::relative, zigzag(value)); }
inline std::string name_item(std::string_view name) {
  return list_item(ListMark::name, name.size()) + std::string(name);
}
inline std::string null_item() { return list_item(ListMark::nothing, 0); }
// The next `count` items are a list themselves.
inline std::string inner_list(std::uint64_t count) { return list_item(ListMark::nothing, count + 1); }
inline Part list(std::string_view items) { return {Encoding::list, {}, {}, std::string(items)}; }

class Lane {
 public:
  struct About {
    std::uint64_t process = 100;
    std::uint64_t parent = 1;
    std::uint64_t number = 0;
    std::uint64_t start = 1000;  // ticks; one is a nanosecond
    bool timed = true;
    std::uint64_t lost = 0;
    std::uint64_t late = 0;  // by which the lane was begun after the process was first seen
  };

  Lane(const std::filesystem::path& run, const About& about) : about_(about) {
    std::filesystem::create_directories(run / live::kFolder);
    path_ = run / live::kFolder /
            fmt::format("{:016x}-{}-{}{}", about.start, about.process, about.number, live::kSuffix);
    last_end_ = about.start;
    const std::uint64_t tick = about.start;
    define(live::Definition::clock, bytes_of(tick));
  }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane() { write(); }

  void program(std::string_view program, std::string_view directory, std::string_view arguments,
               std::string_view host = "node1") {
    std::string payload;
    for (const std::string_view field : {program, directory, arguments, host}) {
      payload += bytes_of(static_cast<std::uint32_t>(field.size()));
      payload += field;
    }
    define(live::Definition::process, payload);
    define(live::Definition::directory, directory);
  }
  void thread(std::uint64_t number) { define(live::Definition::thread, bytes_of(number)); }
  void directory(std::string_view name) { define(live::Definition::directory, name); }
  void inherited(std::uint32_t id, int descriptor, std::string_view name) {
    inherited({id, descriptor, 1, 0, 0, 0, 0}, name);
  }
  void inherited(const live::HandleDefinition& about, std::string_view name) {
    define(live::Definition::handle, bytes_of(about) + std::string(name));
  }
  void surprise(std::int32_t descriptor) { define(live::Definition::surprise, bytes_of(descriptor)); }
  // Any definition, also one that is none.
  void raw(live::Definition type, std::string_view payload) { define(type, payload); }

  void rank(std::int32_t rank, std::int32_t size, std::int64_t clock_at_init) {
    define(live::Definition::rank, bytes_of(live::RankDefinition{rank, size, clock_at_init}));
  }
  void rank(std::int32_t rank, std::int32_t size, std::int64_t clock_at_init, std::int64_t at_finalize) {
    define(live::Definition::rank,
           bytes_of(live::RankDefinition{rank, size, clock_at_init}) + bytes_of(at_finalize));
  }
  void communicator(std::uint32_t id, std::uint32_t own_rank, const std::vector<live::RankRun>& members,
                    const std::vector<live::RankRun>& remote = {}) {
    const auto count = [](const std::vector<live::RankRun>& runs) {
      std::uint32_t sum = 0;
      for (const live::RankRun& run : runs) sum += static_cast<std::uint32_t>(run.count);
      return sum;
    };
    std::string payload = bytes_of(live::CommunicatorDefinition{
        id, remote.empty() ? 0 : live::kInterCommunicator, own_rank, count(members)});
    for (const live::RankRun& run : members) payload += bytes_of(run);
    if (!remote.empty()) payload += bytes_of(count(remote));
    for (const live::RankRun& run : remote) payload += bytes_of(run);
    define(live::Definition::communicator, payload);
  }

  // One call; times are nanoseconds from the beginning of the lane's process.
  void call(std::string_view name, std::uint32_t depth, const std::vector<Part>& arguments,
            const Part& result, std::uint64_t start, std::uint64_t duration) {
    const auto call = find_call(name);
    WEIR_CHECK(call.has_value(), "no call {}", name);
    WEIR_CHECK(weir::arguments(*call).size() == arguments.size(), "{} arguments", name);
    std::vector<std::uint64_t> words(Head::words(arguments.size()));
    words[0] = Head::first(static_cast<std::uint32_t>(*call), depth) | Head::result_bits(result.encoding);
    std::vector<std::int64_t> columns;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      words[Head::word_of(i)] |= static_cast<std::uint64_t>(arguments[i].encoding) << Head::shift_of(i);
    for (std::size_t i = 0; i <= arguments.size(); ++i) {
      const Part& part = i < arguments.size() ? arguments[i] : result;
      if (part.encoding == Encoding::text || part.encoding == Encoding::list)
        words.push_back(number_of(texts_, live::Definition::text, part.text));
      if (part.encoding == Encoding::path)
        words.push_back(number_of(names_, live::Definition::name_template, part.text));
      words.insert(words.end(), part.words.begin(), part.words.end());
      columns.insert(columns.end(), part.columns.begin(), part.columns.end());
    }
    const std::string payload(reinterpret_cast<const char*>(words.data()), words.size() * sizeof words[0]);
    const std::uint32_t symbol = number_of(signatures_, live::Definition::signature, payload);
    if (words_.size() + 64 > live::kTailWords) seal();
    words_.push_back(live::record_word(about_.timed ? live::EntryKind::long_record : live::EntryKind::record,
                                       static_cast<std::uint32_t>(columns.size()), symbol));
    if (about_.timed) {
      // Gaps of a call around others are negative: they wrap.
      put_two(about_.start + start - last_end_);
      put_two(duration);
      last_end_ = about_.start + start + duration;
    }
    for (const std::int64_t value : columns) put_two(static_cast<std::uint64_t>(value));
  }

 private:
  template <class T>
  static std::string bytes_of(const T& value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
  }
  void put_two(std::uint64_t value) {
    words_.push_back(static_cast<std::uint32_t>(value));
    words_.push_back(static_cast<std::uint32_t>(value >> 32));
  }
  void define(live::Definition type, std::string_view payload) {
    if (words_.size() + payload.size() / 4 + 64 > live::kTailWords) seal();
    words_.push_back(live::definition_word(type, static_cast<std::uint32_t>(payload.size())));
    const std::size_t at = words_.size();
    words_.resize(at + (payload.size() + 3) / 4);
    if (!payload.empty()) std::memcpy(words_.data() + at, payload.data(), payload.size());
  }
  std::uint32_t number_of(std::map<std::string, std::uint32_t>& table, live::Definition type,
                          const std::string& payload) {
    const auto [found, fresh] = table.emplace(payload, static_cast<std::uint32_t>(table.size()));
    if (fresh) define(type, payload);
    return found->second;
  }
  // What is in the tail becomes a frame that is not compressed.
  void seal() {
    const std::string_view raw(reinterpret_cast<const char*>(words_.data()), words_.size() * 4);
    const live::FrameHeader frame{live::kFrameMagic,
                                  batch_++,
                                  static_cast<std::uint32_t>(raw.size()),
                                  static_cast<std::uint32_t>(raw.size()),
                                  checksum(as_bytes(raw)),
                                  1};
    frames_ += bytes_of(frame);
    frames_ += raw;
    words_.clear();
  }
  void write() {
    using live::HeaderWord;
    std::vector<std::uint64_t> header(live::kHeaderBytes / sizeof(std::uint64_t));
    const auto set = [&](HeaderWord word, std::uint64_t value) {
      header[static_cast<std::size_t>(word)] = value;
    };
    set(HeaderWord::magic, live::kMagic);
    set(HeaderWord::version, live::kVersion | (about_.timed ? live::kTimed : 0));
    set(HeaderWord::process, about_.process);
    set(HeaderWord::parent, about_.parent);
    set(HeaderWord::lane, about_.number);
    set(HeaderWord::start_tick, about_.start);
    set(HeaderWord::first_tick, about_.start + about_.late);
    set(HeaderWord::first_monotonic, about_.start + about_.late);
    set(HeaderWord::first_wall, 1'700'000'000'000'000'000 + about_.start + about_.late);
    set(HeaderWord::lost, about_.lost);
    set(HeaderWord::calls, live::kCallTable);
    set(HeaderWord::state, static_cast<std::uint64_t>(batch_) << 32 | words_.size());
    std::ofstream out(path_, std::ios::binary);
    out.write(reinterpret_cast<const char*>(header.data()), live::kHeaderBytes);
    words_.resize(live::kTailWords);
    out.write(reinterpret_cast<const char*>(words_.data()), live::kTailBytes);
    out.write(frames_.data(), static_cast<std::streamsize>(frames_.size()));
    WEIR_CHECK(out.good(), "cannot write {}", path_.string());
  }

  About about_;
  std::filesystem::path path_;
  std::uint64_t last_end_ = 0;
  std::uint32_t batch_ = 0;
  std::vector<std::uint32_t> words_;
  std::string frames_;
  std::map<std::string, std::uint32_t> texts_;
  std::map<std::string, std::uint32_t> names_;
  std::map<std::string, std::uint32_t> signatures_;
};

// Merges what the lanes left, with a tick of exactly a nanosecond. Lanes that contradict themselves are an
// error.
inline Result<MergeReport> merge(const std::filesystem::path& run, TimingMode timing = TimingMode::lossless,
                                 unsigned threads = 0) {
  MergeOptions options;
  options.threads = threads;
  options.timing.mode = timing;
  options.readings = {{Tick(0), Nanoseconds(0)}, {Tick(1'000'000'000), Nanoseconds(1'000'000'000)}};
  options.command = {"made", "by", "hand"};
  auto report = merge_run(run, options);
  if (report && !report->warnings.empty()) return Error{Errc::bad_data, report->warnings.front()};
  return report;
}

}  // namespace weir::trace::made
