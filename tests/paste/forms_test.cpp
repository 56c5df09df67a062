// Forms of declarations that a text has in source and not in a lesson, each with a value that was computed by hand.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "app/engine/paste/pasted.h"
#include "core/paste/dialects.h"
#include "support/pasted_value.h"

using namespace tessera;

namespace {

using Lets = std::vector<std::pair<std::string, std::string>>;
using Over = std::vector<std::pair<std::string, i64>>;

std::string valueOf(const std::string& text, const std::string& expression, Lets lets = {}, Over over = {}) {
  return pastedValue(text, expression, {.lets = std::move(lets), .over = std::move(over)});
}

}  // namespace

TEST_CASE("an alias template that no line uses is a layout of its parameters") {
  const std::string text = "template <int kN>\nusing Rows = Layout<Shape<_4, Int<kN / 2>>, Stride<Int<kN>, _1>>;";
  CHECK(valueOf(text, "X", {{"kN", "16"}}) == "(_4,_8):(_16,_1)");
  CHECK(valueOf(text, "X") == "asks: kN");
  CHECK(valueOf(text + "\nusing Eight = Rows<8>;", "X") == "(_4,_4):(_8,_1)");
  CHECK(valueOf("template <int N = 8> using R = Layout<Int<N>>;\n" + text, "R") == "8:1");
}

TEST_CASE("a linear layout as a declaration, with blanks between its marks") {
  CHECK(valueOf("  LinearLayout tile(\n      {{S(\"register\"), {{0, 1}}},\n       {S(\"lane\"), {{1, 0}, {2, 0}}}},\n"
                "      {S(\"dim0\"), S(\"dim1\")});",
                "X(1, 3)") == "(3,1)");
  CHECK(paste::kLinearDump.recognizes("LinearLayout (is what we call it)") == 0);
}

TEST_CASE("a tuple of Python with the name of a function is bound unless the text needs the function") {
  const std::string text =
      "tiler_mn, tv = cute.make_layout_tv(cute.make_layout((4, 8), stride=(8, 1)), cute.make_layout((2, 2)))";
  CHECK(valueOf(text, "tiler_mn") == "(8,16)");
  CHECK(valueOf("size = 4\nl = cute.make_layout((size, 2))", "size(l)") == "8");
}

TEST_CASE("the strides of np.ndarray are bytes") {
  CHECK(valueOf("np.ndarray(shape=(3, 5), dtype=np.int32, strides=(32, 4))", "X") == "(3,5):(8,1)");
  CHECK(valueOf("np.ndarray((3, 5), np.int32, strides=(30, 4))", "X").starts_with("error"));
}

TEST_CASE("annotate_layout is the layout that it gives") {
  CHECK(valueOf("T.annotate_layout({S: T.Layout([8, 8], lambda i, j: i * 9 + j)})", "X(2, 3)") == "21");
}

TEST_CASE("a pointer that moves counts from where it was") {
  CHECK(valueOf("A += row * BM * K;", "X(3)", {{"BM", "32"}, {"K", "64"}}, {{"row", 4}}) == "6144");
  CHECK(valueOf("A += row * 8 + col;", "X(1, 2)", {}, {{"row", 4}, {"col", 4}}) == "10");
  CHECK(valueOf("const T *p = in + (size_t)row * N + col;", "p(1, 2)", {{"N", "64"}}, {{"row", 4}, {"col", 4}}) ==
        "66");
  CHECK(valueOf("item += item >> 2;", "X(9)", {}, {{"item", 16}}) == "11");
  CHECK(valueOf("offset += row * 8;", "X(1)", {}, {{"row", 4}}) == "asks: offset");
}

TEST_CASE("new axes are those of Python") {
  CHECK(valueOf("rows[:, None] * ld + cols[None, :]", "X(3, 5)", {{"ld", "16"}}, {{"rows", 8}, {"cols", 8}}) == "53");
  CHECK(valueOf("o = block * 64 + tl.arange(0, 64)", "X(2, 5)", {}, {{"block", 4}}) == "133");
}

TEST_CASE("an expression with a name that nothing binds is no print of the layout in it") {
  CHECK(valueOf("zipped_divide((8,8):(8,1), t)", "X") == "asks: t");
  CHECK(valueOf("zipped_divide((8,8):(8,1), t)", "X", {{"t", "(2,4)"}}) == "((2,4),(4,2)):((8,1),(16,4))");
  CHECK(valueOf("sA (the tile): (8,8):(8,1), in smem", "X") == "(8,8):(8,1)");
}

TEST_CASE("a text that uses a name of the scope is text of the worksheet") {
  Scope scope;
  scope.bind("A", Value(i64{4}));
  for (const std::string text : {"composition(A, B)", "m = A * 8", "zipped_divide((8,8):(8,1), A)"}) {
    const auto sheet = asWorksheet(text, {}, scope);
    REQUIRE(sheet);
    CHECK(sheet->dialect.empty());
    CHECK(sheet->text == text);
  }
  CHECK_FALSE(asWorksheet("Layout<Shape<_8, Int<N>>>{}", {}, scope));
}

