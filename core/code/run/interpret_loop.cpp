// Loops and switches of index code.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/chars.h"
#include "core/base/cursor.h"
#include "core/base/work.h"
#include "core/code/run/statements.h"
#include "core/expr/bits.h"

namespace tessera::code {
namespace {

using Kind = Tree::Kind;

// Whether a statement breaks, continues, returns, or stores to a local array of integers.
bool storesToLocal(const Tree& tree, Scope* scope, const Memory& memory) {
  if (tree.kind == Kind::Assign && tree.children[0].kind == Kind::Subscript) {
    const Tree* base = &tree.children[0];
    while (base->kind == Kind::Subscript) base = &base->children[0];
    const Value* v = base->kind == Kind::Name ? scope->find(base->text) : nullptr;
    if (v != nullptr && v->is(Value::Kind::Pointer) &&
        !memory.arrays()[static_cast<std::size_t>(v->array)].cells.empty())
      return true;
  }
  return std::ranges::any_of(tree.children, [&](const Tree& t) { return storesToLocal(t, scope, memory); });
}
bool jumps(const Tree& tree) {
  if (tree.kind == Kind::Break || tree.kind == Kind::Continue || tree.kind == Kind::Return) return true;
  return tree.kind != Kind::Lambda && std::ranges::any_of(tree.children, jumps);
}

}  // namespace

bool Statements::leaves(const Tree& body) const { return jumps(body) || storesToLocal(body, of_.scope_, of_.memory_); }

void collectAssigned(const Tree& tree, std::vector<std::string>& names) {
  const bool steps = tree.kind == Kind::Unary &&
                     (tree.text.find("++") != std::string::npos || tree.text == "--" || tree.text == "p--");
  if ((tree.kind == Kind::Assign || steps) && !tree.children.empty() && tree.children[0].kind == Kind::Name)
    names.push_back(tree.children[0].text);
  for (const Tree& child : tree.children) collectAssigned(child, names);
}

Result<void> Statements::loop(const Tree* condition, const Tree* step, const Tree& body, bool bodyFirst) {
  Arithmetic& a = of_.arithmetic_;
  const Expr entry = a.live();
  const bool returned = std::exchange(of_.frame_.returned, false);
  const Expr broken = std::exchange(of_.frame_.broken, Expr()), continued = std::exchange(of_.frame_.continued, Expr());
  Expr out;
  for (int k = 0;; ++k) {
    if (k > 1 && of_.names_.isSurvey()) break;
    if (k > kMostIterations)
      return Diag{fmt::format("this loop runs more than {} times", kMostIterations), "a loop with constant bounds",
                  "name its variable as a coordinate: --over k=8", tree_.span};
    if (condition != nullptr && condition->kind != Kind::Empty && (k > 0 || !bodyFirst)) {
      TESSERA_TRY(const Value c, of_.evaluate(*condition));
      if (c.is(Value::Kind::Data)) {  // the number of iterations depends on data: as if it ran once
        if (k > 0) break;
      } else {
        TESSERA_TRY(const Number n, of_.number(c, condition->span));
        const Expr truth = a.truth(n);
        out = out + a.live() * (Expr::constant(1) - truth);
        a.setLive(a.live() * truth);
      }
    }
    const Range live = a.facts().of(a.live()).interval;
    if (live.hi <= 0) break;
    if (!a.live().isConstant() && a.outside(a.live(), 0, 0).answer == Arithmetic::Outside::Answer::Never) break;
    TESSERA_CHECKED(of_.run(body));
    a.setLive(a.live() + std::exchange(of_.frame_.continued, Expr()));
    if (step == nullptr || step->kind == Kind::Empty) continue;
    const int own = std::exchange(of_.depth_.own, -1);
    const Result<void> done = of_.run(*step);
    of_.depth_.own = own;
    TESSERA_CHECKED(done);
  }
  a.setLive(of_.frame_.returned ? out + of_.frame_.broken + (condition == nullptr ? a.live() : Expr()) : entry);
  of_.frame_.returned = of_.frame_.returned || returned;
  of_.frame_.broken = broken;
  of_.frame_.continued = continued;
  return {};
}

// Whether the iterations of the body do not depend on each other, as far as indices go.
bool Statements::isIndependent(const Tree& body, std::string_view variable) {
  std::vector<std::string> names;
  collectAssigned(body, names);
  for (const std::string& n : names) {
    if (n == variable) return false;
    const Value* v = of_.scope_->find(n);
    if (v != nullptr && !v->is(Value::Kind::Data)) return false;
  }
  return !leaves(body);
}

// for (int i = FROM; i < TO; i += BY) with constants.
std::optional<Statements::LoopRange> Statements::independent(const Tree& declared, const std::string& name) {
  if (!of_.names_.given().loops || name.empty() || declared.kind != Kind::Declare || declared.children.size() < 2)
    return std::nullopt;
  const Tree& condition = tree_.children[1];
  const Tree& step = tree_.children[2].kind == Kind::Expression && !tree_.children[2].children.empty()
                         ? tree_.children[2].children[0]
                         : tree_.children[2];
  const auto isVariable = [&](const Tree& t) { return t.kind == Kind::Name && t.text == name; };
  if (condition.kind != Kind::Binary || step.children.empty() || !isVariable(condition.children[0]) ||
      !isVariable(step.children[0]) || !isIndependent(tree_.children[3], name))
    return std::nullopt;
  const auto number = [&](const Tree& t) -> std::optional<i64> {
    const auto v = of_.evaluate(t);
    const bool constant = v && v->is(Value::Kind::Number) && v->number.value.isConstant();
    return constant ? std::optional(v->number.value.value()) : std::nullopt;
  };
  const auto from = number(declared.children[1]), to = number(condition.children[1]);
  std::optional<i64> by = 1;
  if (step.kind == Kind::Assign) by = step.text == "+=" ? number(step.children[1]) : std::nullopt;
  const bool counts = step.kind == Kind::Assign || step.text == "++" || step.text == "p++";
  const bool compares = condition.text == "<" || condition.text == "<=" || condition.text == "!=";
  if (!from || !to || !by || *by < 1 || !counts || !compares) return std::nullopt;
  const i64 end = *to + (condition.text == "<=" ? 1 : 0);
  if (end <= *from || (condition.text == "!=" && (end - *from) % *by != 0)) return std::nullopt;
  return LoopRange{*from, *by, (end - *from + *by - 1) / *by, of_.typeOf(declared.children[0]).value_or(intType())};
}

Result<void> Statements::asCoordinate(const std::string& name, const LoopRange& range, const Tree& body) {
  const Expr digit = of_.arithmetic_.addDigit({name, range.count, DigitKind::Index, 0});
  Number number{digit * range.by + range.from, of_.language_ == Language::Python ? unboundedInteger() : range.type};
  of_.scope_->names.insert_or_assign(name, numberValue(std::move(number)));
  of_.loops_.push_back(digit.index());
  TESSERA_CHECKED(of_.run(body));
  of_.recordAccesses();
  of_.loops_.pop_back();
  return {};
}

Result<void> Statements::forLoop() {
  const Tree& initial = tree_.children[0];
  Scope* const outer = of_.scope_;
  of_.scope_ = of_.newScope(outer);
  const Tree& declared = initial.kind == Kind::Block && !initial.children.empty() ? initial.children[0] : initial;
  const Tree& assigned =
      declared.kind == Kind::Expression && !declared.children.empty() ? declared.children[0] : declared;
  const std::string name = declared.kind == Kind::Declare ? declared.text
                           : assigned.kind == Kind::Assign && assigned.children[0].kind == Kind::Name
                               ? assigned.children[0].text
                               : "";
  Result<void> done;
  if (!name.empty() && of_.names_.isCoordinate(name)) {
    const Type type = declared.kind == Kind::Declare ? of_.typeOf(declared.children[0]).value_or(intType()) : intType();
    of_.scope_->names.insert_or_assign(name, *of_.names_.known(name, type));
    done = of_.run(tree_.children[3]);
  } else if (const auto range = independent(declared, name)) {
    done = asCoordinate(name, *range, tree_.children[3]);
  } else {
    const int own = of_.depth_.own;
    of_.depth_.own = -1;  // the loop's variable is not a value of the text
    done = initial.kind == Kind::Block ? of_.runBlock(initial.children) : of_.run(initial);
    of_.depth_.own = own;
    if (done) done = loop(&tree_.children[1], &tree_.children[2], tree_.children[3], false);
  }
  of_.scope_ = outer;
  return done;
}

Result<std::vector<Value>> Statements::iterated(const Tree& iterable) {
  std::vector<Value> values;
  const std::string_view name = calledName(iterable);
  const bool counts = name == "range" || name == "arange" || name == "static_range" || name == "serial" ||
                      name == "unroll" || name == "unrolled" || name == "vectorized" || name == "parallel" ||
                      name == "Parallel" || name == "range_constexpr" || name == "Pipelined";
  if (!counts) {
    TESSERA_TRY(const Value v, of_.evaluate(iterable));
    if (v.is(Value::Kind::Tuple)) return v.elements;
    return Diag{"this is no range", "range(n)", "", iterable.span};
  }
  std::vector<i64> bounds;
  for (std::size_t k = 1; k < iterable.children.size(); ++k) {
    if (iterable.children[k].kind == Kind::Keyword) continue;
    TESSERA_TRY(const i64 n, of_.constant(iterable.children[k], "a bound of the range"));
    bounds.push_back(n);
  }
  if (bounds.size() == 1) bounds.insert(bounds.begin(), 0);
  if (bounds.size() == 2) bounds.push_back(1);
  if (bounds.size() != 3 || bounds[2] == 0) return Diag{"this is no range", "range(from, to, step)", "", iterable.span};
  for (i64 n = bounds[0]; bounds[2] > 0 ? n < bounds[1] : n > bounds[1]; n += bounds[2]) {
    if (values.size() >= kMostIterations)
      return Diag{fmt::format("this loop runs more than {} times", kMostIterations), "", "", iterable.span};
    values.push_back(constantValue(n, of_.language_ == Language::Python ? unboundedInteger() : intType()));
  }
  return values;
}

Result<void> Statements::forEach() {
  const Tree& target = tree_.children[0];
  const Tree& iterable = tree_.children[1];
  const Tree& body = tree_.children[2];
  const std::string name = target.kind == Kind::Declare || target.kind == Kind::Name ? target.text : "";
  const bool several = target.kind == Kind::Tuple;
  const bool coordinates =
      several ? std::ranges::all_of(target.children, [&](const Tree& t) { return of_.names_.isCoordinate(t.text); })
              : of_.names_.isCoordinate(name);
  if (coordinates) {
    if (!several) of_.scope_->names.insert_or_assign(name, *of_.names_.known(name, {}));
    for (const Tree& t : several ? target.children : std::vector<Tree>{})
      of_.scope_->names.insert_or_assign(t.text, *of_.names_.known(t.text, {}));
    return of_.run(body);
  }
  TESSERA_TRY(const std::vector<Value> values, iterated(iterable));
  const bool counts = values.size() > 1 && std::ranges::all_of(values, [](const Value& v) {
                        return v.is(Value::Kind::Number) && v.number.value.isConstant();
                      });
  if (of_.names_.given().loops && counts && !several && calledName(iterable).find("range") != std::string_view::npos &&
      isIndependent(body, name)) {
    const i64 from = values[0].number.value.value(), by = values[1].number.value.value() - from;
    return asCoordinate(name, {from, by, static_cast<i64>(values.size()), intType()}, body);
  }
  Arithmetic& a = of_.arithmetic_;
  const Expr entry = a.live();
  const bool returned = std::exchange(of_.frame_.returned, false);
  const Expr broken = std::exchange(of_.frame_.broken, Expr()), continued = std::exchange(of_.frame_.continued, Expr());
  for (const Value& v : values) {
    if (several) {
      const int own = std::exchange(of_.depth_.own, -1);
      const Result<void> done = of_.assignTo(target, v, target.span);
      of_.depth_.own = own;
      TESSERA_CHECKED(done);
    } else {
      of_.scope_->names.insert_or_assign(name, v);
    }
    TESSERA_CHECKED(of_.run(body));
    a.setLive(a.live() + std::exchange(of_.frame_.continued, Expr()));
  }
  a.setLive(of_.frame_.returned ? a.live() + of_.frame_.broken : entry);
  of_.frame_.returned = of_.frame_.returned || returned;
  of_.frame_.broken = broken;
  of_.frame_.continued = continued;
  return {};
}

Result<void> Statements::choose() {
  TESSERA_TRY(const Number n, of_.numberOf(tree_.children[0]));
  Arithmetic& a = of_.arithmetic_;
  const Expr entry = a.live();
  const std::vector<Tree>& body = tree_.children[1].children;
  std::vector<Expr> here(body.size());
  Expr other = Expr::constant(1);
  for (std::size_t k = 0; k < body.size(); ++k) {
    if (body[k].kind != Kind::Case || body[k].children.empty()) continue;
    TESSERA_TRY(const i64 value, of_.constant(body[k].children[0], "a case label"));
    here[k] = equalTo(n.value, Expr::constant(value), a.facts());
    other = other - here[k];
  }
  const bool returned = std::exchange(of_.frame_.returned, false);
  const Expr broken = std::exchange(of_.frame_.broken, Expr());
  Scope* const outer = of_.scope_;
  of_.scope_ = of_.newScope(outer);
  a.setLive(Expr());
  Expr none = other;  // without a default label
  for (std::size_t k = 0; k < body.size(); ++k) {
    if (body[k].kind == Kind::Case) {
      if (body[k].children.empty()) none = Expr();
      a.setLive(a.live() + entry * (body[k].children.empty() ? other : here[k]));
      continue;
    }
    TESSERA_CHECKED(of_.run(body[k]));
  }
  of_.scope_ = outer;
  a.setLive(of_.frame_.returned ? a.live() + of_.frame_.broken + entry * none : entry);
  of_.frame_.returned = of_.frame_.returned || returned;
  of_.frame_.broken = broken;
  return {};
}

}  // namespace tessera::code
