// Operations on lanes against definitions of one lane, and floating formats against all their numbers.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "solver/kernel/lanes/floating.h"
#include "solver/kernel/lanes/operation.h"

using namespace tessera;
using namespace tessera::kernel;

namespace {

u64 one(const std::string& opcode, std::vector<u64> sources) {
  auto op = operationOf(ptx::Opcode(opcode));
  INFO(opcode);
  REQUIRE(op.ok());
  std::vector<Lanes> in(op->sources.size() + (op->carryIn ? 1 : 0)), out(static_cast<std::size_t>(op->results) + 1);
  for (std::size_t k = 0; k < in.size(); ++k) in[k].fill(k < sources.size() ? sources[k] : 0);
  std::vector<const Lanes*> from;
  std::vector<Lanes*> to;
  for (const Lanes& l : in) from.push_back(&l);
  for (Lanes& l : out) to.push_back(&l);
  op->run({to.data(), from.data()});
  return out[0][7];
}

u64 f(float x) { return std::bit_cast<std::uint32_t>(x); }

}  // namespace

TEST_CASE("every number of a small format survives, and what lies between goes to the nearer one") {
  for (const FloatFormat format : {kF16, kBf16, kE4m3, kE5m2, kE2m3, kE3m2, kE2m1}) {
    const int width = 1 + format.exponent + format.mantissa;
    double last = -HUGE_VAL;
    u64 lastBits = 0;
    for (u64 bits = 0; bits < u64{1} << (width - 1); ++bits) {  // the positive ones, ascending
      const double x = unpack(bits, format);
      if (std::isnan(x) || std::isinf(x)) continue;
      REQUIRE(pack(x, format) == bits);
      REQUIRE(unpack(bits | u64{1} << (width - 1), format) == -x);
      if (bits > 0) {
        const double middle = (last + x) / 2, below = (3 * last + x) / 4, above = (last + 3 * x) / 4;
        REQUIRE(pack(middle, format) == (lastBits % 2 == 0 ? lastBits : bits));
        REQUIRE(pack(below, format) == lastBits);
        REQUIRE(pack(above, format) == bits);
        REQUIRE(pack(above, format, Rounding::Zero) == lastBits);
        REQUIRE(pack(above, format, Rounding::Down) == lastBits);
        REQUIRE(pack(below, format, Rounding::Up) == bits);
        REQUIRE(pack(middle, format, Rounding::Away) == bits);
      }
      last = x;
      lastBits = bits;
    }
  }
  CHECK(pack(1e10, kF16) == 0x7c00);
  CHECK(pack(1e10, kF16, Rounding::Nearest, true) == 0x7bff);
  CHECK(pack(1e10, kE4m3, Rounding::Nearest, true) == 0x7e);
}

TEST_CASE("float conversions equal the processor's") {
  std::mt19937_64 random(1);
  for (int k = 0; k < 100'000; ++k) {
    const double x = std::bit_cast<double>(random());
    if (std::isnan(x)) continue;
    REQUIRE(pack(x, kF32) == f(static_cast<float>(x)));
    const double y = std::ldexp(static_cast<double>(static_cast<i64>(random() >> 11)), -53 - static_cast<int>(k % 170));
    REQUIRE(pack(y, kF32) == f(static_cast<float>(y)));
    const u64 n = random() >> (k % 64);
    REQUIRE(one("cvt.rn.f32.u64", {n}) == f(static_cast<float>(n)));
    if (k > 2000) break;
  }
}

TEST_CASE("single lanes") {
  CHECK(one("add.s32", {0xffffffff, 2}) == 1);
  CHECK(one("mul.wide.s32", {0xffffffff, 2}) == 0xfffffffffffffffe);
  CHECK(one("mul.hi.u32", {0xffffffff, 0xffffffff}) == 0xfffffffe);
  CHECK(one("mad.lo.s32", {3, 4, 0xffffffff}) == 11);
  CHECK(one("div.s32", {0xfffffff9, 2}) == 0xfffffffd);
  CHECK(one("rem.s32", {0xfffffff9, 2}) == 0xffffffff);
  CHECK(one("shr.s32", {0x80000000, 40}) == 0xffffffff);
  CHECK(one("shl.b32", {1, 32}) == 0);
  CHECK(one("bfe.s32", {0x00000f00, 8, 4}) == 0xffffffff);
  CHECK(one("bfi.b32", {0xff, 0, 4, 8}) == 0xff0);
  CHECK(one("prmt.b32", {0x33221100, 0x77665544, 0x0246}) == 0x00224466);
  CHECK(one("lop3.b32", {0xf0, 0xcc, 0xaa, 0x96}) == (0xf0 ^ 0xcc ^ 0xaa));
  CHECK(one("brev.b32", {1}) == 0x80000000);
  CHECK(one("clz.b32", {1}) == 31);
  CHECK(one("bfind.u32", {0x100}) == 8);
  CHECK(one("dp4a.s32.s32", {0xff, 2, 10}) == 8);
  CHECK(one("shf.l.wrap.b32", {0x80000000, 1, 1}) == 3);
  CHECK(one("setp.lt.s32", {0xffffffff, 0, 1}) == 1);
  CHECK(one("setp.lt.u32", {0xffffffff, 0, 1}) == 0);
  CHECK(one("setp.neu.f32", {0x7fc00000, 0, 1}) == 1);
  CHECK(one("selp.b32", {5, 6, 0}) == 6);
  CHECK(one("fma.rn.f32", {f(1 + 0x1p-23f), f(1 + 0x1p-23f), f(-1)}) == f(std::fma(1 + 0x1p-23f, 1 + 0x1p-23f, -1.0f)));
  CHECK(one("add.rz.f32", {f(1), f(0x1p-24f + 0x1p-30f)}) == f(1));
  CHECK(one("add.rp.f32", {f(1), f(0x1p-40f)}) == f(std::nextafter(1.0f, 2.0f)));
  CHECK(one("max.f32", {0x7fc00000, f(2)}) == f(2));
  CHECK(one("max.NaN.f32", {0x7fc00000, f(2)}) == 0x7fffffff);
  CHECK(one("min.f32", {0x80000000, 0}) == 0x80000000);
  CHECK(one("add.f16x2", {0x3c003c00, 0x40003c00}) == 0x42004000);
  CHECK(one("cvt.rzi.s32.f32", {f(-2.9f)}) == 0xfffffffe);
  CHECK(one("cvt.rni.s32.f32", {f(2.5f)}) == 2);
  CHECK(one("cvt.rzi.u32.f32", {f(-1)}) == 0);
  CHECK(one("cvt.rzi.s32.f32", {0x7fc00000}) == 0);
  CHECK(one("cvt.s32.s8", {0x80}) == 0xffffff80);
  CHECK(one("cvt.sat.u8.s32", {300}) == 255);
  CHECK(one("cvt.rn.f16x2.f32", {f(1), f(2)}) == 0x3c004000);
  CHECK(one("cvt.rn.satfinite.e4m3x2.f32", {f(1), f(1e9f)}) == 0x387e);
  CHECK(one("cvt.rn.f16x2.e4m3x2", {0x3840}) == 0x3c004000);
  CHECK(one("neg.f32", {f(1)}) == f(-1));
  CHECK(one("ex2.approx.ftz.f32", {f(3)}) == f(8));
  CHECK_FALSE(operationOf(ptx::Opcode("frobnicate.b32")).ok());
}
