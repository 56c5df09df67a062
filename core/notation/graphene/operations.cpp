#include "core/notation/graphene/operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/arith.h"
#include "core/base/chars.h"
#include "core/notation/cute/notation.h"

namespace tessera::graphene {
namespace {

// One run of a dimension's elements: its size, and its step in the dimension's linear index.
struct Run {
  Expr size;
  i64 step = 1;
};

Diag notStrided(std::string_view what) {
  return {fmt::format("{} is not a strided part of this hierarchical dimension", what),
          "sizes that divide its modes, from the left",
          "",
          {}};
}

Mode through(const Mode& mode, const Expr& size, i64 step) {
  return {size, mode.stride * step, mode.dim, mode.step * step};
}

std::string textOf(const Run& run) {
  const std::string size = run.size.isConstant() ? std::to_string(run.size.value()) : "...";
  return fmt::format("[{}:{}]", size, run.step);
}

// L o (size:step) for the modes of one level's linear index, fastest first.
Result<Dim> composed(const std::vector<Mode>& modes, const Run& run) {
  if (modes.size() == 1) return Dim{through(modes[0], run.size, run.step)};
  if (!run.size.isConstant()) return notStrided("a symbolic size");
  i64 size = run.size.value(), step = run.step;
  Dim out;
  for (std::size_t k = 0; k < modes.size() && size > 1; ++k) {
    const Mode& mode = modes[k];
    if (k + 1 == modes.size()) {
      out.push_back(through(mode, Expr::constant(size), step));
      size = 1;
      break;
    }
    if (!mode.size.isConstant()) return notStrided(textOf(run));
    const i64 n = mode.size.value();
    if (step % n == 0) {
      step /= n;
      continue;
    }
    if (n % step != 0) return notStrided(textOf(run));
    const i64 here = std::min(size, n / step);
    if (size % here != 0) return notStrided(textOf(run));
    if (here > 1) out.push_back(through(mode, Expr::constant(here), step));
    size /= here;
    step = 1;
  }
  if (out.empty()) out.push_back({.dim = modes[0].dim});
  return out;
}

Result<Dim> composed(const std::vector<Mode>& modes, const std::vector<Run>& runs) {
  Dim out;
  for (const Run& run : runs) {
    TESSERA_TRY(Dim part, composed(modes, run));
    for (Mode& mode : part)
      if (!mode.size.isConstant(1)) out.push_back(std::move(mode));
  }
  if (out.empty()) out.push_back({.dim = modes[0].dim});
  return out;
}

// The arrangement of the tiles: the gaps between their modes, then ceil(extent / span) tiles.
Result<std::vector<Run>> outerRuns(std::vector<TileMode> tile, const Expr& extent, bool hierarchical) {
  std::erase_if(tile, [](const TileMode& m) { return m.size == 1; });
  std::ranges::stable_sort(tile, [](const TileMode& a, const TileMode& b) { return a.stride < b.stride; });
  std::vector<Run> out;
  i64 current = 1;
  for (const TileMode& m : tile) {
    if (m.stride < current) {
      return Diag{
          fmt::format("the tile tensor is not injective: a mode of stride {} inside a span of {}", m.stride, current),
          "modes that do not overlap"};
    }
    if (m.stride % current != 0) {
      return Diag{fmt::format("stride {} of the tile is not a multiple of {}, the span of the modes below it", m.stride,
                              current),
                  "strides that divide"};
    }
    if (m.stride > current) out.push_back({Expr::constant(m.stride / current), current});
    current = m.stride;
    if (!mulInto(current, m.size)) return Diag{"the span of the tile does not fit in 64 bits", "smaller sizes"};
  }
  if (!extent.isConstant()) {
    if (hierarchical) return notStrided("a tile of a symbolic size");
    out.push_back({current == 1 ? extent : floorDiv(extent + (current - 1), current), current});
    return out;
  }
  const i64 n = extent.value();
  if (hierarchical && n % current != 0) {
    return Diag{
        fmt::format("a hierarchical dimension of {} in tiles that span {}, but its partial tiles are not defined", n,
                    current),
        "a tile that divides it"};
  }
  out.push_back({Expr::constant(ceilDiv(n, current)), current});
  return out;
}

// A level's modes in row-major order of its linear index: last dimension fastest, leftmost mode fastest within it.
std::vector<Mode> linearModes(const Level& level) {
  std::vector<Mode> out;
  for (std::size_t d = level.dims.size(); d-- > 0;) out.insert(out.end(), level.dims[d].begin(), level.dims[d].end());
  return out;
}

// x -> one digit per mode, the last one unreduced.
Coordinate digitsOf(const Dim& dim, const Coordinate& given) {
  if (given.size() == dim.size()) return given;
  Coordinate out;
  Expr rest = given.front();
  for (std::size_t k = 0; k < dim.size(); ++k) {
    if (k + 1 == dim.size()) {
      out.push_back(rest);
    } else if (rest.isConstant() && dim[k].size.isConstant()) {
      out.push_back(Expr::constant(rest.value() % dim[k].size.value()));
      rest = Expr::constant(rest.value() / dim[k].size.value());
    } else {
      out.push_back(mod(rest, dim[k].size));
      rest = floorDiv(rest, dim[k].size);
    }
  }
  return out;
}

std::optional<Diag> rangeFault(const Dim& dim, const Coordinate& given, std::size_t d) {
  const auto beyond = [&](const Expr& x, const Expr& size) {
    return x.isConstant() && (x.value() < 0 || (size.isConstant() && x.value() >= size.value()));
  };
  for (std::size_t k = 0; k < given.size(); ++k) {
    const Expr size = given.size() == 1 ? sizeOf(dim) : dim[k].size;
    if (!beyond(given[k], size)) continue;
    const std::string most = size.isConstant() ? std::to_string(size.value() - 1) : "...";
    return Diag{fmt::format("index out of range: {} in dimension {}", given[k].value(), d),
                fmt::format("0 to {}", most)};
  }
  return std::nullopt;
}

// Whether the new dimensions visit every place of a level exactly once.
bool isPermutation(const std::vector<NewDim>& dims) {
  std::vector<TileMode> modes;
  for (const NewDim& d : dims) {
    for (std::size_t k = 0; k < d.strides.size(); ++k)
      if (d.sizes[k] > 1) modes.push_back({d.sizes[k], d.strides[k]});
  }
  std::ranges::sort(modes, [](const TileMode& a, const TileMode& b) { return a.stride < b.stride; });
  i64 current = 1;
  return std::ranges::all_of(modes,
                             [&](const TileMode& m) { return m.stride == std::exchange(current, current * m.size); });
}

}  // namespace

Expr sizeOf(const Dim& dim) {
  Expr out = Expr::constant(1);
  for (const Mode& m : dim) out = out * m.size;
  return out;
}

Expr sizeOf(const Level& level) {
  Expr out = Expr::constant(1);
  for (const Dim& d : level.dims) out = out * sizeOf(d);
  return out;
}

std::vector<Mode> modesOf(const Tensor& tensor) {
  std::vector<Mode> out;
  for (const Level& level : tensor.levels)
    for (const Dim& dim : level.dims) out.insert(out.end(), dim.begin(), dim.end());
  return out;
}

Result<Tensor> tile(const Tensor& tensor, const std::vector<TileSize>& sizes) {
  if (tensor.levels.empty()) return Diag{"a scalar has no dimension to tile", "a tensor with a shape"};
  const std::vector<Dim>& dims = tensor.levels.front().dims;
  if (sizes.size() != dims.size()) {
    return Diag{fmt::format("{} tile sizes for {} dimensions", sizes.size(), dims.size()),
                "one tile size per dimension; _ for a whole one"};
  }
  Level outer, inner;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (!sizes[d]) {
      outer.dims.push_back({{.dim = dims[d].front().dim}});
      inner.dims.push_back(dims[d]);
      continue;
    }
    std::vector<Run> within;
    for (const TileMode& m : *sizes[d]) {
      if (m.size < 1 || m.stride < 1)
        return Diag{fmt::format("a tile of {} places {} apart", m.size, m.stride), "at least 1, and 1 apart"};
      within.push_back({Expr::constant(m.size), m.stride});
    }
    TESSERA_TRY(const std::vector<Run> around, outerRuns(*sizes[d], sizeOf(dims[d]), dims[d].size() > 1));
    TESSERA_TRY(Dim arrangement, composed(dims[d], around));
    TESSERA_TRY(Dim places, composed(dims[d], within));
    outer.dims.push_back(std::move(arrangement));
    inner.dims.push_back(std::move(places));
  }
  Tensor out = tensor;
  out.levels.front() = std::move(inner);
  out.levels.insert(out.levels.begin(), std::move(outer));
  return out;
}

