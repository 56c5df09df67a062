// The player's clock against an interpreter that runs the loops; the slots of a thread against addressOf.
#include "core/graphene/steps.h"

#include <catch2/catch.hpp>
#include <random>

#include "core/notation/graphene/operations.h"
#include "tests/graphene/leaves.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

std::shared_ptr<const Program> programOf(const std::string& text) {
  auto read = readProgram(text);
  INFO(text << (read ? "" : "\n" + read.error().message));
  REQUIRE(read.ok());
  return std::make_shared<const Program>(*std::move(read));
}

Steps stepsOf(const std::string& text, const std::map<std::string, i64>& sizes = {}) {
  auto steps = Steps::of(programOf(text), sizes);
  INFO((steps ? "" : steps.error().message));
  REQUIRE(steps.ok());
  return *std::move(steps);
}

struct Moment {
  const Statement* statement = nullptr;
  std::vector<std::pair<int, i64>> loops;
  std::vector<bool> branches;
  i64 phase = 0;
};

// The slow one: loops run, every moment is written down.
class Interpreter {
 public:
  explicit Interpreter(const Steps& steps) : p_(steps.program()), values_(steps.sizes().begin(), steps.sizes().end()) {
    for (const Statement& s : p_.specs) {
      phase_ = 0;
      run(s);
    }
  }
  std::vector<Moment> moments;

 private:
  void run(const Statement& s) {
    if (const auto* spec = std::get_if<Spec>(&s.what); spec != nullptr && spec->decomposed) return body(spec->body);
    if (const auto* loop = std::get_if<Loop>(&s.what)) {
      const Variable& v = p_.variables[static_cast<std::size_t>(loop->variable)];
      const i64 hi = evaluate(v.hi, {}, values_);
      for (i64 k = evaluate(v.lo, {}, values_); k < hi; k += v.step) {
        values_[static_cast<std::size_t>(loop->variable)] = k;
        loops_.emplace_back(loop->variable, k);
        body(loop->body);
        loops_.pop_back();
      }
      return;
    }
    if (const auto* branch = std::get_if<Branch>(&s.what)) {
      branches_.push_back(true);
      body(branch->then);
      branches_.back() = false;
      body(branch->otherwise);
      branches_.pop_back();
      return;
    }
    if (std::holds_alternative<Define>(s.what) || std::holds_alternative<Indices>(s.what) ||
        std::holds_alternative<Temporary>(s.what))
      return;
    moments.push_back({&s, loops_, branches_, phase_});
    if (const auto* sync = std::get_if<Sync>(&s.what); sync != nullptr && !sync->warp) ++phase_;
  }
  void body(const Body& statements) {
    for (const Statement& s : statements) run(s);
  }
  const Program& p_;
  std::vector<i64> values_;
  std::vector<std::pair<int, i64>> loops_;
  std::vector<bool> branches_;
  i64 phase_ = 0;
};

void checkAgainstInterpreter(const Steps& steps) {
  const Interpreter slow(steps);
  REQUIRE(steps.count() == static_cast<i64>(slow.moments.size()));
  for (i64 n = 0; n < steps.count(); ++n) {
    const Step step = steps.at(n);
    const Moment& m = slow.moments[static_cast<std::size_t>(n)];
    INFO("step " << n);
    CHECK(step.number == n);
    CHECK(step.statement == m.statement);
    CHECK(step.loops == m.loops);
    CHECK(step.phase == m.phase);
    REQUIRE(step.branches.size() == m.branches.size());
    for (std::size_t k = 0; k < m.branches.size(); ++k) CHECK(step.branches[k].second == m.branches[k]);
    for (const Step::Passage& at : step.passages) CHECK(at.first <= n);
  }
}

const std::string kHead = R"(
%a:[64].fp32.GL  %b:[64].fp32.GL
#g:[2].block  #t:[32].thread
%b <- Spec<<<#g,#t>>>(%a) {
  (@x) = #t.indices()
  %s : [32].fp32.SH
  %p = %a.tile([32])[0][@x]
  %q = %s[@x]
)";

// A random body: leaves, barriers, loops whose bounds look at outer loops, branches.
std::string randomBody(std::mt19937& random, int depth, int& names, const std::vector<std::string>& around) {
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::string out;
  for (int k = 1 + pick(3); k > 0; --k) {
    const int what = pick(depth > 2 ? 4 : 7);
    if (what == 0)
      out += "sync ";
    else if (what == 1)
      out += "syncwarp ";
    else if (what == 2)
      out += "commit wait 0 ";
    else if (what == 3)
      out += "%q <- Move(%p) ";
    else if (what == 4)
      out += "if (@x < 7) { " + randomBody(random, depth + 1, names, around) + "} else { %q <- Init<0>() } ";
    else {
      const std::string name = "k" + std::to_string(names++);
      std::vector<std::string> inner = around;
      inner.push_back(name);
      const std::string lo = around.empty() || pick(2) == 0 ? std::to_string(pick(3)) : around.back();
      out += "for (" + name + " = " + lo + "; " + name + " < " + std::to_string(pick(5)) + "; " + name +
             " += " + std::to_string(1 + pick(2)) + ") { " + randomBody(random, depth + 1, names, inner) + "} ";
    }
  }
  return out;
}

}  // namespace

TEST_CASE("step n is the nth that an interpreter runs, loops inside loops and branches included") {
  checkAgainstInterpreter(stepsOf(test::kFigure1d));
  std::mt19937 random(14);
  for (int round = 0; round < 150; ++round) {
    int names = 0;
    const std::string text = kHead + randomBody(random, 0, names, {}) + "}";
    INFO(text);
    checkAgainstInterpreter(stepsOf(text));
  }
}

