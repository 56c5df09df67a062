#include "core/hlo/compose/step_values.h"

#include <algorithm>
#include <memory>

#include "core/base/arith.h"
#include "core/base/work_budget.h"
#include "core/hlo/compose/fusion.h"
#include "core/hlo/text/attributes.h"
#include "core/hlo/text/backend_config.h"
#include "core/hlo/text/kept.h"

namespace tessera::hlo {
namespace {

constexpr int kMostSteps = 512;  // instructions looked at for one value
constexpr int kMostCalls = 16;   // calls within one another
constexpr i64 kFar = i64{1} << 40;

bool isNumber(const xla::Shape& shape) {
  if (!shape.isArray()) return false;
  for (const i64 size : shape.sizes())
    if (size != 1) return false;
  const std::string_view type = shape.type().name;
  return type == "pred" || type[0] == 's' || type[0] == 'u';
}

// Whether every value of that type can be held.
bool holdsNumber(const xla::Type& type, i64 value) {
  if (type.name == "pred") return value == 0 || value == 1;
  if (value <= -kFar || value >= kFar || (type.isUnsigned && value < 0)) return false;
  const int bits = type.bits - (type.isUnsigned ? 0 : 1);
  return bits >= 40 || (value < (i64{1} << bits) && value >= -(i64{1} << bits));
}

bool isCall(const Instruction& i) { return i.opcode == "fusion" || i.opcode == "call"; }

// The computation that a call runs; -1: not exactly one.
int calledOnce(const Module& module, const Instruction& i) {
  const std::vector<int> called = calledBy(module, i);
  return called.size() == 1 && module.computation(called[0]).root >= 0 ? called[0] : -1;
}

int computationNamed(const Module& module, std::string_view name) {
  if (name.starts_with('%')) name.remove_prefix(1);
  const auto at = module.byName.find(name);
  return at == module.byName.end() ? -1 : at->second;
}

// The only instruction that calls a computation; {-1, -1}: none, or several.
Where onlyCaller(const Module& module, int computation) {
  std::shared_ptr<const std::vector<Where>> callers;
  if (module.kept != nullptr) {
    const std::lock_guard lock(module.kept->guard);
    callers = module.kept->callers;
  }
  if (callers == nullptr) {
    auto made = std::make_shared<std::vector<Where>>(module.computations.size(), Where{-1, -1});
    std::vector<bool> several(module.computations.size());
    for (std::size_t c = 0; c < module.computations.size(); ++c)
      for (std::size_t i = 0; i < module.computations[c].instructions.size(); ++i) {
        spend();
        for (const int called : calledBy(module, module.computations[c].instructions[i])) {
          const auto k = static_cast<std::size_t>(called);
          if ((*made)[k].computation >= 0) several[k] = true;
          (*made)[k] = {static_cast<int>(c), static_cast<int>(i)};
        }
      }
    for (std::size_t k = 0; k < several.size(); ++k)
      if (several[k]) (*made)[k] = {-1, -1};
    callers = made;
    if (module.kept != nullptr) {
      const std::lock_guard lock(module.kept->guard);
      module.kept->callers = callers;
    }
  }
  return (*callers)[static_cast<std::size_t>(computation)];
}

}  // namespace

struct StepValues::Asking {
  int steps = 0;
  i64 lastTrip = -1;  // the values of trips 0 to this one; -1: of no known number of trips
  bool known() const { return lastTrip >= 0; }
};

StepValues::StepValues(const Module& module, Where loop) : module_(module), loop_(loop) {
  const Instruction& i = module.at(loop);
  body_ = computationNamed(module, i.value("body"));
  condition_ = computationNamed(module, i.value("condition"));
  if (body_ < 0 || condition_ < 0) {  // inline bodies
    const std::vector<int> called = calledBy(module, i);
    if (called.size() == 2) {
      const bool bodyFirst = i.find("body") != nullptr && i.find("condition") != nullptr &&
                             i.find("body")->value.data() < i.find("condition")->value.data();
      body_ = called[bodyFirst ? 0 : 1];
      condition_ = called[bodyFirst ? 1 : 0];
    }
  }
  if (body_ < 0 || condition_ < 0 || module.computation(body_).root < 0 || module.computation(condition_).root < 0)
    return;
  findCounters(static_cast<int>(module.outputsOf(i)));
  findTrips();
}

// Follows tuples, their elements, copies, and calls into their computation and out of its parameters.
HeldValue StepValues::forwarded(HeldValue held) const {
  for (int steps = 0; steps < kMostSteps; ++steps) {
    spend();
    const Computation& c = module_.computation(held.at.computation);
    const Instruction& i = c.at(held.at.instruction);
    const std::string_view op = i.opcode;
    if (op == "parameter" && !held.calls.empty()) {
      const auto found = std::ranges::find(c.parameters, held.at.instruction);
      const Where call = held.calls.back();
      const auto k = static_cast<std::size_t>(found - c.parameters.begin());
      const std::vector<int>& operands = module_.at(call).operands;
      if (found == c.parameters.end() || k >= operands.size() || operands[k] < 0) return held;
      held.calls.pop_back();
      held.at = {call.computation, operands[k]};
    } else if (op == "tuple") {
      std::size_t leaf = static_cast<std::size_t>(held.leaf);
      std::size_t k = 0;
      for (; k < i.operands.size() && i.operands[k] >= 0; ++k) {
        const std::size_t leaves = module_.outputsOf(c.at(i.operands[k]));
        if (leaf < leaves) break;
        leaf -= leaves;
      }
      if (k >= i.operands.size() || i.operands[k] < 0) return held;
      held.at.instruction = i.operands[k];
      held.leaf = static_cast<int>(leaf);
    } else if (op == "get-tuple-element") {
      const auto index = wholeNumber(i.value("index"));
      if (!index || *index < 0 || i.operands.size() != 1 || i.operands[0] < 0) return held;
      const xla::Shape& tuple = module_.shapeOf(c.at(i.operands[0]));
      if (tuple.kind() != xla::Shape::Kind::Tuple || static_cast<std::size_t>(*index) >= tuple.elements().size())
        return held;
      held.leaf += static_cast<int>(tuple.firstLeaf(static_cast<std::size_t>(*index)));
      held.at.instruction = i.operands[0];
    } else if (isCall(i)) {
      const int called = calledOnce(module_, i);
      if (called < 0 || held.calls.size() >= kMostCalls) return held;
      held.calls.push_back(held.at);
      held.at = {called, module_.computation(called).root};
    } else if ((op == "copy" || op == "opt-barrier" || op == "bitcast") && i.operands.size() == 1 &&
               i.operands[0] >= 0) {
      // A bitcast that keeps sizes and layout.
      if (op == "bitcast" && !(module_.shapeOf(i) == module_.shapeOf(c.at(i.operands[0])))) return held;
      held.at.instruction = i.operands[0];
    } else {
      return held;
    }
  }
  return held;
}

HeldValue StepValues::resultOf(int leaf) const {
  return forwarded({{}, {body_, module_.computation(body_).root}, leaf});
}

HeldValue StepValues::operandOf(const HeldValue& held, std::size_t operand) const {
  const std::vector<int>& operands = module_.at(held.at).operands;
  if (operand >= operands.size() || operands[operand] < 0) return {{}, {-1, -1}, 0};
  return forwarded({held.calls, {held.at.computation, operands[operand]}, 0});
}

std::optional<int> StepValues::stateLeaf(const HeldValue& held) const {
  if (held.at.computation < 0 || !held.calls.empty()) return std::nullopt;
  const Computation& c = module_.computation(held.at.computation);
  const bool state = (held.at.computation == body_ || held.at.computation == condition_) &&
                     std::ranges::find(c.parameters, held.at.instruction) != c.parameters.end();
  return state ? std::optional(held.leaf) : std::nullopt;
}

std::optional<StepValue> StepValues::of(std::span<const Where> path) const {
  if (path.empty() || path[0].computation != body_ || path.size() > kMostCalls || !trips_ || *trips_ < 1)
    return std::nullopt;
  return of({{path.begin(), path.end() - 1}, path.back(), 0});
}

std::optional<StepValue> StepValues::of(const HeldValue& held) const {
  if (!trips_ || *trips_ < 1) return std::nullopt;
  Asking asking{0, *trips_ - 1};
  return value(held, asking);
}

std::optional<StepValue> StepValues::value(const HeldValue& from, Asking& asking) const {
  if (from.at.computation < 0 || ++asking.steps > kMostSteps) return std::nullopt;
  const HeldValue held = forwarded(from);
  const Instruction& i = module_.at(held.at);
  const xla::Shape& shape = module_.shapeOf(i).leaf(static_cast<std::size_t>(held.leaf));
  if (!isNumber(shape)) return std::nullopt;
  std::optional<StepValue> found;
  if (const auto leaf = stateLeaf(held)) {
    const auto counter = counters_.find(*leaf);
    if (counter != counters_.end()) found = counter->second;
  } else {
    found = operation(held, asking);
  }
  if (!found) return std::nullopt;
  const xla::Type& type = shape.type();
  // Linear, so the ends of the range decide. Without a number of trips, the caller checks again when there is one.
  const auto far = checkedMul(found->slope, std::max<i64>(asking.lastTrip, 0));
  const auto end = far ? checkedAdd(*far, found->offset) : std::nullopt;
  if (!end || !holdsNumber(type, found->offset) || !holdsNumber(type, *end)) return std::nullopt;
  if (std::abs(found->slope) >= kFar) return std::nullopt;
  return found;
}

// Whether a comparison holds in every trip (1) or in none (0).
std::optional<i64> StepValues::decided(const HeldValue& held, Asking& asking) const {
  const Instruction& i = module_.at(held.at);
  const auto a = value(operandOf(held, 0), asking), b = value(operandOf(held, 1), asking);
  if (!a || !b) return std::nullopt;
  const StepValue d{a->slope - b->slope, a->offset - b->offset};
  if (d.slope != 0 && !asking.known()) return std::nullopt;
  const i64 first = d.at(0), last = d.at(std::max<i64>(asking.lastTrip, 0));
  const i64 lo = std::min(first, last), hi = std::max(first, last);
  const std::string_view direction = i.value("direction");
  const auto between = [](bool always, bool never) {
    return always ? std::optional<i64>(1) : never ? std::optional<i64>(0) : std::nullopt;
  };
  if (direction == "LT") return between(hi < 0, lo >= 0);
  if (direction == "LE") return between(hi <= 0, lo > 0);
  if (direction == "GT") return between(lo > 0, hi <= 0);
  if (direction == "GE") return between(lo >= 0, hi < 0);
  if (direction == "EQ") return between(lo == 0 && hi == 0, lo > 0 || hi < 0);
  if (direction == "NE") return between(lo > 0 || hi < 0, lo == 0 && hi == 0);
  return std::nullopt;
}

std::optional<StepValue> StepValues::operation(const HeldValue& held, Asking& asking) const {
  const Instruction& i = module_.at(held.at);
  const std::string_view op = i.opcode;
  const auto constant = [](std::optional<i64> v) { return v ? std::optional(StepValue{0, *v}) : std::nullopt; };
  if (op == "constant")
    return constant(constantOf(module_, module_.computation(held.at.computation), held.at.instruction));
  if (op == "compare") return constant(decided(held, asking));
  const std::size_t count = i.operands.size();
  if (count == 0) return std::nullopt;
  const auto a = value(operandOf(held, 0), asking);
  if (op == "select" && count == 3) {
    if (!a || a->slope != 0) return std::nullopt;
    return value(operandOf(held, a->offset != 0 ? 1 : 2), asking);
  }
  if (!a) return std::nullopt;
  if (count == 1) {
    const bool same = op == "convert" || op == "copy" || op == "reshape" || op == "bitcast" || op == "broadcast";
    if (op == "bitcast" && module_.shapeOf(i).type().bits !=
                               module_.shapeOf(module_.computation(held.at.computation).at(i.operands[0])).type().bits)
      return std::nullopt;
    if (op == "convert" && module_.shapeOf(i).type().name == "pred") return std::nullopt;
    if (same) return a;
    if (op == "negate") return StepValue{-a->slope, -a->offset};
    return std::nullopt;
  }
  const auto b = value(operandOf(held, 1), asking);
  if (!b) return std::nullopt;
  if (op == "clamp" && count == 3) {
    const auto c = value(operandOf(held, 2), asking);
    if (!c || a->slope != 0 || c->slope != 0 || !asking.known()) return std::nullopt;
    const i64 first = b->at(0), last = b->at(asking.lastTrip);
    return std::min(first, last) >= a->offset && std::max(first, last) <= c->offset ? b : std::nullopt;
  }
  if (count != 2) return std::nullopt;
  if (op == "add") return StepValue{a->slope + b->slope, a->offset + b->offset};
  if (op == "subtract") return StepValue{a->slope - b->slope, a->offset - b->offset};
  if (op == "multiply") {
    if (a->slope != 0 && b->slope != 0) return std::nullopt;
    const StepValue& by = a->slope == 0 ? *a : *b;
    const StepValue& of = a->slope == 0 ? *b : *a;
    const auto slope = checkedMul(of.slope, by.offset), offset = checkedMul(of.offset, by.offset);
    return slope && offset ? std::optional(StepValue{*slope, *offset}) : std::nullopt;
  }
  if (op == "and" || op == "or") {
    if (a->slope != 0 || b->slope != 0 || module_.shapeOf(i).type().name != "pred") return std::nullopt;
    const bool both = a->offset != 0 && b->offset != 0, any = a->offset != 0 || b->offset != 0;
    return StepValue{0, (op == "and" ? both : any) ? 1 : 0};
  }
  if (op == "minimum" || op == "maximum") {
    const StepValue d{a->slope - b->slope, a->offset - b->offset};
    if (d.slope != 0 && !asking.known()) return std::nullopt;
    const i64 first = d.at(0), last = d.at(std::max<i64>(asking.lastTrip, 0));
    if (std::max(first, last) <= 0) return op == "minimum" ? a : b;
    if (std::min(first, last) >= 0) return op == "minimum" ? b : a;
  }
  return std::nullopt;
}

// The constant that a leaf starts from, in the loop's computation or in that of its only caller.
std::optional<i64> StepValues::initial(int leaf) const {
  const Instruction& i = module_.at(loop_);
  if (i.operands.size() != 1 || i.operands[0] < 0) return std::nullopt;
  HeldValue held = forwarded({{}, {loop_.computation, i.operands[0]}, leaf});
  for (int calls = 0; calls < kMostCalls && held.calls.empty(); ++calls) {
    const Computation& c = module_.computation(held.at.computation);
    const auto k = std::ranges::find(c.parameters, held.at.instruction);
    if (k == c.parameters.end()) break;
    const Where caller = onlyCaller(module_, held.at.computation);
    if (caller.computation < 0 || !isCall(module_.at(caller))) return std::nullopt;
    const auto operand = static_cast<std::size_t>(k - c.parameters.begin());
    const std::vector<int>& operands = module_.at(caller).operands;
    if (operand >= operands.size() || operands[operand] < 0) return std::nullopt;
    held = forwarded({{}, {caller.computation, operands[operand]}, held.leaf});
  }
  const xla::Shape& shape = module_.shapeOf(module_.at(held.at));
  if (!isNumber(shape)) return std::nullopt;
  return constantOf(module_, module_.computation(held.at.computation), held.at.instruction);
}

// A leaf that each step adds a constant to, or keeps.
void StepValues::findCounters(int leaves) {
  const xla::Shape& state = module_.shapeOf(module_.at(loop_));
  for (int leaf = 0; leaf < leaves; ++leaf) {
    if (!isNumber(state.leaf(static_cast<std::size_t>(leaf)))) continue;
    const auto start = initial(leaf);
    if (!start) continue;
    const HeldValue result = resultOf(leaf);
    if (stateLeaf(result) == leaf) {
      counters_[leaf] = {0, *start};
      continue;
    }
    const std::string_view op = module_.at(result.at).opcode;
    if (op != "add" && op != "subtract") continue;
    for (const std::size_t of : {std::size_t{0}, std::size_t{1}}) {
      if (op == "subtract" && of == 1) break;
      if (stateLeaf(operandOf(result, of)) != leaf) continue;
      const HeldValue by = operandOf(result, 1 - of);
      if (by.at.computation < 0) continue;
      const auto step = constantOf(module_, module_.computation(by.at.computation), by.at.instruction);
      if (step && std::abs(*step) < kFar) counters_[leaf] = {op == "add" ? *step : -*step, *start};
    }
  }
}

// known_trip_count of backend_config, or from a condition that compares a counter with a constant.
void StepValues::findTrips() {
  trips_ = knownTripCount(module_.at(loop_));
  if (trips_ && (*trips_ < 0 || *trips_ >= kFar)) trips_.reset();
  if (trips_) return;
  const HeldValue root = forwarded({{}, {condition_, module_.computation(condition_).root}, 0});
  const Instruction& compare = module_.at(root.at);
  if (compare.opcode != "compare") {
    if (compare.opcode == "constant" &&
        constantOf(module_, module_.computation(root.at.computation), root.at.instruction) == 0)
      trips_ = 0;
    return;
  }
  Asking asking;
  const auto a = value(operandOf(root, 0), asking), b = value(operandOf(root, 1), asking);
  if (!a || !b) return;
  // It runs while d(t) is below 0, for LT; the others are turned into that.
  StepValue d{a->slope - b->slope, a->offset - b->offset};
  const std::string_view direction = compare.value("direction");
  if (direction == "GT" || direction == "GE") d = {-d.slope, -d.offset};
  if (direction == "LE" || direction == "GE") d.offset -= 1;
  if (direction == "NE") {
    if (d.slope < 0) d = {-d.slope, -d.offset};
    if (d.offset == 0) trips_ = 0;
    if (d.offset == 0 || d.slope == 0 || d.offset > 0 || -d.offset % d.slope != 0) return;
  } else if (direction != "LT" && direction != "LE" && direction != "GT" && direction != "GE") {
    return;
  }
  if (d.offset >= 0) {
    trips_ = 0;
    return;
  }
  if (d.slope <= 0) return;  // it never ends, or by overflow
  const i64 trips = (-d.offset + d.slope - 1) / d.slope;
  Asking again{0, trips};  // the values stay in the ranges of their types
  if (value(operandOf(root, 0), again) == a && value(operandOf(root, 1), again) == b) trips_ = trips;
}

std::optional<i64> tripsOf(const Module& module, Where loop) { return StepValues(module, loop).trips(); }

}  // namespace tessera::hlo
