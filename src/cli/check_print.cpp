#include <set>
#include <string>

#include <fmt/format.h>

#include "base/table.hpp"
#include "base/units.hpp"
#include "cli/check.hpp"

namespace weir::cli {
namespace {

using semantics::Access;
using semantics::ConflictCounts;
using semantics::PairKind;

std::string count_or_dash(std::uint64_t count) { return count == 0 ? "-" : format_count(count); }

std::string_view name(PairKind kind) {
  switch (kind) {
    case PairKind::waw_s:
      return "WAW-S";
    case PairKind::waw_d:
      return "WAW-D";
    case PairKind::raw_s:
      return "RAW-S";
    case PairKind::raw_d:
      return "RAW-D";
    case PairKind::race:
      break;
  }
  return "race";
}

std::string weakest_text(const CheckView& view, const std::optional<std::size_t>& weakest) {
  return weakest ? view.verdict.models[*weakest].name : "none";
}

void print_head(const CheckView& view, Output& out) {
  const auto& verdict = view.verdict;
  const auto line = [&](std::string_view title, std::string_view text) {
    out.print("{:<15}{}\n", title, text);
  };
  std::uint64_t written = 0;
  for (const semantics::File& file : view.accesses.files) written += file.writers > 0 ? 1 : 0;
  for (const auto& program : view.accesses.programs) line("trace", program.trace->path().string());
  line("accesses", fmt::format("{} of {} files, {} of them written", format_count(view.accesses.access_count),
                               view.accesses.files.size(), written));
  const bool proven = view.order.is_proven();
  line("order", proven ? "proven from MPI calls" : "by time stamps where there are no MPI calls");
  if (verdict.races > 0)
    line("weakest model",
         fmt::format("none: {} races, accesses that nothing orders", format_count(verdict.races)));
  else
    line("weakest model", weakest_text(view, verdict.weakest));
  if (view.asked)
    line("asked about",
         fmt::format("{}: {}{}", view.asked_as, view.suffices(*view.asked) ? "sufficient" : "not sufficient",
                     view.asked_note.empty() ? "" : " (" + view.asked_note + ")"));
  if (view.names.dependencies + view.names.races > 0)
    line("names",
         fmt::format("{} times a process relies on what another made, renamed or removed; {} of them "
                     "nothing orders",
                     format_count(view.names.dependencies + view.names.races),
                     format_count(view.names.races)));
  for (const std::string& note : view.notes()) line("note", note);
}

void print_models(const CheckView& view, Output& out) {
  Table table({{"model"},
               {"sufficient"},
               {"WAW-S", Table::right},
               {"WAW-D", Table::right},
               {"RAW-S", Table::right},
               {"RAW-D", Table::right},
               {"what it promises", Table::shrinks}});
  for (std::size_t i = 0; i < view.verdict.models.size(); ++i) {
    if (i == view.verdict.ordered) table.rule();
    const consistency::Model& model = view.verdict.models[i];
    const ConflictCounts& counts = view.verdict.conflicts[i];
    table.row({i < view.verdict.ordered ? model.name : view.asked_as, view.suffices(i) ? "yes" : "no",
               count_or_dash(counts.waw_s), count_or_dash(counts.waw_d), count_or_dash(counts.raw_s),
               count_or_dash(counts.raw_d), model.summary});
  }
  out.write("\n");
  out.table(table);
}

void print_files(const CheckView& view, Output& out) {
  const auto files = view.shared_files();
  if (files.empty()) return;
  Table table({{"file", Table::shrinks},
               {"writers", Table::right},
               {"readers", Table::right},
               {"written", Table::right},
               {"read", Table::right},
               {"races", Table::right},
               {"weakest model"}});
  for (std::size_t i = 0; i < files.size() && i < view.top; ++i) {
    const semantics::File& file = view.accesses.files[files[i]->file];
    table.row({file.name, format_count(file.writers), format_count(file.readers),
               format_bytes(Bytes(file.written_bytes)), format_bytes(Bytes(file.read_bytes)),
               count_or_dash(files[i]->findings.races), weakest_text(view, files[i]->weakest)});
  }
  out.write("\n");
  out.table(table);
  if (files.size() > view.top) out.print("{} more files; --top shows them\n", files.size() - view.top);
}

std::string access_text(const CheckView& view, const semantics::File& file, const Access& access) {
  const semantics::Event event = file.event(access);
  std::string where = fmt::format("[{}, {})", access.begin, access.end);
  if (access.relies_on_end())
    where = fmt::format("relies on the end, {}", access.begin);
  else if (access.end == Access::kEverAfter)
    where = fmt::format("[{}, end)", access.begin);
  return fmt::format("{:.6f} s  {}: {} {}", static_cast<double>(access.start_ns) * 1e-9,
                     view.accesses.label(event.process), view.call_text(event), where);
}

void print_pairs(const CheckView& view, Output& out) {
  std::size_t shown = 0;
  for (const semantics::FileVerdict* const one : view.shared_files()) {
    const semantics::File& file = view.accesses.files[one->file];
    for (const semantics::ConflictPair& pair : one->findings.examples) {
      if (shown++ >= view.top) return;
      const bool race = pair.kind == PairKind::race;
      out.print("\n{}{}\n  {}\n  {}\n", name(pair.kind),
                race ? ", nothing orders them" : " under " + view.models_text(pair.models),
                access_text(view, file, pair.first), access_text(view, file, pair.second));
    }
  }
}

void print_processes(const CheckView& view, Output& out) {
  Table table({{"file", Table::shrinks},
               {"first"},
               {"second"},
               {"overlaps", Table::right},
               {"races", Table::right},
               {"conflicts under"}});
  std::size_t shown = 0;
  for (const semantics::FileVerdict* const one : view.shared_files()) {
    const semantics::File& file = view.accesses.files[one->file];
    for (const auto& [members, pair] : one->findings.pairs) {
      if (pair.models == 0 && pair.races == 0) continue;
      if (shown++ >= view.top) continue;
      table.row({file.name, view.accesses.label(file.members[members.first].process),
                 view.accesses.label(file.members[members.second].process), format_count(pair.overlaps),
                 count_or_dash(pair.races), view.models_text(pair.models)});
    }
  }
  if (table.empty()) return;
  out.write("\n");
  out.table(table);
}

void print_advice(const CheckView& view, Output& out) {
  const auto model = view.advised();
  if (!model) return;
  const auto list = semantics::advise(view.accesses, view.verdict, *model, view.order, view.top);
  if (list.empty()) return;
  const bool races = view.verdict.races > 0;
  out.print("\nto make {} sufficient\n",
            *model < view.verdict.ordered ? view.verdict.models[*model].name : view.asked_as);
  std::size_t shown = 0;
  std::set<std::string> told;
  for (const semantics::Advice& advice : list) {
    const bool orders =
        advice.what == semantics::Advice::What::order || advice.what == semantics::Advice::What::flush;
    if (races && !orders) continue;  // first things first
    if (shown++ >= view.top) break;
    for (const std::string& line : view.advice_text(advice, *model))
      if (told.insert(line).second) out.print("  {}\n", line);
  }
}

void print_names(const CheckView& view, Output& out) {
  if (view.names.examples.empty()) return;
  out.write("\nnames that one process changes and another relies on\n");
  for (const semantics::NameDependency& one : view.names.examples)
    out.print("  {}: {}, then {}: {}{}\n", view.accesses.label(one.change.event.process),
              view.call_text(one.change.event), view.accesses.label(one.use.event.process),
              view.call_text(one.use.event), one.race ? "; nothing orders them" : "");
}

}  // namespace

void print_check(const CheckView& view, Output& out) {
  print_head(view, out);
  print_models(view, out);
  print_files(view, out);
  print_processes(view, out);
  print_pairs(view, out);
  print_advice(view, out);
  print_names(view, out);
}

}  // namespace weir::cli
