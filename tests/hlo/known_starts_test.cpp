// Starts of slices that are known statically: the maps contain no run-time value.
#include <catch2/catch.hpp>
#include <random>

#include "core/hlo/text/module.h"
#include "hlo/beside_interpreter.h"
#include "support/volume.h"

using namespace tessera;
using namespace tessera::testing;

namespace {

// A scalar made of constants by operations that indices are made of.
class RandomStarts {
 public:
  explicit RandomStarts(u64 seed) : rng_(seed) {}
  i64 draw(i64 n) { return static_cast<i64>(rng_() % static_cast<u64>(n)); }

  std::string scalar(int depth) {
    const auto name = [&] { return "n" + std::to_string(lines_++); };
    const auto line = [&](const std::string& rest, const char* shape = "s32[]") {
      const std::string made = name();
      text_ += " " + made + " = " + shape + " " + rest + "\n";
      return made;
    };
    const i64 kind = depth == 0 ? 0 : draw(11);
    if (kind == 0) return line("constant(" + std::to_string(draw(12) - 4) + ")");
    const std::string a = scalar(depth - 1);
    if (kind == 1) return line("copy(" + a + ")");
    if (kind == 2) return line("negate(" + a + ")");
    if (kind == 3) return line("reshape(" + line("broadcast(" + a + "), dimensions={}", "s32[1]") + ")");
    if (kind == 4) return line("convert(" + line("convert(" + a + ")", "s64[]") + ")");
    const std::string b = scalar(depth - 1);
    if (kind == 5) return line("add(" + a + ", " + b + ")");
    if (kind == 6) return line("subtract(" + a + ", " + b + ")");
    if (kind == 7) return line("multiply(" + a + ", " + b + ")");
    if (kind == 8)
      return line("get-tuple-element(" + line("tuple(" + a + ", " + b + ")", "(s32[], s32[])") + "), index=1");
    if (kind == 9) return line("clamp(" + a + ", " + b + ", " + scalar(depth - 1) + ")");
    const std::string less = line("compare(" + a + ", " + b + "), direction=LT", "pred[]");
    return line("select(" + less + ", " + b + ", " + a + ")");
  }

  std::string text() {
    std::string whole, part, sizes, names;
    for (i64 k = 1 + draw(3); k > 0; --k) {
      const i64 n = 1 + draw(5), p = 1 + draw(n);
      whole += (whole.empty() ? "" : ",") + std::to_string(n);
      part += (part.empty() ? "" : ",") + std::to_string(p);
      names += ", " + scalar(static_cast<int>(draw(4)));
    }
    const bool update = draw(2) == 0;
    return "HloModule m\nENTRY e {\n p0 = f32[" + whole + "] parameter(0)\n p1 = f32[" + part + "] parameter(1)\n" +
           text_ +
           (update ? " ROOT r = f32[" + whole + "] dynamic-update-slice(p0, p1" + names + ")\n}\n"
                   : " ROOT r = f32[" + part + "] dynamic-slice(p0" + names + "), dynamic_slice_sizes={" + part +
                         "}\n}\n");
  }

 private:
  std::mt19937_64 rng_;
  std::string text_;
  int lines_ = 0;
};

}  // namespace

TEST_CASE("an update whose place is known leaves the rest of its array") {
  const hlo::Module m = hlo::readModule(
      "HloModule m\nENTRY e {\n p0 = f32[8,4] parameter(0)\n p1 = f32[2,4] parameter(1)\n i = s32[] constant(3)\n"
      " z = s32[] constant(0)\n ROOT r = f32[8,4] dynamic-update-slice(p0, p1, i, z)\n}\n");
  const auto reads = hlo::readsOf(m, {m.entry, 4});
  CHECK(reads->at(0).soundness == hlo::Soundness::Exact);
  CHECK(mapsOf(reads->at(0)) ==
        "\n(d0, d1) -> (d0, d1), domain: d0 in [0, 2], d1 in [0, 3]\n"
        "(d0, d1) -> (d0, d1), domain: d0 in [5, 7], d1 in [0, 3]\n");
  CHECK(reads->at(1).runtime.at(0).empty());
}

TEST_CASE("slices at known starts read in both directions what an interpreter reads") {
  Compared compared;
  const i64 count = test::volume(500, 100'000);
  for (i64 seed = 1; seed <= count; ++seed)
    besideInterpreter(RandomStarts(static_cast<u64>(seed)).text(), static_cast<u64>(seed), compared);
  CHECK(compared.exact >= 2 * count);
  CHECK(compared.wider == 0);
}

TEST_CASE("a start that is a run-time value is not folded") {
  const auto folded = [](const std::string& lines) {
    const hlo::Module m = hlo::readModule("HloModule m\nENTRY e {\n p = s32[] parameter(0)\n" + lines + "}\n");
    for (const hlo::Problem& p : m.problems) FAIL(hlo::textOf(p));
    return hlo::constantOf(m, m.computations.at(0), m.computations.at(0).root);
  };
  CHECK(folded(" c = s32[] constant(3)\n ROOT r = s32[] add(p, c)\n") == std::nullopt);
  CHECK(folded(" c = s32[] constant(3)\n ROOT r = s32[] multiply(c, c)\n") == 9);
  CHECK(folded(" c = s8[] constant(100)\n ROOT r = s8[] add(c, c)\n") == std::nullopt);  // wraps
  CHECK(folded(" c = u8[] constant(100)\n ROOT r = u8[] add(c, c)\n") == 200);
  CHECK(folded(" c = f32[] constant(3)\n ROOT r = s32[] convert(c)\n") == std::nullopt);
  CHECK(folded(" c = s32[2] constant({5, 7})\n d = s32[1] slice(c), slice={[1:2]}\n ROOT r = s32[] reshape(d)\n") == 7);
  std::string doubled = " c0 = s64[] constant(0)\n";  // 2^300 ways from the last to the first
  for (int k = 1; k <= 300; ++k)
    doubled +=
        " c" + std::to_string(k) + " = s64[] add(c" + std::to_string(k - 1) + ", c" + std::to_string(k - 1) + ")\n";
  CHECK(folded(doubled) == std::nullopt);
}
