#include "core/hlo/cost/operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/work_budget.h"
#include "core/hlo/compose/fusion.h"
#include "core/hlo/ops/product.h"
#include "core/hlo/text/backend_config.h"

namespace tessera::hlo {
namespace {

constexpr int kMostNested = 64;

// Elementwise in form, but no arithmetic.
bool isMove(std::string_view opcode) {
  constexpr std::array<std::string_view, 5> kMoves = {"copy", "bitcast-convert", "real", "imag", "reduce-precision"};
  return std::ranges::find(kMoves, opcode) != kMoves.end();
}

double elementsOf(const xla::Shape& shape) { return shape.isArray() ? static_cast<double>(product(shape.sizes())) : 0; }

class Counter {
 public:
  explicit Counter(const Module& module) : module_(module) {}

  void add(Where where, int depth) {
    spend();
    const Op op(module_, where);
    const Instruction& i = op.instruction();
    const xla::Shape& out = module_.shapeOf(i);
    if (i.opcode == "fusion" || i.opcode == "call") {
      const auto body = bodyOf(module_, where);
      if (!body || depth > kMostNested) return;
      for (std::size_t k = 0; k < module_.computation(*body).instructions.size(); ++k)
        add({*body, static_cast<int>(k)}, depth + 1);
    } else if (i.opcode == "dot") {
      addDot(op, elementsOf(out));
    } else if (i.opcode == "convolution") {
      addConvolution(op, elementsOf(out));
    } else if (i.opcode == "custom-call") {
      addCall(op);
    } else if (i.opcode == "reduce" || i.opcode == "scatter" || i.opcode == "map") {
      const auto in = op.operand(i.opcode == "scatter" ? op.operands() - 1 : 0);
      if (in) counted_.others += elementsOf(**in);
    } else if (i.opcode == "reduce-window" || i.opcode == "select-and-scatter") {
      double taps = elementsOf(out);
      if (const auto rank = op.operandSizes(0))
        if (const auto window = op.window(rank->size()))
          for (const WindowDim& w : *window) taps *= static_cast<double>(w.size);
      counted_.others += taps;
    } else if (i.opcode == "sort" || i.opcode == "fft" || i.opcode == "cholesky" || i.opcode == "triangular-solve") {
      notCounted(i);
    } else if (isElementwise(i.opcode) && !isMove(i.opcode)) {
      counted_.others += elementsOf(out);
    }
  }

  [[nodiscard]] Operations take() { return std::move(counted_); }

 private:
  void notCounted(const Instruction& i) {
    if (counted_.why.empty()) counted_.why = fmt::format("{} of {} are not counted", i.opcode, i.name);
  }
  void addProduct(const Op& op, double operations) {
    counted_.products += operations;
    if (const auto in = op.operand(0); in && counted_.type.empty()) counted_.type = std::string((*in)->type().name);
  }
  void addDot(const Op& op, double results) {
    const auto p = productOf(op);
    if (!p) return;
    for (const i64 d : p->sides[0].contracting) results *= static_cast<double>(p->sides[0].sizes[n(d)]);
    addProduct(op, 2 * results);
  }
  // Each result sums over the kernel's taps of its output feature.
  void addConvolution(const Op& op, double results) {
    const auto kernel = op.operandSizes(1);
    const auto at = op.parsed("dim_labels", dimLabelsOf, "dim_labels=b01f_01io->b01f");
    if (!kernel || !at || n(at->kernelOutput) >= kernel->size()) return;
    const i64 features = std::max<i64>(1, (*kernel)[n(at->kernelOutput)]);
    addProduct(op, 2 * results * static_cast<double>(product(*kernel)) / static_cast<double>(features));
  }
  void addCall(const Op& op) {
    const auto out = op.output(0);
    const auto in = op.operandSizes(0);
    const auto summed = BackendConfig(op.instruction())
                            .numbers({"gemm_backend_config", "dot_dimension_numbers", "lhs_contracting_dimensions"});
    if (!out || !in || !summed) {
      notCounted(op.instruction());
      return;
    }
    double results = elementsOf(**out);
    for (const i64 d : *summed)
      if (d >= 0 && n(d) < in->size()) results *= static_cast<double>((*in)[n(d)]);
    addProduct(op, 2 * results);
  }

  const Module& module_;
  Operations counted_;
};

}  // namespace

Operations operationsOf(const Module& module, Where where) {
  Counter counter(module);
  counter.add(where, 0);
  return counter.take();
}

double bytesOf(const xla::Shape& shape) {
  if (shape.isArray()) return elementsOf(shape) * static_cast<double>(shape.storedBits()) / 8;
  double bytes = 0;
  if (shape.kind() == xla::Shape::Kind::Tuple)
    for (const xla::Shape& one : shape.elements()) bytes += bytesOf(one);
  return bytes;
}

double bytesWritten(const Module& module, Where where) {
  const Instruction& i = module.at(where);
  const xla::Shape& shape = module.shapeOf(i);
  if (i.opcode == "dynamic-update-slice" && i.operands.size() > 1 && i.operands[1] >= 0)
    return bytesOf(module.shapeOf(module.computation(where.computation).at(i.operands[1])));
  if (i.opcode == "fusion")
    if (const auto body = bodyOf(module, where); body && module.computation(*body).root >= 0)
      if (const Where root{*body, module.computation(*body).root}; module.at(root).opcode == "dynamic-update-slice")
        return bytesWritten(module, root);
  const bool workspace =
      i.opcode == "custom-call" && i.value("custom_call_target").find("__cu") != std::string_view::npos;
  if (workspace && module.isTuple(i) && !shape.elements().empty()) return bytesOf(shape.elements()[0]);
  return bytesOf(shape);
}

}  // namespace tessera::hlo
