#include "burst/client/file_system.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <iterator>
#include <utility>

#include <fcntl.h>

#include "base/signals_blocked.hpp"
#include "burst/client/file_reader.hpp"

namespace weir::burst {
namespace {

// How long a write waits for its publication under eventual consistency.
constexpr std::chrono::milliseconds kLater{20};
// How often a name is looked up whose file was gone before it could be asked for.
constexpr int kMostTries = 100;

std::uint32_t access_of(int flags) {
  constexpr std::uint32_t kRead = 4;
  constexpr std::uint32_t kWrite = 2;
  const int mode = flags & O_ACCMODE;
  return (mode != O_WRONLY ? kRead : 0) | (mode != O_RDONLY ? kWrite : 0);
}

}  // namespace

Result<std::unique_ptr<FileSystem>> FileSystem::connect(const Job& job, std::uint32_t node) {
  auto rows = consistency::FilePolicy::parse(job.policy, "the job's policy");
  if (!rows) return rows.error();
  const auto standard = find_policy(job.model);
  if (!standard) return standard.error();
  auto backing = Backing::open(job.backing);
  if (!backing) return backing.error();
  auto session = Session::connect(job, node);
  if (!session) return session.error();
  return std::unique_ptr<FileSystem>(
      new FileSystem(std::move(*session), std::move(*backing), std::move(*rows), **standard));
}

FileSystem::FileSystem(std::unique_ptr<Session> session, Backing backing, consistency::FilePolicy policy,
                       const Policy& standard)
    : session_(std::move(session)),
      tokens_(*session_),
      backing_(std::move(backing)),
      rows_(std::move(policy)),
      standard_(standard),
      log_([this](std::uint32_t number, std::uint64_t bytes, std::string& path, std::uint64_t& size) {
        return ask_for_segment(number, bytes, path, size);
      }),
      segments_({segments_of(session_->job().servers[node()]), spill_of(session_->job(), node())}) {}

int FileSystem::read_segment(const Place& place, std::span<std::byte> into) {
  return segments_.read(place, into);
}

void FileSystem::touch_soon(std::vector<Extent> extents) {
  static const bool has_another_processor = std::thread::hardware_concurrency() > 1;
  for (const Extent& extent : extents) touched_soon_ += extent.bytes.size();
  if (!has_another_processor) return;
  std::call_once(touching_, [this] {
    const SignalsBlocked blocked;
    toucher_.emplace(1U);
  });
  toucher_->run([this, extents = std::move(extents)] {
    for (const Extent& extent : extents) segments_.touch(extent.where, extent.bytes.size());
  });
}

FileSystem::~FileSystem() {
  {
    const std::lock_guard lock(later_mutex_);
    ending_ = true;
  }
  later_bell_.notify_all();
  if (publisher_.joinable()) publisher_.join();
  // What is not published now never will be.
  if (log_.segments() > 0 && session_->is_reachable())
    static_cast<void>(session_->ask({node(), 0}, LogUse{~std::uint64_t{0}, {}}));
}

std::string FileSystem::inside(std::string_view path) const {
  std::filesystem::path name(path);
  if (name.is_absolute()) name = name.lexically_relative(session_->job().mount);
  std::string clean = name.lexically_normal().string();
  return is_clean_path(clean) ? clean : std::string();
}

const Policy& FileSystem::policy_of(const std::string& path) const {
  const auto* const row = rows_.row_for((session_->job().mount / path).string());
  if (row == nullptr) return standard_;
  const auto policy = find_policy(row->model);
  return policy ? **policy : standard_;
}

std::shared_ptr<SharedFile> FileSystem::shared(FileId id) {
  const std::lock_guard lock(mutex_);
  auto& file = files_[id];
  if (!file) file = std::make_shared<SharedFile>(id);
  const std::lock_guard counted(file->mutex);
  ++file->coming;
  return file;
}

void FileSystem::forget_if_unused(const std::shared_ptr<SharedFile>& file) {
  const std::lock_guard all(mutex_);
  const std::lock_guard lock(file->mutex);
  if (!file->opens.empty() || file->coming != 0) return;
  // Another close may have forgotten it already, and an open begun it anew.
  const auto known = files_.find(file->id);
  if (known != files_.end() && known->second == file) files_.erase(known);
}

// Between the name's answer and the file's, somebody may have put another file in its place: the name leads
// to that one now. A name that still leads to nothing was left by a server that died.
Outcome<Opened> FileSystem::ask_to_open(const Open& request) {
  const Home home = session_->job().layout().home_of(request.path);
  for (int tries = 0;; ++tries) {
    auto named = session_->ask(home, request);
    if (!named || !named.body.elsewhere) return named;
    const FileId file = named.body.file;
    auto opened =
        session_->ask(file.home(), OpenFile{file, request.truncate, request.want_extents, request.access});
    if (opened.error != ESTALE || tries == kMostTries) return opened;
    if (const auto checked = session_->ask(home, CheckName{request.path, file}); !checked)
      return {checked.error, {}};
  }
}

Outcome<std::shared_ptr<File>> FileSystem::open(std::string_view path, int flags, std::uint32_t mode,
                                                const Policy* policy) {
  const std::string name = inside(path);
  if (name.empty()) return {EXDEV, {}};
  const Policy& chosen = policy != nullptr ? *policy : policy_of(name);
  const bool truncates = (flags & O_TRUNC) != 0 && (flags & O_ACCMODE) != O_RDONLY;
  Open request{.path = name,
               .create = (flags & O_CREAT) != 0,
               .exclusive = (flags & O_EXCL) != 0,
               .truncate = truncates && !chosen.holds_to_resize(),
               .want_extents = chosen.looks_on_open(),
               .mode = mode,
               .access = access_of(flags)};
  const std::uint64_t publications = publications_;
  const auto opened = ask_to_open(request);
  if (!opened) return {opened.error, {}};
  auto file = std::make_shared<File>(*this, shared(opened.body.file), chosen, flags, opened.body);
  if (request.truncate) file->was_cut(0);
  if (truncates && !request.truncate)
    if (const int error = file->truncate(0); error != 0) return {error, {}};
  if (chosen.looks_on_open() && (flags & O_ACCMODE) == O_RDONLY && will_read_whole_.exchange(false) &&
      !FileReader(*this, *file).expect())
    note_whole_read();  // of the next one
  return with_the_rest(std::move(file), opened.body.has_more, publications);
}

Outcome<std::shared_ptr<File>> FileSystem::with_the_rest(std::shared_ptr<File> file, bool has_more,
                                                         std::uint64_t publications_before) {
  const bool is_old = file->policy().looks_on_open() && publications_ != publications_before;
  if (!has_more && !is_old) return {0, std::move(file)};
  if (const int error = file->query_all(); error != 0) return {error, {}};
  return {0, std::move(file)};
}

Outcome<Stated> FileSystem::state_of(std::string_view path) {
  const std::string name = inside(path);
  if (name.empty()) return {EXDEV, {}};
  const Home home = session_->job().layout().home_of(name);
  for (int tries = 0;; ++tries) {
    auto named = session_->ask(home, StatName{name});
    if (!named || !named.body.elsewhere) return named;
    const FileId file = named.body.file;
    auto answer = session_->ask(file.home(), StatFile{file});
    if (answer.error != ESTALE || tries == kMostTries) return answer;
    if (const auto checked = session_->ask(home, CheckName{name, file}); !checked) return {checked.error, {}};
  }
}

const Policy& FileSystem::policy_of(FileId file, std::string_view path) {
  const std::lock_guard all(mutex_);
  if (const auto open = files_.find(file); open != files_.end()) {
    const std::lock_guard lock(open->second->mutex);
    for (const File* const one : open->second->opens)
      if (one->policy().holds_to_resize()) return one->policy();
  }
  return policy_of(inside(path));
}

Outcome<Stated> FileSystem::look(std::string_view path) {
  auto answer = state_of(path);
  if (!answer) return answer;
  if (answer.body.file) {
    const Policy& policy = policy_of(answer.body.file, path);
    if (policy.holds_to_resize()) {
      const int error = policy.before_stat(*this, answer.body.file, answer.body.attributes.size);
      if (error != 0) return {error, {}};
      answer = session_->ask(answer.body.file.home(), StatFile{answer.body.file});
      if (!answer) return answer;
    }
  }
  const std::lock_guard all(mutex_);
  if (const auto open = files_.find(answer.body.file); open != files_.end()) {
    const std::lock_guard lock(open->second->mutex);
    answer.body.attributes.size = std::max(answer.body.attributes.size, open->second->mine.end());
  }
  return answer;
}

int FileSystem::stat(std::string_view path, Attributes& attributes) {
  const auto answer = look(path);
  if (answer) attributes = answer.body.attributes;
  return answer.error;
}

Outcome<std::shared_ptr<File>> FileSystem::adopt(FileId file, int flags) {
  const auto state = session_->ask(file.home(), StatFile{file});
  if (!state) return {state.error, {}};
  const Policy& policy = policy_of(state.body.path);
  const std::uint64_t publications = publications_;
  const auto opened = session_->ask(
      file.home(),
      OpenFile{.file = file, .truncate = false, .want_extents = policy.looks_on_open(), .access = 0});
  if (!opened) return {opened.error, {}};
  return with_the_rest(std::make_shared<File>(*this, shared(file), policy, flags, opened.body),
                       opened.body.has_more, publications);
}

int FileSystem::list(const std::string& directory, std::vector<NameRow>& rows) {
  const Layout layout = session_->job().layout();
  for (std::uint32_t server = 0; server < layout.servers; ++server)
    for (std::uint32_t worker = 0; worker < layout.workers; ++worker) {
      auto names = session_->ask({server, worker}, ListNames{directory});
      if (!names) return names.error;
      std::ranges::move(names.body.rows, std::back_inserter(rows));
    }
  return 0;
}

int FileSystem::unlink(std::string_view path) {
  const std::string name = inside(path);
  if (name.empty()) return EXDEV;
  return session_->ask(session_->job().layout().home_of(name), Unlink{name}).error;
}

int FileSystem::rename(std::string_view from, std::string_view to) {
  const std::string old_name = inside(from);
  const std::string new_name = inside(to);
  if (old_name.empty() || new_name.empty()) return EXDEV;
  return session_->ask(session_->job().layout().home_of(old_name), Rename{old_name, new_name}).error;
}

int FileSystem::link(FileId file, std::string_view name) {
  const std::string clean = inside(name);
  if (clean.empty()) return EXDEV;
  return session_->ask(session_->job().layout().home_of(clean), LinkName{clean, file}).error;
}

int FileSystem::detach_all() {
  std::vector<std::shared_ptr<SharedFile>> open;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, file] : files_) open.push_back(file);
  }
  int error = 0;
  for (const auto& file : open)
    if (const int failed = file->take_back(*this, kWholeFile); failed != 0 && failed != ESTALE)
      error = failed;
  // And what it published of files that are closed.
  const Layout layout = session_->job().layout();
  for (std::uint32_t server = 0; server < layout.servers; ++server)
    for (std::uint32_t worker = 0; worker < layout.workers; ++worker) {
      const Detach request{{}, kWholeFile.begin, kWholeFile.end};
      if (const int failed = session_->ask({server, worker}, request).error; failed != 0) error = failed;
    }
  return error;
}

