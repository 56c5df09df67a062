// No input blocks the command line: modules that take too long, programs with thousands of statements, invalid numbers,
// files that are not plain text.
#include <sys/resource.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "cli/process.h"

using namespace tessera;
using Json = nlohmann::json;

namespace {

std::vector<Json> objectsIn(const std::string& text) {
  std::vector<Json> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out.push_back(Json::parse(line));
  return out;
}

std::string inFolder(const std::string& folder, const std::string& name, const std::string& text) {
  writeText(folder + "/" + name, text);
  return folder + "/" + name;
}

// A fusion of these instructions over `a`.
std::string fusionOf(const std::string& body, const std::string& result, const std::string& fused) {
  return "HloModule m\nadd {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT r = f32[] add(x, y)\n}\nf {\n"
         "  a = f32[64,64] parameter(0)\n" +
         body + "}\nENTRY e {\n  p = f32[64,64] parameter(0)\n  ROOT fu = " + result +
         " fusion(p), kind=kLoop, calls=" + fused + "\n}\n";
}

// Each computation calls the one above it twice: 2^depth ways from the parameter to the result.
std::string callsInCalls(int depth) {
  std::string text =
      "HloModule m\nf0 {\n  a = f32[8,8] parameter(0)\n  ROOT t = f32[8,8] transpose(a), dimensions={1,0}\n}\n";
  for (int k = 1; k <= depth; ++k) {
    const std::string below = " call(A), to_apply=f" + std::to_string(k - 1) + "\n";
    std::string first = below, second = below;
    first.replace(first.find('A'), 1, "a");
    second.replace(second.find('A'), 1, "b");
    text += "f" + std::to_string(k) + " {\n  a = f32[8,8] parameter(0)\n  b = f32[8,8]" + first +
            "  ROOT c = f32[8,8]" + second + "}\n";
  }
  return text + "ENTRY e {\n  p = f32[8,8] parameter(0)\n  ROOT fu = f32[8,8] call(p), to_apply=f" +
         std::to_string(depth) + "\n}\n";
}

// Windows of windows: every step has two more numbers that are ranged over, too many after sixty.
std::string windowsOfWindows(int steps) {
  std::string body = "  z = f32[] constant(0)\n", before = "a";
  for (int k = 0; k < steps; ++k) {
    const std::string here = "w" + std::to_string(k);
    body += std::string(k + 1 == steps ? "  ROOT " : "  ") + here + " = f32[64,64] reduce-window(" + before +
            ", z), window={size=3x3 pad=1_1x1_1}, to_apply=add\n";
    before = here;
  }
  return fusionOf(body, "f32[64,64]", "f");
}

const std::string kCopyRow =
    "%in:[32:1].fp32.GL  %out:[32:1].fp32.GL\n#b:[1:1].block  #t:[32:1].thread\n"
    "%out <- Move<<<#b,#t>>>(%in) {\n  @i = #t.indices()  %f = %in[@i]  %o = %out[@i]\n  %o <- Move(%f)\n}\n";

}  // namespace

TEST_CASE("calls in calls are gone through once each") {
  const std::string folder = scratchFolder();
  const std::string even = inFolder(folder, "even.hlo", callsInCalls(40));
  const Finished told = run({"hlo", even, "--instruction", "fu", "--uses"});
  CHECK(told.exit == 0);
  CHECK(told.out.find("reads p  (d0, d1) -> (d0, d1), ") != std::string::npos);
  CHECK(told.out.find("from p  (d0, d1) -> (d0, d1), ") != std::string::npos);
  CHECK(run({"check", even}).out.find("122 instructions in 42 computations: 81 exact") == std::string::npos);
  CHECK(run({"check", even}).exit == 0);
  CHECK(run({"hlo", even, "--worst"}).exit == 0);
}

