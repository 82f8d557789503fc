#include "trace/signature.hpp"

#include "trace/live.hpp"

namespace weir::trace {

Result<Signature> parse_signature(std::span<const std::uint64_t> words, std::span<const Function> functions,
                                  std::span<const std::uint32_t> numbers_in, std::size_t texts) {
  const auto bad = [](const char* why) { return Error{Errc::bad_data, why}; };
  if (words.empty()) return bad("a signature without words");
  Signature made;
  made.function = Head::function(words[0]);
  if (made.function >= functions.size()) return bad("a signature of a function that is not there");
  const Function& function = functions[made.function];
  const std::size_t arguments = function.arguments.size();
  std::size_t at = Head::words(arguments);
  if (arguments > Head::kArguments || words.size() < at) return bad("a signature that is too short");
  made.depth = Head::depth(words[0]);
  made.words.assign(words.begin(), words.end());
  for (std::size_t i = 0; i <= arguments; ++i) {
    Signature::Part part;
    part.encoding = i == arguments
                        ? Head::result(words[0])
                        : static_cast<Encoding>((words[Head::word_of(i)] >> Head::shift_of(i)) & 15);
    part.word = static_cast<std::uint32_t>(at);
    std::size_t taken = words_of(part.encoding);
    if (at + taken > words.size()) return bad("a signature that ends too early");
    made.columns += static_cast<std::uint32_t>(columns_of(part.encoding));
    switch (part.encoding) {
      case Encoding::path:
      case Encoding::path_column:
        if (words[at] >= numbers_in.size()) return bad("a signature with a name that is not there");
        part.numbers = numbers_in[words[at]];
        if (part.encoding == Encoding::path)
          taken += part.numbers;
        else
          made.columns += part.numbers;
        break;
      case Encoding::text:
      case Encoding::list:
        if (words[at] >= texts) return bad("a signature with a text that is not there");
        break;
      case Encoding::opened:
      case Encoding::opened_pair:
        made.descriptors += static_cast<std::uint32_t>(columns_of(part.encoding));
        [[fallthrough]];
      case Encoding::handle:
        for (std::size_t k = 0; k < taken; ++k)
          if (words[at + k] > static_cast<std::uint64_t>(Shape::kNoHandle))
            return bad("a handle id that is too large");
        break;
      case Encoding::distance:
        if (i < arguments ? function.shape.handle_of[i] == Shape::kNone ||
                                function.shape.handle_of[i] >= static_cast<int>(i)
                          : function.shape.handle == Shape::kNone)
          return bad("a distance without a handle to count it from");
        break;
      case Encoding::full:
        if (i < arguments) return bad("an argument encoded as a result");
        break;
      default:
        break;
    }
    at += taken;
    if (at > words.size()) return bad("a signature that ends too early");
    made.parts.push_back(part);
  }
  if (at != words.size()) return bad("a signature with words left over");
  if (made.columns > live::kMostColumns) return bad("a signature with too many columns");
  return made;
}

}  // namespace weir::trace
