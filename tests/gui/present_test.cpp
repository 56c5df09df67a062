// The presentation: a sheet as slides, the pictures of one layout at a time, the path of a cell across them, its frames,
// and the two paths of a counterexample.
#include "app/gui/panes/present.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "app/engine/kernel/kernel_value.h"
#include "app/session/gallery.h"
#include "app/views/present/slides.h"
#include "tests/gui/app.h"

using namespace tessera;

namespace {

const std::string kSheet =
    "// # The swizzle\n//\n// Shared memory has *32* banks,\n// see [banks](10_gemm_shared_tile.tess).\n"
    "A = (4,8):(8,1)\nB = (4,8):(1,4)\nshow A as grid\nshow A as memory\nshow B as grid\n\n// ## Another\n// - one\n// "
    "- two\nprove injective(A)\n";

panes::PathScene sceneOf(const Snapshot& now, const std::vector<std::size_t>& pictures) {
  panes::PathScene scene;
  for (const std::size_t k : pictures) scene.pictures.push_back({now.outcomes[k], k});
  return scene;
}

std::vector<std::string> textsOf(const std::vector<panes::PathStop>& stops) {
  std::vector<std::string> texts;
  for (const panes::PathStop& s : stops) texts.push_back(s.text);
  return texts;
}

std::vector<std::size_t> picturesOf(const std::vector<panes::PathStop>& stops) {
  std::vector<std::size_t> pictures;
  for (const panes::PathStop& s : stops) pictures.push_back(s.picture);
  return pictures;
}

const Cell cellAt(const panes::PathScene& scene, const panes::PathStop& stop) {
  const Grid& g = scene.pictures[stop.picture].outcome->figure->grids[stop.at->grid];
  return g.cells->cell(stop.at->row, stop.at->col);
}

const std::string kLinked =
    "S = Sw<3,3,3> o 0 o (64,64):(64,1)\nshow S as grid\nshow S as memory\nshow S as banks fp16 ldmatrix.x4\n";

}  // namespace

TEST_CASE("a sheet becomes slides: the prose, its statements, and a slide for the pictures of each layout") {
  App app;
  app.session.document().reset(kSheet);
  app.settle();
  const auto slides = panes::slidesOf(*app.session.evaluation().snapshot(), app.session.tasks);
  REQUIRE(slides.size() == 3);
  CHECK(slides[0].heading == "The swizzle");
  CHECK(slides[0].paragraphs == std::vector<std::string>{"Shared memory has 32 banks, see banks."});
  CHECK(slides[0].code.size() == 5);
  CHECK(slides[0].pictures == std::vector<std::size_t>{2, 3});  // of A
  CHECK(slides[1].pictures == std::vector<std::size_t>{4});     // of B
  CHECK(slides[1].paragraphs == slides[0].paragraphs);
  CHECK(slides[2].heading == "Another");
  CHECK(slides[2].paragraphs.size() == 2);
  CHECK(slides[2].pictures.empty());
}

TEST_CASE("every statement of a lesson is on a slide, and every picture on exactly one") {
  addKernels();
  for (const GalleryItem& item : gallery()) {
    INFO(item.path);
    Session session;
    REQUIRE(session.openGallery(item.path));
    REQUIRE(session.waitUntilEvaluated(600));
    const auto now = session.evaluation().snapshot();
    const auto slides = panes::slidesOf(*now, session.tasks);
    std::multiset<std::size_t> pictures;
    int last = 0;
    for (const panes::Slide& slide : slides) {
      CHECK(slide.firstLine >= last);
      last = std::max(last, slide.firstLine);
      pictures.insert(slide.pictures.begin(), slide.pictures.end());
      CHECK(slide.pictures.size() <= 4);
    }
    for (std::size_t k = 0; k < now->outcomes.size(); ++k) {
      const Outcome& o = *now->outcomes[k];
      CHECK(pictures.count(k) == (o.figure && session.tasks.shows(o) ? 1U : 0U));
      CHECK(std::ranges::any_of(slides, [&](const panes::Slide& s) {
        return s.firstLine <= o.statement.line && o.statement.line <= s.lastLine && !s.code.empty();
      }));
    }
  }
}

