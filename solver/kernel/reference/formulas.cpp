#include "solver/kernel/reference/formulas.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/work.h"
#include "solver/kernel/reference/shape_exprs.h"

namespace tessera::kernel::reference {
namespace {

using Node = graphene::MeaningNode;
using graphene::Comparison;
using Kind = Array::Kind;

thread_local Formulas* currentFormulas = nullptr;

Diag noEquation(std::string_view name) {
  return Diag{name.empty() ? "this operation has no equation for all sizes"
                           : fmt::format("{} has no equation for all sizes", name),
              "+ - * / @ exp log sqrt tanh max min sum mean var softmax where, and shapes", "numbers for the sizes"};
}
bool isComparison(std::string_view name) {
  return name == "<" || name == "<=" || name == ">" || name == ">=" || name == "==" || name == "!=";
}
std::vector<Comparison> at(const std::vector<Comparison>& condition, const std::vector<Expr>& digits) {
  std::vector<Comparison> out;
  for (const Comparison& c : condition) out.push_back({substitute(c.left, digits), substitute(c.right, digits), c.op});
  return out;
}

}  // namespace

Formulas::Formulas(const graphene::Program& of) : of_(of), before_(currentFormulas) {
  currentFormulas = this;
  for (const graphene::Tensor& t : of.operands)
    if (!t.threads && t.memory == graphene::Memory::Global && t.levels.size() == 1) operands_.push_back(t);
}
Formulas::~Formulas() { currentFormulas = before_; }
Formulas* Formulas::current() { return currentFormulas; }

bool containsFormula(const Value& v) {
  return Formulas::is(v.array) || std::any_of(v.items.begin(), v.items.end(), containsFormula);
}

std::map<std::string, Array, std::less<>> Formulas::names() {
  std::map<std::string, Array, std::less<>> out;
  for (std::size_t v = 0; v < of_.variables.size(); ++v)
    if (of_.variables[v].kind == graphene::Variable::Kind::Size)
      out[of_.variables[v].name] = indexed({}, Expr::param(static_cast<int>(v)));
  for (std::size_t k = 0; k < operands_.size(); ++k) {
    Exprs extents;
    for (const Expr& e : operands_[k].extents) extents.push_back(simpleExtent(e));
    out[operands_[k].name] = made(extents, Kind::Float, [&](const Exprs& where) {
      return add({.kind = Node::Kind::Operand, .what = static_cast<int>(k), .at = where});
    });
  }
  return out;
}

Result<graphene::Program> Formulas::program(const std::vector<Assigned>& assigned, const graphene::Program& target) {
  graphene::Program out;
  out.variables = of_.variables;
  out.operands = of_.operands;
  Exprs params;  // of the target's variables
  for (const graphene::Variable& v : target.variables) {
    const auto found = std::find_if(out.variables.begin(), out.variables.end(),
                                    [&](const graphene::Variable& own) { return own.name == v.name; });
    params.push_back(Expr::param(static_cast<int>(found - out.variables.begin())));
    if (found == out.variables.end()) out.variables.push_back(v);
  }
  graphene::Spec spec;
  spec.attribute = "reference";
  for (const Assigned& one : assigned) {
    const auto port = std::find_if(target.operands.begin(), target.operands.end(), [&](const graphene::Tensor& t) {
      return t.name == one.name && !t.threads && t.memory == graphene::Memory::Global && t.levels.size() == 1;
    });
    if (port == target.operands.end()) continue;  // a local name
    graphene::Tensor written = *port;
    for (Expr& e : written.extents) e = simpleExtent(substitute(e, {}, params));
    const Exprs extents = written.extents;
    const Exprs own = shape(one.value);
    const auto squeezed = [](Exprs of) {
      std::erase_if(of, [](const Expr& e) { return e.isConstant(1); });
      return of;
    };
    if (squeezed(own) != squeezed(extents))
      return Diag{fmt::format("{} has the shape {}, but %{} is {}", one.name, shapeText(own, out), one.name,
                              shapeText(extents, out)),
                  "equal shapes", fmt::format("\"{} = (...).reshape{}\"", one.name, shapeText(extents, out))};
    const Array whole = made(extents, Kind::Float, [&](const Exprs& where) {
      Exprs from, used;
      for (std::size_t d = 0; d < where.size(); ++d)
        if (!extents[d].isConstant(1)) used.push_back(where[d]);
      for (std::size_t d = 0, next = 0; d < own.size(); ++d)
        from.push_back(own[d].isConstant(1) ? Expr::constant(0) : used[next++]);
      return valueAt(one.value, from);
    });
    graphene::Equation& e = meaning_.equations[static_cast<std::size_t>(rows_[whole.formula].equation)];
    e.name.clear();
    e.output = static_cast<int>(spec.outputs.size());
    if (std::none_of(out.operands.begin(), out.operands.end(),
                     [&](const graphene::Tensor& t) { return t.name == one.name; }))
      out.operands.push_back(written);
    spec.outputs.push_back(std::move(written));
  }
  if (spec.outputs.empty()) return Diag{"the reference assigns no output"};
  spec.inputs = operands_;
  graphene::Meaning meaning = meaning_;
  for (Node& n : meaning.nodes)
    if (n.kind == Node::Kind::Operand) n.what += static_cast<int>(spec.outputs.size());
  spec.meaning = std::make_shared<const graphene::Meaning>(std::move(meaning));
  out.specs.push_back({{}, std::move(spec)});
  return out;
}

// ---- equations

int Formulas::add(Node node) {
  spend(4);
  meaning_.nodes.push_back(std::move(node));
  return static_cast<int>(meaning_.nodes.size()) - 1;
}
int Formulas::add(std::string_view operation, int a, int b) {
  if (b < 0) return add({.kind = Node::Kind::Unary, .operation = std::string(operation), .parts = {a}});
  return add({.kind = Node::Kind::Binary, .operation = std::string(operation), .parts = {a, b}});
}
int Formulas::number(double x) { return add({.kind = Node::Kind::Number, .number = x}); }

Array Formulas::made(Exprs shape, Kind kind, const Body& body) {
  graphene::Equation e;
  e.name = fmt::format("v{}", meaning_.equations.size());
  e.rank = static_cast<int>(shape.size());
  Exprs at;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    e.variables.push_back(fmt::format("i{}", d));
    at.push_back(Expr::digit(static_cast<int>(d)));
  }
  std::vector<std::string>* const outer = std::exchange(variables_, &e.variables);
  e.node = body(at);
  variables_ = outer;
  Array out{{}, {}, kind, static_cast<int>(rows_.size())};
  for (const Expr& extent : shape) out.shape.push_back(extent.isConstant() ? extent.value() : -1);
  rows_.push_back({std::move(shape), static_cast<int>(meaning_.equations.size()), {}, {}});
  meaning_.equations.push_back(std::move(e));
  return out;
}

