// The conditions of the compiler's verify() methods, per attribute.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/arith.h"
#include "core/notation/triton/attr.h"

namespace tessera::triton {

namespace {

// No hardware tile is larger, and products of three such numbers fit in 64 bits.
constexpr i64 kLargest = i64{1} << 20;

Result<void> powersOfTwo(const std::vector<i64>& values, const char* key) {
  for (const i64 v : values) {
    if (!isPowerOfTwo(v)) return Diag{fmt::format("{} contains {}, which is not a power of two", key, v)};
    if (v > kLargest) return Diag{fmt::format("{} contains {}, which exceeds 2^20", key, v)};
  }
  return {};
}

Result<void> permutation(const std::vector<i64>& order) {
  std::vector<i64> sorted = order;
  std::ranges::sort(sorted);
  for (std::size_t k = 0; k < sorted.size(); ++k)
    if (sorted[k] != static_cast<i64>(k))
      return Diag{fmt::format("order is not a permutation of 0..{}", sorted.size() - 1)};
  return {};
}

// Each block bit moves along one dimension by a power of two, or not at all; together the bits reach every block.
Result<void> checkCga(const Bases& cga) {
  std::set<std::pair<std::size_t, i64>> steps;
  for (const linear::Basis& basis : cga) {
    std::size_t moves = 0;
    for (std::size_t k = 0; k < basis.size(); ++k) {
      if (basis[k] == 0) continue;
      ++moves;
      TESSERA_CHECKED(powersOfTwo({basis[k]}, "CGALayout"));
      if (!steps.insert({k, basis[k]}).second) return Diag{"CGALayout repeats a basis"};
    }
    if (moves > 1) return Diag{"a basis of CGALayout moves along two dimensions"};
  }
  for (const auto& [k, step] : steps)
    if (step > 1 && steps.count({k, step / 2}) == 0)
      return Diag{fmt::format("CGALayout reaches block {} of dimension {} but not {}", step, k, step / 2)};
  return {};
}

// Each basis moves along at most one dimension, except those of the inputs `swizzled`.
Result<void> unmixedBases(const linear::Layout& l, const std::vector<std::string>& swizzled = {}) {
  for (const linear::In& in : l.ins()) {
    if (std::ranges::find(swizzled, in.name) != swizzled.end()) continue;
    for (const linear::Basis& basis : in.bases)
      if (std::ranges::count_if(basis, [](i64 c) { return c != 0; }) > 1)
        return Diag{fmt::format("a basis of {} moves along more than one dimension", in.name)};
  }
  return {};
}

// Coordinates are 0 or powers of two, at most one nonzero per basis.
Result<void> plainBases(const linear::Layout& l) {
  for (const linear::In& in : l.ins())
    for (const linear::Basis& basis : in.bases)
      for (const i64 c : basis)
        if (c != 0 && !isPowerOfTwo(c))
          return Diag{fmt::format("a basis of {} contains {}, which is neither 0 nor a power of two", in.name, c)};
  return unmixedBases(l);
}

// Apart from zero bases (inputs that repeat elements), each coordinate bit is one input bit.
Result<void> permutationBases(const linear::Layout& l) {
  TESSERA_CHECKED(plainBases(l));
  std::set<linear::Basis> seen;
  for (const linear::In& in : l.ins())
    for (const linear::Basis& basis : in.bases) {
      if (linear::isZero(basis)) continue;
      if (!seen.insert(basis).second)
        return Diag{fmt::format("the basis [{}] of {} is given twice", fmt::join(basis, ", "), in.name),
                    "different bases; a repeated input has a basis of zeros"};
    }
  return {};
}

// ctaLayout: register and warp map onto as many tiles as their largest coordinates imply, and reach all of them.
Result<void> wmmaBases(const Wmma& e) {
  for (const auto* bases : {&e.ctaRegister, &e.ctaWarp})
    for (const linear::Basis& basis : *bases)
      if (static_cast<i64>(basis.size()) != e.rank)
        return Diag{fmt::format("a basis of ctaLayout has {} coordinates, but others have {}", basis.size(), e.rank)};
  auto made = linear::Layout::createInferred({{"register", e.ctaRegister}, {"warp", e.ctaWarp}},
                                             linear::dimNames(static_cast<std::size_t>(e.rank)));
  if (!made) return Diag{"ctaLayout: " + made.error().message, made.error().expected};
  return checkCga(e.cga);
}

struct Verifier {
  Result<void> operator()(const Blocked& e) const {
    const std::size_t rank = e.order.size();
    if (rank == 0 || e.sizePerThread.size() != rank || e.threadsPerWarp.size() != rank || e.warpsPerCta.size() != rank)
      return Diag{fmt::format("sizePerThread, threadsPerWarp, warpsPerCTA and order have {}, {}, {} and {} dimensions",
                              e.sizePerThread.size(), e.threadsPerWarp.size(), e.warpsPerCta.size(), rank),
                  "one rank for all four"};
    TESSERA_CHECKED(powersOfTwo(e.sizePerThread, "sizePerThread"));
    TESSERA_CHECKED(powersOfTwo(e.threadsPerWarp, "threadsPerWarp"));
    TESSERA_CHECKED(powersOfTwo(e.warpsPerCta, "warpsPerCTA"));
    TESSERA_CHECKED(permutation(e.order));
    return checkCga(e.cga);
  }
  Result<void> operator()(const NvidiaMma& e) const {
    if (e.versionMajor != 2 && e.versionMajor != 3)
      return Diag{fmt::format("versionMajor is {}, but no such mma has its result in registers", e.versionMajor),
                  "2 (Ampere) or 3 (Hopper)"};
    TESSERA_CHECKED(powersOfTwo(e.warpsPerCta, "warpsPerCTA"));
    if (e.warpsPerCta.size() < 2) return Diag{"warpsPerCTA has fewer than 2 dimensions"};
    if (e.versionMajor == 2 && e.instrShape.size() != e.warpsPerCta.size())
      return Diag{fmt::format("instrShape has {} dimensions, but warpsPerCTA has {}", e.instrShape.size(),
                              e.warpsPerCta.size())};
    if (e.versionMajor >= 3 && e.instrShape.size() < 2) return Diag{"instrShape has fewer than 2 dimensions"};
    for (const i64 s : e.instrShape)
      if (s < 1 || s > kLargest) return Diag{fmt::format("instrShape contains {}", s)};
    return checkCga(e.cga);
  }
  Result<void> operator()(const Mfma& e) const {
    if (e.version < 0 || e.version > 4) return Diag{fmt::format("there is no mfma version {}", e.version), "0 to 4"};
    if (e.instrShape.size() != 3) return Diag{"instrShape of mfma is [M, N, K]"};
    const std::pair<i64, i64> mn = {e.instrShape[0], e.instrShape[1]};
    const std::set<std::pair<i64, i64>> known = {{32, 32}, {16, 16}, {64, 4}, {4, 64}};
    if (known.count(mn) == 0)
      return Diag{fmt::format("there is no mfma of {}x{}", mn.first, mn.second), "32x32, 16x16, 64x4 or 4x64"};
    if (e.elementBitWidth != 32 && e.elementBitWidth != 64)
      return Diag{fmt::format("elementBitWidth is {}", e.elementBitWidth), "32 or 64"};
    TESSERA_CHECKED(powersOfTwo(e.warpsPerCta, "warpsPerCTA"));
    TESSERA_CHECKED(powersOfTwo(e.tilesPerWarp, "tilesPerWarp"));
    if (e.warpsPerCta.size() < 2 || e.warpsPerCta.size() > 3) return Diag{"mfma layouts have rank 2 or 3"};
    if (e.tilesPerWarp.size() != e.warpsPerCta.size())
      return Diag{fmt::format("tilesPerWarp has {} dimensions, but warpsPerCTA has {}", e.tilesPerWarp.size(),
                              e.warpsPerCta.size())};
    return checkCga(e.cga);
  }
  Result<void> operator()(const Wmma& e) const {
    using Shapes = std::set<std::vector<i64>>;
    const Shapes one = {{16, 16, 16}}, two = {{16, 16, 16}, {16, 16, 32}};
    const Shapes three = {{16, 16, 4}, {16, 16, 32}, {16, 16, 64}, {16, 16, 128}, {32, 16, 64}, {32, 16, 128}};
    if (e.version < 1 || e.version > 3) return Diag{fmt::format("there is no wmma version {}", e.version), "1, 2 or 3"};
    const Shapes& known = e.version == 1 ? one : e.version == 2 ? two : three;
    if (known.count(e.instrShape) == 0)
      return Diag{fmt::format("wmma version {} has no instrShape [{}]", e.version, fmt::join(e.instrShape, ", ")),
                  e.version == 3 ? "`instrShape = ..`: 16x16x4, 16x16x32, 16x16x64, 16x16x128, 32x16x64 or 32x16x128"
                                 : "16x16x16, or 16x16x32 with version 2"};
    if (e.rank < 2 || e.rank > 3) return Diag{fmt::format("wmma layouts have rank 2 or 3, not {}", e.rank)};
    return wmmaBases(e);
  }
  Result<void> operator()(const DotOp& e) const {
    if (e.opIdx != 0 && e.opIdx != 1) return Diag{fmt::format("opIdx is {}", e.opIdx), "0 or 1"};
    const auto& parent = e.parent.encoding->value;
    if (std::holds_alternative<Blocked>(parent)) {
      if (e.kWidth != 0) return Diag{fmt::format("kWidth is {}, but a blocked parent takes none", e.kWidth)};
      return {};
    }
    if (e.kWidth != 0) TESSERA_CHECKED(powersOfTwo({e.kWidth}, "kWidth"));
    if (const auto* mma = std::get_if<NvidiaMma>(&parent)) {
      if (e.kWidth == 0) return Diag{"kWidth is missing, but an mma parent needs it", "`kWidth = ..`"};
      if (mma->versionMajor == 3 && e.opIdx != 0)
        return Diag{"opIdx is 1: Hopper reads its second operand from shared memory"};
      return {};
    }
    if (const auto* wmma = std::get_if<Wmma>(&parent)) {
      if (wmma->version == 1 && e.kWidth != 8 && e.kWidth != 16)
        return Diag{fmt::format("kWidth is {}, but wmma version 1 takes 8 or 16", e.kWidth)};
      if (wmma->version == 2 && e.kWidth != 4 && e.kWidth != 8 && e.kWidth != 16)
        return Diag{fmt::format("kWidth is {}, but wmma version 2 takes 4, 8 or 16", e.kWidth)};
      if (wmma->version == 3 && e.kWidth == 0) return Diag{"kWidth is missing, but wmma version 3 needs it"};
      return {};
    }
    if (std::holds_alternative<Mfma>(parent)) {
      if (e.kWidth == 0) return Diag{"kWidth is missing, but an mfma parent needs it", "`kWidth = ..`"};
      return {};
    }
    return Diag{fmt::format("{} is not a parent of a dot operand", mnemonic(*e.parent))};
  }
  Result<void> operator()(const Slice& e) const {
    if (!isDistributed(*e.parent))
      return Diag{fmt::format("the parent of a slice is {}, which is not a register layout", mnemonic(*e.parent))};
    const auto rank = rankOf(*e.parent);
    if (rank && *rank < 2) return Diag{fmt::format("the parent of a slice has rank {}", *rank), "rank 2 or more"};
    if (e.dim < 0 || (rank && e.dim >= static_cast<i64>(*rank)))
      return Diag{fmt::format("dim {} is not a dimension of the parent, which has rank {}", e.dim, rank ? *rank : 0)};
    return {};
  }
  Result<void> operator()(const Linear& e) const {
    if (e.generic) return unmixedBases(e.layout, {"warp"});
    return permutationBases(e.layout);
  }
  Result<void> operator()(const SwizzledShared& e) const {
    if (e.order.empty()) return Diag{"order is empty"};
    TESSERA_CHECKED(powersOfTwo({e.vec, e.perPhase, e.maxPhase}, "vec, perPhase, maxPhase"));
    TESSERA_CHECKED(permutation(e.order));
    return checkCga(e.cga);
  }
  Result<void> operator()(const NvmmaShared& e) const {
    const std::set<i64> widths = {0, 32, 64, 128};
    if (widths.count(e.swizzlingByteWidth) == 0)
      return Diag{fmt::format("swizzlingByteWidth is {}", e.swizzlingByteWidth), "0, 32, 64 or 128"};
    if (!isPowerOfTwo(e.elementBitWidth) || e.elementBitWidth > 128)
      return Diag{fmt::format("elementBitWidth is {}", e.elementBitWidth), "a power of two up to 128"};
    if (e.fp4Padded && e.elementBitWidth != 8) return Diag{"fp4Padded needs elementBitWidth 8"};
    return checkCga(e.cga);
  }
  Result<void> operator()(const PaddedShared& e) const {
    if (e.intervals.empty()) return Diag{"padded_shared has no interval"};
    std::set<i64> seen;
    for (const auto& [interval, padding] : e.intervals) {
      if (!isPowerOfTwo(interval)) return Diag{fmt::format("the interval {} is not a power of two", interval)};
      if (!isPowerOfTwo(padding)) return Diag{fmt::format("the padding {} is not a power of two", padding)};
      if (interval > kLargest || padding > kLargest) return Diag{fmt::format("{}:+{} exceeds 2^20", interval, padding)};
      if (!seen.insert(interval).second) return Diag{fmt::format("the interval {} is given twice", interval)};
    }
    TESSERA_CHECKED(plainBases(e.layout));
    for (const linear::In& in : e.layout.ins())
      for (const linear::Basis& basis : in.bases)
        if (in.name == "offset" && linear::isZero(basis))
          return Diag{"an offset basis is zero: two offsets would hold one element"};
    auto offsets = sublayout(e.layout, {"offset"}, e.layout.outNames());
    if (!offsets || !offsets->isInjective()) return Diag{"two offsets hold the same element"};
    return {};
  }
  Result<void> operator()(const SharedLinear& e) const {
    if (!isPowerOfTwo(e.alignment)) return Diag{fmt::format("the alignment {} is not a power of two", e.alignment)};
    const std::vector<u64> columns = linear::f2::columns(e.layout);
    if (std::ssize(columns) - std::ranges::count(columns, u64{0}) != linear::f2::rank(e.layout))
      return Diag{"two places of shared_linear hold the same element", "bases that are 0 or independent of each other"};
    return {};
  }
  Result<void> operator()(const PartitionedShared& e) const {
    TESSERA_CHECKED(powersOfTwo({e.numPartitions, e.numGroups}, "numPartitions, numGroups"));
    if (e.numPartitions < 2) return Diag{"a partitioned layout has at least two partitions", "numPartitions = 2, 4 .."};
    if (isDistributed(*e.layout))
      return Diag{fmt::format("the partition layout is {}, which is not a shared layout", mnemonic(*e.layout))};
    if (std::holds_alternative<PartitionedShared>(e.layout.encoding->value))
      return Diag{"a partition cannot be partitioned"};
    const auto rank = rankOf(*e.layout);
    if (e.partitionDim < 0 || (rank && e.partitionDim >= static_cast<i64>(*rank)))
      return Diag{fmt::format("partitionDim {} is not a dimension", e.partitionDim)};
    return {};
  }
  Result<void> operator()(const TensorMemory& e) const {
    if (e.blockM != 64 && e.blockM != 128) return Diag{fmt::format("blockM is {}", e.blockM), "64 or 128"};
    TESSERA_CHECKED(powersOfTwo({e.blockN, e.colStride}, "blockN, colStride"));
    if (e.blockN > 512) return Diag{fmt::format("blockN is {}, but tensor memory has 512 columns", e.blockN)};
    if (e.fp4Padded && e.colStride != 1)
      return Diag{fmt::format("colStride is {}, but fp4Padded takes 1", e.colStride)};
    if (e.twoCtas && (e.cga.empty() || e.cga.front() != linear::Basis{1, 0}))
      return Diag{"two CTAs split the rows: the first basis of CGALayout is not [1, 0]"};
    return checkCga(e.cga);
  }
  Result<void> operator()(const TensorMemoryScales& e) const { return checkCga(e.cga); }
  Result<void> operator()(const MemorySpace&) const { return {}; }
};

}  // namespace

Result<void> verify(const Encoding& encoding) { return std::visit(Verifier{}, encoding.value); }

namespace {

using Rank = std::optional<std::size_t>;
struct RankOf {
  Rank operator()(const Wmma& e) const {
    // `ctaLayout = {}` gives no rank: one warp of 2 or 3 dimensions.
    if (e.rank == 2 && e.ctaRegister.empty() && e.ctaWarp.empty() && e.cga.empty()) return std::nullopt;
    return static_cast<std::size_t>(e.rank);
  }
  Rank operator()(const Slice& e) const {
    const Rank rank = rankOf(*e.parent);
    return rank ? Rank(*rank - 1) : rank;
  }
  Rank operator()(const DotOp& e) const { return rankOf(*e.parent); }
  Rank operator()(const PartitionedShared& e) const { return rankOf(*e.layout); }
  Rank operator()(const NvmmaShared&) const { return std::nullopt; }  // rank 2 is also printed for other ranks
  Rank operator()(const TensorMemory&) const { return 2; }
  Rank operator()(const TensorMemoryScales&) const { return 2; }
  Rank operator()(const MemorySpace&) const { return std::nullopt; }
  template <class Other>
  Rank operator()(const Other& e) const {
    if constexpr (requires { e.order; }) {
      return e.order.size();
    } else if constexpr (requires { e.warpsPerCta; }) {
      return e.warpsPerCta.size();
    } else {
      return e.layout.outs().size();
    }
  }
};

template <class... E>
bool isOneOf(const Encoding& encoding) {
  return (std::holds_alternative<E>(encoding.value) || ...);
}

}  // namespace

std::optional<std::size_t> rankOf(const Encoding& encoding) { return std::visit(RankOf{}, encoding.value); }

bool isDistributed(const Encoding& encoding) {
  return isOneOf<Blocked, NvidiaMma, Mfma, Wmma, DotOp, Slice, Linear>(encoding);
}
bool isTensorMemory(const Encoding& encoding) { return isOneOf<TensorMemory, TensorMemoryScales>(encoding); }

}  // namespace tessera::triton
