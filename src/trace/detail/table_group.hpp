#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "trace/format.hpp"

namespace weir::trace::detail {

// Version 3 is version 2 with tables that are packed together: most traces have tables that are too small to
// be packed well alone. Those with large ones are still of version 2.
inline constexpr std::uint32_t kGroupedVersion = 3;
inline constexpr auto kCallTables = static_cast<Section>(section_name("TABS"));  // functions to grammars
inline constexpr auto kProcessTables =
    static_cast<Section>(section_name("PROS"));                         // facts, communicators, processes
inline constexpr std::size_t kMostGroupedBytes = std::size_t{1} << 16;  // of all tables

constexpr bool is_group(Section section) { return section == kCallTables || section == kProcessTables; }

// Tables that are packed into one section, with what the dictionary of the format has of them already.
class TableGroup {
 public:
  // As its section would have it.
  void add(Section table, ByteSpan payload);
  // The payload of the section.
  void put(ByteWriter& out) const;

 private:
  ByteWriter plain_;
};

struct GroupedTable {
  Section type = Section::facts;
  ByteSpan payload;
};

// The plain bytes of a group, and the tables in them in their order; those of a later day are left out.
Result<std::vector<std::byte>> take_group(ByteSpan payload);
Result<std::vector<GroupedTable>> tables_of_group(ByteSpan plain);

}  // namespace weir::trace::detail
