// What a kernel requests if each block computes a tile of its output.
#include "core/hlo/cost/tile_traffic.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "core/base/arith.h"
#include "core/hlo/compose/fusion.h"

using namespace tessera;

namespace {

using Ints = std::vector<i64>;

hlo::Module tileModule(const std::string& text) {
  hlo::Module m = hlo::readModule(text);
  INFO(text);
  REQUIRE(m.problems.empty());
  return m;
}

const char* const kProduct =
    "ENTRY e {\n  a = f32[1024,1024] parameter(0)\n  b = f32[1024,1024] parameter(1)\n"
    "  ROOT d = f32[1024,1024] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n";

hlo::TileTraffic trafficOf(const hlo::Module& m, const Ints& tile) {
  const hlo::Where where{m.entry, m.computation(m.entry).root};
  const auto kernel = hlo::wasteOf(m, where);
  REQUIRE(kernel.has_value());
  const auto plan = hlo::planOf(m, where);
  REQUIRE(plan.ok());
  auto traffic = hlo::tileTraffic(m, *kernel, *plan, tile);
  REQUIRE(traffic.ok());
  return *std::move(traffic);
}

// The bytes that blocks load, element by element: the distinct elements that each tile of the output reads.
i64 loadedBySets(const hlo::Module& m, std::size_t operand, const Ints& sizes, const Ints& tile, i64 bytes) {
  const hlo::Where where{m.entry, m.computation(m.entry).root};
  const auto reads = hlo::readsThrough(m, where, 0);
  REQUIRE(reads.ok());
  std::map<Ints, std::set<Ints>> loaded;  // by tile number
  Ints at(sizes.size(), 0);
  for (;;) {
    Ints number;
    for (std::size_t k = 0; k < at.size(); ++k) number.push_back(at[k] / tile[k]);
    for (const Map& map : (*reads)[operand].maps) {
      const auto image = map.imageOf(at);
      for (const Ints& element : image) loaded[number].insert(element);
    }
    std::size_t k = 0;
    while (k < at.size() && ++at[k] == sizes[k]) at[k++] = 0;
    if (k == at.size()) break;
  }
  i64 sum = 0;
  for (const auto& [number, elements] : loaded) sum += static_cast<i64>(elements.size()) * bytes;
  return sum;
}

}  // namespace

TEST_CASE("a product loads a row and a column of tiles for each tile") {
  const hlo::Module m = tileModule(kProduct);
  const hlo::TileTraffic large = trafficOf(m, {128, 128}), small = trafficOf(m, {64, 64});
  CHECK(large.tiles == 64);
  REQUIRE(large.operands.size() == 2);
  CHECK(large.operands[0].tiles.at(0).sizes == Ints{128, 1024});
  CHECK(large.operands[1].tiles.at(0).sizes == Ints{1024, 128});
  CHECK(large.operands[0].tileBytes == 128 * 1024 * 4);
  CHECK(large.asked() == 2 * 8 * 4 * 1024 * 1024);  // each array once for each of 8 columns or rows of tiles
  CHECK(large.needed() == 2 * 4 * 1024 * 1024);
  CHECK(small.asked() == 2 * large.asked());
}

TEST_CASE("with the plan's own tile, each operand asks for what the ranking says") {
  int kernels = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TESSERA_SOURCE_DIR "/tests/cases/hlo")) {
    std::ifstream in(entry.path());
    std::ostringstream text;
    text << in.rdbuf();
    const hlo::Module m = hlo::readModule(text.str());
    for (const hlo::KernelWaste& k : hlo::rankingOf(m).kernels) {
      const auto plan = hlo::planOf(m, k.where);
      if (!plan || plan->kind != hlo::Plan::Kind::Tiles || m.isTuple(m.at(k.where))) continue;
      INFO(entry.path() << " " << m.at(k.where).name);
      const auto array = hlo::tiledArray(m, k.where, *plan);
      REQUIRE(array.ok());
      CHECK(hlo::tileOf(m, *plan, *array) == plan->tile);
      const auto traffic = hlo::tileTraffic(m, k, *plan, plan->tile);
      REQUIRE(traffic.ok() == hlo::readsOfPlan(m, k.where, 0, *plan).ok());
      if (!traffic) continue;
      REQUIRE(traffic->operands.size() == k.operands.size());
      for (std::size_t o = 0; o < k.operands.size(); ++o)
        if (traffic->operands[o].inSectors) CHECK(traffic->operands[o].asked == k.operands[o].asked);
      ++kernels;
    }
  }
  CHECK(kernels > 5);
}

