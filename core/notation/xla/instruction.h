// One line of HLO as a shape dump: names, shapes, opcode. No meaning of operations (that is core/hlo's).
//
//     ROOT %fusion.3 = bf16[32,32]{1,0:T(8,128)(2,1)S(1)} fusion(bf16[32,64]{1,0} %fusion.32), kind=kCustom
//     name  %fusion.3; shape bf16[32,32]...; opcode fusion; operand %fusion.32 with its shape; attributes kind=kCustom
//
// Law: parseInstruction(print(x)) == x.
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
  std::optional<Shape> shape;  // when it is written in front of the name
  std::string text;            // %fusion.32, or what stands there (0, {1, 2})
  bool operator==(const Operand&) const = default;
};

struct Instruction {
  bool root = false;
  std::string name;  // as written, with its %; empty when the line begins with the shape
  Shape shape;
  std::string opcode;  // empty when the line ends after the shape
  std::vector<Operand> operands;
  std::string attributes;  // what follows the arguments, without the comma
  bool operator==(const Instruction&) const = default;

  // Every shape of the line with its name, the result first.
  [[nodiscard]] std::vector<std::pair<std::string, Shape>> namedShapes() const;
};

[[nodiscard]] Result<Instruction> parseInstruction(std::string_view text);
// The shape or the line that begins at the cursor (core/base/cursor.h): a line has a name with `=`, or an opcode and its
// arguments behind the shape. Attributes belong to it as long as `name=` follows a comma.
[[nodiscard]] Result<std::optional<std::variant<Shape, Instruction>>> parsePrefix(Cursor& in);
[[nodiscard]] std::string print(const Instruction& instruction);

}  // namespace tessera::xla
