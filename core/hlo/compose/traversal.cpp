#include "core/hlo/compose/traversal.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/expr/facts.h"
#include "core/hlo/ops/op.h"
#include "core/hlo/text/attributes.h"
#include "core/map/compose.h"
#include "core/map/domain/variables.h"

namespace tessera::hlo {
namespace {

constexpr int kDeepest = 64;                 // nesting depth of fusions
constexpr int kMostUndecided = 4;            // proofs that failed, per query
constexpr std::size_t kMostMapsInLoop = 16;  // the same in the body of a loop
constexpr std::size_t kMostMaps = 64;        // per instruction

// Whether the value is needed at many elements per coordinate: some axis uses a Fan digit.
bool rangedOver(const Map& index) {
  return std::ranges::any_of(index.axes(), [&](const Axis& a) { return usesFans(a.value, index); });
}

Result<Map> withParams(const Map& map, std::vector<Digit> digits, const std::vector<Expr>& values) {
  return Map::create(std::move(digits), substituted(map.axes(), {}, values), substituted(map.guards(), {}, values),
                     map.params());
}

// Turns the selected parameters into ranges.
Map widened(const Map& map, const std::vector<bool>& which) {
  std::vector<Digit> digits = map.digits();
  std::vector<Expr> values;
  for (std::size_t k = 0; k < map.params().size(); ++k) {
    values.push_back(Expr::param(static_cast<int>(k)));
    if (!which[k]) continue;
    const Param& p = map.params()[k];
    values.back() = Expr::digit(static_cast<int>(digits.size())) + p.lo;
    digits.push_back({"any" + std::to_string(k), p.hi - p.lo + 1, DigitKind::Fan, 0});
  }
  auto made = withParams(map, std::move(digits), values);
  return made ? simplified(*made) : map;
}

// A run-time index may depend on a further run-time value that is not among the map's: it is named run0, not rt0.
Map withOtherNames(const Map& index) {
  std::vector<Param> params = index.params();
  for (std::size_t k = 0; k < params.size(); ++k) params[k].name = "run" + std::to_string(k);
  auto made = Map::create(index.digits(), index.axes(), index.guards(), std::move(params));
  return made ? *std::move(made) : index;
}

// Over the digits of `map`; nullopt: the value is not held by an iota.
std::optional<Expr> iotaValue(const Computation& c, const Map& map, const RuntimeValue& value) {
  if (value.operand < 0) return std::nullopt;  // not in this computation
  const Instruction& holder = c.at(value.operand);
  if (holder.opcode != "iota" || !value.index.params().empty() || !value.index.fanDigits().empty()) return std::nullopt;
  const i64 axis = wholeNumber(holder.value("iota_dimension", "0")).value_or(-1);
  if (axis < 0 || axis >= static_cast<i64>(value.index.axes().size())) return std::nullopt;
  const std::vector<int> asked = map.indexDigits();
  if (asked.size() != value.index.digits().size()) return std::nullopt;
  std::vector<Expr> digits;
  for (std::size_t k = 0; k < asked.size(); ++k)
    digits.push_back(Expr::digit(asked[k]) + (map.digit(asked[k]).lo - value.index.digits()[k].lo));
  return substitute(value.index.axes()[static_cast<std::size_t>(axis)].value, digits);
}

// A run-time value held by an iota equals the coordinate it is read at, clamped like every start.
Map withIotas(const Computation& c, const Map& map, const std::vector<RuntimeValue>& values) {
  if (map.params().size() != values.size()) return map;
  std::vector<Expr> params;
  bool any = false;
  for (std::size_t k = 0; k < values.size(); ++k) {
    params.push_back(Expr::param(static_cast<int>(k)));
    const auto number = iotaValue(c, map, values[k]);
    if (!number) continue;
    const Param& p = map.params()[k];
    params.back() = least(greatest(*number, Expr::constant(p.lo)), Expr::constant(p.hi));
    any = true;
  }
  if (!any) return map;
  const auto made = withParams(map, map.digits(), params);
  return made ? simplified(*made) : map;
}

// The map with the replica's number as a further value; the ranges of `replica` become new digits.
Result<Map> withReplica(const Map& map, const Map& replica) {
  std::vector<Digit> digits = map.digits();
  const std::vector<int> asked = map.indexDigits();
  std::vector<Expr> values;
  std::size_t next = 0;
  for (const Digit& d : replica.digits()) {
    if (d.kind == DigitKind::Index) {
      const int k = asked[next++];
      values.push_back(Expr::digit(k) + (map.digit(k).lo - d.lo));
      continue;
    }
    values.push_back(Expr::digit(static_cast<int>(digits.size())));
    digits.push_back({"replica" + std::to_string(digits.size()), d.extent, DigitKind::Fan, d.lo});
  }
  std::vector<Axis> axes = map.axes();
  axes.push_back({"", substitute(replica.axes().at(0).value, values), std::nullopt});
  return Map::create(std::move(digits), std::move(axes), map.guards(), map.params());
}

// `map` with one more coordinate passed through: the number at the end of `before`.
Result<Map> handingOn(const Map& map, const Map& before) {
  const Range numbers = factsOf(before.axes().back().value, environmentOf(before)).interval;
  std::vector<Digit> digits = map.digits();
  std::vector<Axis> axes = map.axes();
  axes.push_back({"", Expr::digit(static_cast<int>(digits.size())) + numbers.lo, std::nullopt});
  digits.push_back({"replica", numbers.hi - numbers.lo + 1, DigitKind::Index, numbers.lo});
  return Map::create(std::move(digits), std::move(axes), map.guards(), map.params());
}

// The replica that map `which` leads to; nullptr: the same one.
const Map* replicaOf(const Reach& reach, std::size_t which) {
  return which < reach.replicas.size() && reach.replicas[which] ? &*reach.replicas[which] : nullptr;
}

// The map of `f`, then `which` of `reach`, with the replica as a further value; nullopt: elements of this replica.
Result<std::optional<Map>> replicaAfter(const ReachedMap& f, const Reach& reach, std::size_t which, const Map& g) {
  const Map* const another = replicaOf(reach, which);
  if (another == nullptr && !f.replica) return std::optional<Map>{};
  TESSERA_TRY(const Map outer, another != nullptr ? withReplica(g, *another) : handingOn(g, *f.replica));
  TESSERA_TRY(const Map both, thenInside(another != nullptr ? f.map : *f.replica, outer));
  return std::optional(withoutUnused(both).map);
}

std::size_t nodesOf(const Map& map) {
  std::size_t n = 0;
  for (const Axis& a : map.axes()) n += nodeCount(a.value);
  for (const Guard& g : map.guards()) n += nodeCount(g.value);
  return n;
}

// Lowers `to` to `soundness` if that is weaker than what it has.
void doubt(Reached& to, Soundness soundness, const std::string& why) {
  if (soundness <= to.soundness) return;
  to.soundness = soundness;
  to.why = why;
}

// Composes the maps at one instruction.
struct Composition {
  const Module& module_;
  const Computation& c_;
  const int computation_;
  const Ints& start_;  // sizes of the array that is asked for
  QueryCache& cache_;

