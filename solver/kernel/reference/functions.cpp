#include "solver/kernel/reference/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "solver/kernel/launch/element.h"

namespace tessera::kernel::reference {

namespace {

using Kind = Array::Kind;

// The arguments of one call, by position or name.
class ReferenceCall {
 public:
  ReferenceCall(std::string_view name, const CallArguments& arguments) : name_(name), all_(arguments) {}

  [[nodiscard]] const Value* find(std::size_t at, std::string_view name) const {
    if (at < all_.given.size()) return &all_.given[at];
    const auto named = all_.named.find(name);
    return named == all_.named.end() ? nullptr : &named->second;
  }
  [[nodiscard]] bool has(std::size_t at, std::string_view name) const {
    const Value* const v = find(at, name);
    return v != nullptr && !(v->kind == Value::Kind::Name && v->name == "None");
  }
  [[nodiscard]] Result<Array> array(std::size_t at, std::string_view name) const {
    const Value* const v = find(at, name);
    if (v == nullptr) return Diag{fmt::format("{} needs the argument {}", name_, name)};
    return arrayOf(*v);
  }
  [[nodiscard]] Result<i64> integer(std::size_t at, std::string_view name, std::optional<i64> missing = {}) const {
    if (!has(at, name)) {
      if (missing) return *missing;
      return Diag{fmt::format("{} needs the argument {}", name_, name)};
    }
    return integerOf(*find(at, name), name);
  }
  // An integer or a tuple of them.
  [[nodiscard]] Result<std::vector<i64>> integers(std::size_t at, std::string_view name) const {
    std::vector<i64> out;
    if (!has(at, name)) return out;
    const Value& v = *find(at, name);
    if (v.kind != Value::Kind::Tuple) {
      TESSERA_TRY(const Array a, arrayOf(v));
      if (a.rank() == 0) {
        TESSERA_TRY(const i64 one, integerOf(v, name));
        out.push_back(one);
        return out;
      }
    }
    for (const Value& item : v.items) {
      TESSERA_TRY(const i64 one, integerOf(item, name));
      out.push_back(one);
    }
    return out;
  }
  // A shape given as a tuple, or as all arguments from `at` on: x.reshape(4, -1).
  [[nodiscard]] Result<std::vector<i64>> shape(std::size_t at, std::string_view name) const {
    if (at + 1 >= all_.given.size()) return integers(at, name);
    std::vector<i64> out;
    for (std::size_t k = at; k < all_.given.size(); ++k) {
      TESSERA_TRY(const i64 one, integerOf(all_.given[k], name));
      out.push_back(one);
    }
    return out;
  }
  [[nodiscard]] bool flag(std::string_view name, std::size_t at = SIZE_MAX) const {
    const Value* const v = find(at, name);
    return v != nullptr && v->kind == Value::Kind::Array && v->array.count() == 1 && v->array.data[0] != 0;
  }
  [[nodiscard]] std::string_view name() const { return name_; }

