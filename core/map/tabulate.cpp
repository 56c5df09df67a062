#include "core/map/tabulate.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/base/arith.h"
#include "core/base/check.h"
#include "core/base/lanes.h"
#include "core/base/mapped.h"
#include "core/expr/linear_sum.h"
#include "core/expr/simplify.h"
#include "core/expr/walk.h"
#include "core/map/compose.h"
#include "core/map/forms/separate.h"

namespace tessera {
namespace {

constexpr i64 kPatternLimit = 1024;             // 8 KiB, so that pattern and chunk share the first-level cache
constexpr i64 kDigitTableLimit = i64{1} << 16;  // a longer digit gets no table
constexpr i64 kSplit = 1024;                    // and is split there if that divides its extent
constexpr std::size_t kChunk = 1024;            // elements between two runs of the post step
constexpr i64 kBlockLimit = i64{1} << 15;       // points of a block that repeats; 256 KiB, in the second-level cache
constexpr i64 kLeastBlock = 64;
constexpr i64 kLeastBlocked = i64{1} << 14;   // points of a map for which blocks are looked for
constexpr int kMostBlocks = 24;               // sizes that are tried
constexpr std::size_t kMostBlockNodes = 512;  // of an expression for which they are tried

using Combine = Separated::Combine;

i64 combined(Combine how, i64 a, i64 b) {
  return how == Combine::Xor ? a ^ b : static_cast<i64>(static_cast<u64>(a) + static_cast<u64>(b));
}

template <typename Op>
inline void onto(i64* to, const i64* from, std::size_t count, i64 base, Op op) {
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8)
    for (std::size_t k = 0; k < 8; k += 2) storeLanes(to + i + k, op(loadLanes(from + i + k), Lanes{base, base}));
  for (; i < count; ++i) to[i] = op(from[i], base);
}

// to[i] = base (+) from[i].
void combineOnto(Combine how, i64* to, const i64* from, std::size_t count, i64 base) {
  if (how == Combine::Xor) {
    onto(to, from, count, base, [](auto a, auto b) { return a ^ b; });
  } else {
    onto(to, from, count, base, [](auto a, auto b) { return a + b; });
  }
}

// The function of one digit: a table, or a stride if linear.
struct Wheel {
  i64 extent = 1;
  i64 stride = 0;
  std::vector<i64> values;  // empty: linear
  [[nodiscard]] i64 at(i64 d) const { return values.empty() ? stride * d : values[static_cast<std::size_t>(d)]; }
};

// g(d) for d in [0, extent) of a function of Digit `digit` only.
std::vector<i64> digitTable(const Expr& part, i64 stride, std::size_t digit, i64 extent) {
  const Program program = Program::compile(part);
  std::vector<i64> column(Program::kBlock), values(static_cast<std::size_t>(extent)), scratch;
  std::vector<const i64*> columns(digit + 1, nullptr);
  columns[digit] = column.data();
  for (i64 first = 0; first < extent; first += static_cast<i64>(Program::kBlock)) {
    const auto count = std::min(Program::kBlock, static_cast<std::size_t>(extent - first));
    for (std::size_t i = 0; i < count; ++i) column[i] = first + static_cast<i64>(i);
    i64* to = values.data() + first;
    program.runBlock(columns, {}, count, to, scratch);
    if (stride != 0)
      for (std::size_t i = 0; i < count; ++i) to[i] += stride * column[i];
  }
  return values;
}

// Digits in running order, fastest first, and the axis over them.
struct Ordered {
  std::vector<i64> extents;
  Expr value;
};

Environment boxOf(const std::vector<i64>& extents) {
  Environment box;
  for (const i64 n : extents) box.digits.push_back({0, n - 1});
  return box;
}

Ordered ordered(const Map& map, int axis, LinearOrder order) {
  Ordered out{mapped<i64>(map.digits(), &Digit::extent), map.axes()[static_cast<std::size_t>(axis)].value};
  if (order == LinearOrder::Lex && out.extents.size() > 1) {
    std::ranges::reverse(out.extents);
    std::vector<Expr> reversed = identityDigits(out.extents.size());
    std::ranges::reverse(reversed);
    out.value = substitute(out.value, reversed);
  }
  return out;
}

// Splits digits too long for a table where kSplit divides them: a linear index under a swizzle then separates.
Ordered splitLong(const Ordered& o) {
  Ordered out;
  std::vector<Expr> replacement;
  for (const i64 n : o.extents) {
    const auto next = [&] { return Expr::digit(static_cast<int>(out.extents.size())); };
    i64 rest = n, scale = 1;
    Expr e;
    while (rest > kDigitTableLimit && rest % kSplit == 0) {
      e = e + next() * scale;
      out.extents.push_back(kSplit);
      rest /= kSplit;
      scale *= kSplit;
    }
    e = e + next() * scale;
    out.extents.push_back(rest);
    replacement.push_back(e);
  }
  out.value = substitute(o.value, replacement);
  return out;
}

}  // namespace

