// The export is what the pane shows.
#include <fstream>
#include <iterator>

#include "tests/gui/app.h"

using namespace tessera;
namespace fs = std::filesystem;

namespace {

std::string read(const fs::path& p) {
  std::ifstream in(p, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void ask(App& app, const std::string& text) {
  app.session.document().replace(0, 0, text);
  app.session.touch();
  app.settle();
}

}  // namespace

TEST_CASE("an isolated thread, another view and a pinned cell are exported as they are seen") {
  App app;
  ask(app, "show atlas(mma.m16n8k16.f32.f16.f16.f32)");
  const fs::path whole = scratch() / "whole.svg", alone = scratch() / "alone.svg", pinned = scratch() / "pinned.svg";
  app.state.canvas.exportOutcome = 0;
  REQUIRE(panes::exportSeen(app.session, app.state.canvas, {}, whole.string()));
  panes::Pane& pane = app.state.canvas.panes.at(app.outcome(0).statement.text);
  pane.look.isolate = "thread";
  pane.look.number = 5;
  REQUIRE(panes::exportSeen(app.session, app.state.canvas, {}, alone.string()));
  CHECK(read(alone) != read(whole));
  CHECK(read(alone).find("fill-opacity") != std::string::npos);  // the others are faded
  CHECK(read(whole).find("fill-opacity") == std::string::npos);
  pane.look.isolate.clear();
  app.session.pinned = Hover{app.outcome(0).figure->grids.at(0).cells->cell(0, 0).point, 0, "A", 0, 0, "T0", {}};
  REQUIRE(panes::exportSeen(app.session, app.state.canvas, {}, pinned.string()));
  CHECK(read(pinned) != read(whole));
}

TEST_CASE("theme, scale and background are chosen in the dialog") {
  App app;
  ask(app, "show (4,8):(8,1) as grid");
  app.click("figure.0.export");
  app.frame(2);
  const fs::path file = scratch() / "chosen.svg";
  app.click("export.theme.light");
  app.click("export.background.none");
  app.click("export.scale.4");
  CHECK(app.state.question.exported.theme == Theme::Light);
  CHECK(app.state.question.exported.transparent);
  CHECK(app.state.question.exported.scale == 4.0);
  app.state.canvas.exportOutcome = 0;
  REQUIRE(panes::exportSeen(app.session, app.state.canvas, app.state.question.exported, file.string()));
  REQUIRE(fs::exists(file));
  const std::string svg = read(file);
  CHECK(svg.find("#fbfbfc") == std::string::npos);  // no light canvas is painted
  CHECK(app.session.preferences.theme == Theme::Dark);
}
