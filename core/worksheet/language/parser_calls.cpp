// Names, calls and suffixes of a value: f(x), L(i), X over (8,16), mesh (2,2) shard (0,1) over (64,128).
#include <fmt/format.h>

#include <utility>

#include "core/base/chars.h"
#include "core/worksheet/language/expression_parser.h"
#include "core/worksheet/language/words.h"
#include "core/worksheet/value.h"

namespace tessera {
namespace {

// Suffixes that may directly follow a name: the dots and angle brackets of hardware names, and the template arguments
// of a call.
//
//     ldmatrix.x4                                  acceptDotted after `ldmatrix`
//     SM120_16x8x32_TN<e4m3,e4m3,f32>              acceptTemplateWord after `SM120_16x8x32_TN`
//     select<0,2>(L)                               acceptTemplateArguments after `select`: {"0", "2"}
//     SM80_16x8x16_F32F16F16F32_TN{}               acceptBraces after the name: C++'s value of the type
//
// A `<` is a comparison unless the text after the matching `>` shows otherwise: A < B is none of these. Each function
// leaves the cursor after what it accepts, or where it was.

// Skips <...> of names, blanks, commas and `also`.
bool acceptAngles(Cursor& in, std::string_view also) {
  if (in.raw() != '<') return false;
  Cursor ahead = in;
  int depth = 0;
  do {
    const char c = ahead.raw();
    if (!isNamePart(c) && !isBlank(c) && (c == '\0' || also.find(c) == std::string_view::npos)) return false;
    depth += c == '<' ? 1 : c == '>' ? -1 : 0;
    ahead.advance();
  } while (depth > 0);
  in = ahead;
  return true;
}

std::optional<std::vector<std::string>> acceptTemplateArguments(Cursor& in);

// .part.part, unless a `(` follows, or template arguments and a `(`: f.x(1) and f.x<0>(1) are calls.
bool acceptDotted(Cursor& in) {
  Cursor ahead = in;
  while (ahead.raw() == '.' && isNamePart(ahead.raw(1))) {
    ahead.advance();
    while (isNamePart(ahead.raw()) || (ahead.raw() == ':' && ahead.raw(1) == ':'))
      ahead.advance(ahead.raw() == ':' ? 2 : 1);
  }
  const bool disambiguates = ahead.text().substr(0, ahead.position()).ends_with(".template") && isBlank(ahead.raw());
  if (disambiguates) return false;  // M.template f<0>()
  Cursor after = ahead;
  if (ahead.position() == in.position() || ahead.raw() == '(' || acceptTemplateArguments(after)) return false;
  in = ahead;
  return true;
}

// {}
bool acceptBraces(Cursor& in) {
  if (in.raw() != '{' || in.raw(1) != '}') return false;
  in.advance(2);
  return true;
}

// <a,b> followed by the end, a `,` or a `)`.
bool acceptTemplateWord(Cursor& in) {
  Cursor word = in;
  if (!acceptAngles(word, "<>,:")) return false;
  Cursor after = word;
  acceptBraces(after);
  if (!after.atEnd() && after.peek() != ',' && after.peek() != ')') return false;
  in = word;
  return true;
}

// <a,-1,b> followed by a `(`; blanks are dropped.
std::optional<std::vector<std::string>> acceptTemplateArguments(Cursor& in) {
  Cursor word = in;
  if (!acceptAngles(word, "<>,:-")) return std::nullopt;
  Cursor after = word;
  if (after.peek() != '(') return std::nullopt;
  std::vector<std::string> out(1);
  int depth = 0;
  for (in.advance(); in.position() + 1 < word.position(); in.advance()) {
    const char c = in.raw();
    depth += c == '<' ? 1 : c == '>' ? -1 : 0;
    if (c == ',' && depth == 0) {
      out.emplace_back();
    } else if (!isBlank(c)) {
      out.back() += c;
    }
  }
  in = word;
  return out;
}

// A name after a comma: the type of `ldmatrix.x4 over S, fp16`.
bool typeFollows(const Cursor& in) {
  std::size_t ahead = 1;
  while (isBlank(in.raw(ahead))) ++ahead;
  return in.raw() == ',' && isNameStart(in.raw(ahead));
}

bool hasBracketAfter(const Cursor& in, std::size_t ahead) {
  while (isBlank(in.raw(ahead))) ++ahead;
  return in.raw(ahead) == '(' || isDigit(in.raw(ahead)) || isNameStart(in.raw(ahead));
}

// ldmatrix.x4, atlas(mma.m16n8k16, A): `over` then takes a whole layout, including Sw<3,3,3> o (64,64):(64,1).
bool isHardware(const Node& node) {
  const bool word = node.kind == Node::Kind::Literal && node.literal == LiteralKind::Word;
  return word || (node.kind == Node::Kind::Call && (node.text == "atlas" || node.text == "make_tiled_copy"));
}

// atlas(NAME, A) before `over` becomes the word NAME.A: as a layout it would lose its tile.
NodePtr operandWord(NodePtr node) {
  if (node->kind != Node::Kind::Call || node->text != "atlas" || node->children.size() != 2) return node;
  for (const NodePtr& child : node->children) {
    const bool word = child->kind == Node::Kind::Literal && child->literal == LiteralKind::Word;
    if (!word && child->kind != Node::Kind::Name) return node;
  }
  NodePtr word = makeNode(Node::Kind::Literal, node->span);
  word->literal = LiteralKind::Word;
  word->text = node->children[0]->text + "." + node->children[1]->text;
  word->value = Value(Text{word->text});
  return word;
}

}  // namespace

Result<NodePtr> ExpressionParser::application() {
  TESSERA_TRY(NodePtr node, layout());
  int applied = 0;
  for (;;) {
    in_.skipBlanks();
    if (starts("over") && !isNamePart(peek(4)) && (hasBracketAfter(in_, 4) || isHardware(*node))) {
      TESSERA_TRY(node, bound(std::move(node)));
      continue;
    }
    if (isLiteralOf(*node, "mesh") && starts("shard") && hasBracketAfter(in_, 5)) {
      TESSERA_TRY(node, sharded(std::move(node)));
      continue;
    }
    if (peek() == '.' && isNameStart(peek(1))) {
      if (++applied + Nesting::levels() > Nesting::kMost) return tooDeep();
      TESSERA_TRY(node, method(std::move(node)));
      continue;
    }
    if (peek() != '(') return node;
    if (++applied + Nesting::levels() > Nesting::kMost) return tooDeep();
    NodePtr apply = makeNode(Node::Kind::Apply, node->span);
    apply->children.push_back(std::move(node));
    TESSERA_CHECKED(arguments(*apply));
    node = std::move(apply);
  }
}

// X.f(a, b) and X.template f<0>(a): the call f(X, a, b). Without parentheses, X.f is f(X), as in Python.
Result<NodePtr> ExpressionParser::method(NodePtr object) {
  in_.advance();
  if (starts("template") && isBlank(peek(8))) {
    in_.advance(8);
    in_.skipBlanks();
  }
  NodePtr call = makeNode(Node::Kind::Call, object->span);
  const std::size_t begin = in_.position(), end = skipWord(text(), begin);
  if (end == begin || !isNameStart(peek())) return expected("the name of a function", "X.get_slice(5)");
  call->name = {begin, end};
  call->text = text().substr(begin, end - begin);
  call->operators.emplace_back(".");
  in_.seek(end);
  call->templateArgs = acceptTemplateArguments(in_).value_or(std::vector<std::string>());
  call->children.push_back(std::move(object));
  call->span.end = in_.position();
  if (peek() == '(') TESSERA_CHECKED(arguments(*call));
  return call;
}

// mesh (2,2) shard (0,1) over (64,128): shard((64,128), mesh (2,2), S0, S1) over (64,128). A number d means S(d); R, B,
// P and S0 as usual.
Result<NodePtr> ExpressionParser::sharded(NodePtr mesh) {
  NodePtr call = makeNode(Node::Kind::Call, mesh->span);
  call->name = {in_.position(), in_.position() + 5};
  call->text = "shard";
  in_.advance(5);
  in_.skipBlanks();
  if (peek() != '(')
    return expected("'(' and a placement for each mesh dimension", "mesh (2,2) shard (0,R) over (64,128)");
  TESSERA_CHECKED(arguments(*call));
  for (NodePtr& placement : call->children) {
    if (placement->kind != Node::Kind::Literal || placement->literal != LiteralKind::Integer) continue;
    placement->kind = Node::Kind::Name;
    placement->value = {};
    placement->text = "S" + placement->text;
  }
  in_.skipBlanks();
  if (!starts("over") || !hasBracketAfter(in_, 4))
    return expected("'over' and the shape of the tensor", "mesh (2,2) shard (0,R) over (64,128)");
  const std::size_t over = in_.position();
  in_.advance(4);
  in_.skipBlanks();
  TESSERA_TRY(NodePtr shape, primary());
  call->span.end = shape->span.end;
  call->children.insert(call->children.begin(), std::move(mesh));
  call->children.insert(call->children.begin(), std::move(shape));
  in_.seek(over);  // also bind the result to the shape
  return call;
}

// X over (8,16): the call over(X, (8,16)); outside brackets also X over L, TYPE: over(X, L, TYPE).
Result<NodePtr> ExpressionParser::bound(NodePtr layout) {
  layout = operandWord(std::move(layout));
  NodePtr call = makeNode(Node::Kind::Call, layout->span);
  call->name = {in_.position(), in_.position() + 4};
  call->text = "over";
  in_.advance(4);
  in_.skipBlanks();
  const auto underAccess = [&]() -> Result<NodePtr> {
    const Nesting level;
    if (level.tooDeep()) return tooDeep();
    return composed();
  };
  TESSERA_TRY(NodePtr shape, isHardware(*layout) ? underAccess() : primary());
  call->span.end = shape->span.end;
  call->children.push_back(std::move(layout));
  call->children.push_back(std::move(shape));
  in_.skipBlanks();
  if (Nesting::levels() == outer_ + 1 && typeFollows(in_)) {
    in_.advance();
    in_.skipBlanks();
    TESSERA_TRY(NodePtr type, primary());
    call->span.end = type->span.end;
    call->children.push_back(std::move(type));
  }
  return call;
}

Result<NodePtr> ExpressionParser::nameOrCall() {
  const std::size_t begin = in_.position();
  std::size_t end = in_.position();
  while (end < text().size() && (isNamePart(text()[end]) || (text().substr(end, 2) == "::" && end + 2 < text().size() &&
                                                             isNameStart(text()[end + 2])))) {
    end += text()[end] == ':' ? 2 : 1;
  }
  std::string name(text().substr(begin, end - begin));
  for (const std::string_view reserved : {"o", "or", "and", "not"}) {
    if (name == reserved) return expected("an expression", fmt::format("'{}' is an operator", reserved));
  }
  Cursor word = in_;
  word.seek(end);
  if (acceptDotted(word) || acceptTemplateWord(word)) {
    Result<NodePtr> literal = wordLiteral(word.position());
    acceptBraces(in_);
    return literal;
  }
  in_.seek(end);
  std::vector<std::string> templateArgs = acceptTemplateArguments(in_).value_or(std::vector<std::string>());
  const std::size_t nameEnd = in_.position();
  in_.skipBlanks();
  if (peek() != '(') {
    in_.seek(nameEnd);
    NodePtr node = makeNode(Node::Kind::Name, {begin, nameEnd});
    acceptBraces(in_);
    node->text = std::move(name);
    return node;
  }
  NodePtr node = makeNode(Node::Kind::Call, {begin, nameEnd});
  node->name = {begin, end};
  node->text = std::move(name);
  node->templateArgs = std::move(templateArgs);
  if (node->text == "simplify" && rangedExpression(*node)) return node;
  TESSERA_CHECKED(arguments(*node));
  return node;
}

// simplify((t / 8) % 4, t in [0, 31]): an expression over locally named ranges, kept as one text.
bool ExpressionParser::rangedExpression(Node& call) {
  Cursor ahead = in_;
  if (!ahead.acceptBracketed(/*angles=*/false)) return false;
  const std::size_t from = in_.position() + 1, to = ahead.position() - 1;
  const std::string_view inside = text().substr(from, to - from);
  const std::size_t in = inside.find(" in [");
  const std::size_t comma = in == std::string_view::npos ? in : inside.rfind(',', in);
  if (comma == std::string_view::npos || inside.find("->") < in) return false;  // maps have ranges too
  Cursor name(inside.substr(0, in), {}, comma + 1);
  name.skipBlanks();
  name.advance(name.peekWord().size());
  if (!name.atEnd()) return false;  // S[(n,8):(8@m,1@m)] for n in [1, 64]
  NodePtr words = makeNode(Node::Kind::Literal, {from, to});
  words->literal = LiteralKind::Word;
  words->value = Value(Text{std::string(inside)});
  words->text = inside;
  call.children.push_back(std::move(words));
  call.span.end = to + 1;
  in_.seek(to + 1);
  return true;
}

// ( argument, ... ), appended to the children of node.
Result<void> ExpressionParser::arguments(Node& node) {
  const std::size_t open = step();
  const int angles = std::exchange(inAngles_, 0);
  node.children.reserve(2);
  in_.skipBlanks();
  while (peek() != ')') {
    if (peek() == ',') return expected("an argument", "remove one of the commas");
    TESSERA_TRY(NodePtr argument, expression());
    node.children.push_back(std::move(argument));
    in_.skipBlanks();
    if (peek() == ')') break;
    if (done()) return neverClosed(open, "a ')'");
    if (peek() != ',') return expected("',' or ')'", "arguments are separated by commas");
    in_.advance();
    in_.skipBlanks();
    if (done()) return neverClosed(open, "an argument and a ')'");
  }
  inAngles_ = angles;
  node.span.end = step() + 1;
  return {};
}

}  // namespace tessera
