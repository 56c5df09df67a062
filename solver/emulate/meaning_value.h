// MeaningValue: evaluates the equations of a specification (core/graphene/meaning.h) on numbers or on terms.
//
//     MeaningValue<Numbers> y(spec, numbers, [](int) { return std::nullopt; }, read);
//     y.value(0, 5)          the first output at element 5, by its equation; evaluates nothing else
//     read(port, 17)         called for element 17 of an operand, numbered as in the equations (row-major)
//
// Named values are computed on demand, once per coordinate, and so are nested sums. On terms, sums are kept as
// multisets of products.
// Law: the result depends only on the equations and on `read`, not on the decomposition.
//
// An evaluation error (a coordinate outside its tensor, endless recursion, an unknown size) sets fault(); from then on
// values are undefined.
#pragma once

#include <fmt/format.h>

#include <functional>

#include "core/base/mapped.h"
#include "core/base/work_budget.h"
#include "core/expr/compile.h"
#include "core/graphene/meaning.h"
#include "solver/emulate/guards/guarded_values.h"
#include "solver/emulate/numbers.h"
#include "solver/emulate/terms.h"

namespace tessera::graphene {

// An operand with a given number of coordinates, as equations index it.
struct MeaningPort {
  int operand = 0;  // outputs, then inputs
  MeaningShape shape;
  std::vector<i64> extents;
  [[nodiscard]] i64 count() const;
};

// Values of index expressions at given values of the program's variables.
class MeaningIndices {
 public:
  using Params = std::function<std::optional<i64>(int param)>;
  struct Index {
    i64 constant = 0;
    std::vector<std::pair<int, i64>> digits;  // affine: digit, factor
    std::optional<tessera::Program> program;  // for all other expressions
    std::vector<int> reads;                   // digits

    // Caches the last value: sums often evaluate indices that do not depend on the summation variable.
    [[nodiscard]] i64 computed(std::span<const i64> at) const {
      bool same = !last.empty();
      for (std::size_t k = 0; k < reads.size() && same; ++k) same = last[k] == at[reads[k]];
      if (same) return value;
      last.clear();
      for (const int d : reads) last.push_back(at[d]);
      return value = program->run(at);
    }
    mutable std::vector<i64> last;
    mutable i64 value = 0;
    [[nodiscard]] i64 operator()(std::span<const i64> at) const {
      if (program) return computed(at);
      i64 out = constant;
      for (const auto& [digit, times] : digits) out += at[digit] * times;
      return out;
    }
  };
  struct Node {
    int port = 0, operation = 0;
    std::vector<Index> at;
    Index lo, hi;           // at the largest guarded size
    GuardedExtent guarded;  // Reduce: of hi; Index: of its value; without `more`
    std::vector<std::pair<Index, Index>> condition;
    std::vector<int> free;  // digits that it depends on, ascending
    bool kept = false;      // a reduction with the same value at several values of the outer digits
  };
  // Requires: spec.meaning. `open`: the same specification with the guarded sizes as variables, or null.
  MeaningIndices(const Spec& spec, const Params& params, const Spec* open, const std::vector<PlanGuard>& sizes);

  std::vector<Node> nodes;
  std::vector<MeaningPort> ports;
  std::vector<int> outputs;                         // the port of each output
  std::vector<std::vector<GuardedExtent>> guarded;  // by port and dimension; empty: numbers
  std::string fault;

 private:
  void guards(const Spec& open, const std::vector<PlanGuard>& sizes);
  Index index(const Expr& e);
  void freeDigits(int node, std::vector<int> scope);
  int port(int operand, std::size_t rank);

  const Spec& spec_;
  const Params& params_;
};

[[nodiscard]] std::string meaningPlace(std::span<const i64> at);

template <class Domain>
class MeaningValue {
 public:
  using Value = typename Domain::Value;
  using Read = std::function<Value(int port, i64 element)>;

