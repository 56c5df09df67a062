#include "core/hlo/compose/loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "core/base/work_budget.h"
#include "core/expr/facts.h"
#include "core/hlo/compose/step_values.h"
#include "core/hlo/ops/op.h"
#include "core/hlo/text/kept.h"
#include "core/map/compose.h"
#include "core/map/domain/variables.h"

namespace tessera::hlo {
namespace {

constexpr const char* kAnyTrip = "a step reads at a place that is not a function of the trip";
constexpr const char* kReplicas = "of any replica: a step reads through a collective";
constexpr const char* kMixed = "steps mix elements of what they carry, in part";
constexpr const char* kNoTrips = "the number of trips depends on values";
constexpr const char* kManyMaps = "the steps read in too many ways to list";

// Which replicas' elements, after collectives: any of so many of a group; none: this replica's.
struct Replicas {
  i64 count = 0;
  std::string groups = {};

  void add(const Replicas& more) {
    if (more.count == 0) return;
    if (count > 0 && groups != more.groups) groups = kEverybody;
    if (count == 0) groups = more.groups;
    count = std::max(count, more.count);
  }
};
Replicas replicasOf(const Reach& reach) {
  Replicas all;
  for (std::size_t k = 0; k < reach.replicas.size(); ++k)
    if (const auto& map = reach.replicas[k])
      all.add({factsOf(map->axes().at(0).value, environmentOf(*map)).interval.hi + 1, reach.groups.at(k)});
  return all;
}

// What a part of the state reads of another, in one step or since the beginning. Maps are over the trip, then the
// part's own coordinates.
struct PartRead {
  std::vector<Map> maps;
  Soundness soundness = Soundness::Exact;
  std::string why;
  Replicas others = {};

  void doubt(Soundness s, const std::string& reason) {
    if (s <= soundness) return;
    soundness = s;
    why = reason;
  }
  void ofAnyOf(const Replicas& more) {
    others.add(more);
    if (others.count > 0) doubt(Soundness::Over, kReplicas);
  }
};
using PartReads = std::map<int, PartRead>;

// Builds a map over the trip and coordinates, that reads by maps of one step.
class StepBuilder {
 public:
  StepBuilder(i64 trips, const Ints& sizes) {
    digits_.push_back({"t", trips, DigitKind::Index, 0});
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      digits_.push_back({"d" + std::to_string(k), std::max<i64>(sizes[k], 1), DigitKind::Index, 0});
      if (sizes[k] < 1) within(Expr::constant(1), 0, 0);
    }
  }
  [[nodiscard]] static Expr trip() { return Expr::digit(0); }
  [[nodiscard]] static Expr d(std::size_t k) { return Expr::digit(static_cast<int>(k) + 1); }
  Expr fan(i64 extent) {
    digits_.push_back({"s" + std::to_string(digits_.size()), std::max<i64>(extent, 1), DigitKind::Fan, 0});
    return Expr::digit(static_cast<int>(digits_.size()) - 1);
  }
  void within(Expr value, i64 lo, i64 hi) { guards_.push_back({std::move(value), lo, hi}); }
  void result(Expr value) { axes_.push_back({"", std::move(value), std::nullopt}); }
  // The values of `step` at those coordinates (the trip first).
  void through(const Map& step, const std::vector<Expr>& at) {
    std::vector<Expr> by;
    std::size_t next = 0;
    for (const Digit& digit : step.digits()) {
      if (digit.kind == DigitKind::Fan) {
        by.push_back(fan(digit.extent));
        continue;
      }
      by.push_back(at[next++] + -digit.lo);
      within(by.back(), 0, digit.extent - 1);
    }
    for (const Guard& g : step.guards()) within(substitute(g.value, by), g.lo, g.hi);
    for (const Axis& a : step.axes()) result(substitute(a.value, by));
  }
  [[nodiscard]] Result<Map> build() const {
    TESSERA_TRY(const Map map, Map::create(digits_, axes_, guards_, {}));
    return withoutUnused(simplified(map)).map;
  }

 private:
  std::vector<Digit> digits_;
  std::vector<Axis> axes_;
  std::vector<Guard> guards_;
};

// A part that each step overwrites in one window along a dimension, at a counter: element e is written by trip
// (e - offset) / slope.
struct Window {
  std::size_t dimension = 0;
  i64 slope = 1, offset = 0;

