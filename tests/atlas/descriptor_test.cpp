// Shared-memory atoms, matrix descriptors, tensor memory and TMA: the published cases and the rules.
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/atlas/gmma.h"
#include "core/atlas/tma.h"

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

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> out(1);
  for (char c : text)
    if (c == ' ')
      out.emplace_back();
    else
      out.back() += c;
  return out;
}

}  // namespace

TEST_CASE("every published shared-memory atom") {
  for (const json& row : cases("gmma_atom")) {
    std::string atom = row["inputs"]["atom"], type = row["inputs"].value("type", "");
    if (type.empty()) {  // "MN_SW128_32B f32"
      type = words(atom)[1];
      atom = words(atom)[0];
    }
    INFO(atom << " " << type);
    auto layout = smemAtom(atom, type);
    REQUIRE(layout.ok());
    CHECK(print(*layout) == row["expected"].get<std::string>());
  }
  CHECK(!smemAtom("K_SW256", "f16").ok());
  CHECK(!smemAtom("K_SW128", "e2m3").ok());
}

TEST_CASE("every published tiled atom") {
  for (const json& row : cases("gmma_tile_to_shape")) {
    auto parts = words(row["inputs"]["desc"].get<std::string>());  // "K_SW128 f16 128x64x4"
    INFO(row["id"].get<std::string>());
    std::vector<i64> shape;
    for (std::size_t at = 0; at < parts[2].size();) {
      shape.push_back(std::stoll(parts[2].substr(at)));
      at = std::min(parts[2].find('x', at), parts[2].size() - 1) + 1;
    }
    auto tiled = smemTile(*smemAtom(parts[0], parts[1]), shape);
    REQUIRE(tiled.ok());
    CHECK(print(*tiled) == row["expected"].get<std::string>());
  }
  const std::vector<i64> odd = {60, 64};
  CHECK(!smemTile(*smemAtom("K_SW128", "f16"), odd).ok());
}

TEST_CASE("every published matrix descriptor") {
  for (const json& row : cases("gmma_desc")) {
    INFO(row["id"].get<std::string>() << " " << row["inputs"]["desc"].get<std::string>());
    const Major major = row["inputs"]["desc"].get<std::string>().starts_with("K") ? Major::K : Major::MN;
    auto smem = cute::parseComposedLayout(row["inputs"]["smem_layout"].get<std::string>());
    auto tile = cute::parseLayout(row["inputs"]["tile_layout"].get<std::string>());
    REQUIRE(smem.ok());
    REQUIRE(tile.ok());
    auto d = matrixDescriptor(*smem->swizzle(), major, smem->engine().elementBits, *tile);
    INFO((d ? std::string() : d.error().message));
    REQUIRE(d.ok());
    CHECK(d->sm90LayoutType() == row["expected"]["layout_type"].get<int>());
    CHECK(d->leading == row["expected"]["LBO_uint128"].get<i64>());
    CHECK(d->stride == row["expected"]["SBO_uint128"].get<i64>());
  }
}

TEST_CASE("descriptor words have their fields where the hardware reads them") {
  const MatrixDescriptor d{128, 1, 64};
  const u64 sm90 = encodeSm90(d, 0x2400);
  CHECK((sm90 & 0x3fff) == 0x240);
  CHECK(((sm90 >> 16) & 0x3fff) == 1);
  CHECK(((sm90 >> 32) & 0x3fff) == 64);
  CHECK((sm90 >> 62) == 1);
  const u64 sm100 = encodeSm100(d, 0x2400, 5);
  CHECK(((sm100 >> 46) & 3) == 1);
  CHECK(((sm100 >> 49) & 7) == 5);
  CHECK((sm100 >> 61) == 2);
}

TEST_CASE("a tile that no descriptor says is refused at its first odd coordinate") {
  const cute::Swizzle sw128 = *cute::Swizzle::make(3, 4, 3);
  auto padded = matrixDescriptor(sw128, Major::K, 16, *cute::parseLayout("(64,16):(72,1)"));
  REQUIRE(!padded.ok());
  CHECK(padded.error().message == "(64,16):(72,1) is not canonical: (1,0) is at 72, the descriptor would read 64");
  CHECK(!matrixDescriptor(sw128, Major::K, 16, *cute::parseLayout("(64,32):(64,1)")).ok());
  CHECK(!matrixDescriptor(*cute::Swizzle::make(3, 3, 3), Major::K, 16, *cute::parseLayout("(64,16):(64,1)")).ok());
  CHECK(!matrixDescriptor(sw128, Major::MN, 16, *cute::parseLayout("(60,16):(1,64)")).ok());
}

