#include "semantics/order/scanner.hpp"

#include <sys/wait.h>

namespace weir::semantics {
namespace {

using trace::Value;
using Kind = MpiCall::Kind;

constexpr std::uint32_t kNoPlace = Place::kNone;
constexpr std::int64_t kNoSource = -1;  // instead of a rank: the status tells of no message

bool is_text(const Value& value, std::string_view text) {
  return value.kind == Value::Kind::text && value.text == text;
}

bool is_set(const MpiCall& call, std::span<const Value> values) {
  if (call.flag == MpiCall::kNone) return true;
  const Value& flag = values[static_cast<std::size_t>(call.flag)];
  return flag.kind == Value::Kind::number && flag.number != 0;
}

}  // namespace

Scanner::Scanner(std::uint32_t process, const Contexts& contexts, std::span<const MpiCall> calls,
                 std::span<const trace::Function> functions, const detail::ProcessClock& clock,
                 ProcessActivity& activity)
    : process_(process),
      contexts_(&contexts),
      calls_(calls),
      functions_(functions),
      clock_(clock),
      activity_(&activity) {
  activity_->places = {contexts.world(process), contexts.self(process)};
  world_place_ = contexts.world(process).known() ? 0 : kNoPlace;
  self_place_ = 1;
}

void Scanner::begin_chain(std::uint32_t stream, std::uint64_t first_record, std::uint64_t thread) {
  Chain chain;
  chain.thread = thread;
  chain.process = process_;
  chain.stream = stream;
  chain.first_record = chain.end_record = first_record;
  activity_->chains.push_back(std::move(chain));
  requests_ = {};  // they speak of the last thread's posts
  to_ask_.clear();
  shells_.clear();  // another thread's stream may be a later one of the same number
}

std::uint32_t Scanner::point() {
  if (!has_point_) {
    chain().points.push_back(record_->index);
    chain().starts.push_back(clock_.at(record_->start_ns));
  }
  has_point_ = true;
  return static_cast<std::uint32_t>(chain().points.size() - 1);
}

void Scanner::remark(const char* why) {
  activity_->remarks.push_back({chain_index(), record_->index, function_, why});
}

std::uint32_t Scanner::place_of(const Value& comm) {
  if (is_text(comm, "MPI_COMM_WORLD")) return world_place_;
  if (is_text(comm, "MPI_COMM_SELF")) return self_place_;
  if (comm.kind != Value::Kind::object) return kNoPlace;
  const auto [found, fresh] = place_by_id_.emplace(comm.number, kNoPlace);
  if (fresh) {
    const Place place = contexts_->find(process_, comm.number);
    if (place.known()) {
      found->second = static_cast<std::uint32_t>(activity_->places.size());
      activity_->places.push_back(place);
    }
  }
  return found->second;
}

std::uint32_t Scanner::peer_of(std::uint32_t place, std::int64_t rank) const {
  const auto& peers = contexts_->peers(activity_->places[place]);
  return rank >= 0 && rank < static_cast<std::int64_t>(peers.size()) ? peers[static_cast<std::size_t>(rank)]
                                                                     : Context::kAbsent;
}

std::uint32_t Scanner::sequence_of(const Sequence& sequence) {
  const auto [found, fresh] =
      sequence_numbers_.emplace(sequence, static_cast<std::uint32_t>(activity_->sequences.size()));
  if (fresh) {
    activity_->sequences.push_back(sequence);
    counted_.push_back(0);
  }
  return found->second;
}

void Scanner::take(const trace::Record& record) {
  chain().end_record = record.index + 1;
  chain().end_ns = clock_.at(record.start_ns) + static_cast<std::int64_t>(record.duration_ns);
  const auto function = static_cast<std::size_t>(record.function - functions_.data());
  const MpiCall& call = calls_[function];
  if (call.is_mpi) ++activity_->mpi_calls;
  if (call.kind == Kind::none) return;
  record_ = &record;
  function_ = static_cast<std::uint16_t>(function);
  has_point_ = false;
  const Values values = record.arguments;
  if (record.failed()) {
    // A receive that failed may have taken its message all the same (MPI_ERR_TRUNCATE).
    if (call.kind == Kind::complete) fail_to_complete(call, values);
    if ((call.kind == Kind::receive && !call.starts) || call.kind == Kind::send_receive)
      receive(call, values);
    return;
  }
  switch (call.kind) {
    case Kind::send:
      return send(call, values);
    case Kind::receive:
      return receive(call, values);
    case Kind::send_receive:
      send(call, values);
      return receive(call, values);
    case Kind::probe:
    case Kind::match:
      return look(call, values);
    case Kind::start:
      return start(call, values);
    case Kind::complete:
      return complete(call, values);
    case Kind::forget:
      return forget(call, values);
    case Kind::cancel:
      return cancel(call, values);
    case Kind::ask_cancelled:
      return learn_cancelled(call, values);
    case Kind::collective:
      return collective(call, values);
    case Kind::group:
      return make_group(call, values);
    case Kind::epoch:
      return epoch(call, values);
    case Kind::fetch:
      return fetch(call, values);
    case Kind::forks:
      return fork(values, record.result);
    case Kind::waits:
      return wait(values, record.result);
    case Kind::makes_thread:
      return on_thread(values, record.result, chain().threads_made);
    case Kind::joins_thread:
      return on_thread(values, record.result, chain().threads_joined);
    case Kind::runs_shell:
      return run_shell(values);
    case Kind::opens_shell:
      return open_shell(values, record.result);
    case Kind::closes_shell:
      return values.empty() ? void() : close_shell(values[0]);
    default:
      return;
  }
}

// Communicator, partner and tag; false when no message is meant, or none that can be followed.
bool Scanner::envelope(const MpiCall& call, Values values, bool sends, Post& post) {
  const auto at = [&](std::int8_t argument) -> const Value& {
    return values[static_cast<std::size_t>(argument)];
  };
  const Value& partner = at(sends ? call.dest : call.source);
  const Value& tag = at(sends ? call.send_tag : call.receive_tag);
  if (is_text(partner, "MPI_PROC_NULL")) return false;
  post.place = place_of(at(call.comm));
  if (post.place == kNoPlace) {
    remark("its communicator is of no known members");
    return false;
  }
  post.peer = is_text(partner, "MPI_ANY_SOURCE") ? Post::kAnyone : peer_of(post.place, partner.number);
  post.tag = is_text(tag, "MPI_ANY_TAG") ? Post::kAnyTag : static_cast<std::int32_t>(tag.number);
  post.function = function_;
  post.synchronous = call.synchronous;
  return true;
}

void Scanner::send(const MpiCall& call, Values values) {
  Post post;
  const bool real = envelope(call, values, true, post);
  if (call.persistent)
    return open_persistent(call, values, real ? OpenRequest::Kind::send : OpenRequest::Kind::other, post);
  if (real) {
    post.point = point();
    if (!call.starts) post.completion = post.point;
    chain().sends.push_back(post);
  }
  if (call.starts)
    open(values[static_cast<std::size_t>(call.request)],
         real ? OpenRequest::Kind::send : OpenRequest::Kind::other,
         static_cast<std::uint32_t>(chain().sends.size() - 1));
}

void Scanner::receive(const MpiCall& call, Values values) {
  Post post;
  const bool real = envelope(call, values, false, post);
  if (call.persistent)
    return open_persistent(call, values, real ? OpenRequest::Kind::receive : OpenRequest::Kind::other, post);
  if (real) {
    post.point = point();
    if (record_->failed()) post.uncertain = true;
    if (!call.starts && !post.uncertain) {
      post.completion = post.point;
      const Value& status = values[static_cast<std::size_t>(call.status)];
      if (status.kind == Value::Kind::status) {
        post.peer = peer_of(post.place, status.number);
        post.tag = static_cast<std::int32_t>(status.second);
      }
    }
    chain().receives.push_back(post);
  }
  if (call.starts)
    open(values[static_cast<std::size_t>(call.request)],
         real ? OpenRequest::Kind::receive : OpenRequest::Kind::other,
         static_cast<std::uint32_t>(chain().receives.size() - 1));
}

// MPI_Probe and MPI_Mprobe: a message that came is one that was sent.
void Scanner::look(const MpiCall& call, Values values) {
  if (!is_set(call, values)) return;
  Post post;
  if (!envelope(call, values, false, post)) return;
  const Value& status = values[static_cast<std::size_t>(call.status)];
  if (status.kind != Value::Kind::status) return;
  post.peer = peer_of(post.place, status.number);
  post.tag = static_cast<std::int32_t>(status.second);
  post.peeks = call.kind == Kind::probe;
  post.point = post.completion = point();
  chain().receives.push_back(post);
}

void Scanner::open(const Value& request, OpenRequest::Kind kind, std::uint32_t entry) {
  if (request.kind != Value::Kind::object || request.number < 0 || request.number > INT32_MAX) return;
  OpenRequest& made = requests_[static_cast<std::uint32_t>(request.number)];
  made = {};
  made.kind = kind;
  made.entry = entry;
  made.active = true;
}

void Scanner::open_persistent(const MpiCall& call, Values values, OpenRequest::Kind kind,
                              const Post& pattern) {
  const Value& request = values[static_cast<std::size_t>(call.request)];
  if (request.kind != Value::Kind::object || request.number < 0 || request.number > INT32_MAX) return;
  OpenRequest& made = requests_[static_cast<std::uint32_t>(request.number)];
  made = {};
  made.kind = kind;
  made.persistent = true;
  made.pattern = static_cast<std::uint32_t>(patterns_.size());
  patterns_.push_back(pattern);
}

void Scanner::start(const MpiCall& call, Values values) {
  const Value& requests = values[static_cast<std::size_t>(call.request)];
  if (requests.kind == Value::Kind::object) start_one(requests.number);
  for (const trace::ListItem& item : requests.items)
    if (item.kind == trace::ListItem::Kind::number) start_one(item.number);
}

void Scanner::start_one(std::int64_t request) {
  OpenRequest* const found = requests_.find(request);
  if (found == nullptr || !found->persistent) return remark("it starts a request that another thread made");
  found->active = true;
  found->cancelled = false;
  if (found->kind == OpenRequest::Kind::other) return;
  auto& posts = found->kind == OpenRequest::Kind::send ? chain().sends : chain().receives;
  found->entry = static_cast<std::uint32_t>(posts.size());
  posts.push_back(patterns_[found->pattern]);
  posts.back().point = point();
}

void Scanner::complete(const MpiCall& call, Values values) {
  if (!is_set(call, values)) return;
  const auto at = [&](std::int8_t argument) -> const Value& {
    return values[static_cast<std::size_t>(argument)];
  };
  const Value& requests = at(call.request);
  if (requests.kind == Value::Kind::object) {
    const Value& status = at(call.status);
    const bool told = status.kind == Value::Kind::status;
    return complete_one(requests.number, told ? status.number : kNoSource, told ? status.second : 0);
  }
  const auto request_at = [&](std::int64_t i) {
    if (i < 0 || static_cast<std::uint64_t>(i) >= requests.items.size()) return std::int64_t{-1};
    const trace::ListItem& item = requests.items[static_cast<std::size_t>(i)];
    return item.kind == trace::ListItem::Kind::number ? item.number : std::int64_t{-1};
  };
  if (call.index != MpiCall::kNone) {  // MPI_Waitany
    const Value& status = at(call.status);
    const bool told = status.kind == Value::Kind::status;
    if (at(call.index).kind == Value::Kind::number)
      complete_one(request_at(at(call.index).number), told ? status.number : kNoSource,
                   told ? status.second : 0);
    return;
  }
  const std::span<const trace::ListItem> statuses = at(call.status).items;
  const auto complete_with = [&](std::int64_t request, std::size_t status) {
    const bool told =
        2 * status + 1 < statuses.size() && statuses[2 * status].kind == trace::ListItem::Kind::number;
    complete_one(request, told ? statuses[2 * status].number : kNoSource,
                 told ? statuses[2 * status + 1].number : 0);
  };
  if (call.indices != MpiCall::kNone) {  // MPI_Waitsome
    const std::span<const trace::ListItem> indices = at(call.indices).items;
    for (std::size_t i = 0; i < indices.size(); ++i)
      if (indices[i].kind == trace::ListItem::Kind::number) complete_with(request_at(indices[i].number), i);
    return;
  }
  for (std::size_t i = 0; i < requests.items.size(); ++i)
    complete_with(request_at(static_cast<std::int64_t>(i)), i);
}

void Scanner::complete_one(std::int64_t request, std::int64_t source, std::int64_t tag) {
  if (request < 0) return;
  OpenRequest* const found = requests_.find(request);
  if (found == nullptr) return;  // of a file, or of another thread: it ends nothing here
  if (!found->active) return;
  switch (found->kind) {
    case OpenRequest::Kind::send: {
      Post& post = chain().sends[found->entry];
      if (found->cancelled)
        post.uncertain = true;
      else if (post.synchronous)
        post.completion = point();
      break;
    }
    case OpenRequest::Kind::receive: {
      Post& post = chain().receives[found->entry];
      post.completion = point();
      if (source >= 0) {
        post.peer = peer_of(post.place, source);
        post.tag = static_cast<std::int32_t>(tag);
      }
      if (found->cancelled) {
        post.uncertain = true;
        to_ask_.push_back(found->entry);
      }
      break;
    }
    case OpenRequest::Kind::collective:
      chain().collectives[found->entry].completion = point();
      break;
    default:
      break;
  }
  found->active = false;
  if (!found->persistent) found->kind = OpenRequest::Kind::none;
}

// Which of the requests are over after an error is not in the trace: none is taken for complete.
void Scanner::fail_to_complete(const MpiCall& call, Values values) {
  const Value& requests = values[static_cast<std::size_t>(call.request)];
  const auto drop = [&](std::int64_t request) {
    OpenRequest* const found = requests_.find(request);
    if (found == nullptr || !found->active) return;
    if (found->kind == OpenRequest::Kind::receive) chain().receives[found->entry].uncertain = true;
    if (found->kind == OpenRequest::Kind::send) chain().sends[found->entry].uncertain = true;
  };
  if (requests.kind == Value::Kind::object) drop(requests.number);
  for (const trace::ListItem& item : requests.items)
    if (item.kind == trace::ListItem::Kind::number) drop(item.number);
}

void Scanner::forget(const MpiCall& call, Values values) {
  const Value& request = values[static_cast<std::size_t>(call.request)];
  if (request.kind != Value::Kind::object) return;
  if (OpenRequest* const found = requests_.find(request.number)) *found = {};
}

void Scanner::cancel(const MpiCall& call, Values values) {
  const Value& request = values[static_cast<std::size_t>(call.request)];
  if (request.kind != Value::Kind::object) return;
  if (OpenRequest* const found = requests_.find(request.number); found != nullptr && found->active)
    found->cancelled = true;
}

// The status that is asked about is not in the trace. It can only be the one of the last completion where
// just one request was cancelled; else it stays uncertain.
void Scanner::learn_cancelled(const MpiCall& call, Values values) {
  if (to_ask_.size() != 1) return;
  Post& post = chain().receives[to_ask_.front()];
  post.uncertain = false;
  post.cancelled = is_set(call, values);
  to_ask_.clear();
}

void Scanner::fork(Values values, const Value& result) {
  std::int64_t child = result.kind == Value::Kind::number ? result.number : 0;
  if (!values.empty() && record_->function->name.starts_with("posix_spawn"))
    child = values[0].kind == Value::Kind::number ? values[0].number : 0;
  if (child > 0) chain().forks.push_back({point(), child});
}

// Only of a child that has ended: the status tells, or that nothing else was asked for.
void Scanner::wait(Values values, const Value& result) {
  constexpr std::int64_t kOthersToo = WUNTRACED | WCONTINUED;
  std::int64_t child = result.kind == Value::Kind::number ? result.number : 0;
  std::int64_t options = 0;
  const Value* status = nullptr;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string_view name = record_->function->arguments[i].name;
    if (name == "options" && values[i].kind == Value::Kind::number) options = values[i].number;
    if (name == "status" && values[i].kind == Value::Kind::number) status = &values[i];
    if (name == "ended") child = values[i].kind == Value::Kind::number ? values[i].number : 0;
  }
  if (status != nullptr) {
    const int word = static_cast<int>(status->number);
    if (!WIFEXITED(word) && !WIFSIGNALED(word)) return;
  } else if ((options & kOthersToo) != 0) {
    return;
  }
  if (child > 0) chain().waits.push_back({point(), child});
}

