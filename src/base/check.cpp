#include "base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace weir::detail {

void check_failed(const char* file, int line, const char* condition, std::string_view why) {
  fmt::print(stderr, "weir: internal failure at {}:{}: {} is false{}{}\n", file, line, condition,
             why.empty() ? "" : ": ", why);
  std::abort();
}

}  // namespace weir::detail
