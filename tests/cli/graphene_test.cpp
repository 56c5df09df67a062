// tessera check FILE.graphene, and blocks in worksheets: exit codes, checklists, JSON.
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/process.h"

using namespace tessera;
using Json = nlohmann::json;

namespace {

// Each thread copies one element.
const std::string kCopy = R"(%a : [64].fp32.GL  %b : [64].fp32.GL
#blk : [2].block  #t : [32].thread
%b <- Move<<<#blk, #t>>>(%a) {
  @i = #t.indices()  @j = #blk.indices()
  %x = %a[@i + 32 * @j]  %y = %b[@i + 32 * @j]
  %r : [].fp32.RF
  %r <- Move(%x)
  %y <- Move(%r)
}
)";

// Both blocks write the first half.
std::string wrongCopy() {
  std::string text = kCopy;
  const std::string right = "%y = %b[@i + 32 * @j]";
  return text.replace(text.find(right), right.size(), "%y = %b[@i]");
}

class Folder {
 public:
  [[nodiscard]] std::string file(const std::string& name, const std::string& text) const {
    writeText(path_ + "/" + name, text);
    return path_ + "/" + name;
  }

 private:
  std::string path_ = scratchFolder();
};

std::vector<Json> objects(const std::string& text) {
  std::vector<Json> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out.push_back(Json::parse(line));
  return out;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a program that holds: a checklist a specification, exit 0") {
  const Folder folder;
  const Finished ran = run({"check", folder.file("copy.graphene", kCopy)});
  INFO(ran.out);
  CHECK(ran.exit == 0);
  CHECK(ran.err.empty());
  CHECK(has(ran.out, "line 3: "));
  for (const char* o :
       {"O1 static", "O2 bounds", "O3 frame", "O4 coverage", "O5 uniqueness", "O6 races", "O7 definedness", "O8 value"})
    CHECK(has(ran.out, o));
  CHECK(has(ran.out, "specifications: "));
  CHECK_FALSE(has(ran.out, "refuted"));
}

TEST_CASE("a program that is wrong: the finding, its line, exit 1") {
  const Folder folder;
  const Finished ran = run({"check", folder.file("wrong.graphene", wrongCopy())});
  INFO(ran.out);
  CHECK(ran.exit == 1);
  CHECK(has(ran.out, "O4 coverage     refuted"));
  CHECK(has(ran.out, "%b"));
  CHECK(has(ran.out, "block "));
  CHECK(has(ran.out, "line 3: %b <- Move<<<#blk, #t>>>(%a)"));
}

TEST_CASE("a program that cannot be read: the place, exit 2") {
  const Folder folder;
  const std::string file = folder.file("broken.graphene", "%a : [64].fp32.GL\n%c <- Move(%a)\n");
  const Finished ran = run({"check", file});
  CHECK(ran.exit == 2);
  CHECK(has(ran.err, "line 2, column 1: there is no tensor %c here"));
  CHECK(has(ran.err, "did you mean %a?"));
  const std::vector<Json> json = objects(run({"check", "--json", file}).out);
  REQUIRE(json.size() == 1);
  CHECK(json[0]["ok"] == false);
  CHECK(json[0]["error"]["line"] == 2);
  CHECK(run({"check", "/no/such.graphene"}).exit == 2);
}

TEST_CASE("--json: an object a specification, and the summary") {
  const Folder folder;
  const Finished ran = run({"check", "--json", folder.file("wrong.graphene", wrongCopy())});
  CHECK(ran.exit == 1);
  const std::vector<Json> json = objects(ran.out);
  REQUIRE(json.size() >= 2);
  CHECK(json[0]["kind"] == "spec");
  CHECK(json[0]["line"] == 3);
  CHECK(json[0]["depth"] == 0);
  CHECK(json[0]["leaf"] == false);
  CHECK(json[0]["verdict"] == "refuted");
  REQUIRE(json[0]["obligations"].size() == 8);
  int refuted = 0;
  for (const Json& o : json[0]["obligations"]) {
    CHECK(o["label"].get<std::string>().size() == 2);
    if (o["standing"] != "refuted") continue;
    ++refuted;
    const Json& finding = o["finding"];
    CHECK_FALSE(finding["message"].get<std::string>().empty());
    CHECK(finding["line"].get<int>() >= 3);
    CHECK_FALSE(finding["source"].get<std::string>().empty());
  }
  CHECK(refuted > 0);
  CHECK(json.back()["kind"] == "summary");
  CHECK(json.back()["ok"] == false);
}

