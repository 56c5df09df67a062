#include "core/worksheet/language/literals.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "core/layout/arrow_notation.h"
#include "core/notation/axe/axes.h"
#include "core/notation/axe/extent.h"
#include "core/notation/axe/notation.h"
#include "core/notation/axe/parametric.h"
#include "core/notation/cute/extent.h"
#include "core/notation/cute/notation.h"
#include "core/notation/cute/text.h"
#include "core/notation/indexing/extent.h"
#include "core/notation/indexing/notation.h"
#include "core/notation/linear/extent.h"
#include "core/notation/linear/notation.h"
#include "core/notation/triton/extent.h"
#include "core/notation/triton/notation.h"
#include "core/notation/xla/extent.h"
#include "core/notation/xla/notation.h"
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

template <typename T>
Result<Value> wrapped(Result<T> parsed) {
  if (!parsed) return parsed.error();
  return Value(*std::move(parsed));
}

bool isAliasPart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '$';
}

// Definitions, a line each, of the names #x in the text that the worksheet binds and the text does not.
std::string aliasesOf(std::string_view text, const NameLookup& names) {
  std::string out;
  for (std::size_t i = text.find('#'); i != std::string_view::npos; i = text.find('#', i + 1)) {
    std::size_t end = i + 1;
    while (end < text.size() && isAliasPart(text[end])) ++end;
    const std::string name(text.substr(i, end - i));
    if (out.find(name + " = ") != std::string::npos) continue;
    const Value* bound = names(name);
    const auto* layout = bound == nullptr ? nullptr : as<triton::Layout>(*bound);
    if (layout != nullptr) out += fmt::format("{} = {}\n", name, print(layout->encoding));
  }
  return out;
}

// ---- one reader a notation

Result<Value> readQuoted(std::string_view text, const NameLookup&) {
  return Value(Text{std::string(text.substr(1, text.size() - 2))});
}

// A shape; when it does not end the text, an instruction line.
Result<Value> readXla(std::string_view text, const NameLookup&) {
  Result<xla::Shape> shape = xla::parseShape(text);
  if (shape) return Value(Layout(*std::move(shape)));
  if (!xla::looksLikeInstruction(text)) return shape.error();
  return wrapped(xla::parseInstruction(text));
}

// With the aliases that earlier lines bind.
Result<Value> readTriton(std::string_view text, const NameLookup& names) {
  const std::string before = aliasesOf(text, names);
  Result<triton::Text> parsed = triton::parse(before + std::string(text));
  if (!parsed) {
    Diag diag = parsed.error();
    const bool own = !diag.span.empty() && diag.span.begin >= before.size();
    diag.span = own ? Span{diag.span.begin - before.size(), diag.span.end - before.size()} : Span{};
    return diag;
  }
  triton::Layout layout;
  layout.shape = parsed->shape;
  // One type, perhaps behind its aliases; a file has many and no shape of its own.
  if (!parsed->types.empty() && (text.front() != '#' || !parsed->shape.empty())) {
    layout.type = parsed->types.back();
    layout.shape = layout.type->shape;
    if (!layout.type->encoding) return Diag{"this type has no layout", "tensor<128x64xf16, #ttg....>", "", {}};
    layout.encoding = *layout.type->encoding;
    return Value(Layout(std::move(layout)));
  }
  if (!parsed->encoding && parsed->aliases.empty()) return Diag{"no layout here", "#ttg.blocked<{...}>", "", {}};
  layout.encoding = parsed->encoding ? *parsed->encoding : parsed->aliases.back().second;
  return Value(Layout(std::move(layout)));
}

Result<Value> readAxe(std::string_view text, const NameLookup&) {
  if (!axe::isParametric(text)) return wrapped(axe::parse(text));
  TESSERA_TRY(Map map, axe::parseParametric(text));
  const bool memory = map.axes().size() == 1 && map.axes()[0].name == axe::kMemoryAxis;
  return Value(Layout(arrowOf(std::move(map), SpaceKind::Elements, LinearOrder::Lex,
                              memory ? SpaceKind::Memory : SpaceKind::Hardware)));
}

Result<Value> readPlace(std::string_view text, const NameLookup&) { return wrapped(axe::parsePlace(text)); }
Result<Value> readMesh(std::string_view text, const NameLookup&) { return wrapped(axe::parseMesh(text)); }
Result<Value> readLinear(std::string_view text, const NameLookup&) { return wrapped(linear::parse(text)); }
Result<Value> readIndexing(std::string_view text, const NameLookup&) { return wrapped(indexing::parse(text)); }

