#include "trace/part.hpp"

#include <charconv>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/checksum.hpp"
#include "base/compress.hpp"
#include "base/file.hpp"
#include "trace/detail/part_inside.hpp"
#include "trace/detail/partial_bytes.hpp"
#include "trace/detail/process_merger.hpp"
#include "trace/detail/run_lanes.hpp"
#include "trace/format.hpp"

namespace weir::trace {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMagic = 0x5452415052494557;  // "WEIRPART"
constexpr std::uint32_t kVersion = 1;

Result<double> parse_bound(std::string_view text) {
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size())
    return Error{Errc::usage, fmt::format("'{}' is not a bound", text)};
  return value;
}

}  // namespace

std::string timing_text(const MergeOptions& options) {
  std::string text = fmt::format("{},{},{}", name(options.timing.mode), options.timing.error,
                                 options.timing.clustered ? "clustered" : "in-order");
  for (const auto& [function, error] : options.error_of_function)
    text += fmt::format(",{}={}", function, error);
  return text;
}

Result<void> take_timing_text(std::string_view text, MergeOptions& options) {
  const Error bad{Errc::usage, fmt::format("'{}' does not say how times are kept", text)};
  std::vector<std::string_view> words;
  while (!text.empty()) {
    words.push_back(text.substr(0, text.find(',')));
    text.remove_prefix(std::min(text.size(), words.back().size() + 1));
  }
  if (words.size() < 3) return bad;
  const auto mode = find_timing_mode(words[0]);
  const auto error = parse_bound(words[1]);
  if (!mode || !error) return bad;
  options.timing.mode = *mode;
  options.timing.error = *error;
  options.timing.clustered = words[2] == "clustered";
  options.error_of_function.clear();
  for (const std::string_view word : std::span(words).subspan(3)) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) return bad;
    const auto bound = parse_bound(word.substr(equals + 1));
    if (!bound) return bound.error();
    options.error_of_function[std::string(word.substr(0, equals))] = *bound;
  }
  return check(options.timing);
}

RunPart::RunPart() : inside_(std::make_unique<Inside>()) {}
RunPart::RunPart(RunPart&&) noexcept = default;
RunPart& RunPart::operator=(RunPart&&) noexcept = default;
RunPart::~RunPart() = default;

Result<RunPart> RunPart::of_process(const fs::path& directory, std::uint64_t start_tick,
                                    std::uint64_t process, const MergeOptions& options,
                                    const RunClock& clock) {
  const auto lanes = detail::find_lanes_of(directory, start_tick, process);
  if (!lanes) return lanes.error();
  if (lanes->empty()) return Error{Errc::not_found, "this process has no lane"}.in(directory.string());
  auto pieces = detail::PieceFile::create(
      directory / live::kFolder / (detail::name_of_process(start_tick, process) += live::kPiecesSuffix));
  if (!pieces) return pieces.error();
  detail::MergeSettings settings = detail::settings_of(options, clock);
  settings.add_piece = [&](Section type, ByteSpan payload) { return pieces->add(type, payload); };
  if (!lanes->front().header.timed()) settings.timing.mode = TimingMode::off;
  std::vector<detail::CoveredLane> covered;
  auto merged = detail::merge_process(
      settings, *lanes, [&](const LaneFile& lane) { covered.push_back(detail::covered_by(lane.header())); });
  if (!merged) return merged.error();
  detail::PartialProcess& made = merged->processes.front();
  for (const StreamInfo& stream : made.info.streams)
    if (stream.damaged > 0) return Error{Errc::bad_data, "a lane changed while it was read"};
  made.pieces = pieces->keep();
  made.lanes = std::move(covered);
  RunPart part;
  *part.inside_ = {timing_text(options), clock, std::move(*merged)};
  return part;
}

void RunPart::join(RunPart other) {
  if (other.inside_->partial.processes.empty()) return;
  if (inside_->partial.processes.empty()) {
    inside_ = std::move(other.inside_);
    return;
  }
  if (inside_->timing != other.inside_->timing || inside_->clock != other.inside_->clock) return;
  inside_->partial = detail::join(std::move(inside_->partial), std::move(other.inside_->partial));
}

std::vector<std::byte> RunPart::bytes() const {
  ByteWriter out;
  out.u64(kMagic);
  out.u32(kVersion);
  out.u64(live::kCallTable);
  out.string(inside_->timing);
  out.f64(inside_->clock.nanoseconds_per_tick);
  out.u64(static_cast<std::uint64_t>(inside_->clock.origin_monotonic));
  out.u64(static_cast<std::uint64_t>(inside_->clock.origin_wall));
  ByteWriter plain;
  detail::put_partial(plain, inside_->partial);
  put_packed(out, plain.view());
  out.u64(checksum(out.view()));
  return std::move(out).take();
}

Result<RunPart> RunPart::parse(ByteSpan bytes) {
  const Error bad{Errc::bad_data, "is not what a merge inside MPI_Finalize leaves, or is damaged"};
  constexpr std::size_t kSum = sizeof(std::uint64_t);
  if (bytes.size() < kSum) return bad;
  const ByteSpan body = bytes.first(bytes.size() - kSum);
  ByteReader end(bytes.last(kSum));
  if (*end.u64() != checksum(body)) return bad;
  ByteReader in(body);
  const auto magic = in.u64();
  const auto version = in.u32();
  const auto calls = in.u64();
  const auto timing = in.string();
  const auto length = in.f64();
  const auto monotonic = in.u64();
  const auto wall = in.u64();
  if (!wall || *magic != kMagic) return bad;
  if (*version != kVersion || *calls != live::kCallTable)
    return Error{Errc::unsupported, "was made by another build of Weir"};
  const auto plain = take_packed(in, kMostTableBytes);
  if (!plain) return plain.error();
  ByteReader inner(*plain);
  auto partial = detail::take_partial(inner);
  if (!partial) return partial.error();
  RunPart part;
  *part.inside_ = {std::string(*timing),
                   {*length, static_cast<std::int64_t>(*monotonic), static_cast<std::int64_t>(*wall)},
                   std::move(*partial)};
  return part;
}

Result<void> RunPart::write(const fs::path& directory, std::uint64_t start_tick,
                            std::uint64_t process) const {
  // Whole or not at all, but not synced: the lanes are not either.
  const fs::path target =
      directory / live::kFolder / (detail::name_of_process(start_tick, process) += live::kPartSuffix);
  const fs::path temporary = target.string() + ".tmp";
  const auto fd = open_file(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (!fd) return fd.error();
  auto done = write_all(fd->get(), bytes());
  if (done && ::rename(temporary.c_str(), target.c_str()) != 0)
    done = Error::from_errno(errno, "cannot be made");
  if (done) return {};
  ::unlink(temporary.c_str());
  return done.error().in(target.string());
}

}  // namespace weir::trace
