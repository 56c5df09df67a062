// ComposedLayout: `A o offset o B`, the function c -> A(offset + B(c)). CuTe's swizzled layouts and its tensors.
//
//     Sw<3,3,3> o 0 o (8,64):(64,1)              the swizzle acts on the element index; 0 may be omitted
//     Sw<3,4,3> o smem_ptr[16b](unset) o (...)   the swizzle acts on byte addresses, the layout counts 16-bit elements
//     (4,5):(1,4) o 2 o (2,3):(1,2)              affine outer layout: outer(2 + inner(c))
//     S<3,4,3> o 0 o (8,64):(64,1)               CuTe DSL's form: the swizzle acts on bytes, the layout counts elements
//                                                of an unspecified type
//     smem_ptr[16b](0x400) o (8,64):(64,1)       a tensor: an engine and a layout, no outer function
//
//     Sw<1,0,2> o 0 o (2,4):(4,1):   0 1 2 3     row 1 is xored with 1: 5 4 7 6
//                                    5 4 7 6
//
// Law: at(c) == A(offset + B(c)); with an engine, addresses count elements of its width: swizzle(bytes) / elementBytes.
// toMap(X) is that function as a Map. A pointer's address is a run-time value and not part of the function: values are
// relative to it (under a swizzle, to the start of the swizzle period that contains it). It is not a Layout, because
// strides do not describe it. The algebra operates on B and keeps A and the offset, or refuses.
//
// Why one type for swizzled layouts and tensors: a tensor is "engine o layout", the same three parts with another A.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "core/base/result.h"
#include "core/notation/cute/int_tuple.h"
#include "core/notation/cute/layout.h"
#include "core/notation/cute/swizzle.h"

namespace tessera::cute {

// The pointer or iterator of a tensor, or the `smem_ptr[16b](unset)` of a swizzle atom.
struct Engine {
  enum class Kind : unsigned char { None, Smem, Gmem, Raw, Tmem, Subbyte, Counting, Arith, Dsl };
  Kind kind = Kind::None;
  int elementBits = 0;           // 0: unspecified
  std::string text = {};         // as written, blanks normalised: "smem_ptr[16b](0x400)"; Dsl: the text before ` o `
  std::string closing = {};      // Dsl: the text after the layout: ">" or ", data=...)"
  std::string memorySpace = {};  // "smem" "gmem" "reg" "tmem" "subbyte" or the DSL's word
  bool bound = false;            // the address is known
  i64 address = 0;               // bytes; Subbyte: elements; Tmem: (lane << 16) + column; Counting: the first value
  bool operator==(const Engine&) const = default;
};

class ComposedLayout {
 public:
  using Outer = std::variant<std::monostate, Swizzle, Layout>;

  // Requires an outer function or an engine. A Diag if the swizzle cannot be recast to the element width.
  [[nodiscard]] static Result<ComposedLayout> make(Outer outer, IntTuple offset, Layout inner, Engine engine = {});

  [[nodiscard]] const Outer& outer() const { return outer_; }
  [[nodiscard]] const Swizzle* swizzle() const { return std::get_if<Swizzle>(&outer_); }
  [[nodiscard]] const Layout* outerLayout() const { return std::get_if<Layout>(&outer_); }
  [[nodiscard]] bool isTensor() const { return outer_.index() == 0; }
  [[nodiscard]] const IntTuple& offset() const { return offset_; }  // _0 if there is an engine instead
  [[nodiscard]] const Engine& engine() const { return engine_; }
  [[nodiscard]] const Layout& inner() const { return inner_; }
  [[nodiscard]] const IntTuple& shape() const { return inner_.shape(); }

  // Whether this is S<B,M,S> over elements of unknown type: its shape is known, its values are not.
  [[nodiscard]] bool needsElementType() const;
  // Why such a layout has no values, and how to specify the type.
  [[nodiscard]] Diag elementTypeMissing() const;
  // The layout for elements of this width: S<3,4,3> o 0 o L over 16 bits is Sw<3,3,3> o 0 o L. Unchanged if the layout
  // needs no type; a Diag if it specifies another width.
  [[nodiscard]] Result<ComposedLayout> withElements(int bits) const;

  // The swizzle on element indices (smem_ptr forms: recast from bytes); the identity if there is none. Requires
  // !needsElementType(); elementOffset() is a Diag then.
  [[nodiscard]] Swizzle elementSwizzle() const { return elementSwizzle_; }
  // What is added to B(c) before A, in elements. Integer offsets only.
  [[nodiscard]] Result<i64> elementOffset() const;
  // "0x7f2d00000400": the address of a pointer, not included in values; "" if there is none.
  [[nodiscard]] std::string baseAddress() const;

  // A(offset + B(c)): an integer, or a tuple if the inner layout has basis strides and there is no outer function.
  [[nodiscard]] Result<IntTuple> crd2idx(const IntTuple& coord) const;

  bool operator==(const ComposedLayout&) const = default;

 private:
  ComposedLayout(Outer outer, IntTuple offset, Layout inner, Engine engine, Swizzle elementSwizzle)
      : outer_(std::move(outer)),
        offset_(std::move(offset)),
        inner_(std::move(inner)),
        engine_(std::move(engine)),
        elementSwizzle_(elementSwizzle) {}
  Outer outer_;
  IntTuple offset_;
  Layout inner_;
  Engine engine_;
  Swizzle elementSwizzle_;
};

// Canonical text, with the offset: "Sw<3,3,3> o 0 o (8,64):(64,1)", "smem_ptr[16b](0x400) o (8,64):(64,1)".
[[nodiscard]] std::string print(const ComposedLayout& layout);
// Every composed and tensor form; `Sw<3,3,3> o (64,64):(64,1)` without an offset means offset 0.
[[nodiscard]] Result<ComposedLayout> parseComposedLayout(std::string_view text);

}  // namespace tessera::cute
