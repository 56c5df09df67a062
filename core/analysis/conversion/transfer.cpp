#include "core/analysis/conversion/transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <set>
#include <string>

#include "core/analysis/memory/banks.h"
#include "core/base/arith.h"
#include "core/base/work.h"
#include "core/map/forms/f2.h"
#include "core/notation/triton/lower.h"

namespace tessera {
namespace {

using linear::Basis;

constexpr int kMostVectorBytes = 16;
constexpr std::size_t kMostAccesses = std::size_t{1} << 16;

// The offset of each bit of register, lane, warp and block.
struct OffsetBits {
  std::vector<u64> registers, lanes, warps;
};

Result<OffsetBits> offsetBitsOf(const linear::Layout& registers, const linear::Layout& memory) {
  TESSERA_TRY(const linear::Layout inverse, pseudoinvert(memory));
  TESSERA_TRY(const linear::Layout places, compose(registers, inverse));
  const std::size_t offset = indexOf(places.outs(), "offset");
  if (offset == places.outs().size()) return Diag{"this memory has no offsets"};
  OffsetBits bits;
  for (const linear::In& in : places.ins()) {
    std::vector<u64>* list = in.name == "register" ? &bits.registers
                             : in.name == "lane"   ? &bits.lanes
                             : in.name == "warp"   ? &bits.warps
                                                   : nullptr;
    if (list == nullptr) continue;
    for (const Basis& basis : in.bases) list->push_back(static_cast<u64>(basis[offset]));
  }
  return bits;
}

// How a thread's registers are cut into vectors.
struct Plan {
  int vectorBits = 0;       // 2^vectorBits elements
  std::vector<u64> others;  // offsets of the remaining register bits
};

Plan planOf(const OffsetBits& bits, int elementBytes, const std::vector<std::pair<i64, i64>>& intervals) {
  Plan plan;
  i64 most = std::max(1, kMostVectorBytes / elementBytes);
  for (const auto& [interval, padding] : intervals) most = std::min(most, std::min(interval, padding));
  std::vector<u64> left;
  for (const u64 bit : bits.registers)
    if (bit != 0) left.push_back(bit);
  const auto aligned = [&](u64 low, u64 self) {
    const auto free = [&](u64 bit) { return bit == self || (bit & low) == 0; };
    return std::ranges::all_of(left, free) && std::ranges::all_of(bits.lanes, free) &&
           std::ranges::all_of(bits.warps, free);
  };
  while ((i64{2} << plan.vectorBits) <= most) {
    const u64 next = u64{1} << plan.vectorBits;
    const auto found = std::ranges::find(left, next);
    if (found == left.end() || !aligned(next, next)) break;
    left.erase(found);
    ++plan.vectorBits;
  }
  // Independent bits only: a dependent one holds copies.
  std::set<u64> span = {0};
  for (const u64 bit : left) {
    if (span.contains(bit)) continue;
    std::set<u64> grown = span;
    for (const u64 value : span) grown.insert(value ^ bit);
    if (grown.size() > kMostAccesses) return plan;
    span = std::move(grown);
    plan.others.push_back(bit);
  }
  return plan;
}

u64 combined(const std::vector<u64>& bits, std::size_t index) {
  u64 value = 0;
  for (std::size_t k = 0; k < bits.size(); ++k)
    if ((index >> k & 1) != 0) value ^= bits[k];
  return value;
}

// 8 x 8 matrices of 16 bits whose columns are lanes 2, 3, 4: the rows are a register bit and lanes 0 and 1.
std::optional<u64> matrixRegister(const OffsetBits& bits, const Plan& plan, int elementBytes) {
  if (elementBytes != 2 || plan.vectorBits != 0 || bits.lanes.size() != 5 || plan.others.empty()) return std::nullopt;
  for (std::size_t k = 0; k < 3; ++k)
    if (bits.lanes[k + 2] != u64{1} << k) return std::nullopt;
  const auto outside = [](u64 bit) { return (bit & 7) == 0; };
  if (!outside(bits.lanes[0]) || !outside(bits.lanes[1]) || !std::ranges::all_of(plan.others, outside) ||
      !std::ranges::all_of(bits.warps, outside))
    return std::nullopt;
  return plan.others[0];
}

class Counter {
 public:
  Counter(const OffsetBits& bits, const SharedPlaces& places, int elementBytes)
      : bits_(bits), places_(places), bytes_(elementBytes), plan_(planOf(bits, elementBytes, places.intervals)) {}

