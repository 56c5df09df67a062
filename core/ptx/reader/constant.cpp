#include "core/ptx/reader/constant.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>

namespace tessera::ptx {

namespace {

struct Binary {
  std::string_view text;
  int level;  // binds tighter if larger
};
// Longer texts first.
constexpr std::array kBinary = {
    Binary{"<<", 8}, Binary{">>", 8}, Binary{"<=", 7}, Binary{">=", 7}, Binary{"==", 6}, Binary{"!=", 6},
    Binary{"&&", 2}, Binary{"||", 1}, Binary{"*", 10}, Binary{"/", 10}, Binary{"%", 10}, Binary{"+", 9},
    Binary{"-", 9},  Binary{"<", 7},  Binary{">", 7},  Binary{"&", 5},  Binary{"^", 4},  Binary{"|", 3},
};
constexpr int kTerm = 10;

const Binary* binaryAt(Cursor& in) {
  in.skipBlanks();
  if (in.raw() == '\0' || (in.raw() == '/' && in.raw(1) == '*')) return nullptr;  // a comment that is never closed
  for (const Binary& b : kBinary)
    if (in.text().substr(in.position(), b.text.size()) == b.text) return &b;
  return nullptr;
}

double valueOf(const Constant& c) {
  switch (c.kind) {
    case Constant::Kind::Single:
      return std::bit_cast<float>(static_cast<std::uint32_t>(c.bits));
    case Constant::Kind::Double:
      return std::bit_cast<double>(c.bits);
    default:
      return c.isUnsigned ? static_cast<double>(c.bits) : static_cast<double>(static_cast<i64>(c.bits));
  }
}

Constant integerOf(u64 bits, bool isUnsigned = false) {
  Constant out;
  out.bits = bits;
  out.isUnsigned = isUnsigned;
  return out;
}
Constant doubleOf(double value) {
  Constant out;
  out.kind = Constant::Kind::Double;
  out.bits = std::bit_cast<u64>(value);
  return out;
}

std::optional<Constant> combinedFloats(std::string_view op, double a, double b) {
  if (op == "+") return doubleOf(a + b);
  if (op == "-") return doubleOf(a - b);
  if (op == "*") return doubleOf(a * b);
  if (op == "/") return doubleOf(a / b);
  if (op == "<") return integerOf(a < b);
  if (op == ">") return integerOf(a > b);
  if (op == "<=") return integerOf(a <= b);
  if (op == ">=") return integerOf(a >= b);
  if (op == "==") return integerOf(a == b);
  if (op == "!=") return integerOf(a != b);
  return std::nullopt;
}

// nullopt: division by zero.
std::optional<u64> combinedIntegers(std::string_view op, u64 a, u64 b, bool isUnsigned) {
  const i64 sa = static_cast<i64>(a), sb = static_cast<i64>(b);
  const auto less = [&](u64 x, u64 y) { return isUnsigned ? x < y : static_cast<i64>(x) < static_cast<i64>(y); };
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (op == "/" || op == "%") {
    if (b == 0) return std::nullopt;
    if (isUnsigned) return op == "/" ? a / b : a % b;
    if (sb == -1) return op == "/" ? u64{0} - a : u64{0};  // INT64_MIN / -1 traps
    return static_cast<u64>(op == "/" ? sa / sb : sa % sb);
  }
  if (op == "<<") return b < 64 ? a << b : 0;
  if (op == ">>") return isUnsigned ? (b < 64 ? a >> b : 0) : static_cast<u64>(sa >> (b < 64 ? b : 63));
  if (op == "&") return a & b;
  if (op == "|") return a | b;
  if (op == "^") return a ^ b;
  if (op == "<") return less(a, b);
  if (op == ">") return less(b, a);
  if (op == "<=") return !less(b, a);
  if (op == ">=") return !less(a, b);
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "&&") return a != 0 && b != 0;
  return a != 0 || b != 0;
}

bool isComparison(std::string_view op) {
  return op == "<" || op == ">" || op == "<=" || op == ">=" || op == "==" || op == "!=" || op == "&&" || op == "||";
}

class Constants {
 public:
  explicit Constants(Cursor& in) : in_(in) {}

