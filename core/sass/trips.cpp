// The iterations of a loop `for (r = a; r + s < b; r += s)` with constants.
#include <algorithm>
#include <charconv>

#include "core/base/work_budget.h"
#include "core/sass/report.h"

namespace tessera::sass {

namespace {

constexpr i64 kMostTrips = 1 << 20;

std::optional<i64> constantOf(std::string_view text) {
  if (text == "RZ" || text == "URZ") return 0;
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (!text.starts_with("0x")) return text == "0" ? std::optional<i64>(0) : std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size() || value > 0xffffffffU) return std::nullopt;
  const auto number = static_cast<i64>(static_cast<std::int32_t>(static_cast<std::uint32_t>(value)));
  return negative ? -number : number;
}

std::string_view withoutReuse(std::string_view operand) { return operand.substr(0, operand.find(".reuse")); }

// The constant that an instruction puts into its first operand.
std::optional<i64> constantMoved(const Instruction& i) {
  const auto at = [&](std::size_t k) { return k < i.operands.size() ? constantOf(i.operands[k]) : std::nullopt; };
  if (i.unit() == "MOV" || i.unit() == "UMOV") return at(1);
  if (i.operation == "IMAD.MOV.U32" || i.operation == "IMAD.MOV")
    return at(1) == 0 && at(2) == 0 ? at(3) : std::nullopt;
  if (i.unit() == "CS2R") return i.operands.size() > 1 && i.operands[1] == "SRZ" ? std::optional<i64>(0) : std::nullopt;
  if (i.unit() == "HFMA2")  // -RZ, RZ, 0, 0
    return i.operands.size() == 5 && i.operands[1] == "-RZ" && i.operands[2] == "RZ" && i.operands[3] == "0" &&
                   i.operands[4] == "0"
               ? std::optional<i64>(0)
               : std::nullopt;
  return std::nullopt;
}

// r = r + the step
std::optional<i64> stepOf(const Instruction& i) {
  const std::string_view unit = i.unit();
  if ((unit != "IADD3" && unit != "UIADD3" && unit != "VIADD" && unit != "IADD") || i.operands.size() < 3)
    return std::nullopt;
  if (i.guard.number >= 0 || i.has("X") || withoutReuse(i.operands[1]) != i.operands[0]) return std::nullopt;
  if (i.operands.size() > 3 && constantOf(i.operands[3]) != 0) return std::nullopt;
  return constantOf(i.operands[2]);
}

class TripCount {
 public:
  TripCount(const Kernel& kernel, const Flow& flow, const Loop& loop) : kernel_(kernel), flow_(flow), loop_(loop) {}

  std::optional<i64> count() {
    if (loop_.latches.size() != 1) return std::nullopt;
    const Block& latch = block(loop_.latches[0]);
    const int end = latch.end - 1;
    const Instruction& branch = code(end);
    if (branch.unit() != "BRA" || branch.guard.number < 0 || latch.next.size() != 2) return std::nullopt;
    for (const int b : loop_.blocks)  // another way out
      for (const int to : block(b).next)
        if (b != loop_.latches[0] && !inside(to)) return std::nullopt;
    const int compare = lastWrite(latch, end, guardRegister(branch.guard));
    if (compare < 0 || (code(compare).unit() != "ISETP" && code(compare).unit() != "UISETP")) return std::nullopt;
    return simulate(code(compare), compare, branch);
  }

 private:
  [[nodiscard]] const Instruction& code(int k) const { return kernel_.code[static_cast<std::size_t>(k)]; }
  [[nodiscard]] const Block& block(int b) const { return flow_.blocks[static_cast<std::size_t>(b)]; }
  [[nodiscard]] bool inside(int b) const { return std::binary_search(loop_.blocks.begin(), loop_.blocks.end(), b); }

  // The last instruction of [block.begin, end) that writes r; -1: none.
  static bool writes(const Instruction& i, Register r) {
    const Uses uses = usesOf(i);
    return std::binary_search(uses.writes.begin(), uses.writes.end(), r);
  }
  [[nodiscard]] int lastWrite(const Block& in, int end, Register r) const {
    for (int k = end - 1; k >= in.begin; --k) {
      spend();
      if (writes(code(k), r)) return k;
    }
    return -1;
  }

  // The value before the loop: of the last write in the blocks that dominate the header.
  [[nodiscard]] std::optional<i64> before(Register r) const {
    for (int b = block(loop_.header).dominator; b >= 0; b = block(b).dominator) {
      const int at = lastWrite(block(b), block(b).end, r);
      if (at >= 0) return code(at).guard.number < 0 ? constantMoved(code(at)) : std::nullopt;
      if (block(b).next.size() > 1 || block(b).before.size() > 1) {
        // Another path may write it: only straight code counts, and branches around a guard of the loop.
        if (writtenOutside(r) > 1) return std::nullopt;
      }
    }
    return std::nullopt;
  }
  [[nodiscard]] int writtenOutside(Register r) const {
    int out = 0;
    for (const int b : flow_.order)
      if (!inside(b))
        for (int k = block(b).begin; k < block(b).end; ++k) spend(), out += writes(code(k), r) ? 1 : 0;
    return out;
  }

  std::optional<i64> simulate(const Instruction& compare, int at, const Instruction& branch) {
    if (compare.operands.size() != 5 || compare.operands[4] != (compare.unit() == "ISETP" ? "PT" : "UPT"))
      return std::nullopt;
    const auto limit = constantOf(compare.operands[3]);
    const Uses uses = usesOf(compare);
    if (!limit || uses.reads.size() != 1 || !compare.has("AND") || compare.has("EX")) return std::nullopt;
    const Register r = uses.reads[0];
    if (withoutReuse(compare.operands[2]) != nameOf(r)) return std::nullopt;
    std::optional<i64> step;
    int stepAt = -1;
    for (const int b : loop_.blocks)
      for (int k = block(b).begin; k < block(b).end; ++k) {
        spend();
        if (!writes(code(k), r)) continue;
        if (stepAt >= 0 || !dominates(flow_, b, loop_.latches[0])) return std::nullopt;
        stepAt = k;
        step = stepOf(code(k));
      }
    const auto first = before(r);
    if (!step || *step == 0 || !first) return std::nullopt;
    const bool stepFirst = stepAt < at;
    for (i64 trips = 1, value = *first; trips <= kMostTrips; ++trips, value += *step) {
      const auto holds = compares(compare, value + (stepFirst ? *step : 0), *limit);
      if (!holds) return std::nullopt;
      if (*holds == branch.guard.negated) return trips;
    }
    return std::nullopt;
  }

  static std::optional<bool> compares(const Instruction& i, i64 a, i64 b) {
    if (a != static_cast<std::int32_t>(a)) return std::nullopt;
    if (i.has("U32")) a = static_cast<std::uint32_t>(a), b = static_cast<std::uint32_t>(b);
    if (i.has("GE")) return a >= b;
    if (i.has("GT")) return a > b;
    if (i.has("LE")) return a <= b;
    if (i.has("LT")) return a < b;
    if (i.has("NE")) return a != b;
    if (i.has("EQ")) return a == b;
    return std::nullopt;
  }

  const Kernel& kernel_;
  const Flow& flow_;
  const Loop& loop_;
};

}  // namespace

std::optional<i64> tripsOf(const Kernel& kernel, const Flow& flow, const Loop& loop) {
  return TripCount(kernel, flow, loop).count();
}

}  // namespace tessera::sass
