#include "core/paste/python/strided.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/base/arith.h"

namespace tessera::paste::python {
namespace {

std::string listText(const std::vector<i64>& values) {
  return fmt::format("({}{})", fmt::join(values, ", "), values.size() == 1 ? "," : "");
}

// Strides that grow from the last dimension of `order` to the first.
Result<Strided> compact(const std::vector<i64>& shape, const std::vector<std::size_t>& order) {
  Strided out{shape, std::vector<i64>(shape.size(), 1), 0};
  i64 next = 1;
  for (std::size_t k = order.size(); k-- > 0;) {
    const i64 extent = shape[order[k]];
    if (extent < 0) return Diag{fmt::format("an extent of {}", extent), "an extent of at least 0"};
    out.stride[order[k]] = next;
    if (!mulInto(next, std::max<i64>(extent, 1))) return Diag{"more than 2^63 elements", "a smaller shape"};
  }
  return out;
}

std::vector<std::size_t> inOrder(std::size_t rank) {
  std::vector<std::size_t> out(rank);
  std::iota(out.begin(), out.end(), std::size_t{0});
  return out;
}

std::optional<i64> product(const std::vector<i64>& values) {
  i64 out = 1;
  for (const i64 v : values)
    if (!mulInto(out, v)) return std::nullopt;
  return out;
}

// The shape with its -1 computed for so many elements.
Result<std::vector<i64>> completed(std::vector<i64> shape, i64 elements) {
  const auto open = std::ranges::find(shape, -1);
  if (open != shape.end()) {
    *open = 1;
    const auto others = product(shape);
    if (!others || *others <= 0 || elements % *others != 0)
      return Diag{fmt::format("{} elements do not fill the shape {}", elements, listText(shape)), "another shape"};
    *open = elements / *others;
  }
  const auto all = product(shape);
  if (!all || *all != elements || std::ranges::any_of(shape, [](i64 e) { return e < 0; }))
    return Diag{fmt::format("the shape {} does not have {} elements", listText(shape), elements), "another shape"};
  return shape;
}

}  // namespace

Result<std::size_t> dimension(i64 d, std::size_t rank) {
  const i64 at = d < 0 ? d + static_cast<i64>(rank) : d;
  if (at < 0 || at >= static_cast<i64>(rank))
    return Diag{fmt::format("there is no dimension {} of {}", d, rank), fmt::format("a dimension below {}", rank)};
  return static_cast<std::size_t>(at);
}

Result<Strided> contiguous(const std::vector<i64>& shape) { return compact(shape, inOrder(shape.size())); }

Result<Strided> columnMajor(const std::vector<i64>& shape) {
  std::vector<std::size_t> order = inOrder(shape.size());
  std::ranges::reverse(order);
  return compact(shape, order);
}

Result<Strided> channelsLast(const std::vector<i64>& shape) {
  if (shape.size() != 4 && shape.size() != 5)
    return Diag{fmt::format("channels_last of {} dimensions", shape.size()), "4 or 5 dimensions"};
  std::vector<std::size_t> order = inOrder(shape.size());
  std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  return compact(shape, order);
}

Result<Strided> permuted(const Strided& a, const std::vector<i64>& dims) {
  if (dims.size() != a.rank())
    return Diag{fmt::format("a permutation of {} dimensions for {}", dims.size(), a.rank()), "each dimension once"};
  Strided out{{}, {}, a.offset};
  std::vector<bool> seen(a.rank());
  for (const i64 d : dims) {
    TESSERA_TRY(const std::size_t at, dimension(d, a.rank()));
    if (seen[at]) return Diag{fmt::format("dimension {} occurs twice", d), "each dimension once"};
    seen[at] = true;
    out.shape.push_back(a.shape[at]);
    out.stride.push_back(a.stride[at]);
  }
  return out;
}

Result<Strided> swapped(const Strided& a, i64 first, i64 second) {
  TESSERA_TRY(const std::size_t i, dimension(first, a.rank()));
  TESSERA_TRY(const std::size_t j, dimension(second, a.rank()));
  Strided out = a;
  std::swap(out.shape[i], out.shape[j]);
  std::swap(out.stride[i], out.stride[j]);
  return out;
}

Result<Strided> moved(const Strided& a, i64 from, i64 to) {
  TESSERA_TRY(const std::size_t i, dimension(from, a.rank()));
  TESSERA_TRY(const std::size_t j, dimension(to, a.rank()));
  Strided out = a;
  const auto move = [&](std::vector<i64>& list) {
    const i64 value = list[i];
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(j), value);
  };
  move(out.shape);
  move(out.stride);
  return out;
}

// As torch computes it: each run of dimensions that is one progression is divided among the new extents.
Result<std::optional<Strided>> viewed(const Strided& a, const std::vector<i64>& asked) {
  const auto elements = product(a.shape);
  if (!elements) return Diag{"more than 2^63 elements", "a smaller shape"};
  TESSERA_TRY(const std::vector<i64> shape, completed(asked, *elements));
  if (*elements == 0 || a.rank() == 0) {
    TESSERA_TRY(Strided out, contiguous(shape));
    out.offset = a.offset;
    return std::optional(std::move(out));
  }
  Strided out{shape, std::vector<i64>(shape.size(), 1), a.offset};
  std::size_t left = shape.size();
  i64 base = a.stride.back(), run = 1, view = 1;
  for (std::size_t d = a.rank(); d-- > 0;) {
    run *= a.shape[d];
    const bool ends = d == 0 || (a.shape[d - 1] != 1 && a.stride[d - 1] != checkedMul(run, base).value_or(INT64_MIN));
    if (!ends) continue;
    while (left > 0 && (view < run || shape[left - 1] == 1)) {
      --left;
      out.stride[left] = checkedMul(view, base).value_or(0);
      view *= shape[left];
    }
    if (view != run) return std::optional<Strided>();
    if (d > 0) base = a.stride[d - 1];
    run = view = 1;
  }
  return left == 0 ? std::optional(std::move(out)) : std::nullopt;
}

