#include "solver/kernel/reference/makers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "solver/kernel/launch/element.h"
#include "solver/kernel/reference/symbols.h"

namespace tessera::kernel::reference {

namespace {

using Kind = Array::Kind;

void softmaxLine(std::vector<double>& line) {
  if (Symbols* const symbols = Symbols::current();
      symbols != nullptr && std::any_of(line.begin(), line.end(), Symbols::is)) {
    for (double& x : line) x = *symbols->unary("exp", x);  // the maximum changes nothing over the real numbers
    const double sum = *symbols->fold("sum", line.data(), static_cast<i64>(line.size()));
    for (double& x : line) x = *symbols->binary("/", x, sum);
    return;
  }
  const double most = line.empty() ? 0 : *std::max_element(line.begin(), line.end());
  double sum = 0;
  for (double& x : line) sum += x = std::exp(x - most);
  for (double& x : line) x /= sum;
}

// The rounding of a type, as astype does it: float16, int32 ...
Result<Array> cast(Array a, std::string_view type) {
  if (type == "bool" || type == "bool_")
    return elementwise(std::move(a), {"", [](double x) { return x != 0 ? 1.0 : 0.0; }}, Kind::Bool);
  const Element* const e = type == "int"     ? elementNamed("int64")
                           : type == "float" ? elementNamed("float64")
                                             : elementNamed(type);
  if (e == nullptr || e->kind == Element::Kind::Bits)
    return Diag{fmt::format("'{}' is not a type", type), elementNames()};
  if (e->kind == Element::Kind::Float) {
    for (double& x : a.data)
      if (Symbols::current() == nullptr || !Symbols::is(x)) x = decoded(*e, encoded(*e, x));  // symbols are not rounded
    a.kind = Kind::Float;
    return a;
  }
  if (hasSymbols(a)) return Diag{fmt::format("astype({}) has no terms for values that are symbols", type)};
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
         if (Symbols::current() != nullptr && Symbols::is(choose.data[k]))
           out.data[k] = Symbols::current()->select(choose.data[k], out.data[k], other.data[k]);
         else if (choose.data[k] == 0)
           out.data[k] = other.data[k];
       out.kind = std::max(yes.kind, no.kind);
       return valueOf(std::move(out));
     }},
    {"clip",
     [](const ReferenceCall& c) -> Made {
       TESSERA_TRY(Array a, c.array(0, "a"));
       if (c.has(1, "min")) {
         TESSERA_TRY(const Array low, c.array(1, "min"));
         TESSERA_TRY(const Value v, call("maximum", {{valueOf(a), valueOf(low)}, {}}));
         a = v.array;
       }
       if (c.has(2, "max")) {
         TESSERA_TRY(const Array high, c.array(2, "max"));
         TESSERA_TRY(const Value v, call("minimum", {{valueOf(a), valueOf(high)}, {}}));
         a = v.array;
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
       return wrapped(elementwise(a, b, {"*", [](double x, double y) { return x * y; }}, std::max(a.kind, b.kind)));
     }},
    {"astype",
     [](const ReferenceCall& c) -> Made {
       TESSERA_TRY(Array a, c.array(0, "a"));
       const Value* const type = c.find(1, "dtype");
       if (type == nullptr || type->kind != Value::Kind::Name) return Diag{"astype takes a type", "np.float16"};
       return wrapped(cast(std::move(a), typeName(*type)));
     }},
};

}  // namespace

std::span<const MakeRow> makeRows() { return kMakes; }

}  // namespace tessera::kernel::reference
