// Maps: composition is substitution, the recognisers agree with the table, inverses invert, tables equal points.
#include <catch2/catch.hpp>
#include <random>

#include "core/map/compose.h"
#include "core/map/forms/recognise.h"
#include "core/map/inverse/inverse.h"
#include "core/map/tabulate.h"

using namespace tessera;

namespace {

Map layout(const std::vector<i64>& extents, const std::vector<i64>& strides, i64 offset = 0) {
  std::vector<Digit> digits;
  Expr e = Expr::constant(offset);
  for (std::size_t k = 0; k < extents.size(); ++k) {
    digits.push_back({"i" + std::to_string(k), extents[k], DigitKind::Index});
    e = e + Expr::digit(static_cast<int>(k)) * strides[k];
  }
  auto m = Map::create(digits, {{"offset", e, std::nullopt}});
  REQUIRE(m.ok());
  return *m;
}

Map swizzled(const Map& m, int b, int base, int s) {
  const Expr x = m.axes()[0].value;
  const Expr y = x ^ (mod(floorDiv(x, i64{1} << (base + s)), i64{1} << b) * (i64{1} << base));
  auto made = Map::create(m.digits(), {{"offset", y, std::nullopt}});
  REQUIRE(made.ok());
  return *made;
}

std::vector<i64> slowTable(const Map& m, LinearOrder order) {
  std::vector<i64> extents, values;
  for (const Digit& d : m.digits()) extents.push_back(d.extent);
  for (i64 n = 0; n < *m.pointCount(); ++n) values.push_back(m.at(delinearize(n, extents, order))[0]);
  return values;
}

std::vector<i64> fastTable(const Map& m, LinearOrder order) {
  std::vector<i64> values(static_cast<std::size_t>(*m.pointCount()));
  REQUIRE(tabulate(m, 0, order, values).ok());
  return values;
}

std::vector<Map> samples() {
  std::vector<Map> all = {layout({1}, {0}),
                          layout({4, 8}, {8, 1}),
                          layout({3, 5, 2}, {1, 3, 15}, 7),
                          layout({4, 4}, {-1, 4}, 3),
                          layout({64, 64}, {64, 1}),
                          swizzled(layout({8, 64}, {64, 1}), 3, 3, 3),
                          swizzled(layout({8, 16, 8, 8}, {8, 512, 1, 64}), 3, 3, 3),
                          layout({3000, 7}, {7, 1})};
  std::mt19937_64 rng(3);
  for (int k = 0; k < 60; ++k) {
    std::vector<i64> extents, strides;
    for (int n = static_cast<int>(1 + rng() % 4); n > 0; --n) {
      extents.push_back(static_cast<i64>(1 + rng() % 9));
      strides.push_back(static_cast<i64>(rng() % 21) - 4);
    }
    all.push_back(layout(extents, strides, 100));
    if (k % 3 == 0) all.push_back(swizzled(all.back(), 2, 1, 3));
  }
  return all;
}

}  // namespace

TEST_CASE("create refuses what could not be evaluated") {
  CHECK_FALSE(Map::create({{"i", 0, DigitKind::Index}}, {}).ok());
  CHECK_FALSE(Map::create({{"i", 4, DigitKind::Index}}, {{"x", Expr::digit(1), {}}}).ok());
  CHECK_FALSE(Map::create({{"i", 4, DigitKind::Index}}, {{"x", floorDiv(Expr::constant(8), Expr::digit(0)), {}}}).ok());
  const i64 huge = i64{1} << 40;
  const auto overflow = Map::create({{"i", huge, DigitKind::Index}}, {{"x", Expr::digit(0) * huge, {}}});
  REQUIRE_FALSE(overflow.ok());
  CHECK(overflow.error().message.find("64-bit") != std::string::npos);
}

TEST_CASE("the fast table is the slow table") {
  for (const Map& m : samples())
    for (const LinearOrder order : {LinearOrder::Colex, LinearOrder::Lex}) {
      INFO(print(m));
      CHECK(fastTable(m, order) == slowTable(m, order));
    }
}

