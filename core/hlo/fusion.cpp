#include "core/hlo/fusion.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/expr/simplify.h"
#include "core/hlo/attributes.h"
#include "core/map/compose.h"
#include "core/map/unused.h"

namespace tessera::hlo {
namespace {

constexpr std::size_t kMostMaps = 64;     // of one instruction
constexpr i64 kMostTried = i64{1} << 12;  // points of two maps that are compared one by one
constexpr int kDeepest = 64;              // fusions in fusions

using Key = std::pair<int, int>;  // instruction, output

// f at a coordinate, which may lie outside its box: then there is nothing.
std::vector<std::vector<i64>> imageAt(const Map& f, const Ints& coordinate) {
  const std::vector<int> digits = f.indexDigits();
  Ints index;
  for (std::size_t k = 0; k < digits.size(); ++k) {
    const Digit& d = f.digits()[static_cast<std::size_t>(digits[k])];
    index.push_back(coordinate[k] - d.lo);
    if (index.back() < 0 || index.back() >= d.extent) return {};
  }
  return f.imageOf(index);
}

// Where a has elements, b has the same.
bool agreesOn(const Map& a, const Map& b) {
  Ints extents, los;
  for (const int k : a.indexDigits()) {
    extents.push_back(a.digits()[static_cast<std::size_t>(k)].extent);
    los.push_back(a.digits()[static_cast<std::size_t>(k)].lo);
  }
  const i64 count = *a.size();
  for (i64 i = 0; i < count; ++i) {
    Ints at = delinearize(i, extents, LinearOrder::Lex);
    for (std::size_t k = 0; k < at.size(); ++k) at[k] += los[k];
    if (imageAt(a, at) != imageAt(b, at)) return false;
  }
  return true;
}

bool sameByTrying(const Map& a, const Map& b) {
  const auto points = a.pointCount(), others = b.pointCount();
  if (!points || !others || *points > kMostTried || *others > kMostTried) return false;
  if (!a.params().empty() || !b.params().empty()) return false;
  return agreesOn(a, b) && agreesOn(b, a);
}

class Reacher {
 public:
  // From its root, or from another of its instructions.
  Reacher(const Module& module, int computation, int depth, std::optional<int> from = std::nullopt)
      : module_(module),
        number_(computation),
        c_(module.computations[static_cast<std::size_t>(computation)]),
        from_(from.value_or(c_.root)),
        depth_(depth) {}

  Result<std::vector<Reached>> run(int output) {
    if (from_ < 0) return Diag{"the computation " + std::string(c_.name) + " is empty", "a ROOT", "", c_.span};
    if (depth_ > kDeepest)
      return Diag{"more than " + std::to_string(kDeepest) + " computations call one another", "computations that end",
                  "", c_.span};
    TESSERA_CHECKED(order());
    TESSERA_CHECKED(begin(output));
    for (std::size_t k = order_.size(); k-- > 0;) TESSERA_CHECKED(pass(order_[k]));
    std::vector<Reached> all;
    for (std::size_t k = order_.size(); k-- > 0;)
      for (auto n = nodes_.lower_bound({order_[k], 0}); n != nodes_.end() && n->first.first == order_[k]; ++n)
        all.push_back(n->second);
    return all;
  }

 private:
  const Instruction& at(int i) const { return c_.instructions[static_cast<std::size_t>(i)]; }

  // Operands before their users; a Diag where there is none, since an instruction needs itself.
  Result<void> order() {
    std::vector<char> state(c_.instructions.size());
    std::vector<std::pair<int, std::size_t>> stack{{from_, 0}};
    state[static_cast<std::size_t>(from_)] = 1;
    while (!stack.empty()) {
      auto& [i, next] = stack.back();
      if (next == at(i).operands.size()) {
        state[static_cast<std::size_t>(i)] = 2;
        order_.push_back(i);
        stack.pop_back();
        continue;
      }
      const int operand = at(i).operands[next++];
      if (operand < 0 || state[static_cast<std::size_t>(operand)] == 2) continue;
      if (state[static_cast<std::size_t>(operand)] == 1)
        return Diag{std::string(at(operand).name) + " needs itself", "instructions that stand on earlier ones", "",
                    at(operand).span};
      state[static_cast<std::size_t>(operand)] = 1;
      stack.emplace_back(operand, 0);
    }
    return {};
  }

