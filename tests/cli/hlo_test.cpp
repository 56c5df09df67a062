#include <catch2/catch.hpp>
#include <filesystem>
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
  static const std::string folder = scratchFolder();
  writeText(folder + "/" + name, text);
  return folder + "/" + name;
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

TEST_CASE("tessera hlo --worst ranks kernels by what they ask for beyond what they need") {
  const Finished text = run({"hlo", kDumps + "softmax.after.hlo", "--worst"});
  CHECK(text.exit == 0);
  CHECK(text.out.rfind("  1  ynn_fusion.1  2.6 MB requested for 65 KB (40 times)", 0) == 0);
  CHECK(text.out.find("\n       assumed: a loop over the output\n") != std::string::npos);
  CHECK(text.out.find("16250 of 16250 elements, each 125 times") != std::string::npos);
  long long before = INT64_MAX;
  int rank = 0;
  for (const Json& o : objects(run({"hlo", kDumps + "attention.after.hlo", "--worst", "--json"}).out)) {
    CHECK(o["rank"] == ++rank);
    const long long wasted = o["asked"].get<long long>() - o["needed"].get<long long>();
    CHECK(wasted <= before);
    before = wasted;
  }
  CHECK(rank == 6);
}

TEST_CASE("lines shared by equal instructions are those of each alone, and members can be chosen") {
  // attention repeats products, broadcasts and exponentials; names, lines and sources differ.
  for (const char* name : {"attention.before.hlo", "layernorm.before.hlo", "scan.before.hlo"}) {
    if (!std::filesystem::exists(kDumps + name)) continue;
    const std::vector<Json> whole = objects(run({"hlo", kDumps + name, "--json"}).out);
    std::size_t at = 0;
    std::string last;
    int instructions = 0;
    for (const Json& o : whole) {
      const std::string key = o["computation"].get<std::string>() + " " + o["op"].get<std::string>();
      if (key == last || ++instructions % 4 != 1) {
        last = key;
        ++at;
        continue;
      }
      last = key;
      const std::vector<Json> alone =
          objects(run({"hlo", kDumps + name, "--json", "--computation", o["computation"].get<std::string>(), "--only",
                       o["op"].get<std::string>()})
                      .out);
      REQUIRE(!alone.empty());
      for (std::size_t k = 0; k < alone.size(); ++k) CHECK(whole.at(at + k) == alone[k]);
      ++at;
    }
    CHECK(instructions > 4);
  }
  const Finished few =
      run({"hlo", kDumps + "softmax.after.hlo", "--json", "--only", "reduce", "--fields", "op,maps,utilization"});
  CHECK(few.exit == 0);
  for (const Json& o : objects(few.out)) {
    CHECK(o.size() <= 3);
    CHECK(o.contains("maps"));
    CHECK(o["op"].get<std::string>().starts_with("reduce"));
  }
  const Finished none = run({"hlo", kDumps + "softmax.after.hlo", "--json", "--fields", "op,nonsense"});
  CHECK(none.exit == 1);
  CHECK(none.err.find("no line has a member 'nonsense'") != std::string::npos);
  CHECK(run({"hlo", kDumps + "softmax.after.hlo", "--only", "nonsense"}).exit == 2);
}

TEST_CASE("tessera why names the cause and a split that is proved") {
  const Finished text = run({"why", kDumps + "softmax.after.hlo", "ynn_fusion.1"});
  CHECK(text.exit == 0);
  for (const char* part :
       {"40 times", "because of %sub.0 (broadcast, dump.py:3 (softmax))", "split at %reduce_max.0 (reduce", "proved: "})
    CHECK(text.out.find(part) != std::string::npos);
  const Finished json = run({"why", kDumps + "softmax.after.hlo", "%ynn_fusion.1", "--json"});
  const Json o = objects(json.out).at(0);
  CHECK(o["split"]["asked"].get<long long>() < o["asked"].get<long long>());
  CHECK(o["split"]["proof"].get<std::string>().starts_with("proved"));
  CHECK(o["repeated by"]["instruction"] == "sub.0");
  const Finished none = run({"why", kDumps + "softmax.after.hlo", "ynn_fusion.2"});
  CHECK(none.exit == 2);
  CHECK(none.err.find("did you mean ynn_fusion") != std::string::npos);
  CHECK(run({"why", kDumps + "softmax.after.hlo", "x.1"}).exit == 1);  // a parameter
  CHECK(run({"why", kDumps + "nothing.hlo", "x"}).exit == 2);
}

