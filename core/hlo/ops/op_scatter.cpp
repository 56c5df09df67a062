// Writes at run-time positions: scatter; and select-and-scatter, whose positions depend on values.
//
// An update window that leaves the array is dropped whole, so an update may go nowhere: its map says where it would go.
#include <algorithm>

#include "core/hlo/ops/op.h"

namespace tessera::hlo {
namespace {

struct Scatter {
  std::size_t arrays = 0;  // operands, then the indices, then as many updates
  Ints in, indices, updates, windowDims, inserted, toOperand, inBatch, indicesBatch;
  std::size_t vectorDim = 0;
  Ints scattered;        // dimensions of the updates that count index vectors
  Ints windowOf, sizes;  // per array dimension: that of the updates (-1: one element), and how many elements
};

Result<void> readAttributes(const Op& op, Scatter& s) {
  TESSERA_TRY(s.windowDims, op.dimensions("update_window_dims", s.updates.size()));
  TESSERA_TRY(s.inserted, op.dimensions("inserted_window_dims", s.in.size(), true));
  TESSERA_TRY(s.inBatch, op.dimensions("input_batching_dims", s.in.size(), true));
  TESSERA_TRY(s.indicesBatch, op.dimensions("scatter_indices_batching_dims", s.indices.size(), true));
  TESSERA_TRY(s.toOperand, op.dimensions("scatter_dims_to_operand_dims", s.in.size()));
  TESSERA_TRY(const i64 vectorDim, op.number("index_vector_dim", -1));
  if (vectorDim < 0 || vectorDim > static_cast<i64>(s.indices.size()))
    return op.wrong("index_vector_dim is " + std::to_string(vectorDim), "0 to " + std::to_string(s.indices.size()));
  s.vectorDim = n(vectorDim);
  const i64 length = s.vectorDim == s.indices.size() ? 1 : s.indices[s.vectorDim];
  if (length != static_cast<i64>(s.toOperand.size()) || s.inBatch.size() != s.indicesBatch.size())
    return op.wrong("index vectors have " + std::to_string(length) + " numbers, scatter_dims_to_operand_dims " +
                        std::to_string(s.toOperand.size()),
                    "as many");
  return {};
}

Result<Scatter> scatterOf(const Op& op) {
  Scatter s;
  if (op.operands() < 3 || op.operands() % 2 == 0)
    return op.wrong(std::to_string(op.operands()) + " operands", "arrays, indices, then as many updates");
  s.arrays = op.operands() / 2;
  TESSERA_TRY(s.in, op.operandSizes(0));
  TESSERA_TRY(s.indices, op.operandSizes(s.arrays));
  TESSERA_TRY(s.updates, op.operandSizes(s.arrays + 1));
  for (std::size_t k = 0; k < s.arrays; ++k) {
    TESSERA_TRY(const Ints in, op.operandSizes(k));
    TESSERA_TRY(const Ints updates, op.operandSizes(s.arrays + 1 + k));
    TESSERA_CHECKED(op.expectSizes(in, s.in, op.nameOf(k)));
    TESSERA_CHECKED(op.expectSizes(updates, s.updates, op.nameOf(s.arrays + 1 + k)));
  }
  TESSERA_CHECKED(readAttributes(op, s));
  Ints counts;
  for (std::size_t k = 0; k < s.updates.size(); ++k)
    if (!has(s.windowDims, k)) s.scattered.push_back(static_cast<i64>(k));
  for (std::size_t k = 0; k < s.indices.size(); ++k)
    if (k != s.vectorDim) counts.push_back(s.indices[k]);
  std::size_t next = 0;
  for (std::size_t k = 0; k < s.in.size(); ++k) {
    const bool one = has(s.inserted, k) || has(s.inBatch, k);
    if (!one && next == s.windowDims.size())
      return op.wrong("too few update_window_dims", "one for each dimension left");
    s.windowOf.push_back(one ? -1 : s.windowDims[next++]);
    s.sizes.push_back(one ? 1 : s.updates[n(s.windowOf.back())]);
    if (s.sizes.back() > s.in[k])
      return op.wrong("a window " + sizesText(s.updates) + " of " + sizesText(s.in), "a part");
  }
  Ints expected = s.updates;
  if (next != s.windowDims.size() || counts.size() != s.scattered.size())
    return op.wrong(
        "update_window_dims are " + sizesText(s.windowDims) + " of updates of rank " + std::to_string(s.updates.size()),
        std::to_string(next) + " of them, and " + std::to_string(counts.size()) + " others");
  for (std::size_t k = 0; k < counts.size(); ++k) expected[n(s.scattered[k])] = counts[k];
  TESSERA_CHECKED(op.expectSizes(s.updates, expected, "the updates"));
  for (std::size_t o = 0; o < op.outputs(); ++o) {
    TESSERA_TRY(const Ints out, op.outputSizes(o));
    TESSERA_CHECKED(op.expectSizes(out, s.in, "the result"));
  }
  return s;
}

// The dimension of the updates that runs along that dimension of the indices; -1: the index vector itself.
i64 scatteredAlong(const Scatter& s, i64 indicesDim) {
  std::size_t next = 0;
  for (std::size_t k = 0; k < s.indices.size(); ++k) {
    if (k == s.vectorDim) continue;
    if (static_cast<i64>(k) == indicesDim) return s.scattered[next];
    ++next;
  }
  return -1;
}

// Which updates can land on an element.
Result<Reach> updatesOnto(const Scatter& s, std::size_t slot) {
  MapBuilder m(s.in);
  std::vector<std::optional<Expr>> results(s.updates.size());
  for (std::size_t k = 0; k < s.in.size(); ++k) {
    const auto batched = std::find(s.inBatch.begin(), s.inBatch.end(), static_cast<i64>(k));
    if (batched != s.inBatch.end()) {
      const i64 at = scatteredAlong(s, s.indicesBatch[n(batched - s.inBatch.begin())]);
      if (at >= 0) results[n(at)] = m.d(k);
      continue;
    }
    const bool byIndex = has(s.toOperand, k);
    if (!byIndex) m.within(m.d(k), 0, s.sizes[k] - 1);
    if (s.windowOf[k] < 0) continue;
    const Expr within = byIndex ? m.s(s.sizes[k]) : m.d(k);
    if (byIndex) m.within(m.d(k) - within, 0, s.in[k] - s.sizes[k]);
    results[n(s.windowOf[k])] = within;
  }
  m.results(std::move(results), s.updates);
  return over(slot, m.build(), kByIndices);
}

// Where an update lands, given the values of its index vector.
Result<Reach> updateLands(const Scatter& s, std::size_t slot) {
  MapBuilder m(s.updates);
  std::vector<RuntimeValue> runtime;
  for (std::size_t k = 0; k < s.in.size(); ++k) {
    Expr at = s.windowOf[k] < 0 ? Expr::constant(0) : m.d(n(s.windowOf[k]));
    const auto batched = std::find(s.inBatch.begin(), s.inBatch.end(), static_cast<i64>(k));
    const auto number = std::find(s.toOperand.begin(), s.toOperand.end(), static_cast<i64>(k));
    if (batched != s.inBatch.end()) {
      const i64 along = scatteredAlong(s, s.indicesBatch[n(batched - s.inBatch.begin())]);
      if (along >= 0) at = m.d(n(along));
    } else if (number != s.toOperand.end()) {
      at = at + m.rt(0, s.in[k] - s.sizes[k]);
      MapBuilder index(s.updates);
      std::size_t next = 0;
      for (std::size_t d = 0; d < s.indices.size(); ++d)
        index.result(d == s.vectorDim ? Expr::constant(number - s.toOperand.begin()) : index.d(n(s.scattered[next++])));
      TESSERA_TRY(Map map, index.build());
      runtime.push_back({"rt" + std::to_string(runtime.size()), static_cast<int>(s.arrays), std::move(map)});
    }
    m.result(at);
  }
  TESSERA_TRY(Reach reach, runtime.empty()
                               ? exact(slot, m.build())
                               : over(slot, m.build(), "a window of updates that leaves the array is dropped"));
  reach.runtime.push_back(std::move(runtime));
  return reach;
}

// A result depends on the old value, on the updates that land there, and on all indices, which decide which ones do.
Reaches readScatter(const Op& op, int) {
  TESSERA_TRY(const Scatter s, scatterOf(op));
  TESSERA_TRY(const Map identity, identityOf(s.in));
  MapBuilder all(s.in);
  all.ranges(s.indices);
  TESSERA_TRY(Map indices, all.build());
  std::vector<Reach> reads;
  for (std::size_t k = 0; k < s.arrays; ++k)
    reads.push_back(over(k, identity, "the elements that an update replaces are possibly not read"));
  reads.push_back(over(s.arrays, std::move(indices), "those of updates that cannot land there are of no use"));
  for (std::size_t k = 0; k < s.arrays; ++k) {
    TESSERA_TRY(Reach updates, updatesOnto(s, s.arrays + 1 + k));
    reads.push_back(std::move(updates));
  }
  return reads;
}

Reaches useScatter(const Op& op, int operand) {
  TESSERA_TRY(const Scatter s, scatterOf(op));
  if (n(operand) == s.arrays) {
    TESSERA_TRY(std::vector<Reach> uses, everywhere(op, operand));
    for (Reach& u : uses) u = over(n(u.slot), std::move(u.maps[0]), kByIndices);
    return uses;
  }
  return each(op.outputs(), [&](std::size_t o) {
    return n(operand) > s.arrays ? updateLands(s, o)
                                 : over(o, identityOf(s.in), "what an update replaces may go nowhere");
  });
}

constexpr const char* kChosen = "of each window one element is chosen, by the values";

// select-and-scatter(array, source, initial value): one window per element of the source.
struct Selected {
  Ints in, source;
  std::vector<WindowDim> window;
};
Result<Selected> selectedOf(const Op& op) {
  TESSERA_CHECKED(op.expectOperands(3));
  Selected s;
  TESSERA_TRY(s.in, op.operandSizes(0));
  TESSERA_TRY(s.source, op.operandSizes(1));
  TESSERA_TRY(const Ints out, op.outputSizes());
  TESSERA_CHECKED(op.expectSizes(out, s.in, "the result"));
  TESSERA_TRY(s.window, op.window(s.in.size()));
  if (s.source.size() != s.in.size())
    return op.wrong("the window has " + std::to_string(s.window.size()) + " dimensions", std::to_string(s.in.size()));
  Ints windows;
  for (std::size_t k = 0; k < s.in.size(); ++k) windows.push_back(windowedSize(s.window[k], s.in[k]).value_or(-1));
  TESSERA_CHECKED(op.expectSizes(s.source, windows, op.nameOf(1)));
  return s;
}

// Windows that contain an element: their k-th coordinate, with `tap` the element's place within.
Expr windowOver(MapBuilder& m, const Expr& element, const Expr& tap, const WindowDim& w, i64 windows) {
  const Expr at = element + w.low - tap * w.dilation;
  m.within(at, 0, (windows - 1) * w.stride);
  if (w.stride > 1) m.within(mod(at, w.stride), 0, 0);
  return floorDiv(at, w.stride);
}
// The element at a place of a window.
Expr elementUnder(MapBuilder& m, const Expr& window, const Expr& tap, const WindowDim& w, i64 size) {
  Expr at = window * w.stride + tap * w.dilation + -w.low;
  m.within(at, 0, size - 1);
  return at;
}

// From array elements to the windows that contain them, and optionally on to all elements of those windows.
Result<Map> windowsMap(const Selected& s, bool andTheirElements) {
  MapBuilder m(s.in);
  for (std::size_t k = 0; k < s.in.size(); ++k) {
    const Expr window = windowOver(m, m.d(k), m.s(s.window[k].size), s.window[k], s.source[k]);
    m.result(andTheirElements ? elementUnder(m, window, m.s(s.window[k].size), s.window[k], s.in[k]) : window);
  }
  return m.build();
}

Reaches readSelectAndScatter(const Op& op, int) {
  TESSERA_TRY(const Selected s, selectedOf(op));
  TESSERA_TRY(Map array, windowsMap(s, true));
  TESSERA_TRY(Map source, windowsMap(s, false));
  TESSERA_TRY(Map initial, scalarOf(s.in));
  return std::vector{over(0, std::move(array), "no more than who is chosen needs"), over(1, std::move(source), kChosen),
                     exact(2, std::move(initial))};
}

Reaches useSelectAndScatter(const Op& op, int operand) {
  TESSERA_TRY(const Selected s, selectedOf(op));
  if (operand == 2) return everywhere(op, operand);
  if (operand == 0)  // the relation is symmetric: two elements of one window
    return only(over(0, windowsMap(s, true), "no more than who is chosen needs"));
  MapBuilder m(s.source);
  for (std::size_t k = 0; k < s.in.size(); ++k)
    m.result(elementUnder(m, m.d(k), m.s(s.window[k].size), s.window[k], s.in[k]));
  return only(over(0, m.build(), kChosen));
}

}  // namespace

Rules scatterRules() {
  static constexpr RuleRow kRules[] = {
      {"scatter", readScatter, useScatter},
      {"select-and-scatter", readSelectAndScatter, useSelectAndScatter},
  };
  return kRules;
}

}  // namespace tessera::hlo
