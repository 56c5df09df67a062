// Comments as prose, and the law of the page: every byte has one place, every place one byte.
#include "app/engine/prose.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "app/session/gallery.h"
#include "app/session/session.h"
#include "app/views/editor/highlight.h"
#include "app/views/editor/sheet_layout.h"

namespace tessera {
namespace {

// A face without a font: prose is narrower than code.
float measured(Ink ink, std::string_view s) {
  const auto n = static_cast<float>(
      std::count_if(s.begin(), s.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
  return n * (ink == Ink::Code || ink == Ink::Source ? 8.0F : ink == Ink::Title ? 10.0F : 6.5F);
}

struct Page {
  std::string text;
  SheetLayout layout;
  Page(std::string t, float width, std::optional<std::size_t> revealed = {}, std::map<int, Hanging> hanging = {})
      : text(std::move(t)) {
    SheetStyle style;
    style.width = width;
    layout.update(text, 1, style, measured, revealed, hanging, 1);
  }
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;
  // What the rows of a block say, a bar between rows.
  [[nodiscard]] std::string shown(std::size_t block) const {
    std::string s;
    for (const Row& row : layout.rows(block)) {
      if (!s.empty()) s += "|";
      for (const Run& run : row.runs) s += run.ink == Ink::Join ? " " : text.substr(run.begin, run.end - run.begin);
    }
    return s;
  }
};

bool startsCharacter(const std::string& t, std::size_t at) {
  return at >= t.size() || (static_cast<unsigned char>(t[at]) & 0xc0) != 0x80;
}

// The laws that sheet_layout.h states.
void holdsTheLaws(const Page& page) {
  const SheetLayout& l = page.layout;
  const std::string& t = page.text;
  std::size_t expected = 0;
  for (std::size_t k = 0; k < l.blocks().size(); ++k) {
    const Block& b = l.blocks()[k];
    REQUIRE(b.begin == expected);
    expected = b.end + 1;
    const std::vector<Row>& rows = l.rows(k);
    REQUIRE(rows.front().begin == b.begin);
    REQUIRE((rows.back().end == b.end && rows.back().ends));
  }
  REQUIRE(expected == t.size() + 1);
  Place before;
  bool first = true;
  for (std::size_t byte = 0; byte <= t.size(); ++byte) {
    if (!startsCharacter(t, byte)) continue;
    const Place p = l.place(byte);
    INFO("byte " << byte << " of " << t.size() << ": " << t.substr(byte, 20));
    if (!first) {
      const bool ordered =
          p.block > before.block ||
          (p.block == before.block && (p.row > before.row || (p.row == before.row && p.x >= before.x - 0.01F)));
      REQUIRE(ordered);
    }
    before = p;
    first = false;
    const std::size_t back = l.offsetAt(p.x, p.y + static_cast<double>(p.height) / 2);
    if (l.blocks()[p.block].source) {
      REQUIRE(back == byte);
    } else {
      const Place again = l.place(back);
      REQUIRE((again.block == p.block && again.row == p.row && std::abs(again.x - p.x) < 0.01F));
    }
    REQUIRE((l.rowBegin(byte) <= byte || !l.blocks()[p.block].source));
    REQUIRE((l.rowEnd(byte) >= byte || !l.blocks()[p.block].source));
    REQUIRE(l.place(l.rowEnd(byte)).row == p.row);
  }
}

// Down from the top visits every written row once; up visits the same rows.
void walksEveryRow(const Page& page) {
  const SheetLayout& l = page.layout;
  std::size_t rows = 0;
  for (std::size_t k = 0; k < l.blocks().size(); ++k) {
    std::vector<Row> made;
    rows += l.writtenRows(k, made).size();
  }
  std::vector<std::size_t> down = {0};
  for (std::size_t k = 1; k < rows; ++k) {
    down.push_back(l.vertical(down.back(), 1, 0));
    REQUIRE(down.back() > down[down.size() - 2]);
  }
  std::size_t at = down.back();
  for (std::size_t k = rows - 1; k > 0; --k) {
    at = l.vertical(at, -1, 0);
    REQUIRE(at == down[k - 1]);
  }
  REQUIRE(l.vertical(down.back(), 1, 0) == page.text.size());
  REQUIRE(l.vertical(0, -1, 0) == 0);
}

}  // namespace

TEST_CASE("a run of comment lines flows into one paragraph without its marks") {
  const Page page("// Groups of `2^3` stay\n// *together*, see [banks](10_gemm.tess).\nA = 1", 2000);
  REQUIRE(page.layout.blocks().size() == 2);
  CHECK(page.shown(0) == "Groups of 2^3 stay together, see banks.");
  CHECK(page.shown(1) == "A = 1");
}

TEST_CASE("prose wraps within the page, at any width") {
  const std::string text =
      "// Shared memory has 32 banks of 4 bytes. In a row-major tile of 64 half-precision columns\n// a row is 128 "
      "bytes.";
  for (const float width : {150.0F, 200.0F, 333.0F, 600.0F}) {
    const Page page(text, width);
    const std::vector<Row>& rows = page.layout.rows(0);
    CHECK(rows.size() > 1);
    for (const Row& row : rows) {
      const Run& last = row.runs.back();
      const std::string words = text.substr(last.begin, last.end - last.begin);
      const std::size_t trailing = words.size() - std::min(words.find_last_not_of(' ') + 1, words.size());
      CHECK(last.x + last.width - 6.5F * static_cast<float>(trailing) <= width);
    }
  }
}

TEST_CASE("headings, items, code and blank lines are blocks of their own") {
  const Page page(
      "// # 3  The swizzle\n//\n// Words.\n// - one\n//   goes on\n// - two\n//     x = kept;\n//show S as grid\nA = 1",
      900);
  std::vector<std::string> shown;
  for (std::size_t k = 0; k < page.layout.blocks().size(); ++k) shown.push_back(page.shown(k));
  // The indented line continues the item above it; only what is alone is kept as it is.
  CHECK(shown == std::vector<std::string>{"3  The swizzle", "", "Words.", "-one goes on", "-two x = kept;",
                                          "//show S as grid|A = 1"});
}

TEST_CASE("formulas are no marks") {
  const auto shown = [](const std::string& words) {
    std::string s;
    for (const ProseSpan& span : proseSpans(words, 0, words.size()))
      s += words.substr(span.begin, span.end - span.begin);
    return s;
  };
  for (const std::string words : {"i * 8 + j * 2", "blocked_product and raked_product", "a[i](j)", "2*3*4", "** alone",
                                  "`open", "[x] (y)", "x_1 _ y_2"})
    CHECK(shown(words) == words);
  CHECK(shown("**T5 V3** and *this* and _that_") == "T5 V3 and this and that");
  CHECK(shown("*a*, (_b_), `c d`") == "a, (b), c d");
}

TEST_CASE("comments of a program are its source: prose begins again behind the block") {
  const std::string text =
      "// Prose before.\ngraphene move {\n  // a comment of the program\n%a : [4].fp16.GL // { more\n%b <- Move(%a) {\n"
      "// inside\n}\n// still inside\n}\n// Prose again.\nhlo m {\n// of the dump \"}\"\n}\n// Prose at last.\n"
      "graphene = 3\n// Prose behind a name.";
  const Page page(text, 800);
  holdsTheLaws(page);
  std::vector<std::string> prose;
  for (std::size_t k = 0; k < page.layout.blocks().size(); ++k)
    if (page.layout.blocks()[k].kind == Block::Kind::Paragraph) prose.push_back(page.shown(k));
  CHECK(prose == std::vector<std::string>{"Prose before.", "Prose again.", "Prose at last.", "Prose behind a name."});
}

TEST_CASE("a statement that was commented out is kept as it was typed") {
  for (const std::string line : {"// A = (4,8):(8,1)", "// prove injective(S)", "// show S as banks fp16", "//anything",
                                 "// find swizzle for A where conflict_free(ldmatrix.x4, fp16)"}) {
    const auto read = readComment(line, 0, line.size());
    REQUIRE(read);
    CHECK(read->kind == CommentKind::Verbatim);
  }
  for (const std::string line :
       {"// show me the tile", "// prove it, then", "// find out where it lies", "// A is (4,8)"}) {
    const auto read = readComment(line, 0, line.size());
    REQUIRE(read);
    CHECK(read->kind == CommentKind::Text);
  }
  CHECK(!readComment("A = 1 // x", 0, 10));
}

TEST_CASE("every byte of every lesson has one place, every place one byte") {
  for (const GalleryItem& item : gallery()) {
    INFO(item.path);
    const auto text = readFile(item.path);
    REQUIRE(text.ok());
    for (const float width : {140.0F, 380.0F, 900.0F}) {
      const Page page(*text, width);
      holdsTheLaws(page);
      walksEveryRow(page);
      // With each block in turn as it is written.
      for (std::size_t k = 0; k < page.layout.blocks().size(); k += 3)
        holdsTheLaws(Page(*text, width, page.layout.blocks()[k].begin));
    }
  }
}

TEST_CASE("the laws hold on random damaged texts") {
  std::mt19937 random(7);
  const std::string alphabet[] = {"//",
                                  " ",
                                  " ",
                                  "\n",
                                  "\n",
                                  "// ",
                                  "*",
                                  "**",
                                  "`",
                                  "_",
                                  "[x](y)",
                                  "# ",
                                  "- ",
                                  "1. ",
                                  "word",
                                  "(4,8):(8,1)",
                                  "\t",
                                  "\u00e9",
                                  "\u2192",
                                  ",",
                                  "A = ",
                                  "\r\n",
                                  "a_long_word_without_a_blank_in_it"};
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (int k = static_cast<int>(random() % 40); k > 0; --k) text += alphabet[random() % std::size(alphabet)];
    INFO(text);
    const float width = 130.0F + static_cast<float>(random() % 300);
    std::optional<std::size_t> revealed;
    if (random() % 2 == 0) revealed = random() % (text.size() + 1);
    const Page page(text, width, revealed, {{1, {200, 3, 40}}, {3, {5, 1, 0}}});
    holdsTheLaws(page);
    walksEveryRow(page);
  }
}

TEST_CASE("a long statement wraps with a hanging indent, behind blanks and commas") {
  const Page page("find swizzle for A where conflict_free(ldmatrix.x4, fp16) and conflict_free(st.shared.v4, fp16)",
                  8 * 40);
  const std::vector<Row>& rows = page.layout.rows(0);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].runs[0].x == 0);
  CHECK(rows[1].runs[0].x == 8 * 4);
  CHECK(page.shown(0) ==
        "find swizzle for A where |conflict_free(ldmatrix.x4, fp16) and |conflict_free(st.shared.v4, fp16)");
}

