#include "semantics/detail/known_call.hpp"

#include <algorithm>

#include "calls/call.hpp"

namespace weir::semantics::detail {

bool is_known(const trace::Function& function) {
  const auto call = find_call(function.name);
  if (!call) return false;
  const auto& own = info(*call);
  const auto expected = arguments(*call);
  return function.means == name(own.means) && function.layer == name(own.layer) &&
         function.result == own.result &&
         std::equal(function.arguments.begin(), function.arguments.end(), expected.begin(), expected.end(),
                    [](const Argument& one, const Argument& other) {
                      return one.role == other.role && one.name == other.name;
                    });
}

}  // namespace weir::semantics::detail
