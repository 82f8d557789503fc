#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/clock.hpp"
#include "capture/draft.hpp"
#include "capture/handles.hpp"
#include "capture/signature_table.hpp"
#include "capture/text_table.hpp"
#include "trace/encoding.hpp"
#include "trace/live.hpp"
#include "trace/name_template.hpp"

namespace weir::capture {

// Where one thread records: the mapped tail, and the tables its records refer to. Only the thread that holds
// the lane touches it. What a thread leaves when it ends, the next new thread takes over.
class Lane {
 public:
  // The calling thread's lane, ready for one more record; null when this process records nothing (any more).
  static Lane* current() {
    Lane* const lane = thread_lane;
    if (lane != nullptr && lane->ready()) [[likely]]
      return lane;
    return prepare();
  }

  // A handle as this lane knows it: where its last access ended. Introduces it first if it came from
  // elsewhere.
  std::uint32_t id_of(Handle handle, int descriptor, const char* name = nullptr) {
    if (views_[handle.id].generation != handle.generation) [[unlikely]]
      introduce(handle, descriptor, name);
    return handle.id;
  }
  bool knows(Handle handle) const { return views_[handle.id].generation == handle.generation; }
  std::int64_t& end_of(std::int64_t id) { return views_[id].end; }
  // A handle that this record opens.
  void opened(Handle handle) {
    views_[handle.id] = {0, handle.generation};
    if (handle.id >= most_views_) most_views_ = handle.id + 1;
  }

  std::uint32_t number_of_text(std::string_view text);
  std::uint32_t number_of_list(std::string_view text) { return number_of(text); }
  // For one list after the other, as it is written down.
  std::span<char> list_room() { return tables_->list; }
  static constexpr std::size_t kLongestList = trace::live::kLongestList;
  // An argument of this record was too long to be kept, or to be kept whole.
  void count_cut() { header(trace::live::HeaderWord::cut).fetch_add(1, std::memory_order_relaxed); }
  // The same for a name that lies at one place as long as the process runs.
  std::uint32_t number_of_name(const char* name) {
    KnownName& known = names_[reinterpret_cast<std::uintptr_t>(name) / 8 % kNames];
    if (known.name == name) [[likely]]
      return known.number;
    known.number = number_of_text(name);
    known.name = name;
    return known.number;
  }
  // Splits a name; what it needs is put into the draft's words.
  void put_path(std::string_view name, Draft& draft);

  // The number of the draft's signature, made if it is new. Values that do not repeat are taken out of the
  // signature and put into columns.
  std::uint32_t symbol_of(Draft& draft) {
    const std::uint32_t guess = signatures_.guess(draft.words, draft.count, last_symbol_);
    if (guess != SignatureTable::kNone) [[likely]]
      return guess;
    return unforeseen_symbol_of(draft);
  }

