#include "core/code/cpp/print_cpp.h"

#include <utility>

#include "core/base/work.h"
#include "core/code/cpp/print_cpp_expression.h"

namespace tessera::code {

namespace {

using Kind = Tree::Kind;

class CppPrinter : public CppExpressionPrinter {
 public:
  void statement(const Tree& tree) {
    spend();
    templateHead(tree);
    switch (tree.kind) {
      case Kind::Declare:
        declare(tree, false), line(";");
        break;
      case Kind::Alias:
        alias(tree);
        break;
      case Kind::Function:
        function(tree);
        break;
      case Kind::Struct:
        structure(tree);
        break;
      case Kind::Namespace:
        (out += "namespace ") += tree.text + " ", block(tree.children, "\n");
        break;
      case Kind::Block:
        block(tree.children, "\n");
        break;
      case Kind::If:
        conditional(tree);
        break;
      case Kind::For:
        loop(tree);
        break;
      case Kind::While:
        whileLoop(tree);
        break;
      case Kind::Switch:
        out += "switch (", inHead(tree.children[0]), out += ") ", statement(tree.children[1]);
        break;
      case Kind::Case:
        label(tree);
        break;
      case Kind::Return:
        returned(tree);
        break;
      case Kind::Break:
        line("break;");
        break;
      case Kind::Continue:
        line("continue;");
        break;
      case Kind::Expression:
        expression(tree.children[0], kComma), line(";");
        break;
      case Kind::Macro:
        macro(tree);
        break;
      case Kind::Directive:
        out += tree.text;
        line(tree.text.empty() || tree.text[0] == '#' || tree.text.back() == ':' ? "" : ";");
        break;
      case Kind::Opaque:
        line(tree.text);
        break;
      case Kind::Empty:
        line(";");
        break;
      default:
        expression(tree, kComma), line(";");
    }
  }

 private:
  void templateHead(const Tree& tree) {
    if (tree.templateParameters.empty()) return;
    out += "template <";
    parameters(tree.templateParameters);
    out += "> ";
  }

  void words(const std::string& qualifiers) {
    if (!qualifiers.empty()) (out += qualifiers) += " ";
  }

  // following: a later declarator of `int i = 0, j = 0`.
  void declare(const Tree& tree, bool following) {
    const Tree& type = tree.children[0];
    if (!following) {
      words(tree.qualifiers);
      if (type.kind != Kind::Empty) expression(type, kAssign), out += " ";
    }
    out += tree.text;
    for (const Tree& extent : tree.extents) {
      out += "[";
      expression(extent, kComma);
      out += "]";
    }
    const Tree& value = tree.children[1];
    const bool constructs = (value.kind == Kind::Call || value.kind == Kind::Braces) && !value.children.empty() &&
                            value.children[0].kind != Kind::Empty && sameTree(value.children[0], type);
    if (value.kind == Kind::Empty) return;
    if (constructs) {
      out += value.kind == Kind::Call ? "(" : "{";
      list(value.children, 1);
      out += value.kind == Kind::Call ? ")" : "}";
    } else {
      out += " = ";
      expression(value, kAssign);
    }
  }

  void alias(const Tree& tree) {
    ((out += "using ") += tree.text) += " = ";
    if (tree.qualifiers == "decltype") out += "decltype(";
    expression(tree.children[0], kAssign);
    if (tree.qualifiers == "decltype") out += ")";
    line(";");
  }

  void function(const Tree& tree) {
    words(tree.qualifiers);
    if (tree.children[1].kind != Kind::Empty) expression(tree.children[1], kAssign), out += " ";
    (out += tree.text) += "(";
    parameters(tree.parameters);
    out += ")";
    if (tree.children[0].kind == Kind::Empty) return line(";");
    out += " ";
    block(tree.children[0].children, "\n");
  }

