#include "core/worksheet/language/literal_value.h"

#include <fmt/format.h>

#include <charconv>

#include "core/notation/axe/parametric.h"
#include "core/notation/cute/text.h"
#include "core/notation/triton/attr.h"
#include "core/worksheet/language/place.h"

namespace tessera {
namespace {

Result<Value> integerValue(std::string_view text) {
  const bool hex = text.size() > 1 && (text[1] == 'x' || text[1] == 'X');
  const std::string_view digits = hex ? text.substr(2) : text;
  i64 n = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n, hex ? 16 : 10);
  if (error == std::errc::result_out_of_range) {
    return Diag{
        fmt::format("{} does not fit in 64 bits", text.substr(0, 60)), "an integer below 2^63", "", {0, text.size()}};
  }
  if (error != std::errc{} || end != digits.data() + digits.size()) {
    return Diag{fmt::format("'{}' is not a number", cleaned(text.substr(0, 60))), "an integer", "", {0, text.size()}};
  }
  return Value(n);
}

Result<TilerEntry> entryOf(const Argument& element) {
  TilerEntry entry;
  if (const auto* layout = as<CuteLayout>(element.value)) {
    entry.kind = TilerEntry::Kind::Layout;
    entry.layout = *layout;
    return entry;
  }
  if (const auto* tiler = std::get_if<Tiler>(&element.value)) {
    entry.kind = TilerEntry::Kind::Nested;
    entry.nested = *tiler;
    return entry;
  }
  std::optional<IntTuple> shape;
  if (const auto* n = std::get_if<i64>(&element.value)) shape = IntTuple(*n);
  if (const auto* t = std::get_if<IntTuple>(&element.value)) shape = *t;
  if (shape) {
    TESSERA_TRY(Tiler one, tilerOfShape(IntTuple::tuple({*shape})));
    return one.entries.front();
  }
  return Diag{fmt::format("a tiler holds layouts, shapes, integers and '_', not {}", nounOf(element.value)),
              "for example <3:4, _, 8>", "", element.span};
}

template <typename T>
Result<Value> wrapped(Result<T> parsed) {
  if (!parsed) return parsed.error();
  return Value(*std::move(parsed));
}

bool isAliasPart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '$';
}

// Definitions, a line each, of the names #x in the text that the worksheet binds and the text does not.
std::string aliasesOf(std::string_view text, const Scope& scope) {
  std::string out;
  for (std::size_t i = text.find('#'); i != std::string_view::npos; i = text.find('#', i + 1)) {
    std::size_t end = i + 1;
    while (end < text.size() && isAliasPart(text[end])) ++end;
    const std::string name(text.substr(i, end - i));
    if (out.find(name + " = ") != std::string::npos) continue;
    const Value* bound = scope.find(name);
    const auto* layout = bound == nullptr ? nullptr : as<TritonLayout>(*bound);
    if (layout != nullptr) out += fmt::format("{} = {}\n", name, print(layout->encoding));
  }
  return out;
}

// A shape; when it does not end the text, an instruction line.
Result<Value> xlaLiteral(std::string_view text) {
  Result<XlaShape> shape = parseXlaShape(text);
  if (shape) return Value(*std::move(shape));
  if (!looksLikeXlaInstruction(text)) return shape.error();
  return wrapped(parseXlaInstruction(text));
}

}  // namespace

Result<Value> tritonLiteral(const Node& node, const Scope& scope) {
  const std::string before = aliasesOf(node.text, scope);
  Result<TritonText> parsed = parseTriton(before + node.text);
  if (!parsed) {
    Diag diag = parsed.error();
    const Span span = diag.span;
    diag.span = span.empty() || span.begin < before.size()
                    ? node.span
                    : Span{span.begin - before.size() + node.span.begin, span.end - before.size() + node.span.begin};
    return diag;
  }
  TritonLayout layout;
  layout.shape = parsed->shape;
  const bool isType = node.text.front() != '#';
  if (isType && !parsed->types.empty()) {
    layout.type = parsed->types.back();
    layout.shape = layout.type->shape;
    if (!layout.type->encoding) return Diag{"this type has no layout", "tensor<128x64xf16, #ttg....>", "", node.span};
    layout.encoding = *layout.type->encoding;
    return Value(std::move(layout));
  }
  if (!parsed->encoding && parsed->aliases.empty()) return Diag{"no layout here", "#ttg.blocked<{...}>", "", node.span};
  layout.encoding = parsed->encoding ? *parsed->encoding : parsed->aliases.back().second;
  return Value(std::move(layout));
}

Result<Value> literalValue(LiteralKind kind, std::string_view text) {
  switch (kind) {
    case LiteralKind::Integer:
      return integerValue(text);
    case LiteralKind::Word:
      return Value(Text{std::string(text)});
    case LiteralKind::String:
      return Value(Text{std::string(text.substr(1, text.size() - 2))});
    case LiteralKind::Map:
      return wrapped(parseIndexingMap(text));
    case LiteralKind::Axe:
      if (isParametricAxe(text)) {
        TESSERA_TRY(Map map, parseParametricAxe(text));
        const bool memory = map.axes().size() == 1 && map.axes()[0].name == kMemoryAxis;
        return Value(Layout(arrowOf(std::move(map), SpaceKind::Elements, LinearOrder::Lex,
                                    memory ? SpaceKind::Memory : SpaceKind::Hardware)));
      }
      return wrapped(parseAxe(text));
    case LiteralKind::Linear:
      return wrapped(parseLinearLayout(text));
    case LiteralKind::Mesh:
      return wrapped(parseMesh(text));
    case LiteralKind::Place:
      return wrapped(parsePlace(text));
    case LiteralKind::Xla:
      return xlaLiteral(text);
    default:
      break;
  }
  TESSERA_TRY(CuteValue value, parseCute(text));
  if (auto* tuple = std::get_if<IntTuple>(&value)) return normalised(std::move(*tuple));
  if (auto* layout = std::get_if<CuteLayout>(&value)) return Value(std::move(*layout));
  if (auto* composed = std::get_if<ComposedLayout>(&value)) return Value(std::move(*composed));
  if (auto* swizzle = std::get_if<Swizzle>(&value)) return Value(*swizzle);
  if (auto* tiler = std::get_if<Tiler>(&value)) return Value(std::move(*tiler));
  return Diag{"a pointer alone is no value", "POINTER o LAYOUT", "", {0, text.size()}};
}

Result<Value> tilerOf(const std::vector<Argument>& elements) {
  Tiler tiler;
  for (const Argument& element : elements) {
    Result<TilerEntry> entry = entryOf(element);
    if (!entry) {
      if (entry.error().span.empty()) entry.error().span = element.span;
      return entry.error();
    }
    tiler.entries.push_back(*std::move(entry));
  }
  return Value(std::move(tiler));
}

}  // namespace tessera