TEST_CASE("an instruction of a module that takes too long is said to, and the others are told") {
  const std::string folder = scratchFolder();
  const std::string file = inFolder(folder, "windows.hlo", windowsOfWindows(60));
  const Finished text = run({"hlo", file, "--budget", "0.3"});
  CHECK(text.exit == 1);
  CHECK(text.out.find("  w59 = f32[64,64]{1,0} reduce-window\n    reads w58  (d0, d1)[s0, s1] -> ") !=
        std::string::npos);
  CHECK(
      text.out.find(
          "  fu = f32[64,64]{1,0} fusion\n    line 73: out of budget (0.3 s of work); more time: --budget SECONDS\n") !=
      std::string::npos);
  const Finished json = run({"hlo", file, "--budget", "0.3", "--instruction", "fu", "--json"});
  CHECK(json.exit == 1);
  const Json last = objectsIn(json.out).back();
  CHECK(last["op"] == "fu");
  CHECK(last["maps"].is_null());
  CHECK(last["error"] == "out of budget (0.3 s of work)");
  const Finished worst = run({"hlo", file, "--worst", "--budget", "0.3"});
  CHECK(worst.exit == 1);
  CHECK(worst.out == "  1  fu  not known: out of budget (0.3 s of work)\n");
  const Finished checked = run({"check", file, "--budget", "0.3"});
  CHECK(checked.exit == 0);  // nothing is wrong
  CHECK(checked.out.find("unsupported       fusion %fu, line 73: out of budget (0.3 s of work)") != std::string::npos);
  CHECK(checked.out.find("1 not shown") != std::string::npos);
  Conversation told({"hlo", file, "--budget", "1000"});
  CHECK(told.hear() == "add");
  told.signal(SIGINT);
  CHECK(told.wait() == 130);
  const std::string small = inFolder(folder, "small.hlo", callsInCalls(1));
  Conversation judged({"check", "--budget", "1000", small, file});
  std::string line = judged.hear();
  while (!line.empty() && line != file) line = judged.hear();
  CHECK(line == file);
  judged.signal(SIGTERM);
  CHECK(judged.wait() == 143);
}

TEST_CASE("what one of many outputs reads is not known: neither is what the fusion reads") {
  std::string body, results;
  for (int k = 0; k < 100; ++k) {
    const std::string name = "t" + std::to_string(k);
    body += "  " + name + " = f32[64,64] " + (k == 80 ? "custom-call(a), custom_call_target=\"x\"" : "copy(a)") + "\n";
    results += (k == 0 ? "" : ", ") + name;
  }
  std::string shape = "(f32[64,64]";
  for (int k = 1; k < 100; ++k) shape += ", f32[64,64]";
  shape += ")";
  body += "  ROOT all = " + shape + " tuple(" + results + ")\n";
  const Finished done = run({"check", inFolder(scratchFolder(), "outputs.hlo", fusionOf(body, shape, "f"))});
  CHECK(done.out.find("unsupported       fusion %fu, line ") != std::string::npos);
  CHECK(done.out.find("2 unsupported") != std::string::npos);
}

TEST_CASE("a fusion whose body has other sizes contradicts itself") {
  const std::string body = "  ROOT s = f32[63,64] slice(a), slice={[0:63],[0:64]}\n";
  const std::string folder = scratchFolder();
  CHECK(run({"check", inFolder(folder, "fits.hlo", fusionOf(body, "f32[63,64]", "f"))}).exit == 0);
  const std::string wrong = inFolder(folder, "wrong.hlo", fusionOf(body, "f32[64,64]", "f"));
  CHECK(run({"check", wrong}).exit == 1);
  const Finished told = run({"hlo", wrong, "--instruction", "fu", "--uses"});
  CHECK(told.exit == 1);
  CHECK(told.out.find("fu: the result is f32[64,64]{1,0}, f has f32[63,64]{1,0} there") != std::string::npos);
  std::string other = fusionOf(body, "f32[63,64]", "f");
  other.replace(other.find("p = f32[64,64]"), 14, "p = f32[32,64]");
  const Finished operand = run({"check", inFolder(folder, "operand.hlo", other)});
  CHECK(operand.exit == 1);
  CHECK(operand.out.find("operand 0 is f32[32,64]{1,0}, f has f32[64,64]{1,0} there") != std::string::npos);
}

