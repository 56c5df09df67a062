// The solver's input as SMT-LIB 2, given to a second solver: cvc5 must agree.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "prove/maps.h"

using namespace tessera;
using namespace tessera::testing;

namespace {

bool haveCvc5() { return std::system("cvc5 --version > /dev/null 2>&1") == 0; }

std::string outputOf(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  pclose(pipe);
  return text;
}

std::vector<Claim> sample() {
  const Expr i = Expr::digit(0), j = Expr::digit(1);
  const i64 top = 1 << 16;
  const std::vector<Param> params = {{"N", 1, top}, {"ld", 1, top}};
  const std::vector<Guard> inside = {{Expr::param(0) - j - 1, 0, top}, {Expr::param(1) - Expr::param(0), 0, top}};
  std::vector<Claim> claims;
  const auto add = [&](ClaimKind kind, std::vector<Map> maps) {
    claims.push_back({claimAbout(kind, std::move(maps)), Method::Z3});
  };
  add(ClaimKind::Injective, {strided({3, 2}, {2, 3})});
  add(ClaimKind::Injective, {strided({4, 2}, {1, 2})});
  add(ClaimKind::Injective, {strided({12, 25, 49}, {1, 12, 300})});
  add(ClaimKind::Injective, {strided({96, 40, -1 + 57, 72}, {1, 96, 3840, 215040})});
  add(ClaimKind::Injective, {swizzled(3, 3, 3, {64, 64}, {64, 1})});
  add(ClaimKind::Injective,
      {made(Map::create(box({64, 64}), {{"offset", swizzle(3, 0, 3, i * 72 + j) + (i ^ j), std::nullopt}}))});
  add(ClaimKind::InBounds, {strided({4, 8}, {8, 1}, 31)});
  add(ClaimKind::InBounds, {swizzled(3, 3, 3, {64, 64}, {64, 1}, 4096)});
  add(ClaimKind::Bijective, {strided({30, 7}, {7, 1}, 210)});
  add(ClaimKind::Surjective, {strided({4, 8}, {9, 1}, 35)});
  add(ClaimKind::Surjective, {swizzled(1, 0, 2, {4, 4}, {4, 1}, 17)});
  add(ClaimKind::Equal, {strided({4, 3}, {1, 4}), strided({3, 4}, {1, 3})});
  add(ClaimKind::Equal, {strided({4, 3}, {3, 1}), strided({3, 4}, {1, 3})});
  add(ClaimKind::Injective,
      {made(Map::create(box({top, top}), {{"offset", i * Expr::param(1) + j, std::nullopt}}, inside, params))});
  return claims;
}

}  // namespace

TEST_CASE("every exported obligation has a logic, a status and a check") {
  if (!haveZ3()) return;
  ProveOptions options;
  options.exportSmt2 = true;
  options.budgetSeconds = 4;
  const Verdict v = prove({claims::Injective{strided({3, 2}, {2, 3})}, Method::Z3}, options);
  REQUIRE(v.smt2.size() == 1);
  CHECK(v.smt2[0].first == "injective_1.smt2");
  for (const char* part : {"(set-logic QF_LIA)", "(set-info :status unsat)", "(check-sat)"})
    CHECK_THAT(v.smt2[0].second, Catch::Contains(part));
  // Without the option nothing is kept.
  CHECK(prove({claims::Injective{strided({3, 2}, {2, 3})}, Method::Z3}).smt2.empty());
}

TEST_CASE("cvc5 says what Z3 said on every exported obligation") {
  if (!haveZ3() || !haveCvc5()) return;
  const auto folder =
      std::filesystem::temp_directory_path() / ("tessera-smt2-" + std::to_string(std::random_device{}()));
  std::filesystem::create_directories(folder);
  ProveOptions options;
  options.exportSmt2 = true;
  options.budgetSeconds = 4;
  int checked = 0, logics = 0;
  for (const char* logic : {"QF_LIA", "QF_BV", "QF_NIA"}) {
    bool seen = false;
    for (const Claim& claim : sample()) {
      for (const auto& [file, text] : prove(claim, options).smt2) {
        if (text.find(std::string("(set-logic ") + logic) == std::string::npos) continue;
        const bool sat = text.find(":status sat") != std::string::npos;
        const bool unsat = text.find(":status unsat") != std::string::npos;
        if (!sat && !unsat) continue;
        const auto path = folder / file;
        std::ofstream(path) << text;
        const std::string said = outputOf("cvc5 --tlimit=5000 '" + path.string() + "' 2>&1");
        INFO(text);
        INFO(said);
        if (said.find("timeout") != std::string::npos || said.find("unknown") != std::string::npos || said.empty())
          continue;
        CHECK(said == (sat ? "sat\n" : "unsat\n"));
        ++checked;
        seen = true;
      }
    }
    logics += seen;
  }
  std::filesystem::remove_all(folder);
  REQUIRE(checked >= 10);
  CHECK(logics == 3);
}
