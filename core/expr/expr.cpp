#include "core/expr/expr.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>
#include <vector>

#include "core/base/arith.h"
#include "core/base/check.h"
#include "core/base/work.h"
#include "core/expr/by_node.h"
#include "core/expr/walk.h"

namespace tessera {

namespace {

std::size_t mixed(std::size_t seed, std::size_t v) {
  const u64 h = (seed ^ v) * 0x9e3779b97f4a7c15ULL;
  return static_cast<std::size_t>(h ^ (h >> 32));
}

}  // namespace

// Every node once, in shards to reduce lock contention. A node leaves the table when its last Expr is gone. Digits,
// parameters and small constants are kept, so that they need no lock.
class Expr::InternTable {
 public:
  InternTable() {
    const auto kept = [this](Op op, i64 value) { return Expr(find(op, value, nullptr, nullptr)); };
    for (i64 k = kSmallest; k <= kLargest; ++k) constants_.push_back(kept(Op::Constant, k));
    for (i64 k = 0; k < kVariables; ++k) digits_.push_back(kept(Op::Digit, k));
    for (i64 k = 0; k < kVariables; ++k) params_.push_back(kept(Op::Param, k));
  }

  Expr leaf(Op op, i64 value) {
    if (op == Op::Constant && value >= kSmallest && value <= kLargest)
      return constants_[static_cast<std::size_t>(value - kSmallest)];
    if (op != Op::Constant && value >= 0 && value < kVariables)
      return (op == Op::Digit ? digits_ : params_)[static_cast<std::size_t>(value)];
    return Expr(find(op, value, nullptr, nullptr));
  }
  Expr binary(Op op, const Expr& lhs, const Expr& rhs) { return Expr(find(op, 0, lhs.node_, rhs.node_)); }

  void remove(Node* node) noexcept {
    const std::size_t hash = hashOf(node->op, node->value, node->lhs.node_, node->rhs.node_);
    Shard& shard = shards_[hash % shards_.size()];
    const std::lock_guard lock(shard.mutex);
    Node** at = &shard.bucket(hash);
    while (*at != node) at = &(*at)->next;
    *at = node->next;
    --shard.nodes;
  }

 private:
  static constexpr i64 kSmallest = -64, kLargest = 1024, kVariables = 64;
  struct Shard {
    std::mutex mutex;
    std::vector<Node*> buckets = std::vector<Node*>(64);  // a power of two
    std::size_t nodes = 0;

    Node*& bucket(std::size_t hash) { return buckets[hash / kShards & (buckets.size() - 1)]; }
    void grow() {
      std::vector<Node*> old(2 * buckets.size());
      old.swap(buckets);
      for (Node* node : old) {
        while (node != nullptr) {
          Node* const next = node->next;
          Node*& first = bucket(hashOf(node->op, node->value, node->lhs.node_, node->rhs.node_));
          node->next = first;
          first = node;
          node = next;
        }
      }
    }
  };

  static std::size_t hashOf(Op op, i64 value, const Node* lhs, const Node* rhs) {
    const std::size_t h = mixed(static_cast<std::size_t>(op), static_cast<std::size_t>(value));
    return mixed(mixed(h, reinterpret_cast<std::size_t>(lhs)), reinterpret_cast<std::size_t>(rhs));
  }
  // Another reference to the node; false: its last one is gone, and another thread is about to remove it.
  static bool held(Node* node) {
    unsigned references = node->references.load(std::memory_order_relaxed);
    while (references != 0)
      if (node->references.compare_exchange_weak(references, references + 1, std::memory_order_relaxed)) return true;
    return false;
  }

  // With one reference for the caller.
  Node* find(Op op, i64 value, Node* lhs, Node* rhs) {
    const std::size_t hash = hashOf(op, value, lhs, rhs);
    Shard& shard = shards_[hash % kShards];
    const std::lock_guard lock(shard.mutex);
    for (Node* n = shard.bucket(hash); n != nullptr; n = n->next)
      if (n->op == op && n->value == value && n->lhs.node_ == lhs && n->rhs.node_ == rhs && held(n)) return n;
    if (shard.nodes >= shard.buckets.size()) shard.grow();
    auto* const fresh = new Node;
    fresh->op = op;
    fresh->value = value;
    for (auto [child, from] : {std::pair(&fresh->lhs, lhs), std::pair(&fresh->rhs, rhs)}) {
      if (from == nullptr) continue;
      from->references.fetch_add(1, std::memory_order_relaxed);
      child->node_ = from;
    }
    Node*& first = shard.bucket(hash);
    fresh->next = first;
    first = fresh;
    ++shard.nodes;
    return fresh;
  }

