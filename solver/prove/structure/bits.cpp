#include "solver/prove/structure/bits.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <unordered_map>

#include "core/base/arith.h"
#include "core/expr/walk.h"

namespace tessera::prover {

namespace {

constexpr u64 kSign = u64{1} << 63;
constexpr std::size_t kMaxColumns = std::size_t{1} << 23;  // over all nodes: 64 MiB

struct Reader {
  std::span<const int> digitBits;
  std::size_t inputs = 0;
  std::unordered_map<const void*, std::optional<BitMatrix>> memo{};

  static u64 support(const BitMatrix& m) {
    u64 all = m.constant;
    for (u64 c : m.columns) all |= c;
    return all;
  }
  template <typename F>
  static BitMatrix mapped(BitMatrix m, F f) {
    for (u64& c : m.columns) c = f(c);
    m.constant = f(m.constant);
    return m;
  }
  static BitMatrix added(BitMatrix a, const BitMatrix& b) {
    for (std::size_t k = 0; k < a.columns.size(); ++k) a.columns[k] ^= b.columns[k];
    a.constant ^= b.constant;
    return a;
  }
  static std::optional<BitMatrix> shifted(const BitMatrix& m, int by) {
    if (by > 62 || (support(m) >> (63 - by)) != 0) return std::nullopt;
    return mapped(m, [by](u64 c) { return c << by; });
  }
  std::optional<BitMatrix> multiplied(const BitMatrix& m, i64 factor) const {
    if (factor < 0) return std::nullopt;
    BitMatrix total{std::vector<u64>(inputs, 0), 0};
    for (int by = 0; by < 63; ++by) {
      if (((factor >> by) & 1) == 0) continue;
      const auto addend = shifted(m, by);
      if (!addend || (support(total) & support(*addend)) != 0) return std::nullopt;
      total = added(total, *addend);
    }
    return total;
  }

  std::optional<BitMatrix> compute(const Expr& e) {
    spend(static_cast<i64>(inputs / 8) + 1);
    switch (e.op()) {
      case Op::Constant:
        if (e.value() < 0) return std::nullopt;
        return BitMatrix{std::vector<u64>(inputs, 0), static_cast<u64>(e.value())};
      case Op::Digit: {
        BitMatrix m{std::vector<u64>(inputs, 0), 0};
        std::size_t at = inputsOf(digitBits.first(static_cast<std::size_t>(e.index())));
        for (int b = 0; b < digitBits[e.index()]; ++b) m.columns[at++] = u64{1} << b;
        return m;
      }
      case Op::Param:
        return std::nullopt;
      default:
        break;
    }
    const auto &a = memo.at(e.lhs().id()), &b = memo.at(e.rhs().id());
    if (!a) return std::nullopt;
    if (e.op() == Op::Mul && e.rhs().isConstant()) return multiplied(*a, e.rhs().value());
    if (!b) return std::nullopt;
    if (e.op() == Op::Mul && e.lhs().isConstant()) return multiplied(*b, e.lhs().value());
    if (e.op() == Op::Xor) return added(*a, *b);
    if (e.op() == Op::Add && (support(*a) & support(*b)) == 0) return added(*a, *b);
    if ((e.op() == Op::FloorDiv || e.op() == Op::Mod) && e.rhs().isConstant() && isPowerOfTwo(e.rhs().value())) {
      const u64 c = static_cast<u64>(e.rhs().value());
      if (e.op() == Op::Mod) return mapped(*a, [c](u64 v) { return v & (c - 1); });
      const int by = std::countr_zero(c);
      return mapped(*a, [by](u64 v) { return v >> by; });
    }
    return std::nullopt;
  }
  // nullopt also if the matrices of all nodes do not fit.
  std::optional<BitMatrix> of(const Expr& root) {
    if (nodeCount(root) > kMaxColumns / (inputs + 1)) return std::nullopt;
    childrenFirst(root, [this](const Expr& e) {
      auto m = compute(e);
      if (m && (support(*m) & kSign) != 0) m.reset();
      memo.emplace(e.id(), std::move(m));
    });
    return memo.at(root.id());
  }
};

}  // namespace

std::optional<std::vector<int>> bitsOf(std::span<const Digit> digits) {
  std::vector<int> bits;
  for (const Digit& d : digits) {
    if (!isPowerOfTwo(d.extent)) return std::nullopt;
    bits.push_back(std::countr_zero(static_cast<u64>(d.extent)));
  }
  return bits;
}

std::size_t inputsOf(std::span<const int> digitBits) {
  return std::accumulate(digitBits.begin(), digitBits.end(), std::size_t{0});
}

std::optional<BitMatrix> bitMatrix(const Expr& e, std::span<const int> digitBits) {
  return Reader{digitBits, inputsOf(digitBits)}.of(e);
}

std::vector<i64> digitsFromBits(const F2Words& bits, std::span<const int> digitBits) {
  std::vector<i64> digits;
  int at = 0;
  for (int count : digitBits) {
    i64 v = 0;
    for (int b = 0; b < count; ++b) v |= i64{f2_detail::bit(bits, at++)} << b;
    digits.push_back(v);
  }
  return digits;
}

}  // namespace tessera::prover
