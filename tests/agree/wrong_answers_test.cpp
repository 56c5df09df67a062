// Wrong answers and wrong refusals found across notations, each with its original statement. One row per statement: a
// verdict, or the text of the answer.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "tests/support/ask.h"

using namespace tessera;

namespace {

struct Row {
  const char* statement;
  const char* answer;
};

const char* const kFormula = "S(row, col) = row * 64 + (col ^ ((row & 7) << 3)) over (64,64)\n";

}  // namespace

TEST_CASE("what was answered wrongly across notations is answered rightly") {
  const Row rows[] = {
      // A swizzle of no bits is none.
      {"to_axe(Sw<0,4,3> o 8 o (8,8):(8,1))", "S[(8,8):(8,1)] + 8 over (8,8)"},
      {"equal(to_axe(to_cute(S[8:1] + 8)), S[8:1] + 8)", "proved"},
      // A register is no lane, and the memory is neither; an axis that never moves is left out.
      {"equal(register=[[1]], lane=[] -> dim0 2, register=[], lane=[[1]] -> dim0 2)", "refuted"},
      {"equal(register=[[1],[2]], lane=[] -> dim0 4, register=[], lane=[[1],[2]] -> dim0 4)", "refuted"},
      {"equal(S[2:1@lane] over (2), register=[[1]], lane=[] -> dim0 2)", "refuted"},
      {"equal(S[(2,1):(1,2@lane)] over (2), register=[[1]], lane=[] -> dim0 2)", "refuted"},
      {"equal(S[(2,1):(1,2@lane)] over (2), to_linear(S[(2,1):(1,2@lane)] over (2)))", "proved"},
      {"equal(S[(1,2):(1@lane,1)] + R[2:2], to_linear(S[(1,2):(1@lane,1)] + R[2:2]))", "proved"},
      {"equal(S[1:1@warp] over (1), (1,1):(0,0))", "proved"},
      // Three spellings of one layout, two of them equal, the third refuted.
      {"equal(S[(4,8):(8,1)], f32[4,8])", "proved"},
      {"equal(f32[4,8], S[(4,8):(8,1)])", "proved"},
      // Padding was ignored.
      {"equal(#ttg.padded_shared<[16:+4] {order = [1, 0], shape = [16, 8]}> over (16,8), "
       "#ttg.padded_shared<[16:+8] {order = [1, 0], shape = [16, 8]}> over (16,8))",
       "refuted"},
      // A linear layout to memory was read as one of registers.
      {"equal(dim0 = [[1]], dim1 = [[2]] -> offset 4, S[(2,2):(2,1)] over (2,2))", "refuted"},
      {"equal(dim0 = [[2]], dim1 = [[1]] -> offset 4, S[(2,2):(2,1)] over (2,2))", "proved"},
      // Constrained maps were compared beyond their domain.
      {"equal((d0) -> (d0), domain: d0 in [0, 2], d0 + d0 in [2, 4], (d0) -> (d0), domain: d0 in [1, 2])", "proved"},
      // One of two maps was turned round because a constraint left the other shorter ranges.
      {"equal((d0, d1) -> (0, 1), domain: d0 in [0, 2], d1 in [1, 1], (d0, d1) -> (0, d1), domain: d0 in [0, 2], d1 in "
       "[0, 2], d1 mod 4 in [1, 1])",
       "proved"},
      {"equal((d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 7], (d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 "
       "in [0, 3])",
       "refuted"},
      // A mode was dropped.
      {"to_cute(S[(2,2):(1,2)] over (4))", "((2,2)):((2,1))"},
      {"to_cute((d0) -> (d0 mod 2 * 4 + d0 floordiv 2), domain: d0 in [0, 3])", "((2,2)):((4,1))"},
      {"rank(to_cute(to_map(((2,2)):((4,1)))))", "1"},
      // A nested mode is one dimension of an indexing map.
      {"equal(((2,2),8):((1,16),2), to_indexing_map(((2,2),8):((1,16),2)))", "proved"},
      // Replicas that are apart, and no list of replica iters that says so.
      {"injective(S[2:1@reg] + R[(2,2):(2@lane,3@lane)])", "proved"},
      {"disjoint(S[2:1@reg] + R[(2,2):(2@lane,3@lane)])", "proved"},
      // Replicas of one element that meet are no collision of elements.
      {"injective(S[2:1@reg] + R[(2,2):(2@lane,2@lane)])", "proved"},
      {"injective(S[2:9@lane] + R[(3,3):(2@lane,3@lane)])", "proved"},
      {"injective(S[2:8@lane] + R[(3,3):(2@lane,3@lane)])", "refuted"},
      // The argument after a map, after an instruction line.
      {"equal((d0) -> (d0), domain: d0 in [0, 2], to_map((d0) -> (d0), domain: d0 in [0, 2]))", "proved"},
      {"shape(iota.5 = s32[8]{0} iota(), iota_dimension=0)", "s32[8]{0}"},
      {"shape(a.1 = f32[2,3]{1,0} dot(x, y), lhs_contracting_dims={1}, metadata={op_name=\"f(x)\"})", "f32[2,3]{1,0}"},
      {"equal(x.1 = f32[4,8]{1,0} parameter(0), offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]] -> dim0 4, dim1 8)",
       "proved"},
      // Translations that were refused.
      {"to_axe(f32[3]{0:T(2)})", "S[3:1] over (3)"},
      {"to_cute((d0) -> (d0), domain: d0 in [0, 3])", "4:1"},
      {"to_axe((d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7])", "S[(4,8):(8,1)] over (4,8)"},
      {"to_linear((d0) -> (d0 * 2), domain: d0 in [0, 3])", "dim0 = [[2], [4]] -> offset 8"},
      {"equal(to_linear(Sw<3,3,3> o (64,64):(64,1)), Sw<3,3,3> o (64,64):(64,1))", "proved"},
      {"slice(S[(2,3):(1@reg,1@warp)], (3,2), ((1,2),(0,1)))", "S[1:1] + 2@warp"},
      // What hardware holds is asked about its elements.
      {"shape(#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}> "
       "over "
       "(16,8))",
       "(16,8)"},
      // Forward and backward.
      {"roundtrip((6,8):(8,1))", "proved"},
      {"roundtrip(1:1)", "proved"},
      {"roundtrip(Sw<3,3,3> o (64,64):(64,1))", "proved"},
      {"roundtrip((4,4):(1,2))", "refuted"},
      // One mode lost the swizzle and the offset around it.
      {"get(Sw<3,3,3> o 0 o (8,64):(64,1), 1)", "Sw<3,3,3> o 0 o 64:1"},
      {"layout<0>(Sw<3,3,3> o 5 o (8,64):(64,1))", "Sw<3,3,3> o 5 o 8:64"},
      {"get<1>(Sw<3,3,3> o S[(8,64):(64,1)])", "Sw<3,3,3> o 0 o 64:1"},
      {"layout((2,2):(2,1) o 1 o ((2,2),3):((1,2),4), 0, 1)", "(2,2):(2,1) o 1 o 2:2"},
      {"(get(Sw<3,3,3> o 5 o (8,64):(64,1), 0))(3)", "221"},
      // Two variables of one name; dimensions for the leaves of a mode.
      {"to_indexing_map(((2,2),2,(2,2)):((1,2),4,(8,16)))",
       "(i0, i1, i2) -> (i0 + i1 * 4 + i2 * 8), domain: i0 in [0, 3], i1 in [0, 1], i2 in [0, 3]"},
      {"to_map(((4,2)):((1,4)))", "(i0) -> (offset: i0), domain: i0 in [0, 7]"},
      {"to_xla(((2,2),4):((1,2),4), f32)", "f32[4,4]{0,1}"},
      {"equal(((2,2),4):((1,2),4), f32[4,4]{0,1})", "proved"},
      // An iter of extent 1 is a dimension.
      {"shape(S[(8,1,4):(4,4,1)])", "(8,1,4)"},
      {"equal(S[(8,1,4):(4,4,1)], (8,1,4):(4,0,1))", "proved"},
      {"to_cute(S[(8,1,4):(4,4,1)])", "(8,1,4):(4,0,1)"},
      {"size(dim0 = [[1],[2]], dim1 = [[8]] -> offset 16)", "8"},
      {"shape(dim0 = [[1],[2]], dim1 = [[8]] -> offset 16)", "(4,2)"},
      // smem_ptr_flag is one bit; the swizzle acts on bytes.
      {"(ComposedLayout<Swizzle<3,4,3>, smem_ptr_flag, Layout<Shape<_8,_1024>,Stride<_1024,_1>>>)(3,144)", "3344"},
      {"upcast(ComposedLayout<Swizzle<3,4,3>, smem_ptr_flag, Layout<Shape<_8,_1024>,Stride<_1024,_1>>>, 16)",
       "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)"},
      {"(upcast(ComposedLayout<Swizzle<3,4,3>, smem_ptr_flag, Layout<Shape<_8,_1024>,Stride<_1024,_1>>>, 16))(3,9)",
       "209"},
      // CuTe DSL: elements of unknown type under a swizzle on bytes.
      {"S<3,4,3> o 0 o (8,64):(64,1)", "S<3,4,3> o 0 o (8,64):(64,1)"},
      {"size(S<3,4,3> o 0 o (8,64):(64,1))", "512"},
      {"S<3,4,3> o 0 o (8,64):(64,1) over f16", "Sw<3,3,3> o 0 o (8,64):(64,1)"},
      {"S<3,4,3> o (8,64):(64,1) over f32", "Sw<3,2,3> o 0 o (8,64):(64,1)"},
      {"S<3,4,3> o 0 o (8,64):(64,1) over u8", "Sw<3,4,3> o 0 o (8,64):(64,1)"},
      {"S<3,4,3> over f16", "Sw<3,3,3>"},
      {"injective(S<3,4,3> o 0 o (8,64):(64,1))", "unknown"},
      {"equal(S<3,4,3> o 0 o (8,64):(64,1), Sw<3,4,3> o 0 o (8,64):(64,1))", "unknown"},
      {"equal(Sw<3,3,3> o 0 o (8,64):(64,1), S<3,4,3> o 0 o (8,64):(64,1))", "unknown"},
      {"surjective(S<3,4,3> o 0 o (8,64):(64,1), 512)", "unknown"},
      {"conflict_free(S<3,4,3> o 0 o (8,64):(64,1), ldmatrix.x4)", "unknown"},
      {"conflict_free(S<3,4,3> o 0 o (8,64):(64,1), ldmatrix.x4, fp16)", "proved"},
      {"equal(S<3,4,3> o 0 o (8,64):(64,1) over f16, Sw<3,3,3> o 0 o (8,64):(64,1))", "proved"},
      {"equal(tensor<ptr<f16, smem, align<1024>, S<3,4,3>> o (8,64):(64,1)>, Sw<3,3,3> o 0 o (8,64):(64,1))", "proved"},
      // The address of a pointer is where this run of the program has put the tensor.
      {"equal(gmem_ptr[16b](0x7f0000000000) o (128,32):(32,_1), (128,32):(32,1))", "proved"},
      {"(gmem_ptr[16b](0x7f0000000000) o (128,32):(32,_1))(1,3)", "35"},
      {"(Sw<3,3,3>_smem_ptr[16b](0x7f2d00000400) o ((_8,_16),(_64,_1)):((_64,_512),(_1,_0)))(9,9)", "577"},
      {"bijective(smem_ptr[16b](0x400) o (8,64):(64,1))", "proved"},
      {"equal(tensor(raw_ptr(0x000000000a5f1d50: f32, generic, align<4>) o (4,3):(3,1), data=[1]), (4,3):(3,1))",
       "proved"},
      {"equal(Sw<3,4,3>_smem_ptr[16b](0x80) o 64:1, Sw<3,3,3> o 64 o 64:1)", "proved"},
      {"(counting_iter(42) o (4,5):(1,4))(1,1)", "47"},
  };
  for (const Row& row : rows) {
    const Answer a = ask(row.statement);
    INFO(row.statement << ": " << a.text);
    CHECK((a.truth ? std::string(name(*a.truth)) : a.text) == row.answer);
  }
}

