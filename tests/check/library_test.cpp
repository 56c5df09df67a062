// The library is proved; a pipelined product with one thing changed is not. Also: blocks that are shifts of each other,
// and nested decompositions.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/base/work_budget.h"
#include "core/graphene/reader/sized.h"
#include "programs.h"
#include "solver/graphene/check.h"
#include "solver/prove/prove.h"
#include "verdicts.h"

using namespace tessera;
using namespace tessera::graphene;
using tessera::verdicts::changed;
using tessera::verdicts::standing;

namespace {

const std::filesystem::path kLibrary = std::filesystem::path(TESSERA_SOURCE_DIR) / "assets/graphene";

std::string fileText(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

CheckResult checked(const std::string& text, CheckMethod method = CheckMethod::Any) {
  return verdicts::checked(text, {.budgetSeconds = 5000, .method = method});
}

// 32 x 32 x 16 in 2 x 2 blocks; COLUMN: the block's part of B.
std::string blocks(const std::string& column) {
  return programs::replaced(R"(
%A:[32,16].fp32.GL %B:[16,32].fp32.GL %C:[32,32].fp32.GL #g:[2,2:1,2].block #t:[16,16:16,1].thread
%C <- MatMul<<<#g,#t>>>(%A,%B) {
  (@bm,@bn) = #g.indices()
  (@m,@n) = #t.indices()
  %c = %C[16*@bm + @m, 16*@bn + @n]
  for (k = 0; k < 16; k += 1) {
    %a = %A[16*@bm + @m, k]
    %b = %B[k, 16*COLUMN + @n]
    %c <- MatMul(%a,%b)
  }
})",
                            "COLUMN", column);
}

}  // namespace

// The verdict depends on counted work alone, so that what is proved here within the default budget is on every machine.
TEST_CASE("every program of the library is proved within the default budget") {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kLibrary)) {
    if (entry.path().extension() != ".graphene") continue;
    if (!haveZ3() && entry.path().stem() == "gemm_simple") continue;  // 16.7 million instances of one block
    ++files;
    const std::string text = fileText(entry.path());
#if defined(__SANITIZE_ADDRESS__)
    if (entry.path().stem() == "attention_heads") continue;  // a minute there: a million exponentials
#endif
    const auto sized = readSized(text, smallSizes(text));
    REQUIRE(sized.ok());
    const Work begin = workSpent();
    const CheckResult r = checkProgram(*sized, {});
    const Work once = workSpent() - begin;
    INFO(entry.path().stem().string() << ", " << once << " steps: "
                                      << (r.firstFinding() != nullptr ? print(*r.firstFinding()) : "no finding"));
    CHECK(r.holds());
    if (once > workOf(0.2)) continue;
    Work again[2];  // the first run may fill caches of expressions that `sized` keeps
    for (Work& w : again) {
      const Work from = workSpent();
      CHECK(checkProgram(*sized, {}).holds());
      w = workSpent() - from;
    }
    CHECK(again[1] == again[0]);
    CHECK(again[0] <= once);
  }
  CHECK(files > 0);
}

TEST_CASE("the pipelined product with one thing changed is refuted") {
  // Four blocks and a k of 256: the whole one is proved above.
  std::string text = changed(fileText(kLibrary / "gemm_pipelined.graphene"), "[8,8:8,1].block", "[2,2:2,1].block");
  text = changed(changed(changed(text, "1024", "256"), "kt < 32", "kt < 8"), "kt + 2 < 32", "kt + 2 < 8");
  // One group too many may be on its way: what is read has not arrived.
  const CheckResult late = checked(changed(text, "wait 1", "wait 2"));
  CHECK(standing(late, Obligation::Races) == Standing::Refuted);
  CHECK(standing(late, Obligation::Definedness) == Standing::Refuted);
  // The last tile is never fetched: the one that stood in its stage counts twice.
  const CheckResult twice = checked(changed(text, "kt + 2 < 8", "kt + 2 < 7"));
  CHECK(standing(twice, Obligation::Coverage) == Standing::Refuted);
  CHECK(standing(twice, Obligation::Uniqueness) == Standing::Refuted);
  CHECK(standing(twice, Obligation::Races) == Standing::Proved);
  // Accumulators of the wrong columns: a definition of the program hides the library's.
  const std::string parts = fileText(kLibrary / "library/gemm.graphene");
  CHECK(checked(parts + text).holds());
  const CheckResult mixed = checked(changed(parts, "%acc[m, 2*p + h]", "%acc[m, 2*h + p]") + text);
  CHECK(standing(mixed, Obligation::Value) == Standing::Refuted);
}

