#include "core/paste/python/index_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "core/base/cursor.h"

namespace tessera::paste::python {
namespace {

using code::Tree;
using Kind = Tree::Kind;

constexpr std::size_t kMostText = std::size_t{1} << 16;

struct MapOperation {
  std::string_view python, map;
};
constexpr auto kOperations = std::to_array<MapOperation>({{"+", "+"},
                                                          {"-", "-"},
                                                          {"*", "*"},
                                                          {"//", "floordiv"},
                                                          {"%", "mod"},
                                                          {"^", "xor"},
                                                          {"&", "&"},
                                                          {"|", "|"},
                                                          {"<<", "<<"},
                                                          {">>", ">>"}});
// tvm.tir.floordiv(a, b) ...
constexpr auto kCalls = std::to_array<MapOperation>({{"floordiv", "floordiv"},
                                                     {"FloorDiv", "floordiv"},
                                                     {"indexdiv", "floordiv"},
                                                     {"truncdiv", "floordiv"},
                                                     {"floormod", "mod"},
                                                     {"FloorMod", "mod"},
                                                     {"indexmod", "mod"},
                                                     {"truncmod", "mod"},
                                                     {"bitwise_xor", "xor"},
                                                     {"bitwise_and", "&"},
                                                     {"shift_left", "<<"},
                                                     {"shift_right", ">>"}});

class MapWriter {
 public:
  MapWriter(const ConstantOf& constant, const Tree& function) : constant_(constant) {
    for (const Tree::Parameter& p : function.parameters) locals_.emplace(p.name, p.name);
  }

  // The results of a Lambda or a Function.
  Result<std::vector<std::string>> results(const Tree& function) {
    if (function.kind == Kind::Lambda) return list(function.children[0]);
    for (const Tree& statement : function.children[0].children) {
      if (statement.kind == Kind::Return && !statement.children.empty()) return list(statement.children[0]);
      const bool assigns = statement.kind == Kind::Expression && statement.children[0].kind == Kind::Assign &&
                           statement.children[0].text == "=";
      if (assigns) {
        TESSERA_CHECKED(assign(statement.children[0].children[0], statement.children[0].children[1]));
      } else if (statement.kind != Kind::Expression && statement.kind != Kind::Directive) {
        return refused(statement);
      }
    }
    return Diag{"the function returns nothing", "return i, j", {}, function.span};
  }
  [[nodiscard]] const Item& questions() const { return questions_; }

 private:
  static Diag refused(const Tree& tree) {
    return Diag{
        "an index map has no such expression", "+ - * // % ^ & | << >> of the parameters and constants", {}, tree.span};
  }

  Result<void> assign(const Tree& target, const Tree& value) {
    if (target.kind == Kind::Tuple && value.kind == Kind::Tuple && target.children.size() == value.children.size()) {
      for (std::size_t k = 0; k < target.children.size(); ++k)
        TESSERA_CHECKED(assign(target.children[k], value.children[k]));
      return {};
    }
    if (target.kind != Kind::Name) return refused(target);
    TESSERA_TRY(std::string text, term(value));
    locals_.insert_or_assign(target.text, std::move(text));
    return {};
  }

  Result<std::vector<std::string>> list(const Tree& tree) {
    std::vector<std::string> out;
    if (tree.kind != Kind::Tuple && tree.kind != Kind::List) {
      TESSERA_TRY(std::string one, term(tree));
      return std::vector{std::move(one)};
    }
    for (const Tree& child : tree.children) {
      const bool separator = code::lastName(child) == "AXIS_SEPARATOR";
      if (separator) continue;
      TESSERA_TRY(std::string one, term(child));
      out.push_back(std::move(one));
    }
    return out;
  }

  Result<std::string> joined(const Tree& a, std::string_view operation, const Tree& b) {
    TESSERA_TRY(const std::string left, term(a));
    TESSERA_TRY(const std::string right, term(b));
    if (left.size() + right.size() > kMostText) return Diag{"an index map that is too long", {}, {}, a.span};
    return fmt::format("({} {} {})", left, operation, right);
  }

  [[nodiscard]] bool usesLocal(const Tree& tree) const {
    if (tree.kind == Kind::Name && locals_.contains(tree.text)) return true;
    return std::ranges::any_of(tree.children, [&](const Tree& child) { return usesLocal(child); });
  }

  Result<std::string> term(const Tree& tree) {
    const Nesting level;
    if (level.tooDeep()) return Diag{"an expression that nests too deeply", {}, {}, tree.span};
    spend();
    if (!usesLocal(tree)) {
      TESSERA_TRY(const Item item, constant_(tree));
      questions_ = std::move(questions_).with(item);
      TESSERA_TRY(const i64 value, integerOf(item, "a constant of the index map"));
      return value < 0 ? fmt::format("({})", value) : std::to_string(value);
    }
    if (tree.kind == Kind::Name) return locals_.at(tree.text);
    if (tree.kind == Kind::Unary && tree.text == "-") {
      TESSERA_TRY(const std::string operand, term(tree.children[0]));
      return fmt::format("(0 - {})", operand);
    }
    if (tree.kind == Kind::Binary) {
      const auto* const row = std::ranges::find(kOperations, tree.text, &MapOperation::python);
      if (row == kOperations.end()) return refused(tree);
      return joined(tree.children[0], row->map, tree.children[1]);
    }
    if (tree.kind == Kind::Call) return call(tree);
    return refused(tree);
  }

