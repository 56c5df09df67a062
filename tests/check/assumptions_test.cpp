// `assume` (core/graphene/assumptions.h): reading, printing, sizes that are refused, and proofs for all others.
#include "core/graphene/assumptions.h"

#include <catch2/catch.hpp>
#include <random>

#include "core/graphene/with_sizes.h"
#include "sized_programs.h"

using namespace tessera;
using namespace tessera::graphene;
using namespace sized_programs;
using verdicts::changed;
using verdicts::checked;
using verdicts::standing;

namespace {

std::string fault(const std::string& text, const Sizes& sizes = {}) {
  const auto read = readSized(text, sizes);
  return read ? "" : read.error().message;
}

// The ring over another size: what is said of K is said of `of`.
std::string over(const std::string& of, const std::string& assumption) {
  std::string out;
  for (const char c : Ring{}.text()) out += c == 'K' ? of : std::string(1, c);
  return changed(out, "#b:[R].block", assumption + "\n#b:[R].block");
}

// A vector of four is moved by each thread.
const std::string kVectors =
    "%x:[N].fp32.GL  %y:[N].fp32.GL\n"
    "#b:[N/128].block  #t:[32:1].thread\n"
    "%y <- Move<<<#b,#t>>>(%x) {\n"
    "  @b = #b.indices()  @t = #t.indices()\n"
    "  %xt = %x.tile([4:1])  %yt = %y.tile([4:1])\n"
    "  %from = %xt[32*@b + @t]  %to = %yt[32*@b + @t]  %r:[4:1].fp32.RF\n"
    "  %r <- Move(%from)\n"
    "  %to <- Move(%r)\n"
    "}\n";

}  // namespace

TEST_CASE("assumptions are printed as they are read") {
  const std::string text = changed(kVectors, "#b:", "assume N % 128 == 0 && N <= 4096\nassume 2 < N\n#b:");
  const auto read = readProgram(text);
  REQUIRE(read.ok());
  const std::string printed = print(*read);
  CHECK(printed.find("assume N%128 == 0 && N <= 4096\nassume 2 < N\n") != std::string::npos);
  const auto again = readProgram(printed);
  INFO(printed << (again ? "" : again.error().message));
  REQUIRE(again.ok());
  CHECK(print(*again) == printed);
  CHECK(assumptionsOf(*again) == "N%128 == 0, N <= 4096, 2 < N");
}

TEST_CASE("assumptions that say nothing about sizes are refused") {
  const auto with = [](const std::string& line) { return fault(changed(kVectors, "#b:", line + "\n#b:")); };
  CHECK(with("assume N % 128 = 0") != "");
  CHECK(with("assume 1 == 2") == "the program assumes 1 == 2");
  CHECK(with("assume N % 128 == 0 && N % 128 == 0").empty());
  CHECK(with("assume N == 2*M && M == N").find("no sizes meet the assumption") == 0);
  CHECK(with("assume N % 0 == 0") != "");
  CHECK(fault(changed(kVectors, "  @b = ", "  assume N % 4 == 0\n  @b = ")) ==
        "`assume` must be outside of every body");
  std::string many;
  for (int k = 0; k < 70; ++k) many += "assume N <= " + std::to_string(k + 10) + "\n";
  CHECK(with(many) == "too many assumptions");
  CHECK(fault("assume M <= 3 &&") != "");
  CHECK(fault(changed(kVectors, "%y <- Move<<<", "@b = #b.indices()\nassume @b < 3\n%y <- Move<<<")) != "");
}

TEST_CASE("sizes that are not assumed are refused") {
  const std::string text = over("L", "assume L % 3 == 0 && L <= 30");
  CHECK(fault(text, {{"L", 4}, {"R", 1}}) == "the program assumes L % 3 == 0 && L <= 30, and L is 4, R is 1");
  CHECK(fault(text, {{"L", 33}, {"R", 1}}) != "");
  CHECK(fault(text, {{"L", 6}, {"R", 1}}).empty());
  const auto read = readProgram(text);
  REQUIRE(read.ok());
  CHECK(holdAt(*read, {{"L", 9}}).ok());
  CHECK(holdAt(*read, {{"R", 9}}).ok());
  const auto refused = holdAt(*read, {{"L", 10}});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message == "the program assumes L%3 == 0, and L is 10");
}

