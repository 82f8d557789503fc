#include "semantics/detail/datatype.hpp"

#include <algorithm>
#include <array>

#include "semantics/detail/far.hpp"

namespace weir::semantics::detail {
namespace {

using trace::Value;

constexpr std::size_t kMostRuns = 1 << 20;

void append(std::vector<Datatype::Run>& runs, std::int64_t at, std::int64_t bytes) {
  if (bytes == 0) return;
  if (!runs.empty() && runs.back().at + runs.back().bytes == at)
    runs.back().bytes += bytes;
  else
    runs.push_back({at, bytes});
}

// Puts types one after the other where they are told to be.
class Builder {
 public:
  // `count` of them, each an extent behind the one before.
  void add(const Datatype& type, std::int64_t at, std::int64_t count) {
    if (count <= 0 || !fits()) return;
    const std::int64_t span = times(type.extent, count);
    const std::int64_t bytes = times(type.size, count);
    far_ = far_ || is_far(at) || is_far(span) || is_far(made_.size + bytes);
    if (far_) return;
    const bool dense = type.runs.size() == 1 && type.runs[0].bytes == type.extent;
    if (dense) {
      append(made_.runs, at + type.runs[0].at, span);
    } else if (!type.runs.empty()) {
      for (std::int64_t i = 0; i < count && fits(); ++i)
        for (const Datatype::Run& run : type.runs) {
          const std::int64_t place = at + i * type.extent + run.at;
          far_ = far_ || is_far(place);
          append(made_.runs, place, run.bytes);
        }
    }
    made_.size += bytes;
    const std::int64_t first = at + type.lower;
    const std::int64_t last = first + span;
    far_ = far_ || is_far(first) || is_far(last);
    lower_ = any_ ? std::min(lower_, first) : first;
    upper_ = any_ ? std::max(upper_, last) : last;
    any_ = true;
    made_.alignment = std::max(made_.alignment, type.alignment);
  }

  void give_up() { far_ = true; }

  // Few enough runs, and none far away.
  bool fits() const { return made_.runs.size() <= kMostRuns && !far_; }

  std::optional<Datatype> done() {
    if (!fits()) return std::nullopt;
    made_.lower = lower_;
    // As a C compiler pads a struct (MPI 3.1, 4.1.6).
    const std::int64_t behind = (upper_ - lower_) % made_.alignment;
    made_.extent = upper_ - lower_ + (behind == 0 ? 0 : made_.alignment - behind);
    return std::move(made_);
  }

