#pragma once

#include <limits>
#include <string>
#include <tuple>

#include "base/random.hpp"
#include "burst/file_protocol.hpp"
#include "burst/lock_protocol.hpp"
#include "burst/name_protocol.hpp"
#include "burst/server_protocol.hpp"
#include "burst/space_protocol.hpp"
#include "burst/verify_protocol.hpp"

// All requests of the protocol, and one of each with anything in it. For tests that feed servers what no
// client sends.
namespace weir::burst {

using EveryRequest =
    std::tuple<Open, OpenFile, CloseFile, StatName, StatFile, Unlink, Rename, PutName, SetPath, DropName,
               LinkName, AddName, ListNames, Attach, Append, Query, Detach, Truncate, SetAttributes,
               ReserveEnd, Flush, FlushAll, LogUse, GrantSegment, GiveUp, AskReclaim, Fetch, WriteBack,
               ClientGone, GetStats, TakeSeat, LockEnter, LockLook, LockHold, LockRelease, LockDrain,
               LockNodeStarted, LockToOwner, LockFlush, LockOwnerStarted, LockFromOwner, LockAsk,
               LockFileGone, NoteWrite, AskNewest, ReportRead, AskVerdict, MarkClean, CheckName, Seal>;

// Calls `each(Body{})` for every request but Stop, which does what it says.
template <class F>
void for_every_request(const F& each) {
  std::apply([&](const auto&... body) { (each(body), ...); }, EveryRequest{});
}

// Values from where things go wrong: at the ends of their range, at powers of two, small, or anywhere. Files
// are `own`, none, or nobody's.
class Scrambler {
 public:
  Scrambler(std::uint64_t seed, FileId own) : random_(seed, 7), own_(own) {}

  Random& random() { return random_; }

  void scramble(FileId& file) {
    constexpr FileId kNobodys{~std::uint64_t{0}};
    const std::uint64_t choice = random_.below(8);
    file = choice < 6 ? own_ : choice == 6 ? FileId{} : kNobodys;
  }
  void scramble(bool& value) { value = random_.below(2) == 0; }
  void scramble(std::string& text) {
    constexpr const char* kTexts[] = {"",    ".",         "..",   "/",           "a",
                                      "a/b", "a/../../b", "a//b", "/etc/passwd", "\x01"};
    const std::uint64_t choice = random_.below(std::size(kTexts) + 1);
    text = choice < std::size(kTexts) ? std::string(kTexts[choice]) : std::string(5000, 'n');
  }
  template <class T>
    requires std::integral<T>
  void scramble(T& value) {
    constexpr T kMost = std::numeric_limits<T>::max();
    const T choices[] = {0,
                         1,
                         2,
                         static_cast<T>(random_.below(5000)),
                         static_cast<T>(kMost / 2),
                         static_cast<T>(kMost / 2 + 1),
                         static_cast<T>(kMost - 1),
                         kMost,
                         static_cast<T>(random_())};
    value = choices[random_.below(std::size(choices))];
  }
  template <class T>
    requires std::is_enum_v<T>
  void scramble(T& value) {
    value = static_cast<T>(random_.below(8));
  }
  void scramble(Bytes& bytes) { bytes.resize(random_.below(50)); }
  template <class T>
  void scramble(std::vector<T>& values) {
    values.resize(random_.below(4));
    for (T& value : values) scramble(value);
  }
  template <class T>
  void scramble(std::optional<T>& value) {
    if (random_.below(2) == 0) scramble(value.emplace());
  }
  template <transport::detail::Listed T>
  void scramble(T& value) {
    std::apply([&](auto... member) { (scramble(value.*member), ...); }, T::fields);
  }

 private:
  Random random_;
  FileId own_;
};

}  // namespace weir::burst
