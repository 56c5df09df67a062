// Golden pictures of Graphene programs: the exact text of SVG, text and CSV. TESSERA_UPDATE_GOLDEN=1 rewrites them.
#include "render/draw/graphene/graphene.h"

#include <catch2/catch.hpp>

#include "tests/support/approved.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

// Small, with one of each: a barrier, a branch, a loop, an instruction of a warp, memory of all three kinds.
const std::string kProgram = R"(%a : [8,8].fp16.GL
%d : [1,2].fp16.RF
#b : [1].block
#w : [32].thread
%d <- Spec<<<#b, #w>>>(%a) {
  @x = #w.indices()
  %s : [8,8].fp16.SH
  for (k = 0; k < 2; k += 1) {
    %from = %a.tile([1:1],[1:1])[4*k + @x/8, @x%8][0,0]
    %to = %s.tile([1:1],[1:1])[4*k + @x/8, @x%8][0,0]
    %to <- Move(%from)
  }
  sync
  %row = %s.tile([1:1],[8:1])[@x%8, 0]
  %pairs = %d.tile([1:1],[2:1])
  %pairs <- Move<<<#b, #w>>>(%row)
}
)";

struct Golden {
  const char* name;
  Result<Figure> (*view)(const Listing&, const DrawOptions&);
  std::vector<std::string> words;
};

}  // namespace

TEST_CASE("pictures of programs are as they were approved") {
  const auto listing = readListing("small", kProgram);
  INFO((listing ? "" : listing.error().message));
  REQUIRE(listing.ok());
  const Golden goldens[] = {
      {"graphene_tree", [](const Listing& l, const DrawOptions& o) { return drawTree(l, {}, o); }, {}},
      {"graphene_spec", drawSpec, {"spec", "0"}},
      {"graphene_player", drawPlayer, {"step", "1", "thread", "9"}},
      {"graphene_player_ldmatrix", drawPlayer, {"step", "3", "thread", "5"}},
      {"graphene_player_barrier", drawPlayer, {"step", "2"}},
  };
  for (const Golden& g : goldens) {
    DrawOptions options;
    options.arguments = g.words;
    const auto figure = g.view(*listing, options);
    INFO(g.name << (figure ? "" : ": " + figure.error().message));
    REQUIRE(figure.ok());
    testing::checkApproved(*figure, g.name, {"svg", "csv"});
  }
}
