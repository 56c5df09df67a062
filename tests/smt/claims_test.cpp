// The exported questions of generated claims: Z3, reading the text, answers what it answered the prover, and what
// enumeration of the points says.
#include <z3++.h>

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <regex>
#include <set>
#include <string>

#include "prove/maps.h"
#include "solver/prove/smt/text.h"
#include "tests/support/volume.h"

using namespace tessera;
using namespace tessera::testing;

namespace {

std::vector<i64> drawn(std::mt19937& random, std::size_t count, i64 least, i64 most) {
  std::vector<i64> out;
  for (std::size_t k = 0; k < count; ++k)
    out.push_back(least + static_cast<i64>(random() % static_cast<u64>(most - least + 1)));
  return out;
}

Map drawnMap(std::mt19937& random) {
  const std::size_t rank = 1 + random() % 3;
  if (random() % 3 == 0) {  // with a swizzle
    std::vector<i64> extents, strides;
    i64 stride = 1;
    for (std::size_t k = 0; k < 2; ++k) {
      extents.push_back(i64{1} << (1 + random() % 3));
      strides.push_back(stride * (random() % 4 == 0 ? 2 : 1));
      stride *= extents.back();
    }
    return swizzled(1 + static_cast<int>(random() % 2), static_cast<int>(random() % 2), 2, extents, strides, 64);
  }
  const std::vector<i64> extents = drawn(random, rank, 1, 6), strides = drawn(random, rank, -3, 12);
  if (random() % 3 > 0) return strided(extents, strides, 1 + static_cast<i64>(random() % 40));
  // A digit that is divided, unevenly at times, and a guard.
  const Expr i = Expr::digit(0);
  const i64 by = 2 + static_cast<i64>(random() % 4);
  const Expr value = mod(i, by) * strides[0] + floorDiv(i, by) + stridedExpr(strides);
  return made(Map::create(box(extents), {{"offset", value, 30}}, {{i, 0, static_cast<i64>(random() % 6)}}));
}

std::vector<Claim> drawnClaims(std::mt19937& random) {
  std::vector<Claim> claims;
  const auto add = [&](ClaimKind kind, std::vector<Map> maps) {
    claims.push_back({claimAbout(kind, std::move(maps)), Method::Z3, "drawn"});
  };
  add(ClaimKind::Injective, {drawnMap(random)});
  add(ClaimKind::Surjective, {drawnMap(random)});
  add(ClaimKind::InBounds, {drawnMap(random)});
  const std::vector<i64> extents = drawn(random, 2, 1, 5), strides = drawn(random, 2, 0, 9);
  std::vector<i64> others = strides;
  if (random() % 2 == 0) others[random() % 2] += 1;
  add(ClaimKind::Equal, {strided(extents, strides), strided(extents, others)});
  // A symbolic size: rows of N elements, ld apart.
  const Expr i = Expr::digit(0), j = Expr::digit(1);
  const i64 most = 2 + static_cast<i64>(random() % 5), slack = random() % 3 == 0 ? -1 : 0;
  add(ClaimKind::Injective,
      {made(Map::create(box({4, most}), {{"offset", i * Expr::param(1) + j, std::nullopt}},
                        {{Expr::param(0) - j - 1, 0, 64}, {Expr::param(1) - Expr::param(0), slack, 64}},
                        {{"N", 1, 8}, {"ld", 1, 8}}))});
  return claims;
}

// What Z3 answers to a text, and the names that it declares.
z3::check_result answerTo(const std::string& text) {
  z3::context context;
  z3::solver solver(context);
  solver.from_string(text.c_str());
  return solver.check();
}

std::string logicOf(const std::string& text) {
  std::smatch found;
  REQUIRE(std::regex_search(text, found, std::regex("\\(set-logic ([A-Z_]+)\\)")));
  return found[1];
}

}  // namespace

