#include "burst/preload/mappings.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/uncancelled.hpp"
#include "burst/preload/process.hpp"

namespace weir::burst::preload {

constinit std::atomic<int> Mappings::count_{0};

namespace {

std::size_t whole_pages(std::size_t length) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return (length + page - 1) / page * page;
}

// The same pages once more, to be read whatever the program does to its own: it may take the right to read
// them away, or put something else there. Null when there is no room.
std::shared_ptr<const std::byte> second_view(void* memory, std::size_t length) {
  void* const again = ::mremap(memory, 0, length, MREMAP_MAYMOVE);  // a second mapping, as they are shared
  if (again == MAP_FAILED) return nullptr;
  ::mprotect(again, length, PROT_READ);
  return {static_cast<const std::byte*>(again),
          [again, length](const std::byte*) { ::munmap(again, length); }};
}

}  // namespace

Mappings& Mappings::current() {
  static Mappings* const mappings = new Mappings;
  return *mappings;
}

Answer Mappings::map(OpenFile& open, void* address, std::size_t length, int protection, int flags,
                     off_t offset) {
  const auto failed = [](int error) { return Answer{reinterpret_cast<long>(MAP_FAILED), error}; };
  const int kind = flags & MAP_TYPE;
  const bool shared = kind == MAP_SHARED || kind == MAP_SHARED_VALIDATE;
  const bool writes = (protection & PROT_WRITE) != 0;
  if (length == 0 || offset < 0 || offset % ::sysconf(_SC_PAGESIZE) != 0) return failed(EINVAL);
  if (!open.can_read() || (shared && writes && !open.can_write())) return failed(EACCES);
  std::shared_ptr<File> file;
  if (const int error = open.refer(file); error != 0) return failed(error);
  // Another mapping of it in this process shows up in the new one.
  if (any())
    if (const int error = write_back(open.id()); error != 0) return failed(error);
  if (any() && (flags & MAP_FIXED) != 0) forget(address, length);

  const int placed = flags & (MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_NORESERVE);
  void* const memory = ::mmap(address, length, PROT_READ | PROT_WRITE,
                              (shared ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS | placed, -1, 0);
  if (memory == MAP_FAILED) return failed(errno);
  auto* const begin = static_cast<std::byte*>(memory);
  std::size_t filled = 0;
  while (filled < length) {
    const auto part = std::span(begin + filled, length - filled);
    const Transfer done = file->pread(part, static_cast<std::uint64_t>(offset) + filled);
    if (done.error != 0) {
      ::munmap(memory, length);
      return failed(done.error);
    }
    if (done.bytes == 0) break;
    filled += done.bytes;
  }
  if (shared && open.can_write()) {  // mprotect may allow writing later
    auto own = Process::current().system()->adopt(open.id(), O_RDWR);
    auto now = own ? second_view(memory, length) : nullptr;
    if (now == nullptr) {
      ::munmap(memory, length);
      return failed(own ? ENOMEM : own.error);
    }
    Area area{.length = length,
              .offset = offset,
              .file = std::move(own.body),
              .id = open.id(),
              .now = std::move(now),
              .before = {}};
    area.before.assign(begin, begin + length);
    const std::lock_guard lock(mutex_);
    areas_.insert_or_assign(begin, std::move(area));
    count_ = static_cast<int>(areas_.size());
  }
  if (protection != (PROT_READ | PROT_WRITE)) ::mprotect(memory, length, protection);
  return {reinterpret_cast<long>(memory), 0};
}

// Only bytes that differ from what was there: others may have written beside them.
int Mappings::write_back_area(Area& area) {
  const std::byte* const now = area.now.get();
  Attributes attributes;
  if (const int error = area.file->stat(attributes); error != 0) return error;
  const auto offset = static_cast<std::uint64_t>(area.offset);
  if (attributes.size <= offset) return 0;
  const std::size_t end = std::min<std::uint64_t>(area.length, attributes.size - offset);
  constexpr std::size_t kStep = 4096;
  int failed = 0;
  for (std::size_t at = 0; at < end;) {
    const std::size_t step = std::min(kStep, end - at);
    if (std::memcmp(now + at, area.before.data() + at, step) == 0) {
      at += step;
      continue;
    }
    while (now[at] == area.before[at]) ++at;
    std::size_t stop = at;
    while (stop < end && now[stop] != area.before[stop]) ++stop;
    const Transfer done = area.file->pwrite(ByteSpan(now + at, stop - at), offset + at);
    if (done.error != 0)
      failed = done.error;
    else
      std::memcpy(area.before.data() + at, now + at, stop - at);
    at = stop;
  }
  return failed;
}

template <class F>
int Mappings::for_overlapping(void* address, std::size_t length, F&& f) {
  auto* const begin = static_cast<std::byte*>(address);
  int failed = 0;
  const Uncancelled work;
  const std::lock_guard lock(mutex_);
  for (auto area = areas_.begin(); area != areas_.end();) {
    const auto next = std::next(area);
    if (area->first < begin + whole_pages(length) && begin < area->first + whole_pages(area->second.length))
      if (const int error = f(area); error != 0) failed = error;
    area = next;
  }
  count_ = static_cast<int>(areas_.size());
  return failed;
}

int Mappings::write_back(void* address, std::size_t length) {
  return for_overlapping(address, length, [&](auto area) {
    const int error = write_back_area(area->second);
    const int synced = area->second.file->sync(consistency::Operation::msync);
    return error != 0 ? error : synced;
  });
}

int Mappings::write_back(FileId file) {
  int failed = 0;
  const Uncancelled work;
  const std::lock_guard lock(mutex_);
  for (auto& [begin, area] : areas_)
    if (area.file->id() == file)
      if (const int error = write_back_area(area); error != 0) failed = error;
  return failed;
}

void Mappings::write_back_all() {
  if (!any()) return;
  const Uncancelled work;
  const std::lock_guard lock(mutex_);
  for (auto& [begin, area] : areas_) {
    write_back_area(area);
    if (area.file->publishes_by_itself()) area.file->attach_all();
  }
}

void Mappings::forget(void* address, std::size_t length) {
  auto* const gone = static_cast<std::byte*>(address);
  std::byte* const gone_end = gone + whole_pages(length);
  for_overlapping(address, length, [&](auto found) {
    write_back_area(found->second);
    if (found->second.file->publishes_by_itself()) found->second.file->attach_all();
    std::byte* const begin = found->first;
    std::byte* const end = begin + found->second.length;
    const Area whole = std::move(found->second);
    areas_.erase(found);
    const auto keep = [&](std::byte* from, std::byte* to) {
      if (from >= to) return;
      Area part{.length = static_cast<std::size_t>(to - from),
                .offset = whole.offset + (from - begin),
                .file = whole.file,
                .id = whole.id,
                .now = {whole.now, whole.now.get() + (from - begin)},
                .before = {}};
      part.before.assign(whole.before.begin() + (from - begin), whole.before.begin() + (to - begin));
      areas_.insert_or_assign(from, std::move(part));
    };
    keep(begin, std::min(end, gone));
    keep(std::max(begin, gone_end), end);
    return 0;
  });
}

void Mappings::begin_again() {
  for (auto& [begin, area] : areas_) {
    area.id = area.file->id();
    new std::shared_ptr<File>(
        std::move(area.file));  // neither closed nor freed: that is for the parent to do
    area.file.reset();
  }
}

void Mappings::find_again() {
  const std::lock_guard lock(mutex_);
  if (areas_.empty()) return;
  FileSystem* const system = Process::current().system();
  for (auto area = areas_.begin(); area != areas_.end();) {
    auto file = system != nullptr ? system->adopt(area->second.id, O_RDWR) : Outcome<std::shared_ptr<File>>{};
    area->second.file = std::move(file.body);
    area = file ? std::next(area) : areas_.erase(area);
  }
  count_ = static_cast<int>(areas_.size());
}

bool Mappings::covers(const void* address, std::size_t length) {
  return for_overlapping(const_cast<void*>(address), length, [](auto) { return 1; }) != 0;
}

}  // namespace weir::burst::preload
