#include "transport/detail/core.hpp"

namespace weir::transport::detail {

namespace {

bool move_among(const cpu_set_t& some, const cpu_set_t& allowed) {
  if (::sched_setaffinity(0, sizeof some, &some) != 0) return false;
  return ::sched_setaffinity(0, sizeof allowed, &allowed) == 0;
}

}  // namespace

bool move_to(Core core) {
  cpu_set_t allowed;
  if (core == 0 || ::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return false;
  if (core > CPU_SETSIZE || !CPU_ISSET(core - 1, &allowed)) return false;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core - 1, &one);
  return move_among(one, allowed);
}

bool move_away() {
  const int here = ::sched_getcpu();
  cpu_set_t allowed;
  if (here < 0 || here >= CPU_SETSIZE || ::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return false;
  cpu_set_t others = allowed;
  CPU_CLR(here, &others);
  return CPU_COUNT(&others) != 0 && move_among(others, allowed);
}

}  // namespace weir::transport::detail