TEST_CASE("tessera hlo --roofline bounds times from below, and --against compares") {
  const Finished text = run({"hlo", kDumps + "attention.after.hlo", "--roofline", "H100"});
  CHECK(text.exit == 0);
  CHECK(text.out.starts_with("at least "));
  double before = 1e300;
  for (const Json& o : objects(run({"hlo", kDumps + "attention.after.hlo", "--roofline", "h100", "--json"}).out)) {
    CHECK(o["microseconds"].get<double>() <= before);
    before = o["microseconds"].get<double>();
    CHECK(before >= std::max(o["memory"].get<double>(), o["compute"].get<double>()) * 0.999);
  }
  const Finished device = run({"hlo", kDumps + "attention.after.hlo", "--roofline", "abacus"});
  CHECK(device.exit == 2);
  CHECK(device.err.find("h100") != std::string::npos);
  const Finished same =
      run({"hlo", kDumps + "attention.after.hlo", "--against", kDumps + "attention.after.hlo", "--json"});
  CHECK((same.exit == 0 && same.out.empty()));
  const Finished other = run({"hlo", kDumps + "softmax.after.hlo", "--against", kDumps + "attention.after.hlo"});
  CHECK(other.out.find("gone: ") != std::string::npos);
  CHECK(other.out.find("in all; ") != std::string::npos);
  CHECK(run({"hlo", kDumps + "softmax.after.hlo", "--against", kDumps + "nothing.hlo"}).exit == 2);
}

TEST_CASE("tessera hlo --wire sums what collectives send") {
  const Finished text = run({"hlo", kDumps + "sm_psum_tuple.after.hlo", "--wire"});
  CHECK(text.exit == 0);
  CHECK(text.out.find(" sent by each replica, in ") != std::string::npos);
  double before = 1e300;
  for (const Json& o : objects(run({"hlo", kDumps + "spmd_mm.after.hlo", "--wire", "--json"}).out)) {
    CHECK(o["bytes"].get<double>() * o["runs"].get<double>() <= before);
    before = o["bytes"].get<double>() * o["runs"].get<double>();
  }
  CHECK(run({"hlo", kDumps + "softmax.after.hlo", "--wire"}).out == "0 B sent by each replica, in 0 collectives\n");
}

TEST_CASE("tessera hlo --json has a line for each instruction, direction and operand") {
  const Finished done = run({"hlo", kDumps + "transpose_fusion.before.hlo", "--json"});
  CHECK(done.exit == 0);
  bool reads = false, uses = false;
  for (const Json& o : objects(done.out)) {
    CHECK(o["exact"] == true);
    CHECK(o["output"] == 0);
    if (o["opcode"] != "transpose") continue;
    CHECK(o["op"] == "transpose.1");
    if (o["direction"] == "output_to_input") {
      reads = o["maps"][0].get<std::string>().rfind("(d0, d1) -> (d1, d0)", 0) == 0;
      CHECK(o["utilization"] == 1.0);
    } else {
      uses = o["direction"] == "input_to_output" && o["operand"] == 0;
    }
  }
  CHECK(reads);
  CHECK(uses);
}

TEST_CASE("what nobody has a rule for has no maps in JSON, and a reason") {
  const std::string path = fileOf("unknown.hlo",
                                  "ENTRY e {\n  p = f32[8,8] parameter(0)\n  z = f32[] constant(0)\n"
                                  "  u = f32[8,8] custom-call(p), custom_call_target=\"f\"\n"
                                  "  w = f32[3,4] reduce-window(p, z), window={size=4x5 stride=2x1}, to_apply=add\n"
                                  "  ROOT t = (f32[8,8], f32[3,4]) tuple(u, w)\n}\n");
  const auto lines = objects(run({"hlo", path, "--json"}).out);
  const auto of = [&](const char* op, const char* direction, int operand, int output) {
    for (const Json& o : lines)
      if (o["op"] == op && o["direction"] == direction && o["operand"] == operand && o["output"] == output) return o;
    return Json();
  };
  const Json unknown = of("u", "output_to_input", 0, 0);
  CHECK(unknown["maps"].is_null());
  CHECK(unknown["exact"] == false);
  CHECK(unknown["reason"] == "custom call f: add `f 0 0 READ` to a table (--custom-calls)");
  const Json window = of("w", "output_to_input", 0, 0);
  CHECK(window["utilization"] == 3.75);  // 240 reads of 64 elements, as XLA's cost model counts them
  CHECK(window["distinct"] == 64);
  CHECK(of("t", "output_to_input", 1, 1)["maps"].size() == 1);
  CHECK(of("t", "output_to_input", 0, 1)["maps"].empty());
  CHECK(of("t", "input_to_output", 1, 1)["maps"].size() == 1);
}