TEST_CASE("reads that cannot be counted are unknown, not nothing") {
  const std::string text =
      "HloModule m\nadd {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT r = f32[] add(x, y)\n}\nENTRY e "
      "{\n"
      "  p = f32[1000000] parameter(0)\n  z = f32[] constant(0)\n"
      "  ROOT c = f32[1000000] reduce-window(p, z), window={size=1999999 pad=999999_999999}, to_apply=add\n}\n";
  const std::string file = inFolder(scratchFolder(), "wide.hlo", text);
  const std::string said = run({"hlo", file, "--instruction", "c", "--coalescing"}).out;
  CHECK(said.find("warps p  unknown: the addresses have no period") != std::string::npos);
  CHECK(said.find("nothing is read by these threads") == std::string::npos);
}

TEST_CASE("a size of a tile has no name that means something else") {
  const std::string file = inFolder(scratchFolder(), "tile.hlo",
                                    "ENTRY e {\n  p = f32[128,32] parameter(0)\n  i = s32[] parameter(1)\n"
                                    "  q = f32[64,32] dynamic-slice(p, i, i), dynamic_slice_sizes={64,32}\n"
                                    "  ROOT r = f32[32,64] reshape(q)\n}\n");
  for (const char* tile : {"[o0,T]", "[T,o1]"}) {
    const Finished ran = run({"hlo", file, "--instruction", "r", "--tile", tile});
    CHECK(ran.exit == 1);
    CHECK(ran.out.find("is not a size: it is") != std::string::npos);
  }
  CHECK(run({"hlo", file, "--instruction", "r", "--tile", "[T,o2]"}).exit == 0);
  CHECK(run({"hlo", file, "--instruction", "q", "--tile", "[rt0,T]"}).exit == 1);
}

TEST_CASE("tessera hlo --json answers what it cannot read in JSON") {
  const std::string folder = scratchFolder();
  for (const std::string& file : {folder + "/gone.hlo", folder, inFolder(folder, "none.hlo", "not a module")}) {
    const Finished plain = run({"hlo", file}), json = run({"hlo", file, "--json"});
    CHECK(plain.exit == 2);
    CHECK(plain.out.empty());
    CHECK(json.exit == 2);
    CHECK(json.err.empty());
    CHECK(objectsIn(json.out).size() == 1);
    CHECK(objectsIn(json.out)[0].contains("error"));
  }
}

TEST_CASE("numbers of options that are none are refused") {
  const std::string folder = scratchFolder(), program = inFolder(folder, "copy.graphene", kCopyRow);
  const std::string out = folder + "/x.png";
  for (const std::string wrong : {"nan", "inf", "-1", "0", "1e300", "3s", ""}) {
    INFO(wrong);
    CHECK(run({"measure", program, "--seconds", wrong}).exit == 2);
    CHECK(run({"tune", program, "--prove", wrong}).exit == 2);
    CHECK(run({"tune", program, "--seconds", wrong}).exit == 2);
    CHECK(run({"draw", "8:1", "--scale", wrong, "-o", out}).exit == 2);
    CHECK(run({"hlo", program, "--budget", wrong}).err.find("is not a budget") != std::string::npos);
    CHECK(run({"--scale", wrong, "--screenshot", out, program}).exit == 2);
  }
  CHECK_FALSE(std::filesystem::exists(out));
  for (const std::string wrong : {"-1", "18446744073709551616", "1.5", "x", ""})
    CHECK(run({"measure", program, "--seed", wrong}).err.find("is not a seed") != std::string::npos);
  for (const std::string wrong : {"foo", "sm_", "sm_x", "sm_99999999999", "sm_80ab", "gfx942", "80"})
    for (const char* command : {"check", "measure", "codegen", "tune"}) {
      INFO(command << " " << wrong);
      const Finished ran = run({command, program, "--arch", wrong});
      CHECK(ran.exit == 2);
      CHECK(ran.err.find("is not an architecture") != std::string::npos);
    }
  CHECK(run({"check", program, "--arch", "sm_90a"}).exit == 0);
}

