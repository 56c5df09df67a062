#include "core/codegen/index/index_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <unordered_map>

#include "core/base/arith.h"
#include "core/expr/linear_sum.h"

namespace tessera::codegen {
namespace {

// What a node of the text is. It may stand for several of the expression: a masked field is a mod of a floordiv times
// a power of two.
enum class Form : unsigned char {
  Atom,
  Add,
  Sub,
  Neg,
  Mul,
  Div,
  Rem,
  Shift,
  Mask,
  MaskShift,
  Xor,
  Min,
  Max,
  Floor,
  Modulo
};

struct Piece {
  Form form = Form::Atom;
  std::vector<Expr> operands;
  i64 mask = 0;   // Mask, MaskShift; negative: ~(2^k - 1)
  int shift = 0;  // Shift, MaskShift
};

constexpr std::size_t kLineLength = 80;  // a longer text gets a name

constexpr int kLoosest = 0, kXor = 1, kBits = 2, kSum = 4, kQuotient = 5, kProduct = 6, kUnary = 7, kAtom = 8;

int strength(Form form) {
  switch (form) {
    case Form::Xor:
      return kXor;
    case Form::Shift:
    case Form::Mask:
    case Form::MaskShift:
      return kBits;
    case Form::Add:
    case Form::Sub:
      return kSum;
    case Form::Div:
    case Form::Rem:
      return kQuotient;
    case Form::Mul:
      return kProduct;
    case Form::Neg:
      return kUnary;
    default:
      return kAtom;  // min, max and calls bring their own brackets
  }
}

bool fits32(Range r) { return r.lo >= INT32_MIN && r.hi <= INT32_MAX; }

// 2^k as k.
std::optional<int> logOf(const Expr& e) {
  if (!e.isConstant() || !isPowerOfTwo(e.value())) return std::nullopt;
  return std::countr_zero(static_cast<u64>(e.value()));
}
i64 lowMask(int bits) { return bits >= 63 ? INT64_MAX : (i64{1} << bits) - 1; }

struct Node {
  Piece piece;
  int uses = 0;
  bool root = false;
  bool mustBeName = false;  // it is written twice
  // Once it is spelled:
  std::string text;
  int strength = kAtom;
  int operations = 0;
  bool wide = false;
};

class Speller {
 public:
  Speller(const Environment& box, const std::vector<std::string>& names, Dialect dialect)
      : facts_(box), digits_(box.digits.size()), names_(names), python_(dialect == Dialect::Python) {
    out_.uses.assign(names.size(), false);
  }

  [[nodiscard]] bool fits(const Expr& e) { return facts_.of(e).fits; }
  [[nodiscard]] Range range(const Expr& e) { return facts_.of(e).interval; }

  void run(const std::vector<Expr>& roots) {
    for (const Expr& root : roots) visit(root);
    for (const Expr& e : order_) write(e);
  }
  [[nodiscard]] Spelled text(const Expr& root) const {
    const Node& n = nodes_.at(root);
    return {n.text, n.wide};
  }
  [[nodiscard]] std::string operand(const Expr& e, int atLeast) const {
    const Node& n = nodes_.at(e);
    return n.strength < atLeast ? "(" + n.text + ")" : n.text;
  }
  SpelledBody take() { return std::move(out_); }

 private:
  // --- what is where ----------------------------------------------------------------------------------------------

  // y where e is y * -c, c > 0: what a sum subtracts.
  std::optional<Expr> negated(const Expr& e) {
    if (e.op() != Op::Mul || !e.rhs().isConstant() || e.rhs().value() >= 0 || e.rhs().value() == INT64_MIN)
      return std::nullopt;
    const Expr positive = e.lhs() * -e.rhs().value();
    return fits(positive) ? std::optional(positive) : std::nullopt;
  }

  Piece sum(const Expr& e) {
    const Expr a = e.lhs(), b = e.rhs();
    if (b.isConstant() && b.value() < 0 && b.value() != INT64_MIN && !negated(a))
      return {Form::Sub, {a, Expr::constant(-b.value())}};
    if (const auto less = negated(b)) return {Form::Sub, {a, *less}};
    if (const auto less = negated(a)) return {Form::Sub, {b, *less}};
    return {Form::Add, {a, b}};
  }

