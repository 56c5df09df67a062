// scan: the result of a step depends on inputs of earlier steps through the carries of the body.
#include <catch2/catch.hpp>
#include <random>

#include "hlo/beside_interpreter.h"
#include "support/volume.h"

using namespace tessera;
using namespace tessera::testing;

namespace {

std::string sum(const std::string& dimensions) {
  return "HloModule m\nsc {\n x = f32[] parameter(0)\n c = f32[] parameter(1)\n a = f32[] add(x, c)\n"
         " ROOT t = (f32[], f32[]) tuple(a, a)\n}\nENTRY e {\n p0 = f32[10] parameter(0)\n p1 = f32[] parameter(1)\n"
         " ROOT scan = (f32[10], f32[]) scan(p0, p1), dimensions={0}, num_carries=1, " +
         dimensions + "to_apply=sc\n}\n";
}

std::string told(const std::string& text, int output) {
  const hlo::Module m = hlo::readModule(text);
  std::string out;
  const auto reads = hlo::readsOf(m, {m.entry, 2}, output);
  for (const hlo::Reach& r : *reads) {
    REQUIRE(r.soundness == hlo::Soundness::Exact);
    out += mapsOf(r).substr(1);
  }
  return out;
}

// A body of random sums; sometimes one that mixes the elements of a step.
class RandomScan {
 public:
  explicit RandomScan(u64 seed) : rng_(seed) {}
  std::string text() {
    const i64 steps = 1 + draw(5);
    std::vector<i64> part;
    for (i64 k = draw(3); k > 0; --k) part.push_back(1 + draw(3));
    const auto at = static_cast<std::size_t>(draw(static_cast<i64>(part.size()) + 1));
    std::vector<i64> whole = part;
    whole.insert(whole.begin() + static_cast<std::ptrdiff_t>(at), steps);
    const i64 inputs = 1 + draw(2), carries = draw(4), stepped = 1 + draw(2);
    std::string body, entry, names, shapes, outputs;
    std::vector<std::string> values;
    for (i64 k = 0; k < inputs + carries; ++k) {
      values.push_back("x" + std::to_string(k));
      const std::string number = " parameter(" + std::to_string(k) + ")\n";
      body += " " + values.back() + " = " + shape(part) + number;
      entry += " p" + std::to_string(k) + " = " + shape(k < inputs ? whole : part) + number;
      names += (k > 0 ? ", p" : "p") + std::to_string(k);
    }
    for (i64 k = draw(4); k > 0; --k) {
      const std::string name = "v" + std::to_string(k);
      if (!part.empty() && draw(6) == 0)
        body += " " + name + " = " + shape(part) + " reverse(" + any(values) + "), dimensions={0}\n";
      else
        body += " " + name + " = " + shape(part) + " add(" + any(values) + ", " + any(values) + ")\n";
      values.push_back(name);
    }
    for (i64 k = 0; k < stepped + carries; ++k) {
      outputs += (k > 0 ? ", " : "") + any(values);
      shapes += (k > 0 ? ", " : "") + shape(k < stepped ? whole : part);
    }
    std::string tuple;
    for (i64 k = 0; k < stepped + carries; ++k) tuple += (k > 0 ? ", " : "") + shape(part);
    return "HloModule m\nsc {\n" + body + " ROOT t = (" + tuple + ") tuple(" + outputs + ")\n}\nENTRY e {\n" + entry +
           " ROOT r = (" + shapes + ") scan(" + names + "), dimensions={" + std::to_string(at) +
           "}, num_carries=" + std::to_string(carries) + (draw(2) == 0 ? ", is_reverse=true" : "") +
           ", to_apply=sc\n}\n";
  }

 private:
  std::mt19937_64 rng_;
  i64 draw(i64 n) { return static_cast<i64>(rng_() % static_cast<u64>(n)); }
  const std::string& any(const std::vector<std::string>& v) {
    return v[static_cast<std::size_t>(draw(static_cast<i64>(v.size())))];
  }
  static std::string shape(const std::vector<i64>& sizes) {
    std::string out = "f32[";
    for (std::size_t k = 0; k < sizes.size(); ++k) out += (k > 0 ? "," : "") + std::to_string(sizes[k]);
    return out + "]";
  }
};

}  // namespace

TEST_CASE("a scan's output reads the inputs up to its own step") {
  CHECK(told(sum(""), 0) ==
        "(d0)[s0] -> (s0), domain: d0 in [0, 9], s0 in [0, 9], d0 - s0 in [0, 9]\n"
        "(d0) -> (), domain: d0 in [0, 9]\n");
  CHECK(told(sum("is_reverse=true, "), 0) ==
        "(d0)[s0] -> (s0), domain: d0 in [0, 9], s0 in [0, 9], s0 - d0 in [0, 9]\n"
        "(d0) -> (), domain: d0 in [0, 9]\n");
  CHECK(told(sum(""), 1) == "()[s0] -> (s0), domain: s0 in [0, 9]\n() -> ()\n");
}

TEST_CASE("a scan reads in both directions what an interpreter reads") {
  Compared compared;
  const i64 count = test::volume(300, 60'000);
  for (i64 seed = 1; seed <= count; ++seed)
    besideInterpreter(RandomScan(static_cast<u64>(seed)).text(), static_cast<u64>(seed), compared);
  CHECK(compared.exact > count);
  CHECK(compared.wider > count / 2);
}
