// Names, operands, architectures, shuffles: what is found, and the messages of the refusals.
#include <catch2/catch.hpp>

#include "core/atlas/atlas.h"
#include "flat_layout.h"

using namespace tessera;

TEST_CASE("an instruction is found by any of its names") {
  for (const char* name :
       {"mma.m16n8k16.f32.f16.f16.f32", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "mma.m16n8k16.f16",
        "MMA.M16N8K16.F16", "m16n8k16.f16", "SM80_16x8x16_F32F16F16F32_TN", "cute::SM80_16x8x16_F32F16F16F32_TN"}) {
    INFO(name);
    auto row = findInstruction(name);
    REQUIRE(row.ok());
    CHECK(row->name == "mma.m16n8k16.f32.f16.f16.f32");
  }
  CHECK(findInstruction("ldmatrix.sync.aligned.m8n8.x4.shared.b16")->name == "ldmatrix.x4");
  CHECK(findInstruction("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16")->name == "ldmatrix.x4.trans");
  CHECK(findInstruction("wgmma.mma_async.sync.aligned.m64n136k16.f32.bf16.bf16")->name ==
        "wgmma.m64n136k16.f32.bf16.bf16.ss");
  CHECK(findInstruction("SM90_64x136x16_F32BF16BF16_RS<GMMA::Major::K,GMMA::Major::K>")->name ==
        "wgmma.m64n136k16.f32.bf16.bf16.rs");
  CHECK(findInstruction("SM100_MMA_F8F6F4_SS<e2m1, e5m2, f32, 64, 24>")->name ==
        "tcgen05.mma.cta_group::1.kind::f8f6f4.m64n24k32.ss");
  CHECK(findInstruction("v_mfma_f32_32x32x8_f16")->name == "mfma.32x32x8.f32.f16");
}

TEST_CASE("an unknown name is told what is near") {
  auto typo = findInstruction("ldmatrix.x3");
  REQUIRE(!typo.ok());
  CHECK(typo.error().message == "no instruction is called 'ldmatrix.x3'");
  CHECK(typo.error().hint.find("ldmatrix.x1") != std::string::npos);
  auto n = findInstruction("wgmma.m64n12k16.f32.f16.f16.ss");
  REQUIRE(!n.ok());
  CHECK(n.error().message == "wgmma.m64n{N}k16.f32.f16.f16.ss has no N = 12");
  CHECK(n.error().expected.starts_with("N among 8, 16, 24"));
  CHECK(!findInstruction("").ok());
  CHECK(!findInstruction(std::string(10000, 'x')).ok());
  CHECK(!findInstruction("{N}").ok());
}

TEST_CASE("operands by letter, and which there are") {
  const AtlasRow mma = *findInstruction("mma.m16n8k16.f16");
  CHECK(findOperand(mma, "a")->rows == "16");
  CHECK(findOperand(mma, "D")->layout == findOperand(mma, "C")->layout);
  auto missing = findOperand(mma, "E");
  REQUIRE(!missing.ok());
  CHECK(missing.error().expected == "one of A, B, C");
  CHECK(findOperand(*findInstruction("cp.async16"), "d")->space == OperandSpace::Shared);
}

TEST_CASE("the layouts of the table are CuTe layouts with the same values") {
  for (const AtlasRow& family : atlas()) {
    const AtlasRow row = family.parameter.empty() ? family : bind(family, family.parameter.back());
    for (const AtlasOperand& operand : row.operands) {
      INFO(row.name << " " << operand.name);
      auto layout = threadValue(operand);
      REQUIRE(layout.ok());
      CHECK(print(*layout) == operand.layout);
      const atlas_test::FlatLayout flat = atlas_test::flatLayout(operand.layout);
      REQUIRE(layout->size() == flat.thread.size() * flat.value.size());
      const i64 step = std::max<i64>(1, layout->size() / 64);
      bool same = true;
      for (i64 i = 0; i < layout->size(); i += step)
        same = same && (*layout)(i) == flat(i % flat.thread.size(), i / flat.thread.size());
      CHECK(same);
    }
  }
  const AtlasRow cutlass = *findInstruction("SM80_16x8x16_F32F16F16F32_TN");
  CHECK(print(*threadValue(*findOperand(cutlass, "A"))) == "((4,8),(2,2,2)):((32,1),(16,8,128))");
}

