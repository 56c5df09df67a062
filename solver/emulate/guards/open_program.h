// OpenProgram: what a plan takes from its program with guarded sizes as variables (plan.h), beside the numbers.
//
//     assume C <= 512   %x:[R,8*C]                 extent 1 of %x is 8 * guard 0
//     if (128*j + @t < C) { ... }                  128*j + @t < 1 * guard 0
//     for (j = 0; j < (C + 127)/128; j += 1)       ends 1, 1, ..., 2, ..., 4
//
// Without guards it is empty: no statement has one.
#pragma once

#include <unordered_map>

#include "solver/emulate/plan.h"

namespace tessera::graphene {

// left op unit * size, with a positive unit. size.guard -1: it does not mention a guarded size.
struct GuardedComparison {
  Expr left;
  std::string op;
  GuardedExtent size;
};

class OpenProgram {
 public:
  // Requires: options.open is `program` with other expressions. Both outlive it.
  OpenProgram(const Program& program, const PlanOptions& options);

  [[nodiscard]] const Spec* of(const Spec& spec) const { return static_cast<const Spec*>(found(&spec)); }
  // A condition of a branch. A Diag if it uses a guarded size in another way.
  [[nodiscard]] Result<GuardedComparison> comparison(const Branch& branch, std::size_t condition, Span span) const;
  // Sets the guard of a loop whose end depends on one.
  [[nodiscard]] Result<void> ends(const Loop& loop, PlanLoop& row, Span span) const;
  // The extents of an operand of the program; empty: numbers. A Diag if they are not linear in the guarded sizes.
  [[nodiscard]] Result<std::vector<GuardedExtent>> extentsOf(std::size_t operand) const;

 private:
  // e = unit * size + rest.
  struct Parts {
    GuardedExtent size;
    Expr rest;
  };
  [[nodiscard]] Result<Parts> partsOf(const Expr& e, Span span) const;
  [[nodiscard]] const void* found(const void* statement) const {
    const auto at = open_.find(statement);
    return at == open_.end() ? nullptr : at->second;
  }

  const PlanOptions& options_;
  std::unordered_map<const void*, const void*> open_;  // specifications and branches, by those of the program
};

}  // namespace tessera::graphene
