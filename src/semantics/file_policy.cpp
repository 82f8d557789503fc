#include "semantics/file_policy.hpp"

#include <algorithm>
#include <map>

namespace weir::semantics {

consistency::FilePolicy file_policy(const Accesses& accesses, const Verdict& verdict) {
  std::map<std::string, std::size_t> models;  // the lower, the stronger
  for (const FileVerdict& one : verdict.files) {
    const File& file = accesses.files[one.file];
    if (file.writers == 0 || !file.name.starts_with('/')) continue;  // one machine's memory
    // Where processes race no model helps; the strongest hurts least.
    const std::size_t model = one.weakest.value_or(0);
    const auto add = [&](const std::string& name) {
      const auto [found, fresh] = models.emplace(name, model);
      found->second = std::min(found->second, model);
    };
    add(file.name);
    for (const std::string& name : file.later_names) add(name);
  }
  consistency::FilePolicy policy;
  for (const auto& [name, model] : models)
    policy.add(consistency::exact_pattern(name), consistency::offered_by_burst(verdict.models[model]).name);
  return policy;
}

}  // namespace weir::semantics