  // The trip that writes that coordinate, which may be before the first or after the last.
  [[nodiscard]] Expr trip(const Expr& e) const {
    return slope > 0 ? floorDiv(e + -offset, slope) : floorDiv(e * -1 + (offset - slope - 1), -slope);
  }
};

// One digit as a coordinate, alone.
std::optional<int> aloneDigit(const Map& map, const Expr& value) {
  if (value.op() == tessera::Op::Digit)
    return map.digit(value.index()).lo == 0 ? std::optional(value.index()) : std::nullopt;
  if (value.op() != tessera::Op::Add) return std::nullopt;
  const Expr a = value.lhs(), b = value.rhs();
  for (const auto& [digit, shift] : {std::pair(a, b), std::pair(b, a)})
    if (digit.op() == tessera::Op::Digit && shift.isConstant(map.digit(digit.index()).lo)) return digit.index();
  return std::nullopt;
}

// The coordinates that a group of parts keeps in each step; the others are mixed.
struct Mixing {
  bool alike = true;       // the parts have equal sizes
  std::vector<bool> kept;  // per dimension
  bool whole = true;       // one step mixes all that is mixed, between every two parts: later steps add nothing
  [[nodiscard]] bool keepsAll() const { return alike && std::ranges::count(kept, false) == 0; }
};

class LoopSolver {
 public:
  LoopSolver(const Module& module, Where loop, int depth, QueryCache& cache)
      : module_(module),
        loop_(loop),
        depth_(depth),
        cache_(cache),
        instruction_(module.at(loop)),
        state_(module.shapeOf(instruction_)),
        values_(module, loop) {}

  Result<LoopReads> run() {
    TESSERA_CHECKED(check());
    cache_.uniform = [this](Where at) {
      return at.computation == body_ && values_.of(HeldValue{{}, at, 0}).has_value();
    };
    const std::size_t parts = state_.leaves();
    for (std::size_t k = 0; k < parts; ++k) TESSERA_CHECKED(readStep(static_cast<int>(k)));
    LoopReads reads;
    if (!values_.trips()) {
      TESSERA_TRY(reads.outputs, withoutTrips());
      return reads;
    }
    trips_ = *values_.trips();
    since_.resize(parts);
    for (const std::vector<int>& group : groups()) TESSERA_CHECKED(solve(group));
    for (std::size_t k = 0; k < parts; ++k) {
      TESSERA_TRY(std::vector<Reach> one, after(static_cast<int>(k)));
      reads.outputs.push_back(std::move(one));
    }
    return reads;
  }

 private:
  [[nodiscard]] Ints sizesOf(int part) const {
    const xla::Shape& shape = state_.leaf(n(part));
    return shape.isArray() ? shape.sizes() : Ints{};
  }
  [[nodiscard]] bool isArray(int part) const { return state_.leaf(n(part)).isArray(); }

  Result<void> check();
  Result<void> readStep(int part);
  [[nodiscard]] PartRead stepRead(int part, const Reach& reach) const;
  [[nodiscard]] std::optional<Window> windowOf(int part) const;
  [[nodiscard]] std::vector<std::vector<int>> groups() const;
  [[nodiscard]] Mixing mixingOf(const std::vector<int>& group) const;
  Result<void> solve(const std::vector<int>& group);
  Result<void> solveWindow(int part, const Window& window);
  Result<void> solveOnce(int part);
  Result<void> solveCycle(const std::vector<int>& group);
  Result<void> follow(PartReads& to, const Map& first, const PartRead& step, int from);
  void add(PartReads& to, int part, Result<Map> map, Soundness soundness, const std::string& why);
  [[nodiscard]] Result<Map> identityWhen(int part, const std::optional<Guard>& guard) const;
  Result<std::vector<Reach>> after(int part) const;
  Result<std::vector<std::vector<Reach>>> withoutTrips();
  [[nodiscard]] Result<Map> allOf(int part, const Ints& sizes) const {
    StepBuilder b(trips_ + 1, sizes);
    for (const i64 size : sizesOf(part)) b.result(b.fan(size));
    return b.build();
  }

