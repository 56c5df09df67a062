// Expressions and types of C++.
#include <algorithm>
#include <array>

#include "core/base/arith.h"
#include "core/base/chars.h"
#include "core/base/cursor.h"
#include "core/paste/cute_cpp/reader.h"
#include "core/worksheet/value.h"

namespace tessera::paste::cute_cpp {

namespace {

using Kind = Meaning::Kind;
using code::Language;
using code::Tree;

std::optional<i64> compared(std::string_view op, i64 a, i64 b) {
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "<") return a < b;
  if (op == "<=") return a <= b;
  if (op == ">") return a > b;
  if (op == ">=") return a >= b;
  if (op == "&&") return a != 0 && b != 0;
  if (op == "||") return a != 0 || b != 0;
  return std::nullopt;
}

// nullopt: overflow, division by 0 or another operator.
std::optional<i64> computed(std::string_view op, i64 a, i64 b) {
  i64 out = 0;
  if (op == "+") return __builtin_add_overflow(a, b, &out) ? std::nullopt : std::optional(out);
  if (op == "-") return __builtin_sub_overflow(a, b, &out) ? std::nullopt : std::optional(out);
  if (op == "*") return __builtin_mul_overflow(a, b, &out) ? std::nullopt : std::optional(out);
  if (op == "&") return a & b;
  if (op == "|") return a | b;
  if (op == "^") return a ^ b;
  const bool divides = b != 0 && !(a == INT64_MIN && b == -1);
  if (op == "/") return divides ? std::optional(a / b) : std::nullopt;
  if (op == "%") return divides ? std::optional(a % b) : std::nullopt;
  if ((op == "<<" || op == ">>") && (b < 0 || b > 62 || a < 0)) return std::nullopt;
  if (op == "<<") return a > (INT64_MAX >> b) ? std::nullopt : std::optional(a << b);
  if (op == ">>") return a >> b;
  return compared(op, a, b);
}

Meaning ofTuple(const cute::IntTuple& from) {
  if (from.isTuple()) {
    std::vector<Meaning> parts;
    for (const cute::IntTuple& child : from.children()) parts.push_back(ofTuple(child));
    return tuple(std::move(parts));
  }
  if (from.isPlain()) return number(from.value(), from.isStatic());
  return textual(Kind::Leaf, print(from));
}

bool isEllipsis(const Tree& tree) { return tree.kind == Tree::Kind::Name && tree.text == "..."; }

bool isFold(const Tree& tree) {
  if (tree.kind != Tree::Kind::Binary || tree.text == ",") return false;
  const Tree& left = tree.children[0];
  return isEllipsis(left) || isEllipsis(tree.children[1]) ||
         (left.kind == Tree::Kind::Binary && left.text == tree.text && isEllipsis(left.children[1]));
}

void namesIn(const Tree& tree, std::vector<std::string>& out) {
  spend();
  if (tree.kind == Tree::Kind::Name) out.push_back(tree.text.substr(0, tree.text.find("::")));
  for (const auto* list : {&tree.children, &tree.templateArguments})
    for (const Tree& part : *list) namesIn(part, out);
}

// The operation of a Binary on two values.
Result<Meaning> combined(Reader& reader, const Tree& tree, Meaning a, Meaning b) {
  for (Meaning* one : {&a, &b}) {
    if (one->is(Kind::Unknown)) return *one;
    if (one->is(Kind::Layout)) {
      TESSERA_TRY(*one, reader.evaluated(one->text));
    }
    if (!one->is(Kind::Number)) return unreadable(tree, "`" + spelled(tree) + "` is no operation on integers");
  }
  auto out = integerOperation(tree.text, a, b);
  if (!out) out.error().span = tree.span;
  return out;
}

// The names whose template arguments or constructor arguments are types of C++, which mean nothing here.
bool isTransparentCast(std::string_view name) { return name == "static_cast" || name == "const_cast"; }

// The parts of (a, b, c), as --let values have it: the parts of a chain of `,`. A part in parentheses begins after the
// chain around it.
void commaParts(const Tree& tree, std::vector<const Tree*>& out) {
  if (tree.kind == Tree::Kind::Binary && tree.text == ",") {
    const Tree& left = tree.children[0];
    if (left.span.begin == tree.span.begin) {
      commaParts(left, out);
    } else {
      out.push_back(&left);
    }
    out.push_back(&tree.children[1]);
  } else {
    out.push_back(&tree);
  }
}

}  // namespace

