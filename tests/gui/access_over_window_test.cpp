// An access over the user's own tile in the window: typed like a new user would, drawn, linked with the tile's grid,
// noted.
#include "tests/gui/app.h"

using namespace tessera;

TEST_CASE("ldmatrix over an own tile is drawn, and its cells are the tile's") {
  App app;
  app.session.document().reset(
      "S = Sw<3,3,3> o (64,64):(64,1)\nshow ldmatrix.x4 over S\nshow S as grid\nshow mma.m16n8k16");
  app.settle();
  REQUIRE(app.outcome(1).figure.has_value());
  CHECK(app.outcome(1).figure->choices.front().words.size() == 16);
  REQUIRE(app.outcome(1).notes.size() == 1);
  CHECK(app.outcome(1).notes.front().message == "the elements are assumed to be f16");
  REQUIRE(app.outcome(3).figure.has_value());
  CHECK(app.outcome(3).figure->title == "mma.m16n8k16.f32.f16.f16.f32");
  app.hoverCell(1, 2, 3);
  REQUIRE(app.session.hover.has_value());
  const Point point = app.session.hover->point;
  CHECK(point.index == 2 + 64 * 3);
  const Grid& grid = app.outcome(2).figure->grids.front();
  CHECK(grid.cells->find(point, 4) == std::vector<std::pair<i64, i64>>{{2, 3}});
}
