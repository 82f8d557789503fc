#include "burst/client/file_system.hpp"

#include <cerrno>
#include <chrono>
#include <utility>

#include <fcntl.h>

namespace weir::burst {
namespace {

// How long a write waits for its publication under eventual consistency.
constexpr std::chrono::milliseconds kLater{20};

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
      backing_(std::move(backing)),
      rows_(std::move(policy)),
      standard_(standard),
      log_([this](std::uint32_t number, std::uint64_t bytes, std::string& path, std::uint64_t& size) {
        const auto granted = session_->ask({node(), 0}, GrantSegment{number, bytes});
        path = granted.body.path;
        size = granted.body.bytes;
        return granted.error;
      }),
      segments_({segments_of(session_->job().servers[node()]), spill_of(session_->job(), node())}) {}

int FileSystem::write_log(ByteSpan bytes, std::uint64_t offset, std::vector<Extent>& pieces) {
  std::vector<LogSlice> slices;
  if (const int error = log_.append(bytes, slices); error != 0) return error;
  for (const LogSlice& slice : slices) {
    pieces.push_back({{offset, offset + slice.length},
                      {.node = node(),
                       .segment = slice.segment,
                       .client = session_->client(),
                       .position = slice.position}});
    offset += slice.length;
  }
  return 0;
}

int FileSystem::read_segment(const Place& place, std::span<std::byte> into) {
  return segments_.read(place, into);
}

FileSystem::~FileSystem() {
  {
    const std::lock_guard lock(later_mutex_);
    ending_ = true;
  }
  later_bell_.notify_all();
  if (publisher_.joinable()) publisher_.join();
}

std::string FileSystem::inside(std::string_view path) const {
  std::filesystem::path name(path);
  if (name.is_absolute()) name = name.lexically_relative(session_->job().mount);
  std::string clean = name.lexically_normal().string();
  return is_clean_path(clean) ? clean : std::string();
}

const Policy& FileSystem::policy_of(const std::string& path) const {
  const auto* const model = rows_.model_of((session_->job().mount / path).string());
  if (model == nullptr) return standard_;
  const auto policy = find_policy(model->name);
  return policy ? **policy : standard_;
}

std::shared_ptr<SharedFile> FileSystem::shared(FileId id) {
  const std::lock_guard lock(mutex_);
  auto& file = files_[id];
  if (!file) file = std::make_shared<SharedFile>(id);
  return file;
}

void FileSystem::forget_if_unused(const std::shared_ptr<SharedFile>& file) {
  const std::lock_guard all(mutex_);
  const std::lock_guard lock(file->mutex);
  if (file->opens.empty()) files_.erase(file->id);
}

Outcome<std::shared_ptr<File>> FileSystem::open(std::string_view path, int flags, std::uint32_t mode,
                                                const Policy* policy) {
  const std::string name = inside(path);
  if (name.empty()) return {EXDEV, {}};
  const Policy& chosen = policy != nullptr ? *policy : policy_of(name);
  Open request{.path = name,
               .create = (flags & O_CREAT) != 0,
               .exclusive = (flags & O_EXCL) != 0,
               .truncate = (flags & O_TRUNC) != 0 && (flags & O_ACCMODE) != O_RDONLY,
               .want_extents = chosen.looks_on_open(),
               .mode = mode};
  auto opened = session_->ask(session_->job().layout().home_of(name), request);
  if (opened && opened.body.elsewhere)
    opened = session_->ask(opened.body.file.home(),
                           OpenFile{opened.body.file, request.truncate, request.want_extents});
  if (!opened) return {opened.error, {}};
  return {0, std::make_shared<File>(*this, shared(opened.body.file), chosen, flags, opened.body)};
}

Outcome<Stated> FileSystem::state_of(std::string_view path) {
  const std::string name = inside(path);
  if (name.empty()) return {EXDEV, {}};
  auto answer = session_->ask(session_->job().layout().home_of(name), StatName{name});
  if (answer && answer.body.elsewhere)
    answer = session_->ask(answer.body.file.home(), StatFile{answer.body.file});
  return answer;
}

int FileSystem::stat(std::string_view path, Attributes& attributes) {
  const auto answer = state_of(path);
  if (!answer) return answer.error;
  attributes = answer.body.attributes;
  const std::lock_guard all(mutex_);
  if (const auto open = files_.find(answer.body.file); open != files_.end()) {
    const std::lock_guard lock(open->second->mutex);
    attributes.size = std::max(attributes.size, open->second->mine.end());
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

int FileSystem::detach_all() {
  const Layout layout = session_->job().layout();
  int error = 0;
  for (std::uint32_t server = 0; server < layout.servers; ++server)
    for (std::uint32_t worker = 0; worker < layout.workers; ++worker) {
      const Detach request{{}, kWholeFile.begin, kWholeFile.end, session_->client()};
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
    if (!publisher_.joinable()) publisher_ = std::thread([this] { publish_in_background(); });
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
