// Shapes of formulas, and the functions that are about them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/expr/by_node.h"
#include "core/expr/simplify.h"
#include "core/expr/walk.h"
#include "solver/kernel/reference/equations.h"
#include "solver/kernel/reference/formulas.h"
#include "solver/kernel/reference/shape_exprs.h"

namespace tessera::kernel::reference {
namespace {

using Exprs = std::vector<Expr>;
using Node = graphene::MeaningNode;
using graphene::Comparison;
using Kind = Array::Kind;

constexpr Range kSizeRange{1, i64{1} << 20};
constexpr std::size_t kMostSummands = 16;

Environment sizesOf(const Expr& e) {
  Environment out;
  for (const int p : leavesIn(e, Op::Param))
    out.params.resize(std::max(out.params.size(), static_cast<std::size_t>(p) + 1), kSizeRange);
  return out;
}
i64 leastOf(const Expr& e) {
  if (!leavesIn(e, Op::Digit).empty()) return INT64_MIN;
  const Facts facts = factsOf(e, sizesOf(e));
  return facts.fits ? facts.interval.lo : INT64_MIN;
}
Expr productOf(std::span<const Expr> extents) {
  Expr out = Expr::constant(1);
  for (const Expr& e : extents) out = out * e;
  return simpleExtent(out);
}
Diag noSize(std::string_view what, const Expr& e, const graphene::Program& program) {
  return Diag{fmt::format("{} is {}, which has no number without numbers for the sizes", what,
                          graphene::print(e, graphene::namesOf(program.variables)))};
}

}  // namespace

// (M + N)*4 becomes M*4 + N*4, so that equal polynomials of sizes have one form.
Expr simpleExtent(const Expr& e) {
  if (!leavesIn(e, Op::Digit).empty()) return e;
  ByNode<Expr> made;
  childrenFirst(e, [&](const Expr& node) {
    if (isLeaf(node.op())) return made.add(node, node);
    const Expr left = made.at(node.lhs()), right = made.at(node.rhs());
    const Exprs x = chainOf(left, Op::Add, kMostSummands), y = chainOf(right, Op::Add, kMostSummands);
    if (node.op() != Op::Mul || x.empty() || y.empty()) return made.add(node, Expr::binary(node.op(), left, right));
    Expr sum = Expr::constant(0);
    for (const Expr& a : x)
      for (const Expr& b : y) sum = sum + a * b;
    made.add(node, simplified(sum, sizesOf(sum)));
  });
  const Expr out = made.at(e);
  return simplified(out, sizesOf(out));
}
bool positiveExtent(const Expr& e) { return leastOf(simpleExtent(e)) >= 1; }
std::string shapeText(const std::vector<Expr>& shape, const graphene::Program& program) {
  std::vector<std::string> out;
  for (const Expr& e : shape) out.push_back(graphene::print(e, graphene::namesOf(program.variables)));
  return fmt::format("({}{})", fmt::join(out, ", "), shape.size() == 1 ? "," : "");
}

Exprs Formulas::shape(const Array& a) const {
  if (is(a)) return rows_[static_cast<std::size_t>(a.formula)].shape;
  Exprs out;
  for (const i64 extent : a.shape) out.push_back(Expr::constant(extent));
  return out;
}

Value Formulas::shapeOf(const Array& a) {
  Value out;
  out.kind = Value::Kind::Tuple;
  for (const Expr& e : shape(a)) out.items.push_back(valueOf(indexed({}, e)));
  return out;
}

Exprs Formulas::placeOf(const Exprs& shape, const Exprs& at) const {
  Exprs out;
  for (std::size_t d = 0; d < shape.size(); ++d)
    out.push_back(shape[d].isConstant(1) ? Expr::constant(0) : at[at.size() - shape.size() + d]);
  return out;
}

Result<Exprs> Formulas::common(const Exprs& a, const Exprs& b) const {
  Exprs out(std::max(a.size(), b.size()), Expr::constant(1));
  for (std::size_t k = 0; k < out.size(); ++k) {
    const Expr one = Expr::constant(1);
    const Expr x = k < a.size() ? a[a.size() - 1 - k] : one, y = k < b.size() ? b[b.size() - 1 - k] : one;
    if (x != y && x != one && y != one)
      return Diag{fmt::format("the shapes {} and {} do not fit each other", shapeText(a, of_), shapeText(b, of_))};
    out[out.size() - 1 - k] = x == one ? y : x;
  }
  return out;
}

Result<Array> Formulas::broadcast(const Array& a, const Exprs& to) {
  if (!usable(a)) return Diag{"an array of different numbers has no equation for all sizes"};
  TESSERA_TRY(const Exprs extents, common(shape(a), to));
  if (extents != to)
    return Diag{fmt::format("{} is not broadcast to {}", shapeText(shape(a), of_), shapeText(to, of_))};
  return moved(a, extents, [&](const Exprs& where) { return where; });
}

// The elements of a in another order: its expression or condition moves with them.
Array Formulas::moved(const Array& a, const Exprs& to, const std::function<Exprs(const Exprs&)>& from) {
  Exprs places;
  const Array out = made(to, a.kind, [&](const Exprs& where) {
    places = from(where);
    return valueAt(a, places);
  });
  if (!is(a)) return out;
  const Row& row = rows_[static_cast<std::size_t>(a.formula)];
  const Exprs digits = placeOf(row.shape, places);
  std::optional<Expr> index;
  if (row.index) index = substitute(*row.index, digits);
  auto condition = row.condition;
  if (condition)
    for (Comparison& c : *condition) c = {substitute(c.left, digits), substitute(c.right, digits), c.op};
  rows_.back().index = std::move(index);
  rows_.back().condition = std::move(condition);
  return out;
}

Result<Array> Formulas::transposed(const Array& a, const std::vector<i64>& given) {
  const Exprs own = shape(a);
  std::vector<i64> axes = given;
  if (axes.empty())
    for (std::size_t k = own.size(); k-- > 0;) axes.push_back(static_cast<i64>(k));
  if (axes.size() != own.size()) return Diag{fmt::format("{} axes for an array of rank {}", axes.size(), own.size())};
  Exprs extents;
  std::vector<std::size_t> place(own.size(), SIZE_MAX);  // of each own dimension in the result
  for (std::size_t k = 0; k < axes.size(); ++k) {
    TESSERA_TRY(const std::size_t d, axisOf(axes[k], own.size()));
    if (place[d] != SIZE_MAX) return Diag{fmt::format("the axis {} is given twice", axes[k])};
    place[d] = k;
    extents.push_back(own[d]);
  }
  return moved(a, extents, [&](const Exprs& where) {
    Exprs from;
    for (const std::size_t k : place) from.push_back(where[k]);
    return from;
  });
}

// Groups of dimensions of equal products are reshaped alone, so that a dimension that stays keeps its index.
Result<Array> Formulas::reshaped(const Array& a, const Exprs& wanted) {
  if (!usable(a)) return Diag{"an array of different numbers has no equation for all sizes"};
  const Exprs own = shape(a);
  Exprs extents = wanted;
  const Diag misfit{fmt::format("an array of shape {} does not have the shape {} at every size", shapeText(own, of_),
                                shapeText(wanted, of_))};
  Expr known = Expr::constant(1);
  std::size_t open = extents.size();
  for (std::size_t d = 0; d < extents.size(); ++d) {
    extents[d] = simpleExtent(extents[d]);
    if (extents[d].isConstant(-1) && open == extents.size())
      open = d;
    else if (!positiveExtent(extents[d]))
      return Diag{fmt::format("{} is not a shape", shapeText(wanted, of_))};
    else
      known = simpleExtent(known * extents[d]);
  }
  const Expr all = productOf(own);
  if (open < extents.size()) extents[open] = simpleExtent(floorDiv(all, known));
  if (productOf(extents) != all) return misfit;
  std::vector<std::size_t> from, to;  // dimensions of more than one index
  for (std::size_t d = 0; d < own.size(); ++d)
    if (!own[d].isConstant(1)) from.push_back(d);
  for (std::size_t d = 0; d < extents.size(); ++d)
    if (!extents[d].isConstant(1)) to.push_back(d);
  return moved(a, extents, [&](const Exprs& where) {
    Exprs places(own.size());
    std::size_t i = 0, j = 0;
    while (i < from.size() && j < to.size()) {
      // The smallest groups from here on with equal products.
      std::size_t p = from.size() - i, q = to.size() - j;
      for (std::size_t total = 2; total < from.size() - i + to.size() - j; ++total) {
        bool found = false;
        for (std::size_t m = 1; m < total && !found; ++m) {
          if (m > from.size() - i || total - m > to.size() - j) continue;
          Exprs left, right;
          for (std::size_t k = 0; k < m; ++k) left.push_back(own[from[i + k]]);
          for (std::size_t k = 0; k < total - m; ++k) right.push_back(extents[to[j + k]]);
          found = productOf(left) == productOf(right);
          if (found) p = m, q = total - m;
        }
        if (found) break;
      }
      Expr flat = Expr::constant(0);
      for (std::size_t k = 0; k < q; ++k) flat = flat * extents[to[j + k]] + where[to[j + k]];
      Expr stride = Expr::constant(1);
      for (std::size_t k = p; k-- > 0;) {
        const Expr quotient = floorDiv(flat, stride);
        places[from[i + k]] = k == 0 ? quotient : mod(quotient, own[from[i + k]]);
        stride = stride * own[from[i + k]];
      }
      i += p;
      j += q;
    }
    return places;
  });
}

Result<Array> Formulas::joined(const std::vector<Array>& parts, std::size_t axis) {
  if (std::any_of(parts.begin(), parts.end(), [&](const Array& p) { return !usable(p); }))
    return Diag{"an array of different numbers has no equation for all sizes"};
  Exprs extents = shape(parts[0]);
  Exprs ends;
  Expr total = Expr::constant(0);
  for (const Array& p : parts) {
    const Exprs own = shape(p);
    bool fits = own.size() == extents.size();
    for (std::size_t d = 0; fits && d < own.size(); ++d) fits = d == axis || own[d] == extents[d];
    if (!fits)
      return Diag{fmt::format("{} and {} cannot be joined", shapeText(shape(parts[0]), of_), shapeText(own, of_))};
    ends.push_back(total = simpleExtent(total + own[axis]));
  }
  extents[axis] = total;
  return made(extents, parts[0].kind, [&](const Exprs& where) {
    int out = 0;
    for (std::size_t k = parts.size(); k-- > 0;) {
      Exprs from = where;
      from[axis] = k == 0 ? where[axis] : where[axis] - ends[k - 1];
      const int value = valueAt(parts[k], from);
      out = k + 1 == parts.size()
                ? value
                : add({.kind = Node::Kind::Where, .condition = {{where[axis], ends[k], "<"}}, .parts = {value, out}});
    }
    return out;
  });
}

Result<Array> Formulas::subscripted(const Array& a, const std::vector<Subscript>& items) {
  const Exprs own = shape(a);
  std::size_t used = 0;
  for (const Subscript& s : items) {
    if (s.kind == Subscript::Kind::Gather) return Diag{"an array as a subscript has no equation for all sizes"};
    used += s.kind == Subscript::Kind::Index || s.kind == Subscript::Kind::Slice ? 1 : 0;
  }
  if (used > own.size()) return Diag{fmt::format("{} subscripts for an array of rank {}", used, own.size())};
  Exprs extents;
  struct Step {
    std::optional<std::size_t> dimension;  // of the result; none: an index
    Expr start;
    i64 step = 1;
  };
  std::vector<Step> steps;  // by own dimension
  const auto keep = [&](std::size_t count) {
    for (; count > 0; --count) {
      const std::size_t d = steps.size();
      steps.push_back({extents.size(), Expr::constant(0), 1});
      extents.push_back(own[d]);
    }
  };
  bool ellipsis = false;
  for (const Subscript& s : items) {
    if (s.kind == Subscript::Kind::NewAxis) {
      extents.push_back(Expr::constant(1));
      continue;
    }
    if (s.kind == Subscript::Kind::Ellipsis) {
      if (ellipsis) return Diag{"a subscript has one `...`"};
      ellipsis = true;
      keep(own.size() - used);
      continue;
    }
    const Expr extent = own[steps.size()];
    // From the end if negative. nullopt: it is not inside at every size.
    const auto inside = [&](const Array& size, i64 k, i64 last) -> std::optional<Expr> {
      Expr place = k < 0 ? simpleExtent(extent + k) : Expr::constant(k);
      if (is(size)) {
        const Row& row = rows_[static_cast<std::size_t>(size.formula)];
        if (!row.shape.empty() || !row.index) return std::nullopt;
        place = simpleExtent(*row.index);
      }
      const bool fits = leastOf(place) >= 0 && leastOf(simpleExtent(extent - place)) >= 1 - last;
      return fits ? std::optional(place) : std::nullopt;
    };
    if (s.kind == Subscript::Kind::Index) {
      const std::optional<Expr> place = inside(s.startSize, s.index, 0);
      if (!place)
        return Diag{
            fmt::format("the index {} is not inside the extent {} at every size", s.index, shapeText({extent}, of_))};
      steps.push_back({std::nullopt, *place, 0});
      continue;
    }
    const bool starts = s.start || is(s.startSize), stops = s.stop || is(s.stopSize);
    const bool reversed = s.step == -1 && !starts && !stops;
    if (s.step < 1 && !reversed) return Diag{"this slice has no equation for all sizes", "a step of at least 1, or -1"};
    const std::optional<Expr> start = starts ? inside(s.startSize, s.start.value_or(0), 1) : Expr::constant(0);
    const std::optional<Expr> stop = stops ? inside(s.stopSize, s.stop.value_or(0), 1) : extent;
    if (!start || !stop || leastOf(simpleExtent(*stop - *start)) < 1)
      return Diag{fmt::format("a slice does not fit the extent {} at every size", shapeText({extent}, of_))};
    const Expr length = simpleExtent(*stop - *start);
    steps.push_back({extents.size(), reversed ? simpleExtent(extent - 1) : *start, s.step});
    extents.push_back(s.step > 1 ? simpleExtent(floorDiv(length + (s.step - 1), Expr::constant(s.step))) : length);
  }
  keep(own.size() - steps.size());
  return moved(a, extents, [&](const Exprs& where) {
    Exprs from;
    for (const Step& step : steps)
      from.push_back(step.dimension ? step.start + where[*step.dimension] * step.step : step.start);
    return from;
  });
}

// ---- functions

Result<i64> Formulas::integer(const Array& a) const {
  const Row& row = rows_[static_cast<std::size_t>(a.formula)];
  if (!row.shape.empty() || !row.index) return Diag{"a value that depends on the inputs is no integer"};
  const Expr value = simpleExtent(*row.index);
  if (!value.isConstant()) return noSize("this integer", value, of_);
  return value.value();
}

Result<Expr> Formulas::integerExpr(const Value& v, std::string_view what) const {
  if (v.kind == Value::Kind::Array && is(v.array)) {
    const Row& row = rows_[static_cast<std::size_t>(v.array.formula)];
    if (row.shape.empty() && row.index) return simpleExtent(*row.index);
    return Diag{fmt::format("{} is not an integer", what)};
  }
  TESSERA_TRY(const i64 number, integerOf(v, what));
  return Expr::constant(number);
}

Result<Exprs> Formulas::shapeArgument(const ReferenceCall& c, std::size_t at) const {
  const Value* one = c.find(at, "shape");
  if (one == nullptr) return Diag{fmt::format("{} needs a shape", c.name())};
  Exprs out;
  if (one->kind == Value::Kind::Tuple) {
    for (const Value& item : one->items) {
      TESSERA_TRY(Expr e, integerExpr(item, "an extent"));
      out.push_back(std::move(e));
    }
    return out;
  }
  for (std::size_t k = at; (one = c.find(k, k == at ? "shape" : "")) != nullptr; ++k) {
    TESSERA_TRY(Expr e, integerExpr(*one, "an extent"));
    out.push_back(std::move(e));
  }
  return out;
}

std::optional<Result<Value>> Formulas::called(std::string_view name, const ReferenceCall& c) {
  for (const std::string_view other :
       {"clip", "transpose", "swapaxes", "concatenate", "stack", "array", "outer", "matmul", "dot"})
    if (name == other) return std::nullopt;
  const auto of = [&](auto make) -> Result<Value> {
    auto a = c.array(0, "a");
    return a ? wrapped(make(*a)) : Result<Value>(a.error());
  };
  if (name == "where") {
    const auto which = c.array(0, "condition"), yes = c.array(1, "x"), no = c.array(2, "y");
    for (const auto* one : {&which, &yes, &no})
      if (!*one) return Result<Value>(one->error());
    return wrapped(where(*which, *yes, *no));
  }
  if (name == "softmax") {
    const auto axis = c.integer(1, c.has(1, "dim") ? "dim" : "axis", -1);
    if (!axis) return Result<Value>(axis.error());
    return of([&](const Array& a) { return softmax(a, *axis); });
  }
  if (name == "reshape" || name == "broadcast_to") {
    const auto shape = shapeArgument(c, 1);
    if (!shape) return Result<Value>(shape.error());
    return of([&](const Array& a) { return name == "reshape" ? reshaped(a, *shape) : broadcast(a, *shape); });
  }
  if (name == "ravel" || name == "flatten")
    return of([&](const Array& a) { return reshaped(a, {Expr::constant(-1)}); });
  if (name == "squeeze")
    return of([&](const Array& a) {
      Exprs extents = shape(a);
      std::erase_if(extents, [](const Expr& e) { return e.isConstant(1); });
      return reshaped(a, extents);
    });
  if (name == "zeros" || name == "ones") {
    const auto shape = shapeArgument(c, 0);
    if (!shape) return Result<Value>(shape.error());
    return wrapped(broadcast(scalarOf(name == "ones" ? 1 : 0), *shape));
  }
  if (name == "zeros_like" || name == "ones_like")
    return of([&](const Array& a) { return broadcast(scalarOf(name == "ones_like" ? 1 : 0), shape(a)); });
  if (name == "arange" || name == "range") {
    const Value* const given = c.find(0, "start");
    const auto length = given == nullptr ? Result<Expr>(Diag{""}) : integerExpr(*given, "a length");
    if (!length || c.has(1, "stop") || !positiveExtent(*length))
      return Result<Value>(Diag{"a range of indices has one bound for all sizes, of at least 1", "np.arange(M)"});
    return wrapped(indexed({*length}, Expr::digit(0)));
  }
  if (name == "tril" || name == "triu") {
    const auto diagonal = c.integer(1, "k", 0);
    if (!diagonal) return Result<Value>(diagonal.error());
    return of([&](const Array& a) -> Result<Array> {
      const Exprs extents = shape(a);
      if (extents.size() < 2) return Diag{"a triangle needs a matrix"};
      return made(extents, a.kind, [&](const Exprs& where) {
        const Expr j = where.back(), i = where[where.size() - 2] + *diagonal;
        const int inside = valueAt(a, where), outside = number(0);
        return add({.kind = Node::Kind::Where,
                    .condition = {{j, i, name == "tril" ? "<=" : ">="}},
                    .parts = {inside, outside}});
      });
    });
  }
  if (name == "astype") {
    const Value* type = c.find(1, "dtype");
    const std::string_view to = type == nullptr ? "" : std::string_view(type->name);
    for (const std::string_view integer : {"int", "bool"})
      if (to.find(integer) != std::string_view::npos)
        return Result<Value>(Diag{fmt::format("astype({}) has no equation for all sizes", to)});
    return of([&](Array a) -> Result<Array> {
      a.kind = Kind::Float;
      return a;
    });
  }
  return Result<Value>(Diag{fmt::format("{} has no equation for all sizes", name), "", "numbers for the sizes"});
}

namespace {

Result<graphene::Program> evaluatedProgram(std::string_view text, const graphene::Program& of,
                                           const graphene::Program& target, const std::map<std::string, i64>& numbers) {
  Formulas formulas(of);
  auto names = formulas.names();
  for (const auto& [name, value] : numbers)
    names.try_emplace(name, scalarOf(static_cast<double>(value), Kind::Integer));
  TESSERA_TRY(const std::vector<Assigned> assigned, evaluate(text, names));
  return formulas.program(assigned, target);
}

}  // namespace

Result<graphene::Program> referenceProgram(std::string_view text, const graphene::Program& of,
                                           const std::map<std::string, i64>& numbers) {
  return isEquations(text) ? equationsProgram(text, of, numbers) : evaluatedProgram(text, of, of, numbers);
}

Result<graphene::Program> inputsProgram(std::string_view text, const graphene::Program& of,
                                        const graphene::Program& target, const std::map<std::string, i64>& numbers) {
  if (isEquations(text)) return Diag{"equations of inputs are not read for all sizes", "Wx = W[:64].reshape(64, 256)"};
  return evaluatedProgram(text, of, target, numbers);
}

}  // namespace tessera::kernel::reference
