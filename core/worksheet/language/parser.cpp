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
#include "core/worksheet/language/template_words.h"

namespace tessera {
namespace {

constexpr std::string_view kRing = "\xE2\x88\x98";  // the ring operator, as papers write composition
constexpr std::string_view kOpenChain = "\x01";     // the text of a chain that may still grow; no name has it

class Parser {
 public:
  Parser(std::string_view text, std::size_t from, std::size_t to, const NameLookup& names)
      : in_(text.substr(0, to), {}, from), names_(names) {}

  Result<NodePtr> whole() {
    TESSERA_TRY(NodePtr node, expression());
    in_.skipBlanks();
    if (!done()) return afterExpression();
    return node;
  }

 private:
  // ---- text ----
  [[nodiscard]] std::string_view text() const { return in_.text(); }
  [[nodiscard]] std::size_t limit() const { return in_.text().size(); }
  [[nodiscard]] bool done() const { return in_.position() >= limit(); }
  [[nodiscard]] char peek(std::size_t ahead = 0) const { return in_.raw(ahead); }
  [[nodiscard]] bool starts(std::string_view s) const {
    return text().substr(std::min(in_.position(), limit()), s.size()) == s;
  }
  // Past one byte; where it was.
  std::size_t step() {
    in_.advance();
    return in_.position() - 1;
  }
  // The piece at the position that an error underlines: a name, a number, or one character.
  [[nodiscard]] Span pieceHere() const {
    std::size_t end = in_.position();
    if (end >= limit()) return {limit() > 0 ? lastSolid() : 0, limit()};
    if (isNamePart(text()[end])) {
      while (end < limit() && isNamePart(text()[end])) ++end;
    } else {
      ++end;
      while (end < limit() && (static_cast<unsigned char>(text()[end]) & 0xC0U) == 0x80) ++end;
    }
    return {in_.position(), end};
  }
  [[nodiscard]] std::size_t lastSolid() const {
    std::size_t k = limit();
    while (k > 0 && isBlank(text()[k - 1])) --k;
    return k > 0 ? k - 1 : 0;
  }
  [[nodiscard]] std::string shown(Span s) const {
    return cleaned(text().substr(s.begin, std::min<std::size_t>(s.end - s.begin, 40)));
  }

