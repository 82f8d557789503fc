#include "trace/trace_file.hpp"

#include <cerrno>
#include <cstring>
#include <numeric>
#include <set>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum.hpp"
#include "base/compress.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "trace/detail/table_group.hpp"
#include "trace/detail/version1.hpp"
#include "trace/live.hpp"
#include "trace/tables.hpp"

namespace weir::trace {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRemedy = "see what can be saved with --salvage";

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

// The tables of a section: itself, or those of a group.
struct TablesIn {
  std::vector<std::byte> plain;
  std::vector<detail::GroupedTable> list;

  // Of the bytes of the section what belongs to a table, by how long it is when it is not packed.
  std::uint64_t share(std::size_t table, std::uint64_t bytes) const {
    const double part = static_cast<double>(list[table].payload.size()) / static_cast<double>(plain.size());
    return static_cast<std::uint64_t>(part * static_cast<double>(bytes));
  }
};

Result<TablesIn> tables_in(Section type, ByteSpan payload, std::uint32_t version) {
  TablesIn made;
  if (!detail::is_group(type) || version < detail::kGroupedVersion) {
    made.list.push_back({type, payload});
    return made;
  }
  auto plain = detail::take_group(payload);
  if (!plain) return plain.error();
  made.plain = std::move(*plain);
  auto list = detail::tables_of_group(made.plain);
  if (!list) return list.error();
  made.list = std::move(*list);
  return made;
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
  const auto head = read(0, kFileHeaderBytes);
  if (!head) return Error{Errc::bad_data, "is too short to be a trace"};
  ByteReader header(*head);
  if (*header.u64() != kFileMagic) return Error{Errc::bad_data, "is not a trace of Weir"};
  version_ = *header.u32();
  if (version_ < 1 || version_ > detail::kGroupedVersion)
    return Error{Errc::unsupported,
                 fmt::format("has version {} of the trace format; this Weir reads up to {}", version_,
                             detail::kGroupedVersion)}
        .with_remedy("read it with the weir that wrote it, or a newer one");
  if (*header.u32() != 0 && !salvage)
    return Error{Errc::bad_data, "is damaged: its header is wrong"}.with_remedy(kRemedy);

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
    if (!salvage) return cut.with_remedy(kRemedy);
    damage_.push_back(cut.message());
  }

  std::uint64_t at = kFileHeaderBytes;
  const std::uint64_t end = whole ? file_bytes_ - kFooterBytes : file_bytes_;
  while (at + kSectionHeaderBytes <= end) {
    const auto bytes = read(at, kSectionHeaderBytes);
    if (!bytes) return bytes.error();
    ByteReader in(*bytes);
    const std::uint32_t type = *in.u32();
    const std::uint32_t reserved = *in.u32();
    const std::uint64_t length = *in.u64();
    const std::uint64_t sum = *in.u64();
    if (is_piece(static_cast<Section>(type))) break;
    const auto payload = length <= end - at - kSectionHeaderBytes
                             ? read(at + kSectionHeaderBytes, length)
                             : Result<std::vector<std::byte>>(Error{Errc::bad_data, "goes beyond the file"});
    // A table that is damaged makes all that follows unreadable: there is nothing to salvage without it.
    if (!payload) return payload.error().in(fmt::format("section {}", letters(type)));
    const auto damaged = [&](const char* why) {
      return Error{Errc::bad_data, why}.in(fmt::format("section {}", letters(type)));
    };
    at += kSectionHeaderBytes + length;
    if (checksum(*payload) != sum || reserved != 0) {
      const Error bad = damaged("is damaged: its checksum is wrong");
      // What the run was called is all that is lost with the facts.
      if (!salvage || type != static_cast<std::uint32_t>(Section::facts)) return bad;
      damage_.push_back(bad.text());
      continue;
    }
    const auto tables = tables_in(static_cast<Section>(type), *payload, version_);
    if (!tables) return tables.error().in(fmt::format("section {}", letters(type)));
    std::uint64_t bytes_left = kSectionHeaderBytes + length;
    for (std::size_t i = 0; i < tables->list.size(); ++i) {
      const detail::GroupedTable& table = tables->list[i];
      const std::string name = letters(static_cast<std::uint32_t>(table.type));
      // Tables were checked against those before them: none may be exchanged afterwards.
      if (section_bytes_.contains(name)) return damaged("is there twice");
      const bool last = i + 1 == tables->list.size();
      const std::uint64_t share = last ? bytes_left : tables->share(i, kSectionHeaderBytes + length);
      section_bytes_[name] = share;
      bytes_left -= share;
      if (const auto taken = take_section(table.type, table.payload); !taken)
        return taken.error().in(fmt::format("section {}", name));
    }
  }
  pieces_at_ = at;
  weigh_pieces(end);
  if (salvage && timing_ == TimingMode::off && timing_bytes_ > 0) timing_ = TimingMode::lossless;
  signatures_->of_process.resize(processes_.processes.size());
  signatures_->of_class.resize(classes_.size());
  return check_tables(salvage);
}

