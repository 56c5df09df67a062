// An access over a tile, against the tables that the PTX ISA prints, written out here, and against plain loops.
#include "core/analysis/access/access_over.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "app/show/show.h"
#include "render/ink/ink.h"
#include "tests/support/value_of.h"

using namespace tessera;

namespace {

const AccessOver& accessIn(const Value& value) {
  REQUIRE(is<AccessOver>(value));
  return *as<AccessOver>(value);
}

std::map<std::pair<i64, i64>, TileCoord> heldBy(const AccessStep& step) {
  std::map<std::pair<i64, i64>, TileCoord> held;
  for (const HeldElement& h : step.held) {
    INFO("lane " << h.thread << " value " << h.value);
    CHECK(held.emplace(std::pair(h.thread, h.value), h.at).second);
  }
  return held;
}

// PTX ISA, "ldmatrix": "each row of a matrix is supplied by the address of a thread": threads 0-7 matrix 0, 8-15 matrix
// 1, 16-23 matrix 2, 24-31 matrix 3. Row r, elements 2c and 2c+1 of matrix m go to thread 4r + c, register m. With
// .trans the matrix is loaded in column-major order: row and column swap.
TileCoord inMatrix(int thread, int half, bool trans) {
  const i64 row = thread / 4, column = 2 * (thread % 4) + half;
  return trans ? TileCoord{column, row} : TileCoord{row, column};
}

// PTX ISA, mma.m16n8k16 with floating-point types: groupID = lane >> 2, threadID_in_group = lane % 4.
TileCoord operandA(int lane, int i) {
  const int group = lane >> 2, inGroup = lane % 4;
  const bool upper = (i >= 0 && i < 2) || (i >= 4 && i < 6);
  return {upper ? group : group + 8, inGroup * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
}
TileCoord operandB(int lane, int i) {  // (k, n)
  return {(lane % 4) * 2 + (i & 1) + (i >= 2 ? 8 : 0), lane >> 2};
}
TileCoord operandC(int lane, int i) { return {i < 2 ? lane >> 2 : (lane >> 2) + 8, (lane % 4) * 2 + (i & 1)}; }

}  // namespace

TEST_CASE("ldmatrix over a tile: PTX's table at every position, for plain, swizzled and padded rows") {
  for (const char* tile : {"(64,64):(64,1)", "Sw<3,3,3> o (64,64):(64,1)", "(64,64):(72,1)", "bf16[64,64]"}) {
    for (const bool trans : {false, true}) {
      for (const int n : {1, 2, 4}) {
        const std::string text = fmt::format("ldmatrix.x{}{} over {}{}", n, trans ? ".trans" : "", tile,
                                             std::string(tile).starts_with("bf16") ? "" : ", fp16");
        INFO(text);
        const Value value = valueOf(text);
        const AccessOver& over = accessIn(value);
        const auto steps = AccessSteps::of(over);
        REQUIRE(steps.ok());
        const int down = n > 1 ? 2 : 1, across = n / down;
        CHECK(steps->count() == static_cast<std::size_t>(64 * 64 / (64 * n)));
        std::set<std::pair<i64, i64>> seen;
        for (std::size_t k = 0; k < steps->count(); ++k) {
          const AccessStep step = steps->step(k);
          const auto held = heldBy(step);
          REQUIRE(held.size() == static_cast<std::size_t>(64 * n));
          REQUIRE(step.addresses.size() == static_cast<std::size_t>(8 * n));
          for (int m = 0; m < n; ++m) {
            const TileCoord corner{step.position.row + 8 * (m % down), step.position.column + 8 * (m / down)};
            for (int lane = 0; lane < 32; ++lane)
              for (int half = 0; half < 2; ++half) {
                const TileCoord in = inMatrix(lane, half, trans);
                const TileCoord at = held.at({lane, 2 * m + half});
                CHECK(at == TileCoord{corner.row + in.row, corner.column + in.column});
                seen.emplace(at.row, at.column);
              }
            for (int row = 0; row < 8; ++row) {
              const LaneAddress& a = step.addresses[static_cast<std::size_t>(8 * m + row)];
              CHECK(a.lane == 8 * m + row);
              CHECK(a.phase == m);
              CHECK(a.at == TileCoord{corner.row + row, corner.column});
              CHECK(a.byte == 2 * over.tile.offset(corner.row + row, corner.column));
            }
          }
          CHECK(across * 8 == step.end.column - step.corner.column);
        }
        CHECK(seen.size() == 64 * 64);
      }
    }
  }
}

TEST_CASE("a tile that lies along its columns is loaded with .trans, and its columns are addressed") {
  const Value value = valueOf("ldmatrix.x4.trans over (64,64):(1,64), fp16");
  const AccessStep step = AccessSteps::of(accessIn(value))->step(0);
  const auto held = heldBy(step);
  // Matrix 0 lies at rows 0-7, columns 0-7; its row r is the tile's column r. Loaded transposed, thread t gets what
  // lies at tile row t/4, columns 2(t%4) and the next: the fragment that an untransposed load of the row-major tile
  // gives.
  for (int lane = 0; lane < 32; ++lane)
    for (int half = 0; half < 2; ++half) CHECK(held.at({lane, half}) == TileCoord{lane / 4, 2 * (lane % 4) + half});
  CHECK(step.addresses[3].at == TileCoord{0, 3});
  CHECK(step.addresses[3].byte == 2 * 3 * 64);
}

TEST_CASE("fragments of mma.m16n8k16 over a tile: PTX's table, repeated") {
  struct Case {
    const char* text;
    int values;
    i64 rows, columns;
    TileCoord (*at)(int, int);
  };
  for (const Case& c : {Case{"mma.m16n8k16.A over (32,32):(32,1)", 8, 16, 16, operandA},
                        Case{"mma.m16n8k16.B over (16,8):(8,1)", 4, 16, 8, operandB},  // K x N, as only that divides
                        Case{"mma.m16n8k16.C over (32,32):(32,1)", 4, 16, 8, operandC}}) {
    INFO(c.text);
    const Value value = valueOf(c.text);
    const auto steps = AccessSteps::of(accessIn(value));
    REQUIRE(steps.ok());
    for (std::size_t k = 0; k < steps->count(); ++k) {
      const AccessStep step = steps->step(k);
      CHECK(step.position.row % c.rows == 0);
      CHECK(step.position.column % c.columns == 0);
      const auto held = heldBy(step);
      REQUIRE(held.size() == static_cast<std::size_t>(32 * c.values));
      for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < c.values; ++i) {
          const TileCoord in = c.at(lane, i);
          CHECK(held.at({lane, i}) == TileCoord{step.position.row + in.row, step.position.column + in.column});
        }
    }
  }
  // What ldmatrix.x4 leaves is what the mma's A asks for.
  const Value load = valueOf("ldmatrix.x4 over (16,16):(16,1), fp16");
  CHECK(print(*fragmentLayout(AccessSteps::of(accessIn(load))->step(0))) == "((4,8),(2,2,2)):((32,1),(16,8,128))");
}

