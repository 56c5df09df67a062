// Pictures are data and obey laws: every cell shows the map's value, find is the inverse of cell, texts fit, colours
// are legible.
#include <catch2/catch.hpp>
#include <cmath>

#include "app/show/show.h"
#include "core/layout/layout.h"
#include "core/notation/axe/notation.h"
#include "core/notation/cute/notation.h"
#include "core/notation/indexing/map.h"
#include "core/notation/indexing/notation.h"
#include "core/notation/linear/notation.h"
#include "core/notation/triton/notation.h"
#include "core/notation/xla/notation.h"
#include "core/worksheet/worksheet.h"
#include "render/figure/palette.h"
#include "render/figure/text_metrics.h"
#include "render/ink/ink.h"
#include "tests/support/value_of.h"

using namespace tessera;

namespace {

Figure figureOf(const std::string& text, std::string_view view) {
  auto f = draw(valueOf(text), view, {});
  INFO(text << " as " << view);
  REQUIRE(f.ok());
  return *std::move(f);
}

const std::vector<std::string>& layouts() {
  static const std::vector<std::string> kLayouts = {"8:1",
                                                    "(4,8):(8,1)",
                                                    "((2,4),(3,2)):((3,24),(1,6))",
                                                    "Sw<3,3,3> o 0 o (8,64):(64,1)",
                                                    "(4,4):(-1,4)",
                                                    "(4,2):(1,2)",
                                                    "(3,5):(7,1)",
                                                    "(2,3,4):(12,4,1)",
                                                    "(1,1):(0,0)",
                                                    "40:3"};
  return kLayouts;
}

}  // namespace

TEST_CASE("every cell of a logical grid shows the map's value, and find leads back to it") {
  for (const std::string& text : layouts()) {
    const Value value = valueOf(text);
    const auto map = toMap(value);
    REQUIRE(map.ok());
    std::vector<i64> extents;
    for (const Digit& d : map->digits()) extents.push_back(d.extent);
    const Figure figure = figureOf(text, "grid");
    REQUIRE_FALSE(figure.grids.empty());
    i64 shown = 0;
    for (const Grid& g : figure.grids)
      for (i64 r = 0; r < g.rows; ++r)
        for (i64 c = 0; c < g.cols; ++c) {
          const Cell cell = g.cells->cell(r, c);
          if (!cell.point.real()) continue;
          ++shown;
          INFO(text << " cell " << r << "," << c);
          CHECK(cell.label == std::to_string(map->at(delinearize(cell.point.index, extents, LinearOrder::Colex))[0]));
          const auto where = g.cells->find(cell.point, 8);
          CHECK(std::find(where.begin(), where.end(), std::pair<i64, i64>(r, c)) != where.end());
          CHECK(g.cells->paint(r, c) == cell.paint);
        }
    CHECK(shown == *map->pointCount());
  }
}

TEST_CASE("memory order shows every coordinate at its address") {
  for (const std::string& text : layouts()) {
    const auto map = toMap(valueOf(text));
    std::vector<i64> extents;
    for (const Digit& d : map->digits()) extents.push_back(d.extent);
    const Figure figure = figureOf(text, "memory");
    std::vector<bool> seen(static_cast<std::size_t>(*map->pointCount()), false);
    for (const Grid& g : figure.grids)
      for (i64 n = 0; n < *map->pointCount(); ++n) {
        const u64 domain = figureOf(text, "grid").grids[0].cells->cell(0, 0).point.domain;
        for (const auto& [r, c] : g.cells->find({domain, n}, 4)) {
          CHECK(r < g.rows);
          CHECK(c < g.cols);
          seen[static_cast<std::size_t>(n)] = true;
        }
      }
    INFO(text);
    CHECK(std::count(seen.begin(), seen.end(), true) == *map->pointCount());
  }
}

