// Blocks, dominators and loops against the set definitions.
#include "core/sass/flow.h"

#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "listings.h"

using namespace tessera;
using namespace tessera::sass;

namespace {

using Nodes = std::set<int>;

// The blocks that an entry reaches without `without`; entries are those with no dominator.
Nodes reached(const Flow& flow, const Nodes& entries, int without) {
  Nodes out;
  std::vector<int> open(entries.begin(), entries.end());
  while (!open.empty()) {
    const int b = open.back();
    open.pop_back();
    if (b == without || !out.insert(b).second) continue;
    for (const int to : flow.blocks[static_cast<std::size_t>(b)].next) open.push_back(to);
  }
  return out;
}

// a dominates b if every way from an entry to b passes a. A natural loop: h, and what reaches an edge's source x -> h
// (h dominates x) without h.
void checkAgainstDefinition(const Kernel& kernel, const Nodes& entries) {
  const Flow flow = flowOf(kernel);
  const Nodes all = reached(flow, entries, -1);
  REQUIRE(Nodes(flow.order.begin(), flow.order.end()) == all);
  std::map<int, Nodes> loops;
  for (const int a : all) {
    const Nodes without = reached(flow, entries, a);
    for (const int b : all) REQUIRE(dominates(flow, a, b) == (without.count(b) == 0));
    for (const int x : all) {
      const auto& next = flow.blocks[static_cast<std::size_t>(x)].next;
      if (without.count(x) != 0 || std::find(next.begin(), next.end(), a) == next.end()) continue;
      Nodes& body = loops[a];
      body.insert(a);
      for (const int b : all) {  // does b reach x without a?
        if (b != a && reached(flow, {b}, a).count(x) != 0) body.insert(b);
      }
    }
  }
  REQUIRE(flow.loops.size() == loops.size());
  for (const Loop& loop : flow.loops) {
    REQUIRE(Nodes(loop.blocks.begin(), loop.blocks.end()) == loops.at(loop.header));
    // The innermost loop around it is the smallest that has its header and is not itself.
    int smallest = -1;
    for (std::size_t k = 0; k < flow.loops.size(); ++k) {
      const Loop& other = flow.loops[k];
      if (&other == &loop || loops.at(other.header).count(loop.header) == 0) continue;
      if (other.blocks.size() <= loop.blocks.size()) continue;
      if (smallest < 0 || other.blocks.size() < flow.loops[static_cast<std::size_t>(smallest)].blocks.size())
        smallest = static_cast<int>(k);
    }
    REQUIRE(loop.parent == smallest);
    REQUIRE(loop.depth == (smallest < 0 ? 1 : flow.loops[static_cast<std::size_t>(smallest)].depth + 1));
  }
}

}  // namespace

TEST_CASE("the loops of the listings are those of the definition") {
  for (const char* name : kListings)
    for (const Kernel& kernel : kernelsOf(name)) {
      INFO(name << " " << kernel.name);
      checkAgainstDefinition(kernel, {0});
    }
}

TEST_CASE("the loops of random flow graphs are those of the definition") {
  std::mt19937 random(11);
  int loops = 0, nested = 0, irreducible = 0;
  for (int n = 0; n < 400; ++n) {
    const auto blocks = 2 + random() % 14;
    std::string text = "\t.section\t.text.f\n";
    for (std::size_t b = 0; b < blocks; ++b) {
      text += ".L" + std::to_string(b) + ":\n/*0000*/ NOP ;\n";
      const std::string to = " `(.L" + std::to_string(random() % blocks) + ") ;\n";
      switch (random() % 5) {
        case 0:
          text += "/*0000*/ BRA" + to;
          break;
        case 1:
          text += "/*0000*/ EXIT ;\n";
          break;
        case 2:
          break;
        default:
          text += "/*0000*/ @P0 BRA" + to;
          break;
      }
    }
    const auto listing = read(text);
    REQUIRE(listing.ok());
    INFO(text);
    const Kernel& kernel = listing->kernels[0];
    checkAgainstDefinition(kernel, {0});
    const Flow flow = flowOf(kernel);
    loops += static_cast<int>(flow.loops.size());
    irreducible += flow.irreducible;
    for (const Loop& loop : flow.loops) nested += loop.depth > 1 ? 1 : 0;
  }
  CHECK(loops > 200);
  CHECK(nested > 20);
  CHECK(irreducible > 20);
}

TEST_CASE("a function that a call names is an entry; a branch by a table has its listed targets") {
  const auto listing = read(
      "\t.section\t.text.f\n"
      "/*0000*/ CALL.REL.NOINC `(g) ;\n"
      "/*0010*/ BRX R2 -0x20 (*\"BRANCH_TARGETS .La,.Lb\"*) ;\n"
      ".La:\n/*0020*/ EXIT ;\n"
      ".Lb:\n/*0030*/ BRX R4 -0x40 ;\n"
      "g:\n/*0040*/ @P0 BRA `(g) ;\n/*0050*/ RET.REL.NODEC R20 `(f) ;\n");
  REQUIRE(listing.ok());
  const Flow flow = flowOf(listing->kernels[0]);
  CHECK(flow.blocks.size() == 5);
  CHECK(flow.blocks[0].next == std::vector<int>{1, 2});
  CHECK(flow.order.size() == 5);
  CHECK(flow.loops.size() == 1);
  CHECK(flow.indirect);  // the second table
}

TEST_CASE("a BSYNC continues at the label of its BSSY") {
  const auto listing = read(
      "\t.section\t.text.f\n"
      "/*0000*/ BSSY B0, `(.La) ;\n/*0010*/ @P0 BRA `(.Lb) ;\n/*0020*/ BSYNC B0 ;\n"
      ".Lb:\n/*0030*/ BSYNC B0 ;\n.La:\n/*0040*/ EXIT ;\n");
  REQUIRE(listing.ok());
  const Flow flow = flowOf(listing->kernels[0]);
  REQUIRE(flow.blocks.size() == 4);
  CHECK(flow.blocks[1].next == std::vector<int>{3});
  CHECK(flow.blocks[2].next == std::vector<int>{3});
}
