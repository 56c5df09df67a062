#include "core/worksheet/programs/part_claims.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/hlo/listing.h"
#include "core/hlo/notation.h"
#include "core/hlo/ops/devices.h"
#include "core/worksheet/value.h"

namespace tessera {
namespace {

using hlo::Part;
using hlo::Reach;

// What is read of one operand; a Diag if the maps are not it.
Result<Reach> readsOfOperand(const Part& part, int operand, bool exactly) {
  TESSERA_TRY(Reach reach, hlo::reads(part, operand));
  const std::string name = hlo::operandName(part, operand);
  if (reach.soundness == hlo::Soundness::Unknown)
    return Diag{fmt::format("what %{} reads of %{} is unknown: {}", part.name(), name, reach.why),
                "operations with rules"};
  if (reach.soundness == hlo::Soundness::Over && exactly)
    return Diag{fmt::format("what %{} reads of %{} is only known to be at most this: {}", part.name(), name, reach.why),
                "maps that are exact", "reads(NAME.%f, 0) is the map; a claim about it is a claim about the wider map"};
  return reach;
}

// Its maps with the sizes of what they read as extents. `onDevices`: with the device as a last coordinate.
Result<void> addSizes(const Part& part, int operand, bool onDevices, Reach& reach) {
  TESSERA_TRY(const xla::Shape shape, hlo::operandShape(part, operand));
  if (!shape.isArray()) return {};
  std::vector<i64> sizes = shape.sizes();
  const i64 devices = part.module().devices.count;
  if (onDevices) sizes.push_back(devices);
  for (std::size_t k = 0; k < reach.maps.size(); ++k) {
    if (const Map* const position = hlo::positionOf(reach, k); position != nullptr && onDevices) {
      reach.maps[k] = *position;
      std::erase_if(reach.runtime[k], hlo::isDevice);
    } else if (onDevices) {
      TESSERA_TRY(reach.maps[k], hlo::ownPosition(reach.maps[k], devices));
    }
    TESSERA_TRY(reach.maps[k], hlo::mapOf(reach, sizes, static_cast<int>(k)));
  }
  return {};
}

// The identity of a run-time value: its holder, the place and the range.
std::string numberName(const Part& part, const hlo::RuntimeValue& v, const Param& p, bool first) {
  const std::string range = fmt::format("in [{}, {}]", p.lo, p.hi);
  if (v.operand < 0)
    return fmt::format("{} of the {} {}", v.inside.empty() ? p.name : v.inside, first ? "first" : "second", range);
  const std::string at = v.index.axes().empty() ? "" : " at " + print(v.index);
  const bool ofOperand = v.operand < hlo::operandsOf(part);
  return fmt::format("{}{} {}", ofOperand ? fmt::format("operand {}", v.operand) : p.name, at, range);
}

// Puts every map over the same list of parameters.
class Numbers {
 public:
  void note(const Part& part, const Reach& reach, bool first) {
    for (std::size_t k = 0; k < reach.maps.size(); ++k)
      for (std::size_t p = 0; p < reach.maps[k].params().size(); ++p) {
        Param param = reach.maps[k].params()[p];
        const auto& values = reach.runtimeOf(k);
        param.name = p < values.size() ? numberName(part, values[p], param, first)
                                       : fmt::format("{} of the {}", param.name, first ? "first" : "second");
        if (find(param.name) == params_.size()) params_.push_back(param);
        slots_.push_back(find(param.name));
      }
  }
  Result<std::vector<Map>> joined(const Reach& reach) {
    std::vector<Map> maps;
    for (const Map& m : reach.maps) {
      std::vector<Expr> digits, values;
      for (std::size_t k = 0; k < m.digits().size(); ++k) digits.push_back(Expr::digit(static_cast<int>(k)));
      for (std::size_t k = 0; k < m.params().size(); ++k)
        values.push_back(Expr::param(static_cast<int>(slots_.at(next_++))));
      std::vector<Axis> axes = m.axes();
      for (Axis& a : axes) a.value = substitute(a.value, digits, values);
      std::vector<Guard> guards = m.guards();
      for (Guard& g : guards) g.value = substitute(g.value, digits, values);
      TESSERA_TRY(Map map, Map::create(m.digits(), std::move(axes), std::move(guards), params_));
      maps.push_back(std::move(map));
    }
    return maps;
  }

