// childrenFirst: visits every node of an expression once, children before parents, without recursion.
//
//     childrenFirst((d0 + 1) * (d0 + 1), visit)      visits d0, 1, d0 + 1, the product
//
// Why: an expression may be a chain of a hundred thousand nodes (`i ^ 5 ^ i ^ 5 ...`), so every walk over user input
// must avoid recursion. Nodes accepted by `known`, and everything below them, are skipped.
#pragma once

#include <unordered_set>
#include <utility>
#include <vector>

#include "core/expr/expr.h"

namespace tessera {

[[nodiscard]] inline bool isLeaf(Op op) { return op == Op::Constant || op == Op::Digit || op == Op::Param; }

template <typename Known, typename Visit>
void childrenFirst(const Expr& root, Known known, Visit visit) {
  std::unordered_set<const void*> done;
  std::vector<std::pair<Expr, bool>> stack{{root, false}};
  while (!stack.empty()) {
    auto [e, expanded] = std::move(stack.back());
    stack.pop_back();
    if (done.count(e.id()) != 0 || known(e)) continue;
    if (expanded || isLeaf(e.op())) {
      done.insert(e.id());
      visit(e);
      continue;
    }
    stack.emplace_back(e, true);
    stack.emplace_back(e.rhs(), false);
    stack.emplace_back(e.lhs(), false);
  }
}

template <typename Visit>
void childrenFirst(const Expr& root, Visit visit) {
  childrenFirst(
      root, [](const Expr&) { return false; }, visit);
}

// Whether a constant, digit or parameter of the expression passes the test.
template <typename Test>
[[nodiscard]] bool anyLeaf(const Expr& root, Test test) {
  bool found = false;
  childrenFirst(
      root, [&](const Expr&) { return found; }, [&](const Expr& e) { found = isLeaf(e.op()) && test(e); });
  return found;
}
[[nodiscard]] inline bool mentionsParam(const Expr& root, int param) {
  return anyLeaf(root, [&](const Expr& e) { return e.op() == Op::Param && e.index() == param; });
}

}  // namespace tessera
