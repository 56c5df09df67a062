// The worksheet pane in the window: prose and source, clicks, links, width, long values.
#include <random>

#include "app/session/gallery.h"
#include "app/views/editor/editor_page.h"
#include "tests/gui/app.h"

namespace tessera {
namespace {

void load(App& app, const std::string& text) {
  app.session.document().reset(text);
  app.session.touch();
  app.frame(2);
  app.settle();
}

// Where a byte is on the screen.
ImVec2 pointOf(App& app, std::size_t byte) {
  const ui::Place p = ui::places().at("editor");
  const panes::EditorPage page(app.session, app.state.editor, {p.x, p.y}, {p.w, p.h});
  const Place at = app.state.editor.layout.place(byte);
  return {page.left + at.x + 1, page.screenY(at.y) + at.height / 2};
}

}  // namespace

TEST_CASE("a sheet just opened is a page to read; the comment that is clicked into is shown as written") {
  App app;
  const std::string text = "// # Title\n//\n// Words of *prose* that flow\n// in one paragraph.\nA = (4,8):(8,1)\n";
  load(app, text);
  const SheetLayout& layout = app.state.editor.layout;
  for (const Block& b : layout.blocks()) CHECK(b.source == (b.kind == Block::Kind::Code));
  const std::size_t word = text.find("prose");
  const ImVec2 p = pointOf(app, word + 2);
  app.clickAt(p.x, p.y);
  CHECK(app.session.document().caret() == word + 2);
  CHECK(layout.blocks()[layout.blockOf(word)].source);
  CHECK_FALSE(layout.blocks()[layout.blockOf(2)].source);
  // The row that was clicked stays under the mouse.
  CHECK(std::abs(pointOf(app, word + 2).y - p.y) < 12);
  app.type("X");
  CHECK(app.session.document().text().find("*prXose*") != std::string::npos);
  app.key('Z', true);
  CHECK(app.session.document().text() == text);
  // And prose again when the caret leaves.
  app.key(269, true);
  CHECK_FALSE(layout.blocks()[layout.blockOf(word)].source);
}

TEST_CASE("every byte can be clicked, in source and in prose") {
  App app;
  const std::string text = "// Some `code` and **words**.\nA = (4,8):(8,1) // behind\n";
  load(app, text);
  for (const std::size_t byte : {text.find("ome"), text.find("code"), text.find("words") + 3, text.find("(4") + 1}) {
    app.key(269, true);  // out of the comment
    const ImVec2 p = pointOf(app, byte);
    app.clickAt(p.x, p.y);
    INFO(byte);
    CHECK(app.session.document().caret() == byte);
    app.frame(40);  // no double click
  }
}

TEST_CASE("a double click takes the word, in prose, too") {
  App app;
  const std::string text = "// Some words here\nA = 1\n";
  load(app, text);
  const ImVec2 p = pointOf(app, text.find("words") + 2);
  app.clickAt(p.x, p.y);
  app.clickAt(p.x, p.y);
  const auto [a, b] = std::minmax({app.session.document().caret(), app.state.editor.anchor});
  CHECK(text.substr(a, b - a) == "words");
}

TEST_CASE("a link opens its lesson, and asks before unsaved text goes; one that leads nowhere says so") {
  App app;
  load(app, "// See [the swizzle](03_swizzle.tess) and [nothing](99_nothing.tess).\n");
  app.click("link.99_nothing.tess");
  CHECK(app.session.messageIsError);
  app.click("link.03_swizzle.tess");
  CHECK(app.session.document().text().find("Sw<3,3,3>") != std::string::npos);
  load(app, "// See [the swizzle](03_swizzle.tess).\n");
  app.key(269, true);
  app.type("A = 1");
  const std::string mine = app.session.document().text();
  app.click("link.03_swizzle.tess");
  CHECK(app.session.document().text() == mine);
}

TEST_CASE("up, down, home and end walk through wrapped statements") {
  App app;
  std::string text =
      "A = make_layout((4,8):(8,1), (2,2):(1,2), (2,2):(1,2), (2,2):(1,2), (2,2):(1,2), (2,2):(1,2))\nB = 1";
  load(app, text);
  app.key(268, true);
  app.key(264);
  const std::size_t second = app.session.document().caret();
  CHECK((second > 0 && second < text.find('\n')));
  app.key(265);
  CHECK(app.session.document().caret() == 0);
  app.key(269);
  CHECK(app.session.document().caret() < second);
  app.key(269);
  CHECK(app.session.document().caret() == text.find('\n'));
  app.key(268);
  CHECK(app.session.document().caret() > 0);
  app.key(268);
  CHECK(app.session.document().caret() == 0);
}

TEST_CASE("a long value takes rows below its line; its card shows it whole and copies it") {
  App app;
  load(app,
       "A = make_layout((4,8):(8,1), (2,2):(1,2), (2,2):(1,2), (2,2):(1,2), (2,2):(1,2), (2,2):(1,2), (2,2):(1,2))\n");
  REQUIRE(ui::places().count("value.1") == 1);
  const ui::Place p = ui::places().at("value.1");
  CHECK(p.h > 30);
  app.moveTo(p.x + 30, p.y + 8);
  app.frame(40);
  REQUIRE(ui::places().count("hover.card") == 1);
  app.click("hover.copy");
  CHECK(clipboard() == print(*app.outcome(0).value));
}

TEST_CASE("hovering a name shows its card, typing closes it") {
  App app;
  const std::string text = "Tile = (4,8):(8,1)\nsize(Tile)\n";
  load(app, text);
  const ImVec2 p = pointOf(app, text.find("Tile)") + 1);
  app.moveTo(p.x, p.y);
  app.frame(40);
  CHECK(ui::places().count("hover.card") == 1);
  app.type("x");
  app.frame(2);
  CHECK(ui::places().count("hover.card") == 0);
}

TEST_CASE("the worksheet can be widened to nearly the whole window") {
  App app;
  load(app, "A = 1\n");
  const ui::Place edge = ui::places().at("split.left");
  app.moveTo(edge.x + edge.w / 2, edge.y + 300);
  ImGui::GetIO().MouseDown[0] = true;
  app.frame();
  for (float x = 500; x <= 1500; x += 100) app.moveTo(x, edge.y + 300);
  ImGui::GetIO().MouseDown[0] = false;
  app.frame(2);
  CHECK(ui::places().at("editor").w >= 900);
}

TEST_CASE("whatever is typed, clicked and dragged, the page shows the text, and undo brings it back") {
  App app;
  REQUIRE(app.session.openGallery(gallery().at(15).path));
  app.settle();
  const std::string text = app.session.document().text();
  std::mt19937 random(11);
  const int keys[] = {257, 258, 259, 261, 262, 263, 264, 265, 266, 267, 268, 269};
  const char* words[] = {"// ", "*x*", "`", "comp", "show ", " as ", "\u00e9", "[a](b)", "(", "//\n", "- "};
  for (int k = 0; k < 1500; ++k) {
    const ui::Place pane = ui::places().at("editor");
    const auto at = [&] {
      return ImVec2(pane.x + static_cast<float>(random() % 400), pane.y + static_cast<float>(random() % 900));
    };
    switch (random() % 6) {
      case 0:
        app.clickAt(at().x, at().y);
        break;
      case 1:  // drag
        app.moveTo(at().x, at().y);
        ImGui::GetIO().MouseDown[0] = true;
        app.frame();
        app.moveTo(at().x, at().y);
        ImGui::GetIO().MouseDown[0] = false;
        app.frame();
        break;
      case 2:
        for (const char* c = words[random() % std::size(words)]; *c != '\0'; ++c)
          if (*c != '\n') ImGui::GetIO().AddInputCharacter(static_cast<unsigned char>(*c));
        app.frame();
        break;
      case 3:
        ImGui::GetIO().MouseWheel = random() % 2 == 0 ? 1.0F : -1.0F;
        app.frame();
        ImGui::GetIO().MouseWheel = 0;
        break;
      default:
        app.key(keys[random() % std::size(keys)], random() % 4 == 0, random() % 3 == 0);
    }
    // A link or a question may have opened something else.
    if (!app.state.dialogs.empty()) app.key(256);
    const SheetLayout& layout = app.state.editor.layout;
    const Document& d = app.session.document();
    REQUIRE(layout.blocks().back().end == d.text().size());
    REQUIRE(d.caret() <= d.text().size());
    REQUIRE(layout.place(d.caret()).y <= layout.height());
  }
  app.state.dialogs.clear();
  while (app.session.document().undo()) {
  }
  if (app.session.document().text().substr(0, 20) == text.substr(0, 20)) CHECK(app.session.document().text() == text);
}

TEST_CASE("nothing of a lesson reaches beyond the pane") {
  App app;
  for (const GalleryItem& item : gallery()) {
    INFO(item.path);
    REQUIRE(app.session.openGallery(item.path));
    app.settle();
    const SheetLayout& layout = app.state.editor.layout;
    const float room = ui::places().at("editor").w - 54 - 10;
    const std::string& text = app.session.document().text();
    for (std::size_t k = 0; k < layout.blocks().size(); ++k)
      for (const Row& row : layout.rows(k)) {
        if (row.runs.empty()) continue;
        const Run& last = row.runs.back();
        // Blanks at the end of a row may hang over: nothing of them is seen.
        std::size_t end = last.end;
        while (end > last.begin && text[end - 1] == ' ') --end;
        CHECK(layout.xIn(row, end) <= room);
      }
  }
}

}  // namespace tessera
