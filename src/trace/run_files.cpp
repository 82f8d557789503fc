#include <cstring>

#include "base/file.hpp"
#include "base/json.hpp"
#include "trace/detail/run_facts.hpp"
#include "trace/lane_file.hpp"
#include "trace/live.hpp"
#include "trace/merge.hpp"

namespace weir::trace {
namespace fs = std::filesystem;

Result<void> prepare_run(const fs::path& directory) {
  std::error_code failed;
  const fs::path folder = directory / live::kFolder;
  fs::create_directories(folder, failed);
  if (failed) return Error::from_errno(failed.value(), "cannot be made").in(directory.string());
  const std::uint64_t none = 0;
  return replace_file(folder / live::kLossFile, {reinterpret_cast<const std::byte*>(&none), sizeof none},
                      0600);
}

Result<void> write_run_facts(const fs::path& directory, const MergeOptions& options) {
  Json facts;
  facts["command"] = options.command;
  facts["status"] = options.status;
  facts["narrowed"] = options.narrowed;
  facts["readings"] = Json::array();
  for (const Calibration::Reading& reading : options.readings)
    facts["readings"].push_back({reading.tick.count, reading.monotonic.count});
  return replace_file(directory / live::kFolder / live::kRunFile, as_bytes(facts.dump() + "\n"), 0600);
}

namespace detail {

namespace {

void take_texts(const Json& facts, const char* name, std::vector<std::string>& texts) {
  const auto found = facts.find(name);
  if (!texts.empty() || found == facts.end() || !found->is_array()) return;
  for (const Json& text : *found)
    if (text.is_string()) texts.push_back(text.get<std::string>());
}

}  // namespace

void read_run_facts(const fs::path& directory, MergeOptions& options) {
  const auto text = read_text(directory / live::kFolder / live::kRunFile, 1 << 20);
  if (!text) return;
  const auto facts = parse_json(*text);
  if (!facts || !facts->is_object()) return;
  take_texts(*facts, "command", options.command);
  take_texts(*facts, "narrowed", options.narrowed);
  const auto status = facts->find("status");
  if (status != facts->end() && status->is_number_integer()) options.status = status->get<int>();
  const auto readings = facts->find("readings");
  if (!options.readings.empty() || readings == facts->end() || !readings->is_array()) return;
  for (const Json& one : *readings)
    if (one.is_array() && one.size() == 2 && one[0].is_number_unsigned() && one[1].is_number_integer())
      options.readings.push_back(
          {Tick(one[0].get<std::uint64_t>()), Nanoseconds(one[1].get<std::int64_t>())});
}

std::uint64_t losses_without_lane(const fs::path& directory) {
  const auto bytes = read_text(directory / live::kFolder / live::kLossFile, 1 << 12);
  std::uint64_t lost = 0;
  if (bytes && bytes->size() >= sizeof lost) std::memcpy(&lost, bytes->data(), sizeof lost);
  return lost;
}

}  // namespace detail

std::uint64_t lost_calls(const fs::path& directory) {
  std::uint64_t lost = detail::losses_without_lane(directory);
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(directory / live::kFolder, failed)) {
    if (entry.path().extension() != live::kSuffix) continue;
    if (const auto lane = LaneFile::open(entry.path())) lost += lane->header(live::HeaderWord::lost);
  }
  return lost;
}

}  // namespace weir::trace
