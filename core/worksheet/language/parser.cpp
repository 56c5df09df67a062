// Recursive descent over the text itself (there is no token list: what a token is depends on the notation it stands
// in). Every level of nesting counts against kMaxNesting; every error has the place, what was expected and, where there
// is one, a hint.
#include <fmt/format.h>

#include <array>
#include <charconv>

#include "core/base/chars.h"
#include "core/worksheet/language/literals.h"
#include "core/worksheet/language/place.h"
#include "core/worksheet/language/syntax.h"

namespace tessera {
namespace {

constexpr std::string_view kRing = "\xE2\x88\x98";  // the ring operator, as papers write composition
constexpr std::string_view kOpenChain = "\x01";     // the text of a chain that may still grow; no name has it

class Parser {
 public:
  Parser(std::string_view text, std::size_t from, std::size_t to, const NameLookup& names)
      : text_(text), position_(from), to_(to), names_(names) {}

  Result<NodePtr> whole() {
    TESSERA_TRY(NodePtr node, expression());
    skip();
    if (position_ < to_) return afterExpression();
    return node;
  }

 private:
  // ---- text ----
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return position_ + ahead < to_ ? text_[position_ + ahead] : '\0';
  }
  void skip() {
    while (position_ < to_ && isBlank(text_[position_])) ++position_;
  }
  [[nodiscard]] bool starts(std::string_view s) const {
    return text_.substr(position_, std::min(s.size(), to_ - position_)) == s;
  }
  // The word at the position, when it stands alone.
  bool takeWord(std::string_view word) {
    skip();
    if (!starts(word) || isNamePart(peek(word.size()))) return false;
    position_ += word.size();
    return true;
  }
  // The piece at the position that an error underlines: a name, a number, or one character.
  [[nodiscard]] Span pieceHere() const {
    std::size_t end = position_;
    if (end >= to_) return {to_ > 0 ? lastSolid() : 0, to_};
    if (isNamePart(text_[end])) {
      while (end < to_ && isNamePart(text_[end])) ++end;
    } else {
      ++end;
      while (end < to_ && (static_cast<unsigned char>(text_[end]) & 0xC0U) == 0x80) ++end;
    }
    return {position_, end};
  }
  [[nodiscard]] std::size_t lastSolid() const {
    std::size_t k = to_;
    while (k > 0 && isBlank(text_[k - 1])) --k;
    return k > 0 ? k - 1 : 0;
  }
  [[nodiscard]] std::string shown(Span s) const {
    return cleaned(text_.substr(s.begin, std::min<std::size_t>(s.end - s.begin, 40)));
  }

  // ---- errors ----
  [[nodiscard]] Diag expected(std::string_view what, std::string hint = "") {
    skip();
    const Span span = pieceHere();
    if (position_ >= to_) return Diag{"the text ends too early", std::string(what), std::move(hint), span};
    return Diag{fmt::format("unexpected '{}'", shown(span)), std::string(what), std::move(hint), span};
  }
  [[nodiscard]] Diag afterExpression() {
    if (peek() == ')' || peek() == ']' || peek() == '}') {
      return Diag{fmt::format("'{}' closes nothing", peek()), "the end of the statement", "", pieceHere()};
    }
    if (peek() == ':') return expected("the end of the statement", "a layout is shape:stride, with one ':'");
    if (peek() == '=') return expected("the end of the statement", "compare with ==; bind with NAME = expression");
    if (peek() == '[') {
      return expected("the end of the statement",
                      "an XLA shape begins with an element type, f32[2,3]{1,0}; bf16, s8, pred");
    }
    if (peek() == ',') return expected("the end of the statement", "a tuple needs parentheses: (a, b)");
    return expected("an operator or the end of the statement");
  }

