#include "core/expr/rules.h"

#include <fmt/format.h>

#include <array>

namespace tessera {
namespace {

std::vector<Rule> simplifierRows() {
  using Kind = Condition::Kind;
  const Expr x = pattern::x(), y = pattern::y(), z = pattern::z();
  const Expr a = pattern::a(), b = pattern::b(), c = pattern::c(), g = pattern::g(), k = pattern::k();
  const auto of = [](Kind kind) { return [kind](const Expr& e, const Expr& n = {}) { return Condition{kind, e, n}; }; };
  const auto positive = of(Kind::Positive), zero = of(Kind::Zero), negative = of(Kind::Negative);
  const auto power = of(Kind::PowerOfTwo), notZero = of(Kind::NotZero), plain = of(Kind::Plain);
  const auto atMost = of(Kind::AtMost), inRange = of(Kind::InRange), outside = of(Kind::Outside);
  const auto between = of(Kind::Between), reduced = of(Kind::Reduced);
  // clang-format off
  return {
    // name, from, to, when, why
    {"div-in-range", floorDiv(x, b), Expr::constant(0),
     {positive(b), inRange(x, b)}, "a value below the divisor has quotient 0"},
    {"div-by-negative", floorDiv(x, b), floorDiv(x * -1, b * -1),
     {negative(b)}, "two numbers and their negatives have the same quotient, floored or not"},
    {"div-of-multiple", floorDiv(x * a + y, b), x * floorDiv(a, b) + floorDiv(y, b),
     {positive(b), zero(mod(a, b))}, "multiples of the divisor leave the floor"},
    {"div-of-div", floorDiv(floorDiv(x, a), b), floorDiv(x, a * b),
     {positive(a), positive(b)}, "floor(floor(x/a)/b) = floor(x/(a b))"},
    {"div-of-sum-with-div", floorDiv(x + floorDiv(y, a), b), floorDiv(x * a + y, a * b),
     {positive(a), positive(b), plain(x)}, "the inner floor moves out because x is an integer"},
    {"div-of-mod", floorDiv(mod(x, a * b), a), mod(floorDiv(x, a), b),
     {positive(a), positive(b)}, "digits: drop the low one, keep the next"},
    {"div-common-factor", floorDiv(x * g + y, g * b), floorDiv(x, b),
     {positive(g), positive(b), inRange(y, g)}, "y below the common factor g cannot carry"},
    {"div-of-xor", floorDiv(x ^ y, b), floorDiv(x, b) ^ floorDiv(y, b),
     {power(b)}, "a shift moves each bit separately"},
    {"div-by-term", floorDiv(x * z + y, z), x + floorDiv(y, z),
     {notZero(z)}, "multiples of the divisor leave the floor, whether it is a number or not"},
    {"div-below-term", floorDiv(x, z), Expr::constant(0),
     {atMost(Expr::constant(0), x), atMost(x + 1, z)}, "a value below the divisor has quotient 0"},

    {"mod-in-range", mod(x, b), x, {positive(b), inRange(x, b)}, "nothing wraps"},
    {"mod-one-period", mod(x, b), x + a,
     {positive(b), zero(mod(a, b)), inRange(x + a, b)}, "x wraps the same number of times everywhere"},
    {"mod-by-negative", mod(x, b), mod(x, b * -1), {negative(b)}, "mod is in [0, |b|) for either sign"},
    {"mod-of-multiple", mod(x * a + y, b), mod(y, b),
     {positive(b), zero(mod(a, b))}, "multiples of the modulus vanish"},
    {"mod-of-mod", mod(mod(x, a), b), mod(x, b),
     {positive(a), positive(b), zero(mod(a, b))}, "reducing by a multiple of b first changes nothing mod b"},
    {"mod-of-scaled-mod", mod(mod(x, a) * c + y, b), mod(x * c + y, b),
     {positive(a), positive(b), zero(mod(a * c, b))}, "the inner mod dropped a multiple of a*c, hence of b"},
    {"mod-coefficient", mod(x * a + y, b), mod(x * mod(a, b) + y, b),
     {positive(b), outside(a, b)}, "coefficients matter mod b only"},
    {"mod-common-factor", mod(x * g + y, g * b), mod(x, b) * g + y,
     {positive(g), positive(b), inRange(y, g)}, "y below the common factor g is unchanged"},
    {"mod-by-term", mod(x * z + y, z), mod(y, z),
     {notZero(z)}, "multiples of the modulus vanish, whether it is a number or not"},
    {"mod-below-term", mod(x, z), x, {atMost(Expr::constant(0), x), atMost(x + 1, z)}, "nothing wraps"},
    {"mod-of-xor", mod(x ^ y, b), mod(x, b) ^ mod(y, b), {power(b)}, "a mask keeps each bit separately"},

    {"scale-of-xor", (x ^ y) * b, (x * b) ^ (y * b), {power(b)}, "a left shift moves each bit separately"},

    {"sum-of-digits", floorDiv(x, a) * (a * k) + mod(x, a) * k, x * k,
     {positive(a)}, "the quotient and the remainder of one number recombine"},
    {"sum-of-inner-digits", mod(floorDiv(x, a), b) * (a * k) + mod(x, a) * k, mod(x, a * b) * k,
     {positive(a), positive(b)}, "two neighbouring digits are one wider digit"},
    {"difference-of-digits", x * k + floorDiv(x, a) * (a * k * -1), mod(x, a) * k,
     {positive(a), reduced(x, a)}, "a number without its quotient's part is the remainder"},
    {"sum-of-scaled-digits", floorDiv(x, a) * y * (a * k) + mod(x, a) * y * k, x * y * k,
     {positive(a)}, "quotient and remainder of one number, scaled equally, recombine"},
    {"sum-of-scaled-inner-digits", mod(floorDiv(x, a), b) * y * (a * k) + mod(x, a) * y * k, mod(x, a * b) * y * k,
     {positive(a), positive(b)}, "two neighbouring digits, scaled equally, are one wider digit"},
    {"difference-of-scaled-digits", x * y * k + floorDiv(x, a) * y * (a * k * -1), mod(x, a) * y * k,
     {positive(a), reduced(x, a)}, "a number without its quotient's part is the remainder, at any scale"},
    {"sum-of-digits-by-term", floorDiv(x, z) * z * y + mod(x, z) * y, x * y,
     {atMost(Expr::constant(1), z)}, "quotient and remainder by a positive term recombine"},
    {"xor-self", x ^ x, Expr::constant(0), {}, "every bit cancels"},
    {"xor-cancel", (x ^ y) ^ y, x, {}, "an xor undoes itself, so a swizzle is its own inverse"},

    {"min-is-first", least(x, y), x, {atMost(x, y)}, "one side is never above the other"},
    {"min-is-second", least(x, y), y, {atMost(y, x)}, "the same with the sides swapped"},
    {"max-is-first", greatest(x, y), x, {atMost(y, x)}, "one side is never below the other"},
    {"max-is-second", greatest(x, y), y, {atMost(x, y)}, "the same with the sides swapped"},
    {"min-of-min", least(least(x, a), b), least(x, least(a, b)), {}, "the lower of two bounds decides"},
    {"max-of-max", greatest(greatest(x, a), b), greatest(x, greatest(a, b)), {}, "the upper of two bounds decides"},
    {"min-repeated", least(least(x, y), y), least(x, y), {}, "once is enough"},
    {"max-repeated", greatest(greatest(x, y), y), greatest(x, y), {}, "once is enough"},
    {"min-of-max", least(greatest(x, y), y), y, {}, "max(x, y) is never below y"},
    {"max-of-min", greatest(least(x, y), y), y, {}, "min(x, y) is never above y"},
    {"min-common-term", least(x + z, y + z), least(x, y) + z, {}, "a term that both sides share does not decide"},
    {"max-common-term", greatest(x + z, y + z), greatest(x, y) + z, {}, "a term that both sides share does not decide"},
    {"min-common-constant", least(x + a, y + b), least(x, y + (b + a * -1)) + a,
     {between(a, b)}, "the smaller of two constants moves out of both sides"},
    {"max-common-constant", greatest(x + a, y + b), greatest(x, y + (b + a * -1)) + a,
     {between(a, b)}, "the smaller of two constants moves out of both sides"},
  };
  // clang-format on
}

const std::array<std::string, pattern::kExprs> kExprNames = {"x", "y", "z"};
const std::array<std::string, pattern::kConstants> kConstantNames = {"a", "b", "c", "g", "k"};

std::string textOf(const Expr& e) { return print(e, kExprNames, kConstantNames); }

// By Condition::Kind; "": the condition is only for termination.
constexpr std::array<std::string_view, 12> kConditionTexts = {
    "{} > 0", "{} a power of two", "{} = 0", "{} < 0", "",         "0 <= {} < {}",
    "",       "{} <= {}",          "",       "",       "{} not 0", "{} and {} share no bit"};

std::string textOf(const Condition& c) {
  const std::string_view text = kConditionTexts[static_cast<std::size_t>(c.kind)];
  return fmt::format(fmt::runtime(text), textOf(c.lhs), textOf(c.rhs));
}

// Steps that combine several rows, or that only change the form of a sum.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kNamed = {{
    {"like-terms", "x * a + x * b = x * (a + b): each part of a sum appears once"},
    {"known-constant", "the ranges of the variables leave one value"},
    {"min", "min: drops a side that is never the smaller, moves shared terms out"},
    {"max", "max: drops a side that is never the larger, moves shared terms out"},
}};

}  // namespace

std::span<const Rule> rewriteRules() {
  static const std::vector<Rule> kRules = simplifierRows();
  return kRules;
}

std::span<const Rule> recogniserRules() {
  static const std::vector<Rule> kRules = [] {
    const Expr x = pattern::x(), y = pattern::y();
    const Condition disjoint{Condition::Kind::Disjoint, x, y};
    return std::vector<Rule>{{"add-is-xor", x + y, x ^ y, {disjoint}, "if no bit is set in both, nothing carries"}};
  }();
  return kRules;
}

std::string lawOf(std::string_view rule) {
  for (const auto& [name, law] : kNamed)
    if (name == rule) return std::string(law);
  for (const Rule& row : rewriteRules()) {
    if (row.name != rule) continue;
    std::string when;
    for (const Condition& c : row.when)
      if (const std::string one = textOf(c); !one.empty()) when += (when.empty() ? ", where " : ", ") + one;
    return fmt::format("{} = {}{}{}{}", textOf(row.from), textOf(row.to), when, row.why.empty() ? "" : ": ", row.why);
  }
  return "";
}

}  // namespace tessera
