// A part of an array at run-time positions: dynamic-slice, dynamic-update-slice, gather.
//
// Starts are clamped so that the part lies in the array (XLA's semantics), so a run-time value is in [0, size - part].
#include <algorithm>

#include "core/hlo/ops/op.h"

namespace tessera::hlo {
namespace {

// Start indices: one operand per dimension, or one vector (the old form).
struct Starts {
  std::size_t first = 0;  // first operand with a start
  bool vector = false;
};
Result<Starts> startsOf(const Op& op, std::size_t first, std::size_t rank) {
  Starts s{first, false};
  const std::size_t count = op.operands() < first ? 0 : op.operands() - first;
  if (count == 1) {
    TESSERA_TRY(const Ints sizes, op.operandSizes(first));
    s.vector = sizes.size() == 1 && sizes[0] == static_cast<i64>(rank) && rank > 0;
  }
  if (!s.vector && count != rank)
    return op.wrong(fmt::format("{} start indices for {} dimensions", count, rank), "one for each");
  return s;
}

// The start in dimension k if static: a constant (clamped), or 0 if the part is as long as the array.
std::optional<i64> knownStart(const Op& op, const Starts& s, std::size_t k, i64 most) {
  if (most == 0) return 0;
  const auto value = op.constant(s.vector ? s.first : s.first + k, s.vector ? k : 0);
  return value ? std::optional(std::clamp<i64>(*value, 0, most)) : std::nullopt;
}

// The start in dimension k: a constant if static, else a run-time value.
Expr start(const Op& op, const Starts& s, MapBuilder& m, std::size_t k, i64 most, const Ints& out,
           std::vector<RuntimeValue>& runtime) {
  if (const auto known = knownStart(op, s, k, most)) return Expr::constant(*known);
  MapBuilder index(out);
  if (s.vector) index.result(Expr::constant(static_cast<i64>(k)));
  const auto map = index.build();
  runtime.push_back(
      {fmt::format("rt{}", runtime.size()), static_cast<int>(s.vector ? s.first : s.first + k), map ? *map : Map()});
  return m.rt(0, most);
}

// A map and its run-time values.
Result<Reach> exactWith(std::size_t slot, const MapBuilder& m, std::vector<RuntimeValue> runtime) {
  TESSERA_TRY(Reach reach, exact(slot, m.build()));
  reach.runtime.push_back(std::move(runtime));
  return reach;
}

// A part of an array, and where it begins.
struct Placed {
  Ints whole, part;
  Starts starts;
};
Result<Placed> placedOf(const Op& op) {
  Placed p;
  const bool update = op.opcode() == "dynamic-update-slice";
  if (update && op.operands() < 2) return op.wrong("it has no update", "array, update, start indices");
  TESSERA_TRY(p.whole, op.operandSizes(0));
  TESSERA_TRY(const Ints out, op.outputSizes());
  TESSERA_TRY(p.part, update ? op.operandSizes(1) : op.ints("dynamic_slice_sizes", out));
  TESSERA_CHECKED(op.expectSizes(out, update ? p.whole : p.part, "the result"));
  const std::string both = fmt::format("{}{} of {}", update ? "an update " : "", sizesText(p.part), sizesText(p.whole));
  if (p.whole.size() != p.part.size())
    return op.wrong(update ? both : fmt::format("a part of rank {} of {}", p.part.size(), sizesText(p.whole)),
                    "the same rank");
  TESSERA_TRY(p.starts, startsOf(op, update ? 2 : 1, p.whole.size()));
  for (std::size_t k = 0; k < p.whole.size(); ++k)
    if (p.part[k] > p.whole[k]) return op.wrong(both, "a part");
  return p;
}

// An element of the part: its position in the whole.
Result<Reach> inWhole(const Op& op, std::size_t slot, const Placed& p) {
  MapBuilder m(p.part);
  std::vector<RuntimeValue> runtime;
  for (std::size_t k = 0; k < p.whole.size(); ++k)
    m.result(m.d(k) + start(op, p.starts, m, k, p.whole[k] - p.part[k], p.part, runtime));
  return exactWith(slot, m, std::move(runtime));
}

// An element of the whole: its position in the part, if it is there.
Result<Reach> inPart(const Op& op, std::size_t slot, const Placed& p) {
  MapBuilder m(p.whole);
  std::vector<RuntimeValue> runtime;
  for (std::size_t k = 0; k < p.whole.size(); ++k) {
    const Expr at = m.d(k) - start(op, p.starts, m, k, p.whole[k] - p.part[k], p.whole, runtime);
    m.within(at, 0, p.part[k] - 1);
    m.result(at);
  }
  return exactWith(slot, m, std::move(runtime));
}

Result<void> addStarts(const Op& op, const Starts& s, const Ints& out, std::vector<Reach>& reads) {
  for (std::size_t k = s.first; k < op.operands(); ++k) {
    MapBuilder m(out);
    TESSERA_TRY(const Ints sizes, op.operandSizes(k));
    if (s.vector) {
      m.result(m.s(sizes[0]));
    } else if (!sizes.empty()) {
      return op.wrong(fmt::format("the start index {} is {}", op.nameOf(k), sizesText(sizes)), "a scalar");
    }
    TESSERA_TRY(Reach reach, exact(k, m.build()));
    reads.push_back(std::move(reach));
  }
  return {};
}

struct Gather {
  Ints in, out, offsetDims, collapsed, slices;
  IndexVectors indices;
};
Result<Gather> gatherOf(const Op& op) {
  TESSERA_CHECKED(op.expectOperands(2));
  Gather g;
  TESSERA_TRY(g.in, op.operandSizes(0));
  TESSERA_TRY(g.out, op.outputSizes());
  TESSERA_TRY(g.offsetDims, op.dimensions("offset_dims", g.out.size()));
  TESSERA_TRY(g.collapsed, op.dimensions("collapsed_slice_dims", g.in.size(), true));
  TESSERA_TRY(g.slices, op.ints("slice_sizes"));
  TESSERA_TRY(g.indices, indexVectorsOf(op, 1, g.in.size(), "start_index_map", "operand_batching_dims",
                                        "start_indices_batching_dims"));
  if (g.slices.size() != g.in.size() || g.indices.arrayBatch.size() != g.indices.batch.size())
    return op.wrong(fmt::format("slice_sizes are {}", sizesText(g.slices)),
                    fmt::format("one for each of the {} dimensions", g.in.size()));
  Ints expected(g.out.size(), -1), offsets;
  for (std::size_t k = 0; k < g.in.size(); ++k) {
    if (g.slices[k] < 0 || g.slices[k] > g.in[k])
      return op.wrong(fmt::format("slice_sizes are {} of {}", sizesText(g.slices), sizesText(g.in)),
                      "at most the array's sizes");
    if (!has(g.collapsed, k) && !has(g.indices.arrayBatch, k)) offsets.push_back(g.slices[k]);
  }
  for (std::size_t k = 0; k < g.out.size(); ++k)
    if (!has(g.offsetDims, k)) g.indices.rows.push_back(static_cast<i64>(k));
  const Ints counts = g.indices.counts();
  if (counts.size() != g.indices.rows.size() || offsets.size() != g.offsetDims.size())
    return op.wrong(fmt::format("offset_dims are {} of a result of rank {}", sizesText(g.offsetDims), g.out.size()),
                    fmt::format("{} of them, and {} others", offsets.size(), counts.size()));
  for (std::size_t k = 0; k < counts.size(); ++k) expected[n(g.indices.rows[k])] = counts[k];
  for (std::size_t k = 0; k < offsets.size(); ++k) expected[n(g.offsetDims[k])] = offsets[k];
  TESSERA_CHECKED(op.expectSizes(g.out, expected, "the result"));
  return g;
}

Result<Reach> gatheredOperand(const Gather& g) {
  MapBuilder m(g.out);
  std::vector<RuntimeValue> runtime;
  std::size_t offset = 0;
  for (std::size_t k = 0; k < g.in.size(); ++k) {
    Expr value = Expr::constant(0);
    if (const auto number = positionOf(g.indices.toArray, k)) {
      value = m.rt(0, g.in[k] - g.slices[k]);
      TESSERA_CHECKED(g.indices.addNumber(runtime, g.out, *number));
    }
    if (const auto row = g.indices.rowOfBatch(k)) {
      if (*row >= 0) value = value + m.d(n(*row));
    } else if (!has(g.collapsed, k)) {
      value = value + m.d(n(g.offsetDims[offset++]));
    }
    m.result(value);
  }
  return exactWith(0, m, std::move(runtime));
}

Reaches readDynamicSlice(const Op& op, int) {
  TESSERA_TRY(const Placed p, placedOf(op));
  TESSERA_TRY(Reach reach, inWhole(op, 0, p));
  std::vector<Reach> reads = {std::move(reach)};
  TESSERA_CHECKED(addStarts(op, p.starts, p.part, reads));
  return reads;
}

Reaches useDynamicSlice(const Op& op, int operand) {
  TESSERA_TRY(const Placed p, placedOf(op));
  return operand > 0 ? everywhere(op, operand) : only(inPart(op, 0, p));
}

// Elements that are kept: all but the box that the update covers. If the box is static, it is cut off per dimension:
//
//     f32[8,4], update [2,4] at (3, 0)      d0 in [0, 2], and d0 in [5, 7]
Result<Reach> kept(const Op& op, const Placed& p, std::string why) {
  Ints starts;
  for (std::size_t k = 0; k < p.whole.size(); ++k)
    if (const auto start = knownStart(op, p.starts, k, p.whole[k] - p.part[k])) starts.push_back(*start);
  if (starts.size() != p.whole.size()) return over(0, identityOf(p.whole), std::move(why));
  Reach reach;
  for (std::size_t k = 0; k < p.whole.size(); ++k)
    for (const auto& [lo, hi] : {std::pair{i64{0}, starts[k] - 1}, std::pair{starts[k] + p.part[k], p.whole[k] - 1}}) {
      if (lo > hi) continue;
      MapBuilder m(p.whole);
      for (std::size_t d = 0; d < p.whole.size(); ++d) {
        if (d < k) m.within(m.d(d), starts[d], starts[d] + p.part[d] - 1);
        if (d == k) m.within(m.d(d), lo, hi);
        m.result(m.d(d));
      }
      TESSERA_TRY(Map map, m.build());
      if (!map.isEmpty()) reach.maps.push_back(std::move(map));
    }
  return reach;
}

Reaches readDynamicUpdateSlice(const Op& op, int) {
  TESSERA_TRY(const Placed p, placedOf(op));
  TESSERA_TRY(Reach update, inPart(op, 1, p));
  TESSERA_TRY(Reach array, kept(op, p, "elements that the update overwrites are not read"));
  std::vector<Reach> reads = {std::move(array), std::move(update)};
  TESSERA_CHECKED(addStarts(op, p.starts, p.whole, reads));
  return reads;
}

Reaches useDynamicUpdateSlice(const Op& op, int operand) {
  TESSERA_TRY(const Placed p, placedOf(op));
  if (operand > 1) return everywhere(op, operand);
  return only(operand == 0 ? kept(op, p, "elements that the update overwrites do not reach the result")
                           : inWhole(op, 0, p));
}

Reaches readGather(const Op& op, int) {
  TESSERA_TRY(const Gather g, gatherOf(op));
  TESSERA_TRY(Reach operand, gatheredOperand(g));
  MapBuilder m(g.out);
  const IndexVectors& v = g.indices;
  v.coordinates(m, v.dimension < v.sizes.size() ? m.s(v.sizes[v.dimension]) : Expr::constant(0));
  TESSERA_TRY(Map indices, m.build());
  return std::vector{std::move(operand), exact(1, std::move(indices))};
}

// Where an element of the array can go: to every row of indices that may begin near enough to it.
Result<Reach> gatheredUse(const Gather& g) {
  MapBuilder m(g.in);
  std::vector<std::optional<Expr>> results(g.out.size());
  std::size_t offset = 0;
  for (std::size_t k = 0; k < g.in.size(); ++k) {
    const bool byIndex = has(g.indices.toArray, k);
    if (const auto row = g.indices.rowOfBatch(k)) {
      if (*row >= 0) results[n(*row)] = m.d(k);
    } else if (has(g.collapsed, k)) {
      if (!byIndex) m.within(m.d(k), 0, g.slices[k] - 1);
    } else if (!byIndex) {
      m.within(m.d(k), 0, g.slices[k] - 1);
      results[n(g.offsetDims[offset++])] = m.d(k);
    } else {
      const Expr within = m.s(g.slices[k]);
      m.within(m.d(k) - within, 0, g.in[k] - g.slices[k]);
      results[n(g.offsetDims[offset++])] = within;
    }
  }
  m.results(std::move(results), g.out);
  if (g.indices.toArray.empty()) return exact(0, m.build());
  return over(0, m.build(), kByIndices);
}

// An index vector is used by every element of the rows that it selects.
Reaches useGather(const Op& op, int operand) {
  TESSERA_TRY(const Gather g, gatherOf(op));
  if (operand == 0) return only(gatheredUse(g));
  MapBuilder m(g.indices.sizes);
  std::vector<Expr> results(g.out.size());
  for (std::size_t k = 0; k < g.indices.sizes.size(); ++k)
    if (k != g.indices.dimension) results[n(g.indices.rowAlong(k))] = m.d(k);
  for (const i64 k : g.offsetDims) results[n(k)] = m.s(g.out[n(k)]);
  m.results(std::move(results));
  return only(m.build());
}

}  // namespace

Ints IndexVectors::counts() const {
  Ints counts = sizes;
  if (dimension < sizes.size()) counts.erase(counts.begin() + static_cast<std::ptrdiff_t>(dimension));
  return counts;
}

i64 IndexVectors::rowAlong(std::size_t k) const { return k == dimension ? -1 : rows[k - (dimension < k ? 1 : 0)]; }

std::optional<i64> IndexVectors::rowOfBatch(std::size_t k) const {
  const auto at = positionOf(arrayBatch, k);
  return at ? std::optional(rowAlong(n(batch[*at]))) : std::nullopt;
}

void IndexVectors::coordinates(MapBuilder& m, const Expr& at) const {
  for (std::size_t k = 0; k < sizes.size(); ++k) m.result(k == dimension ? at : m.d(n(rowAlong(k))));
}

Result<void> IndexVectors::addNumber(std::vector<RuntimeValue>& to, const Ints& over, std::size_t j) const {
  MapBuilder index(over);
  coordinates(index, Expr::constant(static_cast<i64>(j)));
  TESSERA_TRY(Map map, index.build());
  to.push_back({fmt::format("rt{}", to.size()), static_cast<int>(operand), std::move(map)});
  return {};
}

Result<IndexVectors> indexVectorsOf(const Op& op, std::size_t operand, std::size_t rank, std::string_view toArray,
                                    std::string_view arrayBatch, std::string_view batch) {
  IndexVectors v;
  v.operand = operand;
  TESSERA_TRY(v.sizes, op.operandSizes(operand));
  TESSERA_TRY(v.arrayBatch, op.dimensions(arrayBatch, rank, true));
  TESSERA_TRY(v.batch, op.dimensions(batch, v.sizes.size(), true));
  TESSERA_TRY(v.toArray, op.dimensions(toArray, rank));
  TESSERA_TRY(const i64 dimension, op.number("index_vector_dim", -1));
  if (dimension < 0 || dimension > static_cast<i64>(v.sizes.size()))
    return op.wrong(fmt::format("index_vector_dim is {}", dimension), fmt::format("0 to {}", v.sizes.size()));
  v.dimension = n(dimension);
  const i64 length = v.dimension == v.sizes.size() ? 1 : v.sizes[v.dimension];
  if (length != static_cast<i64>(v.toArray.size()))
    return op.wrong(fmt::format("index vectors have {} numbers, {} {}", length, toArray, v.toArray.size()), "as many");
  return v;
}

Rules runtimeRules() {
  static constexpr RuleRow kRules[] = {
      {"dynamic-slice", readDynamicSlice, useDynamicSlice},
      {"dynamic-update-slice", readDynamicUpdateSlice, useDynamicUpdateSlice},
      {"gather", readGather, useGather},
  };
  return kRules;
}

}  // namespace tessera::hlo