Diag Use::wrong(std::string_view expected) const {
  std::string message = std::string(name) + " expects " + std::string(expected);
  std::string got;
  for (const auto* list : {&template_, &arguments})
    for (const Meaning& m : *list) got += (got.empty() ? "" : ", ") + written(m, false);
  if (!got.empty()) message += "; it has " + got;
  return {std::move(message), std::string(expected), {}, span};
}

Result<Meaning> integerOperation(std::string_view op, const Meaning& a, const Meaning& b) {
  const auto value = computed(op, a.number, b.number);
  if (!value)
    return Diag{std::to_string(a.number) + " " + std::string(op) + " " + std::to_string(b.number) + " has no value"};
  Meaning out = number(*value, a.isStatic && b.isStatic);
  out.formula = formulaOf(op, a, b);
  return out;
}

Result<Meaning> Reader::evaluated(const std::string& expression) {
  const Evaluated outcome = sheet_.evaluate(expression);
  if (outcome.diag) return Diag{outcome.diag->message, outcome.diag->expected, outcome.diag->hint};
  if (!outcome.value) return Diag{"this has no value: " + expression};
  const Value& value = *outcome.value;
  if (const auto* n = as<i64>(value)) {
    Meaning out = number(*n, false);
    if (sheet_.isDependent(expression)) out.formula = "(" + expression + ")";
    return out;
  }
  if (const auto* flag = as<bool>(value)) return number(*flag ? 1 : 0, false);
  if (const auto* held = as<cute::IntTuple>(value)) return ofTuple(*held);
  if (is<TiledMma>(value) || is<TiledCopy>(value)) return textual(Kind::Tiled, expression);
  return textual(Kind::Layout, expression);
}

Result<std::vector<Meaning>> Reader::meanings(const std::vector<Tree>& trees, std::size_t from) {
  std::vector<Meaning> out;
  for (std::size_t i = from; i < trees.size(); ++i) {
    if (trees[i].kind == Tree::Kind::Unary && trees[i].text == "...") {
      TESSERA_TRY(std::vector<Meaning> several, expanded(trees[i].children[0]));
      out.insert(out.end(), several.begin(), several.end());
      continue;
    }
    TESSERA_TRY(Meaning one, meaning(trees[i]));
    out.push_back(std::move(one));
  }
  return out;
}

Result<std::vector<Meaning>> Reader::templateArguments(const Tree& name) { return meanings(name.templateArguments, 0); }

Result<Meaning> Reader::meaning(const Tree& tree) {
  const Nesting level;
  if (level.tooDeep()) return unreadable(tree, "this nests too deep");
  spend();
  switch (tree.kind) {
    case Tree::Kind::Number:
      if (!tree.value) return unreadable(tree, "`" + tree.text + "` is no integer");
      return number(*tree.value, tree.text.ends_with("_c"));
    case Tree::Kind::Name:
      return nameMeaning(tree);
    case Tree::Kind::Type:
      if (auto known = builtin(tree.text)) return *std::move(known);
      if (tree.children.empty()) return unreadable(tree, "the type `" + tree.text + "` has no meaning here");
      return meaning(tree.children[0]);
    case Tree::Kind::Cast:
      return meaning(tree.children[1]);
    case Tree::Kind::Call:
      return call(tree);
    case Tree::Kind::Braces:
      return braces(tree);
    case Tree::Kind::Member: {
      const std::string whole = print(tree, Language::Cpp);
      if (auto let = given(whole)) return *std::move(let);
      TESSERA_TRY(Meaning of, meaning(tree.children[0]));
      if (of.is(Kind::Unknown) && tree.children[0].kind == Tree::Kind::Name)
        return question(whole, tree.span, "a constant");
      if (of.is(Kind::Unknown)) return of;
      if (tree.text == "value" || tree.text == "layout_") return of;
      if (of.is(Kind::Scope))
        if (const auto at = of.scope->names.find(tree.text); at != of.scope->names.end()) return at->second;
      return unreadable(tree, "the member `" + tree.text + "` of " + std::string(nounOf(of)) + " is not known");
    }
    case Tree::Kind::Unary:
    case Tree::Kind::Binary:
    case Tree::Kind::Conditional:
      return operatorMeaning(tree);
    default:
      return unreadable(tree, "`" + spelled(tree) + "` denotes no layout");
  }
}