TEST_CASE("each of several functions can be called") {
  const std::string text = "def thread(i, j):\n    return i * 4 + j // 2\ndef index(i, j):\n    return j % 2\n";
  CHECK(valueOf(text, "thread(3, 5)", {}, {{"i", 8}, {"j", 8}}) == "14");
  CHECK(valueOf(text, "X(3, 5)", {}, {{"i", 8}, {"j", 8}}) == "1");
}

TEST_CASE("CuTe's swizzle in index code") {
  CHECK(valueOf("int o = cute::Swizzle<2,3,3>::apply(row * 32 + col);", "X(3, 9)", {}, {{"row", 8}, {"col", 32}}) ==
        std::to_string((3 * 32 + 9) ^ (((3 * 32 + 9) >> 3) & (3 << 3))));
}

TEST_CASE("two ranges of Triton along different axes are different coordinates") {
  CHECK(valueOf("p = tl.arange(0, 8)[:, None] * 16 + tl.arange(0, 8)[None, :]", "X(3, 5)") == "53");
}

TEST_CASE("a printed layout may be followed by words") {
  CHECK(valueOf("tile: (4,8):(8,1) size 32", "X") == "(4,8):(8,1)");
}

TEST_CASE("special registers have the names of LLVM and of CUDA") {
  const std::string text =
      "%1 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n%2 = shl i32 %1, 2\n%3 = getelementptr i8, ptr %p, i32 %2";
  CHECK(valueOf(text, "X(5)", {}, {{"tid.x", 32}}) == "20");
  CHECK(valueOf(text, "X(5)", {}, {{"threadIdx.x", 32}}) == "20");
}

TEST_CASE("a copy atom asks for its type only where it is used") {
  const std::string text = "using A = Layout<Shape<_4, _8>>;\nusing C = Copy_Atom<DefaultCopy, T>;\n";
  CHECK(valueOf(text, "A") == "(_4,_8):(_1,_4)");
  CHECK(valueOf(text + "using M = decltype(make_tiled_copy(C{}, A{}, Layout<Shape<_1, _2>>{}));", "A") == "asks: T");
}

TEST_CASE("the view of an array without a shape has the strides of a contiguous one") {
  CHECK(valueOf("x.view(4, 8).t()", "X") == "(8,4):(1,8)");
  CHECK(valueOf("x.view(4, -1).t()", "X") == "asks: x");
}

TEST_CASE("a variable with the name of an instruction is a variable") {
  CHECK(valueOf("st[(row * 4 + col) ^ (LDS & 3)]", "X(1, 2)", {{"LDS", "1"}}, {{"row", 4}, {"col", 4}}) == "7");
  CHECK(valueOf("sizeof(half) * (row * LDS + col)", "X(1, 2)", {{"LDS", "40"}}, {{"row", 4}, {"col", 4}}) == "84");
}

TEST_CASE("the lists of C in a tensor map") {
  CHECK(valueOf("cuTensorMapEncodeTiled(&m, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, (void *)p, (cuuint64_t[]){256, 64}, "
                "(cuuint64_t[]){512}, (cuuint32_t[]){64, 8}, (cuuint32_t[2]){1, 1}, CU_TENSOR_MAP_INTERLEAVE_NONE, "
                "CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);",
                "m_smem") == "Sw<3,3,3> o 0 o (8,64):(64,1)");
}

TEST_CASE("tiled mmas and copies of the DSL's MLIR") {
  const std::string mma = valueOf(
      "!mma = !cute.tiled_mma<!cute_nvgpu.sm80.mma<16x8x8, elem_type = (f16, f16, f32) -> f32>, atom_layout_MNK = "
      "<\"(2,1,1):(1,0,0)\">, permutation_MNK = <\"[32:1;16:1;_]\">>",
      "X");
  CHECK(mma == valueOf("make_tiled_mma(mma.m16n8k8.f32.f16.f16.f32, (2,1,1):(1,0,0), (32,16,_))", "X"));
  const std::string copy = valueOf(
      "!cute.tiled_copy<!cute_nvgpu.atom.universal_copy<f32, 128 b>, layout_copy_tv = <\"((4,8),4):((32,1),8)\">, "
      "tiler_mn = <\"[8:1;16:1]\">>",
      "X");
  CHECK(copy == valueOf("make_tiled_copy_impl(UniversalCopy<f32>, f32, ((4,8),4):((32,1),8), (8,16))", "X"));
  CHECK(valueOf("!cute.tiled_copy<!cute_nvgpu.atom.other<f32>, layout_copy_tv = <\"(4,8):(8,1)\">>", "X") ==
        "(4,8):(8,1)");
}

TEST_CASE("the array of a block pointer of Triton") {
  CHECK(valueOf("p = tl.make_block_ptr(base=a, shape=(M, 8), strides=(8, 1), offsets=(0, 0), block_shape=(4, 4), "
                "order=(1, 0))",
                "X", {{"M", "16"}}) == "(16,8):(8,1)");
}
