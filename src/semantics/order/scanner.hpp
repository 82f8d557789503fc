#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "semantics/detail/process_clock.hpp"
#include "semantics/order/activity.hpp"
#include "semantics/order/group_table.hpp"
#include "semantics/order/request_table.hpp"
#include "trace/record.hpp"

namespace weir::semantics {

// Follows the calls of one process, thread after thread: which request stands for what, which place each
// communicator has, how many collectives came before. Fills the activity.
class Scanner {
 public:
  Scanner(std::uint32_t process, const Contexts& contexts, std::span<const MpiCall> calls,
          std::span<const trace::Function> functions, const detail::ProcessClock& clock,
          ProcessActivity& activity);

  void begin_chain(std::uint32_t stream, std::uint64_t first_record, std::uint64_t thread);
  void take(const trace::Record& record);

 private:
  using Values = std::span<const trace::Value>;
  struct Window {
    std::uint32_t sequence = 0;
    bool waits_to_free = false;  // nothing allows it to be freed early
    bool fenced = false;         // the last fence has begun an epoch
    std::uint32_t made = 0;      // how often this number was given
    std::uint32_t chain = 0;
    std::uint32_t place = 0;
    std::uint32_t exposure = kNever;  // the epochs that are open
    std::uint32_t access = kNever;
  };

  Chain& chain() { return activity_->chains.back(); }
  std::uint32_t chain_index() const { return static_cast<std::uint32_t>(activity_->chains.size() - 1); }
  std::uint32_t point();
  void remark(const char* why);
  std::uint32_t place_of(const trace::Value& comm);
  std::uint32_t peer_of(std::uint32_t place, std::int64_t rank) const;
  std::uint32_t sequence_of(const Sequence& sequence);

  void send(const MpiCall& call, Values values);
  void receive(const MpiCall& call, Values values);
  void look(const MpiCall& call, Values values);
  bool envelope(const MpiCall& call, Values values, bool sends, Post& post);
  void open(const trace::Value& request, OpenRequest::Kind kind, std::uint32_t entry);
  void open_persistent(const MpiCall& call, Values values, OpenRequest::Kind kind, const Post& pattern);
  void start(const MpiCall& call, Values values);
  void start_one(std::int64_t request);
  void complete(const MpiCall& call, Values values);
  void complete_one(std::int64_t request, std::int64_t source, std::int64_t tag);
  void fail_to_complete(const MpiCall& call, Values values);
  void forget(const MpiCall& call, Values values);
  void cancel(const MpiCall& call, Values values);
  void learn_cancelled(const MpiCall& call, Values values);

  void collective(const MpiCall& call, Values values);
  void on_window(const MpiCall& call, Values values);
  void add_collective(const MpiCall& call, Values values, std::uint32_t sequence, const Place& place,
                      bool orders);
  void take_root(const MpiCall& call, Values values, CollectiveCall& made) const;
  bool is_counted(MpiCall::Counts counts, std::int8_t argument, Values values, const Place& place) const;
  std::uint32_t list_of(const MpiCall& call, Values values, std::uint32_t place);
  void learn_topology(const MpiCall& call, Values values);
  Window* find_window(const trace::Value& value);
  void make_group(const MpiCall& call, Values values);
  void epoch(const MpiCall& call, Values values);
  void begin_epoch(Window& window, const MpiCall& call, Values values);
  void fetch(const MpiCall& call, Values values);
  void fork(Values values, const trace::Value& result);
  void wait(Values values, const trace::Value& result);
  void on_thread(Values values, const trace::Value& result, std::vector<Kin>& kin);
  ShellCommand& run_command(const trace::Value& text);
  void run_shell(Values values);
  void open_shell(Values values, const trace::Value& stream);
  void close_shell(const trace::Value& stream);
  std::int64_t end_of_record() const;

  std::uint32_t process_;
  const Contexts* contexts_;
  std::span<const MpiCall> calls_;
  std::span<const trace::Function> functions_;
  detail::ProcessClock clock_;
  ProcessActivity* activity_;
  const trace::Record* record_ = nullptr;
  std::uint16_t function_ = 0;
  bool has_point_ = false;  // of the current record

  RequestTable requests_;
  std::vector<Post> patterns_;         // of persistent requests
  std::vector<std::uint32_t> to_ask_;  // receives, completed, that may have been cancelled
  std::unordered_map<std::int64_t, std::uint32_t> place_by_id_;
  std::uint32_t world_place_ = 0;
  std::uint32_t self_place_ = 0;
  std::map<Sequence, std::uint32_t> sequence_numbers_;
  std::vector<std::uint32_t> counted_;  // per sequence: collectives so far
  std::unordered_map<std::int64_t, Window> windows_;
  GroupTable groups_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>>
      neighbours_;  // by place: ranks that it hears from
  std::unordered_map<std::uint32_t, std::uint32_t> list_by_signature_;
  std::unordered_map<std::uint32_t, std::size_t> shells_;  // commands of this thread that are open, by stream
};

}  // namespace weir::semantics