  // A specification of a plan with guards: `open` and `guards` as in the plan. Its value is one term for all sizes.
  MeaningValue(const Spec& spec, Domain& domain, const MeaningIndices::Params& params, Read read,
               i64 maxSteps = INT64_MAX, const Spec* open = nullptr, GuardedValues* guards = nullptr)
      : spec_(spec),
        meaning_(*spec.meaning),
        domain_(domain),
        guards_(guards),
        indices_(spec, params, open, guards == nullptr ? std::vector<PlanGuard>{} : guards->plan().guards),
        read_(std::move(read)),
        left_(maxSteps),
        known_(meaning_.equations.size()),
        kept_(meaning_.nodes.size()) {
    for (std::size_t k = 0; k < meaning_.nodes.size(); ++k)
      if (!meaning_.nodes[k].operation.empty())
        indices_.nodes[k].operation = domain_.operation(meaning_.nodes[k].operation);
  }

  [[nodiscard]] const std::vector<MeaningPort>& ports() const { return indices_.ports; }
  [[nodiscard]] const MeaningPort& output(int k) const { return indices_.ports[indices_.outputs[k]]; }
  [[nodiscard]] int outputPort(int k) const { return indices_.outputs[k]; }
  [[nodiscard]] const std::string& fault() const { return indices_.fault; }

  // The value of an output; elements are numbered as in its equation.
  [[nodiscard]] Value value(int out, i64 element) {
    const std::vector<i64>& extents = output(out).extents;
    std::vector<i64> at(extents.size());
    for (std::size_t d = extents.size(); d-- > 0; element /= extents[d]) at[d] = element % extents[d];
    box_ = guards_ == nullptr ? Boxes::kAll : inside(indices_.outputs[out], at);
    return equation(meaning_.of(out), std::move(at));
  }

 private:
  static constexpr int kMaxDepth = 1000;
  struct Hash {
    std::size_t operator()(const std::vector<i64>& v) const {
      u64 h = 0x9e3779b97f4a7c15u;
      for (const i64 x : v) h = (h ^ static_cast<u64>(x)) * 0xff51afd7ed558ccdu, h ^= h >> 32;
      return static_cast<std::size_t>(h);
    }
  };

  Value stop(std::string why) {
    if (indices_.fault.empty()) indices_.fault = std::move(why);
    return Domain::undefined();
  }

  Value equation(int k, std::vector<i64> at) {
    auto& known = known_[k];
    const Equation& e = meaning_.equations[k];
    if (e.output < 0)
      if (const auto found = known.find(at); found != known.end() && holdsHere(found->second.box))
        return found->second.value;
    if (depth_ >= kMaxDepth)
      return stop(fmt::format("{}{} depends on too many other values", e.name, meaningPlace(at)));
    ++depth_;
    std::vector<i64> digits = at;
    digits.resize(e.variables.size(), 0);
    const Value out = node(e.node, digits);
    --depth_;
    if (e.output < 0) known[std::move(at)] = {out, box_};
    return out;
  }

  // What was evaluated for more sizes holds for these.
  [[nodiscard]] bool holdsHere(Boxes::Id box) const {
    return box == box_ || (box != Boxes::kEmpty && guards_ != nullptr && guards_->boxes().contains(box, box_));
  }
  // The sizes at which an element of an operand exists.
  [[nodiscard]] Boxes::Id inside(int port, std::span<const i64> at) const {
    Boxes::Id out = Boxes::kAll;
    const std::vector<GuardedExtent>& guarded = indices_.guarded[port];
    for (std::size_t d = 0; d < guarded.size(); ++d)
      if (guarded[d].guard >= 0) out = guards_->below(out, guarded[d], at[d]);
    return out;
  }

