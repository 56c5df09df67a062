// The conditions of the compiler's MemDescType::verify.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/notation/triton/lower.h"
#include "core/notation/triton/lower_detail.h"

namespace tessera::triton {

using namespace detail;

namespace {

using Shape = std::vector<i64>;

std::string text(const Shape& shape) { return fmt::format("{}", fmt::join(shape, "x")); }

// The dimensions covered by the layout, without those that count buffers.
Shape inner(const Shape& shape, std::size_t rank) {
  return {shape.end() - static_cast<std::ptrdiff_t>(std::min(rank, shape.size())), shape.end()};
}

Result<void> powersOfTwo(const Shape& shape, std::size_t rank, const char* what) {
  for (const i64 extent : inner(shape, rank))
    if (!isPowerOfTwo(extent))
      return Diag{fmt::format("{} {} has the extent {}, which is not a power of two", what, text(shape), extent),
                  "powers of two; only a dimension that counts buffers is free"};
  return {};
}

Result<void> ranks(const Type& type, std::size_t rank) {
  const std::size_t dims = type.shape.size();
  if (std::holds_alternative<TensorMemoryScales>(type.encoding->value)) {
    if (dims != 2 || (!type.allocShape.empty() && type.allocShape.size() != 2))
      return Diag{fmt::format("scales in tensor memory are matrices, this has {} dimensions", dims)};
  } else if (dims != rank && dims != rank + 1) {
    return Diag{fmt::format("{} has rank {}, the shape {} has {} dimensions", mnemonic(*type.encoding), rank,
                            text(type.shape), dims),
                fmt::format("{} dimensions, or {} where the first one counts buffers", rank, rank + 1)};
  }
  if (type.allocShape.empty()) return {};
  if (type.allocShape.size() < dims)
    return Diag{fmt::format("the allocation {} has fewer dimensions than the shape {}", text(type.allocShape),
                            text(type.shape))};
  const Shape alloc = inner(type.allocShape, dims);
  for (std::size_t k = 0; k < dims; ++k)
    if (type.shape[k] > alloc[k])
      return Diag{fmt::format("the shape {} is larger than the allocation {} it lies in", text(type.shape),
                              text(type.allocShape))};
  return {};
}

// Large enough for the instruction's block; a column has at most the 32 bits of tensor memory.
Result<void> tensorMemory(const Type& type, const TensorMemory& e, const Shape& alloc) {
  const int bits = elementBits(type.element);
  if (bits != 0 && bits < 8) return Diag{fmt::format("tensor memory holds elements of 8 bits or more, not {}", bits)};
  if (bits * e.colStride > 32)
    return Diag{fmt::format("{} bits with colStride {} do not fit a column of 32 bits", bits, e.colStride)};
  i64 rows = e.blockM, columns = std::min(e.blockN, type.shape.back());
  for (const linear::Basis& basis : e.cga) {
    if (basis[0] != 0) rows *= 2;
    if (basis[1] != 0) columns *= 2;
  }
  const Shape shape = inner(type.shape, 2);
  if (shape[0] < rows || shape[1] < columns)
    return Diag{
        fmt::format("the shape {} is smaller than {}x{}, the block of tensor memory", text(type.shape), rows, columns)};
  TESSERA_TRY(const linear::Layout layout, toLinear(*type.encoding, alloc));
  if (layout.outSize("dim0") != alloc[0] || layout.outSize("dim1") != alloc[1])
    return Diag{fmt::format("the allocation {} is not {}x{}, what the layout covers", text(alloc),
                            layout.outSize("dim0"), layout.outSize("dim1"))};
  return {};
}

// A layout with its own shape must match the allocation's.
Result<void> sameShape(const linear::Layout& layout, const Shape& alloc) {
  for (std::size_t k = 0; k < alloc.size(); ++k)
    if (layout.outs()[k].size != alloc[k])
      return Diag{fmt::format("the layout has {} elements along dimension {}, the allocation {}", layout.outs()[k].size,
                              k, alloc[k])};
  return {};
}

struct MemoryRules {
  const Type& type;
  const Shape& alloc;
  Result<void> operator()(const TensorMemory& e) const { return tensorMemory(type, e, alloc); }
  Result<void> operator()(const TensorMemoryScales&) const {
    const int bits = elementBits(type.element);
    if (bits != 0 && bits != 8) return Diag{fmt::format("scales have 8 bits, not {}", bits)};
    return {};
  }
  Result<void> operator()(const PaddedShared& e) const { return sameShape(e.layout, alloc); }
  Result<void> operator()(const SharedLinear& e) const { return sameShape(e.layout, alloc); }
  Result<void> operator()(const NvmmaShared& e) const {
    TESSERA_CHECKED(tmaBlock(e, shapePerBlock(e.cga, alloc)));
    return {};
  }
  template <class Other>
  Result<void> operator()(const Other&) const {
    return {};
  }
};

Result<void> memorySpace(const Type& type) {
  const bool tensor = std::holds_alternative<TensorMemory>(type.encoding->value) ||
                      std::holds_alternative<TensorMemoryScales>(type.encoding->value);
  const char* want = tensor ? "#ttng.tensor_memory" : "#ttg.shared_memory";
  const auto* space = type.memorySpace ? std::get_if<MemorySpace>(&type.memorySpace->value) : nullptr;
  if (space == nullptr || space->tensorMemory != tensor)
    return Diag{fmt::format("{} does not lie in {}", mnemonic(*type.encoding),
                            type.memorySpace ? print(*type.memorySpace) : "no memory"),
                want};
  const int bits = elementBits(type.element);
  if (!tensor && bits % 8 != 0)
    return Diag{fmt::format("{} has {} bits; elements in shared memory are whole bytes", type.element, bits)};
  return {};
}

}  // namespace

Result<void> verify(const Type& type) {
  if (!type.memdesc) return {};
  if (!type.encoding || isDistributed(*type.encoding) || std::holds_alternative<MemorySpace>(type.encoding->value))
    return Diag{fmt::format("{} is no layout of a memory",
                            type.encoding ? "#ttg." + mnemonic(*type.encoding) : std::string("nothing")),
                "#ttg.swizzled_shared, #ttg.nvmma_shared, #ttng.tensor_memory_encoding .."};
  if (type.shape.empty()) return Diag{"a memdesc has one dimension at least", "!ttg.memdesc<128x64xf16, ..>"};
  const std::size_t rank = memoryRankOf(*type.encoding).value_or(type.shape.size());
  for (const Shape* shape : {&type.shape, &type.allocShape})
    for (const i64 extent : *shape)
      if (extent < 1) return Diag{fmt::format("{} has a dimension without elements", text(*shape))};
  TESSERA_CHECKED(ranks(type, rank));
  TESSERA_CHECKED(powersOfTwo(type.shape, rank, "the shape"));
  TESSERA_CHECKED(powersOfTwo(type.allocShape, rank, "the allocation"));
  TESSERA_CHECKED(memorySpace(type));
  const Shape alloc = inner(type.allocShape.empty() ? type.shape : type.allocShape, rank);
  return std::visit(MemoryRules{type, alloc}, type.encoding->value);
}

}  // namespace tessera::triton