TEST_CASE("a path leads through the pictures that show its stops, and each stop's cell is the point") {
  App app;
  app.session.document().reset(kLinked);
  app.settle();
  const auto now = app.session.evaluation().snapshot();
  const panes::PathScene scene = sceneOf(*now, {1, 2, 3});
  REQUIRE(panes::routesOf(scene) == 4096);
  // S(r, c) = r * 64 + ((c / 8 ^ r % 8) * 8 + c % 8), two bytes each, 32 banks of 4 bytes.
  for (const auto& [r, c] : {std::pair{0, 0}, {1, 2}, {9, 7}, {15, 12}}) {
    INFO(r << ", " << c);
    const auto route = panes::routeAt(scene, r * 64 + c);
    REQUIRE(route);
    const auto stops = panes::stopsOf(*now, scene, *route);
    const int offset = r * 64 + ((c / 8) ^ (r % 8)) * 8 + c % 8;
    REQUIRE(stops.size() == 5);
    CHECK(stops[0].text == fmt::format("coordinate ({}, {})", r, c));
    CHECK(stops[1].text == fmt::format("offset {}", offset));
    CHECK(stops[2].text == fmt::format("byte {}", offset * 2));
    CHECK(stops[3].text == fmt::format("bank {}", offset / 2 % 32));
    CHECK(stops[4].text.starts_with("lane "));
    CHECK(picturesOf(stops) == std::vector<std::size_t>{0, 1, 1, 2, 2});
    for (const panes::PathStop& s : stops) {
      REQUIRE(s.at);
      const std::vector<Point> points = pointsOf(cellAt(scene, s));
      CHECK(std::ranges::find(points, route->from.point) != points.end());
    }
  }
  // The banks are those of one access, which does not read this cell: the path stays in the memory.
  CHECK(picturesOf(panes::stopsOf(*now, scene, *panes::routeAt(scene, 63 * 64 + 40))) ==
        std::vector<std::size_t>{0, 1, 1, 1, 1});
  // In one picture the path stays there.
  const panes::PathScene one = sceneOf(*now, {1});
  const auto stops = panes::stopsOf(*now, one, *panes::routeAt(one, 66));
  CHECK(textsOf(stops).size() == 5);
  CHECK(picturesOf(stops) == std::vector<std::size_t>(5, 0));
}

TEST_CASE("pictures are side by side only if a path leads from the first to the others") {
  const std::string setup = "S = Sw<3,3,3> o 0 o (64,64):(64,1)\nA = (64,64):(64,1)\nshow S as grid\n";
  const std::pair<const char*, bool> kSecond[] = {
      {"show S as memory", true},  {"show S as banks fp16 ldmatrix.x4", true},
      {"show S as table", true},   {"show Sw<3,3,3> o 0 o (64,64):(64,1) as memory", true},
      {"show A as memory", false},  // another layout
      {"show S as f2", false},      // has no elements
      {"show S as flow", false},    // of one point only
      {"show ldmatrix.x4", false},
  };
  for (const auto& [line, linked] : kSecond) {
    INFO(line);
    App app;
    app.session.document().reset(setup + line);
    app.settle();
    CHECK(panes::areLinked(app.outcome(2), app.outcome(3)) == linked);
    const auto slides = panes::slidesOf(*app.session.evaluation().snapshot(), app.session.tasks);
    CHECK(slides.size() == (linked ? 1 : 2));
  }
}

TEST_CASE("time: every cell has as many places as stops, the last one shows the whole path") {
  App app;
  app.session.document().reset(kLinked);
  app.settle();
  const auto now = app.session.evaluation().snapshot();
  const panes::PathScene scene = sceneOf(*now, {1, 2, 3});
  const i64 places = panes::placesOf(*now, scene);
  REQUIRE(places == 5);
  for (i64 time = 0; time < 10; ++time) {
    const auto moment = panes::momentAt(*now, scene, places, time);
    CHECK(moment.route == time / 5);
    CHECK(moment.stop == static_cast<std::size_t>(time % 5));
    CHECK(moment.before.empty());
  }
}

