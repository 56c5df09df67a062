// Tables: each way to make one, windows into them, and the point evaluator, all against the obvious evaluator.
#include "core/map/tabulate.h"

#include <catch2/catch.hpp>
#include <random>

#include "core/map/forms/separate.h"

using namespace tessera;

namespace {

const Expr d0 = Expr::digit(0), d1 = Expr::digit(1), d2 = Expr::digit(2);

Expr swizzle(const Expr& x) { return x ^ (mod(floorDiv(x, 64), 8) * 8); }

Map mapOf(const std::vector<i64>& extents, const Expr& e) {
  std::vector<Digit> digits;
  for (std::size_t k = 0; k < extents.size(); ++k)
    digits.push_back({"i" + std::to_string(k), extents[k], k % 3 == 2 ? DigitKind::Fan : DigitKind::Index});
  auto m = Map::create(digits, {{"offset", e, std::nullopt}});
  REQUIRE(m.ok());
  return *m;
}

struct Sample {
  Map map;
  std::string method;
};

std::vector<Sample> samples() {
  return {
      {mapOf({}, Expr::constant(9)), "strides"},
      {mapOf({128, 64}, d0 * 64 + d1), "strides"},
      {mapOf({3, 5, 7}, d0 * -4 + d1 * 100 + d2 + 7), "strides"},
      {mapOf({5000, 3}, d0 * 2 + d1), "strides"},  // longer than the pattern
      {mapOf({3, 5000}, d0 * 5000 + d1), "strides"},
      {mapOf({128, 64}, swizzle(d0 * 64 + d1)), "xor of digits"},
      {mapOf({96, 64}, swizzle(d0 * 64 + d1) * 2), "xor of digits"},
      {mapOf({96, 64}, swizzle(d0 * 72 + d1)), "sum of digits, then shifts and xors"},
      {mapOf({96, 64}, swizzle(swizzle(d0 * 72 + d1) * 2)), "sum of digits, then shifts and xors"},  // four diagonals
      {mapOf({96, 64}, mod(d0 * 72 + d1, 31) + swizzle(d0 * 72 + d1)), "sum of digits, then a program"},
      {mapOf({96, 64}, swizzle(d0 * 72 - d1 + 63)), "sum of digits, then a program"},  // a stride below 0
      {mapOf({100, 9}, mod(d0, 7) * 20 + floorDiv(d0, 7) + d1), "sum of digits"},
      {mapOf({i64{1} << 18}, swizzle(d0)), "xor of digits"},  // split at 1024
      {mapOf({12, 11, 10}, floorDiv(d0 * 7 + d1 * 3, 5) * 100 + mod(d0 * 7 + d2, 9)), "program"},
      {mapOf({70001}, mod(d0, 7) * 10001 + floorDiv(d0, 7)), "program"},  // no table of its own, no even split
  };
}

std::vector<i64> extentsOf(const Map& m) {
  std::vector<i64> extents;
  for (const Digit& d : m.digits()) extents.push_back(d.extent);
  return extents;
}

}  // namespace

TEST_CASE("each way of tabulating gives f.at(delinearize(n)) at every n, whole and in windows") {
  std::mt19937_64 rng(1);
  for (const Sample& s : samples())
    for (const LinearOrder order : {LinearOrder::Colex, LinearOrder::Lex}) {
      INFO(print(s.map));
      const auto count = static_cast<std::size_t>(*s.map.pointCount());
      const auto extents = extentsOf(s.map);
      const auto table = Tabulator::create(s.map, 0, order);
      REQUIRE(table.ok());
      CHECK(table->method() == s.method);
      std::vector<i64> all(count);
      REQUIRE(tabulate(s.map, 0, order, all).ok());
      const PointEvaluator points(s.map);
      const std::size_t step = count > 20000 ? 37 : 1;
      for (std::size_t n = 0; n < count; n += step) {
        const i64 want = s.map.at(delinearize(static_cast<i64>(n), extents, order))[0];
        REQUIRE(all[n] == want);
        REQUIRE(points.at(static_cast<i64>(n), order) == want);
      }
      for (int round = 0; round < 30; ++round) {
        const std::size_t first = rng() % count;
        std::vector<i64> window(rng() % (count - first + 1));
        table->fill(static_cast<i64>(first), window);
        REQUIRE(std::equal(window.begin(), window.end(), all.begin() + static_cast<std::ptrdiff_t>(first)));
      }
    }
}

TEST_CASE("a window of a 2^60-element tensor costs what the window costs") {
  const i64 n = i64{1} << 30;
  const Map m = mapOf({n, n}, swizzle(d0 * n + d1));
  const i64 first = (i64{1} << 59) + 12345;
  for (const LinearOrder order : {LinearOrder::Colex, LinearOrder::Lex}) {
    const auto table = Tabulator::create(m, 0, order);
    REQUIRE(table.ok());
    std::vector<i64> window(5000);
    table->fill(first, window);
    for (std::size_t i = 0; i < window.size(); ++i)
      REQUIRE(window[i] == m.at(delinearize(first + static_cast<i64>(i), extentsOf(m), order))[0]);
  }
}

TEST_CASE("separated parts give the expression back at every point") {
  std::mt19937_64 rng(2);
  int found = 0;
  for (const Sample& s : samples()) {
    Environment box;
    for (const Digit& d : s.map.digits()) box.digits.push_back({0, d.extent - 1});
    const Expr e = s.map.axes()[0].value;
    const auto parts = separated(e, box);
    if (!parts) continue;
    ++found;
    for (int round = 0; round < 200; ++round) {
      std::vector<i64> p;
      for (const Digit& d : s.map.digits()) p.push_back(static_cast<i64>(rng() % static_cast<u64>(d.extent)));
      i64 v = parts->constant;
      for (std::size_t k = 0; k < p.size(); ++k) {
        std::vector<i64> alone(p.size(), -1);  // a part may look at its own digit only
        alone[k] = p[k];
        const i64 g = evaluate(parts->parts[k], alone);
        v = parts->combine == Separated::Combine::Xor ? v ^ g : v + g + parts->strides[k] * p[k];
      }
      if (parts->post) v = evaluate(*parts->post, std::vector<i64>{v});
      INFO(print(s.map));
      REQUIRE(v == evaluate(e, p));
    }
  }
  CHECK(found >= 10);
}

TEST_CASE("a symbolic size has no table") {
  const auto m = Map::create({{"i", 4, DigitKind::Index}}, {{"x", d0 * Expr::param(0), {}}}, {}, {{"n", 1, 8}});
  REQUIRE(m.ok());
  std::vector<i64> out(4);
  const auto refused = tabulate(*m, 0, LinearOrder::Colex, out);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message == "a map with symbolic sizes has no table");
}
