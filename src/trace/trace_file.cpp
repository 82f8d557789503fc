#include "trace/trace_file.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum.hpp"
#include "base/compress.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "trace/live.hpp"
#include "trace/tables.hpp"

namespace weir::trace {
namespace {

namespace fs = std::filesystem;

std::string letters(std::uint32_t section) {
  std::string name(4, ' ');
  std::memcpy(name.data(), &section, 4);
  for (char& c : name)
    if (c < ' ' || c > '~') c = '?';
  return name;
}

// Values that are nested deeper than anything Weir writes: to copy or print them takes stack for every level.
bool nests_too_deep(std::string_view json) {
  constexpr int kDeepest = 32;
  int depth = 0;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i] == '"') {
      for (++i; i < json.size() && json[i] != '"'; ++i)
        if (json[i] == '\\') ++i;
    } else if (json[i] == '[' || json[i] == '{') {
      if (++depth > kDeepest) return true;
    } else if (json[i] == ']' || json[i] == '}') {
      --depth;
    }
  }
  return false;
}

Result<fs::path> find_file(const fs::path& path) {
  std::error_code failed;
  if (!fs::is_directory(path, failed)) return path;
  const fs::path file = path / kFileName;
  if (fs::exists(file, failed)) return file;
  if (fs::exists(path / live::kFolder, failed))
    return Error{Errc::unsupported, "is not merged yet: the run was cut off"}
        .in(path.string())
        .with_remedy(fmt::format("run 'weir merge {}' first", path.string()));
  return Error{Errc::not_found, fmt::format("holds no trace: there is no {}", kFileName)}.in(path.string());
}

}  // namespace

Result<TraceFile> TraceFile::open(const fs::path& path, const OpenOptions& options) {
  const auto file = find_file(path);
  if (!file) return file.error();
  auto fd = open_file(*file, O_RDONLY);
  if (!fd) return fd.error();
  struct stat seen {};
  if (fstat(fd->get(), &seen) != 0) return Error::from_errno(errno, "cannot look at it").in(file->string());
  TraceFile trace;
  trace.path_ = *file;
  trace.fd_ = std::move(*fd);
  trace.file_bytes_ = static_cast<std::uint64_t>(seen.st_size);
  trace.facts_ = std::make_shared<const Json>(Json::object());
  trace.tables_ = std::make_shared<Tables>();
  if (const auto read = trace.read_sections(options.salvage); !read) return read.error().in(file->string());
  return trace;
}

Result<std::vector<std::byte>> TraceFile::read(std::uint64_t at, std::uint64_t bytes) const {
  if (at > file_bytes_ || bytes > file_bytes_ - at)
    return Error{Errc::bad_data, fmt::format("lie beyond the end of the file, byte {}", file_bytes_)};
  std::vector<std::byte> out(bytes);
  std::size_t got = 0;
  while (got < bytes) {
    const ssize_t piece = pread(fd_.get(), out.data() + got, bytes - got, static_cast<off_t>(at + got));
    if (piece < 0 && errno == EINTR) continue;
    if (piece < 0) return Error::from_errno(errno, "cannot read");
    if (piece == 0) return Error{Errc::bad_data, "ends while it is read"};
    got += static_cast<std::size_t>(piece);
  }
  return out;
}

