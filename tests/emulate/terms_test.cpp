// Terms: sums are multisets, and a program on terms shows the origin of every value. Shadows: one write and two reads
// represent all accesses.
#include "solver/emulate/terms.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <random>

#include "core/analysis/memory/banks.h"
#include "emulate/programs.h"
#include "solver/emulate/counts.h"
#include "solver/emulate/machine.h"
#include "support/emulate.h"

using namespace tessera;
using namespace tessera::graphene;

TEST_CASE("sums are multisets, max is a set, exp is itself") {
  Terms t;
  const int plus = t.operation("+"), times = t.operation("*"), most = t.operation("max"), exp = t.operation("exp");
  const auto a = t.input(0, 0, 0), b = t.input(0, 0, 1), c = t.input(1, 0, 0), zero = t.constant(0);
  const auto sum = [&](auto x, auto y) { return t.binary(plus, x, y); };
  CHECK(t.equal(sum(a, sum(b, c)), sum(sum(c, a), b)));
  CHECK(t.equal(sum(zero, a), a));
  CHECK_FALSE(t.equal(sum(a, a), a));
  CHECK_FALSE(t.equal(sum(a, sum(a, b)), sum(a, sum(b, b))));
  CHECK(t.equal(t.binary(most, a, t.binary(most, b, a)), t.binary(most, b, a)));
  CHECK(t.binary(times, a, b) != 0);
  CHECK(t.equal(t.binary(times, a, b), t.binary(times, b, a)));
  CHECK(t.unary(exp, sum(a, b)) == t.unary(exp, sum(b, a)));
  CHECK(t.unary(exp, a) != t.unary(exp, b));
  const Terms::Product ab(a, b), ac(a, c);
  const Terms::Product both[] = {ab, ac}, other[] = {ac, ab};
  CHECK(t.equal(t.add(t.add(zero, {&ab, 1}), {&ac, 1}), t.add(zero, both)));
  CHECK(t.equal(t.add(c, both), t.add(c, other)));
  CHECK_FALSE(t.equal(t.add(zero, {&ab, 1}), t.add(zero, both)));
  CHECK(t.equal(t.binary(times, a, b), t.add(zero, {&ab, 1})));
  CHECK(t.binary(plus, Terms::undefined(), a) == Terms::undefined());
}

TEST_CASE("doubling a sum sixty times is sixty nodes") {
  Terms t;
  const int plus = t.operation("+");
  auto x = t.input(0, 0, 0), y = t.input(0, 0, 0);
  for (int i = 0; i < 60; ++i) x = t.binary(plus, x, x);
  for (int i = 0; i < 60; ++i) y = t.binary(plus, y, y);
  CHECK(t.equal(x, y));
  CHECK(t.sum(x).terms[0].second == u64{1} << 60);
}

TEST_CASE("a tensor-core tile on terms: every element is its own products") {
  const auto read = readProgram(kTensorCoreTile);
  REQUIRE(read.ok());
  const auto plan = makePlan(*read);
  REQUIRE(plan.ok());
  Terms terms;
  Machine<Terms> machine(*plan, terms);
  machine.run();
  CHECK(machine.findings().empty());
  const auto rootOf = [&](const char* name) { return static_cast<int>(rootNamed(*plan, name) - plan->roots.data()); };
  const int a = rootOf("%A"), b = rootOf("%B"), c = rootOf("%C");
  for (i64 m = 0; m < 64; ++m) {
    for (i64 n = 0; n < 64; ++n) {
      std::vector<Terms::Product> products;
      for (i64 k = 0; k < 64; ++k) products.emplace_back(terms.input(a, 0, m * 64 + k), terms.input(b, 0, k * 64 + n));
      const auto expected = terms.add(terms.input(c, 0, m * 64 + n), products);
      REQUIRE(terms.equal(expected, *machine.value(c, 0, 0, m * 64 + n)));
      products.pop_back();
      REQUIRE_FALSE(
          terms.equal(terms.add(terms.input(c, 0, m * 64 + n), products), *machine.value(c, 0, 0, m * 64 + n)));
    }
  }
  const auto names = [&](int tensor, i64, i64 element) {
    return fmt::format("%{}[{},{}]", plan->roots[static_cast<std::size_t>(tensor)].tensor.name, element / 64,
                       element % 64);
  };
  const auto wrong = terms.add(terms.input(c, 0, 0), {});
  CHECK(terms.difference(*machine.value(c, 0, 0, 0), wrong, names) == "%A[0,0]*%B[0,0] is missing");
}

