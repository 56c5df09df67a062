#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/chars.h"
#include "core/base/cursor.h"
#include "core/code/run/calls.h"
#include "core/code/run/expressions.h"
#include "core/expr/bits.h"

namespace tessera::code {
namespace {

using Kind = Tree::Kind;

bool isCallable(const Value& v) { return v.is(Value::Kind::Function); }

}  // namespace

// uint32_t(x), int2(x, y), TensorCoord(r, c).
std::optional<Result<Value>> Calls::construction(const Tree& callee, const std::vector<Value>& arguments) {
  const auto type = of_.typeOf(callee);
  if (!type) return std::nullopt;
  if (type->isInteger() && arguments.size() == 1) return of_.cast(*type, arguments[0], call_.span);
  if (type->isInteger() && arguments.empty()) return Result<Value>(constantValue(0, *type));
  if (type->lanes > 1 && type->lane().isInteger()) return vector(arguments, "");
  if (type->kind == Type::Kind::Data || type->lanes > 1)
    return Result<Value>(dataValue(fmt::format("a value of {}", print(*type)), *type));
  return std::nullopt;
}

Result<Value> Calls::instance(const Tree& definition, const std::vector<Value>& arguments) {
  Value v = tupleValue({}, {});
  v.tree = &definition;
  v.closure = of_.scope_;
  std::size_t next = 0;
  for (const Tree& m : definition.children) {
    if (m.kind != Kind::Declare || m.qualifiers.find("static") != std::string::npos) continue;
    v.names.push_back(m.text);
    if (next < arguments.size()) {
      v.elements.push_back(arguments[next++]);
    } else if (m.children.size() > 1 && m.children[1].kind != Kind::Empty) {
      TESSERA_TRY(Value initial, of_.evaluate(m.children[1]));
      v.elements.push_back(std::move(initial));
    } else {
      v.elements.push_back(of_.unbound(m.text, m.span));
    }
  }
  return v;
}

Result<Value> Calls::run() {
  const Tree& callee = call_.children[0];
  const std::string text = of_.textOf(call_);
  if (auto given = of_.names_.known(text, {})) return *std::move(given);  // coord.contiguous()
  const std::string_view name = lastName(callee);
  TESSERA_TRY(auto swizzle, swizzled());
  if (swizzle) return *std::move(swizzle);
  TESSERA_TRY(Value function, calledValue(callee));
  if (function.is(Value::Kind::Tuple) && callee.kind == Kind::Member && call_.children.size() == 1) return function;
  std::vector<Value> arguments;
  const bool macro = isCallable(function) && function.tree->kind == Kind::Macro;
  for (std::size_t k = 1; k < call_.children.size(); ++k) {
    const Tree& argument = call_.children[k];
    TESSERA_TRY(Value v, macro ? of_.place(argument) : of_.evaluate(argument));
    if (v.is(Value::Kind::Tuple) && argument.kind == Kind::Star) {
      arguments.insert(arguments.end(), v.elements.begin(), v.elements.end());
    } else {
      arguments.push_back(std::move(v));
    }
  }
  if (isCallable(function) && function.tree->kind == Kind::Struct) return instance(*function.tree, arguments);
  if (isCallable(function)) return of_.invoke(function, arguments, &callee, &call_);
  if (auto made = construction(callee, arguments)) return *std::move(made);
  if (auto built = builtIn(name, arguments)) return *std::move(built);
  if (callee.kind == Kind::Member && name == "append" && arguments.size() == 1) {  // what a list of indices holds
    if (callee.children[0].kind == Kind::Name) of_.record(callee.children[0].text, arguments[0], call_.span);
    return Value{};
  }
  if (callee.kind == Kind::Member && name == "bit_length" && arguments.empty()) {
    TESSERA_TRY(const Value object, of_.evaluate(callee.children[0]));
    return bits({object}, name);
  }
  return unknown(callee, name, arguments);
}

// x ^ ((x >> S) & (((1 << B) - 1) << M))
Result<std::optional<Value>> Calls::swizzled() {
  const Tree& callee = call_.children[0];
  const bool applies = callee.kind == Kind::Name && lastName(callee) == "apply";
  if ((!applies && callee.kind != Kind::Braces) || callee.children.empty() || call_.children.size() != 2)
    return std::optional<Value>();
  const Tree& type = callee.children[0];
  if (lastName(type) != "Swizzle" || type.templateArguments.size() != 3) return std::optional<Value>();
  std::array<i64, 3> sizes{};
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    TESSERA_TRY(sizes[k], of_.constant(type.templateArguments[k], "a size of a swizzle"));
    if (sizes[k] < 0 || sizes[k] > 20) return Diag{"this swizzle is too large", "sizes from 0 to 20", {}, type.span};
  }
  TESSERA_TRY(const Value x, of_.evaluate(call_.children[1]));
  const auto integer = [](i64 n) { return constantValue(n, intType()); };
  TESSERA_TRY(const Value high, of_.operation(">>", x, integer(sizes[2]), call_.span));
  const i64 mask = ((i64{1} << sizes[0]) - 1) << sizes[1];
  if (mask > mostOf(intType())) return Diag{"this swizzle is too large", "a mask of 31 bits", {}, type.span};
  TESSERA_TRY(const Value bits, of_.operation("&", high, integer(mask), call_.span));
  TESSERA_TRY(Value out, of_.operation("^", x, bits, call_.span));
  return std::optional(std::move(out));
}

