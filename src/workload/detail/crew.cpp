#include "workload/detail/crew.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <thread>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/interrupt.hpp"
#include "workload/detail/worker.hpp"

namespace weir::workload::detail {
namespace {

// How long a dead worker or a Ctrl-C may go unseen.
constexpr Nanoseconds kGlance{50'000'000};

void do_task(const Task& task, const Board& board) {
  Lane& lane = board.lane(task.worker);
  const auto fail = [&](const Error& error) {
    lane.failure.set(error.in(fmt::format("worker {}", task.worker)));
    board.stop();
  };
  auto worker = make_worker(task);
  if (!worker) fail(worker.error());
  if (!board.ready_and_wait() || !worker) return;
  board.begin(lane);
  if (auto done = (*worker)->run(lane); !done) fail(done.error());
  board.end(lane);
}

Result<void> first_failure(const Board& board) {
  for (std::uint32_t i = 0; i < board.workers(); ++i)
    if (board.lane(i).failure.is_set()) return board.lane(i).failure.get();
  return {};
}

// Lets all go when all are ready, and waits for them; `look` says from time to time whether to go on.
template <class Look>
Result<void> conduct(const Board& board, const BeforeStart& before_start, Look look) {
  while (!board.all_ready()) {
    board.wait_for_ready(kGlance);
    if (auto fine = look(); !fine) return fine;
  }
  if (before_start)
    if (auto go = before_start(); !go) return go;
  board.let_go();
  while (!board.all_ended()) {
    board.wait_for_end(kGlance);
    if (auto fine = look(); !fine) return fine;
  }
  return first_failure(board);
}

// The processes of a crew; those still alive are ended with it.
class Children {
 public:
  Children() = default;
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;
  ~Children() {
    for (const pid_t pid : pids_)
      if (pid > 0) ::kill(pid, SIGKILL);
    for (const pid_t pid : pids_)
      while (pid > 0 && ::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
      }
  }

  Result<void> start(const Task& task, const Board& board) {
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid < 0)
      return Error::from_errno(errno, fmt::format("cannot start worker {}", task.worker))
          .with_remedy("use fewer workers, or allow more processes (ulimit -u)");
    if (pid == 0) {
      // Must not outlive who started it, whatever happens to that one.
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() == parent) do_task(task, board);
      ::_exit(0);
    }
    pids_.push_back(pid);
    return {};
  }

  // Collects those that have ended; an Error when one did not end by itself.
  Result<void> collect() {
    for (std::size_t i = 0; i < pids_.size(); ++i) {
      int status = 0;
      if (pids_[i] <= 0 || ::waitpid(pids_[i], &status, WNOHANG) != pids_[i]) continue;
      pids_[i] = 0;
      if (WIFSIGNALED(status))
        return Error{Errc::io, fmt::format("worker {} was killed by signal {} ({})", i, WTERMSIG(status),
                                           ::strsignal(WTERMSIG(status)))}
            .with_remedy(WTERMSIG(status) == SIGKILL ? "the kernel may have run out of memory: see its log"
                                                     : "");
      if (WEXITSTATUS(status) != 0)
        return Error{Errc::internal, fmt::format("worker {} ended with status {}", i, WEXITSTATUS(status))};
    }
    return {};
  }

 private:
  std::vector<pid_t> pids_;
};

}  // namespace

Result<void> run_threads(const std::vector<Task>& tasks, const Board& board,
                         const BeforeStart& before_start) {
  std::vector<std::jthread> threads;
  const auto give_up = [&](const Error& error) -> Result<void> {
    board.stop();
    threads.clear();
    return error;
  };
  for (const Task& task : tasks) {
    try {
      threads.emplace_back([&task, &board] { do_task(task, board); });
    } catch (const std::system_error& failed) {
      return give_up(
          Error{Errc::lacking, fmt::format("cannot start worker {}: {}", task.worker, failed.what())}
              .with_remedy("use fewer workers, or allow more threads (ulimit -u)"));
    }
  }
  auto done = conduct(board, before_start, [&]() -> Result<void> {
    if (auto fine = check_interrupt(); !fine) return fine;
    return first_failure(board);
  });
  return done ? done : give_up(done.error());
}

Result<void> run_processes(const std::vector<Task>& tasks, const Board& board,
                           const BeforeStart& before_start) {
  Children children;
  for (const Task& task : tasks)
    if (auto started = children.start(task, board); !started) return started;
  return conduct(board, before_start, [&]() -> Result<void> {
    if (auto fine = check_interrupt(); !fine) return fine;
    auto ended = children.collect();
    if (auto fine = first_failure(board); !fine) return fine;  // says more than how a process ended
    return ended;
  });
}

}  // namespace weir::workload::detail