  // Whether each run-time value of that map is the same in every replica.
  [[nodiscard]] bool isUniform(int i, const Reach& reach, std::size_t which) const {
    if (!cache_.uniform) return false;
    const auto& values = reach.runtimeOf(which);
    return std::ranges::all_of(values, [&](const RuntimeValue& v) {
      return v.operand >= 0 && v.index.axes().empty() &&
             cache_.uniform({computation_, c_.at(i).operands[static_cast<std::size_t>(v.operand)]});
    });
  }

  // Adds to `to` the maps of `from` composed with those of `reach`, which belong to instruction i.
  void pass(Reached& to, const Reached& from, int i, const Reach& reach) const {
    doubt(to, from.soundness, from.why);
    doubt(to, reach.soundness, reach.why.empty() ? "" : fmt::format("{}: {}", c_.at(i).name, reach.why));
    for (const ReachedMap& f : from.maps)
      for (std::size_t k = 0; k < reach.maps.size(); ++k) add(to, i, f, reach, k);
  }

  void add(Reached& to, int i, const ReachedMap& f, const Reach& reach, std::size_t which) const {
    const Instruction& at = c_.at(i);
    // A start that each replica has for itself: any is possible, unless it is the same in all.
    const bool ranged = f.replica && !reach.maps[which].params().empty() && !isUniform(i, reach, which);
    const Map g = ranged ? widened(reach.maps[which], std::vector<bool>(reach.maps[which].params().size(), true))
                         : reach.maps[which];
    if (ranged) {
      doubt(to, Soundness::Over, fmt::format("{}: a run-time value of another replica; any is possible", at.name));
    }
    const auto both = thenInside(f.map, g);
    if (!both) return doubt(to, Soundness::Unknown, both.error().message);
    if (both->isEmpty()) return;
    ReachedMap made;
    const bool another = replicaOf(reach, which) != nullptr;
    made.groups = !another ? f.groups : which < reach.groups.size() ? reach.groups[which] : groupsText(at);
    const bool anyone = cache_.uniform || made.groups == kEverybody || f.groups == kEverybody;  // uniform: in a loop
    if (f.replica && another && made.groups != f.groups && anyone)
      doubt(to, Soundness::Over, fmt::format("{}: of a replica of another group", at.name));
    else if (f.replica && another && made.groups != f.groups)
      return doubt(to, Soundness::Unknown,
                   fmt::format("{}: a collective that follows one over different groups", at.name));
    auto replica = replicaAfter(f, reach, which, g);
    if (!replica) return doubt(to, Soundness::Unknown, replica.error().message);
    made.replica = *std::move(replica);
    std::vector<RuntimeValue> values;
    for (RuntimeValue v : reach.runtimeOf(which)) {
      if (v.operand < 0 && !v.path.empty()) v.path.insert(v.path.begin(), {computation_, i});
      v.operand = v.operand < 0 ? -1 : at.operands[static_cast<std::size_t>(v.operand)];
      if (auto index = thenInside(f.map, v.index)) v.index = withOtherNames(withoutUnused(*index).map);
      values.push_back(std::move(v));
    }
    values.insert(values.end(), f.runtime.begin(), f.runtime.end());
    Map map = withIotas(c_, *both, values);
    std::vector<bool> many(map.params().size());
    for (std::size_t k = 0; k < many.size() && k < values.size(); ++k) many[k] = rangedOver(values[k].index);
    if (std::ranges::count(many, true) > 0) {
      const std::size_t before = withoutUnused(map).params.size();
      map = widened(map, many);
      if (withoutUnused(map).params.size() < before)
        doubt(to, Soundness::Over, fmt::format("{}: a run-time index per element; any value is possible", at.name));
    }
    WithoutUnused plain = withoutUnused(map);
    for (const int p : plain.params)
      if (static_cast<std::size_t>(p) < values.size()) made.runtime.push_back(values[static_cast<std::size_t>(p)]);
    for (std::size_t k = 0; k < made.runtime.size(); ++k) made.runtime[k].name = "rt" + std::to_string(k);
    made.map = std::move(plain.map);
    keep(to, std::move(made));
  }

