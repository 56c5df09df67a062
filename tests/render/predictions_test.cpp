// The picture of predictions: it marks exactly the disagreements, and the table agrees with the picture.
#include <algorithm>
#include <catch2/catch.hpp>

#include "core/analysis/memory/prediction.h"
#include "render/draw/views.h"

using namespace tessera;

namespace {

PredictionRow rowOf(const std::string& instruction, int wavefronts, std::optional<double> measured) {
  PredictionRow row;
  row.line = 7, row.instruction = instruction, row.operand = "%s", row.layout = "[64,64:64,1].fp16.SH";
  row.times = 16, row.ideal = 4, row.wavefronts = wavefronts;
  row.measured = measured;
  if (measured) row.cycles = *measured;
  if (measured) row.agreement = agree(*measured, wavefronts) ? Agreement::Agrees : Agreement::Disagrees;
  if (row.agreement == Agreement::Disagrees) row.why = "it differs";
  return row;
}

auto flaggedOf(const Figure& figure) {
  return std::count_if(figure.marks.begin(), figure.marks.end(),
                       [](const Mark& m) { return m.kind == Mark::Kind::Rectangle && m.stroke.role == Role::Refuted; });
}
bool says(const Figure& figure, const std::string& text) {
  return std::any_of(figure.marks.begin(), figure.marks.end(), [&](const Mark& m) { return m.text == text; });
}

}  // namespace

TEST_CASE("rows that disagree are flagged, and the others are quiet") {
  PredictionTable table;
  table.title = "t";
  table.rows = {rowOf("ldmatrix.x4", 4, 4.1), rowOf("ldmatrix.x4", 32, 4), rowOf("cp.async.cg.16", 4, std::nullopt)};
  const auto figure = drawPredictions(table, {});
  REQUIRE(figure.ok());
  CHECK(flaggedOf(*figure) == 1);
  CHECK(says(*figure, "it differs"));
  CHECK(says(*figure, "not measured"));
  CHECK(figure->table.size() == 4);
  CHECK(figure->subtitle.find("1 disagrees") != std::string::npos);
  table.rows.erase(table.rows.begin() + 1);
  CHECK(flaggedOf(*drawPredictions(table, {})) == 0);
  // The columns of what was measured are there when something was.
  CHECK(says(*figure, "measured"));
  table.rows.erase(table.rows.begin());
  CHECK_FALSE(says(*drawPredictions(table, {}), "measured"));
}

TEST_CASE("no accesses, no measurements, words that are none") {
  PredictionTable table;
  table.title = "t";
  const auto empty = drawPredictions(table, {});
  REQUIRE(empty.ok());
  CHECK(says(*empty, "No instruction of it touches shared memory."));
  CHECK(empty->width > 0);
  DrawOptions options;
  options.arguments = {"loud"};
  CHECK_FALSE(drawPredictions(table, options).ok());
  ProfiledKernel kernel;
  kernel.kernel = "C_MatMul", kernel.wavefronts = 96, kernel.counters = {{"l1tex__x.sum", 96}};
  table.profiled = {kernel};
  const auto counters = drawPredictions(table, {});
  REQUIRE(counters.ok());
  CHECK(says(*counters, "l1tex__x.sum"));
}
