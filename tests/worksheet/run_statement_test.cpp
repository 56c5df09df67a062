// run NAME ...: the requests, the refusals and their places, and the text under which a result is stored.
#include "core/worksheet/programs/run_statement.h"

#include <catch2/catch.hpp>

#include "core/graphene/program.h"
#include "tests/worksheet/run.h"

using namespace tessera;

namespace {

const std::string kBlock =
    "graphene copy {\n  param n = 2 in 1, 2, 4\n  %a:[M].fp32.GL  %b:[M].fp32.GL\n  #g:[1].block  #t:[n].thread\n"
    "  %b <- Move<<<#g,#t>>>(%a) {\n  }\n}\nA = (4,8):(8,1)\n";

RunRequest requestOf(const std::string& statement) {
  const auto ran = runAll(kBlock + statement);
  INFO(statement << (ran.back().evaluated.diag ? ": " + ran.back().evaluated.diag->message : ""));
  const auto* request = std::get_if<RunRequest>(&ran.back().evaluated.request);
  REQUIRE(request != nullptr);
  return *request;
}

}  // namespace

TEST_CASE("every clause of a run says what it says, in any order") {
  const RunRequest plain = requestOf("run copy");
  CHECK(plain.listing.name == "copy");
  CHECK(plain.sizes.empty());
  CHECK_FALSE(plain.library);
  CHECK_FALSE(plain.variants);
  const RunRequest all = requestOf(
      "run copy compare cublas, variants and variant(n=1) seed 7 with M=8, n = 4 spec %b on sm_90 by emulator as "
      "table");
  CHECK(all.sizes == std::map<std::string, i64>{{"M", 8}});
  CHECK(all.settings == std::map<std::string, std::string>{{"n", "4"}});
  CHECK(all.listing.text.find("param n = 4 in") != std::string::npos);
  CHECK(all.library);
  CHECK(all.variants);
  CHECK(all.chosen == std::vector<std::string>{"n=1"});
  CHECK(all.seed == 7);
  CHECK(all.spec == "b");
  CHECK(all.architecture == "sm_90");
  CHECK(all.emulate);
  CHECK(all.view == "table");
}

TEST_CASE("what a run cannot mean is refused, with its place") {
  struct Row {
    const char *text, *message, *piece;
  };
  const Row rows[] = {
      {"run", "run what?", "run"},
      {"run A", "only programs can be run; A is a layout", "A"},
      {"run copi", "", "copi"},
      {"run copy quickly", "'quickly' is not a clause of run", "quickly"},
      {"run copy wiht M=8", "'wiht' is not a clause of run", "wiht"},
      {"run copy with M=8 with n=4", "'with' is given twice", "with"},
      {"run copy with M=8, M=9", "'M' is given twice", "M=9"},
      {"run copy with M=wide", "the size M must be a number", "M=wide"},
      {"run copy with n=3", "", "n=3"},
      {"run copy with q=3", "", "q=3"},
      {"run copy on volta", "'volta' is not an architecture", "volta"},
      {"run copy by z3", "a program runs on the GPU (the default) or by emulator, not by 'z3'", "z3"},
      {"run copy compare clblast", "a run can be compared with cublas, variants and unfused, not with 'clblast'",
       "clblast"},
      {"run copy as pie", "a run is shown as bars or as table, not as 'pie'", "pie"},
  };
  for (const Row& row : rows) {
    INFO(row.text);
    const std::string sheet = kBlock + row.text;
    const auto ran = runAll(sheet);
    REQUIRE(ran.back().evaluated.diag);
    const Diag& d = *ran.back().evaluated.diag;
    INFO(d.message);
    if (*row.message != '\0') CHECK(d.message == row.message);
    CHECK(sheet.substr(d.span.begin, d.span.end - d.span.begin) == row.piece);
  }
  CHECK(runAll(kBlock + "run copy wiht M=8").back().evaluated.diag->hint == "did you mean with?");
}

TEST_CASE("a result is kept under what the statement says, not how it is written") {
  CHECK(runKey("run  gemm with M = 8 , N=4 as table // slow") == "run gemm with M=8,N=4");
  CHECK(runKey("run gemm with M=8, N=4") == "run gemm with M=8,N=4");
  CHECK(runKey("run gemm as bars compare cublas") == "run gemm compare cublas");
  CHECK(runKey("run gemm") != runKey("run gemm seed 2"));
  CHECK(requestOf("run copy with M = 8 as table").key == "run copy with M=8");
}
