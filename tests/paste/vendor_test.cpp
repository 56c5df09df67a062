// Vendors' libraries and instructions, pasted.
#include <catch2/catch.hpp>
#include <string>

#include "tests/paste/pasted_value.h"

using namespace tessera;

TEST_CASE("Composable Kernel: a padded tile, merged and padded again") {
  const std::string tile =
      "constexpr auto lds = make_naive_tensor_descriptor(make_tuple(number<kK / 4>{}, number<16>{}, I4),\n"
      "    make_tuple(number<(16 + 1) * 4>{}, number<4>{}, number<1>{}), number<4>{}, number<1>{});\n"
      "constexpr auto both = transform_tensor_descriptor(lds,\n"
      "    make_tuple(make_pass_through_transform(number<16>{}), make_merge_transform(make_tuple(number<kK / 4>{}, "
      "I4))),\n    make_tuple(sequence<1>{}, sequence<0, 2>{}), make_tuple(sequence<0>{}, sequence<1>{}));";
  checkPasted(paste::kComposable,
              {{tile, "shape(X)", "2 (16,8)", {{"kK", "8"}}},
               {tile, "both(3,6)", "2 " + std::to_string(1 * 68 + 3 * 4 + 2), {{"kK", "8"}}},
               {tile, "X", "asks kK"},
               {"make_naive_tensor_descriptor_packed(make_tuple(3, Number<5>{}))", "X(2,1)", "2 11"},
               {"make_xor_transform(make_tuple(number<8>{}, number<4>{}))", "X(5,3)", "2 22"},
               {"make_unmerge_transform(make_tuple(4, 8))", "X(2,3)", "2 19"},
               {"make_naive_tensor_descriptor(make_tuple(4, 8), make_tuple(9))", "X",
                "refused the descriptor has 2 lengths and 1 strides"},
               {"make_curl_transform(make_tuple(4, 8)), make_xor_transform", "X",
                "refused nothing in this text has a layout"}});
}

// Warp w, lane l and value y hold row (2 w + l / 16), column 4 (l % 16) + y of a 4 x 64 tile.
TEST_CASE("Composable Kernel: a tile distribution is (thread, value) -> index") {
  const std::string encoding =
      "tile_distribution_encoding<sequence<>, tuple<sequence<2, 2>, sequence<16, 4>>, tuple<sequence<1>, sequence<1, "
      "2>>, tuple<sequence<0>, sequence<1, 0>>, sequence<2>, sequence<1>>{}";
  for (int w = 0; w < 2; ++w)
    for (const int l : {0, 5, 31})
      for (int y = 0; y < 4; ++y) {
        const int row = 2 * w + l / 16, column = 4 * (l % 16) + y;
        CHECK(
            pastedAs(paste::kComposable, encoding, "X(" + std::to_string(32 * w + l) + "," + std::to_string(y) + ")") ==
            "2 " + std::to_string(row + 4 * column));
      }
}

// st::idx of ThunderKittens, written a second time: byte addresses, subtiles, the xor.
TEST_CASE("ThunderKittens: shared tiles equal the library's index function") {
  for (const auto& [type, bytes] : {std::pair("bf", 2), {"fl", 4}, {"fl8_e4m3", 1}})
    for (const int columns : {32, 64, 128}) {
      const int rows = 32, row = columns * bytes, span = row % 128 == 0 ? 128 : row % 64 == 0 ? 64 : 32;
      const int width = span / bytes;
      const std::string text =
          "st_" + std::string(type) + "<" + std::to_string(rows) + ", " + std::to_string(columns) + ">";
      for (const auto& [r, c] : {std::pair(0, 0), {1, 5}, {9, 31}, {31, columns - 1}}) {
        const int at = (c / width * rows * width + r * width + c % width) * bytes;
        const int place = (at ^ ((at % (8 * span)) >> 7 << 4)) / bytes;
        INFO(text << " at " << r << ", " << c);
        CHECK(pastedAs(paste::kThunderKittens, text, "X(" + std::to_string(r) + "," + std::to_string(c) + ")") ==
              "2 " + std::to_string(place));
      }
    }
}

TEST_CASE("ThunderKittens: declarations, arrays, registers, vectors") {
  checkPasted(paste::kThunderKittens,
              {{"using q = st_hf<BM, 64>;", "q(9,9)", "2 577", {{"BM", "64"}}},
               {"using q = st_hf<BM, 64>;", "q", "asks BM"},
               {"st_bf<64, 64> (&s)[2] = al.allocate<st_bf<64, 64>, 2>();", "s(9,9,1)", "2 4673"},
               {"rt_bf<16, 16> a;", "a(5,3)", "2 " + std::to_string(9 + 16 * 3)},
               {"rt_fl<32, 16, ducks::rt_layout::col> a;", "a(5,1)", "2 " + std::to_string(3 + 32)},
               {"sv_fl<48> v;", "size(v)", "2 48"},
               {"gl<bf16, 1, 1, 8, 16>", "X(0,0,2,3)", "1 35"},
               {"rt_bf<8, 16, 3>", "X", "refused a register tile has multiples of 16 rows and columns"}});
}

