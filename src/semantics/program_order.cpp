#include "semantics/program_order.hpp"

#include <algorithm>

namespace weir::semantics {

bool ProgramOrder::before(const Moment& first, const Moment& second) const {
  const Accesses::Program& program = accesses_->program_of(first.event.process);
  if (orders().size() > 1)
    if (const Accesses::Program& other = accesses_->program_of(second.event.process); &program != &other)
      return program.first_process < other.first_process;
  const auto index = static_cast<std::size_t>(&program - accesses_->programs.data());
  return orders()[index].before(accesses_->local(first.event), accesses_->local(second.event));
}

std::vector<Event> ProgramOrder::proof(Event first, Event second) const {
  const Accesses::Program& program = accesses_->program_of(first.process);
  if (&program != &accesses_->program_of(second.process)) return {};
  const auto index = static_cast<std::size_t>(&program - accesses_->programs.data());
  std::vector<Event> calls = orders()[index].proof(accesses_->local(first), accesses_->local(second));
  for (Event& call : calls) call.process += program.first_process;
  return calls;
}

bool ProgramOrder::is_proven() const {
  return std::all_of(orders().begin(), orders().end(), [](const Order& order) { return order.is_proven(); });
}

}  // namespace weir::semantics
