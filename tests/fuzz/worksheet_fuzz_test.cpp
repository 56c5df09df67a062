// No typed, pasted or opened text may crash or hang: random mutations of real worksheet text are evaluated as a whole.
// Bounded: kRounds documents from a fixed seed (TESSERA_FUZZ_ROUNDS and TESSERA_FUZZ_SEED override). Each must return
// with every statement as a value, a show, a verdict or exactly one Diag whose span is inside the document.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "app/engine/engine.h"
#include "tests/support/run_document.h"

using namespace tessera;

namespace {

const std::vector<std::string>& seeds() {
  static const std::vector<std::string> kSeeds = {
      "A = (64,64):(64,1)\nS = Sw<3,3,3> o A\nsize(S)\nprove injective(S)\nshow S as grid",
      "composition((6,2):(8,2), (4,3):(3,1))",
      "S = ?\nT = Sw<?,3,3> o (8,64):(64,1)\nf(i, j) = ? over (4, 4)\nshow S\nprove injective(T)\n"
      "task \"t\": bijective(S) and f(1,2) == 6 by z3 {\n hint \"one\"\n \"more\"\n answer S = 8:1\n also \"?\" -> "
      "\"4\"\n wrong "
      "S = 8:2\n solved\n}",
      "D = %D:[(2,2),(2,4):(1,4),(2,8)].fp32.GL\naddress(%D.tile([2:1],[4:1]), (0,0), (1,3))\nshow D as grid",
      "#w:[32:1].thread.tile([(4,2):(1,16)]).reshape(0,[2,2:2,1]).indices()",
      "predicate(%m:[100,60:60,1].fp32.GL.tile([32,32])[@i,0])",
      "graphene k {\n%a:[8].fp32.GL %s:Sw<1,0,2> o [8].fp32.SH #b:[1].block #t:[8].thread\n%s <- Move<<<#b,#t>>>(%a) "
      "{\n@i = #t.indices()\nif (@i < 8) { %x = %s[@i] %y = %a[@i] %x <- Move(%y) }\nsync\n}\n}\nprove k\ncheck k on "
      "sm_90 by z3\nk.%x\nshow k",
      "graphene m {\n%x:[16].fp16.GL #b:[1].block #t:[32].thread\n%x <- Spec<<<#b,#t>>>(%x) {\n%s:[16].fp16.SH "
      "%q:[2].mbarrier.SH #o = #t.scalar() %f = %q[1]\nmbarrier.init %f, 1 fence.async mbarrier.expect %f, %s\n%s <- "
      "Move<bulk %f><<<#b,#o>>>(%x)\nmbarrier.wait %f, (1 - 1)\n}\n}\ncheck m on sm_90a\nshow m as player, step 3",
      "graphene v {\nparam n = 8 in 4, 8\nparam op = relu in relu, exp\nrequire n*2 <= 16\nif (n == 8) { "
      "%a:Sw<n/8,0,2> o "
      "[n].fp32.SH } else { %a:[n].fp32.SH }\n#b:[1].block #t:[n].thread\n%a <- Spec<<<#b,#t>>>(%a) {\n@i = "
      "#t.indices() "
      "%x = %a[@i]\n%x <- UnaryPointwise<op>(%x)\n}\n}\nprove v\nv.%a\nshow v",
      "graphene e {\nparam n = 4 in 4, 8\n%x:[n*M].fp32.GL %y:[n*M].fp32.GL #b:[M].block #t:[n].thread\n%y <- "
      "UnaryPointwise<exp><<<#b,#t>>>(%x) {\n@i = #t.indices() @j = #b.indices()\n%a = %x[n*@j + @i] %c = %y[n*@j + "
      "@i] %v:[].fp32.RF\n%v <- Move(%a) %v <- UnaryPointwise<exp>(%v) %c <- Move(%v)\n}\n}\nprove equal(e, e) with "
      "M=2 against n=8 M=1 where \"x = x\" on sm_80\nprove equal(e, e) within 1e-3 for |x| <= 4, 0 <= inputs <= "
      "1\nprove not equal(\"y = np.exp(x)\", e) with small\nassert "
      "equal(e, \"y[i] = exp(x[i])\") with M=1",
      "D = %d:[2,4].fp16.RF holds [16,16] as S[(2,8,2,4,2):(4@reg,4@lane,2@reg,1@lane,1@reg)]\nshow D\n%a:[8].fp16.RF "
      "holds [16,16] as mma.m16n8k16 A",
      "composition((6,2):(1,7), (3,2):(2,3))",
      "logical_divide((12,(4,8)):(59,(13,1)), <3:4, 8:2>)",
      "Layout<Shape<_4,Shape<_2,_4>>,Stride<_8,Stride<_1,_2>>>",
      "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)",
      "(128,64):(1@1,1@0)",
      "!cute.layout<\"(4,2):(1,4)\">",
      "!cute.tile<\"[(4,8):(1,4);_;(2,3):(1,2)]\">",
      "zN<2>(32, 48)\ncrd2offset((1,5), zN<2>(32,48))",
      "make_layout(make_shape(4,8), make_stride(8,1))",
      "x = 3\nassert size((4,8)) == 32 and x < 4",
      "explain(complement((2,2):(4,1), 24))",
      "slice((0,_,1), (2,3,4):(1,2,6))",
      "(Sw<3,3,3> o 0 o (8,64):(64,1))((1,0))",
      "hlo f { ENTRY }\nrun f\nfind swizzle for A where conflict_free(x)",
      "atlas(mma.m16n8k16.f16, A)\nshow atlas(ldmatrix.x4) as instruction thread 5",
      "atlas(SM120_16x8x32_TN<e4m3,e4m3,f32>, B)\natlas(wgmma.m64n64k16.f32.f16.f16.ss, C)",
      "wavefronts([0, 144, 288, null, 512], 16)\nsectors([4096, 4100], 4)\nwavefronts((64,64):(64,1), ldmatrix.x4, "
      "fp16)",
      "prove conflict_free(Sw<3,3,3> o (64,64):(64,1), ldmatrix.x4, fp16) by z3\nprove vectorizes((64,64):(66,1), 16, "
      "fp16)",
      "prove coalesced((128,128):(128,1), ld.global.v4, f32)\nprove aligned((8,8):(8,1), 16, f32)",
      "find swizzle for (32,32):(32,1) where conflict_free(ld.shared.column, f32) and conflict_free(st.shared, f32)",
      "find swizzle for (32,32):(32,1) where conflict_free(ld.shared.column, f32) by z3",
      "show (64,64):(64,1) as banks fp16 ldmatrix.x4 at 16 0 phase 2",
      "chain((64,64):(64,1), cp.async16, (64,64):(64,1), ldmatrix.x4, mma.m16n8k16.f16, A)",
      "make_tiled_mma(mma.m16n8k16.f16, (2,2,1))\nmake_tiled_copy(ldmatrix.x4, fp16, (16,2):(1,16), (1,8))",
      "show mma.m16n8k16\nshow ldmatrix\natlas(mma.m16n8k16.bf, B)",
      "S = Sw<3,3,3> o (64,64):(64,1)\nshow ldmatrix.x4 over S, fp16 as access 16,32 thread 5\nmma.m16n8k16.B over S",
      "over(ld.shared.v4, (8,32):(32,1), f32)\nT = ((4,8),(2,2)):((32,1),(16,8))\nprove injective(T over (16,8):(8,1), "
      "f32)",
      "smem_atom(K_SW128, fp16)\ntma_box(fp16, (4096,4096), (8192), (64,128), \"128B\")\ntmem_layout(f32, 128, 128)",
      "X = S[(8,2,4,2):(4@lane,1@warp,1@lane,1@reg)] + R[2:4@warp] + 5@warp over (8,16)\nforward(X, "
      "(2,9))\nbackward(X, "
      "{warp: 6, lane: 8, reg: 1})\nprove injective(X)\nshow X as threads",
      "( 8 2 ; 4@lane, 1@warp ) + [ 2 ; 4@warp ] + 5@warp\nD: (8, 4@lane) x (2, 1@warp) | R: (2, 4@warp) | O: 5@warp",
      "tile(S[(8,8):(8,1)], (8,8), S[(2,3):(3,1)], (2,3))\nslice(S[(4,4,4,4):(64,4,16,1)], (16,16), ((2,3),(6,10)))",
      "show tma.load over Sw<3,3,3> o (64,64):(64,1), f16\nshow tcgen05.ld.16x64b.x2 over tmem_layout(f32, 128, 64) as "
      "access 0,8",
      "S = tile_to_shape(smem_atom(K_SW64, f16), (64,64))\nshow wgmma.m64n64k16.f16.A over S, f16 as access 0,16",
      "show %A:[4,8:1,4].fp32.GL.tile([2:2],[4:1]) as levels address coord\nshow ((4,8),(2,2)):((16,1),(64,8)) as "
      "levels logical",
      "show shard((64,128), mesh (2,2):(1,2), S0, R) over (64,128) as mesh\nplacements(S[(2,64):(1@gpuid,1)], (128), "
      "mesh 2)",
      "#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>\n"
      "to_linear(#mma over (16,8))\nprove equal(#mma over (16,8), ((4,8),(2,2)):((32,1),(16,8)))",
      "tensor<32x16xf16, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = "
      "[1, "
      "0]}>>",
      "to_axe(register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]] -> dim0 16, dim1 8)",
      "simplify((d0, d1)[s0]{rt0} -> (d0 + s0 * rt0, min(d1, 4) floordiv 2), domain: d0 in [0, 6], d1 in [0, 14], s0 "
      "in [0, "
      "2], rt0 in [1, 3], d0 + s0 in [0, 5])",
      "compose((d0)[s0] -> (d0, s0), domain: d0 in [0, 3], s0 in [0, 3], (d0, d1) -> (d1), domain: d0 in [0, 3], d1 in "
      "[0, "
      "1])",
      "S = Sw<3,4,3> o (8,64):(72,1)\ncode(S, cuda)\ncode((d0, d1) -> (d0 mod 3 - d1 floordiv 2), domain: d0 in "
      "[0, 9], d1 in [0, 5], python)\ncode((4,8):(8,1), cutlass, Tile)\ncode(S[(n,8):(8@m,1@m)] for n in [1, 9], c)",
      "Sw<3,3,3> o S[(8,64):(64,1)]\nprove equal(S[64:1], (8,8):(8,1))\nprove "
      "roundtrip(S[(2,8,4,2):(2@reg,4@lane,1@lane,"
      "1@reg)] over (16,8))",
      "bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)S(1)}\naddress(f32[3,5]{1,0:T(2,2)}, (2,3))",
      "add.936 = bf16[8,16]{1,0:T(8,128)(2,1)}\n          add(a.1, f32[2,<=3,?] %b), metadata={op_name=\"n\"}",
      "P = f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)L(4)}\nshow P as tensor rows d1 cols d4 d0 1\ncontiguous(P)",
      "to_cute((f32[2,3]{0,1}, (s4[4]{0:T(2)E(4)}, token[])))\nbitcast(f32[4,6], f32[6,4]{0,1})\nphysical_map(f32[5])",
      "to_banks((4,32):(32,1), f32)\nvector_bytes((64,64):(66,1), fp16)\ntma_mode(Sw<3,3,3>, fp16)",
  };
  return kSeeds;
}

std::string mutate(std::string text, std::mt19937_64& rng) {
  static const std::vector<std::string> kSplices = {"(",
                                                    ")",
                                                    ":",
                                                    ",",
                                                    "_",
                                                    "@",
                                                    "<",
                                                    ">",
                                                    "o",
                                                    " ",
                                                    "\n",
                                                    "0",
                                                    "-1",
                                                    "9223372036854775807",
                                                    "1000000000000000000",
                                                    "?",
                                                    "[",
                                                    "]",
                                                    "\"",
                                                    "//",
                                                    "{",
                                                    "}",
                                                    "=",
                                                    "\xff",
                                                    "\xc3",
                                                    "Sw<3,3,3>",
                                                    "((((((((",
                                                    "prove ",
                                                    "show ",
                                                    " by z3",
                                                    "()",
                                                    "1@0",
                                                    "S[",
                                                    "\t",
                                                    "E<0>",
                                                    std::string(1, '\0')};
  const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(rng() % n); };
  for (std::size_t edits = 1 + pick(6); edits > 0; --edits) {
    const std::size_t at = text.empty() ? 0 : pick(text.size() + 1);
    switch (pick(5)) {
      case 0:
        text.insert(at, kSplices[pick(kSplices.size())]);
        break;
      case 1:
        if (at < text.size()) text.erase(at, 1 + pick(4));
        break;
      case 2:
        if (at < text.size()) text[at] = static_cast<char>(pick(256));
        break;
      case 3:
        text = text.substr(0, at);
        break;
      default:
        text.insert(at, text.substr(pick(text.size() + 1), pick(24)));
        break;
    }
  }
  return text;
}

