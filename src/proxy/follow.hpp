#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "proxy/plan.hpp"
#include "trace/name_template.hpp"
#include "trace/record.hpp"

namespace weir::proxy {

// Follows a stream as the proxy will: what its state says of offsets and names is compared with what was
// recorded, and where that differs (a handle from elsewhere, a reset) an action puts it right.
class Follower {
 public:
  Follower(Plan& plan, StreamPlan& stream, std::size_t process);

  // The next record of the stream, whatever its depth.
  void follow(const trace::Record& record);

 private:
  using Numbers = std::array<std::int64_t, trace::NameTemplate::kNumbers>;

  void follow_outer(const trace::Record& record, const trace::OwnSignature& own);
  void correct_end(std::int64_t id, std::int64_t distance, std::int64_t seen);
  void follow_names(const trace::Record& record, const trace::OwnSignature& own, bool outer);
  void take_columns(const trace::Record& record, const trace::Signature& signature);
  std::int64_t& end_of(std::int64_t id);
  void act(Action action);

  Plan* plan_;
  StreamPlan* stream_;
  std::shared_ptr<const trace::OwnSignatures> signatures_;
  std::vector<std::uint32_t> own_number_;  // by the trace's number
  std::int64_t process_id_;
  std::vector<std::int64_t> ends_;
  std::int64_t no_handle_end_ = 0;
  std::vector<Numbers> numbers_;
};

// The numbers that a name has where its template has places for them; false if it is not of that template.
bool numbers_of(std::string_view name_template, std::string_view name, std::int64_t process_id,
                std::array<std::int64_t, trace::NameTemplate::kNumbers>& numbers);

}  // namespace weir::proxy
