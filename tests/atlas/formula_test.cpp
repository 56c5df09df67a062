// Compares the rows with a second formula, written from the vendors' text: (groupID, threadID_in_group, i) -> (row,
// column).
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>

#include "core/atlas/atlas.h"
#include "flat_layout.h"
#include "tests/support/mma_formulas.h"

using namespace tessera;
using namespace atlas_test;

namespace {

using test::mmaA;
using test::mmaB;
using test::mmaC;
using test::Place;
using Formula = std::function<Place(i64 lane, i64 i)>;

// Compares the operand's layout with the formula at every (thread, value); the formula sees the hardware lane.
void agree(const AtlasRow& row, const char* operandName, const Formula& formula) {
  const AtlasOperand operand = *findOperand(row, operandName);
  const FlatLayout layout = flatLayout(operand.layout);
  const std::size_t colon = row.threadId.find(':');
  const FlatMode lanes = flatMode(row.threadId.substr(0, colon), row.threadId.substr(colon + 1));
  const i64 rows = rowsOf(operand);
  const i64 threads = layout.sameForAllThreads() && operand.coverage == Coverage::Broadcast ? 1 : layout.thread.size();
  for (i64 t = 0; t < threads; ++t)
    for (i64 i = 0; i < layout.value.size(); ++i) {
      const Place p = formula(lanes(t), i);
      if (layout(t, i) != p.row + rows * p.col) {
        INFO(row.name << " " << operandName << " lane " << lanes(t) << " i " << i);
        CHECK(layout(t, i) == p.row + rows * p.col);
        return;
      }
    }
  CHECK(threads * layout.value.size() >= rows * columnsOf(operand));
}

struct Mnk {
  i64 m, n, k;
};
Mnk mnk(const AtlasRow& row) {
  auto v = numbers(row.shape.substr(0, row.shape.find('x')) + " " + row.shape.substr(row.shape.find('x') + 1));
  std::string text = row.shape;
  for (char& c : text)
    if (c == 'x') c = ' ';
  v = numbers(text);
  return {v.at(0), v.at(1), v.at(2)};
}

bool isVolta(const AtlasRow& row) { return row.shape == "8x8x4" && row.architecture == "sm_70"; }

}  // namespace

TEST_CASE("mma.sync and mma.sp fragments are PTX's") {
  int rows = 0;
  for (const AtlasRow& row : atlas()) {
    if ((row.family != AtlasFamily::MmaSync && row.family != AtlasFamily::MmaSparse) || isVolta(row)) continue;
    const Mnk s = mnk(row);
    const bool bytes = row.name.find("f8f6f4") != std::string::npos;  // 4- and 6-bit floats occupy bytes
    const i64 bits = bytes ? 8 : *elementBits(findOperand(row, "A")->element);
    const i64 storedK = row.family == AtlasFamily::MmaSparse ? s.k / 2 : s.k;
    agree(row, "A", [&](i64 lane, i64 i) { return mmaA(s.m, bits, storedK, lane, i); });
    agree(row, "B", [&](i64 lane, i64 i) { return mmaB(bits, lane, i); });
    agree(row, "C", [&](i64 lane, i64 i) { return mmaC(s.m, lane, i); });
    ++rows;
  }
  CHECK(rows > 150);
}

TEST_CASE("Volta's quad pairs are PTX's m8n8k4 fragments") {
  int rows = 0;
  for (const AtlasRow& row : atlas()) {
    if (!isVolta(row)) continue;
    auto has = [&](const char* piece) { return row.name.find(piece) != std::string::npos; };
    const bool aRow = has("k4.row."), bCol = has(".col.f");
    auto high = [](i64 lane) { return lane < 16 ? 0 : 4; };
    agree(row, "A", [&](i64 lane, i64 i) {
      return aRow ? Place{lane % 4 + high(lane), i} : Place{i + high(lane), lane % 4};
    });
    agree(row, "B", [&](i64 lane, i64 i) {
      return bCol ? Place{lane % 4 + high(lane), i} : Place{i + high(lane), lane % 4};
    });
    if (has("f32"))
      agree(row, "C", [&](i64 lane, i64 i) {
        const i64 x = (lane & 1) + (i & 2);
        return Place{x + high(lane), (i & 4) + (lane & 2) + (i & 1)};
      });
    else
      agree(row, "C", [&](i64 lane, i64 i) { return Place{lane % 4 + high(lane), i}; });
    ++rows;
  }
  CHECK(rows == 8);
}

