#include "core/worksheet/value.h"

#include <fmt/format.h>

#include "core/notation/cute/notation.h"

namespace tessera {
namespace {

struct KindName {
  std::string operator()(i64) const { return "int"; }
  std::string operator()(bool) const { return "bool"; }
  std::string operator()(const Text&) const { return "text"; }
  std::string operator()(const cute::IntTuple&) const { return "tuple"; }
  std::string operator()(const Layout& l) const { return std::string(l.kind()); }
  std::string operator()(const cute::Tiler&) const { return "tiler"; }
  std::string operator()(const cute::Explanation&) const { return "explanation"; }
  std::string operator()(const Verdict&) const { return "verdict"; }
  std::string operator()(const AtlasRow&) const { return "instruction"; }
  std::string operator()(const TiledMma&) const { return "tiled_mma"; }
  std::string operator()(const TiledCopy&) const { return "tiled_copy"; }
  std::string operator()(const BankAccess&) const { return "banks"; }
  std::string operator()(const SwizzleFinding&) const { return "search"; }
  std::string operator()(const axe::Place&) const { return "place"; }
  std::string operator()(const axe::Places&) const { return "places"; }
  std::string operator()(const axe::Coords&) const { return "coords"; }
  std::string operator()(const Chain&) const { return "chain"; }
  std::string operator()(const graphene::Listing&) const { return "program"; }
};

struct Noun {
  std::string_view operator()(i64) const { return "an integer"; }
  std::string_view operator()(bool) const { return "a condition"; }
  std::string_view operator()(const Text&) const { return "a text"; }
  std::string_view operator()(const cute::IntTuple& t) const {
    return t.isWildcard() ? "'_'" : t.isTuple() ? "a tuple" : "an integer";
  }
  std::string_view operator()(const Layout& l) const { return l.noun(); }
  std::string_view operator()(const cute::Tiler&) const { return "a tiler"; }
  std::string_view operator()(const cute::Explanation&) const { return "an explanation"; }
  std::string_view operator()(const Verdict&) const { return "a verdict"; }
  std::string_view operator()(const AtlasRow&) const { return "an instruction"; }
  std::string_view operator()(const TiledMma&) const { return "a tiled mma"; }
  std::string_view operator()(const TiledCopy&) const { return "a tiled copy"; }
  std::string_view operator()(const BankAccess&) const { return "a bank report"; }
  std::string_view operator()(const Chain&) const { return "a chain"; }
  std::string_view operator()(const SwizzleFinding&) const { return "the result of a search"; }
  std::string_view operator()(const axe::Place&) const { return "a place"; }
  std::string_view operator()(const axe::Places&) const { return "a list of places"; }
  std::string_view operator()(const axe::Coords&) const { return "a list of coordinates"; }
  std::string_view operator()(const graphene::Listing&) const { return "a Graphene program"; }
};

struct Printer {
  std::string operator()(i64 n) const { return std::to_string(n); }
  std::string operator()(bool b) const { return b ? "true" : "false"; }
  std::string operator()(const Text& t) const { return t.text; }
  std::string operator()(const Verdict& v) const {
    std::string out = fmt::format("{}: {}", name(v.truth), v.claim);
    if (v.truth == Truth::Refuted && v.counterexample) return out + ": " + v.counterexample->text;
    return v.truth == Truth::Unknown && !v.detail.empty() ? out + ": " + v.detail : out;
  }
  std::string operator()(const AtlasRow& row) const {
    std::string out = row.name;
    for (const AtlasOperand& o : row.operands) out += fmt::format("\n{}: {}", o.name, o.layout);
    return out;
  }
  std::string operator()(const TiledMma& t) const {
    return fmt::format("{} x {}, tile {}x{}x{}\nA: {}\nB: {}\nC: {}", t.atom.name, print(t.threads), t.tile[0],
                       t.tile[1], t.tile[2], print(t.a), print(t.b), print(t.c));
  }
  std::string operator()(const TiledCopy& t) const {
    return fmt::format("{}, tile {}x{}\nsrc: {}\ndst: {}", t.atom.name, t.tile[0], t.tile[1], print(t.source),
                       print(t.destination));
  }
  std::string operator()(const BankAccess& b) const { return print(b.report); }
  std::string operator()(const axe::Place& place) const { return axe::print(place); }
  template <typename T>
  std::string operator()(const T& value) const {
    return print(value);
  }
};

}  // namespace

std::string kindOf(const Value& value) { return std::visit(KindName{}, value); }
std::string_view nounOf(const Value& value) { return std::visit(Noun{}, value); }
std::string textOf(const Value& value) { return std::visit(Printer{}, value); }

std::optional<cute::IntTuple> tupleIn(const Value& value) {
  if (const auto* n = std::get_if<i64>(&value)) return cute::IntTuple(*n);
  const auto* tuple = std::get_if<cute::IntTuple>(&value);
  return tuple == nullptr ? std::nullopt : std::optional(*tuple);
}
std::optional<i64> integerIn(const Value& value) {
  const auto tuple = tupleIn(value);
  const cute::IntTuple leaf = tuple ? unwrapped(*tuple) : cute::IntTuple::wildcard();
  return leaf.isPlain() ? std::optional(leaf.value()) : std::nullopt;
}

const Layout* heldLayout(const Value& value) { return std::get_if<Layout>(&value); }

Result<Layout> layoutOf(const Value& value) {
  if (const Layout* layout = heldLayout(value)) return *layout;
  if (const auto shape = tupleIn(value)) {
    TESSERA_TRY(cute::Layout compact, cute::Layout::compact(*shape));
    return Layout(std::move(compact));
  }
  return Diag{fmt::format("{} is no layout", nounOf(value)), "a layout of any notation, or a map", "", {}};
}

Result<Arrow> arrowOf(const Value& value) {
  TESSERA_TRY(const Layout layout, layoutOf(value));
  return layout.arrow();
}

Result<Map> toMap(const Value& value) {
  TESSERA_TRY(Arrow arrow, arrowOf(value));
  return std::move(arrow.map);
}

}  // namespace tessera