Array Formulas::indexed(Exprs shape, const Expr& index) {
  Array out = made(std::move(shape), Kind::Integer,
                   [&](const Exprs&) { return add({.kind = Node::Kind::Index, .lo = index}); });
  rows_.back().index = index;
  return out;
}

int Formulas::reduce(std::string_view operation, const Expr& extent, const std::function<int(const Expr&)>& body) {
  const int digit = static_cast<int>(variables_->size());
  variables_->push_back(fmt::format("k{}", digit));
  const int inside = body(Expr::digit(digit));
  return add({.kind = Node::Kind::Reduce,
              .operation = std::string(operation),
              .variable = digit,
              .lo = Expr::constant(0),
              .hi = extent,
              .parts = {inside}});
}

int Formulas::valueAt(const Array& a, const Exprs& where) {
  if (!is(a)) return number(a.data.empty() ? 0 : a.data.front());
  const Row& row = rows_[static_cast<std::size_t>(a.formula)];
  return add({.kind = Node::Kind::Named, .what = row.equation, .at = placeOf(row.shape, where)});
}

// A scalar, or an array of one number: zeros, ones.
bool Formulas::usable(const Array& a) const {
  return is(a) ||
         (!a.data.empty() && std::all_of(a.data.begin(), a.data.end(), [&](double x) { return x == a.data.front(); }));
}

int Formulas::unary(std::string_view name, int x) {
  for (const std::string_view plain :
       {"exp", "exp2", "log", "sqrt", "rsqrt", "rcp", "neg", "relu", "sigmoid", "tanh", "sin", "cos", "tan", "erf"})
    if (name == plain) return add(name, x);
  if (name == "log2") return add("*", number(1 / std::numbers::ln2), add("log", x));
  if (name == "log10") return add("*", number(1 / std::numbers::ln10), add("log", x));
  if (name == "log1p") return add("log", add("+", number(1), x));
  if (name == "expm1") return add("-", add("exp", x), number(1));
  if (name == "abs") return add("max", x, add("neg", x));
  if (name == "square") return add("*", x, x);
  if (name == "silu") return add("*", x, add("sigmoid", x));
  if (name == "gelu") {
    const int half = add("*", number(0.5), x), inner = add("erf", add("*", number(1 / std::numbers::sqrt2), x));
    return add("*", half, add("+", number(1), inner));
  }
  return -1;
}

// ---- elements

