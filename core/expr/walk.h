// childrenFirst: visits every node of an expression once, children before parents, without recursion.
//
//     childrenFirst((d0 + 1) * (d0 + 1), visit)      visits d0, 1, d0 + 1, the product
//
// Why: an expression may be a chain of a hundred thousand nodes (`i ^ 5 ^ i ^ 5 ...`), so every walk over user input
// must avoid recursion. Nodes accepted by `known`, and everything below them, are skipped.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/expr/by_node.h"
#include "core/expr/expr.h"

namespace tessera {

[[nodiscard]] inline bool isLeaf(Op op) { return op == Op::Constant || op == Op::Digit || op == Op::Param; }

// The variant for callers that record the visited nodes themselves. Requires: known(e) holds after visit(e).
template <typename Known, typename Visit>
void childrenFirstOnce(const Expr& root, Known known, Visit visit) {
  const Expr kept = root;  // the nodes on the stack live as long as it does
  std::vector<std::pair<const Expr*, bool>> stack{{&kept, false}};
  while (!stack.empty()) {
    const auto [e, expanded] = stack.back();
    stack.pop_back();
    if (known(*e)) continue;
    if (expanded || isLeaf(e->op())) {
      visit(*e);
      continue;
    }
    stack.emplace_back(e, true);
    stack.emplace_back(&e->rhs(), false);
    stack.emplace_back(&e->lhs(), false);
  }
}

template <typename Known, typename Visit>
void childrenFirst(const Expr& root, Known known, Visit visit) {
  NodeIndex done;
  childrenFirstOnce(
      root, [&](const Expr& e) { return done.find(e.id()) != NodeIndex::kNone || known(e); },
      [&](const Expr& e) {
        done.add(e.id());
        visit(e);
      });
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

// The number of the digit that is the expression's only variable; nullopt: none or several, or a parameter.
[[nodiscard]] inline std::optional<int> onlyDigit(const Expr& root) {
  std::optional<int> digit;
  const bool several = anyLeaf(root, [&](const Expr& e) {
    if (e.op() == Op::Digit) digit = digit.value_or(e.index());
    return e.op() == Op::Param || (e.op() == Op::Digit && digit != e.index());
  });
  return several ? std::nullopt : digit;
}

// Every node once, children first.
[[nodiscard]] inline std::vector<Expr> nodesIn(const Expr& e) {
  std::vector<Expr> nodes;
  childrenFirst(e, [&](const Expr& node) { nodes.push_back(node); });
  return nodes;
}

// The numbers of the digits (leaf: Op::Digit) or parameters (Op::Param) of e, children first.
[[nodiscard]] inline std::vector<int> leavesIn(const Expr& e, Op leaf) {
  std::vector<int> found;
  childrenFirst(e, [&](const Expr& node) {
    if (node.op() == leaf) found.push_back(node.index());
  });
  return found;
}

// The operands of a chain of one operation, left to right: (a ^ b) ^ c is a, b, c. Empty if there are more than `most`.
[[nodiscard]] inline std::vector<Expr> chainOf(const Expr& e, Op op, std::size_t most = SIZE_MAX) {
  std::vector<Expr> operands, stack{e};
  while (!stack.empty()) {
    const Expr n = std::move(stack.back());
    stack.pop_back();
    if (n.op() == op) {
      stack.push_back(n.rhs());
      stack.push_back(n.lhs());
    } else {
      operands.push_back(n);
    }
    if (operands.size() + stack.size() > most) return {};
  }
  return operands;
}

}  // namespace tessera