TEST_CASE("a program of 65536 steps, and one of 10^15, are found their way in without being run") {
  const Steps steps = stepsOf(test::kFigure8);
  CHECK(steps.count() == 1024 * 8 * 8);
  const Step last = steps.at(steps.count() - 1);
  REQUIRE(last.loops.size() == 3);
  CHECK(last.loops[0].second == 1023);
  CHECK(last.loops[1].second == 7);
  CHECK(last.loops[2].second == 7);
  CHECK(steps.firstOf(0) == 0);
  CHECK(steps.blocks(0) == 64);
  CHECK(steps.threads(0) == 256);
  const Steps huge =
      stepsOf(kHead +
              "for (i = 0; i < 1000000; i += 1) { for (j = 0; j < 1000000; j += 1) { for (k = 0; k < 1000; "
              "k += 1) { sync } } } }");
  CHECK(huge.count() == i64{1'000'000'000'000'000});
  CHECK(huge.at(123'456'789'012'345).phase == 123'456'789'012'345);
}

TEST_CASE("what cannot be watched is said: sizes, bounds that differ between threads, too many steps") {
  const auto fault = [](const std::string& text) {
    const auto steps = Steps::of(programOf(text));
    REQUIRE_FALSE(steps.ok());
    return steps.error().message;
  };
  CHECK(fault("%a:[N].fp32.GL %b:[N].fp32.GL #g:[1].block #t:[32].thread %b <- Move<<<#g,#t>>>(%a)") ==
        "the size N is not known");
  CHECK(fault(kHead + "for (k = 0; k < @x; k += 1) { sync } }") ==
        "the number of iterations of the loop over k differs between threads");
  std::string loops, ends;
  for (const char* name : {"i", "j", "k", "l"}) {
    loops += std::string("for (") + name + " = 0; " + name + " < 1000000; " + name + " += 1) { ";
    ends += "}";
  }
  CHECK(fault(kHead + loops + "sync " + ends + "}") == "this program has too many steps to play");
}

TEST_CASE("a thread's slots are where addressOf says, in logical order") {
  for (const std::string& text : {test::kFigure1d, test::kFigure8}) {
    const Steps steps = stepsOf(text);
    for (const i64 n : {i64{0}, steps.count() / 3, steps.count() - 1}) {
      const Step step = steps.at(n);
      for (const i64 thread : {0, 5, 31}) {
        const std::vector<i64> values = steps.values(step, 1 % steps.blocks(step.kernel), thread);
        const Spec& spec = *steps.tree().rows[static_cast<std::size_t>(step.row)].spec;
        for (std::size_t o = 0; o < spec.outputs.size() + spec.inputs.size(); ++o) {
          const Tensor& t = o < spec.outputs.size() ? spec.outputs[o] : spec.inputs[o - spec.outputs.size()];
          const auto slots = steps.slots(step, o);
          REQUIRE(slots.ok());
          const std::vector<Slot> got = slots->at(values);
          const FlatSlots flat = flatSlots(t);
          const std::vector<i64>& relative = flat.addresses;
          REQUIRE(got.size() == relative.size());
          for (std::size_t k = 0; k < got.size(); ++k) {
            CHECK(got[k].address == t.swizzle(evaluate(t.offset, {}, values) + relative[k]));
            for (std::size_t d = 0; d < t.origin.size(); ++d)
              CHECK(got[k].coordinate[d] == evaluate(t.origin[d], {}, values) + flat.coordinate(k)[d]);
            // The element's own address, by its coordinate in the tensor that owns it.
            const int root = steps.tree().rows[static_cast<std::size_t>(step.row)].roots[o];
            CHECK(addressIn(*steps.tree().roots[static_cast<std::size_t>(root)].tensor, got[k].coordinate, values) ==
                  got[k].address);
          }
        }
      }
    }
  }
}

TEST_CASE("what was written before a step, and what is still on its way") {
  const std::string text = R"(
%a:[64].fp32.GL  %o:[64].fp32.GL
#g:[1].block  #t:[64].thread
%o <- Move<<<#g,#t>>>(%a) {
  (@x) = #t.indices()
  for (k = 0; k < 2; k += 1) {
    %s : [64].fp32.SH
    %sx = %s[@x]  %ax = %a[@x]  %ox = %o[@x]
    if (@x < 32) { %sx <- Move<async>(%ax) }
    commit
    wait 0
    sync
    %ox <- Move(%sx)
  }
}
)";
  const Steps steps = stepsOf(text);  // 0 move 1 commit 2 wait 3 sync 4 move, twice
  REQUIRE(steps.count() == 10);
  const int s = steps.tree().named.at("%s"), o = steps.tree().named.at("%o");
  const auto at = [&](i64 n, int root) { return steps.writtenBefore(n, root, 0, 100'000); };
  CHECK(at(0, s).places.empty());
  CHECK(at(1, s).places.size() == 32);  // half of the threads take the branch
  CHECK_FALSE(at(1, s).places.at(31).arrived);
  CHECK_FALSE(at(2, s).places.at(31).arrived);
  CHECK(at(3, s).places.at(31).arrived);
  CHECK(at(5, s).places.empty());  // fresh in every passage
  CHECK(at(5, o).places.size() == 64);
  CHECK(at(9, o).places.at(63).step == 4);
  CHECK_FALSE(steps.writtenBefore(9, o, 0, 10).complete);
}
