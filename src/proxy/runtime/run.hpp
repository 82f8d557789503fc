#pragma once

#include "proxy/runtime/names.hpp"

namespace weir_proxy {

inline Stream::Stream(const StreamPlan& given)
    : plan(&given), action(given.actions), last_action(given.actions + given.action_count) {
  ends.resize(static_cast<std::size_t>(world.plan->handles) + 1);
  handles.resize(ends.size());
  numbers.resize(static_cast<std::size_t>(world.plan->template_count));
  columns.resize(static_cast<std::size_t>(world.plan->column_slots));
  for (int i = 0; i < given.column_count; ++i)
    columns[static_cast<std::size_t>(given.columns[i].slot)] = given.columns[i].values;
  own.resize(static_cast<std::size_t>(world.plan->own_slots));
  for (int i = 0; i < world.process->own_count; ++i)
    own[static_cast<std::size_t>(world.process->own_slots[i])] = world.process->own_words[i];
  out_memory = reserve(kOutBytes * kOutArguments);
  if (out_memory == nullptr) stop("there is no memory for what calls return");
  if (action != last_action) next_action = action->before;
}

inline void Stream::differs(int signature, const std::string& how) {
  constexpr std::size_t kMostTold = 10;
  const i64 before = world.differing.fetch_add(1);
  if (before >= static_cast<i64>(kMostTold)) return;
  const std::lock_guard guard(world.lock);
  world.told.push_back(std::string(world.plan->calls[signature]) + ", call " + std::to_string(made) + ": " +
                       how);
}

inline void pause_a_moment() { syscall(SYS_sched_yield); }

// A descriptor that the recorded program had from its start.
inline void inherit(Handle& handle, const Action& action) {
  const int fd = static_cast<int>(action.value);
  if (action.name != nullptr && fd != 1 && fd != 2) {
    std::string path = action.name;
    put_under_root(path);
    const long made = syscall(SYS_openat, AT_FDCWD, path.c_str(), O_RDWR);
    if (made >= 0 && made != fd && fd >= 0) {
      syscall(SYS_dup3, made, fd, 0);
      syscall(SYS_close, made);
    }
  }
  handle.fd = fd;
  handle.stream = fd == 0 ? stdin : fd == 1 ? stdout : fd == 2 ? stderr : nullptr;
  handle.own = handle.left_out = false;
}

void run_stream(int number);

inline void Stream::act() {
  for (; action != last_action && action->before == made; ++action) {
    const Action& now = *action;
    switch (now.kind) {
      case Action::set_end:
        end(now.id) = now.value;
        break;
      case Action::set_number:
        numbers[static_cast<std::size_t>(now.id)][static_cast<std::size_t>(now.part)] = now.value;
        break;
      case Action::inherit:
        inherit(handle(now.id), now);
        break;
      case Action::publish:
        world.shared[static_cast<std::size_t>(now.part)].handle = handle(now.id);
        world.shared[static_cast<std::size_t>(now.part)].published.store(true, std::memory_order_release);
        break;
      case Action::take: {
        const SharedHandle& shared = world.shared[static_cast<std::size_t>(now.part)];
        while (!shared.published.load(std::memory_order_acquire)) pause_a_moment();
        handle(now.id) = shared.handle;
        break;
      }
      case Action::release:
        world.shared[static_cast<std::size_t>(now.part)].released.fetch_add(1, std::memory_order_release);
        break;
      case Action::await_released:
        while (world.shared[static_cast<std::size_t>(now.part)].released.load(std::memory_order_acquire) <
               now.value)
          pause_a_moment();
        break;
      case Action::start:
        world.threads[static_cast<std::size_t>(now.id)] = std::thread(run_stream, now.id);
        break;
      case Action::join:
        if (world.threads[static_cast<std::size_t>(now.id)].joinable())
          world.threads[static_cast<std::size_t>(now.id)].join();
        break;
      case Action::child:
        next_child = now.id;
        break;
    }
  }
  next_action = action != last_action ? action->before : INT64_MAX;
}

inline void run_stream(int number) {
  const StreamPlan& plan = world.process->streams[number];
  Stream stream(plan);
  plan.run(stream);
  if (stream.made == stream.next_action) stream.act();
  world.calls.fetch_add(stream.made);
}

// The exit status: 0 when every result was as recorded.
inline int report() {
  const i64 differing = world.differing.load();
  const std::string who =
      world.process->rank >= 0 ? "proxy, rank " + std::to_string(world.process->rank) : "proxy";
  std::string text;
  if (differing > 0) {
    for (const std::string& one : world.told) text += who + ": " + one + "\n";
    text += who + ": " + std::to_string(differing) + " of " + std::to_string(world.calls.load()) +
            " calls did not end as recorded\n";
  } else if (world.process->rank <= 0) {
    text = who + ": " + std::to_string(world.calls.load()) + " calls, all ended as recorded\n";
  }
  say(text);
  return differing > 0 ? 1 : 0;
}

// A recorded exit(): whatever was different counts more than the program's own status.
inline int leave(Stream& stream, i64 code) {
  world.calls.fetch_add(stream.made);
  return report() != 0 ? 1 : static_cast<int>(code);
}

inline int run_process(const ProcessPlan& process) {
  world.process = &process;
  world.threads.clear();
  world.threads.resize(static_cast<std::size_t>(process.stream_count));
  if (process.stream_count > 0) run_stream(0);
  for (std::thread& thread : world.threads)
    if (thread.joinable()) thread.join();
  for (const i64 child : world.children) {
    int status = 0;
    syscall(SYS_wait4, child, &status, 0, nullptr);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) world.differing.fetch_add(1);
  }
  return report();
}

// A recorded fork: the child does what the recorded child did.
inline long forked(Stream& stream, long child) {
  if (child == 0) {
    world.calls = 0;
    world.differing = 0;
    world.told.clear();
    world.children.clear();
    const int number = stream.next_child;
    const int status = number >= 0 ? run_process(world.plan->processes[number]) : 0;
    std::fflush(nullptr);
    syscall(SYS_exit_group, status);
  }
  if (child > 0) world.children.push_back(child);
  return child;
}

}  // namespace weir_proxy
