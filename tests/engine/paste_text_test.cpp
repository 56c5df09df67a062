// What Ctrl+V inserts.
#include "app/engine/paste/paste_text.h"

#include <catch2/catch.hpp>

#include "core/paste/dialects.h"
#include "core/paste/paste.h"
#include "core/worksheet/value.h"

using namespace tessera;

namespace {

// Every statement of the inserted text evaluates.
void checkReads(const std::string& text) {
  Scope scope;
  for (const Statement& s : splitStatements(text)) {
    const Evaluated e = evaluate(s, scope);
    INFO(s.text << (e.diag ? ": " + e.diag->message : ""));
    CHECK_FALSE(e.diag);
  }
}

}  // namespace

TEST_CASE("what the worksheet reads is inserted unchanged") {
  for (const char* text : {"(4,8):(8,1)", "A = (4,8):(8,1)\nshow A as grid\nprove injective(A)", "size((4,8))",
                           "composition((M,N):(N,1), (2,4))", "ldmatrix.x4", "just some words", "", "  \n",
                           "// a comment", "f32[4,8]{1,0}"}) {
    INFO(text);
    const PasteText inserted = pasteText(text);
    CHECK(inserted.text.empty());
    CHECK(inserted.remark.empty());
  }
}

TEST_CASE("a program becomes a block and its check") {
  const PasteText inserted =
      pasteText("%a:[4].fp32.GL %b:[4].fp32.GL #g:[1].block #t:[4].thread\n%b <- Move<<<#g,#t>>>(%a) {\n}\n");
  INFO(inserted.remark);
  CHECK(inserted.text.starts_with("graphene kernel {\n  %a:[4]"));
  CHECK(inserted.text.ends_with("}\n\ncheck kernel\n"));
  CHECK(inserted.remark == "read as Graphene");
}

TEST_CASE("constants that the text does not define are lines of their own, or remarks") {
  const PasteText layout = pasteText("using A = Layout<Shape<_8, Int<kCols>>, Stride<Int<kCols>, _1>>;", {});
  INFO(layout.text << layout.remark);
  REQUIRE_FALSE(layout.text.empty());
  CHECK(layout.text.find("kCols = 64   // assumed: edit") != std::string::npos);
  CHECK(layout.text.find("show A") != std::string::npos);
  CHECK(layout.remark.find("CuTe C++") != std::string::npos);
  checkReads(layout.text);
  // An edit of the line is an edit of the layout.
  std::string edited = layout.text;
  edited.replace(edited.find("kCols = 64"), 10, "kCols = 16");
  Scope scope;
  for (const Statement& s : splitStatements(edited)) CHECK_FALSE(evaluate(s, scope).diag);
  REQUIRE(scope.find("A") != nullptr);
  CHECK(print(*scope.find("A")).find("16") != std::string::npos);

  const PasteText code = pasteText("smem[threadIdx.x * 33 + k]", {});
  INFO(code.text << code.remark);
  CHECK(code.text.find("show") != std::string::npos);
  checkReads(code.text);
}

