#include "core/worksheet/algebra_calls.h"
#include "core/worksheet/literal_value.h"

namespace tessera {

Result<Value> sliceValue(const Value& function, const IntTuple&) {
  return Diag{"slices need the layout algebra, which is not in this build", std::string(nounOf(function)), "", {}};
}
Result<Value> compositionOf(const Value&, const Value&) {
  return Diag{"composition needs the layout algebra, which is not in this build", "", "", {}};
}
Result<Value> explainNode(const Node&, Evaluator&) {
  return Diag{"explain needs the layout algebra, which is not in this build", "", "", {}};
}
std::span<const Function> cuteAlgebraFunctions() { return {}; }

}  // namespace tessera
