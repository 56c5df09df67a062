// Loops and branches against an interpreter that runs them, element by element; and what is refused.
#include <catch2/catch.hpp>

#include "hlo/beside_results.h"
#include "hlo/support_cases.h"

using namespace tessera;
using namespace tessera::testing;
using hlo::Soundness;

namespace {

// A random loop over (counter, two carries, xs, ys), as lax.scan and lax.fori_loop make them.
class RandomLoop {
 public:
  explicit RandomLoop(u64 seed) : rng_(seed) {}

  std::string text() {
    const int size = 2 + below(2), steps = 2 + below(3), start = below(2), stride = 1 + below(2);
    const std::string square = "f32[" + std::to_string(size) + "," + std::to_string(size) + "]";
    const std::string stack = "f32[" + std::to_string(steps * stride + start) + "," + square.substr(4);
    const std::string one = "f32[1," + square.substr(4);
    const std::string state = "(s32[], " + square + ", " + square + ", " + stack + ", " + stack + ")";
    const int end = start + stride * steps - below(2);
    std::string body =
        " s = " + state + " parameter(0)\n i = s32[] get-tuple-element(s), index=0\n c0 = " + square +
        " get-tuple-element(s), index=1\n c1 = " + square + " get-tuple-element(s), index=2\n xs = " + stack +
        " get-tuple-element(s), index=3\n ys = " + stack +
        " get-tuple-element(s), index=4\n zero = s32[] constant(0)\n step = s32[] constant(" + std::to_string(stride) +
        ")\n j = s32[] add(i, step)\n last = s32[] constant(" + std::to_string(steps * stride + start - 1) +
        ")\n back = s32[] subtract(last, i)\n" +
        " low = pred[] compare(i, zero), direction=LT\n up = s32[] add(i, last)\n at = s32[] select(low, "
        "up, i)\n f0 = f32[] constant(0)\n";
    const std::vector<std::string> places = {"i", "back", "at"};
    const std::string from = places[static_cast<std::size_t>(below(3))],
                      to = places[static_cast<std::size_t>(below(3))];
    body += " part = " + one + " dynamic-slice(xs, " + from + ", zero, zero), dynamic_slice_sizes={1," +
            std::to_string(size) + "," + std::to_string(size) + "}\n x = " + square + " reshape(part)\n";
    std::vector<std::string> pool = {"c0", "c1", "x"};
    const auto any = [&] { return pool[static_cast<std::size_t>(below(static_cast<int>(pool.size())))]; };
    const int operations = 1 + below(4);
    for (int k = 0; k < operations; ++k) {
      const std::string name = "v" + std::to_string(k);
      const std::string a = any(), b = any();
      switch (below(7)) {
        case 0:
        case 1:
          body += " " + name + " = " + square + " add(" + a + ", " + b + ")\n";
          break;
        case 2:
          body += " " + name + " = " + square + " negate(" + a + ")\n";
          break;
        case 3:
          body += " " + name + " = " + square + " transpose(" + a + "), dimensions={1,0}\n";
          break;
        case 4:
          body += " " + name + " = " + square + " dot(" + a + ", " + b +
                  "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
          break;
        case 5:
          body += " " + name + " = " + square + " reverse(" + a + "), dimensions={0}\n";
          break;
        default:
          body += " r" + name + " = f32[" + std::to_string(size) + "] reduce(" + a +
                  ", f0), dimensions={1}, to_apply=sum\n " + name + " = " + square + " broadcast(r" + name +
                  "), dimensions={0}\n";
      }
      pool.push_back(name);
    }
    std::string ys = "ys";
    if (below(4) > 0) {
      body += " row = " + one + " reshape(" + any() + ")\n written = " + stack + " dynamic-update-slice(ys, row, " +
              to + ", zero, zero)\n";
      ys = "written";
    }
    body += " ROOT t = " + state + " tuple(j, " + any() + ", " + any() + ", xs, " + ys + ")\n";
    const std::string init = start == 0 ? "0" : "1";
    return "HloModule m\nsum {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\nbody "
           "{\n" +
           body + "}\ncond {\n s = " + state +
           " parameter(0)\n i = s32[] get-tuple-element(s), index=0\n n = s32[] constant(" + std::to_string(end) +
           ")\n ROOT less = pred[] compare(i, n), direction=LT\n}\nENTRY e {\n p0 = " + square +
           " parameter(0)\n p1 = " + square + " parameter(1)\n p2 = " + stack + " parameter(2)\n p3 = " + stack +
           " parameter(3)\n z = s32[] constant(" + init + ")\n t = " + state +
           " tuple(z, p0, p1, p2, p3)\n ROOT w = " + state + " while(t), condition=cond, body=body\n}\n";
  }

