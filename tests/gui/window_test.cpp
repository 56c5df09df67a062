// A user's actions in the window, step by step.
#include <sys/stat.h>

#include <set>
#include <thread>

#include "app/session/gallery.h"
#include "app/views/inspector/inspector.h"
#include "tests/gui/app.h"

using namespace tessera;
namespace fs = std::filesystem;

TEST_CASE("a layout is typed, its picture appears, a cell is hovered and pinned") {
  App app;
  app.type("A = (4,8):(8,1)\nshow A as grid\nprove injective(A)");
  app.settle();
  REQUIRE(app.session.evaluation().snapshot()->outcomes.size() == 3);
  REQUIRE(app.outcome(1).figure.has_value());
  REQUIRE(app.outcome(2).verdict.has_value());
  CHECK(app.outcome(2).verdict->truth == Truth::Proved);

  app.hoverCell(1, 2, 3);
  REQUIRE(app.session.hover.has_value());
  CHECK(app.session.hover->label == "19");             // 2*8 + 3
  CHECK(app.session.hover->point.index == 2 + 3 * 4);  // colexicographic
  const ImVec2 at = ImGui::GetIO().MousePos;
  app.clickAt(at.x, at.y);
  REQUIRE(app.session.pinned.has_value());
  app.moveTo(5, 5);
  CHECK_FALSE(app.session.hover.has_value());
  CHECK(app.session.pinned->label == "19");
  app.key(256);
  CHECK_FALSE(app.session.pinned.has_value());
}

TEST_CASE("hovering lights the same logical point in every picture") {
  App app;
  app.type("A = (8,8):(8,1)\nS = Sw<1,0,3> o A\nshow A as grid\nshow S as grid");
  app.settle();
  app.hoverCell(2, 1, 1);
  const Point p = app.session.hover->point;
  for (const std::size_t k : {std::size_t{2}, std::size_t{3}}) {
    const auto where = app.outcome(k).figure->grids.at(0).cells->find(p, 4);
    REQUIRE(where.size() == 1);
    CHECK(where[0] == std::pair<i64, i64>{1, 1});
  }
}

TEST_CASE("the inspector derives the address and finds the way back") {
  App app;
  app.type("S = Sw<3,3,3> o (8,64):(64,1)\nshow S as grid");
  app.settle();
  const Point p{app.outcome(1).figure->grids.at(0).cells->cell(1, 0).point};
  const auto facts = panes::factsAbout(*app.outcome(1).show->value, p);
  const auto value = [&](const std::string& name) {
    for (const auto& f : facts)
      if (f.name == name) return f.value;
    return std::string("missing");
  };
  CHECK(value("coordinate") == "(1, 0)");
  CHECK(value("offset") == "72");  // 64 xor 8
  CHECK(value("before the swizzle") == "64");
  CHECK(value("hexadecimal") == "0x48");
  bool checked = false;
  for (const auto& f : facts) checked = checked || f.kind == panes::Fact::Kind::Check;
  CHECK(checked);
}

TEST_CASE("undo and redo walk through the text and the pictures follow") {
  App app;
  app.type("show (2,2) as grid");
  app.settle();
  CHECK(app.outcome(0).figure.has_value());
  const std::string typed = app.session.document().text();
  int steps = 0;
  while (app.session.document().canUndo() && steps < 100) {
    app.key('Z', /*ctrl=*/true);
    ++steps;
  }
  CHECK(app.session.document().text().empty());
  CHECK(steps < 10);  // words, not letters
  while (app.session.document().canRedo()) app.key('Y', /*ctrl=*/true);
  CHECK(app.session.document().text() == typed);
  app.settle();
  CHECK(app.outcome(0).figure.has_value());
}

