// The effects of types on numbers (conversions, wrapping, overflow and stagnation), and which of them a verdict of O8
// reports.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>

#include "core/base/work_budget.h"
#include "core/graphene/reader/sized.h"
#include "solver/emulate/numbers.h"
#include "solver/graphene/check.h"
#include "tests/support/measured.h"
#include "tests/support/volume.h"
#include "verdicts.h"

using namespace tessera;
using namespace tessera::graphene;
using tessera::verdicts::changed;
using tessera::verdicts::standing;

namespace {

NumberFormat typeOf(const char* name) { return *numberFormat(name); }

// %y <- Move(%x) through a register of another type.
std::string through(const std::string& from, const std::string& middle, const std::string& to) {
  return "%x:[32:1]." + from + ".GL  %y:[32:1]." + to + ".GL\n#b:[1].block  #t:[32:1].thread\n" +
         "%y <- Move<<<#b,#t>>>(%x) {\n  @t = #t.indices()\n  %v:[]." + from + ".RF  %n:[]." + middle + ".RF  %w:[]." +
         to +
         ".RF  %e = %x[@t]  %o = %y[@t]\n  %v <- Move(%e)\n  %n <- Move(%v)\n  %w <- Move(%n)\n  %o <- Move(%w)\n}\n";
}

std::string reasonOf(const CheckResult& r) {
  for (const ObligationVerdict& v : r.specs.at(0).obligations)
    if (v.obligation == Obligation::Value) return v.reason;
  return "";
}
bool says(const CheckResult& r, const char* words) { return reasonOf(r).find(words) != std::string::npos; }

CheckResult checked(const std::string& text) { return verdicts::checked(text, {.budgetSeconds = 1000}); }

std::string fileText(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

}  // namespace

TEST_CASE("integer arithmetic wraps, and a conversion from a floating type stops at the ends") {
  const NumberFormat s32 = typeOf("s32"), s8 = typeOf("s8"), u8 = typeOf("u8"), u32 = typeOf("u32");
  CHECK(wrapped(2147483648.0, s32) == -2147483648.0);
  CHECK(wrapped(-2147483649.0, s32) == 2147483647.0);
  CHECK(wrapped(300, u8) == 44);
  CHECK(wrapped(-1, u32) == 4294967295.0);
  CHECK(wrapped(0x1p40 + 5, s32) == 5);
  CHECK(rounded(1e10, s32) == 2147483647.0);
  CHECK(rounded(-1e10, s32) == -2147483648.0);
  CHECK(rounded(-2.75, s8) == -2);
  CHECK(rounded(std::nan(""), s32) == 0);
  CHECK(Numbers::convert(200, 0, s32, s8) == -56);             // wraps
  CHECK(Numbers::convert(200, 0, typeOf("fp32"), s8) == 127);  // stops
  // Beside C++'s arithmetic modulo 2^32.
  std::mt19937 random(7);
  for (i64 k = 0; k < test::volume(2000, 1'000'000); ++k) {
    const auto a = static_cast<std::uint32_t>(random()), b = static_cast<std::uint32_t>(random());
    const auto s = [](std::uint32_t x) { return static_cast<double>(static_cast<std::int32_t>(x)); };
    const auto is = [&](const char* name) {
      const int operation = Numbers::operation(name);
      return wrapped(Numbers::integerBinary(operation, s(a), s(b), s32), s32);
    };
    REQUIRE(is("*") == s(a * b));
    REQUIRE(is("+") == s(a + b));
    REQUIRE(is("-") == s(a - b));
    REQUIRE(wrapped(s(a), s8) == static_cast<double>(static_cast<std::int8_t>(a)));
    const AtomTerm term{0, 0};
    const double x = s(a), y = s(b);
    REQUIRE(wrapped(Numbers::integerMultiplyAdd(y, {&term, 1}, &x, &y, s32), s32) == s(b + a * b));
  }
}

TEST_CASE("a conversion that loses something is not the identity") {
  struct Row {
    const char *from, *middle, *to;
    bool proved;
  };
  const Row rows[] = {
      {"fp32", "s32", "fp32", false}, {"fp32", "s8", "fp32", false}, {"fp32", "s8", "s8", false},
      {"s32", "fp16", "fp16", false}, {"s32", "s8", "s32", false},   {"s32", "u32", "u32", false},
      {"s32", "fp32", "s32", false},  {"s16", "fp16", "s16", false}, {"s8", "s32", "s8", true},
      {"s8", "fp16", "s8", true},     {"u8", "fp32", "s32", true},   {"s16", "fp32", "s16", true},
      {"fp32", "fp16", "fp32", true}, {"s32", "fp32", "fp32", true},
  };
  for (const Row& row : rows) {
    INFO(row.from << " -> " << row.middle << " -> " << row.to);
    const CheckResult r = checked(through(row.from, row.middle, row.to));
    INFO(reasonOf(r));
    CHECK((standing(r, Obligation::Value) == Standing::Proved) == row.proved);
  }
}

TEST_CASE("a verdict of O8 names its arithmetic") {
  CHECK(says(checked(through("fp32", "fp32", "fp32")), "exact on random inputs in these types"));
  const std::string sum = R"(
%x:[4096,32:32,1].fp16.GL  %y:[32:1].fp16.GL
#b:[1].block  #t:[32:1].thread
%y <- Reduction<+,0><<<#b,#t>>>(%x) {
  @t = #t.indices()
  %s:[].fp16.RF  %o = %y[@t]
  %s <- Init<0>()
  for (k = 0; k < 4096; k += 1) { %e = %x[k,@t]  %s <- BinaryPointwise<+>(%s,%e) }
  %o <- Move(%s)
})";
  const CheckResult stops = checked(sum);
  CHECK(standing(stops, Obligation::Value) == Standing::Proved);
  CHECK(says(stops, "not for all inputs in these types: with all inputs 1, %y[0] is 2048 instead of 4096"));
  CHECK(says(checked(changed(
                 changed(changed(sum, "%s:[].fp16", "%s:[].fp32"), "%x:[4096,32:32,1].fp16", "%x:[4096,32:32,1].fp32"),
                 "%y:[32:1].fp16", "%y:[32:1].fp32")),
             "a relative error of"));

  const std::string quotient = R"(
