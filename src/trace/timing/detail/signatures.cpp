#include "trace/timing/detail/signatures.hpp"

#include <limits>
#include <unordered_map>

namespace weir::trace::detail {

LocalSignatures::LocalSignatures(std::span<const std::uint32_t> signature) : of_record(signature.size()) {
  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  constexpr std::uint32_t kDense = 1u
                                   << 16;  // numbers below it go through an array, which is what traces have
  std::vector<std::uint32_t> dense;
  std::unordered_map<std::uint32_t, std::uint32_t> sparse;
  for (std::size_t i = 0; i < signature.size(); ++i) {
    const std::uint32_t wanted = signature[i];
    std::uint32_t* local = nullptr;
    if (wanted < kDense) {
      if (wanted >= dense.size()) dense.resize(wanted + 1, kNone);
      local = &dense[wanted];
    } else {
      local = &sparse.try_emplace(wanted, kNone).first->second;
    }
    if (*local == kNone) {
      *local = static_cast<std::uint32_t>(global.size());
      global.push_back(wanted);
      count.push_back(0);
    }
    of_record[i] = *local;
    ++count[*local];
  }
}

}  // namespace weir::trace::detail