  Result<Transfer> count() {
    Transfer out;
    const std::optional<u64> matrix = places_.intervals.empty() ? matrixRegister(bits_, plan_, bytes_) : std::nullopt;
    out.matrices = matrix.has_value();
    out.width = matrix ? 16 : bytes_ << plan_.vectorBits;
    std::vector<u64> others = plan_.others;
    if (matrix) others.erase(others.begin());
    const std::size_t accesses = std::size_t{1} << others.size(), warps = std::size_t{1} << bits_.warps.size();
    // A matrix of ldmatrix is one of up to four of an instruction: each is counted as an access of its own.
    out.accesses = static_cast<i64>(accesses);
    out.warps = static_cast<i64>(warps);
    if (accesses * warps > kMostAccesses) return Diag{fmt::format("more than {} accesses", kMostAccesses)};
    const bool alike = places_.intervals.empty();
    for (std::size_t k = 0; k < (alike ? 1 : accesses * warps); ++k) {
      const u64 base = combined(others, k % accesses) ^ combined(bits_.warps, k / accesses);
      TESSERA_TRY(const i64 one, wavefrontsAt(base, out.width, matrix));
      out.wavefronts += alike ? one * static_cast<i64>(accesses * warps) : one;
    }
    out.ideal = static_cast<i64>(warps) * divideUp(distinctBytes(), 128);
    return out;
  }

 private:
  static i64 divideUp(i64 a, i64 b) { return (a + b - 1) / b; }

  [[nodiscard]] i64 addressOf(u64 offset) const {
    const i64 place = static_cast<i64>(offset);
    return (places_.intervals.empty() ? place : triton::paddedOffset(places_.intervals, place)) * bytes_;
  }

  Result<i64> wavefrontsAt(u64 base, int width, const std::optional<u64>& matrix) const {
    std::vector<std::optional<i64>> addresses;
    if (matrix) {
      const std::vector<u64> rows = {*matrix, bits_.lanes[0], bits_.lanes[1]};
      for (std::size_t row = 0; row < 8; ++row) addresses.emplace_back(addressOf(base ^ combined(rows, row)));
      TESSERA_TRY(const WarpAccess access, warpAccess("ldmatrix.x1", 16, addresses));
      return static_cast<i64>(wavefronts(access));
    }
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane)
      addresses.emplace_back(addressOf(base ^ combined(bits_.lanes, lane)));
    TESSERA_TRY(const WarpAccess access, warpAccess("load", width, addresses));
    return static_cast<i64>(wavefronts(access));
  }

  // Of one warp: the vectors that its lanes and accesses span.
  [[nodiscard]] i64 distinctBytes() const {
    F2Echelon<u64> span;
    for (const u64 bit : plan_.others) span.add(bit);
    for (const u64 bit : bits_.lanes) span.add(bit);
    return (i64{1} << (span.rank() + plan_.vectorBits)) * bytes_;
  }

  const OffsetBits& bits_;
  const SharedPlaces& places_;
  int bytes_;
  Plan plan_;
};

// ---- scratch

std::vector<u64> packedBases(const linear::Layout& layout, const char* input) {
  std::vector<u64> packed;
  for (const linear::In& in : layout.ins())
    if (in.name == input)
      for (const Basis& basis : in.bases) packed.push_back(linear::f2::pack(basis, layout.outs()));
  std::erase(packed, 0U);
  return packed;
}

F2Echelon<u64> spanOf(const std::vector<u64>& a, const std::vector<u64>& b = {}) {
  F2Echelon<u64> span(a);
  for (const u64 vector : b) span.add(vector);
  return span;
}

// Adds what is independent of the span, at most `most` vectors; returns what was added.
std::vector<u64> extend(F2Echelon<u64>& span, const std::vector<u64>& candidates, std::size_t most = 64) {
  std::vector<u64> added;
  for (const u64 vector : candidates) {
    if (added.size() >= most) break;
    if (span.solve(vector)) continue;
    span.add(vector);
    added.push_back(vector);
  }
  return added;
}

std::vector<u64> laneBits(const linear::Layout& layout, std::size_t vectorBytes) {
  std::vector<u64> lanes;
  const std::size_t phase = vectorBytes >= 16 ? 3 : vectorBytes >= 8 ? 4 : 5;
  for (const linear::In& in : layout.ins())
    if (in.name == "lane")
      for (std::size_t k = 0; k < std::min(phase, in.bases.size()); ++k)
        lanes.push_back(linear::f2::pack(in.bases[k], layout.outs()));
  return lanes;
}

}  // namespace

