// find swizzle: every listed swizzle is conflict-free and every other one is not, by an independent check.
#include "core/analysis/swizzle/find_swizzle.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "core/notation/triton/attr.h"
#include "core/notation/triton/lower.h"
#include "tests/support/composed_tile.h"

using namespace tessera;

namespace {

SwizzleSearch find(const std::string& layout, int bits, const std::vector<std::string>& accesses) {
  std::vector<AccessSpec> specs;
  for (const std::string& a : accesses) specs.push_back(*parseAccess(a));
  auto result = findSwizzle(*cute::parseLayout(layout), bits, specs);
  INFO(layout << (result ? "" : " " + result.error().message));
  REQUIRE(result.ok());
  return *result;
}

std::vector<std::string> cutes(const std::vector<SwizzleAnswer>& answers) {
  std::vector<std::string> out;
  for (const SwizzleAnswer& a : answers) out.push_back(a.cute);
  return out;
}

// The second opinion: make the swizzled layout, ask for all its accesses afresh, count excess.
bool freeByModel(const std::string& layout, int bits, const std::vector<std::string>& accesses) {
  auto composed = cute::parseComposedLayout(layout);
  auto plain = cute::parseLayout(layout);
  auto tile = plain.ok() ? Tile::of(*plain, bits) : tileOf(*composed, bits);
  if (!tile) return false;
  std::vector<AccessSpec> specs;
  for (const std::string& a : accesses) specs.push_back(*parseAccess(a));
  auto report = bankReport(*tile, specs);
  return report.ok() && report->excess == 0;
}

// Every Sw<B,M,S> with B + M + |S| <= bits, S of both signs, and what it makes of the layout.
std::vector<std::string> allWithin(int bits, const std::string& layout) {
  std::vector<std::string> out = {layout};
  for (int b = 1; b <= bits; ++b)
    for (int s = b; b + s <= bits; ++s)
      for (int m = 0; m + b + s <= bits; ++m)
        for (const int shift : {s, -s})
          out.push_back("Sw<" + std::to_string(b) + "," + std::to_string(m) + "," + std::to_string(shift) + "> o 0 o " +
                        layout);
  return out;
}

int offsetBits(const std::string& layout, int elementBits) {
  const Tile tile = *Tile::of(*cute::parseLayout(layout), elementBits);
  int bits = 0;
  while ((i64{1} << bits) < tile.span()) ++bits;
  return bits;
}

struct Question {
  std::string layout;
  int bits;
  std::vector<std::string> accesses;
};

// The list is what the model says of every candidate, asked afresh. Returns how many serve.
int listIsExact(const Question& q) {
  auto result = find(q.layout, q.bits, q.accesses);
  std::multiset<std::string> listed;
  for (const std::string& text : cutes(result.swizzles)) listed.insert(text);
  INFO(q.accesses.front() << " " << q.bits);
  int serving = 0, tried = 0;
  for (const std::string& text : allWithin(offsetBits(q.layout, q.bits), q.layout)) {
    const bool free = freeByModel(text, q.bits, q.accesses);
    serving += free;
    ++tried;
    if (listed.count(text) != (free ? 1u : 0u)) FAIL_CHECK(text << " is " << (free ? "free" : "not free"));
  }
  CHECK(tried == result.candidates);
  CHECK(static_cast<int>(listed.size()) == serving);
  CHECK(result.clash.empty() == (serving > 0));
  // As it is comes first; then those that need no more memory.
  const std::vector<i64> offsets = Tile::of(*cute::parseLayout(q.layout), q.bits)->offsets();
  bool more = false;
  for (const SwizzleAnswer& a : result.swizzles) {
    CHECK((a.kind == SwizzleAnswer::Kind::AsIs) == (a.cute == q.layout));
    if (a.kind == SwizzleAnswer::Kind::AsIs) CHECK(&a == &result.swizzles.front());
    i64 most = 0;
    for (const i64 x : offsets) most = std::max(most, a.swizzle(x));
    CHECK(a.bytes == ((most + 1) * q.bits + 7) / 8);
    CHECK_FALSE((more && a.bytes <= result.bytes));
    more = more || a.bytes > result.bytes;
  }
  for (const SwizzleAnswer& a : result.paddings) CHECK(freeByModel(a.cute, q.bits, q.accesses));
  return serving;
}

}  // namespace

