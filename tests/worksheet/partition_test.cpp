// The partition family of the worksheet against CuTe C++ (tests/cases/partition.tsv, made by make_partition.py),
// methods, and what is refused.
#include <catch2/catch.hpp>
#include <fstream>
#include <random>

#include "core/notation/cute/algebra/tensor.h"
#include "core/notation/cute/composed_layout.h"
#include "core/notation/cute/notation.h"
#include "core/worksheet/value.h"
#include "tests/worksheet/run.h"

using namespace tessera;

namespace {

struct CuteCase {
  std::string sheet, expected;
};
std::vector<CuteCase> cuteCases() {
  std::ifstream file(std::string(TESSERA_SOURCE_DIR) + "/tests/cases/partition.tsv");
  REQUIRE(file);
  std::vector<CuteCase> cases;
  for (std::string line; std::getline(file, line);) {
    const std::size_t tab = line.find('\t');
    REQUIRE(tab != std::string::npos);
    cases.push_back({line.substr(0, tab), line.substr(tab + 1)});
  }
  return cases;
}

std::string withoutMarks(const std::string& text) {
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k)
    if (text[k] != '_' || k + 1 == text.size() || std::isdigit(static_cast<unsigned char>(text[k + 1])) == 0)
      out += text[k];
  return out;
}

// The strides of modes of extent 1 as 0, because they are no part of the function.
cute::Layout plain(const cute::Layout& layout) {
  std::vector<cute::IntTuple> strides = layout.stride().leaves();
  const std::vector<cute::IntTuple> extents = layout.shape().leaves();
  for (std::size_t k = 0; k < strides.size(); ++k)
    if (extents[k].value() == 1) strides[k] = cute::IntTuple(0);
  return *cute::Layout::make(layout.shape(), withLeaves(layout.stride(), strides));
}

// The layout and the first value of what a text or a value says; nullopt: no layout.
struct Part {
  cute::Layout layout;
  std::string start;
};
std::optional<Part> partOf(const Value& value) {
  if (const auto* layout = as<cute::Layout>(value)) return Part{plain(*layout), "0"};
  const auto* tensor = as<cute::ComposedLayout>(value);
  if (tensor == nullptr || !tensor->isTensor()) return std::nullopt;
  const bool counts = tensor->engine().kind == cute::Engine::Kind::Counting;
  return Part{plain(tensor->inner()),
              counts ? std::to_string(tensor->engine().address) : withoutMarks(print(tensor->offset()))};
}

std::optional<Value> evaluated(const std::string& text) {
  const std::vector<Ran> ran = runAll("R = " + text);
  INFO(text << ": " << (ran[0].evaluated.diag ? ran[0].evaluated.diag->message : ""));
  CHECK(!ran[0].evaluated.diag);
  if (!ran[0].evaluated.value) return std::nullopt;
  return *ran[0].evaluated.value;
}

std::string valuesOf(const Value& value) {
  std::string out = "[";
  const Result<Layout> layout = layoutOf(value);
  REQUIRE(layout.ok());
  const auto* plainLayout = layout->as<cute::Layout>();
  const auto* composed = layout->as<cute::ComposedLayout>();
  const i64 size = plainLayout != nullptr ? plainLayout->size() : composed->inner().size();
  for (i64 i = 0; i < size; ++i) {
    const auto at = plainLayout != nullptr ? plainLayout->crd2idx(i) : composed->crd2idx(i);
    REQUIRE(at.ok());
    out += (i == 0 ? "" : ",") + print(*at);
  }
  return out + "]";
}

}  // namespace

TEST_CASE("partitions are CuTe's") {
  const std::vector<CuteCase> cases = cuteCases();
  REQUIRE(cases.size() > 350);
  for (const CuteCase& c : cases) {
    INFO(c.sheet << " is " << c.expected);
    const std::optional<Value> got = evaluated(c.sheet);
    if (!got) continue;
    if (c.expected.front() == '[') {
      CHECK(valuesOf(*got) == c.expected);
      continue;
    }
    const std::optional<Value> want = evaluated(withoutMarks(c.expected));
    REQUIRE(want);
    const auto mine = partOf(*got), theirs = partOf(*want);
    if (!mine || !theirs) {
      CHECK(withoutMarks(print(*got)) == withoutMarks(c.expected));
      continue;
    }
    CHECK(withoutMarks(print(mine->layout)) == withoutMarks(print(theirs->layout)));
    CHECK(mine->start == theirs->start);
  }
}

