#include "semantics/detail/assemble.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <tuple>
#include <unordered_map>

#include "base/parallel.hpp"
#include "semantics/detail/file_identity.hpp"

namespace weir::semantics::detail {
namespace {

// When something happened, as far as the order of the program allows.
struct When {
  When(const LinePlace& place, std::int64_t own_ns)
      : ns(std::max(place.after_ns, own_ns)), number(place.number) {}

  std::int64_t ns;
  std::uint32_t number;
  friend auto operator<=>(const When&, const When&) = default;
};

// An opening or a change of names, to be put in order.
struct Step {
  When when;
  Event event;
  std::uint32_t program = 0;
  std::uint32_t family = 0;
  std::uint32_t index = 0;
  bool opening = false;

  auto key() const { return std::tuple(when, event, !opening, index); }
};

// A file while its parts are being found.
struct Parts {
  std::vector<Use*> uses;
  bool by_mpi = false;      // some MPI_File_open named it
  bool by_others = false;   // opened by the program itself
  bool below_mpi = false;   // MPI made POSIX accesses to it
  bool made_new = false;    // it was empty when it was first opened
  bool may_be_new = false;  // somebody would have made it
};

// Positions counted from the end become offsets, cut-off ranges end where the file did, what touches nothing
// goes. What a file held before the trace is not known unless it was made new, or cut off. Where several
// processes write, who appends or asks for the end relies on the others: on who wrote what lies before the
// end, and on nobody having written behind it. So does who cuts the file off, lest it cuts off more than it
// did.
class Settling {
 public:
  // An old file may hold anything, also far behind what is known of it.
  Settling(File& file, bool size_known, bool is_new)
      : file_(&file), size_known_(size_known), is_old_(!is_new), did_(file.members.size()) {}

  void run() {
    const std::size_t more = relying();
    const bool grows = more > 0;
    if (grows) grown_.reserve(file_->accesses.size() + more);
    for (const Access& access : file_->accesses) settle(access, grows);
    if (grows)
      file_->accesses = std::move(grown_);
    else
      file_->accesses.resize(kept_);
    for (const std::uint8_t one : did_) {
      file_->readers += (one & kRead) != 0 ? 1 : 0;
      file_->writers += (one & kWrote) != 0 ? 1 : 0;
    }
  }

 private:
  static constexpr std::uint8_t kRead = 1;
  static constexpr std::uint8_t kWrote = 2;
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};

  static bool appends(const Access& access) {
    return access.writes() && (access.flags & (Access::kAtEnd | Access::kFromEnd)) != 0;
  }
  static bool asks_for_end(const Access& access) {
    return (access.flags & Access::kMissed) != 0 && access.at_end();
  }

  // MPI_File_set_size conflicts with accesses between the old and the new end only (MPI 3.1, 13.6, "File
  // Size").
  static bool cuts_off(const Access& access) {
    return access.truncates() && (access.flags & Access::kMpiIo) == 0;
  }

  // How many accesses may rely on where the end is; finds out who writes.
  std::size_t relying() {
    std::size_t on_end = 0;
    std::size_t cuts = 0;
    std::uint32_t cutter = kNobody;
    for (const Access& access : file_->accesses) {
      on_end += appends(access) || asks_for_end(access) ? 1 : 0;
      cuts += cuts_off(access) ? 1 : 0;
      if (access.truncates()) {
        file_->cut_by_several = file_->cut_by_several || (cutter != kNobody && cutter != access.member);
        cutter = access.member;
      }
      if (!access.writes() || access.member == writer_) continue;
      several_write_ = several_write_ || writer_ != kNobody;
      writer_ = access.member;
    }
    return (writer_ == kNobody ? 0 : on_end) + (several_write_ ? cuts : 0);
  }
  bool others_write(const Access& access) const { return several_write_ || access.member != writer_; }

  void settle(Access access, bool grows) {
    const bool asks = asks_for_end(access);
    if ((access.flags & Access::kFromEnd) != 0) {
      access.begin = std::max<std::int64_t>(0, access.begin + size_);
      access.end = std::max(access.begin, access.end + size_);
      access.flags = static_cast<std::uint8_t>(access.flags & ~Access::kFromEnd);
      if (!asks) file_->guessed = file_->guessed || !size_known_;
    }
    if (asks) {
      access.flags = static_cast<std::uint8_t>(access.flags & ~Access::kAtEnd);
      if (grows && others_write(access)) rely_on_end(access);
      return;
    }
    if (grows && appends(access) && others_write(access)) rely_on_end(access);
    if (access.truncates()) {
      access.end = is_old_ ? Access::kEverAfter : size_;
      if (grows && several_write_ && !is_old_ && cuts_off(access)) rely_on_nothing_behind(access);
      size_ = access.begin;
      size_known_ = true;
      is_old_ = false;
      made_end_ = access.member;
    } else if ((access.flags & (Access::kMapped | Access::kMissed)) == 0 && access.end > size_) {
      // What was read was there: a file may be older than the trace.
      size_ = access.end;
      made_end_ = access.writes() ? access.member : kNobody;
    }
    if (access.begin >= access.end) return;
    const auto bytes = static_cast<std::uint64_t>(access.end - access.begin);
    if ((access.flags & (Access::kTruncates | Access::kMapped | Access::kMissed)) == 0)
      (access.writes() ? file_->written_bytes : file_->read_bytes) += bytes;
    if ((access.flags & Access::kMissed) == 0)
      did_[access.member] =
          static_cast<std::uint8_t>(did_[access.member] | (access.writes() ? kWrote : kRead));
    keep(access, grows);
  }

