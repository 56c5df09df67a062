// Every offered next step works: inserted text evaluates, and replaced text becomes valid.
#include "app/engine/help/next_steps.h"

#include <catch2/catch.hpp>
#include <set>

#include "tests/support/run_document.h"

using namespace tessera;

namespace {

std::vector<Outcome> run(const std::string& text) { return runDocument(text); }

// The document with a step of its last statement taken.
std::string taken(std::string text, const NextStep& step) {
  if (!step.corrects.empty()) {
    const std::size_t at = text.rfind(step.corrects);
    REQUIRE(at != std::string::npos);
    return text.replace(at, step.corrects.size(), step.statement);
  }
  if (!step.replace) return text + "\n" + step.statement;
  return text.replace(step.replace->begin, step.replace->end - step.replace->begin, step.statement);
}

}  // namespace

TEST_CASE("after every kind of refuted claim the steps that are offered evaluate") {
  const std::pair<const char*, const char*> kClaims[] = {
      {"A = (4,2):(1,2)", "injective(A)"},
      {"A = (4,2):(0,2)", "injective(A)"},
      {"A = (4,2):(1,8)", "surjective(A)"},
      {"A = (4,2):(1,4)", "surjective(A, 9)"},
      {"A = (4,2):(1,2)", "bijective(A)"},
      {"A = (4,2):(1,4)", "bijective(A, 16)"},
      {"A = (4,8):(8,1)\nB = (4,8):(1,4)", "equal(A, B)"},
      {"A = (4,8):(8,1)", "equal(A, Sw<1,0,3> o (4,8):(8,1))"},
      {"A = (4,2):(1,2)", "roundtrip(A)"},
      {"A = (4,2):(2,1)\nB = 8:1", "roundtrip(A, B)"},
      {"A = (4,8):(8,1)", "in_bounds(A, 16)"},
      {"A = (64,64):(64,1)", "conflict_free(A, ldmatrix.x4, fp16)"},
      {"A = Sw<1,3,3> o (64,64):(64,1)", "conflict_free(A, ldmatrix.x4, fp16)"},
      {"A = f16[64,64]", "conflict_free(A, ldmatrix.x4)"},
      {"", "conflict_free((32,32):(32,1), ld.shared.column, f32)"},
      {"A = (64,64):(1,256)", "coalesced(A, ld.global.row, f32)"},
      {"S(t, i) = t * 32 + i over (32, 4)", "conflict_free(S, f32)"},
      {"S(t, i) = t * 32 + i over (32, 4)", "race_free(S, (32,4):(16,1))"},
      {"S(r, c) = r * 64 + c / 8 over (64, 64)", "injective(S)"},
      {"S(r, c) = r * 64 + c / 8 over (64, 64)", "bijective(S)"},
      {"S(r, c) = r * 64 + c / 8 over (64, 64)", "surjective(S, 4096)"},
      {"S(r, c) = r * 64 + (c ^ r) over (64, 64)", "equal(S, (64,64):(64,1))"},
      {"S(r, c) = r * 64 + c over (64, 64)", "in_bounds(S, 100)"},
      {"S(r, c) = r * 64 + c over (64, 64)", "conflict_free(S, ldmatrix.x4, fp16)"},
      {"S(r, c) = r * 9 + c over (8, 8)", "vectorizes(S, 16, fp16)"},
      {"S(r, c) = r * 9 + c over (8, 8)", "aligned(S, 16, fp16)"},
      {"S(r, c) = r + 256 * c over (64, 64)", "coalesced(S, ld.global.row, f32)"},
      {"A = (8,8):(9,1)", "vectorizes(A, 16, fp16)"},
      {"A = (8,8):(9,1)", "aligned(A, 16, fp16)"},
      {"X = S[(8,4):(2@lane,4@lane)] over (8,4)", "injective(X)"},
      {"P = f32[10,130]{1,0:T(8,128)}", "surjective(P)"},
      {"A = (2,2):(1,2)", "not injective(A)"},
      {"A = (1048576,1048576):(1048576,0)", "injective(A)"},
  };
  std::set<ClaimKind> kinds;
  for (const auto& [setup, claim] : kClaims) {
    const std::string text = std::string(setup) + (*setup == 0 ? "" : "\n") + "prove " + claim;
    INFO(text);
    const Outcome outcome = run(text).back();
    REQUIRE_FALSE(outcome.diag);
    REQUIRE(outcome.verdict);
    REQUIRE(outcome.verdict->truth == Truth::Refuted);
    kinds.insert(outcome.claim->kind());
    const std::vector<NextStep> steps = nextSteps(outcome);
    CHECK_FALSE(steps.empty());
    for (const NextStep& step : steps) {
      INFO("step: " << step.statement);
      CHECK(step.label.find('{') == std::string::npos);
      for (const Outcome& o : run(taken(text, step))) {
        INFO(o.statement.text << (o.diag ? ": " + o.diag->message : ""));
        CHECK_FALSE(o.diag);
      }
    }
  }
  CHECK(kinds.size() == 11);  // every kind there is
}