Result<Strided> expanded(const Strided& a, const std::vector<i64>& sizes) {
  if (sizes.size() < a.rank())
    return Diag{fmt::format("{} sizes for {} dimensions", sizes.size(), a.rank()), "a size for each dimension"};
  const std::size_t more = sizes.size() - a.rank();
  Strided out{sizes, std::vector<i64>(sizes.size(), 0), a.offset};
  for (std::size_t k = more; k < sizes.size(); ++k) {
    const i64 extent = a.shape[k - more];
    if (sizes[k] == -1) out.shape[k] = extent;
    if (out.shape[k] != extent && extent != 1)
      return Diag{fmt::format("an extent of {} does not expand to {}", extent, sizes[k]), "extents of 1 expand"};
    if (out.shape[k] == extent) out.stride[k] = a.stride[k - more];
  }
  return out;
}

Result<Strided> unsqueezed(const Strided& a, i64 d) {
  TESSERA_TRY(const std::size_t at, dimension(d, a.rank() + 1));
  Strided out = a;
  const i64 stride = at < a.rank() ? checkedMul(a.shape[at], a.stride[at]).value_or(1) : 1;
  out.shape.insert(out.shape.begin() + static_cast<std::ptrdiff_t>(at), 1);
  out.stride.insert(out.stride.begin() + static_cast<std::ptrdiff_t>(at), stride);
  return out;
}

Strided squeezed(const Strided& a, std::optional<std::size_t> d) {
  Strided out{{}, {}, a.offset};
  for (std::size_t k = 0; k < a.rank(); ++k) {
    if (a.shape[k] == 1 && (!d || *d == k)) continue;
    out.shape.push_back(a.shape[k]);
    out.stride.push_back(a.stride[k]);
  }
  return out;
}

Result<Strided> sliced(const Strided& a, std::size_t d, std::optional<i64> begin, std::optional<i64> end, i64 step) {
  if (step == 0 || step == INT64_MIN) return Diag{"a slice with step 0", "another step"};
  const i64 extent = a.shape[d];
  const auto clamped = [&](i64 at, i64 low, i64 high) { return std::clamp(at < 0 ? at + extent : at, low, high); };
  const bool down = step < 0;
  const i64 low = down ? -1 : 0, high = down ? extent - 1 : extent;
  const i64 from = begin ? clamped(*begin, low, high) : (down ? extent - 1 : 0);
  const i64 to = end ? clamped(*end, low, high) : (down ? -1 : extent);
  Strided out = a;
  out.shape[d] = std::max<i64>(0, down ? ceilDiv(from - to, -step) : ceilDiv(to - from, step));
  const auto stride = checkedMul(a.stride[d], step);
  const auto start = checkedMul(a.stride[d], from);
  if (!stride || !start || !addInto(out.offset, *start)) return Diag{"strides beyond 64 bits", "a smaller array"};
  out.stride[d] = *stride;
  return out;
}

Result<Strided> selected(const Strided& a, i64 d, i64 index) {
  TESSERA_TRY(const std::size_t at, dimension(d, a.rank()));
  TESSERA_TRY(const std::size_t place, dimension(index, static_cast<std::size_t>(std::max<i64>(a.shape[at], 0))));
  Strided out = a;
  const auto start = checkedMul(a.stride[at], static_cast<i64>(place));
  if (!start || !addInto(out.offset, *start)) return Diag{"strides beyond 64 bits", "a smaller array"};
  out.shape.erase(out.shape.begin() + static_cast<std::ptrdiff_t>(at));
  out.stride.erase(out.stride.begin() + static_cast<std::ptrdiff_t>(at));
  return out;
}

Result<Strided> unfolded(const Strided& a, i64 d, i64 size, i64 step) {
  TESSERA_TRY(const std::size_t at, dimension(d, a.rank()));
  if (size < 1 || size > a.shape[at] || step < 1)
    return Diag{fmt::format("windows of {} at a distance of {} in an extent of {}", size, step, a.shape[at]),
                "windows that fit"};
  Strided out = a;
  out.shape[at] = (a.shape[at] - size) / step + 1;
  const auto stride = checkedMul(a.stride[at], step);
  if (!stride) return Diag{"strides beyond 64 bits", "a smaller array"};
  out.stride[at] = *stride;
  out.shape.push_back(size);
  out.stride.push_back(a.stride[at]);
  return out;
}

Result<std::optional<Strided>> flattened(const Strided& a, i64 first, i64 last) {
  if (a.rank() == 0) return viewed(a, {1});
  TESSERA_TRY(const std::size_t from, dimension(first, a.rank()));
  TESSERA_TRY(const std::size_t to, dimension(last, a.rank()));
  if (from > to) return Diag{"dimensions in the wrong order", "the first dimension before the last"};
  std::vector<i64> shape(a.shape.begin(), a.shape.begin() + static_cast<std::ptrdiff_t>(from));
  i64 merged = 1;
  for (std::size_t k = from; k <= to; ++k)
    if (!mulInto(merged, a.shape[k])) return Diag{"more than 2^63 elements", "a smaller shape"};
  shape.push_back(merged);
  shape.insert(shape.end(), a.shape.begin() + static_cast<std::ptrdiff_t>(to) + 1, a.shape.end());
  return viewed(a, shape);
}

std::string print(const Strided& a) { return fmt::format("{}:{}", listText(a.shape), listText(a.stride)); }

}  // namespace tessera::paste::python
