#include "core/map/forms/recognise.h"

#include <fmt/format.h>

#include <bit>
#include <optional>
#include <unordered_map>

#include "core/base/arith.h"
#include "core/base/mapped.h"
#include "core/expr/simplify.h"
#include "core/expr/walk.h"
#include "core/map/compose.h"

namespace tessera {
namespace {

std::vector<std::string> digitNames(const Map& map) { return mapped<std::string>(map.digits(), &Digit::name); }

Diag notStrided(const Map& map, const Expr& e) {
  return Diag{fmt::format("'{}' is not a sum of strides", print(e, digitNames(map))), "sums of digit * constant"};
}

// A word whose bits are affine in the input bits: bit r is constant_r xor (row_r . x).
struct Bits {
  std::vector<u64> masks;       // per output bit: which input bits are xored
  std::vector<bool> constants;  // per output bit
  [[nodiscard]] std::size_t size() const { return masks.size(); }
  void resize(std::size_t n) {
    masks.resize(n, 0);
    constants.resize(n, false);
  }
  [[nodiscard]] bool zero(std::size_t r) const { return r >= masks.size() || (masks[r] == 0 && !constants[r]); }
  void trim() {
    while (!masks.empty() && zero(masks.size() - 1)) {
      masks.pop_back();
      constants.pop_back();
    }
  }
};

class BitReader {
 public:
  BitReader(const Map& map, std::vector<int> firstBit) : map_(map), firstBit_(std::move(firstBit)) {}

  Result<Bits> read(const Expr& e) {
    std::optional<Diag> refused;
    childrenFirst(
        e, [&](const Expr& n) { return refused || known_.count(n) != 0; },
        [&](const Expr& n) {
          Result<Bits> b = one(n);
          if (!b) {
            refused = b.error();
            return;
          }
          b->trim();
          known_.emplace(n, *std::move(b));
        });
    if (refused) return *std::move(refused);
    return known_.at(e);
  }

 private:
  Diag refuse(const Expr& e, const std::string& why) const {
    return Diag{fmt::format("'{}' is not linear over bits: {}", print(e, digitNames(map_)), why),
                "shifts, masks, xors and sums that do not carry"};
  }

  Result<Bits> one(const Expr& e) {
    Bits b;
    if (e.op() == Op::Param) return refuse(e, "it is a symbolic size");
    if (e.op() == Op::Constant) {
      if (e.value() < 0) {  // allowed only as a factor; refused if its bits are needed
        return refuse(e, "it is negative");
      }
      b.resize(static_cast<std::size_t>(std::bit_width(static_cast<u64>(e.value()))));
      for (std::size_t r = 0; r < b.size(); ++r) b.constants[r] = ((e.value() >> r) & 1) != 0;
      return b;
    }
    if (e.op() == Op::Digit) {
      const auto d = static_cast<std::size_t>(e.index());
      const int bits = std::countr_zero(static_cast<u64>(map_.digits()[d].extent));
      b.resize(static_cast<std::size_t>(bits));
      for (int r = 0; r < bits; ++r) b.masks[static_cast<std::size_t>(r)] = u64{1} << (firstBit_[d] + r);
      return b;
    }
    const Bits& x = known_.at(e.lhs());
    const Bits& y = known_.at(e.rhs());
    switch (e.op()) {
      case Op::Xor:
        return combined(x, y);
      case Op::Add: {
        for (std::size_t r = 0; r < std::min(x.size(), y.size()); ++r)
          if (!x.zero(r) && !y.zero(r))
            return refuse(e, fmt::format("both summands can have bit {}, so the sum carries", r));
        return combined(x, y);
      }
      case Op::Min:
      case Op::Max:
        return refuse(e, "it compares two values");
      default:
        break;
    }
    if (!e.rhs().isConstant() || !isPowerOfTwo(e.rhs().value()))
      return refuse(e, fmt::format("'{}' is not a power of two", print(e.rhs(), digitNames(map_))));
    const auto k = static_cast<std::size_t>(std::countr_zero(static_cast<u64>(e.rhs().value())));
    if (e.op() == Op::Mul) {
      if (x.size() + k > 63) return refuse(e, "it needs more than 63 bits");
      b.resize(x.size() + k);
      for (std::size_t r = 0; r < x.size(); ++r) {
        b.masks[r + k] = x.masks[r];
        b.constants[r + k] = x.constants[r];
      }
    } else {
      const std::size_t from = e.op() == Op::FloorDiv ? k : 0;
      const std::size_t to = e.op() == Op::FloorDiv ? x.size() : std::min(x.size(), k);
      b.resize(to > from ? to - from : 0);
      for (std::size_t r = from; r < to; ++r) {
        b.masks[r - from] = x.masks[r];
        b.constants[r - from] = x.constants[r];
      }
    }
    return b;
  }

