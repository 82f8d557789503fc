#include <algorithm>

#include <fmt/format.h>

#include "base/units.hpp"
#include "cli/check.hpp"
#include "cli/trace_options.hpp"
#include "trace/rank_gaps.hpp"
#include "trace/record_text.hpp"

namespace weir::cli {

using semantics::Advice;

bool CheckView::suffices(std::size_t model) const {
  return verdict.sufficient[model] &&
         (verdict.models[model].strong_names || names.dependencies + names.races == 0);
}

std::optional<std::size_t> CheckView::advised() const {
  if (asked) return suffices(*asked) ? std::nullopt : asked;
  if (verdict.races > 0) return 0;
  std::size_t next = verdict.weakest ? *verdict.weakest + 1 : 0;
  // Without MPI-IO what MPI promises is no other than session.
  const bool mpi_io = std::any_of(accesses.files.begin(), accesses.files.end(),
                                  [](const semantics::File& file) { return file.through_mpi; });
  if (next < verdict.ordered && verdict.models[next].name == "mpiio" && !mpi_io) ++next;
  // Nothing can be done for the weakest: no call publishes there.
  if (next >= verdict.ordered || verdict.models[next].publish.empty()) return std::nullopt;
  return next;
}

std::vector<const semantics::FileVerdict*> CheckView::shared_files() const {
  std::vector<const semantics::FileVerdict*> files;
  const auto weight = [&](const semantics::FileVerdict* one) {
    std::uint64_t sum = 0;
    for (const semantics::ConflictCounts& counts : one->findings.conflicts)
      sum += counts.others() + counts.own();
    return std::pair(one->findings.races, sum);
  };
  for (const semantics::FileVerdict& one : verdict.files)
    if (accesses.files[one.file].writers > 0) files.push_back(&one);
  std::stable_sort(files.begin(), files.end(),
                   [&](const auto* a, const auto* b) { return weight(a) > weight(b); });
  return files;
}

std::vector<std::string> CheckView::notes() const {
  std::vector<std::string> notes;
  if (accesses.access_count == 0) notes.emplace_back("the trace has no calls that read or write files");
  for (std::size_t i = 0; i < order.orders().size(); ++i) {
    const semantics::Order& one = order.orders()[i];
    const std::string which = order.orders().size() > 1 ? fmt::format("program {}: ", i + 1) : std::string();
    if (const std::string options = narrowing_of(*accesses.programs[i].trace); !options.empty())
      notes.push_back(
          fmt::format("{}traced with {}: the verdict knows nothing of what that left out", which, options));
    if (!one.is_proven() && accesses.programs[i].trace->processes().size() > 1) {
      if (!one.has_times())
        notes.push_back(which + "no MPI calls, and times are not exact: only fork and wait order processes");
      else
        notes.push_back(
            which +
            "no MPI calls: time stamps tell the order of processes, which proves nothing about "
            "other runs" +
            (one.skew().margin_ns > 0
                 ? fmt::format("; clocks may be {} apart", format_duration(Nanoseconds(one.skew().margin_ns)))
                 : std::string()));
    }
    if (!one.missing_ranks().empty())
      notes.push_back(fmt::format(
          "{}ranks that left nothing in the trace: {}; what they read, wrote or told others is not "
          "known",
          which, trace::list_of_ranks(one.missing_ranks())));
    if (one.unmatched_count() > 0)
      notes.push_back(fmt::format(
          "{}{} MPI calls have no partner in the trace; the first is {} of {}: {}", which,
          format_count(one.unmatched_count()), one.unmatched().front().function,
          accesses.label(one.unmatched().front().event.process + accesses.programs[i].first_process),
          one.unmatched().front().why));
    for (const std::string& note : one.notes()) notes.push_back(which + note);
  }
  if (accesses.unfollowed > 0)
    notes.push_back(fmt::format(
        "{} requests are left out: the trace does not tell which bytes they moved (long lists of lio_listio, "
        "and their like)",
        format_count(accesses.unfollowed)));
  if (accesses.rings > 0)
    notes.push_back(
        fmt::format("{} rings of io_uring were made: what is read and written through them is not seen, "
                    "and the verdict does not know of it",
                    format_count(accesses.rings)));
  if (accesses.untyped > 0)
    notes.push_back(fmt::format("{} MPI-IO calls are left out: the trace does not tell their datatypes",
                                format_count(accesses.untyped)));
  if (accesses.library_files > 0)
    notes.push_back(fmt::format("{} files that MPI keeps for itself are left out", accesses.library_files));
  for (const semantics::File& file : accesses.files) {
    if (file.mapped && file.writers > 0)
      notes.push_back(file.name + ": mapped into memory; it counts as touched all the while");
    if (file.read_ahead && file.writers > 0 && file.members.size() > 1)
      notes.push_back(file.name +
                      ": a stream may have read ahead what another process wrote before it was handed out; "
                      "setvbuf(_IONBF), fflush or a new fopen makes sure");
    if (file.writers > 0 && accesses.may_be_several(file))
      notes.push_back(
          file.name +
          ": used on several machines, and taken for one file; if its directory is each machine's "
          "own these are several files, which have nothing to do with each other");
    if (file.guessed)
      notes.push_back(file.name + ": not all positions are told by the trace; some are guessed");
  }
  return notes;
}

std::string CheckView::call_text(semantics::Event event) const {
  const semantics::Event local = accesses.local(event);
  trace::RecordReader reader(*accesses.program_of(event.process).trace, local.process, local.thread);
  reader.seek_record(local.record);
  trace::Record record;
  if (!reader.next(record)) return "?";
  fmt::memory_buffer text;
  trace::append_call(text, record);
  return to_string(text);
}

// Records stand in the order in which calls ended: the one around it comes later.
std::string CheckView::made_inside(semantics::Event event) const {
  const semantics::Event local = accesses.local(event);
  trace::RecordReader reader(*accesses.program_of(event.process).trace, local.process, local.thread);
  reader.seek_record(local.record);
  trace::Record record;
  if (!reader.next(record)) return {};
  const std::uint32_t depth = record.depth;
  while (depth > 0 && reader.next(record))
    if (record.depth < depth) return record.function->name;
  return {};
}

std::string CheckView::models_text(std::uint32_t models) const {
  std::string text;
  for (std::size_t i = 0; i < verdict.models.size(); ++i) {
    if ((models >> i & 1) == 0) continue;
    if (!text.empty()) text += ", ";
    text += i < verdict.ordered ? verdict.models[i].name : asked_as;
  }
  return text;
}

std::vector<std::string> CheckView::advice_text(const Advice& advice, std::size_t model) const {
  const semantics::File& file = accesses.files[advice.file];
  const semantics::Event write = file.event(advice.write);
  const semantics::Event later = file.event(advice.later);
  const std::string writer = accesses.label(write.process);
  const std::string reader = accesses.label(later.process);
  const std::string write_text = call_text(write);
  const std::string later_text = call_text(later);
  std::vector<std::string> lines;
  switch (advice.what) {
    case Advice::What::order:
      lines.push_back(fmt::format("order {} of {} and {} of {}: a barrier, or a message, between them",
                                  write_text, writer, later_text, reader));
      return lines;
    case Advice::What::flush:
      lines.push_back(fmt::format(
          "{}: fflush after {}, before {} is told to go on with {}", advice.write.delayed() ? writer : reader,
          advice.write.delayed() ? write_text : later_text, advice.write.delayed() ? reader : writer,
          advice.write.delayed() ? later_text : write_text));
      return lines;
    case Advice::What::append:
      lines.push_back(fmt::format(
          "{} of {} and {} of {} append in an order that nothing tells: a file for each process, or "
          "offsets that they agree upon (pwrite)",
          write_text, writer, later_text, reader));
      return lines;
    case Advice::What::publish:
    case Advice::What::reopen:
      break;
  }
  const bool closes = advice.what == Advice::What::reopen;
  const bool syncs = verdict.models[model].publishes_on(consistency::Operation::fsync);
  const bool by_mpi =
      verdict.models[model].publishes_on(consistency::Operation::mpi_sync) && file.through_mpi;
  const char* const publish = by_mpi ? "MPI_File_sync" : !closes && syncs ? "fsync" : "close";
  const auto place = [&](const std::optional<semantics::Event>& call) {
    return call ? call_text(*call) : std::string();
  };
  std::string line = fmt::format("{}: {} after {}", writer, publish, write_text);
  if (advice.leave) line += ", before " + place(advice.leave);
  lines.push_back(line);
  if (closes) {
    line = fmt::format("{}: {} ", reader, by_mpi ? "MPI_File_sync" : "open");
    if (advice.arrive) line += "after " + place(advice.arrive) + ", ";
    lines.push_back(line + "before " + later_text);
  }
  if (const std::string around = made_inside(write);
      around.starts_with("MPI_File_") && around.find("_all") != std::string::npos)
    lines.push_back(fmt::format(
        "or, as {} wrote this for other ranks too: one that writes for all, with the hints romio_cb_write "
        "enable and cb_nodes 1 (or a file with these lines, named by ROMIO_HINTS)",
        around));
  else if (semantics::is_library_metadata(file, advice.write))
    lines.emplace_back(
        "or, as this looks like HDF5's own metadata: H5Pset_coll_metadata_write(fapl, true), or no "
        "H5Fflush before the file is closed");
  return lines;
}

}  // namespace weir::cli
