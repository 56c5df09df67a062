#include "core/codegen/address/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <unordered_map>

#include "core/base/arith.h"
#include "core/expr/walk.h"

namespace tessera::codegen {
namespace {

// The form of a node of the text. It may represent several nodes of the expression: a masked field is a mod of a
// floordiv times a power of two.
enum class Form : unsigned char {
  Atom,
  Add,
  Sub,
  Neg,
  Mul,
  Factors,
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

// The style of a dialect.
struct Style {
  bool fixedWidth;          // numbers have 32 or 64 bits
  bool shifts, masks;       // a quotient by a power of two is a shift, a field of bits a mask
  bool locals;              // shared or long sub-expressions become locals
  bool chooses;             // there are functions min and max
  bool flat;                // x ^ y ^ z, a constant last in a sum, the factors of a wide product in a row
  int dividend, factor;     // an operand on the left of / and on the right of * binds as tightly
  std::string_view divide;  // for numbers that are not negative
  std::string_view space;   // of floor_div and floor_mod
};

constexpr std::size_t kLineLength = 80;  // a longer text becomes a local

constexpr int kLoosest = 0, kXor = 1, kBits = 2, kSum = 4, kQuotient = 5, kProduct = 6, kUnary = 7, kAtom = 8;

// By form. Min, max and calls have their own brackets.
constexpr int kStrength[] = {kAtom, kSum,  kSum,  kUnary, kProduct, kProduct, kQuotient, kQuotient,
                             kBits, kBits, kBits, kXor,   kAtom,    kAtom,    kAtom,     kAtom};

constexpr Style kStyles[] = {{true, true, true, true, false, false, kUnary, kUnary, " / ", ""},               // C
                             {false, false, true, true, true, false, kUnary, kUnary, " // ", ""},             // Python
                             {true, false, false, false, true, true, kQuotient, kAtom, " / ", "tessera::"}};  // Kernel

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
  bool mustBeName = false;  // its text would occur twice
  // Set when it is spelled:
  std::string text;
  int strength = kAtom;
  int operations = 0;
  bool wide = false;
};

class Speller {
 public:
  Speller(FactBase& facts, Dialect dialect, const std::function<std::string(int)>& names,
          const std::function<std::string(const Expr&)>& named)
      : facts_(facts), style_(kStyles[static_cast<std::size_t>(dialect)]), names_(names), named_(named) {
    out_.uses.assign(static_cast<std::size_t>(count_), false);
  }

