#include "solver/graphene/equal/forms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/base/work.h"
#include "core/expr/simplify.h"

namespace tessera::graphene {
namespace {

// "d0 + 3 >= 0" of a normalised condition.
std::string textOf(const Comparison& c) { return fmt::format("{} {} 0", print(c.left), c.op); }

void addTo(std::vector<int>& list, const std::vector<int>& more) {
  list.insert(list.end(), more.begin(), more.end());
  std::ranges::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace

// ---- leaves

Forms::Id Forms::leaf(Leaf one) {
  std::vector<std::string> texts;
  for (const Expr& e : one.at) {
    texts.push_back(print(e));
    addTo(one.free, IndexRanges::digitsIn(e));
  }
  for (const Comparison& c : one.condition) {
    texts.push_back(textOf(c));
    addTo(one.free, IndexRanges::digitsIn(c.left));
  }
  for (const Id part : one.parts)
    for (const Terms::Value v : parts_.inputs(part)) addTo(one.free, leafOf(v).free);
  if (one.kind == Leaf::Kind::Reduce) {  // its own indices
    const int end = one.first + static_cast<int>(one.at.size());
    std::erase_if(one.free, [&](int d) { return d >= one.first && d < end; });
  }
  spend(8);
  const std::string key = fmt::format("{} {} [{}] {} {}", static_cast<int>(one.kind), one.name, fmt::join(texts, ","),
                                      fmt::join(one.parts, ","), one.first);
  const auto [at, made] = leafNamed_.try_emplace(key, static_cast<i64>(leaves_.size()));
  if (made) leaves_.push_back(std::move(one));
  return algebra_.of(terms_.input(0, 0, at->second));
}

std::optional<Forms::Leaf> Forms::lone(Id x, std::string_view operation) {
  const auto inputs = parts_.inputs(x);
  if (inputs.size() != 1 || algebra_.of(inputs[0]) != x) return std::nullopt;
  const Leaf& one = leafOf(inputs[0]);
  return one.kind == Leaf::Kind::Reduce && one.name == operation ? std::optional(one) : std::nullopt;
}

bool Forms::mentions(Id x, const std::vector<int>& digits) const {
  for (const Terms::Value v : parts_.inputs(x))
    for (const int d : leafOf(v).free)
      if (std::ranges::find(digits, d) != digits.end()) return true;
  return false;
}

Forms::Id Forms::element(const std::string& tensor, const Exprs& at) {
  Leaf one{Leaf::Kind::Element, tensor, {}, {}, {}, 0, {}};
  for (const Expr& e : at) one.at.push_back(ranges_.simple(e));
  return leaf(std::move(one));
}

Forms::Id Forms::index(const Expr& whole) {
  const std::function<Id(const Expr&, int)> of = [&](const Expr& e, int depth) -> Id {
    spend(2);
    if (e.isConstant()) return number(static_cast<double>(e.value()));
    if (depth < kMostDepth && e.op() == Op::Add) {
      const Id x = of(e.lhs(), depth + 1), y = of(e.rhs(), depth + 1);
      return algebra_.plus(x, y, 1);
    }
    if (depth < kMostDepth && e.op() == Op::Mul) {
      const Id x = of(e.lhs(), depth + 1), y = of(e.rhs(), depth + 1);
      return algebra_.product(x, y);
    }
    Leaf one{Leaf::Kind::Index, "", {e}, {}, {}, 0, {}};
    return leaf(std::move(one));
  };
  return of(ranges_.simple(whole), 0);
}

Forms::Id Forms::binary(const std::string& operation, Id x, Id y) {
  if (operation == "+") return adjoined(algebra_.plus(x, y, 1));
  if (operation == "-" && !algebra_.isConstant(y)) return adjoined(algebra_.plus(x, y, -1));
  if (operation == "*") return algebra_.product(x, y);
  if (operation == "max" || operation == "min") {
    const std::optional<Leaf> one = lone(x, operation), other = lone(y, operation);
    if (one && other)
      for (const bool swapped : {false, true})
        if (const auto both = adjoined(swapped ? *other : *one, swapped ? *one : *other)) return *both;
    return algebra_.set(operation == "max", {x, y});
  }
  return algebra_.binary(operation, x, y);
}

// Comparisons become e >= 0, e == 0 or e != 0; those that always hold are left out.
Forms::Id Forms::where(const std::vector<Comparison>& condition, Id x, Id y) {
  std::vector<Comparison> left;
  for (const Comparison& c : condition) {
    Comparison one{c.left - c.right, Expr::constant(0), c.op == "==" || c.op == "!=" ? c.op : ">="};
    if (c.op == "<" || c.op == "<=") one.left = c.right - c.left;
    if (c.op == "<" || c.op == ">") one.left = one.left - 1;
    one.left = ranges_.simple(one.left);
    const Range r = ranges_.range(one.left);
    const bool apart = r.lo > 0 || r.hi < 0, zero = r.lo == 0 && r.hi == 0;
    const bool always = one.op == ">=" ? r.lo >= 0 : one.op == "==" ? zero : apart;
    const bool never = one.op == ">=" ? r.hi < 0 : one.op == "==" ? apart : zero;
    if (never) return y;
    if (always) continue;
    if (one.op != ">=")
      if (const Expr minus = ranges_.simple(one.left * -1); compareStructure(minus, one.left) < 0) one.left = minus;
    left.push_back(one);
  }
  if (left.empty() || x == y) return x;
  std::ranges::sort(left, [](const Comparison& a, const Comparison& b) {
    const int order = compareStructure(a.left, b.left);
    return order != 0 ? order < 0 : a.op < b.op;
  });
  left.erase(std::unique(left.begin(), left.end(),
                         [](const Comparison& a, const Comparison& b) { return a.left == b.left && a.op == b.op; }),
             left.end());
  if (left.size() == 1) {  // of a comparison and its opposite, one is used
    Comparison& one = left[0];
    if (one.op == "!=") {
      one.op = "==";
      std::swap(x, y);
    } else if (one.op == ">=") {
      const Expr opposite = ranges_.simple(one.left * -1 - 1);
      if (compareStructure(opposite, one.left) < 0) {
        one.left = opposite;
        std::swap(x, y);
      }
    }
  }
  const auto infinite = [&](Id v) { return algebra_.isConstant(v) && std::isinf(algebra_.numberOf(v)); };
  if ((x == 0 || y == 0) && !infinite(x) && !infinite(y)) {  // [c] * x, y - [c] * y
    const Id guard = leaf({Leaf::Kind::Guard, "", {}, left, {}, 0, {}});
    return y == 0 ? algebra_.product(guard, x) : algebra_.plus(y, algebra_.product(guard, y), -1);
  }
  return leaf({Leaf::Kind::Where, "", {}, left, {x, y}, 0, {}});
}

// ---- renaming

Forms::Id Forms::renamed(Id x, const Renaming& names) {
  if (++depth_ > kMostDepth) fail("its sums are nested too deeply");
  if (!fault_.empty()) {
    --depth_;
    return 0;
  }
  const auto of = [&](const Expr& e) {
    return IndexRanges::replaced(e, [&](int d) {
      const auto found = names.find(d);
      return found == names.end() ? Expr::digit(d) : found->second;
    });
  };
  const Id out = parts_.replaced(x, [&](Terms::Value v) -> Id {
    spend(8);
    const Leaf one = leafOf(v);  // a copy: new leaves move it
    if (std::ranges::none_of(one.free, [&](int d) { return names.count(d) != 0; })) return algebra_.of(v);
    Exprs at;
    for (const Expr& e : one.at) at.push_back(of(e));
    std::vector<Comparison> condition = one.condition;
    for (Comparison& c : condition) c.left = of(c.left);
    switch (one.kind) {
      case Leaf::Kind::Element:
        return element(one.name, at);
      case Leaf::Kind::Index:
        return index(at[0]);
      case Leaf::Kind::Guard:
        return where(condition, number(1), 0);
      case Leaf::Kind::Where: {
        const Id first = renamed(one.parts[0], names), second = renamed(one.parts[1], names);
        return where(condition, first, second);
      }
      case Leaf::Kind::Reduce: {
        Renaming inner = names;
        std::vector<int> over;
        for (std::size_t k = 0; k < at.size(); ++k) {
          over.push_back(ranges_.fresh(at[k]));
          inner[one.first + static_cast<int>(k)] = Expr::digit(over.back());
        }
        const Id body = renamed(one.parts[0], inner);
        return reduce(one.name, over, body);
      }
    }
    return 0;
  });
  --depth_;
  return out;
}

}  // namespace tessera::graphene
