#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/process.h"

using namespace tessera;
using Json = nlohmann::json;

namespace {

std::vector<Json> objects(const std::string& text) {
  std::vector<Json> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out.push_back(Json::parse(line));
  return out;
}

}  // namespace

TEST_CASE("a budget is a number of seconds above 0") {
  for (const char* bad : {"nan", "-nan", "inf", "-1", "0", "x", "1e400", "1e7", ""}) {
    const Finished refused = run({"eval", "--budget", bad, "1"});
    CHECK(refused.exit == 2);
    CHECK(refused.out.empty());
  }
  CHECK(run({"eval", "--budget", "nan", "1"}).err.find("seconds above 0") != std::string::npos);
  for (const char* good : {"1", "0.5", "1e-1", "1000000"}) CHECK(run({"eval", "--budget", good, "1"}).exit == 0);
}

TEST_CASE("help, version and calls that are none") {
  CHECK(run({"--version"}).exit == 0);
  CHECK(run({"--version"}).out.substr(0, 8) == "tessera ");
  const Finished help = run({"--help"});
  CHECK(help.exit == 0);
  for (const char* word :
       {"eval", "check", "draw", "hlo", "ttgir", "kernel", "sass", "codegen", "measure", "tune", "atlas"}) {
    CHECK(help.out.find(word) != std::string::npos);
  }
  CHECK(run({"eval", "--help"}).exit == 0);
  CHECK(run({"eval", "--jsn", "8:1"}).exit == 2);
  CHECK(run({"eval"}).exit == 2);
}

TEST_CASE("codegen prints a layout as a function") {
  const Finished python = run({"codegen", "Sw<3,3,3> o (64,64):(64,1)", "--as", "python", "--name", "smem"});
  CHECK(python.exit == 0);
  CHECK(python.out.find("def smem(i, j):") != std::string::npos);
  CHECK(python.out.find("return (i * 64 + j) ^ ((i % 8) * 8)\n") != std::string::npos);
  CHECK(run({"codegen", "T = (4,8):(8,1)"}).out.find(" inline int T(int i, int j) {") != std::string::npos);
  CHECK(run({"codegen", "A = (4,8):(8,1); B = Sw<1,0,3> o A", "--as", "cutlass"}).out.find("using B = ") !=
        std::string::npos);
  const std::pair<int, std::vector<const char*>> refused[] = {
      {2, {"codegen", "(4,8):(8,1)", "--as", "fortran"}},
      {2, {"codegen", "(4,8:(8,1)"}},
      {2, {"codegen", "8:1", "4:1"}},
      {2, {"codegen", "8:1", "--arch", "sm_80"}},
      {2, {"codegen", "nothing.graphene"}},
      {1, {"codegen", "8:1", "--name", "int"}},
      {1, {"codegen", "bf16[9,100]{1,0:T(8,128)(2,1)}", "--as", "cutlass"}},
  };
  for (const auto& [exit, call] : refused) {
    const Finished finished = run(std::vector<std::string>(call.begin(), call.end()));
    CHECK(finished.exit == exit);
    CHECK(finished.out.empty());
    CHECK_FALSE(finished.err.empty());
  }
}

TEST_CASE("eval prints canonical text, errors go to standard error") {
  CHECK(run({"eval", "composition((6,2):(8,2), (4,3):(3,1))"}).out == "((2,2),3):((24,2),8)\n");
  CHECK(run({"eval", "size(8:1)", "1 + 1"}).out == "8\n2\n");
  CHECK(run({"eval", "A = 8:1; size(A)"}).out == "A = 8:1\n8\n");
  CHECK(run({"eval", "[(2,3):(1,2);_]"}).exit == 0);  // CLI11 would take it apart
  CHECK(run({"eval", "-1 + 2"}).out == "1\n");
  CHECK(run({"eval", "  ( 4 ,\t( 2 , 2 ) )\n : ( 4 , ( 1 , 2 ) )  "}).out == "(4,(2,2)):(4,(1,2))\n");
  const Finished wrong = run({"eval", "(8,4):(4,1,2)"});
  CHECK(wrong.exit == 1);
  CHECK(wrong.out.empty());
  CHECK(wrong.err.find("  (8,4):(4,1,2)\n        ^^^^^^^\n") != std::string::npos);
}

