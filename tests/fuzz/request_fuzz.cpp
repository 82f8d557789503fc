// Feeds arbitrary bytes to the decoder of the file system's messages: the header of a request and behind it
// the body of every kind, and the same bytes as the answer to every kind. What is accepted must pack to the
// same bytes again.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "burst/every_request_test.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weir::burst;
  const weir::ByteSpan all = std::as_bytes(std::span(data, size));
  for_every_request([&](auto body) {
    using Answer = typename decltype(body)::Answer;
    const auto answer = decode_answer<Answer>(all);
    if (!answer) return;
    const Bytes again = encode_answer(answer.body);
    if (!std::equal(again.begin(), again.end(), all.begin(), all.end())) __builtin_trap();
  });
  weir::ByteSpan rest = all;
  if (!decode_header(rest)) return 0;
  for_every_request([&](auto body) {
    const auto request = weir::transport::unpack<decltype(body)>(rest);
    if (!request) return;
    const Bytes again = weir::transport::pack(*request);
    if (!std::equal(again.begin(), again.end(), rest.begin(), rest.end())) __builtin_trap();
  });
  return 0;
}