TEST_CASE("an indexing map takes C's operators, and a tile needs its shape") {
  const char* const map = "(d0, d1) -> (d0 * 64 + (d1 ^ (d0 & 7) << 3)), domain: d0 in [0, 63], d1 in [0, 63]";
  CHECK(ask(std::string("equal(") + map + ", Sw<3,3,3> o (64,64):(64,1))").truth == Truth::Proved);
  CHECK(ask("((d0) -> (d0 | 4, d0 >> 1, d0 % 3, d0 / 2, d0 xor 1), domain: d0 in [0, 7])(6)").text == "(6,3,0,3,7)");
  const Answer unshaped = ask("equal(S[(2,8,4,2):(2@reg,4@lane,1@lane,1@reg)], ((4,8),(2,2)):((32,1),(16,8)))");
  CHECK_FALSE(unshaped.ok);
  CHECK(unshaped.text.find("needs the tile's shape") != std::string::npos);
}

TEST_CASE("the map of a swizzle is read back") {
  for (const char* layout : {"Sw<1,0,1> o 4:1", "Sw<3,3,3> o (64,64):(64,1)", "Sw<2,0,3> o 5 o (8,8):(8,1)"}) {
    const std::string text = ask(std::string("to_map(") + layout + ")").text;
    INFO(text);
    CHECK(ask(text).ok);
    CHECK(ask("equal(" + text + ", " + layout + ")").truth == Truth::Proved);
  }
}

