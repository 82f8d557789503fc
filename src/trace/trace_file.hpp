#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "grammar/cursor.hpp"
#include "grammar/merge.hpp"
#include "trace/columns.hpp"
#include "trace/communicator.hpp"
#include "trace/detail/block.hpp"
#include "trace/format.hpp"
#include "trace/own_signatures.hpp"
#include "trace/process_info.hpp"
#include "trace/record.hpp"
#include "trace/replay.hpp"
#include "trace/tables.hpp"
#include "trace/timing/mode.hpp"

namespace weir::trace {

struct OpenOptions {
  bool salvage = false;  // a damaged file gives what is readable of it
};

// A merged trace. Opening reads the tables; records come from a RecordReader, block by block.
class TraceFile {
 public:
  // `path` is the directory of a run or the file itself.
  static Result<TraceFile> open(const std::filesystem::path& path, const OpenOptions& options = {});

  const std::filesystem::path& path() const { return path_; }
  std::uint32_t version() const { return version_; }
  std::uint64_t file_bytes() const { return file_bytes_; }
  const Json& facts() const { return *facts_; }
  TimingMode timing() const { return timing_; }
  const Tables& tables() const { return *tables_; }
  // Per class the signatures that its processes have; version 1 has one class of all.
  const Classes& classes() const { return classes_; }
  std::span<const Communicator> communicators() const { return communicators_; }
  std::span<const ProcessInfo> processes() const { return processes_.processes; }
  std::span<const Piece> pieces() const { return processes_.pieces; }
  const grammar::MergedGrammars& grammars() const { return grammars_; }
  // Grammars that differ once their numbers are taken for the signatures behind them: two classes may share
  // one grammar, and are still two patterns.
  std::size_t pattern_count() const;
  std::uint64_t records() const;
  std::uint64_t timing_bytes() const { return timing_bytes_; }
  // Bytes per section, by its four letters.
  const std::map<std::string, std::uint64_t>& section_bytes() const { return section_bytes_; }
  // What was wrong with the file, when it was opened to be salvaged.
  const std::vector<std::string>& damage() const { return damage_; }

  // The payload of a piece, checked. Errors speak of its records: "lie beyond the end of the file".
  Result<std::vector<std::byte>> read_piece(std::uint32_t piece) const;
  // The signatures as a process has them. Readers of the same process share them. Any thread.
  std::shared_ptr<const OwnSignatures> signatures_of(std::size_t process) const;

 private:
  // Made when they are first asked for.
  struct SignatureCache {
    std::mutex lock;
    std::vector<std::weak_ptr<const OwnSignatures>> of_process;
    std::vector<std::shared_ptr<const OwnSignatures>> of_class;  // that are the same for all its processes
  };

  Result<void> read_sections(bool salvage);
  Result<void> take_section(Section type, ByteSpan payload);
  Result<void> take_facts(ByteSpan payload);
  Result<void> take_processes(ByteReader& in);
  Result<void> check_tables(bool salvage) const;
  void weigh_pieces(std::uint64_t end);
  Result<std::vector<std::byte>> read(std::uint64_t at, std::uint64_t bytes) const;

  std::filesystem::path path_;
  UniqueFd fd_;
  std::uint32_t version_ = kFormatVersion;
  std::uint64_t file_bytes_ = 0;
  std::uint64_t pieces_at_ = 0;
  std::uint64_t timing_bytes_ = 0;
  std::shared_ptr<const Json> facts_;
  TimingMode timing_ = TimingMode::off;
  std::shared_ptr<Tables> tables_;  // stays where it is when the file is moved: readers point to it
  Classes classes_;
  std::vector<Communicator> communicators_;
  grammar::MergedGrammars grammars_;
  ProcessTable processes_;
  std::shared_ptr<SignatureCache> signatures_ = std::make_shared<SignatureCache>();
  std::map<std::string, std::uint64_t> section_bytes_;
  std::vector<std::string> damage_;
};

// The records of one stream in their order. Memory is that of one block, however long the trace is. The file
// must outlive it.
class RecordReader {
 public:
  RecordReader(const TraceFile& trace, std::size_t process, std::size_t stream);
  RecordReader(RecordReader&&) noexcept;
  RecordReader& operator=(RecordReader&&) noexcept;
  ~RecordReader();

  // The next record, valid until the one after it. False at the end, or when something is damaged: see
  // error().
  bool next(Record& record);
  const std::optional<Error>& error() const { return error_; }
  // The working directory when the last record was made.
  const std::string& directory() const { return replay_.directory(); }
  // Where the last record left the position from which offsets of that handle are counted.
  std::int64_t position(std::uint32_t handle) const { return replay_.position(handle); }
  // How a handle was opened that came from elsewhere, as long as no other block of the stream has begun.
  std::uint32_t flags(std::uint32_t handle) const { return replay_.flags(handle); }
  // Goes on behind the damaged block; false when there is nothing more.
  bool skip_damage();

  // Goes to the first block that may hold a record ending at or after `time`: earlier ones hold none.
  void seek_time(std::int64_t time_ns);
  // Goes to a record; the blocks before it are not read.
  void seek_record(std::uint64_t index);

 private:
  bool load();
  bool fail(Error error);
  Result<void> load_block(const BlockInfo& info);
  Result<void> load_first_version(const BlockInfo& info);
  Result<void> load_pieces(const BlockInfo& info);
  void add_threads(const BlockInfo& info);
  Result<void> load_columns(ByteSpan columns, std::uint64_t records);
  Result<void> load_symbols(const BlockInfo& info);
  Result<void> load_times(ByteSpan timing);
  const std::int64_t* values_of(const Signature& signature, std::uint32_t symbol);

  const TraceFile* trace_;
  const ProcessInfo* process_;
  const StreamInfo* stream_;
  std::shared_ptr<const OwnSignatures> signatures_;
  Replay replay_;
  std::size_t block_ = 0;  // the next one to load
  std::size_t part_ = 0;
  std::uint64_t part_begin_ = 0;
  std::unique_ptr<grammar::Grammar> grammar_;
  std::unique_ptr<grammar::Cursor> cursor_;
  std::uint64_t first_record_ = 0;  // of the block
  std::vector<Event> events_;
  std::optional<ColumnReader> columns_;
  detail::OwnNumbers descriptors_;
  std::array<std::int64_t, live::kMostColumns> values_{};
  std::vector<std::uint32_t> symbols_;
  std::vector<std::int64_t> starts_;
  std::vector<std::uint64_t> durations_;
  std::size_t at_ = 0;     // within the block
  std::size_t event_ = 0;  // the next one to apply
  std::optional<Error> error_;
};

}  // namespace weir::trace