TEST_CASE("the tile of the issue: ldmatrix.x4 loads and 16-byte cp.async stores") {
  auto result = find("(128,64):(64,1)", 16, {"ldmatrix.x4", "cp.async16"});
  REQUIRE(!result.swizzles.empty());
  const SwizzleAnswer& first = result.swizzles.front();
  CHECK(first.cute == "Sw<3,3,3> o 0 o (128,64):(64,1)");
  CHECK(first.tma == "CU_TENSOR_MAP_SWIZZLE_128B");
  CHECK(first.triton == "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>");
  CHECK(first.cuda == "int offset = row * 64 + column; offset ^= (offset & 0x1c0) >> 3;");
  REQUIRE(!result.paddings.empty());
  CHECK(result.paddings.front().cute == "(128,64):(72,1)");
  CHECK(result.paddings.front().triton == "#ttg.padded_shared<[64:+8] {order = [1, 0], shape = [128, 64]}>");
  CHECK(result.clash.empty());
}

TEST_CASE("narrow tiles need fewer bits") {
  CHECK(find("(64,32):(32,1)", 16, {"ldmatrix.x4", "cp.async16"}).swizzles.front().cute ==
        "Sw<2,3,3> o 0 o (64,32):(32,1)");
  CHECK(find("(64,16):(16,1)", 16, {"ldmatrix.x4", "cp.async16"}).swizzles.front().cute ==
        "Sw<1,3,3> o 0 o (64,16):(16,1)");
  CHECK(find("(64,8):(8,1)", 16, {"ldmatrix.x1", "cp.async16"}).swizzles.front().cute == "(64,8):(8,1)");
  CHECK(find("(64,32):(32,1)", 16, {"ldmatrix.x4", "cp.async16"}).swizzles.front().tma == "CU_TENSOR_MAP_SWIZZLE_64B");
  CHECK(find("(64,64):(1,64)", 16, {"ldmatrix.x4.trans", "cp.async16"}).swizzles.front().triton ==
        "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>");
}

TEST_CASE("a transpose tile: read along rows, written down columns") {
  auto result = find("(32,32):(32,1)", 32, {"ld.shared.row", "st.shared.column"});
  REQUIRE(!result.swizzles.empty());
  CHECK(result.swizzles.front().cute == "Sw<5,0,5> o 0 o (32,32):(32,1)");
  CHECK(result.paddings.front().cute == "(32,32):(33,1)");
  // Every odd padding does, no even one.
  for (const SwizzleAnswer& a : result.paddings) CHECK(a.padding % 2 == 1);
  CHECK(result.paddings.size() == 16);
}

TEST_CASE("a padding mends rows that no swizzle can align") {
  auto result = find("(32,64):(66,1)", 16, {"ldmatrix.x4"});
  CHECK(result.swizzles.empty());
  REQUIRE(!result.paddings.empty());
  CHECK(result.paddings.front().cute == "(32,64):(72,1)");
  CHECK(result.clash.size() == 1);
  CHECK(result.clash.front().text == "ldmatrix.x4 at (0,0): its vectors are not contiguous and aligned");
}

TEST_CASE("the list is exactly the conflict-free swizzles") {
  const Question questions[] = {{"(16,32):(32,1)", 16, {"ldmatrix.x4", "cp.async16"}},
                                {"(32,16):(16,1)", 32, {"ld.shared.column", "st.shared.v2"}},
                                {"(16,16):(1,16)", 32, {"ld.shared.row", "st.shared.v4"}},
                                {"(8,64):(64,1)", 8, {"ldmatrix.x1", "st.shared.b32"}},
                                {"(16,16):(16,1)", 64, {"ld.shared.column"}},
                                {"(64,32):(64,1)", 16, {"ldmatrix.x4"}},
                                {"(32,16):(64,1)", 16, {"ldmatrix.x2", "cp.async16"}},
                                {"(4,64):(66,1)", 32, {"st.shared.column"}},
                                {"(64,32):(40,1)", 16, {"ldmatrix.x4"}},
                                {"(8,24):(24,1)", 16, {"ldmatrix.x1"}},
                                {"(3,5):(7,1)", 32, {"ld.shared"}},
                                {"(16,8):(1,48)", 16, {"ldmatrix.x1.trans", "st.shared.b32"}},
                                {"((4,4),32):((32,160),1)", 16, {"ldmatrix.x4"}},
                                {"(32,64):(66,1)", 16, {"ldmatrix.x4"}},
                                {"(8,16):(0,1)", 16, {"ldmatrix.x2"}},
                                {"1:0", 32, {"ld.shared"}}};
  for (const Question& q : questions) listIsExact(q);
}