  // ---- nodes ----
  static NodePtr make(Node::Kind kind, Span span) {
    auto node = std::make_unique<Node>();
    node->kind = kind;
    node->span = span;
    return node;
  }
  // A chain of one kind; the first operand is there already.
  static void join(NodePtr& left, Node::Kind kind, std::string op, NodePtr right) {
    if (left->kind != kind || left->text != kOpenChain) {
      NodePtr chain = make(kind, left->span);
      chain->text = kOpenChain;
      chain->children.push_back(std::move(left));
      left = std::move(chain);
    }
    left->span.end = right->span.end;
    left->operators.push_back(std::move(op));
    left->children.push_back(std::move(right));
  }
  // Closes a chain, so that (a+b)+c does not run together with a+b+c.
  static NodePtr sealed(NodePtr node) {
    if (node->text == kOpenChain) node->text.clear();
    return node;
  }

  class Nest {
   public:
    explicit Nest(int& depth) : depth_(depth) { ++depth_; }
    ~Nest() { --depth_; }
    Nest(const Nest&) = delete;
    Nest& operator=(const Nest&) = delete;

   private:
    int& depth_;
  };
  [[nodiscard]] Diag tooDeep() const {
    return Diag{fmt::format("the expression nests more than {} levels deep", kMaxNesting), "a flatter expression",
                "bind the inner parts to names", pieceHere()};
  }

  // ---- grammar ----
  Result<NodePtr> expression() {
    if (depth_ >= kMaxNesting) return tooDeep();
    const Nest nest(depth_);
    TESSERA_TRY(NodePtr left, conjunction());
    while (takeWord("or")) {
      TESSERA_TRY(NodePtr right, conjunction());
      join(left, Node::Kind::Or, "or", std::move(right));
    }
    return sealed(std::move(left));
  }

  Result<NodePtr> conjunction() {
    TESSERA_TRY(NodePtr left, negation());
    while (takeWord("and")) {
      TESSERA_TRY(NodePtr right, negation());
      join(left, Node::Kind::And, "and", std::move(right));
    }
    return sealed(std::move(left));
  }

  Result<NodePtr> negation() {
    skip();
    const std::size_t begin = position_;
    if (!takeWord("not")) return comparison();
    if (depth_ >= kMaxNesting) return tooDeep();
    const Nest nest(depth_);
    TESSERA_TRY(NodePtr operand, negation());
    NodePtr node = make(Node::Kind::Not, {begin, operand->span.end});
    node->children.push_back(std::move(operand));
    return node;
  }

  [[nodiscard]] std::string_view comparisonHere() {
    skip();
    for (const std::string_view op : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (starts(op)) return op;
    }
    return {};
  }

  Result<NodePtr> comparison() {
    TESSERA_TRY(NodePtr left, composed());
    const std::string_view op = comparisonHere();
    if (op.empty() || inAngles_ > 0) return left;
    NodePtr node = make(Node::Kind::Compare, left->span);
    node->name = {position_, position_ + op.size()};
    position_ += op.size();
    TESSERA_TRY(NodePtr right, composed());
    node->span.end = right->span.end;
    node->operators.emplace_back(op);
    node->children.push_back(std::move(left));
    node->children.push_back(std::move(right));
    if (!comparisonHere().empty()) {
      return expected("'and', 'or' or the end", "comparisons do not chain: write a < b and b < c");
    }
    return node;
  }

  Result<NodePtr> composed() {
    TESSERA_TRY(NodePtr left, sum());
    for (;;) {
      skip();
      if (starts(kRing)) {
        position_ += kRing.size();
      } else if (!takeWord("o")) {
        break;
      }
      TESSERA_TRY(NodePtr right, sum());
      join(left, Node::Kind::Compose, "o", std::move(right));
    }
    return sealed(std::move(left));
  }

  Result<NodePtr> sum() {
    TESSERA_TRY(NodePtr left, product());
    for (;;) {
      skip();
      if (peek() != '+' && peek() != '-') break;
      std::string op(1, text_[position_++]);
      TESSERA_TRY(NodePtr right, product());
      join(left, Node::Kind::Sum, std::move(op), std::move(right));
    }
    return sealed(std::move(left));
  }

  Result<NodePtr> product() {
    TESSERA_TRY(NodePtr left, unary());
    for (;;) {
      skip();
      if (peek() != '*' && peek() != '/' && peek() != '%') break;
      std::string op(1, text_[position_++]);
      TESSERA_TRY(NodePtr right, unary());
      join(left, Node::Kind::Product, std::move(op), std::move(right));
    }
    return sealed(std::move(left));
  }

