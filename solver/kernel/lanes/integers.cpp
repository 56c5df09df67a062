// Integer arithmetic, logic, shifts, bit fields, permutations: PTX ISA 9.0, 9.7.1, 9.7.2, 9.7.8.
#include <fmt/format.h>

#include <algorithm>

#include "solver/kernel/lanes/make.h"

namespace tessera::kernel {

using ptx::Type;

namespace {

__extension__ using u128 = unsigned __int128;
using s128 = i128;

// The high or low half, or all, of a product.
Operation product(const ptx::Opcode& o, Type t, bool adds) {
  const int bits = ptx::bitsOf(t);
  const u64 keep = maskOf(bits);
  const bool sign = isSigned(t), wide = o.has("wide"), hi = o.has("hi");
  const u64 whole = maskOf(std::min(64, 2 * bits));
  const auto times = [=](u64 a, u64 b) {
    const u128 p = sign ? static_cast<u128>(static_cast<s128>(signedOf(a, bits)) * signedOf(b, bits))
                        : static_cast<u128>(a & keep) * (b & keep);
    return hi ? static_cast<u64>(p >> bits) & keep : static_cast<u64>(p) & (wide ? whole : keep);
  };
  const bool clamps = o.has("sat");
  const bool carries = o.has("cc") || o.base() == "madc";
  // The low half does not depend on the sign; a wide product of 32 bits fits a lane.
  if (!hi && !wide && !clamps && !carries) {
    if (!adds) return eachLaneOf(2, t, [=](u64 a, u64 b, u64) { return a * b & keep; });
    return eachLaneOf(3, t, [=](u64 a, u64 b, u64 c) { return (a * b + c) & keep; });
  }
  if (wide && bits == 32 && !carries) {
    const auto wideOf = [adds, t](auto times32) {
      Operation op = eachLaneOf(adds ? 3 : 2, t, times32);
      if (adds) op.sources[2] = Type::B64;
      return op;
    };
    if (sign && adds)
      return wideOf([](u64 a, u64 b, u64 c) { return static_cast<u64>(signedOf(a, 32) * signedOf(b, 32)) + c; });
    if (sign) return wideOf([](u64 a, u64 b, u64) { return static_cast<u64>(signedOf(a, 32) * signedOf(b, 32)); });
    if (adds) return wideOf([](u64 a, u64 b, u64 c) { return (a & 0xffffffffu) * (b & 0xffffffffu) + c; });
    return wideOf([](u64 a, u64 b, u64) { return (a & 0xffffffffu) * (b & 0xffffffffu); });
  }
  if (!adds) return eachLaneOf(2, t, [=](u64 a, u64 b, u64) { return times(a, b); });
  if (carries) {
    Operation op;
    op.sources.assign(3, t);
    op.carryIn = o.base() == "madc";
    op.carryOut = o.has("cc");
    const bool in = op.carryIn, out = op.carryOut;
    op.run = [=](const LaneArguments& a) {
      for (int l = 0; l < kLanes; ++l) {
        const u128 s =
            static_cast<u128>(times((*a.in[0])[l], (*a.in[1])[l])) + ((*a.in[2])[l] & keep) + (in ? (*a.in[3])[l] : 0);
        (*a.out[0])[l] = static_cast<u64>(s) & keep;
        if (out) (*a.out[1])[l] = static_cast<u64>(s >> bits) & 1;
      }
    };
    return op;
  }
  Operation op = eachLaneOf(3, t, [=](u64 a, u64 b, u64 c) {
    if (clamps) {
      const s128 s = static_cast<s128>(signedOf(times(a, b), 32)) + signedOf(c, 32);
      return static_cast<u64>(std::clamp<s128>(s, INT32_MIN, INT32_MAX)) & keep;
    }
    return (times(a, b) + c) & (wide ? whole : keep);
  });
  if (wide) op.sources[2] = bits == 16 ? Type::B32 : Type::B64;
  return op;
}

Operation product24(const ptx::Opcode& o, Type t, bool adds) {
  const bool sign = isSigned(t), hi = o.has("hi");
  return eachLaneOf(adds ? 3 : 2, t, [=](u64 a, u64 b, u64 c) {
    const i64 p = sign ? signedOf(a & 0xffffff, 24) * signedOf(b & 0xffffff, 24)
                       : static_cast<i64>((a & 0xffffff) * (b & 0xffffff));
    return (static_cast<u64>(hi ? p >> 16 : p) + (adds ? c : 0)) & 0xffffffffu;
  });
}

// a +- b +- carry.
Operation sum(const ptx::Opcode& o, Type t, bool minus) {
  const int bits = ptx::bitsOf(t);
  const u64 keep = maskOf(bits);
  if (t == Type::U16x2 || t == Type::S16x2)
    return eachLaneOf(2, Type::B32,
                      [](u64 a, u64 b, u64) { return ((a + b) & 0xffff) | (((a >> 16) + (b >> 16)) & 0xffff) << 16; });
  if (o.has("sat"))
    return eachLaneOf(2, t, [=](u64 a, u64 b, u64) {
      const i64 x = signedOf(a, bits), y = signedOf(b, bits);
      return static_cast<u64>(std::clamp<i64>(minus ? x - y : x + y, INT32_MIN, INT32_MAX)) & keep;
    });
  const bool in = o.base() == "addc" || o.base() == "subc", out = o.has("cc");
  if (!in && !out) {
    if (minus) return eachLaneOf(2, t, [=](u64 a, u64 b, u64) { return (a - b) & keep; });
    return eachLaneOf(2, t, [=](u64 a, u64 b, u64) { return (a + b) & keep; });
  }
  Operation op;
  op.sources.assign(2, t);
  op.carryIn = in;
  op.carryOut = out;
  op.run = [=](const LaneArguments& a) {
    for (int l = 0; l < kLanes; ++l) {
      const u64 x = (*a.in[0])[l] & keep, y = (*a.in[1])[l] & keep, c = in ? (*a.in[2])[l] & 1 : 0;
      // The borrow of a difference is kept as CC.CF itself.
      const u128 s = minus ? static_cast<u128>(x) - y - c : static_cast<u128>(x) + y + c;
      (*a.out[0])[l] = static_cast<u64>(s) & keep;
      if (out) (*a.out[1])[l] = static_cast<u64>(s >> bits) & 1;
    }
  };
  return op;
}

Operation quotient(Type t, bool remainder) {
  const int bits = ptx::bitsOf(t);
  const u64 keep = maskOf(bits);
  if (isSigned(t))
    return eachLaneOf(2, t, [=](u64 a, u64 b, u64) {
      const i64 x = signedOf(a, bits), y = signedOf(b, bits);
      if (y == 0) return remainder ? a & keep : keep;
      if (y == -1) return remainder ? u64{0} : (0 - a) & keep;
      return static_cast<u64>(remainder ? x % y : x / y) & keep;
    });
  return eachLaneOf(2, t, [=](u64 a, u64 b, u64) {
    const u64 x = a & keep, y = b & keep;
    if (y == 0) return remainder ? x : keep;
    return remainder ? x % y : x / y;
  });
}

Operation extremum(const ptx::Opcode& o, Type t, bool least) {
  const int bits = ptx::bitsOf(t);
  const u64 keep = maskOf(bits);
  const bool relu = o.has("relu");
  if (t == Type::U16x2 || t == Type::S16x2) {
    const bool sign = t == Type::S16x2;
    const auto half = [=](u64 a, u64 b) {
      const i64 x = sign ? signedOf(a & 0xffff, 16) : static_cast<i64>(a & 0xffff);
      const i64 y = sign ? signedOf(b & 0xffff, 16) : static_cast<i64>(b & 0xffff);
      i64 r = least ? std::min(x, y) : std::max(x, y);
      if (relu) r = std::max<i64>(r, 0);
      return static_cast<u64>(r) & 0xffff;
    };
    return eachLaneOf(2, Type::B32, [=](u64 a, u64 b, u64) { return half(a, b) | half(a >> 16, b >> 16) << 16; });
  }
  if (isSigned(t))
    return eachLaneOf(2, t, [=](u64 a, u64 b, u64) {
      const i64 x = signedOf(a, bits), y = signedOf(b, bits);
      i64 r = least ? std::min(x, y) : std::max(x, y);
      if (relu) r = std::max<i64>(r, 0);
      return static_cast<u64>(r) & keep;
    });
  return eachLaneOf(
      2, t, [=](u64 a, u64 b, u64) { return least ? std::min(a & keep, b & keep) : std::max(a & keep, b & keep); });
}

u64 reversed(u64 x, int bits) {
  u64 out = 0;
  for (int k = 0; k < bits; ++k) out |= (x >> k & 1) << (bits - 1 - k);
  return out;
}
u64 findBit(u64 a, int bits, bool sign, bool shift) {
  u64 x = a & maskOf(bits);
  if (sign && (x >> (bits - 1) & 1) != 0) x = ~x & maskOf(bits);
  if (x == 0) return 0xffffffffu;
  const int at = 63 - std::countl_zero(x);
  return static_cast<u64>(shift ? bits - 1 - at : at);
}
// The n-th set bit from `base` (fns).
u64 nthSet(u64 mask, u64 base, u64 offset) {
  const auto n = static_cast<std::int32_t>(offset);
  int at = static_cast<int>(base & 31);
  if (n == 0) return (mask >> at & 1) != 0 ? static_cast<u64>(at) : 0xffffffffu;
  for (int left = std::abs(n); at >= 0 && at<32; at += n> 0 ? 1 : -1)
    if ((mask >> at & 1) != 0 && --left == 0) return static_cast<u64>(at);
  return 0xffffffffu;
}

u64 permuted(const std::string_view mode, u64 a, u64 b, u64 c) {
  const u64 all = (b & 0xffffffffu) << 32 | (a & 0xffffffffu);
  std::array<u64, 4> s{};
  const u64 n = c & 3;
  const bool indexed = mode.empty();
  for (u64 k = 0; k < 4; ++k) {
    if (indexed)
      s[k] = c >> 4 * k & 15;
    else if (mode == "f4e")
      s[k] = n + k;
    else if (mode == "b4e")
      s[k] = (n + 8 - k) % 8;
    else if (mode == "rc8")
      s[k] = n;
    else if (mode == "ecl")
      s[k] = std::max(n, k);
    else if (mode == "ecr")
      s[k] = std::min(n, k);
    else
      s[k] = (n & 1) * 2 + (k & 1);  // rc16
  }
  u64 out = 0;
  for (u64 k = 0; k < 4; ++k) {
    u64 byte = all >> 8 * (s[k] & 7) & 0xff;
    if ((s[k] & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
    out |= byte << 8 * k;
  }
  return out;
}

Operation bitField(Type t) {
  const int bits = ptx::bitsOf(t);
  const bool sign = isSigned(t);
  Operation op = eachLaneOf(3, t, [=](u64 a, u64 b, u64 c) {
    const int pos = static_cast<int>(b & 0xff), len = static_cast<int>(c & 0xff);
    if (len == 0) return u64{0};
    const u64 x = a & maskOf(bits);
    const u64 top = sign ? x >> std::min(pos + len - 1, bits - 1) & 1 : 0;
    u64 out = pos < bits ? x >> pos : 0;
    const int have = std::clamp(std::min(len, bits - pos), 0, bits);
    out &= maskOf(have);
    if (have == 0) out = 0;
    if (top != 0) out |= maskOf(bits) & ~maskOf(have);
    return out & maskOf(bits);
  });
  op.sources[1] = op.sources[2] = Type::U32;
  return op;
}

Operation insertField(Type t) {
  const int bits = ptx::bitsOf(t);
  Operation op;
  op.sources = {t, t, Type::U32, Type::U32};
  op.run = [=](const LaneArguments& a) {
    for (int l = 0; l < kLanes; ++l) {
      const int pos = static_cast<int>((*a.in[2])[l] & 0xff), len = static_cast<int>((*a.in[3])[l] & 0xff);
      const u64 field = pos >= bits ? 0 : (maskOf(std::min(len, bits)) << pos) & maskOf(bits);
      const u64 from = pos >= bits ? 0 : (*a.in[0])[l] << pos;
      (*a.out[0])[l] = ((*a.in[1])[l] & ~field & maskOf(bits)) | (len == 0 ? 0 : from & field);
      if (len == 0) (*a.out[0])[l] = (*a.in[1])[l] & maskOf(bits);
    }
  };
  return op;
}

Operation dotProduct(const ptx::Opcode& o, int pieces) {
  const auto types = o.types();
  const bool sa = !types.empty() && isSigned(types[0]), sb = types.size() > 1 && isSigned(types[1]), hi = o.has("hi");
  const auto piece = [](u64 x, int k, int bits, bool sign) {
    const u64 v = x >> k * bits & maskOf(bits);
    return sign ? signedOf(v, bits) : static_cast<i64>(v);
  };
  return eachLaneOf(3, Type::B32, [=](u64 a, u64 b, u64 c) {
    i64 s = static_cast<i64>(c);
    for (int k = 0; k < pieces; ++k)
      s += piece(a, k, pieces == 4 ? 8 : 16, sa) * piece(b, pieces == 2 && hi ? k + 2 : k, 8, sb);
    return static_cast<u64>(s) & 0xffffffffu;
  });
}

Operation logic(std::string_view base, Type t) {
  const u64 keep = maskOf(ptx::bitsOf(t));
  if (base == "and") return eachLaneOf(2, t, [](u64 a, u64 b, u64) { return a & b; });
  if (base == "or") return eachLaneOf(2, t, [](u64 a, u64 b, u64) { return a | b; });
  if (base == "xor") return eachLaneOf(2, t, [](u64 a, u64 b, u64) { return a ^ b; });
  if (base == "cnot") return eachLaneOf(1, t, [=](u64 a, u64, u64) { return (a & keep) == 0 ? u64{1} : u64{0}; });
  return eachLaneOf(1, t, [=](u64 a, u64, u64) { return ~a & keep; });
}

Operation lop3(const ptx::Opcode& o) {
  Operation op;
  op.results = o.has("or") || o.has("and") || o.has("xor") ? 2 : 1;
  op.sources.assign(4, Type::B32);
  if (op.results == 2) op.sources.push_back(Type::Pred);
  const int combine = o.has("or") ? 1 : o.has("and") ? 2 : o.has("xor") ? 3 : 0;
  op.run = [combine](const LaneArguments& a) {
    const Lanes& tables = *a.in[3];
    if (combine == 0 && std::all_of(tables.begin(), tables.end(), [&](u64 x) { return x == tables[0]; })) {
      const Lanes &x = *a.in[0], &y = *a.in[1], &z = *a.in[2];
      Lanes out{};
      for (u64 k = 0; k < 8; ++k) {
        if ((tables[0] >> k & 1) == 0) continue;
        const u64 notX = (k >> 2 & 1) - 1, notY = (k >> 1 & 1) - 1, notZ = (k & 1) - 1;  // all ones: inverted
        for (std::size_t l = 0; l < kLanes; ++l) out[l] |= (x[l] ^ notX) & (y[l] ^ notY) & (z[l] ^ notZ);
      }
      for (std::size_t l = 0; l < kLanes; ++l) (*a.out[0])[l] = out[l] & 0xffffffffu;
      return;
    }
    for (int l = 0; l < kLanes; ++l) {
      const u64 table = (*a.in[3])[l], x = (*a.in[0])[l], y = (*a.in[1])[l], z = (*a.in[2])[l];
      u64 out = 0;
      for (int k = 0; k < 8; ++k)
        if ((table >> k & 1) != 0) out |= ((k & 4) != 0 ? x : ~x) & ((k & 2) != 0 ? y : ~y) & ((k & 1) != 0 ? z : ~z);
      out &= 0xffffffffu;
      (*a.out[0])[l] = out;
      if (combine == 0) continue;
      const bool q = (*a.in[4])[l] != 0, p = out != 0;
      (*a.out[1])[l] = combine == 1 ? p || q : combine == 2 ? p && q : p != q;
    }
  };
  return op;
}

Operation shift(const ptx::Opcode& o, Type t) {
  const int bits = ptx::bitsOf(t);
  const u64 keep = maskOf(bits);
  Operation op;
  if (o.base() == "shl") {
    op = eachLaneOf(2, t, [=](u64 a, u64 b, u64) {
      const u64 n = b & 0xffffffffu;
      return n >= static_cast<u64>(bits) ? 0 : (a << n) & keep;
    });
  } else if (isSigned(t)) {
    op = eachLaneOf(2, t, [=](u64 a, u64 b, u64) {
      const u64 n = std::min<u64>(b & 0xffffffffu, static_cast<u64>(bits - 1));
      return static_cast<u64>(signedOf(a, bits) >> n) & keep;
    });
  } else {
    op = eachLaneOf(2, t, [=](u64 a, u64 b, u64) {
      const u64 n = b & 0xffffffffu;
      return n >= static_cast<u64>(bits) ? 0 : (a & keep) >> n;
    });
  }
  op.sources[1] = Type::U32;
  return op;
}

Operation funnel(const ptx::Opcode& o) {
  const bool left = o.has("l"), wrap = o.has("wrap");
  return eachLaneOf(3, Type::B32, [=](u64 a, u64 b, u64 c) {
    const u64 n = wrap ? c & 31 : std::min<u64>(c & 0xffffffffu, 32);
    const u64 both = (b & 0xffffffffu) << 32 | (a & 0xffffffffu);
    return (left ? both << n >> 32 : n == 64 ? 0 : both >> n) & 0xffffffffu;
  });
}

Found bits(const ptx::Opcode& o, Type t) {
  const std::string_view base = o.base();
  const int n = ptx::bitsOf(t);
  const u64 keep = maskOf(n);
  if (base == "popc")
    return eachLaneOf(1, t, [=](u64 a, u64, u64) { return static_cast<u64>(std::popcount(a & keep)); });
  if (base == "clz")
    return eachLaneOf(1, t, [=](u64 a, u64, u64) { return static_cast<u64>(std::countl_zero(a & keep) - (64 - n)); });
  if (base == "brev") return eachLaneOf(1, t, [=](u64 a, u64, u64) { return reversed(a, n); });
  if (base == "bfind") {
    const bool sign = isSigned(t), amount = o.has("shiftamt");
    return eachLaneOf(1, t, [=](u64 a, u64, u64) { return findBit(a, n, sign, amount); });
  }
  if (base == "fns") return eachLaneOf(3, Type::B32, nthSet);
  if (base == "bfe") return bitField(t);
  if (base == "bfi") return insertField(t);
  if (base == "bmsk") {
    const bool wrap = o.has("wrap");
    return eachLaneOf(2, Type::B32, [wrap](u64 a, u64 b, u64) {
      const u64 from = wrap ? a & 31 : std::min<u64>(a, 32), len = wrap ? b & 31 : std::min<u64>(b, 32);
      return (maskOf(static_cast<int>(len)) << from) & 0xffffffffu;
    });
  }
  if (base == "szext") {
    const bool sign = isSigned(t), wrap = o.has("wrap");
    return eachLaneOf(2, t, [=](u64 a, u64 b, u64) {
      const u64 len = wrap ? b & 31 : std::min<u64>(b & 0xffffffffu, 32);
      if (len == 0) return u64{0};
      const u64 x = a & maskOf(static_cast<int>(len));
      return (sign ? static_cast<u64>(signedOf(x, static_cast<int>(len))) : x) & 0xffffffffu;
    });
  }
  if (base == "prmt") {
    std::string mode;
    for (const std::string_view m : {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"})
      if (o.has(m)) mode = m;
    return eachLaneOf(3, Type::B32, [mode](u64 a, u64 b, u64 c) { return permuted(mode, a, b, c); });
  }
  return std::nullopt;
}

}  // namespace

Found integerOperation(const ptx::Opcode& o) {
  const std::string_view base = o.base();
  const Type t = o.type();
  if (base == "mov") {
    const u64 keep = maskOf(std::max(1, ptx::bitsOf(t)));
    return eachLaneOf(1, t, [keep](u64 a, u64, u64) { return a & keep; });
  }
  if (base == "and" || base == "or" || base == "xor" || base == "not" || base == "cnot") return logic(base, t);
  if (base == "lop3") return lop3(o);
  if (base == "shf") return funnel(o);
  if (base == "dp4a") return dotProduct(o, 4);
  if (base == "dp2a") return dotProduct(o, 2);
  if (isFloat(t)) return std::nullopt;
  if (base == "shl" || base == "shr") return shift(o, t);
  if (base == "add" || base == "addc") return sum(o, t, false);
  if (base == "sub" || base == "subc") return sum(o, t, true);
  if (base == "mul") return product(o, t, false);
  if (base == "mad" || base == "madc") return product(o, t, true);
  if (base == "mul24") return product24(o, t, false);
  if (base == "mad24") return product24(o, t, true);
  if (base == "div" || base == "rem") return quotient(t, base == "rem");
  if (base == "min" || base == "max") return extremum(o, t, base == "min");
  const int n = ptx::bitsOf(t);
  const u64 keep = maskOf(n);
  if (base == "neg") return eachLaneOf(1, t, [keep](u64 a, u64, u64) { return (0 - a) & keep; });
  if (base == "abs")
    return eachLaneOf(1, t, [=](u64 a, u64, u64) { return signedOf(a, n) < 0 ? (0 - a) & keep : a & keep; });
  if (base == "sad") {
    const bool sign = isSigned(t);
    return eachLaneOf(3, t, [=](u64 a, u64 b, u64 c) {
      const bool less = sign ? signedOf(a, n) < signedOf(b, n) : (a & keep) < (b & keep);
      return (c + (less ? b - a : a - b)) & keep;
    });
  }
  return bits(o, t);
}

}  // namespace tessera::kernel
