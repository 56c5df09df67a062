#include "solver/graphene/sizes/spec_growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/work_budget.h"
#include "core/expr/facts.h"
#include "core/expr/walk.h"
#include "core/graphene/meaning.h"
#include "solver/graphene/running/translation.h"
#include "solver/graphene/z3/z3_kernel.h"

namespace tessera::graphene {
namespace {

using Vector = std::vector<i64>;
constexpr std::size_t kMostEquations = 4096;

// By operand, outputs first; zeros where nothing is known.
std::vector<Vector> byOperand(const Sites& sites, int kernel, const Shifts& shifts) {
  const SpecNode& node = sites.specs[kernel];
  std::vector<Vector> out;
  for (const auto* nodes : {&node.outputs, &node.inputs})
    for (const int n : *nodes) {
      const int storage = sites.storageOf(n);
      const auto at = shifts.find(storage);
      out.push_back(at != shifts.end() ? at->second : Vector(sites.of(storage).declared.extents.size(), 0));
    }
  return out;
}

bool areZero(const Vector& v) {
  return std::ranges::all_of(v, [](i64 x) { return x == 0; });
}

enum class Reading : unsigned char { Any, Early, Late };

class GrownEquations {
 public:
  GrownEquations(const Sites& sites, int kernel, const Growth& growth, const Spec& sized, const LateFrom& lateFrom,
                 bool nested)
      : spec_(*sites.specs[kernel].spec),
        meaning_(*spec_.meaning),
        sized_(*sized.meaning),
        size_(growth.size),
        period_(growth.period),
        by_(byOperand(sites, kernel, growth.loops.late)),
        lateFrom_(lateFrom),
        nested_(nested) {}

  Result<void> run() {
    for (std::size_t k = 0; k < spec_.outputs.size(); ++k) {
      const int equation = meaning_.of(static_cast<int>(k));
      if (equation < 0) return Diag{"an output has no equation"};
      const auto rank = static_cast<std::size_t>(meaning_.equations[equation].rank);
      TESSERA_CHECKED(follow(equation, Vector(rank, 0), Reading::Any));
    }
    return {};
  }

 private:
  using Ranges = std::vector<std::optional<Range>>;

  // `digits`: what a late reading adds to them. An early one leaves them.
  [[nodiscard]] std::optional<i64> change(const Expr& e, const Vector& digits, Reading reading) const {
    return changeOf(e, reading == Reading::Early ? Vector(digits.size(), 0) : digits, {size_, period_});
  }
  [[nodiscard]] bool stays(const Expr& e, const Vector& digits, Reading reading) const {
    return change(e, digits, reading) == 0;
  }
  [[nodiscard]] std::optional<Vector> changes(const std::vector<Expr>& all, const Vector& digits,
                                              Reading reading) const {
    Vector out;
    for (const Expr& e : all) {
      const auto one = change(e, digits, reading);
      if (!one) return std::nullopt;
      out.push_back(*one);
    }
    return out;
  }

  Result<void> follow(int equation, const Vector& of, Reading reading) {
    spend(16);
    if (!seen_.insert({equation, of, reading}).second) return {};  // assumed: the recursion ends elsewhere
    const Equation& e = meaning_.equations[equation];
    if (seen_.size() > kMostEquations || of.size() != static_cast<std::size_t>(e.rank))
      return Diag{"its equations refer to each other in too many ways"};
    Vector digits = of;
    digits.resize(e.variables.size(), 0);
    return node(e.node, digits, reading, Ranges(e.variables.size()));
  }

  Result<void> node(int k, const Vector& digits, Reading reading, const Ranges& ranges) {
    const MeaningNode& n = meaning_.nodes[k];
    switch (n.kind) {
      case MeaningNode::Kind::Number:
        return {};
      case MeaningNode::Kind::Index:
        return stays(n.lo, digits, reading) ? Result<void>{} : Diag{"an index that grows is used as a number"};
      case MeaningNode::Kind::Operand:
        return operand(k, digits, reading, ranges);
      case MeaningNode::Kind::Named:
        return named(n, digits, reading);
      case MeaningNode::Kind::Reduce:
        return reduce(k, digits, reading, ranges);
      case MeaningNode::Kind::Where:
        TESSERA_CHECKED(condition(k, digits, reading, ranges));
        break;
      default:
        break;
    }
    for (const int part : n.parts) TESSERA_CHECKED(node(part, digits, reading, ranges));
    return {};
  }

