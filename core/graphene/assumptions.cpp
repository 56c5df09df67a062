#include "core/graphene/assumptions.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/expr/linear_sum.h"
#include "core/expr/simplify.h"
#include "core/expr/walk.h"
#include "core/graphene/with_sizes.h"

namespace tessera::graphene {
namespace {

constexpr i64 kMostSize = i64{1} << 20, kFar = i64{1} << 40;

bool isSize(const Program& program, const Expr& e) {
  return e.op() == Op::Param && program.variables[static_cast<std::size_t>(e.index())].kind == Variable::Kind::Size;
}

Environment positive(const Program& program) {
  Environment out;
  out.params.assign(program.variables.size(), {1, kMostSize});
  return out;
}

// nullopt: not decided by the values.
std::optional<bool> truthOf(const Comparison& c, const std::vector<Expr>& values) {
  const Expr left = substitute(c.left, {}, values), right = substitute(c.right, {}, values);
  if (!left.isConstant() || !right.isConstant()) return std::nullopt;
  return comparisonHolds(left.value(), c.op, right.value());
}

class Reducer {
 public:
  explicit Reducer(const Program& program) : program_(program), box_(positive(program)) {
    for (std::size_t v = 0; v < program_.variables.size(); ++v) values_.push_back(Expr::param(static_cast<int>(v)));
  }

  Result<Program> run() {
    // One that is solved can make others solvable.
    for (bool some = true; some;) {
      some = false;
      for (Assumption& a : program_.assumptions) {
        std::vector<Comparison> rest;
        for (const Comparison& c : a.condition) {
          const Comparison now{one(c.left), one(c.right), c.op};
          TESSERA_CHECKED(possible(now, c, a.span));
          if (now.left.isConstant() && now.right.isConstant()) continue;
          const bool done = now.op == "==" && (solved(now.left, now.right) || solved(now.right, now.left));
          if (!done) rest.push_back(c);
          some = some || done;
        }
        a.condition = std::move(rest);
      }
    }
    std::erase_if(program_.assumptions, [](const Assumption& a) { return a.condition.empty(); });
    Environment box;
    for (const Variable& v : program_.variables)
      box.params.push_back({v.kind == Variable::Kind::Size ? 1 : -kFar, kFar});
    Program out = withExpressions(std::move(program_), [&](const Expr& e) {
      const Expr made = substitute(e, {}, values_);
      if (made == e) return e;
      i64 digits = 0;
      (void)anyLeaf(made, [&](const Expr& l) {
        if (l.op() == Op::Digit) digits = std::max<i64>(digits, l.index() + 1);
        return false;
      });
      box.digits.resize(std::max(box.digits.size(), static_cast<std::size_t>(digits)), {0, kFar});
      return simplified(made, box);
    });
    for (std::size_t v = 0; v < values_.size(); ++v) {
      Variable& variable = out.variables[v];
      const auto unit = units_.find(static_cast<int>(v));
      if (unit == units_.end()) continue;
      variable.unit = unit->second;
      variable.name = fmt::format("{}/{}", variable.name, variable.unit);
    }
    for (const int v : expressions_) {  // nothing mentions it any more
      out.variables[static_cast<std::size_t>(v)].kind = Variable::Kind::Index;
      out.variables[static_cast<std::size_t>(v)].value = Expr::constant(0);
    }
    return out;
  }

 private:
  [[nodiscard]] Expr one(const Expr& e) const { return simplified(substitute(e, {}, values_), box_); }

  // By intervals.
  [[nodiscard]] Result<void> possible(const Comparison& now, const Comparison& written, Span span) const {
    const Facts facts = factsOf(simplified(now.left - now.right, box_), box_);
    const std::string text = print({written}, namesOf(program_.variables));
    if (!facts.fits) return Diag{fmt::format("the numbers of {} exceed 64 bits", text), "smaller factors", "", span};
    const auto [lo, hi] = facts.interval;
    const bool never = now.op == "=="   ? lo > 0 || hi < 0
                       : now.op == "!=" ? lo == 0 && hi == 0
                       : now.op == "<"  ? lo >= 0
                       : now.op == "<=" ? lo > 0
                       : now.op == ">"  ? hi <= 0
                                        : hi < 0;
    if (!never) return {};
    return Diag{fmt::format("no sizes meet the assumption {}", text), "assumptions that hold together", "", span};
  }

