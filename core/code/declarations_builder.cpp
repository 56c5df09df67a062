#include "core/code/declarations_builder.h"

#include <algorithm>

#include "core/base/chars.h"
#include "core/base/work.h"

namespace tessera::code {
namespace {

using Kind = Tree::Kind;

// #if and its kin: the word after #.
std::string_view directiveWord(std::string_view text) {
  text = stripped(text.substr(1));
  std::size_t end = 0;
  while (end < text.size() && isNamePart(text[end])) ++end;
  return text.substr(0, end);
}

// The names of the outputs of an asm statement: "=r"(name), "+f"(name).
std::vector<std::string> assemblyOutputs(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = text.find('"'); at != std::string_view::npos; at = text.find('"', at + 1)) {
    if (at + 1 >= text.size() || (text[at + 1] != '=' && text[at + 1] != '+')) continue;
    const std::size_t close = text.find('"', at + 1);
    std::size_t from = close == std::string_view::npos ? text.size() : close + 1;
    while (from < text.size() && (isBlank(text[from]) || text[from] == '(')) ++from;
    std::size_t end = from;
    while (end < text.size() && isNamePart(text[end])) ++end;
    if (end > from) out.emplace_back(text.substr(from, end - from));
  }
  return out;
}

bool isStep(const Tree& tree) {
  return tree.kind == Kind::Unary &&
         (tree.text == "++" || tree.text == "--" || tree.text == "p++" || tree.text == "p--" || tree.text == "&");
}

}  // namespace

void Declarations::Builder::run() {
  out_.scopes_.push_back({-1, {0, out_.text_.size()}, ScopeKind::File, 0, 0});
  all(*out_.trees_, 0);
}

std::size_t Declarations::Builder::columnOf(std::size_t at) const {
  const std::size_t line = out_.lineOf(at);
  return at - (line == 1 ? 0 : out_.lineStarts_[line - 2]);
}

void Declarations::Builder::add(const std::string& name, const Tree& tree, const In& in, What what, std::size_t begin) {
  spend();
  if (name.empty()) return;
  const std::size_t from = in.statement != nullptr ? in.statement->span.begin : tree.span.begin;
  out_.occurrences_[name].push_back({&tree, out_.scopes_[static_cast<std::size_t>(in.scope)].same, begin, from, what});
}

int Declarations::Builder::open(int parent, ScopeKind kind, Span span) {
  const int made = static_cast<int>(out_.scopes_.size());
  out_.scopes_.push_back({parent, span, kind, 0, made});
  return made;
}

void Declarations::Builder::all(const std::vector<Tree>& trees, int scope) {
  if (isPython_ && !trees.empty())
    out_.scopes_[static_cast<std::size_t>(scope)].column = columnOf(trees.front().span.begin);
  for (const Tree& tree : trees) statement(tree, scope);
}

void Declarations::Builder::statement(const Tree& tree, int scope) {
  spend();
  const In in{scope, &tree};
  switch (tree.kind) {
    case Kind::Declare:
      return declare(tree, in, What::Defines);
    case Kind::Alias:
      return add(tree.text, tree, in, What::Defines, tree.span.begin);
    case Kind::Macro:
      return add(tree.text, tree, {0, &tree}, What::Defines, tree.span.begin);
    case Kind::Function:
      return function(tree, scope);
    case Kind::Struct:
      return structure(tree, scope);
    case Kind::Namespace:
      return space(tree, scope);
    case Kind::Block:
      if (tree.qualifiers != "with") return all(tree.children, open(scope, ScopeKind::Block, tree.span));
      for (const Tree& part : tree.children) {
        if (part.kind == Kind::Block) {
          for (const Tree& one : part.children) statement(one, scope);
        } else {
          statement(part, scope);
        }
      }
      return;
    case Kind::For:
    case Kind::While:
      return loop(tree, scope);
    case Kind::If:
    case Kind::Switch:
      for (const Tree& part : tree.children) statement(part, scope);
      return;
    case Kind::Directive:
      return isPython_ ? import(tree, in) : directive(tree, in);
    case Kind::Opaque:
      return opaque(tree, in);
    default:
      expression(tree, in);
  }
}

