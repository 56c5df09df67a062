// Shape: an array as XLA writes it, with its layout in memory.
//
//     bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)S(1)}
//     ^type ^dimensions    ^m2m    ^tiles        ^memory space
//
// Minor to major lists the dimensions from the one that varies fastest: {1,0} is row-major, {0,1} column-major.
// A tile T(8,128) cuts the physical (major to minor) dimensions into blocks that lie together; a partial block is
// padded to a whole one; the tiles after it cut the dimensions that the first made. address.h has the formula.
//
// Grammar (every token may have blanks, /* */ or // comments around it):
//     shape  ::= type '[' dims ']' [layout] | token[] | opaque[] | '(' shapes ')' | 'b(' shape ')'
//     dim    ::= N | '<=' N (bound of a dynamic size) | '?' (no bound)
//     layout ::= '{' m2m [':' D(..) T(..)(..) L(n) #(type) *(type) E(n) S(n) SC(d:i,..) P(shape) M(n)] '}'
// in this order, each at most once. D is read and dropped; # * P belong to sparse arrays, which XLA no longer has, and
// are refused with XLA's reason. A missing layout is the row-major one.
// A tile entry * merges its dimension with the next more minor one.
//
// Invariant: a Shape passes XLA's own validator, and its slots and bytes fit in 63 bits. Where XLA aborts (negative
// or zero tiles, L(0), counts that do not match) there is a Diag.
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
  int bits = 0;           // of a value: pred 1, s4 4, f8* 8 ...
  int byteWidth = 0;      // of a stored element unless E(n) says otherwise: a whole number of bytes
  bool isUnsigned = false;
};
// nullptr when there is none. Types are lower case; token and opaque are kinds, not types.
[[nodiscard]] const Type* findType(std::string_view name);
[[nodiscard]] std::vector<std::string_view> typeNames();

struct Dim {
  i64 size = 0;            // the bound when dynamic
  bool dynamic = false;    // <=N
  bool unbounded = false;  // ?
  bool operator==(const Dim&) const = default;
};

inline constexpr i64 kCombine = -1;  // `*` in a tile
inline constexpr i64 kHostMemory = 5;

// SC(0:40,130): physical dimension 0 (the most major) is cut before its indices 40 and 130.
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
  // A layout with no minor-to-major order gets the descending one when there are dimensions.
  [[nodiscard]] static Result<Shape> array(std::string_view type, std::vector<Dim> dims, Layout layout = {});
  [[nodiscard]] static Result<Shape> array(std::string_view type, const std::vector<i64>& sizes, Layout layout = {});
  [[nodiscard]] static Shape tuple(std::vector<Shape> elements);
  [[nodiscard]] static Result<Shape> buffer(Shape array);
  [[nodiscard]] static Shape token();
  [[nodiscard]] static Shape opaque();

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool isArray() const { return kind_ == Kind::Array; }
  [[nodiscard]] const Type& type() const { return *type_; }  // Array
  [[nodiscard]] const std::vector<Dim>& dims() const { return dims_; }
  [[nodiscard]] std::vector<i64> sizes() const;  // bounds for dynamic dimensions
  [[nodiscard]] std::size_t rank() const { return dims_.size(); }
  [[nodiscard]] bool isUnbounded() const;  // some dimension is ?
  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] const std::vector<Shape>& elements() const { return elements_; }  // Tuple, Buffer (one)
  // Every array inside, in order: itself, or those of the tuple.
  [[nodiscard]] std::vector<const Shape*> arrays() const;
  // What one element takes in memory, in bits: E, or the type's whole bytes.
  [[nodiscard]] i64 storedBits() const;

  bool operator==(const Shape&) const = default;

 private:
  Kind kind_ = Kind::Tuple;
  const Type* type_ = nullptr;
  std::vector<Dim> dims_;
  Layout layout_;
  std::vector<Shape> elements_;
};

// Which piece of the shape a validator's message is about, so that the parser can point at it.
struct Fault {
  enum class Part : unsigned char { Whole, Type, Dim, Order, Tile, Tail, ElementBits, Space, Split, Metadata };
  Diag diag;
  Part part = Part::Whole;
  std::size_t index = 0;
};
// XLA's ValidateLayoutForShape, its CHECKs, and the sizes; nullopt when all is well.
[[nodiscard]] std::optional<Fault> check(const Type& type, const std::vector<Dim>& dims, const Layout& layout);

[[nodiscard]] Result<Shape> parseShape(std::string_view text);
// As XLA's HumanStringWithLayout: every default left out, /*index=5*/ before every fifth element of a tuple.
[[nodiscard]] std::string print(const Shape& shape);
// "{3,2,0,1:T(8,128)(2,1)S(1)}", empty for a scalar with nothing to say.
[[nodiscard]] std::string print(const Layout& layout);
// "HBM", "VMEM (on TPU)", "host" ...: what S(n) stands for.
[[nodiscard]] std::string memorySpaceName(i64 space);
// The letters that XLA's documents give the dimensions: y x, z y x, p z y x; d0 ... beyond four; x alone for one.
[[nodiscard]] std::vector<std::string> dimensionNames(std::size_t rank);

}  // namespace tessera::xla
