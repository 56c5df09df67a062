// Calls of libraries: cuBLAS, cuDNN, LAPACK, CUB.
//
//     __cublas$gemm(a, b), dot_dimension_numbers of gemm_backend_config       as a dot; c and a bias, too
//     lapack_sgeqrf_ffi(a)                                                    the matrix, at most
#include <algorithm>
#include <array>

#include "core/hlo/ops/custom.h"
#include "core/hlo/ops/product.h"
#include "core/hlo/text/backend_config.h"

namespace tessera::hlo {
namespace {

bool isBytes(const xla::Shape& shape) {
  return shape.isArray() && shape.rank() == 1 && (shape.type().name == "s8" || shape.type().name == "u8");
}

// dot_dimension_numbers; a Diag: they are malformed. nullopt: there are none.
Result<std::optional<std::array<DotDims, 2>>> dotDimsOf(const Op& op) {
  const auto text = configured(op, "dot_dimension_numbers");
  if (!text) return std::optional<std::array<DotDims, 2>>{};
  std::array<DotDims, 2> dims;
  for (const std::size_t side : {0, 1}) {
    const std::string name = side == 0 ? "lhs" : "rhs";
    for (const bool batch : {false, true}) {
      const std::string member = name + (batch ? "_batch_dimensions" : "_contracting_dimensions");
      const auto list = BackendConfig(*text).find(member);
      const auto found = list ? numbersIn(*list) : std::optional<Ints>(Ints{});
      if (!found) return op.wrong(fmt::format("{} is {}", member, list.value_or("")), "a list of dimensions: [\"1\"]");
      (batch ? dims[side].batch : dims[side].contracting) = *found;
    }
  }
  return std::optional(dims);
}

// An operand after the two factors: a summand of the result's sizes, a bias for each column, a scale.
Result<Reach> addend(const Op& op, std::size_t k, const Ints& out) {
  TESSERA_TRY(const xla::Shape* const in, op.operand(k));
  if (!in->isArray() || product(in->sizes()) == 0) return none(k);
  const Ints sizes = in->sizes();
  if (sizes.empty()) return exact(k, scalarOf(out));
  if (sizes == out) return exact(k, identityOf(out));
  if (sizes.size() == 1 && !out.empty() && sizes[0] == out.back())
    return exact(k, alongOutput(out, sizes, {static_cast<i64>(out.size()) - 1}));
  return over(k, alongOutput(out, sizes, Ints(sizes.size(), -1)), "the configuration does not say how it is added");
}

Reaches multiplied(const Op& op, int output) {
  TESSERA_TRY(const xla::Shape* const shape, op.output(n(output)));
  if (!shape->isArray() || (output > 0 && isBytes(*shape))) return nothingOf(op);  // room to work in
  if (op.operands() < 2) return op.wrong("it has one operand", "two factors");
  TESSERA_TRY(const auto dims, dotDimsOf(op));
  if (!dims) return everything(op, output, "the configuration has no dot_dimension_numbers");
  TESSERA_TRY(const Product p, productOf(op, *dims));
  if (output > 0 && shape->sizes() != p.out)
    return everything(op, output, "a result beside the product, such as its largest value");
  return each(op.operands(), [&](std::size_t k) -> Result<Reach> {
    return k < 2 ? exact(k, productMap(p, k)) : addend(op, k, p.out);
  });
}

// The result, then room to work in. Forward: as a convolution with a bias for each feature and a summand.
Reaches convolvedForward(const Op& op, int output) {
  TESSERA_TRY(const xla::Shape* const shape, op.output(n(output)));
  if (!shape->isArray() || output > 0) return nothingOf(op);
  if (op.operands() < 2) return op.wrong("it has one operand", "input and kernel");
  TESSERA_TRY(const DimLabels at, op.parsed("dim_labels", dimLabelsOf, "dim_labels=b01f_01io->b01f"));
  const Ints out = shape->sizes();
  return each(op.operands(), [&](std::size_t k) -> Result<Reach> {
    if (k < 2) return convolutionRead(op, k);
    TESSERA_TRY(const Ints in, op.operandSizes(k));
    if (in.size() == 1 && n(at.outputFeature) < out.size() && in[0] == out[n(at.outputFeature)])
      return exact(k, alongOutput(out, in, {at.outputFeature}));
    return addend(op, k, out);
  });
}

Reaches convolvedBackward(const Op& op, int output) {
  TESSERA_TRY(const xla::Shape* const shape, op.output(n(output)));
  if (!shape->isArray() || output > 0) return nothingOf(op);
  return everything(op, output, "a gradient of a convolution reads a part, by its window");
}

Reaches normalisedBy(const Op& op, int output) {
  TESSERA_TRY(const xla::Shape* const shape, op.output(n(output)));
  if (output > 0 && isBytes(*shape)) return nothingOf(op);
  return everything(op, output, "the configuration does not state the normalised dimensions");
}

// Matrices are the last two dimensions of operand 0; the ones before are batch dimensions.
Reaches factorised(const Op& op, int output) {
  TESSERA_TRY(const Ints first, op.operandSizes(0));
  TESSERA_CHECKED(op.output(n(output)));
  if (first.size() < 2) return op.wrong(fmt::format("{} is {}", op.nameOf(0), sizesText(first)), "a matrix");
  return withinBatch(op, output, first.size() - 2, "a factorisation reads its matrix, in parts");
}

// Keys, values, then room to work in: along the last dimension.
Reaches sortedByCub(const Op& op, int output) {
  TESSERA_TRY(const xla::Shape* const shape, op.output(n(output)));
  if (!shape->isArray() || n(output) >= op.operands()) return nothingOf(op);
  const Ints out = shape->sizes();
  return each(op.operands(), [&](std::size_t k) -> Result<Reach> {
    TESSERA_TRY(const Ints in, op.operandSizes(k));
    TESSERA_CHECKED(op.expectSizes(in, out, op.nameOf(k)));
    if (k > 0 && static_cast<int>(k) != output) return none(k);  // values do not decide the order
    Ints at(in.size(), -1);
    for (std::size_t d = 0; d + 1 < in.size(); ++d) at[d] = static_cast<i64>(d);
    return exact(k, alongOutput(out, in, at));
  });
}

}  // namespace

std::span<const CustomRow> libraryTargets() {
  static constexpr CustomRow kRows[] = {
      {"__cublas$gemm", multiplied},
      {"__cublas$lt$matmul", multiplied},
      {"__cublas$lt$matmul$f8", multiplied},
      {"__cudnn$convForward*", convolvedForward},
      {"__cudnn$convBiasActivationForward", convolvedForward},
      {"__cudnn$convBackward*", convolvedBackward},
      {"__cudnn$norm", normalisedBy},
      {"__cub$DeviceRadixSort*", sortedByCub},
      {"lapack_*", factorised},
      {"cusolver_*", factorised},
      {"cu_solver_*", factorised},
      {"__cusolver$cholesky", factorised},
      {"cublas_*", factorised},
      {"Cholesky", factorised},
      {"TriangularSolve", factorised},
      {"__cublas$triangularSolve", factorised},
      {"Eigh", factorised},
      {"Qr", factorised},
      {"QrDecomposition", factorised},
      {"SVD", factorised},
      {"LuDecomposition", factorised},
  };
  return kRows;
}

}  // namespace tessera::hlo
