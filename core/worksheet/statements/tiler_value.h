// Builds tilers from bracketed elements, and derivations of operations.
#pragma once

#include <vector>

#include "core/worksheet/any_value.h"
#include "core/worksheet/language/syntax.h"

namespace tessera {

struct Argument;
class Evaluator;

// (3:4, 8:2), <3:4, _>, [a; b]: integers, `_`, tuples, layouts and tilers.
[[nodiscard]] Result<Value> tilerOf(const std::vector<Argument>& elements);
// The derivation of an algebra operation; a Diag if the expression is not one.
[[nodiscard]] Result<Value> explainNode(const Node& node, Evaluator& evaluator);

}  // namespace tessera
