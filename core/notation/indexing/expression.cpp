#include "core/notation/indexing/expression.h"

#include <fmt/format.h>

#include "core/base/chars.h"
#include "core/base/cursor.h"
#include "core/expr/bits.h"

namespace tessera::indexing {
namespace {

using axe::spelling::Scanner;

class Reader {
 public:
  Reader(Scanner& in, const ExpressionContext& context) : in_(in), context_(context), facts_(context.box) {}

  Result<Expr> either() {
    const Nesting level;
    if (level.tooDeep()) return level.refusal(in_);
    return chain(&Reader::exclusive, [this] { return bits("|", "||", Join(bitOr)); });
  }

 private:
  using Join = Expr (*)(const Expr&, const Expr&);

  // a op b op c, from the left. `join` reads an operator; nullptr if there is none.
  template <typename Operator>
  Result<Expr> chain(Result<Expr> (Reader::*operand)(), const Operator& join) {
    TESSERA_TRY(Expr left, (this->*operand)());
    for (;;) {
      TESSERA_TRY(const Join joined, join());
      if (joined == nullptr) return left;
      TESSERA_TRY(const Expr right, (this->*operand)());
      left = joined(left, right);
    }
  }

  Result<Join> bits(std::string_view once, std::string_view twice, Join join) {
    if (in_.peek() != once[0]) return Join(nullptr);
    const std::size_t begin = in_.position();
    if (in_.accept(twice))
      return in_.failFrom(begin, fmt::format("{} is a logical operator, and an index has no conditions", twice),
                          fmt::format("{} for a bitwise operation", once));
    (void)in_.accept(once);
    return join;
  }

  Result<Expr> exclusive() {
    return chain(&Reader::both, [this]() -> Result<Join> {
      if (!in_.accept("^") && !in_.acceptWord("xor")) return Join(nullptr);
      return Join([](const Expr& a, const Expr& b) { return a ^ b; });
    });
  }

  Result<Expr> both() {
    return chain(&Reader::shift, [this] { return bits("&", "&&", Join(bitAnd)); });
  }

  Result<Expr> shift() {
    TESSERA_TRY(Expr left, sum());
    for (;;) {
      const bool up = in_.accept("<<");
      if (!up && !in_.accept(">>")) return left;
      const std::size_t begin = in_.start();
      TESSERA_TRY(const Expr count, sum());
      if (!count.isConstant()) {
        return in_.failFrom(begin, "the shift count is not a number", "a constant shift count",
                            "a table of powers of two, or * with a variable");
      }
      if (count.value() < 0 || count.value() > kMaxShift) {
        return in_.failFrom(begin, fmt::format("a shift by {}", count.value()),
                            fmt::format("a shift count from 0 to {}", kMaxShift));
      }
      const int by = static_cast<int>(count.value());
      left = up ? shiftLeft(left, by) : shiftRight(left, by);
    }
  }

  Result<Expr> sum() {
    TESSERA_TRY(Expr left, product());
    for (;;) {
      if (in_.accept("+")) {
        TESSERA_TRY(const Expr right, product());
        left = left + right;
      } else if (in_.peek() == '-') {
        if (in_.text().substr(in_.position(), 2) == "->") return left;
        (void)in_.accept("-");
        TESSERA_TRY(const Expr right, product());
        // a - x * 2 becomes a + x * (-2), as it is printed, so that parsing the printed text gives the same tree.
        const bool scaled = right.op() == Op::Mul && right.rhs().isConstant() && right.rhs().value() > 0;
        left = scaled ? left + right.lhs() * -right.rhs().value() : left - right;
      } else {
        return left;
      }
    }
  }

  enum class Word : unsigned char { None, Times, Slash, Percent, Floor, Ceil, Mod };
  Word word() {
    if (in_.accept("*")) return Word::Times;
    if (in_.accept("//")) return Word::Floor;
    if (in_.accept("/")) return context_.division == Division::Floor ? Word::Floor : Word::Slash;
    if (in_.accept("%")) return context_.division == Division::Truncate ? Word::Percent : Word::Mod;
    if (in_.acceptWord("floordiv") || in_.acceptWord("floorDiv")) return Word::Floor;
    if (in_.acceptWord("ceildiv") || in_.acceptWord("ceilDiv")) return Word::Ceil;
    return in_.acceptWord("mod") ? Word::Mod : Word::None;
  }

