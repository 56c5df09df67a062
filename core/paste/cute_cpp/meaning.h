// Meaning: what a piece of CuTe C++ denotes at compile time.
//
//     Int<16 * 4>             Number 64, static
//     Shape<_8, Int<N>>       Tuple of two Numbers; Unknown, asking for N, if N has no value
//     half_t                  Type "half_t"
//     Layout<Shape<_8>>{}     Layout, text "(_8):(_1)" in the language of the worksheet
//     Copy_Atom<SM75_U32x4_LDSM_N, half_t>      CopyAtom, text the operation, element "half_t"
//
// A type and a value of that type are one Meaning, since every CuTe type that denotes a layout has one value.
// Law: a value made from an Unknown is Unknown and asks the same questions.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/paste/paste.h"

namespace tessera::paste::cute_cpp {

struct Frame;

struct Meaning {
  enum class Kind : unsigned char {
    Unknown,    // asks; or refused, with the reason
    Number,     // number
    Leaf,       // of a tuple: text "?", "_", "1@0"
    Tuple,      // parts
    Type,       // text: the name of an element type
    Layout,     // text: an expression of the worksheet
    Tiled,      // the same, for a TiledMMA or TiledCopy
    Operation,  // text: an instruction, "SM80_16x8x16_F32F16F16F32_TN"
    CopyAtom,   // text: the instruction; element
    Word,       // text: a C++ name with a meaning for some function, "GMMA::Major::K"
    Scope,      // scope: a struct
    Pack        // parts: the arguments of a parameter pack
  };
  Kind kind = Kind::Unknown;
  i64 number = 0;
  bool isStatic = false;
  std::string text;
  std::string formula;  // Number: how it follows from a constant that the worksheet binds: "(kN / 8)"; "": it does not
  std::string element;
  std::vector<Meaning> parts;
  std::shared_ptr<Frame> scope;
  std::vector<Question> asks;
  std::optional<Diag> refused;

  [[nodiscard]] bool is(Kind k) const { return kind == k; }
};

[[nodiscard]] Meaning number(i64 value, bool isStatic);
[[nodiscard]] Meaning textual(Meaning::Kind kind, std::string text);
[[nodiscard]] Meaning tuple(std::vector<Meaning> parts);
// Unknown, with the questions of all.
[[nodiscard]] Meaning unknown(const std::vector<Meaning>& from);

// As an operand of a formula: "kN", "8", "(0 - 8)".
[[nodiscard]] std::string operandOf(const Meaning& number);
// The formula of a C++ operation; "" if no operand has one, or if the worksheet lacks the operation.
[[nodiscard]] std::string formulaOf(std::string_view op, const Meaning& a, const Meaning& b);
// condition ? a : b, both known, of which the condition selects `chosen`. Without a formula of the condition: `chosen`.
[[nodiscard]] Meaning chosenBy(const Meaning& condition, Meaning chosen, const Meaning& a, const Meaning& b);

// In the language of the worksheet: "_64", "(_8,_64)", "Atom". inTuple: a static integer has its underscore.
[[nodiscard]] std::string written(const Meaning& meaning, bool inTuple = true);
// "a tuple", "an element type": for messages.
[[nodiscard]] std::string_view nounOf(const Meaning& meaning);

// The element type by any name that CUTLASS, CUDA and FlashAttention use, in CUTLASS's spelling; nullopt: none.
[[nodiscard]] std::optional<std::string> elementName(std::string_view name);
[[nodiscard]] std::optional<int> bitsOf(const Meaning& type);

}  // namespace tessera::paste::cute_cpp
