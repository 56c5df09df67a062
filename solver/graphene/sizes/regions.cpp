#include "solver/graphene/sizes/regions.h"

#include <algorithm>

#include "core/expr/walk.h"

namespace tessera::graphene {
namespace {

// left op n, or its negation.
void narrow(TextBound& bound, const std::string& op, i64 n, bool holds) {
  const auto is = [&](const char* one, const char* opposite) { return op == (holds ? one : opposite); };
  if (is("<", ">=") && n > INT64_MIN) bound.hi = std::min(bound.hi, n - 1);
  if (is("<=", ">")) bound.hi = std::min(bound.hi, n);
  if (is(">", "<=") && n < INT64_MAX) bound.lo = std::max(bound.lo, n + 1);
  if (is(">=", "<")) bound.lo = std::max(bound.lo, n);
  if (!is("==", "!=")) return;
  bound.lo = std::max(bound.lo, n);
  bound.hi = std::min(bound.hi, n);
}

}  // namespace

std::vector<TextWay> waysTo(const Walk& walk) {
  std::vector<TextWay> out;
  for (const Walk::Level& level : walk.open())
    if (const auto* around = level.of == nullptr ? nullptr : std::get_if<Branch>(&level.of->what))
      out.push_back({around, level.body == &around->then});
  return out;
}

std::vector<TextBound> boundsOf(const std::vector<TextWay>& ways) {
  std::vector<TextBound> out;
  for (const TextWay& way : ways) {
    const auto& all = way.branch->condition;
    if (!way.first && all.size() != 1) continue;  // one of several is false
    for (const Comparison& c : all) {
      if (!c.right.isConstant()) continue;
      auto at = std::ranges::find(out, c.left, &TextBound::left);
      if (at == out.end()) at = out.insert(out.end(), {c.left});
      narrow(*at, c.op, c.right.value(), way.first);
    }
  }
  return out;
}

bool exclude(const std::vector<TextWay>& a, const std::vector<TextWay>& b, const std::vector<Variable>& variables) {
  for (const TextWay& one : a)
    for (const TextWay& other : b)
      if (one.branch == other.branch && one.first != other.first) return true;
  std::vector<TextWay> both = a;
  both.insert(both.end(), b.begin(), b.end());
  return std::ranges::any_of(boundsOf(both), [&](const TextBound& bound) {
    const bool fixed = !anyLeaf(bound.left, [&](const Expr& e) {  // the same whenever a thread executes it
      return e.op() == Op::Param && variables[static_cast<std::size_t>(e.index())].kind == Variable::Kind::Loop;
    });
    return fixed && bound.lo > bound.hi;
  });
}

TextRegions::TextRegions(const Program& program, const Body& kernel, const std::vector<int>& loops)
    : program_(program), loops_(loops) {
  for (Walk walk(kernel); const Statement* s = walk.next();)
    if (const auto* loop = std::get_if<Loop>(&s->what);
        loop != nullptr && std::ranges::find(loops_, loop->variable) != loops_.end())
      ways_.push_back(waysTo(walk));
}

TextPlace TextRegions::next(const Walk& walk, const Statement& statement) {
  TextPlace out{TextRegion::Before, waysTo(walk)};
  for (std::size_t l = 0; l < reached_; ++l)
    if (!exclude(ways_[l], out.ways, program_.variables)) out.where = TextRegion::After;
  for (const Loop* around : walk.around<Loop>())
    if (const auto at = std::ranges::find(loops_, around->variable); at != loops_.end()) {
      out.where = TextRegion::Inside;
      out.loop = static_cast<int>(at - loops_.begin());
    }
  if (const auto* loop = std::get_if<Loop>(&statement.what))
    if (std::ranges::find(loops_, loop->variable) != loops_.end()) ++reached_;
  return out;
}

PlanRegions::PlanRegions(const Plan& plan, int kernel, const Program& program, const std::vector<int>& loops,
                         const std::vector<int>& planLoops)
    : ofStep(plan.steps.size()), ofLeaf(plan.leaves.size()) {
  const PlanSpec& spec = plan.specs[static_cast<std::size_t>(kernel)];
  TextRegions regions(program, spec.spec->body, loops);
  std::size_t at = spec.begin;
  for (Walk walk(spec.spec->body); const Statement* s = walk.next();) {
    const TextPlace place = regions.next(walk, *s);
    const auto* inner = std::get_if<Spec>(&s->what);
    const bool leaf = inner != nullptr && !inner->decomposed && inner->kind != SpecKind::Allocate;
    if (!leaf && !std::holds_alternative<Mbarrier>(s->what)) continue;
    // Statements and steps have one order.
    const PlanStep::Code code = leaf ? PlanStep::Code::Leaf : PlanStep::Code::Barrier;
    while (at < spec.end && plan.steps[at].code != PlanStep::Code::Leaf &&
           plan.steps[at].code != PlanStep::Code::Barrier)
      ++at;
    if (at >= spec.end || plan.steps[at].code != code) return;
    ofStep[at] = {place.where, place.loop < 0 ? -1 : planLoops[static_cast<std::size_t>(place.loop)]};
    if (leaf) ofLeaf[static_cast<std::size_t>(plan.steps[at].index)] = ofStep[at];
    ++at;
  }
  complete = std::none_of(
      plan.steps.begin() + static_cast<std::ptrdiff_t>(at), plan.steps.begin() + static_cast<std::ptrdiff_t>(spec.end),
      [](const PlanStep& s) { return s.code == PlanStep::Code::Leaf || s.code == PlanStep::Code::Barrier; });
}

}  // namespace tessera::graphene
