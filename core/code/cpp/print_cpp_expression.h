// The canonical spelling of C++ expressions and types; the part of print_cpp.cpp below statements.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/code/tree.h"

namespace tessera::code {

// Precedences below and above those of binary operators, 0 to 11.
inline constexpr int kComma = -3, kAssign = -2, kConditional = -1, kUnary = 12, kPostfix = 13;

class CppExpressionPrinter {
 public:
  CppExpressionPrinter() = default;
  virtual ~CppExpressionPrinter() = default;
  CppExpressionPrinter(const CppExpressionPrinter&) = delete;
  CppExpressionPrinter& operator=(const CppExpressionPrinter&) = delete;

  std::string out;

  // In parentheses if it binds less tightly than `lowest`. inAngle: directly inside template arguments.
  void expression(const Tree& tree, int lowest, bool inAngle = false);
  [[nodiscard]] static bool isExpression(Tree::Kind kind);

 protected:
  void line(std::string_view text) { (out += text) += "\n"; }
  void list(const std::vector<Tree>& parts, std::size_t first, bool inAngle = false);
  void angles(const Tree& tree);
  void parameters(const std::vector<Tree::Parameter>& list);
  // { statements }: the body of a lambda.
  virtual void block(const std::vector<Tree>& statements, std::string_view end) = 0;

 private:
  void plain(const Tree& tree, bool inAngle);
  void name(const Tree& tree);
  void member(const Tree& tree);
  void bracketed(const Tree& tree, std::string_view open, std::string_view close);
  void unary(const Tree& tree);
  void binary(const Tree& tree, bool inAngle);
  void cast(const Tree& tree);
};

}  // namespace tessera::code
