#pragma once

#include <cstdint>
#include <vector>

#include "semantics/accesses.hpp"
#include "semantics/order/order.hpp"
#include "semantics/precedence.hpp"

namespace weir::semantics {

// The order of a program, or of the programs of a workflow: each as its trace proves it, all of one before
// all of the next.
class ProgramOrder : public Precedence {
 public:
  // They must outlive it.
  explicit ProgramOrder(const Accesses& accesses) : accesses_(&accesses) {}

  bool before(const Moment& first, const Moment& second) const override;
  // The calls that prove it, as Order::proof() has them; none between programs.
  std::vector<Event> proof(Event first, Event second) const;

  // Of each program, in the order of Accesses::programs.
  const std::vector<Order>& orders() const { return accesses_->orders; }
  // Some program has no MPI calls: its time stamps serve.
  bool is_proven() const;

 private:
  const Accesses* accesses_;
};

}  // namespace weir::semantics
