// Work grows like the input: texts that repeat one construct n, 2n and 4n times, with work counted by WorkBudget and
// not by a clock.
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "core/base/work_budget.h"
#include "core/hlo/compose/fusion.h"
#include "core/hlo/cost/waste.h"

using namespace tessera;

namespace {

std::string repeated(int n, const std::function<std::string(int)>& piece) {
  std::string out;
  for (int k = 0; k < n; ++k) out += piece(k);
  return out;
}
std::string entry(const std::string& lines) {
  return "HloModule m\nENTRY e {\n p = f32[8] parameter(0)\n" + lines + " ROOT r = f32[8] negate(p)\n}\n";
}
std::string named(const char* name, int k) { return name + std::to_string(k); }

struct Construct {
  const char* name;
  std::function<std::string(int)> text;
};
const std::vector<Construct>& constructs() {
  static const std::vector<Construct> all = {
      {"a chain of instructions",
       [](int n) {
         return entry(repeated(n, [](int k) {
           return " a" + std::to_string(k) + " = f32[8] add(" +
                  (k == 0 ? "p, p" : named("a", k - 1) + ", " + named("a", k - 1)) + ")\n";
         }));
       }},
      {"instructions without a shape",
       [](int n) {
         return entry(repeated(n, [](int k) {
           return " a" + std::to_string(k) + " = add(" + (k == 0 ? "p" : named("a", k - 1)) + ", p)\n";
         }));
       }},
      {"computations that call one another",
       [](int n) {
         return "HloModule m\nf0 {\n p = f32[8] parameter(0)\n ROOT r = f32[8] negate(p)\n}\n" +
                repeated(n,
                         [](int k) {
                           return named("f", k + 1) + " {\n p = f32[8] parameter(0)\n ROOT r = f32[8] fusion(p), " +
                                  "kind=kLoop, calls=" + named("f", k) + "\n}\n";
                         }) +
                entry(" x = f32[8] fusion(p), kind=kLoop, calls=" + named("f", n) + "\n");
       }},
      {"bodies written beside one another",
       [](int n) {
         return entry(repeated(n, [](int k) {
           return named(" a", k) + " = f32[8] fusion(p), kind=kLoop, calls={ q = f32[8] parameter(0)\n" +
                  " ROOT s = f32[8] negate(q) }\n";
         }));
       }},
      {"bodies written in one another",
       [](int n) {
         const std::string open = "f32[8] fusion(p), kind=kLoop, calls={ p = f32[8] parameter(0)\n ROOT r = ";
         return entry(" x = " + repeated(n, [&](int) { return open; }) + "f32[8] negate(p)" +
                      repeated(n, [](int) { return std::string(" }"); }) + "\n");
       }},
      {"operands written in one another",
       [](int n) {
         return entry(" x = " + repeated(n, [](int) { return std::string("negate("); }) + "p" +
                      repeated(n, [](int) { return std::string(")"); }) + "\n");
       }},
      {"operands of one instruction",
       [](int n) {
         return entry(" x = f32[" + std::to_string(8 * n) + "] concatenate(" +
                      repeated(n - 1, [](int) { return std::string("p, "); }) + "p), dimensions={0}\n");
       }},
      {"attributes",
       [](int n) {
         return entry(" x = f32[8] negate(p)" + repeated(n, [](int k) { return ", " + named("a", k) + "={1,2}"; }) +
                      "\n");
       }},
      {"elements of a literal",
       [](int n) {
         return entry(" x = f32[8] constant({" + repeated(n, [](int) { return std::string("1, "); }) + "1})\n");
       }},
      {"names that are lost",
       [](int n) { return entry(repeated(n, [](int k) { return named(" a", k) + " = f32[8] add(p, lost)\n"; })); }},
      {"names that are lost, each another",
       [](int n) {
         return entry(
             repeated(n, [](int k) { return named(" a", k) + " = f32[8] add(p, " + named("lost", k) + ")\n"; }));
       }},
      {"lines that are none",
       [](int n) { return entry(repeated(n, [](int) { return std::string(" what is this\n"); })); }},
      {"brackets that do not close",
       [](int n) { return entry(repeated(n, [](int k) { return named(" a", k) + " = f32[8] add(p, {(\n"; })); }},
      {"quotes that do not close",
       [](int n) { return entry(repeated(n, [](int k) { return named(" a", k) + " = f32[8] negate(p), x=\"\n"; })); }},
      {"comments", [](int n) { return entry(repeated(n, [](int) { return std::string(" /* x */ // y\n"); })); }},
      {"rows of a table",
       [](int n) {
         return "HloModule m\n\nFileNames\n" +
                repeated(n, [](int k) { return std::to_string(k + 1) + " \"a.py\"\n"; }) + "\n" + entry("");
       }},
      {"one name again and again",
       [](int n) { return entry(repeated(n, [](int) { return std::string(" a = f32[8] negate(p)\n"); })); }},
      {"heads without a body",
       [](int n) { return repeated(n, [](int k) { return named("f", k) + " (p: f32[8]) -> f32[8] {\n"; }); }},
  };
  return all;
}

i64 workOf(const std::function<void()>& work) {
  const WorkBudget limit({});
  work();
  return limit.used();
}

// At most n log n: twice the input may take 2 * (1 + 1 / log2 n) of the work, and something for what does not depend on
// n.
void growsWell(const std::string& name, int n, const std::function<i64(int)>& work) {
  const double once = static_cast<double>(work(n)), twice = static_cast<double>(work(2 * n)),
               fourTimes = static_cast<double>(work(4 * n));
  const double factor = 2 * (1 + 1 / std::log2(n)), slack = 2000;
  INFO(name << ": " << once << ", " << twice << ", " << fourTimes << " steps");
  CHECK(twice <= factor * once + slack);
  CHECK(fourTimes <= factor * twice + slack);
}

}  // namespace

TEST_CASE("reading a module takes work as its text is long") {
  for (const Construct& c : constructs())
    growsWell(c.name, 500, [&](int n) {
      const std::string text = c.text(n);
      const i64 used = workOf([&] { (void)hlo::readModule(text); });
      INFO(c.name);
      CHECK(used >= static_cast<i64>(text.size()) / 300);  // it is counted at all
      return used;
    });
}

TEST_CASE("maps of a module take work as it is long") {
  const auto each = [](const hlo::Module& m, auto visit) {
    for (std::size_t c = 0; c < m.computations.size(); ++c)
      for (std::size_t i = 0; i < m.computations[c].instructions.size(); ++i)
        visit(hlo::Where{static_cast<int>(c), static_cast<int>(i)}, m.computations[c].instructions[i]);
  };
  for (const Construct& c : constructs()) {
    growsWell(std::string("reads, ") + c.name, 200, [&](int n) {
      const hlo::Module m = hlo::readModule(c.text(n));
      return workOf(
          [&] { each(m, [&](hlo::Where where, const hlo::Instruction&) { (void)hlo::readsThrough(m, where); }); });
    });
    growsWell(std::string("uses, ") + c.name, 200, [&](int n) {
      const hlo::Module m = hlo::readModule(c.text(n));
      return workOf([&] {
        each(m, [&](hlo::Where where, const hlo::Instruction& i) {
          for (std::size_t k = 0; k < i.operands.size(); ++k) (void)hlo::usesThrough(m, where, static_cast<int>(k));
        });
      });
    });
    growsWell(std::string("waste, ") + c.name, 200, [&](int n) {
      const hlo::Module m = hlo::readModule(c.text(n));
      return workOf([&] { (void)hlo::rankingOf(m); });
    });
  }
}
