#include "proxy/call_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "calls/call.hpp"

namespace weir::proxy {

using trace::Encoding;
using trace::Shape;

std::string c_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '?')
      out += {'\\', c};
    else if (c >= ' ' && c <= '~')
      out += c;
    else
      out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
  }
  return out + "\"";
}

std::string number_text(std::int64_t value) {
  if (value == INT64_MIN) return "INT64_MIN";
  return std::to_string(value) + (value > INT32_MAX || value < INT32_MIN ? "LL" : "");
}

std::string base_type(std::string_view type) {
  std::string out(type);
  for (const std::string_view word : {"const ", "struct "})
    if (out.starts_with(word)) out.erase(0, word.size());
  while (!out.empty() && (out.back() == '*' || out.back() == ' ')) out.pop_back();
  if (out.ends_with(" const")) out.erase(out.size() - 6);
  return out;
}

CallWriter::CallWriter(const Plan& plan, std::uint32_t signature, Declarations& declarations)
    : plan_(&plan),
      tables_(&plan.trace->tables()),
      signature_(&tables_->signatures[signature]),
      function_(&tables_->functions[signature_->function]),
      declarations_(&declarations),
      number_(signature),
      is_library_(function_->layer != "posix" && function_->layer != "stdio" && function_->layer != "uring") {
}

std::string CallWriter::word(const Part& part, std::uint32_t k) const {
  const std::uint32_t at = part.word + k;
  std::uint32_t own = plan_->places[number_].first_own;
  for (const trace::Signature::Varying& one : signature_->varying) {
    if (one.word == at) {
      if (one.own) return fmt::format("t.own_word({})", own);
      return fmt::format("({} + {} * world.rank)",
                         number_text(static_cast<std::int64_t>(signature_->words[at])),
                         number_text(one.slope));
    }
    own += one.own ? 1 : 0;
  }
  return number_text(static_cast<std::int64_t>(signature_->words[at]));
}

std::uint32_t CallWriter::column_slot(std::size_t part) const {
  std::uint32_t slot = plan_->places[number_].first_column;
  for (std::size_t i = 0; i < part; ++i) {
    if (signature_->parts[i].encoding == Encoding::column) ++slot;
    if (signature_->parts[i].encoding == Encoding::path_column) slot += signature_->parts[i].numbers;
  }
  return slot;
}

std::string CallWriter::differences(std::size_t at) const {
  const Part& part = signature_->parts[at];
  std::string out;
  for (std::uint32_t k = 0; k < part.numbers; ++k) {
    if (k > 0) out += ", ";
    out += part.encoding == Encoding::path ? word(part, 1 + k)
                                           : fmt::format("t.column({})", column_slot(at) + k);
  }
  return "{" + out + "}";
}

std::string CallWriter::end_of_handle(std::int8_t at) const {
  if (at != Shape::kNone) {
    const Part& part = signature_->parts[static_cast<std::size_t>(at)];
    if (part.encoding == Encoding::handle) return fmt::format("t.end({})", word(part));
  }
  return "t.end(Stream::kNoHandle)";
}

std::string CallWriter::argument(std::size_t at) {
  const Part& part = signature_->parts[at];
  switch (part.encoding) {
    case Encoding::distance:
      line(fmt::format("const i64 a{} = {} + {};", at, end_of_handle(function_->shape.handle_of[at]),
                       word(part)));
      break;
    case Encoding::literal:
      if (function_->arguments[at].role != Role::status && (function_->objects >> at & 1) == 0)
        line(fmt::format("const i64 a{} = {};", at, word(part)));
      break;
    case Encoding::column:
      line(fmt::format("const i64 a{} = t.column({});", at, column_slot(at)));
      break;
    default:
      break;
  }
  return is_library_ ? library_argument(at) : plain_argument(at);
}