TEST_CASE("vector accesses: lanes side by side, each its own run, ragged ends included") {
  for (const char* text : {"ld.shared.v4 over (64,64):(64,1), f32", "st.shared.v2 over (6,40):(40,1), f32",
                           "cp.async16 over (3,24):(24,1), fp16", "ld.shared over (5,7):(7,1), f32",
                           "ld.global.v4 over (8,32):(1024,1), f32"}) {
    INFO(text);
    const Value value = valueOf(text);
    const AccessOver& over = accessIn(value);
    const auto steps = AccessSteps::of(over);
    REQUIRE(steps.ok());
    std::map<std::pair<i64, i64>, int> times;
    for (std::size_t k = 0; k < steps->count(); ++k) {
      const AccessStep step = steps->step(k);
      const i64 run = static_cast<i64>(step.held.size() / step.addresses.size());
      for (const HeldElement& h : step.held) {
        const LaneAddress& own = step.addresses[static_cast<std::size_t>(h.thread)];
        CHECK(h.at == TileCoord{own.at.row, own.at.column + h.value});
        // Plain loops: lane l of access k takes run number 32k + l, row by row.
        const i64 number = 32 * static_cast<i64>(k) + h.thread, perRow = over.tile.columns() / run;
        CHECK(h.at == TileCoord{number / perRow, number % perRow * run + h.value});
        ++times[{h.at.row, h.at.column}];
      }
    }
    CHECK(times.size() == static_cast<std::size_t>(over.tile.rows() * over.tile.columns()));
    for (const auto& [at, n] : times) CHECK(n == 1);
  }
}

