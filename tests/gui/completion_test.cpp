// Every completion is valid at its place. The list never changes fast typing. Hovering explains a word.
#include "app/engine/help/completions.h"
#include "app/engine/help/hover_info.h"
#include "core/atlas/atlas.h"
#include "tests/gui/app.h"
#include "tests/support/run_document.h"

namespace tessera {
namespace {

using Outcomes_ = std::vector<std::shared_ptr<const Outcome>>;

Outcomes_ evaluated(std::string_view text) {
  Outcomes_ out;
  EngineOptions options;
  options.figures = EngineOptions::Figures::None;
  for (Outcome& o : runDocument(text, options)) out.push_back(std::make_shared<Outcome>(std::move(o)));
  return out;
}

constexpr std::string_view kSheet =
    "A = (64,64):(64,1)\nS = Sw<3,3,3> o A\nX = S[(8,2,4,2):(4@lane,1@warp,1@lane,1@reg)]\n"
    "P = bf16[8,128]{1,0:T(8,128)(2,1)}\nn = size(A)\n";

Completions at(std::string_view line) {
  const std::string text = std::string(kSheet) + std::string(line);
  static const Outcomes_ outcomes = evaluated(kSheet);
  return completionsAt(text, text.size(), boundNames(outcomes));
}
std::vector<std::string> names(const Completions& c) {
  std::vector<std::string> out;
  for (const Completion& item : c.items) out.push_back(item.text);
  return out;
}
bool offers(const Completions& c, const std::string& name) {
  const auto all = names(c);
  return std::find(all.begin(), all.end(), name) != all.end();
}

// The diag of the last statement with the item in its place; nullopt when there is none.
std::optional<Diag> after(std::string_view line, const Completion& item, const std::string& rest) {
  const Completions c = at(line);
  std::string text = std::string(kSheet) + std::string(line);
  text.replace(c.begin, c.end - c.begin, item.insert);
  text += rest;
  EngineOptions options;
  options.figures = EngineOptions::Figures::None;
  const auto outcomes = runDocument(text, options);
  return outcomes.back().diag;
}

}  // namespace

TEST_CASE("the place says what is offered") {
  CHECK(offers(at("comp"), "composition"));
  CHECK(names(at("composi")).front() == "composition");
  CHECK(offers(at("tas"), "task"));
  CHECK(offers(at("task \"fix it\": conf"), "conflict_free"));
  CHECK(offers(at("task \"fix it\": injective(S) an"), "and"));
  CHECK(at("task \"conf").items.empty());  // the title
  CHECK(offers(at("show S as ba"), "banks"));
  CHECK(offers(at("show S as "), "grid"));
  CHECK_FALSE(offers(at("show S as "), "mesh"));  // no view of a layout in memory
  CHECK(offers(at("show P as "), "tiles"));
  CHECK(offers(at("prove conflict_free(S, ldm"), "ldmatrix.x4"));
  CHECK(offers(at("prove conflict_free(S, ldmatrix.x4, f"), "fp16"));
  CHECK(offers(at("find swizzle for A where conflict_free(ldm"), "ldmatrix.x4"));
  CHECK(offers(at("find swizzle for A where conflict_free(ldmatrix.x4, "), "fp16"));
  CHECK(names(at("find sw")) == std::vector<std::string>{"swizzle"});
  CHECK(names(at("find swizzle for A wh")) == std::vector<std::string>{"where"});
  CHECK(offers(at("prove inj"), "injective"));
  CHECK(offers(at("prove injective(S) by "), "z3"));
  CHECK(offers(at("atlas(mma.m16n8k16.f"), "mma.m16n8k16.f32.f16.f16.f32"));
  CHECK(offers(at("atlas(ldmatrix.x4, "), "dst"));
  CHECK(offers(at("sh"), "show"));
  CHECK(names(at("size(")).empty());   // an argument can be anything
  CHECK(names(at("size(S")).empty());  // complete
  CHECK(names(at("// comp")).empty());
  CHECK(names(at("A // comp")).empty());
  CHECK(names(at("0x")).empty());
  CHECK(at("show S as ba").begin == kSheet.size() + 10);
}

TEST_CASE("a name is offered below its line, and not above it") {
  const std::string text = "Tile = (4,8):(8,1)\nTi\n";
  const Outcomes_ outcomes = evaluated(text);
  const auto below = completionsAt(text, text.size() - 1, boundNames(outcomes));
  REQUIRE(offers(below, "Tile"));
  CHECK(below.items.front().kind == "name");
  const std::string above = "Ti\nTile = (4,8):(8,1)\n";
  CHECK_FALSE(offers(completionsAt(above, 2, boundNames(evaluated(above))), "Tile"));
}

TEST_CASE("every view, access, type, method, operand and instruction that is offered is read in its place") {
  struct Case {
    std::string_view line;
    std::string rest;
  };
  const Case cases[] = {{"show S as ", ""},       {"show P as ", ""},
                        {"show X as ", ""},       {"prove injective(S) by ", ""},
                        {"atlas(", ")"},          {"atlas(mma.m16n8k16.f32.f16.f16.f32, ", ")"},
                        {"vector_bytes(S, ", ")"}};
  for (const Case& c : cases)
    for (const Completion& item : at(c.line).items) {
      const auto diag = after(c.line, item, c.rest);
      INFO(c.line << item.insert << c.rest << (diag ? ": " + diag->message : ""));
      CHECK(!diag);
    }
  // An access may not fit the tile, but it is known for what it is.
  for (const std::string& access : accessNames()) CHECK(parseAccess(access).ok());
  for (const std::string_view type : elementTypeNames()) CHECK(elementBits(type).ok());
  for (const std::string& name : instructionNames()) {
    INFO(name);
    CHECK(findInstruction(name).ok());
  }
}

TEST_CASE("functions and names that are offered stand in every expression without a word about the name") {
  for (const std::string_view line : {"", "Q = ", "assert ", "show ", "prove "})
    for (const char letter : std::string("abcdefghijklmnopqrstuvwxyzASXP")) {
      const std::string typed = std::string(line) + letter;
      for (const Completion& item : at(typed).items) {
        if (item.kind != "function" && item.kind != "claim" && item.kind != "name") continue;
        const auto diag = after(typed, item, item.kind == "name" ? "" : "A)");
        INFO(typed << " -> " << item.insert << (diag ? ": " + diag->message : ""));
        CHECK((!diag || diag->message.find("unknown") == std::string::npos));
        CHECK((!diag || diag->message.find("no name") == std::string::npos));
        CHECK((!diag || diag->hint.find("Did you mean") == std::string::npos));
      }
    }
}

TEST_CASE("hovering says what a word is, where it is bound, and what an error wants") {
  const std::string text =
      "A = (4,8):(8,1)\nB = composition(A, (2,4):(4,1))\nA = 7\nC = A + nothing\nshow B as grid // "
      "size\nldmatrix.x4\ntask \"t\": injective(B)\n";
  const Outcomes_ outcomes = evaluated(text);
  const auto info = [&](const std::string& word, std::size_t from = 0) {
    return hoverInfo(text, text.find(word, from), outcomes);
  };
  const std::size_t inB = text.find("A, (2,4)");
  REQUIRE(hoverInfo(text, inB, outcomes));
  CHECK(hoverInfo(text, inB, outcomes)->value == "(4,8):(8,1)");  // the binding that line 2 sees
  CHECK(hoverInfo(text, inB, outcomes)->lines.front() == "a layout, bound in line 1");
  CHECK(info("A = 7")->value == "7");
  CHECK(info("composition")->title.rfind("composition(A, B)", 0) == 0);
  REQUIRE(info("nothing"));
  CHECK(info("nothing")->isError);
  CHECK(info("grid")->title == "Logical grid");
  CHECK(info("show")->title == "show EXPRESSION as VIEW");
  CHECK_FALSE(info("size"));  // in a comment
  REQUIRE(info("task"));
  CHECK(info("task")->title == "task \"TITLE\": CLAIM");
  REQUIRE(info("ldmatrix"));
  CHECK(info("ldmatrix")->title == "ldmatrix.x4");
  CHECK_FALSE(hoverInfo(text, text.size() + 5, outcomes));
}

TEST_CASE("Tab takes what is offered; Enter does only when the list was moved in; Esc closes") {
  App app;
  app.session.newWorksheet();
  app.frame(2);
  app.type("composi");
  CHECK(ui::places().count("completion.composition") == 1);
  app.key(257);  // Enter is a new line, as it always was
  CHECK(app.session.document().text() == "composi\n");
  app.type("composi");
  app.key(258);
  CHECK(app.session.document().text() == "composi\ncomposition(");
  app.key(257);
  app.type("comp");
  app.key(264);  // down
  const std::string second = app.state.editor.offers.list.items.at(1).insert;
  app.key(257);
  CHECK(app.session.document().text() == "composi\ncomposition(\n" + second);
  app.key(257);
  app.type("comp");
  app.session.pinned = Hover{};
  app.key(256);
  CHECK(ui::places().count("completion.composition") == 0);
  app.key(264);
  app.type("x");
  CHECK(app.session.document().text().substr(app.session.document().text().size() - 5) == "compx");
}

TEST_CASE("a row of the list can be clicked") {
  App app;
  app.session.newWorksheet();
  app.frame(2);
  app.type("composi");
  app.frame(2);
  app.click("completion.composition");
  CHECK(app.session.document().text() == "composition(");
  CHECK(ui::places().count("completion.composition") == 0);
  app.type("A");
  CHECK(app.session.document().text() == "composition(A");
}

TEST_CASE("Ctrl and the blank ask for the list; typing on narrows it") {
  App app;
  app.session.newWorksheet();
  app.frame(2);
  app.type("A = (4,8):(8,1)\nshow A as ");
  app.settle();
  app.key(' ', true);
  CHECK(ui::places().count("completion.grid") == 1);
  app.type("fl");
  CHECK(ui::places().count("completion.grid") == 0);
  app.key(258);
  CHECK(app.session.document().text() == "A = (4,8):(8,1)\nshow A as flow");
}

}  // namespace tessera