TEST_CASE("CATLASS: tags, aliases, leading dimensions, tiles") {
  checkPasted(
      paste::kAscend,
      {{"layout::zN::MakeLayout<half>(32, 48)", "X(17,17)", "2 " + std::to_string(256 + 16 + 512 + 1)},
       {"using L = layout::ColumnMajor; L b{k, n};", "b(3,5)", "2 23", {{"k", "4"}, {"n", "8"}}},
       {"layout::RowMajor c{4, 8, 10};", "c(2,3)", "2 23"},
       {"auto v = layout::VectorLayout{96};", "size(v)", "2 96"},
       {"auto a = tla::MakeLayout<float, layout::nZ>(32, 32);\nauto t = tla::MakeLayoutTile(a, tla::MakeShape(16, "
        "16));",
        "shape(t)", "2 ((8,2),(16,1))"},
       {"using T = half; using L = layout::zN; auto a = L::MakeLayout<T>(m, 64);", "a", "asks m"},
       {"using L = layout::RowMajor;", "X", "refused this text makes no layout: it only names its types"}});
}

TEST_CASE("a tensor map is its box; its place in shared memory is bound beside it") {
  const std::string call =
      "uint64_t size[2] = {K, 512};\nuint64_t pitch[1] = {K * sizeof(half)};\n"
      "cuTensorMapEncodeTiled(&a, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, p, size, pitch, {64, 32}, {1, 1}, "
      "CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE, "
      "CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)";
  checkPasted(paste::kTma, {{call, "X", "2 {bytes: 4096, swizzle: 128B, line: 128}", {{"K", "1024"}}},
                            {call, "a_smem(9,9)", "2 577", {{"K", "1024"}}},
                            {call, "X", "asks K"}});
}

TEST_CASE("matrix descriptors: by field, by shifts, in one number") {
  const std::string value =
      "2 {swizzle: 64B, leading: 16 bytes, stride: 512 bytes, sm_90: 0x8000002000010000, sm_100: 0x8000402000010000}";
  checkPasted(
      paste::kTma,
      {{"d.bitfield.layout_type_ = 2; d.bitfield.leading_byte_offset_ = 1; d.bitfield.stride_byte_offset_ = 32;", "d",
        value},
       {"d.version_ = 1; d.layout_type_ = 4; d.leading_byte_offset_ = 1; d.stride_byte_offset_ = 512 >> 4;", "X",
        value},
       {"uint64_t desc = ((uint64_t)1 << 16) | ((uint64_t)32 << 32) | (2ull << 62);", "desc", value},
       {"uint64_t desc = 0x8000002000010000;", "desc", value},
       {"d.layout_type_ = 5;", "d", "refused layout type 5 is no swizzle mode of sm_90"}});
}

TEST_CASE("instructions in every spelling are rows of the atlas") {
  const auto row = [](const std::string& text, const Lets& lets = {}) {
    const std::string out = pastedAs(paste::kInstruction, text, "X", lets);
    return out.substr(0, out.find('\n'));
  };
  CHECK(row("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f0},{%r0},{%r1},{%f0};") ==
        "2 mma.m16n8k8.f32.tf32.tf32.f32");
  CHECK(
      row("asm volatile(\"mma.sync.aligned.m16n8k16.row.col\"\n \".f32.bf16.bf16.f32 {%0}, {%1}, {%2}, {%0};\" : );") ==
      "2 mma.m16n8k16.f32.bf16.bf16.f32");
  CHECK(row("HMMA.16816.F32.BF16 R4, R8, R12, R4 ;") == "2 mma.m16n8k16.f32.bf16.bf16.f32");
  CHECK(row("%r = nvvm.ldmatrix %p {layout = #nvvm.mma_layout<col>, num = 2 : i32} : (!llvm.ptr<3>) -> i32") ==
        "2 ldmatrix.x2.trans");
  CHECK(row("LDSM.16.MT88.2 R4, [R5]") == "2 ldmatrix.x2.trans");
  CHECK(row("call i32 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16.p3(ptr addrspace(3) %p)") ==
        "2 ldmatrix.x2.trans");
  for (const std::string text :
       {"__builtin_amdgcn_mfma_f32_32x32x8f16(a, b, c, 0, 0, 0)", "v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], 0",
        "%d = rocdl.mfma.f32.32x32x8f16 %a, %b, %c : (vector<4xf16>) -> vector<16xf32>",
        "amdgpu.mfma %a * %b + %c {k = 8 : i32, m = 32 : i32, n = 32 : i32} : vector<4xf16>, vector<4xf16>, "
        "vector<16xf32>"})
    CHECK(row(text) == "2 mfma.32x32x8.f32.f16");
  CHECK(row("wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {%f0}, %rd1, %rd2, p, 1, 1, 0, 0;") ==
        "2 wgmma.m64n32k16.f32.f16.f16.ss");
  CHECK(row("wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {%f0}, {%r1}, %rd2, p, 1, 1, 0;") ==
        "2 wgmma.m64n32k16.f32.f16.f16.rs");
  CHECK(row("cp.async.ca.shared.global [%r1], [%rd1], 8;\ncp.async.commit_group;") == "2 cp.async.ca.8");
  CHECK(row("tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r3, p;") == "asks M");
  CHECK(row("tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r3, p;", {{"M", "128"}, {"N", "64"}}) ==
        "2 tcgen05.mma.cta_group::1.kind::f16.m128n64k16.ss");
  CHECK(
      row("wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;").starts_with("refused CUDA does not"));
}

TEST_CASE("several instructions are bound by name, X is the last") {
  const std::string lines =
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0,%r1,%r2,%r3}, [%r4];\n"
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0},{%r0},{%r1},{%f0};\n"
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0},{%r0},{%r1},{%f0};\n";
  checkPasted(paste::kInstruction,
              {{lines, "atlas(X, C)(5,1)", "2 49"}, {lines, "size(atlas(ldmatrix_x4, D))", "2 256"}});
}
