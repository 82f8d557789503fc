#include "burst/protocol.hpp"

namespace weir::burst {

namespace {

// Reads a T of a fixed size from the front.
template <class T>
Result<T> take(ByteSpan& bytes) {
  static const std::size_t size = transport::pack(T{}).size();
  if (bytes.size() < size) return Error{Errc::bad_data, "a message that ends too early"};
  auto value = transport::unpack<T>(bytes.first(size));
  if (value) bytes = bytes.subspan(size);
  return value;
}

}  // namespace

Result<Header> decode_header(ByteSpan& request) { return take<Header>(request); }

Bytes join(Bytes first, const Bytes& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Bytes encode_failure(int error) { return transport::pack(static_cast<std::int32_t>(error)); }

int decode_status(ByteSpan& answer) {
  const auto status = take<std::int32_t>(answer);
  if (!status || *status < 0) return EIO;
  return *status;
}

}  // namespace weir::burst