  // From the last byte before the end, if another process put the end there.
  void rely_on_end(Access access) {
    const bool others = made_end_ != kNobody && made_end_ != access.member && access.begin > 0;
    access.begin -= others ? 1 : 0;
    access.end = Access::kEverAfter;
    access.flags = static_cast<std::uint8_t>((access.flags & ~Access::kWrite) | Access::kMissed);
    keep(access, true);
  }

  void rely_on_nothing_behind(Access access) {
    access.begin = std::max(access.begin, size_);
    access.end = Access::kEverAfter;
    access.flags = static_cast<std::uint8_t>((access.flags & ~Access::kWrite) | Access::kMissed);
    if (access.begin < access.end) keep(access, true);
  }

  void keep(const Access& access, bool grows) {
    if (grows)
      grown_.push_back(access);
    else
      file_->accesses[kept_++] = access;
  }

  File* file_;
  bool size_known_;
  bool is_old_;
  bool several_write_ = false;
  std::uint32_t writer_ = kNobody;  // the last one, if not several
  std::int64_t size_ = 0;
  std::uint32_t made_end_ = kNobody;  // the member that did, if one did
  std::vector<std::uint8_t> did_;
  std::vector<Access> grown_;
  std::size_t kept_ = 0;
};

class Assembly {
 public:
  Assembly(std::vector<FollowedProgram>& programs, Accesses& out) : programs_(&programs), out_(&out) {}

  void run(unsigned threads) {
    renumber();
    name_machines();
    walk_names();
    gather();
    build(threads);
  }

 private:
  // Processes and times of all programs on one scale.
  void renumber() {
    for (FollowedProgram& program : *programs_) {
      const std::uint32_t first = program.first_process;
      const std::int64_t shift = program.shift_ns;
      for (Collected& family : program.families) {
        for (Opening& opening : family.openings) {
          opening.event.process += first;
          opening.start_ns += shift;
          opening.end_ns += shift;
        }
        for (NameChange& change : family.changes) {
          change.event.process += first;
          change.start_ns += shift;
          change.end_ns += shift;
        }
        for (Use& use : family.uses) {
          use.process += first;
          if (shift == 0) continue;
          for (Access& access : use.accesses) {
            access.start_ns += shift;
            access.end_ns += shift;
          }
          for (PlacedSync& placed : use.syncs) {
            placed.sync.start_ns += shift;
            placed.sync.end_ns += shift;
          }
        }
      }
    }
  }

  // Shared memory is each machine's own: where there are several, the names there say of which.
  void name_machines() {
    if (!has_several_machines()) return;
    const auto host_of = [&](const Event& event) -> const std::string& {
      return out_->process(event.process).host;
    };
    const auto name = [](std::string& path, const std::string& host) {
      if (path.starts_with("/dev/shm/")) path.insert(0, host + ":");
    };
    for (FollowedProgram& program : *programs_)
      for (Collected& family : program.families) {
        for (Opening& opening : family.openings) name(opening.path, host_of(opening.event));
        for (NameChange& change : family.changes) {
          name(change.path, host_of(change.event));
          name(change.other, host_of(change.event));
        }
      }
  }

  bool has_several_machines() const {
    const std::string* first = nullptr;
    for (const Accesses::Program& program : out_->programs)
      for (const trace::ProcessInfo& process : program.trace->processes()) {
        if (first != nullptr && process.host != *first) return true;
        first = &process.host;
      }
    return false;
  }

  template <class Happening>
  When when(const Happening& one) const {
    return {out_->place(one.event), one.end_ns};
  }

