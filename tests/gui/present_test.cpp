// The presentation: a sheet as slides, one picture at a time, the path of a cell, and its frames.
#include "app/gui/panes/present.h"

#include <set>

#include "app/engine/kernel/kernel_value.h"
#include "app/session/gallery.h"
#include "app/views/present/slides.h"
#include "tests/gui/app.h"

using namespace tessera;

namespace {

const std::string kSheet =
    "// # The swizzle\n//\n// Shared memory has *32* banks,\n// see [banks](10_gemm_shared_tile.tess).\n"
    "A = (4,8):(8,1)\nshow A as grid\nshow A as memory\n\n// ## Another\n// - one\n// - two\nprove injective(A)\n";

}  // namespace

TEST_CASE("a sheet becomes slides: the prose, its statements, and a slide for each picture") {
  App app;
  app.session.document().reset(kSheet);
  app.settle();
  const auto slides = panes::slidesOf(*app.session.evaluation().snapshot(), app.session.tasks);
  REQUIRE(slides.size() == 3);
  CHECK(slides[0].heading == "The swizzle");
  CHECK(slides[0].paragraphs == std::vector<std::string>{"Shared memory has 32 banks, see banks."});
  CHECK(slides[0].code == std::vector<std::string>{"A = (4,8):(8,1)", "show A as grid", "show A as memory"});
  CHECK(slides[0].picture == 1);
  CHECK(slides[1].picture == 2);
  CHECK(slides[1].paragraphs == slides[0].paragraphs);
  CHECK(slides[2].heading == "Another");
  CHECK(slides[2].paragraphs.size() == 2);
  CHECK(slides[2].picture == SIZE_MAX);
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
      if (slide.picture != SIZE_MAX) pictures.insert(slide.picture);
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

TEST_CASE("F11 presents the sheet, the arrows walk through it, Esc returns") {
  constexpr int kF11 = 300, kRight = 262, kLeft = 263, kDown = 264, kUp = 265, kEscape = 256;
  App app;
  app.session.document().reset(kSheet);
  app.settle();
  app.key(kF11);
  app.frame(3);
  REQUIRE(app.state.present.open);
  CHECK(ui::places().count("figure.1.picture") == 1);
  CHECK(ui::places().count("figure.2.picture") == 0);
  CHECK(ui::places().count("tab.worksheet") == 0);
  app.key(kRight);
  CHECK(ui::places().count("figure.2.picture") == 1);
  CHECK(ui::places().count("figure.1.picture") == 0);
  app.key(kLeft);
  app.key(kLeft);
  CHECK(app.state.present.slide == 0);
  // The time line: the cells by rows.
  app.key(kDown);
  app.key(kDown);
  REQUIRE(app.session.pinned);
  CHECK(app.session.pinned->label == "2");
  // f16 by default, so byte 4 is in word 1; a lane of the usual access loads 16 bytes, which is row 0.
  CHECK(panes::pathOf(*app.session.evaluation().snapshot(), *app.session.pinned) ==
        std::vector<std::string>{"coordinate (0, 2)", "offset 2", "byte 4", "bank 1", "lane 0"});
  CHECK(ui::places().count("present.path.0") == 1);
  app.key(kUp);
  CHECK(app.session.pinned->label == "1");
  // Playing goes to the next cells by itself.
  app.click("present.play");
  app.frame(60);
  CHECK(app.state.present.time == 2);
  app.type("x");
  CHECK(app.session.document().text() == kSheet);  // keys do not reach the sheet
  app.key(kEscape);
  CHECK_FALSE(app.state.present.open);
  app.frame(2);
  CHECK(ui::places().count("tab.worksheet") == 1);
}

TEST_CASE("the frames of a picture are written, one for each cell") {
  App app;
  app.session.document().reset("show (2,3):(3,1) as grid\nprove injective(4:1)\n");
  app.settle();
  const auto now = app.session.evaluation().snapshot();
  CHECK(panes::timesOf(*now->outcomes[0]) == 6);
  CHECK(panes::timesOf(*now->outcomes[1]) == 0);
  const std::string folder = (scratch() / "frames").string();
  for (i64 t = 0; t < 6; ++t) REQUIRE(panes::exportFrame(app.session, now->outcomes[0], 0, folder, t));
  std::set<std::string> frames;
  for (int k = 1; k <= 6; ++k) {
    const auto bytes = readFile(folder + "/frame-000" + std::to_string(k) + ".png");
    REQUIRE(bytes.ok());
    frames.insert(*bytes);
  }
  CHECK(frames.size() == 6);  // each has another cell lit
  CHECK_FALSE(std::filesystem::exists(folder + "/frame-0007.png"));
  CHECK_FALSE(panes::exportFrame(app.session, now->outcomes[0], 0, "/dev/null/frames", 0));
  CHECK(app.session.messageIsError);
}
