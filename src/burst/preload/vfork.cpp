#include "intercept/vfork.hpp"

#include "burst/preload/own_work.hpp"
#include "burst/preload/process.hpp"

namespace weir {

void before_vfork() {
  const burst::preload::OwnWork work;
  burst::preload::Process::current().before_vfork();
}

}  // namespace weir
