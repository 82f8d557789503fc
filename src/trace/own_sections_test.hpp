#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/checksum.hpp"
#include "trace/detail/table_group.hpp"
#include "trace/format.hpp"

namespace weir::trace::made {

// The same trace with each table in a section of its own, where a test can get at it, in the order of
// version 2.
inline std::string with_own_sections(std::string_view whole) {
  ByteWriter out;
  out.bytes(as_bytes(whole.substr(0, kFileHeaderBytes)));
  const auto put = [&](Section type, ByteSpan payload) {
    out.u32(static_cast<std::uint32_t>(type));
    out.u32(0);
    out.u64(payload.size());
    out.u64(checksum(payload));
    out.bytes(payload);
  };
  std::deque<std::vector<std::byte>> groups;
  std::vector<detail::GroupedTable> tables;
  std::vector<detail::GroupedTable> pieces;
  for (std::size_t at = kFileHeaderBytes; at + kFooterBytes < whole.size();) {
    std::uint32_t type = 0;
    std::uint64_t length = 0;
    std::memcpy(&type, whole.data() + at, sizeof type);
    std::memcpy(&length, whole.data() + at + 8, sizeof length);
    const ByteSpan payload = as_bytes(whole.substr(at + kSectionHeaderBytes, length));
    at += kSectionHeaderBytes + length;
    const auto section = static_cast<Section>(type);
    if (detail::is_group(section)) {
      groups.push_back(detail::take_group(payload).value());
      const auto grouped = detail::tables_of_group(groups.back());
      tables.insert(tables.end(), grouped.value().begin(), grouped.value().end());
    } else {
      (is_piece(section) ? pieces : tables).push_back({section, payload});
    }
  }
  std::stable_partition(tables.begin(), tables.end(),
                        [](const auto& table) { return table.type == Section::facts; });
  for (const auto& list : {tables, pieces})
    for (const detail::GroupedTable& one : list) put(one.type, one.payload);
  out.u64(out.size());
  out.u64(kFooterMagic);
  return std::string(as_text(out.view()));
}

}  // namespace weir::trace::made