  // The field of e: bits [low, low + bits) of y, moved down to 0.
  struct Field {
    Expr of;
    int low = 0, bits = 0;
  };
  static std::optional<Field> fieldOf(const Expr& e) {
    if (e.op() != Op::Mod) return std::nullopt;
    const auto bits = logOf(e.rhs());
    const Expr high = e.lhs();
    const auto low = high.op() == Op::FloorDiv ? logOf(high.rhs()) : std::nullopt;
    if (!bits || !low || *low + *bits > 62) return std::nullopt;
    return Field{high.lhs(), *low, *bits};
  }

  static Piece product(const Expr& e) {
    const Expr a = e.lhs(), b = e.rhs();
    if (b.isConstant(-1)) return {Form::Neg, {a}};
    if (const auto up = logOf(b)) {
      if (const auto field = fieldOf(a); field && *up <= field->low) {
        const i64 mask = lowMask(field->bits) << field->low;
        if (*up == field->low) return {Form::Mask, {field->of}, mask};
        return {Form::MaskShift, {field->of}, mask, field->low - *up};
      }
      if (a.op() == Op::FloorDiv && a.rhs() == b) return {Form::Mask, {a.lhs()}, -b.value()};
    }
    return {Form::Mul, {a, b}};
  }

  Piece quotient(const Expr& e) {
    const Expr a = e.lhs(), b = e.rhs();
    if (python_) return {Form::Div, {a, b}};
    if (const auto low = logOf(b)) return {Form::Shift, {a}, 0, *low};
    if (range(a).lo >= 0 && range(b).lo > 0) return {Form::Div, {a, b}};
    return {Form::Floor, {a, b}};
  }

  Piece remainder(const Expr& e) {
    const Expr a = e.lhs(), b = e.rhs();
    if (b.isConstant(INT64_MIN)) return {Form::Mask, {a}, INT64_MAX};
    const Expr size = range(b).hi < 0 ? b * -1 : b;  // a remainder lies in [0, |b|)
    if (const auto bits = logOf(size); bits && !python_) return {Form::Mask, {a}, lowMask(*bits)};
    if (fits(size) && (python_ || (range(a).lo >= 0 && range(size).lo > 0))) return {Form::Rem, {a, size}};
    return {Form::Modulo, {a, b}};
  }

  Piece pieceOf(const Expr& e) {
    switch (e.op()) {
      case Op::Add:
        return sum(e);
      case Op::Mul:
        return product(e);
      case Op::FloorDiv:
        return quotient(e);
      case Op::Mod:
        return remainder(e);
      case Op::Xor:
        return {Form::Xor, {e.lhs(), e.rhs()}};
      case Op::Min:
        return {Form::Min, {e.lhs(), e.rhs()}};
      case Op::Max:
        return {Form::Max, {e.lhs(), e.rhs()}};
      default:
        return {};
    }
  }

  // Operands before what is made of them, without recursion; how often each is used.
  void visit(const Expr& root) {
    std::vector<std::pair<Expr, bool>> stack{{root, false}};
    while (!stack.empty()) {
      const auto [e, expanded] = stack.back();
      stack.pop_back();
      if (expanded) {
        order_.push_back(e);
        continue;
      }
      Node& node = nodes_[e];
      if (++node.uses > 1) continue;
      node.piece = pieceOf(e);
      stack.emplace_back(e, true);
      const bool twice = !python_ && (node.piece.form == Form::Min || node.piece.form == Form::Max);
      const std::vector<Expr> operands = node.piece.operands;
      for (auto it = operands.rbegin(); it != operands.rend(); ++it) {
        if (twice) nodes_[*it].mustBeName = true;
        stack.emplace_back(*it, false);
      }
    }
    nodes_[root].root = true;
  }

  // --- the text ----------------------------------------------------------------------------------------------------

  std::string number(i64 v) const {
    if (python_) return std::to_string(v);
    if (v == INT64_MIN) return "(-9223372036854775807LL - 1)";
    return v >= -INT32_MAX && v <= INT32_MAX ? std::to_string(v) : std::to_string(v) + "LL";
  }
  std::string maskText(i64 mask) const {
    const std::string suffix = !python_ && (mask > INT32_MAX || mask < -INT32_MAX) ? "LL" : "";
    if (mask < 0) return "~" + (mask == INT64_MIN ? "0x7fffffffffffffff" + suffix : maskText(-(mask + 1)));
    const bool low = (mask & (mask + 1)) == 0;
    return mask <= 9 || (low && mask <= 127) ? std::to_string(mask) : fmt::format("{:#x}{}", mask, suffix);
  }

