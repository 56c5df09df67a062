// Terms: symbolic values for the emulator: where a value comes from instead of what it is.
//
//     %f <- Move(%row)            the register holds %A[3,5]: the input itself
//     %d <- MatMul(%a, %b)        0 + {%A[0,0]*%B[0,0], %A[0,1]*%B[1,0], ...}: a base and a multiset of products
//     %y <- BinaryPW<+>(%x, %z)   a sum too: + is a multiset of summands; max and min are sets
//     %y <- UnaryPW<exp>(%x)      exp(...): an operation equals only itself
//
// Nodes are hash-consed, except most sums. A sum is a chain of pieces that share their tails. The products of a piece
// are two lists of factors (dots.h), which the elements of a matrix product share: the 16.7 million products of 128x128
// accumulators of depth 1024 are 16 thousand lists. Single products take 8 bytes each. A sum is compared as a multiset
// on demand, or when it becomes an operand of something else.
//
// Law: equal(a, b) iff a and b are the same expression up to associativity and commutativity of + max min, repetition
// in max and min, commutativity of *, added zeros, and rounding (a conversion between floating types is the identity).
// A comparison, x < y or x == y, is an operation whose value is 0 or 1.
// It is not algebra: x*(y+z) is not x*y + x*z, and exp(x-m)*exp(m) is not exp(x).
//
// A conversion from or to an integer type is an operation, unless the value is an integer whose known range fits (s8 ->
// fp16 -> s8, and 32 products of s8 -> fp32, are the identity):
//
//     fp32 -> s32   "to s32"     truncated and clamped      s32 -> s8     "mod s8"     wraps
//     s32 -> fp16   "to fp16"    can be infinite            s32 -> fp32   "near fp32"  rounds and stays in range
//     s32 / s32     "whole /"    truncated
#pragma once

#include <climits>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/graphene/atoms/atom.h"
#include "solver/emulate/dots.h"
#include "solver/emulate/flat_index.h"
#include "solver/emulate/format.h"
#include "solver/emulate/pages.h"

namespace tessera::graphene {

class Terms {
 public:
  using Value = std::uint32_t;
  static constexpr bool kRounds = false;
  static constexpr bool kLazy = true;       // operands are materialized on first read
  static constexpr bool kEncloses = false;  // values have no errors
  using Product = std::pair<Value, Value>;  // first <= second
  // [size > threshold], 1 or 0 (guards/guarded_values.h): an input of a tensor that no plan has, copy -2 - size,
  // element threshold.
  static constexpr int kGuards = INT_MAX;

  enum class Kind : unsigned char { Undefined, Input, Constant, Unary, Binary, Set, Sum };
  struct Node {
    Kind kind = Kind::Undefined;
    int operation = 0;   // Unary, Binary, Set; Input: its tensor
    Value a = 0, b = 0;  // Unary, Binary, Set; Sum: base, and another summand or undefined
    struct Lists {
      Dots::List left, right;
    };
    union {
      i64 element = 0;  // Input: its address
      double number;    // Constant
      u64 begin;        // Sum with single products: of them in pool_
      Lists lists;      // Sum without: the factors of its products
    };
    union {
      i64 copy = 0;  // Input: the block or thread that owns it
      u64 hash;      // Sum: of the multiset, independent of order
    };
    std::uint32_t count = 0;  // Sum: single products
    Value same = 0;           // Sum, Set: representative of its equality class; 0: not computed

    Node() = default;
    Node(Kind k, int op, Value x, Value y) : kind(k), operation(op), a(x), b(y) {}
    [[nodiscard]] bool isGuard() const { return kind == Kind::Input && operation == kGuards; }
    // Of a sum of lists; 0: it has none.
    [[nodiscard]] Dots::List left() const { return kind == Kind::Sum && count == 0 ? lists.left : 0; }
    [[nodiscard]] Dots::List right() const { return kind == Kind::Sum && count == 0 ? lists.right : 0; }
  };
  // A sum in normal form: sorted summands with multiplicities, without zeros.
  struct Sum {
    std::vector<std::pair<Value, u64>> terms;
    std::vector<std::pair<Product, u64>> products;
    double constant = 0;
    bool operator==(const Sum&) const = default;
  };

