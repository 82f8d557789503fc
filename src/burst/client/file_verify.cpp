#include <algorithm>
#include <cstdlib>
#include <limits>

#include <unistd.h>

#include "burst/client/file_reader.hpp"
#include "burst/client/file_system.hpp"
#include "burst/verify_protocol.hpp"

// What a file does in verify mode under a weak model: the owner is told of every write when it is done, and
// asked before every read who wrote the bytes last (docs/design/0024).
namespace weir::burst {
namespace {

Origin origin(std::uint32_t node) {
  Origin own{.node = node, .process = static_cast<std::uint64_t>(::getpid()), .rank = -1};
  for (const char* const variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* const rank = std::getenv(variable)) {
      own.rank = std::strtol(rank, nullptr, 10);
      break;
    }
  return own;
}

bool same_bytes(const std::optional<Place>& one, const std::optional<Place>& other) {
  if (!one || !other) return !one && !other;
  return one->client == other->client && one->segment == other->segment && one->position == other->position;
}

Span both(Span one, Span other) { return {std::max(one.begin, other.begin), std::min(one.end, other.end)}; }

// Where what was read is not what was last written. `asked` of the file were wanted, the first `got` bytes
// of them came.
std::vector<Difference> differences(const NewestSeen& newest, const std::vector<Extent>& seen, Span asked,
                                    std::uint64_t got) {
  ExtentMap written;
  written.insert(newest.extents);
  ExtentMap read;
  for (const Extent& extent : seen) read.insert(extent.bytes, extent.where);
  const Span came{asked.begin, asked.begin + got};
  std::vector<Difference> found;
  std::vector<Difference> missed;  // behind the end of what came
  for (const Piece& now :
       written.cover({asked.begin, std::max(came.end, std::min(asked.end, newest.size))})) {
    if (const Span part = both(now.bytes, came); !part.empty())
      for (const Piece& saw : read.cover(part)) {
        std::optional<Place> there = now.where;
        if (there) there = there->at(saw.bytes.begin - now.bytes.begin);
        if (!same_bytes(saw.where, there)) found.push_back({saw.bytes, false, saw.where, there});
      }
    const Span lacking = both(now.bytes, {came.end, std::min(asked.end, newest.size)});
    if (!lacking.empty()) missed.push_back({lacking, true, {}, now.where});
  }
  // Zeros between what others wrote behind the end are of their making.
  const auto is_written = [](const Difference& one) { return one.newest.has_value(); };
  const bool any_written = std::ranges::any_of(missed, is_written);
  for (const Difference& one : missed)
    if (is_written(one) || !any_written) found.push_back(one);
  return found;
}

}  // namespace

bool File::is_verified() const { return system_.session().job().verify && !policy_.is_strong(); }

int File::note_write(std::span<const Extent> pieces) {
  NoteWrite note{id(), origin(system_.node()), {pieces.begin(), pieces.end()}};
  return system_.session().ask(id().home(), note).error;
}

Transfer File::read_and_check(std::span<std::byte> into, std::uint64_t offset) {
  const Span asked{offset, offset + into.size()};
  const auto newest = system_.session().ask(id().home(), AskNewest{id(), asked.begin, asked.end});
  if (!newest) return {newest.error, 0};
  if (const int error = policy_.before_read(*this, asked); error != 0) return {error, 0};
  std::vector<Extent> seen;
  const Transfer done = FileReader(system_, *this).read(into, offset, &seen);
  if (done.error != 0) return done;
  ReportRead report{id(), newest.body.mark, origin(system_.node()),
                    differences(newest.body, seen, asked, done.bytes)};
  if (report.differences.empty()) return done;
  const int error = system_.session().ask(id().home(), report).error;
  return error == 0 ? done : Transfer{error, 0};
}

}  // namespace weir::burst