TEST_CASE("a bank conflict offers its picture and its swizzle") {
  const auto steps = nextSteps(run("A = (64,64):(64,1)\nprove conflict_free(A, ldmatrix.x4, fp16)").back());
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].statement == "show A as banks fp16 ldmatrix.x4");
  CHECK(steps[1].statement == "find swizzle for A where conflict_free(ldmatrix.x4, fp16)");
}

TEST_CASE("a correction changes every access to the array alike, and the claim then holds") {
  const std::string transpose =
      "C = cuda {\n  __shared__ float tile[32][32];\n  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + "
      "threadIdx.x];\n  __syncthreads();\n  out[threadIdx.y * 32 + threadIdx.x] = "
      "tile[threadIdx.x][threadIdx.y];\n} over (threadIdx.x = 32, threadIdx.y = 32)";
  struct Case {
    std::string setup, claim, changed;
    int corrections, changes;
  };
  const Case kCases[] = {
      {"S(t, i) = t * 32 + i over (32, 4)", "conflict_free(S, f32)", "(i ^ t)", 2, 1},
      {transpose, "conflict_free(C.tile)", "^", 2, 2},
  };
  for (const Case& one : kCases) {
    const std::string text = one.setup + "\nprove " + one.claim;
    INFO(text);
    const Outcome outcome = run(text).back();
    INFO((outcome.diag ? outcome.diag->message + " " + outcome.diag->hint : ""));
    REQUIRE(outcome.verdict);
    REQUIRE(outcome.verdict->truth == Truth::Refuted);
    int corrections = 0;
    for (const NextStep& step : nextSteps(outcome)) {
      if (step.corrects.empty()) continue;
      ++corrections;
      CHECK(step.label.starts_with(corrections == 1 ? "Sw<5,0,5> on the offset" : "33 instead of 32"));
      const std::string corrected = taken(text, step);
      INFO(corrected);
      const Outcome again = run(corrected).back();
      REQUIRE(again.verdict);
      CHECK(again.verdict->truth == Truth::Proved);
      if (corrections > 1) continue;
      int changes = 0;
      for (std::size_t at = corrected.find(one.changed); at != std::string::npos;
           at = corrected.find(one.changed, at + 1))
        ++changes;
      CHECK(changes == one.changes);
    }
    CHECK(corrections == one.corrections);
  }
}

TEST_CASE("what was meant takes the place of what was typed, and the error is gone") {
  const std::pair<const char*, const char*> kErrors[] = {
      {"A = (8,4):(4,1)\nprove injctive(A)", "A = (8,4):(4,1)\nprove injective(A)"},
      {"Alpha = (8,4):(4,1)\nsize(Alhpa)", "Alpha = (8,4):(4,1)\nsize(Alpha)"},
      {"compositon((8,4):(4,1), 4:1)", "composition((8,4):(4,1), 4:1)"},
      {"A = (8,4):(4,1)\nshow A as gird", "A = (8,4):(4,1)\nshow A as grid"},
      {"size((8,4):(4,1,2))", "size((8,4):(4,1))"},
      {"S(r, c) = r * 64 + c over (64, 64", "S(r, c) = r * 64 + c over (64, 64)"},
      {"L = (4,8:(8,1)", "L = (4,8):(8,1)"},
  };
  for (const auto& [wrong, right] : kErrors) {
    INFO(wrong);
    const Outcome outcome = run(wrong).back();
    REQUIRE(outcome.diag);
    INFO(outcome.diag->message << " / " << outcome.diag->hint);
    const auto steps = nextSteps(outcome);
    REQUIRE_FALSE(steps.empty());
    CHECK(taken(wrong, steps[0]) == right);
    CHECK_FALSE(run(taken(wrong, steps[0])).back().diag);
  }
}