TEST_CASE("F11 presents the sheet, the arrows walk through it, Esc returns") {
  constexpr int kF11 = 300, kRight = 262, kLeft = 263, kDown = 264, kUp = 265, kEscape = 256;
  App app;
  app.session.document().reset(kSheet);
  app.settle();
  app.key(kF11);
  app.frame(3);
  REQUIRE(app.state.present.open);
  // Both pictures of A, side by side.
  CHECK(ui::places().count("figure.2.picture") == 1);
  CHECK(ui::places().count("figure.3.picture") == 1);
  CHECK(ui::places().count("figure.4.picture") == 0);
  CHECK(ui::places().count("tab.worksheet") == 0);
  app.key(kRight);
  CHECK(ui::places().count("figure.4.picture") == 1);
  CHECK(ui::places().count("figure.2.picture") == 0);
  app.key(kLeft);
  app.key(kLeft);
  CHECK(app.state.present.slide == 0);
  // The time line: the cells by rows, each with its stops.
  app.key(kDown);
  app.key(kDown);
  REQUIRE(app.session.pinned);
  CHECK(app.session.pinned->label == "2");
  // f16 by default, so byte 4 is in word 1; a lane of the usual access loads 16 bytes, which is row 0.
  CHECK(textsOf(app.state.present.shown.moment.stops) ==
        std::vector<std::string>{"coordinate (0, 2)", "offset 2", "byte 4", "bank 1", "lane 0"});
  CHECK(ui::places().count("present.path.0") == 1);
  CHECK(ui::places().count("present.arrow.1") == 1);  // from the grid to the memory
  app.key(kUp);
  CHECK(app.session.pinned->label == "1");
  // Stop by stop: on the first one no arrow is drawn yet.
  for (int k = 0; k < 4; ++k) app.type(",");
  CHECK(app.state.present.shown.moment.stop == 0);
  CHECK(ui::places().count("present.arrow.1") == 0);
  app.type(".");
  CHECK(app.state.present.shown.moment.stop == 1);
  CHECK(app.state.present.shown.moment.route == 1);
  CHECK(ui::places().count("present.arrow.1") == 1);
  // Playing starts at the coordinate and goes on by itself.
  app.click("present.play");
  CHECK(app.state.present.shown.moment.stop == 0);
  app.frame(2, 0.5);
  CHECK(app.state.present.shown.moment.stop == 1);
  app.frame(10, 0.5);
  CHECK(app.state.present.shown.moment.route == 2);
  app.type("x");
  CHECK(app.session.document().text() == kSheet);  // keys do not reach the sheet
  app.key(kEscape);
  CHECK_FALSE(app.state.present.open);
  app.frame(2);
  CHECK(ui::places().count("tab.worksheet") == 1);
}

TEST_CASE("a click on a linked picture goes to that cell's path") {
  App app;
  app.session.document().reset(kLinked);
  app.settle();
  app.key(300);
  app.frame(3);
  CHECK(ui::places().count("present.note.0") == 1);  // 64 x 64 labels are too small
  const ui::Place grid = ui::places().at("present.picture.0");
  app.clickAt(grid.x + grid.w / 2, grid.y + grid.h / 2);
  const panes::PathMoment& moment = app.state.present.shown.moment;
  REQUIRE(moment.of);
  CHECK(std::abs(moment.of->from.row - 32) <= 4);
  CHECK(std::abs(moment.of->from.col - 32) <= 4);
  CHECK(moment.stop == 4);
}