  const Module& module_;
  const Where loop_;
  const int depth_;
  QueryCache& cache_;
  const Instruction& instruction_;
  const xla::Shape& state_;
  const StepValues values_;
  int body_ = -1, condition_ = -1;
  i64 trips_ = 0;
  std::vector<PartReads> step_;       // of one step, by part; element -1: unknown as a whole
  std::vector<std::string> unknown_;  // why what a part reads is unknown; empty: it is known
  std::vector<PartReads> since_;      // x(t) by the initial state
};

bool alikeShapes(const xla::Shape& a, const xla::Shape& b) {
  if (a.leaves() != b.leaves()) return false;
  for (std::size_t k = 0; k < a.leaves(); ++k) {
    const xla::Shape &x = a.leaf(k), &y = b.leaf(k);
    const bool buffer = x.kind() == xla::Shape::Kind::Buffer || y.kind() == xla::Shape::Kind::Buffer;
    if (x.kind() != y.kind() && !buffer) return false;
    if (x.isArray() && y.isArray() && x.sizes() != y.sizes()) return false;
  }
  return true;
}

Result<void> LoopSolver::check() {
  const Op op(module_, loop_);
  TESSERA_CHECKED(op.expectOperands(1));
  const auto called = [&](const char* attribute) -> Result<int> {
    std::string_view name = instruction_.value(attribute);
    if (name.empty()) return op.wrong(fmt::format("while has no {}", attribute), fmt::format("{}=%NAME", attribute));
    if (name.starts_with('%')) name.remove_prefix(1);
    if (const auto at = module_.byName.find(name); at != module_.byName.end()) return at->second;
    const std::vector<int> all = calledBy(module_, instruction_);  // written inline
    if (all.size() != 2) return op.wrong(fmt::format("{}={}", attribute, name), "a computation of this module");
    const Attribute* const body = instruction_.find("body");
    const Attribute* const condition = instruction_.find("condition");
    const bool bodyFirst = body != nullptr && condition != nullptr && body->value.data() < condition->value.data();
    return all[(std::string_view(attribute) == "body") == bodyFirst ? 0 : 1];
  };
  TESSERA_TRY(body_, called("body"));
  TESSERA_TRY(condition_, called("condition"));
  TESSERA_TRY(const xla::Shape* const initial, op.operand(0));
  if (!alikeShapes(*initial, state_))
    return op.wrong(fmt::format("{} is {}, the result {}", op.nameOf(0), xla::print(*initial), xla::print(state_)),
                    "the same sizes");
  for (const bool isBody : {true, false}) {
    const int c = isBody ? body_ : condition_;
    const Computation& computation = module_.computation(c);
    const bool one = computation.parameters.size() == 1 && computation.parameters[0] >= 0 && computation.root >= 0;
    if (!one)
      return op.wrong(fmt::format("{} has {} parameters", computation.name, computation.parameters.size()), "one");
    const xla::Shape& parameter = module_.shapeOf(computation.at(computation.parameters[0]));
    if (!alikeShapes(parameter, state_))
      return op.wrong(fmt::format("{} takes {}", computation.name, xla::print(parameter)), xla::print(state_));
    const xla::Shape& result = module_.shapeOf(computation.at(computation.root));
    const bool fits = isBody ? alikeShapes(result, state_) : result.isArray() && result.rank() == 0;
    if (!fits)
      return op.wrong(fmt::format("{} gives {}", computation.name, xla::print(result)),
                      isBody ? xla::print(state_) : "pred[]");
  }
  return {};
}

Result<void> LoopSolver::readStep(int part) {
  step_.emplace_back();
  unknown_.emplace_back();
  if (!isArray(part)) return {};
  TESSERA_TRY(const std::vector<Reach> reads,
              readsInside(module_, body_, part, instruction_.name, 1, 0, depth_ + 1, cache_));
  for (const Reach& reach : reads) {
    if (reach.maps.empty() && reach.soundness != Soundness::Unknown) continue;
    if (reach.soundness == Soundness::Unknown) {
      unknown_.back() = reach.why;
      continue;
    }
    if (!isArray(reach.element)) continue;
    PartRead read = stepRead(part, reach);
    read.ofAnyOf(replicasOf(reach));
    step_.back()[reach.element] = std::move(read);
  }
  return {};
}

// The maps of a Reach with the trip as the first coordinate; run-time values become functions of it, or ranges.
PartRead LoopSolver::stepRead(int part, const Reach& reach) const {
  PartRead read{{}, reach.soundness, reach.why};
  const i64 trips = std::max<i64>(values_.trips().value_or(1), 1);
  const Ints sizes = sizesOf(part);
  for (std::size_t which = 0; which < reach.maps.size(); ++which) {
    const Map& map = reach.maps[which];
    spend(100);
    StepBuilder b(trips, sizes);
    std::vector<Expr> digits, params;
    std::size_t next = 0;
    for (const Digit& digit : map.digits()) {
      if (digit.kind == DigitKind::Fan) {
        digits.push_back(b.fan(digit.extent));
        continue;
      }
      digits.push_back(StepBuilder::d(next++) + -digit.lo);
      b.within(digits.back(), 0, digit.extent - 1);
    }
    for (std::size_t k = 0; k < map.params().size(); ++k) {
      const Param& p = map.params()[k];
      const auto& runtime = reach.runtimeOf(which);
      std::optional<StepValue> value;
      if (k < runtime.size() && runtime[k].operand < 0 && runtime[k].index.axes().empty())
        value = values_.of(runtime[k].path);
      if (!value) {
        params.push_back(b.fan(p.hi - p.lo + 1) + p.lo);
        read.doubt(Soundness::Over, kAnyTrip);
        continue;
      }
      const Expr e = StepBuilder::trip() * value->slope + value->offset;
      const i64 lo = std::min(value->at(0), value->at(trips - 1)), hi = std::max(value->at(0), value->at(trips - 1));
      params.push_back(lo >= p.lo && hi <= p.hi ? e : least(greatest(e, Expr::constant(p.lo)), Expr::constant(p.hi)));
    }
    for (const Guard& g : map.guards()) b.within(substitute(g.value, digits, params), g.lo, g.hi);
    for (const Axis& a : map.axes()) b.result(substitute(a.value, digits, params));
    auto made = b.build();
    if (!made) {
      read.doubt(Soundness::Unknown, made.error().message);
      continue;
    }
    if (!made->isEmpty()) read.maps.push_back(*std::move(made));
  }
  return read;
}

// If a step only overwrites a window of the part, which.
std::optional<Window> LoopSolver::windowOf(int part) const {
  const auto self = step_[n(part)].find(part);
  if (self == step_[n(part)].end() || self->second.maps.size() != 1) return std::nullopt;  // it is also read
  const HeldValue held = values_.resultOf(part);
  const Instruction& i = module_.at(held.at);
  if (i.opcode != "dynamic-update-slice" || i.operands.size() < 2 || !module_.shapeOf(i).isArray()) return std::nullopt;
  if (values_.stateLeaf(values_.operandOf(held, 0)) != part) return std::nullopt;
  if (i.operands[1] < 0) return std::nullopt;
  const xla::Shape& update = module_.shapeOf(module_.computation(held.at.computation).at(i.operands[1]));
  const Ints whole = sizesOf(part);
  if (!update.isArray() || update.rank() != whole.size() || module_.shapeOf(i).sizes() != whole) return std::nullopt;
  if (i.operands.size() != 2 + whole.size()) return std::nullopt;
  std::optional<Window> window;
  for (std::size_t k = 0; k < whole.size(); ++k) {
    const i64 size = update.sizes()[k];
    if (size == whole[k] && size != 1) continue;
    const auto start = values_.of(values_.operandOf(held, 2 + k));
    if (size == whole[k] && (!start || start->slope == 0)) continue;  // clamped to 0
    if (!start || window || std::abs(start->slope) != size || size < 1) return std::nullopt;
    const i64 first = start->at(0), last = start->at(std::max<i64>(*values_.trips() - 1, 0));
    if (std::min(first, last) < 0 || std::max(first, last) > whole[k] - size) return std::nullopt;  // clamped
    window = Window{k, start->slope, start->offset};
  }
  return window;
}

// The parts in dependence order, those that depend on one another together (Tarjan's components, without recursion).
std::vector<std::vector<int>> LoopSolver::groups() const {
  const std::size_t count = step_.size();
  std::vector<int> index(count, -1), low(count, 0);
  std::vector<bool> open(count);
  std::vector<int> stack;
  std::vector<std::vector<int>> found;
  int next = 0;
  std::vector<std::pair<int, PartReads::const_iterator>> way;
  const auto enter = [&](int k) {
    index[n(k)] = low[n(k)] = next++;
    stack.push_back(k);
    open[n(k)] = true;
    way.emplace_back(k, step_[n(k)].begin());
  };
  for (std::size_t start = 0; start < count; ++start) {
    if (index[start] >= 0) continue;
    enter(static_cast<int>(start));
    while (!way.empty()) {
      const int k = way.back().first;
      auto& at = way.back().second;
      if (at != step_[n(k)].end()) {
        const int to = (at++)->first;
        if (index[n(to)] < 0)
          enter(to);
        else if (open[n(to)])
          low[n(k)] = std::min(low[n(k)], index[n(to)]);
        continue;
      }
      way.pop_back();
      if (!way.empty()) low[n(way.back().first)] = std::min(low[n(way.back().first)], low[n(k)]);
      if (low[n(k)] != index[n(k)]) continue;
      std::vector<int> group;
      for (int member = -1; member != k;) {
        member = stack.back();
        stack.pop_back();
        open[n(member)] = false;
        group.push_back(member);
      }
      found.push_back(std::move(group));
    }
  }
  return found;
}

Result<void> LoopSolver::solve(const std::vector<int>& group) {
  const int part = group[0];
  for (const int member : group)
    for (const auto& [from, read] : step_[n(member)]) {
      const bool inside = std::ranges::find(group, from) != group.end();
      if (unknown_[n(member)].empty() && read.soundness == Soundness::Unknown) unknown_[n(member)] = read.why;
      if (unknown_[n(member)].empty() && !inside) unknown_[n(member)] = unknown_[n(from)];
    }
  for (const int member : group)
    if (!unknown_[n(member)].empty())
      for (const int other : group) unknown_[n(other)] = unknown_[n(member)];
  if (!unknown_[n(part)].empty()) return {};
  const bool itself = step_[n(part)].contains(part);
  if (group.size() == 1 && !itself) return solveOnce(part);
  if (group.size() == 1)
    if (const auto window = windowOf(part)) return solveWindow(part, *window);
  return solveCycle(group);
}

void LoopSolver::add(PartReads& to, int part, Result<Map> map, Soundness soundness, const std::string& why) {
  PartRead& read = to[part];
  if (!map) return read.doubt(Soundness::Unknown, map.error().message);
  if (map->isEmpty()) return;
  read.doubt(soundness, why);
  if (std::ranges::find(read.maps, *map) != read.maps.end()) return;
  read.maps.push_back(*std::move(map));
}

Result<Map> LoopSolver::identityWhen(int part, const std::optional<Guard>& guard) const {
  StepBuilder b(trips_ + 1, sizesOf(part));
  if (guard) b.within(guard->value, guard->lo, guard->hi);
  for (std::size_t k = 0; k < sizesOf(part).size(); ++k) b.result(StepBuilder::d(k));
  return b.build();
}

// `first`: from (t, e) to the trip and the element of part `from` that is read there. Adds what that depends on.
Result<void> LoopSolver::follow(PartReads& to, const Map& first, const PartRead& step, int from) {
  for (const auto& [origin, since] : since_[n(from)]) {
    const Soundness soundness = std::max(step.soundness, since.soundness);
    const std::string& why = step.soundness >= since.soundness ? step.why : since.why;
    for (const Map& map : since.maps) {
      spend(200);
      if (to[origin].maps.size() > kMostLoopMaps) break;
      Result<Map> both = thenInside(first, map);
      if (both) both = withoutUnused(*both).map;
      add(to, origin, std::move(both), soundness, why);
    }
    if (since.soundness == Soundness::Unknown) to[origin].doubt(Soundness::Unknown, since.why);
    if (!since.maps.empty()) {
      to[origin].ofAnyOf(step.others);
      to[origin].ofAnyOf(since.others);
    }
  }
  for (auto& [origin, read] : to) {
    if (read.maps.size() <= kMostLoopMaps) continue;
    Ints sizes;
    const std::vector<int> asked = first.indexDigits();
    for (std::size_t k = 1; k < asked.size(); ++k)
      sizes.push_back(first.digit(asked[k]).lo + first.digit(asked[k]).extent);
    TESSERA_TRY(Map all, allOf(origin, sizes));
    read.maps = {std::move(all)};
    read.doubt(Soundness::Over, kManyMaps);
  }
  return {};
}

// Written anew in each step, from other parts: what the last step read.
Result<void> LoopSolver::solveOnce(int part) {
  PartReads& to = since_[n(part)];
  const Ints sizes = sizesOf(part);
  add(to, part, identityWhen(part, Guard{StepBuilder::trip(), 0, 0}), Soundness::Exact, "");
  for (const auto& [from, read] : step_[n(part)])
    for (const Map& map : read.maps) {
      StepBuilder b(trips_ + 1, sizes);
      std::vector<Expr> at = {StepBuilder::trip() + -1};
      for (std::size_t k = 0; k < sizes.size(); ++k) at.push_back(StepBuilder::d(k));
      b.result(at[0]);
      b.through(map, at);
      TESSERA_TRY(const Map first, b.build());
      if (!first.isEmpty()) TESSERA_CHECKED(follow(to, first, read, from));
    }
  return {};
}

Result<void> LoopSolver::solveWindow(int part, const Window& window) {
  PartReads& to = since_[n(part)];
  const Ints sizes = sizesOf(part);
  const Expr writer = window.trip(StepBuilder::d(window.dimension));
  const i64 far = trips_ + sizes[window.dimension] + std::abs(window.offset) + 1;
  add(to, part, identityWhen(part, Guard{writer, -far, -1}), Soundness::Exact, "");
  add(to, part, identityWhen(part, Guard{writer - StepBuilder::trip(), 0, far}), Soundness::Exact, "");
  for (const auto& [from, read] : step_[n(part)]) {
    if (from == part) continue;
    for (const Map& map : read.maps) {
      StepBuilder b(trips_ + 1, sizes);
      std::vector<Expr> at = {writer};
      for (std::size_t k = 0; k < sizes.size(); ++k) at.push_back(StepBuilder::d(k));
      b.within(writer, 0, std::max<i64>(trips_ - 1, 0));
      b.within(StepBuilder::trip() - writer, 1, trips_ + 1);
      b.result(writer);
      b.through(map, at);
      TESSERA_TRY(const Map first, b.build());
      if (!first.isEmpty()) TESSERA_CHECKED(follow(to, first, read, from));
    }
  }
  return {};
}

Mixing LoopSolver::mixingOf(const std::vector<int>& group) const {
  Mixing m;
  const Ints sizes = sizesOf(group[0]);
  for (const int member : group) m.alike = m.alike && sizesOf(member) == sizes;
  m.kept.assign(sizes.size(), m.alike);
  const auto inGroup = [&](int k) { return std::ranges::find(group, k) != group.end(); };
  for (const int member : group)
    for (const auto& [from, read] : step_[n(member)]) {
      if (!m.alike || !inGroup(from)) continue;
      for (const Map& map : read.maps) {
        const std::vector<int> asked = map.indexDigits();
        for (std::size_t k = 0; k < sizes.size(); ++k)
          m.kept[k] = m.kept[k] && aloneDigit(map, map.axes()[k].value) == asked[k + 1];
      }
    }
  // Whether a map of one step already relates everything that may ever be related.
  const auto isWhole = [&](const Map& map) {
    std::set<int> used;
    if (!map.guards().empty()) return false;
    const std::vector<int> asked = map.indexDigits();
    for (const int k : asked)
      if (map.digit(k).lo != 0) return false;
    if (map.digit(asked[0]).extent < trips_) return false;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const auto digit = aloneDigit(map, map.axes()[k].value);
      if (!digit || map.digit(*digit).extent != std::max<i64>(sizes[k], 1) || !used.insert(*digit).second) return false;
      if (m.kept[k] ? *digit != asked[k + 1] : map.digit(*digit).kind != DigitKind::Fan) return false;
    }
    return true;
  };
  m.whole = m.alike;
  for (const int member : group)
    for (const int from : group) {
      const auto read = step_[n(member)].find(from);
      m.whole = m.whole && read != step_[n(member)].end() && read->second.soundness == Soundness::Exact &&
                std::ranges::any_of(read->second.maps, isWhole);
    }
  return m;
}