TEST_CASE("wgmma fragments are PTX's, for every N") {
  for (const AtlasRow& family : atlas()) {
    if (family.family != AtlasFamily::Wgmma) continue;
    for (i64 n : family.parameter) {
      const AtlasRow row = bind(family, n);
      const AtlasOperand a = *findOperand(row, "A");
      const i64 bits = *elementBits(a.element), w = 32 / bits;
      // "Register Fragments for wgmma": d: row = 16*warp + groupID + 8*((i/2)%2), column = 8*(i/4) + 2*q + i%2.
      agree(row, "C", [&](i64 t, i64 i) {
        const i64 lane = t % 32, g = lane / 4, q = lane % 4;
        return Place{16 * (t / 32) + g + 8 * ((i / 2) % 2), 8 * (i / 4) + 2 * q + i % 2};
      });
      if (a.space == OperandSpace::Register)
        agree(row, "A", [&](i64 t, i64 i) {
          const i64 lane = t % 32, reg = i / w;
          return Place{16 * (t / 32) + lane / 4 + (reg % 2 == 1 ? 8 : 0),
                       (lane % 4) * w + i % w + (reg >= 2 ? 4 * w : 0)};
        });
      else
        agree(row, "A", [&](i64, i64 i) { return Place{i % 64, i / 64}; });
      agree(row, "B", [&](i64, i64 i) { return Place{i % n, i / n}; });
    }
  }
}

TEST_CASE("the block scales of consumer Blackwell cover rows by lane") {
  for (const AtlasRow& row : atlas()) {
    if (row.name.find("block_scale") == std::string::npos) continue;
    // PTX ISA, "Scale Factors for mma with .block_scale": A's row groupID + 8 * (lane % 2), B's column groupID.
    agree(row, "SFA", [](i64 lane, i64 i) { return Place{lane / 4 + 8 * (lane % 2), i}; });
    agree(row, "SFB", [](i64 lane, i64 i) { return Place{lane / 4, i}; });
  }
}

TEST_CASE("tcgen05.mma tiles are the whole operand, halved over two CTAs") {
  for (const AtlasRow& family : atlas()) {
    if (family.family != AtlasFamily::Tcgen05Mma) continue;
    for (i64 n : family.parameter) {
      const AtlasRow row = bind(family, n);
      const Mnk s = mnk(row);
      const i64 ctas = row.threadId == "2:1" ? 2 : 1;
      agree(row, "A", [&](i64 t, i64 i) { return Place{t * s.m / 2 + i % (s.m / ctas), i / (s.m / ctas)}; });
      agree(row, "B", [&](i64 t, i64 i) { return Place{t * n / 2 + i % (n / ctas), i / (n / ctas)}; });
      agree(row, "C", [&](i64 t, i64 i) { return Place{t * s.m / 2 + i % (s.m / ctas), i / (s.m / ctas)}; });
    }
  }
}

TEST_CASE("tcgen05.mma takes every N of PTX's table, at both M of a group") {
  // "tcgen05: Matrix Shape", no .ws, dense: f16, tf32 and f8f6f4 by 8 for one CTA and by 16 for two; i8 8 16 24 32 48
  // ... 256, for two CTAs by 32.
  int rows = 0;
  for (const AtlasRow& row : atlas()) {
    if (row.family != AtlasFamily::Tcgen05Mma) continue;
    const bool two = row.name.find("cta_group::2") != std::string::npos,
               integer = row.name.find("::i8") != std::string::npos;
    for (i64 n = 0; n <= 300; ++n) {
      bool legal = n >= 8 && n <= 256 && n % (two ? 16 : 8) == 0;
      if (integer) legal = legal && (two ? n % 32 == 0 : n <= 32 || n % 16 == 0);
      CHECK(std::count(row.parameter.begin(), row.parameter.end(), n) == (legal ? 1 : 0));
    }
    ++rows;
  }
  CHECK(rows == 32);
}

