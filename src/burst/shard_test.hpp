#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/scratch_dir.hpp"
#include "burst/shard.hpp"

namespace weir::burst {

// A shard that is a server by itself: it owns all names and files, and what it asks of others it is asked
// itself, when the test lets it go on. An agent's part is done as soon as it is asked for.
class ShardAlone : public ShardPorts {
 public:
  ShardAlone() : backing_(std::move(*Backing::open(scratch_.path()))) {}

  template <class Answer>
  struct Asked {
    bool is_answered() const { return *bytes != nullptr; }
    Outcome<Answer> outcome() const { return decode_answer<Answer>(ByteSpan(**bytes)); }
    int error() const { return is_answered() ? outcome().error : -1; }

    std::shared_ptr<std::unique_ptr<Bytes>> bytes = std::make_shared<std::unique_ptr<Bytes>>();
  };

  template <class Body>
  Asked<typename Body::Answer> ask(const Body& body, std::uint64_t client = 0, std::uint64_t sequence = 0) {
    Asked<typename Body::Answer> asked;
    give(encode_request({.client = client, .sequence = sequence}, body),
         [bytes = asked.bytes](Bytes answer) { *bytes = std::make_unique<Bytes>(std::move(answer)); });
    return asked;
  }

  // One message on its way to the shard, a request or an answer, in their order; false when there is none.
  bool step() {
    if (waiting_.empty()) return false;
    const auto next = std::move(waiting_.front());
    waiting_.pop_front();
    next();
    return true;
  }
  void run() {
    while (step()) {
    }
  }
  // The outcome of a request that is asked again as long as it is told to.
  template <class Body>
  int ask_until_done(const Body& body, Asked<typename Body::Answer> first) {
    run();
    while (first.error() == kAskAgain) {
      first = ask(body);
      run();
    }
    return first.error();
  }

  // What was kept, commit by commit.
  std::vector<std::vector<Change>> commits;
  int keep_fails_with = 0;
  // What agents were asked to write, and what they say to that.
  std::vector<WriteBack> write_backs;
  int write_back_fails_with = 0;

  void send(Home /*to*/, Bytes request, std::function<void(Result<Bytes>)> done) override {
    waiting_.emplace_back([this, request = std::move(request), done = std::move(done)] {
      const auto answered = [this, done](const Bytes& answer) {
        waiting_.emplace_back([done, answer] { done(answer); });
      };
      ByteSpan rest(request);
      if (decode_header(rest)->kind == Kind::write_back) {
        write_backs.push_back(*transport::unpack<WriteBack>(rest));
        return answered(encode_outcome(Outcome<Flushed>{write_back_fails_with, {}}));
      }
      give(request, answered);
    });
  }
  int keep(const std::vector<Change>& changes, bool /*drains*/) override {
    if (keep_fails_with == 0) commits.push_back(changes);
    return keep_fails_with;
  }
  std::int64_t now_ns() const override { return 1'000'000'000; }

  Shard& shard() { return shard_; }
  const Backing& backing() const { return backing_; }

 private:
  void give(const Bytes& request, std::function<void(Bytes)> answered) {
    ByteSpan rest(request);
    const auto header = decode_header(rest);
    shard_.handle(*header, rest, Respond([answered = std::move(answered)](Bytes* answer, bool /*blames*/) {
      if (answer != nullptr) answered(std::move(*answer));
    }));
  }

  ScratchDir scratch_;
  Backing backing_;
  Shard shard_{{1, 1}, {0, 0}, backing_, ".private", *this};
  std::deque<std::function<void()>> waiting_;
};

}  // namespace weir::burst