  Value node(int k, std::vector<i64>& digits) {
    const MeaningNode& n = meaning_.nodes[k];
    const MeaningIndices::Node& i = indices_.nodes[k];
    if (!indices_.fault.empty()) return Domain::undefined();
    if (--left_ < 0) return stop("evaluating its equations takes too many steps");
    switch (n.kind) {
      case MeaningNode::Kind::Number:
        return domain_.constant(n.number);
      case MeaningNode::Kind::Index:
        if (i.guarded.guard >= 0) return guardedNumber(i.lo(digits), i.guarded);
        return domain_.constant(static_cast<double>(i.lo(digits)));
      case MeaningNode::Kind::Operand:
        return operand(n, i, digits);
      case MeaningNode::Kind::Named:
        return equation(n.what, coordinateOf(i, digits));
      case MeaningNode::Kind::Unary:
        return domain_.unary(i.operation, node(n.parts[0], digits));
      case MeaningNode::Kind::Binary: {
        const Value a = node(n.parts[0], digits), b = node(n.parts[1], digits);
        return binary(n.operation, i.operation, a, b);
      }
      case MeaningNode::Kind::Reduce: {
        if (!i.kept) return reduce(n, i, digits);
        std::vector<i64> at = mapped<i64>(i.free, [&](int d) { return digits[d]; });
        auto& kept = kept_[k];
        if (const auto found = kept.find(at); found != kept.end() && holdsHere(found->second.box))
          return found->second.value;
        const Value out = reduce(n, i, digits);
        kept[std::move(at)] = {out, box_};
        return out;
      }
      case MeaningNode::Kind::Where: {
        bool met = true;
        for (std::size_t c = 0; c < n.condition.size(); ++c)
          met = met && comparisonHolds(i.condition[c].first(digits), n.condition[c].op, i.condition[c].second(digits));
        return node(n.parts[met ? 0 : 1], digits);
      }
    }
    return Domain::undefined();
  }

  static std::vector<i64> coordinateOf(const MeaningIndices::Node& i, std::span<const i64> digits) {
    return mapped<i64>(i.at, [&](const MeaningIndices::Index& e) { return e(digits); });
  }

  Value operand(const MeaningNode& n, const MeaningIndices::Node& i, const std::vector<i64>& digits) {
    const MeaningPort& port = indices_.ports[i.port];
    i64 element = 0;
    for (std::size_t d = 0; d < i.at.size(); ++d) {
      const i64 c = i.at[d](digits);
      if (c < 0 || c >= port.extents[d])
        return stop(fmt::format("%{}{} is outside of its extents {}",
                                operandOf(spec_, static_cast<std::size_t>(n.what)).name,
                                meaningPlace(coordinateOf(i, digits)), meaningPlace(port.extents)));
      element = element * port.extents[d] + c;
    }
    if (guards_ != nullptr && !guards_->boxes().contains(inside(i.port, coordinateOf(i, digits)), box_))
      return stop(fmt::format("%{}{} is outside of its extents at some size",
                              operandOf(spec_, static_cast<std::size_t>(n.what)).name,
                              meaningPlace(coordinateOf(i, digits))));
    return read_(i.port, element);
  }

  // `most`: its value at the largest size.
  Value guardedNumber(i64 most, const GuardedExtent& of) {
    if constexpr (std::is_same_v<Domain, Terms>)
      return guards_->size(of.guard, of.unit, most - of.unit * guards_->plan().guards[of.guard].most);
    return Domain::undefined();
  }

  // A sum whose end is a guarded size: of [digit < end] * its summands.
  Value guardedSum(const MeaningNode& n, const MeaningIndices::Node& i, std::vector<i64>& digits) {
    Value out = domain_.constant(0);
    if constexpr (std::is_same_v<Domain, Terms>) {
      if (n.operation != "+") return stop("a maximum or minimum ends at a size that has several values in one run");
      i64& digit = digits[n.variable];
      const i64 lo = i.lo(digits), hi = i.hi(digits), before = digit;
      const Boxes::Id around = box_;
      GuardedExtent end = i.guarded;
      end.more = hi - end.unit * guards_->plan().guards[end.guard].most;
      for (digit = lo; digit < hi && indices_.fault.empty(); ++digit) {
        spend(1);
        const Boxes::Id all = guards_->below(Boxes::kAll, end, digit);
        box_ = guards_->boxes().common(around, all);
        if (box_ == Boxes::kEmpty) continue;
        const auto next = guards_->times(all, node(n.parts[0], digits));
        if (!next) return box_ = around, stop("a summand has no form for all sizes");
        out = domain_.binary(i.operation, out, *next);
      }
      digit = before;
      box_ = around;
    }
    return out;
  }

