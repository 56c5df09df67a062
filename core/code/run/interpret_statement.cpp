#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/chars.h"
#include "core/base/cursor.h"
#include "core/base/work.h"
#include "core/code/run/expressions.h"
#include "core/code/run/statements.h"
#include "core/expr/bits.h"

namespace tessera::code {
namespace {

using Kind = Tree::Kind;

bool has(std::string_view qualifiers, std::string_view word) { return qualifiers.find(word) != std::string_view::npos; }

}  // namespace

Result<void> Statements::run() {
  switch (tree_.kind) {
    case Kind::Declare:
      return declare();
    case Kind::Alias:
      return alias();
    case Kind::Function:
    case Kind::Macro:
      return define();
    case Kind::Struct:
      return structure();
    case Kind::Namespace:
      return of_.runBlock(tree_.children);
    case Kind::Block:
      return inOwnScope(tree_.children);
    case Kind::If:
      return condition();
    case Kind::For:
      return tree_.text == "in" || tree_.text == ":" ? forEach() : forLoop();
    case Kind::While:
      return loop(&tree_.children[0], nullptr, tree_.children[1], tree_.text == "do");
    case Kind::Switch:
      return choose();
    case Kind::Return:
      return returnValue();
    case Kind::Break:
    case Kind::Continue: {
      Expr& left = tree_.kind == Kind::Break ? of_.frame_.broken : of_.frame_.continued;
      left = left + of_.arithmetic_.live();
      of_.arithmetic_.setLive(Expr());
      return {};
    }
    case Kind::Directive:
    case Kind::Opaque:
    case Kind::Empty:
    case Kind::Case:
      return {};
    default:
      return expression();
  }
}

Result<void> Statements::inOwnScope(const std::vector<Tree>& statements) {
  if (of_.language_ == Language::Python) return of_.runBlock(statements);
  Scope* const outer = of_.scope_;
  of_.scope_ = of_.newScope(outer);
  const Result<void> done = of_.runBlock(statements);
  of_.scope_ = outer;
  return done;
}

Result<void> Statements::expression() {
  const Tree& e = tree_.kind == Kind::Expression && !tree_.children.empty() ? tree_.children[0] : tree_;
  TESSERA_TRY(Value v, of_.place(e));
  const bool quiet = e.kind == Kind::Assign || e.kind == Kind::Lambda || e.kind == Kind::String ||
                     (e.kind == Kind::Unary && (e.text.find("++") != std::string::npos || e.text.ends_with("--")));
  if (quiet || v.is(Value::Kind::None)) return {};
  if (v.is(Value::Kind::Unbound) && e.kind == Kind::Call) return {};
  if (v.isPlace) {
    TESSERA_TRY(v, of_.memory_.load(v, e.span));
  }
  if (v.is(Value::Kind::Pointer) && e.kind != Kind::Call) {
    TESSERA_CHECKED(of_.memory_.note(v, Direction::Address, e.span));
    return {};
  }
  if (v.is(Value::Kind::Unbound)) {
    TESSERA_TRY(Number n, of_.number(v, e.span));
    v = numberValue(std::move(n));
  }
  if (v.is(Value::Kind::Tuple))
    for (Value& one : v.elements)
      if (one.is(Value::Kind::Unbound)) {
        TESSERA_TRY(Number n, of_.number(one, e.span));
        one = numberValue(std::move(n));
      }
  if (v.is(Value::Kind::Data) && e.kind == Kind::Call && v.text.ends_with("does not define")) return {};
  const bool noted = v.is(Value::Kind::Data) && !of_.entries_.empty() && of_.entries_.back().fault;
  if (!noted) of_.record("value", v, e.span);
  return {};
}

Result<void> Statements::define() {
  if (tree_.kind == Kind::Macro && of_.names_.given().find(tree_.text) != nullptr) return {};
  Value v;
  v.kind = Value::Kind::Function;
  v.tree = &tree_;
  v.closure = of_.scope_;
  v.span = tree_.span;
  of_.scope_->names.insert_or_assign(tree_.text, std::move(v));
  return {};
}

Result<void> Statements::structure() {
  if (!tree_.text.empty()) TESSERA_CHECKED(define());
  i64 next = 0;
  for (const Tree& m : tree_.children) {
    if (has(tree_.qualifiers, "enum")) {
      if (m.kind != Kind::Declare) continue;
      if (m.children.size() > 1 && m.children[1].kind != Kind::Empty) {
        TESSERA_TRY(next, of_.constant(m.children[1], "the value of an enumerator"));
      }
      of_.scope_->names.insert_or_assign(m.text, constantValue(next++, intType()));
      continue;
    }
    const bool isStatic = has(m.qualifiers, "static") || has(m.qualifiers, "constexpr");
    const bool isField = m.kind == Kind::Declare && !isStatic;
    if (!isField && m.kind != Kind::Opaque) TESSERA_CHECKED(of_.run(m));
  }
  return {};
}

Result<void> Statements::alias() {
  if (tree_.children.empty()) return {};
  TESSERA_TRY(auto number, Expressions(of_).constantType(tree_.children[0]));
  if (number) {
    of_.scope_->names.insert_or_assign(tree_.text, *std::move(number));
    return {};
  }
  if (const auto type = of_.typeOf(tree_.children[0])) of_.scope_->names.insert_or_assign(tree_.text, typeValue(*type));
  return {};
}

Result<void> Statements::declareSeveral() {  // auto [row, col] = ...
  TESSERA_TRY(const Value v, of_.evaluate(tree_.children[1]));
  std::vector<std::string> names;
  for (std::size_t i = 0; i < tree_.text.size();) {
    std::size_t end = i;
    while (end < tree_.text.size() && isNamePart(tree_.text[end])) ++end;
    if (end > i) names.push_back(tree_.text.substr(i, end - i));
    i = std::max(end, i + 1);
  }
  for (std::size_t k = 0; k < names.size(); ++k) {
    const bool fits = v.is(Value::Kind::Tuple) && k < v.elements.size();
    Value part = fits ? v.elements[k] : dataValue("a part of a value that is no tuple");
    of_.record(names[k], part, tree_.span);
    of_.scope_->names.insert_or_assign(names[k], std::move(part));
  }
  return {};
}

// T* p = base + i: a first name of the sum that the text does not define is a pointer.
Result<void> Statements::definePointer(const Tree& sum, const Type& type) {
  const Tree* first = &sum;
  while (first->kind == Kind::Binary && (first->text == "+" || first->text == "-")) first = &first->children[0];
  if (first == &sum || first->kind != Kind::Name) return {};
  TESSERA_TRY(Value base, of_.evaluate(*first));
  if (!base.is(Value::Kind::Unbound)) return {};
  if (base.type.pointers == 0) base.type = type;
  of_.scope_->names.insert_or_assign(first->text, Expressions(of_).pointerTo(base));
  return {};
}

Result<void> Statements::declare() {
  const std::string& name = tree_.text;
  const Type type = of_.typeOf(tree_.children[0]).value_or(Type{});
  const bool hasInitial = tree_.children.size() > 1 && tree_.children[1].kind != Kind::Empty;
  if (name.starts_with("[") && hasInitial) return declareSeveral();
  if (!tree_.extents.empty()) return declareArray(type);
  const bool own = of_.depth_.calls <= of_.depth_.own;
  if (own && (of_.names_.isCoordinate(name) || of_.names_.given().find(name) != nullptr)) {
    if (auto given = of_.names_.known(name, type)) {
      of_.record(name, *given, tree_.span);
      of_.scope_->names.insert_or_assign(name, *std::move(given));
      return {};
    }
  }
  Value v;
  v.type = type;
  if (hasInitial) {
    if (type.pointers > 0) TESSERA_CHECKED(definePointer(tree_.children[1], type));
    TESSERA_TRY(v, of_.evaluate(tree_.children[1]));
    if (type.isInteger() || type.pointers > 0) {
      const bool braces = v.is(Value::Kind::Tuple) && v.elements.size() == 1;
      TESSERA_TRY(v, of_.cast(type, braces ? v.elements[0] : v, tree_.span));
    }
    if (type.lanes > 1 && v.is(Value::Kind::Tuple) && v.names.empty() && type.lanes <= 4)
      for (std::size_t k = 0; k < v.elements.size() && k < 4; ++k) v.names.emplace_back(1, "xyzw"[k]);
    const Value* structure = of_.scope_->find(tree_.children[0].text);
    if (structure != nullptr && structure->is(Value::Kind::Function) && structure->tree->kind == Kind::Struct &&
        v.is(Value::Kind::Tuple) && v.names.empty()) {
      for (const Tree& m : structure->tree->children)
        if (m.kind == Kind::Declare && v.names.size() < v.elements.size()) v.names.push_back(m.text);
      v.tree = structure->tree;
      v.closure = of_.scope_;
    }
    const bool floats = type.kind == Type::Kind::Data && v.is(Value::Kind::Data);
    if (!floats && !(v.is(Value::Kind::Data) && !type.isInteger())) of_.record(name, v, tree_.span);
  }
  if (!hasInitial && type.lanes > 1 && type.lane().isInteger()) {
    v = tupleValue(
        std::vector<Value>(static_cast<std::size_t>(type.lanes), dataValue("a component that nothing sets")));
    for (int k = 0; k < std::min(type.lanes, 4); ++k) v.names.emplace_back(1, "xyzw"[k]);
    if (type.name == "dim3") v.elements.assign(3, constantValue(1, integerType(32, false)));
  }
  if (!hasInitial && type.pointers > 0) v = of_.unbound(name, tree_.span, type);
  of_.scope_->names.insert_or_assign(name, std::move(v));
  return {};
}

Result<std::vector<Value>> Statements::flattened(const Tree& tree) {
  std::vector<Value> values;
  const bool list = tree.kind == Kind::Braces || tree.kind == Kind::List || tree.kind == Kind::Tuple;
  if (!list) {
    TESSERA_TRY(Value v, of_.evaluate(tree));
    values.push_back(std::move(v));
    return values;
  }
  for (std::size_t k = tree.kind == Kind::Braces ? 1 : 0; k < tree.children.size(); ++k) {
    TESSERA_TRY(std::vector<Value> inner, flattened(tree.children[k]));
    values.insert(values.end(), inner.begin(), inner.end());
  }
  return values;
}

Result<void> Statements::declareArray(const Type& type) {
  Array array;
  array.name = tree_.text;
  array.element = type;
  array.isDeclared = true;
  array.isShared = has(tree_.qualifiers, "shared") || has(tree_.qualifiers, "extern");
  std::vector<Value> values;
  if (tree_.children.size() > 1 && tree_.children[1].kind != Kind::Empty) {
    TESSERA_TRY(values, flattened(tree_.children[1]));
  }
  for (const Tree& extent : tree_.extents) {
    if (extent.kind == Kind::Empty) {
      if (values.empty() && tree_.extents.size() == 1) continue;
      array.extents.push_back(std::max<i64>(1, static_cast<i64>(values.size())));
      continue;
    }
    TESSERA_TRY(const i64 n, of_.constant(extent, fmt::format("an extent of {}", array.name)));
    if (n < 1)
      return Diag{fmt::format("{} has the extent {}", array.name, n), "an extent of at least 1", "", extent.span};
    array.extents.push_back(n);
  }
  Value v = of_.memory_.declare(std::move(array));
  of_.record(tree_.text, v, tree_.span);
  for (std::size_t k = 0; k < values.size(); ++k) {
    Value cell = values[k];
    if (!cell.is(Value::Kind::Number) || !type.isInteger()) continue;
    TESSERA_TRY(cell, of_.cast(type, cell, tree_.span));
    Value place = v;
    place.extents.clear();
    place.isPlace = true;
    place.offset = Expr::constant(static_cast<i64>(k));
    TESSERA_CHECKED(of_.memory_.store(place, cell, tree_.span));
  }
  of_.scope_->names.insert_or_assign(tree_.text, std::move(v));
  return {};
}

Result<void> Statements::returnValue() {
  if (!tree_.children.empty() && tree_.children[0].kind != Kind::Empty) {
    TESSERA_TRY(Value v, of_.evaluate(tree_.children[0]));
    if (v.is(Value::Kind::Unbound)) {
      TESSERA_TRY(Number n, of_.number(v, tree_.span));
      v = numberValue(std::move(n));
    }
    for (Value& one : v.elements)
      if (one.is(Value::Kind::Unbound) && !one.text.ends_with("AXIS_SEPARATOR")) {
        TESSERA_TRY(Number n, of_.number(one, tree_.span));
        one = numberValue(std::move(n));
      }
    if (of_.frame_.result) {
      TESSERA_TRY(v, of_.merged(of_.arithmetic_.live(), v, *of_.frame_.result, tree_.span));
    }
    of_.frame_.result = std::move(v);
  }
  of_.frame_.returned = true;
  of_.arithmetic_.setLive(Expr());
  return {};
}

// A condition on data: both branches may run, and what they change is not known.
Result<void> Statements::unknownCondition() {
  std::vector<std::string> names;
  collectAssigned(tree_, names);
  std::vector<std::pair<std::string, Value>> before;
  for (const std::string& n : names)
    if (const Value* v = of_.scope_->find(n)) before.emplace_back(n, *v);
  const Expr live = of_.arithmetic_.live();
  for (std::size_t k = 1; k < tree_.children.size(); ++k) {
    TESSERA_CHECKED(of_.run(tree_.children[k]));
    of_.arithmetic_.setLive(live);
  }
  for (const auto& [n, old] : before) {
    Value* v = of_.scope_->find(n);
    const bool same = v->is(Value::Kind::Number) && old.is(Value::Kind::Number) && v->number.value == old.number.value;
    if (!same) *v = dataValue(fmt::format("{}, which a condition on data changes", n), v->type);
  }
  return {};
}

Result<void> Statements::condition() {
  Scope* const outer = of_.scope_;
  if (of_.language_ == Language::Cpp) of_.scope_ = of_.newScope(outer);
  TESSERA_TRY(const Value c, of_.evaluate(tree_.children[0]));
  if (c.is(Value::Kind::Data) || c.is(Value::Kind::Pointer)) {
    TESSERA_CHECKED(unknownCondition());
    of_.scope_ = outer;
    return {};
  }
  TESSERA_TRY(const Number n, of_.number(c, tree_.children[0].span));
  Arithmetic& a = of_.arithmetic_;
  const Expr truth = a.truth(n), live = a.live();
  const bool hasElse = tree_.children.size() > 2 && tree_.children[2].kind != Kind::Empty;
  const Expr then = live * truth, otherwise = live * (Expr::constant(1) - truth);
  a.setLive(then);
  TESSERA_CHECKED(of_.run(tree_.children[1]));
  const Expr afterThen = a.live();
  a.setLive(otherwise);
  if (hasElse) TESSERA_CHECKED(of_.run(tree_.children[2]));
  const Expr afterElse = a.live();
  const bool whole = afterThen == then && afterElse == otherwise;
  a.setLive(whole ? live : afterThen + afterElse);
  of_.scope_ = outer;
  return {};
}

}  // namespace tessera::code
