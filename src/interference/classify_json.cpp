#include <algorithm>

#include <fmt/format.h>

#include "base/json.hpp"
#include "interference/classify.hpp"

namespace weir::interference {
namespace {

constexpr std::array kPatterns = {WritePattern::open_write_close, WritePattern::write_seek,
                                  WritePattern::aggregate_write};

Result<Class> read(const Json& json) {
  Class found;
  const std::string pattern = json.at("pattern").get<std::string>();
  bool known = false;
  for (int i = 0; i <= static_cast<int>(WritePattern::none); ++i)
    if (name(static_cast<WritePattern>(i)) == pattern) {
      found.pattern = static_cast<WritePattern>(i);
      known = true;
    }
  if (!known) return Error{Errc::bad_data, fmt::format("no pattern '{}'", pattern)};
  for (const WritePattern each : kPatterns)
    found.shares[static_cast<std::size_t>(each)] =
        json.at("shares").at(std::string(name(each))).get<double>();
  found.chunk = Bytes(json.at("chunk_bytes").get<std::uint64_t>());
  found.chunk_quarter = Bytes(json.at("chunk_quarter_bytes").get<std::uint64_t>());
  found.chunk_three_quarters = Bytes(json.at("chunk_three_quarters_bytes").get<std::uint64_t>());
  found.processes = json.at("processes").get<std::uint64_t>();
  found.files = json.at("files").get<std::uint64_t>();
  found.written = Bytes(json.at("written_bytes").get<std::uint64_t>());
  found.read = Bytes(json.at("read_bytes").get<std::uint64_t>());
  found.duration_s = json.at("duration_s").get<double>();
  found.metadata_per_s = json.at("metadata_per_s").get<double>();
  found.flushed_share = json.at("flushed_share").get<double>();
  found.shared_share = json.at("shared_share").get<double>();
  found.bursts = json.at("bursts").get<std::uint64_t>();
  if (const Json& period = json.at("period_s"); !period.is_null()) found.period_s = period.get<double>();
  found.duty = json.at("duty").get<double>();
  for (const Json& line : json.at("evidence")) found.evidence.push_back(line.get<std::string>());
  return found;
}

}  // namespace

Json to_json(const Class& found) {
  Json shares = Json::object();
  for (const WritePattern each : kPatterns)
    shares[std::string(name(each))] = found.shares[static_cast<std::size_t>(each)];
  return {{"pattern", name(found.pattern)},
          {"shares", std::move(shares)},
          {"chunk_bytes", found.chunk.count},
          {"chunk_quarter_bytes", found.chunk_quarter.count},
          {"chunk_three_quarters_bytes", found.chunk_three_quarters.count},
          {"processes", found.processes},
          {"files", found.files},
          {"written_bytes", found.written.count},
          {"read_bytes", found.read.count},
          {"duration_s", found.duration_s},
          {"metadata_per_s", found.metadata_per_s},
          {"flushed_share", found.flushed_share},
          {"shared_share", found.shared_share},
          {"bursts", found.bursts},
          {"period_s", found.period_s ? Json(*found.period_s) : Json(nullptr)},
          {"duty", found.duty},
          {"evidence", found.evidence}};
}

Result<Class> class_from_json(const Json& json) {
  try {
    return read(json);
  } catch (const Json::exception& fault) {
    return Error{Errc::bad_data, fault.what()}.in("a program's class");
  }
}

}  // namespace weir::interference
