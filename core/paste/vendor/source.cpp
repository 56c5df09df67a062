#include "core/paste/vendor/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/arith.h"
#include "core/base/chars.h"
#include "core/base/cursor.h"
#include "core/base/work.h"

namespace tessera::paste::vendor {
namespace {

using code::Tree;
using TreeKind = Tree::Kind;

// number<8>, Int<8>, integral_constant<int, 8>, C<8>: types that are a number.
bool isNumberType(std::string_view name) {
  static constexpr std::string_view kNames =
      " number Number Int constant C integral_constant bool_constant UInt LongNumber long_number ";
  return kNames.find(fmt::format(" {} ", name)) != std::string_view::npos;
}

// I1, _8: numbers by name.
std::optional<i64> numberName(std::string_view name) {
  if (name.size() > 1 && (name[0] == 'I' || name[0] == '_') && isDigit(name[1])) return integerText(name.substr(1));
  if (name == "true") return 1;
  if (name == "false") return 0;
  return std::nullopt;
}

std::optional<i64> binary(std::string_view op, i64 a, i64 b) {
  if (op == "+") return checkedAdd(a, b);
  if (op == "-") return checkedSub(a, b);
  if (op == "*") return checkedMul(a, b);
  if (op == "/" && b != 0 && !(a == INT64_MIN && b == -1)) return a / b;
  if (op == "%" && b != 0 && !(a == INT64_MIN && b == -1)) return a % b;
  if (op == "<<" && b >= 0 && b < 62) return checkedMul(a, i64{1} << b);
  if (op == ">>" && b >= 0 && b < 63) return a >> b;
  if (op == "&") return a & b;
  if (op == "|") return a | b;
  if (op == "^") return a ^ b;
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "<") return a < b;
  if (op == ">") return a > b;
  if (op == "<=") return a <= b;
  if (op == ">=") return a >= b;
  if (op == "and" || op == "&&") return a != 0 && b != 0;
  if (op == "or" || op == "||") return a != 0 || b != 0;
  return std::nullopt;
}

std::string withoutBlanks(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (!isBlank(c)) out += c;
  return out;
}

}  // namespace

std::optional<i64> typeBytes(std::string_view type) {
  struct Row {
    std::string_view names;
    i64 bytes;
  };
  static constexpr std::array<Row, 5> kRows = {
      {{" int8_t uint8_t char fp8e4m3 fp8e5m2 fp8 bf8 fp8_t bf8_t float_e4m3_t float_e5m2_t __nv_fp8_e4m3 "
        "__nv_fp8_e5m2 std::byte bool ",
        1},
       {" half __half half_t bf16 bfloat16 __nv_bfloat16 nv_bfloat16 bfloat16_t fp16 float16_t fp16_t bf16_t "
        "_Float16 int16_t uint16_t short __bf16 float16 hip_bfloat16 ",
        2},
       {" float int int32_t uint32_t fp32 float32_t unsigned tfloat32_t bf16_2 half_2 ", 4},
       {" double int64_t uint64_t float2 float64_t size_t ", 8},
       {" float4 uint4 int4 uint128_t ", 16}}};
  const std::size_t scope = type.rfind("::");
  if (scope != std::string_view::npos) type.remove_prefix(scope + 2);
  for (const Row& row : kRows)
    if (row.names.find(fmt::format(" {} ", type)) != std::string_view::npos) return row.bytes;
  return std::nullopt;
}

Result<Source> Source::read(std::string_view text, Bindings& out) {
  Source source(out);
  TESSERA_TRY(source.trees_, code::readCpp(text));
  for (const Tree& tree : source.trees_) source.collect(tree);
  return source;
}

void Source::collect(const Tree& statement) {
  spend();
  statements_.push_back(&statement);
  switch (statement.kind) {
    case TreeKind::Alias:
      if (!statement.children.empty()) aliases_.insert_or_assign(statement.text, &statement.children[0]);
      return;
    case TreeKind::Declare:
      if (statement.children.size() > 1 && statement.children[1].kind != TreeKind::Empty)
        values_.insert_or_assign(statement.text, &statement.children[1]);
      return;
    case TreeKind::Macro:
      if (statement.parameters.empty() && !statement.children.empty())
        values_.insert_or_assign(statement.text, &statement.children[0]);
      return;
    case TreeKind::Function:
    case TreeKind::Struct:
      for (const Tree::Parameter& p : statement.templateParameters)
        if (!p.byDefault.empty()) values_.emplace(p.name, &p.byDefault[0]);
      break;
    case TreeKind::Namespace:
    case TreeKind::Block:
    case TreeKind::If:
    case TreeKind::For:
    case TreeKind::While:
      break;
    default:
      return;
  }
  for (const Tree& child : statement.children)
    if (child.kind >= TreeKind::Declare || child.kind == TreeKind::Block) collect(child);
}

