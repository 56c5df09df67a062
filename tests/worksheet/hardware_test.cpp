// Hardware in the language: instructions, banks, sectors, chains and find swizzle, and the messages for unsuitable
// arguments.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "worksheet/run.h"

using namespace tessera;

TEST_CASE("instructions are named as they are, whatever the worksheet has bound") {
  CHECK(last("atlas(mma.m16n8k16.f16, A)") == "((4,8),(2,2,2)):((32,1),(16,8,128))");
  CHECK(last("A = (8,8):(8,1)\natlas(SM80_16x8x16_F32F16F16F32_TN, A)") == "((4,8),(2,2,2)):((32,1),(16,8,128))");
  CHECK(last("atlas(SM120_16x8x32_TN<e4m3,e4m3,f32>, B)") == "((4,8),(4,2)):((32,1),(8,128))");
  CHECK(last("atlas(\"ldmatrix.x4\", dst)") == "(32,(32,4)):(32,(1,1024))");
  CHECK(last("atlas(ldmatrix.x1)").find("src: ((8,4),128):((128,0),1)") != std::string::npos);
  CHECK(last("T = make_tiled_mma(mma.m16n8k16.f16, (2,2,1))").find("tile 32x16x16") != std::string::npos);
  // As C++ has it: a value of the atom's type.
  CHECK(last("make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2,_2,_1>>{}, (32,32,16))") ==
        last("make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1), (32,32,16))"));
  CHECK(last("atlas(mma.m16n8k17)") == "error: no instruction is called 'mma.m16n8k17'");
  CHECK(complaint("atlas(mma.m16n8k17)").piece == "mma.m16n8k17");
  CHECK(complaint("atlas(mma.m16n8k16.f16, Q)").piece == "Q");
}

TEST_CASE("CUTLASS's spellings are instructions, blanks and all") {
  CHECK(last("atlas(SM120_16x8x32_TN<float_e4m3_t,float_e4m3_t,float>, A)") == "((4,8),(4,2,2)):((64,1),(16,8,256))");
  CHECK(last("atlas(SM100_MMA_F16BF16_SS<half_t,half_t,float,128,256,UMMA::Major::K,UMMA::Major::K>, C)") ==
        "(1,(128,256)):(0,(1,128))");
  CHECK(last("atlas(cute::SM100_MMA_F16BF16_SS<cutlass::half_t, cutlass::half_t, float, 128, 24, UMMA::Major::K, "
             "UMMA::Major::MN>, B)") == "(1,(24,16)):(0,(1,24))");
  CHECK(last("atlas(SM90::GMMA::SPARSE::GMMA_64x8x32_F16F16F16_SS, C)") ==
        last("atlas(wgmma.sp.m64n8k32.f16.f16.f16.ss, C)"));
  CHECK(last("atlas(tcgen05.mma.cta_group::1.kind::f16.m128n24k16.ss, B)") == "(1,(24,16)):(0,(1,24))");
  const Complaint major = complaint("atlas(SM90::GMMA::MMA_64x8x16_F16F16F16_RS<GMMA::Major::MN,GMMA::Major::K>, A)");
  CHECK(major.diag.expected == "Major::K");
  CHECK(major.piece == "SM90::GMMA::MMA_64x8x16_F16F16F16_RS<GMMA::Major::MN,GMMA::Major::K>");
}

TEST_CASE("a dotted name is a word, and comparisons stay comparisons") {
  CHECK(last("3 < 4 and 5 > 2") == "true");
  CHECK(last("x = 3\n(x < 4) == true") == "true");
  CHECK(last("W = ldmatrix.x4") == "ldmatrix.x4");
  CHECK(last("fp16").substr(0, 6) == "error:");
}