// The function that is called; nothing if the text does not define it.
Result<Value> Calls::calledValue(const Tree& callee) {
  const std::string_view name = lastName(callee);
  if (callee.kind == Kind::Name) {
    if (!callee.children.empty()) {
      TESSERA_TRY(Value member, of_.scoped(callee));
      if (isCallable(member)) return member;
    }
    Value* found = of_.scope_->find(callee.text);
    if (found == nullptr) found = of_.scope_->find(name);
    if (found != nullptr && (isCallable(*found) || found->is(Value::Kind::Tuple))) {
      const auto isOperator = [](const Tree& m) { return m.kind == Kind::Function && m.text == "operator()"; };
      if (found->is(Value::Kind::Tuple) && found->tree != nullptr &&
          std::ranges::any_of(found->tree->children, isOperator)) {
        Tree access;
        access.kind = Kind::Member;
        access.text = "operator()";
        return Expressions(of_).memberOf(*found, access);
      }
      return *found;
    }
    return Value{};
  }
  if (callee.kind == Kind::Lambda) return of_.place(callee);
  if (callee.kind != Kind::Member) return of_.evaluate(callee);
  TESSERA_TRY(const Value object, of_.place(callee.children[0]));
  if (object.is(Value::Kind::Unbound) || object.is(Value::Kind::Data) || object.is(Value::Kind::Pointer) ||
      object.is(Value::Kind::Number) || object.is(Value::Kind::Type)) {
    Value* found = object.is(Value::Kind::Unbound) && object.text == "this" ? of_.scope_->find(name) : nullptr;
    return found != nullptr && isCallable(*found) ? *found : Value{};
  }
  TESSERA_TRY(Value member, Expressions(of_).memberOf(object, callee));
  return isCallable(member) || (object.is(Value::Kind::Tuple) && !member.is(Value::Kind::Data)) ? member : Value{};
}

// &map, whose place in memory has no coordinate.
bool Calls::isWholeObject(const Value& pointer) const {
  if (!pointer.offset.isConstant(0) || of_.memory_.arrays()[static_cast<std::size_t>(pointer.array)].isDeclared)
    return false;
  return std::ranges::any_of(call_.children, [&](const Tree& t) {
    return t.kind == Kind::Unary && t.text == "&" && t.children[0].kind == Kind::Name &&
           t.children[0].text == of_.memory_.arrays()[static_cast<std::size_t>(pointer.array)].name;
  });
}

