#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "consistency/model.hpp"

namespace weir::burst {

// What a file of a few bytes may look like to processes under a consistency model, byte by byte and without
// any of the file system's data structures: the reference that litmus tests hold it against. Operations
// happen one after the other, in the order of the calls; a copy of it goes on by itself.
//
// Under the eventual model nothing but a process's own order is promised: publish_some() may happen at any
// moment, and opens and reads may look or not.
class LitmusModel {
 public:
  static constexpr std::size_t kBytes = 16;

  // A model of the room consistency; none of its operations publishes or shows for the model "none".
  LitmusModel(const consistency::Model* model, std::size_t processes)
      : model_(model), processes_(processes) {}

  bool is_eventual() const { return model_ != nullptr && model_->publish.empty(); }
  bool is_open(std::size_t process) const { return processes_[process].is_open; }

  void open(std::size_t process, bool looks = true) {
    Process& one = processes_[process];
    one.is_open = true;
    if (!is_eventual()) {
      one.seen = {};
      looks = looks_on_open();
    }
    one.seen_size = size_;
    if (looks) one.seen = published_;
  }
  void write(std::size_t process, std::size_t begin, std::string_view text) {
    processes_[process].mine.push_back({begin, std::string(text)});
    if (publishes_writes()) publish(process);
  }
  void append(std::size_t process, std::string_view text) {
    const std::size_t own_end = publishes_writes() ? 0 : end_of(processes_[process]);
    const std::size_t begin = std::max({size_, reserved_, own_end});
    if (!publishes_writes()) reserved_ = begin + text.size();
    write(process, begin, text);
  }
  void sync(std::size_t process) {
    if (model_ == nullptr) return;
    if (model_->publishes_on(consistency::Operation::fsync)) publish(process);
    if (model_->sees_on(consistency::Operation::fsync)) query(process);
  }
  void close(std::size_t process) {
    Process& one = processes_[process];
    if (is_eventual()) {
      one.is_open = false;
      return;
    }
    if (model_ != nullptr && model_->publishes_on(consistency::Operation::close)) publish(process);
    one = {};
  }
  void attach(std::size_t process) { publish(process); }
  void query(std::size_t process) {
    processes_[process].seen = published_;
    processes_[process].seen_size = size_;
  }
  // The first `count` of its unpublished writes.
  void publish_some(std::size_t process, std::size_t count) {
    Process& one = processes_[process];
    for (std::size_t w = 0; w < count; ++w) {
      const auto& [begin, text] = one.mine[w];
      for (std::size_t i = 0; i < text.size(); ++i) {
        published_[begin + i] = one.seen[begin + i] = text[i];
        publishers_[begin + i] = process;
      }
      size_ = std::max(size_, begin + text.size());
      one.seen_size = std::max(one.seen_size, begin + text.size());
    }
    one.mine.erase(one.mine.begin(), one.mine.begin() + static_cast<std::ptrdiff_t>(count));
  }
  std::size_t unpublished(std::size_t process) const { return processes_[process].mine.size(); }

  // What a read gives of so many bytes; under the eventual model, whether it looks first.
  std::string read(std::size_t process, std::size_t begin, std::size_t length, bool looks = true) {
    Process& one = processes_[process];
    if (is_eventual() ? looks : model_ != nullptr && model_->sees_at_once()) query(process);
    const std::size_t size = std::max(one.seen_size, end_of(one));
    if (begin >= size) return {};
    Bytes bytes = one.seen;
    for (const auto& [at, text] : one.mine)
      for (std::size_t i = 0; i < text.size(); ++i) bytes[at + i] = text[i];
    std::string text;
    for (std::size_t i = begin; i < std::min(size, begin + length); ++i) text += bytes[i] ? *bytes[i] : '\0';
    return text;
  }
  std::string read(std::size_t process) { return read(process, 0, kBytes); }
  // What that process has published of so many bytes; nothing when others have published some of them.
  std::optional<std::string> read_peer(std::size_t peer, std::size_t begin, std::size_t length) const {
    std::string text;
    for (std::size_t i = begin; i < begin + length; ++i) {
      if (!published_[i] || publishers_[i] != peer) return std::nullopt;
      text += *published_[i];
    }
    return text;
  }

  // All of it as text: two of the same text go on alike.
  std::string key() const {
    std::string text = std::to_string(size_) + "," + std::to_string(reserved_) + key_of(published_);
    for (const Process& one : processes_) {
      text += one.is_open ? "|o" : "|c";
      text += std::to_string(one.seen_size) + key_of(one.seen);
      for (const auto& [begin, written] : one.mine) text += ";" + std::to_string(begin) + written;
    }
    return text;
  }

 private:
  using Bytes = std::array<std::optional<char>, kBytes>;
  struct Process {
    bool is_open = false;
    std::vector<std::pair<std::size_t, std::string>> mine;  // unpublished writes, in order
    Bytes seen{};
    std::size_t seen_size = 0;
  };

  bool publishes_writes() const { return model_ != nullptr && model_->publishes_writes(); }
  bool looks_on_open() const { return model_ != nullptr && !model_->sees_at_once(); }
  void publish(std::size_t process) { publish_some(process, unpublished(process)); }
  static std::size_t end_of(const Process& one) {
    std::size_t end = 0;
    for (const auto& [begin, text] : one.mine) end = std::max(end, begin + text.size());
    return end;
  }
  static std::string key_of(const Bytes& bytes) {
    std::string text;
    for (const auto& byte : bytes) text += byte ? *byte : '.';
    return text;
  }

  const consistency::Model* model_;
  std::vector<Process> processes_;
  Bytes published_{};
  std::array<std::size_t, kBytes> publishers_{};
  std::size_t size_ = 0;
  std::size_t reserved_ = 0;
};

}  // namespace weir::burst