Result<Array> Formulas::elementwise(const Array& a, std::string_view name, Kind kind) {
  if (!usable(a)) return noEquation(name);
  int node = 0;
  const Array out = made(shape(a), kind, [&](const Exprs& where) { return node = unary(name, valueAt(a, where)); });
  if (node < 0) return noEquation(name);
  return out;
}

Result<Array> Formulas::elementwise(const Array& a, const Array& b, std::string_view name, Kind kind) {
  if (!usable(a) || !usable(b)) return Diag{"an array of different numbers has no equation for all sizes"};
  if (a.kind != Kind::Float && b.kind != Kind::Float && name != "/")
    if (auto whole = integers(a, b, name); whole || isComparison(name) || name == "//" || name == "%" || name == "&")
      return whole;
  if (isComparison(name)) return Diag{"a comparison of values has no equation for all sizes", "np.maximum, np.minimum"};
  TESSERA_TRY(const Exprs extents, common(shape(a), shape(b)));
  std::string_view operation = name;
  std::string_view function;  // of a power
  if (name == "**") {
    const double power = is(b) || b.count() != 1 ? HUGE_VAL : b.data[0];
    function = power == 2 ? "square" : power == 0.5 ? "sqrt" : power == -0.5 ? "rsqrt" : power == -1 ? "rcp" : "";
    if (function.empty()) return Diag{"** has an equation for the exponents 2, 0.5, -0.5 and -1"};
  }
  for (const std::string_view plain : {"+", "-", "*", "/", "max", "min", "**"})
    if (name == plain) operation = {};
  if (!operation.empty()) return noEquation(name);
  return made(extents, kind, [&](const Exprs& where) {
    const int x = valueAt(a, where);
    if (!function.empty()) return unary(function, x);
    return add(name, x, valueAt(b, where));
  });
}

// The expression of an integer array at these coordinates.
std::optional<Expr> Formulas::indexOf(const Array& a, const Exprs& where) const {
  if (!is(a)) {
    const double x = a.data.empty() ? 0.5 : a.data.front();
    return x == std::floor(x) && std::abs(x) < 1e9 ? std::optional(Expr::constant(static_cast<i64>(x))) : std::nullopt;
  }
  const Row& row = rows_[static_cast<std::size_t>(a.formula)];
  return row.index ? std::optional(substitute(*row.index, placeOf(row.shape, where))) : std::nullopt;
}

// Of sizes, indices and masks.
Result<Array> Formulas::integers(const Array& a, const Array& b, std::string_view name) {
  TESSERA_TRY(const Exprs extents, common(shape(a), shape(b)));
  Exprs where;
  for (std::size_t d = 0; d < extents.size(); ++d) where.push_back(Expr::digit(static_cast<int>(d)));
  std::vector<Comparison> condition;
  if (name == "&" && is(a) && is(b)) {
    for (const Array* one : {&a, &b}) {
      const Row& row = rows_[static_cast<std::size_t>(one->formula)];
      if (!row.condition) return noEquation(name);
      const auto more = at(*row.condition, placeOf(row.shape, where));
      condition.insert(condition.end(), more.begin(), more.end());
    }
  } else {
    const std::optional<Expr> x = indexOf(a, where), y = indexOf(b, where);
    if (!x || !y) return noEquation(name);
    const bool divides = name == "//" || name == "%";
    if (divides && !positiveExtent(*y)) return Diag{"the divisor of an index must be positive"};
    if (name == "+") return indexed(extents, *x + *y);
    if (name == "-") return indexed(extents, *x - *y);
    if (name == "*") return indexed(extents, *x * *y);
    if (name == "//") return indexed(extents, floorDiv(*x, *y));
    if (name == "%") return indexed(extents, mod(*x, *y));
    if (name == "max") return indexed(extents, greatest(*x, *y));
    if (name == "min") return indexed(extents, least(*x, *y));
    if (!isComparison(name)) return noEquation(name);
    condition = {{*x, *y, std::string(name)}};
  }
  const int yes = number(1), no = number(0);
  const Array out = made(extents, Kind::Bool, [&](const Exprs&) {
    return add({.kind = Node::Kind::Where, .condition = condition, .parts = {yes, no}});
  });
  rows_.back().condition = condition;
  return out;
}

Result<Array> Formulas::where(const Array& which, const Array& yes, const Array& no) {
  if (!usable(yes) || !usable(no)) return Diag{"an array of different numbers has no equation for all sizes"};
  const Row* row = is(which) ? &rows_[static_cast<std::size_t>(which.formula)] : nullptr;
  if (row == nullptr || !row->condition)
    return Diag{"the condition of `where` must compare indices", "np.arange(M)[:, None] >= np.arange(M)",
                "np.maximum(x, 0) for a comparison of values"};
  TESSERA_TRY(const Exprs branches, common(shape(yes), shape(no)));
  TESSERA_TRY(const Exprs extents, common(row->shape, branches));
  const auto condition = *row->condition;
  const Exprs masked = row->shape;
  return made(extents, std::max(yes.kind, no.kind), [&](const Exprs& at_) {
    const int x = valueAt(yes, at_), y = valueAt(no, at_);
    return add({.kind = Node::Kind::Where, .condition = at(condition, placeOf(masked, at_)), .parts = {x, y}});
  });
}

