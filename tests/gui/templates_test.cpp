// The library of Graphene programs in the gallery: templates, each opened as a block of a new sheet.
#include <algorithm>

#include "app/gui/palette.h"
#include "app/session/gallery.h"
#include "core/paste/blocks.h"
#include "tests/gui/app.h"

using namespace tessera;

TEST_CASE("every program of the library opens as a block of a new sheet, and its file is left alone") {
  const auto templates = programTemplates();
  CHECK(templates.size() >= 18);
  for (const GalleryItem& item : templates) {
    INFO(item.path);
    CHECK(!item.about.empty());
    CHECK(item.title.find('_') == std::string::npos);
    const auto text = readFile(item.path);
    REQUIRE(text.ok());
    CHECK(isProgram(*text));
    App app;
    REQUIRE(app.session.openGallery(item.path));
    CHECK(app.session.document().path().empty());
    CHECK(app.session.document().text().starts_with("graphene "));
    CHECK(app.session.document().text().find(text->substr(0, 60)) != std::string::npos);
  }
}

TEST_CASE("Hopper's programs are in the gallery, and a sheet checks and draws them for the device that they name") {
  const auto templates = programTemplates();
  const auto at = std::find_if(templates.begin(), templates.end(),
                               [](const GalleryItem& item) { return item.title == "gemm wgmma 64, Hopper"; });
  REQUIRE(at != templates.end());
  App app;
  REQUIRE(app.session.openGallery(at->path));
  app.settle();
  const auto count = app.session.evaluation().snapshot()->count();
  CHECK(count.problems == 0);
  CHECK(count.refuted == 0);
  for (const GalleryItem& item : templates)
    CHECK(std::count_if(templates.begin(), templates.end(), [&](const auto& t) { return t.title == item.title; }) == 1);
}

TEST_CASE("a template is checked: a load by vectors holds") {
  App app;
  const auto templates = programTemplates();
  const auto at = std::find_if(templates.begin(), templates.end(),
                               [](const GalleryItem& item) { return item.title == "vector load"; });
  REQUIRE(at != templates.end());
  REQUIRE(app.session.openGallery(at->path));
  app.settle();
  const auto count = app.session.evaluation().snapshot()->count();
  CHECK(count.problems == 0);
  CHECK(count.refuted == 0);
}
