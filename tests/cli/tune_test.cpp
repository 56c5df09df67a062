// Settings, variants and the search on the command line, with the fake driver and without one.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/process.h"

using namespace tessera;

namespace {

class Fake {
 public:
  explicit Fake(const std::string& cuda = FAKE_CUDA) {
    ::setenv("TESSERA_LIBCUDA", cuda.c_str(), 1);
    ::setenv("TESSERA_LIBNVRTC", FAKE_NVRTC, 1);
    ::setenv("TESSERA_FAKE", "cache=1024", 1);
  }
  ~Fake() {
    for (const char* name : {"TESSERA_LIBCUDA", "TESSERA_LIBNVRTC", "TESSERA_FAKE"}) ::unsetenv(name);
  }
  Fake(const Fake&) = delete;
  Fake& operator=(const Fake&) = delete;
};

// 64 halves copied; `wide` of 2 leaves the tensors.
std::string program() {
  static const std::string kPath = scratchFolder() + "/tuned.graphene";
  writeText(kPath,
            "param by = 1 in 1, 2, 4\nparam wide = 1 in 1, 2\nrequire by < 4\n%x:[64:1].fp16.GL  %y:[64:1].fp16.GL\n"
            "#b:[1:1].block  #t:[64/by:1].thread\n%y <- Move<<<#b,#t>>>(%x) {\n  @i = #t.indices()\n"
            "  %x1 = %x.tile([by:1])[wide*@i]  %y1 = %y.tile([by:1])[wide*@i]\n  %r:[by:1].fp16.RF\n  %r <- Move(%x1)\n"
            "  %y1 <- Move(%r)\n}\n");
  return kPath;
}

std::string newLog(const std::string& name) {
  const std::string path = scratchFolder() + "/" + name;
  std::remove(path.c_str());
  return path;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("--set gives a program other parameters, for check, codegen, draw and measure") {
  CHECK(run({"check", program()}).exit == 0);
  const Finished wide = run({"check", "--set", "wide=2", program()});
  CHECK(wide.exit == 1);
  CHECK(has(wide.out, "refuted"));
  CHECK(has(run({"codegen", program(), "--set", "by=2"}).out, "__launch_bounds__(32)"));
  const Finished list = run({"codegen", program(), "--set", "by=3"});
  CHECK(list.exit == 2);
  CHECK(has(list.err, "line 1, column 1: by cannot be 3"));
  CHECK(has(run({"measure", program(), "--emulate", "--set", "by=4"}).err, "require by < 4 does not hold with by = 4"));
  CHECK(has(run({"check", "--set", "bye=4", program()}).err, "did you mean by?"));
  CHECK(has(run({"check", "--set", "by", program()}).err, "'by' is not a setting"));
  const std::string svg = scratchFolder() + "/tuned.svg";
  CHECK(run({"draw", program(), "--set", "by=2", "-o", svg}).exit == 0);
  CHECK(run({"draw", "(4,8):(8,1)", "--set", "by=2", "-o", svg}).exit == 2);
}

TEST_CASE("measure --variants: one table, as text, CSV and JSON") {
  const Fake fake;
  const Finished text = run({"measure", program(), "--variants"});
  INFO(text.out << text.err);
  CHECK(has(text.out, "tuned on Fake GPU"));
  CHECK(has(text.out, "kernel"));
  CHECK(has(text.out, "by=2"));
  CHECK(has(text.out, "roofline"));
  const auto json = nlohmann::json::parse(run({"measure", program(), "--variant", "by=2", "--json"}).out);
  REQUIRE(json["rows"].size() == 3);
  CHECK(json["rows"][1]["name"] == "by=2");
  CHECK(json["rows"][1]["answer"] == "right");
  CHECK(json["rows"][1]["median_us"].get<double>() >= 40);
  const Finished csv = run({"measure", program(), "--variant", "by=4", "--csv"});
  CHECK(csv.out.starts_with("kind,name,"));
  CHECK(has(csv.out, "require by < 4 does not hold with by = 4"));
}

TEST_CASE("tune: a log, resumed, in shards, merged") {
  const Fake fake;
  const std::string whole = newLog("whole.log");
  const Finished once = run({"tune", program(), "--log", whole, "--runs", "2"});
  INFO(once.out << once.err);
  CHECK(once.exit == 0);
  CHECK(has(once.out, "   1  by="));
  CHECK(has(once.out, "4 candidates: 2 right, 2 refuted"));
  CHECK(has(once.out, "by=1 wide=2  refuted: line 6: O2 bounds"));
  CHECK(run({"tune", program(), "--log", whole}).exit == 2);  // it is there already
  // A machine that went down: what is cut off is done again, what is whole is not.
  std::string text = readText(whole);
  CHECK(std::count(text.begin(), text.end(), '\n') == 5);
  writeText(whole, text.substr(0, text.size() - 20));
  CHECK(run({"tune", program(), "--log", whole, "--resume", "--runs", "2"}).exit == 0);
  const std::string again = readText(whole);
  CHECK(std::count(again.begin(), again.end(), '\n') == 5);
  CHECK(again.substr(0, text.size() / 2) == text.substr(0, text.size() / 2));
  // Of another program: refused.
  CHECK(has(run({"tune", program(), "--set", "by=2", "--log", whole, "--resume"}).err, "is the log of another search"));
  const std::string a = newLog("a.log"), b = newLog("b.log"), all = newLog("all.log");
  (void)run({"tune", program(), "--log", a, "--shard", "0/2", "--runs", "2"});
  (void)run({"tune", program(), "--log", b, "--shard", "1/2", "--runs", "2"});
  const Finished merged = run({"tune", "--merge", a, b, "--log", all, "--json"});
  const auto json = nlohmann::json::parse(merged.out);
  CHECK(json["entries"].size() == 4);
  CHECK(json["entries"][0]["result"] == "right");
  CHECK(has(run({"tune", "--merge", all}).out, "4 candidates: 2 right, 2 refuted"));
  CHECK(run({"tune", "--merge", program()}).exit == 2);
}

TEST_CASE("tune without a device times nothing and says so; calls that are none") {
  const Fake fake("/nowhere/libcuda.so");
  const Finished text = run({"tune", program()});
  CHECK(text.exit == 1);
  CHECK(has(text.out, "do not predict time"));
  CHECK(has(text.out, "4 candidates: 2 refuted, 2 untimed"));
  const std::string symbolic = scratchFolder() + "/symbolic.graphene";
  writeText(symbolic, "param a = 1 in 1, 2\n%x:[M].fp16.GL\n");
  CHECK(has(run({"tune", symbolic}).err, "M is not given"));
  CHECK(has(run({"tune", symbolic, "--size", "M=8", "--size", "N=8"}).err, "the program has no size N"));
  CHECK(has(run({"tune", program(), "--shard", "4/4"}).err, "'4/4' is not a shard"));
  CHECK(has(run({"tune", program(), "--resume"}).err, "--resume continues a log"));
  CHECK(has(run({"tune", "/nowhere.graphene"}).err, "nowhere"));
}
