#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "trace/record.hpp"

namespace weir::trace {

// A call as strace writes it: `pwrite(3</scratch/out.dat>, …, 64, 128)`. A `…` stands for what the trace does
// not keep, such as the content of memory. Objects of MPI and HDF5 are `comm#3`, `request#12`, how a receive
// ended is `{source, tag}`.
struct TextStyle {
  bool names = false;  // `pwrite(fd=3</scratch/out.dat>, …, count=64, offset=128)`
};
void append_call(fmt::memory_buffer& out, const Record& record, const TextStyle& style = {});
// What it returned: `64`, `3</scratch/out.dat>`, `-1 ENOENT`, `? <unfinished>`; nothing for a void function.
void append_result(fmt::memory_buffer& out, const Record& record);

// One argument for machines, as JSON. False, and nothing is written, where the trace does not keep it.
bool append_json_argument(fmt::memory_buffer& out, const Function& function, const Argument& argument,
                          const Value& value);

// Texts that stand for more than a string.
bool is_list(const Argument& argument);  // argv: strings, a zero byte behind each
std::vector<std::string_view> split_list(std::string_view text);
std::vector<std::uint64_t> split_lengths(std::string_view text);  // iovec: 8 bytes each
// utime() and its like: nanoseconds since 1970.
std::vector<std::int64_t> split_times(const Argument& argument, std::string_view text);

}  // namespace weir::trace
