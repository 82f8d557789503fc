#include "semantics/communication.hpp"

#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "base/interrupt.hpp"
#include "base/parallel.hpp"
#include "semantics/detail/action.hpp"
#include "semantics/detail/datatype.hpp"
#include "semantics/order/contexts.hpp"
#include "semantics/order/mpi_call.hpp"
#include "trace/records.hpp"

namespace weir::semantics {
namespace {

using trace::Record;
using trace::Value;

struct Message {
  std::uint32_t to = Context::kAbsent;
  std::optional<std::uint64_t> bytes;
};

// Follows one process through its records.
class Sender {
 public:
  Sender(const trace::TraceFile& trace, std::uint32_t process, const Contexts& contexts,
         const std::vector<MpiCall>& calls, const std::vector<detail::CallInfo>& infos)
      : trace_(trace), process_(process), contexts_(contexts), calls_(calls), infos_(infos) {}

  void add(const Record& record);

  const std::map<std::uint32_t, Channel>& channels() const { return channels_; }
  std::uint64_t unsized() const { return unsized_; }
  std::uint64_t unplaced() const { return unplaced_; }

 private:
  void send(const MpiCall& call, const Record& record);
  void start(const MpiCall& call, const Record& record);
  void count(const Message& message);
  Place place_of(const Value& communicator) const;
  std::optional<std::uint64_t> bytes_of(const Record& record) const;

  const trace::TraceFile& trace_;
  std::uint32_t process_;
  const Contexts& contexts_;
  const std::vector<MpiCall>& calls_;
  const std::vector<detail::CallInfo>& infos_;
  detail::Datatypes datatypes_;
  std::unordered_map<std::int64_t, Message> persistent_;  // by request
  std::map<std::uint32_t, Channel> channels_;             // by receiver
  std::uint64_t unsized_ = 0;
  std::uint64_t unplaced_ = 0;
};

void Sender::add(const Record& record) {
  if (record.failed()) return;
  const auto number = static_cast<std::size_t>(record.function - trace_.tables().functions.data());
  const detail::Action action = infos_[number].action;
  if (action == detail::Action::make_type) return datatypes_.make(record);
  if (action == detail::Action::free_type) return datatypes_.free(record.arguments[0]);
  const MpiCall& call = calls_[number];
  if (call.kind == MpiCall::Kind::send || call.kind == MpiCall::Kind::send_receive)
    send(call, record);
  else if (call.kind == MpiCall::Kind::start)
    start(call, record);
}

Place Sender::place_of(const Value& communicator) const {
  if (communicator.kind == Value::Kind::object) return contexts_.find(process_, communicator.number);
  if (communicator.text == "MPI_COMM_WORLD") return contexts_.world(process_);
  if (communicator.text == "MPI_COMM_SELF") return contexts_.self(process_);
  return {};
}

std::optional<std::uint64_t> Sender::bytes_of(const Record& record) const {
  std::optional<std::int64_t> count;
  detail::DatatypePointer type;
  for (std::size_t i = 0; i < record.arguments.size(); ++i) {
    const std::string_view name = record.function->arguments[i].name;
    if (name == "count" || name == "sendcount") count = record.arguments[i].number;
    if (name == "datatype" || name == "sendtype") type = datatypes_.find(record.arguments[i]);
  }
  if (!count || *count < 0 || type == nullptr) return std::nullopt;
  return static_cast<std::uint64_t>(*count) * static_cast<std::uint64_t>(type->size);
}

void Sender::send(const MpiCall& call, const Record& record) {
  if (call.dest == MpiCall::kNone || call.comm == MpiCall::kNone) return;
  const Value& dest = record.arguments[static_cast<std::size_t>(call.dest)];
  if (dest.kind != Value::Kind::number) return;  // MPI_PROC_NULL
  Message message;
  if (const Place place = place_of(record.arguments[static_cast<std::size_t>(call.comm)]); place.known()) {
    const auto& peers = contexts_.peers(place);
    const auto rank = static_cast<std::uint64_t>(dest.number);
    if (rank < peers.size()) message.to = peers[rank];
  }
  message.bytes = bytes_of(record);
  if (!call.persistent) return count(message);
  const Value& request = record.arguments[static_cast<std::size_t>(call.request)];
  if (request.kind == Value::Kind::object) persistent_[request.number] = message;
}

void Sender::start(const MpiCall& call, const Record& record) {
  if (call.request == MpiCall::kNone) return;
  const Value& request = record.arguments[static_cast<std::size_t>(call.request)];
  const auto begin = [&](std::int64_t number) {
    if (const auto found = persistent_.find(number); found != persistent_.end()) count(found->second);
  };
  if (request.kind == Value::Kind::object) begin(request.number);
  for (const trace::ListItem& item : request.items)
    if (item.kind == trace::ListItem::Kind::number) begin(item.number);
}

void Sender::count(const Message& message) {
  if (message.to == Context::kAbsent) {
    ++unplaced_;
    return;
  }
  Channel& channel = channels_[message.to];
  channel.from = process_;
  channel.to = message.to;
  ++channel.messages;
  if (message.bytes)
    channel.bytes += *message.bytes;
  else
    ++unsized_;
}

Result<void> read_process(const trace::TraceFile& trace, std::uint32_t process, bool salvage,
                          MessageCounter& counter) {
  for (std::size_t s = 0; s < trace.processes()[process].streams.size(); ++s) {
    trace::RecordReader reader(trace, process, s);
    Record record;
    for (;;) {
      if (reader.next(record)) {
        counter.see(process, record);
        continue;
      }
      if (!reader.error()) break;
      if (!salvage) return reader.error()->in(fmt::format("process {}, stream {}", process, s));
      reader.skip_damage();
    }
    if (interrupted()) return Error{Errc::interrupted, "interrupted"};
  }
  return {};
}

}  // namespace

class MessageCounter::State {
 public:
  explicit State(const trace::TraceFile& trace)
      : contexts_(trace),
        calls_(describe_calls(trace.tables().functions)),
        infos_(detail::call_infos(trace.tables().functions)) {
    for (std::uint32_t p = 0; p < trace.processes().size(); ++p)
      senders_.emplace_back(trace, p, contexts_, calls_, infos_);
  }
  std::deque<Sender>& senders() { return senders_; }  // by process

 private:
  Contexts contexts_;
  std::vector<MpiCall> calls_;
  std::vector<detail::CallInfo> infos_;
  std::deque<Sender> senders_;
};

MessageCounter::MessageCounter(const trace::TraceFile& trace) : state_(std::make_unique<State>(trace)) {}
MessageCounter::~MessageCounter() = default;

void MessageCounter::see(std::uint32_t process, const Record& record) {
  state_->senders()[process].add(record);
}

Communication MessageCounter::take() const {
  Communication all;
  for (const Sender& sender : state_->senders()) {
    for (const auto& [to, channel] : sender.channels()) all.channels.push_back(channel);
    all.unsized += sender.unsized();
    all.unplaced += sender.unplaced();
  }
  return all;
}

Result<Communication> find_communication(const trace::TraceFile& trace, bool salvage) {
  MessageCounter counter(trace);
  std::vector<std::optional<Error>> failures(trace.processes().size());
  parallel_for(failures.size(), [&](std::size_t p) {
    if (const auto read = read_process(trace, static_cast<std::uint32_t>(p), salvage, counter); !read)
      failures[p] = read.error();
  });
  for (const auto& failure : failures)
    if (failure) return *failure;
  return counter.take();
}

}  // namespace weir::semantics
