#include "transport/detail/bells.hpp"

#include <cerrno>

#include <sys/eventfd.h>
#include <unistd.h>

#include "transport/detail/ring.hpp"

namespace weir::transport::detail {

Result<Bells> Bells::make(unsigned workers) {
  Bells bells;
  auto page = make_memory("weir-host", sizeof(HostMemory));
  if (!page) return page.error();
  auto mapping = Mapping::map(page->get(), sizeof(HostMemory), Mapping::Access::write);
  if (!mapping) return mapping.error();
  if (auto sealed = seal_against_writers(page->get()); !sealed) return sealed.error();
  bells.page_fd_ = std::move(*page);
  bells.page_ = std::move(*mapping);
  for (unsigned worker = 0; worker < workers; ++worker) {
    bells.bells_.emplace_back(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!bells.bells_.back()) return Error::from_errno(errno, "cannot make an eventfd");
  }
  return bells;
}

void Bells::say_awake(unsigned worker) {
  word(worker).store(0, std::memory_order_relaxed);
  std::uint64_t count = 0;
  [[maybe_unused]] const auto got = ::read(descriptor(worker), &count, sizeof count);
}

void Bells::ring_if_asleep(unsigned worker) {
  if (word(worker).load() != 0) ring(descriptor(worker));
}

}  // namespace weir::transport::detail