TEST_CASE("tessera hlo says what is wrong, and tells the rest") {
  const std::string path =
      fileOf("bad.hlo",
             "ENTRY e {\n  a = f32[4] parameter(0)\n  b = f32[5] negate(a)\n  c = f32[4] negate(x)\n"
             "  ROOT d = f32[4] reverse(a), dimensions={0}\n}\n");
  const Finished done = run({"hlo", path});
  CHECK(done.exit == 1);
  CHECK(done.err.find("line 4: %c: there is no x in e; expected: an instruction of the same computation") !=
        std::string::npos);
  CHECK(done.out.find("line 3: b: a is [4]; expected: [5]") != std::string::npos);
  CHECK(done.out.find("reads a  (d0) -> (") != std::string::npos);
  const auto lines = objects(run({"hlo", path, "--json"}).out);
  int errors = 0;
  for (const Json& o : lines) errors += o.contains("error");
  CHECK(errors >= 3);  // the name; b and c in one direction each at least
  CHECK(run({"hlo", fileOf("none.hlo", "not a module")}).exit == 2);
  CHECK(run({"hlo", "/nowhere/x.hlo"}).exit == 2);
  CHECK(run({"hlo", path, "--instruction", "zz"}).exit == 2);
  // Names that are not there.
  const std::string dump = kDumps + "softmax.after.hlo";
  const Finished instruction = run({"hlo", dump, "--instruction", "%reduce_sum.9"});
  CHECK(instruction.exit == 2);
  CHECK(instruction.err == "tessera: the module has no instruction reduce_sum.9; did you mean reduce_sum.3?\n");
  const Finished computation = run({"hlo", dump, "--computation", "fused_computatoin"});
  CHECK(computation.exit == 2);
  CHECK(computation.err.find("tessera: the module has no computation fused_computatoin; did you mean fused_c") == 0);
  CHECK(run({"hlo", dump, "--instruction", "%reduce_sum.0"}).exit == 0);
  const Finished checked = run({"check", path});
  CHECK(checked.exit == 1);
  CHECK(checked.err.find("line 4: %c: there is no x in e") != std::string::npos);
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

TEST_CASE("the other direction, with devices, and maps that a proof shows to be one") {
  const std::string path = fileOf(
      "uses.hlo",
      "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n"
      "f {\n  p = f32[3000,1000] parameter(0)\n  z = f32[] constant(0)\n  v = f32[3000,1000] reverse(p), "
      "dimensions={1}\n"
      "  r0 = f32[3000] reduce(p, z), dimensions={1}, to_apply=add\n  r1 = f32[3000] reduce(v, z), dimensions={1}, "
      "to_apply=add\n  ROOT s = f32[3000] add(r0, r1)\n}\n"
      "ENTRY e {\n  p = f32[3000,1000] parameter(0)\n  fu = f32[3000] fusion(p), kind=kLoop, calls=f\n"
      "  ROOT g = f32[12000] all-gather(fu), dimensions={0}, replica_groups={{0,1,2,3}}\n}\n");
  const Finished fused = run({"hlo", path, "--instruction", "fu", "--uses"});
  CHECK(fused.exit == 0);
  CHECK(fused.out.find("reads p  (d0)[s0] -> (d0, s0), domain: d0 in [0, 2999], s0 in [0, 999]") != std::string::npos);
  CHECK(fused.out.find("from p  (d0, d1) -> (d0), domain: d0 in [0, 2999], d1 in [0, 999]") != std::string::npos);
  CHECK(fused.out.find("may name the same") == std::string::npos);
  const Finished gathered = run({"hlo", path, "--instruction", "g", "--uses"});
  CHECK(gathered.out.find("reads fu  (d0) -> (d0 mod 3000)") != std::string::npos);
  CHECK(gathered.out.find("of device (d0) -> (d0 floordiv 3000)") != std::string::npos);
  CHECK(gathered.out.find("from fu  (d0){p} -> (d0 + p * 3000)") != std::string::npos);
  CHECK(gathered.out.find("of device (d0)[s0] -> (s0)") != std::string::npos);
}

TEST_CASE("reads by the layouts") {
  const std::string path = fileOf("physical.hlo",
                                  "ENTRY e {\n  p = f32[8,4]{1,0:T(2,2)} parameter(0)\n"
                                  "  ROOT t = f32[4,8]{0,1} transpose(p), dimensions={1,0}\n}\n");
  const Finished text = run({"hlo", path, "--instruction", "t", "--physical"});
  CHECK(text.exit == 0);
  CHECK(text.out.find("memory order f32[4,8]{0,1} to f32[8,4]{1,0:T(2,2)}  (d0, d1) -> (d0, d1)") != std::string::npos);
  CHECK(text.out.find("slots p  (d0, d1) -> (") != std::string::npos);
  const auto lines = objects(run({"hlo", path, "--instruction", "t", "--physical", "--json"}).out);
  int physical = 0;
  for (const Json& o : lines) physical += o["direction"] == "physical";
  CHECK(physical == 1);
}

TEST_CASE("claims about what parts of modules read") {
  const std::string sheet = R"(hlo a {
f {
  p = f32[100,20] parameter(0)
  t = f32[20,100] transpose(p), dimensions={1,0}
  r = f32[40,50] reshape(t)
  ROOT n = f32[40,50] negate(r)
}
back {
  q = f32[10,10,10] parameter(0)
  r = f32[50,20] reshape(q)
  ROOT s = f32[10,10,10] reshape(r)
}
ENTRY e {
  p = f32[100,20] parameter(0)
  ROOT fu = f32[40,50] fusion(p), kind=kLoop, calls=f
}
}
hlo b {
ENTRY e {
  p = f32[100,20] parameter(0)
  t = f32[20,100] transpose(p), dimensions={1,0}
  ROOT r = f32[40,50] reshape(t)
}
}
hlo c {
ENTRY e {
  p = f32[100,20] parameter(0)
  ROOT r = f32[40,50] reshape(p)
}
}
hlo w {
ENTRY e {
  p = f32[9] parameter(0)
  i = s32[] parameter(1)
  ROOT r = f32[3] dynamic-slice(p, i), dynamic_slice_sizes={3}
}
}
)";
  const auto verdict = [&](const std::string& claim) {
    const auto lines = objects(run({"check", "--json", fileOf("claims.tsr", sheet + claim + "\n")}).out);
    for (const Json& o : lines)
      if (o.contains("verdict")) return o["verdict"].get<std::string>();
    return std::string("none: ") + (lines.empty() ? "" : lines.back().dump());
  };
  CHECK(verdict("prove equal(a.%fu, b)") == "proved");
  CHECK(verdict("prove equal(a.%f, b)") == "proved");
  CHECK(verdict("prove equal(a.%fu, c)") == "refuted");
  CHECK(verdict("prove in_bounds(a.%fu)") == "proved");
  CHECK(verdict("prove in_bounds(w)") == "proved");
  CHECK(verdict("prove equal(w, w)") == "proved");
  CHECK(verdict("prove identity(a.%back)") == "proved");
  CHECK(verdict("prove identity(reads(a.%back, 0))") == "proved");
  CHECK(verdict("prove identity((d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 3])") == "refuted");
}

