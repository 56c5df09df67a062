// Instruction: one line of HLO text with its names, shapes and opcode. The meaning of operations is in core/hlo.
//
//     ROOT %fusion.3 = bf16[32,32]{1,0:T(8,128)(2,1)S(1)} fusion(bf16[32,64]{1,0} %fusion.32), kind=kCustom
//     name  %fusion.3; shape bf16[32,32]...; opcode fusion; operand %fusion.32 with its shape; attributes kind=kCustom
//
// Law: parsePrefix of print(x) is x.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/cursor.h"
#include "core/notation/xla/shape.h"

namespace tessera::xla {

struct Operand {
  std::optional<Shape> shape;  // if written before the name
  std::string text;            // %fusion.32, or a literal (0, {1, 2})
  bool operator==(const Operand&) const = default;
};

struct Instruction {
  bool root = false;
  std::string name;  // as written, with its %; empty if the line begins with the shape
  Shape shape;
  std::string opcode;  // empty if the line ends after the shape
  std::vector<Operand> operands;
  std::string attributes;  // the text after the arguments, without the comma
  bool operator==(const Instruction&) const = default;

  // All shapes of the line with their names, the result first.
  [[nodiscard]] std::vector<std::pair<std::string, Shape>> namedShapes() const;
};

// The shape or line that begins at the cursor (core/base/cursor.h). A line has a name with `=`, or an opcode with
// arguments after the shape. Attributes continue while `name=` follows a comma.
[[nodiscard]] Result<std::optional<std::variant<Shape, Instruction>>> parsePrefix(Cursor& in);
[[nodiscard]] std::string print(const Instruction& instruction);

// The cursor for XLA's dialect, with // and /* */ comments, shared by the parsers of XLA text.
class Reader : public Cursor {
 public:
  explicit Reader(std::string_view text, std::size_t at = 0)
      : Cursor(text, {.lineComments = true, .blockComments = true, .plus = false}, at) {}
};

// One shape at the cursor.
[[nodiscard]] Result<Shape> readShape(Cursor& in);

}  // namespace tessera::xla
