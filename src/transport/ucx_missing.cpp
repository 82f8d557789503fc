// Where this build has no UCX.
#include "transport/ucx_fabric.hpp"

#ifndef WEIR_HAVE_UCX

namespace weir::transport {

Result<std::unique_ptr<UcxFabric>> UcxFabric::make(Loop& /*loop*/, const UcxOptions& /*options*/) {
  return Error{Errc::lacking, "this build has no UCX, which servers need to talk to each other"}.with_remedy(
      "install libucx-dev and build again");
}

}  // namespace weir::transport

#endif
