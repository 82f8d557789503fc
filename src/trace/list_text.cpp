#include "trace/list_text.hpp"

#include "base/bytes.hpp"
#include "base/zigzag.hpp"

namespace weir::trace {

void take_list(std::string_view text, std::int64_t own_rank, std::vector<ListItem>& items) {
  items.clear();
  ByteReader in(as_bytes(text));
  while (!in.at_end()) {
    const auto head = in.varint();
    if (!head) return;
    const std::uint64_t rest = *head >> 2;
    const std::int64_t number = unzigzag(rest);
    switch (static_cast<ListMark>(*head & 3)) {
      case ListMark::number:
        items.push_back({ListItem::Kind::number, number, {}});
        break;
      case ListMark::relative:
        items.push_back({ListItem::Kind::number, own_rank + number, {}});
        break;
      case ListMark::name: {
        const auto name = in.bytes(rest);
        if (!name) return;
        items.push_back({ListItem::Kind::name, 0, as_text(*name)});
        break;
      }
      case ListMark::nothing:
        items.push_back({});
        break;
    }
  }
}

}  // namespace weir::trace
