#pragma once

#include <cstdio>
#include <type_traits>

#include "burst/preload/reply_descriptors.hpp"
#include "burst/preload/reply_directories.hpp"
#include "burst/preload/reply_files.hpp"
#include "burst/preload/reply_names.hpp"
#include "burst/preload/reply_processes.hpp"
#include "burst/preload/reply_streams.hpp"
#include "burst/preload/reply_wide.hpp"
#include "calls/call.hpp"

namespace weir {

// Answers calls on files of the burst-buffer file system, and hands on all others.
struct BurstHandler {
  template <Call C, class Real, class... Args>
  static auto around(Real real, Args... args) {
    using burst::preload::Reply;
    if constexpr (requires { Reply<C>::kPasses; })
      return real(meant(args)...);
    else
      return Reply<C>::run(real, args...);
  }

 private:
  template <class T>
  static T meant(T argument) {
    if constexpr (std::is_same_v<T, FILE*>)
      return burst::preload::Streams::in_place_of(argument);
    else
      return argument;
  }
};

using Handler = BurstHandler;

}  // namespace weir
