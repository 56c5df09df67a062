// tessera paste: what goes to which stream, the exit codes, and the other commands that read text of other tools.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

using namespace tessera;
using Json = nlohmann::json;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::vector<Json> lines(const std::string& out) {
  std::vector<Json> rows;
  std::size_t from = 0;
  while (from < out.size()) {
    const std::size_t end = std::min(out.find('\n', from), out.size());
    rows.push_back(Json::parse(out.substr(from, end - from)));
    from = end + 1;
  }
  return rows;
}

const std::string kModule =
    "HloModule m\n\nENTRY e {\n  p = f32[4,8]{1,0} parameter(0)\n  ROOT t = f32[8,4]{1,0} transpose(p), "
    "dimensions={1,0}\n}\n";

}  // namespace

TEST_CASE("standard output holds the results of --eval alone") {
  const Finished plain = run({"paste", "-", "--eval", "X(1,1)", "--eval", "size(A)"}, "A = (4,8):(8,1)\nshow A\n");
  CHECK(plain.exit == 0);
  CHECK(plain.out == "9\n32\n");
  CHECK(has(plain.err, "dialect: Tessera"));
  CHECK(has(plain.err, "A = (4,8):(8,1)"));
  const Finished none = run({"paste"}, "A = (4,8):(8,1)\n");
  CHECK(none.exit == 0);
  CHECK(none.out.empty());
}

TEST_CASE("X is the last value, unless the text binds X itself") {
  CHECK(run({"paste", "-", "--eval", "X"}, "A = 4:1\nB = 8:1\n").out == "8:1\n");
  CHECK(run({"paste", "-", "--eval", "X"}, "X = 4:1\nB = 8:1\n").out == "4:1\n");
  CHECK(run({"paste", "-", "--eval", "X"}, "(4,8):(8,1)\n").out == "(4,8):(8,1)\n");
  CHECK(run({"paste", "-", "--name", "tile", "--eval", "tile(1,1)"}, "(4,8):(8,1)\n").out == "9\n");
  const Finished instruction = run({"paste", "-", "--eval", "size(atlas(X, D))"}, "ldmatrix.x4\n");
  CHECK(instruction.out == "256\n");
}

TEST_CASE("exit 1: something is asked or refused; 2: unreadable") {
  const Finished asked = run({"paste", "-", "--eval", "X"}, "(M,8):(8,1)\n");
  CHECK(asked.exit == 1);
  CHECK(asked.out.empty());
  CHECK(has(asked.err, "--let M=64"));
  const Finished given = run({"paste", "-", "--let", "M=4", "--eval", "X"}, "(M,8):(8,1)\n");
  CHECK(given.exit == 0);
  CHECK(given.out == "(4,8):(8,1)\n");
  const Finished refused = run({"paste", "-"}, "(4,8):(8,1,2)\n");
  CHECK(refused.exit == 1);
  CHECK(has(refused.err, "Tessera"));
  CHECK(run({"paste", "-", "--eval", "nothing"}, "(4,8):(8,1)\n").exit == 1);
  CHECK(run({"paste", "-"}, "A = (4,8):(1,1)\nprove injective(A)\n").exit == 1);
  CHECK(run({"paste", "/no/such/file"}).exit == 2);
  for (const char* let : {"M", "=4", "M=", ""}) CHECK(run({"paste", "-", "--let", let}, "4:1").exit == 2);
  for (const char* over : {"i=0", "i=x", "i=-4", "i"}) CHECK(run({"paste", "-", "--over", over}, "4:1").exit == 2);
  CHECK(run({"paste", "-", "--as", "fortran"}, "4:1").exit == 1);
}

TEST_CASE("--json: an object for the reading, each binding, each question and each result") {
  const auto rows = lines(run({"paste", "-", "--json", "--eval", "X(1,1)"}, "A = (4,8):(8,1)\n").out);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0]["kind"] == "reading");
  CHECK(rows[0]["dialect"] == "Tessera");
  CHECK(rows[1]["name"] == "A");
  CHECK(rows[2]["text"] == "9");
  const auto asked = lines(run({"paste", "-", "--json"}, "(M,8):(8,1)\n").out);
  REQUIRE(asked.size() == 2);
  CHECK(asked[0]["ok"] == false);
  CHECK(asked[1]["error"]["hint"] == "--let M=64");
}

TEST_CASE("modules and programs are pasted whole") {
  const Finished module = run({"paste", "-", "--eval", "reads(m.%t, 0)"}, kModule);
  CHECK(module.exit == 0);
  CHECK(has(module.out, "(d1, d0)"));
  CHECK(has(module.err, "dialect: HLO module"));
  const Finished cut = run({"paste", "-"}, kModule.substr(0, kModule.size() - 3));
  CHECK(cut.exit == 0);
}

TEST_CASE("hostile text is refused or read") {
  for (const std::string& text : {std::string("\0\0\0", 3), std::string("\xFF\xFE\x80"), std::string(100'000, '('),
                                  std::string(100'000, 'a'), std::string("\x1b[31m (4,8):(8"), std::string()}) {
    const Finished done = run({"paste", "-", "--eval", "X"}, text);
    CHECK((done.exit == 0 || done.exit == 1));
    CHECK_FALSE(has(done.err, "\x1b[31m"));
  }
}
