// The recursive-descent parser of text.h. Each function reads one construct and leaves the cursor after it, or returns
// a Diag with the span of the offending bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/cursor.h"
#include "core/notation/cute/text/text.h"

namespace tessera::cute {

class Parser {
 public:
  explicit Parser(std::string_view text, std::size_t at = 0) : cur_(text, {.scopes = true, .hex = true}, at) {
    spans_.reserve(8);
  }

  Cursor& cursor() { return cur_; }
  Result<Value> chain();  // part {o part}
  Result<Value> part();   // element, or a standalone form: swizzle, pointer, MLIR, DSL tensor
  Result<void> expectEnd();
  // The literal that begins here (parser_literal.cpp); nullopt, without moving the cursor, if there is none.
  Result<std::optional<Value>> literal();

 private:
  bool atKnownWord();
  bool atPlainLeaf();
  std::optional<i64> bareNumber();
  Result<std::optional<IntTuple>> plainTuple();
  Result<std::optional<Value>> tupleOrLayout();
  Result<std::vector<Value>> literalPart();

  Result<Value> element();  // integer, tuple, layout, tiler
  Result<Value> bare();     // element without a `:stride`
  Result<Value> list(char open, char close, std::string_view separators, bool tuples);
  Result<Value> strideOf(const Value& shape, Span shapeSpan, std::size_t firstSpan);
  Result<Layout> layoutAt(IntTuple shape, IntTuple stride, Span shapeSpan, Span strideSpan, std::size_t shapeFirst,
                          std::size_t strideFirst);
  Result<IntTuple> leaf();
  Result<IntTuple> unknownLeaf();
  Result<IntTuple> withBasis(IntTuple value, std::size_t begin);
  Result<i64> integer();  // [-+]digits or 0x..
  Result<Value> word();
  Result<Value> typeOrCall(std::string_view name, std::size_t begin);
  Result<Value> layoutType(std::size_t begin, char close);
  Result<Value> composedType(std::size_t begin);
  Result<IntTuple> constantType(std::size_t begin);
  Result<IntTuple> basisType(std::size_t begin, bool leadingValue);
  Result<Swizzle> swizzleOf(const std::vector<i64>& values, std::size_t begin);
  Result<Swizzle> swizzleArguments(std::size_t begin);
  Result<Swizzle> pycuteSwizzle(std::size_t begin);
  Result<Engine> engine(std::string_view name, std::size_t begin);
  Result<Value> mlir();
  Result<Value> dslTensor(std::size_t begin);
  static Result<std::optional<Swizzle>> swizzleOfPointer(std::string_view text);
  void skipBraces();        // {} after C++ values
  bool skipRuntimeTypes();  // unsigned long; whether there are any
  Diag expected(std::string what);

  Cursor cur_;
  const int outer_ = Nesting::levels();
  bool inStep_ = false;      // in Step<...>, where X is `_`
  std::vector<Span> spans_;  // of the leaves read so far, in order
};

// The width of the first type name (f32, bf16, i8) in an MLIR or DSL text; 0 if there is none.
[[nodiscard]] int bitsNamedIn(std::string_view text);

}  // namespace tessera::cute
