#include "trace/timing/detail/error_bound.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace weir::trace::detail {

Result<ErrorBound> ErrorBound::parse(ByteReader& in) {
  const auto fraction = in.u32();
  if (!fraction) return fraction.error();
  if (*fraction < ErrorBound(kSmallestTimingError).fraction() ||
      *fraction > ErrorBound(kLargestTimingError).fraction())
    return Error{Errc::bad_data, "a bound of the relative error out of range"};
  ErrorBound bound;
  bound.fraction_ = *fraction;
  return bound;
}

ErrorBound ErrorBound::tightened() const {
  ErrorBound bound;
  bound.fraction_ =
      static_cast<std::uint32_t>((std::uint64_t{fraction_} << 32) / ((std::uint64_t{1} << 32) + fraction_));
  return bound;
}

std::uint64_t ErrorBound::last_under(std::uint64_t stand_in) const {
  // last - tolerance(last) <= stand_in: near stand_in / (1 - e), which the division gets to within a few
  // units.
  const UnsignedWide near = (UnsignedWide{stand_in} << 32) / ((std::uint64_t{1} << 32) - fraction_) + 2;
  auto last = static_cast<std::uint64_t>(std::min<UnsignedWide>(near, ~std::uint64_t{0}));
  while (last > stand_in && last - tolerance(last) > stand_in) --last;
  return last;
}

namespace {

double error_of(std::uint32_t signature, const TimingOptions& options) {
  if (signature < options.error_of_signature.size() && options.error_of_signature[signature] != 0)
    return options.error_of_signature[signature];
  return options.error;
}

// The next of at most kMostErrorClasses bounds that are not above `error`.
double rounded_down(double error) {
  constexpr double kRatio = 1.15;  // ln(0.5 / 0.0001) / ln 1.15 = 61
  double rounded = kSmallestTimingError;
  while (rounded * kRatio <= error) rounded *= kRatio;
  return rounded;
}

}  // namespace

ErrorClasses::ErrorClasses(const LocalSignatures& local, const TimingOptions& options) {
  std::vector<double> errors;
  errors.reserve(local.size());
  for (const std::uint32_t signature : local.global) errors.push_back(error_of(signature, options));
  std::vector<double> distinct = errors;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  if (distinct.size() > kMostErrorClasses)
    for (double& error : errors) error = rounded_down(error);
  of_signature.reserve(local.size());
  for (const double error : errors) {
    const ErrorBound bound(error);
    const auto found = std::find(bounds.begin(), bounds.end(), bound);
    of_signature.push_back(static_cast<std::uint32_t>(found - bounds.begin()));
    if (found == bounds.end()) bounds.push_back(bound);
  }
}

Result<ErrorClasses> ErrorClasses::parse(ByteReader& in, const LocalSignatures& local) {
  ErrorClasses classes;
  const auto count = in.count(4);
  if (!count) return count.error();
  if (*count < 1 || *count > std::min(local.size(), kMostErrorClasses))
    return Error{Errc::bad_data, fmt::format("{} error bounds", *count)};
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto bound = ErrorBound::parse(in);
    if (!bound) return bound.error();
    classes.bounds.push_back(*bound);
  }
  classes.of_signature.assign(local.size(), 0);
  if (*count == 1) return classes;
  for (std::uint32_t& number : classes.of_signature) {
    const auto of = in.varint();
    if (!of) return of.error();
    if (*of >= *count) return Error{Errc::bad_data, "an error bound that is not listed"};
    number = static_cast<std::uint32_t>(*of);
  }
  return classes;
}

void ErrorClasses::write(ByteWriter& out) const {
  out.varint(bounds.size());
  for (const ErrorBound& bound : bounds) bound.write(out);
  if (bounds.size() == 1) return;
  for (const std::uint32_t of : of_signature) out.varint(of);
}

}  // namespace weir::trace::detail
