// The cost of parsing, in counted work (core/base/work_budget.h): every parser on inputs of size n, 2n and 4n that
// repeat its construct. The law: work(2n) <= 2.3 work(n) and work(4n) <= 5.2 work(n), which is n log n with some margin
// (at n = 128: 2.29 and 5.15). A refusal counts like an answer: it must not cost more.
#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "core/base/work_budget.h"
#include "core/graphene/program.h"
#include "core/notation/axe/layout.h"
#include "core/notation/axe/mesh.h"
#include "core/notation/axe/text/parametric.h"
#include "core/notation/cute/text/text.h"
#include "core/notation/graphene/tensor.h"
#include "core/notation/indexing/map.h"
#include "core/notation/linear/layout.h"
#include "core/notation/triton/attr.h"
#include "core/notation/xla/instruction.h"
#include "core/notation/xla/shape.h"
#include "core/worksheet/language/syntax.h"
#include "core/worksheet/worksheet.h"
#include "tests/support/whole_text.h"

using namespace tessera;

namespace {

std::string times(int n, const std::string& part) {
  std::string out;
  for (int k = 0; k < n; ++k) out += part;
  return out;
}

// "2,2,2"
std::string listed(int n, const std::string& part, const std::string& between = ",") {
  return times(n - 1, part + between) + part;
}

std::string numbered(int n, const std::function<std::string(int)>& part, const std::string& between = "") {
  std::string out;
  for (int k = 0; k < n; ++k) out += (k == 0 ? "" : between) + part(k);
  return out;
}

std::string str(int k) { return std::to_string(k); }

using Read = void (*)(const std::string&);

void cuteText(const std::string& s) { (void)cute::parse(s); }
void axeText(const std::string& s) { (void)axe::parse(s); }
void familyText(const std::string& s) { (void)wholeText(s, axe::parseParametricPrefix); }
void meshText(const std::string& s) { (void)wholeText(s, axe::parseMeshPrefix); }
void linearText(const std::string& s) { (void)linear::parse(s); }
void tritonText(const std::string& s) { (void)triton::parse(s); }
void shapeText(const std::string& s) { (void)xla::parseShape(s); }
void instructionText(const std::string& s) { (void)wholeText(s, xla::parsePrefix); }
void mapText(const std::string& s) { (void)indexing::parse(s); }
void formulaText(const std::string& s) { (void)indexing::parseFormula(s); }
void tensorText(const std::string& s) { (void)graphene::parseTensor(s); }
void programText(const std::string& s) { (void)graphene::readProgram(s); }
void expressionText(const std::string& s) { (void)parseExpression(s, 0, s.size(), {}); }
void sheetText(const std::string& s) {
  for (const Statement& one : splitStatements(s)) (void)parseExpression(one.text, 0, one.text.size(), {});
}

const std::string kMove = "%in:[64:1].fp32.GL %out:[64:1].fp32.GL\n#b:[1].block #t:[64:1].thread\n";

// A kernel with this body.
std::string inBody(const std::string& body, const std::string& head = kMove) {
  return head + "%out <- Spec<s><<<#b,#t>>>(%in) {\n@t = #t.indices()\n%e = %in[@t]  %o = %out[@t]\n" + body + "}\n";
}

struct Row {
  const char* what;
  Read read;
  std::function<std::string(int)> text;  // of size n
};

const Row kRows[] = {
    {"CuTe: modes", cuteText, [](int n) { return "(" + listed(n, "2") + "):(" + listed(n, "1") + ")"; }},
    {"CuTe: modes of pairs", cuteText,
     [](int n) { return "(" + listed(n, "(2,3)") + "):(" + listed(n, "(1,2)") + ")"; }},
    {"CuTe: templates", cuteText,
     [](int n) { return "Layout<Shape<" + listed(n, "_2") + ">, Stride<" + listed(n, "_1") + ">>"; }},
    {"CuTe: the call", cuteText,
     [](int n) { return "make_layout(make_shape(" + listed(n, "Int<2>{}") + "), GenRowMajor{})"; }},
    {"CuTe: open brackets", cuteText, [](int n) { return times(n, "("); }},
    {"CuTe: tiler", cuteText, [](int n) { return "[" + listed(n, "2:1") + "]"; }},
    {"Axe: iters", axeText, [](int n) { return "S[(" + listed(n, "2") + "):(" + listed(n, "1@lane") + ")]"; }},
    {"Axe: replicas", axeText, [](int n) { return "S[8:1] + R[" + listed(n, "2:8@warp") + "]"; }},
    {"Axe: offsets", axeText, [](int n) { return "S[8:1]" + times(n, " + 1@warp"); }},
    {"Axe: mesh", meshText, [](int n) { return "mesh (" + listed(n, "2") + ")"; }},
    {"Axe: symbolic iters", familyText,
     [](int n) { return "S[(n," + listed(n, "2") + "):(1," + listed(n, "1@m") + ")] for n in [1, 64]"; }},
    {"Axe: symbols", familyText,
     [](int n) {
       const auto name = [](int k) { return "n" + str(k); };
       const auto range = [](int k) { return "n" + str(k) + " in [1, 2]"; };
       return "S[(" + numbered(n, name, ",") + "):(" + listed(n, "1") + ")] for " + numbered(n, range, ", ");
     }},
    {"linear: bases", linearText,
     [](int n) { return "register: [" + listed(n, "[0,1]") + "] lane: [" + listed(n, "[1,0]") + "]"; }},
    {"linear: inputs", linearText,
     [](int n) { return numbered(n, [](int k) { return "in" + str(k) + ": [[0,1]] "; }); }},
    {"Triton: bases", tritonText,
     [](int n) { return "#ttg.linear<{register = [" + listed(n, "[0, 1]") + "], lane = [], warp = [], block = []}>"; }},
    {"Triton: keys", tritonText,
     [](int n) {
       return "#ttg.blocked<{" +
              numbered(
                  n, [](int k) { return "k" + str(k) + " = 1"; }, ", ") +
              "}>";
     }},
    {"Triton: aliases", tritonText,
     [](int n) {
       return numbered(n, [](int k) {
         return "#a" + str(k) +
                " = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>\n";
       });
     }},
    {"Triton: nested lists", tritonText, [](int n) { return "#ttg.linear<{register = " + times(n, "["); }},
    {"XLA: dimensions", shapeText, [](int n) { return "f32[" + listed(n, "1") + "]"; }},
    {"XLA: minor to major", shapeText,
     [](int n) {
       return "f32[" + listed(n, "1") + "]{" +
              numbered(
                  n, [n](int k) { return str(n - 1 - k); }, ",") +
              "}";
     }},
    {"XLA: tiles", shapeText, [](int n) { return "f32[64]{0:T" + times(n, "(8)") + "}"; }},
    {"XLA: tuples", shapeText, [](int n) { return "(" + listed(n, "f32[2]{0}") + ")"; }},
    {"XLA: tuples in tuples", shapeText, [](int n) { return times(n, "(") + "f32[2]" + times(n, ")"); }},
    {"XLA: operands", instructionText,
     [](int n) {
       return "%a = f32[8]{0} concatenate(" +
              numbered(
                  n, [](int k) { return "f32[8]{0} %p" + str(k); }, ", ") +
              "), dimensions={0}";
     }},
    {"XLA: attributes", instructionText,
     [](int n) { return "%a = f32[8]{0} add(f32[8] %b, f32[8] %c)" + times(n, ", metadata={op_name=\"x\"}"); }},
    {"map: results", mapText, [](int n) { return "(d0) -> (" + listed(n, "d0") + "), domain: d0 in [0, 7]"; }},
    {"map: a sum", mapText, [](int n) { return "(d0) -> (" + listed(n, "d0", " + ") + "), domain: d0 in [0, 7]"; }},
    {"map: a product", mapText, [](int n) { return "(d0) -> (d0" + times(n, " * 1") + "), domain: d0 in [0, 7]"; }},
    {"map: digits", mapText,
     [](int n) {
       return "(d0) -> (" +
              numbered(
                  n, [](int k) { return "d0 floordiv " + str(k + 2) + " mod 7"; }, " + ") +
              "), domain: d0 in [0, 7]";
     }},
    {"map: dimensions", mapText,
     [](int n) {
       return "(" +
              numbered(
                  n, [](int k) { return "d" + str(k); }, ", ") +
              ") -> (d0), domain: " +
              numbered(
                  n, [](int k) { return "d" + str(k) + " in [0, 7]"; }, ", ");
     }},
    {"map: constraints", mapText,
     [](int n) { return "(d0) -> (d0), domain: d0 in [0, 7]" + times(n, ", d0 mod 2 in [0, 1]"); }},
    {"map: brackets", mapText, [](int n) { return "(d0) -> (" + times(n, "(") + "d0" + times(n, ")") + ")"; }},
    {"formula: a sum", formulaText, [](int n) { return "S(i) = " + listed(n, "i", " + ") + " over (8)"; }},
    {"formula: bits", formulaText, [](int n) { return "S(i) = " + listed(n, "(i & 7)", " ^ ") + " over (8)"; }},
    {"formula: signs", formulaText, [](int n) { return "S(i) = " + times(n, "- ") + "i over (8)"; }},
    {"formula: least", formulaText, [](int n) { return "S(i) = min(" + listed(n, "i") + ") over (8)"; }},
    {"formula: conditions", formulaText, [](int n) { return "S(i) = i over (8) where " + listed(n, "i < 8", ", "); }},
    {"formula: variables", formulaText,
     [](int n) {
       const auto all = numbered(
           n, [](int k) { return "i" + str(k); }, ", ");
       return "S(" + all + ") = i0 over (" + listed(n, "1") + ")";
     }},
    {"Graphene: a shape", tensorText, [](int n) { return "%A:[" + listed(n, "2") + "].fp32.GL"; }},
    {"Graphene: modes", tensorText,
     [](int n) { return "%A:[(" + listed(n, "2") + "):(" + listed(n, "1") + ")].fp32.GL"; }},
    {"Graphene: tiles of tiles", tensorText, [](int n) { return "%A:" + listed(n, "[1:1]", ".") + ".fp32.GL"; }},
    {"Graphene: a product", tensorText, [](int n) { return "%A:[" + listed(n, "1", "*") + "].fp32.GL"; }},
    {"Graphene: a sum", tensorText, [](int n) { return "%A:[" + listed(n, "M", "+") + "].fp32.GL"; }},
    {"Graphene: tensors", programText,
     [](int n) { return numbered(n, [](int k) { return "%a" + str(k) + ":[64:1].fp32.GL\n"; }); }},
    {"Graphene: comments", programText, [](int n) { return times(n, "// a line\n") + kMove; }},
    {"Graphene: leaves", programText, [](int n) { return inBody(times(n, "%o <- Move(%e)\n")); }},
    {"Graphene: views", programText,
     [](int n) { return inBody(numbered(n, [](int k) { return "%e" + str(k) + " = %in[@t]\n"; })); }},
    {"Graphene: loops", programText,
     [](int n) { return inBody(times(n, "for (k = 0; k < 2; k += 1) { %o <- Move(%e) }\n")); }},
    {"Graphene: conditions", programText, [](int n) { return inBody(times(n, "if (@t < 8) { %o <- Move(%e) }\n")); }},
    {"Graphene: loops in loops", programText,
     [](int n) { return inBody(times(n, "for (k = 0; k < 2; k += 1) {") + times(n, "}")); }},
    {"Graphene: conditions in conditions", programText,
     [](int n) { return inBody(times(n, "if (@t < 8) {") + times(n, "}")); }},
    {"Graphene: a conjunction", programText,
     [](int n) { return inBody("if (" + listed(n, "@t < 8", " && ") + ") { %o <- Move(%e) }\n"); }},
    {"Graphene: kernels", programText, [](int n) { return times(n, inBody("%o <- Move(%e)\n", "")).insert(0, kMove); }},
    {"Graphene: definitions", programText,
     [](int n) {
       return kMove + numbered(n, [](int k) {
                const std::string name = "f" + str(k);
                return "def " + name + ": %x <- Spec<" + name + "><<<#b,#t>>>(%y) {\n%x <- Move(%y)\n}\n";
              });
     }},
    {"Graphene: calls", programText,
     [](int n) {
       return "def f: %x <- Spec<f><<<#b,#t>>>(%y) {\n%x <- Move(%y)\n}\n" +
              inBody(times(n, "%o <- f<<<#b,#t>>>(%e)\n"));
     }},
    {"Graphene: a meaning", programText,
     [](int n) {
       return kMove + "%out <- Spec<s><<<#b,#t>>>(%in) means { %out[i] = " + listed(n, "%in[i]", " + ") + " } { }\n";
     }},
    {"worksheet: statements", sheetText, [](int n) { return times(n, "(4,8):(8,1)\n"); }},
    {"worksheet: one line", sheetText, [](int n) { return times(n, "(4,8):(8,1); "); }},
    {"worksheet: comments", sheetText, [](int n) { return times(n, "// a line\n") + "1"; }},
    {"worksheet: a sum", expressionText, [](int n) { return listed(n, "1", " + "); }},
    {"worksheet: arguments", expressionText, [](int n) { return "max(" + listed(n, "1") + ")"; }},
    {"worksheet: a list", expressionText, [](int n) { return "[" + listed(n, "8:1") + "]"; }},
    {"worksheet: open brackets", expressionText, [](int n) { return times(n, "("); }},
    {"worksheet: closed brackets", expressionText, [](int n) { return times(n, "(") + "1 + 2" + times(n, ")"); }},
    {"worksheet: lists that end in a sum", expressionText,
     [](int n) { return times(n, "(1, ") + "1 + 2" + times(n, ")"); }},
    {"worksheet: calls", expressionText, [](int n) { return times(n, "size(") + "8:1" + times(n, ")"); }},
    {"worksheet: applied", expressionText, [](int n) { return "A" + times(n, "(1)"); }},
    {"worksheet: quoted", expressionText, [](int n) { return "f(" + listed(n, "\"x\"") + ")"; }},
    {"worksheet: names", expressionText, [](int n) { return listed(n, "A", " < "); }},
};

Work workOn(const Row& row, int n) {
  const std::string text = row.text(n);
  const Work begin = workSpent();
  row.read(text);
  return workSpent() - begin;
}

}  // namespace

TEST_CASE("reading a text takes work that grows no faster than n log n") {
  constexpr int n = 128;
  for (const Row& row : kRows) {
    const auto one = static_cast<double>(workOn(row, n)), two = static_cast<double>(workOn(row, 2 * n)),
               four = static_cast<double>(workOn(row, 4 * n));
    INFO(row.what << ": " << one << ", " << two << ", " << four);
    CHECK(two <= 2.3 * one + 64);
    CHECK(four <= 5.2 * one + 64);
    CHECK(four > 0);  // it is counted at all
  }
}

TEST_CASE("reading the same text twice takes the same work") {
  for (const Row& row : kRows) {
    INFO(row.what);
    (void)workOn(row, 64);  // what is made once
    CHECK(workOn(row, 64) == workOn(row, 64));
  }
}

TEST_CASE("no reader exceeds the budget of its thread") {
  for (const Row& row : kRows) {
    INFO(row.what);
    const Work all = workOn(row, 256);
    if (all < 16) continue;
    const WorkBudget limit({.steps = all / 2});
    CHECK_THROWS_AS(workOn(row, 256), OutOfBudget);
  }
}