TEST_CASE("the list is exact over small pitches, element sizes and accesses") {
  int some = 0, none = 0;
  for (const auto& [bits, accesses] :
       std::vector<std::pair<int, std::vector<std::string>>>{{8, {"ld.shared.column"}},
                                                             {8, {"ld.shared", "st.shared.column"}},
                                                             {16, {"ld.shared"}},
                                                             {16, {"st.shared.column"}},
                                                             {16, {"ld.shared.row", "ld.shared.column"}},
                                                             {16, {"st.shared.b32"}},
                                                             {16, {"ldmatrix.x1"}},
                                                             {16, {"stmatrix.x2"}},
                                                             {32, {"st.shared.column"}},
                                                             {32, {"ld.shared.v2", "st.shared.column"}},
                                                             {64, {"ld.shared.column"}},
                                                             {128, {"ld.shared.column", "st.shared.row"}}}) {
    std::vector<AccessSpec> specs;
    for (const std::string& a : accesses) specs.push_back(*parseAccess(a));
    for (const int rows : {8, 16, 33})
      for (const int columns : {8, 16})
        for (const int gap : {0, 1, 2, 8})
          for (const bool rowMajor : {true, false}) {
            const int pitch = (rowMajor ? columns : rows) + gap;
            const std::string strides =
                rowMajor ? "(" + std::to_string(pitch) + ",1)" : "(1," + std::to_string(pitch) + ")";
            const std::string layout = "(" + std::to_string(rows) + "," + std::to_string(columns) + "):" + strides;
            if (!findSwizzle(*cute::parseLayout(layout), bits, specs)) continue;  // the access does not cover it
            (listIsExact({layout, bits, accesses}) > 0 ? some : none)++;
          }
  }
  CHECK(some > 100);
  CHECK(none > 20);
}

TEST_CASE("bits beyond the tile's say nothing new") {
  // Where something serves among three more bits, something serves within the tile's.
  const Question questions[] = {{"(4,8):(66,1)", 16, {"st.shared.column"}},  {"(8,4):(64,1)", 16, {"ld.shared.column"}},
                                {"(16,2):(32,1)", 16, {"ld.shared.column"}}, {"(16,4):(32,1)", 8, {"ld.shared.column"}},
                                {"(32,2):(66,1)", 8, {"ld.shared.column"}},  {"(8,8):(8,1)", 16, {"ldmatrix.x1"}},
                                {"(4,64):(66,1)", 16, {"st.shared.column"}}, {"(8,3):(33,3)", 16, {"ld.shared.row"}},
                                {"(32,3):(64,5)", 8, {"ld.shared.column"}},  {"(4,4):(3,1)", 16, {"ld.shared.b32"}}};
  for (const Question& q : questions) {
    const int bits = offsetBits(q.layout, q.bits);
    const auto some = [&](int within) {
      const std::vector<std::string> all = allWithin(within, q.layout);
      return std::any_of(all.begin(), all.end(),
                         [&](const std::string& text) { return freeByModel(text, q.bits, q.accesses); });
    };
    INFO(q.layout);
    CHECK(some(bits) == some(bits + 3));
  }
}

TEST_CASE("a slice of a wider tile has its swizzle, and the memory that it needs") {
  const auto result = find("(64,32):(64,1)", 16, {"ldmatrix.x4"});
  REQUIRE(!result.swizzles.empty());
  const SwizzleAnswer& first = result.swizzles.front();
  CHECK(first.cute == "Sw<3,3,3> o 0 o (64,32):(64,1)");
  CHECK(first.tma == "CU_TENSOR_MAP_SWIZZLE_128B");
  CHECK(first.triton == "");  // over a 64x32 tensor, Triton's rows are 32 long
  CHECK(result.bytes == 2 * 4064);
  CHECK(first.bytes == 2 * 4096);
  const auto padded = find("(4,64):(66,1)", 16, {"st.shared.column"});
  CHECK(std::any_of(padded.swizzles.begin(), padded.swizzles.end(),
                    [](const SwizzleAnswer& a) { return a.cute == "Sw<2,4,2> o 0 o (4,64):(66,1)"; }));
  CHECK(padded.clash.empty());
}

TEST_CASE("a layout that is free already has alternatives") {
  const auto result = find("(64,32):(40,1)", 16, {"ldmatrix.x4"});
  REQUIRE(result.swizzles.size() > 1);
  CHECK(result.swizzles.front().kind == SwizzleAnswer::Kind::AsIs);
  CHECK(result.swizzles.front().triton == "#ttg.padded_shared<[32:+8] {order = [1, 0], shape = [64, 32]}>");
  // Halves, neighbours of one word: bit 0 may go into a bank bit.
  const auto halves = find("(16,8):(8,1)", 16, {"ld.shared"});
  CHECK(std::any_of(halves.swizzles.begin(), halves.swizzles.end(),
                    [](const SwizzleAnswer& a) { return a.swizzle.shift() < 0; }));
}

