// Assignments of index code.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/chars.h"
#include "core/base/cursor.h"
#include "core/base/work.h"
#include "core/code/run/expressions.h"
#include "core/code/run/interpreter.h"
#include "core/expr/bits.h"

namespace tessera::code {
namespace {

using Kind = Tree::Kind;

std::string_view operatorOf(std::string_view assignment) { return assignment.substr(0, assignment.size() - 1); }

// Whether the target of an assignment, or a part of it, occurs in the value: i = i ^ (i >> 3).
bool mentions(const Tree& value, const Tree& target) {
  if (target.kind != Kind::Name)
    return std::ranges::any_of(target.children, [&](const Tree& t) { return mentions(value, t); });
  if (value.kind == Kind::Name && value.text == target.text) return true;
  return std::ranges::any_of(value.children, [&](const Tree& v) { return mentions(v, target); });
}

// A, Bs, a_ptr, smem_base: names that kernels give to pointers.
bool looksLikePointer(std::string_view name) {
  if (name.size() <= 2 && name[0] >= 'A' && name[0] <= 'Z') return true;
  const std::string lower = lowerCase(name);
  return std::ranges::any_of(std::array<std::string_view, 3>{"ptr", "smem", "gmem"},
                             [&](std::string_view part) { return lower.find(part) != std::string::npos; });
}

// A += row * K moves a pointer; i += i >> 5 does not.
bool movesPointer(const Tree& assignment, const Value& old) {
  const Tree& target = assignment.children[0];
  const bool moves = assignment.text == "+=" || assignment.text == "-=";
  return moves && old.is(Value::Kind::Unbound) && target.kind == Kind::Name && looksLikePointer(old.text) &&
         !mentions(assignment.children[1], target);
}

}  // namespace

Result<void> Interpreter::setVariable(Value& variable, Value value, Span written) {
  if (variable.is(Value::Kind::Number) && value.is(Value::Kind::Number) && language_ == Language::Cpp) {
    TESSERA_TRY(value.number, arithmetic_.converted(value.number, variable.number.type, written));
  }
  if (value.is(Value::Kind::Number)) value.type = value.number.type;
  const Expr& live = arithmetic_.live();
  if (live.isConstant(1) || variable.is(Value::Kind::None) || variable.is(Value::Kind::Data)) {
    variable = std::move(value);
    return {};
  }
  TESSERA_TRY(variable, merged(live, value, variable, written));
  return {};
}

// frees: a coordinate of `over` keeps its meaning; the assignment is ignored.
Result<void> Interpreter::assignTo(const Tree& target, Value value, Span written, bool frees) {
  if (target.kind == Kind::Tuple || target.kind == Kind::List) {
    if (!value.is(Value::Kind::Tuple) || value.elements.size() != target.children.size()) {
      for (const Tree& one : target.children)
        TESSERA_CHECKED(assignTo(one, dataValue("a value that is not a tuple"), written));
      return {};
    }
    for (std::size_t k = 0; k < target.children.size(); ++k)
      TESSERA_CHECKED(assignTo(target.children[k], value.elements[k], written, frees));
    return {};
  }
  if (target.kind == Kind::Name) {
    Value* variable = scope_->find(target.text);
    if (language_ == Language::Python && variable != nullptr && scope_->names.find(target.text) == scope_->names.end())
      variable = nullptr;  // a new local variable
    if (variable == nullptr && frees && names_.isCoordinate(target.text) && depth_.calls <= depth_.own) return {};
    if (variable == nullptr) variable = &scope_->names[target.text];
    if (variable->is(Value::Kind::Unbound)) *variable = {};
    TESSERA_CHECKED(setVariable(*variable, std::move(value), written));
    record(target.text, *variable, written);
    return {};
  }
  if (target.kind == Kind::Member && !target.children.empty()) {
    if (target.children[0].kind == Kind::Name)
      if (Value* object = scope_->find(target.children[0].text); object != nullptr && object->is(Value::Kind::Tuple)) {
        const auto it = std::ranges::find(object->names, target.text);
        if (it != object->names.end())
          return setVariable(object->elements[static_cast<std::size_t>(it - object->names.begin())], std::move(value),
                             written);
      }
    return {};
  }
  TESSERA_TRY(const Value where, place(target));
  if (where.is(Value::Kind::Pointer) && where.isPlace) return memory_.store(where, value, target.span);
  if (where.is(Value::Kind::Tuple) || where.is(Value::Kind::Data) || where.is(Value::Kind::Number)) return {};
  return {};
}

Result<Value> Expressions::assign(const Tree& tree) {
  const Tree& target = tree.children[0];
  if (tree.text == "=" || tree.text == ":=") {
    const bool named = calledName(tree.children[1]) == "arange" && target.kind == Kind::Name;
    TESSERA_TRY(Value value, of_.evaluate(tree.children[1]));
    if (named && value.is(Value::Kind::Unbound)) {  // rows = tl.arange(0, 16): a coordinate of that name
      if (of_.names_.isCoordinate(target.text)) return value;
      of_.names_.setExtent(target.text, of_.names_.extentOf(value.text).value_or(1));
      value.text = target.text;
    }
    if (value.is(Value::Kind::Unbound) && target.kind == Kind::Name) {
      const Value* variable = of_.scope_->find(target.text);
      if (variable == nullptr || variable->is(Value::Kind::Number))
        if (Result<Number> n = of_.number(value, tree.children[1].span); n) value = numberValue(*n);
    }
    TESSERA_CHECKED(of_.assignTo(target, value, tree.span, !mentions(tree.children[1], target)));
    return value;
  }
  TESSERA_TRY(const Value by, of_.evaluate(tree.children[1]));
  TESSERA_TRY(const Value old, of_.evaluate(target));
  Value from = old;
  if ((old.is(Value::Kind::Unbound) && old.type.pointers > 0) || movesPointer(tree, old)) from = pointerTo(old);
  const std::string_view op = operatorOf(tree.text);
  TESSERA_TRY(Value value, of_.language_ == Language::Python && op == "/"
                               ? Result<Value>(dataValue("`/`, which gives a fraction in Python"))
                               : of_.operation(op, from, by, tree.span));
  TESSERA_CHECKED(of_.assignTo(target, value, tree.span));
  return value;
}

}  // namespace tessera::code