std::int64_t Scanner::end_of_record() const {
  return record_->start_ns + static_cast<std::int64_t>(record_->duration_ns);
}

ShellCommand& Scanner::run_command(const Value& text) {
  ShellCommand command;
  command.text = text.text;
  command.chain = chain_index();
  command.point = point();
  command.start_ns = record_->start_ns;
  return activity_->commands.emplace_back(command);
}

// system(): whatever the shell's status, it has ended.
void Scanner::run_shell(Values values) {
  if (values.empty() || values[0].kind != Value::Kind::text) return;
  ShellCommand& command = run_command(values[0]);
  if (record_->result.kind != Value::Kind::number) return;  // it never returned
  command.done = command.point;
  command.end_ns = end_of_record();
}

void Scanner::open_shell(Values values, const Value& stream) {
  if (values.empty() || values[0].kind != Value::Kind::text || stream.kind != Value::Kind::opened) return;
  run_command(values[0]);
  shells_[stream.handle] = activity_->commands.size() - 1;
}

void Scanner::close_shell(const Value& stream) {
  const auto found = stream.kind == Value::Kind::handle ? shells_.find(stream.handle) : shells_.end();
  if (found == shells_.end()) return;
  ShellCommand& command = activity_->commands[found->second];
  command.done = point();
  command.end_ns = end_of_record();
  shells_.erase(found);
}

void Scanner::on_thread(Values values, const Value& result, std::vector<Kin>& kin) {
  if (result.kind != Value::Kind::number || result.number != 0 || values.empty()) return;
  if (values[0].kind != Value::Kind::number || values[0].number <= 0) return;
  kin.push_back({point(), values[0].number});
}

}  // namespace weir::semantics
