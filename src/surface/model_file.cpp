#include "surface/model_file.hpp"

#include <cmath>
#include <fstream>

#include <fmt/format.h>

#include "base/checksum.hpp"
#include "base/compress.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "surface/gp/gaussian.hpp"

namespace weir::surface {
namespace {

constexpr std::string_view kMagic = "weirmap\n";
constexpr std::uint32_t kVersion = 1;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 34;
constexpr int kKeptQuantiles = 99;

Json parts_json(const std::vector<stats::KeyPart>& parts) {
  Json json = Json::array();
  for (const stats::KeyPart& part : parts) json.push_back({part.column, part.value});
  return json;
}

std::vector<stats::KeyPart> parts_from(const Json& json) {
  std::vector<stats::KeyPart> parts;
  for (const Json& part : json)
    parts.push_back({part.at(0).get<std::string>(), part.at(1).get<std::string>()});
  return parts;
}

Json head_json(const SavedMap& map, const MethodOptions& method) {
  Json factors = Json::array();
  for (const Factor& factor : map.data.factors)
    factors.push_back({{"name", factor.name},
                       {"unit", factor.unit},
                       {"scale", name(factor.scale)},
                       {"levels", factor.levels},
                       {"values", factor.values}});
  Json settings = Json::array();
  if (const auto* process = dynamic_cast<const Gaussian*>(&map.model.predictor()))
    settings = process->settings().numbers();
  return {{"response", map.data.response},
          {"statistic", map.data.statistic.name()},
          {"response_given", map.data.response_given},
          {"factors", std::move(factors)},
          {"key", parts_json(map.data.key)},
          {"fixed", parts_json(map.data.fixed)},
          {"method", name(map.model.method())},
          {"interactions", method.interactions},
          {"degree", method.degree},
          {"terms", method.terms},
          {"log_value", map.model.scaling().log_value()},
          {"geometric_in_log", map.model.scaling().geometric_in_log()},
          {"settings", std::move(settings)},
          {"relative_residuals", map.calibration.relative}};
}

void put_numbers(ByteWriter& out, const double* from, std::size_t count) {
  out.varint(count);
  for (std::size_t i = 0; i < count; ++i) out.f64(from[i]);
}

Result<std::vector<double>> take_numbers(ByteReader& in) {
  const auto count = in.count(sizeof(double));
  if (!count) return count.error();
  std::vector<double> numbers;
  numbers.reserve(*count);
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto number = in.f64();
    if (!number) return number.error();
    if (!std::isfinite(*number)) return Error{Errc::bad_data, "holds a number that is not finite"};
    numbers.push_back(*number);
  }
  return numbers;
}

void write_map(ByteWriter& out, const SavedMap& map) {
  out.string(head_json(map, map.model.options()).dump());
  put_numbers(out, map.data.at.data(), static_cast<std::size_t>(map.data.at.size()));
  put_numbers(out, map.data.value.data(), static_cast<std::size_t>(map.data.value.size()));
  put_numbers(out, map.calibration.residuals.data(), map.calibration.residuals.size());
  for (const std::vector<double>& runs : map.data.runs) {
    // As large for 40 runs as for 10 000, and enough for distributions.
    const auto kept = runs.size() > 1 ? middle_quantiles(runs, kKeptQuantiles) : runs;
    put_numbers(out, kept.data(), kept.size());
  }
}

Result<MapData> data_from(const Json& head, ByteReader& in, Calibration& calibration) {
  MapData data;
  data.response = head.at("response").get<std::string>();
  const auto statistic = parse_statistic(head.at("statistic").get<std::string>());
  if (!statistic) return statistic.error();
  data.statistic = *statistic;
  data.response_given = head.at("response_given").get<bool>();
  data.key = parts_from(head.at("key"));
  data.fixed = parts_from(head.at("fixed"));
  for (const Json& one : head.at("factors")) {
    const auto scale = parse_scale(one.at("scale").get<std::string>());
    if (!scale) return scale.error();
    data.factors.push_back({.name = one.at("name").get<std::string>(),
                            .unit = one.at("unit").get<double>(),
                            .scale = *scale,
                            .levels = one.at("levels").get<std::vector<std::string>>(),
                            .values = one.at("values").get<std::vector<double>>()});
  }
  const auto at = take_numbers(in);
  if (!at) return at.error();
  const auto value = take_numbers(in);
  if (!value) return value.error();
  const auto residuals = take_numbers(in);
  if (!residuals) return residuals.error();
  const auto n = static_cast<Eigen::Index>(value->size());
  const auto m = static_cast<Eigen::Index>(data.factors.size());
  if (n == 0 || m == 0 || std::cmp_not_equal(at->size(), n * m))
    return Error{Errc::bad_data, "has another number of values than configurations"};
  data.at = Eigen::Map<const Eigen::MatrixXd>(at->data(), n, m);
  data.value = Eigen::Map<const Eigen::VectorXd>(value->data(), n);
  calibration.residuals = *residuals;
  for (Eigen::Index i = 0; i < n; ++i) {
    auto runs = take_numbers(in);
    if (!runs) return runs.error();
    data.runs.push_back(*std::move(runs));
  }
  data.labels.resize(static_cast<std::size_t>(n));
  return data;
}

Result<SavedMap> read_map(ByteReader& in) {
  const auto text = in.string();
  if (!text) return text.error();
  const auto head = parse_json(*text);
  if (!head) return head.error();
  Calibration calibration;
  calibration.relative = head->at("relative_residuals").get<bool>();
  auto data = data_from(*head, in, calibration);
  if (!data) return data.error();
  const auto method = parse_method(head->at("method").get<std::string>());
  if (!method) return method.error();
  ModelOptions options;
  options.log_value = head->at("log_value").get<bool>();
  options.geometric_in_log = head->at("geometric_in_log").get<bool>();
  options.method.interactions = head->at("interactions").get<bool>();
  options.method.degree = head->at("degree").get<int>();
  options.method.terms = head->at("terms").get<int>();
  options.method.settings = head->at("settings").get<std::vector<double>>();
  auto model = Model::fit(*data, *method, options);
  if (!model) return model.error();
  return SavedMap{*std::move(data), *std::move(model), std::move(calibration)};
}

}  // namespace