TEST_CASE("a part of a tensor counts from where it begins") {
  const std::string m = "M = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, (2,2,1))\n";
  CHECK(last(m + "M.get_slice(5).partition_A((64,32):(32,1))") ==
        "counting_iter(34) o ((2,2,2),2,2):((1,256,8),1024,16)");
  CHECK(last(m + "P = M.get_slice(5).partition_A((64,32):(32,1))\nP(0,0,0)") == "34");
  CHECK(last(m + "P = M.get_slice(5).partition_A((64,32):(32,1))\nP((1,1,0),1,1)") ==
        std::to_string(34 + 1 + 256 + 1024 + 16));
  CHECK(last(m + "M.get_slice(0).partition_A((64,32):(32,1))") == "((2,2,2),2,2):((1,256,8),1024,16)");
  CHECK(last(m + "M.get_slice(5).partition_A((_64,_32):(_32,_1))") ==
        "counting_iter(34) o ((_2,_2,_2),_2,_2):((_1,_256,_8),_1024,_16)");
  CHECK(last(m + "M.get_slice(5).partition_A(Sw<3,3,3> o (64,64):(64,1))") ==
        "Sw<3,3,3> o 66 o ((2,2,2),2,4):((1,512,8),2048,16)");
  CHECK(last(m + "M.get_slice(5).partition_A(smem_ptr[16b](0x100) o (64,32):(32,1))") ==
        "smem_ptr[16b](0x144) o ((2,2,2),2,2):((1,256,8),1024,16)");
  CHECK(last(m + "M.get_slice(5).partition_A(make_identity_tensor((64,32)))") ==
        "ArithTuple(1,2) o ((2,2,2),2,2):((1@1,8@0,8@1),32@0,16@1)");
  CHECK(last("local_tile((256,128):(128,1), (128,64), (1,_))") == "counting_iter(16384) o (128,64,2):(128,1,64)");
}

TEST_CASE("fragments of operands in shared memory are matrix descriptors, as CuTe prints them") {
  const auto fragment = [](const std::string& major, const std::string& shape) {
    return last("M = make_tiled_mma(SM90_64x64x16_F32F16F16_SS<GMMA::Major::" + major +
                ",GMMA::Major::K>{})\nM.get_slice(0).partition_fragment_A(tile_to_shape(smem_atom(" + major +
                "_SW128, f16), " + shape + "))");
  };
  CHECK(fragment("K", "(128,64,3)") == "(1,2,4,(1,3)):(0,512,2,(0,1024))");
  CHECK(fragment("MN", "(128,64)") == "(1,2,4):(0,64,256)");
}

TEST_CASE("the smallest copy of an mma's accumulators is CuTe's") {
  const std::string c =
      "C = make_tiled_copy_C_atom(Copy_Atom<SM90_U32x2_STSM_N, half_t>{}, "
      "make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, (2,2,1), (32,32,16)))\n";
  CHECK(last(c + "C.get_slice(37).partition_D((64,64):(64,1))") ==
        "counting_iter(1344) o (((2,4),1),2,4):(((1,2),0),2048,16)");
  CHECK(last(c + "Tiler_MN(C)") == "((8,2,2):(1,16,8),(8,2):(2,1))");
}

TEST_CASE("the shapes of fragments that people ask for") {
  const std::string m = "M = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (4,1,1), (64,16,16))\n";
  CHECK(last(m + "shape(M.get_slice(0).partition_fragment_A((128,32)))") == "((2,2,2),2,2)");
  CHECK(last(m + "shape(M.get_slice(0).partition_fragment_B((128,32)))") == "((2,2),16,2)");
}

TEST_CASE("methods are functions of what is before the dot") {
  const std::string m = "M = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, (2,2,1), Tile<_32,_32,_16>{})\n";
  CHECK(last(m + "M.size()") == "128");
  CHECK(last(m + "M.tile_size_mnk<1>()") == "32");
  CHECK(last(m + "M.template tile_size_mnk<2>()") == "16");
  CHECK(last(m + "M.permutation_mnk<0>()") == last(m + "permutation_mnk<0>(M)"));
  CHECK(last(m + "t = M.get_thread_slice(37)\nt.thr_vmnk") == "(5,1,0,0)");
  CHECK(last(m + "M.get_slice(3).partition_C((64,64)).layout()") ==
        last(m + "layout(partition_C(get_slice(M, 3), (64,64)))"));
  CHECK(last("L = (4,8):(8,1)\nL.size()") == "32");
  CHECK(last("L = (4,8):(8,1)\nL.shape") == "(4,8)");
  CHECK(last("L = (4,8):(8,1)\nL.compose((2,2):(1,4))") == "(2,2):(8,1)");
  CHECK(last("L = (4,8):(8,1)\nL.compose(2, _)") == last("composition((4,8):(8,1), <2, _>)"));
  CHECK(last("size = (4,8):(8,1)\nsize.size()") == "32");  // a name does not hide the method
  CHECK(last("(4,8):(8,1).shape()") == "(4,8)");
  CHECK(complaint("L = (4,8):(8,1)\nL.siez()").diag.message == "there is no function 'siez'");
  CHECK(complaint("L = (4,8):(8,1)\nL.(3)").diag.message.find("unexpected") == 0);
}

