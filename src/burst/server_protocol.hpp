#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "burst/protocol.hpp"

// To any server: what it has done, who has gone, and its end.
namespace weir::burst {

struct ClientGone {
  static constexpr Kind kKind = Kind::client_gone;
  using Answer = Nothing;
  std::uint64_t client = 0;

  static constexpr auto fields = std::tuple{&ClientGone::client};
};

struct Counter {
  std::string name;
  std::uint64_t value = 0;

  static constexpr auto fields = std::tuple{&Counter::name, &Counter::value};
};

struct Counters {
  std::vector<Counter> rows;

  static constexpr auto fields = std::tuple{&Counters::rows};
};

// Of one worker.
struct GetStats {
  static constexpr Kind kKind = Kind::stats;
  using Answer = Counters;
  static constexpr auto fields = std::tuple{};
};

struct Sealed {
  std::int64_t since_ns = 0;  // since 1970: the same as long as nothing was taken in

  static constexpr auto fields = std::tuple{&Sealed::since_ns};
};

// Before the job ends: from the answer on the worker takes nothing in that a flush would miss. Clients read
// on; what they publish, create or change is refused with EROFS. Asked again it is the same; it ends when it
// is lifted, when who asked has gone, and with the server's life. EBUSY while another client has asked.
struct Seal {
  static constexpr Kind kKind = Kind::seal;
  using Answer = Sealed;
  bool lift = false;

  static constexpr auto fields = std::tuple{&Seal::lift};
};

struct Stop {
  static constexpr Kind kKind = Kind::stop;
  using Answer = Nothing;
  bool remove = false;  // and leave nothing behind: everything was flushed

  static constexpr auto fields = std::tuple{&Stop::remove};
};

}  // namespace weir::burst
