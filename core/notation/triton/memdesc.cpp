// Whole types: the part of an allocation that a memdesc covers, and its consecutive buffers.
#include <fmt/format.h>

#include <algorithm>

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

// Bits that count `values` values, rounded up to a power of two.
int bitsFor(i64 values) {
  int bits = 0;
  while (i64{1} << bits < values) ++bits;
  return bits;
}

// The inverse of the bases in the shape's coordinates, with the buffer first.
Result<linear::Layout> inverseOf(const Allocation& allocation, const std::vector<i64>& shape) {
  TESSERA_TRY(const linear::Layout inverse, pseudoinvert(allocation.one));
  std::vector<linear::Out> outs = inverse.outs();
  std::vector<linear::In> ins;
  if (allocation.buffered) {
    linear::In buffer{"dim0", {}};
    for (linear::Out& out : outs)
      if (out.name == allocation.place) out.size <<= bitsFor(allocation.buffers);
    for (int bit = 0; bit < bitsFor(shape[0]); ++bit) {
      linear::Basis basis(outs.size(), 0);
      for (std::size_t o = 0; o < outs.size(); ++o)
        if (outs[o].name == allocation.place) basis[o] = allocation.stride << bit;
      buffer.bases.push_back(std::move(basis));
    }
    ins.push_back(std::move(buffer));
  }
  for (std::size_t k = 0; k < inverse.ins().size(); ++k) {
    linear::In in = inverse.ins()[k];
    in.name = shifted(allocation, k);
    in.bases.resize(static_cast<std::size_t>(linear::f2::log2(shape[allocation.buffered ? k + 1 : k])));
    ins.push_back(std::move(in));
  }
  return linear::Layout::create(std::move(ins), std::move(outs));
}

Diag noLayout(const Type& type) { return Diag{fmt::format("{} has no layout", print(type))}; }

}  // namespace

Result<linear::Layout> toLinear(const Type& type) {
  if (!type.encoding) return noLayout(type);
  if (!type.memdesc) return toLinear(*type.encoding, type.shape);
  TESSERA_TRY(const Allocation allocation, allocationOf(type));
  if (!allocation.buffered) return allocation.one;
  if (!isPowerOfTwo(allocation.buffers))
    return Diag{fmt::format("{} buffers: bases count powers of two", allocation.buffers),
                "memory_map, which gives the place of every element"};
  std::vector<linear::Out> outs = {{"dim0", allocation.buffers}};
  for (std::size_t k = 0; k < allocation.one.outs().size(); ++k)
    outs.push_back({shifted(allocation, k), allocation.one.outs()[k].size});
  std::vector<linear::In> ins = allocation.one.ins();
  for (linear::In& in : ins) {
    for (linear::Basis& basis : in.bases) basis.insert(basis.begin(), 0);
    if (in.name != allocation.place) continue;
    for (i64 b = 1; b < allocation.buffers; b *= 2) {
      linear::Basis basis(outs.size(), 0);
      basis[0] = b;
      in.bases.push_back(std::move(basis));
    }
  }
  return linear::Layout::create(std::move(ins), std::move(outs));
}

Result<Map> toMap(const Type& type) {
  if (!type.encoding) return noLayout(type);
  if (!type.memdesc) return toMap(*type.encoding, type.shape);
  TESSERA_TRY(const linear::Layout linear, toLinear(type));
  return toMap(linear);
}

Result<Map> memoryMap(const Type& type) {
  if (!type.encoding) return noLayout(type);
  if (!type.memdesc) return memoryMap(*type.encoding, type.shape);
  TESSERA_TRY(const Allocation allocation, allocationOf(type));
  TESSERA_TRY(const linear::Layout inverse, inverseOf(allocation, type.shape));
  TESSERA_TRY(const Map map,
              placesOf(*type.encoding, inverse, allocation.place, allocation.buffers * allocation.stride));
  std::vector<Digit> digits = map.digits();
  if (allocation.buffered) digits[0].extent = type.shape[0];
  return Map::create(std::move(digits), map.axes());
}

}  // namespace tessera::triton
