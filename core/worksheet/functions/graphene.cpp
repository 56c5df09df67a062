// Graphene's tensors: tiles, reshapes, addresses, thread indices, the predicate of a partial tile.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "core/notation/graphene/notation.h"
#include "core/notation/graphene/operations.h"
#include "core/worksheet/functions/typed.h"

namespace tessera {

template <>
constexpr auto kReader<graphene::Tensor> = [](const Call& c, std::size_t k) {
  return held<graphene::Tensor>(c, k, "a Graphene tensor such as %A:[4,8:8,1].fp32.GL");
};

namespace {

using graphene::Coordinate;
using graphene::NewDim;
using graphene::Tensor;
using graphene::TileMode;
using graphene::TileSize;

// 8, (4,2), 2:1, [2:1], [(2,2):(1,4)], _
Result<TileSize> tileSizeOf(const Call& c, std::size_t k) {
  const Diag wrong = c.wrong(k, "a tile of one dimension: 8, [2:1], [(2,2):(1,4)] or _");
  if (const auto* tuple = std::get_if<cute::IntTuple>(&c[k]); tuple != nullptr && tuple->isWildcard())
    return TileSize();
  cute::Layout layout;
  if (const auto* tiler = std::get_if<cute::Tiler>(&c[k])) {
    if (tiler->entries.size() != 1 || tiler->entries[0].kind != cute::TilerEntry::Kind::Layout) return wrong;
    layout = tiler->entries[0].layout;
  } else {
    TESSERA_TRY(layout, c.layout(k));
  }
  if (!layout.isPlain()) return wrong;
  std::vector<TileMode> modes;
  for (const cute::LayoutLeaf& l : flatLeaves(layout))
    modes.push_back({l.extent, l.extent == 1 ? 1 : l.stride.value()});
  return TileSize(std::move(modes));
}

Result<Tensor> tiled(const Call& c, const Tensor& tensor) {
  std::vector<TileSize> sizes;
  for (std::size_t k = 1; k < c.count(); ++k) {
    TESSERA_TRY(TileSize one, tileSizeOf(c, k));
    sizes.push_back(std::move(one));
  }
  return tile(tensor, sizes);
}

// reshape(T, 0, (2,2)), reshape(T, 0, (2,2):(2,1)): one dimension per mode.
Result<Tensor> reshaped(const Call& c, const Tensor& tensor, i64 depth) {
  if (depth < 0) return c.wrong(1, "a depth of 0 or more; 0 is the outermost shape");
  const bool written = std::get_if<Layout>(&c[2]) != nullptr;
  TESSERA_TRY(const cute::Layout layout, c.layout(2));
  if (!layout.isPlain()) return c.wrong(2, "a shape, or shape:stride");
  std::vector<NewDim> dims;
  for (const cute::Layout& mode : layout.modes()) {
    NewDim& dim = dims.emplace_back();
    for (const cute::LayoutLeaf& l : flatLeaves(mode)) {
      dim.sizes.push_back(l.extent);
      if (written) dim.strides.push_back(l.stride.value());
    }
  }
  return reshape(tensor, static_cast<std::size_t>(depth), dims);
}

Result<Value> address(const Call& c, const Tensor& tensor) {
  std::vector<std::vector<Coordinate>> levels;
  for (std::size_t k = 1; k < c.count(); ++k) {
    TESSERA_TRY(const cute::IntTuple tuple, c.tuple(k));
    auto& level = levels.emplace_back();
    for (int d = 0; d < tuple.rank(); ++d) {
      Coordinate& coordinate = level.emplace_back();
      for (const cute::IntTuple& n : tuple.mode(d).leaves()) {
        if (!n.isPlain()) return c.wrong(k, "integers");
        coordinate.push_back(Expr::constant(n.value()));
      }
    }
  }
  TESSERA_TRY(const Expr at, addressOf(tensor, levels));
  if (at.isConstant()) return Value(at.value());
  return Value(Text{graphene::print(at, tensor.symbols)});
}

// "c0*128+c1 < 1023": over the digits of all levels, in order.
std::string predicateText(const Tensor& tensor) {
  std::vector<std::string> parts;
  for (const graphene::Predicate& p : predicates(tensor))
    parts.push_back(fmt::format("{} < {}", graphene::print(p.coordinate, tensor.symbols),
                                graphene::print(p.extent, tensor.symbols)));
  return parts.empty() ? "true" : fmt::format("{}", fmt::join(parts, " && "));
}

constexpr auto kFunctions = std::to_array<Function>({
    {"tile", "tile(%A, [2:1], [4:1])",
     "tiles of a Graphene tensor, one size per dimension; _ takes the whole dimension", 2, 64, typed<0, tiled>},
    {"reshape", "reshape(%A, 0, (2,2):(2,1))", "another shape for one level; row-major without strides", 3, 3,
     typed<0, reshaped>},
    {"address", "address(%A, (0,0), (1,3))", "the address of an element of a Graphene tensor, one coordinate per level",
     1, 64, typed<0, address>},
    {"indices", "indices(#T)", "the coordinates of each thread, (tid / stride) % size", 1, 1,
     typed<0, graphene::threadArrow>},
    {"scalar", "scalar(#T)", "the tensor of one thread or block", 1, 1, typed<0, graphene::scalar>},
    {"predicate", "predicate(%A)", "which coordinates of partial tiles are real", 1, 1, typed<0, predicateText>},
});

}  // namespace

std::span<const Function> grapheneFunctions() { return kFunctions; }

}  // namespace tessera
