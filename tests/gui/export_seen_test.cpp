// The export is what the pane shows.
#include <fstream>
#include <iterator>

#include "app/gui/dialogs/file_dialogs.h"
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

TEST_CASE("Ctrl+E exports the picture in view, names it and shows it") {
  App app;
  std::string sheet = "A = (64,8):(8,1)\n";
  for (const char* view : {"grid", "memory", "table"}) sheet += std::string("show A as ") + view + "\n";
  app.session.document().reset(sheet);
  app.session.touch();
  app.settle();
  app.frame(4);
  CHECK(app.state.canvas.scroll.inView == 1);
  const auto exported = [&] {
    app.key('E', true);
    app.frame(2);
    const std::size_t outcome = app.state.canvas.exportOutcome;
    CHECK(ui::places().count("export.preview") == 1);
    const std::string file = app.state.question.path;
    app.click("dialog.cancel");
    app.frame(2);
    return std::pair{outcome, file};
  };
  CHECK(exported() == std::pair{std::size_t{1}, std::string("a-as-grid.svg")});
  app.state.canvas.scrollToLine = 4;
  app.frame(4);
  CHECK(app.state.canvas.scroll.inView == 3);
  CHECK(exported() == std::pair{std::size_t{3}, std::string("a-as-table.svg")});
  // A pinned cell elsewhere does not matter; a clicked picture does.
  app.session.pinned = Hover{app.outcome(1).figure->grids.at(0).cells->cell(0, 0).point, 1, "", 0, 0, "0", {}};
  app.frame(2);
  CHECK(exported().first == 3);
}

TEST_CASE("title, legend and caption can be left out") {
  App app;
  ask(app, "show f32[3,5]{1,0:T(2,2)} as tensor");
  const fs::path all = scratch() / "all.svg", bare = scratch() / "bare.svg";
  app.state.canvas.exportOutcome = 0;
  ExportChoices choices;
  REQUIRE(panes::exportSeen(app.session, app.state.canvas, choices, all.string()));
  choices.title = choices.caption = choices.legend = false;
  REQUIRE(panes::exportSeen(app.session, app.state.canvas, choices, bare.string()));
  const Figure& figure = *app.outcome(0).figure;
  REQUIRE_FALSE(figure.badges.empty());
  CHECK(read(all).find("padding") != std::string::npos);
  CHECK(read(bare).find("padding") == std::string::npos);
  CHECK(read(bare).size() < read(all).size());
}

TEST_CASE("the picture is copied as an image by the tool of the display, or the message says which is missing") {
  App app;
  ask(app, "show (4,8):(8,1) as grid");
  app.state.canvas.exportOutcome = 0;
  const fs::path tool = scratch() / "xclip", taken = scratch() / "taken.png";
  std::ofstream(tool) << "#!/bin/sh\ncp \"$6\" \"" << taken.string() << "\"\necho \"$@\" >\"" << taken.string()
                      << ".args\"\n";
  fs::permissions(tool, fs::perms::owner_all);
  ::unsetenv("WAYLAND_DISPLAY");
  ::setenv("TESSERA_XCLIP", tool.c_str(), 1);
  if (haveCairo()) {
    REQUIRE(panes::copySeen(app.session, app.state.canvas, {}));
    CHECK(read(taken).starts_with("\x89PNG"));
    CHECK(read(taken.string() + ".args").starts_with("-selection clipboard -t image/png -i"));
    CHECK(app.session.message.find("copied") != std::string::npos);
  }
  ::setenv("TESSERA_XCLIP", "/nowhere/xclip", 1);
  CHECK_FALSE(panes::copySeen(app.session, app.state.canvas, {}));
  CHECK(app.session.message.find("xclip") != std::string::npos);
  ::unsetenv("TESSERA_XCLIP");
}

TEST_CASE("a report has every picture as it is seen") {
  App app;
  ask(app, "// # Title\nA = (4,8):(8,1)\nshow A as grid\nprove injective(A)");
  app.state.canvas.panes.at("show A as grid").look.view = "memory";
  app.frame(2);
  const fs::path file = scratch() / "all.md";
  REQUIRE(panes::exportReport(app.session, app.state.canvas, {}, file.string()));
  const std::string text = read(file);
  INFO(text);
  CHECK(text.starts_with("# Title"));
  CHECK(text.find("![A as memory](all_pictures/1-a-as-memory.svg)") != std::string::npos);
  CHECK(text.find("**proved** `injective(A)`") != std::string::npos);
  CHECK(read(scratch() / "all_pictures" / "1-a-as-memory.svg").starts_with("<svg"));
}