TEST_CASE("an error is said in its line and the other lines stand") {
  App app;
  app.type("A = (4,8):(8,1)\nB = (8,4):(4,1,2)\nsize(A)");
  app.settle();
  CHECK(app.outcome(0).value.has_value());
  REQUIRE(app.outcome(1).diag.has_value());
  CHECK(app.outcome(1).diag->span.begin >= 16);
  CHECK(print(*app.outcome(2).value) == "32");
  app.click("tab.problems");
  CHECK(app.state.shown.bottom == ShownPanes::Bottom::Problems);
  app.click("problem.1");
  CHECK(app.session.document().caret() == app.outcome(1).statement.span.begin);
}

TEST_CASE("a refuted claim shows its counterexample in the picture") {
  App app;
  app.type("A = (4,2):(1,2)\nshow A as grid\nprove injective(A)");
  app.settle();
  REQUIRE(app.outcome(2).verdict->truth == Truth::Refuted);
  app.click("claim.2.show");
  CHECK(app.session.litPoints.size() >= 2);
}

TEST_CASE("a picture is exported and a read-only folder is refused without loss") {
  App app;
  app.type("show (4,8):(8,1) as grid");
  app.settle();
  const fs::path folder = scratch();
  const auto exportFirst = [&](const std::string& path) {
    return exportFigure(app.session, *app.session.evaluation().snapshot()->outcomes.front()->figure, path, {});
  };
  CHECK(exportFirst((folder / "a.svg").string()));
  CHECK(fs::file_size(folder / "a.svg") > 500);
  CHECK_FALSE(exportFirst((folder / "a.xyz").string()));
  CHECK(app.session.messageIsError);

  const fs::path sheet = folder / "sheet.tess";
  REQUIRE(app.session.saveAs(sheet.string()));
  CHECK_FALSE(app.session.document().modified());
  ::chmod(sheet.c_str(), 0444);
  app.type(" ");
  CHECK(app.session.document().modified());
  CHECK_FALSE(app.session.save());
  CHECK(app.session.messageIsError);
  CHECK(*readFile(sheet.string()) == "show (4,8):(8,1) as grid");
  CHECK_FALSE(app.session.saveAs((folder / "missing" / "x.tess").string()));
  // A name is taken from regular files only, and a link keeps its own.
  REQUIRE(::mkfifo((folder / "pipe.svg").c_str(), 0600) == 0);
  CHECK_FALSE(exportFirst((folder / "pipe.svg").string()));
  CHECK(fs::is_fifo(folder / "pipe.svg"));
  fs::create_symlink("a.svg", folder / "link.svg");
  CHECK(exportFirst((folder / "link.svg").string()));
  CHECK(fs::is_symlink(folder / "link.svg"));
  CHECK_FALSE(readFile("/dev/zero", 1 << 20).ok());  // a device has no end
  ::chmod(sheet.c_str(), 0644);
  CHECK(app.session.save());
  fs::remove_all(folder);
}

TEST_CASE("copy, cut, paste and select all") {
  App app;
  app.type("size((4,8))");
  app.key('A', /*ctrl=*/true);
  app.key('C', /*ctrl=*/true);
  CHECK(clipboard() == "size((4,8))");
  app.key('X', /*ctrl=*/true);
  CHECK(app.session.document().text().empty());
  app.key('V', /*ctrl=*/true);
  app.key('V', /*ctrl=*/true);
  CHECK(app.session.document().text() == "size((4,8))size((4,8))");
}

TEST_CASE("a worksheet of the gallery opens with a click") {
  App app;
  REQUIRE_FALSE(gallery().empty());
  app.click("tab.gallery");
  app.frame();
  app.click("gallery." + gallery()[0].title);
  app.settle();
  CHECK(app.session.document().text().size() > 100);
  CHECK(app.session.document().path().empty());
  CHECK(app.session.evaluation().snapshot()->count().problems == 0);
}

