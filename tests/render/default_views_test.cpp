// show X without a view: for every kind of value the first view is the one that the rule of views.cpp selects, and it
// draws.
#include <catch2/catch.hpp>

#include "app/show/show.h"
#include "core/base/work_budget.h"
#include "render/ink/ink.h"
#include "tests/support/value_of.h"

using namespace tessera;

TEST_CASE("every kind of value has a first view, and it is the one that draws by default") {
  struct Row {
    const char* text;
    const char* view;
  };
  for (const Row& row : {
           Row{"tma_mode(Sw<3,4,3>)", "value"},
           Row{"<3:4, 8:2>", "value"},
           Row{"forward(S[(8,2,4,2):(4@lane,1@warp,1@lane,1@reg)] over (8,16), (2,9))", "value"},
           Row{"backward(S[(8,4):(4@lane,1@lane)] over (8,4), {lane: 8})", "value"},
           Row{"(4,8)", "grid"},
           Row{"(4,8):(8,1)", "grid"},
           Row{"((8,4),(8,8)):((8,256),(1,64))", "grid"},
           Row{"((4,4),(4,4)):((1,16),(4,64))", "grid"},
           Row{"((4,8),(2,2,2)):((32,1),(16,8,128))", "threads"},
           Row{"atlas(mma.m16n8k16, C)", "threads"},
           Row{"Sw<3,3,3> o (64,64):(64,1)", "grid"},
           Row{"Sw<3,3,3>", "grid"},
           Row{"smem_atom(K_SW128, fp16)", "grid"},
           Row{"(4,5):(1@1,1@0)", "grid"},
           Row{"to_map((4,8):(8,1))", "grid"},
           Row{"zN<2>(32, 48)", "grid"},
           Row{"S[(4,8):(8,1)] over (4,8)", "grid"},
           Row{"S[(8,4):(4@lane,1@lane)] over (8,4)", "threads"},
           Row{"shard((64,128), mesh (2,2):(1,2), S0, R) over (64,128)", "mesh"},
           Row{"#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}> over (64,64)", "grid"},
           Row{"bf16[64,128]{1,0:T(8,128)(2,1)}", "tensor"},
           Row{"explain(complement((2,2):(4,1), 24))", "steps"},
           Row{"atlas(ldmatrix.x4)", "instruction"},
           Row{"ldmatrix.x4 over (64,64):(64,1), fp16", "access"},
           Row{"make_tiled_mma(mma.m16n8k16.f16, (2,2,1))", "tiled"},
           Row{"get_slice(make_tiled_mma(mma.m16n8k16.f16, (2,2,1)), 5)", "owned"},
           Row{"wavefronts([0, 144, 288, null, 512], 16)", "banks"},
           Row{"chain((64,64):(64,1), cp.async16, (64,64):(64,1), ldmatrix.x4, mma.m16n8k16.f16, A)", "chain"},
       }) {
    INFO(row.text);
    const Value value = valueOf(row.text);
    const std::vector<std::string_view> able = viewsFor(value);
    REQUIRE_FALSE(able.empty());
    CHECK(able.front() == row.view);
    const auto chosen = draw(value, "", {}), named = draw(value, row.view, {});
    REQUIRE(chosen.ok());
    REQUIRE(named.ok());
    CHECK(*ink(*chosen, "txt", {}) == *ink(*named, "txt", {}));
    CHECK(chosen->width > 0);
    CHECK(chosen->height > 0);
  }
}

TEST_CASE("a card says the value, whole, and knows no words") {
  const Value text = valueOf("wavefronts((64,64):(64,1), ldmatrix.x4, fp16)");
  const auto card = draw(text, "", {});
  REQUIRE(card.ok());
  CHECK(ink(*card, "txt", {})->find("{wavefronts: 512, ideal: 64, excess: 448}") != std::string::npos);
  CHECK(ink(*card, "csv", {})->find("512") != std::string::npos);
  DrawOptions options;
  options.arguments = {"fp16"};
  CHECK_FALSE(draw(text, "value", options).ok());
  CHECK(draw(valueOf("42"), "", {}).error().message == "42 is a number and cannot be drawn");
  CHECK(draw(text, "grid", {}).error().expected == "one of value");
}

// A window asks for every pane in every frame, while other threads draw a sheet of thousands.
TEST_CASE("the views of a layout are found once") {
  const Value value = valueOf("bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}");
  const auto steps = [&] {
    const WorkBudget limit({.steps = 1 << 30});
    (void)viewsFor(value);
    return limit.used();
  };
  const auto views = viewsFor(value);
  for (int other = 0; other < 20; ++other) (void)viewsFor(valueOf("bf16[8,16]{1,0:T(8,128)(2,1)}"));
  CHECK(steps() == 0);
  CHECK(viewsFor(value) == views);
  for (int other = 0; other < 200; ++other) (void)viewsFor(valueOf("(4,8):(8,1)"));
  CHECK(steps() > 0);
  CHECK(viewsFor(value) == views);
}
