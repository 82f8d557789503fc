#pragma once

#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <zstd.h>

// The published measurements beside the source tree (see their README), for benchmarks that state results on
// real data.
namespace weir::bench {

inline std::optional<std::string> read_measured(const std::string& name) {
  const std::string path = std::string(WEIR_SOURCE_DIR) + "/../shared/data/" + name;
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return std::nullopt;
  std::string bytes;
  char buffer[65536];
  for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, file)) > 0;)
    bytes.append(buffer, got);
  std::fclose(file);
  if (!path.ends_with(".zst")) return bytes;
  const unsigned long long size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR) {
    std::string text;
    ZSTD_DCtx* context = ZSTD_createDCtx();
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    while (in.pos < in.size) {
      ZSTD_outBuffer out{buffer, sizeof buffer, 0};
      if (ZSTD_isError(ZSTD_decompressStream(context, &out, &in)) != 0) break;
      text.append(buffer, out.pos);
    }
    ZSTD_freeDCtx(context);
    return text;
  }
  std::string text(size, '\0');
  const std::size_t got = ZSTD_decompress(text.data(), text.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(got) != 0) return std::nullopt;
  return text;
}

inline std::vector<std::vector<std::string>> read_rows(const std::string& text) {
  std::vector<std::vector<std::string>> rows(1, std::vector<std::string>(1));
  for (const char c : text) {
    if (c == '\n')
      rows.emplace_back(1);
    else if (c == ',')
      rows.back().emplace_back();
    else
      rows.back().back() += c;
  }
  if (rows.back().size() == 1 && rows.back()[0].empty()) rows.pop_back();
  return rows;
}

struct Configuration {
  std::string key;  // freq_khz,threads,file_size_kb,record_size_kb
  std::vector<double> values;
};

// The rows of ssd_random_writers_runs.csv.zst: 150 throughputs each.
inline std::vector<Configuration> random_writers() {
  std::vector<Configuration> result;
  const auto text = read_measured("ssd_random_writers_runs.csv.zst");
  if (!text) return result;
  const auto rows = read_rows(*text);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    Configuration c;
    c.key = rows[i][0] + "," + rows[i][1] + "," + rows[i][2] + "," + rows[i][3];
    for (std::size_t j = 4; j < rows[i].size(); ++j)
      c.values.push_back(std::strtod(rows[i][j].c_str(), nullptr));
    result.push_back(std::move(c));
  }
  return result;
}

struct PublishedChoice {
  int runs = 0;
  int components = 0;
  std::string family;
};

// ssd_published_mixture_choice.csv.zst for mode random_writers, by configuration.
inline std::map<std::string, PublishedChoice> published_choices() {
  std::map<std::string, PublishedChoice> result;
  const auto text = read_measured("ssd_published_mixture_choice.csv.zst");
  if (!text) return result;
  const auto rows = read_rows(*text);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const auto& row = rows[i];
    if (row[4] != "random_writers") continue;
    result[row[0] + "," + row[1] + "," + row[2] + "," + row[3]] = {std::atoi(row[5].c_str()),
                                                                   std::atoi(row[6].c_str()), row[7]};
  }
  return result;
}

}  // namespace weir::bench