TEST_CASE("whole sectors: tiles request what their sets of elements need, at every size of a small array") {
  const std::string turned =
      "ENTRY e {\n  x = f32[32,16] parameter(0)\n"
      "  ROOT k = f32[16,32] transpose(x), dimensions={1,0}\n}\n";
  const std::string sum =
      "g {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n"
      "ENTRY e {\n  x = f32[16,32,8] parameter(0)\n  z = f32[] constant(0)\n"
      "  ROOT k = f32[16,32] reduce(x, z), dimensions={2}, to_apply=g\n}\n";
  int compared = 0;
  for (const std::string& text : {turned, sum}) {
    const hlo::Module m = tileModule(text);
    for (const i64 rows : hlo::tileSizes(16))
      for (const i64 columns : hlo::tileSizes(32)) {
        const hlo::TileTraffic t = trafficOf(m, {rows, columns});
        const hlo::OperandTraffic& x = t.operands.at(0);
        INFO(text << rows << "x" << columns << " " << x.why);
        if (!x.asked || x.tiles.size() != 1) continue;
        const i64 least = loadedBySets(m, 0, {16, 32}, {rows, columns}, 4);
        CHECK(x.tileBytes.value_or(0) * t.tiles == least);  // no clipped tiles at these sizes
        CHECK(*x.asked >= least);
        // 32 bytes and more along the minor dimension of x: no part of a sector is unused.
        if (text == sum || rows >= 8) CHECK(*x.asked == least);
        ++compared;
      }
  }
  CHECK(compared == 60);
}

TEST_CASE("sizes to choose from are powers of two, the whole and the given ones") {
  CHECK(hlo::tileSizes(1) == Ints{1});
  CHECK(hlo::tileSizes(12) == Ints{1, 2, 4, 8, 12});
  CHECK(hlo::tileSizes(16, {6, 6, 99, 0}) == Ints{1, 2, 4, 6, 8, 16});
  CHECK(hlo::tileSizes(0) == Ints{1});
}

TEST_CASE("a tile that does not fit is refused, and says what would") {
  const hlo::Module m = tileModule(kProduct);
  const hlo::Where where{m.entry, m.computation(m.entry).root};
  const auto kernel = hlo::wasteOf(m, where);
  const auto plan = hlo::planOf(m, where);
  for (const Ints& tile : {Ints{128}, Ints{0, 4}, Ints{4, 1025}, Ints{}}) {
    const auto traffic = hlo::tileTraffic(m, *kernel, *plan, tile);
    REQUIRE_FALSE(traffic.ok());
    CHECK(traffic.error().message.find("is no tile of [1024,1024]") != std::string::npos);
    CHECK(traffic.error().expected == "a size for each dimension, from 1 to that of the array");
  }
}

TEST_CASE("without a tile in the plan: a block of a loop in memory order, 32x32 of a transposition") {
  const auto tileIn = [](const std::string& text) {
    const hlo::Module m = tileModule(text);
    const hlo::Where where{m.entry, m.computation(m.entry).root};
    const auto plan = hlo::planOf(m, where);
    const auto array = hlo::tiledArray(m, where, *plan);
    return hlo::tileOf(m, *plan, *array);
  };
  const auto negate = [](const std::string& shape) {
    return "ENTRY e {\n  x = " + shape + " parameter(0)\n  ROOT n = " + shape + " negate(x)\n}\n";
  };
  CHECK(tileIn(negate("f32[64,1000]")) == Ints{1, 64 * 2});
  CHECK(tileIn(negate("f32[64,1000]{0,1}")) == Ints{64, 2});
  CHECK(tileIn(negate("f32[8,4,16]")) == Ints{2, 4, 16});
  CHECK(tileIn(negate("f32[]")) == Ints{});
  CHECK(tileIn("ENTRY e {\n  x = f32[2,256,512] parameter(0)\n"
               "  ROOT t = f32[2,512,256] transpose(x), dimensions={0,2,1}\n}\n") == Ints{1, 32, 32});
}

TEST_CASE("the ranking of a module is examined once") {
  const hlo::Module m = tileModule(kProduct);
  const auto first = hlo::keptRanking(m), again = hlo::keptRanking(hlo::Module(m));
  CHECK(first == again);
  REQUIRE(first->kernels.size() == 1);
  CHECK(first->kernels[0].asked() == hlo::rankingOf(m).kernels[0].asked());
}