  void structure(const Tree& tree) {
    if (tree.templateParameters.empty() && tree.isTemplate) out += "template <> ";
    (out += tree.qualifiers.empty() ? "struct" : tree.qualifiers) += " ";
    out += tree.text;
    angles(tree);
    for (std::size_t i = 0; i < tree.extents.size(); ++i)
      out += i == 0 ? " : public " : ", public ", expression(tree.extents[i], kAssign);
    out += " ";
    if (tree.qualifiers != "enum") return block(tree.children, ";\n");
    out += "{ ";
    for (const Tree& one : tree.children) {
      out += one.text;
      if (one.children[1].kind != Kind::Empty) out += " = ", expression(one.children[1], kAssign);
      out += ", ";
    }
    line("};");
  }

  void block(const std::vector<Tree>& statements, std::string_view end) override {
    const bool outer = std::exchange(elseFollows_, false);
    line("{");
    for (const Tree& one : statements) statement(one);
    (out += "}") += end;
    elseFollows_ = outer;
  }

  // A condition or the first part of a `for`.
  void inHead(const Tree& tree) {
    if (tree.kind == Kind::Declare) return declare(tree, false);
    if (tree.kind == Kind::Block) {
      for (std::size_t i = 0; i < tree.children.size(); ++i) {
        if (i > 0) out += ", ";
        declare(tree.children[i], i > 0);
      }
      return;
    }
    expression(tree, kComma);
  }

  void conditional(const Tree& tree) {
    out += tree.qualifiers.empty() ? "if (" : "if constexpr (";
    inHead(tree.children[0]);
    out += ") ";
    const bool ends = tree.children[2].kind == Kind::Empty && !elseFollows_;
    const bool outer = std::exchange(elseFollows_, !ends);
    statement(tree.children[1]);
    elseFollows_ = outer;
    if (ends) return;
    out += "else ";
    statement(tree.children[2]);
  }

  void loop(const Tree& tree) {
    out += "for (";
    inHead(tree.children[0]);
    if (tree.text == ":") {
      out += " : ";
      expression(tree.children[1], kAssign);
    } else {
      out += "; ";
      inHead(tree.children[1]);
      out += "; ";
      expression(tree.children[2], kComma);
    }
    out += ") ";
    statement(tree.children.back());
  }

  void whileLoop(const Tree& tree) {
    if (tree.text == "do") {
      out += "do ";
      statement(tree.children[1]);
      out += "while (";
      expression(tree.children[0], kComma);
      return line(");");
    }
    out += "while (";
    inHead(tree.children[0]);
    out += ") ";
    statement(tree.children[1]);
  }

  void label(const Tree& tree) {
    if (tree.children.empty()) return line("default:");
    out += "case ";
    expression(tree.children[0], kAssign);
    line(":");
  }

  void returned(const Tree& tree) {
    out += "return";
    if (!tree.children.empty()) out += " ", expression(tree.children[0], kAssign);
    line(";");
  }

  void macro(const Tree& tree) {
    (out += "#define ") += tree.text;
    if (tree.isTemplate) {
      out += "(";
      parameters(tree.parameters);
      out += ")";
    }
    out += " ";
    const std::size_t at = out.size();
    if (tree.children[0].kind == Kind::Block) {
      for (const Tree& one : tree.children[0].children) statement(one);
    } else {
      expression(tree.children[0], kComma);
    }
    while (out.size() > at && out.back() == '\n') out.pop_back();
    for (std::size_t i = at; i < out.size(); ++i)
      if (out[i] == '\n') out.replace(i, 1, " ");
    line("");
  }

  bool elseFollows_ = false;  // an `else` follows the statement, so an `if` in it writes its own
};

}  // namespace

std::string printCpp(const Tree& tree) {
  CppPrinter printer;
  if (CppPrinter::isExpression(tree.kind)) {
    printer.expression(tree, kComma);
  } else {
    printer.statement(tree);
  }
  return std::move(printer.out);
}

}  // namespace tessera::code