TEST_CASE("blocks that are shifts of block 0, and one that is shifted the wrong way") {
  for (const CheckMethod method : {CheckMethod::Running, CheckMethod::Z3}) {
    if (method == CheckMethod::Z3 && !haveZ3()) continue;
    CHECK(checked(blocks("@bn"), method).holds());
    const CheckResult wrong = checked(blocks("@bm"), method);
    CHECK(standing(wrong, Obligation::Value) == Standing::Refuted);
    CHECK(standing(wrong, Obligation::Races) == Standing::Proved);
    REQUIRE(wrong.firstFinding() != nullptr);
    CHECK(wrong.firstFinding()->instances.at(0).block != 0);
  }
  // The reason says that one block was run; a condition on the block makes it all four.
  const auto reason = [](const CheckResult& r) {
    return r.specs[0].obligations[3].reason + r.specs[0].obligations[5].reason;
  };
  CHECK(reason(checked(blocks("@bn"), CheckMethod::Running)).find("shifts") != std::string::npos);
  const std::string guarded =
      changed(blocks("@bn"), "    %c <- MatMul(%a,%b)", "    if (16*@bm + @m < 32) { %c <- MatMul(%a,%b) }");
  CHECK(checked(guarded, CheckMethod::Running).holds());
  CHECK(reason(checked(guarded, CheckMethod::Running)).find("all 4 blocks") != std::string::npos);
}

// Only k % 3 says which place is read, so 12 activations are 3; a condition on k alone makes them 12 again.
TEST_CASE("an inner specification is run once for equal values of what it reads of a loop") {
  const std::string text = R"(%x:[3].fp32.GL  %y:[12].fp32.GL
#b:[1].block  #t:[1:1].thread
%y <- Spec<f><<<#b,#t>>>(%x) means { %y[i] = %x[i%3] } {
  for (k = 0; k < 12; k += 1) {
    %u = %x[k%3]  %v:[].fp32.RF  %w = %y[k]
    %v <- Spec<same><<<#b,#t>>>(%u) means { %v = %u } { %v <- Move(%u) }
    %w <- Move(%v)
  }
}
)";
  const auto reason = [](const CheckResult& r) { return r.specs.at(1).obligations.at(3).reason; };
  const CheckResult right = checked(text, CheckMethod::Running);
  INFO(verdicts::told(right));
  CHECK(right.holds());
  CHECK(reason(right) == "3 activations were run, the other 9 are the same");
  for (int k = 0; k < 12; ++k)
    for (const bool period : {false, true}) {
      const std::string when = period ? "k%3 == " + std::to_string(k % 3) : "k == " + std::to_string(k);
      const CheckResult r =
          checked(changed(text, "{ %v <- Move(%u) }",
                          "{ if (" + when + ") { %v <- UnaryPointwise<exp>(%u) } else { %v <- Move(%u) } }"),
                  CheckMethod::Running);
      INFO(when << " " << reason(r));
      CHECK(standing(r, Obligation::Value, 1) == Standing::Refuted);
      CHECK(reason(r).starts_with(period ? "3 activations" : "12 activations"));
    }
}

