// The library's proofs, worksheets, pictures, kernels and modules against the program's own answers.
#include <tessera/tessera.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "app/engine/engine.h"
#include "core/graphene/program.h"
#include "solver/graphene/check.h"
#include "tests/library/output_of.h"
#include "tests/support/run_document.h"

namespace ts = tessera::api;

namespace {

std::string fileText(const std::string& name) {
  std::ifstream in(std::string(TESSERA_SOURCE_DIR) + "/" + name);
  std::stringstream text;
  text << in.rdbuf();
  REQUIRE(in);
  return text.str();
}

// Without what a clock says.
std::string timeless(const std::string& text) {
  return std::regex_replace(text, std::regex(R"re("ms":[-+.e0-9]+|[0-9.]+ ms)re"), "T");
}

// What the program prints for words of a command line.
std::vector<std::string> linesOf(const std::string& words) {
  std::vector<std::string> lines;
  std::stringstream in(outputOf(words));
  for (std::string line; std::getline(in, line);) lines.push_back(timeless(line));
  return lines;
}

const std::string kSheet =
    "A = (64,64):(64,1)\n"
    "S = Sw<3,3,3> o A\n"
    "size(A)\n"
    "prove injective(S)\n"
    "prove equal(A, S)\n"
    "prove conflict_free(A, ldmatrix.x4, fp16)\n"
    "assert size(S) == 4096\n"
    "find swizzle for A where conflict_free(ldmatrix.x4, fp16)\n"
    "composition(A, X)\n"
    "(8,4):(4,1,2)\n"
    "show S as grid\n"
    "to_axe(A)\n"
    "wavefronts([0, 4, 8], 4)\n"
    "atlas(mma.m16n8k16)\n"
    "true\n";

const std::string kModule =
    "HloModule jit_f\n"
    "%fused (p: f32[8,4]) -> f32[4,8] {\n"
    "  %p = f32[8,4]{1,0} parameter(0)\n"
    "  ROOT %t = f32[4,8]{1,0} transpose(%p), dimensions={1,0}\n"
    "}\n"
    "ENTRY %main (x: f32[8,4]) -> f32[4] {\n"
    "  %x = f32[8,4]{1,0} parameter(0)\n"
    "  %f = f32[4,8]{1,0} fusion(%x), kind=kLoop, calls=%fused\n"
    "  %zero = f32[] constant(0)\n"
    "  ROOT %r = f32[4]{0} reduce(%f, %zero), dimensions={1}, to_apply=%add\n"
    "}\n";

}  // namespace

TEST_CASE("a worksheet answers as tessera eval --json prints") {
  const auto answers = ts::run(kSheet);
  REQUIRE(answers);
  const std::vector<std::string> lines = linesOf("eval --json '" + kSheet + "'");
  REQUIRE(answers->size() == lines.size());
  for (std::size_t k = 0; k < lines.size(); ++k) {
    INFO((*answers)[k].statement());
    CHECK(timeless((*answers)[k].json()) == lines[k]);
  }
}

TEST_CASE("an answer says what its statement came to") {
  const auto answers = ts::run(kSheet).value();
  REQUIRE(answers.size() == 15);
  CHECK(answers[0].name() == "A");
  CHECK(answers[0].kind() == "layout");
  CHECK(answers[0].layout()->text() == "(64,64):(64,1)");
  CHECK(answers[2].number() == 4096);
  CHECK(answers[3].kind() == "verdict");
  CHECK(answers[3].holds());
  CHECK(answers[3].verdict()->proved());
  CHECK_FALSE(answers[4].holds());
  CHECK(answers[4].verdict()->refuted());
  CHECK_FALSE(answers[4].verdict()->counterexample->text.empty());
  CHECK(answers[6].holds());
  CHECK(answers[7].kind() == "search");
  CHECK(answers[8].kind() == "error");
  CHECK_FALSE(answers[8].holds());
  CHECK(answers[9].error()->line == 10);
  CHECK(answers[9].error()->column == 7);
  CHECK(answers[10].line() == 11);
  CHECK(answers[14].number() == 1);
}

