// The manual has contents, a search, every key, and no line that the window cuts.
#include "app/gui/panes/manual.h"

#include <imgui_internal.h>

#include <set>

#include "tests/gui/app.h"

using namespace tessera;

TEST_CASE("the manual is searched, and its contents lead to a section") {
  App app;
  app.key(290);
  app.frame(4);
  app.type("conflict_free");
  app.frame(4);
  REQUIRE(ui::places().count("manual.hit") == 1);
  const auto hits = manualHits("CONFLICT_free");
  CHECK(hits.size() > 3);
  CHECK(app.state.manual.hit == 0);
  const double first = app.state.manual.scroll;
  app.key(257);
  app.frame(4);
  CHECK(app.state.manual.hit == 1);
  const ui::Place hit = ui::places().at("manual.hit");
  CHECK(hit.y > 60);
  CHECK(hit.y < 940);
  app.click("manual.section.Verdicts");
  app.frame(4);
  CHECK(app.state.manual.scroll > first);
  CHECK(app.state.manual.section.empty());
  app.key(256);
  CHECK_FALSE(app.state.manual.open);
  CHECK(app.session.document().text().empty());
}

TEST_CASE("the manual lists every shortcut of the menus, and no key twice") {
  std::set<std::string> listed, shortcuts;
  for (const KeyRow& row : allKeys()) {
    INFO(row.where << " " << row.keys);
    CHECK_FALSE(row.what.empty());
    listed.insert(row.keys);
    if (row.where == "Worksheet" || row.where == "Pictures") CHECK(listed.count(row.keys) == 1);
  }
  for (const Command& c : commands()) {
    if (*c.shortcut == '\0' || *c.menu == '\0') continue;
    INFO(c.id);
    CHECK(listed.count(c.shortcut) == 1);
    CHECK(shortcuts.insert(c.shortcut).second);
  }
  App app;
  app.key(290, false, true);
  app.frame(4);
  CHECK(app.state.manual.open);
  CHECK(app.state.manual.section.empty());
}

TEST_CASE("no line of the manual is cut at the right edge") {
  for (const float width : {640.0F, 1000.0F, 1600.0F}) {
    App app;
    ImGui::GetIO().DisplaySize = {width, 800};
    app.key(290);
    app.frame(4);
    for (const ImGuiWindow* w : ImGui::GetCurrentContext()->Windows) {
      if (std::string(w->Name).find("##manual/text") != 0) continue;
      INFO(width << ": " << w->Name);
      CHECK(w->ContentSize.x <= w->InnerClipRect.GetWidth() + 1);
    }
  }
}
