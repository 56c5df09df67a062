#include "core/expr/expr.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "core/base/arith.h"
#include "core/base/check.h"
#include "core/base/work.h"
#include "core/expr/walk.h"

namespace tessera {

struct Expr::Node {
  Op op = Op::Constant;
  i64 value = 0;  // Constant: the value; Digit, Param: the index
  std::shared_ptr<const Node> lhs, rhs;

  Node(Op o, i64 v, std::shared_ptr<const Node> l, std::shared_ptr<const Node> r)
      : op(o), value(v), lhs(std::move(l)), rhs(std::move(r)) {}
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  // A chain of 10^5 sums would overflow the stack if each node destroyed its child, so children are queued in a list of
  // the thread's outermost destructor. Only a dead node may be taken apart: the intern table may hand any other node to
  // another thread at any moment, regardless of its use_count() here.
  ~Node() {
    if (!lhs && !rhs) return;
    if (doomed != nullptr) {
      letGo();
      return;
    }
    std::vector<std::shared_ptr<const Node>> list;
    doomed = &list;
    letGo();
    while (!list.empty()) {
      const std::shared_ptr<const Node> next = std::move(list.back());
      list.pop_back();
    }
    doomed = nullptr;
  }

 private:
  void letGo() {
    if (lhs) doomed->push_back(std::move(lhs));
    if (rhs) doomed->push_back(std::move(rhs));
  }
  static constinit thread_local std::vector<std::shared_ptr<const Node>>* doomed;
};
constinit thread_local std::vector<std::shared_ptr<const Expr::Node>>* Expr::Node::doomed = nullptr;

namespace {

using NodePtr = std::shared_ptr<const Expr::Node>;

std::size_t mix(std::size_t seed, std::size_t v) {
  return seed ^ (v + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2));
}

// The intern table, in shards to reduce lock contention. Entries are weak: a node dies with its last Expr, and dead
// entries are swept when a shard has doubled.
class InternTable {
 public:
  NodePtr intern(Op op, i64 value, const NodePtr& lhs, const NodePtr& rhs) {
    std::size_t h = mix(static_cast<std::size_t>(op), std::hash<i64>()(value));
    h = mix(h, std::hash<const void*>()(lhs.get()));
    h = mix(h, std::hash<const void*>()(rhs.get()));
    Shard& shard = shards_[h % shards_.size()];
    std::lock_guard lock(shard.mutex);
    auto [first, last] = shard.nodes.equal_range(h);
    auto free = last;  // reuse an entry whose node is gone, so that chains do not grow
    for (auto it = first; it != last; ++it) {
      NodePtr n = it->second.lock();
      if (!n) {
        free = it;
      } else if (n->op == op && n->value == value && n->lhs == lhs && n->rhs == rhs) {
        return n;
      }
    }
    auto fresh = std::make_shared<Expr::Node>(op, value, lhs, rhs);
    if (free != last) {
      free->second = fresh;
      return fresh;
    }
    shard.nodes.emplace(h, fresh);
    if (shard.nodes.size() > shard.sweepAt) sweep(shard);
    return fresh;
  }

 private:
  struct Shard {
    std::mutex mutex;
    std::unordered_multimap<std::size_t, std::weak_ptr<const Expr::Node>> nodes;
    std::size_t sweepAt = 1024;
  };
  static void sweep(Shard& shard) {
    std::erase_if(shard.nodes, [](const auto& entry) { return entry.second.expired(); });
    shard.sweepAt = 2 * shard.nodes.size() + 1024;
  }
  std::array<Shard, 16> shards_;
};

// Leaked on purpose: Expr values with static lifetime may be destroyed after it.
InternTable& table() {
  static auto* const kTable = new InternTable;
  return *kTable;
}

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
Expr Expr::constant(i64 value) { return Expr(table().intern(Op::Constant, value, {}, {})); }
Expr Expr::digit(int index) { return Expr(table().intern(Op::Digit, index, {}, {})); }
Expr Expr::param(int index) { return Expr(table().intern(Op::Param, index, {}, {})); }

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
  return Expr(table().intern(op, 0, a->node_, b->node_));
}

Op Expr::op() const { return node_->op; }
i64 Expr::value() const { return node_->value; }
int Expr::index() const { return static_cast<int>(node_->value); }
// Every walk down an expression passes here, so every walk is bounded by its thread's WorkBudget.
Expr Expr::lhs() const {
  spend();
  return Expr(node_->lhs);
}
Expr Expr::rhs() const { return Expr(node_->rhs); }

Expr operator-(const Expr& a, i64 b) { return b == INT64_MIN ? a + Expr::constant(b) * -1 : a + Expr::constant(-b); }
Expr floorDiv(const Expr& a, const Expr& b) { return Expr::binary(Op::FloorDiv, a, b); }
Expr floorDiv(const Expr& a, i64 b) { return floorDiv(a, Expr::constant(b)); }
Expr mod(const Expr& a, const Expr& b) { return Expr::binary(Op::Mod, a, b); }
Expr mod(const Expr& a, i64 b) { return mod(a, Expr::constant(b)); }
Expr least(const Expr& a, const Expr& b) { return Expr::binary(Op::Min, a, b); }
Expr greatest(const Expr& a, const Expr& b) { return Expr::binary(Op::Max, a, b); }

i64 evaluate(const Expr& e, std::span<const i64> digits, std::span<const i64> params) {
  std::unordered_map<const void*, i64> known;
  const auto valueOf = [&](const Expr& n) {
    if (n.isConstant()) return n.value();
    if (isLeaf(n.op())) return (n.op() == Op::Digit ? digits : params)[static_cast<std::size_t>(n.index())];
    const auto folded = foldNumbers(n.op(), known.at(n.lhs().id()), known.at(n.rhs().id()));
    LAYOUT_CHECK(folded.has_value(), "evaluate: overflow or division by zero; Map::create rules both out");
    return *folded;
  };
  childrenFirst(e, [&](const Expr& n) { known.emplace(n.id(), valueOf(n)); });
  return known.at(e.id());
}

Expr substitute(const Expr& e, std::span<const Expr> digits, std::span<const Expr> params) {
  std::unordered_map<const void*, Expr> known;
  const auto replaced = [&](const Expr& n) {
    if (!isLeaf(n.op())) return Expr::binary(n.op(), known.at(n.lhs().id()), known.at(n.rhs().id()));
    if (n.isConstant()) return n;
    const std::span<const Expr> by = n.op() == Op::Digit ? digits : params;
    const auto k = static_cast<std::size_t>(n.index());
    return k < by.size() ? by[k] : n;
  };
  childrenFirst(e, [&](const Expr& n) { known.emplace(n.id(), replaced(n)); });
  return known.at(e.id());
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