  // A `-` that begins no literal: -4 is one, and so is `- register=1 -> (0, 1) ...`.
  Result<bool> atMinus() {
    if (peek() != '-') return false;
    TESSERA_TRY(const std::optional<Literal> literal, readLiteral(text_, position_, to_, names_));
    return !literal;
  }

  Result<NodePtr> unary() {
    skip();
    TESSERA_TRY(const bool minus, atMinus());
    if (minus) {
      if (depth_ >= kMaxNesting) return tooDeep();
      const Nest nest(depth_);
      const std::size_t begin = position_++;
      TESSERA_TRY(NodePtr operand, unary());
      NodePtr node = make(Node::Kind::Negate, {begin, operand->span.end});
      node->children.push_back(std::move(operand));
      return node;
    }
    return application();
  }

  Result<NodePtr> application() {
    TESSERA_TRY(NodePtr node, layout());
    int applied = 0;
    for (;;) {
      skip();
      if (starts("over") && !isNamePart(peek(4)) && hasBracketAfter(4)) {
        TESSERA_TRY(node, bound(std::move(node)));
        continue;
      }
      if (isLiteralOf(*node, "mesh") && starts("shard") && hasBracketAfter(5)) {
        TESSERA_TRY(node, sharded(std::move(node)));
        continue;
      }
      if (peek() != '(') return node;
      if (++applied + depth_ > kMaxNesting) return tooDeep();
      NodePtr apply = make(Node::Kind::Apply, node->span);
      apply->children.push_back(std::move(node));
      TESSERA_CHECKED(arguments(*apply));
      node = std::move(apply);
    }
  }

  [[nodiscard]] bool hasBracketAfter(std::size_t ahead) const {
    while (isBlank(peek(ahead))) ++ahead;
    return peek(ahead) == '(' || isDigit(peek(ahead)) || isNameStart(peek(ahead));
  }
  // mesh (2,2) shard (0,1) over (64,128): shard((64,128), mesh (2,2), S0, S1) over (64,128). A number d is S(d); R, B,
  // P and S0 are as everywhere.
  Result<NodePtr> sharded(NodePtr mesh) {
    NodePtr call = make(Node::Kind::Call, mesh->span);
    call->name = {position_, position_ + 5};
    call->text = "shard";
    position_ += 5;
    skip();
    if (peek() != '(')
      return expected("'(' and a placement for each mesh dimension", "mesh (2,2) shard (0,R) over (64,128)");
    TESSERA_CHECKED(arguments(*call));
    for (NodePtr& placement : call->children) {
      if (placement->kind != Node::Kind::Literal || placement->literal != LiteralKind::Integer) continue;
      placement->kind = Node::Kind::Name;
      placement->value.reset();
      placement->text = "S" + placement->text;
    }
    skip();
    if (!starts("over") || !hasBracketAfter(4))
      return expected("'over' and the shape of the tensor", "mesh (2,2) shard (0,R) over (64,128)");
    const std::size_t over = position_;
    position_ += 4;
    skip();
    TESSERA_TRY(NodePtr shape, primary());
    call->span.end = shape->span.end;
    call->children.insert(call->children.begin(), std::move(mesh));
    call->children.insert(call->children.begin(), std::move(shape));
    position_ = over;  // and bound to the shape
    return call;
  }
  // X over (8,16): the call over(X, (8,16)).
  Result<NodePtr> bound(NodePtr layout) {
    NodePtr call = make(Node::Kind::Call, layout->span);
    call->name = {position_, position_ + 4};
    call->text = "over";
    position_ += 4;
    skip();
    TESSERA_TRY(NodePtr shape, primary());
    call->span.end = shape->span.end;
    call->children.push_back(std::move(layout));
    call->children.push_back(std::move(shape));
    return call;
  }