TEST_CASE("architectures: minimum, exact, family") {
  CHECK(runsOn("sm_80", "sm_80"));
  CHECK(runsOn("sm_80", "sm_90a"));
  CHECK(!runsOn("sm_80", "sm_75"));
  CHECK(runsOn("sm_90a", "sm_90a"));
  CHECK(!runsOn("sm_90a", "sm_90"));
  CHECK(!runsOn("sm_90a", "sm_100a"));
  CHECK(runsOn("sm_100a sm_103a", "sm_103a"));
  CHECK(runsOn("gfx908", "gfx942"));
  CHECK(!runsOn("gfx942", "gfx90a"));
  CHECK(!runsOn("sm_80", "gfx942"));
  auto lacks = findInstruction("wgmma.m64n64k16.f16", "sm_80");
  REQUIRE(!lacks.ok());
  CHECK(lacks.error().message == "wgmma.m64n64k16.f32.f16.f16.ss needs sm_90a; sm_80 lacks it");
  CHECK(lacks.error().hint.starts_with("sm_80 has mma."));
  CHECK(findInstruction("mma.m16n8k16.f16", "sm_90").ok());
}

TEST_CASE("shuffles are CUDA's __shfl functions") {
  // CUDA C++ Programming Guide: __shfl_xor_sync(v, mask, width), _up(delta), _down(delta), _idx(src)
  // within width lanes.
  for (int width : {2, 4, 8, 16, 32})
    for (int lane = 0; lane < 32; ++lane)
      for (int b = 0; b < 32; ++b) {
        const int segment = lane / width * width, mask = (32 - width) << 8;
        const int clampDown = mask | 31, clampUp = mask;
        CHECK(*shuffleSource("idx", lane, b, clampDown) == segment + b % width);
        CHECK(*shuffleSource("up", lane, b, clampUp) == (lane - b >= segment ? lane - b : lane));
        CHECK(*shuffleSource("down", lane, b, clampDown) == (lane + b < segment + width ? lane + b : lane));
        const int partner = lane ^ b;
        CHECK(*shuffleSource("bfly", lane, b, clampDown) == (partner < segment + width ? partner : lane));
      }
  CHECK(!shuffleSource("left", 0, 1, 31).ok());
  CHECK(!shuffleSource("idx", 32, 1, 31).ok());
}

TEST_CASE("element types have their bits") {
  CHECK(*elementBits("f16") == 16);
  CHECK(*elementBits("fp16") == 16);
  CHECK(*elementBits("tf32") == 32);
  CHECK(*elementBits("e2m1") == 4);
  CHECK(*elementBits("b1") == 1);
  CHECK(!elementBits("f17").ok());
  CHECK(!elementBits("").ok());
}

TEST_CASE("no text that can be typed crashes a lookup") {
  const std::string alphabet = "mnk0123456789.<>{}N,:_xXabfstrdlw /\xff";
  u64 seed = 88172645463325252u;
  for (int round = 0; round < 3000; ++round) {
    std::string text = round % 3 == 0 ? "mma.m16n8k" : round % 3 == 1 ? "SM100_MMA_TF32_SS<" : "";
    for (int i = 0; i < round % 23; ++i) {
      seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
      text += alphabet[seed % alphabet.size()];
    }
    INFO(text);
    auto row = findInstruction(text, "sm_" + text);
    if (row)
      CHECK(!findOperand(*row, text).ok());
    else
      CHECK(!row.error().message.empty());
  }
}
