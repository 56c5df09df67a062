// min and max in the simplifier: the rows of rules.cpp for them, applied to a whole chain.
//
//     min(min(d0 + 5, d1 + 3), d0 + 7)     ->  min(d0 + 2, d1), 3
#pragma once

#include "core/expr/facts.h"

namespace tessera {

// e == choice + common, with choice at most as large a chain as e: dominated sides are dropped, terms shared by all
// sides are in `common`, a constant side is last. e is a Min or a Max with simplified operands.
struct Extremum {
  Expr choice;
  Expr common;
};
[[nodiscard]] Extremum extremumOf(const Expr& e, FactBase& facts);

}  // namespace tessera