TEST_CASE("eval --json: one object a line, with structure beside the text") {
  const Finished ran =
      run({"eval", "--json", "(4,(2,3)):(6,(3,1))", "size(8:1)", "1 < 2", "Sw<3,4,3>", "prove injective((4,2):(1,2))"});
  CHECK(ran.exit == 1);  // of the refuted claim
  const std::vector<Json> json = objects(ran.out);
  REQUIRE(json.size() == 5);
  for (const Json& j : json) CHECK(j["ok"] == true);
  CHECK(json[0]["kind"] == "layout");
  CHECK(json[0]["shape"] == Json::parse("[4,[2,3]]"));
  CHECK(json[0]["stride"] == Json::parse("[6,[3,1]]"));
  CHECK(json[1]["value"] == 8);
  CHECK(json[2]["kind"] == "bool");
  CHECK(json[2]["value"] == true);
  CHECK(json[3]["swizzle"] == Json::parse("[3,4,3]"));
  CHECK(json[4]["verdict"] == "refuted");
  CHECK(json[4]["ms"].is_number());
  CHECK(json[4]["counterexample"]["points"] == Json::parse("[[2,0],[0,1]]"));
}

TEST_CASE("an error is an object with its place, and the stream goes on") {
  const Finished ran = run({"eval", "--json", "-"}, "A = (4,8):(8,1)\nsize(B)\n\nsize(A)\n");
  CHECK(ran.exit == 1);
  const std::vector<Json> json = objects(ran.out);
  REQUIRE(json.size() == 4);
  CHECK(json[0]["name"] == "A");
  CHECK(json[1]["ok"] == false);
  CHECK(json[1]["error"]["message"] == "'B' is not defined");
  CHECK(json[1]["error"]["line"] == 2);
  CHECK(json[1]["error"]["begin"] == 5);
  CHECK(json[1]["error"]["end"] == 6);
  CHECK(json[1]["error"].contains("hint"));
  CHECK(json[2]["ok"] == false);  // the empty line: every line has an answer
  CHECK(json[3]["value"] == 32);
}

TEST_CASE("each answer is there before the next line is asked") {
  Conversation talk({"eval", "--json", "-"});
  talk.say("A = 8:1");
  CHECK(Json::parse(talk.hear())["text"] == "8:1");
  talk.say("(4,8");
  CHECK(Json::parse(talk.hear())["ok"] == false);  // an open bracket does not wait for more
  talk.say("size(A)");
  CHECK(Json::parse(talk.hear())["value"] == 8);
  CHECK(talk.wait() == 1);
}

TEST_CASE("bytes that are not UTF-8 are answered with valid JSON") {
  const Finished ran =
      run({"eval", "--json", "-"}, std::string("size(\xFF\xC3)\nA\xED\xA0\x80 = 3\n\"") + '\0' + "\"\n");
  const std::vector<Json> json = objects(ran.out);
  REQUIRE(json.size() == 3);
  for (const Json& j : json) CHECK(j["ok"] == false);
}

TEST_CASE("a reader that goes away, a full disk") {
  Conversation talk({"eval", "-"});
  talk.say("1");
  CHECK(talk.hear() == "1");
  talk.closeOutput();
  for (int k = 0; k < 10; ++k) talk.say("2");
  CHECK(talk.wait() == 141);

  const Finished full = run({"eval", "1 + 1"}, "", "/dev/full");
  CHECK(full.exit == 2);
  CHECK(full.err.find("cannot write") != std::string::npos);
}

TEST_CASE("check: 0 all hold, 1 something does not, 2 unreadable") {
  const std::string folder = scratchFolder();
  writeText(folder + "/good.tess", "A = 8:1\nprove injective(A)\nassert size(A) == 8\nprove not injective(8:0)\n");
  writeText(folder + "/refuted.tess", "prove injective(8:0)\n");
  writeText(folder + "/false.tess", "assert 1 == 2\n");
  writeText(folder + "/error.tess", "size(\nprove injective(8:1)\n");
  const Finished good = run({"check", folder + "/good.tess"});
  CHECK(good.exit == 0);
  CHECK(good.out.find("2 proved, 1 assertion held") != std::string::npos);
  CHECK(run({"check", folder + "/refuted.tess"}).exit == 1);
  CHECK(run({"check", folder + "/false.tess"}).exit == 1);
  const Finished error = run({"check", folder + "/error.tess"});
  CHECK(error.exit == 1);
  CHECK(error.out.find("line 1, column 5") != std::string::npos);
  CHECK(error.out.find("1 proved, 1 failed") != std::string::npos);
  CHECK(run({"check", folder + "/nothing.tess"}).exit == 2);
  CHECK(run({"check", folder}).exit == 1);  // the files in it
  CHECK(run({"check", folder + "/good.tess", folder + "/refuted.tess"}).exit == 1);
  CHECK(run({"check", "-"}, "prove injective(8:1)\n").exit == 0);

  const std::vector<Json> json = objects(run({"check", "--json", folder + "/good.tess"}).out);
  REQUIRE(json.size() == 4);
  CHECK(json[0]["verdict"] == "proved");
  CHECK(json[0]["line"] == 2);
  CHECK(json[3]["kind"] == "summary");
  CHECK(json[3]["proved"] == 2);
}

