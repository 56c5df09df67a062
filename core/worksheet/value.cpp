#include "core/worksheet/value.h"

#include <fmt/format.h>

#include "core/notation/lower.h"
#include "core/worksheet/functions.h"

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
  template <typename T>
  std::string operator()(const T& value) const {
    return tessera::print(value);
  }
};

}  // namespace

std::string kindOf(const Value& value) { return std::visit(KindName{}, value); }
std::string print(const Value& value) { return std::visit(Printer{}, value); }

Result<Map> toMap(const Value& value) {
  if (const auto* map = std::get_if<Map>(&value)) return *map;
  if (const auto* layout = std::get_if<CuteLayout>(&value)) return toMap(*layout);
  if (const auto* composed = std::get_if<ComposedLayout>(&value)) return toMap(*composed);
  if (const auto* tla = std::get_if<TlaLayout>(&value)) return toMap(*tla);
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
