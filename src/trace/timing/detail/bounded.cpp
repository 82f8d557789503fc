#include "trace/timing/detail/bounded.hpp"

#include "trace/timing/detail/cfg.hpp"
#include "trace/timing/detail/error_bound.hpp"
#include "trace/timing/detail/hist.hpp"
#include "trace/timing/detail/quant.hpp"
#include "trace/timing/detail/zfp.hpp"

namespace weir::trace::detail {

Result<void> encode_bounded(const TimesView& times, const TimingOptions& options, ByteWriter& out) {
  ByteWriter block;
  block.u8(static_cast<std::uint8_t>(options.mode));
  if (times.size() > 0) {
    const LocalSignatures local(times.signature);
    const ErrorClasses classes(local, options);
    classes.write(block);
    switch (options.mode) {
      case TimingMode::cfg:
        encode_cfg(BinnedTimes(times, local, classes), block);
        break;
      case TimingMode::hist:
        encode_hist(BinnedTimes(times, local, classes), local, block);
        break;
      case TimingMode::quant:
        encode_quant(times, local, classes, options.clustered, block);
        break;
      default:
        if (auto done = encode_zfp(times, local, classes, options.clustered, block); !done) return done;
    }
  }
  out.bytes(block.view());
  return {};
}

namespace {

Result<void> restore(const Result<BinnedTimes>& binned, const LocalSignatures& local,
                     const ErrorClasses& classes, const TimesOut& out) {
  if (!binned) return binned.error();
  return binned->restore(local, classes, out);
}

}  // namespace

Result<void> decode_bounded(TimingMode mode, ByteReader& in, std::span<const std::uint32_t> signature,
                            const TimesOut& out) {
  if (signature.empty()) return {};
  const LocalSignatures local(signature);
  const auto classes = ErrorClasses::parse(in, local);
  if (!classes) return classes.error();
  switch (mode) {
    case TimingMode::cfg:
      return restore(decode_cfg(in, signature.size()), local, *classes, out);
    case TimingMode::hist:
      return restore(decode_hist(in, local), local, *classes, out);
    case TimingMode::quant:
      return decode_quant(in, local, *classes, out);
    default:
      return decode_zfp(in, local, *classes, out);
  }
}

}  // namespace weir::trace::detail
