// Tiled products and copies: CuTe's published layouts, and the law that every element of C has one owner.
#include "core/atlas/tiled.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

using namespace tessera;
using nlohmann::json;

namespace {

std::vector<json> cases(const std::string& kind) {
  std::ifstream in(std::string(TESSERA_SOURCE_DIR) + "/tests/cases/atlas.jsonl");
  REQUIRE(in);
  std::vector<json> out;
  for (std::string line; std::getline(in, line);) {
    json row = json::parse(line);
    if (row["kind"] == kind) out.push_back(row);
  }
  REQUIRE(!out.empty());
  return out;
}

cute::Layout layout(const std::string& text) {
  auto l = cute::parseLayout(text);
  REQUIRE(l.ok());
  return *l;
}

std::optional<cute::Layout> size(i64 n) { return layout(std::to_string(n) + ":1"); }

struct Build {
  const char* desc;
  const char* atom;
  const char* atoms;
  std::array<i64, 3> permutation;  // 0: none
};
const Build kBuilds[] = {{"SM80_16x8x16 1x1x1", "SM80_16x8x16_F32F16F16F32_TN", "(1,1,1)", {0, 0, 0}},
                         {"SM80_16x8x16 2x2x1", "SM80_16x8x16_F32F16F16F32_TN", "(2,2,1)", {0, 0, 0}},
                         {"SM80_16x8x16 2x2x1 perm(32,32,16)", "SM80_16x8x16_F32F16F16F32_TN", "(2,2,1)", {32, 32, 16}},
                         {"SM80_16x8x16 4x1x1 perm(64,16,16)", "SM80_16x8x16_F32F16F16F32_TN", "(4,1,1)", {64, 16, 16}},
                         {"SM70_8x8x4 NT 2x2 perm", "SM70_8x8x4_F32F16F16F32_NT", "(2,2,1):(2,1,0)", {0, 0, 0}},
                         {"SM70_8x8x4 NT 2x2 32x32x4", "SM70_8x8x4_F32F16F16F32_NT", "(2,2,1):(2,1,0)", {32, 32, 4}},
                         {"UniversalFMA 16x16x1", "UniversalFMA", "(16,16,1)", {0, 0, 0}},
                         {"SM90_64x128x16_SS 1", "SM90_64x128x16_F32F16F16_SS", "(1,1,1)", {0, 0, 0}}};

TiledMma built(const Build& b) {
  std::array<std::optional<cute::Layout>, 3> permutation;
  for (std::size_t i = 0; i < 3; ++i)
    if (b.permutation[i] != 0) permutation[i] = size(b.permutation[i]);
  auto mma = makeTiledMma(*findInstruction(b.atom), layout(b.atoms), permutation);
  INFO(b.desc << (mma ? "" : " " + mma.error().message));
  REQUIRE(mma.ok());
  return *mma;
}

// The same function of (thread, value), and the same text but for the marks.
void same(const cute::Layout& got, const std::string& expected) {
  const cute::Layout want = layout(expected);
  INFO(print(got) << " for " << expected);
  REQUIRE(got.size() == want.size());
  REQUIRE(got.mode(0).size() == want.mode(0).size());
  for (i64 i = 0; i < got.size(); ++i) {
    if (got(i) != want(i)) {
      CHECK(got(i) == want(i));
      return;
    }
  }
  CHECK(print(got) == expected);
}

}  // namespace

TEST_CASE("every published tiled product") {
  std::map<std::string, const Build*> builds;
  for (const Build& b : kBuilds) builds[b.desc] = &b;
  for (const json& row : cases("tiled_mma")) {
    const std::string desc = row["inputs"]["desc"];
    INFO(desc);
    REQUIRE(builds.count(desc) == 1);
    const TiledMma mma = built(*builds[desc]);
    const json& e = row["expected"];
    CHECK(print(mma.threads) == e["thr_layout_vmnk"].get<std::string>());
    CHECK("(" + std::to_string(mma.tile[0]) + "," + std::to_string(mma.tile[1]) + "," + std::to_string(mma.tile[2]) +
              ")" ==
          e["tile_mnk"].get<std::string>());
    same(mma.a, e["A_tv"].get<std::string>());
    same(mma.b, e["B_tv"].get<std::string>());
    same(mma.c, e["C_tv"].get<std::string>());
  }
}