  // Folds constants of the text.
  Value binary(const std::string& name, int operation, Value a, Value b) {
    if constexpr (std::is_same_v<Domain, Terms>) {
      const Terms::Node x = domain_.node(a), y = domain_.node(b);
      if (x.kind == Terms::Kind::Constant && y.kind == Terms::Kind::Constant)
        return domain_.constant(Numbers::binary(Numbers::operation(name), x.number, y.number));
    }
    return domain_.binary(operation, a, b);
  }

  // none + a sum of products. The factors are those of other sums too: of the other elements in a row or column of a
  // matrix product.
  Value products(const MeaningNode& n, const MeaningIndices::Node& i, std::vector<i64>& digits, Value none) {
    i64& digit = digits[n.variable];
    const i64 lo = i.lo(digits), hi = i.hi(digits), before = digit;
    spend(4 * std::max<i64>(hi - lo, 0));
    const std::vector<int>& parts = meaning_.nodes[n.parts[0]].parts;
    Dots::Row* rows[2];
    std::vector<Value> factors[2];
    for (std::size_t k = 0; k < 2; ++k) {
      std::vector<i64> at{parts[k], lo, hi};
      for (const int d : indices_.nodes[parts[k]].free) at.push_back(d == n.variable ? 0 : digits[d]);
      Factors& known = rows_[std::move(at)];  // references stay valid
      if (!holdsHere(known.box)) known = {0, box_};
      rows[k] = &known.row;
    }
    for (digit = lo; digit < hi && indices_.fault.empty(); ++digit)
      for (std::size_t k = 0; k < 2; ++k)
        if (*rows[k] == 0) factors[k].push_back(node(parts[k], digits));
    digit = before;
    if (!indices_.fault.empty()) return Domain::undefined();
    for (std::size_t k = 0; k < 2; ++k)
      if (*rows[k] == 0) *rows[k] = domain_.row(factors[k]);
    return domain_.addRows(none, *rows[0], *rows[1]);
  }

  Value reduce(const MeaningNode& n, const MeaningIndices::Node& i, std::vector<i64>& digits) {
    if (i.guarded.guard >= 0) return guardedSum(n, i, digits);
    i64& digit = digits[n.variable];
    const i64 lo = i.lo(digits), hi = i.hi(digits), before = digit;
    const bool sum = n.operation == "+";
    const double none = sum ? 0.0 : n.operation == "max" ? -HUGE_VAL : HUGE_VAL;
    Value out = domain_.constant(none);
    if constexpr (std::is_same_v<Domain, Terms>) {
      const MeaningNode& inner = meaning_.nodes[n.parts[0]];
      if (sum && inner.kind == MeaningNode::Kind::Binary && inner.operation == "*") return products(n, i, digits, out);
    }
    for (digit = lo; digit < hi && indices_.fault.empty(); ++digit) {
      spend(1);
      const Value next = node(n.parts[0], digits);
      out = digit == lo ? next : domain_.binary(i.operation, out, next);
    }
    digit = before;
    return out;
  }

  const Spec& spec_;
  const Meaning& meaning_;
  Domain& domain_;
  GuardedValues* guards_;
  MeaningIndices indices_;
  Read read_;
  i64 left_;
  int depth_ = 0;
  struct Known {
    Value value = Domain::undefined();
    Boxes::Id box = Boxes::kAll;  // the sizes for which it was evaluated
  };
  Boxes::Id box_ = Boxes::kAll;                                                  // of what is evaluated
  std::vector<std::unordered_map<std::vector<i64>, Known, Hash>> known_, kept_;  // by equation, by reduction
  struct Factors {
    Dots::Row row = 0;
    Boxes::Id box = Boxes::kEmpty;
  };
  std::unordered_map<std::vector<i64>, Factors, Hash> rows_;  // on terms
};

}  // namespace tessera::graphene
