// Syntax: the expression language of the worksheet as a tree, before names are resolved.
//
//     Sw<3,3,3> o A(2, _) == size((4,8):(8,1)) * 2
//     Compare ==
//       Compose [Literal "Sw<3,3,3>", Call A [Literal "2", Literal "_"]]
//       Product [Call size [Literal "(4,8):(8,1)"], *, Literal "2"]
//
// A *literal* is text in a tool's own format that contains no worksheet name: the parser of its notation reads it and
// finds its end, so static marks, scaled bases and pointers survive and errors come from that notation. Text with names
// ((M,N):(N,1)) uses the general grammar, where `:` is an operator between two tuples.
//
// Precedence, loosest first:  or | and | not | == != < <= > >= | o | + - | * / % | unary - | : | application f(x) L(i)
// A chain is one node with many children, so a sum of 10^5 terms is not a tree of depth 10^5; nesting is limited by
// Nesting (core/base/cursor.h).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/worksheet/any_value.h"

namespace tessera {

enum class LiteralKind : unsigned char {
  Integer,  // 42, 0x1F
  Tuple,    // (4,(2,?)), _8, _, Int<8>{}, 1@0: a `:` may follow
  Layout,   // a whole literal of a notation: (4,8):(8,1), f32[3,5]{1,0:T(2,2)}, S[..] + R[..], #ttg...., {lane: 8}
  Word,     // ldmatrix.x4, mma.m16n8k16.f32.f16.f16.f32: a dotted hardware name
  String,   // "..."
};
struct LiteralRow;  // literals.h: the notation

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
    Sum,      // operators[k] precedes children[k+1]
    Product,  // likewise
  };
  Kind kind = Kind::Literal;
  LiteralKind literal = LiteralKind::Integer;
  const LiteralRow* row = nullptr;  // Literal: its notation; null for words and hexadecimal numbers
  Shared<Value> value;              // Literal: its value
  Span span;                        // in the statement's text
  Span name;                        // Call: the function's name; Compare: the operator
  std::string text;
  std::vector<std::string> templateArgs;
  std::vector<std::string> operators;
  std::vector<std::unique_ptr<Node>> children;
};
using NodePtr = std::unique_ptr<Node>;
[[nodiscard]] NodePtr makeNode(Node::Kind kind, Span span);

// The value that an earlier line binds to a name (#mma), or nullptr.
using NameLookup = std::function<const Value*(const std::string&)>;

// Parses the expression text[from, to), all of it. Spans are relative to text[0]. Only Triton literals may refer to
// earlier bindings.
[[nodiscard]] Result<NodePtr> parseExpression(std::string_view text, std::size_t from, std::size_t to,
                                              const NameLookup& names);

// Whether the node is a literal of this notation: "mesh".
[[nodiscard]] bool isLiteralOf(const Node& node, std::string_view notation);

}  // namespace tessera
