#include "core/base/chars.h"
#include "core/code/cpp/read_cpp.h"

namespace tessera::code::cpp {

namespace {

using Kind = Tree::Kind;

bool lineEndsBefore(const In& in, int i) {
  const std::size_t begin = in.token(i - 1).span.end;
  return in.source().substr(begin, in.token(i).span.begin - begin).find('\n') != std::string_view::npos;
}

// Whether an unreadable statement that ended in a block goes on: do {} while, try {} catch, {}.
bool goesOnAfterBlock(const In& in) { return in.is(";") || in.is("while") || in.is("catch") || in.is("else"); }

// Past what cannot be read: to a `;` or past a block.
Tree opaque(In& in, int first) {
  in.at = first;
  bool done = in.is(")") || in.is("]") || in.is(">") || in.is(",") || in.is("}");
  if (done) in.next();
  while (!done && !in.atEnd() && !in.is("}") && (in.at == first || in.kind() != Token::Kind::Directive)) {
    spend();
    const bool blockBegins = in.is("{");
    done = in.is(";");
    if (in.token(in.at).match > in.at) in.at = in.token(in.at).match;
    in.next();
    done = done || (blockBegins && !goesOnAfterBlock(in));
  }
  Tree out = node(Kind::Opaque, in.spanFrom(first));
  out.text = written(in, first);
  return out;
}

// The statement after if, for, while; several declarations become a Block.
Result<Tree> body(In& in) {
  while (in.kind() == Token::Kind::Directive) in.next();
  if (in.is("{")) return block(in);
  const int first = in.at;
  if (in.accept(";") || in.atEnd()) return emptyAt(in);
  std::vector<Tree> out;
  TESSERA_CHECKED(statement(in, out));
  if (out.size() == 1) return std::move(out[0]);
  return node(Kind::Block, in.spanFrom(first), {}, std::move(out));
}

// `int i = 0`, `x = 3`, several as a Block; without the `;`.
Result<Tree> header(In& in, std::string_view closer) {
  if (in.is(closer)) return emptyAt(in);
  if (!isDeclaration(in)) return expression(in);
  const int first = in.at;
  std::vector<Tree> out;
  TESSERA_CHECKED(declaration(in, out));
  if (out.size() == 1) return std::move(out[0]);
  return node(Kind::Block, in.spanFrom(first), {}, std::move(out));
}

Result<Tree> ifStatement(In& in) {
  const int first = in.at;
  in.next();
  Tree out = node(Kind::If, {});
  if (in.nameAt(in.at) && in.is("(", 1)) {
    // A macro may stand for `constexpr`.
    out.qualifiers = "constexpr";
    in.next();
  }
  TESSERA_CHECKED(in.expect("(", "after `if`"));
  TESSERA_TRY(Tree condition, header(in, ")"));
  std::optional<Tree> before;
  if (in.accept(";")) {
    before = std::move(condition);
    TESSERA_TRY(condition, header(in, ")"));
  }
  TESSERA_CHECKED(in.expect(")", "after a condition"));
  out.children.push_back(std::move(condition));
  TESSERA_TRY(Tree then, body(in));
  out.children.push_back(std::move(then));
  if (in.accept("else")) {
    TESSERA_TRY(Tree otherwise, body(in));
    out.children.push_back(std::move(otherwise));
  } else {
    out.children.push_back(emptyAt(in));
  }
  out.span = in.spanFrom(first);
  out = finished(std::move(out));
  if (!before) return out;
  return node(Kind::Block, out.span, {}, {*std::move(before), std::move(out)});
}

Result<Tree> forStatement(In& in) {
  const int first = in.at;
  in.next();
  Tree out = node(Kind::For, {});
  TESSERA_CHECKED(in.expect("(", "after `for`"));
  TESSERA_TRY(Tree initial, header(in, ";"));
  out.children.push_back(std::move(initial));
  if (in.accept(":")) {
    out.text = ":";
    TESSERA_TRY(Tree range, initializer(in));
    out.children.push_back(std::move(range));
  } else {
    TESSERA_CHECKED(in.expect(";", "in `for`"));
    TESSERA_TRY(Tree condition, header(in, ";"));
    out.children.push_back(std::move(condition));
    TESSERA_CHECKED(in.expect(";", "in `for`"));
    Tree step = emptyAt(in);
    if (!in.is(")")) {
      TESSERA_TRY(step, expression(in));
    }
    out.children.push_back(std::move(step));
  }
  TESSERA_CHECKED(in.expect(")", "after the head of a loop"));
  TESSERA_TRY(Tree inside, body(in));
  out.children.push_back(std::move(inside));
  out.span = in.spanFrom(first);
  return finished(std::move(out));
}

// while (c) body; switch (c) body.
Result<Tree> whileStatement(In& in, Kind kind) {
  const int first = in.at;
  in.next();
  TESSERA_CHECKED(in.expect("(", "before a condition"));
  TESSERA_TRY(Tree condition, header(in, ")"));
  TESSERA_CHECKED(in.expect(")", "after a condition"));
  TESSERA_TRY(Tree inside, body(in));
  return node(kind, in.spanFrom(first), {}, {std::move(condition), std::move(inside)});
}

Result<Tree> doStatement(In& in) {
  const int first = in.at;
  in.next();
  TESSERA_TRY(Tree inside, body(in));
  TESSERA_CHECKED(in.expect("while", "after the body of `do`"));
  TESSERA_CHECKED(in.expect("(", "after `while`"));
  TESSERA_TRY(Tree condition, expression(in));
  TESSERA_CHECKED(in.expect(")", "after a condition"));
  if (!in.accept(";") && !in.atEnd()) return in.fail("`;` is missing here", ";");
  // The condition follows the body.
  return node(Kind::While, in.spanFrom(first), "do", {std::move(condition), std::move(inside)});
}

Result<Tree> caseLabel(In& in) {
  const int first = in.at;
  Tree out = node(Kind::Case, {});
  const bool any = in.is("default");
  in.next();
  if (!any) {
    TESSERA_TRY(Tree value, assignment(in));
    out.children.push_back(std::move(value));
  }
  TESSERA_CHECKED(in.expect(":", "after a label"));
  out.span = in.spanFrom(first);
  return finished(std::move(out));
}

Result<Tree> returnStatement(In& in) {
  const int first = in.at;
  in.next();
  Tree out = node(Kind::Return, {});
  if (!in.is(";") && !in.is("}") && !in.atEnd()) {
    auto value = initializer(in);
    if (!value) return value.error();
    out.children.push_back(*std::move(value));
  }
  out.span = in.spanFrom(first);
  TESSERA_CHECKED(endOfStatement(in));
  return finished(std::move(out));
}

// A statement that begins with a word of its own; false: it does not.
Result<bool> wordStatement(In& in, std::vector<Tree>& out) {
  const auto add = [&](Result<Tree> made) -> Result<bool> {
    if (!made) return made.error();
    out.push_back(*std::move(made));
    return true;
  };
  const int first = in.at;
  if (in.is("if")) return add(ifStatement(in));
  if (in.is("for")) return add(forStatement(in));
  if (in.is("while")) return add(whileStatement(in, Kind::While));
  if (in.is("switch")) return add(whileStatement(in, Kind::Switch));
  if (in.is("do")) return add(doStatement(in));
  if (in.is("case") || (in.is("default") && in.is(":", 1))) return add(caseLabel(in));
  if (in.is("return") || in.is("co_return")) return add(returnStatement(in));
  if (in.is("using")) return add(aliasStatement(in));
  if (in.is("typedef")) return add(typedefStatement(in));
  if (in.is("namespace") || (in.is("inline") && in.is("namespace", 1))) {
    if (in.is("inline")) in.next();
    return add(namespaceStatement(in));
  }
  if (in.is("break") || in.is("continue")) {
    const Kind kind = in.is("break") ? Kind::Break : Kind::Continue;
    in.next();
    TESSERA_CHECKED(endOfStatement(in));
    return add(node(kind, in.token(first).span));
  }
  if (in.is("public") || in.is("private") || in.is("protected")) {
    in.next();
    if (!in.accept(":")) return in.fail("`:` is missing here", ":");
    return add(node(Kind::Directive, in.spanFrom(first), written(in, first)));
  }
  if (in.is("extern") && in.kind(1) == Token::Kind::String && in.is("{", 2)) {
    in.at += 2;
    return add(block(in));
  }
  if (in.is("template") && in.is("<", 1)) {
    TESSERA_CHECKED(templateStatement(in, out));
    return true;
  }
  if (in.is("struct") || in.is("class") || in.is("union") || in.is("enum")) {
    const int bodyAt = structBody(in);
    if (bodyAt < 0) return false;
    TESSERA_CHECKED(structStatement(in, bodyAt, out));
    return true;
  }
  return false;
}

Result<void> expressionStatement(In& in, std::vector<Tree>& out) {
  const int first = in.at;
  // A fragment may be a list: {64, 128}.
  auto value = in.is("{") ? initializer(in) : expression(in);
  if (!value) return value.error();
  Tree made = node(Kind::Expression, in.spanFrom(first));
  made.children.push_back(*std::move(value));
  TESSERA_CHECKED(endOfStatement(in));
  out.push_back(finished(std::move(made)));
  return {};
}

// {a, b} and nothing after it.
bool isLoneList(const In& in) {
  const int close = in.token(in.at).match;
  if (!in.fragment || close < 0 || in.token(close + 1).kind != Token::Kind::End || close == in.at + 1) return false;
  for (int i = in.at + 1; i < close; ++i) {
    if (in.isAt(i, ";") || in.token(i).kind == Token::Kind::Directive || isKeyword(in.text(i))) return false;
    if (in.token(i).match > i && !in.isAt(i, "{")) i = in.token(i).match;
  }
  return true;
}

}  // namespace

// The text of the tokens read since `first`.
std::string written(const In& in, int first) {
  const Span span = in.spanFrom(first);
  return std::string(stripped(in.source().substr(span.begin, span.end - span.begin)));
}

// A `;`; in a fragment also the end of the line or of what is around.
Result<void> endOfStatement(In& in) {
  if (in.accept(";") || in.atEnd() || in.is("}")) return {};
  if (in.kind() == Token::Kind::Directive) return {};
  if (in.fragment && (in.is(")") || in.is("]") || in.is(">") || in.is(",") || lineEndsBefore(in, in.at))) return {};
  return in.fail("`;` is missing here", ";");
}

Result<Tree> block(In& in) {
  const Nesting level;
  TESSERA_CHECKED(in.enough(level));
  const int first = in.at;
  Tree out = node(Kind::Block, {});
  in.next();
  const bool before = std::exchange(in.angle, false);
  TESSERA_CHECKED(statements(in, out.children));
  in.angle = before;
  TESSERA_CHECKED(in.expect("}", "after a block"));
  out.span = in.spanFrom(first);
  return finished(std::move(out));
}

Result<void> statement(In& in, std::vector<Tree>& out) {
  const Nesting level;
  TESSERA_CHECKED(in.enough(level));
  if (in.kind() == Token::Kind::Directive) {
    TESSERA_TRY(Tree made, directive(in));
    out.push_back(std::move(made));
    return {};
  }
  if (in.is("{") && !isLoneList(in)) {
    TESSERA_TRY(Tree made, block(in));
    out.push_back(std::move(made));
    return {};
  }
  TESSERA_TRY(const bool worded, wordStatement(in, out));
  if (worded) return {};
  if (!isDeclaration(in)) return expressionStatement(in, out);
  TESSERA_CHECKED(declaration(in, out));
  if (out.back().kind == Kind::Function) return {};
  return endOfStatement(in);
}

Result<void> statements(In& in, std::vector<Tree>& out) {
  while (!in.atEnd() && !in.is("}")) {
    spend();
    if (in.accept(";")) continue;
    const int first = in.at;
    const std::size_t before = out.size();
    const bool angle = in.angle;
    const std::string structName = in.structName;
    if (auto read = statement(in, out); read && in.at > first) continue;
    // An outer reader that needs a closing bracket after this point would fail as well.
    if (!in.fragment && in.atEnd()) return in.fail("the text ends too early");
    in.angle = angle;
    in.structName = structName;
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(before), out.end());
    out.push_back(opaque(in, first));
  }
  return {};
}

}  // namespace tessera::code::cpp
