// Access patterns over tiles: each element occurs once, the published cases match, and unsuitable accesses are refused.
#include "core/analysis/access/access.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "core/atlas/atlas.h"
#include "core/notation/cute/notation.h"
#include "tests/support/composed_tile.h"

using namespace tessera;

namespace {

Tile tileOf(const std::string& text, int bits) {
  if (text.find(" o ") != std::string::npos) {
    auto layout = cute::parseComposedLayout(text);
    REQUIRE(layout.ok());
    return tessera::tileOf(*layout, bits);
  }
  auto layout = cute::parseLayout(text);
  REQUIRE(layout.ok());
  auto tile = Tile::of(*layout, bits);
  REQUIRE(tile.ok());
  return *tile;
}

AccessSpec spec(const std::string& text) {
  auto s = parseAccess(text);
  INFO(text);
  REQUIRE(s.ok());
  return *s;
}

TileBankReport report(const std::string& layout, int bits, const std::string& access) {
  AccessSpec s = spec(access);
  auto r = bankReport(tileOf(layout, bits), std::span(&s, 1));
  INFO(layout << " " << access << (r ? "" : " " + r.error().message));
  REQUIRE(r.ok());
  return *r;
}

std::string refusal(const std::string& layout, int bits, const std::string& access) {
  auto r = accesses(tileOf(layout, bits), spec(access));
  REQUIRE(!r.ok());
  CHECK(!r.error().expected.empty());
  return r.error().message + " | " + r.error().hint;
}

}  // namespace

TEST_CASE("a tile is the layout's table") {
  for (const char* text :
       {"(4,8):(8,1)", "((2,2),(4,2)):((1,16),(2,32))", "Sw<1,0,3> o 0 o (4,8):(8,1)", "Sw<2,1,3> o 8 o (8,8):(8,1)",
        "(4,5):(1,4) o 2 o (2,3):(1,2)", "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"}) {
    INFO(text);
    Tile tile = tileOf(text, 16);
    auto composed = cute::parseComposedLayout(text);
    auto plain = cute::parseLayout(text);
    for (i64 r = 0; r < tile.rows(); ++r)
      for (i64 c = 0; c < tile.columns(); ++c) {
        cute::IntTuple at = cute::IntTuple::tuple({cute::IntTuple(r), cute::IntTuple(c)});
        auto expected = plain.ok() ? plain->crd2idx(at) : composed->crd2idx(at);
        REQUIRE(expected.ok());
        CHECK(tile.offset(r, c) == expected->value());
      }
    // The same through the Map, whose digits are the leaves.
    auto map = plain.ok() ? toMap(*plain) : toMap(*composed);
    REQUIRE(map.ok());
    const cute::Layout& inner = plain.ok() ? *plain : composed->inner();
    auto fromMap = Tile::of(*map, 16, static_cast<int>(inner.mode(0).shape().leafCount()));
    REQUIRE(fromMap.ok());
    CHECK(fromMap->offsets() == tile.offsets());
  }
}

TEST_CASE("every access pattern touches each element of the tile once") {
  for (const char* layout : {"(64,64):(64,1)", "(64,64):(72,1)", "(64,64):(1,64)", "Sw<3,3,3> o 0 o (64,64):(64,1)"})
    for (const char* access :
         {"ldmatrix.x1.trans", "ldmatrix.x2.trans", "ldmatrix.x4.trans", "stmatrix.x4.trans", "ld.shared.v4",
          "st.shared.v2", "ld.shared", "cp.async16", "cp.async8", "ld.shared.v4.column", "ld.shared.b32.row"}) {
      INFO(layout << " " << access);
      Tile tile = tileOf(layout, 16);
      auto list = accesses(tile, spec(access));
      REQUIRE(list.ok());
      std::map<i64, int> touched;  // byte -> lanes
      for (const TileAccess& a : *list)
        for (std::size_t lane = 0; lane < kWarpLanes; ++lane)
          if (a.warp.addresses[lane] != kInactive) {
            CHECK(a.warp.addresses[lane] * 8 == tile.bit(a.lanes[lane].row, a.lanes[lane].column));
            for (int b = 0; b < a.warp.width; ++b) ++touched[a.warp.addresses[lane] + b];
          }
      CHECK(touched.size() == 64 * 64 * 2);
      for (auto [byte, n] : touched) CHECK(n == 1);
    }
}

