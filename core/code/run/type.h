// Type: a type of C, C++, CUDA or HIP as far as index code needs it: integers with their width and sign, and the size
// of every other type.
//
//     typeNamed("unsigned int")     an unsigned integer of 32 bits          typeNamed("half2")     2 lanes of half
//     typeNamed("size_t")           an unsigned integer of 64 bits          typeNamed("float4")    4 lanes of float
//
// Python's integers have no width: bits 0.
// Laws: as on the GPU's host, LP64: int 32, long 64, char signed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/types.h"

namespace tessera::code {

struct Type {
  enum class Kind : unsigned char {
    Unknown,  // a name that no one declares; size 0
    Integer,  // bits, isSigned; bits 0: Python's
    Bool,
    Data,  // float, half, a struct: a value of it is no index; bits 0 if its size is not known
    Void,
  };
  Kind kind = Kind::Unknown;
  int bits = 0;  // of one lane
  bool isSigned = true;
  int lanes = 1;     // half2: 2
  int pointers = 0;  // half *: 1
  std::string name;  // of one lane, for messages: "half"

  [[nodiscard]] bool isInteger() const {
    return pointers == 0 && lanes == 1 && (kind == Kind::Integer || kind == Kind::Bool);
  }
  // Of all lanes; 0: unknown.
  [[nodiscard]] i64 size() const { return pointers > 0 ? 64 : i64{bits} * lanes; }
  [[nodiscard]] Type pointee() const;
  [[nodiscard]] Type lane() const;
  bool operator==(const Type&) const = default;
};

[[nodiscard]] Type integerType(int bits, bool isSigned);
[[nodiscard]] Type unboundedInteger();  // Python's
[[nodiscard]] Type boolType();
[[nodiscard]] inline Type intType() { return integerType(32, true); }
// A known type, with or without const, &, * and namespaces; nullopt for another name.
[[nodiscard]] std::optional<Type> typeNamed(std::string_view name);
[[nodiscard]] std::string print(const Type& type);

// Of an integer type.
[[nodiscard]] i64 leastOf(const Type& type);
[[nodiscard]] i64 mostOf(const Type& type);  // saturates at 2^63-1
// C's conversions: of one operand to at least int, and of two to a common type.
[[nodiscard]] Type promoted(const Type& type);
[[nodiscard]] Type commonType(const Type& a, const Type& b);

}  // namespace tessera::code
