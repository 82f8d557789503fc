#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace weir::semantics {

// A request between the call that made it and the one that completes it.
struct OpenRequest {
  enum class Kind : std::uint8_t { none, send, receive, collective, other };

  Kind kind = Kind::none;
  bool persistent = false;
  bool active = false;
  bool cancelled = false;     // MPI_Cancel was called
  std::uint32_t entry = 0;    // the post or the collective call it stands for
  std::uint32_t pattern = 0;  // of a persistent one: what a start repeats
};

// By the number that the trace gives them: 4096 to each kind of call, so most pages stay empty.
class RequestTable {
 public:
  OpenRequest& operator[](std::uint32_t id) {
    const std::size_t page = id / kPage;
    if (page >= pages_.size()) pages_.resize(page + 1);
    if (pages_[page] == nullptr) pages_[page] = std::make_unique<Page>();
    return (*pages_[page])[id % kPage];
  }
  // Null when there never was one of that number.
  OpenRequest* find(std::int64_t id) {
    if (id < 0 || static_cast<std::uint64_t>(id) / kPage >= pages_.size()) return nullptr;
    const auto& page = pages_[static_cast<std::size_t>(id) / kPage];
    if (page == nullptr) return nullptr;
    OpenRequest& found = (*page)[static_cast<std::size_t>(id) % kPage];
    return found.kind == OpenRequest::Kind::none ? nullptr : &found;
  }
  template <class Each>
  void for_each(Each&& each) {
    for (auto& page : pages_)
      if (page != nullptr)
        for (OpenRequest& one : *page)
          if (one.kind != OpenRequest::Kind::none) each(one);
  }

 private:
  static constexpr std::size_t kPage = 4096;
  using Page = std::array<OpenRequest, kPage>;
  std::vector<std::unique_ptr<Page>> pages_;
};

}  // namespace weir::semantics
