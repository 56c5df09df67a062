// check: what XLA's validator rejects, what its constructors abort on, and sizes above 2^63.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/base/mapped.h"
#include "core/notation/xla/address.h"
#include "core/notation/xla/shape.h"

namespace tessera::xla {
namespace {

using Part = Fault::Part;
using Found = std::optional<Fault>;

// Limit on the digits of a layout: one per dimension and per tile size. Compilers print about a dozen; addresses,
// digits and pictures take quadratic time in them.
constexpr std::size_t kMaxDigits = 512;

Fault fault(Part part, std::size_t index, std::string message, std::string expected = {}, std::string hint = {}) {
  return {Diag{std::move(message), std::move(expected), std::move(hint)}, part, index};
}

Found checkDims(const std::vector<Dim>& dims) {
  for (std::size_t k = 0; k < dims.size(); ++k) {
    if (dims[k].size < 0) {
      return fault(Part::Dim, k, fmt::format("dimension {} has the negative size {}", k, dims[k].size),
                   "a size >= 0, <=N or ?");
    }
  }
  return std::nullopt;
}

Found checkOrder(std::size_t rank, const std::vector<i64>& order) {
  if (order.size() != rank) {
    std::string row;
    for (std::size_t k = rank; k-- > 0;) row += (row.empty() ? "" : ",") + std::to_string(k);
    return fault(Part::Order, order.size(),  // the whole list
                 fmt::format("Dimensions size is {}, but minor to major size is {}.", rank, order.size()),
                 "each dimension once, the fastest first", fmt::format("{{{}}} is row-major", row));
  }
  std::vector<bool> seen(rank, false);
  for (std::size_t k = 0; k < rank; ++k) {
    const i64 d = order[k];
    if (d < 0 || d >= static_cast<i64>(rank)) {
      return fault(Part::Order, k, fmt::format("minor to major names dimension {}, the array has {}", d, rank),
                   fmt::format("a permutation of 0..{}", rank - 1));
    }
    if (seen[static_cast<std::size_t>(d)]) {
      return fault(Part::Order, k, fmt::format("minor to major names dimension {} twice", d),
                   fmt::format("a permutation of 0..{}", rank - 1));
    }
    seen[static_cast<std::size_t>(d)] = true;
  }
  return std::nullopt;
}

Found checkTiles(const std::vector<std::vector<i64>>& tiles) {
  for (std::size_t k = 0; k < tiles.size(); ++k) {
    if (tiles[k].empty()) {
      return fault(Part::Tile, k, "layout has invalid tiles: a tile without sizes", "T(8,128), or no T at all");
    }
    for (const i64 t : tiles[k]) {
      if (t == kCombine || t > 0) continue;
      return fault(Part::Tile, k, fmt::format("layout has invalid tiles: the tile size {} is not positive", t),
                   "tile sizes >= 1, or *");
    }
    if (tiles[k].back() == kCombine) {
      return fault(Part::Tile, k, "the last * of a tile has no more minor dimension to merge with",
                   "a size at the end, as in T(2,*,128)");
    }
  }
  return std::nullopt;
}

Found checkDigits(const std::vector<Dim>& dims, const std::vector<std::vector<i64>>& tiles) {
  if (dims.size() > kMaxDigits) {
    return fault(Part::Dim, kMaxDigits, fmt::format("the array has {} dimensions", dims.size()),
                 fmt::format("at most {}", kMaxDigits));
  }
  std::size_t digits = dims.size();
  for (std::size_t k = 0; k < tiles.size(); ++k) {
    digits += tiles[k].size();
    if (digits <= kMaxDigits) continue;
    return fault(Part::Tile, k, fmt::format("{} tiles on {} dimensions are too many", tiles.size(), dims.size()),
                 fmt::format("at most {} dimensions and tile sizes together", kMaxDigits));
  }
  return std::nullopt;
}

Found checkSplits(const std::vector<Dim>& dims, const Layout& layout) {
  std::vector<i64> seen;
  for (std::size_t k = 0; k < layout.splits.size(); ++k) {
    const Split& split = layout.splits[k];
    const auto rank = static_cast<i64>(dims.size());
    if (split.dim < 0 || split.dim >= rank) {
      return fault(Part::Split, k, fmt::format("SC names physical dimension {}, the array has {}", split.dim, rank),
                   "a physical dimension, 0 the most major");
    }
    if (std::find(seen.begin(), seen.end(), split.dim) != seen.end()) {
      return fault(Part::Split, k, fmt::format("SC names the physical dimension {} twice", split.dim),
                   fmt::format("one list, SC({}:i,j)", split.dim));
    }
    seen.push_back(split.dim);
    const auto logical = static_cast<std::size_t>(layout.minorToMajor[static_cast<std::size_t>(rank - 1 - split.dim)]);
    if (split.indices.empty()) return fault(Part::Split, k, "SC has a dimension and no index", "SC(0:10)");
    i64 before = 0;
    for (const i64 at : split.indices) {
      if (at <= before) {
        return fault(Part::Split, k, fmt::format("the split index {} does not follow {}", at, before),
                     "indices > 0 that increase");
      }
      if (!dims[logical].unbounded && at >= dims[logical].size) {
        return fault(Part::Split, k,
                     fmt::format("the split index {} is outside physical dimension {} (dimension {}, size {})", at,
                                 split.dim, logical, dims[logical].size),
                     fmt::format("an index below {}", dims[logical].size));
      }
      before = at;
    }
  }
  return std::nullopt;
}

Found checkNumbers(const Layout& layout) {
  if (layout.tailAlignment < 1) {
    return fault(Part::Tail, 0, fmt::format("the tail alignment L({}) is not positive", layout.tailAlignment),
                 "L(n) with n >= 1");
  }
  if (layout.elementBits < 0) {
    return fault(Part::ElementBits, 0, fmt::format("the element size E({}) is negative", layout.elementBits),
                 "a number of bits");
  }
  if (layout.memorySpace < 0 || layout.memorySpace > 127) {
    return fault(Part::Space, 0, fmt::format("there is no memory space {}", layout.memorySpace),
                 "S(n) with n from 0 to 127: 0 HBM, 1 VMEM, 5 host");
  }
  if (layout.metadataPrefix < 0) {
    return fault(Part::Metadata, 0, fmt::format("the metadata prefix M({}) is negative", layout.metadataPrefix),
                 "a number of bytes");
  }
  return std::nullopt;
}

Found checkSizes(const Type& type, const std::vector<Dim>& dims, const Layout& layout) {
  if (std::any_of(dims.begin(), dims.end(), [](const Dim& d) { return d.unbounded; })) return std::nullopt;
  auto sizes = mapped<i64>(dims, &Dim::size);
  if (!product(sizes)) {
    return fault(Part::Whole, 0, "the array has more than 2^63-1 elements", "sizes whose product is below 2^63");
  }
  const auto expanded = expand(sizes, layout);
  std::optional<i64> slots;
  if (expanded) slots = product(expanded->dims);
  if (slots && *slots > 0) {
    const auto padded = checkedAdd(*slots, layout.tailAlignment - 1);
    slots = padded ? std::optional(*padded / layout.tailAlignment * layout.tailAlignment) : std::nullopt;
  }
  if (!slots) {
    return fault(layout.tiles.empty() ? Part::Tail : Part::Tile, 0,
                 "with its padding the array has more than 2^63-1 slots", "smaller tiles or sizes");
  }
  const i64 bits = layout.elementBits != 0 ? layout.elementBits : 8 * type.byteWidth;
  if (!byteCount(*slots, bits)) {
    return fault(Part::Whole, 0, fmt::format("{} slots of {} bits are more than 2^63-1 bytes", *slots, bits),
                 "smaller sizes");
  }
  return std::nullopt;
}

}  // namespace

std::optional<Fault> check(const Type& type, const std::vector<Dim>& dims, const Layout& layout) {
  if (auto bad = checkDims(dims)) return bad;
  if (auto bad = checkOrder(dims.size(), layout.minorToMajor)) return bad;
  if (auto bad = checkTiles(layout.tiles)) return bad;
  if (auto bad = checkDigits(dims, layout.tiles)) return bad;
  if (auto bad = checkSplits(dims, layout)) return bad;
  if (auto bad = checkNumbers(layout)) return bad;
  return checkSizes(type, dims, layout);
}

}  // namespace tessera::xla
