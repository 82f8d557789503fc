#include <fmt/format.h>

#include "calls/call.hpp"
#include "proxy/call_writer.hpp"

// The call itself: what it must return, and what it leaves behind.
namespace weir::proxy {

using trace::Encoding;
using trace::Shape;

namespace {

bool takes_list(const trace::Function& function) {  // vprintf and its like
  return !function.arguments.empty() && function.arguments.back().type == "va_list" &&
         function.name.find('v') != std::string::npos;
}

bool is_variadic(const trace::Function& function) {
  if (!function.arguments.empty() && function.arguments.back().type == "va_list")
    return !takes_list(function);
  const auto call = find_call(function.name);
  return call && info(*call).variadic;
}

// Through names of our own: compilers and headers know better than to call what is written (printf becomes
// puts, getchar is inline).
std::string declaration(const trace::Function& function) {
  std::string types;
  for (std::size_t i = 0; i < function.arguments.size(); ++i) {
    const bool is_rest = i + 1 == function.arguments.size() && is_variadic(function);
    types += (i > 0 ? ", " : "") + (is_rest ? std::string("...") : std::string(function.arguments[i].type));
  }
  return fmt::format("extern \"C\" {} call_{}({}) __asm__(\"{}\");", function.result_type, function.name,
                     types, function.name);
}

// Those of NetCDF and PnetCDF: whatever is not 0 says what went wrong.
bool fails_by_its_result(const trace::Function& function) {
  const auto call = find_call(function.name);
  return call && info(*call).failure == Failure::nonzero;
}

}  // namespace

// The recorded result as an expression.
std::string CallWriter::wanted() const {
  const Part& part = signature_->parts.back();
  const Shape& shape = function_->shape;
  switch (part.encoding) {
    case Encoding::literal:
    case Encoding::failed:
      return word(part);
    case Encoding::relative:
      return fmt::format("world.rank + {}", word(part));
    case Encoding::column:
      return "wanted";
    case Encoding::distance:
      return fmt::format("{} + {}", end_of_handle(shape.handle), word(part));
    case Encoding::full: {
      const std::int8_t asked = shape.result == Role::bytes   ? shape.bytes
                                : shape.result == Role::count ? shape.items
                                                              : shape.offset;
      return asked == Shape::kNone ? "-1" : fmt::format("a{}", asked);
    }
    default:
      return "0";
  }
}

// How the call moves the position that offsets are counted from: as trace::advance() has it, with the
// recorded result.
void CallWriter::advance(std::string_view result) {
  const Shape& shape = function_->shape;
  const auto number = [&](std::int8_t at) -> std::string {
    const Encoding encoding = signature_->parts[static_cast<std::size_t>(at)].encoding;
    const bool known =
        encoding == Encoding::literal || encoding == Encoding::column || encoding == Encoding::distance;
    return known ? fmt::format("a{}", at) : std::string("0");
  };
  if (shape.has_offset) {
    if (shape.result == Role::offset) {
      if (shape.handle != Shape::kNone) line(fmt::format("{} = {};", end_of_handle(shape.handle), result));
      return;
    }
    if (shape.whence != Shape::kNone) {
      const Part& whence = signature_->parts[static_cast<std::size_t>(shape.whence)];
      if (whence.encoding != Encoding::literal || signature_->words[whence.word] != 0) return;
    }
    std::string moved = "0";
    if (shape.result == Role::bytes)
      moved = result;
    else if (shape.bytes != Shape::kNone)
      moved = number(shape.bytes);
    for (std::size_t i = 0; i < shape.arguments; ++i) {
      const Encoding encoding = signature_->parts[i].encoding;
      if (shape.handle_of[i] == Shape::kNone || encoding == Encoding::null || encoding == Encoding::absent)
        continue;
      line(fmt::format("{} = {} + {};", end_of_handle(shape.handle_of[i]),
                       number(static_cast<std::int8_t>(i)), moved));
    }
    return;
  }
  if (shape.handle == Shape::kNone) return;
  const std::string end = end_of_handle(shape.handle);
  if (shape.result == Role::bytes)
    line(fmt::format("{} += {};", end, result));
  else if (shape.result == Role::offset)
    line(fmt::format("{} = {};", end, result));
  else if (shape.result == Role::count && shape.bytes != Shape::kNone)
    line(fmt::format("{} += {} * {};", end, result, number(shape.bytes)));
}

void CallWriter::check_result(std::string_view call) {
  const Part& part = signature_->parts.back();
  const bool is_pointer = function_->result_type.ends_with('*');
  if (function_->result_type == "void" || part.encoding == Encoding::unfinished) {
    line(fmt::format("{};", call));
    return;
  }
  // Not every call sets it: fgets() at the end of a file leaves what was there.
  if (part.encoding == Encoding::failed && !is_library_) line(fmt::format("errno = (int){};", word(part)));
  line(fmt::format("const auto got = {};", call));
  const std::string failed = is_pointer ? "got == nullptr || (i64)got == -1" : "(i64)got == -1";
  if (part.encoding == Encoding::failed) {
    if (is_library_ && function_->layer.starts_with("mpi"))
      line(fmt::format("t.check_failed({}, got != 0, error_class(got), {});", number_, word(part)));
    else if (is_library_ && fails_by_its_result(*function_))
      line(fmt::format("t.check_failed({}, got != 0, (i64)got, {});", number_, word(part)));
    else if (is_library_)
      line(fmt::format("t.check_failed({}, (i64)got < 0, {}, {});", number_, word(part), word(part)));
    else
      line(fmt::format("t.check_failed({}, {}, errno, {});", number_, failed, word(part)));
  } else if (part.encoding == Encoding::opened) {
    line(fmt::format("t.check_made({}, opened(t, {}, got));", number_, word(part)));
  } else if (function_->makes_object && part.encoding == Encoding::literal) {
    line(fmt::format("{}({}) = got;", pool_of(function_->result_type, function_->result), word(part)));
  } else if (is_pointer) {
    line(fmt::format("t.check_made({}, !({}));", number_, failed));
    if (part.encoding == Encoding::column) line("map_address(wanted, (i64)got);");
  } else if (part.encoding == Encoding::literal || part.encoding == Encoding::full ||
             part.encoding == Encoding::distance || part.encoding == Encoding::column) {
    const bool is_own = part.encoding == Encoding::column && is_library_;
    if (!is_own) line(fmt::format("t.check({}, (i64)got, wanted);", number_));
  } else {
    line("static_cast<void>(got);");
  }
}

std::string CallWriter::write() {
  const Part& part = signature_->parts.back();
  const Places& places = plan_->places[number_];
  const std::int64_t gap = places.calls > 0 ? places.gap_sum_ns / static_cast<std::int64_t>(places.calls) : 0;
  line(fmt::format("t.begin({});", number_text(gap)));
  if (!why_not(*function_).empty()) {
    line("// " + std::string(why_not(*function_)));
    return lines_;
  }
  if (part.encoding == Encoding::column)
    line(fmt::format("const i64 wanted = t.column({});", column_slot(signature_->parts.size() - 1)));
  // printf's values depend on the result: it comes last.
  std::string given;
  const std::size_t count = function_->arguments.size();
  bool has_list = false;
  bool has_numbers = false;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string one = argument(i);
    given_.push_back(one);
    has_numbers = has_numbers || signature_->parts[i].numbers > 0;
    if (function_->arguments[i].role == Role::varargs && !is_library_ && !is_variadic(*function_)) {
      has_list = true;
      given += (i > 0 ? ", values)" : "values)");
      if (!one.empty())
        given += "; }, " + one;
      else
        given += "; }";
      continue;
    }
    if (!one.empty()) given += (given.empty() ? "" : ", ") + one;
  }
  const bool has_result = part.encoding == Encoding::literal || part.encoding == Encoding::full ||
                          part.encoding == Encoding::distance;
  if (has_result) line(fmt::format("const i64 wanted = {};", wanted()));
  if (is_library_) {
    // What is asked of MPI before its start and after its end is what libraries ask.
    const bool is_mpi = function_->layer.starts_with("mpi");
    note_completion();
    if (function_->name == "MPI_Init" || function_->name == "MPI_Init_thread") line("world.outside = false;");
    line(is_mpi ? "if (!world.outside) {" : "{");
    for (const std::string& one : before_) line(one);
    check_result(call_text(given, has_list));
    for (const std::string& one : after_) line(one);
    line("}");
    if (function_->name == "MPI_Finalize") line("world.outside = true;");
  } else {
    declarations_->functions.insert(declaration(*function_));
    line(fmt::format("if (t.passes({}, {{{}}}, {{{}}})) {{", part.encoding == Encoding::failed,
                     fmt::join(handles_, ", "), fmt::join(paths_, ", ")));
    check_result(call_text(given, has_list));
    for (const std::string& one : after_) line(one);
    line(part.encoding == Encoding::opened ? fmt::format("}} else left_out(t, {});", word(part))
                                           : std::string("}"));
    if (function_->closes && part.encoding != Encoding::opened)
      for (const std::string& id : handles_) line(fmt::format("closed(t, {});", id));
  }
  if (part.encoding != Encoding::failed && part.encoding != Encoding::unfinished)
    advance(has_result || part.encoding == Encoding::column ? "wanted" : "0");
  if (has_numbers) line("t.keep_numbers();");
  return lines_;
}

std::string CallWriter::call_text(std::string given, bool has_list) const {
  if (is_library_) return fmt::format("{}({})", function_->name, given);
  const std::string& means = function_->means;
  if (means == "exit" || means == "_exit" || means == "_Exit" || means == "quick_exit")
    return fmt::format("call_{}(leave(t, a0))", function_->name);
  if (has_list)
    return fmt::format("with_list([&](va_list values) {{ return call_{}({})", function_->name, given);
  return fmt::format("call_{}({})", function_->name, given);
}

}  // namespace weir::proxy
