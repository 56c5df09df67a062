#include "solver/kernel/reference/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "solver/kernel/reference/formulas.h"
#include "solver/kernel/reference/makers.h"

namespace tessera::kernel::reference {

namespace {

using Kind = Array::Kind;

struct UnaryRow {
  std::string_view name;
  double (*f)(double);
  bool keeps = false;  // the kind of its argument; else a float
};
double sigmoidOf(double x) { return 1 / (1 + std::exp(-x)); }
const UnaryRow kUnary[] = {
    {"exp", [](double x) { return std::exp(x); }},
    {"exp2", [](double x) { return std::exp2(x); }},
    {"expm1", [](double x) { return std::expm1(x); }},
    {"log", [](double x) { return std::log(x); }},
    {"log2", [](double x) { return std::log2(x); }},
    {"log10", [](double x) { return std::log10(x); }},
    {"log1p", [](double x) { return std::log1p(x); }},
    {"sqrt", [](double x) { return std::sqrt(x); }},
    {"rsqrt", [](double x) { return 1 / std::sqrt(x); }},
    {"reciprocal", [](double x) { return 1 / x; }},
    {"sin", [](double x) { return std::sin(x); }},
    {"cos", [](double x) { return std::cos(x); }},
    {"tan", [](double x) { return std::tan(x); }},
    {"tanh", [](double x) { return std::tanh(x); }},
    {"erf", [](double x) { return std::erf(x); }},
    {"sigmoid", sigmoidOf},
    {"silu", [](double x) { return x * sigmoidOf(x); }},
    {"gelu", [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }},
    {"relu", [](double x) { return x > 0 ? x : 0; }, true},
    {"abs", [](double x) { return std::abs(x); }, true},
    {"absolute", [](double x) { return std::abs(x); }, true},
    {"square", [](double x) { return x * x; }, true},
    {"sign", [](double x) { return static_cast<double>((x > 0) - (x < 0)); }, true},
    {"negative", [](double x) { return -x; }, true},
    {"floor", [](double x) { return std::floor(x); }, true},
    {"ceil", [](double x) { return std::ceil(x); }, true},
    {"trunc", [](double x) { return std::trunc(x); }, true},
    {"rint", [](double x) { return std::nearbyint(x); }, true},
    {"round", [](double x) { return std::nearbyint(x); }, true},
};

struct BinaryRow {
  std::string_view name;
  Binary operation;
};
const BinaryRow kBinary[] = {
    {"maximum", {"max", [](double x, double y) { return std::isnan(x) || x > y ? x : y; }}},
    {"minimum", {"min", [](double x, double y) { return std::isnan(x) || x < y ? x : y; }}},
    {"add", {"+", [](double x, double y) { return x + y; }}},
    {"subtract", {"-", [](double x, double y) { return x - y; }}},
    {"multiply", {"*", [](double x, double y) { return x * y; }}},
    {"power", {"**", [](double x, double y) { return std::pow(x, y); }}},
    {"fmod", {"", [](double x, double y) { return std::fmod(x, y); }}},
};

struct FoldRow {
  std::string_view name;
  double (*fold)(const double*, i64);
  Kind least;         // the kind of the result is at least this
  bool keeps = true;  // the kind of its argument
};
const FoldRow kFolds[] = {
    {"sum", [](const double* x, i64 n) { return std::accumulate(x, x + n, 0.0); }, Kind::Integer},
    {"prod", [](const double* x, i64 n) { return std::accumulate(x, x + n, 1.0, std::multiplies<>()); }, Kind::Integer},
    {"mean", [](const double* x, i64 n) { return std::accumulate(x, x + n, 0.0) / static_cast<double>(n); },
     Kind::Float},
    {"var",
     [](const double* x, i64 n) {
       const double mean = std::accumulate(x, x + n, 0.0) / static_cast<double>(n);
       double sum = 0;
       for (i64 k = 0; k < n; ++k) sum += (x[k] - mean) * (x[k] - mean);
       return sum / static_cast<double>(n);
     },
     Kind::Float},
    {"max", [](const double* x, i64 n) { return n > 0 ? *std::max_element(x, x + n) : -HUGE_VAL; }, Kind::Bool},
    {"amax", [](const double* x, i64 n) { return n > 0 ? *std::max_element(x, x + n) : -HUGE_VAL; }, Kind::Bool},
    {"min", [](const double* x, i64 n) { return n > 0 ? *std::min_element(x, x + n) : HUGE_VAL; }, Kind::Bool},
    {"amin", [](const double* x, i64 n) { return n > 0 ? *std::min_element(x, x + n) : HUGE_VAL; }, Kind::Bool},
    {"argmax", [](const double* x, i64 n) { return static_cast<double>(std::max_element(x, x + n) - x); },
     Kind::Integer, false},
    {"argmin", [](const double* x, i64 n) { return static_cast<double>(std::min_element(x, x + n) - x); },
     Kind::Integer, false},
    {"all", [](const double* x, i64 n) { return std::all_of(x, x + n, [](double v) { return v != 0; }) ? 1.0 : 0.0; },
     Kind::Bool, false},
    {"any", [](const double* x, i64 n) { return std::any_of(x, x + n, [](double v) { return v != 0; }) ? 1.0 : 0.0; },
     Kind::Bool, false},
    {"count_nonzero",
     [](const double* x, i64 n) {
       return static_cast<double>(std::count_if(x, x + n, [](double v) { return v != 0; }));
     },
     Kind::Integer, false},
};

template <typename Rows>
auto rowNamed(const Rows& rows, std::string_view name) -> decltype(std::data(rows)) {
  for (const auto& row : rows)
    if (row.name == name) return &row;
  return nullptr;
}

Result<Value> folded(const FoldRow& row, const ReferenceCall& c) {
  TESSERA_TRY(Array a, c.array(0, "a"));
  // Python's max(x, y) of scalars.
  if (c.has(1, "") && (row.name == "max" || row.name == "min") && a.rank() == 0) {
    TESSERA_TRY(const Array b, c.array(1, "b"));
    return wrapped(elementwise(a, b, kBinary[row.name == "max" ? 0 : 1].operation, std::max(a.kind, b.kind)));
  }
  TESSERA_TRY(std::vector<i64> axes, c.integers(1, c.has(1, "dim") ? "dim" : "axis"));
  const Kind kind = row.keeps ? std::max(a.kind, row.least) : row.least;
  const std::string_view name = row.name == "amax" ? "max" : row.name == "amin" ? "min" : row.name;
  return wrapped(reduced(a, std::move(axes), c.flag("keepdims") || c.flag("keepdim"), {name, row.fold}, kind));
}

}  // namespace

Value valueOf(Array array) {
  Value out;
  out.array = std::move(array);
  return out;
}

Result<Array> arrayOf(const Value& value) {
  if (value.kind == Value::Kind::Array) return value.array;
  if (value.kind == Value::Kind::Name) return Diag{fmt::format("{} is not an array", value.name)};
  std::vector<Array> parts;
  for (const Value& item : value.items) {
    TESSERA_TRY(Array part, arrayOf(item));
    Subscript axis;
    axis.kind = Subscript::Kind::NewAxis;
    TESSERA_TRY(part, subscripted(part, {axis}));
    parts.push_back(std::move(part));
  }
  if (parts.empty()) return Array{{0}, {}, Kind::Float};
  return joined(parts, 0);
}

Result<i64> integerOf(const Value& value, std::string_view what) {
  TESSERA_TRY(const Array a, arrayOf(value));
  if (Formulas::is(a)) return Formulas::current()->integer(a);
  if (a.count() != 1 || !(std::abs(a.data[0]) < 9e15) || a.data[0] != std::floor(a.data[0]))
    return Diag{fmt::format("{} is not an integer", what)};
  return static_cast<i64>(a.data[0]);
}

std::vector<std::string> functionNames() {
  std::vector<std::string> out;
  for (const auto& row : kUnary) out.emplace_back(row.name);
  for (const auto& row : kBinary) out.emplace_back(row.name);
  for (const auto& row : kFolds) out.emplace_back(row.name);
  for (const auto& row : makeRows()) out.emplace_back(row.name);
  return out;
}

bool isFunction(std::string_view name) {
  return rowNamed(kUnary, name) != nullptr || rowNamed(kBinary, name) != nullptr || rowNamed(kFolds, name) != nullptr ||
         rowNamed(makeRows(), name) != nullptr || name == "std";
}

// Functions that look at numbers, and have no terms.
constexpr std::string_view kOnNumbers[] = {"cumsum", "sort",   "argsort", "bincount", "arange",       "range",
                                           "argmax", "argmin", "all",     "any",      "count_nonzero"};

bool hasSymbols(const Value& v) {
  return hasSymbols(v.array) ||
         std::any_of(v.items.begin(), v.items.end(), [](const Value& one) { return hasSymbols(one); });
}

Result<Value> call(std::string_view name, const CallArguments& arguments) {
  const ReferenceCall c(name, arguments);
  if (std::find(std::begin(kOnNumbers), std::end(kOnNumbers), name) != std::end(kOnNumbers))
    for (const Value& v : arguments.given)
      if (hasSymbols(v)) return Diag{fmt::format("{} has no terms for values that are symbols", name)};
  if (name == "std") {
    TESSERA_TRY(const Value variance, call("var", arguments));
    return wrapped(elementwise(variance.array, {"sqrt", [](double x) { return std::sqrt(x); }}, Kind::Float));
  }
  if (const auto* row = rowNamed(kUnary, name)) {
    TESSERA_TRY(Array a, c.array(0, "x"));
    const Kind kind = row->keeps ? a.kind : Kind::Float;
    const std::string_view term = name == "reciprocal" ? "rcp"
                                  : name == "absolute" ? "abs"
                                  : name == "negative" ? "neg"
                                                       : row->name;
    return wrapped(elementwise(std::move(a), {term, row->f}, kind));
  }
  if (const auto* row = rowNamed(kBinary, name)) {
    TESSERA_TRY(const Array a, c.array(0, "x1"));
    TESSERA_TRY(const Array b, c.array(1, "x2"));
    return wrapped(elementwise(a, b, row->operation, std::max(a.kind, b.kind)));
  }
  if (const auto* row = rowNamed(kFolds, name)) return folded(*row, c);
  if (const auto* row = rowNamed(makeRows(), name)) {
    bool formula =
        std::any_of(arguments.given.begin(), arguments.given.end(), [](const Value& v) { return Formulas::is(v); });
    for (const auto& [word, value] : arguments.named) formula = formula || Formulas::is(value);
    if (formula && !kIsPage)
      if (auto made = Formulas::current()->called(name, c)) return *std::move(made);
    return row->make(c);
  }
  return Diag{fmt::format("there is no function {} in a reference", name)};
}

}  // namespace tessera::kernel::reference
