// prove: decides a Claim by a ladder of methods, cheapest first, and returns a Verdict.
//
//   1. simplify     both sides become the same expression, or a constant difference
//   2. strided / F2 sorted strides nest; bit-matrix rank (microseconds, any size)
//   3. exhaustive   every point, if there are at most about 2^22
//   4. Z3           QF_LIA over mixed-radix digits in the difference form if there is no xor;
//                   QF_BV if sizes are powers of two; cut at the xor boundary if both
//   5. parametric   symbolic sizes over the integers (QF_NIA)
//
// Every `refuted` is replayed through Map::at before it is returned; a counterexample that does not replay is a bug and
// becomes `unknown` with that reason. A timeout, a cancelled run and "outside the method" are `unknown`. With
// Claim::method set, exactly that rung runs.
// Source: docs/design/proving.md; measurements in the header of ladder.cpp.
#pragma once

#include <atomic>
#include <functional>

#include "core/claim/claim.h"

namespace tessera {

struct ProveOptions {
  double budgetSeconds = 10;                  // of work (core/base/work_budget.h), for the whole ladder
  i64 exhaustiveLimit = i64{1} << 22;         // points that the ladder enumerates by default
  const std::atomic<bool>* cancel = nullptr;  // set by another thread: the proof stops within ~20 ms
  bool exportSmt2 = false;                    // fill Verdict::smt2
  std::function<void(Method)> onRung = {};    // called on the caller's thread before each rung
};

// Thread-safe: every call has its own solver context.
[[nodiscard]] Verdict prove(const Claim& claim, const ProveOptions& options = {});

// Whether this build has Z3; without it rungs 4 and 5 answer "this build has no Z3", and fill Verdict::smt2.
[[nodiscard]] bool haveZ3();

}  // namespace tessera