TEST_CASE("a decomposition inside of another is held to its own function") {
  const std::string text = R"(
%in:[64].fp32.GL %out:[64].fp32.GL #b:[1].block #t:[32].thread
%out <- Move<<<#b,#t>>>(%in) {
  @t = #t.indices()
  %s:[64].fp32.SH
  %s <- Move<<<#b,#t>>>(%in) {
    for (i = 0; i < 2; i += 1) {
      %f = %in[32*i + @t]
      %w = %s[WHERE]
      %w <- Move(%f)
    }
  }
  sync
  for (i = 0; i < 2; i += 1) {
    %g = %s[READ]
    %o = %out[32*i + @t]
    %o <- Move(%g)
  }
})";
  const auto with = [&](const std::string& where, const std::string& read) {
    return checked(programs::replaced(programs::replaced(text, "WHERE", where), "READ", read));
  };
  CHECK(with("32*i + @t", "32*i + @t").holds());
  // Two wrongs: the kernel is right, the move inside is not.
  const CheckResult turned = with("2*@t + i", "2*@t + i");
  REQUIRE(turned.specs.size() > 2);
  CHECK(standing(turned, Obligation::Value, 0) == Standing::Proved);
  CHECK(standing(turned, Obligation::Value, 1) == Standing::Refuted);
  CHECK(standing(turned, Obligation::Coverage, 1) == Standing::Proved);
  // Half of it is never written.
  const CheckResult half = with("@t", "@t");
  CHECK(standing(half, Obligation::Coverage, 1) == Standing::Refuted);
  CHECK(standing(half, Obligation::Uniqueness, 1) == Standing::Refuted);
}

TEST_CASE("a program with calls, and the same written out, have the same verdicts") {
  for (const char* name : {"gemm_warps_64", "attention", "online_softmax", "layernorm", "warp_tile_moves"}) {
    INFO(name);
    const auto called = readProgram(fileText(kLibrary / (std::string(name) + ".graphene")));
    REQUIRE(called.ok());
    const std::string out = print(*called);
    CHECK(out.find("def ") == std::string::npos);
    const CheckResult a = checkProgram(*called, {.budgetSeconds = 5000}), b = checked(out);
    REQUIRE(a.specs.size() == b.specs.size());
    for (std::size_t k = 0; k < a.specs.size(); ++k) {
      CHECK(a.specs[k].atom == b.specs[k].atom);
      REQUIRE(a.specs[k].obligations.size() == b.specs[k].obligations.size());
      for (std::size_t o = 0; o < a.specs[k].obligations.size(); ++o)
        CHECK(a.specs[k].obligations[o].standing == b.specs[k].obligations[o].standing);
    }
  }
}

TEST_CASE("a wrong specification of a program's own is refuted at every call, with the line that is wrong") {
  // W8 as a definition: the last offset is 2 again.
  const std::string text = R"(
%in:[32:1].fp32.GL  %out:[].fp32.GL
#b:[1].block  #w:[32:1].thread
def sum: %x <- Spec<sum><<<#b,#w>>>(%x) {
  %o:[].fp32.RF
  %o <- Shfl<bfly 16><<<#b,#w>>>(%x)  %x <- BinaryPointwise<+>(%x,%o)
  %o <- Shfl<bfly 8><<<#b,#w>>>(%x)   %x <- BinaryPointwise<+>(%x,%o)
  %o <- Shfl<bfly 4><<<#b,#w>>>(%x)   %x <- BinaryPointwise<+>(%x,%o)
  %o <- Shfl<bfly 2><<<#b,#w>>>(%x)   %x <- BinaryPointwise<+>(%x,%o)
  %o <- Shfl<bfly 2><<<#b,#w>>>(%x)   %x <- BinaryPointwise<+>(%x,%o)
}
%out <- Reduction<+, 0><<<#b,#w>>>(%in) {
  @l = #w.indices()
  %v:[].fp32.RF
  %e = %in[@l]
  %v <- Move(%e)
  %v <- sum<<<#b,#w>>>(%v)
  if (@l == 0) { %out <- Move(%v) }
})";
  CHECK(standing(checked(text), Obligation::Value) == Standing::Refuted);
  CHECK(checked(programs::replaced(text, "bfly 2><<<#b,#w>>>(%x)   %x <- BinaryPointwise<+>(%x,%o)\n}",
                                   "bfly 1><<<#b,#w>>>(%x)   %x <- BinaryPointwise<+>(%x,%o)\n}"))
            .holds());
  // A leaf that is no instruction is reported in the definition.
  const std::string bad = changed(text, "%o:[].fp32.RF", "%o:[2].fp32.RF");
  const CheckResult r = checked(bad);
  CHECK(standing(r, Obligation::Static) == Standing::Refuted);
  REQUIRE(r.firstFinding() != nullptr);
  CHECK(bad.substr(r.firstFinding()->span.begin, 17) == "%o <- Shfl<bfly 1");
}
