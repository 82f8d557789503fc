#pragma once

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <zstd.h>

// The published measurements beside the source tree, for the tests of this room. Empty results where they are
// absent.
namespace weir::stats::measured {

inline constexpr const char* kAbsent = "the measurements in ../shared/data are not here";

inline std::string text(const std::string& name) {
  const std::string path = std::string(WEIR_SOURCE_DIR) + "/../shared/data/" + name;
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return {};
  std::string bytes;
  std::vector<char> buffer(1 << 16);
  for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), file)) > 0;)
    bytes.append(buffer.data(), got);
  static_cast<void>(std::fclose(file));
  if (!path.ends_with(".zst")) return bytes;
  std::string plain;
  ZSTD_DCtx* context = ZSTD_createDCtx();
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  while (in.pos < in.size) {
    ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
    if (ZSTD_isError(ZSTD_decompressStream(context, &out, &in)) != 0) break;
    plain.append(buffer.data(), out.pos);
  }
  ZSTD_freeDCtx(context);
  return plain;
}

// Lines without the header, cut at commas.
inline std::vector<std::vector<std::string>> rows(const std::string& name) {
  std::vector<std::vector<std::string>> result;
  const std::string all = text(name);
  std::size_t begin = all.find('\n');
  while (begin != std::string::npos && begin + 1 < all.size()) {
    const std::size_t end = all.find('\n', begin + 1);
    std::vector<std::string> row(1);
    for (std::size_t i = begin + 1; i < std::min(end, all.size()); ++i) {
      if (all[i] == ',')
        row.emplace_back();
      else
        row.back() += all[i];
    }
    result.push_back(std::move(row));
    begin = end;
  }
  return result;
}

inline std::vector<double> column(const std::string& name, std::size_t index) {
  std::vector<double> values;
  for (const auto& row : rows(name)) values.push_back(std::strtod(row.at(index).c_str(), nullptr));
  return values;
}

struct Configuration {
  std::string key;  // freq_khz,threads,file_size_kb,record_size_kb
  std::vector<double> values;
};

// ssd_random_writers_runs.csv.zst: 150 throughputs a row.
inline std::vector<Configuration> random_writers() {
  std::vector<Configuration> result;
  for (const auto& row : rows("ssd_random_writers_runs.csv.zst")) {
    Configuration c{row[0] + "," + row[1] + "," + row[2] + "," + row[3], {}};
    for (std::size_t i = 4; i < row.size(); ++i) c.values.push_back(std::strtod(row[i].c_str(), nullptr));
    result.push_back(std::move(c));
  }
  return result;
}

struct PublishedChoice {
  int runs = 0;
  int components = 0;
};

// ssd_published_mixture_choice.csv.zst for random_writers, by configuration.
inline std::map<std::string, PublishedChoice> published_choices() {
  std::map<std::string, PublishedChoice> result;
  for (const auto& row : rows("ssd_published_mixture_choice.csv.zst"))
    if (row[4] == "random_writers")
      result[row[0] + "," + row[1] + "," + row[2] + "," + row[3]] = {std::atoi(row[5].c_str()),
                                                                     std::atoi(row[6].c_str())};
  return result;
}

}  // namespace weir::stats::measured
