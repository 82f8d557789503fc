#include "trace/own_signatures.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace weir::trace {
namespace {

bool counts_ranks(const Signature& signature) {
  return std::any_of(signature.parts.begin(), signature.parts.end(), [](const Signature::Part& part) {
    return part.encoding == Encoding::relative || part.encoding == Encoding::list;
  });
}

// The process's rank in the communicator that a call is given, else in the world.
std::int64_t own_rank(const Tables& tables, const Signature& signature, const std::uint64_t* words,
                      const ProcessInfo& process, std::span<const Communicator> communicators) {
  const std::int64_t world_rank = std::max<std::int64_t>(process.rank, 0);
  const Function& function = tables.functions[signature.function];
  for (std::size_t i = 0; i < function.arguments.size(); ++i) {
    const Argument& argument = function.arguments[i];
    if (argument.role != Role::communicator || argument.direction != Direction::in) continue;
    const Signature::Part& part = signature.parts[i];
    if (part.encoding == Encoding::text && tables.texts[words[part.word]] == "MPI_COMM_SELF") return 0;
    if (part.encoding != Encoding::literal) return world_rank;
    // The latest of that id.
    for (std::size_t k = process.communicators.size(); k-- > 0;) {
      const Communicator& one = communicators[process.communicators[k]];
      if (one.id == words[part.word]) return one.rank_of(process.rank).value_or(world_rank);
    }
    return world_rank;
  }
  return world_rank;
}

}  // namespace

bool depends_on_process(const Tables& tables, std::span<const std::uint32_t> signatures) {
  return std::any_of(signatures.begin(), signatures.end(), [&](std::uint32_t number) {
    const Signature& signature = tables.signatures[number];
    return !signature.varying.empty() || counts_ranks(signature);
  });
}

std::size_t own_word_count(const Tables& tables, std::span<const std::uint32_t> signatures) {
  std::size_t count = 0;
  for (const std::uint32_t number : signatures)
    for (const Signature::Varying& one : tables.signatures[number].varying) count += one.own ? 1 : 0;
  return count;
}

OwnSignatures own_signatures(const Tables& tables, std::span<const std::uint32_t> signatures,
                             const ProcessInfo& process, std::span<const Communicator> communicators) {
  OwnSignatures made;
  std::size_t words = 0;
  for (const std::uint32_t number : signatures) {
    const Signature& signature = tables.signatures[number];
    if (!signature.varying.empty()) words += signature.words.size();
  }
  made.words.reserve(words);  // they are pointed to
  made.list.reserve(signatures.size());
  made.columns.reserve(signatures.size());
  std::vector<bool> known(tables.templates.size());
  std::size_t own = 0;
  for (const std::uint32_t number : signatures) {
    const Signature& signature = tables.signatures[number];
    OwnSignature one{&signature, signature.words.data(), 0, number};
    if (!signature.varying.empty()) {
      const std::size_t at = made.words.size();
      made.words.insert(made.words.end(), signature.words.begin(), signature.words.end());
      for (const Signature::Varying& varying : signature.varying) {
        std::uint64_t& word = made.words[at + varying.word];
        if (varying.own) {
          WEIR_CHECK(own < process.own_words.size(), "a process without its own words");
          word = process.own_words[own++];
        } else {
          word += static_cast<std::uint64_t>(varying.slope) * static_cast<std::uint64_t>(process.rank);
        }
      }
      one.words = made.words.data() + at;
    }
    if (counts_ranks(signature)) one.rank = own_rank(tables, signature, one.words, process, communicators);
    made.list.push_back(one);
    made.columns.push_back(static_cast<std::uint8_t>(signature.columns - signature.descriptors));
    for (const Signature::Part& part : signature.parts) {
      if (part.encoding != Encoding::path && part.encoding != Encoding::path_column) continue;
      const auto name = static_cast<std::uint32_t>(signature.words[part.word]);
      if (!known[name]) made.templates.push_back(name);
      known[name] = true;
    }
  }
  return made;
}

}  // namespace weir::trace
