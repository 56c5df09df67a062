#include "core/worksheet/value.h"

#include <fmt/format.h>

#include "core/notation/axe/map.h"
#include "core/notation/cute/lower.h"
#include "core/notation/tla/lower.h"
#include "core/notation/xla/address.h"

namespace tessera {
namespace {

struct KindName {
  std::string operator()(i64) const { return "int"; }
  std::string operator()(bool) const { return "bool"; }
  std::string operator()(const Text&) const { return "text"; }
  std::string operator()(const IntTuple&) const { return "tuple"; }
  std::string operator()(const CuteLayout&) const { return "layout"; }
  std::string operator()(const ComposedLayout& l) const { return l.isTensor() ? "tensor" : "layout"; }
  std::string operator()(const Swizzle&) const { return "swizzle"; }
  std::string operator()(const TlaLayout&) const { return "layout"; }
  std::string operator()(const Tiler&) const { return "tiler"; }
  std::string operator()(const Map&) const { return "map"; }
  std::string operator()(const Explanation&) const { return "explanation"; }
  std::string operator()(const Verdict&) const { return "verdict"; }
  std::string operator()(const AtlasRow&) const { return "instruction"; }
  std::string operator()(const TiledMma&) const { return "tiled_mma"; }
  std::string operator()(const TiledCopy&) const { return "tiled_copy"; }
  std::string operator()(const BankAccess&) const { return "banks"; }
  std::string operator()(const SwizzleFinding&) const { return "search"; }
  std::string operator()(const AxeLayout&) const { return "axe"; }
  std::string operator()(const AxeComposed&) const { return "axe"; }
  std::string operator()(const AxePlace&) const { return "place"; }
  std::string operator()(const AxePlaces&) const { return "places"; }
  std::string operator()(const AxeCoords&) const { return "coords"; }
  std::string operator()(const Mesh&) const { return "mesh"; }
  std::string operator()(const LinearLayout&) const { return "linear"; }
  std::string operator()(const TritonLayout&) const { return "triton"; }
  std::string operator()(const IndexingMap&) const { return "map"; }
  std::string operator()(const Chain&) const { return "chain"; }
  std::string operator()(const XlaShape&) const { return "shape"; }
  std::string operator()(const XlaInstruction&) const { return "hlo"; }
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
    return fmt::format("{} x {}, tile {}x{}x{}\nA: {}\nB: {}\nC: {}", t.atom.name, tessera::print(t.threads), t.tile[0],
                       t.tile[1], t.tile[2], tessera::print(t.a), tessera::print(t.b), tessera::print(t.c));
  }
  std::string operator()(const TiledCopy& t) const {
    return fmt::format("{}, tile {}x{}\nsrc: {}\ndst: {}", t.atom.name, t.tile[0], t.tile[1], tessera::print(t.source),
                       tessera::print(t.destination));
  }
  std::string operator()(const BankAccess& b) const { return tessera::print(b.report); }
  template <typename T>
  std::string operator()(const T& value) const {
    return tessera::print(value);
  }
};

}  // namespace

std::string print(const SwizzleFinding& finding) {
  if (finding.linear) {
    if (!finding.linear->exists()) return finding.linear->none;
    return fmt::format("{}  over {}\n{}", print(*finding.linear), print(finding.layout),
                       cudaIndexCode(*finding.linear, finding.layout));
  }
  const SwizzleSearch& s = finding.search;
  std::string out;
  const auto line = [&out](const std::string& text) { out += (out.empty() ? "" : "\n") + text; };
  for (const SwizzleAnswer& a : s.swizzles) {
    line(a.cute);
    if (a.kind == SwizzleAnswer::Kind::AsIs) out += "  (as it is)";
    if (!a.tma.empty()) out += "  " + a.tma;
    if (!a.triton.empty()) out += "  " + a.triton;
  }
  for (const SwizzleAnswer& a : s.paddings) line(fmt::format("{}  (rows padded by {})", a.cute, a.padding));
  if (s.swizzles.empty()) {
    line(fmt::format("no Swizzle<B,M,S> of {} serves all accesses; {} that clash{}:", s.candidates,
                     s.clash.size() == 1 ? "the one" : fmt::format("the {}", s.clash.size()),
                     s.clashIsSmallest ? "" : " (not shown to be the fewest)"));
    for (const SwizzleClash& c : s.clash) line("  " + c.text);
  }
  return out;
}

