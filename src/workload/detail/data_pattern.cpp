#include "workload/detail/data_pattern.hpp"

#include <cstring>

#include "workload/detail/record_order.hpp"

namespace weir::workload::detail {
namespace {

constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15U;  // odd
constexpr std::uint64_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kBlock = 4096;

}  // namespace

DataPattern::DataPattern(std::uint64_t seed, std::uint64_t file, Generation generation)
    : key_(mix(mix(seed, file), static_cast<std::uint64_t>(generation))) {}

std::uint64_t DataPattern::word(std::uint64_t index) const { return key_ + index * kStep; }

std::byte DataPattern::byte_at(std::uint64_t offset) const {
  return static_cast<std::byte>(word(offset / kWord) >> (8 * (offset % kWord)));
}

void DataPattern::fill(std::span<std::byte> bytes, std::uint64_t offset) const {
  std::size_t at = 0;
  for (; at < bytes.size() && (offset + at) % kWord != 0; ++at) bytes[at] = byte_at(offset + at);
  std::uint64_t value = word((offset + at) / kWord);
  for (; at + kWord <= bytes.size(); at += kWord, value += kStep)
    std::memcpy(bytes.data() + at, &value, kWord);
  for (; at < bytes.size(); ++at) bytes[at] = byte_at(offset + at);
}

std::optional<Mismatch> DataPattern::compare(std::span<const std::byte> bytes, std::uint64_t offset) const {
  std::size_t at = 0;
  const auto differs = [&] { return bytes[at] != byte_at(offset + at); };
  const auto mismatch = [&] {
    return Mismatch{offset + at, std::to_integer<std::uint8_t>(byte_at(offset + at)),
                    std::to_integer<std::uint8_t>(bytes[at])};
  };
  for (; at < bytes.size() && (offset + at) % kWord != 0; ++at)
    if (differs()) return mismatch();
  std::uint64_t value = word((offset + at) / kWord);
  for (; at + kWord <= bytes.size(); at += kWord, value += kStep) {
    std::uint64_t found = 0;
    std::memcpy(&found, bytes.data() + at, kWord);
    if (found != value) break;
  }
  for (; at < bytes.size(); ++at)
    if (differs()) return mismatch();
  return std::nullopt;
}

void DataPattern::stamp(std::span<std::byte> bytes, std::uint64_t offset) const {
  for (std::size_t at = 0; at + kWord <= bytes.size(); at += kBlock) {
    const std::uint64_t value = key_ ^ mix(offset + at);
    std::memcpy(bytes.data() + at, &value, kWord);
  }
}

}  // namespace weir::workload::detail
