#include "core/paste/python/item.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/arith.h"
#include "core/base/work.h"

namespace tessera::paste::python {
namespace {

constexpr std::size_t kMostElements = 4096;
constexpr std::size_t kMostBytes = std::size_t{1} << 16;  // an expression that contains a layout twice doubles

struct TypeRow {
  std::string_view name, word;
  int bits;
};
// In lower case.
constexpr auto kTypes = std::to_array<TypeRow>({
    {"float64", "f64", 64},
    {"double", "f64", 64},
    {"fp64", "f64", 64},
    {"f64", "f64", 64},
    {"float32", "f32", 32},
    {"float", "f32", 32},
    {"fp32", "f32", 32},
    {"f32", "f32", 32},
    {"tfloat32", "tf32", 32},
    {"tf32", "tf32", 32},
    {"float16", "f16", 16},
    {"half", "f16", 16},
    {"fp16", "f16", 16},
    {"f16", "f16", 16},
    {"half_t", "f16", 16},
    {"bfloat16", "bf16", 16},
    {"bf16", "bf16", 16},
    {"bfloat16_t", "bf16", 16},
    {"float8e4m3fn", "e4m3", 8},
    {"float8e4m3", "e4m3", 8},
    {"float8_e4m3fn", "e4m3", 8},
    {"float8_e4m3", "e4m3", 8},
    {"fp8", "e4m3", 8},
    {"float8e4nv", "e4m3", 8},
    {"float8e5", "e5m2", 8},
    {"e4m3", "e4m3", 8},
    {"f8e4m3fn", "e4m3", 8},
    {"float8e5m2", "e5m2", 8},
    {"float8_e5m2", "e5m2", 8},
    {"f8e5m2", "e5m2", 8},
    {"e5m2", "e5m2", 8},
    {"float8e8m0fnu", "ue8m0", 8},
    {"float6e3m2fn", "e3m2", 6},
    {"float6e2m3fn", "e2m3", 6},
    {"float4e2m1fn", "e2m1", 4},
    {"int64", "s64", 64},
    {"long", "s64", 64},
    {"i64", "s64", 64},
    {"uint64", "u64", 64},
    {"int32", "s32", 32},
    {"int", "s32", 32},
    {"i32", "s32", 32},
    {"uint32", "u32", 32},
    {"int16", "s16", 16},
    {"short", "s16", 16},
    {"i16", "s16", 16},
    {"uint16", "u16", 16},
    {"int8", "s8", 8},
    {"i8", "s8", 8},
    {"uint8", "u8", 8},
    {"u8", "u8", 8},
    {"bool", "u8", 8},
    {"bool_", "u8", 8},
    {"boolean", "u8", 8},
    {"b8", "u8", 8},
    {"complex64", "c64", 64},
    {"c64", "c64", 64},
    {"complex128", "c128", 128},
    {"c128", "c128", 128},
    {"int4", "s4", 4},
    {"uint4", "u4", 4},
});

const TypeRow* typeRow(std::string_view name) {
  std::string lower;
  for (const char c : name) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const auto* row = std::ranges::find(kTypes, lower, &TypeRow::name);
  if (row == kTypes.end()) row = std::ranges::find(kTypes, lower, &TypeRow::word);
  return row == kTypes.end() ? nullptr : row;
}

std::string_view kindName(const Item& item) {
  constexpr std::array<std::string_view, 8> kNames = {"None",   "an integer", "a tuple",   "a string",
                                                      "a type", "a layout",   "an object", "not defined"};
  return kNames[static_cast<std::size_t>(item.kind)];
}

std::optional<i64> powered(i64 base, i64 exponent) {
  std::optional<i64> out = 1;
  for (i64 k = 0; out && k < exponent && k < 64; ++k) out = checkedMul(*out, base);
  return exponent < 0 || (exponent > 63 && base != 0 && base != 1 && base != -1) ? std::nullopt : out;
}

std::optional<i64> computed(std::string_view op, i64 a, i64 b) {
  const bool divides = op == "//" || op == "/" || op == "%";
  if (divides && (b == 0 || (b == -1 && a == INT64_MIN))) return std::nullopt;
  if (op == "+") return checkedAdd(a, b);
  if (op == "-") return checkedSub(a, b);
  if (op == "*") return checkedMul(a, b);
  if (op == "//") return floorDiv(a, b);
  if (op == "/") return a % b == 0 ? std::optional(a / b) : std::nullopt;
  if (op == "%") return a - floorDiv(a, b) * b;
  if (op == "**") return powered(a, b);
  if (op == "<<") return b >= 0 && b < 63 ? checkedMul(a, i64{1} << b) : std::nullopt;
  if (op == ">>") return b >= 0 ? std::optional(a >> std::min<i64>(b, 63)) : std::nullopt;
  if (op == "&") return a & b;
  if (op == "|") return a | b;
  if (op == "^") return a ^ b;
  if (op == "==" || op == "is") return a == b ? 1 : 0;
  if (op == "!=" || op == "is not") return a != b ? 1 : 0;
  if (op == "<") return a < b ? 1 : 0;
  if (op == "<=") return a <= b ? 1 : 0;
  if (op == ">") return a > b ? 1 : 0;
  if (op == ">=") return a >= b ? 1 : 0;
  return std::nullopt;
}

Result<Item> repeated(const Item& tuple, i64 times) {
  if (times > 0 && static_cast<std::size_t>(times) * tuple.elements.size() > kMostElements)
    return Diag{fmt::format("a tuple of more than {} elements", kMostElements)};
  std::vector<Item> out;
  for (i64 k = 0; k < times; ++k) out.insert(out.end(), tuple.elements.begin(), tuple.elements.end());
  return Item::tuple(std::move(out)).with(tuple);
}

bool sameConstant(const Item& a, const Item& b) {
  return a.kind == b.kind && a.integer == b.integer && a.text == b.text &&
         std::equal(a.elements.begin(), a.elements.end(), b.elements.begin(), b.elements.end(), sameConstant);
}

std::string_view worksheetOperation(std::string_view op) { return op == "//" ? "/" : op; }

}  // namespace

Item Item::tuple(std::vector<Item> elements) {
  Item out{.kind = Kind::Tuple};
  for (const Item& e : elements) out = std::move(out).with(e);
  out.elements = std::move(elements);
  return out;
}

bool Item::isConstant() const {
  if (kind == Kind::Tuple) return std::ranges::all_of(elements, &Item::isConstant);
  return kind != Kind::Text && kind != Kind::Object && kind != Kind::Missing;
}

const Item* Item::field(std::string_view name) const {
  for (const auto& [key, value] : fields)
    if (key == name) return &value;
  return nullptr;
}

Item Item::with(const Item& other) && {
  for (const Question& q : other.questions)
    if (std::ranges::find(questions, q.name, &Question::name) == questions.end()) questions.push_back(q);
  return std::move(*this);
}

Result<std::string> worksheetText(const Item& item) {
  spend();
  switch (item.kind) {
    case Item::Kind::None:
      return std::string("_");
    case Item::Kind::Integer:
      return std::to_string(item.integer);
    case Item::Kind::Missing:
      return std::string("1");
    case Item::Kind::Type:
    case Item::Kind::Text:
      if (item.text.size() > kMostBytes) return Diag{"an expression that is too long", "a name for its parts"};
      return item.text;
    case Item::Kind::Tuple: {
      std::string out;
      for (const Item& e : item.elements) {
        TESSERA_TRY(const std::string one, worksheetText(e));
        out += (out.empty() ? "" : ", ") + one;
      }
      return "(" + out + (item.elements.size() == 1 ? ",)" : ")");
    }
    default:
      return Diag{fmt::format("{} is {}", item.text, kindName(item)), "an integer, a tuple or a layout"};
  }
}

Result<i64> integerOf(const Item& item, std::string_view what) {
  if (item.is(Item::Kind::Integer)) return item.integer;
  if (item.isMissing()) return i64{1};
  if (item.is(Item::Kind::Tuple) && item.elements.size() == 1) return integerOf(item.elements[0], what);
  return Diag{fmt::format("{} is {}", what, kindName(item)), "an integer"};
}

Result<std::vector<i64>> integersOf(const Item& item, std::string_view what) {
  std::vector<i64> out;
  if (!item.is(Item::Kind::Tuple)) {
    TESSERA_TRY(const i64 one, integerOf(item, what));
    return std::vector{one};
  }
  for (const Item& e : item.elements) {
    if (e.is(Item::Kind::Tuple)) return Diag{fmt::format("{} contains a tuple", what), "integers"};
    TESSERA_TRY(const i64 one, integerOf(e, what));
    out.push_back(one);
  }
  return out;
}

std::optional<int> bitsOfType(std::string_view name) {
  const TypeRow* row = typeRow(name);
  return row == nullptr ? std::nullopt : std::optional(row->bits);
}

std::string_view wordOfType(std::string_view name) {
  const TypeRow* row = typeRow(name);
  return row == nullptr ? std::string_view() : row->word;
}

Result<Item> binary(std::string_view op, const Item& a, const Item& b) {
  spend();
  if (a.isMissing() || b.isMissing()) {
    Item out{.kind = Item::Kind::Missing, .text = a.isMissing() ? a.text : b.text};
    return std::move(out).with(a).with(b);
  }
  if (a.is(Item::Kind::Integer) && b.is(Item::Kind::Integer)) {
    const auto value = computed(op, a.integer, b.integer);
    if (!value) return Diag{fmt::format("{} {} {} is no integer of 64 bits", a.integer, op, b.integer), "an integer"};
    return Item::number(*value).with(a).with(b);
  }
  if (op == "==" || op == "is") return Item::number(sameConstant(a, b) ? 1 : 0).with(a).with(b);
  if (op == "!=" || op == "is not") return Item::number(sameConstant(a, b) ? 0 : 1).with(a).with(b);
  if (op == "+" && a.is(Item::Kind::Tuple) && b.is(Item::Kind::Tuple)) {
    if (a.elements.size() + b.elements.size() > kMostElements) return Diag{"a tuple that is too long"};
    std::vector<Item> all = a.elements;
    all.insert(all.end(), b.elements.begin(), b.elements.end());
    return Item::tuple(std::move(all));
  }
  if (op == "*" && a.is(Item::Kind::Tuple) && b.is(Item::Kind::Integer)) return repeated(a, b.integer);
  if (op == "*" && b.is(Item::Kind::Tuple) && a.is(Item::Kind::Integer)) return repeated(b, a.integer);
  if (op == "in" && b.is(Item::Kind::Tuple))
    return Item::number(std::ranges::any_of(b.elements, [&](const Item& e) { return sameConstant(a, e); }) ? 1 : 0);
  const bool arithmetic = op == "+" || op == "-" || op == "*" || op == "//" || op == "%";
  if (!arithmetic || (!a.is(Item::Kind::Text) && !b.is(Item::Kind::Text)))
    return Diag{fmt::format("`{}` between {} and {}", op, kindName(a), kindName(b)), "integers"};
  TESSERA_TRY(const std::string left, worksheetText(a));
  TESSERA_TRY(const std::string right, worksheetText(b));
  return Item::expression(fmt::format("({} {} {})", left, worksheetOperation(op), right)).with(a).with(b);
}

Result<Item> unary(std::string_view op, const Item& a) {
  if (a.isMissing()) return a;
  if (op == "not") {
    const auto known = truth(a);
    if (known) return Item::number(*known ? 0 : 1).with(a);
  }
  if (!a.is(Item::Kind::Integer)) return Diag{fmt::format("`{}` before {}", op, kindName(a)), "an integer"};
  if (op == "+") return a;
  if (op == "~") return Item::number(~a.integer).with(a);
  const auto value = checkedSub(0, a.integer);
  if (!value) return Diag{"an integer beyond 64 bits", "an integer"};
  return Item::number(*value).with(a);
}

std::optional<bool> truth(const Item& item) {
  switch (item.kind) {
    case Item::Kind::None:
      return false;
    case Item::Kind::Integer:
      return item.integer != 0;
    case Item::Kind::Tuple:
      return !item.elements.empty();
    case Item::Kind::String:
      return !item.text.empty();
    case Item::Kind::Missing:
      return std::nullopt;
    default:
      return true;
  }
}

}  // namespace tessera::paste::python
