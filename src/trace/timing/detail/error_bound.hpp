#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "trace/timing/detail/signatures.hpp"
#include "trace/timing/detail/wide.hpp"
#include "trace/timing/mode.hpp"

namespace weir::trace::detail {

// A bound e on the relative error in integers, so that encoder and decoder agree on every machine:
// the largest multiple of 2^-32 up to e.
class ErrorBound {
 public:
  ErrorBound() = default;
  explicit ErrorBound(double error) : fraction_(static_cast<std::uint32_t>(error * 4294967296.0)) {}
  static Result<ErrorBound> parse(ByteReader& in);
  void write(ByteWriter& out) const { out.u32(fraction_); }

  // The largest integer up to e * value: 0 for small values, which are then exact.
  std::uint64_t tolerance(std::uint64_t value) const {
    return static_cast<std::uint64_t>((UnsignedWide{value} * fraction_) >> 32);
  }
  // e / (1 + e): what is within it of x (1 + e) is within e of x.
  ErrorBound tightened() const;
  // The largest value that `stand_in` is within the bound of.
  std::uint64_t last_under(std::uint64_t stand_in) const;

  std::uint32_t fraction() const { return fraction_; }
  friend bool operator==(const ErrorBound&, const ErrorBound&) = default;

 private:
  std::uint32_t fraction_ = 0;
};

// Each has tables of its own; this bounds them. Where a block has more, its bounds are rounded down to fewer.
inline constexpr std::size_t kMostErrorClasses = 64;

// The bounds in force in a block: which ones, and which of them each local signature has.
struct ErrorClasses {
  ErrorClasses() = default;
  ErrorClasses(const LocalSignatures& local, const TimingOptions& options);
  static Result<ErrorClasses> parse(ByteReader& in, const LocalSignatures& local);
  void write(ByteWriter& out) const;

  const ErrorBound& bound(std::uint32_t local) const { return bounds[of_signature[local]]; }

  std::vector<ErrorBound> bounds;
  std::vector<std::uint32_t> of_signature;  // by local number
};

}  // namespace weir::trace::detail
