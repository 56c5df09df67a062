#include "core/code/cpp/print_cpp_expression.h"

#include <array>

#include "core/base/work.h"

namespace tessera::code {

namespace {

using Kind = Tree::Kind;

// As in read_cpp_expression.cpp.
int precedenceOf(const Tree& tree) {
  constexpr std::array<std::pair<std::string_view, int>, 21> kBinary = {
      {{",", kComma}, {"||", 0}, {"&&", 1}, {"|", 2},  {"^", 3},  {"&", 4},   {"==", 5},
       {"!=", 5},     {"<", 6},  {">", 6},  {"<=", 6}, {">=", 6}, {"<=>", 7}, {"<<", 8},
       {">>", 8},     {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10},  {"->*", 11}}};
  switch (tree.kind) {
    case Kind::Binary:
      for (const auto& [text, precedence] : kBinary)
        if (tree.text == text) return precedence;
      return 11;
    case Kind::Assign:
      return kAssign;
    case Kind::Conditional:
      return kConditional;
    case Kind::Cast:
      return tree.text.empty() ? kUnary : kPostfix;
    case Kind::Unary:
      return tree.text == "p++" || tree.text == "p--" ? kPostfix : kUnary;
    case Kind::Lambda:
      return kPostfix;
    default:
      return kPostfix + 1;
  }
}

}  // namespace

void CppExpressionPrinter::expression(const Tree& tree, int lowest, bool inAngle) {
  spend();
  // A `>` would close the template arguments, and a `<` open some.
  const bool compares =
      inAngle && tree.kind == Kind::Binary && (tree.text == ">" || tree.text == ">>" || tree.text == "<");
  const bool parentheses = precedenceOf(tree) < lowest || compares;
  if (parentheses) out += "(";
  plain(tree, inAngle && !parentheses);
  if (parentheses) out += ")";
}

bool CppExpressionPrinter::isExpression(Kind kind) {
  return kind < Kind::Empty || kind == Kind::Empty || kind == Kind::Star;
}

void CppExpressionPrinter::list(const std::vector<Tree>& parts, std::size_t first, bool inAngle) {
  for (std::size_t i = first; i < parts.size(); ++i) {
    if (i > first) out += ", ";
    expression(parts[i], kAssign, inAngle);
  }
}

void CppExpressionPrinter::angles(const Tree& tree) {
  if (!tree.isTemplate) return;
  out += "<";
  list(tree.templateArguments, 0, true);
  out += ">";
}

void CppExpressionPrinter::plain(const Tree& tree, bool inAngle) {
  switch (tree.kind) {
    case Kind::String:
      ((out += '"') += tree.text) += '"';
      return;
    case Kind::Name:
      name(tree);
      return;
    case Kind::Member:
      member(tree);
      return;
    case Kind::Call:
      bracketed(tree, "(", ")");
      return;
    case Kind::Subscript:
      bracketed(tree, "[", "]");
      return;
    case Kind::Braces:
      bracketed(tree, "{", "}");
      return;
    case Kind::Launch:
      expression(tree.children[0], kPostfix);
      out += "<<<";
      list(tree.children, 1, true);
      out += ">>>";
      return;
    case Kind::Keyword:
      ((out += ".") += tree.text) += " = ", expression(tree.children[0], kAssign);
      return;
    case Kind::Unary:
      unary(tree);
      return;
    case Kind::Binary:
      binary(tree, inAngle);
      return;
    case Kind::Conditional:
      expression(tree.children[0], 0, inAngle);
      out += " ? ";
      expression(tree.children[1], kAssign, inAngle);
      out += " : ";
      expression(tree.children[2], kAssign, inAngle);
      return;
    case Kind::Cast:
      cast(tree);
      return;
    case Kind::Lambda:
      ((out += "[") += tree.text) += "](";
      parameters(tree.parameters);
      out += ") ";
      block(tree.children[0].children, "");
      return;
    case Kind::Assign:
      expression(tree.children[0], kConditional, inAngle);
      ((out += " ") += tree.text) += " ";
      expression(tree.children[1], kAssign, inAngle);
      return;
    case Kind::Empty:
      return;
    default:
      out += tree.text;
  }
}

void CppExpressionPrinter::name(const Tree& tree) {
  if (!tree.children.empty()) {
    expression(tree.children[0], kPostfix);
    out += "::";
  }
  const std::size_t last = tree.text.rfind("::");
  if (tree.isTemplate && last != std::string::npos && last > 0) {
    out += tree.text.substr(0, last + 2) + "template " + tree.text.substr(last + 2);
  } else {
    if (tree.isTemplate && !tree.children.empty()) out += "template ";
    out += tree.text;
  }
  angles(tree);
}

void CppExpressionPrinter::member(const Tree& tree) {
  expression(tree.children[0], kPostfix);
  out += tree.qualifiers == "->" ? "->" : ".";
  if (tree.isTemplate) out += "template ";
  out += tree.text;
  angles(tree);
}

void CppExpressionPrinter::bracketed(const Tree& tree, std::string_view open, std::string_view close) {
  expression(tree.children[0], kPostfix);
  out += open;
  list(tree.children, 1);
  out += close;
}

void CppExpressionPrinter::unary(const Tree& tree) {
  const Tree& operand = tree.children[0];
  if (tree.text == "...") return expression(operand, kPostfix), void(out += "...");
  if (tree.text == "p++" || tree.text == "p--") {
    expression(operand, kPostfix);
    out += tree.text.substr(1);
  } else if (tree.text.size() > 2) {
    (out += tree.text) += "(";
    expression(operand, kComma);
    out += ")";
  } else {
    out += tree.text;
    const std::size_t at = out.size();
    expression(operand, kUnary);
    // - -x
    if (at < out.size() && out[at] == tree.text.back()) out.insert(at, " ");
  }
}

void CppExpressionPrinter::binary(const Tree& tree, bool inAngle) {
  const int precedence = precedenceOf(tree);
  expression(tree.children[0], precedence, inAngle);
  if (tree.text != ",") out += " ";
  out += tree.text;
  out += " ";
  expression(tree.children[1], precedence + 1, inAngle);
}

void CppExpressionPrinter::cast(const Tree& tree) {
  if (tree.text.empty()) {
    out += "(";
    expression(tree.children[0], kComma);
    out += ")";
    expression(tree.children[1], kUnary);
    return;
  }
  (out += tree.text) += "<";
  expression(tree.children[0], kAssign, true);
  out += ">(";
  expression(tree.children[1], kAssign);
  out += ")";
}

void CppExpressionPrinter::parameters(const std::vector<Tree::Parameter>& list) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out += ", ";
    const std::string& type = list[i].type;
    const std::size_t array = type.empty() || type.back() != ']' ? std::string::npos : type.find('[');
    out += type.substr(0, array);
    if (!list[i].name.empty() && !type.empty()) out += " ";
    out += list[i].name;
    if (array != std::string::npos) out += type.substr(array);
    if (!list[i].byDefault.empty()) out += " = ", expression(list[i].byDefault[0], kAssign, true);
  }
}

}  // namespace tessera::code
