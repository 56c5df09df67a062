// Access patterns over tiles: each element once, the numbers of the published cases, and what does not fit.
#include "core/analysis/access.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <map>
#include <random>
#include <set>

#include "core/atlas/atlas.h"
#include "core/notation/cute/lower.h"

using namespace tessera;

namespace {

Tile tileOf(const std::string& text, int bits) {
  if (text.find(" o ") != std::string::npos) {
    auto layout = parseComposedLayout(text);
    REQUIRE(layout.ok());
    auto tile = Tile::of(*layout, bits);
    REQUIRE(tile.ok());
    return *tile;
  }
  auto layout = parseCuteLayout(text);
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
    auto composed = parseComposedLayout(text);
    auto plain = parseCuteLayout(text);
    for (i64 r = 0; r < tile.rows(); ++r)
      for (i64 c = 0; c < tile.columns(); ++c) {
        IntTuple at = IntTuple::tuple({IntTuple(r), IntTuple(c)});
        auto expected = plain.ok() ? plain->crd2idx(at) : composed->crd2idx(at);
        REQUIRE(expected.ok());
        CHECK(tile.offset(r, c) == expected->value());
      }
    // The same through the Map, whose digits are the leaves.
    auto map = plain.ok() ? toMap(*plain) : toMap(*composed);
    REQUIRE(map.ok());
    const CuteLayout& inner = plain.ok() ? *plain : composed->inner();
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
        "(3,0), ...");
}

TEST_CASE("an mma fragment read from shared memory, register by register") {
  // bank-094 .. 097: the A fragment of m16n8k16, 32 bits at a time, from rows of 16, 32 and 40 halves.
  const AtlasRow row = *findInstruction("mma.m16n8k16.f16");
  const AtlasOperand a = *findOperand(row, "A");
  for (auto [text, degree] : {std::pair{"(16,16):(16,1)", 2}, {"(16,32):(32,1)", 4}, {"(16,32):(40,1)", 1}}) {
    INFO(text);
    auto list = accessesThrough(tileOf(text, 16), *threadValue(a), rowsOf(a), columnsOf(a), spec("ld.shared.b32"));
    REQUIRE(list.ok());
    CHECK(bankReport(*list).conflictDegree == degree);
    CHECK(list->size() == (std::string(text).find("32") == std::string::npos ? 4u : 8u));
  }
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
        "ld.shared.u16 moves 2 bytes a lane, an element has 4 | use ld.shared.b32");
  CHECK(refusal("(64,12):(12,1)", 16, "ld.shared.v4") ==
        "ld.shared.v4 takes 8 elements, 12 along the contiguous dimension of (64,12):(12,1) is no multiple | accesses "
        "of 8 bytes fit");
  CHECK(refusal("(64,64):(128,2)", 16, "ld.shared.v4") ==
        "ld.shared.v4 needs 16 contiguous bytes at (0,0): (0,1) is 2 elements away, not 1 | (64,64):(128,2) allows "
        "accesses of 2 bytes");
  CHECK(!parseAccess("ldmatrix.x3").ok());
  CHECK(!parseAccess("ld.local.v4").ok());
  CHECK(!parseAccess("").ok());
  CHECK(!Tile::of(*parseCuteLayout("(1048576,1048576):(1048576,1)"), 16).ok());
  CHECK(!Tile::of(*parseCuteLayout("(4,4):(-4,1)"), 16).ok());
  CHECK(!Tile::of(*parseCuteLayout("(4,4):(4,1)"), 6).ok());
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

TEST_CASE("a 256x256 tile's whole analysis is a matter of milliseconds") {
  // The bar (5 ms) is a benchmark's business; here only that it is not seconds.
  const auto start = std::chrono::steady_clock::now();
  std::vector<AccessSpec> specs = {spec("ldmatrix.x4"), spec("st.shared.v4")};
  auto r = bankReport(tileOf("Sw<3,3,3> o 0 o (256,256):(256,1)", 16), specs);
  REQUIRE(r.ok());
  CHECK(r->instructions == 512);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(2));
}