TEST_CASE("the textbook tiles") {
  // (rows of 64 halves are 128 bytes: 8 rows of a matrix in the same 4 banks)
  CHECK(report("(64,64):(64,1)", 16, "ldmatrix.x4").wavefronts == 16 * 32);
  CHECK(report("(64,64):(64,1)", 16, "ldmatrix.x4").conflictDegree == 8);
  CHECK(report("Sw<3,3,3> o 0 o (64,64):(64,1)", 16, "ldmatrix.x4").excess == 0);
  CHECK(report("Sw<2,3,3> o 0 o (64,64):(64,1)", 16, "ldmatrix.x4").conflictDegree == 2);
  CHECK(report("(64,64):(72,1)", 16, "ldmatrix.x4").excess == 0);
  CHECK(report("(64,64):(64,1)", 16, "st.shared.v4").excess == 0);
  CHECK(report("(64,64):(1,64)", 16, "ldmatrix.x4.trans").conflictDegree == 8);
  CHECK(report("(32,32):(32,1)", 32, "ld.shared.column").conflictDegree == 32);
  CHECK(report("(32,32):(33,1)", 32, "ld.shared.column").excess == 0);
  CHECK(report("Sw<5,0,5> o 0 o (32,32):(32,1)", 32, "ld.shared.column").excess == 0);
  CHECK(report("(32,32):(1,32)", 32, "ld.shared.row").conflictDegree == 32);
  CHECK(report("(32,32):(32,1)", 32, "ld.shared").excess == 0);
  CHECK(report("(32,32):(36,1)", 32, "ld.shared.v4.column").excess == 0);
  CHECK(report("(64,64):(64,1)", 16, "ldmatrix.x4").text ==
        "at (0,0), phase 0: bank 0 must deliver 8 words: lane 0 at (0,0), lane 1 at (1,0), lane 2 at (2,0), lane 3 at "
        "(3,0) and 4 more");
}

TEST_CASE("what does not fit is refused, with what would") {
  CHECK(refusal("(64,64):(66,1)", 16, "ldmatrix.x1") ==
        "ldmatrix.x1 at (1,0): byte 132 is not a multiple of 16 | (64,64):(66,1) allows accesses of 4 bytes; pad rows "
        "to a multiple of 16 bytes");
  CHECK(refusal("(64,64):(1,64)", 16, "ldmatrix.x4") ==
        "ldmatrix.x4 loads rows, but (64,64):(1,64) is contiguous down its columns | use ldmatrix.x4.trans, or swap "
        "the modes");
  CHECK(refusal("(8,8):(8,1)", 16, "ldmatrix.x4") ==
        "ldmatrix.x4 does not divide the 8x8 tile (8,8):(8,1) | this tile fits ldmatrix.x1");
  CHECK(refusal("(64,64):(64,1)", 32, "ldmatrix.x4.trans") ==
        "ldmatrix.x4.trans moves 16-bit elements, the tile has 32-bit ones | ldmatrix.m16n16.x1.trans.b8 transposes "
        "bytes (sm_100a)");
  CHECK(refusal("(64,64):(64,1)", 64, "ldmatrix.x4") ==
        "ldmatrix.x4 moves 16-bit elements, the tile has 64-bit ones | use ld.shared");
  CHECK(refusal("(64,64):(64,1)", 32, "ld.shared.u16") ==
        "ld.shared.u16 moves 2 bytes per lane, an element has 4 | use ld.shared.b32");
  CHECK(refusal("(64,12):(12,1)", 16, "ld.shared.v4") ==
        "ld.shared.v4 takes 8 elements, 12 along the contiguous dimension of (64,12):(12,1) is not a multiple | "
        "accesses of 8 bytes fit");
  CHECK(refusal("(64,64):(128,2)", 16, "ld.shared.v4") ==
        "ld.shared.v4 needs 16 contiguous bytes at (0,0): (0,1) is 2 elements away, not 1 | (64,64):(128,2) allows "
        "accesses of 2 bytes");
  CHECK(!parseAccess("ldmatrix.x3").ok());
  CHECK(!parseAccess("ld.local.v4").ok());
  CHECK(!parseAccess("").ok());
  CHECK(!Tile::of(*cute::parseLayout("(1048576,1048576):(1048576,1)"), 16).ok());
  CHECK(!Tile::of(*cute::parseLayout("(4,4):(-4,1)"), 16).ok());
  CHECK(!Tile::of(*cute::parseLayout("(4,4):(4,1)"), 6).ok());
}

TEST_CASE("the vector width that a layout allows") {
  CHECK(vectorBytes(tileOf("(64,64):(64,1)", 16)) == 16);
  CHECK(vectorBytes(tileOf("(64,64):(66,1)", 16)) == 4);
  CHECK(vectorBytes(tileOf("(64,64):(1,68)", 16)) == 8);
  CHECK(vectorBytes(tileOf("(64,64):(128,2)", 16)) == 2);
  CHECK(vectorBytes(tileOf("Sw<3,3,3> o 0 o (64,64):(64,1)", 16)) == 16);
  CHECK(vectorBytes(tileOf("Sw<3,2,3> o 0 o (64,64):(64,1)", 16)) == 8);
  CHECK(vectorBytes(tileOf("Sw<5,0,5> o 0 o (32,32):(32,1)", 32)) == 4);
  CHECK(vectorBytes(tileOf("(8,64):(64,1)", 4)) == 16);
  CHECK(vectorBytes(tileOf("(8,63):(63,1)", 4)) == 0);
  CHECK(vectorFault(tileOf("(64,64):(66,1)", 16), 16) == "(1,0) is at byte 132, not a multiple of 16");
}

