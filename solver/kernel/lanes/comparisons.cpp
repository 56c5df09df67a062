// setp, set, selp, slct, testp: PTX ISA 9.0, 9.7.6, 9.7.7.
#include <limits>

#include "solver/kernel/lanes/floating.h"
#include "solver/kernel/lanes/make.h"

namespace tessera::kernel {

using ptx::Type;

namespace {

enum class Order3 : unsigned char { Less, Equal, Greater, Unordered };

// Whether a comparison holds for an order of its operands.
std::array<bool, 4> truths(const ptx::Opcode& o) {
  for (const std::string_view p : o.parts) {
    if (p == "eq") return {false, true, false, false};
    if (p == "ne") return {true, false, true, false};
    if (p == "lt" || p == "lo") return {true, false, false, false};
    if (p == "le" || p == "ls") return {true, true, false, false};
    if (p == "gt" || p == "hi") return {false, false, true, false};
    if (p == "ge" || p == "hs") return {false, true, true, false};
    if (p == "equ") return {false, true, false, true};
    if (p == "neu") return {true, false, true, true};
    if (p == "ltu") return {true, false, false, true};
    if (p == "leu") return {true, true, false, true};
    if (p == "gtu") return {false, false, true, true};
    if (p == "geu") return {false, true, true, true};
    if (p == "num") return {true, true, true, false};
    if (p == "nan") return {false, false, false, true};
  }
  return {};
}

template <class T>
Order3 orderOf(T a, T b) {
  return a < b ? Order3::Less : a == b ? Order3::Equal : a > b ? Order3::Greater : Order3::Unordered;
}

using Compare = std::function<Order3(u64, u64)>;
Compare comparer(Type t, bool ftz) {
  const int bits = ptx::bitsOf(t);
  if (isFloat(t)) return [t, ftz](u64 a, u64 b) { return orderOf(toDouble(a, t, ftz), toDouble(b, t, ftz)); };
  if (isSigned(t)) return [bits](u64 a, u64 b) { return orderOf(signedOf(a, bits), signedOf(b, bits)); };
  const u64 keep = maskOf(bits);
  return [keep](u64 a, u64 b) { return orderOf(a & keep, b & keep); };
}

enum class Join : unsigned char { None, And, Or, Xor };
Join joinOf(const ptx::Opcode& o) {
  return o.has("and") ? Join::And : o.has("or") ? Join::Or : o.has("xor") ? Join::Xor : Join::None;
}
bool joined(Join join, bool x, bool c) {
  switch (join) {
    case Join::And:
      return x && c;
    case Join::Or:
      return x || c;
    case Join::Xor:
      return x != c;
    default:
      return x;
  }
}

// p and its complement q of `value` of each source, joined with a predicate.
template <class Value>
std::function<void(const LaneArguments&)> comparing(const std::array<bool, 4>& truth, Join join, Value value) {
  return [=](const LaneArguments& a) {
    const Lanes &in0 = *a.in[0], &in1 = *a.in[1], &c = *a.in[2];
    Lanes p;
    for (std::size_t l = 0; l < kLanes; ++l) {
      const auto x = value(in0[l]), y = value(in1[l]);
      const bool less = x<y, equal = x == y, greater = x> y;
      p[l] = (less && truth[0]) || (equal && truth[1]) || (greater && truth[2]) ||
             (!less && !equal && !greater && truth[3]);
    }
    Lanes &out = *a.out[0], &complement = *a.out[1];
    if (join == Join::None) {
      for (std::size_t l = 0; l < kLanes; ++l) complement[l] = p[l] ^ 1;
      out = p;
      return;
    }
    for (std::size_t l = 0; l < kLanes; ++l) {
      out[l] = joined(join, p[l] != 0, c[l] != 0);
      complement[l] = joined(join, p[l] == 0, c[l] != 0);
    }
  };
}

Operation setPredicate(const ptx::Opcode& o, Type t) {
  Operation op;
  op.results = 2;
  const bool pair = t == Type::F16x2 || t == Type::BF16x2;
  op.sources = {pair ? Type::B32 : t, pair ? Type::B32 : t, Type::Pred};
  op.optionalFrom = 2;
  const auto truth = truths(o);
  const Join join = joinOf(o);
  if (pair) {  // p of the low halves, q of the high ones
    const Type half = t == Type::F16x2 ? Type::F16 : Type::BF16;
    const Compare compare = comparer(half, o.has("ftz"));
    op.run = [=](const LaneArguments& a) {
      for (int l = 0; l < kLanes; ++l) {
        const u64 x = (*a.in[0])[l], y = (*a.in[1])[l];
        const bool c = (*a.in[2])[l] != 0;
        (*a.out[0])[l] = joined(join, truth[static_cast<std::size_t>(compare(x & 0xffff, y & 0xffff))], c);
        (*a.out[1])[l] = joined(join, truth[static_cast<std::size_t>(compare(x >> 16 & 0xffff, y >> 16 & 0xffff))], c);
      }
    };
    return op;
  }
  const bool ftz = o.has("ftz");
  const int bits = ptx::bitsOf(t);
  const u64 keep = maskOf(bits);
  if (t == Type::F32 && !ftz)
    op.run = comparing(truth, join, [](u64 x) { return std::bit_cast<float>(static_cast<std::uint32_t>(x)); });
  else if (isFloat(t))
    op.run = comparing(truth, join, [=](u64 x) { return toDouble(x, t, ftz); });
  else if (isSigned(t))
    op.run = comparing(truth, join, [=](u64 x) { return signedOf(x, bits); });
  else
    op.run = comparing(truth, join, [=](u64 x) { return x & keep; });
  return op;
}

// The bits of "true" in the type of a result: 1.0 or all ones.
u64 yes(Type t) {
  if (isFloat(t)) return fromDouble(1, t == Type::F16x2 ? Type::F16 : t == Type::BF16x2 ? Type::BF16 : t);
  return maskOf(ptx::bitsOf(t));
}

Operation set(const ptx::Opcode& o) {
  const Type from = o.type(0), to = o.type(1);
  Operation op;
  const bool pair = from == Type::F16x2 || from == Type::BF16x2;
  op.sources = {pair ? Type::B32 : from, pair ? Type::B32 : from, Type::Pred};
  op.optionalFrom = 2;
  const auto truth = truths(o);
  const Join join = joinOf(o);
  const Compare compare = comparer(pair ? (from == Type::F16x2 ? Type::F16 : Type::BF16) : from, o.has("ftz"));
  const u64 one = pair && !isFloat(to) ? 0xffff : yes(to);
  op.run = [=](const LaneArguments& a) {
    for (int l = 0; l < kLanes; ++l) {
      const u64 x = (*a.in[0])[l], y = (*a.in[1])[l];
      const bool c = (*a.in[2])[l] != 0;
      const auto value = [&](u64 p, u64 q) {
        return joined(join, truth[static_cast<std::size_t>(compare(p, q))], c) ? one : 0;
      };
      (*a.out[0])[l] =
          pair ? value(x & 0xffff, y & 0xffff) | value(x >> 16 & 0xffff, y >> 16 & 0xffff) << 16 : value(x, y);
    }
  };
  return op;
}

}  // namespace

Found comparisonOperation(const ptx::Opcode& o) {
  const std::string_view base = o.base();
  const Type t = o.type();
  if (base == "setp") return setPredicate(o, t);
  if (base == "set") return set(o);
  if (base == "selp") {
    Operation op = eachLaneOf(3, t, [](u64 a, u64 b, u64 c) { return c != 0 ? a : b; });
    op.sources[2] = Type::Pred;
    return op;
  }
  if (base == "slct") {
    const bool real = t == Type::F32;
    Operation op = eachLaneOf(3, o.type(1), [real](u64 a, u64 b, u64 c) {
      return (real ? toDouble(c, Type::F32, false) >= 0 : signedOf(c, 32) >= 0) ? a : b;
    });
    op.sources[2] = t;
    return op;
  }
  if (base == "testp") {
    const auto kind = o.has("finite")       ? 0
                      : o.has("infinite")   ? 1
                      : o.has("number")     ? 2
                      : o.has("notanumber") ? 3
                      : o.has("normal")     ? 4
                                            : 5;
    return eachLaneOf(1, t, [=](u64 a, u64, u64) -> u64 {
      const double x = toDouble(a, t, false);
      const double least = t == Type::F32 ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
      switch (kind) {
        case 0:
          return std::isfinite(x);
        case 1:
          return std::isinf(x);
        case 2:
          return !std::isnan(x);
        case 3:
          return std::isnan(x);
        case 4:
          return std::isfinite(x) && std::abs(x) >= least;
        default:
          return x != 0 && std::abs(x) < least;
      }
    });
  }
  return std::nullopt;
}

}  // namespace tessera::kernel
