// The picture of register contents agrees with the distribution, cell by cell.
#include <catch2/catch.hpp>

#include "app/show/show.h"
#include "core/graphene/program.h"
#include "core/notation/graphene/notation.h"
#include "core/worksheet/value.h"
#include "render/draw/draw.h"

using namespace tessera;

namespace {

graphene::Tensor tensor(const std::string& holds) {
  const auto read = graphene::readProgram("%d:[64].fp16.RF holds " + holds);
  INFO((read ? "" : read.error().message));
  REQUIRE(read.ok());
  return read->operands.at(0);
}

}  // namespace

TEST_CASE("each cell of the picture is the lane and the register that hold the element") {
  for (const char* holds :
       {"[16,16] as S[(2,8,2,4,2):(4@reg,4@lane,2@reg,1@lane,1@reg)]", "[16,16] as ((4,8),(2,2,2)):((32,1),(16,8,128))",
        "[16,16] as mma.m16n8k16.f32.f16.f16.f32 A", "[16,8] as mma.m16n8k16.f32.f16.f16.f32 B",
        "[16,8] as mma.m16n8k16.f32.f16.f16.f32 C", "[8,4] as mma.m8n8k4.row.col.f32.f16.f16.f32 A",
        "[8,8] as mma.m8n8k4.row.col.f32.f16.f16.f32 C"}) {
    INFO(holds);
    const graphene::Tensor t = tensor(holds);
    const auto figure = draw(Value(Layout(t)), "", {});
    INFO((figure ? "" : figure.error().message));
    REQUIRE(figure.ok());
    CHECK(figure->subtitle == print(t));
    const CellSource& cells = *figure->grids.at(0).cells;
    const std::vector<i64>& extents = t.holds->extents;
    const auto names = cells.fieldNames();
    REQUIRE(names.size() == 3);
    for (i64 row = 0; row < extents[0]; ++row)
      for (i64 column = 0; column < extents[1]; ++column) {
        const auto fields = cells.fields(row, column);
        CHECK(t.holds->at(std::stoll(fields[1]), std::stoll(fields[2])) == row * extents[1] + column);
      }
  }
}

TEST_CASE("registers that promise nothing are a grid as before") {
  const auto read = graphene::parseTensor("%d:[2,4].fp16.RF");
  REQUIRE(read.ok());
  CHECK(draw(Value(Layout(*read)), "", {})->title == "Logical grid");
  CHECK_FALSE(draw(Value(Layout(*read)), "holds", {}).ok());
}