TEST_CASE("a comment that does not fit behind its statement stands below it, whole") {
  const Page page("prove injective(X)      // no two elements share a place", 8 * 40);
  CHECK(page.shown(0) == "prove injective(X)      |// no two elements share a place");
}

TEST_CASE("a value that finds no room behind its line takes rows below it") {
  CHECK(SheetLayout::fitsAfter(10, 20, 40));
  CHECK_FALSE(SheetLayout::fitsAfter(30, 20, 40));
  const Page plain("A = 1\nB", 8 * 40), valued("A = 1\nB", 8 * 40, {}, {{1, {60, 2, 0}}});
  CHECK(valued.layout.height() == plain.layout.height() + 2 * 22);
}

TEST_CASE("the page is laid out when something has changed, and not again") {
  std::string text = "// words\nA = 1\nB = 2\n// more";
  SheetLayout layout;
  const std::map<int, Hanging> none;
  CHECK(layout.update(text, 1, {}, measured, 12, none, 1));
  CHECK_FALSE(layout.update(text, 1, {}, measured, 12, none, 1));
  CHECK_FALSE(layout.update(text, 1, {}, measured, 16, none, 1));  // from statement to statement
  CHECK(layout.update(text, 1, {}, measured, 2, none, 1));         // into a comment
  CHECK_FALSE(layout.update(text, 1, {}, measured, 4, none, 1));
  CHECK(layout.update(text, 1, {}, measured, 12, none, 1));  // and out of it
  text += "x";
  CHECK(layout.update(text, 2, {}, measured, 12, none, 1));
}