TEST_CASE("the command search runs a command and the theme changes") {
  App app;
  const Theme before = app.session.preferences.theme;
  app.key('K', /*ctrl=*/true);
  CHECK(app.state.palette.open);
  app.frame(2);
  app.type("light");
  app.frame(2);
  app.key(257);
  CHECK_FALSE(app.state.palette.open);
  CHECK(app.session.preferences.theme != before);
}

TEST_CASE("every menu of the top bar opens, runs a command, and closes with Esc") {
  App app;
  const Theme before = app.session.preferences.theme;
  for (const auto& [menu, command] : {std::pair<std::string, std::string>{"File", "file.save_as"},
                                      {"Edit", "edit.find"},
                                      {"View", "view.theme"},
                                      {"Prove", "prove.smt2"},
                                      {"Help", "help.manual"}}) {
    INFO("menu " << menu);
    app.click("menu." + menu);
    app.frame(2);
    REQUIRE(ui::places().count("command." + command) == 1);
    CHECK(ui::places().at("command." + command).y > ui::places().at("menu." + menu).y);
    app.key(256);  // Esc
    CHECK(ui::places().count("command." + command) == 0);
  }
  app.click("menu.View");
  app.frame(2);
  app.click("command.view.theme");
  CHECK(app.session.preferences.theme != before);
}

TEST_CASE("everything that can be clicked is clicked, and the window stands") {
  App app;
  const fs::path here = fs::current_path();
  fs::current_path(scratch());  // a dialog that is confirmed writes here
  const std::string sheet =
      "P = bf16[2,3,20,300]{3,2,1,0:T(8,128)(2,1)}\nshow P as tensor\nshow (8,8):(8,1) as grid\n"
      "show Sw<2,3,3> o 0 o (16,32):(32,1) as banks fp16 ldmatrix.x4\n"
      "find swizzle for (16,32):(32,1) where conflict_free(ldmatrix.x4, fp16)\nprove injective((4,8):(4,1))\n1 + "
      "oops(\n";
  // A click may bring new widgets or take others away: the worksheet comes back now and then, and so do they.
  const std::vector<std::string> openers = {"menu.File",       "menu.Edit",       "menu.View",     "menu.Prove",
                                            "menu.Help",       "figure.1.mode.0", "figure.1.view", "figure.2.view",
                                            "figure.1.layout", "figure.3.view",   "search.open"};
  std::set<std::string> clicked;
  const auto restore = [&] {
    for (int k = 0; k < 4; ++k) app.key(256);  // Esc, out of all that is open
    app.state.canvas.onlyLine = -1;
    app.session.document().replace(0, app.session.document().text().size(), sheet);
    app.session.touch();
    app.settle();
  };
  for (int turn = 0; turn < 800; ++turn) {
    if (turn % 12 == 0) restore();
    std::string next;
    for (const auto& [name, place] : ui::places()) {
      const bool seen =
          place.w > 0 && place.x >= 0 && place.y >= 0 && place.x + place.w <= 1600 && place.y + place.h <= 1000;
      if (seen && clicked.count(name) == 0) next = name;
    }
    // A menu closes after each of its rows: it is opened again for the others.
    const std::string& opener = openers[static_cast<std::size_t>(turn) % openers.size()];
    if (next.empty() && ui::places().count(opener) == 1) next = opener;
    if (next.empty()) continue;
    INFO(next);
    clicked.insert(next);
    app.click(next);
    app.frame(2);
  }
  app.settle();
  for (const char* name : {"menu.File", "figure.1.view", "figure.1.layout", "figure.1.mode.0", "command.view.theme"}) {
    INFO(name);
    if (clicked.count(name) == 0) {  // what there was to click first depends on when the pictures came
      restore();
      if (std::string_view(name) == "command.view.theme") app.click("menu.View");
      REQUIRE(ui::places().count(name) == 1);
      app.click(name);
      app.frame(2);
    }
  }
  CHECK(clicked.size() > 120);
  fs::current_path(here);
}

