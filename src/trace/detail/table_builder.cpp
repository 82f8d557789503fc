#include "trace/detail/table_builder.hpp"

#include "trace/tables.hpp"

namespace weir::trace::detail {

std::uint32_t TableBuilder::text(std::string_view text) {
  const auto [found, added] =
      texts_.try_emplace(std::string(text), static_cast<std::uint32_t>(tables_.texts.size()));
  if (added) tables_.texts.emplace_back(text);
  return found->second;
}

Result<std::uint32_t> TableBuilder::name_template(std::string_view text) {
  const auto numbers = count_numbers(text);
  if (!numbers) return numbers.error();
  const auto [found, added] =
      templates_.try_emplace(std::string(text), static_cast<std::uint32_t>(tables_.templates.size()));
  if (added) {
    tables_.templates.emplace_back(text);
    tables_.numbers_in.push_back(static_cast<std::uint32_t>(*numbers));
  }
  return found->second;
}

std::uint32_t TableBuilder::function(std::uint32_t call) {
  const auto [found, added] =
      functions_.try_emplace(call, static_cast<std::uint32_t>(tables_.functions.size()));
  if (added) {
    tables_.functions.push_back(describe(static_cast<Call>(call)));
    calls_.push_back(static_cast<Call>(call));
  }
  return found->second;
}

Result<std::uint32_t> TableBuilder::signature(std::span<const std::uint64_t> words,
                                              std::span<const std::uint32_t> texts,
                                              std::span<const std::uint32_t> templates) {
  const Error bad{Errc::bad_data, "a signature refers to what is not there"};
  if (words.empty()) return bad;
  const std::uint32_t call = Head::function(words[0]);
  if (call >= kCallCount) return bad;
  std::vector<std::uint64_t> renamed(words.begin(), words.end());
  renamed[0] = (words[0] & ~std::uint64_t{Head::kFunctions - 1}) | function(call);
  const std::size_t count = arguments(static_cast<Call>(call)).size();
  std::size_t at = Head::words(count);
  if (at > words.size()) return bad;
  for (std::size_t i = 0; i <= count; ++i) {
    const Encoding encoding =
        i == count ? Head::result(words[0])
                   : static_cast<Encoding>((words[Head::word_of(i)] >> Head::shift_of(i)) & 15);
    const std::size_t taken = words_of(encoding);
    if (at + taken > words.size()) return bad;
    if (encoding == Encoding::text || encoding == Encoding::list) {
      if (words[at] >= texts.size()) return bad;
      renamed[at] = texts[words[at]];
    } else if (encoding == Encoding::path || encoding == Encoding::path_column) {
      if (words[at] >= templates.size()) return bad;
      renamed[at] = templates[words[at]];
      if (encoding == Encoding::path) at += tables_.numbers_in[renamed[at]];
    }
    at += taken;
  }
  const std::string key(reinterpret_cast<const char*>(renamed.data()), renamed.size() * sizeof renamed[0]);
  const auto found = signatures_.find(key);
  if (found != signatures_.end()) return found->second;
  auto parsed = parse_signature(renamed, tables_.functions, tables_.numbers_in, tables_.texts.size());
  if (!parsed) return parsed.error();
  const auto number = static_cast<std::uint32_t>(tables_.signatures.size());
  tables_.signatures.push_back(std::move(*parsed));
  signatures_.emplace(key, number);
  return number;
}

}  // namespace weir::trace::detail
