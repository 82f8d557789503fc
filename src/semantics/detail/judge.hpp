#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "consistency/model.hpp"
#include "semantics/access.hpp"
#include "semantics/detail/recent.hpp"
#include "semantics/precedence.hpp"

namespace weir::semantics::detail {

// How two overlapping accesses, one of which writes, stand to each other.
struct Judgement {
  enum class Order : std::uint8_t {
    first,      // the first one took effect before the second began
    second,     // the other way round
    unordered,  // nothing tells
  };

  Order order = Order::unordered;
  std::uint32_t conflicts = 0;  // bit i: the later one may miss the earlier write under model i
};

// Judges accesses of one file. For each model it knows the next operation that publishes behind each point of
// a member's time on the file and the last that sees before it; whether one is before the other is asked once
// for each two of them, not for each two accesses.
class Judge {
 public:
  Judge(const File& file, std::span<const consistency::Model> models, const Precedence& precedence);

  Judgement judge(const Access& one, const Access& other);
  // Whether an earlier access can still be found in the way where the later one is not: one of the same
  // process that is complete only behind it, or of another thread, which others may not have heard of; any
  // where the later one cuts the file off, as others may do in any order with it.
  bool outlasts(const Access& earlier, const Access& later) const;
  // Whether conflicts under these models stay what they are until the later process has its next sync point;
  // under others it may hear of more.
  bool last(std::uint32_t conflicts) const { return (conflicts & ~told_by_syncs_) == 0; }

 private:
  static constexpr std::uint32_t kNoSync = ~std::uint32_t{0};

  // Of one member under one model: by how many sync points came before.
  struct Chains {
    std::vector<std::uint32_t> next_publish;
    std::vector<std::uint32_t> last_see;
    // Of each thread, where there are several: others may have heard of one and not of another.
    std::vector<std::vector<std::uint32_t>> publishes;
    std::vector<std::vector<std::uint32_t>> sees;
  };
  using Points = std::vector<std::uint32_t>;

  // A point in the time of a thread.
  struct Done {
    std::uint32_t thread = 0;
    std::int64_t end_ns = 0;
  };

  struct Flush {
    std::uint16_t buffer = 0;
    std::uint32_t sync = 0;
    friend auto operator<=>(const Flush&, const Flush&) = default;
  };

  struct Known {
    std::uint64_t first = ~std::uint64_t{0};
    std::uint64_t second = 0;
    bool before = false;
  };

  void find_implied();
  void find_chains();
  void find_threads(const Member& member, const consistency::Model& model, Chains& chains) const;
  // Of two appends in an order that nothing tells.
  Judgement judge_appends(const Access& one, const Access& other) const;
  // Conflicts of an earlier write with a later access.
  Judgement judge_write(const Access& write, const Access& later);
  std::uint32_t own_conflicts(const Access& write, const Access& later) const;
  // Sync points stand in the order in which they ended. One of another thread speaks for what was done before
  // it began, and is known to what began when it had ended.
  static bool began_after(const SyncPoint& sync, const Done& done) {
    return sync.thread == done.thread || sync.start_ns >= done.end_ns;
  }
  static bool ended_before(const SyncPoint& sync, const Access& later) {
    return sync.thread == later.thread || sync.end_ns <= later.start_ns;
  }
  // No sync point lasted while the access did.
  bool beside_syncs(const Access& write, const Access& later) const;
  // The first that publishes at or behind a sync point, and the last that sees before one.
  std::uint32_t next_publish(const Chains& chains, const Access& write, std::uint32_t from) const;
  std::uint32_t last_see(const Chains& chains, const Access& later) const;
  bool publishes(const Access& write, std::uint32_t from, std::uint32_t sync) const;
  // Where the write may be published, and what comes later may have looked: sync points, or kNoSync for the
  // access itself.
  void find_published(const Access& write, std::size_t model);
  void find_seen(const Access& later, std::size_t model);
  bool visible(const Access& write, const Access& later, std::size_t model);
  bool sync_before(std::uint32_t first_member, std::uint32_t first, const Access& second);
  bool sync_before(std::uint32_t first_member, std::uint32_t first, std::uint32_t second_member,
                   std::uint32_t second);
  std::uint32_t effect(const Access& access) const;  // the flush point at which it is complete, or kNoSync
  Moment moment(const Access& access) const;
  Moment moment(std::uint32_t member, std::uint32_t sync) const;
  bool ended_before(const Access& one, const Access& other) const;

  const File* file_;
  std::span<const consistency::Model> models_;
  const Precedence* precedence_;
  std::uint32_t all_ = 0;                // a bit for each model
  std::uint32_t appends_ = 0;            // models under which every append finds the end
  std::uint32_t told_by_syncs_ = 0;      // models under which nothing but sync points decides
  std::vector<std::size_t> weak_first_;  // models in the order in which they are tried
  std::vector<std::uint32_t> implied_;   // by model: those that suffice where it does
  std::vector<Chains> chains_;           // by model and member
  Points published_;                     // as found last
  Points seen_;
  std::vector<std::vector<Flush>> flushes_;  // by member, in order
  // By member and how many sync points came before: when the first of the others began, and the last of these
  // ended.
  std::vector<std::vector<std::int64_t>> first_start_;
  std::vector<std::vector<std::int64_t>> last_end_;
  // What is known of a sync point and the accesses of a thread: it is before all from one on, and before none
  // up to another.
  struct KnownRecords {
    std::uint64_t first = ~std::uint64_t{0};
    std::uint64_t thread = 0;
    std::uint64_t before_from = 0;
    std::uint64_t not_before_to = 0;  // and this one
    bool any_before = false;
    bool any_not = false;
  };
  // What was found of a write and a later access, where sync points alone decide: it holds for all writes of
  // the thread between the same two of them, and for all that the other does from there to its next one.
  struct Visible {
    std::uint64_t first = ~std::uint64_t{0};  // member and sync points before it
    std::uint64_t second = 0;
    std::uint32_t first_thread = 0;
    std::uint32_t second_thread = 0;
    std::uint64_t from_record = 0;
    std::uint32_t conflicts = 0;
  };
  Recent<Visible> visible_;
  Recent<Known> known_;
  Recent<KnownRecords> known_records_;
};

}  // namespace weir::semantics::detail