 private:
  int below(int n) { return static_cast<int>(rng_() % static_cast<u64>(n)); }
  std::mt19937_64 rng_;
};

const std::string kCounted =
    "body {\n s = (s32[], f32[4], f32[]) parameter(0)\n i = s32[] get-tuple-element(s), index=0\n one = s32[] "
    "constant(1)\n j = s32[] add(i, one)\n xs = f32[4] get-tuple-element(s), index=1\n c = f32[] get-tuple-element(s), "
    "index=2\n p = f32[1] dynamic-slice(xs, i), dynamic_slice_sizes={1}\n x = f32[] reshape(p)\n a = f32[] add(c, x)\n "
    "ROOT t = (s32[], f32[4], f32[]) tuple(j, xs, a)\n}\ncond {\n s = (s32[], f32[4], f32[]) parameter(0)\n i = s32[] "
    "get-tuple-element(s), index=0\n n = s32[] constant(3)\n ROOT l = pred[] compare(i, n), direction=LT\n}\n";

hlo::Reach readOf(const hlo::Module& m, const char* name, int output, int element) {
  for (std::size_t c = 0; c < m.computations.size(); ++c)
    for (std::size_t i = 0; i < m.computations[c].instructions.size(); ++i)
      if (m.computations[c].instructions[i].name == name) {
        const auto reads = hlo::readsThrough(m, {static_cast<int>(c), static_cast<int>(i)}, output);
        if (!reads) FAIL(reads.error().message);
        for (const hlo::Reach& r : *reads)
          if (r.element == element) return r;
        return {};
      }
  FAIL("no such instruction");
  return {};
}

std::string printed(const hlo::Reach& r) {
  std::string out;
  for (const Map& map : r.maps) out += indexing::print(indexing::toIndexingMap(map)) + "; ";
  return out;
}

}  // namespace

TEST_CASE("a loop reads what an interpreter finds over its trips") {
  Compared compared;
  for (u64 seed = 1; seed <= 150; ++seed) besideResults(RandomLoop(seed).text(), seed, compared);
  CHECK(compared.exact > 2500);
  CHECK(compared.wider > 200);
}

TEST_CASE("a sum over a slice at the counter is a range of the trips") {
  const hlo::Module m =
      hlo::readModule("HloModule m\n" + kCounted +
                      "ENTRY e {\n x = f32[4] parameter(0)\n y = f32[] parameter(1)\n z = s32[] constant(0)\n t = "
                      "(s32[], f32[4], f32[]) "
                      "tuple(z, x, y)\n ROOT w = (s32[], f32[4], f32[]) while(t), condition=cond, body=body\n}\n");
  CHECK(printed(readOf(m, "w", 2, 1)) == "()[s0] -> (s0), domain: s0 in [0, 2]; ");
  CHECK(readOf(m, "w", 2, 1).soundness == Soundness::Exact);
  CHECK(printed(readOf(m, "w", 1, 1)) == "(d0) -> (d0), domain: d0 in [0, 3]; ");
}

TEST_CASE("the counter's start may be with the only caller") {
  const std::string called =
      "HloModule m\n" + kCounted +
      "f {\n s = (s32[], f32[4], f32[]) parameter(0)\n ROOT w = (s32[], f32[4], f32[]) while(s), "
      "condition=cond, body=body\n}\nENTRY e {\n x = f32[4] parameter(0)\n y = f32[] parameter(1)\n"
      " z = s32[] constant(1)\n t = (s32[], f32[4], f32[]) tuple(z, x, y)\n";
  const hlo::Module once = hlo::readModule(called + " ROOT again = (s32[], f32[4], f32[]) call(t), to_apply=f\n}\n");
  CHECK(printed(readOf(once, "again", 2, 1)) == "()[s0] -> (s0 + 1), domain: s0 in [0, 1]; ");
  // Of two callers, neither: the number of trips is not known.
  const hlo::Module twice = hlo::readModule(called +
                                            " first = (s32[], f32[4], f32[]) call(t), to_apply=f\n ROOT again = "
                                            "(s32[], f32[4], f32[]) call(first), to_apply=f\n}\n");
  CHECK(readOf(twice, "again", 2, 1).soundness == Soundness::Over);
  CHECK(readOf(twice, "again", 2, 1).why.find("the number of trips depends on values") != std::string::npos);
}

