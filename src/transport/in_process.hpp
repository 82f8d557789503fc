#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "transport/fabric.hpp"
#include "transport/loop.hpp"

namespace weir::transport {

// What happens to messages on their way; the default network is perfect.
struct Faults {
  std::chrono::nanoseconds shortest_delay{0};
  std::chrono::nanoseconds longest_delay{0};
  double drop = 0;       // probability that a message is lost
  double duplicate = 0;  // probability that it arrives twice, the second with a delay of its own
  bool reorder = false;  // without it the messages of a link arrive in the order in which they were sent
};

// A network between servers of one process, for tests. The fate of the n-th message of a link depends on the
// seed and the link only, not on how threads run. Thread-safe; fabrics may outlive it.
class InProcessNet {
 public:
  struct State;

  explicit InProcessNet(std::uint64_t seed = 0, Faults faults = {});
  ~InProcessNet();

  // A new end, at "mem:0", "mem:1", ... by default. Giving the address of an end that is gone is a restart.
  std::unique_ptr<Fabric> make(Loop& loop, std::string address = {});

  void set_faults(Faults faults);  // for messages sent from now on
  // Messages between the two ends are lost, both ways, also those that are on their way.
  void cut(const std::string& one, const std::string& other);
  void restore(const std::string& one, const std::string& other);

  struct Counts {
    std::uint64_t sent = 0;
    std::uint64_t dropped = 0;  // by chance or by a cut
    std::uint64_t duplicated = 0;
  };
  Counts counts() const;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace weir::transport
