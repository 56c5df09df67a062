#include "core/worksheet/functions/compare_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/notation/axe/algebra.h"
#include "core/notation/axe/axes.h"
#include "core/notation/axe/map.h"
#include "core/notation/cute/lower.h"
#include "core/notation/translate.h"
#include "core/notation/triton/lower.h"
#include "core/worksheet/functions/axe_calls.h"

namespace tessera {
namespace {

using Ints = std::vector<i64>;
using Pair = std::pair<Map, Map>;

bool isLinear(const Value& v) {
  return std::holds_alternative<LinearLayout>(v) || std::holds_alternative<TritonLayout>(v);
}
bool isAxe(const Value& v) { return std::holds_alternative<AxeLayout>(v) || std::holds_alternative<AxeComposed>(v); }
const CuteLayout* cuteOf(const Value& v) {
  if (const auto* layout = std::get_if<CuteLayout>(&v)) return layout;
  if (const auto* tla = std::get_if<TlaLayout>(&v)) return &tla->layout();
  return nullptr;
}
std::optional<IntTuple> cuteShape(const Value& v) {
  if (const CuteLayout* layout = cuteOf(v)) return layout->shape();
  if (const auto* composed = std::get_if<ComposedLayout>(&v)) return composed->shape();
  return std::nullopt;
}

// Both maps with every axis of either; one that a map does not have is 0.
Result<Pair> withAllAxes(const Map& f, const Map& g) {
  std::set<std::string> names;
  for (const Map* m : {&f, &g}) {
    for (const Axis& a : m->axes()) names.insert(a.name);
  }
  const auto widened = [&](const Map& m) {
    std::vector<Axis> axes;
    for (const std::string& name : names) {
      const auto own = std::find_if(m.axes().begin(), m.axes().end(), [&](const Axis& a) { return a.name == name; });
      axes.push_back(own == m.axes().end() ? Axis{name, Expr::constant(0), {}} : *own);
    }
    return Map::create(m.digits(), std::move(axes), m.guards(), m.params());
  };
  TESSERA_TRY(Map a, widened(f));
  TESSERA_TRY(Map b, widened(g));
  return Pair{std::move(a), std::move(b)};
}

Result<Pair> axeWithAxe(const AxeLayout& a, const AxeLayout& b) {
  Ints shape;
  if (a.size() == b.size()) {
    shape = !a.shape().empty() && !b.shape().empty() && a.shape() != b.shape() ? Ints{}
            : a.shape().empty()                                                ? b.shape()
                                                                               : a.shape();
  }
  TESSERA_TRY(const Map f, shape.empty() ? toMap(a.withoutShape()) : toMap(a, shape));
  TESSERA_TRY(const Map g, shape.empty() ? toMap(b.withoutShape()) : toMap(b, shape));
  return withAllAxes(f, g);
}

// The inputs of both, by name, each as wide as it is; one that is missing has no bits.
LinearLayout withInputs(const LinearLayout& l, const std::vector<std::string>& names) {
  std::vector<LinearIn> ins;
  for (const std::string& name : names) {
    const auto own = std::find_if(l.ins().begin(), l.ins().end(), [&](const LinearIn& in) { return in.name == name; });
    ins.push_back(own == l.ins().end() ? LinearIn{name, {}} : *own);
  }
  const Result<LinearLayout> made = LinearLayout::create(std::move(ins), l.outs());
  return made ? *made : l;
}
Result<Pair> linearWithLinear(const LinearLayout& a, const LinearLayout& b) {
  std::vector<std::string> names = a.inNames();
  for (const std::string& name : b.inNames()) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  TESSERA_TRY(Map f, toMap(withInputs(a, names)));
  TESSERA_TRY(Map g, toMap(withInputs(b, names)));
  return Pair{std::move(f), std::move(g)};
}

Ints sizesOf(const LinearLayout& l) {
  Ints shape;
  for (const LinearOut& out : l.outs()) shape.push_back(out.size);
  return shape;
}

bool isMemory(const LinearLayout& l) { return l.hasIn("offset"); }

// (dim0, dim1 ..) -> offset, for a layout of shared memory; a block input without bits does not count.
Result<Map> addressesOf(const Value& value, const LinearLayout& linear) {
  if (const auto* triton = std::get_if<TritonLayout>(&value)) {
    TESSERA_TRY(const Map map, memoryMap(triton->encoding, triton->shape));
    std::vector<Axis> axes;
    for (const Axis& a : map.axes()) {
      if (a.name != "block" || linear.inSize("block") > 1) axes.push_back(a);
    }
    const auto padded = std::find_if(axes.begin(), axes.end(), [](const Axis& a) { return a.name == "address"; });
    if (padded != axes.end()) axes = {*padded};
    return Map::create(map.digits(), std::move(axes), map.guards(), map.params());
  }
  TESSERA_TRY(const LinearLayout inverse, invert(linear));
  TESSERA_TRY(const Map map, toMap(inverse));
  std::vector<Axis> axes;
  for (std::size_t k = 0; k < map.axes().size(); ++k) {
    if (inverse.outs()[k].size > 1) axes.push_back(map.axes()[k]);
  }
  return Map::create(map.digits(), std::move(axes), map.guards(), map.params());
}

// CuTe's leaves, mode by mode, slowest first: the row-major shape in which Axe reads the same coordinates; and where
// leaf k of CuTe (fastest first) is in it.
struct LeafShape {
  Ints shape;
  std::vector<std::size_t> place;
};
Result<LeafShape> leafShape(const IntTuple& shape) {
  LeafShape out;
  for (int m = 0; m < shape.rank(); ++m) {
    Ints leaves;
    for (const IntTuple& leaf : shape.mode(m).leaves()) {
      if (!leaf.isKnown()) return Diag{"a shape with unknown extents has no Axe form", "known extents", "", {}};
      leaves.push_back(leaf.value());
    }
    const std::size_t begin = out.shape.size();
    for (std::size_t k = 0; k < leaves.size(); ++k) out.place.push_back(begin + leaves.size() - 1 - k);
    out.shape.insert(out.shape.end(), leaves.rbegin(), leaves.rend());
  }
  return out;
}

// The map over LeafShape::shape with its Index digits in CuTe's order.
Result<Map> inCuteOrder(const Map& map, const std::vector<std::size_t>& place) {
  std::vector<Digit> digits;
  std::vector<Expr> moved(map.digits().size());
  const std::vector<int> index = map.indexDigits();
  for (const std::size_t p : place) {
    const auto d = static_cast<std::size_t>(index[p]);
    moved[d] = Expr::digit(static_cast<int>(digits.size()));
    digits.push_back(map.digits()[d]);
  }
  for (const int d : map.fanDigits()) {
    moved[static_cast<std::size_t>(d)] = Expr::digit(static_cast<int>(digits.size()));
    digits.push_back(map.digits()[static_cast<std::size_t>(d)]);
  }
  std::vector<Axis> axes = map.axes();
  for (Axis& a : axes) a.value = substitute(a.value, moved);
  std::vector<Guard> guards = map.guards();
  for (Guard& g : guards) g.value = substitute(g.value, moved);
  return Map::create(std::move(digits), std::move(axes), std::move(guards), map.params());
}

Result<Map> mapOver(const Value& axe, const Ints& shape) {
  if (const auto* composed = std::get_if<AxeComposed>(&axe)) return toMap(*composed, shape);
  return toMap(std::get<AxeLayout>(axe), shape);
}

// An Axe layout and a CuTe one.
Result<Pair> axeWithCute(const Value& axe, const Value& cute) {
  const auto* plain = std::get_if<AxeLayout>(&axe);
  if (plain != nullptr && plain->axes().size() > 1) {
    if (plain->shape().empty()) {
      return Diag{"a layout over several axes is compared as (thread, value), which needs the tile's shape",
                  "X over (16,8)",
                  "",
                  {}};
    }
    TESSERA_TRY(const LinearLayout linear, toLinear(*plain, plain->domain()));
    TESSERA_TRY(const CuteLayout threadValue, toThreadValue(linear));
    TESSERA_TRY(Map f, toMap(threadValue));
    TESSERA_TRY(Map g, toMap(cute));
    return Pair{std::move(f), std::move(g)};
  }
  TESSERA_TRY(const LeafShape leaves, leafShape(*cuteShape(cute)));
  i64 size = 1;
  for (const i64 e : leaves.shape) size *= e;
  const i64 own = plain != nullptr ? plain->size() : std::get<AxeComposed>(axe).tile.size();
  TESSERA_TRY(Map g, toMap(cute));
  if (size != own) {
    TESSERA_TRY(Map f, toMap(axe));
    return Pair{std::move(f), std::move(g)};
  }
  TESSERA_TRY(const Map over, mapOver(axe, leaves.shape));
  TESSERA_TRY(Map f, inCuteOrder(over, leaves.place));
  return Pair{std::move(f), std::move(g)};
}

Result<Pair> linearWithCute(const Value& value, const Value& cute) {
  TESSERA_TRY(const LinearLayout linear, linearOf(value));
  TESSERA_TRY(Map g, toMap(cute));
  if (isMemory(linear)) {
    TESSERA_TRY(Map f, addressesOf(value, linear));
    return Pair{std::move(f), std::move(g)};
  }
  const Result<CuteLayout> threadValue = toThreadValue(linear);
  TESSERA_TRY(const CuteLayout layout, threadValue ? threadValue : toCute(linear));
  TESSERA_TRY(Map f, toMap(layout));
  return Pair{std::move(f), std::move(g)};
}

// Anything with axes against a map: over the map's own domain.
Result<Pair> withMap(const Value& value, const Map& map) {
  Ints shape;
  for (const int d : map.indexDigits()) shape.push_back(map.digits()[static_cast<std::size_t>(d)].extent);
  i64 size = 1;
  for (const i64 e : shape) size = size > (i64{1} << 40) ? size : size * e;
  if (isAxe(value)) {
    const auto* plain = std::get_if<AxeLayout>(&value);
    const bool same = (plain != nullptr ? plain->size() : std::get<AxeComposed>(value).tile.size()) == size;
    TESSERA_TRY(Map f, same ? mapOver(value, shape) : toMap(value));
    const bool named = std::none_of(map.axes().begin(), map.axes().end(), [](const Axis& a) { return a.name.empty(); });
    if (named && map.axes().size() + f.axes().size() > 2) return withAllAxes(f, map);
    return Pair{std::move(f), map};
  }
  TESSERA_TRY(const LinearLayout linear, linearOf(value));
  // A memory's map goes from the tensor to the address when that is what the other map takes.
  if (isMemory(linear) && sizesOf(linear) == shape) {
    TESSERA_TRY(Map f, addressesOf(value, linear));
    return Pair{std::move(f), map};
  }
  std::vector<LinearIn> used;
  for (const LinearIn& in : linear.ins()) {
    if (!in.bases.empty()) used.push_back(in);
  }
  if (used.size() == shape.size()) {
    TESSERA_TRY(const LinearLayout narrow, LinearLayout::create(std::move(used), linear.outs()));
    TESSERA_TRY(Map f, toMap(narrow));
    return Pair{std::move(f), map};
  }
  TESSERA_TRY(Map f, toMap(linear));
  return Pair{std::move(f), map};
}

Result<Pair> swapped(Result<Pair> pair) {
  if (!pair) return pair;
  return Pair{std::move(pair->second), std::move(pair->first)};
}

bool isMap(const Value& v) { return std::holds_alternative<Map>(v) || std::holds_alternative<IndexingMap>(v); }

}  // namespace

Result<Pair> mapsToCompare(const Value& a, const Value& b) {
  if (!(isAxe(a) || isLinear(a)) && (isAxe(b) || isLinear(b))) return swapped(mapsToCompare(b, a));
  const auto *left = std::get_if<AxeLayout>(&a), *right = std::get_if<AxeLayout>(&b);
  if (left != nullptr && right != nullptr) return axeWithAxe(*left, *right);
  if (isAxe(a) && isAxe(b)) {
    TESSERA_TRY(const Map f, toMap(a));
    TESSERA_TRY(const Map g, toMap(b));
    return withAllAxes(f, g);
  }
  if (isLinear(a) && isAxe(b)) return swapped(mapsToCompare(b, a));
  if (isAxe(a) && isLinear(b)) {
    TESSERA_TRY(const LinearLayout linear, linearOf(b));
    if (isMemory(linear)) {  // both as coordinate -> address
      TESSERA_TRY(const Map g, addressesOf(b, linear));
      return withMap(a, g);
    }
    if (left == nullptr) return Diag{"a swizzled Axe layout is about memory, the other about registers", "", "", {}};
    TESSERA_TRY(const LinearLayout mine, toLinear(*left, sizesOf(linear)));
    return linearWithLinear(mine, linear);
  }
  if (isLinear(a) && isLinear(b)) {
    TESSERA_TRY(const LinearLayout x, linearOf(a));
    TESSERA_TRY(const LinearLayout y, linearOf(b));
    return linearWithLinear(x, y);
  }
  if ((isAxe(a) || isLinear(a)) && isMap(b)) {
    TESSERA_TRY(const Map g, toMap(b));
    return withMap(a, g);
  }
  if (isAxe(a) && cuteShape(b)) return axeWithCute(a, b);
  if (isLinear(a) && cuteShape(b)) return linearWithCute(a, b);
  TESSERA_TRY(Map f, toMap(a));
  TESSERA_TRY(Map g, toMap(b));
  return Pair{std::move(f), std::move(g)};
}

Result<Map> mapForClaim(ClaimKind kind, const Value& value) {
  const auto* axe = std::get_if<AxeLayout>(&value);
  if (axe == nullptr) return toMap(value);
  if (kind == ClaimKind::InBounds) {
    TESSERA_TRY(const Map map, toMap(*axe));
    std::vector<Axis> axes = map.axes();
    for (Axis& axis : axes) {
      const AxisInfo* info = findAxis(axis.name);
      if (info != nullptr && info->bound) {
        axis.extent = *info->bound;
      } else {  // no bound of the hardware: not below 0
        i64 most = axe->offsetOn(axis.name);
        for (const auto* list : {&axe->shard(), &axe->replica()}) {
          for (const AxeIter& it : *list) {
            if (it.axis == axis.name) most += std::max<i64>(0, (it.extent - 1) * it.stride);
          }
        }
        axis.extent = std::max<i64>(1, most + 1);
      }
    }
    return Map::create(map.digits(), std::move(axes), map.guards(), map.params());
  }
  if (kind != ClaimKind::Injective) return toMap(*axe);
  const axe_detail::Replicas canonical = axe_detail::canonicalReplicas(axe->replica());
  TESSERA_TRY(const AxeLayout own, AxeLayout::create(axe->shard(), canonical.iters, {}, axe->shape()));
  if (gapCondition(own)) return toMap(own);
  const Result<bool> answer = isInjective(*axe);
  if (answer && *answer) {
    return Diag{"the replicas of this layout overlap in ways that no list of replica iters says apart",
                "replicas that keep the gap condition",
                "no two elements share a place here (check(X), V3)",
                {}};
  }
  return toMap(own);
}

Result<Map> addressMapOf(const Value& value) {
  TESSERA_TRY(const LinearLayout linear, linearOf(value));
  if (!isMemory(linear)) return Diag{"this layout places elements in registers, not in memory", "", "", {}};
  return addressesOf(value, linear);
}

Result<Map> replicaMap(const Value& value) {
  const auto* axe = std::get_if<AxeLayout>(&value);
  if (axe == nullptr) return Diag{"only an Axe layout has replicas", "S[..] + R[..]", "", {}};
  std::vector<Digit> digits;
  std::map<std::string, Expr> sums;
  for (const std::string& axis : axe->axes()) sums[axis] = Expr::constant(axe->offsetOn(axis));
  for (const AxeIter& it : axe->replica()) {
    Expr& sum = sums[it.axis];
    sum = sum + Expr::digit(static_cast<int>(digits.size())) * it.stride;
    digits.push_back({fmt::format("r{}", digits.size()), it.extent, DigitKind::Index});
  }
  if (digits.empty()) digits.push_back({"r0", 1, DigitKind::Index});
  std::vector<Axis> axes;
  for (const auto& [name, sum] : sums) axes.push_back({name, sum, {}});
  return Map::create(std::move(digits), std::move(axes));
}

}  // namespace tessera
