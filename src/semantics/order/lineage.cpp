#include "semantics/order/lineage.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace weir::semantics {
namespace {

class Lineage {
 public:
  Lineage(std::span<const trace::ProcessInfo> about, std::span<const ProcessActivity> processes,
          std::span<const std::uint32_t> chain_base, bool timed, Edges& edges)
      : about_(about), processes_(processes), chain_base_(chain_base), timed_(timed), edges_(&edges) {
    for (std::size_t p = 0; p < about_.size(); ++p) by_number_[about_[p].number].push_back(p);
    for (std::size_t p = 0; p < processes_.size(); ++p)
      for (std::uint32_t c = 0; c < processes_[p].chains.size(); ++c)
        for (const Kin& fork : processes_[p].chains[c].forks)
          forks_[{p, fork.number}].push_back({chain_base_[p] + c, fork.point});
    find_shells();
  }

  // Whether the beginning of the process is known.
  bool begin(std::size_t p) {
    const std::int64_t parent = about_[p].parent;
    if (parent < 0 || parent >= static_cast<std::int64_t>(processes_.size()) ||
        parent == static_cast<std::int64_t>(p))
      return false;
    const auto from = static_cast<std::size_t>(parent);
    const auto& chains = processes_[from].chains;
    const bool replaces = about_[from].number == about_[p].number;
    std::vector<Source> sources;
    if (const auto found = forks_.find({from, about_[p].number}); !replaces && found != forks_.end())
      sources = found->second;
    for (std::uint32_t c = 0; replaces && c < chains.size(); ++c)
      sources.push_back({chain_base_[from] + c, Source::kEnd});
    if (const auto shell = shells_.find(p); shell != shells_.end() && sources.empty()) {
      const ShellCommand& command = processes_[from].commands[shell->second];
      sources.push_back({chain_base_[from] + command.chain, command.point});
      end_shell(from, command, about_[p].number);
    }
    if (!replaces && sources.size() != 1) return false;  // a number that was given twice tells nothing
    for (const Source& source : sources)
      for (std::uint32_t c = 0; c < processes_[p].chains.size(); ++c)
        edges_->add(source, {chain_base_[p] + c, Target::kBegin});
    return true;
  }

  // All that children did comes before the end of the call that found them ended.
  void end_children(std::size_t p) {
    for (std::uint32_t c = 0; c < processes_[p].chains.size(); ++c)
      for (const Kin& wait : processes_[p].chains[c].waits)
        end_child(p, wait.number, {chain_base_[p] + c, wait.point});
  }

  void join_threads(std::size_t p) {
    const auto& chains = processes_[p].chains;
    std::map<std::int64_t, std::size_t> made;
    std::map<std::uint64_t, std::vector<std::uint32_t>> chains_of;  // a thread
    for (std::uint32_t c = 0; c < chains.size(); ++c) {
      for (const Kin& one : chains[c].threads_made) ++made[one.number];
      chains_of[chains[c].thread].push_back(c);
    }
    for (std::uint32_t c = 0; c < chains.size(); ++c) {
      for (const Kin& one : chains[c].threads_made)
        if (made[one.number] == 1)
          for (const std::uint32_t thread : chains_of[static_cast<std::uint64_t>(one.number)])
            if (thread != c)
              edges_->add({chain_base_[p] + c, one.point}, {chain_base_[p] + thread, Target::kBegin});
      for (const Kin& one : chains[c].threads_joined)
        if (made.contains(one.number) && made[one.number] == 1)
          for (const std::uint32_t thread : chains_of[static_cast<std::uint64_t>(one.number)])
            if (thread != c)
              edges_->add({chain_base_[p] + thread, Source::kEnd}, {chain_base_[p] + c, one.point});
    }
  }

 private:
  void end_child(std::size_t parent, std::int64_t number, const Target& known) {
    for (const std::size_t child : programs_of(parent, number))
      for (std::uint32_t c = 0; c < processes_[child].chains.size(); ++c)
        edges_->add({chain_base_[child] + c, Source::kEnd}, known);
  }