TEST_CASE("a huge paste neither hangs nor loses the worksheet") {
  App app;
  std::string big;
  for (int k = 0; k < 20000; ++k) big += "// a comment line that says nothing at all, many times over\n";
  big += "size((4,8))\n";
  clipboard() = big;
  app.key('V', /*ctrl=*/true);
  app.settle();
  CHECK(app.session.document().text() == big);
  CHECK(print(*app.outcome(0).value) == "32");
  app.key('Z', /*ctrl=*/true);
  CHECK(app.session.document().text().empty());
}

TEST_CASE("what a frame samples depends on the screen, not on the tensor") {
  App app;
  app.type("show (1048576,1048576):(1048576,1) as grid");
  app.settle();
  REQUIRE(app.outcome(0).figure.has_value());
  app.frame(3);
  const std::uint64_t sampled = app.textures.sampled();
  CHECK(sampled < std::uint64_t{1} << 24);  // of 2^40 cells
  app.frame(5);
  CHECK(app.textures.sampled() == sampled);  // an unchanged picture is not sampled again
}

TEST_CASE("a session is kept and restored") {
  const fs::path folder = scratch();
  ::setenv("TESSERA_STATE", (folder / "state.json").c_str(), 1);
  {
    Session s;
    s.document().replace(0, 0, "size((4,8)) // \xc3\xa9");
    s.preferences.theme = Theme::Light;
    s.storeState();
  }
  Session again;
  REQUIRE(again.restoreState());
  CHECK(again.document().text() == "size((4,8)) // \xc3\xa9");
  CHECK(again.document().modified());
  CHECK(again.preferences.theme == Theme::Light);
  ::unsetenv("TESSERA_STATE");
  fs::remove_all(folder);
}

TEST_CASE("another view of a value is a click away, and the text stays") {
  App app;
  app.type("show (8,8):(8,1) as grid\n");
  app.settle();
  const std::string text = app.session.document().text();
  app.click("figure.0.view");
  app.frame(2);
  app.click("figure.0.view.memory");
  app.frame(2);
  const auto& pane = app.state.canvas.panes.at("show (8,8):(8,1) as grid");
  CHECK(pane.look.view == "memory");
  REQUIRE(pane.shown);
  CHECK(pane.shown->figure->title.find("memory") != std::string::npos);
  app.click("figure.0.view");
  app.frame(2);
  app.click("figure.0.view.banks");
  app.frame(2);
  CHECK(app.state.canvas.panes.at("show (8,8):(8,1) as grid").shown->figure->grids.front().name == "phases");
  CHECK(app.session.document().text() == text);
}