TEST_CASE("Triton's label of a padded tile gives the tile's own addresses") {
  CHECK(tritonPadding(*Tile::of(*cute::parseLayout("(4,8):(24,1)"), 16)) ==
        "#ttg.padded_shared<[8:+16] {order = [1, 0], shape = [4, 8]}>");
  int labelled = 0;
  const auto check = [&](const std::string& layout) {
    const Tile tile = *Tile::of(*cute::parseLayout(layout), 16);
    const auto label = tritonPadding(tile);
    INFO(layout << " " << label.value_or(""));
    if (!label) return;
    ++labelled;
    const auto encoding = triton::parseEncoding(*label);
    REQUIRE(encoding.ok());
    const auto map = memoryMap(*encoding, {tile.rows(), tile.columns()});
    REQUIRE(map.ok());
    for (i64 r = 0; r < tile.rows(); ++r)
      for (i64 c = 0; c < tile.columns(); ++c) CHECK(map->at(std::vector<i64>{r, c})[0] == tile.offset(r, c));
  };
  for (const i64 rows : {1, 2, 4, 8})
    for (const i64 columns : {2, 8, 16})
      for (i64 pitch = columns; pitch <= 3 * columns; ++pitch) {
        const std::string e = std::to_string(columns), p = std::to_string(pitch);
        check("(" + std::to_string(rows) + "," + e + "):(" + p + ",1)");
        check("(" + e + "," + std::to_string(rows) + "):(1," + p + ")");
        check("((2,4)," + e + "):((" + p + "," + std::to_string(2 * pitch + 16) + "),1)");
      }
  CHECK(labelled > 60);
  // What is no padding has no label.
  for (const char* layout :
       {"(8,8):(8,1)", "(8,8):(20,1)", "(8,6):(8,1)", "(8,8):(4,1)", "(8,8):(15,2)", "(8,8):(0,1)"})
    CHECK(!tritonPadding(*Tile::of(*cute::parseLayout(layout), 16)));
}

TEST_CASE("an already padded layout, padded further") {
  const auto result = find("(8,8):(16,1)", 32, {"st.shared.column"});
  CHECK(!result.paddings.empty());
  for (const SwizzleAnswer& a : result.paddings) {
    const i64 padding = 16 + a.padding - 8;
    const std::string label =
        "#ttg.padded_shared<[8:+" + std::to_string(padding) + "] {order = [1, 0], shape = [8, 8]}>";
    INFO(a.cute);
    CHECK(a.triton == ((padding & (padding - 1)) == 0 ? label : ""));
  }
}

TEST_CASE("when there is none, a smallest clash says why") {
  // Vectors of 16 bytes leave 8 places for a row's column; 32 rows cannot all be elsewhere.
  auto result = find("(32,32):(32,1)", 32, {"ld.shared.v4", "st.shared.column"});
  CHECK(result.swizzles.empty());
  CHECK(result.paddings.empty());
  CHECK(result.clashIsSmallest);
  REQUIRE(result.clash.size() == 2);
  CHECK(result.clash[0].text == "ld.shared.v4 at (0,0): free as given, but not under a swizzle that serves the others");
  CHECK(result.clash[1].text.find(
            "st.shared.column at (0,0), phase 0: bank 0 must deliver 32 words: lane 0 at (0,0), lane 1 at (1,0)") == 0);
  // Each of the two alone has an answer.
  CHECK(!find("(32,32):(32,1)", 32, {"ld.shared.v4"}).swizzles.empty());
  CHECK(!find("(32,32):(32,1)", 32, {"st.shared.column"}).swizzles.empty());
}

TEST_CASE("questions that cannot be asked") {
  std::vector<AccessSpec> none, global = {*parseAccess("ld.global.v4")}, ldmatrix = {*parseAccess("ldmatrix.x4")};
  const cute::Layout layout = *cute::parseLayout("(64,64):(64,1)");
  CHECK(!findSwizzle(layout, 16, none).ok());
  CHECK(!findSwizzle(layout, 16, global).ok());
  CHECK(!findSwizzle(layout, 64, ldmatrix).ok());
  CHECK(!findSwizzle(*cute::parseLayout("(7,9):(9,1)"), 16, ldmatrix).ok());
}
