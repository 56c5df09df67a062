// Help inside a block, and text that becomes a block.
#include "app/engine/program/program_words.h"

#include <catch2/catch.hpp>

#include "app/engine/program/check_program.h"
#include "core/graphene/program.h"
#include "core/paste/blocks.h"
#include "core/worksheet/value.h"

using namespace tessera;

namespace {

const std::string kSheet = R"(A = (4,8):(8,1)
graphene move {
  %src : [16,16].fp16.SH  #warp : [32].thread  #blk : [1].block
  %src <- Init<0><<<#blk, #warp>>>() {  // a { brace
    #g = #warp.tile(8)
    @o, @i = #g.indices()
    for (k = 0; k < 4; k += 2) { %m = %src.tile(8,8)[k / 2, 0] }
  }
}
size(A)
)";

// What is offered at the first `|` of the sheet with this line in its block.
std::vector<std::string> offered(const std::string& line) {
  std::string text = kSheet;
  const std::size_t at = text.find("    for (k");
  text.insert(at, "    " + line + "\n");
  const std::size_t caret = text.find('|');
  text.erase(caret, 1);
  std::vector<std::string> out;
  if (const auto words = programWordsAt(text, caret))
    for (const Completion& c : words->items) out.push_back(c.text);
  return out;
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::shared_ptr<const Outcome> block() {
  Scope scope;
  for (const Statement& s : splitStatements(kSheet))
    if (s.kind == StatementKind::Block) return std::make_shared<const Outcome>(runStatement(s, scope));
  return nullptr;
}

std::optional<HoverInfo> hovered(const std::string& piece, std::size_t into = 0) {
  const std::vector<std::shared_ptr<const Outcome>> outcomes = {block()};
  return hoverInfo(kSheet, kSheet.find(piece) + into, outcomes);
}

}  // namespace

TEST_CASE("what may stand inside a program is offered there, and nowhere else") {
  CHECK(has(offered("%x = %s|"), "%src"));
  CHECK(has(offered("#g2 = #w|"), "#warp"));
  CHECK_FALSE(has(offered("#g2 = #w|"), "%src"));
  CHECK(has(offered("%x = %src[@|"), "@i"));
  CHECK(has(offered("%x = %src.ti|"), "tile"));
  CHECK(has(offered("%src <- Mo|"), "Move"));
  CHECK(has(offered("%src <- Mo|"), "warp_gemm"));
  CHECK(has(offered("def mine<n>: %x <- Spec(%x) { }\n%src <- |"), "mine"));
  CHECK(has(offered("sy|"), "sync"));
  CHECK(offered("// %s|").empty());
  CHECK(offered("%x = %src.tile(1|").empty());
  CHECK_FALSE(programWordsAt(kSheet, 3).has_value());
  CHECK_FALSE(programWordsAt(kSheet, kSheet.find("size(A)") + 2).has_value());
  CHECK_FALSE(programWordsAt("graphene move", 10).has_value());
}

TEST_CASE("completion in a block replaces the word with its mark") {
  std::string text = kSheet;
  const std::size_t at = text.find("    for (k");
  text.insert(at, "    %x = %sr");
  const Completions found = completionsAt(text, at + 12, {});
  REQUIRE_FALSE(found.items.empty());
  CHECK(found.items[0].text == "%src");
  CHECK(text.substr(found.begin, found.end - found.begin) == "%sr");
}

TEST_CASE("the word under the mouse") {
  CHECK(hovered("%src.tile(8,8)")->value == "%src:[16,16:16,1].fp16.SH");
  CHECK(hovered("#g.indices")->value == "#g:[4:8].[8:1].thread");
  CHECK(hovered("@o, @i", 1)->value == "threadIdx.x/8%4");
  CHECK(hovered("for (k")->title == "for");
  CHECK(hovered("for (k", 5)->lines[0] == "a loop from 0 to below 4 in steps of 2");
  CHECK(hovered("Init<0>")->lines[0].find("the value") != std::string::npos);
  CHECK(hovered("graphene move", 9)->title == "move");
  CHECK_FALSE(hovered("  }\n}").has_value());
}