  Reached& node(Key key) {
    auto [found, isNew] = nodes_.try_emplace(key);
    if (isNew) {
      found->second.instruction = key.first;
      found->second.output = key.second;
    }
    return found->second;
  }

  Result<void> begin(int output) {
    const xla::Shape& shape = module_.shapeOf(at(from_));
    const bool tuple = shape.kind() == xla::Shape::Kind::Tuple;
    if (output < 0 || output >= (tuple ? static_cast<int>(shape.elements().size()) : 1))
      return Diag{"the computation has no output " + std::to_string(output), "one of its outputs, from 0", "", c_.span};
    const xla::Shape& one = tuple ? shape.elements()[static_cast<std::size_t>(output)] : shape;
    Reached& root = node({from_, output});
    if (!one.isArray()) {
      root.soundness = Soundness::Unknown;
      root.why = "output " + std::to_string(output) + " is no array";
      return {};
    }
    TESSERA_TRY(Map map, identityMap(one.sizes()));
    root.maps.push_back({std::move(map), {}});
    return {};
  }

  static Result<Map> identityMap(const Ints& sizes) {
    std::vector<Digit> digits;
    std::vector<Axis> axes;
    std::vector<Guard> guards;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      digits.push_back({"d" + std::to_string(k), std::max<i64>(1, sizes[k]), DigitKind::Index, 0});
      axes.push_back({"", Expr::digit(static_cast<int>(k)), std::nullopt});
      if (sizes[k] < 1) guards.push_back({Expr::constant(1), 0, 0});
    }
    return Map::create(std::move(digits), std::move(axes), std::move(guards));
  }

  // What an instruction is asked for goes on to its operands.
  Result<void> pass(int i) {
    std::vector<Key> keys;
    for (auto k = nodes_.lower_bound({i, 0}); k != nodes_.end() && k->first.first == i; ++k) keys.push_back(k->first);
    for (const Key& key : keys) {
      const Reached from = nodes_[key];
      const std::string_view opcode = at(i).opcode;
      if (opcode == "parameter" || opcode == "constant" || opcode == "iota") continue;
      TESSERA_TRY(const std::vector<Reach> reads, readsThroughAt(i, key.second));
      for (const Reach& reach : reads) passTo(i, from, reach);
    }
    return {};
  }

  Result<std::vector<Reach>> readsThroughAt(int i, int output);

  int outputAskedOf(int i) const {
    if (at(i).opcode != "get-tuple-element") return 0;
    const Attribute* const index = at(i).find("index");
    return index == nullptr ? 0 : static_cast<int>(wholeNumber(index->value).value_or(0));
  }

  void passTo(int i, const Reached& from, const Reach& reach) {
    const auto slot = static_cast<std::size_t>(reach.slot);
    if (slot >= at(i).operands.size() || at(i).operands[slot] < 0) return;
    if (reach.maps.empty() && reach.soundness != Soundness::Unknown) return;  // reads nothing of it
    Reached& to = node({at(i).operands[slot], outputAskedOf(i)});
    doubt(to, from.soundness, from.why);
    doubt(to, reach.soundness, reach.why.empty() ? "" : std::string(at(i).name) + ": " + reach.why);
    for (const ReachedMap& f : from.maps)
      for (const Map& g : reach.maps) add(to, i, f, g, reach.runtime);
  }

  static void doubt(Reached& to, Soundness soundness, const std::string& why) {
    if (soundness <= to.soundness) return;
    to.soundness = soundness;
    to.why = why;
  }

