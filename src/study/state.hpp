#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "study/runs.hpp"

namespace weir::study {

// Where a study keeps what it has: state.json, and a document for each step that is done. Written whole after
// each step and each run, so that an interrupted study goes on where it was.
class State {
 public:
  // Makes the directory, or reads what is there. One that belongs to another command, or to the same one with
  // files that have changed since it was traced, or to another program that is at it right now, is an Error.
  static Result<State> open(const std::filesystem::path& directory, const std::vector<std::string>& command,
                            const std::string& asked_directory);

  Result<void> save() const;

  const std::filesystem::path& directory() const { return directory_; }
  std::filesystem::path file(const std::string& name) const { return directory_ / name; }
  bool has(const std::string& name) const;
  // A document that a step has left.
  Result<Json> document(const std::string& name) const;

  // Size and time of the command's words that are files, by their paths: the program and its input. Those
  // that the program writes do not belong to them. Empty in states of older versions.
  Json inputs = Json::object();
  // The study so far.
  bool traced = false;
  double traced_s = 0;
  std::string place;  // the program's directory; empty where it writes nothing
  double place_share = 1;
  std::vector<std::string> outside;
  std::uint64_t processes = 0, files = 0, written_bytes = 0;
  Json original;  // of the directory; null before it was kept
  std::vector<Run> runs;
  // Names that the first run has removed; none are known of studies that an older version began.
  std::optional<std::set<std::string>> removed;
  std::uint64_t compared_files = 0, compared_bytes = 0;
  // The directory of the run under way, with its burst buffer. What a study that was killed has left of it is
  // removed by open().
  std::filesystem::path workplace;
  static constexpr std::string_view kWorkplace = "weir-study-";  // how its name begins

 private:
  Result<void> read();

  std::filesystem::path directory_;
  std::vector<std::string> command_;
  std::string working_directory_, asked_directory_;
  UniqueFd lock_;
};

}  // namespace weir::study
