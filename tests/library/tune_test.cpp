// The search of `tessera tune` in parts, and the check of a module, against the program's own answers.
#include <tessera/tessera.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/library/output_of.h"

namespace ts = tessera::api;
using Said = nlohmann::json;

namespace {

// 64 halves copied; `wide` of 2 leaves the tensors.
const std::string kCopy =
    "param by = 1 in 1, 2, 4\nparam wide = 1 in 1, 2\nrequire by < 4\n%x:[64:1].fp16.GL  %y:[64:1].fp16.GL\n"
    "#b:[1:1].block  #t:[64/by:1].thread\n%y <- Move<<<#b,#t>>>(%x) {\n  @i = #t.indices()\n"
    "  %x1 = %x.tile([by:1])[wide*@i]  %y1 = %y.tile([by:1])[wide*@i]\n  %r:[by:1].fp16.RF\n  %r <- Move(%x1)\n"
    "  %y1 <- Move(%r)\n}\n";

class FakeDevice {
 public:
  FakeDevice() {
    ::setenv("TESSERA_LIBCUDA", FAKE_CUDA, 1);
    ::setenv("TESSERA_LIBNVRTC", FAKE_NVRTC, 1);
    ::setenv("TESSERA_FAKE", "cache=1024", 1);
  }
  ~FakeDevice() {
    for (const char* name : {"TESSERA_LIBCUDA", "TESSERA_LIBNVRTC", "TESSERA_FAKE"}) ::unsetenv(name);
  }
  FakeDevice(const FakeDevice&) = delete;
  FakeDevice& operator=(const FakeDevice&) = delete;
};

Said programSays(const std::string& text) {
  const std::string path = std::filesystem::temp_directory_path() / "tessera_library_tune.graphene";
  std::ofstream(path) << text;
  return Said::parse(outputOf("tune " + path + " --json --runs 2"))["entries"];
}

std::vector<ts::TuneResult> everyOne(const std::string& text, const ts::TuneOptions& options) {
  const auto candidates = ts::tuneCandidates(text, options);
  REQUIRE(candidates.ok());
  std::vector<ts::TuneResult> out;
  for (auto c = candidates->rbegin(); c != candidates->rend(); ++c)  // any order gives the same results
    out.insert(out.begin(), ts::tuneOne(text, *c, options).value());
  return out;
}

}  // namespace

TEST_CASE("candidates evaluated one by one are those of tessera tune: without a device") {
  for (const std::string& text : {kCopy, [] {
                                    std::ifstream in(TESSERA_SOURCE_DIR "/assets/graphene/warp_tile_moves.graphene");
                                    std::stringstream all;
                                    all << in.rdbuf();
                                    return all.str();
                                  }()}) {
    const auto results = everyOne(text, {});
    const Said said = programSays(text);
    REQUIRE(said.size() == results.size());
    for (const ts::TuneResult& r : results) {
      INFO(r.candidate << " " << r.why);
      bool found = false;
      for (const Said& e : said) {
        if (e["candidate"] != r.candidate) continue;
        found = true;
        CHECK(e["result"] == r.result);
        CHECK(e["why"] == r.why);
        CHECK(e.value("registers", -1) == r.registers);
        CHECK(r.median == 0);
        CHECK(r.device.empty());
      }
      CHECK(found);
    }
  }
}

TEST_CASE("with a worker they are measured, and the fastest is the first") {
  const FakeDevice fake;
  ts::TuneOptions options;
  options.worker = {TESSERA_BINARY, "measure-worker"};
  options.runs = 2;
  const auto results = everyOne(kCopy, options);
  REQUIRE(results.size() == 4);
  CHECK(results[0].candidate == "by=1 wide=1");
  CHECK(results[0].result == "right");
  CHECK(results[0].device == "Fake GPU");
  CHECK(results[0].median > 0);
  CHECK(results[1].result == "refuted");
  CHECK(results[1].median == 0);
  const auto ranks = ts::tuneRanking(results);
  REQUIRE(ranks.size() == 2);
  CHECK(results[ranks[0]].median <= results[ranks[1]].median);
  const Said said = programSays(kCopy);
  for (const ts::TuneResult& r : results)
    for (const Said& e : said)
      if (e["candidate"] == r.candidate) CHECK(e["result"] == r.result);
}

TEST_CASE("a tie is decided by the order of the candidates") {
  std::vector<ts::TuneResult> results(5);
  const auto timed = [&](std::size_t k, double median) {
    results[k].result = "right";
    results[k].median = median;
  };
  for (auto& r : results) r.result = "untimed";
  results[0].registers = 40;
  results[3].registers = 32;
  CHECK(ts::tuneRanking(results) == std::vector<std::size_t>{3, 0, 1, 2, 4});  // 1, 2, 4: nothing is known
  timed(4, 2);
  timed(2, 2);
  results[1].result = "refuted";
  CHECK(ts::tuneRanking(results) == std::vector<std::size_t>{2, 4, 3, 0});
}

TEST_CASE("a search that cannot be made says why") {
  CHECK(ts::tuneCandidates("%x:[64:1].fp16.GL", {}).error().message ==
        "no parameter of this program has a list of values");
  ts::TuneOptions options;
  options.settings = {"by=3"};
  CHECK(ts::tuneCandidates(kCopy, options).error().message.find("by cannot be 3") != std::string::npos);
  options.settings = {};
  options.architecture = "gfx942";
  CHECK(ts::tuneCandidates(kCopy, options).error().message == "'gfx942' is not an architecture");
  options.architecture = "";
  options.sizes = {"M=8"};
  CHECK_FALSE(ts::tuneCandidates(kCopy, options).ok());
  CHECK_FALSE(ts::tuneOne(kCopy, {"by=9", {"by=9"}}, {}).ok());
  CHECK_FALSE(ts::tuneOne(kCopy, {"by=4", {"by=4"}}, {}).ok());  // a requirement
  const ts::CancelFlag flag;
  flag.raise();
  ts::TuneOptions cancelled;
  cancelled.work.cancel = &flag;
  CHECK_FALSE(ts::tuneOne(kCopy, {"by=1", {"by=1"}}, cancelled).ok());
}

TEST_CASE("the check of a module is that of tessera check") {
  for (const char* const name : {"softmax.after", "attention.before", "gpu_gemm", "sort.after"}) {
    const std::string path = std::string(TESSERA_SOURCE_DIR "/tests/cases/hlo/") + name + ".hlo";
    if (!std::filesystem::exists(path)) continue;
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    const auto module = ts::readModule(text.str());
    REQUIRE(module.ok());
    const auto check = module->check();
    REQUIRE(check.ok());
    const Said said = Said::parse(outputOf("check --json " + path));
    INFO(name);
    CHECK(check->exact == said["exact"]);
    CHECK(check->over == said["over"]);
    CHECK(check->unsupported == said["unsupported"]);
    CHECK(check->inside == said["in bounds"]);
    CHECK(check->outside.size() == said["outside"].size());
    CHECK(check->gaps.size() == said["gaps"].size());
    CHECK(check->holds == said["ok"]);
  }
  const auto wrong = ts::readModule(
      "HloModule m\nENTRY e {\n  x = f32[4,8]{1,0} parameter(0)\n  ROOT t = f32[4,8]{1,0} transpose(x), "
      "dimensions={1,0}\n}\n");
  REQUIRE(wrong.ok());
  CHECK_FALSE(wrong->check()->holds);
  CHECK(wrong->check()->wrong == 1);
}