// A text in the manner of the traits of an attention kernel.
constexpr const char* kTraits = R"(
template <int kHeadDim_, int kBlockM_, int kBlockN_, int kNWarps_, typename elem_type = cutlass::half_t>
struct Attention_traits {
  using Element = elem_type;
  static constexpr int kNWarps = kNWarps_;
  static constexpr int kNThreads = kNWarps * 32;
  static constexpr int kBlockM = kBlockM_;
  static constexpr int kBlockN = kBlockN_;
  static constexpr int kHeadDim = kHeadDim_;
  static_assert(kHeadDim % 32 == 0);
  static constexpr int kBlockKSmem = kHeadDim % 64 == 0 ? 64 : 32;
  static constexpr int kBlockKGmem = kHeadDim % 128 == 0 ? 128 : (kHeadDim % 64 == 0 ? 64 : 32);
  static constexpr int kSwizzle = kBlockKSmem == 32 ? 2 : 3;
  using TiledMma = TiledMMA<MMA_Atom<SM80_16x8x16_F32F16F16F32_TN>, Layout<Shape<Int<kNWarps>, _1, _1>>,
                            Tile<Int<16 * kNWarps>, _16, _16>>;
  using SmemLayoutAtomQ = decltype(composition(Swizzle<kSwizzle, 3, 3>{},
      Layout<Shape<_8, Int<kBlockKSmem>>, Stride<Int<kBlockKSmem>, _1>>{}));
  using SmemLayoutQ = decltype(tile_to_shape(SmemLayoutAtomQ{}, Shape<Int<kBlockM>, Int<kHeadDim>>{}));
  using SmemLayoutKV = decltype(tile_to_shape(SmemLayoutAtomQ{}, Shape<Int<kBlockN>, Int<kHeadDim>>{}));
  using SmemLayoutVtransposed = decltype(composition(
      SmemLayoutKV{}, make_layout(Shape<Int<kHeadDim>, Int<kBlockN>>{}, GenRowMajor{})));
  static constexpr int kSmemSize = size(SmemLayoutQ{}) * sizeof(Element) + size(SmemLayoutKV{}) * 2 * sizeof(Element);
  static constexpr int kGmemElemsPerLoad = sizeof(cute::uint128_t) / sizeof(Element);
  static constexpr int kGmemThreadsPerRow = kBlockKSmem / kGmemElemsPerLoad;
  using GmemLayoutAtom = Layout<Shape<Int<kNThreads / kGmemThreadsPerRow>, Int<kGmemThreadsPerRow>>,
                                Stride<Int<kGmemThreadsPerRow>, _1>>;
  using GmemTiledCopy = decltype(make_tiled_copy(Copy_Atom<AutoVectorizingCopyWithAssumedAlignment<128>, Element>{},
                                                 GmemLayoutAtom{}, Layout<Shape<_1, _8>>{}));
};
)";

TEST_CASE("the traits of a kernel open as named layouts that follow their constants") {
  const PasteText traits = pasteText(kTraits, {});
  INFO(traits.text << traits.remark);
  checkReads(traits.text);
  int constants = 0;
  for (std::size_t at = traits.text.find("// assumed: edit"); at != std::string::npos;
       at = traits.text.find("// assumed: edit", at + 1))
    ++constants;
  CHECK(constants == 4);  // head dimension, two blocks, warps
  // Every edit of the head dimension gives what the text itself says for it.
  for (const int headDim : {32, 64, 96, 128, 192, 256}) {
    INFO(headDim);
    std::string edited = traits.text;
    const std::size_t at = edited.find("kHeadDim = 64");
    REQUIRE(at != std::string::npos);
    edited.replace(at, 13, "kHeadDim = " + std::to_string(headDim));
    Scope scope, direct;
    for (const Statement& s : splitStatements(edited)) {
      const Evaluated e = evaluate(s, scope);
      INFO(s.text << (e.diag ? ": " + e.diag->message : ""));
      REQUIRE_FALSE(e.diag);
    }
    paste::Given given;
    given.lets = {{"kHeadDim_", std::to_string(headDim)}, {"kBlockM_", "64"}, {"kBlockN_", "64"}, {"kNWarps_", "64"}};
    const auto reading = paste::read(kTraits, given);
    REQUIRE(reading);
    for (const paste::Statement& one : reading->statements)
      for (const Statement& s : splitStatements(one.text)) REQUIRE_FALSE(evaluate(s, direct).diag);
    for (const char* name : {"kBlockKSmem", "kSwizzle", "SmemLayoutAtomQ", "SmemLayoutQ", "SmemLayoutKV",
                             "SmemLayoutVtransposed", "kSmemSize", "GmemLayoutAtom", "GmemTiledCopy"}) {
      INFO(name);
      REQUIRE(scope.find(name) != nullptr);
      REQUIRE(direct.find(name) != nullptr);
      const auto flat = [](std::string text) {
        std::erase(text, '_');
        return text;
      };
      CHECK(flat(print(*scope.find(name))) == flat(print(*direct.find(name))));
    }
  }
}

TEST_CASE("a value without a name gets one that the worksheet does not have") {
  const PasteText value =
      pasteText("tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_64, _64>{})", {"X", "X2"});
  INFO(value.text << value.remark);
  CHECK(value.text.find("X3") != std::string::npos);
  CHECK(value.text.find("show X3") != std::string::npos);
}