// Parts that depend on themselves: after a step or more, on all elements of the group with the same kept coordinates.
Result<void> LoopSolver::solveCycle(const std::vector<int>& group) {
  const Mixing mixing = mixingOf(group);
  const bool simple = group.size() == 1 && mixing.keepsAll();  // each element on itself alone
  const auto mixed = [&](StepBuilder& b, int member) {         // coordinates of a member after at least one step
    std::vector<Expr> at;
    const Ints sizes = sizesOf(member);
    for (std::size_t k = 0; k < sizes.size(); ++k)
      at.push_back(mixing.alike && mixing.kept[k] ? StepBuilder::d(k) : b.fan(sizes[k]));
    return at;
  };
  const Soundness soundness = mixing.whole ? Soundness::Exact : Soundness::Over;
  const std::string why = mixing.whole ? "" : kMixed;
  Replicas others;
  for (const int member : group)
    for (const auto& [from, read] : step_[n(member)])
      if (std::ranges::find(group, from) != group.end()) others.add(read.others);
  for (const int part : group) {
    PartReads& to = since_[n(part)];
    const Ints sizes = sizesOf(part);
    // The initial values: its own before the first step, then those of the group.
    const bool apart = mixing.whole && !simple;
    if (apart) add(to, part, identityWhen(part, Guard{StepBuilder::trip(), 0, 0}), Soundness::Exact, "");
    for (const int member : group) {
      StepBuilder b(trips_ + 1, sizes);
      if (apart || (member != part && !mixing.alike)) b.within(StepBuilder::trip(), 1, std::max<i64>(trips_, 1));
      for (const Expr& e : mixed(b, member)) b.result(e);
      add(to, member, b.build(), soundness, why);
      to[member].ofAnyOf(others);
    }
    // What the steps read outside: the last one by this part itself, earlier ones by all of the group.
    for (const int member : group)
      for (const auto& [from, read] : step_[n(member)]) {
        if (std::ranges::find(group, from) != group.end()) continue;
        PartRead asked = read;
        asked.ofAnyOf(others);
        for (const bool last : {true, false}) {
          if (last && (!apart || member != part)) continue;
          if (!last) asked.doubt(soundness, why);
          for (const Map& map : read.maps) {
            StepBuilder b(trips_ + 1, sizes);
            std::vector<Expr> at;
            if (last) {
              for (std::size_t k = 0; k < sizes.size(); ++k) at.push_back(StepBuilder::d(k));
            } else {
              at = mixed(b, member);
            }
            const Expr trip = last ? StepBuilder::trip() + -1 : b.fan(trips_);
            if (!last) b.within(StepBuilder::trip() - trip, apart ? 2 : 1, trips_ + 1);
            at.insert(at.begin(), trip);
            b.result(trip);
            b.through(map, at);
            TESSERA_TRY(const Map first, b.build());
            if (!first.isEmpty()) TESSERA_CHECKED(follow(to, first, asked, from));
          }
        }
      }
  }
  return {};
}

