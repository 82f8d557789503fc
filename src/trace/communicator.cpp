#include "trace/communicator.hpp"

#include "base/compress.hpp"
#include "trace/detail/take_plain.hpp"
#include "trace/format.hpp"

namespace weir::trace {
namespace {

Result<std::vector<live::RankRun>> take_runs(std::string_view& from, std::uint64_t members) {
  std::vector<live::RankRun> runs;
  for (std::uint64_t described = 0; described < members;) {
    const auto run = detail::take_plain<live::RankRun>(from, "a communicator");
    if (!run) return run.error();
    if (run->count < 1 || static_cast<std::uint64_t>(run->count) > members - described)
      return Error{Errc::bad_data, "a communicator whose members are not as many as it says"};
    described += static_cast<std::uint64_t>(run->count);
    runs.push_back(*run);
  }
  return runs;
}

void put_runs(ByteWriter& out, const std::vector<live::RankRun>& runs) {
  out.varint(runs.size());
  for (const live::RankRun& run : runs) {
    out.signed_varint(run.first);
    out.signed_varint(run.stride);
    out.varint(static_cast<std::uint64_t>(run.count));
  }
}

Result<std::vector<live::RankRun>> take_runs(ByteReader& in) {
  const Error bad{Errc::bad_data, "a communicator of strange members"};
  const auto is_rank = [](std::int64_t value) { return value >= INT32_MIN && value <= INT32_MAX; };
  const auto count = in.count(3);
  if (!count) return count.error();
  std::vector<live::RankRun> runs;
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto first = in.signed_varint();
    if (!first) return first.error();
    const auto stride = in.signed_varint();
    if (!stride) return stride.error();
    const auto length = in.varint();
    if (!length) return length.error();
    if (!is_rank(*first) || !is_rank(*stride) || *length < 1 || *length > INT32_MAX) return bad;
    runs.push_back({static_cast<std::int32_t>(*first), static_cast<std::int32_t>(*stride),
                    static_cast<std::int32_t>(*length)});
  }
  return runs;
}

}  // namespace

std::uint64_t Communicator::size() const {
  std::uint64_t sum = 0;
  for (const live::RankRun& run : members) sum += static_cast<std::uint64_t>(run.count);
  return sum;
}

std::optional<std::int64_t> Communicator::rank_of(std::int64_t world_rank) const {
  std::int64_t before = 0;
  for (const live::RankRun& run : members) {
    const std::int64_t distance = world_rank - run.first;
    const std::int64_t steps = run.stride == 0 ? 0 : distance / run.stride;
    if (steps >= 0 && steps < run.count && steps * run.stride == distance) return before + steps;
    before += run.count;
  }
  return std::nullopt;
}

Result<OwnCommunicator> parse_communicator(std::string_view payload) {
  const auto head = detail::take_plain<live::CommunicatorDefinition>(payload, "a communicator");
  if (!head) return head.error();
  OwnCommunicator made;
  made.communicator.id = head->id;
  made.communicator.flags = head->flags;
  made.own_rank = head->own_rank;
  auto members = take_runs(payload, head->members);
  if (!members) return members.error();
  made.communicator.members = std::move(*members);
  if (made.communicator.is_inter()) {
    const auto count = detail::take_plain<std::uint32_t>(payload, "a communicator");
    if (!count) return count.error();
    auto remote = take_runs(payload, *count);
    if (!remote) return remote.error();
    made.communicator.remote = std::move(*remote);
  }
  if (!payload.empty()) return Error{Errc::bad_data, "a communicator with bytes left over"};
  return made;
}

void put_communicators(ByteWriter& out, const std::vector<Communicator>& communicators) {
  ByteWriter plain;
  plain.varint(communicators.size());
  for (const Communicator& one : communicators) {
    plain.varint(one.id);
    plain.varint(one.flags);
    put_runs(plain, one.members);
    if (one.is_inter()) put_runs(plain, one.remote);
  }
  put_packed(out, plain.view(), 9);
}

Result<std::vector<Communicator>> take_communicators(ByteReader& packed) {
  const auto plain = take_packed(packed, kMostTableBytes);
  if (!plain) return plain.error();
  ByteReader in(*plain);
  const auto count = in.count(3);
  if (!count) return count.error();
  std::vector<Communicator> communicators;
  communicators.reserve(*count);
  for (std::uint64_t i = 0; i < *count; ++i) {
    Communicator one;
    for (std::uint32_t* const field : {&one.id, &one.flags}) {
      const auto value = in.varint();
      if (!value) return value.error();
      if (*value > UINT32_MAX) return Error{Errc::bad_data, "a communicator with a strange id"};
      *field = static_cast<std::uint32_t>(*value);
    }
    auto members = take_runs(in);
    if (!members) return members.error();
    one.members = std::move(*members);
    if (one.is_inter()) {
      auto remote = take_runs(in);
      if (!remote) return remote.error();
      one.remote = std::move(*remote);
    }
    communicators.push_back(std::move(one));
  }
  return communicators;
}

}  // namespace weir::trace
