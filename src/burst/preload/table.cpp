#include "burst/preload/table.hpp"

#include <algorithm>

#include <sched.h>

namespace weir::burst::preload {

constinit std::atomic<OpenFile*> Table::slots_[kMost] = {};

Table& Table::current() {
  static Table* const table = new Table;  // never destroyed: exit handlers still do I/O
  return *table;
}

void Table::put(int fd, FileId id, int flags, std::shared_ptr<File> file, bool shared) {
  const std::lock_guard lock(mutex_);
  OpenFile* made = nullptr;
  if (free_.empty()) {
    made = &all_.emplace_back();
  } else {
    made = free_.back();
    free_.pop_back();
  }
  made->begin(id, flags, std::move(file), shared);
  made->numbers_ = 1;
  slots_[fd].store(made);
  highest_.store(std::max(highest_.load(), fd + 1));
}

void Table::duplicate(int from, int to) {
  if (from == to) return;
  drop(to);
  const std::lock_guard lock(mutex_);
  OpenFile* const file = from >= 0 && from < kMost ? slots_[from].load() : nullptr;
  if (file == nullptr || to < 0 || to >= kMost) return;
  ++file->numbers_;
  slots_[to].store(file);
  highest_.store(std::max(highest_.load(), to + 1));
}

int Table::drop(int fd) {
  if (fd < 0 || fd >= kMost) return 0;
  OpenFile* file = nullptr;
  {
    const std::lock_guard lock(mutex_);
    file = slots_[fd].exchange(nullptr);
    if (file == nullptr || --file->numbers_ > 0) return 0;
  }
  while (file->users_.load() > 0) ::sched_yield();  // calls of other threads that began before
  const int error = file->end();
  const std::lock_guard lock(mutex_);
  free_.push_back(file);
  return error;
}

std::vector<int> Table::numbers() const {
  std::vector<int> found;
  for (int fd = 0; fd < highest_.load(); ++fd)
    if (slots_[fd].load() != nullptr) found.push_back(fd);
  return found;
}

void Table::begin_again() {
  for (OpenFile& file : all_) file.begin_again();
  OpenFile::begin_turns_again();
}

}  // namespace weir::burst::preload
