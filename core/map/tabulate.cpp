#include "core/map/tabulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "core/base/check.h"
#include "core/expr/simplify.h"
#include "core/map/compose.h"

namespace tessera {
namespace {

constexpr i64 kPatternLimit = 2048;
constexpr i64 kDigitTableLimit = i64{1} << 16;

bool isLeaf(const Expr& e) { return e.op() == Op::Constant || e.op() == Op::Digit || e.op() == Op::Param; }

// The digits an expression mentions; nullopt past the first two different ones (all callers ask "none or one?").
std::optional<int> theOnlyDigit(const Expr& e, bool& many) {
  std::optional<int> only;
  std::unordered_set<const void*> seen;
  std::vector<Expr> stack{e};
  many = false;
  while (!stack.empty()) {
    const Expr n = stack.back();
    stack.pop_back();
    if (!seen.insert(n.id()).second) continue;
    if (n.op() == Op::Digit) {
      if (only && *only != n.index()) {
        many = true;
        return std::nullopt;
      }
      only = n.index();
    }
    if (!isLeaf(n)) {
      stack.push_back(n.lhs());
      stack.push_back(n.rhs());
    }
  }
  return only;
}

// e as a sum of functions of one digit each, when it is one: the summand of each digit (constant 0 when absent) and a
// constant.
std::optional<std::vector<Expr>> separated(const Expr& e, std::size_t digits) {
  std::vector<Expr> parts(digits + 1);  // the last one: the constant
  std::vector<Expr> stack{e};
  while (!stack.empty()) {
    const Expr n = stack.back();
    stack.pop_back();
    if (n.op() == Op::Add) {
      stack.push_back(n.lhs());
      stack.push_back(n.rhs());
      continue;
    }
    bool many = false;
    const auto only = theOnlyDigit(n, many);
    if (many) return std::nullopt;
    Expr& to = parts[only ? static_cast<std::size_t>(*only) : digits];
    to = to + n;
  }
  return parts;
}

// A node x such that e is a function of x alone; then e == post(x). Tried on the sums inside e, outermost first.
struct Core {
  Expr sum;
  Expr post;  // over Digit 0 == sum
};

std::optional<Expr> abstracted(const Expr& e, const Expr& core) {
  std::unordered_map<Expr, Expr> done{{core, Expr::digit(0)}};
  std::vector<std::pair<Expr, bool>> stack{{e, false}};
  while (!stack.empty()) {
    auto [n, expanded] = std::move(stack.back());
    stack.pop_back();
    if (done.count(n) != 0) continue;
    if (n.op() == Op::Digit || n.op() == Op::Param) return std::nullopt;
    if (n.isConstant()) {
      done.emplace(n, n);
    } else if (!expanded) {
      stack.emplace_back(n, true);
      stack.emplace_back(n.rhs(), false);
      stack.emplace_back(n.lhs(), false);
    } else {
      done.emplace(n, Expr::binary(n.op(), done.at(n.lhs()), done.at(n.rhs())));
    }
  }
  return done.at(e);
}

std::optional<Core> coreOf(const Expr& e, std::size_t digits) {
  std::unordered_set<const void*> seen;
  std::vector<Expr> queue{e};
  for (std::size_t k = 0; k < queue.size() && k < 64; ++k) {
    const Expr n = queue[k];
    if (separated(n, digits))
      if (const auto post = abstracted(e, n)) return Core{n, *post};
    if (isLeaf(n)) continue;
    for (const Expr& child : {n.lhs(), n.rhs()})
      if (seen.insert(child.id()).second) queue.push_back(child);
  }
  return std::nullopt;
}

// g(d) for d in [0, extent) of a one-digit expression.
std::vector<i64> digitTable(const Expr& part, int digit, i64 extent) {
  const Program program = Program::compile(part);
  std::vector<i64> point(static_cast<std::size_t>(digit) + 1, 0), values(static_cast<std::size_t>(extent));
  for (i64 d = 0; d < extent; ++d) {
    point[static_cast<std::size_t>(digit)] = d;
    values[static_cast<std::size_t>(d)] = program.run(point);
  }
  return values;
}

struct Wheel {  // one digit of the odometer
  i64 extent = 1;
  std::vector<i64> values;  // g(d); empty when the digit is too long for a table
  Program program;
  int digit = 0;
  [[nodiscard]] i64 at(i64 d) const {
    if (!values.empty()) return values[static_cast<std::size_t>(d)];
    std::vector<i64> point(static_cast<std::size_t>(digit) + 1, 0);
    point[static_cast<std::size_t>(digit)] = d;
    return program.run(point);
  }
};

void applyPost(const Program& post, i64* out, std::size_t count, std::vector<i64>& scratch) {
  i64 copy[Program::kBlock];
  for (std::size_t i = 0; i < count; i += Program::kBlock) {
    const std::size_t n = std::min(Program::kBlock, count - i);
    std::copy_n(out + i, n, copy);
    const i64* digits[] = {copy};
    post.runBlock(digits, {}, n, out + i, scratch);
  }
}

void tabulateSeparable(const Map& map, const Core& core, const std::vector<Expr>& parts, LinearOrder order,
                       std::span<i64> out) {
  std::vector<Wheel> wheels;
  const std::size_t n = map.digits().size();
  for (std::size_t step = 0; step < n; ++step) {
    const std::size_t k = order == LinearOrder::Colex ? step : n - 1 - step;
    Wheel w;
    w.extent = map.digits()[k].extent;
    w.digit = static_cast<int>(k);
    if (w.extent == 1 && parts[k].isConstant(0)) continue;
    if (w.extent <= kDigitTableLimit) {
      w.values = digitTable(parts[k], w.digit, w.extent);
    } else {
      w.program = Program::compile(parts[k]);
    }
    wheels.push_back(std::move(w));
  }
  const i64 constant = parts[n].isConstant() ? parts[n].value() : 0;
  // The pattern: the sum over the fastest digits. A fast digit too long for it is cut into runs.
  std::vector<i64> pattern{0};
  std::size_t fast = 0;
  while (fast < wheels.size() && static_cast<i64>(pattern.size()) * wheels[fast].extent <= kPatternLimit) {
    const std::vector<i64> inner = std::move(pattern);
    pattern.clear();
    pattern.reserve(inner.size() * static_cast<std::size_t>(wheels[fast].extent));
    for (i64 d = 0; d < wheels[fast].extent; ++d) {
      const i64 g = wheels[fast].at(d);
      for (const i64 v : inner) pattern.push_back(g + v);
    }
    ++fast;
  }
  const bool hasPost = !(core.post == Expr::digit(0));
  const Program post = Program::compile(core.post);
  std::vector<i64> scratch, odometer(wheels.size(), 0);
  std::size_t written = 0, pending = 0;
  while (written < out.size()) {
    i64 base = constant;
    for (std::size_t w = fast; w < wheels.size(); ++w) base += wheels[w].at(odometer[w]);
    i64* __restrict to = out.data() + written;
    const i64* __restrict from = pattern.data();
    const std::size_t count = pattern.size();
    for (std::size_t i = 0; i < count; ++i) to[i] = base + from[i];
    written += count;
    pending += count;
    if (hasPost && (pending >= 2048 || written == out.size())) {
      applyPost(post, out.data() + written - pending, pending, scratch);
      pending = 0;
    }
    for (std::size_t w = fast; w < wheels.size(); ++w) {
      if (++odometer[w] < wheels[w].extent) break;
      odometer[w] = 0;
    }
  }
}

void tabulateGeneral(const Map& map, const Expr& e, LinearOrder order, std::span<i64> out) {
  const Program program = Program::compile(e);
  const std::size_t n = map.digits().size();
  std::vector<std::vector<i64>> columns(n, std::vector<i64>(Program::kBlock));
  std::vector<const i64*> pointers;
  for (auto& c : columns) pointers.push_back(c.data());
  std::vector<i64> odometer(n, 0), scratch;
  for (std::size_t done = 0; done < out.size();) {
    const std::size_t count = std::min(Program::kBlock, out.size() - done);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < n; ++k) columns[k][i] = odometer[k];
      for (std::size_t step = 0; step < n; ++step) {
        const std::size_t k = order == LinearOrder::Colex ? step : n - 1 - step;
        if (++odometer[k] < map.digits()[k].extent) break;
        odometer[k] = 0;
      }
    }
    program.runBlock(pointers, {}, count, out.data() + done, scratch);
    done += count;
  }
}

}  // namespace

Result<void> tabulate(const Map& map, int axis, LinearOrder order, std::span<i64> out) {
  const auto count = map.pointCount();
  LAYOUT_CHECK(count && static_cast<std::size_t>(*count) == out.size(), "tabulate: out must have one place per point");
  if (!map.params().empty()) return Diag{"a map with symbolic sizes has no table", "concrete sizes", "", {}};
  const Expr e = simplified(map.axes()[static_cast<std::size_t>(axis)].value, environmentOf(map));
  const std::size_t n = map.digits().size();
  if (const auto core = coreOf(e, n)) {
    tabulateSeparable(map, *core, *separated(core->sum, n), order, out);
  } else {
    tabulateGeneral(map, e, order, out);
  }
  return {};
}

PointEvaluator::PointEvaluator(const Map& map) {
  for (const Axis& a : map.axes()) programs_.push_back(Program::compile(simplified(a.value, environmentOf(map))));
  for (const Digit& d : map.digits()) extents_.push_back(d.extent);
}

i64 PointEvaluator::at(i64 linear, LinearOrder order, int axis) const {
  return value(delinearize(linear, extents_, order), axis);
}

}  // namespace tessera