std::string CallWriter::plain_argument(std::size_t at) {
  const Argument& about = function_->arguments[at];
  const bool is_pointer = about.type.ends_with('*');
  const bool is_const = about.type.starts_with("const ");
  if (about.role == Role::varargs) return varargs(at);
  switch (signature_->parts[at].encoding) {
    case Encoding::null:
      return fmt::format("({})nullptr", about.type);
    case Encoding::literal:
    case Encoding::column:
      if (is_pointer && about.role == Role::string) {
        if (!is_const) return fmt::format("({})t.out({})", about.type, at);
        return about.type.find("wchar_t") != std::string_view::npos ? fmt::format("t.wide_line(a{})", at)
                                                                    : fmt::format("t.line(a{})", at);
      }
      if (is_pointer) return fmt::format("({})real_address(a{})", about.type, at);
      // A pointer to what the command needs, which is not recorded.
      if (about.name == "value" && (function_->means == "fcntl" || function_->means == "ioctl"))
        return fmt::format("argument_of_command(t, {}, a{})", at, at);
      return fmt::format("({})a{}", about.type, at);
    case Encoding::distance:
      if (is_pointer) return fmt::format("t.out_of<{}>({}, a{})", base_type(about.type), at, at);
      return fmt::format("({})a{}", about.type, at);
    case Encoding::handle:
      return handle(at);
    case Encoding::text:
      return names_memory(at) ? nothing(at) : plain_text(at);
    case Encoding::path:
    case Encoding::path_column:
      return path(at);
    case Encoding::opened_pair:
      after_.push_back(
          fmt::format("if (got == 0) {{ opened(t, {}, static_cast<int*>(t.out({}))[0]); opened(t, {}, "
                      "static_cast<int*>(t.out({}))[1]); }}",
                      word(signature_->parts[at]), at, word(signature_->parts[at], 1), at));
      return fmt::format("static_cast<int*>(t.out({}))", at);
    default:
      return nothing(at);
  }
}

bool CallWriter::names_memory(std::size_t at) const {
  const std::string& text = tables_->texts[signature_->words[signature_->parts[at].word]];
  return trace::names_memory(function_->arguments[at].role, text);
}

std::string CallWriter::nothing(std::size_t at) {
  const Argument& about = function_->arguments[at];
  const bool is_pointer = about.type.ends_with('*');
  const bool is_const = about.type.starts_with("const ");
  if (about.type.find("(*)") != std::string_view::npos)
    return about.name == "select" ? "[](auto...) { return 1; }" : "[](auto...) { return 0; }";
  if (!is_pointer)
    return about.role == Role::character ? fmt::format("({})'x'", about.type)
                                         : fmt::format("{}{{}}", about.type);
  if (signature_->parts.back().encoding == Encoding::failed &&
      signature_->words[signature_->parts.back().word] == EFAULT)
    return fmt::format("({})bad_address()", about.type);
  if (function_->means == "getline" || function_->means == "getdelim") {
    line(fmt::format("std::memset(t.out({}), 0, 8);", at));
    if (about.role == Role::buffer)
      after_.push_back(fmt::format("std::free(*static_cast<char**>(t.out({})));", at));
  } else if (about.role == Role::buffer) {
    return fmt::format("({})world.{}", about.type, is_const ? "source" : "sink");
  } else if (about.role == Role::text && about.type.find("wchar_t") != std::string_view::npos) {
    return "L\"%ls\"";
  }
  return fmt::format("({})t.out({})", about.type, at);
}

std::string CallWriter::plain_text(std::size_t at) {
  const Argument& about = function_->arguments[at];
  const std::string& text = tables_->texts[signature_->words[signature_->parts[at].word]];
  if (about.role == Role::vector) {
    std::string lengths;
    for (std::size_t i = 0; i + 8 <= text.size(); i += 8) {
      std::int64_t length = 0;
      std::memcpy(&length, text.data() + i, sizeof length);
      lengths += (i > 0 ? ", " : "") + number_text(length);
    }
    return fmt::format("t.vectors({}, {}, {{{}}})", at, function_->name.find("write") != std::string::npos,
                       lengths);
  }
  if (about.role == Role::time)
    return fmt::format("({})t.bytes({}, {}, {})", about.type, at, c_string(text), text.size());
  if (!about.type.starts_with("const ")) return fmt::format("({})t.out({})", about.type, at);
  return c_string(text);
}

