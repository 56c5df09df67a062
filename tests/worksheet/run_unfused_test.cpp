// run NAME compare unfused: which program it selects, and the message if there is none.
#include <catch2/catch.hpp>

#include "core/graphene/program.h"
#include "core/worksheet/programs/run_statement.h"
#include "tests/worksheet/run.h"

using namespace tessera;

namespace {

std::string block(const std::string& name, const std::string& comment = "") {
  return "graphene " + name + " {\n" + comment +
         "  %a:[M].fp32.GL  %b:[M].fp32.GL\n  #g:[1].block  #t:[2].thread\n  %b <- Move<<<#g,#t>>>(%a) {\n  }\n}\n";
}
Evaluated last(const std::string& sheet) { return runAll(sheet).back().evaluated; }
RunRequest requestOf(const std::string& sheet) {
  const Evaluated e = last(sheet);
  INFO(sheet << (e.diag ? ": " + e.diag->message : ""));
  const auto* request = std::get_if<RunRequest>(&e.request);
  REQUIRE(request != nullptr);
  return *request;
}

}  // namespace

TEST_CASE("the unfused program is a block: of the comment, of the usual name, or of the name that is said") {
  const std::string named = block("copy", "  // baseline: plain.graphene (M = 8)\n");
  const RunRequest byComment = requestOf(block("plain") + named + "run copy compare cublas, unfused");
  REQUIRE(byComment.unfused);
  CHECK(byComment.unfused->name == "plain");
  CHECK(byComment.unfusedSizes == std::map<std::string, i64>{{"M", 8}});
  CHECK(byComment.library);
  const RunRequest byName = requestOf(block("copy_unfused") + block("copy") + "run copy compare unfused with M=4");
  CHECK(byName.unfused->name == "copy_unfused");
  CHECK(byName.unfusedSizes.empty());
  CHECK(byName.sizes == std::map<std::string, i64>{{"M", 4}});
  const RunRequest said =
      requestOf(block("plain") + block("other") + named + "run copy compare unfused( other ) and variants");
  CHECK(said.unfused->name == "other");
  CHECK(said.unfusedSizes.empty());
  CHECK(said.variants);
  CHECK_FALSE(requestOf(named + "run copy compare variants").unfused);
}

TEST_CASE("without a block it is what is shipped under that name, and a block of the sheet hides that") {
  const std::string mlp = block("copy", "  // baseline: mlp_unfused.graphene (L = 4)\n");
  const RunRequest shipped = requestOf(mlp + "run copy compare unfused");
  CHECK(shipped.unfused->name == "mlp_unfused");
  CHECK(shipped.unfused->program->specs.size() > 5);
  CHECK(shipped.unfusedSizes == std::map<std::string, i64>{{"L", 4}});
  CHECK(requestOf("mlp_unfused = (4,8):(8,1)\n" + mlp + "run copy compare unfused").unfused == shipped.unfused);
  CHECK(requestOf(block("mlp_unfused") + mlp + "run copy compare unfused").unfused->program->specs.size() < 5);
}

TEST_CASE("where there is no unfused program the statement says which one it looked for") {
  struct Row {
    std::string statement, message, piece;
  };
  const Row rows[] = {
      {"run copy compare unfused", "there is no program copy_unfused, the unfused form of copy", "unfused"},
      {"run copy compare unfused(plane)", "", "plane"},
      {"run copy compare unfused(A)", "only programs can be run; A is a layout", "A"},
      {"run copy compare unfused(", "", ""},
      {"run copy compare unfused(plain", "", ""},
      {"run copy compare unfused()", "", ""},
  };
  for (const Row& row : rows) {
    const std::string sheet = block("plain") + block("copy") + "A = (4,8):(8,1)\n" + row.statement;
    INFO(row.statement);
    const Evaluated e = last(sheet);
    REQUIRE(e.diag);
    INFO(e.diag->message);
    if (!row.message.empty()) CHECK(e.diag->message == row.message);
    if (!row.piece.empty()) CHECK(sheet.substr(e.diag->span.begin, e.diag->span.end - e.diag->span.begin) == row.piece);
  }
}