void Declarations::Builder::declare(const Tree& tree, const In& in, What what) {
  if (tree.text.starts_with('[')) {  // auto [a, b] = e
    std::size_t at = 1;
    while (at < tree.text.size()) {
      std::size_t end = at;
      while (end < tree.text.size() && isNamePart(tree.text[end])) ++end;
      if (end > at) add(tree.text.substr(at, end - at), tree, in, What::Parameter, tree.span.begin);
      at = end + 1;
    }
  } else if (!isPython_ || tree.children[1].kind != Kind::Empty) {
    // `int a = 1, b = a;` has one place, its values have two.
    const Tree& value = tree.children[1];
    add(tree.text, tree, in, what, value.kind == Kind::Empty ? tree.span.end : value.span.begin);
  }
  for (const Tree& extent : tree.extents) expression(extent, in);
  expression(tree.children[1], in);
}

void Declarations::Builder::parameters(const std::vector<Tree::Parameter>& list, const Tree& of, int scope) {
  for (const Tree::Parameter& parameter : list)
    add(parameter.name, of, {scope, &of}, What::Parameter, std::max(parameter.span.begin, of.span.begin));
}

void Declarations::Builder::function(const Tree& tree, int scope) {
  const Tree& body = tree.children[0];
  if (body.kind == Kind::Empty) return;
  add(tree.text, tree, {scope, &tree}, What::Defines, tree.span.begin);
  const int inner = open(scope, ScopeKind::Function, tree.span);
  parameters(tree.templateParameters, tree, inner);
  parameters(tree.parameters, tree, inner);
  all(body.children, inner);
}

void Declarations::Builder::structure(const Tree& tree, int scope) {
  if (tree.qualifiers == "enum") {
    for (const Tree& one : tree.children) add(one.text, tree, {scope, &tree}, What::Defines, tree.span.begin);
    return add(tree.text, tree, {scope, &tree}, What::Defines, tree.span.begin);
  }
  add(tree.text, tree, {scope, &tree}, What::Defines, tree.span.begin);
  const int inner = open(scope, ScopeKind::Struct, tree.span);
  parameters(tree.templateParameters, tree, inner);
  all(tree.children, inner);
}

// The parts of a namespace are one scope; one without a name is that around it.
void Declarations::Builder::space(const Tree& tree, int scope) {
  if (tree.text.empty()) return all(tree.children, scope);
  const int inner = open(scope, ScopeKind::Block, tree.span);
  const int outer = out_.scopes_[static_cast<std::size_t>(scope)].same;
  const auto known = spaces_.emplace(std::pair(outer, tree.text), inner).first;
  out_.scopes_[static_cast<std::size_t>(inner)].same = known->second;
  all(tree.children, inner);
}

void Declarations::Builder::loop(const Tree& tree, int scope) {
  const int inner = open(scope, ScopeKind::Loop, tree.span);
  const In in{inner, &tree};
  for (std::size_t k = 0; k < tree.children.size(); ++k) {
    const Tree& part = tree.children[k];
    const bool first = tree.kind == Kind::For && k == 0;
    if (first && isPython_) {
      target(part, {scope, &tree}, What::Loops);
    } else if (first && part.kind == Kind::Declare) {
      declare(part, in, What::Loops);
    } else if (first && part.kind == Kind::Block) {
      for (const Tree& one : part.children)
        one.kind == Kind::Declare ? declare(one, in, What::Loops) : expression(one, in);
    } else if (isPython_ && part.kind == Kind::Block) {
      all(part.children, inner);
    } else {
      statement(part, inner);
    }
  }
}

// from config import BM, BN as BK; global BM; del BM
void Declarations::Builder::import(const Tree& tree, const In& in) {
  const std::string_view text = tree.text;
  const std::size_t end = text.find(' ');
  const std::string_view word = text.substr(0, end);
  const bool imports = word == "import" || word == "from", global = word == "global" || word == "nonlocal";
  if ((!imports && !global && word != "del") || end == std::string_view::npos) return;
  const std::size_t from = word == "from" ? text.find(" import ") : end;
  if (from == std::string_view::npos) return;
  const In where = global ? In{0, in.statement} : in;
  const std::string_view list = text.substr(word == "from" ? from + 8 : from + 1);
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    std::string_view one = stripped(list.substr(at, comma - at));
    if (const std::size_t as = one.find(" as "); as != std::string_view::npos) one = stripped(one.substr(as + 4));
    while (!one.empty() && !isNamePart(one.front())) one.remove_prefix(1);
    std::size_t size = 0;
    while (size < one.size() && isNamePart(one[size])) ++size;
    add(std::string(one.substr(0, size)), tree, where, imports ? What::Elsewhere : What::Changes, tree.span.begin);
    at = comma + 1;
  }
}

