// The rows of xla.jsonl about indexing maps and their expressions, compared by their meaning at the points of the
// domain, and `prove equal(simplify(M), M)` on each map. If a row holds XLA's own unsound answer (kind trap), ours is
// the sound one.
//
// Run here: simplify compose trap remove_unused rescale_symbols range_vars_to_dims symbols_to_dims construct evaluate
// constraints_satisfied parse_print parse_accept range canonicalize is_multiple_of divmod eval.
// Elsewhere: shape, delinearize, shape_parse, shape_validate (xla_cases_test.cpp, tests/xla); op_map, fusion_map,
// fusion_map_set (tests/hlo).
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "core/expr/simplify.h"
#include "core/hlo/compose/fusion.h"
#include "core/map/compose.h"
#include "core/map/domain/variables.h"
#include "core/notation/axe/text/text.h"
#include "core/notation/indexing/expression.h"
#include "tests/support/ask.h"
#include "tests/support/cases.h"
#include "tests/support/indexing_maps.h"

using namespace tessera;
using Json = nlohmann::json;

namespace {

constexpr i64 kMostPoints = i64{1} << 17;

std::string withDomain(const std::string& map, const Json& domain) {
  if (map == "UNDEFINED" || map == "KNOWN EMPTY") return map;
  std::string text;
  for (const Json& d : domain) text += (text.empty() ? ", domain: " : ", ") + d.get<std::string>();
  return map + text;
}
std::string mapOf(const Json& row) { return withDomain(row.at("map"), row.at("domain")); }
std::string expectedOf(const Json& row) {
  return withDomain(row.at("expected"), row.value("expected_domain", Json::array()));
}

// All points where there are few; else some of the first map's box, and some of the second's.
bool sameMeaning(const Map& a, const Map& b) {
  const auto few = [](const Map& m) { return m.isEmpty() || boxSize(m, kMostPoints); };
  const auto table = [](const Map& m) { return m.isEmpty() ? std::map<Ints, Ints>() : tableOf(m); };
  if (few(a) && few(b)) return table(a) == table(b);
  std::mt19937_64 rng(3);
  for (const Map* from : {&a, &b}) {
    for (int n = 0; n < 2000; ++n) {
      Ints at;
      for (const Range& r : rangesOf(*from))
        at.push_back(r.lo + static_cast<i64>(rng() % (static_cast<u64>(r.hi - r.lo) + 1)));
      if ((a.isEmpty() ? std::nullopt : valueAt(a, at)) != (b.isEmpty() ? std::nullopt : valueAt(b, at))) return false;
    }
  }
  return true;
}

void same(const Map& ours, const std::string& expected) {
  INFO("ours " << print(ours) << "\nexpected " << expected);
  CHECK(sameMeaning(ours, indexingMap(expected).map));
}

void simplifies(const Json& row) {
  const std::string text = mapOf(row);
  const Map map = indexingMap(text).map, ours = simplified(map);
  INFO("ours " << print(ours));
  CHECK(sameMeaning(ours, map));
  CHECK(sizeOfMap(ours) <= sizeOfMap(map));
  if (!ours.isEmpty()) CHECK(simplified(ours) == ours);
  CHECK(ask(fmt::format("equal(simplify({}), {})", text, text)).truth == Truth::Proved);
}

const std::vector<std::string> kWithMaps = {"simplify",  "remove_unused",         "rescale_symbols",
                                            "construct", "range_vars_to_dims",    "symbols_to_dims",
                                            "evaluate",  "constraints_satisfied", "trap"};

std::vector<Json> rowsOfKind(const std::string& kind) {
  std::vector<Json> found;
  for (Json& row : rowsOf("xla.jsonl"))
    if (row.at("kind") == kind) found.push_back(std::move(row));
  return found;
}

// v0, v1, d0 ... as digits; d0 in [lo, hi] where the row says so.
struct Read {
  Expr expr;
  Environment box;
};
Read readExpr(const Json& row, i64 width = 1000) {
  Read read;
  std::map<std::string, int, std::less<>> places;
  for (const Json& d : row.value("domain", Json::array())) {
    const std::string text = d;
    const Map one = indexingMap("(" + text.substr(0, text.find(' ')) + ") -> (), domain: " + text).map;
    places.emplace(one.digits()[0].name, static_cast<int>(places.size()));
    read.box.digits.push_back(coordinateBox(one).digits[0]);
  }
  for (const char* name : {"v0", "v1"}) {
    if (row.contains("domain")) break;
    places.emplace(name, static_cast<int>(places.size()));
    read.box.digits.push_back({-width, width});
  }
  indexing::ExpressionContext context;
  context.box = read.box;
  context.variables = "a variable";
  context.variable = [&](std::string_view name) -> std::optional<Expr> {
    const auto it = places.find(name);
    return it == places.end() ? std::nullopt : std::optional(Expr::digit(it->second));
  };
  const std::string text = row.at("expr");
  axe::spelling::Scanner in(text, 0);
  auto expr = indexing::readExpression(in, context);
  INFO(text);
  if (!expr) FAIL(expr.error().message);
  read.expr = *std::move(expr);
  return read;
}

}  // namespace