// Puts the first Reach of the operand first, as readsThrough does.
std::vector<Reach> asOperand(std::vector<Reach> found) {
  if (found.empty()) found.push_back(none(0));
  return found;
}

Result<void> addReplicas(Reach& reach, const Replicas& others) {
  if (others.count == 0) return {};
  for (const Map& map : reach.maps) {
    Ints sizes;
    for (const int k : map.indexDigits()) sizes.push_back(map.digit(k).lo + map.digit(k).extent);
    MapBuilder m(sizes);
    m.ranges({others.count});
    TESSERA_TRY(Map any, m.build());
    reach.replicas.emplace_back(std::move(any));
    reach.groups.push_back(others.groups);
  }
  return {};
}

Result<std::vector<Reach>> LoopSolver::after(int part) const {
  if (!isArray(part)) return asOperand({});
  if (!unknown_[n(part)].empty()) return asOperand({unknown(0, unknown_[n(part)])});
  const Ints sizes = sizesOf(part);
  MapBuilder end(sizes);
  end.result(Expr::constant(trips_));
  for (std::size_t k = 0; k < sizes.size(); ++k) end.result(end.d(k));
  TESSERA_TRY(const Map at, end.build());
  std::vector<Reach> found;
  for (const auto& [origin, read] : since_[n(part)]) {
    Reach reach = none(0);
    reach.element = origin;
    reach.soundness = read.soundness;
    reach.why = read.why;
    for (const Map& map : read.maps) {
      TESSERA_TRY(const Map both, thenInside(at, map));
      if (both.isEmpty()) continue;
      Map plain = withoutUnused(both).map;
      const auto same = [&](const Map& there) { return sameMaps(there, plain) == Same::Yes; };
      if (std::ranges::none_of(reach.maps, same)) reach.maps.push_back(std::move(plain));
    }
    if (reach.soundness == Soundness::Unknown) reach.maps.clear();
    TESSERA_CHECKED(addReplicas(reach, read.others));
    if (reach.maps.empty() && reach.soundness != Soundness::Unknown) continue;
    found.push_back(std::move(reach));
  }
  return asOperand(std::move(found));
}