TEST_CASE("an index formula is a layout like any other") {
  const auto truth = [](const std::string& claim) { return askAll(kFormula + claim).truth; };
  CHECK(askAll(std::string(kFormula) + "S(3, 5)").text == "221");
  CHECK(truth("prove equal(S, Sw<3,3,3> o (64,64):(64,1))") == Truth::Proved);
  CHECK(truth("prove bijective(S)") == Truth::Proved);
  CHECK(truth("prove roundtrip(S)") == Truth::Proved);
  CHECK(truth("prove conflict_free(S, ldmatrix.x4, fp16)") == Truth::Proved);
  CHECK(askAll(std::string(kFormula) + "to_cute(S)").text == "Sw<3,3,3> o 0 o (64,64):(64,1)");
  CHECK(
      truth(
          "prove equal(S, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}> over (64,64))") ==
      Truth::Proved);
  CHECK(truth("prove equal(S, (64,64):(64,1))") == Truth::Refuted);
}

TEST_CASE("what a verdict and an answer leave out, they say") {
  Scope scope;
  const Outcome base = runStatement(
      splitStatements("prove equal(gmem_ptr[16b](0x7f0000000000) o (128,32):(32,_1), (128,32):(32,1))").front(), scope);
  REQUIRE(base.verdict);
  CHECK(base.verdict->detail.find("base address 0x7f0000000000 is omitted") != std::string::npos);
  const Answer bytes = ask("bijective(S<3,4,3> o 0 o (8,64):(64,1))");
  CHECK(bytes.text.find("the element type is needed") != std::string::npos);
  const Answer value = ask("(S<3,4,3> o 0 o (8,64):(64,1))(1,9)");
  CHECK_FALSE(value.ok);
  CHECK(value.text.find("the element type is needed") != std::string::npos);
  for (const char* text : {"S<3,4,3> o 0 o (8,64):(64,1)", "gmem_ptr[16b](0x7f0000000000) o (128,32):(32,_1)",
                           "show gmem_ptr[16b](0x7f0000000000) o (128,32):(32,_1) as grid"}) {
    const Outcome outcome = runStatement(splitStatements(text).front(), scope);
    INFO(text);
    CHECK(outcome.notes.size() == 1);
  }
  CHECK(runStatement(splitStatements("S<3,4,3> o 0 o (8,64):(64,1) over f16").front(), scope).notes.empty());
}

