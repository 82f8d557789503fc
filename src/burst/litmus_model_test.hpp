#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "consistency/model.hpp"

namespace weir::burst {

// What a file of a few bytes may look like to processes under a consistency model, byte by byte and without
// any of the file system's data structures: the reference that litmus tests hold it against. Operations
// happen one after the other, in the order of the calls.
class LitmusModel {
 public:
  static constexpr std::size_t kBytes = 12;
  using Content = std::array<char, kBytes>;

  // A model of the room consistency; none of its operations publishes or shows for the model "none".
  LitmusModel(const consistency::Model* model, std::size_t processes)
      : model_(model), processes_(processes) {}

  void open(std::size_t process) {
    Process& one = processes_[process];
    one.is_open = true;
    one.seen = {};
    one.seen_size = size_;
    if (looks_on_open()) one.seen = published_;
  }
  void write(std::size_t process, std::size_t begin, std::string_view text) {
    Process& one = processes_[process];
    for (std::size_t i = 0; i < text.size(); ++i) one.mine[begin + i] = text[i];
    if (model_ != nullptr && model_->publishes_writes()) publish(process);
  }
  void sync(std::size_t process) {
    if (model_ != nullptr && model_->publishes_on(consistency::Operation::fsync)) publish(process);
  }
  void close(std::size_t process) {
    Process& one = processes_[process];
    if (model_ != nullptr && model_->publishes_on(consistency::Operation::close)) publish(process);
    one = {};
  }
  void attach(std::size_t process) { publish(process); }
  void query(std::size_t process) {
    processes_[process].seen = published_;
    processes_[process].seen_size = size_;
  }

  // What a read of the whole file gives.
  std::string read(std::size_t process) {
    Process& one = processes_[process];
    if (model_ != nullptr && model_->sees_at_once()) query(process);
    std::size_t size = one.seen_size;
    for (std::size_t i = 0; i < kBytes; ++i)
      if (one.mine[i]) size = std::max(size, i + 1);
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i)
      if (one.mine[i])
        text[i] = *one.mine[i];
      else if (one.seen[i])
        text[i] = *one.seen[i];
    return text;
  }
  bool is_open(std::size_t process) const { return processes_[process].is_open; }

 private:
  using Bytes = std::array<std::optional<char>, kBytes>;
  struct Process {
    bool is_open = false;
    Bytes mine{};
    Bytes seen{};
    std::size_t seen_size = 0;
  };

  bool looks_on_open() const { return model_ != nullptr && !model_->sees_at_once(); }
  void publish(std::size_t process) {
    Process& one = processes_[process];
    for (std::size_t i = 0; i < kBytes; ++i) {
      if (!one.mine[i]) continue;
      published_[i] = one.seen[i] = one.mine[i];
      one.mine[i].reset();
      size_ = std::max(size_, i + 1);
      one.seen_size = std::max(one.seen_size, i + 1);
    }
  }

  const consistency::Model* model_;
  std::vector<Process> processes_;
  Bytes published_{};
  std::size_t size_ = 0;
};

}  // namespace weir::burst
