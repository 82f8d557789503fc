#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "trace/live.hpp"
#include "trace/name_template.hpp"
#include "trace/record.hpp"
#include "trace/signature.hpp"

namespace weir::trace {

// The tables records refer to, of one trace.
struct Tables {
  std::vector<Function> functions;
  std::vector<std::string> texts;
  std::vector<std::string> templates;
  std::vector<std::uint32_t> numbers_in;  // per template
  std::vector<Signature> signatures;
};

// Something that happened to a stream between two records.
struct Event {
  live::Definition type{};
  std::uint64_t before_record = 0;  // it happened before this record of the stream
  std::string payload;              // as in the live format
};

// Follows a stream record by record: where each handle's last access ended, what it is called, the last
// numbers of each template. Turns signatures and columns back into calls.
class Replay {
 public:
  // The tables may grow while they are used.
  Replay(const Tables& tables, std::int64_t process_id) : tables_(&tables), process_id_(process_id) {}

  // Takes the event in; an error when its payload is damaged.
  Result<void> apply(const Event& event);
  // Decodes one record; `columns` holds as many values as the signature says. Only what changes the state
  // when `record` is null.
  void apply(const OwnSignature& signature, const std::int64_t* columns, Record* record);

  std::uint64_t thread() const { return thread_; }
  const std::string& directory() const { return directory_; }
  std::int64_t position(std::uint32_t id) const { return id < handles_.size() ? handles_[id].end : 0; }
  // As open() takes them, of a handle that came from elsewhere; 0 of others, and in later blocks of the
  // stream.
  std::uint32_t flags(std::uint32_t id) const { return id < handles_.size() ? handles_[id].flags : 0; }

  // The state as bytes, but for the thread, from which a stream can be followed from the middle. Templates
  // have numbers of the process's own there: `own_number` says which (kNoNumber for one without records),
  // `templates` which is which.
  static constexpr std::uint32_t kNoNumber = ~std::uint32_t{0};
  void save(ByteWriter& out, std::span<const std::uint32_t> own_number) const;
  Result<void> restore(ByteReader& in, std::span<const std::uint32_t> templates);

 private:
  struct HandleState {
    std::int64_t end = 0;
    std::int64_t descriptor = -1;
    std::string name;  // absolute, as far as it is known
    std::uint32_t flags = 0;
  };

  HandleState& handle(std::int64_t id);
  std::array<std::int64_t, NameTemplate::kNumbers>& numbers(std::uint32_t name_template);
  int follow_request(const Function& function, Value& request);
  void open(std::int64_t id, std::int64_t descriptor, const Function& function);
  std::string absolute(std::string_view name, std::string_view under) const;

  const Tables* tables_;
  std::int64_t process_id_;
  std::uint64_t thread_ = 0;
  std::string directory_;
  std::vector<HandleState> handles_;
  HandleState no_handle_;
  std::unordered_map<std::int64_t, int> requests_;  // by address: whether it reads (-1) or writes (1)
  std::vector<std::array<std::int64_t, NameTemplate::kNumbers>> last_numbers_;
  std::vector<Value> values_;
  std::vector<std::string> made_;  // texts of the current record's paths
  std::vector<std::vector<ListItem>> lists_;
  std::array<std::array<std::int64_t, NameTemplate::kNumbers>, Head::kArguments> raw_numbers_{};
};

}  // namespace weir::trace
