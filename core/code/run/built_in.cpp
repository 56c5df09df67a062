// Functions that kernels use without defining them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/chars.h"
#include "core/base/cursor.h"
#include "core/code/run/calls.h"
#include "core/code/run/expressions.h"
#include "core/expr/bits.h"

namespace tessera::code {
namespace {

struct BuiltIn {
  std::string_view name;
  int arguments;  // -1: at least one
  Result<Value> (Calls::*run)(const std::vector<Value>& arguments, std::string_view name);
};

constexpr std::array<std::string_view, 4> kAxes = {"x", "y", "z", "w"};

}  // namespace

Result<Number> Calls::at(const std::vector<Value>& arguments, std::size_t k) {
  return of_.number(arguments[k], call_.span);
}

Result<Value> Calls::extremum(const std::vector<Value>& arguments, std::string_view name) {
  const bool least = name.find("min") != std::string_view::npos || name.find("Min") != std::string_view::npos;
  const std::vector<Value>& values =
      arguments.size() == 1 && arguments[0].is(Value::Kind::Tuple) ? arguments[0].elements : arguments;
  if (values.empty()) return dataValue("the extremum of nothing");
  std::optional<Number> best;
  for (const Value& v : values) {
    if (v.is(Value::Kind::Data)) return v;
    TESSERA_TRY(const Number n, of_.number(v, call_.span));
    if (!best) {
      best = n;
      continue;
    }
    const Type type = commonType(best->type, n.type);
    TESSERA_TRY(const Number x, of_.arithmetic_.converted(*best, type, call_.span));
    TESSERA_TRY(const Number y, of_.arithmetic_.converted(n, type, call_.span));
    best = Number{Expr::binary(least ? Op::Min : Op::Max, x.value, y.value), type};
  }
  return numberValue(*best);
}

Result<Value> Calls::absolute(const std::vector<Value>& arguments, std::string_view) {
  if (arguments[0].is(Value::Kind::Data)) return arguments[0];
  TESSERA_TRY(const Number n, at(arguments, 0));
  TESSERA_TRY(const Number minus, of_.arithmetic_.negated(n, call_.span));
  return numberValue({greatest(n.value, minus.value), minus.type});
}

Result<Value> Calls::operation(const std::vector<Value>& arguments, std::string_view name) {
  struct Row {
    std::string_view name, op;
  };
  static constexpr auto kRows = std::to_array<Row>({
      {"__umul24", "*"},    {"__mul24", "*"},       {"umul24", "*"},      {"mul24", "*"},      {"floordiv", "//"},
      {"floormod", "%"},    {"indexdiv", "//"},     {"indexmod", "%"},    {"truncdiv", "/"},   {"truncmod", "%"},
      {"shift_left", "<<"}, {"shift_right", ">>"},  {"bitwise_and", "&"}, {"bitwise_or", "|"}, {"bitwise_xor", "^"},
      {"fast_div", "/"},    {"fast_mod", "%"},      {"fdiv", "//"},       {"xor_", "^"},       {"shiftr", ">>"},
      {"shiftl", "<<"},     {"floor_divide", "//"}, {"remainder", "%"},   {"mod", "%"},
  });
  for (const Row& row : kRows)
    if (row.name == name) {
      const std::string_view op = row.op == "//" && of_.language_ == Language::Cpp ? "/" : row.op;
      return of_.operation(op, arguments[0], arguments[1], call_.span);
    }
  return dataValue(fmt::format("a call of {}", name));
}

// (a + b - 1) / b
Result<Value> Calls::roundedUp(const std::vector<Value>& arguments, std::string_view name) {
  const std::string_view divide = of_.language_ == Language::Python ? "//" : "/";
  const Value one = constantValue(1, of_.language_ == Language::Python ? unboundedInteger() : intType());
  TESSERA_TRY(const Value sum, of_.operation("+", arguments[0], arguments[1], call_.span));
  TESSERA_TRY(const Value less, of_.operation("-", sum, one, call_.span));
  TESSERA_TRY(const Value quotient, of_.operation(divide, less, arguments[1], call_.span));
  if (lowerCase(name).find("round") == std::string::npos) return quotient;
  return of_.operation("*", quotient, arguments[1], call_.span);
}

Result<Value> Calls::divmod(const std::vector<Value>& arguments, std::string_view) {
  TESSERA_TRY(Value quotient, of_.operation("//", arguments[0], arguments[1], call_.span));
  TESSERA_TRY(Value rest, of_.operation("%", arguments[0], arguments[1], call_.span));
  return tupleValue({std::move(quotient), std::move(rest)});
}

// The sum over k of 1 where x >= 2^k: the number of bits that x needs.
Result<Value> Calls::bits(const std::vector<Value>& arguments, std::string_view name) {
  if (arguments[0].is(Value::Kind::Data)) return arguments[0];
  TESSERA_TRY(const Number n, at(arguments, 0));
  FactBase& facts = of_.arithmetic_.facts();
  const bool population = name.find("pop") != std::string_view::npos;
  const bool lowest = name == "__ffs" || name == "ffs" || name == "__builtin_ctz" || name == "__builtin_ffs";
  Expr x = n.value;
  if (facts.of(x).interval.lo < 0) x = mod(x, i64{1} << 32);
  if (lowest) x = bitAnd(x, x * -1, facts);
  const i64 hi = facts.of(x).interval.hi;
  Expr sum;
  for (int k = 0; k < 40 && (i64{1} << k) <= hi; ++k)
    sum = sum + (population ? mod(floorDiv(x, i64{1} << k), 2) : lessThan(Expr::constant((i64{1} << k) - 1), x, facts));
  if (name == "__clz" || name == "clz" || name == "__builtin_clz") sum = Expr::constant(32) - sum;
  if (name == "__builtin_ctz") sum = sum - 1;
  return numberValue({sum, of_.language_ == Language::Python ? unboundedInteger() : intType()});
}

Result<Value> Calls::reversed(const std::vector<Value>& arguments, std::string_view) {
  if (arguments[0].is(Value::Kind::Data)) return arguments[0];
  TESSERA_TRY(const Number n, at(arguments, 0));
  TESSERA_TRY(const Number x, of_.arithmetic_.converted(n, integerType(32, false), call_.span));
  const i64 hi = of_.arithmetic_.facts().of(x.value).interval.hi;
  Expr sum;
  for (int k = 0; k < 32 && (i64{1} << k) <= hi; ++k)
    sum = sum + mod(floorDiv(x.value, i64{1} << k), 2) * (i64{1} << (31 - k));
  return numberValue({sum, integerType(32, false)});
}

Result<Value> Calls::choice(const std::vector<Value>& arguments, std::string_view) {
  if (arguments[0].is(Value::Kind::Data)) return arguments[0];
  TESSERA_TRY(const Number n, at(arguments, 0));
  return of_.merged(of_.arithmetic_.truth(n), arguments[1], arguments[2], call_.span);
}

// int(a / b) does not occur here: `/` is no integer.
Result<Value> Calls::integer(const std::vector<Value>& arguments, std::string_view) {
  if (arguments[0].is(Value::Kind::Data)) return arguments[0];
  TESSERA_TRY(Number n, at(arguments, 0));
  if (of_.language_ == Language::Python) n.type = unboundedInteger();
  return numberValue(std::move(n));
}

Result<Value> Calls::same(const std::vector<Value>& arguments, std::string_view) { return arguments[0]; }

Result<Value> Calls::vector(const std::vector<Value>& arguments, std::string_view) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < std::min(arguments.size(), kAxes.size()); ++k) names.emplace_back(kAxes[k]);
  if (names.size() < arguments.size()) names.clear();
  return tupleValue(arguments, std::move(names));
}

