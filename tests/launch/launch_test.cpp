// Arguments and shapes of a launch as text.
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <random>

#include "core/ptx/read.h"
#include "solver/kernel/launch/arguments.h"
#include "solver/kernel/launch/element.h"
#include "solver/kernel/launch/shape.h"

using namespace tessera;
using namespace tessera::kernel;

namespace {

ptx::Module launchModule() {
  auto module = ptx::read(
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".entry k(.param .u64 a, .param .f32 x, .param .s32 n, .param .align 4 .b8 s[6], .param .u16 h)\n"
      ".maxntid 256, 1, 1 { ret; }\n"
      ".entry fixed() .reqntid 64, 2 .reqnctapercluster 2 { ret; }");
  REQUIRE(module.ok());
  return *module;
}

Result<std::vector<Given>> launchArguments(const std::vector<std::string>& texts, u64 seed = 1) {
  static const ptx::Module module = launchModule();
  static const std::map<std::string, Npy> files = {{"m.npy", {"<f4", {2, 3}, std::string(24, '\1')}},
                                                   {"s.npy", {"|u1", {6}, "abcdef"}}};
  return readArguments(module.functions[0], texts, seed, [](const std::string& path) -> Result<std::string> {
    const auto at = files.find(path);
    if (at == files.end()) return Diag{"cannot read '" + path + "'"};
    return writeNpy(at->second);
  });
}

std::vector<Given> givenArguments(const std::vector<std::string>& texts, u64 seed = 1) {
  auto given = launchArguments(texts, seed);
  INFO((given ? "" : given.error().message));
  REQUIRE(given.ok());
  return *given;
}

u64 scalarBits(const Given& given) {
  u64 out = 0;
  std::memcpy(&out, given.argument.bytes.data(), given.argument.bytes.size());
  return out;
}

}  // namespace

TEST_CASE("encoded() rounds to the nearest number of the type, ties to even") {
  // Against the obvious search over all numbers of an 8- or 16-bit type.
  for (const char* name : {"e5m2", "e4m3", "f16", "bf16"}) {
    const Element& e = *elementNamed(name);
    const u64 count = u64{1} << (8 * e.bytes);
    std::vector<double> finite;
    for (u64 bits = 0; bits < count; ++bits) {
      const double value = decoded(e, bits);
      if (std::isnan(value)) continue;
      CHECK(encoded(e, value) == bits);
      if (std::isfinite(value) && bits < count / 2) finite.push_back(value);
    }
    for (std::size_t k = 0; k + 1 < finite.size(); ++k) {
      const double low = finite[k], high = finite[k + 1], middle = low + (high - low) / 2;
      if (encoded(e, middle) != (k % 2 == 0 ? k : k + 1)) CHECK(encoded(e, middle) == (k % 2 == 0 ? k : k + 1));
      if (encoded(e, std::nextafter(middle, 0)) != k) CHECK(encoded(e, std::nextafter(middle, 0)) == k);
      if (encoded(e, std::nextafter(middle, 1e300)) != k + 1) CHECK(encoded(e, std::nextafter(middle, 1e300)) == k + 1);
    }
  }
  const Element &f32 = *elementNamed("f32"), &f64 = *elementNamed("f64");
  for (const double x : {0.0, -0.0, 1.0, 0.1, 1e-40, 3.4e38, 1e39, -1e-46, 16777217.0}) {
    CHECK(encoded(f32, x) == std::bit_cast<std::uint32_t>(static_cast<float>(x)));
    CHECK(encoded(f64, x) == std::bit_cast<u64>(x));
  }
  CHECK(encoded(f64, 5e-324) == 1);
  CHECK(decoded(*elementNamed("int8"), 0xff) == -1);
  CHECK(decoded(*elementNamed("uint8"), 0xff) == 255);
}