Result<Meaning> Reader::operatorMeaning(const Tree& tree) {
  if (tree.kind == Tree::Kind::Binary && tree.text == ",") {
    std::vector<const Tree*> trees;
    commaParts(tree, trees);
    std::vector<Meaning> parts;
    for (const Tree* part : trees) {
      TESSERA_TRY(Meaning one, meaning(*part));
      parts.push_back(std::move(one));
    }
    if (anyUnknown(parts)) return unknown(parts);
    return tuple(std::move(parts));
  }
  if (tree.kind == Tree::Kind::Unary && tree.text == "&") return meaning(tree.children[0]);
  if (isFold(tree)) return folded(tree);
  TESSERA_TRY(Meaning a, meaning(tree.children[0]));
  if (a.is(Kind::Unknown)) return a;
  if (tree.text == "sizeof...") {
    if (!a.is(Kind::Pack)) return unreadable(tree, "`" + spelled(tree.children[0]) + "` is no parameter pack");
    return number(std::ssize(a.parts), true);
  }
  if (tree.kind == Tree::Kind::Unary && tree.text == "sizeof") {
    const auto bits = bitsOf(a);
    if (!bits) return unreadable(tree, "the size of `" + spelled(tree.children[0]) + "` is not known");
    return number((*bits + 7) / 8, true);
  }
  if (a.is(Kind::Layout)) {
    TESSERA_TRY(a, evaluated(a.text));
  }
  if (!a.is(Kind::Number)) {
    // Int<4>{} * _1 over tuples and E<0>{} * 2 are left to the worksheet.
    return unreadable(tree, "`" + spelled(tree) + "` is no operation on integers");
  }
  if (tree.kind == Tree::Kind::Conditional) return choice(a, tree.children[1], tree.children[2]);
  if (tree.kind == Tree::Kind::Unary) {
    if (tree.text == "-" && a.number > INT64_MIN) return integerOperation("-", number(0, a.isStatic), a);
    if (tree.text == "!") {
      Meaning out = number(a.number == 0 ? 1 : 0, a.isStatic);
      if (!a.formula.empty()) out.formula = "(not " + a.formula + ")";
      return out;
    }
    if (tree.text == "~") return number(~a.number, a.isStatic);
    if (tree.text == "+") return a;
    return unreadable(tree, "`" + spelled(tree) + "` is not known");
  }
  if (tree.text == "&&" && a.number == 0 && a.formula.empty()) return number(0, a.isStatic);
  if (tree.text == "||" && a.number != 0 && a.formula.empty()) return number(1, a.isStatic);
  TESSERA_TRY(Meaning b, meaning(tree.children[1]));
  return combined(*this, tree, std::move(a), std::move(b));
}

// f(Ns)...: the meanings of the pattern for each part of the packs in it.
Result<std::vector<Meaning>> Reader::expanded(const Tree& pattern) {
  std::vector<std::string> names;
  namesIn(pattern, names);
  std::map<std::string, Meaning> packs;
  for (const std::string& name : names)
    if (auto known = found(name); known && known->is(Kind::Pack)) packs.emplace(name, *std::move(known));
  if (packs.empty()) return unreadable(pattern, "`" + spelled(pattern) + "...` has no parameter pack");
  const std::size_t count = packs.begin()->second.parts.size();
  std::vector<Meaning> out;
  const auto outer = frame_;
  for (std::size_t i = 0; i < count; ++i) {
    spend();
    frame_ = frames_.make();
    frame_->outer = outer;
    for (const auto& [name, of] : packs)
      if (i < of.parts.size()) frame_->names[name] = of.parts[i];
    auto one = meaning(pattern);
    frame_ = outer;
    if (!one) return one.error();
    out.push_back(*std::move(one));
  }
  return out;
}

