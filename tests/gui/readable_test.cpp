// The first fit is readable, and no text overlaps another.
#include <random>

#include "app/show/show.h"
#include "app/views/inspector/inspector.h"
#include "core/atlas/atlas.h"
#include "render/figure/text_metrics.h"
#include "render/gl/first_fit.h"
#include "tests/gui/app.h"
#include "tests/support/value_of.h"

using namespace tessera;

namespace {

// The column of pictures of a window 1920 x 1080 with one picture.
constexpr double kWidth = 1130, kRoom = 700;

Figure figureOf(const std::string& text, const std::string& view, std::vector<std::string> words = {}) {
  DrawOptions options;
  options.arguments = std::move(words);
  auto f = draw(valueOf(text), view, options);
  INFO(text << " as " << view);
  REQUIRE(f.ok());
  return *std::move(f);
}

LabelForm::Kind formAt(const Grid& g, double scale, double unit) {
  return labelForm(g, g.cellWidth * scale, g.cellHeight * scale, kLeastText * unit).kind;
}

struct Written {
  std::string text;
  Rect rect;
};

class Recorder final : public Painter {
 public:
  void rect(const Rect&, Rgba, Rgba, double, double) override {}
  void line(double, double, double, double, Rgba, double, bool) override {}
  void text(double x, double y, const std::string& s, Rgba, double size, Face face, Align align) override {
    const double w = textWidth(s, face, size);
    const double left = align == Align::Left ? x : align == Align::Center ? x - w / 2 : x - w;
    written.push_back({s, {left, y - size * 0.37, w, size * 0.74}});
  }
  void hatch(const Rect&, Rgba) override {}
  void cells(const CellBlock&) override {}
  std::vector<Written> written;
};

std::string firstOverlap(const std::vector<Written>& all) {
  std::vector<const Written*> byTop;
  for (const Written& w : all) byTop.push_back(&w);
  std::sort(byTop.begin(), byTop.end(), [](auto* a, auto* b) { return a->rect.y < b->rect.y; });
  for (std::size_t i = 0; i < byTop.size(); ++i)
    for (std::size_t j = i + 1; j < byTop.size(); ++j) {
      const Rect &a = byTop[i]->rect, &b = byTop[j]->rect;
      if (b.y >= a.y + a.h - 0.5) break;
      if (a.x < b.x + b.w - 1 && b.x < a.x + a.w - 1) return byTop[i]->text + " meets " + byTop[j]->text;
    }
  return "";
}

std::vector<Written> writtenAt(const Figure& figure, double scale, double unit, const Rect& clip, double x, double y) {
  Recorder recorder;
  View view;
  view.scale = scale;
  view.x = x;
  view.y = y;
  view.minLabel = 22 * unit;
  view.minBorder = 5 * unit;
  view.clip = clip;
  paintScene(figure, view, Theme::Dark, {}, recorder);
  return std::move(recorder.written);
}

}  // namespace

TEST_CASE("every instruction is whole at the first fit, with its threads and values where its cells have room") {
  int labelled = 0, all = 0;
  for (const AtlasRow& family : atlas()) {
    const AtlasRow row = bind(family, family.parameter.empty() ? 0 : family.parameter.front());
    const auto figure = draw(Value(row), "", {});
    if (!figure) continue;
    for (const double unit : {1.0, 2.0}) {  // 1920 x 1080, and 3840 x 2160 at scale 2
      const FirstFit fit = firstFit(*figure, kWidth * unit, kRoom * unit, unit, false);
      INFO(row.name << " at scale " << fit.scale);
      const Rect e = wantedExtent(*figure);
      CHECK((!fit.cut || e.h > 2 * e.w));  // a thread of cells starts at its top
      bool some = true;
      for (const Grid& g : figure->grids)
        some = some && (!g.lettered || formAt(g, fit.scale, unit) != LabelForm::Kind::None);
      labelled += some;
      ++all;
      const auto written = writtenAt(*figure, fit.scale, unit, {0, 0, kWidth * unit, fit.height}, fit.x, fit.y);
      CHECK(firstOverlap(written) == "");
    }
  }
  INFO(labelled << " of " << all);
  CHECK(labelled * 2 > all);
}

TEST_CASE("a swizzle of 64 columns is whole; its labels need a wider column, and the scene says so") {
  const Figure figure = figureOf("Sw<3,3,3> o (64,64):(64,1)", "grid");
  for (const double unit : {1.0, 2.0}) {
    const FirstFit fit = firstFit(figure, kWidth * unit, kRoom * unit, unit, true);
    CHECK_FALSE(fit.cut);
    CHECK(formAt(figure.grids.at(0), fit.scale, unit) == LabelForm::Kind::None);
    const FirstFit wide = firstFit(figure, 2400 * unit, kRoom * unit, unit, true);
    CHECK(formAt(figure.grids.at(0), wide.scale, unit) != LabelForm::Kind::None);
    CHECK(readableScale(figure, unit) <= wide.scale * 1.001);
  }
}

