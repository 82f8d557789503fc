#include "trace/tables.hpp"

#include <cstring>

#include "base/compress.hpp"
#include "trace/format.hpp"

namespace weir::trace {
namespace {

// Views into the strings, which stay where they are when the function is moved.
void point_arguments(Function& function, const std::vector<std::pair<Role, Direction>>& kinds) {
  function.arguments.clear();
  for (std::size_t i = 0; i < kinds.size(); ++i)
    function.arguments.push_back({function.names_and_types[2 * i],
                                  function.names_and_types[2 * i + 1],
                                  kinds[i].first,
                                  kinds[i].second,
                                  {},
                                  1});
  function.shape = make_shape(function.arguments, function.result);
  for (std::size_t i = 0; i < function.arguments.size(); ++i)
    if (is_object(function.layer, function.arguments[i].role)) function.objects |= 1U << i;
  function.makes_object = is_object(function.layer, function.result);
  function.moves = direction(function);
  function.moved = how_moved(function);
}

}  // namespace

Function describe(Call call) {
  const CallInfo& row = info(call);
  Function function;
  function.name = row.name;
  function.means = name(row.means);
  function.layer = name(row.layer);
  function.result_type = row.result_type;
  function.result = row.result;
  function.opens = row.opens;
  function.closes = row.closes;
  std::vector<std::pair<Role, Direction>> kinds;
  for (const Argument& argument : arguments(call)) {
    function.names_and_types.emplace_back(argument.name);
    function.names_and_types.emplace_back(argument.type);
    kinds.emplace_back(argument.role, argument.direction);
  }
  point_arguments(function, kinds);
  return function;
}

void put_functions(ByteWriter& out, const std::vector<Function>& functions) {
  ByteWriter plain;
  plain.varint(functions.size());
  for (const Function& function : functions) {
    plain.string(function.name);
    plain.string(function.means);
    plain.string(function.layer);
    plain.string(function.result_type);
    plain.string(name(function.result));
    plain.u8(static_cast<std::uint8_t>((function.opens ? 1 : 0) | (function.closes ? 2 : 0)));
    plain.varint(function.arguments.size());
    for (const Argument& argument : function.arguments) {
      plain.string(argument.name);
      plain.string(argument.type);
      plain.string(name(argument.role));
      plain.string(name(argument.direction));
    }
  }
  put_packed(out, plain.view(), 9);
}

Result<std::vector<Function>> take_functions(ByteReader& packed) {
  const auto plain = take_packed(packed, kMostTableBytes);
  if (!plain) return plain.error();
  ByteReader in(*plain);
  const auto count = in.count(7);
  if (!count) return count.error();
  std::vector<Function> functions;
  for (std::uint64_t i = 0; i < *count; ++i) {
    Function function;
    for (std::string* const text :
         {&function.name, &function.means, &function.layer, &function.result_type}) {
      const auto read = in.string();
      if (!read) return read.error();
      *text = *read;
    }
    const auto role = in.string();
    if (!role) return role.error();
    function.result = find_role(*role).value_or(Role::value);  // a newer Weir's role: shown as a plain value
    const auto flags = in.u8();
    if (!flags) return flags.error();
    function.opens = (*flags & 1) != 0;
    function.closes = (*flags & 2) != 0;
    const auto arguments = in.count(4);
    if (!arguments) return arguments.error();
    if (*arguments > Head::kArguments) return Error{Errc::bad_data, "a function with too many arguments"};
    std::vector<std::pair<Role, Direction>> kinds;
    for (std::uint64_t k = 0; k < *arguments; ++k) {
      std::string_view fields[4];
      for (std::string_view& field : fields) {
        const auto read = in.string();
        if (!read) return read.error();
        field = *read;
      }
      function.names_and_types.emplace_back(fields[0]);
      function.names_and_types.emplace_back(fields[1]);
      const Direction direction = fields[3] == "out"     ? Direction::out
                                  : fields[3] == "inout" ? Direction::inout
                                                         : Direction::in;
      kinds.emplace_back(find_role(fields[2]).value_or(Role::value), direction);
    }
    functions.push_back(std::move(function));
    point_arguments(functions.back(), kinds);
  }
  return functions;
}

void put_strings(ByteWriter& out, const std::vector<std::string>& strings) {
  ByteWriter plain;
  plain.varint(strings.size());
  for (const std::string& text : strings) plain.string(text);
  put_packed(out, plain.view(), 9);
}

Result<std::vector<std::string>> take_strings(ByteReader& packed) {
  const auto plain = take_packed(packed, kMostTableBytes);
  if (!plain) return plain.error();
  ByteReader in(*plain);
  const auto count = in.count(1);
  if (!count) return count.error();
  std::vector<std::string> strings;
  strings.reserve(*count);
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto text = in.string();
    if (!text) return text.error();
    strings.emplace_back(*text);
  }
  return strings;
}