TEST_CASE("the arrow of an access is where its lanes begin, of a fragment every value") {
  const Value load = valueOf("ldmatrix.x4 over Sw<3,3,3> o (64,64):(64,1), fp16");
  const auto lanes = arrowOf(load);
  REQUIRE(lanes.ok());
  CHECK(lanes->from.kind == SpaceKind::Hardware);
  CHECK(lanes->to.kind == SpaceKind::Memory);
  const auto steps = AccessSteps::of(accessIn(load));
  std::set<i64> begins, mapped;
  for (std::size_t k = 0; k < steps->count(); ++k)
    for (const LaneAddress& a : steps->step(k).addresses) begins.insert(a.byte / 2);
  const std::vector<i64> extents = extentsOf(lanes->from);
  for (i64 i = 0; i < *sizeOf(*lanes); ++i)
    mapped.insert(lanes->map.at(digitsAt(*lanes, delinearize(i, extents, LinearOrder::Colex))).front());
  CHECK(begins == mapped);
  const Value fragment = valueOf("mma.m16n8k16.A over Sw<3,3,3> o (64,64):(64,1)");
  const auto values = arrowOf(fragment);
  REQUIRE(values.ok());
  CHECK(*sizeOf(*values) == 64 * 64);
}

TEST_CASE("the picture says what the step says, and its cells are points of the tile") {
  const Value value = valueOf("ldmatrix.x4 over Sw<3,3,3> o (64,64):(64,1), fp16");
  DrawOptions options;
  options.arguments = {"16,32"};
  const auto figure = draw(value, "", options);
  REQUIRE(figure.ok());
  const auto steps = AccessSteps::of(accessIn(value));
  const auto held = heldBy(steps->step(*steps->at({16, 32})));
  const auto plain = draw(valueOf("Sw<3,3,3> o (64,64):(64,1)"), "grid", {});
  REQUIRE(plain.ok());
  std::map<i64, std::string> said;  // by point
  int tagged = 0;
  for (const Grid& g : figure->grids) {
    if (!g.name.starts_with("matrix")) continue;
    for (i64 r = 0; r < g.rows; ++r) {
      tagged += g.cells->rowHeader(r).starts_with("T") ? 1 : 0;
      for (i64 c = 0; c < g.cols; ++c) {
        const Cell cell = g.cells->cell(r, c);
        said[cell.point.index] = cell.label + " " + cell.second;
        const auto back = g.cells->find(cell.point, 4);
        REQUIRE(back.size() == 1);
        CHECK(back.front() == std::pair<i64, i64>(r, c));
        const auto there = plain->grids[0].cells->find(cell.point, 4);  // the same point in S as grid
        REQUIRE(there.size() == 1);
        CHECK(there.front() == std::pair<i64, i64>(cell.point.index % 64, cell.point.index / 64));
      }
    }
  }
  CHECK(tagged == 32);
  REQUIRE(said.size() == held.size());
  for (const auto& [who, at] : held)
    CHECK(said.at(at.row + 64 * at.column) == fmt::format("T{} V{}", who.first, who.second));
  CHECK(figure->choices.size() == 1);
  CHECK(figure->choices[0].now == "16,32");
  CHECK(figure->choices[0].words.size() == 16);
  CHECK(figure->table.size() == 257);
}

TEST_CASE("the position with the conflict is shown first, and its rows are lit") {
  const auto figure = draw(valueOf("ldmatrix.x4 over (64,64):(64,1), fp16"), "", {});
  REQUIRE(figure.ok());
  int lit = 0;
  for (const Grid& g : figure->grids)
    for (i64 r = 0; r < g.rows && g.name.starts_with("matrix"); ++r)
      for (i64 c = 0; c < g.cols; ++c) lit += g.cells->cell(r, c).lit ? 1 : 0;
  CHECK(lit == 8);
  CHECK(figure->badges.back().text == "32 wavefronts, 4 would do: 8-way conflict");
}

TEST_CASE("every access of the atlas draws over a tile that fits it, in every ink") {
  int drawn = 0;
  for (const AtlasRow& family : atlas()) {
    const AtlasRow row = bind(family, family.parameter.empty() ? 0 : family.parameter.front());
    const AtlasAccess* access = accessOf(row);
    if (access == nullptr) continue;
    const int bits = access->elementBits != 0 ? access->elementBits : access->width < 2 ? 8 : 16;
    INFO(row.name);
    const Value value = valueOf(fmt::format("{} over (64,64):(64,1), b{}", row.name, bits));
    const auto figure = draw(value, "", {});
    REQUIRE(figure.ok());
    ++drawn;
    for (const char* ending : {"svg", "txt", "csv", "json", "tex"}) CHECK(ink(*figure, ending, {}).ok());
  }
  CHECK(drawn > 30);
}

TEST_CASE("words behind the view that mean nothing are refused with what would") {
  const Value value = valueOf("ldmatrix.x4 over (64,64):(64,1), fp16");
  for (const std::string word : {"16,33", "x", "16,", "1,2,3", "thread"}) {
    DrawOptions options;
    options.arguments = {word};
    INFO(word);
    const auto figure = draw(value, "access", options);
    REQUIRE_FALSE(figure.ok());
    CHECK_FALSE(figure.error().expected.empty());
  }
}
