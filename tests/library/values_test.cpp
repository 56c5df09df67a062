// compute, apply and inverse against the language's own answers; runs of kernels and the waste of modules against the
// program's.
#include <tessera/tessera.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/library/output_of.h"

namespace ts = tessera::api;

namespace {

using Terms = std::vector<ts::Term>;

ts::Layout read(const std::string& text) { return ts::layout(text).value(); }
std::vector<ts::Term> tuple(std::initializer_list<ts::Term> terms) { return {terms}; }

std::string fileOf(const std::string& path) {
  std::ifstream in(std::string(TESSERA_SOURCE_DIR) + "/" + path);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

struct Case {
  std::string function, text;  // of the call, over the names A and B
  Terms terms;
};

}  // namespace

TEST_CASE("compute gives layouts, numbers, truths and texts") {
  const ts::Names names = {{"A", read("(4,8):(8,1)")}};
  CHECK(ts::compute("A", names)->layout->text() == "(4,8):(8,1)");
  CHECK(ts::compute("cosize(A) + 1", names)->number == 33);
  CHECK(ts::compute("size(A) == 32", names)->kind == "bool");
  CHECK(ts::compute("size(A) == 32", names)->number == 1);
  CHECK(ts::compute("shape(A)", names)->text == "(4,8)");
  CHECK(ts::compute("shape(A)", names)->kind == "tuple");
  CHECK(ts::compute("shape(A", names).error().line == 1);
  CHECK_FALSE(ts::compute("A = 5").ok());
  CHECK_FALSE(ts::compute("").ok());
}

TEST_CASE("apply is the call that the language reads") {
  const ts::Layout a = read("(16,32):(32,1)"), b = read("(4,3):(3,1)"), sw = read("Sw<2,0,3> o (8,8):(8,1)");
  const std::vector<Case> cases = {
      {"composition", "composition(A, 32:4)", {a, read("32:4")}},
      {"composition", "composition(A, B)", {a, b}},
      {"composition", "composition(A, <4:1,8:2>)", {a, tuple({read("4:1"), read("8:2")})}},
      {"composition", "composition(A, <4,_>)", {a, tuple({std::int64_t{4}, ts::Term::written("_")})}},
      {"logical_divide", "logical_divide(A, (4,8))", {a, tuple({std::int64_t{4}, std::int64_t{8}})}},
      {"logical_divide", "logical_divide(A, <4:1,8:1>)", {a, ts::Term::written("<4:1,8:1>")}},
      {"zipped_divide",
       "zipped_divide(A, (4,(2,4)))",
       {a, tuple({std::int64_t{4}, tuple({std::int64_t{2}, std::int64_t{4}})})}},
      {"complement", "complement(B, 24)", {b, std::int64_t{24}}},
      {"coalesce", "coalesce(S)", {sw}},
      {"right_inverse", "right_inverse(A)", {a}},
      {"size", "size(A)", {a}},
      {"shape", "shape(B)", {b}},
      {"make_layout",
       "make_layout((4,(2,2)), (8,(1,4)))",
       {tuple({std::int64_t{4}, tuple({std::int64_t{2}, std::int64_t{2}})}),
        tuple({std::int64_t{8}, tuple({std::int64_t{1}, std::int64_t{4}})})}},
      {"to_axe", "to_axe(A)", {a}},
      {"compatible",
       "compatible((4,8), ((2,2),8))",
       {tuple({std::int64_t{4}, std::int64_t{8}}),
        tuple({tuple({std::int64_t{2}, std::int64_t{2}}), std::int64_t{8}})}},
      {"element_bits", "element_bits(fp16)", {ts::Term::written("fp16")}},
      // Refused
      {"composition", "composition(A)", {a}},
      {"complement", "complement(B, 1, 2, 3)", {b, std::int64_t{1}, std::int64_t{2}, std::int64_t{3}}},
      {"no_such_function", "no_such_function(A)", {a}},
      {"composition", "composition(B, (6,2):(1,7))", {b, read("(6,2):(1,7)")}},
      {"injective", "injective(A)", {a}},
  };
  int values = 0;
  for (const Case& c : cases) {
    INFO(c.text);
    const auto direct = ts::apply(c.function, c.terms);
    const auto readAsText = ts::compute(c.text, {{"A", a}, {"B", b}, {"S", sw}});
    REQUIRE(direct.ok() == readAsText.ok());
    if (!direct) {
      CHECK_FALSE(direct.error().message.empty());
      CHECK(direct.error().line == 0);  // the caller wrote no text
      continue;
    }
    ++values;
    CHECK(direct->kind == readAsText->kind);
    CHECK(direct->text == readAsText->text);
    CHECK(direct->number == readAsText->number);
    REQUIRE(direct->layout.has_value() == readAsText->layout.has_value());
    if (direct->layout) CHECK(direct->layout->text() == readAsText->layout->text());
  }
  CHECK(values >= 14);
}

TEST_CASE("arguments without end are refused") {
  ts::Term deep(std::int64_t{1});
  for (int k = 0; k < 300; ++k) deep = ts::Term(std::vector<ts::Term>{deep});
  CHECK_FALSE(ts::apply("size", {deep}).ok());
  CHECK_FALSE(ts::apply("size", {}).ok());
  CHECK_FALSE(ts::apply("", {read("4:1")}).ok());
  CHECK(ts::apply("size", {ts::Term(std::vector<ts::Term>{})}).ok() == ts::compute("size(())").ok());
  CHECK_FALSE(ts::apply("size(4:1) + size", {read("4:1")}).ok());  // a name, not a text
  CHECK_FALSE(ts::apply("size", {ts::Term(std::vector<ts::Term>(5000, ts::Term(std::int64_t{2})))}).ok());
}

TEST_CASE("an inverse goes back to the coordinate") {
  for (const char* text :
       {"(4,8):(8,1)", "Sw<2,0,3> o (8,8):(8,1)", "f32[4,8]{0,1}", "S[(8,4):(4@lane,1@reg)]", "((2,2),8):((1,16),2)"}) {
    INFO(text);
    const ts::Layout layout = read(text);
    const auto inverse = layout.inverse();
    REQUIRE(inverse);
    for (std::int64_t i = 0; i < *layout.size(); ++i) {
      const ts::Numbers place = layout.at({i}).value();
      const auto back = inverse->at(place);
      REQUIRE(back);
      CHECK(layout.at(*back).value() == place);
      CHECK(layout.backward(place)->front() == *back);
    }
  }
  CHECK_FALSE(read("(2,2):(1,1)").inverse()->at({1}).ok());  // two coordinates
  CHECK_FALSE(read("Sw<3,3,3>").inverse().ok());
}

TEST_CASE("facts that are found when they are asked for are the same in all threads") {
  for (int round = 0; round < 50; ++round) {
    const ts::Layout layout = read("Sw<3,3,3> o (64,64):(64,1)");
    std::vector<std::string> texts(4);
    std::vector<std::int64_t> places(4), sizes(4);
    std::vector<std::thread> threads;
    for (std::size_t k = 0; k < 4; ++k)
      threads.emplace_back([&, k] {
        texts[k] = layout.text();
        places[k] = layout.at({3, 5}).value()[0];
        sizes[k] = *layout.size();
      });
    for (std::thread& t : threads) t.join();
    for (std::size_t k = 0; k < 4; ++k) {
      CHECK(texts[k] == "Sw<3,3,3> o 0 o (64,64):(64,1)");
      CHECK(places[k] == 221);
      CHECK(sizes[k] == 4096);
    }
  }
}

TEST_CASE("a run of a kernel is that of tessera kernel") {
  const std::string path = std::string(TESSERA_SOURCE_DIR) + "/assets/kernels/reduce.ptx";
  for (const char* entry : {"reduce_race", "reduce_warp"}) {
    INFO(entry);
    ts::Launch launch;
    launch.entry = entry;
    launch.grid = {2};
    launch.block = {256};
    const auto run = ts::runKernel(fileOf("assets/kernels/reduce.ptx"), launch);
    REQUIRE(run);
    // The command finds the sources beside the file; without them lines are those of the PTX.
    const std::string printed =
        outputOf("kernel - --json --entry " + std::string(entry) + " --grid 2 --block 256 <" + path);
    CHECK(run->entry == entry);
    CHECK(printed.find("\"verdict\":\"" + run->verdict + "\"") != std::string::npos);
    CHECK(run->passed == (run->verdict == "clean" || run->verdict == "benign"));
    for (const ts::RunFinding& f : run->findings) {
      CHECK(printed.find(f.message) != std::string::npos);
      CHECK(run->text.find(f.message) != std::string::npos);
    }
    for (const ts::RunAccess& a : run->accesses) {
      CHECK(a.cost.wavefronts >= a.cost.ideal);
      CHECK(a.cost.sectors >= a.cost.idealSectors);
      CHECK(printed.find("\"ptx_line\":" + std::to_string(a.ptxLine)) != std::string::npos);
    }
  }
}

TEST_CASE("arrays in memory are arguments, and buffers come back") {
  const std::string ptx =
      ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry twice(.param .u64 a, .param .f32 s) {\n"
      ".reg .b64 %rd<4>; .reg .b32 %r<3>; .reg .f32 %f<4>;\n"
      "ld.param.u64 %rd1, [a]; ld.param.f32 %f3, [s]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;\n"
      "add.s64 %rd3, %rd1, %rd2; ld.global.f32 %f1, [%rd3]; mul.f32 %f2, %f1, %f3; st.global.f32 [%rd3], %f2; ret; }\n";
  std::vector<float> values(64);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<float>(k) / 4;
  ts::Launch launch;
  launch.block = {64};
  launch.arguments = {{"A", "<f4", {8, 8}, values.data()}, {"2.5", "", {}, nullptr}};
  const auto run = ts::runKernel(ptx, launch);
  REQUIRE(run);
  CHECK(run->passed);
  CHECK(values[5] == 1.25F);  // the caller's array is only read
  REQUIRE(run->buffers.size() == 2);
  CHECK(run->buffers[0].name == "A");
  CHECK(run->buffers[0].shape == ts::Numbers{8, 8});
  CHECK(run->buffers[1].type.empty());
  REQUIRE(run->buffers[0].bytes.size() == 256);
  for (std::size_t k = 0; k < values.size(); ++k) {
    float after = 0;
    std::memcpy(&after, run->buffers[0].bytes.data() + 4 * k, 4);
    CHECK(after == values[k] * 2.5F);
  }
  launch.reference = "A = A * 2.5";
  launch.prove = true;
  CHECK(ts::runKernel(ptx, launch)->passed);
  launch.reference = "A = A + 2.5";
  launch.prove = false;
  CHECK(ts::runKernel(ptx, launch)->verdict == "wrong");
}

TEST_CASE("faulty launches are refused, and no message has an option of the command line") {
  const std::string ptx = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 a) { ret; }\n";
  const float one = 1;
  std::vector<ts::Launch> faulty(9);
  faulty[0].entry = "other";
  faulty[1].grid = {0};
  faulty[2].block = {5000};
  faulty[3].shared = -1;
  faulty[4].steps = 0;
  faulty[5].arguments = {{"", "<q9", {1}, &one}};
  faulty[6].arguments = {{"", "<f4", {-1}, &one}};
  faulty[7].arguments = {{"", "<f4", {std::int64_t{1} << 40, std::int64_t{1} << 40}, &one}};
  faulty[8].prove = true;
  for (const ts::Launch& launch : faulty) {
    const auto run = ts::runKernel(ptx, launch);
    REQUIRE_FALSE(run);
    CHECK_FALSE(run.error().message.empty());
    CHECK(run.error().marked().find("--") == std::string::npos);
  }
  ts::Launch hidden;
  hidden.arguments = {{std::string("@\0array 7", 9), "", {}, nullptr}};
  CHECK_FALSE(ts::runKernel(ptx, hidden).ok());
  std::mt19937 random(7);
  const std::string seed = fileOf("assets/kernels/reduce.ptx").substr(0, 4000);
  for (int round = 0; round < 60; ++round) {
    std::string text = seed;
    for (int k = 0; k < 4; ++k) text[random() % text.size()] = static_cast<char>(random() % 128);
    ts::Launch launch;
    launch.entry = "reduce";
    launch.steps = 100000;
    const auto run = ts::runKernel(text, launch);
    CHECK((run.ok() || !run.error().message.empty()));
  }
}

TEST_CASE("a raised flag ends a run") {
  const std::string spin =
      ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry spin() { .reg .pred %p<2>; .reg .b32 %r<2>;\n"
      "mov.u32 %r1, 0;\nagain: add.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra again; ret; }\n";
  const ts::CancelFlag flag;
  flag.raise();
  ts::Options options;
  options.cancel = &flag;
  ts::Launch launch;
  launch.block = {32};
  launch.steps = std::int64_t{1} << 50;
  const auto run = ts::runKernel(spin, launch, options);
  CHECK((!run.ok() || run->verdict == "unknown"));
}

TEST_CASE("the waste of a module is that of tessera hlo --worst") {
  const std::string text =
      "HloModule m\nENTRY main {\n  x = f32[64,64]{1,0} parameter(0)\n"
      "  t = f32[64,64]{1,0} transpose(x), dimensions={1,0}\n  ROOT r = f32[64,64]{1,0} add(x, t)\n}\n";
  const auto module = ts::readModule(text);
  REQUIRE(module);
  const auto waste = module->waste();
  REQUIRE(waste);
  REQUIRE(waste->size() == 2);
  std::string all, json;
  for (const ts::Waste& w : *waste) {
    CHECK(w.wasted == std::max<std::int64_t>(0, w.asked - w.needed));
    CHECK(w.needed > 0);
    all += w.text + "\n";
    json += w.json + "\n";
  }
  CHECK((*waste)[0].wasted >= (*waste)[1].wasted);
  const std::string path = std::string(TESSERA_BINARY) + ".waste.hlo";
  std::ofstream(path) << text;
  CHECK(outputOf("hlo " + path + " --worst") == all);
  CHECK(outputOf("hlo " + path + " --worst --json") == json);
}
