#include "core/notation/cute/text/text.h"

#include <fmt/format.h>

#include "core/notation/cute/text/parser.h"

namespace tessera::cute {

Result<Value> parse(std::string_view text) {
  Parser parser(text);
  TESSERA_TRY(Value value, parser.chain());
  TESSERA_CHECKED(parser.expectEnd());
  return value;
}

Result<std::optional<Value>> parsePrefix(Cursor& cursor) {
  Parser parser(cursor.text(), cursor.position());
  TESSERA_TRY(std::optional<Value> value, parser.literal());
  if (value) {
    cursor.seek(parser.cursor().position());
  } else {
    cursor.giveUp(parser.cursor().gaveUp());
  }
  return value;
}

std::string_view nameOf(const Value& value) {
  static constexpr std::string_view kNames[] = {"tuple", "layout", "composed layout", "swizzle", "tiler", "pointer"};
  if (const auto* t = std::get_if<IntTuple>(&value); t != nullptr && t->isLeaf()) return "number";
  return kNames[value.index()];
}

std::string print(const Engine& engine) { return engine.text + engine.closing; }

std::string print(const Value& value) {
  return std::visit([](const auto& v) { return print(v); }, value);
}

namespace {

Diag innerMissing(const Value& last) {
  Diag diag{fmt::format("a {} where the inner layout should be", nameOf(last)),
            "a layout shape:stride after the last ` o `"};
  if (const auto* tuple = std::get_if<IntTuple>(&last)) {
    const Result<Layout> guess = Layout::compact(*tuple);
    if (tuple->isTuple() && guess.ok()) diag.hint = fmt::format("did you mean {}?", print(*guess));
  }
  return diag;
}

// The offset tuple in the text of an Arith engine; otherwise _0.
Result<IntTuple> offsetOf(const Engine& engine) {
  if (engine.kind != Engine::Kind::Arith) return IntTuple::staticLeaf(0);
  const std::size_t open = engine.text.find('(');
  return parseIntTuple(std::string_view(engine.text).substr(open));
}

Result<Value> composeTensor(const Value& first, const Layout& inner) {
  if (const auto* t = std::get_if<IntTuple>(&first))  // CuTe DSL: (0,0) o (4,5):(1@0,1@1)
    return asValue(ComposedLayout::make({}, *t, inner, {.kind = Engine::Kind::Arith, .text = print(*t)}));
  Engine engine = std::get<Engine>(first);
  TESSERA_TRY(IntTuple offset, offsetOf(engine));
  return asValue(ComposedLayout::make({}, std::move(offset), inner, std::move(engine)));
}

}  // namespace

Result<Value> composeParts(const std::vector<Value>& parts) {
  if (parts.empty()) return Diag{"nothing to compose", "a layout"};
  if (parts.size() == 1) {
    if (!std::holds_alternative<Engine>(parts[0])) return parts[0];
    return Diag{"a pointer without a layout", "smem_ptr[16b](0x400) o (8,64):(64,1)"};
  }
  if (parts.size() > 3) return Diag{fmt::format("{} parts joined by ` o `", parts.size()), "outer o offset o layout"};
  const auto* inner = std::get_if<Layout>(&parts.back());
  const auto* composed = std::get_if<ComposedLayout>(&parts.back());
  ComposedLayout::Outer outer;
  if (const auto* s = std::get_if<Swizzle>(&parts[0])) outer = *s;
  if (const auto* l = std::get_if<Layout>(&parts[0])) outer = *l;
  if (composed != nullptr && outer.index() == 1 && parts.size() == 2 && composed->isTensor())
    return asValue(ComposedLayout::make(outer, composed->offset(), composed->inner(), composed->engine()));
  if (inner == nullptr) return innerMissing(parts.back());
  if (outer.index() == 0) {
    if (parts.size() == 2 && (std::holds_alternative<Engine>(parts[0]) || std::holds_alternative<IntTuple>(parts[0])))
      return composeTensor(parts[0], *inner);
    return Diag{fmt::format("a {} where the outer function should be", nameOf(parts[0])), "a swizzle or a layout"};
  }
  IntTuple offset = IntTuple(0).withStatic(inner->isStatic());
  Engine engine;
  if (parts.size() == 3) {
    if (const auto* t = std::get_if<IntTuple>(&parts[1])) {
      offset = *t;
    } else if (const auto* e = std::get_if<Engine>(&parts[1])) {
      engine = *e;
      TESSERA_TRY(offset, offsetOf(engine));
    } else {
      return Diag{fmt::format("a {} where the offset should be", nameOf(parts[1])),
                  "an integer or smem_ptr[16b](unset)"};
    }
  }
  return asValue(ComposedLayout::make(std::move(outer), std::move(offset), *inner, std::move(engine)));
}

namespace {

Diag wrongKind(const Value& value, std::string_view wanted, std::string_view expected, std::string_view text) {
  return {fmt::format("a {} where a {} should be", nameOf(value), wanted), std::string(expected), "", {0, text.size()}};
}

template <typename T>
Result<T> parseAs(std::string_view text, std::string_view wanted) {
  TESSERA_TRY(Value value, parse(text));
  if (auto* t = std::get_if<T>(&value)) return std::move(*t);
  return wrongKind(value, wanted, wanted, text);
}

}  // namespace

Result<IntTuple> parseIntTuple(std::string_view text) { return parseAs<IntTuple>(text, "tuple of integers"); }
Result<Swizzle> parseSwizzle(std::string_view text) { return parseAs<Swizzle>(text, "swizzle"); }
Result<ComposedLayout> parseComposedLayout(std::string_view text) {
  return parseAs<ComposedLayout>(text, "composed layout");
}

Result<Layout> parseLayout(std::string_view text) {
  TESSERA_TRY(Value value, parse(text));
  if (auto* layout = std::get_if<Layout>(&value)) return std::move(*layout);
  if (auto* shape = std::get_if<IntTuple>(&value)) {
    Result<Layout> compact = Layout::compact(*shape);
    if (!compact) compact.error().span = {0, text.size()};
    return compact;
  }
  return wrongKind(value, "layout", "a layout shape:stride", text);
}

}  // namespace tessera::cute