Result<void> TraceFile::take_section(Section type, ByteSpan payload) {
  ByteReader body(payload);
  const auto keep = [](auto& place, auto&& taken) -> Result<void> {
    if (!taken) return taken.error();
    place = std::move(*taken);
    return {};
  };
  switch (type) {
    case Section::facts:
      return take_facts(payload);
    case Section::functions:
      return keep(tables_->functions, take_functions(body));
    case Section::texts:
      return keep(tables_->texts, take_strings(body));
    case Section::names:
      if (const auto taken = keep(tables_->templates, take_strings(body)); !taken) return taken.error();
      return count_template_numbers(*tables_);
    case Section::signatures:
      if (const auto taken = take_signatures(body, *tables_, version_); !taken) return taken.error();
      if (version_ == 1) {
        classes_.resize(1);
        classes_[0].resize(tables_->signatures.size());
        std::iota(classes_[0].begin(), classes_[0].end(), 0U);
      }
      return {};
    case Section::classes:
      if (version_ == 1) return {};
      return keep(classes_, take_classes(body, tables_->signatures.size()));
    case Section::grammars: {
      const auto plain = take_packed(body, kMostTableBytes);
      if (!plain) return plain.error();
      ByteReader inner(*plain);
      return keep(grammars_, grammar::MergedGrammars::parse(inner));
    }
    case Section::communicators:
      if (version_ == 1) return {};
      return keep(communicators_, take_communicators(body));
    case Section::processes:
      return take_processes(body);
    default:
      return {};  // of a newer minor version: its reader knows it
  }
}

Result<void> TraceFile::take_facts(ByteSpan payload) {
  if (nests_too_deep(as_text(payload))) return Error{Errc::bad_data, "is nested too deep"};
  auto facts = parse_json(as_text(payload));
  if (!facts) return facts.error();
  if (!facts->is_object()) return {};
  const auto timing = facts->find("timing");
  if (timing != facts->end() && timing->is_string())
    timing_ = find_timing_mode(timing->get<std::string>()).value_or(TimingMode::off);
  facts_ = std::make_shared<const Json>(std::move(*facts));
  return {};
}

Result<void> TraceFile::take_processes(ByteReader& in) {
  if (version_ == 1) {
    auto taken = detail::version1::take_processes(in);
    if (!taken) return taken.error();
    processes_ = std::move(taken->table);
    timing_bytes_ = taken->timing_bytes;
    return {};
  }
  std::vector<std::size_t> own_words;
  for (const auto& numbers : classes_) own_words.push_back(own_word_count(*tables_, numbers));
  auto taken = trace::take_processes(in, own_words, communicators_.size());
  if (!taken) return taken.error();
  processes_ = std::move(*taken);
  for (const Piece& piece : processes_.pieces)
    if (piece.type == Section::timing) timing_bytes_ += kSectionHeaderBytes + piece.bytes;
  return {};
}