  // primary [: primary]
  Result<NodePtr> layout() {
    TESSERA_TRY(NodePtr shape, primary());
    skip();
    if (peek() != ':' || peek(1) == ':') return shape;
    if (shape->kind == Node::Kind::Literal && shape->literal == LiteralKind::Layout) return shape;  // a second ':'
    const std::size_t colon = position_++;
    skip();
    if (position_ >= to_) {
      return Diag{"the stride is missing after ':'", "a stride for each mode of the shape", "", {colon, colon + 1}};
    }
    NodePtr stride;
    TESSERA_TRY(const bool minus, atMinus());
    if (minus) {
      const std::size_t begin = position_++;
      TESSERA_TRY(NodePtr operand, primary());
      stride = make(Node::Kind::Negate, {begin, operand->span.end});
      stride->children.push_back(std::move(operand));
    } else {
      TESSERA_TRY(stride, primary());
    }
    NodePtr node = make(Node::Kind::Layout, {shape->span.begin, stride->span.end});
    node->children.push_back(std::move(shape));
    node->children.push_back(std::move(stride));
    return node;
  }

  Result<NodePtr> primary() {
    skip();
    if (position_ >= to_) return expected("an expression");
    if (hexadecimal()) return hexLiteral();
    TESSERA_TRY(std::optional<Literal> found, readLiteral(text_, position_, to_, names_));
    if (found) return literal(*std::move(found));
    const char c = peek();
    if (c == '(') return parenthesised();
    if (c == '[') return brackets(']');
    if (c == '<') return brackets('>');
    if ((c == 'S' || c == 'R') && peek(1) == '[') {  // else it were a literal
      return Diag{"this '[' is never closed", "S[extents:strides], with a ']'", "", {position_ + 1, position_ + 2}};
    }
    if (isNameStart(c)) return nameOrCall();
    if (c == ':') {
      return Diag{"the shape is missing before ':'", "a shape: an extent or a tuple of extents", "", pieceHere()};
    }
    if (c == '#') {
      std::size_t open = position_ + 1;
      while (open < to_ && (isNamePart(text_[open]) || text_[open] == '.')) ++open;
      if (open < to_ && text_[open] == '<') {
        return Diag{"this '<' is never closed", "the attribute up to its '>'", "", {open, open + 1}};
      }
      return expected("an attribute such as #ttg.blocked<{...}>, or #NAME");
    }
    if (c == '"') return Diag{"this text is never closed", "a closing \"", "", pieceHere()};
    if (isDigit(c)) return malformedNumber();
    if (c == '@') {
      return Diag{"a scaled basis needs its value before '@'", "VALUE@MODE, as in 1@0", "1@0", pieceHere()};
    }
    if (c == '=') return expected("an expression", "compare with ==; bind with NAME = expression");
    return expected("an expression");
  }

  Result<NodePtr> literal(Literal read) {
    NodePtr node = make(Node::Kind::Literal, {position_, read.end});
    node->literal = read.kind;
    node->row = read.row;
    node->value = std::move(read.value);
    node->text = text_.substr(position_, read.end - position_);
    position_ = read.end;
    return node;
  }
  Result<NodePtr> wordLiteral(std::size_t end) {
    return literal(
        {Value(Text{std::string(text_.substr(position_, end - position_))}), LiteralKind::Word, end, nullptr});
  }
  [[nodiscard]] bool hexadecimal() const { return peek() == '0' && (peek(1) == 'x' || peek(1) == 'X'); }
  Result<NodePtr> hexLiteral() {
    std::size_t end = position_ + 2;
    while (end < to_ && isNamePart(text_[end])) ++end;
    const std::string_view text = text_.substr(position_, end - position_), digits = text.substr(2);
    i64 n = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n, 16);
    if (error == std::errc::result_out_of_range) {
      return Diag{fmt::format("{} does not fit in 64 bits", shown({position_, end})),
                  "an integer below 2^63",
                  "",
                  {position_, end}};
    }
    if (error != std::errc{} || stop != digits.data() + digits.size())
      return Diag{fmt::format("'{}' is not a number", shown({position_, end})), "an integer", "", {position_, end}};
    return literal({Value(n), LiteralKind::Integer, end, nullptr});
  }
  [[nodiscard]] Diag malformedNumber() {
    std::size_t end = position_;
    while (end < to_ && isNamePart(text_[end])) ++end;
    std::size_t digitsEnd = position_;
    while (digitsEnd < end && isDigit(text_[digitsEnd])) ++digitsEnd;
    return Diag{fmt::format("'{}' is neither a number nor a name", shown({position_, end})),
                "an integer",
                std::string(text_.substr(position_, std::min<std::size_t>(digitsEnd - position_, 40))),
                {position_, end}};
  }