TEST_CASE("tessera draw and eval take a dump") {
  const std::string dump = kDumps + "softmax.after.hlo", folder = scratchFolder();
  const auto drawn = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"draw", dump, "-o", folder + "/x.svg"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  };
  const auto picture = [&] { return readText(folder + "/x.svg"); };
  CHECK(drawn({}).exit == 0);
  const std::string whole = picture();
  CHECK(whole.find("ynn_fusion") != std::string::npos);
  CHECK(drawn({"--instruction", "ynn_fusion.1"}).exit == 0);
  CHECK(picture() != whole);
  CHECK(drawn({"--instruction", "%ynn_fusion.1", "--as", "dataflow"}).exit == 0);
  CHECK(run({"draw", kDumps + "pads.before.hlo", "--instruction", "pad.1", "--as", "reads", "-o", folder + "/x.svg"})
            .exit == 0);
  const Finished none = drawn({"--instruction", "ynn_fusoin.1"});
  CHECK(none.exit == 2);
  CHECK(none.err.find("did you mean softmax.%ynn_fusion.1?") != std::string::npos);
  CHECK(drawn({"--as", "nonsense"}).exit == 1);
  CHECK(drawn({"--set", "a=1"}).exit == 2);
  CHECK(run({"draw", "8:1", "--instruction", "a", "-o", folder + "/x.svg"}).exit == 2);
  CHECK(run({"draw", fileOf("none.hlo", "not a module"), "-o", folder + "/x.svg"}).exit == 2);

  const Finished values = run({"eval", dump, "maps(softmax.%ynn_fusion.1, 0)", "shape(softmax.%reduce_sum.0)"});
  CHECK(values.exit == 0);
  CHECK(values.out.find("softmax = HloModule jit_softmax") == 0);
  CHECK(values.out.find("\n2\n") != std::string::npos);
  const auto lines = objects(run({"eval", "--json", dump, "maps(softmax.%ynn_fusion.1, 0)"}).out);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0]["name"] == "softmax");
  CHECK(lines[1]["text"] == "2");
  CHECK(run({"eval", dump, "maps(softmax.%ynn_fusoin.1, 0)"}).err.find("did you mean") != std::string::npos);
  // A module with a wrong line still answers, and says so.
  const Finished damaged = run(
      {"eval", fileOf("cut.hlo", "ENTRY e {\n  a = f32[4] parameter(0)\n  b = f32[4] negate(aa)\n"), "shape(cut.%a)"});
  CHECK(damaged.exit == 1);
  CHECK(damaged.err.find("line 3: %b: there is no aa in e") != std::string::npos);
  CHECK(damaged.out.find("f32[4]") != std::string::npos);
}

