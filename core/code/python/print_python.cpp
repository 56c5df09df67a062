#include "core/code/python/print_python.h"

#include <algorithm>
#include <array>

namespace tessera::code {
namespace {

using Kind = Tree::Kind;

// How strongly an expression binds, from a lambda to an atom.
enum Strength : int {
  kBindLambda = 0,
  kBindIf,
  kBindOr,
  kBindAnd,
  kBindNot,
  kBindCompare,
  kBindBar,
  kBindCaret,
  kBindAmpersand,
  kBindShift,
  kBindSum,
  kBindProduct,
  kBindUnary,
  kBindPower,
  kBindAtom
};

struct SignStrength {
  std::string_view sign;
  int strength;
};
constexpr auto kSigns = std::to_array<SignStrength>({{"or", kBindOr},
                                                     {"and", kBindAnd},
                                                     {"|", kBindBar},
                                                     {"^", kBindCaret},
                                                     {"&", kBindAmpersand},
                                                     {"<<", kBindShift},
                                                     {">>", kBindShift},
                                                     {"+", kBindSum},
                                                     {"-", kBindSum},
                                                     {"*", kBindProduct},
                                                     {"/", kBindProduct},
                                                     {"//", kBindProduct},
                                                     {"%", kBindProduct},
                                                     {"@", kBindProduct},
                                                     {"**", kBindPower}});

int strengthOf(const Tree& t) {
  switch (t.kind) {
    case Kind::Lambda:
    case Kind::Assign:
    case Kind::Star:
      return kBindLambda;
    case Kind::Conditional:
      return kBindIf;
    case Kind::Unary:
      return t.text == "not" ? kBindNot : kBindUnary;
    case Kind::Binary: {
      const auto* const row = std::ranges::find(kSigns, t.text, &SignStrength::sign);
      return row == kSigns.end() ? kBindCompare : row->strength;
    }
    default:
      return kBindAtom;
  }
}

class PythonPrinter {
 public:
  std::string statement(const Tree& t, int indent) {
    const std::string blanks(static_cast<std::size_t>(indent) * 4, ' ');
    switch (t.kind) {
      case Kind::Block:
        return t.qualifiers.empty() ? lines(t.children, indent) : headed(t, indent, blanks);
      case Kind::If:
        return blanks + ifText(t, indent);
      case Kind::For:
        return blanks + "for " + list(t.children[0]) + " in " + list(t.children[1]) + ":\n" +
               suite(t.children[2], indent);
      case Kind::While:
        return blanks + "while " + at(t.children[0], kBindLambda) + ":\n" + suite(t.children[1], indent);
      case Kind::Function: {
        const bool typed = t.children[1].kind != Kind::Empty;
        return blanks + "def " + t.text + "(" + parameters(t) + ")" +
               (typed ? " -> " + at(t.children[1], kBindLambda) : "") + ":\n" + suite(t.children[0], indent);
      }
      case Kind::Struct:
        return blanks + "class " + t.text + ":\n" + body(t.children, indent);
      case Kind::Return:
        return blanks + "return" + (t.children.empty() ? "" : " " + list(t.children[0])) + "\n";
      case Kind::Break:
        return blanks + "break\n";
      case Kind::Continue:
        return blanks + "continue\n";
      case Kind::Declare: {
        const bool valued = t.children[1].kind != Kind::Empty;
        return blanks + t.text + ": " + at(t.children[0], kBindLambda) + (valued ? " = " + list(t.children[1]) : "") +
               "\n";
      }
      case Kind::Expression:
        return blanks + (t.children[0].kind == Kind::Assign ? assigned(t.children[0]) : list(t.children[0])) + "\n";
      case Kind::Directive:
        return blanks + t.text + "\n";
      case Kind::Opaque:
        if (t.children.empty()) return blanks + t.text + "\n";
        [[fallthrough]];
      default:
        return expression(t);
    }
  }

 private:
  std::string lines(const std::vector<Tree>& trees, int indent) {
    std::string out;
    for (const Tree& t : trees) out += statement(t, indent);
    return out;
  }

  std::string body(const std::vector<Tree>& trees, int indent) {
    const std::string blanks(static_cast<std::size_t>(indent + 1) * 4, ' ');
    return trees.empty() ? blanks + "pass\n" : lines(trees, indent + 1);
  }

  std::string suite(const Tree& block, int indent) { return body(block.children, indent); }

  // with a as b: ..., try: ...
  std::string headed(const Tree& t, int indent, const std::string& blanks) {
    if (t.qualifiers != "with") return blanks + t.qualifiers + ":\n" + body(t.children, indent);
    std::string items;
    for (std::size_t k = 0; k + 1 < t.children.size(); ++k) {
      const Tree& item = t.children[k].children[0];
      items += items.empty() ? "" : ", ";
      items += item.kind == Kind::Assign ? at(item.children[1], kBindIf) + " as " + at(item.children[0], kBindIf)
                                         : at(item, kBindIf);
    }
    return blanks + "with " + items + ":\n" + suite(t.children.back(), indent);
  }

  std::string ifText(const Tree& t, int indent) {
    std::string out = "if " + at(t.children[0], kBindLambda) + ":\n" + suite(t.children[1], indent);
    const std::string blanks(static_cast<std::size_t>(indent) * 4, ' ');
    const Tree& otherwise = t.children[2];
    if (otherwise.kind == Kind::If) return out + blanks + "el" + ifText(otherwise, indent);
    return otherwise.kind == Kind::Empty ? out : out + blanks + "else:\n" + suite(otherwise, indent);
  }

