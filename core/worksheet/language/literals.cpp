#include "core/worksheet/language/literals.h"

#include <algorithm>
#include <array>
#include <bit>

#include "core/atlas/graphene_names.h"
#include "core/base/chars.h"
#include "core/code/index_code.h"
#include "core/layout/layout.h"
#include "core/notation/axe/axes.h"
#include "core/notation/axe/notation.h"
#include "core/notation/axe/text/parametric.h"
#include "core/notation/cute/notation.h"
#include "core/notation/cute/text/text.h"
#include "core/notation/graphene/notation.h"
#include "core/notation/indexing/notation.h"
#include "core/notation/linear/notation.h"
#include "core/notation/triton/notation.h"
#include "core/notation/xla/notation.h"
#include "core/worksheet/extension.h"
#include "core/worksheet/language/words.h"
#include "core/worksheet/value.h"

namespace tessera {
namespace {

// Adapts a notation's prefix parser to the worksheet.
template <typename T>
Result<std::optional<Value>> wrapped(Result<std::optional<T>> read) {
  if (!read) return read.error();
  if (!*read) return std::optional<Value>();
  return std::optional<Value>(Value(**std::move(read)));
}

template <auto Parse>
Result<std::optional<Value>> readBy(Cursor& in, const NameLookup&) {
  return wrapped(Parse(in));
}

// ---- one reader per notation

Result<std::optional<Value>> readQuoted(Cursor& in, const NameLookup&) {
  const std::size_t open = in.position(), close = in.text().find('"', open + 1);
  if (in.raw() != '"' || close == std::string_view::npos) return std::optional<Value>();
  in.seek(close + 1);
  return std::optional<Value>(Text{std::string(in.text().substr(open + 1, close - open - 1))});
}

Result<std::optional<Value>> readXla(Cursor& in, const NameLookup&) {
  TESSERA_TRY(auto read, xla::parsePrefix(in));
  if (!read) return std::optional<Value>();
  return std::visit([](auto& one) { return std::optional<Value>(Layout(std::move(one))); }, *read);
}

// soft.%fusion.1, move.%q: a part of a module or program that an earlier line binds.
Result<std::optional<Value>> readPart(Cursor& in, const NameLookup& names) {
  for (const auto read : extension().parts) {
    TESSERA_TRY(std::optional<Value> value, read(in, names));
    if (value) return value;
  }
  return std::optional<Value>();
}

// cuda { ... } over (row = 64, col = 64) with N = 64
Result<std::optional<Value>> readCode(Cursor& in, const NameLookup& names) {
  TESSERA_TRY(auto read, code::parsePrefix(in));
  if (read) return std::optional<Value>(Layout(*std::move(read)));
  // C.row: a value of the block that an earlier line binds to C.
  Cursor ahead = in;
  const std::string name(ahead.peekWord());
  ahead.advance(name.size());
  if (name.empty() || ahead.raw() != '.' || !names) return std::optional<Value>();
  const Value* bound = names(name);
  const auto* block = bound == nullptr ? nullptr : as<code::IndexCode>(*bound);
  if (block == nullptr) return std::optional<Value>();
  ahead.advance();
  const std::size_t begin = ahead.position();
  std::size_t end = begin;
  const std::string_view text = ahead.text();
  while (end < text.size() &&
         (isNamePart(text[end]) || (text[end] == '.' && end + 1 < text.size() && isNamePart(text[end + 1]))))
    ++end;
  // C.line 57: the access at a line of the text.
  if (text.substr(begin, end - begin) == "line" && end + 1 < text.size() && text[end] == ' ' &&
      isDigit(text[end + 1])) {
    ++end;
    while (end < text.size() && isDigit(text[end])) ++end;
  }
  // K.shared s: the accesses of a kernel to a variable of shared memory.
  if (block->run && text.substr(begin, end - begin) == "shared") {
    constexpr std::string_view kFollow[] = {"as", "at", "where", "over", "with", "and", "or", "to", "in", "for"};
    ahead.seek(end);
    const std::string variable(ahead.peekWord());
    if (!variable.empty() && std::ranges::find(kFollow, variable) == std::end(kFollow)) {
      end = ahead.position() + variable.size();
      if (end + 1 < text.size() && text[end] == '.' && isDigit(text[end + 1]))
        for (++end; end < text.size() && isDigit(text[end]);) ++end;
    }
  }
  Result<code::IndexCode> part = code::selected(*block, text.substr(begin, end - begin));
  if (!part) {
    part.error().span = {begin, end};
    return part.error();
  }
  in.seek(end);
  return std::optional<Value>(Layout(*std::move(part)));
}

// %A and #warp are the tensors bound to A and warp by earlier lines.
Result<std::optional<Value>> readGraphene(Cursor& in, const NameLookup& names) {
  const std::size_t begin = in.position();
  TESSERA_TRY(auto read, graphene::parsePrefix(
                             in,
                             [&](const std::string& name) -> std::optional<graphene::Tensor> {
                               const Value* bound = names ? names(name) : nullptr;
                               const auto* tensor = bound == nullptr ? nullptr : as<graphene::Tensor>(*bound);
                               return tensor == nullptr ? std::nullopt : std::optional(*tensor);
                             },
                             graphene::atlasFragment));
  if (!read) return std::optional<Value>();
  if (auto fault = graphene::elementFault(*read, in.text(), in.spanFrom(begin))) return *std::move(fault);
  Cursor ahead = in;  // #warp.tile([8:1]).indices(): the map from threads to coordinates
  if (ahead.accept('.') && ahead.accept("indices") && ahead.accept('(') && ahead.accept(')')) {
    in.seek(ahead.position());
    TESSERA_TRY(Arrow arrow, graphene::threadArrow(*read));
    return std::optional<Value>(Layout(std::move(arrow)));
  }
  return std::optional<Value>(Layout(*std::move(read)));
}

// With the aliases bound by earlier lines.
Result<std::optional<Value>> readTriton(Cursor& in, const NameLookup& names) {
  TESSERA_TRY(auto read, triton::parsePrefix(in, [&](const std::string& name) -> std::optional<triton::Encoding> {
                const Value* bound = names ? names(name) : nullptr;
                const auto* layout = bound == nullptr ? nullptr : as<triton::Layout>(*bound);
                return layout == nullptr ? std::nullopt : layout->encoding;
              }));
  if (!read) return std::optional<Value>();
  triton::Layout layout;
  if (read->types.empty())
    layout.encoding = std::move(read->encoding);
  else
    layout = std::move(read->types.back());  // possibly after its aliases
  if (!layout.encoding) return Diag{"this type has no layout", "tensor<128x64xf16, #ttg....>"};
  return std::optional<Value>(Layout(std::move(layout)));
}

Result<std::optional<Value>> readAxe(Cursor& in, const NameLookup&) {
  std::optional<Map> map;
  if (in.raw() != '(') {  // the paper's form has no symbolic sizes
    TESSERA_TRY(map, axe::parseParametricPrefix(in));
  }
  if (!map) return wrapped(axe::parsePrefix(in));
  const bool memory = map->axes().size() == 1 && map->axes()[0].name == axe::kMemoryAxis;
  return std::optional<Value>(Layout(arrowOf(*std::move(map), SpaceKind::Elements, LinearOrder::Lex,
                                             memory ? SpaceKind::Memory : SpaceKind::Hardware)));
}

Result<std::optional<Value>> readCute(Cursor& in, const NameLookup&) {
  TESSERA_TRY(std::optional<cute::Value> read, cute::parsePrefix(in));
  if (!read) return std::optional<Value>();
  if (auto* tuple = std::get_if<cute::IntTuple>(&*read)) {
    if (tuple->isPlain()) return std::optional<Value>(tuple->value());
    return std::optional<Value>(std::move(*tuple));
  }
  if (auto* layout = std::get_if<cute::Layout>(&*read)) return std::optional<Value>(Layout(std::move(*layout)));
  if (auto* composed = std::get_if<cute::ComposedLayout>(&*read))
    return std::optional<Value>(Layout(std::move(*composed)));
  if (auto* swizzle = std::get_if<cute::Swizzle>(&*read)) return std::optional<Value>(Layout(*swizzle));
  if (auto* tiler = std::get_if<cute::Tiler>(&*read)) return std::optional<Value>(std::move(*tiler));
  return Diag{"a pointer without a layout is not a value", "POINTER o LAYOUT"};
}

constexpr auto kRows = std::to_array<LiteralRow>({
    {"text", "\"", false, "", false, readQuoted},
    {"graphene", "%#", false, "", false, readGraphene},
    {"part", "", true, "", false, readPart},
    {"code", "", true, "", false, readCode},
    {"xla", "(%", true, " b ", false, readXla},
    {"triton", "#!t", false, "", false, readTriton},
    {"place", "{", false, "", false, readBy<axe::parsePlacePrefix>},
    {"axe", "(0123456789", true, " Layout ", true, readAxe},
    {"mesh", "m", false, " mesh ", false, readBy<axe::parseMeshPrefix>},
    {"linear", "-", true, "", false, readBy<linear::parsePrefix>},
    {"indexing", "(KU", false, "", false, readBy<indexing::parsePrefix>},
    {"cute", "(0123456789-?!", true, " counting_iter ArithTuple tensor ", true, readCute},
});

// The rows whose literals may begin with this byte, one bit each.
constexpr auto kRowsOf = [] {
  std::array<unsigned, 256> rows{};
  for (unsigned c = 1; c < 256; ++c)
    for (std::size_t k = 0; k < kRows.size(); ++k)
      if (kRows[k].first.find(static_cast<char>(c)) != std::string_view::npos ||
          (kRows[k].names && isNameStart(static_cast<char>(c))))
        rows[c] |= 1U << k;
  return rows;
}();
constexpr unsigned kWithNumbers = [] {
  unsigned rows = 0;
  for (std::size_t k = 0; k < kRows.size(); ++k) rows |= kRows[k].numbers ? 1U << k : 0U;
  return rows;
}();

LiteralKind kindOf(std::string_view text, const Value& value) {
  if (std::holds_alternative<Text>(value)) return LiteralKind::String;
  if (text.find_first_not_of("0123456789") == std::string_view::npos) return LiteralKind::Integer;
  const bool tuple = std::holds_alternative<i64>(value) || std::holds_alternative<cute::IntTuple>(value) ||
                     std::holds_alternative<cute::Tiler>(value);
  return tuple ? LiteralKind::Tuple : LiteralKind::Layout;
}

// "composition" in composition(A, B); empty if no name begins here or no bracket follows directly.
std::string_view calledName(std::string_view text, std::size_t from) {
  if (from >= text.size() || !isNameStart(text[from])) return {};
  const std::size_t end = skipWord(text, from);
  return end < text.size() && text[end] == '(' ? text.substr(from, end - from) : std::string_view();
}

bool mayCall(const LiteralRow& row, std::string_view name) {
  const std::size_t at = row.calls.find(name);
  return at != std::string_view::npos && at > 0 && row.calls[at - 1] == ' ' && row.calls[at + name.size()] == ' ';
}

// Places a literal's Diag: at its last byte if something is missing after it, else at what was read.
Diag placedIn(Diag diag, const Cursor& in, std::size_t from) {
  const std::size_t end = in.text().find_last_not_of(" \t\r\n") + 1;
  if (!diag.span.empty()) return diag;
  diag.span = diag.span.begin > from ? Span{std::min(diag.span.begin, end) - 1, std::min(diag.span.begin, end)}
                                     : Span{from, std::max(end, from + 1)};
  return diag;
}

}  // namespace

std::span<const LiteralRow> literalRows() { return kRows; }

void NotLiterals::learn(std::size_t row, std::string_view text, std::size_t from, std::size_t gaveUp) {
  std::vector<std::size_t> open;
  spend(static_cast<Work>((std::max(gaveUp, from) - from) / 16));
  for (std::size_t k = from; k < std::min(gaveUp, text.size()); ++k) {
    if (text[k] == '(') open.push_back(k);
    if (text[k] == ')' && !open.empty()) open.pop_back();
  }
  for (const std::size_t at : open)
    if (at > from) known_.emplace(row, at);
}

bool NotLiterals::has(std::size_t row, std::size_t at) const { return !known_.empty() && known_.contains({row, at}); }

Result<std::optional<Literal>> readLiteral(std::string_view text, std::size_t from, std::size_t to,
                                           const NameLookup& names, NotLiterals& none) {
  Cursor in(text.substr(0, to), {}, from);
  const std::string_view called = calledName(in.text(), from);
  unsigned left = kRowsOf[static_cast<unsigned char>(in.raw())];
  if (in.raw() == '(' && isDigit(in.raw(1))) left &= kWithNumbers;
  for (; left != 0; left &= left - 1) {
    const auto index = static_cast<std::size_t>(std::countr_zero(left));
    const LiteralRow& row = kRows[index];
    if ((!called.empty() && !mayCall(row, called)) || none.has(index, from)) continue;
    in.giveUp(0);
    Result<std::optional<Value>> value = row.read(in, names);
    if (!value) return placedIn(value.error(), in, from);
    if (!*value) {
      none.learn(index, in.text(), from, in.gaveUp());
      continue;
    }
    const std::size_t end = trimEnd(text, from, in.position());
    const LiteralKind kind = kindOf(text.substr(from, end - from), **value);
    return std::optional(Literal{**std::move(value), kind, end, &row});
  }
  return std::optional<Literal>();
}

bool isLiteralOf(const Node& node, std::string_view notation) {
  return node.kind == Node::Kind::Literal && node.row != nullptr && node.row->notation == notation;
}

std::vector<Diag> literalNotes(const Value& value) {
  if (const auto* axe = as<axe::Layout>(value)) return axe::axisNotes(*axe);  // "lan" is close to "lane"
  if (const auto* code = as<code::IndexCode>(value); code != nullptr && code->run != nullptr)
    return {Diag{code->run->verdict}};
  const auto* composed = as<cute::ComposedLayout>(value);
  const std::string address = composed == nullptr ? "" : composed->baseAddress();
  if (address.empty()) return {};
  return {Diag{address + " is the address of the tensor; its values are relative to it"}};
}

}  // namespace tessera
