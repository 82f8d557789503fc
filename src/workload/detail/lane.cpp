#include "workload/detail/lane.hpp"

#include <algorithm>
#include <string>

namespace weir::workload::detail {
namespace {

template <std::size_t N>
void copy_text(const std::string& from, std::array<char, N>& into) {
  const std::size_t length = std::min(from.size(), N - 1);
  std::copy_n(from.data(), length, into.begin());
  into[length] = '\0';
}

}  // namespace

void FixedError::set(const Error& error) {
  code_ = error.code();
  copy_text(error.context(), context_);
  copy_text(error.message(), message_);
  copy_text(error.remedy(), remedy_);
  set_.store(true, std::memory_order_release);
}

Error FixedError::get() const {
  Error error(code_, message_.data());
  if (context_[0] != '\0') error = std::move(error).in(context_.data());
  return remedy_[0] == '\0' ? error : error.with_remedy(remedy_.data());
}

std::uint64_t Timeline::add(Tick when, std::uint64_t bytes) {
  if (size_ == kPoints) {
    for (std::size_t i = 0; i < kPoints / 2; ++i) points_[i] = points_[2 * i + 1];
    size_ = kPoints / 2;
    every_ *= 2;
  }
  points_[size_++] = {when, bytes};
  return every_;
}

}  // namespace weir::workload::detail