 private:
  std::string_view name_;
  const CallArguments& all_;
};

struct UnaryRow {
  std::string_view name;
  Unary f;
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
  Binary f;
};
const BinaryRow kBinary[] = {
    {"maximum", [](double x, double y) { return std::isnan(x) || x > y ? x : y; }},
    {"minimum", [](double x, double y) { return std::isnan(x) || x < y ? x : y; }},
    {"add", [](double x, double y) { return x + y; }},
    {"subtract", [](double x, double y) { return x - y; }},
    {"multiply", [](double x, double y) { return x * y; }},
    {"power", [](double x, double y) { return std::pow(x, y); }},
    {"fmod", [](double x, double y) { return std::fmod(x, y); }},
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

void softmaxLine(std::vector<double>& line) {
  const double most = line.empty() ? 0 : *std::max_element(line.begin(), line.end());
  double sum = 0;
  for (double& x : line) sum += x = std::exp(x - most);
  for (double& x : line) x /= sum;
}

// The rounding of a type, as astype does it: float16, int32 ...
Result<Array> cast(Array a, std::string_view type) {
  if (type == "bool" || type == "bool_")
    return elementwise(
        std::move(a), [](double x) { return x != 0 ? 1.0 : 0.0; }, Kind::Bool);
  const Element* const e = type == "int"     ? elementNamed("int64")
                           : type == "float" ? elementNamed("float64")
                                             : elementNamed(type);
  if (e == nullptr || e->kind == Element::Kind::Bits)
    return Diag{fmt::format("'{}' is not a type", type), elementNames()};
  if (e->kind == Element::Kind::Float) {
    for (double& x : a.data) x = decoded(*e, encoded(*e, x));
    a.kind = Kind::Float;
    return a;
  }
  for (double& x : a.data) {
    // As C converts: towards zero, then modulo 2^bits.
    const double whole = std::trunc(x);
    const u64 bits = whole < 0 ? u64{0} - static_cast<u64>(std::min(-whole, 9.2e18))
                               : static_cast<u64>(std::isnan(whole) ? 0 : std::min(whole, 1.8e19));
    x = decoded(*e, bits);
  }
  a.kind = Kind::Integer;
  return a;
}

std::string typeName(const Value& v) {
  const std::size_t dot = v.name.rfind('.');
  return dot == std::string::npos ? v.name : v.name.substr(dot + 1);
}

using Made = Result<Value>;
using Make = Made (*)(const ReferenceCall&);

Result<Value> wrapped(Result<Array> array) {
  if (!array) return array.error();
  return valueOf(*std::move(array));
}

Result<Array> arange(const ReferenceCall& c) {
  TESSERA_TRY(const Array first, c.array(0, "start"));
  double start = 0, stop = first.data.empty() ? 0 : first.data[0], step = 1;
  Kind kind = first.kind;
  if (c.has(1, "stop")) {
    TESSERA_TRY(const Array second, c.array(1, "stop"));
    start = stop;
    stop = second.data.empty() ? 0 : second.data[0];
    kind = std::max(kind, second.kind);
  }
  if (c.has(2, "step")) {
    TESSERA_TRY(const Array third, c.array(2, "step"));
    step = third.data.empty() ? 0 : third.data[0];
    kind = std::max(kind, third.kind);
  }
  const double count = std::max(0.0, std::ceil((stop - start) / step));
  if (!(count <= static_cast<double>(kMostElements))) return Diag{"this range is too long"};
  Array out{{static_cast<i64>(count)}, {}, std::max(kind, Kind::Integer)};
  for (i64 k = 0; k < out.shape[0]; ++k) out.data.push_back(start + static_cast<double>(k) * step);
  return out;
}

Result<Array> filled(const std::vector<i64>& shape, double value, Kind kind) {
  const auto count = countOf(shape);
  if (!count) return Diag{fmt::format("{} is not a shape, or is too large", shapeText(shape))};
  return Array{shape, std::vector<double>(static_cast<std::size_t>(*count), value), kind};
}

// np.pad(x, 3), np.pad(x, (1, 2)), np.pad(x, ((0, 1), (2, 3))): zeros around an array.
Result<Array> padded(const ReferenceCall& c) {
  TESSERA_TRY(Array a, c.array(0, "array"));
  TESSERA_TRY(const Array widths, c.array(1, "pad_width"));
  TESSERA_TRY(const Array both, broadcast(widths, {static_cast<i64>(a.rank()), 2}));
  for (std::size_t k = 0; k < a.rank(); ++k) {
    std::vector<Array> parts;
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      std::vector<i64> shape = a.shape;
      const double width = both.data[2 * k + side];
      if (!(width >= 0 && width <= static_cast<double>(kMostElements))) return Diag{"a width of padding is not a size"};
      shape[k] = static_cast<i64>(width);
      TESSERA_TRY(Array zeros, filled(shape, 0, a.kind));
      if (side == 1) parts.push_back(a);
      parts.push_back(std::move(zeros));
    }
    TESSERA_TRY(a, joined(parts, static_cast<i64>(k)));
  }
  return a;
}

Result<Array> bincount(const ReferenceCall& c) {
  TESSERA_TRY(const Array a, c.array(0, "x"));
  TESSERA_TRY(const i64 least, c.integer(2, "minlength", 0));
  double most = static_cast<double>(least) - 1;
  for (const double x : a.data) {
    if (!(x >= 0 && x < static_cast<double>(kMostElements))) return Diag{"bincount takes small integers"};
    most = std::max(most, x);
  }
  TESSERA_TRY(Array out, filled({static_cast<i64>(most) + 1}, 0, Kind::Integer));
  for (const double x : a.data) ++out.data[static_cast<std::size_t>(x)];
  return out;
}

Result<Array> triangle(const ReferenceCall& c, bool lower) {
  TESSERA_TRY(Array a, c.array(0, "m"));
  TESSERA_TRY(const i64 diagonal, c.integer(1, "k", 0));
  if (a.rank() < 2) return Diag{"a triangle needs a matrix"};
  const i64 columns = a.shape.back(), rows = a.shape[a.rank() - 2];
  for (i64 k = 0; k < a.count(); ++k) {
    const i64 j = k % columns, i = k / columns % rows;
    if (lower ? j - i > diagonal : j - i < diagonal) a.data[static_cast<std::size_t>(k)] = 0;
  }
  return a;
}

struct MakeRow {
  std::string_view name;
  Make make;
};
const MakeRow kMakes[] = {
    {"where",
     [](const ReferenceCall& c) -> Made {
       TESSERA_TRY(const Array which, c.array(0, "condition"));
       TESSERA_TRY(const Array yes, c.array(1, "x"));
       TESSERA_TRY(const Array no, c.array(2, "y"));
       TESSERA_TRY(const std::vector<i64> branches, broadcastShape(yes.shape, no.shape));
       TESSERA_TRY(const std::vector<i64> shape, broadcastShape(which.shape, branches));
       TESSERA_TRY(const Array choose, broadcast(which, shape));
       TESSERA_TRY(Array out, broadcast(yes, shape));
       TESSERA_TRY(const Array other, broadcast(no, shape));
       for (std::size_t k = 0; k < out.data.size(); ++k)
         if (choose.data[k] == 0) out.data[k] = other.data[k];
       out.kind = std::max(yes.kind, no.kind);
       return valueOf(std::move(out));
     }},
    {"clip",
     [](const ReferenceCall& c) -> Made {
       TESSERA_TRY(Array a, c.array(0, "a"));
       if (c.has(1, "min")) {
         TESSERA_TRY(const Array low, c.array(1, "min"));
         TESSERA_TRY(a, elementwise(a, low, kBinary[0].f, std::max(a.kind, low.kind)));
       }
       if (c.has(2, "max")) {
         TESSERA_TRY(const Array high, c.array(2, "max"));
         TESSERA_TRY(a, elementwise(a, high, kBinary[1].f, std::max(a.kind, high.kind)));
       }
       return valueOf(std::move(a));
     }},
    {"softmax",
     [](const ReferenceCall& c) -> Made {
       TESSERA_TRY(Array a, c.array(0, "x"));
       TESSERA_TRY(const i64 axis, c.integer(1, c.has(1, "dim") ? "dim" : "axis", -1));
       a.kind = Kind::Float;
       return wrapped(along(a, axis, softmaxLine));
     }},
    {"cumsum",
     [](const ReferenceCall& c) -> Made {
       TESSERA_TRY(Array a, c.array(0, "a"));
       a.kind = std::max(a.kind, Kind::Integer);
       if (!c.has(1, "axis")) {
         TESSERA_TRY(a, reshaped(a, {-1}));
       }
       TESSERA_TRY(const i64 axis, c.integer(1, "axis", 0));
       return wrapped(along(a, axis, [](std::vector<double>& x) { std::partial_sum(x.begin(), x.end(), x.begin()); }));
     }},
    {"sort",
     [](const ReferenceCall& c) -> Made {
       TESSERA_TRY(const Array a, c.array(0, "a"));
       TESSERA_TRY(const i64 axis, c.integer(1, "axis", -1));
       return wrapped(along(a, axis, [](std::vector<double>& x) { std::stable_sort(x.begin(), x.end()); }));
     }},
    {"argsort",
     [](const ReferenceCall& c) -> Made {
       TESSERA_TRY(Array a, c.array(0, "a"));
       TESSERA_TRY(const i64 axis, c.integer(1, "axis", -1));
       a.kind = Kind::Integer;
       return wrapped(along(a, axis, [](std::vector<double>& x) {
         std::vector<std::size_t> order(x.size());
         std::iota(order.begin(), order.end(), std::size_t{0});
         std::stable_sort(order.begin(), order.end(), [&x](std::size_t i, std::size_t j) { return x[i] < x[j]; });
         std::vector<double> out(order.begin(), order.end());
         x = std::move(out);
       }));
     }},
    {"flip",
     [](const ReferenceCall& c) -> Made {
       TESSERA_TRY(const Array a, c.array(0, "m"));
       TESSERA_TRY(const i64 axis, c.integer(1, "axis", 0));
       return wrapped(along(a, axis, [](std::vector<double>& x) { std::reverse(x.begin(), x.end()); }));
     }},
    {"reshape",
     [](const ReferenceCall& c) -> Made {
       TESSERA_TRY(const Array a, c.array(0, "a"));
       TESSERA_TRY(const std::vector<i64> shape, c.shape(1, "shape"));
       return wrapped(reshaped(a, shape));
     }},
    {"ravel",
     [](const ReferenceCall& c) -> Made {
       TESSERA_TRY(const Array a, c.array(0, "a"));
       return wrapped(reshaped(a, {-1}));
     }},
    {"flatten",
     [](const ReferenceCall& c) -> Made {
       TESSERA_TRY(const Array a, c.array(0, "a"));
       return wrapped(reshaped(a, {-1}));
     }},
    {"transpose",
     [](const ReferenceCall& c) -> Made {
       TESSERA_TRY(const Array a, c.array(0, "a"));
       TESSERA_TRY(const std::vector<i64> axes, c.shape(1, "axes"));
       return wrapped(transposed(a, axes));
     }},
    {"swapaxes",
     [](const ReferenceCall& c) -> Made {
       TESSERA_TRY(const Array a, c.array(0, "a"));
       TESSERA_TRY(const i64 first, c.integer(1, "axis1"));
       TESSERA_TRY(const i64 second, c.integer(2, "axis2"));
       TESSERA_TRY(const std::size_t i, axisOf(first, a.rank()));
       TESSERA_TRY(const std::size_t j, axisOf(second, a.rank()));
       std::vector<i64> axes(a.rank());
       std::iota(axes.begin(), axes.end(), i64{0});
       std::swap(axes[i], axes[j]);
       return wrapped(transposed(a, axes));
     }},
    {"squeeze",
     [](const ReferenceCall& c) -> Made {
       TESSERA_TRY(const Array a, c.array(0, "a"));
       std::vector<i64> shape;
       for (const i64 extent : a.shape)
         if (extent != 1) shape.push_back(extent);
       return wrapped(reshaped(a, shape));
     }},
    {"broadcast_to",
     [](const ReferenceCall& c) -> Made {
       TESSERA_TRY(const Array a, c.array(0, "array"));
       TESSERA_TRY(const std::vector<i64> shape, c.integers(1, "shape"));
       return wrapped(broadcast(a, shape));
     }},
    {"concatenate",
     [](const ReferenceCall& c) -> Made {
       const Value* const parts = c.find(0, "arrays");
       if (parts == nullptr || parts->kind != Value::Kind::Tuple) return Diag{"concatenate takes a list of arrays"};
       std::vector<Array> all;
       for (const Value& v : parts->items) {
         TESSERA_TRY(Array a, arrayOf(v));
         all.push_back(std::move(a));
       }
       TESSERA_TRY(const i64 axis, c.integer(1, "axis", 0));
       return wrapped(joined(all, axis));
     }},
    {"stack",
     [](const ReferenceCall& c) -> Made {
       TESSERA_TRY(const Array a, c.array(0, "arrays"));
       TESSERA_TRY(const i64 axis, c.integer(1, "axis", 0));
       TESSERA_TRY(const std::size_t at, axisOf(axis, a.rank()));
       std::vector<i64> axes;
       for (std::size_t k = 1; k < a.rank(); ++k) axes.push_back(static_cast<i64>(k));
       axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(at), 0);
       return wrapped(transposed(a, axes));
     }},
    {"array",
     [](const ReferenceCall& c) -> Made {
       TESSERA_TRY(const Array a, c.array(0, "object"));
       return valueOf(a);
     }},
    {"arange", [](const ReferenceCall& c) -> Made { return wrapped(arange(c)); }},
    {"range",
     [](const ReferenceCall& c) -> Made {
       TESSERA_TRY(const Array a, arange(c));
       return valueOf(a);
     }},
    {"zeros",
     [](const ReferenceCall& c) -> Made {
       TESSERA_TRY(const std::vector<i64> shape, c.integers(0, "shape"));
       return wrapped(filled(shape, 0, Kind::Float));
     }},
    {"ones",
     [](const ReferenceCall& c) -> Made {
       TESSERA_TRY(const std::vector<i64> shape, c.integers(0, "shape"));
       return wrapped(filled(shape, 1, Kind::Float));
     }},
    {"full",
     [](const ReferenceCall& c) -> Made {
       TESSERA_TRY(const std::vector<i64> shape, c.integers(0, "shape"));
       TESSERA_TRY(const Array value, c.array(1, "fill_value"));
       return wrapped(broadcast(value, shape));
     }},
    {"zeros_like",
     [](const ReferenceCall& c) -> Made {
       TESSERA_TRY(const Array a, c.array(0, "a"));
       return wrapped(filled(a.shape, 0, a.kind));
     }},
    {"ones_like",
     [](const ReferenceCall& c) -> Made {
       TESSERA_TRY(const Array a, c.array(0, "a"));
       return wrapped(filled(a.shape, 1, a.kind));
     }},
    {"eye",
     [](const ReferenceCall& c) -> Made {
       TESSERA_TRY(const i64 n, c.integer(0, "N"));
       TESSERA_TRY(Array out, filled({n, n}, 0, Kind::Float));
       for (i64 k = 0; k < n; ++k) out.data[static_cast<std::size_t>(k * n + k)] = 1;
       return valueOf(std::move(out));
     }},
    {"tril", [](const ReferenceCall& c) -> Made { return wrapped(triangle(c, true)); }},
    {"triu", [](const ReferenceCall& c) -> Made { return wrapped(triangle(c, false)); }},
    {"pad", [](const ReferenceCall& c) -> Made { return wrapped(padded(c)); }},
    {"bincount", [](const ReferenceCall& c) -> Made { return wrapped(bincount(c)); }},
    {"matmul",
     [](const ReferenceCall& c) -> Made {
       TESSERA_TRY(const Array a, c.array(0, "x1"));
       TESSERA_TRY(const Array b, c.array(1, "x2"));
       return wrapped(product(a, b));
     }},
    {"dot",
     [](const ReferenceCall& c) -> Made {
       TESSERA_TRY(const Array a, c.array(0, "a"));
       TESSERA_TRY(const Array b, c.array(1, "b"));
       return wrapped(product(a, b));
     }},
    {"outer",
     [](const ReferenceCall& c) -> Made {
       TESSERA_TRY(Array a, c.array(0, "a"));
       TESSERA_TRY(Array b, c.array(1, "b"));
       TESSERA_TRY(a, reshaped(a, {-1, 1}));
       TESSERA_TRY(b, reshaped(b, {1, -1}));
       return wrapped(elementwise(a, b, kBinary[4].f, std::max(a.kind, b.kind)));
     }},
    {"astype",
     [](const ReferenceCall& c) -> Made {
       TESSERA_TRY(Array a, c.array(0, "a"));
       const Value* const type = c.find(1, "dtype");
       if (type == nullptr || type->kind != Value::Kind::Name) return Diag{"astype takes a type", "np.float16"};
       return wrapped(cast(std::move(a), typeName(*type)));
     }},
};

template <typename Row, std::size_t N>
const Row* rowNamed(const Row (&rows)[N], std::string_view name) {
  for (const Row& row : rows)
    if (row.name == name) return &row;
  return nullptr;
}

Result<Value> folded(const FoldRow& row, const ReferenceCall& c) {
  TESSERA_TRY(Array a, c.array(0, "a"));
  // Python's max(x, y) of scalars.
  if (c.has(1, "") && (row.name == "max" || row.name == "min") && a.rank() == 0) {
    TESSERA_TRY(const Array b, c.array(1, "b"));
    return wrapped(elementwise(a, b, kBinary[row.name == "max" ? 0 : 1].f, std::max(a.kind, b.kind)));
  }
  TESSERA_TRY(std::vector<i64> axes, c.integers(1, c.has(1, "dim") ? "dim" : "axis"));
  const Kind kind = row.keeps ? std::max(a.kind, row.least) : row.least;
  const auto fold = row.fold;
  return wrapped(reduced(
      a, std::move(axes), c.flag("keepdims") || c.flag("keepdim"),
      [fold](const double* x, i64 n, i64) { return fold(x, n); }, kind));
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
    std::vector<i64> shape = part.shape;
    shape.insert(shape.begin(), 1);
    TESSERA_TRY(part, reshaped(std::move(part), std::move(shape)));
    parts.push_back(std::move(part));
  }
  if (parts.empty()) return Array{{0}, {}, Kind::Float};
  return joined(parts, 0);
}

