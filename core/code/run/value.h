// Value: what an expression of index code is worth: a number over the coordinates, a place in an array, a tuple.
//
//     row * 64 + col                 Number     d0 * 64 + d1, int
//     &As[row][col]                  Pointer    array As, element d0 * 72 + d1
//     As[row][col]                   the same with `isPlace`: it is loaded or stored when it is used
//     int2{r, c}, return r, c        Tuple      names x, y; none
//     [&](int i) { ... }             Function
//     half, T                        Type
//     coord, stride_[0]              Unbound    a name that the text does not define; coord.x is one, too
//     a float, a loaded element      Data       no index; `text` says why
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/code/run/arithmetic.h"
#include "core/code/tree.h"

namespace tessera::code {

struct Scope;

struct Value {
  enum class Kind : unsigned char { None, Number, Pointer, Tuple, Function, Type, Unbound, Data };
  Kind kind = Kind::None;
  Number number;
  Type type;  // Type; of Data and Unbound: the declared type; of a Pointer: what it points to
  // Pointer: `offset` steps of `unit` bits from the beginning of an array; unit 0: elements of unknown size.
  int array = -1;
  Expr offset;
  int unit = 0;
  bool isPlace = false;
  std::vector<i64> extents;  // of the array that is at the place: {64} for tile[3] of tile[32][64]
  // Tuple.
  std::vector<Value> elements;
  std::vector<std::string> names;  // of the elements, or empty
  const Tree* tree = nullptr;      // Function: a Function, Lambda or Macro; Tuple: the Struct
  Scope* closure = nullptr;        // Function: where its other names are
  std::string text;
  Span span;

  [[nodiscard]] bool is(Kind k) const { return kind == k; }
};

[[nodiscard]] Value numberValue(Number number);
[[nodiscard]] Value constantValue(i64 value, const Type& type);
[[nodiscard]] Value dataValue(std::string why, Type type = {});
[[nodiscard]] Value tupleValue(std::vector<Value> elements, std::vector<std::string> names = {});
[[nodiscard]] Value typeValue(Type type);

// Names of a block, and the block around it.
struct Scope {
  std::map<std::string, Value, std::less<>> names;
  Scope* outer = nullptr;

  [[nodiscard]] Value* find(std::string_view name);
};

// What the user gives: constants, types and extents of arrays (with), and coordinates (over). Names are text as it
// occurs in the code, without blanks: "TileShape::kContiguous", "stride_[0]", "coord.contiguous()".
struct Given {
  struct Constant {
    std::string name;
    std::vector<i64> numbers;  // one: a number; several: extents of an array, components of a vector
    bool isTuple = false;
    std::optional<Type> type;  // T = bf16
    bool operator==(const Constant&) const = default;
  };
  struct Coordinate {
    std::string name;  // "" by position
    i64 extent = 1;
    bool operator==(const Coordinate&) const = default;
  };
  std::vector<Constant> constants;
  std::vector<Coordinate> over;
  bool loops = false;  // the variables of independent loops are coordinates too: nothing is given in `over`

  [[nodiscard]] const Constant* find(std::string_view name) const;
  bool operator==(const Given&) const = default;
};
// "8", "(256, 1, 1)", "[32, 32]", "bf16".
[[nodiscard]] Result<Given::Constant> constantOf(std::string_view name, std::string_view value);
[[nodiscard]] std::string withoutBlanks(std::string_view text);

}  // namespace tessera::code