struct Tabulator::Plan {
  // Separated: value = post(base (+) pattern), runs of `group` consecutive points share the slow digits.
  bool separable = false;
  Combine combine = Combine::Sum;
  i64 constant = 0;
  std::vector<i64> pattern;  // the fast digits' combined values
  i64 group = 1;             // points per turn of the odometer; longer than the pattern if groupStride continues it
  i64 groupStride = 0;       // value per point past the pattern
  std::vector<Wheel> slow;
  bool hasPost = false;
  std::optional<ShiftXor> bits;  // the post step, if it only moves and xors bits
  // Otherwise: a block program over the digits.
  std::vector<i64> extents;
  Program program;  // post, or the whole formula
  std::string method;

  static std::optional<Plan> separate(const Ordered& o) {
    const auto parts = separated(o.value, boxOf(o.extents));
    if (!parts) return std::nullopt;
    Plan plan;
    plan.separable = true;
    plan.combine = parts->combine;
    plan.constant = parts->constant;
    plan.method = parts->combine == Combine::Xor ? "xor of digits" : "strides";
    std::vector<Wheel> wheels;
    for (std::size_t k = 0; k < o.extents.size(); ++k) {
      if (o.extents[k] == 1 && parts->parts[k].isConstant(0)) continue;
      Wheel w{o.extents[k], parts->strides[k], {}};
      if (!parts->parts[k].isConstant(0)) {
        if (w.extent > kDigitTableLimit) return std::nullopt;
        w.values = digitTable(parts->parts[k], w.stride, k, w.extent);
        if (plan.combine == Combine::Sum) plan.method = "sum of digits";
      }
      wheels.push_back(std::move(w));
    }
    plan.pattern = {0};
    std::size_t fast = 0;
    for (; fast < wheels.size(); ++fast) {
      const Wheel& w = wheels[fast];
      const auto inner = static_cast<i64>(plan.pattern.size());
      const bool first = inner == 1;
      const bool fits = w.extent <= kPatternLimit / inner;
      if (!fits && !first) break;
      // The first digit is taken whole if it has a table, and cut if it is linear.
      const i64 taken = fits || !w.values.empty() ? w.extent : kPatternLimit;
      std::vector<i64> next(static_cast<std::size_t>(inner * taken));
      for (i64 d = 0; d < taken; ++d)
        combineOnto(plan.combine, next.data() + d * inner, plan.pattern.data(), plan.pattern.size(), w.at(d));
      plan.pattern = std::move(next);
      plan.group *= w.extent;
      if (!fits) {
        plan.groupStride = w.stride;
        ++fast;
        break;
      }
    }
    plan.slow.assign(wheels.begin() + static_cast<std::ptrdiff_t>(fast), wheels.end());
    if (parts->post) {
      plan.hasPost = true;
      const auto top = plan.greatest(wheels);
      if (top) plan.bits = ShiftXor::of(*parts->post, *top);
      if (!plan.bits) plan.program = Program::compile(*parts->post);
      plan.method = plan.bits ? "sum of digits, then shifts and xors" : "sum of digits, then a program";
    }
    return plan;
  }

  // value = slow digits' part + fast digits' part, where a digit may be cut: (c + r * 8) mod 512 repeats every 64 rows.
  static std::optional<Plan> blocked(const Ordered& o) {
    i64 points = 1, inner = 1;
    for (const i64 n : o.extents)
      if (!mulInto(points, n)) points = INT64_MAX;
    if (points < kLeastBlocked || nodeCount(o.value) > kMostBlockNodes) return std::nullopt;
    int tries = 0;
    for (std::size_t m = 0; m < o.extents.size() && inner <= kBlockLimit; ++m) {
      for (i64 taken = 1; taken <= o.extents[m] && inner * taken <= kBlockLimit; taken *= 2) {
        const bool size = inner * taken >= kLeastBlock && inner * taken < points;
        if (!size || o.extents[m] % taken != 0) continue;
        if (++tries > kMostBlocks) return std::nullopt;
        if (auto plan = blockedAt(o, m, taken)) return plan;
      }
      if (!mulInto(inner, o.extents[m])) return std::nullopt;
    }
    return std::nullopt;
  }

