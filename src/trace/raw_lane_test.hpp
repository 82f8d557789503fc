#pragma once

// A lane of the live format word by word, for tests of what a recorder may leave when it is cut off or its
// file is damaged. made_run_test.hpp makes whole lanes with less to write.

#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.hpp"
#include "base/checksum.hpp"
#include "base/compress.hpp"
#include "calls/call.hpp"
#include "trace/encoding.hpp"
#include "trace/live.hpp"

namespace weir::trace::made {

template <class T>
std::string raw_bytes(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// The words of a signature: encodings and words of the arguments, then of the result.
struct RawPart {
  Encoding encoding = Encoding::absent;
  std::vector<std::uint64_t> words;
};

inline std::vector<std::uint64_t> signature_words(Call call, const std::vector<RawPart>& parts,
                                                  std::uint32_t depth = 0) {
  const std::size_t arguments = parts.size() - 1;
  std::vector<std::uint64_t> words(Head::words(arguments));
  words[0] = Head::first(static_cast<std::uint32_t>(call), depth) | Head::result_bits(parts.back().encoding);
  for (std::size_t i = 0; i < arguments; ++i)
    words[Head::word_of(i)] |= static_cast<std::uint64_t>(parts[i].encoding) << Head::shift_of(i);
  for (const RawPart& part : parts) words.insert(words.end(), part.words.begin(), part.words.end());
  return words;
}

// fsync(handle `id`) = `result`
inline std::vector<std::uint64_t> fsync_words(std::uint64_t id, std::uint64_t result = 0) {
  return signature_words(Call::fsync, {{Encoding::handle, {id}}, {Encoding::literal, {result}}});
}

struct RawLane {
  std::array<std::uint64_t, live::kHeaderBytes / sizeof(std::uint64_t)> header{};
  std::vector<std::uint32_t> tail;
  std::string frames;
  std::uint32_t batch = 0;

  explicit RawLane(bool timed = true) {
    using live::HeaderWord;
    set(HeaderWord::magic, live::kMagic);
    set(HeaderWord::version, live::kVersion | (timed ? live::kTimed : 0));
    set(HeaderWord::process, 100);
    set(HeaderWord::parent, 1);
    set(HeaderWord::start_tick, 1000);
    set(HeaderWord::first_tick, 1000);
    set(HeaderWord::first_monotonic, 1000);
    set(HeaderWord::first_wall, 1'700'000'000'000'000'000);
    set(HeaderWord::calls, live::kCallTable);
  }

  void set(live::HeaderWord word, std::uint64_t value) { header[static_cast<std::size_t>(word)] = value; }

  void define(live::Definition type, std::string_view payload = {}) {
    tail.push_back(live::definition_word(type, static_cast<std::uint32_t>(payload.size())));
    const std::size_t at = tail.size();
    tail.resize(at + (payload.size() + 3) / 4);
    if (!payload.empty()) std::memcpy(tail.data() + at, payload.data(), payload.size());
  }
  void define_signature(const std::vector<std::uint64_t>& words) {
    define(live::Definition::signature,
           {reinterpret_cast<const char*>(words.data()), words.size() * sizeof words[0]});
  }
  void define_clock(std::uint64_t tick) { define(live::Definition::clock, raw_bytes(tick)); }

  void record(std::uint32_t symbol, std::uint32_t gap, std::uint32_t duration) {
    tail.push_back(live::record_word(live::EntryKind::record, 0, symbol));
    tail.push_back(gap);
    tail.push_back(duration);
  }
  void long_record(std::uint32_t symbol, std::uint64_t gap, std::uint64_t duration) {
    tail.push_back(live::record_word(live::EntryKind::long_record, 0, symbol));
    for (const std::uint64_t value : {gap, duration}) {
      tail.push_back(static_cast<std::uint32_t>(value));
      tail.push_back(static_cast<std::uint32_t>(value >> 32));
    }
  }
  void untimed_record(std::uint32_t symbol) {
    tail.push_back(live::record_word(live::EntryKind::record, 0, symbol));
  }

  // What is in the tail as a frame; the tail stays as it is, as between the two steps of sealing.
  void append_frame() {
    const std::string_view raw(reinterpret_cast<const char*>(tail.data()), tail.size() * sizeof tail[0]);
    ByteWriter out;
    put_packed(out, as_bytes(raw));
    ByteReader in(out.view());
    const std::uint64_t raw_size = *in.varint();
    const std::uint64_t packed_size = *in.varint();
    WEIR_CHECK(raw_size == raw.size(), "a packed frame of another size");
    const bool plain = packed_size == 0;
    const ByteSpan bytes = plain ? as_bytes(raw) : *in.bytes(packed_size);
    const live::FrameHeader frame{live::kFrameMagic,
                                  batch,
                                  static_cast<std::uint32_t>(raw.size()),
                                  static_cast<std::uint32_t>(bytes.size()),
                                  checksum(bytes),
                                  plain ? std::uint64_t{1} : 0};
    frames += raw_bytes(frame);
    frames += as_text(bytes);
  }
  void seal() {
    append_frame();
    ++batch;
    tail.clear();
  }

  std::filesystem::path write(const std::filesystem::path& run, std::string_view name = "one") {
    set(live::HeaderWord::state, static_cast<std::uint64_t>(batch) << 32 | tail.size());
    std::filesystem::create_directories(run / live::kFolder);
    std::filesystem::path path = run / live::kFolder / (std::string(name) + std::string(live::kSuffix));
    std::vector<std::uint32_t> padded = tail;
    padded.resize(live::kTailWords);
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(header.data()), live::kHeaderBytes);
    out.write(reinterpret_cast<const char*>(padded.data()), live::kTailBytes);
    out.write(frames.data(), static_cast<std::streamsize>(frames.size()));
    WEIR_CHECK(out.good(), "cannot write {}", path.string());
    return path;
  }
};

}  // namespace weir::trace::made
