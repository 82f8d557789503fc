#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/units.hpp"
#include "burst/client/file_system.hpp"
#include "burst/this_node.hpp"
#include "cli/fs.hpp"

// ls, stat, du, cat and cp on the live name space: what is buffered, and what is behind it.
namespace weir::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string job;
  std::string path;
  std::string to;
  bool json = false;
};

struct Connected {
  burst::Job job;
  std::unique_ptr<burst::FileSystem> system;
};

Result<Connected> connect(const std::string& given) {
  const auto path = job_file(given);
  if (!path) return path.error();
  auto job = burst::Job::read(*path);
  if (!job) return job.error();
  const auto node = burst::server_of_this_node(*job);
  auto system = burst::FileSystem::connect(*job, node ? *node : 0);
  if (!system) return system.error().in(*path);
  return Connected{std::move(*job), std::move(*system)};
}

Error failed(int error, std::string_view what, const std::string& path) {
  return Error::from_errno(error, what).in(path);
}

// Relative to the mount; "" is the mount itself. Nothing where the path is elsewhere.
std::optional<std::string> inside(const burst::Job& job, const std::string& path) {
  const fs::path whole = fs::absolute(path.empty() ? "." : path).lexically_normal();
  for (const fs::path& root : {job.mount, job.backing}) {
    const std::string rest = whole.lexically_relative(root).string();
    if (rest == ".") return "";
    if (!rest.empty() && !rest.starts_with(".."))
      return rest.ends_with('/') ? rest.substr(0, rest.size() - 1) : rest;
  }
  return {};
}

Result<std::string> must_be_inside(const burst::Job& job, const std::string& path) {
  auto name = inside(job, path);
  if (name) return *name;
  return Error{Errc::usage, fmt::format("is not below {}", job.mount.string())}.in(path);
}

struct Row {
  std::string name;
  bool directory = false;
  std::uint64_t size = 0;
  std::uint64_t buffered = 0;  // bytes that are not in the backing directory yet
  bool in_backing = false;
};

// Everything below a directory, by name: of the backing directory and of the name space.
Result<std::map<std::string, Row>> rows_below(Connected& there, const std::string& name) {
  std::map<std::string, Row> rows;
  std::error_code error;
  const fs::path root = there.job.backing / name;
  for (auto at = fs::recursive_directory_iterator(root, error); !error && at != fs::end(at);
       at.increment(error)) {
    if (at->path().filename().string().starts_with(".weir-")) {
      at.disable_recursion_pending();
      continue;
    }
    const std::string path = at->path().lexically_relative(there.job.backing).string();
    std::error_code ignored;
    const bool regular = at->is_regular_file(ignored);
    rows[path] = {path, at->is_directory(ignored), regular ? at->file_size(ignored) : 0, 0, true};
  }
  if (error && error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory)
    return failed(error.value(), "cannot be read", root.string());
  std::vector<burst::NameRow> names;
  if (const int asked = there.system->list(name, names); asked != 0)
    return failed(asked, "cannot be listed", name);
  for (const burst::NameRow& one : names) {
    Row& row = rows[one.path];
    row.name = one.path;
    row.directory = false;
    row.size = one.size;
    row.buffered = one.buffered;
  }
  return rows;
}

// The file or directory itself as a row.
Result<Row> row_of(Connected& there, const std::string& name) {
  if (name.empty()) return Row{"", true, 0, 0, true};
  const auto found = there.system->look(name);
  if (!found) return failed(found.error, "cannot be found", (there.job.mount / name).string());
  Row row{name, found.body.attributes.kind == burst::FileKind::directory, found.body.attributes.size, 0,
          found.body.in_backing};
  if (row.directory) return row;
  const std::size_t slash = name.rfind('/');
  std::vector<burst::NameRow> names;
  if (const int asked = there.system->list(slash == name.npos ? "" : name.substr(0, slash), names);
      asked != 0)
    return failed(asked, "cannot be listed", name);
  for (const burst::NameRow& one : names)
    if (one.path == name) row.buffered = one.buffered;
  return row;
}

Json json_of(const Row& row) {
  return {{"path", row.name},
          {"kind", row.directory ? "directory" : "file"},
          {"size_bytes", row.directory ? Json(nullptr) : Json(row.size)},
          {"buffered_bytes", row.buffered}};
}

