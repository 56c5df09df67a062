// A point lights exactly the cells that hold it, in every picture, and a link carries points as the layout does.
// Everything is compared with plain loops over small layouts.
#include "render/figure/linked.h"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "app/show/show.h"
#include "core/base/arith.h"
#include "core/claim/claim.h"
#include "core/layout/layout.h"
#include "core/worksheet/worksheet.h"
#include "render/draw/links.h"
#include "tests/support/value_of.h"

using namespace tessera;

namespace {

using Place = std::pair<i64, i64>;
using Places = std::set<Place>;
struct ByPoint {
  bool operator()(const Point& a, const Point& b) const {
    return a.domain != b.domain ? a.domain < b.domain : a.index < b.index;
  }
};

Figure drawn(const std::string& text, std::string_view view, std::vector<std::string> words = {}) {
  DrawOptions options;
  options.arguments = std::move(words);
  auto figure = draw(valueOf(text), view, options);
  INFO(text << " as " << view << ": " << (figure ? "" : figure.error().message));
  REQUIRE(figure.ok());
  return *std::move(figure);
}

const Grid& gridNamed(const Figure& f, const std::string& name) {
  for (const Grid& g : f.grids)
    if (g.name == name) return g;
  FAIL("no grid " << name);
  return f.grids.front();
}

Places litIn(const Linked& linked, const Figure& figure, const Grid& grid) {
  Places places;
  for (const Point& p : linked.in(figure, grid))
    for (const Place& at : grid.cells->find(p, 100'000)) places.insert(at);
  return places;
}

std::vector<std::string> layouts() {
  return {"(4,8):(8,1)",
          "8:1",
          "40:3",
          "((2,4),(3,2)):((3,24),(1,6))",
          "(2,3,4):(12,4,1)",
          "(4,2):(1,2)",  // addresses that several coordinates share
          "(4,8):(0,1)",
          "Sw<3,3,3> o (8,64):(64,1)",
          "Sw<1,0,3> o ((2,4),8):((8,16),1)",
          "(16,16):(20,1)",  // padded rows
          "f32[10,20]{1,0:T(8,128)}",
          "bf16[9,130]{1,0:T(8,128)(2,1)}"};
}

// Address of every element, by the map itself: index -> offset.
std::vector<i64> offsetsOf(const Value& value, std::vector<i64>& extents) {
  const auto arrow = arrowOf(value);
  REQUIRE(arrow.ok());
  extents = tessera::extentsOf(arrow->from);
  i64 size = 1;
  for (const i64 e : extents) size *= e;
  std::vector<i64> offsets;
  for (i64 i = 0; i < size; ++i)
    offsets.push_back(arrow->map.at(digitsAt(*arrow, delinearize(i, extents, LinearOrder::Colex)))[0]);
  return offsets;
}

}  // namespace

TEST_CASE("in every picture a point is found in exactly the cells that hold it") {
  std::vector<std::pair<std::string, std::string>> cases;
  for (const std::string& text : layouts()) {
    for (const std::string_view view : viewsFor(valueOf(text))) cases.emplace_back(text, view);
  }
  for (const char* text :
       {"S[(8,2,4,2):(4@lane,1@warp,1@lane,1@reg)] + R[2:4@warp] + 5@warp over (8,16)",
        "S[(2,32,128):(1@gpuid,128,1)] + R[2:2@gpuid] over (64,128)", "((4,8),(2,2)):((32,1),(16,8))",
        "atlas(mma.m16n8k16.f16)", "atlas(ldmatrix.x4)", "atlas(wgmma.m64n64k16.f16)",
        "make_tiled_mma(mma.m16n8k16.f16, (2,2,1))", "wavefronts([0, 4, 128, 256], 4)"}) {
    for (const std::string_view view : viewsFor(valueOf(text))) cases.emplace_back(text, view);
  }
  int pictures = 0;
  for (const auto& [text, view] : cases) {
    const bool untyped = view == "banks" && text[0] != 'f' && text[0] != 'b' && text[0] != 'w';
    DrawOptions options;
    if (untyped) options.arguments = {"f16"};
    const auto figure = draw(valueOf(text), view, options);
    if (!figure) continue;
    for (const Grid& g : figure->grids) {
      INFO(text << " as " << view << ", grid " << g.name);
      if (g.rows * g.cols > 40'000) continue;
      std::map<Point, Places, ByPoint> held;
      for (i64 r = 0; r < g.rows; ++r)
        for (i64 c = 0; c < g.cols; ++c)
          for (const Point& p : pointsOf(g.cells->cell(r, c))) held[p].insert({r, c});
      bool exact = true;
      for (const auto& [point, places] : held) {
        const auto found = g.cells->find(point, 1'000'000);
        exact = exact && Places(found.begin(), found.end()) == places;
      }
      CHECK(exact);
      ++pictures;
    }
  }
  CHECK(pictures > 60);
}

TEST_CASE("grid, memory and banks of a layout light one element in its cell, its address and its words") {
  for (const std::string& text : layouts()) {
    const Value value = valueOf(text);
    std::vector<i64> extents;
    const std::vector<i64> offsets = offsetsOf(value, extents);
    const bool typed = text[0] == 'f' || text[0] == 'b';
    const int bits = text[0] == 'f' ? 32 : 16;
    const Figure memory = drawn(text, "memory"),
                 banks = drawn(text, "banks", typed ? std::vector<std::string>{} : std::vector<std::string>{"f16"});
    const std::vector<const Figure*> sheet = {&memory, &banks};
    const Grid& words = gridNamed(banks, "memory");
    const u64 domain = pointDomain(extents);
    bool right = true;
    for (i64 i = 0; i < static_cast<i64>(offsets.size()); ++i) {
      const Linked linked({{{domain, i}}, nullptr, ""}, sheet);
      // By address: the row header is the address of its first cell.
      Places address, word;
      const Grid& g = memory.grids.front();
      const i64 at = offsets[static_cast<std::size_t>(i)], origin = std::stoll(g.cells->rowHeader(0));
      address.insert({(at - origin) / g.cols, (at - origin) % g.cols});
      for (i64 w = at * bits / 32; w <= (at * bits + bits - 1) / 32; ++w)
        for (i64 r = 0; r < words.rows; ++r)
          if (std::stoll(words.cells->rowHeader(r)) == w / 32 * 128) word.insert({r, w % 32});
      right = right && litIn(linked, memory, g) == address && litIn(linked, banks, words) == word;
    }
    INFO(text);
    CHECK(right);
  }
}

TEST_CASE("a bank cell stands for its words' elements, never for its column") {
  const Figure banks = drawn("(8,64):(64,1)", "banks", {"f16", "ldmatrix.x1"});
  const Grid &heat = gridNamed(banks, "phases"), &words = gridNamed(banks, "memory");
  const Cell cell = words.cells->cell(2, 1);  // row 2, bank 1: word 65, columns 2 and 3 of row 2
  const u64 domain = pointDomain({8, 64});
  CHECK(pointsOf(cell) == std::vector<Point>{{domain, 2 + 8 * 2}, {domain, 2 + 8 * 3}});
  const Linked linked({pointsOf(cell), &banks, "memory"}, {&banks});
  CHECK(litIn(linked, banks, words) == Places{{2, 1}});
  CHECK(litIn(linked, banks, heat) == Places{{0, 1}});
  // The bank in its phase delivers eight words, two elements each.
  CHECK(pointsOf(heat.cells->cell(0, 1)).size() == 16);
  // What the picture lights itself is one conflict: bank 0 in phase 0, eight words, and not phase 1's words below them.
  const Figure four = drawn("(64,64):(64,1)", "banks", {"f16", "ldmatrix.x4"});
  const Grid& rows = gridNamed(four, "memory");
  Places lit;
  for (i64 r = 0; r < rows.rows; ++r)
    for (i64 c = 0; c < rows.cols; ++c)
      if (rows.cells->cell(r, c).lit) lit.insert({r, c});
  CHECK(lit == Places{{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}, {6, 0}, {7, 0}});
}

TEST_CASE("an element goes on to the lanes that ask for it, and a lane to all that it asks for") {
  const Figure banks = drawn("Sw<3,3,3> o (64,64):(64,1)", "banks", {"f16", "ldmatrix.x4", "at", "16", "32"}),
               mma = drawn("atlas(mma.m16n8k16.f16)", "instruction");
  const std::vector<const Figure*> sheet = {&banks, &mma};
  const u64 domain = pointDomain({64, 64});
  for (i64 row = 16; row < 32; ++row) {
    for (i64 col = 32; col < 48; ++col) {
      const i64 lane = (row - 16) % 8 + 8 * ((row - 16) / 8) + 16 * ((col - 32) / 8);
      const Linked linked({{{domain, row + 64 * col}}, nullptr, ""}, sheet);
      REQUIRE(linked.in(threadPoint(0).domain) == std::vector<Point>{threadPoint(lane)});
      const Grid& c = gridNamed(mma, "C");
      Places held;
      for (i64 r = 0; r < c.rows; ++r)
        for (i64 k = 0; k < c.cols; ++k)
          if (c.cells->cell(r, k).label == "T" + std::to_string(lane)) held.insert({r, k});
      REQUIRE(litIn(linked, mma, c) == held);
    }
  }
  // And back: lane 3's row of 8 halves, in four words.
  const Linked lane({{threadPoint(3)}, &mma, "C"}, sheet);
  CHECK(litIn(lane, banks, gridNamed(banks, "memory")).size() == 4);
  std::vector<Point> row;
  for (i64 col = 32; col < 40; ++col) row.push_back({domain, 19 + 64 * col});
  CHECK(lane.in(domain) == row);
}

TEST_CASE("a tile of memory is no fragment: its rows light no threads") {
  const Figure grid = drawn("(64,64):(64,1)", "grid"), mma = drawn("atlas(mma.m16n8k16.f16)", "instruction");
  const Linked linked({pointsOf(grid.grids[0].cells->cell(18, 9)), &grid, ""}, {&grid, &mma});
  for (const Grid& g : mma.grids) CHECK(litIn(linked, mma, g).empty());
}

TEST_CASE("an operand of an instruction lights the element of a tile of its shape, and no other") {
  const Figure mma = drawn("atlas(mma.m16n8k16.f16)", "instruction");
  for (i64 r = 0; r < 16; ++r) {
    for (i64 c = 0; c < 16; ++c) {
      const Linked linked({{{pointDomain({16, 16}), r + 16 * c}}, nullptr, ""}, {&mma});
      REQUIRE(litIn(linked, mma, gridNamed(mma, "A")) == Places{{r, c}});
    }
  }
}

TEST_CASE("threads and their layout agree: element, thread, register") {
  for (const char* text : {"S[(8,2,4,2):(4@lane,1@warp,1@lane,1@reg)] + R[2:4@warp] + 5@warp over (8,16)",
                           "((4,8),(2,2)):((32,1),(16,8))"}) {
    const Figure threads = drawn(text, "threads");
    const Grid& g = threads.grids.front();
    const std::vector<const Figure*> sheet = {&threads};
    for (i64 r = 0; r < g.rows; ++r) {
      for (i64 c = 0; c < g.cols; ++c) {
        const Linked linked({pointsOf(g.cells->cell(r, c)), &threads, g.name}, sheet);
        const std::vector<Point> on = linked.in(threadPoint(0).domain);
        REQUIRE_FALSE(on.empty());
        for (const Point& t : on) {  // each of those threads holds the element
          const Linked back({{t}, nullptr, ""}, sheet);
          REQUIRE(litIn(back, threads, g).count({r, c}) == 1);
        }
      }
    }
  }
  // The grid of (thread, value) lights the tile, by its own arrow.
  const Figure tile = drawn("((4,8),(2,2)):((32,1),(16,8))", "threads", {"16x8"}),
               grid = drawn("((4,8),(2,2)):((32,1),(16,8))", "grid");
  for (i64 t = 0; t < 32; ++t) {
    for (i64 v = 0; v < 4; ++v) {
      const i64 index = t % 4 * 32 + t / 4 + v % 2 * 16 + v / 2 * 8;
      const Linked linked({{{pointDomain({32, 4}), t + 32 * v}}, &grid, ""}, {&tile, &grid});
      REQUIRE(litIn(linked, tile, tile.grids.front()) == Places{{index % 16, index / 16}});
    }
  }
}

namespace {

struct Drawn {
  Operation operation;
  Value result;
  Figure figure;
};

std::optional<Drawn> operationOf(const std::string& text) {
  Scope scope;
  const auto statements = splitStatements("R = " + text);
  REQUIRE(statements.size() == 1);
  const Evaluated done = evaluate(statements[0], scope);
  if (!done.value || !done.operation) return std::nullopt;
  DrawOptions options;
  options.name = "R";
  auto figure = drawOperation(*done.operation, &*done.value, nullptr, options);
  REQUIRE(figure.ok());
  return Drawn{*done.operation, *done.value, *std::move(figure)};
}

std::vector<Point> pointsFrom(const Drawn& d, const std::string& from, i64 index, u64 domain, const std::string& to) {
  const Linked linked({{{domain, index}}, &d.figure, from}, {&d.figure});
  return linked.in(d.figure, gridNamed(d.figure, to));
}

}  // namespace

TEST_CASE("inside a composition every point of the result lights A's B(i), also where all shapes are one") {
  for (const auto& [a, b] : {std::pair{"(4,8):(8,1)", "(8,4):(4,1)"},
                             {"(6,2):(8,2)", "(4,3):(3,1)"},
                             {"(4,8):(8,1)", "(4,8):(8,1)"},
                             {"32:2", "(4,8):(8,1)"}}) {
    INFO(a << " o " << b);
    const auto d = operationOf(std::string("composition(") + a + ", " + b + ")");
    REQUIRE(d);
    std::vector<i64> ofA, ofB, ofR;
    const std::vector<i64> fA = offsetsOf(d->operation.inputs[0], ofA), fB = offsetsOf(d->operation.inputs[1], ofB),
                           fR = offsetsOf(d->result, ofR);
    const u64 A = pointDomain(ofA), B = pointDomain(ofB), R = pointDomain(ofR);
    for (i64 i = 0; i < static_cast<i64>(fR.size()); ++i) {
      const i64 j = fB[static_cast<std::size_t>(i)];
      REQUIRE(fR[static_cast<std::size_t>(i)] == fA[static_cast<std::size_t>(j)]);
      REQUIRE(pointsFrom(*d, "R", i, R, "A") == std::vector<Point>{{A, j}});
      REQUIRE(pointsFrom(*d, "B", i, B, "A") == std::vector<Point>{{A, j}});
      REQUIRE(pointsFrom(*d, "R", i, R, "B") == std::vector<Point>{{B, i}});
      REQUIRE(pointsFrom(*d, "A", j, A, "R") == std::vector<Point>{{R, i}});
    }
  }
}

TEST_CASE("divides light the same address, products their block and their copy") {
  for (const char* text : {"logical_divide((16,8):(8,1), <4:1, 2:1>)", "zipped_divide((16,8):(8,1), (4,2))",
                           "logical_divide(24:3, 4:2)", "coalesce((2,4):(1,2))"}) {
    INFO(text);
    const auto d = operationOf(text);
    REQUIRE(d);
    std::vector<i64> ofA, ofR;
    const std::vector<i64> fA = offsetsOf(d->operation.inputs[0], ofA), fR = offsetsOf(d->result, ofR);
    for (std::size_t i = 0; i < fR.size(); ++i) {
      const auto there = pointsFrom(*d, "R", static_cast<i64>(i), pointDomain(ofR), "A");
      REQUIRE(there.size() == 1);
      REQUIRE(fA[static_cast<std::size_t>(there[0].index)] == fR[i]);
    }
  }
  for (const auto& [text, raked] : {std::pair{"blocked_product((2,3):(3,1), (4,2):(1,4))", false},
                                    {"raked_product((2,3):(3,1), (4,2):(1,4))", true}}) {
    const auto d = operationOf(text);
    REQUIRE(d);
    const u64 R = pointDomain({8, 6});
    for (i64 r = 0; r < 8; ++r) {
      for (i64 c = 0; c < 6; ++c) {
        const i64 a = raked ? r / 4 + 2 * (c / 2) : r % 2 + 2 * (c % 3),
                  b = raked ? r % 4 + 4 * (c % 2) : r / 2 + 4 * (c / 3);
        REQUIRE(pointsFrom(*d, "R", r + 8 * c, R, "A") == std::vector<Point>{{pointDomain({2, 3}), a}});
        REQUIRE(pointsFrom(*d, "R", r + 8 * c, R, "B") == std::vector<Point>{{pointDomain({4, 2}), b}});
      }
    }
  }
}

TEST_CASE("a counterexample is a point of the layouts that the claim was made from") {
  claims::Equal equal{{*toMap(valueOf("((2,2),4):((1,8),2)")), *toMap(valueOf("(4,4):(1,4)"))}};
  Claim claim{equal};
  claim.text = "equal(((2,2),4):((1,8),2), f(4,4))";
  claim.profiles = {"((i,i),i)", ""};
  CHECK(argumentsOf(claim) == std::vector<std::string>{"((2,2),4):((1,8),2)", "f(4,4)"});
  CHECK(modesOf(claim, 0) == std::vector<i64>{4, 4});
  Counterexample why;
  why.points = {{0, 1, 3}};  // (2, 3)
  const u64 domain = pointDomain({4, 4});
  CHECK(pointsOf(claim, why) == std::vector<Point>{{domain, 2 + 4 * 3}});
  equal.maps[1] = *toMap(valueOf("16:1"));
  claim.says = equal;
  CHECK(pointsOf(claim, why) == std::vector<Point>{{domain, 14}, {pointDomain({16}), 14}});
  // The card's own grid shows the same points.
  Verdict verdict;
  verdict.truth = Truth::Refuted;
  verdict.counterexample = why;
  const auto card = drawVerdict(verdict, {}, &claim);
  REQUIRE(card.ok());
  REQUIRE(card->grids.size() == 2);
  CHECK(card->grids[0].cells->find({domain, 14}, 4) == std::vector<Place>{{2, 3}});
}

TEST_CASE("a Triton layout's register and lane light the element that they hold, and the thread") {
  const char* text =
      "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [2, 1], order = [1, 0]}> over "
      "(16,8)";
  const auto arrow = arrowOf(valueOf(text));
  REQUIRE(arrow.ok());
  const Figure grid = drawn(text, "grid"), threads = drawn(text, "threads");
  const std::vector<i64> extents = tessera::extentsOf(arrow->from);
  for (i64 i = 0; i < *sizeOf(*arrow); ++i) {
    const std::vector<i64> coord = delinearize(i, extents, LinearOrder::Colex);
    const std::vector<i64> element = arrow->map.at(digitsAt(*arrow, coord));
    const Linked linked({{{pointDomain(extents), i}}, &grid, ""}, {&grid, &threads});
    REQUIRE(litIn(linked, threads, threads.grids.front()) == Places{{element[0], element[1]}});
    i64 thread = 0;
    for (std::size_t k = 0; k < coord.size(); ++k)
      thread += coord[k] * (arrow->from.modes[k].name == "lane" ? 1 : arrow->from.modes[k].name == "warp" ? 32 : 0);
    REQUIRE(linked.in(threadPoint(0).domain) == std::vector<Point>{threadPoint(thread)});
  }
}

TEST_CASE("links can be asked from either side, and a point never comes back as its neighbours") {
  const u64 a = pointDomain({4, 8}), b = pointDomain({32}), t = threadPoint(0).domain;
  Figure figure;
  figure.links.push_back({sameIndex(a, b, 32), "", ""});
  std::vector<std::pair<Point, Point>> pairs;
  for (i64 i = 0; i < 32; ++i) pairs.push_back({{a, i}, {t, i / 8}});
  figure.links.push_back({tableLink(std::move(pairs)), "", ""});
  const Linked one({{{a, 9}}, nullptr, ""}, {&figure});
  CHECK(one.in(a) == std::vector<Point>{{a, 9}});  // not the eight elements of thread 1
  CHECK(one.in(b) == std::vector<Point>{{b, 9}});
  CHECK(one.in(t) == std::vector<Point>{{t, 1}});
  const Linked thread({{{t, 1}}, nullptr, ""}, {&figure});
  CHECK(thread.in(a).size() == 8);
  CHECK(thread.in(b).size() == 8);
}