Result<Tensor> reshape(const Tensor& tensor, std::size_t depth, const std::vector<NewDim>& dims) {
  if (depth >= tensor.levels.size()) {
    return Diag{fmt::format("there is no level {}", depth),
                tensor.levels.empty() ? "a tensor with a shape" : fmt::format("0 to {}", tensor.levels.size() - 1)};
  }
  const Level& old = tensor.levels[depth];
  i64 size = 1;
  for (const NewDim& d : dims) {
    for (const i64 n : d.sizes) {
      if (n < 1 || !mulInto(size, n)) return Diag{"a size is below 1 or too large", "positive sizes"};
    }
  }
  if (const Expr had = sizeOf(old); !had.isConstant(size)) {
    return Diag{
        fmt::format("reshape must preserve the size ({}); the new shape has {}", print(had, tensor.symbols), size),
        "a shape of the same size"};
  }
  const bool strided = std::ranges::any_of(dims, [](const NewDim& d) { return !d.strides.empty(); });
  if (strided && !isPermutation(dims)) {
    return Diag{"these strides do not visit every element exactly once", "strides in the row-major index of the level",
                "without strides: row-major"};
  }
  const std::vector<Mode> modes = linearModes(old);
  Level made;
  i64 running = size;
  for (const NewDim& d : dims) {
    std::vector<Run> runs;
    i64 whole = 1;
    for (const i64 n : d.sizes) whole *= n;
    running /= whole;
    i64 inside = running;
    for (std::size_t k = 0; k < d.sizes.size(); ++k) {
      const i64 stride = d.strides.empty() ? inside : d.strides[k];
      runs.push_back({Expr::constant(d.sizes[k]), std::max<i64>(stride, 1)});
      inside *= d.sizes[k];
    }
    TESSERA_TRY(Dim dim, composed(modes, runs));
    made.dims.push_back(std::move(dim));
  }
  Tensor out = tensor;
  out.levels[depth] = std::move(made);
  return out;
}