Result<int> list(const Options& options, Output& out) {
  auto there = connect(options.job);
  if (!there) return there.error();
  const auto name = options.path.empty() ? Result<std::string>("") : must_be_inside(there->job, options.path);
  if (!name) return name.error();
  const auto self = row_of(*there, *name);
  if (!self) return self.error();
  std::vector<Row> shown;
  if (!self->directory) {
    shown.push_back(*self);
  } else {
    const auto rows = rows_below(*there, *name);
    if (!rows) return rows.error();
    const std::size_t skip = name->empty() ? 0 : name->size() + 1;
    for (const auto& [path, row] : *rows)
      if (path.find('/', skip) == path.npos) shown.push_back(row);
  }
  if (options.json) {
    Json document = json_document("fs-ls");
    document["entries"] = Json::array();
    for (const Row& row : shown) document["entries"].push_back(json_of(row));
    out.measured_json(document);
    return 0;
  }
  Table table({{"size", Table::right}, {"buffered", Table::right}, {"name"}});
  for (const Row& row : shown)
    table.row({row.directory ? "-" : format_bytes(Bytes(row.size)),
               row.directory ? "-" : format_bytes(Bytes(row.buffered)),
               row.directory ? row.name + "/" : row.name});
  out.table(table);
  return 0;
}

Result<int> usage(const Options& options, Output& out) {
  auto there = connect(options.job);
  if (!there) return there.error();
  const auto name = options.path.empty() ? Result<std::string>("") : must_be_inside(there->job, options.path);
  if (!name) return name.error();
  const auto self = row_of(*there, *name);
  if (!self) return self.error();
  std::uint64_t files = 0;
  std::uint64_t size = 0;
  std::uint64_t buffered = 0;
  const auto add = [&](const Row& row) {
    files += row.directory ? 0 : 1;
    size += row.size;
    buffered += row.buffered;
  };
  if (self->directory) {
    const auto rows = rows_below(*there, *name);
    if (!rows) return rows.error();
    for (const auto& [path, row] : *rows) add(row);
  } else {
    add(*self);
  }
  if (options.json) {
    Json document = json_document("fs-du");
    document["path"] = *name;
    document["files"] = files;
    document["size_bytes"] = size;
    document["buffered_bytes"] = buffered;
    out.measured_json(document);
    return 0;
  }
  out.print("{} in {} files, {} of it only in the buffer\n", format_bytes(Bytes(size)), format_count(files),
            format_bytes(Bytes(buffered)));
  return 0;
}

Result<int> facts(const Options& options, Output& out) {
  auto there = connect(options.job);
  if (!there) return there.error();
  const auto name = must_be_inside(there->job, options.path);
  if (!name) return name.error();
  const auto row = row_of(*there, *name);
  if (!row) return row.error();
  const auto found = name->empty() ? burst::Outcome<burst::Stated>{} : there->system->look(*name);
  const auto& attributes = found.body.attributes;
  if (options.json) {
    Json document = json_document("fs-stat");
    document.update(json_of(*row));
    document["mode"] = fmt::format("{:04o}", attributes.mode);
    document["uid"] = attributes.uid;
    document["gid"] = attributes.gid;
    document["modified_ns"] = attributes.modified_ns;
    document["in_backing"] = row->in_backing;
    document["file"] = found.body.file.value;
    out.measured_json(document);
    return 0;
  }
  out.print("{}: {}, {} ({} buffered only), mode {:04o}, user {}, group {}\n", *name,
            row->directory ? "directory" : "file", format_bytes(Bytes(row->size)),
            format_bytes(Bytes(row->buffered)), attributes.mode, attributes.uid, attributes.gid);
  return 0;
}

using Sink = std::function<Result<void>(ByteSpan)>;

Result<std::shared_ptr<burst::File>> open_to_read(burst::FileSystem& system, const std::string& name) {
  auto file = system.open(name, O_RDONLY, 0);
  if (!file) return failed(file.error, "cannot be opened", name);
  return std::move(file.body);
}

Result<void> read_whole(burst::File& file, const std::string& name, const Sink& sink) {
  std::vector<std::byte> buffer(std::size_t{1} << 20);
  for (std::uint64_t at = 0;;) {
    const auto got = file.pread(buffer, at);
    if (got.error != 0) return failed(got.error, "cannot be read", name);
    if (got.bytes == 0) return {};
    if (auto taken = sink(ByteSpan(buffer).first(got.bytes)); !taken) return taken;
    at += got.bytes;
  }
}

Result<int> print_file(const Options& options, Output& out) {
  auto there = connect(options.job);
  if (!there) return there.error();
  const auto name = must_be_inside(there->job, options.path);
  if (!name) return name.error();
  const auto file = open_to_read(*there->system, *name);
  if (!file) return file.error();
  const auto done = read_whole(**file, *name, [&](ByteSpan bytes) -> Result<void> {
    out.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    return {};
  });
  if (!done) return done.error();
  return 0;
}

Result<void> read_whole(int fd, const std::string& path, const Sink& sink) {
  std::vector<std::byte> buffer(std::size_t{1} << 20);
  for (;;) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed(errno, "cannot be read", path);
    if (got == 0) return {};
    if (auto taken = sink(ByteSpan(buffer).first(static_cast<std::size_t>(got))); !taken) return taken;
  }
}