TEST_CASE("a known number of trips is taken from the configuration") {
  std::string text = "HloModule m\n" + kCounted;
  text.replace(text.find("constant(3)"), 11, "parameter(1)");  // a condition that says nothing
  text.replace(text.find("n = s32[] parameter(1)"), 22, "n = s32[] get-tuple-element(s), index=0");
  const std::string entry =
      "ENTRY e {\n x = f32[4] parameter(0)\n y = f32[] parameter(1)\n z = s32[] constant(0)\n t = (s32[], f32[4], "
      "f32[]) "
      "tuple(z, x, y)\n ROOT w = (s32[], f32[4], f32[]) while(t), condition=cond, body=body";
  const hlo::Module known =
      hlo::readModule(text + entry + ", backend_config={\"known_trip_count\":{\"n\":\"2\"}}\n}\n");
  for (const hlo::Problem& p : known.problems) FAIL(p.diag.message);
  CHECK(printed(readOf(known, "w", 2, 1)) == "()[s0] -> (s0), domain: s0 in [0, 1]; ");
}

TEST_CASE("a loop whose number of trips depends on values reads all that decides it, at most") {
  const std::string text =
      "HloModule m\nbody {\n s = (f32[3], f32[3]) parameter(0)\n a = f32[3] get-tuple-element(s), index=0\n b = f32[3] "
      "get-tuple-element(s), index=1\n c = f32[3] negate(a)\n ROOT t = (f32[3], f32[3]) tuple(c, b)\n}\ncond {\n s = "
      "(f32[3], f32[3]) parameter(0)\n a = f32[3] get-tuple-element(s), index=0\n z = f32[] constant(0)\n r = f32[] "
      "reduce(a, z), dimensions={0}, to_apply=sum\n ROOT l = pred[] compare(r, z), direction=LT\n}\nsum {\n a = f32[] "
      "parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\nENTRY e {\n p0 = f32[3] parameter(0)\n p1 "
      "= "
      "f32[3] parameter(1)\n t = (f32[3], f32[3]) tuple(p0, p1)\n ROOT w = (f32[3], f32[3]) while(t), condition=cond, "
      "body=body\n}\n";
  const hlo::Module m = hlo::readModule(text);
  CHECK(readOf(m, "w", 0, 0).soundness == Soundness::Over);
  CHECK(readOf(m, "w", 0, 1).maps.empty());
  CHECK(printed(readOf(m, "w", 1, 1)) == "(d0) -> (d0), domain: d0 in [0, 2]; ");
}

TEST_CASE("a conditional reads at most what each branch does") {
  const std::string branches =
      "HloModule m\nf {\n x = (f32[3], f32[3]) parameter(0)\n ROOT a = f32[3] get-tuple-element(x), index=1\n}\ng {\n "
      "y = "
      "f32[3] parameter(0)\n ROOT r = f32[3] reverse(y), dimensions={0}\n}\nENTRY e {\n p0 = f32[3] parameter(0)\n p1 "
      "= "
      "f32[3] parameter(1)\n p2 = f32[3] parameter(2)\n t = (f32[3], f32[3]) tuple(p0, p1)\n";
  Compared compared;
  const std::vector<std::string> roots = {
      " p3 = s32[] parameter(3)\n ROOT c = f32[3] conditional(p3, t, p2), branch_computations={f, g}\n}\n",
      " p3 = pred[] parameter(3)\n ROOT c = f32[3] conditional(p3, t, p2), true_computation=f, "
      "false_computation=g\n}\n",
      " p3 = pred[] parameter(3)\n ROOT c = f32[3] conditional(p3, p2, t), false_computation=f, "
      "true_computation=g\n}\n",
      " y = s32[] constant(7)\n ROOT c = f32[3] conditional(y, t, p2), branch_computations={f, g}\n}\n",
      " y = pred[] constant(false)\n ROOT c = f32[3] conditional(y, p2, t), true_computation=g, "
      "false_computation=f\n}\n"};
  for (const std::string& root : roots)
    if (root.find("false_computation=f, true") == std::string::npos)  // the interpreter takes them in text order
      for (u64 seed = 1; seed <= 6; ++seed) besideResults(branches + root, seed, compared);
  CHECK(compared.exact > 50);
  CHECK(compared.wider > 20);
  const hlo::Module swapped = hlo::readModule(branches + roots[2]);
  const auto reads = hlo::readsThrough(swapped, {swapped.entry, 5});
  REQUIRE(reads.ok());
  CHECK(reads->at(1).maps.size() == 1);
  CHECK(reads->at(2).element == 1);
  const hlo::Module decided = hlo::readModule(branches + roots[3]);
  CHECK(hlo::readsThrough(decided, {decided.entry, 5})->at(2).soundness == Soundness::Exact);
  CHECK(hlo::readsThrough(decided, {decided.entry, 5})->at(1).maps.empty());
}