TEST_CASE("coalescing over a tile") {
  auto rowMajor = tileSectors(tileOf("(64,64):(64,1)", 16), spec("ld.global.v4"));
  REQUIRE(rowMajor.ok());
  CHECK(rowMajor->instructions == 16);
  CHECK(rowMajor->sectors == 256);
  CHECK(rowMajor->sectors == rowMajor->idealSectors);
  auto columns = tileSectors(tileOf("(64,64):(64,1)", 16), spec("ld.global.column"));
  REQUIRE(columns.ok());
  CHECK(columns->sectors == 128 * 32);
  CHECK(columns->worst.has_value());
}

TEST_CASE("a 256x256 tile is analysed as a whole") {
  std::vector<AccessSpec> specs = {spec("ldmatrix.x4"), spec("st.shared.v4")};
  auto r = bankReport(tileOf("Sw<3,3,3> o 0 o (256,256):(256,1)", 16), specs);
  REQUIRE(r.ok());
  CHECK(r->instructions == 512);
}

TEST_CASE("an access is a row of the atlas, and how it is aimed") {
  struct Row {
    const char* text;
    const char* instruction;
    AccessDirection direction;
    MemorySpace space;
    int width, matrices;
    bool trans;
    LaneOrder order;
  };
  constexpr auto R = AccessDirection::Read, W = AccessDirection::Write;
  constexpr auto S = MemorySpace::Shared, G = MemorySpace::Global;
  constexpr auto C = LaneOrder::Contiguous;
  const Row rows[] = {
      {"ldmatrix.x4", "ldmatrix.x4", R, S, 16, 4, false, C},
      {"LDMATRIX.X2.TRANS", "ldmatrix.x2.trans", R, S, 16, 2, true, C},
      {"ldmatrix.sync.aligned.m8n8.x1.shared.b16", "ldmatrix.x1", R, S, 16, 1, false, C},
      {"ldmatrix.trans.x4", "ldmatrix.x4.trans", R, S, 16, 4, true, C},
      {"SM75_U32x4_LDSM_N", "ldmatrix.x4", R, S, 16, 4, false, C},
      {"stmatrix.x4", "stmatrix.x4", W, S, 16, 4, false, C},
      {"ld.shared", "", R, S, 0, 0, false, C},
      {"st.global", "", W, G, 0, 0, false, C},
      {"ld.shared.column", "", R, S, 0, 0, false, LaneOrder::DownColumn},
      {"ld.shared.v4.col", "ld.shared.v4", R, S, 16, 0, false, LaneOrder::DownColumn},
      {"ld.shared.b32.row", "ld.shared.v1", R, S, 4, 0, false, LaneOrder::AlongRow},
      {"st.shared.v2.f64", "st.shared.v4", W, S, 16, 0, false, C},
      {"ld.global.v8", "ld.global.v8", R, G, 32, 0, false, C},
      {"cp.async", "cp.async.cg.16", W, S, 16, 0, false, C},
      {"cp.async4", "cp.async.ca.4", W, S, 4, 0, false, C},
      {"cp.async.8", "cp.async.ca.8", W, S, 8, 0, false, C},
      {"cp.async.cg", "cp.async.cg.16", W, S, 16, 0, false, C},
      {"cp.async.ca.shared.global.16", "cp.async.ca.16", W, S, 16, 0, false, C},
      {"cp.async16.column", "cp.async.cg.16", W, S, 16, 0, false, LaneOrder::DownColumn},
  };
  for (const Row& row : rows) {
    INFO(row.text);
    const auto s = parseAccess(row.text);
    REQUIRE(s.ok());
    CHECK(s->text == row.text);
    CHECK(s->instruction == row.instruction);
    CHECK(s->direction == row.direction);
    CHECK(s->space == row.space);
    CHECK(s->width == row.width);
    CHECK(s->matrices == row.matrices);
    CHECK(s->trans == row.trans);
    CHECK(s->order == row.order);
    if (!s->instruction.empty())
      CHECK(static_cast<const AtlasAccess&>(*s) == *accessOf(*findInstruction(s->instruction)));
  }
  // Every width that ld and st had a word for before the atlas was asked.
  for (const auto& [suffix, width] : std::map<std::string, int>{
           {"v1", 4},      {"v2", 8},      {"v4", 16},    {"u8", 1},      {"s8", 1},      {"b8", 1},
           {"u16", 2},     {"s16", 2},     {"b16", 2},    {"f16", 2},     {"u32", 4},     {"s32", 4},
           {"b32", 4},     {"f32", 4},     {"u64", 8},    {"b64", 8},     {"f64", 8},     {"b128", 16},
           {"v2.b32", 8},  {"v2.f32", 8},  {"v2.u32", 8}, {"v4.b32", 16}, {"v4.f32", 16}, {"v4.u32", 16},
           {"v2.b64", 16}, {"v2.f64", 16}, {"v2.b16", 4}, {"v4.b16", 8},  {"v2.f16", 4},  {"v4.f16", 8},
           {"v2.u16", 4},  {"v4.u16", 8},  {"v4.u8", 4},  {"v2.u8", 2},   {"v2.b8", 2},   {"v4.b8", 4}})
    for (const char* verb : {"ld.shared.", "st.shared.", "ld.global.", "st.global."}) {
      INFO(verb << suffix);
      CHECK(spec(verb + suffix).width == width);
    }
}

