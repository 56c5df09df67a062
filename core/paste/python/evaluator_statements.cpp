#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "core/base/arith.h"
#include "core/base/chars.h"
#include "core/base/cursor.h"
#include "core/paste/python/evaluator.h"
#include "core/worksheet/functions/functions.h"
#include "core/worksheet/worksheet.h"

namespace tessera::paste::python {

using code::Tree;
using Kind = Tree::Kind;

namespace {

constexpr std::size_t kMostConstants = 200;

std::optional<Item> folded(const std::vector<Item>& items, const std::function<i64(i64, i64)>& f) {
  std::optional<i64> out;
  Item questions;
  for (const Item& item : items) {
    if (item.isMissing()) return item;
    if (!item.is(Item::Kind::Integer)) return std::nullopt;
    out = out ? f(*out, item.integer) : item.integer;
  }
  return out ? std::optional(Item::number(*out)) : std::nullopt;
}

bool isIdentifier(std::string_view name) {
  return !name.empty() && isNameStart(name.front()) && std::ranges::all_of(name, isNamePart);
}

bool bindsName(const std::string& name) {
  if (!isIdentifier(name) || name == "_") return false;
  const std::vector<tessera::Statement> lines = splitStatements(name + " = 1");
  return lines.size() == 1 && lines[0].kind == StatementKind::Bind && lines[0].name == name;
}

// The first call of the function in the text.
const Tree* callOf(const std::vector<Tree>& trees, std::string_view function) {
  for (const Tree& tree : trees) {
    spend();
    if (code::calledName(tree) == function) return &tree;
    if (const Tree* found = callOf(tree.children, function)) return found;
  }
  return nullptr;
}

// What a call gives parameter k; nullptr: nothing. `self` is not among the arguments.
const Tree* argumentOf(const Tree& call, const std::vector<Tree::Parameter>& parameters, std::size_t k) {
  for (const Tree& child : call.children)
    if (child.kind == Kind::Keyword && child.text == parameters[k].name) return &child.children[0];
  const bool method = !parameters.empty() && (parameters[0].name == "self" || parameters[0].name == "cls");
  const std::size_t at = k + (method ? 0 : 1);
  if (at == 0 || at >= call.children.size()) return nullptr;
  for (std::size_t before = 1; before <= at; ++before)
    if (call.children[before].kind == Kind::Star || call.children[before].kind == Kind::Keyword) return nullptr;
  return &call.children[at];
}

void shift(Tree& tree, std::size_t by) {
  tree.span = tree.span.shifted(by);
  for (Tree& child : tree.children) shift(child, by);
}

// The annotation of a parameter, with its spans in the text; Empty: it has none, or a mere name.
Tree placedType(const Tree::Parameter& parameter, std::string_view text) {
  const std::size_t at =
      parameter.type.empty() ? std::string_view::npos : text.find(parameter.type, parameter.span.begin);
  if (at == std::string_view::npos) return {};
  Result<Tree> type = code::readPythonExpression(parameter.type);
  if (!type || type->kind == Kind::Name) return {};
  shift(*type, at);
  return *std::move(type);
}

std::size_t lineAt(std::string_view text, std::size_t at) {
  return 1 + static_cast<std::size_t>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(at, text.size())), '\n'));
}

}  // namespace

namespace {

// Whether a binding of this name would hide a function that the statements call, or a common one: size, shape, rank.
bool hidesNeeded(const std::string& name, const std::vector<Statement>& statements) {
  if (isFreeName(name)) return false;
  return name.find('_') == std::string::npos || std::ranges::any_of(statements, [&](const Statement& s) {
           return s.text.find(name + "(") != std::string::npos || s.text.find(name + "<") != std::string::npos;
         });
}

}  // namespace

bool isFreeName(const std::string& name) { return bindsName(name) && findFunction(name) == nullptr; }

Result<std::optional<Item>> Evaluator::builtin(const Invocation& made) {
  const std::vector<Item>& a = made.arguments;
  const bool numbers = made.receiver == nullptr || made.qualified.starts_with("math.") ||
                       made.qualified.starts_with("builtins.") || made.name == "const_expr" ||
                       made.name == "constexpr" || made.name == "prod";
  if (!numbers || a.empty()) return std::optional<Item>();
  if (made.name == "int" || made.name == "const_expr" || made.name == "constexpr") return std::optional(a[0]);
  if (made.name == "tuple" || made.name == "list") return std::optional(a[0]);
  if (made.name == "reversed" && a[0].is(Item::Kind::Tuple))
    return std::optional(Item::tuple({a[0].elements.rbegin(), a[0].elements.rend()}));
  if (made.name == "len" && a[0].is(Item::Kind::Tuple))
    return std::optional(Item::number(static_cast<i64>(a[0].elements.size())));
  const std::vector<Item>& list = a.size() == 1 && a[0].is(Item::Kind::Tuple) ? a[0].elements : a;
  if (made.name == "min") return folded(list, [](i64 x, i64 y) { return std::min(x, y); });
  if (made.name == "max") return folded(list, [](i64 x, i64 y) { return std::max(x, y); });
  if (made.name == "sum") return folded(list, [](i64 x, i64 y) { return checkedAdd(x, y).value_or(0); });
  if (made.name == "prod") return folded(list, [](i64 x, i64 y) { return checkedMul(x, y).value_or(0); });
  if (made.name == "gcd") return folded(list, [](i64 x, i64 y) { return std::gcd(x, y); });
  return std::optional<Item>();
}

