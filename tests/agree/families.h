// The same layout in every notation that can express it, and its element type for claims.
#pragma once

#include <string>
#include <vector>

namespace tessera {

struct Family {
  const char* name;
  std::vector<std::string> spellings;
  const char* bits;  // an element type
};

inline const std::vector<Family> kFamilies = {
    {"row-major 4 x 8",
     {"(4,8):(8,1)",
      "((2,2),(2,4)):((8,16),(1,2))",
      "((4),(8)):((8),(1))",
      "Sw<0,4,3> o 0 o (4,8):(8,1)",
      "MakeLayout((4,8),(8,1))",
      "RowMajor<4>(4,8)",
      "S[(4,8):(8,1)]",
      "S[(4,8):(8,1)] over (4,8)",
      "S[32:1] over (4,8)",
      "S[(2,2,8):(16,8,1)] over (4,8)",
      "S[(4,8):(8@m,1@m)]",
      "f32[4,8]",
      "f32[4,8]{1,0}",
      "f32[4,8]{1,0:T(4,8)}",
      "x.1 = f32[4,8]{1,0} parameter(0)",
      "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}> over (4,8)",
      "offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]] -> dim0 4, dim1 8",
      "dim0 = [[8], [16]], dim1 = [[1], [2], [4]] -> offset 32",
      "(d0, d1) -> (offset: d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]",
      "to_map((4,8):(8,1))",
      "to_map(f32[4,8])",
      "to_cute(f32[4,8])",
      "to_axe((4,8):(8,1))",
      "to_linear((4,8):(8,1))",
      "%A:[4,8:8,1].fp32.GL",
      "%A:[4,8].fp32.SH",
      "to_xla((4,8):(8,1))"},
     "f32"},
    {"column-major 4 x 8",
     {"(4,8):(1,4)", "S[(4,8):(1,4)]", "S[(4,8):(1,4)] over (4,8)", "f32[4,8]{0,1}", "%A:[4,8:1,4].fp32.GL",
      "%A:[4,(2,4):1,(4,8)].fp32.GL",
      "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}> over (4,8)",
      "offset = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]] -> dim0 4, dim1 8",
      "dim0 = [[1], [2]], dim1 = [[4], [8], [16]] -> offset 32",
      "(d0, d1) -> (offset: d0 + d1 * 4), domain: d0 in [0, 3], d1 in [0, 7]", "ColumnMajor<4>(4,8)"},
     "f32"},
    {"padded rows, 4 x 8",
     {"(4,8):(12,1)", "((2,2),8):((12,24),1)", "S[(4,8):(12,1)]", "S[(4,8):(12,1)] over (4,8)", "%A:[4,8:12,1].fp32.SH",
      "#ttg.padded_shared<[8:+4] {order = [1, 0], shape = [4, 8]}> over (4,8)",
      "(d0, d1) -> (offset: d0 * 12 + d1), domain: d0 in [0, 3], d1 in [0, 7]"},
     "f32"},
    {"every place twice, 4 x 4",
     {"(4,4):(1,2)", "S[(4,4):(1,2)]", "S[(4,4):(1,2)] over (4,4)",
      "(d0, d1) -> (offset: d0 + d1 * 2), domain: d0 in [0, 3], d1 in [0, 3]"},
     "f32"},
    {"swizzled 8 x 8",
     {"Sw<2,0,3> o 0 o (8,8):(8,1)", "Sw<2,0,3> o (8,8):(8,1)", "Sw<2,0,3> o S[(8,8):(8,1)]",
      "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 4, order = [1, 0]}> over (8,8)",
      "offset = [[0, 1], [0, 2], [0, 4], [1, 1], [2, 2], [4, 0]] -> dim0 8, dim1 8",
      "dim0 = [[9], [18], [32]], dim1 = [[1], [2], [4]] -> offset 64", "to_map(Sw<2,0,3> o (8,8):(8,1))",
      "to_linear(Sw<2,0,3> o (8,8):(8,1))"},
     "f32"},
};

}  // namespace tessera
