// The printed code, compiled and run, gives the values of the layout's map: layouts of every family of tests/cases, and
// random maps with floors of negative numbers, xor, min, max, replicas, shifted coordinates, guards and symbolic sizes.
// There is one compiler call per language. C and C++ run with the undefined-behaviour sanitizer, so an int overflow
// would end them. The C++ is the CUDA text with its two keywords defined away; the same text was compiled manually with
// nvcc.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "core/map/map.h"
#include "core/worksheet/value.h"
#include "core/worksheet/worksheet.h"
#include "tests/codegen/index_program.h"
#include "tests/support/cases.h"

using namespace tessera;
using namespace tessera::codegen;

namespace {

// --- layouts of the case files ---------------------------------------------------------------------------------------

std::optional<Layout> layoutIn(const std::string& text) {
  Scope scope;
  const auto statements = splitStatements("L = " + text);
  if (statements.size() != 1) return std::nullopt;
  const Evaluated e = evaluate(statements[0], scope);
  const Layout* layout = e.value ? std::get_if<Layout>(&*e.value) : nullptr;
  return layout != nullptr ? std::optional(*layout) : std::nullopt;
}

void stringsIn(const nlohmann::json& j, std::vector<std::string>& out) {
  if (j.is_string() && j.get_ref<const std::string&>().size() <= 400) out.push_back(j.get<std::string>());
  if (j.is_structured())
    for (const auto& item : j) stringsIn(item, out);
}

std::string shapeOf(const nlohmann::json& row) {
  const nlohmann::json* shape = row.contains("shape") ? &row["shape"] : nullptr;
  if (row.contains("inputs") && row["inputs"].is_object() && row["inputs"].contains("shape"))
    shape = &row["inputs"]["shape"];
  return shape != nullptr && shape->is_array() ? tupleText(*shape) : "";
}

// Every text of the file that is a layout (with the row's shape where it wants one), at most `most`, evenly spread.
std::vector<IndexCase> casesOf(const std::string& file, std::size_t most) {
  std::vector<IndexCase> all;
  std::set<std::string> seen;
  for (const nlohmann::json& row : rowsOf(file)) {
    std::vector<std::string> texts;
    stringsIn(row, texts);
    const std::string shape = shapeOf(row);
    for (const std::string& text : texts) {
      if (text.find_first_of("(:[{") == std::string::npos || !seen.insert(text + shape).second) continue;
      std::optional<Layout> layout = shape.empty() ? std::nullopt : layoutIn(text + " over " + shape);
      if (!layout) layout = layoutIn(text);
      if (!layout || !layout->arrow()) continue;
      auto functions = indexFunctions(*layout->arrow(), fmt::format("f{}", 0));
      if (functions) all.push_back({print(*layout), *layout->arrow(), *functions});
    }
  }
  std::vector<IndexCase> some;
  const std::size_t step = (all.size() + most - 1) / std::max<std::size_t>(most, 1);
  for (std::size_t k = 0; k < all.size(); k += std::max<std::size_t>(step, 1)) some.push_back(all[k]);
  return some;
}

// --- random maps -----------------------------------------------------------------------------------------------------

class RandomMaps {
 public:
  explicit RandomMaps(unsigned seed) : random_(seed) {}

  std::optional<Map> next() {
    digits_ = 1 + below(3);
    params_ = below(4) == 0 ? 1 : 0;
    std::vector<Digit> digits;
    for (int k = 0; k < digits_; ++k) {
      const i64 extent = below(3) == 0 ? i64{1} << below(12) : 1 + below(40);
      digits.push_back({fmt::format("d{}", k), below(40) == 0 ? extent << 30 : extent,
                        below(6) == 0 ? DigitKind::Fan : DigitKind::Index, below(4) == 0 ? below(20) - 10 : 0});
    }
    std::vector<Param> params;
    for (int k = 0; k < params_; ++k) params.push_back({fmt::format("n{}", k), 1, 1 + below(3000)});
    std::vector<Axis> axes;
    for (int k = 1 + below(3); k > 0; --k) axes.push_back({fmt::format("y{}", k), expression(4), {}});
    std::vector<Guard> guards;
    for (int k = below(3); k > 0; --k) {
      const i64 lo = below(30) - 15;
      guards.push_back({expression(2), lo, lo + below(60)});
    }
    auto map = Map::create(std::move(digits), std::move(axes), std::move(guards), std::move(params));
    return map ? std::optional(*map) : std::nullopt;
  }