TEST_CASE("colour, labels and columns are chosen beneath the views, and the text stays") {
  App app;
  const std::string grid = "show (8,8):(8,1) as grid tile", array = "show bf16[16,256]{1,0:T(8,128)(2,1)} as physical";
  app.session.document().reset(grid + "\n" + array + "\n");
  app.settle();
  const std::string text = app.session.document().text();
  const auto pick = [&](const std::string& figure, const std::string& what) {
    app.click("figure." + figure + ".view");
    app.frame(2);
    app.click("figure." + figure + "." + what);
    app.frame(3);
  };
  app.hoverCell(0, 1, 2);
  const ImVec2 cell = ImGui::GetIO().MousePos;
  app.clickAt(cell.x, cell.y);
  REQUIRE(app.session.pinned);
  // A menu hangs below its button, or as high as the screen wants it; Esc closes it, and nothing else.
  for (const std::string figure : {"0", "1"}) {
    app.click("figure." + figure + ".view");
    app.frame(2);
    const ui::Place button = ui::places().at("figure." + figure + ".view");
    const ui::Place top = ui::places().at("figure." + figure + (figure == "0" ? ".view.grid" : ".view.tensor"));
    const ui::Place bottom = ui::places().at("figure." + figure + (figure == "0" ? ".label.hex" : ".columns.brief"));
    if (figure == "0") CHECK(top.y >= button.y + button.h);
    CHECK(top.y >= 0);
    CHECK(bottom.y + bottom.h <= ImGui::GetIO().DisplaySize.y);
    app.key(256);  // Esc
    CHECK(ui::places().count("figure." + figure + ".label.hex") +
              ui::places().count("figure." + figure + ".columns.brief") ==
          0);
    CHECK(app.session.pinned);
  }
  pick("0", "label.coord");
  const auto& first = app.state.canvas.panes.at(grid);
  REQUIRE(first.shown);
  CHECK(first.shown->figure->grids.at(0).cells->cell(1, 2).label == "(1,2)");
  CHECK(first.shown->figure->caption.find("inner tile") != std::string::npos);  // the line's own word still counts
  pick("0", "colour.row");
  CHECK(first.look.words == std::vector<std::string>{"coord", "row"});
  CHECK(first.shown->figure->caption.find("the hue is the row") != std::string::npos);
  pick("0", "label.hex");
  CHECK(first.look.words == std::vector<std::string>{"row", "hex"});
  CHECK(first.shown->figure->grids.at(0).cells->cell(7, 7).label == "3f");

  const i64 brief = app.outcome(1).figure->grids.at(0).cols, rows = app.outcome(1).figure->grids.at(0).rows;
  pick("1", "columns.all");
  const auto& second = app.state.canvas.panes.at(array);
  REQUIRE(second.shown);
  CHECK(second.shown->figure->grids.at(0).cols > brief);
  CHECK(second.shown->figure->grids.at(0).rows == rows);
  pick("1", "columns.brief");
  pick("1", "colour.address");
  CHECK(second.shown->figure->grids.at(0).cols == brief);
  CHECK(second.shown->figure->caption.find("eighth of the memory") != std::string::npos);
  // Another view begins with its own words.
  pick("1", "view.tensor");
  CHECK(second.look.words.empty());
  CHECK(app.session.document().text() == text);
}

TEST_CASE("the dimensions of an array become rows, columns, facets and slices, and the text stays") {
  App app;
  const std::string line = "show f32[3,4,6,5]{3,2,1,0:T(2,2)} as tensor";
  app.type(line + "\n");
  app.settle();
  const std::string text = app.session.document().text();
  const auto give = [&](int dim, const std::string& part) {
    app.click("figure.0.mode." + std::to_string(dim));
    app.frame(2);
    app.click("figure.0.mode." + std::to_string(dim) + "." + part);
    app.frame(2);
  };
  const auto& pane = app.state.canvas.panes[line];
  CHECK(app.outcome(0).figure->grids.size() == 12);
  give(0, "fixed");
  REQUIRE(pane.shown);
  CHECK(pane.shown->figure->grids.size() == 4);
  const ui::Place slider = ui::places().at("figure.0.mode.0.slider");
  app.clickAt(slider.x + slider.w - 6, slider.y + slider.h / 2);
  CHECK(pane.look.modes.at(0).value == 2);
  CHECK(pane.shown->figure->grids[1].cells->cell(0, 0).label == "324");  // slot of (2,1,0,0)
  app.moveTo(slider.x + slider.w / 2, slider.y + slider.h / 2);
  ImGui::GetIO().MouseWheel = -1;
  app.frame();
  ImGui::GetIO().MouseWheel = 0;
  app.frame();
  CHECK(pane.look.modes.at(0).value == 1);
  give(1, "rows");  // y gives the rows up and takes z's facets
  CHECK(pane.shown->figure->grids.size() == 6);
  CHECK(pane.shown->figure->grids[0].rowTitle == "z");
  give(0, "columns");
  CHECK(pane.shown->figure->grids[0].cols == 3);
  CHECK(app.session.document().text() == text);
}

