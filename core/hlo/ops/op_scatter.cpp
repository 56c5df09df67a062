// Writes at run-time positions: scatter; and select-and-scatter, whose positions depend on values.
//
// An update window that leaves the array is dropped whole, so an update may go nowhere; its map gives where it would
// go.
#include "core/hlo/ops/op.h"

namespace tessera::hlo {
namespace {

struct Scatter {
  std::size_t arrays = 0;  // operands, then the indices, then as many updates
  Ints in, updates, windowDims;
  IndexVectors indices;
  Ints windowOf, sizes;  // per array dimension: that of the updates (-1: one element), and how many elements
};

Result<Scatter> scatterOf(const Op& op) {
  Scatter s;
  if (op.operands() < 3 || op.operands() % 2 == 0)
    return op.wrong(fmt::format("{} operands", op.operands()), "arrays, indices, then as many updates");
  s.arrays = op.operands() / 2;
  TESSERA_TRY(s.in, op.operandSizes(0));
  TESSERA_TRY(s.updates, op.operandSizes(s.arrays + 1));
  for (std::size_t k = 0; k < s.arrays; ++k) {
    TESSERA_TRY(const Ints in, op.operandSizes(k));
    TESSERA_TRY(const Ints updates, op.operandSizes(s.arrays + 1 + k));
    TESSERA_CHECKED(op.expectSizes(in, s.in, op.nameOf(k)));
    TESSERA_CHECKED(op.expectSizes(updates, s.updates, op.nameOf(s.arrays + 1 + k)));
  }
  TESSERA_TRY(s.windowDims, op.dimensions("update_window_dims", s.updates.size()));
  TESSERA_TRY(const Ints inserted, op.dimensions("inserted_window_dims", s.in.size(), true));
  constexpr std::string_view kToOperand = "scatter_dims_to_operand_dims";
  TESSERA_TRY(s.indices, indexVectorsOf(op, s.arrays, s.in.size(), kToOperand, "input_batching_dims",
                                        "scatter_indices_batching_dims"));
  if (s.indices.arrayBatch.size() != s.indices.batch.size())
    return op.wrong(fmt::format("index vectors have {} numbers, {} {}", s.indices.toArray.size(), kToOperand,
                                s.indices.toArray.size()),
                    "as many");
  const Ints counts = s.indices.counts();
  for (std::size_t k = 0; k < s.updates.size(); ++k)
    if (!has(s.windowDims, k)) s.indices.rows.push_back(static_cast<i64>(k));
  std::size_t next = 0;
  for (std::size_t k = 0; k < s.in.size(); ++k) {
    const bool one = has(inserted, k) || has(s.indices.arrayBatch, k);
    if (!one && next == s.windowDims.size())
      return op.wrong("too few update_window_dims", "one for each dimension left");
    s.windowOf.push_back(one ? -1 : s.windowDims[next++]);
    s.sizes.push_back(one ? 1 : s.updates[n(s.windowOf.back())]);
    if (s.sizes.back() > s.in[k])
      return op.wrong(fmt::format("a window {} of {}", sizesText(s.updates), sizesText(s.in)), "a part");
  }
  Ints expected = s.updates;
  if (next != s.windowDims.size() || counts.size() != s.indices.rows.size())
    return op.wrong(
        fmt::format("update_window_dims are {} of updates of rank {}", sizesText(s.windowDims), s.updates.size()),
        fmt::format("{} of them, and {} others", next, counts.size()));
  for (std::size_t k = 0; k < counts.size(); ++k) expected[n(s.indices.rows[k])] = counts[k];
  TESSERA_CHECKED(op.expectSizes(s.updates, expected, "the updates"));
  for (std::size_t o = 0; o < op.outputs(); ++o) {
    TESSERA_TRY(const Ints out, op.outputSizes(o));
    TESSERA_CHECKED(op.expectSizes(out, s.in, "the result"));
  }
  return s;
}

// Which updates can land on an element.
Result<Reach> updatesOnto(const Scatter& s, std::size_t slot) {
  MapBuilder m(s.in);
  std::vector<std::optional<Expr>> results(s.updates.size());
  for (std::size_t k = 0; k < s.in.size(); ++k) {
    if (const auto row = s.indices.rowOfBatch(k)) {
      if (*row >= 0) results[n(*row)] = m.d(k);
      continue;
    }
    const bool byIndex = has(s.indices.toArray, k);
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
    if (const auto row = s.indices.rowOfBatch(k)) {
      if (*row >= 0) at = m.d(n(*row));
    } else if (const auto number = positionOf(s.indices.toArray, k)) {
      at = at + m.rt(0, s.in[k] - s.sizes[k]);
      TESSERA_CHECKED(s.indices.addNumber(runtime, s.updates, *number));
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
  return each(op.operands(), [&](std::size_t k) -> Result<Reach> {
    if (k > s.arrays) return updatesOnto(s, k);
    if (k < s.arrays) return over(k, identityOf(s.in), "the elements that an update replaces are possibly not read");
    MapBuilder all(s.in);
    all.ranges(s.indices.sizes);
    return over(k, all.build(), "indices of updates that cannot land there are not needed");
  });
}

Reaches useScatter(const Op& op, int operand) {
  TESSERA_TRY(const Scatter s, scatterOf(op));
  return each(op.outputs(), [&](std::size_t o) -> Result<Reach> {
    if (n(operand) > s.arrays) return updateLands(s, o);
    if (n(operand) < s.arrays)
      return over(o, identityOf(s.in), "elements that an update overwrites may not reach the result");
    MapBuilder all(s.indices.sizes);
    all.ranges(s.in);
    return over(o, all.build(), kByIndices);
  });
}

constexpr const char* kChosen = "the values choose one element of each window";

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
    return op.wrong(fmt::format("the window has {} dimensions", s.window.size()), std::to_string(s.in.size()));
  Ints windows;
  for (std::size_t k = 0; k < s.in.size(); ++k) windows.push_back(windowedSize(s.window[k], s.in[k]).value_or(-1));
  TESSERA_CHECKED(op.expectSizes(s.source, windows, op.nameOf(1)));
  return s;
}

// From array elements to the windows that contain them, and optionally on to all elements of those windows.
Result<Map> windowsMap(const Selected& s, bool andTheirElements) {
  MapBuilder m(s.in);
  for (std::size_t k = 0; k < s.in.size(); ++k) {
    const Expr window = windowUse(m, m.d(k), m.s(s.window[k].size), s.window[k], s.source[k]);
    m.result(andTheirElements ? windowRead(m, window, m.s(s.window[k].size), s.window[k], s.in[k]) : window);
  }
  return m.build();
}

Reaches readSelectAndScatter(const Op& op, int) {
  TESSERA_TRY(const Selected s, selectedOf(op));
  return each(3, [&](std::size_t k) {
    return k == 2   ? exact(k, scalarOf(s.in))
           : k == 1 ? over(k, windowsMap(s, false), kChosen)
                    : over(k, windowsMap(s, true), "needed only to choose an element");
  });
}

Reaches useSelectAndScatter(const Op& op, int operand) {
  TESSERA_TRY(const Selected s, selectedOf(op));
  if (operand == 2) return everywhere(op, operand);
  if (operand == 0)  // the relation is symmetric: two elements of one window
    return only(over(0, windowsMap(s, true), "needed only to choose an element"));
  MapBuilder m(s.source);
  for (std::size_t k = 0; k < s.in.size(); ++k)
    m.result(windowRead(m, m.d(k), m.s(s.window[k].size), s.window[k], s.in[k]));
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
