#include "semantics/order/messages.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/parallel.hpp"

namespace weir::semantics {
namespace {

constexpr std::uint32_t kNothing = ~std::uint32_t{0};

// A post by its thread in the process and its number there.
struct Place32 {
  std::uint32_t process = 0;
  std::uint32_t chain = 0;
  std::uint32_t post = 0;
};

// Messages that keep their order among themselves.
struct Envelope {
  std::uint32_t context = 0;
  std::uint32_t sender = 0;
  std::int32_t tag = 0;
  friend bool operator==(const Envelope&, const Envelope&) = default;
};

struct EnvelopeHash {
  std::size_t operator()(const Envelope& one) const {
    std::uint64_t hash = (std::uint64_t{one.context} << 32 | one.sender) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 29;
    hash = (hash + static_cast<std::uint32_t>(one.tag)) * 0xBF58476D1CE4E5B9U;
    return static_cast<std::size_t>(hash ^ hash >> 32);
  }
};

struct Queue {
  std::uint32_t first = kNothing;  // the next message to be received
  std::uint32_t last = kNothing;
  std::uint32_t sending_chain = kNothing;
  std::uint32_t receiving_chain = kNothing;
  const char* broken = nullptr;  // why nothing more can be matched
};

// Two threads of a process send or receive in an order that only the program knows.
constexpr const char* kTwoThreads =
    "two threads of a process share its partner and tag: which message is whose is not known";
constexpr const char* kUnsure =
    "it comes behind a call of which the trace does not tell whether it took a message";

class Receiver {
 public:
  Receiver(std::span<const ProcessActivity> processes, std::span<const std::uint32_t> chain_base,
           std::uint32_t process, std::span<const Place32> sends)
      : processes_(processes), chain_base_(chain_base), process_(process), sends_(sends) {}

  void run() {
    add_sends();
    add_receives();
    match();
    leave_rest();
  }

  std::vector<Edge> edges;
  std::vector<Alone> alone;

 private:
  const Post& post_of(const Place32& at) const {
    return processes_[at.process].chains[at.chain].sends[at.post];
  }
  std::uint32_t context_of(std::uint32_t process, const Post& post) const {
    return processes_[process].places[post.place].context;
  }
  std::uint32_t chain_number(std::uint32_t process, std::uint32_t chain) const {
    return chain_base_[process] + chain;
  }

  std::uint32_t queue_of(const Envelope& envelope) {
    if (last_queue_ != kNothing && envelope == last_) return last_queue_;
    const auto [found, fresh] = numbers_.emplace(envelope, static_cast<std::uint32_t>(queues_.size()));
    if (fresh) queues_.emplace_back();
    last_ = envelope;
    last_queue_ = found->second;
    return last_queue_;
  }

  static void share(std::uint32_t& chain, std::uint32_t with, Queue& queue) {
    if (chain != kNothing && chain != with) queue.broken = kTwoThreads;
    chain = with;
  }

  void add_sends() {
    next_.assign(sends_.size(), kNothing);
    for (std::uint32_t i = 0; i < sends_.size(); ++i) {
      const Post& post = post_of(sends_[i]);
      Queue& queue = queues_[queue_of({context_of(sends_[i].process, post), sends_[i].process, post.tag})];
      share(queue.sending_chain, sends_[i].chain, queue);
      (queue.last == kNothing ? queue.first : next_[queue.last]) = i;
      queue.last = i;
    }
  }

  void add_receives() {
    const ProcessActivity& own = processes_[process_];
    for (std::uint32_t c = 0; c < own.chains.size(); ++c) {
      for (const Post& post : own.chains[c].receives) {
        if (!has_envelope(post)) continue;
        Queue& queue = queues_[queue_of({context_of(process_, post), post.peer, post.tag})];
        share(queue.receiving_chain, c, queue);
      }
    }
  }

  static bool has_envelope(const Post& post) {
    return !post.cancelled && post.peer != Post::kAnyone && post.peer != Context::kAbsent &&
           post.tag != Post::kAnyTag;
  }

  void match() {
    const ProcessActivity& own = processes_[process_];
    for (std::uint32_t c = 0; c < own.chains.size(); ++c) {
      broken_contexts_.clear();
      for (const Post& post : own.chains[c].receives) receive(c, post);
    }
  }

  void receive(std::uint32_t chain, const Post& post) {
    if (post.cancelled) return leave(chain_number(process_, chain), post, "it was cancelled");
    const std::uint32_t context = context_of(process_, post);
    if (!has_envelope(post)) {
      if (post.peer == Context::kAbsent) return;  // of a rank that is not there, which is told once
      if (post.completion == kNever || post.uncertain) broken_contexts_.push_back(context);
      return leave(chain_number(process_, chain), post,
                   "the trace does not tell which message it took, if any");
    }
    Queue& queue = queues_[queue_of({context, post.peer, post.tag})];
    if (queue.broken == nullptr &&
        std::find(broken_contexts_.begin(), broken_contexts_.end(), context) != broken_contexts_.end())
      queue.broken = kUnsure;
    if (queue.broken != nullptr) return leave(chain_number(process_, chain), post, queue.broken);
    if (post.uncertain) {
      queue.broken = kUnsure;
      return leave(chain_number(process_, chain), post, "whether it took a message is not in the trace");
    }
    if (queue.first == kNothing) {
      if (!processes_[post.peer].incomplete)
        leave(chain_number(process_, chain), post, "no send of it is in the trace");
      return;
    }
    const Place32 sender = sends_[queue.first];
    const Post& sent = post_of(sender);
    if (sent.uncertain) {
      queue.broken = kUnsure;
      return leave(chain_number(process_, chain), post, kUnsure);
    }
    if (!post.peeks) queue.first = next_[queue.first];
    join(sender, sent, chain, post);
  }

