#include "semantics/detail/spans.hpp"

#include <algorithm>
#include <iterator>

namespace weir::semantics::detail {
namespace {

// Where many threads take turns they come again only after many cells: so far spans are joined in hope.
constexpr std::uint32_t kJoinedAnyway = 5;

}  // namespace

void Spans::add_reader(Indices& readers, std::uint32_t index) const {
  const Access& access = (*all_)[index];
  for (std::uint32_t& reader : readers) {
    const Access& other = (*all_)[reader];
    if (other.member != access.member || other.at_end() != access.at_end() || judge_->outlasts(other, access))
      continue;
    reader = index;
    return;
  }
  readers.push_back(index);
}

void Spans::open(std::int64_t begin, std::int64_t end, bool reads) {
  auto next = spans_.upper_bound(begin);
  if (next != spans_.begin()) --next;
  while (next != spans_.end() && next->first < end) {
    const Span& span = *next->second;
    if (span.end <= begin || (reads && span.begin >= begin && span.end <= end)) {
      ++next;
      continue;
    }
    const std::int64_t from = span.begin;
    std::unique_ptr<Span> taken = std::move(next->second);
    spans_.erase(next);
    take_apart(std::move(taken));
    next = spans_.lower_bound(from);  // its parts are looked at next
  }
}

void Spans::take_apart(std::unique_ptr<Span> span) {
  if (span->left != nullptr) {
    for (auto* const part : {&span->left, &span->right}) {
      for (const std::uint32_t reader : span->readers) add_reader((*part)->readers, reader);
      const std::int64_t begin = (*part)->begin;
      spans_.emplace(begin, std::move(*part));
    }
    return;
  }
  if (span->readers.empty()) return;
  for (auto cell = cells_->find(span->begin); cell != cells_->end() && cell->first < span->end; ++cell)
    for (const std::uint32_t reader : span->readers) add_reader(cell->second.readers, reader);
}

Span* Spans::find(std::int64_t begin) {
  const auto found = spans_.find(begin);
  return found == spans_.end() ? nullptr : found->second.get();
}

// By their keys, those of one key as one.
void Spans::sort(std::vector<WriterRun>& runs) const {
  const auto access = [&](std::uint32_t index) -> const Access& { return (*all_)[index]; };
  std::sort(runs.begin(), runs.end(), [&](const WriterRun& a, const WriterRun& b) {
    return WriterRun::key(access(a.first)) < WriterRun::key(access(b.first));
  });
  std::size_t kept = 0;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    WriterRun& run = runs[kept];
    if (WriterRun::key(access(run.first)) != WriterRun::key(access(runs[i].first))) {
      runs[++kept] = runs[i];
      continue;
    }
    if (access(runs[i].first).record < access(run.first).record) run.first = runs[i].first;
    if (access(runs[i].last).record > access(run.last).record) run.last = runs[i].last;
  }
  if (!runs.empty()) runs.resize(kept + 1);
}

Span* Spans::make(std::int64_t begin, std::int64_t end) {
  auto span = std::make_unique<Span>();
  span->number = ++made_;
  span->begin = begin;
  span->end = end;
  for (auto cell = cells_->find(begin); cell != cells_->end() && cell->first < end; ++cell)
    for (const std::uint32_t writer : cell->second.writers) span->writers.push_back({writer, writer});
  sort(span->writers);
  span->writers.shrink_to_fit();
  Span* const made = span.get();
  spans_.emplace(begin, std::move(span));
  return made;
}

Span* Spans::join(Span* left, Span* right) {
  if (left->end != right->begin || left->apart_from == right->number) return nullptr;
  std::vector<WriterRun> writers;
  writers.reserve(left->writers.size() + right->writers.size());
  writers.insert(writers.end(), left->writers.begin(), left->writers.end());
  writers.insert(writers.end(), right->writers.begin(), right->writers.end());
  const std::size_t apart = writers.size();
  sort(writers);
  const bool alike = left->level == right->level && left->level < kJoinedAnyway;
  const bool is_part = writers.size() == std::max(left->writers.size(), right->writers.size());
  if (!alike && !is_part && writers.size() * 4 > apart * 3) {
    left->apart_from = right->number;
    return nullptr;
  }
  auto span = std::make_unique<Span>();
  span->number = ++made_;
  span->begin = left->begin;
  span->end = right->end;
  span->level = std::max(left->level, right->level) + 1;
  span->writers.assign(writers.begin(), writers.end());
  span->left = std::move(spans_.extract(left->begin).mapped());
  span->right = std::move(spans_.extract(right->begin).mapped());
  Span* const made = span.get();
  spans_.emplace(made->begin, std::move(span));
  return made;
}

}  // namespace weir::semantics::detail
