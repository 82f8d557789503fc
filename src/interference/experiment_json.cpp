#include <algorithm>
#include <string>

#include "base/json.hpp"
#include "interference/experiment.hpp"

namespace weir::interference {
namespace {

Json setting_json(const Setting& setting) {
  return {{"chunk_bytes", setting.chunk.count},       {"signal_chunk_bytes", setting.signal_chunk.count},
          {"processes", setting.processes},           {"signal_processes", setting.signal_processes},
          {"layout", workload::name(setting.layout)}, {"signal_duty", setting.signal_duty}};
}

Setting setting_from(const Json& json) {
  Setting setting;
  setting.chunk = Bytes(json.at("chunk_bytes").get<std::uint64_t>());
  setting.signal_chunk = Bytes(json.at("signal_chunk_bytes").get<std::uint64_t>());
  setting.processes = json.at("processes").get<std::uint32_t>();
  setting.signal_processes = json.at("signal_processes").get<std::uint32_t>();
  setting.layout = json.at("layout").get<std::string>() == workload::name(workload::Layout::shared)
                       ? workload::Layout::shared
                       : workload::Layout::per_worker;
  setting.signal_duty = json.at("signal_duty").get<double>();
  return setting;
}

Result<Experiment> read(const Json& json) {
  Experiment experiment;
  experiment.name = json.at("name").get<std::string>();
  for (const Json& each : json.at("loads")) {
    auto load = load_from_json(each);
    if (!load) return load.error();
    experiment.loads.push_back(*std::move(load));
  }
  for (const Json& pair : json.at("pairs")) {
    experiment.pairs.emplace_back(pair.at(0).get<std::size_t>(), pair.at(1).get<std::size_t>());
    if (std::max(experiment.pairs.back().first, experiment.pairs.back().second) >= experiment.loads.size())
      return Error{Errc::bad_data, "a pair names a load that is not there"};
  }
  for (const Json& each : json.at("settings")) experiment.settings.push_back(setting_from(each));
  experiment.period = Nanoseconds(json.at("period_ns").get<std::int64_t>());
  experiment.time = Nanoseconds(json.at("time_ns").get<std::int64_t>());
  if (const Json& size = json.at("size_bytes"); !size.is_null())
    experiment.size = Bytes(size.get<std::uint64_t>());
  experiment.runs = json.at("runs").get<std::uint32_t>();
  experiment.seed = json.at("seed").get<std::uint64_t>();
  for (const auto& [key, size] : json.at("sizes").items())
    experiment.sizes[key] = Bytes(size.get<std::uint64_t>());
  return experiment;
}

}  // namespace

Json to_json(const Experiment& experiment) {
  Json json = {{"name", experiment.name},
               {"period_ns", experiment.period.count},
               {"time_ns", experiment.time.count},
               {"size_bytes", experiment.size ? Json(experiment.size->count) : Json(nullptr)},
               {"runs", experiment.runs},
               {"seed", experiment.seed}};
  for (const char* const list : {"loads", "pairs", "settings"}) json[list] = Json::array();
  for (const Load& load : experiment.loads) json["loads"].push_back(to_json(load));
  for (const auto& [probe, signal] : experiment.pairs) json["pairs"].push_back({probe, signal});
  for (const Setting& setting : experiment.settings) json["settings"].push_back(setting_json(setting));
  json["sizes"] = Json::object();
  for (const auto& [key, size] : experiment.sizes) json["sizes"][key] = size.count;
  return json;
}

Result<Experiment> experiment_from_json(const Json& json) {
  try {
    return read(json);
  } catch (const Json::exception& fault) {
    return Error{Errc::bad_data, fault.what()}.in("the campaign's experiment");
  }
}

}  // namespace weir::interference