TEST_CASE("then is function composition") {
  const Map outer = swizzled(layout({8, 64}, {64, 1}), 3, 3, 3);
  const Map inner = layout({16, 16}, {32, 2});
  const auto both = then(inner, outer);
  REQUIRE(both.ok());
  for (i64 i = 0; i < 16; ++i)
    for (i64 j = 0; j < 16; ++j) {
      const i64 p[] = {i, j};
      const i64 x = inner.at(p)[0];
      const i64 q[] = {x % 8, x / 8};
      CHECK(both->at(p) == outer.at(q));
    }
  const auto refused = then(layout({4}, {1}, -2), layout({4, 4}, {1, 4}));
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message.find("[-1, 0]") != std::string::npos);
}

TEST_CASE("asStrided and asF2 agree with the map or say why not") {
  int strided = 0, linear = 0;
  for (const Map& m : samples()) {
    INFO(print(m));
    std::vector<i64> extents;
    for (const Digit& d : m.digits()) extents.push_back(d.extent);
    const auto s = asStrided(m);
    const auto f = asF2(m);
    for (i64 n = 0; n < *m.pointCount(); ++n) {
      const auto p = delinearize(n, extents, LinearOrder::Colex);
      if (s.ok()) {
        i64 v = s->offset;
        for (std::size_t k = 0; k < p.size(); ++k) v += s->strides[k] * p[k];
        REQUIRE(v == m.at(p)[0]);
      }
      if (f.ok()) REQUIRE(static_cast<i64>(f->matrix.apply(static_cast<u64>(n)) ^ f->constant) == m.at(p)[0]);
    }
    strided += s.ok();
    linear += f.ok();
  }
  CHECK(strided > 40);
  CHECK(linear > 3);
  const auto no = asF2(layout({3, 5}, {5, 1}));
  REQUIRE_FALSE(no.ok());
  CHECK(no.error().message.find("3") != std::string::npos);
}

TEST_CASE("an inverse finds every point and only points") {
  for (const Map& m : samples()) {
    INFO(print(m));
    std::vector<i64> extents;
    for (const Digit& d : m.digits()) extents.push_back(d.extent);
    const std::vector<i64> values = slowTable(m, LinearOrder::Colex);
    std::vector<i64> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    const bool injective = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
    const auto inv = inverse(m);
    REQUIRE(inv.ok() == injective);
    if (!inv.ok()) continue;
    for (std::size_t n = 0; n < values.size(); ++n) {
      const auto p = (*inv)->find(values[n]);
      REQUIRE(p.has_value());
      CHECK(*p == delinearize(static_cast<i64>(n), extents, LinearOrder::Colex));
    }
    for (i64 x = -5; x < 300; ++x)
      CHECK((*inv)->find(x).has_value() == std::binary_search(sorted.begin(), sorted.end(), x));
  }
}

TEST_CASE("the bit matrix: rank, kernel and inverse") {
  std::mt19937_64 rng(5);
  for (int round = 0; round < 300; ++round) {
    const int bits = static_cast<int>(1 + rng() % 6);
    F2Matrix m{6, {}};
    for (int k = 0; k < bits; ++k) m.columns.push_back(rng() % 64);
    std::vector<u64> image;
    for (u64 x = 0; x < (u64{1} << bits); ++x) image.push_back(m.apply(x));
    std::sort(image.begin(), image.end());
    image.erase(std::unique(image.begin(), image.end()), image.end());
    CHECK((u64{1} << rank(m)) == image.size());
    const auto kernel = kernelVector(m);
    CHECK(kernel.has_value() == (rank(m) < bits));
    if (kernel) {
      CHECK(*kernel != 0);
      CHECK(m.apply(*kernel) == 0);
    }
    const auto back = inverse(m);
    REQUIRE(back.has_value() == !kernel.has_value());
    std::vector<u64> unit;
    for (int k = 0; k < bits; ++k) unit.push_back(u64{1} << k);
    if (back) CHECK(*back * m == F2Matrix{bits, unit});
  }
}