// A call that the text does not define: without arguments it can be a coordinate or a constant that the user gives.
Result<Value> Calls::unknown(const Tree& callee, std::string_view name, const std::vector<Value>& arguments) {
  const auto isPointer = [](const Value& v) { return v.is(Value::Kind::Pointer); };
  for (const Value& v : arguments) {
    if (!isPointer(v) || isWholeObject(v)) continue;
    Value address = v;
    if (address.span.empty()) address.span = call_.span;
    TESSERA_CHECKED(of_.memory_.note(address, Direction::Address, address.span));
  }
  const bool constants = std::ranges::all_of(
      arguments, [](const Value& v) { return v.is(Value::Kind::Number) && v.number.value.isConstant(); });
  if (name == "arange" && constants && !arguments.empty() && arguments.size() <= 2) {
    const i64 last = arguments.back().number.value.value();
    const Value coordinate = of_.unbound(of_.textOf(call_), call_.span);
    const i64 first = arguments.size() == 2 ? arguments[0].number.value.value() : 0;
    of_.names_.setExtent(coordinate.text, last - first);
    if (first == 0) return coordinate;
    return of_.operation("+", coordinate, arguments[0], call_.span);
  }
  const bool coordinate = name.find("Coord") != std::string_view::npos || name.find("coord") != std::string_view::npos;
  if (coordinate && !arguments.empty()) return tupleValue(arguments);
  if (constants && (callee.kind == Kind::Member || arguments.empty()) && !name.starts_with("__sync"))
    return of_.unbound(of_.textOf(call_), call_.span);
  const std::string written = of_.textOf(callee);
  Value v = dataValue(fmt::format("{}, a function or macro that the text does not define",
                                  written.empty() ? std::string(name) : written));
  v.span = callee.span;
  return v;
}

Result<Value> Interpreter::call(const Tree& tree) { return Calls(*this, tree).run(); }

Result<Scope*> Interpreter::instantiated(const std::vector<Tree::Parameter>& parameters,
                                         const std::vector<Tree>& arguments, Scope* definition) {
  Scope* inner = newScope(definition);
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const Tree::Parameter& parameter = parameters[k];
    const bool isType = parameter.type == "typename" || parameter.type == "class";
    Scope* const outer = std::exchange(scope_, k < arguments.size() ? scope_ : inner);
    const auto meaning = [&](const Tree& argument) -> Result<Value> {
      if (const auto type = typeOf(argument)) return typeValue(*type);
      TESSERA_TRY(Value v, evaluate(argument));
      if (isType || !v.is(Value::Kind::Unbound)) return v;
      TESSERA_TRY(Number n, number(v, argument.span, true));
      return numberValue(std::move(n));
    };
    Result<Value> v = Value{};
    if (k < arguments.size()) {
      v = meaning(arguments[k]);
    } else if (auto given = names_.known(parameter.name, typeOf(parameter.type).value_or(Type{}))) {
      v = *std::move(given);
    } else if (!parameter.byDefault.empty()) {
      v = meaning(parameter.byDefault[0]);
    }
    scope_ = outer;
    if (!v) return v.error();
    if (!v->is(Value::Kind::None)) inner->names.insert_or_assign(parameter.name, *std::move(v));
  }
  return inner;
}

// Swizzle<3, 3, 3>::apply: a member of a template that the text defines; None if it defines none.
Result<Value> Interpreter::scoped(const Tree& tree) {
  const Tree& outer = tree.children[0];
  if (outer.kind != Kind::Name) return Value{};
  const Value* found = scope_->find(outer.text);
  if (found == nullptr) found = scope_->find(lastName(outer));
  if (found == nullptr || !isCallable(*found) || found->tree->kind != Kind::Struct) return Value{};
  const Tree& definition = *found->tree;
  TESSERA_TRY(Scope* const inside,
              instantiated(definition.templateParameters, outer.templateArguments, found->closure));
  Scope* const before = std::exchange(scope_, inside);
  const int own = std::exchange(depth_.own, -1);
  Result<void> done;
  for (const Tree& m : definition.children) {
    const bool isStatic =
        m.qualifiers.find("static") != std::string::npos || m.qualifiers.find("constexpr") != std::string::npos;
    if (done && (m.kind == Kind::Function || m.kind == Kind::Alias || (m.kind == Kind::Declare && isStatic)))
      done = run(m);
  }
  depth_.own = own;
  scope_ = before;
  if (!done) return done.error();
  const auto member = inside->names.find(tree.text);
  return member == inside->names.end() ? Value{} : member->second;
}

