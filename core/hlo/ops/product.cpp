#include "core/hlo/ops/product.h"

#include <algorithm>
#include <string>

#include "core/base/mapped.h"

namespace tessera::hlo {

Ints Product::outputOf(std::size_t side) const {
  const auto& [sizes, batch, contracting] = sides[side];
  Ints at(sizes.size(), -1);
  for (std::size_t k = 0; k < batch.size(); ++k) at[n(batch[k])] = static_cast<i64>(k);
  std::size_t next = batch.size();
  if (side == 1) next += sides[0].sizes.size() - sides[0].batch.size() - sides[0].contracting.size();
  for (std::size_t k = 0; k < at.size(); ++k)
    if (!has(batch, k) && !has(contracting, k)) at[k] = static_cast<i64>(next++);
  return at;
}

Result<Product> productOf(const Op& op, const std::array<DotDims, 2>& dims) {
  Product p;
  for (const std::size_t side : {0, 1}) {
    Product::Side& s = p.sides[side];
    TESSERA_TRY(s.sizes, op.operandSizes(side));
    s.batch = dims[side].batch;
    s.contracting = dims[side].contracting;
    if (!areDimensions(s.batch, s.sizes.size()) || !areDimensions(s.contracting, s.sizes.size()))
      return op.wrong(fmt::format("batch dimensions {} and contracted ones {} of {}", sizesText(s.batch),
                                  sizesText(s.contracting), sizesText(s.sizes)),
                      "different dimensions of the operand");
  }
  TESSERA_TRY(p.out, op.outputSizes());
  const auto& [lhs, rhs] = p.sides;
  if (lhs.batch.size() != rhs.batch.size() || lhs.contracting.size() != rhs.contracting.size())
    return op.wrong("batch and contracting dimensions of the two operands differ in number", "as many on both sides");
  for (const Product::Side& side : p.sides)
    for (std::size_t k = 0; k < side.sizes.size(); ++k)
      if (has(side.batch, k) && has(side.contracting, k))
        return op.wrong(fmt::format("dimension {} is batch and contracted", k), "one of the two");
  const auto agree = [&](const Ints& a, const Ints& b) {
    return std::ranges::equal(
        a, b, {}, [&](i64 k) { return p.sides[0].sizes[n(k)]; }, [&](i64 k) { return p.sides[1].sizes[n(k)]; });
  };
  if (!agree(lhs.batch, rhs.batch) || !agree(lhs.contracting, rhs.contracting))
    return op.wrong(fmt::format("{} and {} do not agree", sizesText(lhs.sizes), sizesText(rhs.sizes)),
                    "batch and contracted dimensions of equal size");
  Ints expected(lhs.sizes.size() + rhs.sizes.size() - lhs.batch.size() - 2 * lhs.contracting.size());
  for (const std::size_t side : {0, 1}) {
    const Ints at = p.outputOf(side);
    for (std::size_t k = 0; k < at.size(); ++k)
      if (at[k] >= 0) expected[n(at[k])] = p.sides[side].sizes[k];
  }
  TESSERA_CHECKED(op.expectSizes(p.out, expected, "the result"));
  return p;
}

// What a product reads of one side, or of its scales: each covers `block[k]` consecutive elements of dimension k.
Result<Map> productMap(const Product& p, std::size_t side, const Ints& block) {
  MapBuilder m(p.out);
  auto sums = mapped<Expr>(p.sides[0].contracting, [&](i64 k) { return m.s(p.sides[0].sizes[n(k)]); });
  const Ints at = p.outputOf(side);
  for (std::size_t k = 0; k < at.size(); ++k)
    m.result(floorDiv(at[k] >= 0 ? m.d(n(at[k])) : sums[*positionOf(p.sides[side].contracting, k)], block[k]));
  return m.build();
}

Result<Map> productMap(const Product& p, std::size_t side) {
  return productMap(p, side, Ints(p.sides[side].sizes.size(), 1));
}

Result<Product> productOf(const Op& op) {
  TESSERA_CHECKED(op.expectOperands(op.opcode() == "dot" ? 2 : 4));
  std::array<DotDims, 2> dims;
  for (const std::size_t side : {0, 1}) {
    TESSERA_TRY(const Ints sizes, op.operandSizes(side));
    const std::string name = side == 0 ? "lhs" : "rhs";
    TESSERA_TRY(dims[side].batch, op.dimensions(name + "_batch_dims", sizes.size(), true));
    TESSERA_TRY(dims[side].contracting, op.dimensions(name + "_contracting_dims", sizes.size(), true));
  }
  return productOf(op, dims);
}

}  // namespace tessera::hlo
