// find swizzle: what is listed is conflict-free, what is not listed is not, by a check of its own.
#include "core/analysis/find_swizzle.h"

#include <catch2/catch.hpp>
#include <set>

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
  auto tile = plain.ok() ? Tile::of(*plain, bits) : Tile::of(*composed, bits);
  if (!tile) return false;
  std::vector<AccessSpec> specs;
  for (const std::string& a : accesses) specs.push_back(*parseAccess(a));
  auto report = bankReport(*tile, specs);
  return report.ok() && report->excess == 0;
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
  struct Question {
    const char* layout;
    int bits;
    std::vector<std::string> accesses;
  };
  const Question questions[] = {{"(16,32):(32,1)", 16, {"ldmatrix.x4", "cp.async16"}},
                                {"(32,16):(16,1)", 32, {"ld.shared.column", "st.shared.v2"}},
                                {"(16,16):(1,16)", 32, {"ld.shared.row", "st.shared.v4"}},
                                {"(8,64):(64,1)", 8, {"ldmatrix.x1", "st.shared.b32"}},
                                {"(16,16):(16,1)", 64, {"ld.shared.column"}}};
  for (const Question& q : questions) {
    auto result = find(q.layout, q.bits, q.accesses);
    std::set<std::string> listed;
    for (const std::string& text : cutes(result.swizzles)) listed.insert(text);
    const Tile tile = *Tile::of(*cute::parseLayout(q.layout), q.bits);
    int bits = 0;
    while ((i64{1} << bits) < tile.span()) ++bits;
    int tried = 0;
    for (int b = 0; b <= bits; ++b)
      for (int s = b; b + s <= bits; ++s)
        for (int m = 0; m + b + s <= bits; ++m) {
          if (b == 0 && (m != 0 || s != 0)) continue;
          const std::string text = b == 0 ? q.layout
                                          : "Sw<" + std::to_string(b) + "," + std::to_string(m) + "," +
                                                std::to_string(s) + "> o 0 o " + q.layout;
          INFO(text);
          CHECK(freeByModel(text, q.bits, q.accesses) == (listed.count(text) == 1));
          ++tried;
        }
    CHECK(tried == result.candidates);
    for (const SwizzleAnswer& a : result.paddings) CHECK(freeByModel(a.cute, q.bits, q.accesses));
    // The claim of the header: a negative shift never helps.
    for (int b = 1; b <= 3; ++b)
      for (int s = b; s <= 5; ++s)
        for (int m = 0; m <= 4; ++m) {
          const std::string text =
              "Sw<" + std::to_string(b) + "," + std::to_string(m) + ",-" + std::to_string(s) + "> o 0 o " + q.layout;
          INFO(text);
          if (freeByModel(text, q.bits, q.accesses)) CHECK(freeByModel(q.layout, q.bits, q.accesses));
        }
  }
}

TEST_CASE("when there is none, a smallest clash says why") {
  // Vectors of 16 bytes leave 8 places for a row's column; 32 rows cannot all be elsewhere.
  auto result = find("(32,32):(32,1)", 32, {"ld.shared.v4", "st.shared.column"});
  CHECK(result.swizzles.empty());
  CHECK(result.paddings.empty());
  CHECK(result.clashIsSmallest);
  REQUIRE(result.clash.size() == 2);
  CHECK(result.clash[0].text == "ld.shared.v4 at (0,0): free as it is, not in a swizzle that serves the others");
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
