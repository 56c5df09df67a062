// The hardware views: every instruction draws, every cell shows the owner of its element, and heat equals the bank
// model.
#include <catch2/catch.hpp>
#include <random>

#include "app/show/show.h"
#include "core/worksheet/worksheet.h"
#include "render/draw/hardware/thread_tile.h"
#include "render/ink/ink.h"
#include "tests/support/value_of.h"

using namespace tessera;

namespace {

const Grid& gridNamed(const Figure& f, const std::string& name) {
  for (const Grid& g : f.grids)
    if (g.name == name) return g;
  FAIL("no grid " << name);
  return f.grids.front();
}

}  // namespace

TEST_CASE("every instruction of the atlas draws, or says why not") {
  int drawn = 0, refused = 0;
  for (const AtlasRow& family : atlas()) {
    const AtlasRow row = bind(family, family.parameter.empty() ? 0 : family.parameter.front());
    INFO(row.name);
    const auto figure = draw(Value(row), "", {});
    if (!figure) {
      CHECK(row.family == AtlasFamily::Tma);
      ++refused;
      continue;
    }
    ++drawn;
    CHECK(!figure->grids.empty());
    for (const Grid& g : figure->grids) {
      CHECK(g.rows > 0);
      CHECK(!g.cells->cell(g.rows - 1, g.cols - 1).label.empty());
    }
  }
  CHECK(drawn > 350);
  CHECK(refused == 10);
}

TEST_CASE("a cell of an operand says the thread and value that the layout says") {
  for (const char* name : {"mma.m16n8k16.f32.f16.f16.f32", "mma.m16n8k32.s32.s8.s8.s32",
                           "mma.m8n8k4.row.col.f32.f16.f16.f32", "wgmma.m64n64k16.f32.f16.f16.rs"}) {
    const auto row = findInstruction(name);
    REQUIRE(row.ok());
    const auto figure = draw(Value(*row), "instruction", {});
    REQUIRE(figure.ok());
    const auto id = cute::parseLayout(row->threadId);
    for (const AtlasOperand& o : row->operands) {
      if (o.space != OperandSpace::Register) continue;
      const Grid& grid = gridNamed(*figure, o.name);
      const auto layout = threadValue(o);
      REQUIRE(layout.ok());
      const i64 threads = layout->mode(0).size(), values = layout->mode(1).size(), rows = rowsOf(o);
      for (i64 t = 0; t < threads; ++t) {
        for (i64 v = 0; v < values; ++v) {
          const i64 index = (*layout)(t + threads * v);
          const i64 r = index % rows, c = index / rows;
          const Cell cell = o.name == "B" ? grid.cells->cell(c, r) : grid.cells->cell(r, c);
          if (cell.label != "T" + std::to_string((*id)(t)) || cell.second != "V" + std::to_string(v)) {
            INFO(name << " " << o.name << " (" << r << "," << c << ") says " << cell.label << " " << cell.second);
            CHECK(false);
          }
        }
      }
    }
  }
}

TEST_CASE("all cells of a lane are one point, found again") {
  const auto figure = draw(valueOf("atlas(mma.m16n8k16.f16)"), "instruction", {});
  REQUIRE(figure.ok());
  const Cell cell = gridNamed(*figure, "A").cells->cell(9, 3);
  CHECK(cell.label == "T5");
  std::size_t lit = 0;
  for (const Grid& g : figure->grids) {
    for (const auto& [r, c] : g.cells->find(cell.point, 1000)) {
      CHECK(g.cells->cell(r, c).label == "T5");
      ++lit;
    }
  }
  CHECK(lit == 8 + 4 + 4);
}

TEST_CASE("isolating fades the others, and nonsense is refused") {
  DrawOptions options;
  options.arguments = {"thread", "5"};
  const auto figure = draw(valueOf("atlas(mma.m16n8k16.f16)"), "instruction", options);
  REQUIRE(figure.ok());
  const Grid& a = gridNamed(*figure, "A");
  CHECK(a.cells->paint(9, 3).role == Role::Group);
  CHECK(a.cells->paint(0, 0).role == Role::Faded);
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"thread"}, {"thread", "x"}, {"blue"}}) {
    options.arguments = words;
    CHECK(!draw(valueOf("atlas(mma.m16n8k16.f16)"), "instruction", options).ok());
  }
}

TEST_CASE("the heat of a bank is the number of its words") {
  std::mt19937_64 random(3);
  for (int n = 0; n < 60; ++n) {
    const int width = 1 << (random() % 5);
    std::string list;
    for (int lane = 0; lane < 32; ++lane)
      list += (lane == 0 ? "" : ", ") +
              (random() % 8 == 0 ? std::string("null") : std::to_string(static_cast<i64>(random() % 512) * width));
    const Value value = valueOf("wavefronts([" + list + "], " + std::to_string(width) + ")");
    const auto figure = draw(value, "banks", {});
    REQUIRE(figure.ok());
    const auto& access = std::get<BankAccess>(value);
    const Grid& heat = gridNamed(*figure, "phases");
    for (i64 p = 0; p < heat.rows; ++p) {
      int most = 0;
      for (i64 b = 0; b < 32; ++b) {
        const std::string label = heat.cells->cell(p, b).label;
        most = std::max(most, label.empty() ? 0 : std::stoi(label));
      }
      CHECK(most == access.report.phaseWavefronts[static_cast<std::size_t>(p)]);
    }
  }
}

TEST_CASE("the bank view: types, accesses, positions and phases, and what is wrong with them") {
  const Value tile = valueOf("(64,64):(64,1)");
  const auto with = [&](std::vector<std::string> words) {
    DrawOptions options;
    options.arguments = std::move(words);
    return draw(tile, "banks", options);
  };
  CHECK(with({"fp16"})->title.find("ldmatrix.x4 at (0,0)") != std::string::npos);
  CHECK(with({"f32"})->title.find("ld.shared.v4") != std::string::npos);
  CHECK(with({"fp16", "ldmatrix.x4", "at", "16", "32"})->title.find("at (16,32)") != std::string::npos);
  CHECK(with({"fp16", "phase", "2"}).ok());
  CHECK(with({}).error().message.find("element type") != std::string::npos);
  CHECK(with({"fp16", "phase", "4"}).error().message.find("no phase 4") != std::string::npos);
  CHECK(with({"fp16", "at", "1", "1"}).error().message.find("no ldmatrix.x4 of this tile is at (1,1)") !=
        std::string::npos);
  CHECK(!with({"fp16", "at", "x"}).ok());
  CHECK(!with({"fp16", "nonsense"}).ok());
  CHECK(!with({"fp16", "ld.global"}).ok());
}

TEST_CASE("a chain's stages are one tile: a point is found in each") {
  const auto figure = draw(
      valueOf("chain((32,32):(4096,1), cp.async16, (32,32):(32,1), ldmatrix.x4, mma.m16n8k16.f16, A)"), "chain", {});
  REQUIRE(figure.ok());
  const Cell cell = gridNamed(*figure, "global").cells->cell(5, 7);
  CHECK(cell.label == std::to_string(5 * 4096 + 7));
  const auto places = gridNamed(*figure, "shared").cells->find(cell.point, 4);
  REQUIRE(places.size() == 1);
  CHECK(places.front() == std::pair<i64, i64>{5, 7});
}