  // Puts `value` for a variable of the reduced program.
  void put(int variable, const Expr& value) {
    std::vector<Expr> next;
    for (std::size_t v = 0; v < values_.size(); ++v) next.push_back(Expr::param(static_cast<int>(v)));
    next[static_cast<std::size_t>(variable)] = value;
    for (Expr& e : values_) e = simplified(substitute(e, {}, next), box_);
  }

  // k * M mod c == 0, or M == an expression of other sizes that is at least 1.
  bool solved(const Expr& left, const Expr& right) {
    if (left.op() == Op::Mod && left.rhs().isConstant() && left.rhs().value() > 0 && right.isConstant(0)) {
      const auto sum = linearSum(left.lhs());
      if (!sum || sum->constant != 0 || sum->terms.size() != 1 || !isSize(program_, sum->terms[0].part)) return false;
      const int v = sum->terms[0].part.index();
      const i64 unit = left.rhs().value() / std::gcd(left.rhs().value(), sum->terms[0].coefficient);
      i64& all = units_.try_emplace(v, 1).first->second;
      if (unit > kFar / all) return false;
      all *= unit;
      put(v, Expr::param(v) * unit);
      return true;
    }
    if (!isSize(program_, left) || mentionsParam(right, left.index()) || units_.contains(left.index())) return false;
    const Facts facts = factsOf(right, box_);
    if (!facts.fits || facts.interval.lo < 1) return false;
    put(left.index(), right);
    expressions_.push_back(left.index());
    return true;
  }

  Program program_;
  Environment box_;
  std::vector<Expr> values_;      // by variable, over the reduced program's
  std::map<int, i64> units_;      // of sizes with a divisor
  std::vector<int> expressions_;  // sizes that are equal to an expression
};

}  // namespace

Result<void> holdAt(const Program& program, const Sizes& sizes) {
  std::vector<Expr> values;
  for (std::size_t v = 0; v < program.variables.size(); ++v) {
    const Variable& variable = program.variables[v];
    Expr value = Expr::param(static_cast<int>(v));
    if (variable.kind == Variable::Kind::Index && variable.value.isConstant()) value = variable.value;
    if (variable.kind == Variable::Kind::Size)
      if (const auto given = sizes.find(variable.sizeName()); given != sizes.end())
        value = Expr::constant(given->second / variable.unit);
    values.push_back(value);
  }
  for (const Assumption& a : program.assumptions)
    for (const Comparison& c : a.condition) {
      if (truthOf(c, values).value_or(true)) continue;
      std::string given;
      for (std::size_t v = 0; v < values.size(); ++v)
        if (program.variables[v].kind == Variable::Kind::Size && values[v].isConstant() &&
            (mentionsParam(c.left, static_cast<int>(v)) || mentionsParam(c.right, static_cast<int>(v))))
          given += fmt::format("{}{} is {}", given.empty() ? "" : " and ", program.variables[v].sizeName(),
                               values[v].value() * program.variables[v].unit);
      const std::string assumed = print({c}, namesOf(program.variables));
      return Diag{fmt::format("the program assumes {}{}{}", assumed, given.empty() ? "" : ", and ", given), assumed, "",
                  a.span};
    }
  return {};
}

Result<Program> reduced(const Program& program) {
  if (program.assumptions.empty()) return program;
  return Reducer(program).run();
}

std::string assumptionsOf(const Program& program) {
  std::string out;
  for (const Assumption& a : program.assumptions)
    for (const Comparison& c : a.condition) out += (out.empty() ? "" : ", ") + print({c}, namesOf(program.variables));
  return out;
}

Range boundsOf(const Program& program, int variable, i64 most) {
  Range out{1, most};
  for (const Assumption& a : program.assumptions)
    for (const Comparison& c : a.condition) {
      const bool left = c.left == Expr::param(variable) && c.right.isConstant();
      if (!left && !(c.right == Expr::param(variable) && c.left.isConstant())) continue;
      const i64 bound = std::clamp(left ? c.right.value() : c.left.value(), -kFar, kFar);
      const bool below = c.op.front() == (left ? '<' : '>');
      const i64 strict = c.op.size() == 1 ? 1 : 0;
      if (c.op == "==" || below) out.hi = std::min(out.hi, bound - (c.op == "==" ? 0 : strict));
      if (c.op == "==" || !below) out.lo = std::max(out.lo, bound + (c.op == "==" ? 0 : strict));
    }
  return out;
}

}  // namespace tessera::graphene
