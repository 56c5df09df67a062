// wgmma as an atom: the owner of each sum against PTX's formula, descriptors against CuTe's, refusals, and the
// statements.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "core/graphene/atoms/atom.h"
#include "leaves.h"

using namespace tessera;
using namespace tessera::graphene;
using namespace tessera::graphene::test;

namespace {

struct Product {
  std::string a = "Sw<3,3,3> o [64,64:64,1].fp16.SH", b = "Sw<3,3,3> o [64,64:1,64].fp16.SH";
  std::string acc = "[1,8:0,4].[2,1:2,0].[1,2:0,1].fp32.RF", threads = "[128:1].thread";
  std::string sliceA = "tile(_,[16:1])[0,1]", sliceB = "tile([16:1],_)[1,0]";
};

Result<Atom> atomOf(const Product& p, const std::string& architecture = "sm_90a") {
  const std::string text = fmt::format(
      "%A:{}\n%B:{}\n%acc:{}\n#b:[1].block #t:{}\n%a = %A.{}  %b = %B.{}\n%acc <- MatMul<<<#b,#t>>>(%a,%b)\n", p.a, p.b,
      p.acc, p.threads, p.sliceA, p.sliceB);
  INFO(text);
  return matchAtom(firstLeaf(text), architecture);
}

std::string refusal(const Product& p, const std::string& architecture = "sm_90a") {
  const auto atom = atomOf(p, architecture);
  REQUIRE_FALSE(atom.ok());
  return atom.error().message;
}

}  // namespace

TEST_CASE("sum i of lane l of a warpgroup is row 16w + g (+ 8), column 2t + i % 2 + 8 (i / 4), over all of k") {
  const auto atom = atomOf({});
  INFO((atom ? "" : atom.error().message));
  REQUIRE(atom.ok());
  CHECK(atom->name == "wgmma.m64n64k16.f32.f16.f16.ss");
  CHECK(atom->lanes == 128);
  CHECK(atom->deferred);
  CHECK(atom->accesses.empty());
  CHECK(atom->slots == std::vector<int>{32, 64 * 16, 16 * 64});
  REQUIRE(atom->terms.size() == 128 * 32);
  for (int lane = 0; lane < 128; ++lane)
    for (int i = 0; i < 32; ++i) {
      const int row = lane / 32 * 16 + lane % 32 / 4 + (i / 2 % 2 == 1 ? 8 : 0),
                column = lane % 4 * 2 + i % 2 + i / 4 * 8;
      const auto& terms = atom->terms[static_cast<std::size_t>(lane * 32 + i)];
      REQUIRE(terms.size() == 16);
      for (int k = 0; k < 16; ++k) CHECK(terms[static_cast<std::size_t>(k)] == AtomTerm{row * 16 + k, k * 64 + column});
    }
}

// PTX ISA, register fragments of wgmma .m64nNk16: row 16 (lane / 32) + lane % 32 / 4, and 8 more for a2 a3 a6 a7;
// column 2 (lane % 4) + i % 2, and 8 more for a4 to a7.
TEST_CASE("A in registers: value i of lane l of a warpgroup, over all of k") {
  for (const char* type : {"fp16", "bf16"}) {
    const std::string text = fmt::format(
        "%a:[2,2:4,2].[1,2:0,1].{0}.RF\n%B:Sw<3,3,3> o "
        "[64,64:1,64].{0}.SH\n%acc:[1,8:0,4].[2,1:2,0].[1,2:0,1].fp32.RF\n"
        "#b:[1].block #t:[128:1].thread\n%b = %B.tile([16:1],_)[1,0]\n%acc <- MatMul<<<#b,#t>>>(%a,%b)\n",
        type);
    const auto atom = matchAtom(firstLeaf(text), "sm_90a");
    INFO((atom ? "" : atom.error().message));
    REQUIRE(atom.ok());
    const std::string factor = type[0] == 'b' ? "bf16" : "f16";
    CHECK(atom->name == "wgmma.m64n64k16.f32." + factor + "." + factor + ".rs");
    CHECK(atom->slots == std::vector<int>{32, 8, 16 * 64});
    CHECK(matrixOf(*atom, 1) == nullptr);
    REQUIRE(matrixOf(*atom, 2) != nullptr);
    REQUIRE(atom->terms.size() == 128 * 32);
    // Which slot of A has row m and column k.
    std::vector<int> slots(64 * 16, -1);
    for (int lane = 0; lane < 128; ++lane)
      for (int i = 0; i < 8; ++i) {
        const int row = lane / 32 * 16 + lane % 32 / 4 + i / 2 % 2 * 8, column = lane % 4 * 2 + i % 2 + i / 4 * 8;
        slots[static_cast<std::size_t>(row * 16 + column)] = lane * 8 + i;
      }
    for (int lane = 0; lane < 128; ++lane)
      for (int i = 0; i < 32; ++i) {
        const int row = lane / 32 * 16 + lane % 32 / 4 + i / 2 % 2 * 8, column = lane % 4 * 2 + i % 2 + i / 4 * 8;
        const auto& terms = atom->terms[static_cast<std::size_t>(lane * 32 + i)];
        REQUIRE(terms.size() == 16);
        for (int k = 0; k < 16; ++k)
          CHECK(terms[static_cast<std::size_t>(k)] ==
                AtomTerm{slots[static_cast<std::size_t>(row * 16 + k)], k * 64 + column});
      }
  }
}