TEST_CASE("wavefronts and sectors of addresses and of tiles") {
  CHECK(last("wavefronts([0, 128, 256, null], 4)") == "{wavefronts: 3, ideal: 1, excess: 2}");
  CHECK(last("w = 16\nwavefronts([0, 16, 32, 48, 64, 80, 96, 112], w)") == "{wavefronts: 1, ideal: 1, excess: 0}");
  CHECK(last("wavefronts((64,64):(64,1), ldmatrix.x4, fp16)") == "{wavefronts: 512, ideal: 64, excess: 448}");
  CHECK(last("S = Sw<3,3,3> o (64,64):(64,1)\nwavefronts(S, ldmatrix.x4, fp16)") ==
        "{wavefronts: 64, ideal: 64, excess: 0}");
  CHECK(last("sectors([0, 4, 8, 12], 4)") == "{sectors: 1, lines: 1}");
  CHECK(last("vector_bytes((64,64):(66,1), fp16)") == "4");
  CHECK(last("to_banks((4,32):(32,1), f32)").find("(bank: i1, row: i0)") != std::string::npos);
  CHECK(last("lanes((64,64):(64,1), ldmatrix.x4, fp16)") ==
        "(lane, phase, start, other) -> (row: lane + other * 16 + phase mod 2 * 8, column: start * 16 + phase floordiv "
        "2 * 8), domain: lane in [0, 7], phase in [0, 3], start in [0, 3], other in [0, 3]");
  CHECK(last("to_banks((64,64):(64,1), fp16, ldmatrix.x4)").find("(lane, phase, start, other) -> (bank: ") == 0);
  CHECK(last("injective(to_banks(Sw<3,3,3> o (64,64):(64,1), fp16, ldmatrix.x4))") == "claim injective");
  CHECK(last("lanes((64,64):(64,1), ldmatrix.x4, f64)").substr(0, 6) == "error:");
  CHECK(last("to_banks((64,64):(64,1), fp16, ldmatrix.x9)").substr(0, 6) == "error:");
  CHECK(last("to_banks((64,64):(64,1), fp16, ld.global)").find("error: this access does not touch shared memory") == 0);
  CHECK(last("tma_mode(Sw<3,3,3>, fp16)") == "CU_TENSOR_MAP_SWIZZLE_128B");
  CHECK(last("wavefronts([0, 2], 4)").substr(0, 6) == "error:");
  CHECK(last("wavefronts([0, x], 4)").substr(0, 6) == "error:");
  CHECK(last("wavefronts([0, 4], 3)").substr(0, 6) == "error:");
  CHECK(last("wavefronts([0, 4], 99)").substr(0, 6) == "error:");
}

TEST_CASE("TMA boxes are legal or name the rule that is broken") {
  CHECK(last("tma_box(fp16, (4096,4096), (8192), (64,128), \"128B\")") == "{bytes: 16384, swizzle: 128B, line: 128}");
  CHECK(last("tma_box(fp16, (4096,4096), (8192), (128,128), \"128B\")").substr(0, 6) ==
        "error:");  // a line is 64 halves
  CHECK(last("tma_box(fp16, (4096,4096), (8200), (64,128), \"128B\")").substr(0, 6) == "error:");  // stride % 16
  CHECK(last("tma_box(fp16, (4096,4096), (8192), (64,300), \"128B\")").substr(0, 6) == "error:");  // 256 a dimension
  CHECK(complaint("tma_box(fp16, (4096,4096), (8192), (64,128), \"129B\")").piece == "\"129B\"");
  CHECK(last("tmem_layout(f32, 128, 128)").find(":((65536,1)") != std::string::npos);
  CHECK(last("tmem_layout(f32, 100, 128)").substr(0, 6) == "error:");
}

TEST_CASE("the rule that a TMA box breaks stands under the argument that breaks it") {
  CHECK(complaint("tma_box(e2m1, (4095,4096), (2048), (64,128), \"NONE\")").piece == "(4095,4096)");
  CHECK(complaint("tma_box(fp16, (4096,4096), (16), (64,128), \"128B\")").piece == "(16)");
  CHECK(complaint("tma_box(f32, (4096,4096,64), (16384,67108864), (256,256,4), \"NONE\")").piece == "(256,256,4)");
  CHECK(complaint("tma_box(e2m3, (4096,4096), (3072), (128,64), \"64B\")").piece == "\"64B\"");
  CHECK(complaint("tma_box(b1, (4096,4096), (3072), (128,64), \"64B\")").piece == "b1");
  CHECK(last("tma_box(e2m1, (4096,4096), (2048), (64,128), \"32B\")") == "{bytes: 4096, swizzle: 32B, line: 32}");
  CHECK(last("tma_box(\"16U4_ALIGN16B\", (4096,4096), (2048), (128,64), \"128B\")") ==
        "{bytes: 8192, swizzle: 128B, line: 128}");
}