Result<Reading> Evaluator::read(std::string_view dialect) {
  TESSERA_TRY(const std::vector<Tree> trees, code::readPython(text_));
  all_ = &trees;
  statements(trees);
  all_ = nullptr;
  if (refused_ && reading_.statements.size() <= refusedAfter_) return *refused_;
  if (reading_.statements.empty() && reading_.questions.empty())
    return Diag{"the text has no layout that Tessera reads", "a layout", "", {}};
  return finished(dialect);
}

Reading Evaluator::finished(std::string_view dialect) const {
  Reading out = reading_;
  out.dialect = dialect;
  std::set<std::string> layouts;
  for (const Statement& s : out.statements) layouts.insert(s.name);
  std::vector<Statement> all;
  for (const Statement& s : constants_)
    if (!layouts.contains(s.name) && !hidesNeeded(s.name, out.statements)) all.push_back(s);
  all.insert(all.end(), out.statements.begin(), out.statements.end());
  out.statements = std::move(all);
  return out;
}

void Evaluator::note(std::string text) {
  if (std::ranges::find(reading_.notes, text) == reading_.notes.end()) reading_.notes.push_back(std::move(text));
}

void Evaluator::refuse(Diag diag, Span span) {
  if (diag.span.empty()) diag.span = span;
  if (!refused_ || reading_.statements.size() > refusedAfter_) {
    refused_ = diag;
    refusedAfter_ = reading_.statements.size();
  }
  note(fmt::format("line {} is left out: {}", lineAt(text_, diag.span.begin), diag.message));
}

void Evaluator::statements(const Trees& trees) {
  for (const Tree& tree : trees) statement(tree);
}

void Evaluator::statement(const Tree& tree) {
  const Nesting level;
  if (level.tooDeep()) return;
  spend();
  switch (tree.kind) {
    case Kind::Expression: {
      const Tree& inner = tree.children[0];
      if (inner.kind == Kind::Assign) return assign(inner.children[0], inner.children[1], inner.text);
      return bare(inner);
    }
    case Kind::Declare:
      return declaration(tree);
    case Kind::Return:
      if (!tree.children.empty()) bare(tree.children[0]);
      return;
    case Kind::Function:
      return function(tree);
    case Kind::If:
      return branch(tree);
    case Kind::Struct:
    case Kind::Block:
      return statements(tree.children);
    default:
      return;
  }
}

void Evaluator::assign(const Tree& target, const Tree& value, const std::string& sign) {
  if (value.kind == Kind::Assign) {  // a = b = 3
    assign(value.children[0], value.children[1], value.text);
    const Result<Item> item = evaluate(value.children[0]);
    if (item && sign == "=") bind(target, *item);
    return;
  }
  Result<Item> item = evaluate(value);
  if (item && sign != "=") {
    const Result<Item> before = evaluate(target);
    item = before ? binary(sign.substr(0, sign.size() - 1), *before, *item) : before;
  }
  if (!item) {
    if (target.kind == Kind::Name) names_.erase(target.text);
    return refuse(item.error(), value.span);
  }
  bind(target, *item);
}

void Evaluator::bind(const Tree& target, const Item& item) {
  if (target.kind == Kind::Tuple || target.kind == Kind::List) return bindTuple(target, item);
  if (target.kind == Kind::Name || target.kind == Kind::Member) bindName(target, item);
}

void Evaluator::bindTuple(const Tree& target, const Item& item) {
  const bool fits = item.is(Item::Kind::Tuple) && item.elements.size() == target.children.size();
  for (std::size_t k = 0; k < target.children.size(); ++k) {
    const Tree& name = target.children[k];
    if (fits)
      bind(name, item.elements[k]);
    else
      names_.erase(textOf(name));
  }
}

