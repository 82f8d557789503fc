#include "monitor/parsers.hpp"

#include <array>
#include <string>
#include <unordered_map>

#include "base/check.hpp"
#include "monitor/detail/formats.hpp"
#include "monitor/detail/text.hpp"

namespace weir::monitor {
namespace detail {
namespace {

struct Row {
  std::string_view name;
  Parser parser;
};

// In the order of Format.
constexpr std::array<Row, kFormats> kTable = {{
    {"diskstats", parse_diskstats},
    {"block_stat", parse_block_stat},
    {"mountstats", parse_mountstats},
    {"lustre_llite", parse_llite},
    {"lustre_osc", parse_osc},
    {"lustre_obdfilter", parse_obdfilter},
    {"mmpmon", parse_mmpmon},
    {"infiniband", parse_infiniband},
    {"blkio_bytes", parse_blkio_bytes},
    {"blkio_operations", parse_blkio_operations},
    {"io_stat", parse_io_stat},
    {"gluster_text", parse_gluster_text},
    {"gluster_xml", parse_gluster_xml},
    {"pressure", parse_pressure},
    {"processor", parse_processor},
}};

const Row& row(Format format) {
  const auto index = static_cast<std::size_t>(format);
  WEIR_CHECK(index < kTable.size());
  return kTable[index];
}

// Keeps all there is.
class Collector final : public Sink {
 public:
  bool source(std::string_view kind, std::string_view instance) override {
    source_.assign(kind).append(instance);
    return true;
  }
  void put(Word name, double value, Traits traits) override { at(name, traits).value = value; }
  void add(Word name, double value, Traits traits) override { at(name, traits).value += value; }
  void damaged(std::string_view line) override {
    if (parsed_.damaged++ == 0) parsed_.first_damaged = excerpt(line);
  }
  Parsed take() { return std::move(parsed_); }

 private:
  Counter& at(Word name, Traits traits) {
    key_.assign(source_).append(1, '\n').append(name.stem).append(name.ending);
    const auto [place, is_new] = index_.try_emplace(key_, parsed_.counters.size());
    if (is_new)
      parsed_.counters.push_back({.source = source_,
                                  .name = key_.substr(source_.size() + 1),
                                  .value = 0,
                                  .total = traits.total,
                                  .wraps_at = traits.wraps_at});
    return parsed_.counters[place->second];
  }

  Parsed parsed_;
  std::string source_, key_;
  std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace

std::string excerpt(std::string_view line) {
  constexpr std::size_t kLongest = 80;
  std::string text(trimmed(line).substr(0, kLongest));
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  if (trimmed(line).size() > kLongest) text += "...";
  return text;
}

Parser parser_of(Format format) { return row(format).parser; }

}  // namespace detail

std::string_view name(Format format) { return detail::row(format).name; }

Parsed parse(Format format, std::string_view text, std::string_view instance) {
  detail::Collector collector;
  detail::parser_of(format)(text, instance, collector);
  return collector.take();
}

}  // namespace weir::monitor
