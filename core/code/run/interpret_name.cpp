// Names, members, subscripts and types of index code.
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

// [:, None]: only the shape of a tensor changes.
bool onlySlices(const Tree& index) {
  if (index.kind == Kind::Tuple) return std::ranges::all_of(index.children, onlySlices);
  return index.kind == Kind::Slice || (index.kind == Kind::Name && index.text == "None");
}

}  // namespace

Value Interpreter::unbound(std::string text, Span span, const Type& type) const {
  Value v;
  v.kind = Value::Kind::Unbound;
  v.text = std::move(text);
  v.span = span;
  v.type = type;
  return v;
}

std::string Interpreter::textOf(const Tree& tree) const {
  const std::size_t end = std::min(tree.span.end, source_.size());
  return tree.span.begin < end ? withoutBlanks(source_.substr(tree.span.begin, end - tree.span.begin)) : tree.text;
}

Result<Value> Expressions::name(const Tree& tree) {
  const std::string text = of_.textOf(tree);
  if (Value* found = of_.scope_->find(tree.text)) {
    if (found->is(Value::Kind::Unbound))
      if (auto given = of_.names_.known(found->text, found->type)) return *std::move(given);
    Value v = *found;
    if (v.is(Value::Kind::Function) && v.tree->kind == Kind::Macro && v.tree->parameters.empty() &&
        !v.tree->children.empty() && v.text.empty())
      return of_.evaluate(v.tree->children[0]);
    return v;
  }
  if (auto given = of_.names_.known(text, {})) return *std::move(given);
  if (!tree.children.empty()) {  // Traits<64>::kRows
    TESSERA_TRY(Value v, of_.scoped(tree));
    if (!v.is(Value::Kind::None)) return v;
  }
  const std::string_view last = lastName(tree);
  if (last == "true" || last == "True") return constantValue(1, boolType());
  if (last == "false" || last == "False") return constantValue(0, boolType());
  if (last == "nullptr" || last == "None") return dataValue("a null pointer");
  if (last != tree.text)
    if (Value* found = of_.scope_->find(last)) return *found;
  if (const auto type = of_.typeOf(tree)) return typeValue(*type);
  return of_.unbound(text, tree.span);
}

Result<Value> Expressions::member(const Tree& tree) {
  const std::string text = of_.textOf(tree);
  if (tree.children.empty()) return of_.unbound(text, tree.span);
  TESSERA_TRY(const Value object, of_.place(tree.children[0]));
  if (object.is(Value::Kind::Unbound) || object.is(Value::Kind::Number)) {
    if (auto given = of_.names_.known(text, {})) return *std::move(given);
  }
  return memberOf(object, tree);
}

Result<Value> Expressions::memberOf(const Value& object, const Tree& tree) {
  if (object.is(Value::Kind::Unbound)) {
    const std::string text = object.text + (tree.qualifiers == "->" ? "->" : ".") + tree.text;
    if (auto given = of_.names_.known(text, {})) return *std::move(given);
    return of_.unbound(text, tree.span);
  }
  if (object.is(Value::Kind::Tuple)) {
    const auto it = std::ranges::find(object.names, tree.text);
    if (it != object.names.end()) return object.elements[static_cast<std::size_t>(it - object.names.begin())];
  }
  if (object.is(Value::Kind::Tuple) && object.tree == nullptr) {
    // The components of a coordinate that the text does not define: MatrixCoord(r, c).row().
    static constexpr std::array<std::string_view, 4> kFirst = {"row", "contiguous", "m", "first"};
    static constexpr std::array<std::string_view, 4> kSecond = {"column", "strided", "n", "second"};
    const std::size_t k = std::ranges::find(kFirst, tree.text) != kFirst.end()     ? 0
                          : std::ranges::find(kSecond, tree.text) != kSecond.end() ? 1
                                                                                   : object.elements.size();
    if (k < object.elements.size()) return object.elements[k];
    return dataValue(fmt::format("{}, which has no member {}", of_.textOf(tree), tree.text));
  }
  if (object.is(Value::Kind::Tuple) && object.tree != nullptr) {
    for (const Tree& m : object.tree->children) {
      if (m.kind != Kind::Function || m.text != tree.text) continue;
      Value v;
      v.kind = Value::Kind::Function;
      v.tree = &m;
      v.closure = of_.newScope(object.closure != nullptr ? object.closure : of_.scope_);
      for (std::size_t k = 0; k < object.names.size(); ++k)
        v.closure->names.insert_or_assign(object.names[k], object.elements[k]);
      return v;
    }
  }
  if (object.isPlace) {
    TESSERA_TRY(const Value loaded, of_.memory_.load(object, tree.span));
    return dataValue(fmt::format("a member of {}", of_.textOf(tree)));
  }
  return dataValue(fmt::format("`{}`", of_.textOf(tree)));
}

