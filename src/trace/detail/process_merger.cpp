#include "trace/detail/process_merger.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "trace/detail/stream_merger.hpp"

namespace weir::trace::detail {

using live::HeaderWord;

MergeSettings settings_of(const MergeOptions& options, const RunClock& clock) {
  MergeSettings settings;
  settings.timing = options.timing;
  settings.nanoseconds_per_tick = clock.nanoseconds_per_tick;
  settings.origin_monotonic = clock.origin_monotonic;
  if (!options.error_of_function.empty())
    settings.error_of = [bounds = options.error_of_function](const Function& function) {
      const auto found = bounds.find(function.name);
      return found == bounds.end() ? 0.0 : found->second;
    };
  return settings;
}

ProcessMerger::ProcessMerger(const MergeSettings& settings, std::uint64_t start_tick, const LaneFile& first)
    : settings_(settings) {
  process_.start_tick = start_tick;
  ProcessInfo& info = process_.info;
  info.number = static_cast<std::int64_t>(first.header(HeaderWord::process));
  info.parent_number = static_cast<std::int64_t>(first.header(HeaderWord::parent));
  info.start_ns = first_seen(first.header(), settings.nanoseconds_per_tick) - settings.origin_monotonic;
}

Result<void> ProcessMerger::add(LaneFile& lane, const std::string& lane_name) {
  grammars_.emplace_back();
  StreamMerger merger(*this, lane);
  std::uint64_t unreadable = 0;
  for (;;) {
    const auto words = lane.next();
    if (words && words->empty()) break;
    const Result<void> taken = words ? merger.take(*words) : Result<void>(words.error());
    if (taken) continue;
    // Later frames build on this one: what was read so far is kept, the rest cannot be.
    process_.warnings.push_back(taken.error().in(lane_name).text());
    ++unreadable;
    break;
  }
  if (const std::uint64_t cut = lane.header(HeaderWord::cut); cut > 0)
    process_.warnings.push_back(
        fmt::format("process {}: {} {} too long to be kept whole (lists of more than {} KiB as they are "
                    "written down, strings of more than {} KiB)",
                    process_.info.number, cut, cut == 1 ? "argument was" : "arguments were",
                    live::kLongestList / 1024, live::kLongestText / 1024));
  auto stream = merger.finish();
  if (!stream) return stream.error();
  stream->damaged = unreadable;
  process_.info.streams.push_back(std::move(*stream));
  return {};
}

std::uint32_t ProcessMerger::number_signature(std::uint32_t signature) {
  const auto number = static_cast<std::uint32_t>(signatures_.size());
  own_numbers_[signature] = number;
  signatures_.push_back(signature);
  const Tables& tables = tables_.tables();
  const Signature& one = tables.signatures[signature];
  if (settings_.error_of) errors_.push_back(settings_.error_of(tables.functions[one.function]));
  own_templates_.resize(tables.templates.size(), Replay::kNoNumber);
  for (const Signature::Part& part : one.parts) {
    if (part.encoding != Encoding::path && part.encoding != Encoding::path_column) continue;
    std::uint32_t& own = own_templates_[one.words[part.word]];
    if (own == Replay::kNoNumber) own = template_count_++;
  }
  return number;
}

Result<void> ProcessMerger::set_rank(std::string_view payload) {
  live::RankDefinition about{};
  std::int64_t at_finalize = 0;
  if (payload.size() != sizeof about && payload.size() != live::kFinalRankBytes)
    return Error{Errc::bad_data, "a rank of a strange length"};
  std::memcpy(&about, payload.data(), sizeof about);
  if (about.rank < 0 || about.world_size <= about.rank)
    return Error{Errc::bad_data, fmt::format("rank {} of {}", about.rank, about.world_size)};
  ProcessInfo& info = process_.info;
  info.rank = about.rank;
  info.world_size = about.world_size;
  info.clock_at_init = about.clock_at_init;
  info.clock_at_finalize.reset();
  if (payload.size() == live::kFinalRankBytes) {
    std::memcpy(&at_finalize, payload.data() + sizeof about, sizeof at_finalize);
    info.clock_at_finalize = at_finalize;
  }
  return {};
}

Result<void> ProcessMerger::add_communicator(std::string_view payload) {
  auto own = parse_communicator(payload);
  if (!own) return own.error();
  const std::int64_t world_rank = process_.info.rank;
  if (world_rank >= 0 && own->communicator.rank_of(world_rank) != own->own_rank)
    return Error{Errc::bad_data, fmt::format("communicator {}: rank {} of the world is not its rank {}",
                                             own->communicator.id, world_rank, own->own_rank)};
  // One that was freed and made again is the same. Another with its number: calls on the first count their
  // partners from the wrong rank, if it differs.
  bool known = false;
  for (const Communicator& one : communicators_) {
    known = known || one == own->communicator;
    if (one.id == own->communicator.id && one.rank_of(world_rank) != own->communicator.rank_of(world_rank))
      process_.warnings.push_back(
          fmt::format("process {}: two communicators have the number {}", process_.info.number, one.id));
  }
  if (!known) communicators_.push_back(std::move(own->communicator));
  return {};
}

SignatureClass ProcessMerger::signature_class(Partial& to) const {
  const Tables& tables = tables_.tables();
  SignatureClass made;
  made.ranked = process_.info.rank >= 0;
  made.members = {0};
  made.ranks = {process_.info.rank};
  for (const std::uint32_t number : signatures_) {
    const Signature& signature = tables.signatures[number];
    const std::size_t begin = made.words.size();
    made.begins.push_back(static_cast<std::uint32_t>(begin));
    made.words.insert(made.words.end(), signature.words.begin(), signature.words.end());
    made.kinds.resize(made.words.size(), WordKind::fixed);
    std::uint64_t& head = made.words[begin];
    head = (head & ~std::uint64_t{Head::kFunctions - 1}) |
           static_cast<std::uint64_t>(tables_.call_of(signature.function));
    for_each_free_word(signature, [&](std::uint32_t word) { made.kinds[begin + word] = WordKind::free; });
    for (const Signature::Part& part : signature.parts) {
      std::uint64_t* const word = made.words.data() + begin + part.word;
      switch (part.encoding) {
        case Encoding::text:
        case Encoding::list: {
          const std::string& text = tables.texts[*word];
          *word = to.texts.add(text, hash_of(text));
          made.kinds[begin + part.word] = WordKind::text;
          break;
        }
        case Encoding::path:
        case Encoding::path_column: {
          const std::string& name = tables.templates[*word];
          *word = to.templates.add(name, hash_of(name));
          made.kinds[begin + part.word] = WordKind::name;
          break;
        }
        default:
          break;
      }
    }
  }
  set_hash(made, to);
  return made;
}

Partial ProcessMerger::finish() {
  Partial made;
  made.classes.push_back(signature_class(made));
  for (Communicator& one : communicators_) {
    const std::uint64_t hash = hash_of(one);
    process_.info.communicators.push_back(made.communicators.add(std::move(one), hash));
  }
  for (auto& stream : grammars_) {
    auto& numbers = process_.grammars.emplace_back();
    for (grammar::Grammar& part : stream) {
      const std::uint64_t hash = part.hash();
      numbers.push_back(made.grammars.add(std::move(part), hash));
    }
  }
  made.processes.push_back(std::move(process_));
  return made;
}

Result<Partial> merge_process(const MergeSettings& settings, std::span<const RunLane> lanes,
                              const std::function<void(const LaneFile&)>& seen) {
  std::optional<ProcessMerger> merger;
  for (const RunLane& lane : lanes) {
    auto file = LaneFile::open(lane.path);
    if (!file) return file.error();
    if (!merger) merger.emplace(settings, lane.start_tick(), *file);
    if (const auto added = merger->add(*file, lane.path.filename().string()); !added) return added.error();
    seen(*file);
  }
  return merger->finish();
}

}  // namespace weir::trace::detail