  Terms();
  [[nodiscard]] static Value undefined() { return 0; }
  [[nodiscard]] static Value absent() { return ~Value{0}; }  // placeholder for the input of a place that was never read
  [[nodiscard]] Value constant(double value);
  // `copy`: the owner of a register or shared operand; 0 for global operands.
  [[nodiscard]] Value input(int tensor, i64 copy, i64 element);
  [[nodiscard]] int operation(std::string_view name);
  [[nodiscard]] Value unary(int operation, Value a);
  [[nodiscard]] Value binary(int operation, Value a, Value b);
  // base + the products: the value of a specification's sum.
  [[nodiscard]] Value add(Value base, std::span<const Product> products);
  // The same for products of two rows of factors of one length, which many sums share.
  [[nodiscard]] Dots::Row row(std::span<const Value> factors);
  [[nodiscard]] Value addRows(Value base, Dots::Row a, Dots::Row b);
  // For integer operands: as above, but quotients are truncated. Sums and products are over the integers and do not
  // wrap.
  [[nodiscard]] Value integerBinary(int operation, Value a, Value b, const NumberFormat&);
  // The element type of a tensor's inputs; null: not described.
  void describe(int tensor, const NumberFormat& type);
  [[nodiscard]] const NumberFormat* typeOf(int tensor) const;
  // The operation for a conversion; -1: the identity for all values. `element`: the name of `to`.
  [[nodiscard]] int conversion(const NumberFormat& from, const NumberFormat& to, std::string_view element);
  [[nodiscard]] Value convert(Value value, int conversion, const NumberFormat& from, const NumberFormat& to);
  struct Range {
    double least = 0, most = 0;
  };
  // Range of an integer value; nullopt if it is not known to be an integer.
  [[nodiscard]] std::optional<Range> integerRange(Value v);

  [[nodiscard]] const Node& node(Value v) const { return nodes_[v]; }
  // The single products of a sum; the other ones are lists, which use the place of `begin`.
  [[nodiscard]] std::span<const Product> productsOf(const Node& sum) const {
    if (sum.count == 0) return {};
    return {pool_.data() + sum.begin, sum.count};
  }
  [[nodiscard]] const Dots& dots() const { return dots_; }
  [[nodiscard]] std::size_t bytes() const { return nodes_.size() * sizeof(Node) + pool_.size() * sizeof(Product); }
  [[nodiscard]] const std::string& nameOf(int operation) const { return operations_[operation]; }
  [[nodiscard]] bool equal(Value a, Value b);
  // A representative: equal values have the same one.
  [[nodiscard]] Value canonical(Value v);
  [[nodiscard]] Sum sum(Value v);
  // The arguments of a maximum or minimum, each once, sorted; any other value by itself.
  [[nodiscard]] std::vector<Value> set(Value v);

  // "%A[0,8]" for an input, with the operations applied; at most `most` summands.
  using Names = std::function<std::string(int tensor, i64 copy, i64 element)>;
  [[nodiscard]] std::string print(Value v, const Names& names, int most = 4);
  // A short text of what only `expected` and only `actual` contain; empty if they are equal.
  [[nodiscard]] std::string difference(Value expected, Value actual, const Names& names);