Result<Tensor> index(const Tensor& tensor, const std::vector<Coordinate>& coordinates) {
  if (tensor.levels.empty()) return Diag{"cannot index a scalar", "a tensor with a shape"};
  const std::vector<Dim>& dims = tensor.levels.front().dims;
  if (coordinates.size() != dims.size()) {
    return Diag{fmt::format("rank mismatch in indexing: {} for {}", counted(coordinates.size(), "coordinate"),
                            counted(dims.size(), "dimension")),
                "one coordinate per dimension of the outermost shape"};
  }
  Tensor out = tensor;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const Coordinate& given = coordinates[d];
    if (given.size() != 1 && given.size() != dims[d].size()) {
      return Diag{fmt::format("{} for the {} of dimension {}", counted(given.size(), "number"),
                              counted(dims[d].size(), "mode"), d),
                  "one number, or one for each mode"};
    }
    if (auto fault = rangeFault(dims[d], given, d)) return *std::move(fault);
    const Coordinate digits = digitsOf(dims[d], given);
    for (std::size_t k = 0; k < digits.size(); ++k) {
      const Mode& mode = dims[d][k];
      out.offset = out.offset + digits[k] * mode.stride;
      Expr& along = out.origin[static_cast<std::size_t>(mode.dim)];
      along = along + digits[k] * mode.step;
    }
  }
  out.levels.erase(out.levels.begin());
  return out;
}

Result<Expr> addressOf(const Tensor& tensor, const std::vector<std::vector<Coordinate>>& coordinates) {
  if (coordinates.size() != tensor.levels.size()) {
    return Diag{
        fmt::format("{} for {}", counted(coordinates.size(), "coordinate"), counted(tensor.levels.size(), "level")),
        "one list of coordinates for each level"};
  }
  Tensor element = tensor;
  for (const std::vector<Coordinate>& level : coordinates) {
    TESSERA_TRY(element, index(element, level));
  }
  return cute::swizzled(tensor.swizzle, element.offset);
}

