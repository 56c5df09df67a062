// From literals to values, and from the elements of a bracket to a tiler.
#pragma once

#include <string_view>
#include <vector>

#include "core/worksheet/functions/functions.h"
#include "core/worksheet/language/syntax.h"
#include "core/worksheet/statements/evaluator.h"

namespace tessera {

// Spans of the Diag count from text[0].
[[nodiscard]] Result<Value> literalValue(LiteralKind kind, std::string_view text);
// Triton's text, with the aliases (#mma) that earlier lines bind.
[[nodiscard]] Result<Value> tritonLiteral(const Node& node, const Scope& scope);
// (3:4, 8:2), <3:4, _>, [a; b]: integers, `_`, tuples, layouts and tilers.
[[nodiscard]] Result<Value> tilerOf(const std::vector<Argument>& elements);
// The derivation of an algebra operation; a Diag when the expression is none.
[[nodiscard]] Result<Value> explainNode(const Node& node, Evaluator& evaluator);

}  // namespace tessera
