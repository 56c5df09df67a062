#include "core/notation/xla_translate.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/notation/xla_address.h"

namespace tessera {
namespace {

// One digit of the address: what it counts of which dimension.
struct Piece {
  std::size_t dim = 0;
  i64 weight = 1;  // elements of the dimension that one step is
  i64 extent = 1;  // steps that exist; the slots of the digit may be more
};

Result<std::vector<Piece>> cut(const std::vector<Piece>& pieces, const XlaStep& step, const XlaShape& shape) {
  if (step.merged.size() != step.before.size()) {
    return Diag{"a tile with * merges dimensions, which no nested mode does", "tiles without *", "", {}};
  }
  std::vector<Piece> padded(step.prepended);  // ones
  padded.insert(padded.end(), pieces.begin(), pieces.end());
  const std::size_t prefix = padded.size() - step.tile.size();
  std::vector<Piece> out(padded.begin(), padded.begin() + static_cast<std::ptrdiff_t>(prefix));
  std::vector<Piece> inside;
  for (std::size_t j = 0; j < step.tile.size(); ++j) {
    const Piece& p = padded[prefix + j];
    const i64 t = step.tile[j];
    if (p.extent > t && p.extent % t != 0) {
      return Diag{
          fmt::format("a tile of {} does not divide the {} of dimension {} of {}", t, p.extent, p.dim, print(shape)),
          "sizes that are multiples of their tiles",
          "to_map(P) has the padded function",
          {}};
    }
    out.push_back({p.dim, p.weight * t, std::max<i64>(p.extent / t, 1)});
    inside.push_back({p.dim, p.weight, std::min(p.extent, t)});
  }
  out.insert(out.end(), inside.begin(), inside.end());
  return out;
}

IntTuple modeOf(const std::vector<i64>& leaves) {
  if (leaves.size() == 1) return IntTuple(leaves.front());
  return IntTuple::tuple(std::vector<IntTuple>(leaves.begin(), leaves.end()));
}

}  // namespace

Result<CuteLayout> toCute(const XlaShape& shape) {
  TESSERA_TRY(const XlaAddressing addressing, XlaAddressing::create(shape));
  if (addressing.elements() == 0) {
    return Diag{fmt::format("{} has no elements, a CuTe layout has at least one", print(shape)), "sizes >= 1", "", {}};
  }
  std::vector<Piece> pieces;
  for (const std::size_t d : addressing.expansion().order) pieces.push_back({d, 1, shape.dims()[d].size});
  for (const XlaStep& step : addressing.expansion().steps) {
    TESSERA_TRY(pieces, cut(pieces, step, shape));
  }
  const std::vector<i64>& slots = addressing.expansion().dims;
  std::vector<IntTuple> shapes, strides;
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    std::vector<std::pair<i64, std::pair<i64, i64>>> found;  // weight -> (extent, stride)
    i64 stride = 1;
    for (std::size_t k = pieces.size(); k-- > 0;) {
      if (pieces[k].dim == d && pieces[k].extent > 1) found.push_back({pieces[k].weight, {pieces[k].extent, stride}});
      stride *= slots[k];
    }
    if (found.empty()) found.push_back({1, {1, 0}});
    std::sort(found.begin(), found.end());
    std::vector<i64> extents, steps;
    for (const auto& [weight, leaf] : found) {
      extents.push_back(leaf.first);
      steps.push_back(leaf.second);
    }
    shapes.push_back(modeOf(extents));
    strides.push_back(modeOf(steps));
  }
  if (shapes.empty()) return CuteLayout::make(IntTuple(1), IntTuple(0));
  if (shapes.size() == 1) return CuteLayout::make(shapes.front(), strides.front());
  return CuteLayout::make(IntTuple::tuple(std::move(shapes)), IntTuple::tuple(std::move(strides)));
}

}  // namespace tessera
