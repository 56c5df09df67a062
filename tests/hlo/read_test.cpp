// Modules as jax writes them (tests/cases/hlo, before and after XLA's optimizations), damaged modules, and the messages
// about them.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "core/hlo/compose/fusion.h"
#include "core/hlo/text/attributes.h"
#include "core/hlo/text/module.h"

using namespace tessera;
namespace fs = std::filesystem;

namespace {

std::vector<std::pair<std::string, std::string>> dumps() {
  std::vector<std::pair<std::string, std::string>> found;
  for (const auto& entry : fs::directory_iterator(TESSERA_SOURCE_DIR "/tests/cases/hlo")) {
    if (entry.path().extension() != ".hlo") continue;
    std::ifstream in(entry.path());
    std::stringstream text;
    text << in.rdbuf();
    found.emplace_back(entry.path().filename().string(), text.str());
  }
  std::sort(found.begin(), found.end());
  return found;
}

const hlo::Instruction& named(const hlo::Module& m, std::string_view name) {
  for (const hlo::Computation& c : m.computations)
    for (const hlo::Instruction& i : c.instructions)
      if (i.name == name) return i;
  FAIL("no " << name);
  throw 0;
}

std::string problems(const hlo::Module& m) {
  std::string out;
  for (const hlo::Problem& p : m.problems) out += std::to_string(p.line) + ": " + p.diag.message + "\n";
  return out;
}

}  // namespace

TEST_CASE("jax's dumps are read whole") {
  const auto all = dumps();
  REQUIRE(all.size() > 40);
  for (const auto& [file, text] : all) {
    INFO(file);
    const hlo::Module m = hlo::readModule(text);
    CHECK(problems(m) == "");
    REQUIRE(m.entry >= 0);
    CHECK(m.computations[static_cast<std::size_t>(m.entry)].entry);
    const std::string once = hlo::print(m);
    CHECK(hlo::print(hlo::readModule(once)) == once);
    // Lines with an `=` after a name are instructions: none is lost.
    std::size_t lines = 0, instructions = 0;
    std::stringstream in(text);
    for (std::string line; std::getline(in, line);)
      lines += line.rfind("  ", 0) == 0 && line.find(" = ") != std::string::npos;
    for (const hlo::Computation& c : m.computations) instructions += c.instructions.size();
    CHECK(instructions == lines);
  }
}

TEST_CASE("every instruction of the dumps has maps, or says why it has none") {
  int exact = 0, unknown = 0;
  for (const auto& [file, text] : dumps()) {
    const hlo::Module m = hlo::readModule(text);
    for (std::size_t c = 0; c < m.computations.size(); ++c)
      for (std::size_t i = 0; i < m.computations[c].instructions.size(); ++i) {
        const hlo::Instruction& instruction = m.computations[c].instructions[i];
        INFO(file << " " << instruction.name << " " << instruction.opcode);
        const auto reads = hlo::readsThrough(m, {static_cast<int>(c), static_cast<int>(i)});
        if (!reads) FAIL(reads.error().message);
        for (const hlo::Reach& r : *reads) {
          ++(r.soundness == hlo::Soundness::Exact ? exact : unknown);
          if (r.soundness != hlo::Soundness::Exact) CHECK(!r.why.empty());
        }
        for (std::size_t o = 0; o < instruction.operands.size(); ++o) {
          const auto uses = hlo::usesOf(m, {static_cast<int>(c), static_cast<int>(i)}, static_cast<int>(o));
          if (!uses) FAIL(uses.error().message);
        }
      }
  }
  CHECK(exact > 1500);
  CHECK(unknown > 0);
  CHECK(unknown * 5 < exact);
}

TEST_CASE("spellings of an instruction") {
  const hlo::Module m = hlo::readModule(R"(
HloModule m, is_scheduled=true, entry_computation_layout={(f32[2,3]{1,0})->f32[2,3]{1,0}}  // as printed
ENTRY %e (x: f32[2,3]) -> (f32[2,3], /*index=1*/ s32[]) {
  %x = f32[2,3]{1,0:T(8,128)} parameter(0), sharding={devices=[2,1]0,1}
  c = s32[] constant(-3), metadata={op_name="a \"b\" { c" source_file="/a/model.py" source_line=12}
  t.1 = f32[3,2] {0,1} transpose(f32[2,3]{1,0} %x), dimensions={1, 0}
  k = f32[2,2]{1,0} constant({ { 1, 2 }, /*i0=1*/ { 3,
    4 } })
  cc = f32[3,2] custom-call(t.1, /*index=1*/ c), custom_call_target="a, b) }", backend_config={"x":{"y":[1,2]},"z":"}"}
  ROOT r = (f32[2,3], s32[]) tuple(x, c), control-predecessors={%k, %cc}
}, execution_thread="main"
)");
  CHECK(problems(m) == "");
  CHECK(m.name == "m");
  REQUIRE(m.computations.size() == 1);
  const hlo::Computation& e = m.computations[0];
  CHECK(e.instructions.size() == 6);
  CHECK(e.root == 5);
  CHECK(named(m, "x").find("sharding")->value == "{devices=[2,1]0,1}");
  CHECK(named(m, "c").literal == "-3");
  CHECK(hlo::sourceOf(m, named(m, "c")) == "model.py:12");
  CHECK(m.shapeOf(named(m, "t.1")).layout().minorToMajor == std::vector<i64>{0, 1});
  CHECK(named(m, "cc").find("custom_call_target")->value == "\"a, b) }\"");
  CHECK(named(m, "cc").find("backend_config")->value == R"({"x":{"y":[1,2]},"z":"}"})");
  CHECK(named(m, "cc").operands == std::vector<int>{2, 1});
  CHECK(named(m, "r").find("control-predecessors")->value == "{%k, %cc}");
}

