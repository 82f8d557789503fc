#include "trace/timing/detail/zfp.hpp"

// For libraries that go into programs, which bring no other shared library along: times that zfp is to pack
// are merged later.
namespace weir::trace::detail {
namespace {

Error left_for_later() { return Error{Errc::lacking, "zfp is not there while the program runs"}; }

}  // namespace

Result<void> encode_zfp(const TimesView& /*times*/, const LocalSignatures& /*local*/,
                        const ErrorClasses& /*classes*/, bool /*clustered*/, ByteWriter& /*out*/) {
  return left_for_later();
}

Result<void> decode_zfp(ByteReader& /*in*/, const LocalSignatures& /*local*/, const ErrorClasses& /*classes*/,
                        const TimesOut& /*out*/) {
  return left_for_later();
}

}  // namespace weir::trace::detail