TEST_CASE("the frames of a step have its words, every picture, and the path up to the stop") {
  App app;
  app.session.document().reset(kLinked);
  app.settle();
  const auto now = app.session.evaluation().snapshot();
  const panes::PathScene scene = sceneOf(*now, {1, 2, 3});
  const panes::FrameWords words{"A heading", {"The first paragraph of the step."}, {"show S as grid"}};
  const auto at = [&](i64 time) { return panes::frameOf(scene, words, panes::momentAt(*now, scene, 5, time)); };
  const auto has = [](const Figure& f, const std::string& text) {
    return std::ranges::any_of(f.marks, [&](const Mark& m) { return m.text == text; });
  };
  const auto arrows = [](const Figure& f) {
    return std::ranges::count_if(f.marks, [](const Mark& m) { return m.kind == Mark::Kind::Arrow; });
  };
  const auto lit = [](const Figure& f) {
    i64 count = 0;
    for (const Grid& g : f.grids)
      eachCell(std::min<i64>(g.rows, 64), std::min<i64>(g.cols, 64),
               [&](i64 r, i64 c) { count += g.cells->cell(r, c).lit ? 1 : 0; });
    return count;
  };
  const auto base = at(0);
  for (const char* text :
       {"A heading", "The first paragraph of the step.", "show S as grid", "S as grid", "coordinate (0, 0)", "bank 0"})
    CHECK(has(base, text));
  std::size_t grids = 0;
  for (const std::size_t k : {1U, 2U, 3U}) grids += now->outcomes[k]->figure->grids.size();
  CHECK(base.grids.size() == grids);
  CHECK(arrows(at(1)) == arrows(base) + 1);
  CHECK(arrows(at(2)) == arrows(base) + 1);
  CHECK(arrows(at(3)) == arrows(base) + 2);
  CHECK(lit(at(1)) > lit(base));
  CHECK(at(4).width == base.width);  // the frames of a film have one size
  CHECK(at(4).height == base.height);
  // Nothing is outside, and no two pictures overlap.
  CHECK(base.width == 1560);
  CHECK(base.height == 860);
  for (std::size_t k = 0; k < base.grids.size(); ++k) {
    const Rect b = base.grids[k].bounds();
    for (std::size_t j = 0; j < k; ++j) {
      const Rect o = base.grids[j].bounds();
      CHECK((b.x >= o.x + o.w || o.x >= b.x + b.w || b.y >= o.y + o.h || o.y >= b.y + b.h));
    }
    CHECK(b.y >= 0);
    CHECK(b.x >= 0);
    CHECK(b.x + b.w <= base.width + 1);
    CHECK(b.y + b.h <= base.height + 1);
  }
}

TEST_CASE("the frames are written, one for each place of the time line") {
  App app;
  app.session.document().reset("show (2,3):(3,1) as grid\nprove injective(4:1)\n");
  app.settle();
  const auto now = app.session.evaluation().snapshot();
  const panes::PathScene scene = sceneOf(*now, {0});
  const i64 places = panes::placesOf(*now, scene);
  CHECK(panes::framesOf(scene, places) == 6 * places);
  const std::string folder = (scratch() / "frames").string();
  for (i64 t = 0; t < 6 * places; ++t) REQUIRE(panes::exportFrame(app.session, scene, {}, places, folder, t));
  std::set<std::string> frames;
  for (i64 k = 1; k <= 6 * places; ++k) {
    const auto bytes = readFile(folder + fmt::format("/frame-{:04}.png", k));
    REQUIRE(bytes.ok());
    frames.insert(*bytes);
  }
  CHECK(frames.size() == static_cast<std::size_t>(6 * places));
  CHECK_FALSE(std::filesystem::exists(folder + fmt::format("/frame-{:04}.png", 6 * places + 1)));
  CHECK_FALSE(panes::exportFrame(app.session, scene, {}, places, "/dev/null/frames", 0));
  CHECK(app.session.messageIsError);
}