  std::vector<Step> steps() const {
    std::vector<Step> steps;
    for (std::uint32_t p = 0; p < programs_->size(); ++p)
      for (std::uint32_t f = 0; f < (*programs_)[p].families.size(); ++f) {
        const Collected& family = (*programs_)[p].families[f];
        for (std::uint32_t i = 0; i < family.openings.size(); ++i)
          steps.push_back({when(family.openings[i]), family.openings[i].event, p, f, i, true});
        for (std::uint32_t i = 0; i < family.changes.size(); ++i)
          steps.push_back({when(family.changes[i]), family.changes[i].event, p, f, i, false});
      }
    std::sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.key() < b.key(); });
    return steps;
  }

  std::uint32_t number_of(const std::string& name) {
    const auto [found, fresh] = name_numbers_.emplace(name, static_cast<std::uint32_t>(out_->names.size()));
    if (fresh) out_->names.push_back(name);
    return found->second;
  }

  void walk_names() {
    file_of_.resize(programs_->size());
    for (std::size_t p = 0; p < programs_->size(); ++p)
      for (const Collected& family : (*programs_)[p].families)
        file_of_[p].emplace_back(family.openings.size(), kNone);
    for (const Step& step : steps()) {
      const Collected& family = (*programs_)[step.program].families[step.family];
      if (step.opening)
        open(family.openings[step.index], file_of_[step.program][step.family][step.index]);
      else
        change(family.changes[step.index]);
    }
  }

  void open(const Opening& opening, std::uint32_t& file) {
    if (opening.not_a_file || opening.path.empty()) return;
    const bool was_known = identity_.known(opening.path);
    file = opening.unnamed ? identity_.open_unnamed(opening.path) : identity_.open(opening.path);
    if (file >= parts_.size()) parts_.resize(file + 1);
    Parts& parts = parts_[file];
    parts.by_mpi = parts.by_mpi || opening.by_mpi;
    parts.made_new = parts.made_new || opening.exclusive || opening.unnamed;
    parts.may_be_new = parts.may_be_new || opening.exclusive || opening.creates;
    parts.by_others = parts.by_others || (!opening.in_mpi && !opening.by_mpi);
    if (opening.only_named || opening.in_mpi) return;
    const bool created = opening.exclusive || (opening.creates && !was_known);
    if (opening.creates && !created) return;  // it would have made the file itself
    note({created ? NameUse::Kind::create : NameUse::Kind::open, number_of(opening.path), 0, opening.event,
          opening.start_ns, opening.end_ns});
  }

  void change(const NameChange& change) {
    using Kind = NameChange::Kind;
    NameUse use{NameUse::Kind::remove, number_of(change.path), 0,
                change.event,          change.start_ns,        change.end_ns};
    switch (change.kind) {
      case Kind::rename:
        identity_.rename(change.path, change.other);
        use.kind = NameUse::Kind::rename;
        use.other = number_of(change.other);
        break;
      case Kind::exchange:  // both names are there before and after
        identity_.exchange(change.path, change.other);
        use.kind = NameUse::Kind::link;
        use.other = number_of(change.other);
        break;
      case Kind::link:
        identity_.link(change.path, change.other);
        use.kind = NameUse::Kind::link;
        use.other = number_of(change.other);
        break;
      case Kind::soft_link:
        identity_.soft_link(change.path, change.other);
        use.kind = NameUse::Kind::create;
        break;
      case Kind::remove:
        identity_.remove(change.path);
        break;
      case Kind::make_directory:
        use.kind = NameUse::Kind::create;
        break;
      case Kind::resize:
        use.kind = NameUse::Kind::resize;
        break;
      case Kind::look_up:
        use.kind = NameUse::Kind::look_up;
        break;
      case Kind::list:
        use.kind = NameUse::Kind::list;
        break;
      case Kind::miss:
        use.kind = NameUse::Kind::miss;
        break;
    }
    if (!change.in_mpi) note(use);
  }

  void note(const NameUse& use) { out_->name_uses.push_back(use); }

  void gather() {
    parts_.resize(identity_.names().size());
    for (std::size_t p = 0; p < programs_->size(); ++p) {
      auto& families = (*programs_)[p].families;
      for (std::size_t f = 0; f < families.size(); ++f) {
        for (Use& use : families[f].uses) {
          const std::uint32_t file = file_of_[p][f][use.opening];
          if (file == kNone) continue;
          parts_[file].uses.push_back(&use);
          use.in_mpi = families[f].openings[use.opening].in_mpi;
          parts_[file].below_mpi = parts_[file].below_mpi || (use.in_mpi && !use.accesses.empty());
        }
        out_->data_calls += families[f].data_calls;
        out_->unfollowed += families[f].unfollowed;
        out_->rings += families[f].rings;
        out_->untyped += families[f].untyped;
      }
    }
  }

  void build(unsigned threads) {
    std::vector<File> files(parts_.size());
    parallel_for(
        parts_.size(),
        [&](std::size_t i) {
          if (!is_library_file(parts_[i])) files[i] = file_of(parts_[i], identity_.names()[i]);
        },
        threads);
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (is_library_file(parts_[i])) ++out_->library_files;
      if (files[i].accesses.empty()) continue;
      out_->access_count += files[i].accesses.size();
      out_->files.push_back(std::move(files[i]));
    }
    std::stable_sort(out_->files.begin(), out_->files.end(),
                     [](const File& a, const File& b) { return a.name < b.name; });
  }

  // MPI's own: opened inside its calls only, and not what it was asked to open.
  static bool is_library_file(const Parts& parts) {
    return !parts.uses.empty() && !parts.by_mpi && !parts.by_others;
  }

  File file_of(const Parts& parts, const std::vector<std::string>& names) const {
    File file;
    file.name = names.front();
    file.later_names.assign(names.begin() + 1, names.end());
    file.through_mpi = parts.by_mpi;
    std::map<std::uint32_t, std::vector<Use*>> by_process;
    std::size_t count = 0;
    for (Use* const use : parts.uses) {
      by_process[use->process].push_back(use);
      count += use->accesses.size();
      file.guessed = file.guessed || use->guessed;
      file.mapped = file.mapped || use->mapped;
      file.read_ahead = file.read_ahead || use->read_ahead;
    }
    file.accesses.reserve(count);
    for (const auto& [process, uses] : by_process) add_member(file, process, uses, parts.below_mpi);
    if (!out_->orders.empty() || depends_on_ends(file)) put_in_order(file);
    Settling(file, parts.made_new, parts.made_new || parts.may_be_new).run();
    return file;
  }

  static bool depends_on_ends(const File& file) {
    return std::any_of(file.accesses.begin(), file.accesses.end(),
                       [](const Access& access) { return (access.flags & Access::kFromEnd) != 0; });
  }

  void put_in_order(File& file) const {
    struct Place {
      When when;
      std::uint32_t index;
    };
    std::vector<Place> places;
    places.reserve(file.accesses.size());
    LinePlace stands;
    const Access* last = nullptr;  // whose place was asked for
    for (const Access& access : file.accesses) {
      if (last == nullptr || last->member != access.member || last->thread != access.thread ||
          access.record < last->record || access.record >= stands.until_record) {
        stands = out_->place(file.event(access));
        last = &access;
      }
      places.push_back({{stands, access.start_ns}, static_cast<std::uint32_t>(places.size())});
    }
    const auto rest = [&](const Place& place) {
      const Access& access = file.accesses[place.index];
      return std::tuple(access.start_ns, access.member, access.thread, access.record, access.begin);
    };
    const auto earlier = [&](const Place& a, const Place& b) {
      return a.when != b.when ? a.when < b.when : rest(a) < rest(b);
    };
    if (std::is_sorted(places.begin(), places.end(), earlier)) return;
    std::sort(places.begin(), places.end(), earlier);
    std::vector<Access> sorted;
    sorted.reserve(places.size());
    for (const Place& place : places) sorted.push_back(file.accesses[place.index]);
    file.accesses = std::move(sorted);
  }

  static void add_member(File& file, std::uint32_t process, const std::vector<Use*>& uses, bool below_mpi) {
    std::vector<PlacedSync> syncs;
    for (const Use* const use : uses) syncs.insert(syncs.end(), use->syncs.begin(), use->syncs.end());
    std::sort(syncs.begin(), syncs.end(),
              [](const PlacedSync& a, const PlacedSync& b) { return a.place < b.place; });
    const auto number = static_cast<std::uint32_t>(file.members.size());
    Member& member = file.members.emplace_back();
    member.process = process;
    member.syncs.reserve(syncs.size());
    for (const PlacedSync& placed : syncs) member.syncs.push_back(placed.sync);
    for (Use* const use : uses) {
      std::size_t before = 0;
      for (Access access : use->accesses) {
        if (below_mpi && (access.flags & Access::kMpiIo) != 0) continue;  // counted below
        if (before < syncs.size() && syncs[before].place < access.syncs)
          before = static_cast<std::size_t>(
              std::lower_bound(
                  syncs.begin() + static_cast<std::ptrdiff_t>(before), syncs.end(), access.syncs,
                  [](const PlacedSync& sync, std::uint32_t place) { return sync.place < place; }) -
              syncs.begin());
        access.syncs = static_cast<std::uint32_t>(before);
        access.member = number;
        if (use->in_mpi && access.truncates()) access.flags |= Access::kMpiIo;  // of MPI_File_set_size
        file.accesses.push_back(access);
      }
      use->accesses = {};
      use->syncs = {};
    }
  }

  std::vector<FollowedProgram>* programs_;
  Accesses* out_;
  FileIdentity identity_;
  std::unordered_map<std::string, std::uint32_t> name_numbers_;
  std::vector<std::vector<std::vector<std::uint32_t>>> file_of_;  // by program, family, opening
  std::vector<Parts> parts_;
};

}  // namespace

void assemble(std::vector<FollowedProgram> programs, unsigned threads, Accesses& out) {
  Assembly(programs, out).run(threads);
}

}  // namespace weir::semantics::detail
