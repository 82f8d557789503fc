// Random programs against the transitive closure of what their making says: the maker runs MPI's rules
// forward and knows which send each receive got, the order has to find it out from the trace.
#include <algorithm>
#include <bitset>
#include <deque>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "semantics/order/made_program_test.hpp"

namespace weir::semantics {
namespace {

using namespace made;  // NOLINT(google-build-using-namespace): the words of programs

constexpr std::size_t kMost = 700;  // events

// Starts and ends of events, and everything that comes after them.
class Closure {
 public:
  // Behind the last event of its rank.
  std::size_t add(const Event& event) {
    events_.push_back(event);
    const std::size_t made = events_.size() - 1;
    after(start(made), end(made));
    if (const auto last = last_.find(event.process); last != last_.end())
      after(end(last->second), start(made));
    last_[event.process] = made;
    return made;
  }
  static std::size_t start(std::size_t event) { return 2 * event; }
  static std::size_t end(std::size_t event) { return 2 * event + 1; }
  void after(std::size_t from, std::size_t to) { direct_.emplace_back(from, to); }

  // before[a][b], events in the order in which they were added.
  std::vector<std::bitset<kMost>> before() const {
    const std::size_t nodes = 2 * events_.size();
    std::vector<std::bitset<2 * kMost>> reached(nodes);
    for (const auto& [from, to] : direct_) reached[from].set(to);
    for (std::size_t middle = 0; middle < nodes; ++middle)  // Warshall
      for (std::size_t from = 0; from < nodes; ++from)
        if (reached[from].test(middle)) reached[from] |= reached[middle];
    std::vector<std::bitset<kMost>> made(events_.size());
    for (std::size_t a = 0; a < events_.size(); ++a)
      for (std::size_t b = 0; b < events_.size(); ++b) made[a].set(b, reached[end(a)].test(start(b)));
    return made;
  }
  const std::vector<Event>& events() const { return events_; }

 private:
  std::vector<Event> events_;
  std::map<std::uint32_t, std::size_t> last_;
  std::vector<std::pair<std::size_t, std::size_t>> direct_;
};

// Runs a random program: every step is one that MPI allows then.
class Maker {
 public:
  // With `ends` every receive that was posted gets its message and is waited for.
  Maker(std::uint64_t seed, int ranks, std::size_t steps, bool ends)
      : program(ranks),
        random_(seed),
        ranks_(ranks),
        messages_(static_cast<std::size_t>(ranks)),
        requests_(messages_.size()),
        next_request_(messages_.size(), 0) {
    for (int rank = 0; rank < ranks; ++rank) {
      program.communicator(rank, 1, static_cast<std::uint32_t>(ranks - 1 - rank), {{ranks - 1, -1, ranks}});
      program.communicator(rank, 2, static_cast<std::uint32_t>(rank / 2),
                           {{rank % 2, 2, (ranks - rank % 2 + 1) / 2}});
    }
    while (closure.events().size() < steps) step();
    if (ends) finish();
  }

  Program program;
  Closure closure;

 private:
  struct Message {
    std::size_t event = 0;  // that sent it
    int source = 0;
    int tag = 0;
    std::uint32_t comm = 0;
    bool synchronous = false;
    int sender_request = -1;  // of a synchronous one
  };
  struct Request {
    int number = 0;
    bool receives = false;
    bool ready = true;       // may be waited for
    std::size_t posted = 0;  // event
    int source = 0;
    int tag = 0;
    std::uint32_t comm = 0;
    Came came;
    std::vector<std::size_t> sources;  // starts that its completion comes after
  };

