#include "capture/caller.hpp"

#include <cstdint>

#include <dlfcn.h>
#include <unwind.h>

namespace weir::capture {
namespace {

struct Walk {
  const void* own = nullptr;    // where this library lies
  const char* outer = nullptr;  // the file of the first caller elsewhere
};

_Unwind_Reason_Code step(_Unwind_Context* context, void* given) {
  auto& walk = *static_cast<Walk*>(given);
  Dl_info about{};
  if (dladdr(reinterpret_cast<void*>(_Unwind_GetIP(context)), &about) == 0) return _URC_END_OF_STACK;
  if (about.dli_fbase == walk.own) return _URC_NO_REASON;
  walk.outer = about.dli_fname;
  return _URC_END_OF_STACK;
}

}  // namespace

bool belongs_to_mpi(std::string_view library) {
  library.remove_prefix(library.rfind('/') + 1);  // npos + 1 is 0
  for (const std::string_view known :
       {"libmpi", "libopen-", "libpmi", "libprrte", "mca_", "libucs", "libucp", "libuct", "libucm",
        "libfabric", "libpsm", "libhwloc", "libevent", "libibverbs", "librdmacm"})
    if (library.starts_with(known)) return true;
  return false;
}

bool called_by_mpi() {
  Walk walk;
  Dl_info about{};
  if (dladdr(reinterpret_cast<void*>(&step), &about) == 0) return false;
  walk.own = about.dli_fbase;
  _Unwind_Backtrace(step, &walk);
  return walk.outer != nullptr && belongs_to_mpi(walk.outer);
}

}  // namespace weir::capture
