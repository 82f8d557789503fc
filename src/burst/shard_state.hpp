#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "burst/change.hpp"
#include "burst/extent_map.hpp"

namespace weir::burst {

// A file as its owner knows it.
struct FileState {
  bool has_name(const std::string& name) const {
    return named && (path == name || other_names.contains(name));
  }

  std::string path;  // the last one if it has none any more
  bool named = true;
  std::set<std::string> other_names;  // hard links
  bool in_backing = false;
  Attributes attributes;
  std::uint64_t reserved_end = 0;                // appends go behind this, or behind the end
  std::uint64_t version = 0;                     // counts publications, and what takes bytes away
  ExtentMap published;                           // who has which bytes
  ExtentMap unflushed;                           // those of them that the backing file lacks
  std::map<std::uint64_t, std::uint32_t> opens;  // by client
};

// The names and files of one worker: plain data that changes do things to.
class ShardState {
 public:
  void apply(const Change& change);

  const FileState* find(FileId file) const;
  FileId find_name(const std::string& path) const;  // zero when there is none
  // What was answered to this request before; null when it is new.
  const Bytes* answer_of(std::uint64_t client, std::uint64_t sequence) const;

  const std::map<std::string, FileId>& names() const { return names_; }
  const std::unordered_map<FileId, FileState>& files() const { return files_; }
  std::uint64_t files_made() const { return files_made_; }

  // Changes that make this state from nothing.
  void snapshot(const std::function<void(const Change&)>& each) const;

 private:
  void on(const FileMade& change);
  void on(const NamePut& change) { names_[change.path] = change.file; }
  void on(const NameGone& change) { names_.erase(change.path); }
  void on(const PathSet& change);
  void on(const FileGone& change) { files_.erase(change.file); }
  void on(const Published& change);
  void on(const Withdrawn& change);
  void on(const Resized& change);
  void on(const EndReserved& change);
  void on(const WrittenBack& change);
  void on(const GivenUp& change);
  void on(const OpenCount& change);
  void on(const Answered& change);
  void on(const ClientForgotten& change);
  void on(const FilesCounted& change) { files_made_ = std::max(files_made_, change.count); }

  void on(const AttributesSet& change);
  void on(const NameAdded& change);
  void on(const NameTaken& change);

  std::map<std::string, FileId> names_;  // in order: a directory is a range
  std::unordered_map<FileId, FileState> files_;
  std::uint64_t files_made_ = 0;

  // As many as a client can have under way at once, and more.
  static constexpr std::size_t kAnswersKept = 128;
  std::unordered_map<std::uint64_t, std::deque<std::pair<std::uint64_t, Bytes>>> answers_;
};

}  // namespace weir::burst