TEST_CASE("names of a worksheet stay, and a copy has its own") {
  ts::Worksheet sheet;
  CHECK(sheet.run("A = (4,8):(8,1)")->front().holds());
  ts::Worksheet copy = sheet;
  CHECK(copy.run("A = 5")->front().number() == 5);
  CHECK(sheet.run("size(A)")->front().number() == 32);
  sheet.bind("B", ts::layout("8:2").value());
  CHECK(sheet.run("B(3)")->front().number() == 6);
  CHECK(ts::run("")->empty());
}

TEST_CASE("a verdict is the engine's, method and reason included") {
  const ts::Layout tile = ts::layout("(64,64):(64,1)").value(),
                   swizzled = ts::layout("Sw<3,3,3> o (64,64):(64,1)").value();
  for (const std::string claim :
       {"injective(A)", "bijective(S)", "equal(A, S)", "equal(A, A)", "surjective(A, 5000)", "not injective(A)",
        "conflict_free(A, ldmatrix.x4, fp16)", "conflict_free(S, ldmatrix.x4, fp16)", "injective(S) by f2",
        "vectorizes(S, 16, fp16)", "in_bounds(A, 100)"}) {
    INFO(claim);
    const auto verdict = ts::prove(claim, {{"A", tile}, {"S", swizzled}});
    REQUIRE(verdict);
    const auto outcomes = tessera::runDocument("A = (64,64):(64,1)\nS = Sw<3,3,3> o A\nprove " + claim, {});
    REQUIRE(outcomes.back().verdict);
    const tessera::Verdict& own = *outcomes.back().verdict;
    CHECK(verdict->proved() == (own.truth == tessera::Truth::Proved));
    CHECK(verdict->refuted() == (own.truth == tessera::Truth::Refuted));
    CHECK(verdict->method == own.method);
    CHECK(verdict->reason == own.detail);
    CHECK(verdict->claim == own.claim);
    CHECK(verdict->counterexample.has_value() == own.counterexample.has_value());
    if (own.counterexample) CHECK(verdict->counterexample->text == own.counterexample->text);
  }
  CHECK(ts::injective(swizzled)->proved());
  CHECK(ts::bijective(swizzled)->proved());
  CHECK(ts::equal(tile, swizzled)->refuted());
  CHECK(ts::equal(ts::layout("(4,8):(8,1)").value(), ts::layout("f32[4,8]{1,0}").value())->proved());
  CHECK(ts::conflictFree(swizzled, "ldmatrix.x4", "fp16")->proved());
  CHECK(ts::conflictFree(tile, "ldmatrix.x4", "fp16")->refuted());
  CHECK(ts::injective(ts::layout("(4,2):(1,2)").value())->text().starts_with("refuted  injective(L)"));
}

TEST_CASE("what is no claim is refused with its place") {
  const auto wrong = ts::prove("injective(A) ; injective(A)");
  CHECK_FALSE(wrong);
  const auto unnamed = ts::prove("injective(Q)");
  REQUIRE_FALSE(unnamed);
  CHECK(unnamed.error().begin == 10);
  CHECK(unnamed.error().end == 11);
  for (const char* text : {"", "size((4,8))", "injective(", "injective()", "not", "\xff"}) {
    INFO(text);
    CHECK_FALSE(ts::prove(text).ok());
  }
  const ts::Layout tile = ts::layout("(64,64):(64,1)").value();
  CHECK_FALSE(ts::conflictFree(tile, "ldmatrix.x5", "fp16").ok());
  CHECK_FALSE(ts::conflictFree(tile, "ldmatrix.x4", "fp17").ok());
}