TEST_CASE("a TMA mode is one swizzle") {
  CHECK(last("tma_mode(Sw<1,6,1>, s8)") == "CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B");
  for (const char* s : {"2", "3", "4", "5"}) {
    const Complaint none = complaint(fmt::format("tma_mode(Sw<2,6,{}>, s8)", s));
    CHECK(none.piece == fmt::format("Sw<2,6,{}>", s));
    CHECK(none.diag.hint.find("Sw<1,6,1>") != std::string::npos);
  }
  CHECK(last("tma_mode(Sw<3,5,3>, e2m1)") == "CU_TENSOR_MAP_SWIZZLE_128B");
  CHECK(last("tma_mode(Sw<0,4,3>, fp16)") == "CU_TENSOR_MAP_SWIZZLE_NONE");
}

TEST_CASE("sectors of a misaligned address are none") {
  CHECK(complaint("sectors([1],4)").diag.message ==
        "lane 0: address 1 is not a multiple of 4 bytes; the hardware faults");
  CHECK(complaint("sectors([1],4)").piece == "[1]");
  CHECK(last("sectors([1], 1)") == "{sectors: 1, lines: 1}");
  CHECK(complaint("sectors([0],3)").piece == "3");
}

TEST_CASE("what does not fit is one message at its place, with what would fit") {
  const Complaint size = complaint("prove conflict_free((64,64):(64,1), ldmatrix.x4, f64)");
  CHECK(size.piece == "ldmatrix.x4");
  CHECK(size.diag.message.find("64-bit") != std::string::npos);
  const Complaint small = complaint("prove conflict_free((4,4):(4,1), ldmatrix.x4, fp16)");
  CHECK(small.diag.message.find("does not divide the 4x4 tile") != std::string::npos);
  CHECK(small.diag.expected == "multiples of 16 rows and 16 columns");
  const Complaint unaligned = complaint("prove conflict_free((64,64):(66,1), ldmatrix.x4, fp16)");
  CHECK(unaligned.diag.message.find("byte 132 is not a multiple of 16") != std::string::npos);
  CHECK(unaligned.diag.hint.find("accesses of 4 bytes") != std::string::npos);
  CHECK(complaint("prove conflict_free((64,64):(64,1), ldmatrix.x5, fp16)").piece == "ldmatrix.x5");
  CHECK(complaint("prove conflict_free((64,64):(64,1), ldmatrix.x4, fp17)").piece == "fp17");
  CHECK(complaint("prove conflict_free((64,64):(64,1), ldmatrix.x4)").diag.message.find("needs the element type") !=
        std::string::npos);
  CHECK(complaint("prove conflict_free((64,64):(64,1), ld.global, fp16)").diag.hint.find("coalesced") !=
        std::string::npos);
  CHECK(complaint("prove vectorizes((8,8):(8,1), 0, f32)").piece == "0");
  CHECK(complaint("conflict_free(5, ldmatrix.x4, fp16)").piece == "5");
  CHECK(last("prove conflict_free(smem_ptr[16b](0x0) o (64,64):(64,1), ldmatrix.x4)") == "claim conflict_free");
}

