// Equality of partial maps: guards, and coordinates that do not start at 0, against enumeration.
#include <map>
#include <random>
#include <set>

#include "core/map/compose.h"
#include "core/notation/cute/notation.h"
#include "core/notation/cute/text/text.h"
#include "core/notation/indexing/map.h"
#include "prove/maps.h"
#include "tests/support/map_edits.h"

using namespace tessera;
using namespace tessera::testing;

namespace {

using Ints = std::vector<i64>;

Map read(const std::string& text) {
  auto map = indexing::parse(text);
  INFO(text);
  if (!map) FAIL(map.error().message);
  return map->map;
}

// Coordinates -> the set of images, for those that have one.
std::map<Ints, std::set<Ints>> meaning(const Map& map) {
  std::map<Ints, std::set<Ints>> out;
  Ints extents;
  for (const Digit& d : map.digits()) extents.push_back(d.extent);
  const auto points = map.pointCount();
  for (i64 n = 0; n < *points; ++n) {
    const Ints point = delinearize(n, extents, LinearOrder::Colex);
    if (!map.isReal(point)) continue;
    Ints coordinates;
    for (const int k : map.indexDigits())
      coordinates.push_back(point[static_cast<std::size_t>(k)] + map.digits()[static_cast<std::size_t>(k)].lo);
    out[coordinates].insert(map.at(point));
  }
  return out;
}

struct Writer {
  std::mt19937 rng;
  int pick(int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); }

  std::string expression(const std::vector<std::string>& names, int depth) {
    if (depth == 0 || pick(3) == 0)
      return pick(3) == 0 ? std::to_string(pick(9) - 3)
                          : names[static_cast<std::size_t>(pick(static_cast<int>(names.size())))];
    const std::string a = expression(names, depth - 1), n = std::to_string(pick(5) + 1);
    switch (pick(8)) {
      case 0:
        return "(" + a + ") floordiv " + n;
      case 1:
        return "(" + a + ") mod " + n;
      case 2:
        return "(" + a + ") * " + n;
      case 3:
        return "min(" + a + ", " + expression(names, depth - 1) + ")";
      case 4:
        return "max(" + a + ", " + n + ")";
      case 5:
        return "(" + a + ") - (" + expression(names, depth - 1) + ")";
      case 6:
        return "((" + a + ") xor " + n + ")";
      default:
        return a + " + " + expression(names, depth - 1);
    }
  }

  // A map of `dims` variables and, sometimes, a range variable.
  std::string map(int dims, int results, bool ranged) {
    std::vector<std::string> names;
    std::string head, domain, out;
    for (int k = 0; k < dims; ++k) {
      names.push_back("d" + std::to_string(k));
      head += (k == 0 ? "" : ", ") + names.back();
    }
    if (ranged) names.emplace_back("s0");
    for (const std::string& name : names) {
      const int lo = pick(4) - 2;
      domain += (domain.empty() ? "" : ", ") + name + " in [" + std::to_string(lo) + ", " +
                std::to_string(lo + pick(5)) + "]";
    }
    for (int k = pick(3); k > 0; --k) {
      const int lo = pick(6) - 2;
      const std::string bounded = pick(2) == 0 ? expression(names, 2) : "d0 * " + std::to_string(pick(5) - 2) + " + 1";
      domain += ", " + bounded + " in [" + std::to_string(lo) + ", " + std::to_string(lo + pick(6)) + "]";
    }
    for (int k = 0; k < results; ++k) out += (k == 0 ? "" : ", ") + expression(names, 2);
    return "(" + head + ")" + (ranged ? "[s0]" : "") + " -> (" + out + "), domain: " + domain;
  }
};

bool isPartial(const Map& m) { return m.isShifted() || !m.guards().empty(); }

}  // namespace

