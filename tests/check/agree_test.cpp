// Random small programs: running, Z3 and an independent model agree. The programs move data from one global matrix to
// another through shared memory by 16 threads, with random places and predicates, so most are wrong somewhere.
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "solver/graphene/check.h"
#include "solver/prove/prove.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

constexpr int kN = 4;  // threads (y, x), y and x below 4

// a*y + b*x + c
struct Place {
  int a = 0, b = 0, c = 0;
  [[nodiscard]] int at(int y, int x) const { return a * y + b * x + c; }
  [[nodiscard]] std::string text() const {
    return std::to_string(a) + "*@y + " + std::to_string(b) + "*@x + " + std::to_string(c);
  }
};

struct Sample {
  Place from, write, read, to;  // %in[from] -> %s[write], barrier, %s[read] -> %out[to]
  bool sync = true;
  int writers = 16, readers = 16;  // those threads with 4*y + x below

  [[nodiscard]] std::string text() const {
    const auto guarded = [](int below, const std::string& body) {
      return below == 16 ? body : "if (4*@y + @x < " + std::to_string(below) + ") {" + body + "}\n";
    };
    return "%in:[16].fp32.GL %out:[16].fp32.GL #b:[1].block #t:[4,4:4,1].thread\n"
           "%out <- Move<<<#b,#t>>>(%in) {\n (@y,@x) = #t.indices()\n %s:[20].fp32.SH\n %r:[].fp32.RF %q:[].fp32.RF\n" +
           guarded(writers,
                   " %f = %in[" + from.text() + "] %w = %s[" + write.text() + "]\n %r <- Move(%f)\n %w <- Move(%r)\n") +
           (sync ? " sync\n" : "") +
           guarded(readers,
                   " %g = %s[" + read.text() + "] %o = %out[" + to.text() + "]\n %q <- Move(%g)\n %o <- Move(%q)\n") +
           "}\n";
  }
};

// What holds of a sample, by the definitions, thread by thread.
std::map<Obligation, bool> model(const Sample& s) {
  std::map<Obligation, bool> holds;
  bool inside = true, once = true, races = true, defined = true, value = true;
  std::vector<std::vector<int>> writersOf(20);  // threads that write each place
  std::vector<int> source(20, -1), written(16, 0), got(16, -1);
  for (int t = 0; t < 16; ++t) {
    if (t >= s.writers) continue;
    const int f = s.from.at(t / kN, t % kN), w = s.write.at(t / kN, t % kN);
    inside = inside && f >= 0 && f < 16 && w >= 0 && w < 20;
    if (f < 0 || f >= 16 || w < 0 || w >= 20) continue;
    writersOf[static_cast<std::size_t>(w)].push_back(t);
    source[static_cast<std::size_t>(w)] = f;
  }
  for (const auto& w : writersOf) races = races && w.size() < 2;
  for (int t = 0; t < 16; ++t) {
    if (t >= s.readers) continue;
    const int r = s.read.at(t / kN, t % kN), o = s.to.at(t / kN, t % kN);
    inside = inside && r >= 0 && r < 20 && o >= 0 && o < 16;
    if (r < 0 || r >= 20 || o < 0 || o >= 16) continue;
    const auto& w = writersOf[static_cast<std::size_t>(r)];
    for (const int other : w) races = races && (s.sync || other == t);
    defined = defined && !w.empty();
    got[static_cast<std::size_t>(o)] = source[static_cast<std::size_t>(r)];
    if (++written[static_cast<std::size_t>(o)] > 1) once = races = false;
  }
  bool covered = true;
  for (int o = 0; o < 16; ++o) {
    covered = covered && written[static_cast<std::size_t>(o)] > 0;
    value = value && (written[static_cast<std::size_t>(o)] == 0 || got[static_cast<std::size_t>(o)] == o);
  }
  holds[Obligation::Bounds] = inside;
  if (!inside) return holds;  // what lies outside is nowhere: the rest is not said
  holds[Obligation::Coverage] = covered;
  holds[Obligation::Uniqueness] = once;
  holds[Obligation::Races] = races;
  if (!races) return holds;
  holds[Obligation::Definedness] = defined;
  if (defined) holds[Obligation::Value] = value;
  return holds;
}

Sample random(std::mt19937& g) {
  const auto pick = [&](std::initializer_list<Place> all) { return *(all.begin() + g() % all.size()); };
  Sample s;
  const Place row{4, 1, 0}, column{1, 4, 0};
  s.from = pick({row, column, row, {4, 1, 1}, {3, 1, 0}});
  s.to = pick({row, column, row, {4, 2, 0}, {4, 1, 0}});
  s.write = pick({row, column, {5, 1, 0}, {1, 5, 0}, {4, 1, 2}, {2, 1, 0}, {4, 1, 6}});
  s.read = g() % 2 == 0 ? s.write : pick({row, column, {5, 1, 0}, {1, 5, 0}, {4, 1, 2}});
  s.sync = g() % 4 != 0;
  if (g() % 4 == 0) s.writers = 1 + static_cast<int>(g() % 16);
  if (g() % 4 == 0) s.readers = 1 + static_cast<int>(g() % 16);
  return s;
}

}  // namespace

TEST_CASE("random moves through shared memory: running, Z3 and a model say the same") {
  std::mt19937 g(20231);
  int decided = 0, refutations = 0;
  for (int n = 0; n < 90; ++n) {
    const Sample s = random(g);
    const auto p = readProgram(s.text());
    INFO("seed 20231, sample " << n << "\n" << s.text());
    REQUIRE(p.ok());
    const auto truth = model(s);
    for (const CheckMethod method : {CheckMethod::Running, CheckMethod::Z3}) {
      if (method == CheckMethod::Z3 && (!haveZ3() || n % 3 != 0)) continue;
      const CheckResult r = checkProgram(*p, {.budgetSeconds = 5000, .method = method});
      for (const ObligationVerdict& o : r.specs.front().obligations) {
        INFO(label(o.obligation) << " " << graphene::name(o.standing) << " (" << o.method << "): " << o.reason);
        const auto known = truth.find(o.obligation);
        if (known == truth.end() || o.standing == Standing::Unknown) continue;
        CHECK((o.standing == Standing::Proved) == known->second);
        ++decided;
        refutations += o.standing == Standing::Refuted ? 1 : 0;
      }
      if (method == CheckMethod::Running)
        for (const auto& [o, holds] : truth)
          for (const ObligationVerdict& v : r.specs.front().obligations)
            if (v.obligation == o) CHECK(v.standing != Standing::Unknown);
    }
  }
  CHECK(decided > 200);
  CHECK(refutations > 30);
}
