#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "burst/extent_map.hpp"
#include "burst/file_id.hpp"
#include "burst/protocol.hpp"

// Messages of verify mode (shadows.hpp, docs/design/0024): to the owner of a file, and to any worker for what
// it has found.
namespace weir::burst {

// Who a client is to people.
struct Origin {
  std::uint32_t node = 0;
  std::uint64_t process = 0;  // zero: not known
  std::int64_t rank = -1;     // as the launcher said; -1 where none did

  static constexpr auto fields = std::tuple{&Origin::node, &Origin::process, &Origin::rank};
  bool operator==(const Origin&) const = default;
};

// A write is done as far as its process is concerned, published or not.
struct NoteWrite {
  static constexpr Kind kKind = Kind::note_write;
  using Answer = Nothing;
  FileId file;
  Origin origin;
  std::vector<Extent> extents;

  static constexpr auto fields = std::tuple{&NoteWrite::file, &NoteWrite::origin, &NoteWrite::extents};
};

struct NewestSeen {
  std::uint64_t mark = 0;  // the number of the last write that it tells of
  std::uint64_t size = 0;
  std::vector<Extent> extents;  // with the number of the write as version

  static constexpr auto fields = std::tuple{&NewestSeen::mark, &NewestSeen::size, &NewestSeen::extents};
};

// Who wrote these bytes last, whether it is published or not.
struct AskNewest {
  static constexpr Kind kKind = Kind::ask_newest;
  using Answer = NewestSeen;
  FileId file;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  static constexpr auto fields = std::tuple{&AskNewest::file, &AskNewest::begin, &AskNewest::end};
};

// Bytes of a read that are not the newest.
struct Difference {
  Span bytes;
  bool at_end = false;          // the read ended before them
  std::optional<Place> saw;     // none: what the backing file has, or zeros
  std::optional<Place> newest;  // none: cut off, or zeros

  static constexpr auto fields =
      std::tuple{&Difference::bytes, &Difference::at_end, &Difference::saw, &Difference::newest};
};

struct ReportRead {
  static constexpr Kind kKind = Kind::report_read;
  using Answer = Nothing;
  FileId file;
  std::uint64_t mark = 0;  // of when the read began
  Origin origin;
  std::vector<Difference> differences;

  static constexpr auto fields =
      std::tuple{&ReportRead::file, &ReportRead::mark, &ReportRead::origin, &ReportRead::differences};
};

// Why a read did not get the newest bytes.
enum class Missing : std::uint8_t {
  publish,  // the writer has not published them
  look,     // the reader has not looked since they were
  order,    // an older write was published after them
};

struct StaleRead {
  std::string path;
  Span bytes;
  Missing missing = Missing::publish;
  Origin reader;
  std::optional<Origin> writer;  // none: the file's length was changed
  std::uint64_t times = 1;       // that this reader missed this writer's bytes of the file so

  static constexpr auto fields = std::tuple{&StaleRead::path,   &StaleRead::bytes,  &StaleRead::missing,
                                            &StaleRead::reader, &StaleRead::writer, &StaleRead::times};
};

struct Verdict {
  std::uint64_t checked = 0;  // reads
  std::uint64_t stale = 0;    // of them
  std::vector<StaleRead> reads;

  static constexpr auto fields = std::tuple{&Verdict::checked, &Verdict::stale, &Verdict::reads};
};

// Of one worker.
struct AskVerdict {
  static constexpr Kind kKind = Kind::ask_verdict;
  using Answer = Verdict;
  bool begin_anew = false;  // what was found so far is forgotten

  static constexpr auto fields = std::tuple{&AskVerdict::begin_anew};
};

}  // namespace weir::burst
