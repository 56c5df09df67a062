#include "solver/kernel/reference/array.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/base/arith.h"
#include "core/base/work.h"
#include "solver/kernel/reference/formulas.h"
#include "solver/kernel/reference/symbols.h"

namespace tessera::kernel::reference {

namespace {

void charge(i64 elements) { spend(1 + elements / 32); }

std::vector<i64> stridesOf(const std::vector<i64>& shape) {
  std::vector<i64> out(shape.size(), 1);
  for (std::size_t k = shape.size(); k-- > 1;) out[k - 1] = out[k] * shape[k];
  return out;
}

// The elements of `shape` in C order, each at the sum of its coordinates times `strides` from `offset`.
std::vector<double> gathered(const std::vector<double>& from, i64 offset, const std::vector<i64>& shape,
                             const std::vector<i64>& strides) {
  const i64 count = countOf(shape).value_or(0);
  charge(count);
  std::vector<double> out(static_cast<std::size_t>(count));
  std::vector<i64> at(shape.size(), 0);
  for (double& x : out) {
    x = from[static_cast<std::size_t>(offset)];
    for (std::size_t k = shape.size(); k-- > 0;) {
      offset += strides[k];
      if (++at[k] < shape[k]) break;
      offset -= strides[k] * shape[k];
      at[k] = 0;
    }
  }
  return out;
}

Diag tooLarge() { return Diag{fmt::format("an array of the reference has more than {} elements", kMostElements)}; }

Formulas* formulasOf(std::initializer_list<const Array*> arrays) {
  if (kIsPage) return nullptr;
  return std::any_of(arrays.begin(), arrays.end(), [](const Array* a) { return Formulas::is(*a); })
             ? Formulas::current()
             : nullptr;
}
std::vector<Expr> extentsOf(const std::vector<i64>& shape) {
  std::vector<Expr> out;
  for (const i64 extent : shape) out.push_back(Expr::constant(extent));
  return out;
}

bool isSymbol(double x) { return Symbols::current() != nullptr && Symbols::is(x); }

Diag noTerms(std::string_view name) {
  return Diag{name.empty() ? "this operation has no terms for values that are symbols"
                           : fmt::format("{} has no terms for values that are symbols", name),
              "+ - * / @ exp log sqrt tanh max min sum mean var softmax where"};
}

// Python's rule for the bounds of a slice over `extent` elements.
i64 clamped(std::optional<i64> bound, i64 missing, i64 extent, i64 step) {
  if (!bound) return missing;
  const i64 low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
  const i64 at = *bound < 0 ? std::max(*bound, -extent - 1) + extent : *bound;
  return std::clamp(at, low, high);
}

}  // namespace

Array scalarOf(double value, Array::Kind kind) { return {{}, {value}, kind}; }

std::optional<i64> countOf(const std::vector<i64>& shape) {
  std::optional<i64> out = 1;
  bool zero = false;
  for (const i64 extent : shape) {
    if (extent < 0) return std::nullopt;
    zero = zero || extent == 0;
    if (out && extent > 0) out = checkedMul(*out, extent);
  }
  if (!out || *out > kMostElements) return std::nullopt;
  return zero ? 0 : *out;
}

std::string shapeText(const std::vector<i64>& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

Result<std::size_t> axisOf(i64 axis, std::size_t rank) {
  const i64 r = static_cast<i64>(rank), at = axis < 0 ? axis + r : axis;
  if (at < 0 || at >= r) return Diag{fmt::format("there is no axis {} in an array of rank {}", axis, rank)};
  return static_cast<std::size_t>(at);
}

Result<std::vector<i64>> broadcastShape(const std::vector<i64>& a, const std::vector<i64>& b) {
  std::vector<i64> out(std::max(a.size(), b.size()), 1);
  for (std::size_t k = 0; k < out.size(); ++k) {
    const i64 x = k < a.size() ? a[a.size() - 1 - k] : 1, y = k < b.size() ? b[b.size() - 1 - k] : 1;
    if (x != y && x != 1 && y != 1)
      return Diag{fmt::format("the shapes {} and {} do not fit each other", shapeText(a), shapeText(b))};
    out[out.size() - 1 - k] = x == 1 ? y : x;
  }
  if (!countOf(out)) return tooLarge();
  return out;
}

bool hasSymbols(const Array& a) {
  return Symbols::current() != nullptr && std::any_of(a.data.begin(), a.data.end(), Symbols::is);
}

Result<Array> broadcast(const Array& a, const std::vector<i64>& shape) {
  if (Formulas* const formulas = formulasOf({&a})) return formulas->broadcast(a, extentsOf(shape));
  if (a.shape == shape) return a;
  TESSERA_TRY(const std::vector<i64> all, broadcastShape(a.shape, shape));
  if (all != shape) return Diag{fmt::format("the shape {} does not fit {}", shapeText(a.shape), shapeText(shape))};
  const std::vector<i64> own = stridesOf(a.shape);
  std::vector<i64> strides(shape.size(), 0);
  for (std::size_t k = 0; k < a.shape.size(); ++k)
    if (a.shape[k] != 1) strides[shape.size() - a.shape.size() + k] = own[k];
  return Array{shape, gathered(a.data, 0, shape, strides), a.kind};
}

Result<Array> elementwise(const Array& a, const Array& b, Binary f, Array::Kind kind) {
  if (Formulas* const formulas = formulasOf({&a, &b})) return formulas->elementwise(a, b, f.name, kind);
  TESSERA_TRY(const std::vector<i64> shape, broadcastShape(a.shape, b.shape));
  TESSERA_TRY(Array x, broadcast(a, shape));
  TESSERA_TRY(const Array y, broadcast(b, shape));
  charge(x.count());
  for (std::size_t k = 0; k < x.data.size(); ++k) {
    double& one = x.data[k];
    if (!isSymbol(one) && !isSymbol(y.data[k])) {
      one = f.f(one, y.data[k]);
      continue;
    }
    const auto made = Symbols::current()->binary(f.name, one, y.data[k]);
    if (!made) return noTerms(f.name);
    one = *made;
  }
  x.kind = kind;
  return x;
}

Result<Array> elementwise(Array a, Unary f, Array::Kind kind) {
  if (Formulas* const formulas = formulasOf({&a})) return formulas->elementwise(a, f.name, kind);
  charge(a.count());
  for (double& x : a.data) {
    if (!isSymbol(x)) {
      x = f.f(x);
      continue;
    }
    const auto made = Symbols::current()->unary(f.name, x);
    if (!made) return noTerms(f.name);
    x = *made;
  }
  a.kind = kind;
  return a;
}

Result<Array> product(const Array& a, const Array& b) {
  if (Formulas* const formulas = formulasOf({&a, &b})) return formulas->product(a, b);
  if (a.rank() == 0 || b.rank() == 0) return Diag{"@ takes arrays, not scalars", "*"};
  // A vector is a row on the left and a column on the right; its axis is removed again.
  Array x = a, y = b;
  if (a.rank() == 1) x.shape.insert(x.shape.begin(), 1);
  if (b.rank() == 1) y.shape.push_back(1);
  const i64 rows = x.shape[x.rank() - 2], inner = x.shape.back(), columns = y.shape.back();
  if (inner != y.shape[y.rank() - 2])
    return Diag{fmt::format("the shapes {} and {} do not fit for @", shapeText(a.shape), shapeText(b.shape))};
  const std::vector<i64> leftBatch(x.shape.begin(), x.shape.end() - 2), rightBatch(y.shape.begin(), y.shape.end() - 2);
  TESSERA_TRY(const std::vector<i64> batch, broadcastShape(leftBatch, rightBatch));
  const auto whole = [&](const Array& of, i64 m, i64 n) {
    std::vector<i64> shape = batch;
    shape.push_back(m);
    shape.push_back(n);
    return broadcast(of, shape);
  };
  TESSERA_TRY(x, whole(x, rows, inner));
  TESSERA_TRY(y, whole(y, inner, columns));
  Array out{batch, {}, std::max(a.kind, b.kind)};
  if (a.rank() > 1) out.shape.push_back(rows);
  if (b.rank() > 1) out.shape.push_back(columns);
  const i64 count = countOf(batch).value_or(0);
  const auto size = countOf({count, rows, columns});
  if (!size) return tooLarge();
  out.data.assign(static_cast<std::size_t>(*size), 0.0);
  const bool symbolic = hasSymbols(x) || hasSymbols(y);
  for (i64 q = 0; q < count; ++q) {
    for (i64 i = 0; i < rows; ++i) {
      charge(inner * columns);
      double* const to = out.data.data() + (q * rows + i) * columns;
      const double* const rowOfX = x.data.data() + (q * rows + i) * inner;
      if (symbolic) {
        for (i64 j = 0; j < columns; ++j)
          to[j] = Symbols::current()->dot(rowOfX, 1, y.data.data() + q * inner * columns + j, columns, inner);
        continue;
      }
      for (i64 k = 0; k < inner; ++k) {
        const double left = rowOfX[k];
        const double* const right = y.data.data() + (q * inner + k) * columns;
        for (i64 j = 0; j < columns; ++j) to[j] += left * right[j];
      }
    }
  }
  return out;
}

Result<Array> transposed(const Array& a, std::vector<i64> axes) {
  if (Formulas* const formulas = formulasOf({&a})) return formulas->transposed(a, axes);
  if (axes.empty())
    for (std::size_t k = a.rank(); k-- > 0;) axes.push_back(static_cast<i64>(k));
  if (axes.size() != a.rank()) return Diag{fmt::format("{} axes for an array of rank {}", axes.size(), a.rank())};
  const std::vector<i64> own = stridesOf(a.shape);
  std::vector<i64> shape, strides;
  std::vector<bool> used(a.rank(), false);
  for (const i64 axis : axes) {
    TESSERA_TRY(const std::size_t at, axisOf(axis, a.rank()));
    if (used[at]) return Diag{fmt::format("the axis {} is given twice", axis)};
    used[at] = true;
    shape.push_back(a.shape[at]);
    strides.push_back(own[at]);
  }
  return Array{shape, gathered(a.data, 0, shape, strides), a.kind};
}

Result<Array> reshaped(Array a, std::vector<i64> shape) {
  if (Formulas* const formulas = formulasOf({&a})) return formulas->reshaped(a, extentsOf(shape));
  i64 known = 1;
  std::size_t open = shape.size();
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (shape[k] == -1 && open == shape.size())
      open = k;
    else if (shape[k] < 0 || (shape[k] > 0 && known > kMostElements / shape[k]))
      return Diag{fmt::format("{} is not a shape", shapeText(shape))};
    else
      known *= shape[k];
  }
  if (open < shape.size()) shape[open] = known > 0 ? a.count() / known : 0;
  if (countOf(shape) != a.count())
    return Diag{fmt::format("{} elements do not have the shape {}", a.count(), shapeText(shape))};
  a.shape = std::move(shape);
  return a;
}

// The reduced axes are moved to the end, where they are one line.
Result<Array> reduced(const Array& a, std::vector<i64> axes, bool keep, const Fold& fold, Array::Kind kind) {
  if (Formulas* const formulas = formulasOf({&a})) return formulas->reduced(a, axes, keep, fold.name);
  std::vector<bool> gone(a.rank(), axes.empty());
  for (const i64 axis : axes) {
    TESSERA_TRY(const std::size_t at, axisOf(axis, a.rank()));
    gone[at] = true;
  }
  std::vector<i64> order, shape;
  for (std::size_t k = 0; k < a.rank(); ++k) {
    if (!gone[k]) order.push_back(static_cast<i64>(k));
    if (!gone[k]) shape.push_back(a.shape[k]);
    if (gone[k] && keep) shape.push_back(1);
  }
  i64 line = 1;
  for (std::size_t k = 0; k < a.rank(); ++k) {
    if (!gone[k]) continue;
    order.push_back(static_cast<i64>(k));
    line *= a.shape[k];
  }
  TESSERA_TRY(const Array moved, a.rank() == 0 ? Result<Array>(a) : transposed(a, order));
  Array out{shape, {}, kind};
  const i64 lines = countOf(shape).value_or(0);
  charge(a.count());
  const bool symbolic = hasSymbols(moved);
  for (i64 k = 0; k < lines; ++k) {
    const double* const first = moved.data.data() + k * line;
    const auto made = symbolic ? Symbols::current()->fold(fold.name, first, line) : fold.f(first, line);
    if (!made) return noTerms(fold.name);
    out.data.push_back(*made);
  }
  return out;
}

Result<Array> along(const Array& a, i64 axis, const std::function<void(std::vector<double>&)>& line) {
  if (Formulas::is(a)) return Diag{"this function along an axis has no equation for all sizes"};
  TESSERA_TRY(const std::size_t at, axisOf(axis, a.rank()));
  const std::vector<i64> strides = stridesOf(a.shape);
  Array out = a;
  const i64 length = a.shape[at], stride = strides[at];
  charge(a.count());
  std::vector<double> one(static_cast<std::size_t>(length));
  for (i64 k = 0; length > 0 && k < a.count(); ++k) {
    if (k / stride % length != 0) continue;  // only where a line begins
    for (i64 n = 0; n < length; ++n)
      one[static_cast<std::size_t>(n)] = a.data[static_cast<std::size_t>(k + n * stride)];
    line(one);
    for (i64 n = 0; n < length; ++n)
      out.data[static_cast<std::size_t>(k + n * stride)] = one[static_cast<std::size_t>(n)];
  }
  return out;
}

Result<Array> joined(const std::vector<Array>& parts, i64 axis) {
  if (parts.empty()) return Diag{"there is nothing to join"};
  TESSERA_TRY(const std::size_t at, axisOf(axis, parts[0].rank()));
  if (!kIsPage && std::any_of(parts.begin(), parts.end(), [](const Array& p) { return Formulas::is(p); }))
    return Formulas::current()->joined(parts, at);
  Array out{parts[0].shape, {}, parts[0].kind};
  out.shape[at] = 0;
  for (const Array& p : parts) {
    bool fits = p.rank() == out.rank();
    for (std::size_t k = 0; fits && k < p.rank(); ++k) fits = k == at || p.shape[k] == out.shape[k];
    if (!fits) return Diag{fmt::format("{} and {} cannot be joined", shapeText(parts[0].shape), shapeText(p.shape))};
    out.shape[at] += p.shape[at];
    out.kind = std::max(out.kind, p.kind);
  }
  const auto count = countOf(out.shape);
  if (!count) return tooLarge();
  charge(*count);
  i64 outer = 1, inner = 1;
  for (std::size_t k = 0; k < at; ++k) outer *= out.shape[k];
  for (std::size_t k = at + 1; k < out.rank(); ++k) inner *= out.shape[k];
  for (i64 o = 0; o < outer; ++o) {
    for (const Array& p : parts) {
      const auto first = p.data.begin() + o * p.shape[at] * inner;
      out.data.insert(out.data.end(), first, first + p.shape[at] * inner);
    }
  }
  return out;
}

namespace {

// The elements of the first axis that a mask or a list of integers names.
Result<Array> gather(const Array& a, const Array& which) {
  if (a.rank() == 0) return Diag{"a scalar has no elements to select"};
  std::vector<i64> rows;
  if (which.kind == Array::Kind::Bool) {
    if (which.rank() != 1 || which.shape[0] != a.shape[0])
      return Diag{fmt::format("a mask of shape {} does not fit {}", shapeText(which.shape), shapeText(a.shape))};
    for (i64 k = 0; k < which.count(); ++k)
      if (which.data[static_cast<std::size_t>(k)] != 0) rows.push_back(k);
  } else {
    for (const double x : which.data) {
      if (!(std::abs(x) < 1e15)) return Diag{"an index is not an integer"};
      const i64 row = static_cast<i64>(x) + (x < 0 ? a.shape[0] : 0);
      if (row < 0 || row >= a.shape[0])
        return Diag{fmt::format("the index {} is outside the extent {}", x, a.shape[0])};
      rows.push_back(row);
    }
  }
  const i64 inner = a.shape[0] == 0 ? 0 : a.count() / a.shape[0];
  Array out{
      which.kind == Array::Kind::Bool ? std::vector<i64>{static_cast<i64>(rows.size())} : which.shape, {}, a.kind};
  out.shape.insert(out.shape.end(), a.shape.begin() + 1, a.shape.end());
  if (!countOf(out.shape)) return tooLarge();
  charge(static_cast<i64>(rows.size()) * inner);
  for (const i64 row : rows)
    out.data.insert(out.data.end(), a.data.begin() + row * inner, a.data.begin() + (row + 1) * inner);
  return out;
}

}  // namespace

Result<Array> subscripted(const Array& a, const std::vector<Subscript>& items) {
  using Kind = Subscript::Kind;
  Formulas* formulas = formulasOf({&a});
  for (const Subscript& s : items)
    if (formulas == nullptr) formulas = formulasOf({&s.gather, &s.startSize, &s.stopSize});
  if (formulas != nullptr) return formulas->subscripted(a, items);
  if (items.size() == 1 && items[0].kind == Kind::Gather) return gather(a, items[0].gather);
  std::size_t used = 0;
  for (const Subscript& s : items) {
    if (s.kind == Kind::Gather) return Diag{"an array selects elements only as the single item of a subscript"};
    used += s.kind == Kind::Index || s.kind == Kind::Slice ? 1 : 0;
  }
  if (used > a.rank()) return Diag{fmt::format("{} subscripts for an array of rank {}", used, a.rank())};
  const std::vector<i64> own = stridesOf(a.shape);
  std::vector<i64> shape, strides;
  i64 offset = 0;
  std::size_t axis = 0;
  const auto keep = [&](std::size_t count) {
    for (; count > 0; --count, ++axis) {
      shape.push_back(a.shape[axis]);
      strides.push_back(own[axis]);
    }
  };
  bool ellipsis = false;
  for (const Subscript& s : items) {
    if (s.kind == Kind::NewAxis) {
      shape.push_back(1);
      strides.push_back(0);
    } else if (s.kind == Kind::Ellipsis) {
      if (ellipsis) return Diag{"a subscript has one `...`"};
      ellipsis = true;
      keep(a.rank() - used);
    } else if (s.kind == Kind::Index) {
      const i64 extent = a.shape[axis], at = s.index < 0 ? s.index + extent : s.index;
      if (at < 0 || at >= extent) return Diag{fmt::format("the index {} is outside the extent {}", s.index, extent)};
      offset += at * own[axis++];
    } else {
      if (s.step == 0) return Diag{"the step of a slice is 0"};
      const i64 extent = a.shape[axis], start = clamped(s.start, s.step > 0 ? 0 : extent - 1, extent, s.step),
                stop = clamped(s.stop, s.step > 0 ? extent : -1, extent, s.step);
      const i64 count = s.step > 0 ? (stop - start + s.step - 1) / s.step : (start - stop - s.step - 1) / -s.step;
      shape.push_back(std::max<i64>(count, 0));
      strides.push_back(own[axis] * s.step);
      if (count > 0) offset += start * own[axis];
      ++axis;
    }
  }
  keep(a.rank() - axis);
  return Array{shape, gathered(a.data, offset, shape, strides), a.kind};
}

}  // namespace tessera::kernel::reference
