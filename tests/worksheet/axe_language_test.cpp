// Axe, Triton, linear layouts, meshes and indexing maps in the language: every form is parsed, prints as text that can
// be parsed again, and is refused with its place.
#include <catch2/catch.hpp>

#include "tests/worksheet/run.h"

using namespace tessera;

TEST_CASE("what prints is read again") {
  for (const char* text : {
           "S[(8,2,4,2):(4@lane,1@warp,1@lane,1@reg)] + R[2:4@warp] + 5@warp",
           "S[(8,2):(4@lane,1@warp)] over (4,4)",
           "Swizzle(3, 3, 3) o S[(8,64):(64,1)]",
           "mesh (2,2):(1,2)",
           "{lane: 8, reg: 1}",
           "register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]] -> dim0 16, dim1 8",
           "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}> over "
           "(32,16)",
           "tensor<32x16xf16, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], "
           "order "
           "= [1, 0]}>>",
           "(d0, d1)[s0] -> (d0 + s0, d1 floordiv 2), domain: d0 in [0, 6], d1 in [0, 14], s0 in [0, 2], d0 + s0 in "
           "[0, 5]",
       }) {
    INFO(text);
    CHECK(last(text) == text);
    CHECK(last(std::string("X = ") + text) == text);
    CHECK(last(std::string("X = ") + text + "\nX") == text);
  }
}

TEST_CASE("every form of one Axe layout is that layout") {
  const std::string tvm = "S[(8,2):(4@lane,1@warp)] + R[2:4@warp] + 5@warp";
  for (const char* text :
       {"( 8 2 ; 4@lane, 1@warp ) + [ 2 ; 4@warp ] + 5@warp", "( 8 2 ) [ 2 ] ( 4@lane, 1@warp ) + [ 4@warp ] + 5@warp",
        "D: (8, 4@lane) x (2, 1@warp) | R: (2, 4@warp) | O: 5@warp",
        "Layout(D=((8,2),(4@lane,1@warp)), R=((2),(4@warp)), O=5@warp)",
        "5@warp + R[2:4@warp] + S[(8,2):(4@lane,1@warp)]"}) {
    INFO(text);
    CHECK(last(text) == tvm);
    CHECK(last(std::string("size(") + text + ")") == "16");
  }
  CHECK(last("paper_form(" + tvm + ")") == "( 8 2 ; 4@lane, 1@warp ) + [ 2 ; 4@warp ] + 5@warp");
}

TEST_CASE("functions of one name follow their argument") {
  CHECK(last("size((4,8):(8,1))") == "32");
  CHECK(last("size(S[(8,4):(4@lane,1@lane)], lane)") == "32");
  CHECK(last("size(mesh (2,4))") == "8");
  CHECK(last("group((2,3,4):(12,4,1), 0, 2)") == "((2,3),4):((12,4),1)");
  CHECK(last("group(S[64:1], (4,16))") == "S[(4,16):(16,1)]");
  CHECK(last("slice(S[16:1], (4,4), ((1,3),(0,2)))") == "S[(2,2):(4,1)] + 4");
  CHECK(last("S = 5\nspan(S[(8,2):(4@lane,1@warp)], lane)") == "29");
}

TEST_CASE("aliases of a TTGIR file are names") {
  const std::string file =
      "#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>\n"
      "#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>\n";
  CHECK(last(file + "to_axe(#mma over (16,8))") == "S[(2,8,4,2):(2@reg,4@lane,1@lane,1@reg)] over (16,8)");
  CHECK(last(file + "size(tensor<16x16xf16, #dot>)") == "256");
  CHECK(last("#dot over (16,16)").find("error") == 0);
}

TEST_CASE("claims across notations are claims") {
  CHECK(last("equal(S[64:1], (64):(1))") == "claim equal");
  CHECK(last("equal(S[64:1] over (8,8), (8,8):(8,1))") == "claim equal");
  // Unbound it has one dimension of 64, counted the other way round than CuTe counts (8,8): see core/layout/layout.h.
  CHECK(last("equal(S[64:1], (8,8):(8,1))").find("error: the shapes 64 and (8,8) differ") == 0);
  CHECK(last("disjoint(S[4:1] + R[2:4])") == "claim injective");
  CHECK(last("roundtrip(S[(2,8,4,2):(2@reg,4@lane,1@lane,1@reg)] over (16,8))") == "claim roundtrip");
}

TEST_CASE("bad input: one message with its place") {
  struct Row {
    const char* text;
    const char* piece;
  };
  for (const Row& row : {
           Row{"forward(S[4:1], (4), (4))", "(4)"},
           Row{"S[(8,2):(4@lane,1@warp)] over (5,5)", "(5,5)"},
           Row{"backward(S[4:1], (4), {m 3})", "3"},
           Row{"shard((64,128), mesh (2,2), S5, R)", ""},
           Row{"to_linear(#ttg.blocked<{sizePerThread = [1, 3], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order "
               "= "
               "[1, 0]}>)",
               ""},
           Row{"to_cute(S[4:1] + R[2:4])", ""},
           Row{"size(S[(8,2):(4@lane))", "(8,2):(4@lane)"},
           Row{"size(S[(8,2):(4@lane,1@warp))", ")"},
           Row{"#ttg.blocked<{sizePerThread = [1, 4]}", "}"},
           Row{"(d0) -> (d1), domain: d0 in [0, 3]", "d1"},
       }) {
    INFO(row.text);
    const Complaint c = complaint(row.text);
    CHECK_FALSE(c.diag.message.empty());
    CHECK_FALSE(c.piece.empty());
    if (*row.piece != '\0') CHECK(c.piece == row.piece);
  }
}
