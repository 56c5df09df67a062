// Golden pictures of measurements: the exact text of SVG and CSV. The numbers are invented, for a device that does not
// exist; the test is about the drawing. TESSERA_UPDATE_GOLDEN=1 rewrites them.
#include "render/draw/measure/measured.h"

#include <catch2/catch.hpp>
#include <iterator>

#include "render/ink/ink.h"
#include "tests/support/approved.h"

using namespace tessera;

namespace {

using Look = MeasuredBar::Look;

MeasuredPicture sample() {
  MeasuredPicture p;
  p.title = "sample: measured";
  p.subtitle = "on No Such GPU, M = 8, seed 1";
  p.caption = "sample takes 40 us, 1.25 times the library's median.";
  p.badges = {{"right", Role::Proved}, {"stale: the program has changed since", Role::Unknown}};
  MeasuredBars time{"TIME IN MICROSECONDS: MEDIAN AND QUARTILES", "", {}, 10, "roofline 10 us, bound by memory"};
  time.bars = {{Look::Kernel, "sample", "stages=3", 40, 38, 45, {}, "40 us"},
               {Look::Variant, "without swizzle", "", 80, 80, 80, {}, "80 us"},
               {Look::Library, "library", "", 32, 31, 33, {}, "32 us"},
               {Look::Unfused, "in two steps", "", 60, 50, 70, {}, "60 us"},
               {Look::Wrong, "without ldmatrix", "", 5, 5, 5, {}, "5 us"},
               {Look::Variant, "stages=9", "", {}, 0, 0, {}, "needs more shared memory than there is"}};
  MeasuredBars counts{"SHARED MEMORY, WAVEFRONTS", "without bank conflicts", {}, {}, ""};
  counts.bars = {{Look::Kernel, "sample", "", 64, 64, 64, {}, "64"},
                 {Look::Variant, "without swizzle", "", 256, 256, 256, 64, "256 for 64"},
                 {Look::Variant, "none at all", "", 0, 0, 0, {}, "0"}};
  p.groups = {time, counts};
  p.checks = {{Truth::Proved, "sample", "relative error 0.0003; worst element %C[3,5]: 1.25 instead of 1.2502"},
              {Truth::Refuted, "without ldmatrix", "%C[0,0] is wrong: 5 instead of 1"},
              {Truth::Unknown, "stages=9", "not compared"}};
  p.resources = {{"", "registers a thread", "warps"}, {false, true, true}, {{"sample", "96", "32 of 64"}}};
  p.all = {{"name", "median"}, {false, true}, {{"sample", "40 us"}, {"without swizzle", "80 us"}}};
  return p;
}

}  // namespace

TEST_CASE("bars and table of a run are as they were approved") {
  for (const auto& [name, figure] :
       {std::pair{"measured_bars", drawBars(sample())}, {"measured_table", drawMeasuredTable(sample())}}) {
    testing::checkApproved(figure, name, {"svg", "csv"});
  }
}

TEST_CASE("lengths are ratios: every bar of a group has the same unit, and begins at the same place") {
  const Figure figure = drawBars(sample());
  std::vector<Rect> bars;
  for (const Mark& m : figure.marks)
    if (m.kind == Mark::Kind::Rectangle && m.fill.role != Role::Raised && m.fill.role != Role::None)
      bars.push_back(m.rect);
  const double values[] = {40, 80, 32, 60, 5, 64, 256};  // in the order of drawing; no bar for what has no value, or 0
  REQUIRE(bars.size() == std::size(values));
  for (std::size_t k = 0; k < bars.size(); ++k) {
    const std::size_t first = k < 5 ? 0 : 5;
    CHECK(bars[k].x == bars[first].x);
    CHECK(bars[k].w / bars[first].w == Approx(values[k] / values[first]));
  }
}

TEST_CASE("a picture without anything to compare still says what it knows") {
  MeasuredPicture empty;
  empty.title = "empty";
  for (const Figure& figure : {drawBars(empty), drawMeasuredTable(empty)}) {
    CHECK(figure.title == "empty");
    for (const char* format : {"svg", "txt", "csv", "json", "tex"}) CHECK(ink(figure, format, {}).ok());
  }
}