TEST_CASE("the layout of an array is changed beside its picture; the text changes when that is asked for") {
  App app;
  const std::string line = "show f32[10,130]{1,0:T(8,128)} as tensor";
  app.type(line + "\n");
  app.settle();
  const std::string text = app.session.document().text();
  auto& pane = app.state.canvas.panes[line];
  app.click("figure.0.layout");
  app.frame(2);
  app.click("figure.0.layout.order.1");  // y, the slower one, goes to the fast end
  app.frame(3);
  CHECK(pane.layout.order == std::vector<i64>{0, 1});
  REQUIRE(pane.look.array);
  CHECK(print(*pane.look.array) == "f32[10,130]{0,1:T(8,128)}");
  REQUIRE(pane.shown);
  CHECK(pane.shown->figure->subtitle.find("{0,1:T(8,128)}") != std::string::npos);
  CHECK(app.session.document().text() == text);
  pane.layout.tiles = "(2,2)(0)";  // while it is wrong the last picture remains
  app.frame(3);
  CHECK(print(*pane.look.array) == "f32[10,130]{0,1:T(8,128)}");
  pane.layout.tiles = "(2,2)";
  app.frame(3);
  CHECK(print(*pane.look.array) == "f32[10,130]{0,1:T(2,2)}");
  // What the inspector derives is what is shown.
  const auto facts =
      panes::factsAbout(*pane.shown->show->value, pane.shown->figure->grids.at(0).cells->cell(1, 2).point);
  CHECK(std::any_of(facts.begin(), facts.end(), [](const auto& f) { return f.name == "offset" && f.value == "21"; }));
  app.click("figure.0.layout.insert");
  app.settle();
  CHECK(app.session.document().text() == line + "\nshow f32[10,130]{0,1:T(2,2)} as tensor\n");
  app.click("figure.0.layout.reset");
  app.frame(3);
  CHECK_FALSE(pane.look.array);

  const xla::Shape before = *xla::parseShape("f32[10,130]{1,0:T(8,128)}"),
                   after = *xla::parseShape("f32[10,130]{0,1:T(8,128)}");
  const auto rows = panes::comparison(before, after);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0] == std::vector<std::string>{"bytes", "16384", "69632  (+325 %)"});
  CHECK(rows[2] == std::vector<std::string>{"contiguous", "y 1  x 128", "y 10  x 1"});
  CHECK_FALSE(panes::edited(before, {"", {1, 1}, ""}).ok());
  CHECK_FALSE(panes::edited(before, {"", {1, 0}, "(8,"}).ok());
}

TEST_CASE("the inspector says slot, byte and memory space of an array's element, at any size") {
  App app;
  app.type("show bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)S(1)} as tensor");
  app.settle();
  const auto& grid = app.outcome(0).figure->grids.at(0);
  const auto facts = panes::factsAbout(*app.outcome(0).show->value, grid.cells->cell(10, 200).point);
  const auto value = [&](const std::string& name) {
    for (const auto& f : facts)
      if (f.name == name) return f.value;
    return std::string("missing");
  };
  CHECK(value("coordinate") == "(0, 0, 10, 200)");
  CHECK(value("offset") == "132496");
  CHECK(value("byte") == "264992");
  CHECK(value("memory space") == "VMEM");
  CHECK(value("index of the slot") == "(0, 0, 10, 200)");
  CHECK(facts.back().kind == panes::Fact::Kind::Check);
}

TEST_CASE("the banks play through their phases") {
  App app;
  app.type("show (64,64):(64,1) as banks fp16\n");
  app.settle();
  const std::string line = "show (64,64):(64,1) as banks fp16";
  app.click("figure.0.phase");
  app.frame(2);
  CHECK(app.state.canvas.panes.at(line).look.phase == 0);
  app.click("figure.0.play");
  std::set<int> seen;
  for (int n = 0; n < 300; ++n) {  // five seconds of frames
    app.frame();
    seen.insert(app.state.canvas.panes.at(line).look.phase);
    CHECK(app.state.canvas.animating);
  }
  CHECK(seen == std::set<int>{0, 1, 2, 3});
  app.click("figure.0.play");
  app.frame();
  CHECK(app.state.canvas.panes.at(line).look.phase == -1);
  CHECK_FALSE(app.state.canvas.animating);
}