std::string Source::spelled(const Tree& tree) { return withoutBlanks(code::print(tree, code::Language::Cpp)); }

const Tree* Source::alias(std::string_view name) const {
  const auto found = aliases_.find(name);
  return found == aliases_.end() ? nullptr : found->second;
}
const Tree* Source::value(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : found->second;
}

const Tree& Source::resolved(const Tree& tree) const {
  const Tree* at = &tree;
  for (int steps = 0; steps < 64; ++steps) {
    if (at->kind == TreeKind::Type && !at->children.empty()) at = &at->children[0];
    if (at->kind != TreeKind::Name || at->isTemplate) return *at;
    const Tree* next = alias(at->text);
    if (next == nullptr) next = value(at->text);
    if (next == nullptr || next == at) return *at;
    at = next;
  }
  return *at;
}

std::optional<i64> Source::ask(const Tree& tree, std::string_view asks) {
  const std::string text = spelled(tree);
  out_->ask({text, std::string(asks), fmt::format("--let {}=8", text), tree.span});
  return std::nullopt;
}

std::optional<i64> Source::integer(const Tree& tree, std::string_view asks) {
  const Nesting level;
  spend();
  if (level.tooDeep() || depth_ > 150) return ask(tree, asks);
  if (const std::string* given = out_->given().let(spelled(tree)); given != nullptr && tree.kind != TreeKind::Number)
    if (const auto n = integerText(*given)) return n;
  ++depth_;
  const auto value = evaluated(tree, asks);
  --depth_;
  return value;
}

std::optional<i64> Source::named(const Tree& tree, std::string_view asks) {
  const std::string_view last = code::lastName(tree);
  if (isNumberType(last) && !tree.templateArguments.empty()) return integer(tree.templateArguments.back(), asks);
  if (last == "value" && !tree.children.empty()) return integer(tree.children[0], asks);  // number<8>::value
  if (const auto n = numberName(last)) return n;
  const Tree* next = value(tree.text);
  if (next == nullptr) next = alias(tree.text);
  if (next == nullptr && tree.text != last) next = value(last);
  return next != nullptr && next != &tree ? integer(*next, asks) : ask(tree, asks);
}

std::optional<i64> Source::called(const Tree& tree, std::string_view asks) {
  if (call)
    if (const auto known = call(tree)) return known;
  const std::string_view name = code::calledName(tree);
  const auto argument = [&](std::size_t k) { return integer(tree.children[k], asks); };
  if (tree.children.size() == 3) {
    static constexpr std::string_view kTwo =
        " min max ceil_div CeilDiv cdiv integer_divide_ceil integer_divide_floor integer_least_multiple RoundUp "
        "round_up ";
    if (kTwo.find(fmt::format(" {} ", name)) == std::string_view::npos) return ask(tree, asks);
    const auto a = argument(1), b = argument(2);
    if (!a || !b) return std::nullopt;
    if (name == "min") return std::min(*a, *b);
    if (name == "max") return std::max(*a, *b);
    if (*b <= 0) return ask(tree, asks);
    const i64 quotient = *a / *b, up = quotient + (*a % *b > 0 ? 1 : 0);
    if (name == "integer_divide_floor") return quotient;
    const bool multiple = name == "integer_least_multiple" || name == "RoundUp" || name == "round_up";
    return multiple ? checkedMul(up, *b) : std::optional(up);
  }
  const bool cast = typeBytes(name) || isNumberType(name) || name == "unsigned" || name == "size_t";
  if (tree.children.size() == 2 && cast) return argument(1);  // uint32_t(x)
  if (tree.children.size() == 1 && isNumberType(name)) return named(tree.children[0], asks);
  return ask(tree, asks);
}