TEST_CASE("pictures") {
  const ts::Layout tile = ts::layout("(4,8):(8,1)").value();
  const auto svg = ts::draw(tile);
  REQUIRE(svg);
  CHECK(svg->find("<svg") != std::string::npos);
  ts::Picture text;
  text.format = "txt";
  CHECK(ts::draw(tile, text)->find("31") != std::string::npos);
  text.view = "no such view";
  CHECK_FALSE(ts::draw(tile, text).ok());
  text.view = "";
  text.format = "bmp";
  CHECK_FALSE(ts::draw(tile, text).ok());
  const std::vector<std::string> views = ts::viewsOf(tile);
  CHECK(std::count(views.begin(), views.end(), "grid") == 1);
  for (const std::string& view : views) {
    ts::Picture picture;
    picture.view = view;
    INFO(view);
    if (const auto bytes = ts::draw(tile, picture); !bytes) CHECK_FALSE(bytes.error().message.empty());
  }
  CHECK(ts::draw("A = (4,8):(8,1)\nshow A as memory")->find("<svg") != std::string::npos);
  CHECK(ts::draw("prove injective((4,2):(1,2))").ok());
  ts::Picture page;
  page.format = "html";
  CHECK(ts::draw(tile, page)->starts_with("<!DOCTYPE html>"));
  const auto sheet = ts::draw("// # Title\nA = (4,2):(1,2)\nprove injective(A)\nshow A\nsize(Q)", page);
  for (const char* piece : {"<title>Title</title>", "refuted</b>", "<figure ", "error</b>"})
    CHECK(sheet->find(piece) != std::string::npos);
  CHECK_FALSE(ts::draw("").ok());
  CHECK_FALSE(ts::draw("show Q").ok());
}

TEST_CASE("a kernel's report is the checker's") {
  const std::string text = fileText("assets/graphene/transpose_swizzled.graphene");
  const auto report = ts::checkKernel(text);
  REQUIRE(report);
  CHECK(report->holds);
  std::vector<std::string> lines;
  for (const ts::Specification& spec : report->specifications) lines.push_back(timeless(spec.json));
  std::vector<std::string> own =
      linesOf("check --json " + std::string(TESSERA_SOURCE_DIR) + "/assets/graphene/transpose_swizzled.graphene");
  own.pop_back();  // the summary
  REQUIRE(lines.size() == own.size());
  REQUIRE(lines.size() == report->specifications.size());
  const std::regex file(R"re("file":"[^"]*",)re");
  for (std::size_t k = 0; k < own.size(); ++k) CHECK(lines[k] == std::regex_replace(own[k], file, ""));

  std::string racing = text;
  racing.erase(racing.find("  sync\n"), 7);
  const auto wrong = ts::checkKernel(racing);
  REQUIRE(wrong);
  CHECK_FALSE(wrong->holds);
  bool races = false;
  for (const ts::Specification& s : wrong->specifications)
    for (const ts::Obligation& o : s.obligations)
      races = races || (o.name == "races" && o.standing == "refuted" && o.findingLine > 0 && !o.finding.empty());
  CHECK(races);
  CHECK_FALSE(ts::checkKernel("")->holds);
  CHECK_FALSE(ts::checkKernel("%a").ok());
  ts::KernelOptions options;
  options.architecture = "vax";
  CHECK_FALSE(ts::checkKernel(text, options).ok());
}

TEST_CASE("a module's maps are those of tessera hlo --json") {
  const auto module = ts::readModule(kModule);
  REQUIRE(module);
  CHECK(module->name() == "jit_f");
  REQUIRE(module->instructions().size() == 6);
  CHECK(module->instructions()[1].opcode == "transpose");
  CHECK(module->instructions()[1].shape == "f32[4,8]{1,0}");
  CHECK(module->instructions()[1].line == 4);
  std::vector<std::string> lines;
  for (const ts::Error& problem : module->problems()) CHECK(problem.line > 0);
  for (std::size_t k = 0; k < module->instructions().size(); ++k) {
    const auto reaches = module->reaches(k);
    if (!reaches) continue;
    for (const ts::Reach& r : *reaches) lines.push_back(timeless(r.json));
  }
  const std::string file = (std::filesystem::temp_directory_path() / "tessera_front_door.hlo").string();
  std::ofstream(file) << kModule;
  std::vector<std::string> own;
  for (const std::string& line : linesOf("hlo --json " + file))
    if (line.find("\"direction\"") != std::string::npos && line.find("\"error\"") == std::string::npos)
      own.push_back(line);
  CHECK(lines == own);
  CHECK_FALSE(module->reaches(6).ok());
  CHECK_FALSE(ts::readModule("").ok());
}

TEST_CASE("calls of several threads give the answers of one") {
  const std::string once = timeless(ts::run(kSheet)->at(5).json());
  std::vector<std::string> found(4);
  std::vector<std::thread> threads;
  for (std::string& mine : found) threads.emplace_back([&mine] { mine = timeless(ts::run(kSheet)->at(5).json()); });
  for (std::thread& t : threads) t.join();
  for (const std::string& one : found) CHECK(one == once);
}

TEST_CASE("a raised flag ends a worksheet and a proof") {
  const ts::CancelFlag flag;
  flag.raise();
  ts::Options stopped;
  stopped.cancel = &flag;
  CHECK(ts::run(kSheet, stopped).error().message == "cancelled");
  const auto verdict = ts::prove("injective((64,64):(64,1))", {}, stopped);
  CHECK((!verdict.ok() || verdict->truth == ts::Truth::Unknown));
}

TEST_CASE("damaged worksheets, kernels and modules are answered, and nothing is thrown") {
  const std::string kernel = fileText("assets/graphene/transpose_swizzled.graphene");
  std::mt19937 random(2);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  ts::Options few;
  few.seconds = 0.02;
  ts::KernelOptions fewOfKernel;
  fewOfKernel.work = few;
  for (int round = 0; round < 300; ++round) {
    const std::size_t which = below(3);
    std::string text = which == 0 ? kSheet : which == 1 ? kernel : kModule;
    for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
      const std::size_t at = below(text.size());
      if (below(2) == 0)
        text.erase(at, 1 + below(10));
      else
        text.insert(at, text.substr(below(text.size()), below(12)));
    }
    INFO("seed 2, round " << round << ":\n" << text);
    if (which == 0) {
      const auto answers = ts::run(text, few);
      REQUIRE(answers);
      for (const ts::Answer& a : *answers) CHECK_FALSE(a.json().empty());
    } else if (which == 1) {
      const auto report = ts::checkKernel(text, fewOfKernel);
      if (!report) CHECK_FALSE(report.error().message.empty());
    } else {
      const auto module = ts::readModule(text, few);
      if (!module) CHECK_FALSE(module.error().message.empty());
      if (module)
        for (std::size_t k = 0; k < module->instructions().size(); ++k) (void)module->reaches(k, few);
    }
  }
}

