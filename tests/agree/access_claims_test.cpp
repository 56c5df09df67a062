// conflict_free, coalesced and vectorizes: the F2 argument, enumeration through the prover's own address map, Z3 and
// the tile tables of core/analysis agree on random tiles and accesses. The access map equals the access list.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "core/analysis/access/access_map.h"
#include "core/analysis/swizzle/find_swizzle.h"
#include "core/atlas/atlas.h"
#include "core/notation/cute/notation.h"
#include "solver/prove/prove.h"
#include "solver/prove/synthesize_swizzle.h"
#include "tests/support/composed_tile.h"

using namespace tessera;

namespace {

const std::vector<std::string> kAccesses = {"ldmatrix.x1",
                                            "ldmatrix.x2",
                                            "ldmatrix.x4",
                                            "ldmatrix.x4.trans",
                                            "stmatrix.x4",
                                            "ld.shared",
                                            "ld.shared.v2",
                                            "ld.shared.v4",
                                            "st.shared.v4",
                                            "cp.async8",
                                            "ld.shared.column",
                                            "ld.shared.v4.column",
                                            "ld.shared.row",
                                            "ldmatrix.m16n16.x2.trans.b8",
                                            "cp.async.ca.shared.global.16"};

// Every name of the atlas whose lanes address memory, and the ways to aim them that have no row.
std::vector<std::string> everyAccess() {
  std::vector<std::string> names = {"ld.shared",           "st.shared.column",    "ld.shared.v2.row",
                                    "ld.shared.v4.column", "ld.global.v8.column", "cp.async4.row"};
  for (const AtlasRow& row : atlas())
    if (accessOf(row) != nullptr) names.push_back(row.name);
  return names;
}

struct Drawn {
  std::string text;
  Map map;
  Tile tile;
  int bits;
};

// A random tile: extents of powers of two or not, rows or columns contiguous, padded or not, swizzled or not.
std::optional<Drawn> randomTile(std::mt19937_64& random) {
  const auto pick = [&](i64 n) { return static_cast<i64>(random() % static_cast<u64>(n)); };
  const int bits = static_cast<int>(i64{8} << pick(4));
  const bool odd = pick(4) == 0;
  const i64 rows = odd ? 8 * (1 + pick(5)) : i64{8} << pick(4), columns = odd ? 8 * (1 + pick(6)) : i64{8} << pick(4);
  const bool rowMajor = pick(3) != 0;
  const i64 pad = pick(3) == 0 ? (128 / bits) * (1 + pick(3)) : 0, run = rowMajor ? columns : rows;
  const std::string layout = rowMajor ? fmt::format("({},{}):({},1)", rows, columns, run + pad)
                                      : fmt::format("({},{}):(1,{})", rows, columns, run + pad);
  if (pick(2) == 0) {
    const i64 b = 1 + pick(3);
    const auto composed =
        cute::parseComposedLayout(fmt::format("Sw<{},{},{}> o 0 o {}", b, pick(5), b + pick(3), layout));
    if (!composed) return std::nullopt;
    const auto map = toMap(*composed);
    if (!map) return std::nullopt;
    return Drawn{print(*composed), *map, tileOf(*composed, bits), bits};
  }
  const auto plain = cute::parseLayout(layout);
  const auto map = toMap(*plain);
  const auto tile = Tile::of(*plain, bits);
  if (!map || !tile) return std::nullopt;
  return Drawn{layout, *map, *tile, bits};
}

}  // namespace

