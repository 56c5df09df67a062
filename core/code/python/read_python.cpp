#include <algorithm>
#include <array>

#include "core/base/cursor.h"
#include "core/code/python/python_reader.h"

namespace tessera::code {
namespace {

constexpr std::array<std::string_view, 13> kAugmented = {
    "+=", "-=", "*=", "/=", "//=", "%=", "@=", "&=", "|=", "^=", ">>=", "<<=", "**="};
constexpr std::array<std::string_view, 8> kDirectives = {"import", "from",     "pass",  "raise",
                                                         "del",    "nonlocal", "yield", "global"};
constexpr std::array<std::string_view, 11> kCompound = {"if",  "for",   "while",  "def",     "class", "with",
                                                        "try", "async", "except", "finally", "@"};

template <typename Words>
bool isOneOf(const Words& words, std::string_view text) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

}  // namespace

Result<std::vector<Tree>> PythonStatements::all() {
  std::vector<Tree> out;
  while (here().kind == PythonToken::Kind::Line && next().kind != PythonToken::Kind::End)
    TESSERA_CHECKED(block(here().indent, out));
  return out;
}

// Lines at this indentation or deeper.
Result<void> PythonStatements::block(int indent, std::vector<Tree>& out) {
  while (here().kind == PythonToken::Kind::Line && here().indent >= indent && next().kind != PythonToken::Kind::End) {
    const int depth = here().indent;
    seek(position() + 1);
    TESSERA_CHECKED(line(depth, out));
  }
  return {};
}

Result<void> PythonStatements::line(int indent, std::vector<Tree>& out) {
  const Nesting level;
  if (level.tooDeep()) return tooDeep();
  if (!atCompound()) return simpleStatements(out);
  const std::size_t from = position();
  Result<Tree> read = compound(indent);
  if (!read && failedWhole()) return read.error();
  if (!read) {
    seek(from);
    out.push_back(restOfLine(Kind::Opaque));
    return {};
  }
  out.push_back(*std::move(read));
  return {};
}

bool PythonStatements::atCompound() const { return isOneOf(kCompound, here().text) && !atLineEnd(); }

Result<Tree> PythonStatements::compound(int indent) {
  if (at("@")) return restOfLine(Kind::Directive);
  accept("async");
  if (at("if")) return ifStatement(indent);
  if (at("for")) return forStatement(indent);
  if (at("while")) return whileStatement(indent);
  if (at("def")) return function(indent);
  if (at("class")) return classStatement(indent);
  if (at("with")) return withStatement(indent);
  return tryStatement(indent);
}

// The statements after the colon of a line with this indentation.
Result<Tree> PythonStatements::suite(int indent) {
  TESSERA_CHECKED(expect(":", "at the end of the line"));
  const std::size_t from = endBefore();
  std::vector<Tree> inside;
  if (!atLineEnd()) {
    TESSERA_CHECKED(simpleStatements(inside));
  } else if (here().kind == PythonToken::Kind::Line && here().indent > indent) {
    TESSERA_CHECKED(block(here().indent, inside));
  }
  const std::size_t begins = inside.empty() ? from : inside.front().span.begin;
  return node(Kind::Block, begins, std::move(inside));
}

// `else` and its kind begin a line left of the body, at the indentation of the `if` or, if that was lost, right of it.
bool PythonStatements::acceptContinuation(int indent, std::string_view word) {
  if (here().kind != PythonToken::Kind::Line || here().indent < indent || next().text != word) return false;
  seek(position() + 2);
  return true;
}

Result<Tree> PythonStatements::ifStatement(int indent) {
  const Nesting level;
  if (level.tooDeep()) return tooDeep();
  const std::size_t from = begin();
  seek(position() + 1);
  TESSERA_TRY(Tree condition, expression());
  TESSERA_TRY(Tree then, suite(indent));
  Tree otherwise = node(Kind::Empty, then.span.end);
  if (here().kind == PythonToken::Kind::Line && here().indent >= indent && next().text == "elif") {
    seek(position() + 1);
    TESSERA_TRY(otherwise, ifStatement(indent));
  } else if (acceptContinuation(indent, "else")) {
    TESSERA_TRY(otherwise, suite(indent));
  }
  return node(Kind::If, from, moved(std::move(condition), std::move(then), std::move(otherwise)));
}

Result<Tree> PythonStatements::forStatement(int indent) {
  const std::size_t from = begin();
  seek(position() + 1);
  TESSERA_TRY(Tree target, withoutCondition());
  TESSERA_CHECKED(expect("in", "after the target"));
  TESSERA_TRY(Tree range, expressions());
  TESSERA_TRY(Tree body, suite(indent));
  return node(Kind::For, from, moved(std::move(target), std::move(range), std::move(body)), "in");
}

Result<Tree> PythonStatements::whileStatement(int indent) {
  const std::size_t from = begin();
  seek(position() + 1);
  TESSERA_TRY(Tree condition, expression());
  TESSERA_TRY(Tree body, suite(indent));
  return node(Kind::While, from, moved(std::move(condition), std::move(body)));
}

Result<Tree> PythonStatements::function(int indent) {
  const std::size_t from = begin();
  seek(position() + 1);
  TESSERA_TRY(std::string called, name("a name"));
  TESSERA_CHECKED(expect("(", "after the name of a function"));
  TESSERA_TRY(std::vector<Tree::Parameter> names, parameters(")"));
  TESSERA_CHECKED(expect(")", "after the parameters"));
  Tree type = absent();
  if (accept("->")) {
    TESSERA_TRY(type, expression());
  }
  TESSERA_TRY(Tree body, suite(indent));
  Tree out = node(Kind::Function, from, moved(std::move(body), std::move(type)), std::move(called));
  out.parameters = std::move(names);
  return out;
}

Result<Tree> PythonStatements::classStatement(int indent) {
  const std::size_t from = begin();
  seek(position() + 1);
  TESSERA_TRY(std::string called, name("a name"));
  if (at("(")) {
    TESSERA_TRY(const Tree bases, expression());
  }
  TESSERA_TRY(Tree body, suite(indent));
  Tree out = node(Kind::Struct, from, std::move(body.children), std::move(called));
  out.qualifiers = "class";
  return out;
}

Result<Tree> PythonStatements::withStatement(int indent) {
  const std::size_t from = begin();
  seek(position() + 1);
  const std::size_t bracket = position();
  // `with (a as x, b as y):` is not an expression.
  Result<Tree> plain = at("(") ? expression() : Result<Tree>(Diag{"no bracket"});
  if (!plain && failedWhole()) return plain;
  seek(bracket);
  const bool bracketed = !plain && accept("(");
  std::vector<Tree> inside;
  do {
    const std::size_t begins = begin();
    TESSERA_TRY(Tree item, expression());
    if (accept("as")) {
      TESSERA_TRY(Tree target, expression());
      item = node(Kind::Assign, begins, moved(std::move(target), std::move(item)), "=");
    }
    inside.push_back(node(Kind::Expression, begins, moved(std::move(item))));
  } while (accept(",") && !at(")"));
  if (bracketed) TESSERA_CHECKED(expect(")", "after the last item"));
  TESSERA_TRY(Tree body, suite(indent));
  inside.push_back(std::move(body));
  Tree out = node(Kind::Block, from, std::move(inside));
  out.qualifiers = "with";
  return out;
}

// try, except X as e, finally
Result<Tree> PythonStatements::tryStatement(int indent) {
  const std::size_t from = begin();
  std::string word(here().text);
  seek(position() + 1);
  while (!at(":") && !atLineEnd()) seek(position() + 1);
  TESSERA_TRY(Tree body, suite(indent));
  Tree out = node(Kind::Block, from, std::move(body.children));
  out.qualifiers = std::move(word);
  return out;
}

Result<void> PythonStatements::simpleStatements(std::vector<Tree>& out) {
  while (!atLineEnd()) {
    const std::size_t from = position();
    Result<Tree> read = simpleStatement();
    if (!read && failedWhole()) return read.error();
    if (read && (atLineEnd() || at(";"))) {
      out.push_back(*std::move(read));
      if (!accept(";")) break;
      continue;
    }
    seek(from);
    out.push_back(restOfLine(Kind::Opaque));
  }
  return {};
}

Result<Tree> PythonStatements::simpleStatement() {
  const std::size_t from = begin();
  if (isOneOf(kDirectives, here().text) && here().kind == PythonToken::Kind::Name) return directive();
  if (accept("break")) return node(Kind::Break, from);
  if (accept("continue")) return node(Kind::Continue, from);
  if (accept("return")) {
    if (atLineEnd() || at(";")) return node(Kind::Return, from);
    TESSERA_TRY(Tree value, expressions());
    return node(Kind::Return, from, moved(std::move(value)));
  }
  if (accept("assert")) {
    TESSERA_TRY(Tree condition, expressions());
    Tree out = node(Kind::Directive, from, moved(std::move(condition)));
    out.text = textOf(out.span);
    return out;
  }
  return assignment();
}

Result<Tree> PythonStatements::directive() {
  const std::size_t from = begin();
  while (!atLineEnd() && !at(";")) seek(position() + 1);
  Tree out = node(Kind::Directive, from);
  out.text = textOf(out.span);
  return out;
}

Result<Tree> PythonStatements::assignment() {
  const std::size_t from = begin();
  TESSERA_TRY(Tree target, expressions());
  if (accept(":")) return annotated(from, std::move(target));
  if (!at("=") && !isOneOf(kAugmented, here().text)) return node(Kind::Expression, from, moved(std::move(target)));
  TESSERA_TRY(Tree whole, assigned(from, std::move(target)));
  return node(Kind::Expression, from, moved(std::move(whole)));
}

Result<Tree> PythonStatements::assigned(std::size_t from, Tree target) {
  const Nesting level;
  if (level.tooDeep()) return tooDeep();
  std::string sign(here().text);
  seek(position() + 1);
  const std::size_t begins = begin();
  TESSERA_TRY(Tree value, expressions());
  if (sign == "=" && at("=")) {
    TESSERA_TRY(value, assigned(begins, std::move(value)));
  }
  return node(Kind::Assign, from, moved(std::move(target), std::move(value)), std::move(sign));
}

Result<Tree> PythonStatements::annotated(std::size_t from, Tree target) {
  if (target.kind != Kind::Name && target.kind != Kind::Member) return missing("a statement");
  TESSERA_TRY(Tree type, expression());
  Tree value = absent();
  if (accept("=")) {
    TESSERA_TRY(value, expressions());
  }
  return node(Kind::Declare, from, moved(std::move(type), std::move(value)), textOf(target.span));
}

Result<std::vector<Tree>> readPython(std::string_view text) { return PythonStatements(text).all(); }

Result<Tree> readPythonExpression(std::string_view text) { return PythonExpressions(text).whole(); }

}  // namespace tessera::code