TEST_CASE("a tiled product's C has one owner an element; A and B have one a warp beside") {
  for (const Build& b : kBuilds) {
    const TiledMma mma = built(b);
    INFO(b.desc);
    auto owners = [](const cute::Layout& tv, i64 elements) {
      std::vector<int> count(static_cast<std::size_t>(elements), 0);
      for (i64 i = 0; i < tv.size(); ++i) ++count.at(static_cast<std::size_t>(tv(i)));
      return count;
    };
    for (int n : owners(mma.c, mma.tile[0] * mma.tile[1])) CHECK(n == 1);
    const AtlasOperand a = *findOperand(mma.atom, "A");
    if (a.coverage == Coverage::Once) {
      for (int n : owners(mma.a, mma.tile[0] * mma.tile[2])) CHECK(n == mma.threads.mode(2).size());
      for (int n : owners(mma.b, mma.tile[1] * mma.tile[2])) CHECK(n == mma.threads.mode(1).size());
    }
  }
}

TEST_CASE("every published tiled copy") {
  const TiledMma mma = built({"", "SM80_16x8x16_F32F16F16F32_TN", "(2,2,1)", {32, 32, 16}});
  for (const json& row : cases("tiled_copy")) {
    const std::string desc = row["inputs"]["desc"];
    INFO(desc);
    auto starts = [&](const char* p) { return desc.rfind(p, 0) == 0; };
    const AtlasRow u128 = *findInstruction("UniversalCopy<uint128_t>");
    auto copy = starts("u128 f16 (32,8)")    ? makeTiledCopy(u128, 16, layout("(32,8):(8,1)"), layout("(1,8)"))
                : starts("u128 f16 (16,16)") ? makeTiledCopy(u128, 16, layout("(16,16):(16,1)"), layout("(1,8)"))
                : starts("u128 f32")         ? makeTiledCopy(u128, 32, layout("(32,8)"), layout("(4,1)"))
                : starts("LDSM_N x4 A")      ? makeTiledCopy(*findInstruction("SM75_U32x4_LDSM_N"), 16, mma.a, {32, 16})
                : starts("LDSM_N x4 B")      ? makeTiledCopy(*findInstruction("SM75_U32x4_LDSM_N"), 16, mma.b, {32, 16})
                                        : makeTiledCopy(*findInstruction("SM75_U16x8_LDSM_T"), 16, mma.a, {32, 16});
    INFO((copy ? std::string() : copy.error().message));
    REQUIRE(copy.ok());
    const json& e = row["expected"];
    CHECK("(" + std::to_string(copy->tile[0]) + "," + std::to_string(copy->tile[1]) + ")" ==
          e["tiler_mn"].get<std::string>());
    same(copy->threadValue, e["tiled_tv"].get<std::string>());
    same(copy->source, e["S_tv"].get<std::string>());
    same(copy->destination, e["D_tv"].get<std::string>());
  }
}

TEST_CASE("what does not tile is refused") {
  const AtlasRow mma = *findInstruction("mma.m16n8k16.f16");
  CHECK(!makeTiledMma(mma, layout("(2,2)")).ok());
  CHECK(!makeTiledMma(*findInstruction("ldmatrix.x4"), layout("(1,1,1)")).ok());
  auto uneven = makeTiledMma(mma, layout("(2,2,1)"), {size(48), std::nullopt, std::nullopt});
  REQUIRE(!uneven.ok());
  CHECK(uneven.error().message == "a tile of 48 along M for atoms that take 32");
  CHECK(!makeTiledCopy(*findInstruction("ldmatrix.x4"), 16, layout("(16,8):(8,1)"), layout("(1,2)")).ok());
  CHECK(!makeTiledCopy(mma, 16, layout("(32,8):(8,1)"), layout("(1,8)")).ok());
}
