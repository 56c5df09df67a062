#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/process.h"

using namespace tessera;
using Json = nlohmann::json;

namespace {

const std::string kDumps = TESSERA_SOURCE_DIR "/tests/cases/hlo/";

std::vector<Json> objects(const std::string& text) {
  std::vector<Json> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out.push_back(Json::parse(line));
  return out;
}

// A file beside the dumps would be part of them.
std::string fileOf(const std::string& name, const std::string& text) {
  const std::string path = (std::filesystem::temp_directory_path() / ("tessera_hlo_test_" + name)).string();
  std::ofstream(path) << text;
  return path;
}

}  // namespace

TEST_CASE("tessera hlo tells what a dump's instructions read") {
  const Finished text = run({"hlo", kDumps + "softmax.after.hlo", "--instruction", "ynn_fusion.1"});
  CHECK(text.exit == 0);
  CHECK(text.out.find("fusion   dump.py:3 (softmax)") != std::string::npos);
  // A softmax reads its element and its whole row.
  CHECK(text.out.find("reads x.1  (d0, d1, d2) -> (d0, d1, d2)") != std::string::npos);
  CHECK(text.out.find("(d0, d1, d2)[s0] -> (d0, d1, s0)") != std::string::npos);
  const Finished row = run({"hlo", kDumps + "softmax.after.hlo", "--instruction", "reduce_sum.0", "--usage"});
  CHECK(row.out.find("16250 of 16250 elements\n") != std::string::npos);
  const Finished counted =
      run({"hlo", kDumps + "softmax.after.hlo", "--instruction", "broadcast.3", "--usage", "--json"});
  CHECK(objects(counted.out).at(0)["distinct"] == 130);
  CHECK(objects(counted.out).at(0)["reads"] == 16250);
}

TEST_CASE("tessera hlo --json has a line for each instruction, direction and operand") {
  const Finished done = run({"hlo", kDumps + "transpose_fusion.before.hlo", "--json"});
  CHECK(done.exit == 0);
  bool reads = false, uses = false;
  for (const Json& o : objects(done.out)) {
    CHECK(o.contains("sound"));
    if (o["op"] != "transpose") continue;
    reads =
        reads || (o["direction"] == "reads" && o["maps"][0].get<std::string>().rfind("(d0, d1) -> (d1, d0)", 0) == 0);
    uses = uses || (o["direction"] == "uses" && o["output"] == 0);
  }
  CHECK(reads);
  CHECK(uses);
}

TEST_CASE("tessera hlo says what is wrong, and tells the rest") {
  const std::string path =
      fileOf("bad.hlo",
             "ENTRY e {\n  a = f32[4] parameter(0)\n  b = f32[5] negate(a)\n  c = f32[4] negate(x)\n"
             "  ROOT d = f32[4] reverse(a), dimensions={0}\n}\n");
  const Finished done = run({"hlo", path});
  CHECK(done.exit == 1);
  CHECK(done.err.find("line 4: there is no x in e") != std::string::npos);
  CHECK(done.out.find("line 3: b: a is [4]; expected: [5]") != std::string::npos);
  CHECK(done.out.find("reads a  (d0) -> (") != std::string::npos);
  const auto lines = objects(run({"hlo", path, "--json"}).out);
  int errors = 0;
  for (const Json& o : lines) errors += o.contains("error");
  CHECK(errors >= 3);  // the name; b and c in one direction each at least
  CHECK(run({"hlo", fileOf("none.hlo", "not a module")}).exit == 2);
  CHECK(run({"hlo", "/nowhere/x.hlo"}).exit == 2);
  CHECK(run({"hlo", path, "--instruction", "zz"}).exit == 2);
  const Finished checked = run({"check", path});
  CHECK(checked.exit == 1);
  CHECK(checked.err.find("line 4: there is no x in e") != std::string::npos);
  CHECK(checked.out.find("wrong             negate %b, line 3: b: a is [4]") != std::string::npos);
}

