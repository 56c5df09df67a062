// Syntax: the expression language of the worksheet as a tree, before any name has a meaning.
//
//     Sw<3,3,3> o A(2, _) == size((4,8):(8,1)) * 2
//     Compare ==
//       Compose [Literal "Sw<3,3,3>", Call A [Literal "2", Literal "_"]]
//       Product [Call size [Literal "(4,8):(8,1)"], *, Literal "2"]
//
// A *literal* is a run of text that some tool prints and that holds no name of the worksheet: it goes as a whole to the
// parser of its notation, so that static marks, scaled bases and pointers survive and errors are the notation's own.
// Text with names in it ((M,N):(N,1)) takes the general grammar, where `:` is an operator between two tuples.
//
// Precedence, loosest first:  or | and | not | == != < <= > >= | o | + - | * / % | unary - | : | application f(x) L(i)
// Chains are one node with many children, so that a sum of 10^5 terms is no tree of depth 10^5;
// what nests is limited to kMaxNesting.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tessera {

inline constexpr int kMaxNesting = 200;

enum class LiteralKind : unsigned char {
  Integer,   // 42, 0x1F
  Tuple,     // (4,(_2,?)), _8, _, Int<8>{}, 1@0
  Layout,    // (4,8):(8,1), Layout<Shape<_4,_8>,Stride<_8,_1>>
  Swizzle,   // Sw<3,4,3>, S<3,4,3>, SW_3_4_3, Swizzle<3,4,3>
  Composed,  // Sw<3,4,3> o 0 o (8,64):(64,1), smem_ptr[16b](unset) o ..., ComposedLayout<...>
  Mlir,      // !cute.layout<"...">
  Map,       // (d0, d1) -> (d0 + d1), domain: d0 in [0, 3], ...
  Word,      // ldmatrix.x4, mma.m16n8k16.f32.f16.f16.f32: a dotted name of the hardware
  String,    // "..."
  Axe,       // S[(8,2):(4@lane,1@warp)] + R[2:4@warp] + 5@warp, and the other forms of axe.h
  Triton,    // #ttg.blocked<{...}>, #blocked = #ttg...., tensor<128x64xf16, #ttg....>
  Linear,    // register = [[0, 1]], lane = [] -> dim0 16, dim1 8
  Mesh,      // mesh (2,2):(1,2)
  Place,     // {lane: 8, reg: 1}
  Xla,       // f32[3,5]{1,0:T(2,2)}, a tuple of them, add.1 = f32[3]{0} add(a, b)
};

struct Node {
  enum class Kind : unsigned char {
    Literal,   // text
    Name,      // text
    Tuple,     // (a, b, ...): children
    Brackets,  // <a, b> or [a; b]: children
    Layout,    // shape : stride
    Call,      // text(children), templateArgs
    Apply,     // children[0](children[1..])
    Negate,    // -x
    Not,
    Or,
    And,
    Compare,  // operators[0]
    Compose,
    Sum,      // operators[k] stands before children[k+1]
    Product,  // likewise
  };
  Kind kind = Kind::Literal;
  LiteralKind literal = LiteralKind::Integer;
  Span span;  // within the statement's text
  Span name;  // Call: the function's name; Compare: the operator
  std::string text;
  std::vector<std::string> templateArgs;
  std::vector<std::string> operators;
  std::vector<std::unique_ptr<Node>> children;
};
using NodePtr = std::unique_ptr<Node>;

// Parses one expression from text[from, to); everything up to `to` must belong to it. Spans count from text[0].
[[nodiscard]] Result<NodePtr> parseExpression(std::string_view text, std::size_t from, std::size_t to);

// How far the longest literal that begins at text[from] reaches, and what it is; nullopt when there is none.
struct LiteralExtent {
  LiteralKind kind = LiteralKind::Integer;
  std::size_t end = 0;
};
[[nodiscard]] std::optional<LiteralExtent> scanLiteral(std::string_view text, std::size_t from, std::size_t to);

// Those of Axe, Triton, linear layouts, meshes and places (literal_axe.cpp).
[[nodiscard]] std::optional<LiteralExtent> scanNamedAxes(std::string_view text, std::size_t from);

// XLA's shapes and instruction lines (literal_xla.cpp).
[[nodiscard]] std::optional<LiteralExtent> scanXla(std::string_view text, std::size_t from);

// The text with // and /* */ comments blanked out, so that places stay.
[[nodiscard]] std::string withoutComments(std::string_view text);

}  // namespace tessera
