#include "core/expr/compile.h"

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>

#include "core/base/arith.h"
#include "core/base/check.h"
#include "core/base/lanes.h"
#include "core/base/work.h"
#include "core/expr/walk.h"

namespace tessera {
namespace {

__extension__ using UWide = unsigned __int128;

// floor(n / d) without dividing: |n| (or ~n for negatives, which has the same floor) is below 2^63, and for such u
// floor(u / d) == floor(u * magic / 2^(64 + shift)) (Granlund and Montgomery 1994, theorem 4.2 with N = 63).
i64 divideByMagic(i64 n, u64 magic, int shift) {
  const i64 sign = n >> 63;
  const u64 u = static_cast<u64>(n ^ sign);
  const u64 q = static_cast<u64>((UWide{u} * magic) >> 64) >> shift;
  return static_cast<i64>(q) ^ sign;
}

// Applies op to pairs of lanes and then to the remaining value.
template <typename PairOp, typename OneOp>
inline void lanesOver(const i64* a, std::size_t count, i64* to, PairOp pairOp, OneOp oneOp) {
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const Lanes v = pairOp(loadLanes(a + i), i);
    const Lanes w = pairOp(loadLanes(a + i + 2), i + 2);
    storeLanes(to + i, v);
    storeLanes(to + i + 2, w);
  }
  for (; i < count; ++i) to[i] = oneOp(a[i], i);
}

}  // namespace

Program::Program() : steps_(1) {}

Program::Step Program::binaryStep(const Expr& e, int a, int b) {
  static_assert(static_cast<int>(Code::Max) == static_cast<int>(Op::Max));
  const bool constant = e.rhs().isConstant(), divides = e.op() == Op::FloorDiv || e.op() == Op::Mod;
  const i64 c = constant ? e.rhs().value() : 0;
  const int log = isPowerOfTwo(c) ? std::countr_zero(static_cast<u64>(c)) : -1;
  const bool direct = constant && (!divides || c > 0);
  const int first = direct ? static_cast<int>(Code::AddC) - static_cast<int>(Code::Add) : 0;
  Step s{static_cast<Code>(static_cast<int>(e.op()) + first), a, b, 0, c};
  if (log >= 0 && (e.op() == Op::Mul || e.op() == Op::FloorDiv)) {
    s.code = e.op() == Op::Mul ? Code::ShiftLeft : Code::ShiftRight;
    s.constant = log;
  } else if (log >= 0 && e.op() == Op::Mod) {
    s.code = Code::Mask;
    s.constant = c - 1;
  } else if (direct && divides) {  // 2^(width-1) < c < 2^width: c is not a power of two
    const int width = static_cast<int>(std::bit_width(static_cast<u64>(c)));
    s.magic = static_cast<u64>((UWide{1} << (63 + width)) / static_cast<u64>(c)) + 1;
    s.shift = width - 1;
  }
  return s;
}

Program Program::compile(const Expr& root) {
  const std::vector<Expr> order = nodesIn(root);
  // The last step that reads each node; a constant that all readers embed in their own step needs no step.
  std::unordered_map<Expr, std::size_t> lastRead;
  std::unordered_map<Expr, bool> needed{{root, true}};
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Expr& e = order[k];
    if (isLeaf(e.op())) continue;
    lastRead[e.lhs()] = k;
    needed[e.lhs()] = true;
    const bool inside = e.rhs().isConstant() && binaryStep(e, 0, 0).code >= Code::AddC;
    if (inside) continue;
    lastRead[e.rhs()] = k;
    needed[e.rhs()] = true;
  }
  Program program;
  program.steps_.clear();
  std::unordered_map<Expr, int> at;
  std::vector<int> free;
  int registers = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Expr& e = order[k];
    if (!needed[e]) continue;
    Step s{static_cast<Code>(e.op())};
    if (e.isConstant()) {
      s.constant = e.value();
    } else if (isLeaf(e.op())) {
      s.a = e.index();
    } else {
      const auto inRegister = [&](const Expr& child) {
        const auto it = at.find(child);
        return it == at.end() ? 0 : it->second;
      };
      s = binaryStep(e, inRegister(e.lhs()), inRegister(e.rhs()));
      for (const Expr& child : {e.lhs(), e.rhs()}) {
        const auto it = at.find(child);
        if (it == at.end() || lastRead[child] != k) continue;
        free.push_back(it->second);
        at.erase(it);
      }
    }
    if (free.empty()) free.push_back(registers++);
    s.to = free.back();
    free.pop_back();
    at[e] = s.to;
    program.steps_.push_back(s);
  }
  program.registers_ = static_cast<std::size_t>(registers);
  return program;
}

