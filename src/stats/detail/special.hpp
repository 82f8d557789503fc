#pragma once

#include <boost/math/policies/policy.hpp>

namespace weir::stats::detail {

// Boost.Math without promotion to long double (several times slower for no digit we use) and without
// exceptions: what cannot be computed comes back as NaN or infinity.
namespace policies = boost::math::policies;
using Quiet = policies::policy<
    policies::promote_double<false>, policies::promote_float<false>,
    policies::domain_error<policies::ignore_error>, policies::pole_error<policies::ignore_error>,
    policies::overflow_error<policies::ignore_error>, policies::evaluation_error<policies::ignore_error>>;

}  // namespace weir::stats::detail