  static std::size_t at(int rank) { return static_cast<std::size_t>(rank); }
  int below(int limit) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(limit))); }
  // Rank in the communicator: the second one counts backwards.
  int local(std::uint32_t comm, int rank) const { return comm == 1 ? ranks_ - 1 - rank : rank; }

  void step() {
    const int rank = below(ranks_);
    switch (below(12)) {
      case 0:
      case 1:
        closure.add(program.mark(rank));
        return;
      case 2:
      case 3:
      case 4:
        return send(rank);
      case 5:
        return post(rank);
      case 6:
        return receive(rank);
      case 7:
      case 8:
        return complete(rank);
      case 9:
        return probe(rank);
      default:
        if (below(4) == 0) collective();
        return;
    }
  }

  void finish() {
    for (int rank = 0; rank < ranks_; ++rank) {
      for (std::size_t i = 0; i < requests_[at(rank)].size(); ++i) {
        Request& one = requests_[at(rank)][i];
        if (!one.receives || one.ready) continue;
        Message message{
            0, one.source == kAny ? 0 : one.source, one.tag == kAny ? 0 : one.tag, one.comm, false, -1};
        message.event =
            closure.add(program.send(message.source, local(message.comm, rank), message.tag, message.comm));
        for (Request& other : requests_[at(rank)])
          if (other.receives && !other.ready && fits(other, message)) {
            take(other, message);
            break;
          }
      }
      for (int tries = 0; tries < 20; ++tries) complete(rank);
      auto& open = requests_[at(rank)];
      while (true) {
        const auto found =
            std::find_if(open.begin(), open.end(), [](const Request& one) { return one.receives; });
        if (found == open.end()) break;
        const std::size_t made = closure.add(program.wait(rank, found->number, found->came));
        for (const std::size_t source : found->sources) closure.after(source, Closure::end(made));
        open.erase(found);
      }
    }
  }

  void send(int rank) {
    Message message{0, rank, below(2), static_cast<std::uint32_t>(below(2)), below(4) == 0, -1};
    const int dest = below(ranks_);
    const bool starts = message.synchronous || below(2) == 0 || dest == rank;
    if (starts) {
      Request request;
      request.number = next_request_[at(rank)]++;
      request.ready = !message.synchronous;
      message.sender_request = message.synchronous ? request.number : -1;
      message.event =
          closure.add(program.isend(rank, local(message.comm, dest), message.tag, request.number,
                                    message.comm, message.synchronous ? "MPI_Issend" : "MPI_Isend"));
      requests_[at(rank)].push_back(request);
    } else {
      message.event = closure.add(program.send(rank, local(message.comm, dest), message.tag, message.comm));
    }
    for (Request& one : requests_[at(dest)])  // the first posted receive that fits takes it
      if (one.receives && !one.ready && fits(one, message)) return take(one, message);
    messages_[at(dest)].push_back(message);
  }

  static bool fits(const Request& request, const Message& message) {
    return request.comm == message.comm && (request.source == kAny || request.source == message.source) &&
           (request.tag == kAny || request.tag == message.tag);
  }

  void take(Request& request, const Message& message) {
    request.ready = true;
    request.came = {local(message.comm, message.source), message.tag};
    request.sources = {Closure::start(message.event)};
    received(message, request.posted);
  }

  // A synchronous send may complete now.
  void received(const Message& message, std::size_t posted) {
    if (message.sender_request < 0) return;
    for (Request& one : requests_[at(message.source)])
      if (!one.receives && one.number == message.sender_request) {
        one.ready = true;
        one.sources = {Closure::start(posted)};
      }
  }

  Request wanted(int rank) {
    Request request;
    request.receives = true;
    request.comm = static_cast<std::uint32_t>(below(2));
    request.source = below(3) == 0 ? kAny : below(ranks_);
    request.tag = below(3) == 0 ? kAny : below(2);
    request.number = next_request_[at(rank)];
    return request;
  }
  int source_argument(const Request& request) const {
    return request.source == kAny ? kAny : local(request.comm, request.source);
  }

  void post(int rank) {
    Request request = wanted(rank);
    ++next_request_[at(rank)];
    request.ready = false;
    request.posted = closure.add(
        program.ireceive(rank, source_argument(request), request.tag, request.number, request.comm));
    auto& here = messages_[at(rank)];
    const auto found =
        std::find_if(here.begin(), here.end(), [&](const Message& one) { return fits(request, one); });
    if (found != here.end()) {
      take(request, *found);
      here.erase(found);
    }
    requests_[at(rank)].push_back(request);
  }

  // Blocking: only when something is there, and nothing that was posted before would have taken it.
  void receive(int rank) {
    const Request request = wanted(rank);
    auto& here = messages_[at(rank)];
    const auto found =
        std::find_if(here.begin(), here.end(), [&](const Message& one) { return fits(request, one); });
    if (found == here.end()) return;
    const Message message = *found;
    here.erase(found);
    const std::size_t event =
        closure.add(program.receive(rank, source_argument(request), request.tag,
                                    {local(message.comm, message.source), message.tag}, request.comm));
    closure.after(Closure::start(message.event), Closure::end(event));
    received(message, event);
  }

  void probe(int rank) {
    const Request request = wanted(rank);
    auto& here = messages_[at(rank)];
    const auto found =
        std::find_if(here.begin(), here.end(), [&](const Message& one) { return fits(request, one); });
    if (found == here.end()) return;
    const std::size_t event = closure.add(
        program.call(rank, "MPI_Probe",
                     {rank_part(source_argument(request)), tag_part(request.tag), comm_part(request.comm),
                      status_part(local(found->comm, found->source), found->tag)}));
    closure.after(Closure::start(found->event), Closure::end(event));
  }

  void complete(int rank) {
    auto& open = requests_[at(rank)];
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < open.size(); ++i)
      if (open[i].ready && below(3) > 0) ready.push_back(i);
    if (ready.empty()) return;
    std::vector<int> numbers;
    std::vector<Came> came;
    for (const std::size_t i : ready) {
      numbers.push_back(open[i].number);
      came.push_back(open[i].came);
    }
    Event event;
    switch (below(3)) {
      case 0:
        ready.resize(1);
        event = program.wait(rank, numbers[0], came[0]);
        break;
      case 1:
        event = program.waitall(rank, numbers, came);
        break;
      default: {  // some of all that are open
        std::vector<int> all;
        std::vector<int> indices;
        for (const Request& one : open) all.push_back(one.number);
        for (const std::size_t i : ready) indices.push_back(static_cast<int>(i));
        event = program.waitsome(rank, all, indices, came, "MPI_Testsome");
      }
    }
    const std::size_t made = closure.add(event);
    for (const std::size_t i : ready)
      for (const std::size_t source : open[i].sources) closure.after(source, Closure::end(made));
    for (std::size_t i = ready.size(); i-- > 0;)
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(ready[i]));
  }

  void collective() {
    const auto comm = static_cast<std::uint32_t>(below(3));
    const int parity = below(2);
    std::vector<int> members;
    for (int rank = 0; rank < ranks_; ++rank)
      if (comm != 2 || rank % 2 == parity) members.push_back(rank);
    const int kind = below(5);
    const int root = below(static_cast<int>(members.size()));
    const auto rank_in = [&](std::size_t member) {
      return comm == 1 ? ranks_ - 1 - members[member] : static_cast<int>(member);
    };
    std::vector<std::size_t> events;
    for (const int rank : members) {
      Event event;
      if (kind == 0) event = program.barrier(rank, comm);
      if (kind == 1) event = program.bcast(rank, root, 1, comm);
      if (kind == 2) event = program.reduce(rank, root, 1, comm);
      if (kind == 3) event = program.allreduce(rank, 1, comm, "MPI_Scan");
      if (kind == 4) event = program.ibarrier(rank, next_request_[at(rank)], comm);
      events.push_back(closure.add(event));
    }
    for (std::size_t to = 0; to < members.size(); ++to) {
      std::vector<std::size_t> sources;
      for (std::size_t from = 0; from < members.size(); ++from) {
        const bool orders = kind == 0 || kind == 4 || (kind == 1 && rank_in(from) == root) ||
                            (kind == 2 && rank_in(to) == root) || (kind == 3 && rank_in(from) < rank_in(to));
        if (orders) sources.push_back(Closure::start(events[from]));
      }
      if (kind == 4) {
        Request request;
        request.number = next_request_[at(members[to])]++;
        request.sources = sources;
        requests_[at(members[to])].push_back(request);
      } else {
        for (const std::size_t source : sources) closure.after(source, Closure::end(events[to]));
      }
    }
  }

  Random random_;
  int ranks_;
  std::vector<std::deque<Message>> messages_;  // that wait for a receive, by receiver
  std::vector<std::vector<Request>> requests_;
  std::vector<int> next_request_;
};