  // Too many maps to list. In a loop, where it does not matter whose the elements are: all of them, once.
  void collapse(Reached& to, const ReachedMap& like) const {
    const xla::Shape& shape = module_.shapeOf(c_.at(to.instruction)).leaf(n(to.output));
    if (!cache_.uniform || !shape.isArray()) {
      return doubt(to, Soundness::Unknown, fmt::format("more than {} different maps", kMostMaps));
    }
    std::vector<Digit> digits;
    std::vector<Axis> axes;
    for (const int k : like.map.indexDigits()) {  // of all coordinates, as those of other maps may be others
      Digit d = like.map.digit(k);
      d.extent += d.lo;
      d.lo = 0;
      digits.push_back(d);
    }
    for (std::size_t k = 0; k < digits.size() && k < start_.size(); ++k) digits[k].extent = std::max<i64>(start_[k], 1);
    for (const i64 size : shape.sizes()) {
      axes.push_back({"", Expr::digit(static_cast<int>(digits.size())), std::nullopt});
      digits.push_back({"s" + std::to_string(axes.size() - 1), std::max<i64>(size, 1), DigitKind::Fan, 0});
    }
    auto all = Map::create(std::move(digits), std::move(axes), {}, {});
    if (!all) return doubt(to, Soundness::Unknown, all.error().message);
    to.maps = {{.map = *std::move(all), .runtime = {}}};
    to.collapsed = true;
    doubt(to, Soundness::Over, "read in too many ways to list");
  }