  static constexpr std::size_t kShards = 16;
  std::array<Shard, kShards> shards_;
  std::vector<Expr> constants_, digits_, params_;
};

// Leaked on purpose: Expr values with static lifetime may be destroyed after it.
Expr::InternTable& Expr::table() {
  static auto* const kTable = new InternTable;
  return *kTable;
}

// A chain of 10^5 sums would overflow the stack if each node destroyed its child, so dead nodes are listed by `next`.
void Expr::destroy(Node* node) noexcept {
  table().remove(node);
  node->next = nullptr;
  while (node != nullptr) {
    Node* const dead = node;
    node = dead->next;
    for (Expr* child : {&dead->lhs, &dead->rhs}) {
      Node* const n = std::exchange(child->node_, nullptr);
      if (n == nullptr || n->references.fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
      table().remove(n);
      n->next = node;
      node = n;
    }
    delete dead;
  }
}

namespace {

// Binding strength in print: xor < + < * floordiv mod < atoms, min(,) and max(,).
int strength(Op op) {
  if (op == Op::Xor || op == Op::Add) return op == Op::Xor ? 1 : 2;
  return op == Op::Mul || op == Op::FloorDiv || op == Op::Mod ? 3 : 4;
}

// The printed text can be exponentially larger than the DAG; beyond this it is cut with an ellipsis.
constexpr std::size_t kPrintLimit = 1 << 16;

struct Printer {
  std::span<const std::string> digitNames, paramNames;
  std::string out;

  void atom(const Expr& e, int atLeast) {
    if (e.isConstant()) {
      out += e.value() < 0 && atLeast > 2 ? fmt::format("({})", e.value()) : std::to_string(e.value());
      return;
    }
    const bool digit = e.op() == Op::Digit;
    const std::span<const std::string> names = digit ? digitNames : paramNames;
    const auto k = static_cast<std::size_t>(e.index());
    out += k < names.size() ? names[k] : fmt::format("{}{}", digit ? "d" : "p", k);
  }

  // An explicit work list instead of recursion: an item is either text to append or an expression to expand.
  struct Item {
    std::string text;
    std::optional<Expr> expr = {};
    int atLeast = 0;
  };

  void run(const Expr& root) {
    std::vector<Item> stack{{"", root, 0}};
    while (!stack.empty()) {
      Item item = std::move(stack.back());
      stack.pop_back();
      if (out.size() > kPrintLimit) {
        out += " ...";
        return;
      }
      if (!item.expr) {
        out += item.text;
      } else if (isLeaf(item.expr->op())) {
        atom(*item.expr, item.atLeast);
      } else {
        expand(*item.expr, item.atLeast, stack);
      }
    }
  }

  void expand(const Expr& e, int atLeast, std::vector<Item>& stack) {
    const int own = strength(e.op());
    const bool wrap = own < atLeast;
    std::vector<Item> pieces;
    if (wrap) pieces.push_back({"("});
    const bool called = e.op() == Op::Min || e.op() == Op::Max;
    if (called) pieces.push_back({e.op() == Op::Min ? "min(" : "max("});
    // Next to xor only another xor (on the left) is printed without
    // parentheses, because its precedence is not well known.
    const bool exclusive = e.op() == Op::Xor;
    const int beside = called ? 0 : exclusive && e.lhs().op() != Op::Xor ? 4 : own;
    Expr rhs = e.rhs();
    pieces.push_back({"", e.lhs(), beside});
    if (called) {
      pieces.push_back({", "});
      pieces.push_back({"", rhs, 0});
      pieces.push_back({")"});
    } else if (e.op() == Op::Add && rhs.isConstant() && rhs.value() < 0 && rhs.value() != INT64_MIN) {
      pieces.push_back({fmt::format(" - {}", -rhs.value())});
    } else if (e.op() == Op::Add && rhs.op() == Op::Mul && rhs.rhs().isConstant() && rhs.rhs().value() < 0 &&
               rhs.rhs().value() != INT64_MIN) {
      pieces.push_back({" - "});
      pieces.push_back({"", rhs.lhs() * -rhs.rhs().value(), 3});
    } else {
      const char* word = e.op() == Op::Add   ? " + "
                         : e.op() == Op::Mul ? " * "
                         : e.op() == Op::Xor ? " xor "
                         : e.op() == Op::Mod ? " mod "
                                             : " floordiv ";
      pieces.push_back({word});
      pieces.push_back({"", rhs, exclusive ? 4 : own + 1});
    }
    if (wrap) pieces.push_back({")"});
    for (auto it = pieces.rbegin(); it != pieces.rend(); ++it) stack.push_back(std::move(*it));
  }
};

}  // namespace

std::optional<i64> foldNumbers(Op op, i64 a, i64 b) {
  if (op == Op::Add) return checkedAdd(a, b);
  if (op == Op::Mul) return checkedMul(a, b);
  if (op == Op::Xor) return a ^ b;
  if (op == Op::Min || op == Op::Max) return op == Op::Min ? std::min(a, b) : std::max(a, b);
  if (b == 0 || isLeaf(op) || (op == Op::FloorDiv && b == -1 && a == INT64_MIN)) return std::nullopt;
  return op == Op::FloorDiv ? floorDiv(a, b) : floorMod(a, b);
}

Expr::Expr() : Expr(constant(0)) {}
Expr Expr::constant(i64 value) { return table().leaf(Op::Constant, value); }
Expr Expr::digit(int index) { return table().leaf(Op::Digit, index); }
Expr Expr::param(int index) { return table().leaf(Op::Param, index); }

Expr Expr::binary(Op op, const Expr& lhs, const Expr& rhs) {
  LAYOUT_CHECK(!isLeaf(op), "Expr::binary wants a binary operation");
  spend();
  if (lhs.isConstant() && rhs.isConstant())
    if (const auto v = foldNumbers(op, lhs.value(), rhs.value())) return constant(*v);
  const Expr *a = &lhs, *b = &rhs;
  const bool commutes = op != Op::FloorDiv && op != Op::Mod;
  if (commutes && a->isConstant() && !b->isConstant()) std::swap(a, b);
  if (b->isConstant()) {
    const i64 c = b->value();
    if (c == 0 && (op == Op::Add || op == Op::Xor)) return *a;
    if (c == 0 && op == Op::Mul) return *b;
    if (c == 1 && (op == Op::Mul || op == Op::FloorDiv)) return *a;
    if (c == 1 && op == Op::Mod) return constant(0);
  }
  return table().binary(op, *a, *b);
}

Expr operator-(const Expr& a, i64 b) { return b == INT64_MIN ? a + Expr::constant(b) * -1 : a + Expr::constant(-b); }
Expr floorDiv(const Expr& a, const Expr& b) { return Expr::binary(Op::FloorDiv, a, b); }
Expr floorDiv(const Expr& a, i64 b) { return floorDiv(a, Expr::constant(b)); }
Expr mod(const Expr& a, const Expr& b) { return Expr::binary(Op::Mod, a, b); }
Expr mod(const Expr& a, i64 b) { return mod(a, Expr::constant(b)); }
Expr least(const Expr& a, const Expr& b) { return Expr::binary(Op::Min, a, b); }
Expr greatest(const Expr& a, const Expr& b) { return Expr::binary(Op::Max, a, b); }

i64 evaluate(const Expr& e, std::span<const i64> digits, std::span<const i64> params) {
  ByNode<i64> known;
  const auto valueOf = [&](const Expr& n) {
    if (n.isConstant()) return n.value();
    if (isLeaf(n.op())) return (n.op() == Op::Digit ? digits : params)[static_cast<std::size_t>(n.index())];
    const auto folded = foldNumbers(n.op(), known.at(n.lhs()), known.at(n.rhs()));
    LAYOUT_CHECK(folded.has_value(), "evaluate: overflow or division by zero; Map::create rules both out");
    return *folded;
  };
  childrenFirst(e, [&](const Expr& n) { known.add(n, valueOf(n)); });
  return known.at(e);
}

Expr substitute(const Expr& e, std::span<const Expr> digits, std::span<const Expr> params) {
  ByNode<Expr> known;
  const auto replaced = [&](const Expr& n) {
    if (!isLeaf(n.op())) return Expr::binary(n.op(), known.at(n.lhs()), known.at(n.rhs()));
    if (n.isConstant()) return n;
    const std::span<const Expr> by = n.op() == Op::Digit ? digits : params;
    const auto k = static_cast<std::size_t>(n.index());
    return k < by.size() ? by[k] : n;
  };
  childrenFirst(e, [&](const Expr& n) { known.add(n, replaced(n)); });
  return known.at(e);
}

std::size_t nodeCount(const Expr& e) {
  std::size_t count = 0;
  childrenFirst(e, [&](const Expr&) { ++count; });
  return count;
}

std::string print(const Expr& e, std::span<const std::string> digitNames, std::span<const std::string> paramNames) {
  Printer printer{digitNames, paramNames, {}};
  printer.run(e);
  return std::move(printer.out);
}

}  // namespace tessera