Result<i64> integerOf(const Value& value, std::string_view what) {
  TESSERA_TRY(const Array a, arrayOf(value));
  if (a.count() != 1 || !(std::abs(a.data[0]) < 9e15) || a.data[0] != std::floor(a.data[0]))
    return Diag{fmt::format("{} is not an integer", what)};
  return static_cast<i64>(a.data[0]);
}

std::vector<std::string> functionNames() {
  std::vector<std::string> out;
  for (const auto& row : kUnary) out.emplace_back(row.name);
  for (const auto& row : kBinary) out.emplace_back(row.name);
  for (const auto& row : kFolds) out.emplace_back(row.name);
  for (const auto& row : kMakes) out.emplace_back(row.name);
  return out;
}

bool isFunction(std::string_view name) {
  return rowNamed(kUnary, name) != nullptr || rowNamed(kBinary, name) != nullptr || rowNamed(kFolds, name) != nullptr ||
         rowNamed(kMakes, name) != nullptr || name == "std";
}

Result<Value> call(std::string_view name, const CallArguments& arguments) {
  const ReferenceCall c(name, arguments);
  if (name == "std") {
    TESSERA_TRY(const Value variance, call("var", arguments));
    return valueOf(elementwise(
        variance.array, [](double x) { return std::sqrt(x); }, Kind::Float));
  }
  if (const auto* row = rowNamed(kUnary, name)) {
    TESSERA_TRY(Array a, c.array(0, "x"));
    const Kind kind = row->keeps ? a.kind : Kind::Float;
    return valueOf(elementwise(std::move(a), row->f, kind));
  }
  if (const auto* row = rowNamed(kBinary, name)) {
    TESSERA_TRY(const Array a, c.array(0, "x1"));
    TESSERA_TRY(const Array b, c.array(1, "x2"));
    return wrapped(elementwise(a, b, row->f, std::max(a.kind, b.kind)));
  }
  if (const auto* row = rowNamed(kFolds, name)) return folded(*row, c);
  if (const auto* row = rowNamed(kMakes, name)) return row->make(c);
  return Diag{fmt::format("there is no function {} in a reference", name)};
}

}  // namespace tessera::kernel::reference
