#include "consistency/model.hpp"

#include <array>

#include "base/check.hpp"

namespace weir::consistency {
namespace {

constexpr Operations kCloses = {Operation::close, Operation::fclose, Operation::mpi_close};
constexpr Operations kOpens = {Operation::open, Operation::fopen, Operation::mpi_open};

// The sets grow from the weak end, so that each model is weaker than the one before it.
const std::array<Model, 5>& models() {
  static const std::array<Model, 5> list = [] {
    Operations commits = kCloses;
    for (const Operation one :
         {Operation::fsync, Operation::fdatasync, Operation::fflush, Operation::mpi_sync})
      commits.add(one);
    Operations mpi_publishes = kCloses;
    mpi_publishes.add(Operation::mpi_sync);
    Operations mpi_sees = kOpens;
    mpi_sees.add(Operation::mpi_sync);
    return std::array<Model, 5>{
        Model{.name = "posix",
              .summary = "a write is visible to all when it returns",
              .publish = {Operation::write},
              .see = {}},
        Model{.name = "commit",
              .summary = "a write is visible to all after the writer's next fsync, flush or close",
              .publish = commits,
              .see = {}},
        Model{.name = "mpiio",
              .summary =
                  "visible after MPI_File_sync or close by the writer and then sync or open by the reader",
              .publish = mpi_publishes,
              .see = mpi_sees},
        Model{.name = "session",
              .summary = "visible to those who open the file after the writer closed it",
              .publish = kCloses,
              .see = kOpens},
        Model{.name = "eventual",
              .summary = "visible some time; no call tells when",
              .publish = {},
              .see = {}}};
  }();
  return list;
}

}  // namespace

std::span<const Model> built_in_models() { return models(); }

const Model* find_model(std::string_view name) {
  for (const Model& one : models())
    if (one.name == name) return &one;
  return nullptr;
}

std::string list_of_models() {
  std::string list;
  for (const Model& one : models()) {
    if (!list.empty()) list += ", ";
    list += one.name;
  }
  return list;
}

const Model& offered_by_burst(const Model& model) {
  // MPI_File_sync is no call on a descriptor: below MPI-IO only the stronger model can be kept.
  if (model.name != "mpiio") return model;
  const Model* const commit = find_model("commit");
  WEIR_CHECK(commit != nullptr, "the model commit is built in");
  return *commit;
}

}  // namespace weir::consistency
