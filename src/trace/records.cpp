#include "trace/records.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fnmatch.h>

namespace weir::trace {
namespace {

bool matches(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

bool file_matches(const std::string& pattern, const std::string& name) {
  if (matches(pattern, name)) return true;
  return pattern.find('/') == std::string::npos && matches(pattern, name.substr(name.rfind('/') + 1));
}

bool function_matches(const Selection& selection, const Function& function) {
  if (selection.functions.empty()) return true;
  return std::any_of(selection.functions.begin(), selection.functions.end(), [&](const std::string& pattern) {
    return matches(pattern, function.name) || matches(pattern, function.means);
  });
}

// "there are 0 to 6 and 8"
std::string told_ranks(const TraceFile& trace) {
  std::vector<std::int64_t> ranks;
  for (const ProcessInfo& process : trace.processes())
    if (process.rank >= 0) ranks.push_back(process.rank);
  if (ranks.empty()) return "no process of the trace has one";
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  constexpr std::size_t kMostPieces = 10;
  std::vector<std::string> pieces;
  for (std::size_t begin = 0; begin < ranks.size();) {
    std::size_t end = begin + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    pieces.push_back(end - begin == 1 ? std::to_string(ranks[begin])
                                      : fmt::format("{} to {}", ranks[begin], ranks[end - 1]));
    begin = end;
  }
  if (pieces.size() > kMostPieces)
    return fmt::format("there are {} others, up to {}", ranks.size(), ranks.back());
  const std::string last = pieces.back();
  pieces.pop_back();
  return pieces.empty() ? "there are " + last
                        : fmt::format("there are {} and {}", fmt::join(pieces, ", "), last);
}

}  // namespace

Result<void> check(const Selection& selection, const TraceFile& trace) {
  const std::size_t processes = trace.processes().size();
  if (selection.process && *selection.process >= processes)
    return Error{Errc::usage, fmt::format("there is no process {}", *selection.process)}.with_remedy(
        processes == 0 ? std::string("the trace has none") : fmt::format("there are 0 to {}", processes - 1));
  if (selection.number &&
      std::none_of(trace.processes().begin(), trace.processes().end(),
                   [&](const ProcessInfo& one) { return one.number == *selection.number; }))
    return Error{Errc::usage, fmt::format("no process had the number {}", *selection.number)}.with_remedy(
        "weir stat lists them");
  if (selection.rank &&
      std::none_of(trace.processes().begin(), trace.processes().end(),
                   [&](const ProcessInfo& one) { return one.rank >= 0 && one.rank == *selection.rank; }))
    return Error{Errc::usage, fmt::format("there is no rank {}", *selection.rank)}.with_remedy(
        told_ranks(trace));
  if (selection.from_ns && selection.to_ns && *selection.from_ns > *selection.to_ns)
    return Error{Errc::usage, "the time range ends before it begins"};
  if ((selection.from_ns || selection.to_ns) && trace.timing() == TimingMode::off)
    return Error{Errc::usage, "a trace without times has no time range"};
  return {};
}

void append_absolute(std::string& out, std::string_view name, std::string_view under) {
  if (name.starts_with('/') || under.empty()) {
    out.append(name);
    return;
  }
  while (name.starts_with("./")) name.remove_prefix(2);
  out.append(under);
  if (!under.ends_with('/')) out.push_back('/');
  if (name != ".") out.append(name);
}

void names_of_files(const Record& record, std::string_view directory, std::vector<std::string>& names) {
  names.clear();
  std::string_view under = directory;
  for (std::size_t i = 0; i < record.arguments.size(); ++i) {
    const Value& value = record.arguments[i];
    if (value.kind == Value::Kind::handle) {
      if (record.function->arguments[i].role == Role::directory) under = value.text;
      names.emplace_back(value.text);
    } else if (value.kind == Value::Kind::path) {
      append_absolute(names.emplace_back(), value.text, under);
      under = directory;
    }
  }
  if (record.result.kind == Value::Kind::opened) names.emplace_back(record.result.text);
}

std::string_view absolute_file(const Record& record, std::string_view directory, std::string& made) {
  if (record.result.kind == Value::Kind::opened) return record.result.text;
  std::string_view under = directory;
  const Value* path = nullptr;
  for (std::size_t i = 0; i < record.arguments.size(); ++i) {
    const Value& value = record.arguments[i];
    if (value.kind == Value::Kind::handle) {
      if (record.function->arguments[i].role != Role::directory) return value.text;
      if (path == nullptr) under = value.text;
    } else if (value.kind == Value::Kind::path && path == nullptr) {
      path = &value;
    } else if (!value.file.empty()) {
      return value.file;
    }
  }
  if (path == nullptr) return under.data() == directory.data() ? std::string_view() : under;
  if (path->text.starts_with('/')) return path->text;
  made.clear();
  append_absolute(made, path->text, under);
  return made;
}

Records::Records(const TraceFile& trace, Selection selection)
    : trace_(&trace), selection_(std::move(selection)) {
  for (const Function& function : trace.tables().functions)
    function_wanted_.push_back(function_matches(selection_, function));
  const bool ordered = trace.timing() != TimingMode::off && !selection_.by_process;
  for (std::size_t p = 0; p < trace.processes().size(); ++p) {
    const ProcessInfo& process = trace.processes()[p];
    if (selection_.process && *selection_.process != p) continue;
    if (selection_.number && *selection_.number != process.number) continue;
    if (selection_.rank && *selection_.rank != process.rank) continue;
    for (std::size_t s = 0; s < process.streams.size(); ++s) {
      const StreamInfo& stream = process.streams[s];
      if (stream.blocks.empty()) continue;
      Source source{
          .process = p, .stream = s, .stop_at = stream.records, .key = 0, .reader = {}, .record = {}};
      if (selection_.to_ns)
        for (std::size_t b = stream.blocks.size(); b-- > 0;) {
          if (stream.blocks[b].first_start_ns < *selection_.to_ns) break;
          source.stop_at = stream.blocks[b].first_record;
        }
      if (source.stop_at == 0) continue;
      if (ordered) source.key = stream.blocks.front().first_start_ns;
      sources_.push_back(std::move(source));
      heap_.push_back(heap_.size());
    }
  }
  const auto later = [this](std::size_t a, std::size_t b) { return is_before(b, a); };
  std::make_heap(heap_.begin(), heap_.end(), later);
}

bool Records::is_before(std::size_t a, std::size_t b) const {
  return sources_[a].key != sources_[b].key ? sources_[a].key < sources_[b].key : a < b;
}

bool Records::file_wanted(const Record& record, std::string_view directory) {
  names_of_files(record, directory, names_);
  return std::any_of(names_.begin(), names_.end(), [&](const std::string& name) {
    return std::any_of(selection_.files.begin(), selection_.files.end(),
                       [&](const std::string& pattern) { return file_matches(pattern, name); });
  });
}

bool Records::wanted(const Record& record, std::string_view directory) {
  const auto function = static_cast<std::size_t>(record.function - trace_->tables().functions.data());
  if (!function_wanted_[function]) return false;
  if (selection_.failed && !record.failed()) return false;
  if (selection_.thread && record.thread != *selection_.thread) return false;
  if (selection_.to_ns && record.start_ns >= *selection_.to_ns) return false;
  if (selection_.from_ns && record.start_ns < *selection_.from_ns &&
      record.duration_ns <
          static_cast<std::uint64_t>(*selection_.from_ns) - static_cast<std::uint64_t>(record.start_ns))
    return false;
  return selection_.files.empty() || file_wanted(record, directory);
}

// To the next record that is wanted; false when there is none.
bool Records::advance(Source& source) {
  if (source.reader == nullptr) {
    RecordReader reader(*trace_, source.process, source.stream);
    if (selection_.from_ns) reader.seek_time(*selection_.from_ns);
    source.reader = std::make_unique<OuterFirst>(std::move(reader));
  }
  for (;;) {
    source.record = source.reader->next();
    if (source.record == nullptr) {
      if (!source.reader->error()) return false;
      const Error error =
          source.reader->error()->in(fmt::format("process {}, stream {}", source.process, source.stream));
      if (!selection_.salvage) {
        error_ = error;
        return false;
      }
      damage_.push_back(error.text());
      source.reader->skip_damage();
      continue;
    }
    if (source.record->index >= source.stop_at) return false;
    if (wanted(*source.record, source.reader->directory())) return true;
  }
}

void Records::sift_down() {
  std::size_t at = 0;
  for (;;) {
    std::size_t least = at;
    for (std::size_t child = 2 * at + 1; child <= 2 * at + 2 && child < heap_.size(); ++child)
      if (is_before(heap_[child], heap_[least])) least = child;
    if (least == at) return;
    std::swap(heap_[at], heap_[least]);
    at = least;
  }
}

bool Records::next(Item& item) {
  const bool ordered = trace_->timing() != TimingMode::off && !selection_.by_process;
  while (!heap_.empty() && !error_) {
    Source& source = sources_[heap_.front()];
    if (source.record != nullptr && !give_first_) {
      give_first_ = true;
      item = {source.process, source.stream, source.record, source.reader->directory()};
      return true;
    }
    give_first_ = false;
    if (advance(source)) {
      // Times that were kept approximately may go back: the order within a stream stays.
      if (ordered) source.key = std::max(source.key, source.record->start_ns);
    } else {
      source.reader.reset();
      source.record = nullptr;
      heap_.front() = heap_.back();
      heap_.pop_back();
    }
    sift_down();
  }
  return false;
}

}  // namespace weir::trace
