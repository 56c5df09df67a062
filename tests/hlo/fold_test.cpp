// The tree of groups of a computation: laws over all dumps and random modules, against plain loops.
#include "core/hlo/compose/fold.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "core/hlo/cost/group_traffic.h"

using namespace tessera;

namespace {

namespace files = std::filesystem;

std::string textOf(const files::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<files::path> dumpsIn(const files::path& folder) {
  std::vector<files::path> found;
  if (files::is_directory(folder))
    for (const auto& entry : files::recursive_directory_iterator(folder))
      if (entry.path().extension() == ".hlo") found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<files::path> allDumps() {
  std::vector<files::path> found = dumpsIn(TESSERA_SOURCE_DIR "/tests/cases");
  if (const char* cases = std::getenv("TESSERA_CASES"))
    for (const files::path& path : dumpsIn(files::path(cases) / "hlo_real")) found.push_back(path);
  return found;
}

// What an instruction reads through plumbing, by recursion; for small modules.
void readsOf(const hlo::Computation& c, int i, std::set<int>& found) {
  for (const int operand : c.at(i).operands) {
    if (operand < 0 || c.at(operand).opcode == "constant") continue;
    const hlo::Instruction& from = c.at(operand);
    const int under = from.operands.empty() ? -1 : from.operands[0];
    if (from.opcode == "broadcast" && c.at(under).opcode == "constant" && from.value("dimensions") == "{}") continue;
    if (from.opcode == "get-tuple-element" && c.at(under).opcode == "tuple") {
      const int element =
          c.at(under).operands.at(static_cast<std::size_t>(std::stoi(std::string(from.value("index")))));
      hlo::Computation one;  // an instruction that reads only this element
      one.instructions = c.instructions;
      one.instructions[static_cast<std::size_t>(i)].operands = {element};
      readsOf(one, i, found);
    } else if (from.opcode == "tuple" || from.opcode == "bitcast" || from.opcode == "get-tuple-element") {
      readsOf(c, operand, found);
    } else {
      found.insert(operand);
    }
  }
}

// A module of layers: scopes or none, products, elementwise trees, tuples, a parameter for each layer.
std::string randomText(unsigned seed) {
  unsigned state = seed * 2654435761U + 12345U;
  const auto next = [&](unsigned n) { return (state = state * 1664525U + 1013904223U) / 65536U % n; };
  const unsigned layers = 1 + next(70), width = 1 + next(9);
  const bool scoped = next(2) == 0, same = next(3) > 0;
  std::string body =
      "  c = f32[] constant(2)\n  x = f32[8,8] parameter(0)\n  b = f32[8,8] broadcast(c), dimensions={}\n";
  std::vector<std::string> values{"x", "b"};
  std::vector<unsigned> plan;
  for (unsigned k = 0; k < 3 * width; ++k) plan.push_back(next(1000));
  int parameters = 1, count = 0;
  for (unsigned layer = 0; layer < layers; ++layer) {
    body += fmt::format("  w{} = f32[8,8] parameter({})\n", layer, parameters++);
    std::vector<std::string> inner{values.back(), fmt::format("w{}", layer)};
    for (unsigned k = 0; k < width; ++k) {
      if (!same) plan[3 * k] = next(1000);
      const unsigned what = plan[3 * k] % 6;
      const std::string name = fmt::format("v{}", count++);
      const std::string a = inner[plan[3 * k + 1] % inner.size()],
                        b = plan[3 * k] % 7 == 0 ? values[next(static_cast<unsigned>(values.size()))]
                                                 : inner[plan[3 * k + 2] % inner.size()];
      const std::string meta = scoped ? fmt::format(", metadata={{op_name=\"jit(f)/model/layer_{}/{}/op\"}}", layer,
                                                    k < width / 2 ? "a" : "b")
                                      : "";
      if (what == 0)
        body += fmt::format("  {} = f32[8,8] dot({}, {}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}{}\n",
                            name, a, b, meta);
      else if (what == 1)
        body += fmt::format(
            "  t{0} = (f32[8,8], f32[8,8]) tuple({1}, {2})\n  {0} = f32[8,8] "
            "get-tuple-element(t{0}), index={3}\n",
            name, a, b, k % 2);
      else if (what == 2)
        body += fmt::format("  {} = f32[8,8] transpose({}), dimensions={{1,0}}{}\n", name, a, meta);
      else
        body += fmt::format("  {} = f32[8,8] {}({}, {}){}\n", name, what == 3 ? "add" : "multiply", a, b, meta);
      inner.push_back(name);
    }
    values.push_back(inner.back());
  }
  return "HloModule m\nENTRY e {\n" + body + "  ROOT r = f32[8,8] negate(" + values.back() + ")\n}\n";
}

std::vector<int> instructionsOf(const hlo::Fold& fold, int group) {
  const hlo::Group& g = fold.groups[static_cast<std::size_t>(group)];
  return {fold.order.begin() + g.from, fold.order.begin() + g.to};
}

void checkTree(const hlo::Module& m, int computation) {
  const hlo::Computation& c = m.computation(computation);
  const hlo::Fold fold = hlo::foldOf(m, computation);
  std::vector<int> expected, all = fold.order;
  for (int i = 0; i < static_cast<int>(c.instructions.size()); ++i)
    if (!hlo::isPlumbing(c, i)) expected.push_back(i);
  std::sort(all.begin(), all.end());
  CHECK(all == expected);
  if (expected.empty()) {
    CHECK(fold.groups.empty());
    return;
  }
  CHECK(fold.groups.front().count() == static_cast<int>(fold.order.size()));
  std::set<std::string> names;
  std::size_t parents = 0;
  for (std::size_t g = 0; g < fold.groups.size(); ++g) {
    const hlo::Group& group = fold.groups[g];
    CHECK(group.parts.size() != 1);
    CHECK(group.parts.size() <= hlo::kMostParts);
    CHECK((group.count() == 1) == group.parts.empty());
    int at = group.from;
    for (const int part : group.parts) {
      const hlo::Group& of = fold.groups[static_cast<std::size_t>(part)];
      CHECK(of.parent == static_cast<int>(g));
      CHECK(of.from == at);
      at = of.to;
    }
    if (!group.parts.empty()) CHECK(at == group.to);
    parents += group.parts.size();
    const std::string name = hlo::nameOf(m, fold, static_cast<int>(g));
    CHECK(name.find(' ') == std::string::npos);
    names.insert(name);
  }
  CHECK(parents + 1 == fold.groups.size());
  CHECK(names.size() == fold.groups.size());
}

// The groups of a picture: a partition, edges only where something is read, no cycle.
void checkShown(const hlo::Module& m, const hlo::Fold& fold, int group, std::size_t most, bool isAcyclic) {
  const hlo::Computation& c = m.computation(fold.computation);
  const std::vector<int> shown = hlo::shownGroups(fold, group, most);
  CHECK(shown.size() <= most);
  std::vector<int> joined;
  std::map<int, int> boxOf;
  for (std::size_t b = 0; b < shown.size(); ++b)
    for (const int i : instructionsOf(fold, shown[b])) {
      joined.push_back(i);
      boxOf[i] = static_cast<int>(b);
    }
  CHECK(joined == instructionsOf(fold, group));
  std::set<std::pair<int, int>> expected, edges;
  for (const int i : joined) {
    std::set<int> reads;
    for (const hlo::Feed& feed : hlo::feedsOf(m, c, i)) reads.insert(feed.from);
    for (const int from : reads) {
      const int box = boxOf.count(from) > 0 ? boxOf[from] : -1;
      if (box != boxOf[i]) expected.insert({box, boxOf[i]});
    }
  }
  for (const hlo::GroupEdge& e : hlo::edgesBetween(m, fold, shown)) {
    edges.insert({e.from, e.to});
    CHECK(e.values > 0);
    if (isAcyclic) CHECK(e.from < e.to);
  }
  CHECK(edges == expected);
}

}  // namespace

TEST_CASE("every instruction of every dump is in one group, of which at most 60 are shown") {
  for (const files::path& path : allDumps()) {
    INFO(path.string());
    const hlo::Module m = hlo::readModule(textOf(path));
    for (int c = 0; c < static_cast<int>(m.computations.size()); ++c) {
      if (m.computation(c).instructions.size() < 12 && c != m.entry) continue;
      checkTree(m, c);
      const hlo::Fold fold = hlo::foldOf(m, c);
      if (fold.groups.empty()) continue;
      const bool isAcyclic = !hlo::cycleIn(m.computation(c));
      checkShown(m, fold, 0, 60, isAcyclic);
      checkShown(m, fold, 0, hlo::kMostParts, isAcyclic);
      for (std::size_t g = 0; g < fold.groups.size(); g += 1 + fold.groups.size() / 5)
        checkShown(m, fold, static_cast<int>(g), 30, isAcyclic);
    }
  }
}

TEST_CASE("random modules: groups partition, feeds are those of plain recursion, names are read back") {
  std::size_t repeats = 0;
  for (unsigned seed = 1; seed <= 150; ++seed) {
    const std::string text = randomText(seed);
    INFO(text);
    const hlo::Module m = hlo::readModule(text);
    REQUIRE(m.problems.empty());
    const hlo::Computation& c = m.computation(m.entry);
    for (int i = 0; i < static_cast<int>(c.instructions.size()); ++i) {
      std::set<int> expected, found;
      readsOf(c, i, expected);
      for (const hlo::Feed& feed : hlo::feedsOf(m, c, i)) found.insert(feed.from);
      CHECK(found == expected);
    }
    checkTree(m, m.entry);
    const hlo::Fold fold = hlo::foldOf(m, m.entry);
    for (std::size_t g = 0; g < fold.groups.size(); ++g) {
      CHECK(hlo::groupNamed(m, fold, hlo::nameOf(m, fold, static_cast<int>(g))) == static_cast<int>(g));
      repeats += fold.groups[g].kind == hlo::Group::Kind::Repeat ? 1 : 0;
    }
    CHECK_FALSE(hlo::groupNamed(m, fold, "nothing").has_value());
    for (const std::size_t most : {hlo::kMostParts, std::size_t{24}, std::size_t{60}})
      for (std::size_t g = 0; g < fold.groups.size(); g += 7) checkShown(m, fold, static_cast<int>(g), most, true);
  }
  CHECK(repeats > 100);
}

TEST_CASE("80 equal layers are one group, with or without scopes; their parts are the layers") {
  for (const bool scoped : {true, false}) {
    std::string body = "  v = f32[8,8] parameter(0)\n";
    std::string last = "v";
    for (int layer = 0; layer < 80; ++layer) {
      const auto meta = [&](const char* op) {
        return scoped ? fmt::format(", metadata={{op_name=\"jit(f)/net/layer_{}/{}\"}}", layer, op) : std::string();
      };
      body +=
          fmt::format("  d{0} = f32[8,8] dot({1}, {1}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}{2}\n",
                      layer, last, meta("dot"));
      body += fmt::format("  e{0} = f32[8,8] exponential(d{0}){1}\n", layer, meta("exp"));
      body += fmt::format("  a{0} = f32[8,8] add(e{0}, {1}){2}\n", layer, last, meta("add"));
      last = fmt::format("a{}", layer);
    }
    const hlo::Module m = hlo::readModule("HloModule m\nENTRY e {\n" + body + "  ROOT r = f32[8,8] transpose(" + last +
                                          "), dimensions={1,0}, metadata={op_name=\"jit(f)/out/t\"}\n}\n");
    REQUIRE(m.problems.empty());
    const hlo::Fold fold = hlo::foldOf(m, m.entry);
    const std::vector<int> shown = hlo::shownGroups(fold, 0, 60);
    const auto repeat = std::find_if(shown.begin(), shown.end(), [&](int g) {
      return fold.groups[static_cast<std::size_t>(g)].kind == hlo::Group::Kind::Repeat;
    });
    REQUIRE(repeat != shown.end());
    const hlo::Group& g = fold.groups[static_cast<std::size_t>(*repeat)];
    CHECK(g.count() == 240);
    CHECK(g.label == (scoped ? "\u00d780  layer_#" : "\u00d780  dot, add, exponential"));
    if (scoped) {
      const auto found = hlo::groupNamed(m, fold, "net/layer_3");
      REQUIRE(found.has_value());
      CHECK(fold.groups[static_cast<std::size_t>(*found)].count() == 3);
    }
  }
}

TEST_CASE("layers that take other slices of one array are repeated, those wired otherwise are not") {
  for (const bool same : {true, false}) {
    std::string body = "  s = f32[80,8,8] parameter(0)\n  v = f32[8,8] parameter(1)\n", last = "v";
    for (int k = 0; k < 80; ++k) {
      body += fmt::format("  w{0} = f32[1,8,8] slice(s), slice={{[{0}:{1}], [0:8], [0:8]}}\n", k, k + 1);
      body += fmt::format("  b{0} = f32[8,8] reshape(w{0})\n", k);
      body += fmt::format("  d{0} = f32[8,8] dot({1}, b{0}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n",
                          k, last);
      body +=
          fmt::format("  t{0} = f32[8,8] transpose({1}{0}), dimensions={{1,0}}\n", k, same || k % 2 == 0 ? "d" : "b");
      body +=
          fmt::format("  e{0} = f32[8,8] dot(t{0}, {1}{0}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n",
                      k, same || k % 2 == 0 ? "t" : "d");
      last = fmt::format("e{}", k);
    }
    const hlo::Module m =
        hlo::readModule("HloModule m\nENTRY e {\n" + body + "  ROOT r = f32[8,8] negate(" + last + ")\n}\n");
    REQUIRE(m.problems.empty());
    const hlo::Fold fold = hlo::foldOf(m, m.entry);
    int most = 0;
    for (const hlo::Group& g : fold.groups)
      if (g.kind == hlo::Group::Kind::Repeat && g.label.starts_with("\u00d780")) most = std::max(most, g.count());
    CHECK(most == (same ? 400 : 0));
  }
}

TEST_CASE("the waste of the groups is that of the ranking, times the runs of its loops") {
  int wasteful = 0;
  for (const files::path& path : allDumps()) {
    INFO(path.string());
    const hlo::Module m = hlo::readModule(textOf(path));
    if (m.entry < 0) continue;
    const hlo::Ranking ranking = hlo::rankingOf(m);
    hlo::Traffic expected, found;
    for (const hlo::KernelWaste& k : ranking.kernels)
      expected.add({k.needed() * k.runs, k.asked() * k.runs, k.wastedInAll(), 1, true});
    const std::vector<hlo::Traffic> all = hlo::trafficOf(m, ranking, m.entry);
    const hlo::Fold fold = hlo::foldOf(m, m.entry);
    if (fold.groups.empty()) continue;
    for (const int g : hlo::shownGroups(fold, 0, 60))
      for (const int i : instructionsOf(fold, g)) found.add(all[static_cast<std::size_t>(i)]);
    CHECK(found.wasted == expected.wasted);
    CHECK(found.asked == expected.asked);
    CHECK(found.needed == expected.needed);
    wasteful += found.wasted > 0 ? 1 : 0;
  }
  CHECK(wasteful > 10);
}

TEST_CASE("a cycle and plumbing in a circle end") {
  for (const char* body : {"  a = f32[4] negate(b)\n  b = f32[4] negate(a)\n  ROOT c = f32[4] negate(a)\n",
                           "  a = f32[4] bitcast(b)\n  b = f32[4] bitcast(a)\n  ROOT c = f32[4] negate(a)\n",
                           "  t = (f32[4]) tuple(g)\n  g = f32[4] get-tuple-element(t), index=0\n"
                           "  ROOT c = f32[4] negate(g)\n"}) {
    const hlo::Module m = hlo::readModule(std::string("HloModule m\nENTRY e {\n") + body + "}\n");
    checkTree(m, m.entry);
  }
}