TEST_CASE("the descriptor of a tile is CuTe's, and its start stands in the first line of a repetition") {
  struct Row {
    const char *a, *slice;
    Major major;
    MatrixDescriptor descriptor;
    i64 room, repeats;
  };
  // make_gmma_desc: SW128 K-major has SBO 8 lines of 128 bytes; MN-major LBO the next 64 rows, SBO the next 8 of k.
  const Row rows[] = {
      {"Sw<3,3,3> o [64,64:64,1].fp16.SH", "tile(_,[16:1])[0,1]", Major::K, {128, 1, 64}, 64, 512},
      {"Sw<2,3,3> o [64,32:32,1].fp16.SH", "tile(_,[16:1])[0,1]", Major::K, {64, 1, 32}, 32, 256},
      {"Sw<1,3,3> o [64,16:16,1].fp16.SH", "tile(_,[16:1])[0,0]", Major::K, {32, 1, 16}, 16, 128},
      {"[64,(8,8):8,(1,512)].fp16.SH", "tile(_,[(8,2):(1,8)])[0,1]", Major::K, {0, 64, 8}, 8, 8},
      {"Sw<3,3,3> o [64,64:1,64].fp16.SH", "tile(_,[16:1])[0,1]", Major::MN, {128, 0, 64}, 8, 512},
      {"Sw<2,3,3> o [(32,2),64:(1,2048),32].fp16.SH", "tile(_,[16:1])[0,1]", Major::MN, {64, 256, 32}, 8, 256},
  };
  for (const Row& row : rows) {
    Product p;
    p.a = row.a;
    p.sliceA = row.slice;
    const auto atom = atomOf(p);
    INFO(row.a << ": " << (atom ? "" : atom.error().message));
    REQUIRE(atom.ok());
    const AtomMatrix* a = matrixOf(*atom, 1);
    REQUIRE(a != nullptr);
    CHECK(matrixOf(*atom, 0) == nullptr);
    CHECK(a->major == row.major);
    CHECK(a->descriptor.swizzleBytes == row.descriptor.swizzleBytes);
    CHECK(a->descriptor.leading == row.descriptor.leading);
    CHECK(a->descriptor.stride == row.descriptor.stride);
    CHECK(a->unit == 8);
    CHECK(a->room == row.room);
    CHECK(a->repeats == row.repeats);
  }
}

TEST_CASE("what does not fit is said") {
  const auto with = [](auto&& change) {
    Product p;
    change(p);
    return refusal(p);
  };
  CHECK(refusal({}, "sm_80").find("needs sm_90a, but the target is sm_80") != std::string::npos);
  CHECK(refusal({}, "sm_100a").find("needs sm_90a") != std::string::npos);
  CHECK(with([](Product& p) {
          p.a = "Sw<2,3,3> o [64,64:64,1].fp16.SH";
        }).find("(1,0) is at 64, the descriptor would read 32") != std::string::npos);
  CHECK(with([](Product& p) { p.a = "Sw<3,4,3> o [64,64:64,1].fp16.SH"; }).find("xors 16-byte units") !=
        std::string::npos);
  CHECK(with([](Product& p) { p.a = "Sw<3,3,3> o [64,64:72,1].fp16.SH"; }).find("the descriptor would read 64") !=
        std::string::npos);
  CHECK(with([](Product& p) { p.a = "[64,64:64,2].fp16.SH"; }).find("contiguous rows or columns") != std::string::npos);
  CHECK(with([](Product& p) { p.sliceA = "tile(_,[8:1])[0,1]"; }).find("wants [64,16] of %a") != std::string::npos);
  CHECK(with([](Product& p) { p.a = "[64,64:64,1].fp16.RF"; }).find("wants [2,2].[1,2] of %a") != std::string::npos);
  CHECK(with([](Product& p) { p.a = "Sw<3,3,3> o [64,64:64,1].fp16.GL"; }).find("wants %a in shared memory") !=
        std::string::npos);
  CHECK(with([](Product& p) { p.acc = "[1,8:0,4].[2,1:1,0].[1,2:0,2].fp32.RF"; }).find("contiguous") !=
        std::string::npos);
  CHECK(with([](Product& p) {
          p.a = "Sw<3,3,3> o [2,64,64:256,64,1].fp16.SH";  // four rows on: in the middle of the eight that are xored
          p.sliceA = "tile([1:1],[64:1],[16:1])[1,0,0].reshape(0,[64,16])";
        }).find("to begin at a line of its swizzle; it begins at 256") != std::string::npos);
  CHECK(with([](Product& p) { p.threads = "[64:1].thread"; }) != "");
}

TEST_CASE("the statements of products are read, printed, and refused by name") {
  const std::string kernel =
      "%x:[4].fp32.GL\n#b:[1].block #t:[128].thread\n%x <- Spec<<<#b,#t>>>(%x) {\n  fence.async\n  wgmma.fence\n  "
      "wgmma.commit\n"
      "  wgmma.wait 1\n}\n";
  const auto program = readProgram(kernel);
  INFO((program ? "" : program.error().message));
  REQUIRE(program.ok());
  const std::string printed = print(*program);
  for (const char* word : {"fence.async\n", "wgmma.fence\n", "wgmma.commit\n", "wgmma.wait 1\n"}) {
    INFO(printed);
    CHECK(printed.find(word) != std::string::npos);
  }
  const auto again = readProgram(printed);
  REQUIRE(again.ok());
  CHECK(print(*again) == printed);
  for (const char* bad : {"wgmma", "wgmma.stop", "wgmma.wait -1", "wgmma.wait 65", "fence", "fence.sync", "wgmma."}) {
    std::string text = kernel;
    text.replace(text.find("fence.async"), 11, bad);
    INFO(bad);
    CHECK_FALSE(readProgram(text).ok());
  }
}