// From or into the file system, or both; a directory as target takes the file's own name. The source is there
// before anything is done to the target.
Result<int> copy(const Options& options, Output& /*out*/) {
  auto there = connect(options.job);
  if (!there) return there.error();
  const auto from = inside(there->job, options.path);
  auto to = inside(there->job, options.to);
  if (!from && !to)
    return Error{Errc::usage, fmt::format("neither is below {}", there->job.mount.string())}.with_remedy(
        "use cp");
  const std::string last = fs::path(options.path).filename().string();
  if (to && (to->empty() || fs::is_directory(there->job.backing / *to)))
    *to += (to->empty() ? "" : "/") + last;
  fs::path outside = options.to;
  if (!to && fs::is_directory(outside)) outside /= last;

  UniqueFd plain_source;
  std::shared_ptr<burst::File> source;
  if (from) {
    auto opened = open_to_read(*there->system, *from);
    if (!opened) return opened.error();
    source = std::move(*opened);
  } else {
    auto opened = open_file(options.path, O_RDONLY);
    if (!opened) return opened.error();
    plain_source = std::move(*opened);
    if (fs::is_directory(options.path)) return failed(EISDIR, "cannot be read", options.path);
  }
  std::error_code ignored;
  bool same = fs::equivalent(from ? there->job.backing / *from : fs::path(options.path),
                             to ? there->job.backing / *to : outside, ignored);
  if (from && to)
    if (const auto found = there->system->look(*to)) same = same || found.body.file == source->id();
  if (same) return Error{Errc::usage, fmt::format("{} and {} are the same file", options.path, options.to)};

  UniqueFd plain;
  std::shared_ptr<burst::File> target;
  std::uint64_t at = 0;
  if (to) {
    auto made = there->system->open(*to, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (!made) return failed(made.error, "cannot be made", options.to);
    target = std::move(made.body);
  } else {
    auto made = open_file(outside, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (!made) return made.error();
    plain = std::move(*made);
  }
  const Sink sink = [&](ByteSpan bytes) -> Result<void> {
    if (!target) return write_all(plain.get(), bytes);
    const auto put = target->pwrite(bytes, at);
    at += put.bytes;
    if (put.error != 0) return failed(put.error, "cannot be written", options.to);
    return {};
  };
  const auto copied =
      source ? read_whole(*source, *from, sink) : read_whole(plain_source.get(), options.path, sink);
  if (!copied) return copied.error();
  if (target)
    if (const int error = target->close(); error != 0) return failed(error, "cannot be closed", options.to);
  return 0;
}

template <Result<int> (*kRun)(const Options&, Output&)>
Run define_one(CLI::App& app, bool required, bool json) {
  auto options = std::make_shared<Options>();
  add_job_option(app, options->job);
  auto* const path = app.add_option("PATH", options->path, "below the job's directory")->type_name("PATH");
  if (required) path->required();
  if (json) add_json_flag(app, options->json);
  return [options](Output& out) { return kRun(*options, out); };
}

Run define_ls(CLI::App& app) { return define_one<list>(app, false, true); }
Run define_du(CLI::App& app) { return define_one<usage>(app, false, true); }
Run define_stat(CLI::App& app) { return define_one<facts>(app, true, true); }
Run define_cat(CLI::App& app) { return define_one<print_file>(app, true, false); }

Run define_cp(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_job_option(app, options->job);
  app.add_option("FROM", options->path, "a file, in the file system or elsewhere")
      ->required()
      ->type_name("FROM");
  app.add_option("TO", options->to, "where to; one of the two is below the job's directory")
      ->required()
      ->type_name("TO");
  return [options](Output& out) { return copy(*options, out); };
}

constexpr std::array kLsExamples = {
    Example{"weir fs ls out/step1 --job job.json", "names, sizes, and what is only buffered"}};
constexpr std::array kDuExamples = {Example{"weir fs du --job job.json", "how much there is to flush"}};
constexpr std::array kStatExamples = {Example{"weir fs stat out/a.dat --json", "one file, for scripts"}};
constexpr std::array kCatExamples = {Example{"weir fs cat out/log.txt | tail", "as far as it is published"}};
constexpr std::array kCpExamples = {
    Example{"weir fs cp out/a.dat /tmp", "a copy of what the buffer holds now"},
    Example{"weir fs cp input.dat out/input.dat", "into the buffer, before a program reads it"}};

}  // namespace

const Command kFsLs = {.name = "ls",
                       .summary = "list a directory: what is buffered and what is behind it",
                       .examples = kLsExamples,
                       .define = define_ls};
const Command kFsDu = {.name = "du",
                       .summary = "how much a directory holds, and how much of it is only buffered",
                       .examples = kDuExamples,
                       .define = define_du};
const Command kFsStat = {
    .name = "stat", .summary = "what is known of one file", .examples = kStatExamples, .define = define_stat};
const Command kFsCat = {.name = "cat",
                        .summary = "print a file as it is published now",
                        .examples = kCatExamples,
                        .define = define_cat};
const Command kFsCp = {.name = "cp",
                       .summary = "copy a file out of the file system or into it",
                       .examples = kCpExamples,
                       .define = define_cp};

}  // namespace weir::cli
