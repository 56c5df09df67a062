#include "solver/measure/library_product.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace tessera::measure {
namespace {

using graphene::Spec;
using graphene::Tensor;

Diag other(const std::string& why) { return Diag{"the library has no such product: " + why, "", "", {}}; }

// The operand that is this whole tensor; null: it is a part, or no operand of the caller.
const Operand* wholeOperand(const Tensor& t, const std::vector<Operand>& operands) {
  if (t.threads || t.memory != graphene::Memory::Global || t.levels.size() != 1) return nullptr;
  const auto found = std::find_if(operands.begin(), operands.end(), [&](const Operand& o) { return o.name == t.name; });
  return found == operands.end() || found->extents().size() != 2 || found->copies != 1 ? nullptr : &*found;
}

// Whether a dense matrix is row-major; nothing: it is neither that nor column-major.
std::optional<bool> isRowMajor(const Operand& o) {
  const i64 rows = o.extents()[0], columns = o.extents()[1];
  if (o.places != rows * columns) return std::nullopt;
  const auto isStrided = [&](i64 down, i64 across) {
    // Corners and a step each way; places == elements leaves no other order of that kind.
    const auto at = [&](i64 i, i64 j) { return o.address(i * columns + j) == i * down + j * across; };
    return at(0, 0) && at(rows - 1, columns - 1) && at(rows - 1, 0) && at(0, columns - 1) &&
           at(rows / 2, columns / 2) && at(std::min<i64>(1, rows - 1), std::min<i64>(1, columns - 1));
  };
  if (isStrided(columns, 1)) return true;
  if (isStrided(1, rows)) return false;
  return std::nullopt;
}

}  // namespace

Result<Gemm> libraryProductOf(const graphene::Program& program, const std::vector<Operand>& operands) {
  const Spec* product = nullptr;
  for (const graphene::Statement& s : program.specs) {
    const auto* spec = std::get_if<Spec>(&s.what);
    if (spec == nullptr) continue;
    if (product != nullptr) return other("there are several specifications");
    product = spec;
  }
  if (product == nullptr || product->kind != graphene::SpecKind::MatMul || product->inputs.size() != 2 ||
      product->outputs.size() != 1)
    return other("the specification is no MatMul");
  const Operand* const a = wholeOperand(product->inputs[0], operands);
  const Operand* const b = wholeOperand(product->inputs[1], operands);
  const Operand* const c = wholeOperand(product->outputs[0], operands);
  if (a == nullptr || b == nullptr || c == nullptr)
    return other("not all operands are whole matrices in global memory");
  Gemm out;
  out.m = c->extents()[0];
  out.n = c->extents()[1];
  out.k = a->extents()[1];
  for (const auto& [matrix, row] : {std::pair{a, &out.rowA}, {b, &out.rowB}, {c, &out.rowC}}) {
    const auto order = isRowMajor(*matrix);
    if (!order) return other(fmt::format("%{} is neither row-major nor column-major", matrix->name));
    *row = *order;
  }
  if (a->element != b->element) return other("A and B have different types");
  out.input = a->element;
  out.output = c->element;
  out.accumulate = true;
  return out;
}

}  // namespace tessera::measure