TEST_CASE("text that is a program becomes a block, which reads as the same program") {
  const std::string text =
      "// a copy\n%a:[4].fp32.GL %b:[4].fp32.GL #g:[1].block #t:[4].thread\n%b <- Move<<<#g,#t>>>(%a) {\n}\n";
  CHECK(isProgram(text));
  CHECK_FALSE(isProgram("A = (4,8):(8,1)"));
  CHECK_FALSE(isProgram("%A:[4,8:1,4].fp32.GL"));            // a tensor is a layout of the sheet
  CHECK_FALSE(isProgram("%add.1 = f32[4] add(%a, %b)"));     // an instruction of HLO
  CHECK_FALSE(isProgram("%a:[4].fp32.GL\n%b <- Move(%a)"));  // %b is not there
  const std::string sheet = asBlock(blockNameOf("/tmp/figure-8.graphene"), text);
  const auto statements = splitStatements(sheet);
  REQUIRE(statements.size() == 2);
  CHECK(statements[0].kind == StatementKind::Block);
  CHECK(statements[0].name == "figure_8");
  CHECK(statements[1].text == "check figure_8");
  Scope scope;
  const Evaluated block = evaluate(statements[0], scope);
  REQUIRE(block.value);
  CHECK(print(*std::get<graphene::Listing>(*block.value).program) == print(*graphene::readProgram(text)));
  CHECK(blockNameOf("8x8.graphene") == "kernel_8x8");
}

TEST_CASE("a summary is proved only where everything is, and refuted only with a finding") {
  Scope scope;
  const auto statements = splitStatements("graphene k { %a:[4].fp32.GL }");
  const Evaluated block = evaluate(statements[0], scope);
  REQUIRE(block.value);
  const CheckRequest request{std::get<graphene::Listing>(*block.value), "k", "", ""};
  graphene::CheckResult result;
  result.specs.push_back({{13, 27}, "%a <- Spec()", 0, false, "", {}});
  auto& obligations = result.specs[0].obligations;
  using graphene::Obligation, graphene::Standing;
  obligations.push_back({Obligation::Bounds, Standing::Proved, "running", "", std::nullopt, 0.001});
  obligations.push_back({Obligation::Value, Standing::NotStated, "", "", std::nullopt, 0});
  CHECK(summaryOf(result, request).truth == Truth::Proved);
  CHECK(summaryOf(result, request).method == "running");
  CHECK(countsOf(result) == "1 specification: 1 proved, 1 not stated");
  CheckRequest wrong = request;
  wrong.text = "not k";
  CHECK(summaryOf(result, wrong).truth == Truth::Refuted);
  obligations.push_back({Obligation::Races, Standing::Unknown, "z3", "time", std::nullopt, 0});
  CHECK(summaryOf(result, request).truth == Truth::Unknown);
  CHECK(summaryOf(result, request).detail == "O6 races of `%a:[4].fp32.GL`: time");
  graphene::Finding finding;
  finding.obligation = Obligation::Coverage;
  finding.message = "nobody writes it";
  finding.span = {13, 27};
  obligations.push_back({Obligation::Coverage, Standing::Refuted, "running", "", finding, 0});
  const Verdict refuted = summaryOf(result, request);
  CHECK(refuted.truth == Truth::Refuted);
  CHECK(refuted.counterexample->text == "O4 coverage: nobody writes it\n  `%a:[4].fp32.GL`");
  CHECK(summaryOf(result, wrong).truth == Truth::Proved);  // the finding is the witness
  CHECK(summaryOf(result, wrong).detail == "the witness: " + refuted.counterexample->text);
}

TEST_CASE("the line of a finding is without what stands around it") {
  const std::string text = "x\n  %a <- Move(%b) {   // why\n}\n";
  CHECK(excerptOf(text, {4, text.size()}) == "%a <- Move(%b)");
  CHECK(excerptOf(text, {4, 9}) == "%a <-");
  CHECK(excerptOf(text, {400, 500}).empty());
}
