#include <algorithm>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/lane.hpp"
#include "capture/memory.hpp"
#include "capture/process.hpp"
#include "capture/system.hpp"

// What a lane's records refer to: definitions written before the first record that needs them, and the choice
// of a signature.
namespace weir::capture {

namespace live = trace::live;
using live::Definition;

namespace {

constexpr std::uint16_t kMostPerSize = 128;  // signatures that differ only in positions
constexpr std::uint16_t kMostPerCall = 512;  // signatures that differ only in positions and sizes

live::HandleKind kind_of(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG:
      return live::HandleKind::file;
    case S_IFDIR:
      return live::HandleKind::directory;
    case S_IFIFO:
      return live::HandleKind::pipe;
    case S_IFSOCK:
      return live::HandleKind::socket;
    case S_IFCHR:
    case S_IFBLK:
      return live::HandleKind::device;
    default:
      return live::HandleKind::other;
  }
}

}  // namespace

void Lane::check_crowded() {
  // One record needs at most a few texts, templates and signatures.
  const std::size_t bytes = signatures_.bytes_used() + (texts_.size() + templates_.size()) * 64;
  crowded_ = texts_.size() + 32 > TextTable::kMostTexts || templates_.size() + 8 > TextTable::kMostTexts ||
             !signatures_.has_room(4 * SignatureTable::kLongest) ||
             signatures_.size() + 8 > SignatureTable::kMostSignatures ||
             (bytes > Process::current().memory_per_lane() && signatures_.size() > 64);
}

void Lane::define(Definition type, const void* first, std::size_t first_bytes, std::string_view rest) {
  if (stopped_) return;
  const std::size_t bytes = first_bytes + rest.size();
  const std::size_t words = 1 + (bytes + 3) / 4;
  if (used_ + words + kMostRecordWords > capacity_ && !seal()) return;
  std::uint32_t* const at = tail_ + used_;
  *at = live::definition_word(type, static_cast<std::uint32_t>(bytes));
  at[words - 1] = words > 1 ? 0 : *at;
  auto* const to = reinterpret_cast<char*>(at + 1);
  if (first_bytes > 0) std::memcpy(to, first, first_bytes);
  if (!rest.empty()) std::memcpy(to + first_bytes, rest.data(), rest.size());
  used_ += static_cast<std::uint32_t>(words);
  publish();
}

void Lane::define_clock() { define(Definition::clock, &last_end_.count, sizeof last_end_.count); }

void Lane::define_process() {
  char* const scratch = tables_->scratch;
  constexpr std::size_t room = sizeof tables_->scratch;
  std::size_t used = 0;
  const auto put = [&](auto&& fill) {
    std::uint32_t length = 0;
    if (used + sizeof length <= room) {
      length = static_cast<std::uint32_t>(fill(scratch + used + sizeof length, room - used - sizeof length));
      std::memcpy(scratch + used, &length, sizeof length);
      used += sizeof length + length;
    }
  };
  const auto read_link = [](const char* path, char* to, std::size_t most) {
    const long length = syscall(SYS_readlinkat, AT_FDCWD, path, to, std::min<std::size_t>(most, 4096));
    return length > 0 ? static_cast<std::size_t>(length) : std::size_t{0};
  };
  put([&](char* to, std::size_t most) { return read_link("/proc/self/exe", to, most); });
  put([&](char* to, std::size_t most) { return Process::current().copy_directory(to, most); });
  put([&](char* to, std::size_t most) {
    const long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return std::size_t{0};
    const long length = syscall(SYS_read, fd, to, most > 128 ? most - 128 : 0);
    syscall(SYS_close, fd);
    return length > 0 ? static_cast<std::size_t>(length) : std::size_t{0};
  });
  put([&](char* to, std::size_t most) {
    if (most < 65 || gethostname(to, 64) != 0) return std::size_t{0};
    return strnlen(to, 64);
  });
  define(Definition::process, scratch, used);
}

void Lane::define_directory() {
  directory_generation_ = Process::current().directory_generation();
  const std::size_t length = Process::current().copy_directory(tables_->scratch, sizeof tables_->scratch);
  define(Definition::directory, nullptr, 0, {tables_->scratch, length});
}

void Lane::introduce(Handle handle, int descriptor, const char* name) {
  const SignalsBlocked blocked;
  live::HandleDefinition about{};
  about.id = handle.id;
  about.descriptor = descriptor;
  char* const scratch = tables_->scratch;
  std::size_t length = 0;
  if (descriptor >= 0) {
    struct stat seen {};
    if (syscall(SYS_newfstatat, descriptor, "", &seen, AT_EMPTY_PATH) == 0) {
      about.kind = static_cast<std::uint32_t>(kind_of(seen.st_mode));
      about.device = seen.st_dev;
      about.inode = seen.st_ino;
    }
    const long flags = syscall(SYS_fcntl, descriptor, F_GETFL);
    about.flags = flags >= 0 ? static_cast<std::uint32_t>(flags) : 0;
    const long position = syscall(SYS_lseek, descriptor, 0L, SEEK_CUR);
    about.position = position >= 0 ? position : 0;
    length = name_of_descriptor(descriptor, scratch);
  } else if (name != nullptr) {
    length = std::min<std::size_t>(std::strlen(name), 4096);
    std::memcpy(scratch, name, length);
  }
  define(Definition::handle, &about, sizeof about, {scratch, length});
  views_[handle.id] = {about.position, handle.generation};
  most_views_ = std::max(most_views_, handle.id + 1);
}