 private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

  i64 number() {
    const int kind = below(6);
    if (kind == 0) return i64{1} << below(34);
    if (kind == 1) return -(i64{1} << below(8));
    return below(60) - 15;
  }
  Expr leaf() {
    const int kind = below(8);
    if (kind == 0) return Expr::constant(number());
    if (kind == 1 && params_ > 0) return Expr::param(0);
    return Expr::digit(below(digits_));
  }
  Expr divisor() {
    if (below(8) == 0) return leaf();  // mostly refused: it contains 0
    if (below(8) == 0) return Expr::constant(-1 - below(12));
    return Expr::constant(below(2) == 0 ? i64{1} << below(7) : 1 + below(20));
  }
  Expr expression(int depth) {
    if (depth == 0 || below(6) == 0) return leaf();
    const Expr a = expression(depth - 1);
    switch (below(9)) {
      case 0:
      case 1:
        return a + expression(depth - 1);
      case 2:
        return a - expression(depth - 1);
      case 3:
        return a * number();
      case 4:
        return floorDiv(a, divisor());
      case 5:
        return mod(a, divisor());
      case 6:
        return a ^ expression(depth - 1);
      case 7:
        return below(2) == 0 ? least(a, expression(depth - 1)) : greatest(a, expression(depth - 1));
      default:
        return a * expression(depth - 1);
    }
  }
  std::mt19937_64 random_;
  int digits_ = 1, params_ = 0;
};

std::vector<IndexCase> randomCases(unsigned seed, std::size_t count) {
  std::vector<IndexCase> cases;
  RandomMaps maps(seed);
  while (cases.size() < count) {
    const auto map = maps.next();
    if (!map) continue;
    Arrow arrow = arrowOf(*map, SpaceKind::Coordinates, LinearOrder::Lex, SpaceKind::Coordinates);
    auto functions = indexFunctions(arrow, "f0");
    if (functions) cases.push_back({print(*map), std::move(arrow), *functions});
  }
  return cases;
}

// --- the law ---------------------------------------------------------------------------------------------------------

// The functions under the names that the program has for them.
void number(std::vector<IndexCase>& cases) {
  for (std::size_t k = 0; k < cases.size(); ++k)
    cases[k].functions = *indexFunctions(cases[k].arrow, fmt::format("f{}", k));
}

void checkRun(std::vector<IndexCase> cases, Language language, unsigned seed) {
  number(cases);
  const Questions questions = questionsFor(cases, seed, 24);
  const Ran ran = runProgram(programText(cases, language), language, questions.asked);
  if (!ran.available) {
    WARN("skipped: " << ran.message);
    return;
  }
  INFO(ran.message);
  CHECK(ran.message.empty());
  int wrong = 0;
  for (std::size_t k = 0; k < questions.asked.size() && wrong < 5; ++k) {
    const std::string answer = k < ran.answers.size() ? ran.answers[k] : "nothing";
    if (answer == questions.expected[k]) continue;
    ++wrong;
    const IndexCase& c = cases[questions.of[k]];
    FAIL_CHECK(c.text << "\nasked " << questions.asked[k] << ": " << answer << ", expected " << questions.expected[k]
                      << "\nseed " << seed << "\n"
                      << *indexCode(c.arrow, language, c.functions.forward.name, c.text));
  }
}

// What the files have little of: conditions, sizes that are not known, huge and negative places, replicas.
std::vector<IndexCase> ownCases() {
  std::vector<IndexCase> cases;
  for (const char* text : {
           "Sw<3,3,3> o (64,64):(64,1)",
           "Sw<3,4,3> o (8,64):(72,1)",
           "(1048576,65536):(65536,1)",
           "(4,8):(-8,1)",
           "((2,3),(5,7)):((105,1),(3,15))",
           "S[(n,8):(8@m,1@m)] for n in [1, 4096]",
           "S[(m,n):(n,1)] + R[2:m*n] for m in [1, 64], n in [1, 70000]",
           "S[(8,2,4,2):(4@lane,1@warp,1@lane,1@reg)] + R[2:4@warp] + 5@warp over (8,16)",
           "(d0, d1) -> (d0 floordiv 3 - d1, (d0 - d1) mod 5), domain: d0 in [-6, 6], d1 in [0, 14], d0 + d1 in [0, 9]",
           "(d0)[s0]{rt0} -> (d0 * 2 + s0 - rt0), domain: d0 in [0, 9], s0 in [0, 2], rt0 in [0, 5], d0 mod 4 in [0, "
           "1]",
           "(d0, d1) -> (d0 * 9000000000 + d1), domain: d0 in [0, 99], d1 in [0, 8999999999], d1 mod 2 in [1, 1]",
           "bf16[9,100]{1,0:T(8,128)(2,1)}",
           "bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}",
           "#ttg.padded_shared<[16:+4] {order = [1, 0], shape = [32, 16]}> over (32,16)",
           "f32[]",
       }) {
    const auto layout = layoutIn(text);
    INFO(text);
    REQUIRE(layout);
    REQUIRE(layout->arrow());
    auto functions = indexFunctions(*layout->arrow(), "f0");
    REQUIRE(functions);
    cases.push_back({text, *layout->arrow(), *functions});
  }
  return cases;
}

const std::vector<IndexCase>& familyCases() {
  static const std::vector<IndexCase> kAll = [] {
    std::vector<IndexCase> all = ownCases();
    for (const auto& [file, most] : std::map<std::string, std::size_t>{{"cute.jsonl", 60},
                                                                       {"axe.jsonl", 50},
                                                                       {"xla.jsonl", 40},
                                                                       {"xla_parser.jsonl", 40},
                                                                       {"triton.jsonl", 40},
                                                                       {"triton_library.jsonl", 40},
                                                                       {"atlas.jsonl", 30},
                                                                       {"graphene.jsonl", 20}}) {
      const std::vector<IndexCase> own = casesOf(file, most);
      INFO(file);
      CHECK(own.size() >= 8);
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }();
  return kAll;
}

}  // namespace

TEST_CASE("the C of layouts of every family, compiled, says what their maps say") {
  const std::vector<IndexCase>& cases = familyCases();
  std::size_t inverses = 0, guarded = 0;
  for (const IndexCase& c : cases) {
    inverses += c.functions.inverse ? 1 : 0;
    guarded += c.functions.forward.guards.empty() ? 0 : 1;
  }
  CHECK(cases.size() > 200);
  CHECK(inverses > cases.size() / 2);
  CHECK(guarded >= 4);
  checkRun(cases, Language::C, 1);
}

TEST_CASE("the CUDA text of layouts of every family, compiled as C++, says what their maps say") {
  checkRun(familyCases(), Language::Cuda, 2);
}

TEST_CASE("the Python of layouts of every family says what their maps say") {
  checkRun(familyCases(), Language::Python, 3);
}

TEST_CASE("the code of random maps says what the maps say, in C, CUDA and Python") {
  const std::vector<IndexCase> cases = randomCases(20261122, 250);
  for (const Language language : {Language::C, Language::Cuda, Language::Python}) checkRun(cases, language, 4);
}