// The same lanes at the same elements, access by access in any order; or neither fits, for one reason.
bool sameAccesses(const Drawn& t, const AccessSpec& spec) {
  using Places = std::vector<std::tuple<int, i64, i64>>;  // lane, row, column
  const auto list = accesses(t.tile, spec);
  const auto map = accessMap(spec, t.tile.rows(), t.tile.columns(), contiguousAlongRow(t.map, 1), t.bits);
  if (!map) {
    CHECK(!list);
    if (!list) CHECK(list.error().expected == map.error().expected);
    return false;
  }
  if (!list) return false;  // contiguity and alignment, which the map does not judge
  const LanePhases& phases = map->access.phases;
  CHECK(map->lanes.map.digits()[0].extent == phases.lanes);
  CHECK(map->lanes.map.digits()[1].extent == phases.count);
  REQUIRE(*map->lanes.map.pointCount() / phases.active() == static_cast<i64>(list->size()));
  std::set<Places> a, b;
  for (const TileAccess& access : *list) {
    CHECK(static_cast<const AtlasAccess&>(access.warp) == map->access);
    Places at;
    for (int l = 0; l < kWarpLanes; ++l)
      if (access.warp.addresses[static_cast<std::size_t>(l)] != kInactive)
        at.emplace_back(l, access.lanes[static_cast<std::size_t>(l)].row,
                        access.lanes[static_cast<std::size_t>(l)].column);
    a.insert(at);
  }
  std::vector<i64> extents;
  for (const Digit& d : map->lanes.map.digits()) extents.push_back(d.extent);
  for (i64 first = 0; first < *map->lanes.map.pointCount(); first += phases.active()) {
    Places at;
    for (i64 l = 0; l < phases.active(); ++l) {
      const std::vector<i64> digits = delinearize(first + l, extents, LinearOrder::Colex);
      if (!map->lanes.map.isReal(digits)) continue;
      const std::vector<i64> rc = map->lanes.map.at(digits);
      at.emplace_back(phases.lane(static_cast<int>(digits[1]), static_cast<int>(digits[0])), rc[0], rc[1]);
    }
    std::sort(at.begin(), at.end());
    b.insert(at);
  }
  CHECK(a == b);
  return true;
}

TEST_CASE("the access map begins its lanes where the access list does, for every access of the atlas") {
  std::mt19937_64 random(11);
  std::map<std::string, int> compared;
  const std::vector<std::string> names = everyAccess();
  REQUIRE(names.size() > 50);
  for (int n = 0; n < 200; ++n) {
    const auto t = randomTile(random);
    if (!t) continue;
    for (int k = 0; k < 12; ++k) {
      const std::string& name = names[static_cast<std::size_t>(12 * n + k) % names.size()];
      const auto spec = parseAccess(name);
      INFO(t->text << " " << name << " " << t->bits);
      REQUIRE(spec.ok());
      compared[name] += sameAccesses(*t, *spec) ? 1 : 0;
    }
  }
  for (const std::string& name : names) {
    INFO(name);
    CHECK(compared[name] > 0);
  }
}

// A second opinion on where matrices are: the lane's row of a block, written out for the sixteen halves of one block.
TEST_CASE("matrices stand below each other first, then beside") {
  struct Row {
    const char* access;
    const char* layout;
    int bits;
    std::vector<std::pair<i64, i64>> firstOfMatrix;
  };
  const Row rows[] = {
      {"ldmatrix.x1", "(8,8):(8,1)", 16, {{0, 0}}},
      {"ldmatrix.x2", "(16,8):(8,1)", 16, {{0, 0}, {8, 0}}},
      {"ldmatrix.x2", "(8,16):(16,1)", 16, {{0, 0}, {0, 8}}},
      {"ldmatrix.x4", "(16,16):(16,1)", 16, {{0, 0}, {8, 0}, {0, 8}, {8, 8}}},
      {"ldmatrix.x4", "(8,32):(32,1)", 16, {{0, 0}, {0, 8}, {0, 16}, {0, 24}}},
      {"ldmatrix.x4", "(32,8):(8,1)", 16, {{0, 0}, {8, 0}, {16, 0}, {24, 0}}},
      {"ldmatrix.x4.trans", "(16,16):(1,16)", 16, {{0, 0}, {0, 8}, {8, 0}, {8, 8}}},
      {"ldmatrix.x4", "(16,8):(8,1)", 32, {{0, 0}, {8, 0}, {0, 4}, {8, 4}}},
      {"ldmatrix.m16n16.x1.trans.b8", "(16,16):(1,16)", 8, {{0, 0}}},
      {"ldmatrix.m16n16.x2.trans.b8", "(16,32):(1,16)", 8, {{0, 0}, {0, 16}}},
      {"ldmatrix.m16n16.x2.trans.b8", "(32,16):(1,32)", 8, {{0, 0}, {16, 0}}},
      {"stmatrix.m16n8.x4.trans.b8", "(32,16):(1,32)", 8, {{0, 0}, {0, 8}, {16, 0}, {16, 8}}},
      {"ldmatrix.m8n16.x2.b8x16.b4x16_p64", "(16,16):(16,1)", 8, {{0, 0}, {8, 0}}},
  };
  for (const Row& row : rows) {
    const Tile tile = *Tile::of(*cute::parseLayout(row.layout), row.bits);
    const AccessSpec spec = *parseAccess(row.access);
    const auto list = accesses(tile, spec);
    INFO(row.access << " " << row.layout << (list ? "" : " " + list.error().message));
    REQUIRE(list.ok());
    REQUIRE(list->size() == 1);
    for (std::size_t m = 0; m < row.firstOfMatrix.size(); ++m)
      for (std::size_t r = 0; r < static_cast<std::size_t>(spec.matrixRows); ++r) {
        const bool down = !spec.trans;  // the rows of a matrix lie below each other; transposed beside
        const i64 step = static_cast<i64>(r);
        CHECK(
            list->front().lanes[m * static_cast<std::size_t>(spec.matrixRows) + r] ==
            TileCoord{row.firstOfMatrix[m].first + (down ? step : 0), row.firstOfMatrix[m].second + (down ? 0 : step)});
      }
  }
}