  void atom(const Expr& e, Node& n) {
    if (e.isConstant()) {
      n.text = number(e.value());
      n.wide = e.value() < -INT32_MAX || e.value() > INT32_MAX;
      n.strength = e.value() < 0 && e.value() != INT64_MIN ? kUnary : kAtom;
      return;
    }
    const std::size_t k = static_cast<std::size_t>(e.index()) + (e.op() == Op::Param ? digits_ : 0);
    out_.uses[k] = true;
    n.text = names_[k];
    n.wide = !fits32(range(e));
  }

  // The first operand of what is done in 64 bits, though neither operand has as many.
  [[nodiscard]] std::string first(const Expr& e, int atLeast, bool cast) const {
    return cast ? "(long long)" + operand(e, kUnary) : operand(e, atLeast);
  }

  std::string chosen(const Node& n) const {
    const Expr &a = n.piece.operands[0], &b = n.piece.operands[1];
    const bool least = n.piece.form == Form::Min;
    if (python_) return fmt::format("{}({}, {})", least ? "min" : "max", operand(a, kLoosest), operand(b, kLoosest));
    const std::string x = operand(a, kSum), y = operand(b, kSum);
    return fmt::format("({} {} {} ? {} : {})", x, least ? "<" : ">", y, x, y);
  }

  std::string call(const Node& n) {
    const bool quotient = n.piece.form == Form::Floor;
    (quotient ? n.wide ? out_.floorDivWide : out_.floorDiv : n.wide ? out_.floorModWide : out_.floorMod) = true;
    return fmt::format("floor_{}{}({}, {})", quotient ? "div" : "mod", n.wide ? "64" : "",
                       operand(n.piece.operands[0], kLoosest), operand(n.piece.operands[1], kLoosest));
  }

  std::string textOf(Node& n, bool cast) {
    const Piece& p = n.piece;
    const std::vector<Expr>& o = p.operands;
    switch (p.form) {
      case Form::Add:
        return first(o[0], kSum, cast) + " + " + operand(o[1], kSum + 1);
      case Form::Sub:
        return first(o[0], kSum, cast) + " - " + operand(o[1], kSum + 1);
      case Form::Neg:
        return "-" + first(o[0], kAtom, cast);
      case Form::Mul:
        return first(o[0], kProduct, cast) + " * " + operand(o[1], kUnary);
      case Form::Div:
        return operand(o[0], kUnary) + (python_ ? " // " : " / ") + operand(o[1], kUnary);
      case Form::Rem:
        return operand(o[0], kUnary) + " % " + operand(o[1], kUnary);
      case Form::Shift:
        return fmt::format("{} >> {}", operand(o[0], kAtom), p.shift);
      case Form::Mask:
        return fmt::format("{} & {}", operand(o[0], kAtom), maskText(p.mask));
      case Form::MaskShift:
        return fmt::format("({} & {}) >> {}", operand(o[0], kAtom), maskText(p.mask), p.shift);
      case Form::Xor:
        return operand(o[0], nodes_.at(o[0]).strength == kXor ? kXor : kAtom) + " ^ " + operand(o[1], kAtom);
      case Form::Min:
      case Form::Max:
        return chosen(n);
      case Form::Floor:
      case Form::Modulo:
        return call(n);
      case Form::Atom:
        break;
    }
    return "";
  }

  void write(const Expr& e) {
    Node& n = nodes_.at(e);
    if (n.piece.form == Form::Atom) return atom(e, n);
    n.operations = n.piece.form == Form::MaskShift ? 2 : 1;
    for (const Expr& o : n.piece.operands) {
      const Node& operand = nodes_.at(o);
      n.operations += operand.operations;
      n.wide = n.wide || operand.wide;
    }
    const bool masked = n.piece.form == Form::Mask || n.piece.form == Form::MaskShift;
    if (masked && (n.piece.mask > INT32_MAX || n.piece.mask < -INT32_MAX)) n.wide = true;
    const bool cast = !n.wide && !fits32(range(e));
    n.wide = !python_ && (n.wide || cast);
    n.text = textOf(n, cast && !python_);
    n.strength = strength(n.piece.form);
    const bool shared = n.uses > 1 && n.operations > 1;
    if (shared || n.mustBeName || (n.text.size() > kLineLength && !n.root)) name(n);
  }

