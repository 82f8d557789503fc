#include "campaign/store.hpp"

#include <array>
#include <cerrno>
#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

#include "base/check.hpp"
#include "campaign/detail/store_state.hpp"

namespace weir::campaign {

std::string_view name(RunState state) {
  switch (state) {
    case RunState::ok:
      return "ok";
    case RunState::disturbed:
      return "disturbed";
    case RunState::failed:
      return "failed";
  }
  WEIR_CHECK(false, "no such state");
}

Store::Store(std::unique_ptr<State> state) : state_(std::move(state)) {}
Store::~Store() = default;
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

const std::filesystem::path& Store::file() const { return state_->file; }

bool is_store(const std::filesystem::path& file) {
  constexpr std::string_view kMagic{"SQLite format 3\0", 16};
  std::array<char, kMagic.size()> begin{};
  std::ifstream in(file, std::ios::binary);
  return in.read(begin.data(), begin.size()) && std::string_view(begin.data(), begin.size()) == kMagic;
}

Result<Store> Store::open(const std::filesystem::path& file) {
  auto state = std::make_unique<State>();
  state->file = file;
  std::error_code failed;
  const auto kind = std::filesystem::status(file, failed).type();
  if (kind != std::filesystem::file_type::not_found && kind != std::filesystem::file_type::regular)
    return Error{Errc::usage, "is not a file"}.in(file.string());
  if (kind == std::filesystem::file_type::regular && std::filesystem::file_size(file, failed) > 0 &&
      !is_store(file))
    return Error{Errc::bad_data, "is no store of results (not an SQLite file)"}.in(file.string());
  if (kind == std::filesystem::file_type::regular && ::access(file.c_str(), W_OK) != 0)
    return Error::from_errno(errno, "cannot write to it").in(file.string());
  auto lock = detail::WriterLock::take(file);
  if (!lock) return lock.error().in(file.string());
  state->lock.emplace(*std::move(lock));
  auto db = detail::Database::open(file, detail::Database::Access::create);
  if (!db) return db.error().in(file.string());
  state->db = *std::move(db);
  // Where the file system lets no two processes share memory, SQLite keeps its older journal: as safe, but
  // readers wait.
  for (const char* setting : {"PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL"})
    if (auto set = state->db.run(setting); !set) return set.error().in(file.string());
  if (auto ready = detail::prepare_schema(state->db, true); !ready) return ready.error().in(file.string());
  return Store(std::move(state));
}

Result<Store> Store::open_to_read(const std::filesystem::path& file) {
  using Access = detail::Database::Access;
  if (::access(file.c_str(), R_OK) != 0) return Error::from_errno(errno, "cannot read it").in(file.string());
  if (!is_store(file))
    return Error{Errc::bad_data, "is no store of results (not an SQLite file)"}.in(file.string());
  auto state = std::make_unique<State>();
  state->file = file;
  const auto attempt = [&](Access access) -> Result<void> {
    auto db = detail::Database::open(file, access);
    if (!db) return db.error();
    state->db = *std::move(db);
    return detail::prepare_schema(state->db, false);
  };
  auto ready = attempt(Access::read);
  if (!ready && ready.error().code() != Errc::bad_data && ready.error().code() != Errc::unsupported) {
    // Reading in WAL mode wants to write beside the store. Where that is not allowed and nothing waits in a
    // log, the file alone is the whole truth.
    std::filesystem::path log = file;
    log += "-wal";
    std::error_code none;
    const auto size = std::filesystem::file_size(log, none);
    if (none || size == 0) ready = attempt(Access::read_unchanging);
  }
  if (!ready) return ready.error().in(file.string());
  return Store(std::move(state));
}

Result<std::int64_t> find_campaign(const Store& store, std::string_view wanted) {
  const auto numbers = store.campaigns();
  if (!numbers) return numbers.error();
  if (numbers->empty()) return Error{Errc::not_found, "holds no campaign"}.in(store.file().string());
  if (wanted.empty()) return numbers->back();
  std::string known;
  for (auto number = numbers->rbegin(); number != numbers->rend(); ++number) {
    const auto facts = store.campaign(*number);
    if (!facts) return facts.error();
    if (facts->name == wanted) return *number;
    known += fmt::format("{}{} ({})", known.empty() ? "" : ", ", facts->name, *number);
  }
  for (const std::int64_t number : *numbers)
    if (fmt::format("{}", number) == wanted) return number;
  return Error{Errc::not_found, fmt::format("no campaign '{}'", wanted)}
      .with_remedy(fmt::format("there are {}", known))
      .in(store.file().string());
}

}  // namespace weir::campaign
