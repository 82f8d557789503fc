#include "transport/secret.hpp"

#include <cerrno>

#include <fmt/format.h>
#include <sys/random.h>

#include "base/check.hpp"

namespace weir::transport {

namespace {

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

Secret Secret::make() {
  Secret secret;
  ssize_t got = 0;
  do {
    got = ::getrandom(secret.bytes.data(), kBytes, 0);  // up to 256 bytes come whole
  } while (got < 0 && errno == EINTR);
  WEIR_CHECK(got == static_cast<ssize_t>(kBytes), "the system has no random numbers: errno {}", errno);
  return secret;
}

Result<Secret> Secret::parse(std::string_view hex) {
  Secret secret;
  if (hex.size() != 2 * kBytes)
    return Error{Errc::bad_data,
                 fmt::format("a secret has {} hexadecimal digits, not {}", 2 * kBytes, hex.size())};
  for (std::size_t i = 0; i < kBytes; ++i) {
    const int high = digit(hex[2 * i]), low = digit(hex[2 * i + 1]);
    if (high < 0 || low < 0) return Error{Errc::bad_data, "a secret consists of the digits 0-9 and a-f"};
    secret.bytes[i] = static_cast<std::byte>(high * 16 + low);
  }
  return secret;
}

std::string Secret::hex() const {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return text;
}

bool Secret::equals(const Secret& other) const {
  // Volatile: the compiler must not end the loop at the first difference.
  volatile unsigned different = 0;
  for (std::size_t i = 0; i < kBytes; ++i)
    different = different | std::to_integer<unsigned>(bytes[i] ^ other.bytes[i]);
  return different == 0;
}

}  // namespace weir::transport
