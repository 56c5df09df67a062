#include "solver/emulate/guards/open_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/expr/linear_sum.h"
#include "core/expr/simplify.h"
#include "core/expr/walk.h"
#include "core/graphene/walk.h"

namespace tessera::graphene {

OpenProgram::OpenProgram(const Program& program, const PlanOptions& options) : options_(options) {
  if (options.guards.empty()) return;
  Walk other(options.open->specs);
  for (Walk walk(program.specs); const Statement* s = walk.next();) {
    const Statement* o = other.next();
    LAYOUT_CHECK(o != nullptr && o->what.index() == s->what.index(), "the open program has the same statements");
    if (const auto* spec = std::get_if<Spec>(&s->what)) open_[spec] = &std::get<Spec>(o->what);
    if (const auto* branch = std::get_if<Branch>(&s->what)) open_[branch] = &std::get<Branch>(o->what);
  }
}

auto OpenProgram::partsOf(const Expr& e, Span span) const -> Result<Parts> {
  const Diag other{"a size that threads are compared with is used in another way", "a multiple of the size", "", span};
  const auto sum = linearSum(simplified(e, {}));
  if (!sum) return other;
  Parts out;
  Linear rest{{}, sum->constant};
  for (const Term& t : sum->terms) {
    const auto mentioned =
        std::ranges::find_if(options_.guards, [&](const PlanGuard& g) { return mentionsParam(t.part, g.variable); });
    if (mentioned == options_.guards.end()) {
      rest.terms.push_back(t);
      continue;
    }
    if (out.size.guard >= 0 || t.part.op() != Op::Param) return other;
    out.size = {static_cast<int>(mentioned - options_.guards.begin()), t.coefficient, 0};
  }
  out.rest = built(std::move(rest));
  return out;
}

Result<GuardedComparison> OpenProgram::comparison(const Branch& branch, std::size_t condition, Span span) const {
  const auto* open = static_cast<const Branch*>(found(&branch));
  if (open == nullptr) return GuardedComparison{};
  const Comparison& c = open->condition[condition];
  const Expr difference = c.left - c.right;
  if (std::ranges::none_of(options_.guards, [&](const PlanGuard& g) { return mentionsParam(difference, g.variable); }))
    return GuardedComparison{};
  // rest + unit * size is compared with 0: rest with -unit * size, or -rest with unit * size.
  TESSERA_TRY(const Parts parts, partsOf(difference, span));
  if (parts.size.guard < 0) return GuardedComparison{};
  if (c.op.front() != '<' && c.op.front() != '>')
    return Diag{"a size that threads are compared with is compared by == or !=", "<, <=, > or >=", "", span};
  const bool turned = parts.size.unit > 0;
  GuardedComparison out{turned ? parts.rest * -1 : parts.rest, c.op, parts.size};
  if (turned) out.op.front() = c.op.front() == '<' ? '>' : '<';
  out.size.unit = std::abs(parts.size.unit);
  return out;
}

Result<void> OpenProgram::ends(const Loop& loop, PlanLoop& row, Span span) const {
  if (options_.guards.empty()) return {};
  const Variable& v = options_.open->variables[loop.variable];
  for (std::size_t g = 0; g < options_.guards.size(); ++g) {
    const PlanGuard& guard = options_.guards[g];
    if (!mentionsParam(v.hi, guard.variable)) continue;
    row.guard = static_cast<int>(g);
    for (i64 size = 1; size <= guard.most; ++size) {
      std::vector<Expr> values;
      for (std::size_t p = 0; p < options_.open->variables.size(); ++p)
        values.push_back(Expr::param(static_cast<int>(p)));
      values[guard.variable] = Expr::constant(size);
      const Expr end = simplified(substitute(v.hi, {}, values), {});
      if (!end.isConstant() || (size > 1 && end.value() < row.ends.back()))
        return Diag{fmt::format("the end of {} does not only grow with a size", v.name), "an ascending end", "", span};
      row.ends.push_back(end.value());
    }
  }
  return {};
}

Result<std::vector<GuardedExtent>> OpenProgram::extentsOf(std::size_t operand) const {
  std::vector<GuardedExtent> out;
  if (options_.guards.empty()) return out;
  bool any = false;
  for (const Expr& e : options_.open->operands[operand].extents) {
    TESSERA_TRY(const Parts parts, partsOf(e, {}));
    out.push_back(parts.size);
    if (parts.size.guard < 0) continue;
    any = true;
    if (parts.size.unit <= 0 || !parts.rest.isConstant())
      return Diag{"an extent does not grow with a size that threads are compared with", "a multiple of the size"};
    out.back().more = parts.rest.value();
  }
  if (!any) out.clear();
  return out;
}

}  // namespace tessera::graphene
