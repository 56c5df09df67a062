#include "core/paste/python/evaluator.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/chars.h"
#include "core/base/cursor.h"

namespace tessera::paste::python {

using code::Tree;
using Kind = Tree::Kind;

namespace {

constexpr std::size_t kMostNameBytes = 200;

const Tree& firstName(const Tree& tree) {
  const Tree* at = &tree;
  while ((at->kind == Kind::Member || at->kind == Kind::Subscript || at->kind == Kind::Call) && !at->children.empty())
    at = &at->children[0];
  return *at;
}

// The element at a Python index, negative ones from the end.
const Item* elementAt(const Item& tuple, i64 index) {
  const i64 size = static_cast<i64>(tuple.elements.size());
  if (index < 0) index += size;
  return index >= 0 && index < size ? &tuple.elements[static_cast<std::size_t>(index)] : nullptr;
}

Result<Item> sliced(const Item& tuple, const std::vector<Item>& parts) {
  const i64 size = static_cast<i64>(tuple.elements.size());
  if (!parts[2].is(Item::Kind::None)) {
    TESSERA_TRY(const i64 step, integerOf(parts[2], "the step of a slice"));
    if (step == -1 && parts[0].is(Item::Kind::None) && parts[1].is(Item::Kind::None))
      return Item::tuple({tuple.elements.rbegin(), tuple.elements.rend()});
    if (step != 1) return Diag{"a slice with a step", "a slice without a step, or [::-1]"};
  }
  const auto end = [&](const Item& part, i64 otherwise) -> Result<i64> {
    if (part.is(Item::Kind::None)) return otherwise;
    TESSERA_TRY(const i64 at, integerOf(part, "an end of a slice"));
    return std::clamp<i64>(at < 0 ? at + size : at, 0, size);
  };
  TESSERA_TRY(const i64 from, end(parts[0], 0));
  TESSERA_TRY(const i64 to, end(parts[1], size));
  return Item::tuple({tuple.elements.begin() + from, tuple.elements.begin() + std::max(from, to)});
}

}  // namespace

const Item* Invocation::keyword(std::string_view key) const {
  for (const auto& [written, value] : keywords)
    if (written == key) return &value;
  return nullptr;
}

const Item* Invocation::argument(std::size_t index, std::string_view key) const {
  return index < arguments.size() ? &arguments[index] : keyword(key);
}

std::optional<Item> Evaluator::name(std::string_view dotted) const {
  const std::size_t dot = dotted.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view word = wordOfType(dotted.substr(dot + 1));
  return word.empty() ? std::nullopt : std::optional(Item::type(std::string(word)));
}
Result<std::optional<Item>> Evaluator::member(const Item&, const std::string&) { return std::optional<Item>(); }
Result<std::optional<Item>> Evaluator::subscript(const Item&, const Tree&) { return std::optional<Item>(); }
Result<std::optional<Item>> Evaluator::declared(const Tree&) { return std::optional<Item>(); }
Result<std::optional<std::string>> Evaluator::bound(const Item& item) {
  return item.is(Item::Kind::Text) ? std::optional(item.text) : std::nullopt;
}

std::string Evaluator::textOf(const Tree& tree) const {
  std::string out;
  for (const char c : text_.substr(tree.span.begin, tree.span.end - tree.span.begin))
    if (!isBlank(c)) out += c;
  return out;
}

Item givenItem(const std::string& text) {
  const Result<Tree> tree = code::readPythonExpression(text);
  if (!tree) return Item::expression(text);
  const Tree& t = *tree;
  const auto number = [](const Tree& n) -> std::optional<i64> {
    if (n.kind == Kind::Number) return n.value;
    const bool negative = n.kind == Kind::Unary && n.text == "-" && n.children[0].value;
    return negative ? std::optional(-*n.children[0].value) : std::nullopt;
  };
  const auto item = [&](const auto& self, const Tree& n) -> std::optional<Item> {
    if (const auto value = number(n)) return Item::number(*value);
    if (n.kind == Kind::String) return Item{.kind = Item::Kind::String, .text = n.text};
    if (n.kind == Kind::Name && n.text == "None") return Item{};
    if (n.kind == Kind::Name && (n.text == "True" || n.text == "False")) return Item::number(n.text == "True" ? 1 : 0);
    const std::string_view word = wordOfType(code::lastName(n));
    if (!word.empty()) return Item::type(std::string(word));
    if (n.kind != Kind::Tuple && n.kind != Kind::List) return std::nullopt;
    std::vector<Item> elements;
    for (const Tree& child : n.children) {
      const auto one = self(self, child);
      if (!one) return std::nullopt;
      elements.push_back(*one);
    }
    return Item::tuple(std::move(elements));
  };
  return item(item, t).value_or(Item::expression(text));
}

std::optional<Item> Evaluator::known(const Tree& tree) const {
  if (tree.span.end - tree.span.begin > kMostNameBytes) return std::nullopt;
  const std::string written = textOf(tree);
  for (const auto& [key, value] : given_.lets) {
    std::string plain;
    for (const char c : key)
      if (!isBlank(c)) plain += c;
    if (plain == written) return givenItem(value);
  }
  const auto at = names_.find(written);
  return at == names_.end() ? std::nullopt : std::optional(at->second);
}

bool Evaluator::isBound(const Tree& tree) const {
  const Tree& first = firstName(tree);
  return first.kind != Kind::Name || known(first).has_value();
}

Item Evaluator::missing(const Tree& tree, std::string_view asks) const {
  std::string written = textOf(tree).substr(0, kMostNameBytes);
  const std::string value = example(written);
  const auto isPlain = [](char c) { return isNamePart(c) || c == '.'; };
  const bool plain = std::ranges::all_of(written, isPlain) && std::ranges::all_of(value, isPlain);
  Item out{.kind = Item::Kind::Missing, .text = written};
  const std::string let = written + "=" + value;
  out.questions.push_back({written, std::string(asks), plain ? "--let " + let : "--let '" + let + "'", tree.span});
  return out;
}

std::string Evaluator::example(std::string_view name) const {
  const std::string lower = lowerCase(name.substr(name.rfind('.') + 1));
  const auto has = [&](std::string_view word) { return lower.find(word) != std::string::npos; };
  if (has("layout")) return "(8,64):(64,1)";
  if (has("shape") || has("tiler") || has("coord")) return "(128,64)";
  return has("dtype") ? "float16" : "64";
}

Result<Item> Evaluator::evaluate(const Tree& tree) {
  const Nesting level;
  if (level.tooDeep()) return Diag{"an expression that nests too deeply", {}, {}, tree.span};
  spend();
  const auto placed = [&](Result<Item> item) {
    if (!item && item.error().span.empty()) item.error().span = tree.span;
    return item;
  };
  switch (tree.kind) {
    case Kind::Number:
      if (tree.value) return Item::number(*tree.value);
      return Item{.kind = Item::Kind::String, .text = tree.text};
    case Kind::String:
      return Item{.kind = Item::Kind::String, .text = tree.text};
    case Kind::Name:
      return evaluateName(tree);
    case Kind::Member:
      return placed(evaluateMember(tree));
    case Kind::Call:
      return placed(evaluateCall(tree));
    case Kind::Tuple:
    case Kind::List:
      return evaluateTuple(tree);
    case Kind::Subscript:
      return placed(evaluateSubscript(tree));
    case Kind::Conditional:
      return evaluateCondition(tree);
    case Kind::Unary: {
      TESSERA_TRY(const Item operand, evaluate(tree.children[0]));
      return placed(unary(tree.text, operand));
    }
    case Kind::Binary: {
      TESSERA_TRY(const Item left, evaluate(tree.children[0]));
      if (tree.text == "and" || tree.text == "or") {
        const auto decided = truth(left);
        if (decided) return *decided == (tree.text == "or") ? left : evaluate(tree.children[1]);
      }
      TESSERA_TRY(const Item right, evaluate(tree.children[1]));
      return placed(binary(tree.text, left, right));
    }
    case Kind::Assign:  // (x := e), or a keyword argument that was pasted alone
      return evaluate(tree.children[1]);
    default:
      return missing(tree, "an expression that Tessera does not compute");
  }
}

Result<Item> Evaluator::evaluateName(const Tree& tree) {
  if (auto item = known(tree)) return *std::move(item);
  if (tree.text == "None" || tree.text == "...") return Item{};
  if (tree.text == "True" || tree.text == "False") return Item::number(tree.text == "True" ? 1 : 0);
  if (auto item = name(tree.text)) return *std::move(item);
  return missing(tree, "a name that the text does not define");
}

Result<Item> Evaluator::evaluateMember(const Tree& tree) {
  if (auto item = known(tree)) return *std::move(item);
  if (!isBound(tree))
    if (auto item = name(textOf(tree))) return *std::move(item);
  TESSERA_TRY(const Item object, evaluate(tree.children[0]));
  if (object.isMissing()) return missing(tree, "a value that the text does not define");
  TESSERA_TRY(auto item, member(object, tree.text));
  if (!item) return missing(tree, "a value that the text does not define");
  return std::move(*item).with(object);
}

Result<Item> Evaluator::evaluateTuple(const Tree& tree) {
  std::vector<Item> elements;
  for (const Tree& child : tree.children) {
    if (child.kind == Kind::Star) {
      TESSERA_TRY(const Item unpacked, evaluate(child.children[0]));
      if (!unpacked.is(Item::Kind::Tuple)) return missing(tree, "a tuple that the text does not define");
      elements.insert(elements.end(), unpacked.elements.begin(), unpacked.elements.end());
      continue;
    }
    TESSERA_TRY(Item one, evaluate(child));
    elements.push_back(std::move(one));
  }
  return Item::tuple(std::move(elements));
}

Result<Item> Evaluator::evaluateCondition(const Tree& tree) {
  TESSERA_TRY(const Item condition, evaluate(tree.children[0]));
  const auto decided = truth(condition);
  if (!decided) return Item{.kind = Item::Kind::Missing, .text = condition.text}.with(condition);
  return evaluate(tree.children[*decided ? 1 : 2]);
}

Result<Item> Evaluator::evaluateSubscript(const Tree& tree) {
  if (auto item = known(tree)) return *std::move(item);
  TESSERA_TRY(const Item object, evaluate(tree.children[0]));
  if (object.isMissing()) return missing(tree, "a value that the text does not define");
  if (!object.is(Item::Kind::Tuple)) {
    TESSERA_TRY(auto item, subscript(object, tree));
    if (!item) return missing(tree, "a value that Tessera does not compute");
    return std::move(*item).with(object);
  }
  if (tree.children.size() != 2) return Diag{"a tuple has one subscript", "one subscript"};
  const Tree& index = tree.children[1];
  if (index.kind == Kind::Slice) {
    std::vector<Item> parts;
    for (const Tree& part : index.children) {
      if (part.kind == Kind::Empty) {
        parts.emplace_back();
        continue;
      }
      TESSERA_TRY(Item end, evaluate(part));
      parts.push_back(std::move(end));
    }
    return sliced(object, parts);
  }
  TESSERA_TRY(const Item at, evaluate(index));
  if (at.isMissing()) return missing(tree, "a value that the text does not define");
  TESSERA_TRY(const i64 value, integerOf(at, "the subscript"));
  const Item* element = elementAt(object, value);
  if (element == nullptr)
    return Diag{fmt::format("the tuple has {}, not one at {}", counted(object.elements.size(), "element"), value)};
  return *element;
}

Result<Item> Evaluator::evaluateCall(const Tree& tree) {
  if (auto item = known(tree)) return *std::move(item);
  const Tree& called = tree.children[0];
  Invocation made;
  made.tree = &tree;
  made.name = code::lastName(called);
  made.qualified = textOf(called);
  if (called.kind == Kind::Member) made.receiver = &called.children[0];
  for (std::size_t k = 1; k < tree.children.size(); ++k) {
    const Tree& child = tree.children[k];
    if (child.kind == Kind::Star) {
      TESSERA_TRY(const Item unpacked, evaluate(child.children[0]));
      made.arguments.insert(made.arguments.end(), unpacked.elements.begin(), unpacked.elements.end());
      continue;
    }
    TESSERA_TRY(Item one, evaluate(child.kind == Kind::Keyword ? child.children[0] : child));
    if (child.kind == Kind::Keyword)
      made.keywords.emplace_back(child.text, std::move(one));
    else
      made.arguments.push_back(std::move(one));
  }
  TESSERA_TRY(auto meant, call(made));
  if (meant) return *std::move(meant);
  TESSERA_TRY(auto plain, builtin(made));
  if (plain) return *std::move(plain);
  return missing(tree, "the value of a call that Tessera does not compute");
}

}  // namespace tessera::paste::python