TEST_CASE("line ends mean nothing, and a mark of the encoding is passed by") {
  const hlo::Module m = hlo::readModule(
      "\xEF\xBB\xBFHloModule m, is_scheduled=true ENTRY %e (x: f32[2,3]) -> f32[3,2] { x = f32[2,3] parameter(0)\r\n"
      "  n = f32[2,3] negate(x), metadata={op_name=\"a\"} ROOT t = f32[3,2] transpose(n),\r\n dimensions={1,0} }\r\n");
  CHECK(problems(m) == "");
  CHECK(m.name == "m");
  REQUIRE(m.computations.size() == 1);
  CHECK(m.computations[0].instructions.size() == 3);
  CHECK(named(m, "t").root);
  CHECK(named(m, "t").find("dimensions")->value == "{1,0}");
  CHECK(named(m, "n").find("metadata")->value == "{op_name=\"a\"}");
  // A comma that is missing makes no instruction of an attribute.
  const hlo::Module comma = hlo::readModule("e {\n  a = f32[4] parameter(0) metadata={op_name=\"a\"}\n}");
  CHECK(problems(comma) == "2: extra text after the instruction\n");
}

TEST_CASE("dumps that leave something out") {
  const hlo::Module nameless = hlo::readModule(
      "HloModule , x=1\n\n{\n  tmp_0 = f32[4] parameter(0)\n  ROOT tmp_1 = f32[4] negate(tmp_0)\n}\n\n"
      "%(Arg_0: f32[4]) -> f32[4] {\n  ROOT %Arg_0 = f32[4] parameter(0)\n}\nENTRY {\n  ROOT tmp_0 = f32[] "
      "constant(0)\n}\n");
  CHECK(problems(nameless) == "");
  CHECK(nameless.computations.size() == 3);
  CHECK(nameless.entry == 2);
  const hlo::Module cut = hlo::readModule(
      "e {\n  a = f32[4] parameter(0)\n  c = f32[12] concatenate(f32[4] a, ...(+2)), dimensions={0}\n  n = f32[4] "
      "negate(a)\n}");
  CHECK(problems(cut) == "3: operands of concatenate are left out\n");
  CHECK(cut.problems[0].instruction == "c");
  CHECK(hlo::readsOf(cut, {0, 1}).ok());
  const hlo::Module brace = hlo::readModule(
      "f (p: f32[4]) -> f32[4] {\n  ROOT p = f32[4] parameter(0)\n\nENTRY e {\n  a = f32[4] parameter(0)\n"
      "  ROOT r = f32[4] fusion(a), kind=kLoop, calls=f\n}");
  CHECK(problems(brace) == "3: the computation f does not end\n");
  REQUIRE(brace.entry == 1);
  CHECK(hlo::readsThrough(brace, {1, 1}).ok());
}

TEST_CASE("a computation that is written where it is called") {
  const hlo::Module m = hlo::readModule(R"(HloModule m
ENTRY e {
  x = f32[4]{0} parameter(0)
  ROOT f = f32[4]{0} fusion(x), kind=kLoop, calls=
  {
    p = f32[4]{0} parameter(0)
    ROOT n = f32[4]{0} reverse(p), dimensions={0}
  }
})");
  CHECK(problems(m) == "");
  const auto reads = hlo::readsThrough(m, {m.entry, 1});
  REQUIRE(reads.ok());
  REQUIRE(reads->at(0).maps.size() == 1);
  CHECK(print(reads->at(0).maps[0]).find("3") != std::string::npos);
}