  void keep(Reached& to, ReachedMap made) const {
    if (to.collapsed) return;
    std::string undecided;
    for (std::size_t k = 0; k < to.maps.size(); ++k) {
      ReachedMap& there = to.maps[k];
      if (there.runtime != made.runtime || there.groups != made.groups || there.replica != made.replica) continue;
      const Same same = sameMaps(there.map, made.map, cache_.undecided < kMostUndecided ? cache_.same : SameMaps());
      if (same == Same::Yes) {
        if (nodesOf(made.map) < nodesOf(there.map)) there.map = std::move(made.map);  // keep the smaller one
        return;
      }
      if (same == Same::Unknown) ++cache_.undecided;
      if (same == Same::Unknown)
        undecided =
            fmt::format("maps {} and {} may name the same elements: neither proved nor refuted", k, to.maps.size());
    }
    if (to.maps.size() >= (cache_.uniform ? kMostMapsInLoop : kMostMaps)) return collapse(to, made);
    to.maps.push_back(std::move(made));
    if (!undecided.empty()) to.undecided += (to.undecided.empty() ? "" : "; ") + undecided;
  }
};

}  // namespace

Map numberAlone(const Map& withReplica) {
  auto made =
      Map::create(withReplica.digits(), {withReplica.axes().back()}, withReplica.guards(), withReplica.params());
  return made ? withoutUnused(simplified(*made)).map : withReplica;
}

Traversal::Traversal(const Module& module, Where from, int depth, QueryCache& cache)
    : module_(module), c_(module.computation(from.computation)), depth_(depth), cache_(cache), from_(from) {}

Result<std::vector<Reached>> Traversal::run(int output) {
  if (from_.instruction < 0) return Diag{fmt::format("the computation {} is empty", c_.name), "a ROOT", "", c_.span};
  if (depth_ > kDeepest)
    return Diag{fmt::format("more than {} computations call one another", kDeepest), "computations that end", "",
                c_.span};
  TESSERA_CHECKED(order());
  TESSERA_CHECKED(begin(output));
  std::vector<Reached> all;
  for (std::size_t k = order_.size(); k-- > 0;) {
    const int i = order_[k];
    for (auto n = nodes_.lower_bound({i, 0}); n != nodes_.end() && n->first.first == i; ++n) {
      TESSERA_CHECKED(pass(i, n->second));
      all.push_back(n->second);
    }
  }
  return all;
}

void Traversal::lead(int to, int output, const Reached& from, int i, const Reach& reach) {
  Composition{module_, c_, from_.computation, start_, cache_}.pass(node(to, output), from, i, reach);
}

// Depth-first with an explicit stack; appends an instruction after its successors.
Result<void> Traversal::order() {
  enum State : char { kNew, kOpen, kDone };
  std::vector<State> state(c_.instructions.size());
  std::vector<std::pair<int, std::size_t>> stack{{from_.instruction, 0}};
  state[n(from_.instruction)] = kOpen;
  while (!stack.empty()) {
    auto& [i, done] = stack.back();
    const std::span<const int> way = next(i);
    if (done == way.size()) {
      state[n(i)] = kDone;
      order_.push_back(i);
      stack.pop_back();
      continue;
    }
    const int to = way[done++];
    if (to < 0 || state[n(to)] == kDone) continue;
    if (state[n(to)] == kOpen)
      return Diag{fmt::format("{} depends on itself", at(to).name), "instructions that depend on earlier ones only", "",
                  at(to).span};
    state[n(to)] = kOpen;
    stack.emplace_back(to, 0);
  }
  return {};
}

Result<void> Traversal::begin(int output) {
  const Instruction& first = at(from_.instruction);
  const xla::Shape& shape = module_.shapeOf(first);
  if (output < 0 || output >= static_cast<int>(module_.outputsOf(first)))
    return Diag{fmt::format("{} has no output {}", first.name, output), "one of its outputs, from 0", "", first.span};
  const xla::Shape& one = shape.leaf(n(output));
  Reached& start = node(from_.instruction, output);
  if (!one.isArray()) {
    start.soundness = Soundness::Unknown;
    start.why = fmt::format("output {} is not an array", output);
    return {};
  }
  start_ = one.sizes();
  TESSERA_TRY(Map map, identityOf(one.sizes()));
  start.maps.push_back({std::move(map), {}});
  return {};
}

Reached& Traversal::node(int instruction, int output) {
  return nodes_.try_emplace({instruction, output}, Reached{instruction, output}).first->second;
}

}  // namespace tessera::hlo
