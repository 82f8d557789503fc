#pragma once

#include <cstdint>
#include <memory>

#include "base/bytes.hpp"

struct XXH3_state_s;  // of xxhash.h

namespace weir {

// XXH3, 64 bits: guards what Weir writes against damage, not against an adversary.
std::uint64_t checksum(ByteSpan bytes, std::uint64_t seed = 0);

// The same over bytes that come in pieces.
class Checksum {
 public:
  explicit Checksum(std::uint64_t seed = 0);
  void update(ByteSpan bytes);
  std::uint64_t value() const;

 private:
  struct Deleter {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Deleter> state_;
};

}  // namespace weir
