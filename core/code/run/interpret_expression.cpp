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

// 128u, 8ULL, 0x70: C's type of an integer literal.
Type literalType(std::string_view text, i64 value) {
  const std::size_t end = text.find_last_not_of("uUlLzZ") + 1;
  const std::string suffix = lowerCase(text.substr(end));
  const bool hex = text.size() > 1 && text[0] == '0' && !isDigit(text[1]);
  const bool isUnsigned = suffix.find('u') != std::string::npos;
  const bool isLong = suffix.find('l') != std::string::npos || suffix.find('z') != std::string::npos;
  if (isLong) return integerType(64, !isUnsigned);
  if (isUnsigned) return integerType(value > mostOf(integerType(32, false)) ? 64 : 32, false);
  if (value <= mostOf(intType())) return intType();
  if (hex && value <= mostOf(integerType(32, false))) return integerType(32, false);
  return integerType(64, true);
}

}  // namespace

Value Expressions::literal(const Tree& tree) {
  if (!tree.value)
    return dataValue(fmt::format("{}, which is no integer of 64 bits", tree.text),
                     Type{Type::Kind::Data, 0, true, 1, 0, ""});
  return constantValue(*tree.value,
                       of_.language_ == Language::Python ? unboundedInteger() : literalType(tree.text, *tree.value));
}

Result<Value> Interpreter::evaluate(const Tree& tree) {
  TESSERA_TRY(Value v, place(tree));
  return v.isPlace ? memory_.load(v, tree.span) : Result<Value>(std::move(v));
}

Result<Value> Interpreter::place(const Tree& tree) {
  const Nesting level;
  if (level.tooDeep())
    return Diag{fmt::format("this nests more than {} levels deep", Nesting::kMost), "", "", tree.span};
  TESSERA_CHECKED(step(tree.span));
  return Expressions(*this).atPlace(tree);
}

Result<Value> Expressions::atPlace(const Tree& tree) {
  switch (tree.kind) {
    case Kind::Number:
      return literal(tree);
    case Kind::String:
      return dataValue("a text");
    case Kind::Name:
      return name(tree);
    case Kind::Member:
      return member(tree);
    case Kind::Call:
      return of_.call(tree);
    case Kind::Subscript:
      return subscript(tree);
    case Kind::Tuple:
    case Kind::List:
      return list(tree.children, 0);
    case Kind::Braces: {
      TESSERA_TRY(Value elements, list(tree.children, 1));
      if (tree.children[0].kind == Kind::Empty) return elements;
      if (elements.elements.empty()) {  // Int<8>{}, yyy_msk{}
        TESSERA_TRY(const auto known, constantType(tree.children[0]));
        if (known) return *known;
      }
      if (const auto type = of_.typeOf(tree.children[0]); type && type->isInteger() && elements.elements.size() <= 1)
        return elements.elements.empty() ? constantValue(0, *type) : of_.cast(*type, elements.elements[0], tree.span);
      return elements;
    }
    case Kind::Unary:
      return unary(tree);
    case Kind::Binary:
      return binary(tree);
    case Kind::Conditional:
      return conditional(tree);
    case Kind::Cast: {
      TESSERA_TRY(Value operand, of_.evaluate(tree.children[1]));
      const auto type = of_.typeOf(tree.children[0]);
      if (!type) return operand;  // a type that nothing declares
      return of_.cast(*type, operand, tree.span);
    }
    case Kind::Lambda: {
      Value v;
      v.kind = Value::Kind::Function;
      v.tree = &tree;
      v.closure = of_.scope_;
      v.span = tree.span;
      return v;
    }
    case Kind::Assign:
      return assign(tree);
    case Kind::Keyword:
      return of_.evaluate(tree.children[0]);
    case Kind::Type:
      if (const auto type = of_.typeOf(tree)) return typeValue(*type);
      break;
    case Kind::Launch:
      return dataValue("a kernel launch");
    default:
      break;
  }
  return dataValue(fmt::format("`{}`, which is not part of index code", of_.textOf(tree).substr(0, 60)));
}

