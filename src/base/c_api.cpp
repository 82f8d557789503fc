#include "base/version.hpp"
#include "weir/weir.h"

// A string literal behind the view, so it ends with a zero.
extern "C" const char* weir_version(void) { return weir::build_facts().version.data(); }
