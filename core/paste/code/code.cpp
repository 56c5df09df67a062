// Index code in C, C++, CUDA and HIP: a subscript, an address, statements, functions, kernels.
#include <algorithm>
#include <array>

#include "core/base/chars.h"
#include "core/paste/code/index_reading.h"
#include "core/paste/dialects.h"

namespace tessera::paste {
namespace {

constexpr std::size_t kLooked = std::size_t{64} << 10;

// Only C++ for kernels has these.
constexpr auto kMarksOfC = std::to_array<std::string_view>(
    {"threadIdx", "blockIdx", "__shared__", "__global__", "__device__", "reinterpret_cast<", "static_cast<",
     "__cvta_generic_to_shared", "operator()", "uint32_t ", "int ", "unsigned ", "return ", "auto ", "size_t ",
     "#define ", "constexpr "});
// Text of other tools, which has its own dialects.
constexpr auto kMarksOfOthers = std::to_array<std::string_view>({"#ttg",
                                                                 "LinearLayout",
                                                                 "#triton_gpu",
                                                                 "tensor<",
                                                                 "memref<",
                                                                 "HloModule",
                                                                 " floordiv ",
                                                                 "getelementptr",
                                                                 "tt.func",
                                                                 "#map",
                                                                 "->  ",
                                                                 "((nil))",
                                                                 "ptr[16b]",
                                                                 "ThrID",
                                                                 "TiledMMA",
                                                                 "TiledCopy",
                                                                 "affine_map",
                                                                 "CU_TENSOR_MAP_",
                                                                 "TensorMapEncodeTiled",
                                                                 "make_naive_tensor_",
                                                                 "transform_tensor_descriptor",
                                                                 "tile_distribution_encoding",
                                                                 "matrix_descriptor_encode",
                                                                 "kittens",
                                                                 "st_bf<",
                                                                 "bitfield.layout_type",
                                                                 "layout_type_ ="});
constexpr auto kMarksOfCute =
    std::to_array<std::string_view>({"Layout<", "make_layout", "Shape<", "Swizzle<", "make_tensor", "make_tiled",
                                     "_Atom", "tile_to_shape", "composition("});

template <typename Marks>
bool holdsAny(std::string_view text, const Marks& marks) {
  return std::ranges::any_of(marks, [&](std::string_view m) { return text.find(m) != std::string_view::npos; });
}

// A name, and an operator or a subscript that an index has.
bool looksLikeIndex(std::string_view text) {
  const bool name = std::ranges::any_of(text, isNameStart);
  const bool op = text.find_first_of("[*%^&|+") != std::string_view::npos ||
                  text.find("<<") != std::string_view::npos || text.find(">>") != std::string_view::npos ||
                  text.find(" / ") != std::string_view::npos || text.find(" - ") != std::string_view::npos;
  return name && op;
}

bool isPythonText(std::string_view text) {
  return text.find("def ") != std::string_view::npos || text.find("lambda ") != std::string_view::npos ||
         text.find("import ") != std::string_view::npos || text.find("tl.") != std::string_view::npos ||
         text.find("\nfor ") != std::string_view::npos;
}

int recognizesCode(std::string_view text) {
  text = text.substr(0, kLooked);
  if (!fragmentProseAsC(text).empty()) return 2;
  if (holdsAny(text, kMarksOfOthers)) return 0;
  const bool statements = text.find(';') != std::string_view::npos || text.find('{') != std::string_view::npos;
  // `return i/4;` and `f(x-1)` have no blanks, so only words of C tell them from prose.
  if (!looksLikeIndex(text) && !(statements && holdsAny(text, kMarksOfC))) return 0;
  if (isPythonText(text) && !statements) return 0;
  if (text.find(">::apply(") != std::string_view::npos) return 1;  // Swizzle<3,3,3>::apply(i)
  if (holdsAny(text, kMarksOfCute))
    return statements && holdsAny(text, std::array<std::string_view, 2>{"__global__", "__device__"}) ? 1 : 0;
  return holdsAny(text, kMarksOfC) && statements ? 2 : 1;
}

Result<Reading> readCode(std::string_view text, const Given& given) {
  if (const std::string prose = fragmentProseAsC(text); !prose.empty()) return readIndexCode("c", prose, given);
  return readIndexCode("cuda", text, given);
}

}  // namespace

const Dialect kCode{"index code in C++", recognizesCode, readCode};

}  // namespace tessera::paste