%x:[32:1].fp32.GL  %y:[32:1].fp32.GL
#b:[1].block  #t:[32:1].thread
%y <- Spec<one><<<#b,#t>>>(%x) means { %y[i] = MEANS } {
  @t = #t.indices()
  %v:[].fp32.RF  %e = %x[@t]  %o = %y[@t]
  %v <- Move(%e)
  %v <- BinaryPointwise</>(%v,%v)
  %o <- Move(%v)
})";
  CHECK(standing(checked(changed(quotient, "MEANS", "1 + 0*%x[i]")), Obligation::Value) == Standing::Refuted);
  CHECK(standing(checked(changed(quotient, "MEANS", "%x[i] / %x[i]")), Obligation::Value) == Standing::Proved);
}

namespace {

// One type of the text replaced by another; "" where it has none of the first.
std::string retyped(const std::string& text, std::mt19937& random) {
  const std::pair<const char*, const char*> rows[] = {
      {".fp32.RF", ".fp16.RF"}, {".fp32.RF", ".bf16.RF"}, {".fp32.SH", ".fp16.SH"}, {".s32.RF", ".s8.RF"},
      {".fp32.RF", ".s32.RF"},  {".fp16.RF", ".s8.RF"},   {".s32.RF", ".fp16.RF"},  {".fp16.SH", ".fp32.SH"},
      {".fp32.GL", ".fp16.GL"}, {".fp32.GL", ".s32.GL"}};
  const auto& [from, to] = rows[random() % std::size(rows)];
  std::vector<std::size_t> places;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1)) places.push_back(at);
  if (places.empty()) return "";
  std::string out = text;
  if (random() % 2 == 0) return out.replace(places[random() % places.size()], std::string(from).size(), to);
  for (std::size_t k = places.size(); k-- > 0;) out.replace(places[k], std::string(from).size(), to);
  return out;
}

}  // namespace

TEST_CASE("what check proves measure calls right in all types") {
  const std::filesystem::path root = std::filesystem::path(TESSERA_SOURCE_DIR);
  std::vector<std::string> programs;
  for (const char* name :
       {"01_transpose_swz", "03_dot", "05_softmax_block", "09_batched_gemm", "13_stages_sum", "15_gemm_s8",
        "adv/a04_cvt_int", "adv/a17_fp16_overflow", "adv/a34_s32_overflow", "adv/a40_masked_first"})
    programs.push_back(fileText(root / "tests/cases/graphene_programs" / (std::string(name) + ".graphene")));
  for (const char* name : {"layernorm", "warp_sum", "row_reduction", "online_softmax", "gemm_warps_64"})
    programs.push_back(fileText(root / "assets/graphene" / (std::string(name) + ".graphene")));
  std::mt19937 random(11);
  i64 proved = 0, variants = 0;
  const auto holdsTo = [&](const std::string& text) {
    const auto program = readSized(text, smallSizes(text));
    if (!program) return;
    const CheckResult r = checkProgram(*program, {.architecture = architectureOf(text), .budgetSeconds = 1000});
    ++variants;
    if (!r.holds()) return;
    ++proved;
    INFO(text);
    CHECK(test::measured(*program, 1, architectureOf(text)).size() <= 1);
    if (reasonOf(r).find("not for all inputs") == std::string::npos)
      CHECK(test::measured(*program, 77, architectureOf(text)).size() <= 1);
  };
  for (const std::string& text : programs) holdsTo(text);
  for (i64 k = 0; k < test::volume(30, 3000); ++k) {
    const std::string text = retyped(programs[random() % programs.size()], random);
    if (!text.empty()) holdsTo(text);
  }
  CHECK(proved >= 10);
  CHECK(variants > proved);
}

TEST_CASE("no mutant takes more work to refute than its original to prove") {
  // Counted steps, which depend on no clock.
  const auto work = [](const std::string& name) {
    const std::string text =
        fileText(std::filesystem::path(TESSERA_SOURCE_DIR) / "tests/cases/graphene_programs" / name);
    const auto program = readSized(text, smallSizes(text));
    REQUIRE(program.ok());
    const WorkBudget limit({});
    (void)checkProgram(*program, {.architecture = architectureOf(text), .budgetSeconds = 1000});
    return limit.used();
  };
  const std::pair<const char*, std::vector<const char*>> rows[] = {
      {"01_transpose_swz", {"t_loop9", "t_outstride", "t_syncwarp"}},
      {"03_dot", {"d_7", "d_noinit"}},
      {"05_softmax_block", {"sm_div", "sm_nomax", "sm_nosync", "sm_total"}},
      {"07_conv1d", {"c_edge3", "c_hi0", "c_nohalo"}},
      {"09_batched_gemm", {"b_nosyncwarp", "b_warp"}},
      {"11_mlp2", {"m_W", "m_rows"}},
      {"13_stages_sum", {"st_15", "st_commit", "st_nosync", "st_wait3"}},
      {"15_gemm_s8", {"i8_b", "i8_swap"}},
  };
  for (const auto& [original, mutants] : rows) {
    const auto proof = work(std::string(original) + ".graphene");
    for (const char* mutant : mutants) {
      INFO(mutant << " of " << original);
      CHECK(work(std::string("mut/") + mutant + ".graphene") <= proof);
    }
  }
}
