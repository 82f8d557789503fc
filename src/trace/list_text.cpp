#include "trace/list_text.hpp"

#include <algorithm>

#include "base/bytes.hpp"
#include "base/zigzag.hpp"

namespace weir::trace {
namespace {

void take_items(std::string_view text, std::int64_t own_rank, std::vector<ListItem>& items) {
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
        if (rest == 0)
          items.push_back({});
        else
          items.push_back({ListItem::Kind::list, static_cast<std::int64_t>(rest - 1), {}});
        break;
    }
  }
}

}  // namespace

void take_list(std::string_view text, std::int64_t own_rank, std::vector<ListItem>& items) {
  items.clear();
  take_items(text, own_rank, items);
  for (std::size_t i = 0; i < items.size(); ++i)
    if (items[i].kind == ListItem::Kind::list)
      items[i].number = std::min(items[i].number, static_cast<std::int64_t>(items.size() - i - 1));
}

}  // namespace weir::trace
