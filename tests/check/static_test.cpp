// O1: programs that no device can run are refuted before anything runs, and the message names a correct alternative.
#include <catch2/catch.hpp>
#include <string>

#include "core/codegen/kernel/kernel.h"
#include "verdicts.h"

using namespace tessera;
using namespace tessera::graphene;
using verdicts::checked;
using verdicts::standing;

namespace {

std::string constantOf(const std::string& number, const std::string& type) {
  return "%z:[64]." + type + ".GL\n#b:[1].block  #t:[64].thread\n%z <- Init<" + number +
         "><<<#b,#t>>>() {\n  @t = #t.indices()  %o = %z[@t]\n  %o <- Init<" + number + ">()\n}\n";
}

CheckResult ofConstant(const std::string& number, const std::string& type) {
  return checked(constantOf(number, type), {.budgetSeconds = 60});
}

std::string expected(const CheckResult& r) {
  for (const ObligationVerdict& v : r.specs.at(0).obligations)
    if (v.obligation == Obligation::Static && v.finding) return v.finding->expected;
  return "";
}

std::string copyBy(int threads) {
  const std::string n = std::to_string(threads);
  return "%x:[4096].fp32.GL  %y:[4096].fp32.GL\n#b:[1].block  #t:[" + n +
         "].thread\n%y <- Move<<<#b,#t>>>(%x) {\n  @t = #t.indices()\n  for (k = 0; k < 4096/" + n +
         "; k += 1) {\n"
         "    %e = %x[" +
         n + "*k + @t]  %o = %y[" + n + "*k + @t]\n    %o <- Move(%e)\n  }\n}\n";
}

}  // namespace

TEST_CASE("a number that the type does not have is no Init") {
  struct Row {
    std::string number, type;
  };
  for (const Row& r : {Row{"300", "i8"},
                       {"-129", "i8"},
                       {"-1", "u8"},
                       {"0.5", "i32"},
                       {"3e9", "i32"},
                       {"inf", "i32"},
                       {"1e6", "fp16"},
                       {"1e39", "bf16"},
                       {"1e40", "fp32"},
                       {"500", "e4m3"},
                       {"inf", "e4m3"},
                       {"6e4", "e5m2"},
                       {"nan", "fp32"},
                       {"infinity", "fp32"},
                       {"1e400", "fp64"},
                       {"0x10", "fp32"}}) {
    INFO(r.number << " " << r.type);
    const CheckResult is = ofConstant(r.number, r.type);
    CHECK(standing(is, Obligation::Static) == Standing::Refuted);
    CHECK_FALSE(expected(is).empty());
  }
  CHECK(expected(ofConstant("300", "i8")) == "a whole number from -128 to 127");
  CHECK(expected(ofConstant("1e6", "fp16")) == "a number from -65504 to 65504, inf or -inf");
  for (const Row& r : {Row{"127", "i8"},
                       {"255", "u8"},
                       {"1.0f", "fp32"},
                       {"7f", "i32"},
                       {"-inf", "fp16"},
                       {"448", "e4m3"},
                       {"65504", "fp16"},
                       {"1e-30", "fp16"},
                       {".5f", "fp32"}}) {
    INFO(r.number << " " << r.type);
    CHECK(verdicts::told(ofConstant(r.number, r.type)).empty());
  }
}

TEST_CASE("an unknown element type is refused where it is read") {
  const auto read = readProgram("%x:[8:1].fp33.GL");
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().message.find("fp33") != std::string::npos);
}

TEST_CASE("a block has at most 1024 threads") {
  CHECK(verdicts::told(checked(copyBy(1024), {.budgetSeconds = 60})).empty());
  const CheckResult r = checked(copyBy(2048), {.budgetSeconds = 60});
  CHECK(standing(r, Obligation::Static) == Standing::Refuted);
  CHECK(verdicts::why(r, Obligation::Static) == "2048 threads are too many for a block");
  CHECK(expected(r) == "at most 1024");
}

// As check does, the emitter: both refuse what a block of the architecture has no room for.
TEST_CASE("shared memory and threads fit the architecture, for check as for codegen") {
  struct Row {
    i64 places;  // fp32, in each of two arrays
    int threads;
    std::string architecture;
    bool fits;
  };
  for (const Row& r : {Row{6144, 128, "sm_80", true},     // 48 KiB
                       Row{6145, 128, "sm_80", true},     // a little more: dynamic
                       Row{20864, 128, "sm_80", true},    // 163 KiB
                       Row{20865, 128, "sm_80", false},   //
                       Row{20865, 128, "sm_90a", true},   //
                       Row{29057, 128, "sm_90a", false},  // 227 KiB
                       Row{8192, 128, "sm_75", true},     // 64 KiB
                       Row{8193, 128, "sm_75", false},    //
                       Row{51200, 128, "sm_86", false},   // 400 KB
                       Row{64, 1024, "sm_80", true},      //
                       Row{64, 1056, "sm_80", false}}) {
    const std::string n = std::to_string(r.threads), s = std::to_string(r.places);
    const std::string text = "%x:[" + n + "].fp32.GL %y:[" + n + "].fp32.GL #b:[1].block #t:[" + n +
                             "].thread\n%y <- Move<<<#b,#t>>>(%x) { @t = #t.indices()\n%s:[" + s + "].fp32.SH %r:[" +
                             s + "].fp32.SH %p = %s[@t%64] %q = %r[@t%64] %v:[].fp32.RF %e = %x[@t] %o = %y[@t]\n" +
                             "if (@t < 64) { %p <- Move(%e) %q <- Move(%p) } %v <- Move(%e) %o <- Move(%v) }";
    INFO(text << r.architecture);
    const auto program = readProgram(text);
    REQUIRE(program.ok());
    const CheckResult result = checked(text, {.architecture = r.architecture, .budgetSeconds = 60});
    CHECK((standing(result, Obligation::Static) == Standing::Proved) == r.fits);
    if (!r.fits) CHECK(standing(result, Obligation::Static) == Standing::Refuted);
    CHECK(codegen::emitCuda(*program, {r.architecture}).ok() == r.fits);
  }
}
