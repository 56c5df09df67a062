#include "solver/measure/report/library_product.h"

#include <fmt/format.h>

#include "core/graphene/walk.h"
#include "solver/measure/reference/equation_product.h"

namespace tessera::measure {

namespace {

using graphene::Spec;
using graphene::Tensor;

Diag other(const std::string& why) { return Diag{"the library has no such product: " + why}; }

// The operand that is this whole tensor; null if it is only a part, or not an operand of the caller.
const Operand* wholeOperand(const Tensor& t, const std::vector<Operand>& operands) {
  if (t.threads || t.memory != graphene::Memory::Global || t.levels.size() != 1) return nullptr;
  const auto found = std::ranges::find(operands, t.name, &Operand::name);
  return found == operands.end() || found->copies != 1 ? nullptr : &*found;
}
const Operand* wholeMatrix(const Tensor& t, const std::vector<Operand>& operands) {
  const Operand* const out = wholeOperand(t, operands);
  return out == nullptr || out->extents().size() != 2 ? nullptr : out;
}

// Whether a dense matrix is row-major; nullopt if it is neither row-major nor column-major.
std::optional<bool> isRowMajor(const Operand& o) {
  const i64 rows = o.extents()[0], columns = o.extents()[1];
  if (o.places != rows * columns) return std::nullopt;
  const auto isStrided = [&](i64 down, i64 across) {
    // Checks the corners and a step each way; since places == elements, no other such order remains.
    const auto at = [&](i64 i, i64 j) { return o.address(i * columns + j) == i * down + j * across; };
    return at(0, 0) && at(rows - 1, columns - 1) && at(rows - 1, 0) && at(0, columns - 1) &&
           at(rows / 2, columns / 2) && at(std::min<i64>(1, rows - 1), std::min<i64>(1, columns - 1));
  };
  if (isStrided(columns, 1)) return true;
  if (isStrided(1, rows)) return false;
  return std::nullopt;
}

// True for `length` contiguous values.
bool isVector(const Operand& o, i64 length) {
  return o.elements == length && o.places == length && o.address(0) == 0 && o.address(length - 1) == length - 1 &&
         o.address(length / 2) == length / 2;
}

// The meaning of MatMul: C += A * B.
Result<EquationProduct> statedProduct(const Spec& spec, const graphene::Program& program,
                                      const std::map<std::string, i64>& sizes) {
  if (spec.outputs.size() != 1) return other("the specification has several outputs");
  if (spec.kind == graphene::SpecKind::MatMul && spec.inputs.size() == 2) {
    EquationProduct out;
    out.a = {1, false};
    out.b = {2, false};
    out.terms = -1;
    out.accumulate = true;
    return out;
  }
  if (!spec.meaning) return other("the specification is not a MatMul");
  TESSERA_TRY(const std::vector<Expr> values, valuesOf(program, sizes));
  auto meant = equationProductOf(spec, values);
  if (!meant) return other(meant.error().message);
  return meant;
}

// C^T = B^T * A^T: swaps rows and columns.
void turn(Gemm& g) {
  std::swap(g.m, g.n);
  std::swap(g.rowA, g.rowB);
  g.rowA = !g.rowA;
  g.rowB = !g.rowB;
  g.rowC = !g.rowC;
}

// The library adds a bias along the columns of a row-major result. The rows of a column-major result are the columns of
// its transpose.
Result<void> addBias(const EquationProduct::Bias& bias, const Tensor& tensor, const std::vector<Operand>& operands,
                     LibraryProduct& out) {
  if (bias.ofRows == out.gemm.rowC)
    return other(fmt::format("%{} runs along the {} of a {}-major result, and the library's bias along the {}",
                             tensor.name, bias.ofRows ? "rows" : "columns", out.gemm.rowC ? "row" : "column",
                             bias.ofRows ? "columns" : "rows"));
  if (bias.ofRows) turn(out.gemm);
  const Operand* const vector = wholeOperand(tensor, operands);
  if (vector == nullptr || !isVector(*vector, out.gemm.n))
    return other(fmt::format("%{} is not a vector of {} contiguous values", tensor.name, out.gemm.n));
  if (vector->element != out.gemm.output)
    out.note = fmt::format("with a bias of {}, which the library takes; %{} is {}", out.gemm.output, tensor.name,
                           vector->element);
  return {};
}

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

Result<LibraryProduct> libraryProductOf(const graphene::Program& program, const std::vector<Operand>& operands,
                                        const std::map<std::string, i64>& sizes) {
  const std::vector<const Spec*> all = graphene::outermostOf(program);
  if (all.size() > 1) return other("there are several specifications");
  if (all.empty()) return other("the specification is not a MatMul");
  const Spec* const product = all.front();
  TESSERA_TRY(const EquationProduct stated, statedProduct(*product, program, sizes));
  const Operand* const a = wholeMatrix(operandOf(*product, static_cast<std::size_t>(stated.a.operand)), operands);
  const Operand* const b = wholeMatrix(operandOf(*product, static_cast<std::size_t>(stated.b.operand)), operands);
  const Operand* const c = wholeMatrix(product->outputs[0], operands);
  if (a == nullptr || b == nullptr || c == nullptr)
    return other("not all operands are whole matrices in global memory");
  LibraryProduct out;
  Gemm& g = out.gemm;
  g.m = c->extents()[0];
  g.n = c->extents()[1];
  g.k = a->extents()[stated.a.turned ? 0 : 1];
  for (const auto& [matrix, row] : {std::pair{a, &g.rowA}, {b, &g.rowB}, {c, &g.rowC}}) {
    const auto order = isRowMajor(*matrix);
    if (!order) return other(fmt::format("%{} is neither row-major nor column-major", matrix->name));
    *row = *order;
  }
  g.rowA = g.rowA != stated.a.turned;
  g.rowB = g.rowB != stated.b.turned;
  if (a->extents()[stated.a.turned ? 1 : 0] != g.m || b->extents()[stated.b.turned ? 0 : 1] != g.n ||
      b->extents()[stated.b.turned ? 1 : 0] != g.k || (stated.terms >= 0 && stated.terms != g.k))
    return other("it does not use all rows and columns of its matrices");
  if (a->element != b->element) return other("A and B have different types");
  g.input = a->element;
  g.output = c->element;
  g.accumulate = stated.accumulate;
  if (stated.bias)
    TESSERA_CHECKED(
        addBias(*stated.bias, operandOf(*product, static_cast<std::size_t>(stated.bias->operand)), operands, out));
  g.epilogue = stated.bias ? (stated.relu ? Epilogue::BiasRelu : Epilogue::Bias)
                           : (stated.relu ? Epilogue::Relu : Epilogue::None);
  return out;
}

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