  Result<void> operand(int k, const Vector& digits, Reading reading, const Ranges& ranges) {
    const MeaningNode& n = meaning_.nodes[k];
    const auto what = static_cast<std::size_t>(n.what);
    const auto at = changes(n.at, digits, reading);
    if (!at) return Diag{"an index does not change evenly"};
    const Vector& by = *at;
    const std::string name = "%" + operandOf(spec_, what).name;
    if (areZero(by_[what])) return areZero(by) ? Result<void>{} : Diag{name + " is read at another place"};
    const bool early = areZero(by), late = by == by_[what];
    if (reading == Reading::Early && early) return {};
    if (reading == Reading::Late && late) return {};
    const auto from = lateFrom_.find(what);
    if (reading != Reading::Any || (!early && !late) || from == lateFrom_.end())
      return Diag{name + " is not read where the run reads it"};
    const auto range = rangeOf(sized_.nodes[k].at[from->second.first], ranges);
    if (range && early && range->hi < from->second.second) return {};
    if (range && late && range->lo >= from->second.second) return {};
    return Diag{name + " may be read on both sides of the cut"};
  }

  Result<void> named(const MeaningNode& n, const Vector& digits, Reading reading) {
    const auto early = changes(n.at, digits, Reading::Early), late = changes(n.at, digits, Reading::Late);
    if (!early || !late) return Diag{"an index does not change evenly"};
    const bool whole = *early == *late;  // the same value for all summands of a growing sum
    if (!whole && !areZero(*early)) return Diag{"an index does not change evenly"};
    if (!whole || (reading != Reading::Any && areZero(*late) && !nested_)) return follow(n.what, *late, reading);
    if (areZero(*late)) return follow(n.what, *late, Reading::Any);
    if (reading != Reading::Any && !nested_) return Diag{"a recursion is inside a growing sum"};
    // A recursion over its index: values up to the carried ones are the same, later ones move.
    TESSERA_CHECKED(follow(n.what, *late, Reading::Early));
    return follow(n.what, *late, Reading::Late);
  }

  Result<void> reduce(int k, const Vector& digits, Reading reading, const Ranges& ranges) {
    const MeaningNode& n = meaning_.nodes[k];
    const auto grows = change(n.hi, digits, reading);
    if (!grows || *grows < 0 || !stays(n.lo, digits, reading)) return Diag{"a sum does not grow at its end"};
    Ranges inner = ranges;
    const auto lo = rangeOf(sized_.nodes[k].lo, ranges), hi = rangeOf(sized_.nodes[k].hi, ranges);
    if (lo && hi) inner[n.variable] = Range{lo->lo, std::max(hi->hi - 1, lo->lo)};
    if (*grows == 0) return node(n.parts[0], digits, reading, inner);
    if (reading != Reading::Any) return Diag{"a growing sum is inside another"};
    Vector later = digits;
    later[n.variable] = *grows;
    TESSERA_CHECKED(node(n.parts[0], later, Reading::Early, inner));
    return node(n.parts[0], later, Reading::Late, inner);
  }

  // A condition that the index of a recursion ends, as in where(l == 0, ..): it must be false for all later values. The
  // first value for which it is false has to read an early input.
  Result<void> condition(int k, const Vector& digits, Reading reading, const Ranges& ranges) const {
    const MeaningNode& n = meaning_.nodes[k];
    for (const Comparison& c : n.condition) {
      const auto left = change(c.left, digits, reading), right = change(c.right, digits, reading);
      if (left && left == right) continue;
      const bool ends = c.op == "==" && c.left.op() == Op::Digit && c.right.isConstant() && n.condition.size() == 1;
      if (!ends || !isEarlyAt(n.parts[1], c.left.index(), c.right.value() + 1, ranges))
        return Diag{"a condition of the equations changes with the size"};
    }
    return {};
  }
  // Whether some operand below reads early inputs if the digit has this value.
  [[nodiscard]] bool isEarlyAt(int k, int digit, i64 value, Ranges ranges) const {
    const MeaningNode& n = sized_.nodes[k];
    if (n.kind == MeaningNode::Kind::Reduce && n.lo.isConstant() && n.hi.isConstant())
      ranges[n.variable] = Range{n.lo.value(), std::max(n.hi.value() - 1, n.lo.value())};
    ranges[digit] = Range{value, value};
    if (n.kind == MeaningNode::Kind::Operand)
      if (const auto from = lateFrom_.find(static_cast<std::size_t>(n.what)); from != lateFrom_.end()) {
        const auto range = rangeOf(n.at[from->second.first], ranges);
        if (range && range->hi < from->second.second) return true;
      }
    return std::ranges::any_of(n.parts, [&](int part) { return isEarlyAt(part, digit, value, ranges); });
  }

