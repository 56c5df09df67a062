// Terms as Z3's. Law: Z3 reads the text of a term (solver/prove/smt/text.h) as an equal one.
#pragma once

#include <z3++.h>

#include <vector>

#include "solver/prove/smt/terms.h"

namespace tessera::prover {

class Z3Translation {
 public:
  Z3Translation(z3::context& context, const smt::Terms& terms) : context_(context), terms_(terms) {}
  // Translates all terms up to this one. Requires: rewind() after Terms::rewind().
  [[nodiscard]] const z3::expr& of(smt::Term t);
  // Forgets all terms from number `size` on.
  void rewind(int size);

 private:
  [[nodiscard]] z3::expr translated(smt::Term t) const;
  [[nodiscard]] z3::expr leaf(smt::Term t) const;
  // A sum, or conditions that all or partly hold, of any number of operands.
  [[nodiscard]] z3::expr list(smt::Term t) const;

  z3::context& context_;
  const smt::Terms& terms_;
  std::vector<z3::expr> done_;  // by number
};

}  // namespace tessera::prover
