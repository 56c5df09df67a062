// Shape: an XLA array type with its memory layout.
//
//     bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)S(1)}
//     ^type ^dimensions    ^m2m    ^tiles        ^memory space
//
// Minor to major lists the dimensions, fastest first: {1,0} is row-major, {0,1} column-major. A tile T(8,128) splits
// the physical (major to minor) dimensions into contiguous blocks; partial blocks are padded; further tiles split the
// resulting dimensions. address.h has the formula.
//
// Grammar (blanks and /* */ or // comments are allowed around every token):
//     shape  ::= type '[' dims ']' [layout] | token[] | opaque[] | '(' shapes ')' | 'b(' shape ')'
//     dim    ::= N | '<=' N (bound of a dynamic size) | '?' (no bound)
//     layout ::= '{' m2m [':' D(..) T(..)(..) L(n) #(type) *(type) E(n) S(n) SC(d:i,..) P(shape) M(n)] '}'
// The attributes have this order, each at most once. D is read and dropped; # * P belong to sparse arrays, which XLA no
// longer supports, and are refused with XLA's reason. A missing layout is row-major. A tile entry * merges its
// dimension with the next more minor one.
//
// Invariant: a Shape passes XLA's validator, and its slots and bytes fit in 63 bits. Where XLA aborts (negative or zero
// tiles, L(0), mismatched counts), the result is a Diag.
// Law: parseShape(print(x)) == x.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"

namespace tessera::xla {

// One of XLA's primitive types: a row of the table in shape.cpp.
struct Type {
  std::string_view name;  // "bf16"
  int bits = 0;           // per value: pred 1, s4 4, f8* 8 ...
  int byteWidth = 0;      // whole bytes per stored element, unless E(n) is given
  bool isUnsigned = false;
};
// nullptr if unknown. Types are lower case; token and opaque are kinds, not types.
[[nodiscard]] const Type* findType(std::string_view name);

struct Dim {
  i64 size = 0;            // the bound if dynamic
  bool dynamic = false;    // <=N
  bool unbounded = false;  // ?
  bool operator==(const Dim&) const = default;
};

inline constexpr i64 kCombine = -1;  // `*` in a tile
inline constexpr i64 kHostMemory = 5;

// SC(0:40,130) splits physical dimension 0 (the most major one) before its indices 40 and 130.
struct Split {
  i64 dim = 0;
  std::vector<i64> indices;
  bool operator==(const Split&) const = default;
};

struct Layout {
  std::vector<i64> minorToMajor;
  std::vector<std::vector<i64>> tiles;
  i64 tailAlignment = 1;  // L, in elements
  i64 elementBits = 0;    // E; 0: whole bytes
  i64 memorySpace = 0;    // S
  std::vector<Split> splits;
  i64 metadataPrefix = 0;  // M, in bytes
  bool operator==(const Layout&) const = default;
};

class Shape {
 public:
  enum class Kind : unsigned char { Array, Tuple, Buffer, Token, Opaque };

  Shape() = default;  // the empty tuple
  // A layout without a minor-to-major order gets the descending one.
  [[nodiscard]] static Result<Shape> array(std::string_view type, std::vector<Dim> dims, Layout layout = {});
  [[nodiscard]] static Result<Shape> array(std::string_view type, const std::vector<i64>& sizes, Layout layout = {});
  [[nodiscard]] static Shape tuple(std::vector<Shape> elements);
  [[nodiscard]] static Result<Shape> buffer(Shape array);
  [[nodiscard]] static Shape token() { return Shape(Kind::Token); }
  [[nodiscard]] static Shape opaque() { return Shape(Kind::Opaque); }

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool isArray() const { return kind_ == Kind::Array; }
  [[nodiscard]] const Type& type() const { return *type_; }  // Array
  [[nodiscard]] const std::vector<Dim>& dims() const { return dims_; }
  [[nodiscard]] std::vector<i64> sizes() const;  // bounds for dynamic dimensions
  [[nodiscard]] std::size_t rank() const { return dims_.size(); }
  [[nodiscard]] bool isUnbounded() const;  // some dimension is ?
  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] const std::vector<Shape>& elements() const { return elements_; }  // Tuple, Buffer (one)
  // The elements of a tuple, with those of its inner tuples in place of them; 1 for anything else.
  //
  //     (f32[2], (f32[3], token[]))     leaves() == 3;  leaf(1) is f32[3];  firstLeaf(1) == 1
  [[nodiscard]] std::size_t leaves() const;
  // Requires: k < leaves().
  [[nodiscard]] const Shape& leaf(std::size_t k) const;
  // The number of leaves before that element of a tuple.
  [[nodiscard]] std::size_t firstLeaf(std::size_t element) const;
  // All arrays inside, in order: the shape itself, or those of the tuple.
  [[nodiscard]] std::vector<const Shape*> arrays() const;
  // Bits per element in memory: E, or the type's whole bytes.
  [[nodiscard]] i64 storedBits() const;

  bool operator==(const Shape&) const = default;

 private:
  explicit Shape(Kind kind) : kind_(kind) {}

  Kind kind_ = Kind::Tuple;
  const Type* type_ = nullptr;
  std::vector<Dim> dims_;
  Layout layout_;
  std::vector<Shape> elements_;
  std::vector<std::size_t> ends_;  // of a tuple with inner tuples: leaves up to and including each element
};

// A validator message and the part of the shape that it is about, so that the parser can point at it.
struct Fault {
  enum class Part : unsigned char { Whole, Dim, Order, Tile, Tail, ElementBits, Space, Split, Metadata };
  Diag diag;
  Part part = Part::Whole;
  std::size_t index = 0;
};
// XLA's ValidateLayoutForShape, its CHECKs, and the sizes; nullopt if valid.
[[nodiscard]] std::optional<Fault> check(const Type& type, const std::vector<Dim>& dims, const Layout& layout);

[[nodiscard]] Result<Shape> parseShape(std::string_view text);
// As XLA's HumanStringWithLayout: defaults omitted, /*index=5*/ before every fifth element of a tuple.
[[nodiscard]] std::string print(const Shape& shape);
// "{3,2,0,1:T(8,128)(2,1)S(1)}"; empty for a scalar with defaults.
[[nodiscard]] std::string print(const Layout& layout);
// "HBM", "VMEM (on TPU)", "host" ...: the meaning of S(n).
[[nodiscard]] std::string memorySpaceName(i64 space);
// The dimension letters of XLA's documents: x; y x; z y x; p z y x; above four, d0, d1 ...
[[nodiscard]] std::vector<std::string> dimensionNames(std::size_t rank);

}  // namespace tessera::xla
