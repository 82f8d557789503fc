// Runs between RunRow and the columns of the store.
#include <cmath>

#include "base/compress.hpp"
#include "base/json.hpp"
#include "campaign/detail/store_state.hpp"

namespace weir::campaign {
namespace detail {

const std::string_view kRunColumns =
    "configuration, repeat, started_ns, state, reason, throughput, throughput_together, duration_s, bytes, "
    "read_count, read_p50_s, read_p99_s, read_p999_s, read_max_s, "
    "write_count, write_p50_s, write_p99_s, write_p999_s, write_max_s";

namespace {

constexpr std::uint64_t kLargestDetail = std::uint64_t{256} << 20U;

bool empty(const Json& json) {
  return json.is_null() || ((json.is_object() || json.is_array()) && json.empty());
}

std::vector<std::byte> pack(const RunRow& run) {
  Json all;
  if (!empty(run.workers)) all["workers"] = run.workers;
  if (!empty(run.monitors)) all["monitors"] = run.monitors;
  if (!empty(run.notes)) all["notes"] = run.notes;
  if (all.is_null()) return {};
  const std::string text = all.dump(-1, ' ', false, Json::error_handler_t::replace);
  ByteWriter out;
  constexpr std::size_t kWorthwhile = 1024;  // setting up the compressor costs more than it saves below
  if (text.size() >= kWorthwhile) {
    put_packed(out, as_bytes(text));
  } else {  // in put_packed()'s form for bytes that are stored as they are
    out.varint(text.size());
    out.varint(0);
    out.bytes(as_bytes(text));
  }
  return std::move(out).take();
}

Result<void> unpack(ByteSpan packed, RunRow& run) {
  ByteReader in(packed);
  const auto bytes = take_packed(in, kLargestDetail);
  if (!bytes) return bytes.error().in("details of a run");
  auto all = parse_json(as_text(*bytes));
  if (!all) return all.error().in("details of a run");
  if (!all->is_object()) return Error{Errc::bad_data, "details of a run are no table; the store is damaged"};
  const auto take = [&](const char* key, Json& into) {
    if (const auto found = all->find(key); found != all->end()) into = std::move(*found);
  };
  take("workers", run.workers);
  take("monitors", run.monitors);
  take("notes", run.notes);
  return {};
}

void bind_latency(Statement& statement, const LatencyRow& latency) {
  statement.bind(static_cast<std::int64_t>(latency.count))
      .bind(latency.p50_s)
      .bind(latency.p99_s)
      .bind(latency.p999_s)
      .bind(latency.max_s);
}

LatencyRow latency_of(const Statement& row, int first) {
  return {static_cast<std::uint64_t>(row.integer(first)), row.optional_real(first + 1),
          row.optional_real(first + 2), row.optional_real(first + 3), row.optional_real(first + 4)};
}

// SQLite keeps NaN as null by itself; infinities would come back as such.
std::optional<double> finite(std::optional<double> value) {
  return value && std::isfinite(*value) ? value : std::nullopt;
}

}  // namespace

Result<RunRow> run_of(const Statement& row, bool details) {
  RunRow run;
  run.configuration = row.integer(0);
  run.repeat = static_cast<std::uint32_t>(row.integer(1));
  run.started_ns = row.integer(2);
  const std::int64_t state = row.integer(3);
  if (state < 0 || state > static_cast<std::int64_t>(RunState::failed))
    return Error{Errc::bad_data, "a run has a state that never was; the store is damaged"};
  run.state = static_cast<RunState>(state);
  run.reason = row.text(4);
  run.throughput = row.optional_real(5);
  run.throughput_together = row.optional_real(6);
  run.duration_s = row.optional_real(7);
  run.bytes = row.optional_real(8);
  run.read = latency_of(row, 9);
  run.write = latency_of(row, 14);
  if (details && !row.null(kRunColumnCount))
    if (auto unpacked = unpack(row.blob(kRunColumnCount), run); !unpacked) return unpacked.error();
  return run;
}

}  // namespace detail

Result<void> Store::State::put_run(std::int64_t campaign, const RunRow& run) {
  const auto configurations = configuration_count(campaign);
  if (!configurations) return configurations.error();
  if (run.configuration < 0 || run.configuration >= *configurations)
    return Error{Errc::usage,
                 fmt::format("campaign {} has no configuration {}", campaign, run.configuration)};
  const auto machine = machine_number(run.machine, true);
  if (!machine) return machine.error();
  if (!insert_run) {
    auto statement =
        db.prepare(fmt::format("INSERT INTO run(campaign, machine, {}) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, "
                               "?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21) "
                               "ON CONFLICT DO NOTHING",
                               detail::kRunColumns));
    if (!statement) return statement.error();
    insert_run = *std::move(statement);
    statement = db.prepare("INSERT INTO run_detail(run, packed) VALUES(?, ?)");
    if (!statement) return statement.error();
    insert_detail = *std::move(statement);
  }
  insert_run->bind(campaign)
      .bind(*machine)
      .bind(run.configuration)
      .bind(std::int64_t{run.repeat})
      .bind(run.started_ns)
      .bind(static_cast<std::int64_t>(run.state))
      .bind(std::string_view(run.reason))
      .bind(detail::finite(run.throughput))
      .bind(detail::finite(run.throughput_together))
      .bind(detail::finite(run.duration_s))
      .bind(detail::finite(run.bytes));
  detail::bind_latency(*insert_run, run.read);
  detail::bind_latency(*insert_run, run.write);
  if (auto inserted = insert_run->run(); !inserted) return inserted.error();
  if (sqlite3_changes(db.handle()) == 0)
    return Error{Errc::usage, fmt::format("run {} of configuration {} on '{}' is there already", run.repeat,
                                          run.configuration, run.machine)};
  const std::vector<std::byte> packed = detail::pack(run);
  if (packed.empty()) return {};
  return insert_detail->bind(std::int64_t{sqlite3_last_insert_rowid(db.handle())})
      .bind(ByteSpan(packed))
      .run();
}

}  // namespace weir::campaign