TEST_CASE("an unknown verdict is never a pass") {
  // f2 cannot speak about 3 x 5.
  const Finished ran = run({"check", "-"}, "prove injective((3,5):(5,1)) by f2\n");
  CHECK(ran.exit == 1);
  CHECK(ran.out.find("unknown") != std::string::npos);
}

TEST_CASE("eval of find prints the answers, and --json lists them") {
  const std::string find =
      "find swizzle for (128,64):(64,1) where conflict_free(ldmatrix.x4, fp16) and conflict_free(cp.async16, fp16)";
  const Finished text = run({"eval", find});
  CHECK(text.exit == 0);
  CHECK(text.out.substr(0, 31) == "Sw<3,3,3> o 0 o (128,64):(64,1)");
  const std::vector<Json> json = objects(run({"eval", "--json", find}).out);
  REQUIRE(json.size() == 1);
  CHECK(json[0]["kind"] == "search");
  CHECK(json[0]["found"] == true);
  CHECK(json[0]["swizzles"][0]["layout"] == "Sw<3,3,3> o 0 o (128,64):(64,1)");
  CHECK(json[0]["paddings"].size() == 4);
  const Finished huge = run({"eval", "find swizzle for (2048,2048):(2048,1) where conflict_free(ldmatrix.x4, fp16)"});
  CHECK(huge.exit == 1);
  CHECK(huge.err.find("more than any CTA's shared memory") != std::string::npos);
}

TEST_CASE("atlas lists, describes, draws and refuses") {
  const Finished all = run({"atlas"});
  CHECK(all.exit == 0);
  CHECK(all.out.find("ldmatrix.x4.trans") != std::string::npos);
  const std::vector<Json> rows = objects(run({"atlas", "--json"}).out);
  CHECK(rows.size() > 350);
  for (const Json& row : rows) {
    CHECK(row["ok"].get<bool>());
    CHECK(row["kind"] == "instruction");
    CHECK(!row["source"].get<std::string>().empty());
  }
  const std::vector<Json> one = objects(run({"atlas", "mma.m16n8k16.f16", "--json"}).out);
  REQUIRE(one.size() == 1);
  CHECK(one[0]["operands"][0]["layout"] == "((4,8),(2,2,2)):((32,1),(16,8,128))");
  CHECK(!one[0]["operands"][0].contains("access"));
  CHECK(run({"atlas", "ldmatrix.x4"})
            .out.find("\n  access: src shared read, 16 bytes a lane, 4 matrices, 4 phases of 8 lanes\n") !=
        std::string::npos);
  const std::string async = run({"atlas", "cp.async.ca.shared.global.8"}).out;
  CHECK(async.find("\n  access: src global read, 8 bytes a lane, the warp at once\n"
                   "  access: dst shared write, 8 bytes a lane, 2 phases of 16 lanes\n") != std::string::npos);
  const std::vector<Json> load = objects(run({"atlas", "ld.shared.v4", "--json"}).out);
  REQUIRE(load.size() == 1);
  const Json& access = load[0]["operands"][0]["access"];
  CHECK(access["direction"] == "read");
  CHECK(access["space"] == "shared");
  CHECK(access["bytes"] == 16);
  CHECK(access["matrices"] == 0);
  CHECK(access["transposed"] == false);
  CHECK(access["phases"] == "(4,8):(8,1)");
  CHECK(access["merged_phases"] == "(2,16):(16,1)");
  CHECK(!access["source"].get<std::string>().empty());
  CHECK(!load[0]["operands"][1].contains("access"));
  CHECK(run({"atlas", "wgmma", "--arch", "sm_90a"}).out.find("wgmma.m64n{N}k16") != std::string::npos);
  CHECK(run({"atlas", "ldmatrix.x4", "--arch", "sm_60"}).exit == 2);
  CHECK(run({"atlas", "nope"}).exit == 2);
  CHECK(run({"atlas", "--arch", "sm_1"}).exit == 2);
  CHECK(run({"atlas", "-o", "x.svg"}).exit == 2);
  const std::string picture = scratchFolder() + "/atlas.svg";
  CHECK(run({"atlas", "ldmatrix.x4", "-o", picture}).exit == 0);
  CHECK(std::filesystem::file_size(picture) > 5000);
}

