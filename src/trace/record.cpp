#include "trace/record.hpp"

#include <algorithm>
#include <array>

namespace weir::trace {
namespace {

using namespace std::string_view_literals;

constexpr std::array kReads = {"read"sv,           "pread"sv,
                               "readv"sv,          "preadv"sv,
                               "preadv2"sv,        "fread"sv,
                               "fread_unlocked"sv, "fgets"sv,
                               "fgetc"sv,          "getc"sv,
                               "getline"sv,        "getdelim"sv,
                               "fscanf"sv,         "vfscanf"sv,
                               "aio_read"sv,       "fgetws"sv,
                               "fgetwc"sv,         "readahead"sv,
                               "fgets_unlocked"sv, "fgetc_unlocked"sv,
                               "getc_unlocked"sv,  "__fread_chk"sv,
                               "__getdelim"sv,     "__fread_unlocked_chk"sv,
                               "scanf"sv,          "vscanf"sv,
                               "getchar"sv,        "__isoc99_fscanf"sv,
                               "__isoc99_scanf"sv, "getchar_unlocked"sv,
                               "getw"sv,           "__uflow"sv,
                               "gets"sv,           "getwchar"sv,
                               "fwscanf"sv,        "vfwscanf"sv,
                               "wscanf"sv,         "vwscanf"sv};
constexpr std::array kWrites = {
    "write"sv,           "pwrite"sv,          "writev"sv,        "pwritev"sv,        "pwritev2"sv,
    "fwrite"sv,          "fwrite_unlocked"sv, "fputs"sv,         "fputc"sv,          "putc"sv,
    "fprintf"sv,         "vfprintf"sv,        "__fprintf_chk"sv, "__vfprintf_chk"sv, "sendfile"sv,
    "copy_file_range"sv, "splice"sv,          "aio_write"sv,     "fputws"sv,         "fputwc"sv,
    "fputs_unlocked"sv,  "fputc_unlocked"sv,  "putc_unlocked"sv, "dprintf"sv,        "vdprintf"sv,
    "vmsplice"sv,        "printf"sv,          "vprintf"sv,       "puts"sv,           "putchar"sv,
    "__printf_chk"sv,    "__vprintf_chk"sv,   "fwprintf"sv,      "vfwprintf"sv,      "putchar_unlocked"sv,
    "__dprintf_chk"sv,   "__vdprintf_chk"sv,  "putw"sv,          "__overflow"sv,     "perror"sv,
    "putwchar"sv,        "wprintf"sv,         "vwprintf"sv};
// Wide characters are as many bytes as the locale says; perror adds what the error is called.
constexpr std::array kAtLeast = {"fgetws"sv,  "fgetwc"sv,   "getwchar"sv, "fputws"sv,
                                 "fputwc"sv,  "putwchar"sv, "fwprintf"sv, "vfwprintf"sv,
                                 "wprintf"sv, "vwprintf"sv, "perror"sv};

template <std::size_t N>
bool among(const std::array<std::string_view, N>& names, const Function& function) {
  return std::find(names.begin(), names.end(), function.means) != names.end();
}

}  // namespace

bool is_object(std::string_view layer, Role role) {
  if (role == Role::request)
    return layer != "posix" && layer != "uring";  // there a block of the program's memory
  return is_library_object(role);
}

bool names_memory(Role role, std::string_view text) {
  return role == Role::buffer && !text.starts_with("MPI_");
}

int direction(const Function& function) {
  if (among(kReads, function)) return -1;
  return among(kWrites, function) ? 1 : 0;
}

Function::Moved how_moved(const Function& function) {
  using Moved = Function::Moved;
  if (function.means == "putw" || function.means == "getw") return Moved::word;
  if (function.means == "puts" || function.means == "gets") return Moved::line;
  if (function.means == "__overflow" || function.means == "__uflow") return Moved::unknown;
  return among(kAtLeast, function) ? Moved::at_least : Moved::by_roles;
}

std::uint64_t bytes_moved(const Record& record) {
  return record.function->moved == Function::Moved::at_least ? 0 : least_moved(record);
}

std::uint64_t least_moved(const Record& record) {
  using Moved = Function::Moved;
  const Function& function = *record.function;
  if (record.moves == 0 || record.failed() || function.moved == Moved::unknown) return 0;
  if (function.moved == Moved::word) return record.result.kind == Value::Kind::number ? sizeof(int) : 0;
  for (std::size_t i = 0; i < record.arguments.size(); ++i)
    if (function.arguments[i].role == Role::string && record.arguments[i].kind == Value::Kind::number)
      return static_cast<std::uint64_t>(record.arguments[i].number) + (function.moved == Moved::line ? 1 : 0);
    else if (function.arguments[i].role == Role::character)
      return 1;
  if (function.result == Role::character) return 1;
  if (record.result.kind != Value::Kind::number || record.result.number <= 0) return 0;
  const auto result = static_cast<std::uint64_t>(record.result.number);
  if (function.result == Role::bytes || function.moved == Moved::at_least) return result;
  if (function.result == Role::count && function.shape.bytes != Shape::kNone) {
    const Value& size = record.arguments[static_cast<std::size_t>(function.shape.bytes)];
    return size.kind == Value::Kind::number ? result * static_cast<std::uint64_t>(size.number) : 0;
  }
  return 0;
}

std::string_view file_of(const Record& record) {
  if (record.result.kind == Value::Kind::opened) return record.result.text;
  for (std::size_t i = 0; i < record.arguments.size(); ++i)
    if (record.arguments[i].kind == Value::Kind::handle &&
        record.function->arguments[i].role != Role::directory)
      return record.arguments[i].text;
  for (const Value& value : record.arguments) {
    if (value.kind == Value::Kind::path) return value.text;
    if (!value.file.empty()) return value.file;
  }
  return {};
}

}  // namespace weir::trace