// (Ns + ...), (... + Ns), (1 + ... + Ns), (Ns + ... + 1)
Result<Meaning> Reader::folded(const Tree& tree) {
  const Tree& left = tree.children[0];
  const Tree& right = tree.children[1];
  std::vector<Meaning> parts;
  bool fromLeft = false;
  if (isEllipsis(left) || isEllipsis(right)) {
    fromLeft = isEllipsis(left);
    TESSERA_TRY(parts, expanded(fromLeft ? right : left));
  } else {
    std::vector<std::string> names;
    namesIn(left.children[0], names);
    const auto isPack = [&](const std::string& name) {
      const auto known = found(name);
      return known && known->is(Kind::Pack);
    };
    fromLeft = std::none_of(names.begin(), names.end(), isPack);
    TESSERA_TRY(parts, expanded(fromLeft ? right : left.children[0]));
    TESSERA_TRY(Meaning initial, meaning(fromLeft ? left.children[0] : right));
    parts.insert(fromLeft ? parts.begin() : parts.end(), std::move(initial));
  }
  if (parts.empty() && tree.text == "&&") return number(1, true);
  if (parts.empty() && tree.text == "||") return number(0, true);
  if (parts.empty()) return unreadable(tree, "`" + spelled(tree) + "` folds an empty pack");
  if (!fromLeft) std::reverse(parts.begin(), parts.end());
  Meaning out = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) {
    TESSERA_TRY(out, fromLeft ? combined(*this, tree, out, parts[i]) : combined(*this, tree, parts[i], out));
  }
  return out;
}

Result<Meaning> Reader::braces(const Tree& tree) {
  const Tree& type = tree.children[0];
  TESSERA_TRY(std::vector<Meaning> arguments, meanings(tree.children, 1));
  if (anyUnknown(arguments)) return unknown(arguments);
  if (type.kind == Tree::Kind::Empty) return tuple(std::move(arguments));
  const std::string_view name = lastName(type);
  if (!arguments.empty() && (name == "Shape" || name == "Stride" || name == "Coord" || name == "Tile"))
    return tuple(std::move(arguments));
  if (!arguments.empty() &&
      (name == "Layout" || name == "TiledMMA" || name == "TiledCopy" || name == "MMA_Atom" || name == "Copy_Atom")) {
    const bool copies = arguments.size() == 1 && (arguments[0].is(Kind::Layout) || arguments[0].is(Kind::Tiled));
    if (copies) return arguments[0];  // Layout a{b}
    const Handler handler = name == "Layout" ? functionNamed("make_layout") : atomNamed(name);
    return handler(Use{*this, name, {}, std::move(arguments), tree.span});
  }
  TESSERA_TRY(Meaning of, meaning(type));
  if (of.is(Kind::Type) && arguments.size() == 1) return arguments[0];  // int{4}
  return of;
}

Result<Meaning> Reader::memberCall(const Tree& tree) {
  const Tree& callee = tree.children[0];
  TESSERA_TRY(Meaning of, meaning(callee.children[0]));
  if (of.is(Kind::Unknown)) return of;
  TESSERA_TRY(std::vector<Meaning> arguments, meanings(tree.children, 1));
  TESSERA_TRY(std::vector<Meaning> templates, templateArguments(callee));
  if (anyUnknown(arguments) || anyUnknown(templates)) {
    arguments.insert(arguments.end(), templates.begin(), templates.end());
    return unknown(arguments);
  }
  const std::string_view name = callee.text;
  if (name == "layout" || name == "value" || name == "data" || name == "layout_a") return of;
  if (name == "with") return of;
  arguments.insert(arguments.begin(), of);
  const std::string_view function = name == "compose" ? "composition" : name;
  Handler handler = functionNamed(function);
  if (handler == nullptr || of.is(Kind::Tiled))
    return textual(Kind::Layout,
                   applied(function, Use{*this, function, std::move(templates), std::move(arguments)}).text);
  return handler(Use{*this, function, std::move(templates), std::move(arguments), tree.span});
}

bool isTmaMaker(std::string_view function) {
  return function.starts_with("make_tma_copy") || function.starts_with("make_tma_atom") ||
         function.starts_with("make_im2col_tma_");
}