std::string_view nounOf(const Value& value) {
  struct Noun {
    std::string_view operator()(i64) const { return "an integer"; }
    std::string_view operator()(bool) const { return "a condition"; }
    std::string_view operator()(const Text&) const { return "a text"; }
    std::string_view operator()(const IntTuple& t) const {
      return t.isWildcard() ? "'_'" : t.isTuple() ? "a tuple" : "an integer";
    }
    std::string_view operator()(const CuteLayout&) const { return "a layout"; }
    std::string_view operator()(const ComposedLayout&) const { return "a composed layout"; }
    std::string_view operator()(const Swizzle&) const { return "a swizzle"; }
    std::string_view operator()(const TlaLayout&) const { return "a TLA layout"; }
    std::string_view operator()(const Tiler&) const { return "a tiler"; }
    std::string_view operator()(const Map&) const { return "a map"; }
    std::string_view operator()(const Explanation&) const { return "an explanation"; }
    std::string_view operator()(const Verdict&) const { return "a verdict"; }
    std::string_view operator()(const AtlasRow&) const { return "an instruction"; }
    std::string_view operator()(const TiledMma&) const { return "a tiled mma"; }
    std::string_view operator()(const TiledCopy&) const { return "a tiled copy"; }
    std::string_view operator()(const BankAccess&) const { return "a bank report"; }
    std::string_view operator()(const Chain&) const { return "a chain"; }
    std::string_view operator()(const SwizzleFinding&) const { return "the result of a search"; }
    std::string_view operator()(const AxeLayout&) const { return "an Axe layout"; }
    std::string_view operator()(const AxeComposed&) const { return "a swizzled Axe layout"; }
    std::string_view operator()(const AxePlace&) const { return "a place"; }
    std::string_view operator()(const AxePlaces&) const { return "a list of places"; }
    std::string_view operator()(const AxeCoords&) const { return "a list of coordinates"; }
    std::string_view operator()(const Mesh&) const { return "a mesh"; }
    std::string_view operator()(const LinearLayout&) const { return "a linear layout"; }
    std::string_view operator()(const TritonLayout&) const { return "a Triton layout"; }
    std::string_view operator()(const IndexingMap&) const { return "an indexing map"; }
    std::string_view operator()(const XlaShape&) const { return "an XLA shape"; }
    std::string_view operator()(const XlaInstruction&) const { return "an HLO instruction"; }
  };
  return std::visit(Noun{}, value);
}

std::string kindOf(const Value& value) { return std::visit(KindName{}, value); }
std::string print(const Value& value) { return std::visit(Printer{}, value); }

const XlaShape* xlaShapeIn(const Value& value) {
  if (const auto* line = std::get_if<XlaInstruction>(&value)) return &line->shape;
  return std::get_if<XlaShape>(&value);
}

Result<Map> toMap(const Value& value) {
  if (const auto* map = std::get_if<Map>(&value)) return *map;
  if (const auto* layout = std::get_if<CuteLayout>(&value)) return toMap(*layout);
  if (const auto* composed = std::get_if<ComposedLayout>(&value)) return toMap(*composed);
  if (const auto* tla = std::get_if<TlaLayout>(&value)) return toMap(*tla);
  if (const auto* indexing = std::get_if<IndexingMap>(&value)) return toMap(*indexing);
  if (const auto* mesh = std::get_if<Mesh>(&value)) return toMap(*mesh);
  if (const auto* axe = std::get_if<AxeLayout>(&value)) return toMap(*axe);
  if (const auto* axe = std::get_if<AxeComposed>(&value)) return toMap(*axe);
  if (const auto* linear = std::get_if<LinearLayout>(&value)) return toMap(*linear);
  if (const auto* triton = std::get_if<TritonLayout>(&value)) return toMap(*triton);
  if (const XlaShape* shape = xlaShapeIn(value)) return toMap(*shape);
  if (std::holds_alternative<IntTuple>(value) || std::holds_alternative<i64>(value)) {
    const IntTuple shape =
        std::holds_alternative<i64>(value) ? IntTuple(std::get<i64>(value)) : std::get<IntTuple>(value);
    TESSERA_TRY(const CuteLayout layout, CuteLayout::compact(shape));
    return toMap(layout);
  }
  if (std::holds_alternative<Swizzle>(value)) {
    return Diag{"a swizzle alone has no extent, so it is no map",
                "S o L, with the layout that it is applied to",
                print(std::get<Swizzle>(value)) + " o 1024:1",
                {}};
  }
  return Diag{fmt::format("{} has no map", nounOf(value)), "a layout, a composed layout or a map", "", {}};
}

}  // namespace tessera
