// Whole types: the part of an allocation that a memdesc covers, and its consecutive buffers.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/base/arith.h"
#include "core/notation/linear/layout.h"
#include "core/notation/triton/lower.h"
#include "core/notation/triton/lower_detail.h"

namespace tessera::triton {

namespace detail {

std::optional<std::size_t> memoryRankOf(const Encoding& encoding) {
  if (const auto* e = std::get_if<NvmmaShared>(&encoding.value)) return static_cast<std::size_t>(e->rank);
  if (const auto* e = std::get_if<PartitionedShared>(&encoding.value)) return memoryRankOf(*e->layout);
  return rankOf(encoding);
}

}  // namespace detail

using namespace detail;

namespace {

// The layout of one buffer of the allocation, and the number of buffers.
struct Allocation {
  linear::Layout one;
  std::string place;  // the input that continues from one buffer to the next: offset, or col of tensor memory
  i64 stride = 1;     // places of one buffer
  bool buffered = false;
  i64 buffers = 1;
};

Result<Allocation> allocationOf(const Type& type) {
  const Encoding& encoding = *type.encoding;
  std::vector<i64> alloc = type.allocShape.empty() ? type.shape : type.allocShape;
  if (alloc.size() > type.shape.size())  // dimensions that memdesc_index has removed
    alloc.erase(alloc.begin(), alloc.end() - static_cast<std::ptrdiff_t>(type.shape.size()));
  Allocation found;
  const auto rank = memoryRankOf(encoding);
  found.buffered = rank && alloc.size() == *rank + 1;
  if (found.buffered) {
    found.buffers = alloc.front();
    alloc.erase(alloc.begin());
  }
  TESSERA_TRY(found.one, toLinear(encoding, alloc));
  found.place = found.one.hasIn("offset") ? "offset" : "col";
  found.stride = found.one.inSize(found.place);
  const std::optional<i64> size = checkedMul(found.buffers, found.stride);
  if (!size || *size > i64{1} << 48)
    return Diag{fmt::format("{} buffers of {} places are more than 2^48 places", found.buffers, found.stride)};
  return found;
}

// dim0 .. become dim1 ..
std::string shifted(const Allocation& allocation, std::size_t k) {
  return fmt::format("dim{}", allocation.buffered ? k + 1 : k);
}

// The number of bits that count `values` values.
int bitsFor(i64 values) { return static_cast<int>(std::bit_width(static_cast<u64>(values - 1))); }

// The inverse of the bases in the shape's coordinates, with the buffer first.
Result<linear::Layout> inverseOf(const Allocation& allocation, const std::vector<i64>& shape) {
  TESSERA_TRY(const linear::Layout inverse, pseudoinvert(allocation.one));
  std::vector<linear::Out> outs = inverse.outs();
  std::vector<linear::In> ins;
  if (allocation.buffered) {
    const std::size_t place = indexOf(outs, allocation.place);
    outs[place].size <<= bitsFor(allocation.buffers);
    linear::In& buffer = ins.emplace_back(linear::In{"dim0", {}});
    for (int bit = 0; bit < bitsFor(shape[0]); ++bit)
      buffer.bases.push_back(linear::unitBasis(outs.size(), place, allocation.stride << bit));
  }
  for (std::size_t k = 0; k < inverse.ins().size(); ++k) {
    linear::In in = inverse.ins()[k];
    in.name = shifted(allocation, k);
    in.bases.resize(static_cast<std::size_t>(linear::f2::log2(shape[allocation.buffered ? k + 1 : k])));
    ins.push_back(std::move(in));
  }
  return linear::Layout::create(std::move(ins), std::move(outs));
}

// An attribute without a shape applies to tensors of any shape, except a padded layout, which names one.
Result<void> requireLayout(const Type& type) {
  if (!type.encoding) return Diag{fmt::format("{} has no layout", print(type))};
  if (!type.shape.empty() || std::holds_alternative<PaddedShared>(type.encoding->value)) return {};
  return Diag{fmt::format("#ttg.{} applies to tensors of any shape, so it needs one", mnemonic(*type.encoding)),
              "ATTRIBUTE over (128,64), or a whole tensor<128x64xf16, ATTRIBUTE>"};
}

}  // namespace

Result<linear::Layout> toLinear(const Type& type) {
  TESSERA_CHECKED(requireLayout(type));
  if (!type.memdesc) return toLinear(*type.encoding, type.shape);
  TESSERA_TRY(const Allocation allocation, allocationOf(type));
  if (!allocation.buffered) return allocation.one;
  if (!isPowerOfTwo(allocation.buffers))
    return Diag{fmt::format("{} buffers, but bases need a power of two", allocation.buffers),
                "memory_map, which gives the place of every element"};
  std::vector<linear::Out> outs = {{"dim0", allocation.buffers}};
  for (std::size_t k = 0; k < allocation.one.outs().size(); ++k)
    outs.push_back({shifted(allocation, k), allocation.one.outs()[k].size});
  std::vector<linear::In> ins = allocation.one.ins();
  for (linear::In& in : ins) {
    for (linear::Basis& basis : in.bases) basis.insert(basis.begin(), 0);
    if (in.name != allocation.place) continue;
    for (i64 b = 1; b < allocation.buffers; b *= 2) in.bases.push_back(linear::unitBasis(outs.size(), 0, b));
  }
  return linear::Layout::create(std::move(ins), std::move(outs));
}

Result<Map> toMap(const Type& type) {
  TESSERA_CHECKED(requireLayout(type));
  if (!type.memdesc) return toMap(*type.encoding, type.shape);
  TESSERA_TRY(const linear::Layout linear, toLinear(type));
  return toMap(linear);
}

Result<Map> memoryMap(const Type& type) {
  TESSERA_CHECKED(requireLayout(type));
  if (!type.memdesc) return memoryMap(*type.encoding, type.shape);
  TESSERA_TRY(const Allocation allocation, allocationOf(type));
  TESSERA_TRY(const linear::Layout inverse, inverseOf(allocation, type.shape));
  TESSERA_TRY(const Map map,
              placesOf(*type.encoding, inverse, allocation.place, allocation.buffers * allocation.stride));
  std::vector<Digit> digits = map.digits();
  if (allocation.buffered) digits[0].extent = type.shape[0];
  return Map::create(std::move(digits), map.axes());
}

// The conditions of the compiler's MemDescType::verify.

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
                  "powers of two, except for a dimension that counts buffers"};
  return {};
}