TEST_CASE("warps are told of arrays only, and a kernel's rank does not hide what is wrong") {
  const std::string path = fileOf("no_array.hlo",
                                  "HloModule m\nf {\n  x = f32[4] parameter(0)\n  ROOT y = f32[4] negate(x)\n}\n"
                                  "ENTRY e {\n  p = f32[4] parameter(0)\n"
                                  "  s = ((f32[4]), f32[4], s32[]) async-start(p), calls=f\n"
                                  "  k = token[] after-all()\n  o = (token[], f32[4]) opt-barrier(k, p)\n"
                                  "  ROOT r = f32[4] async-done(s)\n}\n");
  for (const char* how : {"--coalescing", "--physical", "--usage", "--uses"}) {
    const Finished done = run({"hlo", path, how});
    INFO(how << "\n" << done.out << done.err);
    CHECK(done.exit == 0);
  }
  const std::string broken = fileOf("broken_rank.hlo",
                                    "HloModule m\nENTRY e {\n  p = f32[4] parameter(0)\n  q = f32[4] negate(x)\n"
                                    "  ROOT r = f32[4] exponential(p)\n}\n");
  const Finished rank = run({"hlo", broken, "--worst"});
  CHECK(rank.exit == 1);
  CHECK(rank.err.find("line 4: %q: there is no x") != std::string::npos);
  CHECK(rank.out.find("r  ") != std::string::npos);
  // Once, not for the reads and the warps.
  const std::string wrong = fileOf("wrong_once.hlo",
                                   "HloModule m\nENTRY e {\n  p = f32[4] parameter(0)\n"
                                   "  ROOT r = f32[5] exponential(p)\n}\n");
  const std::string out = run({"hlo", wrong, "--coalescing"}).out;
  CHECK(out.find("line 4") != std::string::npos);
  CHECK(out.find("line 4") == out.rfind("line 4"));
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
  // What is said of a part of the output says which part.
  const std::string parts = fileOf("tile_of_part.hlo",
                                   "ENTRY e {\n  a = f32[3,4] parameter(0)\n  b = f32[5,4] parameter(1)\n"
                                   "  ROOT c = f32[8,4] concatenate(a, b), dimensions={0}\n}\n");
  CHECK(run({"hlo", parts, "--tile", "any"}).out.find("strides [t0, t1]; of tiles inside [3:8,0:4]") !=
        std::string::npos);
  CHECK(run({"hlo", parts, "--tile", "any", "--json"}).out.find("\"box\":[[3,7],[0,3]]") != std::string::npos);
}

