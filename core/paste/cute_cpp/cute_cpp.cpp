// CuTe and CUTLASS C++ as in source.
#include <algorithm>
#include <array>
#include <span>

#include "core/base/chars.h"
#include "core/base/work.h"
#include "core/code/tree.h"
#include "core/paste/cute_cpp/reader.h"
#include "core/paste/dialects.h"

namespace tessera::paste {

namespace {

// Names that open a bracket of theirs in CuTe.
constexpr std::array<std::string_view, 43> kMarksOfCuteCpp = {"Layout<",
                                                              "Shape<",
                                                              "Stride<",
                                                              "Swizzle<",
                                                              "ComposedLayout<",
                                                              "Tile<",
                                                              "TiledMMA<",
                                                              "TiledCopy<",
                                                              "MMA_Atom<",
                                                              "Copy_Atom<",
                                                              "MMA_Traits<",
                                                              "Copy_Traits<",
                                                              "make_layout(",
                                                              "make_shape(",
                                                              "make_stride(",
                                                              "make_tile(",
                                                              "make_tiled_mma(",
                                                              "make_tiled_copy(",
                                                              "tile_to_shape(",
                                                              "composition(",
                                                              "logical_divide(",
                                                              "zipped_divide(",
                                                              "tiled_divide(",
                                                              "make_tiled_copy_A(",
                                                              "Int<",
                                                              "GMMA::",
                                                              "UMMA::",
                                                              "cute::",
                                                              "make_tiled_copy_B(",
                                                              "make_tiled_copy_C(",
                                                              "logical_product(",
                                                              "raked_product(",
                                                              "blocked_product(",
                                                              "ss_smem_selector<",
                                                              "make_ordered_layout(",
                                                              "local_tile(",
                                                              "make_tensor(",
                                                              "op_selector<",
                                                              "make_coord(",
                                                              "cutlass::epilogue::",
                                                              "cutlass::gemm::",
                                                              "rs_smem_selector<",
                                                              "print_latex("};

// Those of CuTe's Python too, so they count in C++ only.
constexpr std::array<std::string_view, 13> kMethods = {
    "make_fragment_", "partition_A(",        "partition_B(",     "partition_C(", "partition_S(",
    "partition_D(",   "partition_fragment_", "get_slice(",       "retile_",      "local_partition(",
    "make_tma_copy(", "thread0()",           "get_thread_slice("};

bool startsAny(std::string_view text, std::size_t at, std::span<const std::string_view> marks) {
  return std::any_of(marks.begin(), marks.end(), [&](std::string_view m) { return text.substr(at, m.size()) == m; });
}

// SM80_16x8x16_F32F16F16F32_TN
bool isInstruction(std::string_view text, std::size_t at) {
  return text.substr(at, 2) == "SM" && at + 4 < text.size() && isDigit(text[at + 2]) && isDigit(text[at + 3]) &&
         text.substr(at, 7).find('_') != std::string_view::npos;
}

bool isMark(std::string_view text, std::size_t at) {
  if (at > 0 && text[at - 1] == '.') return false;
  return startsAny(text, at, kMarksOfCuteCpp) || isInstruction(text, at);
}

// What only C++ has: braces after a type, `;`, `auto`, `using`, `::`.
bool isCpp(std::string_view text) {
  for (const std::string_view mark : {"{}", ";", "using ", "auto ", "decltype(", "::", "constexpr", "Int<", "Shape<"})
    if (text.find(mark) != std::string_view::npos) return true;
  return false;
}

// The marks of other formats that also have CuTe's names; those of prints and Python at the begin of a line.
bool isOther(std::string_view text) {
  for (const std::string_view mark :
       {"cute.make_", "#ttg.", "#triton_gpu", "module {", "!cute.", "_ZN4", "HloModule", "layout::z", "tla::"})
    if (text.find(mark) != std::string_view::npos) return true;
  for (const std::string_view word :
       {"import ", "from ", "def ", "TiledMMA\n", "TiledCopy\n", "  Tiler_MN:", "  ThrLayoutVMNK:"})
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
      if (at == 0 || text[at - 1] == '\n') return true;
  return false;
}

int recognized(std::string_view text) {
  constexpr std::size_t kMost = std::size_t{64} << 10;
  text = text.substr(0, kMost);
  if (isOther(text)) return 0;
  int marks = 0, methods = 0;
  for (std::size_t at = 0; at < text.size() && marks == 0; ++at) {
    spend();
    if (!isNameStart(text[at]) || (at > 0 && isNamePart(text[at - 1]))) continue;
    marks += isMark(text, at) ? 1 : 0;
    methods += startsAny(text, at, kMethods) ? 1 : 0;
  }
  const bool cpp = isCpp(text);
  if (marks == 0) return methods > 0 && cpp ? 1 : 0;
  return cpp ? 2 : 1;
}

Result<Reading> readSource(std::string_view text, const Given& given) {
  TESSERA_TRY(const std::vector<code::Tree> trees, code::readCpp(text));
  cute_cpp::Reader reader(text, given);
  return reader.read(trees);
}

}  // namespace

const Dialect kCuteCpp{"CuTe C++", recognized, readSource};

}  // namespace tessera::paste
