// Comparisons in a rotated loop (rotation.h) against sizes, turned so that nothing that is computed there is wide:
//
//     kt + 2 < K           stage < K - 2 - round * 3               kt + 2 itself may leave 32 bits
//     kt + 2 < X + U       round < (int)((X + U - stage) / 3)      and here the right side as well
//     r + i * 32 < N * 8   i * 32 < (int)max(min(N * 8 - r, 97), 0)   where i is 0 to 3: i * 32 is below both or none
//
// The first way takes one register and a comparison with a number for each stage; the second a bound for each stage,
// the third one for all i, made before the loop. As they were written, each costs four instructions of 64 bits.
#include <fmt/format.h>

#include <algorithm>

#include "core/codegen/kernel/kernel_writer.h"
#include "core/expr/linear_sum.h"

namespace tessera::codegen {

using graphene::Comparison;

namespace {

std::string inBrackets(std::string text) {  // exclusive or binds less than < and ==
  return text.find('^') == std::string::npos ? text : "(" + std::move(text) + ")";
}

bool fitsInt(const Range& r) { return r.lo >= INT32_MIN && r.hi <= INT32_MAX; }

// A comparison as a sum that is below 0.
struct Turned {
  Linear fixed, loops;  // what is known before the rotated loop, and what unrolled loops in it add
  i64 rounds = 0, stages = 0;
};

void negated(Linear& l) {
  for (Term& t : l.terms) t.coefficient = -t.coefficient;
  l.constant = -l.constant;
}

}  // namespace

std::string KernelWriter::comparison(const Comparison& c) {
  if (std::string narrow = converse(c); !narrow.empty()) return narrow;
  const std::string left = inBrackets(text(small(c.left)));
  return fmt::format("{} {} {}", left, c.op, inBrackets(text(small(c.right))));
}

// Empty: it stays as it is.
std::string KernelWriter::converse(const Comparison& c) {
  const bool less = c.op == "<" || c.op == "<=";
  if (turning_.empty() || (!less && c.op != ">" && c.op != ">=")) return "";
  const Rotation& r = *turning_.back();
  const Expr left = small(c.left), right = small(c.right);
  const auto sum = linearSum(less ? left - right : right - left);
  if (!sum) return "";
  Turned t;
  t.fixed.constant = sum->constant + (c.op.size() == 2 ? -1 : 0);
  for (const Term& term : sum->terms) {
    const std::vector<int> params = paramsOf(term.part);
    const auto all = [&](auto&& holds) { return std::all_of(params.begin(), params.end(), holds); };
    if (term.part == Expr::param(r.round)) {
      t.rounds = term.coefficient;
    } else if (term.part == Expr::param(r.stage)) {
      t.stages = term.coefficient;
    } else if (all([&](int p) { return depthOf_[static_cast<std::size_t>(p)] <= turningDepth_.back(); })) {
      t.fixed.terms.push_back(term);
    } else if (all([&](int p) { return unrolledTrips(p) > 0; })) {
      t.loops.terms.push_back(term);
    } else {
      return "";
    }
  }
  if (t.fixed.terms.empty()) return "";
  if (t.rounds == 0 && t.stages == 0 && !t.loops.terms.empty()) {
    const bool wide = !fitsInt(facts_->of(left).interval) || !fitsInt(facts_->of(right).interval);
    return wide ? ofLoops(t.loops, t.fixed) : "";
  }
  if (!t.loops.terms.empty() || (t.stages != 1 && t.stages != -1) || t.rounds != t.stages * r.stages) return "";
  return ofStages(r, t.stages == 1, t.fixed);
}

// loops + fixed < 0. What the loops add lies between two numbers; a bound beyond them is as good as one next to them.
std::string KernelWriter::ofLoops(Linear loops, Linear fixed) {
  const bool below = loops.terms.front().coefficient > 0;
  if (below) {
    negated(fixed);
  } else {  // -V + fixed < 0: not V < fixed + 1
    negated(loops);
    ++fixed.constant;
  }
  const Expr counted = built(loops);
  const Range range = facts_->of(counted).interval;
  if (!fitsInt(range) || range.hi == INT32_MAX) return "";
  const Expr most = greatest(least(built(fixed), Expr::constant(range.hi + 1)), Expr::constant(range.lo));
  return fmt::format("{} {} (int){}", text(counted), below ? "<" : ">=", text(most, true));
}

// n + fixed < 0 where n = round * stages + stage; not below: -n + fixed < 0, so not n < fixed + 1.
std::string KernelWriter::ofStages(const Rotation& r, bool below, Linear fixed) {
  if (below)
    negated(fixed);
  else
    ++fixed.constant;
  const Expr left = built(fixed) - Expr::param(r.round) * r.stages;
  if (fitsInt(facts_->of(left).interval)) {
    const std::string stage = nameOfParam(r.stage);
    return fmt::format("{} {} {}", stage, below ? "<" : ">=", text(left));
  }
  // Below fixed: round < ceil((fixed - stage) / stages). So many whole rounds more that the dividend is not negative.
  fixed.terms.push_back({Expr::param(r.stage), -1});
  fixed.constant += r.stages - 1;
  const i64 least = facts_->of(built(fixed)).interval.lo;
  const i64 more = least < 0 ? (r.stages - 1 - least) / r.stages : 0;
  if (more > INT32_MAX) return "";
  fixed.constant += more * r.stages;
  const Expr quotient = floorDiv(built(fixed), Expr::constant(r.stages));
  if (!fitsInt(facts_->of(quotient).interval) || !fitsInt(facts_->of(quotient - more).interval)) return "";
  const std::string round = nameOfParam(r.round);
  const std::string whole = fmt::format("(int)({})", text(quotient, true));
  return fmt::format("{} {} {}{}", round, below ? "<" : ">=", whole, more == 0 ? "" : fmt::format(" - {}", more));
}

}  // namespace tessera::codegen