TEST_CASE("conflict_free: every method says what the tile's report says") {
  std::mt19937_64 random(5);
  int proved = 0, refuted = 0, byRank = 0, byZ3 = 0;
  for (int n = 0; n < 400; ++n) {
    const auto t = randomTile(random);
    if (!t) continue;
    const AccessSpec access = *parseAccess(kAccesses[random() % kAccesses.size()]);
    Claim claim{claims::ConflictFree{{t->map, 1, t->bits}, access}};
    const auto report = bankReport(t->tile, std::span(&access, 1));
    INFO(t->text << " " << access.text << " " << t->bits << " bits");
    if (!report) {  // it does not fit: nothing is proved about it
      CHECK(prove(claim).truth == Truth::Unknown);
      continue;
    }
    const Truth truth = report->excess == 0 ? Truth::Proved : Truth::Refuted;
    (truth == Truth::Proved ? proved : refuted)++;
    for (const Method method : {Method::Auto, Method::Exhaustive, Method::F2, Method::Z3}) {
      if (method == Method::Z3 && n % 8 != 0) continue;
      claim.method = method;
      const Verdict v = prove(claim);
      INFO(name(method) << ": " << v.detail);
      if (method == Method::Auto || method == Method::Exhaustive) CHECK(v.truth == truth);
      if (v.truth == Truth::Unknown) continue;
      CHECK(v.truth == truth);
      byRank += method == Method::F2 ? 1 : 0;
      byZ3 += method == Method::Z3 ? 1 : 0;
      if (v.truth == Truth::Refuted) CHECK(v.counterexample->points.size() >= 2);
    }
  }
  CHECK(proved > 20);
  CHECK(refuted > 20);
  CHECK(byRank > 50);
  if (haveZ3()) CHECK(byZ3 > 5);
}

TEST_CASE("coalesced and vectorizes say what the tables say") {
  std::mt19937_64 random(6);
  int both[2] = {0, 0};
  for (int n = 0; n < 300; ++n) {
    const auto t = randomTile(random);
    if (!t) continue;
    const claims::Memory memory{t->map, 1, t->bits};
    const AccessSpec access = *parseAccess(random() % 2 == 0 ? "ld.global.v4" : "ld.global");
    INFO(t->text << " " << t->bits << " bits");
    if (const auto sectors = tileSectors(t->tile, access)) {
      const Truth truth = sectors->worst ? Truth::Refuted : Truth::Proved;
      for (const Method method : {Method::Auto, Method::F2, Method::Exhaustive}) {
        const Verdict v = prove({claims::Coalesced{memory, access}, method});
        INFO(name(method) << " " << v.detail);
        if (v.truth != Truth::Unknown || method != Method::F2) CHECK(v.truth == truth);
      }
    }
    const i64 bytes = i64{1} << (random() % 5);
    if (8 * bytes < t->bits) continue;
    const bool fits = vectorFault(t->tile, static_cast<int>(bytes)).empty();
    INFO("vectorizes " << bytes << ": " << vectorFault(t->tile, static_cast<int>(bytes)));
    CHECK(prove({claims::Vectorizes{memory, bytes}}).truth == (fits ? Truth::Proved : Truth::Refuted));
    ++both[fits ? 1 : 0];
  }
  CHECK(both[0] > 10);
  CHECK(both[1] > 10);
}