  void end_shell(std::size_t parent, const ShellCommand& command, std::int64_t number) {
    if (command.done != kNever)
      end_child(parent, number, {chain_base_[parent] + command.chain, command.done});
  }

  // Which command of its parent a process is the shell of, where only one can be meant and no other process
  // can be its shell.
  void find_shells() {
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> shells_of;  // by parent and command
    std::map<std::size_t, std::pair<std::size_t, std::size_t>> found;
    for (std::size_t p = 0; p < about_.size(); ++p) {
      const std::int64_t parent = about_[p].parent;
      if (parent < 0 || parent >= static_cast<std::int64_t>(processes_.size()) || !is_shell(about_[p]))
        continue;
      const auto from = static_cast<std::size_t>(parent);
      if (about_[from].number == about_[p].number) continue;  // it was replaced, not forked
      const auto& commands = processes_[from].commands;
      std::size_t fitting = 0;
      for (std::size_t i = 0; i < commands.size(); ++i) {
        if (commands[i].text != about_[p].arguments.back() || !may_be(commands[i], about_[p])) continue;
        ++fitting;
        ++shells_of[{from, i}];
        found[p] = {from, i};
      }
      if (fitting != 1) found.erase(p);
    }
    for (const auto& [p, command] : found)
      if (shells_of[command] == 1) shells_[p] = command.second;
  }

  // As system() and popen() start it: sh -c COMMAND, or sh -c -- COMMAND.
  static bool is_shell(const trace::ProcessInfo& process) {
    const auto& words = process.arguments;
    const bool marked = words.size() == 4 && words[2] == "--";
    return (words.size() == 3 || marked) && words[0] == "sh" && words[1] == "-c";
  }

  bool may_be(const ShellCommand& command, const trace::ProcessInfo& shell) const {
    return !timed_ || (command.start_ns <= shell.start_ns && shell.start_ns <= command.end_ns);
  }

  // The programs that a child ran; none when its number was given to two children.
  std::vector<std::size_t> programs_of(std::size_t parent, std::int64_t number) const {
    std::vector<std::size_t> found;
    std::size_t children = 0;
    const auto all = by_number_.find(number);
    if (all == by_number_.end()) return found;
    for (const std::size_t p : all->second) {
      const trace::ProcessInfo& one = about_[p];
      if (one.parent_number != about_[parent].number || one.host != about_[parent].host) continue;
      found.push_back(p);
      const bool replaces = one.parent >= 0 && one.parent < static_cast<std::int64_t>(about_.size()) &&
                            about_[static_cast<std::size_t>(one.parent)].number == number;
      children += replaces ? 0 : 1;
    }
    if (children != 1) found.clear();
    return found;
  }

  std::span<const trace::ProcessInfo> about_;
  std::span<const ProcessActivity> processes_;
  std::span<const std::uint32_t> chain_base_;
  bool timed_;
  Edges* edges_;
  std::unordered_map<std::int64_t, std::vector<std::size_t>> by_number_;       // processes
  std::map<std::pair<std::size_t, std::int64_t>, std::vector<Source>> forks_;  // by parent and number
  std::map<std::size_t, std::size_t> shells_;  // by process: the command of its parent that it ran
};

}  // namespace

std::vector<bool> add_lineage(std::span<const trace::ProcessInfo> about,
                              std::span<const ProcessActivity> processes,
                              std::span<const std::uint32_t> chain_base, bool timed, Edges& edges) {
  Lineage lineage(about, processes, chain_base, timed, edges);
  std::vector<bool> begun(processes.size());
  for (std::size_t p = 0; p < processes.size(); ++p) {
    begun[p] = lineage.begin(p);
    lineage.end_children(p);
    lineage.join_threads(p);
  }
  return begun;
}

}  // namespace weir::semantics
