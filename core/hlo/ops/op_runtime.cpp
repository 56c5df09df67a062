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
    return op.wrong(std::to_string(count) + " start indices for " + std::to_string(rank) + " dimensions",
                    "one for each");
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
  RuntimeValue value;
  value.name = "rt" + std::to_string(runtime.size());
  value.operand = static_cast<int>(s.vector ? s.first : s.first + k);
  if (map) value.index = *map;
  runtime.push_back(std::move(value));
  return m.rt(0, most);
}

// A map and its run-time values.
Result<Reach> exactWith(std::size_t slot, const MapBuilder& m, std::vector<RuntimeValue> runtime) {
  TESSERA_TRY(Reach reach, exact(slot, m.build()));
  reach.runtime.push_back(std::move(runtime));
  return reach;
}

// An element of the part that begins at the starts: its position in the whole.
Result<Reach> inWhole(const Op& op, std::size_t slot, const Starts& starts, const Ints& whole, const Ints& part) {
  MapBuilder m(part);
  std::vector<RuntimeValue> runtime;
  for (std::size_t k = 0; k < whole.size(); ++k)
    m.result(m.d(k) + start(op, starts, m, k, whole[k] - part[k], part, runtime));
  return exactWith(slot, m, std::move(runtime));
}

// An element of the whole: its position in the part, if it is there.
Result<Reach> inPart(const Op& op, std::size_t slot, const Starts& starts, const Ints& whole, const Ints& part) {
  MapBuilder m(whole);
  std::vector<RuntimeValue> runtime;
  for (std::size_t k = 0; k < whole.size(); ++k) {
    const Expr at = m.d(k) - start(op, starts, m, k, whole[k] - part[k], whole, runtime);
    m.within(at, 0, part[k] - 1);
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
      return op.wrong("the start index " + op.nameOf(k) + " is " + sizesText(sizes), "a scalar");
    }
    TESSERA_TRY(Reach reach, exact(k, m.build()));
    reads.push_back(std::move(reach));
  }
  return {};
}

struct Sliced {
  Ints in, out;
  Starts starts;
};
Result<Sliced> slicedOf(const Op& op) {
  Sliced p;
  TESSERA_TRY(p.in, op.operandSizes(0));
  TESSERA_TRY(p.out, op.outputSizes());
  TESSERA_TRY(const Ints sizes, op.ints("dynamic_slice_sizes", p.out));
  TESSERA_CHECKED(op.expectSizes(p.out, sizes, "the result"));
  if (p.in.size() != p.out.size())
    return op.wrong("a part of rank " + std::to_string(p.out.size()) + " of " + sizesText(p.in), "the same rank");
  TESSERA_TRY(p.starts, startsOf(op, 1, p.in.size()));
  for (std::size_t k = 0; k < p.in.size(); ++k)
    if (p.out[k] > p.in[k]) return op.wrong(sizesText(p.out) + " of " + sizesText(p.in), "a part");
  return p;
}

struct Updated {
  Ints out, update;
  Starts starts;
};
Result<Updated> updatedOf(const Op& op) {
  if (op.operands() < 2) return op.wrong("it has no update", "array, update, start indices");
  Updated u;
  TESSERA_TRY(const Ints in, op.operandSizes(0));
  TESSERA_TRY(u.update, op.operandSizes(1));
  TESSERA_TRY(u.out, op.outputSizes());
  TESSERA_CHECKED(op.expectSizes(u.out, in, "the result"));
  if (in.size() != u.update.size())
    return op.wrong("an update " + sizesText(u.update) + " of " + sizesText(in), "the same rank");
  TESSERA_TRY(u.starts, startsOf(op, 2, in.size()));
  for (std::size_t k = 0; k < in.size(); ++k)
    if (u.update[k] > in[k]) return op.wrong("an update " + sizesText(u.update) + " of " + sizesText(in), "a part");
  return u;
}