  void name(Node& n) {
    std::string name;
    do {
      name = fmt::format("t{}", next_++);
    } while (std::find(names_.begin(), names_.end(), name) != names_.end());
    out_.locals.push_back({name, std::move(n.text), n.wide});
    n.text = std::move(name);
    n.strength = kAtom;
    n.operations = 0;
  }

  FactBase facts_;
  std::size_t digits_;
  const std::vector<std::string>& names_;
  bool python_;
  std::unordered_map<Expr, Node> nodes_;
  std::vector<Expr> order_;
  int next_ = 0;
  SpelledBody out_;
};

// One side of a comparison against the other.
struct Comparison {
  Expr left, right;
  std::string_view sign;
};

// e >= 0, e <= 0 (sign -1) or e == 0 with what is subtracted on the other side: n - 1 - i >= 0 is i < n.
std::optional<Comparison> compared(const Expr& e, i64 bound, int sign, Speller& speller) {
  const auto whole = linearSum(e);
  if (!whole) return std::nullopt;
  Linear added, taken;
  for (const Term& t : whole->terms) {
    if (t.coefficient == INT64_MIN || t.coefficient == 0) return std::nullopt;
    (t.coefficient > 0 ? added : taken).terms.push_back({t.part, std::abs(t.coefficient)});
  }
  if (taken.terms.empty()) return std::nullopt;          // e remains alone
  const auto over = checkedSub(whole->constant, bound);  // added - taken + over, against 0
  if (!over || *over == INT64_MIN) return std::nullopt;
  const bool strict = sign > 0 ? *over == -1 : sign < 0 && *over == 1;
  if (!strict) (*over > 0 ? added : taken).constant = std::abs(*over);
  const Expr left = built(taken), right = built(added);  // taken <= added
  if (!speller.fits(left) || !speller.fits(right)) return std::nullopt;
  if (sign == 0) return Comparison{left, right, "=="};
  if (sign > 0) return Comparison{left, right, strict ? "<" : "<="};
  return Comparison{left, right, strict ? ">" : ">="};
}

void compare(const Guard& g, Speller& speller, std::vector<Comparison>& out) {
  const Range r = speller.range(g.value);
  const bool below = r.lo<g.lo, above = r.hi> g.hi;
  const auto add = [&](i64 bound, int sign) {
    const std::string_view plain = sign == 0 ? "==" : sign > 0 ? ">=" : "<=";
    out.push_back(compared(g.value, bound, sign, speller).value_or(Comparison{g.value, Expr::constant(bound), plain}));
  };
  if (below && above && g.lo == g.hi) return add(g.lo, 0);
  if (below) add(g.lo, 1);
  if (above) add(g.hi, -1);
}

}  // namespace

SpelledBody spell(const std::vector<Expr>& roots, const Environment& box, const std::vector<std::string>& names,
                  Dialect dialect) {
  Speller speller(box, names, dialect);
  speller.run(roots);
  std::vector<Spelled> values;
  for (const Expr& root : roots) values.push_back(speller.text(root));
  SpelledBody body = speller.take();
  body.values = std::move(values);
  return body;
}

SpelledBody spell(const std::vector<Guard>& guards, const Environment& box, const std::vector<std::string>& names,
                  Dialect dialect) {
  Speller speller(box, names, dialect);
  std::vector<Comparison> comparisons;
  for (const Guard& g : guards) {
    const Range r = speller.range(g.value);
    if (r.hi < g.lo || r.lo > g.hi || g.lo > g.hi) {  // no value meets it
      SpelledBody never;
      never.values.push_back({dialect == Dialect::Python ? "False" : "0", false});
      never.uses.assign(names.size(), false);
      return never;
    }
    compare(g, speller, comparisons);
  }
  std::vector<Expr> roots;
  for (const Comparison& c : comparisons) {
    roots.push_back(c.left);
    roots.push_back(c.right);
  }
  speller.run(roots);
  std::vector<Spelled> values;
  for (const Comparison& c : comparisons) {
    values.push_back(
        {fmt::format("{} {} {}", speller.operand(c.left, kSum), c.sign, speller.operand(c.right, kSum)), false});
  }
  SpelledBody body = speller.take();
  body.values = std::move(values);
  return body;
}

}  // namespace tessera::codegen