  void add(Reached& to, int i, const ReachedMap& f, const Map& g, const std::vector<RuntimeValue>& runtime) {
    const auto both = thenInside(f.map, g);
    if (!both) return doubt(to, Soundness::Unknown, both.error().message);
    if (both->isEmpty()) return;
    ReachedMap made;
    std::vector<RuntimeValue> values;
    for (RuntimeValue v : runtime) {
      v.operand = at(i).operands[static_cast<std::size_t>(v.operand)];
      if (auto index = thenInside(f.map, v.index)) v.index = *std::move(index);
      values.push_back(std::move(v));
    }
    values.insert(values.end(), f.runtime.begin(), f.runtime.end());
    WithoutUnused plain = withoutUnused(withIotas(*both, values));
    for (const int p : plain.params)
      if (static_cast<std::size_t>(p) < values.size()) made.runtime.push_back(values[static_cast<std::size_t>(p)]);
    for (std::size_t k = 0; k < made.runtime.size(); ++k) made.runtime[k].name = "rt" + std::to_string(k);
    made.map = std::move(plain.map);
    for (const ReachedMap& there : to.maps)
      if (there.runtime == made.runtime && sameReads(there.map, made.map)) return;
    if (to.maps.size() == kMostMaps)
      return doubt(to, Soundness::Unknown, "more than " + std::to_string(kMostMaps) + " different maps");
    to.maps.push_back(std::move(made));
  }

  // A run-time value that an iota holds is the coordinate it is read at, clamped as every start is.
  Map withIotas(const Map& map, const std::vector<RuntimeValue>& values) const {
    if (map.params().size() != values.size()) return map;
    std::vector<Expr> params;
    bool any = false;
    for (std::size_t k = 0; k < values.size(); ++k) {
      params.push_back(Expr::param(static_cast<int>(k)));
      const auto number = iotaValue(map, values[k]);
      if (!number) continue;
      const Param& p = map.params()[k];
      params.back() = least(greatest(*number, Expr::constant(p.lo)), Expr::constant(p.hi));
      any = true;
    }
    if (!any) return map;
    std::vector<Expr> digits;
    for (std::size_t k = 0; k < map.digits().size(); ++k) digits.push_back(Expr::digit(static_cast<int>(k)));
    std::vector<Axis> axes = map.axes();
    for (Axis& a : axes) a.value = substitute(a.value, digits, params);
    std::vector<Guard> guards = map.guards();
    for (Guard& g : guards) g.value = substitute(g.value, digits, params);
    const auto made = Map::create(map.digits(), std::move(axes), std::move(guards), map.params());
    return made ? simplified(*made) : map;
  }

  // Over the digits of `map`; nullopt: no iota holds it.
  std::optional<Expr> iotaValue(const Map& map, const RuntimeValue& value) const {
    if (value.operand < 0) return std::nullopt;  // a name that is not there
    const Instruction& holder = at(value.operand);
    if (holder.opcode != "iota" || !value.index.params().empty() || !value.index.fanDigits().empty())
      return std::nullopt;
    const Attribute* const along = holder.find("iota_dimension");
    const i64 axis = along == nullptr ? 0 : wholeNumber(along->value).value_or(-1);
    if (axis < 0 || axis >= static_cast<i64>(value.index.axes().size())) return std::nullopt;
    const std::vector<int> asked = map.indexDigits();
    if (asked.size() != value.index.digits().size()) return std::nullopt;
    std::vector<Expr> digits;
    for (std::size_t k = 0; k < asked.size(); ++k)
      digits.push_back(Expr::digit(asked[k]) +
                       (map.digits()[static_cast<std::size_t>(asked[k])].lo - value.index.digits()[k].lo));
    return substitute(value.index.axes()[static_cast<std::size_t>(axis)].value, digits);
  }