struct Gather {
  Ints in, indices, out, offsetDims, collapsed, startMap, slices, inBatch, indicesBatch;
  std::size_t vectorDim = 0;
  Ints batch;  // the output dimensions that are not offsets
};
Result<Gather> gatherOf(const Op& op) {
  TESSERA_CHECKED(op.expectOperands(2));
  Gather g;
  TESSERA_TRY(g.in, op.operandSizes(0));
  TESSERA_TRY(g.indices, op.operandSizes(1));
  TESSERA_TRY(g.out, op.outputSizes());
  TESSERA_TRY(g.offsetDims, op.dimensions("offset_dims", g.out.size()));
  TESSERA_TRY(g.collapsed, op.dimensions("collapsed_slice_dims", g.in.size(), true));
  TESSERA_TRY(g.inBatch, op.dimensions("operand_batching_dims", g.in.size(), true));
  TESSERA_TRY(g.indicesBatch, op.dimensions("start_indices_batching_dims", g.indices.size(), true));
  TESSERA_TRY(g.startMap, op.dimensions("start_index_map", g.in.size()));
  TESSERA_TRY(g.slices, op.ints("slice_sizes"));
  TESSERA_TRY(const i64 vectorDim, op.number("index_vector_dim", -1));
  if (vectorDim < 0 || vectorDim > static_cast<i64>(g.indices.size()))
    return op.wrong("index_vector_dim is " + std::to_string(vectorDim), "0 to " + std::to_string(g.indices.size()));
  g.vectorDim = static_cast<std::size_t>(vectorDim);
  const i64 length = g.vectorDim == g.indices.size() ? 1 : g.indices[g.vectorDim];
  if (length != static_cast<i64>(g.startMap.size()))
    return op.wrong("index vectors have " + std::to_string(length) + " numbers, start_index_map " +
                        std::to_string(g.startMap.size()),
                    "as many");
  if (g.slices.size() != g.in.size() || g.inBatch.size() != g.indicesBatch.size())
    return op.wrong("slice_sizes are " + sizesText(g.slices),
                    "one for each of the " + std::to_string(g.in.size()) + " dimensions");
  for (std::size_t k = 0; k < g.in.size(); ++k)
    if (g.slices[k] < 0 || g.slices[k] > g.in[k])
      return op.wrong("slice_sizes are " + sizesText(g.slices) + " of " + sizesText(g.in), "at most the array's sizes");
  for (std::size_t k = 0; k < g.out.size(); ++k)
    if (!has(g.offsetDims, k)) g.batch.push_back(static_cast<i64>(k));
  return g;
}

// Checks the output's sizes against the definition.
Result<void> checkSizes(const Op& op, const Gather& g) {
  Ints expected(g.out.size(), -1), batch, offsets;
  for (std::size_t k = 0; k < g.indices.size(); ++k)
    if (k != g.vectorDim) batch.push_back(g.indices[k]);
  for (std::size_t k = 0; k < g.in.size(); ++k)
    if (!has(g.collapsed, k) && !has(g.inBatch, k)) offsets.push_back(g.slices[k]);
  if (batch.size() != g.batch.size() || offsets.size() != g.offsetDims.size())
    return op.wrong(
        "offset_dims are " + sizesText(g.offsetDims) + " of a result of rank " + std::to_string(g.out.size()),
        std::to_string(offsets.size()) + " of them, and " + std::to_string(batch.size()) + " others");
  for (std::size_t k = 0; k < batch.size(); ++k) expected[static_cast<std::size_t>(g.batch[k])] = batch[k];
  for (std::size_t k = 0; k < offsets.size(); ++k) expected[static_cast<std::size_t>(g.offsetDims[k])] = offsets[k];
  return op.expectSizes(g.out, expected, "the result");
}

// Coordinates of the indices array for an output element, with `at` in the dimension of the index vector.
void indexCoordinates(const Gather& g, MapBuilder& m, const Expr& at) {
  std::size_t next = 0;
  for (std::size_t k = 0; k < g.indices.size(); ++k)
    m.result(k == g.vectorDim ? at : m.d(static_cast<std::size_t>(g.batch[next++])));
}

// A batching dimension's coordinate is that of the indices.
Expr batchCoordinate(const Gather& g, const MapBuilder& m, i64 indicesDim) {
  std::size_t next = 0;
  for (std::size_t k = 0; k < g.indices.size(); ++k) {
    if (k == g.vectorDim) continue;
    if (static_cast<i64>(k) == indicesDim) return m.d(static_cast<std::size_t>(g.batch[next]));
    ++next;
  }
  return Expr::constant(0);
}

Result<Reach> gatheredOperand(const Gather& g) {
  MapBuilder m(g.out);
  std::vector<RuntimeValue> runtime;
  std::vector<Expr> starts(g.in.size(), Expr::constant(0));
  for (std::size_t k = 0; k < g.in.size(); ++k) {
    const auto j = std::find(g.startMap.begin(), g.startMap.end(), static_cast<i64>(k));
    if (j == g.startMap.end()) continue;
    starts[k] = m.rt(0, g.in[k] - g.slices[k]);
    MapBuilder index(g.out);
    indexCoordinates(g, index, Expr::constant(j - g.startMap.begin()));
    TESSERA_TRY(Map map, index.build());
    runtime.push_back({"rt" + std::to_string(runtime.size()), 1, std::move(map)});
  }
  std::size_t offset = 0;
  for (std::size_t k = 0; k < g.in.size(); ++k) {
    Expr value = starts[k];
    const auto batched = std::find(g.inBatch.begin(), g.inBatch.end(), static_cast<i64>(k));
    if (batched != g.inBatch.end())
      value = value + batchCoordinate(g, m, g.indicesBatch[static_cast<std::size_t>(batched - g.inBatch.begin())]);
    else if (!has(g.collapsed, k))
      value = value + m.d(static_cast<std::size_t>(g.offsetDims[offset++]));
    m.result(value);
  }
  return exactWith(0, m, std::move(runtime));
}

Reaches readDynamicSlice(const Op& op, int) {
  TESSERA_TRY(const Sliced p, slicedOf(op));
  TESSERA_TRY(Reach reach, inWhole(op, 0, p.starts, p.in, p.out));
  std::vector<Reach> reads = {std::move(reach)};
  TESSERA_CHECKED(addStarts(op, p.starts, p.out, reads));
  return reads;
}

