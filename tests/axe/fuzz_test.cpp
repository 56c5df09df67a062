// Mutated texts: every input gives a value or a Diag, and every value prints as text that parses to it.
#include <catch2/catch.hpp>
#include <random>

#include "core/notation/axe/algebra/algebra.h"
#include "core/notation/axe/axes.h"
#include "core/notation/axe/eval.h"
#include "core/notation/axe/mesh.h"
#include "tests/support/whole_text.h"

using namespace tessera;

namespace {

std::string mutated(std::string text, std::mt19937& random) {
  static const std::string kAlphabet = "0123456789()[]{}:,;@+-*xSRDOm |\"\n\x80";
  for (unsigned n = 1 + random() % 4; n > 0; --n) {
    const std::size_t at = text.empty() ? 0 : random() % text.size();
    const char c = kAlphabet[random() % kAlphabet.size()];
    switch (random() % 4) {
      case 0:
        text.insert(at, 1, c);
        break;
      case 1:
        if (!text.empty()) text.erase(at, 1 + random() % 3);
        break;
      case 2:
        if (!text.empty()) text[at] = c;
        break;
      default:
        text.insert(at, "9223372036854775807");
        break;
    }
  }
  return text;
}

}  // namespace

TEST_CASE("mutated layouts: a value that prints and parses, or a Diag with a place") {
  std::mt19937 random(99);
  const std::vector<std::string> seeds = {
      "S[(8,2,4,2):(4@lane,1@warp,1@lane,1@reg)] + R[2:4@warp] + 5@warp over (8,16)",
      "( 8 2 4 2 ; 4@lane, 1@warp, 1@lane, 1@reg ) + [ 2 ; 4@warp ] + 5@warp",
      "( 8 2 ) ( 2 )\n( 4@lane, 1@warp ) + ( 4@warp ) + 5@warp",
      "D: (8, 4@lane) x (2, 1@warp) | R: (2, 4@warp) | O: 5@warp",
      "Layout(D=((8,2),(4@lane,1@warp)), R=((2),(4@warp)), O=5@warp)",
      "mesh (2,2):(1,2)",
  };
  int values = 0;
  for (int n = 0; n < 20000; ++n) {
    const std::string text = mutated(seeds[random() % seeds.size()], random);
    INFO(text);
    (void)wholeText(text, axe::parseMeshPrefix);
    (void)axe::parsePlacement(text);
    const auto got = axe::parse(text);
    if (!got) {
      CHECK_FALSE(got.error().message.empty());
      CHECK(got.error().span.end <= text.size());
      CHECK(got.error().span.begin <= got.error().span.end);
      continue;
    }
    ++values;
    CHECK(*axe::parse(print(*got)) == *got);
    if (n % 8 != 0) continue;
    (void)canonicalize(*got);
    (void)axe::axisNotes(*got);
    (void)scopeOf(*got);
    (void)fuseThreads(*got);
    (void)toMap(*got);
    (void)forward(*got, std::vector<i64>(got->domain().size(), 0));
    (void)tile(*got, got->domain(), *got, got->domain());
    (void)unpack(*got, 4);
    if (got->size() < (i64{1} << 30) && got->replicaCount() < 1000) (void)backward(*got, got->domain(), {{"lane", 8}});
  }
  CHECK(values > 500);
}