Result<Value> readCute(std::string_view text, const NameLookup&) {
  TESSERA_TRY(cute::Value value, cute::parse(text));
  if (auto* tuple = std::get_if<cute::IntTuple>(&value)) {
    if (tuple->isKnown() && tuple->basis().empty()) return Value(tuple->value());
    return Value(std::move(*tuple));
  }
  if (auto* layout = std::get_if<cute::Layout>(&value)) return Value(Layout(std::move(*layout)));
  if (auto* composed = std::get_if<cute::ComposedLayout>(&value)) return Value(Layout(std::move(*composed)));
  if (auto* swizzle = std::get_if<cute::Swizzle>(&value)) return Value(Layout(*swizzle));
  if (auto* tiler = std::get_if<cute::Tiler>(&value)) return Value(std::move(*tiler));
  return Diag{"a pointer alone is no value", "POINTER o LAYOUT", "", {0, text.size()}};
}

// ---- where they end

template <Found (*Extent)(std::string_view, std::size_t), LiteralKind Kind = LiteralKind::Layout>
std::optional<LiteralExtent> upTo(std::string_view text, std::size_t from) {
  const Found end = Extent(text, from);
  if (!end) return std::nullopt;
  return LiteralExtent{Kind, *end, nullptr};
}

Found quotedExtent(std::string_view text, std::size_t from) {
  if (text[from] != '"') return std::nullopt;
  const std::size_t close = text.find('"', from + 1);
  return close == std::string_view::npos ? Found() : Found(close + 1);
}

std::optional<LiteralExtent> cuteLiteralExtent(std::string_view text, std::size_t from) {
  const auto found = cute::extent(text, from);
  if (!found) return std::nullopt;
  const LiteralKind kind = found->kind == cute::Form::Integer ? LiteralKind::Integer
                           : found->kind == cute::Form::Tuple ? LiteralKind::Tuple
                                                              : LiteralKind::Layout;
  return LiteralExtent{kind, found->end, nullptr};
}

constexpr auto kRows = std::to_array<LiteralRow>({
    {"text", upTo<quotedExtent, LiteralKind::String>, readQuoted},
    {"xla", upTo<xla::extent>, readXla},
    {"triton", upTo<triton::extent>, readTriton},
    {"place", upTo<axe::placeExtent>, readPlace},
    {"axe", upTo<axe::extent>, readAxe},
    {"mesh", upTo<axe::meshExtent>, readMesh},
    {"linear", upTo<linear::extent>, readLinear},
    {"indexing", upTo<indexing::extent>, readIndexing},
    {"cute", cuteLiteralExtent, readCute},
});

}  // namespace

std::span<const LiteralRow> literalRows() { return kRows; }

std::optional<LiteralExtent> scanLiteral(std::string_view text, std::size_t from, std::size_t to) {
  text = text.substr(0, to);
  if (from >= text.size()) return std::nullopt;
  for (const LiteralRow& row : kRows) {
    if (auto found = row.extent(text, from)) {
      found->row = &row;
      return found;
    }
  }
  return std::nullopt;
}

bool isLiteralOf(const Node& node, std::string_view notation) {
  return node.kind == Node::Kind::Literal && node.row != nullptr && node.row->notation == notation;
}

Result<Value> literalValue(const Node& node, const NameLookup& names, std::vector<Diag>& notes) {
  if (node.literal == LiteralKind::Word) return Value(Text{node.text});
  if (node.literal == LiteralKind::Integer) return integerValue(node.text);
  if (node.row == nullptr) return Diag{"this literal has no notation", "", "", {}};
  Result<Value> value = node.row->read(node.text, names);
  if (const auto* axe = value ? as<axe::Layout>(*value) : nullptr) {
    for (Diag& note : axe::axisNotes(*axe)) notes.push_back(std::move(note));  // "lan" is close to "lane"
  }
  return value;
}

std::string withoutComments(std::string_view text) {
  std::string out(text);
  bool inString = false, closes = true;  // closes: a "*/" may still come
  for (std::size_t i = 0; i < out.size();) {
    if (out[i] == '"') inString = !inString;
    if (out[i] == '\n') inString = false;
    std::size_t end = i + 1;
    const bool comment = !inString && out[i] == '/' && i + 1 < out.size();
    if (comment && out[i + 1] == '/') {
      end = std::min(out.find('\n', i), out.size());
    } else if (comment && out[i + 1] == '*' && closes) {
      const std::size_t close = out.find("*/", i + 2);
      closes = close != std::string::npos;
      if (closes) end = close + 2;
    }
    for (std::size_t k = i; k < end && end > i + 1; ++k)
      if (out[k] != '\n') out[k] = ' ';
    i = end;
  }
  return out;
}

}  // namespace tessera