TEST_CASE("find swizzle: the language around the search") {
  const std::string found = last(
      "A = (128,64):(64,1)\nfind swizzle for A where conflict_free(ldmatrix.x4, fp16) and conflict_free(cp.async16, "
      "fp16)");
  CHECK(found.substr(0, found.find("  ")) == "Sw<3,3,3> o 0 o (128,64):(64,1)");
  CHECK(found.find("CU_TENSOR_MAP_SWIZZLE_128B") != std::string::npos);
  CHECK(found.find("(128,64):(72,1)  (rows padded by 8)") != std::string::npos);
  CHECK(last("find swizzle for (32,32):(32,1) where conflict_free(ld.shared.column, f32) and "
             "conflict_free(ld.shared.v4.row, f32)")
            .find("the 2 that clash") != std::string::npos);
  // A slice of a wider tile: the statement that was wrongly answered with "none", and the memory it takes.
  const std::string slice = last("find swizzle for (64,32):(64,1) where conflict_free(ldmatrix.x4, fp16)");
  CHECK(slice.find("Sw<3,3,3> o 0 o (64,32):(64,1)  (needs 8192 bytes, 64 more)  CU_TENSOR_MAP_SWIZZLE_128B\n") == 0);
  CHECK(slice.find("no Swizzle") == std::string::npos);
  CHECK(last("find swizzle for (4,64):(66,1) where conflict_free(st.shared.column, fp16)")
            .find("Sw<2,4,2> o 0 o (4,64):(66,1)") != std::string::npos);
  // Free already: said, and the alternatives follow; the label of a padding counts elements.
  const std::string free = last("find swizzle for (64,32):(40,1) where conflict_free(ldmatrix.x4, fp16)");
  CHECK(free.find("(64,32):(40,1)  (unchanged: already conflict-free)  #ttg.padded_shared<[32:+8]") == 0);
  CHECK(free.find("\nSw<") != std::string::npos);
  CHECK(last("find swizzle for (8,8):(16,1) where conflict_free(st.shared.v4, f32)").find("[8:+16]") !=
        std::string::npos);
  CHECK(complaint("find").diag.message == "find what?");
  CHECK(complaint("find layout for A").piece == "layout");
  CHECK(complaint("find swizzle for (8,8):(8,1)").diag.message.find("missing") != std::string::npos);
  CHECK(complaint("find swizzle for (8,8):(8,1) where injective(ldmatrix.x4)").piece == "injective(ldmatrix.x4)");
  CHECK(complaint(
            "find swizzle for (64,64):(64,1) where conflict_free(ldmatrix.x4, fp16) and conflict_free(st.shared, f32)")
            .piece == "f32");
  // A layout that has a swizzle is searched without it.
  for (const char* swizzled :
       {"Sw<3,3,3> o (64,64):(64,1)", "Sw<2,3,3> o S[(64,64):(64,1)]", "Sw<3,4,3> o 0 o (64,64):(64,1)"})
    CHECK(last(std::string("find swizzle for ") + swizzled + " where conflict_free(ldmatrix.x4, fp16)") ==
          last("find swizzle for (64,64):(64,1) where conflict_free(ldmatrix.x4, fp16)"));
  CHECK(complaint("find swizzle for Sw<3,3,3> o 8 o (64,64):(64,1) where conflict_free(ldmatrix.x4, fp16)").diag.hint ==
        "omit its swizzle");
  CHECK(complaint("find swizzle for (64,64):(64,1) where conflict_free(ldmatrix.x4, fp16) by magic").diag.expected ==
        "by z3");
  CHECK(complaint("find swizzle for (4,4):(4,1) where conflict_free(ldmatrix.x4, fp16)")
            .diag.message.find("does not divide") != std::string::npos);
}

TEST_CASE("chains hold, cost or break where they must") {
  const std::string good =
      last("chain((128,64):(4096,1), cp.async16, Sw<3,3,3> o (128,64):(64,1), ldmatrix.x4, mma.m16n8k16.f16, A)");
  CHECK(good.find("BREAKS") == std::string::npos);
  CHECK(good.find("would do") == std::string::npos);
  CHECK(good.find("values 0 1 2 3 4 5 6 7") != std::string::npos);
  const std::string b = last("chain((128,64):(4096,1), cp.async16, (128,64):(64,1), ldmatrix.x4, mma.m16n8k16.f16, B)");
  CHECK(b.find("values 0 1 4 5; values 2 3 6 7") != std::string::npos);
  CHECK(b.find("1024 wavefronts, 128 would do (8-way)") != std::string::npos);
  // .trans on a tile that lies along k gives every lane the wrong elements.
  const std::string wrong =
      last("chain((64,128):(4096,1), cp.async16, (64,128):(128,1), ldmatrix.x4.trans, mma.m16n8k16.f16, A)");
  CHECK(wrong.find("lane 1 value 0 holds (2,0), the operand needs (0,2)") != std::string::npos);
  const std::string alias =
      last("chain((64,64):(4096,1), cp.async16, (64,64):(32,1), ldmatrix.x4, mma.m16n8k16.f16, A)");
  CHECK(alias.find("BREAKS no alias") != std::string::npos);
  CHECK(last("chain((64,64):(4096,1), cp.async16, (64,32):(32,1), ldmatrix.x4, mma.m16n8k16.f16, A)")
            .find("64x64, the shared one 64x32") != std::string::npos);
  CHECK(last("chain((64,64):(4096,1), ldmatrix.x4, (64,64):(64,1), ldmatrix.x4, mma.m16n8k16.f16, A)")
            .find("does not read global memory") != std::string::npos);
  CHECK(last("chain((64,64):(4096,1), cp.async16, (64,64):(64,1), st.shared, mma.m16n8k16.f16, A)")
            .find("does not load from shared") != std::string::npos);
  CHECK(last("chain((64,64):(4096,1), cp.async16, (64,64):(64,1), ldmatrix.x4, wgmma.m64n64k16.f32.f16.f16.ss, A)")
            .find("from shared memory, not from registers") != std::string::npos);
}
