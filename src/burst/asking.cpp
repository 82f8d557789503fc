#include "burst/asking.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace weir::burst {

class Asker::Asking : public std::enable_shared_from_this<Asking> {
 public:
  Asking(Asker& asker, transport::Fabric& fabric, Question question)
      : fabric_(fabric),
        loop_(asker.loop_),
        slowest_lately_(asker.slowest_lately_[question.to]),
        question_(std::move(question)),
        end_(question_.patience.deadline),
        pause_(std::max<Clock::duration>(question_.patience.again, kWhenGone)),
        longest_pause_(std::max(pause_, (end_ - begin_) / 8)) {
    pause_ = std::clamp(2 * slowest_lately_, pause_, longest_pause_);
  }

  void ask();

 private:
  // From when a server was found to be gone until it is looked for again.
  static constexpr std::chrono::milliseconds kWhenGone{5};

  void ask_after(Clock::duration pause);
  void ended(Clock::time_point asked, Result<transport::Bytes> answer);
  void finish(Result<transport::Bytes> answer);

  transport::Fabric& fabric_;
  transport::Loop& loop_;
  Clock::duration& slowest_lately_;
  Question question_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point end_;
  Clock::duration pause_;
  const Clock::duration longest_pause_;  // what was lost, or was cut off and is not any more, waits for it
  unsigned under_way_ = 0;
  transport::TimerId timer_;  // of the next asking
  bool is_over_ = false;
};

// An answer to the first counts to the end. The others are there for what was lost, and end sooner: by that a
// fabric notices that a way is silent. Not before the time that was not enough so far.
void Asker::Asking::ask() {
  const auto now = Clock::now();
  const Clock::duration left = end_ - now;
  Clock::duration limit = left;
  if (under_way_ > 0) {
    limit = std::min(left, now - begin_);
    pause_ = std::min(2 * pause_, longest_pause_);
  }
  ++under_way_;
  fabric_.call(question_.to, question_.request, limit,
               [self = shared_from_this(), now](Result<transport::Bytes> answer) {
                 self->ended(now, std::move(answer));
               });
  if (pause_ < left) ask_after(pause_);
}

void Asker::Asking::ask_after(Clock::duration pause) {
  loop_.cancel(timer_);
  timer_ = loop_.after(pause, [self = shared_from_this()] {
    if (!self->question_.is_wanted()) return self->finish(Error{Errc::io, "its client has left"});
    self->ask();
  });
}

// One asking has ended, by an answer or without.
void Asker::Asking::ended(Clock::time_point asked, Result<transport::Bytes> answer) {
  const auto now = Clock::now();
  --under_way_;
  if (is_over_) return;
  if (answer) {
    // What is waited for without asking again takes its own time.
    if (question_.patience.again < question_.patience.deadline - begin_)
      slowest_lately_ = std::max(now - asked, slowest_lately_ - slowest_lately_ / 8);
    return finish(std::move(answer));
  }
  end_ = std::min(end_, now + question_.patience.unreachable_for);
  if (under_way_ > 0) return;
  if (now + kWhenGone >= end_) return finish(std::move(answer));
  ask_after(kWhenGone);
}

// Other askings may still be under way.
void Asker::Asking::finish(Result<transport::Bytes> answer) {
  is_over_ = true;
  loop_.cancel(timer_);
  const Question over = std::exchange(question_, {});
  over.done(std::move(answer));
}

void Asker::ask(transport::Fabric& fabric, Question question) {
  std::make_shared<Asking>(*this, fabric, std::move(question))->ask();
}

}  // namespace weir::burst