TEST_CASE("a tile of 2^46 elements is proved conflict-free, by rank and by Z3") {
  const auto layout = cute::parseComposedLayout("Sw<3,3,3> o 0 o (1099511627776,64):(64,1)");
  REQUIRE(layout.ok());
  Claim claim{claims::ConflictFree{{*toMap(*layout), 1, 16}, *parseAccess("ldmatrix.x4")}};
  for (const Method method : {Method::Auto, Method::F2, Method::Z3}) {
    if (method == Method::Z3 && !haveZ3()) continue;
    claim.method = method;
    CHECK(prove(claim).truth == Truth::Proved);
  }
  claim.method = Method::Exhaustive;
  CHECK(prove(claim).truth == Truth::Unknown);
}

namespace {

FindRequest request(const std::string& layout, int bits, const std::vector<std::string>& specs) {
  FindRequest r;
  r.layout = *cute::parseLayout(layout);
  r.elementBits = bits;
  for (const std::string& s : specs) r.specs.push_back(*parseAccess(s));
  r.method = Method::Z3;
  return r;
}

// Every invertible 0/1 matrix on the bits of 16-byte elements, tried on the bank model: whether one serves.
bool someMatrixServes(const FindRequest& r) {
  const auto tile = Tile::of(r.layout, r.elementBits);
  const int n = static_cast<int>(std::bit_width(static_cast<u64>(tile->span() - 1)));
  for (u64 rows = 0; rows < (u64{1} << (3 * n)); ++rows) {
    std::vector<i64> offsets;
    const u64 mask = (u64{1} << n) - 1;
    const u64 row[3] = {rows & mask, rows >> n & mask, rows >> (2 * n) & mask};
    // Independent rows can be completed to an invertible matrix.
    bool independent = true;
    for (unsigned set = 1; set < 8; ++set) {
      u64 sum = 0;
      for (unsigned k = 0; k < 3; ++k) sum ^= (set >> k & 1) != 0 ? row[k] : 0;
      independent = independent && sum != 0;
    }
    if (!independent) continue;
    for (const i64 o : tile->offsets()) {
      i64 bank = 0;
      for (unsigned k = 0; k < 3; ++k) bank |= static_cast<i64>(std::popcount(row[k] & static_cast<u64>(o)) & 1) << k;
      offsets.push_back(o * 8 + bank);  // the high part keeps them apart, the low three bits are the banks
    }
    const Tile moved = Tile::ofTable(tile->rows(), tile->columns(), offsets, r.elementBits, "");
    const auto report = bankReport(moved, r.specs);
    if (report && report->excess == 0) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("synthesised swizzles serve, and none is said only when no matrix serves") {
  if (!haveZ3()) return;
  // 16-byte elements: three bank bits, so that every matrix can be tried.
  int served = 0, none = 0;
  for (const char* layout : {"(8,4):(4,1)", "(4,8):(8,1)", "(8,4):(1,8)", "(16,2):(2,1)", "(2,16):(16,1)"}) {
    for (const std::vector<std::string>& specs : std::vector<std::vector<std::string>>{
             {"ld.shared.column"}, {"ld.shared.row"}, {"ld.shared.row", "ld.shared.column"}}) {
      const FindRequest r = request(layout, 128, specs);
      const auto found = synthesizeSwizzle(r);
      INFO(layout << " " << specs.size() << " " << (found ? print(*found) : found.error().message));
      REQUIRE(found.ok());
      CHECK(found->exists() == someMatrixServes(r));
      (found->exists() ? served : none)++;
      if (!found->exists()) continue;
      CHECK(rank(found->matrix) == static_cast<int>(found->matrix.columns.size()));
    }
  }
  CHECK(served > 5);
  const auto gemm = synthesizeSwizzle(request("(128,64):(64,1)", 16, {"ldmatrix.x4", "cp.async16"}));
  REQUIRE(gemm.ok());
  CHECK(print(*gemm) == "a3 ^= a6, a4 ^= a7, a5 ^= a8");
  const auto impossible = synthesizeSwizzle(request("(32,32):(32,1)", 32, {"ld.shared.column", "ld.shared.v4.row"}));
  REQUIRE(impossible.ok());
  CHECK(!impossible->exists());
  CHECK(impossible->none.find("unsatisfiable") != std::string::npos);
  CHECK(!synthesizeSwizzle(request("(32,33):(33,1)", 32, {"ld.shared.column"})).ok());
}

TEST_CASE("the search over Sw<B,M,S> and Z3 meet: what the list holds, Z3 finds, and its none is the list's") {
  if (!haveZ3()) return;
  int listed = 0, none = 0, beyond = 0;
  const auto meet = [&](const std::string& layout, int bits, const std::vector<std::string>& specs) {
    const FindRequest r = request(layout, bits, specs);
    const auto list = findSwizzle(r.layout, bits, r.specs);
    const auto found = synthesizeSwizzle(r);
    if (!found) return;  // torn or misaligned as it is, or not linear over F2: outside Z3's question
    INFO(layout << " " << bits << " " << specs.front() << ": " << print(*found) << found->none);
    REQUIRE(list.ok());
    if (!list->swizzles.empty()) CHECK(found->exists());
    if (!found->exists()) CHECK(list->swizzles.empty());
    (!list->swizzles.empty() ? listed : found->exists() ? beyond : none)++;
  };
  const std::vector<std::pair<int, std::vector<std::string>>> questions = {
      {8, {"ld.shared.column"}},
      {16, {"ld.shared.row", "st.shared.column"}},
      {16, {"ldmatrix.x4"}},
      {16, {"ldmatrix.x4.trans"}},
      {16, {"ldmatrix.x2", "cp.async16"}},
      {16, {"st.shared.b32.column"}},
      {32, {"ld.shared.v4.row", "st.shared.column"}},
      {64, {"ld.shared.column", "ld.shared.row"}}};
  for (const auto& [bits, specs] : questions)
    for (const char* layout : {"(64,32):(64,1)", "(16,16):(16,1)", "(32,8):(64,1)", "(4,32):(64,1)", "(16,2):(32,1)",
                               "(2,16):(1,64)", "((4,8),16):((16,128),1)"})
      meet(layout, bits, specs);
  INFO(listed << " listed, " << beyond << " only by Z3, " << none << " none");
  CHECK(listed > 15);
  CHECK(none > 0);
  // The statements that were wrong: a slice of a wider tile, and a tile padded by two.
  meet("(64,32):(64,1)", 16, {"ldmatrix.x4"});
  CHECK(print(*synthesizeSwizzle(request("(64,32):(64,1)", 16, {"ldmatrix.x4"}))) == "a3 ^= a6, a4 ^= a7, a5 ^= a8");
}

TEST_CASE("an access composed with the layout and the banks asks what the bank model counts") {
  std::mt19937_64 random(23);
  int compared = 0;
  for (int round = 0; round < 400; ++round) {
    const auto t = randomTile(random);
    if (!t) continue;
    const auto spec = parseAccess(kAccesses[random() % kAccesses.size()]);
    const auto access = accessMap(*spec, t->tile.rows(), t->tile.columns(), contiguousAlongRow(t->map, 1), t->bits);
    if (!access || !accesses(t->tile, *spec) || access->access.merged || access->access.width < 4) continue;
    const auto report = bankReport(t->tile, std::vector{*spec});
    const auto banks = accessBanks(*access, t->map, 1, t->bits);
    REQUIRE(report.ok());
    REQUIRE(banks.ok());
    CHECK(banks->from.kind == SpaceKind::Hardware);
    CHECK(banks->to.kind == SpaceKind::Banks);
    // Words that a phase asks of each bank; a bank serves one row of 128 bytes at a time.
    std::map<std::vector<i64>, std::map<i64, std::set<i64>>> rowsOf;
    const i64 points = *banks->map.pointCount();
    if (points > 1 << 14) continue;
    for (i64 p = 0; p < points; ++p) {
      std::vector<i64> digits;
      i64 rest = p;
      for (const Digit& d : banks->map.digits()) {
        digits.push_back(rest % d.extent);
        rest /= d.extent;
      }
      if (!banks->map.isReal(digits)) continue;
      const std::vector<i64> at = banks->map.at(digits);
      auto& phase = rowsOf[std::vector<i64>(digits.begin() + 1, digits.end())];
      for (i64 word = at[1] * 32 + at[0], k = 0; k < access->access.width / 4; ++k)
        phase[(word + k) % 32].insert((word + k) / 32);
    }
    i64 wavefronts = 0;
    for (const auto& [phase, asked] : rowsOf) {
      std::size_t worst = 0;
      for (const auto& [bank, rows] : asked) worst = std::max(worst, rows.size());
      wavefronts += static_cast<i64>(worst);
    }
    INFO(t->text << " " << spec->text << " " << t->bits);
    CHECK(wavefronts == report->wavefronts);
    ++compared;
  }
  CHECK(compared > 50);
}
