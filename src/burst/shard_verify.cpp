#include <algorithm>
#include <limits>

#include "burst/shard.hpp"

// Verify mode, and what was brought in ahead.
namespace weir::burst {
namespace {

constexpr std::uint64_t kLongest = std::numeric_limits<std::int64_t>::max();

bool is_sane_span(Span bytes) { return bytes.begin < bytes.end && bytes.end <= kLongest; }

}  // namespace

Outcome<Nothing> Shard::note_write(const Header& header, const NoteWrite& request, Changes& /*changes*/) {
  const FileState* const file = state_.find(request.file);
  if (file == nullptr) return {ESTALE, {}};
  const auto is_own = [&](const Extent& one) {
    return is_sane_span(one.bytes) && one.where.client == header.client;
  };
  if (!std::ranges::all_of(request.extents, is_own)) return {EINVAL, {}};
  shadows_.note(header.client, request, *file);
  return {0, {}};
}

Outcome<NewestSeen> Shard::ask_newest(const Header& /*header*/, const AskNewest& request,
                                      Changes& /*changes*/) {
  const FileState* const file = state_.find(request.file);
  if (file == nullptr) return {ESTALE, {}};
  if (request.begin > request.end) return {EINVAL, {}};
  return {0, shadows_.newest(request, *file)};
}

Outcome<Nothing> Shard::report_read(const Header& header, const ReportRead& request, Changes& /*changes*/) {
  const FileState* const file = state_.find(request.file);
  if (file == nullptr) return {ESTALE, {}};
  const auto sane = [](const Difference& one) { return is_sane_span(one.bytes); };
  if (!std::ranges::all_of(request.differences, sane)) return {EINVAL, {}};
  shadows_.report(header.client, request, *file);
  return {0, {}};
}

Outcome<Verdict> Shard::ask_verdict(const Header& /*header*/, const AskVerdict& request,
                                    Changes& /*changes*/) {
  if (request.begin_anew) shadows_.forget_verdict();
  return {0, shadows_.verdict()};
}

Outcome<Nothing> Shard::mark_clean(const Header& header, const MarkClean& request, Changes& changes) {
  const FileState* const file = state_.find(request.file);
  if (file == nullptr || !file->in_backing) return {ESTALE, {}};
  WrittenBack clean{request.file, {}};
  file->unflushed.for_each([&](Span bytes, const Place& where) {
    if (where.client == header.client) clean.extents.push_back({bytes, where});
  });
  if (clean.extents.empty()) return {0, {}};
  changes.emplace_back(std::move(clean));
  Attributes now = file->attributes;
  const auto behind = backing_.stat(file->path);
  if (behind) now.modified_ns = behind.body.modified_ns;
  changes.emplace_back(AttributesSet{request.file, now});
  return {0, {}};
}

}  // namespace weir::burst