 private:
  Value intern(const Node& node);
  Value internDot(const Node& node);
  [[nodiscard]] std::optional<Range> rangeOf(const Node& n) const;  // Requires the ranges of its parts
  [[nodiscard]] bool opens(Value v) const { return nodes_[v].kind == Kind::Sum || nodes_[v].kind == Kind::Set; }
  [[nodiscard]] Value closed(Value v) { return opens(v) ? canonical(v) : v; }
  // Sums that are one multiset, as their lists show; false: not known.
  [[nodiscard]] bool sameLists(Value v, Value w);
  [[nodiscard]] bool hasLists(Value v) const;  // false: not known
  [[nodiscard]] Value summand(Value v) { return nodes_[v].kind == Kind::Sum ? v : closed(v); }
  [[nodiscard]] u64 sumHash(Value v) const;
  [[nodiscard]] std::vector<Value> setOf(Value v) const;
  [[nodiscard]] std::string print(Value v, const Names& names, int most, int depth);
  [[nodiscard]] std::string printSum(Value v, const Names& names, int most, int depth);

  enum RowMark : std::uint8_t { kPlain = 1, kZero = 2, kUndefined = 4 };  // contains a constant 0, an undefined value

  Pages<Node> nodes_;  // by value
  std::vector<Product> pool_;
  Dots dots_;
  std::vector<std::uint8_t> rowMarks_;  // by row
  FlatIndex table_, dotOf_;             // interned nodes, except most inputs; sums of lists
  std::size_t dotsFound_ = 0;
  std::vector<std::vector<std::vector<Value>>> inputs_;  // by tensor, copy + 1 and element; 0: not made
  std::unordered_multimap<u64, Value> sums_;             // canonical sums, by hash
  std::map<std::pair<int, std::vector<Value>>, Value> sets_;
  std::deque<std::string> operations_;              // a deque, because nameOf returns references
  std::vector<std::optional<NumberFormat>> types_;  // of inputs, by tensor
  std::unordered_map<Value, std::optional<Range>> ranges_;
};

// Visits the parts of v as it was built: of a sum its base, its other summand and the factors of its products.
template <typename Visit>
void eachPart(const Terms& terms, Terms::Value v, const Visit& visit) {
  using Kind = Terms::Kind;
  const Terms::Node& n = terms.node(v);
  if (n.kind == Kind::Undefined || n.kind == Kind::Constant || n.kind == Kind::Input) return;
  visit(n.a);
  if (n.kind != Kind::Unary && n.b != Terms::undefined()) visit(n.b);
  if (n.kind != Kind::Sum) return;
  for (const auto& [x, y] : terms.productsOf(n)) {
    visit(x);
    visit(y);
  }
  for (const Dots::List list : {n.left(), n.right()})
    if (list != 0)
      for (const Terms::Value x : terms.dots().flat(list)) visit(x);
}

// Visits v and all its subterms once, operands first, without recursion. `visit(value, sum)`: the sum of a Sum node.
template <typename Known, typename Visit>
void operandsFirst(Terms& terms, Terms::Value v, const Known& known, const Visit& visit) {
  struct Frame {
    Terms::Value value;
    Terms::Sum sum;
    std::vector<Terms::Value> open;
  };
  std::vector<Frame> frames;
  const auto push = [&](Terms::Value x) {
    if (known(x)) return;
    Frame f{x, {}, {}};
    const Terms::Node n = terms.node(x);
    if (n.kind == Terms::Kind::Sum) {
      f.sum = terms.sum(x);
      for (const auto& [t, times] : f.sum.terms) f.open.push_back(t);
      for (const auto& [p, times] : f.sum.products) f.open.insert(f.open.end(), {p.first, p.second});
    } else if (n.kind == Terms::Kind::Unary) {
      f.open = {n.a};
    } else if (n.kind == Terms::Kind::Binary || n.kind == Terms::Kind::Set) {
      f.open = {n.a, n.b};
    }
    frames.push_back(std::move(f));
  };
  push(v);
  while (!frames.empty()) {
    if (!frames.back().open.empty()) {
      const Terms::Value next = frames.back().open.back();
      frames.back().open.pop_back();
      push(next);
      continue;
    }
    const Frame f = std::move(frames.back());
    frames.pop_back();
    if (!known(f.value)) visit(f.value, f.sum);
  }
}

}  // namespace tessera::graphene
