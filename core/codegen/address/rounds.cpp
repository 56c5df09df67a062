#include "core/codegen/address/rounds.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/codegen/address/expression.h"
#include "core/expr/linear_sum.h"

namespace tessera::codegen {

using graphene::Comparison;

namespace {

std::string inBrackets(std::string text) {  // xor binds less tightly than < and ==
  return text.find('^') == std::string::npos ? text : "(" + std::move(text) + ")";
}

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
    // The comparison as a sum < 0: terms known before the rotated loop, and terms of unrolled loops inside it.
    Linear fixed, loops;
    i64 rounds = 0, stages = 0;
    fixed.constant = sum->constant + (c.op.size() == 2 ? -1 : 0);
    for (const Term& term : sum->terms) {
      if (term.part == Expr::param(rotation_.round)) {
        rounds = term.coefficient;
      } else if (term.part == Expr::param(rotation_.stage)) {
        stages = term.coefficient;
      } else if (text_.isKnownAt(term.part, depth_)) {
        fixed.terms.push_back(term);
      } else if (!anyParam(term.part, [&](int p) { return variables_.unrolledTrips(p) == 0; })) {
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
  // loops + fixed < 0. The loops' sum is in a constant range, so the bound can be clamped to it.
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
    return fmt::format("{} {} {}", text_.text(counted), below ? "<" : ">=", text_.narrow(most, true));
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
    // Below: round < ceil((fixed - stage) / stages). `more` whole rounds keep the dividend from being negative.
    fixed.terms.push_back({Expr::param(rotation_.stage), -1});
    fixed.constant += rotation_.stages - 1;
    const i64 least = variables_.range(built(fixed)).lo;
    const i64 more = least < 0 ? (rotation_.stages - 1 - least) / rotation_.stages : 0;
    if (more > INT32_MAX) return "";
    fixed.constant += more * rotation_.stages;
    const Expr quotient = floorDiv(built(fixed), Expr::constant(rotation_.stages));
    if (!fitsInt(variables_.range(quotient)) || !fitsInt(variables_.range(quotient - more))) return "";
    const std::string round = text_.nameOf(rotation_.round);
    const std::string whole = text_.narrow(quotient, true);
    return fmt::format("{} {} {}{}", round, below ? "<" : ">=", whole, more == 0 ? "" : fmt::format(" - {}", more));
  }

  const Rotation& rotation_;
  int depth_;
  Variables& variables_;
  ScopedText& text_;
};

}  // namespace

Result<void> Rounds::stages(const Turn& turn, i64 count, const std::string& guard, const Body& body) {
  const Rotation& r = *turn.rotation;
  text_.keepScopes(out_.depth());
  out_.line("#pragma unroll");
  const Writer::Name stage = out_.name("stage", out_.depth());
  const std::string word = out_.use(stage);
  out_.open(fmt::format("for (int {} = 0; {} < {}; ++{}) {{", word, word, count, word));
  text_.show(r.stage, stage, out_.depth());
  out_.line(
      fmt::format("// {} = {}", variables_[r.variable].name, text_.text(variables_.small(Expr::param(r.variable)))));
  if (!guard.empty()) out_.line(fmt::format(fmt::runtime(guard), word));
  bases_.enter(turn);
  TESSERA_CHECKED(body());
  stepPointers(r, /*ofStage=*/true);
  bases_.leave();
  out_.close();
  out_.release(stage);
  return {};
}

void Rounds::stepPointers(const Rotation& r, bool ofStage) {
  for (const Rotation::Pointer& p : r.pointers) {
    const Expr step = ofStage ? p.stageStep : Expr::constant(p.step);
    if (step.isConstant(0)) continue;
    // Otherwise the compiler merges the steps of all stages, and advances every pointer at the loop's head.
    out_.calls("kept_global");
    const std::string by = text_.text(step);
    const std::vector<Writer::Name> uses = out_.takeUses();
    for (i64 k = 0; k < std::max<i64>(p.count, 1); ++k) {
      out_.use(uses);
      const std::string& own = out_.use(p.name);
      const std::string pointer = p.count == 0 ? own : fmt::format("{}[{}]", own, k);
      out_.line(fmt::format("{} = tessera::kept_global({} + {});", pointer, pointer, by));
    }
  }
}

// The iterations after the last full round; the pointers have passed the full rounds.
Result<void> Rounds::leftOver(const Turn& turn, const Body& body) {
  const Rotation& r = *turn.rotation;
  const std::string guard = r.trips ? fmt::format("if ({} > 0) {{", text_.text(*r.trips)) : "{";
  const std::string rounds = text_.text(r.rounds);
  out_.open(guard);
  const Writer::Name round = out_.name("round", out_.depth());
  text_.show(r.round, round, out_.depth());
  const std::string word = out_.use(round);
  out_.define(round, fmt::format("const int {} = {};", word, rounds));
  TESSERA_CHECKED(stages(turn, r.stages - 1, fmt::format("if ({{}} >= {}) break;", text_.text(*r.left)), body));
  out_.close();
  out_.release(round);
  return {};
}

Result<void> Rounds::write(Rotation& r, bool convergent, const Copies& copies) {
  constexpr i64 kFew = 8;
  const Turn turn{&r, out_.depth(), convergent};
  // The compiler would unroll a few rounds, without benefit: everything that depends on the stage is already constant.
  if (r.rounds.isConstant() && r.rounds.value() <= kFew) out_.line("#pragma unroll 1");
  const Writer::Name round = out_.name("round", turn.depth);
  const std::string word = out_.use(round);
  out_.open(fmt::format("for (int {} = 0; {} < {}; ++{}) {{", word, word, text_.text(r.rounds), word));
  text_.show(r.round, round, out_.depth());
  const i64 skipped = r.skipped.value_or(0);
  if (skipped != 0) (void)out_.use(round);
  TESSERA_CHECKED(stages(turn, r.stages,
                         skipped == 0 ? "" : fmt::format("if ({} == 0 && {{}} < {}) continue;", word, skipped),
                         copies.each));
  stepPointers(r, /*ofStage=*/false);
  out_.close();
  out_.release(round);
  if (r.left && copies.drain) copies.drain();
  if (r.left) TESSERA_CHECKED(leftOver(turn, copies.last ? copies.last : copies.each));
  text_.keepScopes(out_.depth());
  return {};
}

std::string comparisonText(const Comparison& c, const Turn* turn, Variables& variables, ScopedText& text) {
  if (turn != nullptr)
    if (std::string narrow = Turned(*turn, variables, text).converse(c); !narrow.empty()) return narrow;
  const std::string left = inBrackets(text.text(variables.small(c.left)));
  return fmt::format("{} {} {}", left, c.op, inBrackets(text.text(variables.small(c.right))));
}

}  // namespace tessera::codegen