  // ( expression ) groups; ( a, b ) and ( a, ) are tuples.
  Result<NodePtr> parenthesised() {
    const std::size_t open = position_++;
    NodePtr tuple = make(Node::Kind::Tuple, {open, open + 1});
    skip();
    if (peek() == ')') {
      tuple->span.end = ++position_;
      return tuple;
    }
    const int angles = std::exchange(inAngles_, 0);
    bool comma = false;
    for (;;) {
      skip();
      if (comma && peek() == ')') break;
      if (peek() == ',') return expected("an element of the tuple", "remove one of the commas");
      TESSERA_TRY(NodePtr element, expression());
      tuple->children.push_back(std::move(element));
      skip();
      if (peek() == ')') break;
      if (position_ >= to_) {
        return Diag{"this '(' is never closed", "a ')'", closingHint(open), {open, open + 1}};
      }
      if (peek() != ',') return expected("',' or ')'", "elements are separated by commas");
      comma = true;
      ++position_;
    }
    inAngles_ = angles;
    tuple->span.end = ++position_;
    if (!comma) {  // grouping; it keeps the span of its parentheses
      NodePtr inner = std::move(tuple->children.front());
      inner->span = tuple->span;
      return inner;
    }
    return tuple;
  }
  [[nodiscard]] std::string closingHint(std::size_t open) const {
    std::size_t end = to_;
    while (end > open && isBlank(text_[end - 1])) --end;
    if (end - open > 60 || end < 1) return "";
    return fmt::format("did you mean {})", text_.substr(open, end - open));
  }

  // <3:4, 8:2> and [(4,8):(1,4); _; 2:1]
  Result<NodePtr> brackets(char close) {
    const std::size_t open = position_++;
    NodePtr node = make(Node::Kind::Brackets, {open, open + 1});
    node->text = close == '>' ? "<" : "[";
    const int angles = std::exchange(inAngles_, close == '>' ? 1 : 0);
    skip();
    while (peek() != close) {
      TESSERA_TRY(NodePtr element, expression());
      node->children.push_back(std::move(element));
      skip();
      if (peek() == close) break;
      if (position_ >= to_) {
        return Diag{
            fmt::format("this '{}' is never closed", node->text), fmt::format("a '{}'", close), "", {open, open + 1}};
      }
      if (peek() != ',' && peek() != ';') return expected(fmt::format("',' or '{}'", close));
      node->operators.emplace_back(1, text_[position_++]);
      skip();
    }
    inAngles_ = angles;
    if (position_ >= to_) {
      return Diag{
          fmt::format("this '{}' is never closed", node->text), fmt::format("a '{}'", close), "", {open, open + 1}};
    }
    node->span.end = ++position_;
    return node;
  }

  Result<NodePtr> nameOrCall() {
    const std::size_t begin = position_;
    std::size_t end = position_;
    while (end < to_ &&
           (isNamePart(text_[end]) || (text_.substr(end, 2) == "::" && end + 2 < to_ && isNameStart(text_[end + 2])))) {
      end += text_[end] == ':' ? 2 : 1;
    }
    std::string name(text_.substr(begin, end - begin));
    for (const std::string_view reserved : {"o", "or", "and", "not"}) {
      if (name == reserved) return expected("an expression", fmt::format("'{}' is an operator", reserved));
    }
    if (const std::size_t dotted = dottedEnd(end); dotted != end) return wordLiteral(dotted);
    if (const std::size_t close = templateWordEnd(end); close != end) return wordLiteral(close);
    position_ = end;
    std::vector<std::string> templateArgs;
    if (const std::size_t close = templateEnd(); close != 0) templateArgs = templateArguments(close);
    const std::size_t nameEnd = position_;
    skip();
    if (peek() != '(') {
      position_ = nameEnd;
      NodePtr node = make(Node::Kind::Name, {begin, nameEnd});
      node->text = std::move(name);
      return node;
    }
    NodePtr node = make(Node::Kind::Call, {begin, nameEnd});
    node->name = {begin, end};
    node->text = std::move(name);
    node->templateArgs = std::move(templateArgs);
    TESSERA_CHECKED(arguments(*node));
    return node;
  }