void put_signatures(ByteWriter& out, const std::vector<Signature>& signatures) {
  ByteWriter plain;
  plain.varint(signatures.size());
  for (const Signature& signature : signatures) {
    plain.varint(2 * signature.words.size() + (signature.varying.empty() ? 0 : 1));
    const std::size_t head = Head::words(signature.parts.size() - 1);
    for (std::size_t i = 0; i < signature.words.size(); ++i) {
      if (i < head)
        plain.varint(signature.words[i]);
      else
        plain.signed_varint(static_cast<std::int64_t>(signature.words[i]));
    }
    if (signature.varying.empty()) continue;
    plain.varint(signature.varying.size());
    std::uint64_t before = 0;
    for (const Signature::Varying& one : signature.varying) {
      plain.varint(2 * (one.word - before) + (one.own ? 1 : 0));
      before = one.word;
      if (!one.own) plain.signed_varint(one.slope);
    }
  }
  put_packed(out, plain.view(), 9);
}

namespace {

Result<void> take_varying(ByteReader& in, Signature& signature) {
  const Error bad{Errc::bad_data, "a signature whose words vary that cannot"};
  std::vector<bool> free(signature.words.size());
  for_each_free_word(signature, [&](std::uint32_t word) { free[word] = true; });
  const auto count = in.count(1);
  if (!count) return count.error();
  std::uint64_t word = 0;
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto step = in.varint();
    if (!step) return step.error();
    if (*step / 2 >= free.size()) return bad;
    word += *step / 2;
    if (word >= free.size() || !free[word]) return bad;
    free[word] = false;  // once
    Signature::Varying one{static_cast<std::uint32_t>(word), (*step & 1) != 0, 0};
    if (!one.own) {
      const auto slope = in.signed_varint();
      if (!slope) return slope.error();
      one.slope = *slope;
    }
    signature.varying.push_back(one);
  }
  return {};
}

}  // namespace

Result<void> take_signatures(ByteReader& packed, Tables& tables, std::uint32_t version) {
  const auto plain = take_packed(packed, kMostTableBytes);
  if (!plain) return plain.error();
  ByteReader in(*plain);
  const auto count = in.count(2);
  if (!count) return count.error();
  std::vector<std::uint64_t> words;
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto code = in.varint();
    if (!code) return code.error();
    const std::uint64_t length = version == 1 ? *code : *code / 2;
    if (length > in.remaining()) return Error{Errc::bad_data, "a signature that ends too early"};
    words.clear();
    std::size_t head = 1;
    for (std::uint64_t k = 0; k < length; ++k) {
      if (k < head) {
        const auto word = in.varint();
        if (!word) return word.error();
        words.push_back(*word);
        const std::uint32_t function = Head::function(words[0]);
        if (k == 0 && function < tables.functions.size())
          head = Head::words(tables.functions[function].arguments.size());
      } else {
        const auto word = in.signed_varint();
        if (!word) return word.error();
        words.push_back(static_cast<std::uint64_t>(*word));
      }
    }
    auto signature = parse_signature(words, tables.functions, tables.numbers_in, tables.texts.size());
    if (!signature) return signature.error();
    if (version != 1 && (*code & 1) != 0)
      if (const auto varying = take_varying(in, *signature); !varying) return varying.error();
    tables.signatures.push_back(std::move(*signature));
  }
  return {};
}

void put_classes(ByteWriter& out, const Classes& classes) {
  ByteWriter plain;
  plain.varint(classes.size());
  for (const std::vector<std::uint32_t>& numbers : classes) {
    plain.varint(numbers.size());
    std::int64_t expected = 0;
    for (const std::uint32_t number : numbers) {
      plain.signed_varint(number - expected);
      expected = std::int64_t{number} + 1;
    }
  }
  put_packed(out, plain.view(), 9);
}

Result<Classes> take_classes(ByteReader& packed, std::size_t signatures) {
  const auto plain = take_packed(packed, kMostTableBytes);
  if (!plain) return plain.error();
  ByteReader in(*plain);
  const auto count = in.count(1);
  if (!count) return count.error();
  Classes classes(*count);
  for (std::vector<std::uint32_t>& numbers : classes) {
    const auto length = in.count(1);
    if (!length) return length.error();
    numbers.reserve(*length);
    std::uint64_t expected = 0;
    for (std::uint64_t i = 0; i < *length; ++i) {
      const auto step = in.signed_varint();
      if (!step) return step.error();
      const std::uint64_t number = expected + static_cast<std::uint64_t>(*step);
      if (number >= signatures) return Error{Errc::bad_data, "a class with a signature that is not there"};
      numbers.push_back(static_cast<std::uint32_t>(number));
      expected = number + 1;
    }
  }
  return classes;
}

Result<void> count_template_numbers(Tables& tables) {
  tables.numbers_in.clear();
  for (const std::string& name_template : tables.templates) {
    const auto count = count_numbers(name_template);
    if (!count) return count.error();
    tables.numbers_in.push_back(static_cast<std::uint32_t>(*count));
  }
  return {};
}

}  // namespace weir::trace