std::optional<i64> Source::evaluated(const Tree& tree, std::string_view asks) {
  const auto child = [&](std::size_t k) { return integer(tree.children[k], asks); };
  switch (tree.kind) {
    case TreeKind::Number:
      return tree.value ? tree.value : ask(tree, asks);
    case TreeKind::Name:
      return named(tree, asks);
    case TreeKind::Braces:  // number<8>{}, int{8}
      if (tree.children.size() == 1) return named(tree.children[0], asks);
      return tree.children.size() == 2 ? child(1) : ask(tree, asks);
    case TreeKind::Cast:
      return tree.children.size() == 2 ? child(1) : ask(tree, asks);
    case TreeKind::Call:
      return called(tree, asks);
    case TreeKind::Unary: {
      if (tree.text == "sizeof" && !tree.children.empty()) return elementBytes(tree.children[0]);
      if (tree.children.size() != 1) return ask(tree, asks);
      const auto value = child(0);
      if (!value || tree.text == "+") return value;
      if (tree.text == "-") return checkedSub(0, *value);
      if (tree.text == "~") return ~*value;
      if (tree.text == "!" || tree.text == "not") return *value == 0;
      return ask(tree, asks);
    }
    case TreeKind::Binary: {
      if (tree.children.size() != 2) return ask(tree, asks);
      const auto a = child(0), b = child(1);
      if (!a || !b) return std::nullopt;
      const auto value = binary(tree.text, *a, *b);
      return value ? value : ask(tree, asks);
    }
    case TreeKind::Conditional: {
      const auto condition = child(0);
      return condition ? child(*condition != 0 ? 1 : 2) : std::nullopt;
    }
    default:
      return ask(tree, asks);
  }
}

std::optional<std::vector<const Tree*>> Source::list(const Tree& tree) const {
  const Tree& at = resolved(tree);
  std::vector<const Tree*> out;
  const std::string_view name =
      code::lastName(at.kind == TreeKind::Braces && !at.children.empty() ? at.children[0] : at);
  static constexpr std::string_view kLists =
      " sequence Sequence tuple Tuple Shape Stride Coord MakeShape MakeStride MakeCoord make_tuple make_shape "
      "make_stride "
      "make_coord make_multi_index array Array ";
  const auto isList = [&](std::string_view one) {
    return !one.empty() && kLists.find(fmt::format(" {} ", one)) != std::string_view::npos;
  };
  if (at.kind == TreeKind::Name && isList(name)) {
    for (const Tree& one : at.templateArguments) out.push_back(&one);
    return out;
  }
  if (at.kind == TreeKind::Braces && !at.children.empty()) {
    const Tree& type = resolved(at.children[0]);
    if (at.children.size() == 1 && type.isTemplate && isList(code::lastName(type)))
      return list(type);  // sequence<1, 2>{}
    if (type.kind != TreeKind::Empty && !isList(code::lastName(type)) && at.children.size() < 2) return std::nullopt;
    for (std::size_t k = 1; k < at.children.size(); ++k) out.push_back(&at.children[k]);
    return out;
  }
  if (at.kind == TreeKind::Call && isList(code::calledName(at))) {
    for (std::size_t k = 1; k < at.children.size(); ++k) out.push_back(&at.children[k]);
    return out;
  }
  return std::nullopt;
}

std::optional<std::vector<i64>> Source::integers(const Tree& tree, std::string_view asks) {
  std::vector<i64> out;
  if (const std::string* given = out_->given().let(spelled(tree))) {
    std::string text;
    for (const char c : *given) text += c == '(' || c == ')' || c == '[' || c == ']' || c == ',' ? ' ' : c;
    Cursor in(text);
    while (in.atInteger()) {
      const auto one = in.integer();
      if (!one) break;
      out.push_back(*one);
    }
    if (!out.empty() && in.atEnd()) return out;
    out.clear();
  }
  auto children = list(tree);
  if (tree.kind == TreeKind::Binary && tree.text == "+" && tree.children.size() == 2) {  // array + 1
    children = list(tree.children[0]);
    const auto first = children ? integer(tree.children[1], asks) : std::nullopt;
    if (children && (!first || *first < 0 || *first > static_cast<i64>(children->size()))) return std::nullopt;
    if (children) children->erase(children->begin(), children->begin() + *first);
  }
  if (!children) {
    out_->ask({spelled(tree), std::string(asks), fmt::format("--let '{}=(8,8)'", spelled(tree)), tree.span});
    return std::nullopt;
  }
  bool all = true;
  for (const Tree* one : *children) {
    const auto n = integer(*one, asks);
    all = all && n.has_value();
    out.push_back(n.value_or(1));
  }
  return all ? std::optional(out) : std::nullopt;
}

std::optional<i64> Source::elementBytes(const Tree& type) {
  const Tree& at = resolved(type);
  for (const Tree* one : {&type, &at}) {
    const std::string text = spelled(*one);
    if (const std::string* given = out_->given().let(text))
      if (const auto bytes = typeBytes(*given)) return bytes;
    std::string last(code::lastName(*one));
    if (last.empty()) last = text;
    if (const auto bytes = typeBytes(last)) return bytes;
  }
  if (at.kind == TreeKind::Call || at.kind == TreeKind::Binary) return integer(at);
  out_->ask({spelled(type), "an element type", fmt::format("--let {}=half", spelled(type)), type.span});
  return std::nullopt;
}

}  // namespace tessera::paste::vendor