TEST_CASE("a map equals what simplify makes of it") {
  Writer write{std::mt19937(17)};
  int proved = 0, shifted = 0;
  for (int round = 0; round < 3000; ++round) {
    const Map map = read(write.map(1 + write.pick(2), 1 + write.pick(2), write.pick(4) == 0));
    const Map simple = simplified(map);
    INFO("round " << round << ": " << print(map) << "\n" << print(simple));
    REQUIRE(meaning(map) == meaning(simple));
    const Verdict v = ask(ClaimKind::Equal, {map, simple});
    if (v.counterexample) FAIL(v.counterexample->text);
    CHECK(v.truth == Truth::Proved);
    proved += v.truth == Truth::Proved ? 1 : 0;
    shifted += map.digits() == simple.digits() ? 0 : 1;
  }
  CHECK(proved == 3000);
  CHECK(shifted > 300);
}

TEST_CASE("equal of two partial maps is what enumeration says, by every method that answers") {
  Writer write{std::mt19937(23)};
  int equal = 0, different = 0;
  for (int round = 0; round < 1500; ++round) {
    const int dims = 1 + write.pick(2);
    const bool ranged = write.pick(4) == 0;
    const Map f = read(write.map(dims, 1, ranged));
    Map g = read(write.map(dims, 1, ranged && write.pick(2) == 0));
    if (write.pick(2) == 0) {  // f with another guard: often the same points
      const Expr digit = Expr::digit(0);
      g = made(withGuard(f, {digit * 2 + write.pick(3), i64{write.pick(3)} - 1, 3 + write.pick(8)}));
    }
    if (!isPartial(f) && !isPartial(g)) continue;
    const bool want = meaning(f) == meaning(g);
    (want ? equal : different) += 1;
    INFO("round " << round << ": " << print(f) << "\n" << print(g));
    CHECK(ask(ClaimKind::Equal, {f, g}).truth == (want ? Truth::Proved : Truth::Refuted));
    for (const Method method : everyMethod()) {
      if (method == Method::Z3 && round % 10 != 0) continue;
      const Verdict v = ask(ClaimKind::Equal, {f, g}, method);
      INFO(name(method) << " " << v.detail);
      CHECK((v.truth == Truth::Unknown || (v.truth == Truth::Proved) == want));
    }
  }
  CHECK(equal > 100);
  CHECK(different > 100);
}

TEST_CASE("maps whose boxes differ and whose points do not are equal") {
  const Verdict v = ask(ClaimKind::Equal, {read("(d0) -> (d0), domain: d0 in [0, 2], d0 + d0 in [2, 4]"),
                                           read("(d0) -> (d0), domain: d0 in [1, 2]")});
  CHECK(v.truth == Truth::Proved);
  // The second divides by zero where only the first has a point.
  CHECK(ask(ClaimKind::Equal, {read("(d0) -> (12 floordiv max(d0, 1)), domain: d0 in [0, 4], (d0) in [1, 4]"),
                               read("(d0) -> (12 floordiv d0), domain: d0 in [1, 4]")})
            .truth == Truth::Proved);
  CHECK(ask(ClaimKind::Equal, {read("KNOWN EMPTY"), read("(d0) -> (d0), domain: d0 in [0, 4], d0 mod 2 in [3, 4]")})
            .truth == Truth::Proved);
  CHECK(ask(ClaimKind::Equal, {read("(d0) -> (d0), domain: d0 in [0, 4]"), read("KNOWN EMPTY")}).counterexample->text ==
        "at 0 the first gives 0 and the second nothing");
}