void compare(std::uint64_t seed, int ranks, std::size_t steps, bool ends) {
  Maker made(seed, ranks, steps, ends);
  const Order& order = made.program.order();
  const auto expected = made.closure.before();
  const auto& events = made.closure.events();
  std::size_t wrong = 0;
  for (std::size_t a = 0; a < events.size(); ++a)
    for (std::size_t b = 0; b < events.size(); ++b) {
      const bool before = order.before(events[a], events[b]);
      // A receive that was never completed may have taken any message: less is known then.
      if (ends ? before != expected[a].test(b) : before && !expected[a].test(b)) ++wrong;
      if (!before || (a * 31 + b) % 7 != 0) continue;
      const std::vector<Event> proof = order.proof(events[a], events[b]);
      ASSERT_GE(proof.size(), 2U);
      EXPECT_EQ(proof.front(), events[a]);
      EXPECT_EQ(proof.back(), events[b]);
      for (std::size_t i = 1; i < proof.size(); ++i) EXPECT_FALSE(order.before(proof[i], proof[i - 1]));
    }
  EXPECT_EQ(wrong, 0U) << fmt::format("pairs of seed {}, {} ranks, {} steps", seed, ranks, steps);
}

TEST(OrderProperty, IsTheTransitiveClosureOfRandomPrograms) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed)
    compare(seed, 2 + static_cast<int>(seed % 5), 60 + seed % 7 * 15, true);
}

TEST(OrderProperty, OfLongerOnesToo) {
  for (std::uint64_t seed = 100; seed < 104; ++seed) compare(seed, 3, 560, true);
}

TEST(OrderProperty, ClaimsNothingFalseOfProgramsThatWereCutOff) {
  for (std::uint64_t seed = 200; seed < 240; ++seed)
    compare(seed, 2 + static_cast<int>(seed % 4), 100, false);
}

}  // namespace
}  // namespace weir::semantics