  // nullopt: it has a digit without a range, or a parameter.
  static std::optional<Range> rangeOf(const Expr& e, const Ranges& ranges) {
    Environment box;
    for (const auto& r : ranges) box.digits.push_back(r.value_or(Range{0, i64{1} << 40}));
    const bool known = !anyLeaf(e, [&](const Expr& l) {
      return l.op() == Op::Param || (l.op() == Op::Digit && !ranges[static_cast<std::size_t>(l.index())]);
    });
    if (!known) return std::nullopt;
    const Facts facts = factsOf(e, box);
    return facts.fits ? std::optional(facts.interval) : std::nullopt;
  }

  const Spec& spec_;
  const Meaning &meaning_, &sized_;
  int size_;
  i64 period_;
  std::vector<Vector> by_;
  const LateFrom& lateFrom_;
  bool nested_;
  std::set<std::tuple<int, Vector, Reading>> seen_;
};

bool productFollows(const std::vector<Vector>& by, bool grows) {
  const bool shaped = by.size() == 3 && std::ranges::all_of(by, [](const Vector& v) { return v.size() == 2; });
  if (!shaped || by[0][0] != by[1][0] || by[0][1] != by[2][1] || by[1][1] != by[2][0]) return false;
  return grows ? areZero(by[0]) : by[1][1] == 0;
}

}  // namespace

Result<void> specGrows(const Sites& sites, int kernel, const Growth& growth, const Spec& sized,
                       const LateFrom& lateFrom, bool nested) {
  const Spec& spec = *sites.specs[kernel].spec;
  if (spec.meaning) return GrownEquations(sites, kernel, growth, sized, lateFrom, nested).run();
  const auto by = byOperand(sites, kernel, growth.loops.late), extents = byOperand(sites, kernel, growth.extents);
  if (functionOf(spec) == SpecKind::MatMul && productFollows(by, true) && extents[1][1] == by[1][1] &&
      extents[2][0] == by[2][0])
    return {};
  return Diag{fmt::format("how {} grows with its operands is not known", name(functionOf(spec)))};
}

Result<void> specStays(const Sites& sites, int kernel, const Growth& growth) {
  const Spec& spec = *sites.specs[kernel].spec;
  const auto extents = byOperand(sites, kernel, growth.extents);
  if (!spec.meaning) {
    const SpecKind kind = functionOf(spec);
    const bool reduces = kind == SpecKind::MatMul ? extents.size() != 3 || extents[1].size() != 2 || extents[1][1] != 0
                                                  : kind == SpecKind::Reduction || kind == SpecKind::Shfl;
    const bool grows = !std::ranges::all_of(extents, areZero);
    return reduces && grows ? Diag{fmt::format("{} takes in more with the size", name(kind))} : Result<void>{};
  }
  std::size_t digits = 0;
  for (const Equation& e : spec.meaning->equations) digits = std::max(digits, e.variables.size());
  for (const MeaningNode& n : spec.meaning->nodes) {
    const auto change = [&](const Expr& e) { return changeOf(e, Vector(digits, 0), {growth.size, growth.period}); };
    const auto stays = [&](const Expr& e) { return change(e) == 0; };
    const bool decides = std::ranges::all_of(n.condition, [&](const Comparison& c) {
      const auto left = change(c.left), right = change(c.right);
      return left && left == right;
    });
    if (!decides || !stays(n.lo) || !stays(n.hi) || !std::ranges::all_of(n.at, stays))
      return Diag{"its equations change with the size"};
  }
  return {};
}

Result<void> specFollowsBlocks(const Sites& sites, int kernel, const Growth& growth) {
  const Spec& spec = *sites.specs[kernel].spec;
  const auto by = byOperand(sites, kernel, growth.ofBlock);
  if (spec.meaning) return meaningShifts(spec, by) ? Result<void>{} : Diag{"the equations of a block are not shifted"};
  const bool alike = std::ranges::all_of(by, [&](const Vector& v) { return v == by.front(); });
  switch (functionOf(spec)) {
    case SpecKind::MatMul:
      if (productFollows(by, false)) return {};
      break;
    case SpecKind::Move:
    case SpecKind::UnaryPointwise:
    case SpecKind::BinaryPointwise:
    case SpecKind::Init:
      if (alike) return {};
      break;
    case SpecKind::Generic:
    case SpecKind::Allocate:
      return {};
    default:
      break;
  }
  return Diag{fmt::format("how {} follows its blocks is not known", name(functionOf(spec)))};
}

}  // namespace tessera::graphene