Result<Number> Interpreter::number(const Value& value, Span written, bool constant) {
  switch (value.kind) {
    case Value::Kind::Number:
      return value.number;
    case Value::Kind::Unbound: {
      Value v = value;
      if (v.span.empty()) v.span = written;
      return names_.number(v, constant);
    }
    case Value::Kind::Pointer:
      return memory_.address(value, written);
    case Value::Kind::Tuple:
      if (value.elements.size() == 1) return number(value.elements[0], written, constant);
      return Diag{"a tuple is not a number", "an integer", "", written};
    case Value::Kind::Data:
      return Diag{fmt::format("this index depends on {}", value.text), "an index of coordinates and constants", "",
                  value.span.empty() ? written : value.span};
    case Value::Kind::Function:
      return Diag{"a function is not a number", "a call of it", "", written};
    case Value::Kind::Type:
      return Diag{"a type is not a number", "an integer", "", written};
    case Value::Kind::None:
      break;
  }
  return Diag{"there is no value here", "an integer", "", written};
}

Result<Number> Interpreter::numberOf(const Tree& tree) {
  TESSERA_TRY(const Value v, evaluate(tree));
  return number(v, tree.span);
}

Result<i64> Interpreter::constant(const Tree& tree, std::string_view what) {
  TESSERA_TRY(const Value v, evaluate(tree));
  TESSERA_TRY(const Number n, number(v, tree.span, true));
  if (n.value.isConstant()) return n.value.value();
  if (names_.isSurvey()) return 4;
  return Diag{fmt::format("{} is not a constant", what), "a constant", fmt::format("--let {}=64", textOf(tree)),
              tree.span};
}

Result<Value> Expressions::unary(const Tree& tree) {
  const std::string& op = tree.text;
  const Tree& operand = tree.children[0];
  if (op == "sizeof") return sizeOf(operand);
  if (op == "&") {
    TESSERA_TRY(Value v, of_.place(operand));
    v = asArray(v);
    v.isPlace = false;
    if (v.is(Value::Kind::Pointer) && of_.depth_.calls >= 0) v.span = tree.span;
    return v;
  }
  if (op == "*") {
    TESSERA_TRY(Value v, of_.evaluate(operand));
    v = asArray(v);
    if (v.is(Value::Kind::Pointer)) return of_.memory_.dereferenced(v, tree.span);
    return v.is(Value::Kind::Data) ? v : dataValue(fmt::format("`{}`", of_.textOf(tree)));
  }
  if (op == "++" || op == "--" || op == "p++" || op == "p--") {
    TESSERA_TRY(const Value old, of_.evaluate(operand));
    TESSERA_TRY(Value next, of_.operation(op.back() == '+' ? "+" : "-", old, constantValue(1, intType()), tree.span));
    TESSERA_CHECKED(of_.assignTo(operand, next, tree.span));
    return op[0] == 'p' ? old : next;
  }
  TESSERA_TRY(const Value v, of_.evaluate(operand));
  if (v.is(Value::Kind::Data)) return v;
  TESSERA_TRY(const Number n, of_.number(v, operand.span));
  if (op == "!" || op == "not") return numberValue({Expr::constant(1) - of_.arithmetic_.truth(n), boolType()});
  if (op == "+") return numberValue({n.value, promoted(n.type)});
  TESSERA_TRY(Number result,
              op == "-" ? of_.arithmetic_.negated(n, tree.span) : of_.arithmetic_.complement(n, tree.span));
  return numberValue(std::move(result));
}