Outcome<Content> FileSystem::fetch(std::uint32_t node, const Fetch& request) {
  return session_->ask({node, 0}, request);
}

int FileSystem::backing_of(SharedFile& file, int& descriptor) {
  const std::lock_guard lock(file.mutex);
  // The owner knows where it is now; between its answer and the opening it may be renamed.
  for (int tries = 0; !file.backing && tries < 8; ++tries) {
    const auto answer = session_->ask(file.id.home(), StatFile{file.id});
    if (!answer) return answer.error;
    if (!answer.body.in_backing) return 0;
    file.backing = backing_.open_file(answer.body.path, O_RDONLY);
    if (!file.backing && errno != ENOENT) return errno;
  }
  descriptor = file.backing.get();
  return descriptor >= 0 ? 0 : ESTALE;
}

void FileSystem::publish_later(const std::shared_ptr<SharedFile>& file) {
  {
    const std::lock_guard lock(later_mutex_);
    if (!publisher_.joinable()) {
      const SignalsBlocked blocked;
      publisher_ = std::thread([this] { publish_in_background(); });
    }
    if (!later_.insert(file).second) return;
  }
  later_bell_.notify_one();
}

void FileSystem::publish_in_background() {
  std::unique_lock lock(later_mutex_);
  for (;;) {
    later_bell_.wait(lock, [this] { return ending_ || !later_.empty(); });
    if (!ending_) later_bell_.wait_for(lock, kLater, [this] { return ending_; });
    const auto files = std::exchange(later_, {});
    lock.unlock();
    std::set<std::shared_ptr<SharedFile>> failed;
    for (const auto& file : files)
      if (file->publish(*this, kWholeFile, false) != 0) failed.insert(file);
    lock.lock();
    if (!ending_) later_.merge(failed);
    if (ending_ && later_.empty()) return;
  }
}

}  // namespace weir::burst
