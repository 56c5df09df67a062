// Tree: a piece of C++ (CUDA, HIP) or Python source as it is in a kernel, before its names have a meaning.
//
//     As[(row * BN + col)]        Subscript [Name As, Binary * + ...]
//     using A = decltype(f(x));   Alias A [Call [Name f, Name x]]
//     Layout<Shape<_8, Int<N>>>{} Braces [Name Layout <Name Shape <Name _8, Name Int <Name N>>>]
//     cute.make_layout((4, 8), stride=(8, 1))
//                                 Call [Member make_layout [Name cute], Tuple [4, 8], Keyword stride [Tuple [8, 1]]]
//
// Both languages give the same kinds of nodes, so a reader of CuTe, Gluon or index code is written once over Trees.
// Laws: every node's span is the text it was read from, and the spans of children lie inside it, in order (but for a
// do-while, whose condition follows its body, and `Layout a(x)`, whose type precedes the name). What a reader does
// not know becomes Opaque with its span and never ends the reading. print(node) reads back to an equal tree.
// Limits: nesting as in core/base/cursor.h (Nesting); every step counts as work (core/base/work.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"

namespace tessera::code {

enum class Language : unsigned char { Cpp, Python };

struct Tree {
  enum class Kind : unsigned char {
    // Expressions.
    Number,       // text "128u", "0x7f", "1.5f"; value if it is an integer that fits 64 bits
    String,       // text without its quotes
    Name,         // text "row", "cute::make_layout", "TileShape::kContiguous" (`typename` and `template` are dropped);
                  // templateArguments: Int<64>, T::N<..>. Traits<T>::N is Name N with children[0] the scope Traits<T>.
                  // "..." is the ellipsis of a C++ fold, (... + sizes)
    Member,       // children[0].text; qualifiers "->" for children[0]->text; templateArguments
    Call,         // children[0](children[1], ...); a Python keyword argument is a Keyword child. decltype(e) is a Call
    Launch,       // C++ children[0]<<<children[1], ...>>>, which is then called: Call [Launch [kernel, grid, block], x]
    Keyword,      // text = children[0]
    Subscript,    // children[0][children[1], ...]; a[i][j] is two Subscripts
    Slice,        // Python a:b:c, and a bare `:`; absent parts are Empty
    Tuple,        // Python (a, b) or a, b
    List,         // Python [a, b]
    Dictionary,   // Python {k: v}: children k, v, k, v ...
    Braces,       // C++ T{a, b}: children[0] is T (Empty for a bare {a, b})
    Unary,        // text "-" "+" "~" "!" "*" "&" "++" "--" "p++" "p--" (postfix) "not" "sizeof"
    Binary,       // text "+" "<<" "//" "&&" "and" "==" "<" "**" ","; a comparison chain is joined by "and"
    Conditional,  // children: condition, then, else
    Cast,         // children: Type or Name, operand; (T)x with text "", static_cast<T>(x) with text "static_cast".
                  // uint32_t(x) is a Call
    Lambda,       // parameters; children[0]: body, a Block (C++) or an expression (Python); text: C++ captures "&"
    Assign,       // text "=" "+=" "^=" ...; children: target, value; also an expression in C
    Type,         // text "unsigned int", "half *", "const Layout<A> &": a type that is not merely a Name; children[0]:
                  // the type that is qualified, Name half, if there is one
    Empty,        // an absent part
    Star,         // Python *x, **x; text "*" or "**"
    // Statements.
    Declare,    // type of children[0] (a Name or Type), text the variable, extents (tile[BM][BK + PAD], Empty for []),
                // children[1] the initial value or Empty. qualifiers: "constexpr const static __shared__ ..."
                // `Layout a(x)`: children[1] is Call [type, x]; `Layout a{x}`: Braces [type, x].
                // `int a = 1, b = 2;` is two Declares; `auto [a, b] = e`: text "[a, b]"
    Alias,      // using text = children[0]; decltype(e) gives e itself with qualifiers "decltype"
    Function,   // text the name ("operator()"), parameters, children[0] the body (Block); templateParameters;
                // children[1] the return type or Empty
    Struct,     // text the name, children: members; templateParameters; qualifiers "struct", "class", "union", "enum"
                // (members: Declares); extents: the base classes, a Name each
    Namespace,  // text, children
    Block,      // children: statements
    If,         // children: condition, then, else (or Empty); qualifiers "constexpr"
    For,        // C++: children: initial statement, condition, step, body. Python: target, iterable, body; text "in".
                // C++ for (auto x : e): Declare, iterable, body; text ":"
    While,      // children: condition, body; text "do" for do-while
    Switch,     // children: condition, Block; its labels are Case statements
    Case,       // children[0]: the value; none: default
    Return,     // children: at most one
    Break,
    Continue,
    Expression,  // children[0], as a statement
    Macro,       // #define text(parameters) children[0]; parameters absent: an object-like macro
    Directive,   // #pragma, #include, #if ..., import, @decorator: text; no meaning for layouts
    Opaque,      // text: what is not understood, as written, e.g. asm volatile(...), an unmatched `)`
  };
  struct Parameter {
    std::string name;
    std::string type;             // "int", "TensorCoord const &", "typename"; "" in Python
    std::vector<Tree> byDefault;  // at most one
    Span span;
  };

  Kind kind = Kind::Empty;
  Span span;
  std::string text;
  std::optional<i64> value;
  std::vector<Tree> children;
  std::vector<Tree> templateArguments;  // and for which `<>` was written: isTemplate
  bool isTemplate = false;
  std::vector<Tree> extents;
  std::vector<Parameter> parameters;
  std::vector<Parameter> templateParameters;
  std::string qualifiers;
  int height = 1;  // levels of nodes, this one included; a reader refuses more than kMostHeight in one expression
};
inline constexpr int kMostHeight = 300;

// The same tree; spans are not compared.
[[nodiscard]] bool sameTree(const Tree& a, const Tree& b);

// All statements of a text; the text may be a fragment: a lone expression, a declaration, statements, a function, a
// whole file. Never fails as a whole except beyond the limits.
[[nodiscard]] Result<std::vector<Tree>> readCpp(std::string_view text);
[[nodiscard]] Result<std::vector<Tree>> readPython(std::string_view text);
// One expression, all of the text; a Diag names the first thing that is not one.
[[nodiscard]] Result<Tree> readCppExpression(std::string_view text);
[[nodiscard]] Result<Tree> readPythonExpression(std::string_view text);
// In canonical spelling.
[[nodiscard]] std::string print(const Tree& tree, Language language);

// The name without namespaces and without `cute::`-like prefixes: "cute::make_layout" and Member make_layout
// [Name cute] give "make_layout". "" if the node is neither a Name nor a Member.
[[nodiscard]] std::string_view lastName(const Tree& tree);
// For a Call: lastName of what is called; "" otherwise.
[[nodiscard]] std::string_view calledName(const Tree& tree);

}  // namespace tessera::code
