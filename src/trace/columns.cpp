#include "trace/columns.hpp"

#include <algorithm>
#include <bit>

#include "base/compress.hpp"
#include "base/zigzag.hpp"

namespace weir::trace {
namespace {

enum class Layout : std::uint8_t { constant = 0, values = 1, differences = 2 };

void put_planes(ByteWriter& out, std::span<const std::uint64_t> values) {
  std::uint64_t all = 0;
  for (const std::uint64_t value : values) all |= value;
  const auto width = static_cast<std::uint8_t>((std::bit_width(all) + 7) / 8);
  out.u8(width);
  std::vector<std::byte> plane(values.size());
  for (unsigned byte = 0; byte < width; ++byte) {
    for (std::size_t i = 0; i < values.size(); ++i)
      plane[i] = static_cast<std::byte>(values[i] >> (8 * byte));
    put_packed(out, plane);
  }
}

Result<std::vector<std::uint64_t>> take_planes(ByteReader& in, std::uint64_t count) {
  const auto width = in.u8();
  if (!width) return width.error();
  if (*width > 8) return Error{Errc::bad_data, "numbers of more than 8 bytes"};
  std::vector<std::uint64_t> values;
  for (unsigned byte = 0; byte < *width; ++byte) {
    const auto plane = take_packed(in, count);
    if (!plane) return plane.error();
    if (plane->size() != count) return Error{Errc::bad_data, "a plane of numbers is too short"};
    values.resize(count);
    for (std::size_t i = 0; i < count; ++i)
      values[i] |= std::to_integer<std::uint64_t>((*plane)[i]) << (8 * byte);
  }
  values.resize(count);
  return values;
}

}  // namespace

void put_numbers(ByteWriter& out, std::span<const std::int64_t> values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (values.empty() || *least == *most) {
    out.u8(static_cast<std::uint8_t>(Layout::constant));
    out.signed_varint(values.empty() ? 0 : *least);
    return;
  }
  const std::int64_t base = *least;
  std::vector<std::uint64_t> plain(values.size());
  std::vector<std::uint64_t> steps(values.size());
  std::uint64_t before = static_cast<std::uint64_t>(base);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<std::uint64_t>(values[i]);
    plain[i] = value - static_cast<std::uint64_t>(base);
    steps[i] = zigzag(static_cast<std::int64_t>(value - before));
    before = value;
  }
  ByteWriter as_values;
  put_planes(as_values, plain);
  ByteWriter as_steps;
  put_planes(as_steps, steps);
  const bool shorter = as_steps.size() < as_values.size();
  out.u8(static_cast<std::uint8_t>(shorter ? Layout::differences : Layout::values));
  out.signed_varint(base);
  out.bytes(shorter ? as_steps.view() : as_values.view());
}

Result<std::vector<std::int64_t>> take_numbers(ByteReader& in, std::uint64_t count) {
  const auto layout = in.u8();
  if (!layout) return layout.error();
  const auto base = in.signed_varint();
  if (!base) return base.error();
  if (*layout == static_cast<std::uint8_t>(Layout::constant)) return std::vector<std::int64_t>(count, *base);
  if (*layout > static_cast<std::uint8_t>(Layout::differences))
    return Error{Errc::bad_data, "numbers in a layout that is not known"};
  const auto planes = take_planes(in, count);
  if (!planes) return planes.error();
  std::vector<std::int64_t> values(count);
  auto before = static_cast<std::uint64_t>(*base);
  for (std::size_t i = 0; i < count; ++i) {
    if (*layout == static_cast<std::uint8_t>(Layout::values)) {
      values[i] = static_cast<std::int64_t>((*planes)[i] + static_cast<std::uint64_t>(*base));
    } else {
      before += static_cast<std::uint64_t>(unzigzag((*planes)[i]));
      values[i] = static_cast<std::int64_t>(before);
    }
  }
  return values;
}

void ColumnWriter::add(std::uint32_t signature, std::span<const std::int64_t> values) {
  Group& group = groups_[signature];
  group.columns = static_cast<std::uint32_t>(values.size());
  group.values.insert(group.values.end(), values.begin(), values.end());
}

void ColumnWriter::finish(ByteWriter& out) {
  out.varint(groups_.size());
  std::uint32_t before = 0;
  std::vector<std::int64_t> one;
  for (const auto& [signature, group] : groups_) {
    out.varint(signature - before);
    before = signature;
    const std::size_t records = group.values.size() / group.columns;
    out.varint(records);
    for (std::uint32_t column = 0; column < group.columns; ++column) {
      one.clear();
      for (std::size_t i = 0; i < records; ++i) one.push_back(group.values[i * group.columns + column]);
      put_numbers(out, one);
    }
  }
  groups_.clear();
}

Result<ColumnReader> ColumnReader::parse(ByteReader& in, std::span<const std::uint8_t> columns_of,
                                         std::uint64_t records) {
  ColumnReader reader;
  const auto groups = in.count(4);
  if (!groups) return groups.error();
  std::uint64_t signature = 0;
  std::uint64_t left = records;
  for (std::uint64_t g = 0; g < *groups; ++g) {
    const auto step = in.varint();
    if (!step) return step.error();
    if (*step > columns_of.size()) return Error{Errc::bad_data, "columns of a signature that is not there"};
    signature += *step;
    if (signature >= columns_of.size() || (g > 0 && *step == 0))
      return Error{Errc::bad_data, "columns of a signature that is not there"};
    const auto count = in.varint();
    if (!count) return count.error();
    if (*count > left) return Error{Errc::bad_data, "more columns than records"};
    left -= *count;
    const std::uint32_t columns = columns_of[signature];
    Group group;
    group.values.resize(*count * columns);
    for (std::uint32_t column = 0; column < columns; ++column) {
      const auto one = take_numbers(in, *count);
      if (!one) return one.error();
      for (std::size_t i = 0; i < *count; ++i) group.values[i * columns + column] = (*one)[i];
    }
    if (reader.group_of_.size() <= signature) reader.group_of_.resize(signature + 1);
    reader.groups_.push_back(std::move(group));
    reader.group_of_[signature] = static_cast<std::uint32_t>(reader.groups_.size());
  }
  return reader;
}

}  // namespace weir::trace