TEST_CASE("a counterexample has the paths of its two points, which end at one bank or one offset") {
  struct Case {
    const char* text;
    std::size_t pictures, routes;
    const char* common;  // the beginning of a stop that both paths share, word for word
  };
  const Case kCases[] = {
      {"S = (64,64):(64,1)\nprove conflict_free(S, ldmatrix.x4, fp16)", 3, 2, "bank "},
      {"prove conflict_free((64,64):(64,1), ldmatrix.x4, fp16)", 3, 2, "bank "},
      {"S = (32,64):(64,1)\nprove conflict_free(S, ldmatrix.x4, fp16)", 3, 2, "bank "},
      {"A = (4,2):(1,2)\nprove injective(A)", 2, 2, "offset "},
      {"A = (4,2):(1,2)\nprove bijective(A)", 2, 2, "offset "},
      {"A = (4,8):(8,1)\nB = (4,8):(1,4)\nprove equal(A, B)", 4, 2, "coordinate "},
      {"prove in_bounds((4,8):(8,1), 16)", 2, 1, ""},
  };
  for (const Case& one : kCases) {
    INFO(one.text);
    App app;
    app.session.document().reset(one.text);
    app.settle();
    const auto now = app.session.evaluation().snapshot();
    const std::size_t claim = now->outcomes.size() - 1;
    const auto scene = panes::counterexampleScene(*now, claim);
    REQUIRE(scene);
    CHECK(scene->pictures.size() == one.pictures);
    REQUIRE(scene->routes.size() == one.routes);
    std::vector<std::vector<panes::PathStop>> paths;
    for (const panes::PathRoute& route : scene->routes) paths.push_back(panes::stopsOf(*now, *scene, route));
    for (const auto& path : paths) {
      REQUIRE(path.size() >= 2);
      CHECK(path[0].text.starts_with("coordinate "));
      for (const panes::PathStop& s : path) CHECK(s.at);
    }
    if (one.routes < 2) continue;
    if (one.pictures == 3)  // in the banks of the access that conflicts
      for (const auto& path : paths) CHECK(path.back().picture == 2);
    const auto stop = [&](std::size_t path) {
      const auto found =
          std::ranges::find_if(paths[path], [&](const panes::PathStop& s) { return s.text.starts_with(one.common); });
      return found == paths[path].end() ? fmt::format("none {}", path) : found->text;
    };
    CHECK(stop(0) == stop(1));
    CHECK(textsOf(paths[0]) != textsOf(paths[1]));
  }
  App app;
  app.session.document().reset("prove injective((4,2):(1,4))\nprove surjective((4,2):(1,8))");
  app.settle();
  const auto now = app.session.evaluation().snapshot();
  CHECK_FALSE(panes::counterexampleScene(*now, 0));  // proved
  CHECK_FALSE(panes::counterexampleScene(*now, 7));
}

TEST_CASE("a claim of any kind has paths, or none; a path begins at its point") {
  const char* kClaims[] = {
      "A = (4,2):(1,8)\nprove surjective(A)",
      "A = (4,2):(2,1)\nB = 8:1\nprove roundtrip(A, B)",
      "A = (64,64):(1,256)\nprove coalesced(A, ld.global.row, f32)",
      "A = (8,8):(9,1)\nprove vectorizes(A, 16, fp16)",
      "A = (8,12):(13,1)\nprove aligned(A, 16, fp16)",
      "S(t, i) = t * 32 + i over (32, 4)\nprove conflict_free(S, f32)",
      "S(t, i) = t * 32 + i over (32, 4)\nprove race_free(S, (32,4):(16,1))",
      "prove equal(((2,2),4):((1,8),2), (4,4):(1,4))",
      "A = (4,8):(8,1)\nprove equal(A, Sw<1,0,3> o (4,8):(8,1))",
      "A = (2,2):(1,2)\nprove not injective(A)",
      "X = S[(8,4):(2@lane,4@lane)] over (8,4)\nprove injective(X)",
      "A = (4,8,3):(8,1,8)\nprove injective(A)",
      "A = (1048576,1048576):(1048576,0)\nprove injective(A)",
      "P = f32[10,130]{1,0:T(8,128)}\nprove surjective(P)",
  };
  int with = 0;
  for (const char* text : kClaims) {
    INFO(text);
    App app;
    app.session.document().reset(text);
    app.settle();
    const auto now = app.session.evaluation().snapshot();
    const std::size_t claim = now->outcomes.size() - 1;
    REQUIRE(now->outcomes[claim]->verdict);
    REQUIRE(now->outcomes[claim]->verdict->truth == Truth::Refuted);
    const auto scene = panes::counterexampleScene(*now, claim);
    const bool opened = panes::presentCounterexample(app.session, app.state, claim);
    CHECK(opened == scene.has_value());
    app.frame(20, 0.5);
    if (!scene) continue;
    ++with;
    for (const panes::PathRoute& route : scene->routes) {
      const auto stops = panes::stopsOf(*now, *scene, route);
      if (stops.empty()) continue;
      REQUIRE(stops[0].at);
      const std::vector<Point> points = pointsOf(cellAt(*scene, stops[0]));
      CHECK(std::ranges::find(points, route.from.point) != points.end());
    }
  }
  CHECK(with >= 10);
}

