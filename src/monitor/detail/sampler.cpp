#include "monitor/detail/sampler.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "monitor/detail/text.hpp"

namespace weir::monitor::detail {
namespace {

constexpr std::size_t kMostValues = std::size_t{1} << 25U;  // a quarter of a gigabyte of slices

std::optional<Format> recognised(std::string_view output) {
  const std::string_view text = trimmed(output);
  if (text.starts_with('<')) return Format::gluster_xml;
  if (text.starts_with("Brick:")) return Format::gluster_text;
  if (text.starts_with('_')) return Format::mmpmon;
  return std::nullopt;
}

std::string what_is_read(const SourceFile& source) {
  return source.paths.size() == 1 ? source.paths.front().string()
                                  : source.paths.front().parent_path().string();
}

}  // namespace

Sampler::Sampler(Sources sources, CommandLoop& commands) : outputs_(commands.size()), commands_(commands) {
  for (SourceFile& source : sources.files) {
    const Parser parser = parser_of(source.format);
    TextFile text(source.paths);
    files_.push_back({.source = std::move(source), .parser = parser, .text = std::move(text)});
  }
  seen_.absent = std::move(sources.absent);
  seen_.storage = std::move(sources.storage);
}

void Sampler::read_file(std::size_t index) {
  File& file = files_[index];
  const int failure = file.text.read(buffer_);
  if (failure != 0) {
    if (file.failure == 0) file.failure = failure;
    if (file.source.paths.size() == 1) return;
  }
  columns_.begin_text(file.good_at_start, &file.source.wanted);
  file.parser(buffer_.text(), file.source.instance, columns_);
  file.damaged = std::max(file.damaged, columns_.damaged_here());
  if (!started_) file.good_at_start = failure == 0 && columns_.damaged_here() == 0;
  file.read_once = true;
}

void Sampler::read_output(std::size_t index) {
  Output& output = outputs_[index];
  if (commands_.take(index, output.text)) {
    const auto format = recognised(output.text);
    output.parser = format ? parser_of(*format) : nullptr;
    if (!format) output.trouble = fmt::format("its output is in no known format: {}", excerpt(output.text));
  }
  if (output.parser == nullptr) return;
  // An old output is read again: the counters are then known, and have not changed.
  columns_.begin_text(output.good_at_start, nullptr);
  output.parser(output.text, {}, columns_);
  output.damaged = std::max(output.damaged, columns_.damaged_here());
  if (!started_) output.good_at_start = columns_.damaged_here() == 0;
}

void Sampler::read_files() {
  for (std::size_t i = 0; i < files_.size(); ++i) read_file(i);
}

void Sampler::read_outputs() {
  for (std::size_t i = 0; i < outputs_.size(); ++i) read_output(i);
}

void Sampler::end_reading() {
  columns_.end_reading(changes_);
  started_ = true;
}

void Sampler::read() {
  read_files();
  read_outputs();
  end_reading();
}

void Sampler::keep_slice(std::int64_t begin_ns) {
  if (kept_values_ + changes_.size() > kMostValues) {
    ++unkept_slices_;
    return;
  }
  kept_values_ += changes_.size();
  seen_.slices.push_back({.begin_ns = begin_ns, .changes = changes_});
}

Seen Sampler::finish() {
  seen_.counters = columns_.counters();
  for (Slice& slice : seen_.slices)  // counters that came later
    for (std::size_t i = slice.changes.size(); i < seen_.counters.size(); ++i) slice.changes.push_back(0);
  for (const File& file : files_) {
    seen_.damaged += file.damaged;
    if (file.failure != 0 && !file.read_once)
      seen_.absent.push_back(fmt::format("{}: {}: {}", name(file.source.format), what_is_read(file.source),
                                         std::strerror(file.failure)));
    else if (file.failure != 0)
      seen_.absent.push_back(fmt::format("{}: {} could not be read for a while: {}", name(file.source.format),
                                         what_is_read(file.source), std::strerror(file.failure)));
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    seen_.damaged += outputs_[i].damaged;
    const std::string& trouble = outputs_[i].trouble.empty() ? commands_.failure(i) : outputs_[i].trouble;
    if (!trouble.empty()) seen_.absent.push_back("command: " + trouble);
  }
  seen_.first_damaged = columns_.first_damaged();
  std::ranges::move(columns_.troubles(), std::back_inserter(seen_.absent));
  if (unkept_slices_ > 0)
    seen_.absent.push_back(
        fmt::format("slices: the last {} are not kept one by one: too many", unkept_slices_));
  return std::move(seen_);
}

}  // namespace weir::monitor::detail
