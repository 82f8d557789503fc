#include "trace/record.hpp"

#include <algorithm>
#include <array>

namespace weir::trace {
namespace {

constexpr std::array<std::string_view, 24> kReads = {
    "read",           "pread",          "readv",         "preadv",      "preadv2",    "fread",
    "fread_unlocked", "fgets",          "fgetc",         "getc",        "getline",    "getdelim",
    "fscanf",         "vfscanf",        "aio_read",      "fgetws",      "fgetwc",     "readahead",
    "fgets_unlocked", "fgetc_unlocked", "getc_unlocked", "__fread_chk", "__getdelim", "__fread_unlocked_chk"};
constexpr std::array<std::string_view, 26> kWrites = {
    "write",           "pwrite",          "writev",        "pwritev",        "pwritev2",
    "fwrite",          "fwrite_unlocked", "fputs",         "fputc",          "putc",
    "fprintf",         "vfprintf",        "__fprintf_chk", "__vfprintf_chk", "sendfile",
    "copy_file_range", "splice",          "aio_write",     "fputws",         "fputwc",
    "fputs_unlocked",  "fputc_unlocked",  "putc_unlocked", "dprintf",        "vdprintf",
    "vmsplice"};

template <std::size_t N>
bool among(const std::array<std::string_view, N>& names, const Function& function) {
  return std::find(names.begin(), names.end(), function.means) != names.end();
}

}  // namespace

int direction(const Function& function) {
  if (among(kReads, function)) return -1;
  return among(kWrites, function) ? 1 : 0;
}

std::uint64_t bytes_moved(const Record& record) {
  const Function& function = *record.function;
  if (record.moves == 0 || record.failed()) return 0;
  for (std::size_t i = 0; i < record.arguments.size(); ++i)
    if (function.arguments[i].role == Role::string && record.arguments[i].kind == Value::Kind::number)
      return static_cast<std::uint64_t>(record.arguments[i].number);
    else if (function.arguments[i].role == Role::character)
      return 1;
  if (function.result == Role::character) return 1;
  if (record.result.kind != Value::Kind::number || record.result.number <= 0 || direction(function) == 0)
    return 0;
  const auto result = static_cast<std::uint64_t>(record.result.number);
  if (function.result == Role::bytes) return result;
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