TEST_CASE("arguments in every form") {
  const auto given = givenArguments({"@m.npy", "0.5", "int32:-2", "struct:00 01 02 03 04 ff", "float16:1.5"});
  REQUIRE(given.size() == 5);
  CHECK(given[0].argument.kind == Argument::Kind::Buffer);
  CHECK(given[0].argument.bytes.size() == 24);
  CHECK(given[0].argument.shape == std::vector<i64>{2, 3});
  CHECK(given[0].argument.element == "float32");
  CHECK(scalarBits(given[1]) == 0x3F000000);
  CHECK(scalarBits(given[2]) == 0xFFFFFFFE);
  CHECK(given[3].argument.kind == Argument::Kind::Bytes);
  CHECK(given[3].argument.bytes[5] == std::byte{0xff});
  CHECK(scalarBits(given[4]) == 0x3E00);
  CHECK(arrayOf(given[0], given[0].argument.bytes) == Npy{"<f4", {2, 3}, std::string(24, '\1')});
  // Arguments that are not given are arbitrary.
  CHECK(givenArguments({})[0].argument.kind == Argument::Kind::Arbitrary);
  CHECK(givenArguments({"_", "_", "7"})[2].argument.bytes.size() == 4);
  CHECK(givenArguments({"A=@m.npy"})[0].name == "A");
  CHECK(givenArguments({"f32[2]=1"})[0].name == "a");
  CHECK(givenArguments({"_", "_", "_", "@s.npy"})[3].argument.kind == Argument::Kind::Bytes);
  const auto structures = ptx::read(
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".entry k(.param .align 8 .b8 tensor[8], .param .align 2 .b8 half[2]) { ret; }");
  REQUIRE(structures.ok());
  const auto inside = readArguments(structures->functions[0], {"f32[2]", "float16:1"}, 1, {});
  REQUIRE(inside.ok());
  CHECK((*inside)[0].argument.kind == Argument::Kind::Buffer);
  CHECK(scalarBits((*inside)[1]) == 0x3C00);
  CHECK(givenArguments({"uint64:0xFFFFFFFFFFFFFFFF"})[0].argument.bytes[7] == std::byte{0xff});
}

TEST_CASE("random buffers depend on the seed and the parameter, and their numbers are exact") {
  for (const char* type : {"f16", "f32", "f64", "bf16", "e4m3", "e5m2", "int8", "uint32", "int64", "bool"}) {
    const Element& e = *elementNamed(type);
    const auto text = std::string(type) + "[8, 40]";
    const auto a = givenArguments({text})[0], b = givenArguments({text})[0], c = givenArguments({text}, 2)[0];
    CHECK(a.argument == b.argument);
    CHECK_FALSE(a.argument == c.argument);
    CHECK(a.argument.bytes.size() == static_cast<std::size_t>(320 * e.bytes));
    double least = 0, most = 0;
    for (std::size_t k = 0; k < 320; ++k) {
      u64 bits = 0;
      std::memcpy(&bits, a.argument.bytes.data() + k * static_cast<std::size_t>(e.bytes),
                  static_cast<std::size_t>(e.bytes));
      const double value = decoded(e, bits);
      least = std::min(least, value);
      most = std::max(most, value);
      CHECK((e.kind != Element::Kind::Float || encoded(*elementNamed("e4m3"), value * 8) != 0 ||
             value * 64 == std::floor(value * 64)));
    }
    const bool whole = e.kind == Element::Kind::Signed;
    CHECK(least >= (whole ? -8 : e.kind == Element::Kind::Float ? -1 : 0));
    CHECK(most <= (e.kind == Element::Kind::Float || e.kind == Element::Kind::Bool ? 1 : 7));
    CHECK(most > 0);
  }
}

