#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/communicator.hpp"
#include "trace/process_info.hpp"
#include "trace/replay.hpp"
#include "trace/signature.hpp"

namespace weir::trace {

// The signatures of one process by its own numbers, with its rank and its own words filled in. Points into
// the tables.
struct OwnSignatures {
  std::vector<OwnSignature> list;
  std::vector<std::uint8_t> columns;     // how many of its values stand in the columns of blocks
  std::vector<std::uint32_t> templates;  // by own numbers: in the order in which the signatures name them
  std::vector<std::uint64_t> words;      // of those that are not as in the table
};

// Whether any of them depends on the process.
bool depends_on_process(const Tables& tables, std::span<const std::uint32_t> signatures);

// How many words of these signatures each process has of its own.
std::size_t own_word_count(const Tables& tables, std::span<const std::uint32_t> signatures);

// `signatures` is the list of the process's class; the process has as many own words as they call for.
OwnSignatures own_signatures(const Tables& tables, std::span<const std::uint32_t> signatures,
                             const ProcessInfo& process, std::span<const Communicator> communicators);

}  // namespace weir::trace
