#include "semantics/names.hpp"

#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace weir::semantics {
namespace {

class NameSweep {
 public:
  NameSweep(const Accesses& accesses, const Precedence& precedence, std::size_t examples)
      : accesses_(&accesses), precedence_(&precedence), most_examples_(examples) {
    for (std::uint32_t i = 0; i < accesses.names.size(); ++i) number_.emplace(accesses.names[i], i);
  }

  NameFindings run() {
    for (const NameUse& use : accesses_->name_uses) {
      if (use.changes())
        change(use);
      else
        rely(use);
    }
    return std::move(out_);
  }

 private:
  void change(const NameUse& use) {
    if (use.kind == NameUse::Kind::resize) {
      last_size_[use.name] = use;
      return;
    }
    rely(use);  // what is renamed or removed must be there
    last_[use.name] = use;
    if (const auto folder = folder_of(use.name)) last_in_[*folder] = use;
    if (use.kind != NameUse::Kind::rename && use.kind != NameUse::Kind::link) return;
    last_[use.other] = use;
    if (const auto folder = folder_of(use.other)) last_in_[*folder] = use;
  }

  void rely(const NameUse& use) {
    if (use.kind == NameUse::Kind::create) return;
    const bool found = depends(use, use.kind == NameUse::Kind::list ? last_in_ : last_);
    if (!found && use.kind == NameUse::Kind::look_up) depends(use, last_size_);
  }

  using Changes = std::unordered_map<std::uint32_t, NameUse>;

  bool depends(const NameUse& use, const Changes& changes) {
    const auto found = changes.find(use.name);
    if (found == changes.end() || found->second.event.process == use.event.process) return false;
    const NameUse& change = found->second;
    const bool gone = change.kind == NameUse::Kind::remove ||
                      (change.kind == NameUse::Kind::rename && change.name == use.name);
    if ((use.kind == NameUse::Kind::miss) != gone && use.kind != NameUse::Kind::list) return false;
    const bool ordered = precedence_->before({change.event, change.start_ns, change.end_ns},
                                             {use.event, use.start_ns, use.end_ns});
    ++(ordered ? out_.dependencies : out_.races);
    if (out_.examples.size() < most_examples_ && shown_.insert(use.name).second)
      out_.examples.push_back({change, use, !ordered});
    return true;
  }

  std::optional<std::uint32_t> folder_of(std::uint32_t name) const {
    const std::string& text = accesses_->names[name];
    const std::size_t slash = text.rfind('/');
    if (slash == std::string::npos || slash == 0) return std::nullopt;
    const auto found = number_.find(text.substr(0, slash));
    if (found == number_.end()) return std::nullopt;
    return found->second;
  }

  const Accesses* accesses_;
  const Precedence* precedence_;
  std::size_t most_examples_;
  std::unordered_map<std::string, std::uint32_t> number_;
  Changes last_;       // the last change of each name
  Changes last_in_;    // of what is in each directory
  Changes last_size_;  // of how long a file is
  std::unordered_set<std::uint32_t> shown_;
  NameFindings out_;
};

}  // namespace

NameFindings find_name_dependencies(const Accesses& accesses, const Precedence& precedence,
                                    std::size_t examples) {
  return NameSweep(accesses, precedence, examples).run();
}

}  // namespace weir::semantics