TEST_CASE("a text of another tool is pasted as statements of a worksheet") {
  const auto plain = ts::paste("A = (4,8):(8,1)\nB = composition(A, (2,4))");
  REQUIRE(plain);
  CHECK(plain->dialect == "Tessera");
  CHECK(plain->text() == "A = (4,8):(8,1)\nB = composition(A, (2,4))\n");
  REQUIRE(plain->layout);
  CHECK(plain->layout->shape() == ts::Numbers{2, 4});

  const auto asked = ts::paste("L = (M,8):(8,1)");
  REQUIRE(asked);
  REQUIRE(asked->questions.size() == 1);
  CHECK(asked->questions[0].name == "M");
  CHECK(asked->questions[0].line == 1);
  CHECK(asked->questions[0].column == 6);
  const auto given = ts::paste("L = (M,8):(8,1)", {.lets = {{"M", "4"}}});
  REQUIRE(given);
  CHECK(given->questions.empty());
  REQUIRE(given->layout);
  CHECK(given->layout->text() == "(4,8):(8,1)");

  ts::Worksheet sheet;
  REQUIRE(sheet.run(given->text()));
  CHECK(sheet.run("L(1,1)")->front().number() == 9);

  const auto wrong = ts::paste("A = (4,8):(8");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().message.find("Tessera") != std::string::npos);
  CHECK_FALSE(ts::paste("(4,8):(8,1)", {.dialect = "no-such"}));
}