TEST_CASE("every part of a tiled mma and of a tiled copy has its name") {
  const std::string m = "M = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, (2,2))\n";
  CHECK(last(m + "tile_shape(M)") == "(32,16,16)");
  CHECK(last(m + "M.get_thr_layout_vmnk()") == "(32,2,2,1):(1,32,64,0)");
  CHECK(last(m + "AtomShape_MNK(M)") == "(16,8,16)");
  CHECK(last(m + "AtomThrID(M)") == "32:1");
  CHECK(last(m + "AtomLayoutC_TV(M)") == "((4,8),(2,2)):((32,1),(16,8))");
  CHECK(last(m + "M.get_layoutB_TV()") == "((4,8,2,2),((2,2),(1,1))):((32,1,0,8),((16,128),(0,0)))");
  CHECK(last(m + "partition_shape_C(M, (64,64))") == "((2,2),2,4)");
  CHECK(last(m + "partition_fragment_C(M, (64,64))") == "((2,2),2,4):((1,2),4,8)");
  const std::string p =
      "P = make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, half_t>{}, (32,8):(8,1), Layout<Shape<_1,_8>>{})\n";
  CHECK(last(p + "P.size()") == "256");
  CHECK(last(p + "tile_shape(P)") == "(32,64)");
  CHECK(last(p + "Tiler_MN(P)") == "(32,64)");
  CHECK(last(p + "AtomLayoutSrc(P)") == "(1,8):(0,1)");
  CHECK(last(p + "P.get_layoutS_TV()") == "((8,32),(8,1)):((256,1),(32,0))");
  CHECK(last(p + "TiledLayout_TV(P)") == "((8,32),8):((256,1),32)");
  CHECK(last(p + "P.get_slice(9).thr_idx()") == "9");
  CHECK(last("make_tiled_copy(Copy_Atom<DefaultCopy, float>{}, Layout<_128>{}, Layout<_4>{}).get_slice(3)"
             ".partition_S((1024))") == "counting_iter(12) o ((1,4),2):((0,1),512)");
}

TEST_CASE("partitions that do not exist are refused, with what would work") {
  const std::string m = "M = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, (2,2,1))\n";
  CHECK(complaint(m + "M.get_slice(128)").diag.message == "thread 128 of a tiled mma of 128 threads");
  CHECK(complaint(m + "M.get_slice(128)").piece == "128");
  CHECK(complaint(m + "M.partition_A((64,32))").diag.hint == "name the thread: get_slice(0).partition_A(...)");
  CHECK(complaint(m + "M.get_slice(0).partition_S((64,32))").diag.expected.find("tiled copy") != std::string::npos);
  CHECK(complaint(m + "M.get_slice(0).partition_A(64)").diag.message.find("has 1 mode") != std::string::npos);
  CHECK(complaint(m + "M.get_slice(0).partition_A(M)").diag.message == "argument 2 of partition_A is a tiled mma");
  CHECK(complaint("local_tile((64,64), (32,32), (2,0))").diag.message == "tile 2 is outside: there are 2");
  CHECK(complaint("local_tile((64,64), (32,32), (0,0), (1,_,1))").diag.message.find("does not fit") !=
        std::string::npos);
  CHECK(complaint("local_partition((64,64), (8,4), 32)").diag.message == "thread 32 of a thread layout of 32 threads");
  CHECK(complaint("make_tiled_copy(UniversalCopy<uint128_t>{}, (32,8), (1,8))").diag.expected.find("Copy_Atom") == 0);
  CHECK(complaint("retile_S((4,8), 3)").diag.message == "argument 1 of retile_S is a tuple");
}

TEST_CASE("a tile that does not divide the tensor is remarked on") {
  const auto notes = [](const std::string& text) { return runAll(text).back().evaluated.notes; };
  REQUIRE(notes("local_tile((65,64), (32,32), (2,0))").size() == 1);
  CHECK(notes("local_tile((65,64), (32,32), (2,0))")[0].message ==
        "the tile's 32 does not divide mode 0 of 65: the last parts reach beyond the tensor");
  CHECK(notes("local_tile((64,64), (32,32), (1,0))").empty());
  const std::string m = "M = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, (2,2,1))\n";
  CHECK(notes(m + "M.get_slice(3).partition_A((100,100):(100,1))").size() == 2);
  CHECK(notes(m + "M.get_slice(3).partition_C((64,64):(64,1))").empty());
}

TEST_CASE("damaged calls of the partition family end in a value or a message") {
  const std::string text =
      "make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, (2,2,1), (32,32,16)).get_slice(5).partition_A((64,32):(32,1))";
  std::mt19937 random(27);
  for (int trial = 0; trial < 300; ++trial) {
    std::string damaged = text;
    for (int k = 0; k < 3; ++k) {
      const std::size_t at = random() % damaged.size();
      if (random() % 2 == 0) {
        damaged.erase(at, 1 + random() % 4);
      } else {
        damaged.insert(at, 1, "(),.:_0<>{} "[random() % 12]);
      }
    }
    CHECK(!last("A = 1\n" + damaged).empty());
  }
}