  // The fast digits are those before m, and m modulo `taken`.
  static std::optional<Plan> blockedAt(const Ordered& o, std::size_t m, i64 taken) {
    std::vector<i64> fastExtents(o.extents.begin(), o.extents.begin() + static_cast<std::ptrdiff_t>(m));
    std::vector<i64> slowExtents(o.extents.begin() + static_cast<std::ptrdiff_t>(m), o.extents.end());
    fastExtents.push_back(taken);
    slowExtents[0] /= taken;
    std::vector<Expr> split, slowDigits;
    for (std::size_t k = 0; k < o.extents.size(); ++k)
      split.push_back(k < m ? Expr::digit(static_cast<int>(k)) : Expr::digit(static_cast<int>(k) + 1));
    split[m] = split[m] * taken + Expr::digit(static_cast<int>(m));
    std::vector<i64> all = fastExtents;
    all.insert(all.end(), slowExtents.begin(), slowExtents.end());
    const auto sum = linearSum(simplified(substitute(o.value, split), boxOf(all)));
    if (!sum) return std::nullopt;
    Linear fast, slow;
    slow.constant = sum->constant;
    for (const Term& term : sum->terms) {
      const std::vector<int> digits = leavesIn(term.part, Op::Digit);
      const auto isFast = [&](int d) { return d <= static_cast<int>(m); };
      if (std::ranges::all_of(digits, isFast)) {
        fast.terms.push_back(term);
      } else if (std::ranges::none_of(digits, isFast)) {
        slow.terms.push_back(term);
      } else {
        return std::nullopt;
      }
    }
    for (std::size_t k = 0; k < all.size(); ++k)
      slowDigits.push_back(k <= m ? Expr() : Expr::digit(static_cast<int>(k - m) - 1));
    Plan plan;
    plan.separable = true;
    plan.method = "blocks that repeat";
    const auto turns = table(substitute(built(slow), slowDigits), slowExtents, kDigitTableLimit);
    auto pattern = table(built(fast), fastExtents, kBlockLimit);
    if (!turns || !pattern) return std::nullopt;
    plan.pattern = *std::move(pattern);
    plan.group = static_cast<i64>(plan.pattern.size());
    plan.slow.push_back({static_cast<i64>(turns->size()), 0, *turns});
    return plan;
  }

  // Every value of an expression over these digits; nullopt above `most` points.
  static std::optional<std::vector<i64>> table(const Expr& value, const std::vector<i64>& extents, i64 most) {
    i64 points = 1;
    for (const i64 n : extents)
      if (!mulInto(points, n) || points > most) return std::nullopt;
    Plan plan;
    plan.extents = extents;
    plan.program = Program::compile(value);
    std::vector<i64> values(static_cast<std::size_t>(points));
    plan.fillByProgram(0, values);
    return values;
  }

  // The largest sum, if no sum is negative.
  [[nodiscard]] std::optional<i64> greatest(const std::vector<Wheel>& wheels) const {
    std::optional<i64> top = constant;
    for (const Wheel& w : wheels) {
      i64 least = std::min<i64>(0, w.stride), most = 0;
      if (w.values.empty()) {
        const auto last = checkedMul(w.stride, w.extent - 1);
        if (!last) return std::nullopt;
        most = *last;
      } else {
        least = *std::ranges::min_element(w.values);
        most = *std::ranges::max_element(w.values);
      }
      if (least < 0 || !top) return std::nullopt;
      top = checkedAdd(*top, most);
    }
    return constant < 0 || combine != Combine::Sum ? std::nullopt : top;
  }

  [[nodiscard]] i64 slowBase(const std::vector<i64>& odometer) const {
    i64 base = constant;
    for (std::size_t w = 0; w < slow.size(); ++w) base = combined(combine, base, slow[w].at(odometer[w]));
    return base;
  }

  void fillSeparated(i64 first, std::span<i64> out) const {
    std::vector<i64> odometer(slow.size(), 0), scratch;
    i64 within = first % group, rest = first / group;
    for (std::size_t w = 0; w < slow.size(); ++w) {
      odometer[w] = w + 1 == slow.size() ? rest : rest % slow[w].extent;
      rest /= slow[w].extent;
    }
    std::array<i64, Program::kBlock> copy;
    const auto length = static_cast<i64>(pattern.size());
    std::size_t written = 0, finished = 0;
    i64 base = slowBase(odometer);
    while (written < out.size()) {
      const i64 start = within % length;  // position in the pattern, which starts at point within - start
      const i64 run = std::min({length - start, group - within, static_cast<i64>(out.size() - written)});
      const i64 from = groupStride == 0 ? base : base + groupStride * (within - start);
      if (bits) {
        bits->ofSums(out.data() + written, pattern.data() + start, static_cast<std::size_t>(run), from);
      } else {
        combineOnto(combine, out.data() + written, pattern.data() + start, static_cast<std::size_t>(run), from);
      }
      written += static_cast<std::size_t>(run);
      within += run;
      if (hasPost && !bits && (written - finished >= kChunk || written == out.size())) {
        while (finished < written) {
          const std::size_t count = std::min(Program::kBlock, written - finished);
          std::copy_n(out.data() + finished, count, copy.data());
          const std::array<const i64*, 1> column{copy.data()};
          program.runBlock(column, {}, count, out.data() + finished, scratch);
          finished += count;
        }
      }
      if (within < group) continue;
      within = 0;
      for (std::size_t w = 0; w < slow.size(); ++w) {
        if (++odometer[w] < slow[w].extent) break;
        odometer[w] = 0;
      }
      base = slowBase(odometer);
    }
  }