TEST_CASE("counterexamples show coordinates") {
  const Map shifted = read("(d0, d1) -> (d0 * 2 + d1), domain: d0 in [3, 4], d1 in [-1, 1]");
  const Verdict twice = ask(ClaimKind::Injective, {shifted});
  REQUIRE(twice.counterexample);
  CHECK(twice.counterexample->text == "(4,-1) and (3,1) both give 7");
  CHECK(twice.counterexample->points == std::vector<Ints>{{1, 0}, {0, 2}});
  CHECK(twice.counterexample->witnesses[0].values == Ints{4, -1});
  const Verdict differs =
      ask(ClaimKind::Equal, {shifted, read("(d0, d1) -> (d0 * 2 + d1), domain: d0 in [3, 5], d1 in [-1, 1]")});
  REQUIRE(differs.counterexample);
  CHECK(differs.counterexample->text == "at (5,-1) the first gives nothing and the second 9");
  CHECK(differs.counterexample->points.empty());
  const Map pair = read("(d0, d1) -> (min(d0, d1), max(d0, d1)), domain: d0 in [1, 3], d1 in [1, 3]");
  CHECK_THAT(ask(ClaimKind::Injective, {pair}).counterexample->text, Catch::EndsWith("both give (1,2)"));
  // A way back takes coordinates and gives them.
  CHECK(ask(ClaimKind::Roundtrip,
            {read("(d0) -> (d0 + 2), domain: d0 in [3, 6]"), read("(d0) -> (d0 - 2), domain: d0 in [5, 8]")})
            .truth == Truth::Proved);
  CHECK(ask(ClaimKind::Roundtrip,
            {read("(d0) -> (d0 + 2), domain: d0 in [3, 6]"), read("(d0) -> (d0 - 2), domain: d0 in [5, 7]")})
            .truth == Truth::Refuted);
}

TEST_CASE("layouts of different shape are compared through their linear index in the order that the claim says") {
  const std::vector<Ints> shapes = {{12}, {2, 6}, {6, 2}, {4, 3}, {3, 4}, {2, 2, 3}, {3, 2, 2}, {2, 3, 2}};
  const auto strides = [](const Ints& shape, bool lex) {
    Ints s(shape.size(), 1);
    i64 place = 1;
    for (std::size_t step = 0; step < shape.size(); ++step) {
      const std::size_t k = lex ? shape.size() - 1 - step : step;
      s[k] = place;
      place *= shape[k];
    }
    return s;
  };
  int proved = 0;
  for (const Ints& a : shapes) {
    for (const Ints& b : shapes) {
      if (a.size() == b.size() && a != b && a.size() == 1) continue;
      for (const bool lexA : {false, true}) {
        for (const bool lexB : {false, true}) {
          const Map f = strided(a, strides(a, lexA)), g = strided(b, strides(b, lexB));
          for (const LinearOrder order : {LinearOrder::Colex, LinearOrder::Lex}) {
            bool want = true;
            for (i64 i = 0; i < 12; ++i)
              want = want && f.at(delinearize(i, a, order)) == g.at(delinearize(i, b, order));
            const Verdict v = prove({claims::Equal{{f, g}, order}});
            INFO(print(f) << "\n" << print(g) << "\n" << (order == LinearOrder::Lex ? "lex" : "colex"));
            CHECK(v.truth == (want ? Truth::Proved : Truth::Refuted));
            proved += want ? 1 : 0;
          }
        }
      }
    }
  }
  CHECK(proved > 100);
}

TEST_CASE("claims about index formulas") {
  const auto formula = [](const std::string& text) { return made(toMap(indexing::parseFormula(text)->map)); };
  const Map swizzled = formula("S(row, col) = row * 64 + (col ^ ((row & 7) << 3)) over (64,64)");
  const auto layout = cute::parseComposedLayout("Sw<3,3,3> o (64,64):(64,1)");
  REQUIRE(layout.ok());
  CHECK(ask(ClaimKind::Injective, {swizzled}).truth == Truth::Proved);
  CHECK(ask(ClaimKind::Bijective, {swizzled}).truth == Truth::Proved);
  CHECK(ask(ClaimKind::InBounds, {swizzled}).truth == Truth::Proved);
  CHECK(ask(ClaimKind::Equal, {swizzled, made(toMap(*layout))}).truth == Truth::Proved);
  const Verdict other = ask(ClaimKind::Equal, {swizzled, formula("T(i, j) = i * 64 + (j ^ (i << 3)) over (64,64)")});
  REQUIRE(other.truth == Truth::Refuted);
  CHECK(other.counterexample->text == "at (8,0) the first gives 512 and the second 576");
  CHECK(ask(ClaimKind::Bijective, {formula("P(i, j) = i * 5 + j over (4, 4)")}).truth == Truth::Refuted);
}
