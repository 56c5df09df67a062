// Every edit that makeTrue offers makes its claim hold, and every refusal has a reason.
#include "app/engine/help/make_true.h"

#include <catch2/catch.hpp>

#include "tests/support/run_document.h"

using namespace tessera;

namespace {

std::vector<Outcome> withEdits(const std::string& text) {
  EngineOptions options;
  options.corrections = true;
  return runDocument(text, options);
}

struct Offer {
  const char *setup, *claim;
  const char* first;  // of the edits; "": none
};

// The text after an edit: of the last statement that is exactly `before`.
std::string edited(const std::string& text, const Correction& edit) {
  std::string out = text;
  const auto statements = splitStatements(text);
  for (std::size_t k = statements.size(); k-- > 0;) {
    if (statements[k].text != edit.before) continue;
    return out.replace(statements[k].span.begin, edit.before.size(), edit.after);
  }
  FAIL("no statement is " << edit.before);
  return out;
}

}  // namespace

TEST_CASE("each edit of a refuted claim makes it hold") {
  const Offer kOffers[] = {
      {"S = (64,64):(64,1)", "conflict_free(S, ldmatrix.x4, fp16)", "S = Sw<3,3,3> o 0 o (64,64):(64,1)"},
      {"S = Sw<1,3,3> o (64,64):(64,1)", "conflict_free(S, ldmatrix.x4, fp16)", "S = Sw<3,3,3> o 0 o (64,64):(64,1)"},
      {"", "conflict_free((32,32):(32,1), ld.shared.column, f32)", nullptr},
      {"A = (4,2):(1,2)", "injective(A)", "A = (4,2):(1,4)"},
      {"A = (4,2):(0,2)", "injective(A)", "A = (4,2):(1,4)"},
      {"A = (4,2):(1,8)", "surjective(A)", "A = (4,2):(1,4)"},
      {"A = ((2,2),4):((8,1),1)", "bijective(A)", nullptr},
      {"A = (4,2):(3,12)", "bijective(A, 8)", "A = (4,2):(1,4)"},
      {"A = (4,8):(9,1)", "in_bounds(A, 32)", "A = (4,8):(8,1)"},
      {"A = (4,8):(8,1)\nB = (4,8):(1,4)", "equal(A, B)", nullptr},
      {"A = (8,64):(64,1)\nB = Sw<3,3,3> o 0 o (8,64):(64,1)", "equal(A, B)", "A = Sw<3,3,3> o 0 o (8,64):(64,1)"},
      {"B = A\nA = 4:2", "equal(4:2, 4:1)", "prove equal(4:1, 4:1)"},
      {"A = (4,2):(2,1)\nB = 8:1", "roundtrip(A, B)", nullptr},
      {"A = (64,64):(1,256)", "coalesced(A, ld.global.row, f32)", nullptr},
      {"A = (8,8):(9,1)", "vectorizes(A, 16, fp16)", "A = (8,8):(8,1)"},
      {"A = (8,12):(13,1)", "aligned(A, 16, fp16)", "A = (8,12):(16,1)"},
      {"S(r, c) = r * 64 + c / 8 over (64, 64)", "bijective(S)", "S = (64,64):(64,1)"},
      {"A = (2,2):(1,2)", "not injective(A)", "prove injective(A)"},
      {"A = (4,2):(1,2)\nB = composition(A, 8:1)", "injective(B)", nullptr},
  };
  for (const Offer& one : kOffers) {
    const std::string text = std::string(one.setup) + (*one.setup == 0 ? "" : "\n") + "prove " + one.claim;
    INFO(text);
    const Outcome outcome = withEdits(text).back();
    INFO((outcome.diag ? outcome.diag->message : outcome.learner.noCorrection));
    REQUIRE(outcome.verdict);
    REQUIRE(outcome.verdict->truth == Truth::Refuted);
    const std::vector<Correction>& edits = outcome.learner.corrections;
    REQUIRE_FALSE(edits.empty());
    CHECK(edits.size() <= 2);
    CHECK(outcome.learner.noCorrection.empty());
    if (one.first != nullptr) CHECK(edits.front().after == one.first);
    for (const Correction& edit : edits) {
      const std::string after = edited(text, edit);
      INFO(after);
      const Outcome again = withEdits(after).back();
      REQUIRE(again.verdict);
      CHECK(again.verdict->truth == Truth::Proved);
      CHECK(again.learner.corrections.empty());
    }
  }
}

TEST_CASE("where find knows nothing there is a reason, and no edit") {
  const std::pair<const char*, const char*> kNone[] = {
      {"prove bijective((4,2):(1,4), 16)", "8 coordinates cannot take 16 places"},
      {"prove surjective((4,2):(1,4), 9)", "8 coordinates cannot take 9 places"},
      {"prove in_bounds((4,8):(8,1), 16)", "does not hold for any of the 2 compact layouts"},
      {"prove conflict_free((4,64):(64,2), ld.shared.row, f32)", ""},
      {"S(t, i) = t * 32 + i over (32, 4)\nprove race_free(S, (32,4):(16,1))", "a race needs a barrier"},
  };
  for (const auto& [text, reason] : kNone) {
    INFO(text);
    const Outcome outcome = withEdits(text).back();
    INFO((outcome.diag ? outcome.diag->message : outcome.learner.noCorrection));
    REQUIRE(outcome.verdict);
    if (outcome.verdict->truth != Truth::Refuted || *reason == 0) continue;
    CHECK(outcome.learner.corrections.empty());
    CHECK(outcome.learner.noCorrection.find(reason) != std::string::npos);
  }
}

TEST_CASE("nothing is searched for a claim that holds, for a task, or unless asked") {
  const auto none = [](const Outcome& o) { return o.learner.corrections.empty() && o.learner.noCorrection.empty(); };
  CHECK(none(withEdits("prove injective((4,2):(1,4))").back()));
  CHECK(none(withEdits("A = (4,2):(1,2)\ntask \"t\": injective(A)").back()));
  CHECK(none(runDocument("A = (4,2):(1,2)\nprove injective(A)").back()));
}

TEST_CASE("the search for an edit is limited in work, at any size") {
  for (const char* text : {
           "A = (1048576,1048576):(1048576,0)\nprove injective(A)",
           "prove equal((1024,1024):(1024,1), (1024,1024):(1,1024))",
           "prove equal((1024,1024):(1024,1), (1024,1024):(1025,1))",
           "S(r, c) = r * 1024 + (c * 7) mod 1024 over (1024, 1024)\nprove equal((1024,1024):(1024,1), S)",
           "A = (512,128):(128,1)\nprove conflict_free(A, ldmatrix.x4, fp16)",
           "A = (4096,4096):(4096,0)\nprove bijective(A)",
       }) {
    INFO(text);
    const Outcome outcome = withEdits(text).back();
    INFO((outcome.diag ? outcome.diag->message : outcome.learner.noCorrection));
    REQUIRE(outcome.verdict);
    REQUIRE(outcome.verdict->truth == Truth::Refuted);
    CHECK(outcome.learner.corrections.empty() != outcome.learner.noCorrection.empty());
  }
}
