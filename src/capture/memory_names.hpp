#pragma once

#include <cstddef>

#include "capture/draft.hpp"
#include "capture/lane.hpp"
#include "trace/encoding.hpp"

// The name of the memory at an address, "heap#2+64"; how long it is, 0 when there is none to give. It comes
// from libweir-buffers.so, which `weir trace --buffers` loads beside the recorder; without it there is no
// such function.
extern "C" [[gnu::weak, gnu::visibility("default")]] std::size_t weir_name_of_memory(const void* address,
                                                                                     char* text,
                                                                                     std::size_t room);

namespace weir::capture {

// A buffer: nothing is said of it unless the user asked for it.
inline void put_memory(std::size_t at, const void* address, Lane& lane, Draft& draft) {
  using trace::Encoding;
  if (address == nullptr) {
    draft.put(at, Encoding::null);
    return;
  }
  if (&weir_name_of_memory != nullptr) [[unlikely]] {
    char text[96];
    if (const std::size_t length = weir_name_of_memory(address, text, sizeof text)) {
      draft.put(at, Encoding::text, lane.number_of_text({text, length}));
      return;
    }
  }
  draft.put(at, Encoding::absent);
}

}  // namespace weir::capture