Result<Transfer> transferOf(const linear::Layout& registers, const SharedPlaces& places, int elementBits) {
  if (elementBits < 8 || elementBits > 128 || !isPowerOfTwo(elementBits))
    return Diag{fmt::format("elements of {} bits are not counted", elementBits), "8, 16, 32, 64 or 128 bits"};
  if (registers.inSize("lane") != kWarpLanes)
    return Diag{fmt::format("wavefronts are counted for warps of 32 lanes, not {}", registers.inSize("lane"))};
  TESSERA_TRY(const OffsetBits bits, offsetBitsOf(registers, places.layout));
  return Counter(bits, places, elementBits / 8).count();
}

Result<linear::Layout> scratchOf(const linear::Layout& from, const linear::Layout& to, int elementBits) {
  if (from.outs() != to.outs()) return Diag{"the layouts are of tensors with different shapes"};
  const std::size_t total = static_cast<std::size_t>(from.outBits());
  const std::size_t most = static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(128 / elementBits)) - 1);
  // Vectors: bases that both sides have in registers.
  const F2Echelon<u64> registersFrom(packedBases(from, "register")), registersTo(packedBases(to, "register"));
  F2Echelon<u64> all;
  std::vector<u64> both;
  for (const u64 vector : packedBases(to, "register"))
    if (registersFrom.solve(vector) && both.size() < most) {
      const auto added = extend(all, {vector});
      both.insert(both.end(), added.begin(), added.end());
    }
  const std::size_t vectorBytes = (std::size_t{1} << both.size()) * static_cast<std::size_t>(elementBits) / 8;
  const std::size_t banks = std::min(
      total - both.size(),
      static_cast<std::size_t>(std::bit_width(128U / static_cast<unsigned>(std::max<std::size_t>(vectorBytes, 1)))) -
          1);
  const std::vector<u64> lanesFrom = laneBits(from, vectorBytes), lanesTo = laneBits(to, vectorBytes);
  const F2Echelon<u64> sideFrom = spanOf(both, lanesFrom), sideTo = spanOf(both, lanesTo);
  // Rows of banks: a sum of a vector of one side and one of the other is in neither; what is in no side is in neither.
  std::vector<u64> onlyFrom, onlyTo, rows;
  F2Echelon<u64> walkFrom = sideTo, walkTo = sideFrom;
  onlyFrom = extend(walkFrom, lanesFrom);
  onlyTo = extend(walkTo, lanesTo);
  F2Echelon<u64> either = walkFrom;
  std::vector<u64> unit;
  for (std::size_t k = 0; k < total; ++k) unit.push_back(u64{1} << k);
  rows = extend(either, unit);
  for (std::size_t k = 0; k < std::min(onlyFrom.size(), onlyTo.size()); ++k) rows.push_back(onlyFrom[k] ^ onlyTo[k]);
  const std::size_t needed = total - both.size() - banks;
  if (rows.size() > needed) rows.resize(needed);
  // The banks complete the space; the rest fills up the rows.
  F2Echelon<u64> space = spanOf(both, rows);
  std::vector<u64> rest = extend(space, lanesFrom);
  for (const u64 vector : extend(space, lanesTo)) rest.push_back(vector);
  for (const u64 vector : extend(space, unit)) rest.push_back(vector);
  std::vector<u64> order = both;
  const std::size_t first = std::min(banks, rest.size());
  order.insert(order.end(), rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(first));
  order.insert(order.end(), rows.begin(), rows.end());
  order.insert(order.end(), rest.begin() + static_cast<std::ptrdiff_t>(first), rest.end());
  linear::In offset{"offset", {}};
  for (const u64 vector : order) offset.bases.push_back(linear::f2::unpack(vector, from.outs()));
  return linear::Layout::create({std::move(offset)}, from.outs(), true);
}

}  // namespace tessera
