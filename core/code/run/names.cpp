#include "core/code/run/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/chars.h"

namespace tessera::code {
namespace {

constexpr i64 kSurveyed = i64{1} << 20;

constexpr std::array<std::string_view, 8> kUnsigned = {"threadIdx.", "blockIdx.",     "blockDim.",    "gridDim.",
                                                       "laneid",     "hipThreadIdx_", "hipBlockIdx_", "hipBlockDim_"};

// blockDim.x of threadIdx.x.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kSizes = {{
    {"blockDim.", "threadIdx."},
    {"gridDim.", "blockIdx."},
    {"hipBlockDim_", "hipThreadIdx_"},
    {"hipGridDim_", "hipBlockIdx_"},
}};

std::string_view lastPart(std::string_view name) {
  std::size_t at = name.size();
  while (at > 0 && isNamePart(name[at - 1])) --at;
  return name.substr(at);
}

}  // namespace

bool looksConstant(std::string_view name) {
  if (name.find("::") != std::string_view::npos) return true;
  const std::string_view last = lastPart(name);
  if (last.size() > 1 && last[0] == 'k' && last[1] >= 'A' && last[1] <= 'Z') return true;
  return !last.empty() && std::ranges::none_of(last, [](char c) { return c >= 'a' && c <= 'z'; }) &&
         (last.size() > 1 || name.size() == 1);
}

Names::Names(const Given& given, Arithmetic& arithmetic, bool survey)
    : given_(given), arithmetic_(arithmetic), survey_(survey) {}

Number Names::typed(Expr value, const std::string& text, const Type& type) const {
  if (arithmetic_.rules() == Rules::Python) return {std::move(value), unboundedInteger()};
  if (type.isInteger()) return {std::move(value), type};
  if (std::ranges::any_of(kUnsigned, [&](std::string_view u) { return text.starts_with(u); }))
    return {std::move(value), integerType(32, false)};
  const bool wide = value.isConstant() && (value.value() > mostOf(intType()) || value.value() < leastOf(intType()));
  return {std::move(value), wide ? integerType(64, true) : intType()};
}

bool Names::isCoordinate(const std::string& text) const {
  return std::ranges::any_of(given_.over, [&](const auto& c) { return c.name == text; });
}

std::optional<i64> Names::builtIn(const std::string& text) const {
  if (text == "warpSize") return 32;
  for (const auto& [size, index] : kSizes) {
    if (!text.starts_with(size)) continue;
    const std::string axis = text.substr(size.size());
    if (const auto* whole = given_.find(size.substr(0, size.size() - 1))) {
      const std::size_t k = axis == "x" ? 0 : axis == "y" ? 1 : 2;
      return k < whole->numbers.size() ? whole->numbers[k] : 1;
    }
    for (const auto& c : given_.over)
      if (c.name == std::string(index) + axis) return c.extent;
  }
  return std::nullopt;
}

std::optional<Value> Names::known(const std::string& text, const Type& type) {
  for (std::size_t k = 0; k < given_.over.size(); ++k)
    if (given_.over[k].name == text) return numberValue(typed(Expr::digit(static_cast<int>(k)), text, type));
  if (const auto* constant = given_.find(text)) {
    if (constant->type) {
      Value v = typeValue(*constant->type);
      v.text = text;  // also the name of an array of that type
      return v;
    }
    if (!constant->isTuple) return numberValue(typed(Expr::constant(constant->numbers[0]), text, type));
    std::vector<Value> elements;
    for (const i64 n : constant->numbers) elements.push_back(numberValue(typed(Expr::constant(n), text + ".", {})));
    const std::array<std::string, 4> axes = {"x", "y", "z", "w"};
    std::vector<std::string> names;
    for (std::size_t k = 0; k < std::min<std::size_t>(4, elements.size()); ++k) names.push_back(axes[k]);
    if (names.size() < elements.size()) names.clear();
    return tupleValue(std::move(elements), std::move(names));
  }
  if (const auto n = builtIn(text)) return numberValue(typed(Expr::constant(*n), text, type));
  // N of `with Traits::N = 8`, and the other way round.
  const std::size_t scope = text.rfind("::");
  if (scope != std::string::npos) return known(text.substr(scope + 2), type);
  return std::nullopt;
}

std::optional<i64> Names::extentOf(const std::string& name) const {
  const auto it = extents_.find(name);
  return it == extents_.end() ? std::nullopt : std::optional(it->second);
}

Result<Number> Names::number(const Value& unbound, bool constant) {
  const std::string& name = unbound.text;
  if (const auto it = found_.find(name); it != found_.end()) return it->second.number;
  constant = constant || looksConstant(name);
  Missing missing{name, unbound.span, -1, constant, extentOf(name)};
  for (std::size_t k = 0; k < parameters_.size(); ++k)
    if (name == parameters_[k] || name.starts_with(parameters_[k] + ".") || name.starts_with(parameters_[k] + "["))
      missing.parameter = static_cast<int>(k);
  missing_.push_back(std::move(missing));
  if (!survey_) {
    return Diag{fmt::format("{} is not bound", name), "a value for each name that the code does not define",
                constant ? fmt::format("--let {}=64", name) : fmt::format("--over {}=64 or --let {}=64", name, name),
                unbound.span};
  }
  // A wide range, so that no condition on it is decided.
  const Expr digit = arithmetic_.addDigit({name, kSurveyed, DigitKind::Index, 0});
  const Number number = typed(digit, name, unbound.type);
  found_.emplace(name, numberValue(number));
  return number;
}

}  // namespace tessera::code