TEST_CASE("the words of a chain can be read at the first fit") {
  for (const double width : {526.0, kWidth}) {
    DrawOptions options;
    options.width = width < 880 ? width : 0;
    const auto f = draw(valueOf("chain((16,16):(16,1), cp.async16, (16,16):(16,1), ldmatrix.x4, mma.m16n8k16.f16, A)"),
                        "chain", options);
    REQUIRE(f.ok());
    const FirstFit fit = firstFit(*f, width, kRoom, 1, true);
    for (const Mark& m : f->marks) {
      if (m.kind == Mark::Kind::Text) CHECK(m.size * fit.scale >= 9);
    }
  }
}

TEST_CASE("row numbers are as large as elsewhere where columns have no names") {
  const Figure f = figureOf("shard((64,128), mesh (2,2):(1,2), S0, R) over (64,128)", "mesh");
  class Sizes final : public Painter {
   public:
    void rect(const Rect&, Rgba, Rgba, double, double) override {}
    void line(double, double, double, double, Rgba, double, bool) override {}
    void text(double, double, const std::string& s, Rgba, double size, Face, Align) override {
      if (s == "32") least = std::min(least, size);
    }
    void hatch(const Rect&, Rgba) override {}
    void cells(const CellBlock&) override {}
    double least = 1e9;
  };
  Sizes sizes;
  View view;
  view.minLabel = 22;
  view.x = -40;
  view.y = -40;
  view.clip = {0, 0, 900, 700};
  paintScene(f, view, Theme::Dark, {}, sizes);
  CHECK(sizes.least < 1e9);
  CHECK(sizes.least >= 10);
}

TEST_CASE("a picture without readable labels is first seen whole") {
  const Figure figure = figureOf("(4096,4096):(4096,1)", "grid");
  const FirstFit fit = firstFit(figure, kWidth, kRoom, 1, false);
  const Rect e = wantedExtent(figure);
  CHECK(e.w * fit.scale <= kWidth);
  CHECK(e.h * fit.scale <= kRoom);
}

TEST_CASE("a picture whose corner is empty is first seen where its cells are") {
  // A product has nothing left of B: in a small window that was all there was to see.
  for (const auto& [text, view] : {std::pair{"make_tiled_mma(mma.m16n8k16.f16, (2,2,1))", "tiled"},
                                   {"atlas(wgmma.m64n64k16.f32.f16.f16.rs)", "instruction"},
                                   {"atlas(mma.m16n8k16.f32.f16.f16.f32)", "instruction"}})
    for (const double width : {300.0, 540.0, 900.0})
      for (const double room : {200.0, 430.0, 900.0}) {
        INFO(text << " in " << width << " x " << room);
        const Figure f = figureOf(text, view);
        const FirstFit fit = firstFit(f, width, room, 1, true);
        const double right = fit.x + width / fit.scale, bottom = fit.y + std::min(fit.height, room) / fit.scale;
        bool seen = false;
        for (const Grid& g : f.grids)
          seen = seen || (g.x + g.cellWidth < right && g.y + g.cellHeight < bottom &&
                          g.x + g.cellWidth * static_cast<double>(g.cols) > fit.x &&
                          g.y + g.cellHeight * static_cast<double>(g.rows) > fit.y);
        CHECK(seen);
      }
}

TEST_CASE("a picture is never wider than its column, and never higher than some columns") {
  for (const auto& [text, view] : {std::pair{"(4,8):(8,1)", "grid"},
                                   {"(128,8):(8,1)", "grid"},
                                   {"(100000,4):(4,1)", "grid"},
                                   {"(64,64):(64,1)", "memory"},
                                   {"(4,8):(8,1)", "flow"},
                                   {"1:0", "grid"}})
    for (const double width : {60.0, 200.0, 700.0, 1600.0})
      for (const double room : {120.0, 400.0, 1000.0}) {
        const Figure f = figureOf(text, view);
        const FirstFit fit = firstFit(f, width, room, 1, false);
        INFO(text << " as " << view << " in " << width << " x " << room);
        CHECK(fit.scale > 0);
        const bool hasRoom = ExtentAt(f)(1e-6, 1).w + 16 <= width;  // for its row numbers
        CHECK((!hasRoom || ExtentAt(f)(fit.scale, 1).w <= width * 1.001));
        CHECK(fit.height <= 5.1 * room);
      }
}