TEST_CASE("a file that is missing is called that, and no instruction of its name") {
  const std::string folder = scratchFolder(), out = folder + "/x.svg";
  for (const std::string name : {"/gone.tess", "/gone.graphene", "/gone.hlo"}) {
    INFO(name);
    const Finished drawn = run({"draw", folder + name, "-o", out});
    CHECK(drawn.exit == 2);
    CHECK(drawn.err.find("cannot read '" + folder + name + "': No such file or directory") != std::string::npos);
    CHECK(run({"codegen", folder + name}).exit == 2);
    const Finished evaluated = run({"eval", folder + name, "1 + 1"});
    CHECK(evaluated.exit == 2);
    CHECK(evaluated.out == "2\n");
    CHECK(evaluated.err.find("did you mean") == std::string::npos);
  }
  const std::string sheet = inFolder(folder, "a.tess", "8:1\n");
  CHECK(run({"eval", sheet}).err.find("tessera check " + sheet) != std::string::npos);
  CHECK(run({"codegen", sheet}).err.find("codegen takes a .graphene program or a layout") != std::string::npos);
}

TEST_CASE("draw reads a pipe") {
  const std::string folder = scratchFolder(), pipe = folder + "/pipe", out = folder + "/x.csv";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::thread writer([&] { std::ofstream(pipe) << "(2,2):(2,1)\n"; });
  CHECK(run({"draw", pipe, "-o", out}).exit == 0);
  writer.join();
  CHECK(std::filesystem::exists(out));
}

TEST_CASE("a program that begins with a byte-order mark, and one that is wrong at its first byte") {
  const std::string folder = scratchFolder();
  const std::string marked = inFolder(folder, "marked.graphene", "\xEF\xBB\xBF" + kCopyRow);
  CHECK(run({"check", marked}).exit == 0);
  CHECK(run({"codegen", marked}).exit == 0);
  CHECK(run({"draw", marked, "-o", folder + "/x.svg"}).exit == 0);
  const std::string settings = inFolder(folder, "set.graphene", "\xEF\xBB\xBFparam N = 1 in 1, 2\n" + kCopyRow);
  CHECK(run({"check", settings, "--set", "N=2"}).exit == 0);
  const Finished wrong = run({"check", inFolder(folder, "wrong.graphene", "bogus\n")});
  CHECK(wrong.exit == 2);
  CHECK(wrong.err.find("line 1, column 1: there is no statement 'bogus'") != std::string::npos);
}

TEST_CASE("counters of loops beyond 32 and 64 bits") {
  const std::string folder = scratchFolder();
  const auto with = [&](const std::string& head) {
    std::string text = kCopyRow;
    const std::size_t at = text.find("%o <- Move(%f)");
    return inFolder(folder, "loop.graphene", text.substr(0, at) + head + " { %o <- Move(%f) }\n}\n");
  };
  const auto codeOf = [&](const std::string& head) { return run({"codegen", with(head)}).out; };
  CHECK(codeOf("for (k = 0; k < 1; k += 1)").find("for (int k = 0; k < 1; ++k)") != std::string::npos);
  CHECK(codeOf("for (k = 2147483646; k < 2147483647; k += 1)").find("for (int k") != std::string::npos);
  for (const char* wide :
       {"for (k = 2147483646; k < 2147483647; k += 5)", "for (k = 3000000000; k < 3000000001; k += 1)",
        "for (k = 0; k < 1; k += 3000000000)", "for (k = -3000000000; k < -2999999999; k += 1)",
        "for (k = 9223372036854775806; k < 9223372036854775807; k += 1)"}) {
    INFO(wide);
    CHECK(codeOf(wide).find("for (long long k = ") != std::string::npos);
    CHECK(run({"check", with(wide)}).exit == 0);
    CHECK(run({"measure", with(wide), "--emulate"}).out.find("on the emulator: right") != std::string::npos);
  }
  for (const char* beyond : {"for (k = 9223372036854775800; k < 9223372036854775807; k += 100)",
                             "for (k = 0; k < 4; k += 9223372036854775807)",
                             "for (k = -9223372036854775807; k < 9223372036854775807; k += 1)"}) {
    INFO(beyond);
    const Finished refused = run({"check", with(beyond)});
    CHECK(refused.exit == 2);
    CHECK(refused.err.find("the counter of this loop exceeds 64 bits") != std::string::npos);
    CHECK(run({"codegen", with(beyond)}).exit == 2);
  }
}

