// Reductions: reduce, reduce-window, dot, convolution; and their converses, from one element to many.
#include <algorithm>
#include <array>

#include "core/base/mapped.h"
#include "core/hlo/ops/op.h"
#include "core/hlo/ops/product.h"

namespace tessera::hlo {
namespace {

// reduce and reduce-window: inputs, then as many scalar initial values.
struct Reduction {
  std::size_t inputs = 0;
  Ints in, out, dimensions;       // reduce: the dimensions that vanish
  std::vector<WindowDim> window;  // reduce-window
};
Result<Reduction> reductionOf(const Op& op) {
  if (op.operands() == 0 || op.operands() % 2 != 0)
    return op.wrong(fmt::format("{} operands", op.operands()), "inputs, then as many initial values");
  Reduction r;
  r.inputs = op.operands() / 2;
  for (std::size_t k = r.inputs; k < 2 * r.inputs; ++k) {
    TESSERA_TRY(const Ints sizes, op.operandSizes(k));
    if (!sizes.empty())
      return op.wrong(fmt::format("the initial value {} is {}", op.nameOf(k), sizesText(sizes)), "a scalar");
  }
  TESSERA_TRY(r.in, op.operandSizes(0));
  TESSERA_TRY(r.out, op.outputSizes(0));
  Ints expected;
  if (op.opcode() == "reduce-window") {
    TESSERA_TRY(r.window, op.window(r.in.size()));
    for (std::size_t k = 0; k < r.in.size(); ++k) expected.push_back(windowedSize(r.window[k], r.in[k]).value_or(-1));
    TESSERA_CHECKED(op.expectSizes(r.out, expected, "the result"));
    return r;
  }
  TESSERA_TRY(r.dimensions, op.dimensions("dimensions", r.in.size()));
  for (std::size_t k = 0; k < r.in.size(); ++k)
    if (!has(r.dimensions, k)) expected.push_back(r.in[k]);
  TESSERA_CHECKED(op.expectSizes(r.out, expected, "the result"));
  for (std::size_t k = 1; k < r.inputs; ++k) {
    TESSERA_TRY(const Ints sizes, op.operandSizes(k));
    TESSERA_CHECKED(op.expectSizes(sizes, r.in, op.nameOf(k)));
  }
  return r;
}

struct Convolution {
  Ints in, kernel, out;
  DimLabels at;
  std::vector<WindowDim> window;
  i64 featureGroups = 1, batchGroups = 1;
};

Result<Convolution> convolutionOf(const Op& op) {
  if (op.opcode() == "convolution") TESSERA_CHECKED(op.expectOperands(2));
  Convolution c;
  TESSERA_TRY(c.in, op.operandSizes(0));
  TESSERA_TRY(c.kernel, op.operandSizes(1));
  TESSERA_TRY(c.out, op.outputSizes());
  TESSERA_TRY(c.at, op.parsed("dim_labels", dimLabelsOf, "dim_labels=b01f_01io->b01f"));
  const std::size_t rank = c.at.spatial.size() + 2;
  if (c.in.size() != rank || c.kernel.size() != rank || c.out.size() != rank)
    return op.wrong(fmt::format("{} for arrays of ranks {}, {} and {}", op.instruction().value("dim_labels"),
                                c.in.size(), c.kernel.size(), c.out.size()),
                    fmt::format("rank {} each", rank));
  TESSERA_TRY(c.window, op.window(rank - 2));
  TESSERA_TRY(c.featureGroups, op.number("feature_group_count", 1));
  TESSERA_TRY(c.batchGroups, op.number("batch_group_count", 1));
  if (c.featureGroups < 1 || c.batchGroups < 1) return op.wrong("groups are counted from 1", "feature_group_count=1");
  Ints expected(c.out.size());
  expected[n(c.at.outputBatch)] = c.in[n(c.at.batch)] / c.batchGroups;
  expected[n(c.at.outputFeature)] = c.kernel[n(c.at.kernelOutput)];
  for (std::size_t k = 0; k < c.window.size(); ++k) {
    if (c.kernel[n(c.at.kernelSpatial[k])] != c.window[k].size)
      return op.wrong(fmt::format("the window's size is {} in dimension {}", c.window[k].size, k),
                      fmt::format("the kernel's, {}", c.kernel[n(c.at.kernelSpatial[k])]));
    expected[n(c.at.outputSpatial[k])] = windowedSize(c.window[k], c.in[n(c.at.spatial[k])]).value_or(-1);
  }
  TESSERA_CHECKED(op.expectSizes(c.out, expected, "the result"));
  if (c.kernel[n(c.at.kernelInput)] * c.featureGroups != c.in[n(c.at.feature)] ||
      c.kernel[n(c.at.kernelOutput)] % (c.featureGroups * c.batchGroups) != 0 ||
      c.in[n(c.at.batch)] % c.batchGroups != 0)
    return op.wrong(fmt::format("{} features of the input, {} of the kernel, {} groups of features, {} of the batch",
                                c.in[n(c.at.feature)], c.kernel[n(c.at.kernelInput)], c.featureGroups, c.batchGroups),
                    "kernel features * groups = features, and groups that divide the outputs and the batch");
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

Reaches readReduction(const Op& op, int) {
  TESSERA_TRY(const Reduction r, reductionOf(op));
  MapBuilder m(r.out);
  std::size_t kept = 0;
  for (std::size_t k = 0; k < r.in.size(); ++k) {
    if (!r.window.empty())
      m.result(windowRead(m, m.d(k), m.s(r.window[k].size), r.window[k], r.in[k]));
    else
      m.result(has(r.dimensions, k) ? m.s(r.in[k]) : m.d(kept++));
  }
  const Result<Map> map = m.build(), scalar = scalarOf(r.out);
  return each(2 * r.inputs, [&](std::size_t k) { return exact(k, k < r.inputs ? map : scalar); });
}

// Every input and every initial value of a variadic reduction goes into every output. An element lies under each tap of
// a window at most once.
Reaches useReduction(const Op& op, int operand) {
  TESSERA_TRY(const Reduction r, reductionOf(op));
  if (n(operand) >= r.inputs) return everywhere(op, operand);
  MapBuilder m(r.in);
  for (std::size_t k = 0; k < r.in.size(); ++k) {
    if (!r.window.empty())
      m.result(windowUse(m, m.d(k), m.s(r.window[k].size), r.window[k], r.out[k]));
    else if (!has(r.dimensions, k))
      m.result(m.d(k));
  }
  const Result<Map> map = m.build();
  return each(op.outputs(), [&](std::size_t k) { return exact(k, map); });
}

Reaches readDot(const Op& op, int) {
  TESSERA_TRY(const Product p, productOf(op));
  return each(2, [&](std::size_t k) { return exact(k, productMap(p, k, Ints(p.sides[k].sizes.size(), 1))); });
}

// The elements that share a scale, per dimension of that side; empty: one scale for all.
Result<Ints> blockOf(const Op& op, const Product& p, std::size_t side) {
  const Ints& sizes = p.sides[side].sizes;
  TESSERA_TRY(const Ints scales, op.operandSizes(2 + side));
  Ints block;
  for (std::size_t k = 0; k < sizes.size() && scales.size() == sizes.size(); ++k)
    if (scales[k] > 0 && sizes[k] % scales[k] == 0) block.push_back(sizes[k] / scales[k]);
  if (!scales.empty() && block.size() != sizes.size())
    return op.wrong(fmt::format("scales {} of {}", sizesText(scales), sizesText(sizes)),
                    "as many dimensions, each a divisor");
  return block;
}

// scaled-dot(lhs, rhs, scales of lhs, scales of rhs): one scale per block of elements.
Reaches readScaledDot(const Op& op, int) {
  TESSERA_TRY(const Product p, productOf(op));
  return each(4, [&](std::size_t k) -> Result<Reach> {
    if (k < 2) return exact(k, productMap(p, k, Ints(p.sides[k].sizes.size(), 1)));
    TESSERA_TRY(const Ints scales, op.operandSizes(k));
    TESSERA_TRY(const Ints block, blockOf(op, p, k - 2));
    return exact(k, scales.empty() ? scalarOf(p.out) : productMap(p, k - 2, block));
  });
}

// From one side's elements, or its blocks of that size in each dimension, to every free coordinate of the other side.
Reaches useProduct(const Product& p, std::size_t side, const Ints& from, const Ints& block) {
  const Ints at = p.outputOf(side);
  MapBuilder m(from);
  std::vector<std::optional<Expr>> results(p.out.size());
  for (std::size_t k = 0; k < at.size(); ++k)
    if (at[k] >= 0) results[n(at[k])] = block.empty() ? m.d(k) : m.d(k) * block[k] + m.s(block[k]);
  m.results(std::move(results), p.out);
  return only(m.build());
}

Reaches useDot(const Op& op, int operand) {
  TESSERA_TRY(const Product p, productOf(op));
  return useProduct(p, n(operand), p.sides[n(operand)].sizes, {});
}

// A scale goes where each element of its block goes.
Reaches useScaledDot(const Op& op, int operand) {
  if (operand < 2) return useDot(op, operand);
  TESSERA_CHECKED(readScaledDot(op, 0));
  TESSERA_TRY(const Ints scales, op.operandSizes(n(operand)));
  if (scales.empty()) return everywhere(op, operand);
  TESSERA_TRY(const Product p, productOf(op));
  TESSERA_TRY(const Ints block, blockOf(op, p, n(operand) - 2));
  return useProduct(p, n(operand) - 2, scales, block);
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

Result<Reach> convolutionRead(const Op& op, std::size_t operand) {
  TESSERA_TRY(const Convolution c, convolutionOf(op));
  return exact(operand, convolutionMap(c, operand == 0));
}

Rules sumRules() {
  static constexpr RuleRow kRules[] = {
      {"reduce", readReduction, useReduction},
      {"reduce-window", readReduction, useReduction},
      {"dot", readDot, useDot},
      {"scaled-dot", readScaledDot, useScaledDot},
      {"convolution", readConvolution, useConvolution},
  };
  return kRules;
}

}  // namespace tessera::hlo
