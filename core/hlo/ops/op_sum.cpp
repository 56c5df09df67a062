// Reductions: reduce, reduce-window, dot, convolution; and their converses, from one element to many.
#include <algorithm>

#include "core/base/mapped.h"
#include "core/hlo/ops/op.h"

namespace tessera::hlo {
namespace {

// The number of inputs; as many initial values follow.
Result<std::size_t> inputsOf(const Op& op) {
  if (op.operands() == 0 || op.operands() % 2 != 0)
    return op.wrong(std::to_string(op.operands()) + " operands", "inputs, then as many initial values");
  return op.operands() / 2;
}

Result<void> scalarInitials(const Op& op, std::size_t inputs) {
  for (std::size_t k = inputs; k < 2 * inputs; ++k) {
    TESSERA_TRY(const Ints sizes, op.operandSizes(k));
    if (!sizes.empty()) return op.wrong("the initial value " + op.nameOf(k) + " is " + sizesText(sizes), "a scalar");
  }
  return {};
}

struct Reduction {
  std::size_t inputs = 0;
  Ints in, out, dimensions;
};
Result<Reduction> reductionOf(const Op& op) {
  Reduction r;
  TESSERA_TRY(r.inputs, inputsOf(op));
  TESSERA_CHECKED(scalarInitials(op, r.inputs));
  TESSERA_TRY(r.in, op.operandSizes(0));
  TESSERA_TRY(r.out, op.outputSizes(0));
  TESSERA_TRY(r.dimensions, op.dimensions("dimensions", r.in.size()));
  Ints expected;
  for (std::size_t k = 0; k < r.in.size(); ++k)
    if (!has(r.dimensions, k)) expected.push_back(r.in[k]);
  TESSERA_CHECKED(op.expectSizes(r.out, expected, "the result"));
  for (std::size_t k = 1; k < r.inputs; ++k) {
    TESSERA_TRY(const Ints sizes, op.operandSizes(k));
    TESSERA_CHECKED(op.expectSizes(sizes, r.in, op.nameOf(k)));
  }
  return r;
}

struct Product {
  Ints lhs, rhs, out, lhsBatch, rhsBatch, lhsContracting, rhsContracting;
  // The output's dimension for each dimension of lhs or rhs; -1: contracted.
  [[nodiscard]] Ints outputOf(bool left) const {
    const Ints& batch = left ? lhsBatch : rhsBatch;
    const Ints& contracting = left ? lhsContracting : rhsContracting;
    Ints at((left ? lhs : rhs).size(), -1);
    for (std::size_t k = 0; k < batch.size(); ++k) at[static_cast<std::size_t>(batch[k])] = static_cast<i64>(k);
    i64 next = static_cast<i64>(batch.size() + (left ? 0 : lhs.size() - lhsBatch.size() - lhsContracting.size()));
    for (std::size_t k = 0; k < at.size(); ++k)
      if (!has(batch, k) && !has(contracting, k)) at[k] = next++;
    return at;
  }
};
Result<Product> productOf(const Op& op) {
  TESSERA_CHECKED(op.expectOperands(op.opcode() == "dot" ? 2 : 4));
  Product p;
  TESSERA_TRY(p.lhs, op.operandSizes(0));
  TESSERA_TRY(p.rhs, op.operandSizes(1));
  TESSERA_TRY(p.out, op.outputSizes());
  TESSERA_TRY(p.lhsBatch, op.dimensions("lhs_batch_dims", p.lhs.size(), true));
  TESSERA_TRY(p.rhsBatch, op.dimensions("rhs_batch_dims", p.rhs.size(), true));
  TESSERA_TRY(p.lhsContracting, op.dimensions("lhs_contracting_dims", p.lhs.size(), true));
  TESSERA_TRY(p.rhsContracting, op.dimensions("rhs_contracting_dims", p.rhs.size(), true));
  if (p.lhsBatch.size() != p.rhsBatch.size() || p.lhsContracting.size() != p.rhsContracting.size())
    return op.wrong("batch and contracting dimensions of the two operands differ in number", "as many on both sides");
  for (const bool left : {true, false})
    for (std::size_t k = 0; k < (left ? p.lhs : p.rhs).size(); ++k)
      if (has(left ? p.lhsBatch : p.rhsBatch, k) && has(left ? p.lhsContracting : p.rhsContracting, k))
        return op.wrong("dimension " + std::to_string(k) + " is batch and contracted", "one of the two");
  const auto agree = [&](const Ints& a, const Ints& b) {
    for (std::size_t k = 0; k < a.size(); ++k)
      if (p.lhs[static_cast<std::size_t>(a[k])] != p.rhs[static_cast<std::size_t>(b[k])]) return false;
    return true;
  };
  if (!agree(p.lhsBatch, p.rhsBatch) || !agree(p.lhsContracting, p.rhsContracting))
    return op.wrong(sizesText(p.lhs) + " and " + sizesText(p.rhs) + " do not agree",
                    "batch and contracted dimensions of equal size");
  Ints expected(p.lhs.size() + p.rhs.size() - p.lhsBatch.size() - 2 * p.lhsContracting.size());
  for (const bool left : {true, false}) {
    const Ints at = p.outputOf(left);
    for (std::size_t k = 0; k < at.size(); ++k)
      if (at[k] >= 0) expected[n(at[k])] = (left ? p.lhs : p.rhs)[k];
  }
  TESSERA_CHECKED(op.expectSizes(p.out, expected, "the result"));
  return p;
}

// Where a window's tap reads: base dilation spreads the elements, padding surrounds them. Guards drop the rest.
Expr windowRead(MapBuilder& m, const Expr& outer, const Expr& tap, const WindowDim& w, i64 size) {
  const Expr at = outer * w.stride + tap * w.dilation + -w.low;
  m.within(at, 0, (size - 1) * w.baseDilation);
  if (w.baseDilation > 1) m.within(mod(at, w.baseDilation), 0, 0);
  return floorDiv(at, w.baseDilation);
}

// The converse: which window positions put that tap on an element.
Expr windowUse(MapBuilder& m, const Expr& element, const Expr& tap, const WindowDim& w, i64 outer) {
  const Expr at = element * w.baseDilation + w.low - tap * w.dilation;
  m.within(at, 0, (outer - 1) * w.stride);
  if (w.stride > 1) m.within(mod(at, w.stride), 0, 0);
  return floorDiv(at, w.stride);
}

struct Convolution {
  Ints in, kernel, out;
  DimLabels at;
  std::vector<WindowDim> window;
  i64 featureGroups = 1, batchGroups = 1;
};

Result<void> checkSizes(const Op& op, const Convolution& c) {
  Ints expected(c.out.size());
  expected[n(c.at.outputBatch)] = c.in[n(c.at.batch)] / c.batchGroups;
  expected[n(c.at.outputFeature)] = c.kernel[n(c.at.kernelOutput)];
  for (std::size_t k = 0; k < c.window.size(); ++k) {
    if (c.kernel[n(c.at.kernelSpatial[k])] != c.window[k].size)
      return op.wrong("the window's size is " + std::to_string(c.window[k].size) + " in dimension " + std::to_string(k),
                      "the kernel's, " + std::to_string(c.kernel[n(c.at.kernelSpatial[k])]));
    expected[n(c.at.outputSpatial[k])] = windowedSize(c.window[k], c.in[n(c.at.spatial[k])]).value_or(-1);
  }
  TESSERA_CHECKED(op.expectSizes(c.out, expected, "the result"));
  if (c.kernel[n(c.at.kernelInput)] * c.featureGroups != c.in[n(c.at.feature)] ||
      c.kernel[n(c.at.kernelOutput)] % (c.featureGroups * c.batchGroups) != 0 ||
      c.in[n(c.at.batch)] % c.batchGroups != 0)
    return op.wrong(std::to_string(c.in[n(c.at.feature)]) + " features of the input, " +
                        std::to_string(c.kernel[n(c.at.kernelInput)]) + " of the kernel, " +
                        std::to_string(c.featureGroups) + " groups of features, " + std::to_string(c.batchGroups) +
                        " of the batch",
                    "kernel features * groups = features, and groups that divide the outputs and the batch");
  return {};
}

Result<Convolution> convolutionOf(const Op& op) {
  TESSERA_CHECKED(op.expectOperands(2));
  Convolution c;
  TESSERA_TRY(c.in, op.operandSizes(0));
  TESSERA_TRY(c.kernel, op.operandSizes(1));
  TESSERA_TRY(c.out, op.outputSizes());
  const Attribute* const labels = op.instruction().find("dim_labels");
  if (labels == nullptr) return op.wrong("convolution has no dim_labels", "dim_labels=b01f_01io->b01f");
  TESSERA_TRY(c.at, op.placed("dim_labels", dimLabelsOf(labels->value)));
  const std::size_t rank = c.at.spatial.size() + 2;
  if (c.in.size() != rank || c.kernel.size() != rank || c.out.size() != rank)
    return op.wrong(std::string(labels->value) + " for arrays of ranks " + std::to_string(c.in.size()) + ", " +
                        std::to_string(c.kernel.size()) + " and " + std::to_string(c.out.size()),
                    "rank " + std::to_string(rank) + " each");
  TESSERA_TRY(c.window, op.window(rank - 2));
  TESSERA_TRY(c.featureGroups, op.number("feature_group_count", 1));
  TESSERA_TRY(c.batchGroups, op.number("batch_group_count", 1));
  if (c.featureGroups < 1 || c.batchGroups < 1) return op.wrong("groups are counted from 1", "feature_group_count=1");
  TESSERA_CHECKED(checkSizes(op, c));
  return c;
}

// The taps of one output, in the input's coordinates if `input`, else in the kernel's. A tap in the padding contributes
// nothing, so neither operand is read for it.
Result<Map> convolutionMap(const Convolution& c, bool input) {
  MapBuilder m(c.out);
  auto taps = mapped<Expr>(c.window, [&](const WindowDim& w) { return m.s(w.size); });
  const Expr feature = m.s(c.kernel[n(c.at.kernelInput)]);
  const Expr outFeature = m.d(n(c.at.outputFeature));
  const i64 outFeatures = c.out[n(c.at.outputFeature)];
  std::vector<Expr> results(c.in.size());
  for (std::size_t k = 0; k < c.window.size(); ++k) {
    const WindowDim& w = c.window[k];
    const Expr at = windowRead(m, m.d(n(c.at.outputSpatial[k])), taps[k], w, c.in[n(c.at.spatial[k])]);
    if (input)
      results[n(c.at.spatial[k])] = at;
    else
      results[n(c.at.kernelSpatial[k])] = w.reversed ? taps[k] * -1 + (w.size - 1) : taps[k];
  }
  if (input) {
    results[n(c.at.feature)] =
        feature + floorDiv(outFeature, outFeatures / c.featureGroups) * c.kernel[n(c.at.kernelInput)];
    results[n(c.at.batch)] =
        m.d(n(c.at.outputBatch)) + floorDiv(outFeature, outFeatures / c.batchGroups) * c.out[n(c.at.outputBatch)];
  } else {
    results[n(c.at.kernelInput)] = feature;
    results[n(c.at.kernelOutput)] = outFeature;
  }
  m.results(std::move(results));
  return m.build();
}

// One map for every input, and the initial values.
Reaches readInputs(std::size_t inputs, const Result<Map>& map, const Ints& out) {
  const Result<Map> scalar = scalarOf(out);
  return each(2 * inputs, [&](std::size_t k) { return exact(k, k < inputs ? map : scalar); });
}

// One map for every output.
Reaches useInEveryOutput(const Op& op, const Result<Map>& map) {
  return each(op.outputs(), [&](std::size_t k) { return exact(k, map); });
}

Reaches readReduce(const Op& op, int) {
  TESSERA_TRY(const Reduction r, reductionOf(op));
  MapBuilder m(r.out);
  std::size_t kept = 0;
  for (std::size_t k = 0; k < r.in.size(); ++k) m.result(has(r.dimensions, k) ? m.s(r.in[k]) : m.d(kept++));
  return readInputs(r.inputs, m.build(), r.out);
}

// Every input and every initial value of a variadic reduction goes into every output.
Reaches useReduce(const Op& op, int operand) {
  TESSERA_TRY(const Reduction r, reductionOf(op));
  const bool initial = n(operand) >= r.inputs;
  MapBuilder m(initial ? Ints{} : r.in);
  if (initial) m.ranges(r.out);
  for (std::size_t k = 0; k < r.in.size() && !initial; ++k)
    if (!has(r.dimensions, k)) m.result(m.d(k));
  return useInEveryOutput(op, m.build());
}

struct Windowed {
  std::size_t inputs = 0;
  Ints in, out;
  std::vector<WindowDim> window;
};
Result<Windowed> windowedOf(const Op& op) {
  Windowed w;
  TESSERA_TRY(w.inputs, inputsOf(op));
  TESSERA_CHECKED(scalarInitials(op, w.inputs));
  TESSERA_TRY(w.in, op.operandSizes(0));
  TESSERA_TRY(w.out, op.outputSizes(0));
  TESSERA_TRY(w.window, op.window(w.in.size()));
  Ints expected;
  for (std::size_t k = 0; k < w.in.size(); ++k) expected.push_back(windowedSize(w.window[k], w.in[k]).value_or(-1));
  TESSERA_CHECKED(op.expectSizes(w.out, expected, "the result"));
  return w;
}

Reaches readReduceWindow(const Op& op, int) {
  TESSERA_TRY(const Windowed w, windowedOf(op));
  MapBuilder m(w.out);
  for (std::size_t k = 0; k < w.in.size(); ++k)
    m.result(windowRead(m, m.d(k), m.s(w.window[k].size), w.window[k], w.in[k]));
  return readInputs(w.inputs, m.build(), w.out);
}

// An element lies under each tap at most once.
Reaches useReduceWindow(const Op& op, int operand) {
  TESSERA_TRY(const Windowed w, windowedOf(op));
  if (n(operand) >= w.inputs) return everywhere(op, operand);
  MapBuilder m(w.in);
  for (std::size_t k = 0; k < w.in.size(); ++k)
    m.result(windowUse(m, m.d(k), m.s(w.window[k].size), w.window[k], w.out[k]));
  return useInEveryOutput(op, m.build());
}

// What a product reads of one side, or of its scales: each covers `block[k]` consecutive elements of dimension k.
Result<Map> productMap(const Product& p, bool left, const Ints& block) {
  MapBuilder m(p.out);
  auto sums = mapped<Expr>(p.lhsContracting, [&](i64 k) { return m.s(p.lhs[n(k)]); });
  const Ints at = p.outputOf(left), &contracting = left ? p.lhsContracting : p.rhsContracting;
  for (std::size_t k = 0; k < at.size(); ++k) {
    const auto sum = std::find(contracting.begin(), contracting.end(), static_cast<i64>(k)) - contracting.begin();
    m.result(floorDiv(at[k] >= 0 ? m.d(n(at[k])) : sums[n(sum)], block[k]));
  }
  return m.build();
}

Reaches readDot(const Op& op, int) {
  TESSERA_TRY(const Product p, productOf(op));
  return each(2,
              [&](std::size_t k) { return exact(k, productMap(p, k == 0, Ints((k == 0 ? p.lhs : p.rhs).size(), 1))); });
}

// scaled-dot(lhs, rhs, scales of lhs, scales of rhs): one scale per block of elements.
Reaches readScaledDot(const Op& op, int output) {
  TESSERA_TRY(std::vector<Reach> reads, readDot(op, output));
  TESSERA_TRY(const Product p, productOf(op));
  for (const bool left : {true, false}) {
    const std::size_t slot = left ? 2 : 3;
    const Ints& sizes = left ? p.lhs : p.rhs;
    TESSERA_TRY(const Ints scales, op.operandSizes(slot));
    Ints block;
    for (std::size_t k = 0; k < sizes.size() && scales.size() == sizes.size(); ++k)
      if (scales[k] > 0 && sizes[k] % scales[k] == 0) block.push_back(sizes[k] / scales[k]);
    if (!scales.empty() && block.size() != sizes.size())
      return op.wrong("scales " + sizesText(scales) + " of " + sizesText(sizes), "as many dimensions, each a divisor");
    TESSERA_TRY(Reach reach, exact(slot, scales.empty() ? scalarOf(p.out) : productMap(p, left, block)));
    reads.push_back(std::move(reach));
  }
  return reads;
}

// From one side's elements, or its blocks of that size in each dimension, to every free coordinate of the other side.
Reaches useProduct(const Product& p, bool left, const Ints& from, const Ints& block) {
  const Ints at = p.outputOf(left);
  MapBuilder m(from);
  std::vector<std::optional<Expr>> results(p.out.size());
  for (std::size_t k = 0; k < at.size(); ++k)
    if (at[k] >= 0) results[n(at[k])] = block.empty() ? m.d(k) : m.d(k) * block[k] + m.s(block[k]);
  m.results(std::move(results), p.out);
  return only(m.build());
}

Reaches useDot(const Op& op, int operand) {
  TESSERA_TRY(const Product p, productOf(op));
  return useProduct(p, operand == 0, operand == 0 ? p.lhs : p.rhs, {});
}

// A scale goes where each element of its block goes.
Reaches useScaledDot(const Op& op, int operand) {
  if (operand < 2) return useDot(op, operand);
  TESSERA_CHECKED(readScaledDot(op, 0));
  TESSERA_TRY(const Ints scales, op.operandSizes(n(operand)));
  if (scales.empty()) return everywhere(op, operand);
  TESSERA_TRY(const Product p, productOf(op));
  Ints block = operand == 2 ? p.lhs : p.rhs;
  for (std::size_t k = 0; k < block.size(); ++k) block[k] /= scales[k];
  return useProduct(p, operand == 2, scales, block);
}

// An element of the input lies under each tap at most once, in every output feature of its group.
Result<Map> convolutionInputUse(const Convolution& c) {
  MapBuilder m(c.in);
  std::vector<Expr> results(c.out.size());
  for (std::size_t k = 0; k < c.window.size(); ++k) {
    const auto spatial = n(c.at.spatial[k]), outer = n(c.at.outputSpatial[k]);
    results[outer] = windowUse(m, m.d(spatial), m.s(c.window[k].size), c.window[k], c.out[outer]);
  }
  const i64 batch = std::max<i64>(1, c.out[n(c.at.outputBatch)]), outFeatures = c.out[n(c.at.outputFeature)];
  const Expr outFeature = m.s(outFeatures);
  if (c.featureGroups > 1) {
    const Expr group = floorDiv(m.d(n(c.at.feature)), std::max<i64>(1, c.kernel[n(c.at.kernelInput)]));
    m.within(outFeature - group * (outFeatures / c.featureGroups), 0, outFeatures / c.featureGroups - 1);
  }
  if (c.batchGroups > 1) {
    const Expr group = floorDiv(m.d(n(c.at.batch)), batch);
    m.within(outFeature - group * (outFeatures / c.batchGroups), 0, outFeatures / c.batchGroups - 1);
  }
  results[n(c.at.outputFeature)] = outFeature;
  results[n(c.at.outputBatch)] = c.batchGroups > 1 ? mod(m.d(n(c.at.batch)), batch) : m.d(n(c.at.batch));
  m.results(std::move(results));
  return m.build();
}

// A tap of the kernel goes into every output where it is not on padding.
Result<Map> convolutionKernelUse(const Convolution& c) {
  MapBuilder m(c.kernel);
  std::vector<Expr> results(c.out.size());
  for (std::size_t k = 0; k < c.window.size(); ++k) {
    const WindowDim& w = c.window[k];
    const Expr element = m.d(n(c.at.kernelSpatial[k])), outer = m.s(c.out[n(c.at.outputSpatial[k])]);
    const Expr tap = w.reversed ? element * -1 + (w.size - 1) : element;
    (void)windowRead(m, outer, tap, w, c.in[n(c.at.spatial[k])]);
    results[n(c.at.outputSpatial[k])] = outer;
  }
  results[n(c.at.outputBatch)] = m.s(c.out[n(c.at.outputBatch)]);
  results[n(c.at.outputFeature)] = m.d(n(c.at.kernelOutput));
  m.results(std::move(results));
  return m.build();
}

Reaches useConvolution(const Op& op, int operand) {
  TESSERA_TRY(const Convolution c, convolutionOf(op));
  return only(operand == 0 ? convolutionInputUse(c) : convolutionKernelUse(c));
}

Reaches readConvolution(const Op& op, int) {
  TESSERA_TRY(const Convolution c, convolutionOf(op));
  return each(2, [&](std::size_t k) { return exact(k, convolutionMap(c, k == 0)); });
}

}  // namespace

Rules sumRules() {
  static constexpr RuleRow kRules[] = {
      {"reduce", readReduce, useReduce},
      {"reduce-window", readReduceWindow, useReduceWindow},
      {"dot", readDot, useDot},
      {"scaled-dot", readScaledDot, useScaledDot},
      {"convolution", readConvolution, useConvolution},
  };
  return kRules;
}

}  // namespace tessera::hlo