  std::string assigned(const Tree& t) {
    const Tree& value = t.children[1];
    return list(t.children[0]) + " " + t.text + " " +
           (value.kind == Kind::Assign && value.text != ":=" ? assigned(value) : list(value));
  }

  std::string parameters(const Tree& t) {
    std::string out;
    for (const Tree::Parameter& p : t.parameters) {
      out += (out.empty() ? "" : ", ") + p.name + (p.type.empty() ? "" : ": " + p.type);
      if (!p.byDefault.empty()) out += "=" + at(p.byDefault[0], kBindIf);
    }
    return out;
  }

  // A tuple without brackets.
  std::string list(const Tree& t) {
    if (t.kind != Kind::Tuple || t.children.empty()) return at(t, kBindLambda);
    return joined(t.children, 0) + (t.children.size() == 1 ? "," : "");
  }

  std::string joined(const std::vector<Tree>& trees, std::size_t from) {
    std::string out;
    for (std::size_t k = from; k < trees.size(); ++k) out += (k == from ? "" : ", ") + at(trees[k], kBindLambda);
    return out;
  }

  // In brackets if it binds less than `least`.
  std::string at(const Tree& t, int least) {
    const std::string text = expression(t);
    const bool walrus = t.kind == Kind::Assign;
    return strengthOf(t) < least || walrus ? "(" + text + ")" : text;
  }

  std::string binary(const Tree& t) {
    const int own = strengthOf(t);
    const bool right = t.text == "**", compares = own == kBindCompare;
    return at(t.children[0], own + (right || compares ? 1 : 0)) + " " + t.text + " " +
           at(t.children[1], right ? kBindUnary : own + 1);
  }

  static std::string quoted(const std::string& text) {
    const bool lines = text.find('\n') != std::string::npos;
    const bool both = text.find('"') != std::string::npos;
    const std::string quote = lines ? "\"\"\"" : both ? "'" : "\"";
    return quote + text + quote;
  }

  std::string slice(const Tree& t) {
    std::string out = at(t.children[0], kBindLambda) + ":" + at(t.children[1], kBindLambda);
    return t.children[2].kind == Kind::Empty ? out : out + ":" + at(t.children[2], kBindLambda);
  }

  std::string dictionary(const Tree& t) {
    std::string out;
    std::size_t k = 0;
    while (k < t.children.size()) {
      const bool unpacks = t.children[k].kind == Kind::Star;
      out += (out.empty() ? "" : ", ") + at(t.children[k], kBindLambda);
      if (!unpacks && k + 1 < t.children.size()) out += ": " + at(t.children[k + 1], kBindLambda);
      k += unpacks ? 1 : 2;
    }
    return "{" + out + "}";
  }

  // [x for x in r if x]
  std::string comprehension(const Tree& t) {
    std::string out;
    for (const Tree& part : t.children) {
      if (part.kind == Kind::For)
        out += " for " + list(part.children[0]) + " in " + at(part.children[1], kBindOr);
      else if (part.kind == Kind::If)
        out += " if " + at(part.children[0], kBindOr);
      else
        out += (out.empty() ? "" : ": ") + at(part, kBindLambda);
    }
    return "[" + out + "]";
  }

  std::string expression(const Tree& t) {
    switch (t.kind) {
      case Kind::Empty:
        return "";
      case Kind::String:
        return quoted(t.text);
      case Kind::Member:
        return at(t.children[0], kBindAtom) + "." + t.text;
      case Kind::Call:
        return at(t.children[0], kBindAtom) + "(" + joined(t.children, 1) + ")";
      case Kind::Keyword:
        return t.text + "=" + at(t.children[0], kBindLambda);
      case Kind::Subscript:
        return at(t.children[0], kBindAtom) + "[" + joined(t.children, 1) + "]";
      case Kind::Slice:
        return slice(t);
      case Kind::Tuple:
        return "(" + joined(t.children, 0) + (t.children.size() == 1 ? ",)" : ")");
      case Kind::List:
        return "[" + joined(t.children, 0) + "]";
      case Kind::Dictionary:
        return dictionary(t);
      case Kind::Braces:
        return "{" + joined(t.children, 1) + "}";
      case Kind::Unary:
        return t.text + (t.text == "not" ? " " : "") + at(t.children[0], strengthOf(t));
      case Kind::Binary:
        return binary(t);
      case Kind::Conditional:
        return at(t.children[1], kBindOr) + " if " + at(t.children[0], kBindOr) + " else " +
               at(t.children[2], kBindLambda);
      case Kind::Lambda:
        return "lambda" + (t.parameters.empty() ? "" : " " + parameters(t)) + ": " + at(t.children[0], kBindLambda);
      case Kind::Assign:
        return at(t.children[0], kBindIf) + " := " + at(t.children[1], kBindLambda);
      case Kind::Star:
        return t.text + at(t.children[0], kBindLambda);
      case Kind::Opaque:
        return t.children.empty() ? t.text : comprehension(t);
      default:
        return t.text;
    }
  }
};

}  // namespace

std::string printPython(const Tree& tree) { return PythonPrinter().statement(tree, 0); }

}  // namespace tessera::code
