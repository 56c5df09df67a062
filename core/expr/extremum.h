// min and max for the simplifier: the rows of rules.cpp about them, on a whole chain at once.
//
//     min(min(d0 + 5, d1 + 3), d0 + 7)     ->  min(d0 + 2, d1), 3
#pragma once

#include "core/expr/facts.h"

namespace tessera {

// e == choice + common, with choice no larger a chain than e: sides that another one rules out are gone, what all sides
// have is in `common`, a constant side stands last. e is a Min or a Max with simplified operands.
struct Extremum {
  Expr choice;
  Expr common;
};
[[nodiscard]] Extremum extremumOf(const Expr& e, FactBase& facts);

}  // namespace tessera