Result<void> TraceFile::read_sections(bool salvage) {
  const char* const remedy = "see what can be saved with --salvage";
  const auto head = read(0, kFileHeaderBytes);
  if (!head) return Error{Errc::bad_data, "is too short to be a trace"};
  ByteReader header(*head);
  if (*header.u64() != kFileMagic) return Error{Errc::bad_data, "is not a trace of Weir"};
  if (const std::uint32_t version = *header.u32(); version != kFormatVersion)
    return Error{
        Errc::unsupported,
        fmt::format("has version {} of the trace format; this Weir reads up to {}", version, kFormatVersion)}
        .with_remedy("read it with the weir that wrote it, or a newer one");
  if (*header.u32() != 0 && !salvage)
    return Error{Errc::bad_data, "is damaged: its header is wrong"}.with_remedy(remedy);

  const auto footer = file_bytes_ >= kFileHeaderBytes + kFooterBytes
                          ? read(file_bytes_ - kFooterBytes, kFooterBytes)
                          : Result<std::vector<std::byte>>(*head);
  bool whole = false;
  if (footer) {
    ByteReader in(*footer);
    const std::uint64_t length = *in.u64();
    whole = *in.u64() == kFooterMagic && length == file_bytes_ - kFooterBytes;
  }
  if (!whole) {
    const Error cut{Errc::bad_data, "is cut short: its last bytes are missing"};
    if (!salvage) return cut.with_remedy(remedy);
    damage_.push_back(cut.message());
  }

  std::uint64_t at = kFileHeaderBytes;
  const std::uint64_t end = whole ? file_bytes_ - kFooterBytes : file_bytes_;
  while (at + kSectionHeaderBytes <= end && blocks_at_ == 0) {
    const auto bytes = read(at, kSectionHeaderBytes);
    if (!bytes) return bytes.error();
    ByteReader in(*bytes);
    const std::uint32_t type = *in.u32();
    const std::uint32_t reserved = *in.u32();
    const std::uint64_t length = *in.u64();
    const std::uint64_t sum = *in.u64();
    if (type == static_cast<std::uint32_t>(Section::block)) {
      blocks_at_ = at;
      break;
    }
    const auto payload = length <= end - at - kSectionHeaderBytes
                             ? read(at + kSectionHeaderBytes, length)
                             : Result<std::vector<std::byte>>(Error{Errc::bad_data, "goes beyond the file"});
    // A table that is damaged makes all that follows unreadable: there is nothing to salvage without it.
    if (!payload) return payload.error().in(fmt::format("section {}", letters(type)));
    const auto damaged = [&](const char* why) {
      return Error{Errc::bad_data, why}.in(fmt::format("section {}", letters(type)));
    };
    if (checksum(*payload) != sum || reserved != 0) {
      const Error bad = damaged("is damaged: its checksum is wrong");
      // What the run was called is all that is lost with the facts.
      if (!salvage || type != static_cast<std::uint32_t>(Section::facts)) return bad;
      damage_.push_back(bad.text());
      at += kSectionHeaderBytes + length;
      continue;
    }
    // Tables were checked against those before them: none may be exchanged afterwards.
    if (section_bytes_.contains(letters(type))) return damaged("is there twice");
    section_bytes_[letters(type)] += kSectionHeaderBytes + length;
    at += kSectionHeaderBytes + length;

    ByteReader body(*payload);
    Result<void> taken;
    switch (static_cast<Section>(type)) {
      case Section::facts: {
        auto facts = nests_too_deep(as_text(*payload))
                         ? Result<Json>(Error{Errc::bad_data, "is nested too deep"})
                         : parse_json(as_text(*payload));
        if (!facts) {
          taken = facts.error();
          break;
        }
        if (facts->is_object()) {
          const auto timing = facts->find("timing");
          if (timing != facts->end() && timing->is_string())
            timing_ = find_timing_mode(timing->get<std::string>()).value_or(TimingMode::off);
          facts_ = std::make_shared<const Json>(std::move(*facts));
        }
        break;
      }
      case Section::functions: {
        auto functions = take_functions(body);
        if (functions)
          tables_->functions = std::move(*functions);
        else
          taken = functions.error();
        break;
      }
      case Section::texts:
      case Section::names: {
        auto strings = take_strings(body);
        if (!strings) {
          taken = strings.error();
        } else if (static_cast<Section>(type) == Section::texts) {
          tables_->texts = std::move(*strings);
        } else {
          tables_->templates = std::move(*strings);
          taken = count_template_numbers(*tables_);
        }
        break;
      }
      case Section::signatures:
        taken = take_signatures(body, *tables_);
        break;
      case Section::grammars: {
        const auto plain = take_packed(body, kMostTableBytes);
        if (!plain) {
          taken = plain.error();
          break;
        }
        ByteReader inner(*plain);
        auto grammars = grammar::MergedGrammars::parse(inner);
        if (grammars)
          grammars_ = std::move(*grammars);
        else
          taken = grammars.error();
        break;
      }
      case Section::processes: {
        const auto plain = take_packed(body, kMostTableBytes);
        if (!plain) {
          taken = plain.error();
          break;
        }
        ByteReader inner(*plain);
        auto processes = take_processes(inner);
        if (processes)
          processes_ = std::move(*processes);
        else
          taken = processes.error();
        break;
      }
      default:
        break;  // a section of a newer minor version: its reader knows it
    }
    if (!taken) return taken.error().in(fmt::format("section {}", letters(type)));
  }
  for (const Section needed : {Section::facts, Section::functions, Section::texts, Section::names,
                               Section::signatures, Section::grammars, Section::processes}) {
    const std::string name = letters(static_cast<std::uint32_t>(needed));
    if (!salvage && !section_bytes_.contains(name))
      return Error{Errc::bad_data, fmt::format("is damaged: it has no section {}", name)}.with_remedy(remedy);
  }
  if (salvage && timing_ == TimingMode::off && timing_bytes() > 0) timing_ = TimingMode::lossless;
  if (blocks_at_ == 0) blocks_at_ = at;
  if (end > at) section_bytes_["BLOK"] += end - at;
  for (const ProcessInfo& process : processes_)
    for (const StreamInfo& stream : process.streams)
      if (stream.first_grammar > grammars_.size() ||
          stream.part_records.size() > grammars_.size() - stream.first_grammar)
        return Error{Errc::bad_data, "has a stream without its grammar"};
  return {};
}

std::uint64_t TraceFile::records() const {
  std::uint64_t sum = 0;
  for (const ProcessInfo& process : processes_) sum += process.records();
  return sum;
}

std::uint64_t TraceFile::timing_bytes() const {
  std::uint64_t sum = 0;
  for (const ProcessInfo& process : processes_)
    for (const StreamInfo& stream : process.streams)
      for (const BlockInfo& block : stream.blocks) sum += block.timing_bytes;
  return sum;
}

Result<std::vector<std::byte>> TraceFile::read_block(const BlockInfo& block) const {
  std::uint64_t at = 0;
  const Error bad{Errc::bad_data, "are damaged: a checksum is wrong"};
  if (__builtin_add_overflow(blocks_at_, block.offset, &at)) return bad;
  const auto head = read(at, kSectionHeaderBytes);
  if (!head) return head.error();
  ByteReader in(*head);
  const std::uint32_t type = *in.u32();
  const std::uint32_t reserved = *in.u32();
  const std::uint64_t length = *in.u64();
  const std::uint64_t sum = *in.u64();
  if (type != static_cast<std::uint32_t>(Section::block) || reserved != 0 || length != block.bytes)
    return bad;
  auto bytes = read(at + kSectionHeaderBytes, length);
  if (!bytes) return bytes.error();
  if (checksum(*bytes) != sum) return bad;
  return bytes;
}

}  // namespace weir::trace