TEST_CASE("tessera check says of how many instructions of a dump it is known what they read") {
  const Finished done = run({"check", kDumps + "transpose_fusion.after.hlo"});
  CHECK(done.exit == 0);
  CHECK(done.out.find("9 instructions in 2 computations: 6 exact, 3 read nothing") != std::string::npos);
  for (const auto& file : std::filesystem::directory_iterator(kDumps)) {
    INFO(file.path());
    const Finished json = run({"check", "--json", file.path().string()});
    CHECK(json.exit == 0);
    const Json o = objects(json.out).at(0);
    CHECK(o["exact"].get<int>() + o["nothing"].get<int>() + o["over"].get<int>() + o["unsupported"].get<int>() ==
          o["instructions"].get<int>());
    int gaps = 0;
    for (const Json& g : o["gaps"]) {
      gaps += g["count"].get<int>();
      CHECK_FALSE(g["why"].get<std::string>().empty());
    }
    CHECK(gaps == o["over"].get<int>() + o["unsupported"].get<int>());
  }
  const std::string text = "HloModule m\nENTRY e {\n  ROOT a = f32[4] parameter(0)\n}\n";
  CHECK(run({"check", fileOf("dump.txt", text)}).out.find("1 instruction in 1 computation") != std::string::npos);
  CHECK(run({"check", fileOf("none.hlo", "not a module")}).exit == 2);
  CHECK(run({"check", "/nowhere/x.hlo"}).exit == 2);
}

TEST_CASE("how warps read operands") {
  const std::string path = fileOf("warps.hlo",
                                  "ENTRY e {\n  p = f32[100,200] parameter(0)\n  q = f32[100,200]{0,1} parameter(1)\n"
                                  "  ROOT r = f32[100,200] add(p, q)\n}\n");
  const Finished text = run({"hlo", path, "--instruction", "r", "--coalescing"});
  CHECK(text.exit == 0);
  CHECK(text.out.find("threads: a loop over the output") != std::string::npos);
  CHECK(text.out.find("warps p  coalesced: 2500 sectors, as few as the bytes fill") != std::string::npos);
  CHECK(text.out.find("warps q  scattered: ") != std::string::npos);
  const Finished turned = run({"hlo", path, "--instruction", "r", "--json", "--threads",
                               "(th, bl) -> (th, bl), domain: th in [0, 99], bl in [0, 199]"});
  CHECK(turned.out.find("\"plan\":\"the given threads\"") != std::string::npos);
  CHECK(run({"hlo", path, "--instruction", "r", "--threads", "(th) -> (th), domain: th in [0, 99]"}).exit == 1);
}

TEST_CASE("which tiles of operands a tile reads") {
  const std::string path = fileOf("tile.hlo",
                                  "ENTRY e {\n  p = f32[16,64] parameter(0)\n"
                                  "  ROOT r = f32[64,16] transpose(p), dimensions={1,0}\n}\n");
  CHECK(run({"hlo", path, "--instruction", "r", "--tile", "[8,4]"})
            .out.find("tile p  sizes [4,8], strides [1,1], from (i0, i1) -> (i1 * 4, i0 * 8)") != std::string::npos);
  CHECK(run({"hlo", path, "--instruction", "r", "--tile", "[8,4]", "--json"}).out.find("\"sizes\":[4,8]") !=
        std::string::npos);
  CHECK(run({"hlo", path, "--instruction", "r", "--tile", "[8]"}).exit == 1);
  CHECK(run({"hlo", path, "--instruction", "r", "--tile", "8"}).exit == 1);
}

TEST_CASE("tiles by names of their sizes, and in the other direction") {
  const std::string path = fileOf("symbolic_tile.hlo",
                                  "ENTRY e {\n  p = f32[4,8] parameter(0)\n  c = f32[32] reshape(p)\n"
                                  "  ROOT r = f32[32] negate(c)\n}\n");
  const std::string named = run({"hlo", path, "--instruction", "c", "--tile", "[T]"}).out;
  CHECK(named.find("tile p  dimensions 0, 1: offsets [o0 floordiv 8, o0 mod 8], sizes [1, T], strides [1, 1] "
                   "where T + o0 mod 8 <= 8") != std::string::npos);
  CHECK(named.find("or offsets [o0 floordiv 8, 0], sizes [T floordiv 8, 8], strides [1, 1]") != std::string::npos);
  const std::string any = run({"hlo", path, "--instruction", "c", "--tile", "any", "--json"}).out;
  CHECK(any.find("\"direction\":\"tile\",\"operand\":0,\"of\":\"p\",\"is\":true") != std::string::npos);
  CHECK(any.find("\"parts\":[{\"dimensions\":[0,1],\"from\":[0],\"ways\":[{\"where\":[") != std::string::npos);
  CHECK(any.find("\"direction\":\"tile of uses\"") != std::string::npos);
  const std::string uses = run({"hlo", path, "--instruction", "c", "--uses", "--tile", "[2,8]"}).out;
  CHECK(uses.find("tile p to output 0  sizes [16], strides [1], from (i0, i1) -> (i0 * 16)") != std::string::npos);
  CHECK(run({"hlo", path, "--instruction", "r", "--tile", "[8*]"}).exit == 1);
}