Result<Value> Interpreter::invoke(const Value& function, const std::vector<Value>& arguments, const Tree* callee,
                                  const Tree* call) {
  const Tree& body = *function.tree;
  const Span written = call != nullptr ? call->span : body.span;
  const Nesting level;
  if (level.tooDeep() || depth_.calls > 30)
    return Diag{fmt::format("{} calls itself, or calls nest more than 30 deep", body.text),
                "functions without recursion", "", written};
  static const std::vector<Tree> kNone;
  const std::vector<Tree>& given = callee != nullptr ? callee->templateArguments : kNone;
  TESSERA_TRY(Scope* const inner, instantiated(body.templateParameters, given, function.closure));
  if (body.kind == Kind::Macro) inner->outer = scope_;
  Scope* const outer = std::exchange(scope_, inner);
  const auto back = [&] { scope_ = outer; };
  for (std::size_t k = 0; k < body.parameters.size(); ++k) {
    const Tree::Parameter& parameter = body.parameters[k];
    Value v;
    if (k < arguments.size()) {
      v = arguments[k];
    } else if (!parameter.byDefault.empty()) {
      Result<Value> byDefault = evaluate(parameter.byDefault[0]);
      if (!byDefault) {
        back();
        return byDefault;
      }
      v = *std::move(byDefault);
    } else {
      v = unbound(parameter.name, parameter.span);
    }
    if (body.kind != Kind::Macro && !parameter.type.empty()) {
      if (const auto type = typeOf(parameter.type); type && (type->isInteger() || type->pointers > 0)) {
        Result<Value> converted =
            v.is(Value::Kind::Unbound) && k >= arguments.size() ? Result<Value>(v) : cast(*type, v, written);
        if (!converted) {
          back();
          return converted;
        }
        v = *std::move(converted);
        if (v.is(Value::Kind::Unbound)) v.type = *type;
      }
    }
    inner->names.insert_or_assign(parameter.name, std::move(v));
  }
  Frame caller = std::exchange(frame_, Frame{});
  const Expr live = arithmetic_.live();
  ++depth_.calls;
  Result<Value> result = Value{};
  const bool block = !body.children.empty() && body.children[0].kind == Kind::Block;
  if (body.children.empty() || body.children[0].kind == Kind::Empty) {
    result = dataValue(fmt::format("{}, a function whose body the text does not have", body.text));
  } else if (block) {
    const Result<void> done = runBlock(body.children[0].children);
    if (!done) result = done.error();
    if (done && frame_.result) result = *std::move(frame_.result);
  } else {
    result = body.kind == Kind::Macro ? place(body.children[0]) : evaluate(body.children[0]);
  }
  --depth_.calls;
  arithmetic_.setLive(live);
  frame_ = std::move(caller);
  // int &row: the caller's variable gets the value.
  for (std::size_t k = 0; result && k < body.parameters.size() && call != nullptr; ++k) {
    const Tree::Parameter& parameter = body.parameters[k];
    const bool out = parameter.type.find('&') != std::string::npos && parameter.type.find("const") == std::string::npos;
    if (!out || k + 1 >= call->children.size() || call->children[k + 1].kind != Kind::Name) continue;
    Value value = inner->names[parameter.name];
    scope_ = outer;
    if (const Result<void> done = assignTo(call->children[k + 1], std::move(value), written); !done)
      result = done.error();
    scope_ = inner;
  }
  back();
  if (result && result->is(Value::Kind::Number) && body.children.size() > 1)
    if (const auto type = typeOf(body.children[1]); type && type->isInteger()) return cast(*type, *result, written);
  return result;
}

}  // namespace tessera::code