TEST_CASE("every map of the cases: simplified is the same map, proved, and not larger") {
  int run = 0;
  for (const std::string& kind : kWithMaps) {
    for (const Json& row : rowsOfKind(kind)) {
      if (!row.contains("map")) continue;
      INFO(row.dump());
      simplifies(row);
      ++run;
    }
  }
  CHECK(run >= 60);
}

TEST_CASE("XLA's simplified maps mean what ours do") {
  for (const Json& row : rowsOfKind("simplify")) {
    INFO(row.dump());
    if (!row.at("expected").is_string() || row.value("brute_force", "ok") != "ok") continue;
    const Map ours = simplified(indexingMap(mapOf(row)).map);
    same(ours, expectedOf(row));
    if (row.at("expected") == "KNOWN EMPTY") CHECK(ours.isEmpty());
  }
  for (const Json& row : rowsOfKind("construct")) {
    INFO(row.dump());
    const Map ours = simplified(indexingMap(mapOf(row)).map);
    CHECK(ours.isEmpty() == (row.at("expected") == "KNOWN EMPTY"));
    if (!ours.isEmpty()) same(ours, row.at("expected"));
  }
}

TEST_CASE("composed maps are those of the cases") {
  for (const Json& row : rowsOfKind("compose")) {
    INFO(row.dump());
    const auto both = compose(indexingMap(withDomain(row.at("first"), row.at("first_domain"))),
                              indexingMap(withDomain(row.at("second"), row.at("second_domain"))));
    REQUIRE(both.ok());
    CHECK(both->undefined == (row.at("expected") == "UNDEFINED"));
    if (!both->undefined) same(both->map, expectedOf(row));
  }
}

TEST_CASE("where XLA's rule is unsound ours is not") {
  int run = 0;
  for (const Json& row : rowsOfKind("trap")) {
    if (!row.contains("map")) continue;  // of instructions: below
    INFO(row.dump());
    const Map ours = simplified(indexingMap(mapOf(row)).map);
    std::set<Ints> points, sound;
    for (const auto& [at, value] : tableOf(ours)) points.insert(at);
    for (const Json& p : row.at("sound_domain_points")) sound.insert(p.get<Ints>());
    CHECK(points == sound);
    for (const Json& p : row.at("wrongly_added")) CHECK_FALSE(valueAt(ours, p.get<Ints>()));
    for (const Json& p : row.at("wrongly_removed")) CHECK(valueAt(ours, p.get<Ints>()));
    ++run;
  }
  CHECK(run >= 5);
}

// Of instructions: the same operand twice, an operation without a rule, a type of another width, a scalar that all
// elements read.
TEST_CASE("where XLA's maps of an operation are unsound ours are not") {
  int run = 0;
  for (const Json& row : rowsOfKind("trap")) {
    if (!row.contains("hlo")) continue;
    INFO(row.dump());
    const hlo::Module m = hlo::readModule(row.at("hlo").get<std::string>());
    const hlo::Where root{m.entry, m.computations.at(static_cast<std::size_t>(m.entry)).root};
    const auto operand = row.at("operand").get<int>();
    const bool reads = row.at("direction") == "output_to_input";
    const auto all = reads ? hlo::readsThrough(m, root, 0) : hlo::usesOf(m, root, operand);
    REQUIRE(all.ok());
    const hlo::Reach& reach = all->at(reads ? static_cast<std::size_t>(operand) : 0);
    const Map sound = indexingMap(row.at("sound_map")).map;
    if (row.at("sound_map") == "UNDEFINED") {  // never passed off as "nothing is read": a sort says which line it reads
      CHECK((reach.soundness == hlo::Soundness::Unknown || !reach.maps.empty()));
    } else {
      REQUIRE(reach.maps.size() == 1);
      CHECK(sameMeaning(reach.maps[0], sound));
    }
    ++run;
  }
  CHECK(run == 4);
}