  void fillByProgram(i64 first, std::span<i64> out) const {
    const std::size_t n = extents.size();
    std::vector<i64> columns(n * Program::kBlock), odometer = delinearize(first, extents, LinearOrder::Colex), scratch;
    std::vector<const i64*> pointers;
    for (std::size_t k = 0; k < n; ++k) pointers.push_back(columns.data() + k * Program::kBlock);
    for (std::size_t done = 0; done < out.size();) {
      const std::size_t count = std::min(Program::kBlock, out.size() - done);
      for (std::size_t i = 0; i < count && n > 0;) {  // a run of the fastest digit at a time
        const auto run = std::min(count - i, static_cast<std::size_t>(extents[0] - odometer[0]));
        for (std::size_t r = 0; r < run; ++r) columns[i + r] = odometer[0] + static_cast<i64>(r);
        for (std::size_t k = 1; k < n; ++k) std::fill_n(columns.data() + k * Program::kBlock + i, run, odometer[k]);
        i += run;
        odometer[0] += static_cast<i64>(run);
        for (std::size_t k = 0; k < n && odometer[k] >= extents[k]; ++k) {
          odometer[k] = 0;
          if (k + 1 < n) ++odometer[k + 1];
        }
      }
      program.runBlock(pointers, {}, count, out.data() + done, scratch);
      done += count;
    }
  }
};

Result<Tabulator> Tabulator::create(const Map& map, int axis, LinearOrder order) {
  LAYOUT_CHECK(axis >= 0 && static_cast<std::size_t>(axis) < map.axes().size(), "tabulate: no such axis");
  if (!map.params().empty()) return Diag{"a map with symbolic sizes has no table", "concrete sizes"};
  const Ordered o = ordered(map, axis, order);
  auto plan = Plan::separate(o);
  if (!plan) {
    const Ordered split = splitLong(o);
    if (split.extents.size() > o.extents.size()) plan = Plan::separate(split);
  }
  if (!plan) plan = Plan::blocked(o);
  if (!plan) {
    plan = Plan{};
    plan->extents = o.extents;
    plan->program = Program::compile(simplified(o.value, boxOf(o.extents)));
    plan->method = "program";
  }
  Tabulator made;
  made.plan_ = std::make_shared<const Plan>(*std::move(plan));
  return made;
}

void Tabulator::fill(i64 first, std::span<i64> out) const {
  if (!out.empty()) plan_->separable ? plan_->fillSeparated(first, out) : plan_->fillByProgram(first, out);
}
std::string Tabulator::method() const { return plan_->method; }

Result<void> tabulate(const Map& map, int axis, LinearOrder order, std::span<i64> out) {
  const auto count = map.pointCount();
  LAYOUT_CHECK(count && static_cast<std::size_t>(*count) == out.size(), "tabulate: out must have one place per point");
  TESSERA_TRY(const Tabulator table, Tabulator::create(map, axis, order));
  table.fill(0, out);
  return {};
}

PointEvaluator::PointEvaluator(const Map& map) {
  const Environment box = environmentOf(map);
  for (const Axis& a : map.axes()) programs_.push_back(Program::compile(simplified(a.value, box)));
  for (const Digit& d : map.digits()) extents_.push_back(d.extent);
}

i64 PointEvaluator::at(i64 linear, LinearOrder order, int axis) const {
  constexpr std::size_t kSmall = 16;
  const std::size_t n = extents_.size();
  if (n > kSmall) return value(delinearize(linear, extents_, order), axis);
  std::array<i64, kSmall> digits{};
  for (std::size_t step = 0; step < n; ++step) {  // delinearize without a vector: runs per visible cell
    const std::size_t k = order == LinearOrder::Colex ? step : n - 1 - step;
    digits[k] = step + 1 == n ? linear : floorMod(linear, extents_[k]);
    if (step + 1 < n) linear = floorDiv(linear, extents_[k]);
  }
  return value(std::span<const i64>(digits.data(), n), axis);
}

}  // namespace tessera
