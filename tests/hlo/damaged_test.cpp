// Contradictory modules, made systematically from jax's dumps and from random computations: truncated after every
// token, without an attribute, with a meaningless one, with another size, with a missing operand or one too few. The
// report names the instruction with its line and the expectation, and all other instructions remain.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "core/hlo/compose/fusion.h"
#include "core/hlo/ops/op.h"
#include "core/hlo/text/module.h"
#include "core/notation/indexing/map.h"
#include "hlo/random_module.h"

using namespace tessera;
using namespace tessera::testing;
namespace fs = std::filesystem;

namespace {

// Small ones: dumps of up to 3,000 bytes, and computations of all operations that random_module.h knows.
std::vector<std::string> modules() {
  std::vector<std::pair<std::string, std::string>> found;
  for (const auto& entry : fs::directory_iterator(TESSERA_SOURCE_DIR "/tests/cases/hlo")) {
    std::ifstream in(entry.path());
    std::stringstream text;
    text << in.rdbuf();
    if (text.str().size() < 3000) found.emplace_back(entry.path().filename().string(), text.str());
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> texts;
  for (auto& [name, text] : found) texts.push_back(std::move(text));
  for (u64 seed = 1; seed <= 60; ++seed) texts.push_back(RandomComputation(seed + 7000).text(4, false));
  return texts;
}

struct Place {
  std::size_t computation = 0, instruction = 0;
};
const hlo::Instruction& at(const hlo::Module& m, Place p) {
  return m.computations.at(p.computation).instructions.at(p.instruction);
}
Result<std::vector<hlo::Reach>> readsAt(const hlo::Module& m, Place p) {
  return hlo::readsOf(m, {static_cast<int>(p.computation), static_cast<int>(p.instruction)});
}

std::string told(const Result<std::vector<hlo::Reach>>& reads) {
  if (!reads) return "error: " + reads.error().message;
  std::string out;
  for (const hlo::Reach& r : *reads) {
    out += std::to_string(r.slot) + " " + r.why + ": ";
    for (const Map& map : r.maps) out += indexing::print(indexing::toIndexingMap(map)) + "; ";
  }
  return out;
}

template <class Visit>
void eachInstruction(const hlo::Module& m, Visit visit) {
  for (std::size_t c = 0; c < m.computations.size(); ++c)
    for (std::size_t i = 0; i < m.computations[c].instructions.size(); ++i) visit(Place{c, i});
}

std::size_t offsetOf(const hlo::Module& m, std::string_view piece) {
  return static_cast<std::size_t>(piece.data() - m.text->data());
}
std::string replaced(const hlo::Module& m, std::string_view piece, const std::string& by) {
  std::string text = *m.text;
  return text.replace(offsetOf(m, piece), piece.size(), by);
}
// ", name=value" of an attribute.
std::string_view withComma(const hlo::Module& m, const hlo::Attribute& a) {
  const std::size_t begin = m.text->rfind(',', offsetOf(m, a.name)), end = offsetOf(m, a.value) + a.value.size();
  return std::string_view(*m.text).substr(begin, end - begin);
}

// The damaged instruction says what is wrong, by its name, in its line; or that it is not known what it reads; or it
// means what it did.
void namesIt(const hlo::Module& good, const hlo::Module& damaged, Place p, int& complaints) {
  const std::string name(at(good, p).name);
  const int line = good.lineAt(at(good, p).span.begin);
  bool named = false;
  for (const hlo::Problem& problem : damaged.problems) {
    CHECK(!problem.diag.expected.empty());
    if (problem.diag.message == name + " is not known") continue;  // a user of it
    named = true;
    CHECK(problem.instruction == name);
    CHECK(problem.line >= line);
  }
  CHECK(named == !damaged.problems.empty());
  if (!damaged.problems.empty()) {
    ++complaints;
    return;
  }
  const auto reads = readsAt(damaged, p);
  if (reads) {
    const auto unknown = [](const hlo::Reach& r) { return r.soundness == hlo::Soundness::Unknown && !r.why.empty(); };
    if (!reads->empty() && std::all_of(reads->begin(), reads->end(), unknown)) return;  // and says so
    const auto others = [](const hlo::Reach& r) {
      return r.why.starts_with("and of the other devices") || r.why.starts_with("of one of these devices");
    };
    if (std::any_of(reads->begin(), reads->end(), others)) return;  // a collective without its groups
    CHECK(told(reads) == told(readsAt(good, p)));
    return;
  }
  ++complaints;
  CHECK(reads.error().message.rfind(name + ": ", 0) == 0);
  CHECK(!reads.error().expected.empty());
  CHECK(damaged.lineAt(reads.error().span.begin) == line);
}

// Those that do not read it are reported as before.
void othersStand(const hlo::Module& good, const hlo::Module& damaged, Place p) {
  if (damaged.computations.size() != good.computations.size()) return;
  const hlo::Computation& c = good.computations[p.computation];
  if (damaged.computations[p.computation].instructions.size() != c.instructions.size()) return;
  for (std::size_t i = 0; i < c.instructions.size(); ++i) {
    const auto& operands = c.instructions[i].operands;
    const bool user = std::count(operands.begin(), operands.end(), static_cast<int>(p.instruction)) > 0;
    if (i != p.instruction && !user)
      CHECK(told(readsAt(damaged, {p.computation, i})) == told(readsAt(good, {p.computation, i})));
  }
}

}  // namespace

TEST_CASE("a module that is cut off keeps what stands before the cut") {
  for (const std::string& text : modules()) {
    const hlo::Module whole = hlo::readModule(text);
    std::size_t last = 0;
    for (std::size_t end = 1; end < text.size(); ++end) {
      const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
      if (part(text[end - 1]) && part(text[end])) continue;  // inside a token
      const hlo::Module cut = hlo::readModule(text.substr(0, end));
      std::size_t stands = 0;
      for (const hlo::Computation& c : cut.computations) stands += c.instructions.size();
      REQUIRE(stands + 1 >= last);  // a line is whole before its attributes are
      last = stands;
      for (const hlo::Problem& p : cut.problems) {
        REQUIRE(p.diag.span.end <= end);
        REQUIRE(!p.diag.expected.empty());
      }
      for (std::size_t c = 0; c + 1 < cut.computations.size(); ++c)
        REQUIRE(cut.computations[c].instructions.size() == whole.computations.at(c).instructions.size());
    }
  }
}

TEST_CASE("an attribute that is missing or means nothing is asked for") {
  int complaints = 0;
  for (const std::string& text : modules()) {
    const hlo::Module m = hlo::readModule(text);
    eachInstruction(m, [&](Place p) {
      if (!readsAt(m, p)) return;
      for (const hlo::Attribute& a : at(m, p).attributes) {
        if (hlo::namesComputations(a.name)) continue;  // another computation: below
        for (const std::string other : {"", "=", "={?}", "={9,8,7}", "={[5:3:0]}", "=99x99_99"}) {
          const std::string_view piece = withComma(m, a);
          const std::string now = other.empty() ? "" : ", " + std::string(a.name) + (other);
          INFO(at(m, p).name << ": " << std::string(a.name) << other << "\n" << text);
          const hlo::Module damaged = hlo::readModule(replaced(m, piece, now));
          namesIt(m, damaged, p, complaints);
          othersStand(m, damaged, p);
        }
      }
    });
  }
  CHECK(complaints > 1000);
}

TEST_CASE("a size that cannot be is refused where it stands") {
  int refused = 0;
  // Their results have sizes of their own.
  const std::set<std::string_view> free = {"parameter", "constant",          "iota",      "custom-call",
                                           "rng",       "rng-bit-generator", "all-gather"};
  for (const std::string& text : modules()) {
    const hlo::Module m = hlo::readModule(text);
    eachInstruction(m, [&](Place p) {
      const hlo::Instruction& i = at(m, p);
      const auto reads = readsAt(m, p);
      if (!reads || reads->empty() || free.count(i.opcode) > 0 || !m.shapeOf(i).isArray()) return;
      for (const hlo::Reach& r : *reads)
        if (r.soundness == hlo::Soundness::Unknown) return;
      const std::size_t open = m.text->find('[', i.span.begin);
      for (std::size_t k = 0; k < m.shapeOf(i).sizes().size(); ++k) {
        std::vector<i64> sizes = m.shapeOf(i).sizes();
        sizes[k] += 3;
        std::string list;
        for (const i64 n : sizes) list += (list.empty() ? "" : ",") + std::to_string(n);
        const std::string_view old = std::string_view(*m.text).substr(open + 1, m.text->find(']', open) - open - 1);
        if (old.find('<') != std::string_view::npos) return;  // a bound
        INFO(i.name << " " << list << "\n" << text);
        const hlo::Module damaged = hlo::readModule(replaced(m, old, list));
        REQUIRE(damaged.problems.empty());
        int complaints = 0;
        if (i.opcode == "broadcast") {  // an added dimension is as long as it likes
          const auto* dims = i.find("dimensions");
          const auto kept = hlo::numbers(dims->value);
          if (std::count(kept->begin(), kept->end(), static_cast<i64>(k)) == 0) continue;
        }
        namesIt(m, damaged, p, complaints);
        CHECK(complaints == 1);
        othersStand(m, damaged, p);
        refused += complaints;
      }
    });
  }
  CHECK(refused > 300);
}

TEST_CASE("an operand that is not there, one too few, one too many") {
  int unknown = 0, counted = 0;
  for (const std::string& text : modules()) {
    const hlo::Module m = hlo::readModule(text);
    eachInstruction(m, [&](Place p) {
      const hlo::Instruction& i = at(m, p);
      if (i.operands.empty() || !readsAt(m, p)) return;
      const std::string_view line = std::string_view(*m.text).substr(i.span.begin, i.span.end - i.span.begin);
      const std::string first(
          m.computations[p.computation].instructions.at(static_cast<std::size_t>(i.operands[0])).name);
      const std::size_t bracket = line.find(std::string(i.opcode) + "(") + i.opcode.size() + 1;
      const std::size_t name = line.find(first, bracket);
      REQUIRE(name != std::string_view::npos);
      INFO(line << "\n" << text);
      const hlo::Module gone = hlo::readModule(replaced(m, line.substr(name, first.size()), first + "_x"));
      REQUIRE(gone.problems.size() == 1);
      CHECK(gone.problems[0].instruction == i.name);
      CHECK(gone.problems[0].line == m.lineAt(offsetOf(m, line.substr(name, 1))));
      CHECK(gone.problems[0].diag.message.find("there is no " + first + "_x in ") == 0);
      CHECK(gone.problems[0].diag.hint.find("did you mean ") == 0);
      othersStand(m, gone, p);
      ++unknown;
      const std::set<std::string_view> any = {"opt-barrier", "rng",    "rng-bit-generator", "tuple", "custom-call",
                                              "call",        "fusion", "concatenate",       "map",   "sort"};
      if (any.count(i.opcode) > 0 || hlo::ruleOf(i.opcode) == nullptr || hlo::ruleOf(i.opcode)->reads == nullptr ||
          i.opcode.starts_with("all-"))
        return;
      const hlo::Module more = hlo::readModule(replaced(m, line.substr(name, first.size()), first + ", " + first));
      int complaints = 0;
      namesIt(m, more, p, complaints);
      CHECK(complaints == 1);
      counted += complaints;
    });
  }
  CHECK(unknown > 500);
  CHECK(counted > 300);
}