 private:
  Datatype made_;
  std::int64_t lower_ = 0;
  std::int64_t upper_ = 0;
  bool any_ = false;
  bool far_ = false;
};

// A vector: `count` blocks of `length` types, each a stride behind the one before.
void put_blocks(Builder& builder, const Datatype& type, std::int64_t count, std::int64_t length,
                std::int64_t stride) {
  if (count <= 0 || length <= 0) return;
  if (stride == times(type.extent, length)) return builder.add(type, 0, times(count, length));
  if (type.runs.empty()) {  // how far it reaches is all there is to know
    builder.add(type, 0, length);
    builder.add(type, times(count - 1, stride), length);
    return;
  }
  if (count > static_cast<std::int64_t>(kMostRuns)) return builder.give_up();
  for (std::int64_t i = 0; i < count && builder.fits(); ++i) builder.add(type, times(i, stride), length);
}

bool is_list(const Value& value, std::size_t count) {
  return value.kind == Value::Kind::list && value.items.size() >= count;
}

// Which indices of a dimension belong to a part, as runs.
struct IndexRun {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

// An array of `size` elements of which some are in the type; the extent is the whole array's.
std::optional<Datatype> along(const Datatype& element, const std::vector<IndexRun>& runs, std::int64_t size) {
  Builder builder;
  for (const IndexRun& run : runs) builder.add(element, times(run.first, element.extent), run.count);
  auto made = builder.done();
  if (!made || is_far(times(element.extent, size))) return std::nullopt;
  made->lower = 0;
  made->extent = element.extent * size;
  made->alignment = 1;
  return made;
}

// Values of the two MPI libraries: Open MPI's and MPICH's.
constexpr bool is_fortran_order(std::int64_t order) { return order == 1 || order == 57; }
constexpr bool is_cyclic(std::int64_t distribution) { return distribution == 1 || distribution == 122; }
constexpr bool is_undistributed(std::int64_t distribution) {
  return distribution == 2 || distribution == 123;
}
constexpr bool is_default_argument(std::int64_t argument) { return argument == -1 || argument == -49767; }

std::vector<IndexRun> distributed(std::int64_t size, std::int64_t distribution, std::int64_t argument,
                                  std::int64_t parts, std::int64_t part) {
  if (is_undistributed(distribution) || parts <= 1) return {{0, size}};
  const bool cyclic = is_cyclic(distribution);
  std::int64_t block = argument;
  if (is_default_argument(argument)) block = cyclic ? 1 : (size + parts - 1) / parts;
  if (block <= 0 || is_far(size)) return {};
  std::vector<IndexRun> runs;
  const std::int64_t step = times(parts, block);
  for (std::int64_t first = times(part, block); first < size && runs.size() <= kMostRuns; first += step) {
    runs.push_back({first, std::min(block, size - first)});
    if (!cyclic) break;
  }
  return runs;
}

std::optional<Datatype> subarray(std::span<const Value> a, const Datatype& element) {
  const auto dimensions = static_cast<std::size_t>(std::max<std::int64_t>(a[0].number, 0));
  if (!is_list(a[1], dimensions) || !is_list(a[2], dimensions) || !is_list(a[3], dimensions))
    return std::nullopt;
  std::optional<Datatype> made = element;
  for (std::size_t i = 0; i < dimensions && made; ++i) {  // the fastest first
    const std::size_t d = is_fortran_order(a[4].number) ? i : dimensions - 1 - i;
    made = along(*made, {{a[3].items[d].number, a[2].items[d].number}}, a[1].items[d].number);
  }
  return made;
}

std::optional<Datatype> darray(std::span<const Value> a, const Datatype& element) {
  const auto dimensions = static_cast<std::size_t>(std::max<std::int64_t>(a[2].number, 0));
  for (const std::size_t list : {3U, 4U, 5U, 6U})
    if (!is_list(a[list], dimensions)) return std::nullopt;
  if (a[1].number < 0) return std::nullopt;
  std::vector<std::int64_t> part(dimensions);  // of this process: the last dimension varies fastest
  std::int64_t rank = a[1].number;
  for (std::size_t d = dimensions; d-- > 0;) {
    const std::int64_t parts = std::max<std::int64_t>(a[6].items[d].number, 1);
    part[d] = rank % parts;
    rank /= parts;
  }
  std::optional<Datatype> made = element;
  for (std::size_t i = 0; i < dimensions && made; ++i) {
    const std::size_t d = is_fortran_order(a[7].number) ? i : dimensions - 1 - i;
    const std::int64_t size = a[3].items[d].number;
    made = along(*made,
                 distributed(size, a[4].items[d].number, a[5].items[d].number, a[6].items[d].number, part[d]),
                 size);
  }
  return made;
}

// struct { T first; int second; } with nothing where C puts nothing, between the two or behind them.
bool is_padded_pair(std::string_view name) {
  return name == "MPI_SHORT_INT" || name == "MPI_LONG_INT" || name == "MPI_DOUBLE_INT" ||
         name == "MPI_LONG_DOUBLE_INT";
}

Datatype pair_with_int(std::int64_t bytes) {
  constexpr std::int64_t kInt = 4;
  const std::int64_t first = bytes - kInt;
  const std::int64_t second = std::max(first, kInt);  // where it is; either is as long as its alignment
  Datatype made;
  append(made.runs, 0, first);
  append(made.runs, second, kInt);
  made.size = bytes;
  made.extent = 2 * second;
  made.alignment = second;
  return made;
}

}  // namespace

std::optional<std::int64_t> predefined_size(std::string_view name) {
  static const std::unordered_map<std::string_view, std::int64_t> sizes = {
      {"MPI_BYTE", 1},
      {"MPI_PACKED", 1},
      {"MPI_CHAR", 1},
      {"MPI_SIGNED_CHAR", 1},
      {"MPI_UNSIGNED_CHAR", 1},
      {"MPI_WCHAR", 4},
      {"MPI_SHORT", 2},
      {"MPI_UNSIGNED_SHORT", 2},
      {"MPI_INT", 4},
      {"MPI_UNSIGNED", 4},
      {"MPI_LONG", 8},
      {"MPI_UNSIGNED_LONG", 8},
      {"MPI_LONG_LONG", 8},
      {"MPI_LONG_LONG_INT", 8},
      {"MPI_UNSIGNED_LONG_LONG", 8},
      {"MPI_FLOAT", 4},
      {"MPI_DOUBLE", 8},
      {"MPI_LONG_DOUBLE", 16},
      {"MPI_C_BOOL", 1},
      {"MPI_CXX_BOOL", 1},
      {"MPI_INT8_T", 1},
      {"MPI_INT16_T", 2},
      {"MPI_INT32_T", 4},
      {"MPI_INT64_T", 8},
      {"MPI_UINT8_T", 1},
      {"MPI_UINT16_T", 2},
      {"MPI_UINT32_T", 4},
      {"MPI_UINT64_T", 8},
      {"MPI_AINT", 8},
      {"MPI_OFFSET", 8},
      {"MPI_COUNT", 8},
      {"MPI_C_COMPLEX", 8},
      {"MPI_C_FLOAT_COMPLEX", 8},
      {"MPI_C_DOUBLE_COMPLEX", 16},
      {"MPI_C_LONG_DOUBLE_COMPLEX", 32},
      {"MPI_CXX_FLOAT_COMPLEX", 8},
      {"MPI_CXX_DOUBLE_COMPLEX", 16},
      {"MPI_CHARACTER", 1},
      {"MPI_LOGICAL", 4},
      {"MPI_INTEGER", 4},
      {"MPI_REAL", 4},
      {"MPI_DOUBLE_PRECISION", 8},
      {"MPI_COMPLEX", 8},
      {"MPI_DOUBLE_COMPLEX", 16},
      {"MPI_INTEGER1", 1},
      {"MPI_INTEGER2", 2},
      {"MPI_INTEGER4", 4},
      {"MPI_INTEGER8", 8},
      {"MPI_REAL4", 4},
      {"MPI_REAL8", 8},
      {"MPI_REAL16", 16},
      {"MPI_COMPLEX8", 8},
      {"MPI_COMPLEX16", 16},
      {"MPI_COMPLEX32", 32},
      {"MPI_REAL2", 2},
      {"MPI_INTEGER16", 16},
      {"MPI_CXX_LONG_DOUBLE_COMPLEX", 32},
      {"MPI_2INT", 8},
      {"MPI_SHORT_INT", 6},
      {"MPI_LONG_INT", 12},
      {"MPI_FLOAT_INT", 8},
      {"MPI_DOUBLE_INT", 12},
      {"MPI_LONG_DOUBLE_INT", 20},
      {"MPI_2REAL", 8},
      {"MPI_2DOUBLE_PRECISION", 16},
      {"MPI_2INTEGER", 8},
  };
  const auto found = sizes.find(name);
  if (found == sizes.end()) return std::nullopt;
  return found->second;
}

DatatypePointer Datatypes::find(const Value& value) const {
  if (!value.text.empty()) {
    const auto bytes = predefined_size(value.text);
    if (!bytes) return nullptr;
    if (is_padded_pair(value.text)) return std::make_shared<Datatype>(pair_with_int(*bytes));
    const bool of_two = value.text.find("COMPLEX") != std::string_view::npos ||
                        value.text.starts_with("MPI_2") || value.text == "MPI_FLOAT_INT";
    return std::make_shared<Datatype>(
        Datatype{{{0, *bytes}}, *bytes, 0, *bytes, of_two ? *bytes / 2 : *bytes});
  }
  if (value.kind != Value::Kind::object) return nullptr;
  const auto found = made_.find(value.number);
  return found == made_.end() ? nullptr : found->second;
}

std::optional<Datatype> Datatypes::built(const trace::Record& record) const {
  const std::span<const Value> a = record.arguments;
  const std::string_view name = record.function->means;
  const Value& old = a[a.size() - 2];
  Builder builder;
  if (name.ends_with("struct")) {
    const auto count = static_cast<std::size_t>(std::max<std::int64_t>(a[0].number, 0));
    if (!is_list(a[1], count) || !is_list(a[2], count) || !is_list(a[3], count)) return std::nullopt;
    for (std::size_t i = 0; i < count; ++i) {
      Value item;
      item.kind = Value::Kind::object;
      item.number = a[3].items[i].number;
      item.text = a[3].items[i].text;
      const DatatypePointer part = find(item);
      if (part == nullptr) return std::nullopt;
      builder.add(*part, a[2].items[i].number, a[1].items[i].number);
    }
    return builder.done();
  }
  const DatatypePointer element = find(name.ends_with("resized") ? a[0] : old);
  if (element == nullptr) return std::nullopt;
  if (name.ends_with("dup")) return *element;
  if (name.ends_with("resized")) {
    Datatype made = *element;
    made.lower = a[1].number;
    made.extent = a[2].number;
    made.alignment = 1;
    if (is_far(made.lower) || is_far(made.extent)) return std::nullopt;
    return made;
  }
  if (name.ends_with("subarray")) return subarray(a, *element);
  if (name.ends_with("darray")) return darray(a, *element);
  if (name.ends_with("contiguous")) {
    builder.add(*element, 0, a[0].number);
    return builder.done();
  }
  const bool in_bytes = name.find("_h") != std::string_view::npos;
  const std::int64_t unit = in_bytes ? 1 : element->extent;
  if (name.ends_with("vector")) {
    const std::int64_t stride = times(a[2].number, unit);
    put_blocks(builder, *element, a[0].number, a[1].number, stride);
    return builder.done();
  }
  const bool blocks = name.ends_with("block");  // all of one length
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(a[0].number, 0));
  if (!is_list(a[2], count) || (!blocks && !is_list(a[1], count))) return std::nullopt;
  for (std::size_t i = 0; i < count; ++i)
    builder.add(*element, times(a[2].items[i].number, unit), blocks ? a[1].number : a[1].items[i].number);
  return builder.done();
}

void Datatypes::make(const trace::Record& record) {
  const Value& fresh = record.arguments.back();
  if (fresh.kind != Value::Kind::object) return;
  auto made = built(record);
  made_[fresh.number] = made ? std::make_shared<const Datatype>(*std::move(made)) : nullptr;
}

void Datatypes::free(const Value& value) {
  if (value.kind == Value::Kind::object) made_.erase(value.number);
}

std::optional<std::vector<Datatype::Run>> FileView::ranges(std::int64_t at, std::int64_t bytes) const {
  const std::int64_t position = times(at, etype_bytes);
  if (position < 0 || is_far(position) || is_far(displacement) || bytes < 0 || is_far(bytes))
    return std::nullopt;
  if (filetype == nullptr || (filetype->runs.size() == 1 && filetype->runs[0].bytes == filetype->extent)) {
    const std::int64_t first = filetype == nullptr ? 0 : filetype->runs[0].at;
    return {{{displacement + first + position, bytes}}};
  }
  std::vector<Datatype::Run> found;
  if (filetype->size <= 0) return found;
  std::int64_t tile = position / filetype->size;
  std::int64_t skip = position % filetype->size;
  while (bytes > 0) {
    const std::int64_t begin = times(tile, filetype->extent);
    if (is_far(begin) || found.size() > kMostRuns) return std::nullopt;
    for (const Datatype::Run& run : filetype->runs) {
      if (skip >= run.bytes) {
        skip -= run.bytes;
        continue;
      }
      const std::int64_t take = std::min(run.bytes - skip, bytes);
      append(found, displacement + begin + run.at + skip, take);
      bytes -= take;
      skip = 0;
      if (bytes == 0) break;
    }
    ++tile;
  }
  return found;
}

}  // namespace weir::semantics::detail
