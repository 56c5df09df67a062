// Text in other scripts: its characters are loaded when they occur, and the columns of the page still fit.
#include "core/base/columns.h"
#include "tests/gui/app.h"

using namespace tessera;

TEST_CASE("a wide character takes two columns, and every byte keeps its place") {
  static_assert(columnsOf("abc") == 3);
  CHECK(columnsOf("\u6f22\u5b57") == 4);
  CHECK(columnsOf("\u0416\u00e9") == 2);
  CHECK(codePointAt("\u6f22", 0) == 0x6f22);
  CHECK(codePointAt("\xe6\xbc", 0) == 0xfffd);  // cut short
  CHECK(codePointAt("\x80", 0) == 0xfffd);
  App app;
  app.session.document().reset("size((4,8)) // \u6f22\u5b57 ab\nsize(1) // \u0416ab");
  app.session.document().setCaret(13);
  app.state.editor.caret.used = true;
  app.settle();
  const SheetLayout& layout = app.state.editor.layout;
  const float advance = ui::width(ui::look().fonts.code, "0");
  const auto x = [&](std::size_t byte) { return layout.place(byte).x; };
  CHECK(x(15) == advance * 15);
  CHECK(x(18) == advance * 17);
  CHECK(x(21) == advance * 19);
  for (std::size_t byte : {15, 18, 21, 22, 23}) {
    const Place p = layout.place(byte);
    CHECK(layout.offsetAt(p.x, p.y + 3) == byte);
  }
}

TEST_CASE("characters of other scripts are loaded when the text has them") {
  App app;
  CHECK(ui::look().fonts.sans->FindGlyphNoFallback(0x416) == nullptr);
  app.session.document().reset("// \u0416\u0438\u0437\u043d\u044c\nsize(1) // \u0416");
  app.settle();
  app.frame(2);
  // Inter and JetBrains Mono have Cyrillic letters themselves; without them any font of the system.
  if (ui::look().fonts.sans->ConfigData->Name[0] != 'P') {
    CHECK(ui::look().fonts.sans->FindGlyphNoFallback(0x416) != nullptr);
    CHECK(ui::look().fonts.code->FindGlyphNoFallback(0x43d) != nullptr);
    CHECK(ui::look().fonts.code->GetCharAdvance(0x416) == ui::look().fonts.code->GetCharAdvance('0'));
  }
  // The same characters again load nothing.
  const auto texture = app.fontTexture;
  app.session.document().replace(0, 0, "// \u0416\n");
  app.frame(2);
  CHECK(app.fontTexture == texture);
  // No font has this one: nothing breaks.
  app.session.document().replace(0, 0, "// \uf8ff \u6f22\n");
  app.settle();
  app.frame(2);
  CHECK(ui::unusualIn("plain ASCII, \u00e9 and \u2192").empty());
}
