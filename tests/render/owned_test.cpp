// The view owned: a cell shows V exactly if the thread holds the element as its value V; the slider is the thread.
#include <catch2/catch.hpp>

#include "app/show/show.h"
#include "core/atlas/thread_slice.h"
#include "core/notation/cute/layout.h"
#include "render/ink/ink.h"
#include "tests/support/value_of.h"

using namespace tessera;

namespace {

const std::string kMma = "make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1))";

Figure owned(const std::string& text, std::vector<std::string> words = {}, std::optional<i64> slider = {}) {
  DrawOptions options;
  options.arguments = std::move(words);
  if (slider) options.fixed = {{0, *slider}};
  const auto figure = draw(valueOf(text), "owned", options);
  INFO(text << (figure ? "" : ": " + figure.error().message));
  REQUIRE(figure.ok());
  return *figure;
}

// Every cell against the (thread, value) layout over rows x columns.
void checkGrid(const Grid& grid, const cute::Layout& threadValue, i64 thread, i64 rows, bool transposed) {
  const cute::Layout threads = threadValue.mode(0), values = threadValue.mode(1);
  eachCell(grid.rows, grid.cols, [&](i64 row, i64 col) {
    const i64 index = transposed ? col + rows * row : row + rows * col;
    std::string label;
    for (i64 v = 0; v < values.size(); ++v)
      if (threads(thread) + values(v) == index) label += (label.empty() ? "V" : ",") + std::to_string(v);
    const Cell cell = grid.cells->cell(row, col);
    CHECK(cell.label == label);
    CHECK((cell.paint.role == Role::Faded) == label.empty());
  });
}

}  // namespace

TEST_CASE("owned shows what one thread of a tiled mma holds") {
  const Value value = valueOf(kMma);
  const TiledMma& mma = *as<TiledMma>(value);
  for (const i64 thread : {0, 5, 37, 127}) {
    const Figure figure = owned(kMma, {std::to_string(thread)});
    REQUIRE(figure.grids.size() == 3);
    checkGrid(figure.grids[0], mma.a, thread, mma.tile[0], false);
    checkGrid(figure.grids[1], mma.b, thread, mma.tile[1], true);
    checkGrid(figure.grids[2], mma.c, thread, mma.tile[0], false);
    REQUIRE(figure.modes.size() == 1);
    CHECK(figure.modes[0].name == "thread");
    CHECK(figure.modes[0].extent == 128);
    CHECK(figure.modes[0].value == thread);
  }
  CHECK(owned(kMma, {"37"}).caption ==
        "Thread 37, lane 5 of warp 1, holds 8 of 512 elements of A (V0 at 17,2; V1 at 17,3; V2 at 25,2; V3 at 25,3; "
        "...); 4 of 256 elements of B, drawn as K x N (V0 at 2,1; V1 at 3,1; V2 at 10,1; V3 at 11,1); 4 of 512 "
        "elements of C (V0 at 17,2; V1 at 17,3; V2 at 25,2; V3 at 25,3).");
}

TEST_CASE("the slider is stronger than the word, and a slice has its own thread") {
  CHECK(owned(kMma, {"5"}, 9).modes[0].value == 9);
  CHECK(owned(kMma, {"thread", "5"}).modes[0].value == 5);
  CHECK(owned("get_slice(" + kMma + ", 9)").modes[0].value == 9);
  const Value slice = valueOf("get_slice(" + kMma + ", 9)");
  CHECK(viewsFor(slice).front() == "owned");
}

TEST_CASE("owned of a copy and of layouts from hardware to elements") {
  const Value value = valueOf("make_tiled_copy(SM75_U32x4_LDSM_N, fp16, (32,1), (1,8))");
  const TiledCopy& copy = *as<TiledCopy>(value);
  const Figure figure = owned("make_tiled_copy(SM75_U32x4_LDSM_N, fp16, (32,1), (1,8))", {"3"});
  REQUIRE(figure.grids.size() == 2);
  checkGrid(figure.grids[0], copy.source, 3, copy.tile[0], false);
  checkGrid(figure.grids[1], copy.destination, 3, copy.tile[0], false);

  // The same fragment in three notations.
  const auto cells = [](const Figure& f) {
    std::string out;
    eachCell(f.grids[0].rows, f.grids[0].cols, [&](i64 r, i64 c) { out += f.grids[0].cells->cell(r, c).label + ";"; });
    return out;
  };
  const std::string cute = cells(owned("((4,8),(2,2)):((32,1),(16,8))", {"5", "16x8"}));
  CHECK(cute.find("r0;r1;") != std::string::npos);
  CHECK(cells(owned("S[(2,8,4,2):(2@reg,4@lane,1@lane,1@reg)] over (16,8)", {"5"})) == cute);
  CHECK(cells(owned("#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}> "
                    "over (16,8)",
                    {"5"})) == cute);
}

TEST_CASE("owned refuses threads and words that do not exist") {
  const auto refused = [](const std::string& text, std::vector<std::string> words) {
    DrawOptions options;
    options.arguments = std::move(words);
    const auto figure = draw(valueOf(text), "owned", options);
    REQUIRE(!figure.ok());
    return figure.error().message;
  };
  CHECK(refused(kMma, {"128"}) == "thread 128 of 128 threads");
  CHECK(refused(kMma, {"warp", "1"}) == "the owned view knows no \"warp\"");
  CHECK(refused("make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1), (1048576,1048576,16))", {}).find("too large") !=
        std::string::npos);
  CHECK(refused("(4,8):(8,1)", {}) == "the view owned does not show a layout");
}