TEST_CASE("a found swizzle is copied in the notation that is asked for") {
  App app;
  app.type(
      "find swizzle for (128,64):(64,1) where conflict_free(ldmatrix.x4, fp16) and conflict_free(cp.async16, fp16)\n");
  app.settle();
  for (const auto& [name, part] : {std::pair{"CuTe", "Sw<3,3,3> o 0 o (128,64):(64,1)"},
                                   {"TMA", "SWIZZLE_128B"},
                                   {"Triton", "#ttg.swizzled_shared"},
                                   {"CUDA", "offset ^="}}) {
    app.click("figure.0.copy");
    app.frame(2);
    app.click(std::string("figure.0.copy.") + name);
    app.frame(2);
    CHECK(clipboard().find(part) != std::string::npos);
  }
}

TEST_CASE("Ctrl, Shift and Alt with a click isolate a warp, a quad, a thread") {
  App app;
  app.type("show atlas(mma.m16n8k16.f16) as instruction\n");
  app.settle();
  const std::string line = "show atlas(mma.m16n8k16.f16) as instruction";
  app.hoverCell(0, 9, 3);
  REQUIRE(app.session.hover);
  CHECK(app.session.hover->label == "T12");  // of B, which is on top: k = 9, n = 3
  // What the inspector says: the thread, and all that it holds.
  const auto facts = panes::factsAboutCell(*app.outcome(0).figure, *app.session.hover);
  CHECK(panes::factsAbout(*app.outcome(0).show->value, app.session.hover->point).empty());
  const auto fact = [&](const std::string& name) {
    for (const auto& f : facts)
      if (f.name == name) return f.value;
    return std::string("none");
  };
  CHECK(fact("thread") == "12");
  CHECK(fact("quad") == "3");
  CHECK(fact("C") == "V0:3,0  V1:3,1  V2:11,0  V3:11,1");
  const ImVec2 at = ImGui::GetIO().MousePos;
  ImGuiIO& io = ImGui::GetIO();
  io.KeyShift = true;
  app.clickAt(at.x, at.y);
  io.KeyShift = false;
  app.frame(2);
  const auto& look = app.state.canvas.panes.at(line).look;
  CHECK(look.isolate == "quad");
  CHECK(look.number == 3);
  CHECK(app.state.canvas.panes.at(line).shown->figure->grids.front().cells->paint(0, 0).role == Role::Faded);
  io.KeyShift = true;
  app.clickAt(at.x, at.y);
  io.KeyShift = false;
  app.frame(2);
  CHECK(look.isolate.empty());
  io.KeyAlt = true;
  app.clickAt(at.x, at.y);
  io.KeyAlt = false;
  app.frame(2);
  CHECK(look.isolate == "thread");
  CHECK(look.number == 12);
}

TEST_CASE("a flow shows the numbers of the cell under the mouse") {
  App app;
  app.type("show (4,8):(8,1) as grid\nshow (4,8):(8,1) as flow\n");
  app.settle();
  app.hoverCell(0, 2, 3);
  app.frame(2);
  const auto& pane = app.state.canvas.panes.at("show (4,8):(8,1) as flow");
  REQUIRE(pane.shown);
  const auto says = [](const Figure& f, const std::string& text) {
    return std::any_of(f.marks.begin(), f.marks.end(), [&](const Mark& m) { return m.text == text; });
  };
  CHECK(says(*pane.shown->figure, "19"));  // 2 * 8 + 3
  app.hoverCell(0, 3, 7);
  app.frame(2);
  CHECK(says(*pane.shown->figure, "31"));
}
