#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "semantics/accesses.hpp"
#include "semantics/precedence.hpp"

namespace weir::semantics {

// By time stamps alone: programs of a workflow one after the other, calls of a program by their times.
class TimeOrder : public Precedence {
 public:
  explicit TimeOrder(const Accesses& accesses) : accesses_(&accesses) {}
  bool before(const Moment& first, const Moment& second) const override {
    return first.end_ns <= second.start_ns;
  }

 private:
  const Accesses* accesses_;
};

}  // namespace weir::semantics