  void join(const Place32& sender, const Post& sent, std::uint32_t chain, const Post& received) {
    const std::uint32_t from = chain_number(sender.process, sender.chain);
    const std::uint32_t to = chain_number(process_, chain);
    if (received.completion != kNever) edges.push_back({{from, sent.point}, {to, received.completion}});
    if (sent.synchronous && sent.completion != kNever && !received.peeks)
      edges.push_back({{to, received.point}, {from, sent.completion}});
  }

  void leave(std::uint32_t chain, const Post& post, const char* why) {
    alone.push_back({chain, post.point, post.function, why});
  }

  // What was sent and never received.
  void leave_rest() {
    std::vector<bool> left(sends_.size());
    for (const Queue& queue : queues_)
      for (std::uint32_t i = queue.first; i != kNothing; i = next_[i]) left[i] = true;
    for (std::uint32_t i = 0; i < sends_.size(); ++i) {
      if (!left[i]) continue;
      const Post& post = post_of(sends_[i]);
      const Queue& queue =
          queues_[queue_of({context_of(sends_[i].process, post), sends_[i].process, post.tag})];
      leave(chain_number(sends_[i].process, sends_[i].chain), post,
            queue.broken != nullptr ? queue.broken : "no receive of it is in the trace");
    }
  }

  std::span<const ProcessActivity> processes_;
  std::span<const std::uint32_t> chain_base_;
  std::uint32_t process_;
  std::span<const Place32> sends_;
  std::unordered_map<Envelope, std::uint32_t, EnvelopeHash> numbers_;
  Envelope last_;
  std::uint32_t last_queue_ = kNothing;
  std::vector<Queue> queues_;
  std::vector<std::uint32_t> next_;             // per send: the next one of its queue
  std::vector<std::uint32_t> broken_contexts_;  // in which a receive may have taken anything
};

// All sends by the process they go to, in the order of senders and of their programs.
struct ByReceiver {
  std::vector<Place32> sends;
  std::vector<std::size_t> begin;
};

ByReceiver by_receiver(std::span<const ProcessActivity> processes) {
  const auto for_each = [&](auto&& each) {
    for (std::uint32_t p = 0; p < processes.size(); ++p) {
      if (processes[p].incomplete) continue;
      for (std::uint32_t c = 0; c < processes[p].chains.size(); ++c) {
        const auto& sends = processes[p].chains[c].sends;
        for (std::uint32_t i = 0; i < sends.size(); ++i)
          if (sends[i].peer < processes.size() && !processes[sends[i].peer].incomplete && !sends[i].cancelled)
            each(sends[i].peer, Place32{p, c, i});
      }
    }
  };
  ByReceiver made;
  made.begin.resize(processes.size() + 1);
  for_each([&](std::uint32_t to, const Place32&) { ++made.begin[to + 1]; });
  for (std::size_t p = 0; p < processes.size(); ++p) made.begin[p + 1] += made.begin[p];
  made.sends.resize(made.begin.back());
  std::vector<std::size_t> at(made.begin.begin(), made.begin.end() - 1);
  for_each([&](std::uint32_t to, const Place32& post) { made.sends[at[to]++] = post; });
  return made;
}

}  // namespace

void match_messages(std::span<const ProcessActivity> processes, std::span<const std::uint32_t> chain_base,
                    unsigned threads, Edges& edges, std::vector<Alone>& alone) {
  const ByReceiver all = by_receiver(processes);
  struct Part {
    std::vector<Edge> edges;
    std::vector<Alone> alone;
  };
  std::vector<Part> parts(processes.size());
  parallel_for(
      processes.size(),
      [&](std::size_t p) {
        if (processes[p].incomplete) return;
        Receiver receiver(processes, chain_base, static_cast<std::uint32_t>(p),
                          std::span(all.sends).subspan(all.begin[p], all.begin[p + 1] - all.begin[p]));
        receiver.run();
        parts[p] = {std::move(receiver.edges), std::move(receiver.alone)};
      },
      threads);
  std::size_t count = edges.list().size();
  for (const Part& part : parts) count += part.edges.size();
  edges.list().reserve(count);
  for (Part& part : parts) {
    edges.append(part.edges);
    part.edges = {};
    alone.insert(alone.end(), part.alone.begin(), part.alone.end());
  }
}

}  // namespace weir::semantics