  Result<Constant> expression(int level = 0) {
    const Nesting nesting;  // a ? b : c ? d : e nests to the right
    if (nesting.tooDeep()) return nesting.refusal(in_);
    TESSERA_TRY(Constant left, unary());
    return rest(std::move(left), level);
  }
  Result<Constant> unary();

 private:
  Result<Constant> rest(Constant left, int level);
  Result<Constant> primary();
  Result<Constant> symbol();
  // (.s64) x and (.u64) x
  Result<Constant> cast();
  Result<Constant> combined(std::string_view op, const Constant& a, const Constant& b, std::size_t begin);

  Cursor& in_;
};

Result<Constant> Constants::combined(std::string_view op, const Constant& a, const Constant& b, std::size_t begin) {
  using Kind = Constant::Kind;
  if (a.kind == Kind::Symbol || b.kind == Kind::Symbol) {
    const bool plus = op == "+" && (a.isInteger() || b.isInteger());
    const bool minus = op == "-" && a.kind == Kind::Symbol && b.isInteger();
    if ((!plus && !minus) || a.mask != 0 || b.mask != 0)
      return in_.failFrom(begin, "an address may only have an offset added", "a name, + and an integer");
    Constant out = a.kind == Kind::Symbol ? a : b;
    out.bits = minus ? a.bits - b.bits : a.bits + b.bits;
    return out;
  }
  if (!a.isInteger() || !b.isInteger()) {
    const auto value = combinedFloats(op, valueOf(a), valueOf(b));
    if (!value) return in_.failFrom(begin, fmt::format("`{}` takes integers", op));
    if (value->isInteger() || a.kind == Kind::Double || b.kind == Kind::Double) return *value;
    Constant single;
    single.kind = Kind::Single;
    single.bits = std::bit_cast<std::uint32_t>(static_cast<float>(valueOf(*value)));
    return single;
  }
  const bool shift = op == "<<" || op == ">>";
  const bool isUnsigned = a.isUnsigned || (b.isUnsigned && !shift);
  const auto value = combinedIntegers(op, a.bits, b.bits, isUnsigned);
  if (!value) return in_.failFrom(begin, "this divides by zero");
  return integerOf(*value, isUnsigned && !isComparison(op));
}

Result<Constant> Constants::rest(Constant left, int level) {
  const std::size_t begin = in_.position();
  while (const Binary* op = binaryAt(in_)) {
    if (op->level <= level) return left;
    in_.advance(op->text.size());
    TESSERA_TRY(const Constant right, expression(op->level));
    TESSERA_TRY(left, combined(op->text, left, right, begin));
  }
  if (level > 0 || !in_.accept('?')) return left;
  TESSERA_TRY(Constant yes, expression());
  TESSERA_CHECKED(in_.expect(":", "between the two values of `?`"));
  TESSERA_TRY(Constant no, expression());
  if (!left.isInteger()) return in_.failFrom(begin, "the condition of `?` is not an integer");
  return left.bits != 0 ? yes : no;
}

Result<Constant> Constants::unary() {
  const Nesting nesting;
  if (nesting.tooDeep()) return nesting.refusal(in_);
  const std::size_t begin = in_.start();
  const char op = in_.peek();
  if (op == '+') {
    in_.advance();
    return unary();
  }
  if (op != '-' && op != '!' && op != '~') return primary();
  in_.advance();
  TESSERA_TRY(Constant of, unary());
  if (of.kind == Constant::Kind::Symbol) return in_.failFrom(begin, fmt::format("`{}` takes a number", op));
  if (of.isInteger()) {
    of.bits = op == '-' ? u64{0} - of.bits : op == '~' ? ~of.bits : u64{of.bits == 0};
    return of;
  }
  if (op != '-') return in_.failFrom(begin, fmt::format("`{}` takes an integer", op));
  of.bits ^= of.kind == Constant::Kind::Single ? u64{1} << 31 : u64{1} << 63;
  return of;
}

Result<Constant> Constants::cast() {
  const std::string_view type = peekDirective(in_);
  const std::size_t begin = in_.position();
  takeDirective(in_, type);
  TESSERA_CHECKED(in_.expect(")", "after the type of a cast"));
  TESSERA_TRY(Constant of, unary());
  if (type == "s64" || type == "u64") {
    if (of.kind == Constant::Kind::Symbol) return of;
    if (!of.isInteger()) {
      const double value = valueOf(of);
      if (!(std::abs(value) < 9.2e18)) return in_.failFrom(begin, "this number does not fit in 64 bits");
      of = integerOf(static_cast<u64>(static_cast<i64>(value)));
    }
    of.isUnsigned = type == "u64";
    return of;
  }
  if (type == "f64" && of.kind != Constant::Kind::Symbol) return doubleOf(valueOf(of));
  return in_.failFrom(begin, fmt::format("a constant cannot be cast to .{}", type), ".s64, .u64 or .f64");
}

Result<Constant> Constants::symbol() {
  Constant out;
  const std::string_view name = takeName(in_);
  if (name == "WARP_SZ") return integerOf(32);
  if (name[0] == '%' || name == "_")
    return in_.fail(fmt::format("{} is not a constant", name), "a number or a variable");
  out.kind = Constant::Kind::Symbol;
  if (name == "generic" && in_.accept('(')) {
    TESSERA_TRY(out, expression());
    if (out.kind != Constant::Kind::Symbol) return in_.fail("generic() takes the name of a variable");
    out.generic = true;
    TESSERA_CHECKED(in_.expect(")", "after generic(name"));
    return out;
  }
  out.symbol = name;
  return out;
}

Result<Constant> Constants::primary() {
  if (in_.accept('(')) {
    if (!peekDirective(in_).empty()) return cast();
    TESSERA_TRY(Constant inside, expression());
    TESSERA_CHECKED(in_.expect(")", "after an expression"));
    return inside;
  }
  if (atNumber(in_)) {
    TESSERA_TRY(const Literal literal, number(in_));
    if (literal.kind == Literal::Kind::Integer && in_.accept('(')) {
      // 0xFF00(symbol): some bytes of an address.
      TESSERA_TRY(Constant of, expression());
      TESSERA_CHECKED(in_.expect(")", "after the address of a mask"));
      if (of.kind != Constant::Kind::Symbol || literal.bits == 0)
        return in_.fail("a mask takes the address of a variable", "0xFF00(name)");
      of.mask = literal.bits;
      return of;
    }
    Constant out = integerOf(literal.bits, literal.isUnsigned);
    if (literal.kind == Literal::Kind::Single) out.kind = Constant::Kind::Single;
    if (literal.kind == Literal::Kind::Double) out.kind = Constant::Kind::Double;
    return out;
  }
  if (!peekName(in_).empty()) return symbol();
  return in_.fail("a number or a name is missing here", "an operand");
}

}  // namespace

Result<Constant> constant(Cursor& in) { return Constants(in).expression(); }
Result<Constant> constantTerm(Cursor& in) { return Constants(in).expression(kTerm - 1); }

Result<i64> integerConstant(Cursor& in, std::string_view what, bool term) {
  const std::size_t begin = in.start();
  TESSERA_TRY(const Constant value, term ? constantTerm(in) : constant(in));
  if (!value.isInteger()) return in.failFrom(begin, fmt::format("{} must be an integer", what));
  return static_cast<i64>(value.bits);
}

}  // namespace tessera::ptx
