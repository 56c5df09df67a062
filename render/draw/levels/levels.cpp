#include "render/draw/levels/levels.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/mapped.h"
#include "core/layout/layout.h"
#include "core/notation/graphene/notation.h"
#include "core/notation/graphene/operations.h"
#include "render/figure/linked.h"

namespace tessera {
namespace {

constexpr int kMostModes = 8;
constexpr i64 kWrap = 32;  // a longer run of one dimension becomes rows
constexpr i64 kMostPoints = i64{1} << 16;

// The next `count` leaves as one dimension.
LevelDim nextDim(const std::vector<i64>& extents, int& leaf, std::size_t count) {
  LevelDim dim;
  for (std::size_t k = 0; k < count; ++k, ++leaf) {
    dim.leaves.push_back(leaf);
    dim.extent *= extents[static_cast<std::size_t>(leaf)];
  }
  return dim;
}

// Threads: (coordinates of all levels) -> thread, with the same strides as addresses.
Result<Layout> numbersOf(graphene::Tensor tensor) {
  tensor.threads = false;
  tensor.memory = graphene::Memory::Global;
  TESSERA_TRY(Arrow arrow, NotationOf<graphene::Tensor>::arrow(tensor));
  return Layout(std::move(arrow));
}

Result<Levels> levelsOfTensor(const Layout& layout, const graphene::Tensor& tensor) {
  Levels out;
  TESSERA_CHECKED(graphene::requireKnown(tensor));
  if (tensor.threads) {
    TESSERA_CHECKED(graphene::threadArrow(tensor));
    TESSERA_TRY(Layout numbers, numbersOf(tensor));
    TESSERA_TRY(out.subject, subjectOf(numbers));
    out.unit = tensor.element == "block" ? "block" : "thread";
    out.numbered = true;
  } else {
    TESSERA_TRY(out.subject, subjectOf(layout));
  }
  const std::vector<i64> extents = leafExtents(*out.subject);
  int leaf = 0;
  for (const graphene::Level& level : tensor.levels) {
    TileLevel& made = out.levels.emplace_back();
    for (const graphene::Dim& dim : level.dims) made.dims.push_back(nextDim(extents, leaf, dim.size()));
  }
  std::erase_if(out.levels, [](const TileLevel& l) { return l.dims.empty(); });
  if (out.levels.empty()) return Diag{"a tensor of one element has no levels", "a tensor with a shape"};
  return out;
}

// The dimensions of a mode, from the leaves of its modes.
std::vector<LevelDim> dimsOf(const cute::Layout& mode, const std::vector<i64>& extents, int& leaf) {
  std::vector<LevelDim> dims;
  for (const cute::Layout& part : mode.modes()) dims.push_back(nextDim(extents, leaf, flatLeaves(part).size()));
  return dims;
}

// ((4,8),(2,2)), ((4,8),2,2): the first mode is the tile.
std::optional<std::vector<TileLevel>> zipped(const Subject& s, const std::vector<i64>& extents) {
  if (!s.inner || s.inner->rank() < 2 || s.inner->mode(0).rank() != 2) return std::nullopt;
  const bool tiled = s.inner->rank() == 3;
  if (!tiled && (s.inner->rank() != 2 || s.inner->mode(1).rank() != 2)) return std::nullopt;
  int leaf = 0;
  TileLevel tile{dimsOf(s.inner->mode(0), extents, leaf)}, outer;
  if (tiled) {
    for (int m = 1; m < 3; ++m) outer.dims.push_back(nextDim(extents, leaf, flatLeaves(s.inner->mode(m)).size()));
  } else {
    outer.dims = dimsOf(s.inner->mode(1), extents, leaf);
  }
  return std::vector{outer, tile};
}

// ((4,2),(8,2)): digit k of both modes is a level, the first the innermost.
std::optional<std::vector<TileLevel>> logical(const Subject& s) {
  if (s.rank() != 2 || s.order != LinearOrder::Colex) return std::nullopt;
  const std::size_t depth = std::max(s.modes[0].size(), s.modes[1].size());
  if (depth < 2) return std::nullopt;
  std::vector<TileLevel> levels;
  for (std::size_t k = depth; k-- > 0;) {
    TileLevel level;
    int first = 0;
    for (const std::vector<i64>& mode : s.modes) {
      level.dims.push_back(k < mode.size() ? LevelDim{{first + static_cast<int>(k)}, mode[k]} : LevelDim{});
      first += static_cast<int>(mode.size());
    }
    levels.push_back(std::move(level));
  }
  return levels;
}

// Three or more modes: the two fastest are the innermost level, the next two the enclosing one.
std::optional<std::vector<TileLevel>> paired(const Subject& s, const std::vector<i64>& extents) {
  if (s.rank() < 3 || s.rank() > kMostModes) return std::nullopt;
  std::vector<LevelDim> dims;
  int leaf = 0;
  for (const std::vector<i64>& mode : s.modes) dims.push_back(nextDim(extents, leaf, mode.size()));
  std::vector<TileLevel> levels;
  const bool colex = s.order == LinearOrder::Colex;
  for (std::size_t k = 0; k < dims.size(); k += 2) {
    const std::size_t n = std::min<std::size_t>(2, dims.size() - k);
    const auto from =
        colex ? dims.begin() + static_cast<std::ptrdiff_t>(k) : dims.end() - static_cast<std::ptrdiff_t>(k + n);
    levels.insert(levels.begin(), TileLevel{std::vector<LevelDim>(from, from + static_cast<std::ptrdiff_t>(n))});
  }
  return levels;
}

i64 digitOf(i64 number, const LevelDim& dim, const std::vector<i64>& extents, std::vector<i64>& leaves) {
  if (dim.leaves.size() == 1) {
    leaves[static_cast<std::size_t>(dim.leaves[0])] += number % dim.extent * dim.step;
    return number / dim.extent;
  }
  for (const int leaf : dim.leaves) {
    const i64 extent = extents[static_cast<std::size_t>(leaf)];
    leaves[static_cast<std::size_t>(leaf)] = number % extent;
    number /= extent;
  }
  return number;
}

i64 numberOf(const LevelDim& dim, const std::vector<i64>& extents, const std::vector<i64>& leaves) {
  if (dim.leaves.size() == 1) return leaves[static_cast<std::size_t>(dim.leaves[0])] / dim.step % dim.extent;
  return joinedOf(dim, extents, leaves);
}

// The single dimension of an innermost level.
Band lineOf(const LevelDim& dim, const std::vector<i64>& extents, int level) {
  Band band;
  band.level = level;
  const int first = dim.leaves.front();
  band.across = {{first}, extents[static_cast<std::size_t>(first)]};
  if (dim.leaves.size() > 1) {
    band.down = {{dim.leaves.begin() + 1, dim.leaves.end()}, dim.extent / band.across.extent};
  } else if (dim.extent >= 2 * kWrap && dim.extent % kWrap == 0) {
    band.across.extent = kWrap;
    band.down = {{first}, dim.extent / kWrap, kWrap};
  }
  return band;
}

}  // namespace

bool isLevelled(const Layout& layout) {
  const auto* tensor = layout.as<graphene::Tensor>();
  return tensor != nullptr && (tensor->threads || tensor->levels.size() > 1) && levelsOf(layout).ok();
}

Result<Levels> levelsOf(const Layout& layout, LevelReading reading, const std::string& text) {
  if (const auto* tensor = layout.as<graphene::Tensor>()) return levelsOfTensor(layout, *tensor);
  Levels out;
  TESSERA_TRY(out.subject, subjectOf(layout, text));
  const Subject& s = *out.subject;
  if (s.axes() != 1 || s.hasFan())
    return Diag{fmt::format("{} does not give one address per coordinate", s.text), "a layout in memory"};
  const std::vector<i64> extents = leafExtents(s);
  auto first = zipped(s, extents), other = logical(s);
  out.both = first && other;
  if (reading == LevelReading::Logical || !first) std::swap(first, other);
  if (!first) first = other ? other : paired(s, extents);
  if (!first)
    return Diag{fmt::format("{} is not tiled", s.text),
                "levels: ((4,8),(2,2)) as zipped_divide makes it, three and more modes, or a Graphene tensor",
                "as grid"};
  out.levels = *std::move(first);
  return out;
}

std::vector<Band> bandsOf(const Levels& levels) {
  std::vector<Band> bands;  // innermost first, reversed at the end
  const std::vector<i64> extents = leafExtents(*levels.subject);
  double high = 1, wide = 1;
  bool sideways = false;
  const auto push = [&](Band band) {
    high *= static_cast<double>(band.down.extent);
    wide *= static_cast<double>(band.across.extent);
    bands.push_back(std::move(band));
  };
  for (int l = static_cast<int>(levels.levels.size()); l-- > 0;) {
    const std::vector<LevelDim>& dims = levels.levels[static_cast<std::size_t>(l)].dims;
    std::size_t rest = dims.size();
    if (rest == 1 && bands.empty()) {
      sideways = dims[0].leaves.size() > 1;
      push(lineOf(dims[--rest], extents, l));
    } else if (rest >= 2) {
      rest -= 2;
      push({dims[rest], dims[rest + 1], l});
    }
    while (rest-- > 0) {
      const auto n = static_cast<double>(dims[rest].extent);
      const bool across = sideways || std::max(high, n * wide) <= n * high;
      push(across ? Band{{}, dims[rest], l} : Band{dims[rest], {}, l});
    }
  }
  std::ranges::reverse(bands);
  return bands;
}

i64 joinedOf(const LevelDim& dim, const std::vector<i64>& extents, const std::vector<i64>& leaves) {
  i64 number = 0, running = 1;
  for (const int leaf : dim.leaves) {
    number += running * leaves[static_cast<std::size_t>(leaf)];
    running *= extents[static_cast<std::size_t>(leaf)];
  }
  return number;
}

void leavesAt(const std::vector<Band>& bands, const std::vector<i64>& extents, i64 row, i64 column,
              std::vector<i64>& leaves) {
  leaves.assign(extents.size(), 0);
  for (std::size_t b = bands.size(); b-- > 0;) {
    row = digitOf(row, bands[b].down, extents, leaves);
    column = digitOf(column, bands[b].across, extents, leaves);
  }
}

std::pair<i64, i64> cellOf(const std::vector<Band>& bands, const std::vector<i64>& extents,
                           const std::vector<i64>& leaves) {
  i64 row = 0, column = 0;
  for (const Band& b : bands) {
    row = row * b.down.extent + numberOf(b.down, extents, leaves);
    column = column * b.across.extent + numberOf(b.across, extents, leaves);
  }
  return {row, column};
}

// Maps an element of the tiles to the element of the declared tensor: origin + digit * step along each declared
// dimension; tile, reshape and index preserve this form (core/notation/graphene/tensor.h).

std::shared_ptr<const Link> declaredLink(const Layout& layout) {
  const auto* tensor = layout.as<graphene::Tensor>();
  if (tensor == nullptr || tensor->threads || !graphene::requireKnown(*tensor)) return nullptr;
  const auto subject = subjectOf(layout);
  if (!subject || (*subject)->size > kMostPoints) return nullptr;
  const auto isKnown = [](const Expr& e) { return e.isConstant(); };
  if (!std::ranges::all_of(tensor->origin, isKnown)) return nullptr;
  const auto extents = mapped<i64>(tensor->extents, &Expr::value), origin = mapped<i64>(tensor->origin, &Expr::value);
  if (extents.empty() || extents.size() != origin.size()) return nullptr;
  if (pointDomain(extents) == (*subject)->domain) return nullptr;  // not tiled
  struct Step {
    int dim = 0;
    i64 step = 0;
  };
  std::vector<Step> steps;
  for (const graphene::Level& level : tensor->levels)
    for (const graphene::Dim& dim : level.dims)
      for (const graphene::Mode& m : dim) {
        if (!m.step.isConstant()) return nullptr;
        steps.push_back({m.dim, m.step.value()});
      }
  if (steps.size() != (*subject)->leafDigit.size()) return nullptr;
  const u64 declared = pointDomain(extents);
  return lazyLink((*subject)->domain, declared, [s = *subject, steps, origin, extents, declared] {
    std::vector<i64> digits;
    return tableLink(s->domain, s->size, [&](i64 i) {
      s->digitsOf(s->coordOf(i).data(), digits);
      std::vector<i64> at = origin;
      for (std::size_t k = 0; k < steps.size(); ++k)
        at[static_cast<std::size_t>(steps[k].dim)] += digits[static_cast<std::size_t>(s->leafDigit[k])] * steps[k].step;
      for (std::size_t d = 0; d < at.size(); ++d)
        if (at[d] < 0 || at[d] >= extents[d]) return Point{};
      return Point{declared, linearize(at, extents, LinearOrder::Colex)};
    });
  });
}

}  // namespace tessera