Result<Value> Interpreter::operation(std::string_view op, const Value& a, const Value& b, Span written) {
  if (a.is(Value::Kind::Data) || b.is(Value::Kind::Data)) {
    const Value& data = a.is(Value::Kind::Data) ? a : b;
    return data;
  }
  const auto isBase = [](const Value& v) { return v.is(Value::Kind::Unbound) && lowerCase(v.text).ends_with("ptr"); };
  if (op == "+" && language_ == Language::Python && (isBase(a) || isBase(b)))
    return isBase(a) ? operation(op, Expressions(*this).pointerTo(a), b, written)
                     : operation(op, a, Expressions(*this).pointerTo(b), written);
  if (a.is(Value::Kind::Type) && !a.text.empty()) return operation(op, Expressions(*this).asArray(a), b, written);
  if (b.is(Value::Kind::Type) && !b.text.empty()) return operation(op, a, Expressions(*this).asArray(b), written);
  const bool pointers = a.is(Value::Kind::Pointer) || b.is(Value::Kind::Pointer);
  if (pointers && op == "-" && a.is(Value::Kind::Pointer) && b.is(Value::Kind::Pointer)) {
    TESSERA_TRY(Number n, memory_.difference(a, b, written));
    return numberValue(std::move(n));
  }
  if (pointers && (op == "+" || op == "-")) {
    const Value& pointer = a.is(Value::Kind::Pointer) ? a : b;
    TESSERA_TRY(Number by, number(a.is(Value::Kind::Pointer) ? b : a, written));
    if (op == "-") {
      TESSERA_TRY(by, arithmetic_.negated({by.value, integerType(64, true)}, written));
    }
    return memory_.moved(pointer, by, written);
  }
  if (pointers) return dataValue("a comparison of pointers", boolType());
  TESSERA_TRY(const Number x, number(a, written));
  TESSERA_TRY(const Number y, number(b, written));
  Result<Number> result = arithmetic_.binary(op, x, y, written);
  if (!result && names_.isSurvey()) result = Number{Expr::constant(1), commonType(x.type, y.type)};
  if (!result) return result.error();
  return numberValue(*std::move(result));
}

Result<Value> Expressions::binary(const Tree& tree) {
  const std::string& op = tree.text;
  if (op == "&&" || op == "and" || op == "||" || op == "or") return logical(op == "&&" || op == "and", tree);
  // A long chain a + b + ... is deep on the left.
  TESSERA_TRY(const Value a, of_.evaluate(tree.children[0]));
  if (op == ",") return of_.evaluate(tree.children[1]);
  TESSERA_TRY(const Value b, of_.evaluate(tree.children[1]));
  if (of_.language_ == Language::Python && op == "/")
    return dataValue("`/`, which gives a fraction in Python: write // for floor division");
  if (of_.language_ == Language::Python && a.is(Value::Kind::Tuple) && b.is(Value::Kind::Tuple) && op == "+") {
    Value both = a;
    both.elements.insert(both.elements.end(), b.elements.begin(), b.elements.end());
    both.names.clear();
    return both;
  }
  return of_.operation(op == "is" ? "==" : std::string_view(op), a, b, tree.span);
}

Result<Value> Expressions::logical(bool both, const Tree& tree) {
  TESSERA_TRY(const Value a, of_.evaluate(tree.children[0]));
  if (a.is(Value::Kind::Data)) {
    TESSERA_TRY(const Value b, of_.evaluate(tree.children[1]));
    return a;
  }
  TESSERA_TRY(const Number x, of_.number(a, tree.children[0].span));
  const Expr left = of_.arithmetic_.truth(x), live = of_.arithmetic_.live();
  if (left.isConstant(both ? 0 : 1)) return constantValue(both ? 0 : 1, boolType());
  of_.arithmetic_.setLive(live * (both ? left : Expr::constant(1) - left));
  Result<Value> b = of_.evaluate(tree.children[1]);
  of_.arithmetic_.setLive(live);
  if (!b || b->is(Value::Kind::Data)) return b;
  TESSERA_TRY(const Number y, of_.number(*b, tree.children[1].span));
  if (of_.language_ == Language::Python && (x.type.kind != Type::Kind::Bool || y.type.kind != Type::Kind::Bool)) {
    TESSERA_TRY(Number value,
                both ? of_.arithmetic_.chosen(left, y, x, tree.span) : of_.arithmetic_.chosen(left, x, y, tree.span));
    return numberValue(std::move(value));
  }
  const Expr right = of_.arithmetic_.truth(y);
  return numberValue({both ? left * right : selected(left, Expr::constant(1), right), boolType()});
}

