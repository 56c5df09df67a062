#include "tests/kernel/scalar_alu.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tessera::test {

using ptx::Type;

u64 masked(u64 x, int bits) { return bits >= 64 ? x : x & ((u64{1} << bits) - 1); }
i64 extended(u64 x, int bits) {
  return bits >= 64 ? static_cast<i64>(x) : static_cast<i64>(x << (64 - bits)) >> (64 - bits);
}
bool isSigned(Type t) { return t == Type::S8 || t == Type::S16 || t == Type::S32 || t == Type::S64; }
u64 bitsOfFloat(float x) {
  std::uint32_t out = 0;
  std::memcpy(&out, &x, 4);
  return out;
}

namespace {

float floatOf(u64 x) {
  const auto low = static_cast<std::uint32_t>(x);
  float out = 0;
  std::memcpy(&out, &low, 4);
  return out;
}

bool compare(const ptx::Opcode& o, u64 a, u64 b) {
  const Type type = o.type();
  const int bits = ptx::bitsOf(type);
  a = masked(a, bits);
  b = masked(b, bits);
  const bool less = isSigned(type) ? extended(a, bits) < extended(b, bits) : a < b;
  const std::string_view how = o.parts[1];
  if (how == "lt") return less;
  if (how == "ge") return !less;
  if (how == "le") return less || a == b;
  if (how == "gt") return !less && a != b;
  if (how == "eq") return a == b;
  if (how == "ne") return a != b;
  throw NoMeaning{o.text};
}

u64 floats(const ptx::Opcode& o, const ValueOf& value) {
  const auto in = [&](std::size_t k) { return floatOf(value(k, Type::F32)); };
  const std::string_view base = o.base();
  if (base == "add") return bitsOfFloat(in(1) + in(2));
  if (base == "sub") return bitsOfFloat(in(1) - in(2));
  if (base == "mul") return bitsOfFloat(in(1) * in(2));
  if (base == "fma") return bitsOfFloat(std::fma(in(1), in(2), in(3)));
  throw NoMeaning{o.text};
}

}  // namespace

u64 computed(const ptx::Opcode& o, const ValueOf& value) {
  const std::string_view base = o.base();
  const Type type = o.type();
  const int bits = ptx::bitsOf(type);
  const auto in = [&](std::size_t k) { return value(k, type); };
  if (type == Type::F32 && base != "mov" && base != "cvt" && base != "selp") return floats(o, value);
  if (base == "mov" || base == "cvta") return in(1);
  if (base == "add") return in(1) + in(2);
  if (base == "sub") return in(1) - in(2);
  if (base == "neg") return 0 - in(1);
  if (base == "not") return ~in(1);
  if (base == "and") return in(1) & in(2);
  if (base == "or") return in(1) | in(2);
  if (base == "xor") return in(1) ^ in(2);
  if (base == "mul" || base == "mad") {
    if (!o.has("wide") && !o.has("lo")) throw NoMeaning{o.text};
    const u64 product = isSigned(type) ? static_cast<u64>(extended(in(1), bits) * extended(in(2), bits))
                                       : masked(in(1), bits) * masked(in(2), bits);
    const Type wide = o.has("wide") ? Type::B64 : type;
    return product + (base == "mad" ? value(3, wide) : 0);
  }
  if (base == "shl" || base == "shr") {
    const u64 by = value(2, Type::U32);
    if (base == "shl") return by >= static_cast<u64>(bits) ? 0 : in(1) << by;
    if (isSigned(type)) return static_cast<u64>(extended(in(1), bits) >> std::min<u64>(by, 63));
    return by >= static_cast<u64>(bits) ? 0 : in(1) >> by;
  }
  if (base == "max" || base == "min") {
    const bool less = isSigned(type) ? extended(in(1), bits) < extended(in(2), bits) : in(1) < in(2);
    return less == (base == "max") ? in(2) : in(1);
  }
  if (base == "setp") return compare(o, in(1), in(2)) ? 1 : 0;
  if (base == "selp") return value(3, Type::Pred) != 0 ? in(1) : in(2);
  if (base == "bfi") {
    const u64 from = value(3, Type::U32) & 255, count = value(4, Type::U32) & 255;
    u64 x = in(2);
    for (u64 k = 0; k < count && from + k < static_cast<u64>(bits); ++k)
      x = (x & ~(u64{1} << (from + k))) | (in(1) >> k & 1) << (from + k);
    return x;
  }
  if (base == "cvt") {
    const Type from = o.type(0), to = o.type(1);
    const u64 x = value(1, from);
    if (to == Type::F32 && from == Type::S32) return bitsOfFloat(static_cast<float>(extended(x, 32)));
    if (to == Type::F32 || from == Type::F32) throw NoMeaning{o.text};
    return isSigned(from) ? static_cast<u64>(extended(x, ptx::bitsOf(from))) : masked(x, ptx::bitsOf(from));
  }
  throw NoMeaning{o.text};
}

}  // namespace tessera::test