// A name given by --let keeps that value.
void Evaluator::bindName(const Tree& target, Item item) {
  const std::string written = textOf(target);
  if (given_.let(written) != nullptr) return;
  std::string name = target.text;
  if (item.isMissing()) {
    names_.erase(written);
    if (item.wanted) ask(item);
    // The value of an unknown call is asked for under this name.
    if (item.questions.empty() || item.text == written || item.text.find('(') != std::string::npos) return;
    names_.insert_or_assign(written, std::move(item));
    return;
  }
  const Result<std::optional<std::string>> text = bound(item);
  if (!text) {
    names_.erase(written);
    return refuse(text.error(), target.span);
  }
  if (*text && bindsName(name)) {
    emit(name, **text, item, target.span);
    if (item.is(Item::Kind::Text) && refersByName()) item = Item::expression(name);
  } else if ((item.is(Item::Kind::Integer) || item.is(Item::Kind::Tuple)) && item.isConstant() &&
             item.questions.empty() && bindsName(name) && name != "X" && constants_.size() < kMostConstants) {
    const Result<std::string> constant = worksheetText(item);
    if (constant) constants_.push_back({name, fmt::format("{} = {}", name, *constant), target.span});
  }
  names_.insert_or_assign(written, std::move(item));
}

// A type that says what the value is, or the value itself.
void Evaluator::declaration(const Tree& tree) {
  Tree target;
  target.kind = Kind::Name;
  target.text = tree.text.substr(tree.text.rfind('.') + 1);
  target.span = {tree.span.begin, tree.span.begin + tree.text.size()};
  const Result<std::optional<Item>> item = declared(tree.children[0]);
  if (!item) return refuse(item.error(), tree.span);
  if (*item) return bindName(target, **item);
  if (tree.children[1].kind != Kind::Empty) assign(target, tree.children[1], "=");
}

void Evaluator::bare(const Tree& tree) {
  const std::string_view called = code::calledName(tree);
  const bool prints = called == "print" || called == "printf" || called == "print_latex" || called == "print_layout" ||
                      called == "pprint" || called == "draw_layout" || called == "show_layout";
  const Tree& shown = prints && tree.children.size() > 1 ? tree.children.back() : tree;
  const Result<Item> item = evaluate(shown);
  if (!item) {
    if (!prints) refuse(item.error(), tree.span);
    return;
  }
  if (item->isMissing() && item->wanted) ask(*item);
  const Item* value = &*item;
  if (value->is(Item::Kind::Tuple) && !value->elements.empty() && value->elements.back().is(Item::Kind::Text))
    value = &value->elements.back();
  const Result<std::optional<std::string>> text = bound(*value);
  if (!text) return refuse(text.error(), tree.span);
  if (*text) emit("", **text, *value, tree.span);
}

// The names of parameters are not those of an earlier function.
void Evaluator::function(const Tree& tree) {
  const Tree* made = all_ == nullptr ? nullptr : callOf(*all_, tree.text);
  std::vector<Result<Item>> items;
  for (std::size_t k = 0; k < tree.parameters.size(); ++k) {
    const auto& byDefault = tree.parameters[k].byDefault;
    const Tree* value = made == nullptr ? nullptr : argumentOf(*made, tree.parameters, k);
    if (value == nullptr && !byDefault.empty()) value = &byDefault[0];
    items.push_back(value == nullptr ? Result<Item>(Item{}) : evaluate(*value));
  }
  for (std::size_t k = 0; k < tree.parameters.size(); ++k) {
    const std::string& parameter = tree.parameters[k].name;
    names_.erase(parameter);
    const bool known = items[k] && !items[k]->isMissing() && !items[k]->is(Item::Kind::None);
    if (known && given_.let(parameter) == nullptr) names_.insert_or_assign(parameter, *items[k]);
  }
  for (const Tree::Parameter& parameter : tree.parameters) {
    const Tree type = placedType(parameter, text_);
    const Result<std::optional<Item>> item = type.kind == Kind::Empty ? std::optional<Item>() : declared(type);
    Tree target;
    target.kind = Kind::Name;
    target.text = parameter.name;
    target.span = {parameter.span.begin, parameter.span.begin + parameter.name.size()};
    if (!item)
      refuse(item.error(), parameter.span);
    else if (*item)
      bindName(target, **item);
  }
  statements(tree.children[0].children);
}

// A branch whose condition is not known is read, and the condition is asked for if the branch declares a layout.
void Evaluator::branch(const Tree& tree) {
  const Result<Item> condition = evaluate(tree.children[0]);
  const auto decided = condition ? truth(*condition) : std::nullopt;
  if (decided) {
    const Tree& taken = tree.children[*decided ? 1 : 2];
    return taken.kind == Kind::If ? branch(taken) : statements(taken.children);
  }
  const std::size_t before = reading_.statements.size();
  statements(tree.children[1].children);
  if (condition && reading_.statements.size() > before) ask(*condition);
}

void Evaluator::ask(const Item& item) {
  for (const Question& q : item.questions)
    if (std::ranges::find(reading_.questions, q.name, &Question::name) == reading_.questions.end())
      reading_.questions.push_back(q);
}

void Evaluator::emit(const std::string& name, const std::string& text, const Item& item, Span span) {
  reading_.statements.push_back({name, name.empty() ? text : fmt::format("{} = {}", name, text), span});
  ask(item);
}

}  // namespace tessera::paste::python