TEST_CASE("Z3 answers the text of generated claims as the question") {
  std::mt19937 random(3);
  std::map<std::string, int> byLogic, byStatus, byName;
  for (int round = 0; round < test::volume(25, 1000); ++round)
    for (const Claim& claim : drawnClaims(random)) {
      ProveOptions options;
      options.exportSmt2 = true;
      const Verdict v = prove(claim, options);
      // The text changes no verdict.
      const Verdict without = prove(claim);
      CHECK(v.truth == without.truth);
      CHECK(v.method == without.method);
      CHECK(v.detail == without.detail);
      for (const auto& [file, text] : v.smt2) {
        INFO(file << "\n" << text);
        REQUIRE(prover::smt::isWritten(text));
        const z3::check_result answer = answerTo(text);
        const char* const word = answer == z3::sat ? "sat" : answer == z3::unsat ? "unsat" : "unknown";
        CHECK_THAT(text, Catch::Contains(std::string("(set-info :status ") + word + ")"));
        // Each name is declared once, and is a symbol that needs no quotes.
        std::set<std::string> names;
        const std::regex declared("\\(declare-fun ([^ ]+) ");
        for (std::sregex_iterator at(text.begin(), text.end(), declared), end; at != end; ++at) {
          CHECK(names.insert((*at)[1]).second);
          CHECK(std::regex_match((*at)[1].str(), std::regex("[a-z]+[0-9][a-z0-9_]*")));
        }
        ++byLogic[logicOf(text)];
        ++byStatus[word];
        ++byName[file.substr(0, file.find('_'))];
      }
    }
  for (const char* logic : {"QF_LIA", "QF_BV", "QF_NIA"}) CHECK(byLogic[logic] > 5);
  for (const char* status : {"sat", "unsat"}) CHECK(byStatus[status] > 20);
  for (const char* name : {"injective", "surjective", "in", "equal"}) CHECK(byName[name] > 5);
}

TEST_CASE("what the text says about a claim is what enumeration says") {
  std::mt19937 random(4);
  int decided = 0;
  for (int round = 0; round < test::volume(25, 1000); ++round)
    for (const Claim& claim : drawnClaims(random)) {
      if (claim.kind() == ClaimKind::Surjective || !claim.maps()[0].params().empty()) continue;
      ProveOptions options;
      options.exportSmt2 = true;
      const Verdict v = prove(claim, options);
      Claim listed = claim;
      listed.method = Method::Exhaustive;
      const Verdict expected = prove(listed);
      if (expected.truth == Truth::Unknown) continue;
      for (const auto& [file, text] : v.smt2) {
        INFO(file << "\n" << text << "\n" << name(expected.truth));
        if (text.find("; sat: nothing") != std::string::npos && answerTo(text) == z3::sat) continue;
        CHECK((answerTo(text) == z3::unsat) == (expected.truth == Truth::Proved));
        ++decided;
      }
    }
  CHECK(decided > 30);
}

TEST_CASE("names of users are not in the text, whatever they are") {
  const auto textWith = [](const std::vector<std::string>& names) {
    const std::vector<Digit> digits = {{names[0], 3, DigitKind::Index}, {names[1], 5, DigitKind::Index}};
    const Expr i = Expr::digit(0), j = Expr::digit(1);
    const Map map =
        made(Map::create(digits, {{names[2], i * Expr::param(0) + j, std::nullopt}}, {}, {{names[3], 5, 9}}));
    ProveOptions options;
    options.exportSmt2 = true;
    const Verdict v = prove({claims::Injective{map}, Method::Z3, names[3] + "\n(exit)\n" + names[0]}, options);
    REQUIRE(v.smt2.size() == 2);
    return v.smt2.back().second;
  };
  const auto body = [](const std::string& text) { return text.substr(text.find('\n')); };
  const std::string plain = textWith({"i", "j", "offset", "N"});
  for (const std::string odd : {"|", ";", "a b", "\"", "and", "(", "\\", "\xc3\xa9", "let", "(exit)"}) {
    const std::string text = textWith({odd + "1", odd + "2", odd + "3", odd + "4"});
    CHECK(body(text) == body(plain));
    CHECK(text.rfind("; ", 0) == 0);
    CHECK(answerTo(text) == z3::unsat);
  }
}

TEST_CASE("the texts of a claim are limited, and say so") {
  // A thousand axes of a hundred digits each.
  const std::vector<i64> extents(100, 2);
  std::vector<Axis> axes;
  std::mt19937 random(5);
  for (int k = 0; k < 1000; ++k)
    axes.push_back({"r" + std::to_string(k), stridedExpr(drawn(random, 100, 1, 1'000'000)), std::nullopt});
  ProveOptions options;
  options.exportSmt2 = true;
  const Verdict v = prove({claims::Injective{made(Map::create(box(extents), axes))}, Method::Z3, "wide"}, options);
  REQUIRE_FALSE(v.smt2.empty());
  std::size_t bytes = 0;
  for (const auto& [file, text] : v.smt2) {
    bytes += text.size();
    CHECK_FALSE(prover::smt::isWritten(text));
    CHECK_THAT(text, Catch::Contains("is not written, because its text exceeds the limit of"));
  }
  CHECK(bytes < prover::smt::kMostTexts);
}
