#pragma once

#include <map>
#include <optional>
#include <unordered_map>

#include "burst/shard_state.hpp"
#include "burst/verify_protocol.hpp"

namespace weir::burst {

// What strong consistency would show of the files of a shard, for reads under weak models to be held against:
// who wrote each byte last, in the order in which the writes were complete. Beside the state, in memory only;
// a file has a shadow from the first question on. One thread only.
class Shadows {
 public:
  // A change that was done to the state.
  void follow(const Change& change);

  void note(std::uint64_t client, const NoteWrite& request, const FileState& file);
  NewestSeen newest(const AskNewest& request, const FileState& file);
  void report(std::uint64_t client, const ReportRead& request, const FileState& file);

  const Verdict& verdict() const { return verdict_; }
  void forget_verdict() {
    verdict_ = {};
    rows_.clear();
  }
  bool empty() const { return files_.empty() && verdict_.checked == 0; }

 private:
  // Bytes of a log, by where they begin.
  struct LogKey {
    std::uint64_t client = 0;
    std::uint32_t segment = 0;
    std::uint64_t position = 0;
    auto operator<=>(const LogKey&) const = default;
  };
  struct Write {
    std::uint64_t length = 0;
    std::uint64_t number = 0;
    bool published = false;
  };
  struct Shadow {
    std::uint64_t number = 0;  // of the last write, or cut
    std::uint64_t cut = 0;     // of the last time that the file's length was set
    ExtentMap newest;          // versions are the writes' numbers
    std::map<LogKey, Write> writes;

    const Write* find(const Place& place) const;
    // Its parts that were not noted yet are, under the next number.
    void add(const Extent& extent, bool published);
  };
  struct RowKey {
    FileId file;
    std::uint64_t reader = 0;
    std::uint64_t writer = 0;
    Missing missing{};
    auto operator<=>(const RowKey&) const = default;
  };

  Shadow& shadow_of(FileId id, const FileState& file);
  static bool is_stale(const Shadow& shadow, const FileState& file, std::uint64_t client, std::uint64_t mark,
                       const Difference& one);
  static Missing missing(const Shadow& shadow, const FileState& file, const Difference& one);
  Origin origin_of(const Place& place) const;

  static constexpr std::size_t kMostRows = 100;

  std::unordered_map<FileId, Shadow> files_;
  std::unordered_map<std::uint64_t, Origin> origins_;  // by client
  std::map<RowKey, std::size_t> rows_;                 // which of the verdict's
  Verdict verdict_;
};

}  // namespace weir::burst