int environmentOr(const char* name, int fallback) {
  const char* set = std::getenv(name);
  return set != nullptr ? std::atoi(set) : fallback;
}

void checkDocument(const std::string& text) {
  EngineOptions options;
  options.prove.budgetSeconds = 0.05;
  options.prove.exhaustiveLimit = 1 << 14;
  for (const Outcome& o : runDocument(text, options)) {
    const bool answered = o.value || o.figure || o.show || o.verdict || o.claim || o.diag || !o.learner.blank.empty();
    CHECK(answered);
    if (o.diag) {
      CHECK(!o.diag->message.empty());
      CHECK(o.diag->span.begin <= o.diag->span.end);
      CHECK(o.diag->span.end <= text.size());
      CHECK(!printDiag(*o.diag, text).empty());
    }
  }
}

}  // namespace

TEST_CASE("every seed is answered without a crash") {
  for (const std::string& s : seeds()) {
    INFO(s);
    checkDocument(s);
  }
}

TEST_CASE("mutated worksheets never crash, hang or lose a place") {
  const int rounds = environmentOr("TESSERA_FUZZ_ROUNDS", 1500);
  const auto seed = static_cast<u64>(environmentOr("TESSERA_FUZZ_SEED", 20261120));
  std::mt19937_64 rng(seed);
  for (int done = 0; done < rounds; ++done) {
    const std::string text = mutate(seeds()[rng() % seeds().size()], rng);
    INFO("seed " << seed << " round " << done << "\n" << text);
    checkDocument(text);
  }
}