 private:
  [[nodiscard]] std::size_t find(const std::string& name) const {
    return static_cast<std::size_t>(std::ranges::find(params_, name, &Param::name) - params_.begin());
  }
  std::vector<Param> params_;
  std::vector<std::size_t> slots_;
  std::size_t next_ = 0;
};

// An instruction or computation, or a module (its entry computation); nullopt: anything else.
std::optional<Part> partIn(const Value& value) {
  if (const auto* part = as<Part>(value)) return *part;
  const auto* listing = as<hlo::Listing>(value);
  if (listing == nullptr || listing->module->entry < 0) return std::nullopt;
  return Part{*listing, listing->module->entry, -1};
}

}  // namespace

Result<std::optional<std::vector<MapUnion>>> readsClaimed(const Value& firstValue, const Value* secondValue) {
  const std::optional<Part> one = partIn(firstValue);
  const std::optional<Part> two = secondValue == nullptr ? std::nullopt : partIn(*secondValue);
  if (!one || (secondValue != nullptr && !two)) return std::optional<std::vector<MapUnion>>();
  const Part& first = *one;
  const Part* second = two ? &*two : nullptr;
  const int count = hlo::operandsOf(first);
  if (second != nullptr && hlo::operandsOf(*second) != count)
    return Diag{
        fmt::format("%{} has {} operands, %{} {}", first.name(), count, second->name(), hlo::operandsOf(*second)),
        "as many on both sides"};
  if (count == 0) return Diag{fmt::format("%{} reads nothing", first.name()), "a part with operands"};
  std::vector<MapUnion> unions;
  for (int k = 0; k < count; ++k) {
    MapUnion u;
    u.name = fmt::format("{} (%{})", k, hlo::operandName(first, k));
    TESSERA_TRY(Reach a, readsOfOperand(first, k, second != nullptr));
    if (second == nullptr) {
      TESSERA_CHECKED(addSizes(first, k, false, a));
      u.f = a.maps;
    } else {
      TESSERA_TRY(Reach b, readsOfOperand(*second, k, true));
      const bool onDevices = !a.devices.empty() || !b.devices.empty();
      TESSERA_CHECKED(addSizes(first, k, onDevices, a));
      TESSERA_CHECKED(addSizes(*second, k, onDevices, b));
      Numbers numbers;
      numbers.note(first, a, true);
      numbers.note(*second, b, false);
      TESSERA_TRY(u.f, numbers.joined(a));
      TESSERA_TRY(u.g, numbers.joined(b));
    }
    unions.push_back(std::move(u));
  }
  return std::optional(std::move(unions));
}

Result<std::optional<std::vector<Map>>> identityClaimed(const Value& value) {
  const std::optional<Part> part = partIn(value);
  if (!part) return std::optional<std::vector<Map>>();
  TESSERA_TRY(const Arrow arrow, NotationOf<Part>::arrow(*part));
  TESSERA_TRY(const xla::Shape out, hlo::shapeOf(*part));
  std::vector<i64> sizes = out.sizes();
  if (arrow.map.indexDigits().size() == sizes.size() + 1) sizes.push_back(part->module().devices.count);
  std::vector<Digit> digits;
  std::vector<Axis> axes;
  std::vector<Guard> guards;
  for (const i64 n : sizes) {
    if (n < 1) guards.push_back({Expr::constant(1), 0, 0});
    axes.push_back({"", Expr::digit(static_cast<int>(digits.size())), std::nullopt});
    digits.push_back({fmt::format("d{}", digits.size()), std::max<i64>(n, 1), DigitKind::Index, 0});
  }
  TESSERA_TRY(Map identity, Map::create(std::move(digits), std::move(axes), std::move(guards)));
  return std::optional(std::vector{arrow.map, std::move(identity)});
}

}  // namespace tessera