// One instruction on one value: x and y are the operands' values, or the constant; of a leaf, x is the value itself.
inline i64 Program::scalar(const Step& s, i64 x, i64 y) {
  switch (s.code) {
    case Code::Constant:
    case Code::Digit:
    case Code::Param:
      return x;
    case Code::Add:
    case Code::AddC:
      return static_cast<i64>(static_cast<u64>(x) + static_cast<u64>(y));
    case Code::Mul:
    case Code::MulC:
      return static_cast<i64>(static_cast<u64>(x) * static_cast<u64>(y));
    case Code::FloorDiv:
      return floorDiv(x, y);
    case Code::Mod:
      return floorMod(x, y);
    case Code::Xor:
    case Code::XorC:
      return x ^ y;
    case Code::Min:
    case Code::MinC:
      return std::min(x, y);
    case Code::Max:
    case Code::MaxC:
      return std::max(x, y);
    case Code::ShiftLeft:
      return static_cast<i64>(static_cast<u64>(x) << y);
    case Code::ShiftRight:
      return x >> y;
    case Code::Mask:
      return x & y;
    case Code::FloorDivC:
      return divideByMagic(x, s.magic, s.shift);
    case Code::ModC:
      // Below INT64_MIN + divisor the product exceeds 64 bits, but the difference does not.
      return static_cast<i64>(static_cast<u64>(x) -
                              static_cast<u64>(divideByMagic(x, s.magic, s.shift)) * static_cast<u64>(y));
  }
  return 0;
}

i64 Program::run(std::span<const i64> digits, std::span<const i64> params) const {
  spend(static_cast<i64>(steps_.size()) / 8 + 1);
  std::array<i64, 32> small;
  std::vector<i64> large;
  i64* r = small.data();
  small[0] = 0;
  if (registers_ > small.size()) {
    large.resize(registers_);
    r = large.data();
  }
  for (const Step& s : steps_) {
    i64 x = s.constant, y = s.constant;
    if (s.code >= Code::Add) {
      x = r[s.a];
      if (s.code < Code::AddC) y = r[s.b];
    } else if (s.code != Code::Constant) {
      x = (s.code == Code::Digit ? digits : params)[static_cast<std::size_t>(s.a)];
    }
    r[s.to] = scalar(s, x, y);
  }
  return r[steps_.back().to];
}

// b: nullptr if the second operand is the constant.
void Program::column(const Step& s, const i64* a, const i64* b, std::size_t count, i64* to) {
  const i64 c = s.constant;
  const auto one = [&](i64 x, std::size_t i) { return scalar(s, x, b != nullptr ? b[i] : c); };
  const auto lanes = [&](auto op) {
    if (b == nullptr) {
      lanesOver(
          a, count, to, [&](Lanes v, std::size_t) { return op(v, Lanes{} + c); }, one);
    } else {
      lanesOver(
          a, count, to, [&](Lanes v, std::size_t i) { return op(v, loadLanes(b + i)); }, one);
    }
  };
  switch (s.code) {
    case Code::Add:
    case Code::AddC:
      return lanes([](Lanes v, Lanes w) { return v + w; });
    case Code::Mul:
    case Code::MulC:
      return lanes([](Lanes v, Lanes w) { return v * w; });
    case Code::Xor:
    case Code::XorC:
      return lanes([](Lanes v, Lanes w) { return v ^ w; });
    case Code::Mask:
      return lanes([](Lanes v, Lanes w) { return v & w; });
    case Code::Min:
    case Code::Max:
    case Code::MinC:
    case Code::MaxC: {  // without the inner switch, so that the compiler uses conditional moves
      const bool least = s.code == Code::Min || s.code == Code::MinC;
      for (std::size_t i = 0; i < count; ++i) {
        const i64 y = b != nullptr ? b[i] : c;
        to[i] = (a[i] < y) == least ? a[i] : y;
      }
      return;
    }
    case Code::ShiftLeft:
      return lanes([c](Lanes v, Lanes) { return (Lanes)((ULanes)v << static_cast<u64>(c)); });
    case Code::ShiftRight: {
      // x86-64 has no arithmetic shift of 64-bit lanes: shift x + 2^63 logically, then subtract 2^63 >> c.
      const u64 by = static_cast<u64>(c), bias = u64{1} << 63, back = bias >> by;
      return lanes([=](Lanes v, Lanes) { return (Lanes)((((ULanes)v ^ bias) >> by) - back); });
    }
    default:
      for (std::size_t i = 0; i < count; ++i) to[i] = one(a[i], i);
  }
}

void Program::runBlock(std::span<const i64* const> digits, std::span<const i64> params, std::size_t count, i64* out,
                       std::vector<i64>& scratch) const {
  LAYOUT_CHECK(count <= kBlock, "runBlock: at most kBlock points");
  spend(static_cast<i64>(steps_.size() * count / 64) + 1);
  if (scratch.size() < registers_ * kBlock) scratch.resize(registers_ * kBlock);
  std::array<const i64*, 32> small;
  std::vector<const i64*> large;
  const i64** at = small.data();  // each register's column: scratch, or a digit's own column
  if (registers_ > small.size()) {
    large.resize(registers_);
    at = large.data();
  }
  for (const Step& s : steps_) {
    i64* to = &s == &steps_.back() ? out : scratch.data() + static_cast<std::size_t>(s.to) * kBlock;
    const i64* from = nullptr;
    if (s.code == Code::Digit) {
      from = digits[static_cast<std::size_t>(s.a)];
      if (to == out) std::copy_n(from, count, out);
    } else if (s.code == Code::Constant || s.code == Code::Param) {
      std::fill_n(to, count, s.code == Code::Constant ? s.constant : params[static_cast<std::size_t>(s.a)]);
    } else {
      column(s, at[s.a], s.code < Code::AddC ? at[s.b] : nullptr, count, to);
    }
    at[s.to] = from != nullptr ? from : to;
  }
}

}  // namespace tessera