TEST_CASE("blocks of a worksheet: prove NAME is a claim") {
  const Folder folder;
  const std::string good = "graphene copy {\n" + kCopy + "}\n", bad = "graphene wrong {\n" + wrongCopy() + "}\n";
  const Finished held = run({"check", folder.file("good.tess", good + "prove copy\n")});
  INFO(held.out);
  CHECK(held.exit == 0);
  CHECK(has(held.out, "1 proved"));
  const Finished failed = run({"check", folder.file("bad.tess", "A = 8:1\n" + bad + "check wrong\n")});
  INFO(failed.out);
  CHECK(failed.exit == 1);
  CHECK(has(failed.out, "O4 coverage"));
  CHECK(has(failed.out, "line 5: "));  // of the sheet
  const Finished json = run({"check", "--json", folder.file("json.tess", bad + "check wrong\n")});
  const std::vector<Json> all = objects(json.out);
  REQUIRE(all.size() == 2);
  CHECK(all[0]["verdict"] == "refuted");
  CHECK(all[0]["specs"].at(0)["obligations"].size() == 8);
  CHECK(all[0]["specs"].at(0)["line"] == 4);
}

TEST_CASE("suspicions before the proof are notes") {
  const Folder folder;
  const std::string text =
      "%v:[1000].fp32.GL #b:[8].block #t:[128].thread\n%v <- Init<0><<<#b,#t>>>() {\n"
      "  @j = #b.indices() @i = #t.indices()\n  %x = %v.tile(128)[@j][@i]\n  %x <- Init<0>()\n}\n";
  const Finished ran = run({"check", folder.file("partial.graphene", text)});
  CHECK(ran.exit == 1);
  CHECK(has(ran.err, "note: line 5, column 3: %x reaches coordinate 1023 of dimension 0, which has 1000"));
}

TEST_CASE("an architecture is asked for") {
  const Folder folder;
  const std::string file = folder.file("copy.graphene", kCopy);
  CHECK(run({"check", "--arch", "sm_90", file}).exit == 0);
  CHECK(has(run({"check", "--help"}).out, "--arch"));
}

TEST_CASE("sizes that are symbols are given to check, or read from the file's own line") {
  const Folder folder;
  const std::string file =
      folder.file("sized.graphene",
                  "// small: M = 2\n%x:[64].fp16.GL  %y:[64].fp16.GL\n#b:[M].block  #w:[32].thread\n"
                  "%y <- Move<<<#b,#w>>>(%x) {\n  @b = #b.indices()  @l = #w.indices()\n"
                  "  %f = %x[32*@b + @l]  %g = %y[32*@b + @l]\n  %g <- Move(%f)\n}\n");
  CHECK(run({"check", "--size", "small", file}).exit == 0);
  CHECK(run({"check", "--size", "M=1", file}).exit == 1);  // half of it is never written
  CHECK(run({"check", "--size", "small", "--size", "M=1", file}).exit == 1);
  CHECK(run({"check", "--size", "K=3", file}).exit == 2);
  CHECK(run({"check", "--size", "M=0", file}).exit == 2);
}

TEST_CASE("a certificate is written for one program that has no refuted obligation") {
  const Folder folder;
  const std::string good = folder.file("copy.graphene", kCopy), wrong = folder.file("wrong.graphene", wrongCopy()),
                    sheet = folder.file("sheet.tess", "assert 1 == 1\n"), out = folder.file("out.json", "");
  std::filesystem::remove(out);
  CHECK(run({"check", wrong, "--certificate", out}).exit == 1);
  CHECK_FALSE(std::filesystem::exists(out));
  for (const std::vector<std::string>& words : {std::vector<std::string>{"check", sheet, "--certificate", out},
                                                {"check", good, good, "--certificate", out},
                                                {"check", good, "--against", good, "--certificate", out}}) {
    const Finished ran = run(words);
    CHECK(ran.exit == 2);
    CHECK(has(ran.out + ran.err, "--certificate is for one .graphene program"));
    CHECK_FALSE(std::filesystem::exists(out));
  }
  CHECK(run({"check", good, "--certificate", out + "/no/such/folder.json"}).exit == 2);
  const Finished ran = run({"check", good, "--certificate", out});
  INFO(ran.out << ran.err);
  CHECK(ran.exit == 0);
  const Json made = Json::parse(readText(out));
  CHECK(made["format"] == "tessera-certificate");
  CHECK(made["program"] == kCopy);
  CHECK(made["kernels"].size() == 1);
  CHECK(made["kernels"][0]["line"] == 3);
  CHECK(made["kernels"][0]["obligations"].size() == 8);
}
