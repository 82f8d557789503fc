#include "burst/client/policy.hpp"

#include <array>

#include <fmt/format.h>

#include "burst/client/file.hpp"
#include "burst/client/token_policy.hpp"
#include "consistency/model.hpp"

namespace weir::burst {
namespace {

using consistency::Model;
using consistency::Operation;

// Follows the lists of a model. Where published is visible every read asks the owner; else what an open
// showed is what is seen, and one question brought it all.
class Synced : public Policy {
 public:
  explicit Synced(const Model& model) : model_(model) {}

  bool is_strong() const override { return model_.publishes_writes() && model_.sees_at_once(); }
  bool looks_on_open() const override { return !model_.sees_at_once(); }
  // A write that could not be published when it was made gets another chance.
  bool publishes_on_close() const override {
    return model_.publishes_on(Operation::close) || model_.publishes_writes();
  }
  int before_read(File& file, Span bytes) const override {
    return model_.sees_at_once() ? file.query(bytes) : 0;
  }
  int after_write(File& file, Span bytes) const override {
    return model_.publishes_writes() ? file.attach(bytes) : 0;
  }
  bool appends_at_once() const override { return model_.publishes_writes(); }
  int on(Operation operation, File& file) const override {
    if (model_.publishes_on(operation))
      if (const int error = file.attach_all(); error != 0) return error;
    return model_.sees_on(operation) ? file.query_all() : 0;
  }

 private:
  const Model& model_;
};

// Nothing by itself: the program says attach and query.
class Explicit : public Policy {
 public:
  bool looks_on_open() const override { return false; }
  bool publishes_on_close() const override { return false; }
  int before_read(File& /*file*/, Span /*bytes*/) const override { return 0; }
  int after_write(File& /*file*/, Span /*bytes*/) const override { return 0; }
  int on(Operation /*operation*/, File& /*file*/) const override { return 0; }
};

// Writes are published some time after they were made, and looks taken before are good for a while.
class Background : public Policy {
 public:
  bool looks_on_open() const override { return true; }
  bool publishes_on_close() const override { return true; }
  int before_read(File& file, Span /*bytes*/) const override { return file.refresh(); }
  int after_write(File& file, Span /*bytes*/) const override { return file.publish_later(); }
  int on(Operation /*operation*/, File& /*file*/) const override { return 0; }
};

const Model& model(std::string_view name) { return *consistency::find_model(name); }

struct Row {
  std::string_view name;
  const Policy* policy;
};

std::span<const Row> policies() {
  static const Synced posix(model("posix"));
  static const Synced commit(model("commit"));
  static const Synced session(model("session"));
  static const Background eventual;
  static const Explicit none;
  static const Tokens tokens;
  static const std::array rows = {
      Row{"posix", &posix},     Row{"posix-lock", &tokens}, Row{"commit", &commit}, Row{"mpiio", &commit},
      Row{"session", &session}, Row{"eventual", &eventual}, Row{"none", &none}};
  return rows;
}

}  // namespace

int Policy::look_again(File& file, Span bytes) const { return file.query(bytes); }

Result<const Policy*> find_policy(std::string_view name) {
  for (const Row& row : policies())
    if (row.name == name) return row.policy;
  return Error{Errc::usage, fmt::format("there is no model '{}'; there are {}", name, list_of_policies())};
}

std::string list_of_policies() {
  std::string list;
  for (const Row& row : policies()) list += (list.empty() ? "" : ", ") + std::string(row.name);
  return list;
}

}  // namespace weir::burst
