#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "calls/call.hpp"
#include "trace/record.hpp"

namespace weir::proxy {

// Calls as text that is the same for the same call in another run: handles, requests and objects are numbered
// as they come up, names are below the root.
class Canonical {
 public:
  explicit Canonical(std::string root) : root_(std::move(root)) {}

  // Whether it is about a file that a proxy does not touch, by its name or as it was opened: libraries look
  // for theirs when they are loaded, and who replays a trace reads it.
  bool is_elsewhere(const trace::Record& record);

  std::string text(const trace::Record& record);

 private:
  void put_value(const trace::Function& function, const Argument& about, const trace::Value& value);
  std::uint64_t number_of(std::string_view kind, std::int64_t id);
  std::string_view below_root(std::string_view path) const;

  std::string root_;
  std::set<std::uint32_t> elsewhere_;  // handles
  std::map<std::pair<std::string, std::int64_t>, std::uint64_t> numbers_;
  std::map<std::string, std::uint64_t, std::less<>> next_;
  std::string out_;
};

// Whether what it brings depends on what had completed by then.
bool tells_outcome(const trace::Function& function);

}  // namespace weir::proxy
