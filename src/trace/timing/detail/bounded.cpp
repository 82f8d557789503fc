#include "trace/timing/detail/bounded.hpp"

#include <fmt/format.h>

#include "trace/timing/detail/error_bound.hpp"
#include "trace/timing/detail/quant.hpp"

namespace weir::trace::detail {

Result<void> encode_bounded(const TimesView& times, const TimingOptions& options, ByteWriter& out) {
  ByteWriter block;
  block.u8(static_cast<std::uint8_t>(options.mode));
  if (times.size() > 0) {
    const LocalSignatures local(times.signature);
    const ErrorClasses classes(local, options);
    classes.write(block);
    switch (options.mode) {
      case TimingMode::quant:
        encode_quant(times, local, classes, options.clustered, block);
        break;
      default:
        return Error{Errc::unsupported, fmt::format("timing of mode {}", name(options.mode))};
    }
  }
  out.bytes(block.view());
  return {};
}

Result<void> decode_bounded(TimingMode mode, ByteReader& in, std::span<const std::uint32_t> signature,
                            const TimesOut& out) {
  if (signature.empty()) return {};
  const LocalSignatures local(signature);
  const auto classes = ErrorClasses::parse(in, local);
  if (!classes) return classes.error();
  switch (mode) {
    case TimingMode::quant:
      return decode_quant(in, local, *classes, out);
    default:
      return Error{Errc::unsupported, fmt::format("timing of mode {}", name(mode))};
  }
}

}  // namespace weir::trace::detail
