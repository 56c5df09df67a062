// Item: a value of pasted Python, as far as layouts need it.
//
//     4 * 16             Integer 64
//     (8, [2, BK])       Tuple (8, (2, 32)), with BK = 32
//     cutlass.Float16    Type f16
//     cute.make_layout((4, 8))    Text "make_layout((4, 8))": an expression of the worksheet
//     warp.MmaF16BF16Op(...)      Object "MmaF16BF16Op" with its arguments
//     kBlockM            Missing: nothing defines it. It counts as 1 and carries a question
//
// Law: an item's questions are those of all items that it was computed from.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"
#include "core/paste/paste.h"

namespace tessera::paste::python {

struct Item {
  enum class Kind : unsigned char { None, Integer, Tuple, String, Type, Text, Object, Missing };

  Kind kind = Kind::None;
  i64 integer = 0;
  std::string text = {};            // String, Type, Text; Object: what was called; Missing: its name
  std::vector<Item> elements = {};  // Tuple; Object: positional arguments
  std::vector<std::pair<std::string, Item>> fields = {};  // Object: keyword arguments
  std::vector<Question> questions = {};
  bool wanted = false;  // Missing, where a layout is expected: asked for even if nothing uses it

  static Item number(i64 value) { return {.kind = Kind::Integer, .integer = value}; }
  static Item tuple(std::vector<Item> elements);
  static Item expression(std::string text) { return {.kind = Kind::Text, .text = std::move(text)}; }
  static Item type(std::string text) { return {.kind = Kind::Type, .text = std::move(text)}; }

  [[nodiscard]] bool is(Kind other) const { return kind == other; }
  [[nodiscard]] bool isMissing() const { return kind == Kind::Missing; }
  // An integer, a string, a tuple ... of the text itself: no worksheet expression in it.
  [[nodiscard]] bool isConstant() const;
  [[nodiscard]] const Item* field(std::string_view name) const;
  // The same item with the other's questions, too.
  [[nodiscard]] Item with(const Item& other) &&;
};

// In the worksheet language: (8, (2, 32)), f16, `_` for None.
[[nodiscard]] Result<std::string> worksheetText(const Item& item);
// An integer, or 1 for what is missing; a Diag that begins with `what`.
[[nodiscard]] Result<i64> integerOf(const Item& item, std::string_view what);
// A tuple or list of integers; one integer is a tuple of it.
[[nodiscard]] Result<std::vector<i64>> integersOf(const Item& item, std::string_view what);
// The bits of Float16, float16, f16, "float16", fp16, torch.half ...; nullopt: no such type.
[[nodiscard]] std::optional<int> bitsOfType(std::string_view name);
// The worksheet's word: f16, bf16, e4m3, s8 ...; "" for an unknown name.
[[nodiscard]] std::string_view wordOfType(std::string_view name);

// Python's operators. Integers and tuples are computed; with a worksheet expression the result is one.
[[nodiscard]] Result<Item> binary(std::string_view operation, const Item& a, const Item& b);
[[nodiscard]] Result<Item> unary(std::string_view operation, const Item& a);
// What Python treats as true; nullopt: not known.
[[nodiscard]] std::optional<bool> truth(const Item& item);

}  // namespace tessera::paste::python
