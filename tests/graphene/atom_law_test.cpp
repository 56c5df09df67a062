// Laws of atoms over random leaves: nothing crashes, refusals name legal alternatives, and matches are consistent.
#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "core/graphene/atoms/atom.h"
#include "core/graphene/slots/slots.h"
#include "tests/graphene/leaves.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) {}

  std::string leaf() {
    static const std::vector<std::string> kinds = {"Move",
                                                   "Move",
                                                   "Move<async>",
                                                   "Move<trans>",
                                                   "MatMul",
                                                   "MatMul",
                                                   "UnaryPointwise<exp>",
                                                   "BinaryPointwise<+>",
                                                   "Init<0>",
                                                   "Shfl<bfly 4>",
                                                   "Allocate",
                                                   "Move<what>",
                                                   "MatMul<col.row>"};
    static const std::vector<std::string> threads = {
        "#w:[1].thread",       "#w:[].thread",     "#w:[32].thread",           "#w:[32].thread",
        "#w:[8,4:1,8].thread", "#w:[32:2].thread", "#w:[(4,2):(1,16)].thread", "#w:[N].thread"};
    const std::string kind = one(kinds);
    const bool two = kind.starts_with("MatMul") || kind.starts_with("Binary");
    const std::string inputs = kind.starts_with("Init") || kind == "Allocate" ? "" : two ? "%i,%j" : "%i";
    return "#b:[1].block " + one(threads) + " %i" + tensor() + " %j" + tensor() + " %o" + tensor() + "\n%o <- " + kind +
           "<<<#b,#w>>>(" + inputs + ")\n";
  }

 private:
  const std::string& one(const std::vector<std::string>& of) { return of[random_() % of.size()]; }
  std::string tensor() {
    static const std::vector<std::string> shapes = {"[]",          "[1]",         "[2]",         "[4]",
                                                    "[8]",         "[16]",        "[1,8]",       "[8:2]",
                                                    "[2,4]",       "[4,1]",       "[1,4]",       "[2,2].[1,2]",
                                                    "[2,1].[2,1]", "[2,1].[1,2]", "[1,1].[1,2]", "[2,2:2,4].[1,2:0,1]",
                                                    "[2,2].[1,4]", "[M,2]",       "[4:M]",       "[64]"};
    static const std::vector<std::string> elements = {"fp16", "fp16", "fp32", "bf16", "tf32",
                                                      "s8",   "i32",  "fp64", "b1",   "odd"};
    static const std::vector<std::string> memories = {"GL", "SH", "RF", "RF"};
    return ":" + one(shapes) + "." + one(elements) + "." + one(memories);
  }
  std::mt19937 random_;
};

// By lane: one warp, or a quad pair of eight.
void holdsTheLaws(const Spec& leaf, const Atom& atom) {
  CHECK(!atom.name.empty());
  CHECK(!atom.source.empty());
  CHECK(!atom.architecture.empty());
  REQUIRE(atom.slots.size() == leaf.outputs.size() + leaf.inputs.size());
  REQUIRE(atom.terms.size() == static_cast<std::size_t>(atom.lanes * atom.slots[0]));
  CHECK(atom.together >= atom.lanes);
  CHECK(atom.collective == (atom.together > 1));
  const std::size_t inputs = leaf.inputs.size();
  for (const auto& terms : atom.terms)
    for (const AtomTerm& t : terms) {
      REQUIRE(t.a >= 0);
      if (inputs > 0) REQUIRE(t.a < atom.lanes * atom.slots[1]);
      if (inputs > 1) REQUIRE((t.b >= 0 && t.b < atom.lanes * atom.slots[2]));
    }
  std::size_t k = 0;
  for (const auto* tensors : {&leaf.outputs, &leaf.inputs})
    for (const Tensor& t : *tensors) CHECK(slotCount(t) == atom.slots[k++]);
  for (const Alignment& a : atom.alignment) {
    CHECK(a.elements > 1);
    CHECK(atom.slots[static_cast<std::size_t>(a.operand)] % a.elements == 0);
  }
  // A product multiplies every pair of a row and a column once.
  if (atom.function != AtomFunction::MultiplyAdd) return;
  std::set<std::pair<int, int>> pairs;
  std::size_t count = 0;
  for (const auto& terms : atom.terms)
    for (const AtomTerm& t : terms) {
      pairs.emplace(t.a, t.b);
      ++count;
    }
  CHECK(pairs.size() == count);
}

}  // namespace

TEST_CASE("leaves at random: laws of those that match, a legal form for those that do not") {
  int matched = 0, refused = 0;
  for (unsigned seed = 0; seed < 2500; ++seed) {
    const std::string text = Maker(seed).leaf();
    INFO("seed " << seed << "\n" << text);
    const auto program = readProgram(text);
    if (!program) continue;  // "odd", shapes that are none
    const Spec* leaf = test::leafIn(program->specs);
    REQUIRE(leaf != nullptr);
    for (const std::string_view architecture : {"sm_70", "sm_80", "sm_90", "sm_100a", "nonsense"}) {
      const auto atom = matchAtom(*leaf, architecture);
      if (!atom) {
        ++refused;
        CHECK(!atom.error().message.empty());
        CHECK(!atom.error().expected.empty());
        continue;
      }
      ++matched;
      holdsTheLaws(*leaf, *atom);
    }
  }
  CHECK(matched > 200);
  CHECK(refused > 500);
}
