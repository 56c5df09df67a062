// The parts of a large grid around the points of a counterexample: they do not overlap, and are narrow if there are
// several.
#include <catch2/catch.hpp>

#include "app/engine/engine.h"
#include "core/worksheet/worksheet.h"

using namespace tessera;

TEST_CASE("the windows of a bank conflict show each of its cells once, side by side") {
  Scope scope;
  Figure figure;
  for (const Statement& s : splitStatements("S(t, i) = t * 32 + i over (32, 32)\nprove conflict_free(S, f32)\n")) {
    const Outcome o = runStatement(s, scope, {});
    if (o.figure) figure = *o.figure;
  }
  REQUIRE(figure.grids.size() == 2);
  int lit = 0;
  for (const Grid& g : figure.grids) {
    CHECK(g.rows == 16);
    CHECK(g.cols == 8);
    for (const Point& p : figure.lit) lit += static_cast<int>(g.cells->find(p, 4).size());
  }
  CHECK(lit == 32);
  CHECK(figure.grids[0].bounds().x + figure.grids[0].bounds().w < figure.grids[1].x);
}