TEST_CASE("reading a dump ends with its budget") {
  std::string text = "HloModule m\nENTRY e {\n  p = f32[4] parameter(0)\n";
  for (int k = 0; k < 2000; ++k) text += "  a" + std::to_string(k) + " = f32[4] negate(p)\n";
  const std::string path = fileOf("budget.hlo", text + "  ROOT r = f32[4] negate(p)\n}\n");
  CHECK(run({"hlo", path}).exit == 0);
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--worst"}, {"--json"}}) {
    std::vector<std::string> words = {"hlo", path, "--budget", "0.00001"};
    words.insert(words.end(), more.begin(), more.end());
    const Finished ended = run(words);
    CHECK(ended.exit == 2);
    CHECK((ended.err + ended.out).find("out of budget (300 steps)") != std::string::npos);
  }
}

TEST_CASE("a table gives rules to custom calls of a module") {
  const std::string module = fileOf("calls.hlo",
                                    "HloModule m\nENTRY e {\n  p = f32[4,3] parameter(0)\n"
                                    "  ROOT r = f32[4] custom-call(p), custom_call_target=\"rowsum\"\n}\n");
  const Finished plain = run({"check", module});
  CHECK(plain.out.find("add `rowsum 0 0 READ` to a table (--custom-calls)") != std::string::npos);
  const std::string table = fileOf("calls.txt", "# sums\nrowsum 0 0 (d0)[s0] -> (d0, s0)\n");
  const Finished checked = run({"check", module, "--custom-calls", table});
  CHECK(checked.exit == 0);
  CHECK(checked.out.find("2 instructions in 1 computation: 1 exact, 1 reads nothing") != std::string::npos);
  const Finished told = run({"hlo", module, "--instruction", "r", "--uses", "--custom-calls", table});
  CHECK(told.out.find("reads p  (d0)[s0] -> (d0, s0), domain: d0 in [0, 3], s0 in [0, 2]") != std::string::npos);
  CHECK(told.out.find("from p  (d0, d1) -> (d0), domain: d0 in [0, 3], d1 in [0, 2]") != std::string::npos);
  const std::string wrong = fileOf("wrong.txt", "# sums\nrowsum 0 0 every\n");
  for (const char* command : {"check", "hlo"}) {
    const Finished refused = run({command, module, "--custom-calls", wrong});
    CHECK(refused.exit == 2);
    CHECK(refused.err.find("line 2") != std::string::npos);
    CHECK(refused.err.find("`every` is no read") != std::string::npos);
    CHECK(run({command, module, "--custom-calls", "no such file"}).exit == 2);
  }
}

TEST_CASE("elements of tuples are named") {
  const std::string module = fileOf("elements.hlo",
                                    "HloModule m\nf {\n  t = (f32[4], f32[4]) parameter(0)\n"
                                    "  a = f32[4] get-tuple-element(t), index=0\n"
                                    "  b = f32[4] get-tuple-element(t), index=1\n  ROOT r = f32[4] add(a, b)\n}\n"
                                    "ENTRY e {\n  p = (f32[4], f32[4]) parameter(0)\n"
                                    "  ROOT c = f32[4] call(p), to_apply=f\n}\n");
  const Finished told = run({"hlo", module, "--instruction", "c"});
  CHECK(told.out.find("reads p element 0  (d0) -> (d0)") != std::string::npos);
  CHECK(told.out.find("reads p element 1  (d0) -> (d0)") != std::string::npos);
  const auto lines = objects(run({"hlo", module, "--instruction", "c", "--json"}).out);
  CHECK(lines.at(0)["element"] == 0);
  CHECK(lines.at(1)["element"] == 1);
}