void Declarations::Builder::directive(const Tree& tree, const In& in) {
  if (tree.text.starts_with("using ") && !tree.text.starts_with("using namespace ")) {
    const std::size_t colon = tree.text.rfind("::");
    if (colon != std::string::npos)
      add(std::string(stripped(std::string_view(tree.text).substr(colon + 2))), tree, in, What::Elsewhere,
          tree.span.begin);
  }
  if (!tree.text.starts_with('#')) return;
  const std::string_view word = directiveWord(tree.text);
  if (word == "undef") {
    const std::string_view rest = stripped(std::string_view(tree.text).substr(tree.text.find("undef") + 5));
    return add(std::string(rest), tree, {0, &tree}, What::Changes, tree.span.begin);
  }
  if (word.starts_with("if")) {
    branches_.emplace_back(++conditions_, 0);
  } else if (word.starts_with("el") && !branches_.empty()) {
    ++branches_.back().second;
  } else if (word == "endif" && !branches_.empty()) {
    branches_.pop_back();
  } else {
    return;
  }
  spend(static_cast<Work>(branches_.size()));
  out_.directives_.push_back({tree.span.begin, branches_});
}

void Declarations::Builder::opaque(const Tree& tree, const In& in) {
  for (const std::string& name : assemblyOutputs(tree.text)) add(name, tree, in, What::Changes, tree.span.begin);
}

void Declarations::Builder::expression(const Tree& tree, const In& in) {
  spend();
  if (tree.kind == Kind::Assign) return assign(tree, in);
  if (tree.kind == Kind::Subscript) return subscript(tree, in);
  if (tree.kind == Kind::Opaque) return opaque(tree, in);
  if (tree.kind == Kind::Declare) return declare(tree, in, What::Defines);
  if (tree.kind == Kind::Block) return all(tree.children, open(in.scope, ScopeKind::Block, tree.span));
  if (tree.kind == Kind::Lambda) {
    const int inner = open(in.scope, ScopeKind::Function, tree.span);
    parameters(tree.parameters, tree, inner);
    if (tree.children.empty()) return;
    if (tree.children[0].kind == Kind::Block) return all(tree.children[0].children, inner);
    return expression(tree.children[0], {inner, in.statement});
  }
  if (isStep(tree) && !tree.children.empty()) target(tree.children[0], in, What::Changes);
  for (const auto* list : {&tree.children, &tree.templateArguments})
    for (const Tree& part : *list) expression(part, in);
}

void Declarations::Builder::assign(const Tree& tree, const In& in) {
  const bool defines =
      isPython_ && tree.text == "=" && in.statement != nullptr && in.statement->kind == Kind::Expression;
  target(tree.children[0], in, defines ? What::Defines : What::Changes);
  for (const Tree& part : tree.children) expression(part, in);
}

// The variables that an assignment to this changes.
void Declarations::Builder::target(const Tree& tree, const In& in, What what) {
  switch (tree.kind) {
    case Kind::Name:
      return add(tree.text, what == What::Defines ? *in.statement : tree, in, what, tree.span.begin);
    case Kind::Tuple:
    case Kind::List:
      for (const Tree& part : tree.children) target(part, in, what);
      return;
    case Kind::Star:
      if (!tree.children.empty()) target(tree.children[0], in, what);
      return;
    case Kind::Member:
      if (!tree.children.empty()) target(tree.children[0], in, What::Changes);
      return;
    default:
      return;
  }
}

void Declarations::Builder::subscript(const Tree& tree, const In& in) {
  const Tree* base = &tree;
  while (base->kind == Kind::Subscript && !base->children.empty()) {
    for (std::size_t k = 1; k < base->children.size(); ++k) expression(base->children[k], in);
    base = base->children.data();
  }
  if (base->kind == Kind::Name) return add(base->text, tree, in, What::Access, tree.span.begin);
  expression(*base, in);
}

}  // namespace tessera::code