TEST_CASE("a grid of a tensor counts from its pointer") {
  Scope scope;
  const Outcome shown =
      runStatement(splitStatements("show gmem_ptr[16b](0x7f0000000000) o (4,8):(8,1) as grid").front(), scope);
  REQUIRE(shown.figure);
  CHECK(shown.figure->grids.front().cells->cell(3, 5).label == "29");
}

namespace {

// The edit that the message about a statement suggests, without the words around it.
std::string suggested(const std::string& statement) {
  Scope scope;
  const Outcome outcome = runStatement(splitStatements(statement).front(), scope);
  if (!outcome.diag) return "";
  std::string hint = outcome.diag->hint;
  const std::string_view ask = "did you mean ", write = "write ";
  if (hint.rfind(ask, 0) == 0 && hint.back() == '?') return hint.substr(ask.size(), hint.size() - ask.size() - 1);
  return hint.rfind(write, 0) == 0 ? hint.substr(write.size()) : hint;
}

}  // namespace

TEST_CASE("an edit that a message suggests can be read, and means what was meant") {
  // As in CuTe, missing modes of the atoms are 1. The atoms keep their order: with the compact one the warps of M and N
  // change places.
  const std::string mma = "make_tiled_mma(SM70_8x8x4_F32F16F16F32_NT, {}, (32,32,4))";
  struct Atoms {
    const char* typed;
    const char* meant;
  };
  for (const Atoms& a :
       {Atoms{"Layout<Shape<_2,_2>,Stride<_2,_1>>{}", "(2,2,1):(2,1,0)"}, Atoms{"(2,2):(2,1)", "(2,2,1):(2,1,0)"},
        Atoms{"(2,2)", "(2,2,1):(1,2,0)"}, Atoms{"2:1", "(2,1,1):(1,0,0)"}, Atoms{"(1,4):(0,1)", "(1,4,1):(0,1,0)"}}) {
    const Answer typed = ask(fmt::format(fmt::runtime(mma), a.typed));
    INFO(a.typed << ": " << typed.text);
    CHECK(typed.ok);
    CHECK(typed.text == ask(fmt::format(fmt::runtime(mma), a.meant)).text);
  }
  CHECK(ask(fmt::format(fmt::runtime(mma), "(2,2,1):(2,1,0)")).text !=
        ask(fmt::format(fmt::runtime(mma), "(2,2,1)")).text);
  struct Edit {
    std::string statement, piece;  // the piece gives way to what the hint says
    const char* meant;
  };
  for (const Edit& e : {
           Edit{"(8,4):(4,1,2)", "(8,4):(4,1,2)", "(8,4):(4,1)"},
           Edit{"Sw<3,4,2> o 0 o (8,64):(64,1)", "Sw<3,4,2>", "Sw<3,4,3> o 0 o (8,64):(64,1)"},
           Edit{"(S<3,4,3> o 0 o (8,64):(64,1))(0,9)", "S<3,4,3> o 0 o (8,64):(64,1)",
                "(Sw<3,3,3> o 0 o (8,64):(64,1))(0,9)"},
           Edit{"to_map(S<3,4,3> o 0 o (8,64):(64,1))", "S<3,4,3> o 0 o (8,64):(64,1)",
                "to_map(Sw<3,3,3> o 0 o (8,64):(64,1))"},
           Edit{"S<3,4,3> o S[(8,64):(64,1)]", "S<3,4,3> o S[(8,64):(64,1)]", "Sw<3,3,3> o S[(8,64):(64,1)]"},
       }) {
    std::string text = e.statement;
    text.replace(text.find(e.piece), e.piece.size(), suggested(e.statement));
    const Answer a = ask(text), b = ask(e.meant);
    INFO(e.statement << " becomes " << text << ": " << a.text);
    CHECK(a.ok);
    CHECK(a.text == b.text);
  }
}