TEST_CASE("every published tensor-memory fragment") {
  for (const json& row : cases("tmem_frag")) {
    const std::string desc = row["inputs"]["alloc"], shape = row["inputs"]["post_partition_shape"];
    INFO(row["id"].get<std::string>() << " " << desc);
    auto has = [&](const char* piece) { return desc.find(piece) != std::string::npos; };
    auto tuple = cute::parseIntTuple(shape);
    REQUIRE(tuple.ok());
    TmemFragment f;
    f.ctas = has("2sm") ? 2 : 1;
    f.elementBits = has("f16") ? 16 : 32;
    f.containerBits = has("in 32b") ? 32 : 0;
    f.interleaved = !has("noninterleaved");
    f.m = tuple->mode(0).mode(0).value();
    f.n = tuple->mode(0).mode(1).value();
    f.tilesM = tuple->mode(1).value();
    f.tilesN = tuple->mode(2).value();
    auto layout = tmemLayout(f);
    REQUIRE(layout.ok());
    CHECK(print(*layout) == row["expected"].get<std::string>());
  }
  TmemFragment wide;
  wide.n = 256;
  wide.tilesN = 3;
  REQUIRE(!tmemLayout(wide).ok());
  CHECK(tmemLayout(wide).error().message == "768 columns are needed, tensor memory has 512");
}

TEST_CASE("tensor-memory fragments hit each place once and stay inside") {
  for (int ctas : {1, 2})
    for (i64 m : {32, 64, 128})
      for (bool interleaved : {false, true})
        for (i64 tiles : {1, 2}) {
          TmemFragment f{ctas, 32, 0, interleaved, m, 64, tiles, 2};
          auto layout = tmemLayout(f);
          if (!layout) continue;
          INFO(print(*layout));
          std::vector<bool> seen(kTmemRows * kTmemColumns);
          for (i64 i = 0; i < layout->size(); ++i) {
            const i64 address = (*layout)(i), row = address >> 16, column = address & 0xffff;
            REQUIRE(row < kTmemRows);
            REQUIRE(column < kTmemColumns);
            const auto place = static_cast<std::size_t>(row * kTmemColumns + column);
            CHECK(!seen[place]);
            seen[place] = true;
          }
        }
}

TEST_CASE("every published TMA swizzle mode and table") {
  for (const json& row : cases("tma_swizzle_mode")) {
    auto swizzle = cute::parseSwizzle(row["inputs"]["byte_swizzle"].get<std::string>());
    INFO(row["id"].get<std::string>());
    REQUIRE(swizzle.ok());
    auto mode = tmaSwizzleMode(*swizzle, 8);
    const json& expected = row["expected"];
    REQUIRE(mode.ok() == !expected.contains("error"));
    if (!mode) continue;
    CHECK(mode->name == expected["mode"].get<std::string>());
    CHECK(mode->bits == expected["bits"].get<std::string>());
    CHECK(mode->base == expected["base"].get<std::string>());
  }
  for (const json& row : cases("tma_swizzle")) {
    INFO(row["id"].get<std::string>());
    auto mode = tmaSwizzleMode(std::string_view(row["inputs"]["mode"].get<std::string>()));
    REQUIRE(mode.ok());
    CHECK(mode->onBytes == *cute::parseSwizzle(row["inputs"]["swizzle"].get<std::string>()));
    CHECK(mode->lineBytes == row["inputs"]["row_bytes"].get<i64>());
    const json& table = row["expected"]["chunk_of_row_col"];
    if (row["expected"].contains("atom_bytes")) CHECK(mode->patternBytes == row["expected"]["atom_bytes"].get<i64>());
    for (std::size_t r = 0; r < table.size(); ++r)
      for (std::size_t c = 0; c < table[r].size(); ++c)
        CHECK(tmaChunk(*mode, static_cast<i64>(r), static_cast<i64>(c)) == table[r][c].get<i64>());
  }
}
