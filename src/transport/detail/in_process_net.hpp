#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/random.hpp"
#include "base/unique_fd.hpp"
#include "transport/bytes.hpp"
#include "transport/in_process.hpp"

namespace weir::transport::detail {

enum class MessageKind : std::uint8_t {
  request,
  answer,
  unanswered,  // the handler dropped the request
  gone,        // from the net itself: nobody is at that address
};

struct Message {
  MessageKind kind = MessageKind::request;
  std::uint32_t from = 0;  // the sender's number
  std::string from_address;
  std::uint64_t call = 0;
  Bytes bytes;
};

// What is on its way to one end, by the time at which it arrives. A timerfd is readable when the first is
// due.
class Inbox {
 public:
  Inbox();

  void put(Message message, std::chrono::steady_clock::time_point when);
  std::optional<Message> take();  // the first that is due
  bool arm();  // false when one is due; else the descriptor becomes readable when the first is
  int descriptor() const { return timer_.get(); }
  // The latest arrival so far from `sender`: what must not be overtaken.
  std::chrono::steady_clock::time_point& latest_from(const std::string& sender) { return latest_[sender]; }
  void drop_from(const std::string& sender);

 private:
  void set_timer(std::optional<std::chrono::steady_clock::time_point> when);

  std::mutex mutex_;
  UniqueFd timer_;
  bool armed_ = false;
  std::uint64_t serial_ = 0;
  // Ordered by time, then by sending.
  std::map<std::pair<std::chrono::steady_clock::time_point, std::uint64_t>, Message> messages_;
  std::map<std::string, std::chrono::steady_clock::time_point> latest_;  // guarded by the net's mutex
};

}  // namespace weir::transport::detail

namespace weir::transport {

struct InProcessNet::State {
  State(std::uint64_t the_seed, Faults the_faults) : seed(the_seed), faults(the_faults) {}

  void join(const std::string& address, detail::Inbox* inbox);
  // Everyone learns that nobody is there any more.
  void leave(const std::string& address);
  void send(const std::string& from, const std::string& to, detail::Message message);
  // Ends the calls of `to` at `from`, after what has been sent to it.
  void hang_up(const std::string& from, const std::string& to);

  std::mutex mutex;
  const std::uint64_t seed;
  Faults faults;
  Counts counts;
  std::uint64_t next_address = 0;
  std::map<std::string, detail::Inbox*> ends;
  std::set<std::pair<std::string, std::string>> cuts;  // both ways are in
  std::map<std::pair<std::string, std::string>, Random> fates;

 private:
  Random& fate(const std::string& from, const std::string& to);
};

}  // namespace weir::transport