TEST_CASE("tcgen05.ld and st fragments are PTX's data movement shapes") {
  int rows = 0;
  for (const AtlasRow& family : atlas()) {
    if (family.family != AtlasFamily::Tcgen05Copy) continue;
    std::vector<i64> counts = family.parameter.empty() ? std::vector<i64>{1} : family.parameter;
    for (i64 n : counts) {
      const AtlasRow row = bind(family, n);
      const char* side = row.name.find(".ld.") != std::string::npos ? "dst" : "src";
      auto has = [&](const char* piece) { return row.name.find(piece) != std::string::npos; };
      // Register r of a lane is 32 bits; Place = (bit along the columns, datapath row).
      agree(row, side, [&](i64 lane, i64 bit) -> Place {
        const i64 r = bit / 32, b = bit % 32;
        if (has("32x32b")) return {32 * r + b, lane};
        if (has("16x64b")) return {64 * r + 32 * ((lane / 2) % 2) + b, 8 * (lane % 2) + lane / 4};
        if (has("16x128b")) return {128 * (r / 2) + 32 * (lane % 4) + b, lane / 4 + 8 * (r % 2)};
        if (has("16x256b")) return {256 * (r / 4) + 64 * (lane % 4) + 32 * (r % 2) + b, lane / 4 + 8 * ((r / 2) % 2)};
        return {32 * n * (lane / 16) + 32 * r + b, lane % 16};  // 16x32bx2, immHalfSplitoff = n columns
      });
      ++rows;
    }
  }
  CHECK(rows > 60);
}

TEST_CASE("ldmatrix, stmatrix and their byte forms are PTX's") {
  for (const AtlasRow& row : atlas()) {
    if (row.family != AtlasFamily::Ldmatrix && row.family != AtlasFamily::Stmatrix) continue;
    const bool load = row.family == AtlasFamily::Ldmatrix, trans = row.name.find(".trans") != std::string::npos;
    const bool bytes = row.name.find(".b8") != std::string::npos && row.name.find("b8x16") == std::string::npos;
    const char* registers = load ? "dst" : "src";
    const char* memory = load ? "src" : "dst";
    const i64 rows = columnsOf(*findOperand(row, registers));
    // Place = (bit within a 16-byte row, row).
    agree(row, registers, [&](i64 lane, i64 bit) -> Place {
      const i64 r = bit / 32, inside = bit % 32, g = lane / 4, q = lane % 4;
      if (!trans) return {32 * q + inside, 8 * r + g};
      if (!bytes) return {16 * g + inside % 16, 8 * r + 2 * q + inside / 16};
      // .b8: four bytes of a register are rows 2q, 2q+1 of column g, then of column g + 8.
      const i64 byte = inside / 8;
      return {8 * g + 64 * (byte / 2) + inside % 8, 8 * r + 2 * q + byte % 2};
    });
    if (bytes && load) continue;  // its address lanes are checked by coverage
    agree(row, memory, [&](i64 lane, i64 bit) { return Place{bit, lane % rows}; });
  }
}

TEST_CASE("MFMA fragments follow AMD's calculator") {
  for (const AtlasRow& row : atlas()) {
    if (row.family != AtlasFamily::Mfma) continue;
    const Mnk s = mnk(row);
    const i64 blocks = rowsOf(*findOperand(row, "A")) / s.m, perLane = s.m * s.k * blocks / 64;
    agree(row, "A", [&](i64 lane, i64 i) {
      const i64 block = lane / s.m % blocks;
      return Place{lane % s.m + s.m * block, perLane * (lane / (s.m * blocks)) + i};
    });
    agree(row, "C", [&](i64 lane, i64 i) {
      const bool f64 = findOperand(row, "C")->element == "f64";
      if (f64 && s.m == 16) return Place{lane / 16 + 4 * i, lane % 16};
      if (f64) return Place{lane / 16 + 4 * (lane / 4 % 4), lane % 4};
      const i64 j = lane % s.n;
      if (s.m == 32) return Place{32 * (i / 16) + 8 * (i % 16 / 4) + 4 * (lane / 32) + i % 4, j};
      if (s.m == 16) return Place{16 * (i / 4) + 4 * (lane / 16) + i % 4, j};
      return Place{4 * (lane / 4) + i, j};
    });
  }
}

TEST_CASE("WMMA fragments follow RDNA3 and RDNA4") {
  for (const AtlasRow& row : atlas()) {
    if (row.family != AtlasFamily::Wmma) continue;
    const bool rdna4 = row.architecture == "gfx1200";
    agree(row, "A", [&](i64 lane, i64 i) { return Place{lane % 16, rdna4 ? 8 * (lane / 16) + i : i}; });
    agree(row, "C", [&](i64 lane, i64 i) { return Place{rdna4 ? 8 * (lane / 16) + i : 2 * i + lane / 16, lane % 16}; });
  }
}