TEST_CASE("an argument that does not fit says which parameter and what would fit") {
  const auto message = [](const std::vector<std::string>& texts) {
    const auto given = launchArguments(texts);
    REQUIRE(!given.ok());
    return given.error().message;
  };
  CHECK(message({"int32:5"}) == "argument 0 is for the parameter a (.u64, 8 bytes): int32 has 4 bytes");
  CHECK(message({"_", "f32[4]"}) ==
        "argument 1 is for the parameter x (.f32, 4 bytes): 'f32[4]' is a buffer, and the parameter is not a pointer");
  CHECK(message({"_", "_", "_", "struct:00"}) ==
        "argument 3 is for the parameter s (.b8[6], 6 bytes): the structure has 1 byte");
  CHECK(message({"_", "_", "int8:1"}) == "argument 2 is for the parameter n (.s32, 4 bytes): int8 has 1 byte");
  CHECK(message({"_", "_", "2.5"}) ==
        "argument 2 is for the parameter n (.s32, 4 bytes): '2.5' is not a number of type int32");
  CHECK(message({"_", "_", "int32:2147483648"}).find("is not a number of type int32") != std::string::npos);
  CHECK(message({"@none.npy"}) == "cannot read 'none.npy'");
  CHECK(message({"f32[-1]"}).find("is not a shape") != std::string::npos);
  CHECK(message({"f32[1000000,1000000]"}).find("larger than") != std::string::npos);
  CHECK(message({"flot32:1"}).find("is not a type") != std::string::npos);
  CHECK(message({"", "", "", "", "", ""}) == "6 arguments for 5 parameters");
  CHECK(launchArguments({"1", "1", "1", "1", "1", "1"}).error().expected.find("0 a .u64, 1 x .f32") !=
        std::string::npos);
}

TEST_CASE("the shape of a launch follows the entry") {
  static const ptx::Module module = launchModule();
  CHECK(*readExtents("4,2", "--grid") == Extents{4, 2, 1});
  CHECK(*readExtents(" 4 , 2 , 3 ", "--grid") == Extents{4, 2, 3});
  for (const char* text : {"", "0", "4,", "1,2,3,4", "-1", "x", "99999999999"})
    CHECK_FALSE(readExtents(text, "--grid").ok());
  Launch launch;
  launch.grid = {4, 1, 1};
  REQUIRE(completeShape(module.functions[1], {}, launch).ok());
  CHECK(launch.block == Extents{64, 2, 1});
  CHECK(launch.cluster == Extents{2, 1, 1});
  CHECK(completeShape(module.functions[1], {Extents{64, 1, 1}, {}}, launch).error().expected == "--block 64,2,1");
  launch.grid = {3, 1, 1};
  CHECK_FALSE(completeShape(module.functions[1], {}, launch).ok());
  CHECK_FALSE(completeShape(module.functions[0], {Extents{257, 1, 1}, {}}, launch).ok());
  CHECK(completeShape(module.functions[0], {Extents{16, 16, 1}, {}}, launch).ok());
}

namespace {

Result<std::vector<Given>> tensorArguments(const std::vector<std::string>& texts) {
  static const auto module = ptx::read(
      ".version 8.0\n.target sm_90a\n.address_size 64\n"
      ".entry k(.param .align 64 .b8 A[128], .param .align 128 .b8 B[128], .param .u64 c) {\n"
      "  .reg .b64 %rd<2>; .reg .b32 %r<2>;\n"
      "  cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd0, {%r0, %r0}]; ret; }");
  REQUIRE(module.ok());
  return readArguments(module->functions[0], texts, 1, [](const std::string&) -> Result<std::string> {
    return writeNpy({"<f4", {6, 8}, std::string(192, '\1')});
  });
}

TensorMap mapOf(const std::vector<std::string>& texts, std::size_t k = 0) {
  const auto given = tensorArguments(texts);
  INFO((given ? "" : given.error().message));
  REQUIRE(given.ok());
  REQUIRE((*given)[k].argument.kind == Argument::Kind::TensorMap);
  return *(*given)[k].argument.map;
}

}  // namespace