std::string CallWriter::path(std::size_t at) {
  const Argument& about = function_->arguments[at];
  const Part& part = signature_->parts[at];
  const std::string name =
      fmt::format("t.{}({}, {}, {})", part.encoding == Encoding::path ? "name" : "name_of", at,
                  signature_->words[part.word], differences(at));
  if (about.direction == Direction::in) {
    line(fmt::format("const char* const n{} = {};", at, name));
    paths_.push_back(fmt::format("n{}", at));
    return fmt::format("n{}", at);
  }
  if (about.direction == Direction::out) {
    line(name + ";");
    return fmt::format("({})t.out({})", about.type, at);
  }
  // mkstemp() and its like make up the end of a name; the program goes on with the recorded one.
  line(fmt::format("const std::string n{} = {};", at, name));
  after_.push_back(fmt::format("rename_quietly(t.names[{}], n{});", at, at));
  const bool has_suffix = std::any_of(function_->arguments.begin(), function_->arguments.end(),
                                      [](const Argument& one) { return one.name == "suffix"; });
  return fmt::format("to_be_made(t.names[{}].c_str(), {})", at,
                     has_suffix ? word(signature_->parts[1]) : std::string("0"));
}

std::string CallWriter::handle(std::size_t at) {
  const Argument& about = function_->arguments[at];
  const std::string id = word(signature_->parts[at]);
  handles_.push_back(id);
  if (about.type.find("FILE") != std::string_view::npos) return fmt::format("t.stream({})", id);
  if (about.type.ends_with('*')) return fmt::format("({})t.directory({})", about.type, id);
  return fmt::format("t.descriptor({})", id);
}

// What C passes in place of '...': values that make the recorded number of bytes.
std::string CallWriter::varargs(std::size_t at) {
  const bool reads = function_->name.find("scanf") != std::string::npos;
  if (reads) {
    std::string out;
    for (int i = 12; i < 24; ++i) out += fmt::format("{}t.out({})", i > 12 ? ", " : "", i);
    return out;
  }
  const Part& format = signature_->parts[at - 1];
  const std::string result = signature_->parts.back().encoding == Encoding::failed ? "0" : wanted();
  if (format.encoding != Encoding::text) {
    line(fmt::format("Fit fit(\"%s\", {});", result));
    return function_->arguments[at - 1].type.find("wchar_t") != std::string_view::npos ? "fit.wide_text(0)"
                                                                                       : "fit.text(0)";
  }
  const std::string& text = tables_->texts[signature_->words[format.word]];
  line(fmt::format("Fit fit({}, {});", c_string(text), result));
  std::string out;
  std::size_t conversion = 0;
  const auto put = [&](const std::string& value) { out += (conversion++ > 0 ? ", " : "") + value; };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') continue;
    if (i + 1 < text.size() && text[i + 1] == '%') {
      ++i;
      continue;
    }
    std::string length;
    for (++i; i < text.size() && std::strchr("0123456789.-+ #'*hlLqjzt", text[i]) != nullptr; ++i) {
      if (text[i] == '*') put(fmt::format("(int)fit.integer({})", conversion));
      if (std::strchr("hlLqjzt", text[i]) != nullptr) length += text[i];
    }
    if (i >= text.size() || text[i] == 'm') continue;
    const bool is_long = !length.empty() && length[0] != 'h';
    if (std::strchr("eEfFgGaA", text[i]) != nullptr)
      put(fmt::format("({})fit.real({})", length == "L" ? "long double" : "double", conversion));
    else if (text[i] == 's' && !is_long)
      put(fmt::format("fit.text({})", conversion));
    else if (text[i] == 's' || text[i] == 'S')
      put(fmt::format("fit.wide_text({})", conversion));
    else if (text[i] == 'p')
      put(fmt::format("(void*)fit.integer({})", conversion));
    else if (text[i] == 'n')
      put(fmt::format("t.out({})", 12 + conversion % 12));
    else
      put(fmt::format("({})fit.integer({})", is_long ? "long" : "int", conversion));
  }
  return out;
}

}  // namespace weir::proxy
