// Accesses of code, through the engine: verdicts, the corrected line, and searches bound to a name.
#include <catch2/catch.hpp>

#include "core/worksheet/value.h"
#include "tests/support/run_document.h"

using namespace tessera;

namespace {

Truth truthOf(const Outcome& o) {
  INFO(o.statement.text << (o.diag ? ": " + o.diag->message : ""));
  REQUIRE(o.verdict);
  return o.verdict->truth;
}

std::vector<std::string> lines(const Outcome& o) {
  std::vector<std::string> out;
  for (const Diag& note : o.notes)
    if (note.message.find("without conflicts") == 0) out.push_back(note.hint);
  return out;
}

const std::string kCode =
    "C = cuda {\n"
    "  __shared__ float tile[32][32];\n"
    "  tile[tid / 32][tid % 32] = A[tid];\n"
    "  __syncthreads();\n"
    "  float b = tile[tid % 32][tid / 32];\n"
    "} over (tid = 128)\n";

}  // namespace

TEST_CASE("a refuted access offers the corrected line of a formula, which is proved") {
  const std::string line = "S(t, i) = t * 32 + i over (32, 4)";
  const auto ran = runDocument(line + "\nprove conflict_free(S, f32)");
  CHECK(truthOf(ran.back()) == Truth::Refuted);
  const auto fixes = lines(ran.back());
  REQUIRE(fixes.size() == 2);
  for (const std::string& fix : fixes) {
    const auto fixed = runDocument(fix + "\nprove conflict_free(S, f32)");
    CHECK(truthOf(fixed.back()) == Truth::Proved);
    CHECK(lines(fixed.back()).empty());
  }
}

TEST_CASE("a block of code: its accesses, its conflict, its races, and its corrected lines") {
  const auto listed = runDocument(kCode + "accesses(C)");
  REQUIRE(listed.back().value);
  const std::string text = print(*listed.back().value);
  CHECK(text.find("store to tile.1 in shared memory: 128 threads in 4 warps") != std::string::npos);
  CHECK(text.find("load of tile in shared memory: ") != std::string::npos);
  CHECK(text.find("32-way") != std::string::npos);
  CHECK(text.find("line 3, load of A: the type of the elements of A is not known") != std::string::npos);
  CHECK(runDocument(kCode + "prove conflict_free(C.tile.0)").back().diag);  // the array
  CHECK(truthOf(runDocument(kCode + "prove conflict_free(C.tile.1)").back()) == Truth::Proved);
  const auto load = runDocument(kCode + "prove conflict_free(C.tile)");
  CHECK(truthOf(load.back()) == Truth::Refuted);
  const auto fixes = lines(load.back());
  REQUIRE(fixes.size() == 2);
  CHECK(fixes[0] == "float b = tile[tid % 32][(tid / 32) ^ (tid % 32)];");
  CHECK(fixes[1] == "__shared__ float tile[32][33];");
  CHECK(load.back().notes[0].message.find("the other accesses to the array have no conflict, either") !=
        std::string::npos);
  CHECK(truthOf(runDocument(kCode + "prove race_free(C)").back()) == Truth::Proved);
  std::string without = kCode;
  without.erase(without.find("  __syncthreads();\n"), 19);
  CHECK(truthOf(runDocument(without + "prove race_free(C)").back()) == Truth::Refuted);
  CHECK(truthOf(runDocument(kCode + "prove race_free(C.tile.1, C.tile)").back()) == Truth::Refuted);
}

TEST_CASE("a search is bound to a name, and an error if it finds nothing") {
  const auto found = runDocument("L = find layout where equal([0, 8, 1, 9])\nprove equal(L, (2,2):(8,1))");
  CHECK(truthOf(found.back()) == Truth::Proved);
  const auto none = runDocument("L = find layout where equal([0, 1, 2, 3, 9])\nsize(L)");
  CHECK(none[0].diag);
  CHECK(none[1].diag);
  const auto alone = runDocument("find layout where equal([0, 1, 2, 3, 9])");
  CHECK_FALSE(alone[0].diag);
  REQUIRE(alone[0].value);
  CHECK(print(*alone[0].value).find("none: ") == 0);
}

TEST_CASE("with a method that does not apply, the verdict is unknown") {
  const auto ran =
      runDocument("S(t) = t over (32)\nprove conflict_free(S, f32) by z3\nprove not conflict_free(S, f32)");
  CHECK(truthOf(ran[1]) == Truth::Unknown);
  CHECK(truthOf(ran[2]) == Truth::Refuted);
}
