// The library is proved; a pipelined product with one thing changed is not. Blocks that are shifts, and decompositions in others.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "programs.h"
#include "solver/graphene/check.h"
#include "solver/prove/prove.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

const std::filesystem::path kLibrary = std::filesystem::path(TESSERA_SOURCE_DIR) / "assets/graphene";

std::string fileText(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

CheckResult checked(const std::string& text, CheckMethod method = CheckMethod::Any) {
  const auto read = readProgram(text);
  INFO((read ? "" : read.error().message + " at " + std::to_string(read.error().span.begin)));
  REQUIRE(read.ok());
  return checkProgram(*read, {.budgetSeconds = 200, .method = method});
}

Standing standing(const CheckResult& r, Obligation o, std::size_t spec = 0) {
  for (const ObligationVerdict& v : r.specs.at(spec).obligations)
    if (v.obligation == o) return v.standing;
  return Standing::Unknown;
}

std::string changed(const std::string& text, const std::string& from, const std::string& to) {
  REQUIRE(text.find(from) != std::string::npos);
  return programs::replaced(text, from, to);
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

TEST_CASE("every program of the library is proved") {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kLibrary)) {
    if (entry.path().extension() != ".graphene") continue;
    if (!haveZ3() && entry.path().stem() == "gemm_simple") continue;  // 16.7 million instances of one block
    ++files;
    const CheckResult r = checked(fileText(entry.path()));
    INFO(entry.path().stem().string() << ": "
                                      << (r.firstFinding() != nullptr ? print(*r.firstFinding()) : "no finding"));
    CHECK(r.holds());
  }
  CHECK(files > 0);
}

TEST_CASE("the pipelined product with one thing changed is refuted") {
  const std::string text = fileText(kLibrary / "gemm_pipelined.graphene");
  // One group too many may be on its way: what is read has not arrived.
  const CheckResult late = checked(changed(text, "wait 1", "wait 2"));
  CHECK(standing(late, Obligation::Races) == Standing::Refuted);
  CHECK(standing(late, Obligation::Definedness) == Standing::Refuted);
  // The last tile is never fetched: the one that stood in its stage counts twice.
  const CheckResult twice = checked(changed(text, "kt + 2 < 32", "kt + 2 < 31"));
  CHECK(standing(twice, Obligation::Coverage) == Standing::Refuted);
  CHECK(standing(twice, Obligation::Uniqueness) == Standing::Refuted);
  CHECK(standing(twice, Obligation::Races) == Standing::Proved);
  // Accumulators of the wrong columns.
  const CheckResult mixed = checked(changed(text, "%acc[m, 2*p + h]", "%acc[m, 2*h + p]"));
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