TEST_CASE("other variables for the same map, in C++ and in the language") {
  for (const Json& row : rowsOfKind("rescale_symbols")) {
    INFO(row.dump());
    const Map map = indexingMap(mapOf(row)).map, ours = rescaled(map);
    CHECK(tableOf(ours).size() == tableOf(map).size());
    if (row.at("expected").is_null()) {  // s0 == 33 mod 42: XLA takes one of the two constraints, we take both
      CHECK(print(simplified(ours)).find("s0 * 42 + 33") != std::string::npos);
      CHECK(ours.guards().empty());
      continue;
    }
    same(ours, expectedOf(row));
    same(indexingMap(ask(fmt::format("rescale({})", mapOf(row))).text).map, expectedOf(row));
  }
  for (const Json& row : rowsOfKind("remove_unused")) {
    INFO(row.dump());
    const bool dims = row.at("what") == "dims_and_symbols";
    same(withoutUnneeded(indexingMap(mapOf(row)).map, dims), expectedOf(row));
    const Answer answer = ask(fmt::format("remove_unused({}{})", mapOf(row), dims ? ", dims" : ""));
    INFO(answer.text);
    REQUIRE(answer.ok);
    same(indexingMap(answer.text).map, expectedOf(row));
  }
  for (const Json& row : rowsOfKind("range_vars_to_dims")) {
    INFO(row.dump());
    const auto ours = rangesAsDims(indexingMap(mapOf(row)).map, row.at("range_var_indices").get<Ints>());
    REQUIRE(ours.ok());
    same(*ours, expectedOf(row));
    CHECK(print(*ours) == print(indexingMap(expectedOf(row)).map));
    CHECK(ask(fmt::format("ranges_to_dims({}, {})", mapOf(row), tupleText(row.at("range_var_indices")))).text ==
          print(*ours));
  }
  for (const Json& row : rowsOfKind("symbols_to_dims")) {
    INFO(row.dump());
    const auto ours = symbolsAsDims(indexingMap(mapOf(row)).map);
    REQUIRE(ours.ok());
    same(*ours, expectedOf(row));
    CHECK(ask(fmt::format("symbols_to_dims({})", mapOf(row))).text == print(*ours));
  }
}

TEST_CASE("values at a point, in the domain or not") {
  for (const Json& row : rowsOfKind("evaluate")) {
    INFO(row.dump());
    CHECK(ask(fmt::format("evaluate({}, {}, {})", mapOf(row), tupleText(row.at("dims")), tupleText(row.at("symbols"))))
              .text == tupleText(row.at("expected")));
  }
  for (const Json& row : rowsOfKind("constraints_satisfied")) {  // the constraints alone, not the box
    INFO(row.dump());
    const Map map = indexingMap(mapOf(row)).map;
    Ints at = row.at("dims").get<Ints>();
    for (const Json& s : row.at("symbols")) at.push_back(s);
    bool met = true;
    for (const Guard& g : map.guards()) {
      const i64 value = evaluate(inCoordinates(g.value, map.digits()), at);
      met = met && value >= g.lo && value <= g.hi;
    }
    CHECK(met == row.at("expected").get<bool>());
  }
}

TEST_CASE("what is read and printed") {
  for (const Json& row : rowsOfKind("parse_print")) {
    INFO(row.dump());
    const auto map = indexing::parse(row.at("text").get<std::string>());
    // A divisor that can be 0 is refused: s0 / s1 has no value at s1 = 0.
    if (row.at("id") == "serialize.SymbolsOnly") {
      CHECK_FALSE(map.ok());
      continue;
    }
    REQUIRE(map.ok());
    const auto again = indexing::parse(print(*map));
    REQUIRE(again.ok());
    CHECK(*again == *map);
    CHECK(sameMeaning(map->map, indexingMap(row.at("expected")).map));
  }
  for (const Json& row : rowsOfKind("parse_accept")) {
    INFO(row.dump());
    const bool ok = indexing::parse(row.at("text").get<std::string>()).ok();
    // XLA reads 2d0 as 2, a pitfall: ours refuses it.
    CHECK(ok == (row.at("accept").get<bool>() && !row.value("why", std::string()).starts_with("PITFALL")));
  }
}