TEST_CASE("atlas --json answers what it refuses in JSON, with the exit code of the plain call") {
  const std::vector<std::vector<std::string>> calls = {{"atlas", "nosuch"},
                                                       {"atlas", "--arch", "sm_1"},
                                                       {"atlas", "-o", "x.svg"},
                                                       {"atlas", "ldmatrix.x4", "--arch", "sm_60"},
                                                       {"atlas", "ldmatrix.x4", "-o", "x.nothing"}};
  for (std::vector<std::string> call : calls) {
    const Finished plain = run(call);
    call.push_back("--json");
    const Finished refused = run(call);
    CHECK(refused.exit == plain.exit);
    CHECK(refused.exit == 2);
    CHECK(plain.out.empty());
    CHECK(refused.err.empty());
    const std::vector<Json> json = objects(refused.out);
    REQUIRE(json.size() == 1);
    CHECK_FALSE(json[0]["ok"].get<bool>());
    CHECK(plain.err.find(json[0]["error"]["message"].get<std::string>()) != std::string::npos);
  }
}

TEST_CASE("check says for each task whether it is solved") {
  const std::string lesson = "S = ?\ntask \"t\": bijective(S) {\n answer S = (4,8):(8,1)\n wrong S = (4,8):(9,1)\n}\n";
  const Finished blank = run({"check", "-"}, lesson);
  CHECK(blank.exit == 1);
  CHECK(blank.out.find("line 2: not yet  t\n") != std::string::npos);
  CHECK(blank.out.find("0 of 1 task solved") != std::string::npos);
  const Finished wrong = run({"check", "-"}, "S = (4,8):(9,1)" + lesson.substr(5));
  CHECK(wrong.exit == 1);
  CHECK(wrong.out.find("not yet  t\n") != std::string::npos);
  CHECK(wrong.out.find("no coordinate gives 8") != std::string::npos);
  CHECK(run({"check", "-"}, "S = (4,8):(1,4)" + lesson.substr(5)).exit == 0);
  const std::vector<Json> lines = objects(run({"check", "--json", "-"}, lesson).out);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0]["kind"] == "task");
  CHECK(lines[0]["title"] == "t");
  CHECK(lines[0]["solved"] == false);
  CHECK(lines[0]["verdict"] == "unknown");
  CHECK(lines[1]["tasks"] == 1);
  CHECK(lines[1]["ok"] == false);
  // With the answers that the lesson keeps.
  CHECK(run({"check", "--answers", "-"}, lesson).exit == 0);
  CHECK(run({"check", "--answers", "-"}, "S = 8:1" + lesson.substr(5)).exit == 1);  // shipped solved
  CHECK(run({"check", "--answers", "-"}, "S = ?\ntask \"t\": bijective(S)\n").exit == 1);
}

TEST_CASE("every worksheet of the gallery holds, with the answers of its tasks and without") {
  int sheets = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(TESSERA_SOURCE_DIR "/assets/gallery")) {
    if (entry.path().extension() != ".tess") continue;
    const Finished ran =
        run({"check", "--answers", entry.path().string()});  // its budget is work, however slow the machine is
    INFO(entry.path().filename() << "\n" << ran.err << ran.out);
    CHECK(ran.exit == 0);
    ++sheets;
  }
  CHECK(sheets >= 55);
}

TEST_CASE("--smt2 writes the questions to Z3, also in a build without it") {
  const std::string folder = scratchFolder() + "/obligations";
  CHECK(run({"check", "--smt2", folder, "-"}, "prove injective((3,5):(5,1)) by z3\n").exit <= 1);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    CHECK(entry.path().extension() == ".smt2");
    CHECK(readText(entry.path().string()).find("(check-sat)") != std::string::npos);
    ++files;
  }
  CHECK(files >= 1);
}

TEST_CASE("a large text is read in a moment, and says what is wrong with it") {
  std::string lines;
  for (int k = 0; k < 50'000; ++k) lines += "A" + std::to_string(k) + " = (4,8):(8,1)\n";
  CHECK(run({"check", "-"}, lines).exit == 0);
  const Finished wide = run({"check", "-"}, std::string(3'000'000, '('));
  CHECK(wide.exit == 1);
  CHECK(wide.out.find("the limit is 1048576") != std::string::npos);
}

TEST_CASE("a file that is not there opens no window") {
  const Finished ran = run({"nonexistent.tess"});
  CHECK(ran.exit == 2);
  CHECK(ran.err.find("no such file or sub-command") != std::string::npos);
  CHECK(run({"--screenshot", "x.png"}).exit == 2);
}