// A name without a definition, or with a given element type, as an array.
Value Expressions::asArray(const Value& value) {
  if (value.is(Value::Kind::Type) && !value.text.empty()) return pointerTo(of_.unbound(value.text, value.span));
  return value.is(Value::Kind::Unbound) ? pointerTo(value) : value;
}

Value Expressions::pointerTo(const Value& unbound) {
  Type element = unbound.type;
  if (element.pointers > 0) element = element.pointee();
  if (element.kind == Type::Kind::Void) element = {};
  return of_.memory_.undeclared(unbound.text, element, of_.names_.given().find(unbound.text));
}

// tl.arange(0, 8)[:, None] and tl.arange(0, 8)[None, :] are different coordinates.
Value Expressions::alongAxis(const Value& base, const Tree& tree) {
  const auto extent = of_.names_.extentOf(base.text);
  if (!extent || base.text.find("arange(") == std::string::npos) return base;
  Value out = base;
  out.text = of_.textOf(tree);
  of_.names_.setExtent(out.text, *extent);
  return out;
}

Result<Value> Expressions::subscript(const Tree& tree) {
  const std::string text = of_.textOf(tree);
  if (auto given = of_.names_.known(text, {})) return *std::move(given);
  TESSERA_TRY(Value base, of_.place(tree.children[0]));
  const bool slices = std::ranges::all_of(tree.children.begin() + 1, tree.children.end(), onlySlices);
  if (base.is(Value::Kind::Unbound) && slices) return alongAxis(base, tree);
  base = asArray(base);
  if (base.is(Value::Kind::Tuple) && tree.children[0].kind == Kind::Name) {
    const auto* given = of_.names_.given().find(of_.textOf(tree.children[0]));  // shm[y][x] with shm = (32, 32)
    if (given != nullptr && given->isTuple && of_.language_ == Language::Cpp)
      base = of_.memory_.undeclared(given->name, {}, given);
  }
  for (std::size_t k = 1; k < tree.children.size(); ++k) {
    if (base.is(Value::Kind::Data)) return base;
    if (!base.is(Value::Kind::Pointer) && onlySlices(tree.children[k])) continue;  // rows[:, None]
    TESSERA_TRY(const Value index, of_.evaluate(tree.children[k]));
    if (base.is(Value::Kind::Tuple)) {
      TESSERA_TRY(const Number n, of_.number(index, tree.children[k].span));
      TESSERA_TRY(base, elementOf(base, n, tree.span));
      continue;
    }
    if (base.is(Value::Kind::Number) || base.is(Value::Kind::Function))
      return Diag{fmt::format("{} is not an array", of_.textOf(tree.children[0])), "an array or a pointer", "",
                  tree.span};
    std::vector<Value> indices = {index};
    if (index.is(Value::Kind::Tuple)) indices = index.elements;  // A[i, j] of Python
    for (const Value& one : indices) {
      if (base.isPlace && base.extents.empty()) {
        const bool unknown = base.type.kind == Type::Kind::Unknown && base.type.pointers == 0;
        if (unknown) return withoutExtents(base, tree);
        TESSERA_TRY(base, of_.memory_.load(base, tree.span));
        if (!base.is(Value::Kind::Pointer)) return base;
      }
      TESSERA_TRY(const Number n, of_.number(one, tree.children[k].span));
      TESSERA_TRY(base, of_.memory_.element(base, n, tree.span));
    }
  }
  return base;
}

// a[i][j] of an array that nothing declares: an access that is no index.
Value Expressions::withoutExtents(const Value& base, const Tree& tree) {
  Entry entry;
  entry.name = of_.memory_.arrays()[static_cast<std::size_t>(base.array)].name;
  entry.fault = of_.memory_.needsExtents(base, tree.span);
  entry.value = dataValue(entry.fault->message);
  entry.live = of_.arithmetic_.live();
  entry.span = tree.span;
  of_.recordAccesses();
  of_.entries_.push_back(entry);
  return entry.value;
}