// ---- sums

Result<Array> Formulas::product(const Array& a, const Array& b) {
  if (!usable(a) || !usable(b)) return Diag{"an array of different numbers has no equation for all sizes"};
  Exprs x = shape(a), y = shape(b);
  if (x.empty() || y.empty()) return Diag{"@ takes arrays, not scalars", "*"};
  const bool row = x.size() == 1, column = y.size() == 1;
  if (row) x.insert(x.begin(), Expr::constant(1));
  if (column) y.push_back(Expr::constant(1));
  const Expr inner = x.back(), rows = x[x.size() - 2], columns = y.back();
  if (inner != y[y.size() - 2])
    return Diag{
        fmt::format("the shapes {} and {} do not fit for @", shapeText(shape(a), of_), shapeText(shape(b), of_))};
  TESSERA_TRY(Exprs extents, common({x.begin(), x.end() - 2}, {y.begin(), y.end() - 2}));
  const std::size_t batch = extents.size();
  if (!row) extents.push_back(rows);
  if (!column) extents.push_back(columns);
  return made(extents, std::max(a.kind, b.kind), [&](const Exprs& where) {
    return reduce("+", inner, [&](const Expr& k) {
      Exprs left(where.begin(), where.begin() + static_cast<std::ptrdiff_t>(batch)), right = left;
      if (!row) left.push_back(where[batch]);
      left.push_back(k);
      right.push_back(k);
      if (!column) right.push_back(where.back());
      // A vector has no dimensions before.
      if (row) left = {k};
      if (column) right = {k};
      const int one = valueAt(a, left), other = valueAt(b, right);
      return add("*", one, other);
    });
  });
}

Result<Array> Formulas::reduced(const Array& a, const std::vector<i64>& axes, bool keep, std::string_view fold) {
  const Exprs whole = shape(a);
  std::vector<bool> gone(whole.size(), axes.empty());
  for (const i64 axis : axes) {
    TESSERA_TRY(const std::size_t d, axisOf(axis, whole.size()));
    gone[d] = true;
  }
  if (fold != "sum" && fold != "mean" && fold != "var" && fold != "max" && fold != "min") return noEquation(fold);
  Exprs extents;
  Expr count = Expr::constant(1);
  for (std::size_t d = 0; d < whole.size(); ++d) {
    if (gone[d]) count = count * whole[d];
    if (!gone[d] || keep) extents.push_back(gone[d] ? Expr::constant(1) : whole[d]);
  }
  if (fold == "mean" || fold == "var") {
    TESSERA_TRY(const Array mean, fold == "mean" ? reduced(a, axes, keep, "sum") : reduced(a, axes, true, "mean"));
    if (fold == "mean")
      return made(extents, Kind::Float, [&](const Exprs& where) {
        return add("/", valueAt(mean, where), add({.kind = Node::Kind::Index, .lo = count}));
      });
    TESSERA_TRY(const Array off, elementwise(a, mean, "-", Kind::Float));
    TESSERA_TRY(const Array squares, elementwise(off, "square", Kind::Float));
    return reduced(squares, axes, keep, "mean");
  }
  return made(extents, a.kind, [&](const Exprs& where) {
    Exprs from;
    for (std::size_t d = 0, next = 0; d < whole.size(); ++d) {
      from.push_back(gone[d] ? Expr() : where[next]);
      if (!gone[d] || keep) ++next;
    }
    const std::function<int(std::size_t)> over = [&](std::size_t d) -> int {
      while (d < whole.size() && !gone[d]) ++d;
      if (d == whole.size()) return valueAt(a, from);
      return reduce(fold == "sum" ? "+" : fold, whole[d], [&](const Expr& k) {
        from[d] = k;
        return over(d + 1);
      });
    };
    return over(0);
  });
}

Result<Array> Formulas::softmax(const Array& a, i64 axis) {
  TESSERA_TRY(const Array exponentials, elementwise(a, "exp", Kind::Float));  // the maximum changes nothing
  TESSERA_TRY(const Array sums, reduced(exponentials, {axis}, true, "sum"));
  return elementwise(exponentials, sums, "/", Kind::Float);
}

}  // namespace tessera::kernel::reference