Reaches useDynamicSlice(const Op& op, int operand) {
  TESSERA_TRY(const Sliced p, slicedOf(op));
  if (operand > 0) return everywhere(op, operand);
  return only(inPart(op, 0, p.starts, p.in, p.out));
}

// Elements that are kept: all but the box that the update covers. If the box is static, it is cut off per dimension:
//
//     f32[8,4], update [2,4] at (3, 0)      d0 in [0, 2], and d0 in [5, 7]
Result<Reach> kept(const Op& op, const Updated& u, std::string why) {
  std::vector<i64> starts;
  for (std::size_t k = 0; k < u.out.size(); ++k)
    if (const auto start = knownStart(op, u.starts, k, u.out[k] - u.update[k])) starts.push_back(*start);
  if (starts.size() != u.out.size()) return over(0, identityOf(u.out), std::move(why));
  Reach reach;
  for (std::size_t k = 0; k < u.out.size(); ++k)
    for (const auto& [lo, hi] : {std::pair{i64{0}, starts[k] - 1}, std::pair{starts[k] + u.update[k], u.out[k] - 1}}) {
      if (lo > hi) continue;
      MapBuilder m(u.out);
      for (std::size_t d = 0; d < u.out.size(); ++d) {
        if (d < k) m.within(m.d(d), starts[d], starts[d] + u.update[d] - 1);
        if (d == k) m.within(m.d(d), lo, hi);
        m.result(m.d(d));
      }
      TESSERA_TRY(Map map, m.build());
      if (!map.isEmpty()) reach.maps.push_back(std::move(map));
    }
  return reach;
}

Reaches readDynamicUpdateSlice(const Op& op, int) {
  TESSERA_TRY(const Updated u, updatedOf(op));
  TESSERA_TRY(Reach update, inPart(op, 1, u.starts, u.out, u.update));
  TESSERA_TRY(Reach array, kept(op, u, "what the update covers is not read"));
  std::vector<Reach> reads = {std::move(array), std::move(update)};
  TESSERA_CHECKED(addStarts(op, u.starts, u.out, reads));
  return reads;
}

Reaches useDynamicUpdateSlice(const Op& op, int operand) {
  TESSERA_TRY(const Updated u, updatedOf(op));
  if (operand > 1) return everywhere(op, operand);
  return only(operand == 0 ? kept(op, u, "what the update covers goes nowhere")
                           : inWhole(op, 0, u.starts, u.out, u.update));
}

Reaches readGather(const Op& op, int) {
  TESSERA_TRY(const Gather g, gatherOf(op));
  TESSERA_CHECKED(checkSizes(op, g));
  TESSERA_TRY(Reach operand, gatheredOperand(g));
  MapBuilder m(g.out);
  indexCoordinates(g, m, g.vectorDim < g.indices.size() ? m.s(g.indices[g.vectorDim]) : Expr::constant(0));
  TESSERA_TRY(Map indices, m.build());
  return std::vector{std::move(operand), exact(1, std::move(indices))};
}

// Where an element of the array can go: to every row of indices that may begin near enough to it.
Result<Reach> gatheredUse(const Gather& g) {
  MapBuilder m(g.in);
  std::vector<std::optional<Expr>> results(g.out.size());
  std::size_t offset = 0;
  for (std::size_t k = 0; k < g.in.size(); ++k) {
    const bool byIndex = has(g.startMap, k);
    const auto batched = std::find(g.inBatch.begin(), g.inBatch.end(), static_cast<i64>(k));
    if (batched != g.inBatch.end()) {
      const i64 dim = g.indicesBatch[static_cast<std::size_t>(batched - g.inBatch.begin())];
      const auto before = static_cast<std::size_t>(dim) - (g.vectorDim < static_cast<std::size_t>(dim) ? 1 : 0);
      if (static_cast<std::size_t>(dim) != g.vectorDim && before < g.batch.size()) results[n(g.batch[before])] = m.d(k);
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
  if (g.startMap.empty()) return exact(0, m.build());
  return over(0, m.build(), kByIndices);
}

// An index vector is used by every element of the rows that it selects.
Reaches useGather(const Op& op, int operand) {
  TESSERA_TRY(const Gather g, gatherOf(op));
  TESSERA_CHECKED(checkSizes(op, g));
  if (operand == 0) return only(gatheredUse(g));
  MapBuilder m(g.indices);
  std::vector<Expr> results(g.out.size());
  std::size_t next = 0;
  for (std::size_t k = 0; k < g.indices.size(); ++k)
    if (k != g.vectorDim) results[n(g.batch[next++])] = m.d(k);
  for (const i64 k : g.offsetDims) results[n(k)] = m.s(g.out[n(k)]);
  m.results(std::move(results));
  return only(m.build());
}

}  // namespace

Rules runtimeRules() {
  static constexpr RuleRow kRules[] = {
      {"dynamic-slice", readDynamicSlice, useDynamicSlice},
      {"dynamic-update-slice", readDynamicUpdateSlice, useDynamicUpdateSlice},
      {"gather", readGather, useGather},
  };
  return kRules;
}

}  // namespace tessera::hlo