TEST_CASE("a loop or a conditional that contradicts itself is named") {
  const std::string entry =
      "ENTRY e {\n x = f32[4] parameter(0)\n y = f32[] parameter(1)\n z = s32[] constant(0)\n t = (s32[], f32[4], "
      "f32[]) "
      "tuple(z, x, y)\n";
  const std::string state = "(s32[], f32[4], f32[])";
  const std::vector<std::string> roots = {"w = " + state + " while(t), condition=cond",
                                          "w = " + state + " while(t), body=body",
                                          "w = (s32[], f32[4]) while(t), condition=cond, body=body",
                                          "w = (s32[], f32[5], f32[]) while(t), condition=cond, body=body",
                                          "w = " + state + " while(t), condition=body, body=body",
                                          "w = " + state + " while(t), condition=cond, body=cond",
                                          "w = " + state + " while(t, t), condition=cond, body=body",
                                          "w = " + state + " while(t), condition=cond, body=no",
                                          "w = f32[4] conditional(z, x, x), branch_computations={body, body}",
                                          "w = f32[4] conditional(z, x), branch_computations={body, body}",
                                          "w = f32[4] conditional(x, t), branch_computations={body}",
                                          "w = f32[4] conditional(z, x)",
                                          "w = f32[4] call(t), to_apply=body",
                                          "w = (f32[4], f32[4]) async-start(t), calls=body",
                                          "w = ((f32[4]), " + state + ") async-start(t), calls=body"};
  for (const std::string& root : roots) {
    INFO(root);
    const hlo::Module m = hlo::readModule("HloModule m\n" + kCounted + entry + " ROOT " + root + "\n}\n");
    if (!m.problems.empty()) {
      CHECK(m.problems[0].instruction == "w");
      continue;
    }
    const auto reads = hlo::readsThrough(m, {m.entry, 4});
    REQUIRE_FALSE(reads.ok());
    CHECK(reads.error().message.starts_with("w"));
    CHECK_FALSE(reads.error().expected.empty());
    const auto uses = hlo::usesThrough(m, {m.entry, 4}, 0);
    CHECK_FALSE(uses.ok());
  }
}

TEST_CASE("loops within one another end, however deep or circular") {
  // A body that runs the loop itself.
  const hlo::Module circle = hlo::readModule(
      "HloModule m\nbody {\n s = (f32[2]) parameter(0)\n ROOT w = (f32[2]) while(s), condition=cond, "
      "body=body\n}\ncond {\n "
      "s = (f32[2]) parameter(0)\n ROOT l = pred[] constant(true)\n}\nENTRY e {\n p = (f32[2]) parameter(0)\n ROOT w = "
      "(f32[2]) while(p), condition=cond, body=body\n}\n");
  CHECK_FALSE(hlo::readsThrough(circle, {circle.entry, 1}).ok());
  // 60 loops within one another: every level reads its state once.
  std::string text =
      "HloModule m\ncond {\n s = (f32[2]) parameter(0)\n ROOT l = pred[] constant(false)\n}\nb0 {\n ROOT s = "
      "(f32[2]) parameter(0)\n}\n";
  for (int k = 1; k <= 200; ++k)
    text += "b" + std::to_string(k) +
            " {\n s = (f32[2]) parameter(0)\n ROOT w = (f32[2]) while(s), condition=cond, body=b" +
            std::to_string(k - 1) + "\n}\n";
  for (const int depth : {40, 200}) {
    const hlo::Module m =
        hlo::readModule(text +
                        "ENTRY e {\n p = f32[2] parameter(0)\n t = (f32[2]) tuple(p)\n ROOT w = (f32[2]) while(t), "
                        "condition=cond, body=b" +
                        std::to_string(depth) + "\n}\n");
    CHECK(hlo::readsThrough(m, {m.entry, 2}).ok() == (depth == 40));
  }
  // Tuples in tuples.
  std::string open, close, shape = "f32[2]", body;
  for (int k = 0; k < 150; ++k) {
    shape = "(" + shape + ")";
    body += " t" + std::to_string(k) + " = " + shape + " tuple(" + (k == 0 ? "p" : "t" + std::to_string(k - 1)) + ")\n";
  }
  const hlo::Module nested = hlo::readModule("HloModule m\nENTRY e {\n p = f32[2] parameter(0)\n" + body +
                                             " ROOT o = " + shape + " opt-barrier(t149)\n}\n");
  for (const hlo::Problem& p : nested.problems) FAIL(p.diag.message);
  const auto reached = hlo::reachedIn(nested, nested.entry);
  REQUIRE(reached.ok());
  CHECK(reached->back().instruction == 0);
  CHECK(reached->back().maps.size() == 1);
}