TEST_CASE("a name that is no access is told why") {
  const auto wrong = [](const std::string& text) {
    const auto s = parseAccess(text);
    REQUIRE(!s.ok());
    CHECK(!s.error().expected.empty());
    return s.error().message + " | " + s.error().hint;
  };
  CHECK(wrong("ldmatrix.x3")
            .starts_with("'ldmatrix.x3' is not an access that the bank model supports | did you mean ldmatrix.x"));
  CHECK(wrong("mma.m16n8k16.f16") ==
        "'mma.m16n8k16.f16' is not an access that the bank model supports | the lanes of mma.m16n8k16.f32.f16.f16.f32 "
        "address no memory");
  CHECK(wrong("cp.async.bulk.tensor.2d.load").ends_with("address no memory"));
  CHECK(wrong("ldmatrix.x4.row") ==
        "ldmatrix.x4 chooses its own lanes | ld, st and cp.async go along a row or down a column");
  CHECK(wrong("") == "'' is not an access that the bank model supports | ");
  CHECK(wrong("cp.async.cg.8").find("cp.async.cg.16") != std::string::npos);
}

TEST_CASE("a copy has two sides") {
  const AccessSpec async = spec("cp.async8");
  const AccessSpec read = *sideOf(async, AccessDirection::Read, MemorySpace::Global);
  CHECK(static_cast<const AtlasAccess&>(read) == *accessOf(*findInstruction("cp.async.ca.8"), MemorySpace::Global));
  CHECK(*sideOf(async, AccessDirection::Write, MemorySpace::Shared) == async);
  // Through registers: the same width on the other side.
  const AccessSpec store = *sideOf(spec("ld.global.v4.column"), AccessDirection::Write, MemorySpace::Shared);
  CHECK(static_cast<const AtlasAccess&>(store) == *accessOf(*findInstruction("st.shared.v4")));
  CHECK(store.order == LaneOrder::DownColumn);
  CHECK(sideOf(spec("ld.global"), AccessDirection::Write, MemorySpace::Shared)->width == 0);
  CHECK(sideOf(spec("ld.global.v8"), AccessDirection::Write, MemorySpace::Shared).error().message ==
        "no shared-memory access is 32 bytes wide per lane");
}

TEST_CASE("8-bit matrices walk over tiles of bytes") {
  // 16 rows of 16 bytes, eight a phase: columns of 128 bytes apart are 8-way, and a padded tile is free.
  CHECK(report("(128,64):(1,128)", 8, "ldmatrix.m16n16.x1.trans.b8").conflictDegree == 8);
  CHECK(report("(128,64):(1,128)", 8, "ldmatrix.m16n16.x1.trans.b8").ideal == 8 * 4 * 2);
  CHECK(report("(128,64):(1,144)", 8, "ldmatrix.m16n16.x2.trans.b8").excess == 0);
  CHECK(report("(64,64):(1,64)", 8, "stmatrix.m16n8.x4.trans.b8").conflictDegree == 4);
  CHECK(refusal("(64,64):(1,64)", 16, "ldmatrix.m16n16.x1.trans.b8") ==
        "ldmatrix.m16n16.x1.trans.b8 moves 8-bit elements, the tile has 16-bit ones | ldmatrix.x4.trans transposes "
        "halves");
  CHECK(refusal("(16,16):(1,16)", 8, "ldmatrix.m16n16.x2.trans.b8") ==
        "ldmatrix.m16n16.x2.trans.b8 does not divide the 16x16 tile (16,16):(1,16) | this tile fits "
        "ldmatrix.m16n16.x1.trans.b8");
  CHECK(refusal("(8,8):(8,1)", 8, "ldmatrix.x1")
            .ends_with("the tile must be a multiple of 8 rows of 16 bytes (16 elements)"));
}
