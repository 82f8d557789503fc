#pragma once

#include <atomic>
#include <new>

#include <sys/mman.h>
#include <unistd.h>

namespace weir {

// Tells whether this is still the process that made it, for the price of a load: the kernel wipes the page in
// a forked child. Where it cannot, the process's number is compared.
class ForkMark {
 public:
  ForkMark() : process_(::getpid()) {
    void* const page = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return;
    if (::madvise(page, kBytes, MADV_WIPEONFORK) != 0) {
      ::munmap(page, kBytes);
      return;
    }
    mark_ = new (page) std::atomic<int>(1);
  }
  ForkMark(const ForkMark&) = delete;
  ForkMark& operator=(const ForkMark&) = delete;
  ~ForkMark() {
    if (mark_ != nullptr) ::munmap(mark_, kBytes);
  }

  bool is_here() const {
    return mark_ != nullptr ? mark_->load(std::memory_order_relaxed) == 1 : ::getpid() == process_;
  }

 private:
  static constexpr std::size_t kBytes = 4096;
  pid_t process_;
  std::atomic<int>* mark_ = nullptr;
};

}  // namespace weir