Tensor scalar(const Tensor& tensor) {
  Tensor out = tensor;
  out.levels.clear();
  return out;
}

bool isCompact(std::vector<Mode> modes) {
  Expr running = Expr::constant(1);
  while (!modes.empty()) {
    const auto next = std::ranges::find(modes, running, &Mode::stride);
    if (next == modes.end()) return false;
    running = running * next->size;
    modes.erase(next);
  }
  return true;
}

namespace {

std::vector<std::vector<Coordinate>> digits(const Tensor& tensor, const Expr& t) {
  std::vector<std::vector<Coordinate>> out;
  for (const Level& level : tensor.levels) {
    auto& dims = out.emplace_back();
    for (const Dim& dim : level.dims) {
      Coordinate& coordinate = dims.emplace_back();
      for (const Mode& m : dim) {
        const bool one = m.size.isConstant(1);
        coordinate.push_back(one ? Expr::constant(0) : mod(floorDiv(t, m.stride), m.size));
      }
    }
  }
  return out;
}

}  // namespace

Result<std::vector<std::vector<Coordinate>>> indices(const Tensor& tensor, const Expr& t) {
  std::vector<Mode> sorted = modesOf(tensor);
  std::erase_if(sorted, [](const Mode& m) { return m.size.isConstant(1); });
  const auto constant = [](const Mode& m) { return m.size.isConstant() && m.stride.isConstant(); };
  if (!tensor.threads) return Diag{"indices() of data", "a thread or block tensor, #NAME"};
  if (!std::ranges::all_of(sorted, constant)) {
    if (!isCompact(sorted))
      return Diag{"the number of threads is unknown",
                  "known sizes, or strides that are the products of the sizes below"};
    return digits(tensor, t);
  }
  std::ranges::sort(sorted, [](const Mode& a, const Mode& b) { return a.stride.value() < b.stride.value(); });
  i64 span = 1;
  for (const Mode& m : sorted) {
    const i64 stride = m.stride.value();
    if (stride < 1 || stride % span != 0) {
      return Diag{
          fmt::format("stride {} is not a multiple of {}, the span of the mode below it: a thread has no unique index",
                      stride, span),
          "modes that are the digits of a mixed radix"};
    }
    span = stride;
    if (!mulInto(span, m.size.value())) return Diag{"there are too many threads", "fewer than 2^63"};
  }
  return digits(tensor, t);
}

Result<void> requireKnown(const Tensor& tensor) {
  if (!tensor.symbols.empty()) {
    return Diag{fmt::format("{} is not known, so this tensor has no table", tensor.symbols.front()),
                "sizes and coordinates that are numbers"};
  }
  bool known = tensor.offset.isConstant();
  for (const Expr& e : tensor.origin) known = known && e.isConstant();
  for (const Mode& m : modesOf(tensor))
    known = known && m.size.isConstant() && m.stride.isConstant() && m.step.isConstant();
  if (known) return {};
  return Diag{"an address or a coordinate of this tensor does not fit in 64 bits", "smaller strides"};
}

std::vector<Predicate> predicates(const Tensor& tensor) {
  std::vector<Expr> coordinate = tensor.origin, most = tensor.origin;
  int digit = 0;
  for (const Mode& m : modesOf(tensor)) {
    const auto d = static_cast<std::size_t>(m.dim);
    coordinate[d] = coordinate[d] + Expr::digit(digit++) * m.step;
    most[d] = most[d] + (m.size - 1) * m.step;
  }
  std::vector<Predicate> out;
  for (std::size_t d = 0; d < coordinate.size(); ++d) {
    const Expr& extent = tensor.extents[d];
    const bool inside =
        most[d].isConstant() && extent.isConstant() ? most[d].value() < extent.value() : most[d] == extent - 1;
    if (!inside) out.push_back({static_cast<int>(d), coordinate[d], extent});
  }
  return out;
}

}  // namespace tessera::graphene
