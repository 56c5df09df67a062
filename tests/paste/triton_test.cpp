// Triton's MLIR: the values of modules, the spellings of older versions, aliases that are not there, and damaged text.
#include <catch2/catch.hpp>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "core/notation/triton/alias_scope.h"
#include "core/notation/triton/attr.h"
#include "core/notation/triton/module.h"
#include "core/worksheet/programs/programs.h"
#include "support/pasted_value.h"

using namespace tessera;

namespace {

const bool kTritonPrograms = (addPrograms(), true);

std::string ownModule(const std::string& name) {
  std::ifstream in(std::string(TESSERA_SOURCE_DIR) + "/tests/cases/ttgir/" + name);
  REQUIRE(in.good());
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string typeOfValue(const triton::Module& module, const std::string& name) {
  for (const triton::ModuleValue& value : module.values)
    if (value.name == name) return value.type;
  return "";
}

std::string printedEncoding(const std::string& text) {
  const auto read = triton::parseEncoding(text);
  return read ? print(*read) : "error: " + read.error().message;
}

const std::string kBlocked =
    "#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>\n";

}  // namespace

TEST_CASE("the outline of a module gives each value its type") {
  const triton::Module module = triton::outlineOf(ownModule("stage.before.ttgir"));
  CHECK(module.aliases.size() == 7);
  CHECK(typeOfValue(module, "%in") == "tensor<64x64x!tt.ptr<f16>, #blocked>");  // of a signature in two lines
  CHECK(typeOfValue(module, "%out") == "tensor<64x64x!tt.ptr<f16>, #lanes>");
  CHECK(typeOfValue(module, "%x") == "tensor<64x64xf16, #blocked>");  // loaded: what the pointer points to
  CHECK(typeOfValue(module, "%buffer") == "!ttg.memdesc<64x64xf16, #shared, #smem>");
  CHECK(typeOfValue(module, "%sum") == "tensor<64xf16, #ttg.slice<{dim = 1, parent = #mma}>>");  // after a region
  CHECK(typeOfValue(module, "%turned") == "!ttg.memdesc<64x64xf16, #plain, #smem, mutable>");
  std::size_t stores = 0;
  for (const triton::ModuleOperation& op : module.operations) {
    CHECK((op.function == "@stage" || op.name == "module"));
    if (op.name != "ttg.local_store") continue;
    ++stores;
    CHECK(op.operands == std::vector<std::string>{"%x", "%turned"});
    CHECK(op.targetTypes.size() == 1);
  }
  CHECK(stores == 1);
}

TEST_CASE("types of results follow the printed form of the operation") {
  const auto typeIn = [](const std::string& line, const std::string& name) {
    return typeOfValue(triton::outlineOf(line), name);
  };
  CHECK(typeIn("%1 = arith.cmpi slt, %0, %c : tensor<8x4xi32, #b>", "%1") == "tensor<8x4xi1, #b>");
  CHECK(typeIn("%1 = tt.addptr %p, %o : tensor<8x!tt.ptr<f32>, #b>, tensor<8xi32, #b>", "%1") ==
        "tensor<8x!tt.ptr<f32>, #b>");
  CHECK(typeIn("%1 = arith.extf %0 : tensor<8xf16, #b> to tensor<8xf32, #b>", "%1") == "tensor<8xf32, #b>");
  CHECK(typeIn("%1 = tt.dot %a, %b, %c : tensor<8x8xf16, #x> * tensor<8x8xf16, #y> -> tensor<8x8xf32, #m>", "%1") ==
        "tensor<8x8xf32, #m>");
  CHECK(typeIn("%l, %r = tt.split %x : tensor<8x2xf32, #b> -> tensor<8xf32, #c>", "%r") == "tensor<8xf32, #c>");
  CHECK(typeIn("%1 = arith.select %m, %a, %b : tensor<8xi1, #b>, tensor<8xf32, #b>", "%1") == "tensor<8xf32, #b>");
  CHECK(typeIn("%1:2 = scf.for %i = %a to %b step %c iter_args(%x = %p, %y = %q) -> (i32, tensor<8xf32, #b>)  : i32 {",
               "%y") == "tensor<8xf32, #b>");
  CHECK(typeIn("%1:2 = scf.for %i = %a to %b step %c iter_args(%x = %p, %y = %q) -> (i32, tensor<8xf32, #b>)  : i32 {",
               "%1#1") == "tensor<8xf32, #b>");
  CHECK(typeIn("%s = scf.if %c -> (tensor<8xf32, #b>) {", "%s") == "tensor<8xf32, #b>");
  CHECK(typeIn("%m, %t = ttng.tmem_alloc : () -> (!ttg.memdesc<8x8xf32, #t, #ttng.tensor_memory, mutable>, "
               "!ttg.async.token) loc(\"a b\"(\"x\":1:2))",
               "%m") == "!ttg.memdesc<8x8xf32, #t, #ttng.tensor_memory, mutable>");
  // A copy returns a token.
  CHECK(typeIn("%k = ttg.async_copy_global_to_local %p, %m : tensor<8x!tt.ptr<f32>, #b> -> <8xf32, #s, #smem>", "%k")
            .empty());
  CHECK(typeIn("^bb0(%x: tensor<8xf32, #b> loc(\"x\"), %n: i32):", "%x") == "tensor<8xf32, #b>");
}

TEST_CASE("the spellings of older versions are today's attributes") {
  CHECK(printedEncoding("#triton_gpu.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0], CTAsPerCGA = [1, 1], "
                        "CTASplitNum = [1, 1], CTAOrder = [1, 0], hasLeadingOffset = true}>") ==
        "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>");
  CHECK(
      printedEncoding("#ttg.shared<{vec = 4, perPhase = 2, maxPhase = 4, order = [0, 1], hasLeadingOffset = true}>") ==
      "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 32}>");
  CHECK(printedEncoding("#triton_gpu.shared<{vec = 4, perPhase = 2, maxPhase = 4, order = [1, 0]}>") ==
        "#ttg.swizzled_shared<{vec = 4, perPhase = 2, maxPhase = 4, order = [1, 0]}>");
  CHECK(printedEncoding("#triton_gpu.shared<{vec = 8, perPhase = 3, maxPhase = 8, order = [1, 0], hasLeadingOffset = "
                        "true}>")
            .starts_with("error: "));
  CHECK(printedEncoding("#triton_gpu.mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2]}>") ==
        "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>");
  CHECK(printedEncoding("#triton_gpu.mfma<{nonKDim = 16, warpsPerCTA = [1, 4], isTransposed = false}>") ==
        "#ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 4], instrShape = [16, 16, 16], isTransposed = false}>");
  CHECK(printedEncoding("#triton_nvidia_gpu.tensor_memory_encoding<blockM = 128, blockN = 64, unpacked = true>") ==
        "#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>");
  const auto memdesc = triton::parse(
      "#s = #triton_gpu.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>\n"
      "!tt.memdesc<8x8xf16, #s>");
  REQUIRE(memdesc.ok());
  CHECK(memdesc->types.at(0).memorySpace.has_value());
}

TEST_CASE("a module binds its aliases and values") {
  const std::string text = ownModule("stage.before.ttgir");
  // Row 9 of 64 elements, vectors of 8 xored with the row mod 8: 9*64 + ((1 xor 1) * 8) + 1.
  CHECK(pastedValue(text, "memory_map(buffer)(9,9)") == "577");
  CHECK(pastedValue(text, "memory_map(#shared over (64,64))(9,9)") == "577");
  CHECK(pastedValue(text, "to_linear(x)(3,5,1,0)") == "(4,43)");
  CHECK(pastedValue(text, "to_linear(far)(3,5,1,0)") == "(25,3)");
  CHECK(pastedValue(text, "to_linear(sum)(1,5,1,0)") == "25");
  // unpacked of f16: one element in each column of 32 bits.
  CHECK(pastedValue("#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, unpacked = true>\n%a = "
                    "ttng.tmem_alloc : () -> !ttg.memdesc<128x64xf16, #t, #ttng.tensor_memory, mutable>",
                    "#t")
            .find("colStride = 2") != std::string::npos);
}

TEST_CASE("an alias that nothing defines is asked for, and may be given") {
  const std::string line = "%2 = ttg.convert_layout %1 : tensor<32x16xf32, #b> -> tensor<32x16xf32, #c>";
  // In the order of use: only the type of the result is a value.
  CHECK(pastedValue(line, "X") == "asks: #c");
  paste::Given given;
  given.lets = {{"#c", kBlocked.substr(5, kBlocked.size() - 6)}};
  CHECK(pastedValue(line, "to_linear(v2)(1,1,0,0)", given) == "(0,5)");
  CHECK(pastedValue(kBlocked + "%2 = tt.load %1 : tensor<32x16x!tt.ptr<f32>, #b>", "to_linear(X)(1,1,0,0)") == "(0,5)");
}

TEST_CASE("in a file of several modules an alias has the meaning of its module") {
  const std::string other =
      "#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>\n";
  const std::string use = "tt.func @f(%x: tensor<32x16xf32, #b>) {\n  tt.return\n}\n";
  const std::string text = kBlocked + use + "// -----\n" + other + use;
  CHECK(pastedValue(text, "to_linear(x)(1,1,0,0)") == "(0,5)");
  CHECK(pastedValue(text, "to_linear(x_2)(0,17,0,0)") == "(1,1)");
  const triton::Module module = triton::outlineOf(text);
  const triton::AliasScope scope(module);
  REQUIRE(module.values.size() == 2);
  CHECK_FALSE((*scope.type(module.values[0].type, module.values[0].span.begin) ==
               *scope.type(module.values[1].type, module.values[1].span.begin)));
  CHECK_FALSE(scope.type("tensor<8xf32, #unknown>", 0).ok());
}

TEST_CASE("damaged modules are read or refused") {
  const std::string seed = ownModule("stage.before.ttgir");
  std::mt19937_64 random(5);
  const std::string bytes = "()[]{}<>,:;=#%!\" \n-0x";
  for (int trial = 0; trial < 60; ++trial) {
    std::string text = seed;
    for (int edits = 0; edits < 4; ++edits) {
      const std::size_t at = random() % text.size();
      if (random() % 2 == 0)
        text.erase(at, 1 + random() % 12);
      else
        text.insert(at, 1, bytes[random() % bytes.size()]);
    }
    const auto reading = paste::read(text);
    CHECK((reading.ok() || !reading.error().message.empty()));
  }
  for (const std::string& piece :
       {std::string("%a:<"), std::string(" loc("), std::string("tensor<"), std::string("({\n"),
        std::string("#a = #ttg.slice<{dim = 0, parent = "), std::string("a, ")}) {
    std::string deep = "%0 = ttg.convert_layout %1 : ";
    for (int k = 0; k < 20000; ++k) deep += piece;
    (void)triton::outlineOf(deep);
  }
}
