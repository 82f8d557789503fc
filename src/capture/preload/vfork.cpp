#include "intercept/vfork.hpp"

#include "capture/lane.hpp"

namespace weir {

void before_vfork() { capture::Lane::before_vfork(); }

}  // namespace weir