TEST_CASE("what holds offers nothing, nor does an error without a remedy") {
  CHECK(nextSteps(run("prove injective((4,8):(8,1))").back()).empty());
  CHECK(nextSteps(run("(4,8):(8,1)").back()).empty());
  CHECK(nextSteps(run("zzzzzzzzzzz").back()).empty());
  CHECK(nextSteps(run("show 3 as grid").back()).empty());
}

TEST_CASE("what a search found is bound to a name, and its claims are proved") {
  const std::pair<const char*, const char*> kSearches[] = {
      {"S = (64,64):(64,1)\n", "find swizzle for S where conflict_free(ldmatrix.x4, fp16)"},
      {"",
       "find swizzle for (64,64):(64,1) where conflict_free(ldmatrix.x4, fp16) and conflict_free(cp.async16, fp16)"},
      {"S = (32,32):(32,1)\n", "find swizzle for S where conflict_free(ld.shared.column, f32)"},
  };
  for (const auto& [setup, search] : kSearches) {
    const std::string text = std::string(setup) + search;
    INFO(text);
    const auto steps = nextSteps(run(text).back());
    REQUIRE(steps.size() == 1);
    const auto outcomes = run(taken(text, steps[0]));
    for (const Outcome& o : outcomes) CHECK(o.holds());
    CHECK(outcomes.back().verdict->truth == Truth::Proved);
  }
  // A matrix instead of a layout has none.
  CHECK(nextSteps(run("find swizzle for (64,64):(64,1) where conflict_free(ldmatrix.x4, fp16) by z3").back()).empty());
}

TEST_CASE("after a refuted program its pictures are offered, where they can be drawn") {
  const std::string head = "graphene copy {\n%a : [";
  const std::string tail =
      "].fp32.GL\n#g : [1].block  #t : [32].thread\n%b <- Move<<<#g, #t>>>(%a) {\n@i = #t.indices()\n"
      "%x = %a[@i]  %y = %b[@i]\n%y <- Move(%x)\n}\n}\nprove copy";
  const std::string wrong = head + "64].fp32.GL  %b : [64" + tail;  // the second half is never written
  const Outcome outcome = run(wrong).back();
  REQUIRE(outcome.verdict->truth == Truth::Refuted);
  const auto steps = nextSteps(outcome);
  REQUIRE(steps.size() == 2);
  for (const NextStep& step : steps) CHECK_FALSE(run(taken(wrong, step)).back().diag);
  const std::string right = head + "32].fp32.GL  %b : [32" + tail;
  CHECK(nextSteps(run(right).back()).empty());
}

TEST_CASE("what is offered for a layout evaluates, and naming it keeps its value") {
  for (const char* text :
       {"(64,64):(64,1)", "A = (64,64):(64,1)", "Sw<3,3,3> o (64,64):(64,1)", "f32[4,8]{1,0}",
        "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], "
        "order = [1, 0]}> over (8, 16)",
        "(4,8):(8,1)", "((2,4),8):((1,16),2)", "S(i, j) = i * 8 + j over (8, 8)", "S[(8,4):(4@lane,1)]"}) {
    INFO(text);
    const Outcome outcome = run(text).back();
    REQUIRE_FALSE(outcome.diag);
    const std::vector<NextStep> steps = layoutSteps(outcome);
    CHECK_FALSE(steps.empty());
    for (const NextStep& step : steps) {
      INFO("step: " << step.statement);
      for (const Outcome& after : run(taken(text, step))) CHECK_FALSE(after.diag);
    }
    if (outcome.statement.kind == StatementKind::Bind) continue;
    CHECK(steps.front().label == "name it");
    CHECK(run(taken(text, steps.front())).back().statement.name == "my_layout");
  }
  for (const char* text : {"size((4,8))", "(4,8)", "show (4,8):(8,1)", "prove injective((4,8):(8,1))", "zzz"})
    CHECK(layoutSteps(run(text).back()).empty());
}
