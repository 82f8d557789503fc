#pragma once

#include <string_view>

#include "monitor/detail/sink.hpp"

namespace weir::monitor::detail {

// One row of a brick's calls, told in text or in XML. Of READ and WRITE only the time is taken: their number
// comes from the block sizes, which are counted from the brick's start like the bytes, while calls are
// counted only as long as profiling is on. False when the name makes no sense.
bool put_gluster_call(std::string_view name, double calls, double mean_seconds, Sink& sink);

}  // namespace weir::monitor::detail