TEST_CASE("tensor maps in every form") {
  const TensorMap a = mapOf({"tensormap:f16[1024,512], box=128x64, swizzle=128B"});
  CHECK(a.tile.globalExtents == std::vector<i64>{512, 1024});
  CHECK(a.tile.globalStrideBytes == std::vector<i64>{1024});
  CHECK(a.tile.box == std::vector<i64>{64, 128});
  CHECK(a.tile.swizzle.name == "128B");
  CHECK(a.type == ptx::Type::F16);
  CHECK(a.buffer == -1);
  const auto file = tensorArguments({"A=tensormap:@x.npy,box=2x4,fill=nan"});
  REQUIRE(file.ok());
  CHECK((*file)[0].name == "A");
  CHECK((*file)[0].argument.shape == std::vector<i64>{6, 8});
  CHECK((*file)[0].argument.map->fillNan);
  CHECK((*file)[0].argument.map->type == ptx::Type::F32);
  // Rows of 6 halves, 32 bytes apart.
  const auto rows = tensorArguments({"tensormap:f16[3,6]=1,box=1x8,strides=32,steps=2x1"});
  REQUIRE(rows.ok());
  const Argument& padded = (*rows)[0].argument;
  CHECK(padded.bytes.size() == 2 * 32 + 12);
  CHECK(padded.bytes[1] == std::byte{0x3c});
  CHECK(padded.bytes[12] == std::byte{0});
  CHECK(padded.bytes[33] == std::byte{0x3c});
  CHECK(padded.map->tile.elementStrides == std::vector<i64>{1, 2});
  CHECK(elementsOf(*padded.map, padded.bytes).size() == 36);
  // A part of the buffer of argument 2, with another type; and the other map's tensor.
  const std::vector<std::string> both = {"tensormap:#2,type=bf16,shape=4x16,strides=64,offset=32,box=4x16",
                                         "tensormap:#c,box=1x8x8", "u16[2,8,8]"};
  const TensorMap part = mapOf(both), all = mapOf(both, 1);
  CHECK(part.buffer == 2);
  CHECK(part.offset == 32);
  CHECK(part.type == ptx::Type::BF16);
  CHECK(part.spanBytes() == 3 * 64 + 32);
  CHECK(all.tile.globalExtents == std::vector<i64>{8, 8, 2});
  const TensorMap other = mapOf({"tensormap:#1,box=1x8", "tensormap:f16[3,6],strides=48,box=2x8"});
  CHECK(other.buffer == 1);
  CHECK(other.tile.globalStrideBytes == std::vector<i64>{48});
}