// Of an unknown number of trips: a part that is carried unchanged, or else all elements of all parts that it can depend
// on, and of those that the condition depends on.
Result<std::vector<std::vector<Reach>>> LoopSolver::withoutTrips() {
  const std::size_t parts = step_.size();
  const auto reachable = [&](std::vector<int> open) {
    std::set<int> met(open.begin(), open.end());
    while (!open.empty()) {
      const int k = open.back();
      open.pop_back();
      for (const auto& [from, read] : step_[n(k)])
        if (met.insert(from).second) open.push_back(from);
    }
    return met;
  };
  TESSERA_TRY(const std::vector<Reach> decides,
              readsInside(module_, condition_, 0, instruction_.name, 1, 0, depth_ + 1, cache_));
  std::vector<int> first;
  std::string why;
  for (const Reach& reach : decides) {
    if (reach.soundness == Soundness::Unknown) why = reach.why;
    if (!reach.maps.empty()) first.push_back(reach.element);
  }
  const std::set<int> decide = reachable(first);
  Replicas others;
  for (const PartReads& step : step_)
    for (const auto& [from, read] : step) others.add(read.others);
  std::vector<std::vector<Reach>> outputs;
  for (std::size_t k = 0; k < parts; ++k) {
    const int part = static_cast<int>(k);
    if (!isArray(part)) {
      outputs.push_back(asOperand({}));
      continue;
    }
    const Ints sizes = sizesOf(part);
    std::set<int> all = reachable({part});
    const bool unchanged = values_.stateLeaf(values_.resultOf(part)) == part;
    if (unchanged) {
      TESSERA_TRY(Map map, identityOf(sizes));
      Reach reach = exact(0, std::move(map));
      reach.element = part;
      outputs.push_back({std::move(reach)});
      continue;
    }
    all.insert(decide.begin(), decide.end());
    std::string unknownWhy = why;
    for (const int from : all)
      if (unknownWhy.empty()) unknownWhy = unknown_[n(from)];
    if (!unknownWhy.empty()) {
      outputs.push_back({unknown(0, unknownWhy)});
      continue;
    }
    std::vector<Reach> found;
    for (const int from : all) {
      if (!isArray(from)) continue;
      MapBuilder m(sizes);
      m.ranges(sizesOf(from));
      TESSERA_TRY(Reach reach, over(0, m.build(), kNoTrips));
      reach.element = from;
      TESSERA_CHECKED(addReplicas(reach, others));
      found.push_back(std::move(reach));
    }
    outputs.push_back(asOperand(std::move(found)));
  }
  return outputs;
}

}  // namespace

Result<std::shared_ptr<const LoopReads>> loopReads(const Module& module, Where loop, int depth) {
  const std::pair<int, int> key{loop.computation, loop.instruction};
  if (module.kept != nullptr) {
    const std::lock_guard lock(module.kept->guard);
    if (const auto at = module.kept->loops.find(key); at != module.kept->loops.end())
      return std::static_pointer_cast<const LoopReads>(at->second);
  }
  QueryCache own;  // with no prover, so that what is kept depends on the module alone
  TESSERA_TRY(LoopReads reads, LoopSolver(module, loop, depth, own).run());
  auto made = std::make_shared<const LoopReads>(std::move(reads));
  if (module.kept != nullptr) {
    const std::lock_guard lock(module.kept->guard);
    module.kept->loops.emplace(key, made);
  }
  return made;
}

}  // namespace tessera::hlo
