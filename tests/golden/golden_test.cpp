// Golden pictures: the exact text of SVG, TikZ, text, CSV and JSON. TESSERA_UPDATE_GOLDEN=1 rewrites them; look at the
// difference.
#include <catch2/catch.hpp>

#include "app/show/show.h"
#include "core/worksheet/worksheet.h"
#include "tests/support/approved.h"
#include "tests/support/value_of.h"

using namespace tessera;

namespace {

struct Golden {
  const char* name;
  const char* value;
  const char* view;
};
constexpr Golden kGoldens[] = {
    {"row_major", "(4,8):(8,1)", "grid"},
    {"nested", "((2,4),(3,2)):((3,24),(1,6))", "grid"},
    {"swizzle", "Sw<1,1,2> o 0 o (4,8):(8,1)", "grid"},
    {"holes", "(3,4):(6,1)", "memory"},
    {"aliasing", "(4,2):(1,2)", "memory"},
    {"bits", "Sw<1,1,2> o 0 o (4,8):(8,1)", "f2"},
    {"flow", "(4,8):(8,1)", "flow"},
    {"instruction", "atlas(mma.m8n8k4.row.col.f32.f16.f16.f32)", "instruction"},
    {"conflict", "wavefronts([0, 128, 256, 4, 8, null], 4)", "banks"},
    {"chain", "chain((16,16):(16,1), cp.async16, (16,16):(16,1), ldmatrix.x4, mma.m16n8k16.f16, A)", "chain"},
    {"xla_tensor", "f32[3,5]{1,0:T(2,2)}", "tensor"},
    {"xla_physical", "f32[3,5]{1,0:T(2,2)S(1)}", "physical"},
    {"xla_tiles", "bf16[10,200]{1,0:T(8,128)(2,1)}", "tiles"},
    {"xla_address", "bf16[4,8]{0,1:T(2,4)(2,1)}", "address"},
    {"levels", "%A:[2,2:1,16].[2,4:2,4].fp32.GL", "levels"},
    {"levels_partial", "%v:[10,6:6,1].fp32.GL.tile([4:1],[4:1])", "levels"},
    {"levels_threads", "#warp:[4:4].[(4,2):(1,16)].thread", "levels"},
    {"engine_box", "tma.load over Sw<3,3,3> o (16,64):(64,1), f16", "access"},
    {"owned", "get_slice(make_tiled_mma(mma.m8n8k4.row.col.f32.f16.f16.f32, (1,1,1)), 5)", "owned"},
    {"threads", "S[(2,8,4,2):(2@reg,4@lane,1@lane,1@reg)] over (16,8)", "threads"},
};

}  // namespace

TEST_CASE("pictures are as they were approved") {
  for (const Golden& g : kGoldens) {
    const auto figure = draw(valueOf(g.value), g.view, {});
    REQUIRE(figure.ok());
    testing::checkApproved(*figure, g.name, {"svg", "txt", "csv"});
  }
}