  // ---- errors ----
  [[nodiscard]] Diag expected(std::string_view what, std::string hint = "") {
    in_.skipBlanks();
    const Span span = pieceHere();
    if (done()) return Diag{"the text ends too early", std::string(what), std::move(hint), span};
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
  // The literal that begins here, read once: operators ask again at the same place.
  Result<std::optional<Literal>> literalHere() {
    if (ahead_ && aheadAt_ == in_.position()) return std::exchange(ahead_, std::nullopt).value();
    return readLiteral(text(), in_.position(), limit(), names_);
  }

  // A literal of numbers with a comma, a bracket or the end behind it, as nearly every argument is: no operator has a look
  // at it. Null, and nothing moved but over blanks, when it is none.
  Result<NodePtr> literalAlone() {
    in_.skipBlanks();
    if ((peek() != '(' && !isDigit(peek())) || hexadecimal()) return NodePtr();
    const std::size_t begin = in_.position();
    TESSERA_TRY(std::optional<Literal> found, readLiteral(text(), begin, limit(), names_));
    if (found) {
      in_.seek(found->end);
      in_.skipBlanks();
      const bool alone = done() || peek() == ',' || peek() == ')' || peek() == ']';
      in_.seek(begin);
      if (alone) return literal(*std::move(found));
    }
    ahead_ = std::move(found);
    aheadAt_ = begin;
    return NodePtr();
  }

  Result<NodePtr> expression() {
    if (depth_ >= kMaxNesting) return tooDeep();
    const Nest nest(depth_);
    TESSERA_TRY(NodePtr alone, literalAlone());
    if (alone) return alone;
    TESSERA_TRY(NodePtr left, conjunction());
    while (in_.acceptWord("or")) {
      TESSERA_TRY(NodePtr right, conjunction());
      join(left, Node::Kind::Or, "or", std::move(right));
    }
    return sealed(std::move(left));
  }

  Result<NodePtr> conjunction() {
    TESSERA_TRY(NodePtr left, negation());
    while (in_.acceptWord("and")) {
      TESSERA_TRY(NodePtr right, negation());
      join(left, Node::Kind::And, "and", std::move(right));
    }
    return sealed(std::move(left));
  }

  Result<NodePtr> negation() {
    in_.skipBlanks();
    const std::size_t begin = in_.position();
    if (!in_.acceptWord("not")) return comparison();
    if (depth_ >= kMaxNesting) return tooDeep();
    const Nest nest(depth_);
    TESSERA_TRY(NodePtr operand, negation());
    NodePtr node = make(Node::Kind::Not, {begin, operand->span.end});
    node->children.push_back(std::move(operand));
    return node;
  }

  [[nodiscard]] std::string_view comparisonHere() {
    in_.skipBlanks();
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
    node->name = {in_.position(), in_.position() + op.size()};
    in_.advance(op.size());
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
    TESSERA_TRY(NodePtr left, exclusive());
    for (;;) {
      in_.skipBlanks();
      if (starts(kRing)) {
        in_.advance(kRing.size());
      } else if (!in_.acceptWord("o")) {
        break;
      }
      TESSERA_TRY(NodePtr right, exclusive());
      join(left, Node::Kind::Compose, "o", std::move(right));
    }
    return sealed(std::move(left));
  }

  // `^` and `xor` bind loosest of the operators on numbers, as in C and in indexing maps.
  Result<NodePtr> exclusive() {
    TESSERA_TRY(NodePtr left, sum());
    for (;;) {
      in_.skipBlanks();
      if (peek() == '^') {
        step();
      } else if (!in_.acceptWord("xor")) {
        break;
      }
      TESSERA_TRY(NodePtr right, sum());
      join(left, Node::Kind::Sum, "^", std::move(right));
    }
    return sealed(std::move(left));
  }

  Result<NodePtr> sum() {
    TESSERA_TRY(NodePtr left, product());
    for (;;) {
      in_.skipBlanks();
      if (peek() != '+' && peek() != '-') break;
      std::string op(1, text()[step()]);
      TESSERA_TRY(NodePtr right, product());
      join(left, Node::Kind::Sum, std::move(op), std::move(right));
    }
    return sealed(std::move(left));
  }

  Result<NodePtr> product() {
    TESSERA_TRY(NodePtr left, unary());
    for (;;) {
      in_.skipBlanks();
      std::string op;
      if (peek() == '*' || peek() == '/' || peek() == '%') {
        op = text()[step()];
      } else if (in_.acceptWord("floordiv")) {
        op = "/";
      } else if (in_.acceptWord("mod")) {
        op = "%";
      } else {
        break;
      }
      TESSERA_TRY(NodePtr right, unary());
      join(left, Node::Kind::Product, std::move(op), std::move(right));
    }
    return sealed(std::move(left));
  }

  // A `-` that begins no literal: -4 is one, and so is `- register=1 -> (0, 1) ...`.
  Result<bool> atMinus() {
    if (peek() != '-') return false;
    TESSERA_TRY(const std::optional<Literal> literal, readLiteral(text(), in_.position(), limit(), names_));
    return !literal;
  }

  Result<NodePtr> unary() {
    in_.skipBlanks();
    TESSERA_TRY(const bool minus, atMinus());
    if (minus) {
      if (depth_ >= kMaxNesting) return tooDeep();
      const Nest nest(depth_);
      const std::size_t begin = step();
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
      in_.skipBlanks();
      if (starts("over") && !isNamePart(peek(4)) && (hasBracketAfter(4) || isHardware(*node))) {
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
      placement->value.reset();
      placement->text = "S" + placement->text;
    }
    in_.skipBlanks();
    if (!starts("over") || !hasBracketAfter(4))
      return expected("'over' and the shape of the tensor", "mesh (2,2) shard (0,R) over (64,128)");
    const std::size_t over = in_.position();
    in_.advance(4);
    in_.skipBlanks();
    TESSERA_TRY(NodePtr shape, primary());
    call->span.end = shape->span.end;
    call->children.insert(call->children.begin(), std::move(mesh));
    call->children.insert(call->children.begin(), std::move(shape));
    in_.seek(over);  // and bound to the shape
    return call;
  }
  // ldmatrix.x4, atlas(mma.m16n8k16, A): what stands over a whole layout, Sw<3,3,3> o (64,64):(64,1) included.
  static bool isHardware(const Node& node) {
    const bool word = node.kind == Node::Kind::Literal && node.literal == LiteralKind::Word;
    return word || (node.kind == Node::Kind::Call && (node.text == "atlas" || node.text == "make_tiled_copy"));
  }
  // A name behind a comma: the type of `ldmatrix.x4 over S, fp16`.
  [[nodiscard]] bool typeFollows() const {
    std::size_t ahead = 1;
    while (isBlank(peek(ahead))) ++ahead;
    return depth_ == 1 && peek() == ',' && isNameStart(peek(ahead));
  }
  // atlas(NAME, A) in front of `over` is the word NAME.A: as a layout it would not know its tile.
  static NodePtr operandWord(NodePtr node) {
    if (node->kind != Node::Kind::Call || node->text != "atlas" || node->children.size() != 2) return node;
    for (const NodePtr& child : node->children) {
      const bool word = child->kind == Node::Kind::Literal && child->literal == LiteralKind::Word;
      if (!word && child->kind != Node::Kind::Name) return node;
    }
    NodePtr word = make(Node::Kind::Literal, node->span);
    word->literal = LiteralKind::Word;
    word->text = node->children[0]->text + "." + node->children[1]->text;
    word->value = Value(Text{word->text});
    return word;
  }
  // The layout that an access stands over.
  Result<NodePtr> under() {
    if (depth_ >= kMaxNesting) return tooDeep();
    const Nest nest(depth_);
    return composed();
  }
  // X over (8,16): the call over(X, (8,16)); outside brackets also X over L, TYPE: over(X, L, TYPE).
  Result<NodePtr> bound(NodePtr layout) {
    layout = operandWord(std::move(layout));
    NodePtr call = make(Node::Kind::Call, layout->span);
    call->name = {in_.position(), in_.position() + 4};
    call->text = "over";
    in_.advance(4);
    in_.skipBlanks();
    TESSERA_TRY(NodePtr shape, isHardware(*layout) ? under() : primary());
    call->span.end = shape->span.end;
    call->children.push_back(std::move(layout));
    call->children.push_back(std::move(shape));
    in_.skipBlanks();
    if (typeFollows()) {
      in_.advance();
      in_.skipBlanks();
      TESSERA_TRY(NodePtr type, primary());
      call->span.end = type->span.end;
      call->children.push_back(std::move(type));
    }
    return call;
  }

  // primary [: primary]
  Result<NodePtr> layout() {
    TESSERA_TRY(NodePtr shape, primary());
    in_.skipBlanks();
    if (peek() != ':' || peek(1) == ':') return shape;
    if (shape->kind == Node::Kind::Literal && shape->literal == LiteralKind::Layout) return shape;  // a second ':'
    const std::size_t colon = step();
    in_.skipBlanks();
    if (done()) {
      return Diag{"the stride is missing after ':'", "a stride for each mode of the shape", "", {colon, colon + 1}};
    }
    NodePtr stride;
    TESSERA_TRY(const bool minus, atMinus());
    if (minus) {
      const std::size_t begin = step();
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
    in_.skipBlanks();
    if (done()) return expected("an expression");
    if (hexadecimal()) return hexLiteral();
    TESSERA_TRY(std::optional<Literal> found, literalHere());
    if (found) return literal(*std::move(found));
    const char c = peek();
    if (c == '(') return parenthesised();
    if (c == '[') return brackets(']');
    if (c == '<') return brackets('>');
    if ((c == 'S' || c == 'R') && peek(1) == '[') {  // else it were a literal
      return Diag{
          "this '[' is never closed", "S[extents:strides], with a ']'", "", {in_.position() + 1, in_.position() + 2}};
    }
    if (isNameStart(c)) return nameOrCall();
    if (c == ':') {
      return Diag{"the shape is missing before ':'", "a shape: an extent or a tuple of extents", "", pieceHere()};
    }
    if (c == '#') {
      std::size_t open = in_.position() + 1;
      while (open < limit() && (isNamePart(text()[open]) || text()[open] == '.')) ++open;
      if (open < limit() && text()[open] == '<') {
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
    NodePtr node = make(Node::Kind::Literal, {in_.position(), read.end});
    node->literal = read.kind;
    node->row = read.row;
    node->value = std::move(read.value);
    node->text = text().substr(in_.position(), read.end - in_.position());
    in_.seek(read.end);
    return node;
  }
  Result<NodePtr> wordLiteral(std::size_t end) {
    return literal({Value(Text{std::string(text().substr(in_.position(), end - in_.position()))}), LiteralKind::Word,
                    end, nullptr});
  }
  [[nodiscard]] bool hexadecimal() const { return peek() == '0' && (peek(1) == 'x' || peek(1) == 'X'); }
  Result<NodePtr> hexLiteral() {
    std::size_t end = in_.position() + 2;
    while (end < limit() && isNamePart(text()[end])) ++end;
    const std::string_view digits = text().substr(in_.position() + 2, end - in_.position() - 2);
    i64 n = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n, 16);
    if (error == std::errc::result_out_of_range) {
      return Diag{fmt::format("{} does not fit in 64 bits", shown({in_.position(), end})),
                  "an integer below 2^63",
                  "",
                  {in_.position(), end}};
    }
    if (error != std::errc{} || stop != digits.data() + digits.size())
      return Diag{
          fmt::format("'{}' is not a number", shown({in_.position(), end})), "an integer", "", {in_.position(), end}};
    return literal({Value(n), LiteralKind::Integer, end, nullptr});
  }
  [[nodiscard]] Diag malformedNumber() {
    std::size_t end = in_.position();
    while (end < limit() && isNamePart(text()[end])) ++end;
    std::size_t digitsEnd = in_.position();
    while (digitsEnd < end && isDigit(text()[digitsEnd])) ++digitsEnd;
    return Diag{fmt::format("'{}' is neither a number nor a name", shown({in_.position(), end})),
                "an integer",
                std::string(text().substr(in_.position(), std::min<std::size_t>(digitsEnd - in_.position(), 40))),
                {in_.position(), end}};
  }

  // ( expression ) groups; ( a, b ) and ( a, ) are tuples.
  Result<NodePtr> parenthesised() {
    const std::size_t open = step();
    NodePtr tuple = make(Node::Kind::Tuple, {open, open + 1});
    in_.skipBlanks();
    if (peek() == ')') {
      tuple->span.end = step() + 1;
      return tuple;
    }
    const int angles = std::exchange(inAngles_, 0);
    bool comma = false;
    for (;;) {
      in_.skipBlanks();
      if (comma && peek() == ')') break;
      if (peek() == ',') return expected("an element of the tuple", "remove one of the commas");
      TESSERA_TRY(NodePtr element, expression());
      tuple->children.push_back(std::move(element));
      in_.skipBlanks();
      if (peek() == ')') break;
      if (done()) {
        return Diag{"this '(' is never closed", "a ')'", closingHint(open), {open, open + 1}};
      }
      if (peek() != ',') return expected("',' or ')'", "elements are separated by commas");
      comma = true;
      in_.advance();
    }
    inAngles_ = angles;
    tuple->span.end = step() + 1;
    if (!comma) {  // grouping; it keeps the span of its parentheses
      NodePtr inner = std::move(tuple->children.front());
      inner->span = tuple->span;
      return inner;
    }
    return tuple;
  }
  [[nodiscard]] std::string closingHint(std::size_t open) const {
    std::size_t end = limit();
    while (end > open && isBlank(text()[end - 1])) --end;
    if (end - open > 60 || end < 1) return "";
    return fmt::format("did you mean {})", text().substr(open, end - open));
  }

  // <3:4, 8:2> and [(4,8):(1,4); _; 2:1]
  Result<NodePtr> brackets(char close) {
    const std::size_t open = step();
    NodePtr node = make(Node::Kind::Brackets, {open, open + 1});
    node->text = close == '>' ? "<" : "[";
    const int angles = std::exchange(inAngles_, close == '>' ? 1 : 0);
    in_.skipBlanks();
    while (peek() != close) {
      TESSERA_TRY(NodePtr element, expression());
      node->children.push_back(std::move(element));
      in_.skipBlanks();
      if (peek() == close) break;
      if (done()) {
        return Diag{
            fmt::format("this '{}' is never closed", node->text), fmt::format("a '{}'", close), "", {open, open + 1}};
      }
      if (peek() != ',' && peek() != ';') return expected(fmt::format("',' or '{}'", close));
      node->operators.emplace_back(1, text()[step()]);
      in_.skipBlanks();
    }
    inAngles_ = angles;
    if (done()) {
      return Diag{
          fmt::format("this '{}' is never closed", node->text), fmt::format("a '{}'", close), "", {open, open + 1}};
    }
    node->span.end = step() + 1;
    return node;
  }

  Result<NodePtr> nameOrCall() {
    const std::size_t begin = in_.position();
    std::size_t end = in_.position();
    while (end < limit() && (isNamePart(text()[end]) ||
                             (text().substr(end, 2) == "::" && end + 2 < limit() && isNameStart(text()[end + 2])))) {
      end += text()[end] == ':' ? 2 : 1;
    }
    std::string name(text().substr(begin, end - begin));
    for (const std::string_view reserved : {"o", "or", "and", "not"}) {
      if (name == reserved) return expected("an expression", fmt::format("'{}' is an operator", reserved));
    }
    Cursor word = in_;
    word.seek(end);
    if (acceptDotted(word) || acceptTemplateWord(word)) return wordLiteral(word.position());
    in_.seek(end);
    std::vector<std::string> templateArgs = acceptTemplateArguments(in_).value_or(std::vector<std::string>());
    const std::size_t nameEnd = in_.position();
    in_.skipBlanks();
    if (peek() != '(') {
      in_.seek(nameEnd);
      NodePtr node = make(Node::Kind::Name, {begin, nameEnd});
      node->text = std::move(name);
      return node;
    }
    NodePtr node = make(Node::Kind::Call, {begin, nameEnd});
    node->name = {begin, end};
    node->text = std::move(name);
    node->templateArgs = std::move(templateArgs);
    if (node->text == "simplify" && rangedExpression(*node)) return node;
    TESSERA_CHECKED(arguments(*node));
    return node;
  }

  // simplify((t / 8) % 4, t in [0, 31]): an expression over names of its own, with their ranges; one text.
  bool rangedExpression(Node& call) {
    Cursor ahead = in_;
    if (!ahead.acceptBracketed(/*angles=*/false)) return false;
    const std::size_t from = in_.position() + 1, to = ahead.position() - 1;
    const std::string_view inside = text().substr(from, to - from);
    const std::size_t in = inside.find(" in [");
    const std::size_t comma = in == std::string_view::npos ? in : inside.rfind(',', in);
    if (comma == std::string_view::npos || inside.find("->") < in) return false;  // a map has ranges, too
    Cursor name(inside.substr(0, in), {}, comma + 1);
    name.skipBlanks();
    name.advance(name.peekWord().size());
    if (!name.atEnd()) return false;  // S[(n,8):(8@m,1@m)] for n in [1, 64]
    NodePtr words = make(Node::Kind::Literal, {from, to});
    words->literal = LiteralKind::Word;
    words->value = Value(Text{std::string(inside)});
    words->text = inside;
    call.children.push_back(std::move(words));
    call.span.end = to + 1;
    in_.seek(to + 1);
    return true;
  }

  // ( argument, ... ), appended to the children of node.
  Result<void> arguments(Node& node) {
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
      if (done()) {
        return Diag{"this '(' is never closed", "a ')'", closingHint(node.span.begin), {open, open + 1}};
      }
      if (peek() != ',') return expected("',' or ')'", "arguments are separated by commas");
      in_.advance();
      in_.skipBlanks();
      if (done()) {
        return Diag{"this '(' is never closed", "an argument and a ')'", "", {open, open + 1}};
      }
    }
    inAngles_ = angles;
    node.span.end = step() + 1;
    return {};
  }

  Cursor in_;
  const NameLookup& names_;
  std::optional<std::optional<Literal>> ahead_;  // what begins, or does not, at aheadAt_
  std::size_t aheadAt_ = 0;
  int depth_ = 0;
  int inAngles_ = 0;  // inside <...>, where `>` closes
};

}  // namespace

Result<NodePtr> parseExpression(std::string_view text, std::size_t from, std::size_t to, const NameLookup& names) {
  return Parser(text, from, to, names).whole();
}

}  // namespace tessera