  // name.part.part: where it ends; `end` itself when no part follows, or when it is a call.
  [[nodiscard]] std::size_t dottedEnd(std::size_t end) const {
    std::size_t k = end;
    while (k + 1 < to_ && text_[k] == '.' && isNamePart(text_[k + 1])) {
      ++k;
      while (k < to_ && (isNamePart(text_[k]) || text_.substr(k, 2) == "::")) k += text_[k] == ':' ? 2 : 1;
    }
    return k < to_ && text_[k] == '(' ? end : k;
  }

  // NAME<a,b> with nothing behind it that could be compared: a name of the hardware (SM120_16x8x32_TN<e4m3,e4m3,f32>);
  // where it ends, else `end`.
  [[nodiscard]] std::size_t templateWordEnd(std::size_t end) const {
    if (end >= to_ || text_[end] != '<') return end;
    int depth = 0;
    for (std::size_t k = end; k < to_; ++k) {
      const char c = text_[k];
      if (c == '<') ++depth;
      if (c == '>' && --depth == 0) {
        std::size_t next = k + 1;
        while (next < to_ && isBlank(text_[next])) ++next;
        return next >= to_ || text_[next] == ',' || text_[next] == ')' ? k + 1 : end;
      }
      if (!isNamePart(c) && !isBlank(c) && c != '<' && c != '>' && c != ',' && c != ':') return end;
    }
    return end;
  }

  // NAME<...>( : where the angle bracket ends, when it can only be template arguments; else 0.
  [[nodiscard]] std::size_t templateEnd() const {
    if (peek() != '<') return 0;
    int depth = 0;
    for (std::size_t k = position_; k < to_; ++k) {
      const char c = text_[k];
      if (c == '<') ++depth;
      if (c == '>' && --depth == 0) {
        std::size_t next = k + 1;
        while (next < to_ && isBlank(text_[next])) ++next;
        return next < to_ && text_[next] == '(' ? k : 0;
      }
      if (!isNamePart(c) && !isBlank(c) && c != '<' && c != '>' && c != ',' && c != ':' && c != '-') return 0;
    }
    return 0;
  }
  std::vector<std::string> templateArguments(std::size_t close) {
    std::vector<std::string> out(1);
    int depth = 0;
    for (std::size_t k = position_ + 1; k < close; ++k) {
      const char c = text_[k];
      if (c == '<') ++depth;
      if (c == '>') --depth;
      if (c == ',' && depth == 0) {
        out.emplace_back();
      } else if (!isBlank(c)) {
        out.back() += c;
      }
    }
    position_ = close + 1;
    return out;
  }

  // ( argument, ... ), appended to the children of node.
  Result<void> arguments(Node& node) {
    const std::size_t open = position_++;
    const int angles = std::exchange(inAngles_, 0);
    skip();
    while (peek() != ')') {
      if (peek() == ',') return expected("an argument", "remove one of the commas");
      TESSERA_TRY(NodePtr argument, expression());
      node.children.push_back(std::move(argument));
      skip();
      if (peek() == ')') break;
      if (position_ >= to_) {
        return Diag{"this '(' is never closed", "a ')'", closingHint(node.span.begin), {open, open + 1}};
      }
      if (peek() != ',') return expected("',' or ')'", "arguments are separated by commas");
      ++position_;
      skip();
      if (position_ >= to_) {
        return Diag{"this '(' is never closed", "an argument and a ')'", "", {open, open + 1}};
      }
    }
    inAngles_ = angles;
    node.span.end = ++position_;
    return {};
  }

  std::string_view text_;
  std::size_t position_;
  std::size_t to_;
  const NameLookup& names_;
  int depth_ = 0;
  int inAngles_ = 0;  // inside <...>, where `>` closes
};

}  // namespace

Result<NodePtr> parseExpression(std::string_view text, std::size_t from, std::size_t to, const NameLookup& names) {
  return Parser(text, from, to, names).whole();
}

}  // namespace tessera