Result<Value> Expressions::elementOf(const Value& tuple, const Number& index, Span written) {
  const auto size = static_cast<i64>(tuple.elements.size());
  if (index.value.isConstant()) {
    const i64 k = index.value.value(), at = k < 0 && of_.language_ == Language::Python ? k + size : k;
    if (at >= 0 && at < size) return tuple.elements[static_cast<std::size_t>(at)];
    return Diag{fmt::format("index {} is outside the {} elements", k, size), "an index inside", "", written};
  }
  const auto out = of_.arithmetic_.outside(index.value, 0, size - 1);
  if (out.answer != Arithmetic::Outside::Answer::Never)
    return Diag{fmt::format("this index can be outside the {} elements", size), "an index inside", "", written};
  std::optional<Value> value;
  for (i64 k = size - 1; k >= 0; --k) {
    const Value& one = tuple.elements[static_cast<std::size_t>(k)];
    const Expr here = equalTo(index.value, Expr::constant(k), of_.arithmetic_.facts());
    if (!value) {
      value = one;
    } else {
      TESSERA_TRY(value, of_.merged(here, one, *value, written));
    }
  }
  return value.value_or(dataValue("an element of an empty list"));
}

Result<Value> Expressions::list(const std::vector<Tree>& trees, std::size_t from) {
  std::vector<Value> elements;
  for (std::size_t k = from; k < trees.size(); ++k) {
    if (trees[k].kind == Kind::Empty) continue;
    TESSERA_TRY(Value v, of_.evaluate(trees[k]));
    elements.push_back(std::move(v));
  }
  return tupleValue(std::move(elements));
}

Result<Value> Expressions::sizeOf(const Tree& tree) {
  const Type result = integerType(64, false);
  if (const auto type = of_.typeOf(tree); type && type->size() > 0) return constantValue(type->size() / 8, result);
  TESSERA_TRY(const Value v, of_.place(tree));
  i64 bits = v.type.size();
  if (v.is(Value::Kind::Pointer) && v.isPlace == false && v.extents.empty()) bits = 64;
  for (const i64 n : v.extents) bits *= n;
  if (v.is(Value::Kind::Unbound) || bits == 0) {
    TESSERA_TRY(Number n, of_.names_.number(of_.unbound(fmt::format("sizeof({})", of_.textOf(tree)), tree.span), true));
    n.type = result;
    return numberValue(std::move(n));
  }
  return constantValue(bits / 8, result);
}

// The number of a type that stands for it: Int<8>, constant<int, N>, or a name for one.
Result<std::optional<Value>> Expressions::constantType(const Tree& tree) {
  if (tree.kind != Kind::Name) return std::optional<Value>();
  if (const Value* v = of_.scope_->find(tree.text); v != nullptr && v->is(Value::Kind::Number))
    return std::optional(*v);
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"Int", "C", "constant", "integral_constant", "Number", "number", "bool_constant"});
  const bool known = std::ranges::find(kNames, lastName(tree)) != kNames.end();
  if (!known || tree.templateArguments.empty()) return std::optional<Value>();
  TESSERA_TRY(Value v, of_.evaluate(tree.templateArguments.back()));
  TESSERA_TRY(Number n, of_.number(v, tree.span, true));
  return std::optional(numberValue(std::move(n)));
}

std::optional<Type> Interpreter::typeOf(std::string_view text) {
  const std::string key = withoutBlanks(text);
  if (const auto* given = names_.given().find(key); given != nullptr && given->type) return given->type;
  if (Value* found = scope_->find(key); found != nullptr && found->is(Value::Kind::Type)) return found->type;
  if (auto known = typeNamed(text)) return known;
  // const T &, T *: the name of the type without its qualifiers.
  std::string base;
  int pointers = 0;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && (isNamePart(text[end]) || text[end] == ':')) ++end;
    const std::string_view word = text.substr(i, end - i);
    if (text[i] == '*') ++pointers;
    if (!word.empty() && word != "const" && word != "volatile" && word != "__restrict__" && word != "typename" &&
        word != "static" && word != "constexpr" && word != "__restrict" && word != "restrict")
      base = base.empty() ? std::string(word) : base + " " + std::string(word);
    i = std::max(end, i + 1);
  }
  if (base.empty()) return std::nullopt;
  std::optional<Type> type;
  if (const auto* given = names_.given().find(base); given != nullptr && given->type) type = given->type;
  Value* found = scope_->find(base);
  if (!type && found == nullptr && base.rfind("::") != std::string::npos)
    found = scope_->find(base.substr(base.rfind("::") + 2));
  if (!type && found != nullptr && found->is(Value::Kind::Type)) type = found->type;
  if (!type && pointers > 0) type = Type{Type::Kind::Unknown, 0, true, 1, 0, base};
  if (!type) return std::nullopt;
  type->pointers += pointers;
  return type;
}

std::optional<Type> Interpreter::typeOf(const Tree& tree) {
  if (tree.kind != Kind::Name && tree.kind != Kind::Type && tree.kind != Kind::Member) return std::nullopt;
  if (tree.kind == Kind::Name && tree.text == "auto") return std::nullopt;
  return typeOf(std::string_view(tree.text.empty() ? textOf(tree) : tree.text));
}

}  // namespace tessera::code