  const Module& module_;
  int number_;
  const Computation& c_;
  int from_;
  int depth_;
  std::vector<int> order_;
  std::map<Key, Reached> nodes_;
};

// What is reached in a body, by its caller's operands.
std::vector<Reach> byOperand(const Module& module, const Computation& body, const std::vector<Reached>& all) {
  std::vector<Reach> reads(body.parameters.size());
  for (std::size_t k = 0; k < reads.size(); ++k) reads[k].slot = static_cast<int>(k);
  for (const Reached& r : all) {
    const auto at = std::find(body.parameters.begin(), body.parameters.end(), r.instruction);
    if (at == body.parameters.end()) continue;
    Reach& reach = reads[static_cast<std::size_t>(at - body.parameters.begin())];
    reach.soundness = std::max(reach.soundness, r.soundness);
    if (!r.why.empty()) reach.why = r.why;
    const Instruction& parameter = body.instructions[static_cast<std::size_t>(r.instruction)];
    if (!module.shapeOf(parameter).isArray()) {  // elements of a tuple have coordinates of their own each
      reach.soundness = Soundness::Unknown;
      reach.why = "a tuple: see what " + std::string(body.name) + " reads of its elements";
      reach.maps.clear();
      continue;
    }
    for (const ReachedMap& m : r.maps) reach.maps.push_back(m.map);
  }
  return reads;
}

Result<std::vector<Reach>> through(const Module& module, Where where, int output, int depth) {
  const Computation& c = module.computations[static_cast<std::size_t>(where.computation)];
  const Instruction& i = c.instructions[static_cast<std::size_t>(where.instruction)];
  if (i.opcode != "fusion" && i.opcode != "call") return readsOf(module, where, output);
  TESSERA_TRY(const int called, bodyOf(module, where));
  TESSERA_TRY(const std::vector<Reached> all, Reacher(module, called, depth + 1).run(output));
  return byOperand(module, module.computations[static_cast<std::size_t>(called)], all);
}

Result<std::vector<Reach>> Reacher::readsThroughAt(int i, int output) {
  return through(module_, {number_, i}, output, depth_);
}

}  // namespace

Result<int> bodyOf(const Module& module, Where fusion) {
  const Instruction& i = module.computations[static_cast<std::size_t>(fusion.computation)]
                             .instructions[static_cast<std::size_t>(fusion.instruction)];
  const std::vector<int> called = calledBy(module, i);
  if (called.size() != 1)
    return Diag{std::string(i.name) + " calls " + std::to_string(called.size()) + " computations that are here",
                "one: calls=%NAME", "", i.span};
  const Computation& body = module.computations[static_cast<std::size_t>(called[0])];
  if (body.parameters.size() != i.operands.size())
    return Diag{std::string(i.name) + " has " + std::to_string(i.operands.size()) + " operands, " +
                    std::string(body.name) + " " + std::to_string(body.parameters.size()) + " parameters",
                "as many", "", i.span};
  return called[0];
}

Result<std::vector<Reached>> reachedFrom(const Module& module, Where from, int output) {
  return Reacher(module, from.computation, 0, from.instruction).run(output);
}

Result<std::vector<Reach>> readsFromInside(const Module& module, Where fusion, Where inside) {
  TESSERA_TRY(const int called, bodyOf(module, fusion));
  if (called != inside.computation)
    return Diag{"no instruction of what the fusion calls", "one of its computation", "", {}};
  TESSERA_TRY(const std::vector<Reached> all, reachedFrom(module, inside));
  return byOperand(module, module.computations[static_cast<std::size_t>(called)], all);
}

Result<std::vector<Reached>> reachedIn(const Module& module, int computation, int output) {
  return Reacher(module, computation, 0).run(output);
}

Result<std::vector<Reach>> readsThrough(const Module& module, Where where, int output) {
  return through(module, where, output, 0);
}

bool sameReads(const Map& a, const Map& b) {
  if (a == b) return true;
  if (a.axes().size() != b.axes().size() || a.indexDigits().size() != b.indexDigits().size()) return false;
  if (a.digits() == b.digits() && a.params() == b.params() && a.guards() == b.guards()) {
    const Environment box = environmentOf(a);
    bool same = true;
    for (std::size_t k = 0; k < a.axes().size() && same; ++k)
      same = simplified(a.axes()[k].value - b.axes()[k].value, box).isConstant(0);
    if (same) return true;
  }
  return sameByTrying(a, b);
}

}  // namespace tessera::hlo