TEST_CASE("marks are finite and every view of every layout has something to show") {
  for (const std::string& text : layouts()) {
    const Value value = valueOf(text);
    for (const std::string_view view : viewsFor(value)) {
      const auto drawn = draw(value, view, {});
      INFO(text << " as " << view);
      if (!drawn.ok()) {  // a refusal names the views that can show it, or the reason
        CHECK_FALSE(drawn.error().message.empty());
        continue;
      }
      CHECK_FALSE(drawn->title.empty());
      CHECK((!drawn->grids.empty() || !drawn->marks.empty() || !drawn->table.empty()));
      for (const Mark& m : drawn->marks) {
        const bool finite =
            std::isfinite(m.rect.x) && std::isfinite(m.rect.y) && std::isfinite(m.rect.w) && std::isfinite(m.rect.h);
        CHECK(finite);
      }
    }
  }
}

TEST_CASE("a map without coordinates and one without points are refused by the views of maps") {
  for (const char* text : {"() -> (3)", "()[s0] -> (s0), domain: s0 in [0, 3]", "KNOWN EMPTY"}) {
    const auto map = indexing::parse(text);
    REQUIRE(map.ok());
    for (const char* view : {"grid", "memory", "flow"}) CHECK_FALSE(draw(Value(*map), view, {}).ok());
  }
}

TEST_CASE("an unknown view names the ones that exist") {
  const auto drawn = draw(valueOf("(4,8):(8,1)"), "pie chart", {});
  REQUIRE_FALSE(drawn.ok());
  CHECK((drawn.error().message + drawn.error().expected + drawn.error().hint).find("grid") != std::string::npos);
}

TEST_CASE("a figure of 2^40 cells is made without touching them") {
  const Figure f = figureOf("Sw<3,3,3> o 0 o (1048576,1048576):(1048576,1)", "grid");
  const Grid& g = f.grids.at(0);
  CHECK(g.cells->cell(g.rows - 1, g.cols - 1).point.real());
  const auto svg = ink(f, "svg", {});
  REQUIRE(svg.ok());
  CHECK(svg->size() < 4000000);
}

TEST_CASE("a swizzled 512x512 is an SVG below two megabytes") {
  const auto svg = ink(figureOf("Sw<3,3,3> o 0 o (512,512):(512,1)", "grid"), "svg", {});
  REQUIRE(svg.ok());
  CHECK(svg->size() < 2000000);
  CHECK(svg->find("<svg") != std::string::npos);
  CHECK(svg->find("</svg>") != std::string::npos);
}

TEST_CASE("labels can be read on every fill, resting and lit, in both themes") {
  for (const Theme theme : {Theme::Light, Theme::Dark})
    for (int g = 0; g < 8; ++g)
      for (int m = 0; m < 4; ++m)
        for (const bool lit : {false, true}) {
          const Rgba fill = resolve({Role::Group, g, m, 0}, theme, lit);
          CAPTURE(g, m, lit);
          CHECK(contrast(fill, labelOn(fill)) >= 4.5);
        }
}

TEST_CASE("fitted text fits and keeps whole code points") {
  const std::string text = "Sw<3,3,3> \xe2\x88\x98 (64,64):(64,1) with a long tail";
  for (double width = 20; width < 400; width += 13) {
    const std::string cut = fitted(text, Face::Mono, 11, width);
    CHECK(textWidth(cut, Face::Mono, 11) <= width);
    CHECK((static_cast<unsigned char>(cut.back()) & 0xc0) != 0xc0);
  }
}

TEST_CASE("every ink writes every picture, and an unknown ending is refused") {
  const Figure f = figureOf("((2,4),(3,2)):((3,24),(1,6))", "grid");
  for (const char* format : {"svg", "tex", "txt", "csv", "json"}) {
    const auto bytes = ink(f, format, {});
    INFO(format);
    REQUIRE(bytes.ok());
    CHECK(bytes->find("58") != std::string::npos);  // (7, 5) lies at 3 + 72 ... the largest address of the layout
  }
  if (haveCairo()) {
    CHECK(ink(f, "png", {})->substr(1, 3) == "PNG");
    CHECK(ink(f, "pdf", {})->substr(0, 5) == "%PDF-");
  }
  CHECK_FALSE(ink(f, "docx", {}).ok());
}