void Lane::surprise(int descriptor) {
  const SignalsBlocked blocked;
  define(Definition::surprise, &descriptor, sizeof descriptor);
}

void Lane::describe(Definition type, std::string_view bytes) {
  const SignalsBlocked blocked;
  define(type, nullptr, 0, bytes);
}

std::uint32_t Lane::number_of_text(std::string_view text) {
  if (text.size() > live::kLongestText) count_cut();
  return number_of(text.substr(0, live::kLongestText));
}

std::uint32_t Lane::number_of(std::string_view text) {
  std::uint32_t number = texts_.find(text);
  if (number != TextTable::kNone) return number;
  const SignalsBlocked blocked;
  define(Definition::text, nullptr, 0, text);
  number = texts_.add(text);
  check_crowded();
  return number;
}

void Lane::put_path(std::string_view name, Draft& draft) {
  if (directory_generation_ != Process::current().directory_generation() && !name.starts_with('/')) {
    const SignalsBlocked blocked;
    define_directory();
  }
  trace::NameTemplate& split = tables_->name;
  const std::int64_t process = process_;
  std::uint32_t number = TextTable::kNone;
  split.split(name, process, true);
  if (split.has_numbers_to_widen()) {
    number = templates_.find(split.bytes());
    if (number == TextTable::kNone) split.split(name, process, false);
  }
  if (number == TextTable::kNone) number = templates_.find(split.bytes());
  if (number == TextTable::kNone) {
    const SignalsBlocked blocked;
    define(Definition::name_template, nullptr, 0, split.bytes());
    number = templates_.add(split.bytes());
    check_crowded();
  }
  draft.words[draft.count++] = number;
  Draft::Name& kept = draft.names[draft.name_count++];
  kept.name_template = number;
  kept.numbers = static_cast<std::uint32_t>(split.numbers().size());
  for (std::size_t i = 0; i < kept.numbers; ++i) {
    kept.values[i] = split.numbers()[i];
    draft.words[draft.count++] =
        static_cast<std::uint64_t>(kept.values[i] - tables_->last_numbers[number][i]);
  }
}

std::uint32_t Lane::add_signature(const Draft& draft) {
  const SignalsBlocked blocked;
  define(Definition::signature, draft.words, draft.count * sizeof draft.words[0]);
  const std::uint32_t number = signatures_.add(draft.words, draft.count);
  check_crowded();
  return number;
}

// Not what came last time. A call whose values went to the columns before most likely does so again: then
// only a few signatures are looked at, which lie in the cache, and not a place in a large table. Now and then
// it is looked up as it is, in case the program has become regular.
std::uint32_t Lane::unforeseen_symbol_of(Draft& draft) {
  std::uint8_t& holes = holes_[draft.function()];
  if (holes != kExact && (++misses_ & 63) != 0) {
    Draft holed;
    draft.holed(holes == kSizes, holed);
    std::uint32_t found = signatures_.guess(holed.words, holed.count, last_symbol_);
    if (found == SignatureTable::kNone) found = signatures_.find(holed.words, holed.count);
    if (found != SignatureTable::kNone) {
      draft.assign(holed);
      return found;
    }
  }
  holes = kExact;
  const std::uint32_t found = signatures_.find(draft.words, draft.count);
  return found != SignatureTable::kNone ? found : new_symbol_of(draft);
}

// A loop whose offsets advance evenly has one signature; one that jumps about would have as many as calls.
// So only so many signatures are made of calls that differ in a position alone, or in positions and sizes;
// beyond that the values that differ go to the columns.
std::uint32_t Lane::new_symbol_of(Draft& draft) {
  Draft sizes;
  draft.holed(true, sizes);
  if (sizes.count == draft.count) return add_signature(draft);  // nothing in it can change
  const std::uint32_t all = signatures_.pattern_of(sizes.words, sizes.count);
  const bool few = signatures_.count_of(all) < kMostPerCall;

  Draft positions;
  draft.holed(false, positions);
  const bool has_positions = positions.count != draft.count;
  Draft* best = &draft;
  if (has_positions) {
    const std::uint32_t same_size = signatures_.pattern_of(positions.words, positions.count);
    if (!few || signatures_.count_of(same_size) >= kMostPerSize) {
      best = &positions;
    } else {
      signatures_.one_more_of(same_size);
    }
  }
  if (best != &draft || !few) {
    std::uint32_t found = SignatureTable::kNone;
    if (best != &draft) found = signatures_.find(positions.words, positions.count);
    if (found == SignatureTable::kNone && !few) {
      best = &sizes;
      found = signatures_.find(sizes.words, sizes.count);
    }
    if (best != &draft) holes_[draft.function()] = best == &sizes ? kSizes : kPositions;
    draft.assign(*best);
    if (found != SignatureTable::kNone) return found;
  }
  signatures_.one_more_of(all);
  return add_signature(draft);
}

}  // namespace weir::capture
