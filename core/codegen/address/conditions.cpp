#include "core/codegen/address/conditions.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/expr/linear_sum.h"

namespace tessera::codegen {

using graphene::Comparison;

namespace {

std::string inBrackets(std::string text) {  // exclusive or binds less than < and ==
  return text.find('^') == std::string::npos ? text : "(" + std::move(text) + ")";
}

bool fitsInt(const Range& r) { return r.lo >= INT32_MIN && r.hi <= INT32_MAX; }

void negated(Linear& l) {
  for (Term& t : l.terms) t.coefficient = -t.coefficient;
  l.constant = -l.constant;
}

class Turned {
 public:
  Turned(const Turn& turn, Variables& variables, ScopedText& text)
      : rotation_(*turn.rotation), depth_(turn.depth), variables_(variables), text_(text) {}

  std::string converse(const Comparison& c) {
    const bool less = c.op == "<" || c.op == "<=";
    if (!less && c.op != ">" && c.op != ">=") return "";
    const Expr left = variables_.small(c.left), right = variables_.small(c.right);
    const auto sum = linearSum(less ? left - right : right - left);
    if (!sum) return "";
    // The comparison as a sum that is below 0: what is known before the rotated loop, and what unrolled loops in it
    // add.
    Linear fixed, loops;
    i64 rounds = 0, stages = 0;
    fixed.constant = sum->constant + (c.op.size() == 2 ? -1 : 0);
    for (const Term& term : sum->terms) {
      const std::vector<int> params = paramsOf(term.part);
      if (term.part == Expr::param(rotation_.round)) {
        rounds = term.coefficient;
      } else if (term.part == Expr::param(rotation_.stage)) {
        stages = term.coefficient;
      } else if (text_.isKnownAt(term.part, depth_)) {
        fixed.terms.push_back(term);
      } else if (std::all_of(params.begin(), params.end(), [&](int p) { return variables_.unrolledTrips(p) > 0; })) {
        loops.terms.push_back(term);
      } else {
        return "";
      }
    }
    if (fixed.terms.empty()) return "";
    if (rounds == 0 && stages == 0 && !loops.terms.empty()) {
      const bool wide = !fitsInt(variables_.range(left)) || !fitsInt(variables_.range(right));
      return wide ? ofLoops(loops, fixed) : "";
    }
    if (!loops.terms.empty() || (stages != 1 && stages != -1) || rounds != stages * rotation_.stages) return "";
    return ofStages(stages == 1, fixed);
  }

 private:
  // loops + fixed < 0. What the loops add lies between two numbers; a bound beyond them is as good as one next to them.
  std::string ofLoops(Linear loops, Linear fixed) {
    const bool below = loops.terms.front().coefficient > 0;
    if (below) {
      negated(fixed);
    } else {  // -V + fixed < 0: not V < fixed + 1
      negated(loops);
      ++fixed.constant;
    }
    const Expr counted = built(loops);
    const Range range = variables_.range(counted);
    if (!fitsInt(range) || range.hi == INT32_MAX) return "";
    const Expr most = greatest(least(built(fixed), Expr::constant(range.hi + 1)), Expr::constant(range.lo));
    return fmt::format("{} {} (int){}", text_.text(counted), below ? "<" : ">=", text_.text(most, true));
  }

  // n + fixed < 0 where n = round * stages + stage; not below: -n + fixed < 0, so not n < fixed + 1.
  std::string ofStages(bool below, Linear fixed) {
    if (below)
      negated(fixed);
    else
      ++fixed.constant;
    const Expr left = built(fixed) - Expr::param(rotation_.round) * rotation_.stages;
    if (fitsInt(variables_.range(left))) {
      const std::string stage = text_.nameOf(rotation_.stage);
      return fmt::format("{} {} {}", stage, below ? "<" : ">=", text_.text(left));
    }
    // Below fixed: round < ceil((fixed - stage) / stages). So many whole rounds more that the dividend is not negative.
    fixed.terms.push_back({Expr::param(rotation_.stage), -1});
    fixed.constant += rotation_.stages - 1;
    const i64 least = variables_.range(built(fixed)).lo;
    const i64 more = least < 0 ? (rotation_.stages - 1 - least) / rotation_.stages : 0;
    if (more > INT32_MAX) return "";
    fixed.constant += more * rotation_.stages;
    const Expr quotient = floorDiv(built(fixed), Expr::constant(rotation_.stages));
    if (!fitsInt(variables_.range(quotient)) || !fitsInt(variables_.range(quotient - more))) return "";
    const std::string round = text_.nameOf(rotation_.round);
    const std::string whole = fmt::format("(int)({})", text_.text(quotient, true));
    return fmt::format("{} {} {}{}", round, below ? "<" : ">=", whole, more == 0 ? "" : fmt::format(" - {}", more));
  }

  const Rotation& rotation_;
  int depth_;
  Variables& variables_;
  ScopedText& text_;
};

}  // namespace

std::string comparisonText(const Comparison& c, const Turn* turn, Variables& variables, ScopedText& text) {
  if (turn != nullptr)
    if (std::string narrow = Turned(*turn, variables, text).converse(c); !narrow.empty()) return narrow;
  const std::string left = inBrackets(text.text(variables.small(c.left)));
  return fmt::format("{} {} {}", left, c.op, inBrackets(text.text(variables.small(c.right))));
}

}  // namespace tessera::codegen