std::size_t TraceFile::pattern_count() const {
  std::set<std::pair<std::uint32_t, std::uint32_t>> found;
  for (const ProcessInfo& process : processes_.processes)
    for (const StreamInfo& stream : process.streams)
      for (std::size_t part = 0; part < stream.part_records.size(); ++part)
        found.emplace(process.class_number, grammars_.distinct_of(stream.first_grammar + part));
  return found.size();
}

Result<void> TraceFile::check_tables(bool salvage) const {
  std::vector<Section> needed = {Section::facts,      Section::functions, Section::texts,    Section::names,
                                 Section::signatures, Section::grammars,  Section::processes};
  if (version_ > 1) needed.insert(needed.end(), {Section::classes, Section::communicators});
  for (const Section one : needed) {
    const std::string name = letters(static_cast<std::uint32_t>(one));
    if (!salvage && !section_bytes_.contains(name))
      return Error{Errc::bad_data, fmt::format("is damaged: it has no section {}", name)}.with_remedy(
          kRemedy);
  }
  for (const ProcessInfo& process : processes_.processes) {
    if (process.class_number >= classes_.size()) return Error{Errc::bad_data, "has no signatures"};
    for (const StreamInfo& stream : process.streams)
      if (stream.first_grammar > grammars_.size() ||
          stream.part_records.size() > grammars_.size() - stream.first_grammar)
        return Error{Errc::bad_data, "has a stream without its grammar"};
  }
  return {};
}

// Of a file that was cut those that are whole.
void TraceFile::weigh_pieces(std::uint64_t end) {
  const std::uint64_t room = end - pieces_at_;
  if (version_ == 1) {
    if (room > 0) section_bytes_["BLOK"] += room;
    return;
  }
  for (const Piece& piece : processes_.pieces) {
    if (piece.offset > room || piece.bytes > room || piece.offset + kSectionHeaderBytes + piece.bytes > room)
      break;
    section_bytes_[letters(static_cast<std::uint32_t>(piece.type))] += kSectionHeaderBytes + piece.bytes;
  }
}

std::shared_ptr<const OwnSignatures> TraceFile::signatures_of(std::size_t number) const {
  const ProcessInfo& process = processes_.processes[number];
  const std::vector<std::uint32_t>& signatures = classes_[process.class_number];
  const std::lock_guard guard(signatures_->lock);
  std::shared_ptr<const OwnSignatures>& shared = signatures_->of_class[process.class_number];
  if (shared != nullptr) return shared;
  if (auto known = signatures_->of_process[number].lock()) return known;
  auto made = std::make_shared<OwnSignatures>(own_signatures(*tables_, signatures, process, communicators_));
  if (version_ == 1) {
    for (std::size_t i = 0; i < made->list.size(); ++i)
      made->columns[i] = static_cast<std::uint8_t>(made->list[i].signature->columns);
    made->templates.resize(tables_->templates.size());
    std::iota(made->templates.begin(), made->templates.end(), 0U);
  }
  if (!depends_on_process(*tables_, signatures))
    shared = made;
  else
    signatures_->of_process[number] = made;
  return made;
}

std::uint64_t TraceFile::records() const {
  std::uint64_t sum = 0;
  for (const ProcessInfo& process : processes_.processes) sum += process.records();
  return sum;
}

Result<std::vector<std::byte>> TraceFile::read_piece(std::uint32_t number) const {
  const Piece& piece = processes_.pieces[number];
  std::uint64_t at = 0;
  const Error bad{Errc::bad_data, "are damaged: a checksum is wrong"};
  if (__builtin_add_overflow(pieces_at_, piece.offset, &at)) return bad;
  const auto head = read(at, kSectionHeaderBytes);
  if (!head) return head.error();
  ByteReader in(*head);
  const std::uint32_t type = *in.u32();
  const std::uint32_t reserved = *in.u32();
  const std::uint64_t length = *in.u64();
  const std::uint64_t sum = *in.u64();
  if (type != static_cast<std::uint32_t>(piece.type) || reserved != 0 || length != piece.bytes) return bad;
  auto bytes = read(at + kSectionHeaderBytes, length);
  if (!bytes) return bytes.error();
  if (checksum(*bytes) != sum) return bad;
  return bytes;
}

}  // namespace weir::trace
