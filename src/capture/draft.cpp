#include "capture/draft.hpp"

#include <algorithm>

#include "calls/call.hpp"

namespace weir::capture {
namespace {

using trace::Encoding;

bool is_size(Role role) {
  return role == Role::bytes || role == Role::count || role == Role::value || role == Role::offset ||
         role == Role::string;
}

}  // namespace

void Draft::copy_values(const Draft& other) {
  std::copy_n(other.values, arguments, values);
  std::copy_n(other.names, other.name_count, names);
  std::copy_n(other.pair, 2, pair);
  name_count = other.name_count;
  result = other.result;
  columns = other.columns;
}

void Draft::assign(const Draft& other) {
  if (this == &other) return;
  arguments = other.arguments;
  count = other.count;
  std::copy_n(other.words, count, words);
  copy_values(other);
}

void Draft::holed(bool sizes, Draft& out) const {
  const auto roles = weir::arguments(static_cast<Call>(function()));
  out.begin(function(), trace::Head::depth(words[0]), arguments);
  out.copy_values(*this);

  std::size_t at = trace::Head::words(arguments);
  std::size_t name = 0;
  for (std::size_t i = 0; i < arguments; ++i) {
    const Encoding before = encoding(i);
    std::size_t taken = trace::words_of(before);
    Encoding after = before;
    std::size_t kept = taken;
    if (before == Encoding::path) {
      const std::uint32_t numbers = names[name++].numbers;
      taken += numbers;
      kept = taken;
      if (numbers > 0) {
        after = Encoding::path_column;
        kept = 1;
      }
    } else if (before == Encoding::distance ||
               (sizes && before == Encoding::literal && is_size(roles[i].role))) {
      after = Encoding::column;
      kept = 0;
    }
    out.put(i, after);
    std::copy_n(words + at, kept, out.words + out.count);
    out.count += kept;
    at += taken;
    out.columns = out.columns || after != before;
  }
  const Encoding before = trace::Head::result(words[0]);
  const std::size_t taken = trace::words_of(before);
  if (before == Encoding::distance || (sizes && before == Encoding::literal)) {
    out.put_result(Encoding::column);
    out.columns = true;
  } else {
    out.put_result(before);
    std::copy_n(words + at, taken, out.words + out.count);
    out.count += taken;
  }
}

}  // namespace weir::capture