TEST_CASE("what is wrong is said with its line, and the rest stands") {
  const hlo::Module m = hlo::readModule(R"(HloModule m
ENTRY e {
  a = f32[4,8] parameter(0)
  b = f32[4,8] add(a, aa)
  c = f32[4,8 negate(a)
  d = q32[4,8] negate(a)
  f = f32[4,8] negate(a
  g = f32[8,4] transpose(a), dimensions={1,0}
  g = f32[8,4] negate(g)
  ROOT h = f32[4,8] negate(a)
)");
  REQUIRE(m.computations.size() == 1);
  const std::string text = problems(m);
  INFO(text);
  CHECK(text.find("4: there is no aa in e") != std::string::npos);
  CHECK(text.find("5: there is no shape after the `=`") != std::string::npos);
  CHECK(text.find("6: ") != std::string::npos);
  CHECK(text.find("7: the bracket of negate is not closed") != std::string::npos);
  CHECK(text.find("9: there are two instructions g in e") != std::string::npos);
  CHECK(text.find("the computation e does not end") != std::string::npos);
  CHECK(named(m, "g").opcode == "transpose");
  CHECK(named(m, "h").root);
}

TEST_CASE("an instruction that contradicts itself is named, with what was expected") {
  const auto complaint = [](const std::string& line) {
    const hlo::Module m = hlo::readModule(
        "ENTRY e {\n  a = f32[4,8] parameter(0)\n  s = f32[] constant(0)\n  ROOT r = " + line + "\n}\n");
    INFO(line << "\n" << problems(m));
    REQUIRE(m.problems.empty());
    const auto reads = hlo::readsOf(m, {0, 2});
    REQUIRE(!reads.ok());
    CHECK(reads.error().message.rfind("r: ", 0) == 0);
    CHECK(!reads.error().expected.empty());
    CHECK(m.lineAt(reads.error().span.begin) == 4);
    return reads.error().message + " | " + reads.error().expected;
  };
  CHECK(complaint("f32[4,8] transpose(a), dimensions={1,0}") ==
        "r: the result is [4,8] | [8,4], by the operation's definition");
  CHECK(complaint("f32[8,4] transpose(a), dimensions={1,1}").find("different dimensions") != std::string::npos);
  CHECK(complaint("f32[8,4] transpose(a)").find("no dimensions") != std::string::npos);
  CHECK(complaint("f32[4,9] add(a, a)").find("[4,9]") != std::string::npos);
  CHECK(complaint("f32[5,8] reshape(a)").find("32 elements") != std::string::npos);
  CHECK(complaint("f32[4] reduce(a, s), dimensions={2}").find("rank 2") != std::string::npos);
  CHECK(complaint("f32[4] slice(a), slice={[0:4]}").find("1 ranges") != std::string::npos);
  CHECK(complaint("f32[4,8] slice(a), slice={[0:4],[0:9]}").find("[0:9:1]") != std::string::npos);
  CHECK(complaint("f32[4,8] pad(a, s), padding=1_0x0_0").find("[4,8]") != std::string::npos);
  CHECK(complaint("f32[4,4] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}").find("do not agree") !=
        std::string::npos);
  CHECK(complaint("f32[4,8] reduce-window(a, s), window={size=2x2}").find("[3,7]") != std::string::npos);
  CHECK(complaint("f32[4,8] reduce-window(a, s), window={size=0x2}").find("cannot be read") != std::string::npos);
  CHECK(complaint("f32[4,8] convolution(a, a), dim_labels=bf_io->b").find("cannot be read") != std::string::npos);
  CHECK(complaint("f32[9,8] concatenate(a, a), dimensions={0}").find("[9,8]") != std::string::npos);
}

TEST_CASE("damaged modules never stop the reader") {
  std::mt19937_64 rng(5);
  int survivors = 0;
  for (const auto& [file, text] : dumps()) {
    for (int n = 0; n < 12; ++n) {
      std::string damaged = text.substr(0, 6000);
      for (int k = 0; k < 8 && !damaged.empty(); ++k) {
        const std::size_t at = rng() % damaged.size();
        switch (rng() % 4) {
          case 0:
            damaged.erase(at, 1 + rng() % 20);
            break;
          case 1:
            damaged.insert(at, std::string(1, "(){}[]\",%=/*\\\n"[rng() % 14]));
            break;
          case 2:
            damaged[at] = static_cast<char>(rng() % 256);
            break;
          default:
            damaged.insert(at, damaged.substr(rng() % damaged.size(), 30));
        }
      }
      const hlo::Module m = hlo::readModule(damaged);
      for (const hlo::Problem& p : m.problems) {
        CHECK(p.diag.span.end <= damaged.size());
        CHECK(p.line >= 1);
      }
      for (std::size_t c = 0; c < m.computations.size(); ++c)
        for (std::size_t i = 0; i < m.computations[c].instructions.size(); ++i) {
          const hlo::Where where{static_cast<int>(c), static_cast<int>(i)};
          survivors += hlo::readsThrough(m, where).ok();
          for (std::size_t o = 0; o < m.computations[c].instructions[i].operands.size(); ++o)
            (void)hlo::usesOf(m, where, static_cast<int>(o));
        }
      (void)hlo::print(m);
    }
  }
  CHECK(survivors > 1000);
}

TEST_CASE("brackets that never close take linear time") {
  std::string text = "ENTRY e {\n";
  for (int k = 0; k < 200'000; ++k) text += "  a = f32[4] add((((\n";
  const hlo::Module m = hlo::readModule(text);
  CHECK(m.problems.size() == 1000);
  std::string heads = "ENTRY e {\n";  // each may be the head of another computation, or an instruction after one
  for (int k = 0; k < 100'000; ++k) heads += "  a (((\n  b = f32[] constant(0) c = (((\n";
  CHECK(hlo::readModule(heads).problems.size() == 1000);
}

TEST_CASE("a computation that needs itself is refused") {
  const hlo::Module m = hlo::readModule(
      "f {\n  a = f32[4] negate(b)\n  ROOT b = f32[4] negate(a)\n}\ng {\n  p = f32[4] parameter(0)\n"
      "  ROOT c = f32[4] call(p), to_apply=g\n}\n");
  REQUIRE(m.problems.size() == 1);
  CHECK(m.problems[0].instruction == "a");
  CHECK(m.problems[0].line == 2);
  CHECK(m.problems[0].diag.message == "a depends on itself");
  CHECK(m.problems[0].diag.hint == "it reads b, which depends on it");
  const auto circle = hlo::reachedIn(m, 0);
  REQUIRE(!circle.ok());
  CHECK(circle.error().message.find("depends on itself") != std::string::npos);
  const auto endless = hlo::reachedIn(m, 1);
  REQUIRE(!endless.ok());
  CHECK(endless.error().message.find("call one another") != std::string::npos);
}

TEST_CASE("names may stand before their instructions, in any number") {
  std::string text = "ENTRY e {\n  ROOT x0 = f32[4] negate(x1)\n";
  for (int k = 1; k < 50'000; ++k) text += fmt::format("  x{} = f32[4] negate(x{})\n", k, k + 1);
  const hlo::Module open = hlo::readModule(text + "  x50000 = f32[4] parameter(0)\n}\n");
  CHECK(problems(open) == "");
  // All others follow the cycle of the last two: they are not on it.
  const hlo::Module closed =
      hlo::readModule(text + "  x50000 = f32[4] negate(y)\n  y = f32[4] add(z, x50000)\n  z = f32[4] iota()\n}\n");
  REQUIRE(closed.problems.size() == 1);
  const std::string name(closed.problems[0].instruction);
  CHECK((name == "x50000" || name == "y"));
}

TEST_CASE("attributes") {
  CHECK(*hlo::numbers("{1, 0}") == std::vector<i64>{1, 0});
  CHECK(*hlo::numbers("{}") == std::vector<i64>{});
  CHECK(!hlo::numbers("{1,a}").ok());
  CHECK(!hlo::numbers("{1,99999999999999999999}").ok());
  CHECK(hlo::paddings("-1_2x0_0_3")->at(1).interior == 3);
  CHECK(hlo::paddings("-1_2x0_0_3")->at(0).low == -1);
  CHECK(!hlo::paddings("1_2_3_4").ok());
  const auto w = hlo::windowOf("{size=3x2 stride=2x1 pad=0_1x-1_0 rhs_reversal=1x0}");
  REQUIRE(w.ok());
  CHECK(w->at(0).stride == 2);
  CHECK(w->at(0).reversed);
  CHECK(w->at(1).low == -1);
  CHECK(!hlo::windowOf("{size=3x2 stride=2}").ok());
  CHECK(hlo::dimLabelsOf("b01f_01io->b01f")->spatial == std::vector<i64>{1, 2});
  CHECK(!hlo::dimLabelsOf("b0f_0io->b01f").ok());
  CHECK(hlo::slices("{[0:4:2], [1:3]}")->at(0).stride == 2);
}

TEST_CASE("a blank may stand between a type and its dimensions") {
  const hlo::Module m = hlo::readModule(
      "ENTRY e {\n  p = s32 [5696,10,4] parameter(0)\n  ROOT n = s32 [5696,10,4]{2,1,0} negate(s32 [5696,10,4] p)\n}");
  CHECK(m.problems.empty());
  REQUIRE(m.computations.size() == 1);
  REQUIRE(m.computations[0].instructions.size() == 2);
  CHECK(m.shapeOf(m.computations[0].instructions[1]).sizes() == std::vector<i64>{5696, 10, 4});
}