TEST_CASE("nothing is written over anything else, at any scale") {
  const std::pair<const char*, const char*> pictures[] = {{"(4,8):(8,1)", "grid"},
                                                          {"Sw<1,1,2> o 0 o (4,8):(8,1)", "flow"},
                                                          {"Sw<1,1,2> o 0 o (4,8):(8,1)", "f2"},
                                                          {"((2,4),(3,2)):((3,24),(1,6))", "grid"},
                                                          {"(4,2):(1,2)", "memory"},
                                                          {"atlas(mma.m16n8k16.f32.f16.f16.f32)", "instruction"},
                                                          {"atlas(ldmatrix.x4)", "instruction"},
                                                          {"atlas(wgmma.m64n64k16.f32.f16.f16.rs)", "instruction"},
                                                          {"wavefronts([0, 128, 256, 4, 8, null], 4)", "banks"},
                                                          {"bf16[10,200]{1,0:T(8,128)(2,1)}", "tiles"},
                                                          {"f32[3,5]{1,0:T(2,2)}", "tensor"},
                                                          {"bf16[4,8]{0,1:T(2,4)(2,1)}", "address"}};
  for (const auto& [text, view] : pictures) {
    const Figure figure = figureOf(text, view);
    for (const double scale : {0.1, 0.2, 0.3, 0.46, 0.6, 0.74, 0.9, 1.0, 1.3, 2.0, 3.0}) {
      const Rect e = wantedExtent(figure);
      INFO(text << " as " << view << " at " << scale);
      CHECK(firstOverlap(writtenAt(figure, scale, 1, {0, 0, e.w * scale, e.h * scale}, e.x, e.y)) == "");
    }
  }
}

TEST_CASE("a search shows the worst access before and after, the others on demand") {
  App app;
  app.session.document().replace(0, 0,
                                 "A = (64,64):(64,1)\nfind swizzle for A where conflict_free(ldmatrix.x4, fp16) and "
                                 "conflict_free(st.shared.v4, fp16)");
  app.session.touch();
  app.settle();
  const Figure& figure = *app.outcome(1).figure;
  CHECK(figure.grids.size() == 2);
  REQUIRE(figure.choices.size() == 1);
  CHECK(figure.choices[0].words == std::vector<std::string>{"worst", "ldmatrix.x4", "st.shared.v4", "all"});
  CHECK(figure.grids[0].cells->paint(0, 0).role == Role::Heat);  // before
  CHECK(figure.grids[1].cells->paint(0, 0).role != Role::Heat);  // after
  DrawOptions all;
  all.arguments = {"all"};
  const auto every = draw(*app.outcome(1).value, "search", all);
  REQUIRE(every.ok());
  CHECK(every->grids.size() == 4);
  all.arguments = {"nonsense"};
  CHECK_FALSE(draw(*app.outcome(1).value, "search", all).ok());
  // Read at normal size: nothing smaller than 9 pixels in a column of 1130.
  const FirstFit fit = firstFit(figure, kWidth, kRoom, 1, true);
  for (const Mark& m : figure.marks)
    if (m.kind == Mark::Kind::Text) CHECK(m.size * fit.scale >= 9);
}

TEST_CASE("a printed formula can be pasted back") {
  std::mt19937 random(11);
  for (const char* text : {"(4,8):(8,1)", "Sw<3,3,3> o (64,64):(64,1)", "Sw<2,0,3> o 5 o (8,8):(9,1)",
                           "((2,4),(3,2)):((3,24),(1,6))", "(5,7):(-3,11)", "Sw<2,1,-3> o (8,32):(32,1)"}) {
    App app;
    app.session.document().replace(0, 0, std::string("L = ") + text + "\nshow L as grid");
    app.session.touch();
    app.settle();
    const Grid& grid = app.outcome(1).figure->grids.at(0);
    for (int k = 0; k < 20; ++k) {
      const i64 row = static_cast<i64>(random() % static_cast<unsigned>(grid.rows)),
                col = static_cast<i64>(random() % static_cast<unsigned>(grid.cols));
      const Cell cell = grid.cells->cell(row, col);
      std::string formula;
      for (const auto& fact : panes::factsAbout(*app.outcome(1).show->value, cell.point))
        if (fact.name == "formula") formula = fact.value;
      INFO(text << " at (" << row << "," << col << "): " << formula);
      REQUIRE(!formula.empty());
      CHECK(std::get<i64>(valueOf(formula)) == std::stoll(cell.label));
      CHECK(formula.find("+ 31 xor") == std::string::npos);
    }
  }
}
