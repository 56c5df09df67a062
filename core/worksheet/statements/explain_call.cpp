// explain(EXPR): does not evaluate the operation first, so that a rejected one can be explained too.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/expr/rules.h"
#include "core/map/compose.h"
#include "core/notation/cute/algebra/explain.h"
#include "core/worksheet/functions/calls.h"
#include "core/worksheet/statements/evaluator.h"

namespace tessera {
namespace {

Diag notExplained(std::string_view what, Span span) {
  return Diag{fmt::format("there is no derivation of {} to explain", what),
              "coalesce, composition, complement, right_inverse, left_inverse, logical_divide, logical_product, or "
              "simplify and a map",
              "", span};
}

constexpr std::array<std::string_view, 7> kExplained = {
    "coalesce", "composition", "complement", "right_inverse", "left_inverse", "logical_divide", "logical_product"};

Result<cute::Explanation> explain(const Call& c) {
  const std::string_view f = c.function;
  if (std::ranges::find(kExplained, f) == kExplained.end()) return notExplained(f, c.span);
  TESSERA_TRY(const cute::Layout a, c.layout(0));
  if (f == "coalesce") return explainCoalesce(a);
  if (f == "right_inverse") return explainRightInverse(a);
  if (f == "left_inverse") return explainLeftInverse(a);
  if (c.count() < 2) return Diag{fmt::format("{} needs its second argument here", f), "", "", c.span};
  if (f == "complement") {
    TESSERA_TRY(const cute::IntTuple shape, c.tuple(1));
    TESSERA_TRY(const i64 n, product(shape));
    return explainComplement(a, n);
  }
  if (f == "composition" && isTilerLike(c[1])) {
    TESSERA_TRY(const cute::Tiler b, c.tiler(1));
    return explainComposition(a, b);
  }
  TESSERA_TRY(const cute::Layout b, c.layout(1));
  if (f == "composition") return explainComposition(a, b);
  return f == "logical_divide" ? explainLogicalDivide(a, b) : explainLogicalProduct(a, b);
}

// --- the simplifier's steps ------------------------------------------------------------------------------------------

// The names of a map's variables, as in its text.
struct Names {
  std::vector<std::string> digits, params;
  explicit Names(const Map& map) {
    for (const Digit& d : map.digits()) digits.push_back(d.name);
    for (const Param& p : map.params()) params.push_back(p.name);
  }
  [[nodiscard]] std::string of(const Expr& e) const { return print(e, digits, params); }
  [[nodiscard]] std::string of(const std::optional<Guard>& g) const {
    return g ? fmt::format("{} in [{}, {}]", of(g->value), g->lo, g->hi) : "nothing";
  }
};

cute::Explanation explainSimplify(const indexing::IndexingMap& given) {
  cute::Explanation out;
  out.title = fmt::format("simplify({})", print(given));
  std::vector<MapRewrite> steps;
  const Map simple = simplified(given.map, &steps);
  const Names names(given.map);
  for (const MapRewrite& s : steps) {
    const bool value = !s.held && !s.kept;
    const std::string law = value ? lawOf(s.rule) : std::string(lawOfConstraint(s.rule));
    out.steps.push_back({value ? fmt::format("{}, {}: {}", s.of, s.rule, law) : fmt::format("{}: {}", s.rule, law),
                         value ? names.of(s.before) : names.of(s.held),
                         "= " + (value ? names.of(s.after) : names.of(s.kept))});
    if (!value) out.steps.back().layout = "-> " + names.of(s.kept);
  }
  if (steps.empty()) out.steps.push_back({"no rule applies: the map is as simple as the rules make it", "", ""});
  out.result = print(indexing::toIndexingMap(simple));
  return out;
}

}  // namespace

Result<Value> explainNode(const Node& node, Evaluator& evaluator) {
  Call call;
  call.span = node.span;
  std::string function;
  if (node.kind == Node::Kind::Call && findFunction(node.text) != nullptr) {
    function = findFunction(node.text)->name;
  } else if (node.kind == Node::Kind::Compose && node.children.size() == 2) {
    function = "composition";
  }
  if (!function.empty()) {
    TESSERA_TRY(call.args, evaluator.children(node));
  } else {  // a name bound to the result of an operation
    TESSERA_TRY(const Value value, evaluator.evaluate(node));
    const std::optional<Operation>& operation = evaluator.operation();
    if (!operation && isPlainMap(value)) {  // a map: list the steps of simplify
      call.args.push_back({value, node.span});
      TESSERA_TRY(const indexing::IndexingMap map, simplifiableAt(call));
      return Value(explainSimplify(map));
    }
    if (!operation) return notExplained(nounOf(value), node.span);
    function = operation->function;
    for (const Value& input : operation->inputs) call.args.push_back({input, node.span});
  }
  call.function = function;
  if (call.args.empty()) return notExplained(function, node.span);
  if (function == "simplify") {
    TESSERA_TRY(const indexing::IndexingMap map, simplifiableAt(call));
    return Value(explainSimplify(map));
  }
  return wrapped(explain(call));
}

}  // namespace tessera
