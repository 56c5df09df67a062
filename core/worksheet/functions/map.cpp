// Functions on maps, the common meaning of all notations.
#include <fmt/format.h>

#include <array>

#include "core/base/mapped.h"
#include "core/map/compose.h"
#include "core/worksheet/functions/calls.h"

namespace tessera {
namespace {

void replaceAll(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

void inC(std::string& text) {
  for (const auto& [ours, theirs] : {std::pair{" floordiv ", " / "}, {" mod ", " % "}, {" xor ", " ^ "}})
    replaceAll(text, ours, theirs);
}

// "(t / 8) % 4, t in [0, 31]" -> "t / 8": in C's operators, over the integers of the ranges; / and % round down.
Result<Value> simplifiedExpression(const Call& c, const std::string& text) {
  TESSERA_TRY(const Map map, rangedMap(text, c.args[0].span));
  std::vector<std::string> names = mapped<std::string>(map.digits(), &Digit::name);
  std::string out = print(withSimplerValues(map).axes()[0].value, names);
  inC(out);
  return Value(Text{std::move(out)});
}

Result<Value> simplifyCall(const Call& c) {
  if (const auto* text = std::get_if<Text>(&c[0])) return simplifiedExpression(c, text->text);
  if (const auto* indexing = as<indexing::IndexingMap>(c[0])) return Value(Layout(simplified(*indexing)));
  TESSERA_TRY(Arrow arrow, c.arrow(0));
  Map simpler = simplified(arrow.map);
  if (simpler.digits() != arrow.map.digits()) {  // constraints shrank the box: the digits no longer match the modes
    arrow = arrowOf(std::move(simpler), arrow.from.kind, arrow.from.order, arrow.to.kind);
  } else {
    arrow.map = std::move(simpler);
  }
  return Value(Layout(std::move(arrow)));
}

Result<Value> inSequence(const Arrow& first, const Arrow& second) {
  Arrow both = first;  // first's coordinates, second's places
  TESSERA_TRY(both.map, then(first.map, second.map));
  both.to = second.to;
  return Value(Layout(std::move(both)));
}

// compose(F, G): first F, then G. With an indexing map, points outside G's box are dropped, as in XLA; otherwise they
// are an error.
Result<Value> composeCall(const Call& c) {
  if (is<indexing::IndexingMap>(c[0]) || is<indexing::IndexingMap>(c[1])) {
    TESSERA_TRY(const indexing::IndexingMap first, indexingAt(c, 0));
    TESSERA_TRY(const indexing::IndexingMap second, indexingAt(c, 1));
    return valueOf(c, 1, compose(first, second));
  }
  TESSERA_TRY(const Arrow first, c.arrow(0));
  TESSERA_TRY(const Arrow second, c.arrow(1));
  return inSequence(first, second);
}

Result<Value> toIndexingCall(const Call& c) {
  if (is<indexing::IndexingMap>(c[0])) return c[0];
  TESSERA_TRY(const Arrow arrow, c.arrow(0));
  TESSERA_TRY(const Arrow whole, withSimplerModes(arrow));  // one dimension per mode
  return Value(Layout(indexing::toIndexingMap(whole.map)));
}

constexpr auto kFunctions = std::to_array<Function>({
    {"to_map", "to_map(L)", "L as a map: digits -> axes", 1, 1, typed<kWholeCall, withSimplerModes>},
    {"to_indexing_map", "to_indexing_map(L)", "L in XLA's notation: (d0, d1) -> (d0 * 8 + d1), domain: ...", 1, 1,
     toIndexingCall},
    {"simplify", "simplify(M)", "the same map with simpler expressions; simplify((t / 8) % 4, t in [0, 31])", 1, 1,
     simplifyCall},
    {"compose", "compose(FIRST, SECOND)", "c -> SECOND(FIRST(c)), as a map", 2, 2, composeCall, true},
});

}  // namespace

std::span<const Function> mapFunctions() { return kFunctions; }

bool isPlainMap(const Value& value) {
  const auto* layout = std::get_if<Layout>(&value);
  return layout != nullptr && layout->family() == "map";
}

std::optional<Result<Value>> composeMaps(const Value& outer, const Value& inner) {
  TESSERA_TRY(const Arrow first, arrowOf(inner));
  TESSERA_TRY(const Arrow second, arrowOf(outer));
  return inSequence(first, second);
}

Result<indexing::IndexingMap> indexingAt(const Call& c, std::size_t k) {
  if (const auto* indexing = as<indexing::IndexingMap>(c[k])) return *indexing;
  TESSERA_TRY(const Map map, c.map(k));
  return indexing::toIndexingMap(map);
}

Result<indexing::IndexingMap> simplifiableAt(const Call& c) {
  if (const auto* text = std::get_if<Text>(&c[0])) {
    TESSERA_TRY(const Map ranged, rangedMap(text->text, c.args[0].span));
    return indexing::toIndexingMap(ranged);
  }
  TESSERA_TRY(indexing::IndexingMap map, indexingAt(c, 0));
  if (map.undefined) return c.wrong(0, "a map that is defined");
  return map;
}

Result<Map> rangedMap(std::string_view all, Span span) {
  std::size_t first = all.find(" in [");  // the first range begins after the last comma before it
  first = first == std::string_view::npos ? first : all.rfind(',', first);
  const Diag wanted{"an expression and the range of each of its names", "simplify((t / 8) % 4, t in [0, 31])", "",
                    span};
  if (first == std::string_view::npos) return wanted;
  const std::string_view ranges = all.substr(first + 1);
  std::vector<std::string> names;
  for (std::size_t at = ranges.find(" in ["); at != std::string_view::npos; at = ranges.find(" in [", at + 1)) {
    const std::size_t comma = ranges.rfind(',', at), begin = comma == std::string_view::npos ? 0 : comma + 1;
    std::string name(ranges.substr(begin, at - begin));
    std::erase_if(name, [](char ch) { return ch == ' '; });
    names.push_back(std::move(name));
  }
  auto map =
      indexing::parse(fmt::format("({}) -> ({}), domain: {}", fmt::join(names, ", "), all.substr(0, first), ranges));
  if (!map) return Diag{map.error().message, map.error().expected, map.error().hint, span};
  if (map->map.axes().size() != 1) return wanted;
  return std::move(map->map);
}

}  // namespace tessera