  Result<Expr> product() {
    TESSERA_TRY(Expr left, unary());
    for (;;) {
      const std::size_t begin = in_.start();
      const Word op = word();
      if (op == Word::None) return left;
      TESSERA_TRY(const Expr right, unary());
      if (op == Word::Times) {
        left = left * right;
        continue;
      }
      if (op == Word::Slash && context_.division == Division::Python)
        return in_.failFrom(begin, "`/` next to `//`: in Python, `/` gives a fraction", "only one of the two",
                            "write // for both");
      const Range r = facts_.of(right).interval;
      if (right.isConstant(0)) return in_.failFrom(begin, "a division by 0", "a divisor other than 0");
      if (r.lo <= 0 && r.hi >= 0) {
        return in_.failFrom(begin, fmt::format("this divisor is in [{}, {}], so it can be 0", r.lo, r.hi),
                            "a divisor that is never 0", "max(divisor, 1)");
      }
      if (right.isConstant(INT64_MIN)) return in_.failFrom(begin, "this divisor is -2^63", "a divisor above -2^63");
      left = divided(op, left, right);
    }
  }

  Expr divided(Word op, const Expr& left, const Expr& right) {
    if (op == Word::Floor) return floorDiv(left, right);
    if (op == Word::Ceil) return floorDiv(left * -1, right) * -1;
    if (op == Word::Mod) return flooredRemainder(left, right, facts_);
    return op == Word::Percent ? truncatedRemainder(left, right, facts_) : truncatedQuotient(left, right, facts_);
  }

  Result<Expr> unary() {
    const Nesting level;
    if (level.tooDeep()) return level.refusal(in_);
    const char sign = in_.peek();
    if ((sign != '-' && sign != '~') || (sign == '-' && in_.atInteger())) return atom();
    in_.seek(in_.position() + 1);
    TESSERA_TRY(const Expr operand, unary());
    return sign == '-' ? operand * -1 : bitNot(operand);
  }

  Result<Expr> atom() {
    if (in_.accept("(")) {
      TESSERA_TRY(Expr inner, either());
      TESSERA_CHECKED(in_.expect(")", "at the end of the bracket"));
      return inner;
    }
    if (in_.atInteger()) return number();
    const std::size_t begin = in_.start();
    TESSERA_TRY(const std::string name, in_.identifier("a variable, a number or a bracket"));
    const Span written{begin, in_.position()};
    if (in_.peek() == '(') {
      if (name == "min" || name == "max") return extremum(name == "min");
      return Diag{fmt::format("there is no function {} in an index", name), "min(a, b) or max(a, b)", "", written};
    }
    if (auto known = context_.variable(name)) return *std::move(known);
    return Diag{fmt::format("there is no variable {}", name), std::string(context_.variables), "", written};
  }

  Result<Expr> number() {
    const std::string_view rest = in_.text().substr(in_.position());
    if (rest.substr(0, 2) != "0x" && rest.substr(0, 2) != "0X") {
      TESSERA_TRY(const i64 n, in_.integer());
      return Expr::constant(n);
    }
    const std::size_t begin = in_.position();
    u64 value = 0;
    std::size_t k = 2;
    for (; k < rest.size() && isNamePart(rest[k]); ++k) {
      const char c = rest[k];
      const int digit = isDigit(c)             ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : 16;
      in_.seek(begin + k + 1);
      if (digit == 16) return in_.failFrom(begin, fmt::format("{} is not a hexadecimal digit", c), "0x1F");
      if (value >> 59 != 0) return in_.failFrom(begin, "this number does not fit in 64 bits", "a number below 2^63");
      value = value * 16 + static_cast<u64>(digit);
    }
    in_.seek(begin + k);
    if (k == 2) return in_.failFrom(begin, "a hexadecimal number without digits", "0x1F");
    return Expr::constant(static_cast<i64>(value));
  }

  Result<Expr> extremum(bool least) {
    TESSERA_CHECKED(in_.expect("(", "after min or max"));
    TESSERA_TRY(Expr value, either());
    while (in_.accept(",")) {
      TESSERA_TRY(const Expr other, either());
      value = Expr::binary(least ? Op::Min : Op::Max, value, other);
    }
    TESSERA_CHECKED(in_.expect(")", "after the values of min or max"));
    return value;
  }

  Scanner& in_;
  const ExpressionContext& context_;
  FactBase facts_;
};

}  // namespace

Result<Expr> readExpression(Scanner& in, const ExpressionContext& context) { return Reader(in, context).either(); }

}  // namespace tessera::indexing
