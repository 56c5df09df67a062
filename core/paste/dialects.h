// The dialects of core/paste, one per format; each is defined in the file of its name.
#pragma once

#include <span>

#include "core/paste/paste.h"

namespace tessera::paste {

extern const Dialect kWorksheet;       // worksheet.cpp: text that the worksheet reads by itself
extern const Dialect kHloModule;       // blocks.cpp: a whole module dumped by XLA or JAX
extern const Dialect kGraphene;        // blocks.cpp: a Graphene program
extern const Dialect kCuteCpp;         // cute_cpp/: CuTe and CUTLASS C++ source
extern const Dialect kCutePython;      // python/: CuTe's Python DSL, pycute, tensor-layouts
extern const Dialect kGluon;           // python/: constructors of Gluon
extern const Dialect kTvm;             // python/: TVM, TIRx, TileLang
extern const Dialect kArrays;          // python/: shapes with strides of numpy and torch
extern const Dialect kCutePrint;       // printed/: what print, print_layout and print_latex of CuTe and its DSL print
extern const Dialect kLinearDump;      // printed/: Triton's own dump of a linear layout, and its C++
extern const Dialect kTritonModule;    // printed/: attributes, modules and lines of Triton's MLIR
extern const Dialect kXla;             // xla/: lines, reports, StableHLO types, shardings, affine maps, memrefs
extern const Dialect kComposable;      // vendor/: Composable Kernel descriptors
extern const Dialect kThunderKittens;  // vendor/: ThunderKittens tiles
extern const Dialect kTma;             // vendor/: cuTensorMapEncodeTiled, matrix descriptors
extern const Dialect kAscend;          // vendor/: CATLASS source
extern const Dialect kInstruction;     // vendor/: lines of PTX, HIP builtins, NVVM
extern const Dialect kLlvm;            // code/: getelementptr chains of LLVM
extern const Dialect kCode;            // code/: index code in C, C++, CUDA, HIP
extern const Dialect kPythonCode;      // code/: index code in Python

// Whether the text is one of the worksheet: it has a meaning there, or is refused for its meaning
// (composition((6,2):(1,7), (3,2):(2,3))), or a statement of it is one that no other dialect has (prove, find ...).
[[nodiscard]] bool isWorksheet(std::string_view text, const Given& given = {});

// In the order in which equally sure dialects are tried.
[[nodiscard]] std::span<const Dialect* const> dialects();

}  // namespace tessera::paste