TEST_CASE("a reduced program is the program at every size that is assumed") {
  const char* const assumptions[] = {"assume L % 3 == 0",
                                     "assume L % 4 == 0 && L % 6 == 0",
                                     "assume R == L",
                                     "assume L == 2*R + 1",
                                     "assume R == 3*L && L <= 5",
                                     "assume L % 2 == 0 && R == L/2",
                                     "assume 2*L % 6 == 0",
                                     "assume R <= L",
                                     "assume L % 2 == 1",
                                     "assume R == L && L % 2 == 0",
                                     "assume R % 2 == 0 && L % 2 == 0"};
  for (const char* assumption : assumptions) {
    const std::string text = over("L", assumption);
    const auto read = readProgram(text);
    REQUIRE(read.ok());
    const auto less = reduced(*read);
    REQUIRE(less.ok());
    int accepted = 0;
    for (i64 l = 1; l <= 12; ++l)
      for (i64 r = 1; r <= 12; ++r) {
        const Sizes sizes{{"L", l}, {"R", r}};
        INFO(assumption << " L = " << l << ", R = " << r);
        const bool holds = holdAt(*read, sizes).ok();
        CHECK(holds == fault(text, sizes).empty());
        if (!holds) continue;
        ++accepted;
        const Program a = withSizes(*read, sizes), b = withSizes(*less, sizes);
        for (std::size_t k = 0; k < a.operands.size(); ++k) CHECK(print(a.operands[k]) == print(b.operands[k]));
        CHECK(holdAt(*less, sizes).ok());
      }
    CHECK(accepted > 0);
  }
}

TEST_CASE("programs are proved for every size that is assumed") {
  for (const auto& [of, assumption] : {std::pair("(L/3)", "assume L % 3 == 0"), std::pair("L", "assume R == 2*L"),
                                       std::pair("L", "assume L % 2 == 0"), std::pair("L", "assume L <= 100")}) {
    const std::string text = over(of, assumption);
    const CheckResult r = checked(text, kHow);
    INFO(text << verdicts::told(r));
    CHECK(r.holds());
    const auto read = readProgram(text);
    REQUIRE(read.ok());
    CHECK(r.assumed == assumptionsOf(*read));
    for (const i64 l : {6, 12, 18})
      CHECK(holdsAt(text, {{"L", l}, {"R", std::string(assumption).find('R') == std::string::npos ? 1 : 2 * l}}));
  }
  // Without the assumption a remainder is left.
  CHECK_FALSE(checked(over("(L/3)", ""), kHow).holds());
}

TEST_CASE("a size with few values needs no law") {
  // Six terms at most: a fault beyond the bound does not count, one within it does.
  const std::string few = changed(over("L", "assume L <= 6"), "if (kt + 2 < L)", "if (kt + 2 < L && kt*kt < 20)");
  const CheckResult right = checked(few, kHow);
  INFO(verdicts::told(right));
  CHECK(right.holds());
  const CheckResult wrong = checked(changed(few, "L <= 6", "L <= 8"), kHow);
  INFO(verdicts::told(wrong));
  CHECK_FALSE(wrong.holds());
  REQUIRE(wrong.firstFinding() != nullptr);
  CHECK(wrong.firstFinding()->message.find("L = 8") != std::string::npos);
}

TEST_CASE("sizes that the program excludes refute nothing") {
  const std::string text = changed(over("L", "assume 3 <= L"), "  for (kt = 0;", "  for (kt = 3/(L + 1);");
  const CheckResult r = checked(text, kHow);
  INFO(verdicts::told(r));
  CHECK(r.firstFinding() == nullptr);
}

TEST_CASE("assumptions hold in proofs by Z3") {
  const CheckResult without = checked(kVectors, kHow);
  CHECK(standing(without, Obligation::Coverage) == Standing::Refuted);
  const CheckResult with = checked(changed(kVectors, "#b:", "assume N % 128 == 0\n#b:"), kHow);
  INFO(verdicts::told(with));
  CHECK(with.holds());
  // Another multiple leaves elements; the smallest counterexample is a size that is assumed.
  const CheckResult half = checked(changed(kVectors, "#b:", "assume N % 64 == 0\n#b:"), kHow);
  CHECK(standing(half, Obligation::Coverage) == Standing::Refuted);
}
