#include "semantics/advice.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace weir::semantics {
namespace {

using consistency::Model;

Advice advice_for(const File& file, const Gap& gap, const Model& model, const ProgramOrder& order) {
  Advice advice;
  advice.pairs = gap.pairs;
  advice.write = gap.first;
  advice.later = gap.second;
  if (gap.race) {
    advice.what = gap.first.delayed() || gap.second.delayed() ? Advice::What::flush : Advice::What::order;
    return advice;
  }
  advice.what = model.sees_at_once() ? Advice::What::publish : Advice::What::reopen;
  const std::vector<Event> proof = order.proof(file.event(gap.first), file.event(gap.second));
  if (gap.first.at_end() && gap.second.at_end() && proof.empty()) advice.what = Advice::What::append;
  if (proof.size() >= 4) {
    advice.leave = proof[1];
    advice.arrive = proof[proof.size() - 2];
  }
  return advice;
}

}  // namespace

std::vector<Advice> advise(const Accesses& accesses, const Verdict& verdict, std::size_t model,
                           const ProgramOrder& order, std::size_t most) {
  std::vector<Advice> list;
  const Model& about = verdict.models[model];
  for (const FileVerdict& one : verdict.files) {
    std::vector<Advice> here;
    for (const auto& [key, gap] : one.findings.gaps) {
      const bool own = gap.first.member == gap.second.member;
      const bool counts = gap.race || ((gap.models >> model & 1) != 0 && !(own && about.own_order));
      if (!counts) continue;
      here.push_back(advice_for(accesses.files[one.file], gap, about, order));
      here.back().file = one.file;
    }
    std::stable_sort(here.begin(), here.end(),
                     [](const Advice& a, const Advice& b) { return a.pairs > b.pairs; });
    if (here.size() > most) here.resize(most);
    list.insert(list.end(), here.begin(), here.end());
  }
  return list;
}

bool is_library_metadata(const File& file, const Access& write) {
  constexpr std::array<std::string_view, 6> endings = {".h5", ".hdf5", ".he5", ".hdf", ".nc4", ".nc"};
  constexpr std::int64_t kSmall = 4096;
  return file.through_mpi && write.end - write.begin <= kSmall &&
         std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view ending) { return file.name.ends_with(ending); });
}

}  // namespace weir::semantics
