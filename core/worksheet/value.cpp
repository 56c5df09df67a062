#include "core/worksheet/value.h"

#include <fmt/format.h>

#include "core/notation/cute/notation.h"
#include "core/worksheet/extension.h"

namespace tessera {
namespace {

struct Name {
  std::string_view kind, noun;
};
struct NameOf {
  Name operator()(i64) const { return {"int", "an integer"}; }
  Name operator()(bool) const { return {"bool", "a condition"}; }
  Name operator()(const Text&) const { return {"text", "a text"}; }
  Name operator()(const cute::IntTuple& t) const {
    return {"tuple", t.isWildcard() ? "'_'" : t.isTuple() ? "a tuple" : "an integer"};
  }
  Name operator()(const Layout& l) const { return {l.kind(), l.noun()}; }
  Name operator()(const cute::Tiler&) const { return {"tiler", "a tiler"}; }
  Name operator()(const cute::Explanation&) const { return {"explanation", "an explanation"}; }
  Name operator()(const Verdict&) const { return {"verdict", "a verdict"}; }
  Name operator()(const AtlasRow&) const { return {"instruction", "an instruction"}; }
  Name operator()(const TiledMma&) const { return {"tiled_mma", "a tiled mma"}; }
  Name operator()(const TiledCopy&) const { return {"tiled_copy", "a tiled copy"}; }
  Name operator()(const BankAccess&) const { return {"banks", "a bank report"}; }
  Name operator()(const SwizzleFinding&) const { return {"search", "the result of a search"}; }
  Name operator()(const axe::Place&) const { return {"place", "a place"}; }
  Name operator()(const axe::Places&) const { return {"places", "a list of places"}; }
  Name operator()(const axe::Coords&) const { return {"coords", "a list of coordinates"}; }
  Name operator()(const Chain&) const { return {"chain", "a chain"}; }
  Name operator()(const graphene::Listing&) const { return {"program", "a Graphene program"}; }
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
  // A program is a value only where the extension has read it.
  std::string operator()(const graphene::Listing& listing) const { return extension().print(listing); }
  std::string operator()(const axe::Place& place) const { return axe::print(place); }
  template <typename T>
  std::string operator()(const T& value) const {
    return print(value);
  }
};

}  // namespace

std::string kindOf(const Value& value) { return std::string(std::visit(NameOf{}, value).kind); }
std::string_view nounOf(const Value& value) { return std::visit(NameOf{}, value).noun; }
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
  return Diag{fmt::format("{} is not a layout", nounOf(value)), "a layout of any notation, or a map"};
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