TEST_CASE("ranges, multiples, quotients and values of expressions") {
  for (const Json& row : rowsOfKind("range")) {
    INFO(row.dump());
    const Read read = readExpr(row);
    const Facts facts = factsOf(read.expr, read.box);
    CHECK(facts.fits);
    // XLA's may be wider, d0 mod 5 for d0 in [-3, -1]; every value lies in ours.
    CHECK(facts.interval.lo >= row.at("expected")[0].get<i64>());
    CHECK(facts.interval.hi <= row.at("expected")[1].get<i64>());
    Ints at;
    for (const Range& r : read.box.digits) at.push_back(r.lo);
    for (std::size_t k = 0; k < at.size();) {
      const i64 value = evaluate(read.expr, at);
      REQUIRE(value >= facts.interval.lo);
      REQUIRE(value <= facts.interval.hi);
      for (k = 0; k < at.size() && ++at[k] > read.box.digits[k].hi; ++k) at[k] = read.box.digits[k].lo;
    }
  }
  for (const Json& row : rowsOfKind("is_multiple_of")) {
    INFO(row.dump());
    const Read read = readExpr(row);
    const Facts facts = factsOf(simplified(read.expr, read.box), read.box);
    CHECK(facts.divisibleBy(row.at("factor")) == row.at("expected").get<bool>());
  }
  for (const Json& row : rowsOfKind("divmod")) {
    INFO(row.dump());
    const auto at = [&](const std::string& op) {
      return indexingMap(fmt::format("(x) -> (x {} ({})), domain: x in [-9, 9]", op, row.at("d").dump()))
          .map.at(Ints{row.at("n").get<i64>() + 9})[0];
    };
    for (const char* op : {"floordiv", "ceildiv"}) CHECK(at(op) == row.at(op).get<i64>());
    // XLA's remainder is never negative; ours rounds down as floordiv does, so n == floordiv * d + mod for every d.
    const i64 d = row.at("d").get<i64>(), n = row.at("n").get<i64>();
    CHECK(at("mod") == (d > 0 ? row.at("mod").get<i64>() : n - row.at("floordiv").get<i64>() * d));
  }
  for (const Json& row : rowsOfKind("eval")) {
    INFO(row.dump());
    CHECK(evaluate(readExpr(row).expr, row.at("values").get<Ints>()) == row.at("expected").get<i64>());
  }
}

TEST_CASE("expressions without ranges become no longer than XLA's") {
  for (const Json& row : rowsOfKind("canonicalize")) {
    INFO(row.dump());
    Json wanted = row;
    wanted["expr"] = row.at("expected");
    const Read ours = readExpr(row), theirs = readExpr(wanted);
    const Expr simple = simplified(ours.expr, ours.box);
    INFO(print(simple));
    for (i64 x = -40; x <= 40; ++x)
      for (i64 y = -9; y <= 9; y += 3) {
        REQUIRE(evaluate(simple, Ints{x, y}) == evaluate(ours.expr, Ints{x, y}));
        REQUIRE(evaluate(theirs.expr, Ints{x, y}) == evaluate(ours.expr, Ints{x, y}));
      }
    // By a negative divisor, v0 / -2, is by a positive one here: v0 * -1 floordiv 2.
    const bool negative = row.at("expected").get<std::string>().find("/ -") != std::string::npos;
    CHECK(sizeOfExpr(simple) <= sizeOfExpr(theirs.expr) + (negative ? 2 : 0));
  }
}

// Constraints that leave shorter ranges, down to one point: the map is compared with what it was, not with it turned
// round.
TEST_CASE("simplify is proved equal where it leaves shorter ranges") {
  for (const char* text :
       {"(d0, d1)[s0, s1] -> (min(s1 + d1, d0), s0), domain: d0 in [0, 4], d1 in [6, 10], s0 in [0, 4], s1 in [0, 4], "
        "(s0 mod 2 * 100 - d1 * 11) mod 100 in [8, 21]",
        "(d0, d1, d2)[s0, s1] -> (d0 - d2 floordiv 4, d2, min((d2 - 9) mod 2, 0)), domain: d0 in [0, 0], d1 in [0, 2], "
        "d2 in [0, 2], s0 in [-2, 1], s1 in [0, 1], d2 mod 4 in [1, 1]",
        "(d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 7], d0 mod 4 in [3, 3]"}) {
    INFO(text);
    const Answer answer = ask(fmt::format("equal(simplify({}), {})", text, text));
    INFO(answer.text);
    CHECK(answer.truth == Truth::Proved);
  }
}

TEST_CASE("simplify of random maps is proved equal to them") {
  RandomMaps random(53);
  for (int round = 0; round < 200; ++round) {
    const std::string text = random.text(true);
    INFO(text);
    const Answer answer = ask(fmt::format("equal(simplify({}), {})", text, text));
    INFO(answer.text);
    CHECK(answer.truth == Truth::Proved);
  }
}
