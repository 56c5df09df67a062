#include <array>
#include <charconv>

#include "core/base/chars.h"
#include "core/code/cpp/read_cpp.h"

namespace tessera::code::cpp {

namespace {

using Kind = Tree::Kind;

struct Operator {
  std::string_view text;
  int tokens = 0;
  int precedence = -1;  // below 0: none
};

// Higher binds tighter.
constexpr std::array<std::pair<std::string_view, int>, 27> kBinary = {
    {{"*", 10},     {"/", 10},  {"%", 10},   {"+", 9},  {"-", 9},      {"<<", 8},  {"<=>", 7},
     {"<", 6},      {"<=", 6},  {"==", 5},   {"!=", 5}, {"&", 4},      {"^", 3},   {"|", 2},
     {"&&", 1},     {"||", 0},  {"and", 1},  {"or", 0}, {"bitand", 4}, {"xor", 3}, {"bitor", 2},
     {"not_eq", 5}, {".*", 11}, {"->*", 11}, {">>", 8}, {">=", 6},     {">", 6}}};

std::string_view canonical(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kWords = {
      {{"and", "&&"}, {"or", "||"}, {"bitand", "&"}, {"xor", "^"}, {"bitor", "|"}, {"not_eq", "!="}}};
  for (const auto& [word, mark] : kWords)
    if (text == word) return mark;
  return text;
}

Operator operatorAt(In& in) {
  if (in.is(">")) {
    // `>=` never closes template arguments.
    if (in.angle) return in.touches(in.at) && in.is("=", 1) ? Operator{">=", 2, 6} : Operator{};
    const bool second = in.touches(in.at) && in.is(">", 1);
    const bool third = in.touches(in.at + (second ? 1 : 0)) && in.is("=", second ? 2 : 1);
    if (second && third) return {};
    if (second) return {">>", 2, 8};
    if (third) return {">=", 2, 6};
    // A fragment may begin inside template arguments.
    return beginsOperand(in, in.at + 1) ? Operator{">", 1, 6} : Operator{};
  }
  if (in.kind() == Token::Kind::Mark || in.kind() == Token::Kind::Name)
    for (const auto& [text, precedence] : kBinary)
      if (in.is(text)) return {canonical(text), 1, precedence};
  return {};
}

// The assignment operator here; its number of tokens in `tokens`.
std::string_view assignmentAt(In& in, int& tokens) {
  constexpr std::array<std::string_view, 10> kMarks = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<="};
  tokens = 1;
  for (const std::string_view mark : kMarks)
    if (in.is(mark)) return mark;
  tokens = 3;
  const bool shift = in.is(">") && in.is(">", 1) && in.is("=", 2) && in.touches(in.at) && in.touches(in.at + 1);
  return shift && !in.angle ? ">>=" : "";
}

Result<Tree> launch(In& in, Tree kernel, int first) {
  Tree out = node(Kind::Launch, {});
  out.children.push_back(std::move(kernel));
  in.next();
  {
    const bool before = std::exchange(in.angle, true);
    for (;;) {
      auto argument = initializer(in);
      if (!argument) return argument.error();
      out.children.push_back(*std::move(argument));
      if (!in.accept(",")) break;
    }
    in.angle = before;
  }
  for (int i = 0; i < 3; ++i) TESSERA_CHECKED(in.expect(">", "after the configuration of a launch"));
  out.span = in.spanFrom(first);
  return checked(in, std::move(out));
}

Result<Tree> member(In& in, Tree of, int first) {
  Tree out = node(Kind::Member, {});
  if (in.is("->")) out.qualifiers = "->";
  out.children.push_back(std::move(of));
  in.next();
  if (in.is("template")) in.next();
  if (in.accept("~")) out.text = "~";
  if (!in.nameAt(in.at)) return in.fail("the name of a member is missing here", "a name");
  const bool isOperator = in.is("operator");
  out.text += in.text(in.at);
  in.next();
  if (isOperator) {
    for (; !in.atEnd() && (!in.is("(") || in.is(")", 1)); in.next()) {
      out.text += in.text(in.at);
      if (in.is(")")) {
        in.next();
        break;
      }
    }
  }
  while (in.is("::") && in.nameAt(in.at + 1)) {
    in.next();
    (out.text += "::") += in.text(in.at);
    in.next();
  }
  if (in.is("<") && in.opensTemplate(in.at, false)) {
    out.isTemplate = true;
    TESSERA_CHECKED(templateArguments(in, out.templateArguments));
  }
  out.span = in.spanFrom(first);
  return checked(in, std::move(out));
}

// Whether the `{` here begins an initializer of the expression before it, not a block.
bool isInitializer(const In& in, const Tree& of) {
  const bool typeLike =
      of.kind == Kind::Name || of.kind == Kind::Type || (of.kind == Kind::Call && of.children[0].text == "decltype");
  if (!typeLike) return false;
  const int close = in.token(in.at).match;
  if (close < 0) return true;
  for (int i = in.at + 1; i < close; ++i) {
    if (in.isAt(i, ";")) return false;
    if (in.token(i).match > i) i = in.token(i).match;
  }
  return true;
}

Result<Tree> postfix(In& in) {
  const int first = in.at;
  TESSERA_TRY(Tree left, primary(in));
  for (;;) {
    spend();
    if (in.kind() != Token::Kind::Mark) return left;
    if (in.is("(") || in.is("[")) {
      const bool call = in.is("(");
      Tree out = node(call ? Kind::Call : Kind::Subscript, {});
      out.children.push_back(std::move(left));
      in.next();
      TESSERA_CHECKED(arguments(in, call ? ")" : "]", out.children));
      out.span = in.spanFrom(first);
      TESSERA_TRY(left, checked(in, std::move(out)));
    } else if (in.is("{") && isInitializer(in, left)) {
      TESSERA_TRY(left, bracedList(in, std::move(left), first));
    } else if (in.is(".") || in.is("->")) {
      TESSERA_TRY(left, member(in, std::move(left), first));
    } else if (in.is("<<<")) {
      TESSERA_TRY(left, launch(in, std::move(left), first));
    } else if (in.is("++") || in.is("--")) {
      std::string text = in.is("++") ? "p++" : "p--";
      in.next();
      Tree out = node(Kind::Unary, in.spanFrom(first), std::move(text));
      out.children.push_back(std::move(left));
      TESSERA_TRY(left, checked(in, std::move(out)));
    } else if (in.is("...") && in.is(">", 1)) {
      in.next();
      Tree out = node(Kind::Unary, in.spanFrom(first), "...");
      out.children.push_back(std::move(left));
      TESSERA_TRY(left, checked(in, std::move(out)));
    } else {
      return left;
    }
  }
}

Result<Tree> sizeOf(In& in) {
  const int first = in.at;
  Tree out = node(Kind::Unary, {}, in.is("sizeof") ? "sizeof" : "alignof");
  in.next();
  if (in.is("...")) {
    in.next();
    out.text += "...";
  }
  const int close = in.is("(") ? in.token(in.at).match : -1;
  bool sure = false;
  if (close > 0 && in.skipType(in.at + 1, &sure) == close) {
    in.next();
    const Bracketed inside(in);
    TESSERA_TRY(Tree of, type(in));
    in.next();
    out.children.push_back(std::move(of));
  } else {
    TESSERA_TRY(Tree of, unary(in));
    out.children.push_back(std::move(of));
  }
  out.span = in.spanFrom(first);
  return checked(in, std::move(out));
}

Result<Tree> binary(In& in, int lowest) {
  const int first = in.at;
  TESSERA_TRY(Tree left, unary(in));
  for (;;) {
    const Operator op = operatorAt(in);
    if (op.precedence < lowest) return left;
    for (int i = 0; i < op.tokens; ++i) in.next();
    TESSERA_TRY(Tree right, binary(in, op.precedence + 1));
    Tree out = node(Kind::Binary, in.spanFrom(first), std::string(op.text));
    out.children.push_back(std::move(left));
    out.children.push_back(std::move(right));
    TESSERA_TRY(left, checked(in, std::move(out)));
  }
}

Result<Tree> conditional(In& in) {
  const int first = in.at;
  TESSERA_TRY(Tree condition, binary(in, 0));
  if (!in.accept("?")) return condition;
  Tree out = node(Kind::Conditional, {});
  out.children.push_back(std::move(condition));
  TESSERA_TRY(Tree then, assignment(in));
  out.children.push_back(std::move(then));
  TESSERA_CHECKED(in.expect(":", "in a conditional expression"));
  TESSERA_TRY(Tree otherwise, assignment(in));
  out.children.push_back(std::move(otherwise));
  out.span = in.spanFrom(first);
  return checked(in, std::move(out));
}

}  // namespace

Result<Tree> checked(In& in, Tree tree) {
  tree = finished(std::move(tree));
  if (tree.height > kMostHeight)
    return in.fail("this expression nests more than " + std::to_string(kMostHeight) + " levels deep");
  return tree;
}

bool beginsOperand(const In& in, int i) {
  const Token& token = in.token(i);
  if (token.kind == Token::Kind::Name) return !in.isAt(i, "and") && !in.isAt(i, "or");
  if (token.kind == Token::Kind::Mark) {
    for (const std::string_view mark : {"(", "-", "+", "~", "!", "*", "&", "++", "--", "::", "["})
      if (in.isAt(i, mark)) return true;
    return false;
  }
  return token.kind != Token::Kind::End && token.kind != Token::Kind::Directive;
}

Result<Tree> bracedList(In& in, Tree of, int first) {
  Tree out = node(Kind::Braces, {});
  out.children.push_back(std::move(of));
  in.next();
  TESSERA_CHECKED(arguments(in, "}", out.children));
  out.span = in.spanFrom(first);
  return checked(in, std::move(out));
}

Result<Tree> unary(In& in) {
  constexpr std::array<std::string_view, 10> kMarks = {"-", "+", "~", "!", "*", "&", "++", "--", "not", "compl"};
  const Nesting level;
  TESSERA_CHECKED(in.enough(level));
  if (in.is("sizeof") || in.is("alignof")) return sizeOf(in);
  if (isArrayLiteral(in)) return arrayLiteral(in);
  if (in.is("(") && isCast(in)) return castExpression(in);
  const int first = in.at;
  for (const std::string_view mark : kMarks) {
    if (!in.is(mark)) continue;
    in.next();
    TESSERA_TRY(Tree operand, unary(in));
    const std::string_view text = mark == "not" ? "!" : mark == "compl" ? "~" : mark;
    Tree out = node(Kind::Unary, in.spanFrom(first), std::string(text));
    out.children.push_back(std::move(operand));
    return checked(in, std::move(out));
  }
  return postfix(in);
}

Result<Tree> assignment(In& in) {
  const Nesting level;
  TESSERA_CHECKED(in.enough(level));
  const int first = in.at;
  TESSERA_TRY(Tree target, conditional(in));
  int tokens = 0;
  const std::string_view mark = assignmentAt(in, tokens);
  if (mark.empty()) return target;
  for (int i = 0; i < tokens; ++i) in.next();
  TESSERA_TRY(Tree value, initializer(in));
  Tree out = node(Kind::Assign, in.spanFrom(first), std::string(mark));
  out.children.push_back(std::move(target));
  out.children.push_back(std::move(value));
  return checked(in, std::move(out));
}

Result<Tree> initializer(In& in) {
  if (!in.is("{")) return assignment(in);
  const Nesting level;
  TESSERA_CHECKED(in.enough(level));
  return bracedList(in, node(Kind::Empty, {in.token(in.at).span.begin, in.token(in.at).span.begin}), in.at);
}

Result<Tree> expression(In& in) {
  const int first = in.at;
  TESSERA_TRY(Tree left, assignment(in));
  while (in.accept(",")) {
    TESSERA_TRY(Tree right, assignment(in));
    Tree out = node(Kind::Binary, in.spanFrom(first), ",");
    out.children.push_back(std::move(left));
    out.children.push_back(std::move(right));
    TESSERA_TRY(left, checked(in, std::move(out)));
  }
  return left;
}

Result<void> arguments(In& in, std::string_view closer, std::vector<Tree>& out) {
  const Bracketed inside(in);
  while (!in.is(closer) && !(in.fragment && in.atEnd())) {
    while (in.kind() == Token::Kind::Directive) in.next();
    const int first = in.at;
    std::string key;
    if (in.is(".") && in.nameAt(in.at + 1) && (in.is("=", 2) || in.is("{", 2))) {
      key = in.text(in.at + 1);
      in.at += 2;
      if (in.is("=")) in.next();
    }
    bool sure = false;
    const int after = in.skipType(in.at, &sure);
    const bool isType = sure && after > in.at + 1 && (in.isAt(after, ",") || in.isAt(after, closer)) &&
                        in.kind() == Token::Kind::Name && !in.isAt(after - 1, ">");
    auto argument = isType ? type(in) : initializer(in);
    if (!argument) return argument.error();
    if (in.is("...") && !in.angle) {
      in.next();
      argument = node(Kind::Unary, in.spanFrom(first), "...", {*std::move(argument)});
    }
    if (!key.empty()) argument = node(Kind::Keyword, in.spanFrom(first), key, {*std::move(argument)});
    out.push_back(*std::move(argument));
    while (in.kind() == Token::Kind::Directive) in.next();
    if (in.is(closer)) break;
    TESSERA_CHECKED(in.expect(",", "between arguments"));
  }
  return in.expect(closer, "after arguments");
}

}  // namespace tessera::code::cpp
