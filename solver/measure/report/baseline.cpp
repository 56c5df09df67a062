#include "solver/measure/report/baseline.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::measure {
namespace {

bool biased(const Gemm& g) { return g.epilogue == Epilogue::Bias || g.epilogue == Epilogue::BiasRelu; }

Result<Operand> matrix(const char* name, i64 rows, i64 columns, bool row, const std::string& element) {
  const std::string text =
      fmt::format("%{}:[{},{}:{},{}].{}.GL", name, rows, columns, row ? columns : 1, row ? 1 : rows, element);
  TESSERA_TRY(const graphene::Tensor tensor, graphene::parseTensor(text));
  return operandOf(tensor, {}, 1);
}

Result<std::vector<Operand>> operandsOf(const Gemm& g) {
  std::vector<Operand> out;
  TESSERA_TRY(Operand a, matrix("A", g.m, g.k, g.rowA, g.input));
  TESSERA_TRY(Operand b, matrix("B", g.k, g.n, g.rowB, g.input));
  TESSERA_TRY(Operand c, matrix("C", g.m, g.n, g.rowC, g.output));
  a.input = b.input = true;
  c.input = g.accumulate;
  c.output = true;
  out = {std::move(a), std::move(b), std::move(c)};
  if (!biased(g)) return out;
  TESSERA_TRY(Operand bias, matrix("bias", 1, g.n, true, g.output));
  bias.input = true;
  out.push_back(std::move(bias));
  return out;
}

Reference formula(const Gemm& g) {
  return [g](const Inputs& in, const std::string&, const std::vector<i64>& elements) -> Result<std::vector<double>> {
    std::vector<double> out;
    for (const i64 e : elements) {
      const i64 i = e / g.n, j = e % g.n;
      double sum = g.accumulate ? in.at(2, e) : 0;
      for (i64 x = 0; x < g.k; ++x) sum += in.at(0, i * g.k + x) * in.at(1, x * g.n + j);
      if (biased(g)) sum += in.at(3, j);
      const bool relu = g.epilogue == Epilogue::Relu || g.epilogue == Epilogue::BiasRelu;
      out.push_back(relu ? std::max(sum, 0.0) : sum);
    }
    return out;
  };
}

Work workOf(const Gemm& g, const std::vector<Operand>& operands) {
  Work out;
  for (const Operand& o : operands) {
    if (o.input) out.bytesRead += static_cast<double>(o.bytes());
    if (o.output) out.bytesWritten += static_cast<double>(o.bytes());
  }
  out.products = 2.0 * static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(g.k);
  out.products16 = g.input;
  return out;
}

}  // namespace

Result<Measurement> runBaseline(const Gemm& gemm, const RunOptions& given) {
  if (gemm.m < 1 || gemm.n < 1 || gemm.k < 1) return Diag{"a product of nothing", "m, n and k of at least 1"};
  RunOptions options = given;
  options.sizes = {{"m", gemm.m}, {"n", gemm.n}, {"k", gemm.k}};
  options.reference = formula(gemm);
  TESSERA_TRY(const std::vector<Operand> operands, operandsOf(gemm));
  const Work work = workOf(gemm, operands);
  TESSERA_TRY(Inputs inputs, Inputs::of(operands, options.seed));
  Request request;
  request.gemm = gemm;
  return measured(std::move(request), inputs, work, {}, options);
}

}  // namespace tessera::measure