// The address in shared memory, in bytes from the beginning of the array.
Result<Value> Calls::address(const std::vector<Value>& arguments, std::string_view) {
  Value pointer = Expressions(of_).asArray(arguments[0]);
  if (!pointer.is(Value::Kind::Pointer)) return pointer;
  if (pointer.span.empty()) pointer.span = call_.span;
  TESSERA_CHECKED(of_.memory_.note(pointer, Direction::Address, pointer.span));
  TESSERA_TRY(Number n, of_.memory_.address(pointer, call_.span));
  return numberValue(std::move(n));
}

Result<Value> Calls::loaded(const std::vector<Value>& arguments, std::string_view) {
  Value pointer = Expressions(of_).asArray(arguments[0]);
  if (!pointer.is(Value::Kind::Pointer)) return pointer;
  TESSERA_TRY(const Value place, of_.memory_.dereferenced(pointer, call_.span));
  return of_.memory_.load(place, call_.span);
}

Result<Value> Calls::stored(const std::vector<Value>& arguments, std::string_view name) {
  Value pointer = Expressions(of_).asArray(arguments[0]);
  if (!pointer.is(Value::Kind::Pointer)) return pointer;
  TESSERA_TRY(const Value place, of_.memory_.dereferenced(pointer, call_.span));
  TESSERA_CHECKED(of_.memory_.note(place, Direction::Store, call_.span));
  return dataValue(fmt::format("the result of {}", name));
}