TEST_CASE("one specification alone computes its own function") {
  const auto read = readProgram(kLdmatrixMove);
  REQUIRE(read.ok());
  const auto plan = makePlan(*read);
  REQUIRE(plan.ok());
  Terms terms;
  Machine<Terms> machine(*plan, terms);
  for (i64 i = 0; i < 256; ++i) machine.set(0, 0, 0, i, terms.input(7, 0, 1000 + i));
  machine.runSpec(0, 0, {});
  CHECK(machine.findings().empty());
  CHECK(machine.value(1, 0, 5, 0) == terms.input(7, 0, 1000 + 1 * 16 + 2));  // lane 5: row 1, columns 2 and 3
  // With half a warp, the instruction is not there.
  std::vector<char> half(32, 0);
  std::fill(half.begin(), half.begin() + 16, 1);
  machine.runSpec(0, 0, {}, half);
  REQUIRE(machine.findings().size() == 1);
  CHECK(machine.findings()[0].obligation == Obligation::Static);
}

TEST_CASE("a shadow knows every clash that the list of all accesses has") {
  std::mt19937 random(5);
  int clashes = 0;
  for (int round = 0; round < 20000; ++round) {
    Shadow shadow;
    std::vector<std::pair<Tag, bool>> list;
    std::uint32_t phase[2] = {0, 0};
    std::uint16_t epoch[2][2] = {{0, 0}, {0, 0}};
    for (int i = 0; i < 8; ++i) {
      Tag me;
      me.leaf = i;
      me.block = random() % 8 == 0 ? 1 : 0;
      if (random() % 6 == 0) ++phase[me.block], epoch[me.block][0] = epoch[me.block][1] = 0;
      const unsigned warp = random() % 2;
      if (random() % 4 == 0) ++epoch[me.block][warp];
      me.phase = phase[me.block];
      me.thread = static_cast<std::uint16_t>(warp * 32 + random() % 3);
      me.epoch = epoch[me.block][warp];
      const bool write = random() % 4 == 0;
      bool expected = false;
      for (const auto& [other, wrote] : list) expected = expected || ((write || wrote) && unordered(other, me));
      const Tag* found = write ? shadow.writeClash(me) : shadow.readClash(me);
      REQUIRE((found != nullptr) == expected);
      list.emplace_back(me, write);
      if (expected) {
        ++clashes;
        break;
      }
      if (write) {
        shadow.noteWrite(me);
      } else {
        shadow.noteRead(me);
      }
    }
  }
  CHECK(clashes > 1000);
}

TEST_CASE("sectors are those of the sector report") {
  std::mt19937 random(6);
  for (int round = 0; round < 2000; ++round) {
    const int width = 1 << random() % 5;
    std::vector<i64> addresses;
    std::vector<std::optional<i64>> optional;
    for (int lane = 0; lane < 32; ++lane) {
      const i64 a = static_cast<i64>(random() % 200) * width;
      const bool on = random() % 5 != 0;
      addresses.push_back(on ? a : kInactive);
      optional.push_back(on ? std::optional(a) : std::nullopt);
    }
    const auto report = sectorReport(optional, width);
    REQUIRE(report.ok());
    const Sectors mine = sectors(addresses, width);
    REQUIRE(mine.sectors == report->sectors);
    REQUIRE(mine.ideal == report->idealSectors);
  }
}

TEST_CASE("numbers are rounded as their types are") {
  const auto round = [](const char* type, double v) { return rounded(v, *numberFormat(type)); };
  CHECK(round("fp16", 2049) == 2048);
  CHECK(round("fp16", 2051) == 2052);
  CHECK(round("fp16", 65519) == 65504);
  CHECK(std::isinf(round("fp16", 65520)));
  CHECK(round("fp16", std::ldexp(1.0, -24)) == std::ldexp(1.0, -24));
  CHECK(round("fp16", std::ldexp(1.0, -26)) == 0);
  CHECK(round("bf16", 257) == 256);
  CHECK(round("bf16", 259) == 260);
  // PTX ISA, cvt: .rna rounds to nearest, ties away from zero; f32 to tf32 has it since sm_80 (.rn and .rz since
  // sm_90).
  CHECK(round("tf32", 2049) == 2050);
  CHECK(round("tf32", -2049) == -2050);
  CHECK(round("tf32", 2051) == 2052);
  CHECK(round("tf32", 2048.999) == 2048);
  CHECK(round("fp16", 2049) == 2048);
  CHECK(round("fp32", 16777217.0) == 16777216.0);
  CHECK(round("e4m3", 1000) == 448);
  CHECK(round("e5m2", 1e9) == 57344);
  CHECK(round("i8", 200) == 127);
  CHECK(round("i32", -1.9) == -1);
  CHECK(round("u8", -3) == 0);
  CHECK_FALSE(numberFormat("fp3").ok());
}