Result<Value> Expressions::conditional(const Tree& tree) {
  TESSERA_TRY(const Value c, of_.evaluate(tree.children[0]));
  if (c.is(Value::Kind::Data)) {
    TESSERA_TRY(const Value a, of_.evaluate(tree.children[1]));
    TESSERA_TRY(const Value b, of_.evaluate(tree.children[2]));
    return a.is(Value::Kind::Data) ? a : dataValue(c.text, a.type);
  }
  TESSERA_TRY(const Number n, of_.number(c, tree.children[0].span));
  const Expr condition = of_.arithmetic_.truth(n), live = of_.arithmetic_.live();
  if (condition.isConstant()) return decided(condition.isConstant(1), tree);
  of_.arithmetic_.setLive(live * condition);
  Result<Value> a = of_.evaluate(tree.children[1]);
  of_.arithmetic_.setLive(live * (Expr::constant(1) - condition));
  Result<Value> b = of_.evaluate(tree.children[2]);
  of_.arithmetic_.setLive(live);
  if (!a) return a;
  if (!b) return b;
  return of_.merged(condition, *a, *b, tree.span);
}

// The branch of a condition that is the same everywhere. In C its type is that of both branches.
Result<Value> Expressions::decided(bool first, const Tree& tree) {
  TESSERA_TRY(Value taken, of_.evaluate(tree.children[first ? 1 : 2]));
  const bool widest = taken.type.bits == 64 && !taken.type.isSigned;
  if (of_.language_ == Language::Python || !taken.is(Value::Kind::Number) || widest) return taken;
  const Expr live = of_.arithmetic_.live();
  of_.arithmetic_.setLive(Expr());
  const Result<Value> other = of_.evaluate(tree.children[first ? 2 : 1]);
  of_.arithmetic_.setLive(live);
  if (!other || !other->is(Value::Kind::Number)) return taken;
  const Type type =
      taken.number.type == other->number.type ? taken.number.type : commonType(taken.number.type, other->number.type);
  TESSERA_TRY(Number number, of_.arithmetic_.converted(taken.number, type, tree.span));
  return numberValue(std::move(number));
}

// a where the condition is 1, else b.
Result<Value> Interpreter::merged(const Expr& condition, const Value& a, const Value& b, Span written) {
  if (condition.isConstant()) return condition.isConstant(0) ? b : a;
  if (a.is(Value::Kind::None)) return b;
  if (b.is(Value::Kind::None)) return a;
  if (a.is(Value::Kind::Data)) return a;
  if (b.is(Value::Kind::Data)) return b;
  if (a.is(Value::Kind::Tuple) && b.is(Value::Kind::Tuple) && a.elements.size() == b.elements.size()) {
    Value v = a;
    for (std::size_t k = 0; k < a.elements.size(); ++k) {
      TESSERA_TRY(v.elements[k], merged(condition, a.elements[k], b.elements[k], written));
    }
    return v;
  }
  if (a.is(Value::Kind::Pointer) && b.is(Value::Kind::Pointer) && a.array == b.array && a.unit == b.unit) {
    Value v = a;
    v.offset = selected(condition, a.offset, b.offset);
    return v;
  }
  if (a.is(Value::Kind::Pointer) && b.is(Value::Kind::Pointer))
    return dataValue("a pointer to one of two arrays", a.type);
  if (a.is(Value::Kind::Function) || b.is(Value::Kind::Function)) return a;
  TESSERA_TRY(const Number x, number(a, written));
  TESSERA_TRY(const Number y, number(b, written));
  TESSERA_TRY(Number n, arithmetic_.chosen(condition, x, y, written));
  return numberValue(std::move(n));
}

Result<Value> Interpreter::cast(const Type& type, const Value& value, Span written) {
  if (type.pointers > 0) {
    const Value pointer = Expressions(*this).asArray(value);
    if (!pointer.is(Value::Kind::Pointer)) return pointer;
    return memory_.cast(pointer, type.pointee(), written);
  }
  if (!type.isInteger()) {
    if (value.is(Value::Kind::Number) && type.kind == Type::Kind::Data)
      return dataValue("a value that is not an integer", type);
    return value;
  }
  if (value.is(Value::Kind::Data) || value.is(Value::Kind::None)) return value;
  TESSERA_TRY(const Number n, number(value, written));
  TESSERA_TRY(Number result, arithmetic_.converted(n, type, written));
  return numberValue(std::move(result));
}

}  // namespace tessera::code
