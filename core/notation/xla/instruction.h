// One line of HLO as a shape dump: names, shapes, opcode. No meaning of operations (that is core/hlo's).
//
//     ROOT %fusion.3 = bf16[32,32]{1,0:T(8,128)(2,1)S(1)} fusion(bf16[32,64]{1,0} %fusion.32), kind=kCustom
//     name  %fusion.3; shape bf16[32,32]...; opcode fusion; operand %fusion.32 with its shape; attributes kind=kCustom
//
// Law: parseXlaInstruction(print(x)) == x.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/notation/xla/shape.h"

namespace tessera {

struct XlaOperand {
  std::optional<XlaShape> shape;  // when it is written in front of the name
  std::string text;               // %fusion.32, or what stands there (0, {1, 2})
  bool operator==(const XlaOperand&) const = default;
};

struct XlaInstruction {
  bool root = false;
  std::string name;  // as written, with its %; empty when the line begins with the shape
  XlaShape shape;
  std::string opcode;  // empty when the line ends after the shape
  std::vector<XlaOperand> operands;
  std::string attributes;  // what follows the arguments, without the comma
  bool operator==(const XlaInstruction&) const = default;

  // Every shape of the line with its name, the result first.
  [[nodiscard]] std::vector<std::pair<std::string, XlaShape>> namedShapes() const;
};

// A name and `=`, or a shape and an opcode.
[[nodiscard]] bool looksLikeXlaInstruction(std::string_view text);
[[nodiscard]] Result<XlaInstruction> parseXlaInstruction(std::string_view text);
[[nodiscard]] std::string print(const XlaInstruction& instruction);

}  // namespace tessera