TEST_CASE("play in the claims panel plays both paths and stops; the keys scrub it") {
  constexpr int kRight = 262, kLeft = 263, kHome = 268, kEnd = 269, kEscape = 256, kF6 = 295;
  App app;
  app.session.document().reset("S = (64,64):(64,1)\nprove conflict_free(S, ldmatrix.x4, fp16)\n");
  app.settle();
  app.click("claim.1.play");
  app.frame(2);
  PresentState& p = app.state.present;
  REQUIRE(p.open);
  CHECK(p.playing);
  CHECK(p.shown.scene.pictures.size() == 3);
  CHECK(ui::places().count("present.picture.2") == 1);
  const i64 all = 2 * p.shown.places;
  app.frame(static_cast<int>(all) * 4, 0.5);
  CHECK_FALSE(p.playing);  // at the end
  CHECK(p.time == all - 1);
  CHECK(p.shown.moment.before.size() == 1);  // the first path stays
  app.key(kLeft);
  CHECK(p.time == all - 2);
  app.key(kHome);
  CHECK(p.time == 0);
  app.key(kRight);
  CHECK(p.time == 1);
  app.key(kEnd);
  CHECK(p.time == all - 1);
  app.type(" ");
  CHECK(p.playing);
  CHECK(p.time == 0);
  app.type(" ");
  CHECK_FALSE(p.playing);
  const ui::Place line = ui::places().at("present.time");
  app.clickAt(line.x + line.w / 2, line.y + line.h / 2);
  CHECK(p.time > 0);
  CHECK(p.time < all - 1);
  app.key(kEscape);
  CHECK_FALSE(p.open);
  // F6 does the same for the claim at the caret.
  app.session.document().setCaret(app.session.document().text().size() - 5);
  app.frame(2);
  app.key(kF6);
  CHECK(p.open);
  CHECK_FALSE(p.claim.empty());
}

TEST_CASE("one click makes a refuted claim true, one undo takes it back") {
  App app;
  const std::string text = "S = (64,64):(64,1)\nAS = S\nprove conflict_free(S, ldmatrix.x4, fp16)\n";
  app.session.document().reset(text);
  app.session.document().setCaret(text.size() - 4);
  app.settle();
  REQUIRE(app.outcome(2).verdict->truth == Truth::Refuted);
  app.click("claim.2.true.0");
  app.settle();
  CHECK(app.session.document().text() ==
        "S = Sw<3,3,3> o 0 o (64,64):(64,1)\nAS = S\nprove conflict_free(S, "
        "ldmatrix.x4, fp16)\n");
  CHECK(app.outcome(2).verdict->truth == Truth::Proved);
  app.session.document().undo();
  app.settle();
  CHECK(app.session.document().text() == text);
}

TEST_CASE("where find knows nothing the panel says why") {
  App app;
  const std::string text = "prove surjective((4,2):(1,4), 9)\n";
  app.session.document().reset(text);
  app.session.document().setCaret(4);
  app.settle();
  CHECK(app.outcome(0).learner.noCorrection.find("8 coordinates cannot take 9 places") == 0);
  CHECK(ui::places().at("claim.0.why").h > 18);
}