TEST_CASE("a program of thousands of specifications and loops has its memory") {
  const std::string folder = scratchFolder();
  std::string loops = kCopyRow.substr(0, kCopyRow.find("%o <- Move(%f)")), specs;
  for (int k = 0; k < 4000; ++k) {
    const std::string n = std::to_string(k);
    loops += "  for (k" + n + " = 0; k" + n + " < 2; k" + n + " += 1) { %o <- Move(%f) }\n";
    specs += "%a" + n + ":[32:1].fp32.GL %b" + n + ":[32:1].fp32.GL #g" + n + ":[1:1].block #t" + n +
             ":[32:1].thread\n%b" + n + " <- Move<<<#g" + n + ",#t" + n + ">>>(%a" + n + ") { @i = #t" + n +
             ".indices() %f=%a" + n + "[@i] %o=%b" + n + "[@i] %o <- Move(%f) }\n";
  }
  CHECK(
      run({"draw", inFolder(folder, "loops.graphene", loops + "}\n"), "--as", "tree", "-o", folder + "/x.svg"}).exit ==
      0);
  CHECK(run({"draw", inFolder(folder, "specs.graphene", specs), "--as", "tree", "-o", folder + "/x.svg"}).exit == 0);
  // The names of all variables were with every tensor, and these were 5 GB.
  struct rusage used {};
  REQUIRE(::getrusage(RUSAGE_CHILDREN, &used) == 0);
  CHECK(used.ru_maxrss < 2'000'000);  // KB, of the largest process so far
}

TEST_CASE("a program that is written to standard output stands before what is said of it") {
  const std::string folder = scratchFolder(), program = inFolder(folder, "copy.graphene", kCopyRow);
  const std::string code = run({"codegen", program}).out;
  REQUIRE(runWith(">" + folder + "/out.cu", {"codegen", program, "-o", "/dev/stdout"}).exit == 0);
  const std::string out = readText(folder + "/out.cu");
  CHECK(out.substr(0, code.size()) == code);
  CHECK(out.substr(code.size(), 9) == "move_out:");
}

TEST_CASE("draw --json answers what is wrong in JSON, with the exit code of the plain call") {
  const std::string folder = scratchFolder(), out = folder + "/x.svg";
  const std::string bogus = inFolder(folder, "bogus.graphene", "bogus\n"),
                    bad = inFolder(folder, "bad.hlo", "nothing\n");
  const std::string half = inFolder(folder, "half.hlo",
                                    "ENTRY e {\n  a = f32[4] parameter(0)\n  b = f32[4] negate(x)\n"
                                    "  ROOT d = f32[4] reverse(a), dimensions={0}\n}\n");
  for (std::vector<std::string> call :
       std::vector<std::vector<std::string>>{{"draw", "(8:1", "-o", out},
                                             {"draw", "", "-o", out},
                                             {"draw", folder + "/gone.tess", "-o", out},
                                             {"draw", bogus, "-o", out},
                                             {"draw", bad, "-o", out},
                                             {"draw", half, "-o", out},
                                             {"draw", half, "--instruction", "q", "-o", out},
                                             {"draw", "8:1", "--as", "nosuch", "-o", out},
                                             {"draw", "8:1", "--set", "a=1", "-o", out},
                                             {"draw", "8:1", "--instruction", "q", "-o", out},
                                             {"draw", "prove injective(8:0)", "-o", out},
                                             {"draw", "8:1", "-o", folder + "/no/x.svg"},
                                             {"draw", "8:1", "-o", "x.nothing"}}) {
    INFO(call[1] << " " << call[2] << " " << call[3]);
    const Finished plain = run(call);
    call.push_back("--json");
    const Finished json = run(call);
    CHECK(plain.exit != 0);
    CHECK_FALSE(plain.err.empty());
    CHECK(json.exit == plain.exit);
    CHECK(json.err.empty());
    const std::vector<Json> said = objectsIn(json.out);
    REQUIRE_FALSE(said.empty());
    CHECK((said[0]["ok"] == false || said[0]["verdict"] == "refuted"));
  }
}