  // From here until append() the lane's state is between two records. A longjmp out of it is noticed by the
  // next call, which starts from a clean state.
  void begin_change() {
    busy_ = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  // The numbers in this record's names are what the next ones are compared with.
  void keep_numbers(const Draft& draft) {
    for (std::size_t i = 0; i < draft.name_count; ++i)
      for (std::uint32_t k = 0; k < draft.names[i].numbers; ++k)
        tables_->last_numbers[draft.names[i].name_template][k] = draft.names[i].values[k];
  }
  void append(std::uint32_t symbol, const Draft& draft, Tick begin, Tick end);

  void surprise(int descriptor);
  // What concerns the process rather than one call.
  void describe(trace::live::Definition type, std::string_view bytes);

  // The thread ends: its lane goes to whoever comes next.
  static void release();

  // The next call may come from a child that runs in this process's memory. It gets a lane of its own, which
  // the parent gives up when it goes on; of the table of open handles it only reads.
  static void before_vfork();
  static bool in_vforked_child() { return thread_lane != nullptr && thread_lane->parent_lane_ != nullptr; }

  // Whether the user wants calls on this name recorded.
  bool wants(std::string_view path, int directory);
  bool wants(int descriptor);

  // A call that could not be recorded.
  static void count_lost();

 private:
  friend class Process;

  struct View {
    std::int64_t end;
    std::uint32_t generation;
  };
  struct Tables {
    SignatureTable::Storage signatures;
    TextTable::Storage texts;
    TextTable::Storage templates;
    std::int64_t last_numbers[TextTable::kMostTexts][trace::NameTemplate::kNumbers];
    trace::NameTemplate name;
    char scratch[8192];
    char list[kLongestList];
  };

  static_assert(kLongestList < trace::live::kTailBytes / 2, "a definition stands in one tail");

  enum Holes : std::uint8_t { kExact, kPositions, kSizes };
  static constexpr std::uint32_t kMostRecordWords = 5 + 2 * trace::live::kMostColumns;
  static constexpr std::uint64_t kAlive = 0x4C616E6520697320;

  bool ready() const { return used_ + kMostRecordWords <= capacity_ && !busy_ && !crowded_ && !watched_; }
  static Lane* prepare();
  bool start(std::uint32_t number, std::int64_t process, Tick process_start);
  static Lane* after_vfork(Lane* lane);
  void record_vfork();
  bool map_file();
  void adopt();
  void mend();
  bool seal();
  void restart();
  void introduce(Handle handle, int descriptor, const char* name);
  std::uint32_t unforeseen_symbol_of(Draft& draft);
  std::uint32_t new_symbol_of(Draft& draft);
  std::uint32_t add_signature(const Draft& draft);
  std::uint32_t number_of(std::string_view text);
  void define(trace::live::Definition type, const void* first, std::size_t first_bytes,
              std::string_view rest = {});
  void define_clock();
  void define_process();
  void define_directory();
  void check_crowded();
  std::atomic<std::uint64_t>& header(trace::live::HeaderWord word) const {
    return header_[static_cast<std::size_t>(word)];
  }
  void publish() { state_->store(batch_ << 32 | used_, std::memory_order_release); }

  // First what every record touches. All zero means: not alive, which is what a forked child finds here.
  std::uint32_t* tail_;
  std::uint32_t used_;
  std::uint32_t capacity_;
  std::atomic<std::uint64_t>* state_;
  std::uint64_t batch_;
  Tick last_end_;
  View* views_;
  std::uint32_t last_symbol_;
  bool busy_;
  bool crowded_;
  bool watched_;  // the process may be another one by now
  bool timed_;
  bool stopped_;
  SignatureTable signatures_;

  TextTable texts_;
  TextTable templates_;
  Tables* tables_;
  std::atomic<std::uint64_t>* header_;
  std::uint64_t alive_;
  Lane* parent_lane_;  // of a vforked child's lane: the one of the thread that waits
  // The last vfork, which is recorded when the parent goes on: it lasted until the child's last call at
  // least.
  struct Vfork {
    Tick begin;
    Tick end;
    std::int64_t child;  // 0: none that is to be recorded
    std::uint32_t depth;
  };
  Vfork vfork_;
  std::int64_t process_;
  std::uint64_t file_end_;
  std::uint64_t passed_;
  std::uint32_t number_;
  std::uint32_t misses_;
  std::uint32_t patience_;          // calls until sealing is tried again
  std::uint8_t holes_[kCallCount];  // per call: what its last signature had taken out, a Holes
  static constexpr std::size_t kNames = 32;
  struct KnownName {
    const char* name;
    std::uint32_t number;
  };
  KnownName names_[kNames];
  std::uint32_t directory_generation_;
  std::uint32_t most_views_;
  char path_[4096 + 64];

  [[gnu::tls_model("initial-exec")]] static thread_local constinit Lane* thread_lane;
  [[gnu::tls_model("initial-exec")]] static thread_local constinit bool left_out;  // a library's own thread
};

inline void Lane::append(std::uint32_t symbol, const Draft& draft, Tick begin, Tick end) {
  namespace live = trace::live;
  std::uint32_t* const start = tail_ + used_;
  std::uint32_t* at = start + 1;
  auto kind = live::EntryKind::record;
  if (timed_) {
    const std::uint64_t gap = begin.count - last_end_.count;
    const std::uint64_t duration = end.count - begin.count;
    if (((gap | duration) >> 32) == 0) [[likely]] {
      *at++ = static_cast<std::uint32_t>(gap);
      *at++ = static_cast<std::uint32_t>(duration);
    } else {
      kind = live::EntryKind::long_record;
      for (const std::uint64_t value : {gap, duration}) {
        *at++ = static_cast<std::uint32_t>(value);
        *at++ = static_cast<std::uint32_t>(value >> 32);
      }
    }
    last_end_ = end;
  }
  std::uint32_t columns = 0;
  const auto put = [&](std::int64_t value) {
    if (columns == live::kMostColumns) return;
    *at++ = static_cast<std::uint32_t>(value);
    *at++ = static_cast<std::uint32_t>(static_cast<std::uint64_t>(value) >> 32);
    ++columns;
  };
  if (draft.columns) [[unlikely]]
    draft.for_each_column(put);
  *start = live::record_word(kind, columns, symbol);
  used_ = static_cast<std::uint32_t>(at - tail_);
  publish();
  signatures_.followed(last_symbol_, symbol);
  last_symbol_ = symbol;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  busy_ = false;
}

}  // namespace weir::capture
