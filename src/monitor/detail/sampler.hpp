#pragma once

#include <string>
#include <vector>

#include "monitor/detail/columns.hpp"
#include "monitor/detail/command_loop.hpp"
#include "monitor/detail/formats.hpp"
#include "monitor/detail/sources.hpp"
#include "monitor/detail/text_file.hpp"
#include "monitor/watch.hpp"

namespace weir::monitor::detail {

// Reads all sources once when asked, and keeps what changed. Used by one thread at a time.
class Sampler {
 public:
  Sampler(Sources sources, CommandLoop& commands);

  // One reading: every file, the newest output of every command. The first is the start, each later one ends
  // a slice.
  void read();
  // The same in steps.
  void read_files();
  void read_outputs();
  void end_reading();
  // Keeps the changes up to the last reading as the slice that began at `begin_ns`.
  void keep_slice(std::int64_t begin_ns);
  // What was seen, all but the times.
  Seen finish();

  // What reading one source costs is for benchmarks to know.
  std::size_t files() const { return files_.size(); }
  const SourceFile& file(std::size_t index) const { return files_[index].source; }
  void read_file(std::size_t index);

 private:
  struct File {
    SourceFile source;
    Parser parser;
    TextFile text;
    bool good_at_start = false;  // readable and undamaged: what is new later counts from 0
    bool read_once = false;
    int failure = 0;
    std::uint64_t damaged = 0;  // the most in one reading
  };
  struct Output {  // of a command
    std::string text;
    Parser parser = nullptr;
    bool good_at_start = false;
    std::string trouble;
    std::uint64_t damaged = 0;
  };
  void read_output(std::size_t index);

  std::vector<File> files_;
  std::vector<Output> outputs_;
  CommandLoop& commands_;
  Columns columns_;
  TextBuffer buffer_;
  bool started_ = false;
  std::vector<double> changes_;
  std::size_t kept_values_ = 0, unkept_slices_ = 0;
  Seen seen_;
};

}  // namespace weir::monitor::detail
