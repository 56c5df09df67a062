// Expr: an interned integer expression over the digits and parameters of a Map.
//
// Grammar:  constant | digit k | param k | a + b | a * b | a floordiv b | a mod b | a xor b | min(a, b) | max(a, b)
// Structurally equal expressions are the same node, so == is a pointer comparison and a DAG stays a DAG.
//
//     (4,8):(8,1) at (i, j):        d0 * 8 + d1
//     Sw<1,0,3> of that:            x xor ((x floordiv 8) mod 2)      with x = d0 * 8 + d1
//
// floordiv and mod are the floor versions (core/base/arith.h), unlike C++ `/` and `%`, and require a nonzero divisor,
// which the facts (expr/facts.h) ensure. xor is on two's complement; layouts use it on values >= 0. An Expr has no
// extents: the caller gives the range of digit k as an Environment, because the same expression may be used over
// different boxes. Expr values are immutable and may be shared between threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "core/base/types.h"
#include "core/base/work.h"

namespace tessera {

enum class Op : unsigned char { Constant, Digit, Param, Add, Mul, FloorDiv, Mod, Xor, Min, Max };

class Expr {
 public:
  Expr();  // the constant 0
  Expr(const Expr& other) noexcept;
  Expr(Expr&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  Expr& operator=(Expr other) noexcept {  // `e = e.lhs()` is safe: the old node is released last
    std::swap(node_, other.node_);
    return *this;
  }
  ~Expr();
  [[nodiscard]] static Expr constant(i64 value);
  [[nodiscard]] static Expr digit(int index);
  [[nodiscard]] static Expr param(int index);
  // Builders fold constants and drop neutral elements (x+0, x*1, x*0, x floordiv 1, x mod 1, x xor 0), nothing more. A
  // constant operand of + * xor min max moves to the right. a+b and b+a remain two nodes (print shows the input);
  // simplified() makes them one.
  [[nodiscard]] static Expr binary(Op op, const Expr& lhs, const Expr& rhs);

  [[nodiscard]] Op op() const;
  [[nodiscard]] i64 value() const;  // Constant
  [[nodiscard]] int index() const;  // Digit, Param
  // Operands of a binary operation, as long as *this lives. Every walk down an expression calls lhs(), so every walk is
  // bounded by its thread's WorkBudget.
  [[nodiscard]] const Expr& lhs() const&;
  [[nodiscard]] const Expr& rhs() const&;
  [[nodiscard]] Expr lhs() && { return std::as_const(*this).lhs(); }
  [[nodiscard]] Expr rhs() && { return std::as_const(*this).rhs(); }
  [[nodiscard]] bool isConstant() const { return op() == Op::Constant; }
  [[nodiscard]] bool isConstant(i64 v) const { return isConstant() && value() == v; }
  [[nodiscard]] const void* id() const { return node_; }
  bool operator==(const Expr& other) const { return node_ == other.node_; }

  friend Expr operator+(const Expr& a, const Expr& b) { return binary(Op::Add, a, b); }
  friend Expr operator+(const Expr& a, i64 b) { return a + constant(b); }
  friend Expr operator-(const Expr& a, const Expr& b) { return a + b * -1; }
  friend Expr operator-(const Expr& a, i64 b);
  friend Expr operator*(const Expr& a, const Expr& b) { return binary(Op::Mul, a, b); }
  friend Expr operator*(const Expr& a, i64 b) { return a * constant(b); }
  friend Expr operator^(const Expr& a, const Expr& b) { return binary(Op::Xor, a, b); }

 private:
  struct Node;
  class InternTable;  // expr.cpp
  static InternTable& table();
  // Takes over one reference.
  explicit Expr(Node* node) noexcept : node_(node) {}
  static void destroy(Node* node) noexcept;
  Node* node_;  // nullptr: an operand of a leaf, or moved from
};

struct Expr::Node {
  std::atomic<unsigned> references = 1;
  Op op = Op::Constant;
  i64 value = 0;  // Constant: the value; Digit, Param: the index
  Expr lhs{static_cast<Node*>(nullptr)}, rhs{static_cast<Node*>(nullptr)};
  Node* next = nullptr;  // in the table's bucket
};

inline Expr::Expr(const Expr& other) noexcept : node_(other.node_) {
  if (node_ != nullptr) node_->references.fetch_add(1, std::memory_order_relaxed);
}
inline Expr::~Expr() {
  if (node_ != nullptr && node_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy(node_);
}
inline Op Expr::op() const { return node_->op; }
inline i64 Expr::value() const { return node_->value; }
inline int Expr::index() const { return static_cast<int>(node_->value); }
inline const Expr& Expr::lhs() const& {
  spend();
  return node_->lhs;
}
inline const Expr& Expr::rhs() const& { return node_->rhs; }

[[nodiscard]] Expr floorDiv(const Expr& a, const Expr& b);
[[nodiscard]] Expr floorDiv(const Expr& a, i64 b);
[[nodiscard]] Expr mod(const Expr& a, const Expr& b);
[[nodiscard]] Expr mod(const Expr& a, i64 b);
[[nodiscard]] Expr least(const Expr& a, const Expr& b);     // min(a, b)
[[nodiscard]] Expr greatest(const Expr& a, const Expr& b);  // max(a, b)

// a op b of numbers; nullopt: a division by zero, or more than 64 bits.
[[nodiscard]] std::optional<i64> foldNumbers(Op op, i64 a, i64 b);

// Evaluates by walking the DAG (each node once): the reference implementation; expr/compile.h is the fast one.
// Requires: every index in range, no division by zero, no overflow (ensured by Map::create).
[[nodiscard]] i64 evaluate(const Expr& e, std::span<const i64> digits, std::span<const i64> params = {});

// Replaces digit k by digits[k] and param k by params[k], if given. The only way maps compose. Each node of the DAG is
// rebuilt once, without recursion.
[[nodiscard]] Expr substitute(const Expr& e, std::span<const Expr> digits, std::span<const Expr> params = {});

// "d0 * 8 + d1 floordiv 2": XLA's notation with floordiv/mod spelled out; optional names for digits and params. xor
// binds loosest, as ^ does in C, but a sum next to it is parenthesised: (d0 * 8 + d1) xor d1.
[[nodiscard]] std::string print(const Expr& e, std::span<const std::string> digitNames = {},
                                std::span<const std::string> paramNames = {});

// Number of distinct nodes.
[[nodiscard]] std::size_t nodeCount(const Expr& e);

}  // namespace tessera

template <>
struct std::hash<tessera::Expr> {
  std::size_t operator()(const tessera::Expr& e) const noexcept { return std::hash<const void*>()(e.id()); }
};