  Result<std::string> call(const Tree& tree) {
    const std::string_view name = code::calledName(tree);
    const auto* const row = std::ranges::find(kCalls, name, &MapOperation::python);
    if (row != kCalls.end() && tree.children.size() == 3) return joined(tree.children[1], row->map, tree.children[2]);
    if ((name == "min" || name == "max") && tree.children.size() == 3) {
      TESSERA_TRY(const std::string a, term(tree.children[1]));
      TESSERA_TRY(const std::string b, term(tree.children[2]));
      if (a.size() + b.size() > kMostText) return Diag{"an index map that is too long", {}, {}, tree.span};
      return fmt::format("{}({}, {})", name, a, b);
    }
    if ((name == "int32" || name == "int" || name == "int64") && tree.children.size() == 2)
      return term(tree.children[1]);
    return refused(tree);
  }

  const ConstantOf& constant_;
  std::map<std::string, std::string, std::less<>> locals_;
  Item questions_;
};

// The outermost brackets of a result are not needed.
std::string bare(const std::string& text) {
  if (!text.starts_with('(') || !text.ends_with(')')) return text;
  int depth = 0;
  for (std::size_t k = 0; k + 1 < text.size(); ++k) {
    depth += text[k] == '(' ? 1 : text[k] == ')' ? -1 : 0;
    if (depth == 0) return text;
  }
  return text.substr(1, text.size() - 2);
}

void collectNames(const Tree& tree, std::set<std::string>& names) {
  if (tree.kind == Kind::Name) names.insert(tree.text);
  for (const Tree& child : tree.children) collectNames(child, names);
}

}  // namespace

Result<Item> indexMap(const std::vector<const Tree*>& functions, const std::vector<std::string>& names,
                      const std::vector<i64>& extents, const ConstantOf& constant) {
  std::string outputs;
  Item questions;
  const auto& parameters = functions.front()->parameters;
  for (std::size_t f = 0; f < functions.size(); ++f) {
    if (functions[f]->parameters.size() != extents.size())
      return Diag{
          fmt::format("a function of {} indices for {} extents", functions[f]->parameters.size(), extents.size()),
          "an extent for each index",
          {},
          functions[f]->span};
    MapWriter writer(constant, *functions[f]);
    TESSERA_TRY(const std::vector<std::string> results, writer.results(*functions[f]));
    questions = std::move(questions).with(writer.questions());
    for (std::size_t k = 0; k < results.size(); ++k) {
      const std::size_t at = functions.size() == 1 ? k : f;
      const bool named =
          at < names.size() && (functions.size() == 1 ? results.size() == names.size() : results.size() == 1);
      outputs += fmt::format("{}{}{}", outputs.empty() ? "" : ", ", named ? names[at] + ": " : "", bare(results[k]));
    }
  }
  std::string inputs, domain;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    inputs += (k == 0 ? "" : ", ") + parameters[k].name;
    domain += fmt::format("{}{} in [0, {}]", k == 0 ? "" : ", ", parameters[k].name, std::max<i64>(extents[k], 1) - 1);
  }
  return Item::expression(fmt::format("({}) -> ({}), domain: {}", inputs, outputs, domain)).with(questions);
}

Result<Item> indexCode(const Tree& function, const std::vector<i64>& extents, const ConstantOf& constant) {
  if (function.parameters.size() != extents.size())
    return Diag{fmt::format("a function of {} indices for {} extents", function.parameters.size(), extents.size()),
                "an extent for each index",
                {},
                function.span};
  std::set<std::string> own;
  std::string over;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    own.insert(function.parameters[k].name);
    over += fmt::format("{}{} = {}", k == 0 ? "" : ", ", function.parameters[k].name, std::max<i64>(extents[k], 1));
  }
  std::string with;
  Item questions;
  const auto visit = [&](const auto& self, const Tree& tree) -> Result<void> {
    if (tree.kind == Kind::Assign) {
      TESSERA_CHECKED(self(self, tree.children[1]));
      collectNames(tree.children[0], own);
      return {};
    }
    if (tree.kind == Kind::For) collectNames(tree.children[0], own);
    if (tree.kind == Kind::Name && own.insert(tree.text).second) {
      TESSERA_TRY(const Item item, constant(tree));
      questions = std::move(questions).with(item);
      if (item.is(Item::Kind::Integer))
        with += fmt::format("{}{} = {}", with.empty() ? "" : ", ", tree.text, item.integer);
    }
    for (std::size_t k = tree.kind == Kind::Call ? 1 : 0; k < tree.children.size(); ++k)
      TESSERA_CHECKED(self(self, tree.children[k]));
    return {};
  };
  TESSERA_CHECKED(visit(visit, function.children[0]));
  return Item::expression(fmt::format("python {{ {} }} over ({}){}", code::print(function, code::Language::Python),
                                      over, with.empty() ? "" : " with (" + with + ")"))
      .with(questions);
}

}  // namespace tessera::paste::python