Result<void> ranks(const Type& type, std::size_t rank) {
  const std::size_t dims = type.shape.size();
  if (std::holds_alternative<TensorMemoryScales>(type.encoding->value)) {
    if (dims != 2 || (!type.allocShape.empty() && type.allocShape.size() != 2))
      return Diag{fmt::format("scales in tensor memory are matrices, but this has {} dimensions", dims)};
  } else if (dims != rank && dims != rank + 1) {
    return Diag{fmt::format("{} has rank {}, but the shape {} has {} dimensions", mnemonic(*type.encoding), rank,
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
      return Diag{
          fmt::format("the shape {} is larger than its allocation {}", text(type.shape), text(type.allocShape))};
  return {};
}

// Checks that the shape covers the instruction's block, and that an element fits in a column of tensor memory, 32 bits.
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
    return Diag{fmt::format("the allocation {} is not {}x{}, which the layout covers", text(alloc),
                            layout.outSize("dim0"), layout.outSize("dim1"))};
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
  Result<void> operator()(const PaddedShared& e) const { return sameShape(e.layout, alloc, "the allocation"); }
  Result<void> operator()(const SharedLinear& e) const { return sameShape(e.layout, alloc, "the allocation"); }
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
  const bool tensor = isTensorMemory(*type.encoding);
  const char* want = tensor ? "#ttng.tensor_memory" : "#ttg.shared_memory";
  const auto* space = type.memorySpace ? std::get_if<MemorySpace>(&type.memorySpace->value) : nullptr;
  if (space == nullptr || space->tensorMemory != tensor)
    return Diag{fmt::format("{} is not in {}", mnemonic(*type.encoding),
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
    return Diag{fmt::format("{} is not a memory layout",
                            type.encoding ? "#ttg." + mnemonic(*type.encoding) : std::string("nothing")),
                "#ttg.swizzled_shared, #ttg.nvmma_shared, #ttng.tensor_memory_encoding .."};
  if (type.shape.empty()) return Diag{"a memdesc has at least one dimension", "!ttg.memdesc<128x64xf16, ..>"};
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