// make_tma_copy(operation, tensor, layout, ...): the layout in shared memory is what has a meaning without the tensor.
Diag tmaRefusal(const Tree& tree) {
  Diag out = unreadable(
      tree, "`" + std::string(calledName(tree)) + "` makes a descriptor of a tensor in global memory at run time");
  out.expected = "the layout in shared memory, the third argument";
  const std::string layout = tree.children.size() > 3 ? spelled(tree.children[3]) : "its third argument";
  out.hint = "paste the layout in shared memory in its place: " + layout;
  return out;
}

Result<Meaning> Reader::call(const Tree& tree) {
  const Tree& callee = tree.children[0];
  if (callee.kind == Tree::Kind::Member && callee.text != "value") return memberCall(tree);
  const std::string_view name = lastName(callee);
  if (isTmaMaker(name) && templateOf(name) == nullptr && !found(name)) return tmaRefusal(tree);
  if (name == "decltype" && tree.children.size() == 2) return meaning(tree.children[1]);
  const bool isUsers = templateOf(name) != nullptr;
  Handler handler = isUsers || found(name) ? nullptr : functionNamed(name);
  if (handler == nullptr && !isUsers) handler = atomNamed(name);
  // tile(x), where a layout or a helper has the name
  if (handler == nullptr && !isUsers) {
    if (name.empty() || found(callee.text) || callee.isTemplate || builtin(name)) {
      TESSERA_TRY(Meaning of, meaning(callee));
      if (of.is(Kind::Unknown)) return of;
      TESSERA_TRY(std::vector<Meaning> arguments, meanings(tree.children, 1));
      if (anyUnknown(arguments)) return unknown(arguments);
      if (arguments.empty()) return of;  // N()
      if (of.is(Kind::Layout)) return evaluated(applied(of.text, Use{*this, name, {}, std::move(arguments)}).text);
      if (of.is(Kind::Type) && arguments.size() == 1) return arguments[0];
      return unreadable(tree, "`" + spelled(tree) + "` calls " + std::string(nounOf(of)));
    }
    if (name == "Layout" || isTransparentCast(name)) {
      TESSERA_TRY(std::vector<Meaning> arguments, meanings(tree.children, 1));
      if (anyUnknown(arguments)) return unknown(arguments);
      if (arguments.size() == 1 && arguments[0].is(Kind::Layout)) return arguments[0];  // Layout a(b)
      return functionNamed("make_layout")(Use{*this, "make_layout", {}, std::move(arguments), tree.span});
    }
    return unreadable(callee, "the function `" + std::string(name) + "` is not known");
  }
  // An atom that the text does not define copies element by element.
  const Tree* atom = tree.children.size() > 2 ? &tree.children[1] : nullptr;
  if (atom != nullptr && atom->kind == Tree::Kind::Braces) atom = &atom->children[0];
  const bool copies =
      name == "make_tiled_copy" && atom != nullptr && atom->kind == Tree::Kind::Name && !atom->isTemplate;
  // Pointers have no meaning.
  if (name.ends_with("_ptr") || name == "raw_pointer_cast") return textual(Kind::Word, "pointer");
  const bool pointed = name == "make_tensor" && tree.children.size() > 2;
  TESSERA_TRY(std::vector<Meaning> arguments, meanings(tree.children, pointed ? 2 : 1));
  if (pointed) arguments.insert(arguments.begin(), textual(Kind::Word, "pointer"));
  if (copies && arguments[0].is(Kind::Unknown) && !arguments[0].refused && !found(atom->text) &&
      !anyUnknown({arguments.begin() + 1, arguments.end()})) {
    note("`" + spelled(tree.children[1]) + "` is not in the text: a copy of single elements of half_t is assumed");
    arguments[0] = textual(Kind::CopyAtom, "UniversalCopy");
    arguments[0].element = "half_t";
  }
  if (anyUnknown(arguments)) return unknown(arguments);
  if (isUsers) {
    TESSERA_TRY(auto made, called(name, callee, std::move(arguments)));
    if (made) return *std::move(made);
    return unreadable(tree, "`" + spelled(tree) + "` returns no value");
  }
  TESSERA_TRY(std::vector<Meaning> templates, templateArguments(callee));
  if (anyUnknown(templates)) return unknown(templates);
  return handler(Use{*this, name, std::move(templates), std::move(arguments), tree.span});
}

}  // namespace tessera::paste::cute_cpp