std::optional<Result<Value>> Calls::builtIn(std::string_view name, const std::vector<Value>& arguments) {
  static constexpr auto kRows = std::to_array<BuiltIn>({
      {"min", -1, &Calls::extremum},
      {"max", -1, &Calls::extremum},
      {"umin", 2, &Calls::extremum},
      {"umax", 2, &Calls::extremum},
      {"Min", 2, &Calls::extremum},
      {"Max", 2, &Calls::extremum},
      {"minimum", 2, &Calls::extremum},
      {"maximum", 2, &Calls::extremum},
      {"abs", 1, &Calls::absolute},
      {"labs", 1, &Calls::absolute},
      {"ceil_div", 2, &Calls::roundedUp},
      {"ceildiv", 2, &Calls::roundedUp},
      {"ceilDiv", 2, &Calls::roundedUp},
      {"cdiv", 2, &Calls::roundedUp},
      {"CEIL_DIV", 2, &Calls::roundedUp},
      {"DIVUP", 2, &Calls::roundedUp},
      {"DIV_UP", 2, &Calls::roundedUp},
      {"div_up", 2, &Calls::roundedUp},
      {"divup", 2, &Calls::roundedUp},
      {"div_ceil", 2, &Calls::roundedUp},
      {"round_up", 2, &Calls::roundedUp},
      {"roundUp", 2, &Calls::roundedUp},
      {"divmod", 2, &Calls::divmod},
      {"__popc", 1, &Calls::bits},
      {"popcount", 1, &Calls::bits},
      {"__builtin_popcount", 1, &Calls::bits},
      {"__brev", 1, &Calls::reversed},
      {"__clz", 1, &Calls::bits},
      {"__builtin_clz", 1, &Calls::bits},
      {"__builtin_ctz", 1, &Calls::bits},
      {"__ffs", 1, &Calls::bits},
      {"bit_length", 1, &Calls::bits},
      {"if_then_else", 3, &Calls::choice},
      {"where", 3, &Calls::choice},
      {"select", 3, &Calls::choice},
      {"Select", 3, &Calls::choice},
      {"int", 1, &Calls::integer},
      {"__cvta_generic_to_shared", 1, &Calls::address},
      {"cast_smem_ptr_to_uint", 1, &Calls::address},
      {"cast_smem_ptr_to_int", 1, &Calls::address},
      {"smem_u32addr", 1, &Calls::address},
      {"get_smem_ptr", 1, &Calls::address},
      {"__to_shared", 1, &Calls::address},
      {"__ldg", 1, &Calls::loaded},
      {"__ldcs", 1, &Calls::loaded},
      {"__ldcg", 1, &Calls::loaded},
      {"__ldca", 1, &Calls::loaded},
      {"__stcs", 2, &Calls::stored},
      {"__stcg", 2, &Calls::stored},
      {"atomicAdd", 2, &Calls::stored},
      {"atomicMax", 2, &Calls::stored},
      {"atomicMin", 2, &Calls::stored},
      {"atomicExch", 2, &Calls::stored},
      {"atomicOr", 2, &Calls::stored},
      {"__builtin_assume_aligned", 2, &Calls::same},
      {"__launder", 1, &Calls::same},
      {"move", 1, &Calls::same},
      {"forward", 1, &Calls::same},
      {"Int", 1, &Calls::same},
      {"__builtin_expect", 2, &Calls::same},
      {"multiple_of", 2, &Calls::same},
      {"tuple", 1, &Calls::same},
      {"list", 1, &Calls::same},
      {"make_coord", -1, &Calls::vector},
      {"make_tuple", -1, &Calls::vector},
      {"make_pair", -1, &Calls::vector},
      {"pair", -1, &Calls::vector},
      {"dim3", -1, &Calls::vector},
  });
  const int count = static_cast<int>(arguments.size());
  for (const BuiltIn& row : kRows)
    if (row.name == name && (row.arguments == count || (row.arguments < 0 && count > 0)))
      return (this->*row.run)(arguments, name);
  if (count == 2)
    if (Result<Value> v = operation(arguments, name);
        !v || !v->is(Value::Kind::Data) || !v->text.starts_with("a call of"))
      return v;
  if (name.starts_with("make_"))
    if (const auto type = typeNamed(name.substr(5)); type && type->lanes == count) return vector(arguments, name);
  return std::nullopt;
}

}  // namespace tessera::code
