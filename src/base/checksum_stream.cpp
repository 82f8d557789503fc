#include <xxhash.h>

#include "base/check.hpp"
#include "base/checksum.hpp"

namespace weir {

void Checksum::Deleter::operator()(XXH3_state_s* state) const { XXH3_freeState(state); }

Checksum::Checksum(std::uint64_t seed) : state_(XXH3_createState()) {
  WEIR_CHECK(state_ != nullptr && XXH3_64bits_reset_withSeed(state_.get(), seed) == XXH_OK);
}

void Checksum::update(ByteSpan bytes) { XXH3_64bits_update(state_.get(), bytes.data(), bytes.size()); }

std::uint64_t Checksum::value() const { return XXH3_64bits_digest(state_.get()); }

}  // namespace weir