  static Bits combined(const Bits& x, const Bits& y) {
    Bits b;
    b.resize(std::max(x.size(), y.size()));
    for (std::size_t r = 0; r < b.size(); ++r) {
      b.masks[r] = (r < x.size() ? x.masks[r] : 0) ^ (r < y.size() ? y.masks[r] : 0);
      b.constants[r] = (r < x.size() && x.constants[r]) != (r < y.size() && y.constants[r]);
    }
    return b;
  }

  const Map& map_;
  std::vector<int> firstBit_;
  std::unordered_map<Expr, Bits> known_;
};

}  // namespace

Result<Strided> asStrided(const Map& map, int axis) {
  const Expr e = simplified(map.axes()[static_cast<std::size_t>(axis)].value, environmentOf(map));
  Strided out;
  out.strides.assign(map.digits().size(), 0);
  std::vector<std::pair<Expr, i64>> stack{{e, 1}};
  while (!stack.empty()) {
    const auto [n, scale] = stack.back();
    stack.pop_back();
    if (n.op() == Op::Add) {
      stack.emplace_back(n.lhs(), scale);
      stack.emplace_back(n.rhs(), scale);
    } else if (n.op() == Op::Mul && n.rhs().isConstant()) {
      const auto s = checkedMul(scale, n.rhs().value());
      if (!s) return notStrided(map, n);
      stack.emplace_back(n.lhs(), *s);
    } else if (n.op() == Op::Digit) {
      i64& stride = out.strides[static_cast<std::size_t>(n.index())];
      if (!addInto(stride, scale)) return notStrided(map, n);
    } else if (n.isConstant()) {
      const auto v = checkedMul(n.value(), scale);
      const auto s = v ? checkedAdd(out.offset, *v) : std::nullopt;
      if (!s) return notStrided(map, n);
      out.offset = *s;
    } else {
      return notStrided(map, n);
    }
  }
  return out;
}

Result<F2Form> asF2(const Map& map) {
  F2Form form;
  std::vector<int> firstBit;
  int bits = 0;
  for (const Digit& d : map.digits()) {
    if (!isPowerOfTwo(d.extent))
      return Diag{fmt::format("the extent {} of {} is not a power of two", d.extent, d.name), "powers of two"};
    firstBit.push_back(bits);
    const int own = std::countr_zero(static_cast<u64>(d.extent));
    for (int r = 0; r < own; ++r) form.inputBits.push_back(fmt::format("{}.{}", d.name, r));
    bits += own;
  }
  if (bits > 63) return Diag{fmt::format("{} coordinate bits", bits), "at most 63"};
  BitReader reader(map, std::move(firstBit));
  const Map simple = withSimplerValues(map);
  form.matrix.columns.assign(static_cast<std::size_t>(bits), 0);
  for (const Axis& a : simple.axes()) {
    TESSERA_TRY(const Bits word, reader.read(a.value));
    const int base = form.matrix.rows;
    if (base + static_cast<int>(word.size()) > 63) return Diag{"the axes need more than 63 bits together"};
    for (std::size_t r = 0; r < word.size(); ++r) {
      const int row = base + static_cast<int>(r);
      for (int c = 0; c < bits; ++c)
        if ((word.masks[r] >> c) & 1) form.matrix.columns[static_cast<std::size_t>(c)] |= u64{1} << row;
      if (word.constants[r]) form.constant |= u64{1} << row;
      form.outputBits.push_back(fmt::format("{}.{}", a.name, r));
    }
    form.axisBits.push_back(static_cast<int>(word.size()));
    form.matrix.rows += static_cast<int>(word.size());
  }
  return form;
}

}  // namespace tessera