std::vector<std::byte> write_model(const ModelFile& file) {
  ByteWriter body;
  body.string(file.source);
  body.string(file.program);
  body.varint(file.maps.size());
  for (const SavedMap& map : file.maps) write_map(body, map);
  ByteWriter out;
  out.bytes(as_bytes(kMagic));
  out.u32(kVersion);
  put_packed(out, body.view());
  out.u64(checksum(out.view()));
  return std::move(out).take();
}

Result<ModelFile> parse_model(ByteSpan bytes) {
  ByteReader in(bytes);
  const auto magic = in.bytes(kMagic.size());
  if (!magic || as_text(*magic) != kMagic) return Error{Errc::bad_data, "is no model of weir map fit"};
  const auto version = in.u32();
  if (!version) return version.error();
  if (*version != kVersion)
    return Error{Errc::unsupported,
                 fmt::format("is of version {}; this program reads version {}", *version, kVersion)};
  if (bytes.size() < kMagic.size() + 12) return Error{Errc::bad_data, "is truncated"};
  ByteReader tail(bytes.last(8));
  if (checksum(bytes.first(bytes.size() - 8)) != *tail.u64())
    return Error{Errc::bad_data, "is damaged or truncated: its checksum does not fit"};
  const auto body = take_packed(in, kMostBytes);
  if (!body) return body.error();
  ByteReader inner(*body);
  ModelFile file;
  const auto source = inner.string();
  if (!source) return source.error();
  file.source = *source;
  const auto program = inner.string();
  if (!program) return program.error();
  file.program = *program;
  const auto count = inner.count(1);
  if (!count) return count.error();
  try {  // a header that is JSON of another shape than written; the checksum makes that all but impossible
    for (std::uint64_t i = 0; i < *count; ++i) {
      auto map = read_map(inner);
      if (!map) return map.error();
      file.maps.push_back(*std::move(map));
    }
  } catch (const Json::exception& wrong) {
    return Error{Errc::bad_data, fmt::format("has a header that cannot be read: {}", wrong.what())};
  }
  if (file.maps.empty()) return Error{Errc::bad_data, "holds no map"};
  return file;
}

Result<void> save_model(const std::string& path, const ModelFile& file) {
  return replace_file(path, write_model(file));
}

Result<ModelFile> load_model(const std::string& path) {
  const auto bytes = read_text(path);
  if (!bytes) return bytes.error();
  auto file = parse_model(as_bytes(*bytes));
  if (!file) return file.error().in(path);
  return file;
}

bool is_model(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string start(kMagic.size(), '\0');
  return in.read(start.data(), static_cast<std::streamsize>(start.size())) && start == kMagic;
}

}  // namespace weir::surface