  SpelledBody run(const std::vector<Expr>& roots) {
    for (const Expr& root : roots) visit(root);
    for (const Expr& e : order_) write(e);
    for (const Expr& root : roots) {
      const Node& n = nodes_.at(root);
      out_.values.push_back({n.text, n.wide, n.strength < kSum});
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] Range range(const Expr& e) { return facts_.of(e).interval; }
  [[nodiscard]] bool wide(const Expr& e) { return !fitsInt(range(e)) || !facts_.of(e).fits; }
  [[nodiscard]] const Node& node(const Expr& e) const { return nodes_.at(e); }
  [[nodiscard]] std::string operand(const Expr& e, int atLeast) const {
    const Node& n = node(e);
    return n.strength < atLeast ? "(" + n.text + ")" : n.text;
  }

  // --- the order of terms ------------------------------------------------------------------------------------------

  // y where e is y * -c, c > 0: what a sum subtracts.
  std::optional<Expr> negated(const Expr& e) {
    if (e.op() != Op::Mul || !e.rhs().isConstant() || e.rhs().value() >= 0 || e.rhs().value() == INT64_MIN)
      return std::nullopt;
    const Expr positive = e.lhs() * -e.rhs().value();
    return style_.flat || facts_.of(positive).fits ? std::optional(positive) : std::nullopt;
  }

  Piece sum(const Expr& e) {
    const Expr a = e.lhs(), b = e.rhs();
    const auto lessA = negated(a), lessB = negated(b);
    if (lessA && !lessB && !(style_.flat && b.isConstant())) return {Form::Sub, {b, *lessA}};
    const i64 least = style_.flat ? INT32_MIN : INT64_MIN;
    if (b.isConstant() && b.value() < 0 && b.value() > least) return {Form::Sub, {a, Expr::constant(-b.value())}};
    if (lessB) return {Form::Sub, {a, *lessB}};
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

  Piece product(const Expr& e) {
    const Expr a = e.lhs(), b = e.rhs();
    if (b.isConstant(-1)) return {Form::Neg, {a}};
    // In 64 bits the order of factors is free: x * (M * 128) as (long long)x * M * 128.
    if (style_.flat && wide(e)) return {Form::Factors, chainOf(e, Op::Mul)};
    if (const auto up = logOf(b); up && style_.masks) {
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
    if (!style_.fixedWidth) return {Form::Div, {a, b}};
    if (const auto low = logOf(b); low && style_.shifts) return {Form::Shift, {a}, 0, *low};
    if (range(a).lo >= 0 && range(b).lo > 0) {
      // In a kernel, a number of 32 bits by a product that may be longer: by its factors one after the other.
      std::vector<Expr> all{a};
      if (style_.flat && !wide(a) && wide(b)) all = chainOf(b, Op::Mul);
      if (all.size() > 1 && std::ranges::all_of(all, [&](const Expr& f) { return range(f).lo > 0 && !wide(f); })) {
        all.insert(all.begin(), a);
        return {Form::Div, std::move(all)};
      }
      return {Form::Div, {a, b}};
    }
    return {Form::Floor, {a, b}};
  }

  Piece remainder(const Expr& e) {
    const Expr a = e.lhs(), b = e.rhs();
    if (style_.masks && b.isConstant(INT64_MIN)) return {Form::Mask, {a}, INT64_MAX};
    const Expr size = style_.masks && range(b).hi < 0 ? b * -1 : b;  // a remainder is in [0, |b|)
    if (const auto bits = logOf(size); bits && style_.shifts) return {Form::Mask, {a}, lowMask(*bits)};
    if (facts_.of(size).fits && (!style_.fixedWidth || (range(a).lo >= 0 && range(size).lo > 0)))
      return {Form::Rem, {a, size}};
    return {Form::Modulo, {a, b}};
  }

  Piece pieceOf(const Expr& e) {
    if (isLeaf(e.op())) return {};
    if (e.op() == Op::Add) return sum(e);
    if (e.op() == Op::Mul) return product(e);
    if (e.op() == Op::FloorDiv) return quotient(e);
    if (e.op() == Op::Mod) return remainder(e);
    return {e.op() == Op::Xor ? Form::Xor : e.op() == Op::Min ? Form::Min : Form::Max, {e.lhs(), e.rhs()}};
  }

  // Orders operands before their users, without recursion, and counts the uses of each.
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
      if (named_) node.text = named_(e);
      stack.emplace_back(e, true);
      if (!node.text.empty()) continue;
      node.piece = pieceOf(e);
      const bool twice = !style_.chooses && (node.piece.form == Form::Min || node.piece.form == Form::Max);
      const std::vector<Expr> operands = node.piece.operands;
      for (auto it = operands.rbegin(); it != operands.rend(); ++it) {
        if (twice) nodes_[*it].mustBeName = true;
        stack.emplace_back(*it, false);
      }
    }
    nodes_[root].root = true;
  }

  // --- the text ----------------------------------------------------------------------------------------------------

  [[nodiscard]] bool isWide(i64 v) const { return v > INT32_MAX || v < (style_.flat ? INT32_MIN : -INT32_MAX); }
  std::string number(i64 v) const {
    if (!style_.fixedWidth) return std::to_string(v);
    if (v == INT64_MIN) return "(-9223372036854775807LL - 1)";
    return std::to_string(v) + (isWide(v) ? "LL" : "");
  }
  std::string maskText(i64 mask) const {
    const std::string suffix = style_.fixedWidth && (mask > INT32_MAX || mask < -INT32_MAX) ? "LL" : "";
    if (mask < 0) return "~" + (mask == INT64_MIN ? "0x7fffffffffffffff" + suffix : maskText(-(mask + 1)));
    const bool low = (mask & (mask + 1)) == 0;
    return mask <= 9 || (low && mask <= 127) ? std::to_string(mask) : fmt::format("{:#x}{}", mask, suffix);
  }

  void atom(const Expr& e, Node& n) {
    if (e.isConstant()) {
      n.text = number(e.value());
      n.wide = isWide(e.value());
      n.strength = e.value() < 0 && e.value() != INT64_MIN ? kUnary : kAtom;
      return;
    }
    const int k = e.index() + (e.op() == Op::Param ? digits_ : 0);
    out_.uses[static_cast<std::size_t>(k)] = true;
    n.text = names_(k);
    n.wide = style_.locals && !fitsInt(range(e));  // a kernel's variables are ints
  }

  // The first operand of an operation that needs 64 bits although its operands do not (`cast`).
  [[nodiscard]] std::string first(const Expr& e, int atLeast, bool cast) const {
    return cast ? "(long long)" + operand(e, style_.factor) : operand(e, atLeast);
  }

  std::string chosen(const Node& n) const {
    const Expr &a = n.piece.operands[0], &b = n.piece.operands[1];
    const bool least = n.piece.form == Form::Min;
    if (style_.chooses) {
      const auto side = [&](const Expr& e) { return first(e, kLoosest, style_.fixedWidth && n.wide && !node(e).wide); };
      return fmt::format("{}({}, {})", least ? "min" : "max", side(a), side(b));
    }
    const std::string x = operand(a, kSum), y = operand(b, kSum);
    return fmt::format("({} {} {} ? {} : {})", x, least ? "<" : ">", y, x, y);
  }

  std::string call(const Node& n) {
    const std::string function = fmt::format("floor_{}{}", n.piece.form == Form::Floor ? "div" : "mod",
                                             n.wide && style_.space.empty() ? "64" : "");
    out_.calls.insert(function);
    return fmt::format("{}{}({}, {})", style_.space, function, operand(n.piece.operands[0], kLoosest),
                       operand(n.piece.operands[1], kLoosest));
  }

  std::string row(const Piece& p) const {
    std::string out = node(p.operands[0]).wide ? "" : "(long long)";
    for (const Expr& e : p.operands) out += (&e == &p.operands[0] ? "" : " * ") + operand(e, kAtom);
    return out;
  }

  std::string textOf(Node& n, bool cast) {
    const Piece& p = n.piece;
    const std::vector<Expr>& o = p.operands;
    if (p.form == Form::Add) return first(o[0], kSum, cast) + " + " + operand(o[1], kSum + 1);
    if (p.form == Form::Sub) return first(o[0], kSum, cast) + " - " + operand(o[1], kSum + 1);
    if (p.form == Form::Mul) return first(o[0], kProduct, cast) + " * " + operand(o[1], style_.factor);
    if (p.form == Form::Div || p.form == Form::Rem) {
      std::string out = operand(o[0], style_.dividend);
      for (std::size_t k = 1; k < o.size(); ++k)
        out.append(p.form == Form::Div ? style_.divide : " % ") += operand(o[k], style_.factor);
      return out;
    }
    if (p.form == Form::Xor)
      return operand(o[0], node(o[0]).strength == kXor ? kXor : kAtom) + " ^ " +
             operand(o[1], style_.flat && node(o[1]).strength == kXor ? kXor : kAtom);
    if (p.form == Form::Min || p.form == Form::Max) return chosen(n);
    if (p.form == Form::Floor || p.form == Form::Modulo) return call(n);
    const std::string one = operand(o[0], kAtom);
    if (p.form == Form::Neg) return "-" + first(o[0], kAtom, cast);
    if (p.form == Form::Factors) return row(p);
    if (p.form == Form::Shift) return fmt::format("{} >> {}", one, p.shift);
    if (p.form == Form::Mask) return fmt::format("{} & {}", one, maskText(p.mask));
    return fmt::format("({} & {}) >> {}", one, maskText(p.mask), p.shift);
  }

  // A kernel's quotient or remainder of numbers that need 64 bits as ints, but not as unsigned ones. Sums and products
  // are exact modulo 2^32, so only the whole dividend has to be below 2^32.
  //
  //     ((long long)K + 3) / 4      (int)(((unsigned)K + 3) / 4)
  std::optional<std::string> inUnsigned(const Expr& e, const Node& n) {
    if (!style_.flat || (n.piece.form != Form::Div && n.piece.form != Form::Rem) || !fitsInt(range(e))) return {};
    const Expr a = n.piece.operands[0], b = n.piece.operands[1];
    if (n.piece.operands.size() != 2 || !node(a).wide || node(b).wide || range(a).lo < 0) return {};
    // A few divisors less, if the dividend exceeds 32 bits: (X + U + 2) mod 3 = (X + U - 1) mod 3.
    const bool above = range(a).hi > UINT32_MAX;
    const i64 times = above && b.isConstant() && b.value() > 0 ? range(a).lo / b.value() : 0;
    const i64 less = times * (b.isConstant() ? b.value() : 0);
    if (above && (less == 0 || less > INT32_MAX || range(a).hi - less > UINT32_MAX)) return {};
    const auto dividend = moduloWord(a);
    if (!dividend) return {};
    const bool quotient = n.piece.form == Form::Div;
    const std::string whole = fmt::format("(int)(({}{}){}{})", *dividend, less == 0 ? "" : fmt::format(" - {}", less),
                                          quotient ? style_.divide : " % ", operand(b, style_.factor));
    return quotient && times > 0 ? fmt::format("({} + {})", whole, times) : whole;
  }

  // The text of a sum or product modulo 2^32, of type unsigned.
  std::optional<std::string> moduloWord(const Expr& e) const {
    const Node& n = node(e);
    if (!n.wide) return "(unsigned)" + operand(e, style_.factor);
    const std::vector<Expr>& o = n.piece.operands;
    const bool sum = n.piece.form == Form::Add || n.piece.form == Form::Sub;
    if (!sum && n.piece.form != Form::Factors) return {};
    std::string out;
    for (std::size_t k = 0; k < o.size(); ++k) {
      if (k > 0) out += !sum ? " * " : n.piece.form == Form::Add ? " + " : " - ";
      const int atLeast = sum ? kSum + (k > 0 ? 1 : 0) : kAtom;
      if (k > 0 && !node(o[k]).wide) {
        out += operand(o[k], atLeast);
        continue;
      }
      const auto part = moduloWord(o[k]);
      if (!part) return {};
      out += k > 0 && node(o[k]).strength < atLeast ? "(" + *part + ")" : *part;
    }
    return out;
  }

  void write(const Expr& e) {
    Node& n = nodes_.at(e);
    if (!n.text.empty()) return;  // named by the caller
    if (n.piece.form == Form::Atom) return atom(e, n);
    n.operations = n.piece.form == Form::MaskShift ? 2 : 1;
    for (const Expr& o : n.piece.operands) {
      const Node& operand = nodes_.at(o);
      n.operations += operand.operations;
      n.wide = n.wide || operand.wide;
    }
    const bool masked = n.piece.form == Form::Mask || n.piece.form == Form::MaskShift;
    if (masked && (n.piece.mask > INT32_MAX || n.piece.mask < -INT32_MAX)) n.wide = true;
    // In a kernel, quotients and negations are as wide as their operands.
    const bool sum = n.piece.form == Form::Add || n.piece.form == Form::Sub;
    const bool cast = style_.fixedWidth && !n.wide && (style_.locals || sum) && wide(e);
    n.wide = style_.fixedWidth && (n.wide || cast || n.piece.form == Form::Factors);
    if (auto text = inUnsigned(e, n)) {
      n.text = std::move(*text);
      n.wide = false;
      n.strength = kAtom;
      return;
    }
    n.text = textOf(n, cast);
    n.strength = kStrength[static_cast<std::size_t>(n.piece.form)];
    if (!style_.locals) return;
    const bool shared = n.uses > 1 && n.operations > 1;
    if (shared || n.mustBeName || (n.text.size() > kLineLength && !n.root)) name(n);
  }

  void name(Node& n) {
    std::string name;
    do {
      name = fmt::format("t{}", next_++);
    } while (isTaken(name));
    out_.locals.push_back({name, std::move(n.text), n.wide});
    n.text = std::move(name);
    n.strength = kAtom;
    n.operations = 0;
  }

  [[nodiscard]] bool isTaken(const std::string& name) const {
    for (int k = 0; k < count_; ++k)
      if (names_(k) == name) return true;
    return false;
  }

  FactBase& facts_;
  const Style& style_;
  const std::function<std::string(int)>& names_;
  const std::function<std::string(const Expr&)>& named_;
  int digits_ = static_cast<int>(facts_.box().digits.size());
  int count_ = digits_ + static_cast<int>(facts_.box().params.size());
  std::unordered_map<Expr, Node> nodes_;
  std::vector<Expr> order_;
  int next_ = 0;
  SpelledBody out_;
};

}  // namespace

SpelledBody spell(const std::vector<Expr>& roots, FactBase& facts, Dialect dialect,
                  const std::function<std::string(int)>& names, const std::function<std::string(const Expr&)>& named) {
  return Speller(facts, dialect, names, named).run(roots);
}

}  // namespace tessera::codegen