TEST_CASE("a tensor map that the driver refuses says which edit helps") {
  const auto refused = [](const std::string& first, const std::string& third = "_") {
    const auto given = tensorArguments({first, "_", third});
    INFO(first);
    REQUIRE(!given.ok());
    return given.error().message + " / " + given.error().expected + " / " + given.error().hint;
  };
  const auto says = [&](const std::string& text, const std::string& part, const std::string& third = "_") {
    const std::string message = refused("tensormap:" + text, third);
    INFO(message);
    CHECK(message.find(part) != std::string::npos);
  };
  says("f16[1024,512],box=512x64", "the box has 512 elements in dimension 1 / 1 to 256 / use several boxes");
  says("f16[1024,512],box=64x4", "has 8 bytes / a multiple of 16 bytes / use 8 elements");
  says("f16[1024,512],box=64x128,swizzle=128B", "has 256 bytes, swizzle 128B spans 128 / at most 64 elements");
  says("f16[1024,512],box=64x32,swizzle=128B", "an innermost box of 64 elements, or swizzle=64B");
  says("f16[10,9],box=1x8",
       "a row of 9 elements has 18 bytes; the rows of a tensor map are multiples of 16 apart / "
       "strides=32, which pads them");
  says("f16[10,16],strides=40,box=1x8", "a stride of 40 bytes / a multiple of 16 below 2^40 / pad to 48 bytes");
  says("f16[10,16],strides=16,box=1x8", "a stride of 16 bytes, a row of 16 elements takes 32");
  says("f16[10,16],strides=32x32,box=1x8", "strides=32x32 has 2 numbers / 1: bytes for each dimension");
  says("f16[4,4,4,4,4,8],box=8", "a tensor with 6 dimensions / 1 to 5 dimensions");
  says("f16[64,64],box=64", "box=64 has 1 numbers, and the shape 64x64 has 2");
  says("f16[64,64]", "needs the box of its copies / box=64x64");
  says("f16[64,64],bxo=8x8", "'bxo=8x8' is not an option of a tensor map / box, swizzle, strides");
  says("f16[64,64],box=8x8,swizle=128B", "did you mean swizzle?");
  says("f16[64,64],box=8x8,box=8x8", "box is given twice");
  says("f16[64,64],box=axb", "box=axb is not an option of a tensor map / box=64x64");
  says("f16[64,64],box=8x8,swizzle=256B", "'256B' is not a TMA swizzle mode / NONE, 32B, 64B, 128B");
  says("f16[64,64],box=8x8,steps=9x1", "element stride 9 in dimension 1 / 1 to 8");
  says("f16[64,64],box=8x8,interleave=32B", "interleave=32B is not supported / interleave=none");
  says("u16[64,64],box=8x8,fill=nan", "fill=nan for elements of type uint16");
  says("tf32[64,64],box=8x8", "not documented / type f32");
  says("complex128[64,64],box=8x8", "no elements of type complex128");
  says("f16[0,64],box=8x8", "dimension 1 has extent 0 / 1 to 2^32");
  says("f32[256,256],box=256x256", "use several boxes");
  says("f16[2,8],strides=1099511627760,box=1x8", "more than 8589934592 bytes");
  says("f16[64,64],box=8x8,offset=16", "offset=16 is for a tensor in another argument's buffer");
  says("64x64", "tensormap:64x64 names no tensor");
  says("", "names no tensor");
  says("#7,box=8x8", "argument 0, tensormap:#7: there is no such argument");
  says("#0,box=8x8", "argument 0 has no buffer / a buffer: f16[1024,512] or @FILE.npy / a map with its own tensor");
  says("#2,box=8x8", "argument 2 has no buffer");
  says("#2,box=8x8,shape=65x64", "takes 8320 bytes from byte 0 on, and the buffer of argument 2 has 8192",
       "f16[64,64]");
  says("#2,box=8x8,offset=8", "a tensor starts at a multiple of 16 bytes", "f16[64,64]");
  CHECK(refused("struct:" + std::string(256, '0')).find("not documented, so its bytes are no argument / tensormap:") !=
        std::string::npos);
  CHECK(refused("f16[64,64]").find("is a buffer, and the parameter is not a pointer / tensormap:f16") !=
        std::string::npos);
  CHECK(refused("_", "tensormap:f16[64,64],box=8x8").find("a tensor map is a parameter of 128 bytes") !=
        std::string::npos);
}

TEST_CASE("a damaged tensor map is refused, or is a map inside its buffer") {
  std::mt19937 random(11);
  const std::string whole =
      "tensormap:#2,box=8x16,swizzle=32B,strides=128,steps=1x1,fill=nan,shape=32x64,offset=16,type=f16";
  const std::string bytes = "0123456789x,=#[]@-: bnf";
  int accepted = 0;
  for (int k = 0; k < 3000; ++k) {
    std::string text = whole;
    for (auto n = random() % 3 + 1; n > 0; --n) {
      const std::size_t at = 11 + random() % (text.size() - 11);
      if (random() % 3 == 0)
        text.erase(at, random() % 12);
      else
        text[at] = bytes[random() % bytes.size()];
    }
    const auto given = tensorArguments({text, "_", "u16[64,64]"});
    if (!given) {
      CHECK_FALSE(given.error().message.empty());
      continue;
    }
    ++accepted;
    const TensorMap& map = *(*given)[0].argument.map;
    CHECK(map.offset + map.spanBytes() <= 8192);
    CHECK_FALSE(tmaFault(map.tile).has_value());
  }
  CHECK(accepted > 20);
}