TEST_CASE("a long worksheet makes few blocks and only the rows that are seen") {
  std::string text;
  for (int k = 0; k < 200'000; ++k) text += "A = (4,8):(8,1)\n";
  const Page page(text, 400);
  CHECK(page.layout.blocks().size() < 4000);
  const Place last = page.layout.place(text.size());
  CHECK(last.y == 200'000.0 * 22);
  CHECK(page.layout.offsetAt(0, 100'000.0 * 22 + 1) == 100'000 * 16);
}

TEST_CASE("everything that is read has a contrast of 4.5 to 1 in both themes") {
  for (const Theme theme : {Theme::Dark, Theme::Light}) {
    std::vector<std::pair<std::string, Rgba>> inks;
    const auto role = [&](Role r) { return resolve({r, 0, 0, 0}, theme); };
    for (const auto& [name, r] : {std::pair{"text", Role::Text},
                                  {"muted", Role::Muted},
                                  {"faint", Role::Faint},
                                  {"accent", Role::Accent},
                                  {"proved", Role::Proved},
                                  {"refuted", Role::Refuted},
                                  {"unknown", Role::Unknown}})
      inks.emplace_back(name, role(r));
    for (const Ink ink :
         {Ink::Body, Ink::Strong, Ink::Emphasis, Ink::Code, Ink::Link, Ink::Title, Ink::Heading, Ink::Bullet})
      inks.emplace_back("prose " + std::to_string(static_cast<int>(ink)), colorOf(ink, theme));
    for (const CodeInk ink : {CodeInk::Plain, CodeInk::Keyword, CodeInk::Number, CodeInk::Function, CodeInk::Comment})
      inks.emplace_back("code " + std::to_string(static_cast<int>(ink)), colorOf(ink, theme));
    for (const Rgba ground : {canvas(theme), role(Role::Panel), role(Role::Raised)})
      for (const auto& [name, ink] : inks) {
        INFO(name << (theme == Theme::Dark ? " dark" : " light"));
        CHECK(contrast(ink, ground) >= 4.5);
      }
  }
}

}  // namespace tessera
